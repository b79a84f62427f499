//! Honest benchmarks of ZAP for Rust against JSON, rkyv and others.
//!
//! The binary prints the tables (`cargo run --release -p zap-bench`); the criterion benches (`cargo bench -p zap-bench`)
//! run the same functions. `BENCHMARKS.md` at the root of the repository says which bench answers which question, what
//! is and is not charged, and how the noise of a shared machine is kept out.
//!
//! * [`record`]: one request and one response of a JSON-RPC style call, through every codec.
//! * [`datasets`]: the four data sets of the public Rust serialization benchmark.
//! * [`shapes`]: a bid request, and documents as JSON libraries are judged by.
//! * [`scaling`]: reading messages of 64 B to 64 MiB.
//! * [`compile_time`]: what the derive costs the compiler.
//! * `http` (on Linux): servers end to end, as CPU time per request; `load`: the load generator.
//! * [`suites`]: all of them; [`report`]: what they gave, as HTML and Markdown.
//! * `tune` (on Linux): the network settings of the machine.
//! * `instructions` (on Linux): the instructions of a dozen kernels, against those that are committed.
//! * [`view_cost`]: instruction counts, which show that opening a view costs the same at every size.

#[macro_use]
mod every_codec;

pub mod compile_time;
pub mod datasets;
pub mod depth;
#[cfg(target_os = "linux")]
pub mod http;
#[cfg(target_os = "linux")]
pub mod instructions;
#[cfg(target_os = "linux")]
pub mod load;
pub mod progress;
pub mod record;
pub mod report;
pub mod scaling;
pub mod shapes;
pub mod suites;
#[cfg(target_os = "linux")]
pub mod tune;
pub mod view_cost;

mod alloc;
mod callgrind;
mod measure;
mod opaque;
mod table;
