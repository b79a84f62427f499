//! A view that owns its message, so that it can cross an `.await`, a channel or a thread.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::marker::PhantomData;

use bytes::Bytes;

use crate::record::decode_root;
use crate::section::Section;
use crate::{DecodeError, DecodeOwned, Limits, RecordView, Zap, compare, display};

/// A record in a shared buffer that it keeps alive: `Send`, `Sync`, `'static` and cheap to clone.
///
/// It holds the buffer and the position of the root; each call of [`view`](OwnedView::view) cuts the slices anew, so
/// nothing refers to itself.
///
/// # Examples
///
/// ```
/// use zap_core::{OwnedView, Zap};
///
/// #[derive(Zap)]
/// struct Note<'a> {
///     text: &'a str,
/// }
///
/// let bytes = Note { text: "hello" }.to_vec()?;
/// let note = OwnedView::<Note<'static>>::new(bytes)?;
/// let length = std::thread::spawn(move || note.view().text().map(str::len)).join().unwrap()?;
/// assert_eq!(length, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OwnedView<T> {
    bytes: Bytes,
    root: u32,
    /// Levels that its views follow.
    depth: u8,
    record: PhantomData<fn() -> T>,
}

impl<T: Zap> OwnedView<T> {
    /// Opens the message in `bytes` as [`Zap::view`] does. Bytes after the message are let go of.
    ///
    /// # Errors
    ///
    /// As [`Zap::view`].
    pub fn new(bytes: impl Into<Bytes>) -> Result<Self, DecodeError> {
        Self::open(bytes.into(), Limits::DEPTH)
    }

    /// Opens and checks the message in `bytes` as [`Zap::validate`] does, so that no accessor fails afterwards.
    ///
    /// # Errors
    ///
    /// As [`Zap::validate`].
    pub fn validated(bytes: impl Into<Bytes>, limits: &Limits) -> Result<Self, DecodeError> {
        let bytes = bytes.into();
        T::validate(&bytes, limits)?;
        Self::open(bytes, limits.depth())
    }

    fn open(mut bytes: Bytes, depth: u8) -> Result<Self, DecodeError> {
        let section = T::open_root(&bytes)?;
        let (root, len) = (section.position(), section.message().len());
        bytes.truncate(len);
        Ok(Self { bytes, root, depth, record: PhantomData })
    }

    /// The view. O(1), and cannot fail: the bytes have been checked and do not change.
    #[inline]
    #[must_use]
    pub fn view(&self) -> T::View<'_> {
        RecordView::from_section(self.section())
    }

    /// The record as a value that borrows nothing; `Bytes` fields share the message instead of copying.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`].
    pub fn to_record(&self) -> Result<T, DecodeError>
    where
        T: DecodeOwned,
    {
        decode_root(self.section(), Some(&self.bytes))
    }

    fn section(&self) -> Section<'_> {
        T::reopen_root(&self.bytes, self.root, self.depth)
    }

    /// The message.
    #[must_use]
    pub const fn as_bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The message, without copying.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl<T> Clone for OwnedView<T> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), root: self.root, depth: self.depth, record: PhantomData }
    }
}

impl<T: Zap> fmt::Debug for OwnedView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl<T: Zap> fmt::Display for OwnedView<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display::<T>(self.section(), f)
    }
}

impl<T: Zap> PartialEq for OwnedView<T> {
    fn eq(&self, other: &Self) -> bool {
        compare::same_views::<T>(self.section(), other.section())
    }
}

impl<T: Zap> PartialEq<T> for OwnedView<T> {
    fn eq(&self, record: &T) -> bool {
        compare::view_equals(self.section(), record)
    }
}
