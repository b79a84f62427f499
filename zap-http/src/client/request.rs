//! Short forms: a request written down step by step.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};

use super::Client;
use super::error::ClientError;
use super::response::ClientResponse;
use crate::Body;

/// A request about to be sent: what [`Client::get`] and its like give.
///
/// What is wrong with it is told by [`send`](Self::send).
#[derive(Debug)]
#[must_use = "a request is sent by `send`"]
pub struct RequestBuilder {
    client: Client,
    request: Result<Request<Body>, ClientError>,
    whole_timeout: Option<Duration>,
}

impl RequestBuilder {
    pub(super) fn new<U>(client: Client, method: Method, uri: U) -> Self
    where
        U: TryInto<Uri>,
        U::Error: Into<http::Error>,
    {
        let request = uri.try_into().map_err(|error| ClientError::from(error.into())).map(|uri| {
            let mut request = Request::new(Body::empty());
            (*request.method_mut(), *request.uri_mut()) = (method, uri);
            request
        });
        let whole_timeout = client.shared.settings.whole_timeout;
        Self { client, request, whole_timeout }
    }

    /// Adds a header; one of the same name stays.
    pub fn header<N, V>(self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        N::Error: Into<http::Error>,
        V: TryInto<HeaderValue>,
        V::Error: Into<http::Error>,
    {
        self.and_then(|request| {
            let name = name.try_into().map_err(Into::into)?;
            let value = value.try_into().map_err(Into::into)?;
            request.headers_mut().try_append(name, value).map_err(http::Error::from)?;
            Ok(())
        })
    }

    /// Adds headers; those of the same names are replaced.
    pub fn headers(self, headers: HeaderMap) -> Self {
        self.and_then(|request| {
            request.headers_mut().extend(headers);
            Ok(())
        })
    }

    /// The body: bytes or text, or a [`Body`] with trailers.
    pub fn body(self, body: impl Into<Body>) -> Self {
        self.and_then(|request| {
            *request.body_mut() = body.into();
            Ok(())
        })
    }

    /// A body of JSON, and the `content-type` for it unless one was given.
    #[cfg(feature = "json")]
    pub fn json<T: serde::Serialize + ?Sized>(self, value: &T) -> Self {
        self.and_then(|request| {
            *request.body_mut() = serde_json::to_vec(value)?.into();
            let content_type = HeaderValue::from_static("application/json");
            request.headers_mut().entry(http::header::CONTENT_TYPE).or_insert(content_type);
            Ok(())
        })
    }

    /// From the call to the end of the answer's body, for this request.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.whole_timeout = Some(timeout);
        self
    }

    /// Sends the request, and waits for the head of its answer.
    ///
    /// # Errors
    ///
    /// Any [`ClientError`] but those about a body. An answer of any status is none.
    pub async fn send(self) -> Result<ClientResponse, ClientError> {
        let max_collected_len = self.client.shared.settings.max_collected_len;
        let response = self.client.execute(self.request?, self.whole_timeout).await?;
        Ok(ClientResponse::new(response, max_collected_len))
    }

    fn and_then(mut self, change: impl FnOnce(&mut Request<Body>) -> Result<(), ClientError>) -> Self {
        self.request = self.request.and_then(|mut request| change(&mut request).map(|()| request));
        self
    }
}
