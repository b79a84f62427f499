//! What a client is made with: timeouts, the pool's limits, and the bounds of its connections.

use std::sync::Arc;
use std::time::Duration;

use super::Client;
use super::pool::{Bounds, Shared};
use crate::proto::{self, MAX_FRAME_LEN};
use crate::{Target, TargetError};

/// Makes a [`Client`] with other limits than the default ones.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zap_http::Client;
///
/// let client = Client::builder()
///     .head_timeout(Duration::from_secs(5))
///     .max_connections(64)
///     .to("unix:/run/app.sock")?;
/// # Ok::<(), zap_http::TargetError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ClientBuilder {
    settings: Settings,
}

#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) connection: proto::ClientConfig,
    pub(super) connect_timeout: Duration,
    pub(super) head_timeout: Option<Duration>,
    pub(super) whole_timeout: Option<Duration>,
    pub(super) max_body_len: u64,
    pub(super) max_collected_len: u64,
    pub(super) max_idle_per_address: usize,
    pub(super) idle_timeout: Duration,
    pub(super) max_age: Duration,
    pub(super) max_connections: usize,
    pub(super) max_waiters: usize,
    #[cfg(feature = "tls")]
    pub(super) tls: Option<crate::TlsClient>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connection: proto::ClientConfig::default(),
            connect_timeout: Duration::from_secs(10),
            head_timeout: Some(Duration::from_secs(30)),
            whole_timeout: None,
            max_body_len: u64::from(MAX_FRAME_LEN),
            max_collected_len: u64::from(MAX_FRAME_LEN),
            max_idle_per_address: 64,
            idle_timeout: Duration::from_secs(50),
            max_age: Duration::from_secs(600),
            max_connections: 512,
            max_waiters: 10_000,
            #[cfg(feature = "tls")]
            tls: None,
        }
    }
}

impl Settings {
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            places: self.connection.max_in_flight,
            max_connections: self.max_connections,
            max_idle_per_address: self.max_idle_per_address,
            max_waiters: self.max_waiters,
            max_age: self.max_age,
        }
    }
}

impl ClientBuilder {
    /// A client that finds the server of each request in its URI, as [`Client::new`].
    #[must_use]
    pub fn build(self) -> Client {
        Client { shared: Shared::new(self.settings), target: None }
    }

    /// A client of one server, as [`Client::to`].
    ///
    /// # Errors
    ///
    /// The text is no target.
    pub fn to<T>(self, target: T) -> Result<Client, TargetError>
    where
        T: TryInto<Target>,
        T::Error: Into<TargetError>,
    {
        let target = target.try_into().map_err(Into::into)?;
        Ok(Client { target: Some(Arc::new(target)), ..self.build() })
    }

    /// The bounds and deadlines of each connection. Its `max_in_flight` is what
    /// [`max_in_flight_per_connection`](Self::max_in_flight_per_connection) sets.
    pub fn connection(mut self, config: proto::ClientConfig) -> Self {
        self.settings.connection = config;
        self.settings.connection.max_in_flight = self.settings.connection.max_in_flight.max(1);
        self
    }

    /// Calls that share a connection: 1 unless given.
    ///
    /// With more, requests are sent before the answers to those ahead of them have come, and several may go out in one
    /// write. Answers come in the order of the requests, so a slow one keeps the others waiting. Requests that are not
    /// idempotent are sent only where no answer is outstanding, unless
    /// [`queue_unsafe`](proto::ClientConfig::queue_unsafe) allows it.
    pub fn max_in_flight_per_connection(mut self, calls: usize) -> Self {
        self.settings.connection.max_in_flight = calls.max(1);
        self
    }

    /// What is trusted and shown on connections to `zaps://` targets; without it calls to them fail. The server must prove
    /// to be the host that the target names. The handshake is a part of connecting, and takes its time from
    /// [`connect_timeout`](Self::connect_timeout).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// use zap_http::{Client, TlsClient, TlsRoots};
    ///
    /// let tls = TlsClient::new(TlsRoots::from_pem(&std::fs::read("roots.pem")?)?)?;
    /// let client = Client::builder().tls(tls).build();
    /// let response = client.get("zaps://survey.example/stations").send().await?;
    /// assert!(response.connection_info().tls().is_some_and(|tls| tls.group.is_post_quantum()));
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: crate::TlsClient) -> Self {
        self.settings.tls = Some(tls);
        self
    }

    /// Streams requests whose bodies are not there at once, to servers that say that they take
    /// [streamed requests](crate::proto#streamed-requests); others are sent such bodies as a whole, as the public wire has
    /// it. Off unless set. What a connection's server takes is asked by `OPTIONS *` if nothing was sent on it before.
    ///
    /// [`head_timeout`](Self::head_timeout) does not hold for a streamed request; once its body has ended, the answer must
    /// begin within [`answer_timeout`](proto::ClientConfig::answer_timeout).
    pub const fn stream_requests(mut self, stream: bool) -> Self {
        self.settings.connection.stream_requests = stream;
        self
    }

    /// To find a host's addresses, connect to one of them, and agree on TLS: 10 s unless given.
    pub const fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect_timeout = timeout;
        self
    }

    /// From the call to the head of the answer: the request's body is collected, a connection waited for or made, the
    /// request sent, and the answer begun. 30 s unless given. It sets the connections'
    /// [`answer_timeout`](proto::ClientConfig::answer_timeout), too, which would otherwise be the shorter one.
    pub fn head_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.settings.head_timeout = timeout.into();
        self.settings.connection.answer_timeout = self.settings.head_timeout;
        self
    }

    /// From the call to the end of the answer's body: none unless given, since a stream may go on for ever.
    pub fn whole_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.settings.whole_timeout = timeout.into();
        self
    }

    /// Bytes of a request's body that is not streamed: 64 MiB unless given. The whole of it goes into one frame, so
    /// [`max_frame_len`](proto::FrameLimits::max_frame_len) bounds it, too.
    pub const fn max_body_len(mut self, len: u64) -> Self {
        self.settings.max_body_len = len;
        self
    }

    /// Bytes of an answer's body that [`bytes`](super::ClientResponse::bytes) and its like collect: 64 MiB unless given.
    pub const fn max_collected_len(mut self, len: u64) -> Self {
        self.settings.max_collected_len = len;
        self
    }

    /// Idle connections that are kept for one address: 64 unless given.
    pub const fn max_idle_per_address(mut self, connections: usize) -> Self {
        self.settings.max_idle_per_address = connections;
        self
    }

    /// How long an idle connection is kept: 50 s unless given, less than the 60 s after which much equipment between
    /// client and server forgets a connection without a word.
    pub const fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.settings.idle_timeout = timeout;
        self
    }

    /// How old a connection may be when a call is given it: 10 min unless given. The next one is made to the addresses
    /// that the host has then.
    pub const fn max_age(mut self, age: Duration) -> Self {
        self.settings.max_age = age;
        self
    }

    /// Connections to all addresses together: 512 unless given. If one more is wanted, the one that has been idle the
    /// longest is closed; if none is idle, the call waits.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections.max(1);
        self
    }

    /// Calls that wait because all connections are busy: 10,000 unless given; with more of them a call fails at once.
    pub const fn max_waiters(mut self, calls: usize) -> Self {
        self.settings.max_waiters = calls;
        self
    }
}
