//! The body of a streamed request on its way from the connection to the handler.
//!
//! The connection takes parts off the wire only while little is queued, so that a handler that reads slowly slows its peer
//! down. The handler may read in another task: each side wakes the other.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;

use crate::body::BodyError;
use crate::convert;
use crate::proto::{Batch, RequestPart, Server};

/// Bytes that wait for the handler; with more nothing further is taken.
const MAX_QUEUED_LEN: usize = 64 << 10;

/// What both sides share.
#[derive(Debug, Default)]
struct Queue {
    chunks: VecDeque<Bytes>,
    len: usize,
    end: Option<Result<HeaderMap, BodyError>>,
    /// The handler, when it waits for more.
    reader: Option<Waker>,
    /// The connection, when it waits for room.
    feeder: Option<Waker>,
    /// The handler has dropped the body.
    abandoned: bool,
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    // Nothing panics while it is locked.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The handler's side.
#[derive(Debug)]
pub(crate) struct Incoming(Arc<Mutex<Queue>>);

impl Incoming {
    pub(crate) fn poll_frame(&mut self, context: &Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let mut queue = lock(&self.0);
        if let Some(chunk) = queue.chunks.pop_front() {
            queue.len = queue.len.saturating_sub(chunk.len());
            let feeder = queue.feeder.take();
            drop(queue);
            feeder.into_iter().for_each(Waker::wake);
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match &mut queue.end {
            Some(Ok(trailers)) if trailers.is_empty() => Poll::Ready(None),
            Some(Ok(trailers)) => Poll::Ready(Some(Ok(Frame::trailers(std::mem::take(trailers))))),
            Some(Err(error)) => {
                let error = *error;
                // Once is enough.
                queue.end = Some(Ok(HeaderMap::new()));
                Poll::Ready(Some(Err(error)))
            }
            None => {
                queue.reader = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        let queue = lock(&self.0);
        queue.chunks.is_empty() && matches!(&queue.end, Some(Ok(trailers)) if trailers.is_empty())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let mut queue = lock(&self.0);
        queue.abandoned = true;
        queue.chunks = VecDeque::new();
        queue.len = 0;
    }
}

/// The connection's side, with the frames that it has at hand.
#[derive(Debug)]
pub(crate) struct Feed {
    queue: Arc<Mutex<Queue>>,
    batch: Batch,
}

/// Both sides. `batch` is the one that the request's head came in.
pub(crate) fn incoming(batch: Batch) -> (Incoming, Feed) {
    let queue = Arc::new(Mutex::new(Queue::default()));
    (Incoming(Arc::clone(&queue)), Feed { queue, batch })
}

impl Feed {
    /// Hands over what has come, as long as there is room for it; whether there was anything.
    pub(crate) fn feed(&mut self, server: &mut Server, now: Instant, context: &Context<'_>) -> bool {
        let mut queue = lock(&self.queue);
        let mut fed = false;
        while queue.end.is_none() && !queue.abandoned && queue.len < MAX_QUEUED_LEN {
            match server.next_part(&mut self.batch) {
                RequestPart::Data(data) => {
                    let chunk = Bytes::copy_from_slice(data.chunk());
                    queue.len = queue.len.saturating_add(chunk.len());
                    queue.chunks.push_back(chunk);
                }
                RequestPart::End(end) => {
                    queue.end = Some(convert::trailers(end.trailers()).map_err(|_| BodyError::Trailers));
                }
                RequestPart::Cut => queue.end = Some(Err(BodyError::Cut)),
                RequestPart::Pending if server.waiting() == 0 => break,
                RequestPart::Pending => {
                    server.return_batch(std::mem::take(&mut self.batch), now);
                    self.batch = server.take_batch(now);
                    continue;
                }
            }
            fed = true;
        }
        queue.feeder = Some(context.waker().clone());
        let reader = if fed { queue.reader.take() } else { None };
        drop(queue);
        reader.into_iter().for_each(Waker::wake);
        fed
    }

    /// The frames at hand, of which some may be left.
    pub(crate) fn into_batch(mut self) -> Batch {
        std::mem::take(&mut self.batch)
    }
}

impl Drop for Feed {
    /// Nothing more will come: a handler that reads on elsewhere must not take that for the end of the body.
    fn drop(&mut self) {
        let mut queue = lock(&self.queue);
        queue.end.get_or_insert(Err(BodyError::Cut));
        let reader = queue.reader.take();
        drop(queue);
        reader.into_iter().for_each(Waker::wake);
    }
}
