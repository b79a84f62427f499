//! Views serialise as their records do with serde's derive, and our JSON is serde_json's where the spelling agrees.
#![cfg(all(feature = "std", feature = "derive", feature = "serde", not(miri), target_pointer_width = "64"))]

use proptest::collection::vec;
use proptest::prelude::*;
use serde::{Serialize, Serializer};
use zap_core::json::{self, IntegerText, JsonOptions};
use zap_core::{DecodeErrorKind, VariantView, Zap};

/// As views spell bytes in formats for people.
fn hex<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    serializer.serialize_str(&format!("0x{digits}"))
}

macro_rules! records {
    ($dialect:literal, $module:ident) => {
        mod $module {
            use super::*;

            #[derive(Zap, Serialize, Clone, Debug)]
            #[zap(dialect = $dialect)]
            pub(super) struct Everything {
                flag: bool,
                small: i8,
                wide: u64,
                low: i64,
                float: f32,
                double: f64,
                text: String,
                #[serde(serialize_with = "hex")]
                raw: Vec<u8>,
                inner: Inner,
                rows: Vec<Inner>,
                tags: Vec<String>,
                numbers: Vec<u32>,
                newtype: Metres,
                pair: Pair,
            }

            #[derive(Zap, Serialize, Clone, Debug)]
            #[zap(dialect = $dialect)]
            struct Inner {
                id: u16,
                label: String,
            }

            #[derive(Zap, Serialize, Clone, Debug)]
            #[zap(dialect = $dialect)]
            struct Metres(u64);

            #[derive(Zap, Serialize, Clone, Debug)]
            #[zap(dialect = $dialect)]
            struct Pair(String, i32);

            impl Everything {
                fn strategy() -> impl Strategy<Value = Self> {
                    let inner = || (any::<u16>(), ".{0,12}").prop_map(|(id, label)| Inner { id, label });
                    let scalars = (any::<bool>(), any::<i8>(), any::<u64>(), any::<i64>(), any::<f32>(), any::<f64>());
                    let tails = (".{0,40}", vec(any::<u8>(), 0..40), any::<u64>(), ".{0,9}", any::<i32>());
                    let lists = (vec(inner(), 0..4), vec(".{0,9}", 0..4), vec(any::<u32>(), 0..9));
                    (scalars, tails, inner(), lists).prop_map(|(scalars, tails, inner, (rows, tags, numbers))| {
                        let (flag, small, wide, low, float, double) = scalars;
                        let (text, raw, metres, name, number) = tails;
                        let (newtype, pair) = (Metres(metres), Pair(name, number));
                        Self {
                            flag,
                            small,
                            wide,
                            low,
                            float,
                            double,
                            text,
                            raw,
                            inner,
                            rows,
                            tags,
                            numbers,
                            newtype,
                            pair,
                        }
                    })
                }
            }

            proptest! {
                #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

                #[test]
                fn views_serialise_as_their_records(value in Everything::strategy()) {
                    let bytes = value.to_vec().unwrap();
                    let view = Everything::view(&bytes).unwrap();
                    let expected = serde_json::to_string(&value).unwrap();
                    prop_assert_eq!(&serde_json::to_string(&view).unwrap(), &expected);
                    prop_assert_eq!(
                        serde_json::to_string(&view.rows().unwrap()).unwrap(),
                        serde_json::to_string(&value.rows).unwrap()
                    );

                    // Our own text: the same values. Of two shortest spellings of an f32, serde_json may take the other.
                    let options = JsonOptions::new().integers(IntegerText::Numbers);
                    let mut ours = String::new();
                    json::to_fmt(&mut ours, view, &options).unwrap();
                    prop_assert_eq!(json::message_from_str(&ours, Everything::LAYOUT).unwrap(), &bytes[..]);
                    let mut ours: serde_json::Value = serde_json::from_str(&ours).unwrap();
                    let mut theirs: serde_json::Value = serde_json::from_str(&expected).unwrap();
                    let our_float = ours["float"].take().as_f64().unwrap();
                    let their_float = theirs["float"].take().as_f64().unwrap();
                    prop_assert_eq!(our_float as f32, their_float as f32);
                    prop_assert_eq!(ours, theirs);
                    let message = json::message_from_str(&expected, Everything::LAYOUT).unwrap();
                    prop_assert_eq!(message, bytes);
                }
            }
        }
    };
}

records!("native", native);
records!("zapgen", zapgen);
records!("zip", zip);

/// Every form of variant, as a field's accessor gives it.
#[derive(Zap, Serialize, Clone, Debug, PartialEq)]
enum Event {
    Started,
    Named(String),
    Raw(#[serde(serialize_with = "hex")] Vec<u8>),
    Moved { x: i32, y: Option<u8> },
    Pair(u64, char),
    Inner(Moved),
    Again(Box<Event>),
    Many(Vec<Event>),
    Maybe(Option<Box<Event>>),
}

#[derive(Zap, Serialize, Clone, Debug, PartialEq)]
struct Moved {
    by: (u8, f64),
}

#[derive(Zap)]
struct Log {
    events: Vec<Event>,
}

#[test]
fn the_view_of_an_enum_serialises_as_the_enum() {
    let moved = Event::Moved { x: -1, y: Some(2) };
    let events = vec![
        Event::Started,
        Event::Named("a\"b".into()),
        Event::Raw(vec![0, 255]),
        moved.clone(),
        Event::Moved { x: 0, y: None },
        Event::Pair(1 << 60, 'x'),
        Event::Inner(Moved { by: (3, 0.5) }),
        Event::Again(Box::new(Event::Named(String::new()))),
        Event::Many(vec![Event::Started, moved]),
        Event::Maybe(None),
        Event::Maybe(Some(Box::new(Event::Started))),
    ];
    let bytes = Log { events: events.clone() }.to_vec().unwrap();
    let views = Log::view(&bytes).unwrap().events().unwrap();
    assert_eq!(serde_json::to_string(&views).unwrap(), serde_json::to_string(&events).unwrap());
    for (view, event) in views.iter().zip(&events) {
        let view = view.unwrap();
        let expected = serde_json::to_string(event).unwrap();
        assert_eq!(serde_json::to_string(&view).unwrap(), expected);
        let mut ours = String::new();
        json::to_fmt(&mut ours, view, &JsonOptions::new().integers(IntegerText::Numbers)).unwrap();
        assert_eq!(ours, expected);
        assert_eq!(&view.to_value().unwrap(), event);
        match view {
            EventView::Named(name) => assert_eq!(
                (serde_json::to_string(&name).unwrap(), json::to_string(name).unwrap()),
                (serde_json::to_string(&name.get().unwrap()).unwrap(), format!("{name}"))
            ),
            EventView::Many(many) => {
                let many = many.get().unwrap();
                assert_eq!(json::to_string(many).unwrap(), serde_json::to_string(&many).unwrap());
            }
            _ => {}
        }
    }
}

#[test]
fn wrong_bytes_become_the_serializers_error() {
    #[derive(Zap)]
    struct Name {
        name: String,
    }
    let mut bytes = Name { name: "abc".into() }.to_vec().unwrap();
    bytes[24] = 0xff;
    let view = Name::view(&bytes).unwrap();
    assert_eq!(view.name().unwrap_err().kind(), DecodeErrorKind::InvalidUtf8);
    let error = serde_json::to_string(&view).unwrap_err();
    assert_eq!(error.to_string(), "text is not valid UTF-8 (at byte 24, field `name` of `Name`)");
}
