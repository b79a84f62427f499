//! What every native type says of itself besides its bytes: what it reads as once it is known to be right, and how an
//! array and an `Option` of it are stored and read.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::Debug;

use arrayvec::ArrayVec;

use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, DecodeSlot, Native, Slot};

/// A native field type: all of them are.
///
/// An accessor gives [`Slot::Get`]: the value itself, or a `Result` of it. Whatever holds the type (a box, an array, an
/// optional, a map) asks for the value, so that no accessor gives a `Result` in a `Result`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a ZAP record of the `Native` dialect",
    label = "not a field type in this dialect",
    note = "for a struct or enum of yours, put #[derive(Zap)] on it, with the same #[zap(dialect)]"
)]
pub trait NativeSlot: Slot<Native> + Sized {
    /// Whether the accessor gives the value or a `Result` of it.
    type Outcome: Outcome;
    /// How an `Option` of it is stored: one of the types in [`form`].
    type Form;
    /// What it reads as.
    type Value<'m>: Copy + Debug;

    /// The slot is a pointer to a section already, so that a `Box` adds none.
    const POINTED: bool = false;

    /// Reads the slot in place.
    ///
    /// # Errors
    ///
    /// As [`Slot::get`], where that can fail.
    fn read<'m>(section: Section<'m>, field: Field) -> Result<Self::Value<'m>, DecodeError>;

    /// Counts or writes an array.
    #[doc(hidden)]
    #[inline]
    fn put_array<S: Sink, const N: usize>(items: &[Self; N], sink: &mut S, section: &mut S::Section, offset: usize) {
        let mut offset = offset;
        for item in items {
            item.put(sink, section, offset);
            offset = offset.wrapping_add(Self::WIDTH);
        }
    }

    /// Decodes an array.
    #[doc(hidden)]
    #[inline]
    fn decode_array<'m, const N: usize, const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<[Self; N], DecodeError>
    where
        Self: DecodeSlot<'m, Native>,
    {
        each_of::<Self, Self, N>(section, field, |field| Self::decode_slot(section, field, walk))
    }
}

/// The field that element `index` of an array is.
#[inline]
pub(crate) fn array_field<T: Slot<Native>>(field: Field, index: usize) -> Field {
    Field { offset: field.offset.wrapping_add(index.wrapping_mul(T::WIDTH)), ..field }
}

/// An array of what `read` makes of each of `N` slots of `T`.
#[inline]
pub(crate) fn each_of<T: Slot<Native>, V, const N: usize>(
    section: Section<'_>,
    field: Field,
    mut read: impl FnMut(Field) -> Result<V, DecodeError>,
) -> Result<[V; N], DecodeError> {
    let mut items = ArrayVec::<V, N>::new();
    for index in 0..N {
        // There is room for every one of them.
        let _ = items.try_push(read(array_field::<T>(field, index))?);
    }
    items.into_inner().map_err(|_| section.error(DecodeErrorKind::SectionOutOfBounds, field))
}

/// Whether a type's accessor gives the value or a `Result` of it, and with that what the accessor of an array or of an
/// `Option` gives. [`Sure`], [`Fallible`] or [`Byte`].
pub trait Outcome {
    /// As this, for what holds such a type: of arrays and optionals of bytes nothing is special.
    type Holder: Outcome;
    /// What the accessor of an array gives.
    type Array<'m, T: NativeSlot, const N: usize>: Copy + Debug;
    /// What an array reads as.
    type ArrayValue<'m, T: NativeSlot, const N: usize>: Copy + Debug;
    /// What the accessor of an optional gives.
    type Optional<'m, T: NativeSlot>: Copy + Debug;
    /// What an optional reads as.
    type OptionalValue<'m, T: NativeSlot>: Copy + Debug;

    #[doc(hidden)]
    fn get_array<'m, T: NativeSlot, const N: usize>(section: Section<'m>, field: Field) -> Self::Array<'m, T, N>;
    #[doc(hidden)]
    fn read_array<'m, T: NativeSlot, const N: usize>(
        section: Section<'m>,
        field: Field,
    ) -> Result<Self::ArrayValue<'m, T, N>, DecodeError>;
    #[doc(hidden)]
    fn get_optional<'m, T: NativeSlot>(section: Section<'m>, value: Option<Field>) -> Self::Optional<'m, T>;
    #[doc(hidden)]
    fn read_optional<'m, T: NativeSlot>(
        section: Section<'m>,
        value: Option<Field>,
    ) -> Result<Self::OptionalValue<'m, T>, DecodeError>;
}

/// The accessor gives the value.
#[derive(Clone, Copy, Debug)]
pub enum Sure {}
/// The accessor gives a `Result` of the value.
#[derive(Clone, Copy, Debug)]
pub enum Fallible {}
/// The accessor gives the value, and that of an array a reference into the message: `u8`.
#[derive(Clone, Copy, Debug)]
pub enum Byte {}

impl Outcome for Sure {
    type Holder = Self;
    type Array<'m, T: NativeSlot, const N: usize> = [T::Get<'m>; N];
    type ArrayValue<'m, T: NativeSlot, const N: usize> = [T::Get<'m>; N];
    type Optional<'m, T: NativeSlot> = Option<T::Get<'m>>;
    type OptionalValue<'m, T: NativeSlot> = Option<T::Get<'m>>;

    #[inline]
    fn get_array<'m, T: NativeSlot, const N: usize>(section: Section<'m>, field: Field) -> [T::Get<'m>; N] {
        core::array::from_fn(|index| T::get(section, array_field::<T>(field, index)))
    }
    #[inline]
    fn read_array<'m, T: NativeSlot, const N: usize>(
        section: Section<'m>,
        field: Field,
    ) -> Result<[T::Get<'m>; N], DecodeError> {
        Ok(Self::get_array::<T, N>(section, field))
    }
    #[inline]
    fn get_optional<'m, T: NativeSlot>(section: Section<'m>, value: Option<Field>) -> Option<T::Get<'m>> {
        value.map(|field| T::get(section, field))
    }
    #[inline]
    fn read_optional<'m, T: NativeSlot>(
        section: Section<'m>,
        value: Option<Field>,
    ) -> Result<Option<T::Get<'m>>, DecodeError> {
        Ok(Self::get_optional::<T>(section, value))
    }
}

impl Outcome for Fallible {
    type Holder = Self;
    type Array<'m, T: NativeSlot, const N: usize> = Result<[T::Value<'m>; N], DecodeError>;
    type ArrayValue<'m, T: NativeSlot, const N: usize> = [T::Value<'m>; N];
    type Optional<'m, T: NativeSlot> = Result<Option<T::Value<'m>>, DecodeError>;
    type OptionalValue<'m, T: NativeSlot> = Option<T::Value<'m>>;

    #[inline]
    fn get_array<'m, T: NativeSlot, const N: usize>(
        section: Section<'m>,
        field: Field,
    ) -> Result<[T::Value<'m>; N], DecodeError> {
        each_of::<T, _, N>(section, field, |field| T::read(section, field))
    }
    #[inline]
    fn read_array<'m, T: NativeSlot, const N: usize>(
        section: Section<'m>,
        field: Field,
    ) -> Result<[T::Value<'m>; N], DecodeError> {
        Self::get_array::<T, N>(section, field)
    }
    #[inline]
    fn get_optional<'m, T: NativeSlot>(
        section: Section<'m>,
        value: Option<Field>,
    ) -> Result<Option<T::Value<'m>>, DecodeError> {
        value.map(|field| T::read(section, field)).transpose()
    }
    #[inline]
    fn read_optional<'m, T: NativeSlot>(
        section: Section<'m>,
        value: Option<Field>,
    ) -> Result<Option<T::Value<'m>>, DecodeError> {
        Self::get_optional::<T>(section, value)
    }
}

impl Outcome for Byte {
    type Holder = Sure;
    type Array<'m, T: NativeSlot, const N: usize> = &'m [u8; N];
    type ArrayValue<'m, T: NativeSlot, const N: usize> = &'m [u8; N];
    type Optional<'m, T: NativeSlot> = Option<T::Get<'m>>;
    type OptionalValue<'m, T: NativeSlot> = Option<T::Get<'m>>;

    #[inline]
    fn get_array<'m, T: NativeSlot, const N: usize>(section: Section<'m>, field: Field) -> &'m [u8; N] {
        section.load_ref(field.offset)
    }
    #[inline]
    fn read_array<'m, T: NativeSlot, const N: usize>(
        section: Section<'m>,
        field: Field,
    ) -> Result<&'m [u8; N], DecodeError> {
        Ok(section.load_ref(field.offset))
    }
    #[inline]
    fn get_optional<'m, T: NativeSlot>(section: Section<'m>, value: Option<Field>) -> Option<T::Get<'m>> {
        Sure::get_optional::<T>(section, value)
    }
    #[inline]
    fn read_optional<'m, T: NativeSlot>(
        section: Section<'m>,
        value: Option<Field>,
    ) -> Result<Option<T::Get<'m>>, DecodeError> {
        Sure::read_optional::<T>(section, value)
    }
}

/// The forms of an `Option` in the native dialect (NATIVE.md, the table of slots).
pub mod form {
    /// A presence byte, then the value.
    #[derive(Clone, Copy, Debug)]
    pub enum Presence {}
    /// The type's own text, bytes, list or map slot; null is `None`.
    #[derive(Clone, Copy, Debug)]
    pub enum NullSlot {}
    /// The type's own pointer; null is `None`.
    #[derive(Clone, Copy, Debug)]
    pub enum NullPointer {}
    /// A pointer to a section that holds the value; null is `None`.
    #[derive(Clone, Copy, Debug)]
    pub enum Pointer {}
    /// None: null stands for `None` already.
    #[derive(Clone, Copy, Debug)]
    pub enum Taken {}
}

/// [`NativeSlot`] for types whose accessor gives a `Result` of `$value`, or, of kind `Sure` or `Byte`, the value.
macro_rules! native_slot {
    ([$($generics:tt)*] $owner:ty, Fallible, $form:ident, |$message:lifetime| $value:ty $(, where $($bounds:tt)*)?) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> crate::NativeSlot for $owner $(where $($bounds)*)? {
            type Outcome = crate::native_slot::Fallible;
            type Form = crate::native_slot::form::$form;
            type Value<$message> = $value;

            #[inline]
            fn read<'m>(
                section: crate::section::Section<'m>,
                field: crate::section::Field,
            ) -> Result<Self::Value<'m>, crate::DecodeError> {
                <Self as crate::Slot<crate::Native>>::get(section, field)
            }
        }
    };
    ([$($generics:tt)*] $owner:ty, $outcome:ident, $form:ident $(, where $($bounds:tt)*)?) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> crate::NativeSlot for $owner $(where $($bounds)*)? {
            type Outcome = crate::native_slot::$outcome;
            type Form = crate::native_slot::form::$form;
            type Value<'m> = <Self as crate::Slot<crate::Native>>::Get<'m>;

            #[inline]
            fn read<'m>(
                section: crate::section::Section<'m>,
                field: crate::section::Field,
            ) -> Result<Self::Value<'m>, crate::DecodeError> {
                Ok(<Self as crate::Slot<crate::Native>>::get(section, field))
            }
        }
    };
}
pub(crate) use native_slot;
