//! Sets: lists of keys, strictly ascending.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;

use alloc::collections::BTreeSet;

use crate::compare;
use crate::key::{Ascending, search};
use crate::list_view::{NO_WIDTH, debug_elements};
use crate::native_slot::native_slot;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, DecodeSlot, FieldType, FixedStride, ListIter, ListView, MapKey, Native, Slot};

/// A native set read in place: membership by binary search, and iteration in order.
///
/// # Examples
///
/// ```
/// use std::collections::BTreeSet;
///
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Article {
///     tags: BTreeSet<String>,
/// }
///
/// let bytes = Article { tags: BTreeSet::from(["wire".into(), "rust".into()]) }.to_vec()?;
/// let tags = Article::view(&bytes)?.tags()?;
///
/// assert!(tags.contains("rust")? && !tags.contains("go")?);
/// assert_eq!(tags.iter().next().unwrap()?, "rust");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SetView<'m, K> {
    elements: ListView<'m, K>,
}

impl<K> Clone for SetView<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for SetView<'_, K> {}

impl<'m, K: MapKey> SetView<'m, K> {
    fn at(section: Section<'m>, field: Field) -> Result<Self, DecodeError> {
        Ok(Self { elements: ListView::new(K::set_body(section, field)?, field.place) })
    }

    /// Number of elements.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are no elements.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Whether an element is there, by binary search. Where the elements of a malformed set do not ascend, it may be
    /// missed: decode and [`validate`](crate::Zap::validate) tell.
    ///
    /// # Errors
    ///
    /// An element on the way is malformed.
    ///
    /// # Cost
    ///
    /// O(log n) comparisons, no allocation.
    pub fn contains(&self, key: K::Key<'_>) -> Result<bool, DecodeError> {
        let field = self.elements.element_field();
        Ok(search::<K>(self.len(), key, field, |index| self.elements.element(index))?.is_some())
    }

    /// The elements in order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'m, K> {
        self.elements.iter()
    }

    /// The elements as the list that they are.
    #[inline]
    #[must_use]
    pub fn elements(&self) -> ListView<'m, K> {
        self.elements
    }
}

impl<K: MapKey> fmt::Debug for SetView<'_, K> {
    /// Up to 16 elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_elements(f, self.iter(), self.len(), K::NESTED)
    }
}

impl<'m, K: MapKey> IntoIterator for SetView<'m, K> {
    type Item = K::Get<'m>;
    type IntoIter = ListIter<'m, K>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'m, K: MapKey> IntoIterator for &SetView<'m, K> {
    type Item = K::Get<'m>;
    type IntoIter = ListIter<'m, K>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Checks every element, and that they ascend.
fn check_set<K: MapKey, const METERED: bool>(
    section: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    let elements = SetView::<K>::at(section, field)?.elements;
    elements.spend(walk)?;
    let mut keys = Ascending::<K>::new();
    elements.sections().try_for_each(|element| {
        K::check(element, elements.element_field(), walk)?;
        keys.next(element, elements.element_field())
    })
}

/// Decodes the elements in order, and sees to it that they ascend.
fn decode_set<'m, K: MapKey + DecodeSlot<'m, Native>, M, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'m, METERED>,
    with_capacity: impl FnOnce(usize) -> M,
    insert: impl Fn(&mut M, K),
) -> Result<M, DecodeError> {
    let elements = SetView::<K>::at(section, field)?.elements;
    elements.spend(walk)?;
    let field = elements.element_field();
    let mut keys = Ascending::<K>::new();
    // The whole body has been received, so its number of elements is backed by bytes.
    let mut set = with_capacity(elements.len());
    for element in elements.sections() {
        let key = K::decode_slot(element, field, walk)?;
        keys.next(element, field)?;
        insert(&mut set, key);
    }
    Ok(set)
}

/// Whether the elements of a set, in order, are those of a message, which are as many.
fn equal_elements<'a, K: MapKey + 'a>(
    mut expected: impl Iterator<Item = &'a K>,
    elements: ListView<'_, K>,
    walk: &mut Walk<'_, true>,
) -> bool {
    let field = elements.element_field();
    elements.sections().all(|element| expected.next().is_some_and(|key| key.equals(element, field, walk)))
}

/// A set in a slot: how it is made, and its elements in order.
macro_rules! set_slot {
    ($owner:ty, [$($hasher:ident)?], [$($key_bounds:path),*], [$($hasher_bounds:tt)*],
     |$len:ident| $with_capacity:expr, |$set:ident| $sorted:expr, |$sink:ident, $section:ident, $offset:ident| $put:expr) => {
        impl<K: MapKey, $($hasher)?> Slot<Native> for $owner {
            const WIDTH: usize = 8;
            const ALIGN: usize = 4;
            const TYPE: FieldType = FieldType::Set(&<K as Slot<Native>>::TYPE);
            const PARTS: Parts = K::PARTS_BEHIND;
            const PARTS_BEHIND: Parts = K::PARTS_BEHIND;
            const PLAIN: bool = false;
            const INFALLIBLE: bool = false;
            const NESTED: bool = true;
            const FAULT: &'static str = if K::WIDTH == 0 { NO_WIDTH } else { K::FAULT };

            type Get<'m> = Result<SetView<'m, K>, DecodeError>;

            fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
                SetView::at(section, field)
            }
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                check_set::<K, METERED>(section, field, walk)
            }
            fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                let Ok(SetView { elements }) = SetView::<K>::at(section, field) else {
                    return false;
                };
                let $set = self;
                elements.len() == $set.len() && compare::pay(elements.body(), walk) && equal_elements($sorted, elements, walk)
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                match (SetView::<K>::at(left, field), SetView::<K>::at(right, field)) {
                    (Ok(left), Ok(right)) => left.elements.same(&right.elements, walk),
                    _ => false,
                }
            }
            fn put<W: Sink>(&self, $sink: &mut W, $section: &mut W::Section, $offset: usize) {
                let $set = self;
                $put
            }
        }

        impl<'m, K, $($hasher)?> DecodeSlot<'m, Native> for $owner
        where
            K: MapKey + DecodeSlot<'m, Native> $(+ $key_bounds)*,
            $($hasher_bounds)*
        {
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                decode_set(section, field, walk, |$len| $with_capacity, |set: &mut Self, key| {
                    set.insert(key);
                })
            }
        }

        native_slot!([K: MapKey, $($hasher)?] $owner, Fallible, NullSlot, |'m| SetView<'m, K>);

        impl<K: MapKey, $($hasher)?> FixedStride for $owner {}
    };
}

set_slot!(BTreeSet<K>, [], [], [], |_len| BTreeSet::new(), |set| set.iter(), |sink, section, offset| {
    K::put_set(set.iter(), sink, section, offset);
});

#[cfg(feature = "std")]
mod hash_set {
    use core::hash::{BuildHasher, Hash};
    use std::collections::HashSet;

    use alloc::vec::Vec;

    use super::*;

    /// The elements of a set without an order, in order.
    fn sorted<'a, K: Ord>(set: impl Iterator<Item = &'a K>) -> alloc::vec::IntoIter<&'a K> {
        let mut keys: Vec<&K> = set.collect();
        keys.sort_unstable();
        keys.into_iter()
    }

    set_slot!(HashSet<K, H>, [H], [Hash], [H: BuildHasher + Default],
    |len| HashSet::with_capacity_and_hasher(len, H::default()),
    |set| sorted(set.iter()),
    |sink, section, offset| {
        // No key has lists behind it, so that the order does not show in the count.
        if W::COUNTS {
            K::put_set(set.iter(), sink, section, offset);
        } else {
            K::put_set(sorted(set.iter()), sink, section, offset);
        }
    });
}
