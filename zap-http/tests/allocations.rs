//! What does not allocate, counted.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::io::IoSlice;
use std::time::Instant;

use bytes::Bytes;
use zap_http::proto::{
    Client, ClientConfig, Deframer, Encoder, Frame, FrameLimits, MAX_FRAME_LEN, Next, Request, Server, ServerConfig,
};

thread_local! {
    /// Allocations of this thread: the test harness has threads of its own.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    let _ = COUNT.try_with(|cell| cell.set(cell.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator as it came; counting touches no allocated memory and
// allocates nothing, since the cell is constant-initialised and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations<T>(run: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    let result = black_box(run());
    let after = COUNT.get();
    drop(result);
    after - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(allocations(|| vec![0_u8; 100]), 1);
    assert_eq!(allocations(|| 1), 0);
}

fn append_request(out: &mut Vec<u8>) {
    let mut request = Encoder::frame(out).request("POST", "/readings").unwrap();
    for (name, value) in [("Host", "survey.example"), ("Content-Type", "application/json"), ("X-Trace", "lantern")] {
        request.header(name, value).unwrap();
    }
    request.body(b"{\"level\":-3.5}").unwrap().trailer("X-Sum", "9f").unwrap();
    request.finish().unwrap();
}

#[test]
fn encoding_into_a_warm_buffer() {
    let mut out = Vec::with_capacity(1024);
    assert_eq!(allocations(|| append_request(&mut out)), 0);
    assert_eq!(allocations(|| Encoder::frame(&mut out).data(b"tick").unwrap()), 0);
    assert_eq!(allocations(|| Encoder::frame(&mut out).data_elsewhere(1 << 20).unwrap()), 0);
    assert_eq!(allocations(|| Encoder::frame(&mut out).request("G T", "/").is_err()), 0);
}

#[test]
fn decoding_and_reading() {
    let mut out = Vec::new();
    append_request(&mut out);
    let limits = FrameLimits::new();
    let read = || {
        let request = Request::decode(&out[4..], &limits).unwrap();
        let bytes = |(name, value): (&[u8], &[u8])| name.len() + value.len();
        request.headers().iter().map(bytes).sum::<usize>() + request.headers().get("x-trace").unwrap().len()
    };
    assert_eq!(allocations(read), 0);
    assert_eq!(allocations(|| Frame::decode(&out[4..], &limits).unwrap()), 0);
    // An error neither.
    assert_eq!(allocations(|| Frame::decode(&out, &limits).unwrap_err()), 0);
}

#[test]
fn a_warm_stream_of_frames() {
    let mut out = Vec::new();
    append_request(&mut out);
    append_request(&mut out);
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let mut spare = Vec::new();
    let mut step = || {
        deframer.recv(&out);
        let mut batch = deframer.take_batch(std::mem::take(&mut spare));
        while batch.next_frame().is_some() {}
        spare = batch.into_spare();
    };
    // Two buffers take turns: after two rounds both have their size.
    step();
    step();
    assert_eq!(allocations(&mut step), 0);
}

/// Requests of a warm connection, served and sent: whole, from elsewhere, streamed, refused.
#[test]
fn a_warm_server_connection() {
    let now = Instant::now();
    let mut server = Server::new(ServerConfig::default(), now);
    let mut wire = Vec::new();
    for target in ["/whole", "/shared", "/stream", "/nothing"] {
        Encoder::frame(&mut wire).request("GET", target).unwrap().finish().unwrap();
    }
    let bad = wire.len();
    Encoder::frame(&mut wire).request("GET", "/bad").unwrap().finish().unwrap();
    wire[bad + 4 + 64] = b' ';
    let shared = Bytes::from(vec![1; 20_000]);
    let mut round = || {
        server.recv(&wire, now);
        let mut batch = server.take_batch(now);
        while let Next::Request(request) = server.next_request(&mut batch) {
            if request.target() == b"/nothing" {
                continue;
            }
            let mut answer = server.respond(200).unwrap();
            answer.header("content-type", "text/plain").unwrap();
            match request.target() {
                b"/whole" => answer.body(request.target()).map(drop).unwrap(),
                b"/shared" => answer.body_shared(shared.clone()).map(drop).unwrap(),
                _ => {
                    answer.stream().unwrap();
                    server.data(b"data").unwrap();
                    server.end([("x-t", "t")]).unwrap();
                    continue;
                }
            }
            answer.finish().unwrap();
        }
        server.return_batch(batch, now);
        loop {
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = server.poll_transmit(&mut pieces, now);
            let len = pieces[..filled].iter().map(|piece| piece.len()).sum();
            if len == 0 {
                break;
            }
            server.transmitted(len, now);
        }
    };
    round();
    round();
    assert_eq!(allocations(&mut round), 0);
}

/// Requests of a warm connection, sent and answered: whole and streamed.
#[test]
fn a_warm_client_connection() {
    let now = Instant::now();
    let mut client = Client::new(ClientConfig::default(), now);
    let mut wire = Vec::new();
    let mut response = Encoder::frame(&mut wire).response(200, "OK").unwrap();
    response.header("content-type", "text/plain").unwrap().body(b"hello").unwrap();
    response.finish().unwrap();
    let whole = wire.len();
    Encoder::frame(&mut wire).response_head(200, "OK").unwrap().finish().unwrap();
    Encoder::frame(&mut wire).data(b"hello").unwrap();
    Encoder::frame(&mut wire).end().unwrap().finish().unwrap();
    let shared = Bytes::from(vec![1; 20_000]);
    let mut round = || {
        for answer in [&wire[..whole], &wire[whole..]] {
            let mut request = client.request("PUT", "/", now).unwrap();
            request.header("host", "a.example").unwrap().body_shared(shared.clone()).unwrap();
            request.finish().unwrap();
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = client.poll_transmit(&mut pieces, now);
            let len = pieces[..filled].iter().map(|piece| piece.len()).sum();
            client.transmitted(len, now);
            client.recv(answer, now);
            let mut batch = client.take_batch(now);
            while client.next_event(&mut batch).is_some() {}
            client.return_batch(batch, now);
            assert!(client.is_idle());
        }
    };
    round();
    round();
    assert_eq!(allocations(&mut round), 0);
}

/// A server in its own thread, and what its thread has allocated each time that a request reached its handler: between
/// two of these lies everything that one request costs, from one handler to the next.
#[cfg(feature = "server")]
mod native {
    use std::io::{Read, Write};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use zap_http::proto::{AnswerError, Encoder, ServerConfig};
    use zap_http::{ConnectionInfo, Handler, RequestView, Responder, serve_handler_connection};

    use super::COUNT;

    const ROUNDS: usize = 20;
    const DEPTH: usize = 16;

    /// Answers in several ways, and notes what was allocated.
    struct Noting {
        counts: [AtomicUsize; ROUNDS * (DEPTH + 1)],
        at: AtomicUsize,
        large: bytes::Bytes,
    }

    impl Handler for Noting {
        type Error = AnswerError;

        async fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
            let at = self.at.fetch_add(1, Ordering::Relaxed);
            self.counts[at].store(COUNT.get(), Ordering::Relaxed);
            let response = responder.status(200).header("content-type", "text/plain").header("x-at", "lantern");
            match at % 4 {
                0 => response.body(request.body()),
                1 => response.body_shared(self.large.clone()),
                2 => response.finish(),
                _ => {
                    // Pending once.
                    tokio::task::yield_now().await;
                    response.body_with_trailers(request.target(), [("x-sum", "9f")])
                }
            }
        }
    }

    fn config() -> ServerConfig {
        let mut config = ServerConfig::default();
        // However long this thread is kept waiting: what a quiet connection gives back, it allocates again.
        config.release_after = Duration::from_secs(3600);
        config
    }

    fn allocates_nothing<IO, S>(mut near: impl Read + Write, far: S, accept: impl FnOnce(S) -> IO + Send + 'static)
    where
        IO: tokio::io::AsyncRead + tokio::io::AsyncWrite,
        S: Send + 'static,
    {
        let large = bytes::Bytes::from(vec![7; 20_000]);
        let noting = Arc::new(Noting { counts: [const { AtomicUsize::new(0) }; _], at: AtomicUsize::new(0), large });
        let (handler, (ended, end)) = (Arc::clone(&noting), mpsc::channel());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let info = ConnectionInfo::new(None, None);
                serve_handler_connection(accept(far), handler, config(), info, std::future::pending()).await;
            });
            ended.send(()).unwrap();
        });
        let mut wire = Vec::new();
        let mut request = Encoder::frame(&mut wire).request("POST", "/readings").unwrap();
        request.header("host", "a.example").unwrap().header("x-more", "*/*").unwrap().body(b"{}").unwrap();
        request.finish().unwrap();
        for _ in 0..ROUNDS {
            for depth in [1, DEPTH] {
                near.write_all(&wire.repeat(depth)).unwrap();
                for _ in 0..depth {
                    let mut prefix = [0; 4];
                    near.read_exact(&mut prefix).unwrap();
                    let mut frame = vec![0; u32::from_be_bytes(prefix) as usize];
                    near.read_exact(&mut frame).unwrap();
                }
            }
        }
        drop(near);
        end.recv_timeout(Duration::from_secs(20)).unwrap();
        let counts: Vec<usize> = noting.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let warm = &counts[counts.len() / 2..];
        assert!(warm[0] > 0, "nothing was counted");
        assert!(warm.iter().all(|count| *count == warm[0]), "{counts:?}");
    }

    #[test]
    fn a_handler_on_a_warm_tcp_connection() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let near = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (far, _) = listener.accept().unwrap();
        far.set_nonblocking(true).unwrap();
        allocates_nothing(near, far, |far| tokio::net::TcpStream::from_std(far).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_handler_on_a_warm_unix_connection() {
        let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
        far.set_nonblocking(true).unwrap();
        allocates_nothing(near, far, |far| tokio::net::UnixStream::from_std(far).unwrap());
    }
}

/// Through the types of `http` and over tokio: allocations of one small request and its answer, the service's own not
/// counted apart (it makes none). The bound may only be lowered.
#[cfg(feature = "server")]
#[test]
fn a_warm_connection_to_a_service() {
    use std::convert::Infallible;
    use std::future::{Ready, pending, ready};
    use std::task::{Context, Poll};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use zap_http::{Body, ConnectionInfo, serve_connection};

    struct Hello;
    impl tower_service::Service<http::Request<Body>> for Hello {
        type Response = http::Response<Body>;
        type Error = Infallible;
        type Future = Ready<Result<http::Response<Body>, Infallible>>;
        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }
        fn call(&mut self, _: http::Request<Body>) -> Self::Future {
            ready(Ok(http::Response::new(Body::from("hello"))))
        }
    }

    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request("GET", "/health").unwrap();
    request.header("host", "a.example").unwrap().header("accept", "*/*").unwrap();
    request.finish().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (mut near, far) = tokio::io::duplex(10_000);
        let info = ConnectionInfo::new(None, None);
        tokio::spawn(serve_connection(far, Hello, ServerConfig::default(), info, pending()));
        let mut buffer = [0; 1000];
        let mut counts = [0; 8];
        for count in &mut counts {
            let before = COUNT.get();
            near.write_all(&wire).await.unwrap();
            assert!(near.read(&mut buffer).await.unwrap() > 64);
            *count = COUNT.get() - before;
        }
        assert_eq!(counts[4..], [HTTP_PATH; 4], "{counts:?}");
    });
}

/// What [`a_warm_connection_to_a_service`] may take.
#[cfg(feature = "server")]
const HTTP_PATH: usize = 7;
