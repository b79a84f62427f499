//! What the layout alone tells: values, JSON text and back, and the errors of the typed layer.
#![cfg(all(feature = "std", feature = "derive"))]

mod support;

use proptest::prelude::*;
use support::Family;
use support::records::*;
use zap_core::json::{self, BytesText, IntegerText, JsonErrorKind, JsonOptions};
use zap_core::{DecodeErrorKind, Header, Limits, Zap, annotate};

fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 1 } else { 128 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn draws() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..if cfg!(miri) { 24 } else { 200 })
}

fn spellings() -> [JsonOptions; 4] {
    let options = JsonOptions::new();
    [
        options,
        options.bytes(BytesText::Base64),
        options.integers(IntegerText::Numbers),
        options.pretty(true).bytes(BytesText::Base64).integers(IntegerText::Numbers),
    ]
}

/// Message to text to the same message. What reads back as something else (zip's zeros) is the same from then on.
fn round_trip<F: Family>(draw: &[u8]) {
    let message = F::make(draw).to_vec().unwrap();
    let message = F::Of::decode(&message).unwrap().to_vec().unwrap();
    let layout = F::Of::LAYOUT;
    for options in spellings() {
        let text = json::message_to_string_with(&message, layout, &options).unwrap();
        let again = json::message_from_str_with(&text, layout, &options);
        assert_eq!(again.unwrap_or_else(|error| panic!("{error}\n{text}")), message, "{text}");
        let mut streamed = String::new();
        json::to_fmt(&mut streamed, F::Of::view(&message).unwrap(), &options).unwrap();
        assert_eq!(streamed, text);
        #[cfg(all(feature = "serde", not(miri), target_pointer_width = "64"))]
        if options == JsonOptions::new().integers(IntegerText::Numbers) {
            let serialized = F::serialized(F::Of::view(&message).unwrap()).unwrap();
            // An optional that is there and holds one that is not is null to serde.
            let text = text.replace(r#"{"Some":null}"#, "null");
            let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert!(is_close(&parsed(&serialized), &parsed(&text)), "{serialized}\n{text}");
        }
        is_json(&text, options == JsonOptions::new());
    }
}

#[cfg(all(not(miri), target_pointer_width = "64"))]
/// Three libraries can read it; one of them, only integers of at most 64 bits.
fn is_json(text: &str, are_integers_narrow: bool) {
    let value = serde_json::from_str::<serde_json::Value>(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let sonic = sonic_rs::from_str::<serde_json::Value>(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(is_close(&sonic, &value), "{sonic}\n{value}");
    if are_integers_narrow {
        let mut bytes = text.as_bytes().to_vec();
        simd_json::from_slice::<simd_json::OwnedValue>(&mut bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

/// Equal but for the last digits of floats, which these libraries do not read exactly by default.
#[cfg(all(not(miri), target_pointer_width = "64"))]
fn is_close(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            a == b || (a - b).abs() <= a.abs() * 1e-14
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_close(a, b)))
        }
        (a, b) => a == b,
    }
}

#[cfg(not(all(not(miri), target_pointer_width = "64")))]
fn is_json(_: &str, _: bool) {}

/// Wrong bytes: the layout's reader finds what `validate` finds, in the same place.
fn refuses_alike<T: Zap>(mut message: Vec<u8>, changes: &[(usize, u8)]) {
    for (at, byte) in changes {
        let len = message.len();
        message[at % len] = *byte;
    }
    let typed = T::validate(&message, &Limits::new()).map(drop);
    let dynamic = json::message_to_string(&message, T::LAYOUT);
    assert_eq!(dynamic.as_ref().map(drop), typed.as_ref().copied(), "{message:?}");
    if let Ok(text) = dynamic {
        is_json(&text, true);
        let _ = json::message_from_str(&text, T::LAYOUT);
    }
    let table = annotate(&message, T::LAYOUT).to_string();
    assert!(table.len() < 4096 * 200, "{}", table.len());
    if typed.is_err() && header_is_right(&message) {
        assert!(table.contains("error"), "{table}");
    }
}

fn header_is_right(message: &[u8]) -> bool {
    Header::parse(message).is_ok()
}

macro_rules! properties {
    ($name:ident, $family:ty) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn messages_come_back_from_json(draw in draws()) {
                    round_trip::<$family>(&draw);
                }

                #[test]
                fn wrong_bytes_are_refused_as_by_validate(
                    draw in draws(),
                    changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
                ) {
                    refuses_alike::<<$family as Family>::Of<'_>>(<$family as Family>::make(&draw).to_vec().unwrap(), &changes);
                }
            }
        }
    };
}

for_every_record!(properties);

/// A message of `Tree { kids: Vec<Tree>, v: u8 }`, each node the only child of the one before it.
fn deep_tree(depth: usize) -> Vec<u8> {
    const NODE: usize = 12;
    let mut message = Vec::new();
    message.extend(b"ZAP\0\x01\0\0\0\x10\0\0\0");
    message.extend(u32::try_from(16 + 16 + depth * NODE).unwrap().to_le_bytes());
    // The root's section is rounded up to 16 bytes, so that its child is 16 further.
    for (step, count) in [(16_u32, 1_u32)].into_iter().chain((1..=depth).map(|at| (12, u32::from(at < depth)))) {
        let rel = if count == 0 { 0 } else { step };
        message.extend(rel.to_le_bytes());
        message.extend(count.to_le_bytes());
        message.extend(if step == 16 { &[7, 0, 0, 0, 0, 0, 0, 0][..] } else { &[7, 0, 0, 0][..] });
    }
    message
}

#[derive(Zap)]
struct Kids {
    kids: Vec<Kids>,
    v: u8,
}

/// Neither text nor table follows a message down further than its limit, on whatever stack.
#[test]
fn depth_is_limited_on_a_small_stack() {
    let message = deep_tree(if cfg!(miri) { 1000 } else { 1_000_000 });
    assert_eq!(Kids::view(&message).unwrap().v(), 7);
    let small = |test: fn(&[u8]), message: Vec<u8>| {
        let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(move || test(&message)).unwrap();
        thread.join().unwrap();
    };
    small(
        |message| {
            let error = json::message_to_string(message, Kids::LAYOUT).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
            let view = Kids::view(message).unwrap();
            assert_eq!(json::to_string(view).unwrap_err(), error);
        },
        message.clone(),
    );
    small(
        |message| {
            let text = annotate(message, Kids::LAYOUT).to_string();
            assert!(text.contains("error: records are nested too deeply"), "{text}");
            assert!(text.len() < 1 << 16);
        },
        message,
    );
    let text = format!("{}{}", r#"{"v":1,"kids":["#.repeat(100_000), "]}".repeat(100_000));
    let error = json::message_from_str(&text, Kids::LAYOUT).unwrap_err();
    assert_eq!(error.kind(), &JsonErrorKind::TooDeep);
}

mod enums_and_growable_records {
    use proptest::prelude::*;
    use zap_core::{Zap, json};

    use super::refuses_alike;

    #[derive(Zap, Clone, Copy, Debug, Default, PartialEq)]
    #[repr(u16)]
    enum Color {
        #[default]
        Red = 0,
        Blue = 300,
    }

    #[derive(Zap, Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    enum Open {
        One = 1,
        #[zap(other)]
        Other(u8),
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Shape {
        Nothing,
        Circle { radius: f64, label: String },
        Pair(u8, Vec<u16>),
        Boxed(Box<Shape>),
        Maybe(Option<char>),
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Numbered {
        Text(String),
        #[zap(other)]
        Other(u32),
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    struct Enums {
        a: Color,
        b: Shape,
        c: Vec<Shape>,
        d: Option<Shape>,
        e: Vec<Option<Color>>,
        f: Open,
        g: Numbered,
        h: (u8, Shape),
    }

    #[derive(Zap, Clone, Debug, Default, PartialEq)]
    #[zap(growable)]
    struct Version {
        a: u8,
        b: String,
        c: Vec<Version>,
        d: u64,
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    struct Growing {
        a: Version,
        b: Vec<Version>,
        c: Option<Version>,
        d: Box<Version>,
        e: std::collections::BTreeMap<String, Version>,
    }

    fn enums() -> Enums {
        let circle = Shape::Circle { radius: 1.5, label: "round".into() };
        Enums {
            a: Color::Blue,
            b: circle.clone(),
            c: vec![Shape::Nothing, Shape::Pair(1, vec![2, 3]), Shape::Boxed(Box::new(circle))],
            d: Some(Shape::Maybe(Some('x'))),
            e: vec![Some(Color::Red), None],
            f: Open::Other(200),
            g: Numbered::Text("t".into()),
            h: (1, Shape::Maybe(None)),
        }
    }

    fn growing() -> Growing {
        let inner = Version { a: 1, b: "in".into(), ..Version::default() };
        let a = Version { a: 2, b: "out".into(), c: vec![inner.clone(), inner.clone()], d: 9 };
        let e = [(String::from("k"), inner.clone()), (String::from("l"), a.clone())].into();
        Growing { b: vec![a.clone(), inner.clone()], c: Some(inner), d: Box::new(a.clone()), a, e }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(if cfg!(miri) { 1 } else { 2000 }) })]

        #[test]
        fn wrong_enums_are_refused_as_by_validate(
            changes in proptest::collection::vec((any::<usize>(), prop_oneof![0..8_u8, any::<u8>()]), 1..4),
        ) {
            refuses_alike::<Enums>(enums().to_vec().unwrap(), &changes);
            refuses_alike::<Shape>(enums().c[2].to_vec().unwrap(), &changes);
        }

        #[test]
        fn wrong_growable_records_are_refused_as_by_validate(
            changes in proptest::collection::vec((any::<usize>(), prop_oneof![0..48_u8, any::<u8>()]), 1..4),
        ) {
            refuses_alike::<Growing>(growing().to_vec().unwrap(), &changes);
            refuses_alike::<Version>(growing().a.to_vec().unwrap(), &changes);
        }
    }

    #[test]
    fn enums_and_growable_records_come_back() {
        let (enums, growing) = (enums(), growing());
        let text = json::to_string(Enums::view(&enums.to_vec().unwrap()).unwrap()).unwrap();
        assert_eq!(json::from_str::<Enums>(&text).unwrap(), enums);
        assert_eq!(json::message_from_str(&text, Enums::LAYOUT).unwrap(), enums.to_vec().unwrap());
        let text = json::to_string(Growing::view(&growing.to_vec().unwrap()).unwrap()).unwrap();
        assert_eq!(json::from_str::<Growing>(&text).unwrap(), growing);
        assert_eq!(json::message_from_str(&text, Growing::LAYOUT).unwrap(), growing.to_vec().unwrap());
    }
}

/// However many elements a message has, its table ends.
#[test]
fn tables_end() {
    let long = "x".repeat(5000);
    let value = Pair(1, long);
    let path = Path(vec![value; 3000]);
    let table = annotate(&path.to_vec().unwrap(), Path::LAYOUT).to_string();
    assert!(table.ends_with("more rows than are shown\n"), "{}", &table[table.len() - 200..]);
    assert!(table.lines().count() <= 3 + 2 * 4096);
    assert!(table.lines().all(|line| line.chars().count() < 200));
}
