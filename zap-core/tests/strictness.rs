//! The rows of `guide::strictness`: what the untyped reader and the typed layer say to the same bytes.
#![cfg(feature = "derive")]

use zap_core::{Decode, DecodeErrorKind as Kind, Header, Limits, Message, Object, Prefix, Zap};

#[derive(Zap, Debug, PartialEq)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Zap, Debug, PartialEq)]
struct Numbers {
    list: Vec<u32>,
}

#[derive(Zap, Debug, PartialEq)]
struct Letter {
    letter: char,
}

#[derive(Zap, Debug, PartialEq, Default)]
struct Tree {
    children: Vec<Tree>,
}

#[derive(Zap, Debug, PartialEq)]
struct Flag {
    on: bool,
    number: u32,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zapgen")]
struct Inner {
    a: u64,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zapgen")]
struct Pointing {
    inner: Inner,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zapgen")]
struct Words {
    list: Vec<u32>,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zip")]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zip")]
struct Around {
    point: Point,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zip")]
struct Points {
    list: Vec<Point>,
}

/// A message of these 32-bit words, its root right behind the header.
fn message(words: &[u32]) -> Vec<u8> {
    let body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let header = Header { version: 1, flags: 0, root: 16, size: 16 + body.len() as u32 };
    [&header.to_bytes()[..], &body].concat()
}

fn with_word(mut bytes: Vec<u8>, at: usize, word: u32) -> Vec<u8> {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    bytes
}

fn root(bytes: &[u8]) -> Object<'_> {
    Message::parse(bytes).unwrap().root()
}

/// `decode` and `validate` refuse the bytes for the same reason at the same place.
#[track_caller]
fn refused<'m, T: Decode<'m> + std::fmt::Debug>(bytes: &'m [u8], kind: Kind) {
    let decoded = T::decode(bytes).unwrap_err();
    assert_eq!(decoded.kind(), kind);
    assert_eq!(T::validate(bytes, &Limits::new()).unwrap_err(), decoded);
}

/// As `refused`, and already when the view is opened.
#[track_caller]
fn not_opened<'m, T: Decode<'m> + std::fmt::Debug>(bytes: &'m [u8], kind: Kind) {
    refused::<T>(bytes, kind);
    assert_eq!(T::view(bytes).unwrap_err().kind(), kind);
}

#[test]
fn root_inside_the_header() {
    for offset in 0..16 {
        let bytes = with_word(message(&[5, 0]), 8, offset);
        assert!(root(&bytes).is_null());
        assert_eq!(root(&bytes).u32(0), 0);
        not_opened::<Flag>(&bytes, Kind::MissingRoot);
    }
}

#[test]
fn root_section_out_of_bounds() {
    for offset in [20, 24, 25, 1000, u32::MAX] {
        let bytes = with_word(message(&[1, 7]), 8, offset);
        assert_eq!(root(&bytes).u64(0), 0);
        not_opened::<Flag>(&bytes, Kind::SectionOutOfBounds);
    }
}

#[test]
fn empty_input_is_not_absence() {
    assert_eq!(Message::parse(&[]).unwrap_err().kind(), Kind::BufferTooSmall);
    not_opened::<Point>(&[], Kind::BufferTooSmall);
}

#[test]
fn a_short_object_is_not_zero() {
    #[derive(Zap, Debug)]
    #[zap(dialect = "zip")]
    struct Long {
        a: u64,
        b: u64,
    }
    let bytes = message(&[0, 0]);
    assert_eq!((root(&bytes).u64(0), root(&bytes).u64(8)), (0, 0));
    not_opened::<Long>(&bytes, Kind::SectionOutOfBounds);
}

#[test]
fn dangling_text() {
    // Past the end, a length that is too large, sums that wrap in 32 bits.
    for (rel, len) in [(100, 1), (8, 9), (9, 8), (u32::MAX, 1), (8, u32::MAX), (u32::MAX - 7, 4)] {
        let bytes = message(&[rel, len, 0x6161_6161, 0x6161_6161]);
        assert!(root(&bytes).text(0).is_null());
        assert_eq!(root(&bytes).bytes(0), None);
        refused::<Text<'_>>(&bytes, Kind::PointerOutOfBounds);
        assert_eq!(Text::view(&bytes).unwrap().text().unwrap_err().kind(), Kind::PointerOutOfBounds);
    }
}

#[test]
fn dangling_list() {
    for rel in [-1_i32, -16, -17, 16, 17, i32::MAX, i32::MIN] {
        let bytes = message(&[rel as u32, 1, 5, 5]);
        assert!(root(&bytes).list(0).is_null());
        refused::<Numbers>(&bytes, Kind::PointerOutOfBounds);
    }
}

#[test]
fn count_beyond_the_message() {
    for count in [33, 0x4000_0000, u32::MAX] {
        let bytes = message(&[8, count, 5, 5]);
        assert!(root(&bytes).list(0).is_null());
        refused::<Numbers>(&bytes, Kind::PointerOutOfBounds);
        refused::<Words>(&bytes, Kind::ListTooShort);
    }
}

#[test]
fn list_body_cut() {
    let bytes = message(&[8, 3, 5, 6]);
    let list = root(&bytes).list(0);
    assert_eq!((list.len(), list.u32_at(1), list.u32_at(2)), (3, 6, 0));
    refused::<Numbers>(&bytes, Kind::PointerOutOfBounds);
}

#[test]
fn dangling_pointer() {
    for rel in [-1_i32, -16, -17, 12, 13, i32::MAX, i32::MIN] {
        let bytes = message(&[rel as u32, 0, 0]);
        assert!(root(&bytes).object(0).is_null());
        assert_eq!(root(&bytes).object(0).u64(0), 0);
        refused::<Pointing>(&bytes, Kind::PointerOutOfBounds);
    }
}

#[test]
fn pointed_section_cut() {
    let bytes = message(&[4, 9]);
    let object = root(&bytes).object(0);
    assert_eq!((object.is_null(), object.u32(0), object.u64(0)), (false, 9, 0));
    refused::<Pointing>(&bytes, Kind::SectionOutOfBounds);
}

#[test]
fn slot_into_its_own_section() {
    let bytes = message(&[4, 4]);
    assert_eq!(root(&bytes).bytes(0), Some(&[4, 0, 0, 0][..]));
    refused::<Text<'_>>(&bytes, Kind::PointerIntoSection);
    let bytes = message(&[4, 1]);
    assert_eq!(root(&bytes).list(0).u32_at(0), 1);
    refused::<Numbers>(&bytes, Kind::PointerIntoSection);
    let bytes = message(&[2, 0, 0]);
    assert!(!root(&bytes).object(0).is_null());
    refused::<Pointing>(&bytes, Kind::PointerIntoSection);
}

#[test]
fn text_that_is_not_utf8() {
    let bytes = message(&[8, 4, 0xff_61_61_61]);
    let text = root(&bytes).text(0);
    assert_eq!((text.as_bytes(), text.to_str().unwrap_err().kind()), (&b"aaa\xff"[..], Kind::InvalidUtf8));
    refused::<Text<'_>>(&bytes, Kind::InvalidUtf8);
    assert_eq!(Text::decode(&bytes).unwrap_err().offset(), 27);
}

#[test]
fn char_that_is_none() {
    for number in [0xd800, 0xdfff, 0x11_0000, u32::MAX] {
        let bytes = message(&[number, 0]);
        assert_eq!(root(&bytes).u32(0), number);
        refused::<Letter>(&bytes, Kind::InvalidChar);
    }
}

#[cfg(feature = "std")]
#[test]
fn values_that_are_none() {
    use std::net::{IpAddr, SocketAddr};
    use std::num::NonZero;
    use std::time::{Duration, SystemTime};

    refused::<(NonZero<u16>,)>(&message(&[0xffff_0000, 0]), Kind::ZeroInteger);
    refused::<(Option<NonZero<i128>>,)>(&message(&[1, 0, 0, 0, 0, 0]), Kind::ZeroInteger);
    for nanoseconds in [1_000_000_000, u32::MAX] {
        let bytes = message(&[5, 0, nanoseconds, 0]);
        assert_eq!(root(&bytes).u32(8), nanoseconds);
        refused::<(Duration,)>(&bytes, Kind::InvalidNanoseconds);
        refused::<(SystemTime,)>(&bytes, Kind::InvalidNanoseconds);
    }
    for kind in [0, 1, 5, 7, 0x104, 255] {
        let bytes = message(&[kind, 0, 0, 0, 0, 0]);
        if kind != 0x104 {
            refused::<(IpAddr,)>(&bytes, Kind::UnknownAddressKind);
            refused::<(SocketAddr,)>(&bytes, Kind::UnknownAddressKind);
        } else {
            accepted(&bytes, &(IpAddr::from([1, 0, 0, 0]),));
        }
    }
}

/// Before 1970 and at both ends of what the wire can say: a time, or the error that there is none.
#[cfg(feature = "std")]
#[test]
fn times_are_read_or_refused() {
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    let before = UNIX_EPOCH - Duration::new(1, 250_000_000);
    accepted(&message(&[-2_i32 as u32, u32::MAX, 750_000_000, 0]), &(before,));
    for seconds in [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX] {
        let [low, high] = [seconds as u32, (seconds >> 32) as u32];
        let bytes = message(&[low, high, 999_999_999, 0]);
        match <(SystemTime,)>::decode(&bytes) {
            Ok(time) => assert_eq!(time.to_vec().unwrap(), bytes),
            Err(error) => assert_eq!(error.kind(), Kind::TimeOutOfRange),
        }
    }
}

#[cfg(feature = "std")]
#[test]
fn keys_out_of_order() {
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

    for keys in [[2, 1], [1, 1], [u32::MAX, 0]] {
        let bytes = message(&[8, 2, keys[0], keys[1]]);
        refused::<(BTreeSet<u32>,)>(&bytes, Kind::KeyOrder);
        refused::<(HashSet<u32>,)>(&bytes, Kind::KeyOrder);
        let bytes = message(&[8, 2, keys[0], 7, keys[1], 8]);
        refused::<(BTreeMap<u32, u32>,)>(&bytes, Kind::KeyOrder);
        refused::<(HashMap<u32, u32>,)>(&bytes, Kind::KeyOrder);

        // A view of them answers with something, or with nothing.
        let (map,) = <(BTreeMap<u32, u32>,)>::view(&bytes).unwrap().get();
        let map = map.unwrap();
        assert_eq!(map.len(), 2);
        for key in [0, 1, 2, u32::MAX] {
            let _ = map.get(key).unwrap();
        }
    }
    // The order is that of the values, not that of the bytes.
    accepted(&message(&[8, 2, -1_i32 as u32, 0]), &(BTreeSet::from([-1_i32, 0]),));
}

#[test]
fn required_record_is_null() {
    let bytes = message(&[0, 0]);
    assert!(root(&bytes).object(0).is_null());
    refused::<Pointing>(&bytes, Kind::NullPointer);
    refused::<Around>(&bytes, Kind::NullPointer);
}

#[test]
fn nested_message_that_does_not_parse() {
    // In a field: a bytes slot with a message of 24 bytes behind it, one word of which is wrong.
    let field = Around { point: Point { x: 1, y: 2 } }.to_vec().unwrap();
    // In a list: behind the element's length word; the list comes before the root.
    let list = Points { list: vec![Point { x: 1, y: 2 }] }.to_vec().unwrap();
    assert_eq!((&field[24..28], &list[20..24]), (&b"ZAP\0"[..], &b"ZAP\0"[..]));
    for (at, word, kind) in [
        (0, 0, Kind::InvalidMagic),
        (4, 3, Kind::UnsupportedVersion),
        (8, 15, Kind::MissingRoot),
        (8, 17, Kind::SectionOutOfBounds),
        (12, 15, Kind::BufferTooSmall),
        (12, 25, Kind::BufferTooSmall),
    ] {
        let bytes = with_word(field.clone(), 24 + at, word);
        refused::<Around>(&bytes, kind);
        let bytes = with_word(list.clone(), 20 + at, word);
        refused::<Points>(&bytes, kind);
        assert_eq!(Points::view(&bytes).unwrap().list().unwrap().get(0).unwrap_err().kind(), kind);
        if kind != Kind::SectionOutOfBounds {
            assert!(root(&bytes).list(0).object_at(0).is_null());
        }
    }
}

#[test]
fn list_shorter_than_its_count() {
    let bytes = message(&[8, 2, 4, 5, 0]);
    let short = with_word(bytes.clone(), 32, 1);
    assert_eq!(root(&short).list(0).iter_bytes().count(), 1);
    refused::<Words>(&short, Kind::ListTooShort);
    // Not even room for the length words.
    refused::<Words>(&with_word(bytes, 20, 4), Kind::ListTooShort);
}

#[test]
fn element_of_another_width() {
    for (len, word) in [(3, 0), (2, 0), (0, 0)] {
        let bytes = message(&[8, 1, len, word]);
        assert_eq!(root(&bytes).list(0).bytes_at(0).map(<[u8]>::len), Some(len as usize));
        refused::<Words>(&bytes, Kind::ElementWidth);
    }
    refused::<Words>(&message(&[8, 1, 6, 0, 0]), Kind::ElementWidth);
}

#[test]
fn depth() {
    // An element whose children are the root's own list: a cycle of two.
    let bytes = message(&[8, 1, -8_i32 as u32, 1]);
    let mut object = root(&bytes);
    for _ in 0..1000 {
        object = object.list(0).record_at(0, 8);
        assert!(!object.is_null());
    }
    refused::<Tree>(&bytes, Kind::DepthExceeded);
}

#[test]
fn budget() {
    #[derive(Zap, Debug)]
    struct Texts<'a> {
        list: Vec<&'a str>,
    }
    // 64 slots that all mean the same 1,000 bytes.
    let mut words = vec![8, 64];
    for index in 0..64 {
        words.extend([8 * (64 - index), 1000]);
    }
    words.resize(words.len() + 250, 0x6161_6161);
    let bytes = message(&words);
    refused::<Texts<'_>>(&bytes, Kind::BudgetExceeded);
    for text in Texts::view(&bytes).unwrap().list().unwrap() {
        assert_eq!(text.unwrap().len(), 1000);
    }
    assert!(Texts::validate(&bytes, &Limits::new().budget(64, 0)).is_ok());
}

#[test]
fn message_above_the_limit() {
    let bytes = message(&[1, 2]);
    let limits = Limits::new().max_message_len(23);
    let kinds = [
        Message::split_first(&bytes, &limits).unwrap_err().kind(),
        Flag::validate(&bytes, &limits).unwrap_err().kind(),
        Flag::decode_with(&bytes, &limits).unwrap_err().kind(),
        Flag::decode_prefix(&bytes, &limits).unwrap_err().kind(),
        Flag::view_prefix(&bytes, &limits).unwrap_err().kind(),
    ];
    assert_eq!(kinds, [Kind::MessageTooLarge; 5]);
    assert!(Flag::view(&bytes).is_ok() && Flag::decode(&bytes).is_ok());
}

/// Accepted by `decode` and `validate` alike.
#[track_caller]
fn accepted<'m, T: Decode<'m> + PartialEq + std::fmt::Debug>(bytes: &'m [u8], expected: &T) {
    assert_eq!(T::decode(bytes).as_ref(), Ok(expected));
    assert!(T::validate(bytes, &Limits::new()).is_ok());
}

#[test]
fn lenient_as_the_peer() {
    // rel 0 is null whatever the length; rel 4 with length 0 is empty; and length 0 at any target up to the end.
    for slot in [[0, 77], [0, u32::MAX], [4, 0], [8, 0], [12, 0]] {
        accepted(&message(&[slot[0], slot[1], 0]), &Text { text: "" });
    }
    for slot in [[0, 77], [0, u32::MAX], [4, 0], [8, 0]] {
        accepted(&message(&[slot[0], slot[1], 0]), &Numbers { list: vec![] });
        accepted(&message(&[slot[0], slot[1], 0]), &Words { list: vec![] });
    }

    // Any flags, both versions, bytes after the size, padding, bool bytes.
    let flag = Flag { on: true, number: 7 };
    let plain = flag.to_vec().unwrap();
    for word in [1, 2, 0xffff_0001, 0xc800_0002] {
        accepted(&with_word(plain.clone(), 4, word), &flag);
    }
    accepted(&[&plain[..], b"more"].concat(), &flag);
    accepted(&with_word(plain.clone(), 16, 0xaabb_cc01), &flag);
    accepted(&with_word(plain.clone(), 16, 0x0000_0080), &flag);

    // Any alignment: of the input, of the root, of a list.
    for shift in 0..8 {
        let moved = [&vec![0xee; shift][..], &plain].concat();
        accepted(&moved[shift..], &flag);
        let mut inner = plain.clone();
        inner.splice(16..16, vec![0xee; shift]);
        let inner = with_word(with_word(inner, 8, 16 + shift as u32), 12, 24 + shift as u32);
        accepted(&inner, &flag);
    }
    let mut list = message(&[9, 1]);
    list.extend([0xee, 5, 0, 0, 0]);
    accepted(&with_word(list, 12, 29), &Numbers { list: vec![5] });

    // A list before the root, and one list that two slots share.
    let list_first = with_word(message(&[5, 6, -8_i32 as u32, 2]), 8, 24);
    accepted(&list_first, &Numbers { list: vec![5, 6] });
    #[derive(Zap, Debug, PartialEq)]
    struct Two {
        a: Vec<u32>,
        b: Vec<u32>,
    }
    accepted(&message(&[16, 1, 8, 1, 5]), &Two { a: vec![5], b: vec![5] });

    // Any presence byte; bytes behind an absent value and behind a version 4 address.
    accepted(&message(&[0x80, 7]), &(Some(7_u32),));
    accepted(&message(&[0, 7]), &(None::<u32>,));
    let address = std::net::IpAddr::from([1, 2, 3, 4]);
    accepted(&message(&[0x0302_0104, 0xeeee_ee04, u32::MAX, 0, 0, 0]), &(address,));

    // Bytes after a nested message, inside its list element.
    let mut bytes = message(&[8, 1, 28]);
    bytes.extend(message(&[1, 2]));
    bytes.extend([0xee; 4]);
    let bytes = with_word(bytes, 12, 56);
    accepted(&bytes, &Points { list: vec![Point { x: 1, y: 2 }] });
    assert!(matches!(Points::decode_prefix(&bytes, &Limits::new()), Ok(Prefix::Complete { rest: [], .. })));
}

#[derive(Zap, Clone, Copy, Debug, PartialEq)]
enum Color {
    Red = 1,
}

#[derive(Zap, Debug, PartialEq)]
enum Shape {
    Nothing,
    Circle(u32),
}

#[test]
fn enums_that_are_none() {
    let bytes = message(&[2, 0]);
    assert_eq!(root(&bytes).u32(0), 2);
    refused::<Color>(&bytes, Kind::UnknownVariant);
    refused::<Shape>(&bytes, Kind::UnknownVariant);
    let bytes = message(&[0, 4, 7, 0]);
    assert_eq!(root(&bytes).object(4).u32(0), 7);
    refused::<Shape>(&bytes, Kind::UnexpectedFields);
    refused::<Shape>(&message(&[1, 0]), Kind::NullPointer);
}

#[derive(Zap, Debug, PartialEq)]
#[zap(growable)]
struct Growable {
    number: u32,
}

#[test]
fn growable_lengths_that_are_wrong() {
    for length in [0, 3, 5, 7] {
        let bytes = message(&[length, 9]);
        assert_eq!(root(&bytes).u32(0), length);
        refused::<Growable>(&bytes, Kind::InvalidLength);
    }
    refused::<Growable>(&message(&[9, 9]), Kind::SectionOutOfBounds);
}
