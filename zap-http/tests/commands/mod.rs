//! What the tests of the command share: running it to its end, and in the background.
#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

pub(crate) fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_zap-http"))
}

/// Runs the command to its end, with these bytes as its standard input.
pub(crate) async fn run_with(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, input) = (child.stdin.take().unwrap(), input.to_vec());
    tokio::task::spawn_blocking(move || {
        // It may end without reading.
        let _ = stdin.write_all(&input);
        drop(stdin);
        child.wait_with_output().unwrap()
    })
    .await
    .unwrap()
}

pub(crate) async fn run(arguments: &[&str]) -> Output {
    run_with(arguments, b"").await
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A command that serves, until it is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) errors: BufReader<ChildStderr>,
    pub(crate) addresses: Vec<String>,
}

impl Server {
    /// Starts it and waits for its addresses.
    pub(crate) fn start(arguments: &[&str], addresses: usize) -> Self {
        let mut child = command().args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let addresses = (0..addresses).map(|_| {
            let mut line = String::new();
            errors.read_line(&mut line).unwrap();
            line.strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).trim().to_owned()
        });
        let addresses = addresses.collect();
        Self { child, errors, addresses }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory of this test alone.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("zap-http-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
