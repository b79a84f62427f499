//! Zero-copy binary records on the public ZAP wire.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod builder;
mod error;
mod header;
mod limits;
mod list;
mod load;
mod message;
mod object;
mod schema;
mod text;

pub use builder::{Builder, ListHandle, ListTarget, ObjectHandle, Target};
pub use error::{DecodeError, DecodeErrorKind, EncodeError, Place};
pub use header::{HEADER_LEN, Header, MAGIC, VERSION_1, VERSION_2};
pub use limits::{Limits, Prefix};
pub use list::{IterBytes, IterObjects, List};
pub use message::Message;
pub use object::Object;
pub use schema::{Schema, SchemaField, SchemaKind};
pub use text::Text;
