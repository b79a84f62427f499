//! Derived types as keys of maps and elements of sets: enums without data, and transparent structs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;
use core::marker::PhantomData;

use crate::enumeration::{PlainEnum, plain};
use crate::section::{Field, Section};
use crate::{DecodeError, MapKey, NativeSlot};

/// A derived type that is a key if it has an order.
#[doc(hidden)]
pub trait DerivedKey: NativeSlot {
    /// What it is ordered by: [`ByValue`] or [`ByField`].
    type By;
}

/// An enum without data: by the order of its own.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum ByValue {}

/// A transparent struct: by its field.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ByField<F>(PhantomData<F>);

/// How keys of type `T` are ordered.
#[doc(hidden)]
pub trait KeyOrder<T> {
    /// As [`MapKey::Key`].
    type Key<'k>: Copy;
    /// As [`MapKey::Order`].
    type Order<'k>: Copy;

    /// As [`MapKey::order_of`].
    fn order_of(key: Self::Key<'_>) -> Self::Order<'_>;
    /// As [`MapKey::order_at`].
    ///
    /// # Errors
    ///
    /// The slot does not hold a key.
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError>;
    /// As [`MapKey::compare`].
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering;
}

impl<E: PlainEnum + Copy + Ord + 'static> KeyOrder<E> for ByValue {
    type Key<'k> = E;
    type Order<'k> = E;

    fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
        key
    }
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<E, DecodeError> {
        plain::get(section, field)
    }
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
        a.cmp(&b)
    }
}

impl<T, F: MapKey> KeyOrder<T> for ByField<F> {
    type Key<'k> = F::Key<'k>;
    type Order<'k> = F::Order<'k>;

    fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
        F::order_of(key)
    }
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError> {
        F::order_at(section, field)
    }
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
        F::compare(a, b)
    }
}

#[diagnostic::do_not_recommend]
impl<T: DerivedKey<By: KeyOrder<T>> + Ord> MapKey for T {
    type Key<'k> = <T::By as KeyOrder<T>>::Key<'k>;
    type Order<'k> = <T::By as KeyOrder<T>>::Order<'k>;

    #[inline]
    fn order_of(key: Self::Key<'_>) -> Self::Order<'_> {
        T::By::order_of(key)
    }
    #[inline]
    fn order_at<'m>(section: Section<'m>, field: Field) -> Result<Self::Order<'m>, DecodeError> {
        T::By::order_at(section, field)
    }
    #[inline]
    fn compare(a: Self::Order<'_>, b: Self::Order<'_>) -> Ordering {
        T::By::compare(a, b)
    }
}
