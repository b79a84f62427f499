//! What a message of a million levels costs whoever reads it: each reader has to refuse it after 64 levels, in
//! microseconds, whatever lies behind.

use crate::opaque::sink;
use crate::table;
use std::fmt;
use std::time::Instant;
use zap_core::{DecodeError, Limits, RecordView as _, Zap, annotate, json};

/// The recursive record.
#[derive(Zap, Debug, PartialEq)]
struct Tree {
    kids: Vec<Tree>,
    v: u8,
}

/// Levels of the message.
const LEVELS: usize = 1_000_000;
/// Times that each reader is timed; the median counts.
const RUNS: usize = 101;

/// The time of each reader, in nanoseconds.
#[derive(Debug)]
pub struct Report {
    rows: Vec<(&'static str, u128)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row =
            |(name, nanoseconds): &(&str, u128)| vec![(*name).to_owned(), format!("{:.1}", *nanoseconds as f64 / 1e3)];
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        writeln!(f, "{LEVELS} levels, until they are refused or cut off; median of {RUNS} runs\n")?;
        f.write_str(&table::render(&["reader", "us"], &rows))
    }
}

/// The message: each level's list holds the next, which lies right behind it.
fn message() -> Vec<u8> {
    let words = [16, 1, 1, 0].into_iter().chain((0..LEVELS).flat_map(|_| [12, 1, 1]));
    let body: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let mut bytes = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
    bytes.extend((16 + body.len() as u32).to_le_bytes());
    bytes.extend(body);
    bytes
}

fn median(mut once: impl FnMut() -> bool) -> Result<u128, String> {
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        let is_right = once();
        times.push(start.elapsed().as_nanos());
        if !is_right {
            return Err("a message of a million levels was not refused".to_owned());
        }
    }
    times.sort_unstable();
    Ok(times[RUNS / 2])
}

/// Times every reader.
///
/// # Errors
///
/// One of them did not refuse the message, or did not cut its text.
pub fn run() -> Result<Report, String> {
    let bytes = message();
    let view = Tree::view(&bytes).map_err(|error| error.to_string())?;
    let again = view;
    let is_short = |text: String| {
        sink(text.len() as u64);
        text.len() < 1 << 20
    };
    let rows = vec![
        ("decode", median(|| Tree::decode(&bytes).is_err())?),
        ("validate", median(|| Tree::validate(&bytes, &Limits::new()).is_err())?),
        ("to_record", median(|| view.to_record().is_err())?),
        ("==", median(|| view != again)?),
        ("Display", median(|| is_short(view.to_string()))?),
        ("Debug", median(|| is_short(format!("{view:?}")))?),
        ("JSON", median(|| json::to_string(view).is_err_and(|_: DecodeError| true))?),
        ("annotate", median(|| is_short(annotate(&bytes, Tree::LAYOUT).to_string()))?),
    ];
    Ok(Report { rows })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_reader_ends() {
        let report = super::run().unwrap().to_string();
        assert_eq!(report.lines().count(), 12, "{report}");
    }
}
