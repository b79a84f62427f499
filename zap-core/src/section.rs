//! A fixed section inside a checked message, and every load the typed layer does: scalars out of the section, and
//! the targets of its slots. Nothing else in the typed layer adds offsets.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::hint;
use core::ops::Range;

use crate::header::{HEADER_LEN, MAGIC, VERSION_1};
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, Header, Limits, Place};

/// The fixed section of one record inside a message: what views hold and accessors read.
///
/// All positions count from the first byte of the input, also inside messages that are embedded in other messages,
/// so that errors name a byte the caller can find.
#[derive(Clone, Copy)]
pub struct Section<'m> {
    /// From the first input byte to the end of the innermost message.
    message: &'m [u8],
    /// The fixed section: exactly as long as the record's layout says.
    bytes: &'m [u8],
    /// Where `bytes` starts.
    position: u32,
    /// The section that holds this one: itself, or, for an inline record or array element, the section it is part of.
    /// No slot may point into it.
    container: (u32, u32),
    /// Where the innermost message starts: 0, except inside embedded messages.
    floor: u32,
    /// Levels of pointers and lists that may still be followed.
    depth: u8,
}

/// Which slot of a section is being read, and what to call it in an error.
#[derive(Clone, Copy)]
pub struct Field {
    /// Bytes from the start of the section.
    pub offset: usize,
    /// Record and field name for errors.
    pub place: &'static Place,
}

/// The header's first eight bytes with the flags left out, version 1: what almost every message starts with.
const CANONICAL_START: u64 =
    u64::from_le_bytes([MAGIC[0], MAGIC[1], MAGIC[2], MAGIC[3], VERSION_1 as u8, (VERSION_1 >> 8) as u8, 0, 0]);
const WITHOUT_FLAGS: u64 = 0x0000_ffff_ffff_ffff;

/// More than the bytes of any list that is inside a message, and far from the end of 64 bits.
const MAX_LEN: u64 = 1 << 62;

/// Splits a slot word into `rel` and the length or count.
#[inline]
const fn halves(slot: u64) -> (u32, u32) {
    (slot as u32, (slot >> 32) as u32)
}

impl<'m> Section<'m> {
    /// Checks the header of `bytes` and that a root section of `size` bytes lies inside the message.
    ///
    /// A few flat conditions decide the canonical case (version 1, root right after the header); everything else, wrong
    /// or merely unusual, is sorted out by a cold function.
    #[inline(always)]
    pub(crate) fn open(bytes: &'m [u8], size: usize, place: &'static Place) -> Result<Self, DecodeError> {
        if let Some(header) = bytes.first_chunk::<HEADER_LEN>() {
            let header = u128::from_le_bytes(*header);
            let (root, len) = halves((header >> 64) as u64);
            let len = len as usize;
            let end = HEADER_LEN.saturating_add(size);
            let is_canonical = header as u64 & WITHOUT_FLAGS == CANONICAL_START && root as usize == HEADER_LEN;
            if is_canonical
                && len <= bytes.len()
                && len >= end
                && let (Some(message), Some(section)) = (bytes.get(..len), bytes.get(HEADER_LEN..end))
            {
                return Ok(Self::whole(message, section, HEADER_LEN as u32, 0, Limits::DEPTH));
            }
        }
        let (root, len) = halves(locate_unusual(bytes, size, place)?);
        let message = bytes.get(..len as usize).unwrap_or_default();
        match message.get(root as usize..).and_then(|rest| rest.get(..size)) {
            Some(section) => Ok(Self::whole(message, section, root, 0, Limits::DEPTH)),
            None => Err(refuse(DecodeErrorKind::SectionOutOfBounds, root as usize, place)),
        }
    }

    /// Opens a message of the canonical form and of at most `max_len` bytes; `None` where [`Section::open`] is to tell.
    ///
    /// With the halves of the header's second word exchanged and the canonical root taken off, the length is left, or,
    /// if the root is another one, more than any limit.
    #[inline(always)]
    pub(crate) fn open_canonical(bytes: &'m [u8], size: usize, max_len: u32) -> Option<Self> {
        let header = u128::from_le_bytes(*bytes.first_chunk::<HEADER_LEN>()?);
        let len = ((header >> 64) as u64).rotate_left(32).wrapping_sub((HEADER_LEN as u64) << 32);
        let end = HEADER_LEN.saturating_add(size);
        if header as u64 & WITHOUT_FLAGS != CANONICAL_START || len > max_len as u64 {
            return None;
        }
        let message = bytes.get(..len as usize)?;
        Some(Self::whole(message, message.get(HEADER_LEN..end)?, HEADER_LEN as u32, 0, Limits::DEPTH))
    }

    /// Opens the message that starts at `floor` and may extend to the end of `message`.
    pub(crate) fn open_at(message: &'m [u8], floor: u32, size: usize, depth: u8) -> Result<Self, DecodeError> {
        let start = floor as usize;
        let shift =
            |error: DecodeError| DecodeError::new(error.kind(), (error.offset() as usize).saturating_add(start));
        let inner = message.get(start..).unwrap_or_default();
        let header = Header::parse(inner).map_err(shift)?;
        if (header.root as usize) < HEADER_LEN {
            return Err(shift(DecodeError::new(DecodeErrorKind::MissingRoot, 8)));
        }
        // Both ends fit: `parse` has compared the size with the bytes there are.
        let message = message.get(..start.saturating_add(header.size as usize)).unwrap_or_default();
        let position = (header.root as usize).saturating_add(start);
        match message.get(position..).and_then(|rest| rest.get(..size)) {
            Some(bytes) => Ok(Self::whole(message, bytes, position as u32, floor, depth)),
            None => Err(DecodeError::new(DecodeErrorKind::SectionOutOfBounds, position)),
        }
    }

    /// A section that an owning view opened before, found again without its checks; all zero if it is not there.
    pub(crate) fn reopen(message: &'m [u8], position: u32, size: usize, depth: u8) -> Self {
        let bytes = message.get(position as usize..).and_then(|rest| rest.get(..size)).unwrap_or_default();
        Self::whole(message, bytes, position, 0, depth)
    }

    /// The section that starts where this one does and is `len` bytes long, if the message is.
    pub(crate) fn resized(self, len: usize) -> Option<Self> {
        let bytes = self.message.get(self.position as usize..)?.get(..len)?;
        Some(Self::whole(self.message, bytes, self.position, self.floor, self.depth))
    }

    /// A section that is no part of another.
    #[inline]
    fn whole(message: &'m [u8], bytes: &'m [u8], position: u32, floor: u32, depth: u8) -> Self {
        let container = (position, position.wrapping_add(bytes.len() as u32));
        Self { message, bytes, position, container, floor, depth }
    }

    /// The same section with another number of levels left.
    #[must_use]
    pub(crate) const fn with_depth(mut self, depth: u8) -> Self {
        self.depth = depth;
        self
    }

    /// The message up to its own end.
    pub(crate) const fn message(self) -> &'m [u8] {
        self.message
    }

    /// The bytes of the section.
    pub(crate) const fn bytes(self) -> &'m [u8] {
        self.bytes
    }

    /// Where the section starts.
    pub(crate) const fn position(self) -> u32 {
        self.position
    }

    /// The position of byte `offset` of the section, for errors.
    #[inline]
    pub(crate) const fn position_of(self, offset: usize) -> usize {
        (self.position as usize).saturating_add(offset)
    }

    /// An error at a field of this section.
    #[inline(always)]
    pub(crate) fn error(self, kind: DecodeErrorKind, field: Field) -> DecodeError {
        refuse(kind, self.position_of(field.offset), field.place)
    }

    /// As [`Section::error`], with the position told from where the section lies in memory: a loop over elements then need
    /// not keep their positions for an error that never comes.
    #[inline(always)]
    pub(crate) fn error_in_place(self, kind: DecodeErrorKind, field: Field) -> DecodeError {
        refuse_in_place(kind, self.message.as_ptr(), self.bytes.as_ptr(), field.offset, field.place)
    }

    /// `N` bytes at a constant offset. By construction they are there; zeros otherwise.
    #[inline]
    pub(crate) fn load<const N: usize>(self, offset: usize) -> [u8; N] {
        *self.load_ref(offset)
    }

    /// As [`Section::load`], borrowed.
    #[inline]
    pub(crate) fn load_ref<const N: usize>(self, offset: usize) -> &'m [u8; N] {
        match self.bytes.get(offset..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(chunk) => chunk,
            None => const { &[0; N] },
        }
    }

    /// The part of this section that an inline record or array element takes.
    #[inline]
    pub(crate) fn part(self, offset: usize, width: usize) -> Self {
        let bytes = self.bytes.get(offset..).and_then(|rest| rest.get(..width)).unwrap_or_default();
        Self { bytes, position: self.position.wrapping_add(offset as u32), ..self }
    }

    /// The part of a list body that an element takes: a section of its own.
    #[inline]
    pub(crate) fn element(self, offset: usize, width: usize) -> Self {
        self.own(self.part(offset, width).bytes, offset)
    }

    /// All elements of a list body, front to back: cut to a constant width, so that loads from them need no checks.
    #[inline]
    pub(crate) fn elements(self, width: usize) -> impl Iterator<Item = Self> {
        let parts = self.bytes.chunks_exact(width.max(1)).enumerate();
        parts.map(move |(index, bytes)| self.own(bytes, index.wrapping_mul(width)))
    }

    /// These bytes of a list body, at `offset`, as a section of their own.
    #[inline]
    fn own(self, bytes: &'m [u8], offset: usize) -> Self {
        Self::whole(self.message, bytes, self.position.wrapping_add(offset as u32), self.floor, self.depth)
    }

    /// As [`Section::element`]; `None` past the body's end.
    #[inline]
    pub(crate) fn element_checked(self, offset: usize, width: usize) -> Option<Self> {
        Some(self.own(self.bytes.get(offset..)?.get(..width)?, offset))
    }

    /// The raw word of a text, bytes or list slot.
    #[inline]
    pub(crate) fn slot(self, offset: usize) -> u64 {
        u64::from_le_bytes(self.load::<8>(offset))
    }

    /// Whether a text, bytes or list slot is null or empty.
    pub(crate) fn is_empty_slot(self, offset: usize) -> bool {
        let (rel, len) = halves(self.slot(offset));
        rel == 0 || len == 0
    }

    /// Where the data of a text or bytes slot lies: start and end in the message. `None` if the slot is null or wrong.
    ///
    /// `rel` is unsigned, so the sums below are of at most three 32-bit numbers: 64 bits hold them (wire 1.2).
    #[inline(always)]
    fn resolve(self, field: Field) -> Option<(usize, usize)> {
        let (rel, len) = halves(self.slot(field.offset));
        let slot = (self.position as u64).wrapping_add(field.offset as u64);
        let start = slot.wrapping_add(rel as u64);
        let end = start.wrapping_add(len as u64);
        (start >= self.container.1 as u64 && end <= self.message.len() as u64).then_some((start as usize, end as usize))
    }

    /// Why a text or bytes slot did not resolve; `None` if it is empty.
    #[inline(always)]
    fn unresolved(self, field: Field) -> Option<DecodeError> {
        wrong_tail(self.slot(field.offset), self.message.len(), self.position_of(field.offset), field.place)
    }

    /// Null, or "present and empty": a slot of length 0 that points at its own length word.
    fn is_null_or_own_length(self, field: Field) -> bool {
        is_null_or_own_length(self.slot(field.offset))
    }

    /// The bytes of a text or bytes slot; null is empty.
    #[inline(always)]
    pub(crate) fn tail_bytes(self, field: Field) -> Result<&'m [u8], DecodeError> {
        if let Some((start, end)) = self.resolve(field)
            && let Some(bytes) = self.message.get(start..end)
        {
            return Ok(bytes);
        }
        self.unresolved(field).map_or(Ok(&[]), Err)
    }

    /// The text of a text slot, checked to be UTF-8; null is empty.
    #[inline(always)]
    pub(crate) fn tail_text(self, field: Field) -> Result<&'m str, DecodeError> {
        if let Some((start, end)) = self.resolve(field) {
            return match crate::trusted::ascii(self.message, start, end) {
                Some(text) => Ok(text),
                None => unusual_text(self.message, start, end, field.place),
            };
        }
        self.unresolved(field).map_or(Ok(""), Err)
    }

    /// Checks a text slot; only where its text lies, if the walk leaves the content of texts for later.
    #[inline(always)]
    pub(crate) fn check_text<const METERED: bool>(
        self,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        let Some((start, end)) = self.resolve(field) else {
            return self.unresolved(field).map_or(Ok(()), Err);
        };
        if walk.leaves_text(start, end) {
            return Ok(());
        }
        check_content(self.message, start, end, field.place)?;
        walk.spend(end.saturating_sub(start), self.position_of(field.offset))
    }

    /// Checks a bytes slot.
    #[inline(always)]
    pub(crate) fn check_bytes<const METERED: bool>(
        self,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        let bytes = self.tail_bytes(field)?;
        walk.spend(bytes.len(), self.position_of(field.offset))
    }

    /// The target position of a signed pointer that is not null.
    fn follow(self, rel: i32, field: Field) -> Result<u32, DecodeError> {
        let slot = (self.position as i64).wrapping_add(field.offset as i64);
        let target = slot.wrapping_add(rel as i64);
        let first = (self.floor as i64).wrapping_add(HEADER_LEN as i64);
        let (container_start, container_end) = self.container;
        if target < first || target >= self.message.len() as i64 {
            Err(self.error(DecodeErrorKind::PointerOutOfBounds, field))
        } else if target >= container_start as i64 && target < container_end as i64 {
            Err(self.error(DecodeErrorKind::PointerIntoSection, field))
        } else {
            Ok(target as u32)
        }
    }

    /// One level down, or the error that there is none.
    fn deeper(self, field: Field) -> Result<u8, DecodeError> {
        self.depth.checked_sub(1).ok_or_else(|| self.error(DecodeErrorKind::DepthExceeded, field))
    }

    /// The body of a fixed-stride list slot, bounds-checked once as a whole; null and count 0 are an empty body.
    #[inline]
    pub(crate) fn run(self, stride: usize, field: Field) -> Result<Self, DecodeError> {
        let (rel, count) = halves(self.slot(field.offset));
        if self.is_null_or_own_length(field) {
            return Ok(Self { bytes: &[], ..self });
        }
        let start = self.follow(rel as i32, field)?;
        let depth = self.deeper(field)?;
        let len = (count as u64).saturating_mul(stride as u64);
        let rest = self.message.get(start as usize..).unwrap_or_default();
        match usize::try_from(len).ok().and_then(|len| rest.get(..len)) {
            Some(bytes) => Ok(Self { bytes, position: start, depth, ..self }),
            None => Err(self.error(DecodeErrorKind::PointerOutOfBounds, field)),
        }
    }

    /// Checks the slot of a list of elements that cannot be wrong, and pays for the body.
    ///
    /// Null lists may lie among others at random, where a branch on that would be mispredicted. So whatever can be wrong
    /// or is unusual, a pointer backwards for one, makes one sign bit, and that of a null slot does not count.
    #[inline(always)]
    pub(crate) fn check_run<const METERED: bool>(
        self,
        stride: usize,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        let slot = self.slot(field.offset);
        let (rel, count) = halves(slot);
        let start = (self.position as i64).wrapping_add(field.offset as i64).wrapping_add(rel as i32 as i64);
        let len = (count as u64).saturating_mul(stride as u64).min(MAX_LEN) as i64;
        let left = (walk.left() as i64).wrapping_sub(len);
        let message_len = self.message.len() as i64;
        let wrong = start.wrapping_sub(self.container.1 as i64)
            | message_len.wrapping_sub(start).wrapping_sub(len)
            | len.wrapping_sub(1)
            | (self.depth as i64).wrapping_sub(1)
            | left;
        // A length is never negative; since the compiler does not know that, it does not make a branch of this.
        if hint::select_unpredictable(slot == 0, message_len, wrong) < 0 {
            let origin = Origin {
                position: self.position_of(field.offset),
                container: self.container,
                floor: self.floor,
                depth: self.depth,
            };
            let (start, len) = unusual_run(self.message, origin, slot, stride, field.place)?;
            return walk.spend(len, start as usize);
        }
        walk.leave(left as u64);
        Ok(())
    }

    /// The element stream of a length-prefixed list slot and its count: the bytes from its start to the message's end.
    pub(crate) fn stream(self, field: Field) -> Result<(Self, u32), DecodeError> {
        let (rel, count) = halves(self.slot(field.offset));
        if self.is_null_or_own_length(field) {
            return Ok((Self { bytes: &[], ..self }, 0));
        }
        let start = self.follow(rel as i32, field)?;
        let depth = self.deeper(field)?;
        let bytes = self.message.get(start as usize..).unwrap_or_default();
        // Every element has at least its length word.
        if (count as u64).wrapping_mul(4) > bytes.len() as u64 {
            return Err(self.error(DecodeErrorKind::ListTooShort, field));
        }
        Ok((Self { bytes, position: start, depth, ..self }, count))
    }

    /// Takes the next element off the front of a stream.
    pub(crate) fn next_element(&mut self, place: &'static Place) -> Result<Self, DecodeError> {
        let short = || DecodeError::new(DecodeErrorKind::ListTooShort, self.position as usize).at(place);
        let (word, rest) = self.bytes.split_first_chunk::<4>().ok_or_else(short)?;
        let len = u32::from_le_bytes(*word);
        let (entry, rest) = rest.split_at_checked(len as usize).ok_or_else(short)?;
        let position = self.position.wrapping_add(4);
        self.bytes = rest;
        self.position = position.wrapping_add(len);
        Ok(Self { bytes: entry, position, ..*self })
    }

    /// The section of a record that a signed pointer leads to; `None` for null.
    pub(crate) fn pointed_section(self, size: usize, field: Field) -> Result<Option<Self>, DecodeError> {
        let rel = i32::from_le_bytes(self.load::<4>(field.offset));
        if rel == 0 {
            return Ok(None);
        }
        let start = self.follow(rel, field)?;
        let depth = self.deeper(field)?;
        match self.message.get(start as usize..).and_then(|rest| rest.get(..size)) {
            Some(bytes) => Ok(Some(Self::whole(self.message, bytes, start, self.floor, depth))),
            None => Err(DecodeError::new(DecodeErrorKind::SectionOutOfBounds, start as usize).at(field.place)),
        }
    }

    /// The root section of the complete message that these bytes (an element or a bytes slot's data) are.
    pub(crate) fn embedded(self, size: usize) -> Result<Self, DecodeError> {
        // Bytes after the embedded message's own size are ignored, but not those after the element.
        let end = self.position_of(self.bytes.len());
        let message = self.message.get(..end).unwrap_or_default();
        Self::open_at(message, self.position, size, self.depth)
    }

    /// The data of a bytes slot as the body of a list; null is empty.
    pub(crate) fn tail_body(self, field: Field) -> Result<Self, DecodeError> {
        match self.resolve(field) {
            Some((start, end)) => {
                let bytes = self.message.get(start..end).unwrap_or_default();
                Ok(Self { bytes, position: start as u32, ..self })
            }
            None => self.unresolved(field).map_or(Ok(Self { bytes: &[], ..self }), Err),
        }
    }

    /// The data of a bytes slot as a section of its own, one level down; `None` for null.
    pub(crate) fn tail_section(self, field: Field) -> Result<Option<Self>, DecodeError> {
        if self.slot(field.offset) as u32 == 0 {
            return Ok(None);
        }
        let depth = self.deeper(field)?;
        let Some((start, end)) = self.resolve(field) else {
            return self.unresolved(field).map_or(Ok(None), Err);
        };
        let bytes = self.message.get(start..end).unwrap_or_default();
        Ok(Some(Self { bytes, position: start as u32, depth, ..self }))
    }
}

/// The elements of a list body that are still to be visited.
#[derive(Clone, Copy)]
pub(crate) struct Elements<'m> {
    /// The body up to the last one.
    body: Section<'m>,
    /// Where in it the first one starts.
    front: usize,
}

impl<'m> Elements<'m> {
    /// All elements of a list body.
    #[inline]
    pub(crate) const fn of(body: Section<'m>) -> Self {
        Self { body, front: 0 }
    }

    /// Bytes that are left.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.body.bytes.len().saturating_sub(self.front)
    }

    /// Takes the first `width` bytes off; `None` at the end.
    ///
    /// One number is all that changes, and one comparison with another that does not is all that is checked: the two
    /// below it follow from it, and the compiler sees that.
    #[inline]
    pub(crate) fn next(&mut self, width: usize) -> Option<Section<'m>> {
        let last = self.body.bytes.len().checked_sub(width)?;
        let front = self.front;
        if front > last {
            return None;
        }
        let bytes = self.body.bytes.get(front..)?.get(..width)?;
        self.front = front.wrapping_add(width);
        Some(self.body.own(bytes, front))
    }

    /// Takes the last `width` bytes off; `None` where nothing is left.
    #[inline]
    pub(crate) fn next_back(&mut self, width: usize) -> Option<Section<'m>> {
        let last = self.body.bytes.len().checked_sub(width)?;
        if self.front > last {
            return None;
        }
        let (rest, bytes) = self.body.bytes.split_at_checked(last)?;
        self.body.bytes = rest;
        Some(self.body.own(bytes, last))
    }
}

/// A section without its borrow of the message: what a view that may change the message holds beside it.
#[derive(Clone, Copy)]
pub(crate) struct Location {
    message_end: usize,
    position: u32,
    len: usize,
    container: (u32, u32),
    floor: u32,
    depth: u8,
}

impl Section<'_> {
    /// Where the section is.
    pub(crate) const fn location(self) -> Location {
        let Self { message, bytes, position, container, floor, depth } = self;
        Location { message_end: message.len(), position, len: bytes.len(), container, floor, depth }
    }
}

impl Location {
    /// The section again, in the message that it was located in; all zero in another.
    pub(crate) fn section(self, input: &[u8]) -> Section<'_> {
        let Self { message_end, position, len, container, floor, depth } = self;
        let message = input.get(..message_end).unwrap_or_default();
        let bytes = message.get(position as usize..).and_then(|rest| rest.get(..len)).unwrap_or_default();
        Section { message, bytes, position, container, floor, depth }
    }

    /// Where the whole section lies in the input.
    pub(crate) fn range(self) -> Range<usize> {
        let start = self.position as usize;
        start..start.saturating_add(self.len)
    }

    /// Where a field of the section lies in the input.
    pub(crate) fn range_of(self, offset: usize, width: usize) -> Range<usize> {
        let start = (self.position as usize).saturating_add(offset);
        start..start.saturating_add(width)
    }
}

// The functions below are the other side of the branches above. They take their arguments in registers: a section
// handed over by reference would have to live in memory on the fast side too.

/// An error at `position` in the field `place`.
#[cold]
#[inline(never)]
fn refuse(kind: DecodeErrorKind, position: usize, place: &'static Place) -> DecodeError {
    DecodeError::new(kind, position).at(place)
}

/// An error in the field `place` at byte `offset` of a section, told from the addresses of message and section.
#[cold]
#[inline(never)]
fn refuse_in_place(
    kind: DecodeErrorKind,
    message: *const u8,
    section: *const u8,
    offset: usize,
    place: &'static Place,
) -> DecodeError {
    DecodeError::new(kind, section.addr().saturating_sub(message.addr()).saturating_add(offset)).at(place)
}

/// Root and length of a message whose header is not the canonical one, packed as in the header.
#[cold]
#[inline(never)]
fn locate_unusual(bytes: &[u8], size: usize, place: &'static Place) -> Result<u64, DecodeError> {
    let section = Section::open_at(bytes, 0, size, Limits::DEPTH).map_err(|error| error.at(place))?;
    Ok(section.position as u64 | (section.message.len() as u64) << 32)
}

/// Null, or "present and empty": a slot of length 0 that points at its own length word.
const fn is_null_or_own_length(slot: u64) -> bool {
    let (rel, len) = halves(slot);
    rel == 0 || (rel == 4 && len == 0)
}

/// What is wrong with a text or bytes slot that did not resolve; `None` if it is empty without pointing anywhere.
#[cold]
#[inline(never)]
fn wrong_tail(slot: u64, message_len: usize, position: usize, place: &'static Place) -> Option<DecodeError> {
    if is_null_or_own_length(slot) {
        return None;
    }
    let (rel, len) = halves(slot);
    let end = (position as u64).wrapping_add(rel as u64).wrapping_add(len as u64);
    let kind = if end > message_len as u64 {
        DecodeErrorKind::PointerOutOfBounds
    } else {
        DecodeErrorKind::PointerIntoSection
    };
    Some(refuse(kind, position, place))
}

/// Looks at one text. Out of line, so that where texts are left for later, the loop over them is small.
#[inline(never)]
fn check_content(message: &[u8], start: usize, end: usize, place: &'static Place) -> Result<(), DecodeError> {
    match crate::trusted::ascii(message, start, end) {
        Some(_) => Ok(()),
        None => unusual_text(message, start, end, place).map(drop),
    }
}

/// Where a slot lies and where it may point: of a section, what [`unusual_run`] needs.
struct Origin {
    position: usize,
    container: (u32, u32),
    floor: u32,
    depth: u8,
}

/// Where the body of a list lies that is not null and not simply a body behind its slot, or what is wrong with it.
#[cold]
#[inline(never)]
fn unusual_run(
    message: &[u8],
    origin: Origin,
    slot: u64,
    stride: usize,
    place: &'static Place,
) -> Result<(u32, usize), DecodeError> {
    let Origin { position, container, floor, depth } = origin;
    let slot = slot.to_le_bytes();
    let section = Section { message, bytes: &slot, position: position as u32, container, floor, depth };
    let body = section.run(stride, Field { offset: 0, place })?;
    Ok((body.position, body.bytes.len()))
}

/// Text that is not ASCII, or not text.
#[cold]
#[inline(never)]
fn unusual_text<'m>(
    message: &'m [u8],
    start: usize,
    end: usize,
    place: &'static Place,
) -> Result<&'m str, DecodeError> {
    utf8(message.get(start..end).unwrap_or_default(), start).map_err(|error| error.at(place))
}

/// Checks text of any length and content, and names the first byte that is wrong.
#[cold]
pub(crate) fn utf8(bytes: &[u8], position: usize) -> Result<&str, DecodeError> {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(text);
    }
    let valid = simdutf8::compat::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    Err(DecodeError::new(DecodeErrorKind::InvalidUtf8, position.saturating_add(valid)))
}
