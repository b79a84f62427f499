//! A bound listener of either kind, TCP or unix, and its connections.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use super::{Listener, LocalAddress, prepare};
use crate::ConnectionInfo;

/// A listener bound by [address](crate::ListenAddress::bind): on TCP or on a unix socket.
///
/// The file of a unix socket is removed when this is dropped, unless it is no longer the one that was made.
#[derive(Debug)]
pub struct SocketListener(Kind);

#[derive(Debug)]
enum Kind {
    Tcp {
        listener: TcpListener,
        keepalive: Option<Duration>,
    },
    #[cfg(unix)]
    Unix(super::unix::Bound),
}

impl SocketListener {
    pub(super) fn tcp(listener: TcpListener, keepalive: Option<Duration>) -> Self {
        Self(Kind::Tcp { listener, keepalive })
    }

    #[cfg(unix)]
    pub(super) fn unix(bound: super::unix::Bound) -> Self {
        Self(Kind::Unix(bound))
    }
}

/// Connections get [`DEFAULT_KEEPALIVE`](crate::DEFAULT_KEEPALIVE).
impl From<TcpListener> for SocketListener {
    fn from(listener: TcpListener) -> Self {
        Self::tcp(listener, Some(super::DEFAULT_KEEPALIVE))
    }
}

/// The socket's file is left where it is.
#[cfg(unix)]
impl From<tokio::net::UnixListener> for SocketListener {
    fn from(listener: tokio::net::UnixListener) -> Self {
        Self::unix(super::unix::Bound::foreign(listener))
    }
}

impl Listener for SocketListener {
    type Io = Socket;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Socket, ConnectionInfo)>> {
        Poll::Ready(Ok(match &mut self.0 {
            Kind::Tcp { listener, keepalive } => {
                let (stream, _) = ready!(listener.poll_accept(context))?;
                let info = prepare(&stream, *keepalive);
                (Socket(Stream::Tcp(stream)), info)
            }
            #[cfg(unix)]
            Kind::Unix(bound) => {
                let (stream, _) = ready!(bound.listener().poll_accept(context))?;
                let info = super::unix::info_of(&stream);
                (Socket(Stream::Unix(stream)), info)
            }
        }))
    }

    fn local_address(&self) -> io::Result<LocalAddress> {
        match &self.0 {
            Kind::Tcp { listener, .. } => listener.local_addr().map(LocalAddress::Tcp),
            #[cfg(unix)]
            Kind::Unix(bound) => Ok(super::unix::local_address(&bound.listener().local_addr()?)),
        }
    }
}

/// A connection of a [`SocketListener`].
#[derive(Debug)]
pub struct Socket(Stream);

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

/// The same call on whichever stream it is.
macro_rules! on_stream {
    ($socket:expr, $stream:ident => $call:expr) => {
        match &mut $socket.get_mut().0 {
            Stream::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
            #[cfg(unix)]
            Stream::Unix(stream) => {
                let $stream = Pin::new(stream);
                $call
            }
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        on_stream!(self, stream => stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        on_stream!(self, stream => stream.poll_write_vectored(context, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        on_stream!(self, stream => stream.poll_shutdown(context))
    }
}
