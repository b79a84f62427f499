//! What the tests of listeners share: one call over any transport, and waiting for an event that must come.
#![allow(dead_code)]

use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Response};

/// A request on the wire.
pub(crate) fn frame(method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request(method, target).unwrap();
    request.header("host", "a.example").unwrap().body(body).unwrap();
    request.finish().unwrap();
    wire
}

/// The next whole answer, its status and body; `None` if the connection ends before.
pub(crate) async fn answer(io: &mut (impl AsyncRead + Unpin)) -> Option<(u16, Vec<u8>)> {
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let mut buffer = [0; 10_000];
    while deframer.frames() == 0 {
        match soon(io.read(&mut buffer)).await {
            Ok(0) | Err(_) => return None,
            Ok(len) => deframer.recv(&buffer[..len]),
        }
    }
    let mut batch = deframer.take_batch(Vec::new());
    let response = Response::decode(batch.next_frame().unwrap(), &FrameLimits::new()).unwrap();
    Some((response.status(), response.body().to_vec()))
}

pub(crate) async fn call(
    io: &mut (impl AsyncRead + AsyncWrite + Unpin),
    target: &str,
    body: &[u8],
) -> Option<(u16, Vec<u8>)> {
    io.write_all(&frame("POST", target, body)).await.ok()?;
    // Transports may hold what they were given.
    io.flush().await.ok()?;
    answer(io).await
}

/// Whether the connection ends without a further byte.
pub(crate) async fn is_closed(io: &mut (impl AsyncRead + Unpin)) -> bool {
    matches!(soon(io.read(&mut [0; 10])).await, Ok(0) | Err(_))
}

/// What must come, and does not take long.
pub(crate) async fn soon<T>(task: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), task).await.expect("it takes too long")
}

/// Tries until it is so.
pub(crate) async fn until(mut attempt: impl AsyncFnMut() -> bool) {
    soon(async {
        while !attempt().await {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// A path for a socket, of this test alone.
pub(crate) fn socket_path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("zap-http-{}-{name}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}
