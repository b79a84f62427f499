//! What the builder hands out: names of open objects and lists, and places that a pointer can lead to.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::sync::atomic::{AtomicUsize, Ordering};

/// An object that is being built: names it in the `set_` methods, and is taken by the method that finishes it.
#[derive(Debug)]
#[must_use = "an object that is never finished loses its text and bytes"]
pub struct ObjectHandle {
    pub(super) stamp: Stamp,
    pub(super) index: usize,
}

/// A list that is being built: names it in the `list_add_` methods, and is taken by
/// [`finish_list`](crate::Builder::finish_list).
#[derive(Debug)]
#[must_use = "a list that is never finished cannot be pointed at"]
pub struct ListHandle {
    pub(super) stamp: Stamp,
    pub(super) index: usize,
}

/// A place in the message that a pointer can lead to, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    pub(super) stamp: Stamp,
    pub(super) offset: u32,
}

impl Target {
    /// Leads nowhere: the pointer is written as null.
    pub const NULL: Self = Self { stamp: Stamp { builder: 0, generation: 0 }, offset: 0 };

    /// Whether this is null, as what [`write_bytes`](crate::Builder::write_bytes) returns for no bytes.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.offset == 0
    }

    /// Bytes from the start of the message; 0 for null.
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.offset
    }

    /// A list of `count` elements that begins here: bytes from [`write_bytes`](crate::Builder::write_bytes), or the first
    /// of some records of one size that were built one after the other.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::{Builder, Message, Target};
    ///
    /// let mut builder = Builder::new();
    /// let mut first = Target::NULL;
    /// for id in 1..=3 {
    ///     let record = builder.start_object(16)?;
    ///     builder.set_u32(&record, 0, id)?;
    ///     let record = builder.finish_object(record)?;
    ///     if first.is_null() {
    ///         first = record;
    ///     }
    /// }
    /// let root = builder.start_object(8)?;
    /// builder.set_list(&root, 0, first.list_of(3))?;
    /// builder.finish_as_root(root)?;
    ///
    /// let records = Message::parse(builder.finish()).unwrap().root().list(0);
    /// assert_eq!(records.record_at(2, 16).u32(0), 3);
    /// # Ok::<(), zap_core::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn list_of(self, count: u32) -> ListTarget {
        ListTarget { target: self, count }
    }
}

/// A list that a list slot can point at: where it begins and how many elements it has, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListTarget {
    pub(super) target: Target,
    pub(super) count: u32,
}

impl ListTarget {
    /// No list: the slot is written as null.
    pub const NULL: Self = Target::NULL.list_of(0);

    /// Where the list begins.
    #[must_use]
    pub const fn target(self) -> Target {
        self.target
    }

    /// Elements, as they will be written; bytes where raw bytes were added.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// The same place with another count: records that were added as scalars or bytes are counted as records.
    #[must_use]
    pub const fn with_count(self, count: u32) -> Self {
        self.target.list_of(count)
    }
}

/// Tells the handles of one message from those of all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stamp {
    builder: usize,
    generation: u32,
}

impl Stamp {
    pub(super) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Self { builder: NEXT.fetch_add(1, Ordering::Relaxed), generation: 0 }
    }

    pub(super) fn next(self) -> Self {
        self.generation.checked_add(1).map_or_else(Self::new, |generation| Self { generation, ..self })
    }
}
