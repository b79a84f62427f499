//! The budget of a deep read: overlapping pointers must not make a small message expensive.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use crate::{DecodeError, DecodeErrorKind, Limits};

/// What a deep read carries along: the bytes it may still visit, and the shared buffer it reads, if any.
///
/// Records of few texts, without lists or pointers to records, cannot visit more than the default budget, so `decode`
/// reads them with `METERED = false`, and the budget costs them nothing.
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

    /// A walk that may visit `budget` bytes.
    pub(crate) const fn within(budget: u64) -> Self {
        Self { budget, source: None }
    }

    /// Bytes that it may still visit.
    pub(crate) const fn left(&self) -> u64 {
        self.budget
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
            // `slice_ref` panics on foreign slices.
            Some(source) if lies_in(part, source) => source.slice_ref(part),
            _ => Bytes::copy_from_slice(part),
        }
    }
}

/// Bytes of memory made ready for elements before the first is read, for each byte that they take in the message. What
/// is larger in memory than that, as an absent record is, must be there before there is room for it.
const MAX_READY: usize = 8;

/// Of how many of `count` elements, which are there in `bytes` bytes, to make room at once.
#[inline]
pub(crate) fn ready<T>(count: usize, bytes: usize) -> usize {
    let most = bytes.saturating_mul(MAX_READY).checked_div(size_of::<T>()).unwrap_or(count);
    count.min(most)
}

/// Whether `part` was cut from `whole`, and is not empty.
fn lies_in(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    part.start < part.end && whole.start <= part.start && part.end <= whole.end
}
