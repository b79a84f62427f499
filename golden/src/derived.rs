//! Derived structs for the shapes of the vectors: the typed layer of `zap-core` against the files and the oracle.
//!
//! A case is replayed by the struct whose layout has the case's shape: names, types and, where the shape states them,
//! offsets and size. A shape that no struct has is said to be so, never passed over in silence.

mod enums;
mod json;
mod records;

use crate::oracle::value::{hex, unhex};
use crate::oracle::{self, Dialect};
use crate::oracle_cases::{array, bits_only, equal, get, text};
use json::Json;
use serde_json::{Value, json};
use zap_core::{DecodeError, DecodeOwned, DialectKind, EnumLayout, FieldType, Layout, Limits};

/// What came of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The struct with this name agrees.
    Agrees(&'static str),
    /// No derived struct has the case's shape.
    NoStruct,
}

/// What can be done with one derived struct, by JSON values in the form of the vectors.
#[derive(Clone, Copy)]
pub struct Derived {
    /// Its layout.
    pub layout: &'static Layout,
    /// A value's message with a flags word.
    pub encode: fn(&Value, u16) -> Result<Vec<u8>, String>,
    /// The value decoded from a message.
    pub decode: fn(&[u8]) -> Result<Value, String>,
    /// The value that the view's accessors read.
    pub view: fn(&[u8]) -> Result<Value, String>,
    /// Whether the deep check accepts a message.
    pub validate: fn(&[u8]) -> Result<(), String>,
}

impl Derived {
    const fn of<T>() -> Self
    where
        T: DecodeOwned + Json + 'static,
        for<'m> T::View<'m>: ReadJson,
    {
        Self {
            layout: T::LAYOUT,
            encode: |value, flags| {
                let value = T::from_json(value)?;
                let mut bytes = Vec::new();
                value.encode_with_flags(flags, &mut bytes).map_err(|error| error.to_string())?;
                equal("encoded_len", &json!(bytes.len()), &json!(value.encoded_len()))?;
                Ok(bytes)
            },
            decode: |bytes| words(T::decode(bytes)).map(|value| value.to_json()),
            view: |bytes| words(T::view(bytes).and_then(|view| view.read_json())),
            validate: |bytes| words(T::validate(bytes, &Limits::new()).map(drop)),
        }
    }

    /// As [`Derived::of`], of an enum: its message is a record of one field without a name.
    const fn of_enum<T>() -> Self
    where
        T: DecodeOwned + Json + 'static,
        for<'m> T::View<'m>: ReadJson,
    {
        let Self { layout, view, validate, .. } = Self::of::<T>();
        Self {
            layout,
            encode: |value, flags| (Self::of::<T>().encode)(&value[""], flags),
            decode: |bytes| Ok(json!({ "": (Self::of::<T>().decode)(bytes)? })),
            view,
            validate,
        }
    }

    /// The shape of the struct, in the form that `plain_shape` gives those of the files.
    pub fn shape(&self) -> Value {
        shape_of(self.layout, self.dialect() == Dialect::Zapgen)
    }

    /// The shape with nested records spelled out, as the oracle takes it.
    pub fn oracle_shape(&self) -> Value {
        shape_of(self.layout, false)
    }

    /// The struct's dialect.
    pub fn dialect(&self) -> Dialect {
        match self.layout.dialect {
            DialectKind::Zapgen => Dialect::Zapgen,
            DialectKind::Zip => Dialect::Zip,
            _ => Dialect::Native,
        }
    }

    /// `value` must give `bytes`, and each reader must read them as `decoded`.
    fn replay(&self, value: &Value, flags: u16, bytes: &[u8], decoded: &Value) -> Result<(), String> {
        equal("hex", &json!(hex(bytes)), &json!(hex(&(self.encode)(value, flags)?)))?;
        self.reads(bytes, decoded)
    }

    fn reads(&self, bytes: &[u8], decoded: &Value) -> Result<(), String> {
        equal("decoded", decoded, &(self.decode)(bytes)?)?;
        equal("viewed", decoded, &(self.view)(bytes)?)?;
        (self.validate)(bytes)
    }

    fn refuses(&self, bytes: &[u8]) -> Result<(), String> {
        match ((self.decode)(bytes), (self.validate)(bytes)) {
            (Err(_), Err(_)) => Ok(()),
            (decoded, validated) => Err(format!("must be refused: decode {decoded:?}, validate {validated:?}")),
        }
    }
}

/// What a view's accessors read, as JSON.
pub trait ReadJson {
    /// The value.
    ///
    /// # Errors
    ///
    /// What an accessor refuses.
    fn read_json(&self) -> Result<Value, DecodeError>;
}

fn words<T>(result: Result<T, DecodeError>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// Every derived struct.
pub fn all() -> impl Iterator<Item = Derived> {
    records::ALL.iter().chain(enums::ALL).copied()
}

/// The derived struct of a shape, if there is one.
fn find(dialect: Dialect, shape: &Value, version: u16) -> Option<Derived> {
    let plain = plain_shape(shape);
    all().find(|derived| {
        derived.dialect() == dialect && derived.layout.version == version && agree(&plain, &derived.shape())
    })
}

/// Replays a case of a file; `None` if derived structs have no part in that file.
///
/// # Errors
///
/// The disagreement.
pub fn replay(file: &str, case: &Value) -> Option<Result<Outcome, String>> {
    Some(match file {
        "record_eth.json" => record_eth(case),
        "zapenc.json" => zapenc(case),
        "zapgen.json" => zapgen(case),
        "native.json" => native(case),
        "native_decode.json" => native_decode(case),
        _ => return None,
    })
}

/// A shape in one form: lists and arrays of `u8` are bytes, and there is always a size, if only null.
fn plain_shape(shape: &Value) -> Value {
    let fields = shape.get("fields").unwrap_or(shape);
    let fields =
        fields.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(
            |field| json!({ "name": field["name"], "type": plain_type(&field["type"]), "offset": field["offset"] }),
        );
    let growable = shape.get("growable") == Some(&json!(true));
    json!({ "fields": fields.collect::<Value>(), "size": shape["size"], "growable": growable })
}

fn plain_type(ty: &Value) -> Value {
    match ty.as_object().and_then(|ty| ty.iter().next()).map(|(kind, inner)| (kind.as_str(), inner)) {
        Some(("list", inner)) if inner == "u8" => json!("bytes"),
        Some(("array", inner)) if inner[0] == "u8" => json!({ "bytes_fixed": inner[1] }),
        Some(("array", inner)) => json!({ "array": [plain_type(&inner[0]), inner[1]] }),
        Some(("struct", inner)) if !inner.is_string() => {
            let shape = plain_shape(inner);
            if shape["growable"] == true { json!({ "struct": shape }) } else { json!({ "struct": shape["fields"] }) }
        }
        Some((kind @ ("list" | "opt" | "box" | "set"), inner)) => json!({ kind: plain_type(inner) }),
        Some(("union", inner)) => {
            let variants = inner.as_array().map(Vec::as_slice).unwrap_or_default().iter().enumerate();
            let variants = variants.map(|(position, variant)| {
                let fields =
                    variant.get("fields").map_or_else(|| json!([]), |fields| plain_shape(fields)["fields"].clone());
                let tag = variant.get("tag").cloned().unwrap_or_else(|| json!(position));
                json!({ "name": variant["name"], "tag": tag, "fields": fields })
            });
            json!({ "union": variants.collect::<Value>() })
        }
        Some(("map", inner)) => json!({ "map": [plain_type(&inner[0]), plain_type(&inner[1])] }),
        // A record known by name is one, in a list as in a field.
        _ if ty.as_str().is_some_and(|name| name.starts_with(char::is_uppercase)) => json!({ "struct": ty }),
        _ => ty.clone(),
    }
}

/// Whether what a shape states is what the layout has.
fn agree(stated: &Value, has: &Value) -> bool {
    match (stated, has) {
        (Value::Null, _) => true,
        (Value::Array(stated), Value::Array(has)) => {
            stated.len() == has.len() && stated.iter().zip(has).all(|(stated, has)| agree(stated, has))
        }
        (Value::Object(stated), Value::Object(has)) => {
            stated.len() == has.len()
                && stated.iter().all(|(key, stated)| has.get(key).is_some_and(|has| agree(stated, has)))
        }
        _ => stated == has,
    }
}

fn shape_of(layout: &Layout, by_name: bool) -> Value {
    let fields = layout.fields.iter().map(
        |field| json!({ "name": field.name, "type": type_of(&field.field_type, layout.dialect, by_name), "offset": field.offset }),
    );
    let fields = fields.collect::<Value>();
    // The native shapes of the files state no size, and their root is rounded where others are not.
    match layout.dialect {
        DialectKind::Native => json!({ "fields": fields, "size": layout.root_size(), "growable": layout.growable }),
        _ => json!({ "fields": fields, "size": layout.size, "growable": false }),
    }
}

fn type_of(ty: &FieldType, dialect: DialectKind, by_name: bool) -> Value {
    match ty {
        FieldType::Array { element: FieldType::U8, len } => json!({ "bytes_fixed": len }),
        FieldType::Array { element, len } => json!({ "array": [type_of(element, dialect, by_name), len] }),
        FieldType::List(element) => json!({ "list": type_of(element, dialect, by_name) }),
        FieldType::Record(layout) if by_name => json!({ "struct": layout().name }),
        FieldType::Record(layout) if layout().growable => json!({ "struct": shape_of(layout(), false) }),
        FieldType::Record(layout) => {
            json!({ "struct": shape_of(layout(), false)["fields"] })
        }
        FieldType::Enum(layout) => enum_of(layout()),
        // The generator's nested records may all be absent.
        FieldType::Option(value) if dialect == DialectKind::Zapgen => type_of(value, dialect, by_name),
        FieldType::Option(value) => json!({ "opt": type_of(value, dialect, by_name) }),
        FieldType::Pointer(value) => json!({ "box": type_of(value, dialect, by_name) }),
        FieldType::Set(element) => json!({ "set": type_of(element, dialect, by_name) }),
        FieldType::NonZero(integer) => json!({ "nonzero": type_of(integer, dialect, by_name) }),
        FieldType::Tuple(layout) => json!({ "struct": shape_of(layout(), false)["fields"] }),
        FieldType::Map(entry) => {
            let types = entry().fields.iter().map(|field| type_of(&field.field_type, dialect, by_name));
            json!({ "map": types.collect::<Value>() })
        }
        scalar_or_tail => json!(scalar_or_tail.to_string()),
    }
}

fn enum_of(layout: &EnumLayout) -> Value {
    let variants = layout.variants.iter();
    if !layout.has_data {
        let variants = variants.map(|variant| json!([variant.name, variant.number.to_string()])).collect::<Value>();
        return json!({ "enum": { "repr": layout.number.to_string(), "variants": variants } });
    }
    let variants = variants.map(|variant| {
        let fields = variant.fields.map_or_else(|| json!([]), |fields| shape_of(fields(), false)["fields"].clone());
        json!({ "name": variant.name, "tag": variant.number, "fields": fields })
    });
    json!({ "union": variants.collect::<Value>() })
}

/// A value in the form of `plain_shape`: only the bits of floats, and lists of `u8` as the hex that bytes are.
fn plain_value(shape: &Value, value: &Value) -> Value {
    plain_record(shape, &bits_only(value))
}

fn plain_record(shape: &Value, value: &Value) -> Value {
    let mut value = value.clone();
    let fields = shape.get("fields").unwrap_or(shape).as_array().cloned().unwrap_or_default();
    for field in &fields {
        if let Some(item) = field["name"].as_str().and_then(|name| value.get_mut(name)) {
            *item = plain_item(&field["type"], item);
        }
    }
    value
}

fn plain_item(ty: &Value, item: &Value) -> Value {
    let numbers = |items: &[Value]| items.iter().map(|n| n.as_str()?.parse::<u8>().ok()).collect::<Option<Vec<u8>>>();
    let (kind, inner) = match ty.as_object().and_then(|ty| ty.iter().next()) {
        Some((kind, inner)) => (kind.as_str(), inner),
        None => return item.clone(),
    };
    let element = if kind == "array" { &inner[0] } else { inner };
    match (kind, item) {
        ("list" | "array", Value::Array(items)) if element == "u8" => {
            numbers(items).map_or_else(|| item.clone(), |bytes| json!(hex(&bytes)))
        }
        ("list" | "array", Value::Array(items)) => items.iter().map(|item| plain_item(element, item)).collect(),
        ("struct", _) => plain_record(inner, item),
        ("opt", Value::Null) => Value::Null,
        ("opt" | "box", _) => plain_item(inner, item),
        ("map", Value::Array(entries)) => entries
            .iter()
            .map(|entry| json!([plain_item(&inner[0], &entry[0]), plain_item(&inner[1], &entry[1])]))
            .collect(),
        ("set", Value::Array(items)) => items.iter().map(|item| plain_item(inner, item)).collect(),
        _ => item.clone(),
    }
}

/// The generator's inputs give list entries and nested records as the bytes they become; structs hold values.
fn zapgen_value(derived: &Derived, inputs: &Value) -> Result<Value, String> {
    let mut value = bits_only(inputs);
    let shape = derived.oracle_shape();
    for field in array(&shape, "fields")? {
        let item = value.get_mut(text(field, "name")?).ok_or_else(|| format!("no value for {}", field["name"]))?;
        let nested = |message: &Value, shape: &Value| {
            let bytes = unhex(message.as_str().ok_or("not hex")?)?;
            oracle::decode(Dialect::Zapgen, shape, &bytes)
        };
        let ty = &field["type"];
        if let Some(shape) = ty.get("struct") {
            *item = if item == "" { Value::Null } else { nested(item, shape)? };
        } else if let Some(element) = ty.get("list") {
            let entries = item.as_array().ok_or("not an array")?.iter().map(|entry| match element.get("struct") {
                Some(shape) => nested(entry, shape),
                None => scalar_or_text(element, entry),
            });
            *item = entries.collect::<Result<Value, String>>()?;
        }
    }
    Ok(value)
}

fn scalar_or_text(ty: &Value, entry: &Value) -> Result<Value, String> {
    let bytes = unhex(entry.as_str().ok_or("not hex")?)?;
    match ty.as_str() {
        Some("text") => String::from_utf8(bytes).map(Value::from).map_err(|error| error.to_string()),
        Some("u64") => {
            let bytes = bytes.try_into().map_err(|_| format!("not eight bytes: {entry}"))?;
            Ok(json!(u64::from_le_bytes(bytes).to_string()))
        }
        _ => Ok(entry.clone()),
    }
}

/// A case of `zapenc.json`.
fn zapenc(case: &Value) -> Result<Outcome, String> {
    let shape = get(case, "shape")?;
    let Some(derived) = find(Dialect::Zip, shape, 1) else {
        return Ok(Outcome::NoStruct);
    };
    let bytes = unhex(text(case, "hex")?)?;
    if text(case, "op")? == "encode" {
        derived.replay(&bits_only(get(case, "inputs")?), 0, &bytes, &bits_only(get(case, "decoded")?))?;
    } else {
        let refused = match case.get("safe").and_then(Value::as_str) {
            Some(safe) => safe.starts_with("error"),
            None => get(case, "ok")? == &json!(false) || is_absent(&derived, &bytes),
        };
        if refused {
            derived.refuses(&bytes)?;
        } else {
            derived.reads(&bytes, &bits_only(get(case, "decoded")?))?;
        }
    }
    Ok(Outcome::Agrees(derived.layout.name))
}

/// Where the peer reads what is not there as zero, derived structs refuse: no message, or one whose root section is
/// shorter than the record.
fn is_absent(derived: &Derived, bytes: &[u8]) -> bool {
    let word = |at: usize| bytes.get(at..at + 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    match (word(8), word(12)) {
        (Some(root), Some(size)) => u64::from(size) < u64::from(root) + derived.layout.root_size() as u64,
        _ => true,
    }
}

/// A case of `zapgen.json`; where v1.8.1 wrote something else, ours is the later form.
fn zapgen(case: &Value) -> Result<Outcome, String> {
    let shape = get(case, "shape")?;
    let name = text(case, "struct")?;
    let plain = plain_shape(shape);
    let found = all().find(|derived| {
        derived.dialect() == Dialect::Zapgen && derived.layout.name == name && agree(&plain, &derived.shape())
    });
    let Some(derived) = found else {
        return Ok(Outcome::NoStruct);
    };
    let bytes = unhex(text(case, if case.get("safe_hex").is_some() { "safe_hex" } else { "hex" })?)?;
    let value = zapgen_value(&derived, get(case, "inputs")?)?;
    derived.replay(&value, 0, &bytes, &value)?;
    Ok(Outcome::Agrees(derived.layout.name))
}

/// A record pair of `record_eth.json`: both sides.
fn record_eth(case: &Value) -> Result<Outcome, String> {
    let mut name = "";
    for side in ["request", "response"] {
        let side = get(case, side)?;
        let layout = get(side, "layout")?;
        let same_fields = |derived: &Derived| {
            let fields =
                derived.layout.fields.iter().map(|field| json!({ "name": field.name, "offset": field.offset }));
            layout["fields"] == fields.collect::<Value>() && layout["size"] == derived.layout.size
        };
        let Some(derived) = all().find(same_fields) else {
            return Ok(Outcome::NoStruct);
        };
        let inputs = get(side, "inputs")?;
        derived.replay(inputs, 0, &unhex(text(side, "hex")?)?, inputs)?;
        name = derived.layout.name;
    }
    Ok(Outcome::Agrees(name))
}

/// A case of `native.json`.
fn native(case: &Value) -> Result<Outcome, String> {
    let shape = get(case, "shape")?;
    let word = |key: &str, default| case.get(key).and_then(Value::as_u64).map_or(default, |word| word as u16);
    let Some(derived) = find(Dialect::Native, shape, word("version", 1)) else {
        return Ok(Outcome::NoStruct);
    };
    let value = plain_value(shape, get(case, "inputs")?);
    derived.replay(&value, word("flags", 0), &unhex(text(case, "hex")?)?, &value)?;
    Ok(Outcome::Agrees(derived.layout.name))
}

/// A case of `native_decode.json`.
fn native_decode(case: &Value) -> Result<Outcome, String> {
    let shape = get(case, "shape")?;
    let Some(derived) = find(Dialect::Native, shape, 1) else {
        return Ok(Outcome::NoStruct);
    };
    let bytes = unhex(text(case, "hex")?)?;
    match case.get("decoded") {
        Some(decoded) => derived.reads(&bytes, &plain_value(shape, decoded))?,
        None => derived.refuses(&bytes)?,
    }
    Ok(Outcome::Agrees(derived.layout.name))
}
