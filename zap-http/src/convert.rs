//! Between frames and the types of the `http` crate.
//!
//! [`proto`](crate::proto) is literal; here HTTP's meaning is added. The same rules serve whoever receives and whoever
//! sends:
//!
//! * What belongs to one connection only is removed: `connection` and all that it lists (but `host`), `keep-alive`,
//!   `proxy-connection`, `te` (but `te: trailers`), `transfer-encoding`, `upgrade`; and `content-length`, since
//!   the frame has the body's length.
//!   `trailer` stays: the trailers that it announces go along.
//! * Outer spaces and tabs of values are removed.
//! * The last `host` is the one that counts. The authority of an absolute target replaces it; if the two differ, the
//!   request is refused.
//! * A target is a path, an absolute URI without user info, `*` with `OPTIONS`, or an authority with `CONNECT`; never with
//!   a fragment. So every request that is accepted has one spelling in HTTP/1.1, and no second request hides in it.
//!
//! # Cost
//!
//! Reading copies target and headers once, into one buffer that the values share: a request that is kept does not hold the
//! connection's buffer. Names that `http` does not know allocate.
//!
//! # Examples
//!
//! ```
//! use zap_http::convert;
//! use zap_http::proto::{Encoder, FrameLimits, Request};
//!
//! let mut frame = Vec::new();
//! let mut request = Encoder::message(&mut frame).request("GET", "/stations?limit=20")?;
//! request.header("Host", "survey.example")?.header("Connection", "close, X-Hop")?.header("X-Hop", "1")?;
//! request.finish()?;
//!
//! let parts = convert::request_parts(&Request::decode(&frame, &FrameLimits::new())?)?;
//! assert_eq!(parts.method, http::Method::GET);
//! assert_eq!(parts.uri.path(), "/stations");
//! assert_eq!(parts.headers.len(), 1);
//! assert_eq!(parts.headers["host"], "survey.example");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::borrow::Cow;

use bytes::Bytes;
use http::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode, Uri, Version, request, response};

use crate::proto::{Headers, Request, RequestHead, ResponseHead, is_forbidden_trailer};

/// Why a sound frame has no meaning in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The target is none of the four forms, not for this method, or no URI.
    #[error("the target is not one for this method")]
    InvalidTarget,
    /// The target has a fragment.
    #[error("the target has a fragment")]
    FragmentInTarget,
    /// The target has user info.
    #[error("the target has user info")]
    UserInfoInTarget,
    /// The authority of the target and the `host` header differ.
    #[error("target and host header name different hosts")]
    HostMismatch,
    /// The method, a name or a value is not one in the eyes of `http`.
    #[error("the method, or a header's name or value, is invalid")]
    InvalidHeader,
    /// There are more headers than a `HeaderMap` holds.
    #[error("there are more headers than a header map holds")]
    TooManyHeaders,
}

impl ConvertError {
    /// The status that a server answers such a request with.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::TooManyHeaders => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            _ => StatusCode::BAD_REQUEST,
        }
    }
}

/// Method, URI, version and headers of a request. Body and trailers are the caller's.
///
/// # Errors
///
/// The target is not one for the method, or what the module's docs refuse.
pub fn request_parts(request: &Request<'_>) -> Result<request::Parts, ConvertError> {
    request_head_parts(&request.head())
}

/// As [`request_parts`], of the head of a [streamed request](crate::proto#streamed-requests).
///
/// # Errors
///
/// As [`request_parts`].
pub fn request_head_parts(request: &RequestHead<'_>) -> Result<request::Parts, ConvertError> {
    let method = Method::from_bytes(request.method()).map_err(|_| ConvertError::InvalidHeader)?;
    let target = request.target();
    let block = request.headers().as_bytes();
    let mut copy = Vec::with_capacity(target.len().saturating_add(block.len()));
    copy.extend_from_slice(target);
    copy.extend_from_slice(block);
    let mut target = Bytes::from(copy);
    let block = target.split_off(target.len().saturating_sub(block.len()));

    let uri = uri_of(&method, target)?;
    let mut headers = header_map(request.headers(), &block)?;
    let host = last_host(&mut headers);
    if let (Some(authority), true) = (uri.authority(), method != Method::CONNECT) {
        let authority = authority.as_str();
        if host.is_some_and(|host| !host.as_bytes().eq_ignore_ascii_case(authority.as_bytes())) {
            return Err(ConvertError::HostMismatch);
        }
        let authority = HeaderValue::from_str(authority).map_err(|_| ConvertError::InvalidTarget)?;
        headers.insert(HOST, authority);
    }

    let (mut parts, ()) = http::Request::new(()).into_parts();
    (parts.method, parts.uri, parts.version, parts.headers) = (method, uri, version_of(request.proto()), headers);
    Ok(parts)
}

/// Status, version and headers of an answer. The reason is the caller's.
///
/// # Errors
///
/// There are more headers than a map holds.
pub fn response_parts(head: &ResponseHead<'_>) -> Result<response::Parts, ConvertError> {
    let block = Bytes::copy_from_slice(head.headers().as_bytes());
    let headers = header_map(head.headers(), &block)?;
    let (mut parts, ()) = http::Response::new(()).into_parts();
    parts.status = StatusCode::from_u16(head.status()).map_err(|_| ConvertError::InvalidHeader)?;
    (parts.version, parts.headers) = (version_of(head.proto()), headers);
    Ok(parts)
}

/// Trailers.
///
/// # Errors
///
/// There are more than a map holds.
pub fn trailers(trailers: Headers<'_>) -> Result<HeaderMap, ConvertError> {
    header_map(trailers, &Bytes::copy_from_slice(trailers.as_bytes()))
}

/// The headers of a message that may be sent on: those that the module's docs do not remove. Values of one name come
/// together, in their order.
pub fn end_to_end(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    let listed = Listed::of(headers.get_all(http::header::CONNECTION).iter().map(HeaderValue::as_bytes));
    headers.iter().filter(move |(name, value)| passes(name.as_str().as_bytes(), value.as_bytes(), &listed))
}

/// The trailers that may be sent: as [`end_to_end`], without names that only headers may have.
pub fn sendable_trailers(trailers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    end_to_end(trailers).filter(|(name, _)| !is_forbidden_trailer(name.as_str().as_bytes()))
}

/// The target that a request's URI is sent as: a path for most, an authority for `CONNECT`, `*` as it is.
///
/// # Errors
///
/// The URI has no authority for `CONNECT`, or `*` is not for this method.
pub fn target_of<'u>(method: &Method, uri: &'u Uri) -> Result<Cow<'u, str>, ConvertError> {
    if method == Method::CONNECT {
        return uri.authority().map(|authority| authority.as_str().into()).ok_or(ConvertError::InvalidTarget);
    }
    let target = uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    match target {
        "" => Ok("/".into()),
        // After an authority, the path may be left out.
        query if query.starts_with('?') => Ok(format!("/{query}").into()),
        "*" if method != Method::OPTIONS => Err(ConvertError::InvalidTarget),
        _ => Ok(target.into()),
    }
}

/// The version that a protocol's name stands for; HTTP/1.1 for any that is unknown.
fn version_of(proto: &[u8]) -> Version {
    match proto {
        b"HTTP/1.0" => Version::HTTP_10,
        b"HTTP/2" | b"HTTP/2.0" => Version::HTTP_2,
        _ => Version::HTTP_11,
    }
}

fn uri_of(method: &Method, target: Bytes) -> Result<Uri, ConvertError> {
    if target.contains(&b'#') {
        return Err(ConvertError::FragmentInTarget);
    }
    let (asterisk, path) = (&target[..] == b"*", target.first() == Some(&b'/'));
    let uri = Uri::from_maybe_shared(target).map_err(|_| ConvertError::InvalidTarget)?;
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(ConvertError::UserInfoInTarget);
    }
    let fits = match (uri.scheme(), uri.authority()) {
        _ if asterisk => method == Method::OPTIONS,
        _ if method == Method::CONNECT => uri.scheme().is_none() && uri.authority().is_some(),
        (Some(_), Some(_)) => true,
        (None, None) => path,
        _ => false,
    };
    if fits { Ok(uri) } else { Err(ConvertError::InvalidTarget) }
}

/// The headers that are not removed. `block` is a copy of theirs, which the values will share.
fn header_map(headers: Headers<'_>, block: &Bytes) -> Result<HeaderMap, ConvertError> {
    let pairs = headers.in_copy(block);
    let listed =
        Listed::of(pairs.iter().filter(|(name, _)| name.eq_ignore_ascii_case(b"connection")).map(|pair| pair.1));
    let mut map = HeaderMap::try_with_capacity(pairs.len()).map_err(|_| ConvertError::TooManyHeaders)?;
    for (name, value) in pairs {
        if !passes(name, value, &listed) {
            continue;
        }
        let name = HeaderName::from_bytes(name).map_err(|_| ConvertError::InvalidHeader)?;
        let value = block.slice_ref(trimmed(value));
        let value = HeaderValue::from_maybe_shared(value).map_err(|_| ConvertError::InvalidHeader)?;
        map.try_append(name, value).map_err(|_| ConvertError::TooManyHeaders)?;
    }
    Ok(map)
}

/// The host that counts, which is the only one then.
fn last_host(headers: &mut HeaderMap) -> Option<HeaderValue> {
    let mut hosts = headers.get_all(HOST).iter();
    let last = hosts.next_back()?.clone();
    if hosts.next().is_some() {
        headers.insert(HOST, last.clone());
    }
    Some(last)
}

/// The values of all `connection` headers.
struct Listed<'h>(Vec<&'h [u8]>);

impl<'h> Listed<'h> {
    fn of(values: impl Iterator<Item = &'h [u8]>) -> Self {
        Self(values.collect())
    }

    fn has(&self, name: &[u8]) -> bool {
        let mut names = self.0.iter().flat_map(|value| value.split(|byte| *byte == b','));
        names.any(|listed| trimmed(listed).eq_ignore_ascii_case(name))
    }
}

/// Whether a header means something beyond the connection it came on.
fn passes(name: &[u8], value: &[u8], listed: &Listed<'_>) -> bool {
    const REMOVED: [&[u8]; 6] =
        [b"connection", b"content-length", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"];
    if name.eq_ignore_ascii_case(b"te") {
        return trimmed(value).eq_ignore_ascii_case(b"trailers");
    }
    if REMOVED.iter().any(|removed| name.eq_ignore_ascii_case(removed)) {
        return false;
    }
    listed.0.is_empty() || name.eq_ignore_ascii_case(b"host") || !listed.has(name)
}

fn trimmed(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}
