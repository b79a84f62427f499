//! Text and bytes that wait for their objects: one arena, chained per object.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use super::{narrow, reserve, widen, write};
use crate::EncodeError;

/// First and last entry of one object in the queue.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    first: usize,
    last: usize,
}

/// The text and bytes that wait for their objects to be finished.
#[derive(Default)]
pub(super) struct Queue {
    pub(super) bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Entries that no object has appended yet; at 0 the memory is used again from its start.
    pub(super) waiting: usize,
}

struct Entry {
    /// Where in the message the slot is.
    slot: usize,
    /// Where in the queue the bytes are.
    start: usize,
    len: usize,
    next: Option<usize>,
}

impl Queue {
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), EncodeError> {
        reserve(&mut self.entries, 1)?;
        reserve(&mut self.bytes, len)
    }

    pub(super) fn push(&mut self, chain: &mut Option<Chain>, slot: usize, value: &[u8]) {
        let index = self.entries.len();
        if let Some(last) = chain.and_then(|chain| self.entries.get_mut(chain.last)) {
            last.next = Some(index);
        }
        *chain = Some(Chain { first: chain.map_or(index, |chain| chain.first), last: index });
        self.entries.push(Entry { slot, start: self.bytes.len(), len: value.len(), next: None });
        self.bytes.extend_from_slice(value);
        self.waiting = self.waiting.saturating_add(1);
    }

    /// Appends what is chained to `message`, which has room for it, and fills in the slots.
    pub(super) fn append(&mut self, chain: Chain, message: &mut Vec<u8>) -> Result<(), EncodeError> {
        let mut next = Some(chain.first);
        while let Some(entry) = next.and_then(|index| self.entries.get(index)) {
            let end = entry.start.saturating_add(entry.len);
            let bytes = self.bytes.get(entry.start..end).ok_or(EncodeError::Inconsistent)?;
            let rel = narrow(widen(message.len().saturating_sub(entry.slot)))?;
            write(message, entry.slot, &rel.to_le_bytes())?;
            message.extend_from_slice(bytes);
            next = entry.next;
            self.waiting = self.waiting.saturating_sub(1);
        }
        if self.waiting == 0 {
            self.clear();
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.waiting = 0;
    }
}
