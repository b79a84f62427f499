//! What the tests of the gateway share: servers of both kinds around it, bodies in pieces, and what an upstream has seen.
#![allow(dead_code)]

use std::convert::Infallible;
use std::future::{IntoFuture, poll_fn};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tower_service::Service;
use zap_http::gateway::{self, Gateway};
use zap_http::{Body, listen, serve};

use crate::listening::soon;

/// Serves on ZAP; where.
pub(crate) async fn zap_server<S, B>(service: S) -> SocketAddr
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, service).into_future());
    address
}

/// Serves on HTTP/1.1 and HTTP/2; where.
pub(crate) async fn http_server<S, B>(service: S) -> SocketAddr
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let server = listen("http://127.0.0.1:0").bind().await.unwrap().serve(service);
    let address = server.local_addresses().unwrap()[0].socket_addr().unwrap();
    tokio::spawn(server.into_future());
    address
}

pub(crate) fn to_zap(address: SocketAddr) -> Gateway {
    gateway::to_zap(format!("zap://{address}")).unwrap()
}

/// An app over HTTP, behind a gateway on ZAP, behind a gateway on HTTP; where that is.
pub(crate) async fn chain(app: Router) -> SocketAddr {
    let upstream = http_server(app).await;
    let zap = zap_server(gateway::to_http(upstream.to_string()).unwrap()).await;
    http_server(to_zap(zap)).await
}

pub(crate) async fn http_1(address: SocketAddr) -> http1::SendRequest<Channel> {
    let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (sender, connection) = http1::handshake(io).await.unwrap();
    tokio::spawn(connection);
    sender
}

pub(crate) async fn http_2(address: SocketAddr) -> http2::SendRequest<Channel> {
    let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
    let (sender, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
    tokio::spawn(connection);
    sender
}

/// A body that is sent piece by piece, or known from the start.
pub(crate) struct Channel {
    frames: mpsc::UnboundedReceiver<Frame<Bytes>>,
    len: Option<u64>,
}

impl Channel {
    pub(crate) fn open() -> (mpsc::UnboundedSender<Frame<Bytes>>, Self) {
        let (sender, frames) = mpsc::unbounded_channel();
        (sender, Self { frames, len: None })
    }

    pub(crate) fn of(all: impl IntoIterator<Item = Frame<Bytes>>) -> Self {
        let (sender, body) = Self::open();
        all.into_iter().for_each(|frame| sender.send(frame).unwrap());
        body
    }

    pub(crate) fn whole(body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let len = Some(body.len() as u64);
        let frame = (!body.is_empty()).then(|| Frame::data(body));
        Self { len, ..Self::of(frame) }
    }
}

impl http_body::Body for Channel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.frames.poll_recv(context).map(|frame| frame.map(Ok))
    }

    fn size_hint(&self) -> SizeHint {
        self.len.map_or_else(SizeHint::default, SizeHint::with_exact)
    }

    fn is_end_stream(&self) -> bool {
        self.len == Some(0)
    }
}

/// Any answer, in full.
pub(crate) struct Collected {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: HeaderMap,
}

pub(crate) async fn collected(response: Response<Incoming>) -> Collected {
    let (parts, mut body) = response.into_parts();
    let (data, trailers) = all_of(&mut body).await;
    Collected { status: parts.status.as_u16(), headers: parts.headers, body: data, trailers }
}

async fn all_of<B>(body: &mut B) -> (Bytes, HeaderMap)
where
    B: http_body::Body<Data = Bytes, Error: std::fmt::Debug> + Unpin,
{
    let (mut data, mut trailers) = (Vec::new(), HeaderMap::new());
    while let Some(frame) = soon(poll_fn(|context| Pin::new(&mut *body).poll_frame(context))).await {
        match frame.unwrap().into_data() {
            Ok(chunk) => data.extend_from_slice(&chunk),
            Err(frame) => trailers = frame.into_trailers().unwrap(),
        }
    }
    (data.into(), trailers)
}

/// The next data of a body; none at its end.
pub(crate) async fn next_data(body: &mut Incoming) -> Option<Bytes> {
    next_data_or_failure(body).await.map(Result::unwrap)
}

/// The next data of a body, or why there is none; none at its end.
pub(crate) async fn next_data_or_failure(body: &mut Incoming) -> Option<hyper::Result<Bytes>> {
    let frame = soon(poll_fn(|context| Pin::new(&mut *body).poll_frame(context))).await?;
    frame.map(|frame| frame.into_data().ok()).transpose()
}

/// What a peer sends, up to and with `end`.
pub(crate) async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut read = Vec::new();
    while !read.ends_with(end.as_bytes()) {
        read.push(soon(stream.read_u8()).await.unwrap());
    }
    String::from_utf8(read).unwrap()
}

/// A request as an upstream saw it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) trailers: HeaderMap,
}

/// Remembers what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Seen>>>);

pub(crate) fn recorder() -> Recorder {
    Recorder::default()
}

impl Recorder {
    pub(crate) async fn take(&self, request: Request<axum::body::Body>) {
        let (parts, mut body) = request.into_parts();
        let (body, trailers) = all_of(&mut body).await;
        let seen = Seen {
            method: parts.method.to_string(),
            target: parts.uri.to_string(),
            headers: parts.headers,
            body,
            trailers,
        };
        self.0.lock().unwrap().push(seen);
    }

    /// Answers all requests alike.
    pub(crate) fn app(&self) -> Router {
        let seen = self.clone();
        Router::new().fallback(move |request: Request<axum::body::Body>| async move {
            seen.take(request).await;
            "seen"
        })
    }

    /// All requests since the last time.
    pub(crate) fn all(&self) -> Vec<Seen> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    pub(crate) fn only(&self) -> Seen {
        let mut all = self.all();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }
}

/// Bytes without a pattern (xorshift).
pub(crate) fn random(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}
