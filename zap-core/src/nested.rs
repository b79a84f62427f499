//! How a record, as opposed to a scalar or a list, sits in a slot. The derive forwards to these.

use crate::dialect::required;
use crate::pin::Parts;
use crate::record::Decode;
use crate::section::{Field, Section};
use crate::slot::Missing;
use crate::walk::Walk;
use crate::{DecodeError, Dialect, DialectKind, HEADER_LEN, RecordView, Zap, compare};

/// Bytes of a record's slot.
#[must_use]
pub const fn width<R: Zap>() -> usize {
    match R::Dialect::RECORD {
        Some((width, _)) => width,
        None => R::LAYOUT.size as usize,
    }
}

/// Alignment of a record's slot.
#[must_use]
pub const fn align<R: Zap>() -> usize {
    match R::Dialect::RECORD {
        Some((_, align)) => align,
        None => R::LAYOUT.align as usize,
    }
}

/// Whether a record lies in its slot, not behind it.
#[must_use]
pub const fn inline<R: Zap>() -> bool {
    R::Dialect::RECORD.is_none()
}

/// Whether a record's slot says everything: it is inline, and so are all its fields.
#[must_use]
pub const fn plain<R: Zap>() -> bool {
    let mut plain = inline::<R>();
    let mut index = 0;
    while index < R::FIELDS.len() {
        plain &= R::FIELDS[index].plain;
        index += 1;
    }
    plain
}

/// What is known of reading a record whose fields are all zero.
#[must_use]
pub const fn missing<R: Zap>() -> Missing {
    let mut fields = R::FIELDS;
    while let [field, rest @ ..] = fields {
        if !matches!(field.missing, Missing::Zeros) {
            return Missing::Refused;
        }
        fields = rest;
    }
    Missing::Zeros
}

/// Whether any bytes in a record's slot are a value.
#[must_use]
pub const fn infallible<R: Zap>() -> bool {
    let mut infallible = inline::<R>();
    let mut index = 0;
    while index < R::FIELDS.len() {
        infallible &= R::FIELDS[index].infallible;
        index += 1;
    }
    infallible
}

/// Text and bytes slots up to which a record without lists cannot cost more than the default budget: each of them
/// may cover the whole message.
pub(crate) const MAX_UNMETERED: u32 = 8;

/// Text, bytes and list slots in a record's slot.
#[must_use]
pub const fn tails<R: Zap>() -> u32 {
    if !inline::<R>() {
        return 1;
    }
    let mut tails = 0_u32;
    let mut index = 0;
    while index < R::FIELDS.len() {
        tails = tails.saturating_add(R::FIELDS[index].tails);
        index += 1;
    }
    tails
}

/// Whether a deep read needs a budget: lists or pointed-to records lie behind a record's slot, or many texts.
#[must_use]
pub const fn nested<R: Zap>() -> bool {
    let mut nested = !inline::<R>() || tails::<R>() > MAX_UNMETERED;
    let mut index = 0;
    while index < R::FIELDS.len() {
        nested |= R::FIELDS[index].nested;
        index += 1;
    }
    nested
}

/// What is wrong with a record as a field.
#[must_use]
pub const fn fault<R: Zap>() -> &'static str {
    match (R::Dialect::KIND, R::LAYOUT.size) {
        (DialectKind::Zapgen, 0) => {
            "a zapgen record without fields cannot be nested: at a message's end, its pointer would read as null"
        }
        _ => "",
    }
}

/// What a pin spells of a record as a field.
#[must_use]
pub const fn parts<R: Zap>() -> Parts {
    Parts::Section(R::LAYOUT, R::PARTS_OF_FIELDS)
}

/// Checks a nested record.
///
/// # Errors
///
/// Whatever is wrong with it.
#[inline(always)]
pub fn check<R: Zap, const METERED: bool>(
    section: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    match open::<R, METERED>(section, field, walk) {
        Ok(nested) => R::check_fields(nested, walk),
        Err(error) => Err(error),
    }
}

/// Whether a nested record is absent or all zero. What is wrong with it shows when it is read.
#[must_use]
pub fn is_zero<R: Zap>(section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    match R::Dialect::nested_section::<R>(section, field) {
        Ok(None) => true,
        Ok(Some(nested)) => spend_message(nested, walk).is_ok() && R::fields_are_zero(nested, walk),
        Err(_) => false,
    }
}

/// Whether a nested record is this one.
#[must_use]
pub fn equals<R: Zap>(record: &R, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    open::<R, true>(section, field, walk).is_ok_and(|nested| record.equals_fields(nested, walk))
}

/// Whether two nested records are equal.
#[must_use]
pub fn same<R: Zap>(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    match (open::<R, true>(left, field, walk), open::<R, true>(right, field, walk)) {
        (Ok(left), Ok(right)) => compare::same_fields::<R>(left, right, walk),
        _ => false,
    }
}

/// The section of a nested record, paid for where it is not inline.
#[inline]
fn open<'m, R: Zap, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<Section<'m>, DecodeError> {
    let nested = required::<R>(section, field)?;
    if !inline::<R>() {
        walk.spend(nested.bytes().len(), nested.position() as usize)?;
    }
    Ok(nested)
}

/// Decodes a nested record.
///
/// # Errors
///
/// Whatever is wrong with it.
#[inline]
pub fn decode<'m, R: Decode<'m>, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'m, METERED>,
) -> Result<R, DecodeError> {
    match open::<R, METERED>(section, field, walk) {
        Ok(nested) => R::decode_root(nested, walk),
        Err(error) => Err(error),
    }
}

/// Opens a list element that is a complete message.
fn open_element<'m, R: Zap>(entry: Section<'m>) -> Result<Section<'m>, DecodeError> {
    entry.embedded(R::LAYOUT.size as usize)
}

/// Pays for the header and the root section of a message.
fn spend_message<const METERED: bool>(root: Section<'_>, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
    walk.spend(root.bytes().len().saturating_add(HEADER_LEN), root.position() as usize)
}

/// Views a list element that is a complete message.
///
/// # Errors
///
/// Its header or root section is wrong.
pub fn view_element<'m, R: Zap>(entry: Section<'m>) -> Result<R::View<'m>, DecodeError> {
    open_element::<R>(entry).map(RecordView::from_section)
}

/// Checks a list element that is a complete message.
///
/// # Errors
///
/// Whatever is wrong with it.
pub fn check_element<R: Zap, const METERED: bool>(
    entry: Section<'_>,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    let element = open_element::<R>(entry)?;
    spend_message(element, walk)?;
    R::check_fields(element, walk)
}

/// Whether a list element that is a complete message holds this record.
#[must_use]
pub fn equals_element<R: Zap>(record: &R, entry: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
    open_element::<R>(entry)
        .is_ok_and(|element| spend_message(element, walk).is_ok() && record.equals_fields(element, walk))
}

/// Whether two list elements that are complete messages hold equal records.
#[must_use]
pub fn same_element<R: Zap>(left: Section<'_>, right: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
    match (open_element::<R>(left), open_element::<R>(right)) {
        (Ok(left), Ok(right)) => {
            let is_paid = spend_message(left, walk).and_then(|()| spend_message(right, walk)).is_ok();
            is_paid && compare::same_fields::<R>(left, right, walk)
        }
        _ => false,
    }
}

/// Decodes a list element that is a complete message.
///
/// # Errors
///
/// Whatever is wrong with it.
pub fn decode_element<'m, R: Decode<'m>, const METERED: bool>(
    entry: Section<'m>,
    walk: &mut Walk<'m, METERED>,
) -> Result<R, DecodeError> {
    let element = open_element::<R>(entry)?;
    spend_message(element, walk)?;
    R::decode_root(element, walk)
}
