//! Where the load goes: `zap://host:port/path`, `http://host:port/path`, `unix:/file` (ZAP).

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use super::call::Protocol;

/// Connecting takes no longer than this.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The place of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// A parsed URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) protocol: Protocol,
    pub(crate) place: Place,
    /// What stands in the `host` header.
    pub(crate) host: String,
    /// Path and query.
    pub(crate) path: String,
}

impl Target {
    /// Host names are looked up.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        if let Some(file) = url.strip_prefix("unix:") {
            let place = Place::Unix(file.into());
            return Ok(Self { protocol: Protocol::Zap, place, host: "localhost".to_owned(), path: "/".to_owned() });
        }
        let (protocol, rest, port) = match url.split_once("://") {
            Some(("zap", rest)) => (Protocol::Zap, rest, zap_http::DEFAULT_PORT),
            Some(("http", rest)) => (Protocol::Http1, rest, 80),
            _ => return Err(format!("{url}: neither zap:// nor http:// nor unix:")),
        };
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let at = if has_port { host.to_owned() } else { format!("{host}:{port}") };
        let address = at.to_socket_addrs().map_err(|error| format!("{at}: {error}"))?.next();
        let address = address.ok_or_else(|| format!("{at}: no address"))?;
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { protocol, place: Place::Tcp(address), host: host.to_owned(), path })
    }
}

impl Place {
    pub(crate) fn connect(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(address) => {
                let stream = TcpStream::connect_timeout(address, CONNECT_TIMEOUT)?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Tcp(stream))
            }
            Self::Unix(path) => {
                let stream = UnixStream::connect(path)?;
                stream.set_nonblocking(true)?;
                Ok(Stream::Unix(stream))
            }
        }
    }
}

/// A connection that never blocks.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(bytes),
            Self::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(stream) => stream.as_fd(),
            Self::Unix(stream) => stream.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Protocol, Target};

    #[test]
    fn urls() {
        let parse = |url: &str| {
            let Target { protocol, place, host, path } = Target::parse(url).unwrap();
            (protocol, place, host, path)
        };
        let tcp = |port| Place::Tcp(([127, 0, 0, 1], port).into());
        let (local, root) = ("127.0.0.1".to_owned(), "/".to_owned());
        assert_eq!(parse("zap://127.0.0.1"), (Protocol::Zap, tcp(9999), local.clone(), root.clone()));
        assert_eq!(parse("http://127.0.0.1?a"), (Protocol::Http1, tcp(80), local, "/?a".to_owned()));
        let with_port = parse("http://127.0.0.1:81/a/b?c=http://d");
        assert_eq!(with_port, (Protocol::Http1, tcp(81), "127.0.0.1:81".to_owned(), "/a/b?c=http://d".to_owned()));
        let unix = (Protocol::Zap, Place::Unix("/run/a.sock".into()), "localhost".to_owned(), root);
        assert_eq!(parse("unix:/run/a.sock"), unix);
        assert!(Target::parse("https://127.0.0.1").is_err());
    }
}
