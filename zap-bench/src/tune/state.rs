//! The old values, kept until they are written back.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// By path.
pub(super) type Old = BTreeMap<String, String>;

/// The file.
pub(super) struct State(PathBuf);

impl State {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Nothing if there is no file; a file that is not understood is an error, since it is all that knows the old values.
    pub(super) fn read(&self) -> Result<Old, String> {
        match fs::read(&self.0) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| self.say(&error)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Old::new()),
            Err(error) => Err(self.say(&error)),
        }
    }

    /// Written beside the old file and put in its place: one of the two is always whole.
    pub(super) fn write(&self, old: &Old) -> Result<(), String> {
        let text = serde_json::to_string_pretty(old).map_err(|error| self.say(&error))?;
        let beside = self.0.with_extension("new");
        fs::write(&beside, text).and_then(|()| fs::rename(&beside, &self.0)).map_err(|error| self.say(&error))
    }

    pub(super) fn remove(&self) -> Result<(), String> {
        fs::remove_file(&self.0).map_err(|error| self.say(&error))
    }

    fn say(&self, error: &dyn std::fmt::Display) -> String {
        format!("{}: {error}", self.0.display())
    }
}
