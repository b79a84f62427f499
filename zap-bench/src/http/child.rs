//! A server's process, and the kernel's accounts of a thread: how long it ran, and how long it waited for its core.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use rustix::thread::{CpuSet, sched_setaffinity};

use super::Kind;

/// Keeps the calling thread, and those it starts, on one core.
pub(super) fn pin_to(core: usize) -> Result<(), String> {
    let mut set = CpuSet::new();
    set.set(core);
    sched_setaffinity(None, &set).map_err(|error| format!("core {core} cannot be had: {error}"))
}

/// A running server. Dropped, it is ended.
pub(super) struct Server {
    child: Child,
    pub(super) kind: Kind,
    pub(super) address: SocketAddr,
}

impl Server {
    /// Starts this program again, as a server.
    pub(super) fn start(kind: Kind) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["serve-one", kind.name()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut line);
        }
        match line.trim().parse::<u16>() {
            Ok(port) => Ok(Self { child, kind, address: SocketAddr::from(([127, 0, 0, 1], port)) }),
            Err(_) => {
                let _ = child.kill().and_then(|()| child.wait());
                Err(format!("{} did not start", kind.name()))
            }
        }
    }

    /// What all its threads have used.
    pub(super) fn usage(&self) -> Result<Usage, String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).map_err(|error| error.to_string())?;
        let mut sum = Usage::default();
        for task in tasks.flatten() {
            let usage = Usage::read(&task.path().join("schedstat").to_string_lossy())?;
            sum = Usage { ran: sum.ran + usage.ran, waited: sum.waited + usage.waited };
        }
        Ok(sum)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Nanoseconds that a thread ran, and that it could have run but waited for its core.
///
/// The kernel brings them up to date when the thread is taken off its core: read them when it sleeps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) ran: u64,
    pub(super) waited: u64,
}

impl Usage {
    /// The calling thread's.
    pub(super) fn of_this_thread() -> Result<Self, String> {
        // Gives the core away for a moment, which brings the account up to date.
        std::thread::sleep(std::time::Duration::from_micros(50));
        Self::read("/proc/thread-self/schedstat")
    }

    fn read(path: &str) -> Result<Self, String> {
        let line = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
        let mut fields = line.split_ascii_whitespace().map(str::parse);
        match (fields.next(), fields.next()) {
            (Some(Ok(ran)), Some(Ok(waited))) => Ok(Self { ran, waited }),
            _ => Err(format!("{path} is not understood")),
        }
    }

    pub(super) fn since(self, before: Self) -> Self {
        Self { ran: self.ran.saturating_sub(before.ran), waited: self.waited.saturating_sub(before.waited) }
    }
}
