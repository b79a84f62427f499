//! Values drawn from bytes: when the bytes are used up everything is zero and every list ends, so that any bytes give a
//! finite value and fewer bytes a smaller one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;

/// Text to cut borrowed and owned text from: ASCII first, then characters of two, three and four bytes.
const TEXT: &str = "The quick brown fox jumps over the lazy dog; 0123456789 and 9876543210, \0\t\x7f and so on and on; Grüße, \
                    smörgåsbord, Ελληνικά, кириллица, 日本語の文字, 🦀🦀🦀, \u{10ffff}\u{e000}";

/// Bytes to cut bytes from.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut index = 0;
    while index < 256 {
        bytes[index] = (index as u8).wrapping_mul(0x9d).wrapping_add(0x80);
        index += 1;
    }
    bytes
};

/// Draws choices from bytes.
pub struct Dice<'b> {
    left: &'b [u8],
    /// Lists that the value being drawn is in.
    depth: u8,
}

impl<'b> Dice<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { left: bytes, depth: 0 }
    }

    fn byte(&mut self) -> u8 {
        let (first, rest) = self.left.split_first().unwrap_or((&0, &[]));
        self.left = rest;
        *first
    }

    fn below(&mut self, n: u8) -> usize {
        usize::from(self.byte() % n)
    }

    /// A value that is there three times in four, and never far below others: recursive types end.
    fn deeper<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.byte().is_multiple_of(4) || self.depth >= 8 {
            return None;
        }
        self.depth += 1;
        let value = make(self);
        self.depth -= 1;
        Some(value)
    }

    /// Few bytes for many: one drawn byte is repeated with changes, and the extremes are frequent.
    fn array<const N: usize>(&mut self) -> [u8; N] {
        match self.byte() {
            0 => [0; N],
            0xff => [0xff; N],
            0x80 => core::array::from_fn(|index| if index + 1 == N { 0x80 } else { 0 }),
            first => core::array::from_fn(|index| first.wrapping_mul(index as u8 * 2 + 1)),
        }
    }
}

/// A value drawn from bytes.
pub trait Make: Sized {
    fn make(dice: &mut Dice<'_>) -> Self;
}

macro_rules! make {
    ($($ty:ty),*; |$dice:ident| $make:expr) => {$(
        impl Make for $ty {
            fn make($dice: &mut Dice<'_>) -> Self {
                $make
            }
        }
    )*};
}

make!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128; |dice| Self::from_le_bytes(dice.array()));
make!(bool; |dice| dice.byte() % 2 == 1);
make!(char; |dice| ['\0', 'a', 'é', '\u{d7ff}', '\u{e000}', '\u{10ffff}'][dice.below(6)]);
// Not a NaN, which equals nothing; those have a test of their own.
make!(f32, f64; |dice| {
    let value = Self::from_le_bytes(dice.array());
    if value.is_nan() { -0.0 } else { value }
});
make!(&'static str; |dice| {
    let (from, len) = (dice.below(200), dice.below(70));
    let from = TEXT.floor_char_boundary(from);
    let to = TEXT.floor_char_boundary((from + len).min(TEXT.len())).max(from);
    &TEXT[from..to]
});
make!(&'static [u8]; |dice| {
    let (from, len) = (dice.below(180), dice.below(70));
    &BYTES[from..from + len]
});
make!(String, Box<str>; |dice| <&str>::make(dice).into());
make!(Box<[u8]>; |dice| <&[u8]>::make(dice).into());
make!(Bytes; |dice| Bytes::from_static(Make::make(dice)));
make!(Cow<'static, str>; |dice| if dice.byte().is_multiple_of(2) { Cow::Borrowed(Make::make(dice)) } else { Cow::Owned(Make::make(dice)) });
make!(Cow<'static, [u8]>; |dice| if dice.byte().is_multiple_of(2) { Cow::Borrowed(Make::make(dice)) } else { Cow::Owned(Make::make(dice)) });

impl<T: Make> Make for Vec<T> {
    fn make(dice: &mut Dice<'_>) -> Self {
        let len = if dice.depth < 8 { dice.below(4) } else { 0 };
        dice.depth += 1;
        let items = (0..len).map(|_| T::make(dice)).collect();
        dice.depth -= 1;
        items
    }
}

impl<T: Make, const N: usize> Make for [T; N] {
    fn make(dice: &mut Dice<'_>) -> Self {
        core::array::from_fn(|_| T::make(dice))
    }
}

impl<T: Make> Make for Option<T> {
    fn make(dice: &mut Dice<'_>) -> Self {
        dice.deeper(|dice| T::make(dice))
    }
}

/// An optional of the zip dialect: never present and zero, which reads as absent there.
pub fn not_zero<T: Make + Default + PartialEq>(dice: &mut Dice<'_>) -> Option<T> {
    Option::make(dice).filter(|value| *value != T::default())
}

impl<T: Make> Make for Box<T> {
    fn make(dice: &mut Dice<'_>) -> Self {
        Box::new(T::make(dice))
    }
}

macro_rules! tuples {
    ($($item:ident)*) => {
        impl<$($item: Make),*> Make for ($($item,)*) {
            fn make(dice: &mut Dice<'_>) -> Self {
                ($($item::make(dice),)*)
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E F G H I J K L);

macro_rules! collections {
    ($($owner:ty, [$($parameter:ident: $bound:path),*];)*) => {$(
        impl<$($parameter: Make + $bound),*> Make for $owner {
            fn make(dice: &mut Dice<'_>) -> Self {
                Vec::make(dice).into_iter().collect()
            }
        }
    )*};
}

trait Any {}
impl<T> Any for T {}
trait HashKey: Hash + Eq {}
impl<T: Hash + Eq> HashKey for T {}

collections! {
    BTreeMap<K, V>, [K: Ord, V: Any];
    BTreeSet<K>, [K: Ord];
    HashMap<K, V>, [K: HashKey, V: Any];
    HashSet<K>, [K: HashKey];
}

macro_rules! nonzero {
    ($($integer:ty)*) => {$(make!(NonZero<$integer>; |dice| Self::new(Make::make(dice)).unwrap_or(Self::MIN));)*};
}

nonzero!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128);

make!(Duration; |dice| Self::new(Make::make(dice), u32::make(dice) % 1_000_000_000));
make!(SystemTime; |dice| {
    let distance = Duration::new(u64::make(dice) >> 2, u32::make(dice) % 1_000_000_000);
    let time = if bool::make(dice) { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    time.unwrap_or(UNIX_EPOCH)
});
make!(Ipv4Addr; |dice| Self::from(<[u8; 4]>::make(dice)));
make!(Ipv6Addr; |dice| Self::from(<[u8; 16]>::make(dice)));
make!(IpAddr; |dice| if bool::make(dice) { Self::V4(Make::make(dice)) } else { Self::V6(Make::make(dice)) });
make!(SocketAddr; |dice| Self::new(Make::make(dice), Make::make(dice)));
make!(Arc<str>; |dice| <&str>::make(dice).into());
make!(Arc<[u8]>; |dice| <&[u8]>::make(dice).into());
#[cfg(feature = "uuid")]
make!(uuid::Uuid; |dice| Self::from_bytes(Make::make(dice)));
#[cfg(feature = "rust_decimal")]
make!(rust_decimal::Decimal; |dice| Self::new(Make::make(dice), u32::from(u8::make(dice) % 29)));

impl<T: ?Sized> Make for PhantomData<T> {
    fn make(_: &mut Dice<'_>) -> Self {
        Self
    }
}
