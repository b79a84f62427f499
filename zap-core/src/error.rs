//! What can go wrong: one small `Copy` error for reading, one enum for writing.

use core::fmt;

/// The record and field at which a typed read failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Name of the record (the struct's name, or its `#[zap(rename)]`).
    pub record: &'static str,
    /// Name of the field as the layout spells it; empty where the header or the whole section is wrong.
    pub field: &'static str,
}

/// Why bytes were refused: a kind, the byte offset in the input, and, from the typed layer, the record and field.
///
/// `Copy` and at most 16 bytes, so that a `Result` costs a reader next to nothing.
///
/// # Examples
///
/// ```
/// use zap_core::{DecodeErrorKind, Message};
///
/// let error = Message::parse(b"not a message at all").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::InvalidMagic);
/// assert_eq!(error.offset(), 0);
/// assert_eq!(error.to_string(), "the first four bytes are not the ZAP magic (at byte 0)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecodeError {
    place: Option<&'static Place>,
    offset: u32,
    kind: DecodeErrorKind,
}

const _: () = assert!(size_of::<DecodeError>() <= 16);

impl DecodeError {
    /// An error of `kind` at byte `offset`; offsets past `u32::MAX` are clamped to it.
    #[must_use]
    pub const fn new(kind: DecodeErrorKind, offset: usize) -> Self {
        let offset = if offset as u64 > u32::MAX as u64 { u32::MAX } else { offset as u32 };
        Self { place: None, offset, kind }
    }

    /// The same error, attributed to `place` unless an inner record already claimed it.
    #[must_use]
    pub const fn at(mut self, place: &'static Place) -> Self {
        if self.place.is_none() {
            self.place = Some(place);
        }
        self
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(self) -> DecodeErrorKind {
        self.kind
    }

    /// Where, in bytes from the start of the input.
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.offset
    }

    /// The record and field that were being read; `None` from the untyped layer.
    #[must_use]
    pub const fn place(self) -> Option<&'static Place> {
        self.place
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("DecodeError");
        out.field("kind", &self.kind).field("offset", &self.offset);
        if let Some(place) = self.place {
            out.field("record", &place.record);
            if !place.field.is_empty() {
                out.field("field", &place.field);
            }
        }
        out.finish()
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {}", self.kind, self.offset)?;
        match self.place {
            Some(Place { record, field: "" }) => write!(f, ", record `{record}`")?,
            Some(Place { record, field }) => write!(f, ", field `{field}` of `{record}`")?,
            None => {}
        }
        f.write_str(")")
    }
}

impl core::error::Error for DecodeError {}

/// The kinds of [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Fewer than 16 bytes, or the header's size is below 16 or more than the bytes there are (wire 1.1).
    #[error("the buffer is shorter than the message")]
    BufferTooSmall,
    /// The input does not begin with `5a 41 50 00` (wire 1.1).
    #[error("the first four bytes are not the ZAP magic")]
    InvalidMagic,
    /// The version is neither 1 nor 2 (wire 1.1).
    #[error("the version is neither 1 nor 2")]
    UnsupportedVersion,
    /// The root offset is 0 or points into the header: there is no root object.
    #[error("the message has no root object")]
    MissingRoot,
    /// The fixed section of a record does not lie inside the message: a shorter, older or foreign record.
    #[error("the record's fixed section does not fit in the message")]
    SectionOutOfBounds,
    /// A pointer leads outside the message, or its data does not fit there.
    #[error("a pointer leads outside the message")]
    PointerOutOfBounds,
    /// A pointer leads into the fixed section that holds it: the writer's record was shorter.
    #[error("a pointer leads into its own record's fixed section")]
    PointerIntoSection,
    /// A pointer that must lead somewhere is null.
    #[error("a required pointer is null")]
    NullPointer,
    /// Text is not UTF-8.
    #[error("text is not valid UTF-8")]
    InvalidUtf8,
    /// A `char` is not a Unicode scalar value.
    #[error("not a Unicode scalar value")]
    InvalidChar,
    /// No variant of an enum has this number, and none is marked `#[zap(other)]`.
    #[error("no variant of the enum has this number")]
    UnknownVariant,
    /// A variant without fields has a pointer to some.
    #[error("a variant without fields points at some")]
    UnexpectedFields,
    /// The length of a `#[zap(growable)]` record is below its own four bytes, ends inside a field, or leaves out fields
    /// that [`Zap::view_mut`](crate::Zap::view_mut) would change.
    #[error("the length of a growable record ends inside a field, or before one that is to be changed")]
    InvalidLength,
    /// The `from_wire` of a `#[zap(with)]` field has refused the value.
    #[error("the conversion of the field refused the value")]
    ConversionRefused,
    /// An integer that cannot be zero is zero.
    #[error("an integer that cannot be zero is zero")]
    ZeroInteger,
    /// A time has 10^9 nanoseconds or more in a second.
    #[error("a second has less than 10^9 nanoseconds")]
    InvalidNanoseconds,
    /// A time is further from 1970 than this machine can tell.
    #[error("a time that this machine cannot represent")]
    TimeOutOfRange,
    /// The kind byte of an IP address is neither 4 nor 6.
    #[error("an IP address is of version 4 or 6")]
    UnknownAddressKind,
    /// A decimal does not have the form that `rust_decimal` gives it.
    #[error("not a decimal of rust_decimal's form")]
    InvalidDecimal,
    /// The keys of a map or the elements of a set do not ascend, or one is there twice.
    #[error("the keys of a map or set do not ascend strictly")]
    KeyOrder,
    /// A length-prefixed list ends before its count, or its elements leave the message.
    #[error("a list is shorter than its count")]
    ListTooShort,
    /// A length-prefixed scalar element does not have the width of its type.
    #[error("a list element has the wrong width")]
    ElementWidth,
    /// Records are nested deeper than [`Limits::max_depth`](crate::Limits::max_depth).
    #[error("records are nested too deeply")]
    DepthExceeded,
    /// Pointers overlap so much that reading would visit more bytes than [`Limits`](crate::Limits) allow.
    #[error("reading would visit more bytes than allowed")]
    BudgetExceeded,
    /// The message is larger than [`Limits::max_message_len`](crate::Limits::max_message_len).
    #[error("the message is larger than allowed")]
    MessageTooLarge,
}

/// Why a value could not be written. The buffer is as it was before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The message would be longer than a u32 size can say, or its structure longer than a signed pointer reaches.
    #[error("a message of {len} bytes does not fit the wire")]
    TooLarge {
        /// Bytes that the message, or the structure region in it, would take.
        len: u64,
    },
    /// A list has more elements than a u32 count can say.
    #[error("a list of {count} elements does not fit the wire")]
    TooManyElements {
        /// Elements in the list.
        count: u64,
    },
    /// The value is nested deeper than 64 levels, which no reader accepts by default.
    #[error("the value is nested too deeply")]
    TooDeep,
    /// The fixed buffer is too small.
    #[error("the message takes {needed} bytes and the buffer has {available}")]
    BufferTooSmall {
        /// Bytes that the message takes.
        needed: usize,
        /// Bytes that the buffer has.
        available: usize,
    },
    /// The value wrote fewer bytes than it counted: a hand-written implementation is wrong. Derived code cannot cause
    /// it. Found for the message itself, not for messages inside it; a fixed `[u8]` may have been written to.
    #[error("the value wrote other lengths than it counted")]
    Inconsistent,
    /// The memory for the message cannot be had.
    #[error("no memory for {needed} bytes")]
    OutOfMemory {
        /// Bytes that were asked for.
        needed: usize,
    },
    /// A handle or target of a [`Builder`](crate::Builder) belongs to another builder, or to a message before a reset.
    #[error("the handle belongs to another message")]
    StaleHandle,
    /// An object or list cannot grow, because something else was written behind it.
    #[error("something was written behind the object or list, so it cannot grow")]
    NotLast,
}
