//! The budget of a deep read: overlapping pointers must not make a small message expensive.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use crate::{DecodeError, DecodeErrorKind, Limits};

/// What a deep read carries along: the bytes it may still visit, and the shared buffer it reads, if any.
///
/// Records without lists or pointers to records visit no byte twice, so they are read with `METERED = false`, and the
/// budget costs them nothing.
pub struct Walk<'m, const METERED: bool> {
    budget: u64,
    source: Option<&'m Bytes>,
}

impl<'m, const METERED: bool> Walk<'m, METERED> {
    /// A walk over a message of `message_len` bytes.
    #[inline]
    pub(crate) const fn new(limits: &Limits, message_len: usize, source: Option<&'m Bytes>) -> Self {
        Self { budget: limits.budget_for(message_len), source }
    }

    /// Pays for visiting `len` bytes at `offset`.
    #[inline]
    pub(crate) fn spend(&mut self, len: usize, offset: usize) -> Result<(), DecodeError> {
        if !METERED {
            return Ok(());
        }
        match self.budget.checked_sub(len as u64) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(DecodeError::new(DecodeErrorKind::BudgetExceeded, offset)),
        }
    }

    /// `part` of the message as shared bytes: a slice of the buffer it came in, or a copy if it came in none.
    #[inline]
    pub(crate) fn share(&self, part: &'m [u8]) -> Bytes {
        match self.source {
            // `slice_ref` panics on foreign slices; this one was cut from the source, or is the empty default.
            Some(source) if !part.is_empty() => source.slice_ref(part),
            _ => Bytes::copy_from_slice(part),
        }
    }
}
