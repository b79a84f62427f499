//! A complete message: its header, its root object and its exact bytes (wire 1.1).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;

use crate::{
    DecodeError, DecodeErrorKind, HEADER_LEN, Header, Limits, MAGIC, Object, Prefix, VERSION_1, VERSION_2, load,
};

/// One complete ZAP message, read in place.
///
/// The entry to the untyped layer: a message whose layout is known only at run time, or whose fields are picked by
/// offset. Records with a known layout are better read through [`Zap`](crate::Zap), which reports what is malformed.
///
/// # Examples
///
/// A message with `u32@0 = 5` and `text@4 = "hi"`:
///
/// ```
/// use zap_core::Message;
///
/// let bytes = [
///     0x5a, 0x41, 0x50, 0, 1, 0, 0, 0, 16, 0, 0, 0, 30, 0, 0, 0, // header: version 1, root 16, size 30
///     5, 0, 0, 0, //                                                u32
///     8, 0, 0, 0, 2, 0, 0, 0, //                                    text slot at 20: target 28, length 2
///     b'h', b'i',
/// ];
/// let message = Message::parse(&bytes)?;
/// let root = message.root();
/// assert_eq!(root.u32(0), 5);
/// assert_eq!(root.text(4).to_str()?, "hi");
/// # Ok::<(), zap_core::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Message<'m> {
    /// Exactly the header's `size` bytes.
    bytes: &'m [u8],
    header: Header,
}

impl<'m> Message<'m> {
    /// Reads the header at the front of `bytes` and cuts the message to its own size; what follows is not part of it.
    ///
    /// # Errors
    ///
    /// `BufferTooSmall`, `InvalidMagic` or `UnsupportedVersion`, in the order of [`Header::parse`]. The root offset is
    /// not checked: a message without a root is a message.
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Cost
    ///
    /// O(1), no allocation; does not depend on the message's size.
    #[inline]
    pub fn parse(bytes: &'m [u8]) -> Result<Self, DecodeError> {
        let header = Header::parse(bytes)?;
        Self::cut(bytes, header).ok_or(DecodeError::new(DecodeErrorKind::BufferTooSmall, SIZE_AT))
    }

    /// Takes one message off the front of a longer input: a file of messages, or a buffer that is still filling.
    ///
    /// # Errors
    ///
    /// `InvalidMagic` and `UnsupportedVersion` as soon as the bytes there are prove them: one wrong first byte is enough.
    /// With the header complete: `BufferTooSmall` if it says less than 16 bytes, `MessageTooLarge` if it says more than
    /// [`Limits::max_message_len`]. Bytes that are merely missing are no error but [`Prefix::Incomplete`].
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Cost
    ///
    /// O(1), no allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::{Builder, Limits, Message, Prefix};
    ///
    /// let mut input = Builder::new().into_vec();
    /// input.extend_from_slice(b"next");
    /// let Prefix::Complete { value, rest } = Message::split_first(&input, &Limits::new())? else { unreachable!() };
    /// assert_eq!(value.size(), 16);
    /// assert_eq!(rest, b"next");
    ///
    /// assert_eq!(Message::split_first(&input[..10], &Limits::new())?, Prefix::Incomplete { needed: 6 });
    /// assert!(Message::split_first(b"G", &Limits::new()).is_err());
    /// # Ok::<(), zap_core::DecodeError>(())
    /// ```
    pub fn split_first(bytes: &'m [u8], limits: &Limits) -> Result<Prefix<'m, Self>, DecodeError> {
        if bytes.len() < HEADER_LEN {
            check_start(bytes)?;
            return Ok(Prefix::Incomplete { needed: HEADER_LEN.saturating_sub(bytes.len()) });
        }
        let header = Header::parse_fields(bytes)?;
        if (header.size as usize) < HEADER_LEN {
            return Err(DecodeError::new(DecodeErrorKind::BufferTooSmall, SIZE_AT));
        }
        if header.size > limits.message_len() {
            return Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, SIZE_AT));
        }
        let missing = || Prefix::Incomplete { needed: (header.size as usize).saturating_sub(bytes.len()) };
        let Some(value) = Self::cut(bytes, header) else { return Ok(missing()) };
        Ok(bytes.get(header.size as usize..).map_or_else(missing, |rest| Prefix::Complete { value, rest }))
    }

    /// The wire version, 1 or 2.
    #[inline]
    #[must_use]
    pub const fn version(&self) -> u16 {
        self.header.version
    }

    /// The flags word; where a message type is used it is the upper byte.
    #[inline]
    #[must_use]
    pub const fn flags(&self) -> u16 {
        self.header.flags
    }

    /// Bytes of the whole message, header included.
    #[inline]
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.header.size
    }

    /// The root offset as the header says it, unchecked; below 16 = no root.
    #[inline]
    #[must_use]
    pub const fn root_offset(&self) -> u32 {
        self.header.root
    }

    /// The root object; null if the root offset is below 16.
    ///
    /// A root at or past the end is not null, but every field of it reads as its default (wire 1.1).
    ///
    /// # Cost
    ///
    /// O(1), no allocation.
    #[inline]
    #[must_use]
    pub const fn root(&self) -> Object<'m> {
        Object::at(self.bytes, self.header.root)
    }

    /// The message's own bytes: exactly [`size`](Message::size) of them.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'m [u8] {
        self.bytes
    }

    fn cut(bytes: &'m [u8], header: Header) -> Option<Self> {
        Some(Self { bytes: load::slice(bytes, 0, header.size as usize)?, header })
    }
}

/// Offset of the size in the header.
const SIZE_AT: usize = 12;

/// Refuses the first bytes of a header, fewer than 16, if no valid message can begin with them.
fn check_start(bytes: &[u8]) -> Result<(), DecodeError> {
    if bytes.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) {
        return Err(DecodeError::new(DecodeErrorKind::InvalidMagic, 0));
    }
    let version = bytes.get(MAGIC.len()..).unwrap_or_default();
    let begins = |valid: u16| version.iter().zip(valid.to_le_bytes()).all(|(&byte, valid)| byte == valid);
    if begins(VERSION_1) || begins(VERSION_2) {
        Ok(())
    } else {
        Err(DecodeError::new(DecodeErrorKind::UnsupportedVersion, MAGIC.len()))
    }
}

impl PartialEq for Message<'_> {
    /// Equal bytes.
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Message<'_> {}

impl fmt::Debug for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("version", &self.header.version)
            .field("flags", &self.header.flags)
            .field("root_offset", &self.header.root)
            .field("size", &self.header.size)
            .finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::Prefix::{Complete, Incomplete};

    fn header(size: u32) -> [u8; 16] {
        Header { version: 2, flags: 7, root: 0, size }.to_bytes()
    }

    #[test]
    fn what_follows_the_size_is_not_the_message() {
        let mut bytes = [0xee; 40];
        bytes[..16].copy_from_slice(&Header { version: 1, flags: 0, root: 16, size: 20 }.to_bytes());
        let message = Message::parse(&bytes).unwrap();
        assert_eq!(message.as_bytes().len(), 20);
        assert_eq!(message.root().u32(0), 0xeeee_eeee);
        assert_eq!(message.root().u64(0), 0);
        assert!(message.root().bytes_fixed(4, 1).is_none());
    }

    #[test]
    fn split_first_says_exactly_what_is_missing() {
        let limits = Limits::new();
        let mut bytes = header(24).to_vec();
        bytes.extend_from_slice(&[0; 11]);
        for len in 0..16 {
            assert_eq!(Message::split_first(&bytes[..len], &limits), Ok(Incomplete { needed: 16 - len }));
        }
        for len in 16..24 {
            assert_eq!(Message::split_first(&bytes[..len], &limits), Ok(Incomplete { needed: 24 - len }));
        }
        for len in 24..=27 {
            let Ok(Complete { value, rest }) = Message::split_first(&bytes[..len], &limits) else { panic!() };
            assert_eq!((value.as_bytes(), rest), (&bytes[..24], &bytes[24..len]));
        }
    }

    #[test]
    fn split_first_refuses_as_early_as_the_bytes_prove_it() {
        let limits = Limits::new();
        let kind = |bytes: &[u8]| Message::split_first(bytes, &limits).unwrap_err().kind();
        for at in 0..4 {
            let mut bytes = header(16);
            bytes[at] ^= 1;
            for len in 0..=16 {
                let read = Message::split_first(&bytes[..len], &limits);
                assert_eq!(read.is_err(), len > at, "byte {at} wrong, {len} bytes");
            }
            assert_eq!(kind(&bytes[..=at]), DecodeErrorKind::InvalidMagic);
        }
        assert_eq!(kind(&[0x5a, 0x41, 0x50, 0, 3]), DecodeErrorKind::UnsupportedVersion);
        assert_eq!(kind(&[0x5a, 0x41, 0x50, 0, 0]), DecodeErrorKind::UnsupportedVersion);
        assert_eq!(kind(&[0x5a, 0x41, 0x50, 0, 1, 1]), DecodeErrorKind::UnsupportedVersion);
        assert!(Message::split_first(&[0x5a, 0x41, 0x50, 0, 2, 0], &limits).is_ok());
    }

    #[test]
    fn split_first_refuses_impossible_sizes() {
        let limits = Limits::new().max_message_len(100);
        let kind = |size| Message::split_first(&header(size), &limits).unwrap_err().kind();
        assert_eq!(kind(15), DecodeErrorKind::BufferTooSmall);
        assert_eq!(kind(101), DecodeErrorKind::MessageTooLarge);
        assert_eq!(kind(u32::MAX), DecodeErrorKind::MessageTooLarge);
        assert_eq!(Message::split_first(&header(100), &limits), Ok(Incomplete { needed: 84 }));
        let all = Limits::new().max_message_len(u32::MAX);
        assert!(matches!(Message::split_first(&header(u32::MAX), &all), Ok(Incomplete { .. })));
    }
}
