//! Why a frame is refused, and why one is not written.

use core::fmt;

/// Why a frame is refused: a kind, and the byte of the frame at which it shows.
///
/// `Copy`, 8 bytes, and made without allocating.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameError {
    kind: FrameErrorKind,
    offset: u32,
}

const _: () = assert!(size_of::<FrameError>() <= 8);

impl FrameError {
    pub(crate) const fn new(kind: FrameErrorKind, offset: usize) -> Self {
        let offset = if offset as u64 > u32::MAX as u64 { u32::MAX } else { offset as u32 };
        Self { kind, offset }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(self) -> FrameErrorKind {
        self.kind
    }

    /// Where, in bytes from the start of the frame (its length prefix not counted).
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.offset
    }
}

impl fmt::Debug for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameError").field("kind", &self.kind).field("offset", &self.offset).finish()
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.kind, self.offset)
    }
}

impl core::error::Error for FrameError {}

/// What may be concluded from a [`FrameErrorKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameFault {
    /// The bytes are no frame: the peer breaks the protocol, and nothing it sends can be trusted.
    Malformed,
    /// A sound frame with content that HTTP forbids.
    Content,
    /// A sound frame that holds more than [`FrameLimits`](super::FrameLimits) allow.
    Limit,
}

/// The kinds of [`FrameError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum FrameErrorKind {
    /// Fewer than 16 bytes, or the header's size is below 16 or more than the bytes there are.
    #[error("the frame is shorter than its message")]
    BufferTooSmall,
    /// The frame does not begin with `5a 41 50 00`.
    #[error("the first four bytes are not the ZAP magic")]
    InvalidMagic,
    /// The version is neither 1 nor 2.
    #[error("the version is neither 1 nor 2")]
    UnsupportedVersion,
    /// The frame's type is unknown, or not one that may stand here.
    #[error("the frame's type is wrong here")]
    WrongFrameType,
    /// The root lies inside the header or behind the message.
    #[error("the root offset leads outside the message")]
    InvalidRoot,
    /// The fixed section is longer than what is left of the message.
    #[error("the fixed section is cut")]
    TruncatedSection,
    /// A slot points outside the message.
    #[error("a slot points outside the message")]
    SlotOutOfBounds,
    /// The header block ends before its count or its lengths say so.
    #[error("the header block is cut")]
    TruncatedHeaders,
    /// The trailer block ends before its count or its lengths say so.
    #[error("the trailer block is cut")]
    TruncatedTrailers,
    /// The method is not a token.
    #[error("the method is not a token")]
    InvalidMethod,
    /// The target has a control byte or a space.
    #[error("the target has a control byte or a space")]
    InvalidTarget,
    /// The protocol's name has a control byte.
    #[error("the protocol's name has a control byte")]
    InvalidProto,
    /// The status is not within 100 to 999.
    #[error("the status is not within 100 to 999")]
    InvalidStatus,
    /// The reason has a control byte other than tab.
    #[error("the reason has a control byte")]
    InvalidReason,
    /// A header's name is not a token.
    #[error("a header's name is not a token")]
    InvalidHeaderName,
    /// A header's value has a control byte other than tab.
    #[error("a header's value has a control byte")]
    InvalidHeaderValue,
    /// A trailer's name is not a token.
    #[error("a trailer's name is not a token")]
    InvalidTrailerName,
    /// A trailer's value has a control byte other than tab.
    #[error("a trailer's value has a control byte")]
    InvalidTrailerValue,
    /// A trailer has a name that only headers may have.
    #[error("a trailer has a name that only headers may have")]
    ForbiddenTrailer,
    /// The method is longer than allowed.
    #[error("the method is longer than allowed")]
    MethodTooLong,
    /// The target is longer than allowed.
    #[error("the target is longer than allowed")]
    TargetTooLong,
    /// The protocol's name is longer than allowed.
    #[error("the protocol's name is longer than allowed")]
    ProtoTooLong,
    /// The reason is longer than allowed.
    #[error("the reason is longer than allowed")]
    ReasonTooLong,
    /// There are more headers than allowed.
    #[error("there are more headers than allowed")]
    TooManyHeaders,
    /// The header block is longer than allowed.
    #[error("the header block is longer than allowed")]
    HeadersTooLong,
    /// There are more trailers than allowed.
    #[error("there are more trailers than allowed")]
    TooManyTrailers,
    /// The trailer block is longer than allowed.
    #[error("the trailer block is longer than allowed")]
    TrailersTooLong,
    /// The frame is longer than allowed.
    #[error("the frame is longer than allowed")]
    FrameTooLong,
}

impl FrameErrorKind {
    /// Whether the bytes are no frame, or the content of a sound frame is forbidden, or is too much.
    #[must_use]
    pub const fn fault(self) -> FrameFault {
        match self {
            Self::BufferTooSmall
            | Self::InvalidMagic
            | Self::UnsupportedVersion
            | Self::WrongFrameType
            | Self::InvalidRoot
            | Self::TruncatedSection
            | Self::SlotOutOfBounds
            | Self::TruncatedHeaders
            | Self::TruncatedTrailers => FrameFault::Malformed,
            Self::InvalidMethod
            | Self::InvalidTarget
            | Self::InvalidProto
            | Self::InvalidStatus
            | Self::InvalidReason
            | Self::InvalidHeaderName
            | Self::InvalidHeaderValue
            | Self::InvalidTrailerName
            | Self::InvalidTrailerValue
            | Self::ForbiddenTrailer => FrameFault::Content,
            Self::MethodTooLong
            | Self::TargetTooLong
            | Self::ProtoTooLong
            | Self::ReasonTooLong
            | Self::TooManyHeaders
            | Self::HeadersTooLong
            | Self::TooManyTrailers
            | Self::TrailersTooLong
            | Self::FrameTooLong => FrameFault::Limit,
        }
    }

    /// The status that a server answers such a request with: 400, 413, 414 or 431.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::FrameTooLong => 413,
            Self::TargetTooLong => 414,
            Self::TooManyHeaders | Self::HeadersTooLong | Self::TooManyTrailers | Self::TrailersTooLong => 431,
            _ => 400,
        }
    }
}

/// Why a frame is not written. The buffer is as it was before the frame was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The method is not a token.
    #[error("the method is not a token")]
    InvalidMethod,
    /// The target is empty, or has a control byte or a space.
    #[error("the target is empty, or has a control byte or a space")]
    InvalidTarget,
    /// The protocol's name has a control byte.
    #[error("the protocol's name has a control byte")]
    InvalidProto,
    /// The status is not within 100 to 999.
    #[error("the status is not within 100 to 999")]
    InvalidStatus,
    /// The reason has a control byte other than tab.
    #[error("the reason has a control byte")]
    InvalidReason,
    /// A name of a header or trailer is not a token.
    #[error("the name is not a token")]
    InvalidName,
    /// A value of a header or trailer has a control byte other than tab.
    #[error("the value has a control byte")]
    InvalidValue,
    /// Only headers may have this name.
    #[error("a trailer must not have this name")]
    ForbiddenTrailer,
    /// Headers come before the body, the body before the trailers; a head has neither, an end has trailers only.
    #[error("headers, body and trailers are given in another order than this frame has them")]
    OutOfOrder,
    /// The frame would be longer than allowed: the one error that is about a limit and not about misuse.
    #[error("a frame of {len} bytes is longer than allowed")]
    TooLong {
        /// Bytes that the frame would have, its length prefix not counted: at least these.
        len: u64,
    },
}
