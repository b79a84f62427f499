//! Maps: lists of keys and values, strictly ascending by key whatever the map that was written.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::marker::PhantomData;

use alloc::collections::BTreeMap;

use crate::compare;
use crate::key::{Ascending, search};
use crate::layout::place;
use crate::list_view::{NO_WIDTH, debug_elements, shape};
use crate::native_slot::native_slot;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::{Walk, ready};
use crate::{
    DecodeError, DecodeSlot, FieldLayout, FieldType, FixedStride, Layout, ListElement, ListIter, ListView, MapKey,
    Native, NativeSlot, Slot,
};

/// A native map read in place: lookup by binary search, and iteration in key order.
///
/// A lookup takes what the key is compared as: the value, or for text and bytes a borrowed `&str` or `&[u8]`.
///
/// # Examples
///
/// ```
/// use std::collections::BTreeMap;
///
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Stock {
///     prices: BTreeMap<String, u32>,
/// }
///
/// let stock = Stock { prices: BTreeMap::from([("tea".into(), 4), ("salt".into(), 1)]) };
/// let bytes = stock.to_vec()?;
/// let prices = Stock::view(&bytes)?.prices()?;
///
/// assert_eq!(prices.get("tea")?, Some(4));
/// assert_eq!(prices.get("oil")?, None);
/// for (name, price) in prices {
///     println!("{}: {price}", name?);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MapView<'m, K, V> {
    entries: ListView<'m, (K, V)>,
}

impl<K, V> Clone for MapView<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for MapView<'_, K, V> {}

impl<'m, K: MapKey, V: NativeSlot> MapView<'m, K, V> {
    /// Number of entries.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key, by binary search. Where the keys of a malformed map do not ascend, it may be missed: decode
    /// and [`validate`](crate::Zap::validate) tell.
    ///
    /// # Errors
    ///
    /// A key on the way, or the value, is malformed.
    ///
    /// # Cost
    ///
    /// O(log n) comparisons, no allocation.
    pub fn get(&self, key: K::Key<'_>) -> Result<Option<V::Value<'m>>, DecodeError> {
        let field = self.entries.element_field();
        let found = search::<K>(self.len(), key, field, |index| self.entries.element(index))?;
        found.map(|entry| V::read(entry, value_field::<K, V>(field))).transpose()
    }

    /// Whether a key is there, by binary search.
    ///
    /// # Errors
    ///
    /// A key on the way is malformed.
    pub fn contains_key(&self, key: K::Key<'_>) -> Result<bool, DecodeError> {
        let found = search::<K>(self.len(), key, self.entries.element_field(), |index| self.entries.element(index))?;
        Ok(found.is_some())
    }

    /// Keys and values in key order, as the accessors of tuples give them.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> ListIter<'m, (K, V)> {
        self.entries.iter()
    }

    /// The entries as the list of tuples that they are.
    #[inline]
    #[must_use]
    pub fn entries(&self) -> ListView<'m, (K, V)> {
        self.entries
    }
}

impl<'m, K: MapKey, V: NativeSlot> MapView<'m, K, V> {
    /// The same map, read through its layout.
    pub(crate) fn to_dynamic(self) -> crate::dynamic::DynamicMap<'m> {
        self.entries.to_dynamic_map(Entry::<K, V>::LAYOUT)
    }
}

impl<K: MapKey, V: NativeSlot> fmt::Debug for MapView<'_, K, V> {
    /// Up to 16 entries; of maps of lists only their length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_elements(f, self.iter(), self.len(), V::NESTED)
    }
}

impl<'m, K: MapKey, V: NativeSlot> IntoIterator for MapView<'m, K, V> {
    type Item = (K::Get<'m>, V::Get<'m>);
    type IntoIter = ListIter<'m, (K, V)>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'m, K: MapKey, V: NativeSlot> IntoIterator for &MapView<'m, K, V> {
    type Item = (K::Get<'m>, V::Get<'m>);
    type IntoIter = ListIter<'m, (K, V)>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An entry, for the layout.
struct Entry<K, V>(PhantomData<(K, V)>);

impl<K: MapKey, V: NativeSlot> Entry<K, V> {
    const FIELDS: &'static [FieldLayout; 2] =
        &place("entry", [<K as Slot<Native>>::SHAPE.named("key"), <V as Slot<Native>>::SHAPE.named("value")]);
    const LAYOUT: &'static Layout = &Layout::new::<Native>("entry", 1, Self::FIELDS).checked();
    const VALUE: usize = {
        let [_, value] = Self::FIELDS;
        value.offset as usize
    };
    const FAULT: &'static str = match <(K, V) as Slot<Native>>::WIDTH {
        0 => NO_WIDTH,
        _ => <(K, V) as Slot<Native>>::FAULT,
    };
}

/// The value's field in the entry at `field`.
#[inline]
fn value_field<K: MapKey, V: NativeSlot>(field: Field) -> Field {
    Field { offset: field.offset.wrapping_add(Entry::<K, V>::VALUE), ..field }
}

/// Checks every entry, and that the keys ascend.
fn check_map<K: MapKey, V: NativeSlot, const METERED: bool>(
    section: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    let entries = <(K, V)>::get_list(section, field)?;
    entries.spend(walk)?;
    let mut keys = Ascending::<K>::new();
    entries.sections().try_for_each(|entry| {
        <(K, V) as Slot<Native>>::check(entry, entries.element_field(), walk)?;
        keys.next(entry, entries.element_field())
    })
}

/// Decodes the entries in order, and sees to it that the keys ascend.
fn decode_map<'m, K, V, M, const METERED: bool>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'m, METERED>,
    with_capacity: impl FnOnce(usize) -> M,
    insert: impl Fn(&mut M, K, V),
) -> Result<M, DecodeError>
where
    K: MapKey + DecodeSlot<'m, Native>,
    V: NativeSlot + DecodeSlot<'m, Native>,
{
    let entries = <(K, V)>::get_list(section, field)?;
    entries.spend(walk)?;
    let field = entries.element_field();
    let mut keys = Ascending::<K>::new();
    // The whole body has been received, so its number of entries is backed by bytes.
    let mut map = with_capacity(ready::<(K, V)>(entries.len(), entries.body().bytes().len()));
    for entry in entries.sections() {
        let (key, value) = <(K, V)>::decode_slot(entry, field, walk)?;
        keys.next(entry, field)?;
        insert(&mut map, key, value);
    }
    Ok(map)
}

/// Counts or writes the entries in the order in which they come.
fn put_map<'a, K: MapKey + 'a, V: NativeSlot + 'a, S: Sink>(
    entries: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    if entries.len() == 0 || !sink.descend() {
        return;
    }
    let mut body = sink.run(section, offset, shape::<(K, V)>(entries.len()));
    if !(S::COUNTS && <(K, V) as Slot<Native>>::PLAIN) {
        for (key, value) in entries {
            let mut entry = S::split(&mut body, <(K, V) as Slot<Native>>::WIDTH);
            key.put(sink, &mut entry, 0);
            value.put(sink, &mut entry, Entry::<K, V>::VALUE);
        }
    }
    sink.ascend();
}

/// Whether the entries of a map, in key order, are those of a message, which are as many.
fn equal_entries<'a, K: MapKey + 'a, V: NativeSlot + 'a>(
    mut expected: impl Iterator<Item = (&'a K, &'a V)>,
    entries: ListView<'_, (K, V)>,
    walk: &mut Walk<'_, true>,
) -> bool {
    let field = entries.element_field();
    entries.sections().all(|entry| {
        expected.next().is_some_and(|(key, value)| {
            key.equals(entry, field, walk) && value.equals(entry, value_field::<K, V>(field), walk)
        })
    })
}

/// A map in a slot: how it is made, and its entries in key order.
macro_rules! map_slot {
    ($owner:ty, [$($hasher:ident)?], [$($key_bounds:path),*], [$($hasher_bounds:tt)*],
     |$len:ident| $with_capacity:expr, |$map:ident| $sorted:expr, |$sink:ident, $section:ident, $offset:ident| $put:expr) => {
        impl<K: MapKey, V: NativeSlot, $($hasher)?> Slot<Native> for $owner {
            const WIDTH: usize = 8;
            const ALIGN: usize = 4;
            const TYPE: FieldType = FieldType::Map(|| Entry::<K, V>::LAYOUT);
            const PARTS: Parts = Parts::Section(Entry::<K, V>::LAYOUT, &[K::PARTS_BEHIND, V::PARTS_BEHIND]);
            const PARTS_BEHIND: Parts = Self::PARTS;
            const PLAIN: bool = false;
            const INFALLIBLE: bool = false;
            const NESTED: bool = true;
            const FAULT: &'static str = Entry::<K, V>::FAULT;

            type Get<'m> = Result<MapView<'m, K, V>, DecodeError>;

            fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
                <(K, V)>::get_list(section, field).map(|entries| MapView { entries })
            }
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                check_map::<K, V, METERED>(section, field, walk)
            }
            fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                let Ok(entries) = <(K, V)>::get_list(section, field) else {
                    return false;
                };
                let $map = self;
                entries.len() == $map.len() && compare::pay(entries.body(), walk) && equal_entries($sorted, entries, walk)
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                <(K, V)>::same_list(left, right, field, walk)
            }
            fn put<W: Sink>(&self, $sink: &mut W, $section: &mut W::Section, $offset: usize) {
                let $map = self;
                $put
            }
        }

        impl<'m, K, V, $($hasher)?> DecodeSlot<'m, Native> for $owner
        where
            K: MapKey + DecodeSlot<'m, Native> $(+ $key_bounds)*,
            V: NativeSlot + DecodeSlot<'m, Native>,
            $($hasher_bounds)*
        {
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                decode_map(section, field, walk, |$len| $with_capacity, |map: &mut Self, key, value| {
                    map.insert(key, value);
                })
            }
        }

        native_slot!([K: MapKey, V: NativeSlot, $($hasher)?] $owner, Fallible, NullSlot, |'m| MapView<'m, K, V>);

        impl<K: MapKey, V: NativeSlot, $($hasher)?> FixedStride for $owner {}
    };
}

map_slot!(BTreeMap<K, V>, [], [], [], |_len| BTreeMap::new(), |map| map.iter(), |sink, section, offset| {
    put_map(map.iter(), sink, section, offset);
});

#[cfg(feature = "std")]
mod hash_map {
    use core::hash::{BuildHasher, Hash};
    use std::collections::HashMap;

    use alloc::vec::Vec;

    use super::*;

    /// The entries of a map without an order, in key order.
    fn sorted<'a, K: MapKey, V>(map: impl Iterator<Item = (&'a K, &'a V)>) -> alloc::vec::IntoIter<(&'a K, &'a V)> {
        let mut entries: Vec<(&K, &V)> = map.collect();
        entries.sort_unstable_by(|(a, _), (b, _)| Ord::cmp(*a, *b));
        entries.into_iter()
    }

    map_slot!(HashMap<K, V, H>, [H], [Hash], [H: BuildHasher + Default],
    |len| HashMap::with_capacity_and_hasher(len, H::default()),
    |map| sorted(map.iter()),
    |sink, section, offset| {
        // The order of text and bytes does not show in their number. That of lists does, by the gaps between them.
        if W::COUNTS && !V::NESTED {
            put_map(map.iter(), sink, section, offset);
        } else {
            put_map(sorted(map.iter()), sink, section, offset);
        }
    });
}
