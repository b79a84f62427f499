//! Calls as a user makes them.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body as AxumBody;
use axum::extract::Request as AxumRequest;
use axum::routing::{any, get};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body as _, Frame};
use tower_service::Service;
use zap_http::{Body, Client, ClientError, TargetError};

use super::support::{Peer, end, listen, start, whole};

/// What a body gives, one frame after another.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Taken {
    pub(crate) data: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
}

pub(crate) async fn take<B: http_body::Body<Data = Bytes>>(body: B) -> Result<Taken, B::Error> {
    let (mut body, mut taken) = (pin!(body), Taken::default());
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        match frame?.into_data() {
            Ok(data) => taken.data.extend_from_slice(&data),
            Err(frame) => taken.trailers = frame.into_trailers().ok(),
        }
    }
    Ok(taken)
}

/// A body from a list of frames, one per poll, with a pause between.
struct Frames(Vec<Frame<Bytes>>, bool);

impl http_body::Body for Frames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.1 = !self.1;
        if self.1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(if self.0.is_empty() { None } else { Some(Ok(self.0.remove(0))) })
    }
}

fn frames(chunks: &[&'static str], trailers: HeaderMap) -> Frames {
    let chunks = chunks.iter().map(|chunk| Frame::data(Bytes::from_static(chunk.as_bytes())));
    Frames(chunks.chain([Frame::trailers(trailers)]).collect(), false)
}

fn trailers() -> HeaderMap {
    HeaderMap::from_iter([(http::HeaderName::from_static("x-sum"), HeaderValue::from_static("9f"))])
}

/// Tells what it was asked.
fn mirror() -> Router {
    Router::new().fallback(any(|request: AxumRequest| async move {
        let line = format!("{} {} {:?}", request.method(), request.uri(), request.headers().get("x-a"));
        let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
        format!("{line} {}", String::from_utf8_lossy(&body))
    }))
}

#[tokio::test]
async fn short_forms() {
    let url = start(mirror()).await;
    let client = Client::new();
    let text = client.get(format!("{url}/a?b")).header("x-a", "1").send().await.unwrap().text().await.unwrap();
    assert_eq!(text, "GET /a?b Some(\"1\") ");
    let text = client.post(format!("{url}/a")).body("hello").send().await.unwrap().text().await.unwrap();
    assert_eq!(text, "POST /a None hello");
    for (request, line) in [
        (client.put(format!("{url}/a")), "PUT"),
        (client.patch(format!("{url}/a")), "PATCH"),
        (client.delete(format!("{url}/a")), "DELETE"),
        (client.request(Method::from_bytes(b"PURGE").unwrap(), format!("{url}/a")), "PURGE"),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("x-a", HeaderValue::from_static("2"));
        let bytes = request.headers(headers).body(vec![b'x']).send().await.unwrap().bytes().await.unwrap();
        assert_eq!(bytes, format!("{line} /a Some(\"2\") x"));
    }
    let mut response = client.get(&url[..]).send().await.unwrap().error_for_status().unwrap();
    assert_eq!(
        (response.status(), response.headers()["content-type"].as_bytes()),
        (StatusCode::OK, &b"text/plain; charset=utf-8"[..])
    );
    assert_eq!(response.chunk().await.unwrap().unwrap(), "GET / None ");
    assert_eq!(response.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_told_by_send() {
    let client = Client::new();
    let failed = |request: zap_http::RequestBuilder| async { request.send().await.unwrap_err() };
    for (uri, error) in [
        ("/a", TargetError::MissingScheme),
        ("http://a.example/", TargetError::UnknownScheme),
        ("zap://me@a.example/", TargetError::UserInfo),
        ("zap://a.example:0/", TargetError::InvalidPort),
    ] {
        let failed = failed(client.get(uri)).await;
        assert!(matches!(failed, ClientError::InvalidTarget(found) if found == error), "{uri}: {failed:?}");
    }
    let bound = Client::to("zap://127.0.0.1:1").unwrap();
    assert!(matches!(
        failed(bound.get("http://me@a.example/")).await,
        ClientError::InvalidTarget(TargetError::UserInfo)
    ));
    for request in [
        client.get("zap://a b"),
        client.get("zap://127.0.0.1:1/").header("a b", "1"),
        client.get("zap://127.0.0.1:1/").header("a", "\n"),
        bound.get("*"),
        bound.request(Method::CONNECT, "/"),
    ] {
        let failed = failed(request).await;
        assert!(matches!(failed, ClientError::InvalidRequest(_)), "{failed:?}");
    }
    // Nobody listens there.
    let failed = failed(bound.get("/")).await;
    let ClientError::Connect(error) = failed else { panic!("{failed:?}") };
    assert_eq!(error.target().to_string(), "zap://127.0.0.1:1");
    assert_eq!(error.io_error().kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn statuses_are_errors_only_if_asked() {
    let client = Client::to(&*start(Router::new()).await).unwrap();
    let response = client.get("/nothing").send().await.unwrap();
    assert_eq!(response.status(), 404);
    assert!(matches!(response.error_for_status(), Err(ClientError::Status(StatusCode::NOT_FOUND))));
}

#[cfg(feature = "json")]
#[tokio::test]
async fn json_both_ways() {
    let app = Router::new().fallback(any(|request: AxumRequest| async move {
        let content_type = request.headers()["content-type"].clone();
        ([("content-type", content_type)], request.into_body())
    }));
    let client = Client::to(&*start(app).await).unwrap();
    let response = client.post("/").json(&vec![1, 2]).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.json::<Vec<u8>>().await.unwrap(), [1, 2]);
    let response = client.post("/").header("content-type", "text/json").json("a").send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/json");
    assert!(matches!(response.json::<u8>().await, Err(ClientError::Json(_))));
}

/// Code that knows tower and nothing of us.
async fn call_as_tower<S, B, R>(mut service: S, request: Request<B>) -> Response<R>
where
    S: Service<Request<B>, Response = Response<R>>,
    S::Error: std::fmt::Debug,
{
    poll_fn(|context| service.poll_ready(context)).await.unwrap();
    service.call(request).await.unwrap()
}

#[tokio::test]
async fn a_tower_service_of_any_body() {
    let url = start(mirror()).await;
    let client = Client::to(&url[..]).unwrap();
    let request = Request::post("https://a.example/b").body(Body::from("whole")).unwrap();
    let response = call_as_tower(&client, request).await;
    assert_eq!(take(response.into_body()).await.unwrap().data, b"POST /b None whole");
    let request = Request::put("/b").body(frames(&["str", "", "eam", "ed"], HeaderMap::new())).unwrap();
    let response = call_as_tower(client, request).await;
    assert_eq!(take(response.into_body()).await.unwrap().data, b"PUT /b None streamed");
    let request = Request::put(format!("{url}/c")).body(AxumBody::from("axum's")).unwrap();
    let response = call_as_tower(Client::new(), request).await;
    assert_eq!(take(response.into_body()).await.unwrap().data, b"PUT /c None axum's");
}

#[tokio::test]
async fn what_the_server_sees() {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let authority = url.strip_prefix("zap://").unwrap();
    let mut request = Request::post("/a?b").body(frames(&["x"], trailers())).unwrap();
    for (name, value) in
        [("connection", "x-hop"), ("x-hop", "1"), ("te", "gzip"), ("content-length", "1"), ("x-a", "1"), ("x-a", "2")]
    {
        request.headers_mut().append(name, HeaderValue::from_static(value));
    }
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        let seen = peer.request().await.unwrap();
        peer.send(&whole(200, b"")).await;
        for _ in 0..2 {
            peer.target().await;
            peer.send(&whole(200, b"")).await;
        }
        seen
    };
    let calls = async {
        call_as_tower(&client, request).await;
        client.get("/").header("host", "one.example").header("host", "two.example").send().await.unwrap();
        client.get("zap://three.example:80/").send().await.unwrap();
    };
    let (seen, ()) = tokio::join!(server, calls);
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!((&*seen.method, &*seen.target, &*seen.body), ("POST", "/a?b", &b"x"[..]));
    assert_eq!(seen.headers, [pair("host", authority), pair("x-a", "1"), pair("x-a", "2")]);
    assert_eq!(seen.trailers, [pair("x-sum", "9f")]);
}

#[tokio::test]
async fn the_host_is_what_was_written() {
    let app = Router::new().fallback(any(|request: AxumRequest| async move {
        request.headers()["host"].clone().to_str().unwrap().to_owned()
    }));
    let url = start(app).await;
    let authority = url.strip_prefix("zap://").unwrap();
    let (routed, bound) = (Client::new(), Client::to(&url[..]).unwrap());
    for (request, host) in [
        (routed.get(format!("{url}/")), authority),
        (routed.get(format!("{url}/")).header("host", "given.example"), "given.example"),
        (bound.get("/"), authority),
        (bound.get("https://A.example:1/"), "A.example:1"),
        (bound.get("/").header("host", "given.example"), "given.example"),
    ] {
        assert_eq!(request.send().await.unwrap().text().await.unwrap(), host);
    }
}

#[tokio::test]
async fn a_streamed_answer_with_trailers() {
    let app = Router::new().route("/", get(|| async { AxumBody::new(frames(&["one", "two"], trailers())) }));
    let client = Client::to(&*start(app).await).unwrap();
    for _ in 0..3 {
        let response = client.get("/").send().await.unwrap().into_http();
        assert!(!response.body().is_end_stream());
        let taken = take(response.into_body()).await.unwrap();
        assert_eq!((&taken.data[..], taken.trailers), (&b"onetwo"[..], Some(trailers())));
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "onetwo");
    }
}

#[tokio::test]
async fn trailers_of_a_whole_answer() {
    let (listener, url) = listen().await;
    let server = async {
        let mut wire = Vec::new();
        let mut response = zap_http::proto::Encoder::frame(&mut wire).response(200, "OK").unwrap();
        response.body(b"x").unwrap().trailer("x-sum", "9f").unwrap();
        response.finish().unwrap();
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&wire).await;
    };
    let client = Client::to(&url[..]).unwrap();
    let (response, ()) = tokio::join!(client.get("/").send(), server);
    let taken = take(response.unwrap().into_http().into_body()).await.unwrap();
    assert_eq!((&taken.data[..], taken.trailers), (&b"x"[..], Some(trailers())));
}

/// A body without end that counts what was taken of it.
struct Endless(Arc<AtomicUsize>);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        static CHUNK: [u8; 32 << 10] = [7; 32 << 10];
        if self.0.fetch_add(1, Ordering::Relaxed) % 8 == 7 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&CHUNK)))))
    }
}

/// The server stops when the reader does: what is under way fits into both ends' buffers and the sockets'.
#[tokio::test]
async fn a_stream_waits_for_its_reader() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&polls);
    let app = Router::new().route("/", get(move || async move { AxumBody::new(Endless(counted)) }));
    let client = Client::to(&*start(app).await).unwrap();
    let mut response = client.get("/").send().await.unwrap();
    let mut before = usize::MAX;
    // Until nothing moves any more.
    while polls.load(Ordering::Relaxed) != before {
        before = polls.load(Ordering::Relaxed);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(before < 1000, "{before} chunks are under way");
    // And goes on with it.
    while polls.load(Ordering::Relaxed) < before + 100 {
        assert!(response.chunk().await.unwrap().unwrap().iter().all(|byte| *byte == 7));
    }
}

#[tokio::test]
async fn answers_without_body() {
    let app = Router::new()
        .route("/204", any(|| async { StatusCode::NO_CONTENT }))
        .route("/304", any(|| async { StatusCode::NOT_MODIFIED }))
        .route("/200", any(|| async { "body" }));
    let client = Client::to(&*start(app).await).unwrap();
    for (method, target, status) in [
        (Method::HEAD, "/200", 200),
        (Method::GET, "/204", 204),
        (Method::GET, "/304", 304),
        (Method::HEAD, "/204", 204),
    ] {
        let response = client.request(method, target).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.bytes().await.unwrap(), "");
    }
}

/// Peers that send a body where there is none do not disturb the next answer.
#[tokio::test]
async fn bodies_where_there_is_none() {
    let (listener, url) = listen().await;
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        for answer in
            [whole(200, b"x"), [super::support::head(200), super::support::data(b"x"), end(&[("a", "b")])].concat()]
        {
            peer.target().await;
            peer.send(&answer).await;
        }
        peer.target().await;
        peer.send(&whole(200, b"right")).await;
    };
    let client = Client::to(&url[..]).unwrap();
    let calls = async {
        for _ in 0..2 {
            let taken = take(client.head("/").send().await.unwrap().into_http().into_body()).await.unwrap();
            assert_eq!(taken, Taken::default());
        }
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "right");
    };
    tokio::join!(server, calls);
}

#[tokio::test]
async fn bodies_are_bounded() {
    let url = start(mirror()).await;
    let client = Client::builder().max_body_len(10).max_collected_len(30).to(&url[..]).unwrap();
    assert!(client.post("/").body(vec![b'x'; 10]).send().await.is_ok());
    let failed = client.post("/").body(vec![b'x'; 11]).send().await;
    assert!(matches!(failed, Err(ClientError::BodyTooLarge { limit: 10 })));
    let mut service = client.clone();
    let failed = service.call(Request::post("/").body(frames(&["123456", "78901"], HeaderMap::new())).unwrap()).await;
    assert!(matches!(failed, Err(ClientError::BodyTooLarge { limit: 10 })));
    // "GET /… None " has 11 bytes and the target's.
    let text = client.get(format!("/{}", "a".repeat(18))).send().await.unwrap().text().await.unwrap();
    assert_eq!(text.len(), 29);
    let failed = client.get(format!("/{}", "a".repeat(20))).send().await.unwrap().text().await;
    assert!(matches!(failed, Err(ClientError::BodyTooLarge { limit: 30 })));

    let mut config = zap_http::proto::ClientConfig::default();
    config.frame.max_frame_len = 1000;
    let client = Client::builder().connection(config).to(&url[..]).unwrap();
    for len in [990, 2000] {
        let failed = client.post("/").body(vec![b'x'; len]).send().await;
        assert!(matches!(failed, Err(ClientError::BodyTooLarge { limit: 1000 })), "{failed:?}");
    }
    assert!(client.post("/").body(vec![b'x'; 500]).send().await.is_ok());
}

#[tokio::test]
async fn a_failing_request_body_is_the_calls_error() {
    struct Failing;
    impl http_body::Body for Failing {
        type Data = Bytes;
        type Error = &'static str;
        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
            Poll::Ready(Some(Err("no more")))
        }
    }
    let mut client = Client::to("zap://127.0.0.1:1").unwrap();
    let failed = client.call(Request::new(Failing)).await.unwrap_err();
    assert!(matches!(&failed, ClientError::RequestBody(cause) if cause.to_string() == "no more"));
}

#[cfg(unix)]
#[tokio::test]
async fn unix_sockets() {
    use std::os::unix::net::UnixListener as StdListener;
    use tokio::net::UnixListener;

    let app =
        Router::new().fallback(any(|request: AxumRequest| async move { format!("{:?}", request.headers()["host"]) }));
    let serve = |listener: StdListener| {
        listener.set_nonblocking(true).unwrap();
        let (listener, app) = (UnixListener::from_std(listener).unwrap(), app.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let info = zap_http::ConnectionInfo::new(None, None);
                let config = zap_http::proto::ServerConfig::default();
                tokio::spawn(zap_http::serve_connection(stream, app.clone(), config, info, std::future::pending()));
            }
        });
    };
    let path = std::env::temp_dir().join(format!("zap-http-client-{}.sock", std::process::id()));
    serve(StdListener::bind(&path).unwrap());
    let client = Client::to(format!("unix:{}", path.display())).unwrap();
    for _ in 0..2 {
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "\"localhost\"");
        let text = client.get("http://a.example/").send().await.unwrap().text().await.unwrap();
        assert_eq!(text, "\"a.example\"");
    }
    std::fs::remove_file(path).unwrap();
    assert!(client.get("/").send().await.is_ok(), "the connection is kept");

    #[cfg(target_os = "linux")]
    {
        use std::os::linux::net::SocketAddrExt;
        use std::os::unix::net::SocketAddr;
        let name = format!("zap-http-client-{}", std::process::id());
        serve(StdListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap());
        let client = Client::to(format!("unix:@{name}")).unwrap();
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "\"localhost\"");
    }
}

#[test]
fn without_a_runtime_there_is_an_error() {
    let call = pin!(Client::new().get("zap://127.0.0.1:1/").send());
    let polled = call.poll(&mut Context::from_waker(std::task::Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Err(ClientError::NoRuntime))));
}
