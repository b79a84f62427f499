//! A transport whose peer must take what is written, and of which all bytes are counted: for protocols whose implementation
//! has no such deadline, and does not tell.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::observe::Traffic;

/// Fails when writing has waited for so long without taking a byte.
pub(super) struct Stalling<IO> {
    io: IO,
    timeout: Duration,
    traffic: Arc<Traffic>,
    /// Runs while writing waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<IO> Stalling<IO> {
    pub(super) fn new(io: IO, timeout: Duration, traffic: Arc<Traffic>) -> Self {
        Self { io, timeout, traffic, timer: None }
    }

    /// What `written` is, or an error when it has been nothing for too long.
    fn or_stalled(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = &written {
            self.timer = None;
            self.traffic.sent_len.fetch_add(*written.as_ref().unwrap_or(&0) as u64, Relaxed);
        }
        if written.is_ready() {
            return written;
        }
        let timeout = self.timeout;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        timer.as_mut().poll(context).map(|()| Err(ErrorKind::TimedOut.into()))
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Stalling<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        self.traffic.received_len.fetch_add(buffer.filled().len().saturating_sub(before) as u64, Relaxed);
        read
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Stalling<IO> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.or_stalled(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(context, pieces);
        self.or_stalled(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
