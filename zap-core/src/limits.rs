//! Limits of the deep reads, and the result of taking one message off the front of a longer input.

/// Limits for [`validate`](crate::Zap::validate), [`decode_with`](crate::Zap::decode_with) and the like.
///
/// # Examples
///
/// ```
/// use zap_core::Limits;
///
/// let limits = Limits::new().max_message_len(1 << 20).max_depth(8);
/// assert_eq!(limits.depth(), 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    max_message_len: u32,
    max_depth: u8,
    budget_factor: u32,
    budget_base: u32,
}

impl Limits {
    /// Levels that lazy views follow and that an encoder writes.
    pub(crate) const DEPTH: u8 = 64;

    /// The default limits: 64 MiB a message, 64 levels, and at most 8 x the message's length + 1 KiB bytes visited.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_message_len: 64 << 20, max_depth: Self::DEPTH, budget_factor: 8, budget_base: 1024 }
    }

    /// The longest message accepted, in bytes.
    #[must_use]
    pub const fn max_message_len(mut self, bytes: u32) -> Self {
        self.max_message_len = bytes;
        self
    }

    /// How many pointers and lists may be followed, one inside the other.
    ///
    /// `decode` recurses once a level and holds a few copies of the record there: allow about `levels` x 3 x
    /// `size_of::<T>()` bytes of stack. With the default of 64 that matters for recursive records of several KiB.
    #[must_use]
    pub const fn max_depth(mut self, levels: u8) -> Self {
        self.max_depth = levels;
        self
    }

    /// How many bytes a deep read may visit: `factor` x the message's length + `base`.
    #[must_use]
    pub const fn budget(mut self, factor: u32, base: u32) -> Self {
        self.budget_factor = factor;
        self.budget_base = base;
        self
    }

    /// The longest message accepted, in bytes.
    #[must_use]
    pub const fn message_len(&self) -> u32 {
        self.max_message_len
    }

    /// How many levels of pointers and lists are followed.
    #[must_use]
    pub const fn depth(&self) -> u8 {
        self.max_depth
    }

    /// Bytes that a deep read of a message of `message_len` bytes may visit.
    #[must_use]
    pub const fn budget_for(&self, message_len: usize) -> u64 {
        (message_len as u64).saturating_mul(self.budget_factor as u64).saturating_add(self.budget_base as u64)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

/// One message taken off the front of a longer input, or how much is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix<'m, T> {
    /// The message was complete; `rest` is exactly what follows it.
    Complete {
        /// What was read.
        value: T,
        /// The bytes after the message.
        rest: &'m [u8],
    },
    /// The input ends inside the message.
    Incomplete {
        /// At least this many more bytes are needed: exact once the 16 header bytes are there.
        needed: usize,
    },
}
