//! The command `zap-http`: a client, a file server, a gateway, and what shows frames. Each is a file here; this one has the
//! arguments they share, and how the command ends.
#![forbid(unsafe_code)]

mod call;
mod dump;
mod failure;
mod files;
mod gateway;
mod serve;
mod server;
mod tls;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::{Failure, tell};

/// HTTP over ZAP from the command line: call services, serve files, connect HTTP and ZAP, look at frames.
///
/// ZAP carries HTTP requests and answers as binary frames over TCP (port 9999 unless given) or a unix socket.
#[derive(Debug, Parser)]
#[command(
    name = "zap-http",
    version,
    after_help = "\
Examples:
  zap-http serve . --listen 127.0.0.1:9999        files of this directory, over ZAP
  zap-http get zap://127.0.0.1:9999/index.html    one of them
  zap-http gateway --listen http://127.0.0.1:8080 --to zap://127.0.0.1:9999
                                                  the same for browsers
  zap-http get --trace zap://127.0.0.1:9999/      the frames of a call, on standard error

Exit codes:
  0  done
  1  the network, the protocol or a file failed
  2  the arguments are wrong
  22 the answer's status is 4xx or 5xx, and --fail was given"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask for something, and write what comes to standard output as it comes.
    Get(call::Get),
    /// Send something, and write what comes to standard output as it comes.
    Post(call::Post),
    /// Serve a directory's files, or give every request its own body back.
    Serve(serve::Arguments),
    /// Forward requests between HTTP and ZAP.
    Gateway(gateway::Arguments),
    /// Show the frames of a capture, field by field.
    Dump(dump::Arguments),
}

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let done = match command {
        Command::Get(arguments) => wait(call::get(arguments)),
        Command::Post(arguments) => wait(call::post(arguments)),
        Command::Serve(arguments) => wait(serve::serve(arguments)),
        Command::Gateway(arguments) => wait(gateway::gateway(arguments)),
        Command::Dump(arguments) => dump::dump(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            tell(format_args!("zap-http: {failure}"));
            failure.code()
        }
    }
}

/// Runs what needs sockets.
fn wait(task: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::of("cannot start", error))?;
    let done = runtime.block_on(task);
    // A read of standard input that nobody waits for must not keep the process.
    runtime.shutdown_background();
    done
}
