//! Standard types that are a fixed number of bytes: integers that are not zero, times, addresses, identifiers.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::marker::PhantomData;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::num::NonZero;
use core::time::Duration;

use crate::native_slot::native_slot;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{
    DecodeError, DecodeErrorKind, DecodeSlot, Dialect, FieldType, FixedStride, Native, NativeSlot, Slot, compare,
};

/// A type of `$len` bytes in the native dialect: what it is made of, and its bytes. Making a `Fallible` one gives a
/// `Result` with the kind of error.
macro_rules! fixed_slot {
    (Sure $owner:ty, $field_type:expr, $align:literal, [u8; $len:literal], |$from:pat_param| $make:expr, |$value:ident| $bytes:expr) => {
        fixed_slot!(@slot $owner, $field_type, $align, $len, true, $owner,
            |section, field| {
                let $from: [u8; $len] = section.load(field.offset);
                $make
            },
            |$value| $bytes);
        native_slot!([] $owner, Sure, Presence);
    };
    (Fallible $owner:ty, $field_type:expr, $align:literal, [u8; $len:literal], |$from:pat_param| $make:expr, |$value:ident| $bytes:expr) => {
        fixed_slot!(@slot $owner, $field_type, $align, $len, false, Result<$owner, DecodeError>,
            |section, field| {
                let make = |$from: [u8; $len]| -> Result<$owner, DecodeErrorKind> { $make };
                make(section.load(field.offset)).map_err(|kind| section.error(kind, field))
            },
            |$value| $bytes);
        native_slot!([] $owner, Fallible, Presence, |'m| $owner);
    };
    (@slot $owner:ty, $field_type:expr, $align:literal, $len:literal, $infallible:literal, $get:ty,
     |$section:ident, $field:ident| $read:expr, |$value:ident| $bytes:expr) => {
        #[diagnostic::do_not_recommend]
        impl Slot<Native> for $owner {
            const WIDTH: usize = $len;
            const ALIGN: usize = $align;
            const TYPE: FieldType = $field_type;
            const PLAIN: bool = true;
            const INFALLIBLE: bool = $infallible;
            const NESTED: bool = false;

            type Get<'m> = $get;

            #[inline]
            fn get<'m>($section: Section<'m>, $field: Field) -> $get {
                $read
            }
            #[inline]
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                _: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                <Self as NativeSlot>::read(section, field).map(drop)
            }
            fn equals(&self, section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                <Self as NativeSlot>::read(section, field).is_ok_and(|value| value == *self)
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                compare::both(<Self as NativeSlot>::read(left, field), <Self as NativeSlot>::read(right, field))
            }
            #[inline]
            fn put<S: Sink>(&self, _: &mut S, section: &mut S::Section, offset: usize) {
                let $value = self;
                let bytes: [u8; $len] = $bytes;
                S::store(section, offset, bytes);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m> DecodeSlot<'m, Native> for $owner {
            #[inline]
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                _: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                <Self as NativeSlot>::read(section, field)
            }
        }

        #[diagnostic::do_not_recommend]
        impl FixedStride for $owner {}
    };
}

macro_rules! nonzero {
    ($($integer:ty, $field_type:ident, $align:literal, $len:literal;)*) => {$(
        fixed_slot!(Fallible NonZero<$integer>, FieldType::NonZero(&FieldType::$field_type), $align, [u8; $len],
            |bytes| NonZero::new(<$integer>::from_le_bytes(bytes)).ok_or(DecodeErrorKind::ZeroInteger),
            |value| value.get().to_le_bytes());
    )*};
}

nonzero! {
    u8, U8, 1, 1;
    u16, U16, 2, 2;
    u32, U32, 4, 4;
    u64, U64, 8, 8;
    u128, U128, 8, 16;
    i8, I8, 1, 1;
    i16, I16, 2, 2;
    i32, I32, 4, 4;
    i64, I64, 8, 8;
    i128, I128, 8, 16;
}

/// The seconds and nanoseconds of a time: eight bytes, four bytes, and four that are zero and not read.
fn seconds_and_nanoseconds(bytes: [u8; 16]) -> Result<(u64, u32), DecodeErrorKind> {
    let bytes = u128::from_le_bytes(bytes);
    let (seconds, nanoseconds) = (bytes as u64, (bytes >> 64) as u32);
    if nanoseconds < 1_000_000_000 { Ok((seconds, nanoseconds)) } else { Err(DecodeErrorKind::InvalidNanoseconds) }
}

fn time_bytes(seconds: u64, nanoseconds: u32) -> [u8; 16] {
    (u128::from(seconds) | u128::from(nanoseconds) << 64).to_le_bytes()
}

fixed_slot!(Fallible Duration, FieldType::Duration, 8, [u8; 16],
    |bytes| seconds_and_nanoseconds(bytes).map(|(seconds, nanoseconds)| Duration::new(seconds, nanoseconds)),
    |value| time_bytes(value.as_secs(), value.subsec_nanos()));

#[cfg(feature = "std")]
mod system_time {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    fn from_bytes(bytes: [u8; 16]) -> Result<SystemTime, DecodeErrorKind> {
        let (seconds, nanoseconds) = seconds_and_nanoseconds(bytes)?;
        let seconds = seconds.cast_signed();
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let second = if seconds < 0 { UNIX_EPOCH.checked_sub(whole) } else { UNIX_EPOCH.checked_add(whole) };
        let time = second.and_then(|time| time.checked_add(Duration::from_nanos(u64::from(nanoseconds))));
        time.ok_or(DecodeErrorKind::TimeOutOfRange)
    }

    /// The nanoseconds count forward, also before 1970.
    fn to_bytes(time: SystemTime) -> [u8; 16] {
        match time.duration_since(UNIX_EPOCH) {
            Ok(after) => time_bytes(after.as_secs(), after.subsec_nanos()),
            Err(error) => {
                let before = error.duration();
                let (seconds, nanoseconds) = match before.subsec_nanos() {
                    0 => (before.as_secs(), 0),
                    nanoseconds => (before.as_secs().saturating_add(1), 1_000_000_000_u32.saturating_sub(nanoseconds)),
                };
                time_bytes(0_u64.wrapping_sub(seconds), nanoseconds)
            }
        }
    }

    fixed_slot!(Fallible SystemTime, FieldType::SystemTime, 8, [u8; 16], |bytes| from_bytes(bytes), |value| to_bytes(*value));
}

fixed_slot!(Sure Ipv4Addr, FieldType::Ipv4Addr, 1, [u8; 4], |bytes| Self::from(bytes), |value| value.octets());
fixed_slot!(Sure Ipv6Addr, FieldType::Ipv6Addr, 1, [u8; 16], |bytes| Self::from(bytes), |value| value.octets());

/// An address out of its kind and sixteen bytes. Behind the four bytes of a version 4 address nothing is read.
fn address(kind: u8, octets: [u8; 16]) -> Result<IpAddr, DecodeErrorKind> {
    let [a, b, c, d, ..] = octets;
    match kind {
        4 => Ok(IpAddr::from([a, b, c, d])),
        6 => Ok(IpAddr::from(octets)),
        _ => Err(DecodeErrorKind::UnknownAddressKind),
    }
}

/// The kind and sixteen bytes of an address.
fn address_bytes(address: IpAddr) -> [u8; 17] {
    let (kind, octets) = match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            (4, [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        }
        IpAddr::V6(address) => (6, address.octets()),
    };
    let mut bytes = [kind; 17];
    if let Some(rest) = bytes.last_chunk_mut::<16>() {
        *rest = octets;
    }
    bytes
}

fixed_slot!(Fallible IpAddr, FieldType::IpAddr, 1, [u8; 17],
    |[kind, octets @ ..]| address(kind, octets),
    |value| address_bytes(*value));

// The wire has no room for the flow label and the scope of a version 6 address: they are left out, and read as 0.
fixed_slot!(Fallible SocketAddr, FieldType::SocketAddr, 2, [u8; 20],
|[kind, octets @ .., _, low, high]| {
    address(kind, octets).map(|address| SocketAddr::new(address, u16::from_le_bytes([low, high])))
},
|value| {
    let mut bytes = [0; 20];
    if let Some(start) = bytes.first_chunk_mut::<17>() {
        *start = address_bytes(value.ip());
    }
    if let Some(end) = bytes.last_chunk_mut::<2>() {
        *end = value.port().to_le_bytes();
    }
    bytes
});

#[cfg(feature = "uuid")]
fixed_slot!(Sure uuid::Uuid, FieldType::Uuid, 1, [u8; 16], |bytes| Self::from_bytes(bytes), |value| *value.as_bytes());

// What the crate reads but would write otherwise is not a form of its own.
#[cfg(feature = "rust_decimal")]
fixed_slot!(Fallible rust_decimal::Decimal, FieldType::Decimal, 1, [u8; 16],
    |bytes| {
        let value = rust_decimal::Decimal::deserialize(bytes);
        if value.serialize() == bytes { Ok(value) } else { Err(DecodeErrorKind::InvalidDecimal) }
    },
    |value| value.serialize());

/// Nothing, in any dialect.
#[diagnostic::do_not_recommend]
impl<T: ?Sized, D: Dialect> Slot<D> for PhantomData<T> {
    const WIDTH: usize = 0;
    const ALIGN: usize = 1;
    const TYPE: FieldType = FieldType::Nothing;
    const PLAIN: bool = true;
    const INFALLIBLE: bool = true;
    const NESTED: bool = false;

    type Get<'m> = Self;

    #[inline]
    fn get<'m>(_: Section<'m>, _: Field) -> Self {
        Self
    }
    #[inline]
    fn check<const METERED: bool>(_: Section<'_>, _: Field, _: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
        Ok(())
    }
    fn equals(&self, _: Section<'_>, _: Field, _: &mut Walk<'_, true>) -> bool {
        true
    }
    fn same(_: Section<'_>, _: Section<'_>, _: Field, _: &mut Walk<'_, true>) -> bool {
        true
    }
    #[inline]
    fn put<S: Sink>(&self, _: &mut S, _: &mut S::Section, _: usize) {}
}

#[diagnostic::do_not_recommend]
impl<'m, T: ?Sized, D: Dialect> DecodeSlot<'m, D> for PhantomData<T> {
    #[inline]
    fn decode_slot<const METERED: bool>(
        _: Section<'m>,
        _: Field,
        _: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

native_slot!([T: ?Sized] PhantomData<T>, Sure, Presence);

#[diagnostic::do_not_recommend]
impl<T: ?Sized> FixedStride for PhantomData<T> {}
