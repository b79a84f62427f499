//! Bounds-checked loads: the only place where the untyped readers read at an offset or add offsets.
//!
//! Positions in a message are `u32`, because a message is at most `u32::MAX` bytes. `usize` may have 32 bits, so every
//! sum is checked, and a sum that does not exist lies outside the message. `None` always means "not inside".

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::HEADER_LEN;

const _: () = assert!(size_of::<usize>() >= size_of::<u32>(), "positions are u32 and become indexes");

/// The `N` bytes at `at`.
#[inline]
pub(crate) fn array<const N: usize>(message: &[u8], at: usize) -> Option<[u8; N]> {
    message.get(at..)?.first_chunk::<N>().copied()
}

/// The `len` bytes at `at`.
#[inline]
pub(crate) fn slice(message: &[u8], at: usize, len: usize) -> Option<&[u8]> {
    message.get(at..)?.get(..len)
}

/// The `N` bytes of the field at `offset` of the object at `base`.
#[inline]
pub(crate) fn field<const N: usize>(message: &[u8], base: u32, offset: usize) -> Option<[u8; N]> {
    array(message, add(base, offset)?)
}

/// The `len` bytes inline at `offset` of the object at `base`.
#[inline]
pub(crate) fn inline(message: &[u8], base: u32, offset: usize, len: usize) -> Option<&[u8]> {
    slice(message, add(base, offset)?, len)
}

/// What the text or bytes slot at `offset` of the object at `base` points at, and where that begins (wire 1.2).
#[inline]
pub(crate) fn tail(message: &[u8], base: u32, offset: usize) -> Option<(u32, &[u8])> {
    let slot = add(base, offset)?;
    let (rel, len) = words(array(message, slot)?);
    if rel == 0 {
        return None;
    }
    let target = u64::try_from(slot).ok()?.checked_add(u64::from(rel))?;
    let target = outside_header(u32::try_from(target).ok()?)?;
    Some((target, slice(message, target as usize, len as usize)?))
}

/// The target of the object pointer at `offset` of the object at `base` (wire 1.2).
#[inline]
pub(crate) fn pointer(message: &[u8], base: u32, offset: usize) -> Option<u32> {
    let slot = add(base, offset)?;
    follow(message, slot, u32::from_le_bytes(array(message, slot)?))
}

/// The start and count of the list slot at `offset` of the object at `base` (wire 1.2).
#[inline]
pub(crate) fn list(message: &[u8], base: u32, offset: usize) -> Option<(u32, u32)> {
    let slot = add(base, offset)?;
    let (rel, count) = words(array(message, slot)?);
    if count as usize > message.len() {
        return None;
    }
    Some((follow(message, slot, rel)?, count))
}

/// The packed list element `index`, `N` bytes wide.
#[inline]
pub(crate) fn element<const N: usize>(message: &[u8], start: u32, index: usize) -> Option<[u8; N]> {
    array(message, add(start, index.checked_mul(N)?)?)
}

/// Where record `index` of a fixed-stride list begins. A sum past `u32::MAX` becomes `u32::MAX`, which no message
/// reaches: the record exists and every field of it reads as its default, as for any record past the end.
#[inline]
pub(crate) fn record(start: u32, index: usize, stride: usize) -> u32 {
    let at = index.checked_mul(stride).and_then(|distance| add(start, distance));
    at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
}

/// The variable element whose length word is at `at`, and where the next one begins (wire 1.3).
#[inline]
pub(crate) fn prefixed(message: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let len = u32::from_le_bytes(array(message, at)?) as usize;
    let body = at.checked_add(size_of::<u32>())?;
    Some((slice(message, body, len)?, body.checked_add(len)?))
}

#[inline]
fn add(base: u32, offset: usize) -> Option<usize> {
    (base as usize).checked_add(offset)
}

/// The two words of an 8-byte slot.
#[inline]
fn words([r0, r1, r2, r3, l0, l1, l2, l3]: [u8; 8]) -> (u32, u32) {
    (u32::from_le_bytes([r0, r1, r2, r3]), u32::from_le_bytes([l0, l1, l2, l3]))
}

/// Follows the signed distance `rel`, read from `slot`, to a byte that exists.
#[inline]
fn follow(message: &[u8], slot: usize, rel: u32) -> Option<u32> {
    if rel == 0 {
        return None;
    }
    let target = i64::try_from(slot).ok()?.checked_add(i64::from(rel.cast_signed()))?;
    let target = outside_header(u32::try_from(target).ok()?)?;
    ((target as usize) < message.len()).then_some(target)
}

#[inline]
fn outside_header(target: u32) -> Option<u32> {
    (target as usize >= HEADER_LEN).then_some(target)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_do_not_exist_are_outside() {
        let message = [0xff; 40];
        assert_eq!(field::<1>(&message, u32::MAX, usize::MAX), None);
        assert_eq!(field::<8>(&message, 33, 0), None);
        assert_eq!(field::<8>(&message, 32, 0), Some([0xff; 8]));
        assert_eq!(inline(&message, 16, 24, 0), Some(&[][..]));
        assert_eq!(inline(&message, 16, 25, 0), None);
        assert_eq!(inline(&message, 16, 1, usize::MAX), None);
        assert_eq!(element::<8>(&message, 16, usize::MAX), None);
        assert_eq!(prefixed(&message, usize::MAX), None);
        assert_eq!(prefixed(&message, 16), None);
        assert_eq!(record(u32::MAX, 1, 1), u32::MAX);
        assert_eq!(record(16, usize::MAX, usize::MAX), u32::MAX);
        assert_eq!(record(16, 2, 12), 40);
    }

    #[test]
    fn an_unsigned_distance_never_leads_backward() {
        let mut message = [0; 40];
        message[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(tail(&message, 24, 0), None);
        assert_eq!(pointer(&message, 24, 0), Some(23));
    }
}
