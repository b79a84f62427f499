//! Equality of values and views: what `PartialEq` between a record and its view, and between two views, is made of.
//!
//! A view is compared where it lies: nothing is decoded and nothing allocates. Bytes that are no value equal nothing,
//! not even themselves; floats follow their own `==`, so a NaN equals nothing either. Every list, text and pointed-to
//! record that is visited is paid for out of a budget of both messages' lengths, and views follow at most 64 levels:
//! what is beyond is unequal. So overlapping pointers cannot make a comparison expensive.
//!
//! An implementation of [`Slot::equals`](crate::Slot::equals) and [`Slot::same`](crate::Slot::same) compares what `get`
//! gives, and passes the walk on to what lies behind the slot. A map compares its length, then each entry: in order
//! where the map is sorted; where it is not, each key is searched in the message's entries, which are sorted. The keys
//! of a map differ from each other, so that equal lengths and every key found say that no other key is there.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::section::{Field, Section};
use crate::walk::Walk;
use crate::{DecodeError, FieldLayout, Limits, Zap};

/// A slot type's [`Slot::same`](crate::Slot::same), as a layout holds it: two views are compared by their layout, so that
/// a record's derived code need not say it for each field.
pub(crate) type SameSlot = fn(Section<'_>, Section<'_>, Field, &mut Walk<'_, true>) -> bool;

/// Whether two views of `R` are equal.
#[doc(hidden)]
#[must_use]
pub fn same_views<R: Zap>(left: Section<'_>, right: Section<'_>) -> bool {
    same_fields::<R>(left, right, &mut walk_over(left.message().len().saturating_add(right.message().len())))
}

/// Whether the section of a view shows this record.
#[doc(hidden)]
#[must_use]
pub fn view_equals<R: Zap>(view: Section<'_>, record: &R) -> bool {
    record.equals_fields(view, &mut walk_over(view.message().len()))
}

/// The budget of a comparison that the user did not bound otherwise.
pub(crate) fn walk_over<'m>(message_len: usize) -> Walk<'m, true> {
    Walk::new(&Limits::new(), message_len, None)
}

/// Whether two sections of `R` hold equal fields.
pub(crate) fn same_fields<R: Zap>(left: Section<'_>, right: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
    same_slots(R::FIELDS, left, right, walk)
}

/// As [`same_fields`], of sections with these fields.
#[inline(always)] // Of a record that is known, the fields' own functions are known: fewer frames for each level.
pub(crate) fn same_slots(
    fields: &'static [FieldLayout],
    left: Section<'_>,
    right: Section<'_>,
    walk: &mut Walk<'_, true>,
) -> bool {
    for field in fields {
        let slot = Field { offset: field.offset as usize, place: &field.place };
        if !(field.same)(left, right, slot, walk) {
            return false;
        }
    }
    true
}

/// Whether both were read, and are equal.
pub(crate) fn both<T: PartialEq>(left: Result<T, DecodeError>, right: Result<T, DecodeError>) -> bool {
    matches!((left, right), (Ok(left), Ok(right)) if left == right)
}

/// Pays for visiting the bytes of a section.
pub(crate) fn pay(section: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
    walk.spend(section.bytes().len(), section.position() as usize).is_ok()
}

/// Pays for visiting the text or bytes of both slots, which are as long as each other.
pub(crate) fn pay_tails(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    match (left.tail_bytes(field), right.tail_bytes(field)) {
        (Ok(left_bytes), Ok(right_bytes)) => {
            left_bytes.len() == right_bytes.len()
                && walk.spend(left_bytes.len(), left.position_of(field.offset)).is_ok()
                && walk.spend(right_bytes.len(), right.position_of(field.offset)).is_ok()
        }
        _ => false,
    }
}

/// Whether a text or bytes slot holds these bytes. Bytes that equal a text's are text.
pub(crate) fn tail_equals(expected: &[u8], section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    section.tail_bytes(field).is_ok_and(|bytes| {
        bytes.len() == expected.len()
            && walk.spend(bytes.len(), section.position_of(field.offset)).is_ok()
            && bytes == expected
    })
}
