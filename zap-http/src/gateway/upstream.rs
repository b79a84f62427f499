//! The two kinds of server behind a gateway, and how each is asked.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use http::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue, TE, TRAILER, TRANSFER_ENCODING};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, StatusCode, Uri, Version, request, response};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::watch;

use super::AnyError;
use super::body::{Awaited, GatewayBody};
use super::error::GatewayError;
use crate::Client;
use crate::client::BodyBounds;
use crate::convert::end_to_end;

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

const TOO_LONG: GatewayError = GatewayError::new(StatusCode::GATEWAY_TIMEOUT, "the upstream took too long");

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
pub(super) async fn send_zap<B>(
    client: &Client,
    request: Request<B>,
    bounds: &BodyBounds,
) -> Result<Response<GatewayBody>, GatewayError>
where
    B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
{
    answer(client.execute_within(request, client.whole_timeout(), bounds).await?).await
}

impl HttpUpstream {
    /// Asks the HTTP server.
    pub(super) async fn send<B>(
        &self,
        mut parts: request::Parts,
        body: B,
    ) -> Result<Response<GatewayBody>, GatewayError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        let path = parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/"));
        let uri = Uri::builder().scheme(Scheme::HTTP).authority(self.authority.clone()).path_and_query(path).build();
        parts.uri = uri.map_err(|error| {
            GatewayError::because(StatusCode::BAD_REQUEST, "the request cannot be forwarded", error)
        })?;
        parts.version = Version::HTTP_11;
        let mut body = GatewayBody::of(body)
            .await
            .map_err(|error| GatewayError::because(StatusCode::BAD_REQUEST, "the body of the request failed", error))?;
        announce(&mut parts.headers, &body);
        // hyper would send a GET of unknown length without its body.
        if !http_body::Body::is_end_stream(&body) && http_body::Body::size_hint(&body).exact().is_none() {
            parts.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        }
        if parts.headers.contains_key(TE) {
            parts.headers.insert(CONNECTION, HeaderValue::from_static("te"));
        }
        let mut slow = pin!(upstream_is_slow(self.head_timeout, body.watch()));
        let mut exchange = pin!(self.client.request(Request::from_parts(parts, body)));
        let response = poll_fn(|context| match exchange.as_mut().poll(context) {
            Poll::Ready(response) => Poll::Ready(response.map_err(failure)),
            Poll::Pending => slow.as_mut().poll(context).map(|()| Err(TOO_LONG)),
        });
        let response = response.await?;
        if response.status().is_informational() {
            return Err(GatewayError::new(StatusCode::BAD_GATEWAY, "the upstream changed the protocol"));
        }
        answer(response).await
    }
}

/// Ready when the upstream has done nothing for so long: neither taken more of the body, where there was more, nor answered.
async fn upstream_is_slow(timeout: Duration, mut body: watch::Receiver<Awaited>) {
    loop {
        let awaited = *body.borrow_and_update();
        if awaited == Awaited::Client && body.changed().await.is_ok() {
            continue;
        }
        match tokio::time::timeout(timeout, body.changed()).await {
            Ok(Ok(())) => {}
            // The body is over: now the answer is due.
            Ok(Err(_)) => return tokio::time::sleep(timeout).await,
            Err(_) => return,
        }
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

/// Names trailers in the head, since HTTP/1.1 sends no others: those that are there; if they are still to come, those that
/// whoever sent the message named, and those of gRPC.
fn announce(headers: &mut HeaderMap, body: &GatewayBody) {
    const GRPC: HeaderValue = HeaderValue::from_static("grpc-status, grpc-message, grpc-status-details-bin");
    if !body.may_go_on() {
        headers.remove(TRAILER);
        headers.extend(body.announcement().map(|names| (TRAILER, names)));
    } else if headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc")) {
        headers.append(TRAILER, GRPC);
    }
}

/// The answer to give for the upstream's.
async fn answer<B>(response: Response<B>) -> Result<Response<GatewayBody>, GatewayError>
where
    B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
{
    let (parts, body) = response.into_parts();
    let body = GatewayBody::of(body)
        .await
        .map_err(|error| GatewayError::because(StatusCode::BAD_GATEWAY, "the upstream's answer failed", error))?;
    let mut headers = HeaderMap::with_capacity(parts.headers.len());
    for (name, value) in end_to_end(&parts.headers) {
        headers.append(name, value.clone());
    }
    announce(&mut headers, &body);
    let response::Parts { status, .. } = parts;
    let mut response = Response::new(body);
    (*response.status_mut(), *response.headers_mut()) = (status, headers);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_upstream_has_time_from_its_last_sign_or_the_bodys_end() {
        let timeout = Duration::from_secs(30);
        let elapsed = async |steps: &[(u64, Awaited)]| {
            let start = tokio::time::Instant::now();
            let (sender, receiver) = watch::channel(Awaited::Upstream);
            let slow = tokio::spawn(upstream_is_slow(timeout, receiver));
            for (seconds, awaited) in steps {
                tokio::time::sleep(Duration::from_secs(*seconds)).await;
                sender.send_replace(*awaited);
            }
            drop(sender);
            slow.await.unwrap();
            start.elapsed().as_secs()
        };
        // Without a body, and after one that ended.
        assert_eq!(elapsed(&[]).await, 30);
        assert_eq!(elapsed(&[(20, Awaited::Upstream)]).await, 50);
        // However long the client takes.
        assert_eq!(elapsed(&[(1, Awaited::Client), (500, Awaited::Upstream)]).await, 531);
        assert_eq!(elapsed(&[(1, Awaited::Client)]).await, 31);
        // It does not take what there is.
        assert_eq!(elapsed(&[(1, Awaited::Client), (1, Awaited::Upstream), (40, Awaited::Client)]).await, 42);
    }
}
