//! Prints the benchmark tables: `cargo run --release -p zap-bench`.

use clap::{Args, Parser, Subcommand};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
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

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.suite {
        Some(Suite::Record(args)) => record(&args),
        Some(Suite::ViewCost { probe: Some(probe) }) => probe.run(),
        Some(Suite::ViewCost { probe: None }) => view_cost(),
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
    if cfg!(debug_assertions) && !args.smoke {
        return Err("this is a debug build; use `cargo run --release -p zap-bench`".to_owned());
    }
    let ops = if args.ops.is_empty() { &Op::ALL[..] } else { &args.ops };
    // The file is opened first, so that a wrong path costs no measurement.
    let file =
        args.json.as_ref().map(|path| File::create(path).map_err(|error| format!("{}: {error}", path.display())));
    let file = file.transpose()?;
    let report = record::run(ops, args.smoke)?;
    print!("{report}");
    if let Some(file) = file {
        let mut out = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut out, report.rows()).map_err(|error| error.to_string())?;
        writeln!(out).and_then(|()| out.flush()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn view_cost() -> Result<(), String> {
    let report = view_cost::run()?;
    print!("{report}");
    if report.is_constant() { Ok(()) } else { Err("opening a view costs more for some sizes".to_owned()) }
}
