//! The oracle: a naive codec driven by a shape at run time, written from the wire rules to be checked by reading.
//!
//! It shares no code with `zap-core`, not even a constant, so that the two can be compared with each other. It is slow on
//! purpose: each rule stands where the wire page has it. It never panics on any bytes.
//!
//! # Examples
//!
//! ```
//! use golden::oracle::{self, Dialect};
//! use serde_json::json;
//!
//! let shape = json!([{"name": "id", "type": "u32"}, {"name": "tag", "type": "text"}]);
//! let value = json!({"id": "5", "tag": "hi"});
//! let bytes = oracle::encode(Dialect::Native, &shape, &value).unwrap();
//! assert_eq!(oracle::decode(Dialect::Native, &shape, &bytes).unwrap(), value);
//! ```

pub mod http;
pub mod native;
pub mod sha256;
pub mod shape;
pub mod standard;
pub mod untyped;
pub(crate) mod value;
pub mod wire;
pub mod zapgen;
pub mod zip;

use serde_json::Value;
use shape::Shape;

/// Whose bytes a record equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Our own: fixed strides, two regions.
    Native,
    /// The code generator's constructors (wire page 1.7).
    Zapgen,
    /// The struct encoder (wire page 1.6).
    Zip,
}

/// The message that `value` has in `dialect`: version 1, no flags.
///
/// # Errors
///
/// The path of the field and what is wrong with the shape or the value.
pub fn encode(dialect: Dialect, shape: &Value, value: &Value) -> Result<Vec<u8>, String> {
    encode_with(dialect, shape, value, 1, 0)
}

/// As [`encode`], with the header's version and flags; nested messages keep version 1 and no flags.
///
/// # Errors
///
/// As [`encode`].
pub fn encode_with(
    dialect: Dialect,
    shape: &Value,
    value: &Value,
    version: u16,
    flags: u16,
) -> Result<Vec<u8>, String> {
    let shape = Shape::parse(shape)?;
    let mut message = match dialect {
        Dialect::Native => native::encode(&shape, value),
        Dialect::Zapgen => zapgen::encode(&shape, value),
        Dialect::Zip => zip::encode(&shape, value),
    }?;
    wire::put(&mut message, 4, &version.to_le_bytes())?;
    wire::put(&mut message, 6, &flags.to_le_bytes())?;
    Ok(message)
}

/// The value that a message has in `dialect`.
///
/// # Errors
///
/// The path of the field and what is wrong with the shape or the bytes.
pub fn decode(dialect: Dialect, shape: &Value, message: &[u8]) -> Result<Value, String> {
    let shape = Shape::parse(shape)?;
    match dialect {
        Dialect::Native => native::decode(&shape, message),
        Dialect::Zapgen => zapgen::decode(&shape, message),
        Dialect::Zip => zip::decode(&shape, message),
    }
}
