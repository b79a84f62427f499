//! Frames for people: where each field lies, its bytes, and what they say.
//!
//! It reads more than [`Frame::decode`] accepts: of a broken frame, all that can be found, and then what is wrong.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;

use super::error::FrameError;
use super::frame::{Frame, RequestHead};
use super::limits::FrameLimits;
use super::wire::{self, FrameType, HEADER_LEN};

/// Bytes of a field that are shown in hexadecimal.
const MAX_HEX: usize = 8;
/// Bytes of a field that are shown as text.
const MAX_TEXT: usize = 96;
/// Pairs of a block that are shown.
const MAX_PAIRS: usize = 100;

/// A frame, without its length prefix, as text for people: a line for each field with its offset, its bytes and what they
/// say, and what is wrong with it if anything is.
///
/// The text is for eyes alone and may change. It has no control characters from the frame, and is bounded: a few bytes of
/// each field, 96 of each text, and 100 pairs of a block. It does show headers, which may be secrets.
///
/// # Examples
///
/// ```
/// use zap_http::proto::{Encoder, annotate};
///
/// let mut frame = Vec::new();
/// Encoder::message(&mut frame).data(b"tick\n")?;
/// assert_eq!(annotate(&frame).to_string(), "\
/// data, 29 bytes
///   0000  5a 41 50 00              magic     \"ZAP\"
///   0004  01 00                    version   1
///   0006  00 04                    flags     0x0400
///   0008  10 00 00 00              root      at 0010
///   000c  1d 00 00 00              size      29
///   0010  08 00 00 00 05 00 00 00  chunk     5 bytes at 0018
///   0018  74 69 63 6b 0a           chunk     \"tick\\n\"
/// ");
/// # Ok::<(), zap_http::proto::EncodeError>(())
/// ```
#[must_use]
pub const fn annotate(frame: &[u8]) -> Annotated<'_> {
    Annotated { frame }
}

/// A frame that displays as text for people: what [`annotate`] gives.
#[derive(Clone, Copy)]
pub struct Annotated<'f> {
    frame: &'f [u8],
}

impl Annotated<'_> {
    /// What is wrong with the frame, apart from limits.
    #[must_use]
    pub fn error(&self) -> Option<FrameError> {
        check(self.frame, FrameType::from_flags(wire::flags_of(self.frame))).err()
    }
}

/// Not the frame: its headers may be secrets.
impl fmt::Debug for Annotated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Annotated").field("len", &self.frame.len()).finish()
    }
}

impl fmt::Display for Annotated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = wire::flags_of(self.frame);
        let frame_type = FrameType::from_flags(flags);
        let name = frame_type.map_or("frame of an unknown type", name_of);
        writeln!(f, "{name}, {} bytes", self.frame.len())?;
        self.header(f, flags)?;
        if let (Some(frame_type), Some(root)) = (frame_type, self.word(8)) {
            self.section(f, frame_type, root as usize)?;
        }
        match self.error() {
            None => Ok(()),
            Some(error) => writeln!(f, "  {:04x}  error: {}", error.offset(), error.kind()),
        }
    }
}

/// What is wrong with the frame, whatever its limits would be on a connection.
fn check(frame: &[u8], frame_type: Option<FrameType>) -> Result<(), FrameError> {
    let limits = FrameLimits {
        max_frame_len: u32::MAX,
        max_headers: u32::MAX,
        max_block_len: u32::MAX,
        max_target_len: u32::MAX,
        max_method_len: u32::MAX,
        max_reason_len: u32::MAX,
        max_proto_len: u32::MAX,
    };
    match frame_type {
        Some(FrameType::RequestHead) => RequestHead::decode(frame, &limits).map(drop),
        _ => Frame::decode(frame, &limits).map(drop),
    }
}

const fn name_of(frame_type: FrameType) -> &'static str {
    match frame_type {
        FrameType::Request => "request",
        FrameType::Response => "response",
        FrameType::ResponseHead => "response head",
        FrameType::Data => "data",
        FrameType::End => "end",
        FrameType::RequestHead => "request head",
    }
}

/// How a slot's bytes are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Block(&'static str),
}

/// The slots of a type, in their order.
const fn slots_of(frame_type: FrameType) -> &'static [(usize, &'static str, Content)] {
    const HEADERS: (usize, &str, Content) = (wire::HEADERS, "headers", Content::Block("header"));
    const BODY: (usize, &str, Content) = (wire::BODY, "body", Content::Text);
    const TRAILERS: (usize, &str, Content) = (wire::TRAILERS, "trailers", Content::Block("trailer"));
    match frame_type {
        FrameType::Request | FrameType::RequestHead => &[
            (wire::METHOD, "method", Content::Text),
            (wire::TARGET, "target", Content::Text),
            (wire::REQUEST_PROTO, "proto", Content::Text),
            HEADERS,
            BODY,
            TRAILERS,
        ],
        FrameType::Response | FrameType::ResponseHead => &[
            (wire::REASON, "reason", Content::Text),
            (wire::RESPONSE_PROTO, "proto", Content::Text),
            HEADERS,
            BODY,
            TRAILERS,
        ],
        FrameType::Data => &[(wire::CHUNK, "chunk", Content::Text)],
        FrameType::End => &[(wire::CHUNK, "trailers", Content::Block("trailer"))],
    }
}

impl<'f> Annotated<'f> {
    fn word(&self, at: usize) -> Option<u32> {
        word(self.frame, at)
    }

    fn header(&self, f: &mut fmt::Formatter<'_>, flags: u16) -> fmt::Result {
        let Some((header, _)) = self.frame.split_first_chunk::<HEADER_LEN>() else {
            return line(f, 0, self.frame, "header", format_args!("cut"));
        };
        let [m0, m1, m2, m3, v0, v1, f0, f1, r0, r1, r2, r3, s0, s1, s2, s3] = *header;
        line(f, 0, &[m0, m1, m2, m3], "magic", format_args!("{}", text(&[m0, m1, m2])))?;
        line(f, 4, &[v0, v1], "version", format_args!("{}", u16::from_le_bytes([v0, v1])))?;
        let streams = if flags & wire::STREAMS == 0 { "" } else { ", knows streamed requests" };
        line(f, 6, &[f0, f1], "flags", format_args!("{flags:#06x}{streams}"))?;
        let (root, size) = ([r0, r1, r2, r3], [s0, s1, s2, s3]);
        line(f, 8, &root, "root", format_args!("at {:04x}", u32::from_le_bytes(root)))?;
        line(f, 12, &size, "size", format_args!("{}", u32::from_le_bytes(size)))
    }

    /// The fixed section, and then what its slots lead to.
    fn section(&self, f: &mut fmt::Formatter<'_>, frame_type: FrameType, root: usize) -> fmt::Result {
        if matches!(frame_type, FrameType::Response | FrameType::ResponseHead)
            && let Some([low, high]) = self.frame.get(root..).and_then(<[u8]>::first_chunk)
        {
            line(f, root, &[*low, *high], "status", format_args!("{}", u16::from_le_bytes([*low, *high])))?;
        }
        let slots = slots_of(frame_type);
        for (offset, name, _) in slots {
            let at = root.saturating_add(*offset);
            let Some(bytes) = self.frame.get(at..).and_then(<[u8]>::first_chunk::<8>) else { return Ok(()) };
            match self.slot(at) {
                None => line(f, at, bytes, name, format_args!("none"))?,
                Some((start, len, Some(_))) => line(f, at, bytes, name, format_args!("{len} bytes at {start:04x}"))?,
                Some((start, len, None)) => {
                    line(f, at, bytes, name, format_args!("{len} bytes at {start:04x}: outside the frame"))?;
                }
            }
        }
        for (offset, name, content) in slots {
            let Some((start, _, Some(bytes))) = self.slot(root.saturating_add(*offset)) else { continue };
            match content {
                _ if bytes.is_empty() => {}
                Content::Text => line(f, start, bytes, name, format_args!("{}", text(bytes)))?,
                Content::Block(pair) => block(f, start, bytes, name, pair)?,
            }
        }
        Ok(())
    }

    /// Where the slot leads, how many bytes are there, and the bytes if they lie in the frame; none if it is null.
    fn slot(&self, at: usize) -> Option<(usize, u32, Option<&'f [u8]>)> {
        let (rel, len) = (self.word(at)?, self.word(at.saturating_add(4))?);
        if rel == 0 {
            return None;
        }
        let start = at.saturating_add(rel as usize);
        Some((start, len, self.frame.get(start..start.saturating_add(len as usize))))
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map(|word| u32::from_le_bytes(*word))
}

/// A block's count and pairs, as far as they are there.
fn block(f: &mut fmt::Formatter<'_>, start: usize, bytes: &[u8], name: &str, pair: &str) -> fmt::Result {
    let Some(count) = word(bytes, 0) else { return line(f, start, bytes, name, format_args!("cut")) };
    line(f, start, bytes.get(..4).unwrap_or_default(), name, format_args!("{count} pairs"))?;
    let mut at = 4_usize;
    for index in 0..count as usize {
        let Some((key, value, next)) = pair_at(bytes, at) else {
            let rest = bytes.get(at..).unwrap_or_default();
            return line(f, start.saturating_add(at), rest, pair, format_args!("cut"));
        };
        if index == MAX_PAIRS {
            return writeln!(f, "        and {} more", (count as usize).saturating_sub(index));
        }
        let all = bytes.get(at..next).unwrap_or_default();
        line(f, start.saturating_add(at), all, pair, format_args!("{}: {}", text(key), text(value)))?;
        at = next;
    }
    Ok(())
}

/// Name and value of the pair at `at`, and where the next one begins.
fn pair_at(bytes: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    let (name, at) = piece_at(bytes, at)?;
    let (value, at) = piece_at(bytes, at)?;
    Some((name, value, at))
}

fn piece_at(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let start = at.checked_add(4)?;
    let end = start.checked_add(word(bytes, at)? as usize)?;
    Some((bytes.get(start..end)?, end))
}

/// Offset, bytes, the field's name, and what it says.
fn line(f: &mut fmt::Formatter<'_>, at: usize, bytes: &[u8], name: &str, says: fmt::Arguments<'_>) -> fmt::Result {
    write!(f, "  {at:04x}  ")?;
    for index in 0..MAX_HEX {
        match bytes.get(index) {
            Some(_) if index == MAX_HEX.saturating_sub(1) && bytes.len() > MAX_HEX => f.write_str(".. ")?,
            Some(byte) => write!(f, "{byte:02x} ")?,
            None => f.write_str("   ")?,
        }
    }
    writeln!(f, " {name:8}  {says}")
}

/// Bytes as text without control characters, cut if they are many.
const fn text(bytes: &[u8]) -> Text<'_> {
    Text(bytes)
}

struct Text<'f>(&'f [u8]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..MAX_TEXT).unwrap_or(self.0);
        write!(f, "\"{}\"", shown.escape_ascii())?;
        if shown.len() < self.0.len() { f.write_str("..") } else { Ok(()) }
    }
}
