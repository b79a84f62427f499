//! Requests that are streamed: for bodies that are not there at once, to servers that said on the same connection that
//! they take such.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http::{HeaderMap, request};
use http_body::Body;

use super::AnyError;
use super::connection::{Connection, Upload};
use super::error::ClientError;
use super::outgoing::{Outgoing, collect};
use crate::proto::CallId;

/// Bytes that are collected before a request is streamed: what is there at once and not longer is sent as a whole.
const WHOLE_LEN: usize = 64 << 10;

/// The body of a request, as far as it has come.
pub(super) struct Started<B> {
    chunks: Vec<Bytes>,
    trailers: Option<HeaderMap>,
    rest: Pin<Box<B>>,
}

/// A request that is ready to be sent, or will be streamed if the server takes that.
pub(super) enum Prepared<B> {
    Whole(Outgoing),
    Streamed(Outgoing, Started<B>),
}

/// Takes what there is of a body without waiting.
pub(super) async fn prepare<B>(parts: request::Parts, body: B, limit: u64) -> Result<Prepared<B>, ClientError>
where
    B: Body,
    B::Error: Into<AnyError>,
{
    let mut started = Started { chunks: Vec::new(), trailers: None, rest: Box::pin(body) };
    let mut len = 0_usize;
    let whole = poll_fn(|context| {
        while !started.rest.is_end_stream() {
            if len > WHOLE_LEN {
                return Poll::Ready(Ok(false));
            }
            match started.rest.as_mut().poll_frame(context) {
                Poll::Pending => return Poll::Ready(Ok(false)),
                Poll::Ready(None) => break,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(ClientError::RequestBody(error.into()))),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(mut data) => {
                        len = len.saturating_add(data.remaining());
                        started.chunks.push(data.copy_to_bytes(data.remaining()));
                    }
                    Err(frame) => {
                        if let Ok(more) = frame.into_trailers() {
                            started.trailers.get_or_insert_default().extend(more);
                        }
                    }
                },
            }
        }
        Poll::Ready(Ok(true))
    })
    .await?;
    if whole {
        let request = started.collect(parts, limit).await?;
        return Ok(Prepared::Whole(request));
    }
    Ok(Prepared::Streamed(Outgoing::new(parts, Bytes::new(), None)?, started))
}

impl<B> Started<B>
where
    B: Body,
    B::Error: Into<AnyError>,
{
    /// The whole request after all.
    pub(super) async fn collect(self, parts: request::Parts, limit: u64) -> Result<Outgoing, ClientError> {
        let Self { chunks, mut trailers, rest } = self;
        let too_large = || ClientError::BodyTooLarge { limit };
        let len = chunks.iter().map(Bytes::len).fold(0, usize::saturating_add) as u64;
        let left = limit.checked_sub(len).ok_or_else(too_large)?;
        let collected = collect(rest, left, |error| ClientError::RequestBody(error.into())).await;
        let (last, more) = collected.map_err(|error| match error {
            ClientError::BodyTooLarge { .. } => too_large(),
            error => error,
        })?;
        let chunks: Vec<Bytes> = chunks.into_iter().chain([last]).filter(|chunk| !chunk.is_empty()).collect();
        if let Some(more) = more {
            trailers.get_or_insert_default().extend(more);
        }
        let body =
            if chunks.len() > 1 { chunks.concat().into() } else { chunks.into_iter().next().unwrap_or_default() };
        Outgoing::new(parts, body, trailers)
    }

    /// Sends the body of a request whose head was sent, as fast as the server takes it, until it ends or the call does.
    pub(super) async fn send(mut self, connection: Arc<Connection>, call: CallId) {
        let mut chunks = std::mem::take(&mut self.chunks).into_iter();
        poll_fn(|context| {
            loop {
                match connection.poll_upload(call, context) {
                    Poll::Pending => {
                        // The body waits, too; it is not polled before there is room for what it gives.
                        return Poll::Pending;
                    }
                    Poll::Ready(Upload::Over) => return Poll::Ready(()),
                    Poll::Ready(Upload::Room) => {}
                }
                let next = match chunks.next() {
                    Some(chunk) => Next::Data(chunk),
                    None => match self.poll_next(context) {
                        Poll::Ready(next) => next,
                        Poll::Pending => return Poll::Pending,
                    },
                };
                match next {
                    Next::Data(chunk) => connection.upload(call, |client| client.data_shared(chunk)),
                    Next::End => {
                        let trailers = self.trailers.take().unwrap_or_default();
                        let trailers = crate::convert::sendable_trailers(&trailers);
                        connection.upload(call, |client| client.end(trailers));
                        return Poll::Ready(());
                    }
                    Next::Failure(error) => {
                        connection.fail_upload(call, error);
                        return Poll::Ready(());
                    }
                }
            }
        })
        .await;
    }

    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Next> {
        loop {
            let frame = match self.rest.as_mut().poll_frame(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Next::End),
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Next::Failure(error.into())),
                Poll::Ready(Some(Ok(frame))) => frame,
            };
            match frame.into_data() {
                Ok(mut data) => return Poll::Ready(Next::Data(data.copy_to_bytes(data.remaining()))),
                Err(frame) => {
                    if let Ok(more) = frame.into_trailers() {
                        self.trailers.get_or_insert_default().extend(more);
                    }
                }
            }
        }
    }
}

/// What comes next of a body.
enum Next {
    Data(Bytes),
    End,
    Failure(AnyError),
}
