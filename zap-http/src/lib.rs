//! HTTP requests and responses carried in ZAP frames, bodies byte for byte.
//!
//! [`serve`] serves any tower service, so an axum `Router` as it is. Below it lies [`proto`]: the wire and both ends of a
//! connection, without I/O. Bytes and the time go in, bytes and deadlines come out; sockets, tasks and clocks are the
//! caller's. [`convert`] leads from there to the types of the `http` crate and back.
//!
//! # Move an axum app in one line
//!
//! ```
//! use axum::{Router, routing::get};
//!
//! # #[cfg(feature = "server")]
//! # async fn run() -> std::io::Result<()> {
//! let app = Router::new().route("/stations", get(|| async { "[]" }));
//! let listener = tokio::net::TcpListener::bind("0.0.0.0:9999").await?;
//! // was: axum::serve(listener, app).await?;
//! zap_http::serve(listener, app).await;
//! # Ok(())
//! # }
//! ```
//!
//! Handlers and middleware stay as they are.
//!
//! # Answer without the types of `http`
//!
//! A [`Handler`] borrows the request from the connection's input and writes its answer into the output; a small one
//! allocates nothing. It is for what is called very often and does little. Its docs say what to take when.
//!
//! ```
//! # #[cfg(feature = "server")]
//! # async fn run() -> std::io::Result<()> {
//! use zap_http::{handler_fn, serve_handler};
//!
//! let health = handler_fn(|request, responder| match request.target() {
//!     b"/health" => responder.status(200).header("content-type", "text/plain").body(b"ok"),
//!     _ => responder.status(404).finish(),
//! });
//! serve_handler(tokio::net::TcpListener::bind("0.0.0.0:9999").await?, health).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Frames by hand
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
//!
//! # What the wire cannot say
//!
//! * **A streamed request.** A request is one frame: its body is there as a whole, up to 64 MiB, before a handler sees it.
//!   Two-way streams cannot work.
//! * **The length of a body that is not sent**, as an answer to `HEAD` has it in HTTP/1.1: `content-length` does not cross.
//! * **Interim answers** (100, 103): public clients take the first frame for the answer. A handler that gives one is
//!   answered 500.
//! * **Another protocol**: no upgrade, no WebSocket.
//! * **Which answer belongs to which request**, but by their order: a slow answer keeps those behind it waiting.
//! * **Trailers of streams** cross, but public Go clients drop them.
//!
//! # Features
//!
//! `server` (on): [`serve`] and what belongs to it, over tokio. Without it: [`proto`] and [`convert`].
#![cfg_attr(not(feature = "server"), allow(rustdoc::broken_intra_doc_links))]
#![forbid(unsafe_code)]

#[cfg(feature = "server")]
mod body;
pub mod convert;
pub mod proto;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use body::Body;
#[cfg(feature = "server")]
pub use server::{
    Application, ConnectionInfo, Handler, HandlerFn, Native, RequestView, Responder, ResponseWriter, Serve,
    ServeConfig, Served, handler_fn, serve, serve_connection, serve_handler, serve_handler_connection,
};
