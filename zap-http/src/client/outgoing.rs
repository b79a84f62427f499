//! A request that is ready to be sent, more than once if need be: its body is collected.

use std::pin::pin;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::header::HOST;
use http::{HeaderMap, request};
use http_body::Body;

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
    body: Bytes,
    trailers: Option<HeaderMap>,
}

impl Outgoing {
    /// Checks what can be checked before there is a connection, and collects the body.
    pub(super) async fn collect<B>(parts: request::Parts, body: B, limit: u64) -> Result<Self, ClientError>
    where
        B: Body,
        B::Error: Into<AnyError>,
    {
        let request = Self::new(parts, Bytes::new(), None)?;
        let (body, trailers) = collect(body, limit, |error| ClientError::RequestBody(error.into())).await?;
        Ok(Self { body, trailers, ..request })
    }

    /// Checks what can be checked before there is a connection.
    pub(super) fn new(parts: request::Parts, body: Bytes, trailers: Option<HeaderMap>) -> Result<Self, ClientError> {
        if let Some(authority) = parts.uri.authority() {
            check_user_info(authority)?;
        }
        convert::target_of(&parts.method, &parts.uri)?;
        Ok(Self { parts, body, trailers })
    }

    /// Asks a server what it can do.
    pub(super) fn probe() -> Result<Self, ClientError> {
        let request =
            http::Request::options("*").body(()).map_err(|error| ClientError::InvalidRequest(error.into()))?;
        let (parts, ()) = request.into_parts();
        Self::new(parts, Bytes::new(), None)
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
        self.body.len() as u64
    }

    /// Makes it a request of a connection to `target`; `streamed`: only its head, the body follows.
    pub(super) fn write(
        &self,
        client: &mut proto::Client,
        target: &Target,
        streamed: bool,
        now: std::time::Instant,
    ) -> Result<CallId, WriteError> {
        let Self { parts, body, trailers } = self;
        let path = convert::target_of(&parts.method, &parts.uri)?;
        let mut request = client.request(parts.method.as_str(), path.as_bytes(), now)?;
        request.header("host", self.host(target))?;
        for (name, value) in convert::end_to_end(&parts.headers).filter(|(name, _)| *name != HOST) {
            request.header(name, value)?;
        }
        if streamed {
            return Ok(request.stream()?);
        }
        request.body_shared(body.clone())?;
        for (name, value) in trailers.iter().flat_map(convert::sendable_trailers) {
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

/// All of a body, and its trailers. Copies nothing if it is one chunk of `Bytes`.
pub(super) async fn collect<B: Body>(
    body: B,
    limit: u64,
    failure: impl Fn(B::Error) -> ClientError,
) -> Result<(Bytes, Option<HeaderMap>), ClientError> {
    let mut body = pin!(body);
    let too_large = |len: u64| if len > limit { Err(ClientError::BodyTooLarge { limit }) } else { Ok(()) };
    too_large(body.size_hint().lower())?;
    let (mut first, mut rest, mut trailers) = (Bytes::new(), BytesMut::new(), None::<HeaderMap>);
    while !body.is_end_stream() {
        let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await else { break };
        match frame.map_err(&failure)?.into_data() {
            Ok(mut data) => {
                let len = data.remaining();
                too_large((first.len() as u64).saturating_add(rest.len() as u64).saturating_add(len as u64))?;
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
    Ok((if rest.is_empty() { first } else { rest.freeze() }, trailers))
}
