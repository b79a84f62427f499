//! Single values from JSON tokens to the bytes of their slots.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::item::Item;
use super::parse::is_number;
use super::spell::BASE64;
use super::{BytesText, JsonErrorKind};
use crate::{EnumLayout, FieldType};

/// A token that is a value of its own.
pub(super) enum Token<'t> {
    Number(&'t str),
    Text(Cow<'t, str>),
    Bool(bool),
    Null,
}

type Converted<T> = Result<T, JsonErrorKind>;

impl<'t> Token<'t> {
    pub(super) fn text(self, expected: &'static str) -> Converted<Cow<'t, str>> {
        match self {
            Self::Text(text) => Ok(text),
            _ => Err(JsonErrorKind::Type(expected)),
        }
    }

    /// The digits of an integer, which may be a number or text.
    fn digits(&self) -> Converted<&str> {
        match self {
            Self::Number(digits) => Ok(digits),
            Self::Text(digits) if is_number(digits) => Ok(digits),
            _ => Err(JsonErrorKind::Type("an integer, as a number or as text")),
        }
    }
}

/// A value of which every byte is in the slot.
pub(super) fn fixed<'t>(field_type: &FieldType, token: Token<'t>) -> Converted<Item<'t>> {
    macro_rules! integer {
        ($integer:ty) => {{
            let value = token.digits()?.parse::<$integer>();
            Item::fixed(&value.map_err(|_| integer_error(&token, stringify!($integer)))?.to_le_bytes())
        }};
    }
    Ok(match field_type {
        FieldType::Bool => match token {
            Token::Bool(value) => Item::fixed(&[u8::from(value)]),
            _ => return Err(JsonErrorKind::Type("true or false")),
        },
        FieldType::U8 => integer!(u8),
        FieldType::U16 => integer!(u16),
        FieldType::U32 => integer!(u32),
        FieldType::U64 => integer!(u64),
        FieldType::U128 => integer!(u128),
        FieldType::I8 => integer!(i8),
        FieldType::I16 => integer!(i16),
        FieldType::I32 => integer!(i32),
        FieldType::I64 => integer!(i64),
        FieldType::I128 => integer!(i128),
        FieldType::NonZero(integer) => match fixed(integer, token)? {
            Item::Fixed(bytes, _) if bytes == [0; 20] => return Err(JsonErrorKind::OutOfRange("an integer but 0")),
            item => item,
        },
        FieldType::F32 => {
            Item::fixed(&float(&token, |text| text.parse().ok(), f32::is_finite, special_f32)?.to_le_bytes())
        }
        FieldType::F64 => {
            Item::fixed(&float(&token, |text| text.parse().ok(), f64::is_finite, special_f64)?.to_le_bytes())
        }
        FieldType::Char => {
            let text = token.text("one character as text")?;
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(char), None) => Item::fixed(&u32::from(char).to_le_bytes()),
                _ => return Err(JsonErrorKind::Type("one character as text")),
            }
        }
        FieldType::Ipv4Addr => Item::fixed(&parsed::<Ipv4Addr>(token, "an IPv4 address as text")?.octets()),
        FieldType::Ipv6Addr => Item::fixed(&parsed::<Ipv6Addr>(token, "an IPv6 address as text")?.octets()),
        FieldType::IpAddr => Item::fixed(&ip_address(parsed(token, "an IP address as text")?)),
        FieldType::SocketAddr => socket_address(parsed(token, "an IP address and port as text")?),
        FieldType::Uuid => Item::fixed(&uuid(&token.text(UUID)?).ok_or(JsonErrorKind::Type(UUID))?),
        FieldType::Decimal => {
            let digits = match &token {
                Token::Number(digits) => digits,
                Token::Text(digits) => digits.as_ref(),
                _ => return Err(JsonErrorKind::Type(DECIMAL)),
            };
            Item::fixed(&decimal(digits).ok_or(JsonErrorKind::Type(DECIMAL))?)
        }
        // The others are read elsewhere.
        _ => match token {
            Token::Null => Item::fixed(&[]),
            _ => return Err(JsonErrorKind::Type("null")),
        },
    })
}

const HEX: &str = "bytes in hexadecimal after 0x, as text";
const BASE_64: &str = "bytes in base64 with padding, as text";
const UUID: &str = "a UUID as text";
const DECIMAL: &str = "a decimal number of 96 bits and at most 28 digits after the point";

/// Why digits are no such integer.
fn integer_error(token: &Token<'_>, name: &'static str) -> JsonErrorKind {
    match token.digits() {
        Ok(digits) if digits.contains(['.', 'e', 'E']) => JsonErrorKind::Type("an integer"),
        _ => JsonErrorKind::OutOfRange(name),
    }
}

fn float<F: Copy>(
    token: &Token<'_>,
    parse: impl Fn(&str) -> Option<F>,
    is_finite: impl Fn(F) -> bool,
    special: impl Fn(&str) -> Option<F>,
) -> Converted<F> {
    match token {
        Token::Number(digits) => {
            parse(digits).filter(|value| is_finite(*value)).ok_or(JsonErrorKind::OutOfRange("a float"))
        }
        Token::Text(text) => special(text).ok_or(JsonErrorKind::Type("a number, NaN, Infinity or -Infinity")),
        _ => Err(JsonErrorKind::Type("a number")),
    }
}

/// The bits in `NaN(0x...)`.
fn nan_bits(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("NaN(0x")?.strip_suffix(')')?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, 16).ok()
}

fn special_f32(text: &str) -> Option<f32> {
    match text {
        "NaN" => Some(f32::NAN),
        "Infinity" => Some(f32::INFINITY),
        "-Infinity" => Some(f32::NEG_INFINITY),
        text => Some(f32::from_bits(u32::try_from(nan_bits(text)?).ok()?)).filter(|value| value.is_nan()),
    }
}

fn special_f64(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        text => Some(f64::from_bits(nan_bits(text)?)).filter(|value| value.is_nan()),
    }
}

fn parsed<T: core::str::FromStr>(token: Token<'_>, expected: &'static str) -> Converted<T> {
    token.text(expected)?.parse().map_err(|_| JsonErrorKind::Type(expected))
}

fn ip_address(address: IpAddr) -> [u8; 17] {
    let mut bytes = [0; 17];
    let (kind, octets) = match &address {
        IpAddr::V4(address) => (4, &address.octets()[..]),
        IpAddr::V6(address) => (6, &address.octets()[..]),
    };
    for (to, from) in bytes.iter_mut().zip([kind].iter().chain(octets)) {
        *to = *from;
    }
    bytes
}

/// The address, a byte of padding, and the port.
fn socket_address<'t>(address: SocketAddr) -> Item<'t> {
    let mut bytes = [0; 20];
    let (ip, port) = (ip_address(address.ip()), address.port().to_le_bytes());
    for (to, from) in bytes.iter_mut().zip(ip.iter().chain(&[0]).chain(&port)) {
        *to = *from;
    }
    Item::fixed(&bytes)
}

fn uuid(text: &str) -> Option<[u8; 16]> {
    let is_hyphen = |index| [8, 13, 18, 23].contains(&index);
    if text.len() != 36 || text.bytes().enumerate().any(|(index, byte)| is_hyphen(index) != (byte == b'-')) {
        return None;
    }
    let mut bytes = [0; 16];
    let mut digits = text.bytes().filter(|byte| *byte != b'-');
    for byte in &mut bytes {
        *byte = hex_digit(digits.next()?)? << 4 | hex_digit(digits.next()?)?;
    }
    Some(bytes)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// The 16 bytes of a decimal number: flags, then 96 bits of digits.
fn decimal(text: &str) -> Option<[u8; 16]> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || (fraction.is_empty() && digits.contains('.')) || fraction.len() > 28 {
        return None;
    }
    let mut mantissa = 0_u128;
    for digit in whole.bytes().chain(fraction.bytes()) {
        let digit = char::from(digit).to_digit(10)?;
        mantissa = mantissa.checked_mul(10)?.checked_add(u128::from(digit))?;
    }
    if mantissa >> 96 != 0 {
        return None;
    }
    let flags = u128::from(is_negative) << 31 | (fraction.len() as u128) << 16;
    Some((mantissa << 32 | flags).to_le_bytes())
}

/// Bytes from their text.
pub(super) fn bytes(token: Token<'_>, spelling: BytesText) -> Converted<Vec<u8>> {
    match spelling {
        BytesText::Hex => hex(&token.text(HEX)?).ok_or(JsonErrorKind::Type(HEX)),
        BytesText::Base64 => base64(&token.text(BASE_64)?).ok_or(JsonErrorKind::Type(BASE_64)),
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.strip_prefix("0x")?.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(hex_digit(*high)? << 4 | hex_digit(*low)?);
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let padding = text.len().saturating_sub(digits.len());
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    for chunk in digits.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for digit in chunk {
            bits = bits << 6 | BASE64.iter().position(|of| of == digit)? as u32;
        }
        let missing = 4_u32.saturating_sub(chunk.len() as u32);
        let [_, a, b, c] = (bits << missing.saturating_mul(6)).to_be_bytes();
        let (kept, cut) = match missing {
            0 => (&[a, b, c][..], &[][..]),
            1 => (&[a, b][..], &[c][..]),
            2 => (&[a][..], &[b, c][..]),
            _ => return None,
        };
        // Digits may not say more than the bytes hold, so that one value has one spelling.
        if cut.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(kept);
    }
    Some(bytes)
}

/// The number of an enum's variant without fields: by name, or, where other numbers have a variant too, by number.
pub(super) fn variant_number(layout: &EnumLayout, token: &Token<'_>) -> Converted<u32> {
    match token {
        Token::Text(name) => match layout.variants.iter().find(|variant| variant.name == *name) {
            Some(variant) if variant.fields.is_none() => Ok(variant.number),
            Some(_) => Err(JsonErrorKind::Type("an object: this variant has fields")),
            None => Err(JsonErrorKind::UnknownVariant(name.as_ref().into())),
        },
        Token::Number(digits) if layout.other.is_some() => {
            let max = match layout.number {
                FieldType::U8 => u32::from(u8::MAX),
                FieldType::U16 => u32::from(u16::MAX),
                _ => u32::MAX,
            };
            digits.parse().ok().filter(|number| *number <= max).ok_or(JsonErrorKind::OutOfRange("the enum's number"))
        }
        _ => Err(JsonErrorKind::Type("the name of a variant")),
    }
}

/// The number of an enum without data, as wide as its slot.
pub(super) fn plain_enum<'t>(layout: &EnumLayout, number: u32) -> Item<'t> {
    let bytes = number.to_le_bytes();
    let [low, high, ..] = bytes;
    match layout.number {
        FieldType::U8 => Item::fixed(&[low]),
        FieldType::U16 => Item::fixed(&[low, high]),
        _ => Item::fixed(&bytes),
    }
}
