//! Zero-copy binary records on the public ZAP wire.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
mod header;
mod limits;

pub use error::{DecodeError, DecodeErrorKind, EncodeError, Place};
pub use header::{HEADER_LEN, Header, MAGIC, VERSION_1, VERSION_2};
pub use limits::{Limits, Prefix};
