//! What carries the bytes of a connection, and how one is made.
//!
//! All that differs between transports is here: a further one is a variant of [`Transport`] and an arm of [`connect`].

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::time::timeout_at;

use super::error::ConnectError;
use crate::{Target, TargetScheme};

/// A connected socket.
#[derive(Debug)]
pub(super) enum Transport {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls a method of whichever socket it is.
macro_rules! with_socket {
    ($transport:expr, $socket:ident => $call:expr) => {
        match $transport {
            Transport::Tcp($socket) => $call,
            #[cfg(unix)]
            Transport::Unix($socket) => $call,
        }
    };
}

impl Transport {
    /// Whether bytes or the end of the stream have arrived, or the socket failed. Asks the operating system: what the
    /// runtime has noticed may be older.
    pub(super) fn is_readable(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = with_socket!(self, socket => socket2::SockRef::from(socket).peek(&mut byte));
        !matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
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

/// Connects to a target, within `timeout` for all that it takes: finding the host's addresses, and trying each of them.
pub(super) async fn connect(target: &Target, timeout: Duration) -> Result<Transport, ConnectError> {
    let deadline = Instant::now().checked_add(timeout);
    let connected = match target.scheme() {
        TargetScheme::Zap => within(deadline, connect_tcp(target, deadline)).await.map(Transport::Tcp),
        TargetScheme::Zaps => Err(unsupported("TLS is not built in")),
        #[cfg(unix)]
        TargetScheme::Unix => within(deadline, connect_unix(target)).await.map(Transport::Unix),
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
