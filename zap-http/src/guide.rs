//! The manual: [moving an axum app](axum), [calling a Go service](go), [what the wire cannot say](limits_of_the_wire), and
//! [probes in Kubernetes](probes). It holds no code; its snippets are compiled, and those that can run do.

#[doc = include_str!("guide/axum.md")]
pub mod axum {}

#[doc = include_str!("guide/go.md")]
pub mod go {}

#[doc = include_str!("guide/limits_of_the_wire.md")]
pub mod limits_of_the_wire {}

#[doc = include_str!("guide/probes.md")]
pub mod probes {}
