//! Streamed requests between our client and our server, over sockets.
#![cfg(all(feature = "server", feature = "client"))]

use std::convert::Infallible;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body as AxumBody;
use axum::routing::{any, get, post};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::{Body as _, Frame};
use tokio::sync::mpsc;
use tower_service::Service;
use zap_http::{Client, ClientError, ServeConfig, serve};

/// A body that is fed by the test.
struct Fed(mpsc::UnboundedReceiver<Result<Frame<Bytes>, &'static str>>);

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

type Feeder = mpsc::UnboundedSender<Result<Frame<Bytes>, &'static str>>;

fn fed() -> (Feeder, Fed) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (sender, Fed(receiver))
}

fn chunk(bytes: impl Into<Bytes>) -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::data(bytes.into()))
}

fn trailers() -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::trailers(HeaderMap::from_iter([("x-sum".parse().unwrap(), "9f".parse().unwrap())])))
}

/// Gives back what it is given, piece by piece.
struct Echo(AxumBody);

impl http_body::Body for Echo {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.0).poll_frame(context)
    }
}

fn app() -> Router {
    Router::new()
        .route(
            "/echo",
            post(|request: Request<AxumBody>| async { Response::new(AxumBody::new(Echo(request.into_body()))) }),
        )
        .route("/bytes", any(|body: Bytes| async { body }))
        .route("/refuse", post(|| async { StatusCode::FORBIDDEN }))
        .route("/hello", get(|| async { "hello" }))
        // The body is read elsewhere.
        .route(
            "/spawned",
            post(|request: Request<AxumBody>| async {
                tokio::spawn(async { axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap() })
                    .await
                    .unwrap()
            }),
        )
}

async fn start(streams: bool) -> String {
    let mut config = ServeConfig::default();
    config.connection.stream_requests = streams;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    tokio::spawn(serve(listener, app()).config(config).into_future());
    url
}

fn client() -> Client {
    Client::builder().stream_requests(true).build()
}

async fn soon<T>(task: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), task).await.expect("it takes too long")
}

async fn send<B>(client: &Client, url: String, body: B) -> Result<Response<zap_http::ResponseBody>, ClientError>
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    soon((&*client).call(Request::post(url).body(body).unwrap())).await
}

/// The next piece of an answer.
async fn next(body: &mut zap_http::ResponseBody) -> Option<Frame<Bytes>> {
    soon(std::future::poll_fn(|context| Pin::new(&mut *body).poll_frame(context))).await.map(Result::unwrap)
}

async fn all(mut body: zap_http::ResponseBody) -> (Vec<u8>, Option<HeaderMap>) {
    let (mut bytes, mut trailers) = (Vec::new(), None);
    while let Some(frame) = next(&mut body).await {
        match frame.into_data() {
            Ok(data) => bytes.extend_from_slice(&data),
            Err(frame) => trailers = frame.into_trailers().ok(),
        }
    }
    (bytes, trailers)
}

/// Each piece is answered before the next is sent: in both directions at once.
#[tokio::test]
async fn pieces_go_and_come() {
    let (url, client) = (start(true).await, client());
    let (feeder, body) = fed();
    feeder.send(chunk("first")).unwrap();
    let response = send(&client, format!("{url}/echo"), body).await.unwrap();
    let mut answer = response.into_body();
    assert_eq!(next(&mut answer).await.unwrap().into_data().unwrap(), "first");
    for piece in ["second", "third"] {
        feeder.send(chunk(piece)).unwrap();
        assert_eq!(next(&mut answer).await.unwrap().into_data().unwrap(), piece);
    }
    feeder.send(trailers()).unwrap();
    drop(feeder);
    assert_eq!(next(&mut answer).await.unwrap().into_trailers().unwrap()["x-sum"], "9f");
    assert!(next(&mut answer).await.is_none());
    // The connection is good for more.
    for _ in 0..3 {
        let response = soon(client.get(format!("{url}/hello")).send()).await.unwrap();
        assert_eq!(soon(response.text()).await.unwrap(), "hello");
    }
}

/// More than any buffer on the way holds, whoever reads it.
#[tokio::test]
async fn large_bodies_are_streamed() {
    let (url, client) = (start(true).await, client());
    let whole: Vec<u8> = (0..5_000_000_u32).map(|index| (index % 251) as u8).collect();
    let whole = Bytes::from(whole);
    for path in ["echo", "spawned"] {
        for piece in [1000, 300_000] {
            let (feeder, body) = fed();
            let response = tokio::spawn({
                let (client, url) = (client.clone(), format!("{url}/{path}"));
                async move { send(&client, url, body).await.unwrap() }
            });
            let mut rest = whole.clone();
            while !rest.is_empty() {
                feeder.send(chunk(rest.split_to(piece.min(rest.len())))).unwrap();
                tokio::task::yield_now().await;
            }
            drop(feeder);
            let response = soon(response).await.unwrap();
            assert_eq!(response.status(), 200);
            let (bytes, _) = all(response.into_body()).await;
            assert!(bytes == whole, "{path}, {piece}: {} bytes", bytes.len());
        }
    }
}

/// What is there at once goes as one frame, which any server takes; and so does all else to a server that says nothing.
#[tokio::test]
async fn servers_that_say_nothing_are_sent_whole_requests() {
    for streams in [false, true] {
        let (url, client) = (start(streams).await, client());
        let response = send(&client, format!("{url}/bytes"), AxumBody::from("at once")).await.unwrap();
        assert_eq!(all(response.into_body()).await.0, b"at once");
        let (feeder, body) = fed();
        tokio::spawn(async move {
            for piece in ["piece ", "by ", "piece"] {
                tokio::task::yield_now().await;
                feeder.send(chunk(piece)).unwrap();
            }
            feeder.send(trailers()).unwrap();
        });
        let response = send(&client, format!("{url}/echo"), body).await.unwrap();
        let (bytes, trailers) = all(response.into_body()).await;
        assert_eq!(bytes, b"piece by piece");
        assert_eq!(trailers.unwrap()["x-sum"], "9f");
    }
    // A body that never ends cannot be sent whole.
    let client = Client::builder().stream_requests(true).max_body_len(100_000).build();
    let url = start(false).await;
    let (feeder, body) = fed();
    for _ in 0..4 {
        feeder.send(chunk(vec![7; 40_000])).unwrap();
    }
    let refused = send(&client, format!("{url}/echo"), body).await;
    assert!(matches!(refused, Err(ClientError::BodyTooLarge { limit: 100_000 })), "{refused:?}");
}

#[tokio::test]
async fn an_answer_before_the_end_stops_the_request() {
    let (url, client) = (start(true).await, client());
    let (feeder, body) = fed();
    feeder.send(chunk("begun")).unwrap();
    let response = send(&client, format!("{url}/refuse"), body).await.unwrap();
    assert_eq!(response.status(), 403);
    drop(response);
    // Nobody takes more of the body.
    soon(feeder.closed()).await;
    let response = soon(client.get(format!("{url}/hello")).send()).await.unwrap();
    assert_eq!(soon(response.text()).await.unwrap(), "hello");
}

#[tokio::test]
async fn a_body_that_fails_is_told_to_both() {
    let (url, client) = (start(true).await, client());
    let (feeder, body) = fed();
    feeder.send(chunk("half")).unwrap();
    let sent = tokio::spawn({
        let (client, url) = (client.clone(), format!("{url}/bytes"));
        async move { send(&client, url, body).await }
    });
    tokio::task::yield_now().await;
    feeder.send(Err("the disk is gone")).unwrap();
    let failed = soon(sent).await.unwrap();
    assert!(
        matches!(&failed, Err(ClientError::RequestBody(cause)) if cause.to_string() == "the disk is gone"),
        "{failed:?}"
    );
    let response = soon(client.get(format!("{url}/hello")).send()).await.unwrap();
    assert_eq!(response.status(), 200);
}

/// A caller that goes away takes its body along.
#[tokio::test]
async fn a_dropped_call_drops_its_body() {
    let (url, client) = (start(true).await, client());
    let (feeder, body) = fed();
    feeder.send(chunk("begun")).unwrap();
    let response = send(&client, format!("{url}/echo"), body).await.unwrap();
    let mut answer = response.into_body();
    assert!(next(&mut answer).await.is_some());
    drop(answer);
    soon(feeder.closed()).await;
}

/// A handler that does not read stops its peer, and not the server.
#[tokio::test]
async fn a_slow_handler_slows_its_peer() {
    let mut config = ServeConfig::default();
    config.connection.stream_requests = true;
    let (go, gone) = tokio::sync::watch::channel(false);
    let slow = move |request: Request<AxumBody>| {
        let mut gone = gone.clone();
        async move {
            gone.wait_for(|go| *go).await.unwrap();
            axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap().len().to_string()
        }
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    let app = Router::new().route("/slow", post(slow));
    tokio::spawn(serve(listener, app).config(config).into_future());

    // A body without end, which counts what is taken of it.
    struct Endless(std::sync::Arc<std::sync::atomic::AtomicUsize>, usize);
    impl http_body::Body for Endless {
        type Data = Bytes;
        type Error = Infallible;
        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.1 == 0 {
                return Poll::Ready(None);
            }
            self.1 -= 1;
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            context.waker().wake_by_ref();
            Poll::Ready(Some(Ok(Frame::data(Bytes::from(vec![7; 32 << 10])))))
        }
    }
    let taken = std::sync::Arc::default();
    let pieces = 4000;
    let client = client();
    let sent = tokio::spawn({
        let body = Endless(std::sync::Arc::clone(&taken), pieces);
        async move { send(&client, format!("{url}/slow"), body).await.unwrap() }
    });
    // It comes to rest, with far less than all of it under way: the sockets' buffers hold some megabytes.
    let mut last = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = taken.load(std::sync::atomic::Ordering::Relaxed);
        if now == last && now > 0 {
            break;
        }
        last = now;
    }
    assert!(last < pieces / 2, "{last} of {pieces} pieces were taken");
    go.send(true).unwrap();
    let response = soon(sent).await.unwrap();
    assert_eq!(all(response.into_body()).await.0, (pieces * (32 << 10)).to_string().into_bytes());
}
