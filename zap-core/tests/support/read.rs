//! Readers of what accessors return: one that touches everything, one that compares with a value.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hint::black_box;

use bytes::Bytes;
use zap_core::{DecodeError, Element, ListView, Native, Slot, StreamDialect, StreamView};

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

tails!(&str => str, String => str, Box<str> => str, Cow<'_, str> => str);
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

impl<T: Same<T> + Copy, const N: usize> Same<[T; N]> for [T; N] {
    fn same(&self, got: [T; N]) {
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
