//! The order of map keys and set elements: as Rust's `Ord` has it.

use crate::oracle::shape::{Scalar, Type};
use crate::oracle::standard::Standard;
use crate::oracle::value;
use serde_json::Value;
use std::cmp::Ordering;

/// Compares two values of a type that can be a key.
pub(super) fn compare(ty: &Type, a: &Value, b: &Value) -> Result<Ordering, String> {
    match ty {
        Type::Scalar(Scalar::F32 | Scalar::F64) => Err("floats have no order".into()),
        Type::Scalar(scalar) => {
            let (a, b) = (value::scalar_to_bytes(*scalar, a)?, value::scalar_to_bytes(*scalar, b)?);
            let (a, b) = (value::little_endian(&a), value::little_endian(&b));
            Ok(match scalar {
                Scalar::I8 => (a as i8).cmp(&(b as i8)),
                Scalar::I16 => (a as i16).cmp(&(b as i16)),
                Scalar::I32 => (a as i32).cmp(&(b as i32)),
                Scalar::I64 => (a as i64).cmp(&(b as i64)),
                Scalar::I128 => (a as i128).cmp(&(b as i128)),
                _ => a.cmp(&b),
            })
        }
        Type::Standard(Standard::NonZero(integer)) => compare(&Type::Scalar(*integer), a, b),
        Type::Standard(standard @ (Standard::Duration | Standard::SystemTime)) => {
            let seconds = if *standard == Standard::Duration { Scalar::U64 } else { Scalar::I64 };
            let order = compare(&Type::Scalar(seconds), &a[0], &b[0])?;
            Ok(order.then(compare(&Type::Scalar(Scalar::U32), &a[1], &b[1])?))
        }
        // The kind first, then the address.
        Type::Standard(standard @ (Standard::Ipv4 | Standard::Ipv6 | Standard::Ip | Standard::Uuid)) => {
            Ok(standard.to_bytes(a)?.cmp(&standard.to_bytes(b)?))
        }
        // Byte order of UTF-8, which is the order of the code points.
        Type::Char | Type::Text => Ok(value::text(a)?.as_bytes().cmp(value::text(b)?.as_bytes())),
        Type::Bytes | Type::BytesFixed(_) => Ok(value::bytes(a)?.cmp(&value::bytes(b)?)),
        Type::Array(element, _) | Type::List(element) => {
            let (a, b) = (value::array(a)?, value::array(b)?);
            for (a, b) in a.iter().zip(b) {
                let order = compare(element, a, b)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            Ok(a.len().cmp(&b.len()))
        }
        Type::Struct(shape) => {
            let (a, b) = (value::object(shape, a)?, value::object(shape, b)?);
            for field in &shape.fields {
                let order = compare(&field.ty, value::field(a, &field.name)?, value::field(b, &field.name)?)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            Ok(Ordering::Equal)
        }
        Type::Opt(_) if a.is_null() || b.is_null() => Ok((!a.is_null()).cmp(&!b.is_null())),
        Type::Opt(inner) | Type::Boxed(inner) => compare(inner, a, b),
        Type::Enum(_, variants) => {
            let number = |value: &Value| {
                let found = variants.iter().find(|(name, _)| *value == name.as_str());
                found.map(|(_, n)| value::little_endian(n)).ok_or_else(|| format!("no such variant: {value}"))
            };
            Ok(number(a)?.cmp(&number(b)?))
        }
        _ => Err(format!("no order of {ty:?}")),
    }
}
