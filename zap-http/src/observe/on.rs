//! What is observed, with one of the features or both. What one of them does not need is built without it.

use super::REFUSALS;
use super::labels;
use crate::proto::FrameError;

/// Adds to a counter. Values of labels that are literals cost no allocation.
#[cfg(any(feature = "server", feature = "client"))]
macro_rules! count {
    ($name:expr, $by:expr $(, $key:literal => $value:tt)*) => {{
        #[cfg(feature = "metrics")]
        metrics::counter!($name $(, $key => $value)*).increment($by);
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

fn refused(reason: labels::Reason) {
    count_refusal(reason);
    event!(DEBUG, "request refused", reason = reason.text);
}

/// A request is refused because there is no memory for it.
#[cfg(feature = "server")]
fn overloaded() {
    let reason = labels::overloaded();
    count_refusal(reason);
    event!(WARN, "request refused", reason = reason.text);
}

fn count_refusal(reason: labels::Reason) {
    #[cfg(feature = "metrics")]
    metrics::with_recorder(|recorder| {
        use metrics::{Key, Level, Metadata};
        static METADATA: Metadata<'static> = Metadata::new("zap_http", Level::INFO, Some(module_path!()));
        // The macro would copy the labels.
        recorder.register_counter(&Key::from_static_labels(REFUSALS, reason.labels), &METADATA).increment(1);
    });
    #[cfg(not(feature = "metrics"))]
    let _ = (REFUSALS, reason);
}

#[cfg(feature = "client")]
mod client;
#[cfg(any(feature = "server", feature = "client"))]
mod connection;
#[cfg(all(feature = "metrics", any(feature = "server", feature = "client")))]
mod meters;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "client")]
pub(crate) use client::*;
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) use connection::Connection;
#[cfg(feature = "server")]
pub(crate) use server::*;
