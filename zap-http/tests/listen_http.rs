//! HTTP/1.1 and HTTP/2 beside ZAP: the same service, the same bounds, the same shutdown.
#![cfg(feature = "http1")]

mod listening;

use std::convert::Infallible;
use std::future::{IntoFuture, poll_fn};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Version};
use http_body::Body as _;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use listening::{answer, call, frame, is_closed, soon, until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use zap_http::{Body, ConnectionInfo, ServeConfig, Served, ServerHandle, Transport, listen};

struct Running {
    zap: SocketAddr,
    http: SocketAddr,
    handle: ServerHandle,
    server: JoinHandle<Served>,
}

async fn start(config: ServeConfig, app: Router) -> Running {
    let server = listen("127.0.0.1:0").and("http://127.0.0.1:0").bind().await.unwrap().serve(app).config(config);
    let addresses = server.local_addresses().unwrap();
    let [zap, http] = [0, 1].map(|at: usize| addresses[at].socket_addr().unwrap());
    Running { zap, http, handle: server.handle(), server: tokio::spawn(server.into_future()) }
}

fn app() -> Router {
    let info = |version: Version, headers: HeaderMap, Extension(info): Extension<ConnectionInfo>| async move {
        assert_eq!((info.transport(), info.tls()), (Transport::Tcp, None));
        assert!(info.peer_addr().is_some_and(|peer| peer.ip().is_loopback()));
        format!("{version:?} {}", headers["host"].to_str().unwrap())
    };
    Router::new().route("/echo", post(|body: Bytes| async { body })).route("/info", post(info))
}

/// Any answer of hyper's, in full.
async fn collected(response: http::Response<hyper::body::Incoming>) -> (u16, Vec<u8>, HeaderMap) {
    let (parts, mut body) = response.into_parts();
    let (mut data, mut trailers) = (Vec::new(), HeaderMap::new());
    while let Some(frame) = soon(poll_fn(|context| Pin::new(&mut body).poll_frame(context))).await {
        match frame.unwrap().into_data() {
            Ok(chunk) => data.extend_from_slice(&chunk),
            Err(frame) => trailers = frame.into_trailers().unwrap(),
        }
    }
    (parts.status.as_u16(), data, trailers)
}

async fn client_1(address: SocketAddr) -> http1::SendRequest<Body> {
    let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (sender, connection) = http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn client_2(address: SocketAddr) -> http2::SendRequest<Body> {
    let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    tokio::spawn(connection);
    sender
}

fn request(target: &str, body: impl Into<Bytes>) -> Request<Body> {
    Request::post(format!("http://b.example{target}")).header("host", "b.example").body(Body::from(body)).unwrap()
}

fn request_2(target: &str, body: impl Into<Bytes>) -> Request<Body> {
    Request::post(format!("http://b.example{target}")).body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn one_service_over_zap_http_1_and_http_2() {
    let running = start(ServeConfig::default(), app()).await;
    let mut zap = TcpStream::connect(running.zap).await.unwrap();
    let mut one = client_1(running.http).await;
    let mut two = client_2(running.http).await;
    for len in [0, 5, 100_000] {
        let body = vec![7; len];
        assert_eq!(call(&mut zap, "/echo", &body).await, Some((200, body.clone())));
        let answers = [
            collected(soon(one.send_request(request("/echo", body.clone()))).await.unwrap()).await,
            collected(soon(two.send_request(request_2("/echo", body.clone()))).await.unwrap()).await,
        ];
        assert!(answers.iter().all(|answer| (answer.0, &answer.1) == (200, &body)), "{len}");
    }
    let seen = soon(one.send_request(request("/info", ""))).await.unwrap();
    assert_eq!(collected(seen).await.1, b"HTTP/1.1 b.example");
    let seen = soon(two.send_request(request_2("/info", ""))).await.unwrap();
    assert_eq!(collected(seen).await.1, b"HTTP/2.0 b.example");
    assert_eq!(call(&mut zap, "/info", b"").await, Some((200, b"HTTP/1.1 a.example".to_vec())));
    drop((one, two, zap));
    running.handle.shutdown();
    assert_eq!(soon(running.server).await.unwrap().connections, 3);
}

#[cfg(feature = "axum")]
#[tokio::test]
async fn the_extractor_of_axum_sees_the_peer() {
    use axum::extract::ConnectInfo;
    let peer = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() };
    let running = start(ServeConfig::default(), Router::new().route("/peer", post(peer))).await;
    for address in [running.zap, running.http] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let own = stream.local_addr().unwrap().to_string().into_bytes();
        if address == running.zap {
            assert_eq!(call(&mut stream, "/peer", b"").await, Some((200, own)));
        } else {
            let (mut sender, connection) = http1::handshake::<_, Body>(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            let seen = soon(sender.send_request(request("/peer", ""))).await.unwrap();
            assert_eq!(collected(seen).await.1, own);
        }
    }
}

/// What is being served on all connections is answered, and then they close.
#[tokio::test]
async fn shutdown_answers_what_is_being_served() {
    let (begun, end) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let state = (Arc::clone(&begun), Arc::clone(&end));
    let wait = move |body: Bytes| async move {
        state.0.add_permits(1);
        state.1.acquire().await.unwrap().forget();
        body
    };
    let running = start(ServeConfig::default(), Router::new().route("/wait", post(wait))).await;
    let mut zap = TcpStream::connect(running.zap).await.unwrap();
    zap.write_all(&frame("POST", "/wait", b"zap")).await.unwrap();
    let mut one = client_1(running.http).await;
    let one_answer = tokio::spawn(one.send_request(request("/wait", "one")));
    let mut two = client_2(running.http).await;
    let two_answer = tokio::spawn(two.send_request(request_2("/wait", "two")));
    let idle = client_1(running.http).await;
    drop(soon(begun.acquire_many(3)).await.unwrap());

    running.handle.shutdown();
    until(async || TcpStream::connect(running.http).await.is_err()).await;
    until(async || idle.is_closed()).await;
    end.add_permits(3);
    assert_eq!(answer(&mut zap).await, Some((200, b"zap".to_vec())));
    assert!(is_closed(&mut zap).await);
    assert_eq!(collected(soon(one_answer).await.unwrap().unwrap()).await.1, b"one");
    assert_eq!(collected(soon(two_answer).await.unwrap().unwrap()).await.1, b"two");
    soon(running.server).await.unwrap();
}

#[tokio::test]
async fn shutdown_ends_at_its_deadline() {
    let mut config = ServeConfig::default();
    config.shutdown_timeout = Duration::from_millis(100);
    let begun = Arc::new(Semaphore::new(0));
    let tell = Arc::clone(&begun);
    let never = move || async move {
        tell.add_permits(1);
        std::future::pending::<()>().await;
    };
    let running = start(config, Router::new().route("/never", post(never))).await;
    let mut one = client_1(running.http).await;
    let answered = tokio::spawn(one.send_request(request("/never", "")));
    drop(soon(begun.acquire()).await.unwrap());
    running.handle.shutdown();
    soon(running.server).await.unwrap();
    assert!(soon(answered).await.unwrap().is_err());
}

#[tokio::test]
async fn handlers_that_panic_are_answered_500() {
    async fn panics(body: Bytes) -> Bytes {
        assert!(!body.is_empty(), "an empty body");
        body
    }
    let app = app().route("/panic", post(panics));
    let running = start(ServeConfig::default(), app).await;
    let mut two = client_2(running.http).await;
    let answered = soon(two.send_request(request_2("/panic", ""))).await.unwrap();
    assert_eq!(answered.status(), StatusCode::INTERNAL_SERVER_ERROR);
    let answered = soon(two.send_request(request_2("/echo", "alive"))).await.unwrap();
    assert_eq!(collected(answered).await.1, b"alive");
}

/// As over ZAP: a length, a time between two receipts, and the bytes of all in flight.
#[tokio::test]
async fn bodies_are_bounded() {
    let mut config = ServeConfig::default();
    config.connection.frame.max_frame_len = 50_000;
    config.connection.progress_timeout = Duration::from_millis(500);
    config.max_in_flight_len = 30_000;
    let running = start(config, app()).await;
    let status = async |len| {
        let mut one = client_1(running.http).await;
        let answered = soon(one.send_request(request("/echo", vec![7; len]))).await.unwrap();
        answered.status().as_u16()
    };
    assert_eq!(status(30_000).await, 200);
    assert_eq!(status(30_001).await, 503);
    assert_eq!(status(50_001).await, 413);
    // Nothing of them is kept.
    assert_eq!(status(30_000).await, 200);

    let mut stalled = TcpStream::connect(running.http).await.unwrap();
    stalled.write_all(b"POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf").await.unwrap();
    let mut seen = Vec::new();
    soon(stalled.read_to_end(&mut seen)).await.unwrap();
    assert!(seen.starts_with(b"HTTP/1.1 408 "), "{}", seen.escape_ascii());
    let mut chunked = TcpStream::connect(running.http).await.unwrap();
    let wire =
        [&b"POST /echo HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nea61\r\n"[..], &[7; 60_001]].concat();
    // It may be closed before all was sent.
    let _ = chunked.write_all(&wire).await;
    let mut seen = [0; 13];
    soon(chunked.read_exact(&mut seen)).await.unwrap();
    assert!(seen.starts_with(b"HTTP/1.1 503 ") || seen.starts_with(b"HTTP/1.1 413 "), "{}", seen.escape_ascii());
}

/// Told so, a server gives bodies to handlers as they come, unless they are known to be short.
#[tokio::test]
async fn streamed_bodies() {
    let mut config = ServeConfig::default();
    config.connection.stream_requests = true;
    config.connection.stream_timeout = Some(Duration::from_millis(50));
    config.connection.progress_timeout = Duration::from_millis(50);
    config.connection.frame.max_frame_len = 1000;
    config.max_in_flight_len = 1000;
    let first = |body: axum::body::Body| async move {
        let mut body = body;
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await.unwrap().unwrap();
        frame.into_data().unwrap()
    };
    let all = |body: axum::body::Body| async move {
        match axum::body::to_bytes(body, usize::MAX).await {
            Ok(body) => format!("{} bytes", body.len()),
            Err(error) => {
                let error: &dyn std::error::Error = &error;
                std::iter::successors(Some(error), |error| error.source()).last().unwrap().to_string()
            }
        }
    };
    let running = start(config, Router::new().route("/first", post(first)).route("/all", post(all))).await;
    let chunked = |target: &str, chunks: &str| {
        format!("POST {target} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n{chunks}")
    };
    let sized =
        |len: usize, body: &str| format!("POST /all HTTP/1.1\r\nhost: a\r\ncontent-length: {len}\r\n\r\n{body}");
    let long = "x".repeat(100_000);
    for (bytes, status, end) in [
        // Answered before its end, which never comes.
        (chunked("/first", "3\r\none\r\n"), 200, "one"),
        // Longer than a frame, and than all that may be held.
        (sized(long.len(), &long), 200, "100000 bytes"),
        (sized(200_000, &long), 200, "the rest of the body did not come in time"),
        (chunked("/all", "3\r\none\r\n"), 200, "the rest of the body did not come in time"),
        (chunked("/all", "3\r\none\r\nno chunk\r\n"), 200, "the connection ended before the body did"),
        // Short: whole, or not at all.
        (sized(5, "hello"), 200, "5 bytes"),
        (sized(5, "he"), 408, ""),
        // What is too long for a frame is never whole.
        (sized(1001, &long[..1001]), 200, "1001 bytes"),
    ] {
        let mut stream = TcpStream::connect(running.http).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let is_whole = |answer: &[u8]| {
            let text = String::from_utf8_lossy(answer).into_owned();
            text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.ends_with(end))
        };
        while !is_whole(&answer) {
            assert_ne!(soon(stream.read_buf(&mut answer)).await.unwrap(), 0, "{}", String::from_utf8_lossy(&answer));
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
}

#[tokio::test]
async fn heads_are_bounded() {
    let running = start(ServeConfig::default(), app()).await;
    let status = async |pairs: usize, len: usize| {
        let mut stream = TcpStream::connect(running.http).await.unwrap();
        let pairs: String = (1..pairs).map(|pair| format!("x-{pair}: {}\r\n", "v".repeat(len))).collect();
        let head = format!("POST /echo HTTP/1.1\r\nhost: a\r\n{pairs}\r\n");
        // It may be closed before all was sent.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut seen = [0; 12];
        soon(stream.read_exact(&mut seen)).await.unwrap();
        String::from_utf8_lossy(&seen[9..]).into_owned()
    };
    assert_eq!([status(100, 1).await, status(101, 1).await], ["200", "431"]);
    // hyper counts in steps of its buffer.
    assert_eq!([status(10, 7000).await, status(40, 9000).await], ["200", "431"]);
}

/// Whether nothing came, half a head did, or the connection is one of HTTP/2 without a request.
#[tokio::test]
async fn the_first_request_must_come() {
    let mut config = ServeConfig::default();
    config.connection.first_frame_timeout = Duration::from_millis(100);
    let running = start(config, app()).await;
    for begin in [&b""[..], b"POST /echo HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"] {
        let mut stream = TcpStream::connect(running.http).await.unwrap();
        stream.write_all(begin).await.unwrap();
        // HTTP/2 begins with settings of the server.
        let _ = soon(stream.read_to_end(&mut Vec::new())).await;
    }
}

/// A peer that does not take its answer is given up.
#[tokio::test]
async fn answers_must_be_taken() {
    let mut config = ServeConfig::default();
    config.connection.write_stall_timeout = Duration::from_millis(200);
    let (dropped, mut is_dropped) = tokio::sync::mpsc::channel::<()>(1);
    let dropped = std::sync::Mutex::new(Some(dropped));
    let endless = move || {
        let dropped = dropped.lock().unwrap().take();
        async move { axum::body::Body::new(Endless { _dropped: dropped }) }
    };
    let endless = Arc::new(endless);
    let app = Router::new().route("/endless", get(move || endless()));
    let running = start(config, app).await;
    let mut stream = TcpStream::connect(running.http).await.unwrap();
    stream.write_all(b"GET /endless HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    // The body goes with the connection.
    assert_eq!(soon(is_dropped.recv()).await, None);
}

/// A body without end.
struct Endless {
    _dropped: Option<tokio::sync::mpsc::Sender<()>>,
}

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(&[7; 10_000])))))
    }
}

/// A connection whose answer is still being sent is busy; idle ones make room across schemes.
#[tokio::test]
async fn idle_connections_make_room() {
    let mut config = ServeConfig::default();
    config.max_connections = 2;
    config.connection.drain_timeout = Duration::from_millis(10);
    let (feed, fed) = tokio::sync::mpsc::channel(1);
    let fed = Arc::new(std::sync::Mutex::new(Some(fed)));
    let stream = move || async move { axum::body::Body::new(Fed(fed.lock().unwrap().take().unwrap())) };
    let running = start(config, app().route("/stream", get(stream))).await;
    let mut one = client_1(running.http).await;
    let begun = one.send_request(Request::get("/stream").header("host", "a").body(Body::empty()).unwrap());
    let begun = soon(begun).await.unwrap();
    let mut two = client_2(running.http).await;
    collected(soon(two.send_request(request_2("/echo", "2"))).await.unwrap()).await;

    let mut zap = TcpStream::connect(running.zap).await.unwrap();
    assert_eq!(call(&mut zap, "/echo", b"zap").await, Some((200, b"zap".to_vec())));
    until(async || two.is_closed()).await;
    feed.send("streamed").await.unwrap();
    drop(feed);
    assert_eq!(collected(begun).await.1, b"streamed");
    // Now it is the one that is idle for longest, or the other is.
    let mut next = TcpStream::connect(running.zap).await.unwrap();
    assert_eq!(call(&mut next, "/echo", b"next").await, Some((200, b"next".to_vec())));
    running.handle.shutdown();
    assert_eq!(soon(running.server).await.unwrap().evicted, 2);
}

/// A body fed from elsewhere.
struct Fed(tokio::sync::mpsc::Receiver<&'static str>);

impl http_body::Body for Fed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|chunk| chunk.map(|chunk| Ok(http_body::Frame::data(Bytes::from(chunk)))))
    }
}
