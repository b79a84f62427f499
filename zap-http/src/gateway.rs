//! A service that forwards: HTTP/1.1 and HTTP/2 to ZAP ([`to_zap`]), and ZAP to HTTP/1.1 ([`to_http`]).
//!
//! A [`Gateway`] is a tower service: [`listen`](crate::listen) serves it as it is, and an axum app can mount it below a path.
//!
//! # What is forwarded
//!
//! * Every request is written anew from its parts: what belongs to one connection or frames a body is left out, as
//!   [`convert`](crate::convert) has it, so no second request can hide in one. `te: trailers` stays.
//! * Requests that two servers could read differently are refused with 400: more than one `host`, a `host` that is none or
//!   differs from the target's authority, user info in the target, a length beside a transfer coding. A transfer coding
//!   other than `chunked`, and `CONNECT`, are answered 501.
//! * `cookie` fields, which HTTP/2 may split, are joined. `expect` is left out: the body is there. `via` says that a gateway
//!   was on the way.
//! * `forwarded` and `x-forwarded-*` that a client sent are replaced by what the gateway knows, unless it is told to
//!   [keep](Gateway::keep_forwarded) them.
//! * Bodies of requests to ZAP are collected, since the public wire carries requests whole. With a client that
//!   [streams requests](ClientBuilder::stream_requests), they are streamed to servers that say that they take such, if the
//!   gateway's own server takes them so, too ([`stream_requests`](crate::proto::ServerConfig::stream_requests)).
//!   All other bodies are streamed.
//! * Trailers of requests and answers cross. HTTP/1.1 must announce them in the head, and only to clients that say
//!   `te: trailers`: so there those cross that are known by then, those that the upstream announces by `trailer`, and
//!   gRPC's. To HTTP/2 and ZAP all cross.
//!
//! # What the gateway answers itself
//!
//! | status | reason |
//! |---|---|
//! | 400 | a request as above, or one whose body failed |
//! | 408 | the next bytes of a request's body did not come |
//! | 413 | its body is longer than [`max_body_len`](Gateway::max_body_len) |
//! | 501 | `CONNECT`, or an unknown transfer coding |
//! | 502 | the upstream cannot be reached, ended the connection, or gave an answer that is none |
//! | 503 | requests hold [all the memory](Gateway::max_buffered_len) that they may |
//! | 504 | the upstream took too long |
//!
//! A request that is streamed on has reached the upstream when its body fails or stalls. Then the answer is 400 from a ZAP
//! upstream's side and 502 from an HTTP server's.
//!
//! The cause is no secret to the gateway's owner, and one to its clients: it is a [`GatewayError`] in the answer's
//! extensions.
//!
//! # Examples
//!
//! A gateway for browsers in front of a ZAP service:
//!
//! ```
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use zap_http::{gateway, listen};
//!
//! listen("http://:8080").serve(gateway::to_zap("zap://survey.example:9999")?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! An HTTP/1.1 service for callers that speak ZAP:
//!
//! ```
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use zap_http::{gateway, listen};
//!
//! listen(["zap://:9999", "unix:/run/survey.sock"]).serve(gateway::to_http("127.0.0.1:8080")?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! One path of an axum app:
//!
//! ```
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use axum::{Router, routing::get};
//! use zap_http::{gateway, listen};
//!
//! let stations = gateway::to_zap("unix:/run/survey.sock")?.max_body_len(64 << 10);
//! let app = Router::new().route("/health", get(|| async { "ok" })).route_service("/stations/{*path}", stations);
//! listen("http://:8080").serve(app).await?;
//! # Ok(())
//! # }
//! ```

mod body;
mod error;
mod head;
mod upstream;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::uri::Authority;
use http::{Request, Response};
use tokio::sync::Semaphore;
use tower_service::Service;

use crate::client::BodyBounds;
use crate::{Client, ClientBuilder, Target, TargetError};
use head::Forwarding;
use upstream::Upstream;

pub use body::GatewayBody;
pub use error::{AuthorityError, GatewayError};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Bytes of a request's body that are collected.
const MAX_BODY_LEN: usize = 8 << 20;
/// Bytes of all bodies that are being collected or sent.
const MAX_BUFFERED_LEN: usize = 256 << 20;
/// Between two receipts of a body that is collected.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(10);

/// Forwards requests to one upstream: what [`to_zap`] and [`to_http`] give. Clones share connections and budget.
#[derive(Clone, Debug)]
#[must_use = "a gateway does nothing unless it is served"]
pub struct Gateway {
    upstream: Upstream,
    forwarding: Forwarding,
    max_body_len: usize,
    progress_timeout: Duration,
    buffered: Arc<Semaphore>,
}

/// A gateway to a ZAP server.
///
/// # Errors
///
/// The text is no target.
pub fn to_zap<T>(target: T) -> Result<Gateway, TargetError>
where
    T: TryInto<Target>,
    T::Error: Into<TargetError>,
{
    to_zap_with(Client::builder(), target)
}

/// As [`to_zap`], with a client of other limits: its timeouts are what 504 is answered after.
///
/// # Errors
///
/// The text is no target.
pub fn to_zap_with<T>(client: ClientBuilder, target: T) -> Result<Gateway, TargetError>
where
    T: TryInto<Target>,
    T::Error: Into<TargetError>,
{
    Ok(Gateway::new(Upstream::zap(client.to(target)?)))
}

/// A gateway to an HTTP/1.1 server: `host`, `host:8080`, or the same after `http://`.
///
/// # Errors
///
/// The text is no host, or has more than a host.
pub fn to_http(authority: impl AsRef<str>) -> Result<Gateway, AuthorityError> {
    let text = authority.as_ref();
    let text = text.strip_prefix("http://").unwrap_or(text);
    let authority: Authority = text.strip_suffix('/').unwrap_or(text).parse().map_err(|_| AuthorityError)?;
    let is_host_and_port = authority.port_u16().is_some() || authority.as_str() == authority.host();
    if !is_host_and_port || authority.host().is_empty() || authority.as_str().contains('@') {
        return Err(AuthorityError);
    }
    Ok(Gateway::new(Upstream::http(authority)))
}

impl Gateway {
    fn new(upstream: Upstream) -> Self {
        Self {
            upstream,
            forwarding: Forwarding::default(),
            max_body_len: MAX_BODY_LEN,
            progress_timeout: PROGRESS_TIMEOUT,
            buffered: Arc::new(Semaphore::new(MAX_BUFFERED_LEN)),
        }
    }

    /// Bytes of a request's body to a ZAP server that is collected, not streamed on: 8 MiB unless given, then 413.
    pub const fn max_body_len(mut self, len: usize) -> Self {
        self.max_body_len = len;
        self
    }

    /// Bytes of all bodies that are held for a ZAP server: 256 MiB unless given, then 503. For all clones together, if it
    /// is set before they are made.
    pub fn max_buffered_len(mut self, len: usize) -> Self {
        self.buffered = Arc::new(Semaphore::new(len.min(Semaphore::MAX_PERMITS)));
        self
    }

    /// Between two receipts of a request's body to a ZAP server that is collected: 10 s unless given, then 408. One that is
    /// streamed on, in either direction, has the bounds of the server in front of the gateway: those of this crate have some
    /// ([`stream_timeout`](crate::proto::ServerConfig::stream_timeout)), `axum::serve` has none.
    pub const fn progress_timeout(mut self, timeout: Duration) -> Self {
        self.progress_timeout = timeout;
        self
    }

    /// How long an HTTP/1.1 server may do nothing until the head of its answer: neither take more of the request's body,
    /// nor, after its end, answer. 30 s unless given, then 504. For a ZAP server it is its client's: see [`to_zap_with`].
    pub fn head_timeout(mut self, timeout: Duration) -> Self {
        self.upstream.set_head_timeout(timeout);
        self
    }

    /// Adds to `forwarded` and `x-forwarded-*` of clients instead of replacing them: for a gateway that only other
    /// gateways can reach. Whoever can reach it can say that they are somebody else.
    pub const fn keep_forwarded(mut self) -> Self {
        self.forwarding.keep = true;
        self
    }

    /// Forwards one request.
    async fn forward<B>(self, request: Request<B>) -> Result<Response<GatewayBody>, GatewayError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        let (parts, body) = request.into_parts();
        let parts = head::forwarded_request(parts, self.forwarding)?;
        match &self.upstream {
            Upstream::Http(upstream) => upstream.send(parts, body).await,
            Upstream::Zap(client) => {
                let bounds = BodyBounds {
                    max_len: client.max_body_len().min(self.max_body_len as u64),
                    progress_timeout: Some(self.progress_timeout),
                    budget: Some(Arc::clone(&self.buffered)),
                };
                upstream::send_zap(client, Request::from_parts(parts, body), &bounds).await
            }
        }
    }
}

/// What comes of a request: always an answer.
#[must_use = "a call does nothing unless it is awaited"]
pub struct GatewayFuture(Pin<Box<dyn Future<Output = Response<GatewayBody>> + Send>>);

impl Future for GatewayFuture {
    type Output = Result<Response<GatewayBody>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context).map(Ok)
    }
}

impl std::fmt::Debug for GatewayFuture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayFuture").finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for Gateway
where
    B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
{
    type Response = Response<GatewayBody>;
    type Error = Infallible;
    type Future = GatewayFuture;

    /// Always ready.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> GatewayFuture {
        let gateway = self.clone();
        GatewayFuture(Box::pin(
            async move { gateway.forward(request).await.unwrap_or_else(GatewayError::into_response) },
        ))
    }
}
