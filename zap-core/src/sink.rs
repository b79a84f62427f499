//! What an encoding is made of. A value describes itself once, to a [`Sink`]; one sink counts bytes, the other writes
//! them, so that the two cannot disagree.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::hint;

use crate::header::HEADER_LEN;
use crate::list_view::shape;
use crate::region::{Cell, Copier, MessageWriter};
use crate::{EncodeError, Limits, Native, Slot, Zap};

/// Counts or writes one message. Only this crate implements it; derived code is generic over it.
pub trait Sink: Sized + sealed::Sealed {
    /// Bytes reserved for the slots of one record or the body of one list.
    type Section;

    /// Whether this sink only counts, so that a list of plain elements need not be visited.
    const COUNTS: bool;

    /// Stores `N` bytes at `offset` of a section.
    fn store<const N: usize>(section: &mut Self::Section, offset: usize, bytes: [u8; N]);
    /// Stores bytes at `offset` of a section.
    fn store_slice(section: &mut Self::Section, offset: usize, bytes: &[u8]);
    /// Splits `len` bytes off the front of a list body.
    fn split(body: &mut Self::Section, len: usize) -> Self::Section;
    /// As [`Sink::split`]; `None` if there are not so many.
    fn split_checked(body: &mut Self::Section, len: usize) -> Option<Self::Section>;

    /// Appends text or bytes to the tail region and stores their slot; empty data is the null slot.
    fn tail(&mut self, section: &mut Self::Section, offset: usize, bytes: &[u8]);
    /// Reserves the body of a non-empty fixed-stride list and stores its slot.
    fn run(&mut self, section: &mut Self::Section, offset: usize, shape: Run) -> Self::Section;
    /// Reserves a section behind a signed pointer and stores the pointer. No section is empty: a null pointer is none.
    fn pointed(&mut self, section: &mut Self::Section, offset: usize, size: usize, align: usize) -> Self::Section;
    /// As [`Sink::run`], for elements whose bytes in memory are those on the wire.
    fn run_of_bytes(&mut self, section: &mut Self::Section, offset: usize, shape: Run, bytes: &[u8]);
    /// As [`Sink::run`], for elements that write nothing behind their slots.
    fn run_of_plain<T: Slot<Native>>(&mut self, section: &mut Self::Section, offset: usize, items: &[T]);
    /// Starts a length-prefixed list at a multiple of 8 and, if it has elements, stores its slot.
    fn stream(&mut self, section: &mut Self::Section, offset: usize, count: usize);
    /// Appends one length-prefixed element.
    fn element(&mut self, bytes: &[u8]);
    /// Appends one length-prefixed element that is a complete message.
    fn element_message<R: Root>(&mut self, record: &R);
    /// Copies a complete message in at a multiple of 8 and stores a pointer to its root object.
    fn embed<R: Root>(&mut self, section: &mut Self::Section, offset: usize, record: &R);
    /// Appends a complete message to the tail region and stores its slot.
    fn tail_message<R: Root>(&mut self, section: &mut Self::Section, offset: usize, record: &R);

    /// Counts a list of plain elements, empty or not; false from a sink that does not count.
    #[inline]
    fn counts_plain(&mut self, _: Run) -> bool {
        false
    }
    /// Does `work` with this sink, or with a copy of it that the compiler may keep in registers meanwhile.
    #[inline]
    fn closely(&mut self, work: impl FnOnce(&mut Self)) {
        work(self);
    }

    /// One level down into a list or pointed-to record; false stops there.
    fn descend(&mut self) -> bool;
    /// Back up.
    fn ascend(&mut self);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Counter {}
    impl<C, K> Sealed for crate::region::MessageWriter<'_, C, K> {}
    impl Sealed for crate::update::InPlace<'_> {}
}

/// Lists of plain elements are zeroed and written by blocks of this many bytes, so that a block is still in the
/// processor's nearest cache when its elements are written, however long the list is.
const PLAIN_BLOCK: usize = 4096;

/// The shape of a fixed-stride list: how many elements, how wide, how aligned.
#[derive(Clone, Copy)]
pub struct Run {
    /// Elements.
    pub count: usize,
    /// Bytes an element takes.
    pub stride: usize,
    /// Alignment of the body's start, a power of two.
    pub align: usize,
}

/// Where a record's section goes among the lists of its message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RootPlace {
    /// Right after the header.
    First,
    /// After the lists, at a multiple of 8.
    Last,
}

/// What becomes a message: a record of a derived type, whose answers are constants, or one that is described at run time.
pub trait Root {
    /// The version in the header.
    fn version(&self) -> u16;
    /// Bytes of the root section.
    fn root_size(&self) -> usize;
    /// Where the root section goes.
    fn root_place(&self) -> RootPlace;
    /// Counts or writes the root section and everything behind it.
    fn put_root<S: Sink>(&self, sink: &mut S, section: &mut S::Section);
}

impl<R: Zap> Root for R {
    #[inline(always)]
    fn version(&self) -> u16 {
        R::LAYOUT.version
    }
    #[inline(always)]
    fn root_size(&self) -> usize {
        const { R::LAYOUT.root_size() }
    }
    #[inline(always)]
    fn root_place(&self) -> RootPlace {
        R::ROOT
    }
    #[inline(always)]
    fn put_root<S: Sink>(&self, sink: &mut S, section: &mut S::Section) {
        self.put_fields(sink, section, 0);
    }
}

/// Counts both regions of a message.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    structure: u64,
    tail: u64,
    depth: u8,
    error: Option<EncodeError>,
}

/// The bytes that both regions of a message take, checked to fit the wire.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) structure: u32,
    pub(crate) tail: u32,
}

impl Plan {
    /// Bytes of the whole message; both parts together fit a u32.
    pub(crate) const fn len(self) -> u32 {
        self.structure.wrapping_add(self.tail)
    }
}

/// The furthest a signed 32-bit pointer reaches.
const MAX_STRUCTURE: u64 = i32::MAX as u64;

/// The longest message: what its header's size can say, and no more than a vector can hold on 32-bit machines.
const MAX_MESSAGE: u64 = if (u32::MAX as u64) < isize::MAX as u64 { u32::MAX as u64 } else { isize::MAX as u64 };

const fn align_up(position: u64, align: usize) -> u64 {
    let mask = (align as u64).wrapping_sub(1);
    position.saturating_add(mask) & !mask
}

impl Counter {
    /// Counts the message of `record` as it stands `depth` levels down.
    #[inline(always)]
    fn count<R: Root>(record: &R, depth: u8) -> Self {
        let mut counter = Self { structure: HEADER_LEN as u64, tail: 0, depth, error: None };
        let size = record.root_size();
        if let RootPlace::First = record.root_place() {
            counter.structure = counter.structure.saturating_add(size as u64);
        }
        record.put_root(&mut counter, &mut ());
        if let RootPlace::Last = record.root_place() {
            counter.structure = align_up(counter.structure, 8).saturating_add(size as u64);
        }
        counter
    }

    /// The whole message's length, whether or not it fits the wire.
    #[inline(always)]
    const fn len(&self) -> u64 {
        self.structure.saturating_add(self.tail)
    }

    /// Counts the message of `record`.
    #[inline]
    pub(crate) fn encoded_len<R: Root>(record: &R) -> u64 {
        Self::count(record, 0).len()
    }

    /// Counts the message of `record` and checks that it fits the wire.
    #[inline(always)]
    pub(crate) fn plan<R: Root>(record: &R) -> Result<Plan, EncodeError> {
        let counter = Self::count(record, 0);
        if counter.error.is_none() && counter.structure <= MAX_STRUCTURE && counter.len() <= MAX_MESSAGE {
            return Ok(Plan { structure: counter.structure as u32, tail: counter.tail as u32 });
        }
        Err(counter.too_large())
    }

    #[cold]
    fn too_large(&self) -> EncodeError {
        self.error.unwrap_or(EncodeError::TooLarge { len: self.len() })
    }

    #[cold]
    fn fail(&mut self, error: EncodeError) {
        self.error.get_or_insert(error);
    }

    /// Whether there is one more level.
    #[inline]
    fn has_level(&mut self) -> bool {
        if self.depth >= Limits::DEPTH {
            self.fail(EncodeError::TooDeep);
            return false;
        }
        true
    }
    #[inline(always)]
    fn add_tail(&mut self, len: u64) {
        self.tail = self.tail.saturating_add(len);
    }

    #[inline]
    fn count_elements(&mut self, count: usize) {
        if count as u64 > u32::MAX as u64 {
            self.fail(EncodeError::TooManyElements { count: count as u64 });
        }
    }

    /// Bytes of the complete message of a nested record, one level down.
    fn nested<R: Root>(&mut self, record: &R) -> u64 {
        if !self.descend() {
            return 0;
        }
        let len = self.nested_here(record);
        self.ascend();
        len
    }

    /// As [`Counter::nested`], on the level that this message is on.
    fn nested_here<R: Root>(&mut self, record: &R) -> u64 {
        let nested = Self::count(record, self.depth);
        if let Some(error) = nested.error {
            self.fail(error);
        }
        if nested.len() > MAX_STRUCTURE {
            self.fail(EncodeError::TooLarge { len: nested.len() });
        }
        nested.len()
    }
}

impl Sink for Counter {
    type Section = ();
    const COUNTS: bool = true;

    #[inline]
    fn store<const N: usize>((): &mut (), _: usize, _: [u8; N]) {}
    #[inline]
    fn store_slice((): &mut (), _: usize, _: &[u8]) {}
    #[inline]
    fn split((): &mut (), _: usize) {}
    #[inline]
    fn split_checked((): &mut (), _: usize) -> Option<()> {
        Some(())
    }

    #[inline(always)]
    fn tail(&mut self, (): &mut (), _: usize, bytes: &[u8]) {
        self.add_tail(bytes.len() as u64);
    }
    #[inline]
    fn run(&mut self, (): &mut (), _: usize, shape: Run) {
        self.count_elements(shape.count);
        let len = (shape.count as u64).saturating_mul(shape.stride as u64);
        self.structure = align_up(self.structure, shape.align).saturating_add(len);
    }
    #[inline]
    fn pointed(&mut self, (): &mut (), _: usize, size: usize, align: usize) {
        self.structure = align_up(self.structure, align).saturating_add(size.max(1) as u64);
    }
    #[inline]
    fn run_of_bytes(&mut self, section: &mut (), offset: usize, shape: Run, _: &[u8]) {
        self.run(section, offset, shape);
    }
    #[inline]
    fn run_of_plain<T: Slot<Native>>(&mut self, section: &mut (), offset: usize, items: &[T]) {
        self.run(section, offset, shape::<T>(items.len()));
    }
    fn stream(&mut self, (): &mut (), _: usize, count: usize) {
        self.count_elements(count);
        self.structure = align_up(self.structure, 8);
    }
    fn element(&mut self, bytes: &[u8]) {
        self.structure = self.structure.saturating_add(4).saturating_add(bytes.len() as u64);
    }
    fn element_message<R: Root>(&mut self, record: &R) {
        // The list itself was the level down.
        let len = self.nested_here(record);
        self.structure = self.structure.saturating_add(4).saturating_add(len);
    }
    fn embed<R: Root>(&mut self, (): &mut (), _: usize, record: &R) {
        let len = self.nested(record);
        self.structure = align_up(self.structure, 8).saturating_add(len);
    }
    fn tail_message<R: Root>(&mut self, (): &mut (), _: usize, record: &R) {
        let len = self.nested(record);
        self.add_tail(len);
    }

    /// Short lists may be empty or not at random, where a branch on that would be mispredicted.
    #[inline]
    fn counts_plain(&mut self, shape: Run) -> bool {
        let len = (shape.count as u64).saturating_mul(shape.stride as u64);
        let grown = align_up(self.structure, shape.align).saturating_add(len);
        self.structure = hint::select_unpredictable(shape.count == 0, self.structure, grown);
        let max_count = if self.depth < Limits::DEPTH { u32::MAX } else { 0 };
        if shape.count as u64 > max_count as u64 {
            self.has_level();
            self.count_elements(shape.count);
        }
        true
    }
    #[inline]
    fn closely(&mut self, work: impl FnOnce(&mut Self)) {
        let mut copy = *self;
        work(&mut copy);
        *self = copy;
    }

    #[inline]
    fn descend(&mut self) -> bool {
        let has_level = self.has_level();
        self.depth = self.depth.saturating_add(has_level as u8);
        has_level
    }
    #[inline]
    fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// Reserved bytes of the message, all initialised, and where they are.
pub(crate) struct Reserved<'b, C> {
    bytes: &'b mut [C],
    position: u32,
}

impl<'b, C: Cell> Reserved<'b, C> {
    #[inline]
    fn position_of(&self, offset: usize) -> u32 {
        self.position.wrapping_add(offset as u32)
    }

    #[inline]
    fn store<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) {
        if let Some(target) = self.bytes.get_mut(offset..).and_then(|rest| rest.first_chunk_mut::<N>()) {
            C::store(target, bytes);
        }
    }

    /// Stores a slot whose data starts at `target`. One store of eight bytes, as it will be read.
    #[inline]
    fn link(&mut self, offset: usize, target: u32, len: usize) {
        let rel = target.wrapping_sub(self.position_of(offset));
        let slot = rel as u64 | (len as u64) << 32;
        self.store(offset, slot.to_le_bytes());
    }
}

/// Writes the complete message of `record` over `message`, which is left incomplete if the record does not write what
/// it counted.
#[inline(always)]
pub(crate) fn write_message<R: Root, C: Cell, K: Copier>(
    record: &R,
    message: &mut MessageWriter<'_, C, K>,
    flags: u16,
) {
    let size = record.root_size();
    let len = message.tail.end();
    // Reserving the header and a first root section in one piece lets one bounds check cover both.
    let Some(header) = message.structure.zeroed(HEADER_LEN) else {
        return;
    };
    let root = match record.root_place() {
        RootPlace::First => message.structure.zeroed(size).map(|bytes| (bytes, HEADER_LEN as u32)),
        RootPlace::Last => message.structure.zeroed_end(size),
    };
    let Some((bytes, position)) = root else {
        return;
    };
    if let Some(header) = header.first_chunk_mut::<HEADER_LEN>() {
        let fields = crate::Header { version: record.version(), flags, root: position, size: len };
        C::store(header, fields.to_bytes());
    }
    let mut section = Reserved { bytes, position };
    record.put_root(message, &mut section);
    if let RootPlace::Last = record.root_place() {
        // Between the last list and the section, at most seven bytes.
        message.structure.align(8);
    }
}

impl<C: Cell, K: Copier> MessageWriter<'_, C, K> {
    /// Writes the message of a nested record over `cells`, which are initialised already.
    fn nested<R: Root>(cells: &mut [C], record: &R, structure: usize) {
        if let Some(mut message) = MessageWriter::<C, K>::new(cells, structure) {
            write_message(record, &mut message, 0);
        }
    }

    /// The two lengths of a nested record's message; counted again, since nothing was kept from the first count.
    fn nested_plan<R: Root>(record: &R) -> (usize, usize) {
        let counter = Counter::count(record, 0);
        (counter.structure as usize, counter.len() as usize)
    }
}

impl<'b, C: Cell, K: Copier> Sink for MessageWriter<'b, C, K> {
    type Section = Reserved<'b, C>;
    const COUNTS: bool = false;

    #[inline]
    fn store<const N: usize>(section: &mut Self::Section, offset: usize, bytes: [u8; N]) {
        section.store(offset, bytes);
    }
    #[inline]
    fn store_slice(section: &mut Self::Section, offset: usize, bytes: &[u8]) {
        if let Some(target) = section.bytes.get_mut(offset..).and_then(|rest| rest.get_mut(..bytes.len())) {
            C::store_slice(target, bytes);
        }
    }
    #[inline]
    fn split(body: &mut Self::Section, len: usize) -> Self::Section {
        let position = body.position;
        Self::split_checked(body, len).unwrap_or(Reserved { bytes: &mut [], position })
    }
    #[inline]
    fn split_checked(body: &mut Self::Section, len: usize) -> Option<Self::Section> {
        let bytes = body.bytes.split_off_mut(..len)?;
        let position = body.position;
        body.position = position.wrapping_add(len as u32);
        Some(Reserved { bytes, position })
    }

    #[inline(always)]
    fn tail(&mut self, section: &mut Self::Section, offset: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            section.link(offset, self.tail.position(), bytes.len());
            self.tail.append(bytes);
        }
    }
    #[inline]
    fn run(&mut self, section: &mut Self::Section, offset: usize, shape: Run) -> Self::Section {
        self.structure.align(shape.align);
        let position = self.structure.position();
        let bytes = self.structure.zeroed(shape.count.wrapping_mul(shape.stride)).unwrap_or_default();
        section.link(offset, position, shape.count);
        Reserved { bytes, position }
    }
    #[inline]
    fn pointed(&mut self, section: &mut Self::Section, offset: usize, size: usize, align: usize) -> Self::Section {
        self.structure.align(align);
        let position = self.structure.position();
        let bytes = self.structure.zeroed(size.max(1)).unwrap_or_default();
        Self::store(section, offset, position.wrapping_sub(section.position_of(offset)).to_le_bytes());
        Reserved { bytes, position }
    }
    #[inline]
    fn run_of_bytes(&mut self, section: &mut Self::Section, offset: usize, shape: Run, bytes: &[u8]) {
        self.structure.align(shape.align);
        section.link(offset, self.structure.position(), shape.count);
        self.structure.append(bytes);
    }
    fn run_of_plain<T: Slot<Native>>(&mut self, section: &mut Self::Section, offset: usize, items: &[T]) {
        let shape = shape::<T>(items.len());
        self.structure.align(shape.align);
        section.link(offset, self.structure.position(), shape.count);
        for items in items.chunks(PLAIN_BLOCK.checked_div(T::WIDTH).unwrap_or(1).max(1)) {
            let position = self.structure.position();
            let bytes = self.structure.zeroed(items.len().wrapping_mul(T::WIDTH)).unwrap_or_default();
            let mut block = Reserved { bytes, position };
            for item in items {
                let Some(mut element) = Self::split_checked(&mut block, T::WIDTH) else { return };
                item.put(self, &mut element, 0);
            }
        }
    }
    fn stream(&mut self, section: &mut Self::Section, offset: usize, count: usize) {
        self.structure.align(8);
        if count > 0 {
            section.link(offset, self.structure.position(), count);
        }
    }
    fn element(&mut self, bytes: &[u8]) {
        self.structure.append(&(bytes.len() as u32).to_le_bytes());
        self.structure.append(bytes);
    }
    fn element_message<R: Root>(&mut self, record: &R) {
        let (structure, len) = Self::nested_plan(record);
        self.structure.append(&(len as u32).to_le_bytes());
        if let Some(cells) = self.structure.zeroed(len) {
            Self::nested(cells, record, structure);
        }
    }
    fn embed<R: Root>(&mut self, section: &mut Self::Section, offset: usize, record: &R) {
        let (structure, len) = Self::nested_plan(record);
        self.structure.align(8);
        let target = self.structure.position().wrapping_add(HEADER_LEN as u32);
        if let Some(cells) = self.structure.zeroed(len) {
            Self::nested(cells, record, structure);
        }
        Self::store(section, offset, target.wrapping_sub(section.position_of(offset)).to_le_bytes());
    }
    fn tail_message<R: Root>(&mut self, section: &mut Self::Section, offset: usize, record: &R) {
        let (structure, len) = Self::nested_plan(record);
        let target = self.tail.position();
        if let Some(cells) = self.tail.zeroed(len) {
            Self::nested(cells, record, structure);
        }
        section.link(offset, target, len);
    }

    #[inline]
    fn descend(&mut self) -> bool {
        true
    }
    #[inline]
    fn ascend(&mut self) {}
}
