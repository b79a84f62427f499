//! How JSON spells each type, that every spelling reads back, and what reading refuses.
#![cfg(all(feature = "std", feature = "derive"))]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use zap_core::json::{self, JsonErrorKind};
use zap_core::{DecodeOwned, Limits, Zap, annotate};

/// The value's message has this text, and the text this message and value.
fn spells<T: DecodeOwned + PartialEq + Debug>(value: &T, text: &str) {
    let message = value.to_vec().unwrap();
    assert_eq!(json::message_to_string(&message, T::LAYOUT).unwrap(), text);
    let again = json::message_from_str(text, T::LAYOUT).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(again, message, "{text}");
    assert_eq!(&json::from_str::<T>(text).unwrap(), value);
    let table = annotate(&message, T::LAYOUT).to_string();
    assert!(!table.contains("error") && !table.contains("unreferenced"), "{table}");
}

/// The text is refused, with these words.
#[track_caller]
fn refuses<T: Zap>(text: &str, error: &str) {
    assert_eq!(json::message_from_str(text, T::LAYOUT).unwrap_err().to_string(), error);
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Only<T>(T);

fn one<T: PartialEq + Debug>(value: T, text: &str)
where
    Only<T>: DecodeOwned,
{
    spells(&Only(value), text);
}

#[test]
fn numbers() {
    one(true, "true");
    one(9_007_199_254_740_991_u64, "9007199254740991");
    one(9_007_199_254_740_992_u64, r#""9007199254740992""#);
    one(-9_007_199_254_740_991_i64, "-9007199254740991");
    one(i64::MIN, r#""-9223372036854775808""#);
    one(u128::MAX, r#""340282366920938463463374607431768211455""#);
    one(i128::MIN, r#""-170141183460469231731687303715884105728""#);
    one(NonZero::new(7_u16).unwrap(), "7");
    one(0.1_f32, "0.1");
    one(-0.0_f64, "-0.0");
    one(1e21_f64, "1e21");
    one(f64::MIN_POSITIVE, "2.2250738585072014e-308");
    one(5e-324_f64, "5e-324");
    one(f64::INFINITY, r#""Infinity""#);
    one(f32::NEG_INFINITY, r#""-Infinity""#);
}

#[test]
fn nans_keep_their_bits() {
    for (bits, text) in [
        (0x7ff8_0000_0000_0000_u64, r#""NaN""#),
        (0xfff8_0000_0000_0001, r#""NaN(0xfff8000000000001)""#),
        (0x7ff0_0000_0000_0001, r#""NaN(0x7ff0000000000001)""#),
    ] {
        let message = Only(f64::from_bits(bits)).to_vec().unwrap();
        assert_eq!(json::message_to_string(&message, Only::<f64>::LAYOUT).unwrap(), text);
        assert_eq!(json::message_from_str(text, Only::<f64>::LAYOUT).unwrap(), message);
    }
    let message = Only(f32::from_bits(0xffc0_0000)).to_vec().unwrap();
    let text = json::message_to_string(&message, Only::<f32>::LAYOUT).unwrap();
    assert_eq!(text, r#""NaN(0xffc00000)""#);
    assert_eq!(json::message_from_str(&text, Only::<f32>::LAYOUT).unwrap(), message);
    refuses::<Only<f32>>(r#""NaN(0x0)""#, "line 1 column 1, at $: expected a number, NaN, Infinity or -Infinity");
}

#[test]
fn text_and_bytes() {
    one(
        String::from("a\"\\/\u{1}\u{8}\u{c}\n\r\t\u{7f}ß🦀"),
        r#""a\"\\/\u0001\b\f\n\r\t🦀""#.replace('🦀', "\u{7f}ß🦀").as_str(),
    );
    one('"', r#""\"""#);
    one(vec![0xca_u8, 0xfe], r#""0xcafe""#);
    one([1_u8, 2, 3], r#""0x010203""#);
    one(Vec::<u8>::new(), r#""0x""#);
    let text = json::from_str::<Only<String>>(r#""\u00e4\ud83e\udd80\/""#).unwrap();
    assert_eq!(text.0, "ä🦀/");
    refuses::<Only<String>>(r#""\ud83e""#, "line 1 column 8, at $: not JSON: half of a surrogate pair");
    refuses::<Only<String>>(
        "\"a\nb\"",
        "line 1 column 3, at $: not JSON: a control character in a string is not escaped",
    );
    refuses::<Only<Vec<u8>>>(r#""cafe""#, "line 1 column 1, at $: expected bytes in hexadecimal after 0x, as text");
    refuses::<Only<[u8; 3]>>(r#""0x0102""#, "line 1 column 1, at $: expected 3 elements");
}

#[test]
fn times_and_addresses() {
    one(Duration::new(1, 5), r#"{"secs":1,"nanos":5}"#);
    one(Duration::MAX, r#"{"secs":"18446744073709551615","nanos":999999999}"#);
    let time: SystemTime = UNIX_EPOCH - Duration::from_millis(1);
    one(time, r#"{"secs_since_epoch":-1,"nanos_since_epoch":999000000}"#);
    one(Ipv4Addr::new(127, 0, 0, 1), r#""127.0.0.1""#);
    one(Ipv6Addr::LOCALHOST, r#""::1""#);
    one(IpAddr::from([10, 0, 0, 1]), r#""10.0.0.1""#);
    one(SocketAddr::from((Ipv6Addr::LOCALHOST, 443)), r#""[::1]:443""#);
    let nanoseconds = r#"{"secs":1,"nanos":1000000000}"#;
    refuses::<Only<Duration>>(nanoseconds, "line 1 column 1, at $: out of range for nanoseconds");
    refuses::<Only<Duration>>(r#"{"secs":1}"#, "line 1 column 1, at $: field `nanos` is missing");
}

#[cfg(feature = "uuid")]
#[test]
fn uuids() {
    let id = uuid::Uuid::from_u128(0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
    one(id, r#""01234567-89ab-cdef-0123-456789abcdef""#);
}

#[cfg(feature = "rust_decimal")]
#[test]
fn decimals() {
    for text in ["0", "1.50", "-0.0000000000000000000000000001", "79228162514264337593543950335", "-7.00"] {
        let value: rust_decimal::Decimal = text.parse().unwrap();
        one(value, &format!("\"{text}\""));
    }
    refuses::<Only<rust_decimal::Decimal>>(
        "79228162514264337593543950336",
        "line 1 column 1, at $: expected a decimal number of 96 bits and at most 28 digits after the point",
    );
}

#[test]
fn lists_sets_and_maps() {
    one(vec![1_u16, 2], "[1,2]");
    one([Some(1_u32), None], "[1,null]");
    one((7_u8, String::from("a")), r#"[7,"a"]"#);
    one((7_u8,), "[7]");
    one(BTreeSet::from([3_i32, -1]), "[-1,3]");
    one(BTreeSet::from([3_u8, 1]), r#""0x0103""#);
    one(BTreeMap::from([(String::from("a"), 1_u8), (String::from("B"), 2)]), r#"{"B":2,"a":1}"#);
    one(BTreeMap::from([(-5_i64, true), (i64::MAX, false)]), r#"{"-5":true,"9223372036854775807":false}"#);
    one(BTreeMap::from([((1_u8, 2_u8), 3_u8)]), "[[[1,2],3]]");
    // In whatever order they come, but none twice.
    let map = json::message_from_str(r#"{"a":1,"B":2}"#, Only::<BTreeMap<String, u8>>::LAYOUT).unwrap();
    assert_eq!(map, json::message_from_str(r#"{"B":2,"a":1}"#, Only::<BTreeMap<String, u8>>::LAYOUT).unwrap());
    refuses::<Only<BTreeMap<String, u8>>>(r#"{"a":1,"a":2}"#, "line 1 column 1, at $: a key or element is there twice");
}

#[test]
fn optionals() {
    one(None::<u8>, "null");
    one(Some(5_u8), "5");
    one(Some(String::new()), r#""""#);
    one(None::<String>, "null");
    one(Some(Vec::<u16>::new()), "[]");
    one(None::<Option<u8>>, "null");
    one(Some(None::<u8>), r#"{"Some":null}"#);
    one(Some(Some(5_u8)), "5");
    one(Some(Some(None::<u8>)), r#"{"Some":{"Some":null}}"#);
    one(Some(None::<Option<u8>>), r#"{"Some":null}"#);
    one(Some(Only(None::<u8>)), r#"{"Some":null}"#);
    one(Some(Box::new(7_u64)), "7");
    one(Box::new(Box::new(String::from("x"))), r#""x""#);
}

#[derive(Zap, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Color {
    Red = 1,
    #[zap(rename = "azure")]
    Blue = 9,
    #[zap(other)]
    Other(u8),
}

#[derive(Zap, Clone, Debug, PartialEq)]
enum Shape {
    Nothing,
    Circle { radius: f64 },
    Pair(u8, String),
    Label(String),
    Boxed(Box<Shape>),
    Maybe(Option<u8>),
}

#[test]
fn enums() {
    spells(&Color::Red, r#""Red""#);
    spells(&Color::Blue, r#""azure""#);
    spells(&Color::Other(77), "77");
    spells(&Shape::Nothing, r#""Nothing""#);
    spells(&Shape::Circle { radius: 1.0 }, r#"{"Circle":{"radius":1.0}}"#);
    spells(&Shape::Pair(1, "a".into()), r#"{"Pair":[1,"a"]}"#);
    spells(&Shape::Label("a".into()), r#"{"Label":"a"}"#);
    spells(&Shape::Maybe(None), r#"{"Maybe":null}"#);
    spells(&Shape::Boxed(Box::new(Shape::Boxed(Box::new(Shape::Nothing)))), r#"{"Boxed":{"Boxed":"Nothing"}}"#);
    one(vec![Shape::Nothing, Shape::Label(String::new())], r#"["Nothing",{"Label":""}]"#);
    one(Some(Shape::Nothing), r#""Nothing""#);
    refuses::<Color>("300", "line 1 column 1, at $: out of range for the enum's number");
    refuses::<Color>(r#""Pink""#, "line 1 column 1, at $: no variant `Pink`");
    refuses::<Shape>(r#""Label""#, "line 1 column 1, at $: expected an object: this variant has fields");
    refuses::<Shape>(r#"{"Circle":{"radius":true}}"#, "line 1 column 21, at $.Circle.radius: expected a number");
}

/// Two versions of a record.
#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(growable, rename = "Version")]
struct Old {
    a: u8,
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(growable, rename = "Version")]
struct New {
    a: u8,
    b: String,
    c: u64,
}

#[test]
fn growable_records() {
    let new = New { a: 1, b: "x".into(), c: 2 };
    spells(&new, r#"{"a":1,"b":"x","c":2}"#);
    spells(&Old { a: 1 }, r#"{"a":1}"#);
    // An old message stays one: what its writer did not know is left out.
    let old = Old { a: 1 }.to_vec().unwrap();
    let text = json::message_to_string(&old, New::LAYOUT).unwrap();
    assert_eq!(text, r#"{"a":1}"#);
    assert_eq!(json::message_from_str(&text, New::LAYOUT).unwrap(), old);
    assert_eq!(json::from_str::<New>(&text).unwrap(), New { a: 1, ..New::default() });
    // A new one read as an old one keeps what the old one knows.
    assert_eq!(json::message_to_string(&new.to_vec().unwrap(), Old::LAYOUT).unwrap(), r#"{"a":1}"#);
    refuses::<New>(r#"{"a":1,"c":2}"#, "line 1 column 1, at $: field `b` is missing");
    one(vec![new.clone()], r#"[{"a":1,"b":"x","c":2}]"#);
    one(Some(new), r#"{"a":1,"b":"x","c":2}"#);
}

#[derive(Zap, Debug, PartialEq)]
struct Plain {
    id: u16,
    name: Option<String>,
    rows: Vec<Row>,
}

#[derive(Zap, Debug, PartialEq)]
struct Row {
    x: i8,
}

#[test]
fn what_is_refused_is_told_with_its_place() {
    let read = |text| json::from_str::<Plain>(text);
    assert_eq!(read(r#" {"rows" : [ ] , "id" : 1} "#).unwrap(), Plain { id: 1, name: None, rows: vec![] });
    assert_eq!(read(r#"{"id":"7","rows":[],"name":null}"#).unwrap().id, 7);
    let cases = [
        ("", "line 1 column 1, at $: expected an object"),
        (r#"{"id":1}"#, "line 1 column 1, at $: field `rows` is missing"),
        (r#"{"id":1,"id":2,"rows":[]}"#, "line 1 column 9, at $: `id` is there twice"),
        ("{\"id\":1,\n \"size\":2}", "line 2 column 2, at $: no field `size`"),
        (r#"{"id":65536}"#, "line 1 column 7, at $.id: out of range for u16"),
        (r#"{"id":-1}"#, "line 1 column 7, at $.id: out of range for u16"),
        (r#"{"id":1.0}"#, "line 1 column 7, at $.id: expected an integer"),
        (r#"{"id":01}"#, "line 1 column 7, at $.id: not JSON: a number is spelled wrong"),
        (r#"{"id":[1]}"#, "line 1 column 7, at $.id: expected a single value, no array or object"),
        (r#"{"id":tru}"#, "line 1 column 7, at $.id: not JSON: a value is missing"),
        (r#"{"rows":[{"x":1},{"x":128}]}"#, "line 1 column 23, at $.rows[1].x: out of range for i8"),
        (r#"{"rows":[{"x":1},]}"#, "line 1 column 18, at $.rows[1]: expected an object"),
        (
            r#"{"rows":[] "id":1}"#,
            "line 1 column 12, at $: not JSON: a comma or the end of the array or object is missing",
        ),
        (r#"{"id":1,"rows":[]} x"#, "line 1 column 20, at $: not JSON: something follows the value"),
        (r#"{id:1}"#, "line 1 column 2, at $: not JSON: a name in quotes is missing"),
    ];
    for (text, error) in cases {
        assert_eq!(read(text).unwrap_err().to_string(), error, "{text}");
    }
    assert_eq!(read("{").unwrap_err().kind(), &JsonErrorKind::Syntax("a name in quotes is missing"));
}

#[test]
fn no_text_panics() {
    let good = r#"{"id":1,"name":"a\u00e4\n","rows":[{"x":-1},{"x":2}]}"#;
    for end in 0..good.len() {
        assert!(json::from_str::<Plain>(&good[..end]).is_err());
        for byte in [b'"', b'{', b'}', b'[', b'\\', b'0', b'e', b' '] {
            let mut text = good.as_bytes().to_vec();
            text[end] = byte;
            let _ = json::from_str::<Plain>(std::str::from_utf8(&text).unwrap());
        }
    }
}

#[test]
fn tables_show_any_bytes() {
    let plain = Plain { id: 3, name: Some("n".into()), rows: vec![Row { x: 1 }, Row { x: 2 }] };
    let mut message = plain.to_vec().unwrap();
    message.extend(b"more");
    for len in 0..message.len() {
        let _ = annotate(&message[..len], Plain::LAYOUT).to_string();
    }
    let table = annotate(&message, Plain::LAYOUT).to_string();
    assert!(table.contains("4 bytes after the message's size"), "{table}");
    message[20] = 200;
    let table = annotate(&message, Plain::LAYOUT).to_string();
    assert!(table.contains("name: text") && table.contains("error: a pointer leads outside"), "{table}");
    assert!(table.contains("rows[1].x: i8"), "{table}");
    assert!(Plain::validate(&message, &Limits::new()).is_err());
}
