//! Text as it stands in a message: bytes that should be UTF-8 (wire 1.2).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write as _};

use crate::{DecodeError, DecodeErrorKind};

/// Text in a message. The wire does not promise UTF-8, so it is checked when a `&str` is asked for.
///
/// Null and empty differ only in [`is_null`](Text::is_null): both read as "".
///
/// # Examples
///
/// ```
/// use zap_core::{Builder, DecodeErrorKind, Message};
///
/// let mut builder = Builder::new();
/// let root = builder.start_object(8)?;
/// builder.set_bytes(&root, 0, b"caf\xe9")?; // Latin-1
/// builder.finish_as_root(root)?;
///
/// let text = Message::parse(builder.finish()).unwrap().root().text(0);
/// let error = text.to_str().unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::InvalidUtf8);
/// assert_eq!(error.offset(), 16 + 8 + 3); // header, slot, "caf"
/// assert_eq!(text.to_string(), "caf\u{fffd}");
/// assert_eq!(text.as_bytes(), b"caf\xe9");
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Text<'m> {
    bytes: &'m [u8],
    /// Where the bytes begin in the message; 0 = null.
    position: u32,
}

impl<'m> Text<'m> {
    /// The null text.
    #[inline]
    #[must_use]
    pub const fn null() -> Self {
        Self { bytes: &[], position: 0 }
    }

    #[inline]
    pub(crate) const fn at(position: u32, bytes: &'m [u8]) -> Self {
        Self { bytes, position }
    }

    /// Whether there is no text, as opposed to an empty one.
    #[inline]
    #[must_use]
    pub const fn is_null(&self) -> bool {
        self.position == 0
    }

    /// The bytes, whatever they are; empty for the null text.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'m [u8] {
        self.bytes
    }

    /// The text as a `&str`, in place.
    ///
    /// # Errors
    ///
    /// `InvalidUtf8`, with the offset in the message of the first byte that is not UTF-8.
    ///
    /// # Panics
    ///
    /// Never.
    ///
    /// # Cost
    ///
    /// O(length), no allocation.
    #[inline]
    pub fn to_str(&self) -> Result<&'m str, DecodeError> {
        simdutf8::compat::from_utf8(self.bytes).map_err(|error| {
            let offset = (self.position as usize).saturating_add(error.valid_up_to());
            DecodeError::new(DecodeErrorKind::InvalidUtf8, offset)
        })
    }
}

impl Default for Text<'_> {
    /// The null text.
    fn default() -> Self {
        Self::null()
    }
}

/// The text, with U+FFFD in the place of whatever is not UTF-8.
impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Ok(text) = self.to_str() {
            return f.pad(text);
        }
        for chunk in self.bytes.utf8_chunks() {
            f.write_str(chunk.valid())?;
            if !chunk.invalid().is_empty() {
                f.write_char(char::REPLACEMENT_CHARACTER)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("Text(null)");
        }
        f.debug_struct("Text").field("position", &self.position).field("len", &self.bytes.len()).finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn null_and_empty_read_the_same() {
        let (null, empty) = (Text::default(), Text::at(16, b""));
        assert!(null.is_null() && !empty.is_null());
        assert_eq!((null.to_str(), empty.to_str()), (Ok(""), Ok("")));
        assert_eq!((null.as_bytes(), null.to_string()), (&[][..], "".to_string()));
        assert_eq!(format!("{null:?}"), "Text(null)");
    }

    #[test]
    fn display_replaces_what_is_not_utf8() {
        assert_eq!(Text::at(16, b"a\xf0\x9f\x98b\xff").to_string(), "a\u{fffd}b\u{fffd}");
        assert_eq!(format!("{:>5}", Text::at(16, b"abc")), "  abc");
    }

    #[test]
    fn the_offset_is_of_the_message_and_does_not_wrap() {
        let error = Text::at(u32::MAX, b"ab\xff").to_str().unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, u32::MAX));
        assert_eq!(Text::at(100, b"ab\xff").to_str().unwrap_err().offset(), 102);
    }
}
