//! Enums in slots: without data as their integer, with data as a tag and a pointer; and an enum as the root of a message.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use crate::capped::Capped;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{Decode, DecodeError, DecodeErrorKind, EnumLayout, FieldType, Native, RecordView, Slot, Zap};
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

/// How an enum with data sits in a slot: a tag, and behind it a signed pointer to the section of the variant's fields,
/// which are a record `R` of their own. The derive forwards to these.
#[doc(hidden)]
pub mod data {
    use super::*;

    /// The pointer behind the tag.
    const fn pointer(field: Field) -> Field {
        Field { offset: field.offset.wrapping_add(4), place: field.place }
    }

    /// A section has at least one byte, so that a pointer to it is not null.
    const fn section_size<R: Zap>() -> usize {
        let size = R::LAYOUT.size as usize;
        if size == 0 { 1 } else { size }
    }

    /// The number that tells which variant is there.
    #[inline]
    #[must_use]
    pub fn tag(section: Section<'_>, field: Field) -> u32 {
        u32::load(section, field.offset)
    }

    /// Of a variant without fields: there is no pointer.
    ///
    /// # Errors
    ///
    /// There is one.
    #[inline]
    pub fn unit(section: Section<'_>, field: Field) -> Result<(), DecodeError> {
        match u32::load(section, pointer(field).offset) {
            0 => Ok(()),
            _ => Err(section.error(DecodeErrorKind::UnexpectedFields, pointer(field))),
        }
    }

    /// The error that no variant has the tag.
    #[cold]
    #[must_use]
    pub fn unknown(section: Section<'_>, field: Field) -> DecodeError {
        section.error(DecodeErrorKind::UnknownVariant, field)
    }

    /// The section of the variant's fields.
    ///
    /// # Errors
    ///
    /// The pointer is null or wrong.
    pub fn section<'m, R: Zap>(section: Section<'m>, field: Field) -> Result<Section<'m>, DecodeError> {
        let field = pointer(field);
        match section.pointed_section(section_size::<R>(), field)? {
            Some(fields) => Ok(fields),
            None => Err(section.error(DecodeErrorKind::NullPointer, field)),
        }
    }

    /// The view of the variant's fields.
    ///
    /// # Errors
    ///
    /// As [`section`].
    pub fn view<'m, R: Zap>(section: Section<'m>, field: Field) -> Result<R::View<'m>, DecodeError> {
        self::section::<R>(section, field).map(RecordView::from_section)
    }

    /// The section of the variant's fields, paid for.
    fn walk<'m, R: Zap, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<Section<'m>, DecodeError> {
        let fields = self::section::<R>(section, field)?;
        walk.spend(fields.bytes().len(), fields.position() as usize)?;
        Ok(fields)
    }

    /// Checks the variant's fields.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with them, or the budget.
    pub fn check<R: Zap, const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        R::check_fields(self::walk::<R, METERED>(section, field, walk)?, walk)
    }

    /// Decodes the variant's fields.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with them, or the budget.
    pub fn decode<'m, R: Decode<'m>, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<R, DecodeError> {
        R::decode_root(self::walk::<R, METERED>(section, field, walk)?, walk)
    }

    /// Whether no variant has the tag.
    #[must_use]
    pub fn is_unknown<E: Enumeration>(tag: u32) -> bool {
        E::ENUM.variant(tag).is_none()
    }

    /// The section of the variant's fields, if it is there, paid for.
    pub fn paid<'m, R: Zap>(section: Section<'m>, field: Field, walk: &mut Walk<'_, true>) -> Option<Section<'m>> {
        self::walk::<R, true>(section, field, walk).ok()
    }

    /// Whether both slots hold equal fields of the same variant.
    #[must_use]
    pub fn same<R: Zap>(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (paid::<R>(left, field, walk), paid::<R>(right, field, walk)) {
            (Some(left), Some(right)) => compare::same_fields::<R>(left, right, walk),
            _ => false,
        }
    }

    /// Counts or writes the tag alone.
    #[inline]
    pub fn put_tag<S: Sink>(section: &mut S::Section, offset: usize, tag: u32) {
        S::store(section, offset, tag.to_le_bytes());
    }

    /// Counts or writes the tag and the pointer, and reserves the section of the variant's fields, one level down;
    /// `None` where that is too deep.
    #[inline]
    pub fn begin<R: Zap, S: Sink>(
        sink: &mut S,
        section: &mut S::Section,
        offset: usize,
        tag: u32,
    ) -> Option<S::Section> {
        put_tag::<S>(section, offset, tag);
        sink.descend()
            .then(|| sink.pointed(section, offset.wrapping_add(4), section_size::<R>(), R::LAYOUT.align as usize))
    }

    /// Prints what a variant's view holds.
    ///
    /// # Errors
    ///
    /// The formatter's.
    pub fn debug_variant(f: &mut fmt::Formatter<'_>, name: &str, value: &dyn Debug) -> fmt::Result {
        f.debug_tuple(name).field(&Capped(value)).finish()
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

/// The view of a variant's section that no accessor gives, since the enum's view holds the variant's only field.
#[doc(hidden)]
pub struct VariantView<'m, R> {
    section: Section<'m>,
    record: PhantomData<fn() -> R>,
}

impl<R> Clone for VariantView<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for VariantView<'_, R> {}

impl<R: Zap> Debug for VariantView<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display::<R>(self.section, f)
    }
}

impl<R: Zap> PartialEq for VariantView<'_, R> {
    fn eq(&self, other: &Self) -> bool {
        compare::same_views::<R>(self.section, other.section)
    }
}

impl<'m, R: Zap> RecordView<'m> for VariantView<'m, R> {
    type Record = R;

    fn from_section(section: Section<'m>) -> Self {
        Self { section, record: PhantomData }
    }
    fn section(&self) -> Section<'m> {
        self.section
    }
}
