//! Requests that are streamed: for bodies that are not there at once, to servers that said on the same connection that
//! they take such.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::{HeaderMap, request};
use http_body::{Body, Frame, SizeHint};

use super::AnyError;
use super::connection::{Connection, Upload};
use super::error::ClientError;
use super::outgoing::{BodyBounds, Outgoing};
use crate::proto::CallId;

/// Bytes that are collected before a request is streamed: what is there at once and not longer is sent as a whole.
const WHOLE_LEN: usize = 64 << 10;

/// The body of a request, of which the beginning was taken already: the same body, from its start.
pub(super) struct Started<B> {
    chunks: VecDeque<Bytes>,
    trailers: Option<HeaderMap>,
    rest: Pin<Box<B>>,
}

/// A request that is ready to be sent, or will be streamed if the server takes that.
pub(super) enum Prepared<B> {
    Whole(Outgoing),
    Streamed(Outgoing, Started<B>),
}

/// Takes what there is of a body without waiting.
pub(super) async fn prepare<B>(parts: request::Parts, body: B, bounds: &BodyBounds) -> Result<Prepared<B>, ClientError>
where
    B: Body,
    B::Error: Into<AnyError>,
{
    let mut started = Started { chunks: VecDeque::new(), trailers: None, rest: Box::pin(body) };
    let mut len = 0_usize;
    let whole = poll_fn(|context| {
        while len <= WHOLE_LEN {
            match started.poll_rest(context) {
                Poll::Pending => return Poll::Ready(Ok(false)),
                Poll::Ready(None) => return Poll::Ready(Ok(true)),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(ClientError::RequestBody(error.into()))),
                Poll::Ready(Some(Ok(data))) => {
                    len = len.saturating_add(data.len());
                    started.chunks.push_back(data);
                }
            }
        }
        Poll::Ready(Ok(started.rest.is_end_stream()))
    })
    .await?;
    if whole {
        return Ok(Prepared::Whole(Outgoing::collect(parts, started, bounds).await?));
    }
    Ok(Prepared::Streamed(Outgoing::new(parts)?, started))
}

impl<B: Body> Started<B> {
    /// The next data of what was not taken; trailers are set apart.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        while !self.rest.is_end_stream() {
            match ready!(self.rest.as_mut().poll_frame(context)?) {
                None => break,
                Some(frame) => match frame.into_data() {
                    Ok(mut data) => return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining())))),
                    Err(frame) => {
                        self.trailers.get_or_insert_default().extend(frame.into_trailers().unwrap_or_default());
                    }
                },
            }
        }
        Poll::Ready(None)
    }

    fn poll_data(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, B::Error>>> {
        match self.chunks.pop_front() {
            Some(chunk) => Poll::Ready(Some(Ok(chunk))),
            None => self.poll_rest(context),
        }
    }
}

impl<B: Body> Body for Started<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        Poll::Ready(match ready!(self.poll_data(context)?) {
            Some(data) => Some(Ok(Frame::data(data))),
            None => self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.chunks.is_empty() && self.trailers.is_none() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let taken = self.chunks.iter().map(|chunk| chunk.len() as u64).fold(0, u64::saturating_add);
        let mut hint = SizeHint::new();
        hint.set_lower(self.rest.size_hint().lower().saturating_add(taken));
        hint
    }
}

impl<B> Started<B>
where
    B: Body,
    B::Error: Into<AnyError>,
{
    /// Sends the body of a request whose head was sent, as fast as the server takes it, until it ends or the call does.
    pub(super) async fn send(mut self, connection: Arc<Connection>, call: CallId) {
        poll_fn(|context| {
            loop {
                match connection.poll_upload(call, context) {
                    // The body waits, too; it is not polled before there is room for what it gives.
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Upload::Over) => return Poll::Ready(()),
                    Poll::Ready(Upload::Room) => {}
                }
                match ready!(self.poll_data(context)) {
                    Some(Ok(chunk)) => connection.upload(call, |client| client.data_shared(chunk)),
                    None => {
                        let trailers = self.trailers.take().unwrap_or_default();
                        let trailers = crate::convert::sendable_trailers(&trailers);
                        connection.upload(call, |client| client.end(trailers));
                        return Poll::Ready(());
                    }
                    Some(Err(error)) => {
                        connection.fail_upload(call, error.into());
                        return Poll::Ready(());
                    }
                }
            }
        })
        .await;
    }
}
