//! JSON: messages as JSON text and JSON text as messages, by the layout alone.
//!
//! Nothing here needs serde. Writing streams: no tree is built, and nothing but a small stack is allocated. What is
//! written reads back as the same message, byte for byte. How each type is spelled is in the
//! [guide](crate::guide::json).
//!
//! # Examples
//!
//! ```
//! use zap_core::{Zap, json};
//!
//! #[derive(Zap, Debug, PartialEq)]
//! struct Order {
//!     id: u64,
//!     item: String,
//!     tags: Vec<String>,
//!     key: Vec<u8>,
//! }
//!
//! let order = Order { id: u64::MAX, item: "tea".into(), tags: vec!["hot".into()], key: vec![0xca, 0xfe] };
//! let bytes = order.to_vec()?;
//! let text = json::to_string(Order::view(&bytes)?)?;
//! assert_eq!(text, r#"{"id":"18446744073709551615","item":"tea","tags":["hot"],"key":"0xcafe"}"#);
//!
//! // The same from bytes and a layout, as a tool has them.
//! assert_eq!(json::message_to_string(&bytes, Order::LAYOUT)?, text);
//!
//! // And back.
//! assert_eq!(json::message_from_str(&text, Order::LAYOUT)?, bytes);
//! assert_eq!(json::from_str::<Order>(&text)?, order);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod convert;
mod error;
mod item;
mod order;
mod parse;
mod read;
pub(crate) mod spell;
mod view;
pub(crate) mod write;

use core::fmt;

use alloc::string::String;
use alloc::vec::Vec;

pub use error::{JsonError, JsonErrorKind, WriteError};
pub use view::JsonView;

use crate::dynamic::{DynamicRecord, is_byte, is_newtype};
use crate::{DecodeError, DecodeOwned, FieldType, Layout, Limits};

/// How JSON text is spelled where there is a choice. Reading takes both spellings of integers, and of bytes the chosen
/// one.
///
/// # Examples
///
/// ```
/// use zap_core::json::{self, BytesText, JsonOptions};
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Blob {
///     data: Vec<u8>,
/// }
///
/// let options = JsonOptions::new().bytes(BytesText::Base64).pretty(true);
/// let bytes = Blob { data: b"any".to_vec() }.to_vec()?;
/// let text = json::message_to_string_with(&bytes, Blob::LAYOUT, &options)?;
/// assert_eq!(text, "{\n  \"data\": \"YW55\"\n}");
/// assert_eq!(json::message_from_str_with(&text, Blob::LAYOUT, &options)?, bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonOptions {
    bytes: BytesText,
    integers: IntegerText,
    pretty: bool,
    limits: Limits,
}

/// How bytes are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BytesText {
    /// `"0xcafe"`: lowercase hex after `0x`; the default.
    #[default]
    Hex,
    /// `"yv4="`: the standard alphabet of RFC 4648 with padding.
    Base64,
}

/// How integers beyond 2^53 - 1 are spelled, which JavaScript and many JSON readers cannot tell from their neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IntegerText {
    /// As text, so that every reader keeps them; the default. Smaller ones are numbers.
    #[default]
    Text,
    /// As numbers, as serde_json writes them.
    Numbers,
}

impl JsonOptions {
    /// Hex, large integers as text, compact, the default [`Limits`].
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: BytesText::Hex, integers: IntegerText::Text, pretty: false, limits: Limits::new() }
    }

    /// How bytes are spelled.
    #[must_use]
    pub const fn bytes(self, bytes: BytesText) -> Self {
        Self { bytes, ..self }
    }

    /// How integers beyond 2^53 - 1 are spelled.
    #[must_use]
    pub const fn integers(self, integers: IntegerText) -> Self {
        Self { integers, ..self }
    }

    /// Whether each element and field stands on its own line, indented by two spaces a level.
    #[must_use]
    pub const fn pretty(self, pretty: bool) -> Self {
        Self { pretty, ..self }
    }

    /// The budget of what writing may visit, and the depth and length of messages opened from bytes.
    #[must_use]
    pub const fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
}

impl Default for JsonOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The JSON text of a view.
///
/// # Errors
///
/// What is wrong with the message, as [`Zap::validate`](crate::Zap::validate) finds it.
///
/// # Cost
///
/// O(message): visits at most as many bytes as the limits allow. The text, and a stack of a few KiB.
pub fn to_string<'m>(view: impl JsonView<'m>) -> Result<String, DecodeError> {
    let mut text = String::new();
    to_fmt(&mut text, view, &JsonOptions::new()).map_err(WriteError::decode_error)?;
    Ok(text)
}

/// Writes the JSON text of a view into a [`fmt::Write`].
///
/// # Errors
///
/// What is wrong with the message, or the writer's error. What was written before stays written.
pub fn to_fmt<'m>(mut out: impl fmt::Write, view: impl JsonView<'m>, options: &JsonOptions) -> Result<(), WriteError> {
    write::write(&mut out, view.json_root(), options)
}

/// Writes the JSON text of a view into an [`io::Write`](std::io::Write). Many small writes: hand over a buffered one.
///
/// # Errors
///
/// What is wrong with the message, or the writer's error. What was written before stays written.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, json};
///
/// #[derive(Zap)]
/// struct Tick {
///     at: u64,
/// }
///
/// let bytes = Tick { at: 5 }.to_vec()?;
/// let mut out = Vec::new();
/// json::to_writer(&mut out, Tick::view(&bytes)?)?;
/// assert_eq!(out, br#"{"at":5}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "std")]
pub fn to_writer<'m>(out: impl std::io::Write, view: impl JsonView<'m>) -> Result<(), WriteError> {
    let mut adapter = IoWriter { out, error: None };
    let written = to_fmt(&mut adapter, view, &JsonOptions::new());
    match adapter.error {
        Some(error) => Err(WriteError::Io(error)),
        None => written,
    }
}

/// Writes text to an `io::Write` and keeps its error, which `fmt::Error` has no room for.
#[cfg(feature = "std")]
struct IoWriter<W> {
    out: W,
    error: Option<std::io::Error>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> fmt::Write for IoWriter<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

/// The JSON text of a message of this layout.
///
/// # Errors
///
/// What is wrong with the message, as [`Zap::validate`](crate::Zap::validate) finds it.
pub fn message_to_string(message: &[u8], layout: &'static Layout) -> Result<String, DecodeError> {
    message_to_string_with(message, layout, &JsonOptions::new())
}

/// As [`message_to_string`], spelled and limited as `options` say.
///
/// # Errors
///
/// As [`message_to_string`].
pub fn message_to_string_with(
    message: &[u8],
    layout: &'static Layout,
    options: &JsonOptions,
) -> Result<String, DecodeError> {
    let record = DynamicRecord::open_within(message, layout, &options.limits)?;
    let mut text = String::new();
    write::write(&mut text, write::Root::of_record(record), options).map_err(WriteError::decode_error)?;
    Ok(text)
}

/// The message of this layout that JSON text stands for: the same bytes that encoding the value gives.
///
/// # Errors
///
/// What is wrong with the text, with line, column and the path of the value: not JSON, a value of another type, a number
/// out of range, a field that is missing, unknown or there twice, nesting deeper than 64 levels. A field of an optional
/// may be missing, and so may the last fields of a growable record.
///
/// # Cost
///
/// One pass over the text into a tree of about 40 bytes a value, then counting and writing as any encoder.
pub fn message_from_str(text: &str, layout: &'static Layout) -> Result<Vec<u8>, JsonError> {
    message_from_str_with(text, layout, &JsonOptions::new())
}

/// As [`message_from_str`], with bytes spelled as `options` say.
///
/// # Errors
///
/// As [`message_from_str`].
pub fn message_from_str_with(text: &str, layout: &'static Layout, options: &JsonOptions) -> Result<Vec<u8>, JsonError> {
    item::encode(&read::record(text, layout, options)?, layout).map_err(JsonError::encode)
}

/// The record that JSON text stands for, by way of its message.
///
/// # Errors
///
/// As [`message_from_str`]; or what `T` refuses that its layout does not tell.
pub fn from_str<T: DecodeOwned>(text: &str) -> Result<T, JsonError> {
    let message = message_from_str(text, T::LAYOUT)?;
    T::decode(&message).map_err(JsonError::decode)
}

/// Whether the keys of a map with these entries are keys of a JSON object: those that are spelled as text or as one
/// number. Other maps are arrays of pairs.
pub(crate) fn is_key(entry: &Layout) -> bool {
    let mut key = match entry.fields {
        [key, ..] => &key.field_type,
        [] => return false,
    };
    loop {
        key = match key {
            FieldType::Record(layout) => match layout().fields {
                [field] if is_newtype(layout()) => &field.field_type,
                _ => return false,
            },
            FieldType::Pointer(value) => value,
            FieldType::Array { element, .. } | FieldType::Set(element) => return is_byte(element),
            FieldType::Enum(layout) => return !layout().has_data,
            FieldType::F32 | FieldType::F64 | FieldType::List(_) | FieldType::Map(_) | FieldType::Tuple(_) => {
                return false;
            }
            FieldType::Option(_) | FieldType::Duration | FieldType::SystemTime | FieldType::Nothing => return false,
            _ => return true,
        };
    }
}
