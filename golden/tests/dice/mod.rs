//! Values of a shape, drawn from bytes.

use serde_json::{Map, Value, json};

/// Draws choices from bytes; when they are used up every choice is 0, which always ends a shape.
pub(crate) struct Dice<'b>(pub(crate) &'b [u8]);

impl Dice<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    pub(crate) fn below(&mut self, n: u8) -> u8 {
        self.byte() % n
    }

    pub(crate) fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.byte()).collect()
    }

    pub(crate) fn number(&mut self) -> u128 {
        self.bytes(16).iter().fold(0, |n, byte| n << 8 | u128::from(*byte))
    }
}

pub(crate) fn record(dice: &mut Dice<'_>, shape: &Value) -> Value {
    let fields = shape.get("fields").unwrap_or(shape).as_array().unwrap().iter();
    fields.map(|f| (f["name"].as_str().unwrap().to_owned(), value(dice, &f["type"]))).collect::<Map<_, _>>().into()
}

fn value(dice: &mut Dice<'_>, ty: &Value) -> Value {
    let hex = |bytes: &[u8]| json!(bytes.iter().map(|b| format!("{b:02x}")).collect::<String>());
    if let Some(name) = ty.as_str() {
        return match name {
            "bool" => json!(dice.below(2) == 1),
            "u8" => json!((dice.number() as u8).to_string()),
            "u16" => json!((dice.number() as u16).to_string()),
            "u32" => json!((dice.number() as u32).to_string()),
            "u64" => json!((dice.number() as u64).to_string()),
            "u128" => json!(dice.number().to_string()),
            "i8" => json!((dice.number() as i8).to_string()),
            "i16" => json!((dice.number() as i16).to_string()),
            "i32" => json!((dice.number() as i32).to_string()),
            "i64" => json!((dice.number() as i64).to_string()),
            "i128" => json!((dice.number() as i128).to_string()),
            "f32" => json!({ "bits": hex(&dice.bytes(4)) }),
            "f64" => json!({ "bits": hex(&dice.bytes(8)) }),
            "char" => json!(["\0", "a", "é", "\u{10ffff}"][usize::from(dice.below(4))]),
            "text" => json!(["", "a", "zwei", "drei ö", "\u{10ffff}\0"][usize::from(dice.below(5))]),
            "bytes" => {
                let n = dice.below(5);
                hex(&dice.bytes(n.into()))
            }
            "duration" => {
                json!([(dice.number() as u64).to_string(), (dice.number() as u32 % 1_000_000_000).to_string()])
            }
            "system_time" => {
                let seconds = dice.number() as i64 / 2;
                json!([seconds.to_string(), (dice.number() as u32 % 1_000_000_000).to_string()])
            }
            "ipv4" => json!(["0.0.0.0", "192.0.2.1", "255.255.255.255"][usize::from(dice.below(3))]),
            "ipv6" => json!(["::", "2001:db8::1", "::ffff:192.0.2.1"][usize::from(dice.below(3))]),
            "ip" => json!(["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"][usize::from(dice.below(4))]),
            "socket_addr" => json!(["0.0.0.0:0", "192.0.2.1:65535", "[2001:db8::1]:258"][usize::from(dice.below(3))]),
            "uuid" => hex(&dice.bytes(16)),
            "decimal" => {
                let mut bytes = dice.bytes(16);
                bytes[..2].fill(0);
                bytes[2] %= 29;
                bytes[3] &= 0x80;
                hex(&bytes)
            }
            "nothing" => Value::Null,
            _ => panic!("{name}"),
        };
    }
    let (kind, inner) = ty.as_object().unwrap().iter().next().unwrap();
    match kind.as_str() {
        "bytes_fixed" => hex(&dice.bytes(inner.as_u64().unwrap() as usize)),
        "array" => (0..inner[1].as_u64().unwrap()).map(|_| value(dice, &inner[0])).collect(),
        "struct" => record(dice, inner),
        // The entries of the generator's lists of text are given as hex.
        "list" if *inner == "text" && dice.below(2) == 0 => json!([]),
        "list" => (0..dice.below(4)).map(|_| value(dice, inner)).collect(),
        "opt" if dice.below(3) == 0 => Value::Null,
        "opt" | "box" => value(dice, inner),
        "enum" => {
            let variants = inner["variants"].as_array().unwrap();
            variants[usize::from(dice.below(variants.len() as u8))][0].clone()
        }
        "union" => {
            let variant = &inner[usize::from(dice.below(inner.as_array().unwrap().len() as u8))];
            json!({ variant["name"].as_str().unwrap(): variant.get("fields").map_or(json!({}), |f| record(dice, f)) })
        }
        "nonzero" => {
            let one = json!("1");
            Some(value(dice, inner)).filter(|number| *number != "0").unwrap_or(one)
        }
        "map" => {
            let keys = keys(&inner[0]).into_iter().filter(|_| dice.below(2) == 1).collect::<Vec<_>>();
            keys.into_iter().map(|key| json!([key, value(dice, &inner[1])])).collect()
        }
        "set" => keys(inner).into_iter().filter(|_| dice.below(2) == 1).collect(),
        _ => panic!("{kind}"),
    }
}

/// A few keys of a type, ascending, some of them negative where the type has a sign.
fn keys(ty: &Value) -> Vec<Value> {
    let kind = ty.as_str().or_else(|| ty.as_object().and_then(|ty| ty.keys().next().map(String::as_str))).unwrap();
    let keys = match kind {
        "bool" => json!([false, true]),
        "u8" => json!(["0", "1", "200"]),
        "u64" => json!(["0", "255", "256", "18446744073709551615"]),
        "i16" | "i32" => json!(["-301", "-1", "0", "299"]),
        "char" | "text" => json!(["\0", "B", "a", "é"]),
        "bytes" => json!(["", "00", "7f80", "80", "ff"]),
        "bytes_fixed" => json!(["0001", "0100", "ff00"]),
        "nonzero" => json!(["-300", "-1", "1", "256"]),
        "ip" => json!(["0.0.0.0", "192.0.2.1", "::", "2001:db8::1"]),
        "duration" => json!([["0", "0"], ["0", "256"], ["1", "1"], ["256", "0"]]),
        "uuid" => json!(["00".repeat(16), "01".repeat(16), "ff".repeat(16)]),
        "array" => json!([["0", "256"], ["1", "0"], ["256", "0"]]),
        "struct" => match ty["struct"][0]["name"].as_str().unwrap() {
            "k" => json!([{ "k": "-301" }, { "k": "-1" }, { "k": "299" }]),
            _ => json!([{ "0": "0", "1": "z" }, { "0": "1", "1": "" }, { "0": "1", "1": "a" }]),
        },
        _ => panic!("no keys of {ty}"),
    };
    keys.as_array().unwrap().clone()
}

pub(crate) fn text_entries_to_hex(shape: &Value, record: &mut Value) {
    for field in shape.as_array().unwrap() {
        let item = &mut record[field["name"].as_str().unwrap()];
        match &field["type"] {
            ty if ty["list"] == "text" => {
                for entry in item.as_array_mut().unwrap() {
                    *entry = json!(entry.as_str().unwrap().bytes().map(|b| format!("{b:02x}")).collect::<String>());
                }
            }
            ty if ty["struct"].is_array() => text_entries_to_hex(&ty["struct"], item),
            ty if ty["list"]["struct"].is_array() => {
                item.as_array_mut().unwrap().iter_mut().for_each(|e| text_entries_to_hex(&ty["list"]["struct"], e));
            }
            _ => {}
        }
    }
}
