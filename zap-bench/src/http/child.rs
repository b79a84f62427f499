//! A server's process, and the kernel's accounts of a thread: how long it ran, and how long it waited for its core.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

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
    /// What it says: its port, and allocations when asked.
    stdout: BufReader<ChildStdout>,
    pub(super) address: SocketAddr,
}

impl Server {
    /// Starts this program again, as a server.
    pub(super) fn start(kind: Kind) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(["serve-one", kind.name()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let stdout = child.stdout.take().ok_or("a server without output")?;
        let mut server = Self { child, stdout: BufReader::new(stdout), address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let port = server.line().parse().map_err(|_| format!("{} did not start", kind.name()))?;
        server.address.set_port(port);
        Ok(server)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let _ = self.stdout.read_line(&mut line);
        line.trim().to_owned()
    }

    /// Allocations of the whole process since it was asked before. From the first question on it counts them, which takes
    /// time: ask when nothing is measured, and [stop](Self::stop_counting).
    pub(super) fn allocations(&mut self) -> Result<u64, String> {
        self.ask("count")
    }

    /// Allocations are not counted any more.
    pub(super) fn stop_counting(&mut self) -> Result<u64, String> {
        self.ask("stop")
    }

    fn ask(&mut self, question: &str) -> Result<u64, String> {
        let stdin = self.child.stdin.as_mut().ok_or("a server without input")?;
        writeln!(stdin, "{question}").and_then(|()| stdin.flush()).map_err(|error| error.to_string())?;
        self.line().parse().map_err(|_| "a server does not say what it allocated".to_owned())
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
