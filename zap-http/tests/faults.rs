//! Faults on real sockets: peers that break off anywhere, reset, stall, announce and do not send.
#![cfg(all(feature = "server", unix))]

use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::{get, post};
use bytes::Bytes;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Response, ServerConfig};
use zap_http::{ConnectionInfo, ServeConfig, serve, serve_connection};

fn app() -> Router {
    Router::new().route("/echo", post(|body: Bytes| async { body })).route(
        "/slow",
        get(|| async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            "slow"
        }),
    )
}

/// A server in threads of its own.
fn start(config: ServeConfig) -> SocketAddr {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            serve(listener, app()).config(config).await
        })
    });
    receiver.recv().unwrap()
}

fn frame(method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request(method, target).unwrap();
    request.body(body).unwrap();
    request.finish().unwrap();
    wire
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Reads whole answers until there are `count`, or the stream ends: status and body.
fn read_answers(stream: &mut impl Read, count: usize) -> Vec<(u16, Vec<u8>)> {
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let mut buffer = [0; 10_000];
    while deframer.frames() < count {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(len) => deframer.recv(&buffer[..len]),
        }
    }
    let mut batch = deframer.take_batch(Vec::new());
    let mut answers = Vec::new();
    while let Some(frame) = batch.next_frame() {
        let response = Response::decode(frame, &FrameLimits::new()).unwrap();
        answers.push((response.status(), response.body().to_vec()));
    }
    answers
}

fn must_serve(address: SocketAddr) {
    let mut stream = connect(address);
    stream.write_all(&frame("POST", "/echo", b"alive")).unwrap();
    assert_eq!(read_answers(&mut stream, 1), [(200, b"alive".to_vec())]);
}

/// Closes with a reset: linger 0 is not in std, but unread bytes do the same.
fn reset(mut stream: TcpStream) {
    stream.write_all(&frame("POST", "/echo", b"unread")).unwrap();
    let mut one = [0; 1];
    stream.read_exact(&mut one).unwrap();
    drop(stream);
}

#[test]
fn peers_that_break_off() {
    let address = start(ServeConfig::default());
    let wire = frame("POST", "/echo", &[7; 20_000]);
    let head = wire.len() - 20_000;
    for cut in (0..head).chain((head..wire.len()).step_by(997)) {
        let mut stream = connect(address);
        stream.write_all(&wire[..cut]).unwrap();
    }
    must_serve(address);
}

#[test]
fn peers_that_reset() {
    let address = start(ServeConfig::default());
    for _ in 0..50 {
        reset(connect(address));
        // In the middle of a handler.
        let mut stream = connect(address);
        stream.write_all(&frame("GET", "/slow", b"")).unwrap();
    }
    must_serve(address);
}

/// Two requests, the end of the stream, and the answers all the same.
#[test]
fn peers_that_half_close() {
    let mut config = ServeConfig::default();
    // A busy machine may take longer than the second there is.
    config.connection.half_close_grace = Duration::from_secs(10);
    let address = start(config);
    let mut stream = connect(address);
    stream.write_all(&[frame("GET", "/slow", b""), frame("POST", "/echo", b"x")].concat()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(read_answers(&mut stream, 3), [(200, b"slow".to_vec()), (200, b"x".to_vec())]);
}

#[test]
fn peers_that_announce_and_do_not_send() {
    let mut config = ServeConfig::default();
    config.connection.first_frame_timeout = Duration::from_secs(1);
    let address = start(config);
    let mut streams: Vec<TcpStream> = (0..50).map(|_| connect(address)).collect();
    for stream in &mut streams {
        stream.write_all(&[4, 0, 0, 0, 0x5a]).unwrap();
    }
    must_serve(address);
    for stream in &mut streams {
        assert!(read_answers(stream, 1).is_empty());
    }
}

/// The answer reaches a peer that is still sending.
#[test]
fn a_frame_over_the_limit() {
    let mut config = ServeConfig::default();
    config.connection.frame.max_frame_len = 10_000;
    let address = start(config);
    let mut stream = connect(address);
    stream.write_all(&frame("POST", "/echo", &[7; 200_000])).unwrap();
    let answers = read_answers(&mut stream, 2);
    assert_eq!(answers, [(413, Vec::new())]);
}

#[test]
fn a_peer_that_does_not_read_is_given_up() {
    let mut config = ServeConfig::default();
    config.connection.write_stall_timeout = Duration::from_millis(200);
    let address = start(config);
    let mut stream = connect(address);
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let wire = frame("POST", "/echo", &[7; 1 << 20]);
    // Writes until the server, which cannot send its answers, reads no more, and then closes.
    let begun = Instant::now();
    while stream.write_all(&wire).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    must_serve(address);
}

#[test]
fn a_unix_socket() {
    let path = std::env::temp_dir().join(format!("zap-http-{}.sock", std::process::id()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = UnixListener::bind(&path).unwrap();
        let server = async {
            let (stream, _) = listener.accept().await.unwrap();
            serve_connection(stream, app(), ServerConfig::default(), ConnectionInfo::new(None, None), pending()).await
        };
        let client = async {
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            let mut stream = UnixStream::connect(&path).await.unwrap();
            stream.write_all(&frame("POST", "/echo", b"unix")).await.unwrap();
            let mut deframer = Deframer::new(MAX_FRAME_LEN);
            let mut buffer = [0; 1000];
            while deframer.frames() == 0 {
                let len = stream.read(&mut buffer).await.unwrap();
                deframer.recv(&buffer[..len]);
            }
            let mut batch = deframer.take_batch(Vec::new());
            Response::decode(batch.next_frame().unwrap(), &FrameLimits::new()).unwrap().body().to_vec()
        };
        let (_, body) = tokio::join!(server, client);
        assert_eq!(body, b"unix");
    });
    std::fs::remove_file(&path).unwrap();
}
