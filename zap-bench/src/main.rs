//! Prints the benchmark tables: `cargo run --release -p zap-bench`.

use clap::{Args, Parser, Subcommand};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use zap_bench::compile_time;
use zap_bench::datasets::{self, Data};
use zap_bench::progress::Progress;
use zap_bench::record::{self, Op};
use zap_bench::view_cost::{self, Probe};
#[cfg(target_os = "linux")]
use zap_bench::{http, instructions, load, tune};
use zap_bench::{report, scaling, shapes, suites};

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
    /// Every suite, each in a process of its own, and the report; an interrupted run goes on.
    All {
        /// Where results and report are put.
        #[arg(long, value_name = "FOLDER", default_value = "target/zap-bench")]
        out: PathBuf,
        /// A few short samples: shows that everything runs, the figures mean nothing.
        #[arg(long)]
        smoke: bool,
        /// Measure again what is there.
        #[arg(long)]
        fresh: bool,
    },
    /// The report of results that are there, as HTML and Markdown.
    Report {
        /// The `results.json` of a run of `all`.
        #[arg(default_value = "target/zap-bench/results.json")]
        results: PathBuf,
        /// Earlier results, to compare with.
        #[arg(long, value_name = "FILE")]
        against: Option<PathBuf>,
        /// Where the report is put.
        #[arg(long, value_name = "FOLDER", default_value = "target/zap-bench")]
        out: PathBuf,
    },
    /// Requests of unpredictable lengths, which no branch predictor learns.
    Lengths(Shapes),
    /// Opening and reading messages of 64 B to 64 MiB.
    Scaling(Shapes),
    /// The network settings of this machine: what they are, what they would be, and why.
    #[cfg(target_os = "linux")]
    Tune(tune::Options),
    /// A bid request of about 2 KB and its answer, through every codec but prost.
    Auction(Shapes),
    /// Three documents of 500 KB of JSON each, through every codec but prost.
    JsonShapes(Shapes),
    /// A load generator for ZAP and HTTP/1.1.
    #[cfg(target_os = "linux")]
    Load(Load),
    /// The application of the end-to-end runs, on any addresses.
    #[cfg(target_os = "linux")]
    Serve {
        /// zap://host:port, http://host:port, unix:/file; may be given more than once.
        #[arg(required = true)]
        addresses: Vec<String>,
    },
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
    /// Instructions of a dozen kernels, compared with a file of earlier ones; needs valgrind.
    #[cfg(target_os = "linux")]
    Instructions {
        /// The committed counts.
        #[arg(long, value_name = "FILE", default_value = "zap-bench/instructions.txt")]
        file: PathBuf,
        /// Write them anew instead of comparing.
        #[arg(long)]
        write: bool,
        /// Do this once and nothing else: what runs under valgrind.
        #[arg(long, hide = true)]
        probe: Option<String>,
    },
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

#[derive(Args)]
struct Shapes {
    /// Also write the rows to this file, as a JSON array.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// A few short samples: shows that everything runs, the figures mean nothing.
    #[arg(long)]
    smoke: bool,
}

#[cfg(target_os = "linux")]
#[derive(Args)]
struct Load {
    #[command(flatten)]
    options: load::Options,
    /// Also write the result to this file, as a JSON object.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[cfg(target_os = "linux")]
#[derive(Args)]
struct EndToEnd {
    /// Also write the rows to this file, as a JSON array; after each cell, so that little is lost.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Do not measure again what has its rows in the file of `--json`.
    #[arg(long, requires = "json")]
    resume: bool,
    /// Also write the ratios of pairs of servers to this file, as a JSON array.
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// The health case only, and shorter runs: at most three minutes.
    #[arg(long)]
    quick: bool,
    /// A few short runs: shows that everything runs, the figures mean nothing.
    #[arg(long)]
    smoke: bool,
    /// Only these servers; may be given more than once.
    #[arg(long = "server", value_enum, value_name = "KIND")]
    servers: Vec<http::Kind>,
    /// Only these requests (health, realistic, body:LEN, echo:LEN, rpc:CODEC, auction:CODEC); may be given more than once.
    #[arg(long = "case", value_name = "CASE")]
    cases: Vec<http::Case>,
    /// Only so many connections; may be given more than once.
    #[arg(long, value_name = "COUNT")]
    connections: Vec<usize>,
    /// Only so many requests in flight on each; may be given more than once.
    #[arg(long, value_name = "COUNT")]
    in_flight: Vec<usize>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.suite {
        Some(Suite::Record(args)) => record(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::Instructions { probe: Some(name), .. }) => instructions::probe(&name),
        #[cfg(target_os = "linux")]
        Some(Suite::Instructions { file, write, probe: None }) => {
            refuse_debug(false).and_then(|()| instructions::run(&file, write))
        }
        Some(Suite::ViewCost { probe: Some(probe) }) => probe.run(),
        Some(Suite::ViewCost { probe: None }) => view_cost(),
        Some(Suite::Datasets(args)) => datasets(&args),
        Some(Suite::All { out, smoke, fresh }) => refuse_debug(smoke).and_then(|()| suites::all(&out, smoke, fresh)),
        Some(Suite::Report { results, against, out }) => write_report(&results, against.as_deref(), &out),
        Some(Suite::Lengths(args)) => {
            let Shapes { json, smoke } = args;
            record(&Record { json, smoke, ops: vec![Op::DecodeLengths, Op::EncodeLengths] })
        }
        Some(Suite::Scaling(args)) => scaling(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::Tune(options)) => tune::run(&options),
        Some(Suite::Auction(args)) => shapes(shapes::Suite::Auction, &args),
        Some(Suite::JsonShapes(args)) => shapes(shapes::Suite::JsonShapes, &args),
        #[cfg(target_os = "linux")]
        Some(Suite::Load(args)) => load(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::Serve { addresses }) => http::serve(&addresses),
        #[cfg(target_os = "linux")]
        Some(Suite::E2e(args)) => end_to_end(&args),
        #[cfg(target_os = "linux")]
        Some(Suite::ServeOne { kind }) => http::serve_one(kind),
        Some(Suite::Depth) => depth(),
        Some(Suite::CompileTime) => compile_time::run().map(|report| print!("{report}")),
        None => story(&cli.record),
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

/// The whole story in small: the record tables, one loopback run, the sizes.
fn story(args: &Record) -> Result<(), String> {
    record(args)?;
    println!("{}", shapes::sizes());
    #[cfg(target_os = "linux")]
    loopback(args.smoke)?;
    println!("All suites, and a report: `zap-bench all`, about 25 minutes. What each answers: BENCHMARKS.md.");
    Ok(())
}

/// `GET /health` on loopback, by a few servers.
#[cfg(target_os = "linux")]
fn loopback(smoke: bool) -> Result<(), String> {
    use http::Kind::{Floor, Http1Axum, Http1AxumFlush, ZapAxum, ZapNative};
    let plan = if smoke { http::Plan::SMOKE } else { http::Plan::STORY };
    let wanted = http::Wanted {
        servers: vec![Floor, ZapNative, ZapAxum, Http1Axum, Http1AxumFlush],
        cases: vec![http::Case::Health],
        connections: vec![64],
        in_flight: vec![1],
    };
    // A thread of its own: it is pinned to a core.
    let run = std::thread::spawn(move || http::run(plan, &wanted, Vec::new(), &|_, _, _| (), &mut |_| Ok(())));
    match run.join() {
        Ok(Ok(report)) => print!("{report}"),
        Ok(Err(error)) => println!("loopback: not measured: {error}"),
        Err(_) => return Err("the loopback run ended".to_owned()),
    }
    Ok(())
}

fn scaling(args: &Shapes) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let file = create(args.json.as_deref())?;
    let report = scaling::run(args.smoke)?;
    print!("{report}");
    write_rows(file, report.rows())
}

fn write_report(results: &Path, against: Option<&Path>, out: &Path) -> Result<(), String> {
    let against = against.map(report::Results::read).transpose()?;
    report::write(&report::Results::read(results)?, against.as_ref(), out)?;
    println!("{}", out.join("report.html").display());
    Ok(())
}

fn datasets(args: &DataSets) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let sets = if args.data.is_empty() { &Data::ALL[..] } else { &args.data };
    let file = create(args.json.as_deref())?;
    let report = datasets::run(sets, args.smoke)?;
    print!("{report}");
    write_rows(file, report.rows())
}

fn shapes(suite: shapes::Suite, args: &Shapes) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let file = create(args.json.as_deref())?;
    let report = shapes::run(suite, args.smoke)?;
    print!("{report}");
    write_rows(file, report.rows())
}

#[cfg(target_os = "linux")]
fn load(args: &Load) -> Result<(), String> {
    refuse_debug(false)?;
    let file = create(args.json.as_deref())?;
    let report = load::run(&args.options)?;
    print!("{report}");
    write_json(file, &report)
}

#[cfg(target_os = "linux")]
fn end_to_end(args: &EndToEnd) -> Result<(), String> {
    refuse_debug(args.smoke)?;
    let plan = match (args.smoke, args.quick) {
        (true, _) => http::Plan::SMOKE,
        (false, true) => http::Plan::QUICK,
        (false, false) => http::Plan::FULL,
    };
    let (servers, cases) = (args.servers.clone(), args.cases.clone());
    let wanted =
        http::Wanted { servers, cases, connections: args.connections.clone(), in_flight: args.in_flight.clone() };
    let done = match &args.json {
        Some(path) if args.resume && path.exists() => read_rows(path)?,
        _ => Vec::new(),
    };
    let pairs = create(args.pairs.as_deref())?;
    let progress = Progress::new();
    let mut save = |rows: &[http::Row]| write_rows(create(args.json.as_deref())?, rows);
    let report = http::run(plan, &wanted, done, &|done, of, what| progress.show(done, of, what), &mut save)?;
    print!("{report}");
    write_rows(pairs, report.pairs())?;
    save(report.rows())
}

#[cfg(target_os = "linux")]
fn read_rows(path: &Path) -> Result<Vec<http::Row>, String> {
    let text = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
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
    write_json(file, &rows)
}

fn write_json<T: Serialize>(file: Option<File>, value: &T) -> Result<(), String> {
    let Some(file) = file else { return Ok(()) };
    let mut out = BufWriter::new(file);
    serde_json::to_writer_pretty(&mut out, value).map_err(|error| error.to_string())?;
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
