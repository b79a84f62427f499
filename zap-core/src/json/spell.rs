//! How JSON spells single values: numbers, text, bytes, times, addresses and the like.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write};

use super::{BytesText, IntegerText, JsonOptions};
use crate::dynamic::Value;

/// The largest integer up to which every integer is a number of its own in JavaScript: 2^53 - 1.
const MAX_SAFE: u64 = (1 << 53) - 1;

/// Writes a value that is no list, map, record, optional or variant with fields.
pub(crate) fn single(out: &mut impl Write, value: &Value<'_>, options: &JsonOptions) -> fmt::Result {
    match value {
        Value::Bool(value) => write!(out, "{value}"),
        Value::U8(value) => write!(out, "{value}"),
        Value::U16(value) => write!(out, "{value}"),
        Value::U32(value) => write!(out, "{value}"),
        Value::U64(value) => integer(out, *value <= MAX_SAFE, value, options),
        Value::U128(value) => integer(out, *value <= u128::from(MAX_SAFE), value, options),
        Value::I8(value) => write!(out, "{value}"),
        Value::I16(value) => write!(out, "{value}"),
        Value::I32(value) => write!(out, "{value}"),
        Value::I64(value) => integer(out, value.unsigned_abs() <= MAX_SAFE, value, options),
        Value::I128(value) => integer(out, value.unsigned_abs() <= u128::from(MAX_SAFE), value, options),
        // `{:?}` has the fewest digits that read back as the same number, an exponent where that is shorter, and always
        // a point or an exponent: all of it valid JSON.
        Value::F32(value) if value.is_finite() => write!(out, "{value:?}"),
        Value::F64(value) if value.is_finite() => write!(out, "{value:?}"),
        Value::F32(value) => {
            let is_plain = value.to_bits() == f32::NAN.to_bits();
            not_finite(out, f64::from(*value), is_plain, u64::from(value.to_bits()), 8)
        }
        Value::F64(value) => not_finite(out, *value, value.to_bits() == f64::NAN.to_bits(), value.to_bits(), 16),
        Value::Char(value) => text(out, value.encode_utf8(&mut [0; 4])),
        Value::Text(value) => text(out, value),
        Value::Bytes(value) => bytes(out, value, options),
        Value::Duration(value) => {
            let (seconds, nanoseconds) = (Value::U64(value.as_secs()), value.subsec_nanos());
            time(out, ["secs", "nanos"], &seconds, nanoseconds, options)
        }
        Value::SystemTime { seconds, nanoseconds } => {
            let names = ["secs_since_epoch", "nanos_since_epoch"];
            time(out, names, &Value::I64(*seconds), *nanoseconds, options)
        }
        Value::Ipv4Addr(value) => write!(out, "\"{value}\""),
        Value::Ipv6Addr(value) => write!(out, "\"{value}\""),
        Value::IpAddr(value) => write!(out, "\"{value}\""),
        Value::SocketAddr(value) => write!(out, "\"{value}\""),
        Value::Uuid(value) => write!(out, "\"{}\"", Uuid(value)),
        Value::Decimal(value) => write!(out, "\"{}\"", Decimal(value)),
        _ => out.write_str("null"),
    }
}

/// Writes a value as the key of an object: always text.
pub(super) fn key(out: &mut impl Write, value: &Value<'_>, options: &JsonOptions) -> fmt::Result {
    let options = JsonOptions { integers: IntegerText::Numbers, ..*options };
    match value {
        Value::Enum(value) => match value.variant() {
            Some(variant) => text(out, variant.name),
            None => write!(out, "\"{}\"", value.number()),
        },
        Value::Bool(_) => quoted(out, value, &options),
        Value::U8(_) | Value::U16(_) | Value::U32(_) | Value::U64(_) | Value::U128(_) => quoted(out, value, &options),
        Value::I8(_) | Value::I16(_) | Value::I32(_) | Value::I64(_) | Value::I128(_) => quoted(out, value, &options),
        value => single(out, value, &options),
    }
}

fn quoted(out: &mut impl Write, value: &Value<'_>, options: &JsonOptions) -> fmt::Result {
    out.write_char('"')?;
    single(out, value, options)?;
    out.write_char('"')
}

fn integer(out: &mut impl Write, is_safe: bool, value: &impl fmt::Display, options: &JsonOptions) -> fmt::Result {
    if is_safe || options.integers == IntegerText::Numbers {
        write!(out, "{value}")
    } else {
        write!(out, "\"{value}\"")
    }
}

/// NaN and the infinities, which JSON has no numbers for. A NaN with other bits than Rust's own keeps them.
fn not_finite(out: &mut impl Write, value: f64, is_plain: bool, bits: u64, digits: usize) -> fmt::Result {
    match value {
        value if value == f64::INFINITY => out.write_str("\"Infinity\""),
        value if value == f64::NEG_INFINITY => out.write_str("\"-Infinity\""),
        _ if is_plain => out.write_str("\"NaN\""),
        _ => write!(out, "\"NaN(0x{bits:0digits$x})\""),
    }
}

/// As serde spells `Duration` and `SystemTime`.
fn time(
    out: &mut impl Write,
    [seconds_name, nanoseconds_name]: [&str; 2],
    seconds: &Value<'_>,
    nanoseconds: u32,
    options: &JsonOptions,
) -> fmt::Result {
    let (comma, space) = if options.pretty { (", ", " ") } else { (",", "") };
    write!(out, "{{\"{seconds_name}\":{space}")?;
    single(out, seconds, options)?;
    write!(out, "{comma}\"{nanoseconds_name}\":{space}{nanoseconds}}}")
}

/// Writes a string with the escapes of RFC 8259: the two that must be, the short ones, and `\u00xx` for the other
/// control characters.
pub(super) fn text(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    while let Some(end) = rest.find(|char: char| char < ' ' || char == '"' || char == '\\') {
        let (plain, special) = rest.split_at_checked(end).unwrap_or((rest, ""));
        out.write_str(plain)?;
        let mut chars = special.chars();
        match chars.next() {
            Some('"') => out.write_str("\\\""),
            Some('\\') => out.write_str("\\\\"),
            Some('\n') => out.write_str("\\n"),
            Some('\r') => out.write_str("\\r"),
            Some('\t') => out.write_str("\\t"),
            Some('\u{8}') => out.write_str("\\b"),
            Some('\u{c}') => out.write_str("\\f"),
            Some(char) => write!(out, "\\u{:04x}", u32::from(char)),
            None => Ok(()),
        }?;
        rest = chars.as_str();
    }
    out.write_str(rest)?;
    out.write_char('"')
}

fn bytes(out: &mut impl Write, bytes: &[u8], options: &JsonOptions) -> fmt::Result {
    match options.bytes {
        BytesText::Hex => write!(out, "\"0x{}\"", Hex(bytes)),
        BytesText::Base64 => write!(out, "\"{}\"", Base64(bytes)),
    }
}

/// Two lowercase digits a byte.
pub(crate) struct Hex<'b>(pub(crate) &'b [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

pub(super) const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The standard alphabet of RFC 4648 with padding.
struct Base64<'b>(&'b [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.chunks(3) {
            let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
                // A chunk of n bytes has n + 1 digits.
                let digit = BASE64.get((bits >> shift) as usize & 63).filter(|_| index <= chunk.len());
                f.write_char(digit.map_or('=', |digit| char::from(*digit)))?;
            }
        }
        Ok(())
    }
}

/// Lowercase with hyphens, as RFC 9562 writes it.
pub(crate) struct Uuid<'b>(pub(crate) &'b [u8; 16]);

impl fmt::Display for Uuid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, byte) in self.0.iter().enumerate() {
            if [4, 6, 8, 10].contains(&index) {
                f.write_char('-')?;
            }
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A decimal number with all its digits, those after the point included: `1.50` and `1.5` are different bytes.
pub(crate) struct Decimal<'b>(pub(crate) &'b [u8; 16]);

impl fmt::Display for Decimal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = u128::from_le_bytes(*self.0);
        // The first four bytes are the flags: the scale in bits 16 to 23, the sign in bit 31.
        let (flags, digits) = (word as u32, word >> 32);
        let (scale, is_negative) = ((flags >> 16 & 0xff) as usize, flags >> 31 == 1);
        if is_negative {
            f.write_char('-')?;
        }
        let Some(unit) = u32::try_from(scale).ok().and_then(|scale| 10_u128.checked_pow(scale)) else {
            return write!(f, "{digits}e-{scale}");
        };
        let (whole, fraction) = (digits.checked_div(unit).unwrap_or(0), digits.checked_rem(unit).unwrap_or(0));
        if scale == 0 { write!(f, "{whole}") } else { write!(f, "{whole}.{fraction:0scale$}") }
    }
}
