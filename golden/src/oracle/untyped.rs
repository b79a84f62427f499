//! What the untyped readers answer, at absolute positions (wire pages 1.2 and 1.3).
//!
//! They are total: whatever is not inside the message reads as zero, null or absent, so there are no errors here. Positions
//! and sums are u64: no u32 offset, index or stride can wrap them.

use super::wire::{HEADER, Message};

/// A scalar of `width` bytes; 0 unless all of it lies inside the message.
#[must_use]
pub fn scalar(message: &Message<'_>, at: u64, width: u64) -> u64 {
    message.number(at, width).unwrap_or(0)
}

/// `len` bytes at `at`, if the message has them.
#[must_use]
pub fn inline<'m>(message: &Message<'m>, at: u64, len: u64) -> Option<&'m [u8]> {
    message.slice(at, len)
}

/// The bytes of the text or bytes slot at `slot`, and where they begin. The distance is unsigned.
#[must_use]
pub fn tail<'m>(message: &Message<'m>, slot: u64) -> Option<(u64, &'m [u8])> {
    let (distance, len) = two_words(message, slot)?;
    let start = slot + distance;
    let points_somewhere = distance != 0 && start >= HEADER;
    message.slice(start, len).filter(|_| points_somewhere).map(|bytes| (start, bytes))
}

/// The target of the object pointer at `slot`. The distance is signed, and a byte must stand there.
#[must_use]
pub fn pointer(message: &Message<'_>, slot: u64) -> Option<u64> {
    let distance = message.number(slot, 4)? as u32 as i32;
    let target = slot.checked_add_signed(i64::from(distance))?;
    (distance != 0 && target >= HEADER && target < message.size()).then_some(target)
}

/// Where the list of the slot at `slot` begins, and its count: at most one element for each byte of the message.
#[must_use]
pub fn list(message: &Message<'_>, slot: u64) -> Option<(u64, u64)> {
    let (_, count) = two_words(message, slot)?;
    let start = pointer(message, slot)?;
    (count <= message.size()).then_some((start, count))
}

/// The length-prefixed elements of a list; fewer than `count` if one does not fit.
pub fn elements<'m>(message: &Message<'m>, start: u64, count: u64) -> impl Iterator<Item = &'m [u8]> {
    let (message, mut at) = (*message, start);
    (0..count).map_while(move |_| {
        let len = message.number(at, 4)?;
        let element = message.slice(at + 4, len)?;
        at += 4 + len;
        Some(element)
    })
}

fn two_words(message: &Message<'_>, slot: u64) -> Option<(u64, u64)> {
    Some((message.number(slot, 4)?, message.number(slot + 4, 4)?))
}
