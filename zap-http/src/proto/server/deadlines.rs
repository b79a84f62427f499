//! The deadlines of a connection, and what passing one does.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::time::{Duration, Instant};

use super::{Phase, Server};
use crate::proto::config::CloseReason;
use crate::proto::deframe::StreamEnd;

/// Bytes received before the first frame is complete that earn it a second.
const BYTES_PER_SECOND: u64 = 16 << 10;

/// The times that deadlines count from.
#[derive(Debug)]
pub(super) struct Clock {
    /// The last time we were told.
    pub(super) now: Instant,
    pub(super) opened: Instant,
    /// The last receipt, or when reading was resumed.
    pub(super) received: Instant,
    /// The last receipt or sending.
    pub(super) active: Instant,
    /// Whether reading was wanted when we were last told the time.
    pub(super) reading: bool,
    /// Since when output waits without any being taken.
    pub(super) stalled: Option<Instant>,
    /// When requests that were read before the peer's end of stream are given up.
    pub(super) grace: Option<Instant>,
    pub(super) shutdown: Option<Instant>,
}

impl Server {
    /// When [`handle_timeout`](Self::handle_timeout) must be called, if nothing happens before.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines().into_iter().flatten().map(|(deadline, _)| deadline).chain(self.release_at()).min()
    }

    /// Closes the connection if a deadline has passed; gives the memory of a quiet one back.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.settle_at(now);
        let passed =
            self.deadlines().into_iter().flatten().filter(|(deadline, _)| *deadline <= now).min_by_key(|d| d.0);
        if let Some((_, reason)) = passed {
            self.close_with(reason);
        }
        if self.release_at().is_some_and(|at| at <= now) {
            self.release_buffers();
        }
    }

    /// When an idle connection gives its buffers back; none once it has.
    pub(super) fn release_at(&self) -> Option<Instant> {
        let at = self.clock.active.checked_add(self.config.release_after);
        at.filter(|_| self.is_idle() && self.memory() > 0)
    }

    pub(super) fn deadlines(&self) -> [Option<(Instant, CloseReason)>; 8] {
        let clock = &self.clock;
        let open = self.phase == Phase::Open && self.input.fault().is_none();
        let after = |since: Instant, timeout: Duration, reason| since.checked_add(timeout).map(|at| (at, reason));
        let first = || {
            let earned = Duration::from_secs(self.counts.received_len / BYTES_PER_SECOND);
            let timeout = self.config.first_frame_timeout.saturating_add(earned);
            after(clock.opened, timeout, CloseReason::FirstFrameTimeout)
        };
        let receives = self.receives() && self.input.fault().is_none();
        let part = || after(clock.received, self.config.stream_timeout?, CloseReason::ProgressTimeout);
        let progress = || after(clock.received, self.config.progress_timeout, CloseReason::ProgressTimeout);
        let idle = || after(clock.active, self.config.idle_timeout?, CloseReason::IdleTimeout);
        let stall = |since| after(since, self.config.write_stall_timeout, CloseReason::WriteStall);
        let inside = self.counts.frames > 0 && self.input.end() != StreamEnd::Clean;
        let drained = match self.phase {
            Phase::Draining { until, .. } => until.zip(self.reason),
            _ => None,
        };
        [
            (open && self.counts.frames == 0).then(first).flatten(),
            (receives && inside && clock.reading).then(progress).flatten(),
            (receives && !inside && clock.reading && self.waits_for_part()).then(part).flatten(),
            self.is_idle().then(idle).flatten(),
            clock.stalled.filter(|_| !self.output.is_empty()).and_then(stall),
            clock.grace.filter(|_| self.has_work()).map(|at| (at, CloseReason::HalfCloseGrace)),
            clock.shutdown.filter(|_| self.phase != Phase::Closed).map(|at| (at, CloseReason::ShutdownDeadline)),
            drained,
        ]
    }
}
