//! The metrics that change with each request: by names and labels that are constant, so that none costs an allocation.

use metrics::{Counter, counter, gauge, histogram};

use super::super::{
    CONNECTIONS, CONNECTIONS_OPENED, RECEIVED_BYTES, RECEIVED_FRAMES, REQUEST_SECONDS, REQUESTS, REQUESTS_IN_FLIGHT,
    SENT_BYTES, SENT_FRAMES, Side, Totals,
};

/// A metric of one side.
macro_rules! of_side {
    ($kind:ident, $name:expr, $side:expr) => {
        match $side {
            Side::Server => $kind!($name, "side" => "server"),
            Side::Client => $kind!($name, "side" => "client"),
        }
    };
}

pub(super) fn connection_opened(side: Side) {
    of_side!(counter, CONNECTIONS_OPENED, side).increment(1);
    of_side!(gauge, CONNECTIONS, side).increment(1.0);
}

pub(super) fn connection_closed(side: Side) {
    of_side!(gauge, CONNECTIONS, side).decrement(1.0);
}

pub(super) fn request_begun(side: Side) {
    of_side!(gauge, REQUESTS_IN_FLIGHT, side).increment(1.0);
}

pub(super) fn request_ended(side: Side, outcome: &'static str, seconds: f64) {
    of_side!(gauge, REQUESTS_IN_FLIGHT, side).decrement(1.0);
    of_side!(histogram, REQUEST_SECONDS, side).record(seconds);
    macro_rules! by_outcome {
        ($($known:literal)*) => {
            match (side, outcome) {
                $(
                    (Side::Server, $known) => counter!(REQUESTS, "side" => "server", "status" => $known),
                    (Side::Client, $known) => counter!(REQUESTS, "side" => "client", "status" => $known),
                )*
                (Side::Server, _) => counter!(REQUESTS, "side" => "server", "status" => "other"),
                (Side::Client, _) => counter!(REQUESTS, "side" => "client", "status" => "other"),
            }
        };
    }
    by_outcome!("1xx" "2xx" "3xx" "4xx" "5xx" "given_up" "failed" "cancelled").increment(1);
}

/// What goes over one connection.
pub(super) struct Traffic {
    received_len: Counter,
    received_frames: Counter,
    sent_len: Counter,
    sent_frames: Counter,
    /// What was counted so far.
    counted: Totals,
}

impl Traffic {
    pub(super) fn new(side: Side) -> Self {
        Self {
            received_len: of_side!(counter, RECEIVED_BYTES, side),
            received_frames: of_side!(counter, RECEIVED_FRAMES, side),
            sent_len: of_side!(counter, SENT_BYTES, side),
            sent_frames: of_side!(counter, SENT_FRAMES, side),
            counted: Totals::default(),
        }
    }

    /// Counts what has come since the last time.
    pub(super) fn count(&mut self, now: Totals) {
        let before = std::mem::replace(&mut self.counted, now);
        for (counter, now, before) in [
            (&self.received_len, now.received_len, before.received_len),
            (&self.received_frames, now.received_frames, before.received_frames),
            (&self.sent_len, now.sent_len, before.sent_len),
            (&self.sent_frames, now.sent_frames, before.sent_frames),
        ] {
            if now > before {
                counter.increment(now - before);
            }
        }
    }
}
