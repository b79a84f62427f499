//! Protocol Buffers messages of the data sets, as `protoc` would make them, and the conversion from and to the plain
//! structs, which is not measured.

pub(crate) mod log;
pub(crate) mod mesh;
pub(crate) mod minecraft_savedata;
pub(crate) mod mk48;

/// How a field of a plain struct, a `T`, stands in a message.
pub(crate) trait Wire<T> {
    fn wrap(plain: &T) -> Self;
    fn unwrap(self) -> T;
}

/// What an `expect` says when a message lacks what it was made with.
const THERE: &str = "the message was made from a plain struct";

macro_rules! same {
    ($($ty:ty),*) => {$(
        impl Wire<$ty> for $ty {
            fn wrap(plain: &$ty) -> Self {
                plain.clone()
            }
            fn unwrap(self) -> $ty {
                self
            }
        }
    )*};
}

same!(bool, u8, u32, u64, i32, i64, f32, f64, String);

/// Protocol Buffers have no integers below 32 bits.
macro_rules! widened {
    ($($ty:ty => $wide:ty),*) => {$(
        impl Wire<$ty> for $wide {
            fn wrap(plain: &$ty) -> Self {
                (*plain).into()
            }
            fn unwrap(self) -> $ty {
                self.try_into().expect(THERE)
            }
        }
    )*};
}

widened!(u8 => u32, u16 => u32, i8 => i32, i16 => i32);

impl<T, W: Wire<T>> Wire<Vec<T>> for Vec<W> {
    fn wrap(plain: &Vec<T>) -> Self {
        plain.iter().map(W::wrap).collect()
    }
    fn unwrap(self) -> Vec<T> {
        self.into_iter().map(W::unwrap).collect()
    }
}

impl<T, W: Wire<T>> Wire<Option<T>> for Option<W> {
    fn wrap(plain: &Option<T>) -> Self {
        plain.as_ref().map(W::wrap)
    }
    fn unwrap(self) -> Option<T> {
        self.map(W::unwrap)
    }
}

/// A message inside another one is always an `Option`.
macro_rules! required {
    ($message:ident, $plain:ty) => {
        impl super::Wire<$plain> for Option<$message> {
            fn wrap(plain: &$plain) -> Self {
                Some(super::Wire::wrap(plain))
            }
            fn unwrap(self) -> $plain {
                super::Wire::unwrap(self.expect(super::THERE))
            }
        }
    };
}

/// Messages for structs of the module `plain`, with the same names of structs and fields.
macro_rules! messages {
    ($($message:ident { $(#[$attribute:meta] $field:ident: $ty:ty,)* })*) => {$(
        #[derive(Clone, PartialEq, ::prost::Message)]
        pub(crate) struct $message { $(#[$attribute] $field: $ty,)* }

        impl super::Wire<plain::$message> for $message {
            fn wrap(plain: &plain::$message) -> Self {
                Self { $($field: super::Wire::wrap(&plain.$field)),* }
            }
            fn unwrap(self) -> plain::$message {
                plain::$message { $($field: super::Wire::unwrap(self.$field)),* }
            }
        }

        super::required!($message, plain::$message);
    )*};
}

/// Messages for tuples.
macro_rules! tuples {
    ($($message:ident as $plain:ty { $(#[$attribute:meta] $field:ident: $ty:ty,)* })*) => {$(
        #[derive(Clone, PartialEq, ::prost::Message)]
        pub(crate) struct $message { $(#[$attribute] $field: $ty,)* }

        impl super::Wire<$plain> for $message {
            fn wrap(($($field,)*): &$plain) -> Self {
                Self { $($field: super::Wire::wrap($field)),* }
            }
            fn unwrap(self) -> $plain {
                ($(super::Wire::unwrap(self.$field),)*)
            }
        }

        super::required!($message, $plain);
    )*};
}

/// The enumeration of a C-like enum of the module `plain`.
macro_rules! enumeration {
    ($name:ident { $($variant:ident = $number:literal),* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ::prost::Enumeration)]
        #[repr(i32)]
        pub(crate) enum $name { $($variant = $number),* }

        impl super::Wire<plain::$name> for i32 {
            fn wrap(plain: &plain::$name) -> Self {
                *plain as i32
            }
            fn unwrap(self) -> plain::$name {
                match $name::try_from(self).expect(super::THERE) {
                    $($name::$variant => plain::$name::$variant,)*
                }
            }
        }
    };
}

use {enumeration, messages, required, tuples};
