//! Answers: their body, and short forms to take all of it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Version};
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;

use super::connection::Call;
use super::error::{ClientError, Timeout};
use super::outgoing::{self, BodyBounds};
use crate::{Body, ConnectionInfo};

/// The body of an answer.
///
/// A whole answer's body is there at once. A streamed one comes as it is read: what the caller does not take stays in the
/// connection, and then with the server. Its trailers come last. If the connection ends before the answer does, the body
/// ends with an error, never early without one. Dropped before its end, it is cancelled: a short rest is skipped, a long
/// one costs the connection.
#[derive(Debug)]
pub struct ResponseBody(Content, ConnectionInfo);

#[derive(Debug)]
enum Content {
    Whole(Body),
    Streamed {
        call: Call,
        deadline: Option<Pin<Box<Sleep>>>,
    },
    /// The stream is over.
    Ended,
}

impl ResponseBody {
    pub(super) const fn whole(body: Body, info: ConnectionInfo) -> Self {
        Self(Content::Whole(body), info)
    }

    pub(super) fn streamed(call: Call, deadline: Option<Instant>) -> Self {
        let deadline = deadline.map(|deadline| Box::pin(tokio::time::sleep_until(deadline.into())));
        let info = call.info().clone();
        Self(Content::Streamed { call, deadline }, info)
    }

    /// The connection that the answer came on. It is kept here, and not in the answer's extensions, since those cost
    /// allocations.
    #[must_use]
    pub const fn connection_info(&self) -> &ConnectionInfo {
        &self.1
    }
}

impl http_body::Body for ResponseBody {
    type Data = Bytes;
    type Error = ClientError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ClientError>>> {
        let (call, deadline) = match &mut self.0 {
            Content::Whole(body) => {
                return Pin::new(body)
                    .poll_frame(context)
                    .map_err(|error| ClientError::InvalidRequest(Box::new(error)));
            }
            Content::Streamed { call, deadline } => (call, deadline),
            Content::Ended => return Poll::Ready(None),
        };
        let next = match call.poll_frame(context) {
            Poll::Ready(next) => next.map(|next| next.map_err(ClientError::from)),
            Poll::Pending => {
                let Some(deadline) = deadline else { return Poll::Pending };
                ready!(deadline.as_mut().poll(context));
                Some(Err(ClientError::Timeout(Timeout::Whole)))
            }
        };
        if !matches!(&next, Some(Ok(frame)) if frame.is_data()) {
            self.0 = Content::Ended;
        }
        Poll::Ready(next)
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Whole(body) => body.is_end_stream(),
            Content::Streamed { .. } => false,
            Content::Ended => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole(body) => body.size_hint(),
            Content::Streamed { .. } => SizeHint::default(),
            Content::Ended => SizeHint::with_exact(0),
        }
    }
}

/// An answer, with short forms to take its body: what [`RequestBuilder::send`](super::RequestBuilder::send) gives.
///
/// # Examples
///
/// ```no_run
/// # async fn run(client: zap_http::Client) -> Result<(), zap_http::ClientError> {
/// let response = client.get("zap://survey.example/stations").send().await?.error_for_status()?;
/// assert_eq!(response.headers()["content-type"], "application/json");
/// println!("{}", response.text().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ClientResponse {
    response: http::Response<ResponseBody>,
    max_collected_len: u64,
}

impl ClientResponse {
    pub(super) const fn new(response: http::Response<ResponseBody>, max_collected_len: u64) -> Self {
        Self { response, max_collected_len }
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The protocol's version that the server named.
    #[must_use]
    pub fn version(&self) -> Version {
        self.response.version()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The connection that it came on: addresses, and what TLS agreed on.
    #[must_use]
    pub fn connection_info(&self) -> &ConnectionInfo {
        self.response.body().connection_info()
    }

    /// The answer, unless its status is 4xx or 5xx.
    ///
    /// # Errors
    ///
    /// [`ClientError::Status`].
    pub fn error_for_status(self) -> Result<Self, ClientError> {
        let status = self.status();
        if status.is_client_error() || status.is_server_error() { Err(ClientError::Status(status)) } else { Ok(self) }
    }

    /// The next piece of the body; none at its end. Trailers are left out: to see them, take the
    /// [body](http_body::Body) from [`into_http`](Self::into_http).
    ///
    /// # Errors
    ///
    /// The connection ended before the answer did, or took too long.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ClientError> {
        let mut body = Pin::new(self.response.body_mut());
        while let Some(frame) = poll_fn(|context| http_body::Body::poll_frame(body.as_mut(), context)).await {
            if let Ok(data) = frame?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// All of the body.
    ///
    /// # Errors
    ///
    /// As [`chunk`](Self::chunk), or the body is longer than
    /// [`max_collected_len`](super::ClientBuilder::max_collected_len).
    ///
    /// # Cost
    ///
    /// Copies nothing unless the body comes in pieces.
    pub async fn bytes(self) -> Result<Bytes, ClientError> {
        let bounds = BodyBounds::of_len(self.max_collected_len);
        Ok(outgoing::collect(self.response.into_body(), &bounds, |error| error).await?.data)
    }

    /// All of the body, as text in UTF-8.
    ///
    /// # Errors
    ///
    /// As [`bytes`](Self::bytes), or it is not UTF-8.
    pub async fn text(self) -> Result<String, ClientError> {
        Ok(String::from_utf8(self.bytes().await?.into())?)
    }

    /// All of the body, read as JSON.
    ///
    /// # Errors
    ///
    /// As [`bytes`](Self::bytes), or it is not the JSON that a `T` has.
    #[cfg(feature = "json")]
    pub async fn json<T: serde::de::DeserializeOwned>(self) -> Result<T, ClientError> {
        Ok(serde_json::from_slice(&self.bytes().await?)?)
    }

    /// The answer as the `http` crate has it.
    #[must_use]
    pub fn into_http(self) -> http::Response<ResponseBody> {
        self.response
    }
}

impl From<ClientResponse> for http::Response<ResponseBody> {
    fn from(response: ClientResponse) -> Self {
        response.into_http()
    }
}
