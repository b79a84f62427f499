//! What is known about the connection that a request or an answer came on.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;

/// The connection that a request came on: one of its extensions. Of the connection that an answer came on, the client's
/// answers tell ([`ClientResponse::connection_info`](crate::ClientResponse::connection_info)). Clones share what they hold.
///
/// # Examples
///
/// ```
/// use zap_http::{ConnectionInfo, Transport};
///
/// # fn handler<B>(request: &http::Request<B>) {
/// if let Some(info) = request.extensions().get::<ConnectionInfo>() {
///     let is_local = info.transport() == Transport::Unix || info.peer_addr().is_some_and(|peer| peer.ip().is_loopback());
///     let is_encrypted = info.tls().is_some();
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionInfo(Arc<Facts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    transport: Transport,
    peer: Option<SocketAddr>,
    local: Option<SocketAddr>,
    credentials: Option<UnixCredentials>,
    tls: Option<TlsInfo>,
}

/// What carries a connection's bytes, below TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// A TCP connection.
    Tcp,
    /// A unix socket.
    Unix,
    /// Something else: a pipe in memory, for instance.
    Other,
}

/// The process at the other end of a unix socket, as the system vouches for it, when it connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnixCredentials {
    /// Its effective user.
    pub user_id: u32,
    /// Its effective group.
    pub group_id: u32,
    /// Its process, where the system tells.
    pub process_id: Option<i32>,
}

/// What the two ends of a TLS connection agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TlsInfo {
    /// How the keys were exchanged.
    pub group: TlsGroup,
    /// The name that the peer asked for.
    pub server_name: Option<String>,
    /// The peer's certificate and those that lead from it to a root, in DER. Checked; empty if the peer showed none.
    pub peer_certificates: Vec<Bytes>,
}

impl TlsInfo {
    /// A connection whose keys were exchanged this way.
    #[must_use]
    pub fn new(group: TlsGroup) -> Self {
        Self { group, server_name: None, peer_certificates: Vec::new() }
    }

    /// The peer's own certificate, in DER.
    #[must_use]
    pub fn peer_certificate(&self) -> Option<&Bytes> {
        self.peer_certificates.first()
    }
}

/// A key exchange of TLS 1.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TlsGroup {
    /// X25519 and ML-KEM-768 together: safe if either is, and the latter against quantum computers.
    X25519MlKem768,
    /// X25519 alone.
    X25519,
    /// NIST P-256 alone.
    Secp256r1,
    /// NIST P-384 alone.
    Secp384r1,
    /// Another, by its number in TLS.
    Other(u16),
}

impl TlsGroup {
    /// Whether the exchange withstands a quantum computer.
    #[must_use]
    pub const fn is_post_quantum(self) -> bool {
        matches!(self, Self::X25519MlKem768)
    }
}

impl ConnectionInfo {
    /// A TCP connection of these addresses; without any, one of [another transport](Transport::Other).
    #[must_use]
    pub fn new(peer: Option<SocketAddr>, local: Option<SocketAddr>) -> Self {
        let transport = if peer.is_some() || local.is_some() { Transport::Tcp } else { Transport::Other };
        Self(Arc::new(Facts { transport, peer, local, credentials: None, tls: None }))
    }

    /// A unix socket.
    #[must_use]
    pub fn unix(credentials: Option<UnixCredentials>) -> Self {
        Self(Arc::new(Facts { transport: Transport::Unix, peer: None, local: None, credentials, tls: None }))
    }

    /// The same connection, inside TLS.
    #[must_use]
    pub fn with_tls(mut self, tls: TlsInfo) -> Self {
        Arc::make_mut(&mut self.0).tls = Some(tls);
        self
    }

    /// What carries the bytes.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.0.transport
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

    /// The process at the other end of a unix socket.
    #[must_use]
    pub fn unix_credentials(&self) -> Option<UnixCredentials> {
        self.0.credentials
    }

    /// What TLS agreed on; none without TLS.
    #[must_use]
    pub fn tls(&self) -> Option<&TlsInfo> {
        self.0.tls.as_ref()
    }

    /// Makes it an extension of a request.
    #[cfg(feature = "server")]
    pub(crate) fn insert_into(&self, extensions: &mut http::Extensions) {
        #[cfg(feature = "axum")]
        if let Some(peer) = self.0.peer {
            extensions.insert(axum::extract::ConnectInfo(peer));
        }
        extensions.insert(self.clone());
    }
}

impl UnixCredentials {
    /// A process of this user and group.
    #[must_use]
    pub const fn new(user_id: u32, group_id: u32, process_id: Option<i32>) -> Self {
        Self { user_id, group_id, process_id }
    }
}
