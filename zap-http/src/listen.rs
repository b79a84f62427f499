//! Where connections come from: the trait of listeners, those of tokio, and our own, bound by address.

mod address;
mod bind;
#[cfg(feature = "http1")]
mod http;
mod socket;
#[cfg(feature = "http1")]
mod stall;
#[cfg(feature = "http1")]
mod streamed;
#[cfg(unix)]
mod unix;
mod verb;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

use crate::ConnectionInfo;

pub use address::{AddressError, ListenAddress, Place, Scheme};
pub use bind::{BindError, BindOptions};
#[cfg(feature = "http1")]
pub(crate) use http::serve_http;
pub use socket::{Socket, SocketListener};
#[cfg(feature = "http1")]
pub(crate) use streamed::Streamed;
pub use verb::{Listen, ListenAddresses, ListenError, Listeners, listen};

/// What connections are accepted from: tokio's listeners, [ours](SocketListener), or your own.
///
/// # Examples
///
/// A listener that hands out pipes in memory:
///
/// ```
/// use std::io;
/// use std::task::{Context, Poll, ready};
/// use tokio::io::DuplexStream;
/// use tokio::sync::mpsc;
/// use zap_http::{ConnectionInfo, Listener, LocalAddress};
///
/// struct Pipes(mpsc::Receiver<DuplexStream>);
///
/// impl Listener for Pipes {
///     type Io = DuplexStream;
///
///     fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(DuplexStream, ConnectionInfo)>> {
///         match ready!(self.0.poll_recv(context)) {
///             Some(pipe) => Poll::Ready(Ok((pipe, ConnectionInfo::new(None, None)))),
///             None => Poll::Pending,
///         }
///     }
///
///     fn local_address(&self) -> io::Result<LocalAddress> {
///         Ok(LocalAddress::Unnamed)
///     }
/// }
/// ```
pub trait Listener: Send + 'static {
    /// A connection.
    type Io: AsyncRead + AsyncWrite + Send + 'static;

    /// The next connection.
    ///
    /// # Errors
    ///
    /// None came. Accepting goes on: at once if the failure was that connection's, and after a pause otherwise.
    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Self::Io, ConnectionInfo)>>;

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    fn local_address(&self) -> io::Result<LocalAddress>;
}

/// Where a listener listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LocalAddress {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// A unix socket's file.
    Unix(PathBuf),
    /// A unix socket's name that is no file.
    Abstract(Vec<u8>),
    /// Nowhere that has a name.
    Unnamed,
}

impl LocalAddress {
    /// The IP address and port, if it is one.
    #[must_use]
    pub fn socket_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            _ => None,
        }
    }
}

impl std::fmt::Display for LocalAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Abstract(name) => write!(f, "unix:@{}", name.escape_ascii()),
            Self::Unnamed => f.write_str("unnamed"),
        }
    }
}

/// Connections get [`DEFAULT_KEEPALIVE`], and are not made to wait for more to send.
impl Listener for TcpListener {
    type Io = TcpStream;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, ConnectionInfo)>> {
        let (stream, _) = ready!(Self::poll_accept(self, context))?;
        let info = prepare(&stream, Some(DEFAULT_KEEPALIVE));
        Poll::Ready(Ok((stream, info)))
    }

    fn local_address(&self) -> io::Result<LocalAddress> {
        self.local_addr().map(LocalAddress::Tcp)
    }
}

#[cfg(unix)]
impl Listener for tokio::net::UnixListener {
    type Io = tokio::net::UnixStream;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Self::Io, ConnectionInfo)>> {
        let (stream, _) = ready!(Self::poll_accept(self, context))?;
        let info = unix::info_of(&stream);
        Poll::Ready(Ok((stream, info)))
    }

    fn local_address(&self) -> io::Result<LocalAddress> {
        Ok(unix::local_address(&self.local_addr()?))
    }
}

/// A quiet peer is asked after so long whether it is still there.
///
/// There is no idle timeout by default; this ends connections whose peer is gone without a word.
pub const DEFAULT_KEEPALIVE: Duration = Duration::from_secs(60);

/// Sets the options of an accepted connection. A socket that cannot is served, too.
fn prepare(stream: &TcpStream, keepalive: Option<Duration>) -> ConnectionInfo {
    // An answer is one write: to wait for more to send with it would only cost time.
    let _ = stream.set_nodelay(true);
    if let Some(time) = keepalive {
        let keepalive = TcpKeepalive::new().with_time(time);
        // Elsewhere the system's own interval holds.
        #[cfg(any(
            target_vendor = "apple",
            target_os = "android",
            target_os = "freebsd",
            target_os = "linux",
            windows
        ))]
        let keepalive = keepalive.with_interval((time / 4).max(Duration::from_secs(1)));
        let _ = SockRef::from(stream).set_tcp_keepalive(&keepalive);
    }
    ConnectionInfo::new(stream.peer_addr().ok(), stream.local_addr().ok())
}
