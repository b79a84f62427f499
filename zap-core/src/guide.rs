//! The manual: types, attributes, views, the wire, strictness, evolution, JSON, Go. It holds no code; most claims in it are an example
//! that runs or name the test that holds them. What the Go side does is taken from the wire's description and vectors.

#[doc = include_str!("guide/types.md")]
pub mod types {}

#[doc = include_str!("guide/attributes.md")]
pub mod attributes {}

#[doc = include_str!("guide/views.md")]
pub mod views {}

#[doc = include_str!("guide/wire.md")]
pub mod wire {}

#[doc = include_str!("guide/strictness.md")]
pub mod strictness {}

// One example is a test that a user would write.
#[allow(clippy::test_attr_in_doctest)]
#[doc = include_str!("guide/evolution.md")]
pub mod evolution {}

#[doc = include_str!("guide/json.md")]
pub mod json {}

#[doc = include_str!("guide/go.md")]
pub mod go {}
