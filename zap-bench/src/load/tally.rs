//! What was counted: answers, how long they took, and what went wrong.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Latencies above this are recorded as this.
const MAX_LATENCY: Duration = Duration::from_secs(3600);

/// What can go wrong with a request. No such request is counted as an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No connection could be made.
    Connect,
    /// The connection ended, or failed.
    Closed,
    /// No answer in time.
    Timeout,
    /// What came is no answer.
    Malformed,
    /// The status is none of the 200s.
    Status,
    /// The body is not the right one.
    Wrong,
}

/// How many requests went wrong, by what happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Errors {
    /// No connection could be made.
    pub connect: u64,
    /// The connection ended, or failed.
    pub closed: u64,
    /// No answer in time.
    pub timeout: u64,
    /// What came is no answer.
    pub malformed: u64,
    /// The status is none of the 200s.
    pub status: u64,
    /// The body is not the right one.
    pub wrong: u64,
}

impl Errors {
    /// All of them.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.connect + self.closed + self.timeout + self.malformed + self.status + self.wrong
    }

    fn of(&mut self, failure: Failure) -> &mut u64 {
        match failure {
            Failure::Connect => &mut self.connect,
            Failure::Closed => &mut self.closed,
            Failure::Timeout => &mut self.timeout,
            Failure::Malformed => &mut self.malformed,
            Failure::Status => &mut self.status,
            Failure::Wrong => &mut self.wrong,
        }
    }
}

/// The counts of one thread, or of all together.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    latencies: Histogram<u64>,
    pub(crate) errors: Errors,
    /// Requests that an open loop should have made, but could not before the end.
    pub(crate) unsent: u64,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let latencies = Histogram::new_with_bounds(1, MAX_LATENCY.as_nanos() as u64, 3);
        // The bounds are those that the crate's docs ask for.
        Self {
            latencies: latencies.unwrap_or_else(|error| unreachable!("{error}")),
            errors: Errors::default(),
            unsent: 0,
        }
    }

    /// A right answer, after so long.
    pub(crate) fn answer(&mut self, latency: Duration) {
        self.latencies.saturating_record(latency.as_nanos().max(1) as u64);
    }

    /// So many requests without a right answer.
    pub(crate) fn failed(&mut self, failure: Failure, count: usize) {
        *self.errors.of(failure) += count as u64;
    }

    /// Right answers.
    pub(crate) fn answers(&self) -> u64 {
        self.latencies.len()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        // Both have the same bounds.
        let _ = self.latencies.add(&other.latencies);
        self.unsent += other.unsent;
        let more = other.errors;
        for (failure, count) in [
            (Failure::Connect, more.connect),
            (Failure::Closed, more.closed),
            (Failure::Timeout, more.timeout),
            (Failure::Malformed, more.malformed),
            (Failure::Status, more.status),
            (Failure::Wrong, more.wrong),
        ] {
            *self.errors.of(failure) += count;
        }
    }

    pub(crate) fn latency(&self) -> Latency {
        let us = |ns: u64| ns as f64 / 1e3;
        let at = |quantile| us(self.latencies.value_at_quantile(quantile));
        Latency {
            min: us(self.latencies.min()),
            mean: self.latencies.mean() / 1e3,
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p99_9: at(0.999),
            p99_99: at(0.9999),
            max: us(self.latencies.max()),
        }
    }
}

/// Latencies in microseconds, to three digits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names are the standard terms")]
pub struct Latency {
    pub min: f64,
    pub mean: f64,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub p99_9: f64,
    pub p99_99: f64,
    pub max: f64,
}

#[cfg(test)]
mod tests {
    use super::{Errors, Failure, Tally};
    use std::time::Duration;

    #[test]
    fn percentiles_are_those_of_the_values() {
        let mut tally = Tally::new();
        (1..=10_000).for_each(|us| tally.answer(Duration::from_micros(us)));
        let latency = tally.latency();
        let near = |is: f64, wanted: f64| (is / wanted - 1.0).abs() < 0.002;
        assert!(near(latency.p50, 5_000.0) && near(latency.p90, 9_000.0) && near(latency.p99, 9_900.0));
        assert!(near(latency.p99_9, 9_990.0) && near(latency.p99_99, 9_999.0) && near(latency.max, 10_000.0));
        assert!(near(latency.mean, 5_000.5) && near(latency.min, 1.0));
    }

    #[test]
    fn failures_are_no_answers_and_sums_are_kept() {
        let (mut a, mut b) = (Tally::new(), Tally::new());
        a.answer(Duration::from_millis(1));
        a.failed(Failure::Wrong, 2);
        b.failed(Failure::Connect, 1);
        b.unsent = 3;
        b.answer(Duration::MAX);
        a.add(&b);
        assert_eq!(a.answers(), 2);
        assert_eq!(a.errors, Errors { wrong: 2, connect: 1, ..Errors::default() });
        assert_eq!((a.errors.sum(), a.unsent), (3, 3));
    }
}
