//! The order of map keys and of set elements: that of their Rust types, as far as the layout tells it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;

use super::{DynamicSlot, Value};
use crate::DecodeError;

/// Compares two values of one type; `None` where the layout does not tell, as for records, whose `Ord` is the user's.
pub(super) fn compare(a: &DynamicSlot<'_>, b: &DynamicSlot<'_>) -> Result<Option<Ordering>, DecodeError> {
    use Value as V;
    Ok(match (a.read()?, b.read()?) {
        (V::Bool(a), V::Bool(b)) => Some(a.cmp(&b)),
        (V::U8(a), V::U8(b)) => Some(a.cmp(&b)),
        (V::U16(a), V::U16(b)) => Some(a.cmp(&b)),
        (V::U32(a), V::U32(b)) => Some(a.cmp(&b)),
        (V::U64(a), V::U64(b)) => Some(a.cmp(&b)),
        (V::U128(a), V::U128(b)) => Some(a.cmp(&b)),
        (V::I8(a), V::I8(b)) => Some(a.cmp(&b)),
        (V::I16(a), V::I16(b)) => Some(a.cmp(&b)),
        (V::I32(a), V::I32(b)) => Some(a.cmp(&b)),
        (V::I64(a), V::I64(b)) => Some(a.cmp(&b)),
        (V::I128(a), V::I128(b)) => Some(a.cmp(&b)),
        (V::Char(a), V::Char(b)) => Some(a.cmp(&b)),
        (V::Text(a), V::Text(b)) => Some(a.cmp(b)),
        (V::Bytes(a), V::Bytes(b)) => Some(a.cmp(b)),
        (V::Duration(a), V::Duration(b)) => Some(a.cmp(&b)),
        (V::SystemTime { seconds: a, nanoseconds: low_a }, V::SystemTime { seconds: b, nanoseconds: low_b }) => {
            Some((a, low_a).cmp(&(b, low_b)))
        }
        (V::Ipv4Addr(a), V::Ipv4Addr(b)) => Some(a.cmp(&b)),
        (V::Ipv6Addr(a), V::Ipv6Addr(b)) => Some(a.cmp(&b)),
        (V::IpAddr(a), V::IpAddr(b)) => Some(a.cmp(&b)),
        (V::SocketAddr(a), V::SocketAddr(b)) => Some(a.cmp(&b)),
        (V::Uuid(a), V::Uuid(b)) => Some(a.cmp(&b)),
        (V::Enum(a), V::Enum(b)) if a.layout().other.is_none() && !a.layout().has_data => {
            Some(a.number().cmp(&b.number()))
        }
        (V::Tuple(a), V::Tuple(b)) => {
            let slots = a.fields().map(|(_, slot)| Ok(slot)).zip(b.fields().map(|(_, slot)| Ok(slot)));
            compare_all(slots)?
        }
        (V::List(a), V::List(b)) => compare_all(a.iter().zip(b.iter()))?.map(|order| order.then(a.len().cmp(&b.len()))),
        (V::Option(a), V::Option(b)) => match (a, b) {
            (Some(a), Some(b)) => compare(&a, &b)?,
            (a, b) => Some(a.is_some().cmp(&b.is_some())),
        },
        _ => None,
    })
}

type Slots<'m> = (Result<DynamicSlot<'m>, DecodeError>, Result<DynamicSlot<'m>, DecodeError>);

/// The order of the first pair that differs.
fn compare_all<'m>(pairs: impl Iterator<Item = Slots<'m>>) -> Result<Option<Ordering>, DecodeError> {
    for (a, b) in pairs {
        match compare(&a?, &b?)? {
            Some(Ordering::Equal) => {}
            order => return Ok(order),
        }
    }
    Ok(Some(Ordering::Equal))
}
