//! Values: the JSON forms of scalars and bytes, to little-endian bytes and back.

use super::shape::{Scalar, Shape, Type};
use serde_json::{Map, Value, json};

/// The object of a record, checked to have exactly the shape's fields.
pub(super) fn object<'v>(shape: &Shape, value: &'v Value) -> Result<&'v Map<String, Value>, String> {
    let object = value.as_object().ok_or_else(|| format!("not an object: {value}"))?;
    for name in object.keys() {
        if !shape.fields.iter().any(|field| field.name == *name) {
            return Err(format!("the shape has no field {name}"));
        }
    }
    Ok(object)
}

/// One field's value.
pub(super) fn field<'v>(object: &'v Map<String, Value>, name: &str) -> Result<&'v Value, String> {
    object.get(name).ok_or_else(|| format!("{name}: no value"))
}

/// The elements of a list value.
pub(super) fn array(value: &Value) -> Result<&[Value], String> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| format!("not an array: {value}"))
}

/// The characters of a text value.
pub(super) fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("not a string: {value}"))
}

/// Bytes as text.
pub(super) fn text_value(bytes: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "text is not UTF-8")?;
    Ok(Value::from(text))
}

/// Lowercase hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a lowercase hex string.
pub(crate) fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let bad = || format!("not lowercase hex: {text:?}");
    let digits = text.chars().map(|c| c.to_digit(16).filter(|_| !c.is_ascii_uppercase()).ok_or_else(bad));
    let digits = digits.collect::<Result<Vec<u32>, _>>()?;
    if digits.len() % 2 != 0 {
        return Err(bad());
    }
    Ok(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + *digit as u8)).collect())
}

/// The bytes of a hex value.
pub(super) fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    unhex(text(value)?)
}

/// The one character of a char value.
pub(super) fn char_to_bytes(value: &Value) -> Result<Vec<u8>, String> {
    let mut chars = text(value)?.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(u32::from(c).to_le_bytes().to_vec()),
        _ => Err(format!("not one character: {value}")),
    }
}

/// Four bytes as a character.
pub(super) fn char_from_bytes(bytes: &[u8]) -> Result<Value, String> {
    let code = little_endian(bytes) as u32;
    char::from_u32(code).map(|c| Value::from(c.to_string())).ok_or_else(|| format!("not a char: 0x{code:x}"))
}

/// A scalar value as its little-endian bytes.
pub(super) fn scalar_to_bytes(scalar: Scalar, value: &Value) -> Result<Vec<u8>, String> {
    fn int<T: std::str::FromStr>(value: &Value) -> Result<T, String> {
        value.as_str().and_then(|s| s.parse().ok()).ok_or_else(|| format!("not a decimal string in range: {value}"))
    }
    Ok(match scalar {
        Scalar::Bool => vec![u8::from(value.as_bool().ok_or_else(|| format!("not a bool: {value}"))?)],
        Scalar::U8 => int::<u8>(value)?.to_le_bytes().to_vec(),
        Scalar::U16 => int::<u16>(value)?.to_le_bytes().to_vec(),
        Scalar::U32 => int::<u32>(value)?.to_le_bytes().to_vec(),
        Scalar::U64 => int::<u64>(value)?.to_le_bytes().to_vec(),
        Scalar::U128 => int::<u128>(value)?.to_le_bytes().to_vec(),
        Scalar::I8 => int::<i8>(value)?.to_le_bytes().to_vec(),
        Scalar::I16 => int::<i16>(value)?.to_le_bytes().to_vec(),
        Scalar::I32 => int::<i32>(value)?.to_le_bytes().to_vec(),
        Scalar::I64 => int::<i64>(value)?.to_le_bytes().to_vec(),
        Scalar::I128 => int::<i128>(value)?.to_le_bytes().to_vec(),
        Scalar::F32 | Scalar::F64 => {
            let bits = value.get("bits").ok_or_else(|| format!("not the bits of a float: {value}"))?;
            let mut bits = bytes(bits)?;
            if bits.len() as u64 != scalar.width() {
                return Err(format!("not the bits of a float of this width: {value}"));
            }
            bits.reverse();
            bits
        }
    })
}

/// The scalar value that little-endian bytes stand for.
pub(super) fn scalar_from_bytes(scalar: Scalar, bytes: &[u8]) -> Value {
    let n = little_endian(bytes);
    match scalar {
        Scalar::Bool => Value::from(n != 0),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::U128 => Value::from(n.to_string()),
        Scalar::I8 => Value::from((n as i8).to_string()),
        Scalar::I16 => Value::from((n as i16).to_string()),
        Scalar::I32 => Value::from((n as i32).to_string()),
        Scalar::I64 => Value::from((n as i64).to_string()),
        Scalar::I128 => Value::from((n as i128).to_string()),
        Scalar::F32 | Scalar::F64 => json!({ "bits": hex(&bytes.iter().rev().copied().collect::<Vec<_>>()) }),
    }
}

/// At most 16 bytes as a number.
pub(super) fn little_endian(bytes: &[u8]) -> u128 {
    bytes.iter().take(16).rev().fold(0, |n, byte| n << 8 | u128::from(*byte))
}

/// The value that stands for "nothing was written": zero, empty, absent; of an enum the first variant.
pub(super) fn zero(ty: &Type) -> Value {
    match ty {
        Type::Scalar(scalar) => scalar_from_bytes(*scalar, &vec![0; scalar.width() as usize]),
        Type::Char => Value::from("\0"),
        Type::Text | Type::Bytes | Type::Named(_) => Value::from(""),
        Type::BytesFixed(n) => Value::from("00".repeat(*n as usize)),
        Type::Array(element, n) => (0..*n).map(|_| zero(element)).collect(),
        Type::Struct(shape) => zero_record(shape),
        Type::List(_) | Type::Map(..) | Type::Set(_) => Value::Array(vec![]),
        Type::Opt(_) => Value::Null,
        Type::Boxed(inner) => zero(inner),
        Type::Standard(standard) => standard.zero(),
        Type::Enum(_, variants) => variants.first().map_or(Value::Null, |(name, _)| Value::from(name.as_str())),
        Type::Union(variants) => variants
            .first()
            .map_or(Value::Null, |variant| json!({ variant.name.as_str(): zero_record(&variant.fields) })),
    }
}

/// A record whose fields are all [`zero`].
pub(super) fn zero_record(shape: &Shape) -> Value {
    Value::Object(shape.fields.iter().map(|field| (field.name.clone(), zero(&field.ty))).collect())
}
