//! A record for whatever lifetime, and the macros that declare records with everything the tests need of them.

use core::fmt::Debug;

use zap_core::{Decode, DecodeError, Zap};

use super::{Make, Seen};

/// A record type apart from its lifetime.
pub trait Family {
    /// The record that borrows for `'m`.
    type Of<'m>: Decode<'m> + Debug;
    /// A value drawn from bytes.
    fn make(draw: &[u8]) -> Self::Of<'static>;
    /// Whether two values are equal, floats by their bits.
    fn equal(a: &Self::Of<'_>, b: &Self::Of<'_>) -> bool;
    /// Reads everything that the view can reach.
    fn touch<'m>(view: <Self::Of<'m> as Zap>::View<'m>, seen: &mut Seen);
    /// Asserts that the view reads as the value.
    fn same<'m>(value: &Self::Of<'_>, view: <Self::Of<'m> as Zap>::View<'m>);

    /// Whether view and value are equal; both ways round, which must agree.
    fn shows<'m>(view: <Self::Of<'m> as Zap>::View<'m>, value: &Self::Of<'_>) -> bool;
    /// The view as a value.
    fn to_record<'m>(view: <Self::Of<'m> as Zap>::View<'m>) -> Result<Self::Of<'m>, DecodeError>;
    /// The view as text for people.
    fn display<'m>(view: <Self::Of<'m> as Zap>::View<'m>) -> String;
    /// The view through serde.
    #[cfg(all(feature = "serde", not(miri), target_pointer_width = "64"))]
    fn serialized<'m>(view: <Self::Of<'m> as Zap>::View<'m>) -> serde_json::Result<String>;

    /// Values for tests that go through every byte: an empty one and ones with something everywhere.
    fn samples() -> Vec<Self::Of<'static>> {
        // Under Miri less of everything.
        let len = if cfg!(miri) { 24 } else { 96 };
        let full = |step: u8| (0..len).map(|i: u8| i.wrapping_mul(step).wrapping_add(step)).collect::<Vec<u8>>();
        vec![Self::make(&[]), Self::make(&full(0x35)), Self::make(&[2; 96][..usize::from(len)])]
    }
}

/// Draws from bytes for [`Family::make`].
pub fn draw<T: Make>(bytes: &[u8]) -> T {
    T::make(&mut super::Dice::new(bytes))
}

/// The part of `Family` that is written alike for every record.
#[macro_export]
macro_rules! of_every_family {
    () => {
        fn equal(a: &Self::Of<'_>, b: &Self::Of<'_>) -> bool {
            a == b
        }
        fn to_record<'m>(
            view: <Self::Of<'m> as zap_core::Zap>::View<'m>,
        ) -> Result<Self::Of<'m>, zap_core::DecodeError> {
            zap_core::RecordView::to_record(&view)
        }
        fn display<'m>(view: <Self::Of<'m> as zap_core::Zap>::View<'m>) -> String {
            view.to_string()
        }
        #[cfg(all(feature = "serde", not(miri), target_pointer_width = "64"))]
        fn serialized<'m>(view: <Self::Of<'m> as zap_core::Zap>::View<'m>) -> serde_json::Result<String> {
            serde_json::to_string(&view)
        }
    };
}

/// What views of an existing record read, and `Family` for it. `member = accessor` for each field.
#[macro_export]
macro_rules! family {
    ($owner:ty, $view:ty, |$message:lifetime| $of:ty, [$($member:tt = $accessor:ident),*]) => {
        impl $crate::support::Touch for $view {
            fn touch(&self, _seen: &mut $crate::support::Seen) {
                $($crate::support::Touch::touch(&self.$accessor(), _seen);)*
            }
        }

        impl $crate::support::Same<$view> for Box<$owner> {
            fn same(&self, got: $view) {
                $crate::support::Same::same(&**self, got);
            }
        }

        impl $crate::support::Same<$view> for $owner {
            fn same(&self, _got: $view) {
                $($crate::support::Same::same(&self.$member, _got.$accessor());)*
            }
        }

        impl $crate::support::Family for $owner {
            type Of<$message> = $of;

            fn make(draw: &[u8]) -> Self::Of<'static> {
                $crate::support::family::draw(draw)
            }
            fn shows<'m>(view: <Self::Of<'m> as zap_core::Zap>::View<'m>, value: &Self::Of<'_>) -> bool {
                let shown = view == *value;
                assert_eq!(*value == view, shown);
                shown
            }
            $crate::of_every_family!();
            fn touch<'m>(view: <Self::Of<'m> as zap_core::Zap>::View<'m>, seen: &mut $crate::support::Seen) {
                $crate::support::Touch::touch(&view, seen);
            }
            fn same<'m>(value: &Self::Of<'_>, view: <Self::Of<'m> as zap_core::Zap>::View<'m>) {
                $crate::support::Same::same(value, view);
            }
        }
    };
}

/// A struct with named fields and at most one lifetime, and all of the above for it.
#[macro_export]
macro_rules! record {
    (@of $name:ident) => { $name };
    (@of $name:ident, $lifetime:lifetime, $with:lifetime) => { $name<$with> };
    (without Default: $($rest:tt)*) => { $crate::record!(@define [] $($rest)*); };
    ($(#[$attribute:meta])* $name:ident / $($rest:tt)*) => {
        $crate::record!(@define [Default] $(#[$attribute])* $name / $($rest)*);
    };
    (@define [$($default:ident)?] $(#[$attribute:meta])* $name:ident / $view:ident $(<$lifetime:lifetime>)? {
        $($(#[$field_attribute:meta])* $field:ident: $ty:ty),* $(,)?
    }) => {
        #[derive(Zap, Clone, Debug, PartialEq $(, $default)?)]
        $(#[$attribute])*
        pub struct $name $(<$lifetime>)? {
            $($(#[$field_attribute])* pub $field: $ty,)*
        }

        impl $crate::support::Make for $crate::record!(@of $name $(, $lifetime, 'static)?) {
            fn make(_dice: &mut $crate::support::Dice<'_>) -> Self {
                Self { $($field: $crate::support::Make::make(_dice)),* }
            }
        }

        $crate::family!(
            $crate::record!(@of $name $(, $lifetime, '_)?),
            $view<'_>,
            |'m| $crate::record!(@of $name $(, $lifetime, 'm)?),
            [$($field = $field),*]
        );
    };
}
