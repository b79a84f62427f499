//! The structs, named after what they hold; `ALL` lists them.
#![allow(missing_docs, non_snake_case)]
// Boxes of everything, to test them.
#![allow(clippy::box_collection, clippy::redundant_allocation, clippy::type_complexity, clippy::vec_box)]

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;
use zap_core::{DecodeError, Zap};

use super::json::Json;
use super::{Derived, ReadJson};

/// What an absent element of a list of optionals is written as.
impl Default for ZipPoint {
    fn default() -> Self {
        Self { x: 0, y: 0 }
    }
}

/// A derived struct for each entry, its JSON form, and what its view reads.
macro_rules! records {
    ($($dialect:literal: $($(#[zap($attribute:ident = $set:literal)])? $name:ident / $view:ident {
        $($(#[zap($placed:ident = $offset:literal)])? $field:ident: $ty:ty),* $(,)?
    })*)*) => {
        $($(
            #[derive(Zap, Clone, Debug, PartialEq)]
            #[zap(dialect = $dialect $(, $attribute = $set)?)]
            pub(crate) struct $name {
                $($(#[zap($placed = $offset)])? pub(crate) $field: $ty,)*
            }

            impl Json for $name {
                fn from_json(value: &Value) -> Result<Self, String> {
                    let object = value.as_object().ok_or_else(|| format!("not an object: {value}"))?;
                    let _ = object;
                    Ok(Self {
                        $($field: Json::from_json(object.get(stringify!($field)).unwrap_or(&Value::Null))
                            .map_err(|error| format!("{}: {error}", stringify!($field)))?,)*
                    })
                }
                fn to_json(&self) -> Value {
                    json!({ $(stringify!($field): self.$field.to_json()),* })
                }
            }

            impl ReadJson for $view<'_> {
                fn read_json(&self) -> Result<Value, DecodeError> {
                    Ok(json!({ $(stringify!($field): ReadJson::read_json(&self.$field())?),* }))
                }
            }
        )*)*

        pub(crate) static ALL: &[Derived] = &[$($(Derived::of::<$name>(),)*)*];
    };
}

records! {
"zip":
    ZipScalars / ZipScalarsView {
        a: bool, b: i8, c: u8, d: i16, e: u16, f: i32, g: u32, h: i64, i: u64, j: f32, k: f64,
    }
    ZipMixed / ZipMixedView { a: u8, b: u64, c: u16, d: u32, e: bool, f: f64, g: i8 }
    ZipTails / ZipTailsView { a: String, b: Bytes, c: String }
    ZipTailsBetween / ZipTailsBetweenView { kind: u8, name: String, n: u16, raw: Vec<u8>, ok: bool }
    ZipPoint / ZipPointView { x: i32, y: i32 }
    ZipPlace / ZipPlaceView { id: u64, at: ZipPoint, name: String }
    ZipTwoLevels / ZipTwoLevelsView { top: ZipPlace, tail: u8, back: ZipPoint }
    ZipOptions / ZipOptionsView {
        a: Option<u32>, b: Option<String>, c: Option<ZipPoint>, d: Option<Bytes>, e: Option<bool>, f: Option<f64>,
    }
    ZipLists / ZipListsView {
        u8s: Vec<bool>, i16s: Vec<i16>, u16s: Vec<u16>, u32s: Vec<u32>, i64s: Vec<i64>, u64s: Vec<u64>, f32s: Vec<f32>,
        f64s: Vec<f64>,
    }
    ZipBetweenBytes / ZipBetweenBytesView { a: u8, b: Vec<i8>, c: u8 }
    ZipTailLists / ZipTailListsView { names: Vec<String>, blobs: Vec<Vec<u8>> }
    ZipPoints / ZipPointsView { id: u32, pts: Vec<ZipPoint>, end: String }
    ZipRows / ZipRowsView { rows: Vec<ZipPlace>, opts: Vec<Option<ZipPoint>> }
    ZipEmpty / ZipEmptyView {}
    ZipHoldsEmpty / ZipHoldsEmptyView { a: ZipEmpty, b: u8 }
    ZipByte / ZipByteView { a: u8 }
    ZipMachineInts / ZipMachineIntsView { a: i64, b: u64 }
    ZipEverything / ZipEverythingView {
        scal: ZipScalars, list: ZipPoints, opt: Option<ZipPlace>, raw: Bytes, tags: Vec<String>,
    }
    ZipListsFirst / ZipListsFirstView {
        first: Vec<String>, mid: String, second: Vec<u32>, last: Bytes, third: Vec<ZipPoint>,
    }
    ZipNames / ZipNamesView { names: Vec<String> }
    ZipNumbers / ZipNumbersView { v: Vec<u32> }
    ZipFlags / ZipFlagsView { v: Vec<bool> }

"zapgen":
    Reading / ReadingView { Station: u32, Level: f64, Good: bool, Label: String, Raw: Bytes }
    Gauge / GaugeView {
        #[zap(offset = 9)] Wide: u64,
        #[zap(offset = 0)] Flag: bool,
        Small: i8,
        Mid: i16,
        Odd: u8,
        Part: f32,
        #[zap(offset = 17)] Big: i64,
        Signed: i32,
        Half: u16,
        #[zap(offset = 33)] Plain: u32,
    }
    Parcel / ParcelView {
        Weight: u16, Origin: [u8; 20], Notes: Vec<String>, Digest: [u8; 32], Items: Vec<Reading>, Memo: Vec<u8>,
        Title: String,
    }
    Wrapper / WrapperView { Kind: u8, Inner: Option<Reading>, Tail: String }
    Bag / BagView { Items: Vec<u64> }
    Sparse / SparseView {
        #[zap(offset = 3)] Head: u8,
        #[zap(offset = 8)] Sig: [u8; 96],
        #[zap(offset = 104)] Pub: [u8; 48],
        #[zap(offset = 160)] One: [u8; 1],
        #[zap(offset = 170)] Note: String,
    }

"native":
    EthRequest / EthRequestView { id: u64, block: u64, method: String, account: Bytes }
    EthResponse / EthResponseView { id: u64, balance: u64, nonce: u64, blockHash: Vec<u8> }

    Scalars / ScalarsView {
        a: bool, b: u8, c: i8, d: u16, e: i16, f: u32, g: i32, h: f32, i: u64, j: i64, k: f64, l: u128, m: i128, n: char,
    }
    WideBetweenBytes / WideBetweenBytesView { a: u8, b: u128, c: u8 }
    Chars / CharsView { a: char, b: char, c: char }
    Arrays / ArraysView { a: [u8; 3], b: [u16; 2], c: [bool; 2], d: [u64; 2] }
    PairOfWidths / PairOfWidthsView { x: u8, y: u32 }
    Nested / NestedView { a: u8, b: PairOfWidths, c: u8 }
    Short / ShortView { x: u16 }
    Wide / WideView { x: u8, y: u64, z: u8 }
    NestedAlignments / NestedAlignmentsView { a: u8, b: Short, c: Wide, d: u8 }
    Odd / OddView { x: u16, y: u8 }
    NestedOdd / NestedOddView { a: Odd, b: u8, c: Odd }
    Empties / EmptiesView { a: String, b: Bytes, c: Vec<u32>, d: Vec<u8> }
    Tails / TailsView { a: u8, b: String, c: Bytes }
    ByteList / ByteListView { a: Vec<u8>, b: String }
    ByteListAndList / ByteListAndListView { a: Vec<u8>, b: Vec<u16> }
    ListAfterByte / ListAfterByteView { a: u8, b: Vec<u16> }
    AlignedList / AlignedListView { a: Vec<u16>, b: Vec<u64> }
    WideList / WideListView { a: Vec<bool>, b: Vec<u128> }
    ByteWideLists / ByteWideListsView { a: Vec<bool>, b: Vec<i8>, c: String }
    CharList / CharListView { a: Vec<char>, b: Vec<f32> }
    ArrayList / ArrayListView { a: Vec<[u8; 3]>, b: Vec<u16> }
    TextList / TextListView { a: Vec<String> }
    BytesList / BytesListView { a: u16, b: Vec<Bytes> }
    ByteLists / ByteListsView { a: Vec<Vec<u8>>, b: Vec<u16> }
    ListList / ListListView { a: Vec<Vec<u32>> }
    TextListList / TextListListView { a: Vec<Vec<String>> }
    AlignedListLists / AlignedListListsView { a: Vec<Vec<u16>>, b: Vec<Vec<u64>> }
    Named / NamedView { n: String, k: u16 }
    NamedList / NamedListView { a: Vec<Named> }
    Padded / PaddedView { x: u64, y: u8 }
    PaddedList / PaddedListView { a: u8, b: Vec<Padded> }
    OnlyPaddedList / OnlyPaddedListView { a: Vec<Padded> }
    WithList / WithListView { v: Vec<u16>, k: u8 }
    NestedList / NestedListView { a: u32, b: WithList, c: String }
    Row / RowView { n: String, v: Vec<u16> }
    Rows / RowsView { first: String, rows: Vec<Row>, last: String }
    Interleaved / InterleavedView { a: Vec<String>, s: String, b: Vec<u64>, c: Vec<String>, e: Bytes }
    #[zap(version = 2)] VersionTwo / VersionTwoView { a: u32 }
    Byte / ByteView { a: u8 }
    Empty / EmptyView {}

    ByteAndShort / ByteAndShortView { a: u8, b: u16 }
    Text / TextView { a: String }
    TextAndList / TextAndListView { a: String, b: Vec<u32> }
    Shorts / ShortsView { a: Vec<u16> }
    Words / WordsView { a: Vec<u32> }
    Texts / TextsView { a: String, b: String }
    Letter / LetterView { a: char }
    TwoWide / TwoWideView { a: u64, b: u64 }
    WideAndText / WideAndTextView { a: u64, b: String }
    TextAndWide / TextAndWideView { a: String, b: u64 }
    WideAndShorts / WideAndShortsView { b: u64, a: Vec<u16> }
    NestedText / NestedTextView { n: Text, b: u64 }
    TwoBytes / TwoBytesView { a: Bytes, b: Bytes }

    TextArray / TextArrayView { a: [String; 2], b: u8 }
    ListArray / ListArrayView { a: [Vec<u16>; 2] }
    Bytes3 / Bytes3View { x: u8, y: i8, z: bool }
    RecordArray / RecordArrayView { a: u8, b: [Bytes3; 2], c: u8 }
    WideX / WideXView { x: u64 }
    ByteX / ByteXView { x: u8 }
    Options / OptionsView {
        a: Option<u8>, b: Option<u64>, c: Option<String>, d: Option<Vec<u16>>, e: Option<WideX>, g: Option<[u16; 2]>,
        h: Option<char>,
    }
    EmptyOptions / EmptyOptionsView {
        a: Option<String>, b: Option<Bytes>, c: Option<Vec<u64>>, d: Option<BTreeMap<u8, u8>>, e: Option<u32>,
    }
    OptionalEmpties / OptionalEmptiesView { a: Option<Empty>, b: Option<Empty> }
    ListsOfOptions / ListsOfOptionsView { a: Vec<Option<u16>>, b: Vec<Option<String>> }
    FormsOfOptions / FormsOfOptionsView {
        a: Option<bool>, b: Option<Option<u16>>, c: Option<i128>, d: Option<[String; 1]>, e: Option<BTreeSet<u8>>,
        f: Option<Box<u64>>, g: Option<BTreeMap<u8, u8>>, h: Option<IpAddr>, i: Option<Option<char>>,
    }
    Maps / MapsView { a: BTreeMap<i16, u8>, b: BTreeMap<String, u32> }
    MapKeys / MapKeysView {
        a: BTreeMap<bool, u8>, b: BTreeMap<char, u8>, c: BTreeMap<Bytes, u8>, d: BTreeMap<[u8; 2], u8>,
        e: BTreeMap<NonZero<i16>, u8>, f: BTreeMap<IpAddr, u8>, g: BTreeMap<Duration, u8>, h: BTreeMap<(u8, String), u8>,
        i: BTreeMap<Uuid, String>, j: BTreeMap<[u16; 2], Option<u8>>,
    }
    Sets / SetsView { a: BTreeSet<i32>, b: BTreeSet<String>, c: BTreeSet<u8> }
    BoxedText / BoxedTextView { n: String, y: u64 }
    Boxes / BoxesView { a: Box<ByteX>, b: Box<BoxedText>, c: Option<Box<ByteX>>, d: Box<u32> }
    BoxedThings / BoxedThingsView {
        a: Box<String>, b: Box<Vec<u16>>, c: Box<Option<Box<u8>>>, d: Box<Box<u8>>, e: Vec<Box<u16>>,
    }
    NonZeros / NonZerosView {
        a: NonZero<u8>, b: NonZero<i64>, c: NonZero<u128>, d: Vec<NonZero<u16>>, e: Option<NonZero<u32>>,
    }
    Times / TimesView { a: Duration, b: SystemTime, c: Option<Duration>, d: Vec<SystemTime> }
    Addresses / AddressesView {
        a: Ipv4Addr, b: Ipv6Addr, c: IpAddr, d: IpAddr, e: SocketAddr, f: SocketAddr, g: Option<Ipv4Addr>, h: Vec<IpAddr>,
    }
    Identifiers / IdentifiersView { a: Uuid, b: Decimal, c: Option<Uuid>, d: Vec<Decimal> }
    Tuples / TuplesView {
        a: (u8, u32), b: Vec<(String, u16)>, c: BTreeMap<u8, (u8, u16)>, d: Option<(u8,)>, e: [(u8, u16); 2],
        f: ((u8,), String),
    }
    NestedArrays / NestedArraysView {
        a: [[u16; 2]; 2], b: [Option<u32>; 2], c: [BTreeMap<u8, u8>; 1], d: [Vec<String>; 1], e: [Option<String>; 2],
        f: [Box<u8>; 1],
    }
    Shared / SharedView { s: Arc<str>, t: Arc<[u8]>, u: Vec<Arc<str>> }
    Marked / MarkedView { a: u8, b: PhantomData<Vec<String>>, c: u16 }

    BoolAndOption / BoolAndOptionView { a: bool, b: Option<u8> }
    TextAndOption / TextAndOptionView { a: String, b: Option<String> }
    BoxedWide / BoxedWideView { a: Box<WideX> }
    BoxedByte / BoxedByteView { a: Box<ByteX>, b: u8 }
    OptionalRecord / OptionalRecordView { a: Option<WideX> }
    ByteMap / ByteMapView { a: BTreeMap<u8, u8> }
    TextMap / TextMapView { a: BTreeMap<String, u8> }
    ShortSet / ShortSetView { a: BTreeSet<i16> }
    ByteSet / ByteSetView { a: BTreeSet<u8> }
    OneNonZero / OneNonZeroView { a: NonZero<u16> }
    OneDuration / OneDurationView { a: Duration }
    OneTime / OneTimeView { a: SystemTime }
    OneIp / OneIpView { a: IpAddr }
    OneSocket / OneSocketView { a: SocketAddr }
    OneDecimal / OneDecimalView { a: Decimal }
    OptionalArray / OptionalArrayView { a: Option<[u16; 2]> }
    OptionalText / OptionalTextView { a: Option<String> }
}
