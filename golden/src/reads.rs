//! Replays the `reads` of a case: accessors of the untyped layer, in order, with what they must give.
//!
//! Where a read is marked `peer_defect`, its `safe_value` or `safe_null` is the wanted result. Every read is made, also
//! after one that differs, so that the same code serves to sweep corrupted messages.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use zap_core::{List, Message, Object};

use crate::hex;

/// Replays the `reads` of `case` on `message`, the bytes of a complete message.
///
/// # Errors
///
/// Names every read that gave something else, and every read that is not understood.
pub fn check_reads(message: &[u8], case: &Value) -> Result<(), String> {
    let message = Message::parse(message).map_err(|error| format!("reads: the message does not parse: {error}"))?;
    let reads = case.get("reads").and_then(Value::as_array).ok_or("the case has no list `reads`")?;
    let mut names = HashMap::from([("root", Bound::Object(message.root()))]);
    let wrong = reads.iter().enumerate().filter_map(|(index, read)| {
        let error = check_read(read, &mut names).err()?;
        Some(format!("read {index} {read}: {error}"))
    });
    let wrong = wrong.collect::<Vec<_>>();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What a name in `on` stands for.
#[derive(Clone, Copy)]
enum Bound<'m> {
    Object(Object<'m>),
    List(List<'m>),
}

fn check_read<'m, 'c>(read: &'c Value, names: &mut HashMap<&'c str, Bound<'m>>) -> Result<(), String> {
    let read = Read::new(read)?;
    let on = read.text("on")?;
    let bound = *names.get(on).ok_or_else(|| format!("nothing is called `{on}`"))?;
    let get = read.text("get")?;
    match bound {
        Bound::Object(object) => match get {
            "object" => {
                read.allow(&["offset", "as", "null"])?;
                read.bind_object(object.object(read.size("offset")?), names)
            }
            "list" => {
                read.allow(&["offset", "as", "null", "len"])?;
                let list = object.list(read.size("offset")?);
                names.insert(read.text("as")?, Bound::List(list));
                let (null, len) = read.wanted_list()?;
                if (list.is_null(), list.len() as u64) == (null, len) {
                    return Ok(());
                }
                Err(format!("wanted null {null}, len {len}, got null {}, len {}", list.is_null(), list.len()))
            }
            _ => read.compare(&read.field_of(object, get)?),
        },
        Bound::List(list) => match get {
            "record_at" => {
                read.allow(&["index", "stride", "as", "null"])?;
                read.bind_object(list.record_at(read.index()?, read.size("stride")?), names)
            }
            "object_at" => {
                read.allow(&["index", "as", "null"])?;
                read.bind_object(list.object_at(read.index()?), names)
            }
            _ => read.compare(&read.element_of(list, get)?),
        },
    }
}

struct Read<'c> {
    fields: &'c Map<String, Value>,
}

impl<'c> Read<'c> {
    fn new(read: &'c Value) -> Result<Self, String> {
        Ok(Self { fields: read.as_object().ok_or("a read is not an object")? })
    }

    /// Refuses what this file does not know how to check, rather than skipping it.
    fn allow(&self, own: &[&str]) -> Result<(), String> {
        const COMMON: [&str; 6] = ["on", "get", "peer_defect", "panic", "safe_value", "safe_null"];
        let mut keys = self.fields.keys().map(String::as_str);
        match keys.find(|key| !COMMON.contains(key) && !own.contains(key)) {
            Some(key) => Err(format!("unknown key `{key}`")),
            None => Ok(()),
        }
    }

    fn text(&self, key: &str) -> Result<&'c str, String> {
        self.fields.get(key).and_then(Value::as_str).ok_or_else(|| format!("no text `{key}`"))
    }

    fn size(&self, key: &str) -> Result<usize, String> {
        let size = self.fields.get(key).and_then(Value::as_u64).ok_or_else(|| format!("no number `{key}`"))?;
        usize::try_from(size).map_err(|_| format!("`{key}` {size} is more than usize holds"))
    }

    /// The peer's indexes are signed; ours are not, and the largest one is as far outside of a list as a negative one.
    fn index(&self) -> Result<usize, String> {
        let negative = self.fields.get("index").and_then(Value::as_i64).is_some_and(|index| index < 0);
        if negative { Ok(usize::MAX) } else { self.size("index") }
    }

    /// A width; the peer's is signed, and not above 0 means null as 0 does.
    fn width(&self) -> Result<usize, String> {
        let negative = self.fields.get("n").and_then(Value::as_i64).is_some_and(|n| n < 0);
        if negative { Ok(0) } else { self.size("n") }
    }

    fn peer_defect(&self) -> bool {
        self.fields.get("peer_defect") == Some(&Value::Bool(true))
    }

    /// The value that the read must give.
    fn wanted(&self, key: &str) -> Result<&'c Value, String> {
        if !self.peer_defect() {
            return self.fields.get(key).ok_or_else(|| format!("no `{key}`"));
        }
        match (self.fields.get("safe_value"), self.fields.get("safe_null")) {
            (Some(value), None) => Ok(value),
            (None, Some(Value::Bool(true))) => Ok(&Value::Null),
            _ => Err("a peer defect without one safe result".into()),
        }
    }

    /// Whether the object or list must be null.
    fn wanted_null(&self) -> Result<bool, String> {
        if !self.peer_defect() {
            return self.fields.get("null").and_then(Value::as_bool).ok_or_else(|| "no bool `null`".into());
        }
        match (self.fields.get("safe_value"), self.fields.get("safe_null")) {
            (Some(Value::Null), None) => Ok(true),
            (None, Some(Value::Bool(null))) => Ok(*null),
            _ => Err("a peer defect without a safe result that is null".into()),
        }
    }

    fn wanted_list(&self) -> Result<(bool, u64), String> {
        let null = self.wanted_null()?;
        if self.peer_defect() && null {
            return Ok((true, 0));
        }
        let len = self.fields.get("len").and_then(Value::as_u64).ok_or("no number `len`")?;
        Ok((null, len))
    }

    fn bind_object<'m>(&self, object: Object<'m>, names: &mut HashMap<&'c str, Bound<'m>>) -> Result<(), String> {
        names.insert(self.text("as")?, Bound::Object(object));
        let null = self.wanted_null()?;
        if object.is_null() == null {
            return Ok(());
        }
        Err(format!("wanted null {null}, got {object:?}"))
    }

    /// Compares what an accessor gave, in the files' own form. Of floats only the bits count.
    fn compare(&self, got: &Value) -> Result<(), String> {
        let key = if self.fields.contains_key("values") { "values" } else { "value" };
        let wanted = self.wanted(key)?;
        let same = match got.get("bits") {
            Some(bits) => wanted.get("bits") == Some(bits),
            None => wanted == got,
        };
        if same { Ok(()) } else { Err(format!("wanted {wanted}, got {got}")) }
    }

    fn field_of(&self, object: Object<'_>, get: &str) -> Result<Value, String> {
        if get == "is_null" {
            self.allow(&["value"])?;
            return Ok(json!(object.is_null()));
        }
        if get == "bytes_fixed" {
            self.allow(&["offset", "n", "value"])?;
            return Ok(bytes(object.bytes_fixed(self.size("offset")?, self.width()?)));
        }
        self.allow(&["offset", "value"])?;
        let offset = self.size("offset")?;
        Ok(match get {
            "bool" => json!(object.bool(offset)),
            "u8" => json!(object.u8(offset).to_string()),
            "u16" => json!(object.u16(offset).to_string()),
            "u32" => json!(object.u32(offset).to_string()),
            "u64" => json!(object.u64(offset).to_string()),
            "i8" => json!(object.i8(offset).to_string()),
            "i16" => json!(object.i16(offset).to_string()),
            "i32" => json!(object.i32(offset).to_string()),
            "i64" => json!(object.i64(offset).to_string()),
            "f32" => json!({ "bits": format!("{:08x}", object.f32(offset).to_bits()) }),
            "f64" => json!({ "bits": format!("{:016x}", object.f64(offset).to_bits()) }),
            "text" => {
                let text = object.text(offset);
                json!({ "hex": hex::encode(text.as_bytes()), "text": text.to_str().ok() })
            }
            "bytes" => bytes(object.bytes(offset)),
            _ => return Err(format!("unknown object accessor `{get}`")),
        })
    }

    fn element_of(&self, list: List<'_>, get: &str) -> Result<Value, String> {
        match get {
            "u8_at" | "u32_at" | "u64_at" | "bytes_at" => self.allow(&["index", "value"])?,
            "each_bytes" | "each_object" => self.allow(&["values"])?,
            _ => self.allow(&["value"])?,
        }
        Ok(match get {
            "is_null" => json!(list.is_null()),
            "len" => json!(list.len()),
            "u8_at" => json!(list.u8_at(self.index()?).to_string()),
            "u32_at" => json!(list.u32_at(self.index()?).to_string()),
            "u64_at" => json!(list.u64_at(self.index()?).to_string()),
            "list_bytes" => bytes(list.list_bytes()),
            "bytes_at" => bytes(list.bytes_at(self.index()?)),
            "each_bytes" => list.iter_bytes().map(hex::encode).collect(),
            "each_object" => {
                let object = |(index, object): (usize, Object<'_>)| json!({ "index": index, "null": object.is_null() });
                list.iter_objects().enumerate().map(object).collect()
            }
            _ => return Err(format!("unknown list accessor `{get}`")),
        })
    }
}

fn bytes(bytes: Option<&[u8]>) -> Value {
    bytes.map_or(Value::Null, |bytes| json!(hex::encode(bytes)))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The cases of a file in `vectors`.
    pub(crate) fn cases(file: &str) -> Vec<Value> {
        let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Replays a whole file and reports every case that fails.
    pub(crate) fn replay_all(file: &str, replay: impl Fn(&Value) -> Result<(), String>) {
        let cases = cases(file);
        assert!(!cases.is_empty(), "{file} has no cases");
        let failed = cases.iter().filter_map(|case| Some(format!("{}: {}", case["name"], replay(case).err()?)));
        let failed = failed.collect::<Vec<_>>();
        assert!(failed.is_empty(), "{file}: {} of {} cases fail\n{}", failed.len(), cases.len(), failed.join("\n"));
    }

    #[test]
    fn reads_of_record_eth_and_zapgen() {
        replay_all("record_eth.json", |case| {
            ["request", "response"].iter().try_for_each(|side| {
                let side = &case[side];
                check_reads(&hex::decode(side["hex"].as_str().unwrap())?, side)
            })
        });
        replay_all("zapgen.json", |case| {
            let hex = case.get("safe_hex").unwrap_or(&case["hex"]);
            check_reads(&hex::decode(hex.as_str().unwrap())?, case)
        });
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let message = zap_core::Builder::new().into_vec();
        let check = |read: Value| check_reads(&message, &json!({ "reads": [read] }));
        assert_eq!(check(json!({ "on": "root", "get": "u8", "offset": 0, "value": "0" })), Ok(()));
        for wrong in [
            json!({ "on": "root", "get": "u8", "offset": 0, "value": "1" }),
            json!({ "on": "root", "get": "u8", "offset": 0, "value": 0 }),
            json!({ "on": "root", "get": "u8", "offset": 0 }),
            json!({ "on": "root", "get": "u8", "value": "0" }),
            json!({ "on": "root", "get": "u8", "offset": 0, "value": "0", "peer_defect": true }),
            json!({ "on": "root", "get": "u8", "offset": 0, "value": "0", "more": 1 }),
            json!({ "on": "root", "get": "u24", "offset": 0, "value": "0" }),
            json!({ "on": "root", "get": "f32", "offset": 0, "value": { "bits": "00000001" } }),
            json!({ "on": "root", "get": "object", "offset": 0, "as": "o", "null": false }),
            json!({ "on": "root", "get": "list", "offset": 0, "as": "l", "null": true, "len": 1 }),
            json!({ "on": "nobody", "get": "is_null", "value": true }),
            json!([]),
        ] {
            assert!(check(wrong.clone()).is_err(), "accepted {wrong}");
        }
        assert!(check_reads(&message, &json!({})).is_err());
        assert!(check_reads(b"", &json!({ "reads": [] })).is_err());
    }
}
