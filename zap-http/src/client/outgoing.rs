//! A request that is ready to be sent, more than once if need be: its body is collected, within bounds.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::HOST;
use http::{HeaderMap, request};
use http_body::Body;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AnyError;
use super::error::ClientError;
use crate::Target;
use crate::convert::{self, ConvertError};
use crate::proto::{self, CallId, RequestError};
use crate::target::check_user_info;

/// A request with all of its body.
#[derive(Debug)]
pub(super) struct Outgoing {
    parts: request::Parts,
    body: Collected,
}

impl Outgoing {
    /// Checks what can be checked before there is a connection, and collects the body.
    pub(super) async fn collect<B>(parts: request::Parts, body: B, bounds: &BodyBounds) -> Result<Self, ClientError>
    where
        B: Body,
        B::Error: Into<AnyError>,
    {
        let request = Self::new(parts)?;
        let body = collect(body, bounds, |error| ClientError::RequestBody(error.into())).await?;
        Ok(Self { body, ..request })
    }

    /// Checks what can be checked before there is a connection. There is no body.
    pub(super) fn new(parts: request::Parts) -> Result<Self, ClientError> {
        if let Some(authority) = parts.uri.authority() {
            check_user_info(authority)?;
        }
        convert::target_of(&parts.method, &parts.uri)?;
        Ok(Self { parts, body: Collected::default() })
    }

    /// Asks a server what it can do.
    pub(super) fn probe() -> Result<Self, ClientError> {
        let request =
            http::Request::options("*").body(()).map_err(|error| ClientError::InvalidRequest(error.into()))?;
        let (parts, ()) = request.into_parts();
        Self::new(parts)
    }

    pub(super) fn into_parts(self) -> request::Parts {
        self.parts
    }

    /// Whether to serve it twice is to serve it once.
    pub(super) fn is_idempotent(&self) -> bool {
        self.parts.method.is_idempotent()
    }

    /// Bytes of its body.
    pub(super) fn body_len(&self) -> u64 {
        self.body.data.len() as u64
    }

    /// Makes it a request of a connection to `target`; `streamed`: only its head, the body follows.
    pub(super) fn write(
        &self,
        client: &mut proto::Client,
        target: &Target,
        streamed: bool,
        now: std::time::Instant,
    ) -> Result<CallId, WriteError> {
        let Self { parts, body } = self;
        let path = convert::target_of(&parts.method, &parts.uri)?;
        let mut request = client.request(parts.method.as_str(), path.as_bytes(), now)?;
        request.header("host", self.host(target))?;
        for (name, value) in convert::end_to_end(&parts.headers).filter(|(name, _)| *name != HOST) {
            request.header(name, value)?;
        }
        if streamed {
            return Ok(request.stream()?);
        }
        request.body_shared(body.data.clone())?;
        for (name, value) in body.trailers.iter().flat_map(convert::sendable_trailers) {
            request.trailer(name, value)?;
        }
        Ok(request.finish()?)
    }

    /// The host that is asked for: as the caller says, else as the URI has it, else the connection's.
    fn host<'h>(&'h self, target: &'h Target) -> &'h [u8] {
        let given = self.parts.headers.get_all(HOST).iter().next_back();
        match (given, self.parts.uri.authority()) {
            (Some(host), _) => host.as_bytes(),
            (None, Some(authority)) => authority.as_str().as_bytes(),
            (None, None) => target.host_header().as_bytes(),
        }
    }
}

/// Why a request cannot be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error(transparent)]
    Convert(#[from] ConvertError),
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// The bounds of a body that is collected.
#[derive(Clone, Debug)]
pub(crate) struct BodyBounds {
    pub(crate) max_len: u64,
    /// Between two receipts; without it the body's time is part of [`head_timeout`](super::ClientBuilder::head_timeout).
    pub(crate) progress_timeout: Option<Duration>,
    /// Bytes of all bodies that are held until they are answered.
    pub(crate) budget: Option<Arc<Semaphore>>,
}

impl BodyBounds {
    pub(super) const fn of_len(max_len: u64) -> Self {
        Self { max_len, progress_timeout: None, budget: None }
    }

    /// Holds `len` more bytes of the budget.
    fn hold(&self, len: usize, held: &mut Option<OwnedSemaphorePermit>) -> Result<(), ClientError> {
        let Some(budget) = &self.budget else { return Ok(()) };
        let full = |_| ClientError::RequestBody(Box::new(BodyRefused::OverBudget));
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        let more = Arc::clone(budget).try_acquire_many_owned(len).map_err(full)?;
        match held {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        Ok(())
    }
}

/// Why a body of a request is not collected, when it is not too long and did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyRefused {
    #[error("too many bytes of requests are held already")]
    OverBudget,
    #[error("the rest of the body did not come in time")]
    Stalled,
}

/// All of a body, and its trailers.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) data: Bytes,
    pub(super) trailers: Option<HeaderMap>,
    /// What it holds of the budget, for as long as it is there.
    _held: Option<OwnedSemaphorePermit>,
}

/// Collects a body. Copies nothing if it is one chunk of `Bytes`.
pub(super) async fn collect<B: Body>(
    body: B,
    bounds: &BodyBounds,
    failure: impl Fn(B::Error) -> ClientError,
) -> Result<Collected, ClientError> {
    let mut body = pin!(body);
    let limit = bounds.max_len;
    let too_large = |len: u64| if len > limit { Err(ClientError::BodyTooLarge { limit }) } else { Ok(()) };
    too_large(body.size_hint().lower())?;
    let (mut first, mut rest, mut trailers) = (Bytes::new(), BytesMut::new(), None::<HeaderMap>);
    let mut held = None;
    while !body.is_end_stream() {
        let frame = poll_fn(|context| body.as_mut().poll_frame(context));
        let frame = match bounds.progress_timeout {
            None => frame.await,
            Some(timeout) => tokio::time::timeout(timeout, frame)
                .await
                .map_err(|_| ClientError::RequestBody(Box::new(BodyRefused::Stalled)))?,
        };
        let Some(frame) = frame else { break };
        match frame.map_err(&failure)?.into_data() {
            Ok(mut data) => {
                let len = data.remaining();
                too_large((first.len() as u64).saturating_add(rest.len() as u64).saturating_add(len as u64))?;
                bounds.hold(len, &mut held)?;
                if first.is_empty() && rest.is_empty() {
                    first = data.copy_to_bytes(len);
                } else {
                    if rest.is_empty() {
                        rest.extend_from_slice(&std::mem::take(&mut first));
                    }
                    rest.put(data);
                }
            }
            Err(frame) => {
                if let Ok(more) = frame.into_trailers() {
                    trailers.get_or_insert_default().extend(more);
                }
            }
        }
    }
    let data = if rest.is_empty() { first } else { rest.freeze() };
    Ok(Collected { data, trailers, _held: held })
}
