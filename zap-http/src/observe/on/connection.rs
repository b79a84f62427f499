//! Connections of either side, and what their spans and those of requests have in common.

use std::time::Instant;

use super::super::{
    CONNECTIONS, CONNECTIONS_CLOSED, CONNECTIONS_OPENED, End, RECEIVED_BYTES, RECEIVED_FRAMES, REFUSALS,
    REQUEST_SECONDS, REQUESTS, REQUESTS_IN_FLIGHT, SENT_BYTES, SENT_FRAMES, Side, Totals, labels,
};
use crate::ConnectionInfo;
use crate::proto::CloseReason;

/// A span, if there are any.
#[derive(Clone)]
pub(crate) struct Span(#[cfg(feature = "tracing")] pub(super) tracing::Span);

impl Span {
    /// The future, polled inside the span.
    pub(crate) fn within<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        #[cfg(feature = "tracing")]
        return tracing::Instrument::instrument(future, self.0.clone());
        #[cfg(not(feature = "tracing"))]
        return future;
    }
}

impl Side {
    pub(super) const fn label(self) -> &'static str {
        match self {
            #[cfg(feature = "server")]
            Self::Server => "server",
            #[cfg(feature = "client")]
            Self::Client => "client",
        }
    }
}

/// A connection that is open.
pub(crate) struct Connection {
    side: &'static str,
    #[cfg_attr(not(any(feature = "tracing", feature = "server")), allow(dead_code))]
    span: Span,
    /// What was counted so far.
    counted: Totals,
    is_closed: bool,
}

impl Connection {
    pub(crate) fn open(side: Side, info: &ConnectionInfo) -> Self {
        let side = side.label();
        count!(CONNECTIONS_OPENED, 1, "side" => side);
        gauge!(CONNECTIONS, 1.0, "side" => side);
        Self { side, span: connection_span(side, info), counted: Totals::default(), is_closed: false }
    }

    #[cfg(feature = "server")]
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Counts what has gone over it since the last time.
    pub(crate) fn progress(&mut self, end: &impl End) {
        let now = end.totals();
        let before = std::mem::replace(&mut self.counted, now);
        let counts = [
            (RECEIVED_BYTES, now.received_len, before.received_len),
            (RECEIVED_FRAMES, now.received_frames, before.received_frames),
            (SENT_BYTES, now.sent_len, before.sent_len),
            (SENT_FRAMES, now.sent_frames, before.sent_frames),
        ];
        for (name, now, before) in counts {
            if now > before {
                count!(name, now - before, "side" => self.side);
            }
        }
    }

    pub(crate) fn closed(&mut self, reason: CloseReason) {
        // These frames are not even begun, and so are refused with their connection.
        let refused = match reason {
            CloseReason::Framing(fault) => Some(labels::framing_fault(fault)),
            CloseReason::Overloaded => Some("overloaded"),
            _ => None,
        };
        #[cfg(feature = "server")]
        if let Some(reason) = refused.filter(|_| self.side == Side::Server.label()) {
            count!(REFUSALS, 1, "reason" => reason);
            match reason {
                "overloaded" => event!(WARN, "request refused", reason = reason),
                _ => event!(DEBUG, "request refused", reason = reason),
            }
        }
        #[cfg(not(feature = "server"))]
        let _ = (refused, REFUSALS);
        self.end(labels::close_reason(reason));
    }

    fn end(&mut self, reason: &'static str) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        count!(CONNECTIONS_CLOSED, 1, "side" => self.side, "reason" => reason);
        gauge!(CONNECTIONS, -1.0, "side" => self.side);
        #[cfg(feature = "tracing")]
        {
            self.span.0.record("reason", reason);
            let parent = self.span.0.id();
            tracing::debug!(target: "zap_http", parent: parent, side = self.side, reason, "connection closed");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end("dropped");
    }
}

#[cfg(not(feature = "tracing"))]
fn connection_span(_: &'static str, _: &ConnectionInfo) -> Span {
    Span()
}

#[cfg(feature = "tracing")]
fn connection_span(side: &'static str, info: &ConnectionInfo) -> Span {
    let peer = info.peer_addr().map(tracing::field::display);
    let tls = info.tls().map(|tls| tracing::field::debug(tls.group));
    Span(tracing::debug_span!(
        target: "zap_http", parent: None, "connection",
        side, peer, transport = ?info.transport(), tls, reason = tracing::field::Empty
    ))
}

/// A request that is being answered, or waited for.
pub(super) struct Exchange {
    side: &'static str,
    pub(super) span: Span,
    begun: Instant,
    /// How it ended, if it has.
    is_over: bool,
}

impl Exchange {
    pub(super) fn begin(side: Side, span: Span) -> Self {
        let side = side.label();
        gauge!(REQUESTS_IN_FLIGHT, 1.0, "side" => side);
        Self { side, span, begun: Instant::now(), is_over: false }
    }

    /// It ended with an answer of this status, or not so.
    pub(super) fn end(&mut self, status: Option<u16>, failure: Option<&'static str>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        gauge!(REQUESTS_IN_FLIGHT, -1.0, "side" => self.side);
        let class = failure.or(status.map(labels::status_class)).unwrap_or("other");
        count!(REQUESTS, 1, "side" => self.side, "status" => class);
        #[cfg(feature = "metrics")]
        metrics::histogram!(REQUEST_SECONDS, "side" => self.side).record(seconds);
        #[cfg(not(feature = "metrics"))]
        let _ = REQUEST_SECONDS;
        #[cfg(feature = "tracing")]
        {
            if let Some(status) = status {
                self.span.0.record("status", status);
            }
            if let Some(failure) = failure {
                self.span.0.record("failure", failure);
            }
            self.span.0.record("seconds", seconds);
        }
        #[cfg(not(feature = "tracing"))]
        let _ = (seconds, &self.span);
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.end(None, Some("cancelled"));
    }
}
