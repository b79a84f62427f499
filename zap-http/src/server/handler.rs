//! Handlers: the short way from a frame to its answer, without the types of the `http` crate.

use std::error::Error;
use std::future::{Future, ready};
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::ConnectionInfo;
use crate::proto::{self, AnswerError, Detached, reason_of};

/// Answers requests where they lie: borrows them from the connection's input, and writes into its output.
///
/// # Handler or service?
///
/// A tower service, and so an axum `Router`, is the way to serve an application: [`serve`](crate::serve). The types of
/// `http` cost seven allocations a request or more, and routing by them costs further ones. A handler with a whole answer
/// costs none. Take it for what is called very often and does little: a health check, a
/// cache, a counter, a proxy.
///
/// What is given up for it: requests are literal, as [`proto`] reads them. Headers that mean something for one connection
/// only are not removed, the target may have any form, and a `Host` that differs from the target's authority is not
/// refused; [`convert::request_parts`](crate::convert::request_parts) does all that where it is wanted. The same is true for
/// answers: what a handler writes is sent as it is.
///
/// # Examples
///
/// An `async fn` answers:
///
/// ```
/// use zap_http::proto::AnswerError;
/// use zap_http::{Handler, RequestView, Responder, serve_handler};
///
/// struct Stations;
///
/// impl Handler for Stations {
///     type Error = AnswerError;
///
///     async fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
///         match request.target() {
///             b"/health" => responder.status(200).body(b"ok"),
///             b"/stations" => responder.status(200).header("content-type", "application/json").body(b"[]"),
///             _ => responder.status(404).finish(),
///         }
///     }
/// }
///
/// # async fn run() -> std::io::Result<()> {
/// let listener = tokio::net::TcpListener::bind("0.0.0.0:9999").await?;
/// serve_handler(listener, Stations).await;
/// # Ok(())
/// # }
/// ```
///
/// On several addresses at once, and in TLS: [`Listen::serve_handler`](crate::Listen::serve_handler).
///
/// Without anything to wait for, a closure is enough: [`handler_fn`]. An async closure is not: that its future may move
/// between threads while it borrows the request cannot be said in stable Rust.
///
/// # When the answer is sent
///
/// Once the future ends with `Ok`. Ends it with an error, panics it, or was the answer not finished, the request is
/// answered 500 and the connection lives. If the client goes away, the future is dropped where it waits.
///
/// # Cost
///
/// On a warm TCP or unix connection, a request with a whole answer allocates nothing, but what the handler itself does. A
/// shared body over 16 KiB is not copied. A streamed one is put on the heap.
pub trait Handler: Send + Sync + 'static {
    /// Why a request cannot be answered. Its client sees a 500.
    type Error: Into<Box<dyn Error + Send + Sync>> + Send;

    /// Answers one request. Those of one connection come one after another, those of several at the same time.
    fn handle(
        &self,
        request: RequestView<'_>,
        responder: Responder<'_>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// A handler of a closure that answers at once.
///
/// # Examples
///
/// ```
/// # async fn run() -> std::io::Result<()> {
/// let health = zap_http::handler_fn(|_request, responder| responder.status(200).body(b"ok"));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9999").await?;
/// zap_http::serve_handler(listener, health).await;
/// # Ok(())
/// # }
/// ```
pub fn handler_fn<F, E>(function: F) -> HandlerFn<F>
where
    F: Fn(RequestView<'_>, Responder<'_>) -> Result<(), E> + Send + Sync + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + Send,
{
    HandlerFn(function)
}

/// What [`handler_fn`] gives.
#[derive(Clone, Copy, Debug)]
pub struct HandlerFn<F>(F);

impl<F, E> Handler for HandlerFn<F>
where
    F: Fn(RequestView<'_>, Responder<'_>) -> Result<(), E> + Send + Sync + 'static,
    E: Into<Box<dyn Error + Send + Sync>> + Send,
{
    type Error = E;

    fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> impl Future<Output = Result<(), E>> + Send {
        ready((self.0)(request, responder))
    }
}

/// A request, read where it lies: all that [`proto::Request`] tells, and the connection that it came on.
#[derive(Clone, Copy, Debug)]
pub struct RequestView<'r> {
    request: &'r proto::Request<'r>,
    connection: &'r ConnectionInfo,
}

impl<'r> RequestView<'r> {
    pub(super) const fn new(request: &'r proto::Request<'r>, connection: &'r ConnectionInfo) -> Self {
        Self { request, connection }
    }

    /// The connection that the request came on.
    #[must_use]
    pub const fn connection(&self) -> &'r ConnectionInfo {
        self.connection
    }
}

impl<'r> Deref for RequestView<'r> {
    type Target = proto::Request<'r>;

    fn deref(&self) -> &proto::Request<'r> {
        self.request
    }
}

/// Begins the answer to a request. Dropped, it leaves a 500.
#[derive(Debug)]
pub struct Responder<'r> {
    reply: &'r mut Reply,
}

impl<'r> Responder<'r> {
    pub(super) const fn new(reply: &'r mut Reply) -> Self {
        Self { reply }
    }

    /// An answer of this status, 200 to 999, with the usual reason.
    pub fn status(self, status: u16) -> ResponseWriter<'r> {
        self.status_with_reason(status, reason_of(status))
    }

    /// As [`status`](Self::status), with a reason.
    pub fn status_with_reason(self, status: u16, reason: impl AsRef<[u8]>) -> ResponseWriter<'r> {
        self.reply.written = self.reply.answer.begin(status, reason.as_ref());
        ResponseWriter { reply: self.reply }
    }
}

/// Writes the rest of an answer: headers, then one body.
///
/// What cannot be written is told at the end: by [`body`](Self::body), [`body_shared`](Self::body_shared),
/// [`stream`](Self::stream) or [`finish`](Self::finish). Dropped before one of these, it leaves a 500. Answers to `HEAD`,
/// and those of status 204 and 304, are sent without the body that they are given.
///
/// # Examples
///
/// Headers of which the number is not known before:
///
/// ```
/// use zap_http::handler_fn;
///
/// let mirror = handler_fn(|request, responder| {
///     let mut response = responder.status(200);
///     for (name, value) in request.headers() {
///         response = response.header(name, value);
///     }
///     response.body(request.body())
/// });
/// # let _ = mirror;
/// ```
#[derive(Debug)]
#[must_use = "an answer that is not finished is a 500"]
pub struct ResponseWriter<'r> {
    reply: &'r mut Reply,
}

impl ResponseWriter<'_> {
    /// Appends a header. Order, repetition and spelling are kept.
    pub fn header(self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        if self.reply.written.is_ok() {
            self.reply.written = self.reply.answer.header(name.as_ref(), value.as_ref());
        }
        self
    }

    /// Ends the answer with a copy of the body: right for one that lies in the request, or is a few kilobytes.
    ///
    /// # Errors
    ///
    /// The status was not within 200 to 999, the reason has a control byte, a header's name is not a token or its value
    /// has a control byte other than tab. A body that is too long for a frame is streamed.
    pub fn body(self, body: impl AsRef<[u8]>) -> Result<(), AnswerError> {
        self.end(|reply| reply.answer.body(body.as_ref()))
    }

    /// Ends the answer with a copy of the body, and trailers: in one frame, as an answer of gRPC is. For a long body that is
    /// shared, there is [`stream`](Self::stream) with a [`Body`](crate::Body) that has trailers.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_http::handler_fn;
    ///
    /// let echo = handler_fn(|request, responder| {
    ///     let response = responder.status(200).header("content-type", "application/grpc");
    ///     response.body_with_trailers(request.body(), [("grpc-status", "0")])
    /// });
    /// # let _ = echo;
    /// ```
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body), or a trailer's name is not a token or one that only headers may have, or its value has a
    /// control byte other than tab. Where there are trailers, an answer that is too long for a frame is an error, too.
    pub fn body_with_trailers<N, V>(
        self,
        body: impl AsRef<[u8]>,
        trailers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(), AnswerError>
    where
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        self.end(|reply| {
            reply.answer.body(body.as_ref())?;
            trailers.into_iter().try_for_each(|(name, value)| reply.answer.trailer(name.as_ref(), value.as_ref()))
        })
    }

    /// Ends the answer with a body that is shared: sent from where it lies if it is longer than 16 KiB
    /// ([`max_copied_len`](proto::ServerConfig::max_copied_len)), copied otherwise.
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body).
    pub fn body_shared(self, body: impl Into<Bytes>) -> Result<(), AnswerError> {
        self.end(|reply| reply.answer.body_shared(body.into()))
    }

    /// Ends the answer with a body that comes in pieces, and its trailers. It is polled after the handler has ended, as fast
    /// as the client takes it; if it is there at once, it is sent as one frame. A body that fails later ends the connection,
    /// since only that tells the client.
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body).
    ///
    /// # Cost
    ///
    /// Puts the body on the heap.
    pub fn stream<B>(self, body: B) -> Result<(), AnswerError>
    where
        B: Body + Send + 'static,
    {
        self.end(|reply| {
            if !reply.answer.is_bodiless() {
                reply.stream = Some(Box::pin(Erased { body }));
            }
            Ok(())
        })
    }

    /// Ends the answer without a body.
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body).
    pub fn finish(self) -> Result<(), AnswerError> {
        self.end(|_| Ok(()))
    }

    fn end(self, body: impl FnOnce(&mut Reply) -> Result<(), AnswerError>) -> Result<(), AnswerError> {
        self.reply.written?;
        body(self.reply)?;
        self.reply.finished = true;
        Ok(())
    }
}

/// What a handler has written so far.
pub(super) struct Reply {
    pub(super) answer: Detached,
    /// The first thing that went wrong with it.
    pub(super) written: Result<(), AnswerError>,
    pub(super) stream: Option<BoxedBody>,
    pub(super) finished: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self { answer: Detached::new(), written: Ok(()), stream: None, finished: false }
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reply").field("finished", &self.finished).finish_non_exhaustive()
    }
}

/// A body of any type: its data as `Bytes`, its error dropped.
pub(super) type BoxedBody = Pin<Box<dyn Body<Data = Bytes, Error = BodyFailed> + Send>>;

/// A body failed. The client cannot be told why.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFailed;

pin_project! {
    /// A body of one type as a body of any.
    struct Erased<B> {
        #[pin]
        body: B,
    }
}

impl<B: Body> Body for Erased<B> {
    type Data = Bytes;
    type Error = BodyFailed;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyFailed>>> {
        let bytes = |mut data: B::Data| data.copy_to_bytes(data.remaining());
        let polled = self.project().body.poll_frame(context);
        polled.map(|next| next.map(|frame| frame.map(|frame| frame.map_data(bytes)).map_err(|_| BodyFailed)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
