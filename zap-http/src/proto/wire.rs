//! The numbers of the wire (1.10): frame types, sections, slots, the length prefix.

/// Bytes of the length prefix before every frame of a connection: a big-endian u32.
pub const PREFIX_LEN: usize = 4;
/// The longest frame that public peers accept, without its prefix: 64 MiB.
pub const MAX_FRAME_LEN: u32 = 0x0400_0000;

/// Bytes of the header before the root section.
pub(crate) const HEADER_LEN: usize = zap_core::HEADER_LEN;
/// Bytes of the section of requests, responses and response heads.
pub(crate) const MESSAGE_SECTION: usize = 48;
/// Bytes of the section of data and end.
pub(crate) const CHUNK_SECTION: usize = 8;

/// The bit of the flags word's lower byte by which both ends say that they know streamed requests. The public wire ignores
/// that byte, and a peer that encodes a frame anew loses it: an end that sees it speaks with the other one itself.
pub(crate) const STREAMS: u16 = 0x80;

/// Slots, as offsets in the section. A response has its status where a request has its method.
pub(crate) const METHOD: usize = 0;
pub(crate) const TARGET: usize = 8;
pub(crate) const REQUEST_PROTO: usize = 16;
pub(crate) const STATUS: usize = 0;
pub(crate) const REASON: usize = 8;
pub(crate) const RESPONSE_PROTO: usize = 16;
pub(crate) const HEADERS: usize = 24;
pub(crate) const BODY: usize = 32;
pub(crate) const TRAILERS: usize = 40;
/// The one slot of data and end.
pub(crate) const CHUNK: usize = 0;

/// What a frame is: the upper byte of the header's flags word. The lower byte is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameType {
    /// A whole request.
    Request = 0x01,
    /// A whole response.
    Response = 0x02,
    /// The head of a streamed response.
    ResponseHead = 0x03,
    /// A piece of a streamed body.
    Data = 0x04,
    /// The end of a streamed response, with its trailers.
    End = 0x05,
    /// The head of a streamed request, which the public wire does not know: only for peers that said they do.
    RequestHead = 0x06,
}

impl FrameType {
    /// The type that a header's flags word names, if it names one.
    #[must_use]
    pub const fn from_flags(flags: u16) -> Option<Self> {
        Some(match flags >> 8 {
            0x01 => Self::Request,
            0x02 => Self::Response,
            0x03 => Self::ResponseHead,
            0x04 => Self::Data,
            0x05 => Self::End,
            0x06 => Self::RequestHead,
            _ => return None,
        })
    }

    /// The flags word of this type.
    #[must_use]
    pub const fn flags(self) -> u16 {
        (self as u16) << 8
    }

    /// Bytes of this type's root section.
    pub(crate) const fn section_len(self) -> usize {
        match self {
            Self::Request | Self::RequestHead | Self::Response | Self::ResponseHead => MESSAGE_SECTION,
            Self::Data | Self::End => CHUNK_SECTION,
        }
    }
}

/// The flags word of a frame; 0 if it has none.
pub(crate) fn flags_of(frame: &[u8]) -> u16 {
    frame.get(6..).and_then(<[u8]>::first_chunk).map_or(0, |flags| u16::from_le_bytes(*flags))
}
