//! Every core vector cut short at every byte and with every byte changed: the untyped layer answers, and never panics.

use golden::{hex, reads::check_reads};
use serde_json::Value;
use zap_core::{Limits, Message, Prefix};

/// The cases of both core files, with the bytes of their messages.
fn messages() -> impl Iterator<Item = (Value, Vec<u8>)> {
    ["core_build.json", "core_parse.json", "zapgen.json"].into_iter().flat_map(|file| {
        let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        cases.into_iter().filter(|case| case.get("reads").is_some()).map(|case| {
            let bytes = hex::decode(case["hex"].as_str().unwrap()).unwrap();
            (case, bytes)
        })
    })
}

/// Parsing, splitting and every read of the case; that they return is the test.
fn answers(case: &Value, bytes: &[u8]) {
    let parsed = Message::parse(bytes);
    let limits = Limits::new().max_message_len(u32::MAX);
    match Message::split_first(bytes, &limits) {
        Ok(Prefix::Complete { value, rest }) => {
            assert_eq!(parsed, Ok(value));
            assert_eq!([value.as_bytes(), rest].concat(), bytes);
        }
        Ok(Prefix::Incomplete { needed }) => {
            assert!(needed > 0 && parsed.is_err());
        }
        Err(_) => assert!(parsed.is_err()),
    }
    let _ = check_reads(bytes, case);
}

#[test]
fn truncated_at_every_byte() {
    for (case, bytes) in messages() {
        for len in 0..bytes.len() {
            answers(&case, &bytes[..len]);
            // And again as a message that says it is that short.
            if let Ok(size) = u32::try_from(len).map(u32::to_le_bytes)
                && len >= 16
            {
                let mut short = bytes[..len].to_vec();
                short[12..16].copy_from_slice(&size);
                answers(&case, &short);
            }
        }
    }
}

#[test]
fn every_byte_changed() {
    let changes: [fn(u8) -> u8; 6] = [|b| b ^ 1, |b| b ^ 0x80, |b| !b, |_| 0, |_| 0xff, |b| b.wrapping_add(8)];
    for (case, mut bytes) in messages() {
        for at in 0..bytes.len() {
            let good = bytes[at];
            for change in changes {
                bytes[at] = change(good);
                answers(&case, &bytes);
            }
            bytes[at] = good;
        }
    }
}
