//! What `zap-bench load` prints and writes.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::{Errors, Latency, Options, Tally, Through};

/// What a load came to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Where it went.
    pub url: String,
    /// `wire` or `client`.
    pub through: &'static str,
    /// Connections, in all.
    pub connections: usize,
    /// Threads that shared them.
    pub threads: usize,
    /// Requests in flight on each connection, at most.
    pub in_flight: usize,
    /// Requests per second that were due; none in a closed loop.
    pub rate: Option<f64>,
    /// From the first request to the last answer.
    pub seconds: f64,
    /// Right answers.
    pub answers: u64,
    /// Right answers per second.
    pub requests_per_s: f64,
    /// What was no right answer.
    pub errors: Errors,
    /// Requests of an open loop that could not be sent at all.
    pub unsent: u64,
    /// Microseconds until a right answer; in an open loop since the request was due.
    pub latency_us: Latency,
    /// Bytes of a request and its answer on the connection.
    pub bytes_per_request: Option<usize>,
}

impl Report {
    pub(super) fn new(options: &Options, tally: &Tally, took: Duration, bytes: Option<usize>) -> Self {
        let seconds = took.as_secs_f64();
        let answers = tally.answers();
        Self {
            url: options.url.clone(),
            through: if options.through == Through::Wire { "wire" } else { "client" },
            connections: options.connections,
            threads: options.threads,
            in_flight: options.in_flight,
            rate: options.rate,
            seconds,
            answers,
            requests_per_s: answers as f64 / seconds.max(f64::MIN_POSITIVE),
            errors: tally.errors,
            unsent: tally.unsent,
            latency_us: tally.latency(),
            bytes_per_request: bytes,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { min, mean, p50, p90, p99, p99_9, p99_99, max } = self.latency_us;
        writeln!(f, "{}, {} connections x {} in flight", self.url, self.connections, self.in_flight)?;
        match self.rate {
            Some(rate) => writeln!(f, "open loop, {rate} due per second; latencies from when a request was due")?,
            None => writeln!(f, "closed loop; a stall delays requests that are then not counted: see --rate")?,
        }
        writeln!(f, "{:.0} answers/s, {} in {:.2} s", self.requests_per_s, self.answers, self.seconds)?;
        if let Some(bytes) = self.bytes_per_request {
            writeln!(f, "{bytes} bytes per request and answer")?;
        }
        writeln!(
            f,
            "us: min {min:.0}, mean {mean:.1}, p50 {p50:.0}, p90 {p90:.0}, p99 {p99:.0}, p99.9 {p99_9:.0}, p99.99 {p99_99:.0}, max {max:.0}"
        )?;
        let Errors { connect, closed, timeout, malformed, status, wrong } = self.errors;
        if self.errors.sum() > 0 || self.unsent > 0 {
            writeln!(
                f,
                "!!! ERRORS: {connect} connect, {closed} closed, {timeout} timeout, {malformed} malformed, {status} status, {wrong} wrong body; {} never sent",
                self.unsent
            )?;
        }
        Ok(())
    }
}
