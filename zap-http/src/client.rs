//! Calling a service: a client with a pool of connections, for tower and with short forms.

mod builder;
mod connection;
mod driver;
mod error;
mod outgoing;
mod pool;
mod request;
mod response;
mod transport;
mod upload;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::{Method, Request, Response, Uri};
use tokio::runtime::Handle;
use tokio::time::timeout_at;
use tower_service::Service;

use crate::proto::{EncodeError, RequestError};
use crate::{Target, TargetError, observe};
use connection::{Call, Head, SendError};
use error::CallError;
use outgoing::Outgoing;
use pool::Shared;
use upload::{Prepared, Started};

pub use builder::ClientBuilder;
pub use error::{ClientError, CloseError, ConnectError, Timeout};
pub(crate) use outgoing::BodyBounds;
#[cfg(feature = "gateway")]
pub(crate) use outgoing::BodyRefused;
pub use request::RequestBuilder;
pub use response::{ClientResponse, ResponseBody};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Calls services.
///
/// Clones share their connections; a clone is two counters. A connection carries one call at a time unless
/// [`max_in_flight_per_connection`](ClientBuilder::max_in_flight_per_connection) says otherwise, and is kept for the next
/// one. A request that fails on a kept connection before any byte of an answer is sent once more, on a new one, if it is
/// idempotent or had not gone out. The body of a request is collected before it is sent, since the public wire carries
/// requests whole; an answer may be streamed.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "server")]
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// # use std::future::IntoFuture;
/// # let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
/// # let app = axum::Router::new()
/// #     .route("/stations", axum::routing::get(|| async { "[]" }))
/// #     .route("/readings", axum::routing::post(|body: String| async { body }));
/// # let url = format!("zap://{}", listener.local_addr()?);
/// # tokio::spawn(zap_http::serve(listener, app).into_future());
/// use zap_http::Client;
///
/// let client = Client::new();
/// // let url = "zap://survey.example:9999";
/// let stations = client.get(format!("{url}/stations")).send().await?.error_for_status()?.text().await?;
/// assert_eq!(stations, "[]");
///
/// let response = client.post(format!("{url}/readings")).header("x-station", "7").body("-3.5").send().await?;
/// assert_eq!(response.bytes().await?, "-3.5");
///
/// // One server, whatever the URIs say: also for unix sockets.
/// let client = Client::to(url.as_str())?;
/// assert_eq!(client.get("/stations").send().await?.status(), 200);
/// # Ok(())
/// # }
/// # #[cfg(feature = "server")]
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run()).unwrap();
/// ```
///
/// As a tower service, below any middleware or generated client:
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use tower_service::Service;
/// use zap_http::{Body, Client};
///
/// let mut client = Client::to("unix:/run/app.sock")?;
/// let request = http::Request::post("/readings").body(Body::from("-3.5"))?;
/// let response = client.call(request).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    shared: Arc<Shared>,
    /// Where all requests go; else their URIs tell.
    target: Option<Arc<Target>>,
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

impl Client {
    /// A client that finds the server of each request in its URI: `zap://` or `zaps://`.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A client of one server. URIs may have any scheme and host, or none; a host that they have goes into the `host`
    /// header.
    ///
    /// # Errors
    ///
    /// The text is no target.
    pub fn to<T>(target: T) -> Result<Self, TargetError>
    where
        T: TryInto<Target>,
        T::Error: Into<TargetError>,
    {
        Self::builder().to(target)
    }

    /// A client with other limits.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A request of any method.
    pub fn request<U>(&self, method: Method, uri: U) -> RequestBuilder
    where
        U: TryInto<Uri>,
        U::Error: Into<http::Error>,
    {
        RequestBuilder::new(self.clone(), method, uri)
    }

    /// Sends a request, and gives the head of the answer. `whole` is the time until the end of its body.
    async fn execute<B>(
        &self,
        request: Request<B>,
        whole: Option<Duration>,
    ) -> Result<Response<ResponseBody>, ClientError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        self.execute_within(request, whole, &BodyBounds::of_len(self.max_body_len())).await
    }

    /// As [`execute`](Self::execute), with other bounds of the request's body.
    pub(crate) async fn execute_within<B>(
        &self,
        request: Request<B>,
        whole: Option<Duration>,
        bounds: &BodyBounds,
    ) -> Result<Response<ResponseBody>, ClientError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        let called = observe::Calling::begin(request.method(), request.uri(), self.target.as_deref());
        let outcome = called.span().within(self.exchange_in_time(request, whole, bounds)).await;
        called.end(&outcome);
        outcome
    }

    /// Sends a request, and gives the head of the answer unless that takes too long.
    async fn exchange_in_time<B>(
        &self,
        request: Request<B>,
        whole: Option<Duration>,
        bounds: &BodyBounds,
    ) -> Result<Response<ResponseBody>, ClientError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        if Handle::try_current().is_err() {
            return Err(ClientError::NoRuntime);
        }
        let whole = whole.and_then(|whole| Instant::now().checked_add(whole));
        // Unless the body has a time of its own.
        let head = if bounds.progress_timeout.is_none() { self.head_deadline() } else { None };
        let (parts, body) = request.into_parts();
        let routed = match &self.target {
            Some(_) => None,
            None => Some(Target::from_uri(&parts.uri)?),
        };
        let Some(target) = self.target.as_deref().or(routed.as_ref()) else {
            return Err(TargetError::MissingHost.into());
        };
        let prepare = async {
            match self.shared.settings.connection.stream_requests {
                true => upload::prepare(parts, body, bounds).await,
                false => Outgoing::collect(parts, body, bounds).await.map(Prepared::Whole),
            }
        };
        match within(head, whole, prepare).await? {
            Prepared::Whole(request) => {
                within(head.or_else(|| self.head_deadline()), whole, self.exchange(target, request, whole)).await
            }
            Prepared::Streamed(request, body) => {
                within(None, whole, self.exchange_streamed(target, request, body, whole, bounds)).await
            }
        }
    }

    /// Until when the head of an answer must be there that is waited for from now on.
    fn head_deadline(&self) -> Option<Instant> {
        self.shared.settings.head_timeout.and_then(|timeout| Instant::now().checked_add(timeout))
    }

    /// Sends a whole request, and gives the head of the answer.
    async fn exchange(
        &self,
        target: &Target,
        request: Outgoing,
        whole: Option<Instant>,
    ) -> Result<Response<ResponseBody>, ClientError> {
        let alone = !request.is_idempotent() && !self.shared.settings.connection.queue_unsafe;
        let mut retried = false;
        loop {
            let lease = match retried {
                false => self.shared.acquire(target, alone).await?,
                true => self.shared.acquire_new(target, alone).await?,
            };
            let (failure, reused) = match lease.send(&request, false) {
                Ok((call, reused)) => match head_of(call, whole).await {
                    Ok(response) => return Ok(response),
                    Err(CallError::Lost(failure)) => (failure, reused),
                    Err(error) => return Err(error.into()),
                },
                // Nothing was done, and the connection will not be found again.
                Err(SendError::Closed { reused: true, .. } | SendError::Busy) => continue,
                Err(SendError::Closed { failure, reused: false }) => (failure, false),
                Err(SendError::Refused(error)) => return Err(refusal(error, &request, self.max_body_len())),
                Err(SendError::Convert(error)) => return Err(error.into()),
            };
            let may_retry = !retried && failure.may_retry && (reused || failure.unsent);
            if !may_retry {
                return Err(failure.into());
            }
            retried = true;
        }
    }

    /// Sends a request whose body is not there yet: streamed, if the server takes that, else collected.
    async fn exchange_streamed<B>(
        &self,
        target: &Target,
        request: Outgoing,
        body: Started<B>,
        whole: Option<Instant>,
        bounds: &BodyBounds,
    ) -> Result<Response<ResponseBody>, ClientError>
    where
        B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        for _ in 0..STREAM_ATTEMPTS {
            let lease = self.shared.acquire(target, true).await?;
            match lease.can_stream() {
                Some(true) => match lease.send(&request, true) {
                    Ok((call, _)) => {
                        tokio::spawn(body.send(Arc::clone(call.connection()), call.id()));
                        return Ok(head_of(call, whole).await?);
                    }
                    Err(SendError::Convert(error)) => return Err(error.into()),
                    Err(SendError::Refused(error @ RequestError::Encode(_))) => {
                        return Err(refusal(error, &request, self.max_body_len()));
                    }
                    // Nothing was done: another connection will do.
                    Err(_) => {}
                },
                Some(false) => {
                    drop(lease);
                    break;
                }
                None => {
                    if let Ok((call, _)) = lease.send(&Outgoing::probe()?, false) {
                        // Whatever it is, an answer says whether the server takes streamed requests.
                        drop(head_of(call, whole).await);
                    }
                }
            }
        }
        let request = Outgoing::collect(request.into_parts(), body, bounds).await?;
        within(self.head_deadline(), whole, self.exchange(target, request, whole)).await
    }

    #[cfg(feature = "gateway")]
    pub(crate) fn whole_timeout(&self) -> Option<Duration> {
        self.shared.settings.whole_timeout
    }

    pub(crate) fn max_body_len(&self) -> u64 {
        let settings = &self.shared.settings;
        settings.max_body_len.min(u64::from(settings.connection.frame.max_frame_len))
    }
}

/// Connections that are tried, or asked what they can do, until a request that would be streamed is collected instead.
const STREAM_ATTEMPTS: usize = 4;

/// Waits for the head of an answer.
async fn head_of(call: Call, whole: Option<Instant>) -> Result<Response<ResponseBody>, CallError> {
    Ok(match poll_fn(|context| call.poll_head(context)).await? {
        Head::Whole(parts, body) => Response::from_parts(parts, ResponseBody::whole(body, call.info().clone())),
        Head::Streamed(parts) => Response::from_parts(parts, ResponseBody::streamed(call, whole)),
    })
}

/// Gives something up at the earlier of two deadlines: until the head, and until the end of the answer.
async fn within<T>(
    head: Option<Instant>,
    whole: Option<Instant>,
    work: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    match head.into_iter().chain(whole).min() {
        None => work.await,
        Some(first) => timeout_at(first.into(), work).await.unwrap_or_else(|_| {
            Err(ClientError::Timeout(if Some(first) == whole { Timeout::Whole } else { Timeout::Head }))
        }),
    }
}

/// A frame that is too long is so because of the body, if that is most of it.
fn refusal(error: RequestError, request: &Outgoing, limit: u64) -> ClientError {
    match error {
        RequestError::Encode(EncodeError::TooLong { len }) if request.body_len() > len / 2 => {
            ClientError::BodyTooLarge { limit }
        }
        error => ClientError::InvalidRequest(Box::new(error)),
    }
}

/// A short form for each usual method.
macro_rules! methods {
    ($($name:ident $method:ident,)*) => {
        impl Client {$(
            #[doc = concat!("A `", stringify!($method), "` request.")]
            pub fn $name<U>(&self, uri: U) -> RequestBuilder
            where
                U: TryInto<Uri>,
                U::Error: Into<http::Error>,
            {
                self.request(Method::$method, uri)
            }
        )*}
    };
}

methods! { get GET, head HEAD, post POST, put PUT, patch PATCH, delete DELETE, }

/// The answer to a request, as a tower service gives it.
#[must_use = "a call does nothing unless it is awaited"]
pub struct ResponseFuture(Pin<Box<dyn Future<Output = Result<Response<ResponseBody>, ClientError>> + Send>>);

impl Future for ResponseFuture {
    type Output = Result<Response<ResponseBody>, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

impl std::fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for Client
where
    B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = ClientError;
    type Future = ResponseFuture;

    /// Always ready: calls wait for a connection after they are made.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ClientError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        (&*self).call(request)
    }
}

impl<B> Service<Request<B>> for &Client
where
    B: http_body::Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = ClientError;
    type Future = ResponseFuture;

    /// Always ready, as for [`Client`].
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ClientError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        let client = Client::clone(self);
        ResponseFuture(Box::pin(async move {
            let whole = client.shared.settings.whole_timeout;
            client.execute(request, whole).await
        }))
    }
}
