//! Lists, arrays, sets and maps, read element by element through their layout.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;
use core::fmt;
use core::iter::FusedIterator;

use super::order::compare;
use super::{DynamicRecord, DynamicSlot, shape};
use crate::section::{Field, Section};
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, DialectKind, FieldType, Layout, Place};

/// A list, array or set.
#[derive(Clone, Copy)]
pub struct DynamicList<'m> {
    section: Section<'m>,
    count: usize,
    field: Field,
    element: &'static FieldType,
    dialect: DialectKind,
    form: Form,
}

/// How the elements are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In the slot: each is part of the section that the slot is part of.
    Inline { stride: usize },
    /// In a body: each is a section of its own.
    Run { stride: usize, is_set: bool },
    /// One after the other, each with its length.
    Stream,
}

impl<'m> DynamicList<'m> {
    pub(super) fn inline(slot: &DynamicSlot<'m>, element: &'static FieldType, len: u32) -> Self {
        let DynamicSlot { section, field, dialect, .. } = *slot;
        let stride = shape(element, dialect).width;
        Self { section, count: len as usize, field, element, dialect, form: Form::Inline { stride } }
    }

    pub(crate) fn run(
        body: Section<'m>,
        place: &'static Place,
        element: &'static FieldType,
        stride: usize,
        is_set: bool,
    ) -> Self {
        let count = body.bytes().len().checked_div(stride).unwrap_or(0);
        let (field, form) = (Field { offset: 0, place }, Form::Run { stride, is_set });
        Self { section: body, count, field, element, dialect: DialectKind::Native, form }
    }

    pub(crate) fn stream(
        stream: Section<'m>,
        count: u32,
        place: &'static Place,
        element: &'static FieldType,
        dialect: DialectKind,
    ) -> Self {
        let field = Field { offset: 0, place };
        Self { section: stream, count: count as usize, field, element, dialect, form: Form::Stream }
    }

    /// Number of elements, as the list's slot states it. O(1).
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The wire type of the elements.
    #[must_use]
    pub const fn element_type(&self) -> &'static FieldType {
        self.element
    }

    /// Whether it is an array, whose length its type says.
    #[must_use]
    pub const fn is_array(&self) -> bool {
        matches!(self.form, Form::Inline { .. })
    }

    /// The elements from the first on. An error ends the iteration.
    #[must_use]
    pub const fn iter(&self) -> DynamicListIter<'m> {
        DynamicListIter { list: *self, next: 0, stream: self.section, keys: Keys::new() }
    }

    pub(crate) const fn message_len(&self) -> usize {
        self.section.message().len()
    }

    /// Where the first element, or its length, is.
    pub(crate) fn position(&self) -> usize {
        self.section.position_of(self.field.offset)
    }

    /// Bytes from one element to the next, if they are numbers side by side.
    pub(crate) const fn scalar_stride(&self) -> Option<usize> {
        use FieldType as T;
        let is_scalar = matches!(
            self.element,
            T::Bool
                | T::U8
                | T::U16
                | T::U32
                | T::U64
                | T::U128
                | T::I8
                | T::I16
                | T::I32
                | T::I64
                | T::I128
                | T::F32
                | T::F64
        );
        match self.form {
            Form::Inline { stride } | Form::Run { stride, is_set: false } if is_scalar => Some(stride),
            _ => None,
        }
    }
}

impl fmt::Debug for DynamicList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} elements of {}]", self.count, self.element)
    }
}

impl<'m> IntoIterator for DynamicList<'m> {
    type Item = Result<DynamicSlot<'m>, DecodeError>;
    type IntoIter = DynamicListIter<'m>;

    fn into_iter(self) -> DynamicListIter<'m> {
        self.iter()
    }
}

/// The iterator of a [`DynamicList`].
#[derive(Clone)]
pub struct DynamicListIter<'m> {
    list: DynamicList<'m>,
    next: usize,
    /// What is left of a stream.
    stream: Section<'m>,
    /// The last two elements, if the elements must ascend.
    keys: Keys<'m>,
}

impl<'m> DynamicListIter<'m> {
    /// The next element, whose length word is paid for. For callers that read and pay for every element of a set.
    pub(crate) fn next_within(&mut self, walk: &mut Walk<'_, true>) -> Option<Result<DynamicSlot<'m>, DecodeError>> {
        let order = self.keys.check(&mut super::unlimited());
        self.next_after(order, walk)
    }

    /// As [`DynamicListIter::next_within`], where the elements of a set have not been paid for: to compare them is.
    pub(crate) fn next_paid(&mut self, walk: &mut Walk<'_, true>) -> Option<Result<DynamicSlot<'m>, DecodeError>> {
        let order = self.keys.check(walk);
        self.next_after(order, walk)
    }

    /// What is wrong inside an element comes before what is wrong with its order, as in the typed layer.
    fn next_after(
        &mut self,
        order: Result<(), DecodeError>,
        walk: &mut Walk<'_, true>,
    ) -> Option<Result<DynamicSlot<'m>, DecodeError>> {
        if self.next >= self.list.count {
            return order.err().map(Err);
        }
        let slot = order.and_then(|()| self.element(self.next, walk));
        self.next = if slot.is_ok() { self.next.saturating_add(1) } else { self.list.count };
        Some(slot)
    }

    fn element(&mut self, index: usize, walk: &mut Walk<'_, true>) -> Result<DynamicSlot<'m>, DecodeError> {
        let DynamicList { section, field, element, dialect, form, .. } = self.list;
        match form {
            Form::Inline { stride } => {
                let offset = field.offset.saturating_add(index.saturating_mul(stride));
                Ok(DynamicSlot::new(section, Field { offset, ..field }, element, dialect))
            }
            Form::Run { stride, is_set } => {
                let part = section.element(index.saturating_mul(stride), stride);
                let slot = DynamicSlot::new(part, Field { offset: 0, ..field }, element, dialect);
                if is_set {
                    self.keys.push(slot);
                }
                Ok(slot)
            }
            Form::Stream => {
                let entry = self.stream.next_element(field.place)?;
                walk.spend(4, entry.position() as usize).map_err(|error| error.at(field.place))?;
                Ok(DynamicSlot::element(entry, field.place, element, dialect))
            }
        }
    }
}

/// The last two elements of a set or keys of a map, which must ascend.
#[derive(Clone, Copy)]
struct Keys<'m> {
    before: Option<DynamicSlot<'m>>,
    last: Option<DynamicSlot<'m>>,
}

impl<'m> Keys<'m> {
    const fn new() -> Self {
        Self { before: None, last: None }
    }

    const fn push(&mut self, key: DynamicSlot<'m>) {
        self.before = self.last.replace(key);
    }

    /// Refuses the last key if it does not come after the one before it; only once.
    fn check(&mut self, walk: &mut Walk<'_, true>) -> Result<(), DecodeError> {
        let (Some(before), Some(last)) = (self.before.take(), self.last) else {
            return Ok(());
        };
        match compare(&before, &last, walk)? {
            Some(Ordering::Less) | None => Ok(()),
            Some(_) => Err(last.section.error(DecodeErrorKind::KeyOrder, last.field)),
        }
    }
}

impl fmt::Debug for DynamicListIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicListIter").field("list", &self.list).field("next", &self.next).finish_non_exhaustive()
    }
}

impl<'m> Iterator for DynamicListIter<'m> {
    type Item = Result<DynamicSlot<'m>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_within(&mut super::unlimited())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.count.saturating_sub(self.next);
        // One error can end the iteration early.
        (usize::from(left > 0), Some(left))
    }
}

impl FusedIterator for DynamicListIter<'_> {}

/// A map.
#[derive(Clone, Copy)]
pub struct DynamicMap<'m> {
    body: Section<'m>,
    entry: &'static Layout,
    place: &'static Place,
}

impl<'m> DynamicMap<'m> {
    pub(crate) const fn new(body: Section<'m>, entry: &'static Layout, place: &'static Place) -> Self {
        Self { body, entry, place }
    }

    /// Number of entries. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.bytes().len().checked_div(self.entry.size as usize).unwrap_or(0)
    }

    /// Whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.body.bytes().is_empty()
    }

    /// The layout of an entry: the fields `key` and `value`.
    #[must_use]
    pub const fn entry_layout(&self) -> &'static Layout {
        self.entry
    }

    /// The keys and values in the order of the keys. An error ends the iteration.
    #[must_use]
    pub const fn iter(&self) -> DynamicMapIter<'m> {
        DynamicMapIter { map: *self, next: 0, keys: Keys::new() }
    }

    /// The entries' bytes.
    pub(crate) const fn body(&self) -> Section<'m> {
        self.body
    }
}

impl fmt::Debug for DynamicMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} entries}}", self.len())
    }
}

impl<'m> IntoIterator for DynamicMap<'m> {
    type Item = Result<(DynamicSlot<'m>, DynamicSlot<'m>), DecodeError>;
    type IntoIter = DynamicMapIter<'m>;

    fn into_iter(self) -> DynamicMapIter<'m> {
        self.iter()
    }
}

/// The iterator of a [`DynamicMap`].
#[derive(Clone)]
pub struct DynamicMapIter<'m> {
    map: DynamicMap<'m>,
    next: usize,
    keys: Keys<'m>,
}

impl<'m> DynamicMapIter<'m> {
    /// The next entry, where the keys have not been paid for: to compare them is.
    pub(crate) fn next_paid(&mut self, walk: &mut Walk<'_, true>) -> Option<<Self as Iterator>::Item> {
        let order = self.keys.check(walk);
        if self.next >= self.map.len() {
            return order.err().map(Err);
        }
        let entry = order.map(|()| self.entry());
        self.next = if entry.is_ok() { self.next.saturating_add(1) } else { usize::MAX };
        Some(entry)
    }

    fn entry(&mut self) -> (DynamicSlot<'m>, DynamicSlot<'m>) {
        let DynamicMap { body, entry, place } = self.map;
        let stride = entry.size as usize;
        let part = body.element(self.next.saturating_mul(stride), stride);
        let nothing = DynamicSlot::new(part, Field { offset: 0, place }, &FieldType::Nothing, entry.dialect);
        let record = DynamicRecord::new(part, entry).at(place);
        let key = record.slot(0).unwrap_or(nothing);
        self.keys.push(key);
        (key, record.slot(1).unwrap_or(nothing))
    }
}

impl fmt::Debug for DynamicMapIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicMapIter").field("map", &self.map).field("next", &self.next).finish_non_exhaustive()
    }
}

impl<'m> Iterator for DynamicMapIter<'m> {
    type Item = Result<(DynamicSlot<'m>, DynamicSlot<'m>), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_paid(&mut super::unlimited())
    }
}

impl FusedIterator for DynamicMapIter<'_> {}
