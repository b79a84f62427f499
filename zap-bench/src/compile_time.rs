//! What the derive costs the compiler: `cargo check` of a crate of many structs that derive `Zap`, beside the same
//! structs that derive serde's `Serialize` and `Deserialize`, and beside the same structs that derive nothing.
//!
//! Each crate is checked alone, its dependencies built beforehand; the best of several runs counts.

use crate::table;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Structs in a crate.
const STRUCTS: usize = 500;

/// Checks of each crate, of which the fastest counts.
const RUNS: usize = 5;

/// The fields of every struct, twenty of them.
const FIELDS: [(&str, &str); 20] = [
    ("id", "u64"),
    ("count", "u32"),
    ("port", "u16"),
    ("kind", "u8"),
    ("balance", "i64"),
    ("delta", "i32"),
    ("ratio", "f64"),
    ("weight", "f32"),
    ("active", "bool"),
    ("initial", "char"),
    ("limit", "Option<u32>"),
    ("key", "[u8; 32]"),
    ("corner", "Point"),
    ("name", "String"),
    ("title", "String"),
    ("note", "Option<String>"),
    ("data", "Vec<u8>"),
    ("numbers", "Vec<u32>"),
    ("labels", "Vec<String>"),
    ("path", "Vec<Point>"),
];

/// A crate to be checked.
struct Candidate {
    name: &'static str,
    /// What stands before the first struct.
    prelude: &'static str,
    /// What stands before each struct.
    derive: &'static str,
    dependency: String,
}

/// The three crates. The first is what ratios refer to.
fn candidates() -> [Candidate; 3] {
    let zap_core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../zap-core");
    [
        Candidate {
            name: "serde",
            prelude: "use serde::{Deserialize, Serialize};",
            derive: "#[derive(Serialize, Deserialize)]",
            dependency: "serde = { version = \"1\", features = [\"derive\"] }".to_owned(),
        },
        Candidate {
            name: "zap",
            prelude: "use zap_core::Zap;",
            derive: "#[derive(Zap)]",
            dependency: format!("zap-core = {{ path = {:?} }}", zap_core.display().to_string()),
        },
        Candidate { name: "none", prelude: "", derive: "", dependency: String::new() },
    ]
}

impl Candidate {
    /// The crate's only source file.
    fn source(&self) -> String {
        let Self { prelude, derive, .. } = self;
        let mut text = format!("{prelude}\n\n{derive}\npub struct Point {{ pub x: f64, pub y: f64 }}\n");
        for index in 0..STRUCTS {
            write!(text, "\n{derive}\npub struct Record{index} {{\n").expect(STRING);
            for (name, ty) in FIELDS {
                writeln!(text, "    pub {name}: {ty},").expect(STRING);
            }
            text.push_str("}\n");
        }
        text
    }

    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let Self { name, dependency, .. } = self;
        fs::create_dir_all(folder.join("src"))?;
        let manifest = format!(
            "[package]\nname = \"derives-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependency}\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        fs::write(folder.join("src/lib.rs"), self.source())
    }
}

/// What an `expect` says when a string refuses to grow.
const STRING: &str = "writing to a string cannot fail";

/// The fastest check of each crate.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<(&'static str, Duration)>,
}

impl Report {
    /// How many times as long as serde's the check of `zap`'s crate takes.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let seconds = |name| self.rows.iter().find(|row| row.0 == name).map_or(f64::NAN, |row| row.1.as_secs_f64());
        seconds("zap") / seconds("serde")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "compile-time: cargo check of {STRUCTS} structs of {} fields, dependencies built", FIELDS.len())?;
        let base = self.rows.first().map_or(f64::NAN, |row| row.1.as_secs_f64());
        let cells = self.rows.iter().map(|(name, time)| {
            let seconds = time.as_secs_f64();
            vec![(*name).to_owned(), format!("{seconds:.2}"), format!("{:.2}", seconds / base)]
        });
        f.write_str(&table::render(&["derives", "s", "ratio to serde"], &cells.collect::<Vec<_>>()))?;
        writeln!(f, "best of {RUNS} runs")
    }
}

/// Checks every crate several times, each in turn.
///
/// # Errors
///
/// The folder cannot be written, or a crate does not compile.
pub fn run() -> Result<Report, String> {
    let folder = Folder::new().map_err(|error| error.to_string())?;
    let candidates = candidates();
    let mut rows: Vec<(&'static str, Duration)> = Vec::new();
    for candidate in &candidates {
        let root = folder.0.join(candidate.name);
        // The dependencies, and a first check of the crate itself that warms the file system's cache up.
        check(&root)?;
        rows.push((candidate.name, Duration::MAX));
    }
    for _ in 0..RUNS {
        for (candidate, row) in candidates.iter().zip(&mut rows) {
            let root = folder.0.join(candidate.name);
            // As if the file had been edited.
            fs::write(root.join("src/lib.rs"), candidate.source()).map_err(|error| error.to_string())?;
            let started = Instant::now();
            check(&root)?;
            row.1 = row.1.min(started.elapsed());
        }
    }
    Ok(Report { rows })
}

/// A temporary folder, deleted when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("zap-bench-compile-time-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        // The versions that this repository builds with.
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock"), folder.join("Cargo.lock"))?;
        let members = candidates().map(|candidate| format!("{:?}", candidate.name)).join(", ");
        fs::write(folder.join("Cargo.toml"), format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n"))?;
        for candidate in candidates() {
            candidate.write(&folder.join(candidate.name))?;
        }
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be deleted is the temporary folder's own business.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// `cargo check` of one crate.
fn check(root: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = root.parent().unwrap_or(root).join("target");
    let output = Command::new(cargo)
        .args(["check", "--quiet"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{}: {}", root.display(), String::from_utf8_lossy(&output.stderr)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_has_the_same_structs() {
        let [serde, zap, none] = candidates().map(|candidate| candidate.source());
        let count = |text: &str| (text.matches("pub struct").count(), text.matches("    pub ").count());
        assert_eq!(count(&serde), (STRUCTS + 1, STRUCTS * FIELDS.len()));
        assert_eq!(count(&serde), count(&zap));
        assert_eq!(count(&serde), count(&none));
        assert_eq!(serde.matches("#[derive(Serialize, Deserialize)]").count(), STRUCTS + 1);
        assert_eq!(zap.matches("#[derive(Zap)]").count(), STRUCTS + 1);
    }

    #[test]
    fn the_ratio_is_of_zap_to_serde() {
        let row = |name, millis| (name, Duration::from_millis(millis));
        let report = Report { rows: vec![row("serde", 2000), row("zap", 3000), row("none", 100)] };
        assert_eq!(report.ratio(), 1.5);
        assert!(report.to_string().contains("zap      3.00            1.50"));
    }
}
