//! The 16 bytes that begin every message (wire 1.1).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::{DecodeError, DecodeErrorKind};

/// Bytes of the message header.
pub const HEADER_LEN: usize = 16;
/// The first four bytes of every message: `5a 41 50 00`.
pub const MAGIC: [u8; 4] = [0x5a, 0x41, 0x50, 0x00];
/// Wire version 1.
pub const VERSION_1: u16 = 1;
/// Wire version 2; the data part is the same as in version 1.
pub const VERSION_2: u16 = 2;

/// The message header, decoded.
///
/// | bytes | field |
/// |---|---|
/// | 0..4 | magic `5a 41 50 00` |
/// | 4..6 | version u16, 1 or 2 |
/// | 6..8 | flags u16, any value; the upper byte is a message type where one is used |
/// | 8..12 | root u32, absolute offset of the root object; 0 = none |
/// | 12..16 | size u32, whole message, header included |
///
/// All little-endian (wire 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// Wire version, 1 or 2.
    pub version: u16,
    /// Flags; any value.
    pub flags: u16,
    /// Offset of the root object from the first header byte; below 16 = no root.
    pub root: u32,
    /// Bytes of the whole message, header included.
    pub size: u32,
}

impl Header {
    /// Reads and checks the header at the front of `bytes`, in the order the wire gives: length, magic, version, size.
    ///
    /// # Errors
    ///
    /// `BufferTooSmall`, `InvalidMagic` or `UnsupportedVersion`; the first failure wins. The root is not checked.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::Header;
    ///
    /// let bytes = [0x5a, 0x41, 0x50, 0, 1, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0];
    /// let header = Header::parse(&bytes).unwrap();
    /// assert_eq!((header.version, header.root, header.size), (1, 16, 16));
    /// ```
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, DecodeError> {
        let header = Self::parse_fields(bytes)?;
        if (header.size as usize) < HEADER_LEN || header.size as usize > bytes.len() {
            return Err(DecodeError::new(DecodeErrorKind::BufferTooSmall, 12));
        }
        Ok(header)
    }

    /// As [`Header::parse`], without comparing the size with the bytes there are.
    pub(crate) fn parse_fields(bytes: &[u8]) -> Result<Self, DecodeError> {
        let Some(raw) = bytes.first_chunk::<HEADER_LEN>() else {
            return Err(DecodeError::new(DecodeErrorKind::BufferTooSmall, bytes.len()));
        };
        let [m0, m1, m2, m3, v0, v1, f0, f1, r0, r1, r2, r3, s0, s1, s2, s3] = *raw;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(DecodeError::new(DecodeErrorKind::InvalidMagic, 0));
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != VERSION_1 && version != VERSION_2 {
            return Err(DecodeError::new(DecodeErrorKind::UnsupportedVersion, 4));
        }
        Ok(Self {
            version,
            flags: u16::from_le_bytes([f0, f1]),
            root: u32::from_le_bytes([r0, r1, r2, r3]),
            size: u32::from_le_bytes([s0, s1, s2, s3]),
        })
    }

    /// The 16 bytes of this header.
    #[inline]
    #[must_use]
    pub const fn to_bytes(self) -> [u8; HEADER_LEN] {
        let word = (MAGIC[0] as u128)
            | (MAGIC[1] as u128) << 8
            | (MAGIC[2] as u128) << 16
            | (MAGIC[3] as u128) << 24
            | (self.version as u128) << 32
            | (self.flags as u128) << 48
            | (self.root as u128) << 64
            | (self.size as u128) << 96;
        word.to_le_bytes()
    }
}
