//! Values drawn from bytes: when the bytes are used up everything is zero and every list ends, so that any bytes give a
//! finite value and fewer bytes a smaller one.

use std::borrow::Cow;

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

/// Never present and zero, which the zip dialect reads as absent.
impl<T: Make + Default + PartialEq> Make for Option<T> {
    fn make(dice: &mut Dice<'_>) -> Self {
        (!dice.byte().is_multiple_of(4)).then(|| T::make(dice)).filter(|value| *value != T::default())
    }
}
