//! HTTP/1.1 and HTTP/2 for the same service: what `http://` addresses speak, by hyper.
//!
//! Services are given whole bodies on this wire, too: they are collected, up to the length that a ZAP frame may have, and
//! as part of the bytes that all connections may have in flight; a server that takes streamed requests is given those that
//! are not known to be short as they come. Answers are streamed.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use http::header::{HOST, HeaderValue};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

use super::stall::Stalling;
use super::streamed::Streamed;
use crate::observe::{HttpServing, Traffic};
use crate::proto::ServerConfig;
use crate::server::connections::{Activity, Busy, Member};
use crate::server::guarded;
use crate::{Body, ConnectionInfo, observe};

/// Requests of one HTTP/2 connection that are served at once.
const MAX_STREAMS: u32 = 100;
/// The least that hyper takes as the length of its buffer.
const MIN_BUFFER_LEN: usize = 8 << 10;
/// A body that says it has at most so many bytes is collected, even where requests are streamed.
const WHOLE_LEN: u64 = 64 << 10;

/// Serves a connection of a server until it ends or is told to.
pub(crate) async fn serve_http<IO, S, B>(io: IO, service: S, info: ConnectionInfo, mut member: Member)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let config = Arc::new(member.config());
    let builder = builder_of(&config);
    let (activity, order) = (Arc::new(member.activity()), member.order());
    let mut observed = observe::Connection::open(observe::Side::Server, &info);
    let span = observed.span();
    let service = hyper::service::service_fn({
        let (config, activity) = (Arc::clone(&config), Arc::clone(&activity));
        move |request: Request<Incoming>| {
            let (service, info) = (service.clone(), info.clone());
            let (config, busy) = (Arc::clone(&config), Activity::begin(&activity));
            let served = observe::HttpServing::begin(request.method(), request.uri(), &info);
            async move { Ok::<_, Infallible>(answer(request, service, info, &config, busy, served).await) }
        }
    });
    let traffic = Arc::new(Traffic::default());
    let io = Stalling::new(io, config.write_stall_timeout, Arc::clone(&traffic));
    let connection = async {
        let connection = pin!(builder.serve_connection(TokioIo::new(io), service));
        let bounds = (&*activity, config.first_frame_timeout);
        drive(connection, |it| it.graceful_shutdown(), bounds, order, || observed.progress(&*traffic)).await
    };
    let reason = span.within(connection).await;
    observed.end(reason);
}

/// Serves a connection to its end, and says why it ended.
async fn drive<C>(
    mut connection: Pin<&mut C>,
    shut_down: impl FnOnce(Pin<&mut C>),
    (activity, first_timeout): (&Activity, Duration),
    order: impl Future<Output = Option<Instant>>,
    mut progress: impl FnMut(),
) -> &'static str
where
    C: Future<Output = Result<(), Box<dyn std::error::Error + Send + Sync>>>,
{
    let (mut order, mut first) = (pin!(order), pin!(tokio::time::sleep(first_timeout)));
    let mut must_begin = true;
    let end = poll_fn(|context| {
        let ended = connection.as_mut().poll(context);
        progress();
        if let Poll::Ready(ended) = ended {
            return Poll::Ready(End::Done(reason_of(ended)));
        }
        // hyper waits for as long as it takes to see which protocol it is.
        if must_begin && first.as_mut().poll(context).is_ready() {
            must_begin = false;
            if !activity.has_begun() {
                return Poll::Ready(End::Done("first_frame_timeout"));
            }
        }
        order.as_mut().poll(context).map(End::Ordered)
    });
    let reason = match end.await {
        End::Done(reason) => reason,
        End::Ordered(deadline) => {
            shut_down(connection.as_mut());
            match deadline {
                Some(deadline) => match tokio::time::timeout_at(deadline.into(), connection).await {
                    Ok(_) => "shutdown",
                    Err(_) => "shutdown_deadline",
                },
                None => {
                    drop(connection.await);
                    "shutdown"
                }
            }
        }
    };
    progress();
    reason
}

/// Why a connection ended, as far as hyper says.
fn reason_of(ended: Result<(), Box<dyn std::error::Error + Send + Sync>>) -> &'static str {
    let Err(error) = ended else { return "peer_closed" };
    let first: &(dyn std::error::Error + 'static) = &*error;
    let stalled = std::iter::successors(Some(first), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::TimedOut);
    match error.downcast_ref::<hyper::Error>() {
        _ if stalled => "write_stall",
        Some(error) if error.is_parse() => "invalid_http",
        Some(error) if error.is_incomplete_message() => "peer_closed_early",
        _ => "transport_failed",
    }
}

/// What ends a connection.
enum End {
    /// Either end, or its time to begin is over: why.
    Done(&'static str),
    /// The order to end, until then.
    Ordered(Option<Instant>),
}

fn builder_of(config: &ServerConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    let head_len = config.frame.max_block_len.saturating_add(config.frame.max_target_len);
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_headers(config.frame.max_headers as usize)
        .max_buf_size((head_len as usize).max(MIN_BUFFER_LEN));
    builder.http2().timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS).max_header_list_size(head_len);
    builder
}

/// Serves one request.
async fn answer<S, B>(
    request: Request<Incoming>,
    service: S,
    info: ConnectionInfo,
    config: &ServerConfig,
    busy: Busy,
    served: HttpServing,
) -> Response<Answer<B>>
where
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body,
{
    let (mut parts, incoming) = request.into_parts();
    let is_head = parts.method == Method::HEAD;
    let mut charge = busy.charge();
    let whole_len = WHOLE_LEN.min(config.frame.max_frame_len.into());
    let is_short = incoming.size_hint().exact().is_some_and(|len| len <= whole_len);
    let body = match config.stream_requests && !is_short {
        true => Ok(Body::http(Streamed::new(incoming, config.stream_timeout))),
        false => collect(incoming, config, |len| charge.as_mut().is_none_or(|charge| charge.set(len))).await,
    };
    let body = match body {
        Ok(body) => body,
        Err(status) => {
            observe::http_refused(status);
            return Answer::refusal(status, served);
        }
    };
    // HTTP/2 has no `host`: the authority stands in its place, for handlers that look there.
    if let (Some(authority), false) = (parts.uri.authority(), parts.headers.contains_key(HOST))
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        parts.headers.insert(HOST, host);
    }
    info.insert_into(&mut parts.extensions);
    match served.span().within(call(service, Request::from_parts(parts, body))).await {
        Some(response) => {
            let status = response.status();
            let bodiless = is_head || matches!(status.as_u16(), 204 | 304);
            response.map(|body| Answer { body: Some(Box::pin(body)), bodiless, status, served, _busy: Some(busy) })
        }
        None => Answer::refusal(StatusCode::INTERNAL_SERVER_ERROR, served),
    }
}

/// What a service answers; nothing if it fails or panics.
async fn call<S, B>(mut service: S, request: Request<Body>) -> Option<Response<B>>
where
    S: Service<Request<Body>, Response = Response<B>>,
{
    let failed = |error: S::Error| observe::service_failed(&error);
    poll_fn(|context| guarded(|| service.poll_ready(context).map_err(failed))).await.ok()?.ok()?;
    let Ok(future) = catch_unwind(AssertUnwindSafe(|| service.call(request))) else {
        observe::handler_panicked();
        return None;
    };
    let mut future = pin!(future);
    poll_fn(|context| guarded(|| future.as_mut().poll(context).map_err(failed))).await.ok()?.ok()
}

/// Takes a whole body, or says why not. `hold` is told of each length before it is held.
async fn collect(
    mut incoming: Incoming,
    config: &ServerConfig,
    mut hold: impl FnMut(usize) -> bool,
) -> Result<Body, StatusCode> {
    let max_len = config.frame.max_frame_len as usize;
    if incoming.size_hint().lower() > max_len as u64 {
        return Err(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let (mut data, mut trailers) = (BytesMut::new(), HeaderMap::new());
    loop {
        let frame = poll_fn(|context| Pin::new(&mut incoming).poll_frame(context));
        let Ok(frame) = tokio::time::timeout(config.progress_timeout, frame).await else {
            return Err(StatusCode::REQUEST_TIMEOUT);
        };
        let frame = match frame {
            None => return Ok(Body::from(data.freeze()).with_trailers(trailers)),
            Some(frame) => frame.map_err(|_| StatusCode::BAD_REQUEST)?,
        };
        match frame.into_data() {
            Ok(chunk) => {
                let len = data.len().saturating_add(chunk.len());
                if len > max_len {
                    return Err(StatusCode::PAYLOAD_TOO_LARGE);
                }
                if !hold(len) {
                    return Err(StatusCode::SERVICE_UNAVAILABLE);
                }
                data.extend_from_slice(&chunk);
            }
            Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
        }
    }
}

/// The body of an answer. The connection is busy until it is dropped.
struct Answer<B: http_body::Body> {
    body: Option<Pin<Box<B>>>,
    /// The body is not sent.
    bodiless: bool,
    status: StatusCode,
    served: HttpServing,
    _busy: Option<Busy>,
}

impl<B: http_body::Body> Answer<B> {
    fn refusal(status: StatusCode, served: HttpServing) -> Response<Self> {
        let mut response = Response::new(Self { body: None, bodiless: true, status, served, _busy: None });
        *response.status_mut() = status;
        response
    }

    /// Whether hyper needs no more of it.
    fn is_complete(&self) -> bool {
        self.bodiless || http_body::Body::is_end_stream(self) || self.size_hint().exact() == Some(0)
    }
}

impl<B: http_body::Body> Drop for Answer<B> {
    /// hyper does not ask for the end of a body that it knows.
    fn drop(&mut self) {
        if self.is_complete() {
            self.served.end(self.status);
        }
    }
}

/// The service's body failed or panicked: hyper breaks the answer off, which tells the peer.
#[derive(Debug, thiserror::Error)]
#[error("the body failed")]
struct BodyFailed;

impl<B: http_body::Body> http_body::Body for Answer<B> {
    type Data = Bytes;
    type Error = BodyFailed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyFailed>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = match guarded(|| body.as_mut().poll_frame(context)) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(None)) => None,
            Poll::Ready(Ok(Some(Ok(frame)))) => {
                Some(Ok(frame.map_data(|mut data| data.copy_to_bytes(data.remaining()))))
            }
            Poll::Ready(Ok(Some(Err(_))) | Err(_)) => Some(Err(BodyFailed)),
        };
        if !matches!(frame, Some(Ok(_))) {
            // What panicked must not be polled again.
            self.body = None;
            if frame.is_some() {
                self.served.give_up();
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), |body| body.size_hint())
    }
}
