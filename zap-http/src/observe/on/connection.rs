//! Connections of either side, and what their spans and those of requests have in common.

use std::time::Instant;

use super::super::{CONNECTIONS_CLOSED, End, Side, labels};
#[cfg(feature = "metrics")]
use super::meters::{self, Traffic};
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
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

/// A connection that is open.
pub(crate) struct Connection {
    side: Side,
    #[cfg_attr(not(any(feature = "tracing", feature = "server")), allow(dead_code))]
    span: Span,
    #[cfg(feature = "metrics")]
    traffic: Traffic,
    is_closed: bool,
}

impl Connection {
    pub(crate) fn open(side: Side, info: &ConnectionInfo) -> Self {
        #[cfg(feature = "metrics")]
        meters::connection_opened(side);
        Self {
            side,
            span: connection_span(side, info),
            #[cfg(feature = "metrics")]
            traffic: Traffic::new(side),
            is_closed: false,
        }
    }

    #[cfg(feature = "server")]
    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Counts what has gone over it since the last time.
    pub(crate) fn progress(&mut self, end: &impl End) {
        #[cfg(feature = "metrics")]
        self.traffic.count(end.totals());
        #[cfg(not(feature = "metrics"))]
        let _ = end;
    }

    pub(crate) fn closed(&mut self, reason: CloseReason) {
        #[cfg(feature = "server")]
        if self.side == Side::Server {
            match reason {
                // Refused with their connection: they are not even begun.
                CloseReason::Framing(fault) => super::refused(labels::framing_fault(fault)),
                CloseReason::Overloaded => super::overloaded(),
                _ => {}
            }
        }
        self.end(labels::close_reason(reason));
    }

    /// It ended, for a reason of this name.
    pub(crate) fn end(&mut self, reason: &'static str) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let side = self.side.label();
        count!(CONNECTIONS_CLOSED, 1, "side" => side, "reason" => reason);
        #[cfg(feature = "metrics")]
        meters::connection_closed(self.side);
        #[cfg(feature = "tracing")]
        {
            self.span.0.record("reason", reason);
            let parent = self.span.0.id();
            tracing::debug!(target: "zap_http", parent: parent, side, reason, "connection closed");
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end("dropped");
    }
}

#[cfg(not(feature = "tracing"))]
fn connection_span(_: Side, _: &ConnectionInfo) -> Span {
    Span()
}

#[cfg(feature = "tracing")]
fn connection_span(side: Side, info: &ConnectionInfo) -> Span {
    let side = side.label();
    let peer = info.peer_addr().map(tracing::field::display);
    let tls = info.tls().map(|tls| tracing::field::debug(tls.group));
    Span(tracing::debug_span!(
        target: "zap_http", parent: None, "connection",
        side, peer, transport = ?info.transport(), tls, reason = tracing::field::Empty
    ))
}

/// A request that is being answered, or waited for.
pub(super) struct Exchange {
    #[cfg_attr(not(feature = "metrics"), allow(dead_code))]
    side: Side,
    pub(super) span: Span,
    begun: Instant,
    /// How it ended, if it has.
    is_over: bool,
}

impl Exchange {
    pub(super) fn begin(side: Side, span: Span) -> Self {
        #[cfg(feature = "metrics")]
        meters::request_begun(side);
        Self { side, span, begun: Instant::now(), is_over: false }
    }

    /// It ended with an answer of this status, or not so.
    pub(super) fn end(&mut self, status: Option<u16>, failure: Option<&'static str>) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        #[cfg(feature = "metrics")]
        {
            let outcome = failure.or(status.map(labels::status_class)).unwrap_or("other");
            meters::request_ended(self.side, outcome, seconds);
        }
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
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.end(None, Some("cancelled"));
    }
}
