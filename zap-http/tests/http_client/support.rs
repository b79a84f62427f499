//! Servers to call: our own, and one whose every byte a test decides.

use std::future::IntoFuture;

use axum::Router;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Request};
use zap_http::serve;

/// Serves an app; where it is.
pub(crate) async fn start(app: Router) -> String {
    let (listener, url) = listen().await;
    tokio::spawn(serve(listener, app).into_future());
    url
}

/// A listener, and the target that leads to it.
pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    (listener, url)
}

/// A request as a peer sees it.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Vec<(String, String)>,
}

/// The server's end of a connection.
pub(crate) struct Peer {
    stream: TcpStream,
    deframer: Deframer,
    seen: std::collections::VecDeque<Seen>,
}

impl Peer {
    pub(crate) async fn accept(listener: &TcpListener) -> Self {
        Self::new(listener.accept().await.unwrap().0)
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn of(stream: std::net::TcpStream) -> Self {
        stream.set_nonblocking(true).unwrap();
        Self::new(TcpStream::from_std(stream).unwrap())
    }

    fn new(stream: TcpStream) -> Self {
        Self { stream, deframer: Deframer::new(MAX_FRAME_LEN), seen: Default::default() }
    }

    /// The next request; none at the end of the stream.
    pub(crate) async fn request(&mut self) -> Option<Seen> {
        loop {
            if let Some(seen) = self.seen.pop_front() {
                return Some(seen);
            }
            let mut buffer = [0; 10_000];
            match self.stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(len) => self.deframer.recv(&buffer[..len]),
            }
            let mut batch = self.deframer.take_batch(Vec::new());
            while let Some(frame) = batch.next_frame() {
                self.seen.push_back(seen(&Request::decode(frame, &FrameLimits::new()).unwrap()));
            }
        }
    }

    pub(crate) async fn target(&mut self) -> String {
        self.request().await.expect("a request").target
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn try_send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Closes without the care that others take: what was sent last may be lost.
    pub(crate) fn reset(self) {
        socket2::SockRef::from(&self.stream).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    }

    /// Answers every request with its target, to the end.
    pub(crate) async fn echo(mut self) {
        while let Some(seen) = self.request().await {
            self.send(&whole(200, seen.target.as_bytes())).await;
        }
    }
}

fn seen(request: &Request<'_>) -> Seen {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let pairs = |headers: zap_http::proto::Headers<'_>| {
        headers.iter().map(|(name, value)| (text(name), text(value))).collect::<Vec<_>>()
    };
    Seen {
        method: text(request.method()),
        target: text(request.target()),
        headers: pairs(request.headers()),
        body: request.body().to_vec(),
        trailers: pairs(request.trailers()),
    }
}

/// A whole answer.
pub(crate) fn whole(status: u16, body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut response = Encoder::frame(&mut wire).response(status, "").unwrap();
    response.body(body).unwrap();
    response.finish().unwrap();
    wire
}

/// The head of a streamed answer.
pub(crate) fn head(status: u16) -> Vec<u8> {
    let mut wire = Vec::new();
    Encoder::frame(&mut wire).response_head(status, "").unwrap().finish().unwrap();
    wire
}

pub(crate) fn data(chunk: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    Encoder::frame(&mut wire).data(chunk).unwrap();
    wire
}

pub(crate) fn end(trailers: &[(&str, &str)]) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut end = Encoder::frame(&mut wire).end().unwrap();
    for (name, value) in trailers {
        end.trailer(name, value).unwrap();
    }
    end.finish().unwrap();
    wire
}
