//! The network settings of a machine that serves: what they are, what they would be, and why.
//!
//! `--check` changes nothing and needs no rights. `--apply NIC` writes what differs, once the old values are in a file; to
//! apply again changes nothing more. `--undo` writes the old values back. Settings that are not there (no such queue, a driver
//! without ring sizes, no governor in a virtual machine) are said to be missing, and left alone.

mod plan;
mod ring;
mod state;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::PathBuf;

use plan::{Setting, settings};
use state::State;

/// What to do.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Show every setting, and change nothing.
    #[arg(long, conflicts_with_all = ["apply", "undo"])]
    pub check: bool,
    /// Write the settings: of the system, and of this network interface.
    #[arg(long, value_name = "NIC", conflicts_with = "undo")]
    pub apply: Option<String>,
    /// Write back what was there before `--apply`.
    #[arg(long)]
    pub undo: bool,
    /// With `--check`: also the settings of this network interface.
    #[arg(long, value_name = "NIC")]
    pub nic: Option<String>,
    /// Where the old values are kept.
    #[arg(long, value_name = "FILE", default_value = "/var/lib/zap-bench-tune.json")]
    pub state: PathBuf,
}

/// Where settings are: below `/`, or below a folder in tests.
#[derive(Clone, Debug)]
struct Root(PathBuf);

impl Root {
    fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// What a setting is now.
    fn read(&self, path: &str) -> Option<String> {
        Some(fs::read_to_string(self.path(path)).ok()?.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn write(&self, path: &str, value: &str) -> Result<(), String> {
        fs::write(self.path(path), value).map_err(|error| format!("{path}: {error}"))
    }
}

/// Does it, and prints what is done.
///
/// # Errors
///
/// A setting cannot be written, or there is nothing to undo.
pub fn run(options: &Options) -> Result<(), String> {
    let root = Root("/".into());
    let state = State::new(options.state.clone());
    let said = match (&options.apply, options.undo) {
        (Some(nic), _) => apply(&root, nic, &state)?,
        (None, true) => undo(&root, &state)?,
        (None, false) => check(&root, options.nic.as_deref()),
    };
    print!("{said}");
    Ok(())
}

/// Every setting, what it is, what it would be, and why.
fn check(root: &Root, nic: Option<&str>) -> String {
    let mut out = String::new();
    for Setting { path, wanted, why, .. } in settings(root, nic) {
        let (now, verdict) = match root.read(&path) {
            None => ("missing".to_owned(), "is not there"),
            Some(now) if plan::is_met(&now, &wanted) => (now, "as it should be"),
            Some(now) => (now, "would be changed"),
        };
        out.push_str(&format!("{path}\n    now {now}, wanted {wanted}: {verdict}\n    {why}\n"));
    }
    match nic {
        None => out.push_str("No network interface was named (--nic): queues and rings are left out.\n"),
        Some(nic) => out.push_str(&ring::check(nic)),
    }
    out
}

/// Writes what differs. The old values are on disk before anything is changed.
fn apply(root: &Root, nic: &str, state: &State) -> Result<String, String> {
    if root.read(&format!("/sys/class/net/{nic}/mtu")).is_none() {
        return Err(format!("there is no network interface {nic}"));
    }
    let mut old = state.read()?;
    let mut changes = Vec::new();
    for Setting { path, wanted, .. } in settings(root, Some(nic)) {
        if let Some(now) = root.read(&path)
            && !plan::is_met(&now, &wanted)
        {
            // The oldest value counts: what was there before the first of several runs.
            old.entry(path.clone()).or_insert(now);
            changes.push((path, wanted));
        }
    }
    let rings = ring::wanted(nic);
    if let Some((now, _)) = &rings {
        old.entry(ring::key(nic)).or_insert_with(|| now.to_string());
    }
    if changes.is_empty() && rings.is_none() {
        return Ok("everything is as it should be\n".to_owned());
    }
    state.write(&old)?;
    let mut out = String::new();
    for (path, wanted) in changes {
        match root.write(&path, &wanted) {
            Ok(()) => out.push_str(&format!("{path} = {wanted}\n")),
            // The others are independent of it, and `--undo` knows what is to be undone.
            Err(error) => out.push_str(&format!("!!! NOT SET: {error}\n")),
        }
    }
    if let Some((_, wanted)) = rings {
        out.push_str(&ring::set(nic, wanted));
    }
    if out.contains("!!! NOT SET") { Err(out) } else { Ok(out) }
}

/// Writes the old values back, and forgets them.
fn undo(root: &Root, state: &State) -> Result<String, String> {
    let old = state.read()?;
    if old.is_empty() {
        return Ok("there is nothing to undo\n".to_owned());
    }
    let (mut out, mut failed) = (String::new(), false);
    for (path, value) in &old {
        let result = match ring::parse(path, value) {
            Some((nic, sizes)) => Ok(ring::set(nic, sizes)),
            None => root.write(path, value).map(|()| format!("{path} = {value}\n")),
        };
        match result {
            Ok(line) => out.push_str(&line),
            Err(error) => {
                failed = true;
                out.push_str(&format!("!!! NOT SET: {error}\n"));
            }
        }
    }
    if failed {
        return Err(out);
    }
    state.remove()?;
    Ok(out)
}
