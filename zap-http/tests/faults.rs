//! Faults on real sockets: peers that break off anywhere, reset, stall, announce and do not send.
#![cfg(all(feature = "server", unix))]

use std::future::pending;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::{get, post};
use bytes::Bytes;
use tokio::net::{TcpListener, UnixListener, UnixStream};
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Response, ServerConfig};
use zap_http::{ConnectionInfo, ServeConfig, serve, serve_connection};

/// Requests that reached a handler.
type Handled = Arc<AtomicUsize>;

fn app(handled: &Handled) -> Router {
    let handled = Arc::clone(handled);
    let echo = move |body: Bytes| async move {
        handled.fetch_add(1, Relaxed);
        body
    };
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        "slow"
    };
    let panic = || async {
        if true {
            panic!("a handler that panics")
        }
    };
    Router::new().route("/echo", post(echo)).route("/slow", get(slow)).route("/panic", get(panic))
}

fn start(config: ServeConfig) -> SocketAddr {
    start_counting(config).0
}

/// A server in a thread of its own.
fn start_counting(config: ServeConfig) -> (SocketAddr, Handled) {
    let handled = Handled::default();
    let app = app(&handled);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            serve(listener, app).config(config).await
        })
    });
    (receiver.recv().unwrap(), handled)
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

/// Where a request is cut: at every byte of its head, and every 997th of its body.
fn cuts(wire: &[u8], body_len: usize) -> impl Iterator<Item = usize> {
    let head = wire.len() - body_len;
    (0..head).chain((head..wire.len()).step_by(997))
}

/// Closes at once, and without the care that others take: what was sent last is lost.
fn reset(stream: TcpStream) {
    socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO)).unwrap();
    drop(stream);
}

/// No handler sees a part of a request, and what came before it is answered.
#[test]
fn peers_that_break_off() {
    let (address, handled) = start_counting(ServeConfig::default());
    let (body, first) = ([7; 20_000], frame("POST", "/echo", b"first"));
    let wire = frame("POST", "/echo", &body);
    for cut in cuts(&wire, body.len()) {
        let mut stream = connect(address);
        stream.write_all(&wire[..cut]).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(read_answers(&mut stream, 1).is_empty(), "{cut}");
    }
    assert_eq!(handled.load(Relaxed), 0);
    let mut times = 0;
    for cut in cuts(&wire, body.len()) {
        let mut stream = connect(address);
        stream.write_all(&[&first, &wire[..cut]].concat()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(read_answers(&mut stream, 2), [(200, b"first".to_vec())], "{cut}");
        times += 1;
    }
    assert_eq!(handled.load(Relaxed), times);
    must_serve(address);
}

#[test]
fn peers_that_reset() {
    let (address, handled) = start_counting(ServeConfig::default());
    let body = [7; 20_000];
    let wire = frame("POST", "/echo", &body);
    for cut in cuts(&wire, body.len()) {
        let mut stream = connect(address);
        stream.write_all(&wire[..cut]).unwrap();
        reset(stream);
    }
    // In the middle of a handler, and with an answer that is not read.
    for _ in 0..50 {
        let mut stream = connect(address);
        stream.write_all(&frame("GET", "/slow", b"")).unwrap();
        reset(stream);
    }
    must_serve(address);
    assert_eq!(handled.load(Relaxed), 1);
    for _ in 0..50 {
        let mut stream = connect(address);
        stream.write_all(&wire).unwrap();
        stream.read_exact(&mut [0; 1]).unwrap();
        reset(stream);
    }
    must_serve(address);
}

#[test]
fn handlers_that_panic() {
    let address = start(ServeConfig::default());
    let mut stream = connect(address);
    for _ in 0..50 {
        stream.write_all(&[frame("GET", "/panic", b""), frame("POST", "/echo", b"x")].concat()).unwrap();
        assert_eq!(read_answers(&mut stream, 2), [(500, Vec::new()), (200, b"x".to_vec())]);
    }
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

/// Peers that stop in the middle of a frame hold nobody up, and are given up; those that go on slowly are not.
#[test]
fn peers_that_stop_writing() {
    let mut config = ServeConfig::default();
    config.connection.progress_timeout = Duration::from_secs(2);
    let address = start(config);
    let wire = frame("POST", "/echo", &[7; 2_000]);
    let mut stopped: Vec<TcpStream> = (1..50).map(|_| connect(address)).collect();
    for (index, stream) in stopped.iter_mut().enumerate() {
        stream.write_all(&[&frame("POST", "/echo", b"first"), &wire[..wire.len() * index / 50]].concat()).unwrap();
        assert_eq!(read_answers(stream, 1), [(200, b"first".to_vec())]);
    }
    let mut slow = connect(address);
    // For longer than that, but with no pause as long.
    for piece in wire.chunks(wire.len().div_ceil(12)) {
        slow.write_all(piece).unwrap();
        must_serve(address);
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(read_answers(&mut slow, 1), [(200, vec![7; 2_000])]);
    // The first of them is between two frames, where there is no hurry.
    for stream in &mut stopped[1..] {
        assert!(read_answers(stream, 1).is_empty());
    }
    stopped[0].write_all(&frame("POST", "/echo", b"again")).unwrap();
    assert_eq!(read_answers(&mut stopped[0], 1), [(200, b"again".to_vec())]);
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
            serve_connection(
                stream,
                app(&Handled::default()),
                ServerConfig::default(),
                ConnectionInfo::new(None, None),
                pending(),
            )
            .await
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
