//! Shapes: the JSON description of a record, as the vector files spell it, read into an enum.
//!
//! A shape is `{"fields": [field...], "size": n}` or just the array of fields. A field is `{"name", "type", "offset"}`;
//! `offset` and `size` are optional except in the zapgen dialect, and are checked where the dialect computes them.
//! `"growable": true` beside `fields` marks a growable record (native only). A type is one of
//!
//! | JSON | dialects | value |
//! |---|---|---|
//! | `"bool"` | all | `true`, `false` |
//! | `"u8"` .. `"u64"`, `"i8"` .. `"i64"` | all | decimal string |
//! | `"f32"`, `"f64"` | all | `{"bits": hex, most significant digit first}`; other keys are ignored |
//! | `"text"` | all | string |
//! | `"bytes"` | all | lowercase hex string |
//! | `{"struct": fields or shape}` | all | object |
//! | `{"struct": "Name"}` | zapgen | hex of a complete message, `""` for none |
//! | `{"list": type}` | all | array (zapgen: of hex entries, unless the element is `{"struct": fields}`) |
//! | `{"opt": type}` | native, zip | the value, or `null` |
//! | `{"bytes_fixed": n}` | zapgen, native | hex string of n bytes |
//! | `"u128"`, `"i128"` | native | decimal string |
//! | `"char"` | native | string of one character |
//! | `{"array": [type, n]}` | native | array of n values |
//! | `{"box": type}` | native | the value |
//! | `{"enum": {"repr": "u8", "variants": [["A", "0"], ...]}}` | native | the variant's name |
//! | `{"union": [{"name", "tag", "fields"}, ...]}` | native | `{"Name": {fields}}`; `tag` defaults to the position |
//! | `{"map": [key, value]}` | native | array of `[key, value]`, sorted here on writing |
//! | `{"set": type}` | native | array, sorted here on writing |
//! | `{"nonzero": integer}` | native | decimal string |
//! | `"duration"`, `"system_time"` | native | `[seconds, nanoseconds]`, decimal strings |
//! | `"ipv4"`, `"ipv6"`, `"ip"`, `"socket_addr"` | native | text, as the standard library spells it |
//! | `"uuid"`, `"decimal"` | native | hex string of 16 bytes |
//! | `"nothing"` | native | `null` |
//!
//! A tuple is a struct whose fields are called `"0"`, `"1"`, and so on.

use super::standard::Standard;
use serde_json::Value;

/// No offset, size or count inside a shape may exceed this: shapes are test data, this only keeps typing errors cheap.
const MAX_NUMBER: u64 = 1 << 24;

/// A record: its fields in declaration order.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// The fields in declaration order.
    pub fields: Vec<Field>,
    /// The size of the fixed section, where the shape states it.
    pub size: Option<u64>,
    /// Whether the record begins with the hidden length of a growable record.
    pub growable: bool,
}

/// One field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The key of the field in a value.
    pub name: String,
    /// What the field holds.
    pub ty: Type,
    /// Where the field stands in the fixed section, where the shape states it.
    pub offset: Option<u64>,
}

/// What a field or an element holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A number or a bool.
    Scalar(Scalar),
    /// A Unicode scalar value in a u32.
    Char,
    /// UTF-8 text in the tail.
    Text,
    /// Bytes in the tail.
    Bytes,
    /// So many bytes inline.
    BytesFixed(u64),
    /// So many values inline.
    Array(Box<Type>, u64),
    /// A nested record whose fields are known.
    Struct(Shape),
    /// A nested record known by name only: its value is a complete message.
    Named(String),
    /// A list.
    List(Box<Type>),
    /// A value that may be absent.
    Opt(Box<Type>),
    /// A value behind a pointer.
    Boxed(Box<Type>),
    /// An enum without data: the integer it is stored in and each variant's discriminant, as little-endian bytes.
    Enum(Scalar, Vec<(String, Vec<u8>)>),
    /// An enum with data.
    Union(Vec<Variant>),
    /// Key and value.
    Map(Box<Type>, Box<Type>),
    /// A list in ascending order without repetition.
    Set(Box<Type>),
    /// One of the standard library's types of a fixed number of bytes, or of those spelled like them.
    Standard(Standard),
}

/// One variant of an enum with data.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The variant's name.
    pub name: String,
    /// The number that stands for it.
    pub tag: u32,
    /// Its fields; none for a unit variant.
    pub fields: Shape,
}

/// The fixed-width numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool,
    U8,
    U16,
    U32,
    U64,
    U128,
    I8,
    I16,
    I32,
    I64,
    I128,
    F32,
    F64,
}

impl Scalar {
    /// How many bytes the scalar takes.
    pub fn width(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::U8 | Scalar::I8 => 1,
            Scalar::U16 | Scalar::I16 => 2,
            Scalar::U32 | Scalar::I32 | Scalar::F32 => 4,
            Scalar::U64 | Scalar::I64 | Scalar::F64 => 8,
            Scalar::U128 | Scalar::I128 => 16,
        }
    }

    fn named(name: &str) -> Option<Scalar> {
        Some(match name {
            "bool" => Scalar::Bool,
            "u8" => Scalar::U8,
            "u16" => Scalar::U16,
            "u32" => Scalar::U32,
            "u64" => Scalar::U64,
            "u128" => Scalar::U128,
            "i8" => Scalar::I8,
            "i16" => Scalar::I16,
            "i32" => Scalar::I32,
            "i64" => Scalar::I64,
            "i128" => Scalar::I128,
            "f32" => Scalar::F32,
            "f64" => Scalar::F64,
            _ => return None,
        })
    }
}

impl Shape {
    /// Reads a shape from its JSON form.
    ///
    /// # Errors
    ///
    /// What is wrong with the JSON, in words.
    pub fn parse(json: &Value) -> Result<Shape, String> {
        let (fields, size, growable) = match json {
            Value::Array(fields) => (fields, None, false),
            Value::Object(shape) => {
                let fields = shape.get("fields").and_then(Value::as_array).ok_or("shape without a list of fields")?;
                let size = shape.get("size").map(number).transpose()?;
                (fields, size, shape.get("growable") == Some(&Value::Bool(true)))
            }
            _ => return Err(format!("not a shape: {json}")),
        };
        let fields = fields.iter().map(Field::parse).collect::<Result<Vec<_>, _>>()?;
        for (i, field) in fields.iter().enumerate() {
            if fields.iter().take(i).any(|earlier| earlier.name == field.name) {
                return Err(format!("two fields are called {}", field.name));
            }
        }
        Ok(Shape { fields, size, growable })
    }
}

impl Field {
    fn parse(json: &Value) -> Result<Field, String> {
        let name = json.get("name").and_then(Value::as_str).ok_or_else(|| format!("field without a name: {json}"))?;
        let ty = json.get("type").ok_or_else(|| format!("field {name} has no type"))?;
        let ty = Type::parse(ty).map_err(|e| format!("{name}: {e}"))?;
        let offset = json.get("offset").map(number).transpose()?;
        Ok(Field { name: name.to_owned(), ty, offset })
    }
}

impl Type {
    fn parse(json: &Value) -> Result<Type, String> {
        if let Some(name) = json.as_str() {
            if let Some(standard) = Standard::named(name) {
                return Ok(Type::Standard(standard));
            }
            return match name {
                "text" => Ok(Type::Text),
                "bytes" => Ok(Type::Bytes),
                "char" => Ok(Type::Char),
                // A list of a record that is known by name only.
                _ => Ok(Scalar::named(name).map_or_else(|| Type::Named(name.to_owned()), Type::Scalar)),
            };
        }
        let bad = || format!("not a type: {json}");
        let mut entries = json.as_object().ok_or_else(bad)?.iter();
        let ((kind, inner), None) = (entries.next().ok_or_else(bad)?, entries.next()) else { return Err(bad()) };
        let boxed = |json: &Value| Type::parse(json).map(Box::new);
        let pair = || match inner.as_array().map(Vec::as_slice) {
            Some([a, b]) => Ok((a, b)),
            _ => Err(bad()),
        };
        match kind.as_str() {
            "bytes_fixed" => Ok(Type::BytesFixed(number(inner)?)),
            "array" => {
                let (element, n) = pair()?;
                Ok(Type::Array(boxed(element)?, number(n)?))
            }
            "struct" => match inner.as_str() {
                Some(name) => Ok(Type::Named(name.to_owned())),
                None => Ok(Type::Struct(Shape::parse(inner)?)),
            },
            "list" => Ok(Type::List(boxed(inner)?)),
            "opt" => Ok(Type::Opt(boxed(inner)?)),
            "box" => Ok(Type::Boxed(boxed(inner)?)),
            "set" => Ok(Type::Set(boxed(inner)?)),
            "nonzero" => match boxed(inner)?.as_ref() {
                Type::Scalar(integer) => Ok(Type::Standard(Standard::NonZero(*integer))),
                _ => Err(bad()),
            },
            "map" => {
                let (key, value) = pair()?;
                Ok(Type::Map(boxed(key)?, boxed(value)?))
            }
            "enum" => parse_enum(inner),
            "union" => parse_union(inner),
            _ => Err(bad()),
        }
    }
}

fn parse_enum(json: &Value) -> Result<Type, String> {
    let repr = json.get("repr").and_then(Value::as_str).unwrap_or("u32");
    let repr = match Scalar::named(repr) {
        Some(scalar @ (Scalar::U8 | Scalar::U16 | Scalar::U32)) => scalar,
        _ => return Err(format!("not the repr of an enum: {repr}")),
    };
    let variants = json.get("variants").and_then(Value::as_array).ok_or("enum without variants")?;
    let variants = variants.iter().map(|variant| match variant.as_array().map(Vec::as_slice) {
        Some([Value::String(name), discriminant]) => {
            Ok((name.clone(), super::value::scalar_to_bytes(repr, discriminant)?))
        }
        _ => Err(format!("not an enum variant: {variant}")),
    });
    Ok(Type::Enum(repr, variants.collect::<Result<_, _>>()?))
}

fn parse_union(json: &Value) -> Result<Type, String> {
    let variants = json.as_array().ok_or("union without a list of variants")?;
    let variants = variants.iter().enumerate().map(|(position, variant)| {
        let name = variant.get("name").and_then(Value::as_str).ok_or("union variant without a name")?;
        let tag = variant.get("tag").map_or(Ok(position as u64), number)?;
        let fields = variant.get("fields").map_or_else(|| Shape::parse(&Value::Array(vec![])), Shape::parse)?;
        Ok::<_, String>(Variant { name: name.to_owned(), tag: tag as u32, fields })
    });
    Ok(Type::Union(variants.collect::<Result<_, _>>()?))
}

fn number(json: &Value) -> Result<u64, String> {
    json.as_u64().filter(|&n| n <= MAX_NUMBER).ok_or_else(|| format!("not a number from 0 to {MAX_NUMBER}: {json}"))
}
