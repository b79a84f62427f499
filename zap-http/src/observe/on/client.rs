//! A client's calls, and its pool.

use http::{Method, Response, Uri};

#[cfg(feature = "metrics")]
use super::super::POOL_WAITERS;
use super::super::{CONNECT_FAILURES, POOL_HITS, POOL_MISSES, POOL_RETRIES, REQUEST_FAILURES, Side, labels};
use super::connection::{Exchange, Span};
use crate::{ClientError, ConnectError, Target};

/// A call that waits for its answer.
pub(crate) struct Calling(Exchange);

impl Calling {
    pub(crate) fn begin(method: &Method, uri: &Uri, target: Option<&Target>) -> Self {
        Self(Exchange::begin(Side::Client, call_span(method, uri, target)))
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span.clone()
    }

    pub(crate) fn end<B>(mut self, outcome: &Result<Response<B>, ClientError>) {
        match outcome {
            Ok(response) => self.0.end(Some(response.status().as_u16()), None),
            Err(error) => {
                let reason = labels::client_error(error);
                count!(REQUEST_FAILURES, 1, "reason" => reason);
                event!(DEBUG, "request failed", reason = reason);
                self.0.end(None, Some("failed"));
            }
        }
    }
}

#[cfg(not(feature = "tracing"))]
fn call_span(_: &Method, _: &Uri, _: Option<&Target>) -> Span {
    Span()
}

#[cfg(feature = "tracing")]
fn call_span(method: &Method, uri: &Uri, target: Option<&Target>) -> Span {
    use tracing::field::{Empty, display};
    // Not the URI's authority: it may have user info, for which the call will be refused.
    let routed = if target.is_none() { Target::from_uri(uri).ok() } else { None };
    let peer = target.or(routed.as_ref()).map(display);
    let path = uri.path();
    Span(tracing::info_span!(
        target: "zap_http", "request",
        side = "client", %method, path, peer, status = Empty, seconds = Empty, failure = Empty
    ))
}

/// A call that waits for a connection.
pub(crate) struct Waiting;

pub(crate) fn pool_hit() {
    count!(POOL_HITS, 1);
}

pub(crate) fn pool_miss() -> Waiting {
    count!(POOL_MISSES, 1);
    #[cfg(feature = "metrics")]
    metrics::gauge!(POOL_WAITERS).increment(1.0);
    Waiting
}

impl Drop for Waiting {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        metrics::gauge!(POOL_WAITERS).decrement(1.0);
    }
}

pub(crate) fn pool_retry(target: &Target) {
    count!(POOL_RETRIES, 1);
    #[cfg(feature = "tracing")]
    tracing::debug!(target: "zap_http", peer = %target, "request sent again");
    #[cfg(not(feature = "tracing"))]
    let _ = target;
}

pub(crate) fn connect_failed(error: &ConnectError) {
    let reason = match error.io_error().kind() {
        std::io::ErrorKind::TimedOut => "timeout",
        std::io::ErrorKind::ConnectionRefused => "refused",
        _ if is_of_tls(error) => "tls",
        _ => "other",
    };
    count!(CONNECT_FAILURES, 1, "reason" => reason);
    #[cfg(feature = "tracing")]
    tracing::debug!(target: "zap_http", peer = %error.target(), reason, error = %error.io_error(), "cannot connect");
}

#[cfg(feature = "tls")]
fn is_of_tls(error: &ConnectError) -> bool {
    error.tls_error().is_some()
}

#[cfg(not(feature = "tls"))]
fn is_of_tls(_: &ConnectError) -> bool {
    false
}
