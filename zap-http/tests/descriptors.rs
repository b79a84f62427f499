//! A machine without descriptors: connections that wait for one are told, and accepting goes on when there are some.
#![cfg(all(feature = "server", target_os = "linux"))]

mod listening;

use std::future::IntoFuture;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use listening::{answer, call, frame, is_closed, soon};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::{Notify, Semaphore};
use zap_http::{ConnectionInfo, Listener, LocalAddress, serve};

/// Runs a test below in a process that may have few descriptors.
fn with_few_descriptors(test: &str) {
    let own = std::env::current_exe().unwrap();
    let script = "ulimit -n 40 && exec \"$0\" --exact \"$1\" --ignored --nocapture";
    let output = Command::new("sh").args(["-c", script]).arg(own).arg(test).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn who_waits_for_a_descriptor_is_told_after_a_while() {
    with_few_descriptors("connections_are_shed");
}

#[test]
#[ignore = "run by the test above, with few descriptors"]
fn connections_are_shed() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (begun, end) = (Arc::new(Semaphore::new(0)), Arc::new(Notify::new()));
        let state = (Arc::clone(&begun), Arc::clone(&end));
        let wait = move |body: Bytes| async move {
            state.0.add_permits(1);
            state.1.notified().await;
            body
        };
        let server = serve(listener, Router::new().route("/wait", post(wait)));
        let handle = server.handle();
        let server = tokio::spawn(server.into_future());
        // Busy, so that it is not closed to make room.
        let mut busy = tokio::net::TcpStream::connect(address).await.unwrap();
        busy.write_all(&frame("POST", "/wait", b"busy")).await.unwrap();
        begun.acquire().await.unwrap().forget();

        // The server does not run meanwhile: all descriptors are those of clients, whose connections it cannot accept.
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect(address) {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            waiting.push(stream);
        }
        assert!(waiting.len() > 5);
        let told = tokio::task::spawn_blocking(move || {
            // Each is closed, with or without a reset, and none is answered.
            waiting.iter_mut().all(|stream| {
                let _ = stream.write_all(&frame("POST", "/wait", b"waits"));
                match stream.read(&mut [0; 1]) {
                    Ok(len) => len == 0,
                    Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
                }
            })
        });
        assert!(soon(told).await.unwrap());

        // They are free again: new ones are served, and so is the one that was there.
        let mut next = tokio::net::TcpStream::connect(address).await.unwrap();
        next.write_all(&frame("POST", "/wait", b"next")).await.unwrap();
        begun.acquire().await.unwrap().forget();
        end.notify_waiters();
        assert_eq!(soon(answer(&mut next)).await, Some((200, b"next".to_vec())));
        assert_eq!(answer(&mut busy).await, Some((200, b"busy".to_vec())));
        handle.shutdown();
        let served = soon(server).await.unwrap();
        assert!(served.shed > 5 && served.accept_errors >= 20, "{served:?}");
        assert_eq!(served.connections, 2);
    });
}

#[test]
fn idle_connections_give_their_descriptors() {
    with_few_descriptors("idle_connections_are_closed");
}

/// Without a limit of connections in reach, descriptors are one.
#[test]
#[ignore = "run by the test above, with few descriptors"]
fn idle_connections_are_closed() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = serve(listener, Router::new().route("/echo", post(|body: Bytes| async { body })));
        let handle = server.handle();
        let server = tokio::spawn(server.into_future());
        let mut idle = Vec::new();
        // Both ends are here, of descriptors for fewer than 20 connections.
        for _ in 0..10 {
            let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
            assert!(call(&mut stream, "/echo", b"idle").await.is_some());
            idle.push(stream);
        }
        // Leaves one descriptor for a client, and none for the server's end.
        let mut fill = Vec::new();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            fill.push(file);
        }
        fill.pop();
        let mut next = tokio::net::TcpStream::connect(address).await.unwrap();
        assert_eq!(call(&mut next, "/echo", b"next").await, Some((200, b"next".to_vec())));
        drop(fill);
        handle.shutdown();
        let served = soon(server).await.unwrap();
        assert!(served.evicted > 0 && served.shed == 0, "{served:?}");
    });
}

#[test]
fn accepting_resumes_once_there_are_descriptors() {
    with_few_descriptors("a_waiting_connection_is_accepted");
}

/// Counts failures to accept.
struct Watched(TcpListener, Arc<Semaphore>);

impl Listener for Watched {
    type Io = tokio::net::TcpStream;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Self::Io, ConnectionInfo)>> {
        let accepted = Listener::poll_accept(&mut self.0, context);
        if let Poll::Ready(Err(error)) = &accepted {
            assert_eq!(error.raw_os_error(), Some(24), "{error}");
            self.1.add_permits(1);
        }
        accepted
    }

    fn local_address(&self) -> io::Result<LocalAddress> {
        self.0.local_address()
    }
}

/// Nothing is closed for it, and nothing but the descriptor changes.
#[test]
#[ignore = "run by the test above, with few descriptors"]
fn a_waiting_connection_is_accepted() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let failures = Arc::new(Semaphore::new(0));
        let listener = Watched(listener, Arc::clone(&failures));
        let server = serve(listener, Router::new().route("/echo", post(|body: Bytes| async { body })));
        let handle = server.handle();
        let server = tokio::spawn(server.into_future());
        // It runs, and has no connection that it could close.
        let mut first = tokio::net::TcpStream::connect(address).await.unwrap();
        assert!(call(&mut first, "/echo", b"first").await.is_some());
        first.shutdown().await.unwrap();
        assert!(is_closed(&mut first).await);
        drop(first);
        for _ in 0..3 {
            // One descriptor for the client, none for the server's end.
            let mut fill = Vec::new();
            while let Ok(file) = std::fs::File::open("/dev/null") {
                fill.push(file);
            }
            fill.pop();
            let mut waiting = tokio::net::TcpStream::connect(address).await.unwrap();
            soon(failures.acquire_many(2)).await.unwrap().forget();
            drop(fill);
            assert_eq!(call(&mut waiting, "/echo", b"resumed").await, Some((200, b"resumed".to_vec())));
            waiting.shutdown().await.unwrap();
            assert!(is_closed(&mut waiting).await);
        }
        handle.shutdown();
        let served = soon(server).await.unwrap();
        assert_eq!((served.connections, served.evicted, served.shed), (4, 0, 0), "{served:?}");
    });
}
