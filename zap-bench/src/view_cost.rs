//! Instructions instead of time: what opening a view costs, whatever the size of the message.
//!
//! The command runs itself under `valgrind --tool=callgrind`, which counts the instructions of one function; the counts
//! are exact, and the same on a busy machine.

use crate::callgrind;
use crate::opaque::{sink, sink_slice};
use crate::record::sample;
use crate::record::zap::Request;
use crate::table;
use std::fmt;
use zap_core::Zap;

/// A message of any size. The text stands at its very end.
#[derive(Zap)]
struct Record<'a> {
    number: u64,
    filler: &'a [u8],
    text: &'a str,
}

/// A text as short as most.
const TEXT: &str = "eth_getBalance";

/// The sizes of which a view is opened.
const SIZES: [u32; 4] = [64, 4 << 10, 1 << 20, 64 << 20];

/// Every name starts with this, and nothing else in the process does: callgrind counts while one of them runs.
const COUNTED: &str = "*::view_cost::counted_*";

/// Opens a view, reads one scalar and one short text.
#[inline(never)]
fn counted_view(message: &[u8]) -> Option<(u64, &str)> {
    let view = Record::view(message).ok()?;
    Some((view.number(), view.text().ok()?))
}

/// Encodes the sample request into a buffer with room.
#[inline(never)]
fn counted_encode(request: &Request<'_>, out: &mut Vec<u8>) {
    let _ = request.encode_into(out);
}

/// Decodes the sample request.
#[inline(never)]
fn counted_decode(message: &[u8]) -> Option<Request<'_>> {
    Request::decode(message).ok()
}

/// What one process does, once, for callgrind to count.
#[derive(Clone, Copy, Debug)]
pub enum Probe {
    /// Open a view of a message of so many bytes.
    View(u32),
    /// Encode the sample request.
    Encode,
    /// Decode the sample request.
    Decode,
}

/// As it stands on the command line.
impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::View(bytes) => write!(f, "{bytes}"),
            Self::Encode => f.write_str("encode"),
            Self::Decode => f.write_str("decode"),
        }
    }
}

impl std::str::FromStr for Probe {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "encode" => Ok(Self::Encode),
            "decode" => Ok(Self::Decode),
            bytes => bytes.parse().map(Self::View).map_err(|error| error.to_string()),
        }
    }
}

impl Probe {
    /// Does it once.
    ///
    /// # Errors
    ///
    /// The message does not give back what was written.
    pub fn run(self) -> Result<(), String> {
        let values = sample::request();
        let request =
            Request { id: values.id, block: values.block, method: &values.method, account: &values.account.raw };
        let is_right = match self {
            Self::View(bytes) => {
                let message = message(bytes)?;
                let read = counted_view(&message);
                sink(read.map_or(0, |(number, _)| number));
                message.len() == bytes as usize && read == Some((7, TEXT))
            }
            Self::Encode => {
                let mut out = Vec::with_capacity(request.encoded_len());
                counted_encode(&request, &mut out);
                sink_slice(&out);
                request.to_vec().is_ok_and(|message| message == out)
            }
            Self::Decode => {
                let message = request.to_vec().map_err(|error| error.to_string())?;
                counted_decode(&message).is_some_and(|read| {
                    (read.id, read.block, read.method, read.account)
                        == (request.id, request.block, request.method, request.account)
                })
            }
        };
        if is_right { Ok(()) } else { Err(format!("{self}: the message does not give back what was written")) }
    }

    /// Has the instructions counted, in a process of its own.
    fn count(self) -> Result<u64, String> {
        callgrind::count(COUNTED, &["view-cost", "--probe", &self.to_string()])
    }
}

/// A message of exactly `bytes` bytes.
fn message(bytes: u32) -> Result<Vec<u8>, String> {
    let mut record = Record { number: 7, filler: &[], text: TEXT };
    let others = record.encoded_len();
    let filler = vec![0xa5; (bytes as usize).checked_sub(others).ok_or_else(|| format!("at least {others} bytes"))?];
    record.filler = &filler;
    record.to_vec().map_err(|error| error.to_string())
}

/// The counts. `Display` prints the tables.
#[derive(Debug)]
pub struct Report {
    views: Vec<(u32, u64)>,
    encode: u64,
    decode: u64,
}

/// Counts everything.
///
/// # Errors
///
/// There is no valgrind, or it counted nothing.
pub fn run() -> Result<Report, String> {
    let views = SIZES.into_iter().map(|bytes| Ok((bytes, Probe::View(bytes).count()?)));
    Ok(Report {
        views: views.collect::<Result<_, String>>()?,
        encode: Probe::Encode.count()?,
        decode: Probe::Decode.count()?,
    })
}

impl Report {
    /// Whether opening a view costs the same at every size.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.views.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "open a view, read one scalar and one short text at the message's end")?;
        let cells: Vec<_> =
            self.views.iter().map(|(bytes, count)| vec![bytes.to_string(), count.to_string()]).collect();
        f.write_str(&table::render(&["bytes", "instructions"], &cells))?;
        writeln!(f, "\nthe sample request")?;
        let cells = [("encode into a buffer with room", self.encode), ("decode", self.decode)];
        let cells = cells.map(|(what, count)| vec![what.to_owned(), count.to_string()]);
        f.write_str(&table::render(&["operation", "instructions"], &cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_probe_reads_what_was_written() {
        for probe in SIZES.map(Probe::View).into_iter().chain([Probe::Encode, Probe::Decode]) {
            assert_eq!(probe.run(), Ok(()));
            assert_eq!(probe.to_string().parse::<Probe>().map(|parsed| parsed.to_string()), Ok(probe.to_string()));
        }
        assert!(Probe::View(1).run().is_err());
        assert!("tiny".parse::<Probe>().is_err());
    }

    #[test]
    fn another_count_is_noticed() {
        let report = |last| Report { views: vec![(64, 50), (4096, 50), (1 << 20, last)], encode: 1, decode: 1 };
        assert!(report(50).is_constant());
        assert!(!report(51).is_constant());
    }
}
