//! The only unsafe code of this crate: "checked ASCII bytes are a `&str`" and "append exactly n bytes to a vector".
//!
//! Both are here because a measurement asked for them (BENCHMARKS.md, "What the unsafe code buys"); everything else
//! is safe code, and nothing a safe trait implementation does can break what these two functions rely on.
#![allow(unsafe_code)]
#![deny(clippy::undocumented_unsafe_blocks)]

use core::mem::MaybeUninit;
use core::ops::Range;

use alloc::vec::Vec;
use bytes::BytesMut;

use crate::encode::CountedMessage;
use crate::region::MessageWriter;
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
    // Twice at most. As a loop, the room is checked once where it suffices, and the writing code stands here once.
    loop {
        let Some(spare) = buffer.spare().get_mut(..len) else {
            if has_grown {
                return Err(EncodeError::Inconsistent);
            }
            buffer.reserve(len);
            has_grown = true;
            continue;
        };
        let Some(mut writer) = MessageWriter::new(spare, message.structure()) else {
            return Err(EncodeError::Inconsistent);
        };
        message.write(&mut writer);
        if !writer.is_complete() {
            return Err(EncodeError::Inconsistent);
        }
        let end = start.wrapping_add(len);
        // SAFETY: `set_len` needs `end <= capacity` and the bytes below `end` initialised. Capacity: `spare` is the
        // room behind the `start` bytes in use and had at least `len` bytes, so the sum neither exceeds the capacity
        // nor overflows. Initialised: the first `start` bytes were in use; the other `len` were all part of `writer`,
        // whose two regions give up a byte only after writing it (module `region`: each method of `Region` that
        // advances the cursor first stores to every byte it passes), and `is_complete` says that nothing is left in
        // either region. A trait implementation that gets `writer` cannot put another one in its place: it sees it as
        // some `S: Sink`, and gets no second value of that type.
        unsafe { buffer.set_len(end) };
        return Ok(start..end);
    }
}
