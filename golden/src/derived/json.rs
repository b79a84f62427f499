//! Values of the vectors' JSON forms, to Rust values and back; and what views read, to the same forms.

mod standard;

use bytes::Bytes;
use serde_json::{Value, json};
use zap_core::{DecodeError, Element, ListView, Native, Slot, StreamDialect, StreamView};

use super::ReadJson;
use crate::oracle::value::{hex, unhex};

/// A type with a JSON form.
pub(crate) trait Json: Sized {
    fn from_json(value: &Value) -> Result<Self, String>;
    fn to_json(&self) -> Value;

    /// A sequence of such; of bytes it is hex.
    fn many_from_json(value: &Value) -> Result<Vec<Self>, String> {
        value.as_array().ok_or_else(|| format!("not an array: {value}"))?.iter().map(Self::from_json).collect()
    }
    fn many_to_json(items: &[Self]) -> Value {
        items.iter().map(Self::to_json).collect()
    }
}

fn string(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("not a string: {value}"))
}

macro_rules! integers {
    ($($integer:ty { $($many:tt)* })*) => {$(
        impl Json for $integer {
            fn from_json(value: &Value) -> Result<Self, String> {
                string(value)?.parse().map_err(|error| format!("{value}: {error}"))
            }
            fn to_json(&self) -> Value {
                json!(self.to_string())
            }
            $($many)*
        }

        impl ReadJson for $integer {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(self.to_json())
            }
        }
    )*};
}

integers! {
    u8 {
        fn many_from_json(value: &Value) -> Result<Vec<u8>, String> {
            unhex(string(value)?)
        }
        fn many_to_json(items: &[u8]) -> Value {
            json!(hex(items))
        }
    }
    u16 {} u32 {} u64 {} u128 {} i8 {} i16 {} i32 {} i64 {} i128 {}
}

/// Floats are their bits, most significant digit first.
macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Json for $float {
            fn from_json(value: &Value) -> Result<Self, String> {
                let bits = value.get("bits").ok_or_else(|| format!("not the bits of a float: {value}"))?;
                let bytes = unhex(string(bits)?)?.try_into().map_err(|_| format!("not a float of this width: {value}"))?;
                Ok(Self::from_be_bytes(bytes))
            }
            fn to_json(&self) -> Value {
                json!({ "bits": hex(&self.to_be_bytes()) })
            }
        }

        impl ReadJson for $float {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(self.to_json())
            }
        }
    )*};
}

floats!(f32, f64);

macro_rules! plain {
    ($($ty:ty: |$value:ident| $from:expr, |$item:ident| $to:expr;)*) => {$(
        impl Json for $ty {
            fn from_json($value: &Value) -> Result<Self, String> {
                $from
            }
            fn to_json(&self) -> Value {
                let $item = self;
                $to
            }
        }
    )*};
}

plain! {
    bool: |value| value.as_bool().ok_or_else(|| format!("not a bool: {value}")), |item| json!(item);
    char: |value| string(value)?.parse().map_err(|error| format!("{value}: {error}")), |item| json!(item);
    String: |value| string(value).map(str::to_owned), |item| json!(item);
    Bytes: |value| unhex(string(value)?).map(Bytes::from), |item| json!(hex(item));
}

impl<T: Json> Json for Vec<T> {
    fn from_json(value: &Value) -> Result<Self, String> {
        T::many_from_json(value)
    }
    fn to_json(&self) -> Value {
        T::many_to_json(self)
    }
}

impl<T: Json, const N: usize> Json for [T; N] {
    fn from_json(value: &Value) -> Result<Self, String> {
        T::many_from_json(value)?.try_into().map_err(|_| format!("not {N} elements: {value}"))
    }
    fn to_json(&self) -> Value {
        T::many_to_json(self)
    }
}

impl<T: Json> Json for Option<T> {
    fn from_json(value: &Value) -> Result<Self, String> {
        if value.is_null() { Ok(None) } else { T::from_json(value).map(Some) }
    }
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_json)
    }
}

macro_rules! read {
    ($($ty:ty: |$item:ident| $to:expr;)*) => {$(
        impl ReadJson for $ty {
            fn read_json(&self) -> Result<Value, DecodeError> {
                let $item = self;
                Ok($to)
            }
        }
    )*};
}

read! {
    bool: |item| json!(item);
    char: |item| json!(item);
    &str: |item| json!(item);
    &[u8]: |item| json!(hex(item));
}

impl<const N: usize> ReadJson for &[u8; N] {
    fn read_json(&self) -> Result<Value, DecodeError> {
        Ok(json!(hex(self.as_slice())))
    }
}

fn read_all<T: ReadJson>(items: impl IntoIterator<Item = T>) -> Result<Value, DecodeError> {
    items.into_iter().map(|item| item.read_json()).collect()
}

impl<T: ReadJson + Copy, const N: usize> ReadJson for [T; N] {
    fn read_json(&self) -> Result<Value, DecodeError> {
        read_all(*self)
    }
}

impl<T: ReadJson> ReadJson for Option<T> {
    fn read_json(&self) -> Result<Value, DecodeError> {
        self.as_ref().map_or(Ok(Value::Null), T::read_json)
    }
}

impl<T: ReadJson> ReadJson for Result<T, DecodeError> {
    fn read_json(&self) -> Result<Value, DecodeError> {
        self.as_ref().map_err(|error| *error)?.read_json()
    }
}

impl<'m, T: Slot<Native>> ReadJson for ListView<'m, T>
where
    T::Get<'m>: ReadJson,
{
    fn read_json(&self) -> Result<Value, DecodeError> {
        read_all(*self)
    }
}

impl<'m, T: Element<D>, D: StreamDialect> ReadJson for StreamView<'m, T, D>
where
    T::Item<'m>: ReadJson,
{
    fn read_json(&self) -> Result<Value, DecodeError> {
        read_all(*self)
    }
}
