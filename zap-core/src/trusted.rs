//! The only unsafe code of this crate: "checked ASCII bytes are a `&str`", "append exactly n bytes to a vector" and
//! "copy a short run with a masked load and a masked store".
//!
//! They are here because a measurement asked for them (BENCHMARKS.md, "What the unsafe code buys"); everything else
//! is safe code, and nothing a safe trait implementation does can break what these functions rely on.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;
use core::ops::Range;

use alloc::vec::Vec;
use bytes::BytesMut;

use crate::encode::CountedMessage;
use crate::{EncodeError, Zap};

/// Text up to this many bytes is checked by one load of as many bytes that END where the text ends.
const WINDOW: usize = 32;

/// `MASKS[n..n + 32]` has the sign bit of the last `n` bytes set.
static MASKS: [u8; 2 * WINDOW] = {
    let mut masks = [0; 2 * WINDOW];
    let mut index = WINDOW;
    while index < masks.len() {
        masks[index] = 0x80;
        index += 1;
    }
    masks
};

/// The text at `start..end` of the message if that range exists and holds nothing but ASCII.
#[inline(always)]
pub(crate) fn ascii(message: &[u8], start: usize, end: usize) -> Option<&str> {
    let before_end = message.get(..end)?;
    let text = before_end.get(start..)?;
    let is_ascii = if text.len() <= WINDOW
        && let Some(window) = before_end.last_chunk::<WINDOW>()
        && let Some(mask) = MASKS.get(text.len()..).and_then(|masks| masks.first_chunk())
    {
        no_sign_bits(window, mask)
    } else {
        is_ascii(text)
    };
    if !is_ascii {
        return None;
    }
    // SAFETY: `from_utf8_unchecked` needs valid UTF-8. Every byte of `text` is below 0x80, which was established just
    // above: either by `<[u8]>::is_ascii`, or by `no_sign_bits`, whose window ends where `text` ends and whose mask
    // covers the last `text.len()` (at most 32) bytes of it. Bytes below 0x80 are valid UTF-8 on their own.
    Some(unsafe { core::str::from_utf8_unchecked(text) })
}

/// Text longer than the window, or so near the message's start that the window would begin before it.
#[inline(never)]
fn is_ascii(text: &[u8]) -> bool {
    text.is_ascii()
}

/// Whether no byte of the window that the mask selects has its sign bit set.
#[inline(always)]
fn no_sign_bits(window: &[u8; WINDOW], mask: &[u8; WINDOW]) -> bool {
    let mut merged = 0;
    for (byte, mask) in window.iter().zip(mask) {
        merged |= byte & mask;
    }
    merged == 0
}

/// A growable byte buffer whose spare capacity can be written and then claimed.
pub(crate) trait Growable {
    /// Bytes in use.
    fn len(&self) -> usize;
    /// Makes room for `additional` bytes.
    fn reserve(&mut self, additional: usize);
    /// The uninitialised room behind the bytes in use.
    fn spare(&mut self) -> &mut [MaybeUninit<u8>];
    /// # Safety
    ///
    /// `len` is at most the capacity, and every byte below it is initialised.
    unsafe fn set_len(&mut self, len: usize);
}

macro_rules! growable {
    ($buffer:ty) => {
        impl Growable for $buffer {
            #[inline(always)]
            fn len(&self) -> usize {
                self.len()
            }
            #[inline(always)]
            fn reserve(&mut self, additional: usize) {
                self.reserve(additional);
            }
            #[inline(always)]
            fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
                self.spare_capacity_mut()
            }
            #[inline(always)]
            unsafe fn set_len(&mut self, len: usize) {
                // SAFETY: the caller's promise is the one that this buffer's own `set_len` asks for.
                unsafe { self.set_len(len) }
            }
        }
    };
}

growable!(Vec<u8>);
growable!(BytesMut);

/// Appends a message. On error the buffer is as it was.
#[inline(always)]
pub(crate) fn append<B: Growable, R: Zap>(
    buffer: &mut B,
    message: &CountedMessage<'_, R>,
) -> Result<Range<usize>, EncodeError> {
    let start = buffer.len();
    let len = message.len();
    let mut has_grown = false;
    // Twice at most. As a loop, the room is checked once where it suffices, and the writing code stands here once. Besides,
    // it is then no part of an innermost loop of the caller's, where LLVM turns the selects of `region::copy_in_four`
    // into branches, which mispredict.
    loop {
        let Some(spare) = buffer.spare().get_mut(..len) else {
            if has_grown {
                return Err(EncodeError::Inconsistent);
            }
            buffer.reserve(len);
            has_grown = true;
            continue;
        };
        message.write_over(spare)?;
        let end = start.wrapping_add(len);
        // SAFETY: `set_len` needs `end <= capacity` and the bytes below `end` initialised. Capacity: `spare` is the
        // room behind the `start` bytes in use and had at least `len` bytes, so the sum neither exceeds the capacity
        // nor overflows. Initialised: the first `start` bytes were in use; the other `len` were all part of the writer of
        // `encode::write_all`, whose two regions give up a byte only after writing it (module `region`: each method of
        // `Region` that advances the cursor first stores to every byte it passes), and `write_over` returned `Ok`, which
        // says that nothing is left in either region. A trait implementation that gets the writer cannot put another one
        // in its place: it sees it as some `S: Sink`, and gets no second value of that type.
        unsafe { buffer.set_len(end) };
        return Ok(start..end);
    }
}

/// Copies of up to 32 bytes by one masked load and one masked store: whatever the length, without a branch on it.
///
/// The portable copy has one branch, at eight bytes, which costs a misprediction wherever shorter and longer runs are
/// mixed. Masks do without, but are no better where all runs are longer, and cost a little where a message is read back
/// at once: a load cannot be served from a masked store that is still on its way to memory. So each thread remembers
/// whether one of its last 64 messages had a short run, and only then writes with masks.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
mod masked {
    use core::arch::x86_64::{_bzhi_u32, _mm256_mask_storeu_epi8, _mm256_maskz_loadu_epi8};
    use core::cell::Cell as ThreadCell;
    use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

    use crate::Zap;
    use crate::encode;
    use crate::region::{Cell, Copier};

    /// The longest run that one vector holds.
    const MAX_LEN: usize = 32;

    std::thread_local! {
        /// One bit for each of this thread's last 64 messages, the last one's highest: whether it had a short run. The
        /// portable copy sets the highest bit, and only the masked one moves them on, so that messages without short
        /// runs pay no more than a look.
        static SHORT_RUNS: ThreadCell<u64> = const { ThreadCell::new(0) };
    }

    const THIS_MESSAGE: u64 = 1 << 63;

    /// Remembers that the portable copy met a short run.
    #[inline(always)]
    pub(crate) fn note_short_run() {
        SHORT_RUNS.set(THIS_MESSAGE);
    }

    /// Whether the next message is better written with masks, and can be.
    #[inline(always)]
    pub(crate) fn should_mask() -> bool {
        let recent = SHORT_RUNS.get();
        if recent == 0 {
            return false;
        }
        SHORT_RUNS.set(recent >> 1);
        can_mask()
    }

    /// Whether the machine has the instructions: not asked yet, no or yes. Asking `std` each time costs a nanosecond.
    static AVAILABLE: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;

    /// Whether the machine has masked loads and stores of bytes.
    #[inline(always)]
    fn can_mask() -> bool {
        match AVAILABLE.load(Relaxed) {
            UNKNOWN => ask(),
            answer => answer == YES,
        }
    }

    #[cold]
    #[inline(never)]
    fn ask() -> bool {
        let has_all = std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("bmi2");
        AVAILABLE.store(if has_all { YES } else { NO }, Relaxed);
        has_all
    }

    /// As [`encode::write_all`], where the machine has masks; false, with nothing written, where it has none.
    ///
    /// One call per message: such instructions cannot be part of a function that may run without them, so each field
    /// would cost a call. Everything travels in registers, which makes the one call nearly free.
    #[inline(always)]
    pub(crate) fn write_masked<R: Zap, C: Cell>(record: &R, cells: &mut [C], structure: usize, flags: u16) -> bool {
        // SAFETY: `write` needs a machine with avx512bw, avx512vl and bmi2, and `can_mask` has just said that this is one.
        can_mask() && unsafe { write(record, cells, structure, flags) }
    }

    #[inline(never)]
    #[target_feature(enable = "avx512bw,avx512vl,bmi2")]
    fn write<R: Zap, C: Cell>(record: &R, cells: &mut [C], structure: usize, flags: u16) -> bool {
        encode::write_all::<R, C, Masked>(record, cells, structure, flags)
    }

    /// The [`Copier`] of [`write`]. Private to this module, so that nothing else can name it.
    struct Masked;

    impl Copier for Masked {
        #[inline(always)]
        fn copy<C: Cell>(to: &mut [C], from: &[u8]) {
            if to.len() == from.len() && from.len() <= MAX_LEN {
                let this_run = if matches!(from.len(), 1..=7) { THIS_MESSAGE } else { 0 };
                SHORT_RUNS.set(SHORT_RUNS.get() | this_run);
                // SAFETY: `copy_short` needs a machine with avx512bw, avx512vl and bmi2. `Masked` is used in `write` only,
                // which needs the same, and in a test that has asked `can_mask`.
                unsafe { copy_short(to, from) };
            } else {
                C::store_slice(to, from);
            }
        }
    }

    /// Copies `from` to `to`, which have the same length of at most [`MAX_LEN`] bytes.
    #[inline]
    #[target_feature(enable = "avx512bw,avx512vl,bmi2")]
    fn copy_short<C: Cell>(to: &mut [C], from: &[u8]) {
        const { assert!(size_of::<C>() == 1, "a cell is a byte") };
        let len = to.len().min(from.len()).min(MAX_LEN);
        // The lowest `len` bits.
        let mask = _bzhi_u32(u32::MAX, len as u32);
        // SAFETY: a masked load reads, and a masked store writes, the bytes whose mask bit is set and no others, and
        // neither asks for alignment. Those are the first `len` bytes, and both slices have as many: `len` is the lesser
        // of their lengths, and a cell is one byte, of which every value is allowed. The slices do not overlap, since one
        // of them is borrowed mutably.
        unsafe {
            let bytes = _mm256_maskz_loadu_epi8(mask, from.as_ptr().cast());
            _mm256_mask_storeu_epi8(to.as_mut_ptr().cast(), mask, bytes);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_masked_copy_stores_exactly_its_bytes() {
            if !can_mask() {
                std::eprintln!("SKIPPED: this machine has no masked copies of bytes");
                return;
            }
            for len in 0..=40_u8 {
                // Both at the very end of an allocation, where a sanitizer sees a byte too many.
                let source: alloc::vec::Vec<u8> = (1..=len).collect();
                let mut target = alloc::vec![0_u8; source.len()];
                Masked::copy(&mut target, &source);
                assert_eq!(target, source, "{len} bytes");
                let mut wider = [0xee_u8; 48];
                let (_, rest) = wider.split_at_mut(4);
                let (inner, _) = rest.split_at_mut(source.len());
                Masked::copy(inner, &source);
                let is_kept = |part: &[u8]| part.iter().all(|byte| *byte == 0xee);
                let (before, rest) = wider.split_at(4);
                assert!(is_kept(before) && is_kept(rest.split_at(source.len()).1), "{len} bytes");
            }
        }

        #[test]
        fn masks_are_used_until_64_messages_after_the_last_short_run() {
            SHORT_RUNS.set(0);
            assert!(!should_mask());
            note_short_run();
            let mut messages = 0;
            while should_mask() {
                messages += 1;
            }
            assert_eq!(messages, if can_mask() { 64 } else { 0 });
        }
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
pub(crate) use masked::{note_short_run, should_mask, write_masked};

/// Other machines copy in safe code.
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
mod no_masks {
    use crate::Zap;
    use crate::region::Cell;

    pub(crate) const fn note_short_run() {}
    pub(crate) const fn should_mask() -> bool {
        false
    }
    pub(crate) const fn write_masked<R: Zap, C: Cell>(_: &R, _: &mut [C], _: usize, _: u16) -> bool {
        false
    }
}

#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
pub(crate) use no_masks::{note_short_run, should_mask, write_masked};
