//! A hand-written stand-in for what `#[derive(Zap)]` gives the two records, with the same method names. It exists only
//! until the derive does; `zap.rs` says how to switch.
#![allow(unsafe_code, clippy::wrong_self_convention)] // hand-written at full speed; the real runtime keeps its unsafe in one small module

use std::ops::Range;

const HEADER: u128 = 0x10_0000_0001_0050_415a;
const FIXED: usize = 48;

#[derive(Debug)]
pub(crate) struct Error;

#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    len: usize,
}

impl Buffer {
    pub(crate) fn new() -> Self {
        Self::default()
    }
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }
    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

pub(crate) trait Sink {
    fn append(&mut self, len: usize, write: impl FnOnce(*mut u8)) -> Range<usize>;
}

impl Sink for Vec<u8> {
    #[inline(always)]
    fn append(&mut self, len: usize, write: impl FnOnce(*mut u8)) -> Range<usize> {
        let start = self.len();
        if self.capacity() - start < len {
            grow(self, len);
        }
        // SAFETY: there is room for `len` bytes, and `write` fills exactly those.
        unsafe {
            write(self.as_mut_ptr().add(start));
            self.set_len(start + len);
        }
        start..start + len
    }
}

#[cold]
#[inline(never)]
fn grow(vec: &mut Vec<u8>, len: usize) {
    vec.reserve(len);
}

impl Sink for Buffer {
    #[inline(always)]
    fn append(&mut self, len: usize, write: impl FnOnce(*mut u8)) -> Range<usize> {
        let start = self.len;
        if self.bytes.len() - start < len {
            self.bytes.resize((start + len).next_power_of_two().max(256), 0);
        }
        write(self.bytes[start..start + len].as_mut_ptr());
        self.len = start + len;
        start..start + len
    }
}

#[inline(always)]
fn put(to: *mut u8, at: usize, word: u64) {
    // SAFETY: callers write inside the `FIXED` bytes they reserved.
    unsafe { to.add(at).cast::<[u8; 8]>().write_unaligned(word.to_le_bytes()) }
}

#[inline(always)]
fn pair(low: usize, high: usize) -> u64 {
    low as u64 | (high as u64) << 32
}

#[inline(always)]
fn copy(to: *mut u8, from: &[u8]) {
    #[inline(always)]
    unsafe fn ends<const N: usize>(to: *mut u8, from: &[u8]) {
        // SAFETY: both moves stay inside `from` and its equally long destination, as `from.len() >= N`.
        unsafe {
            let last = from.len() - N;
            let (a, b) = (
                from.as_ptr().cast::<[u8; N]>().read_unaligned(),
                from.as_ptr().add(last).cast::<[u8; N]>().read_unaligned(),
            );
            to.cast::<[u8; N]>().write_unaligned(a);
            to.add(last).cast::<[u8; N]>().write_unaligned(b);
        }
    }
    let len = from.len();
    // SAFETY: the destination has room for `from`, and each arm moves only bytes of it.
    unsafe {
        if len.wrapping_sub(8) <= 24 {
            // Four words at computed offsets: no branch depends on the length.
            let last = len - 8;
            let (b, c) = (last.min(8), last.min(16));
            let word = |at: usize| from.as_ptr().add(at).cast::<[u8; 8]>().read_unaligned();
            let words = (word(0), word(b), word(c), word(last));
            to.cast::<[u8; 8]>().write_unaligned(words.0);
            to.add(b).cast::<[u8; 8]>().write_unaligned(words.1);
            to.add(c).cast::<[u8; 8]>().write_unaligned(words.2);
            to.add(last).cast::<[u8; 8]>().write_unaligned(words.3);
        } else {
            match len {
                4..8 => ends::<4>(to, from),
                2..4 => ends::<2>(to, from),
                1 => to.write(from[0]),
                0 => (),
                _ => std::ptr::copy_nonoverlapping(from.as_ptr(), to, len),
            }
        }
    }
}

#[inline(always)]
fn section(bytes: &[u8]) -> Result<(&[u8], &[u8; FIXED]), Error> {
    let header = u128::from_le_bytes(*bytes.first_chunk().ok_or(Error)?);
    if header & (u128::MAX >> 32) != HEADER {
        return Err(Error);
    }
    let message = bytes.get(..(header >> 96) as usize).ok_or(Error)?;
    Ok((message, message.first_chunk().ok_or(Error)?))
}

#[inline(always)]
fn long(fixed: &[u8; FIXED], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&fixed[at..at + 8]);
    u64::from_le_bytes(word)
}

#[inline(always)]
fn slot<'a>(message: &'a [u8], fixed: &[u8; FIXED], at: usize) -> Result<&'a [u8], Error> {
    let word = long(fixed, at);
    let start = at as u64 + (word & 0xffff_ffff);
    let end = start + (word >> 32);
    if start < FIXED as u64 || end > message.len() as u64 {
        Err(Error)
    } else {
        Ok(&message[start as usize..end as usize])
    }
}

#[inline(always)]
fn text<'a>(message: &'a [u8], fixed: &[u8; FIXED], at: usize) -> Result<&'a str, Error> {
    static MASKS: [u8; 64] = {
        let mut masks = [0; 64];
        let mut at = 32;
        while at < 64 {
            masks[at] = 0x80;
            at += 1;
        }
        masks
    };
    let slice = slot(message, fixed, at)?;
    if slice.len() > 32 {
        return std::str::from_utf8(slice).map_err(|_| Error);
    }
    // SAFETY: `slot` places the text behind the 48 fixed bytes, so the 32 bytes that end with it are in the message.
    let (window, mask) = unsafe {
        (
            slice.as_ptr().add(slice.len()).sub(32).cast::<[u8; 32]>().read_unaligned(),
            MASKS.as_ptr().add(slice.len()).cast::<[u8; 32]>().read_unaligned(),
        )
    };
    let mut any = 0;
    for i in 0..32 {
        any |= window[i] & mask[i];
    }
    if any != 0 {
        return std::str::from_utf8(slice).map_err(|_| Error);
    }
    // SAFETY: all bytes are ASCII.
    Ok(unsafe { std::str::from_utf8_unchecked(slice) })
}

macro_rules! record {
    ($name:ident, $view:ident, [$($word:ident @ $word_at:literal),*], [$($tail:ident: $ty:ty, $read:ident, $as:ident @ $tail_at:literal),*]) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name<'a> { $(pub(crate) $word: u64,)* $(pub(crate) $tail: &'a $ty,)* }

        #[derive(Clone, Copy)]
        pub(crate) struct $view<'a> { message: &'a [u8], fixed: &'a [u8; FIXED] }

        impl<'a> $name<'a> {
            #[inline(always)]
            pub(crate) fn decode(bytes: &'a [u8]) -> Result<Self, Error> {
                let (message, fixed) = section(bytes)?;
                Ok(Self { $($word: long(fixed, $word_at),)* $($tail: $read(message, fixed, $tail_at)?,)* })
            }
            #[inline(always)]
            pub(crate) fn view(bytes: &'a [u8]) -> Result<$view<'a>, Error> {
                let (message, fixed) = section(bytes)?;
                Ok($view { message, fixed })
            }
            #[inline(always)]
            pub(crate) fn encoded_len(&self) -> usize {
                FIXED $(+ self.$tail.len())*
            }
            #[inline(always)]
            pub(crate) fn encode_into(&self, out: &mut impl Sink) -> Result<Range<usize>, Error> {
                let size = self.encoded_len();
                Ok(out.append(size, |to| {
                    put(to, 0, HEADER as u64);
                    put(to, 8, pair(16, size));
                    $(put(to, $word_at, self.$word);)*
                    let mut at = FIXED;
                    $(
                        put(to, $tail_at, pair(at - $tail_at, self.$tail.len()));
                        // SAFETY: the tail lies inside the `size` bytes.
                        copy(unsafe { to.add(at) }, self.$tail.$as());
                        at += self.$tail.len();
                    )*
                    let _ = at;
                }))
            }
            #[inline(always)]
            pub(crate) fn to_vec(&self) -> Result<Vec<u8>, Error> {
                let mut vec = Vec::with_capacity(self.encoded_len());
                self.encode_into(&mut vec)?;
                Ok(vec)
            }
        }

        impl<'a> $view<'a> {
            $(#[inline(always)] pub(crate) fn $word(&self) -> u64 { long(self.fixed, $word_at) })*
            $(#[inline(always)] pub(crate) fn $tail(&self) -> Result<&'a $ty, Error> { $read(self.message, self.fixed, $tail_at) })*
        }
    };
}

record!(Request, RequestView, [id @ 16, block @ 24], [method: str, text, as_bytes @ 32, account: [u8], slot, as_ref @ 40]);
record!(Response, ResponseView, [id @ 16, balance @ 24, nonce @ 32], [block_hash: [u8], slot, as_ref @ 40]);
