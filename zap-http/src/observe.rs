//! What can be seen of a running server or client: spans and events with the feature `tracing`, counts with `metrics`.
//!
//! Without these features nothing of this is built in. With them, what is shown never has a query string, a header, a body
//! or user info in it, but what a handler puts into its own error. Of requests there are the method and the target's path,
//! and in metrics not even those: labels take few values, all of which are listed here or are names of errors. While nobody
//! listens, requests on a warm connection cost no allocation more than without the features.
//!
//! # Metrics
//!
//! `side` is `server` or `client`. Names and labels are stable.
//!
//! | name | kind | labels | what |
//! |---|---|---|---|
//! | [`CONNECTIONS`] | gauge | `side` | connections that are open |
//! | [`CONNECTIONS_OPENED`] | counter | `side` | connections that were opened; after the handshake, if there is TLS |
//! | [`CONNECTIONS_CLOSED`] | counter | `side`, `reason` | connections that ended; the reason is a [`CloseReason`], `dropped`, or over HTTP `invalid_http` |
//! | [`RECEIVED_BYTES`], [`SENT_BYTES`] | counter | `side` | bytes of frames and their prefixes, not those of TLS |
//! | [`RECEIVED_FRAMES`], [`SENT_FRAMES`] | counter | `side` | frames; a frame counts as sent once it is written out to be sent |
//! | [`REQUESTS`] | counter | `side`, `status` | requests that ended: `2xx` and the like, `given_up` if the answer was not completed, and for clients `failed` if there is none; `cancelled` if nobody waited any more. Frames that a server refuses are none |
//! | [`REQUESTS_IN_FLIGHT`] | gauge | `side` | requests that are being answered, or waited for |
//! | [`REQUEST_SECONDS`] | histogram | `side` | server: until the answer is complete; client: until its head is there |
//! | [`REFUSALS`] | counter | `reason` | requests that a server refused: a [`FrameErrorKind`], [`FramingFault`] or [`ConvertError`], or `overloaded`; of bodies over HTTP `too_long`, `body_stalled`, `body_failed` |
//! | [`HANDLER_FAILURES`] | counter | `kind` | `error`, or `panic` of a handler or its body |
//! | [`ACCEPT_ERRORS`] | counter | | failures to accept a connection |
//! | [`CONNECTIONS_SHED`] | counter | | connections closed at once for want of descriptors |
//! | [`HANDSHAKE_FAILURES`] | counter | | TLS handshakes of a server that failed |
//! | [`CONNECT_FAILURES`] | counter | `reason` | a client's failures to connect: `timeout`, `refused`, `tls`, `other` |
//! | [`REQUEST_FAILURES`] | counter | `reason` | a client's requests without an answer: a [`ClientError`] |
//! | [`POOL_HITS`] | counter | | calls that found a connection in the pool |
//! | [`POOL_MISSES`] | counter | | calls that found none |
//! | [`POOL_WAITERS`] | gauge | | calls that wait for a connection, be it free or made |
//! | [`POOL_RETRIES`] | counter | | requests that were sent again, on a connection made for them |
//!
//! # Spans and events
//!
//! The target of all is `zap_http`.
//!
//! | span | level | fields |
//! |---|---|---|
//! | `connection` | debug | `side`, `peer`, `transport`, `tls` (the key exchange), and at the end `reason` |
//! | `request` | info | `side`, `method`, `path`, `peer`, and at the end `status` and `seconds`; `failure` if there is no answer, or not all of it |
//!
//! A server's request lies in its connection, and handlers are polled in it. A client's lies where the call is made.
//!
//! | event | level | fields |
//! |---|---|---|
//! | `connection closed` | debug | `side`, `reason` |
//! | `request refused` | debug, for `overloaded` warn | `reason` |
//! | `handler failed` | error | `error` of a [`Handler`], or the type of a service's error |
//! | `handler panicked` | error | |
//! | `connection not accepted` | warn | `error` |
//! | `connections shed` | warn | `count` |
//! | `TLS handshake failed` | debug | `error` |
//! | `cannot connect` | debug | `peer`, `reason`, `error` |
//! | `request failed` | debug | `reason` |
//! | `request sent again` | debug | `peer` |
//!
//! Connections and requests of `http://` addresses count along with those of ZAP; they have no frames, and their bytes are
//! those of HTTP.
//!
//! [`CloseReason`]: crate::proto::CloseReason
//! [`FrameErrorKind`]: crate::proto::FrameErrorKind
//! [`FramingFault`]: crate::proto::FramingFault
//! [`ConvertError`]: crate::convert::ConvertError
//! [`ClientError`]: crate::ClientError
//! [`Handler`]: crate::Handler

#[cfg(any(feature = "tracing", feature = "metrics"))]
mod labels;
#[cfg(not(any(feature = "tracing", feature = "metrics")))]
mod off;
#[cfg(any(feature = "tracing", feature = "metrics"))]
mod on;

#[cfg(not(any(feature = "tracing", feature = "metrics")))]
pub(crate) use off::*;
#[cfg(any(feature = "tracing", feature = "metrics"))]
pub(crate) use on::*;

#[cfg(feature = "http1")]
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[cfg(any(feature = "server", feature = "client"))]
use crate::proto;

macro_rules! names {
    ($($constant:ident $name:literal,)*) => {$(
        #[doc = concat!("`", $name, "`: see [the table](self#metrics).")]
        pub const $constant: &str = $name;
    )*};
}

names! {
    CONNECTIONS "zap_http_connections",
    CONNECTIONS_OPENED "zap_http_connections_opened_total",
    CONNECTIONS_CLOSED "zap_http_connections_closed_total",
    RECEIVED_BYTES "zap_http_received_bytes_total",
    SENT_BYTES "zap_http_sent_bytes_total",
    RECEIVED_FRAMES "zap_http_received_frames_total",
    SENT_FRAMES "zap_http_sent_frames_total",
    REQUESTS "zap_http_requests_total",
    REQUESTS_IN_FLIGHT "zap_http_requests_in_flight",
    REQUEST_SECONDS "zap_http_request_duration_seconds",
    REFUSALS "zap_http_refusals_total",
    HANDLER_FAILURES "zap_http_handler_failures_total",
    ACCEPT_ERRORS "zap_http_accept_errors_total",
    CONNECTIONS_SHED "zap_http_connections_shed_total",
    HANDSHAKE_FAILURES "zap_http_handshake_failures_total",
    CONNECT_FAILURES "zap_http_connect_failures_total",
    REQUEST_FAILURES "zap_http_request_failures_total",
    POOL_HITS "zap_http_pool_hits_total",
    POOL_MISSES "zap_http_pool_misses_total",
    POOL_WAITERS "zap_http_pool_waiters",
    POOL_RETRIES "zap_http_pool_retries_total",
}

/// Which end of a connection we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg(any(feature = "server", feature = "client"))]
#[cfg_attr(not(all(feature = "server", feature = "client")), allow(dead_code))]
pub(crate) enum Side {
    Server,
    Client,
}

/// How much has gone over a connection.
#[cfg(any(feature = "server", feature = "client"))]
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code))]
pub(crate) struct Totals {
    pub(crate) received_len: u64,
    pub(crate) received_frames: u64,
    pub(crate) sent_len: u64,
    pub(crate) sent_frames: u64,
}

/// An end of a connection.
#[cfg(any(feature = "server", feature = "client"))]
#[cfg_attr(not(feature = "metrics"), allow(dead_code))]
pub(crate) trait End {
    fn totals(&self) -> Totals;
}

#[cfg(any(feature = "server", feature = "client"))]
macro_rules! ends {
    ($($feature:literal $end:ident,)*) => {$(
        #[cfg(feature = $feature)]
        impl End for proto::$end {
            fn totals(&self) -> Totals {
                let counts = self.counts();
                Totals {
                    received_len: counts.received_len,
                    received_frames: counts.frames,
                    sent_len: counts.sent_len,
                    sent_frames: counts.sent_frames,
                }
            }
        }
    )*};
}

#[cfg(any(feature = "server", feature = "client"))]
ends! { "server" Server, "client" Client, }

/// What has gone over a connection that has no frames.
#[cfg(feature = "http1")]
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) received_len: AtomicU64,
    pub(crate) sent_len: AtomicU64,
}

#[cfg(feature = "http1")]
impl End for Traffic {
    fn totals(&self) -> Totals {
        Totals {
            received_len: self.received_len.load(Relaxed),
            sent_len: self.sent_len.load(Relaxed),
            ..Totals::default()
        }
    }
}
