//! The body of a request over HTTP, given to its handler as it comes: what the handler does not read stays with the client.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::Sleep;

use crate::BodyError;

/// A body that must go on, while somebody waits for it.
#[derive(Debug)]
pub(crate) struct Streamed {
    incoming: Incoming,
    timeout: Option<Duration>,
    /// Runs while the handler waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Streamed {
    pub(super) fn new(incoming: Incoming, timeout: Option<Duration>) -> Self {
        Self { incoming, timeout, timer: None }
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(timeout) = self.timeout else { return Poll::Pending };
        self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout))).as_mut().poll(context)
    }

    pub(crate) fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Ready(frame) => {
                self.timer = None;
                Poll::Ready(frame.map(|frame| frame.map_err(|_| BodyError::Cut)))
            }
            Poll::Pending => {
                ready!(self.poll_timer(context));
                Poll::Ready(Some(Err(BodyError::TimedOut)))
            }
        }
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
