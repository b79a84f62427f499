//! Types of a fixed number of bytes that are more than a number: integers that are not zero, times, addresses.

use super::shape::Scalar;
use super::value::{bytes, hex, little_endian, scalar_from_bytes, scalar_to_bytes, text};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Standard {
    NonZero(Scalar),
    Duration,
    SystemTime,
    Ipv4,
    Ipv6,
    Ip,
    SocketAddr,
    Uuid,
    Decimal,
    Nothing,
}

impl Standard {
    pub(super) fn named(name: &str) -> Option<Standard> {
        Some(match name {
            "duration" => Standard::Duration,
            "system_time" => Standard::SystemTime,
            "ipv4" => Standard::Ipv4,
            "ipv6" => Standard::Ipv6,
            "ip" => Standard::Ip,
            "socket_addr" => Standard::SocketAddr,
            "uuid" => Standard::Uuid,
            "decimal" => Standard::Decimal,
            "nothing" => Standard::Nothing,
            _ => return None,
        })
    }

    /// Width and alignment.
    pub(super) fn slot(self) -> (u64, u64) {
        match self {
            Standard::NonZero(integer) => (integer.width(), integer.width().min(8)),
            Standard::Duration | Standard::SystemTime => (16, 8),
            Standard::Ipv4 => (4, 1),
            Standard::Ipv6 | Standard::Uuid | Standard::Decimal => (16, 1),
            Standard::Ip => (17, 1),
            Standard::SocketAddr => (20, 2),
            Standard::Nothing => (0, 1),
        }
    }

    pub(super) fn to_bytes(self, value: &Value) -> Result<Vec<u8>, String> {
        let bad = |_| format!("not an address: {value}");
        match self {
            Standard::NonZero(integer) => {
                let bytes = scalar_to_bytes(integer, value)?;
                if bytes.iter().all(|byte| *byte == 0) { Err("zero".into()) } else { Ok(bytes) }
            }
            Standard::Duration => time_to_bytes(Scalar::U64, value),
            Standard::SystemTime => time_to_bytes(Scalar::I64, value),
            Standard::Ipv4 | Standard::Ipv6 => match text(value)?.parse::<IpAddr>().map_err(bad)? {
                IpAddr::V4(address) if self == Standard::Ipv4 => Ok(address.octets().to_vec()),
                IpAddr::V6(address) if self == Standard::Ipv6 => Ok(address.octets().to_vec()),
                _ => Err(format!("not an address of this version: {value}")),
            },
            Standard::Ip => Ok(address_to_bytes(text(value)?.parse().map_err(bad)?)),
            Standard::SocketAddr => {
                let address = text(value)?.parse::<SocketAddr>().map_err(bad)?;
                let mut bytes = address_to_bytes(address.ip());
                bytes.push(0);
                bytes.extend(address.port().to_le_bytes());
                Ok(bytes)
            }
            Standard::Uuid | Standard::Decimal => match bytes(value)? {
                bytes if bytes.len() == 16 => Ok(bytes),
                _ => Err(format!("not 16 bytes: {value}")),
            },
            Standard::Nothing if value.is_null() => Ok(vec![]),
            Standard::Nothing => Err(format!("not null: {value}")),
        }
    }

    /// The value of as many bytes as the slot has.
    pub(super) fn value_of(self, bytes: &[u8]) -> Result<Value, String> {
        match self {
            Standard::NonZero(_) if bytes.iter().all(|byte| *byte == 0) => Err("zero".into()),
            Standard::NonZero(integer) => Ok(scalar_from_bytes(integer, bytes)),
            Standard::Duration => time_of(Scalar::U64, bytes),
            Standard::SystemTime => time_of(Scalar::I64, bytes),
            Standard::Ipv4 => address_of(4, bytes),
            Standard::Ipv6 => address_of(6, bytes),
            Standard::Ip | Standard::SocketAddr => {
                let (kind, rest) = bytes.split_first().ok_or("no kind")?;
                let address = address_of(*kind, rest)?;
                if self == Standard::Ip {
                    return Ok(address);
                }
                let address = text(&address)?.parse::<IpAddr>().map_err(|error| error.to_string())?;
                let port = little_endian(bytes.get(18..).unwrap_or_default()) as u16;
                Ok(json!(SocketAddr::new(address, port).to_string()))
            }
            Standard::Uuid => Ok(json!(hex(bytes))),
            Standard::Decimal => decimal(bytes),
            Standard::Nothing => Ok(Value::Null),
        }
    }

    /// The value that nothing but zeros would be, whether or not it is one.
    pub(super) fn zero(self) -> Value {
        match self {
            Standard::NonZero(_) => json!("0"),
            Standard::Duration | Standard::SystemTime => json!(["0", "0"]),
            Standard::Ipv4 | Standard::Ip => json!("0.0.0.0"),
            Standard::Ipv6 => json!("::"),
            Standard::SocketAddr => json!("0.0.0.0:0"),
            Standard::Uuid | Standard::Decimal => json!("00".repeat(16)),
            Standard::Nothing => Value::Null,
        }
    }
}

/// Eight bytes of seconds, four of nanoseconds, four of padding.
fn time_to_bytes(seconds: Scalar, value: &Value) -> Result<Vec<u8>, String> {
    let mut bytes = scalar_to_bytes(seconds, &value[0])?;
    bytes.extend(scalar_to_bytes(Scalar::U32, &value[1])?);
    bytes.extend([0; 4]);
    time_of(seconds, &bytes).map(|_| bytes)
}

fn time_of(seconds: Scalar, bytes: &[u8]) -> Result<Value, String> {
    let part = |range| bytes.get(range).unwrap_or_default();
    if little_endian(part(8..12)) >= 1_000_000_000 {
        return Err("a second has less than 10^9 nanoseconds".into());
    }
    Ok(json!([scalar_from_bytes(seconds, part(0..8)), scalar_from_bytes(Scalar::U32, part(8..12))]))
}

/// A byte 4 or 6, then sixteen bytes.
fn address_to_bytes(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => [&[4][..], &address.octets(), &[0; 12]].concat(),
        IpAddr::V6(address) => [&[6][..], &address.octets()].concat(),
    }
}

/// What stands behind the four bytes of a version 4 address is not read.
fn address_of(kind: u8, bytes: &[u8]) -> Result<Value, String> {
    match (kind, bytes.first_chunk::<4>(), bytes.first_chunk::<16>()) {
        (4, Some(octets), _) => Ok(json!(IpAddr::from(*octets).to_string())),
        (6, _, Some(octets)) => Ok(json!(IpAddr::from(*octets).to_string())),
        _ => Err(format!("no address is of kind {kind}")),
    }
}

/// `rust_decimal`'s form: two bytes that are zero, the scale up to 28, the sign in the highest bit, and 96 bits.
fn decimal(bytes: &[u8]) -> Result<Value, String> {
    match bytes {
        [0, 0, 0..=28, 0 | 0x80, ..] => Ok(json!(hex(bytes))),
        _ => Err("not a decimal".into()),
    }
}
