//! The programs that serve until they are told to stop.

use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use zap_http::Client;

/// A running program. It ends with the test.
struct Program {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Program {
    fn start(program: &str, addresses: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(addresses).stdout(std::process::Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        soon(self.lines.next_line()).await.unwrap().expect("another line")
    }

    async fn address(&mut self) -> String {
        self.line().await.strip_prefix("listening on ").expect("an address").to_owned()
    }
}

/// Waits for what must come.
async fn soon<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), event).await.expect("it comes")
}

#[tokio::test]
async fn axum_on_both() {
    let addresses = ["zap://127.0.0.1:0", "http://127.0.0.1:0"];
    let mut program = Program::start(env!("CARGO_BIN_EXE_axum_on_both"), &addresses);
    let (zap, http) = (program.address().await, program.address().await);
    let (zap, http) = (format!("zap://{zap}"), format!("http://{http}"));

    // What one door takes in, the other gives out: it is one app.
    let reading = serde_json::json!({ "celsius": -3.5 });
    let stored = soon(Client::new().put(format!("{zap}/stations/north")).json(&reading).send()).await.unwrap();
    assert_eq!(stored.status(), 204);
    let client = reqwest::Client::new();
    let response = soon(client.get(format!("{http}/stations/north")).send()).await.unwrap();
    assert_eq!(soon(response.json::<serde_json::Value>()).await.unwrap(), reading);

    for (name, count) in [("east", 2), ("west", 3)] {
        let stored = soon(client.put(format!("{http}/stations/{name}")).json(&reading).send()).await.unwrap();
        assert_eq!(stored.status(), 204);
        let response = soon(Client::new().get(format!("{zap}/stations")).send()).await.unwrap();
        assert_eq!(soon(response.json::<Vec<String>>()).await.unwrap().len(), count);
    }
    let response = soon(Client::new().get(format!("{zap}/stations?limit=1")).send()).await.unwrap();
    assert_eq!(soon(response.text()).await.unwrap(), r#"["east"]"#);
    let missing = soon(Client::new().get(format!("{zap}/stations/south")).send()).await.unwrap();
    assert_eq!(missing.status(), 404);
}

#[cfg(unix)]
#[tokio::test]
async fn graceful_shutdown() {
    let mut program = Program::start(env!("CARGO_BIN_EXE_graceful_shutdown"), &["zap://127.0.0.1:0"]);
    let url = format!("zap://{}/report", program.address().await);
    let call = tokio::spawn(Client::new().get(url.as_str()).send());
    assert_eq!(program.line().await, "a report is being made");

    let pid = program.child.id().unwrap().to_string();
    assert!(soon(Command::new("kill").args(["-TERM", &pid]).status()).await.unwrap().success());
    assert_eq!(program.line().await, "stopping");
    // The request that was read is answered all the same.
    let response = soon(call).await.unwrap().unwrap();
    assert_eq!(soon(response.text()).await.unwrap(), "all is well");
    assert_eq!(program.line().await, "served 1 connections");
    assert!(soon(program.child.wait()).await.unwrap().success());
}
