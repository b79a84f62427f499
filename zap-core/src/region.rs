//! The two regions of a message being written (structure, then text and bytes), each filled strictly front to back.
//!
//! The one invariant: a region gives up a byte only after storing to it. So once both regions are used up, every byte
//! of the message is initialised, whatever order fields were written in and whatever a trait implementation did.
//! `trusted::append` relies on it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::trusted;

/// A byte to be written: initialised already or not yet.
pub(crate) trait Cell: Copy {
    /// A zero byte.
    const ZERO: Self;
    /// This byte.
    fn from(byte: u8) -> Self;
    /// Stores `from` into `to`.
    fn store<const N: usize>(to: &mut [Self; N], from: [u8; N]);
    /// Stores `from` into `to`; does nothing if the lengths differ.
    fn store_slice(to: &mut [Self], from: &[u8]);
}

impl Cell for u8 {
    const ZERO: Self = 0;
    #[inline]
    fn from(byte: u8) -> Self {
        byte
    }
    #[inline]
    fn store<const N: usize>(to: &mut [Self; N], from: [u8; N]) {
        *to = from;
    }
    #[inline]
    fn store_slice(to: &mut [Self], from: &[u8]) {
        if to.len() == from.len() {
            to.copy_from_slice(from);
        }
    }
}

impl Cell for MaybeUninit<u8> {
    const ZERO: Self = MaybeUninit::new(0);
    #[inline]
    fn from(byte: u8) -> Self {
        MaybeUninit::new(byte)
    }
    #[inline]
    fn store<const N: usize>(to: &mut [Self; N], from: [u8; N]) {
        to.write_copy_of_slice(&from);
    }
    #[inline]
    fn store_slice(to: &mut [Self], from: &[u8]) {
        if to.len() == from.len() {
            to.write_copy_of_slice(from);
        }
    }
}

/// The largest alignment in a message.
const MAX_ALIGN: usize = 8;

/// How text and bytes are copied, most of which are short and of a length that no branch predictor knows.
pub(crate) trait Copier {
    /// Stores `from` into `to`, which must be as long.
    fn copy<C: Cell>(to: &mut [C], from: &[u8]);
}

/// Copies in safe code, on every machine.
pub(crate) struct Portable;

impl Copier for Portable {
    #[inline(always)]
    fn copy<C: Cell>(to: &mut [C], from: &[u8]) {
        copy(to, from);
    }
}

/// Bytes still to be written, and where they are in the message.
pub(crate) struct Region<'b, C, K> {
    rest: &'b mut [C],
    position: u32,
    copier: PhantomData<K>,
}

impl<'b, C: Cell, K: Copier> Region<'b, C, K> {
    const fn new(rest: &'b mut [C], position: u32) -> Self {
        Self { rest, position, copier: PhantomData }
    }

    /// Where the next byte goes, counted from the message's first byte.
    #[inline]
    pub(crate) const fn position(&self) -> u32 {
        self.position
    }

    #[inline]
    fn advance(&mut self, len: usize) {
        // The encoder has checked that the whole message is shorter than 2^32.
        self.position = self.position.wrapping_add(len as u32);
    }

    /// The next `len` bytes, zeroed; `None` if there are not so many.
    #[inline(always)]
    pub(crate) fn zeroed(&mut self, len: usize) -> Option<&'b mut [C]> {
        let taken = self.rest.split_off_mut(..len)?;
        taken.fill(C::ZERO);
        self.advance(len);
        Some(taken)
    }

    /// The last `len` bytes, zeroed, and their position; `None` if there are not so many.
    pub(crate) fn zeroed_end(&mut self, len: usize) -> Option<(&'b mut [C], u32)> {
        let start = self.rest.len().checked_sub(len)?;
        let taken = self.rest.split_off_mut(start..)?;
        taken.fill(C::ZERO);
        Some((taken, self.position.wrapping_add(start as u32)))
    }

    /// Appends `bytes`; false if they do not fit.
    #[inline(always)]
    pub(crate) fn append(&mut self, bytes: &[u8]) -> bool {
        let Some(taken) = self.rest.split_off_mut(..bytes.len()) else {
            return false;
        };
        K::copy(taken, bytes);
        self.advance(bytes.len());
        true
    }

    /// Zeros up to the next multiple of `align`, a power of two.
    #[inline]
    pub(crate) fn align(&mut self, align: usize) -> bool {
        let padding = (self.position as usize).wrapping_neg() & align.wrapping_sub(1);
        match self.rest.first_chunk_mut::<MAX_ALIGN>() {
            // All that any padding can be, in one store. What is more than padding stays with the region.
            Some(zeros) if padding <= MAX_ALIGN => {
                C::store(zeros, [0; MAX_ALIGN]);
                let padded = self.rest.split_off_mut(..padding).is_some();
                self.advance(padding);
                padded
            }
            _ => padding == 0 || self.zeroed(padding).is_some(),
        }
    }

    /// The position after the region's last byte.
    #[inline]
    pub(crate) fn end(&self) -> u32 {
        self.position.wrapping_add(self.rest.len() as u32)
    }

    #[inline]
    fn is_used_up(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Copies `from` to `to`, which must be as long. Short runs go by overlapping whole-word moves: a call to `memcpy`
/// costs more than the copy itself there, and mispredicts on its length.
#[inline(always)]
fn copy<C: Cell>(to: &mut [C], from: &[u8]) {
    match from.len() {
        8..=32 => copy_in_four::<C, 8>(to, from),
        2..=7 => {
            trusted::note_short_run();
            copy_in_four::<C, 2>(to, from);
        }
        _ => {
            core::hint::cold_path();
            copy_other(to, from);
        }
    }
}

/// Nothing, one byte, or more than are worth doing by hand.
#[inline(always)]
fn copy_other<C: Cell>(to: &mut [C], from: &[u8]) {
    match (to, from) {
        ([to], [from]) => {
            trusted::note_short_run();
            *to = C::from(*from);
        }
        (to, from) => C::store_slice(to, from),
    }
}

/// Copies `N` to `4 * N` bytes in four moves of `N` bytes, which overlap where there are fewer: no branch depends on
/// the length.
#[inline(always)]
fn copy_in_four<C: Cell, const N: usize>(to: &mut [C], from: &[u8]) {
    let second = from.len().min(const { N.saturating_mul(2) });
    let third = from.len().min(const { N.saturating_mul(3) });
    store_before(to, N, load_before::<N>(from, N));
    store_before(to, second, load_before::<N>(from, second));
    store_before(to, third, load_before::<N>(from, third));
    store_before(to, from.len(), from.last_chunk::<N>().copied());
}

/// The `N` bytes that end at `end`. Spelled so that the compiler sees that they are there.
#[inline(always)]
fn load_before<const N: usize>(from: &[u8], end: usize) -> Option<[u8; N]> {
    from.get(..end)?.last_chunk::<N>().copied()
}

/// The counterpart of [`load_before`].
#[inline(always)]
fn store_before<C: Cell, const N: usize>(to: &mut [C], end: usize, chunk: Option<[u8; N]>) {
    if let (Some(target), Some(chunk)) = (to.get_mut(..end).and_then(|head| head.last_chunk_mut::<N>()), chunk) {
        C::store(target, chunk);
    }
}

/// A whole message being written: the structure region, then the tail region.
pub(crate) struct MessageWriter<'b, C, K> {
    pub(crate) structure: Region<'b, C, K>,
    pub(crate) tail: Region<'b, C, K>,
}

impl<'b, C: Cell, K: Copier> MessageWriter<'b, C, K> {
    /// Splits `cells` into a structure region of `structure` bytes and a tail region of the others.
    #[inline]
    pub(crate) fn new(cells: &'b mut [C], structure: usize) -> Option<Self> {
        let (front, back) = cells.split_at_mut_checked(structure)?;
        Some(Self { structure: Region::new(front, 0), tail: Region::new(back, structure as u32) })
    }

    /// Whether every byte has been written.
    #[inline]
    pub(crate) fn is_complete(&self) -> bool {
        self.structure.is_used_up() && self.tail.is_used_up()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn every_short_copy_stores_every_byte() {
        let source: [u8; 80] = core::array::from_fn(|index| index as u8 + 1);
        for len in 0..=source.len() {
            let mut target = [0_u8; 81];
            copy(&mut target[..len], &source[..len]);
            assert_eq!(target[..len], source[..len], "{len} bytes");
            assert!(target[len..].iter().all(|byte| *byte == 0), "{len} bytes");
        }
    }

    #[test]
    fn a_region_gives_up_only_what_it_stored() {
        let mut cells = [MaybeUninit::uninit(); 40];
        let mut writer = MessageWriter::<_, Portable>::new(&mut cells, 24).unwrap();
        assert!(writer.structure.append(&[1, 2, 3]));
        assert!(writer.structure.align(8));
        assert_eq!(writer.structure.position(), 8);
        assert_eq!(writer.structure.zeroed(16).map(|taken| taken.len()), Some(16));
        assert!(!writer.structure.append(&[1]));
        assert!(!writer.is_complete());
        assert_eq!((writer.tail.position(), writer.tail.end()), (24, 40));
        assert!(writer.tail.append(&[9; 16]));
        assert!(writer.is_complete());
    }
}
