//! Servers end to end on loopback: what a request costs the server's CPU.
//!
//! The server is a process of its own, pinned to one core; the load comes from another, over 64 connections, each with one
//! or 16 requests in flight. What counts is the CPU time that the server takes per request, since on one machine the rate
//! is a property of both ends. Every answer is compared with what it must be.
//!
//! Two servers are compared by pairs of short runs, A B B A: each pair gives a ratio, and the median of the ratios with its
//! 25-75% range is printed. A run counts only if the busier side was busy (at least 0.85 of the time) and neither waited
//! for its core (at most 5% of the time, by the kernel's own accounts). What is discarded is counted and printed.
//!
//! * [`Kind`]: the servers. The floor does no more than one read and one write for the same bytes.
//! * [`Scenario`]: the requests.
//! * `serve_one`: what runs in the server's process; `load`: what calls it; `compare`: pairs, validity, medians.

mod app;
mod child;
mod compare;
mod exchange;
mod floor;
mod load;
mod report;
mod serve_one;

use clap::ValueEnum;

pub use compare::{Plan, run};
pub use report::Report;
pub use serve_one::serve_one;

/// The core that servers run on.
const SERVER_CORE: usize = 0;
/// The core that the load comes from.
const LOAD_CORE: usize = 1;

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Kind {
    /// Fixed bytes of the same sizes: one read, one write for all complete blocks of that read.
    Floor,
    /// A handler of zap-http.
    ZapNative,
    /// An axum router over zap-http.
    ZapAxum,
    /// The same router over HTTP/1.1, by hyper.
    Http1Axum,
    /// The same, with hyper's pipelined flush.
    Http1AxumFlush,
    /// A hyper service without a router.
    Http1Hyper,
}

impl Kind {
    /// The name that the command line knows it by.
    fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::ZapNative => "zap-native",
            Self::ZapAxum => "zap-axum",
            Self::Http1Axum => "http1-axum",
            Self::Http1AxumFlush => "http1-axum-flush",
            Self::Http1Hyper => "http1-hyper",
        }
    }

    /// Whether it speaks HTTP/1.1 rather than ZAP frames.
    fn is_http1(self) -> bool {
        matches!(self, Self::Http1Axum | Self::Http1AxumFlush | Self::Http1Hyper)
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scenario {
    /// `GET /health`, one header; two bytes come back.
    Health,
    /// `POST /readings`, ten headers and a JSON body; the body comes back, with four headers.
    Readings,
}

impl Scenario {
    const ALL: [Self; 2] = [Self::Health, Self::Readings];

    fn name(self) -> &'static str {
        match self {
            Self::Health => "GET /health",
            Self::Readings => "POST /readings",
        }
    }
}
