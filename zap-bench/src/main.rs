//! Prints the benchmark tables: `cargo run --release -p zap-bench`.

use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zap_bench::compile_time;
use zap_bench::datasets::{self, Data};
#[cfg(target_os = "linux")]
use zap_bench::http;
use zap_bench::record::{self, Op};
use zap_bench::view_cost::{self, Probe};

/// ZAP for Rust against JSON, rkyv and others, on this machine.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    suite: Option<Suite>,
    #[command(flatten)]
    record: Record,
}

#[derive(Subcommand)]
enum Suite {
    /// One request and one response of an eth_getBalance call (the default).
    Record(Record),
    /// The four data sets of the public Rust serialization benchmark.
    Datasets(DataSets),
    /// Servers end to end on loopback: CPU time per request, ZAP against HTTP/1.1 and against a floor.
    #[cfg(target_os = "linux")]
    E2e(EndToEnd),
    /// Be one of the servers of `e2e`, until the standard input ends.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    ServeOne {
        /// Which one.
        kind: http::Kind,
    },
    /// `cargo check` of 500 structs that derive `Zap`, and of the same structs with serde's derives.
    CompileTime,
    /// What a message of a million levels costs its readers.
    Depth,
    /// Instructions of opening a view, for messages of 64 bytes to 64 MiB; needs valgrind.
    ViewCost {
        /// Do this once and nothing else: what runs under valgrind.
        #[arg(long, hide = true)]
        probe: Option<Probe>,
    },
}

#[derive(Args)]
struct Record {
    /// Also write the rows to this file, as a JSON array.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A few short samples: shows that everything runs, the figures mean nothing.
    #[arg(long)]
    smoke: bool,
    /// Only this operation; may be given more than once.
    #[arg(long = "op", value_enum, value_name = "OP")]
    ops: Vec<Op>,
}

#[derive(Args)]
struct DataSets {
    /// Also write the rows to this file, as a JSON array.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A few short samples: shows that everything runs, the figures mean nothing.
    #[arg(long)]
    smoke: bool,
    /// Only this data set; may be given more than once.
    #[arg(long, value_enum, value_name = "NAME")]
    data: Vec<Data>,
}

#[cfg(target_os = "linux")]
#[derive(Args)]
struct EndToEnd {
    /// Also write the rows to this file, as a JSON array.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Fewer and shorter runs: at most three minutes.
    #[arg(long)]
    quick: bool,
    /// A few short runs: shows that everything runs, the figures mean nothing.
    #[arg(long)]
    smoke: bool,
    /// Only comparisons between these servers; may be given more than once.
    #[arg(long = "server", value_enum, value_name = "KIND")]
    servers: Vec<http::Kind>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.suite {
        Some(Suite::Record(args)) => record(&args),
        Some(Suite::ViewCost { probe: Some(probe) }) => probe.run(),
        Some(Suite::ViewCost { probe: None }) => view_cost(),
        Some(Suite::Datasets(args)) => datasets(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::E2e(args)) => end_to_end(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::ServeOne { kind }) => http::serve_one(kind),
        Some(Suite::Depth) => depth(),
        Some(Suite::CompileTime) => compile_time::run().map(|report| print!("{report}")),
        None => record(&cli.record),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("zap-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(args: &Record) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let ops = if args.ops.is_empty() { &Op::ALL[..] } else { &args.ops };
    let file = create(args.json.as_deref())?;
    let report = record::run(ops, args.smoke)?;
    print!("{report}");
    write_rows(file, report.rows())
}

fn datasets(args: &DataSets) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let sets = if args.data.is_empty() { &Data::ALL[..] } else { &args.data };
    let file = create(args.json.as_deref())?;
    let report = datasets::run(sets, args.smoke)?;
    print!("{report}");
    write_rows(file, report.rows())
}

#[cfg(target_os = "linux")]
fn end_to_end(args: &EndToEnd) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let plan = match (args.smoke, args.quick) {
        (true, _) => http::Plan::SMOKE,
        (false, true) => http::Plan::QUICK,
        (false, false) => http::Plan::FULL,
    };
    let file = create(args.json.as_deref())?;
    let report = http::run(plan, &args.servers)?;
    print!("{report}");
    write_rows(file, report.rows())
}

fn refuse_debug(smoke: bool) -> Result<(), String> {
    if cfg!(debug_assertions) && !smoke {
        return Err("this is a debug build; use `cargo run --release -p zap-bench`".to_owned());
    }
    Ok(())
}

/// The file is created first, so that a wrong path costs no measurement.
fn create(path: Option<&Path>) -> Result<Option<File>, String> {
    path.map(|path| File::create(path).map_err(|error| format!("{}: {error}", path.display()))).transpose()
}

fn write_rows<R: Serialize>(file: Option<File>, rows: &[R]) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let mut out = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut out, rows).map_err(|error| error.to_string())?;
    writeln!(out).and_then(|()| out.flush()).map_err(|error| error.to_string())
}

fn depth() -> Result<(), String> {
    refuse_debug(false)?;
    print!("{}", zap_bench::depth::run()?);
    Ok(())
}

fn view_cost() -> Result<(), String> {
    let report = view_cost::run()?;
    print!("{report}");
    if report.is_constant() { Ok(()) } else { Err("opening a view costs more for some sizes".to_owned()) }
}
