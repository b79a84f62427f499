//! A list: a start, a count, and three ways to read the elements (wire 1.3).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::{fmt, iter::FusedIterator};

use crate::{Message, Object, load};

/// A list in a message. The wire does not say what the elements are; the schema does, and so which accessors fit:
///
/// | elements | accessors |
/// |---|---|
/// | packed scalars | [`u8_at`](List::u8_at), [`u32_at`](List::u32_at), [`u64_at`](List::u64_at), [`list_bytes`](List::list_bytes) |
/// | records at a fixed stride | [`record_at`](List::record_at) |
/// | length-prefixed bytes | [`iter_bytes`](List::iter_bytes), [`bytes_at`](List::bytes_at) |
/// | length-prefixed messages | [`iter_objects`](List::iter_objects), [`object_at`](List::object_at) |
///
/// Total, as [`Object`]: an element that is not there reads as 0, `None` or the null object, and no accessor panics.
/// The count is what the writer claims; it is never larger than the message, but the elements may still be missing.
///
/// # Examples
///
/// ```
/// use zap_core::{Builder, Message};
///
/// let mut builder = Builder::new();
/// let root = builder.start_object(16)?;
/// let ports = builder.start_list()?;
/// builder.list_add_u32(&ports, 80)?;
/// builder.list_add_u32(&ports, 443)?;
/// let ports = builder.finish_list(ports)?;
/// builder.set_list(&root, 0, ports)?;
/// let names = builder.start_list()?;
/// builder.list_add_object_bytes(&names, b"ember")?;
/// builder.list_add_object_bytes(&names, b"fjord")?;
/// let names = builder.finish_list(names)?;
/// builder.set_list(&root, 8, names)?;
/// builder.finish_as_root(root)?;
///
/// let root = Message::parse(builder.finish()).unwrap().root();
/// assert_eq!((root.list(0).len(), root.list(0).u32_at(1), root.list(0).u32_at(2)), (2, 443, 0));
/// assert!(root.list(8).iter_bytes().eq([b"ember", b"fjord"]));
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct List<'m> {
    message: &'m [u8],
    /// 0 = null; otherwise a position inside the message, at least 16.
    start: u32,
    count: u32,
}

impl<'m> List<'m> {
    /// The null list: it has no elements.
    #[inline]
    #[must_use]
    pub const fn null() -> Self {
        Self { message: &[], start: 0, count: 0 }
    }

    #[inline]
    pub(crate) const fn at(message: &'m [u8], start: u32, count: u32) -> Self {
        Self { message, start, count }
    }

    /// Whether there is no list, as opposed to an empty one.
    #[inline]
    #[must_use]
    pub const fn is_null(&self) -> bool {
        self.start == 0
    }

    /// How many elements the list claims; 0 for the null list. At most the message's size in bytes.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether the list claims no element.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Element `index` of packed bytes; 0 if the index is not in the list or the element not in the message. O(1).
    #[inline]
    #[must_use]
    pub fn u8_at(&self, index: usize) -> u8 {
        u8::from_le_bytes(self.element(index))
    }

    /// Element `index` of packed `u32`s; 0 if the index is not in the list or the element not in the message. O(1).
    #[inline]
    #[must_use]
    pub fn u32_at(&self, index: usize) -> u32 {
        u32::from_le_bytes(self.element(index))
    }

    /// Element `index` of packed `u64`s; 0 if the index is not in the list or the element not in the message. O(1).
    #[inline]
    #[must_use]
    pub fn u64_at(&self, index: usize) -> u64 {
        u64::from_le_bytes(self.element(index))
    }

    /// The `len` bytes from the list's start; `None` if the list is null or they do not lie inside the message. O(1).
    #[inline]
    #[must_use]
    pub fn list_bytes(&self) -> Option<&'m [u8]> {
        if self.is_null() {
            return None;
        }
        load::inline(self.message, self.start, 0, self.len())
    }

    /// Record `index` of a list with `stride` bytes a record; the null object if the index is not in the list. O(1).
    ///
    /// A record past the end of the message is not null, but every field of it reads as its default.
    #[inline]
    #[must_use]
    pub fn record_at(&self, index: usize, stride: usize) -> Object<'m> {
        if index >= self.len() {
            return Object::null();
        }
        Object::at(self.message, load::record(self.start, index, stride))
    }

    /// Length-prefixed element `index`; `None` if the index is not in the list or the elements end before it.
    ///
    /// # Cost
    ///
    /// O(index): the elements before it are walked over. To read them all, use [`iter_bytes`](List::iter_bytes).
    #[must_use]
    pub fn bytes_at(&self, index: usize) -> Option<&'m [u8]> {
        self.iter_bytes().nth(index)
    }

    /// The root of the message that is length-prefixed element `index`; the null object if there is none.
    ///
    /// Positions and error offsets in it count from the first byte of that inner message.
    ///
    /// # Cost
    ///
    /// O(index): the elements before it are walked over. To read them all, use [`iter_objects`](List::iter_objects).
    #[must_use]
    pub fn object_at(&self, index: usize) -> Object<'m> {
        self.bytes_at(index).map_or(Object::null(), root_of)
    }

    /// The length-prefixed elements: at most [`len`](List::len), and fewer if one does not fit in the message.
    ///
    /// # Cost
    ///
    /// O(1) an element, no allocation.
    #[inline]
    #[must_use]
    pub fn iter_bytes(&self) -> IterBytes<'m> {
        IterBytes { message: self.message, next: self.start as usize, left: self.count }
    }

    /// The roots of the messages that are the length-prefixed elements; an element that is no message is a null object.
    ///
    /// # Cost
    ///
    /// O(1) an element, no allocation.
    #[inline]
    #[must_use]
    pub fn iter_objects(&self) -> IterObjects<'m> {
        IterObjects { elements: self.iter_bytes() }
    }

    #[inline]
    fn element<const N: usize>(&self, index: usize) -> [u8; N] {
        if index >= self.len() {
            return [0; N];
        }
        load::element(self.message, self.start, index).unwrap_or([0; N])
    }
}

fn root_of(bytes: &[u8]) -> Object<'_> {
    Message::parse(bytes).map_or(Object::null(), |message| message.root())
}

impl Default for List<'_> {
    /// The null list.
    fn default() -> Self {
        Self::null()
    }
}

impl fmt::Debug for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("List(null)");
        }
        f.debug_struct("List").field("start", &self.start).field("len", &self.count).finish()
    }
}

/// Length-prefixed elements as bytes, from [`List::iter_bytes`].
#[derive(Clone)]
pub struct IterBytes<'m> {
    message: &'m [u8],
    next: usize,
    left: u32,
}

impl<'m> Iterator for IterBytes<'m> {
    type Item = &'m [u8];

    #[inline]
    fn next(&mut self) -> Option<&'m [u8]> {
        self.left = self.left.checked_sub(1)?;
        let Some((element, next)) = load::prefixed(self.message, self.next) else {
            self.left = 0;
            return None;
        };
        self.next = next;
        Some(element)
    }

    /// The upper bound counts the length words that fit in the bytes there are, so it is safe to reserve.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let fits = self.message.len().saturating_sub(self.next) / 4;
        (0, Some(fits.min(self.left as usize)))
    }
}

impl FusedIterator for IterBytes<'_> {}

impl fmt::Debug for IterBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterBytes").field("next", &self.next).field("left", &self.left).finish()
    }
}

/// Length-prefixed elements as the roots of messages, from [`List::iter_objects`].
#[derive(Clone, Debug)]
pub struct IterObjects<'m> {
    elements: IterBytes<'m>,
}

impl<'m> Iterator for IterObjects<'m> {
    type Item = Object<'m>;

    #[inline]
    fn next(&mut self) -> Option<Object<'m>> {
        self.elements.next().map(root_of)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }
}

impl FusedIterator for IterObjects<'_> {}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    #[test]
    fn a_null_list_has_nothing() {
        let null = List::default();
        assert!(null.is_null() && null.is_empty() && null.record_at(0, 8).is_null() && null.object_at(0).is_null());
        assert_eq!((null.len(), null.u64_at(0), null.list_bytes(), null.bytes_at(0)), (0, 0, None, None));
        assert_eq!((null.iter_bytes().count(), null.iter_objects().count()), (0, 0));
    }

    #[test]
    fn elements_past_the_end_read_as_zero() {
        let bytes = [0xff; 26];
        let list = List::at(&bytes, 16, 20);
        assert_eq!((list.u32_at(1), list.u32_at(2), list.u8_at(9), list.u8_at(10)), (u32::MAX, 0, 255, 0));
        assert_eq!(list.list_bytes(), None);
        assert_eq!(List::at(&bytes, 16, 10).list_bytes(), Some(&bytes[16..]));
        let past = list.record_at(19, usize::MAX);
        assert_eq!((past.is_null(), past.position(), past.u8(0)), (false, u32::MAX, 0));
        assert!(list.record_at(20, 1).is_null());
    }

    #[test]
    fn variable_elements_stop_where_the_message_ends() {
        let mut bytes = [0; 32];
        bytes[16] = 3;
        bytes[20..23].copy_from_slice(b"abc");
        bytes[27] = 200;
        let list = List::at(&bytes, 16, 30);
        assert_eq!(list.iter_bytes().size_hint(), (0, Some(4)));
        assert!(list.iter_bytes().eq([&b"abc"[..], b""]));
        assert_eq!((list.bytes_at(1), list.bytes_at(2)), (Some(&[][..]), None));
        assert!(list.iter_objects().all(|object| object.is_null()));
        let mut iter = list.iter_bytes();
        assert_eq!(iter.by_ref().count(), 2);
        assert_eq!((iter.next(), iter.size_hint()), (None, (0, Some(0))));
    }
}
