//! Rows, tables and the JSON file.

use super::{Entry, Op, Source};
use crate::alloc;
use crate::measure::{Batch, CANARY_LIMIT_NS, Outcome};
use crate::table;
use serde::Serialize;
use std::fmt;

/// One line of a table, and one object of the JSON file.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Always `record`.
    pub suite: &'static str,
    /// The operation's name.
    pub op: &'static str,
    /// The codec's name.
    pub codec: &'static str,
    /// Nanoseconds per operation: the best of the kept runs' medians.
    pub ns: f64,
    /// The fastest single sample of the kept runs.
    pub ns_min: f64,
    /// The worst of the kept runs' medians.
    pub ns_max: f64,
    /// Heap allocations and reallocations per operation, counted and exact; a whole number unless operations differ.
    #[serde(serialize_with = "whole_if_possible")]
    pub allocs: f64,
    /// Bytes on the wire per operation; for the unpredictable lengths the mean, rounded.
    pub bytes: u64,
    /// `ns` divided by that of `zap-view`: above 1, ZAP is that many times faster.
    pub ratio: f64,
    /// The canary's best run median: above 1.6 the machine was busy.
    pub canary_ns: f64,
    /// Interleaved runs the figures come from.
    pub runs: usize,
    /// Runs thrown away because the canary said that the machine was busy.
    pub runs_discarded: usize,
    /// Whether all kept runs were quiet; if not, too few were, and all are kept.
    pub quiet: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn whole_if_possible<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { serializer.serialize_u64(*value as u64) } else { serializer.serialize_f64(*value) }
}

/// A row before it was timed.
pub(super) struct Draft {
    codec: &'static str,
    allocs: f64,
    bytes: f64,
    /// Which batch of the group gives the figure.
    batch: usize,
}

/// Counts each entry's allocations, the separate pass, and takes its batch out.
pub(super) fn draft(op: Op, entries: Vec<Entry>) -> (Vec<Draft>, Vec<Batch>) {
    let count = op.cycle();
    let (mut drafts, mut batches): (Vec<Draft>, Vec<Batch>) = (Vec::new(), Vec::new());
    for Entry { codec, source } in entries {
        let draft = match source {
            Source::Measured(mut measured) => {
                (measured.batch)(count);
                let allocs = alloc::count(|| (measured.batch)(count));
                batches.push(measured.batch);
                let batch = batches.len() - 1;
                Draft { codec, allocs: allocs as f64 / count as f64, bytes: measured.bytes, batch }
            }
            Source::SameAs(other) => {
                let equal = drafts.iter().find(|draft| draft.codec == other);
                let Draft { allocs, bytes, batch, .. } = *equal.expect("a row is equal to one before it");
                Draft { codec, allocs, bytes, batch }
            }
        };
        drafts.push(draft);
    }
    (drafts, batches)
}

/// All rows of a run. `Display` prints the tables.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<Row>,
    ops: Vec<Op>,
    smoke: bool,
}

impl Report {
    pub(super) fn new(ops: &[Op], drafts: Vec<Vec<Draft>>, outcomes: Vec<Outcome>, smoke: bool) -> Self {
        let mut rows = Vec::new();
        for ((&op, drafts), outcome) in ops.iter().zip(drafts).zip(outcomes) {
            let base = outcome.figures[drafts[0].batch].ns;
            rows.extend(drafts.into_iter().map(|draft| {
                let figure = outcome.figures[draft.batch];
                Row {
                    suite: "record",
                    op: op.name(),
                    codec: draft.codec,
                    ns: figure.ns,
                    ns_min: figure.ns_min,
                    ns_max: figure.ns_max,
                    allocs: draft.allocs,
                    bytes: draft.bytes.round() as u64,
                    ratio: figure.ns / base,
                    canary_ns: outcome.canary_ns,
                    runs: outcome.runs,
                    runs_discarded: outcome.runs_discarded,
                    quiet: outcome.quiet,
                }
            }));
        }
        Self { rows, ops: ops.to_vec(), smoke }
    }

    /// The rows, by operation and codec.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &op in &self.ops {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.op == op.name()).collect();
            let Some(first) = rows.first() else { continue };
            writeln!(f, "{}: {}", op.name(), op.about())?;
            let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
            f.write_str(&table::render(&["codec", "ns", "ratio to ZAP", "allocs", "bytes"], &cells))?;
            let Row { canary_ns, runs, runs_discarded, .. } = first;
            writeln!(f, "best of {runs} run medians, {runs_discarded} busy runs discarded, canary {canary_ns:.2} ns")?;
            if !first.quiet {
                writeln!(
                    f,
                    "!!! BUSY MACHINE: fewer than five runs had a quiet canary (at most {CANARY_LIMIT_NS} ns, and near \
                     the best run's), so ALL RUNS WERE KEPT. Trust the ratios a little and the nanoseconds not at all; run again."
                )?;
            }
            writeln!(f)?;
        }
        if self.smoke {
            writeln!(f, "!!! SMOKE RUN: the samples are far too short, the figures above mean nothing.")?;
        }
        Ok(())
    }
}

fn cells(row: &Row) -> Vec<String> {
    let allocs = if row.allocs.fract() == 0.0 { format!("{:.0}", row.allocs) } else { format!("{:.3}", row.allocs) };
    vec![row.codec.to_owned(), format!("{:.1}", row.ns), format!("{:.2}", row.ratio), allocs, row.bytes.to_string()]
}
