//! Servers that fail in the middle, seen by a client on real sockets: they reset, stop reading, and send byte by byte.

use std::io::{Read, Write};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use zap_http::proto::ClientConfig;
use zap_http::{Client, ClientError, Timeout};

use super::calls::take;
use super::support::{Peer, data, end, head, listen, whole};

/// Resets a connection, once `bytes` have gone out on it.
async fn reset_after(listener: &TcpListener, bytes: &[u8]) {
    let mut peer = Peer::accept(listener).await;
    peer.target().await;
    peer.send(bytes).await;
    peer.reset();
}

/// However much of an answer has come: what is not complete is no answer.
#[tokio::test]
async fn a_server_that_resets() {
    let streamed = [head(200), data(b"one"), end(&[])].concat();
    for answer in [whole(200, b"onetwo"), streamed] {
        for len in 0..answer.len() {
            let (listener, url) = listen().await;
            let client = Client::to(&url[..]).unwrap();
            let call = async { take(client.post("/").send().await?.into_http().into_body()).await };
            let (outcome, ()) = tokio::join!(call, reset_after(&listener, &answer[..len]));
            match outcome {
                // What had come may be lost with the reset.
                Err(ClientError::Closed { answer_seen, may_retry: false, .. }) => assert!(!answer_seen || len > 0),
                other => panic!("{len}: {other:?}"),
            }
        }
    }
}

/// A client has a place for the next request although the server has taken the one before, and died.
#[tokio::test]
async fn the_next_call_goes_elsewhere() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_connections(1).to(&url[..]).unwrap();
    for _ in 0..20 {
        let (lost, ()) = tokio::join!(client.post("/").send(), reset_after(&listener, b""));
        assert!(matches!(lost, Err(ClientError::Closed { may_retry: false, .. })), "{lost:?}");
        let server = async {
            let mut peer = Peer::accept(&listener).await;
            let target = peer.target().await;
            peer.send(&whole(200, target.as_bytes())).await;
            peer.reset();
        };
        let (answer, ()) = tokio::join!(async { client.get("/next").send().await?.bytes().await }, server);
        assert_eq!(answer.unwrap(), "/next");
    }
}

/// A server that takes a connection and nothing that comes on it.
#[tokio::test]
async fn a_server_that_does_not_read() {
    let (listener, url) = listen().await;
    let mut config = ClientConfig::default();
    config.write_stall_timeout = Duration::from_millis(200);
    let client = Client::builder().connection(config).to(&url[..]).unwrap();
    let call = client.post("/").body(Bytes::from(vec![7; 32 << 20])).send();
    let (outcome, accepted) = tokio::join!(call, listener.accept());
    assert!(matches!(outcome, Err(ClientError::Timeout(Timeout::Progress))), "{outcome:?}");
    drop(accepted);
}

/// Answers of all kinds, each byte in a segment of its own.
#[test]
fn answers_byte_by_byte() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    let wire = [whole(100, b""), head(200), data(b"one"), data(b"two"), end(&[("x-sum", "9f")])].concat();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        for answer in [wire, whole(201, b"whole")] {
            let mut prefix = [0; 4];
            stream.read_exact(&mut prefix).unwrap();
            stream.read_exact(&mut vec![0; u32::from_be_bytes(prefix) as usize]).unwrap();
            answer.iter().for_each(|byte| stream.write_all(&[*byte]).unwrap());
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = Client::to(&url[..]).unwrap();
        let taken = take(client.get("/").send().await.unwrap().into_http().into_body()).await.unwrap();
        assert_eq!((&taken.data[..], &taken.trailers.unwrap()["x-sum"]), (&b"onetwo"[..], &"9f".parse().unwrap()));
        let response = client.get("/").send().await.unwrap();
        assert_eq!((response.status().as_u16(), response.bytes().await.unwrap()), (201, "whole".into()));
    });
    server.join().unwrap();
}
