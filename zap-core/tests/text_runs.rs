//! `validate` looks at a run of texts at once; whatever it says must be what `decode`, which looks at each, says.

use proptest::prelude::*;
use zap_core::{DecodeErrorKind, Limits, Zap};

#[derive(Zap, Clone, Debug, PartialEq)]
struct Row {
    id: u16,
    name: String,
    note: Option<String>,
    flags: Vec<bool>,
    words: Vec<String>,
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Table {
    title: String,
    rows: Vec<Row>,
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Blob {
    name: String,
    data: Vec<u8>,
}

/// Bytes lie between the texts.
#[derive(Zap, Clone, Debug, PartialEq)]
struct Blobs {
    blobs: Vec<Blob>,
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,9}", "[a-zé€😀]{0,6}", Just("x".repeat(40)), Just(String::new())]
}

fn table() -> impl Strategy<Value = Table> {
    let words = prop::collection::vec(text(), 0..3);
    let row = (any::<u16>(), text(), prop::option::of(text()), prop::collection::vec(any::<bool>(), 0..4), words)
        .prop_map(|(id, name, note, flags, words)| Row { id, name, note, flags, words });
    (text(), prop::collection::vec(row, 0..6)).prop_map(|(title, rows)| Table { title, rows })
}

fn blobs() -> impl Strategy<Value = Blobs> {
    let data = prop_oneof![prop::collection::vec(any::<u8>(), 0..6), Just(b"text".to_vec())];
    let blob = (text(), data).prop_map(|(name, data)| Blob { name, data });
    prop::collection::vec(blob, 0..8).prop_map(|blobs| Blobs { blobs })
}

/// What to do to a message.
#[derive(Clone, Debug)]
enum Harm {
    /// Store a byte.
    Byte(prop::sample::Index, u8),
    /// Move the border between two words that may be the slots of neighbours.
    Border(prop::sample::Index, i32),
    /// Add to a word.
    Word(prop::sample::Index, i32),
}

fn harm() -> impl Strategy<Value = Vec<Harm>> {
    let place = || any::<prop::sample::Index>();
    let byte = prop_oneof![any::<u8>(), Just(0x80), Just(0xc3), Just(b'a')];
    let harm = prop_oneof![
        (place(), byte).prop_map(|(place, byte)| Harm::Byte(place, byte)),
        (place(), -4..5).prop_map(|(place, by)| Harm::Border(place, by)),
        (place(), -9..10).prop_map(|(place, by)| Harm::Word(place, by)),
    ];
    prop::collection::vec(harm, 0..3)
}

fn add(message: &mut [u8], word: usize, by: i32) {
    if let Some(word) = message.get_mut(word * 4..).and_then(|rest| rest.first_chunk_mut::<4>()) {
        *word = u32::from_le_bytes(*word).wrapping_add_signed(by).to_le_bytes();
    }
}

fn apply(message: &mut [u8], harm: &Harm) {
    // Behind the header, mostly.
    let words = message.len() / 4;
    match harm {
        Harm::Byte(place, byte) => {
            let place = place.index(message.len());
            message[place] = *byte;
        }
        Harm::Border(place, by) => {
            // One text's length, and the next slot's start and length.
            let word = place.index(words);
            add(message, word, *by);
            add(message, word + 1, *by);
            add(message, word + 2, -*by);
        }
        Harm::Word(place, by) => add(message, place.index(words), *by),
    }
}

/// `validate` and `decode` say the same.
fn agree<T: zap_core::DecodeOwned + std::fmt::Debug>(bytes: &[u8]) -> Result<(), TestCaseError> {
    let validated = T::validate(bytes, &Limits::new()).map(drop);
    let decoded = T::decode(bytes).map(drop);
    prop_assert_eq!(validated, decoded, "{:02x?}", bytes);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 4096 }))]

    #[test]
    fn of_tables(value in table(), harm in harm()) {
        let mut bytes = value.to_vec().unwrap();
        prop_assert!(Table::validate(&bytes, &Limits::new()).is_ok());
        for harm in &harm {
            apply(&mut bytes, harm);
        }
        agree::<Table>(&bytes)?;
    }

    #[test]
    fn of_texts_between_bytes(value in blobs(), harm in harm()) {
        let mut bytes = value.to_vec().unwrap();
        prop_assert!(Blobs::validate(&bytes, &Limits::new()).is_ok());
        for harm in &harm {
            apply(&mut bytes, harm);
        }
        agree::<Blobs>(&bytes)?;
    }
}

/// Two texts are UTF-8 together, but each holds a half of the one character.
#[test]
fn a_border_within_a_character() {
    let words = |words: [&str; 2]| Row {
        id: 0,
        name: String::new(),
        note: None,
        flags: Vec::new(),
        words: words.map(str::to_owned).to_vec(),
    };
    let mut bytes = Table { title: String::new(), rows: vec![words(["aé", "b"])] }.to_vec().unwrap();
    // The slots of both words: right behind the row.
    let slots = bytes.len() - 4 - 16;
    assert_eq!(bytes[slots + 4], 3);
    bytes[slots + 4] = 2;
    bytes[slots + 8] -= 1;
    bytes[slots + 12] = 2;
    let error = Table::validate(&bytes, &Limits::new()).unwrap_err();
    assert_eq!((error.kind(), error), (DecodeErrorKind::InvalidUtf8, Table::decode(&bytes).unwrap_err()));
}

/// A run of texts is paid for as its texts are.
#[test]
fn the_budget_of_a_run() {
    let rows = vec![Row { id: 1, name: "é".repeat(50), note: None, flags: vec![true; 9], words: vec![] }; 7];
    let bytes = Table { title: "title".to_owned(), rows }.to_vec().unwrap();
    for factor in 0..3 {
        for extra in 0..600 {
            let limits = Limits::new().budget(factor, extra);
            let validated = Table::validate(&bytes, &limits).map(drop);
            assert_eq!(validated, Table::decode_with(&bytes, &limits).map(drop));
        }
    }
}
