//! When the requests of an open loop are due, whatever became of those before them.
//!
//! The time that an answer took is counted from there, not from when the request was sent: what a server keeps waiting in
//! front of it is its latency, too.

use std::time::{Duration, Instant};

/// Requests at a fixed rate, from a start to an end.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    start: Instant,
    window: Duration,
    /// Between two requests, in nanoseconds.
    interval: f64,
    taken: u64,
}

impl Schedule {
    pub(crate) fn new(start: Instant, window: Duration, per_second: f64) -> Self {
        Self { start, window, interval: 1e9 / per_second, taken: 0 }
    }

    fn due(&self, index: u64) -> Duration {
        Duration::from_nanos((index as f64 * self.interval) as u64)
    }

    /// When the next request is due; `None` after the last.
    pub(crate) fn next(&self) -> Option<Instant> {
        let due = self.due(self.taken);
        (due < self.window).then(|| self.start + due)
    }

    /// Takes the next request if it is due.
    pub(crate) fn take(&mut self, now: Instant) -> Option<Instant> {
        let next = self.next().filter(|due| *due <= now)?;
        self.taken += 1;
        Some(next)
    }

    /// Takes the next request, to be made when it is due.
    pub(crate) fn take_ahead(&mut self) -> Option<Instant> {
        let next = self.next()?;
        self.taken += 1;
        Some(next)
    }

    /// Requests that were not taken.
    pub(crate) fn left(&self) -> u64 {
        let all = (self.window.as_nanos() as f64 / self.interval).ceil() as u64;
        all.saturating_sub(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;
    use std::time::{Duration, Instant};

    #[test]
    fn requests_are_due_at_the_rate_and_a_stall_moves_none() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, Duration::from_millis(10), 1000.0);
        assert_eq!(schedule.left(), 10);
        assert_eq!(schedule.take(start), Some(start));
        assert_eq!(schedule.take(start), None);
        assert_eq!(schedule.next(), Some(start + Duration::from_millis(1)));
        // Nobody asked for a long time: all that were due meanwhile are, at their times.
        let late = start + Duration::from_millis(5);
        let due: Vec<_> = std::iter::from_fn(|| schedule.take(late)).collect();
        assert_eq!(due, (1..=5).map(|ms| start + Duration::from_millis(ms)).collect::<Vec<_>>());
        let after = start + Duration::from_secs(1);
        assert_eq!(std::iter::from_fn(|| schedule.take(after)).count(), 4);
        assert_eq!((schedule.next(), schedule.left()), (None, 0));
    }

    #[test]
    fn a_rate_need_not_be_whole() {
        let start = Instant::now();
        let mut schedule = Schedule::new(start, Duration::from_secs(10), 0.3);
        assert_eq!(schedule.left(), 3);
        assert_eq!(std::iter::from_fn(|| schedule.take_ahead()).count(), 3);
    }
}
