//! What a connection still has to send: bytes appended to one buffer, and large bodies that are sent from where they are.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::VecDeque;
use std::io::IoSlice;

use bytes::Bytes;

/// Sent bytes at the front of the buffer that are worth moving the rest over them.
const COMPACT_LEN: usize = 64 << 10;
/// A buffer larger than this is not kept once it is empty.
pub(crate) const KEEP_LEN: usize = 64 << 10;

/// Bytes waiting to be sent, in order.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Appended to; `sent` bytes at its front are gone.
    pub(crate) buffer: Vec<u8>,
    sent: usize,
    shared: VecDeque<Shared>,
    /// Bytes in `shared`.
    shared_len: usize,
    /// Bytes ever sent.
    total_sent: u64,
    /// Frames ever written.
    frames: u64,
}

/// Bytes that are sent before byte `at` of the buffer.
#[derive(Debug)]
struct Shared {
    at: usize,
    bytes: Bytes,
}

/// A length that an output can be cut back to, as long as nothing was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    buffer_len: usize,
    shared: usize,
}

impl Output {
    pub(crate) fn mark(&self) -> Mark {
        Mark { buffer_len: self.buffer.len(), shared: self.shared.len() }
    }

    /// Takes back what was appended since the mark.
    pub(crate) fn rollback(&mut self, mark: Mark) {
        self.buffer.truncate(mark.buffer_len);
        for shared in self.shared.drain(mark.shared.min(self.shared.len())..) {
            self.shared_len = self.shared_len.saturating_sub(shared.bytes.len());
        }
    }

    /// A frame is complete.
    pub(crate) fn frame_written(&mut self) {
        self.frames = self.frames.saturating_add(1);
    }

    /// Frames ever written.
    pub(crate) const fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes that wait.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len().saturating_sub(self.sent).saturating_add(self.shared_len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes ever sent.
    pub(crate) const fn total_sent(&self) -> u64 {
        self.total_sent
    }

    /// Bytes ever appended: where in the whole stream the next one lies.
    pub(crate) fn stream_position(&self) -> u64 {
        self.total_sent.saturating_add(self.len() as u64)
    }

    /// Sends `bytes` before byte `at` of the buffer: no earlier than what was given before.
    pub(crate) fn share(&mut self, at: usize, bytes: Bytes) {
        if !bytes.is_empty() {
            self.shared_len = self.shared_len.saturating_add(bytes.len());
            self.shared.push_back(Shared { at, bytes });
        }
    }

    /// Whether some of it is not in the buffer.
    #[cfg(feature = "server")]
    pub(crate) fn shares(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Fills `pieces` with what is to be sent first, and says how many there are.
    pub(crate) fn pieces<'o>(&'o self, pieces: &mut [IoSlice<'o>]) -> usize {
        if self.shared.is_empty() {
            return self.only_piece(pieces);
        }
        let mut filled = 0_usize;
        let mut slots = pieces.iter_mut();
        let mut put = |bytes: &'o [u8]| {
            if bytes.is_empty() {
                return true;
            }
            let Some(slot) = slots.next() else { return false };
            *slot = IoSlice::new(bytes);
            filled = filled.saturating_add(1);
            true
        };
        let mut at = self.sent;
        for shared in &self.shared {
            if !put(self.buffer.get(at..shared.at).unwrap_or_default()) || !put(&shared.bytes) {
                return filled;
            }
            at = shared.at;
        }
        put(self.buffer.get(at..).unwrap_or_default());
        filled
    }

    /// What is to be sent, if it is all in the buffer.
    fn only_piece<'o>(&'o self, pieces: &mut [IoSlice<'o>]) -> usize {
        match (self.buffer.get(self.sent..), pieces.first_mut()) {
            (Some(bytes @ [_, ..]), Some(piece)) => {
                *piece = IoSlice::new(bytes);
                1
            }
            _ => 0,
        }
    }

    /// Forgets the first `len` bytes: they were sent.
    pub(crate) fn advance(&mut self, len: usize) {
        let mut left = len.min(self.len());
        self.total_sent = self.total_sent.saturating_add(left as u64);
        while left > 0 {
            let own_end = self.shared.front().map_or(self.buffer.len(), |shared| shared.at);
            let own = own_end.saturating_sub(self.sent).min(left);
            self.sent = self.sent.saturating_add(own);
            left = left.saturating_sub(own);
            let Some(shared) = self.shared.front_mut().filter(|_| left > 0) else { break };
            let sent = shared.bytes.len().min(left);
            bytes::Buf::advance(&mut shared.bytes, sent);
            self.shared_len = self.shared_len.saturating_sub(sent);
            left = left.saturating_sub(sent);
            if shared.bytes.is_empty() {
                self.shared.pop_front();
            }
        }
        self.compact();
    }

    /// Takes the room of sent bytes back: all of it when nothing waits, else once it is much.
    fn compact(&mut self) {
        if self.sent == self.buffer.len() && self.shared.is_empty() {
            self.buffer.clear();
            self.sent = 0;
            if self.buffer.capacity() > KEEP_LEN {
                self.buffer = Vec::new();
            }
        } else if self.sent >= COMPACT_LEN && self.sent >= self.buffer.len() / 2 {
            self.buffer.drain(..self.sent);
            for shared in &mut self.shared {
                shared.at = shared.at.saturating_sub(self.sent);
            }
            self.sent = 0;
        }
    }

    /// Forgets everything but what is counted.
    pub(crate) fn clear(&mut self) {
        *self = Self { total_sent: self.total_sent, frames: self.frames, ..Self::default() };
    }

    /// Gives memory back if nothing waits.
    pub(crate) fn release(&mut self) {
        if self.is_empty() {
            self.clear();
        }
    }

    /// Bytes that there is room for.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// What must hold after every step.
    pub(crate) fn check_invariants(&self) -> Result<(), &'static str> {
        if self.sent > self.buffer.len() {
            return Err("more was sent than there was");
        }
        if self.shared.iter().map(|shared| shared.bytes.len()).sum::<usize>() != self.shared_len {
            return Err("the length of shared bodies is wrong");
        }
        let mut at = self.sent;
        for shared in &self.shared {
            if shared.at < at || shared.at > self.buffer.len() || shared.bytes.is_empty() {
                return Err("a shared body is out of place");
            }
            at = shared.at;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    fn gather(output: &Output, pieces: usize) -> Vec<u8> {
        let mut slices = vec![IoSlice::new(&[]); pieces];
        let filled = output.pieces(&mut slices);
        slices[..filled].iter().flat_map(|slice| slice.to_vec()).collect()
    }

    fn sample() -> Output {
        let mut output = Output::default();
        output.buffer.extend_from_slice(b"head");
        output.share(4, Bytes::from_static(b"BODY"));
        output.buffer.extend_from_slice(b"next");
        output.share(8, Bytes::from_static(b"MORE"));
        output.share(8, Bytes::new());
        output.share(8, Bytes::from_static(b"LAST"));
        output.buffer.extend_from_slice(b"end");
        output
    }

    #[test]
    fn pieces_come_in_order() {
        let output = sample();
        assert_eq!(gather(&output, 8), b"headBODYnextMORELASTend");
        assert_eq!(gather(&output, 3), b"headBODYnext");
        assert_eq!(gather(&output, 0), b"");
    }

    #[test]
    fn every_split_sends_the_same() {
        for step in 1..30 {
            let mut output = sample();
            let mut sent = Vec::new();
            while !output.is_empty() {
                output.check_invariants().unwrap();
                let all = gather(&output, 8);
                assert_eq!(all.len(), output.len());
                let len = step.min(all.len());
                sent.extend_from_slice(&all[..len]);
                output.advance(len);
            }
            assert_eq!(sent, b"headBODYnextMORELASTend");
            assert_eq!((output.buffer.len(), output.total_sent), (0, 23));
        }
    }

    #[test]
    fn room_of_sent_bytes_is_used_again() {
        let mut output = Output::default();
        output.buffer.resize(100_000, 1);
        output.share(100_000, Bytes::from_static(b"x"));
        output.advance(70_000);
        assert_eq!((output.buffer.len(), output.len()), (30_000, 30_001));
        output.check_invariants().unwrap();
    }
}
