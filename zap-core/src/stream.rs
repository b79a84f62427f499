//! Lists of the `zapgen` and `zip` dialects: length-prefixed elements, found by walking from the start (wire 1.3).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use alloc::vec::Vec;

use crate::list_view::debug_elements;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, DecodeListElement, FieldType, ListElement, Place, Slot, StreamDialect, compare};

/// A type that can be an element of a length-prefixed list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a list in the `{D}` dialect",
    label = "not a list of elements of this dialect",
    note = "for a struct of yours, put #[derive(Zap)] on it, with the same #[zap(dialect)]; for an enum, #[derive(Zap)]",
    note = "zapgen and zip lists hold bool, 16 to 64-bit integers, i8, f32, f64, text, bytes, enums without data and records of their own dialect"
)]
pub trait Element<D: StreamDialect>: Slot<D> + Sized {
    /// What reading an element gives.
    type Item<'m>: Copy + fmt::Debug;

    /// Reads the element whose bytes the section is.
    ///
    /// # Errors
    ///
    /// The bytes are no such element.
    fn get_element<'m>(entry: Section<'m>) -> Result<Self::Item<'m>, DecodeError>;
    /// Checks the element and everything behind it.
    ///
    /// # Errors
    ///
    /// The first thing that an accessor would refuse, or the budget.
    fn check_element<const METERED: bool>(entry: Section<'_>, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError>;
    /// As [`Slot::equals`], of the element.
    fn equals_element(&self, entry: Section<'_>, walk: &mut Walk<'_, true>) -> bool;
    /// As [`Slot::same`], of two elements.
    fn same_element(left: Section<'_>, right: Section<'_>, walk: &mut Walk<'_, true>) -> bool;
    /// Counts or writes the element with its length word.
    fn put_element<S: Sink>(&self, sink: &mut S);
}

/// An element that can be decoded.
#[diagnostic::on_unimplemented(
    message = "a list of `{Self}` cannot be decoded in the `{D}` dialect",
    label = "cannot be decoded"
)]
pub trait DecodeElement<'m, D: StreamDialect>: Element<D> {
    /// Decodes the element whose bytes the section is.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, or the budget.
    fn decode_element<const METERED: bool>(
        entry: Section<'m>,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError>;
}

impl<D: StreamDialect, T: Element<D>> ListElement<D> for T {
    const LIST_TYPE: FieldType = FieldType::List(&<T as Slot<D>>::TYPE);
    const LIST_NESTED: bool = true;
    const LIST_PARTS: Parts = T::PARTS_BEHIND;

    type List<'m> = StreamView<'m, T, D>;

    fn get_list<'m>(section: Section<'m>, field: Field) -> Result<StreamView<'m, T, D>, DecodeError> {
        let (stream, count) = section.stream(field)?;
        Ok(StreamView { stream, count, place: field.place, element: PhantomData })
    }
    fn check_list<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        T::get_list(section, field)?.entries().try_for_each(|entry| {
            let entry = entry?;
            spend_length_word(entry, walk)?;
            T::check_element(entry, walk).map_err(|error| error.at(field.place))
        })
    }
    fn equals_list(items: &[T], section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        T::get_list(section, field).is_ok_and(|list| list.equals(items, walk))
    }
    fn same_list(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (T::get_list(left, field), T::get_list(right, field)) {
            (Ok(left), Ok(right)) => left.same(right, walk),
            _ => false,
        }
    }
    fn put_list<S: Sink>(items: &[T], sink: &mut S, section: &mut S::Section, offset: usize) {
        sink.stream(section, offset, items.len());
        if !items.is_empty() && sink.descend() {
            for item in items {
                item.put_element(sink);
            }
            sink.ascend();
        }
    }
}

impl<'m, D: StreamDialect, T: DecodeElement<'m, D>> DecodeListElement<'m, D> for T {
    fn decode_list<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Vec<T>, DecodeError> {
        T::get_list(section, field)?.decode(walk)
    }
}

/// Pays for an element's length word. The element pays for what it visits itself: all of its bytes, or, if it is a
/// message, header and section, since whatever lies behind those is paid for where it is visited.
fn spend_length_word<const METERED: bool>(entry: Section<'_>, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
    walk.spend(4, entry.position() as usize)
}

/// A length-prefixed list read in place: `len` in O(1), iteration, and `get` in O(index).
///
/// The elements are checked as they are reached; what is wrong with one is that element's error, and a list that is
/// shorter than its count ends with an error, never silently.
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// #[zap(dialect = "zapgen")]
/// struct Bag {
///     items: Vec<u64>,
/// }
///
/// let bytes = Bag { items: vec![5, 7] }.to_vec()?;
/// let items = Bag::view(&bytes)?.items()?;
/// assert_eq!(items.len(), 2);
/// assert_eq!(items.get(1)?, Some(7));
/// assert_eq!(items.iter().collect::<Result<Vec<_>, _>>()?, [5, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StreamView<'m, T, D> {
    stream: Section<'m>,
    count: u32,
    place: &'static Place,
    element: PhantomData<fn() -> (T, D)>,
}

impl<T, D> Clone for StreamView<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, D> Copy for StreamView<'_, T, D> {}

impl<'m, T: Element<D>, D: StreamDialect> StreamView<'m, T, D> {
    /// Number of elements, as the list's slot states it. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Element `index`, or `None` past the end. O(index): iterate instead of calling this in a loop.
    ///
    /// # Errors
    ///
    /// The element, or one before it, does not fit, or it is no value of its type.
    pub fn get(&self, index: usize) -> Result<Option<T::Item<'m>>, DecodeError> {
        self.iter().nth(index).transpose()
    }

    /// The elements from the first on.
    #[must_use]
    pub const fn iter(&self) -> StreamIter<'m, T, D> {
        StreamIter { entries: self.entries(), element: PhantomData }
    }

    /// Whether the elements are these.
    pub(crate) fn equals(self, items: &[T], walk: &mut Walk<'_, true>) -> bool {
        self.len() == items.len()
            && self.entries().zip(items).all(|(entry, item)| {
                entry.is_ok_and(|entry| spend_length_word(entry, walk).is_ok() && item.equals_element(entry, walk))
            })
    }

    /// Whether both lists have equal elements.
    pub(crate) fn same(self, other: StreamView<'_, T, D>, walk: &mut Walk<'_, true>) -> bool {
        self.len() == other.len()
            && self.entries().zip(other.entries()).all(|entries| match entries {
                (Ok(left), Ok(right)) => {
                    let is_paid = spend_length_word(left, walk).and_then(|()| spend_length_word(right, walk)).is_ok();
                    is_paid && T::same_element(left, right, walk)
                }
                _ => false,
            })
    }

    /// The same list, read through its layout.
    pub(crate) fn to_dynamic(self, element: &'static FieldType) -> crate::dynamic::DynamicList<'m> {
        crate::dynamic::DynamicList::stream(self.stream, self.count, self.place, element, D::KIND)
    }

    /// The bytes of the elements.
    const fn entries(&self) -> Entries<'m> {
        Entries { stream: self.stream, left: self.count, place: self.place }
    }
}

impl<'m, T: DecodeElement<'m, D>, D: StreamDialect> StreamView<'m, T, D> {
    /// The elements as values, within the default [`Limits`](crate::Limits).
    ///
    /// # Errors
    ///
    /// Whatever is wrong with an element, or the budget.
    pub fn to_vec(&self) -> Result<Vec<T>, DecodeError> {
        self.decode(&mut compare::walk_over(self.stream.message().len()))
    }

    fn decode<const METERED: bool>(&self, walk: &mut Walk<'m, METERED>) -> Result<Vec<T>, DecodeError> {
        // The vector grows as elements are seen: a count alone buys no memory.
        let mut items = Vec::new();
        for entry in self.entries() {
            let entry = entry?;
            spend_length_word(entry, walk)?;
            items.push(T::decode_element(entry, walk).map_err(|error| error.at(self.place))?);
        }
        Ok(items)
    }
}

impl<T: Element<D>, D: StreamDialect> PartialEq for StreamView<'_, T, D> {
    fn eq(&self, other: &Self) -> bool {
        let len = self.stream.message().len().saturating_add(other.stream.message().len());
        self.same(*other, &mut compare::walk_over(len))
    }
}

impl<T: Element<D>, D: StreamDialect> PartialEq<[T]> for StreamView<'_, T, D> {
    fn eq(&self, items: &[T]) -> bool {
        self.equals(items, &mut compare::walk_over(self.stream.message().len()))
    }
}

impl<T: Element<D>, D: StreamDialect> PartialEq<Vec<T>> for StreamView<'_, T, D> {
    fn eq(&self, items: &Vec<T>) -> bool {
        self == items.as_slice()
    }
}

impl<T: Element<D>, D: StreamDialect> PartialEq<StreamView<'_, T, D>> for Vec<T> {
    fn eq(&self, list: &StreamView<'_, T, D>) -> bool {
        list == self.as_slice()
    }
}

impl<T: Element<D>, D: StreamDialect> fmt::Debug for StreamView<'_, T, D> {
    /// As the native list's: bounded.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_elements(f, self.iter(), self.len(), T::NESTED)
    }
}

impl<'m, T: Element<D>, D: StreamDialect> IntoIterator for StreamView<'m, T, D> {
    type Item = Result<T::Item<'m>, DecodeError>;
    type IntoIter = StreamIter<'m, T, D>;

    fn into_iter(self) -> StreamIter<'m, T, D> {
        self.iter()
    }
}

impl<'m, T: Element<D>, D: StreamDialect> IntoIterator for &StreamView<'m, T, D> {
    type Item = Result<T::Item<'m>, DecodeError>;
    type IntoIter = StreamIter<'m, T, D>;

    fn into_iter(self) -> StreamIter<'m, T, D> {
        self.iter()
    }
}

/// Walks over the length words of a stream.
#[derive(Clone)]
struct Entries<'m> {
    stream: Section<'m>,
    left: u32,
    place: &'static Place,
}

impl<'m> Iterator for Entries<'m> {
    type Item = Result<Section<'m>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let entry = self.stream.next_element(self.place);
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // One error can end the walk early.
        (usize::from(self.left > 0), Some(self.left as usize))
    }
}

/// The iterator of a [`StreamView`]. It ends after the first element that does not fit in the message.
pub struct StreamIter<'m, T, D> {
    entries: Entries<'m>,
    element: PhantomData<fn() -> (T, D)>,
}

impl<T, D> Clone for StreamIter<'_, T, D> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), element: PhantomData }
    }
}

impl<T, D> fmt::Debug for StreamIter<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamIter").field("left", &self.entries.left).finish_non_exhaustive()
    }
}

impl<'m, T: Element<D>, D: StreamDialect> Iterator for StreamIter<'m, T, D> {
    type Item = Result<T::Item<'m>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.entries.place;
        Some(self.entries.next()?.and_then(|entry| T::get_element(entry).map_err(|error| error.at(place))))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        for _ in 0..n {
            if let Err(error) = self.entries.next()? {
                return Some(Err(error));
            }
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl<T: Element<D>, D: StreamDialect> FusedIterator for StreamIter<'_, T, D> {}
