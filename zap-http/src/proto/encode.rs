//! Frames, appended to a buffer of the caller's.
//!
//! A frame is written in the order of its bytes: fixed section, then method, target and protocol (or reason and protocol),
//! headers, body, trailers. What depends on later bytes (slots, count, size, length prefix) is filled in when known. On an
//! error, and when a writer is dropped unfinished, the buffer is as it was.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::ops::Range;

use zap_core::{Header, VERSION_1};

use super::error::EncodeError;
use super::syntax::{is_forbidden_trailer, is_proto, is_status, is_target, is_text, is_token};
use super::wire::{self, FrameType, HEADER_LEN, MAX_FRAME_LEN, PREFIX_LEN};

/// Begins one frame at the end of a buffer.
///
/// # Examples
///
/// ```
/// use zap_http::proto::Encoder;
///
/// let mut connection = Vec::new();
/// let mut request = Encoder::frame(&mut connection).request("POST", "/readings")?;
/// request.header("Host", "survey.example")?.header("Content-Type", "application/json")?;
/// request.body(b"{\"level\":-3.5}")?;
/// let encoded = request.finish()?;
/// assert_eq!(encoded.range, 0..connection.len());
/// assert_eq!(&connection[..8], [0, 0, 0, 165, 0x5a, 0x41, 0x50, 0]);
/// # Ok::<(), zap_http::proto::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Encoder<'b> {
    out: &'b mut Vec<u8>,
    options: Options<'b>,
}

/// What a frame is begun with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'o> {
    pub(crate) prefixed: bool,
    pub(crate) max_frame_len: u32,
    pub(crate) proto: &'o [u8],
    /// The lower byte of the flags word.
    pub(crate) low_flags: u16,
}

impl Options<'static> {
    /// A frame with its length prefix.
    pub(crate) const fn frame(max_frame_len: u32) -> Self {
        Self { prefixed: true, max_frame_len, proto: b"HTTP/1.1", low_flags: 0 }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Where the frame lies in the buffer, its length prefix included.
    pub range: Range<usize>,
    /// Where in the buffer the body belongs that is sent from elsewhere: see [`MessageWriter::body_elsewhere`].
    pub body_at: Option<usize>,
}

impl<'b> Encoder<'b> {
    /// A frame with its length prefix: what a connection carries.
    #[must_use]
    pub fn frame(out: &'b mut Vec<u8>) -> Self {
        Self { out, options: Options::frame(MAX_FRAME_LEN) }
    }

    /// A frame without length prefix: a bare message.
    #[must_use]
    pub fn message(out: &'b mut Vec<u8>) -> Self {
        let options = Options { prefixed: false, ..Options::frame(MAX_FRAME_LEN) };
        Self { out, options }
    }

    /// The protocol's name; `HTTP/1.1` unless given, null if empty.
    #[must_use]
    pub fn proto(mut self, proto: &'b [u8]) -> Self {
        self.options.proto = proto;
        self
    }

    /// The longest frame that may be written, in bytes without prefix; 64 MiB unless given.
    #[must_use]
    pub fn max_frame_len(mut self, bytes: u32) -> Self {
        self.options.max_frame_len = bytes;
        self
    }

    /// A whole request.
    ///
    /// # Errors
    ///
    /// The method, target or protocol is not one, or the limit is too small for it.
    pub fn request(self, method: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Result<MessageWriter<'b>, EncodeError> {
        let draft = Draft::request(self.out, self.options, method.as_ref(), target.as_ref())?;
        Ok(MessageWriter { out: self.out, draft: Some(draft) })
    }

    /// A whole response. An empty reason is left out.
    ///
    /// # Errors
    ///
    /// The status, reason or protocol is not one, or the limit is too small for it.
    pub fn response(self, status: u16, reason: impl AsRef<[u8]>) -> Result<MessageWriter<'b>, EncodeError> {
        self.answer(FrameType::Response, status, reason.as_ref())
    }

    /// The head of a streamed response.
    ///
    /// # Errors
    ///
    /// As [`response`](Self::response).
    pub fn response_head(self, status: u16, reason: impl AsRef<[u8]>) -> Result<MessageWriter<'b>, EncodeError> {
        self.answer(FrameType::ResponseHead, status, reason.as_ref())
    }

    fn answer(self, kind: FrameType, status: u16, reason: &[u8]) -> Result<MessageWriter<'b>, EncodeError> {
        let draft = Draft::response(self.out, self.options, kind, status, reason)?;
        Ok(MessageWriter { out: self.out, draft: Some(draft) })
    }

    /// A piece of a streamed body.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn data(self, chunk: &[u8]) -> Result<Encoded, EncodeError> {
        let mut draft = Draft::begin(self.out, self.options, FrameType::Data)?;
        let written = draft.body(self.out, chunk);
        draft.finish_or_undo(self.out, written)
    }

    /// A piece of a streamed body, whose `len` bytes the caller sends from elsewhere.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn data_elsewhere(self, len: usize) -> Result<Encoded, EncodeError> {
        let mut draft = Draft::begin(self.out, self.options, FrameType::Data)?;
        let written = draft.body_elsewhere(self.out, len);
        draft.finish_or_undo(self.out, written)
    }

    /// The end of a streamed response: takes trailers only.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn end(self) -> Result<MessageWriter<'b>, EncodeError> {
        let draft = Draft::begin(self.out, self.options, FrameType::End)?;
        Ok(MessageWriter { out: self.out, draft: Some(draft) })
    }
}

/// Writes the rest of a frame: headers, then the body, then trailers.
///
/// Dropped before [`finish`](Self::finish), it takes the frame back. After an error the frame can go on without what
/// was refused.
#[derive(Debug)]
pub struct MessageWriter<'b> {
    out: &'b mut Vec<u8>,
    /// `None` once the frame is finished.
    draft: Option<Draft>,
}

impl MessageWriter<'_> {
    /// Appends a header. Order, repetition and spelling are kept.
    ///
    /// # Errors
    ///
    /// The name is not a token, the value has a control byte other than tab, a body or trailer was given already, or the
    /// frame would be too long.
    #[inline]
    pub fn header(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, EncodeError> {
        self.with(|draft, out| draft.header(out, name.as_ref(), value.as_ref()))
    }

    /// Appends the body, once; empty is none.
    ///
    /// # Errors
    ///
    /// A body or trailer was given already, this is a head or an end, or the frame would be too long.
    #[inline]
    pub fn body(&mut self, body: &[u8]) -> Result<&mut Self, EncodeError> {
        self.with(|draft, out| draft.body(out, body))
    }

    /// Leaves out a body of `len` bytes, which the caller sends between the two parts of the buffer that
    /// [`Encoded::body_at`] tells apart: a vectored write, without a copy of the body.
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body).
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_http::proto::Encoder;
    ///
    /// let large = vec![7; 100_000];
    /// let mut buffer = Vec::new();
    /// let mut response = Encoder::frame(&mut buffer).response(200, "OK")?;
    /// response.body_elsewhere(large.len())?.trailer("X-Sum", "9f")?;
    /// let encoded = response.finish()?;
    /// let (before, after) = buffer.split_at(encoded.body_at.unwrap_or(buffer.len()));
    /// let pieces = [before, &large, after];
    /// # let mut copied = Vec::new();
    /// # let mut response = Encoder::frame(&mut copied).response(200, "OK")?;
    /// # response.body(&large)?.trailer("X-Sum", "9f")?;
    /// # response.finish()?;
    /// # assert_eq!(pieces.concat(), copied);
    /// # Ok::<(), zap_http::proto::EncodeError>(())
    /// ```
    #[inline]
    pub fn body_elsewhere(&mut self, len: usize) -> Result<&mut Self, EncodeError> {
        self.with(|draft, out| draft.body_elsewhere(out, len))
    }

    /// Appends a trailer.
    ///
    /// # Errors
    ///
    /// The name is not a token or one that only headers may have, the value has a control byte other than tab, this is a
    /// head, or the frame would be too long.
    #[inline]
    pub fn trailer(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, EncodeError> {
        self.with(|draft, out| draft.trailer(out, name.as_ref(), value.as_ref()))
    }

    /// Completes the frame.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn finish(mut self) -> Result<Encoded, EncodeError> {
        match self.draft.take() {
            Some(draft) => draft.finish_or_undo(self.out, Ok(())),
            None => Err(EncodeError::OutOfOrder),
        }
    }

    fn with(
        &mut self,
        append: impl FnOnce(&mut Draft, &mut Vec<u8>) -> Result<(), EncodeError>,
    ) -> Result<&mut Self, EncodeError> {
        if let Some(draft) = &mut self.draft {
            append(draft, self.out)?;
        }
        Ok(self)
    }
}

impl Drop for MessageWriter<'_> {
    fn drop(&mut self) {
        if let Some(draft) = self.draft.take() {
            draft.undo(self.out);
        }
    }
}

/// What may still be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Headers,
    Body,
    Trailers,
}

/// A block being written.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Where it lies in the buffer.
    at: usize,
    /// Where it lies in the message.
    position: usize,
    len: usize,
    pairs: u32,
}

impl Block {
    /// Appends a pair, all of it or nothing, at `position` of the message.
    fn append(
        &mut self,
        out: &mut Vec<u8>,
        position: usize,
        max_frame_len: u32,
        name: &[u8],
        value: &[u8],
    ) -> Result<(), EncodeError> {
        let count_len = if self.pairs == 0 { 4 } else { 0_usize };
        let len = count_len.saturating_add(8).saturating_add(name.len()).saturating_add(value.len());
        fits(position, len, max_frame_len)?;
        out.reserve(len);
        if self.pairs == 0 {
            *self = Self { at: out.len(), position, len: 0, pairs: 0 };
            out.extend_from_slice(&[0; 4]);
        }
        for piece in [name, value] {
            out.extend_from_slice(&(piece.len() as u32).to_le_bytes());
            out.extend_from_slice(piece);
        }
        self.len = self.len.saturating_add(len);
        self.pairs = self.pairs.saturating_add(1);
        Ok(())
    }
}

/// A frame being written, apart from its buffer, so that whoever owns the buffer can hold it. Every method is given the
/// same buffer, to which nobody else appends meanwhile.
#[derive(Debug)]
pub(crate) struct Draft {
    kind: FrameType,
    low_flags: u16,
    /// Length of the buffer before the frame.
    start: usize,
    /// Where the message begins: behind the prefix.
    message: usize,
    max_frame_len: u32,
    stage: Stage,
    headers: Block,
    trailers: Block,
    /// Body bytes that are not in the buffer, and where they belong.
    elsewhere: usize,
    body_at: Option<usize>,
}

impl Draft {
    pub(crate) fn begin(out: &mut Vec<u8>, options: Options<'_>, kind: FrameType) -> Result<Self, EncodeError> {
        let start = out.len();
        let prefix = if options.prefixed { PREFIX_LEN } else { 0 };
        let message = start.saturating_add(prefix);
        let len = HEADER_LEN.saturating_add(kind.section_len());
        if len > options.max_frame_len as usize {
            return Err(EncodeError::TooLong { len: len as u64 });
        }
        out.resize(message.saturating_add(len), 0);
        Ok(Self::at(kind, options, start, message))
    }

    #[inline(always)]
    fn at(kind: FrameType, options: Options<'_>, start: usize, message: usize) -> Self {
        let stage = match kind {
            FrameType::Request | FrameType::RequestHead | FrameType::Response | FrameType::ResponseHead => {
                Stage::Headers
            }
            FrameType::Data => Stage::Body,
            FrameType::End => Stage::Trailers,
        };
        let (headers, trailers) = (Block::default(), Block::default());
        Self {
            kind,
            low_flags: options.low_flags,
            start,
            message,
            max_frame_len: options.max_frame_len,
            stage,
            headers,
            trailers,
            elsewhere: 0,
            body_at: None,
        }
    }

    pub(crate) fn request(
        out: &mut Vec<u8>,
        options: Options<'_>,
        method: &[u8],
        target: &[u8],
    ) -> Result<Self, EncodeError> {
        if !is_token(method) {
            return Err(EncodeError::InvalidMethod);
        }
        if target.is_empty() || !is_target(target) {
            return Err(EncodeError::InvalidTarget);
        }
        let texts = [(wire::METHOD, method), (wire::TARGET, target), (wire::REQUEST_PROTO, options.proto)];
        Self::start_line(out, options, FrameType::Request, [0; wire::MESSAGE_SECTION], texts)
    }

    // One piece of code with whoever keeps it: a draft is large, and copying one that was just written makes the copy wait.
    #[inline(always)]
    pub(crate) fn response(
        out: &mut Vec<u8>,
        options: Options<'_>,
        kind: FrameType,
        status: u16,
        reason: &[u8],
    ) -> Result<Self, EncodeError> {
        if !is_status(status) {
            return Err(EncodeError::InvalidStatus);
        }
        if !is_text(reason) {
            return Err(EncodeError::InvalidReason);
        }
        let mut section = [0; wire::MESSAGE_SECTION];
        overwrite(&mut section, wire::STATUS, &status.to_le_bytes());
        let texts = [(wire::REASON, reason), (wire::RESPONSE_PROTO, options.proto)];
        Self::start_line(out, options, kind, section, texts)
    }

    /// Begins a frame with texts: all is laid out before any of it is written.
    #[inline(always)]
    fn start_line<const N: usize>(
        out: &mut Vec<u8>,
        options: Options<'_>,
        kind: FrameType,
        mut section: [u8; wire::MESSAGE_SECTION],
        texts: [(usize, &[u8]); N],
    ) -> Result<Self, EncodeError> {
        let mut position = HEADER_LEN.saturating_add(wire::MESSAGE_SECTION);
        for (slot, text) in texts {
            let rel = position.saturating_sub(HEADER_LEN.saturating_add(slot));
            position = position.saturating_add(text.len());
            if position > options.max_frame_len as usize {
                return Err(EncodeError::TooLong { len: position as u64 });
            }
            if !text.is_empty() {
                overwrite(&mut section, slot, &slot_word(rel, text.len()).to_le_bytes());
            }
        }
        if !is_proto(options.proto) {
            return Err(EncodeError::InvalidProto);
        }
        let start = out.len();
        let prefix = if options.prefixed { PREFIX_LEN } else { 0 };
        let message = start.saturating_add(prefix);
        out.reserve(prefix.saturating_add(position));
        // Prefix and header are written at the end.
        out.extend_from_slice(
            [0; PREFIX_LEN.saturating_add(HEADER_LEN)].get(PREFIX_LEN.saturating_sub(prefix)..).unwrap_or_default(),
        );
        out.extend_from_slice(&section);
        for (_, text) in texts {
            out.extend_from_slice(text);
        }
        Ok(Self::at(kind, options, start, message))
    }

    pub(crate) fn header(&mut self, out: &mut Vec<u8>, name: &[u8], value: &[u8]) -> Result<(), EncodeError> {
        if self.stage != Stage::Headers {
            return Err(EncodeError::OutOfOrder);
        }
        check_pair(name, value)?;
        let position = self.position(out);
        self.headers.append(out, position, self.max_frame_len, name, value)
    }

    /// The body, into the slot where this type has it.
    pub(crate) fn body(&mut self, out: &mut Vec<u8>, body: &[u8]) -> Result<(), EncodeError> {
        let slot = self.body_slot()?;
        self.tail(out, slot, body)?;
        self.stage = Stage::Trailers;
        Ok(())
    }

    pub(crate) fn body_elsewhere(&mut self, out: &mut [u8], len: usize) -> Result<(), EncodeError> {
        let slot = self.body_slot()?;
        self.fits(out, len)?;
        if len > 0 {
            let position = self.position(out);
            self.point(out, slot, position, len);
            self.elsewhere = len;
            self.body_at = Some(out.len());
        }
        self.stage = Stage::Trailers;
        Ok(())
    }

    fn body_slot(&self) -> Result<usize, EncodeError> {
        match self.kind {
            FrameType::Data if self.stage <= Stage::Body => Ok(wire::CHUNK),
            FrameType::Request | FrameType::Response if self.stage <= Stage::Body => Ok(wire::BODY),
            _ => Err(EncodeError::OutOfOrder),
        }
    }

    pub(crate) fn trailer(&mut self, out: &mut Vec<u8>, name: &[u8], value: &[u8]) -> Result<(), EncodeError> {
        if matches!(self.kind, FrameType::RequestHead | FrameType::ResponseHead | FrameType::Data) {
            return Err(EncodeError::OutOfOrder);
        }
        check_pair(name, value)?;
        if is_forbidden_trailer(name) {
            return Err(EncodeError::ForbiddenTrailer);
        }
        let position = self.position(out);
        self.trailers.append(out, position, self.max_frame_len, name, value)?;
        self.stage = Stage::Trailers;
        Ok(())
    }

    /// Turns a whole request or response into the head of a streamed one, and completes it: what was written so far
    /// stays. Only before a body or trailer was given.
    pub(crate) fn finish_as_head(mut self, out: &mut [u8]) -> Result<Encoded, EncodeError> {
        self.kind = match self.kind {
            FrameType::Request => FrameType::RequestHead,
            _ => FrameType::ResponseHead,
        };
        self.finish(out)
    }

    /// Moves the frame, which is all that `from` holds, to the end of another buffer. Copies nothing if that is empty.
    #[cfg(feature = "server")]
    pub(crate) fn relocate(mut self, from: &mut Vec<u8>, to: &mut Vec<u8>) -> Self {
        if to.is_empty() {
            core::mem::swap(from, to);
            return self;
        }
        let by = to.len();
        to.extend_from_slice(from);
        for place in [&mut self.start, &mut self.message, &mut self.headers.at, &mut self.trailers.at] {
            *place = place.saturating_add(by);
        }
        self.body_at = self.body_at.map(|at| at.saturating_add(by));
        self
    }

    /// Bytes that a body may still have.
    pub(crate) fn room(&self, out: &[u8]) -> usize {
        (self.max_frame_len as usize).saturating_sub(self.position(out))
    }

    /// Whether a body may still be given.
    pub(crate) fn takes_body(&self) -> bool {
        self.body_slot().is_ok()
    }

    /// Completes the frame if all went well, takes it back otherwise.
    pub(crate) fn finish_or_undo(
        self,
        out: &mut Vec<u8>,
        written: Result<(), EncodeError>,
    ) -> Result<Encoded, EncodeError> {
        if let Err(error) = written {
            self.undo(out);
            return Err(error);
        }
        self.finish(out)
    }

    pub(crate) fn finish(self, out: &mut [u8]) -> Result<Encoded, EncodeError> {
        self.complete(out)
    }

    /// As [`finish`](Self::finish), where the draft lies: nothing may be written with it any more.
    pub(crate) fn complete(&self, out: &mut [u8]) -> Result<Encoded, EncodeError> {
        let len = self.position(out);
        // Every append was held to the limit, which is a u32.
        let len = u32::try_from(len).map_err(|_| EncodeError::TooLong { len: len as u64 })?;
        let trailers = if self.kind == FrameType::End { wire::CHUNK } else { wire::TRAILERS };
        for (slot, block) in [(wire::HEADERS, self.headers), (trailers, self.trailers)] {
            if block.pairs > 0 {
                overwrite(out, block.at, &block.pairs.to_le_bytes());
                self.point(out, slot, block.position, block.len);
            }
        }
        let flags = self.kind.flags() | self.low_flags;
        let header = Header { version: VERSION_1, flags, root: HEADER_LEN as u32, size: len };
        overwrite(out, self.message, &header.to_bytes());
        if self.message > self.start {
            overwrite(out, self.start, &len.to_be_bytes());
        }
        Ok(Encoded { range: self.start..out.len(), body_at: self.body_at })
    }

    /// Takes the frame back.
    pub(crate) fn undo(self, out: &mut Vec<u8>) {
        out.truncate(self.start);
    }

    /// Appends what a slot points at; empty leaves the slot null.
    fn tail(&self, out: &mut Vec<u8>, slot: usize, bytes: &[u8]) -> Result<(), EncodeError> {
        self.fits(out, bytes.len())?;
        if !bytes.is_empty() {
            let position = self.position(out);
            self.point(out, slot, position, bytes.len());
            out.extend_from_slice(bytes);
        }
        Ok(())
    }

    /// Fills in a slot. Positions and lengths are within the limit, so within a u32.
    fn point(&self, out: &mut [u8], slot: usize, target: usize, len: usize) {
        let at = HEADER_LEN.saturating_add(slot);
        let word = slot_word(target.saturating_sub(at), len);
        overwrite(out, self.message.saturating_add(at), &word.to_le_bytes());
    }

    fn fits(&self, out: &[u8], more: usize) -> Result<(), EncodeError> {
        fits(self.position(out), more, self.max_frame_len)
    }

    /// The length of the message so far: the position of the next byte.
    fn position(&self, out: &[u8]) -> usize {
        out.len().saturating_sub(self.message).saturating_add(self.elsewhere)
    }
}

/// Whether a message of `len` bytes may get `more`.
#[inline]
fn fits(len: usize, more: usize, max_frame_len: u32) -> Result<(), EncodeError> {
    let len = len.saturating_add(more) as u64;
    if len > u64::from(max_frame_len) { Err(EncodeError::TooLong { len }) } else { Ok(()) }
}

/// A slot: both within a u32.
#[inline]
const fn slot_word(rel: usize, len: usize) -> u64 {
    (rel as u32 as u64) | (len as u64) << 32
}

/// Overwrites bytes that exist.
#[inline]
fn overwrite(out: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = out.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len())) {
        place.copy_from_slice(bytes);
    }
}

fn check_pair(name: &[u8], value: &[u8]) -> Result<(), EncodeError> {
    if !is_token(name) {
        return Err(EncodeError::InvalidName);
    }
    if is_text(value) { Ok(()) } else { Err(EncodeError::InvalidValue) }
}
