//! A server's requests, and what goes wrong with them and before them.

use super::super::{ACCEPT_ERRORS, CONNECTIONS_SHED, HANDLER_FAILURES, Side, labels};
use super::connection::{Exchange, Span};
use crate::convert::ConvertError;
use crate::{ConnectionInfo, proto};

/// A request that is being answered.
pub(crate) struct Serving {
    exchange: Exchange,
    /// Answers of the connection that were given up before.
    given_up: u64,
}

impl Serving {
    pub(crate) fn begin(method: &[u8], target: &[u8], info: &ConnectionInfo, server: &proto::Server) -> Self {
        let exchange = Exchange::begin(Side::Server, request_span(method, target, info));
        Self { exchange, given_up: server.counts().abandoned }
    }

    pub(crate) fn span(&self) -> Span {
        self.exchange.span.clone()
    }

    pub(crate) fn end(mut self, server: &proto::Server) {
        let given_up = server.counts().abandoned > self.given_up;
        let status = if given_up { None } else { Some(server.last_status()) };
        self.exchange.end(status, given_up.then_some("given_up"));
    }
}

/// A request over HTTP that is being answered. Dropped before its end, it was cancelled.
#[cfg(feature = "http1")]
pub(crate) struct HttpServing(Exchange);

#[cfg(feature = "http1")]
impl HttpServing {
    pub(crate) fn begin(method: &http::Method, uri: &http::Uri, info: &ConnectionInfo) -> Self {
        let span = request_span(method.as_str().as_bytes(), uri.path().as_bytes(), info);
        Self(Exchange::begin(Side::Server, span))
    }

    pub(crate) fn span(&self) -> Span {
        self.0.span.clone()
    }

    /// The answer is complete.
    pub(crate) fn end(&mut self, status: http::StatusCode) {
        self.0.end(Some(status.as_u16()), None);
    }

    /// The answer will not be completed.
    pub(crate) fn give_up(&mut self) {
        self.0.end(None, Some("given_up"));
    }
}

/// A request over HTTP is refused before it has a body.
#[cfg(feature = "http1")]
pub(crate) fn http_refused(status: http::StatusCode) {
    match status {
        http::StatusCode::SERVICE_UNAVAILABLE => super::overloaded(),
        http::StatusCode::PAYLOAD_TOO_LARGE => {
            super::refused(labels::framing_fault(proto::FramingFault::TooLong { len: 0 }))
        }
        http::StatusCode::REQUEST_TIMEOUT => super::refused(labels::body_stalled()),
        _ => super::refused(labels::body_failed()),
    }
}

#[cfg(not(feature = "tracing"))]
fn request_span(_: &[u8], _: &[u8], _: &ConnectionInfo) -> Span {
    Span()
}

#[cfg(feature = "tracing")]
fn request_span(method: &[u8], target: &[u8], info: &ConnectionInfo) -> Span {
    use tracing::field::{Empty, display};
    let peer = info.peer_addr().map(display);
    let (method, path) = (method.escape_ascii(), path_of(target).escape_ascii());
    Span(tracing::info_span!(
        target: "zap_http", "request",
        side = "server", %method, %path, peer, status = Empty, seconds = Empty, failure = Empty
    ))
}

/// The path of a target in any form: without the query, and without an authority, which may have user info in it.
#[cfg(feature = "tracing")]
fn path_of(target: &[u8]) -> &[u8] {
    let path = target.split(|byte| matches!(byte, b'?' | b'#')).next().unwrap_or_default();
    if path.first() == Some(&b'/') || path == b"*" {
        return path;
    }
    let authority = path.windows(3).position(|window| window == b"://").and_then(|at| path.get(at.saturating_add(3)..));
    let path = authority.and_then(|rest| rest.get(rest.iter().position(|byte| *byte == b'/')?..));
    path.unwrap_or_default()
}

/// A sound request means nothing in HTTP.
pub(crate) fn request_refused(error: ConvertError) {
    super::refused(labels::convert_error(error));
}

/// A service gave an error; nothing is known of it but its type.
pub(crate) fn service_failed<E>(_: &E) {
    count!(HANDLER_FAILURES, 1, "kind" => "error");
    event!(ERROR, "handler failed", error = std::any::type_name::<E>());
}

/// A handler gave an error.
pub(crate) fn handler_failed<E: Into<Box<dyn std::error::Error + Send + Sync>>>(error: E) {
    count!(HANDLER_FAILURES, 1, "kind" => "error");
    #[cfg(feature = "tracing")]
    {
        let error: Box<dyn std::error::Error + Send + Sync> = error.into();
        tracing::error!(target: "zap_http", %error, "handler failed");
    }
    #[cfg(not(feature = "tracing"))]
    drop(error);
}

/// A handler panicked, or the body that it gave. What it said is with the panic hook.
pub(crate) fn handler_panicked() {
    count!(HANDLER_FAILURES, 1, "kind" => "panic");
    event!(ERROR, "handler panicked");
}

pub(crate) fn accept_failed(error: &std::io::Error) {
    count!(ACCEPT_ERRORS, 1);
    #[cfg(feature = "tracing")]
    tracing::warn!(target: "zap_http", %error, "connection not accepted");
    #[cfg(not(feature = "tracing"))]
    let _ = error;
}

pub(crate) fn connections_shed(count: u64) {
    if count > 0 {
        count!(CONNECTIONS_SHED, count);
        event!(WARN, "connections shed", count = count);
    }
}

#[cfg(feature = "tls")]
pub(crate) fn handshake_failed(error: &crate::TlsError) {
    count!(super::super::HANDSHAKE_FAILURES, 1);
    #[cfg(feature = "tracing")]
    tracing::debug!(target: "zap_http", error = error as &dyn std::error::Error, "TLS handshake failed");
    #[cfg(not(feature = "tracing"))]
    let _ = error;
}
