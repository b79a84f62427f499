//! Values the compiler cannot see through, kept in registers.
//!
//! [`std::hint::black_box`] stores its argument to memory and loads it back. For a slice that is two stores and, often,
//! one wide load over both, which the processor cannot forward: the harness would measure its own stall of a dozen
//! cycles. These hide each word by itself, in a register, and act as a compiler barrier for memory.
#![allow(unsafe_code)] // empty inline assembly, and one slice rebuilt from its own two words

use std::arch::asm;

/// `word`, of which the compiler knows nothing afterwards.
#[inline(always)]
pub(crate) fn hide_word(mut word: usize) -> usize {
    // SAFETY: no instruction is emitted; the register is handed back as it was.
    unsafe { asm!("/* {0} */", inout(reg) word, options(nostack, preserves_flags)) };
    word
}

/// `slice`, pointer and length hidden apart from each other.
#[inline(always)]
pub(crate) fn hide_slice(slice: &[u8]) -> &[u8] {
    let mut pointer = slice.as_ptr();
    // SAFETY: no instruction is emitted; the register is handed back as it was.
    unsafe { asm!("/* {0} */", inout(reg) pointer, options(nostack, preserves_flags)) };
    // SAFETY: pointer and length are those of `slice`, unchanged, and the result lives no longer than `slice`.
    unsafe { std::slice::from_raw_parts(pointer, hide_word(slice.len())) }
}

/// `value`, whose contents the compiler must load anew.
#[inline(always)]
pub(crate) fn hide_ref<T>(value: &T) -> &T {
    let mut pointer: *const T = value;
    // SAFETY: no instruction is emitted; the register is handed back as it was.
    unsafe { asm!("/* {0} */", inout(reg) pointer, options(nostack, preserves_flags)) };
    // SAFETY: the pointer is that of `value`, unchanged, and the result lives no longer than `value`.
    unsafe { &*pointer }
}

/// Uses `word`, so that whatever computed it must happen.
#[inline(always)]
pub(crate) fn sink(word: u64) {
    // SAFETY: no instruction is emitted.
    unsafe { asm!("/* {0} */", in(reg) word as usize, options(nostack, preserves_flags)) };
}

/// Uses `bytes`: the pointer, the length, and, since the assembly may read memory, every byte that was written.
#[inline(always)]
pub(crate) fn sink_slice(bytes: &[u8]) {
    // SAFETY: no instruction is emitted.
    unsafe { asm!("/* {0} {1} */", in(reg) bytes.as_ptr(), in(reg) bytes.len(), options(nostack, preserves_flags)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hiding_changes_nothing() {
        assert_eq!(hide_word(7), 7);
        assert_eq!(hide_slice(b"seven"), b"seven");
        assert_eq!(*hide_ref(&[7_u64; 3]), [7; 3]);
        sink(7);
        sink_slice(b"seven");
    }
}
