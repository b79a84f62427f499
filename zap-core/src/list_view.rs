//! Native lists: elements at a fixed stride, so that any one of them is found in O(1).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use alloc::vec::Vec;
use zerocopy::FromBytes;

use crate::capped::Capped;
use crate::pin::Parts;
use crate::section::{Elements, Field, Section};
use crate::sink::{Run, Sink};
use crate::walk::{Walk, ready};
use crate::{DecodeError, DecodeListElement, DecodeSlot, FieldType, ListElement, Native, Place, Slot, compare};

/// A native slot type that can be an element of a list: its slots lie side by side.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a native ZAP list",
    label = "not a list of native elements",
    note = "for a struct of yours, put #[derive(Zap)] on it"
)]
pub trait FixedStride: Slot<Native> + Sized {
    /// Counts or writes the body of a list that is not empty, and everything behind it.
    fn put_elements<S: Sink>(items: &[Self], sink: &mut S, section: &mut S::Section, offset: usize) {
        put_each(items, sink, section, offset);
    }
}

/// Why a list cannot hold them.
pub(crate) const NO_WIDTH: &str =
    "elements of width 0 cannot be in a native list: give the element a field, or keep their number in an integer";

/// The shape of a list of `count` elements.
#[inline]
pub(crate) fn shape<T: Slot<Native>>(count: usize) -> Run {
    const { assert!(T::WIDTH > 0, "{}", NO_WIDTH) };
    Run { count, stride: T::WIDTH, align: T::ALIGN }
}

/// Reserves the body, then visits the elements one by one with everything below them.
pub(crate) fn put_each<T: Slot<Native>, S: Sink>(items: &[T], sink: &mut S, section: &mut S::Section, offset: usize) {
    if T::PLAIN {
        return sink.run_of_plain(section, offset, items);
    }
    let mut body = sink.run(section, offset, shape::<T>(items.len()));
    sink.closely(|sink| {
        for item in items {
            // Of a constant width, so that stores to it need no checks of their own.
            let Some(mut element) = S::split_checked(&mut body, T::WIDTH) else { return };
            item.put(sink, &mut element, 0);
        }
    });
}

impl<T: FixedStride> ListElement<Native> for T {
    const LIST_TYPE: FieldType = FieldType::List(&<T as Slot<Native>>::TYPE);
    const LIST_NESTED: bool = true;
    const LIST_FAULT: &'static str = if T::WIDTH == 0 { NO_WIDTH } else { T::FAULT };
    const LIST_PARTS: Parts = T::PARTS_BEHIND;

    type List<'m> = ListView<'m, T>;

    #[inline]
    fn get_list<'m>(section: Section<'m>, field: Field) -> Result<ListView<'m, T>, DecodeError> {
        Ok(ListView::new(section.run(T::WIDTH, field)?, field.place))
    }
    fn check_list<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        if T::INFALLIBLE {
            return section.check_run(T::WIDTH, field, walk);
        }
        match T::get_list(section, field) {
            Ok(list) => list.check(walk),
            Err(error) => Err(error),
        }
    }
    fn equals_list(items: &[T], section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        T::get_list(section, field).is_ok_and(|list| list.equals(items, walk))
    }
    fn same_list(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (T::get_list(left, field), T::get_list(right, field)) {
            (Ok(left), Ok(right)) => left.same(&right, walk),
            _ => false,
        }
    }
    fn put_list<S: Sink>(items: &[T], sink: &mut S, section: &mut S::Section, offset: usize) {
        if T::PLAIN {
            if !sink.counts_plain(shape::<T>(items.len())) && !items.is_empty() {
                T::put_elements(items, sink, section, offset);
            }
        } else if !items.is_empty() && sink.descend() {
            T::put_elements(items, sink, section, offset);
            sink.ascend();
        }
    }
}

impl<'m, T: FixedStride + DecodeSlot<'m, Native>> DecodeListElement<'m, Native> for T {
    fn decode_list<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Vec<T>, DecodeError> {
        match T::get_list(section, field) {
            Ok(list) => list.decode(walk),
            Err(error) => Err(error),
        }
    }
}

/// A native list read in place: `len` and `get` in O(1), and iteration.
///
/// The body has been bounds-checked as a whole. `T` is the element's type in the record (`u32`, `&str`, a record); what
/// [`get`](ListView::get) and iteration give is what an accessor of that type gives: the value, a view, or a `Result`.
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Point {
///     x: i32,
///     y: i32,
/// }
///
/// #[derive(Zap)]
/// struct Path {
///     points: Vec<Point>,
///     weights: Vec<u16>,
///     labels: Vec<String>,
/// }
///
/// let path = Path {
///     points: vec![Point { x: 1, y: 2 }, Point { x: 3, y: 4 }],
///     weights: vec![10, 20],
///     labels: vec!["start".into(), "end".into()],
/// };
/// let bytes = path.to_vec()?;
/// let view = Path::view(&bytes)?;
///
/// assert_eq!(view.points()?.get(1).unwrap().y(), 4);
/// assert_eq!(view.weights()?.iter().sum::<u16>(), 30);
/// assert_eq!(view.weights()?.as_slice()[1].get(), 20); // no copy: little-endian values where they lie
/// for label in view.labels()? {
///     assert!(label?.len() >= 3);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ListView<'m, T> {
    body: Section<'m>,
    place: &'static Place,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for ListView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ListView<'_, T> {}

impl<'m, T: Slot<Native>> ListView<'m, T> {
    /// Number of elements.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.bytes().len().checked_div(T::WIDTH).unwrap_or(0)
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.bytes().is_empty()
    }

    /// Element `index`, or `None` past the end. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T::Get<'m>> {
        if T::WIDTH == 0 {
            return None;
        }
        let element = self.body.element_checked(index.checked_mul(T::WIDTH)?, T::WIDTH)?;
        Some(T::get(element, self.element_field()))
    }

    /// The elements, front to back or back to front.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'m, T> {
        ListIter { left: Elements::of(self.body), place: self.place, element: PhantomData }
    }

    /// A list with this body.
    #[inline]
    pub(crate) const fn new(body: Section<'m>, place: &'static Place) -> Self {
        Self { body, place, element: PhantomData }
    }

    /// Pays for visiting the body.
    #[inline]
    pub(crate) fn spend<const METERED: bool>(self, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
        walk.spend(self.body.bytes().len(), self.body.position() as usize)
    }

    /// The fixed sections of the elements.
    #[inline]
    pub(crate) fn sections(self) -> impl Iterator<Item = Section<'m>> {
        self.body.elements(T::WIDTH)
    }

    /// Checks the elements and everything behind them.
    #[inline]
    fn check<const METERED: bool>(&self, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
        walk.spend(self.body.bytes().len(), self.body.position() as usize)?;
        // A copy can live in registers during the loop.
        let mut own = walk.clone();
        for element in self.sections() {
            T::check(element, self.element_field(), &mut own)?;
        }
        *walk = own;
        Ok(())
    }

    /// Whether the elements are these.
    pub(crate) fn equals(&self, items: &[T], walk: &mut Walk<'_, true>) -> bool {
        if self.len() != items.len() || !compare::pay(self.body, walk) {
            return false;
        }
        for (index, item) in items.iter().enumerate() {
            if !item.equals(self.element(index), self.element_field(), walk) {
                return false;
            }
        }
        true
    }

    /// Whether both lists have equal elements.
    pub(crate) fn same(&self, other: &ListView<'_, T>, walk: &mut Walk<'_, true>) -> bool {
        if self.len() != other.len() || !compare::pay(self.body, walk) || !compare::pay(other.body, walk) {
            return false;
        }
        for index in 0..self.len() {
            if !T::same(self.element(index), other.element(index), self.element_field(), walk) {
                return false;
            }
        }
        true
    }

    /// The fixed section of element `index`, if there is one.
    pub(crate) fn section(&self, index: usize) -> Option<Section<'m>> {
        (index < self.len()).then(|| self.element(index))
    }

    /// The fixed section of element `index`, which must exist.
    #[inline]
    pub(crate) fn element(&self, index: usize) -> Section<'m> {
        self.body.element(index.wrapping_mul(T::WIDTH), T::WIDTH)
    }

    /// The fixed sections of all elements, side by side.
    pub(crate) const fn body(&self) -> Section<'m> {
        self.body
    }

    /// The map whose entries these are, read through its layout.
    pub(crate) const fn to_dynamic_map(self, entry: &'static crate::Layout) -> crate::dynamic::DynamicMap<'m> {
        crate::dynamic::DynamicMap::new(self.body, entry, self.place)
    }

    /// The same list, read through its layout.
    pub(crate) fn to_dynamic(self, element: &'static FieldType) -> crate::dynamic::DynamicList<'m> {
        crate::dynamic::DynamicList::run(self.body, self.place, element, T::WIDTH, false)
    }

    #[inline]
    pub(crate) const fn element_field(&self) -> Field {
        Field { offset: 0, place: self.place }
    }
}

impl<'m, T: DecodeSlot<'m, Native>> ListView<'m, T> {
    /// The elements as values, within the default [`Limits`](crate::Limits).
    ///
    /// # Errors
    ///
    /// Whatever is wrong with an element, or the budget.
    pub fn to_vec(&self) -> Result<Vec<T>, DecodeError> {
        self.decode(&mut compare::walk_over(self.body.message().len()))
    }

    /// Once a level of a recursive record: what does not recurse is done elsewhere, to keep this frame small.
    fn decode<const METERED: bool>(&self, walk: &mut Walk<'m, METERED>) -> Result<Vec<T>, DecodeError> {
        if !T::NESTED {
            return self.decode_flat(walk);
        }
        let mut items = self.room(walk)?;
        for element in self.sections() {
            match T::decode_slot(element, self.element_field(), walk) {
                Ok(item) => items.push(item),
                Err(error) => return Err(error),
            }
        }
        Ok(items)
    }

    /// As [`ListView::decode`], of elements that cannot recurse: in a frame of its own, which may be large.
    #[inline(never)]
    fn decode_flat<const METERED: bool>(&self, walk: &mut Walk<'m, METERED>) -> Result<Vec<T>, DecodeError> {
        walk.spend(self.body.bytes().len(), self.body.position() as usize)?;
        if let Some(items) = T::decode_body(self.body.bytes()) {
            return Ok(items);
        }
        let mut items = Vec::with_capacity(ready::<T>(self.len(), self.body.bytes().len()));
        // A copy can live in registers during the loop.
        let mut own = walk.clone();
        for element in self.sections() {
            // Asking beforehand spares a decoded value from being kept elsewhere while the vector grows.
            if items.len() == items.capacity() {
                items.reserve(1);
            }
            items.push(T::decode_slot(element, self.element_field(), &mut own)?);
        }
        *walk = own;
        Ok(items)
    }

    /// A vector with room for the elements, which are paid for.
    #[inline]
    fn room<const METERED: bool>(&self, walk: &mut Walk<'m, METERED>) -> Result<Vec<T>, DecodeError> {
        walk.spend(self.body.bytes().len(), self.body.position() as usize)?;
        // The whole body has been received, so its element count is backed by bytes.
        Ok(Vec::with_capacity(ready::<T>(self.len(), self.body.bytes().len())))
    }
}

impl<'m, T: LittleEndian> ListView<'m, T> {
    /// The elements where they lie: a slice of little-endian values, without a copy. O(1).
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &'m [T::Wire] {
        // The body is a whole number of elements, and these types have alignment 1: the cast always succeeds.
        <[T::Wire]>::ref_from_bytes(self.body.bytes()).unwrap_or_default()
    }
}

impl<T: Slot<Native>> PartialEq for ListView<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        let len = self.body.message().len().saturating_add(other.body.message().len());
        self.same(other, &mut compare::walk_over(len))
    }
}

impl<T: Slot<Native>> PartialEq<[T]> for ListView<'_, T> {
    fn eq(&self, items: &[T]) -> bool {
        self.equals(items, &mut compare::walk_over(self.body.message().len()))
    }
}

impl<T: Slot<Native>> PartialEq<Vec<T>> for ListView<'_, T> {
    fn eq(&self, items: &Vec<T>) -> bool {
        self == items.as_slice()
    }
}

impl<T: Slot<Native>> PartialEq<ListView<'_, T>> for Vec<T> {
    fn eq(&self, list: &ListView<'_, T>) -> bool {
        list == self.as_slice()
    }
}

impl<T: Slot<Native>> fmt::Debug for ListView<'_, T> {
    /// Up to 16 elements, and of lists of lists only their length, so that hostile bytes cannot make the text long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_elements(f, self.iter(), self.len(), T::NESTED)
    }
}

/// Elements printed of a list.
const MAX_PRINTED: usize = 16;

pub(crate) fn debug_elements<I: fmt::Debug>(
    f: &mut fmt::Formatter<'_>,
    elements: impl Iterator<Item = I>,
    len: usize,
    nested: bool,
) -> fmt::Result {
    if nested {
        return write!(f, "[{len} elements]");
    }
    let mut out = f.debug_list();
    out.entries(elements.take(MAX_PRINTED).map(Capped));
    if len > MAX_PRINTED { out.finish_non_exhaustive() } else { out.finish() }
}

impl<'m, T: Slot<Native>> IntoIterator for ListView<'m, T> {
    type Item = T::Get<'m>;
    type IntoIter = ListIter<'m, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'m, T> {
        self.iter()
    }
}

impl<'m, T: Slot<Native>> IntoIterator for &ListView<'m, T> {
    type Item = T::Get<'m>;
    type IntoIter = ListIter<'m, T>;

    #[inline]
    fn into_iter(self) -> ListIter<'m, T> {
        self.iter()
    }
}

/// The iterator of a [`ListView`].
pub struct ListIter<'m, T> {
    left: Elements<'m>,
    place: &'static Place,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for ListIter<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<T: Slot<Native>> fmt::Debug for ListIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListIter").field("left", &self.len()).finish_non_exhaustive()
    }
}

impl<'m, T: Slot<Native>> ListIter<'m, T> {
    #[inline]
    fn read(&self, element: Section<'m>) -> T::Get<'m> {
        T::get(element, Field { offset: 0, place: self.place })
    }
}

impl<'m, T: Slot<Native>> Iterator for ListIter<'m, T> {
    type Item = T::Get<'m>;

    #[inline]
    fn next(&mut self) -> Option<T::Get<'m>> {
        // Cut to a constant width, so that loads from an element need no checks of their own.
        if T::WIDTH == 0 { None } else { self.left.next(T::WIDTH).map(|element| self.read(element)) }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.left.len().checked_div(T::WIDTH).unwrap_or(0);
        (left, Some(left))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T::Get<'m>> {
        self.left.next(n.min(self.len()).saturating_mul(T::WIDTH));
        self.next()
    }
}

impl<T: Slot<Native>> DoubleEndedIterator for ListIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if T::WIDTH == 0 { None } else { self.left.next_back(T::WIDTH).map(|element| self.read(element)) }
    }
}

impl<T: Slot<Native>> ExactSizeIterator for ListIter<'_, T> {}
impl<T: Slot<Native>> FusedIterator for ListIter<'_, T> {}

/// A scalar whose lists can be seen as a slice of little-endian values. Sealed.
pub trait LittleEndian: Slot<Native> + sealed::Sealed {
    /// The value on the wire: alignment 1, little-endian.
    type Wire: zerocopy::FromBytes + zerocopy::IntoBytes + zerocopy::Immutable + zerocopy::KnownLayout + 'static;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! little_endian {
    ($($scalar:ty => $wire:ty),*) => {$(
        impl sealed::Sealed for $scalar {}
        impl LittleEndian for $scalar {
            type Wire = $wire;
        }
    )*};
}

little_endian!(
    i8 => i8,
    u16 => zerocopy::little_endian::U16,
    u32 => zerocopy::little_endian::U32,
    u64 => zerocopy::little_endian::U64,
    u128 => zerocopy::little_endian::U128,
    i16 => zerocopy::little_endian::I16,
    i32 => zerocopy::little_endian::I32,
    i64 => zerocopy::little_endian::I64,
    i128 => zerocopy::little_endian::I128,
    f32 => zerocopy::little_endian::F32,
    f64 => zerocopy::little_endian::F64
);
