//! The record suite: the request and the response of one `eth_getBalance` call, through every codec.
//!
//! | op | what one operation is |
//! |---|---|
//! | `decode` | decode both messages, touch all eight fields |
//! | `encode` | encode both messages into a reused buffer |
//! | `encode-fresh` | encode both messages, each into newly allocated memory |
//! | `round-trip` | encode both into a reused buffer, decode both from it, touch all eight fields |
//! | `handler` | decode the request, compute a balance from it, encode the response into a reused buffer |
//! | `decode-lengths` | decode one request of unpredictable lengths, touch its four fields |
//! | `encode-lengths` | encode one request of unpredictable lengths into a reused buffer |

mod bitcode;
mod check;
pub(crate) mod codec;
mod json;
pub(crate) mod ops;
mod plain;
mod prost;
mod report;
mod rkyv;
mod rkyv_borrowed;
pub(crate) mod sample;
mod wincode;
pub(crate) mod zap;

pub use self::report::{Report, Row};

use self::bitcode::Bitcode;
use self::codec::PairCodec;
use self::json::{SerdeJson, SimdJson, SonicRs};
use self::ops::Measured;
use self::prost::Prost;
use self::rkyv::{RkyvChecked, RkyvUnchecked};
use self::rkyv_borrowed::{RkyvBorrowedChecked, RkyvBorrowedUnchecked};
use self::wincode::{Wincode, WincodeSlice};
use self::zap::{ZapAppends, ZapBuffer, ZapDecode, ZapPlain, ZapView};
use crate::measure::{self, Batch, Plan};
use std::time::{Duration, Instant};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Op {
    /// Decode both messages, touch all eight fields.
    Decode,
    /// Encode both messages into a reused buffer.
    Encode,
    /// Encode both messages, each into newly allocated memory.
    EncodeFresh,
    /// Encode both messages and decode them again, touch all eight fields.
    RoundTrip,
    /// Decode the request, compute, encode the response.
    Handler,
    /// Decode one request of unpredictable lengths, touch its four fields.
    DecodeLengths,
    /// Encode one request of unpredictable lengths.
    EncodeLengths,
}

impl Op {
    /// All of them, in the order in which they are printed.
    pub const ALL: [Self; 7] = [
        Self::Decode,
        Self::Encode,
        Self::EncodeFresh,
        Self::RoundTrip,
        Self::Handler,
        Self::DecodeLengths,
        Self::EncodeLengths,
    ];

    /// The name in tables, in the JSON file and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Encode => "encode",
            Self::EncodeFresh => "encode-fresh",
            Self::RoundTrip => "round-trip",
            Self::Handler => "handler",
            Self::DecodeLengths => "decode-lengths",
            Self::EncodeLengths => "encode-lengths",
        }
    }

    /// The sentence over its table.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Decode => "decode both messages, touch all eight fields",
            Self::Encode => "encode both messages into a reused buffer",
            Self::EncodeFresh => "encode both messages, each into newly allocated memory",
            Self::RoundTrip => "encode both into a reused buffer, decode both, touch all eight fields",
            Self::Handler => "decode the request, compute the balance, encode the response",
            Self::DecodeLengths => "decode one request of unpredictable lengths, touch its four fields",
            Self::EncodeLengths => "encode one request of unpredictable lengths into a reused buffer",
        }
    }

    /// One row per codec, in the order in which they are printed; the first is what ratios refer to. A codec's two
    /// names share one measurement wherever the name makes no difference.
    fn entries(self) -> Vec<Entry> {
        let reads = !matches!(self, Self::Encode | Self::EncodeFresh | Self::EncodeLengths);
        let writes_only = matches!(self, Self::Encode | Self::EncodeLengths);
        let reuses_out = writes_only || matches!(self, Self::RoundTrip | Self::Handler);
        let mut entries = vec![self.entry::<ZapView>("zap-view")];
        entries.push(if reads { self.entry::<ZapDecode>("zap-decode") } else { Entry::same("zap-decode", "zap-view") });
        if writes_only {
            entries.push(Entry::same("zap-vec", "zap-view"));
            entries.push(self.entry::<ZapBuffer>("zap-buffer"));
        }
        match self {
            Self::DecodeLengths => entries.push(Entry::measured("zap-plain", ops::decode_lengths::<ZapPlain>())),
            Self::EncodeLengths => {
                entries.push(Entry::measured("zap-plain", ops::encode_lengths::<ZapPlain>()));
                entries.push(Entry::measured("zap-appends", ops::encode_lengths::<ZapAppends>()));
            }
            _ => (),
        }
        entries.extend([
            self.entry::<SerdeJson>("serde_json"),
            self.entry::<SimdJson>("simd-json"),
            self.entry::<SonicRs>("sonic-rs"),
            self.entry::<RkyvChecked>("rkyv-checked"),
            if reads {
                self.entry::<RkyvUnchecked>("rkyv-unchecked")
            } else {
                Entry::same("rkyv-unchecked", "rkyv-checked")
            },
            self.entry::<RkyvBorrowedChecked>("rkyv-borrowed-checked"),
            if reads {
                self.entry::<RkyvBorrowedUnchecked>("rkyv-borrowed-unchecked")
            } else {
                Entry::same("rkyv-borrowed-unchecked", "rkyv-borrowed-checked")
            },
            self.entry::<Wincode>("wincode"),
            if reuses_out {
                self.entry::<WincodeSlice>("wincode-slice")
            } else {
                Entry::same("wincode-slice", "wincode")
            },
            self.entry::<Prost>("prost"),
            self.entry::<Bitcode>("bitcode"),
        ]);
        entries
    }

    /// This operation through the codec `C`.
    fn entry<C: PairCodec>(self, codec: &'static str) -> Entry {
        let measured = match self {
            Self::Decode => ops::decode::<C>(),
            Self::Encode => ops::encode::<C>(),
            Self::EncodeFresh => ops::encode_fresh::<C>(),
            Self::RoundTrip => ops::round_trip::<C>(),
            Self::Handler => ops::handler::<C>(),
            Self::DecodeLengths => ops::decode_lengths::<C>(),
            Self::EncodeLengths => ops::encode_lengths::<C>(),
        };
        Entry::measured(codec, measured)
    }

    /// After how many operations all inputs were used, every buffer is warm, and an allocation count is exact.
    fn cycle(self) -> u64 {
        match self {
            Self::DecodeLengths | Self::EncodeLengths => 1 << 16,
            _ => 256,
        }
    }
}

/// One row to be.
struct Entry {
    codec: &'static str,
    source: Source,
}

enum Source {
    Measured(Measured),
    /// Equal to the row of this codec by construction.
    SameAs(&'static str),
}

impl Entry {
    fn measured(codec: &'static str, measured: Measured) -> Self {
        Self { codec, source: Source::Measured(measured) }
    }

    fn same(codec: &'static str, other: &'static str) -> Self {
        Self { codec, source: Source::SameAs(other) }
    }
}

/// Checks that every codec returns the values it was given, on the functions that are timed.
///
/// # Errors
///
/// Names the first codec and field that disagree.
pub fn check() -> Result<(), String> {
    fn both<C: PairCodec>(codec: &str) -> Result<(), String> {
        check::pair::<C>(codec)?;
        check::lengths::<C>(codec)
    }
    both::<ZapView>("zap-view")?;
    both::<ZapDecode>("zap-decode")?;
    both::<ZapBuffer>("zap-buffer")?;
    check::lengths::<ZapPlain>("zap-plain")?;
    check::lengths::<ZapAppends>("zap-appends")?;
    both::<SerdeJson>("serde_json")?;
    both::<SimdJson>("simd-json")?;
    both::<SonicRs>("sonic-rs")?;
    both::<RkyvChecked>("rkyv-checked")?;
    both::<RkyvUnchecked>("rkyv-unchecked")?;
    both::<RkyvBorrowedChecked>("rkyv-borrowed-checked")?;
    both::<RkyvBorrowedUnchecked>("rkyv-borrowed-unchecked")?;
    both::<Wincode>("wincode")?;
    both::<WincodeSlice>("wincode-slice")?;
    both::<Prost>("prost")?;
    both::<Bitcode>("bitcode")
}

/// Measures the given operations; `smoke` shows that everything runs, with figures that mean nothing.
///
/// # Errors
///
/// What [`check()`] says.
pub fn run(ops: &[Op], smoke: bool) -> Result<Report, String> {
    check()?;
    let plan = if smoke { Plan::SMOKE } else { Plan::FULL };
    let mut rows: Vec<Vec<report::Draft>> = Vec::new();
    let mut groups: Vec<Vec<Batch>> = Vec::new();
    for &op in ops {
        let (drafts, batches) = report::draft(op, op.entries());
        rows.push(drafts);
        groups.push(batches);
    }
    let outcomes = measure::measure(&mut groups, &plan);
    Ok(Report::new(ops, rows, outcomes, smoke))
}

/// One operation of one codec, for a harness that does its own timing.
pub struct Bench {
    /// The codec's name.
    pub codec: &'static str,
    batch: Batch,
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("codec", &self.codec).finish_non_exhaustive()
    }
}

impl Bench {
    /// How long `iterations` operations take.
    pub fn time(&mut self, iterations: u64) -> Duration {
        let started = Instant::now();
        (self.batch)(iterations);
        started.elapsed()
    }
}

/// The measured rows of one operation; rows that are equal by construction appear once.
#[must_use]
pub fn benches(op: Op) -> Vec<Bench> {
    let measured = |entry: Entry| match entry.source {
        Source::Measured(Measured { batch, .. }) => Some(Bench { codec: entry.codec, batch }),
        Source::SameAs(_) => None,
    };
    op.entries().into_iter().filter_map(measured).collect()
}

#[cfg(test)]
mod tests;
