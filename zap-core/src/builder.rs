//! The Go-shaped builder: objects and lists by offset, for layouts known only at run time (wire 1.4).
//!
//! Invariants: the buffer holds the header's 16 bytes and is never longer than `u32::MAX`; an object's section is
//! `start..end` of it; queued data lives in one arena and is chained per object, so that many objects may be open at
//! once without an allocation each.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::vec::Vec;
use core::fmt;

mod handle;
mod queue;

use self::handle::Stamp;
pub use self::handle::{ListHandle, ListTarget, ObjectHandle, Target};
use self::queue::{Chain, Queue};
use crate::{EncodeError, HEADER_LEN, Header, VERSION_1, VERSION_2};

/// Writes a message field by field, with the calls and the bytes of the public Go runtime's builder.
///
/// For records with a known layout, [`Zap`](crate::Zap) is shorter and faster. The builder is for the rest: layouts known
/// at run time, bytes that must equal a Go program's, tests that need an odd message.
///
/// Several objects and lists may be open at once. Each is named by a handle that finishing takes away, so a field cannot
/// be set too late. Text and bytes are queued and follow their object's section when it is finished, in the order of the
/// calls. Children can be finished before or after their parent has started; the pointer is signed.
///
/// # Errors
///
/// Every method that fails leaves the message as it was. [`EncodeError::TooLarge`] if the message would not fit the wire,
/// [`EncodeError::OutOfMemory`] if the memory cannot be had, [`EncodeError::StaleHandle`] for a handle or target of another
/// builder or of before a [`reset`](Builder::reset), [`EncodeError::NotLast`] where the Go runtime would write into bytes
/// that belong to something else.
///
/// # Panics
///
/// Never, whatever the order of the calls.
///
/// # Cost
///
/// Sets are O(1) plus the bytes copied. Queued data is copied twice. Nothing is allocated once the builder's buffers have
/// grown to the size of the messages it is reused for.
///
/// # Examples
///
/// ```
/// use zap_core::{Builder, Message};
///
/// let mut builder = Builder::new();
/// let user = builder.start_object(20)?;
/// builder.set_u32(&user, 0, 5)?;
/// builder.set_text(&user, 4, "hi")?;
///
/// let address = builder.start_object(8)?;
/// builder.set_text(&address, 0, "4 Fjord Road")?;
/// let address = builder.finish_object(address)?;
/// builder.set_object(&user, 12, address)?;
///
/// builder.finish_as_root(user)?;
/// let bytes = builder.finish();
///
/// let user = Message::parse(bytes).unwrap().root();
/// assert_eq!(user.u32(0), 5);
/// assert_eq!(user.object(12).text(0).to_str(), Ok("4 Fjord Road"));
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
///
/// A list, and one builder for many messages:
///
/// ```
/// # use zap_core::{Builder, Message};
/// let mut builder = Builder::with_capacity(4096);
/// for base in 0..3 {
///     builder.reset();
///     let ports = builder.start_list()?;
///     builder.list_add_u32(&ports, base)?;
///     builder.list_add_u32(&ports, base + 1)?;
///     let ports = builder.finish_list(ports)?;
///
///     let root = builder.start_object(8)?;
///     builder.set_list(&root, 0, ports)?;
///     builder.finish_as_root(root)?;
///     let root = Message::parse(builder.finish_with_flags(0x0100)).unwrap().root();
///     assert_eq!(root.list(0).u32_at(1), base + 1);
/// }
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
pub struct Builder {
    buf: Vec<u8>,
    root: u32,
    flags: u16,
    version: u16,
    stamp: Stamp,
    objects: Vec<OpenObject>,
    lists: Vec<OpenList>,
    queue: Queue,
}

/// One setter per scalar width.
macro_rules! set_scalars {
    ($($name:ident: $scalar:ident)*) => {$(
        #[doc = concat!("Writes the `", stringify!($scalar), "` at `offset` of `object`.")]
        ///
        /// # Errors
        ///
        /// As all sets: [`EncodeError::StaleHandle`], and past the object's size, where the section is extended with
        /// zeros, [`EncodeError::NotLast`] if something was written behind it and [`EncodeError::TooLarge`].
        #[inline]
        pub fn $name(&mut self, object: &ObjectHandle, offset: usize, value: $scalar) -> Result<(), EncodeError> {
            self.put(object, offset, &value.to_le_bytes())
        }
    )*};
}

/// One append per packed width.
macro_rules! list_add_scalars {
    ($($name:ident: $scalar:ident)*) => {$(
        #[doc = concat!("Appends a packed `", stringify!($scalar), "` to `list` and counts 1.")]
        ///
        /// # Errors
        ///
        /// As all list methods: [`EncodeError::StaleHandle`], [`EncodeError::NotLast`] if anything was written since the
        /// last element, [`EncodeError::TooLarge`] and [`EncodeError::TooManyElements`].
        #[inline]
        pub fn $name(&mut self, list: &ListHandle, value: $scalar) -> Result<(), EncodeError> {
            self.list_add(list, &[], &value.to_le_bytes(), 1)
        }
    )*};
}

impl Builder {
    /// A builder of version 1 messages.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// A builder with room for messages of `bytes` bytes. Only a hint: it does not show in the message.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut buf = Vec::new();
        // A hint that cannot be met is no error; what is really needed is asked for when it is written.
        let _ = buf.try_reserve_exact(bytes);
        buf.resize(HEADER_LEN, 0);
        Self {
            buf,
            root: 0,
            flags: 0,
            version: VERSION_1,
            stamp: Stamp::new(),
            objects: Vec::new(),
            lists: Vec::new(),
            queue: Queue::default(),
        }
    }

    /// Writes version 2 into the header; the data part is the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::{Builder, Message};
    ///
    /// let bytes = Builder::new().version_2().into_vec();
    /// assert_eq!(Message::parse(&bytes).unwrap().version(), 2);
    /// ```
    #[must_use]
    pub fn version_2(mut self) -> Self {
        self.version = VERSION_2;
        self
    }

    /// Starts an object with `data_size` zero bytes for its fields, aligned to 8.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLarge`], [`EncodeError::OutOfMemory`].
    pub fn start_object(&mut self, data_size: usize) -> Result<ObjectHandle, EncodeError> {
        reserve(&mut self.objects, 1)?;
        let start = self.aligned();
        let end = self.grow_to(start.saturating_add(widen(data_size)))?;
        let index = self.objects.len();
        self.objects.push(OpenObject { start: narrow(start)?, end, open: true, queued: 0, chain: None });
        Ok(ObjectHandle { stamp: self.stamp, index })
    }

    /// Writes the bool at `offset` of `object`, as 0 or 1.
    ///
    /// # Errors
    ///
    /// As [`set_u8`](Builder::set_u8).
    #[inline]
    pub fn set_bool(&mut self, object: &ObjectHandle, offset: usize, value: bool) -> Result<(), EncodeError> {
        self.put(object, offset, &[u8::from(value)])
    }

    set_scalars! {
        set_u8: u8 set_u16: u16 set_u32: u32 set_u64: u64
        set_i8: i8 set_i16: i16 set_i32: i32 set_i64: i64
        set_f32: f32 set_f64: f64
    }

    /// Writes bytes inline at `offset` of `object`. Fewer than the field's width leave the rest as it is; none write
    /// nothing.
    ///
    /// # Errors
    ///
    /// As [`set_u8`](Builder::set_u8).
    pub fn set_bytes_fixed(&mut self, object: &ObjectHandle, offset: usize, value: &[u8]) -> Result<(), EncodeError> {
        if value.is_empty() {
            return self.object(object).map(drop);
        }
        self.put(object, offset, value)
    }

    /// Queues text for the slot at `offset` of `object`; empty text writes a null slot.
    ///
    /// # Errors
    ///
    /// As [`set_bytes`](Builder::set_bytes).
    pub fn set_text(&mut self, object: &ObjectHandle, offset: usize, value: &str) -> Result<(), EncodeError> {
        self.set_bytes(object, offset, value.as_bytes())
    }

    /// Queues bytes for the slot at `offset` of `object`; empty bytes write a null slot.
    ///
    /// As in the Go runtime, nothing that was queued is taken back: setting a slot twice writes both runs of bytes and
    /// points at the last, and clearing a slot that was set makes it present and empty.
    ///
    /// # Errors
    ///
    /// As [`set_u8`](Builder::set_u8).
    pub fn set_bytes(&mut self, object: &ObjectHandle, offset: usize, value: &[u8]) -> Result<(), EncodeError> {
        if value.is_empty() {
            return self.put(object, offset, &[0; SLOT]);
        }
        let len = u32::try_from(value.len()).map_err(|_| EncodeError::TooLarge { len: widen(value.len()) })?;
        self.queue.reserve(value.len())?;
        let slot = self.section(object, offset, SLOT)?;
        write(&mut self.buf, slot.saturating_add(LEN_WORD), &len.to_le_bytes())?;
        let state = self.objects.get_mut(object.index).ok_or(EncodeError::StaleHandle)?;
        state.queued = state.queued.saturating_add(u64::from(len));
        self.queue.push(&mut state.chain, slot, value);
        Ok(())
    }

    /// Points the slot at `offset` of `object` at `target`; [`Target::NULL`] writes a null pointer.
    ///
    /// # Errors
    ///
    /// As [`set_u8`](Builder::set_u8); [`EncodeError::TooLarge`] too if the distance does not fit a signed pointer, and
    /// [`EncodeError::StaleHandle`] too if the target is of another message.
    pub fn set_object(&mut self, object: &ObjectHandle, offset: usize, target: Target) -> Result<(), EncodeError> {
        let rel = self.distance(object, offset, target)?;
        self.put(object, offset, &rel.to_le_bytes())
    }

    /// Points the slot at `offset` of `object` at `list`; a null list and a count of 0 write a null slot.
    ///
    /// # Errors
    ///
    /// As [`set_object`](Builder::set_object).
    pub fn set_list(&mut self, object: &ObjectHandle, offset: usize, list: ListTarget) -> Result<(), EncodeError> {
        let rel = self.distance(object, offset, list.target)?;
        if list.target.is_null() || list.count == 0 {
            return self.put(object, offset, &[0; SLOT]);
        }
        let slot = u64::from(list.count) << 32 | u64::from(rel.cast_unsigned());
        self.put(object, offset, &slot.to_le_bytes())
    }

    /// Finishes `object`: appends its queued data in the order of the calls, unpadded, and fills in the slots.
    ///
    /// # Errors
    ///
    /// [`EncodeError::StaleHandle`], [`EncodeError::TooLarge`], [`EncodeError::OutOfMemory`]. The object is then not
    /// finished: its text and bytes read as null.
    pub fn finish_object(&mut self, object: ObjectHandle) -> Result<Target, EncodeError> {
        let state = self.object(&object)?;
        let (start, chain) = (state.start, state.chain);
        self.reserve_message(state.queued)?;
        if let Some(chain) = chain {
            self.queue.append(chain, &mut self.buf)?;
        }
        if let Some(state) = self.objects.get_mut(object.index) {
            state.open = false;
        }
        while self.objects.pop_if(|state| !state.open).is_some() {}
        Ok(self.target(start))
    }

    /// As [`finish_object`](Builder::finish_object), and makes the object the root.
    ///
    /// # Errors
    ///
    /// As [`finish_object`](Builder::finish_object).
    pub fn finish_as_root(&mut self, object: ObjectHandle) -> Result<Target, EncodeError> {
        let target = self.finish_object(object)?;
        self.root = target.offset;
        Ok(target)
    }

    /// Starts a list, aligned to 8 (even if no element follows).
    ///
    /// The elements of a list stand next to each other: once anything else was written, it takes no more of them.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLarge`], [`EncodeError::OutOfMemory`].
    pub fn start_list(&mut self) -> Result<ListHandle, EncodeError> {
        reserve(&mut self.lists, 1)?;
        let start = self.grow_to(self.aligned())?;
        let index = self.lists.len();
        self.lists.push(OpenList { start, end: start, count: 0, open: true });
        Ok(ListHandle { stamp: self.stamp, index })
    }

    list_add_scalars! { list_add_u8: u8 list_add_u32: u32 list_add_u64: u64 }

    /// Appends raw bytes to `list` and counts the bytes. For records added this way,
    /// [`with_count`](ListTarget::with_count) says how many they are.
    ///
    /// # Errors
    ///
    /// As [`list_add_u8`](Builder::list_add_u8).
    pub fn list_add_bytes(&mut self, list: &ListHandle, value: &[u8]) -> Result<(), EncodeError> {
        self.list_add(list, &[], value, widen(value.len()))
    }

    /// Appends a variable element to `list`, its length and its bytes, and counts 1: any bytes, or a complete message.
    ///
    /// # Errors
    ///
    /// As [`list_add_u8`](Builder::list_add_u8).
    pub fn list_add_object_bytes(&mut self, list: &ListHandle, value: &[u8]) -> Result<(), EncodeError> {
        let len = u32::try_from(value.len()).map_err(|_| EncodeError::TooLarge { len: widen(value.len()) })?;
        self.list_add(list, &len.to_le_bytes(), value, 1)
    }

    /// Finishes `list`; what it returns goes into [`set_list`](Builder::set_list).
    ///
    /// # Errors
    ///
    /// [`EncodeError::StaleHandle`].
    pub fn finish_list(&mut self, list: ListHandle) -> Result<ListTarget, EncodeError> {
        let state = self.list(&list)?;
        let (start, count) = (state.start, state.count);
        state.open = false;
        while self.lists.pop_if(|state| !state.open).is_some() {}
        Ok(self.target(start).list_of(count))
    }

    /// Writes text outside of any object, aligned to 8; null for no text.
    ///
    /// # Errors
    ///
    /// As [`write_bytes`](Builder::write_bytes).
    pub fn write_text(&mut self, value: &str) -> Result<Target, EncodeError> {
        self.write_bytes(value.as_bytes())
    }

    /// Writes bytes outside of any object, aligned to 8; null for no bytes.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLarge`], [`EncodeError::OutOfMemory`].
    pub fn write_bytes(&mut self, value: &[u8]) -> Result<Target, EncodeError> {
        if value.is_empty() {
            return Ok(Target::NULL);
        }
        let start = self.aligned();
        let padding = start.saturating_sub(widen(self.buf.len()));
        self.reserve_message(padding.saturating_add(widen(value.len())))?;
        let start = self.grow_to(start)?;
        self.buf.extend_from_slice(value);
        Ok(self.target(start))
    }

    /// Writes the header and returns the message. Flags are those of the last
    /// [`finish_with_flags`](Builder::finish_with_flags), even across a [`reset`](Builder::reset).
    ///
    /// The builder can be written to further, and finished again.
    pub fn finish(&mut self) -> &[u8] {
        let size = u32::try_from(self.buf.len()).unwrap_or(u32::MAX);
        let header = Header { version: self.version, flags: self.flags, root: self.root, size };
        if let Some(front) = self.buf.first_chunk_mut::<HEADER_LEN>() {
            *front = header.to_bytes();
        }
        &self.buf
    }

    /// As [`finish`](Builder::finish), with these flags from now on.
    pub fn finish_with_flags(&mut self, flags: u16) -> &[u8] {
        self.flags = flags;
        self.finish()
    }

    /// As [`finish`](Builder::finish), handing over the buffer.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<u8> {
        self.finish();
        self.buf
    }

    /// Begins a new message in the same memory: nothing written, no root, the version and the flags as they were.
    ///
    /// Handles and targets of the message before are refused from now on.
    pub fn reset(&mut self) {
        self.buf.truncate(HEADER_LEN);
        self.root = 0;
        self.stamp = self.stamp.next();
        self.objects.clear();
        self.lists.clear();
        self.queue.clear();
    }

    /// Writes `bytes` into an object's section.
    fn put(&mut self, object: &ObjectHandle, offset: usize, bytes: &[u8]) -> Result<(), EncodeError> {
        let at = self.section(object, offset, bytes.len())?;
        write(&mut self.buf, at, bytes)
    }

    /// Makes sure that an object's section holds `len` bytes at `offset`, and says where in the message they are.
    fn section(&mut self, object: &ObjectHandle, offset: usize, len: usize) -> Result<usize, EncodeError> {
        let state = self.object(object)?;
        let at = u64::from(state.start).saturating_add(widen(offset));
        let end = at.saturating_add(widen(len));
        if end > u64::from(state.end) {
            if u32::try_from(end).is_err() {
                return Err(EncodeError::TooLarge { len: end });
            }
            if state.end as usize != self.buf.len() {
                return Err(EncodeError::NotLast);
            }
            let end = self.grow_to(end)?;
            if let Some(state) = self.objects.get_mut(object.index) {
                state.end = end;
            }
        }
        // Inside the section now, so it fits u32 and so usize.
        narrow(at).map(|at| at as usize)
    }

    /// The signed distance from the slot at `offset` of `object` to `target`; 0 for null.
    fn distance(&self, object: &ObjectHandle, offset: usize, target: Target) -> Result<i32, EncodeError> {
        let state = self.object(object)?;
        if target.is_null() {
            return Ok(0);
        }
        if target.stamp != self.stamp {
            return Err(EncodeError::StaleHandle);
        }
        let slot = u64::from(state.start).saturating_add(widen(offset));
        let target = u64::from(target.offset);
        let rel = i64::try_from(target).ok().zip(i64::try_from(slot).ok()).and_then(|(to, from)| to.checked_sub(from));
        rel.and_then(|rel| i32::try_from(rel).ok()).ok_or(EncodeError::TooLarge { len: target.abs_diff(slot) })
    }

    fn list_add(&mut self, list: &ListHandle, prefix: &[u8], value: &[u8], count: u64) -> Result<(), EncodeError> {
        let written = widen(self.buf.len());
        let state = self.list(list)?;
        let count = u64::from(state.count).saturating_add(count);
        if u64::from(state.end) != written {
            return Err(EncodeError::NotLast);
        }
        let Ok(count) = u32::try_from(count) else { return Err(EncodeError::TooManyElements { count }) };
        let end = self.reserve_message(widen(prefix.len()).saturating_add(widen(value.len())))?;
        self.buf.extend_from_slice(prefix);
        self.buf.extend_from_slice(value);
        if let Some(state) = self.lists.get_mut(list.index) {
            (state.end, state.count) = (end, count);
        }
        Ok(())
    }

    fn object(&self, handle: &ObjectHandle) -> Result<&OpenObject, EncodeError> {
        let state = self.objects.get(handle.index).filter(|state| state.open && handle.stamp == self.stamp);
        state.ok_or(EncodeError::StaleHandle)
    }

    fn list(&mut self, handle: &ListHandle) -> Result<&mut OpenList, EncodeError> {
        let state = self.lists.get_mut(handle.index).filter(|state| state.open && handle.stamp == self.stamp);
        state.ok_or(EncodeError::StaleHandle)
    }

    fn target(&self, offset: u32) -> Target {
        Target { stamp: self.stamp, offset }
    }

    /// Where the next aligned thing begins.
    fn aligned(&self) -> u64 {
        widen(self.buf.len()).next_multiple_of(ALIGN)
    }

    /// Makes room for `more` bytes of message, and says where they will end.
    fn reserve_message(&mut self, more: u64) -> Result<u32, EncodeError> {
        let end = narrow(widen(self.buf.len()).saturating_add(more))?;
        let missing = (end as usize).saturating_sub(self.buf.len());
        reserve(&mut self.buf, missing)?;
        Ok(end)
    }

    /// Extends the message with zeros to `len` bytes.
    fn grow_to(&mut self, len: u64) -> Result<u32, EncodeError> {
        let end = self.reserve_message(len.saturating_sub(widen(self.buf.len())))?;
        self.buf.resize(end as usize, 0);
        Ok(end)
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("version", &self.version)
            .field("flags", &self.flags)
            .field("root_offset", &self.root)
            .field("size", &self.buf.len())
            .finish_non_exhaustive()
    }
}

/// Objects, lists and written bytes begin at a multiple of this.
const ALIGN: u64 = 8;
/// Bytes of a text, bytes or list slot.
const SLOT: usize = 8;
/// Where in such a slot its length word is.
const LEN_WORD: usize = 4;

struct OpenObject {
    start: u32,
    end: u32,
    open: bool,
    /// Bytes in the queue.
    queued: u64,
    chain: Option<Chain>,
}

struct OpenList {
    start: u32,
    /// Where the last element ended; more can follow only here.
    end: u32,
    count: u32,
    open: bool,
}

/// Overwrites `bytes.len()` bytes at `at`, which exist.
fn write(message: &mut [u8], at: usize, bytes: &[u8]) -> Result<(), EncodeError> {
    let place = message.get_mut(at..).and_then(|rest| rest.get_mut(..bytes.len())).ok_or(EncodeError::Inconsistent)?;
    place.copy_from_slice(bytes);
    Ok(())
}

/// Room for `more` elements, growing as `Vec` does.
fn reserve<T>(vec: &mut Vec<T>, more: usize) -> Result<(), EncodeError> {
    vec.try_reserve(more)
        .map_err(|_| EncodeError::OutOfMemory { needed: vec.len().saturating_add(more).saturating_mul(size_of::<T>()) })
}

const fn widen(len: usize) -> u64 {
    // Lossless: no target has a wider usize.
    len as u64
}

fn narrow(len: u64) -> Result<u32, EncodeError> {
    u32::try_from(len).map_err(|_| EncodeError::TooLarge { len })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;
    use crate::Message;

    #[test]
    fn the_example_of_the_wire_page() {
        let mut builder = Builder::new();
        let root = builder.start_object(12).unwrap();
        builder.set_u32(&root, 0, 5).unwrap();
        builder.set_text(&root, 4, "hi").unwrap();
        builder.finish_as_root(root).unwrap();
        let expected = b"ZAP\0\x01\0\0\0\x10\0\0\0\x1e\0\0\0\x05\0\0\0\x08\0\0\0\x02\0\0\0hi";
        assert_eq!(builder.finish(), expected);
        assert_eq!(builder.into_vec(), expected);
    }

    #[test]
    fn queues_of_open_objects_do_not_mix() {
        let mut builder = Builder::new();
        let a = builder.start_object(16).unwrap();
        let b = builder.start_object(16).unwrap();
        builder.set_text(&a, 0, "a0").unwrap();
        builder.set_text(&b, 8, "b8").unwrap();
        builder.set_text(&a, 8, "a8").unwrap();
        builder.set_text(&b, 0, "b0").unwrap();
        builder.finish_object(a).unwrap();
        let c = builder.start_object(8).unwrap();
        builder.set_text(&c, 0, "c0").unwrap();
        builder.finish_object(c).unwrap();
        builder.finish_as_root(b).unwrap();
        assert_eq!((builder.queue.waiting, builder.queue.bytes.len(), builder.objects.len()), (0, 0, 0));
        let bytes = builder.into_vec();
        let root = Message::parse(&bytes).unwrap().root();
        assert_eq!((root.bytes(0), root.bytes(8)), (Some(&b"b0"[..]), Some(&b"b8"[..])));
        assert_eq!(&bytes[48..52], b"a0a8");
        assert!(bytes.ends_with(b"c0b8b0"));
    }

    #[test]
    fn foreign_and_stale_handles_are_refused() {
        let (mut one, mut two) = (Builder::new(), Builder::new());
        let object = one.start_object(8).unwrap();
        let list = one.start_list().unwrap();
        let target = one.write_text("x").unwrap();
        let _object = two.start_object(8).unwrap();
        let _list = two.start_list().unwrap();
        for reset in [false, true] {
            let builder = if reset { &mut one } else { &mut two };
            builder.reset();
            let own = builder.start_object(8).unwrap();
            let _own = builder.start_list().unwrap();
            let before = builder.finish().to_vec();
            assert_eq!(builder.set_u8(&object, 0, 1), Err(EncodeError::StaleHandle));
            assert_eq!(builder.set_bytes(&object, 0, b"x"), Err(EncodeError::StaleHandle));
            assert_eq!(builder.set_bytes_fixed(&object, 0, b""), Err(EncodeError::StaleHandle));
            assert_eq!(builder.set_object(&object, 0, Target::NULL), Err(EncodeError::StaleHandle));
            assert_eq!(builder.set_object(&own, 0, target), Err(EncodeError::StaleHandle));
            assert_eq!(builder.set_list(&own, 0, target.list_of(0)), Err(EncodeError::StaleHandle));
            assert_eq!(builder.list_add_u8(&list, 1), Err(EncodeError::StaleHandle));
            assert_eq!(builder.finish(), before);
        }
        assert_eq!(one.finish_list(list), Err(EncodeError::StaleHandle));
        assert_eq!(one.finish_as_root(object), Err(EncodeError::StaleHandle));
    }

    #[test]
    fn nothing_is_written_over_later_data() {
        let mut builder = Builder::new();
        let object = builder.start_object(4).unwrap();
        let list = builder.start_list().unwrap();
        builder.list_add_u8(&list, 1).unwrap();
        let before = builder.finish().to_vec();
        assert_eq!(builder.set_u32(&object, 2, 7), Err(EncodeError::NotLast));
        assert_eq!(builder.set_text(&object, 0, "x"), Err(EncodeError::NotLast));
        assert_eq!(builder.set_u32(&object, 100, 7), Err(EncodeError::NotLast));
        assert_eq!(builder.finish(), before);
        builder.set_u32(&object, 0, 7).unwrap();
        builder.write_text("x").unwrap();
        assert_eq!(builder.list_add_u8(&list, 2), Err(EncodeError::NotLast));
        assert_eq!(builder.finish_list(list).unwrap().count(), 1);
    }

    #[test]
    fn what_the_wire_cannot_hold_is_refused() {
        let mut builder = Builder::new();
        let over = u64::from(u32::MAX) + 1;
        let size = u32::MAX as usize - 15;
        assert_eq!(builder.start_object(size).unwrap_err(), EncodeError::TooLarge { len: over });
        assert!(matches!(builder.start_object(usize::MAX), Err(EncodeError::TooLarge { .. })));
        let object = builder.start_object(0).unwrap();
        for offset in [u32::MAX as usize - 16, usize::MAX - 8, usize::MAX] {
            assert!(matches!(builder.set_u32(&object, offset, 1), Err(EncodeError::TooLarge { .. })));
            assert!(matches!(builder.set_text(&object, offset, "x"), Err(EncodeError::TooLarge { .. })));
        }
        let target = builder.target(16);
        assert!(matches!(builder.set_object(&object, usize::MAX, target), Err(EncodeError::TooLarge { .. })));
        // A pointer reaches 2^31 bytes backward and one less forward; nothing is written here, only measured.
        assert_eq!(builder.distance(&object, 1 << 31, target), Ok(i32::MIN));
        let too_far = EncodeError::TooLarge { len: (1 << 31) + 1 };
        assert_eq!(builder.distance(&object, (1 << 31) + 1, target), Err(too_far));
        assert_eq!(builder.distance(&object, 0, builder.target(16 + i32::MAX as u32)), Ok(i32::MAX));
        let too_far = EncodeError::TooLarge { len: 1 << 31 };
        assert_eq!(builder.distance(&object, 0, builder.target(16 + (1 << 31))), Err(too_far));
    }

    #[test]
    fn a_list_counts_no_further_than_u32() {
        let mut builder = Builder::new();
        let list = builder.start_list().unwrap();
        builder.lists[0].count = u32::MAX - 1;
        assert_eq!(builder.list_add_bytes(&list, b"ab"), Err(EncodeError::TooManyElements { count: 1 << 32 }));
        builder.list_add_bytes(&list, b"a").unwrap();
        assert_eq!(builder.finish_list(list).unwrap().count(), u32::MAX);
    }

    #[test]
    fn a_huge_hint_is_only_a_hint() {
        assert_eq!(Builder::with_capacity(usize::MAX).into_vec().len(), 16);
    }

    #[test]
    fn an_object_that_is_never_finished_reads_as_null() {
        let mut builder = Builder::new();
        let object = builder.start_object(8).unwrap();
        builder.set_text(&object, 0, "lost").unwrap();
        let list = builder.target(16).list_of(8);
        let root = builder.start_object(8).unwrap();
        builder.set_list(&root, 0, list).unwrap();
        builder.finish_as_root(root).unwrap();
        let message = Message::parse(builder.finish()).unwrap();
        assert!(message.root().list(0).record_at(0, 8).text(0).is_null());
        builder.reset();
        assert_eq!((builder.queue.waiting, builder.finish().len()), (0, 16));
    }

    #[test]
    fn a_reused_builder_keeps_its_memory() {
        let mut builder = Builder::new();
        let mut capacities = None;
        for _ in 0..3 {
            builder.reset();
            let list = builder.start_list().unwrap();
            builder.list_add_object_bytes(&list, b"element").unwrap();
            let list = builder.finish_list(list).unwrap();
            let root = builder.start_object(16).unwrap();
            builder.set_text(&root, 0, "some text").unwrap();
            builder.set_list(&root, 8, list).unwrap();
            builder.finish_as_root(root).unwrap();
            let (queue, buf) = (&builder.queue, builder.buf.capacity());
            let now = [buf, queue.capacity(), builder.objects.capacity(), builder.lists.capacity()];
            assert_eq!(*capacities.get_or_insert(now), now);
        }
    }
}
