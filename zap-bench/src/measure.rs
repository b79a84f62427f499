//! The stopwatch: interleaved samples, run medians, and the canary that tells a quiet machine from a busy one.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Does its operation as many times as it is told, in one call.
pub(crate) type Batch = Box<dyn FnMut(u64)>;

/// Above this many nanoseconds the canary says that the machine was busy.
pub(crate) const CANARY_LIMIT_NS: f64 = 1.6;

/// So it does above this multiple of the best run: a fast machine is busy long before it reaches the fixed limit.
const CANARY_SPREAD: f64 = 1.2;

/// The fewest runs a figure may come from.
const MIN_RUNS: usize = 5;

/// An operation that takes longer than this needs no warming up, and is sampled in every fourth round only.
const LONG: Duration = Duration::from_millis(4);

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// What one timed batch must take at least, at the time its length is chosen.
    pub(crate) batch: Duration,
    /// Samples per codec and run.
    pub(crate) samples: usize,
    /// Runs of every group, at least.
    pub(crate) runs: usize,
    /// Quiet runs to wait for, as long as `patience` lasts.
    pub(crate) quiet_runs: usize,
    /// When to stop waiting for a quiet machine.
    pub(crate) patience: Duration,
}

impl Plan {
    /// What the tables are printed from: some 40 seconds at most, a few on a quiet machine.
    pub(crate) const FULL: Self = Self {
        batch: Duration::from_micros(50),
        samples: 60,
        runs: 15,
        quiet_runs: MIN_RUNS,
        patience: Duration::from_secs(35),
    };

    /// What the tables of the data sets are printed from, per data set: operations of microseconds to milliseconds.
    pub(crate) const DATA_SETS: Self = Self {
        batch: Duration::from_micros(200),
        samples: 12,
        runs: 7,
        quiet_runs: MIN_RUNS,
        patience: Duration::from_secs(40),
    };

    /// Shows that everything runs; its figures mean nothing.
    pub(crate) const SMOKE: Self =
        Self { batch: Duration::from_micros(2), samples: 3, runs: MIN_RUNS, quiet_runs: 0, patience: Duration::ZERO };
}

/// What became of one batch over all runs of its group, in nanoseconds per operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    /// The best run median: the figure to quote.
    pub(crate) ns: f64,
    /// The fastest single sample of the kept runs.
    pub(crate) ns_min: f64,
    /// The worst median of the kept runs.
    pub(crate) ns_max: f64,
}

/// The figures of one group, in the order of its batches, and how quiet the machine was.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) figures: Vec<Figure>,
    /// The best run median of the canary.
    pub(crate) canary_ns: f64,
    /// Runs the figures come from.
    pub(crate) runs: usize,
    /// Runs thrown away because the canary said that the machine was busy.
    pub(crate) runs_discarded: usize,
    /// Whether the figures come from quiet runs only.
    pub(crate) quiet: bool,
}

/// One run of one group.
struct Run {
    canary: f64,
    /// Per batch: median, fastest sample.
    rows: Vec<(f64, f64)>,
}

/// Measures every group, a run of each in turn, so that a slow spell of the machine falls on all of them.
pub(crate) fn measure(groups: &mut [Vec<Batch>], plan: &Plan) -> Vec<Outcome> {
    let started = Instant::now();
    let canary_length = calibrate(&mut canary, plan.batch).operations;
    let lengths: Vec<Vec<Length>> =
        groups.iter_mut().map(|group| group.iter_mut().map(|batch| calibrate(batch, plan.batch)).collect()).collect();
    let mut runs: Vec<Vec<Run>> = groups.iter().map(|_| Vec::new()).collect();
    let mut best = f64::INFINITY;
    loop {
        let mut measured = false;
        for ((group, lengths), runs) in groups.iter_mut().zip(&lengths).zip(&mut runs) {
            let quiet = runs.iter().filter(|run| run.canary <= limit(best)).count();
            let waiting = quiet < plan.quiet_runs && started.elapsed() < plan.patience;
            if runs.len() < plan.runs || waiting {
                let run = run(group, lengths, canary_length, plan.samples);
                best = best.min(run.canary);
                runs.push(run);
                measured = true;
            }
        }
        if !measured {
            break;
        }
    }
    runs.iter().map(|runs| conclude(runs, limit(best))).collect()
}

/// What the canary of a quiet run may show when the best of all runs showed `best`.
fn limit(best: f64) -> f64 {
    CANARY_LIMIT_NS.min(best * CANARY_SPREAD)
}

/// One run: `samples` rounds, each a timed batch of every row in turn.
fn run(group: &mut [Batch], lengths: &[Length], canary_length: u64, samples: usize) -> Run {
    let mut canaries = Vec::with_capacity(samples);
    let mut times: Vec<Vec<f64>> = group.iter().map(|_| Vec::with_capacity(samples)).collect();
    for round in 0..samples {
        canaries.push(sample(&mut canary, canary_length));
        for ((batch, length), times) in group.iter_mut().zip(lengths).zip(&mut times) {
            if !length.is_long {
                times.push(sample(batch, length.operations));
            } else if round % 4 == 0 {
                times.push(time(batch, length.operations));
            }
        }
    }
    let rows = times.iter_mut().map(|times| (median(times), times[0])).collect();
    Run { canary: median(&mut canaries), rows }
}

/// Nanoseconds per operation of one batch, after an untimed eighth of it that wakes caches and predictors up.
fn sample(batch: &mut dyn FnMut(u64), length: u64) -> f64 {
    batch(length / 8 + 1);
    time(batch, length)
}

/// Nanoseconds per operation of one batch.
fn time(batch: &mut dyn FnMut(u64), length: u64) -> f64 {
    let started = Instant::now();
    batch(length);
    started.elapsed().as_nanos() as f64 / length as f64
}

/// How long the batches of one row are.
struct Length {
    operations: u64,
    is_long: bool,
}

/// How many operations take at least `target`. The fastest of three tries decides: one that the machine interrupted
/// would leave the whole process with batches of a few operations, which measure the timer.
fn calibrate(batch: &mut dyn FnMut(u64), target: Duration) -> Length {
    let mut operations = 1;
    loop {
        let tries = (0..3).map(|_| {
            let started = Instant::now();
            batch(operations);
            started.elapsed()
        });
        let fastest = tries.min().unwrap_or_default();
        if fastest >= target {
            return Length { operations, is_long: operations == 1 && fastest >= LONG };
        }
        operations *= 2;
    }
}

/// Keeps the quiet runs, or all of them when there are too few, and picks the best.
fn conclude(runs: &[Run], limit: f64) -> Outcome {
    let calm: Vec<&Run> = runs.iter().filter(|run| run.canary <= limit).collect();
    let quiet = calm.len() >= MIN_RUNS;
    let kept = if quiet { calm } else { runs.iter().collect() };
    let rows = kept.first().map_or(0, |run| run.rows.len());
    let figures = (0..rows)
        .map(|row| {
            let medians = || kept.iter().map(|run| run.rows[row].0);
            Figure {
                ns: medians().fold(f64::INFINITY, f64::min),
                ns_min: kept.iter().map(|run| run.rows[row].1).fold(f64::INFINITY, f64::min),
                ns_max: medians().fold(0.0, f64::max),
            }
        })
        .collect();
    Outcome {
        figures,
        canary_ns: kept.iter().map(|run| run.canary).fold(f64::INFINITY, f64::min),
        runs: kept.len(),
        runs_discarded: runs.len() - kept.len(),
        quiet,
    }
}

/// Sorts and takes the middle one.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Eight opaque register stores: nothing but the core's own speed.
fn canary(iterations: u64) {
    for word in 0..iterations {
        black_box(word);
        black_box(word);
        black_box(word);
        black_box(word);
        black_box(word);
        black_box(word);
        black_box(word);
        black_box(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_run(canary: f64, median: f64, fastest: f64) -> Run {
        Run { canary, rows: vec![(median, fastest)] }
    }

    #[test]
    fn busy_runs_are_discarded() {
        let mut runs: Vec<Run> = (0..5).map(|run| a_run(1.4, 10.0 + f64::from(run), 9.0)).collect();
        runs.push(a_run(2.5, 8.0, 7.0));
        let outcome = conclude(&runs, 1.6);
        assert_eq!(outcome.figures, [Figure { ns: 10.0, ns_min: 9.0, ns_max: 14.0 }]);
        assert_eq!((outcome.canary_ns, outcome.runs, outcome.runs_discarded, outcome.quiet), (1.4, 5, 1, true));
    }

    #[test]
    fn with_too_few_quiet_runs_all_are_kept_and_it_shows() {
        let outcome = conclude(&[a_run(2.0, 10.0, 9.0), a_run(2.5, 8.0, 7.0), a_run(1.5, 9.0, 8.5)], 1.6);
        assert_eq!(outcome.figures, [Figure { ns: 8.0, ns_min: 7.0, ns_max: 10.0 }]);
        assert_eq!((outcome.canary_ns, outcome.runs, outcome.runs_discarded, outcome.quiet), (1.5, 3, 0, false));
    }

    #[test]
    fn an_interruption_does_not_shorten_the_batches() {
        let mut calls = 0;
        let mut batch = |length: u64| {
            calls += 1;
            let interruption = if calls == 1 { 50 } else { 0 };
            std::thread::sleep(Duration::from_millis(length + interruption));
        };
        assert_eq!(calibrate(&mut batch, Duration::from_millis(16)).operations, 16);
    }

    #[test]
    fn the_limit_is_the_stricter_of_two() {
        assert_eq!(limit(1.0), 1.2);
        assert_eq!(limit(1.5), 1.6);
        assert_eq!(limit(3.0), 1.6);
    }

    #[test]
    fn every_group_gets_at_least_its_runs() {
        let mut groups: Vec<Vec<Batch>> = vec![vec![Box::new(canary), Box::new(canary)], vec![Box::new(canary)]];
        let outcomes = measure(&mut groups, &Plan::SMOKE);
        assert_eq!(outcomes.len(), 2);
        assert_eq!(outcomes[0].figures.len(), 2);
        assert!(outcomes.iter().all(|outcome| outcome.runs + outcome.runs_discarded == Plan::SMOKE.runs));
        assert!(outcomes[0].figures.iter().all(|f| f.ns_min <= f.ns && f.ns <= f.ns_max));
    }

    #[test]
    fn one_interruption_does_not_shorten_the_batches() {
        let (mut calls, target) = (0, Duration::from_micros(200));
        let mut batch = |length: u64| {
            calls += 1;
            let pause = if calls == 1 { target * 4 } else { Duration::from_micros(length) };
            std::thread::sleep(pause);
        };
        assert!(calibrate(&mut batch, target).operations > 1);
    }
}
