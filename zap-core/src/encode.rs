//! Appending one message to a caller's buffer: count, check, reserve once, write once.
//!
//! The path is forced inline: out of line, handing the result back through memory costs as much as a small message.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::ops::Range;

use alloc::vec::Vec;
use bytes::BytesMut;

use crate::region::{Cell, Copier, MessageWriter, Portable};
use crate::sink::{Counter, Plan, write_message};
use crate::{Buffer, EncodeError, Zap, trusted};

/// A buffer that [`Zap::encode_into`] takes. Sealed: `Vec<u8>`, `bytes::BytesMut` and [`Buffer`] grow as needed;
/// `[u8]` and `[u8; N]` are written from their start.
pub trait EncodeTarget: sealed::Target {}

impl<T: sealed::Target + ?Sized> EncodeTarget for T {}

mod sealed {
    use super::{CountedMessage, EncodeError, Range, Zap};

    pub trait Target {
        fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError>;
    }
}

/// A value whose message has been counted and may be written.
pub struct CountedMessage<'r, R> {
    record: &'r R,
    flags: u16,
    plan: Plan,
}

impl<R: Zap> CountedMessage<'_, R> {
    #[inline(always)]
    pub(crate) fn structure(&self) -> usize {
        self.plan.structure as usize
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.plan.len() as usize
    }

    /// Writes the message over `cells`, exactly as many as it counted. After `Ok`, all of them are initialised.
    #[inline(always)]
    pub(crate) fn write_over<C: Cell>(&self, cells: &mut [C]) -> Result<(), EncodeError> {
        let Self { record, flags, .. } = *self;
        let is_complete = if trusted::should_mask() {
            trusted::write_masked(record, cells, self.structure(), flags)
        } else {
            write_all::<R, C, Portable>(record, cells, self.structure(), flags)
        };
        if is_complete { Ok(()) } else { Err(EncodeError::Inconsistent) }
    }
}

/// Writes a message of which `structure` bytes are structure; whether every cell was written, by the one thing that
/// knows: the regions of the writer, which give up a byte only after storing to it.
#[inline(always)]
pub(crate) fn write_all<R: Zap, C: Cell, K: Copier>(record: &R, cells: &mut [C], structure: usize, flags: u16) -> bool {
    match MessageWriter::<C, K>::new(cells, structure) {
        Some(mut writer) => {
            write_message(record, &mut writer, flags);
            writer.is_complete()
        }
        None => false,
    }
}

#[inline(always)]
pub(crate) fn append<R: Zap, B: EncodeTarget + ?Sized>(
    record: &R,
    flags: u16,
    buffer: &mut B,
) -> Result<Range<usize>, EncodeError> {
    let plan = Counter::plan(record)?;
    buffer.append(CountedMessage { record, flags, plan })
}

/// The message in a vector of exactly its size: one allocation, which for a small message is most of the cost.
#[inline(always)]
pub(crate) fn to_vec<R: Zap>(record: &R) -> Result<Vec<u8>, EncodeError> {
    let plan = Counter::plan(record)?;
    let mut buffer = Vec::with_capacity(plan.len() as usize);
    trusted::append(&mut buffer, &CountedMessage { record, flags: 0, plan })?;
    Ok(buffer)
}

impl sealed::Target for Vec<u8> {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        trusted::append(self, &message)
    }
}

impl sealed::Target for BytesMut {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        trusted::append(self, &message)
    }
}

impl sealed::Target for Buffer {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        let range = self.len()..self.len().saturating_add(message.len());
        // Twice at most; a loop for the reasons given at `trusted::append`.
        loop {
            if let Some(room) = self.room_at_hand(message.len()) {
                message.write_over(room)?;
                self.grow_to(range.end);
                return Ok(range);
            }
            self.raise_mark(range.end);
        }
    }
}

#[cfg(feature = "std")]
impl sealed::Target for crate::PooledBuffer {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        sealed::Target::append(&mut **self, message)
    }
}

impl sealed::Target for [u8] {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        let (needed, available) = (message.len(), self.len());
        match self.get_mut(..needed) {
            Some(bytes) => message.write_over(bytes).map(|()| 0..needed),
            None => Err(EncodeError::BufferTooSmall { needed, available }),
        }
    }
}

impl<const N: usize> sealed::Target for [u8; N] {
    #[inline(always)]
    fn append<R: Zap>(&mut self, message: CountedMessage<'_, R>) -> Result<Range<usize>, EncodeError> {
        sealed::Target::append(self.as_mut_slice(), message)
    }
}
