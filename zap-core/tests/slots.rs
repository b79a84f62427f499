//! Slots of tails and lists, one kind at a time: the deep check looks where decoding looks.
//!
//! Each test stands for a change of `section.rs` that mutation testing made, and that the larger tests did not notice.

use zap_core::{DecodeErrorKind as Kind, Limits, Zap};

#[derive(Zap, Debug, PartialEq)]
struct Blob<'m> {
    bytes: &'m [u8],
}

#[derive(Zap, Debug, PartialEq)]
struct Numbers {
    all: Vec<u64>,
}

/// A message of one slot, and what follows it.
fn of_slot(rel: u32, len: u32, behind: &[u8]) -> Vec<u8> {
    let mut bytes = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
    bytes.extend((24 + behind.len() as u32).to_le_bytes());
    bytes.extend(rel.to_le_bytes());
    bytes.extend(len.to_le_bytes());
    bytes.extend(behind);
    bytes
}

fn checked<T: zap_core::DecodeOwned>(bytes: &[u8], limits: &Limits) -> [Option<Kind>; 2] {
    let validated = T::validate(bytes, limits).err().map(|error| error.kind());
    [validated, T::decode_with(bytes, limits).err().map(|error| error.kind())]
}

#[test]
fn bytes_that_lead_nowhere_do_not_validate() {
    let check = |bytes: &[u8]| {
        let validated = Blob::validate(bytes, &Limits::new()).err().map(|error| error.kind());
        assert_eq!(Blob::decode(bytes).err().map(|error| error.kind()), validated);
        validated
    };
    for (rel, len, wanted) in [
        (8, 4, None),
        (0, 0, None),
        (4, 0, None),
        (8, 5, Some(Kind::PointerOutOfBounds)),
        (13, 0, Some(Kind::PointerOutOfBounds)),
        (u32::MAX, u32::MAX, Some(Kind::PointerOutOfBounds)),
        (7, 1, Some(Kind::PointerIntoSection)),
        (7, 0, Some(Kind::PointerIntoSection)),
    ] {
        assert_eq!(check(&of_slot(rel, len, b"four")), wanted, "rel {rel}, len {len}");
    }
}

/// A list of numbers is a level like any other, although nothing lies below it.
#[test]
fn a_list_of_numbers_is_a_level() {
    let bytes = Numbers { all: vec![1, 2] }.to_vec().unwrap();
    assert_eq!(checked::<Numbers>(&bytes, &Limits::new().max_depth(1)), [None; 2]);
    assert_eq!(checked::<Numbers>(&bytes, &Limits::new().max_depth(0)), [Some(Kind::DepthExceeded); 2]);
    // Two limits are reached: the one does not hide the other.
    let neither = Limits::new().max_depth(0).budget(0, 0);
    assert!(Numbers::validate(&bytes, &neither).is_err());
    let empty = Numbers { all: vec![] }.to_vec().unwrap();
    assert_eq!(checked::<Numbers>(&empty, &Limits::new().max_depth(0)), [None; 2]);
}

/// Two things are wrong with it: the one does not hide the other.
#[test]
fn an_empty_list_that_leads_nowhere_does_not_validate() {
    for (rel, wanted) in [
        (8, None),
        (-17, Some(Kind::PointerOutOfBounds)),
        (400, Some(Kind::PointerOutOfBounds)),
        (7, Some(Kind::PointerIntoSection)),
        (-8, Some(Kind::PointerOutOfBounds)),
    ] {
        let bytes = of_slot(i32::cast_unsigned(rel), 0, &[0; 8]);
        assert_eq!(checked::<Numbers>(&bytes, &Limits::new()), [wanted; 2], "rel {rel}");
    }
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
#[zap(dialect = "zip")]
struct Name {
    text: String,
    raw: Vec<u8>,
    numbers: Vec<u32>,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zip")]
struct Named {
    name: Option<Name>,
}

/// In the zip dialect a record of which nothing is set is absent; one with anything in it is there.
#[test]
fn a_slot_with_anything_in_it_is_not_zero() {
    let again = |name: Name| Named::decode(&Named { name: Some(name) }.to_vec().unwrap()).unwrap().name;
    assert_eq!(again(Name::default()), None);
    for name in [
        Name { text: "x".into(), ..Name::default() },
        Name { raw: vec![0], ..Name::default() },
        Name { numbers: vec![0], ..Name::default() },
    ] {
        assert_eq!(again(name.clone()), Some(name));
    }
}
