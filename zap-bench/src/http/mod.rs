//! Servers end to end on loopback: what a request costs the server's CPU.
//!
//! The server is a process of its own, pinned to one core; the load comes from another. What counts is the CPU time that the
//! server takes per request, since on one machine the rate is a property of both ends. Every answer is compared with what it
//! must be.
//!
//! Servers are compared by rounds of short runs, A B C, C B A: two runs of a round give a ratio, and the median of the ratios
//! with its 25-75% range is printed. A run counts only if the busier side was busy (at least 0.85 of the time, unless there is
//! one connection) and neither waited for its core (at most 5% of the time, by the kernel's own accounts). What is discarded
//! is counted and printed.
//!
//! * [`Kind`]: the servers. The floor does no more than one read and one write for the same bytes.
//! * [`Case`]: the requests; `typed`: those whose bodies mean something.
//! * `cells`: what is measured; `rounds`: how, and which runs count; `report`: rows and tables.
//! * `serve_one`: what runs in the server's process; [`serve`]: the same application on any addresses.

mod app;
mod case;
mod cells;
mod child;
mod floor;
#[cfg(peers)]
mod peers;
mod report;
mod rounds;
mod serve;
mod serve_one;
mod typed;

use clap::ValueEnum;

pub use case::Case;
pub use cells::{Plan, Wanted};
pub use report::{Pair, Report, Row};
pub use rounds::run;
pub use serve::serve;
#[cfg(test)]
pub(crate) use serve::serve_in_background;
pub use serve_one::serve_one;
pub use typed::Codec;

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
    /// actix-web.
    #[cfg(peers)]
    Http1Actix,
    /// ntex.
    #[cfg(peers)]
    Http1Ntex,
    /// `may_minihttp`.
    #[cfg(peers)]
    Http1May,
    /// `zap_http::Client`, calling `zap-native`: the CPU time is the caller's, and the floor's that of the plain load.
    ZapClient,
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
            #[cfg(peers)]
            Self::Http1Actix => "http1-actix",
            #[cfg(peers)]
            Self::Http1Ntex => "http1-ntex",
            #[cfg(peers)]
            Self::Http1May => "http1-may",
            Self::ZapClient => "zap-client",
        }
    }

    /// Whether it speaks HTTP/1.1 rather than ZAP frames.
    fn is_http1(self) -> bool {
        self.name().starts_with("http1")
    }

    /// Whether it is another project's server.
    #[cfg(peers)]
    fn is_peer(self) -> bool {
        matches!(self, Self::Http1Actix | Self::Http1Ntex | Self::Http1May)
    }

    /// Whether it is there for requests of this kind. `may_minihttp` writes as much as the socket takes, and the rest only
    /// when the next request comes; the client's connections cannot be made anew for each request.
    fn answers(self, case: Case, churn: bool) -> bool {
        match self {
            #[cfg(peers)]
            Self::Http1May => !matches!(case, Case::Body(_) | Case::Echo(_)),
            Self::ZapClient => !churn && matches!(case, Case::Health | Case::Realistic),
            _ => true,
        }
    }
}
