//! What a run of `all` leaves behind, as one JSON file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Machine;

/// What became of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Its rows, and the command that gave them.
    Rows {
        /// The arguments of `zap-bench`.
        command: String,
        /// One object each, as the suite writes them.
        rows: Vec<Value>,
    },
    /// Why there are none.
    NotMeasured(String),
}

/// The results of all suites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// What was measured on.
    pub machine: Machine,
    /// By the names of the suites.
    pub suites: BTreeMap<String, Outcome>,
}

impl Results {
    /// Reads such a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Writes one.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let text = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The rows of a suite.
    pub(super) fn rows(&self, suite: &str) -> &[Value] {
        match self.suites.get(suite) {
            Some(Outcome::Rows { rows, .. }) => rows,
            _ => &[],
        }
    }
}
