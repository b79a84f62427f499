//! How the command fails: an exit code, and one line with all causes.

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::process::ExitCode;

/// Why the command did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    line: String,
}

impl Failure {
    /// The network, the protocol or a file failed.
    pub(crate) fn of(what: impl fmt::Display, cause: impl Error) -> Self {
        Self { code: 1, line: format!("{what}: {}", chain(&cause)) }
    }

    /// As [`of`](Self::of), where the error says it all.
    pub(crate) fn by(cause: impl Error) -> Self {
        Self { code: 1, line: chain(&cause) }
    }

    /// The input is not what it should be.
    pub(crate) fn new(line: impl Into<String>) -> Self {
        Self { code: 1, line: line.into() }
    }

    /// The arguments are wrong.
    pub(crate) fn usage(line: impl Into<String>) -> Self {
        Self { code: 2, line: line.into() }
    }

    /// The answer is an error, and the caller wanted to know.
    pub(crate) fn status(status: http::StatusCode) -> Self {
        Self { code: 22, line: format!("the answer is {status}") }
    }

    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// Writes a line to standard error. If that is closed, nobody is told, and the command goes on.
pub(crate) fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// An error and its causes, from the outermost in. One that repeats what was said is left out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !line.ends_with(&text) {
            line = format!("{line}: {text}");
        }
        next = cause.source();
    }
    line.replace(char::is_control, " ")
}
