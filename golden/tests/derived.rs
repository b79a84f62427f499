//! Derived structs against the vectors and the oracle.

mod dice;

use std::collections::BTreeSet;
use std::path::Path;

use dice::{Dice, record, text_entries_to_hex};
use golden::derived::{self, Derived, Outcome};
use golden::oracle::{self, Dialect};
use proptest::prelude::*;
use serde_json::{Value, json};

const FILES: [(&str, &str); 5] = [
    ("vectors", "record_eth.json"),
    ("vectors", "zapenc.json"),
    ("vectors", "zapgen.json"),
    ("vectors-native", "native.json"),
    ("vectors-native", "native_decode.json"),
];

fn cases(folder: &str, file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn name(case: &Value) -> &str {
    case["name"].as_str().unwrap()
}

#[test]
fn every_case_has_a_struct() {
    let mut without = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (folder, file) in FILES {
        for case in cases(folder, file) {
            match derived::replay(file, &case).unwrap() {
                Ok(Outcome::Agrees(record)) => _ = used.insert(record),
                Ok(Outcome::NoStruct) => _ = without.insert(name(&case).to_owned()),
                Err(error) => panic!("{file}: {}: {error}", name(&case)),
            }
        }
    }
    assert_eq!(without, BTreeSet::new());
    // Structs that no case uses are only nested in others.
    let idle: Vec<_> = derived::all().map(|derived| derived.layout.name).filter(|name| !used.contains(name)).collect();
    assert_eq!(
        idle,
        [
            "EthRequest",
            "PairOfWidths",
            "Short",
            "Wide",
            "Odd",
            "Named",
            "Padded",
            "WithList",
            "Row",
            "Bytes3",
            "WideX",
            "ByteX",
            "BoxedText"
        ]
    );
}

/// The peer reads absence as zero; derived structs refuse it.
#[test]
fn absence_is_refused() {
    for wanted in ["decode_empty_input_is_absent", "decode_short_object_reads_zero"] {
        let case = cases("vectors", "zapenc.json").into_iter().find(|case| name(case) == wanted).unwrap();
        assert!(matches!(derived::replay("zapenc.json", &case), Some(Ok(Outcome::Agrees(_)))));
        let bytes = golden::hex::decode(case["hex"].as_str().unwrap()).unwrap();
        let record = if wanted.contains("empty") { "ZipPoint" } else { "ZipScalars" };
        let derived = derived::all().find(|derived| derived.layout.name == record).unwrap();
        assert!((derived.decode)(&bytes).is_err() && (derived.view)(&bytes).is_err());
        assert!((derived.validate)(&bytes).is_err());
    }
}

/// Not one digit of an expected message may be free for the derived structs either.
#[test]
fn every_digit_counts() {
    for (folder, file) in [("vectors", "zapenc.json"), ("vectors", "zapgen.json"), ("vectors-native", "native.json")] {
        for mut case in cases(folder, file) {
            let key = if case.get("safe_hex").is_some() { "safe_hex" } else { "hex" };
            if case.get("inputs").is_none() || derived::replay(file, &case).unwrap() == Ok(Outcome::NoStruct) {
                continue;
            }
            let good = case[key].as_str().unwrap().to_owned();
            for at in 0..good.len() {
                let digit = if &good[at..=at] == "0" { "1" } else { "0" };
                case[key] = json!(format!("{}{digit}{}", &good[..at], &good[at + 1..]));
                assert!(derived::replay(file, &case).unwrap().is_err(), "{file}: {}: digit {at}", name(&case));
            }
        }
    }
}

/// The struct and the oracle write the same bytes and read the same value.
fn agrees_with_the_oracle(derived: &Derived, draw: &[u8]) -> Result<(), TestCaseError> {
    let (dialect, shape) = (derived.dialect(), derived.oracle_shape());
    let record_name = derived.layout.name;
    let value = record(&mut Dice(draw), &shape["fields"]);
    // The generator's lists of scalars and text are given to the oracle as the bytes of their entries.
    let mut given = value.clone();
    if dialect == Dialect::Zapgen {
        text_entries_to_hex(&shape["fields"], &mut given);
        if record_name == "Bag" {
            let hex = |n: &Value| n.as_str().unwrap().parse::<u64>().unwrap().to_le_bytes();
            given["Items"] =
                value["Items"].as_array().unwrap().iter().map(|n| json!(golden::hex::encode(&hex(n)))).collect();
        }
    }
    let version = derived.layout.version;
    let expected = oracle::encode_with(dialect, &shape, &given, version, 0).map_err(TestCaseError::fail)?;
    let bytes = (derived.encode)(&value, 0).map_err(TestCaseError::fail)?;
    prop_assert_eq!(golden::hex::encode(&bytes), golden::hex::encode(&expected), "{}", record_name);
    let mut read = oracle::decode(dialect, &shape, &bytes).map_err(TestCaseError::fail)?;
    if dialect == Dialect::Zapgen {
        // What the oracle reads has the lists of the given value.
        prop_assert_eq!(&read, &given);
        read = value;
    }
    prop_assert_eq!((derived.decode)(&bytes), Ok(read.clone()), "{}", record_name);
    prop_assert_eq!((derived.view)(&bytes), Ok(read), "{}", record_name);
    prop_assert_eq!((derived.validate)(&bytes), Ok(()), "{}", record_name);
    Ok(())
}

/// On damaged bytes too: what the struct accepts is what the oracle reads; natively they accept the same.
fn agrees_on_damage(derived: &Derived, draw: &[u8], at: prop::sample::Index, byte: u8) -> Result<(), TestCaseError> {
    if derived.dialect() == Dialect::Zapgen {
        return Ok(());
    }
    let (dialect, shape) = (derived.dialect(), derived.oracle_shape());
    let value = record(&mut Dice(draw), &shape["fields"]);
    let mut bytes = (derived.encode)(&value, 0).map_err(TestCaseError::fail)?;
    *at.get_mut(&mut bytes) = byte;
    let by_oracle = oracle::decode(dialect, &shape, &bytes);
    let by_derived = (derived.decode)(&bytes);
    // In the zip dialect derived structs are the stricter ones: absence is not zero there, and no slot points into its
    // own section. What they accept is what the oracle reads all the same.
    if dialect == Dialect::Native || by_derived.is_ok() {
        prop_assert_eq!(
            by_derived.as_ref().ok(),
            by_oracle.as_ref().ok(),
            "{} {:?} {:?}",
            derived.layout.name,
            by_derived,
            by_oracle
        );
    }
    prop_assert_eq!((derived.validate)(&bytes).is_ok(), by_derived.is_ok());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derived_structs_agree_with_the_oracle(draw in proptest::collection::vec(any::<u8>(), 0..300)) {
        for derived in derived::all() {
            agrees_with_the_oracle(&derived, &draw)?;
        }
    }

    #[test]
    fn derived_structs_agree_with_the_oracle_on_damage(
        draw in proptest::collection::vec(any::<u8>(), 0..120),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        for derived in derived::all() {
            agrees_on_damage(&derived, &draw, at, byte)?;
        }
    }
}
