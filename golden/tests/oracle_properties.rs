//! The oracle on shapes and values drawn at random: what it writes it reads back, and no damage makes it panic.

mod dice;

use dice::{Dice, record, text_entries_to_hex};
use golden::oracle::{Dialect, decode, encode};
use proptest::prelude::*;
use serde_json::{Value, json};

const SCALARS: [&str; 11] = ["bool", "u8", "i8", "u16", "i16", "u32", "i32", "f32", "u64", "i64", "f64"];

/// `opts` lets optionals in.
#[derive(Clone, Copy, Debug)]
struct World {
    dialect: Dialect,
    opts: bool,
}

impl World {
    fn fields(self, dice: &mut Dice<'_>, depth: u8, at_least: u8) -> Value {
        let count = at_least + dice.below(5);
        (0..count).map(|i| json!({ "name": format!("f{i}"), "type": self.ty(dice, depth) })).collect()
    }

    fn ty(self, dice: &mut Dice<'_>, depth: u8) -> Value {
        let scalar = |dice: &mut Dice<'_>| json!(SCALARS[usize::from(dice.below(11))]);
        let leaf = |dice: &mut Dice<'_>| match dice.below(4) {
            0 => json!("text"),
            1 => json!("bytes"),
            _ => scalar(dice),
        };
        if depth == 0 {
            return leaf(dice);
        }
        match (self.dialect, dice.below(8)) {
            (_, 0 | 1) => leaf(dice),
            (Dialect::Zip, 2 | 3) => json!({ "struct": self.fields(dice, depth - 1, 0) }),
            (Dialect::Zip, 4) if self.opts => json!({ "list": { "opt": self.zip_element(dice, depth) } }),
            (Dialect::Zip, 4 | 5) => json!({ "list": self.zip_element(dice, depth) }),
            (Dialect::Zip, _) if self.opts => json!({ "opt": self.zip_element(dice, depth) }),
            (Dialect::Zip, _) => scalar(dice),
            (Dialect::Zapgen, 2) => json!({ "bytes_fixed": 1 + dice.below(8) }),
            (Dialect::Zapgen, 3 | 4) => json!({ "struct": self.fields(dice, depth - 1, 1) }),
            (Dialect::Zapgen, 5) => json!({ "list": { "struct": self.fields(dice, depth - 1, 0) } }),
            (Dialect::Zapgen, 6) => json!({ "list": "text" }),
            (Dialect::Zapgen, _) => scalar(dice),
            (Dialect::Native, 2) => match dice.below(5) {
                0 => json!("char"),
                1 => json!("u128"),
                2 => json!("i128"),
                3 => json!({ "bytes_fixed": dice.below(9) }),
                _ => json!({ "enum": { "repr": "u16", "variants": [["A", "1"], ["B", "513"]] } }),
            },
            (Dialect::Native, 3) => json!({ "array": [self.ty(dice, depth - 1), dice.below(4)] }),
            (Dialect::Native, 4) => json!({ "struct": self.fields(dice, depth - 1, 0) }),
            (Dialect::Native, 5) => json!({ "list": self.native_element(dice, depth - 1) }),
            (Dialect::Native, 6) => json!({ "opt": match dice.below(6) {
                0 => json!("char"),
                1 => json!({ "opt": scalar(dice) }),
                2 => json!({ "list": self.native_element(dice, depth - 1) }),
                3 => json!({ "struct": self.fields(dice, depth - 1, 0) }),
                4 => json!({ "array": [scalar(dice), dice.below(4)] }),
                _ => leaf(dice),
            }}),
            (Dialect::Native, _) => match dice.below(6) {
                0 => json!({ "box": self.ty(dice, depth - 1) }),
                1 => json!({ "struct": { "fields": self.fields(dice, depth - 1, 0), "growable": true } }),
                2 => json!({ "map": ["text", self.ty(dice, depth - 1)] }),
                3 => json!({ "map": [{ "struct": [{ "name": "k", "type": "i16" }] }, self.ty(dice, depth - 1)] }),
                4 => json!({ "set": "u64" }),
                _ => json!({ "union": [
                    { "name": "U" },
                    { "name": "V", "tag": 7, "fields": self.fields(dice, depth - 1, 1) },
                    { "name": "W", "fields": self.fields(dice, depth - 1, 1) },
                ]}),
            },
        }
    }

    fn zip_element(self, dice: &mut Dice<'_>, depth: u8) -> Value {
        match dice.below(3) {
            0 => json!({ "struct": self.fields(dice, depth - 1, 0) }),
            _ => self.ty(dice, 0),
        }
    }

    /// An element has a width: a record gets at least one field, which may not itself be empty.
    fn native_element(self, dice: &mut Dice<'_>, depth: u8) -> Value {
        let mut fields = self.fields(dice, depth, 0);
        fields.as_array_mut().unwrap().push(json!({ "name": "last", "type": self.ty(dice, 0) }));
        match dice.below(4) {
            0 => json!({ "struct": fields }),
            1 => json!({ "list": self.ty(dice, 0) }),
            _ => self.ty(dice, 0),
        }
    }
}

/// In the zapgen dialect the elements of a list of text are hex.
fn drawn(world: World, draw: &[u8]) -> (Value, Value) {
    let mut dice = Dice(draw);
    let shape = world.fields(&mut dice, 3, 0);
    let mut value = record(&mut dice, &shape);
    if world.dialect == Dialect::Zapgen {
        text_entries_to_hex(&shape, &mut value);
    }
    (shape, value)
}

fn worlds() -> impl Strategy<Value = World> {
    let world = |dialect, opts| World { dialect, opts };
    prop_oneof![
        Just(world(Dialect::Native, true)),
        Just(world(Dialect::Native, true)),
        Just(world(Dialect::Zapgen, true)),
        Just(world(Dialect::Zip, false)),
        Just(world(Dialect::Zip, true)),
    ]
}

fn draws() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..400)
}

/// What is read once must survive being written again.
fn survives(dialect: Dialect, shape: &Value, bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(value) = decode(dialect, shape, bytes) {
        let again = encode(dialect, shape, &value).and_then(|bytes| decode(dialect, shape, &bytes));
        prop_assert_eq!(again, Ok(value));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A zip optional that holds zero reads back as absent: then only the second round must be exact.
    #[test]
    fn what_is_written_reads_back(world in worlds(), draw in draws()) {
        let (shape, value) = drawn(world, &draw);
        let bytes = encode(world.dialect, &shape, &value).map_err(TestCaseError::fail)?;
        let read = decode(world.dialect, &shape, &bytes).map_err(TestCaseError::fail)?;
        if world.dialect == Dialect::Zip && world.opts {
            survives(world.dialect, &shape, &bytes)?;
        } else {
            prop_assert_eq!(read, value);
        }
    }

    #[test]
    fn damage_never_panics(
        world in worlds(),
        draw in draws(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        extra in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let (shape, value) = drawn(world, &draw);
        let bytes = encode(world.dialect, &shape, &value).map_err(TestCaseError::fail)?;
        let _ = decode(world.dialect, &shape, &bytes[..cut.index(bytes.len() + 1)]);
        let mut damaged = bytes.clone();
        for (at, byte) in damage {
            // Small values make pointers that lead somewhere.
            *at.get_mut(&mut damaged) = if byte < 128 { byte / 4 } else { byte };
        }
        survives(world.dialect, &shape, &damaged)?;
        // The same with a good header, so that the damage behind it is reached.
        damaged[..16].copy_from_slice(&bytes[..16]);
        damaged.extend(extra);
        let size = damaged.len() as u32;
        damaged[12..16].copy_from_slice(&size.to_le_bytes());
        survives(world.dialect, &shape, &damaged)?;
    }

    #[test]
    fn random_bytes_never_panic(world in worlds(), draw in draws(), bytes in draws()) {
        let (shape, _) = drawn(world, &draw);
        let _ = decode(world.dialect, &shape, &bytes);
        let mut message = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
        message.extend((bytes.len() as u32 + 16).to_le_bytes());
        message.extend(bytes.iter().map(|byte| byte / 8));
        survives(world.dialect, &shape, &message)?;
    }
}

/// A hundred slots that all point at the first of them stand for 10^8 values: an error, and soon.
#[test]
fn overlapping_lists_are_bounded() {
    let list = |ty: Value| json!({ "list": ty });
    let shape = json!([{ "name": "a", "type": list(list(list(list(json!("u16"))))) }]);
    let mut message = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
    message.extend((24u32 + 800).to_le_bytes());
    message.extend([8, 0, 0, 0, 100, 0, 0, 0]);
    for i in 0..100 {
        // The first may not point at itself; its elements then lead to the second.
        let rel = if i == 0 { 8 } else { -8 * i };
        message.extend(i32::to_le_bytes(rel));
        message.extend(99u32.to_le_bytes());
    }
    let error = decode(Dialect::Native, &shape, &message).unwrap_err();
    assert!(error.contains("more values than the message can hold"), "{error}");
}
