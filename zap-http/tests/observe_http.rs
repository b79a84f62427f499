//! What is observed on `http://` addresses: the same spans, events and metrics as over ZAP, and no more.
#![cfg(all(feature = "tracing", feature = "metrics", feature = "gateway"))]

mod gateways;
mod listening;
mod observed;

use std::convert::Infallible;
use std::future::IntoFuture;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body as AxumBody;
use axum::routing::{any, get};
use gateways::{Channel, collected, http_1, http_2};
use http::{Request, Response, StatusCode};
use http_body::Frame;
use listening::{is_closed, soon};
use observed::observe;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use zap_http::{ServeConfig, Served, ServerHandle, listen};

struct Running {
    address: SocketAddr,
    handle: ServerHandle,
    server: JoinHandle<Served>,
}

impl Running {
    async fn stop(self) {
        self.handle.shutdown();
        soon(self.server).await.unwrap();
    }
}

async fn start(app: Router, config: ServeConfig) -> Running {
    let server = listen("http://127.0.0.1:0").bind().await.unwrap().serve(app).config(config);
    let address = server.local_addresses().unwrap()[0].socket_addr().unwrap();
    Running { address, handle: server.handle(), server: tokio::spawn(server.into_future()) }
}

fn app() -> Router {
    Router::new()
        .route(
            "/stations/{id}",
            any(|| async {
                tracing::info!(target: "app", "within the handler");
                "ok"
            }),
        )
        .route("/none", get(|| async { StatusCode::NO_CONTENT }))
        .route(
            "/panic",
            get(|| async {
                if true {
                    panic!("a secret")
                }
            }),
        )
}

fn request(method: &str, target: &str) -> Request<Channel> {
    Request::builder().method(method).uri(target).header("host", "a.example").body(Channel::whole("")).unwrap()
}

#[tokio::test]
async fn requests_and_connections_count_as_over_zap() {
    let observed = observe();
    let running = start(app(), ServeConfig::default()).await;
    let mut client = http_1(running.address).await;
    let mut first = request("GET", "/stations/7?token=secret");
    first.headers_mut().insert("authorization", "secret".parse().unwrap());
    for (request, status) in [
        (first, 200),
        (request("HEAD", "/stations/8"), 200),
        (request("GET", "/none"), 204),
        (request("GET", "/nowhere"), 404),
        (request("GET", "/panic?secret"), 500),
    ] {
        let response = collected(soon(client.send_request(request)).await.unwrap()).await;
        assert_eq!(response.status, status);
    }
    let mut metrics = observed.metrics();
    assert!(metrics.remove("zap_http_received_bytes_total{side=server}").unwrap() > 200);
    assert!(metrics.remove("zap_http_sent_bytes_total{side=server}").unwrap() > 200);
    let expected = [
        ("zap_http_connections_opened_total{side=server}", 1),
        ("zap_http_connections{side=server}", 1),
        ("zap_http_handler_failures_total{kind=panic}", 1),
        ("zap_http_request_duration_seconds{side=server}", 5),
        ("zap_http_requests_total{side=server,status=2xx}", 3),
        ("zap_http_requests_total{side=server,status=4xx}", 1),
        ("zap_http_requests_total{side=server,status=5xx}", 1),
    ];
    assert_eq!(metrics, observed::counts(&expected));

    // In HTTP/2 a request lies in its connection, too.
    let mut second = http_2(running.address).await;
    let response = soon(second.send_request(request("GET", "http://a.example/stations/9?secret"))).await.unwrap();
    assert_eq!(collected(response).await.status, 200);
    drop((client, second));
    running.stop().await;
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=server,status=2xx}"], 1);
    assert_eq!(metrics["zap_http_connections_opened_total{side=server}"], 1);
    assert_eq!(metrics["zap_http_connections{side=server}"], -1);

    let of_request = |path: &str, status: u16, method: &str| {
        let fields = format!("method={method} path={path} peer seconds side=server status={status}");
        format!("INFO request in DEBUG connection {fields}")
    };
    for line in [
        of_request("/stations/7", 200, "GET"),
        of_request("/stations/8", 200, "HEAD"),
        of_request("/none", 204, "GET"),
        of_request("/nowhere", 404, "GET"),
        of_request("/panic", 500, "GET"),
        of_request("/stations/9", 200, "GET"),
        "INFO `within the handler` in INFO request in DEBUG connection".to_owned(),
        "ERROR `handler panicked` in INFO request in DEBUG connection".to_owned(),
    ] {
        assert!(observed.has(&line), "{line} in {:#?}", observed.lines());
    }
    let closed = observed.lines().into_iter().filter(|line| line.starts_with("DEBUG `connection closed`"));
    assert_eq!(closed.count(), 2);
    assert!(!observed.lines().concat().contains("secret") && !observed.lines().concat().contains("a.example"));
}

/// An answer that breaks off, and one that nobody waits for any more.
#[tokio::test]
async fn answers_that_are_not_completed_have_no_status() {
    let observed = observe();
    let (sender, body) = Channel::open();
    let (panics, panicking) = Channel::open();
    let once = |body: AxumBody| {
        let body = std::sync::Arc::new(std::sync::Mutex::new(Some(body)));
        get(move || async move { Response::new(body.lock().unwrap().take().unwrap()) })
    };
    let app = Router::new()
        .route("/panics", once(AxumBody::new(Panics(panicking))))
        .route("/waits", once(AxumBody::new(body)));
    let running = start(app, ServeConfig::default()).await;
    let mut client = http_1(running.address).await;
    let mut response = soon(client.send_request(request("GET", "/panics"))).await.unwrap();
    panics.send(Frame::data("begun".into())).unwrap();
    assert_eq!(gateways::next_data(response.body_mut()).await.unwrap(), "begun");
    drop(panics);
    assert!(gateways::next_data_or_failure(response.body_mut()).await.unwrap().is_err());
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=server,status=given_up}"], 1);
    assert_eq!(metrics["zap_http_handler_failures_total{kind=panic}"], 1);

    let mut client = http_1(running.address).await;
    let response = soon(client.send_request(request("GET", "/waits"))).await.unwrap();
    assert_eq!(observed.metrics()["zap_http_requests_in_flight{side=server}"], 1);
    drop((response, client));
    // The server's end sees that its client is gone.
    soon(sender.closed()).await;
    running.stop().await;
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=server,status=cancelled}"], 1);
    assert_eq!(metrics["zap_http_requests_in_flight{side=server}"], -1);
}

/// A body that panics after its first piece.
struct Panics(Channel);

impl http_body::Body for Panics {
    type Data = bytes::Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<bytes::Bytes>, Infallible>>> {
        let polled = std::pin::Pin::new(&mut self.0).poll_frame(context);
        assert!(!matches!(polled, std::task::Poll::Ready(None)), "a secret");
        polled
    }
}

#[tokio::test]
async fn refusals_and_ends_have_reasons() {
    let observed = observe();
    let mut config = ServeConfig::default();
    config.connection.frame.max_frame_len = 1000;
    config.connection.progress_timeout = Duration::from_millis(20);
    config.connection.first_frame_timeout = Duration::from_millis(300);
    config.max_in_flight_len = 500;
    let running = start(Router::new().fallback(|body: String| async { body }), config).await;
    let head = "POST / HTTP/1.1\r\nhost: a\r\n";
    let kilobyte = "x".repeat(900);
    for (bytes, refusal, reason) in [
        (format!("{head}content-length: 1001\r\n\r\n"), Some("too_long"), None),
        (format!("{head}content-length: 900\r\n\r\n{kilobyte}"), Some("overloaded"), None),
        (format!("{head}content-length: 5\r\n\r\nx"), Some("body_stalled"), None),
        (format!("{head}transfer-encoding: chunked\r\n\r\nno\r\n"), Some("body_failed"), None),
        ("no HTTP at all \r\n\r\n".to_owned(), None, Some("invalid_http")),
        ("G".to_owned(), None, Some("first_frame_timeout")),
    ] {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        match refusal {
            Some(_) => drop(gateways::read_until(&mut stream, "\r\n\r\n").await),
            None => drop(is_closed(&mut stream).await),
        }
        drop(stream);
        // What is told of the connection comes after its end.
        let told = reason.map(|reason| format!("`connection closed` reason={reason}"));
        if let Some(told) = told {
            listening::until(async || observed.lines().concat().contains(&told)).await;
        }
    }
    running.stop().await;
    let metrics = observed.metrics();
    for refusal in ["too_long", "overloaded", "body_stalled", "body_failed"] {
        assert_eq!(metrics[&format!("zap_http_refusals_total{{reason={refusal}}}")], 1, "{metrics:#?}");
    }
    for reason in ["invalid_http", "first_frame_timeout"] {
        assert_eq!(metrics[&format!("zap_http_connections_closed_total{{side=server,reason={reason}}}")], 1);
    }
}
