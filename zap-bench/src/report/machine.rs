//! What was measured on, as the system tells it; nothing that names the machine.

use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The machine and the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Its cores, as far as they are ours.
    pub cores: usize,
    /// Release of the kernel.
    pub kernel: String,
    /// The compiler.
    pub toolchain: String,
    /// The commit that was measured, with a `+` if there were changes.
    pub commit: String,
}

impl Machine {
    /// This one. What cannot be found out is empty.
    #[must_use]
    pub fn this() -> Self {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let changes = output("git", &["status", "--porcelain", "--untracked-files=no"]);
        let commit = output("git", &["rev-parse", "--short=12", "HEAD"]);
        Self {
            processor: processor.trim_start_matches([' ', '\t', ':']).to_owned(),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            kernel: kernel.trim().to_owned(),
            toolchain: output("rustc", &["--version"]),
            commit: if changes.is_empty() { commit } else { format!("{commit}+") },
        }
    }
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success());
    output.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
