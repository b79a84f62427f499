//! Where a server is: the addresses that a client connects to, as text.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::Ipv6Addr;
use std::str::FromStr;

use http::Uri;
use http::uri::Authority;

/// The port of a target that names none.
pub const DEFAULT_PORT: u16 = 9999;

/// Bytes of a socket's path that every platform has room for: Linux has 108 and a zero byte is among them.
const MAX_PATH_LEN: usize = 107;

/// The address of a server.
///
/// | text | means |
/// |---|---|
/// | `zap://host`, `zap://host:8080`, `zap://[::1]:8080` | ZAP over TCP, port 9999 unless given |
/// | `zaps://host` | the same over TLS |
/// | `unix:/run/app.sock` | ZAP over a unix socket; `unix:///run/app.sock` is the same |
/// | `unix:@app` | an abstract unix socket (Linux) |
///
/// Displays as it was written. Two targets are equal if they name the same place: hosts are compared without regard to
/// case, and a port that is not written is 9999.
///
/// # Examples
///
/// ```
/// use zap_http::{Target, TargetError};
///
/// let target: Target = "zap://Survey.example".parse()?;
/// assert_eq!((target.host(), target.port()), (Some("Survey.example"), Some(9999)));
/// assert_eq!(target, "zap://survey.example:9999".parse()?);
/// assert_eq!("unix:/run/app.sock".parse::<Target>()?.to_string(), "unix:/run/app.sock");
///
/// assert_eq!("zap://me:secret@survey.example".parse::<Target>(), Err(TargetError::UserInfo));
/// assert_eq!("http://survey.example".parse::<Target>(), Err(TargetError::UnknownScheme));
/// # Ok::<(), TargetError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Target(Place);

#[derive(Clone, Debug)]
enum Place {
    Net {
        tls: bool,
        /// As written.
        authority: Authority,
        port: u16,
    },
    Unix(UnixName),
}

/// The name of a unix socket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum UnixName {
    Path(String),
    Abstract(String),
}

/// How a target is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TargetScheme {
    /// `zap`: TCP.
    Zap,
    /// `zaps`: TLS over TCP.
    Zaps,
    /// `unix`: a unix socket.
    Unix,
}

/// Why a text or a URI is no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// There is no scheme.
    #[error("a target begins with `zap://`, `zaps://` or `unix:`")]
    MissingScheme,
    /// The scheme is none of ours.
    #[error("the scheme is not `zap`, `zaps` or `unix`")]
    UnknownScheme,
    /// There is no host, or it is empty.
    #[error("there is no host")]
    MissingHost,
    /// The host is neither a name of letters, digits, `-`, `.` and `_`, nor an IPv4 address, nor an IPv6 address in brackets.
    #[error("the host is not a name, an IPv4 address, or an IPv6 address in brackets")]
    InvalidHost,
    /// The port is not a number from 1 to 65535.
    #[error("the port is not a number from 1 to 65535")]
    InvalidPort,
    /// User info stands before the host: it would be sent to nobody, or to somebody who should not have it.
    #[error("user info is not allowed before the host")]
    UserInfo,
    /// Something follows the port: a target is an address, without path, query or fragment.
    #[error("a target has no path, query or fragment")]
    UnexpectedPath,
    /// The socket has no path, or a zero byte in it.
    #[error("the path of the socket is empty or has a zero byte")]
    InvalidSocketPath,
    /// The socket's path is longer than 107 bytes.
    #[error("the path of the socket is longer than 107 bytes")]
    SocketPathTooLong,
}

/// So that a [`Target`] is taken wherever a text is.
impl From<std::convert::Infallible> for TargetError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

impl Target {
    /// The target that a URI with the scheme `zap` or `zaps` leads to. Its path is not looked at.
    ///
    /// # Errors
    ///
    /// The scheme is another or missing, or host, port or user info are not as they should be.
    ///
    /// # Cost
    ///
    /// Shares the URI's memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_http::{Target, TargetError};
    ///
    /// let uri = http::Uri::from_static("zap://survey.example:8080/stations?limit=20");
    /// assert_eq!(Target::from_uri(&uri)?.to_string(), "zap://survey.example:8080");
    /// # Ok::<(), TargetError>(())
    /// ```
    pub fn from_uri(uri: &Uri) -> Result<Self, TargetError> {
        let tls = tls_of(uri.scheme_str().ok_or(TargetError::MissingScheme)?)?;
        Self::net(tls, uri.authority().ok_or(TargetError::MissingHost)?.clone())
    }

    fn net(tls: bool, authority: Authority) -> Result<Self, TargetError> {
        check_user_info(&authority)?;
        let host = authority.host();
        check_host(host)?;
        let port = match authority.as_str().get(host.len()..) {
            None | Some("") => DEFAULT_PORT,
            Some(rest) => port_of(rest.strip_prefix(':').ok_or(TargetError::InvalidHost)?)?,
        };
        Ok(Self(Place::Net { tls, authority, port }))
    }

    fn unix(name: &str) -> Result<Self, TargetError> {
        let name = name.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(name);
        let (is_abstract, path) = name.strip_prefix('@').map_or((false, name), |name| (true, name));
        if path.is_empty() || path.contains('\0') {
            return Err(TargetError::InvalidSocketPath);
        }
        if path.len() > MAX_PATH_LEN {
            return Err(TargetError::SocketPathTooLong);
        }
        let name = if is_abstract { UnixName::Abstract(path.into()) } else { UnixName::Path(path.into()) };
        Ok(Self(Place::Unix(name)))
    }

    /// How it is reached.
    #[must_use]
    pub const fn scheme(&self) -> TargetScheme {
        match &self.0 {
            Place::Net { tls: false, .. } => TargetScheme::Zap,
            Place::Net { tls: true, .. } => TargetScheme::Zaps,
            Place::Unix(_) => TargetScheme::Unix,
        }
    }

    /// The host's name or address, an IPv6 address without its brackets; none for unix sockets.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        match &self.0 {
            Place::Net { authority, .. } => Some(bare(authority.host())),
            Place::Unix(_) => None,
        }
    }

    /// The port; none for unix sockets.
    #[must_use]
    pub const fn port(&self) -> Option<u16> {
        match &self.0 {
            Place::Net { port, .. } => Some(*port),
            Place::Unix(_) => None,
        }
    }

    /// What the operating system calls the unix socket: its path, or a zero byte and an abstract name.
    #[cfg(all(unix, feature = "client"))]
    pub(crate) fn socket_path(&self) -> Option<std::path::PathBuf> {
        match &self.0 {
            Place::Net { .. } => None,
            Place::Unix(UnixName::Path(path)) => Some(path.into()),
            Place::Unix(UnixName::Abstract(name)) => Some(format!("\0{name}").into()),
        }
    }

    /// The `host` header for it.
    #[cfg(feature = "client")]
    pub(crate) fn host_header(&self) -> &str {
        match &self.0 {
            Place::Net { authority, .. } => authority.as_str(),
            Place::Unix(_) => "localhost",
        }
    }

    /// The same with memory of its own, so that it can be kept without keeping the URI.
    #[cfg(feature = "client")]
    pub(crate) fn detached(&self) -> Self {
        match &self.0 {
            Place::Net { tls, authority, port } => {
                // What was an authority is one.
                let authority = authority.as_str().parse().unwrap_or_else(|_| authority.clone());
                Self(Place::Net { tls: *tls, authority, port: *port })
            }
            Place::Unix(_) => self.clone(),
        }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (scheme, rest) = text.split_once(':').ok_or(TargetError::MissingScheme)?;
        if scheme.eq_ignore_ascii_case("unix") {
            return Self::unix(rest);
        }
        // `host:9999` has no scheme, whatever stands before the colon.
        let rest = rest.strip_prefix("//").ok_or(TargetError::MissingScheme)?;
        let tls = tls_of(scheme)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if !matches!(path, "" | "/") {
            return Err(TargetError::UnexpectedPath);
        }
        match authority {
            "" => return Err(TargetError::MissingHost),
            _ if authority.contains('@') => return Err(TargetError::UserInfo),
            _ => {}
        }
        Self::net(tls, authority.parse().map_err(|_| TargetError::InvalidHost)?)
    }
}

impl TryFrom<&str> for Target {
    type Error = TargetError;

    fn try_from(text: &str) -> Result<Self, TargetError> {
        text.parse()
    }
}

impl TryFrom<String> for Target {
    type Error = TargetError;

    fn try_from(text: String) -> Result<Self, TargetError> {
        text.parse()
    }
}

impl TryFrom<&Uri> for Target {
    type Error = TargetError;

    fn try_from(uri: &Uri) -> Result<Self, TargetError> {
        Self::from_uri(uri)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Net { tls, authority, .. } => write!(f, "{}://{authority}", if *tls { "zaps" } else { "zap" }),
            Place::Unix(UnixName::Path(path)) => write!(f, "unix:{path}"),
            Place::Unix(UnixName::Abstract(name)) => write!(f, "unix:@{name}"),
        }
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Place::Unix(ours), Place::Unix(theirs)) => ours == theirs,
            (
                Place::Net { tls, authority, port },
                Place::Net { tls: other_tls, authority: other, port: other_port },
            ) => (tls, port) == (other_tls, other_port) && authority.host().eq_ignore_ascii_case(other.host()),
            _ => false,
        }
    }
}

impl Eq for Target {}

impl Hash for Target {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Place::Net { tls, authority, port } => {
                (tls, port).hash(state);
                authority.host().bytes().for_each(|byte| state.write_u8(byte.to_ascii_lowercase()));
            }
            Place::Unix(name) => name.hash(state),
        }
    }
}

/// Refuses user info: it would end in a `host` header.
pub(crate) fn check_user_info(authority: &Authority) -> Result<(), TargetError> {
    if authority.as_str().contains('@') { Err(TargetError::UserInfo) } else { Ok(()) }
}

fn tls_of(scheme: &str) -> Result<bool, TargetError> {
    match scheme {
        _ if scheme.eq_ignore_ascii_case("zap") => Ok(false),
        _ if scheme.eq_ignore_ascii_case("zaps") => Ok(true),
        _ => Err(TargetError::UnknownScheme),
    }
}

fn check_host(host: &str) -> Result<(), TargetError> {
    if host.is_empty() {
        return Err(TargetError::MissingHost);
    }
    let is_name = |host: &str| host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    let sound = if host.starts_with('[') { bare(host).parse::<Ipv6Addr>().is_ok() } else { is_name(host) };
    if sound { Ok(()) } else { Err(TargetError::InvalidHost) }
}

/// Without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

fn port_of(port: &str) -> Result<u16, TargetError> {
    // `parse` would take a sign.
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    port.parse().ok().filter(|port| digits && *port != 0).ok_or(TargetError::InvalidPort)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Target, TargetError> {
        text.parse()
    }

    #[test]
    fn targets_are_read_and_shown_as_written() {
        for (text, host, port) in [
            ("zap://survey.example", "survey.example", 9999),
            ("zap://survey.example:9999", "survey.example", 9999),
            ("zap://10.0.0.7:80", "10.0.0.7", 80),
            ("zap://[::1]:8080", "::1", 8080),
            ("zaps://[fe80::1]", "fe80::1", 9999),
            ("zap://my_host-2", "my_host-2", 9999),
        ] {
            let target = parse(text).unwrap();
            assert_eq!((target.host(), target.port()), (Some(host), Some(port)), "{text}");
            assert_eq!(target.to_string(), text);
            assert_eq!(target.scheme() == TargetScheme::Zaps, text.starts_with("zaps"));
        }
        for text in ["unix:/run/app.sock", "unix:app.sock", "unix:@app"] {
            let target = parse(text).unwrap();
            assert_eq!((target.scheme(), target.host(), target.port()), (TargetScheme::Unix, None, None));
            assert_eq!(target.to_string(), text);
        }
        assert_eq!(parse("unix:///run/app.sock"), parse("unix:/run/app.sock"));
        assert_eq!(parse("ZAP://survey.example/").unwrap().to_string(), "zap://survey.example");
    }

    #[test]
    fn equal_targets_name_the_same_place() {
        use std::hash::{BuildHasher, RandomState};
        let random = RandomState::new();
        let (a, b) = (parse("zap://A.example").unwrap(), parse("zap://a.EXAMPLE:9999").unwrap());
        assert_eq!(a, b);
        assert_eq!(random.hash_one(&a), random.hash_one(&b));
        for other in ["zaps://a.example", "zap://a.example:1", "zap://b.example", "unix:a.example"] {
            assert_ne!(a, parse(other).unwrap());
        }
        assert_ne!(parse("unix:@a"), parse("unix:a"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        use TargetError::*;
        let long = format!("unix:/{}", "a".repeat(107));
        for (text, error) in [
            ("", MissingScheme),
            ("survey.example:9999", MissingScheme),
            ("zap:survey.example", MissingScheme),
            ("http://survey.example", UnknownScheme),
            ("zap://", MissingHost),
            ("zap:///stations", UnexpectedPath),
            ("zap://:9999", MissingHost),
            ("zap://survey.example:", InvalidPort),
            ("zap://survey.example:0", InvalidPort),
            ("zap://survey.example:+1", InvalidPort),
            ("zap://survey.example:65536", InvalidPort),
            ("zap://survey.example:80:80", InvalidHost),
            ("zap://::1", InvalidHost),
            ("zap://[::1", InvalidHost),
            ("zap://[::1]9", InvalidHost),
            ("zap://[survey]", InvalidHost),
            ("zap://a b", InvalidHost),
            ("zap://münchen.example", InvalidHost),
            ("zap://a%2eb", InvalidHost),
            ("zap://me@survey.example", UserInfo),
            ("zap://me:secret@survey.example", UserInfo),
            ("zap://survey.example/stations", UnexpectedPath),
            ("zap://survey.example?a", UnexpectedPath),
            ("zap://survey.example#a", UnexpectedPath),
            ("unix:", InvalidSocketPath),
            ("unix:@", InvalidSocketPath),
            ("unix:a\0b", InvalidSocketPath),
            (&long, SocketPathTooLong),
        ] {
            assert_eq!(parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn uris_lead_to_targets() {
        let from = |uri: &'static str| Target::from_uri(&Uri::from_static(uri));
        assert_eq!(from("zap://a.example/b?c"), parse("zap://a.example"));
        assert_eq!(from("zaps://[::1]:8/b"), parse("zaps://[::1]:8"));
        assert_eq!(from("/b"), Err(TargetError::MissingScheme));
        assert_eq!(from("http://a.example/"), Err(TargetError::UnknownScheme));
        assert_eq!(from("zap://me@a.example/"), Err(TargetError::UserInfo));
        assert_eq!(from("zap://a.example:99999/"), Err(TargetError::InvalidPort));
    }
}
