//! Handlers on real sockets: what they answer, and what becomes of those that do not.
#![cfg(feature = "server")]

use std::convert::Infallible;
use std::error::Error;
use std::future::{IntoFuture, pending};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use http_body::Frame as BodyFrame;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc, oneshot};
use zap_http::proto::{
    AnswerError, Batch, CloseReason, Deframer, Encoder, Frame, FrameLimits, MAX_FRAME_LEN, ServerConfig,
};
use zap_http::{
    ConnectionInfo, Handler, RequestView, Responder, ServeConfig, handler_fn, serve_handler, serve_handler_connection,
};

/// Answers by target, in every way there is.
struct Ways;

impl Handler for Ways {
    type Error = Box<dyn std::error::Error + Send + Sync>;

    async fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> Result<(), Self::Error> {
        match request.target() {
            b"/echo" => responder.status(201).header("X-Kept", "As-Is").body(request.body())?,
            b"/mirror" => {
                let mut response = responder.status_with_reason(299, "Mirrored");
                for (name, value) in request.headers() {
                    response = response.header(name, value);
                }
                response.finish()?;
            }
            b"/short" => responder.status(200).body_shared("short")?,
            b"/long" => responder.status(200).body_shared(vec![7; 100_000])?,
            b"/peer" => responder.status(200).body(format!("{:?}", request.connection().peer_addr()))?,
            b"/whole" => responder.status(200).stream(fed([data("one"), data("two"), trailers()]))?,
            b"/failing" => responder.status(200).stream(fed([Err("a body that fails")]))?,
            b"/204" => responder.status(204).body("dropped")?,
            b"/304" => responder.status(304).body_shared(vec![7; 100_000])?,
            b"/204-stream" => responder.status(204).stream(fed([data("dropped"), trailers()]))?,
            b"/trailers" => {
                let sum = [("x-sum", "9f"), ("X-Sum", "a0")];
                responder.status(200).header("x-head", "yes").body_with_trailers(request.body(), sum)?;
            }
            b"/204-trailers" => responder.status(204).body_with_trailers("dropped", [("x-sum", "9f")])?,
            b"/bad-trailer" => responder.status(200).body_with_trailers("x", [("content-length", "1")])?,
            b"/bad-trailer-value" => responder.status(200).body_with_trailers("x", [("x-sum", "a\nb")])?,
            b"/nothing" => {}
            b"/unfinished" => drop(responder.status(200).header("x-half", "yes")),
            b"/late-error" => {
                responder.status(200).body("written, then regretted")?;
                return Err("on second thoughts".into());
            }
            b"/panic" => panic!("a handler that panics"),
            b"/late-panic" => {
                tokio::task::yield_now().await;
                panic!("a handler that panics late");
            }
            b"/interim" => responder.status(103).finish()?,
            b"/no-status" => responder.status(99).finish()?,
            b"/bad-name" => responder.status(200).header("not a token", "x").body("?")?,
            b"/bad-value" => responder.status(200).header("x", "line\nbreak").header("y", "fine").body("?")?,
            _ => responder.status(404).finish()?,
        }
        Ok(())
    }
}

/// A body fed from elsewhere.
struct Fed(mpsc::Receiver<Result<BodyFrame<Bytes>, &'static str>>);

impl http_body::Body for Fed {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<BodyFrame<Bytes>, &'static str>>> {
        self.0.poll_recv(context)
    }
}

fn fed(frames: impl IntoIterator<Item = Result<BodyFrame<Bytes>, &'static str>>) -> Fed {
    let (sender, receiver) = mpsc::channel(10);
    frames.into_iter().for_each(|frame| sender.try_send(frame).unwrap());
    Fed(receiver)
}

fn data(bytes: &'static str) -> Result<BodyFrame<Bytes>, &'static str> {
    Ok(BodyFrame::data(Bytes::from_static(bytes.as_bytes())))
}

fn trailers() -> Result<BodyFrame<Bytes>, &'static str> {
    Ok(BodyFrame::trailers(HeaderMap::from_iter([("x-sum".parse().unwrap(), HeaderValue::from_static("9f"))])))
}

/// A client that writes frames and reads frames.
struct Caller<IO> {
    io: IO,
    input: Deframer,
    frames: Batch,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Caller<IO> {
    fn new(io: IO) -> Self {
        Self { io, input: Deframer::new(MAX_FRAME_LEN), frames: Batch::default() }
    }

    async fn send(&mut self, requests: &[(&str, &str, &[u8])]) {
        self.io.write_all(&wire(requests)).await.unwrap();
    }

    /// The next frame, or `None` at the end of the stream.
    async fn frame(&mut self) -> Option<Seen> {
        if self.frames.frames() == 0 {
            let mut buffer = [0; 10_000];
            while self.input.frames() == 0 {
                match soon(self.io.read(&mut buffer)).await {
                    Ok(0) | Err(_) => return None,
                    Ok(len) => self.input.recv(&buffer[..len]),
                }
            }
            self.frames = self.input.take_batch(Vec::new());
        }
        let frame = self.frames.next_frame()?;
        Some(Seen::of(Frame::decode(frame, &FrameLimits::new()).unwrap()))
    }

    /// A whole answer to one request: status and body.
    async fn call(&mut self, method: &str, target: &str, body: &[u8]) -> (u16, Vec<u8>) {
        self.send(&[(method, target, body)]).await;
        match self.frame().await {
            Some(Seen::Whole(status, _, body, _)) => (status, body),
            other => panic!("{target}: {other:?}"),
        }
    }
}

fn wire(requests: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut wire = Vec::new();
    for (method, target, body) in requests {
        let mut request = Encoder::frame(&mut wire).request(method, target).unwrap();
        request.header("Host", "a.example").unwrap().header("Connection", "close").unwrap().body(body).unwrap();
        request.finish().unwrap();
    }
    wire
}

type Pairs = Vec<(String, String)>;

/// A frame as it came.
#[derive(Debug, PartialEq)]
enum Seen {
    Whole(u16, Pairs, Vec<u8>, Pairs),
    Head(u16),
    Data(Vec<u8>),
    End(Pairs),
}

impl Seen {
    fn of(frame: Frame<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs = |headers: zap_http::proto::Headers<'_>| headers.iter().map(|(n, v)| (text(n), text(v))).collect();
        match frame {
            Frame::Response(response) => Self::Whole(
                response.status(),
                pairs(response.headers()),
                response.body().to_vec(),
                pairs(response.trailers()),
            ),
            Frame::ResponseHead(head) => Self::Head(head.status()),
            Frame::Data(data) => Self::Data(data.chunk().to_vec()),
            Frame::End(end) => Self::End(pairs(end.trailers())),
            other => panic!("{other:?}"),
        }
    }
}

async fn soon<T>(task: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), task).await.expect("it hangs")
}

async fn served(handler: impl Handler) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_handler(listener, handler).into_future());
    address
}

async fn caller(handler: impl Handler) -> Caller<TcpStream> {
    Caller::new(TcpStream::connect(served(handler).await).await.unwrap())
}

#[tokio::test]
async fn answers_of_every_kind() {
    let mut caller = caller(Ways).await;
    assert_eq!(caller.call("POST", "/echo", b"hello").await, (201, b"hello".to_vec()));
    assert_eq!(caller.call("POST", "/echo", b"").await, (201, Vec::new()));
    assert_eq!(caller.call("POST", "/echo", &[3; 300_000]).await, (201, vec![3; 300_000]));
    assert_eq!(caller.call("GET", "/short", b"").await, (200, b"short".to_vec()));
    assert_eq!(caller.call("GET", "/long", b"").await, (200, vec![7; 100_000]));
    let us = format!("{:?}", Some(caller.io.local_addr().unwrap()));
    assert_eq!(caller.call("GET", "/peer", b"").await, (200, us.into_bytes()));
    assert_eq!(caller.call("GET", "/elsewhere", b"").await, (404, Vec::new()));
}

/// Requests and answers are literal: nothing is removed, added or spelled anew.
#[tokio::test]
async fn headers_cross_as_they_are() {
    let mut caller = caller(Ways).await;
    caller.send(&[("GET", "/mirror", b"")]).await;
    let pairs = [("Host", "a.example"), ("Connection", "close")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(caller.frame().await, Some(Seen::Whole(299, pairs.to_vec(), Vec::new(), Vec::new())));
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket() {
    let (near, far) = tokio::net::UnixStream::pair().unwrap();
    let info = ConnectionInfo::new(None, None);
    let server = tokio::spawn(serve_handler_connection(far, Arc::new(Ways), ServerConfig::default(), info, pending()));
    let mut caller = Caller::new(near);
    assert_eq!(caller.call("POST", "/echo", b"hello").await, (201, b"hello".to_vec()));
    assert_eq!(caller.call("GET", "/peer", b"").await, (200, b"None".to_vec()));
    drop(caller);
    assert_eq!(soon(server).await.unwrap(), CloseReason::PeerClosed);
}

#[tokio::test]
async fn what_is_not_answered_is_a_500_and_the_connection_lives() {
    let mut caller = caller(Ways).await;
    for target in [
        "/nothing",
        "/unfinished",
        "/late-error",
        "/panic",
        "/late-panic",
        "/interim",
        "/no-status",
        "/bad-name",
        "/bad-value",
        "/bad-trailer",
        "/bad-trailer-value",
        "/failing",
    ] {
        assert_eq!(caller.call("GET", target, b"").await, (500, Vec::new()), "{target}");
        assert_eq!(caller.call("POST", "/echo", b"alive").await, (201, b"alive".to_vec()), "after {target}");
    }
}

/// A closure may panic before there is a future.
#[tokio::test]
async fn a_closure_that_panics_is_a_500() {
    let mut caller = caller(handler_fn(|request, responder| {
        assert_ne!(request.target(), b"/panic", "a closure that panics");
        responder.status(200).body("fine")
    }))
    .await;
    assert_eq!(caller.call("GET", "/panic", b"").await.0, 500);
    assert_eq!(caller.call("GET", "/", b"").await, (200, b"fine".to_vec()));
}

#[tokio::test]
async fn answers_without_a_body() {
    let mut caller = caller(Ways).await;
    for (method, target, status) in [
        ("HEAD", "/echo", 201),
        ("HEAD", "/long", 200),
        ("HEAD", "/whole", 200),
        ("HEAD", "/elsewhere", 404),
        ("GET", "/204", 204),
        ("GET", "/304", 304),
        ("GET", "/204-stream", 204),
        ("GET", "/204-trailers", 204),
        ("HEAD", "/trailers", 200),
    ] {
        caller.send(&[(method, target, b"body")]).await;
        let Some(Seen::Whole(seen, _, body, trailers)) = caller.frame().await else { panic!("{target}") };
        assert_eq!((seen, body, trailers), (status, Vec::new(), Vec::new()), "{method} {target}");
    }
    assert_eq!(caller.call("POST", "/echo", b"alive").await, (201, b"alive".to_vec()));
}

#[tokio::test]
async fn a_stream_that_is_there_at_once_is_one_frame() {
    let mut caller = caller(Ways).await;
    caller.send(&[("GET", "/whole", b"")]).await;
    let sum = vec![("x-sum".to_owned(), "9f".to_owned())];
    assert_eq!(caller.frame().await, Some(Seen::Whole(200, Vec::new(), b"onetwo".to_vec(), sum)));
}

#[tokio::test]
async fn a_whole_answer_has_trailers() {
    let mut caller = caller(Ways).await;
    // Also of a body that would be sent from where it is, if it were shared.
    for body in [&b"hello"[..], b"", &[7; 100_000]] {
        caller.send(&[("POST", "/trailers", body)]).await;
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let trailers = vec![pair("x-sum", "9f"), pair("X-Sum", "a0")];
        assert_eq!(caller.frame().await, Some(Seen::Whole(200, vec![pair("x-head", "yes")], body.to_vec(), trailers)));
    }
}

/// What would be a stream as a body alone is refused: the handler is told, and streams it.
#[tokio::test]
async fn trailers_do_not_follow_a_body_that_is_too_long() {
    let mut config = ServerConfig::default();
    config.frame.max_frame_len = 1000;
    let (near, far) = tokio::io::duplex(100_000);
    let handler = handler_fn(|request, responder| {
        let len = request.target().len();
        let told = responder.status(200).body_with_trailers(vec![7; len * 100], [("x-sum", "9f")]);
        assert_eq!(told.is_err(), len > 8, "{told:?}");
        told
    });
    tokio::spawn(serve_handler_connection(far, Arc::new(handler), config, ConnectionInfo::new(None, None), pending()));
    let mut caller = Caller::new(near);
    assert_eq!(caller.call("GET", "/fits", b"").await, (200, vec![7; 500]));
    assert_eq!(caller.call("GET", "/too/long", b"").await, (500, Vec::new()));
}

/// Streams what it is given from outside.
struct Feed(std::sync::Mutex<Option<Fed>>);

impl Handler for Feed {
    type Error = AnswerError;

    async fn handle(&self, _: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
        let body = self.0.lock().unwrap().take();
        match body {
            Some(body) => responder.status(200).stream(body),
            None => responder.status(410).finish(),
        }
    }
}

#[tokio::test]
async fn a_stream_is_sent_as_it_comes() {
    let (sender, receiver) = mpsc::channel(1);
    let mut caller = caller(Feed(std::sync::Mutex::new(Some(Fed(receiver))))).await;
    caller.send(&[("GET", "/", b""), ("GET", "/", b"")]).await;
    assert_eq!(caller.frame().await, Some(Seen::Head(200)));
    for chunk in ["one", "two"] {
        sender.send(data(chunk)).await.unwrap();
        assert_eq!(caller.frame().await, Some(Seen::Data(chunk.as_bytes().to_vec())));
    }
    sender.send(trailers()).await.unwrap();
    assert_eq!(caller.frame().await, Some(Seen::End(vec![("x-sum".to_owned(), "9f".to_owned())])));
    assert_eq!(caller.frame().await, Some(Seen::Whole(410, Vec::new(), Vec::new(), Vec::new())));
}

#[tokio::test]
async fn a_stream_that_fails_ends_the_connection() {
    let (sender, receiver) = mpsc::channel(1);
    let mut caller = caller(Feed(std::sync::Mutex::new(Some(Fed(receiver))))).await;
    caller.send(&[("GET", "/", b"")]).await;
    assert_eq!(caller.frame().await, Some(Seen::Head(200)));
    sender.send(Err("a body that fails")).await.unwrap();
    assert_eq!(caller.frame().await, None);
}

/// A body over the frame limit is cut into data frames, copied or shared.
#[tokio::test]
async fn a_body_over_the_frame_limit_is_streamed() {
    let mut config = ServeConfig::default();
    config.connection.frame.max_frame_len = 50_000;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let handler = handler_fn(|request, responder| match request.target() {
        b"/copied" => responder.status(200).body(vec![7; 120_000]),
        _ => responder.status(200).body_shared(vec![7; 120_000]),
    });
    tokio::spawn(serve_handler(listener, handler).config(config).into_future());
    let mut caller = Caller::new(TcpStream::connect(address).await.unwrap());
    for target in ["/copied", "/shared"] {
        caller.send(&[("GET", target, b"")]).await;
        assert_eq!(caller.frame().await, Some(Seen::Head(200)));
        let mut len = 0;
        loop {
            match caller.frame().await {
                Some(Seen::Data(chunk)) => len += chunk.len(),
                Some(Seen::End(_)) => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(len, 120_000, "{target}");
    }
}

/// Waits at one target until it is told to go on.
struct Gate(Arc<Notify>);

impl Handler for Gate {
    type Error = AnswerError;

    async fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
        let response = responder.status(200).header("x-target", request.target());
        if request.target() == b"/gate" {
            self.0.notified().await;
        }
        response.body(request.target())
    }
}

/// While a handler waits, the answers before it are sent; those behind it wait. Its own, half written, is not mixed in.
#[tokio::test]
async fn answers_before_a_pending_one_are_sent() {
    let gate = Arc::new(Notify::new());
    let mut caller = caller(Gate(Arc::clone(&gate))).await;
    caller.send(&[("GET", "/first", b""), ("GET", "/gate", b""), ("GET", "/last", b"")]).await;
    for target in ["/first", "/gate", "/last"] {
        let pairs = vec![("x-target".to_owned(), target.to_owned())];
        let whole = Seen::Whole(200, pairs, target.as_bytes().to_vec(), Vec::new());
        assert_eq!(caller.frame().await, Some(whole));
        if target == "/first" {
            // More arrives while the handler waits.
            caller.send(&[("GET", "/more", b"")]).await;
            gate.notify_one();
        }
    }
    let pairs = vec![("x-target".to_owned(), "/more".to_owned())];
    assert_eq!(caller.frame().await, Some(Seen::Whole(200, pairs, b"/more".to_vec(), Vec::new())));
}

/// Tells when it is dropped.
struct Guard(Option<oneshot::Sender<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().map(|sender| sender.send(()));
    }
}

/// Never answers.
struct Never {
    begun: Arc<Notify>,
    guard: std::sync::Mutex<Option<Guard>>,
}

impl Handler for Never {
    type Error = AnswerError;

    async fn handle(&self, _: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
        let _guard = self.guard.lock().unwrap().take();
        self.begun.notify_one();
        pending::<()>().await;
        responder.status(200).finish()
    }
}

#[tokio::test]
async fn a_handler_is_cancelled_when_its_client_goes_away() {
    let (sender, dropped) = oneshot::channel();
    let begun = Arc::new(Notify::new());
    let never = Never { begun: Arc::clone(&begun), guard: std::sync::Mutex::new(Some(Guard(Some(sender)))) };
    let mut config = ServeConfig::default();
    config.connection.half_close_grace = Duration::from_millis(20);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_handler(listener, never).config(config).into_future());
    let mut caller = Caller::new(TcpStream::connect(address).await.unwrap());
    caller.send(&[("GET", "/", b"")]).await;
    soon(begun.notified()).await;
    drop(caller);
    soon(dropped).await.unwrap();
}

/// The answer of a handler that fails is dropped with its 500, not kept until the next request.
#[tokio::test]
async fn a_failed_handlers_answer_is_not_kept() {
    struct Guarded {
        guard: std::sync::Mutex<Option<Guard>>,
    }
    struct GuardedBody(#[allow(dead_code)] Option<Guard>);
    impl http_body::Body for GuardedBody {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<BodyFrame<Bytes>, Infallible>>> {
            Poll::Pending
        }
    }
    impl Handler for Guarded {
        type Error = Box<dyn Error + Send + Sync>;

        async fn handle(&self, _: RequestView<'_>, responder: Responder<'_>) -> Result<(), Self::Error> {
            let body = GuardedBody(self.guard.lock().unwrap().take());
            responder.status(200).stream(body)?;
            Err("but".into())
        }
    }

    let (sender, dropped) = oneshot::channel();
    let mut caller = caller(Guarded { guard: std::sync::Mutex::new(Some(Guard(Some(sender)))) }).await;
    caller.send(&[("GET", "/", b"")]).await;
    // The connection is still there.
    soon(dropped).await.unwrap();
}

#[tokio::test]
async fn shutdown_answers_what_was_read() {
    let gate = Arc::new(Notify::new());
    let (stop, stopped) = oneshot::channel::<()>();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve_handler(listener, Gate(Arc::clone(&gate))).with_shutdown(async { drop(stopped.await) });
    let server = tokio::spawn(server.into_future());
    let mut caller = Caller::new(TcpStream::connect(address).await.unwrap());
    caller.send(&[("GET", "/first", b""), ("GET", "/gate", b"")]).await;
    assert!(matches!(caller.frame().await, Some(Seen::Whole(200, ..))));
    stop.send(()).unwrap();
    gate.notify_one();
    assert!(matches!(caller.frame().await, Some(Seen::Whole(200, ..))));
    drop(caller);
    assert_eq!(soon(server).await.unwrap().connections, 1);
}

/// Counts the writes and reads of a transport.
struct Counted<IO> {
    io: IO,
    writes: Arc<AtomicUsize>,
}

impl<IO: AsyncRead + Unpin> AsyncRead for Counted<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Counted<IO> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.io).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[tokio::test]
async fn the_answers_of_a_batch_are_one_write() {
    let (near, far) = tokio::io::duplex(1 << 16);
    let writes = Arc::new(AtomicUsize::new(0));
    let transport = Counted { io: far, writes: Arc::clone(&writes) };
    let handler = Arc::new(Ways);
    let info = ConnectionInfo::new(None, None);
    tokio::spawn(serve_handler_connection(transport, handler, ServerConfig::default(), info, pending()));
    let mut caller = Caller::new(near);
    for round in 1..=3 {
        caller.send(&[("POST", "/echo", &b"hello"[..]); 16]).await;
        for _ in 0..16 {
            assert!(matches!(caller.frame().await, Some(Seen::Whole(201, ..))));
        }
        assert_eq!(writes.load(Ordering::Relaxed), round);
    }
}

/// Requests that are there at once do not keep a thread from its other tasks: after 64 small ones, or 256 KiB, these have
/// their turn.
#[tokio::test]
async fn a_turn_has_an_end() {
    for (count, body, most) in [(1000, 0, 64), (12, 100_000, 3)] {
        let served = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&served);
        let handler = Arc::new(handler_fn(move |_, responder| {
            counter.fetch_add(1, Ordering::Relaxed);
            responder.status(204).finish()
        }));
        let (mut near, far) = tokio::io::duplex(4 << 20);
        near.write_all(&wire(&vec![("POST", "/", &vec![0; body][..]); count])).await.unwrap();
        let info = ConnectionInfo::new(None, None);
        tokio::spawn(serve_handler_connection(far, handler, ServerConfig::default(), info, pending()));
        let (mut before, mut longest) = (0, 0);
        while before < count {
            let now = served.load(Ordering::Relaxed);
            (longest, before) = (longest.max(now - before), now);
            soon(tokio::task::yield_now()).await;
        }
        assert!(longest <= most, "{longest} requests in one turn");
    }
}
