//! Zero-copy binary records on the public ZAP wire.
//!
//! Derive [`Zap`] on a struct or an enum. Its values are written by appending to a buffer of yours, and read where they lie: by a
//! view, one field at a time, or as the whole struct, which may borrow from the message.
//!
//! ```
//! use zap_core::{DecodeErrorKind, Zap};
//!
//! #[derive(Zap, Debug, PartialEq)]
//! struct Transfer<'a> {
//!     id: u64,
//!     amount: u64,
//!     memo: &'a str,
//! }
//!
//! let transfer = Transfer { id: 7, amount: 250, memo: "rent" };
//! let mut buffer = Vec::new();
//! transfer.encode_into(&mut buffer)?;
//!
//! let view = Transfer::view(&buffer)?;
//! assert_eq!(view.amount(), 250);
//! assert_eq!(view.memo()?, "rent");
//!
//! assert_eq!(Transfer::decode(&buffer)?, transfer);
//!
//! let error = Transfer::decode(&buffer[..20]).unwrap_err();
//! assert_eq!(error.kind(), DecodeErrorKind::BufferTooSmall);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to find what
//!
//! | you want to | look at |
//! |---|---|
//! | write a record | [`Zap::encode_into`], [`Zap::to_vec`], [`Zap::encoded_len`], [`Zap::encode_with_flags`] |
//! | read some fields of it | [`Zap::view`]; the accessors are named as the fields |
//! | read all of it | [`Zap::decode`]; [`Zap::decode_bytes`] shares a [`bytes::Bytes`] instead of copying |
//! | read bytes from strangers | [`Zap::validate`], [`Zap::decode_with`], [`Limits`] |
//! | take messages off a stream or a file | [`Zap::decode_prefix`], [`Zap::view_prefix`], [`Prefix`] |
//! | hand a view to another thread | [`OwnedView`] |
//! | walk a list | [`ListView`] in the native dialect, [`StreamView`] in the other two |
//! | look something up | [`MapView`], [`SetView`] |
//! | compare, copy out, print | `==` and `{}` of any view, [`RecordView::to_record`]: [`guide::views`] |
//! | change fields in place | [`Zap::view_mut`], [`SlotMut`] |
//! | write and read JSON | [`json`]; with the feature `serde` views are `Serialize` |
//! | look at bytes | [`annotate()`] |
//! | reuse memory | [`Buffer`], [`BufferPool`]; any `Vec<u8>` does, too |
//! | know where the fields lie | [`Zap::LAYOUT`], [`Layout`] |
//! | keep them there | `#[zap(pin)]`, [`lock`], [`Layout::can_read`]: [`guide::evolution`] |
//! | hand the layout to Go | [`schema_text`] |
//! | read with a layout, but no struct | [`dynamic`] |
//! | read or write without either | [`Message`], [`Object`], [`List`], [`Text`]; [`Builder`], [`Schema`] |
//! | know what went wrong | [`DecodeError`], [`DecodeErrorKind`], [`EncodeError`] |
//!
//! There are two layers. The *typed* one, around [`Zap`], knows the record: whatever is malformed is an error with the
//! byte, the record and, below the header, the field (of an error in the header or at the root the field's name is
//! empty), and nothing is defaulted. The *untyped* one, around [`Message`], knows only offsets and answers as the Go
//! runtime does: what is not there reads as zero, empty or null. Both read any bytes without a panic.
//!
//! Memory that the allocator does not give is another matter. Buffers that grow ([`Zap::to_vec`], [`Zap::encode_into`] a
//! `Vec<u8>`, a `BytesMut` or a [`Buffer`], a [`BufferPool`]) and the decode of owned fields panic or abort then, as every
//! `Vec` does. Encoding into a fixed slice allocates nothing, and [`Builder`] answers [`EncodeError::OutOfMemory`].
//!
//! The traits [`Slot`], [`DecodeSlot`], [`NativeSlot`], [`ListElement`], [`FixedStride`], [`Element`] and their like are what the derive
//! implements. You meet them in bounds and in compile errors; there is no need to call or implement them.
//!
//! # Further reading
//!
//! The [`guide`] is the manual: which [Rust types](guide::types) a record takes, every [attribute](guide::attributes),
//! what [views](guide::views) can do, the [wire](guide::wire) byte by byte, where this crate is
//! [stricter](guide::strictness) than its peer, how a record may [change](guide::evolution), [JSON](guide::json) and
//! looking at bytes, and which dialect speaks to which [Go](guide::go) code.
//!
//! References such as "wire 1.2" number the sections of `golden/vectors/README.md`, which states the wire's rules.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `derive` | yes | `#[derive(Zap)]` |
//! | `std` | yes | [`BufferPool`]; `HashMap`, `HashSet` and `SystemTime` as fields; [`lock`]; [`json::to_writer`]; the choice of the UTF-8 check's instructions at run time |
//! | `serde` | no | `serde::Serialize` of views, lists, maps and sets; [`json`] needs no feature |
//! | `uuid` | no | `uuid::Uuid` as a field |
//! | `rust_decimal` | no | `rust_decimal::Decimal` as a field |
//!
//! Without `std` the crate needs `alloc` only. No feature changes a byte.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;
// So that the derive's `::zap_core` paths also resolve in this crate's own examples and tests.
#[allow(unused_extern_crates)]
extern crate self as zap_core;

mod annotate;
mod array;
mod boxed;
mod buffer;
mod builder;
mod capped;
mod compare;
mod compatibility;
mod conversion;
mod derived_key;
mod dialect;
mod display;
pub mod dynamic;
mod encode;
mod enumeration;
mod error;
mod fixed_slot;
mod growable;
pub mod guide;
mod header;
pub mod json;
mod key;
mod layout;
mod limits;
mod line;
mod list;
mod list_view;
mod load;
#[cfg(feature = "std")]
#[allow(clippy::test_attr_in_doctest)] // its example is a test that a user would write
pub mod lock;
mod map;
mod message;
mod native_slot;
mod nested;
mod object;
mod option;
mod optional;
mod owned;
mod pin;
#[cfg(feature = "std")]
mod pool;
mod reach;
mod record;
mod region;
mod scalar;
mod schema;
mod schema_export;
mod section;
#[cfg(feature = "serde")]
mod serialize;
mod set;
mod sink;
mod slot;
mod stream;
mod tail_slot;
mod text;
mod trusted;
mod tuple;
mod update;
mod variant;
mod walk;

pub use annotate::{Annotated, annotate};
pub use buffer::Buffer;
pub use builder::{Builder, ListHandle, ListTarget, ObjectHandle, Target};
/// The crate whose `Bytes` stand in this API.
#[doc(no_inline)]
pub use bytes;
pub use compatibility::{Incompatibility, IncompatibilityReason};
pub use dialect::{Dialect, Native, StreamDialect, Zapgen, Zip};
pub use encode::EncodeTarget;
pub use enumeration::{EnumNumber, EnumView, Enumeration};
pub use error::{DecodeError, DecodeErrorKind, EncodeError, Place};
pub use header::{HEADER_LEN, Header, MAGIC, VERSION_1, VERSION_2};
pub use key::MapKey;
pub use layout::{DialectKind, EnumLayout, FieldLayout, FieldType, Layout, VariantLayout};
pub use limits::{Limits, Prefix};
pub use line::LayoutLine;
pub use list::{IterBytes, IterObjects, List};
pub use list_view::{FixedStride, ListIter, ListView, LittleEndian};
pub use map::MapView;
pub use message::Message;
pub use native_slot::{Byte, Fallible, NativeSlot, Outcome, Sure, form};
pub use object::Object;
pub use optional::OptionForm;
pub use owned::OwnedView;
#[cfg(feature = "std")]
pub use pool::{BufferPool, PooledBuffer};
pub use record::{Decode, DecodeOwned, RecordView, Zap};
pub use schema::{Schema, SchemaField, SchemaKind};
pub use schema_export::{SchemaError, SchemaErrorReason, schema_text};
pub use set::SetView;
pub use slot::{DecodeListElement, DecodeSlot, ListElement, Slot};
pub use stream::{DecodeElement, Element, StreamIter, StreamView};
pub use text::Text;
pub use tuple::TupleView;
pub use update::{RecordViewMut, SlotMut};
pub use variant::{FieldView, VariantView};
#[cfg(feature = "derive")]
pub use zap_derive::Zap;
/// The element types of [`ListView::as_slice`]: little-endian, alignment 1.
#[doc(no_inline)]
pub use zerocopy::little_endian;

/// What derived code names. Not for other use: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::__serialize_view as implement_serialize;
    pub use crate::compare::{same_views, view_equals};
    pub use crate::conversion::converted;
    pub use crate::derived_key::{ByField, ByValue, DerivedKey};
    pub use crate::enumeration::{EnumValue, OpenEnum, PlainEnum, check_discriminant, plain};
    pub use crate::growable::GrowableField;
    pub mod growable {
        pub use crate::growable::*;
    }
    pub use crate::display::display;
    pub use crate::dynamic::DynamicEnum;
    pub use crate::json::{JsonView, write::Root as JsonRoot};
    pub use crate::layout::{SlotShape, check_fault, check_moved, check_offset, check_size, place, place_after};
    pub use crate::native_slot::{Fallible, NativeSlot, Sure, form};
    pub use crate::pin::{Parts, check_pin, pin_len, pin_text};
    pub mod nested {
        pub use crate::nested::*;
    }
    pub use crate::record::DebugView;
    pub use crate::section::{Field, Section};
    #[cfg(feature = "serde")]
    pub use crate::serialize::{serialize_variant, serialize_view};
    pub use crate::sink::Sink;
    pub use crate::slot::{Missing, SkippedField};
    pub use crate::update::SectionMut;
    pub mod variant {
        pub use crate::variant::*;
    }
    pub use crate::walk::Walk;
    pub use crate::{Decode, DecodeElement, DecodeError, DecodeSlot, Dialect, Element, FieldLayout, FieldType};
    pub use crate::{
        EnumLayout, EnumView, Enumeration, FixedStride, Layout, Native, RecordView, RecordViewMut, Slot, SlotMut,
        StreamDialect, VariantLayout, Zap, Zapgen, Zip,
    };
    pub use core::clone::Clone;
    pub use core::cmp::PartialEq;
    pub use core::default::{Default, Default as DefaultValue};
    pub use core::fmt::{Debug, Display, Formatter, Result as FmtResult};
    pub use core::marker::{Copy, PhantomData};
    pub use core::mem::drop;
    pub use core::option::Option;
    pub use core::primitive::{bool, i128, str, u8, u16, u32, usize};
    pub use core::result::Result;
    #[cfg(feature = "serde")]
    pub use serde;
}

/// Without the feature `serde`, views are not serialised.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serialize_view {
    ($($ignored:tt)*) => {};
}

// The README's snippets, which run as tests.
#[cfg(all(doctest, feature = "std", feature = "derive"))]
#[doc = include_str!("../../README.md")]
mod readme {}
