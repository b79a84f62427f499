//! Rows, tables and the JSON file.

use super::{Entry, Op};
use crate::alloc;
use crate::measure::{Batch, CANARY_LIMIT_NS, Figure, Outcome};
use crate::table;
use serde::Serialize;
use std::fmt;

/// One line of a table, and one object of the JSON file.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// `datasets`, `auction`, `json-shapes`.
    pub suite: &'static str,
    /// The data set's name.
    pub data: &'static str,
    /// The operation's name.
    pub op: &'static str,
    /// The codec's name; `memcpy` is one copy of ZAP's message.
    pub codec: &'static str,
    /// Nanoseconds per operation: the best of the kept runs' medians. Absent for `size`.
    pub ns: Option<f64>,
    /// Heap allocations and reallocations of one operation, counted and exact. Absent for `size`.
    pub allocs: Option<u64>,
    /// Bytes of the message.
    pub bytes: usize,
    /// The figure of `zap` of which this one is a multiple: above 1, ZAP is that many times faster (for `size`, smaller).
    pub ratio: Option<f64>,
    /// The worst of the kept runs' medians.
    pub ns_max: Option<f64>,
    /// Interleaved runs the figures come from.
    pub runs: usize,
    /// Whether all kept runs were quiet; if not, too few were, and all are kept.
    pub quiet: bool,
}

/// A row before it was timed.
pub(crate) struct Draft {
    op: Op,
    codec: &'static str,
    bytes: usize,
    allocs: Option<u64>,
    /// Which batch of which group gives the figure.
    place: Option<(usize, usize)>,
}

/// Counts each entry's allocations, the separate pass, and gathers the batches: one group per operation.
pub(crate) fn draft(entries: Vec<Entry>) -> (Vec<Draft>, Vec<Vec<Batch>>) {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut groups: Vec<(Op, Vec<Batch>)> = Vec::new();
    for Entry { op, codec, bytes, batch } in entries {
        let (mut allocs, mut place) = (None, None);
        if let Some(mut batch) = batch {
            // Once, so that what is reused has grown.
            batch(1);
            allocs = Some(alloc::count(|| batch(1)));
            if groups.last().is_none_or(|group| group.0 != op) {
                groups.push((op, Vec::new()));
            }
            let index = groups.len() - 1;
            groups[index].1.push(batch);
            place = Some((index, groups[index].1.len() - 1));
        }
        drafts.push(Draft { op, codec, bytes, allocs, place });
    }
    (drafts, groups.into_iter().map(|group| group.1).collect())
}

/// All rows of a run. `Display` prints the tables.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<Row>,
    suite: &'static str,
    /// Name and sentence of each data set.
    sets: Vec<(&'static str, &'static str)>,
    /// The quietest canary and the discarded runs of each data set.
    noise: Vec<(f64, usize)>,
    smoke: bool,
}

impl Report {
    pub(crate) fn new(suite: &'static str, smoke: bool) -> Self {
        Self { suite, rows: Vec::new(), sets: Vec::new(), noise: Vec::new(), smoke }
    }

    /// Adds the rows of one data set.
    pub(crate) fn add(&mut self, data: &'static str, about: &'static str, drafts: Vec<Draft>, outcomes: &[Outcome]) {
        let figure = |place: (usize, usize)| -> Figure { outcomes[place.0].figures[place.1] };
        let zap: Vec<(Op, f64)> = drafts
            .iter()
            .filter(|draft| draft.codec == "zap")
            .map(|draft| (draft.op, draft.place.map_or(draft.bytes as f64, |place| figure(place).ns)))
            .collect();
        for Draft { op, codec, bytes, allocs, place } in drafts {
            let figure = place.map(figure);
            let outcome = place.map(|place| &outcomes[place.0]);
            let base = zap.iter().find(|row| row.0 == op).map(|row| row.1);
            let own = figure.map_or(bytes as f64, |figure| figure.ns);
            self.rows.push(Row {
                suite: self.suite,
                data,
                op: op.name(),
                codec,
                ns: figure.map(|figure| figure.ns),
                allocs,
                bytes,
                ratio: base.map(|base| own / base),
                ns_max: figure.map(|figure| figure.ns_max),
                runs: outcome.map_or(0, |outcome| outcome.runs),
                quiet: outcome.is_none_or(|outcome| outcome.quiet),
            });
        }
        self.sets.push((data, about));
        let canary = outcomes.iter().map(|outcome| outcome.canary_ns).fold(f64::INFINITY, f64::min);
        self.noise.push((canary, outcomes.iter().map(|outcome| outcome.runs_discarded).sum()));
    }

    /// The rows, by data set, operation and codec.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (&(data, about), (canary_ns, discarded)) in self.sets.iter().zip(&self.noise) {
            let rows: Vec<&Row> = self.rows.iter().filter(|row| row.data == data).collect();
            writeln!(f, "{data}: {about}")?;
            let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
            f.write_str(&table::render(&["op", "codec", "us", "ratio to zap", "allocs", "bytes"], &cells))?;
            writeln!(f, "{discarded} busy runs discarded, canary {canary_ns:.2} ns")?;
            if rows.iter().any(|row| !row.quiet) {
                writeln!(
                    f,
                    "!!! BUSY MACHINE: for some operations fewer than five runs had a quiet canary (at most {CANARY_LIMIT_NS} ns, \
                     and near the best run's), so ALL THEIR RUNS WERE KEPT. Trust the ratios a little and the times not at all; run again."
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
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    vec![
        row.op.to_owned(),
        row.codec.to_owned(),
        or_nothing(row.ns.map(microseconds)),
        or_nothing(row.ratio.map(|ratio| format!("{ratio:.2}"))),
        or_nothing(row.allocs.map(|allocs| allocs.to_string())),
        row.bytes.to_string(),
    ]
}

/// With as many digits as are worth reading.
fn microseconds(ns: f64) -> String {
    let us = ns / 1000.0;
    match us {
        ..1.0 => format!("{us:.4}"),
        ..100.0 => format!("{us:.1}"),
        _ => format!("{us:.0}"),
    }
}
