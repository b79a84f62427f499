//! The keys of maps and the elements of sets: types that a reader can put in order where they lie.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::num::NonZero;
use core::time::Duration;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::list_view::shape;
use crate::native_slot::each_of;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::{DecodeError, NativeSlot};

/// A native field type that can be the key of a map or the element of a set: its order, which is that of its `Ord`, can
/// be told from the bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a ZAP map or an element of a ZAP set",
    label = "not a key",
    note = "keys are integers, bool, char, text, bytes, NonZero, addresses, Duration, SystemTime, Uuid, enums without data that have #[derive(Zap, PartialEq, Eq, PartialOrd, Ord)], and arrays and tuples of these"
)]
pub trait MapKey: NativeSlot + Ord {
    /// What a lookup takes: the value, or the text or bytes borrowed.
    type Key<'k>: Copy;
    /// What is compared.
    type Order<'k>: Copy;

    /// What is compared of a key that a lookup takes.
    fn order_of(key: Self::Key<'_>) -> Self::Order<'_>;
    /// What is compared of the key in a slot.
    ///
    /// # Errors
    ///
    /// The slot does not hold a key.
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError>;
    /// Compares two keys.
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering;

    /// The elements of a set, side by side.
    #[doc(hidden)]
    #[inline]
    fn set_body(section: Section<'_>, field: Field) -> Result<Section<'_>, DecodeError> {
        section.run(Self::WIDTH, field)
    }
    /// Counts or writes the elements of a set, in order.
    #[doc(hidden)]
    fn put_set<'k, S: Sink>(
        keys: impl ExactSizeIterator<Item = &'k Self>,
        sink: &mut S,
        section: &mut S::Section,
        offset: usize,
    ) where
        Self: 'k,
    {
        if keys.len() > 0 && sink.descend() {
            let mut body = sink.run(section, offset, shape::<Self>(keys.len()));
            for key in keys {
                let mut element = S::split(&mut body, Self::WIDTH);
                key.put(sink, &mut element, 0);
            }
            sink.ascend();
        }
    }
}

/// Keys that are compared as they are.
macro_rules! value_key {
    ($($key:ty $({ $($more:tt)* })?),*) => {$(
        impl MapKey for $key {
            type Key<'k> = Self;
            type Order<'k> = Self;

            #[inline]
            fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
                key
            }
            #[inline]
            fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self, DecodeError> {
                Self::read(section, field)
            }
            #[inline]
            fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
                a.cmp(&b)
            }
            $($($more)*)?
        }
    )*};
}

value_key!(bool, u16, u32, u64, u128, i8, i16, i32, i64, i128, char);
value_key!(NonZero<u8>, NonZero<u16>, NonZero<u32>, NonZero<u64>, NonZero<u128>);
value_key!(NonZero<i8>, NonZero<i16>, NonZero<i32>, NonZero<i64>, NonZero<i128>);
value_key!(Duration, Ipv4Addr, Ipv6Addr, IpAddr, SocketAddr);
#[cfg(feature = "std")]
value_key!(std::time::SystemTime);
#[cfg(feature = "uuid")]
value_key!(uuid::Uuid);

// A set of them is bytes.
value_key!(u8 {
    #[inline]
    fn set_body(section: Section<'_>, field: Field) -> Result<Section<'_>, DecodeError> {
        section.tail_body(field)
    }
    fn put_set<'k, S: Sink>(
        keys: impl ExactSizeIterator<Item = &'k u8>,
        sink: &mut S,
        section: &mut S::Section,
        offset: usize,
    ) {
        // There are no more different ones.
        let mut bytes = [0; 256];
        let len = bytes.iter_mut().zip(keys).map(|(byte, key)| *byte = *key).count();
        sink.tail(section, offset, bytes.get(..len).unwrap_or_default());
    }
});

/// Keys that are compared as the bytes behind their slots. Text is checked where it is read.
macro_rules! tail_key {
    ($key:ty => |$borrowed:ident: $taken:ty| $bytes:expr) => {
        impl MapKey for $key {
            type Key<'k> = &'k $taken;
            type Order<'k> = &'k [u8];

            #[inline]
            fn order_of($borrowed: Self::Key<'_>) -> Self::Order<'_> {
                $bytes
            }
            #[inline]
            fn order_at<'m>(section: Section<'m>, field: Field) -> Result<&'m [u8], DecodeError> {
                section.tail_bytes(field)
            }
            #[inline]
            fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
                a.cmp(b)
            }
        }
    };
}

tail_key!(&str => |key: str| key.as_bytes());
tail_key!(String => |key: str| key.as_bytes());
tail_key!(Box<str> => |key: str| key.as_bytes());
tail_key!(Arc<str> => |key: str| key.as_bytes());
tail_key!(Cow<'_, str> => |key: str| key.as_bytes());
tail_key!(&[u8] => |key: [u8]| key);
tail_key!(Vec<u8> => |key: [u8]| key);
tail_key!(Box<[u8]> => |key: [u8]| key);
tail_key!(Arc<[u8]> => |key: [u8]| key);
tail_key!(Cow<'_, [u8]> => |key: [u8]| key);
tail_key!(Bytes => |key: [u8]| key);

impl<T: MapKey, const N: usize> MapKey for [T; N] {
    type Key<'k> = [T::Key<'k>; N];
    type Order<'k> = [T::Order<'k>; N];

    #[inline]
    fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
        key.map(T::order_of)
    }
    #[inline]
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError> {
        each_of::<T, _, N>(section, field, |field| T::order_at(section, field))
    }
    #[inline]
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
        a.into_iter().zip(b).map(|(a, b)| T::compare(a, b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

macro_rules! tuple_key {
    ($($element:ident $index:tt),*) => {
        impl<$($element: MapKey),*> MapKey for ($($element,)*) {
            type Key<'k> = ($($element::Key<'k>,)*);
            type Order<'k> = ($($element::Order<'k>,)*);

            #[inline]
            fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
                ($($element::order_of(key.$index),)*)
            }
            #[inline]
            fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError> {
                Ok(($($element::order_at(section, crate::tuple::element::<Self>(field, $index))?,)*))
            }
            #[inline]
            fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
                Ordering::Equal$(.then_with(|| $element::compare(a.$index, b.$index)))*
            }
        }
    };
}

tuple_key!(A 0);
tuple_key!(A 0, B 1);
tuple_key!(A 0, B 1, C 2);
tuple_key!(A 0, B 1, C 2, D 3);
tuple_key!(A 0, B 1, C 2, D 3, E 4);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple_key!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);

/// Sees to it that the keys of a map or set ascend strictly.
pub(crate) struct Ascending<'m, K: MapKey> {
    last: Option<K::Order<'m>>,
}

impl<'m, K: MapKey> Ascending<'m, K> {
    pub(crate) const fn new() -> Self {
        Self { last: None }
    }

    /// Takes the next key.
    pub(crate) fn next(&mut self, section: Section<'m>, field: Field) -> Result<(), DecodeError> {
        let key = K::order_at(section, field)?;
        match self.last.replace(key) {
            Some(last) if K::compare(last, key).is_ge() => Err(section.error(crate::DecodeErrorKind::KeyOrder, field)),
            _ => Ok(()),
        }
    }
}

/// Finds a key among `len` ascending ones. Where they do not ascend the answer is some key or none.
pub(crate) fn search<'m, K: MapKey>(
    len: usize,
    key: K::Key<'_>,
    field: Field,
    at: impl Fn(usize) -> Section<'m>,
) -> Result<Option<Section<'m>>, DecodeError> {
    let wanted = K::order_of(key);
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low.midpoint(high);
        let section = at(middle);
        match K::compare(K::order_at(section, field)?, wanted) {
            Ordering::Less => low = middle.saturating_add(1),
            Ordering::Equal => return Ok(Some(section)),
            Ordering::Greater => high = middle,
        }
    }
    Ok(None)
}
