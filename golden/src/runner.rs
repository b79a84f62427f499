//! Replays vector files, and says per file what passed, what failed and what cannot be replayed yet.

#[cfg(feature = "http")]
use crate::http;
use crate::{core_build, core_parse, oracle_cases, schema_layout};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// How the cases of a file are replayed.
enum Replay {
    /// Each case by this function, then by the derived struct of its shape where there can be one.
    By(fn(&Value) -> Result<(), String>),
    /// Not yet; what is missing.
    NotYet(&'static str),
}

/// The files that exist, by name.
fn replay_of(file: &str) -> Option<Replay> {
    Some(match file {
        "core_build.json" => Replay::By(core_build::replay),
        "core_parse.json" => Replay::By(core_parse::replay),
        "schema_layout.json" => Replay::By(schema_layout::replay),
        "record_eth.json" => Replay::By(oracle_cases::record_eth),
        "zapenc.json" => Replay::By(oracle_cases::zapenc),
        "zapgen.json" => Replay::By(oracle_cases::zapgen),
        "native.json" => Replay::By(oracle_cases::native),
        "native_decode.json" => Replay::By(oracle_cases::native_decode),
        #[cfg(feature = "http")]
        "http_frames.json" => Replay::By(http::replay_frame),
        #[cfg(feature = "http")]
        "http_hostile.json" => Replay::By(http::replay_hostile),
        #[cfg(not(feature = "http"))]
        "http_frames.json" | "http_hostile.json" => Replay::NotYet("built without the feature `http`"),
        "rpc_envelope.json" | "rpc_frames.json" => Replay::NotYet("there is no RPC codec yet"),
        _ => return None,
    })
}

/// A disagreement, or a file or folder that is not what it should be.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The file's or folder's name.
    pub file: String,
    /// The case's name; empty if it is about the whole file.
    pub case: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.case.as_str() {
            "" => write!(f, "{}: {}", self.file, self.message),
            case => write!(f, "{}: {case}: {}", self.file, self.message),
        }
    }
}

/// What came of one file or folder.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases replayed in agreement.
    pub passed: usize,
    /// Everything that is wrong.
    pub failures: Vec<Failure>,
    /// File and case of those that the oracle agrees with, but whose shape no derived struct has.
    pub not_derived: Vec<(String, String)>,
    /// Files whose cases cannot be replayed yet, with the number of cases and the reason. They count as nothing.
    pub not_replayed: Vec<(String, usize, &'static str)>,
}

impl Report {
    fn fail(&mut self, file: &str, case: &str, message: impl Into<String>) {
        self.failures.push(Failure { file: file.into(), case: case.into(), message: message.into() });
    }

    fn add(&mut self, other: Report) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self.not_derived.extend(other.not_derived);
        self.not_replayed.extend(other.not_replayed);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failure in &self.failures {
            writeln!(f, "FAILED {failure}")?;
        }
        for (file, case) in &self.not_derived {
            writeln!(f, "NOT DERIVED {file}: {case}: no derived struct has this shape")?;
        }
        for (file, cases, reason) in &self.not_replayed {
            writeln!(f, "NOT REPLAYED {file}: {cases} cases, {reason}")?;
        }
        write!(f, "{} cases agree, {} failures", self.passed, self.failures.len())
    }
}

/// Replays every file of a folder. A folder that is missing or has no vectors, and a file with an unknown name, are
/// failures; Markdown beside the vectors is not looked at.
pub fn replay_folder(folder: &Path) -> Report {
    let mut report = Report::default();
    let shown = folder.display().to_string();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            report.fail(&shown, "", format!("cannot be read as a folder: {error}"));
            return report;
        }
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => report.fail(&shown, "", error.to_string()),
        }
    }
    paths.sort();
    paths.retain(|path| path.extension().is_none_or(|extension| extension != "md"));
    if !paths.iter().any(|path| path.extension().is_some_and(|extension| extension == "json")) {
        report.fail(&shown, "", "no vector file in this folder");
    }
    for path in paths {
        report.add(replay_file(&path));
    }
    report
}

/// Replays one file; its name says how.
pub fn replay_file(path: &Path) -> Report {
    let mut report = Report::default();
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(replay) = replay_of(&file) else {
        report.fail(&file, "", "no vector file has this name");
        return report;
    };
    let cases = match read_cases(path) {
        Ok(cases) => cases,
        Err(message) => {
            report.fail(&file, "", message);
            return report;
        }
    };
    let mut names = BTreeSet::new();
    for (i, case) in cases.iter().enumerate() {
        let Some(name) = case.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            report.fail(&file, &format!("case {i}"), "has no name");
            continue;
        };
        if !names.insert(name) {
            report.fail(&file, name, "another case has this name");
            continue;
        }
        let Replay::By(replay) = replay else { continue };
        let replayed = catch_unwind(AssertUnwindSafe(|| {
            replay(case)?;
            has_struct(&file, case).map_err(|error| format!("derived: {error}"))
        }));
        match replayed {
            Ok(Ok(has_struct)) => {
                report.passed += 1;
                if !has_struct {
                    report.not_derived.push((file.clone(), name.into()));
                }
            }
            Ok(Err(message)) => report.fail(&file, name, message),
            Err(_) => report.fail(&file, name, "panicked"),
        }
    }
    if let Replay::NotYet(reason) = replay {
        report.not_replayed.push((file, cases.len(), reason));
    }
    report
}

/// Replays the case by the derived struct of its shape. False if there is none; true where there is nothing to derive.
#[cfg(feature = "derive")]
fn has_struct(file: &str, case: &Value) -> Result<bool, String> {
    use crate::derived::{self, Outcome};
    Ok(derived::replay(file, case).transpose()? != Some(Outcome::NoStruct))
}

#[cfg(not(feature = "derive"))]
fn has_struct(_: &str, _: &Value) -> Result<bool, String> {
    Ok(true)
}

/// The cases of a file: a JSON array with at least one entry.
fn read_cases(path: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    match serde_json::from_slice(&text) {
        Ok(Value::Array(cases)) if cases.is_empty() => Err("no cases".into()),
        Ok(Value::Array(cases)) => Ok(cases),
        Ok(_) => Err("not a JSON array".into()),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}
