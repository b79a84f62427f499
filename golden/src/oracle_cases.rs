//! One case of `record_eth.json`, `zapenc.json`, `zapgen.json`, `native.json` (both directions) or `native_decode.json`, through the
//! oracle.

use crate::go_json::{Integers, Item, spell};
use crate::oracle::value::{hex, unhex};
use crate::oracle::wire::Message;
use crate::oracle::{self, Dialect, shape::Shape, zapgen};
use crate::reads::check_reads;
use serde_json::{Map, Value, json};

/// A record pair: both sides.
pub(crate) fn record_eth(case: &Value) -> Result<(), String> {
    for side in ["request", "response"] {
        record_eth_side(get(case, side)?).map_err(|e| format!("{side}: {e}"))?;
    }
    Ok(())
}

fn record_eth_side(side: &Value) -> Result<(), String> {
    let layout = get(side, "layout")?;
    let inputs = get(side, "inputs")?;
    let mut fields = Vec::new();
    let mut record = Vec::new();
    for field in array(layout, "fields")? {
        let name = text(field, "name")?;
        let ty = match name {
            "id" | "block" | "balance" | "nonce" => "u64",
            "method" => "text",
            "account" | "blockHash" => "bytes",
            _ => return Err(format!("the record has no field {name}")),
        };
        fields.push(json!({ "name": name, "type": ty, "offset": get(field, "offset")? }));
        let item = text(inputs, name)?.to_owned();
        let item = match ty {
            "u64" => Item::Number(item.parse().map_err(|_| format!("not a u64: {item}"))?),
            "text" => Item::Text(item),
            _ => Item::Bytes(item),
        };
        record.push((name.to_owned(), item));
    }
    let shape = json!({ "fields": fields, "size": get(layout, "size")? });
    let bytes = unhex(text(side, "hex")?)?;
    both_ways(Dialect::Native, &shape, inputs, &bytes)?;
    check_reads(&bytes, side)?;
    equal("zap_len", get(side, "zap_len")?, &json!(bytes.len()))?;
    for (key, integers) in [("json", Integers::Numbers), ("json_quantity", Integers::Quantities)] {
        let spelled = spell(&record, integers);
        equal(key, get(side, key)?, &json!(spelled))?;
        let len = format!("{key}_len");
        equal(&len, get(side, &len)?, &json!(spelled.len()))?;
    }
    Ok(())
}

/// A case of the struct encoder.
pub(crate) fn zapenc(case: &Value) -> Result<(), String> {
    let shape = get(case, "shape")?;
    let bytes = unhex(text(case, "hex")?)?;
    match text(case, "op")? {
        "encode" => {
            let inputs = get(case, "inputs")?;
            let decoded = get(case, "decoded")?;
            equal("hex", &json!(hex(&bytes)), &json!(hex(&oracle::encode(Dialect::Zip, shape, inputs)?)))?;
            let read = oracle::decode(Dialect::Zip, shape, &bytes)?;
            equal("decoded", &bits_only(decoded), &read)?;
            equal("round_trips", get(case, "round_trips")?, &json!(bits_only(inputs) == read))
        }
        "decode" => {
            let read = oracle::decode(Dialect::Zip, shape, &bytes);
            let refused = match case.get("safe").and_then(Value::as_str) {
                Some(safe) => safe.starts_with("error"),
                None => get(case, "ok")? == &json!(false),
            };
            match read {
                Err(_) if refused => Ok(()),
                Ok(read) if refused => Err(format!("must be refused, but reads as {read}")),
                read => equal("decoded", &bits_only(get(case, "decoded")?), &read?),
            }
        }
        op => Err(format!("no such op: {op}")),
    }
}

/// A case of the code generator. Where v1.8.1 wrote something else, both forms are checked, and the later one is read.
pub(crate) fn zapgen(case: &Value) -> Result<(), String> {
    let shape = get(case, "shape")?;
    let inputs = get(case, "inputs")?;
    let mut ours = text(case, "hex")?;
    if case.get("safe_hex").is_some() {
        let old = zapgen::encode_v1_8_1(&Shape::parse(shape)?, inputs)?;
        equal("hex", &json!(ours), &json!(hex(&old)))?;
        ours = text(case, "safe_hex")?;
    }
    let bytes = unhex(ours)?;
    both_ways(Dialect::Zapgen, shape, inputs, &bytes)?;
    let message = Message::parse(&bytes)?;
    let parsed = json!({
        "ok": true,
        "version": message.version(),
        "flags": message.flags(),
        "size": message.size(),
        "root_offset": message.root(),
        "root_is_null": message.root() < 16,
    });
    equal("parse", get(case, "parse")?, &parsed)?;
    check_reads(&bytes, case)
}

/// A case of our own dialect: `explain` must account for every byte.
pub(crate) fn native(case: &Value) -> Result<(), String> {
    let shape = get(case, "shape")?;
    let inputs = get(case, "inputs")?;
    let expected = text(case, "hex")?;
    let mut explained = String::new();
    for part in array(case, "explain")? {
        let Some([offset, bytes, Value::String(_)]) = part.as_array().map(Vec::as_slice) else {
            return Err(format!("explain: not an offset, hex and words: {part}"));
        };
        equal("explain", offset, &json!(explained.len() / 2))?;
        explained += bytes.as_str().ok_or_else(|| format!("explain: not hex: {part}"))?;
    }
    equal("explain", &json!(expected), &json!(explained))?;

    let header_word =
        |key, default| case.get(key).map_or(Some(default), |word| word.as_u64().and_then(|w| u16::try_from(w).ok()));
    let version = header_word("version", 1).ok_or("version: not a u16")?;
    let flags = header_word("flags", 0).ok_or("flags: not a u16")?;
    let bytes = oracle::encode_with(Dialect::Native, shape, inputs, version, flags)?;
    equal("hex", &json!(expected), &json!(hex(&bytes)))?;
    equal("decoded", &bits_only(inputs), &oracle::decode(Dialect::Native, shape, &unhex(expected)?)?)
}

/// Bytes that no encoder of our own dialect may have written: read all the same, or refused.
pub(crate) fn native_decode(case: &Value) -> Result<(), String> {
    let read = oracle::decode(Dialect::Native, get(case, "shape")?, &unhex(text(case, "hex")?)?);
    match (case.get("decoded"), case.get("refused"), read) {
        (None, Some(Value::String(_)), Err(_)) => Ok(()),
        (None, Some(Value::String(why)), Ok(read)) => Err(format!("must be refused ({why}), but reads as {read}")),
        (Some(decoded), None, read) => equal("decoded", &bits_only(decoded), &read?),
        _ => Err("neither decoded nor refused is given, or both".into()),
    }
}

/// `inputs` must give `bytes`, and `bytes` the `inputs`.
fn both_ways(dialect: Dialect, shape: &Value, inputs: &Value, bytes: &[u8]) -> Result<(), String> {
    equal("hex", &json!(hex(bytes)), &json!(hex(&oracle::encode(dialect, shape, inputs)?)))?;
    equal("decoded", &bits_only(inputs), &oracle::decode(dialect, shape, bytes)?)
}

/// A value without the readable form of its floats: only bits are compared.
pub(crate) fn bits_only(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.iter().filter(|(key, _)| *key != "approx" || !object.contains_key("bits"));
            Value::Object(kept.map(|(key, value)| (key.clone(), bits_only(value))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(bits_only).collect(),
        _ => value.clone(),
    }
}

pub(crate) fn equal(what: &str, stated: &Value, computed: &Value) -> Result<(), String> {
    if stated == computed { Ok(()) } else { Err(format!("{what}: the file has\n  {stated}\nthe oracle\n  {computed}")) }
}

pub(crate) fn get<'v>(object: &'v Value, key: &str) -> Result<&'v Value, String> {
    object.get(key).ok_or_else(|| format!("{key} is missing"))
}

pub(crate) fn text<'v>(object: &'v Value, key: &str) -> Result<&'v str, String> {
    get(object, key)?.as_str().ok_or_else(|| format!("{key} is not a string"))
}

pub(crate) fn array<'v>(object: &'v Value, key: &str) -> Result<&'v [Value], String> {
    get(object, key)?.as_array().map(Vec::as_slice).ok_or_else(|| format!("{key} is not an array"))
}
