//! Enums without data, which are their integer in a slot, and any enum as the root of a message. Enums with data are in
//! `variant`.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, EnumLayout, FieldType, Native, RecordView, Slot, Zap};
use crate::{compare, display};

/// An enum that is a ZAP type. Implemented by `#[derive(Zap)]`.
///
/// # Examples
///
/// ```
/// use zap_core::{Enumeration, Zap};
///
/// #[derive(Zap, Clone, Copy, Debug)]
/// #[repr(u8)]
/// enum Color {
///     Red = 1,
///     Blue = 9,
/// }
///
/// assert_eq!(Color::ENUM.variant(9).unwrap().name, "Blue");
/// ```
pub trait Enumeration: Zap<Dialect = Native> + Slot<Native> {
    /// Its variants and their numbers.
    const ENUM: &'static EnumLayout;
}

/// What an enum without data must be: its accessors return it by value, and views print it. The types here are those
/// that it gives, so that one that is not speaks once.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the enum `{Self}` is returned by accessors and printed by views: put #[derive(Clone, Copy, Debug)] on it",
    label = "needs `Clone`, `Copy` and `Debug`"
)]
pub trait EnumValue: Sized {
    /// The value.
    type Item: Copy + Debug;
    /// The value, or that no variant has the number.
    type Get: Copy + Debug;

    /// The value as what is given.
    fn into_item(self) -> Self::Item;
    /// As [`EnumValue::into_item`], of what was read.
    fn into_get(read: Result<Self, DecodeError>) -> Self::Get;
}

#[diagnostic::do_not_recommend]
impl<T: Copy + Debug> EnumValue for T {
    type Item = T;
    type Get = Result<T, DecodeError>;

    #[inline]
    fn into_item(self) -> T {
        self
    }
    #[inline]
    fn into_get(read: Result<T, DecodeError>) -> Result<T, DecodeError> {
        read
    }
}

/// An integer that enums without data are stored as. Sealed: `u8`, `u16`, `u32`.
pub trait EnumNumber: Copy + PartialEq + sealed::Sealed {
    #[doc(hidden)]
    fn load(section: Section<'_>, offset: usize) -> Self;
    #[doc(hidden)]
    fn from_entry(entry: Section<'_>) -> Option<Self>;
    #[doc(hidden)]
    fn put<S: Sink>(self, section: &mut S::Section, offset: usize);
    #[doc(hidden)]
    fn put_element<S: Sink>(self, sink: &mut S);
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! enum_number {
    ($($integer:ty),*) => {$(
        impl sealed::Sealed for $integer {}
        impl EnumNumber for $integer {
            #[inline]
            fn load(section: Section<'_>, offset: usize) -> Self {
                Self::from_le_bytes(section.load(offset))
            }
            fn from_entry(entry: Section<'_>) -> Option<Self> {
                entry.bytes().try_into().ok().map(Self::from_le_bytes)
            }
            #[inline]
            fn put<S: Sink>(self, section: &mut S::Section, offset: usize) {
                S::store(section, offset, self.to_le_bytes());
            }
            fn put_element<S: Sink>(self, sink: &mut S) {
                sink.element(&self.to_le_bytes());
            }
        }
    )*};
}

enum_number!(u8, u16, u32);

/// An enum without data: it is its number.
#[doc(hidden)]
pub trait PlainEnum: Sized {
    /// The integer of its `#[repr]`.
    type Number: EnumNumber;

    /// The variant of a number.
    fn from_number(number: Self::Number) -> Option<Self>;
    /// The number of the variant.
    fn to_number(&self) -> Self::Number;
}

/// An enum without data that keeps any number, by its variant marked `#[zap(other)]`.
#[doc(hidden)]
pub trait OpenEnum: PlainEnum {
    /// The variant of a number.
    fn from_any(number: Self::Number) -> Self;
}

/// Refuses, where the derive calls it, the discriminant of a variant of an enum without `#[repr]`.
#[doc(hidden)]
#[track_caller]
pub const fn check_discriminant(discriminant: i128, max: i128) {
    assert!(
        0 <= discriminant && discriminant <= max,
        "the discriminant of a variant is a `u32`, 0 to 4294967295: choose another"
    );
}

/// How an enum without data sits in a slot and in a list. The derive forwards to these.
#[doc(hidden)]
pub mod plain {
    use super::*;

    /// Reads it in place.
    ///
    /// # Errors
    ///
    /// No variant has the number.
    #[inline]
    pub fn get<E: PlainEnum>(section: Section<'_>, field: Field) -> Result<E, DecodeError> {
        match E::from_number(E::Number::load(section, field.offset)) {
            Some(value) => Ok(value),
            None => Err(section.error_in_place(DecodeErrorKind::UnknownVariant, field)),
        }
    }

    /// As [`get`], where every number is a value.
    #[inline]
    #[must_use]
    pub fn get_any<E: OpenEnum>(section: Section<'_>, field: Field) -> E {
        E::from_any(E::Number::load(section, field.offset))
    }

    /// Whether the slot holds this value.
    #[must_use]
    pub fn equals<E: PlainEnum>(value: &E, section: Section<'_>, field: Field) -> bool {
        E::Number::load(section, field.offset) == value.to_number()
    }

    /// Whether both slots hold the same value.
    #[must_use]
    pub fn same<E: PlainEnum>(left: Section<'_>, right: Section<'_>, field: Field) -> bool {
        let number = E::Number::load(left, field.offset);
        number == E::Number::load(right, field.offset) && E::from_number(number).is_some()
    }

    /// Whether both are the same variant.
    #[must_use]
    pub fn equal<E: PlainEnum>(left: &E, right: &E) -> bool {
        left.to_number() == right.to_number()
    }

    /// Counts or writes it.
    #[inline]
    pub fn put<E: PlainEnum, S: Sink>(value: &E, section: &mut S::Section, offset: usize) {
        value.to_number().put::<S>(section, offset);
    }

    /// Reads the element of a length-prefixed list.
    ///
    /// # Errors
    ///
    /// It has another width, or no variant has the number.
    pub fn get_element<E: PlainEnum>(entry: Section<'_>) -> Result<E, DecodeError> {
        let error = |kind| DecodeError::new(kind, entry.position() as usize);
        let number = E::Number::from_entry(entry).ok_or_else(|| error(DecodeErrorKind::ElementWidth))?;
        E::from_number(number).ok_or_else(|| error(DecodeErrorKind::UnknownVariant))
    }

    /// Pays for the element of a length-prefixed list and reads it.
    ///
    /// # Errors
    ///
    /// As [`get_element`], or the budget.
    pub fn walk_element<E: PlainEnum, const METERED: bool>(
        entry: Section<'_>,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<E, DecodeError> {
        walk.spend(entry.bytes().len(), entry.position() as usize)?;
        get_element(entry)
    }

    /// Counts or writes the element of a length-prefixed list.
    pub fn put_element<E: PlainEnum, S: Sink>(value: &E, sink: &mut S) {
        value.to_number().put_element(sink);
    }
}

/// An enum that is the root of a message, from [`Zap::view`].
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap, Clone, Copy, Debug, PartialEq)]
/// enum Command {
///     Start,
///     Stop,
/// }
///
/// let bytes = Command::Stop.to_vec()?;
/// let view = Command::view(&bytes)?;
/// assert_eq!(view.get()?, Command::Stop);
/// assert_eq!(view.number(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct EnumView<'m, T> {
    section: Section<'m>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for EnumView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for EnumView<'_, T> {}

impl<'m, T: Enumeration> EnumView<'m, T> {
    /// What the accessor of a field of this enum returns: without data the value, with data the view of the variant;
    /// a `Result` unless every number is a value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> <T as Slot<Native>>::Get<'m> {
        <T as Slot<Native>>::get_field::<T>(self.section, 0)
    }

    /// The number in the message, whether or not a variant has it.
    #[must_use]
    pub fn number(&self) -> u32 {
        match T::ENUM.number {
            FieldType::U8 => u32::from(u8::load(self.section, 0)),
            FieldType::U16 => u32::from(u16::load(self.section, 0)),
            _ => u32::load(self.section, 0),
        }
    }
}

impl<T: Enumeration> Debug for EnumView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.get(), f)
    }
}

impl<T: Enumeration> PartialEq for EnumView<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        compare::same_views::<T>(self.section, other.section)
    }
}

impl<T: Enumeration> PartialEq<T> for EnumView<'_, T> {
    fn eq(&self, other: &T) -> bool {
        compare::view_equals(self.section, other)
    }
}

impl<T: Enumeration> fmt::Display for EnumView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display::<T>(self.section, f)
    }
}

impl<'m, T: Enumeration> RecordView<'m> for EnumView<'m, T> {
    type Record = T;

    #[inline]
    fn from_section(section: Section<'m>) -> Self {
        Self { section, value: PhantomData }
    }
    #[inline]
    fn section(&self) -> Section<'m> {
        self.section
    }
}
