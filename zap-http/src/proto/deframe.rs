//! Length-prefixed frames off a stream, as the bytes come (wire 1.10): a big-endian u32, 1 to 64 MiB, and so many bytes.
//!
//! A length prefix alone buys nothing: the buffer grows with the bytes that were received, at most to twice as many. All
//! frames that are complete are taken out together as a [`Batch`], so that they can be borrowed while further bytes arrive.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::wire::PREFIX_LEN;

/// A buffer with room for so many bytes is read into where it is; so many at once are worth making that room.
const DIRECT_LEN: usize = 4 << 10;

/// Collects the bytes of a connection and finds the frames in them.
///
/// # Examples
///
/// ```
/// use zap_http::proto::{Deframer, StreamEnd};
///
/// let mut deframer = Deframer::new(1 << 20);
/// deframer.recv(&[0, 0, 0, 3, b'a', b'b', b'c', 0, 0]);
/// let mut batch = deframer.take_batch(Vec::new());
/// assert_eq!(batch.next_frame(), Some(&b"abc"[..]));
/// assert_eq!(batch.next_frame(), None);
///
/// deframer.recv(&[0, 2, b'd']);
/// assert_eq!(deframer.frames(), 0);
/// assert_eq!(deframer.end(), StreamEnd::InsideFrame);
/// ```
#[derive(Debug)]
pub struct Deframer {
    max_frame_len: u32,
    buffer: Vec<u8>,
    /// Where the last complete frame of the buffer ends, and how many are complete.
    complete: usize,
    frames: usize,
    fault: Option<FramingFault>,
}

/// Why a length prefix ends a stream of frames. The frames before it are sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FramingFault {
    /// A length of zero.
    #[error("a frame of length zero")]
    ZeroLength,
    /// A length over the limit.
    #[error("a frame of {len} bytes is longer than allowed")]
    TooLong {
        /// The length that the prefix announces.
        len: u32,
    },
}

/// What a stream's end cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreamEnd {
    /// Nothing: it lies between two frames.
    Clean,
    /// A length prefix. Public peers cannot tell this from a clean end.
    InsidePrefix,
    /// A frame.
    InsideFrame,
}

impl Deframer {
    /// Frames of at most `max_frame_len` bytes, not counting their prefixes.
    #[must_use]
    pub const fn new(max_frame_len: u32) -> Self {
        Self { max_frame_len, buffer: Vec::new(), complete: 0, frames: 0, fault: None }
    }

    /// Takes bytes as they come. After a [`fault`](Self::fault) they are dropped.
    ///
    /// # Cost
    ///
    /// Copies the bytes; looks at no byte but the prefixes. Many bytes at once make room for as many further ones.
    pub fn recv(&mut self, bytes: &[u8]) {
        if self.fault.is_none() {
            if self.buffer.is_empty() && bytes.len() >= DIRECT_LEN {
                self.buffer.reserve_exact(bytes.len().saturating_mul(2));
            }
            self.buffer.extend_from_slice(bytes);
            self.scan();
        }
    }

    /// The buffer, to append what is received to it, if it has room for a read; tell [`received`](Self::received) then.
    #[cfg(feature = "server")]
    pub(crate) fn room(&mut self) -> Option<&mut Vec<u8>> {
        let has_room = self.buffer.capacity().saturating_sub(self.buffer.len()) >= DIRECT_LEN;
        (has_room && self.fault.is_none()).then_some(&mut self.buffer)
    }

    /// Bytes were appended to the buffer.
    #[cfg(feature = "server")]
    pub(crate) fn received(&mut self) {
        self.scan();
    }

    /// Finds the frames that have become complete.
    fn scan(&mut self) {
        while let Some((prefix, rest)) = self.buffer.get(self.complete..).and_then(|rest| rest.split_first_chunk()) {
            let len = u32::from_be_bytes(*prefix);
            self.fault = match len {
                0 => Some(FramingFault::ZeroLength),
                _ if len > self.max_frame_len => Some(FramingFault::TooLong { len }),
                _ => None,
            };
            if self.fault.is_some() {
                // Nothing after this can be a frame.
                self.buffer.truncate(self.complete);
                return;
            }
            if rest.len() < len as usize {
                return;
            }
            self.complete = self.complete.saturating_add(PREFIX_LEN).saturating_add(len as usize);
            self.frames = self.frames.saturating_add(1);
        }
    }

    /// The number of complete frames.
    #[must_use]
    pub const fn frames(&self) -> usize {
        self.frames
    }

    /// The prefix that ended the stream.
    #[must_use]
    pub const fn fault(&self) -> Option<FramingFault> {
        self.fault
    }

    /// Bytes received and not taken out.
    #[must_use]
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether no byte waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// What an end of the stream would cut now.
    #[must_use]
    pub fn end(&self) -> StreamEnd {
        match self.buffer.len().saturating_sub(self.complete) {
            0 => StreamEnd::Clean,
            1..PREFIX_LEN => StreamEnd::InsidePrefix,
            _ => StreamEnd::InsideFrame,
        }
    }

    /// Takes out all complete frames. `spare` is the buffer of an earlier batch, or a new one, and receives what follows
    /// them; its content is dropped. While no frame is complete the batch is empty, and nothing is moved.
    ///
    /// # Cost
    ///
    /// Copies the incomplete rest, each byte at most once.
    #[must_use]
    pub fn take_batch(&mut self, mut spare: Vec<u8>) -> Batch {
        spare.clear();
        if self.frames == 0 {
            return Batch { buffer: spare, at: 0, frames: 0 };
        }
        spare.extend_from_slice(self.buffer.get(self.complete..).unwrap_or_default());
        self.buffer.truncate(self.complete);
        let frames = core::mem::take(&mut self.frames);
        self.complete = 0;
        Batch { buffer: core::mem::replace(&mut self.buffer, spare), at: 0, frames }
    }

    /// Drops all that was received, and says how many frames were complete.
    pub(crate) fn clear(&mut self) -> usize {
        self.buffer = Vec::new();
        self.complete = 0;
        core::mem::take(&mut self.frames)
    }

    /// Bytes that the buffer has room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Gives the buffer's memory back if it is empty.
    pub fn release(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = Vec::new();
        }
    }
}

/// Complete frames of a connection, apart from it, so that they can be borrowed while it receives and sends.
#[derive(Debug, Default)]
pub struct Batch {
    buffer: Vec<u8>,
    /// Where the next frame's prefix lies.
    at: usize,
    frames: usize,
}

impl Batch {
    /// The next frame, without its prefix.
    pub fn next_frame(&mut self) -> Option<&[u8]> {
        let (buffer, mut cursor) = self.split();
        cursor.next(buffer)
    }

    /// The number of frames left.
    #[must_use]
    pub const fn frames(&self) -> usize {
        self.frames
    }

    /// The buffer, for the next batch.
    #[must_use]
    pub fn into_spare(self) -> Vec<u8> {
        self.buffer
    }

    /// Bytes of all its frames, those before the position included.
    pub(crate) const fn buffer_len(&self) -> usize {
        self.buffer.len()
    }

    /// Bytes and position apart: frames borrow from the one while the other moves on.
    pub(crate) fn split(&mut self) -> (&[u8], Cursor<'_>) {
        (&self.buffer, Cursor { at: &mut self.at, frames: &mut self.frames })
    }
}

/// The position in a batch.
pub(crate) struct Cursor<'c> {
    at: &'c mut usize,
    frames: &'c mut usize,
}

impl Cursor<'_> {
    /// Leaves the frames that are left.
    pub(crate) fn finish(&mut self) {
        *self.frames = 0;
    }

    /// The next frame of `buffer`, the bytes that this position belongs to.
    pub(crate) fn next<'f>(&mut self, buffer: &'f [u8]) -> Option<&'f [u8]> {
        *self.frames = self.frames.checked_sub(1)?;
        let (prefix, rest) = buffer.get(*self.at..)?.split_first_chunk()?;
        let len = u32::from_be_bytes(*prefix) as usize;
        let frame = rest.get(..len)?;
        *self.at = self.at.saturating_add(PREFIX_LEN).saturating_add(len);
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_alone_buys_nothing() {
        let mut deframer = Deframer::new(64 << 20);
        deframer.recv(&[4, 0, 0, 0]);
        assert_eq!((deframer.fault(), deframer.end()), (None, StreamEnd::InsideFrame));
        assert!(deframer.capacity() <= 64);
        for received in 1..=10_000 {
            deframer.recv(&[0]);
            assert!(deframer.capacity() <= 2 * (received + PREFIX_LEN) + 64);
        }
    }

    #[test]
    fn nothing_follows_a_fault() {
        let mut deframer = Deframer::new(8);
        deframer.recv(&[0, 0, 0, 1, b'a', 0, 0, 0, 9, b'b']);
        assert_eq!((deframer.frames(), deframer.fault()), (1, Some(FramingFault::TooLong { len: 9 })));
        deframer.recv(&[0, 0, 0, 1, b'c']);
        assert_eq!((deframer.frames(), deframer.len()), (1, 5));
        let mut batch = deframer.take_batch(Vec::new());
        assert_eq!(batch.next_frame(), Some(&b"a"[..]));
        assert_eq!(batch.next_frame(), None);
    }
}
