//! Records that grow: every version of a reader against every version of a writer.
#![cfg(feature = "derive")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Debug;
use std::time::Duration;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use zap_core::{DecodeErrorKind, DecodeOwned, Limits, OwnedView, RecordView, Zap, json};

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
    ($($version:ident [$($field:ident: $ty:ty),*] [$($later:ident),*])*) => {
        $(
            #[derive(Zap, Clone, Debug, Default, PartialEq)]
            #[zap(growable, rename = "Version")]
            struct $version {
                $($field: $ty,)*
            }

            impl Version for $version {
                fn into_last(self) -> V6 {
                    let Self { $($field),* } = self;
                    V6 { $($field,)* $($later: Default::default()),* }
                }
                fn from_last(last: V6) -> Self {
                    let V6 { $($field,)* $($later: _),* } = last;
                    Self { $($field),* }
                }
                fn agrees(&self, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
                    let (view, own) = (Self::view(bytes)?, self.to_vec()?);
                    let own = Self::view(&own)?;
                    assert!(view == *self && *self == view && view == own && own == view, "{self:?}");
                    assert_eq!(format!("{view:?}"), format!("{own:?}"));
                    assert_eq!(view.to_record()?, *self);
                    // JSON leaves out what the writer did not know.
                    assert_eq!(json::from_str::<Self>(&json::message_to_string(bytes, Self::LAYOUT)?)?, *self);
                    Ok(())
                }
            }
        )*
    };
}

/// One version of the record.
trait Version: Zap + DecodeOwned + Clone + Debug + Default + PartialEq + 'static {
    fn into_last(self) -> V6;
    fn from_last(last: V6) -> Self;
    /// Asserts that a view of the message reads as a view of this value's own message does.
    fn agrees(&self, bytes: &[u8]) -> Result<(), Box<dyn Error>>;
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
enum Shape {
    #[default]
    Nothing,
    Circle {
        radius: f64,
        name: String,
    },
    Grown(Grown),
}

versions! {
    V1 [a: u16] [b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u]
    V2 [a: u16, b: [u8; 3]] [c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u]
    V3 [a: u16, b: [u8; 3], c: u64, d: String] [e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u]
    V4 [a: u16, b: [u8; 3], c: u64, d: String, e: Color, f: Option<u32>, g: Grown] [h, i, j, k, l, m, n, o, p, q, r, s, t, u]
    V5 [
        a: u16, b: [u8; 3], c: u64, d: String, e: Color, f: Option<u32>, g: Grown, h: Vec<u16>, i: Point,
        j: Option<Box<Grown>>
    ] [k, l, m, n, o, p, q, r, s, t, u]
    V6 [
        a: u16, b: [u8; 3], c: u64, d: String, e: Color, f: Option<u32>, g: Grown, h: Vec<u16>, i: Point,
        j: Option<Box<Grown>>, k: (u8, String), l: BTreeMap<u8, u16>, m: Option<Box<Shape>>, n: [String; 2], o: Vec<Point>,
        p: Option<Shape>, q: Duration, r: BTreeSet<u16>, s: Option<String>, t: Option<Box<u16>>, u: (u8, Option<Box<Grown>>)
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
    fn of(all: &[V6]) -> Self {
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
fn written_and_read<W: Version, R: Version>(all: &[V6]) -> Outcome
where
    Holder<W>: Zap,
    Holder<R>: Zap + DecodeOwned,
{
    // What is shown here to be read is what `can_read` says can be.
    R::LAYOUT.can_read(W::LAYOUT)?;
    Holder::<R>::LAYOUT.can_read(Holder::<W>::LAYOUT)?;
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
            written_and_read::<$writer, V6>($all)?;
        )*
    };
}

fn every_pair(all: &[V6]) -> Outcome {
    every_pair!(all: V1 V2 V3 V4 V5 V6);
    Ok(())
}

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![Just(Color::Red), Just(Color::Blue)]
}

fn a_grown() -> impl Strategy<Value = Grown> {
    (any::<u8>(), ".{0,4}", color()).prop_map(|(n, text, color)| Grown { n, text, color })
}

fn a_point() -> impl Strategy<Value = Point> {
    (any::<i32>(), ".{0,3}").prop_map(|(x, name)| Point { x, name })
}

fn a_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Nothing),
        (-9.0..9.0, ".{0,3}").prop_map(|(radius, name)| Shape::Circle { radius, name }),
        a_grown().prop_map(Shape::Grown),
    ]
}

prop_compose! {
    fn last()(
        (a, b, c, d) in (any::<u16>(), any::<[u8; 3]>(), any::<u64>(), ".{0,6}"),
        (e, f, g) in (color(), any::<Option<u32>>(), a_grown()),
        (h, i, j) in (vec(any::<u16>(), 0..4), a_point(), option::of(a_grown().prop_map(Box::new))),
        (k, l, m) in ((any::<u8>(), ".{0,3}"), btree_map(any::<u8>(), any::<u16>(), 0..4), option::of(a_shape().prop_map(Box::new))),
        (n, o, p) in ([".{0,3}", ".{0,3}"], vec(a_point(), 0..3), option::of(a_shape())),
        (q, r, s) in (any::<Duration>(), btree_set(any::<u16>(), 0..4), option::of(".{0,3}")),
        (t, u) in (any::<Option<Box<u16>>>(), (any::<u8>(), option::of(a_grown().prop_map(Box::new)))),
    ) -> V6 {
        V6 { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 64 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_version_reads_every_other(all in vec(last(), 1..4)) {
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
        let (decoded, validated) = (Holder::<V6>::decode(bytes), Holder::<V6>::validate(bytes, &Limits::new()));
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

/// What became of `V2` where a field is something else, elsewhere, or not at the end; or only has another name.
macro_rules! wrong_versions {
    ($($name:ident { $($field:ident: $ty:ty),* })*) => {$(
        #[derive(Zap, Clone, Debug, Default, PartialEq)]
        #[zap(growable, rename = "Version")]
        struct $name {
            $($field: $ty),*
        }
    )*};
}

wrong_versions! {
    OtherWidth { a: u16, b: u32 }
    OtherName { a: u16, z: [u8; 3] }
    OtherSign { a: i16, b: [u8; 3] }
    OtherOrder { b: [u8; 3], a: u16 }
    Inserted { a: u16, more: u8, b: [u8; 3] }
    GrewOption { a: u16, b: Option<[u8; 3]> }
}

/// What would be misread is refused, whichever side is the newer one, and so is whatever holds it.
#[test]
fn can_read_refuses_what_would_be_misread() {
    fn refuses<W: Zap>()
    where
        Holder<W>: Zap,
    {
        for (left, right) in [
            (V2::LAYOUT, W::LAYOUT),
            (W::LAYOUT, V2::LAYOUT),
            (V6::LAYOUT, W::LAYOUT),
            (W::LAYOUT, V6::LAYOUT),
            (Holder::<V2>::LAYOUT, Holder::<W>::LAYOUT),
            (Holder::<W>::LAYOUT, Holder::<V2>::LAYOUT),
        ] {
            assert!(left.can_read(right).is_err(), "{left} reads {right}");
        }
    }
    // A name is not on the wire.
    V2::LAYOUT.can_read(OtherName::LAYOUT).unwrap();
    refuses::<OtherWidth>();
    refuses::<OtherSign>();
    refuses::<OtherOrder>();
    refuses::<Inserted>();
    refuses::<GrewOption>();
}
