//! A reusable byte buffer that stays initialised at its high-water mark.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::ops::Deref;

use alloc::vec::Vec;

/// A byte buffer to encode into again and again.
///
/// Unlike a `Vec<u8>`, it keeps the bytes behind its end initialised when it is cleared, so that the next message is
/// written over them in entirely safe code, without zeroing them first.
///
/// # Examples
///
/// ```
/// use zap_core::{Buffer, Zap};
///
/// #[derive(Zap)]
/// struct Tick {
///     at: u64,
/// }
///
/// let mut buffer = Buffer::new();
/// for at in 0..3 {
///     buffer.clear();
///     Tick { at }.encode_into(&mut buffer)?;
///     assert_eq!(Tick::view(&buffer)?.at(), at);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Buffer {
    /// Initialised up to the high-water mark.
    bytes: Vec<u8>,
    /// Bytes in use.
    len: usize,
}

impl Buffer {
    /// An empty buffer; allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), len: 0 }
    }

    /// An empty buffer with room for `capacity` bytes, initialised.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: alloc::vec![0; capacity], len: 0 }
    }

    /// The bytes in use.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Bytes in use.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no byte is in use.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes that fit without allocating.
    #[inline]
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Forgets the bytes in use; keeps the memory.
    #[inline]
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends bytes as they are.
    pub fn extend_from_slice(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.len = self.len.saturating_add(bytes.len());
    }

    /// The bytes in use as a vector, without copying.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        self.bytes.truncate(self.len);
        self.bytes
    }

    /// Exactly `additional` bytes behind those in use, if so many are initialised.
    #[inline]
    pub(crate) fn room_at_hand(&mut self, additional: usize) -> Option<&mut [u8]> {
        self.bytes.get_mut(self.len..)?.get_mut(..additional)
    }

    /// Exactly `additional` initialised bytes behind those in use.
    #[inline]
    fn room(&mut self, additional: usize) -> &mut [u8] {
        let end = self.len.saturating_add(additional);
        if end > self.bytes.len() {
            self.raise_mark(end);
        }
        self.bytes.get_mut(self.len..end).unwrap_or_default()
    }

    /// Initialises the bytes up to `end`, and whatever capacity that brings with it.
    #[cold]
    pub(crate) fn raise_mark(&mut self, end: usize) {
        self.bytes.reserve(end.saturating_sub(self.bytes.len()));
        self.bytes.resize(self.bytes.capacity().max(end), 0);
    }

    /// Takes bytes that were written into [`Buffer::room`] into use.
    #[inline]
    pub(crate) fn grow_to(&mut self, len: usize) {
        self.len = len.min(self.bytes.len());
    }
}

impl Deref for Buffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer").field("len", &self.len).field("capacity", &self.capacity()).finish()
    }
}
