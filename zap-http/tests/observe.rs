//! What the features `tracing` and `metrics` show: exactly this for one request, and never what is nobody's business.
#![cfg(all(feature = "tracing", feature = "metrics", feature = "server", feature = "client"))]

mod listening;
mod observed;

use std::future::IntoFuture;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::routing::{get, post};
use bytes::Bytes;
use http_body::Frame;
use listening::soon;
use observed::{counts, observe};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use zap_http::proto::{AnswerError, Encoder};
use zap_http::{Client, ClientError, RequestView, Responder, Served, ServerHandle, handler_fn, serve, serve_handler};

struct Running {
    url: String,
    handle: ServerHandle,
    server: JoinHandle<Served>,
}

impl Running {
    async fn stop(self) {
        self.handle.shutdown();
        soon(self.server).await.unwrap();
    }
}

async fn start() -> Running {
    let app = Router::new()
        .route(
            "/stations/{id}",
            get(|| async {
                tracing::info!(target: "app", "within the handler");
                "ok"
            }),
        )
        .route(
            "/panic",
            get(|| async {
                if true {
                    panic!("a secret")
                }
            }),
        )
        .route("/missing", post(|body: String| async { (axum::http::StatusCode::NOT_FOUND, body) }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    let server = serve(listener, app);
    Running { url, handle: server.handle(), server: tokio::spawn(server.into_future()) }
}

#[tokio::test]
async fn one_request_leaves_this_and_nothing_else() {
    let observed = observe();
    let running = start().await;
    let client = Client::new();
    let url = format!("{}/stations/7?token=secret", running.url);
    let response = soon(client.get(url).header("authorization", "secret").send()).await.unwrap();
    assert_eq!(soon(response.text()).await.unwrap(), "ok");

    let mut before = observed.metrics();
    assert!(before.remove("zap_http_received_bytes_total{side=server}").unwrap() > 64);
    assert!(before.remove("zap_http_sent_bytes_total{side=client}").unwrap() > 64);
    assert!(before.remove("zap_http_received_bytes_total{side=client}").unwrap() > 64);
    let written = before.remove("zap_http_sent_bytes_total{side=server}");
    let expected = [
        ("zap_http_connections_opened_total{side=client}", 1),
        ("zap_http_connections_opened_total{side=server}", 1),
        ("zap_http_connections{side=client}", 1),
        ("zap_http_connections{side=server}", 1),
        ("zap_http_pool_misses_total{}", 1),
        ("zap_http_received_frames_total{side=client}", 1),
        ("zap_http_received_frames_total{side=server}", 1),
        ("zap_http_request_duration_seconds{side=client}", 1),
        ("zap_http_request_duration_seconds{side=server}", 1),
        ("zap_http_requests_total{side=client,status=2xx}", 1),
        ("zap_http_requests_total{side=server,status=2xx}", 1),
        ("zap_http_sent_frames_total{side=client}", 1),
        ("zap_http_sent_frames_total{side=server}", 1),
    ];
    assert_eq!(before, counts(&expected));
    assert!(written.unwrap() > 64);

    drop(client);
    running.stop().await;
    let after = observed.metrics();
    assert_eq!(after.len(), 4, "{after:?}");
    for side in ["client", "server"] {
        // Either end may have been the first.
        let closed = format!("zap_http_connections_closed_total{{side={side},reason=");
        assert!(after.keys().any(|name| name.starts_with(&closed)), "{after:?}");
        assert_eq!(after[&format!("zap_http_connections{{side={side}}}")], -1);
    }

    let mut lines = observed.lines();
    lines.retain(|line| !line.starts_with("DEBUG "));
    let expected = [
        "INFO `within the handler` in INFO request in DEBUG connection",
        "INFO request in DEBUG connection method=GET path=/stations/7 peer seconds side=server status=200",
        "INFO request method=GET path=/stations/7 peer seconds side=client status=200",
    ];
    assert_eq!(lines, expected);
    let all = observed.lines();
    for side in ["server", "client"] {
        let connections = all.iter().filter(|line| line.starts_with("DEBUG connection peer reason="));
        let of_side = connections.filter(|line| line.ends_with(&format!(" side={side} transport=Tcp")));
        assert_eq!(of_side.count(), 1, "{all:#?}");
        let closed = all.iter().filter(|line| line.starts_with("DEBUG `connection closed`"));
        assert_eq!(closed.filter(|line| line.ends_with(&format!(" side={side}"))).count(), 1, "{all:#?}");
    }
    assert!(all.iter().all(|line| !line.contains("secret") && !line.contains("token")), "{all:#?}");
}

#[tokio::test]
async fn kept_connections_are_hits_and_statuses_are_classes() {
    let observed = observe();
    let running = start().await;
    let client = Client::new();
    for _ in 0..3 {
        let request = client.post(format!("{}/missing?secret", running.url)).body("secret");
        let response = soon(request.send()).await.unwrap();
        assert_eq!(response.status(), 404);
        drop(soon(response.bytes()).await.unwrap());
    }
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_pool_hits_total{}"], 2);
    assert_eq!(metrics["zap_http_pool_misses_total{}"], 1);
    assert_eq!(metrics["zap_http_requests_total{side=server,status=4xx}"], 3);
    assert_eq!(metrics["zap_http_requests_total{side=client,status=4xx}"], 3);
    assert!(!metrics.contains_key("zap_http_pool_waiters{}"));
    assert!(!observed.lines().concat().contains("secret"));
}

#[tokio::test]
async fn panics_and_errors_of_handlers_are_told() {
    let observed = observe();
    let running = start().await;
    let client = Client::new();
    let response = soon(client.get(format!("{}/panic?secret", running.url)).send()).await.unwrap();
    assert_eq!(response.status(), 500);
    assert!(observed.has("ERROR `handler panicked` in INFO request in DEBUG connection"));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    let failing = |_: RequestView<'_>, _: Responder<'_>| Err::<(), _>(AnswerError::NoRequest);
    tokio::spawn(serve_handler(listener, handler_fn(failing)).into_future());
    assert_eq!(soon(client.get(url).send()).await.unwrap().status(), 500);
    let failed = "ERROR `handler failed` in INFO request in DEBUG connection error=no request waits for this";
    assert!(observed.has(failed), "{:#?}", observed.lines());

    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_handler_failures_total{kind=panic}"], 1);
    assert_eq!(metrics["zap_http_handler_failures_total{kind=error}"], 1);
    assert_eq!(metrics["zap_http_requests_total{side=server,status=5xx}"], 2);
    assert!(!observed.lines().concat().contains("secret"));
}

fn request(target: &str, host: &str) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request("GET", target).unwrap();
    request.header("host", host).unwrap();
    request.finish().unwrap();
    wire
}

/// What means nothing in HTTP, what is no frame, and what is no length.
#[tokio::test]
async fn refusals_have_reasons() {
    let observed = observe();
    let running = start().await;
    let address = running.url.trim_start_matches("zap://");
    let mut broken = request("/", "a");
    broken[4] = b'?';
    let user_info = "http://me:secret@survey.example/stations?secret";
    for (bytes, end) in [
        (request(user_info, "survey.example"), false),
        (request("http://a/", "other.example"), false),
        (broken, true),
        (0_u32.to_be_bytes().to_vec(), true),
        (u32::MAX.to_be_bytes().to_vec(), true),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&bytes).await.unwrap();
        let mut answer = [0; 4];
        if end {
            // Refused with its connection.
            let _ = soon(stream.read_to_end(&mut Vec::new())).await;
        } else {
            soon(stream.read_exact(&mut answer)).await.unwrap();
        }
    }
    running.stop().await;
    let metrics = observed.metrics();
    for reason in ["user_info_in_target", "host_mismatch", "invalid_magic", "zero_length", "too_long"] {
        assert_eq!(metrics[&format!("zap_http_refusals_total{{reason={reason}}}")], 1, "{metrics:#?}");
        let lines = observed.lines();
        let told = lines.iter().filter(|line| line.starts_with("DEBUG `request refused`"));
        assert_eq!(told.filter(|line| line.ends_with(&format!(" reason={reason}"))).count(), 1, "{lines:#?}");
    }
    assert_eq!(metrics["zap_http_connections_closed_total{side=server,reason=frame_refused}"], 1);
    assert_eq!(metrics["zap_http_connections_closed_total{side=server,reason=length_refused}"], 2);
    let seen = observed.lines().concat();
    assert!(seen.contains("path=/stations "), "{seen}");
    assert!(!seen.contains("secret") && !seen.contains("survey"), "{seen}");
}

#[tokio::test]
async fn calls_that_fail_have_reasons() {
    let observed = observe();
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}/?secret", gone.local_addr().unwrap());
    drop(gone);
    let client = Client::new();
    assert!(matches!(soon(client.get(url).send()).await, Err(ClientError::Connect(_))));
    let user_info = soon(client.get("zap://me:secret@survey.example/").send()).await;
    assert!(matches!(user_info, Err(ClientError::InvalidTarget(_))));
    let metrics = observed.metrics();
    let expected = [
        ("zap_http_connect_failures_total{reason=refused}", 1),
        ("zap_http_pool_misses_total{}", 1),
        ("zap_http_request_duration_seconds{side=client}", 2),
        ("zap_http_request_failures_total{reason=connect}", 1),
        ("zap_http_request_failures_total{reason=invalid_target}", 1),
        ("zap_http_requests_total{side=client,status=failed}", 2),
    ];
    assert_eq!(metrics, counts(&expected));
    assert!(!observed.lines().concat().contains("secret"));
}

/// A body that begins, and fails.
struct Failing(u32);

impl http_body::Body for Failing {
    type Data = Bytes;
    type Error = std::fmt::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::fmt::Error>>> {
        self.0 += 1;
        context.waker().wake_by_ref();
        match self.0 {
            1 => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b"begun"))))),
            2 => Poll::Pending,
            _ => Poll::Ready(Some(Err(std::fmt::Error))),
        }
    }
}

/// An answer that is not completed is none of its status: the client could not have had all of it.
#[tokio::test]
async fn answers_that_break_off_are_given_up() {
    let observed = observe();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/", get(|| async { axum::body::Body::new(Failing(0)) }));
    tokio::spawn(serve(listener, app).into_future());
    let response = soon(Client::new().get(url).send()).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(matches!(soon(response.bytes()).await, Err(ClientError::Closed { .. })));
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=server,status=given_up}"], 1);
    // Head and data.
    assert_eq!(metrics["zap_http_sent_frames_total{side=server}"], 2);
    assert_eq!(metrics["zap_http_received_frames_total{side=client}"], 2);
    assert_eq!(metrics["zap_http_connections_closed_total{side=server,reason=stream_abandoned}"], 1);
    let line = "INFO request in DEBUG connection failure=given_up method=GET path=/ peer seconds side=server";
    assert!(observed.has(line), "{:#?}", observed.lines());
}

/// A request that nobody waits for any more is not in flight.
#[tokio::test]
async fn cancelled_calls_are_over() {
    let observed = observe();
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}/", silent.local_addr().unwrap());
    let client = Client::new();
    let call = tokio::spawn(client.get(url).send());
    let (mut stream, _) = soon(silent.accept()).await.unwrap();
    soon(stream.read_u32()).await.unwrap();
    assert_eq!(observed.metrics()["zap_http_requests_in_flight{side=client}"], 1);
    call.abort();
    assert!(soon(call).await.unwrap_err().is_cancelled());
    let metrics = observed.metrics();
    assert_eq!(metrics["zap_http_requests_total{side=client,status=cancelled}"], 1);
    assert_eq!(metrics["zap_http_requests_in_flight{side=client}"], -1);
}
