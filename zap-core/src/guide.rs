//! The manual: types, attributes, the wire, strictness, evolution, Go. It holds no code; every claim in it is an example
//! that runs or names the test that holds it.

#[doc = include_str!("guide/types.md")]
pub mod types {}

#[doc = include_str!("guide/attributes.md")]
pub mod attributes {}

#[doc = include_str!("guide/wire.md")]
pub mod wire {}

#[doc = include_str!("guide/strictness.md")]
pub mod strictness {}

#[doc = include_str!("guide/evolution.md")]
pub mod evolution {}

#[doc = include_str!("guide/go.md")]
pub mod go {}
