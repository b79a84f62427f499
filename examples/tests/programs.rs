//! The programs that end by themselves: what they print is what they promise.

use std::time::Duration;

use tokio::process::Command;

/// Runs a program to its end, which must come soon and well.
async fn output_of(program: &str, arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new(program);
    let running = command.args(arguments).kill_on_drop(true).output();
    let output = tokio::time::timeout(Duration::from_secs(60), running).await.expect("the program ends").unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn server_sent_events() {
    let lines = output_of(env!("CARGO_BIN_EXE_server_sent_events"), &[]).await;
    assert_eq!(lines, ["text/event-stream", "event: tick 1", "event: tick 2", "event: tick 3"]);
}

#[tokio::test]
async fn grpc() {
    let lines = output_of(env!("CARGO_BIN_EXE_grpc"), &[]).await;
    let wanted = [
        "north: -3.5",
        "south: no such station",
        "watched: 1",
        "watched: 2",
        "watched: 3",
        "ended: Unavailable, the station is frozen",
    ];
    assert_eq!(lines, wanted);
}

#[tokio::test]
async fn grpc_two_way() {
    let lines = output_of(env!("CARGO_BIN_EXE_grpc_two_way"), &[]).await;
    assert_eq!(lines, ["mean: 1", "mean: 1.5", "mean: 3", "more: None"]);
}

#[tokio::test]
async fn from_reqwest() {
    let lines = output_of(env!("CARGO_BIN_EXE_from_reqwest"), &[]).await;
    let wanted = [
        "text: \"hello, Ada\"",
        "json: Reading { station: \"north\", celsius: -3.5 }",
        "status: Some(404)",
        "chunk: Some(b\"hello, you\")",
    ];
    assert_eq!(lines, wanted);
}

#[cfg(unix)]
#[tokio::test]
async fn unix_socket() {
    let folder = std::env::temp_dir().join(format!("zap-examples-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("app.sock");
    let lines = output_of(env!("CARGO_BIN_EXE_unix_socket"), &[path.to_str().unwrap()]).await;
    let me = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&folder).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(lines, [format!("user {me} called"), "served 1 connections".to_owned()]);
}
