//! Whether a slot of the zip dialect holds its type's zero, which that dialect takes for "absent" (wire 1.6).
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::slot::nested_section;
use super::{DynamicRecord, DynamicSlot};
use crate::option::ZERO_BUDGET;
use crate::section::Section;
use crate::walk::Walk;
use crate::{DecodeError, FieldType, HEADER_LEN};

/// Whether an optional is absent; what it takes to tell is paid to `walk`.
pub(super) fn is_absent(slot: &DynamicSlot<'_>, walk: &mut Walk<'_, true>) -> Result<bool, DecodeError> {
    let mut own = Walk::within(ZERO_BUDGET);
    let is_absent = is_zero(slot, &mut own);
    walk.spend(ZERO_BUDGET.saturating_sub(own.left()) as usize, slot.position())?;
    Ok(is_absent)
}

fn is_zero(slot: &DynamicSlot<'_>, walk: &mut Walk<'_, true>) -> bool {
    let (section, field) = (slot.section, slot.field);
    match slot.field_type {
        FieldType::Option(value) => is_zero(&slot.with_type(value), walk),
        FieldType::Text => section.is_empty_slot(field.offset) && section.tail_text(field).is_ok(),
        FieldType::Bytes => section.is_empty_slot(field.offset) && section.tail_bytes(field).is_ok(),
        FieldType::List(_) => section.is_empty_slot(field.offset) && section.stream(field).is_ok(),
        FieldType::Record(layout) => match nested_section(section, field, layout()) {
            Ok(None) => true,
            Ok(Some(nested)) => {
                let record = DynamicRecord::new(nested, layout());
                spend_message(nested, walk).is_ok() && record.fields().all(|(_, slot)| is_zero(&slot, walk))
            }
            Err(_) => false,
        },
        _ => slot.bytes().iter().all(|byte| *byte == 0),
    }
}

/// Pays for the header and the root section of a message.
pub(super) fn spend_message(root: Section<'_>, walk: &mut Walk<'_, true>) -> Result<(), DecodeError> {
    walk.spend(root.bytes().len().saturating_add(HEADER_LEN), root.position() as usize)
}
