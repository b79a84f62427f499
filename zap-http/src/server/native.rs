//! Serving a [`Handler`]: on a listener, and on one connection.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::{Answering, Connection, Streamed, Turn, guarded, serve_with};
use super::connections::Member;
use super::handler::{BoxedBody, Reply};
use super::respond::begin;
use super::{Handler, RequestView, Responder, Serve};
use crate::proto::{self, CloseReason, Detached, ServerConfig};
use crate::{ConnectionInfo, Listener, observe};

/// Serves a handler on a listener: as [`serve`](crate::serve), with the same bounds and the same way to stop.
///
/// # Examples
///
/// ```
/// # async fn run(stop: tokio::sync::oneshot::Receiver<()>) -> std::io::Result<()> {
/// use zap_http::{ServeConfig, handler_fn, serve_handler};
///
/// let mut config = ServeConfig::default();
/// config.max_connections = 1_000;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9999").await?;
/// let health = handler_fn(|_request, responder| responder.status(200).body(b"ok"));
/// serve_handler(listener, health).config(config).with_shutdown(async { drop(stop.await) }).await;
/// # Ok(())
/// # }
/// ```
pub fn serve_handler<L: Listener, H: Handler>(listener: L, handler: H) -> Serve<L, Native<H>> {
    Serve::new(listener, Native::new(handler))
}

/// Serves one connection of any transport by a handler, and says why it ended: as
/// [`serve_connection`](crate::serve_connection).
///
/// # Examples
///
/// ```
/// # async fn run() {
/// use std::{future::pending, sync::Arc};
/// use zap_http::{ConnectionInfo, handler_fn, proto::ServerConfig, serve_handler_connection};
///
/// let handler = Arc::new(handler_fn(|_request, responder| responder.status(204).finish()));
/// let (ours, theirs) = tokio::io::duplex(1024);
/// let info = ConnectionInfo::new(None, None);
/// tokio::spawn(serve_handler_connection(ours, handler, ServerConfig::default(), info, pending()));
/// # drop(theirs);
/// # }
/// ```
pub async fn serve_handler_connection<IO, H>(
    transport: IO,
    handler: Arc<H>,
    config: ServerConfig,
    info: ConnectionInfo,
    stop: impl Future<Output = Option<Instant>>,
) -> CloseReason
where
    IO: AsyncRead + AsyncWrite,
    H: Handler,
{
    Native(handler).answer_all(transport, config, info, stop, Member::alone()).await
}

/// A handler in the place of a service: what [`serve_handler`] serves.
#[derive(Debug)]
pub struct Native<H>(Arc<H>);

impl<H> Clone for Native<H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<H: Handler> Native<H> {
    pub(crate) fn new(handler: H) -> Self {
        Self(Arc::new(handler))
    }

    pub(super) async fn answer_all<IO>(
        self,
        transport: IO,
        config: ServerConfig,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>>,
        member: Member,
    ) -> CloseReason
    where
        IO: AsyncRead + AsyncWrite,
    {
        serve_with(transport, Replying { handler: self.0, reply: Reply::default() }, config, info, stop, member).await
    }
}

/// Answers by a handler.
struct Replying<H> {
    handler: Arc<H>,
    /// The answer at hand.
    reply: Reply,
}

impl<H: Handler> Answering for Replying<H> {
    /// Handlers are given requests that are there as a whole.
    async fn answer_streamed<IO, F>(&mut self, connection: &mut Connection<'_, IO, F>, _: Streamed)
    where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        if connection.server.respond(411).and_then(proto::Answer::finish).is_err() {
            connection.server.give_up();
        }
    }

    async fn answer<IO, F>(
        &mut self,
        connection: &mut Connection<'_, IO, F>,
        request: &proto::Request<'_>,
        info: &ConnectionInfo,
    ) where
        IO: AsyncRead + AsyncWrite,
        F: Future<Output = Option<Instant>>,
    {
        let Self { handler, reply } = self;
        connection.server.detach(&mut reply.answer);
        (reply.stream, reply.finished) = (None, false);
        let handled = {
            let (view, responder) = (RequestView::new(request, info), Responder::new(reply));
            // The handler's future is made where it is polled, and not moved.
            let mut future =
                pin!(async move { handler.handle(view, responder).await.map_err(observe::handler_failed) });
            connection.until(|_, context| guarded(|| future.as_mut().poll(context))).await
        };
        match handled {
            Turn::Done(Ok(Ok(()))) if reply.finished => {}
            Turn::Done(_) => {
                connection.server.reclaim(&mut reply.answer);
                reply.stream = None;
                return connection.server.give_up();
            }
            // Dropping the future cancelled the handler.
            Turn::Closed => return,
        }
        match reply.stream.take() {
            None => {
                if connection.server.finish_detached(&mut reply.answer).is_err() {
                    connection.server.give_up();
                }
            }
            // On the heap, so that answers without a stream do not carry its state about.
            Some(body) => Box::pin(connection.send_stream(&mut reply.answer, body)).await,
        }
    }
}

impl<IO, F> Connection<'_, IO, F>
where
    IO: AsyncRead + AsyncWrite,
    F: Future<Output = Option<Instant>>,
{
    async fn send_stream(&mut self, answer: &mut Detached, mut body: BoxedBody) {
        let begun = poll_fn(|context| {
            Poll::Ready(begin(&mut self.server, body.as_mut(), |server| server.attach(answer), context))
        });
        let begun = begun.await;
        self.send_rest(begun, body.as_mut()).await;
    }
}
