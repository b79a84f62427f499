//! Instructions of a function, counted by valgrind's callgrind: exact, and the same on a busy machine.

use std::process::Command;

/// Runs this program with `arguments` and counts while a function runs whose name matches `counted`.
pub(crate) fn count(counted: &str, arguments: &[&str]) -> Result<u64, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={counted}"))
        .arg(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("valgrind, which counts the instructions, does not start ({error}); install it"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    match collected(&log) {
        Some(count) if output.status.success() && count > 0 => Ok(count),
        _ => Err(format!("{}: nothing was counted; valgrind says:\n{log}", arguments.join(" "))),
    }
}

/// The total in callgrind's log.
fn collected(log: &str) -> Option<u64> {
    let line = log.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_total_is_found_in_the_log() {
        let log = "==7== Events    : Ir\n==7== Collected : 123\n==7==\n==7== I   refs:      123\n";
        assert_eq!(collected(log), Some(123));
        assert_eq!(collected("==7== no such tool"), None);
    }
}
