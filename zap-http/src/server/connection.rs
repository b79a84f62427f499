//! One connection: moves bytes between a transport and [`proto::Server`], and requests between that and a service.

use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::BufMut as _;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tower_service::Service;

use super::connections::Member;
use super::respond::{Begun, begin_response};
use crate::incoming::{Feed, incoming};
use crate::proto::{self, Close, CloseReason, Next, ServerConfig};
use crate::timer::Timer;
use crate::{Body, ConnectionInfo, convert, observe};

/// Bytes that one read takes at most, where they are copied into the connection's buffer then.
const READ_LEN: usize = 16 << 10;
/// Bytes that one read takes at most, where that has room for them.
const DIRECT_READ_LEN: usize = 64 << 10;
/// Pieces that one write takes at most.
const WRITE_PIECES: usize = 16;
/// After so many bytes of requests that are served without a pause, the other tasks of the thread have their turn.
const TURN_LEN: usize = 256 << 10;
/// What a request counts for beside its body: after 64 small ones a turn ends.
const REQUEST_LEN: usize = TURN_LEN / 64;

/// Serves one connection of any transport to its end, and says why it ended.
///
/// `stop` gives the order to end: when it is ready, the requests that were read are answered and the connection is
/// closed, at the deadline that it gives at the latest.
///
/// # Examples
///
/// A unix socket:
///
/// ```
/// # #[cfg(unix)]
/// # async fn run(app: axum::Router) -> std::io::Result<()> {
/// use std::future::pending;
/// use zap_http::{ConnectionInfo, proto::ServerConfig, serve_connection};
///
/// let listener = tokio::net::UnixListener::bind("/run/app.sock")?;
/// loop {
///     let (stream, _) = listener.accept().await?;
///     let (info, app) = (ConnectionInfo::new(None, None), app.clone());
///     tokio::spawn(async move { serve_connection(stream, app, ServerConfig::default(), info, pending()).await });
/// }
/// # }
/// ```
pub async fn serve_connection<IO, S, B>(
    transport: IO,
    service: S,
    config: ServerConfig,
    info: ConnectionInfo,
    stop: impl Future<Output = Option<Instant>>,
) -> CloseReason
where
    IO: AsyncRead + AsyncWrite,
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body,
{
    serve_service(transport, service, config, info, stop, Member::alone()).await
}

/// Serves a connection by a service.
pub(super) async fn serve_service<IO, S, B>(
    transport: IO,
    service: S,
    config: ServerConfig,
    info: ConnectionInfo,
    stop: impl Future<Output = Option<Instant>>,
    member: Member,
) -> CloseReason
where
    IO: AsyncRead + AsyncWrite,
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body,
{
    serve_with(transport, Http::new(service), config, info, stop, member).await
}

/// What answers the requests of a connection.
pub(super) trait Answering {
    /// Answers the request at hand, or gives it up.
    async fn answer<IO, F>(
        &mut self,
        connection: &mut Connection<'_, IO, F>,
        request: &proto::Request<'_>,
        info: &ConnectionInfo,
    ) where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>;

    /// Answers a streamed request, whose body comes while it is being answered.
    async fn answer_streamed<IO, F>(&mut self, connection: &mut Connection<'_, IO, F>, request: Streamed)
    where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>;
}

/// A streamed request: its head, or why that has no meaning in HTTP.
pub(super) struct Streamed {
    head: bool,
    request: Result<Request<Body>, convert::ConvertError>,
}

/// Serves one connection to its end.
pub(super) async fn serve_with<IO, F>(
    transport: IO,
    mut answering: impl Answering,
    config: ServerConfig,
    info: ConnectionInfo,
    stop: F,
    member: Member,
) -> CloseReason
where
    IO: AsyncRead + AsyncWrite,
    F: Future<Output = Option<Instant>>,
{
    let now = Instant::now();
    let server = proto::Server::new(config, now);
    let (transport, stop) = (pin!(transport), pin!(stop));
    let timer = Timer::default();
    let observed = observe::Connection::open(observe::Side::Server, &info);
    let span = observed.span();
    let connection = Connection {
        server,
        now,
        turn: 0,
        feed: None,
        transport,
        stop: Some(stop),
        member,
        timer,
        unflushed: false,
        shut: false,
        observed,
    };
    span.within(connection.run(&mut answering, &info)).await
}

pub(super) struct Connection<'c, IO, F> {
    pub(super) server: proto::Server,
    /// When bytes were last moved: the clock is read once for what is done in a row.
    now: Instant,
    /// How far the turn has gone since this task waited.
    turn: usize,
    /// The body of the streamed request that is being answered.
    feed: Option<Feed>,
    transport: Pin<&'c mut IO>,
    /// `None` once the order to stop has come.
    stop: Option<Pin<&'c mut F>>,
    member: Member,
    timer: Timer,
    /// Bytes were written since the last flush.
    unflushed: bool,
    /// The sending side is shut.
    shut: bool,
    observed: observe::Connection,
}

/// What came of waiting.
pub(super) enum Turn<T> {
    Done(T),
    /// The connection closed before.
    Closed,
}

/// A call into the user's code panicked.
pub(crate) struct Panicked;

impl<IO, F> Connection<'_, IO, F>
where
    IO: AsyncRead + AsyncWrite,
    F: Future<Output = Option<Instant>>,
{
    async fn run(mut self, answering: &mut impl Answering, info: &ConnectionInfo) -> CloseReason {
        loop {
            let requests = |server: &mut proto::Server, _: &mut Context<'_>| ready_if(server.waiting() > 0);
            if let Turn::Closed = self.until(requests).await {
                break;
            }
            let mut batch = self.server.take_batch(self.now);
            loop {
                match self.server.next_request(&mut batch) {
                    Next::Request(request) => {
                        let served = observe::Serving::begin(request.method(), request.target(), info, &self.server);
                        served.span().within(answering.answer(&mut self, &request, info)).await;
                        served.end(&self.server);
                        self.turn = self.turn.saturating_add(REQUEST_LEN).saturating_add(request.body().len());
                        if self.turn >= TURN_LEN {
                            self.pause().await;
                        }
                    }
                    Next::Head(head) => {
                        let served = observe::Serving::begin(head.method(), head.target(), info, &self.server);
                        let is_head = head.method() == b"HEAD";
                        let parts = convert::request_head_parts(&head);
                        let (body, feed) = incoming(batch);
                        self.feed = Some(feed);
                        let request = parts.map(|mut parts| {
                            info.insert_into(&mut parts.extensions);
                            Request::from_parts(parts, Body::incoming(body))
                        });
                        served
                            .span()
                            .within(answering.answer_streamed(&mut self, Streamed { head: is_head, request }))
                            .await;
                        served.end(&self.server);
                        batch = self.feed.take().map(Feed::into_batch).unwrap_or_default();
                    }
                    Next::OutputFull => {
                        // If it closes meanwhile, the batch has no next request.
                        self.until(|server, _| ready_if(!server.is_output_full())).await;
                    }
                    Next::Done => break,
                }
            }
            self.server.return_batch(batch, self.now);
            let idle = !self.server.is_answering() && !self.server.is_receiving();
            self.member.answered(self.server.in_flight_len(), idle, self.now);
        }
        // Sends the end of the stream where the transport can; it is closed in any case.
        let _ = poll_fn(|context| Poll::Ready(self.transport.as_mut().poll_shutdown(context))).await;
        let reason = match self.server.poll_close() {
            Close::Now(reason) => reason,
            _ => CloseReason::TransportFailed,
        };
        self.observed.progress(&self.server);
        self.observed.closed(reason);
        reason
    }

    /// Waits for something, and moves bytes meanwhile: what is waited for comes first, so that answers which are ready
    /// at once are written together.
    pub(super) async fn until<T>(
        &mut self,
        mut event: impl FnMut(&mut proto::Server, &mut Context<'_>) -> Poll<T>,
    ) -> Turn<T> {
        poll_fn(|context| {
            let mut now = None;
            loop {
                self.feed(context);
                if let Poll::Ready(value) = event(&mut self.server, context) {
                    return Poll::Ready(Turn::Done(value));
                }
                if let Close::Now(_) = self.server.poll_close() {
                    return Poll::Ready(Turn::Closed);
                }
                if self.feed(context) {
                    continue;
                }
                self.now = *now.get_or_insert_with(Instant::now);
                let moved = self.poll_write(context).is_ready() | self.poll_read(context).is_ready();
                if !moved && self.poll_orders(context).is_pending() {
                    self.turn = 0;
                    self.observed.progress(&self.server);
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// Hands over what has come of a streamed request's body; whether there was anything.
    fn feed(&mut self, context: &Context<'_>) -> bool {
        self.feed.as_mut().is_some_and(|feed| feed.feed(&mut self.server, self.now, context))
    }

    /// Sends what is there, and lets other tasks go on.
    async fn pause(&mut self) {
        self.turn = 0;
        poll_fn(|context| {
            self.now = Instant::now();
            while self.poll_write(context).is_ready() {}
            let _ = self.poll_orders(context);
            Poll::Ready(())
        })
        .await;
        tokio::task::yield_now().await;
    }

    /// What comes from elsewhere than the peer: the order to stop, and deadlines. Ready if there was one.
    fn poll_orders(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(Poll::Ready(deadline)) = self.stop.as_mut().map(|stop| stop.as_mut().poll(context)) {
            self.stop = None;
            self.server.shutdown(deadline, self.now);
            return Poll::Ready(());
        }
        self.poll_timer(context)
    }

    /// Writes; ready if that made a difference.
    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let transport = self.transport.as_mut();
        let written = if self.server.shares_output() {
            let mut pieces = [IoSlice::new(&[]); WRITE_PIECES];
            let filled = self.server.poll_transmit(&mut pieces, self.now);
            Some(ready!(transport.poll_write_vectored(context, pieces.get(..filled).unwrap_or_default())))
        } else {
            // The system's call for one piece is the cheaper one.
            let mut piece = [IoSlice::new(&[])];
            match self.server.poll_transmit(&mut piece, self.now) {
                0 => None,
                _ => Some(ready!(transport.poll_write(context, &piece[0]))),
            }
        };
        if let Some(written) = written {
            match written {
                Ok(len) if len > 0 => self.server.transmitted(len, self.now),
                _ => self.server.transport_failed(),
            }
            self.unflushed = true;
            return Poll::Ready(());
        }
        if self.unflushed {
            let flushed = ready!(self.transport.as_mut().poll_flush(context));
            self.unflushed = false;
            if flushed.is_err() {
                self.server.transport_failed();
                return Poll::Ready(());
            }
        }
        if self.server.poll_close() == Close::ShutWrite && !self.shut {
            let shut = ready!(self.transport.as_mut().poll_shutdown(context));
            self.shut = true;
            if shut.is_err() {
                self.server.transport_failed();
            }
            return Poll::Ready(());
        }
        Poll::Pending
    }

    /// Reads once; ready if that made a difference.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.server.wants_read() {
            return Poll::Pending;
        }
        let read = match self.server.room() {
            Some((buffer, max_len)) => {
                let read = ready!(poll_append(self.transport.as_mut(), context, buffer, max_len));
                if let Ok(len @ 1..) = read {
                    self.server.received(len, self.now);
                }
                read
            }
            None => {
                let mut storage = [MaybeUninit::uninit(); READ_LEN];
                let mut buffer = ReadBuf::uninit(&mut storage);
                let read = ready!(self.transport.as_mut().poll_read(context, &mut buffer));
                if let bytes @ [_, ..] = buffer.filled() {
                    self.server.recv(bytes, self.now);
                }
                read.map(|()| buffer.filled().len())
            }
        };
        match read {
            Ok(0) => self.server.recv_eof(self.now),
            Ok(_) if self.member.received(self.server.in_flight_len()) => {}
            Ok(_) => self.server.overloaded(self.now),
            Err(_) => self.server.transport_failed(),
        }
        Poll::Ready(())
    }

    fn poll_timer(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.server.poll_timeout() else { return Poll::Pending };
        ready!(self.timer.poll(deadline, context));
        self.server.handle_timeout(Instant::now());
        Poll::Ready(())
    }
}

/// Reads into the free room of a buffer.
fn poll_append<IO: AsyncRead>(
    mut transport: Pin<&mut IO>,
    context: &mut Context<'_>,
    buffer: &mut Vec<u8>,
    max_len: usize,
) -> Poll<io::Result<usize>> {
    let mut room = buffer.limit(max_len.min(DIRECT_READ_LEN));
    // It keeps nothing from one poll to the next.
    pin!(transport.read_buf(&mut room)).poll(context)
}

/// Answers through the types of `http`, by a tower service.
struct Http<S: Service<Request<Body>>, B> {
    service: S,
    exchange: Pin<Box<Exchange<S::Future, B>>>,
}

pin_project! {
    /// The call at hand, and the body of its answer. They are large, and would be copied again and again if they were part
    /// of the futures that serve a connection; here they have one place for all its requests.
    struct Exchange<F, B> {
        // While the service is not ready.
        request: Option<Request<Body>>,
        #[pin]
        call: Option<F>,
        #[pin]
        body: Option<B>,
    }
}

impl<S, B> Answering for Http<S, B>
where
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body,
{
    async fn answer<IO, F>(
        &mut self,
        connection: &mut Connection<'_, IO, F>,
        request: &proto::Request<'_>,
        info: &ConnectionInfo,
    ) where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        let head = request.method() == b"HEAD";
        let whole = || {
            let mut copied = convert::Copied::of(request);
            let mut body = Body::from(std::mem::take(&mut copied.body));
            if !request.trailers().is_empty() {
                body = body.with_trailers(convert::trailers(request.trailers())?);
            }
            let mut whole = Request::new(body);
            copied.fill(&mut whole, request)?;
            info.insert_into(whole.extensions_mut());
            Ok(whole)
        };
        self.exchange(connection, whole, head).await;
    }

    async fn answer_streamed<IO, F>(&mut self, connection: &mut Connection<'_, IO, F>, request: Streamed)
    where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        let Streamed { head, request } = request;
        self.exchange(connection, || request, head).await;
    }
}

impl<S, B> Http<S, B>
where
    S: Service<Request<Body>, Response = Response<B>>,
    B: http_body::Body,
{
    fn new(service: S) -> Self {
        Self { service, exchange: Box::pin(Exchange { request: None, call: None, body: None }) }
    }

    /// Calls the service, and answers with what it gives.
    async fn exchange<IO, F>(
        &mut self,
        connection: &mut Connection<'_, IO, F>,
        request: impl FnOnce() -> Result<Request<Body>, convert::ConvertError>,
        head: bool,
    ) where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        let begun = self.begin(connection, request, head).await;
        let mut exchange = self.exchange.as_mut().project();
        // Dropping a call that has not ended cancels the handler.
        exchange.call.set(None);
        *exchange.request = None;
        match (begun, exchange.body.as_mut().as_pin_mut()) {
            (Turn::Done(Begun::Whole) | Turn::Closed, _) => {}
            (Turn::Done(begun), Some(body)) => connection.send_rest(begun, body).await,
            (Turn::Done(_), None) => connection.server.give_up(),
        }
        exchange.body.set(None);
    }

    /// Calls the service, and writes its answer as far as that is there.
    async fn begin<IO, F>(
        &mut self,
        connection: &mut Connection<'_, IO, F>,
        request: impl FnOnce() -> Result<Request<Body>, convert::ConvertError>,
        head: bool,
    ) -> Turn<Begun>
    where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        let service = &mut self.service;
        let mut exchange = self.exchange.as_mut().project();
        let failed = |error: S::Error| {
            observe::service_failed(&error);
            Begun::Failed
        };
        let mut first = Some(request);
        connection
            .until(|server, context| {
                let polled = guarded(|| {
                    // A request that is refused must not take a service's readiness from those that are not.
                    let request = match first.take().map(|request| request()) {
                        Some(Ok(request)) => Some(request),
                        Some(Err(error)) => return Poll::Ready(Err(refuse(server, error))),
                        None => exchange.request.take(),
                    };
                    if let Some(request) = request {
                        match service.poll_ready(context) {
                            Poll::Ready(Ok(())) => exchange.call.set(Some(service.call(request))),
                            Poll::Ready(Err(error)) => return Poll::Ready(Err(failed(error))),
                            Poll::Pending => {
                                *exchange.request = Some(request);
                                return Poll::Pending;
                            }
                        }
                    }
                    match exchange.call.as_mut().as_pin_mut() {
                        Some(call) => call.poll(context).map_err(failed),
                        None => Poll::Ready(Err(Begun::Failed)),
                    }
                });
                polled.map(|called| match called {
                    Ok(Ok(response)) => begin_response(server, response, exchange.body.as_mut(), head, context),
                    Ok(Err(begun)) => begun,
                    Err(Panicked) => Begun::Failed,
                })
            })
            .await
    }
}

/// Answers a request that has no meaning in HTTP.
fn refuse(server: &mut proto::Server, error: convert::ConvertError) -> Begun {
    observe::request_refused(error);
    let answered = server.respond(error.status().as_u16()).and_then(proto::Answer::finish);
    if answered.is_ok() { Begun::Whole } else { Begun::Failed }
}

/// Polls the user's code, and survives its panic. What panicked must not be polled again.
pub(crate) fn guarded<T>(poll: impl FnOnce() -> Poll<T>) -> Poll<Result<T, Panicked>> {
    match catch_unwind(AssertUnwindSafe(poll)) {
        Ok(poll) => poll.map(Ok),
        Err(_) => {
            observe::handler_panicked();
            Poll::Ready(Err(Panicked))
        }
    }
}

fn ready_if(condition: bool) -> Poll<()> {
    if condition { Poll::Ready(()) } else { Poll::Pending }
}
