//! Streams through the gateway: requests on their way while they are being answered, both ways and in a chain of both, what
//! is collected instead, and trailers.
#![cfg(feature = "gateway")]

mod gateways;
mod listening;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body as AxumBody;
use axum::routing::{any, post};
use bytes::Bytes;
use gateways::{Channel, chain, collected, http_1, http_2, http_server, next_data, recorder, zap_server};
use http::header::{TE, TRAILER};
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use hyper::body::Incoming;
use listening::soon;
use tokio::sync::mpsc::UnboundedSender;
use tower_service::Service;
use zap_http::gateway::{self, Gateway};
use zap_http::{Body, Client, ServeConfig, listen};

/// Gives back what it is given, piece by piece, trailers included.
fn echo() -> Router {
    Router::new().fallback(any(|request: Request<AxumBody>| async {
        Response::builder().header(TRAILER, "x-sum").body(AxumBody::new(Echo(request.into_body()))).unwrap()
    }))
}

/// As `axum::body::Body`, but not known to be empty at its start.
struct Echo(AxumBody);

impl http_body::Body for Echo {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        std::pin::Pin::new(&mut self.0).poll_frame(context)
    }
}

/// Serves on one address, taking streamed requests; where.
async fn streaming<S, B>(address: &str, service: S) -> SocketAddr
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let mut config = ServeConfig::default();
    config.connection.stream_requests = true;
    let server = listen(address).bind().await.unwrap().serve(service).config(config);
    let address = server.local_addresses().unwrap()[0].socket_addr().unwrap();
    tokio::spawn(server.into_future());
    address
}

fn to_zap(address: SocketAddr) -> Gateway {
    gateway::to_zap_with(Client::builder().stream_requests(true), format!("zap://{address}")).unwrap()
}

fn trailers() -> HeaderMap {
    HeaderMap::from_iter([("x-sum".parse().unwrap(), "9f".parse().unwrap())])
}

/// Each piece comes back before the next one is sent; then the end and the trailers.
async fn converse(sender: UnboundedSender<Frame<Bytes>>, response: &mut Response<Incoming>) {
    for piece in ["one", "two", "three"] {
        sender.send(Frame::data(piece.into())).unwrap();
        assert_eq!(next_data(response.body_mut()).await.unwrap(), piece);
    }
    sender.send(Frame::trailers(trailers())).unwrap();
    drop(sender);
}

fn upload(uri: &str) -> http::request::Builder {
    Request::post(uri).header("host", "a.example").header(TE, "trailers").header(TRAILER, "x-sum")
}

#[tokio::test]
async fn a_request_over_http_is_answered_while_it_is_sent() {
    let zap = streaming("zap://127.0.0.1:0", echo()).await;
    let http = streaming("http://127.0.0.1:0", echo()).await;
    let behind = streaming("zap://127.0.0.1:0", gateway::to_http(http.to_string()).unwrap()).await;
    // To ZAP, and over ZAP to HTTP/1.1.
    for upstream in [zap, behind] {
        let front = streaming("http://127.0.0.1:0", to_zap(upstream)).await;
        let (sender, body) = Channel::open();
        let request = Request::post("http://a.example/").header(TE, "trailers").header(TRAILER, "x-sum");
        let mut response = soon(http_2(front).await.send_request(request.body(body).unwrap())).await.unwrap();
        converse(sender, &mut response).await;
        let rest = collected(response).await;
        assert_eq!((rest.status, rest.body.len(), &rest.trailers), (200, 0, &trailers()));

        let (sender, body) = Channel::open();
        let mut client = http_1(front).await;
        let mut response = soon(client.send_request(upload("/").body(body).unwrap())).await.unwrap();
        converse(sender, &mut response).await;
        let rest = collected(response).await;
        assert_eq!((rest.status, rest.body.len(), &rest.trailers), (200, 0, &trailers()));
        // The connection is sound after it.
        let request = upload("/").body(Channel::whole("short")).unwrap();
        assert_eq!(collected(soon(client.send_request(request)).await.unwrap()).await.body, "short");
    }
}

#[tokio::test]
async fn a_request_over_zap_is_streamed_to_http() {
    let http = streaming("http://127.0.0.1:0", echo()).await;
    let front = streaming("zap://127.0.0.1:0", gateway::to_http(http.to_string()).unwrap()).await;
    let mut client = Client::builder().stream_requests(true).to(format!("zap://{front}").as_str()).unwrap();
    let (sender, body) = Channel::open();
    let call = client.call(upload("/").body(body).unwrap());
    sender.send(Frame::data("one".into())).unwrap();
    let mut response = soon(call).await.unwrap();
    let mut next = async || {
        let frame = std::future::poll_fn(|context| {
            http_body::Body::poll_frame(std::pin::Pin::new(response.body_mut()), context)
        });
        soon(frame).await.map(Result::unwrap)
    };
    assert_eq!(next().await.unwrap().into_data().unwrap(), "one");
    sender.send(Frame::data("two".into())).unwrap();
    assert_eq!(next().await.unwrap().into_data().unwrap(), "two");
    sender.send(Frame::trailers(trailers())).unwrap();
    drop(sender);
    assert_eq!(next().await.unwrap().into_trailers().unwrap(), trailers());
}

/// More than one frame, the budget or a collected body may have.
#[tokio::test]
async fn a_streamed_request_has_any_length() {
    let zap = streaming("zap://127.0.0.1:0", echo()).await;
    let gateway = to_zap(zap).max_body_len(1000).max_buffered_len(1000);
    let front = streaming("http://127.0.0.1:0", gateway).await;
    let body = Bytes::from(gateways::random(7, 3 << 20));
    let pieces: Vec<_> = body.chunks(100_000).map(|piece| Frame::data(Bytes::copy_from_slice(piece))).collect();
    let request = Request::post("http://a.example/").body(Channel::of(pieces)).unwrap();
    let response = collected(soon(http_2(front).await.send_request(request)).await.unwrap()).await;
    assert!(response.body == body, "{} bytes", response.body.len());
}

/// A server that takes no streamed requests is given none.
#[tokio::test]
async fn without_the_capability_bodies_are_collected_within_bounds() {
    let seen = recorder();
    let zap = zap_server(seen.app()).await;
    let gateway = || to_zap(zap).max_body_len(100_000);
    for (gateway, len, status) in [
        (gateway(), 100_000, 200),
        (gateway(), 100_001, 413),
        (gateway().max_buffered_len(90_000), 90_000, 200),
        (gateway().max_buffered_len(90_000), 90_001, 503),
    ] {
        let front = streaming("http://127.0.0.1:0", gateway).await;
        let body = gateways::random(7, len);
        // Twice, so that what was held is given back.
        for _ in 0..2 {
            let pieces = body.chunks(50_000).map(|piece| Frame::data(Bytes::copy_from_slice(piece)));
            let request = upload("/").body(Channel::of(pieces.collect::<Vec<_>>())).unwrap();
            let response = soon(http_1(front).await.send_request(request)).await.unwrap();
            assert_eq!(collected(response).await.status, status, "{len}");
            let came = seen.all().into_iter().filter(|seen| seen.method == "POST").any(|seen| seen.body == body);
            assert_eq!(came, status == 200, "{len}");
        }
    }
    // What does not go on is given up.
    let (_sender, body) = Channel::open();
    let mut gateway = gateway().progress_timeout(Duration::from_millis(10));
    let response = soon(gateway.call(Request::post("/").body(body).unwrap())).await.unwrap();
    assert_eq!(response.status(), 408);
}

/// A client that goes away takes the upstream's request with it.
#[tokio::test]
async fn a_streamed_request_that_breaks_off_is_not_complete_upstream() {
    let (told, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let app = Router::new().route(
        "/",
        post(move |request: Request<AxumBody>| async move {
            // Elsewhere, since the handler itself is dropped.
            let read = async move {
                told.send("begun").unwrap();
                let read = axum::body::to_bytes(request.into_body(), usize::MAX).await;
                told.send(if read.is_ok() { "complete" } else { "cut" }).unwrap();
            };
            let _ = tokio::spawn(read).await;
        }),
    );
    let zap = streaming("zap://127.0.0.1:0", app.clone()).await;
    let http = streaming("http://127.0.0.1:0", app).await;
    let behind = streaming("zap://127.0.0.1:0", gateway::to_http(http.to_string()).unwrap()).await;
    for upstream in [zap, behind] {
        let front = streaming("http://127.0.0.1:0", to_zap(upstream)).await;
        let mut stream = tokio::net::TcpStream::connect(front).await.unwrap();
        let head = b"POST / HTTP/1.1\r\nhost: a.example\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, head).await.unwrap();
        assert_eq!(soon(ends.recv()).await, Some("begun"));
        drop(stream);
        assert_eq!(soon(ends.recv()).await, Some("cut"));
    }
}

/// An answer does not wait for the rest of its request.
#[tokio::test]
async fn an_early_answer_comes_through() {
    let app = Router::new().fallback(any(|| async { http::StatusCode::FORBIDDEN }));
    let zap = streaming("zap://127.0.0.1:0", app.clone()).await;
    let http = streaming("http://127.0.0.1:0", app).await;
    let behind = streaming("zap://127.0.0.1:0", gateway::to_http(http.to_string()).unwrap()).await;
    for upstream in [zap, behind] {
        let front = streaming("http://127.0.0.1:0", to_zap(upstream)).await;
        // Its end never comes.
        let (sender, body) = Channel::open();
        let request = Request::post("http://a.example/").body(body).unwrap();
        let mut client = http_2(front).await;
        sender.send(Frame::data(vec![7; 1000].into())).unwrap();
        let response = soon(client.send_request(request)).await.unwrap();
        assert_eq!(collected(response).await.status, 403);
        // Those who still send may go on with other requests.
        let request = Request::get("http://a.example/").body(Channel::whole("")).unwrap();
        assert_eq!(collected(soon(client.send_request(request)).await.unwrap()).await.status, 403);
    }
}

/// Whoever no longer waits for an answer sets the upstream free.
#[tokio::test]
async fn a_client_that_goes_away_ends_the_upstreams_answer() {
    let (told, mut answers) = tokio::sync::mpsc::unbounded_channel();
    let app = Router::new().fallback(any(move || async move {
        let (sender, body) = Channel::open();
        sender.send(Frame::data("begun".into())).unwrap();
        told.send(sender).unwrap();
        Response::new(AxumBody::new(body))
    }));
    let near = http_server(gateways::to_zap(zap_server(app.clone()).await)).await;
    for front in [near, chain(app).await] {
        let mut client = http_1(front).await;
        let request = Request::get("/").header("host", "a.example").body(Channel::whole("")).unwrap();
        let mut response = soon(client.send_request(request)).await.unwrap();
        assert_eq!(next_data(response.body_mut()).await.unwrap(), "begun");
        let sender = soon(answers.recv()).await.unwrap();
        drop((client, response));
        soon(sender.closed()).await;
    }
}

/// HTTP/1.1 must be told the names first: by the app, or since they are gRPC's; and the client must want them.
#[tokio::test]
async fn trailers_of_streams_reach_http_1() {
    let app = |kind: &'static str, announced: Option<&'static str>| {
        Router::new().fallback(move || async move {
            let (sender, body) = Channel::open();
            tokio::spawn(async move {
                sender.send(Frame::data("data".into())).unwrap();
                // Not at once, so that it is a stream.
                tokio::task::yield_now().await;
                let trailers = [("grpc-status", "0"), ("x-sum", "9f")];
                let trailers = trailers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
                sender.send(Frame::trailers(HeaderMap::from_iter(trailers))).unwrap();
            });
            let response = Response::builder().header("content-type", kind);
            let response = announced.into_iter().fold(response, |response, names| response.header(TRAILER, names));
            response.body(AxumBody::new(body)).unwrap()
        })
    };
    for (kind, announced, names) in [
        ("text/plain", Some("x-sum"), &["x-sum"][..]),
        ("application/grpc+proto", None, &["grpc-status"]),
        ("application/grpc", Some("x-sum"), &["grpc-status", "x-sum"]),
    ] {
        // From ZAP, and from HTTP/1.1 over ZAP: there the app must announce them itself, or its server sends none.
        let app = app(kind, announced);
        let near = http_server(gateways::to_zap(zap_server(app.clone()).await)).await;
        let fronts = if announced.is_some() { vec![near, chain(app).await] } else { vec![near] };
        for (at, front) in fronts.into_iter().enumerate() {
            let names = if at > 0 { &["x-sum"][..] } else { names };
            for wanted in [true, false] {
                let request = Request::get("/").header("host", "a.example");
                let request = if wanted { request.header(TE, "trailers") } else { request };
                let request = request.body(Channel::whole("")).unwrap();
                let response = collected(soon(http_1(front).await.send_request(request)).await.unwrap()).await;
                let mut came: Vec<_> = response.trailers.keys().map(|name| name.as_str().to_owned()).collect();
                came.sort();
                assert_eq!(&response.body[..], b"data");
                assert_eq!(came, if wanted { names } else { &[] }, "{kind} {announced:?}");
            }
        }
    }
}
