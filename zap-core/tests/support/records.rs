//! The records: every kind of field in every dialect.

// Boxes of everything, to test them.
#![allow(clippy::box_collection, clippy::redundant_allocation, clippy::type_complexity, clippy::vec_box)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use zap_core::{TupleView, VariantView, Zap};

record! { Scalars / ScalarsView {
    a: bool, b: u8, c: u16, d: u32, e: u64, f: u128, g: i8, h: i16, i: i32, j: i64, k: i128, l: f32, m: f64, n: char,
} }
record! { Arrays / ArraysView {
    a: [u8; 3], b: [u16; 2], c: [bool; 2], d: [u64; 2], e: [char; 2], f: [i128; 1], g: [f32; 3], h: [u8; 0], i: [f64; 0],
} }
record! { Texts / TextsView<'a> {
    a: &'a str, b: String, c: Box<str>, d: Cow<'a, str>,
    e: Cow<'a, [u8]>, f: &'a [u8], g: Vec<u8>, h: Box<[u8]>, i: Bytes,
} }
record! { Inner / InnerView { x: u8, y: u32, s: String } }
record! { Wide / WideView { x: u128, s: Vec<u16>, z: u8 } }
record! { Nested / NestedView { a: u8, p: Inner, q: Wide, r: Inner, t: String } }
record! { Lists / ListsView {
    a: Vec<bool>, b: Vec<u16>, c: Vec<u32>, d: Vec<u64>, e: Vec<u128>, f: Vec<i8>, g: Vec<i64>, h: Vec<f32>, i: Vec<f64>,
    j: Vec<char>, k: Vec<[u8; 3]>, l: Vec<[char; 2]>, m: Vec<String>, n: Vec<Vec<u8>>, o: Vec<Bytes>, p: Vec<Box<str>>,
    q: Vec<Box<[u8]>>, r: Vec<Inner>, s: Vec<Wide>,
} }
record! { BorrowedLists / BorrowedListsView<'a> {
    a: Vec<&'a str>, b: Vec<Cow<'a, [u8]>>, c: Vec<&'a [u8]>, d: Vec<Cow<'a, str>>, e: Vec<Texts<'a>>,
} }
record! { ListsOfLists / ListsOfListsView {
    a: Vec<Vec<u16>>, b: Vec<Vec<Vec<char>>>, c: Vec<Vec<String>>, d: Vec<Vec<Inner>>, e: Vec<Vec<Vec<u8>>>,
} }
record! { Tree / TreeView { label: String, children: Vec<Tree> } }
record! { Empty / EmptyView {} }
record! { Tuples / TuplesView { a: Pair, b: Metres, c: Vec<Metres>, d: Vec<Pair>, e: Path, f: Empty } }
record! { #[zap(version = 2, rename = "two")] VersionTwo / VersionTwoView { a: u32, #[zap(rename = "type")] b: String } }
record! { Placed / PlacedView {
    #[zap(offset = 34)] a: u16,
    #[zap(offset = 4)] b: String,
    #[zap(offset = 16)] c: u64,
    d: Vec<u16>,
} }

record! { Presences / PresencesView {
    a: Option<bool>, b: Option<u8>, c: Option<u64>, d: Option<u128>, e: Option<f32>, f: Option<char>, g: Option<[u8; 3]>,
    h: Option<[u16; 2]>, i: Option<[char; 2]>, j: Option<Option<u16>>, k: Option<Option<char>>, l: Option<Duration>,
    m: Option<IpAddr>, n: Option<NonZero<u32>>, o: Option<[Option<u16>; 2]>,
} }
record! { NullSlots / NullSlotsView<'a> {
    a: Option<&'a str>, b: Option<String>, c: Option<Vec<u8>>, d: Option<Bytes>, e: Option<Vec<u16>>,
    f: Option<Vec<String>>, g: Option<Cow<'a, [u8]>>, h: Option<BTreeMap<u8, u8>>, i: Option<BTreeSet<u16>>,
    j: Option<BTreeSet<u8>>, k: Option<Arc<str>>, l: Option<&'a [u8]>,
} }
record! { Pointers / PointersView {
    a: Option<Inner>, b: Option<Box<Inner>>, c: Option<(u8, String)>, d: Option<Empty>, e: Box<Inner>, f: Box<u8>,
    g: Box<String>, h: Box<Vec<u16>>, i: Box<Box<u8>>, j: Box<Empty>, k: Box<Option<Box<u8>>>, l: Option<Box<u64>>,
} }
record! { OptionLists / OptionListsView {
    a: Vec<Option<u32>>, b: Vec<Option<String>>, c: Vec<Option<Inner>>, d: Vec<Box<Inner>>, e: Vec<Option<Vec<u8>>>,
    f: Vec<Option<char>>, g: Vec<Vec<Option<Vec<u16>>>>,
} }
record! { Chain / ChainView { v: u8, next: Option<Box<Chain>> } }
record! { Branches / BranchesView { v: String, pair: Option<Box<(Self, Branches)>>, more: Vec<(u8, Option<Box<Self>>)> } }
record! { TupleFields / TupleFieldsView {
    a: (u8,), b: (u8, u64), c: (String, u16), d: ((u8, char), Vec<u8>), e: Vec<(u8, u32)>, f: Vec<(String, Inner)>,
    g: [(u8, u16); 2], h: (u8, u16, u32, u64, bool, char, i8, String, Vec<u16>, [u8; 3], f32, Option<u8>), i: (Empty, u8),
} }
record! { ArraysOfAll / ArraysOfAllView {
    a: [String; 2], b: [Inner; 3], c: [Vec<u16>; 2], d: [Option<u32>; 2], e: [[u8; 2]; 3], f: [[char; 2]; 2],
    g: [Box<u8>; 1], h: [Option<String>; 2], i: [(u8, u32); 2], j: Vec<[Inner; 2]>, k: [Option<Inner>; 2],
    l: [String; 9], m: [Wide; 0],
} }
record! { without Default: Fixed / FixedView {
    a: NonZero<u8>, b: NonZero<u16>, c: NonZero<u32>, d: NonZero<u64>, e: NonZero<u128>, f: NonZero<i8>, g: NonZero<i16>,
    h: NonZero<i32>, i: NonZero<i64>, j: NonZero<i128>, k: Duration, l: SystemTime, m: Ipv4Addr, n: Ipv6Addr, o: IpAddr,
    p: SocketAddr, q: PhantomData<Vec<String>>, r: Vec<Duration>, s: Vec<IpAddr>, t: Vec<SocketAddr>, u: [NonZero<u8>; 2],
    v: Vec<SystemTime>, w: Vec<Ipv4Addr>, x: Vec<NonZero<i64>>,
} }
record! { without Default: SharedTails / SharedTailsView { a: Arc<str>, b: Arc<[u8]>, c: Vec<Arc<str>>, d: Vec<Arc<[u8]>> } }
record! { Maps / MapsView {
    a: BTreeMap<u8, u8>, b: BTreeMap<String, u32>, c: BTreeMap<i16, String>, d: BTreeMap<(u8, String), [u8; 3]>,
    e: BTreeMap<[u8; 4], Option<String>>, f: BTreeMap<u64, BTreeMap<bool, u8>>, g: BTreeMap<IpAddr, Duration>,
    h: Vec<BTreeMap<u16, u64>>, i: BTreeMap<Vec<u8>, Box<u8>>, j: BTreeMap<char, Wide>,
} }
record! { HashMaps / HashMapsView {
    a: HashMap<u32, Vec<u16>>, b: HashMap<String, Inner>, c: HashMap<char, bool>, d: HashMap<i64, Wide>,
    e: HashMap<u8, HashMap<u16, Vec<u64>>>, f: Vec<HashMap<u8, String>>,
} }
record! { Sets / SetsView {
    a: BTreeSet<u8>, b: BTreeSet<String>, c: BTreeSet<(u8, u16)>, d: BTreeSet<NonZero<u16>>, e: BTreeSet<[u16; 2]>,
    f: Vec<BTreeSet<i8>>, g: BTreeSet<char>, h: BTreeSet<SocketAddr>, i: BTreeSet<SystemTime>, j: BTreeSet<Ipv4Addr>,
    k: BTreeSet<Ipv6Addr>, l: BTreeSet<Bytes>,
} }
record! { HashSets / HashSetsView {
    a: HashSet<u8>, b: HashSet<u32>, c: HashSet<Vec<u8>>, d: HashSet<String>, e: Vec<HashSet<u16>>,
} }
#[cfg(all(feature = "uuid", feature = "rust_decimal"))]
record! { Foreign / ForeignView {
    a: uuid::Uuid, b: rust_decimal::Decimal, c: Vec<uuid::Uuid>, d: Option<rust_decimal::Decimal>,
    e: BTreeMap<uuid::Uuid, rust_decimal::Decimal>,
} }
record! { #[zap(dialect = "zapgen")] GMarked / GMarkedView { a: u8, b: PhantomData<Vec<String>>, c: Vec<u16> } }
record! { #[zap(dialect = "zip")] ZMarked / ZMarkedView { a: u8, b: PhantomData<Vec<String>>, c: Vec<u16> } }

/// A tuple as the root.
pub type TupleRoot = (u8, String, Option<u64>, Vec<(u16, Inner)>);

impl crate::support::Family for TupleRoot {
    type Of<'m> = TupleRoot;

    fn make(draw: &[u8]) -> TupleRoot {
        crate::support::family::draw(draw)
    }
    // Tuples are not ours: `value == view` cannot be written for them.
    fn shows<'m>(view: TupleView<'m, TupleRoot>, value: &TupleRoot) -> bool {
        view == *value
    }
    crate::of_every_family!();
    fn touch<'m>(view: TupleView<'m, TupleRoot>, seen: &mut crate::support::Seen) {
        crate::support::Touch::touch(&view.get(), seen);
    }
    fn same<'m>(value: &TupleRoot, view: TupleView<'m, TupleRoot>) {
        crate::support::Same::same(value, view.get());
    }
}

record! { #[zap(dialect = "zapgen")] GScalars / GScalarsView {
    a: bool, b: u8, c: u16, d: u32, e: u64, g: i8, h: i16, i: i32, j: i64, l: f32, m: f64, n: [u8; 20],
} }
record! { #[zap(dialect = "zapgen")] GTexts / GTextsView<'a> {
    a: &'a str, b: String, c: Box<str>, d: Cow<'a, str>,
    e: Cow<'a, [u8]>, f: &'a [u8], g: Vec<u8>, h: Box<[u8]>, i: Bytes,
} }
record! { #[zap(dialect = "zapgen")] GInner / GInnerView { x: u8, y: u32, s: String, v: Vec<u16> } }
record! { #[zap(dialect = "zapgen")] GNested / GNestedView {
    a: u8, p: GInner, q: Option<GInner>, d: [u8; 5], r: GDeep, t: String,
} }
record! { #[zap(dialect = "zapgen")] GDeep / GDeepView { p: GInner, o: Option<GInner>, s: String } }
record! { #[zap(dialect = "zapgen")] GLists / GListsView {
    a: Vec<bool>, b: Vec<u16>, c: Vec<u64>, d: Vec<i8>, e: Vec<f64>, f: Vec<String>, g: Vec<Vec<u8>>, h: Vec<Bytes>,
    i: Vec<GInner>, j: Vec<GDeep>,
} }
record! { #[zap(dialect = "zapgen")] GTree / GTreeView { label: String, children: Vec<GTree> } }
record! { #[zap(dialect = "zapgen")] GPlaced / GPlacedView {
    #[zap(offset = 11)] a: u64,
    #[zap(offset = 1)] b: String,
    #[zap(offset = 30)] c: [u8; 7],
    d: Vec<u32>,
} }

record! { #[zap(dialect = "zip")] ZScalars / ZScalarsView {
    a: bool, b: u8, c: u16, d: u32, e: u64, g: i8, h: i16, i: i32, j: i64, l: f32, m: f64,
} }
record! { #[zap(dialect = "zip")] ZTexts / ZTextsView<'a> {
    a: &'a str, b: String, c: Box<str>, d: Cow<'a, str>,
    e: Cow<'a, [u8]>, f: &'a [u8], g: Vec<u8>, h: Box<[u8]>, i: Bytes,
} }
record! { #[zap(dialect = "zip")] ZInner / ZInnerView { x: u8, y: u32, s: String, v: Vec<u16> } }
record! { #[zap(dialect = "zip")] ZEmpty / ZEmptyView {} }
#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(dialect = "zip")]
pub struct ZDeep {
    pub p: ZInner,
    pub o: Option<ZInner>,
    pub s: String,
}
record! { #[zap(dialect = "zip")] ZNested / ZNestedView { a: u8, p: ZInner, q: ZDeep, e: ZEmpty, t: String } }
record! { #[zap(dialect = "zip")] ZLists / ZListsView {
    a: Vec<bool>, b: Vec<u16>, c: Vec<u64>, d: Vec<i8>, e: Vec<f64>, f: Vec<String>, g: Vec<Vec<u8>>, h: Vec<Bytes>,
    i: Vec<ZInner>, j: Vec<ZDeep>,
} }
#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(dialect = "zip")]
pub struct ZOptions {
    pub a: Option<u32>,
    pub b: Option<String>,
    pub c: Option<ZInner>,
    pub d: Option<Vec<u8>>,
    pub e: Option<bool>,
    pub f: Option<f64>,
    pub g: Option<Vec<u16>>,
    pub k: Option<ZDeep>,
}
#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(dialect = "zip")]
pub struct ZOptionLists {
    pub a: Vec<Option<ZInner>>,
    pub b: Vec<Option<u16>>,
    pub c: Vec<Option<String>>,
}
record! { #[zap(dialect = "zip")] ZTree / ZTreeView { label: String, children: Vec<ZTree> } }

#[derive(Zap, Clone, Debug, Default, PartialEq)]
pub struct Pair(pub u16, pub String);

#[derive(Zap, Clone, Debug, Default, PartialEq)]
pub struct Metres(pub u64);

#[derive(Zap, Clone, Debug, Default, PartialEq)]
pub struct Path(pub Vec<Pair>);

#[derive(Zap, Clone, Debug, PartialEq)]
pub struct Generic<T, U> {
    pub first: T,
    pub rest: Vec<U>,
}

#[derive(Zap, Clone, Debug, PartialEq)]
pub struct Tagged<'a, T: Copy, const N: usize>
where
    T: Default,
{
    pub tag: &'a str,
    pub value: T,
    pub pad: [u8; N],
    pub more: Vec<T>,
    pub raw: Cow<'a, [u8]>,
}

crate::family!(
    Tagged<'_, i32, 5>,
    TaggedView<'_, '_, i32, 5>,
    |'m| Tagged<'m, i32, 5>,
    [tag = tag, value = value, pad = pad, more = more, raw = raw]
);

/// `Make` for the records that `record!` did not declare.
macro_rules! make {
    ($owner:ty, |$dice:ident| $make:expr) => {
        impl crate::support::Make for $owner {
            fn make($dice: &mut crate::support::Dice<'_>) -> Self {
                $make
            }
        }
    };
}

use crate::support::{Make, Same, not_zero};

/// Elements that are there, since absent ones read back as zero.
fn present<T: Make>(dice: &mut crate::support::Dice<'_>) -> Vec<Option<T>> {
    Vec::make(dice).into_iter().map(Some).collect()
}

make!(ZDeep, |dice| Self { p: Make::make(dice), o: not_zero(dice), s: Make::make(dice) });
make!(ZOptions, |dice| Self {
    a: not_zero(dice),
    b: not_zero(dice),
    c: not_zero(dice),
    d: not_zero(dice),
    e: not_zero(dice),
    f: not_zero(dice),
    g: not_zero(dice),
    k: not_zero(dice),
});
make!(ZOptionLists, |dice| Self { a: present(dice), b: present(dice), c: present(dice) });
make!(Pair, |dice| Self(Make::make(dice), Make::make(dice)));
make!(Metres, |dice| Self(Make::make(dice)));
make!(Path, |dice| Self(Make::make(dice)));
make!(Generic<u16, String>, |dice| Self { first: Make::make(dice), rest: Make::make(dice) });
make!(Generic<Inner, Vec<char>>, |dice| Self { first: Make::make(dice), rest: Make::make(dice) });
make!(Tagged<'static, i32, 5>, |dice| Self {
    tag: Make::make(dice),
    value: Make::make(dice),
    pad: Make::make(dice),
    more: Make::make(dice),
    raw: Make::make(dice),
});

crate::family!(ZDeep, ZDeepView<'_>, |'m| ZDeep, [p = p, o = o, s = s]);
crate::family!(ZOptions, ZOptionsView<'_>, |'m| ZOptions, [a = a, b = b, c = c, d = d, e = e, f = f, g = g, k = k]);
crate::family!(ZOptionLists, ZOptionListsView<'_>, |'m| ZOptionLists, [a = a, b = b, c = c]);
crate::family!(Pair, PairView<'_>, |'m| Pair, [0 = field_0, 1 = field_1]);
crate::family!(Metres, MetresView<'_>, |'m| Metres, [0 = field_0]);
crate::family!(Path, PathView<'_>, |'m| Path, [0 = field_0]);
crate::family!(
    Generic<u16, String>,
    GenericView<'_, u16, String>,
    |'m| Generic<u16, String>,
    [first = first, rest = rest]
);
crate::family!(
    Generic<Inner, Vec<char>>,
    GenericView<'_, Inner, Vec<char>>,
    |'m| Generic<Inner, Vec<char>>,
    [first = first, rest = rest]
);

/// A field's `Make`, `Touch` and `Same` for an enum without data.
macro_rules! plain_enum {
    ($name:ty, [$($variant:expr),*]) => {
        make!($name, |dice| {
            let variants = [$($variant),*];
            variants[usize::from(u8::make(dice)) % variants.len()]
        });

        impl crate::support::Touch for $name {
            fn touch(&self, seen: &mut crate::support::Seen) {
                crate::support::Touch::touch(&0_u8, seen);
            }
        }

        impl crate::support::Same<$name> for $name {
            fn same(&self, got: $name) {
                assert_eq!(*self, got);
            }
        }
    };
}

#[derive(Zap, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    #[default]
    Red = 1,
    Blue = 9,
}

#[derive(Zap, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u16)]
pub enum Status {
    #[default]
    Fine = 200,
    Lost = 404,
    #[zap(other)]
    Other(u16),
}

plain_enum!(Color, [Color::Red, Color::Blue]);
plain_enum!(Status, [Status::Fine, Status::Lost, Status::Other(0), Status::Other(77)]);

#[derive(Zap, Clone, Debug, Default, PartialEq)]
pub enum Shape {
    #[default]
    Nothing,
    Text(String),
    Pair {
        color: Color,
        name: String,
    },
    Group(Vec<Shape>),
    Inside(Option<Box<Shape>>, Status),
    #[zap(other)]
    Other(u32),
}

make!(Shape, |dice| match u8::make(dice) % 6 {
    1 => Self::Text(Make::make(dice)),
    2 => Self::Pair { color: Make::make(dice), name: Make::make(dice) },
    3 => Self::Group(Make::make(dice)),
    4 => Self::Inside(Make::make(dice), Make::make(dice)),
    5 => Self::Other(1000 + u32::from(u8::make(dice))),
    _ => Self::Nothing,
});

impl crate::support::Touch for ShapeView<'_> {
    fn touch(&self, seen: &mut crate::support::Seen) {
        use crate::support::Touch;
        let again = *self;
        let _ = *self == again;
        match self {
            Self::Nothing | Self::Other(_) => Touch::touch(&0_u8, seen),
            Self::Text(text) => text.get().touch(seen),
            Self::Pair(pair) => {
                pair.color().touch(seen);
                pair.name().touch(seen);
            }
            Self::Group(shapes) => shapes.get().touch(seen),
            Self::Inside(inside) => {
                inside.field_0().touch(seen);
                inside.field_1().touch(seen);
            }
        }
    }
}

impl crate::support::Same<ShapeView<'_>> for Shape {
    fn same(&self, got: ShapeView<'_>) {
        assert!(got == *self && got.to_value().unwrap() == *self, "{got}");
        match (self, got) {
            (Self::Nothing, ShapeView::Nothing) => {}
            (Self::Other(number), ShapeView::Other(got)) => assert_eq!(*number, got),
            (Self::Text(text), ShapeView::Text(got)) => text.same(got.get()),
            (Self::Pair { color, name }, ShapeView::Pair(got)) => {
                color.same(got.color());
                name.same(got.name());
            }
            (Self::Group(shapes), ShapeView::Group(got)) => shapes.same(got.get()),
            (Self::Inside(shape, status), ShapeView::Inside(got)) => {
                shape.same(got.field_0());
                status.same(got.field_1());
            }
            (value, got) => panic!("{value:?} reads as {got:?}"),
        }
    }
}

record! { #[zap(growable)] Growing / GrowingView { a: u8, b: String, c: Color, d: Vec<Inner>, e: Option<Shape> } }
record! { Enums / EnumsView {
    a: Color, b: Vec<Color>, c: Option<Color>, d: Shape, e: Vec<Shape>, f: Option<Shape>, g: Box<Shape>, h: Status,
    i: [Color; 3], j: std::collections::BTreeMap<Color, Shape>, k: Option<Status>, l: Vec<Option<Shape>>,
} }
record! { HoldsGrowing / HoldsGrowingView {
    a: Growing, b: Vec<Growing>, c: Option<Growing>, d: Box<Growing>, e: Option<Box<Growing>>, f: Vec<Option<Growing>>,
} }
record! { #[zap(dialect = "zapgen")] GEnums / GEnumsView { a: Color, b: Vec<Color>, c: Status, d: Vec<Status> } }
record! { #[zap(dialect = "zip")] ZEnums / ZEnumsView {
    a: Color, b: Vec<Color>, c: Status, d: Vec<Status>, e: Option<Color>,
} }

impl<'m> Same<ShapeView<'m>> for Box<Shape> {
    fn same(&self, got: ShapeView<'m>) {
        (**self).same(got);
    }
}
