//! Readers of what accessors return: one that touches everything, one that compares with a value.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::hint::black_box;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use zap_core::{
    DecodeError, Element, ListView, MapKey, MapView, Native, NativeSlot, SetView, Slot, StreamDialect, StreamView,
};

/// What a reader has seen.
#[derive(Debug)]
pub struct Seen {
    /// Values that may still be read: hostile bytes can stand for very many.
    pub left: u32,
    /// The first error.
    pub error: Option<DecodeError>,
}

impl Seen {
    pub fn new(left: u32) -> Self {
        Self { left, error: None }
    }

    /// Takes one value, if there is one left to take.
    fn take(&mut self) -> bool {
        let more = self.left > 0;
        self.left = self.left.saturating_sub(1);
        more
    }
}

/// Reads everything that an accessor's answer leads to.
pub trait Touch {
    fn touch(&self, seen: &mut Seen);
}

/// Asserts that an accessor's answer is this value.
pub trait Same<G> {
    fn same(&self, got: G);
}

macro_rules! leaf {
    ($($ty:ty),*) => {$(
        impl Touch for $ty {
            fn touch(&self, seen: &mut Seen) {
                seen.take();
                black_box(self);
            }
        }
    )*};
}

leaf!(bool, u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64, char, &str, &[u8]);
leaf!(
    NonZero<u8>,
    NonZero<u16>,
    NonZero<u32>,
    NonZero<u64>,
    NonZero<u128>,
    NonZero<i8>,
    NonZero<i16>,
    NonZero<i32>,
    NonZero<i64>,
    NonZero<i128>
);
leaf!(Duration, SystemTime, Ipv4Addr, Ipv6Addr, IpAddr, SocketAddr, PhantomData<Vec<String>>);
#[cfg(feature = "uuid")]
leaf!(uuid::Uuid);
#[cfg(feature = "rust_decimal")]
leaf!(rust_decimal::Decimal);

macro_rules! scalars {
    ($($ty:ty),*; |$value:ident| $compared:expr) => {$(
        impl Same<$ty> for $ty {
            fn same(&self, got: $ty) {
                let compared = |$value: &$ty| $compared;
                assert_eq!(compared(self), compared(&got));
            }
        }
    )*};
}

scalars!(bool, u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, char; |value| *value);
scalars!(f32, f64; |value| value.to_bits());
scalars!(NonZero<u8>, NonZero<u16>, NonZero<u32>, NonZero<u64>, NonZero<u128>, NonZero<i8>, NonZero<i16>, NonZero<i32>, NonZero<i64>, NonZero<i128>; |value| *value);
scalars!(Duration, SystemTime, Ipv4Addr, Ipv6Addr, IpAddr, SocketAddr, PhantomData<Vec<String>>; |value| *value);
#[cfg(feature = "uuid")]
scalars!(uuid::Uuid; |value| *value);
#[cfg(feature = "rust_decimal")]
scalars!(rust_decimal::Decimal; |value| value.serialize());

macro_rules! tails {
    ($($value:ty => $got:ty),*) => {$(
        impl Same<&$got> for $value {
            fn same(&self, got: &$got) {
                let value: &$got = self.as_ref();
                assert_eq!(value, got);
            }
        }
    )*};
}

tails!(&str => str, String => str, Box<str> => str, Cow<'_, str> => str, Arc<str> => str, Arc<[u8]> => [u8]);
tails!(&[u8] => [u8], Vec<u8> => [u8], Box<[u8]> => [u8], Cow<'_, [u8]> => [u8], Bytes => [u8]);

impl<T: Touch> Touch for Result<T, DecodeError> {
    fn touch(&self, seen: &mut Seen) {
        match self {
            Ok(value) => value.touch(seen),
            Err(error) => {
                seen.take();
                assert!(!error.to_string().is_empty());
                seen.error.get_or_insert(*error);
            }
        }
    }
}

impl<T: Same<G>, G> Same<Result<G, DecodeError>> for T {
    fn same(&self, got: Result<G, DecodeError>) {
        self.same(got.unwrap());
    }
}

impl<T: Touch> Touch for Option<T> {
    fn touch(&self, seen: &mut Seen) {
        if let Some(value) = self {
            value.touch(seen);
        }
    }
}

impl<T: Same<G> + Debug, G: Debug> Same<Option<G>> for Option<T> {
    fn same(&self, got: Option<G>) {
        match (self, got) {
            (Some(value), Some(got)) => value.same(got),
            (None, None) => {}
            (value, got) => panic!("{value:?} reads as {got:?}"),
        }
    }
}

impl<T: Touch, const N: usize> Touch for [T; N] {
    fn touch(&self, seen: &mut Seen) {
        self.iter().for_each(|item| item.touch(seen));
    }
}

impl<const N: usize> Touch for &[u8; N] {
    fn touch(&self, seen: &mut Seen) {
        self.as_slice().touch(seen);
    }
}

impl<T: Same<G>, G, const N: usize> Same<[G; N]> for [T; N] {
    fn same(&self, got: [G; N]) {
        self.iter().zip(got).for_each(|(value, got)| value.same(got));
    }
}

impl<const N: usize> Same<&[u8; N]> for [u8; N] {
    fn same(&self, got: &[u8; N]) {
        assert_eq!(self, got);
    }
}

impl<'m, T: Slot<Native>> Touch for ListView<'m, T>
where
    T::Get<'m>: Touch,
{
    fn touch(&self, seen: &mut Seen) {
        let len = self.len();
        assert_eq!((self.is_empty(), self.iter().len()), (len == 0, len));
        assert!(self.get(len).is_none() && self.get(usize::MAX).is_none());
        for item in self {
            if !seen.take() {
                return;
            }
            item.touch(seen);
        }
        black_box(self.iter().next_back());
    }
}

impl<'m, T: Slot<Native> + Same<T::Get<'m>>> Same<ListView<'m, T>> for Vec<T> {
    fn same(&self, got: ListView<'m, T>) {
        assert_eq!(self.len(), got.len());
        self.iter().zip(got).for_each(|(value, got)| value.same(got));
        // Compared as text, which does not descend: comparing twice at every level would take forever on a tree.
        let forward = got.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>();
        let mut backward = got.iter().rev().map(|item| format!("{item:?}")).collect::<Vec<_>>();
        backward.reverse();
        assert_eq!(backward, forward);
        for (index, item) in forward.iter().enumerate() {
            assert_eq!(*item, format!("{:?}", got.get(index).unwrap()));
            assert_eq!(*item, format!("{:?}", got.iter().nth(index).unwrap()));
        }
        assert!(got.get(self.len()).is_none());
    }
}

impl<'m, T: Element<D>, D: StreamDialect> Touch for StreamView<'m, T, D>
where
    T::Item<'m>: Touch,
{
    fn touch(&self, seen: &mut Seen) {
        let (mut read, mut failed) = (0, false);
        for item in self {
            if !seen.take() {
                return;
            }
            failed |= item.is_err();
            item.touch(seen);
            read += 1;
        }
        // A list that ends early says so.
        assert!(read == self.len() || failed);
        assert!(self.get(self.len()).is_err() || self.get(self.len()).unwrap().is_none());
        if self.len() < 8 {
            assert_eq!(failed, (0..self.len()).any(|index| self.get(index).is_err()));
        }
    }
}

impl<'m, T: Element<D> + Same<T::Item<'m>>, D: StreamDialect> Same<StreamView<'m, T, D>> for Vec<T> {
    fn same(&self, got: StreamView<'m, T, D>) {
        assert_eq!((self.len(), self.is_empty()), (got.len(), got.is_empty()));
        assert_eq!(got.iter().count(), self.len());
        self.iter().zip(got).for_each(|(value, got)| value.same(got.unwrap()));
        for (index, item) in got.iter().enumerate() {
            assert_eq!(format!("{:?}", item.map(Some)), format!("{:?}", got.get(index)));
        }
        assert!(got.get(self.len()).unwrap().is_none());
    }
}

macro_rules! boxes {
    ($($value:ty => $got:ty),*) => {$(
        impl Same<$got> for Box<$value> {
            fn same(&self, got: $got) {
                (**self).same(got);
            }
        }
    )*};
}

boxes!(u8 => u8, u64 => u64, Box<u8> => u8, String => &str, Option<Box<u8>> => Option<u8>);

impl<A: Same<AA>, AA, B: Same<BB>, BB> Same<(AA, BB)> for Box<(A, B)> {
    fn same(&self, got: (AA, BB)) {
        (**self).same(got);
    }
}

impl<'m, T: Slot<Native> + Same<T::Get<'m>>> Same<ListView<'m, T>> for Box<Vec<T>> {
    fn same(&self, got: ListView<'m, T>) {
        (**self).same(got);
    }
}

macro_rules! tuples {
    ($($item:ident $got:ident $index:tt),*) => {
        impl<$($item: Touch),*> Touch for ($($item,)*) {
            fn touch(&self, seen: &mut Seen) {
                $(self.$index.touch(seen);)*
            }
        }

        impl<$($item: Same<$got>, $got),*> Same<($($got,)*)> for ($($item,)*) {
            fn same(&self, got: ($($got,)*)) {
                $(self.$index.same(got.$index);)*
            }
        }
    };
}

tuples!(A AA 0);
tuples!(A AA 0, B BB 1);
tuples!(A AA 0, B BB 1, C CC 2);
tuples!(A AA 0, B BB 1, C CC 2, D DD 3);
tuples!(A AA 0, B BB 1, C CC 2, D DD 3, E EE 4, F FF 5, G GG 6, H HH 7, I II 8, J JJ 9, K KK 10, L LL 11);

impl<'m, K: MapKey, V: NativeSlot> Touch for MapView<'m, K, V>
where
    K::Get<'m>: Touch,
    V::Get<'m>: Touch,
{
    fn touch(&self, seen: &mut Seen) {
        let len = self.len();
        assert_eq!((self.is_empty(), self.iter().len()), (len == 0, len));
        self.entries().touch(seen);
    }
}

impl<'m, K: MapKey> Touch for SetView<'m, K>
where
    K::Get<'m>: Touch,
{
    fn touch(&self, seen: &mut Seen) {
        let len = self.len();
        assert_eq!((self.is_empty(), self.iter().len()), (len == 0, len));
        self.elements().touch(seen);
    }
}

impl<'m, K, V> Same<MapView<'m, K, V>> for BTreeMap<K, V>
where
    K: MapKey + Same<K::Get<'m>>,
    V: NativeSlot + Same<V::Get<'m>>,
{
    fn same(&self, got: MapView<'m, K, V>) {
        assert_eq!(self.len(), got.len());
        self.iter().zip(got).for_each(|((key, value), got)| {
            key.same(got.0);
            value.same(got.1);
        });
    }
}

impl<'m, K, V> Same<MapView<'m, K, V>> for HashMap<K, V>
where
    K: MapKey + Same<K::Get<'m>>,
    V: NativeSlot + Same<V::Get<'m>>,
{
    fn same(&self, got: MapView<'m, K, V>) {
        let mut entries = self.iter().collect::<Vec<_>>();
        entries.sort_by_key(|(key, _)| *key);
        assert_eq!(entries.len(), got.len());
        entries.into_iter().zip(got).for_each(|((key, value), got)| {
            key.same(got.0);
            value.same(got.1);
        });
    }
}

impl<'m, K: MapKey + Same<K::Get<'m>>> Same<SetView<'m, K>> for BTreeSet<K> {
    fn same(&self, got: SetView<'m, K>) {
        assert_eq!(self.len(), got.len());
        self.iter().zip(got).for_each(|(key, got)| key.same(got));
    }
}

impl<'m, K: MapKey + Same<K::Get<'m>>> Same<SetView<'m, K>> for HashSet<K> {
    fn same(&self, got: SetView<'m, K>) {
        let mut keys = self.iter().collect::<Vec<_>>();
        keys.sort();
        assert_eq!(keys.len(), got.len());
        keys.into_iter().zip(got).for_each(|(key, got)| key.same(got));
    }
}
