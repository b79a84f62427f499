//! Socket activation as systemd does it: a process is started with sockets that already listen, and serves on them.
#![cfg(all(feature = "server", unix))]

mod listening;

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use listenfd::ListenFd;
use listening::{call, socket_path};
use zap_http::{Scheme, listen};

/// The process that is started: its sockets are the descriptors 3 and 4.
#[test]
#[ignore = "the server's process, started by the test below"]
fn activated_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut given = ListenFd::from_env();
        assert_eq!(given.len(), 2);
        let tcp = given.take_tcp_listener(0).unwrap().unwrap();
        let unix = given.take_unix_listener(1).unwrap().unwrap();
        tcp.set_nonblocking(true).unwrap();
        unix.set_nonblocking(true).unwrap();
        let listen = listen([] as [&str; 0])
            .and_bound(Scheme::Zap, tokio::net::TcpListener::from_std(tcp).unwrap())
            .and_bound(Scheme::Zap, tokio::net::UnixListener::from_std(unix).unwrap());
        listen.serve(Router::new().route("/echo", post(|body: Bytes| async { body }))).await.unwrap();
    });
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn a_process_serves_on_the_sockets_it_is_started_with() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap();
    let path = socket_path("activation");
    let unix = UnixListener::bind(&path).unwrap();
    // Who connects before the process is there waits.
    let mut early = tokio::net::TcpStream::connect(address).await.unwrap();
    // The shell moves them to where systemd puts them; the process keeps the shell's id.
    let script = "export LISTEN_FDS=2 LISTEN_PID=$$; \
                  exec \"$0\" --exact activated_process --ignored --nocapture 3<&0 4<&1 </dev/null >/dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(std::env::current_exe().unwrap());
    command.stdin(Stdio::from(OwnedFd::from(tcp))).stdout(Stdio::from(OwnedFd::from(unix)));
    let _process = Process(command.spawn().unwrap());
    // This process has no part in them any more.
    drop(command);
    assert_eq!(call(&mut early, "/echo", b"early").await, Some((200, b"early".to_vec())));
    let mut late = tokio::net::TcpStream::connect(address).await.unwrap();
    assert_eq!(call(&mut late, "/echo", b"late").await, Some((200, b"late".to_vec())));
    let mut local = tokio::net::UnixStream::connect(&path).await.unwrap();
    assert_eq!(call(&mut local, "/echo", b"local").await, Some((200, b"local".to_vec())));
    std::fs::remove_file(&path).unwrap();
}
