//! What the fuzz targets check. Each is a function of bytes that panics when a promise is broken, so that the corpus can be
//! replayed by `cargo test` on any toolchain: `tests/corpus.rs`.

mod carried;
mod codec;
mod http;
#[path = "../../zap-core/tests/support/mod.rs"]
mod support;
#[path = "../../zap-core/tests/support/untyped.rs"]
mod untyped_reads;

pub use carried::{carry, http_carried};
pub use codec::{json, oracle, record_seeds, records, untyped, values};
pub use http::{http_client, http_frames, http_server};

/// A function that panics if these bytes break a promise.
pub type Check = fn(&[u8]);

/// The check of each target.
pub const CHECKS: [(&str, Check); 9] = [
    ("untyped", untyped),
    ("records", records),
    ("values", values),
    ("oracle", oracle),
    ("json", json),
    ("http_frames", http_frames),
    ("http_carried", http_carried),
    ("http_server", http_server),
    ("http_client", http_client),
];

/// The first byte, which chooses, and the rest.
fn choice(data: &[u8]) -> (usize, &[u8]) {
    match data.split_first() {
        Some((first, rest)) => (usize::from(*first), rest),
        None => (0, data),
    }
}
