//! Holes that were found once, each a test with the hole's name.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use zap_core::{DecodeErrorKind as Kind, Limits, OwnedView, RecordView, Zap, annotate, json};

const SECTION: usize = 16;

/// A message of `size` bytes with these slots `(offset, target, length)` in its root section.
fn message(size: usize, slots: impl IntoIterator<Item = (usize, usize, u32)>) -> Vec<u8> {
    let mut bytes = vec![b'x'; size];
    bytes[..SECTION].copy_from_slice(&[0x5a, 0x41, 0x50, 0, 1, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0]);
    bytes[12..16].copy_from_slice(&(size as u32).to_le_bytes());
    for (offset, target, len) in slots {
        let slot = SECTION + offset;
        bytes[slot..slot + 4].copy_from_slice(&((target - slot) as u32).to_le_bytes());
        bytes[slot + 4..slot + 8].copy_from_slice(&len.to_le_bytes());
    }
    bytes
}

#[derive(Zap, Debug)]
struct Twelve {
    texts: Four,
    more: Four,
    most: Four,
}

#[derive(Zap, Debug)]
struct Four {
    a: String,
    b: String,
    c: String,
    d: String,
}

#[test]
fn texts_of_a_flat_record_share_bytes_without_a_budget() {
    let end = SECTION + 12 * 8;
    let bytes = message(end + 100_000, (0..12).map(|index| (index * 8, end, 100_000)));
    assert_eq!(Twelve::decode(&bytes).unwrap_err().kind(), Kind::BudgetExceeded);
    assert_eq!(Twelve::validate(&bytes, &Limits::new()).unwrap_err().kind(), Kind::BudgetExceeded);
    let generous = Limits::new().budget(12, 0);
    assert!(Twelve::decode_with(&bytes, &generous).is_ok());

    // Few texts are within the default budget whatever they share; a smaller budget is kept, too.
    let end = SECTION + 4 * 8;
    let bytes = message(end + 1000, (0..4).map(|index| (index * 8, end, 1000)));
    assert!(Four::decode(&bytes).is_ok());
    assert_eq!(Four::decode_with(&bytes, &Limits::new().budget(1, 0)).unwrap_err().kind(), Kind::BudgetExceeded);
}

macro_rules! levels {
    ($leaf:ident $(, $name:ident of $inner:ident)*) => {
        #[derive(Zap, Debug)]
        #[zap(dialect = "zip")]
        struct $leaf { v: u64 }
        $(
            #[derive(Zap, Debug)]
            #[zap(dialect = "zip")]
            struct $name {
                a: Option<$inner>, b: Option<$inner>, c: Option<$inner>, d: Option<$inner>,
                e: Option<$inner>, f: Option<$inner>, g: Option<$inner>, h: Option<$inner>,
            }
        )*
    };
}

levels!(L0, L1 of L0, L2 of L1, L3 of L2, L4 of L3, L5 of L4, L6 of L5, L7 of L6, L8 of L7);

#[test]
fn absence_of_optionals_multiplies_over_shared_messages() {
    // Each level's eight slots lead to the one message of the next level, and the leaf is zero.
    let mut bytes = L0 { v: 0 }.to_vec().unwrap();
    for _ in 0..8 {
        let inner = bytes;
        let end = SECTION + 64;
        bytes = message(end + inner.len(), (0..8).map(|index| (index * 8, end, inner.len() as u32)));
        bytes[end..].copy_from_slice(&inner);
    }
    assert!(bytes.len() < 1000);
    // 8^8 visits would take minutes.
    let error = L8::validate(&bytes, &Limits::new()).unwrap_err();
    assert_eq!(error.kind(), Kind::BudgetExceeded);
    assert!(L8::view(&bytes).unwrap().a().is_some(), "too much to tell that it is all zero");
}

macro_rules! pointed {
    ($leaf:ident $(, $name:ident of $inner:ident)*) => {
        #[derive(Zap, Debug)]
        #[zap(dialect = "zapgen")]
        struct $leaf { v: u8 }
        $(
            #[derive(Zap, Debug)]
            #[zap(dialect = "zapgen")]
            struct $name { a: $inner, b: $inner, c: $inner, d: $inner, e: $inner, f: $inner, g: $inner, h: $inner }
        )*
    };
}

pointed!(G0, G1 of G0, G2 of G1, G3 of G2, G4 of G3, G5 of G4, G6 of G5);

#[test]
fn debug_text_multiplies_over_shared_records() {
    // One section of eight 4-byte pointers per level, all to the next level's section; then one byte.
    let mut bytes = message(SECTION + 6 * 32 + 1, []);
    for level in 0..6 {
        for index in 0..8 {
            let slot = SECTION + level * 32 + index * 4;
            let rel = (SECTION + (level + 1) * 32 - slot) as u32;
            bytes[slot..slot + 4].copy_from_slice(&rel.to_le_bytes());
        }
    }
    let view = G6::view(&bytes).unwrap();
    let text = format!("{view:?}");
    assert!(text.len() < 16 << 10, "{} bytes of text for a message of {}", text.len(), bytes.len());
    assert!(format!("{view:#?}").len() < 64 << 10);
}

#[test]
fn debug_text_is_as_long_as_the_texts() {
    let long = "\u{1}".repeat(1 << 20);
    let four = Four { a: long.clone(), b: long.clone(), c: long.clone(), d: long };
    let bytes = four.to_vec().unwrap();
    assert!(format!("{:?}", Four::view(&bytes).unwrap()).len() < 8 << 10);
}

#[derive(Zap, Debug)]
struct Wide {
    v: Vec<[u8; 1 << 30]>,
}

#[test]
fn count_times_stride_wraps_to_nothing() {
    let bytes = message(SECTION + 16, [(0, SECTION + 8, 1 << 31)]);
    assert_eq!(Wide::validate(&bytes, &Limits::new()).unwrap_err().kind(), Kind::PointerOutOfBounds);
}

#[derive(Zap, Debug)]
#[zap(transparent)]
struct Texts([String; 12]);

#[test]
fn texts_of_a_transparent_root_share_bytes_without_a_budget() {
    let end = SECTION + 12 * 8;
    let bytes = message(end + 100_000, (0..12).map(|index| (index * 8, end, 100_000)));
    assert_eq!(Texts::decode(&bytes).unwrap_err().kind(), Kind::BudgetExceeded);
    assert_eq!(Texts::view(&bytes).unwrap().to_record().unwrap_err().kind(), Kind::BudgetExceeded);
    let owned = OwnedView::<Texts>::new(bytes).unwrap();
    assert_eq!(owned.to_record().unwrap_err().kind(), Kind::BudgetExceeded);
}

#[derive(Zap, Debug)]
struct Maps {
    maps: Vec<BTreeMap<String, u8>>,
}

#[test]
#[cfg_attr(miri, ignore = "about time, of which Miri takes a thousand times as much")]
fn tables_compare_long_keys_that_share_bytes() {
    // 1000 times the one map of 200 keys, each about all of the rest of the message.
    let (maps, keys, stride) = (1000, 200, 12);
    let body = 8 + maps * 8;
    let texts = SECTION + body + keys * stride;
    let size = texts + (1 << 20);
    let slots = (0..maps).map(|index| (8 + index * 8, SECTION + body, keys as u32));
    let key = |index| (body + index * stride, texts, ((1 << 20) - keys + index) as u32);
    let bytes = message(size, [(0, SECTION + 8, maps as u32)].into_iter().chain(slots).chain((0..keys).map(key)));
    // 1000 x 200 comparisons of 1 MiB would take minutes.
    let text = annotate(&bytes, Maps::LAYOUT).to_string();
    assert!(text.contains(&Kind::BudgetExceeded.to_string()), "the comparisons are not paid for");
}

#[derive(Zap, Debug)]
struct Endless(Box<Endless>);

#[derive(Zap, Debug)]
struct MayBeEndless {
    endless: Option<Endless>,
}

#[test]
fn json_of_a_type_without_values_overflows_the_stack() {
    assert!(json::from_str::<MayBeEndless>("{}").is_ok());
    assert!(json::from_str::<MayBeEndless>(r#"{"endless":1}"#).is_err());
}

#[derive(Zap, Debug, PartialEq, Default)]
struct Chain {
    boxed: Option<Box<Chain>>,
    list: Option<Vec<Chain>>,
}

#[derive(Zap, Debug, PartialEq, Default)]
#[zap(growable)]
struct GrowingChain {
    next: Option<Box<GrowingChain>>,
}

#[test]
fn json_reads_half_the_levels_that_it_writes() {
    let mut chain = Chain::default();
    let mut growing = GrowingChain::default();
    for level in 0..64 {
        chain = match level % 2 {
            0 => Chain { boxed: Some(Box::new(chain)), list: None },
            _ => Chain { boxed: None, list: Some(vec![chain]) },
        };
        growing = GrowingChain { next: Some(Box::new(growing)) };
    }
    let (bytes, grown) = (chain.to_vec().unwrap(), growing.to_vec().unwrap());
    let text = json::message_to_string(&bytes, Chain::LAYOUT).unwrap();
    assert_eq!(json::message_from_str(&text, Chain::LAYOUT).unwrap(), bytes);
    let text = json::message_to_string(&grown, GrowingChain::LAYOUT).unwrap();
    assert_eq!(json::message_from_str(&text, GrowingChain::LAYOUT).unwrap(), grown);
    // And no more than those.
    let deeper = text.replacen("null", r#"{"next":null}"#, 1);
    assert!(json::message_from_str(&deeper, GrowingChain::LAYOUT).is_err());
}
