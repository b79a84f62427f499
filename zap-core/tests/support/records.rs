//! The records: every kind of field in every dialect.

use std::borrow::Cow;

use bytes::Bytes;
use zap_core::Zap;

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
record! { #[zap(dialect = "zip")] ZDeep / ZDeepView { p: ZInner, o: Option<ZInner>, s: String } }
record! { #[zap(dialect = "zip")] ZNested / ZNestedView { a: u8, p: ZInner, q: ZDeep, e: ZEmpty, t: String } }
record! { #[zap(dialect = "zip")] ZLists / ZListsView {
    a: Vec<bool>, b: Vec<u16>, c: Vec<u64>, d: Vec<i8>, e: Vec<f64>, f: Vec<String>, g: Vec<Vec<u8>>, h: Vec<Bytes>,
    i: Vec<ZInner>, j: Vec<ZDeep>,
} }
record! { #[zap(dialect = "zip")] ZOptions / ZOptionsView {
    a: Option<u32>, b: Option<String>, c: Option<ZInner>, d: Option<Vec<u8>>, e: Option<bool>, f: Option<f64>,
    g: Option<Vec<u16>>, k: Option<ZDeep>,
} }
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

use crate::support::Make;

/// Elements that are there, since absent ones read back as zero.
fn present<T: Make>(dice: &mut crate::support::Dice<'_>) -> Vec<Option<T>> {
    Vec::make(dice).into_iter().map(Some).collect()
}

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
