//! The budget of a deep read, since overlapping pointers must not make a small message expensive; and what a check
//! knows of the texts it has met, since many short ones are cheaper to check as the one range in which they lie.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use crate::{DecodeError, DecodeErrorKind, Limits};

/// What a deep read carries along: the bytes it may still visit, the shared buffer it reads, if any, and the run of texts
/// whose content it leaves for later.
///
/// Records of few texts, without lists or pointers to records, cannot visit more than the default budget, so `decode`
/// reads them with `METERED = false`, and the budget costs them nothing.
#[derive(Clone)]
pub struct Walk<'m, const METERED: bool> {
    budget: u64,
    source: Option<&'m Bytes>,
    run: Run<'m>,
}

/// Texts that follow each other without a gap, as an encoder writes them: from the first that a check meets on. Their
/// content can be checked at once, as that of the whole run.
#[derive(Clone)]
struct Run<'m> {
    /// Where the first text starts: 0 before it has been met, which is in the header, where no text lies. In a run that
    /// is known, where the next one starts.
    start: usize,
    /// Where the last one ends, and the next one must start; [`NOWHERE`] if the run does not grow.
    end: usize,
    /// What is left of the run once it is known to be UTF-8: each text must begin and end between characters.
    known: &'m str,
}

/// Where no text starts: behind the longest input.
const NOWHERE: usize = usize::MAX;

impl Run<'_> {
    /// No texts: each is looked at when it is met.
    const NONE: Self = Self { start: NOWHERE, end: NOWHERE, known: "" };
    /// The run that the first text begins.
    const TO_COME: Self = Self { start: 0, end: NOWHERE, known: "" };
}

impl<'m, const METERED: bool> Walk<'m, METERED> {
    /// A walk over a message of `message_len` bytes.
    #[inline]
    pub(crate) const fn new(limits: &Limits, message_len: usize, source: Option<&'m Bytes>) -> Self {
        Self { budget: limits.budget_for(message_len), source, run: Run::NONE }
    }

    /// As [`Walk::new`], for a check that, if `deferring`, leaves a run of texts for later.
    #[inline]
    pub(crate) const fn deferring(deferring: bool, limits: &Limits, message_len: usize) -> Self {
        let run = if deferring { Run::TO_COME } else { Run::NONE };
        Self { budget: limits.budget_for(message_len), source: None, run }
    }

    /// As [`Walk::new`], for the check after that: the run that starts at `start` is `known` to be UTF-8, and paid for;
    /// `None` if it is beyond the budget.
    pub(crate) fn knowing(start: usize, known: &'m str, limits: &Limits, message_len: usize) -> Option<Self> {
        let budget = limits.budget_for(message_len).checked_sub(known.len() as u64)?;
        let run = if known.is_empty() { Run::NONE } else { Run { start, end: NOWHERE, known } };
        Some(Self { budget, source: None, run })
    }

    /// Where the run of texts left for later starts and ends.
    #[inline]
    pub(crate) const fn run(&self) -> (usize, usize) {
        (self.run.start, self.run.end)
    }

    /// The run of texts left for later; `None` if it is beyond the budget.
    #[inline]
    pub(crate) fn deferred(&self, message: &'m [u8]) -> Option<&'m [u8]> {
        let texts = message.get(self.run.start..self.run.end).unwrap_or_default();
        (texts.len() as u64 <= self.budget).then_some(texts)
    }

    /// Takes note of the text at `start..end` of the message; false if its content is to be checked now.
    #[inline(always)]
    pub(crate) fn leaves_text(&mut self, start: usize, end: usize) -> bool {
        if start == self.run.end {
            self.run.end = end;
            return true;
        }
        if self.run.start == 0 {
            (self.run.start, self.run.end) = (start, end);
            return true;
        }
        if self.run.known.is_empty() || start != self.run.start {
            return false;
        }
        let rest = rest_of(self.run.known, end.wrapping_sub(start));
        (self.run.start, self.run.known) = (end, rest.unwrap_or_default());
        rest.is_some()
    }

    /// A walk that may visit `budget` bytes.
    pub(crate) const fn within(budget: u64) -> Self {
        Self { budget, source: None, run: Run::NONE }
    }

    /// Bytes that it may still visit.
    #[inline(always)]
    pub(crate) const fn left(&self) -> u64 {
        self.budget
    }

    /// Sets how many bytes it may still visit.
    #[inline(always)]
    pub(crate) const fn leave(&mut self, left: u64) {
        self.budget = left;
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

/// A text without its first `len` bytes; `None` if these end within a character, or beyond the text.
#[cold]
#[inline(never)]
fn rest_of(text: &str, len: usize) -> Option<&str> {
    text.get(len..)
}

/// Whether `part` was cut from `whole`, and is not empty.
fn lies_in(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    part.start < part.end && whole.start <= part.start && part.end <= whole.end
}
