//! The order of map keys and set elements on their way into a message (NATIVE "Sections").
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;

use super::item::Item;
use crate::FieldType;

/// Compares two values; `None` where only their Rust type tells: such keys stay as the text has them.
pub(super) fn compare(field_type: &FieldType, a: &Item<'_>, b: &Item<'_>) -> Option<Ordering> {
    match (a, b) {
        (Item::Tail(a), Item::Tail(b)) => Some(a.cmp(b)),
        (Item::Inline(a), Item::Inline(b)) => Some(a.cmp(b)),
        (Item::Fixed(a, _), Item::Fixed(b, _)) => compare_fixed(field_type, *a, *b),
        (Item::Pointer(a), Item::Pointer(b)) => match field_type {
            FieldType::Pointer(value) => compare(value, a, b),
            _ => None,
        },
        (Item::Option(a), Item::Option(b)) => match (field_type, a, b) {
            (FieldType::Option(value), Some(a), Some(b)) => compare(value, a, b),
            _ => Some(a.is_some().cmp(&b.is_some())),
        },
        (Item::Items(a), Item::Items(b)) => compare_all(field_type, a, b),
        _ => None,
    }
}

fn compare_all(field_type: &FieldType, a: &[Item<'_>], b: &[Item<'_>]) -> Option<Ordering> {
    let pairs = a.iter().zip(b);
    let order = match field_type {
        FieldType::List(element) | FieldType::Set(element) | FieldType::Array { element, .. } => {
            first_difference(pairs.map(|(a, b)| compare(element, a, b)))
        }
        FieldType::Tuple(layout) => {
            let fields = layout().fields.iter();
            first_difference(pairs.zip(fields).map(|((a, b), field)| compare(&field.field_type, a, b)))
        }
        _ => None,
    };
    order.map(|order| order.then(a.len().cmp(&b.len())))
}

fn first_difference(orders: impl Iterator<Item = Option<Ordering>>) -> Option<Ordering> {
    let mut orders = orders.filter(|order| *order != Some(Ordering::Equal));
    orders.next().unwrap_or(Some(Ordering::Equal))
}

fn compare_fixed(field_type: &FieldType, a: [u8; 20], b: [u8; 20]) -> Option<Ordering> {
    let [word_a, word_b] = [a, b].map(|bytes| bytes.first_chunk().map_or(0, |word| u128::from_le_bytes(*word)));
    // Narrower integers have zeros above them: shifted to the top, their sign bit is the word's.
    let signed = |bits: u32| Some(((word_a << bits) as i128).cmp(&((word_b << bits) as i128)));
    match field_type {
        FieldType::Bool | FieldType::U8 | FieldType::U16 | FieldType::U32 | FieldType::U64 | FieldType::U128 => {
            Some(word_a.cmp(&word_b))
        }
        FieldType::Char => Some(word_a.cmp(&word_b)),
        FieldType::I8 => signed(120),
        FieldType::I16 => signed(112),
        FieldType::I32 => signed(96),
        FieldType::I64 => signed(64),
        FieldType::I128 => signed(0),
        FieldType::NonZero(integer) => compare_fixed(integer, a, b),
        FieldType::Duration => Some((word_a as u64, word_a >> 64).cmp(&(word_b as u64, word_b >> 64))),
        FieldType::SystemTime => Some((word_a as i64, word_a >> 64).cmp(&(word_b as i64, word_b >> 64))),
        FieldType::Ipv4Addr | FieldType::Ipv6Addr | FieldType::IpAddr | FieldType::Uuid => Some(a.cmp(&b)),
        FieldType::Enum(layout) if layout().other.is_none() => Some(word_a.cmp(&word_b)),
        FieldType::SocketAddr => {
            let parts = |[address @ .., _, low, high]: [u8; 20]| (address, u16::from_le_bytes([low, high]));
            Some(parts(a).cmp(&parts(b)))
        }
        _ => None,
    }
}
