//! The lock file: the wire layouts of a program's records as a text in its repository, which a test compares.
//!
//! [`check`] writes the file when there is none, and from then on fails when a layout differs from it. The file has a
//! block for every record and enum that the given ones lead to, sorted by name, a line for every field: an edit of the
//! wire shows in the diff of a review as what it is.
//!
//! ```no_run
//! # use zap_core::Zap;
//! # #[derive(Zap)] struct Order { id: u64 }
//! # #[derive(Zap)] struct Reply { id: u64 }
//! #[test]
//! fn layouts_are_locked() -> Result<(), zap_core::lock::LockError> {
//!     zap_core::lock::check("zap.lock", &[Order::LAYOUT, Reply::LAYOUT])
//! }
//! # fn main() {}
//! ```
//!
//! # The file
//!
//! Lines that begin with `#`, and empty ones, mean nothing. A block begins with `record` or `enum` and the name; then, of a
//! record, its dialect, version and `growable` where they are not the default; of an enum, the type of its number. Types are
//! spelled as in the [layout line](crate::LayoutLine), records and enums by name.
//!
//! ```text
//! record Order growable
//!   id: u64 @8
//!   side: Side/u8 @16
//!   lines: list<Line/12> @20
//!   size: 32
//!
//! enum Side u8
//!   Buy = 0
//!   Sell = 1
//! ```

use std::fmt::{self, Write};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Layout;

mod block;
mod verdict;

/// Why the layouts are not those of the lock file.
///
/// `Debug` prints what `Display` does, since that is what a failed test shows.
#[non_exhaustive]
pub enum LockError {
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There is no file, and the variable `CI` says that one written now would be lost.
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Some layouts differ.
    Changed {
        /// The file.
        path: PathBuf,
        /// For each record that differs: the old and new lines, and whether that is a compatible change.
        report: String,
        /// Whether all of the changes are compatible.
        compatible: bool,
    },
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Missing { path } => {
                let path = path.display();
                write!(f, "there is no {path}: run this test on your machine, which writes it, and commit it")
            }
            Self::Changed { path, report, compatible } => {
                let path = path.display();
                writeln!(f, "the layouts are not those of {path}\n\n{report}")?;
                match compatible {
                    true => f.write_str("To accept the changes"),
                    false => f.write_str("If nobody reads or wrote the old layouts, and to accept the changes"),
                }?;
                f.write_str(", run the test with ZAP_LOCK=update in its environment and commit the file.")
            }
        }
    }
}

impl fmt::Debug for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Compares the layouts of these records, and of all that they lead to, with the lock file; writes it, if there is none.
///
/// A relative path counts from the working directory, which in a test is the package's. Two variables of the environment
/// matter: with `ZAP_LOCK=update` the file is written whatever it said, and where `CI` is set an absent file is an error.
///
/// # Errors
///
/// [`LockError::Changed`] for any difference, compatible or not: a record that the file does not know is not guarded.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, lock};
///
/// mod v1 {
///     #[derive(zap_core::Zap)]
///     pub struct Order { pub id: u64, pub count: u16 }
/// }
/// mod v2 {
///     #[derive(zap_core::Zap)]
///     pub struct Order { pub id: u64, pub count: u32 }
/// }
/// # let folder = std::env::temp_dir().join(format!("zap-lock-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("zap.lock");
/// # std::fs::write(&path, lock::text(&[v1::Order::LAYOUT]))?;
///
/// lock::check(&path, &[v1::Order::LAYOUT])?;
/// let error = lock::check(&path, &[v2::Order::LAYOUT]).unwrap_err();
/// assert!(error.to_string().contains("
/// record Order: breaking: `count` was `u16 @8` and is `u32 @8`
///     id: u64 @0
///   - count: u16 @8
///   + count: u32 @8
///     size: 16
/// "));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(path: impl AsRef<Path>, layouts: &[&'static Layout]) -> Result<(), LockError> {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "false");
    let update = std::env::var_os("ZAP_LOCK").is_some_and(|value| value == "update");
    check_with(path.as_ref(), layouts, update, is_set("CI"))
}

/// The text of the lock file for these records and all that they lead to.
#[must_use]
pub fn text(layouts: &[&'static Layout]) -> String {
    let mut text =
        String::from("# The wire layouts of this package's records, written by zap_core::lock. Commit this file.\n");
    for block in block::of_layouts(layouts) {
        // Writing to a String does not fail.
        let _ = write!(text, "\n{block}");
    }
    text
}

fn check_with(path: &Path, layouts: &[&'static Layout], update: bool, is_ci: bool) -> Result<(), LockError> {
    let failed = |error| LockError::Io { path: path.to_owned(), error };
    let old = match fs::read_to_string(path) {
        Ok(_) if update => None,
        Ok(old) => Some(old),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        Err(_) if is_ci && !update => return Err(LockError::Missing { path: path.to_owned() }),
        Err(_) => None,
    };
    let Some(old) = old else { return fs::write(path, text(layouts)).map_err(failed) };
    let (report, compatible) = verdict::report(&block::parse(&old), &block::of_layouts(layouts));
    match report.as_str() {
        "" => Ok(()),
        _ => Err(LockError::Changed { path: path.to_owned(), report, compatible }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
