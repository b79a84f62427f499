//! Scalars in slots.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

use zerocopy::IntoBytes;

use crate::native_slot::{Byte, Outcome, Sure, form, native_slot};
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::stream::{DecodeElement, Element};
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, DecodeSlot, Dialect, FieldType, FixedStride, Native, NativeSlot, Slot};
use crate::{StreamDialect, compare, list_view};

const fn align_of<D: Dialect>(width: usize) -> usize {
    if width < D::MAX_ALIGN { width } else { D::MAX_ALIGN }
}

/// A scalar in the given dialects: any bytes are a value, and its wire form is its `to_le_bytes`.
macro_rules! scalar_slot {
    ($scalar:ty, $field_type:ident, [$($dialect:tt)*], $generic:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($dialect)*> Slot<$generic> for $scalar {
            const WIDTH: usize = size_of::<$scalar>();
            const ALIGN: usize = align_of::<$generic>(size_of::<$scalar>());
            const TYPE: FieldType = FieldType::$field_type;
            const PLAIN: bool = true;
            const INFALLIBLE: bool = true;
            const NESTED: bool = false;

            type Get<'m> = $scalar;

            #[inline]
            fn get<'m>(section: Section<'m>, field: Field) -> $scalar {
                <$scalar>::from_le_bytes(section.load(field.offset))
            }
            #[inline]
            fn check<const METERED: bool>(
                _: Section<'_>,
                _: Field,
                _: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                Ok(())
            }
            fn equals(&self, section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                <Self as Slot<$generic>>::get(section, field) == *self
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                <Self as Slot<$generic>>::get(left, field) == <Self as Slot<$generic>>::get(right, field)
            }
            #[inline]
            fn put<S: Sink>(&self, _: &mut S, section: &mut S::Section, offset: usize) {
                S::store(section, offset, self.to_le_bytes());
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m, $($dialect)*> DecodeSlot<'m, $generic> for $scalar {
            #[inline]
            fn decode_body(body: &[u8]) -> Option<Vec<Self>> {
                let (elements, _) = body.as_chunks();
                Some(elements.iter().map(|element| <$scalar>::from_le_bytes(*element)).collect())
            }
            #[inline]
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                _: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                Ok(<$scalar>::from_le_bytes(section.load(field.offset)))
            }
        }
    };
}

/// A scalar as an element of native lists: one copy on little-endian machines.
macro_rules! fixed_stride {
    ($($scalar:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl FixedStride for $scalar {
            fn put_elements<S: Sink>(items: &[Self], sink: &mut S, section: &mut S::Section, offset: usize) {
                if cfg!(target_endian = "little") {
                    let shape = list_view::shape::<Self>(items.len());
                    sink.run_of_bytes(section, offset, shape, items.as_bytes());
                } else {
                    list_view::put_each(items, sink, section, offset);
                }
            }
        }
    )*};
}

/// A scalar as an element of length-prefixed lists: its bytes, and exactly as many.
macro_rules! stream_element {
    ($($scalar:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<D: StreamDialect> Element<D> for $scalar {
            type Item<'m> = $scalar;

            fn get_element<'m>(entry: Section<'m>) -> Result<$scalar, DecodeError> {
                match entry.bytes().first_chunk() {
                    Some(bytes) if entry.bytes().len() == size_of::<$scalar>() => Ok(<$scalar>::from_le_bytes(*bytes)),
                    _ => Err(DecodeError::new(DecodeErrorKind::ElementWidth, entry.position() as usize)),
                }
            }
            fn check_element<const METERED: bool>(
                entry: Section<'_>,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                walk.spend(entry.bytes().len(), entry.position() as usize)?;
                <$scalar as Element<D>>::get_element(entry).map(drop)
            }
            fn equals_element(&self, entry: Section<'_>, _: &mut Walk<'_, true>) -> bool {
                <$scalar as Element<D>>::get_element(entry).is_ok_and(|value| value == *self)
            }
            fn same_element(left: Section<'_>, right: Section<'_>, _: &mut Walk<'_, true>) -> bool {
                compare::both(<$scalar as Element<D>>::get_element(left), <$scalar as Element<D>>::get_element(right))
            }
            fn put_element<S: Sink>(&self, sink: &mut S) {
                sink.element(&self.to_le_bytes());
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m, D: StreamDialect> DecodeElement<'m, D> for $scalar {
            fn decode_element<const METERED: bool>(
                entry: Section<'m>,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                walk.spend(entry.bytes().len(), entry.position() as usize)?;
                <$scalar as Element<D>>::get_element(entry)
            }
        }
    )*};
}

/// A bool with the integers' interface, so that one macro serves both.
trait Flag {
    fn from_le_bytes(bytes: [u8; 1]) -> bool;
    fn to_le_bytes(&self) -> [u8; 1];
}

impl Flag for bool {
    /// Any byte but zero is true (wire 1.2).
    #[inline]
    fn from_le_bytes([byte]: [u8; 1]) -> bool {
        byte != 0
    }
    #[inline]
    fn to_le_bytes(&self) -> [u8; 1] {
        [u8::from(*self)]
    }
}

scalar_slot!(bool, Bool, [D: Dialect], D);
scalar_slot!(u8, U8, [D: Dialect], D);
scalar_slot!(u16, U16, [D: Dialect], D);
scalar_slot!(u32, U32, [D: Dialect], D);
scalar_slot!(u64, U64, [D: Dialect], D);
scalar_slot!(i8, I8, [D: Dialect], D);
scalar_slot!(i16, I16, [D: Dialect], D);
scalar_slot!(i32, I32, [D: Dialect], D);
scalar_slot!(i64, I64, [D: Dialect], D);
scalar_slot!(f32, F32, [D: Dialect], D);
scalar_slot!(f64, F64, [D: Dialect], D);
scalar_slot!(u128, U128, [], Native);
scalar_slot!(i128, I128, [], Native);

fixed_stride!(bool, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64, char);
stream_element!(bool, u16, u32, u64, i8, i16, i32, i64, f32, f64);

#[diagnostic::do_not_recommend]
impl Slot<Native> for char {
    const WIDTH: usize = 4;
    const ALIGN: usize = 4;
    const TYPE: FieldType = FieldType::Char;
    const PLAIN: bool = true;
    const INFALLIBLE: bool = false;
    const NESTED: bool = false;

    type Get<'m> = Result<char, DecodeError>;

    #[inline]
    fn get<'m>(section: Section<'m>, field: Field) -> Result<char, DecodeError> {
        let value = u32::from_le_bytes(section.load(field.offset));
        char::from_u32(value).ok_or_else(|| section.error(DecodeErrorKind::InvalidChar, field))
    }
    #[inline]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        _: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        <char as Slot<Native>>::get(section, field).map(drop)
    }
    fn equals(&self, section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
        <char as Slot<Native>>::get(section, field).is_ok_and(|value| value == *self)
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
        compare::both(<char as Slot<Native>>::get(left, field), <char as Slot<Native>>::get(right, field))
    }
    #[inline]
    fn put<S: Sink>(&self, _: &mut S, section: &mut S::Section, offset: usize) {
        S::store(section, offset, u32::from(*self).to_le_bytes());
    }
}

#[diagnostic::do_not_recommend]
impl<'m> DecodeSlot<'m, Native> for char {
    #[inline]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        _: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        <char as Slot<Native>>::get(section, field)
    }
}

/// Whatever their bytes are, arrays of these are filled at once.
macro_rules! native_scalar {
    ($($scalar:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl NativeSlot for $scalar {
            type Outcome = Sure;
            type Form = form::Presence;
            type Value<'m> = $scalar;

            #[inline]
            fn read<'m>(section: Section<'m>, field: Field) -> Result<$scalar, DecodeError> {
                Ok(<$scalar as Slot<Native>>::get(section, field))
            }
            #[inline]
            fn decode_array<'m, const N: usize, const METERED: bool>(
                section: Section<'m>,
                field: Field,
                _: &mut Walk<'m, METERED>,
            ) -> Result<[$scalar; N], DecodeError>
            where
                Self: DecodeSlot<'m, Native>,
            {
                Ok(Sure::get_array::<$scalar, N>(section, field))
            }
        }
    )*};
}

native_scalar!(bool, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);
native_slot!([] char, Fallible, Presence, |'m| char);

/// Arrays of bytes are one load and one store.
#[diagnostic::do_not_recommend]
impl NativeSlot for u8 {
    type Outcome = Byte;
    type Form = form::Presence;
    type Value<'m> = u8;

    #[inline]
    fn read<'m>(section: Section<'m>, field: Field) -> Result<u8, DecodeError> {
        Ok(<u8 as Slot<Native>>::get(section, field))
    }
    #[inline]
    fn put_array<S: Sink, const N: usize>(items: &[u8; N], _: &mut S, section: &mut S::Section, offset: usize) {
        S::store(section, offset, *items);
    }
    #[inline]
    fn decode_array<'m, const N: usize, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        _: &mut Walk<'m, METERED>,
    ) -> Result<[u8; N], DecodeError>
    where
        Self: DecodeSlot<'m, Native>,
    {
        Ok(section.load(field.offset))
    }
}
