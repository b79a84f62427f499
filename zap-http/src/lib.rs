//! HTTP requests and responses carried in ZAP frames, bodies byte for byte.
//!
//! What is here is [`proto`]: the wire and both ends of a connection, without I/O. Bytes and the time go in, bytes and
//! deadlines come out; sockets, tasks and clocks are the caller's. [`convert`] leads from there to the types of the `http`
//! crate and back.
//!
//! ```
//! use zap_http::proto::{Encoder, FrameLimits, Request};
//!
//! let mut frame = Vec::new();
//! let mut request = Encoder::message(&mut frame).request("GET", "/stations?limit=20")?;
//! request.header("Host", "survey.example")?;
//! request.finish()?;
//!
//! let request = Request::decode(&frame, &FrameLimits::new())?;
//! assert_eq!((request.method(), request.target()), (&b"GET"[..], &b"/stations?limit=20"[..]));
//! assert_eq!(request.headers().get("host"), Some(&b"survey.example"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod convert;
pub mod proto;
