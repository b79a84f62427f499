//! Binding an address.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use socket2::{Domain, Type};
use tokio::net::TcpListener;

use super::address::{ListenAddress, Place};
use super::{DEFAULT_KEEPALIVE, SocketListener};

/// How sockets are bound.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BindOptions {
    /// Connections that the system keeps until they are accepted; it may have a lower bound of its own.
    pub backlog: u32,
    /// Whether several processes, or several listeners of one, may share a TCP port (`SO_REUSEPORT`): the system spreads
    /// connections over them. Not on Windows.
    pub reuse_port: bool,
    /// After how much quiet a TCP peer is asked whether it is still there.
    pub keepalive: Option<Duration>,
    /// The permissions of a unix socket's file; what the process's mask leaves, unless given.
    pub unix_mode: Option<u32>,
}

impl Default for BindOptions {
    fn default() -> Self {
        Self { backlog: 1024, reuse_port: false, keepalive: Some(DEFAULT_KEEPALIVE), unix_mode: None }
    }
}

impl BindOptions {
    pub(super) fn backlog(&self) -> i32 {
        i32::try_from(self.backlog).unwrap_or(i32::MAX)
    }
}

/// Why an address is not bound.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Somebody listens on this unix socket.
    #[error("the socket {} is in use", path.display())]
    SocketInUse {
        /// Its file.
        path: PathBuf,
    },
    /// Where the socket should be is something else. It is left as it is.
    #[error("{} is not a socket", path.display())]
    NotASocket {
        /// What is there.
        path: PathBuf,
    },
    /// The name of a host stands for no address.
    #[error("the host {host} has no address")]
    NoAddress {
        /// The name.
        host: String,
    },
    /// This system has no such sockets.
    #[error("this system has no such sockets")]
    Unsupported,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ListenAddress {
    /// Binds the address. A host name that stands for several is tried in their order.
    ///
    /// The file of a unix socket may be there already: if nobody listens on it any more, it is replaced.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_http::{BindOptions, ListenAddress, Listener};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let address: ListenAddress = "127.0.0.1:0".parse()?;
    /// let listener = address.bind(&BindOptions::default()).await?;
    /// assert_ne!(listener.local_address()?.socket_addr().map(|bound| bound.port()), Some(0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The system refuses, the host name is unknown, or the unix socket is in use.
    pub async fn bind(&self, options: &BindOptions) -> Result<SocketListener, BindError> {
        match self.place() {
            Place::Tcp { host, port } => bind_tcp(host, *port, options).await,
            #[cfg(unix)]
            Place::Unix(path) => super::unix::Bound::file(path, options).map(SocketListener::unix),
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Place::Abstract(name) => {
                super::unix::Bound::abstract_name(name.as_bytes(), options).map(SocketListener::unix)
            }
            #[allow(unreachable_patterns)]
            _ => Err(BindError::Unsupported),
        }
    }
}

async fn bind_tcp(host: &str, port: u16, options: &BindOptions) -> Result<SocketListener, BindError> {
    let mut last = None;
    for address in addresses_of(host, port).await? {
        match listen_on(address, host.is_empty(), options) {
            Ok(listener) => return Ok(SocketListener::tcp(listener, options.keepalive)),
            // Without IPv6 there is IPv4; but half of the machine's addresses are not what was asked for.
            Err(error) if host.is_empty() && error.kind() == io::ErrorKind::AddrInUse => return Err(error.into()),
            Err(error) => last = Some(error),
        }
    }
    Err(last.map_or_else(|| BindError::NoAddress { host: host.to_owned() }, BindError::Io))
}

/// Without a host: every address of the machine, of IPv6 and IPv4; where there is no IPv6, of IPv4.
async fn addresses_of(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if host.is_empty() {
        return Ok(vec![(Ipv6Addr::UNSPECIFIED, port).into(), (Ipv4Addr::UNSPECIFIED, port).into()]);
    }
    Ok(tokio::net::lookup_host((host, port)).await?.collect())
}

fn listen_on(address: SocketAddr, both: bool, options: &BindOptions) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    if both && address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    // On Windows this option would let another process take the port over.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    #[cfg(all(unix, not(any(target_os = "solaris", target_os = "illumos", target_os = "cygwin"))))]
    socket.set_reuse_port(options.reuse_port)?;
    socket.bind(&address.into())?;
    socket.listen(options.backlog())?;
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket.into())
}
