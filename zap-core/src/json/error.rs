//! What can go wrong between messages and JSON text.

use core::fmt;

use alloc::string::String;

use crate::{DecodeError, EncodeError};

/// Why a message could not be written as JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The message is wrong.
    #[error(transparent)]
    Message(DecodeError),
    /// The writer has refused the text.
    #[error("the JSON text could not be written")]
    Format,
    /// The writer has failed.
    #[cfg(feature = "std")]
    #[error("the JSON text could not be written: {0}")]
    Io(std::io::Error),
}

impl WriteError {
    /// The message's error, where a string is written, which refuses no text.
    pub(super) fn decode_error(self) -> DecodeError {
        match self {
            Self::Message(error) => error,
            _ => DecodeError::new(crate::DecodeErrorKind::BudgetExceeded, 0),
        }
    }
}

impl From<DecodeError> for WriteError {
    fn from(error: DecodeError) -> Self {
        Self::Message(error)
    }
}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> Self {
        Self::Format
    }
}

/// Why JSON text is not a message: the kind, the line and column in the text, and the path of the value.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, json};
///
/// #[derive(Zap, Debug)]
/// struct Line {
///     widths: Vec<u16>,
/// }
///
/// let error = json::from_str::<Line>("{\n  \"widths\": [1, 70000]\n}").unwrap_err();
/// assert_eq!(error.to_string(), "line 2 column 17, at $.widths[1]: out of range for u16");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JsonError {
    pub(super) kind: JsonErrorKind,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) path: String,
}

impl JsonError {
    pub(super) fn encode(error: EncodeError) -> Self {
        match error {
            EncodeError::TooDeep => Self::whole(JsonErrorKind::TooDeep),
            error => Self::whole(JsonErrorKind::Encode(error)),
        }
    }

    pub(super) fn decode(error: DecodeError) -> Self {
        Self::whole(JsonErrorKind::Message(error))
    }

    /// An error of the whole text.
    fn whole(kind: JsonErrorKind) -> Self {
        Self { kind, line: 1, column: 1, path: String::from("$") }
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> &JsonErrorKind {
        &self.kind
    }

    /// The line in the text, counted from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The character in the line, counted from 1.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.column
    }

    /// The path of the value: `$` is the whole, `.name` a field, `[3]` an element.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}, at {}: {}", self.line, self.column, self.path, self.kind)
    }
}

impl core::error::Error for JsonError {}

/// The kinds of [`JsonError`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is not JSON.
    #[error("not JSON: {0}")]
    Syntax(&'static str),
    /// A value of another type than the field's.
    #[error("expected {0}")]
    Type(&'static str),
    /// A number or text that the field's type does not hold.
    #[error("out of range for {0}")]
    OutOfRange(&'static str),
    /// An array with more or fewer elements than the type has.
    #[error("expected {0} elements")]
    Length(usize),
    /// A field is missing that is no optional.
    #[error("field `{0}` is missing")]
    MissingField(&'static str),
    /// The record has no such field.
    #[error("no field `{0}`")]
    UnknownField(String),
    /// The enum has no such variant.
    #[error("no variant `{0}`")]
    UnknownVariant(String),
    /// A field is there twice.
    #[error("`{0}` is there twice")]
    Duplicate(String),
    /// A key of a map or an element of a set is there twice.
    #[error("a key or element is there twice")]
    DuplicateKey,
    /// Values are nested deeper than 64 levels.
    #[error("nested too deeply")]
    TooDeep,
    /// The value does not fit the wire.
    #[error(transparent)]
    Encode(EncodeError),
    /// The type refuses the value.
    #[error(transparent)]
    Message(DecodeError),
}
