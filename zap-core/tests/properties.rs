//! What is written reads back, through every reader, out of every buffer.
// Views are compared with themselves.
#![allow(clippy::eq_op)]
#![cfg(all(feature = "std", feature = "derive"))]

mod support;

use std::fmt::Debug;

use bytes::{Bytes, BytesMut};
use proptest::prelude::*;
use support::records::*;
use support::{Family, Seen};
use zap_core::{Buffer, EncodeError, EncodeTarget, Header, Limits, Prefix, Zap};

fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 1 } else { 256 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn draws() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..if cfg!(miri) { 24 } else { 200 })
}

/// Encode, then every way to read.
fn reads_back<F: Family>(draw: &[u8]) {
    let value = F::make(draw);
    let bytes = value.to_vec().unwrap();
    assert_eq!(bytes.len(), value.encoded_len());
    let header = Header::parse(&bytes).unwrap();
    assert_eq!((header.size as usize, header.flags, header.version), (bytes.len(), 0, F::Of::LAYOUT.version));

    let decoded = F::Of::decode(&bytes).unwrap();
    assert!(F::equal(&value, &decoded), "{value:?}\nwas read as\n{decoded:?}");
    assert_eq!(decoded.to_vec().unwrap(), bytes, "{value:?}");
    F::same(&value, F::Of::view(&bytes).unwrap());

    let limits = Limits::new();
    let view = F::Of::validate(&bytes, &limits).unwrap();
    let mut seen = Seen::new(u32::MAX);
    F::touch(view, &mut seen);
    assert_eq!(seen.error, None);
    assert!(F::equal(&value, &F::Of::decode_with(&bytes, &limits).unwrap()));

    // The same in front of other bytes, at an odd address.
    let mut longer = vec![0xee];
    longer.extend(&bytes);
    longer.extend(b"ZAP\0 and more");
    let rest = match F::Of::decode_prefix(&longer[1..], &limits).unwrap() {
        Prefix::Complete { value: again, rest } => {
            assert!(F::equal(&value, &again));
            rest
        }
        Prefix::Incomplete { needed } => panic!("{needed} more"),
    };
    assert_eq!(rest, b"ZAP\0 and more");
    F::same(&value, F::Of::view(&longer[1..]).unwrap());
}

/// Views beside values: equal exactly where the values are, and a value again.
fn views_are_their_values<F: Family>(draw: &[u8], at: usize, byte: u8) {
    let mut changed = draw.to_vec();
    if let Some(place) = at.checked_rem(draw.len()) {
        changed[place] = byte;
    }
    let (value, other) = (F::make(draw), F::make(&changed));
    let (bytes, other_bytes) = (value.to_vec().unwrap(), other.to_vec().unwrap());
    let (view, other_view) = (F::Of::view(&bytes).unwrap(), F::Of::view(&other_bytes).unwrap());
    assert!(F::shows(view, &value) && view == view, "{value:?}");
    let equal = F::equal(&value, &other);
    let found = [F::shows(view, &other), F::shows(other_view, &value), view == other_view, other_view == view];
    assert_eq!(found, [equal; 4], "{value:?}\n{other:?}");

    assert!(F::equal(&F::to_record(view).unwrap(), &value), "{value:?}");
    let text = F::display(view);
    assert!(text.len() <= (64 << 10) + 8, "{}", text.len());
    assert!(!text.contains('<'), "an error in {text}");
}

fn writes_into<T: Zap, B: EncodeTarget + AsRef<[u8]> + Debug>(value: &T, mut buffer: B, expected: &[u8]) {
    let before = buffer.as_ref().to_vec();
    for flags in [0, 0xc8ff_u16] {
        let start = buffer.as_ref().len();
        let range = value.encode_with_flags(flags, &mut buffer).unwrap();
        assert_eq!(range, start..start + expected.len());
        let mut expected = expected.to_vec();
        expected[6..8].copy_from_slice(&flags.to_le_bytes());
        assert_eq!(&buffer.as_ref()[range], expected);
        assert!(buffer.as_ref().starts_with(&before));
    }
}

/// Every buffer gets the same bytes and keeps those it had.
fn every_target_agrees<F: Family>(draw: &[u8], prefix: &[u8]) {
    let value = F::make(draw);
    let bytes = value.to_vec().unwrap();
    assert_eq!(bytes.capacity(), bytes.len());

    writes_into(&value, prefix.to_vec(), &bytes);
    writes_into(&value, BytesMut::from(prefix), &bytes);
    let mut buffer = Buffer::new();
    buffer.extend_from_slice(prefix);
    writes_into(&value, buffer, &bytes);
    // A buffer with other bytes behind its end: none of them may shine through.
    let mut dirty = Buffer::with_capacity(3);
    dirty.extend_from_slice(&vec![0xff; 2 * bytes.len() + prefix.len()]);
    dirty.clear();
    dirty.extend_from_slice(prefix);
    writes_into(&value, dirty, &bytes);
    let mut dirty = vec![0xff; 2 * bytes.len() + prefix.len()];
    dirty.clear();
    writes_into(&value, dirty, &bytes);

    let mut fixed = vec![0xff; bytes.len() + prefix.len()];
    assert_eq!(value.encode_into(fixed.as_mut_slice()).unwrap(), 0..bytes.len());
    assert_eq!(&fixed[..bytes.len()], &bytes);
    assert!(fixed[bytes.len()..].iter().all(|byte| *byte == 0xff));
    for available in [0, 1, 15, bytes.len() / 2, bytes.len() - 1] {
        let mut small = vec![0xaa; available.min(bytes.len() - 1)];
        let available = small.len();
        let error = value.encode_into(small.as_mut_slice()).unwrap_err();
        assert_eq!(error, EncodeError::BufferTooSmall { needed: bytes.len(), available });
        assert!(small.iter().all(|byte| *byte == 0xaa));
    }
}

macro_rules! properties {
    ($name:ident, $family:ty) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn what_is_written_reads_back(draw in draws()) {
                    reads_back::<$family>(&draw);
                }

                #[test]
                fn views_are_their_values(draw in draws(), at in any::<usize>(), byte in any::<u8>()) {
                    super::views_are_their_values::<$family>(&draw, at, byte);
                }

                #[test]
                fn every_buffer_gets_the_same_bytes(draw in draws(), prefix in proptest::collection::vec(any::<u8>(), 0..20)) {
                    every_target_agrees::<$family>(&draw, &prefix);
                }
            }

            #[test]
            fn samples_read_back() {
                for draw in [&[][..], &[2; 300], &[0xff; 300], &[0x80; 100], &[1; 300]] {
                    let draw = &draw[..draw.len().min(if cfg!(miri) { 16 } else { 300 })];
                    reads_back::<$family>(draw);
                    every_target_agrees::<$family>(draw, b"abc");
                }
            }
        }
    };
}

for_every_record!(properties);

/// Each field that lies in its slot as a whole, changed in the message one after the other: each time the message is the
/// one that encoding the changed value gives.
macro_rules! setting_is_encoding {
    ($($record:ident: $($field:ident)*;)*) => {
        proptest! {
            #![proptest_config(config())]

            #[test]
            fn setting_is_encoding(before in draws(), after in draws()) {
                $({
                    let make = <$record as Family>::make;
                    let (mut value, set, kept) = (make(&before), make(&after), make(&after));
                    let mut bytes = value.to_vec().unwrap();
                    $(
                        $record::view_mut(&mut bytes).unwrap().$field().set(set.$field);
                        value.$field = kept.$field;
                        assert_eq!(bytes, value.to_vec().unwrap(), "{}", stringify!($record.$field));
                    )*
                })*
            }
        }
    };
}

setting_is_encoding! {
    Scalars: a b c d e f g h i j k l m n;
    Arrays: a b c d e f g h i;
    Presences: a b c d e f g h i j k l m n o;
    TupleFields: a b g i;
    ArraysOfAll: d e f i;
    Fixed: a b c d e f g h i j k l m n o p q u;
    Enums: a c h i k;
    Growing: a c;
    GScalars: a b c d e g h i j l m n;
    GEnums: a c;
    GMarked: a b;
    ZScalars: a b c d e g h i j l m;
    ZOptions: a e f;
    ZEnums: a c e;
}

#[cfg(all(feature = "uuid", feature = "rust_decimal"))]
mod foreign_in_place {
    use super::*;

    setting_is_encoding! { Foreign: a b d; }
}

/// Every NaN, with its payload, is the same NaN again.
#[test]
fn nans_keep_their_bits() {
    for bits in [0x7fc0_0001_u32, 0xffff_ffff, 0x7f80_0001, 0x8000_0000] {
        let wide = u64::from(bits) << 32 | 0x5a;
        let value = Scalars { l: f32::from_bits(bits), m: f64::from_bits(wide), ..Scalars::default() };
        let bytes = value.to_vec().unwrap();
        let decoded = Scalars::decode(&bytes).unwrap();
        assert_eq!((decoded.l.to_bits(), decoded.m.to_bits()), (bits, wide));
        <Scalars as Family>::same(&value, Scalars::view(&bytes).unwrap());
    }
}

/// Lists borrowed from Rust slices are written like owned ones; they are read through the view only.
/// Declared by a macro, which hides the spelling of the types from the derive.
macro_rules! slices {
    ($($field:ident: $ty:ty),*) => {
        #[derive(Zap)]
        struct Slices<'a> {
            $($field: $ty,)*
        }
    };
}

slices!(numbers: &'a [u32], names: &'a [&'a str], records: &'a [Inner], lists: Vec<&'a [char]>);

#[derive(Zap)]
struct Vecs {
    numbers: Vec<u32>,
    names: Vec<String>,
    records: Vec<Inner>,
    lists: Vec<Vec<char>>,
}

#[test]
fn borrowed_lists_are_written_like_owned_ones() {
    let records = [Inner { x: 1, y: 2, s: "three".into() }];
    let slices =
        Slices { numbers: &[7, 8], names: &["a", "", "ccc"], records: &records, lists: vec![&['x'], &[], &['y', 'z']] };
    let vecs = Vecs {
        numbers: vec![7, 8],
        names: vec!["a".into(), String::new(), "ccc".into()],
        records: records.to_vec(),
        lists: vec![vec!['x'], vec![], vec!['y', 'z']],
    };
    let bytes = slices.to_vec().unwrap();
    assert_eq!(bytes, vecs.to_vec().unwrap());
    let view = Slices::view(&bytes).unwrap();
    assert_eq!(view.numbers().unwrap().as_slice().iter().map(|number| number.get()).collect::<Vec<_>>(), [7, 8]);
    assert_eq!(view.names().unwrap().iter().collect::<Result<Vec<_>, _>>().unwrap(), ["a", "", "ccc"]);
    assert_eq!(view.records().unwrap().get(0).unwrap().s().unwrap(), "three");
    assert_eq!(view.lists().unwrap().get(2).unwrap().unwrap().get(1), Some(Ok('z')));
}

/// Decoded out of a shared buffer, `Bytes` are parts of it wherever they stand.
#[test]
fn shared_bytes_are_parts_of_the_buffer() {
    let value =
        Lists { o: vec![Bytes::from_static(b"one"), Bytes::new(), Bytes::from_static(b"three")], ..Lists::default() };
    let message = Bytes::from(value.to_vec().unwrap());
    let decoded = Lists::decode_bytes(&message).unwrap();
    assert_eq!(decoded, value);
    for part in decoded.o.iter().filter(|part| !part.is_empty()) {
        assert!(message.as_ptr_range().contains(&part.as_ptr()));
    }
    let zip = ZLists { h: value.o, ..ZLists::default() };
    let message = Bytes::from(zip.to_vec().unwrap());
    let decoded = ZLists::decode_bytes(&message).unwrap();
    assert!(message.as_ptr_range().contains(&decoded.h[2].as_ptr()));
}

/// In the zip dialect, zero is absent in a field and present in a list (wire 1.6).
#[test]
fn zip_zeros_are_absent_in_fields_and_present_in_lists() {
    let value = ZOptions { a: Some(0), b: Some(String::new()), c: Some(ZInner::default()), ..ZOptions::default() };
    let bytes = value.to_vec().unwrap();
    assert_eq!(ZOptions::decode(&bytes).unwrap(), ZOptions::default());
    assert!(ZOptions::view(&bytes).unwrap().c().is_none());

    let value = ZOptionLists {
        a: vec![None, Some(ZInner { x: 1, ..ZInner::default() })],
        b: vec![Some(0), None],
        c: vec![None, Some(String::new())],
    };
    let read = ZOptionLists::decode(&value.to_vec().unwrap()).unwrap();
    assert_eq!(read.a, [Some(ZInner::default()), value.a[1].clone()]);
    assert_eq!((&read.b[..], &read.c[..]), (&[Some(0); 2][..], &[Some(String::new()), Some(String::new())][..]));
    assert_eq!(read.to_vec().unwrap(), value.to_vec().unwrap());
}
