//! All suites one after another, each in a process of its own; what was measured is kept, so that a run that was interrupted
//! goes on with the next suite.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::progress::Progress;
use crate::report::{self, Machine, Outcome, Results};

/// A suite, as a command line.
struct Suite {
    name: &'static str,
    arguments: &'static [&'static str],
    /// About how long it takes, in seconds.
    seconds: u64,
    /// Whether it writes its rows to the file of `--json`; if not, its output is kept.
    has_rows: bool,
    /// Whether it runs in a smoke run, with `--smoke`.
    smokes: bool,
}

const fn suite(name: &'static str, arguments: &'static [&'static str], seconds: u64) -> Suite {
    Suite { name, arguments, seconds, has_rows: true, smokes: true }
}

const SUITES: [Suite; 9] = [
    suite("record", &["record"], 40),
    suite("lengths", &["lengths"], 40),
    suite("auction", &["auction"], 75),
    suite("json-shapes", &["json-shapes"], 100),
    suite("datasets", &["datasets"], 160),
    suite("scaling", &["scaling"], 60),
    Suite { name: "view-cost", arguments: &["view-cost"], seconds: 15, has_rows: false, smokes: false },
    Suite { name: "depth", arguments: &["depth"], seconds: 5, has_rows: false, smokes: false },
    suite("http", &["e2e"], 900),
];

/// Runs what has no results in `folder` yet, and writes `results.json` and the report there. A suite that fails is said to be
/// not measured, and why.
///
/// # Errors
///
/// A file cannot be written.
pub fn all(folder: &Path, smoke: bool, fresh: bool) -> Result<(), String> {
    if fresh && folder.exists() {
        // Only what an earlier run has put there.
        for suite in &SUITES {
            let _ = fs::remove_file(folder.join(format!("{}.json", suite.name)));
        }
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut results = Results { machine: Machine::this(), ..Results::default() };
    let progress = Progress::new();
    let (mut done, all) = (0, SUITES.iter().map(|suite| suite.seconds).sum::<u64>());
    for suite in &SUITES {
        progress.show(done as usize, all as usize, suite.name);
        let outcome = suite.outcome(folder, smoke)?;
        let what = match &outcome {
            Outcome::Rows { rows, .. } => format!("{} rows", rows.len()),
            Outcome::NotMeasured(why) => format!("not measured: {why}"),
        };
        progress.say(&format!("{}: {what}", suite.name));
        results.suites.insert(suite.name.to_owned(), outcome);
        done += suite.seconds;
    }
    progress.show(all as usize, all as usize, "");
    results.write(&folder.join("results.json"))?;
    report::write(&results, None, folder)
}

impl Suite {
    /// What is there from an earlier run, or else what a run gives now.
    fn outcome(&self, folder: &Path, smoke: bool) -> Result<Outcome, String> {
        let kept = folder.join(format!("{}.json", self.name));
        if let Some(outcome) = fs::read(&kept).ok().and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(outcome);
        }
        if smoke && !self.smokes {
            return Ok(Outcome::NotMeasured("a smoke run leaves it out".to_owned()));
        }
        let outcome = self.run(folder, smoke)?;
        // What failed is tried again next time.
        if matches!(outcome, Outcome::Rows { .. }) {
            let text = serde_json::to_string(&outcome).map_err(|error| error.to_string())?;
            fs::write(&kept, text).map_err(|error| format!("{}: {error}", kept.display()))?;
        }
        Ok(outcome)
    }

    fn run(&self, folder: &Path, smoke: bool) -> Result<Outcome, String> {
        let partial = folder.join(format!("{}.partial.json", self.name));
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        command.args(self.arguments);
        if smoke {
            command.arg("--smoke");
        }
        if self.has_rows {
            command.arg("--json").arg(&partial);
        }
        if self.name == "http" {
            // The long one goes on where it was.
            command.arg("--resume");
        }
        let start = Instant::now();
        let output = command.output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            return Ok(Outcome::NotMeasured(error.lines().last().unwrap_or("it failed").to_owned()));
        }
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let rows: Vec<Value> = if self.has_rows {
            let text = fs::read(&partial).map_err(|error| format!("{}: {error}", partial.display()))?;
            let _ = fs::remove_file(&partial);
            serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", partial.display()))?
        } else {
            printed.lines().map(Value::from).collect()
        };
        let took = Duration::from_secs(start.elapsed().as_secs());
        let text = folder.join(format!("{}.txt", self.name));
        fs::write(&text, printed).map_err(|error| format!("{}: {error}", text.display()))?;
        let smoke = if smoke { " --smoke" } else { "" };
        let command = format!("zap-bench {}{smoke} ({took:?})", self.arguments.join(" "));
        Ok(Outcome::Rows { command, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, SUITES};

    #[test]
    fn what_is_there_is_not_run_again() {
        let folder = std::env::temp_dir().join(format!("zap-bench-suites-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let outcome = Outcome::Rows { command: "zap-bench record".to_owned(), rows: vec![1.into()] };
        std::fs::write(folder.join("record.json"), serde_json::to_string(&outcome).unwrap()).unwrap();
        assert_eq!(SUITES[0].outcome(&folder, false), Ok(outcome));
        let view_cost = SUITES.iter().find(|suite| suite.name == "view-cost").unwrap();
        assert!(matches!(view_cost.outcome(&folder, true), Ok(Outcome::NotMeasured(_))));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn all_takes_about_twenty_minutes() {
        let minutes = SUITES.iter().map(|suite| suite.seconds).sum::<u64>() / 60;
        assert!((10..30).contains(&minutes), "{minutes}");
    }
}
