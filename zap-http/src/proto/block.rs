//! Header and trailer blocks, read where they lie (wire 1.10).
//!
//! `u32 count`, then per pair `u32 name length, name, u32 value length, value`, all little-endian. What follows the last
//! counted pair is ignored. One walk checks a block's structure and content; iterating walks it again, without errors.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::iter::FusedIterator;

use super::error::{FrameError, FrameErrorKind};
use super::limits::FrameLimits;
use super::syntax::{is_forbidden_trailer, is_text, is_token};

/// The pairs of a header or trailer block, in the order and spelling of the wire.
///
/// A view: `Copy`, and nothing is allocated.
///
/// # Examples
///
/// ```
/// use zap_http::proto::{Encoder, FrameLimits, Request};
///
/// let mut bytes = Vec::new();
/// let mut request = Encoder::message(&mut bytes).request("GET", "/")?;
/// request.header("X-Tag", "one")?.header("x-tag", "two")?;
/// request.finish()?;
///
/// let headers = Request::decode(&bytes, &FrameLimits::new())?.headers();
/// assert_eq!(headers.len(), 2);
/// assert_eq!(headers.get("X-TAG"), Some(&b"one"[..]));
/// assert_eq!(headers.get_last("X-TAG"), Some(&b"two"[..]));
/// assert_eq!(headers.iter().next(), Some((&b"X-Tag"[..], &b"one"[..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Headers<'f> {
    /// Exactly `count` pairs.
    pairs: &'f [u8],
    count: u32,
}

/// Which of the two blocks is read: they differ in their errors, and in the names that they may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Headers,
    Trailers,
}

impl BlockKind {
    const fn pick(self, headers: FrameErrorKind, trailers: FrameErrorKind) -> FrameErrorKind {
        match self {
            Self::Headers => headers,
            Self::Trailers => trailers,
        }
    }

    const fn truncated(self) -> FrameErrorKind {
        self.pick(FrameErrorKind::TruncatedHeaders, FrameErrorKind::TruncatedTrailers)
    }
}

impl<'f> Headers<'f> {
    /// Checks a block that lies at `at` of its frame. An error is about the structure; `content` is told the first thing
    /// that is wrong with what the block holds, or is left alone.
    ///
    /// A block over the limit of its length is not walked: its structure stays unknown.
    #[inline(always)]
    pub(crate) fn check(
        block: &'f [u8],
        at: usize,
        kind: BlockKind,
        limits: &FrameLimits,
        content: &mut Option<FrameError>,
    ) -> Result<Self, FrameError> {
        if block.is_empty() {
            return Ok(Self::default());
        }
        let Walked { end, count } = walk(block, at, kind, limits, content)?;
        Ok(Self { pairs: block.get(COUNT_LEN..end as usize).unwrap_or_default(), count })
    }

    /// The pairs' bytes, lengths and all: what to copy to keep them.
    pub(crate) const fn as_bytes(&self) -> &'f [u8] {
        self.pairs
    }

    /// The pairs in a copy of [`as_bytes`](Self::as_bytes).
    pub(crate) const fn in_copy<'c>(&self, copy: &'c [u8]) -> Headers<'c> {
        Headers { pairs: copy, count: self.count }
    }

    /// The number of pairs.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no pair.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The pairs, names and values as spelled.
    #[must_use]
    #[inline]
    pub const fn iter(&self) -> HeadersIter<'f> {
        HeadersIter { rest: self.pairs, left: self.count }
    }

    /// The value of the first pair with this name, compared without case. Walks the block.
    #[must_use]
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<&'f [u8]> {
        let name = name.as_ref();
        self.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// The value of the last pair with this name, compared without case: the one that counts for `Host`. Walks the block.
    #[must_use]
    pub fn get_last(&self, name: impl AsRef<[u8]>) -> Option<&'f [u8]> {
        let name = name.as_ref();
        self.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name)).last().map(|(_, value)| value)
    }
}

impl<'f> IntoIterator for Headers<'f> {
    type Item = (&'f [u8], &'f [u8]);
    type IntoIter = HeadersIter<'f>;

    fn into_iter(self) -> HeadersIter<'f> {
        self.iter()
    }
}

/// Two blocks are equal if their pairs are, in order and spelling.
impl PartialEq for Headers<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Headers<'_> {}

/// Names only: values may be secrets.
impl fmt::Debug for Headers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|(name, _)| name.escape_ascii().to_string())).finish()
    }
}

/// Iterates over the pairs of [`Headers`].
#[derive(Clone)]
pub struct HeadersIter<'f> {
    rest: &'f [u8],
    left: u32,
}

impl<'f> Iterator for HeadersIter<'f> {
    type Item = (&'f [u8], &'f [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        // The check saw every counted pair, so this does not miss.
        let (name, value, rest) = split_pair(self.rest)?;
        self.rest = rest;
        Some((name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left as usize, Some(self.left as usize))
    }
}

impl ExactSizeIterator for HeadersIter<'_> {}
impl FusedIterator for HeadersIter<'_> {}

impl fmt::Debug for HeadersIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeadersIter").field("left", &self.left).finish_non_exhaustive()
    }
}

/// Bytes of a block before its pairs.
const COUNT_LEN: usize = 4;

/// Where a block's counted pairs end, and how many there are. Small, so that it is handed back in registers.
#[derive(Default)]
struct Walked {
    end: u32,
    count: u32,
}

/// Checks the pairs of a block, as [`Headers::check`] says.
fn walk(
    block: &[u8],
    at: usize,
    kind: BlockKind,
    limits: &FrameLimits,
    content: &mut Option<FrameError>,
) -> Result<Walked, FrameError> {
    if block.len() > limits.max_block_len as usize {
        note(content, kind.pick(FrameErrorKind::HeadersTooLong, FrameErrorKind::TrailersTooLong), at);
        return Ok(Walked::default());
    }
    let truncated = |rest: &[u8]| FrameError::new(kind.truncated(), position(at, block, rest));
    let Some((count, pairs)) = split_u32(block) else { return Err(truncated(block)) };
    if count > limits.max_headers {
        note(content, kind.pick(FrameErrorKind::TooManyHeaders, FrameErrorKind::TooManyTrailers), at);
    }
    let mut rest = pairs;
    for _ in 0..count {
        let Some((name, value, after)) = split_pair(rest) else { return Err(truncated(rest)) };
        if content.is_none()
            && let Some(wrong) = check_pair(name, value, kind)
        {
            note(content, wrong, position(at, block, rest));
        }
        rest = after;
    }
    // The block's length is within a limit that is a u32.
    Ok(Walked { end: block.len().saturating_sub(rest.len()) as u32, count })
}

/// Keeps the first thing that is wrong.
#[cold]
fn note(content: &mut Option<FrameError>, kind: FrameErrorKind, at: usize) {
    content.get_or_insert(FrameError::new(kind, at));
}

/// What HTTP forbids in a pair.
#[inline]
fn check_pair(name: &[u8], value: &[u8], kind: BlockKind) -> Option<FrameErrorKind> {
    if !is_token(name) {
        return Some(kind.pick(FrameErrorKind::InvalidHeaderName, FrameErrorKind::InvalidTrailerName));
    }
    if !is_text(value) {
        return Some(kind.pick(FrameErrorKind::InvalidHeaderValue, FrameErrorKind::InvalidTrailerValue));
    }
    (kind == BlockKind::Trailers && is_forbidden_trailer(name)).then_some(FrameErrorKind::ForbiddenTrailer)
}

#[inline]
fn split_pair(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (name, rest) = split_piece(bytes)?;
    let (value, rest) = split_piece(rest)?;
    Some((name, value, rest))
}

/// A length and so many bytes.
#[inline]
fn split_piece(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = split_u32(bytes)?;
    rest.split_at_checked(usize::try_from(len).ok()?)
}

#[inline]
fn split_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (word, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*word), rest))
}

/// Where in the frame `rest`, the end of `block`, begins.
fn position(at: usize, block: &[u8], rest: &[u8]) -> usize {
    at.saturating_add(block.len().saturating_sub(rest.len()))
}
