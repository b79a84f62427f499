//! `#[zap(growable)]` records: a section that begins with its own length, so that fields can be appended.
//!
//! The hidden `u32` is the unrounded end of the last field that the writer knew. A [`Section`] of such a record is as
//! long as that says, whatever the layout does; a field that ends beyond it is missing.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::layout::SlotShape;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::slot::{Missing, field};
use crate::walk::Walk;
use crate::{Decode, DecodeError, DecodeErrorKind, Native, RecordView, Slot, Zap, compare};

/// Bytes of the hidden length.
const LENGTH: usize = size_of::<u32>();

/// The type of a field of a growable record: where the writer did not know the field, it is decoded as its default.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a field of a growable record needs a default, which messages of older writers are read as: `{Self}` has none",
    label = "implement `Default` for the field's type, or make it an `Option`"
)]
pub trait GrowableField: Sized {
    /// What a missing field is decoded as.
    fn missing() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> GrowableField for T {
    #[inline]
    fn missing() -> Self {
        Self::default()
    }
}

/// Refuses, where the derive calls it, a field that no view could read where it is missing.
#[track_caller]
pub const fn check_missing(missing: Missing) {
    assert!(
        !matches!(missing, Missing::Refused),
        "a field of a growable record may be missing, which a box, an enum with data, and what holds one of them or any enum or growable record inline cannot be: make it an `Option`"
    );
}

/// The end of the last field.
const fn end<R: Zap>() -> u32 {
    match R::FIELDS.last() {
        Some(field) => field.end(),
        None => LENGTH as u32,
    }
}

/// The section as long as its length says, given at least the length; it ends in no field.
fn grown<R: Zap>(section: Section<'_>) -> Result<Section<'_>, DecodeError> {
    let error = |kind| DecodeError::new(kind, section.position() as usize).at(R::ROOT_PLACE);
    let len = u32::from_le_bytes(section.load(0));
    let is_inside_a_field = || R::FIELDS.iter().any(|field| field.offset < len && len < field.end());
    if (len as usize) < LENGTH || (len < end::<R>() && is_inside_a_field()) {
        return Err(error(DecodeErrorKind::InvalidLength));
    }
    section.resized(len as usize).ok_or_else(|| error(DecodeErrorKind::SectionOutOfBounds))
}

/// Opens the root of a message.
///
/// # Errors
///
/// The header, the root or its length is wrong.
pub fn open<R: Zap>(bytes: &[u8]) -> Result<Section<'_>, DecodeError> {
    grown::<R>(Section::open(bytes, LENGTH, R::ROOT_PLACE)?)
}

/// Opens the root of a message that has been opened before.
#[must_use]
pub fn reopen<R: Zap>(bytes: &[u8], root: u32, depth: u8) -> Section<'_> {
    let section = Section::reopen(bytes, root, LENGTH, depth);
    grown::<R>(section).unwrap_or(section)
}

/// The section behind the pointer; `None` for null.
fn section_of<R: Zap>(section: Section<'_>, field: Field) -> Result<Option<Section<'_>>, DecodeError> {
    section.pointed_section(LENGTH, field)?.map(grown::<R>).transpose()
}

/// The section if its writer knew all fields: those that are missing cannot be changed.
///
/// # Errors
///
/// A field is missing.
pub fn whole<R: Zap>(section: Section<'_>) -> Result<Section<'_>, DecodeError> {
    if section.bytes().len() < end::<R>() as usize {
        return Err(DecodeError::new(DecodeErrorKind::InvalidLength, section.position() as usize).at(R::ROOT_PLACE));
    }
    Ok(section)
}

/// The section behind the pointer, which may not be null.
///
/// # Errors
///
/// The pointer is null or wrong, or the length is.
pub fn required<R: Zap>(section: Section<'_>, field: Field) -> Result<Section<'_>, DecodeError> {
    section_of::<R>(section, field)?.ok_or_else(|| section.error(DecodeErrorKind::NullPointer, field))
}

/// As [`required`], paid for.
fn walk<'m, R: Zap, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<Section<'m>, DecodeError> {
    let section = required::<R>(section, field)?;
    walk.spend(section.bytes().len(), section.position() as usize)?;
    Ok(section)
}

/// The view of the record behind the pointer.
///
/// # Errors
///
/// The pointer is null or wrong, or the length is.
pub fn view<'m, R: Zap>(section: Section<'m>, field: Field) -> Result<R::View<'m>, DecodeError> {
    required::<R>(section, field).map(RecordView::from_section)
}

/// The view of a record that is missing itself: so are all its fields.
#[must_use]
pub fn missing<'m, R: Zap>(section: Section<'m>) -> R::View<'m> {
    RecordView::from_section(section.part(0, 0))
}

/// Checks the record behind the pointer.
///
/// # Errors
///
/// Whatever is wrong with it, or the budget.
pub fn check<R: Zap, const METERED: bool>(
    section: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    R::check_fields(self::walk::<R, METERED>(section, field, walk)?, walk)
}

/// Decodes the record behind the pointer.
///
/// # Errors
///
/// Whatever is wrong with it, or the budget.
pub fn decode<'m, R: Decode<'m>, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'m, METERED>,
) -> Result<R, DecodeError> {
    R::decode_root(self::walk::<R, METERED>(section, field, walk)?, walk)
}

/// Counts or writes the pointer and the record behind it.
pub fn put<R: Zap, S: Sink>(record: &R, sink: &mut S, section: &mut S::Section, offset: usize) {
    if sink.descend() {
        let mut target = sink.pointed(section, offset, R::LAYOUT.size as usize, R::LAYOUT.align as usize);
        record.put_fields(sink, &mut target, 0);
        sink.ascend();
    }
}

/// Counts or writes the hidden length.
#[inline]
pub fn put_length<R: Zap, S: Sink>(section: &mut S::Section, base: usize) {
    S::store(section, base, end::<R>().to_le_bytes());
}

/// Whether the writer knew field `index`.
#[inline]
#[must_use]
pub fn has<R: Zap>(section: Section<'_>, index: usize) -> bool {
    R::FIELDS.get(index).is_some_and(|field| field.end() as usize <= section.bytes().len())
}

/// Reads field `index` in place, or what stands for it where it is missing.
#[inline]
pub fn get_field<R: Zap, T: Slot<Native> + GrowableField>(section: Section<'_>, index: usize) -> T::Get<'_> {
    if has::<R>(section, index) {
        T::get_field::<R>(section, index)
    } else {
        T::get_missing(section, field::<R>(index), T::missing)
    }
}

/// Whether field `index` holds this value. A missing one holds what it reads as.
pub fn equals_field<R: Zap, T: Slot<Native> + GrowableField>(
    value: &T,
    section: Section<'_>,
    index: usize,
    walk: &mut Walk<'_, true>,
) -> bool {
    if has::<R>(section, index) {
        value.equals_field::<R>(section, index, walk)
    } else {
        value.equals_missing(section, field::<R>(index), T::missing)
    }
}

/// Whether the record behind the pointer is this one.
pub fn equals<R: Zap>(record: &R, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    self::walk::<R, true>(section, field, walk).is_ok_and(|section| record.equals_fields(section, walk))
}

/// The shape of a field that may be missing: how two views of it are compared knows of that.
#[must_use]
pub const fn shape<T: Slot<Native> + GrowableField>() -> SlotShape {
    SlotShape { same: same_field::<T>, ..T::SHAPE }
}

/// Whether a field of two records is equal. A missing one is what it reads as.
fn same_field<T: Slot<Native> + GrowableField>(
    left: Section<'_>,
    right: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, true>,
) -> bool {
    let has = |section: Section<'_>| field.offset.saturating_add(T::WIDTH) <= section.bytes().len();
    match (T::MISSING, has(left), has(right)) {
        // Behind the end of a section are zeros.
        (Missing::Zeros, ..) | (_, true, true) => T::same(left, right, field, walk),
        (_, false, false) => true,
        (_, true, false) => T::missing().equals(left, field, walk),
        (_, false, true) => T::missing().equals(right, field, walk),
    }
}

/// Whether the records behind both pointers are equal.
pub fn same<R: Zap>(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    match (self::walk::<R, true>(left, field, walk), self::walk::<R, true>(right, field, walk)) {
        (Ok(left), Ok(right)) => compare::same_fields::<R>(left, right, walk),
        _ => false,
    }
}

/// Whether this is a record all of whose fields are what missing ones read as.
#[must_use]
pub fn equals_missing<R: Zap>(record: &R, section: Section<'_>) -> bool {
    record.equals_fields(section.part(0, 0), &mut Walk::within(0))
}

/// Checks field `index`. Missing, it is what zeros read as, which may be wrong in turn.
///
/// # Errors
///
/// The first thing that an accessor would refuse, or the budget.
#[inline]
pub fn check_field<R: Zap, T: Slot<Native>, const METERED: bool>(
    section: Section<'_>,
    index: usize,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    if has::<R>(section, index) || T::MISSING == Missing::Zeros {
        T::check_field::<R, METERED>(section, index, walk)
    } else {
        Ok(())
    }
}
