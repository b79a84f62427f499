//! Serving a tower service on TCP: the accept loop, and the shutdown of all connections.

mod connection;
mod handler;
mod native;
mod respond;

use std::future::{Future, IntoFuture, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower_service::Service;

use crate::Body;
use crate::proto::{CloseReason, ServerConfig};

pub use connection::serve_connection;
pub use handler::{Handler, HandlerFn, RequestView, Responder, ResponseWriter, handler_fn};
pub use native::{Native, serve_handler, serve_handler_connection};

/// How long accepting pauses when the machine has no descriptor or memory left for a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves a tower service on a listener: an axum `Router`, as it is.
///
/// Each connection has its own task and its own clone of the service, and serves its requests one after another; all
/// requests of one read are answered with as few writes as possible. A request's extensions hold [`ConnectionInfo`]. A
/// handler that panics or fails is answered 500, and its connection lives; a handler whose client goes away is dropped.
/// Answers are sent as one frame if their body is there at once, and streamed otherwise, trailers included.
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
pub fn serve<S, B>(listener: TcpListener, service: S) -> Serve<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
{
    Serve::new(listener, service)
}

/// A server about to run: what [`serve`] gives. Awaiting it runs it.
pub struct Serve<S> {
    listener: TcpListener,
    service: S,
    config: ServeConfig,
    signal: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

/// The bounds of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServeConfig {
    /// The bounds and deadlines of each connection.
    pub connection: ServerConfig,
    /// Connections at once. Further ones wait in the listener's queue.
    pub max_connections: u32,
    /// From the signal to stop until connections that are still being served are closed.
    pub shutdown_timeout: Duration,
}

impl Default for ServeConfig {
    fn default() -> Self {
        let shutdown_timeout = Duration::from_secs(30);
        Self { connection: ServerConfig::default(), max_connections: 10_000, shutdown_timeout }
    }
}

/// What a server that was stopped has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// Connections accepted.
    pub connections: u64,
    /// Failures to accept one; each is survived.
    pub accept_errors: u64,
}

/// The connection that a request came on: one of its extensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionInfo(Arc<Addresses>);

#[derive(Debug, PartialEq, Eq)]
struct Addresses {
    peer: Option<SocketAddr>,
    local: Option<SocketAddr>,
}

impl ConnectionInfo {
    /// A connection of these addresses; none for transports that have no such.
    #[must_use]
    pub fn new(peer: Option<SocketAddr>, local: Option<SocketAddr>) -> Self {
        Self(Arc::new(Addresses { peer, local }))
    }

    /// The other end's address.
    #[must_use]
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        self.0.peer
    }

    /// Our end's address.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.0.local
    }
}

impl<S> std::fmt::Debug for Serve<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Serve").field("listener", &self.listener).field("config", &self.config).finish_non_exhaustive()
    }
}

impl<S> Serve<S> {
    fn new(listener: TcpListener, service: S) -> Self {
        Self { listener, service, config: ServeConfig::default(), signal: None }
    }

    /// Other bounds than the default ones.
    #[must_use]
    pub fn config(mut self, config: ServeConfig) -> Self {
        self.config = config;
        self
    }

    /// Stops once `signal` is ready: accepts no more, answers all requests that were read, and closes; connections that
    /// take longer than [`ServeConfig::shutdown_timeout`] are closed all the same.
    #[must_use]
    pub fn with_shutdown(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.signal = Some(Box::pin(signal));
        self
    }

    async fn run(self) -> Served
    where
        S: Application,
    {
        let Self { listener, service, config, signal } = self;
        let mut signal = signal.unwrap_or_else(|| Box::pin(std::future::pending()));
        let slots = Arc::new(Semaphore::new(config.max_connections as usize));
        let (stop, stopped) = watch::channel(None);
        let mut served = Served::default();
        while let Some(accepted) = or_stop(&mut signal, accept(&listener, &slots)).await {
            match accepted {
                Ok((stream, slot)) => {
                    served.connections = served.connections.saturating_add(1);
                    let task = serve_stream(stream, service.clone(), config.connection.clone(), stopped.clone());
                    tokio::spawn(async move {
                        task.await;
                        drop(slot);
                    });
                }
                Err(error) => {
                    served.accept_errors = served.accept_errors.saturating_add(1);
                    if !is_of_one_connection(&error) && or_stop(&mut signal, pause()).await.is_none() {
                        break;
                    }
                }
            }
        }
        drop(listener);
        let deadline = Instant::now().checked_add(config.shutdown_timeout);
        // Fails only if there is no connection left to tell.
        let _ = stop.send(Some(Stop { deadline }));
        // Every connection holds a slot until it is closed, at its deadline at the latest.
        let _ = slots.acquire_many(config.max_connections).await;
        served
    }
}

impl<S: Application> IntoFuture for Serve<S> {
    type Output = Served;
    type IntoFuture = Pin<Box<dyn Future<Output = Served> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

/// What a server serves: a tower service, or a [`Handler`]. It is implemented for these, and for nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be served",
    note = "`serve` takes a tower service of `http::Request<zap_http::Body>` that is `Clone + Send + 'static`, and whose \
            futures and bodies are `Send`; `serve_handler` takes a `Handler`"
)]
pub trait Application: Clone + Send + 'static {
    /// Serves one connection to its end.
    #[doc(hidden)]
    fn serve<IO>(
        self,
        transport: IO,
        config: ServerConfig,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
    ) -> impl Future<Output = CloseReason> + Send
    where
        IO: AsyncRead + AsyncWrite + Send;
}

impl<S, B> Application for S
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    fn serve<IO>(
        self,
        transport: IO,
        config: ServerConfig,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
    ) -> impl Future<Output = CloseReason> + Send
    where
        IO: AsyncRead + AsyncWrite + Send,
    {
        serve_connection(transport, self, config, info, stop)
    }
}

impl<H: Handler> Application for Native<H> {
    fn serve<IO>(
        self,
        transport: IO,
        config: ServerConfig,
        info: ConnectionInfo,
        stop: impl Future<Output = Option<Instant>> + Send,
    ) -> impl Future<Output = CloseReason> + Send
    where
        IO: AsyncRead + AsyncWrite + Send,
    {
        Self::serve(self, transport, config, info, stop)
    }
}

/// The order to stop.
#[derive(Clone, Copy, Debug)]
struct Stop {
    deadline: Option<Instant>,
}

async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slot))
}

async fn pause() {
    tokio::time::sleep(ACCEPT_PAUSE).await;
}

/// Whether a failed accept is about the connection that was not accepted: the next one may come at once.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// What `task` gives, unless the signal is there before.
async fn or_stop<T>(signal: &mut Pin<Box<dyn Future<Output = ()> + Send>>, task: impl Future<Output = T>) -> Option<T> {
    let mut task = pin!(task);
    poll_fn(|context| {
        if signal.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        task.as_mut().poll(context).map(Some)
    })
    .await
}

async fn serve_stream(
    stream: TcpStream,
    application: impl Application,
    config: ServerConfig,
    mut stopped: watch::Receiver<Option<Stop>>,
) {
    // An answer is one write: to wait for more to send with it would only cost time. A socket that cannot is served, too.
    let _ = stream.set_nodelay(true);
    let info = ConnectionInfo::new(stream.peer_addr().ok(), stream.local_addr().ok());
    let stop = async move {
        let stop = match stopped.wait_for(Option::is_some).await {
            Ok(stop) => *stop,
            Err(_) => None,
        };
        match stop {
            Some(stop) => stop.deadline,
            // The server is gone without an order to stop: serve on.
            None => std::future::pending().await,
        }
    };
    application.serve(stream, config, info, stop).await;
}
