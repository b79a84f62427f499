//! An object: a position in a message, and its fields by offset (wire 1.2).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;

use crate::{HEADER_LEN, List, Text, load};

/// An object in a message: fields are read by their offset, in place.
///
/// The accessors are *total*, as those of the public Go runtime: whatever is wrong, a field that is not there, a null
/// object, a pointer that leads outside the message, reads as the default (0, false, null). So a shorter record from an
/// older peer reads as if its new fields were zero, and a malformed one cannot be told from an empty one. Where that
/// difference matters, derive [`Zap`](crate::Zap) on a struct: its accessors report what is wrong and where.
///
/// Objects can point at each other in a circle, and the same bytes can be read in any shape. Whoever walks an unknown
/// message must bound the depth and the work.
///
/// # Panics
///
/// No accessor panics, on any bytes and any offset.
///
/// # Cost
///
/// Every accessor is O(1) and allocates nothing.
///
/// # Examples
///
/// ```
/// use zap_core::{Builder, Message};
///
/// let mut builder = Builder::new();
/// let user = builder.start_object(20)?;
/// builder.set_u64(&user, 0, 7)?;
/// builder.set_text(&user, 12, "ember")?;
/// builder.finish_as_root(user)?;
///
/// let user = Message::parse(builder.finish()).unwrap().root();
/// assert_eq!(user.u64(0), 7);
/// assert!(!user.bool(8));
/// assert_eq!(user.text(12).to_string(), "ember");
/// assert_eq!(user.u64(4000), 0);          // not there
/// assert!(user.object(8).is_null());      // nothing there
/// assert_eq!(user.object(8).u64(0), 0);   // and still readable
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Object<'m> {
    message: &'m [u8],
    /// 0 = null; otherwise at least 16.
    position: u32,
}

/// One accessor per scalar width.
macro_rules! scalars {
    ($($name:ident: $what:literal)*) => {$(
        #[doc = concat!("The ", $what, " at `offset`; 0 if it does not lie entirely inside the message.")]
        #[inline]
        #[must_use]
        pub fn $name(&self, offset: usize) -> $name {
            $name::from_le_bytes(self.field(offset))
        }
    )*};
}

impl<'m> Object<'m> {
    /// The null object: every field reads as its default.
    #[inline]
    #[must_use]
    pub const fn null() -> Self {
        Self { message: &[], position: 0 }
    }

    /// The object at `position` of `message`, null if that is inside the header.
    #[inline]
    pub(crate) const fn at(message: &'m [u8], position: u32) -> Self {
        if (position as usize) < HEADER_LEN { Self::null() } else { Self { message, position } }
    }

    /// Whether this is the null object.
    #[inline]
    #[must_use]
    pub const fn is_null(&self) -> bool {
        self.position == 0
    }

    /// Where the object begins, counted from the first header byte of its own message; 0 for the null object.
    ///
    /// It may lie past the end. A record of a list that would begin past `u32::MAX` says `u32::MAX`.
    #[inline]
    #[must_use]
    pub const fn position(&self) -> u32 {
        self.position
    }

    /// The bool at `offset`: any byte but 0 is true; false if the byte is not there.
    #[inline]
    #[must_use]
    pub fn bool(&self, offset: usize) -> bool {
        self.u8(offset) != 0
    }

    scalars! {
        u8: "byte" u16: "`u16`" u32: "`u32`" u64: "`u64`"
        i8: "`i8`" i16: "`i16`" i32: "`i32`" i64: "`i64`"
        f32: "`f32` (every NaN pattern is kept)" f64: "`f64` (every NaN pattern is kept)"
    }

    /// The text whose slot is at `offset`, not yet checked as UTF-8.
    ///
    /// Null if the slot is null or does not fit, or if it leads into the header or past the end. A null text reads as "".
    #[inline]
    #[must_use]
    pub fn text(&self, offset: usize) -> Text<'m> {
        load::tail(self.message, self.position, offset).map_or(Text::null(), |(at, bytes)| Text::at(at, bytes))
    }

    /// The bytes whose slot is at `offset`.
    ///
    /// `None` if the slot is null or does not fit, or if it leads into the header or past the end; empty bytes can be
    /// present.
    #[inline]
    #[must_use]
    pub fn bytes(&self, offset: usize) -> Option<&'m [u8]> {
        load::tail(self.message, self.position, offset).map(|(_, bytes)| bytes)
    }

    /// The `n` bytes inline at `offset`; `None` if `n` is 0 or they do not lie entirely inside the message.
    #[inline]
    #[must_use]
    pub fn bytes_fixed(&self, offset: usize, n: usize) -> Option<&'m [u8]> {
        if n == 0 {
            return None;
        }
        load::inline(self.message, self.position, offset, n)
    }

    /// The object whose pointer is at `offset`.
    ///
    /// Null if the pointer is null or does not fit, or if it leads into the header or to the end or past it.
    #[inline]
    #[must_use]
    pub fn object(&self, offset: usize) -> Object<'m> {
        load::pointer(self.message, self.position, offset).map_or(Self::null(), |at| Self::at(self.message, at))
    }

    /// The list whose slot is at `offset`.
    ///
    /// Null if the slot is null or does not fit, if its count is larger than the whole message, or if it leads into the
    /// header or to the end or past it. That the elements are there is checked when they are read.
    #[inline]
    #[must_use]
    pub fn list(&self, offset: usize) -> List<'m> {
        load::list(self.message, self.position, offset)
            .map_or(List::null(), |(start, count)| List::at(self.message, start, count))
    }

    #[inline]
    fn field<const N: usize>(&self, offset: usize) -> [u8; N] {
        load::field(self.message, self.position, offset).unwrap_or([0; N])
    }
}

impl Default for Object<'_> {
    /// The null object.
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Debug for Object<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("Object(null)");
        }
        f.debug_struct("Object").field("position", &self.position).field("message_len", &self.message.len()).finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use alloc::format;

    use super::*;

    #[test]
    fn a_null_object_reads_as_defaults() {
        let null = Object::default();
        assert!(null.is_null() && null.object(0).is_null() && null.list(0).is_null() && null.text(0).is_null());
        assert_eq!((null.position(), null.u8(0), null.i64(usize::MAX), null.bool(0)), (0, 0, 0, false));
        assert_eq!((null.bytes(0), null.bytes_fixed(0, 1), null.bytes_fixed(0, 0)), (None, None, None));
        assert_eq!(null.f64(0).to_bits(), 0);
        assert_eq!(format!("{null:?}"), "Object(null)");
    }

    #[test]
    fn scalars_are_all_or_nothing() {
        let bytes = [0xff; 24];
        let object = Object::at(&bytes, 16);
        assert_eq!((object.u64(0), object.u64(1)), (u64::MAX, 0));
        assert_eq!((object.u8(7), object.u8(8)), (255, 0));
        assert_eq!((object.i16(6), object.i16(7)), (-1, 0));
        assert_eq!(object.f32(0).to_bits(), u32::MAX);
        assert!(object.bool(7) && !object.bool(usize::MAX));
        assert_eq!(object.bytes_fixed(0, 8), Some(&bytes[16..]));
        assert_eq!(object.bytes_fixed(0, 9), None);
    }

    #[test]
    fn a_pointer_to_itself_is_no_object() {
        // The distance 0 is null, so the smallest circle is two objects long.
        let mut bytes = [0; 32];
        bytes[16] = 8;
        bytes[24..28].copy_from_slice(&(-8_i32).to_le_bytes());
        let object = Object::at(&bytes, 16);
        assert_eq!(object.object(0).position(), 24);
        assert_eq!(object.object(0).object(0).position(), 16);
    }
}
