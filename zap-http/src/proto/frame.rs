//! Frames, read where they lie: one check of everything, then accessors without errors.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;

use zap_core::{DecodeErrorKind, Header};

use super::block::{BlockKind, Headers};
use super::error::{FrameError, FrameErrorKind};
use super::limits::FrameLimits;
use super::syntax::{is_proto, is_status, is_target, is_text, is_token};
use super::wire::{self, FrameType, HEADER_LEN};

/// A frame of any type.
///
/// # Examples
///
/// ```
/// use zap_http::proto::{Encoder, Frame, FrameLimits};
///
/// let mut bytes = Vec::new();
/// Encoder::message(&mut bytes).data(b"tick")?;
/// let Frame::Data(data) = Frame::decode(&bytes, &FrameLimits::new())? else { panic!("another type") };
/// assert_eq!(data.chunk(), b"tick");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame<'f> {
    /// A whole request.
    Request(Request<'f>),
    /// A whole response.
    Response(Response<'f>),
    /// The head of a streamed response.
    ResponseHead(ResponseHead<'f>),
    /// A piece of a streamed body.
    Data(Data<'f>),
    /// The end of a streamed response.
    End(End<'f>),
}

/// The head of a request: of a whole one, or of one that is [streamed](super#streamed-requests).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RequestHead<'f> {
    method: &'f [u8],
    target: &'f [u8],
    proto: &'f [u8],
    headers: Headers<'f>,
}

/// A whole request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Request<'f> {
    head: RequestHead<'f>,
    body: &'f [u8],
    trailers: Headers<'f>,
}

/// The head of a streamed response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ResponseHead<'f> {
    status: u16,
    reason: &'f [u8],
    proto: &'f [u8],
    headers: Headers<'f>,
}

/// A whole response.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Response<'f> {
    head: ResponseHead<'f>,
    body: &'f [u8],
    trailers: Headers<'f>,
}

/// A piece of a streamed body.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Data<'f> {
    chunk: &'f [u8],
}

/// The end of a streamed response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End<'f> {
    trailers: Headers<'f>,
}

impl<'f> Frame<'f> {
    /// Checks `frame`, a frame without its length prefix, and reads it where it lies. Nothing is allocated.
    ///
    /// The checks come in this order: the header (length, magic, version, size), the type, the root, the fixed section,
    /// the slots, the header block, the trailer block; then the content, from the method to the last trailer. So a frame
    /// that is refused for its content, or for a limit, is otherwise sound. Bytes after the message's size are ignored.
    ///
    /// # Errors
    ///
    /// What is wrong, and where.
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = parse_header(frame, limits)?;
        match FrameType::from_flags(header.flags) {
            Some(FrameType::Request) => Request::read(bytes, &header, limits).map(Self::Request),
            Some(FrameType::Response) => Response::read(bytes, &header, limits).map(Self::Response),
            Some(FrameType::ResponseHead) => ResponseHead::read(bytes, &header, limits).map(Self::ResponseHead),
            Some(FrameType::Data) => Data::read(bytes, &header).map(Self::Data),
            Some(FrameType::End) => End::read(bytes, &header, limits).map(Self::End),
            Some(FrameType::RequestHead) | None => Err(wrong_type()),
        }
    }

    /// The frame's type.
    #[must_use]
    pub const fn frame_type(&self) -> FrameType {
        match self {
            Self::Request(_) => FrameType::Request,
            Self::Response(_) => FrameType::Response,
            Self::ResponseHead(_) => FrameType::ResponseHead,
            Self::Data(_) => FrameType::Data,
            Self::End(_) => FrameType::End,
        }
    }
}

impl<'f> RequestHead<'f> {
    /// As [`Frame::decode`], which refuses this type: the public wire does not have it. Body and trailer slots are not
    /// looked at.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::RequestHead)?;
        let head = UncheckedRequestHead::read(&Section::open(bytes, &header)?)?;
        let mut content = None;
        let headers = head.headers.block(BlockKind::Headers, limits, &mut content)?;
        head.check(headers, limits, content)
    }

    /// The method: a token, as spelled. A null one reads as `GET`.
    #[must_use]
    pub const fn method(&self) -> &'f [u8] {
        self.method
    }

    /// The target: no control byte, no space. A null one reads as `/`.
    #[must_use]
    pub const fn target(&self) -> &'f [u8] {
        self.target
    }

    /// The protocol's name. A null one reads as `HTTP/1.1`.
    #[must_use]
    pub const fn proto(&self) -> &'f [u8] {
        self.proto
    }

    /// The headers, all of them: also `Connection`, `Content-Length` and the like, which mean nothing on this wire.
    #[must_use]
    pub const fn headers(&self) -> Headers<'f> {
        self.headers
    }
}

impl<'f> Request<'f> {
    /// As [`Frame::decode`]; another type is refused.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    #[inline]
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::Request)?;
        Self::read(bytes, &header, limits)
    }

    // One piece of code with whoever calls: what is read is then written once, where it is kept.
    #[inline(always)]
    fn read(bytes: &'f [u8], header: &Header, limits: &FrameLimits) -> Result<Self, FrameError> {
        let section = Section::<{ wire::MESSAGE_SECTION }>::open(bytes, header)?;
        let head = UncheckedRequestHead::read(&section)?;
        let body = section.slot(wire::BODY)?;
        let trailers = section.slot(wire::TRAILERS)?;
        let (mut in_headers, mut in_trailers) = (None, None);
        let headers = head.headers.block(BlockKind::Headers, limits, &mut in_headers)?;
        let trailers = trailers.block(BlockKind::Trailers, limits, &mut in_trailers)?;
        let head = head.check(headers, limits, in_headers)?;
        sound(in_trailers)?;
        Ok(Self { head, body: body.bytes, trailers })
    }

    /// Method, target, protocol and headers.
    #[must_use]
    pub const fn head(&self) -> RequestHead<'f> {
        self.head
    }

    /// The method: a token, as spelled. A null one reads as `GET`.
    #[must_use]
    pub const fn method(&self) -> &'f [u8] {
        self.head.method
    }

    /// The target: no control byte, no space. A null one reads as `/`.
    #[must_use]
    pub const fn target(&self) -> &'f [u8] {
        self.head.target
    }

    /// The protocol's name. A null one reads as `HTTP/1.1`.
    #[must_use]
    pub const fn proto(&self) -> &'f [u8] {
        self.head.proto
    }

    /// The headers, all of them: also `Connection`, `Content-Length` and the like, which mean nothing on this wire.
    #[must_use]
    pub const fn headers(&self) -> Headers<'f> {
        self.head.headers
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &'f [u8] {
        self.body
    }

    /// The trailers, which are never headers.
    #[must_use]
    pub const fn trailers(&self) -> Headers<'f> {
        self.trailers
    }
}

impl<'f> ResponseHead<'f> {
    /// As [`Frame::decode`]; another type is refused. Body and trailer slots are not looked at.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    #[inline]
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::ResponseHead)?;
        Self::read(bytes, &header, limits)
    }

    fn read(bytes: &'f [u8], header: &Header, limits: &FrameLimits) -> Result<Self, FrameError> {
        let head = UncheckedHead::read(&Section::open(bytes, header)?)?;
        let mut content = None;
        let headers = head.headers.block(BlockKind::Headers, limits, &mut content)?;
        head.check(headers, limits, content)
    }

    /// The status, 100 to 999.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The reason; empty if there is none.
    #[must_use]
    pub const fn reason(&self) -> &'f [u8] {
        self.reason
    }

    /// The protocol's name. A null one reads as `HTTP/1.1`.
    #[must_use]
    pub const fn proto(&self) -> &'f [u8] {
        self.proto
    }

    /// The headers, all of them.
    #[must_use]
    pub const fn headers(&self) -> Headers<'f> {
        self.headers
    }
}

impl<'f> Response<'f> {
    /// As [`Frame::decode`]; another type is refused.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    #[inline]
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::Response)?;
        Self::read(bytes, &header, limits)
    }

    #[inline(always)] // As of a request.
    fn read(bytes: &'f [u8], header: &Header, limits: &FrameLimits) -> Result<Self, FrameError> {
        let section = Section::open(bytes, header)?;
        let head = UncheckedHead::read(&section)?;
        let body = section.slot(wire::BODY)?;
        let trailers = section.slot(wire::TRAILERS)?;
        let (mut in_headers, mut in_trailers) = (None, None);
        let headers = head.headers.block(BlockKind::Headers, limits, &mut in_headers)?;
        let trailers = trailers.block(BlockKind::Trailers, limits, &mut in_trailers)?;
        let head = head.check(headers, limits, in_headers)?;
        sound(in_trailers)?;
        Ok(Self { head, body: body.bytes, trailers })
    }

    /// Status, reason, protocol and headers.
    #[must_use]
    pub const fn head(&self) -> ResponseHead<'f> {
        self.head
    }

    /// The status, 100 to 999.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.head.status
    }

    /// The headers, all of them.
    #[must_use]
    pub const fn headers(&self) -> Headers<'f> {
        self.head.headers
    }

    /// The body.
    #[must_use]
    pub const fn body(&self) -> &'f [u8] {
        self.body
    }

    /// The trailers, which are never headers.
    #[must_use]
    pub const fn trailers(&self) -> Headers<'f> {
        self.trailers
    }

    /// The same without body and trailers: what an answer to `HEAD`, a 204 or a 304 means.
    pub(crate) fn without_body(mut self) -> Self {
        self.body = &[];
        self.trailers = Headers::default();
        self
    }
}

impl<'f> Data<'f> {
    /// As [`Frame::decode`]; another type is refused.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::Data)?;
        Self::read(bytes, &header)
    }

    fn read(bytes: &'f [u8], header: &Header) -> Result<Self, FrameError> {
        let section = Section::<{ wire::CHUNK_SECTION }>::open(bytes, header)?;
        Ok(Self { chunk: section.slot(wire::CHUNK)?.bytes })
    }

    /// The bytes of this piece.
    #[must_use]
    pub const fn chunk(&self) -> &'f [u8] {
        self.chunk
    }
}

impl<'f> End<'f> {
    /// As [`Frame::decode`]; another type is refused.
    ///
    /// # Errors
    ///
    /// As [`Frame::decode`].
    pub fn decode(frame: &'f [u8], limits: &FrameLimits) -> Result<Self, FrameError> {
        let (bytes, header) = expect_type(frame, limits, FrameType::End)?;
        Self::read(bytes, &header, limits)
    }

    fn read(bytes: &'f [u8], header: &Header, limits: &FrameLimits) -> Result<Self, FrameError> {
        let section = Section::<{ wire::CHUNK_SECTION }>::open(bytes, header)?;
        let mut content = None;
        let trailers = section.slot(wire::CHUNK)?.block(BlockKind::Trailers, limits, &mut content)?;
        sound(content)?;
        Ok(Self { trailers })
    }

    /// The end of a stream without trailers.
    pub(crate) fn without_trailers() -> Self {
        Self { trailers: Headers::default() }
    }

    /// The trailers of the streamed response.
    #[must_use]
    pub const fn trailers(&self) -> Headers<'f> {
        self.trailers
    }
}

/// The head of a request whose slots resolve, before its content is checked.
struct UncheckedRequestHead<'f> {
    method: Slot<'f>,
    target: Slot<'f>,
    proto: Slot<'f>,
    headers: Slot<'f>,
}

impl<'f> UncheckedRequestHead<'f> {
    #[inline(always)]
    fn read(section: &Section<'f, { wire::MESSAGE_SECTION }>) -> Result<Self, FrameError> {
        Ok(Self {
            method: section.slot(wire::METHOD)?,
            target: section.slot(wire::TARGET)?,
            proto: section.slot(wire::REQUEST_PROTO)?,
            headers: section.slot(wire::HEADERS)?,
        })
    }

    /// `wrong` is what is wrong with the headers, which comes last.
    #[inline(always)]
    fn check(
        self,
        headers: Headers<'f>,
        limits: &FrameLimits,
        wrong: Option<FrameError>,
    ) -> Result<RequestHead<'f>, FrameError> {
        let (method, target, proto) = (self.method, self.target, self.proto);
        let method_len = limits.max_method_len;
        method.check(method_len, is_token, FrameErrorKind::MethodTooLong, FrameErrorKind::InvalidMethod)?;
        let target_len = limits.max_target_len;
        target.check(target_len, is_target, FrameErrorKind::TargetTooLong, FrameErrorKind::InvalidTarget)?;
        proto.check(limits.max_proto_len, is_proto, FrameErrorKind::ProtoTooLong, FrameErrorKind::InvalidProto)?;
        sound(wrong)?;
        Ok(RequestHead { method: method.or(b"GET"), target: target.or(b"/"), proto: proto.or(b"HTTP/1.1"), headers })
    }
}

/// The head of a response whose slots resolve, before its content is checked.
struct UncheckedHead<'f> {
    status: (u16, usize),
    reason: Slot<'f>,
    proto: Slot<'f>,
    headers: Slot<'f>,
}

impl<'f> UncheckedHead<'f> {
    #[inline(always)]
    fn read(section: &Section<'f, { wire::MESSAGE_SECTION }>) -> Result<Self, FrameError> {
        Ok(Self {
            status: section.status(),
            reason: section.slot(wire::REASON)?,
            proto: section.slot(wire::RESPONSE_PROTO)?,
            headers: section.slot(wire::HEADERS)?,
        })
    }

    /// As of a request.
    #[inline(always)]
    fn check(
        self,
        headers: Headers<'f>,
        limits: &FrameLimits,
        wrong: Option<FrameError>,
    ) -> Result<ResponseHead<'f>, FrameError> {
        let (status, at) = self.status;
        if !is_status(status) {
            return Err(FrameError::new(FrameErrorKind::InvalidStatus, at));
        }
        let (reason, proto) = (self.reason, self.proto);
        reason.check(limits.max_reason_len, is_text, FrameErrorKind::ReasonTooLong, FrameErrorKind::InvalidReason)?;
        proto.check(limits.max_proto_len, is_proto, FrameErrorKind::ProtoTooLong, FrameErrorKind::InvalidProto)?;
        sound(wrong)?;
        Ok(ResponseHead { status, reason: reason.bytes, proto: proto.or(b"HTTP/1.1"), headers })
    }
}

/// What a slot points at, and where that lies.
#[derive(Clone, Copy)]
struct Slot<'f> {
    bytes: &'f [u8],
    at: usize,
}

impl<'f> Slot<'f> {
    #[inline(always)]
    fn block(
        self,
        kind: BlockKind,
        limits: &FrameLimits,
        content: &mut Option<FrameError>,
    ) -> Result<Headers<'f>, FrameError> {
        Headers::check(self.bytes, self.at, kind, limits, content)
    }

    /// Length and content. Empty is always right: it reads as the default.
    #[inline(always)] // So that each check is compiled for its own rule.
    fn check(
        self,
        max_len: u32,
        is_valid: impl FnOnce(&[u8]) -> bool,
        too_long: FrameErrorKind,
        invalid: FrameErrorKind,
    ) -> Result<(), FrameError> {
        if self.bytes.len() > max_len as usize {
            return Err(FrameError::new(too_long, self.at));
        }
        if self.bytes.is_empty() || is_valid(self.bytes) { Ok(()) } else { Err(FrameError::new(invalid, self.at)) }
    }

    fn or(self, default: &'static [u8]) -> &'f [u8] {
        if self.bytes.is_empty() { default } else { self.bytes }
    }
}

/// The root section of a message.
struct Section<'f, const LEN: usize> {
    message: &'f [u8],
    bytes: &'f [u8; LEN],
    at: usize,
}

impl<'f, const LEN: usize> Section<'f, LEN> {
    fn open(message: &'f [u8], header: &Header) -> Result<Self, FrameError> {
        let at = header.root as usize;
        if at < HEADER_LEN || at >= message.len() {
            return Err(FrameError::new(FrameErrorKind::InvalidRoot, 8));
        }
        let bytes = message.get(at..).and_then(<[u8]>::first_chunk);
        let bytes = bytes.ok_or(FrameError::new(FrameErrorKind::TruncatedSection, at))?;
        Ok(Self { message, bytes, at })
    }

    /// What the slot at `offset` points at: empty if it is null, an error if that does not lie in the message.
    #[inline(always)]
    fn slot(&self, offset: usize) -> Result<Slot<'f>, FrameError> {
        let at = self.at.saturating_add(offset);
        let unresolved = FrameError::new(FrameErrorKind::SlotOutOfBounds, at);
        let word = self.bytes.get(offset..).and_then(<[u8]>::first_chunk).ok_or(unresolved)?;
        let word = u64::from_le_bytes(*word);
        let (rel, len) = (word as u32, (word >> 32) as u32);
        if rel == 0 {
            return Ok(Slot { bytes: &[], at });
        }
        // In 64 bits: neither sum can wrap.
        let start = (at as u64).saturating_add(u64::from(rel));
        let end = start.saturating_add(u64::from(len));
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else { return Err(unresolved) };
        let bytes = self.message.get(start..end).ok_or(unresolved)?;
        Ok(Slot { bytes, at: start })
    }
}

impl Section<'_, { wire::MESSAGE_SECTION }> {
    /// The status, and where it lies.
    fn status(&self) -> (u16, usize) {
        const { assert!(wire::STATUS == 0) };
        let [low, high, ..] = self.bytes;
        (u16::from_le_bytes([*low, *high]), self.at)
    }
}

/// The header, and the frame cut to its message.
#[inline]
fn parse_header<'f>(frame: &'f [u8], limits: &FrameLimits) -> Result<(&'f [u8], Header), FrameError> {
    let header = Header::parse(frame).map_err(|error| {
        let kind = match error.kind() {
            DecodeErrorKind::InvalidMagic => FrameErrorKind::InvalidMagic,
            DecodeErrorKind::UnsupportedVersion => FrameErrorKind::UnsupportedVersion,
            _ => FrameErrorKind::BufferTooSmall,
        };
        FrameError::new(kind, error.offset() as usize)
    })?;
    if frame.len() > limits.max_frame_len as usize {
        return Err(FrameError::new(FrameErrorKind::FrameTooLong, 0));
    }
    let message = frame.get(..header.size as usize);
    Ok((message.ok_or(FrameError::new(FrameErrorKind::BufferTooSmall, 12))?, header))
}

#[inline]
fn expect_type<'f>(frame: &'f [u8], limits: &FrameLimits, wanted: FrameType) -> Result<(&'f [u8], Header), FrameError> {
    let (message, header) = parse_header(frame, limits)?;
    if FrameType::from_flags(header.flags) == Some(wanted) { Ok((message, header)) } else { Err(wrong_type()) }
}

const fn wrong_type() -> FrameError {
    FrameError::new(FrameErrorKind::WrongFrameType, 6)
}

fn sound(wrong: Option<FrameError>) -> Result<(), FrameError> {
    wrong.map_or(Ok(()), Err)
}

/// Without values, body bytes or trailers: what a log may hold.
impl fmt::Debug for RequestHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestHead")
            .field("method", &Escaped(self.method))
            .field("target", &Escaped(self.target))
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("head", &self.head)
            .field("body_len", &self.body.len())
            .field("trailers", &self.trailers)
            .finish()
    }
}

impl fmt::Debug for ResponseHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseHead")
            .field("status", &self.status)
            .field("reason", &Escaped(self.reason))
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Response<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("head", &self.head)
            .field("body_len", &self.body.len())
            .field("trailers", &self.trailers)
            .finish()
    }
}

impl fmt::Debug for Data<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Data").field("chunk_len", &self.chunk.len()).finish()
    }
}

struct Escaped<'f>(&'f [u8]);

impl fmt::Debug for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
