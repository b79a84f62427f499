//! Addresses to listen on, as text: the scheme says what is spoken, the rest says where.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The port of ZAP where an address has none.
const ZAP_PORT: u16 = 9999;
/// The port of HTTP where an address has none.
const HTTP_PORT: u16 = 80;

/// An address to listen on.
///
/// | text | what is spoken | where |
/// |---|---|---|
/// | `:9999` | ZAP | every address of the machine |
/// | `127.0.0.1:9999`, `[::1]:9999`, `localhost:9999` | ZAP | that one |
/// | `zap://host:9999` | ZAP | the same; the port is 9999 if there is none |
/// | `zaps://host:9999` | ZAP in TLS | the same |
/// | `http://host:8080` | HTTP/1.1 and HTTP/2 | the port is 80 if there is none |
/// | `unix:/run/app.sock` | ZAP | a unix socket's file |
/// | `unix:@app` | ZAP | a unix socket's name that is no file (Linux) |
///
/// # Examples
///
/// ```
/// use zap_http::{AddressError, ListenAddress, Scheme};
///
/// let address: ListenAddress = "http://127.0.0.1:8080".parse()?;
/// assert_eq!(address.scheme(), Scheme::Http);
/// assert_eq!("ftp://host".parse::<ListenAddress>(), Err(AddressError::UnknownScheme { scheme: "ftp".to_owned() }));
/// # Ok::<(), AddressError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListenAddress {
    scheme: Scheme,
    place: Place,
}

/// What is spoken at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// ZAP.
    Zap,
    /// ZAP in TLS.
    Zaps,
    /// HTTP/1.1 and HTTP/2, told apart by how a connection begins.
    Http,
}

/// Where an address is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// A TCP port.
    Tcp {
        /// A name or an IP address, without brackets; empty for every address of the machine.
        host: String,
        /// The port; 0 lets the system choose.
        port: u16,
    },
    /// A unix socket's file.
    Unix(PathBuf),
    /// A unix socket's name that is no file.
    Abstract(String),
}

/// Why a text is no address to listen on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Nothing can be served by this scheme.
    #[error("nothing is served at {scheme}: addresses begin with zap://, zaps://, http:// or unix:, or are host:port")]
    UnknownScheme {
        /// What stands before the `:`.
        scheme: String,
    },
    /// There is no port, and no scheme that has one.
    #[error("a port is missing")]
    MissingPort,
    /// The port is no number up to 65535.
    #[error("the port is no number up to 65535")]
    InvalidPort,
    /// The host is neither a name nor an IP address; one of IPv6 stands in brackets.
    #[error("the host is neither a name nor an IP address")]
    InvalidHost,
    /// More follows than the port. A server listens to all of a host.
    #[error("a path, query or user name in an address to listen on")]
    NotOnlyHost,
    /// The name of a unix socket is missing, or has a zero byte.
    #[error("the path of a unix socket is missing or has a zero byte")]
    InvalidSocketPath,
}

impl ListenAddress {
    /// What is spoken there.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Where it is.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }
}

impl FromStr for ListenAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return unix_place(path).map(|place| Self { scheme: Scheme::Zap, place });
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return tcp_place(text, None).map(|place| Self { scheme: Scheme::Zap, place });
        };
        let (scheme, port) = match scheme {
            "zap" => (Scheme::Zap, ZAP_PORT),
            "zaps" => (Scheme::Zaps, ZAP_PORT),
            "http" => (Scheme::Http, HTTP_PORT),
            _ => return Err(AddressError::UnknownScheme { scheme: scheme.to_owned() }),
        };
        let place = tcp_place(rest.strip_suffix('/').unwrap_or(rest), Some(port))?;
        Ok(Self { scheme, place })
    }
}

/// As it stands before `://`.
impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Zap => "zap",
            Self::Zaps => "zaps",
            Self::Http => "http",
        })
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme;
        match &self.place {
            Place::Tcp { host, port } if host.contains(':') => write!(f, "{scheme}://[{host}]:{port}"),
            Place::Tcp { host, port } => write!(f, "{scheme}://{host}:{port}"),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
            Place::Abstract(name) => write!(f, "unix:@{name}"),
        }
    }
}

fn unix_place(path: &str) -> Result<Place, AddressError> {
    // `unix:///run/app.sock` is the same as `unix:/run/app.sock`.
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.contains('\0') {
        return Err(AddressError::InvalidSocketPath);
    }
    match path.strip_prefix('@') {
        Some("") => Err(AddressError::InvalidSocketPath),
        Some(name) => Ok(Place::Abstract(name.to_owned())),
        None if path.is_empty() => Err(AddressError::InvalidSocketPath),
        None => Ok(Place::Unix(path.into())),
    }
}

fn tcp_place(text: &str, default_port: Option<u16>) -> Result<Place, AddressError> {
    if text.contains(['/', '?', '#', '@']) {
        return Err(AddressError::NotOnlyHost);
    }
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, after) = rest.split_once(']').ok_or(AddressError::InvalidHost)?;
            let ip: std::net::Ipv6Addr = host.parse().map_err(|_| AddressError::InvalidHost)?;
            let port = match after {
                "" => None,
                _ => Some(after.strip_prefix(':').ok_or(AddressError::InvalidPort)?),
            };
            (ip.to_string(), port)
        }
        None => {
            let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
            (name_of(host)?, port)
        }
    };
    let port = match port {
        // Other than `parse`, this takes no sign.
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            port.parse().map_err(|_| AddressError::InvalidPort)?
        }
        Some(_) => return Err(AddressError::InvalidPort),
        None => default_port.ok_or(AddressError::MissingPort)?,
    };
    Ok(Place::Tcp { host, port })
}

/// A host name or an address of IPv4; empty for every address of the machine.
fn name_of(host: &str) -> Result<String, AddressError> {
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
    if is_name { Ok(host.to_owned()) } else { Err(AddressError::InvalidHost) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(scheme: Scheme, host: &str, port: u16) -> Result<ListenAddress, AddressError> {
        Ok(ListenAddress { scheme, place: Place::Tcp { host: host.to_owned(), port } })
    }

    #[test]
    fn addresses() {
        for (text, wanted) in [
            (":9999", tcp(Scheme::Zap, "", 9999)),
            ("127.0.0.1:0", tcp(Scheme::Zap, "127.0.0.1", 0)),
            ("[::1]:1", tcp(Scheme::Zap, "::1", 1)),
            ("zap://[::]", tcp(Scheme::Zap, "::", 9999)),
            ("zap://host", tcp(Scheme::Zap, "host", 9999)),
            ("zap://host:1/", tcp(Scheme::Zap, "host", 1)),
            ("zaps://:7", tcp(Scheme::Zaps, "", 7)),
            ("http://localhost", tcp(Scheme::Http, "localhost", 80)),
            ("http://:8080", tcp(Scheme::Http, "", 8080)),
            ("host", Err(AddressError::MissingPort)),
            ("", Err(AddressError::MissingPort)),
            (":", Err(AddressError::InvalidPort)),
            (":65536", Err(AddressError::InvalidPort)),
            (":+1", Err(AddressError::InvalidPort)),
            ("::1:9999", Err(AddressError::InvalidPort)),
            ("[::1]9999", Err(AddressError::InvalidPort)),
            ("[::1:9999", Err(AddressError::InvalidHost)),
            ("a b:1", Err(AddressError::InvalidHost)),
            ("zap://host:1/path", Err(AddressError::NotOnlyHost)),
            ("zap://me@host:1", Err(AddressError::NotOnlyHost)),
            ("https://host", Err(AddressError::UnknownScheme { scheme: "https".to_owned() })),
            ("://host", Err(AddressError::UnknownScheme { scheme: String::new() })),
            ("unix:", Err(AddressError::InvalidSocketPath)),
            ("unix:@", Err(AddressError::InvalidSocketPath)),
            ("unix:/a\0b", Err(AddressError::InvalidSocketPath)),
        ] {
            assert_eq!(text.parse(), wanted, "{text}");
        }
        for (text, place) in [
            ("unix:/run/app.sock", Place::Unix("/run/app.sock".into())),
            ("unix:///run/app.sock", Place::Unix("/run/app.sock".into())),
            ("unix:app.sock", Place::Unix("app.sock".into())),
            ("unix:@app", Place::Abstract("app".to_owned())),
        ] {
            assert_eq!(text.parse(), Ok(ListenAddress { scheme: Scheme::Zap, place }), "{text}");
        }
    }

    #[test]
    fn text_of_an_address_is_the_address() {
        for text in ["zap://:9999", "zap://[::1]:1", "zaps://host:2", "http://127.0.0.1:3", "unix:/a b", "unix:@c"] {
            assert_eq!(text.parse::<ListenAddress>().map(|address| address.to_string()).as_deref(), Ok(text));
        }
    }
}
