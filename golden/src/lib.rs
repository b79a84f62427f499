//! Conformance vectors of the ZAP wire, and their runner.
//!
//! [`runner`] replays vector files: through [`oracle`], a naive codec written from the wire rules alone, and through
//! `zap-core`. A vector folder is data; `vectors/README.md` states the wire and the file formats.
#![forbid(unsafe_code)]

pub mod core_build;
pub mod core_parse;
#[cfg(feature = "derive")]
pub mod derived;
mod go_json;
pub mod hex;
#[cfg(feature = "http")]
pub mod http;
pub mod oracle;
mod oracle_cases;
pub mod reads;
pub mod runner;
pub mod schema_layout;
