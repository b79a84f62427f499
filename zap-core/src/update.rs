//! Records changed where they lie: the mutable view's helpers, and the one type of all its accessors.
//!
//! A slot that holds its whole value is overwritten by the same code that encodes it ([`Slot::put`]), after its bytes are
//! cleared. So a changed message is the one that encoding the changed value gives, byte for byte, padding included.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::marker::PhantomData;

use alloc::vec::Vec;
use zerocopy::FromBytes;

use crate::section::{Field, Location, Section};
use crate::sink::{Root, Run, Sink};
use crate::{DecodeError, Dialect, FixedStride, ListElement, LittleEndian, Native, RecordView, Slot, Zap, slot};

/// What every mutable view has besides its accessors. A trait, so that a field may have any name.
pub trait RecordViewMut<'m>: Sized {
    /// The record that it shows; where the record has lifetimes, they are the message's.
    type Record: Zap;

    #[doc(hidden)]
    fn from_section(section: SectionMut<'m>) -> Self;
    /// The fixed section, to read.
    #[doc(hidden)]
    fn section(&self) -> Section<'_>;

    /// The view that reads: it sees what has been set. O(1).
    fn as_view(&self) -> <Self::Record as Zap>::View<'_> {
        RecordView::from_section(self.section())
    }
}

/// A fixed section in a checked message that may be changed.
#[doc(hidden)]
pub struct SectionMut<'m> {
    input: &'m mut [u8],
    location: Location,
}

impl<'m> SectionMut<'m> {
    pub(crate) const fn new(input: &'m mut [u8], location: Location) -> Self {
        Self { input, location }
    }

    /// The same section, to read.
    #[must_use]
    pub fn as_section(&self) -> Section<'_> {
        self.location.section(self.input)
    }

    /// Field `index` of record `R`.
    pub fn slot<R: Zap, T, D>(&mut self, index: usize) -> SlotMut<'_, T, D> {
        let section = SectionMut { input: self.input, location: self.location };
        SlotMut { section, field: slot::field::<R>(index), slot: PhantomData }
    }
}

/// A field or list element that may be changed where it lies: what the accessors of mutable views give.
///
/// `T` is the type in the record. Any field can be read with [`get`](SlotMut::get). What lies in the slot as a whole,
/// scalars, fixed bytes, arrays, and options, tuples and records of nothing else, can be [`set`](SlotMut::set). Text,
/// bytes, lists and whatever else lies behind a pointer keep their length and place: they cannot be set, but what is in
/// them can be, through [`into_mut_slice`](SlotMut::into_mut_slice), [`into_element`](SlotMut::into_element) and
/// [`into_view_mut`](SlotMut::into_view_mut).
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
///     key: [u8; 4],
///     start: Point,
///     points: Vec<Point>,
///     weights: Vec<u16>,
/// }
///
/// let mut bytes = Path {
///     key: [0; 4],
///     start: Point { x: 0, y: 0 },
///     points: vec![Point { x: 1, y: 2 }, Point { x: 3, y: 4 }],
///     weights: vec![10, 20],
/// }
/// .to_vec()?;
///
/// let mut path = Path::view_mut(&mut bytes)?;
/// path.key().set(*b"abcd");
/// path.start().set(Point { x: 5, y: 6 });
/// path.start().into_view_mut()?.y().set(7);
/// if let Some(point) = path.points().into_element(1)? {
///     point.into_view_mut()?.x().set(8);
/// }
/// path.weights().into_mut_slice()?[0].set(9);
///
/// let expected = Path {
///     key: *b"abcd",
///     start: Point { x: 5, y: 7 },
///     points: vec![Point { x: 1, y: 2 }, Point { x: 8, y: 4 }],
///     weights: vec![9, 20],
/// };
/// assert_eq!(bytes, expected.to_vec()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A text cannot be set: encode a new message.
///
/// ```compile_fail
/// # use zap_core::Zap;
/// #[derive(Zap)]
/// struct Note {
///     text: String,
/// }
///
/// let mut bytes = Note { text: "a".into() }.to_vec().unwrap();
/// Note::view_mut(&mut bytes).unwrap().text().set("b".into());
/// ```
pub struct SlotMut<'m, T, D = Native> {
    section: SectionMut<'m>,
    field: Field,
    slot: PhantomData<fn() -> (T, D)>,
}

impl<'m, T: Slot<D>, D: Dialect> SlotMut<'m, T, D> {
    /// Reads the field, as the accessor of the ordinary view does.
    #[must_use]
    pub fn get(&self) -> T::Get<'_> {
        T::get(self.section.as_section(), self.field)
    }

    /// Overwrites the field. Nothing else in the message changes.
    ///
    /// In the `zip` dialect an option that is set to a zero value reads back as absent, as everywhere.
    ///
    /// # Panics
    ///
    /// Never. For a type that does not lie in its slot as a whole the call does not compile.
    ///
    /// # Cost
    ///
    /// O(1): the bytes of the slot are written.
    pub fn set(&mut self, value: T) {
        const {
            assert!(
                T::PLAIN,
                "this field cannot be set in place, since it holds text, bytes, a list or a pointer: encode a new message"
            );
        }
        let range = self.section.location.range_of(self.field.offset, T::WIDTH);
        // By construction the slot lies inside the message.
        if let Some(mut bytes) = self.section.input.get_mut(range) {
            bytes.fill(0);
            value.put(&mut InPlace(PhantomData), &mut bytes, 0);
        }
    }
}

/// A tuple or an enum that is the root of a message.
impl<'m, T: Zap<Dialect = D>, D: Dialect> RecordViewMut<'m> for SlotMut<'m, T, D> {
    type Record = T;

    fn from_section(section: SectionMut<'m>) -> Self {
        Self { section, field: Field { offset: 0, place: T::ROOT_PLACE }, slot: PhantomData }
    }
    fn section(&self) -> Section<'_> {
        self.section.as_section()
    }
}

impl<'m, T: Zap> SlotMut<'m, T, T::Dialect> {
    /// The fields of a record in this field, to change one by one.
    ///
    /// # Errors
    ///
    /// The record lies behind a pointer, which leads nowhere; or it can grow, and its writer did not know all its fields.
    pub fn into_view_mut(self) -> Result<T::ViewMut<'m>, DecodeError> {
        let section = self.section.as_section();
        let location = T::whole(T::field_section(section, self.field)?)?.location();
        Ok(RecordViewMut::from_section(SectionMut { input: self.section.input, location }))
    }
}

impl<'m, T: FixedStride> SlotMut<'m, Vec<T>, Native> {
    /// Element `index` of a list, or `None` past its end. O(1).
    ///
    /// # Errors
    ///
    /// The list does not resolve.
    pub fn into_element(self, index: usize) -> Result<Option<SlotMut<'m, T>>, DecodeError> {
        let list = <T as ListElement<Native>>::get_list(self.section.as_section(), self.field)?;
        let (field, element) = (list.element_field(), list.section(index).map(Section::location));
        Ok(element.map(|location| {
            let section = SectionMut { input: self.section.input, location };
            SlotMut { section, field, slot: PhantomData }
        }))
    }
}

impl<'m, T: FixedStride + LittleEndian> SlotMut<'m, Vec<T>, Native> {
    /// The elements of a list where they lie: a slice of little-endian values. O(1).
    ///
    /// # Errors
    ///
    /// The list does not resolve.
    pub fn into_mut_slice(self) -> Result<&'m mut [T::Wire], DecodeError> {
        let list = <T as ListElement<Native>>::get_list(self.section.as_section(), self.field)?;
        let range = list.body().location().range();
        let bytes = self.section.input.get_mut(range).unwrap_or_default();
        // The body is a whole number of elements, and these types have alignment 1: the cast always succeeds.
        Ok(<[T::Wire]>::mut_from_bytes(bytes).unwrap_or_default())
    }
}

impl<T: Slot<D>, D: Dialect> fmt::Debug for SlotMut<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// Stores a value in the slot it already has. What a value would write behind its slot is not stored.
pub(crate) struct InPlace<'s>(PhantomData<&'s mut [u8]>);

impl<'s> Sink for InPlace<'s> {
    type Section = &'s mut [u8];
    const COUNTS: bool = false;

    fn store<const N: usize>(section: &mut &'s mut [u8], offset: usize, bytes: [u8; N]) {
        Self::store_slice(section, offset, &bytes);
    }
    fn store_slice(section: &mut &'s mut [u8], offset: usize, bytes: &[u8]) {
        if let Some(slot) = section.get_mut(offset..).and_then(|rest| rest.get_mut(..bytes.len())) {
            slot.copy_from_slice(bytes);
        }
    }
    fn split(body: &mut &'s mut [u8], len: usize) -> &'s mut [u8] {
        Self::split_checked(body, len).unwrap_or_default()
    }
    fn split_checked(body: &mut &'s mut [u8], len: usize) -> Option<&'s mut [u8]> {
        body.split_off_mut(..len)
    }

    fn tail(&mut self, _: &mut &'s mut [u8], _: usize, _: &[u8]) {}
    fn run(&mut self, _: &mut &'s mut [u8], _: usize, _: Run) -> &'s mut [u8] {
        &mut []
    }
    fn pointed(&mut self, _: &mut &'s mut [u8], _: usize, _: usize, _: usize) -> &'s mut [u8] {
        &mut []
    }
    fn run_of_bytes(&mut self, _: &mut &'s mut [u8], _: usize, _: Run, _: &[u8]) {}
    fn run_of_plain<T: Slot<Native>>(&mut self, _: &mut &'s mut [u8], _: usize, _: &[T]) {}
    fn stream(&mut self, _: &mut &'s mut [u8], _: usize, _: usize) {}
    fn element(&mut self, _: &[u8]) {}
    fn element_message<R: Root>(&mut self, _: &R) {}
    fn embed<R: Root>(&mut self, _: &mut &'s mut [u8], _: usize, _: &R) {}
    fn tail_message<R: Root>(&mut self, _: &mut &'s mut [u8], _: usize, _: &R) {}

    fn descend(&mut self) -> bool {
        false
    }
    fn ascend(&mut self) {}
}
