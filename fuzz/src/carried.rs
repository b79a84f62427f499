//! A request that the conversion accepts, sent on by hyper's HTTP/1.1 client and read by hyper's server: nothing hides in it.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1 as client;
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use zap_http::convert;
use zap_http::proto::{self, Encoder, FrameLimits};

/// Any bytes as a request's frame, or drawn into one: what the conversion accepts arrives over HTTP/1.1 as exactly one
/// request with the same method, target, fields and body.
pub fn http_carried(data: &[u8]) {
    let (choice, data) = crate::choice(data);
    let drawn = if choice.is_multiple_of(2) { data.to_vec() } else { frame_of(data) };
    let Ok(request) = proto::Request::decode(&drawn, &FrameLimits::new()) else { return };
    carry(&request);
}

/// As [`http_carried`], of a request.
///
/// # Panics
///
/// Something else arrives.
pub fn carry(request: &proto::Request<'_>) {
    let Ok(mut parts) = convert::request_parts(request) else { return };
    let Ok(trailers) = convert::trailers(request.trailers()) else { return };
    let sendable = convert::sendable_trailers(&trailers).map(|(name, value)| (name.clone(), value.clone()));
    let trailers = sendable.collect::<HeaderMap>();
    parts.version = Version::HTTP_11;
    // What follows the head of a tunnel is not a body.
    let is_tunnel = parts.method == Method::CONNECT;
    let body = Bytes::copy_from_slice(if is_tunnel { b"" } else { request.body() });
    let trailers = if is_tunnel { HeaderMap::new() } else { trailers };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime without I/O");
    let seen = runtime.block_on(over_http(&parts, Pieces::of(&body, &trailers)));
    assert_eq!(seen.len(), 1, "not one request: {seen:?}, of {parts:?}");
    let seen = &seen[0];
    assert_eq!((&seen.parts.method, &seen.parts.uri), (&parts.method, &parts.uri));
    assert_eq!(fields(&seen.parts.headers), fields(&parts.headers));
    assert_eq!(seen.body, body);
    // Those that no `trailer` announces stay behind.
    for name in seen.trailers.keys() {
        assert!(seen.trailers.get_all(name).iter().eq(trailers.get_all(name)), "{name}");
    }
}

/// Names, each with its values in their order; not those that say where the body ends.
fn fields(headers: &HeaderMap) -> Vec<(&HeaderName, Vec<&[u8]>)> {
    let names = headers.keys().filter(|name| **name != CONTENT_LENGTH && **name != TRANSFER_ENCODING);
    let values = |name| headers.get_all(name).iter().map(|value| value.as_bytes().trim_ascii()).collect();
    let mut fields = names.map(|name| (name, values(name))).collect::<Vec<_>>();
    fields.sort_unstable_by_key(|(name, _)| name.as_str());
    fields
}

/// A request as it arrived.
#[derive(Debug)]
struct Seen {
    parts: Parts,
    body: Vec<u8>,
    trailers: HeaderMap,
}

/// Sends one request over a pipe; what arrives at its other end.
async fn over_http(parts: &Parts, body: Pieces) -> Vec<Seen> {
    let (near, far) = tokio::io::duplex(1 << 12);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&seen);
    let service = service_fn(move |request: Request<Incoming>| {
        let list = Arc::clone(&list);
        async move {
            let arrived = arrived(request).await?;
            list.lock().unwrap_or_else(PoisonError::into_inner).push(arrived);
            let mut answer = Response::new(Pieces::default());
            *answer.status_mut() = StatusCode::NO_CONTENT;
            Ok::<_, hyper::Error>(answer)
        }
    });
    // As many fields as a frame holds, and the one that says how long the body is.
    let server = server::Builder::new().max_headers(128).serve_connection(TokioIo::new(far), service);
    let server = tokio::spawn(server);
    let (mut sender, connection) = client::handshake(TokioIo::new(near)).await.expect("a pipe");
    let connection = tokio::spawn(connection);
    let mut request = Request::from_parts(parts.clone(), body);
    if request.body().len.is_none() {
        // Of a method that mostly has no body, hyper would leave one of unknown length behind.
        request.headers_mut().insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let answer = sender.send_request(request).await;
    drop(sender);
    let ends = (connection.await.expect("no panic"), server.await.expect("no panic"));
    assert!(answer.is_ok() && ends.0.is_ok() && ends.1.is_ok(), "{answer:?} {ends:?} of {parts:?}");
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut *seen)
}

async fn arrived(request: Request<Incoming>) -> Result<Seen, hyper::Error> {
    let (parts, mut incoming) = request.into_parts();
    let (mut body, mut trailers) = (Vec::new(), HeaderMap::new());
    while let Some(frame) = poll_fn(|context| Pin::new(&mut incoming).poll_frame(context)).await {
        match frame?.into_data() {
            Ok(data) => body.extend_from_slice(&data),
            Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
        }
    }
    Ok(Seen { parts, body, trailers })
}

/// A body whose length is known, or one with trailers, which goes in chunks.
#[derive(Default)]
struct Pieces {
    frames: VecDeque<Frame<Bytes>>,
    len: Option<u64>,
}

impl Pieces {
    fn of(body: &Bytes, trailers: &HeaderMap) -> Self {
        let mut frames = VecDeque::new();
        if !body.is_empty() {
            frames.push_back(Frame::data(body.clone()));
        }
        if !trailers.is_empty() {
            frames.push_back(Frame::trailers(trailers.clone()));
        }
        Self { frames, len: trailers.is_empty().then_some(body.len() as u64) }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.frames.pop_front().map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.len.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

const METHODS: [&str; 8] = ["GET", "POST", "OPTIONS", "CONNECT", "HEAD", "PUT", "get", "PRI"];
const TARGETS: [&str; 8] =
    ["/", "*", "http://a.example/", "a.example:443", "//", "/?", "http://a.example?", "https://"];
const NAMES: [&str; 16] = [
    "host",
    "Connection",
    "content-length",
    "transfer-encoding",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "x-a",
    "x-b",
    "keep-alive",
    "proxy-connection",
    "cookie",
    "http2-settings",
    "content-type",
    "X_A",
];
const VALUES: [&str; 8] = ["", "chunked", "x-a, x-b", "100-continue", "0", " a\t", "a.example", "trailers, x-a"];

/// A frame of pieces drawn from bytes: a known start, and then whatever is there.
fn frame_of(data: &[u8]) -> Vec<u8> {
    let mut draw = data.iter().copied();
    let mut pick = || usize::from(draw.next().unwrap_or(0));
    let (method, target, pairs, trailers) = (pick(), pick(), pick() % 8, pick() % 4);
    let mut fields = Vec::new();
    for _ in 0..pairs + trailers {
        let (name, value, len) = (pick(), pick(), pick() % 8);
        let more = (0..len).map(|_| pick() as u8).collect::<Vec<_>>();
        fields.push((NAMES[name % 16], [VALUES[value % 8].as_bytes(), &more].concat()));
    }
    let more = (0..target / 8 % 16).map(|_| pick() as u8).collect::<Vec<_>>();
    let target = [TARGETS[target % 8].as_bytes(), &more].concat();
    let mut frame = Vec::new();
    let Ok(mut writer) = Encoder::message(&mut frame).request(METHODS[method % 8], &target) else { return frame };
    let (headers, trailers) = fields.split_at(pairs);
    for (name, value) in headers {
        let _ = writer.header(name, value);
    }
    let _ = writer.body(&draw.collect::<Vec<u8>>());
    for (name, value) in trailers {
        let _ = writer.trailer(name, value);
    }
    let _ = writer.finish();
    frame
}
