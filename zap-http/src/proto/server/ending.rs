//! How a connection ends: in order, after a refusal, or at once.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::time::Instant;

use super::{Phase, Server};
use crate::proto::config::{Close, CloseReason};
use crate::proto::deframe::FramingFault;

impl Server {
    /// The transport failed: nothing can be sent or received any more.
    pub fn transport_failed(&mut self) {
        self.close_with(CloseReason::TransportFailed);
    }

    /// Takes no further requests, answers everything that was read, sends the answers and closes; at `deadline` it closes
    /// anyway. What comes meanwhile is dropped.
    pub fn shutdown(&mut self, deadline: Option<Instant>, now: Instant) {
        if self.phase == Phase::Open {
            self.finish_with(CloseReason::Shutdown);
        }
        self.clock.shutdown = deadline;
        self.settle_at(now);
    }

    /// There is no memory for what comes in: drops the requests that were not taken out, whole or not, answers 503 in place
    /// of the first of them after the answers before it, and ends the connection as after a frame that is too long.
    pub fn overloaded(&mut self, now: Instant) {
        if self.receives() && self.input.fault().is_none() {
            self.overloaded = true;
            self.drop_waiting();
        }
        self.settle_at(now);
    }

    /// What is to be done with the socket.
    #[must_use]
    pub fn poll_close(&self) -> Close {
        match self.phase {
            Phase::Closed => Close::Now(self.reason.unwrap_or(CloseReason::Shutdown)),
            Phase::Draining { .. } => Close::ShutWrite,
            Phase::Open | Phase::Finishing | Phase::Flushing { .. } => Close::Open,
        }
    }

    /// Takes the next step towards the end, where one is due.
    pub(super) fn settle(&mut self) {
        if matches!(self.phase, Phase::Open | Phase::Finishing) && !self.has_work() {
            match self.input.fault() {
                _ if self.overloaded => {
                    // Inside a streamed request's body there is no request to refuse.
                    if self.upload.is_none() {
                        self.write_error(503);
                    }
                    self.end_with(CloseReason::Overloaded, !self.peer_done);
                }
                // Nor here.
                Some(fault) if self.upload.is_some() => self.end_with(CloseReason::Framing(fault), !self.peer_done),
                Some(fault @ FramingFault::TooLong { .. }) => {
                    self.write_error(413);
                    self.end_with(CloseReason::Framing(fault), !self.peer_done);
                }
                Some(fault) => self.end_with(CloseReason::Framing(fault), false),
                None if self.phase == Phase::Finishing => self.phase = Phase::Flushing { drain: true },
                None => {}
            }
        }
        if let Phase::Flushing { drain } = self.phase
            && self.output.is_empty()
        {
            // Told to stop, a connection that is quiet has nothing on its way.
            let quiet = self.reason == Some(CloseReason::Shutdown) && !self.was_active();
            if drain && !quiet && !self.peer_done {
                let until = self.clock.now.checked_add(self.config.drain_timeout);
                self.phase = Phase::Draining { until, left: self.config.max_drain_len };
            } else {
                self.close();
            }
        }
    }

    /// Whether answers may still be on their way. Then the peer must be let to read them: a socket that is closed with
    /// unread requests in it resets the connection.
    pub(super) fn was_active(&self) -> bool {
        let since = self.clock.now.saturating_duration_since(self.clock.active);
        self.counts.frames > 0 && since < self.config.drain_timeout
    }

    pub(super) fn settle_at(&mut self, now: Instant) {
        self.clock.now = now;
        self.settle();
        let reading = self.wants_read();
        if reading && !self.clock.reading {
            self.clock.received = now;
        }
        self.clock.reading = reading;
    }

    /// Serves what was read, and ends then.
    pub(super) fn finish_with(&mut self, reason: CloseReason) {
        self.phase = Phase::Finishing;
        self.reason = Some(reason);
    }

    /// Serves nothing more; sends what waits, and ends then.
    pub(super) fn end_with(&mut self, reason: CloseReason, drain: bool) {
        if matches!(self.phase, Phase::Open | Phase::Finishing) {
            self.phase = Phase::Flushing { drain };
            self.reason = Some(reason);
        }
        self.drop_current();
        self.drop_waiting();
    }

    pub(super) fn close_with(&mut self, reason: CloseReason) {
        if self.phase != Phase::Closed {
            self.reason = Some(reason);
            self.close();
        }
    }

    /// Ends at once.
    pub(super) fn close(&mut self) {
        self.phase = Phase::Closed;
        self.drop_current();
        self.output.clear();
        self.drop_batch();
        self.drop_waiting();
    }

    pub(super) fn drop_current(&mut self) {
        if self.current.take().is_some() {
            self.counts.abandoned = self.counts.abandoned.saturating_add(1);
        }
    }

    /// Counts the frames that wait in the input as dropped.
    pub(super) fn drop_waiting(&mut self) {
        let waiting = self.input.clear() as u64;
        self.counts.dropped = self.counts.dropped.saturating_add(waiting);
    }

    /// Counts the frames left in the batch as dropped.
    pub(super) fn drop_batch(&mut self) {
        let left = core::mem::take(&mut self.batch_left) as u64;
        self.counts.dropped = self.counts.dropped.saturating_add(left);
    }
}
