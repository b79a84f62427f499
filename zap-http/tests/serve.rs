//! The server on real sockets and on pipes in memory, called by the client's state machine.
#![cfg(feature = "server")]

use std::convert::Infallible;
use std::future::{Future, IntoFuture, pending, ready};
use std::io::IoSlice;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::extract::{Path, Request as AxumRequest};
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::Frame;
use proptest::prelude::*;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tower_service::Service;
use zap_http::proto::{Client, ClientConfig, Close, CloseReason, Encoder, Event, ServerConfig};
use zap_http::{Body, ConnectionInfo, ServeConfig, serve, serve_connection};

/// A service from a function.
#[derive(Clone)]
struct Handler<H>(H);

impl<H, F, B> tower_service::Service<Request<Body>> for Handler<H>
where
    H: Fn(Request<Body>) -> F,
    F: Future<Output = Response<B>>,
{
    type Response = Response<B>;
    type Error = Infallible;
    type Future = Pin<Box<Infallibly<F>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(Infallibly(Box::pin((self.0)(request))))
    }
}

struct Infallibly<F>(Pin<Box<F>>);

impl<F: Future> Future for Infallibly<F> {
    type Output = Result<F::Output, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context).map(Ok)
    }
}

/// A body fed from elsewhere.
struct Fed(mpsc::Receiver<Result<Frame<Bytes>, &'static str>>);

impl http_body::Body for Fed {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        self.0.poll_recv(context)
    }
}

fn fed(frames: impl IntoIterator<Item = Result<Frame<Bytes>, &'static str>>) -> Fed {
    let (sender, receiver) = mpsc::channel(100);
    frames.into_iter().for_each(|frame| sender.try_send(frame).unwrap());
    Fed(receiver)
}

fn data(bytes: &'static str) -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::data(Bytes::from_static(bytes.as_bytes())))
}

fn trailers() -> Result<Frame<Bytes>, &'static str> {
    let mut trailers = HeaderMap::new();
    trailers.insert("x-sum", HeaderValue::from_static("9f"));
    trailers.insert("content-length", HeaderValue::from_static("1"));
    Ok(Frame::trailers(trailers))
}

/// An answer as it came.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    trailers: Vec<(String, String)>,
    /// Data frames; `None` for a whole answer.
    frames: Option<usize>,
    complete: bool,
}

struct Caller<IO> {
    io: IO,
    client: Client,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Caller<IO> {
    fn new(io: IO) -> Self {
        let mut config = ClientConfig::default();
        (config.max_in_flight, config.queue_unsafe) = (100, true);
        Self { io, client: Client::new(config, Instant::now()) }
    }

    fn request(&mut self, method: &str, target: &str, body: &[u8]) {
        let mut request = self.client.request(method, target, Instant::now()).unwrap();
        request.header("Host", "a.example").unwrap().body(body).unwrap();
        request.finish().unwrap();
    }

    async fn flush(&mut self) {
        loop {
            let mut pieces = [IoSlice::new(&[])];
            if self.client.poll_transmit(&mut pieces, Instant::now()) == 0 {
                return;
            }
            let piece = pieces[0].to_vec();
            self.io.write_all(&piece).await.unwrap();
            self.client.transmitted(piece.len(), Instant::now());
        }
    }

    /// Reads until `enough` says so or the connection ends.
    async fn read(&mut self, enough: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        while !enough(&seen) && self.client.poll_close() == Close::Open {
            let mut buffer = [0; 10_000];
            match self.io.read(&mut buffer).await {
                Ok(0) => self.client.recv_eof(Instant::now()),
                Ok(len) => self.client.recv(&buffer[..len], Instant::now()),
                Err(_) => self.client.transport_failed(),
            }
            let mut batch = self.client.take_batch(Instant::now());
            while let Some(event) = self.client.next_event(&mut batch) {
                note(&mut seen, event);
            }
            self.client.return_batch(batch, Instant::now());
        }
        seen
    }

    async fn answers(&mut self, count: usize) -> Vec<Seen> {
        self.flush().await;
        self.read(|seen| seen.iter().filter(|seen| seen.complete).count() == count).await
    }

    async fn call(&mut self, method: &str, target: &str, body: &[u8]) -> Seen {
        self.request(method, target, body);
        self.answers(1).await.pop().unwrap_or_default()
    }
}

fn note(seen: &mut Vec<Seen>, event: Event<'_>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let pairs = |headers: zap_http::proto::Headers<'_>| headers.iter().map(|(n, v)| (text(n), text(v))).collect();
    match event {
        Event::Response(_, response) => seen.push(Seen {
            status: response.status(),
            headers: pairs(response.headers()),
            body: response.body().to_vec(),
            trailers: pairs(response.trailers()),
            frames: None,
            complete: true,
        }),
        Event::Head(_, head) => seen.push(Seen {
            status: head.status(),
            headers: pairs(head.headers()),
            frames: Some(0),
            ..Seen::default()
        }),
        Event::Data(_, data) => {
            let last = seen.last_mut().unwrap();
            last.body.extend_from_slice(data.chunk());
            last.frames = last.frames.map(|frames| frames + 1);
        }
        Event::End(_, end) => {
            let last = seen.last_mut().unwrap();
            (last.trailers, last.complete) = (pairs(end.trailers()), true);
        }
        other => panic!("{other:?}"),
    }
}

/// A connection in memory to a service.
fn connect<S, B>(service: S, config: ServerConfig, pipe: usize) -> Caller<DuplexStream>
where
    S: tower_service::Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let (near, far) = tokio::io::duplex(pipe);
    tokio::spawn(
        async move { serve_connection(far, service, config, ConnectionInfo::new(None, None), pending()).await },
    );
    Caller::new(near)
}

async fn listen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

async fn caller(address: SocketAddr) -> Caller<TcpStream> {
    Caller::new(TcpStream::connect(address).await.unwrap())
}

async fn echo(request: Request<Body>) -> Response<Body> {
    Response::new(Body::from(request.into_body().into_bytes().unwrap()))
}

async fn soon<T>(task: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), task).await.expect("it hangs")
}

#[tokio::test]
async fn an_axum_router_as_it_is() {
    let app = Router::new()
        .route("/hello/{name}", get(|Path(name): Path<String>| async move { format!("hello {name}") }))
        .route("/echo", post(|body: Bytes| async move { body }))
        .route("/made", post(|| async { (StatusCode::CREATED, [("x-id", "7"), ("connection", "close")], "made") }))
        .route(
            "/who",
            get(|Extension(info): Extension<ConnectionInfo>, request: AxumRequest| async move {
                format!("{} {}", info.peer_addr().is_some(), request.headers()["host"].to_str().unwrap())
            }),
        );
    let (listener, address) = listen().await;
    tokio::spawn(serve(listener, app).into_future());
    let mut caller = caller(address).await;
    let seen = soon(caller.call("GET", "/hello/you", b"")).await;
    assert_eq!((seen.status, &seen.body[..], seen.frames), (200, &b"hello you"[..], None));
    let seen = soon(caller.call("POST", "/echo", &[7; 300_000])).await;
    assert_eq!((seen.status, seen.body.len()), (200, 300_000));
    let seen = soon(caller.call("POST", "/made", b"")).await;
    assert_eq!(seen.status, 201);
    assert!(seen.headers.contains(&("x-id".into(), "7".into())));
    let removed = ["connection", "content-length", "date"];
    assert!(!seen.headers.iter().any(|(name, _)| removed.contains(&name.as_str())), "{:?}", seen.headers);
    assert_eq!(soon(caller.call("GET", "/who", b"")).await.body, b"true a.example");
    assert_eq!(soon(caller.call("GET", "/nothing", b"")).await.status, 404);
    let seen = soon(caller.call("HEAD", "/hello/you", b"")).await;
    assert_eq!((seen.status, &seen.body[..]), (200, &b""[..]));
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let slow_first = |request: Request<Body>| async move {
        if request.uri().path() == "/slow" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Response::new(Body::from(request.uri().path().to_owned()))
    };
    let mut caller = connect(Handler(slow_first), ServerConfig::default(), 1 << 16);
    for target in ["/a", "/slow", "/b", "/c"] {
        caller.request("GET", target, b"");
    }
    let seen = soon(caller.answers(4)).await;
    let bodies: Vec<&[u8]> = seen.iter().map(|seen| &seen.body[..]).collect();
    assert_eq!(bodies, [&b"/a"[..], b"/slow", b"/b", b"/c"]);
}

#[tokio::test]
async fn one_byte_at_a_time() {
    let (listener, address) = listen().await;
    tokio::spawn(serve(listener, Handler(echo)).into_future());
    let mut wire = Vec::new();
    for body in ["one", "two"] {
        let mut request = Encoder::frame(&mut wire).request("POST", "/").unwrap();
        request.body(body.as_bytes()).unwrap();
        request.finish().unwrap();
    }
    let mut caller = caller(address).await;
    caller.io.set_nodelay(true).unwrap();
    // So that the client knows what it waits for.
    caller.request("POST", "/", b"");
    caller.request("POST", "/", b"");
    caller.client.transmitted(usize::MAX, Instant::now());
    for byte in wire {
        caller.io.write_all(&[byte]).await.unwrap();
    }
    let seen = soon(caller.read(|seen| seen.len() == 2)).await;
    assert_eq!((&seen[0].body[..], &seen[1].body[..]), (&b"one"[..], &b"two"[..]));
}

#[tokio::test]
async fn what_is_there_at_once_is_one_frame() {
    let handler = |request: Request<Body>| async move {
        let body = match request.uri().path() {
            "/pieces" => fed([data("one"), data(""), data("two")]),
            "/trailers" => fed([data("one"), data("two"), trailers()]),
            "/only" => fed([trailers()]),
            _ => fed([]),
        };
        Response::new(body)
    };
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1 << 16);
    let sum = vec![("x-sum".to_owned(), "9f".to_owned())];
    for (target, body, trailers) in [
        ("/pieces", &b"onetwo"[..], vec![]),
        ("/trailers", b"onetwo", sum.clone()),
        ("/only", b"", sum),
        ("/empty", b"", vec![]),
    ] {
        let seen = soon(caller.call("GET", target, b"")).await;
        assert_eq!((seen.frames, &seen.body[..], seen.trailers), (None, body, trailers), "{target}");
    }
}

#[tokio::test]
async fn a_stream_is_sent_as_it_comes() {
    let (sender, receiver) = mpsc::channel(1);
    let receiver = Arc::new(std::sync::Mutex::new(Some(receiver)));
    let handler = move |_| ready(Response::new(Fed(receiver.lock().unwrap().take().unwrap())));
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1 << 16);
    caller.request("GET", "/events", b"");
    caller.flush().await;
    // The head comes before any data does.
    let seen = soon(caller.read(|seen| !seen.is_empty())).await;
    assert_eq!((seen[0].status, seen[0].frames), (200, Some(0)));
    for chunk in ["one", "two"] {
        sender.send(data(chunk)).await.unwrap();
        let (mut seen, mut buffer) = (vec![Seen::default()], [0; 1000]);
        let len = soon(caller.io.read(&mut buffer)).await.unwrap();
        caller.client.recv(&buffer[..len], Instant::now());
        let mut batch = caller.client.take_batch(Instant::now());
        while let Some(event) = caller.client.next_event(&mut batch) {
            note(&mut seen, event);
        }
        caller.client.return_batch(batch, Instant::now());
        assert_eq!(seen[0].body, chunk.as_bytes());
    }
    sender.send(trailers()).await.unwrap();
    drop(sender);
    let mut buffer = [0; 1000];
    let len = soon(caller.io.read(&mut buffer)).await.unwrap();
    caller.client.recv(&buffer[..len], Instant::now());
    let mut batch = caller.client.take_batch(Instant::now());
    let Some(Event::End(_, end)) = caller.client.next_event(&mut batch) else { panic!("no end") };
    assert_eq!(end.trailers().iter().collect::<Vec<_>>(), [(&b"x-sum"[..], &b"9f"[..])]);
    caller.client.return_batch(batch, Instant::now());
    assert!(caller.client.is_idle());
}

#[tokio::test]
async fn a_panic_is_a_500_and_the_connection_lives() {
    let handler = |request: Request<Body>| async move {
        assert_ne!(request.uri().path(), "/panic", "a handler that panics");
        Response::new(Body::from("fine"))
    };
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1 << 16);
    for (target, status) in [("/", 200), ("/panic", 500), ("/panic", 500), ("/", 200)] {
        assert_eq!(soon(caller.call("GET", target, b"")).await.status, status);
    }
}

#[tokio::test]
async fn what_cannot_be_answered_is_a_500() {
    let handler = |request: Request<Body>| async move {
        let mut response = Response::new(fed([Err("a body that fails")]));
        if request.uri().path() == "/interim" {
            response = Response::new(fed([]));
            *response.status_mut() = StatusCode::EARLY_HINTS;
        }
        response
    };
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1 << 16);
    for target in ["/interim", "/fails", "/interim"] {
        assert_eq!(soon(caller.call("GET", target, b"")).await.status, 500);
    }
}

#[tokio::test]
async fn a_body_that_fails_late_ends_the_connection_without_an_end() {
    let handler = |_| async {
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move {
            sender.send(data("half")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
            sender.send(Err("a body that fails")).await.unwrap();
        });
        Response::new(Fed(receiver))
    };
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1 << 16);
    caller.request("GET", "/", b"");
    let seen = soon(caller.answers(1)).await;
    assert_eq!((&seen[0].body[..], seen[0].complete), (&b"half"[..], false));
    assert_eq!(caller.client.poll_close(), Close::Now(CloseReason::PeerClosedEarly));
}

#[tokio::test]
async fn requests_without_meaning_are_refused() {
    let mut caller = connect(Handler(echo), ServerConfig::default(), 1 << 16);
    for (target, status) in [("/a#b", 400), ("no-path", 400), ("http://b.example/", 400), ("/", 200)] {
        assert_eq!(soon(caller.call("GET", target, b"")).await.status, status, "{target}");
    }
}

/// Tells when it is dropped.
struct Guard(Option<oneshot::Sender<()>>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().map(|sender| sender.send(()));
    }
}

#[tokio::test]
async fn a_handler_is_cancelled_when_its_client_goes_away() {
    let mut config = ServerConfig::default();
    config.half_close_grace = Duration::from_millis(50);
    let (sender, dropped) = oneshot::channel();
    let guard = Arc::new(std::sync::Mutex::new(Some(Guard(Some(sender)))));
    let handler = move |_| {
        let guard = guard.lock().unwrap().take();
        async move {
            let _guard = guard;
            pending::<Response<Body>>().await
        }
    };
    let mut caller = connect(Handler(handler), config, 1 << 16);
    caller.request("GET", "/", b"");
    caller.flush().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(caller);
    soon(dropped).await.unwrap();
}

/// A peer that reads nothing makes the body wait: what was taken from it is bounded.
#[tokio::test]
async fn a_stream_waits_for_its_reader() {
    struct Endless(Arc<AtomicUsize>);
    impl http_body::Body for Endless {
        type Data = Bytes;
        type Error = Infallible;
        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[7; 10_000])))))
        }
    }
    let taken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&taken);
    let handler = move |_| ready(Response::new(Endless(Arc::clone(&count))));
    let mut caller = connect(Handler(handler), ServerConfig::default(), 1000);
    caller.request("GET", "/", b"");
    caller.flush().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    // 256 KiB of output, the pipe, and one chunk more.
    assert_eq!(taken.load(Ordering::Relaxed), 27);
    let seen = soon(caller.read(|seen| seen.first().is_some_and(|seen| seen.body.len() > 1_000_000))).await;
    assert!(seen[0].body.iter().all(|byte| *byte == 7));
}

#[tokio::test]
async fn shutdown_answers_what_was_read_and_ends() {
    let (stop, stopped) = oneshot::channel::<()>();
    let (started, mut starts) = mpsc::channel(10);
    let (go, gone) = tokio::sync::watch::channel(false);
    let handler = move |request: Request<Body>| {
        let (started, mut gone) = (started.clone(), gone.clone());
        async move {
            if request.uri().path() == "/slow" {
                started.send(()).await.unwrap();
                gone.wait_for(|go| *go).await.unwrap();
            }
            Response::new(Body::from(request.uri().path().to_owned()))
        }
    };
    let (listener, address) = listen().await;
    let server = serve(listener, Handler(handler)).with_shutdown(async move { drop(stopped.await) });
    let server = tokio::spawn(server.into_future());

    let mut idle = caller(address).await;
    assert_eq!(soon(idle.call("GET", "/idle", b"")).await.status, 200);
    let mut busy = caller(address).await;
    busy.request("GET", "/slow", b"");
    busy.request("GET", "/next", b"");
    busy.flush().await;
    soon(starts.recv()).await.unwrap();
    stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(TcpStream::connect(address).await.is_err());
    assert!(!server.is_finished());
    go.send(true).unwrap();
    let seen = soon(busy.answers(2)).await;
    assert_eq!((&seen[0].body[..], &seen[1].body[..]), (&b"/slow"[..], &b"/next"[..]));
    drop((idle, busy));
    let served = soon(server).await.unwrap();
    assert_eq!((served.connections, served.accept_errors), (2, 0));
}

/// Long before the deadline: the client has gone, so nobody waits for the answer.
#[tokio::test]
async fn shutdown_does_not_wait_for_clients_that_have_gone() {
    let mut config = ServeConfig::default();
    config.connection.half_close_grace = Duration::from_millis(20);
    config.shutdown_timeout = Duration::from_secs(3600);
    let (listener, address) = listen().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let (started, mut starts) = mpsc::channel(1);
    let never = Handler(move |_| {
        let started = started.clone();
        async move {
            started.send(()).await.unwrap();
            pending::<Response<Body>>().await
        }
    });
    let server = serve(listener, never).config(config).with_shutdown(async move { drop(stopped.await) });
    let server = tokio::spawn(server.into_future());
    let mut caller = caller(address).await;
    caller.request("GET", "/", b"");
    caller.flush().await;
    soon(starts.recv()).await.unwrap();
    stop.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(!server.is_finished());
    drop(caller);
    assert_eq!(soon(server).await.unwrap().connections, 1);
}

/// What `poll_ready` takes, `call` gives back: a permit, for instance. So who is refused must not be asked about it.
#[tokio::test]
async fn a_refused_request_does_not_take_the_services_readiness() {
    #[derive(Clone, Default)]
    struct Counting {
        ready: Arc<AtomicUsize>,
        called: Arc<AtomicUsize>,
    }
    impl Service<Request<Body>> for Counting {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = std::future::Ready<Result<Response<Body>, Infallible>>;

        fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            // Not at the first time of asking.
            if self.ready.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(Ok(()))
        }
        fn call(&mut self, request: Request<Body>) -> Self::Future {
            self.called.fetch_add(1, Ordering::Relaxed);
            std::future::ready(Ok(Response::new(Body::from(request.uri().path().to_owned()))))
        }
    }

    let (listener, address) = listen().await;
    let service = Counting::default();
    let (ready, called) = (Arc::clone(&service.ready), Arc::clone(&service.called));
    let server = tokio::spawn(serve(listener, service).into_future());
    let mut caller = caller(address).await;
    for _ in 0..3 {
        let refused = soon(caller.call("GET", "/#fragment", b"")).await;
        assert_eq!(refused.status, 400);
    }
    assert_eq!((ready.load(Ordering::Relaxed), called.load(Ordering::Relaxed)), (0, 0));
    assert_eq!(&soon(caller.call("GET", "/a", b"")).await.body[..], b"/a");
    assert_eq!((ready.load(Ordering::Relaxed), called.load(Ordering::Relaxed)), (2, 1));
    server.abort();
}

#[tokio::test]
async fn shutdown_ends_at_its_deadline() {
    let mut config = ServeConfig::default();
    config.shutdown_timeout = Duration::from_millis(100);
    let (listener, address) = listen().await;
    let (stop, stopped) = oneshot::channel::<()>();
    let never = Handler(|_| pending::<Response<Body>>());
    let server = serve(listener, never).config(config).with_shutdown(async move { drop(stopped.await) });
    let server = tokio::spawn(server.into_future());
    let mut caller = caller(address).await;
    caller.request("GET", "/", b"");
    caller.flush().await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    stop.send(()).unwrap();
    assert_eq!(soon(server).await.unwrap().connections, 1);
    soon(caller.answers(1)).await;
    assert!(matches!(caller.client.poll_close(), Close::Now(_)));
}

#[tokio::test]
async fn connections_are_bounded() {
    let mut config = ServeConfig::default();
    config.max_connections = 1;
    let (listener, address) = listen().await;
    let (begun, mut begins) = mpsc::channel(1);
    let (finish, finished) = tokio::sync::watch::channel(false);
    let handler = move |request: Request<Body>| {
        let (begun, mut finished) = (begun.clone(), finished.clone());
        async move {
            begun.send(()).await.unwrap();
            finished.wait_for(|finished| *finished).await.unwrap();
            echo(request).await
        }
    };
    tokio::spawn(serve(listener, Handler(handler)).config(config).into_future());
    let mut first = caller(address).await;
    first.request("POST", "/", b"1");
    first.flush().await;
    begins.recv().await.unwrap();
    // The second waits until the first, which is being served, is gone or idle.
    let mut second = caller(address).await;
    second.request("POST", "/", b"2");
    second.flush().await;
    let early = tokio::time::timeout(Duration::from_millis(150), second.read(|seen| !seen.is_empty())).await;
    assert!(early.is_err() && begins.try_recv().is_err());
    finish.send(true).unwrap();
    assert_eq!(soon(first.answers(1)).await[0].body, b"1");
    assert_eq!(soon(second.answers(1)).await[0].body, b"2");
}

#[tokio::test]
async fn silent_connections_are_closed() {
    let mut config = ServerConfig::default();
    config.first_frame_timeout = Duration::from_millis(50);
    let mut silent = connect(Handler(echo), config.clone(), 1 << 16);
    assert_eq!(soon(silent.io.read(&mut [0; 10])).await.unwrap(), 0);
    config.first_frame_timeout = Duration::from_secs(10);
    config.progress_timeout = Duration::from_millis(50);
    let mut stalled = connect(Handler(echo), config, 1 << 16);
    assert_eq!(soon(stalled.call("POST", "/", b"1")).await.body, b"1");
    stalled.io.write_all(&[0, 0, 1]).await.unwrap();
    assert_eq!(soon(stalled.io.read(&mut [0; 10])).await.unwrap(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Bodies come back byte for byte, whole or streamed, through pipes of any width.
    #[test]
    fn bodies_are_identical(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..3000), 1..5),
        chunk in 1..2000_usize,
        pipe in 1..5000_usize,
        wait: bool,
    ) {
        let handler = move |request: Request<Body>| async move {
            let body = request.into_body().into_bytes().unwrap();
            let (sender, receiver) = mpsc::channel(1);
            tokio::spawn(async move {
                for chunk in body.chunks(chunk) {
                    if wait {
                        tokio::task::yield_now().await;
                    }
                    let _ = sender.send(Ok(Frame::data(Bytes::copy_from_slice(chunk)))).await;
                }
            });
            Response::new(Fed(receiver))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(soon(async {
            let mut caller = connect(Handler(handler), ServerConfig::default(), pipe);
            for body in &bodies {
                let seen = caller.call("POST", "/", body).await;
                assert_eq!((seen.status, seen.complete), (200, true));
                assert!(seen.body == *body);
            }
        }));
    }
}
