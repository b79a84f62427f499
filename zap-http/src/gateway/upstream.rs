//! The two kinds of server behind a gateway, and how each is asked.

use std::time::Duration;

use http::header::{CONNECTION, HeaderMap, HeaderValue, TE, TRAILER, TRANSFER_ENCODING};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, StatusCode, Uri, Version, request, response};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::AnyError;
use super::body::GatewayBody;
use super::error::GatewayError;
use crate::convert::end_to_end;
use crate::{Body, Client};

/// To connect to an HTTP server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// From a request to an HTTP server to the head of its answer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How long an idle connection to an HTTP server is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(50);
/// Bytes of the head of an HTTP server's answer: what a ZAP frame may have, and its status line.
const MAX_HEAD_LEN: usize = 72 << 10;
/// Idle connections to an HTTP server.
const MAX_IDLE: usize = 64;

/// The server behind a gateway.
#[derive(Clone, Debug)]
pub(super) enum Upstream {
    Zap(Client),
    Http(Box<HttpUpstream>),
}

/// An HTTP/1.1 server.
#[derive(Clone, Debug)]
pub(super) struct HttpUpstream {
    client: legacy::Client<HttpConnector, GatewayBody>,
    authority: Authority,
    head_timeout: Duration,
}

impl Upstream {
    pub(super) const fn zap(client: Client) -> Self {
        Self::Zap(client)
    }

    pub(super) fn http(authority: Authority) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
        connector.set_nodelay(true);
        let client = legacy::Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(MAX_IDLE)
            .http1_max_buf_size(MAX_HEAD_LEN)
            .build(connector);
        Self::Http(Box::new(HttpUpstream { client, authority, head_timeout: HEAD_TIMEOUT }))
    }

    pub(super) fn set_head_timeout(&mut self, timeout: Duration) {
        if let Self::Http(upstream) = self {
            upstream.head_timeout = timeout;
        }
    }
}

/// Asks a ZAP server.
pub(super) async fn send_zap(
    client: &Client,
    parts: request::Parts,
    body: Body,
) -> Result<Response<GatewayBody>, GatewayError> {
    let mut client = client;
    let response = tower_service::Service::call(&mut client, Request::from_parts(parts, body)).await?;
    answer(response).await
}

impl HttpUpstream {
    /// Asks the HTTP server.
    pub(super) async fn send<B>(
        &self,
        mut parts: request::Parts,
        body: B,
    ) -> Result<Response<GatewayBody>, GatewayError>
    where
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<AnyError>,
    {
        let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.authority.clone()).path_and_query(path).build();
        parts.uri = uri.map_err(|error| {
            GatewayError::because(StatusCode::BAD_REQUEST, "the request cannot be forwarded", error)
        })?;
        parts.version = Version::HTTP_11;
        let body = GatewayBody::of(body)
            .await
            .map_err(|error| GatewayError::because(StatusCode::BAD_REQUEST, "the body of the request failed", error))?;
        if let Some(names) = body.announcement() {
            parts.headers.insert(TRAILER, names);
        }
        // hyper would send a GET of unknown length without its body.
        if !http_body::Body::is_end_stream(&body) && http_body::Body::size_hint(&body).exact().is_none() {
            parts.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        }
        if parts.headers.contains_key(TE) {
            parts.headers.insert(CONNECTION, HeaderValue::from_static("te"));
        }
        let exchange = self.client.request(Request::from_parts(parts, body));
        let Ok(response) = tokio::time::timeout(self.head_timeout, exchange).await else {
            return Err(GatewayError::new(StatusCode::GATEWAY_TIMEOUT, "the upstream took too long"));
        };
        let response = response.map_err(failure)?;
        if response.status().is_informational() {
            return Err(GatewayError::new(StatusCode::BAD_GATEWAY, "the upstream changed the protocol"));
        }
        answer(response).await
    }
}

fn failure(error: legacy::Error) -> GatewayError {
    let (status, what) = match error.is_connect() {
        true if is_timeout(&error) => (StatusCode::GATEWAY_TIMEOUT, "the upstream took too long"),
        true => (StatusCode::BAD_GATEWAY, "the upstream cannot be reached"),
        false => (StatusCode::BAD_GATEWAY, "the upstream gave no answer"),
    };
    GatewayError::because(status, what, error)
}

/// Whether an error comes of a deadline of the operating system or of ours.
fn is_timeout(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::TimedOut)
}

/// The answer to give for the upstream's.
async fn answer<B>(response: Response<B>) -> Result<Response<GatewayBody>, GatewayError>
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<AnyError>,
{
    let (parts, body) = response.into_parts();
    let body = GatewayBody::of(body)
        .await
        .map_err(|error| GatewayError::because(StatusCode::BAD_GATEWAY, "the upstream's answer failed", error))?;
    let mut headers = HeaderMap::with_capacity(parts.headers.len());
    for (name, value) in end_to_end(&parts.headers) {
        headers.append(name, value.clone());
    }
    if let Some(names) = body.announcement() {
        headers.insert(TRAILER, names);
    }
    let response::Parts { status, .. } = parts;
    let mut response = Response::new(body);
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}
