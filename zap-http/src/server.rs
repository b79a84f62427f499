//! Serving a tower service: what a server is made of before it runs, and how it ends.

mod accept;
mod config;
mod connection;
pub(crate) mod connections;
mod handle;
mod handler;
mod native;
mod respond;

use std::future::{Future, IntoFuture, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_service::Service;

#[cfg(feature = "http1")]
use crate::listen::Socket;
use crate::proto::CloseReason;
use crate::{Body, ConnectionInfo, Listener, LocalAddress};
pub(crate) use accept::accept_all;
use connections::{Connections, Member};
use handle::Signal;

pub use config::{ServeConfig, Served};
#[cfg(feature = "http1")]
pub(crate) use connection::guarded;
pub use connection::serve_connection;
pub use handle::ServerHandle;
pub use handler::{Handler, HandlerFn, RequestView, Responder, ResponseWriter, handler_fn};
pub use native::{Native, serve_handler, serve_handler_connection};

/// Serves a tower service on a listener: an axum `Router`, as it is.
///
/// Each connection has its own task and its own clone of the service, and serves its requests one after another; all
/// requests of one read are answered with as few writes as possible. A request's extensions hold
/// [`ConnectionInfo`](crate::ConnectionInfo). A handler that panics or fails is answered 500, and its connection lives; a
/// handler whose client goes away is dropped. Answers are sent as one frame if their body is there at once, and streamed
/// otherwise, trailers included.
///
/// The listener is one of tokio's, a [`SocketListener`](crate::SocketListener), or any other [`Listener`]. For several at
/// once, and to serve HTTP/1.1, HTTP/2 and TLS beside, see [`listen`](crate::listen).
///
/// # Examples
///
/// ```
/// use axum::{Router, routing::get};
///
/// # async fn run() -> std::io::Result<()> {
/// let app = Router::new().route("/hello", get(|| async { "hello" }));
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9999").await?;
/// // axum::serve(listener, app).await
/// zap_http::serve(listener, app).await;
/// # Ok(())
/// # }
/// ```
pub fn serve<L, S, B>(listener: L, service: S) -> Serve<L, S>
where
    L: Listener,
    S: Service<Request<Body>, Response = Response<B>>,
{
    Serve::new(listener, service)
}

/// A server about to run: what [`serve`] gives. Awaiting it runs it.
#[must_use = "a server runs when it is awaited"]
pub struct Serve<L, S> {
    pub(crate) listener: L,
    pub(crate) service: S,
    config: ServeConfig,
    signal: Option<Signal>,
    handle: ServerHandle,
}

impl<L: std::fmt::Debug, S> std::fmt::Debug for Serve<L, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serve").field("listener", &self.listener).field("config", &self.config).finish_non_exhaustive()
    }
}

impl<L, S> Serve<L, S> {
    pub(crate) fn new(listener: L, service: S) -> Self {
        Self { listener, service, config: ServeConfig::default(), signal: None, handle: ServerHandle::new() }
    }

    /// Other bounds than the default ones.
    pub fn config(mut self, config: ServeConfig) -> Self {
        self.config = config;
        self
    }

    /// Stops once `signal` is ready: accepts no more, answers all requests that were read, and closes; connections that
    /// take longer than [`ServeConfig::shutdown_timeout`] are closed all the same.
    pub fn with_shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.signal = Some(Box::pin(signal));
        self
    }

    /// What stops the server from elsewhere, as [`with_shutdown`](Self::with_shutdown) does.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        self.handle.clone()
    }

    /// Sets the listener apart, so that another can take its place.
    pub(crate) fn take_listener(self) -> (L, Serve<(), S>) {
        let Self { listener, service, config, signal, handle } = self;
        (listener, Serve { listener: (), service, config, signal, handle })
    }

    pub(crate) fn with_listener<M>(self, listener: M) -> Serve<M, S> {
        let Self { service, config, signal, handle, .. } = self;
        Serve { listener, service, config, signal, handle }
    }

    /// Runs what `accepting` makes, accept loops of all listeners, until the order to stop, and waits for the connections.
    pub(crate) async fn run<A>(self, accepting: impl FnOnce(L, S, &Arc<Connections>) -> A) -> Served
    where
        A: Future<Output = ()>,
    {
        let Self { listener, service, config, signal, handle } = self;
        let connections = Connections::new(config);
        let signal = signal.unwrap_or_else(|| Box::pin(std::future::pending()));
        {
            // Dropped before the connections end: nothing more is accepted then.
            let accepting = pin!(accepting(listener, service, &connections));
            first_of(pin!(signal), first_of(pin!(handle.stopped()), accepting)).await;
        }
        connections.stop().await;
        connections.served()
    }
}

impl<L: Listener, S> Serve<L, S> {
    /// Where the listener listens: with the port that the system chose.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn local_address(&self) -> io::Result<LocalAddress> {
        self.listener.local_address()
    }
}

impl<L: Listener, S: Application> IntoFuture for Serve<L, S> {
    type Output = Served;
    type IntoFuture = Pin<Box<dyn Future<Output = Served> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run(|listener, service, connections| {
            accept_all(listener, Arc::clone(connections), move |io, info, member| {
                tokio::spawn(serve_member(io, service.clone(), info, member));
            })
        }))
    }
}

/// What a server serves: a tower service, or a [`Handler`]. It is implemented for these, and for nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be served",
    note = "`serve` takes a tower service of `http::Request<zap_http::Body>` that is `Clone + Send + 'static`, and whose \
            futures and bodies are `Send`; `serve_handler` takes a `Handler`"
)]
pub trait Application: Clone + Send + 'static {
    /// Whether it can be served on `http://` addresses.
    #[doc(hidden)]
    const SPEAKS_HTTP: bool;

    /// Serves one connection of a server to its end, or until the order to stop.
    #[doc(hidden)]
    fn serve<IO: AsyncRead + AsyncWrite + Send>(
        self,
        transport: IO,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
        member: Member,
    ) -> impl Future<Output = CloseReason> + Send;

    /// The same over HTTP/1.1 and HTTP/2, if it can be.
    #[cfg(feature = "http1")]
    #[doc(hidden)]
    fn serve_http(self, socket: Socket, info: ConnectionInfo, member: Member) -> impl Future<Output = ()> + Send;
}

impl<S, B> Application for S
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    const SPEAKS_HTTP: bool = true;

    fn serve<IO: AsyncRead + AsyncWrite + Send>(
        self,
        transport: IO,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
        member: Member,
    ) -> impl Future<Output = CloseReason> + Send {
        connection::serve_service(transport, self, member.config(), info, stop, member)
    }

    #[cfg(feature = "http1")]
    fn serve_http(self, socket: Socket, info: ConnectionInfo, member: Member) -> impl Future<Output = ()> + Send {
        crate::listen::serve_http(socket, self, info, member)
    }
}

/// Handlers borrow their requests from frames, and HTTP has none.
impl<H: Handler> Application for Native<H> {
    const SPEAKS_HTTP: bool = false;

    fn serve<IO: AsyncRead + AsyncWrite + Send>(
        self,
        transport: IO,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
        member: Member,
    ) -> impl Future<Output = CloseReason> + Send {
        self.answer_all(transport, member.config(), info, stop, member)
    }

    #[cfg(feature = "http1")]
    async fn serve_http(self, _: Socket, _: ConnectionInfo, _: Member) {}
}

/// Serves a connection of a server.
pub(crate) async fn serve_member<IO>(
    transport: IO,
    application: impl Application,
    info: ConnectionInfo,
    mut member: Member,
) where
    IO: AsyncRead + AsyncWrite + Send,
{
    let stop = member.order();
    application.serve(transport, info, stop, member).await;
}

/// Ready as soon as one of both is.
async fn first_of(mut one: Pin<&mut impl Future<Output = ()>>, two: impl Future<Output = ()>) {
    let mut two = pin!(two);
    poll_fn(|context| match one.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => two.as_mut().poll(context),
    })
    .await;
}
