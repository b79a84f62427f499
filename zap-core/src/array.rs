//! Arrays in slots: their elements side by side.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::native_slot::{Outcome, array_field, form};
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::slot::Missing;
use crate::walk::Walk;
use crate::{DecodeError, DecodeSlot, FieldType, FixedStride, Native, NativeSlot, Slot, Zapgen};

impl<T: NativeSlot, const N: usize> Slot<Native> for [T; N] {
    const WIDTH: usize = T::WIDTH.saturating_mul(N);
    const ALIGN: usize = T::ALIGN;
    const TYPE: FieldType = FieldType::Array { element: &<T as Slot<Native>>::TYPE, len: N as u32 };
    const PARTS: Parts = T::PARTS;
    const PARTS_BEHIND: Parts = T::PARTS_BEHIND;
    const PLAIN: bool = T::PLAIN;
    const INFALLIBLE: bool = T::INFALLIBLE;
    const NESTED: bool = T::NESTED;
    const TAILS: u32 = T::TAILS.saturating_mul(N as u32);
    const FAULT: &'static str = T::FAULT;
    const MISSING: Missing = T::MISSING.inside();

    type Get<'m> = <T::Outcome as Outcome>::Array<'m, T, N>;

    #[inline]
    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        T::Outcome::get_array::<T, N>(section, field)
    }
    #[inline]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        if T::INFALLIBLE {
            return Ok(());
        }
        (0..N).try_for_each(|index| T::check(section, array_field::<T>(field, index), walk))
    }
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        self.iter().enumerate().all(|(index, item)| item.equals(section, array_field::<T>(field, index), walk))
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        (0..N).all(|index| T::same(left, right, array_field::<T>(field, index), walk))
    }
    #[inline]
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
        T::put_array(self, sink, section, offset);
    }
}

impl<'m, T: NativeSlot + DecodeSlot<'m, Native>, const N: usize> DecodeSlot<'m, Native> for [T; N] {
    #[inline]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        T::decode_array(section, field, walk)
    }
}

impl<T: NativeSlot, const N: usize> NativeSlot for [T; N] {
    type Outcome = <T::Outcome as Outcome>::Holder;
    type Form = form::Presence;
    type Value<'m> = <T::Outcome as Outcome>::ArrayValue<'m, T, N>;

    #[inline]
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError> {
        T::Outcome::read_array::<T, N>(section, field)
    }
}

impl<T: NativeSlot, const N: usize> FixedStride for [T; N] {}

/// The stream dialects know only arrays of bytes (wire 1.2, `bytes_fixed`); zip has none.
#[diagnostic::do_not_recommend]
impl<const N: usize> Slot<Zapgen> for [u8; N] {
    const WIDTH: usize = N;
    const ALIGN: usize = 1;
    const TYPE: FieldType = FieldType::Array { element: &FieldType::U8, len: N as u32 };
    const PLAIN: bool = true;
    const INFALLIBLE: bool = true;
    const NESTED: bool = false;

    type Get<'m> = &'m [u8; N];

    #[inline]
    fn get<'m>(section: Section<'m>, field: Field) -> &'m [u8; N] {
        section.load_ref(field.offset)
    }
    #[inline]
    fn check<const METERED: bool>(_: Section<'_>, _: Field, _: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
        Ok(())
    }
    fn equals(&self, section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
        section.load_ref(field.offset) == self
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
        left.load_ref::<N>(field.offset) == right.load_ref::<N>(field.offset)
    }
    #[inline]
    fn put<S: Sink>(&self, _: &mut S, section: &mut S::Section, offset: usize) {
        S::store(section, offset, *self);
    }
}

#[diagnostic::do_not_recommend]
impl<'m, const N: usize> DecodeSlot<'m, Zapgen> for [u8; N] {
    #[inline]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        _: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        Ok(section.load(field.offset))
    }
}
