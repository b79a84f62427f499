//! What is observed when things fail before a request, around it, and between two ends: one test for each kind.
#![cfg(all(feature = "tracing", feature = "metrics", feature = "server", feature = "client", feature = "tls"))]

mod authority;
mod listening;
mod observed;

use std::collections::VecDeque;
use std::future::{IntoFuture, Ready, ready};
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::routing::{get, post};
use http::{Request, Response};
use listening::{answer, frame, soon};
use observed::{counts, observe};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service;
use zap_http::{
    Body, Client, ClientError, ConnectionInfo, Listener, LocalAddress, ServeConfig, Timeout, listen, serve,
};

/// Fails, and hands out connections, as it is told; then it waits.
struct Scripted(VecDeque<io::Result<DuplexStream>>);

impl Listener for Scripted {
    type Io = DuplexStream;

    fn poll_accept(&mut self, _: &mut Context<'_>) -> Poll<io::Result<(DuplexStream, ConnectionInfo)>> {
        match self.0.pop_front() {
            Some(next) => Poll::Ready(next.map(|io| (io, ConnectionInfo::new(None, None)))),
            None => Poll::Pending,
        }
    }

    fn local_address(&self) -> io::Result<LocalAddress> {
        Ok(LocalAddress::Unnamed)
    }
}

#[tokio::test(start_paused = true)]
async fn connections_that_are_not_accepted() {
    let observed = observe();
    let (aborted, exhausted) = (|| io::ErrorKind::ConnectionAborted.into(), || io::Error::other("no descriptors"));
    let mut script: VecDeque<_> = (0..3).map(|_| Err(aborted())).chain((0..21).map(|_| Err(exhausted()))).collect();
    // Accepted after a second without descriptors, in order to be closed.
    let (mut first, theirs) = tokio::io::duplex(100);
    script.push_back(Ok(theirs));
    let server = serve(Scripted(script), Router::new());
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());
    assert!(listening::is_closed(&mut first).await);
    handle.shutdown();
    let served = soon(server).await.unwrap();
    assert_eq!((served.accept_errors, served.shed), (24, 1));
    let expected = [("zap_http_accept_errors_total{}", 24), ("zap_http_connections_shed_total{}", 1)];
    assert_eq!(observed.metrics(), counts(&expected));
    assert!(observed.has("WARN `connections shed` count=1"), "{:#?}", observed.lines());
    let told =
        observed.lines().into_iter().filter(|line| line == "WARN `connection not accepted` error=no descriptors");
    assert_eq!(told.count(), 21);
}

#[tokio::test]
async fn handshakes_that_fail() {
    let observed = observe();
    let server = listen("zaps://127.0.0.1:0").tls(authority::Authority::new().server()).bind().await.unwrap();
    let address = server.local_addresses().unwrap()[0].socket_addr().unwrap();
    let server = server.serve(Router::new());
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&frame("GET", "/", b"secret")).await.unwrap();
    let _ = soon(stream.read_to_end(&mut Vec::new())).await;
    handle.shutdown();
    assert_eq!(soon(server).await.unwrap().failed_handshakes, 1);
    assert_eq!(observed.metrics(), counts(&[("zap_http_handshake_failures_total{}", 1)]));
    let lines = observed.lines();
    assert!(lines.len() == 1 && lines[0].starts_with("DEBUG `TLS handshake failed` error="), "{lines:#?}");
    assert!(!lines[0].contains("secret"));
}

/// A service whose error is nobody's business.
#[derive(Clone)]
struct Failing;

#[derive(Debug)]
struct Secret;

impl Service<Request<Body>> for Failing {
    type Response = Response<Body>;
    type Error = Secret;
    type Future = Ready<Result<Response<Body>, Secret>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Secret>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Err(Secret))
    }
}

#[tokio::test]
async fn services_that_fail() {
    let observed = observe();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, Failing).into_future());
    assert_eq!(soon(Client::new().get(url).send()).await.unwrap().status(), 500);
    assert_eq!(observed.metrics()["zap_http_handler_failures_total{kind=error}"], 1);
    // Only its type is known: it need not be one that can be shown.
    let line = "ERROR `handler failed` in INFO request in DEBUG connection error=observe_failures::Secret";
    assert!(observed.has(line), "{:#?}", observed.lines());
}

#[tokio::test]
async fn handlers_whose_client_goes_away() {
    let observed = observe();
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel::<()>();
    let app = Router::new().route(
        "/",
        get(move || async move {
            begun.send(()).unwrap();
            std::future::pending::<()>().await;
        }),
    );
    let mut config = ServeConfig::default();
    config.connection.half_close_grace = Duration::from_millis(1);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve(listener, app).config(config);
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&frame("GET", "/", b"")).await.unwrap();
    soon(begins.recv()).await.unwrap();
    drop(stream);
    listening::until(async || observed.lines().concat().contains("`connection closed`")).await;
    handle.shutdown();
    soon(server).await.unwrap();
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=server,status=given_up}"], 1, "{metrics:#?}");
    assert_eq!(metrics["zap_http_connections_closed_total{side=server,reason=half_close_grace}"], 1, "{metrics:#?}");
    assert!(!metrics.contains_key("zap_http_requests_in_flight{side=server}"));
}

#[tokio::test]
async fn requests_without_memory() {
    let observed = observe();
    let mut config = ServeConfig::default();
    config.max_in_flight_len = 1000;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/", post(|body: String| async { body }));
    tokio::spawn(serve(listener, app).config(config).into_future());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&frame("POST", "/", &[b'x'; 100_000])).await.unwrap();
    assert_eq!(answer(&mut stream).await.unwrap().0, 503);
    let _ = soon(stream.read_to_end(&mut Vec::new())).await;
    let line = "WARN `request refused` in DEBUG connection reason=overloaded";
    listening::until(async || observed.has(line)).await;
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_refusals_total{reason=overloaded}"], 1);
    assert_eq!(metrics["zap_http_connections_closed_total{side=server,reason=overloaded}"], 1);
}

/// Answers the first request of its first connection, and closes at the second one; answers on the next connection.
#[tokio::test]
async fn requests_that_are_sent_again() {
    let observed = observe();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}/?secret", listener.local_addr().unwrap());
    let ok = || {
        let mut wire = Vec::new();
        zap_http::proto::Encoder::frame(&mut wire).response(200, "OK").unwrap().finish().unwrap();
        wire
    };
    tokio::spawn(async move {
        let request = async |stream: &mut TcpStream| {
            let len = stream.read_u32().await.unwrap();
            stream.read_exact(&mut vec![0; len as usize]).await.unwrap();
        };
        let (mut stream, _) = listener.accept().await.unwrap();
        request(&mut stream).await;
        stream.write_all(&ok()).await.unwrap();
        request(&mut stream).await;
        drop(stream);
        let (mut stream, _) = listener.accept().await.unwrap();
        request(&mut stream).await;
        stream.write_all(&ok()).await.unwrap();
        std::future::pending::<()>().await;
    });
    let client = Client::new();
    for _ in 0..2 {
        assert_eq!(soon(client.get(&url).send()).await.unwrap().status(), 200);
    }
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_pool_retries_total{}"], 1);
    assert_eq!(metrics["zap_http_requests_total{side=client,status=2xx}"], 2);
    assert_eq!(metrics["zap_http_connections_opened_total{side=client}"], 2);
    assert!(observed.has("DEBUG `request sent again` in INFO request peer"), "{:#?}", observed.lines());
    assert!(!observed.lines().concat().contains("secret"));
}

#[tokio::test]
async fn connections_that_are_not_made() {
    let observed = observe();
    let tls = authority::Authority::new().client();
    // One that says nothing, one that speaks no TLS, and a socket that is not there.
    let (silent, other) =
        (TcpListener::bind("127.0.0.1:0").await.unwrap(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let at = |listener: &TcpListener| format!("zaps://localhost:{}", listener.local_addr().unwrap().port());
    let (silent_url, other_url) = (at(&silent), at(&other));
    tokio::spawn(async move {
        let (mut stream, _) = other.accept().await.unwrap();
        stream.write_all(b"no TLS at all, whatever comes").await.unwrap();
        let _ = stream.read_to_end(&mut Vec::new()).await;
    });
    let missing = format!("unix:{}", listening::socket_path("missing").display());
    for (target, timeout, reason) in [
        (silent_url, Duration::from_millis(20), "timeout"),
        (other_url, Duration::from_secs(20), "tls"),
        #[cfg(unix)]
        (missing, Duration::from_secs(20), "other"),
    ] {
        let client = Client::builder().tls(tls.clone()).connect_timeout(timeout).to(target.as_str()).unwrap();
        let error = soon(client.get("/?secret").send()).await.unwrap_err();
        assert!(matches!(error, ClientError::Connect(_) | ClientError::Timeout(Timeout::Connect)), "{error:?}");
        let metrics = observed.metrics();
        assert_eq!(metrics[&format!("zap_http_connect_failures_total{{reason={reason}}}")], 1, "{metrics:#?}");
        let start = "DEBUG `cannot connect` error=";
        let told = observed.lines().into_iter().filter(|line| line.starts_with(start));
        assert!(told.clone().any(|line| line.ends_with(&format!(" peer reason={reason}"))), "{:#?}", observed.lines());
    }
    assert!(!observed.lines().concat().contains("secret"));
}

/// A call that finds all connections busy is one that waits, for as long as it does.
#[tokio::test]
async fn calls_that_wait() {
    let observed = observe();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}/", silent.local_addr().unwrap());
    let client = Client::builder().max_connections(1).build();
    let first = tokio::spawn(client.get(&url).send());
    let (mut stream, _) = soon(silent.accept()).await.unwrap();
    soon(stream.read_u32()).await.unwrap();
    drop(observed.metrics());
    let second = tokio::spawn(client.get(&url).send());
    listening::until(async || {
        tokio::task::yield_now().await;
        observed.metrics().get("zap_http_pool_waiters{}") == Some(&1)
    })
    .await;
    second.abort();
    assert!(soon(second).await.unwrap_err().is_cancelled());
    assert_eq!(observed.metrics()["zap_http_pool_waiters{}"], -1);
    first.abort();
}
