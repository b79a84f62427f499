//! Zero-copy binary records on the public ZAP wire.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;
// So that the derive's `::zap_core` paths also resolve in this crate's own examples and tests.
#[allow(unused_extern_crates)]
extern crate self as zap_core;

mod buffer;
mod builder;
mod dialect;
mod encode;
mod error;
mod header;
mod layout;
mod limits;
mod list;
mod list_view;
mod load;
mod message;
mod object;
mod option;
mod owned;
#[cfg(feature = "std")]
mod pool;
mod record;
mod region;
mod scalar;
mod schema;
mod section;
mod sink;
mod slot;
mod stream;
mod tail_slot;
mod text;
mod trusted;
mod walk;

pub use buffer::Buffer;
pub use builder::{Builder, ListHandle, ListTarget, ObjectHandle, Target};
pub use dialect::{Dialect, Native, StreamDialect, Zapgen, Zip};
pub use encode::EncodeTarget;
pub use error::{DecodeError, DecodeErrorKind, EncodeError, Place};
pub use header::{HEADER_LEN, Header, MAGIC, VERSION_1, VERSION_2};
pub use layout::{DialectKind, FieldLayout, FieldType, Layout};
pub use limits::{Limits, Prefix};
pub use list::{IterBytes, IterObjects, List};
pub use list_view::{FixedStride, ListIter, ListView, LittleEndian};
pub use message::Message;
pub use object::Object;
pub use owned::OwnedView;
#[cfg(feature = "std")]
pub use pool::{BufferPool, PooledBuffer};
pub use record::{Decode, DecodeOwned, RecordView, Zap};
pub use scalar::ArrayElement;
pub use schema::{Schema, SchemaField, SchemaKind};
pub use slot::{DecodeListElement, DecodeSlot, ListElement, Slot};
pub use stream::{DecodeElement, Element, StreamIter, StreamView};
pub use text::Text;
#[cfg(feature = "derive")]
pub use zap_derive::Zap;

/// What derived code names. Not for other use: it changes without notice.
#[doc(hidden)]
pub mod __private {
    pub use crate::layout::{SlotShape, check_fault, check_offset, check_size, place};
    pub use crate::record::{DebugView, nested};
    pub use crate::section::{Field, Section};
    pub use crate::sink::Sink;
    pub use crate::walk::Walk;
    pub use crate::{Decode, DecodeElement, DecodeError, DecodeSlot, Dialect, Element, FieldLayout, FieldType};
    pub use crate::{FixedStride, Layout, Native, RecordView, Slot, Zap, Zapgen, Zip};
    pub use core::clone::Clone;
    pub use core::fmt::{Debug, Formatter, Result as FmtResult};
    pub use core::marker::{Copy, PhantomData};
    pub use core::primitive::{bool, str, u8, usize};
    pub use core::result::Result;
}
