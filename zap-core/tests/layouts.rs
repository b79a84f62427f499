//! Where the fields lie, in the constant and on the wire; and fields that can be written and viewed, but not decoded.
#![cfg(feature = "derive")]
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub, unused, warnings)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

use std::error::Error;

use bytes::Bytes;
use zap_core::{DecodeErrorKind, Limits, Zap};

type Outcome = Result<(), Box<dyn Error>>;

#[derive(Zap)]
struct Inner {
    a: u32,
    b: u8,
}

#[derive(Zap)]
#[zap(rename = "wire.Native", version = 2)]
struct Native<'a> {
    flag: bool,
    wide: u128,
    inner: Inner,
    text: &'a str,
    #[zap(rename = "letters")]
    chars: [char; 2],
    data: Bytes,
    list: Vec<Inner>,
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct PackedInner {
    a: u32,
    b: u8,
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Packed {
    flag: bool,
    id: u64,
    inner: PackedInner,
    maybe: Option<PackedInner>,
    text: String,
    hash: [u8; 20],
    list: Vec<PackedInner>,
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Explicit {
    #[zap(offset = 16)]
    late: u32,
    follows: u8,
    #[zap(offset = 0)]
    early: u64,
    #[zap(offset = 8)]
    text: String,
}

#[derive(Zap, Debug, PartialEq)]
struct Spread {
    #[zap(offset = 8)]
    first: u8,
    second: u32,
    #[zap(offset = 0)]
    third: u64,
}

#[derive(Zap)]
#[zap(dialect = "zip")]
struct ZipInner {
    a: u32,
}

#[derive(Zap)]
#[zap(dialect = "zip")]
struct Zip {
    flag: bool,
    maybe: Option<u16>,
    inner: ZipInner,
    text: String,
    list: Vec<ZipInner>,
}

fn places(layout: &zap_core::Layout) -> Vec<(&'static str, u32, u32, u32)> {
    layout.fields.iter().map(|field| (field.name, field.offset, field.width, field.align)).collect()
}

#[test]
fn native() {
    const LAYOUT: &zap_core::Layout = Native::LAYOUT;
    assert_eq!(
        LAYOUT.to_string(),
        "wire.Native: native, 64 bytes, alignment 8\n\
         offset  width  type         field\n\
         \x20    0      1  bool         flag\n\
         \x20    8     16  u128         wide\n\
         \x20   24      8  Inner        inner\n\
         \x20   32      8  text         text\n\
         \x20   40      8  [char; 2]    letters\n\
         \x20   48      8  bytes        data\n\
         \x20   56      8  list<Inner>  list\n"
    );
    assert_eq!((LAYOUT.version, LAYOUT.size, LAYOUT.align, LAYOUT.root_size()), (2, 64, 8, 64));
    assert_eq!((Inner::LAYOUT.size, Inner::LAYOUT.align, Inner::LAYOUT.root_size()), (8, 4, 8));
}

#[test]
fn zapgen() {
    assert_eq!(
        places(Packed::LAYOUT),
        [
            ("flag", 0, 1, 1),
            ("id", 1, 8, 1),
            ("inner", 9, 4, 1),
            ("maybe", 13, 4, 1),
            ("text", 17, 8, 1),
            ("hash", 25, 20, 1),
            ("list", 45, 8, 1)
        ]
    );
    assert_eq!((Packed::LAYOUT.size, PackedInner::LAYOUT.size), (53, 5));
    assert_eq!(Packed::LAYOUT.fields[3].field_type.to_string(), "option<PackedInner>");
}

#[test]
fn zip() {
    assert_eq!(
        places(Zip::LAYOUT),
        [("flag", 0, 1, 1), ("maybe", 2, 2, 2), ("inner", 8, 8, 8), ("text", 16, 8, 8), ("list", 24, 8, 8)]
    );
    assert_eq!((Zip::LAYOUT.size, ZipInner::LAYOUT.size), (32, 8));
}

#[test]
fn explicit_offsets() -> Outcome {
    assert_eq!(
        places(Explicit::LAYOUT),
        [("late", 16, 4, 1), ("follows", 20, 1, 1), ("early", 0, 8, 1), ("text", 8, 8, 1)]
    );
    assert_eq!(Explicit::LAYOUT.size, 21);
    assert_eq!(places(Spread::LAYOUT), [("first", 8, 1, 1), ("second", 12, 4, 4), ("third", 0, 8, 8)]);
    let spread = Spread { first: 1, second: 2, third: 3 };
    let bytes = spread.to_vec()?;
    assert_eq!(Spread::decode(&bytes)?, spread);
    assert_eq!(&bytes[16..], [3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    Ok(())
}

#[test]
fn version_two_is_in_the_header_and_names_are_in_errors() -> Outcome {
    let value = Native {
        flag: true,
        wide: 1,
        inner: Inner { a: 1, b: 2 },
        text: "text",
        chars: ['a', 'b'],
        data: Bytes::from_static(b"x"),
        list: vec![],
    };
    let mut bytes = value.to_vec()?;
    assert_eq!(&bytes[4..6], [2, 0]);
    assert_eq!(Native::decode(&bytes)?.inner.b, 2);
    // Both letters' first byte to something that is no character.
    bytes[16 + 40 + 2] = 0x11;
    let place = |error: zap_core::DecodeError| error.place().map(|place| (place.record, place.field));
    let error = Native::decode(&bytes).err().ok_or("decoded")?;
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidChar, 56));
    assert_eq!(place(error), Some(("wire.Native", "letters")));
    assert_eq!(error.to_string(), "not a Unicode scalar value (at byte 56, field `letters` of `wire.Native`)");
    assert_eq!(Native::view(&bytes)?.chars().err().and_then(place), Some(("wire.Native", "letters")));
    assert_eq!(Native::validate(&bytes, &Limits::new()).err().and_then(place), Some(("wire.Native", "letters")));
    Ok(())
}

#[test]
fn tuple_fields_are_called_by_their_number() -> Outcome {
    #[derive(Zap)]
    struct Line(u32, String);
    let mut bytes = Line(1, "x".into()).to_vec()?;
    bytes[20..24].copy_from_slice(&[0xff; 4]);
    let error = Line::decode(&bytes).err().ok_or("decoded")?;
    assert_eq!(error.place().map(|place| (place.record, place.field)), Some(("Line", "1")));
    Ok(())
}

/// Many fields, each of one byte, out of a macro's repetition.
#[test]
fn many_fields() {
    macro_rules! wide {
        ($($name:ident)*) => {
            #[derive(Zap)]
            struct Wide {
                $($name: u8),*
            }
        };
    }
    wide!(
        a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9
        d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9
    );
    assert_eq!(Wide::LAYOUT.size, 60);
}

mod owning {
    use super::*;

    #[derive(Zap)]
    struct Record<'a> {
        text: &'a str,
        borrowed: &'a [u32],
    }

    /// Encode-only fields do not stop a record from being viewed, in itself and in another.
    #[derive(Zap)]
    struct Holder<'a> {
        record: Record<'a>,
        many: &'a [Record<'a>],
    }

    #[test]
    fn borrowed_lists_are_written_and_viewed() -> Outcome {
        let list = [1, 2, 3];
        let many = [Record { text: "b", borrowed: &list }];
        let bytes = Holder { record: Record { text: "a", borrowed: &list }, many: &many }.to_vec()?;
        let view = Holder::validate(&bytes, &Limits::new())?;
        assert_eq!(view.record().borrowed()?.iter().sum::<u32>(), 6);
        assert_eq!(view.many()?.get(0).ok_or("none")?.text()?, "b");
        Ok(())
    }
}
