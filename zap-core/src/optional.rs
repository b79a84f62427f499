//! `Option` in the native dialect: a presence byte, or null where the type has a slot that may be null.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::Debug;

use crate::boxed::{check_section, decode_section, put_section, section_of, whole_section};
use crate::native_slot::form::{NullPointer, NullSlot, Pointer, Presence, Taken};
use crate::native_slot::{Fallible, Outcome};
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, DecodeSlot, FieldType, FixedStride, Native, NativeSlot, Slot};

/// How an `Option<T>` is stored in the native dialect: implemented by the types in [`form`](crate::form).
#[diagnostic::on_unimplemented(
    message = "an `Option` of an `Option<{T}>` cannot be stored: `None` and `Some(None)` would both be null",
    label = "two nulls cannot be told apart",
    note = "use one `Option`, or put the inner one in a struct with #[derive(Zap)]"
)]
pub trait OptionForm<T: NativeSlot> {
    /// Bytes in the fixed section.
    const WIDTH: usize;
    /// Alignment in the fixed section.
    const ALIGN: usize;
    /// Everything is in the slot.
    const PLAIN: bool;
    /// Any bytes in the slot are a value.
    const INFALLIBLE: bool;
    /// Lists or pointed-to sections lie behind the slot.
    const NESTED: bool;
    /// As [`Slot::TAILS`].
    #[doc(hidden)]
    const TAILS: u32;

    /// As [`NativeSlot::Outcome`], of the `Option`.
    type Outcome: Outcome;
    /// As [`NativeSlot::Form`], of the `Option`.
    type Outer;
    /// What the accessor gives.
    type Get<'m>: Copy + Debug;
    /// What it reads as.
    type Value<'m>: Copy + Debug;

    #[doc(hidden)]
    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m>;
    #[doc(hidden)]
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError>;
    #[doc(hidden)]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError>;
    /// Where the value's slot lies, paid for.
    #[doc(hidden)]
    fn locate<'m>(section: Section<'m>, field: Field, walk: &mut Walk<'_, true>) -> Located<'m>;
    #[doc(hidden)]
    fn put<S: Sink>(value: &T, sink: &mut S, section: &mut S::Section, offset: usize);
    #[doc(hidden)]
    fn decode<'m, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Option<T>, DecodeError>
    where
        T: DecodeSlot<'m, Native>;
}

/// Where the slot of an optional's value lies, if it is there.
type Located<'m> = Result<Option<(Section<'m>, Field)>, DecodeError>;

/// The value of an optional with a presence byte, if it is there: any byte but zero says so.
#[inline]
fn present<T: Slot<Native>>(section: Section<'_>, field: Field) -> Option<Field> {
    let [presence] = section.load(field.offset);
    // Behind one byte the next multiple of the alignment is the alignment.
    (presence != 0).then(|| Field { offset: field.offset.wrapping_add(T::ALIGN), ..field })
}

#[diagnostic::do_not_recommend]
impl<T: NativeSlot> OptionForm<T> for Presence {
    const WIDTH: usize = T::ALIGN.saturating_add(T::WIDTH).next_multiple_of(T::ALIGN);
    const ALIGN: usize = T::ALIGN;
    const PLAIN: bool = T::PLAIN;
    const INFALLIBLE: bool = T::INFALLIBLE;
    const NESTED: bool = T::NESTED;
    const TAILS: u32 = T::TAILS;

    type Outcome = <T::Outcome as Outcome>::Holder;
    type Outer = Self;
    type Get<'m> = <T::Outcome as Outcome>::Optional<'m, T>;
    type Value<'m> = <T::Outcome as Outcome>::OptionalValue<'m, T>;

    #[inline]
    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        T::Outcome::get_optional::<T>(section, present::<T>(section, field))
    }
    #[inline]
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError> {
        T::Outcome::read_optional::<T>(section, present::<T>(section, field))
    }
    #[inline]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        if T::PLAIN {
            // Whether it is there may be random: what is in the slot is asked first, and nothing but a wrong value is a
            // reason to ask whether it counts.
            let value = Field { offset: field.offset.wrapping_add(T::ALIGN), ..field };
            return T::check(section, value, walk)
                .or_else(|error| present::<T>(section, field).map_or(Ok(()), |_| Err(error)));
        }
        present::<T>(section, field).map_or(Ok(()), |field| T::check(section, field, walk))
    }
    fn locate<'m>(section: Section<'m>, field: Field, _: &mut Walk<'_, true>) -> Located<'m> {
        Ok(present::<T>(section, field).map(|field| (section, field)))
    }
    #[inline]
    fn put<S: Sink>(value: &T, sink: &mut S, section: &mut S::Section, offset: usize) {
        S::store(section, offset, [1]);
        value.put(sink, section, offset.wrapping_add(T::ALIGN));
    }
    #[inline]
    fn decode<'m, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Option<T>, DecodeError>
    where
        T: DecodeSlot<'m, Native>,
    {
        present::<T>(section, field).map(|field| T::decode_slot(section, field, walk)).transpose()
    }
}

/// Whether the pointer, or the first word of the slot, is null.
#[inline]
fn is_null(section: Section<'_>, field: Field) -> bool {
    u32::from_le_bytes(section.load(field.offset)) == 0
}

/// A slot of text, bytes, a list or a map that is there and empty: it points at its own length word.
const PRESENT_AND_EMPTY: u64 = 4;

/// An optional in the type's own slot: null is `None`. `$prepare` is done before a value is written.
macro_rules! null_form {
    ($form:ty, |$section:ident, $offset:ident| { $($prepare:tt)* }) => {
        #[diagnostic::do_not_recommend]
        impl<T: NativeSlot> OptionForm<T> for $form {
            const WIDTH: usize = T::WIDTH;
            const ALIGN: usize = T::ALIGN;
            const PLAIN: bool = T::PLAIN;
            const INFALLIBLE: bool = T::INFALLIBLE;
            const NESTED: bool = T::NESTED;
            const TAILS: u32 = T::TAILS;

            type Outcome = Fallible;
            type Outer = Taken;
            type Get<'m> = Result<Option<T::Value<'m>>, DecodeError>;
            type Value<'m> = Option<T::Value<'m>>;

            #[inline]
            fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
                if is_null(section, field) { Ok(None) } else { T::read(section, field).map(Some) }
            }
            #[inline]
            fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError> {
                <Self as OptionForm<T>>::get(section, field)
            }
            #[inline]
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                if is_null(section, field) { Ok(()) } else { T::check(section, field, walk) }
            }
            fn locate<'m>(section: Section<'m>, field: Field, _: &mut Walk<'_, true>) -> Located<'m> {
                Ok(if is_null(section, field) { None } else { Some((section, field)) })
            }
            #[inline]
            fn put<S: Sink>(value: &T, sink: &mut S, $section: &mut S::Section, $offset: usize) {
                $($prepare)*
                value.put(sink, $section, $offset);
            }
            #[inline]
            fn decode<'m, const METERED: bool>(
                section: Section<'m>,
                field: Field,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Option<T>, DecodeError>
            where
                T: DecodeSlot<'m, Native>,
            {
                if is_null(section, field) { Ok(None) } else { T::decode_slot(section, field, walk).map(Some) }
            }
        }
    };
}

// What is not empty is written over this.
null_form!(NullSlot, |section, offset| {
    S::store(section, offset, PRESENT_AND_EMPTY.to_le_bytes());
});
null_form!(NullPointer, |section, offset| {});

#[diagnostic::do_not_recommend]
impl<T: NativeSlot> OptionForm<T> for Pointer {
    const WIDTH: usize = 4;
    const ALIGN: usize = 4;
    const PLAIN: bool = false;
    const INFALLIBLE: bool = false;
    const NESTED: bool = true;
    const TAILS: u32 = 1;

    type Outcome = Fallible;
    type Outer = Taken;
    type Get<'m> = Result<Option<T::Value<'m>>, DecodeError>;
    type Value<'m> = Option<T::Value<'m>>;

    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        let target = section_of::<T>(section, field)?;
        target.map(|target| T::read(target, whole_section(field))).transpose()
    }
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError> {
        <Self as OptionForm<T>>::get(section, field)
    }
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        section_of::<T>(section, field)?.map_or(Ok(()), |target| check_section::<T, METERED>(target, field, walk))
    }
    fn locate<'m>(section: Section<'m>, field: Field, walk: &mut Walk<'_, true>) -> Located<'m> {
        let Some(target) = section_of::<T>(section, field)? else {
            return Ok(None);
        };
        walk.spend(target.bytes().len(), target.position() as usize)?;
        Ok(Some((target, whole_section(field))))
    }
    fn put<S: Sink>(value: &T, sink: &mut S, section: &mut S::Section, offset: usize) {
        put_section(value, sink, section, offset);
    }
    fn decode<'m, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Option<T>, DecodeError>
    where
        T: DecodeSlot<'m, Native>,
    {
        section_of::<T>(section, field)?.map(|target| decode_section(target, field, walk)).transpose()
    }
}

impl<T: NativeSlot<Form: OptionForm<T>>> Slot<Native> for Option<T> {
    const WIDTH: usize = T::Form::WIDTH;
    const ALIGN: usize = T::Form::ALIGN;
    const TYPE: FieldType = FieldType::Option(&<T as Slot<Native>>::TYPE);
    const PARTS: Parts = T::PARTS_BEHIND;
    const PARTS_BEHIND: Parts = T::PARTS_BEHIND;
    const PLAIN: bool = T::Form::PLAIN;
    const INFALLIBLE: bool = T::Form::INFALLIBLE;
    const NESTED: bool = T::Form::NESTED;
    const TAILS: u32 = T::Form::TAILS;
    const FAULT: &'static str = T::FAULT;

    type Get<'m> = <T::Form as OptionForm<T>>::Get<'m>;

    #[inline]
    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        T::Form::get(section, field)
    }
    #[inline]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        T::Form::check(section, field, walk)
    }
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (self, T::Form::locate(section, field, walk)) {
            (None, Ok(None)) => true,
            (Some(value), Ok(Some((section, field)))) => value.equals(section, field, walk),
            _ => false,
        }
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (T::Form::locate(left, field, walk), T::Form::locate(right, field, walk)) {
            (Ok(None), Ok(None)) => true,
            // Where a value lies in its section depends on the form alone.
            (Ok(Some((left, field))), Ok(Some((right, _)))) => T::same(left, right, field, walk),
            _ => false,
        }
    }
    /// An absent one is zeros, which the section holds already.
    #[inline]
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
        if let Some(value) = self {
            T::Form::put(value, sink, section, offset);
        }
    }
}

impl<'m, T: DecodeSlot<'m, Native> + NativeSlot<Form: OptionForm<T>>> DecodeSlot<'m, Native> for Option<T> {
    #[inline]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        T::Form::decode(section, field, walk)
    }
}

impl<T: NativeSlot<Form: OptionForm<T>>> NativeSlot for Option<T> {
    type Outcome = <T::Form as OptionForm<T>>::Outcome;
    type Form = <T::Form as OptionForm<T>>::Outer;
    type Value<'m> = <T::Form as OptionForm<T>>::Value<'m>;

    #[inline]
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError> {
        T::Form::read(section, field)
    }
}

impl<T: NativeSlot<Form: OptionForm<T>>> FixedStride for Option<T> {}
