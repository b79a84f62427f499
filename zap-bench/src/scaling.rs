//! What a message's size does to reading it: opening, one field, everything, from 64 B to 64 MiB.
//!
//! Opening a view and reading one text must not depend on the size; looking at every element must grow with it, and no
//! faster. `view-cost` shows the first as instructions; here it is time, with the caches as they are.

use std::fmt;

use serde::Serialize;
use zap_core::{Limits, Zap};

use crate::measure::{self, Batch, Plan};
use crate::opaque::{hide_slice, sink};
use crate::table;

/// A message of any size: numbers, with a text behind them.
#[derive(Zap, Clone, Debug, PartialEq)]
struct Series {
    number: u64,
    readings: Vec<u64>,
    station: String,
}

const STATION: &str = "KLM-0417";

/// The sizes, about.
const SIZES: [usize; 6] = [64, 1 << 10, 32 << 10, 1 << 20, 8 << 20, 64 << 20];

/// What is done with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Open,
    OneField,
    All,
    Validate,
    Decode,
}

impl Op {
    const ALL: [Self; 5] = [Self::Open, Self::OneField, Self::All, Self::Validate, Self::Decode];

    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::OneField => "one-field",
            Self::All => "all",
            Self::Validate => "validate",
            Self::Decode => "decode",
        }
    }
}

/// One size and operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Always `scaling`.
    pub suite: &'static str,
    /// `open`: the view; `one-field`: and one text; `all`: and every number; `validate`: check all; `decode`: into its struct.
    pub op: &'static str,
    /// Bytes of the message.
    pub bytes: usize,
    /// Nanoseconds: the best of the kept runs' medians.
    pub ns: f64,
    /// The worst of them.
    pub ns_max: f64,
    /// Runs that the figures come from.
    pub runs: usize,
    /// Whether all of them were quiet.
    pub quiet: bool,
}

/// All rows.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<Row>,
    smoke: bool,
}

impl Report {
    /// The rows, for a file.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head: Vec<&str> = std::iter::once("bytes").chain(Op::ALL.map(Op::name)).collect();
        let lines = self.rows.chunks(Op::ALL.len()).map(|rows| {
            let ns = rows.iter().map(|row| format!("{:.1}", row.ns));
            rows.first().map(|row| row.bytes.to_string()).into_iter().chain(ns).collect()
        });
        f.write_str(&table::render(&head, &lines.collect::<Vec<Vec<String>>>()))?;
        writeln!(f, "nanoseconds; `open` and `one-field` must not grow")?;
        if self.rows.iter().any(|row| !row.quiet) {
            writeln!(f, "!!! BUSY MACHINE: too few quiet runs, all were kept; run again.")?;
        }
        if self.smoke {
            writeln!(f, "!!! SMOKE RUN: the figures mean nothing.")?;
        }
        Ok(())
    }
}

fn message(bytes: usize) -> Result<Vec<u8>, String> {
    let mut series = Series { number: 7, readings: Vec::new(), station: STATION.to_owned() };
    let empty = series.encoded_len();
    series.readings = (0..bytes.saturating_sub(empty) as u64 / 8).collect();
    series.to_vec().map_err(|error| error.to_string())
}

/// One operation; a word that depends on it.
fn work(op: Op, message: &[u8]) -> Option<u64> {
    let limits = Limits::new();
    let view = match op {
        Op::Validate => return Series::validate(message, &limits).ok().map(|view| view.number()),
        Op::Decode => return Series::decode(message).ok().map(|series| series.readings.len() as u64),
        _ => Series::view(message).ok()?,
    };
    Some(match op {
        Op::OneField => view.station().ok()?.len() as u64,
        Op::All => view.readings().ok()?.into_iter().fold(view.number(), u64::wrapping_add),
        _ => view.number(),
    })
}

/// Measures; `smoke` shows that everything runs, with figures that mean nothing.
///
/// # Errors
///
/// A message cannot be made, or is not read.
pub fn run(smoke: bool) -> Result<Report, String> {
    let sizes = if smoke { &SIZES[..3] } else { &SIZES };
    let plan = if smoke { Plan::SMOKE } else { Plan::DATA_SETS };
    let mut rows = Vec::new();
    for &size in sizes {
        let message: &'static [u8] = message(size)?.leak();
        let mut batches: Vec<Batch> = Vec::new();
        for op in Op::ALL {
            work(op, message).ok_or_else(|| format!("a message of {size} bytes is not read"))?;
            batches.push(Box::new(move |count| {
                for _ in 0..count {
                    sink(work(op, hide_slice(message)).unwrap_or(0));
                }
            }));
        }
        let outcomes = measure::measure(&mut [batches], &plan);
        for outcome in &outcomes {
            for (op, figure) in Op::ALL.into_iter().zip(&outcome.figures) {
                let (ns, ns_max, runs, quiet) = (figure.ns, figure.ns_max, outcome.runs, outcome.quiet);
                rows.push(Row { suite: "scaling", op: op.name(), bytes: message.len(), ns, ns_max, runs, quiet });
            }
        }
    }
    Ok(Report { rows, smoke })
}

#[cfg(test)]
mod tests {
    use super::{Op, SIZES, message, work};

    #[test]
    fn messages_have_their_sizes_and_are_read() {
        for size in &SIZES[..4] {
            let message = message(*size).unwrap();
            assert!(message.len().abs_diff(*size) < 16, "{size}: {}", message.len());
            let sum: u64 = (0..work(Op::Decode, &message).unwrap()).sum();
            assert_eq!(work(Op::All, &message), Some(7 + sum));
            assert_eq!(work(Op::OneField, &message), Some(8));
            assert_eq!((work(Op::Open, &message), work(Op::Validate, &message)), (Some(7), Some(7)));
        }
    }
}
