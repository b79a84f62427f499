//! The gateway: what passes through it, both ways and in a chain of both, and what it answers itself.
#![cfg(feature = "gateway")]

mod gateways;
mod listening;

use std::time::Duration;

use axum::Router;
use axum::routing::{any, get, post};
use bytes::Bytes;
use gateways::{Channel, Seen, chain, collected, http_1, http_2, http_server, random, recorder, to_zap, zap_server};
use http::header::{CONTENT_LENGTH, TE, TRAILER};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Frame;
use listening::{answer, frame, soon};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zap_http::gateway::{self, AuthorityError, GatewayError};
use zap_http::{Body, ServeConfig};

fn echo() -> Router {
    Router::new().route("/echo", post(|body: Bytes| async { body })).layer(axum::extract::DefaultBodyLimit::disable())
}

#[tokio::test]
async fn random_bodies_pass_byte_for_byte_from_http_over_zap_to_http() {
    let front = chain(echo()).await;
    let (mut one, mut two) = (http_1(front).await, http_2(front).await);
    for (seed, len) in [0, 1, 100, 65_535, 65_537, 300_000, (1 << 20) + 7].into_iter().enumerate() {
        let body = Bytes::from(random(seed as u64, len));
        let request = || Request::post("http://a.example/echo").body(Channel::whole(body.clone())).unwrap();
        let mut first = request();
        first.headers_mut().insert("host", "a.example".parse().unwrap());
        let first = collected(soon(one.send_request(first)).await.unwrap()).await;
        let second = collected(soon(two.send_request(request())).await.unwrap()).await;
        assert!((first.status, &first.body) == (200, &body), "{len} over HTTP/1.1: {}", first.status);
        assert!((second.status, &second.body) == (200, &body), "{len} over HTTP/2: {}", second.status);
        // The length of a streamed answer does not cross ZAP; no other one may come instead.
        assert!(first.headers.get(CONTENT_LENGTH).is_none_or(|length| *length == *len.to_string()), "{len}");
    }
}

#[tokio::test]
async fn an_event_arrives_before_the_end() {
    let (sender, body) = Channel::open();
    let body = std::sync::Mutex::new(Some(body));
    let body = std::sync::Arc::new(body);
    let events = move || {
        let body = body.lock().unwrap().take().unwrap();
        async move { Response::new(axum::body::Body::new(body)) }
    };
    let front = chain(Router::new().route("/events", get(events))).await;
    let mut client = http_1(front).await;
    let request = Request::get("/events").header("host", "a.example").body(Channel::whole("")).unwrap();
    sender.send(Frame::data("first".into())).unwrap();
    let mut response = soon(client.send_request(request)).await.unwrap();
    assert_eq!(gateways::next_data(response.body_mut()).await.unwrap(), "first");
    sender.send(Frame::data("second".into())).unwrap();
    assert_eq!(gateways::next_data(response.body_mut()).await.unwrap(), "second");
    drop(sender);
    assert_eq!(gateways::next_data(response.body_mut()).await, None);
}

/// A body that is not there as a whole is sent in chunks, as it comes.
#[tokio::test]
async fn a_request_streams_to_http() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut gateway = gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap();
    let (sender, body) = Channel::open();
    // hyper would send a GET without its body.
    let request = Request::get("/readings").header(TE, "trailers").body(body).unwrap();
    let call = tokio::spawn(tower_service::Service::call(&mut gateway, request));
    let (mut peer, _) = soon(upstream.accept()).await.unwrap();
    let head = gateways::read_until(&mut peer, "\r\n\r\n").await.to_lowercase();
    assert!(head.starts_with("get /readings http/1.1\r\n") && head.contains("transfer-encoding: chunked"), "{head}");
    assert!(head.contains("\r\nte: trailers\r\n") && head.contains("\r\nconnection: te\r\n"), "{head}");
    sender.send(Frame::data("one".into())).unwrap();
    assert_eq!(gateways::read_until(&mut peer, "one\r\n").await, "3\r\none\r\n");
    sender.send(Frame::data("four".into())).unwrap();
    drop(sender);
    assert_eq!(gateways::read_until(&mut peer, "0\r\n\r\n").await, "4\r\nfour\r\n0\r\n\r\n");
    peer.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
    assert_eq!(soon(call).await.unwrap().unwrap().status(), 204);
}

#[tokio::test]
async fn trailers_of_whole_messages_pass_both_ways() {
    let seen = recorder();
    let trailers = |sum: &'static str| HeaderMap::from_iter([("x-sum".parse().unwrap(), sum.parse().unwrap())]);
    let app = {
        let seen = seen.clone();
        move |request: Request<axum::body::Body>| async move {
            seen.take(request).await;
            // Announced, and after a body of unknown length: so that the upstream over HTTP/1.1 sends them.
            let body = Channel::of([Frame::data("data".into()), Frame::trailers(trailers("answered"))]);
            let body = axum::body::Body::new(body);
            Response::builder().header(TRAILER, "x-sum").body(body).unwrap()
        }
    };
    let app = Router::new().fallback(app);
    let body = || Channel::of([Frame::data("hello".into()), Frame::trailers(trailers("asked"))]);
    // HTTP/1.1 to ZAP: both are told ahead, since both are there.
    let front = http_server(to_zap(zap_server(app.clone()).await)).await;
    let request = Request::post("/").header("host", "a.example").header(TE, "trailers").header(TRAILER, "x-sum");
    let one = soon(http_1(front).await.send_request(request.body(body()).unwrap())).await.unwrap();
    // HTTP/2 over ZAP to HTTP/1.1.
    let mut client = http_2(chain(app).await).await;
    let request = Request::post("http://a.example/").header(TE, "trailers").body(body()).unwrap();
    let two = soon(client.send_request(request)).await.unwrap();
    for response in [one, two] {
        let response = collected(response).await;
        assert_eq!((&response.body[..], &response.trailers["x-sum"]), (&b"data"[..], &"answered".parse().unwrap()));
    }
    let seen = seen.all();
    assert_eq!(seen.len(), 2);
    for request in seen {
        assert_eq!((&request.body[..], &request.trailers["x-sum"]), (&b"hello"[..], &"asked".parse().unwrap()));
        assert_eq!(request.headers[TE], "trailers");
    }
}

#[tokio::test]
async fn trailers_of_streams_reach_http_2() {
    let (sender, body) = Channel::open();
    let body = std::sync::Arc::new(std::sync::Mutex::new(Some(body)));
    let app = move || async move { Response::new(axum::body::Body::new(body.lock().unwrap().take().unwrap())) };
    let zap = zap_server(Router::new().fallback(app)).await;
    let front = http_server(to_zap(zap)).await;
    let request = Request::get("http://a.example/").body(Channel::whole("")).unwrap();
    let mut client = http_2(front).await;
    let response = soon(client.send_request(request)).await.unwrap();
    sender.send(Frame::data("data".into())).unwrap();
    let trailers = [("grpc-status", "0"), ("content-length", "7")];
    let trailers = trailers.map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
    sender.send(Frame::trailers(HeaderMap::from_iter(trailers))).unwrap();
    drop(sender);
    let response = collected(response).await;
    assert_eq!(&response.body[..], b"data");
    // What only headers may have does not pass.
    assert_eq!(response.trailers, HeaderMap::from_iter([("grpc-status".parse().unwrap(), "0".parse().unwrap())]));
}

#[tokio::test]
async fn answers_without_bodies() {
    let app = Router::new()
        .route("/data", get(|| async { "data" }))
        .route("/none", get(|| async { StatusCode::NO_CONTENT }))
        .route("/same", get(|| async { (StatusCode::NOT_MODIFIED, [("etag", "\"7\"")]) }));
    let front = chain(app).await;
    let mut client = http_1(front).await;
    for (method, target, status) in
        [("HEAD", "/data", 200), ("GET", "/none", 204), ("GET", "/same", 304), ("HEAD", "/gone", 404)]
    {
        let request = Request::builder().method(method).uri(target).header("host", "a.example");
        let response = soon(client.send_request(request.body(Channel::whole("")).unwrap())).await.unwrap();
        let response = collected(response).await;
        assert_eq!((response.status, response.body.len()), (status, 0), "{method} {target}");
        // The length of a body that is not there does not cross ZAP; a wrong one must not appear.
        assert!(!response.headers.contains_key(CONTENT_LENGTH), "{method} {target}: {:?}", response.headers);
        assert_eq!(response.headers.contains_key("etag"), status == 304);
    }
    // The connection is sound after all of them.
    let request = Request::get("/data").header("host", "a.example").body(Channel::whole("")).unwrap();
    assert_eq!(collected(soon(client.send_request(request)).await.unwrap()).await.body, "data");
}

#[tokio::test]
async fn bodies_to_zap_are_bounded() {
    let zap = zap_server(echo()).await;
    let gateway = gateway::to_zap(format!("zap://{zap}")).unwrap();
    for (gateway, status) in
        [(gateway.clone().max_body_len(1000), [200, 413]), (gateway.clone().max_buffered_len(1000), [200, 503])]
    {
        let front = http_server(gateway).await;
        for (len, status) in [1000, 1001].into_iter().zip(status) {
            for chunks in [1, 2] {
                let pieces = vec![7; len].chunks(len.div_ceil(chunks)).map(Bytes::copy_from_slice).collect::<Vec<_>>();
                let body = Channel::of(pieces.into_iter().map(Frame::data));
                let request = Request::post("/echo").header("host", "a.example").body(body).unwrap();
                let response = soon(http_1(front).await.send_request(request)).await.unwrap();
                assert_eq!(collected(response).await.status, status, "{len} in {chunks}");
            }
        }
    }
    // In an app of another server, a body comes as it is sent.
    let (sender, body) = Channel::open();
    let request = Request::post("/echo").body(body).unwrap();
    let mut gateway = gateway.progress_timeout(Duration::from_millis(10));
    let response = soon(tower_service::Service::call(&mut gateway, request)).await.unwrap();
    assert_eq!(response.status(), 408);
    drop(sender);
}

/// The budget is given back.
#[tokio::test]
async fn bodies_that_were_sent_hold_nothing() {
    let zap = zap_server(echo()).await;
    let front = http_server(gateway::to_zap(format!("zap://{zap}")).unwrap().max_buffered_len(1000)).await;
    let mut client = http_1(front).await;
    for _ in 0..5 {
        let request = Request::post("/echo").header("host", "a.example").body(Channel::whole(vec![7; 900])).unwrap();
        assert_eq!(collected(soon(client.send_request(request)).await.unwrap()).await.status, 200);
    }
}

#[tokio::test]
async fn an_upstream_that_is_down_or_silent() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let down = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let at = silent.local_addr().unwrap();
    let soon_over = Duration::from_millis(50);
    let client = zap_http::Client::builder().head_timeout(soon_over);
    for (gateway, status) in [
        (gateway::to_zap(format!("zap://{down}")).unwrap(), 502),
        (gateway::to_http(down.to_string()).unwrap(), 502),
        (gateway::to_zap_with(client, format!("zap://{at}")).unwrap(), 504),
        (gateway::to_http(at.to_string()).unwrap().head_timeout(soon_over), 504),
    ] {
        let mut service = gateway.clone();
        let response = soon(tower_service::Service::call(&mut service, Request::new(Body::empty()))).await.unwrap();
        let error = response.extensions().get::<GatewayError>().expect("a cause");
        assert_eq!((response.status().as_u16(), error.status().as_u16()), (status, status));
        let front = http_server(gateway).await;
        let request = Request::get("/").header("host", "a.example").body(Channel::whole("")).unwrap();
        let response = collected(soon(http_1(front).await.send_request(request)).await.unwrap()).await;
        assert_eq!(response.status, status);
        let body = String::from_utf8(response.body.to_vec()).unwrap();
        assert!(!body.contains("127.0.0.1"), "names what is behind: {body}");
    }
}

/// An answer that ends early is broken off in front, too.
#[tokio::test]
async fn a_cut_answer_stays_cut() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let zap = zap_server(gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap()).await;
    let front = http_server(to_zap(zap)).await;
    let mut client = http_1(front).await;
    let request = Request::get("/").header("host", "a.example").body(Channel::whole("")).unwrap();
    let call = tokio::spawn(async move { client.send_request(request).await });
    let (mut peer, _) = soon(upstream.accept()).await.unwrap();
    gateways::read_until(&mut peer, "\r\n\r\n").await;
    peer.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n").await.unwrap();
    let mut response = soon(call).await.unwrap().unwrap();
    assert_eq!(gateways::next_data(response.body_mut()).await.unwrap(), "one");
    drop(peer);
    let end = soon(std::future::poll_fn(|context| {
        http_body::Body::poll_frame(std::pin::Pin::new(response.body_mut()), context)
    }));
    assert!(end.await.is_some_and(|end| end.is_err()));
}

#[tokio::test]
async fn a_missing_host_is_the_upstreams() {
    let seen = recorder();
    let upstream = http_server(seen.app()).await;
    let zap = zap_server(gateway::to_http(upstream.to_string()).unwrap()).await;
    let mut stream = TcpStream::connect(zap).await.unwrap();
    let mut wire = Vec::new();
    zap_http::proto::Encoder::frame(&mut wire).request("GET", "/a?b=c").unwrap().finish().unwrap();
    stream.write_all(&wire).await.unwrap();
    assert_eq!(answer(&mut stream).await.unwrap().0, 200);
    stream.write_all(&frame("GET", "/", b"")).await.unwrap();
    assert_eq!(answer(&mut stream).await.unwrap().0, 200);
    let seen = seen.all();
    assert_eq!(seen.iter().map(|seen| &seen.target[..]).collect::<Vec<_>>(), ["/a?b=c", "/"]);
    assert_eq!(seen[0].headers["host"], upstream.to_string());
    assert_eq!(seen[1].headers["host"], "a.example");
}

#[tokio::test]
async fn who_asked_is_said_by_the_gateway() {
    let seen = recorder();
    let zap = zap_server(seen.app()).await;
    let gateway = gateway::to_zap(format!("zap://{zap}")).unwrap();
    let lies = "GET / HTTP/1.1\r\nhost: a.example\r\nx-forwarded-for: 9.9.9.9\r\nforwarded: for=9.9.9.9\r\n\
                X-Forwarded-Host: evil.example\r\nx_forwarded_for: 9.9.9.9\r\nx-forwarded-prefix: /admin\r\n\
                connection: close\r\n\r\n";
    for keep in [false, true] {
        let front = http_server(if keep { gateway.clone().keep_forwarded() } else { gateway.clone() }).await;
        let mut stream = TcpStream::connect(front).await.unwrap();
        stream.write_all(lies.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        soon(stream.read_to_end(&mut answer)).await.unwrap();
        let Seen { headers, .. } = seen.only();
        let all = |name: &str| {
            headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>().join(", ")
        };
        let ours = "for=127.0.0.1;proto=http;host=\"a.example\"";
        match keep {
            false => {
                assert_eq!((all("x-forwarded-for"), all("forwarded")), ("127.0.0.1".to_owned(), ours.to_owned()));
                assert_eq!(all("x-forwarded-host"), "a.example");
                assert_eq!((all("x_forwarded_for"), all("x-forwarded-prefix")), Default::default());
            }
            true => {
                assert_eq!(all("x-forwarded-for"), "9.9.9.9, 127.0.0.1");
                assert_eq!(all("forwarded"), format!("for=9.9.9.9, {ours}"));
                assert_eq!(
                    (all("x-forwarded-host"), all("x-forwarded-prefix")),
                    ("evil.example".into(), "/admin".into())
                );
            }
        }
        assert_eq!((all("x-forwarded-proto"), all("via")), ("http".to_owned(), "1.1 zap-http".to_owned()));
    }
}

#[tokio::test]
async fn cookies_of_http_2_are_joined() {
    let seen = recorder();
    let front = http_server(to_zap(zap_server(seen.app()).await)).await;
    let request = Request::get("http://a.example/").header("cookie", "a=1").header("cookie", "b=2");
    let mut client = http_2(front).await;
    soon(client.send_request(request.body(Channel::whole("")).unwrap())).await.unwrap();
    let seen = seen.only();
    assert_eq!(seen.headers.get_all("cookie").iter().collect::<Vec<_>>(), ["a=1; b=2"]);
    assert_eq!(seen.headers["host"], "a.example");
}

/// Below a path of an app, on any server of axum's routers.
#[tokio::test]
async fn an_app_can_mount_a_gateway() {
    let seen = recorder();
    let zap = zap_server(seen.app()).await;
    let app = Router::new().route("/own", any(|| async { "own" })).route_service("/far/{*path}", to_zap(zap));
    let front = http_server(app).await;
    let mut client = http_1(front).await;
    for (target, body) in [("/own", "own"), ("/far/away", "seen")] {
        let request = Request::get(target).header("host", "a.example").body(Channel::whole("")).unwrap();
        assert_eq!(collected(soon(client.send_request(request)).await.unwrap()).await.body, body);
    }
    assert_eq!(seen.only().target, "/far/away");
}

#[test]
fn what_is_no_upstream() {
    for text in ["", "http://", "a b", "me@host", "host/path", "https://host", "host:99999", ":80"] {
        assert_eq!(gateway::to_http(text).map(drop), Err(AuthorityError), "{text}");
    }
    for text in ["host", "host:8080", "http://host:8080/", "[::1]:80"] {
        let _runtime_needs_none = gateway::to_http(text).unwrap();
    }
    assert!(gateway::to_zap("http://host").is_err());
}

/// The command serves with the same bounds: see its tests.
#[tokio::test]
async fn the_listener_refuses_long_bodies_before_they_are_read() {
    let zap = zap_server(echo()).await;
    let mut config = ServeConfig::default();
    config.connection.frame.max_frame_len = 1000;
    let listener = zap_http::listen("http://127.0.0.1:0").bind().await.unwrap().serve(to_zap(zap)).config(config);
    let front = listener.local_addresses().unwrap()[0].socket_addr().unwrap();
    tokio::spawn(std::future::IntoFuture::into_future(listener));
    let mut stream = TcpStream::connect(front).await.unwrap();
    stream.write_all(b"POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 1001\r\n\r\n").await.unwrap();
    assert!(gateways::read_until(&mut stream, "\r\n\r\n").await.starts_with("HTTP/1.1 413 "));
}
