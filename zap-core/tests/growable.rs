//! Records that grow: every version of a reader against every version of a writer.
#![cfg(feature = "derive")]

use std::error::Error;
use std::fmt::Debug;

use proptest::prelude::*;
use zap_core::{DecodeErrorKind, DecodeOwned, Limits, OwnedView, Zap};

type Outcome = Result<(), Box<dyn Error>>;

#[derive(Zap, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
enum Color {
    Red = 1,
    #[default]
    Blue = 9,
}

/// Nested inline, so that its default is what zeros read as.
#[derive(Zap, Clone, Debug, Default, PartialEq)]
struct Point {
    x: i32,
    name: String,
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(growable)]
struct Grown {
    n: u8,
    text: String,
    color: Color,
}

/// Versions of one record: each has the fields of the one before and more.
macro_rules! versions {
    ($($version:ident / $view:ident [$($field:ident: $ty:ty),*] [$($later:ident),*])*) => {
        $(
            #[derive(Zap, Clone, Debug, Default, PartialEq)]
            #[zap(growable, rename = "Version")]
            struct $version {
                $($field: $ty,)*
            }

            impl Version for $version {
                fn into_last(self) -> V5 {
                    let Self { $($field),* } = self;
                    V5 { $($field,)* $($later: Default::default()),* }
                }
                fn from_last(last: V5) -> Self {
                    let V5 { $($field,)* $($later: _),* } = last;
                    Self { $($field),* }
                }
                fn agrees(&self, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
                    let view = Self::view(bytes)?;
                    $(self.$field.reads_as(view.$field());)*
                    Ok(())
                }
            }

            #[allow(dead_code)]
            type $view<'m> = <$version as Zap>::View<'m>;
        )*
    };
}

/// One version of the record.
trait Version: Zap + DecodeOwned + Clone + Debug + Default + PartialEq + 'static {
    fn into_last(self) -> V5;
    fn from_last(last: V5) -> Self;
    /// Asserts that a view of the message reads as this value.
    fn agrees(&self, bytes: &[u8]) -> Result<(), Box<dyn Error>>;
}

/// What an accessor returned is this value: told by `Debug`, which views and values share as far as needed here.
trait ReadsAs<G> {
    fn reads_as(&self, got: G);
}

macro_rules! reads_as {
    ($($ty:ty, $got:ty, |$value:ident, $read:ident| $equal:expr;)*) => {$(
        impl ReadsAs<$got> for $ty {
            fn reads_as(&self, $read: $got) {
                let $value = self;
                assert!($equal, "{:?}", $value);
            }
        }
    )*};
}

type Read<T> = Result<T, zap_core::DecodeError>;

reads_as! {
    u16, u16, |value, read| *value == read;
    u64, u64, |value, read| *value == read;
    [u8; 3], &[u8; 3], |value, read| value == read;
    String, Read<&str>, |value, read| Ok(value.as_str()) == read;
    Color, Read<Color>, |value, read| Ok(*value) == read;
    Option<u32>, Option<u32>, |value, read| *value == read;
    Option<String>, Read<Option<&str>>, |value, read| Ok(value.as_deref()) == read;
    Vec<u16>, Read<zap_core::ListView<'_, u16>>, |value, read| read.unwrap().iter().eq(value.iter().copied());
    Point, PointView<'_>, |value, read| value.x == read.x() && Ok(value.name.as_str()) == read.name();
    Grown, Read<GrownView<'_>>, |value, read| grown(value, read.unwrap());
    Option<Box<Grown>>, Read<Option<GrownView<'_>>>, |value, read| match (value, read.unwrap()) {
        (Some(value), Some(read)) => grown(value, read),
        (None, None) => true,
        _ => false,
    };
}

fn grown(value: &Grown, read: GrownView<'_>) -> bool {
    value.n == read.n() && Ok(value.text.as_str()) == read.text() && Ok(value.color) == read.color()
}

versions! {
    V1 / V1Read [a: u16] [b, c, d, e, f, g, h, i, j]
    V2 / V2Read [a: u16, b: [u8; 3]] [c, d, e, f, g, h, i, j]
    V3 / V3Read [a: u16, b: [u8; 3], c: u64, d: String] [e, f, g, h, i, j]
    V4 / V4Read [a: u16, b: [u8; 3], c: u64, d: String, e: Color, f: Option<u32>, g: Grown] [h, i, j]
    V5 / V5Read [
        a: u16, b: [u8; 3], c: u64, d: String, e: Color, f: Option<u32>, g: Grown, h: Vec<u16>, i: Point,
        j: Option<Box<Grown>>
    ] []
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Holder<T> {
    field: T,
    list: Vec<T>,
    some: Option<T>,
    none: Option<T>,
    boxed: Box<T>,
    some_box: Option<Box<T>>,
    pair: (u8, T),
    last: String,
}

impl<T: Version> Holder<T> {
    fn of(all: &[V5]) -> Self {
        let one = |index: usize| T::from_last(all[index % all.len()].clone());
        Self {
            field: one(0),
            list: (0..all.len()).map(one).collect(),
            some: Some(one(1)),
            none: None,
            boxed: Box::new(one(2)),
            some_box: Some(Box::new(one(3))),
            pair: (7, one(4)),
            last: "end".into(),
        }
    }

    /// As another version reads it.
    fn read_by<R: Version>(self) -> Holder<R> {
        let read = |value: T| R::from_last(value.into_last());
        Holder {
            field: read(self.field),
            list: self.list.into_iter().map(read).collect(),
            some: self.some.map(read),
            none: None,
            boxed: Box::new(read(*self.boxed)),
            some_box: self.some_box.map(|value| Box::new(read(*value))),
            pair: (self.pair.0, read(self.pair.1)),
            last: self.last,
        }
    }
}

/// What one version has written, another reads.
fn written_and_read<W: Version, R: Version>(all: &[V5]) -> Outcome
where
    Holder<W>: Zap,
    Holder<R>: Zap + DecodeOwned,
{
    for value in all {
        let bytes = W::from_last(value.clone()).to_vec()?;
        let expected = R::from_last(W::from_last(value.clone()).into_last());
        assert_eq!(R::decode(&bytes)?, expected);
        R::validate(&bytes, &Limits::new())?;
        expected.agrees(&bytes)?;
        assert!(!format!("{:?}", R::view(&bytes)?).is_empty());
        let owned = OwnedView::<R>::validated(bytes.clone(), &Limits::new())?;
        assert_eq!(format!("{:?}", owned.view()), format!("{:?}", R::view(&bytes)?));
    }
    let holder = Holder::<W>::of(all);
    let bytes = holder.to_vec()?;
    assert_eq!(bytes.len(), holder.encoded_len());
    Holder::<R>::validate(&bytes, &Limits::new())?;
    assert_eq!(Holder::<R>::decode(&bytes)?, holder.read_by::<R>());
    Ok(())
}

macro_rules! every_pair {
    ($all:ident: $($writer:ident)*) => {
        $(
            written_and_read::<$writer, V1>($all)?;
            written_and_read::<$writer, V2>($all)?;
            written_and_read::<$writer, V3>($all)?;
            written_and_read::<$writer, V4>($all)?;
            written_and_read::<$writer, V5>($all)?;
        )*
    };
}

fn every_pair(all: &[V5]) -> Outcome {
    every_pair!(all: V1 V2 V3 V4 V5);
    Ok(())
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::Red), Just(Color::Blue)]
}

fn a_grown() -> impl Strategy<Value = Grown> {
    (any::<u8>(), ".{0,4}", color()).prop_map(|(n, text, color)| Grown { n, text, color })
}

prop_compose! {
    fn last()(
        (a, b, c, d) in (any::<u16>(), any::<[u8; 3]>(), any::<u64>(), ".{0,6}"),
        (e, f, g) in (color(), any::<Option<u32>>(), a_grown()),
        h in proptest::collection::vec(any::<u16>(), 0..4),
        (x, name) in (any::<i32>(), ".{0,3}"),
        j in proptest::option::of(a_grown().prop_map(Box::new)),
    ) -> V5 {
        V5 { a, b, c, d, e, f, g, h, i: Point { x, name }, j }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_version_reads_every_other(all in proptest::collection::vec(last(), 1..4)) {
        every_pair(&all).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }

    #[test]
    fn any_bytes_are_read_or_refused_alike(
        value in last(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        len in any::<prop::sample::Index>(),
    ) {
        let mut bytes = Holder::<V3>::of(&[value]).to_vec().unwrap();
        *at.get_mut(&mut bytes) = byte;
        let bytes = &bytes[..=len.index(bytes.len())];
        let (decoded, validated) = (Holder::<V5>::decode(bytes), Holder::<V5>::validate(bytes, &Limits::new()));
        prop_assert_eq!(decoded.err(), validated.err());
    }
}

#[test]
fn lengths_that_are_wrong_are_refused() -> Outcome {
    let bytes = V3 { a: 1, b: [2; 3], c: 3, d: String::new() }.to_vec()?;
    assert_eq!(bytes[16..20], 32_u32.to_le_bytes());
    let with = |length: u32| {
        let mut bytes = bytes.clone();
        bytes[16..20].copy_from_slice(&length.to_le_bytes());
        assert_eq!(V3::view(&bytes).err(), V3::decode(&bytes).err());
        V3::decode(&bytes).map_err(|error| (error.kind(), error.offset()))
    };
    for inside in [0, 1, 3, 5, 7, 8, 17, 23, 31] {
        assert_eq!(with(inside).unwrap_err(), (DecodeErrorKind::InvalidLength, 16), "{inside}");
    }
    assert_eq!(with(4).unwrap(), V3::default());
    for (length, known) in [(6, V3 { a: 1, ..V3::default() }), (12, V3 { a: 1, b: [2; 3], ..V3::default() })] {
        assert_eq!(with(length).unwrap(), known);
    }
    for outside in [33, 1 << 20, u32::MAX] {
        assert_eq!(with(outside).unwrap_err(), (DecodeErrorKind::SectionOutOfBounds, 16));
    }
    Ok(())
}

#[test]
fn layouts_say_so() {
    assert!(V3::LAYOUT.growable && !Point::LAYOUT.growable);
    assert_eq!((V1::LAYOUT.size, V1::LAYOUT.align, V3::LAYOUT.size), (8, 4, 32));
    let offsets = V3::LAYOUT.fields.iter().map(|field| field.offset);
    assert!(offsets.eq([4, 6, 16, 24]));
    let holder = Holder::<V3>::LAYOUT.fields.iter().map(|field| (field.offset, field.width)).collect::<Vec<_>>();
    assert_eq!(holder, [(0, 4), (4, 8), (12, 4), (16, 4), (20, 4), (24, 4), (28, 8), (36, 8)]);
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(growable)]
struct Generic<'a, T> {
    text: &'a str,
    value: T,
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(growable)]
struct Nothing {}

#[test]
fn they_may_be_generic_empty_and_borrow() -> Outcome {
    let value = Generic { text: "t", value: vec![1_u16] };
    let bytes = value.to_vec()?;
    assert_eq!(Generic::<Vec<u16>>::decode(&bytes)?, value);
    assert_eq!(Nothing::decode(&bytes)?, Nothing {});
    assert_eq!(Generic::<Vec<u16>>::decode(&Nothing {}.to_vec()?)?, Generic::default());
    assert_eq!(Nothing {}.to_vec()?.len(), 24);
    Ok(())
}
