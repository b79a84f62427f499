//! The table of the end-to-end runs.

use std::fmt;

use serde::Serialize;

use super::compare::Run;
use super::{Kind, Scenario};
use crate::table;

/// One comparison, as it went.
pub(super) struct Row {
    scenario: Scenario,
    depth: usize,
    ours: Kind,
    theirs: Kind,
    wanted: usize,
    /// The pairs that count.
    pub(super) pairs: Vec<(Run, Run)>,
    /// All pairs.
    pub(super) all: Vec<(Run, Run)>,
    /// Runs that do not count, of each of the two.
    pub(super) discarded: [usize; 2],
}

impl Row {
    pub(super) fn new(scenario: Scenario, depth: usize, ours: Kind, theirs: Kind, wanted: usize) -> Self {
        Self { scenario, depth, ours, theirs, wanted, pairs: Vec::new(), all: Vec::new(), discarded: [0; 2] }
    }

    /// Whether enough pairs count: as many as were wanted, and at least half of all.
    fn is_measured(&self) -> bool {
        self.pairs.len() >= self.wanted && self.pairs.len() * 2 >= self.all.len()
    }

    fn figures(&self) -> Figures {
        // A row that was not measured still shows what was seen, marked as such.
        let pairs = if self.is_measured() { &self.pairs } else { &self.all };
        let of = |value: fn(&(Run, Run)) -> f64| quartiles(pairs.iter().map(value).collect());
        let ([low, ratio, high], [_, ours_us, _]) = (of(|(a, b)| a.cpu / b.cpu), of(|(a, _)| a.cpu));
        let ([_, theirs_us, _], [_, ours_rate, _]) = (of(|(_, b)| b.cpu), of(|(a, _)| a.rate));
        let [_, theirs_rate, _] = of(|(_, b)| b.rate);
        Figures {
            scenario: self.scenario.name(),
            depth: self.depth,
            ours: self.ours.name(),
            theirs: self.theirs.name(),
            ours_us,
            theirs_us,
            ratio,
            ratio_low: low,
            ratio_high: high,
            ours_rate,
            theirs_rate,
            pairs: self.pairs.len(),
            ours_discarded: self.discarded[0],
            theirs_discarded: self.discarded[1],
            measured: self.is_measured(),
        }
    }
}

/// The figures of one comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    scenario: &'static str,
    /// Requests in flight on each connection.
    depth: usize,
    ours: &'static str,
    theirs: &'static str,
    /// CPU time of the server per request, in microseconds: the median.
    ours_us: f64,
    theirs_us: f64,
    /// The median of the pairs' ratios, and the range of the middle half.
    ratio: f64,
    ratio_low: f64,
    ratio_high: f64,
    /// Requests per second: the median.
    ours_rate: f64,
    theirs_rate: f64,
    /// Pairs that count, and runs that do not.
    pairs: usize,
    ours_discarded: usize,
    theirs_discarded: usize,
    /// Whether enough of them count.
    measured: bool,
}

/// What all comparisons gave.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<Figures>,
}

impl Report {
    pub(super) fn new(rows: Vec<Row>) -> Self {
        Self { rows: rows.iter().map(Row::figures).collect() }
    }

    /// The figures, for a file.
    #[must_use]
    pub fn rows(&self) -> &[Figures] {
        &self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head =
            ["request, in flight, servers", "CPU us", "against", "ratio", "25-75%", "1000/s", "pairs", "discarded"];
        let rows: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        f.write_str(&table::render(&head, &rows))?;
        writeln!(f, "\nCPU time of the server per request. `!`: too few runs count, not measured.")
    }
}

fn cells(row: &Figures) -> Vec<String> {
    let mark = if row.measured { "" } else { " !" };
    vec![
        format!("{} x{}: {} / {}", row.scenario, row.depth, row.ours, row.theirs),
        format!("{:.2}", row.ours_us),
        format!("{:.2}", row.theirs_us),
        format!("{:.3}{mark}", row.ratio),
        format!("{:.3}-{:.3}", row.ratio_low, row.ratio_high),
        format!("{:.0} / {:.0}", row.ours_rate / 1e3, row.theirs_rate / 1e3),
        row.pairs.to_string(),
        format!("{} / {}", row.ours_discarded, row.theirs_discarded),
    ]
}

/// The quartiles of some values.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|part| {
        let at = part * values.len().saturating_sub(1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        match (values.get(low), values.get(high)) {
            (Some(low), Some(high)) => low + (high - low) * at.fract(),
            _ => f64::NAN,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::quartiles;

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles(vec![4.0, 1.0, 3.0, 2.0, 5.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(vec![1.0, 2.0]), [1.25, 1.5, 1.75]);
        assert!(quartiles(Vec::new())[1].is_nan());
    }
}
