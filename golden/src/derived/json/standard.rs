//! The JSON forms of the standard library's types, and of those spelled like them.

use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rust_decimal::Decimal;
use serde_json::{Value, json};
use uuid::Uuid;
use zap_core::{DecodeError, MapKey, MapView, NativeSlot, SetView};

use super::{Json, ReadJson, read_all, string};
use crate::oracle::value::{hex, unhex};

/// Types that are read as what they are.
macro_rules! leaf {
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

        impl ReadJson for $ty {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(self.to_json())
            }
        }
    )*};
}

fn parsed<T: std::str::FromStr>(value: &Value) -> Result<T, String> {
    string(value)?.parse().map_err(|_| format!("not of this type: {value}"))
}

fn sixteen(value: &Value) -> Result<[u8; 16], String> {
    unhex(string(value)?)?.try_into().map_err(|_| format!("not 16 bytes: {value}"))
}

fn time(seconds: i64, nanoseconds: u32) -> Option<SystemTime> {
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let second = if seconds < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    second?.checked_add(Duration::from_nanos(nanoseconds.into()))
}

/// Whole seconds, rounded down, and nanoseconds from there.
fn parts(time: SystemTime) -> (i128, u32) {
    let nanoseconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(error) => -(error.duration().as_nanos() as i128),
    };
    (nanoseconds.div_euclid(1_000_000_000), nanoseconds.rem_euclid(1_000_000_000) as u32)
}

leaf! {
    NonZero<u8>: |value| parsed(value), |item| json!(item.to_string());
    NonZero<u16>: |value| parsed(value), |item| json!(item.to_string());
    NonZero<u32>: |value| parsed(value), |item| json!(item.to_string());
    NonZero<u128>: |value| parsed(value), |item| json!(item.to_string());
    NonZero<i16>: |value| parsed(value), |item| json!(item.to_string());
    NonZero<i64>: |value| parsed(value), |item| json!(item.to_string());
    Duration: |value| Ok(Self::new(parsed(&value[0])?, parsed(&value[1])?)),
        |item| json!([item.as_secs().to_string(), item.subsec_nanos().to_string()]);
    SystemTime: |value| time(parsed(&value[0])?, parsed(&value[1])?).ok_or_else(|| format!("no such time: {value}")),
        |item| {
            let (seconds, nanoseconds) = parts(*item);
            json!([seconds.to_string(), nanoseconds.to_string()])
        };
    Ipv4Addr: |value| parsed(value), |item| json!(item.to_string());
    Ipv6Addr: |value| parsed(value), |item| json!(item.to_string());
    IpAddr: |value| parsed(value), |item| json!(item.to_string());
    SocketAddr: |value| parsed(value), |item| json!(item.to_string());
    Uuid: |value| sixteen(value).map(Self::from_bytes), |item| json!(hex(item.as_bytes()));
    Decimal: |value| sixteen(value).map(Self::deserialize), |item| json!(hex(&item.serialize()));
    PhantomData<Vec<String>>: |_value| Ok(Self), |_item| Value::Null;
}

impl Json for Arc<str> {
    fn from_json(value: &Value) -> Result<Self, String> {
        string(value).map(Self::from)
    }
    fn to_json(&self) -> Value {
        json!(&**self)
    }
}

impl Json for Arc<[u8]> {
    fn from_json(value: &Value) -> Result<Self, String> {
        unhex(string(value)?).map(Self::from)
    }
    fn to_json(&self) -> Value {
        json!(hex(self))
    }
}

impl<T: Json> Json for Box<T> {
    fn from_json(value: &Value) -> Result<Self, String> {
        T::from_json(value).map(Self::new)
    }
    fn to_json(&self) -> Value {
        (**self).to_json()
    }
}

impl<K: Json + Ord, V: Json> Json for BTreeMap<K, V> {
    fn from_json(value: &Value) -> Result<Self, String> {
        let entries = value.as_array().ok_or_else(|| format!("not an array: {value}"))?;
        entries.iter().map(|entry| Ok((K::from_json(&entry[0])?, V::from_json(&entry[1])?))).collect()
    }
    fn to_json(&self) -> Value {
        self.iter().map(|(key, value)| json!([key.to_json(), value.to_json()])).collect()
    }
}

impl<K: Json + Ord> Json for BTreeSet<K> {
    fn from_json(value: &Value) -> Result<Self, String> {
        value.as_array().ok_or_else(|| format!("not an array: {value}"))?.iter().map(K::from_json).collect()
    }
    fn to_json(&self) -> Value {
        self.iter().map(K::to_json).collect()
    }
}

impl<'m, K: MapKey, V: NativeSlot> ReadJson for MapView<'m, K, V>
where
    K::Get<'m>: ReadJson,
    V::Get<'m>: ReadJson,
{
    fn read_json(&self) -> Result<Value, DecodeError> {
        self.iter().map(|(key, value)| Ok(json!([key.read_json()?, value.read_json()?]))).collect()
    }
}

impl<'m, K: MapKey> ReadJson for SetView<'m, K>
where
    K::Get<'m>: ReadJson,
{
    fn read_json(&self) -> Result<Value, DecodeError> {
        read_all(*self)
    }
}

/// Tuples are objects, as the records that they are on the wire.
macro_rules! tuples {
    ($($item:ident $index:tt),*) => {
        impl<$($item: Json),*> Json for ($($item,)*) {
            fn from_json(value: &Value) -> Result<Self, String> {
                Ok(($($item::from_json(&value[stringify!($index)])?,)*))
            }
            fn to_json(&self) -> Value {
                json!({ $(stringify!($index): self.$index.to_json()),* })
            }
        }

        impl<$($item: ReadJson),*> ReadJson for ($($item,)*) {
            fn read_json(&self) -> Result<Value, DecodeError> {
                Ok(json!({ $(stringify!($index): self.$index.read_json()?),* }))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
