//! The documents name files and tests that exist, and unsafe code is where they say.
#![cfg(not(miri))]

use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Targets of `[text](target)`, and what stands behind each on its line up to the next link.
fn links(line: &str) -> Vec<(&str, &str)> {
    let mut links = Vec::new();
    for part in line.split("](").skip(1) {
        if let Some((target, behind)) = part.split_once(')') {
            links.push((target, behind));
        }
    }
    links
}

/// Names in backquotes that can be those of functions.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |word: &&str| {
        word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
    };
    text.split('`').skip(1).step_by(2).filter(is_name)
}

/// Every relative link leads to a file; in the tables of promises and
/// limits, every quoted name behind a link to a Rust file is a function in it.
#[test]
fn links_lead_somewhere() {
    let mut checked = 0;
    for document in
        ["README", "ARCHITECTURE", "DESIGN", "LIMITS", "BENCHMARKS", "CONTRIBUTING", "SECURITY", "CHANGELOG"]
    {
        let names_tests = matches!(document, "README" | "LIMITS");
        let document = format!("{document}.md");
        for line in read(&workspace().join(&document)).lines() {
            for (target, behind) in links(line) {
                if target.contains("://") || target.starts_with('#') {
                    continue;
                }
                let path = workspace().join(target);
                assert!(path.exists(), "{document}: nothing at {target}");
                if names_tests && line.starts_with('|') && target.ends_with(".rs") {
                    let code = read(&path);
                    for name in quoted(behind.split_once('[').map_or(behind, |(before, _)| before)) {
                        assert!(code.contains(&format!("fn {name}")), "{document}: no test {name} in {target}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 20, "{checked} names of tests were found");
}

/// Every row of the strictness table names a test.
#[test]
fn the_strictness_table_names_tests() {
    let tests = read(&workspace().join("zap-core/tests/strictness.rs"));
    let table = read(&workspace().join("zap-core/src/guide/strictness.md"));
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.matches(" | ").count() == 4).skip(1);
    let names: Vec<_> = rows.filter_map(|row| quoted(row.rsplit(" | ").next()?).next()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(tests.contains(&format!("fn {name}()")), "no test {name}");
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Only one file of the crates that read bytes holds the keyword, in code as in what the derive writes.
#[test]
fn unsafe_code_is_in_one_file() {
    let mut files = Vec::new();
    for folder in ["zap-core/src", "zap-derive/src", "zap-http/src", "golden/src"] {
        rust_files(&workspace().join(folder), &mut files);
    }
    let is_unsafe = |path: &&PathBuf| {
        read(path).lines().any(|line| {
            let code = line.split("//").next().unwrap_or_default();
            code.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == "unsafe")
        })
    };
    let found: Vec<_> = files.iter().filter(is_unsafe).collect();
    assert!(matches!(&found[..], [only] if only.ends_with("zap-core/src/trusted.rs")), "{found:?}");
}
