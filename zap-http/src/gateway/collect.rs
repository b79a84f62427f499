//! Takes a whole body within its limit and the budget of all requests.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AnyError;
use super::error::GatewayError;
use crate::Body;

/// The body, and what it holds of the budget.
pub(super) async fn collect<B>(
    body: B,
    max_len: usize,
    progress_timeout: Duration,
    budget: &Arc<Semaphore>,
) -> Result<(Body, Option<OwnedSemaphorePermit>), GatewayError>
where
    B: http_body::Body,
    B::Error: Into<AnyError>,
{
    let too_long = GatewayError::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long");
    if body.size_hint().lower() > max_len as u64 {
        return Err(too_long);
    }
    let mut body = pin!(body);
    let (mut first, mut rest, mut trailers) = (Bytes::new(), BytesMut::new(), HeaderMap::new());
    let mut held = None;
    while !body.is_end_stream() {
        let frame = poll_fn(|context| body.as_mut().poll_frame(context));
        let Ok(frame) = tokio::time::timeout(progress_timeout, frame).await else {
            return Err(GatewayError::new(StatusCode::REQUEST_TIMEOUT, "the rest of the body did not come"));
        };
        let Some(frame) = frame else { break };
        let frame = frame
            .map_err(|error| GatewayError::because(StatusCode::BAD_REQUEST, "the body of the request failed", error))?;
        let mut data = match frame.into_data() {
            Ok(data) => data,
            Err(frame) => {
                trailers.extend(frame.into_trailers().unwrap_or_default());
                continue;
            }
        };
        let len = data.remaining();
        if len > max_len.saturating_sub(first.len()).saturating_sub(rest.len()) {
            return Err(too_long);
        }
        hold(budget, len, &mut held)?;
        match (first.is_empty(), rest.is_empty()) {
            (true, true) => first = data.copy_to_bytes(len),
            (false, true) => {
                rest.reserve(first.len().saturating_add(len));
                rest.put(std::mem::take(&mut first));
                rest.put(data);
            }
            _ => rest.put(data),
        }
    }
    let data = if rest.is_empty() { first } else { rest.freeze() };
    Ok((Body::from(data).with_trailers(trailers), held))
}

/// Holds `len` more bytes of the budget.
fn hold(budget: &Arc<Semaphore>, len: usize, held: &mut Option<OwnedSemaphorePermit>) -> Result<(), GatewayError> {
    let full = |_| GatewayError::new(StatusCode::SERVICE_UNAVAILABLE, "the gateway holds too many requests");
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    let more = Arc::clone(budget).try_acquire_many_owned(len).map_err(full)?;
    match held {
        Some(held) => held.merge(more),
        None => *held = Some(more),
    }
    Ok(())
}
