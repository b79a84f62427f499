//! What is observed, with one of the features or both. What one of them does not need is built without it.

use super::REFUSALS;
use super::labels;
use crate::proto::FrameError;

/// Adds to a counter.
macro_rules! count {
    ($name:expr, $by:expr $(, $key:literal => $value:expr)*) => {{
        #[cfg(feature = "metrics")]
        metrics::counter!($name $(, $key => $value)*).increment($by);
        #[cfg(not(feature = "metrics"))]
        let _ = ($name, $by $(, $value)*);
    }};
}

/// Adds to a gauge, or takes away.
#[cfg(any(feature = "server", feature = "client"))]
macro_rules! gauge {
    ($name:expr, $by:expr $(, $key:literal => $value:expr)*) => {{
        #[cfg(feature = "metrics")]
        metrics::gauge!($name $(, $key => $value)*).increment($by);
        #[cfg(not(feature = "metrics"))]
        let _ = ($name, $by $(, $value)*);
    }};
}

/// Tells of an event.
macro_rules! event {
    ($level:ident, $message:literal $(, $key:ident = $value:expr)*) => {{
        #[cfg(feature = "tracing")]
        tracing::event!(target: "zap_http", tracing::Level::$level, $($key = $value,)* $message);
        #[cfg(not(feature = "tracing"))]
        let _ = ($(&$value,)*);
    }};
}

/// A request's frame is refused by a server.
pub(crate) fn frame_refused(error: FrameError) {
    refused(labels::frame_error(error.kind()));
}

fn refused(reason: &'static str) {
    count!(REFUSALS, 1, "reason" => reason);
    event!(DEBUG, "request refused", reason = reason);
}

#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "server", feature = "client"))]
mod connection;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "client")]
pub(crate) use client::*;
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) use connection::Connection;
#[cfg(feature = "server")]
pub(crate) use server::*;
