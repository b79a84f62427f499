//! What carries the bytes of a connection, and how one is made.
//!
//! All that differs between transports is here: a further one is a variant of [`Transport`] and an arm of [`connect`].

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
#[cfg(feature = "tls")]
use std::task::Waker;
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::timeout_at;

#[cfg(feature = "tls")]
use tokio_rustls::client::TlsStream;

use super::builder::Settings;
use super::error::ConnectError;
use crate::{ConnectionInfo, Target, TargetScheme};
#[cfg(feature = "tls")]
use crate::{TlsClient, TlsError};

/// A connected socket.
#[derive(Debug)]
pub(super) enum Transport {
    Tcp(TcpStream),
    /// On the heap: it is large, and the others are not.
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream<TcpStream>>),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls a method of whichever socket it is.
macro_rules! with_socket {
    ($transport:expr, $socket:ident => $call:expr) => {
        match $transport {
            Transport::Tcp($socket) => $call,
            #[cfg(feature = "tls")]
            Transport::Tls($socket) => $call,
            #[cfg(unix)]
            Transport::Unix($socket) => $call,
        }
    };
}

impl Transport {
    /// Whether something came that nobody asked for, or the end of the stream, or the socket failed; asked before a
    /// request is sent while none is outstanding. `used`: there was one before.
    ///
    /// TLS has messages of its own that may come at any time, such as the tickets of servers that resume sessions. They
    /// are taken here. If the runtime has not noticed them yet, a connection that was used is given up for them, and one
    /// that was just made is not: there can be no answer left on it, and the next one would begin in the same way.
    #[cfg_attr(not(feature = "tls"), allow(unused_variables))]
    pub(super) fn is_stale(&mut self, used: bool) -> bool {
        match self {
            Self::Tcp(stream) => has_arrived(stream),
            #[cfg(feature = "tls")]
            Self::Tls(stream) if used => {
                has_arrived(stream.get_ref().0) && (has_content(stream) || has_arrived(stream.get_ref().0))
            }
            #[cfg(feature = "tls")]
            Self::Tls(_) => false,
            #[cfg(unix)]
            Self::Unix(stream) => has_arrived(stream),
        }
    }

    /// Closes it, inside TLS with a word to the peer that this is the end and not a fault, if there is room for it.
    pub(super) fn close(self) {
        #[cfg(feature = "tls")]
        if let Self::Tls(mut stream) = self {
            let _ = Pin::new(&mut stream).poll_shutdown(&mut Context::from_waker(Waker::noop()));
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        with_socket!(self.get_mut(), socket => Pin::new(socket).poll_read(context, buffer))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        with_socket!(self.get_mut(), socket => Pin::new(socket).poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        with_socket!(self.get_mut(), socket => Pin::new(socket).poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        with_socket!(self, socket => socket.is_write_vectored())
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_socket!(self.get_mut(), socket => Pin::new(socket).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        with_socket!(self.get_mut(), socket => Pin::new(socket).poll_shutdown(context))
    }
}

/// Whether bytes or the end of the stream have arrived, or the socket failed. Asks the operating system: what the runtime
/// has noticed may be older.
fn has_arrived<'s, S>(socket: &'s S) -> bool
where
    socket2::SockRef<'s>: From<&'s S>,
{
    let mut byte = [MaybeUninit::uninit()];
    let peeked = socket2::SockRef::from(socket).peek(&mut byte);
    !matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}

/// Whether what has arrived is more than messages of TLS itself. The connection's task must be woken afterwards, since
/// the socket knows one waker only.
#[cfg(feature = "tls")]
fn has_content(stream: &mut TlsStream<TcpStream>) -> bool {
    let mut byte = [MaybeUninit::uninit()];
    let mut buffer = ReadBuf::uninit(&mut byte);
    Pin::new(stream).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer).is_ready()
}

/// Connects to a target, within the connect timeout for all that it takes: finding the host's addresses, trying each of
/// them, and the handshake of TLS.
pub(super) async fn connect(target: &Target, settings: &Settings) -> Result<(Transport, ConnectionInfo), ConnectError> {
    let deadline = Instant::now().checked_add(settings.connect_timeout);
    let connected = match target.scheme() {
        TargetScheme::Zap => within(deadline, connect_tcp(target, deadline)).await.map(|stream| {
            let info = info_of(&stream);
            (Transport::Tcp(stream), info)
        }),
        #[cfg(feature = "tls")]
        TargetScheme::Zaps => within(deadline, connect_tls(target, settings.tls.as_ref(), deadline)).await,
        #[cfg(not(feature = "tls"))]
        TargetScheme::Zaps => Err(unsupported("TLS is not built in: it is the feature `tls`")),
        #[cfg(unix)]
        TargetScheme::Unix => within(deadline, connect_unix(target))
            .await
            .map(|stream| (Transport::Unix(stream), ConnectionInfo::unix(None))),
        #[cfg(not(unix))]
        TargetScheme::Unix => Err(unsupported("this platform has no unix sockets")),
    };
    connected.map_err(|error| ConnectError::new(target.clone(), error))
}

#[cfg(unix)]
async fn connect_unix(target: &Target) -> io::Result<UnixStream> {
    let path = target.socket_path().ok_or_else(|| unsupported("not a unix socket"))?;
    UnixStream::connect(path).await
}

#[cfg(feature = "tls")]
async fn connect_tls(
    target: &Target,
    tls: Option<&TlsClient>,
    deadline: Option<Instant>,
) -> io::Result<(Transport, ConnectionInfo)> {
    // Before anything goes out.
    let tls = tls.ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, TlsError::NotConfigured))?;
    let host = target.host().ok_or_else(|| unsupported("not a network address"))?;
    let stream = connect_tcp(target, deadline).await?;
    let info = info_of(&stream);
    let stream = tls.connect(stream, host).await.map_err(io::Error::other)?;
    let info = info.with_tls(TlsClient::info(&stream).map_err(io::Error::other)?);
    Ok((Transport::Tls(Box::new(stream)), info))
}

fn info_of(stream: &TcpStream) -> ConnectionInfo {
    ConnectionInfo::new(stream.peer_addr().ok(), stream.local_addr().ok())
}

async fn connect_tcp(target: &Target, deadline: Option<Instant>) -> io::Result<TcpStream> {
    connect_to_any(&addresses_of(target).await?, deadline).await
}

/// The addresses one after another; each may take its share of the time that is left, so that one which does not answer
/// leaves some to those after it.
async fn connect_to_any(addresses: &[SocketAddr], deadline: Option<Instant>) -> io::Result<TcpStream> {
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for (index, address) in addresses.iter().enumerate() {
        let left = u32::try_from(addresses.len().saturating_sub(index)).unwrap_or(u32::MAX);
        let now = Instant::now();
        let share =
            deadline.and_then(|deadline| now.checked_add(deadline.saturating_duration_since(now) / left.max(1)));
        match within(share, TcpStream::connect(address)).await {
            Ok(stream) => {
                // A request is one write: to wait for more to send with it would only cost time.
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn addresses_of(target: &Target) -> io::Result<Vec<SocketAddr>> {
    let (Some(host), Some(port)) = (target.host(), target.port()) else {
        return Err(unsupported("not a network address"));
    };
    match host.parse::<IpAddr>() {
        Ok(address) => Ok(vec![SocketAddr::new(address, port)]),
        Err(_) => Ok(tokio::net::lookup_host((host, port)).await?.collect()),
    }
}

async fn within<T>(deadline: Option<Instant>, task: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    match deadline {
        Some(deadline) => {
            timeout_at(deadline.into(), task).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
        }
        None => task.await,
    }
}

fn unsupported(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, text)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// An address that refuses, one that does not answer (its queue is full), and one that does.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn each_address_is_tried() {
        use socket2::{Domain, Socket, Type};
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let silent = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        silent.bind(&any.into()).unwrap();
        silent.listen(0).unwrap();
        let silent_address = silent.local_addr().unwrap().as_socket().unwrap();
        let _fills_the_queue = std::net::TcpStream::connect(silent_address).unwrap();
        let listener = std::net::TcpListener::bind(any).unwrap();
        let refusing = {
            let gone = std::net::TcpListener::bind(any).unwrap();
            gone.local_addr().unwrap()
        };
        let good = listener.local_addr().unwrap();

        let soon = || Instant::now().checked_add(Duration::from_millis(300));
        let stream = connect_to_any(&[refusing, silent_address, good], soon()).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), good);
        let error = connect_to_any(&[silent_address, refusing], soon()).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        let error = connect_to_any(&[], soon()).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
