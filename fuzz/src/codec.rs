//! Checks of the codec: readers of any bytes, and values that go around.

use golden::derived::{self, Derived};
use golden::oracle::{self as naive, Dialect};
use zap_core::{Layout, Limits, Message, Zap, annotate, json as zap_json};

use crate::choice;
use crate::for_every_record;
use crate::support::Family;
use crate::support::attack::{prefixes, read_all};
use crate::support::records::*;
use crate::untyped_reads::read_everything;

/// Any bytes into every accessor of the untyped layer.
pub fn untyped(data: &[u8]) {
    if let Ok(message) = Message::parse(data) {
        read_everything(message.root(), 1);
    }
    // Most bytes have no header: with one, they are a body.
    let mut bytes = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
    bytes.extend((data.len() as u32).saturating_add(16).to_le_bytes());
    bytes.extend(data);
    read_everything(Message::parse(&bytes).expect("the header is right").root(), 0);
}

/// What is checked of one record type.
struct Checks {
    read: fn(&[u8]),
    around: fn(&[u8]),
    sample: fn() -> Vec<u8>,
    layout: &'static Layout,
}

impl Checks {
    const fn of<F: Family>() -> Self
    where
        F::Of<'static>: Zap,
    {
        Self {
            read: |bytes| {
                read_all::<F>(bytes);
                prefixes::<F>(bytes);
            },
            around: around::<F>,
            sample: || F::samples().swap_remove(1).to_vec().expect("samples fit"),
            layout: <F::Of<'static> as Zap>::LAYOUT,
        }
    }
}

/// A value drawn from bytes goes through all forms, and comes back.
fn around<F: Family>(draw: &[u8]) {
    let value = F::make(draw);
    let bytes = value.to_vec().expect("drawn values fit");
    assert_eq!(value.encoded_len(), bytes.len());
    let again = F::Of::decode(&bytes).expect("own bytes");
    let is_itself = F::equal(&value, &value);
    assert_eq!(F::equal(&again, &value), is_itself);
    assert_eq!(again.to_vec().expect("drawn values fit"), bytes);
    let view = F::Of::validate(&bytes, &Limits::new()).expect("own bytes");
    F::same(&value, view);
    assert_eq!(F::shows(view, &value), is_itself);
    let layout = F::Of::LAYOUT;
    let text = zap_json::message_to_string(&bytes, layout).expect("own bytes");
    let of_text = zap_json::message_from_str(&text, layout).expect("own text");
    assert_eq!(zap_json::message_to_string(&of_text, layout).expect("own bytes"), text);
}

/// Every record type.
fn all() -> Vec<Checks> {
    let mut all = Vec::new();
    macro_rules! list {
        ($name:ident, $family:ty) => {
            all.push(Checks::of::<$family>());
        };
    }
    for_every_record!(list);
    all
}

/// The record type that a byte chooses.
fn chosen(choice: usize) -> Checks {
    let mut all = all();
    all.swap_remove(choice % all.len())
}

/// A valid input of [`records`] for each record type.
#[must_use]
pub fn record_seeds() -> Vec<Vec<u8>> {
    let of = |(choice, checks): (usize, Checks)| [&[choice as u8], (checks.sample)().as_slice()].concat();
    all().into_iter().enumerate().map(of).collect()
}

/// Any bytes into everything that can be done with a view: the deep check, decoding, comparing, printing, JSON.
pub fn records(data: &[u8]) {
    let (choice, bytes) = choice(data);
    (chosen(choice).read)(bytes);
}

/// Any value of any record through bytes, view and JSON.
pub fn values(data: &[u8]) {
    let (choice, draw) = choice(data);
    (chosen(choice).around)(draw);
}

/// The derived structs of golden against its naive oracle, which shares no code with the codec.
pub fn oracle(data: &[u8]) {
    let (choice, bytes) = choice(data);
    let all: Vec<Derived> = derived::all().filter(|derived| derived.dialect() != Dialect::Zapgen).collect();
    let derived = &all[choice % all.len()];
    let by_derived = (derived.decode)(bytes);
    let by_oracle = naive::decode(derived.dialect(), &derived.oracle_shape(), bytes);
    // In the zip dialect derived structs are the stricter ones; what they accept is what the oracle reads all the same.
    if derived.dialect() == Dialect::Native || by_derived.is_ok() {
        let name = derived.layout.name;
        assert_eq!(by_derived.as_ref().ok(), by_oracle.as_ref().ok(), "{name}: {by_derived:?}, {by_oracle:?}");
    }
    assert_eq!((derived.validate)(bytes).is_ok(), by_derived.is_ok());
}

/// Any text into the JSON reader, any bytes into the tools that are driven by a layout.
pub fn json(data: &[u8]) {
    let (choice, bytes) = choice(data);
    let layout = chosen(choice).layout;
    let _ = zap_json::message_to_string(bytes, layout);
    assert!(annotate(bytes, layout).to_string().len() < 1 << 24);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(message) = zap_json::message_from_str(text, layout) {
        let text = zap_json::message_to_string(&message, layout).expect("what was read can be written");
        let again = zap_json::message_from_str(&text, layout).expect("own text");
        assert_eq!(zap_json::message_to_string(&again, layout).expect("own bytes"), text);
    }
}
