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
use http::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, TE};
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
    let mut parts = http::Request::new(());
    let [target, block, _] = copy_of([request.target(), request.headers().as_bytes(), &[]]);
    fill(&mut parts, request, target, &block)?;
    Ok(parts.into_parts().0)
}

/// A copy of a whole request, from which the types of `http` are made.
#[cfg(feature = "server")]
pub(crate) struct Copied {
    target: Bytes,
    block: Bytes,
    pub(crate) body: Bytes,
}

#[cfg(feature = "server")]
impl Copied {
    pub(crate) fn of(request: &Request<'_>) -> Self {
        /// Bodies up to so many bytes lie with the head: whoever keeps a header keeps them, too.
        const TOGETHER_LEN: usize = 4 << 10;
        let body = request.body();
        let (together, apart) = if body.len() <= TOGETHER_LEN { (body, &[][..]) } else { (&[][..], body) };
        let [target, block, body] = copy_of([request.target(), request.headers().as_bytes(), together]);
        let body = if apart.is_empty() { body } else { Bytes::copy_from_slice(apart) };
        Self { target, block, body }
    }

    /// Fills in what the copy is of. In place: a request of `http` is large.
    ///
    /// # Errors
    ///
    /// As [`request_parts`].
    pub(crate) fn fill<B>(self, whole: &mut http::Request<B>, request: &Request<'_>) -> Result<(), ConvertError> {
        fill(whole, &request.head(), self.target, &self.block)
    }
}

/// Copies of all pieces, which share one allocation.
fn copy_of(pieces: [&[u8]; 3]) -> [Bytes; 3] {
    let len = pieces.iter().fold(0_usize, |len, piece| len.saturating_add(piece.len()));
    let mut copy = Vec::with_capacity(len);
    pieces.iter().for_each(|piece| copy.extend_from_slice(piece));
    let mut copy = Bytes::from(copy);
    let [first, second, _] = pieces.map(<[u8]>::len);
    let first = copy.split_to(first);
    let second = copy.split_to(second);
    [first, second, copy]
}

/// Method, URI, version and headers. `target` and `block` are copies of the head's, which the parts will share.
fn fill<B>(
    request: &mut http::Request<B>,
    head: &RequestHead<'_>,
    target: Bytes,
    block: &Bytes,
) -> Result<(), ConvertError> {
    let method = Method::from_bytes(head.method()).map_err(|_| ConvertError::InvalidHeader)?;
    let uri = uri_of(&method, target)?;
    let headers = request.headers_mut();
    fill_headers(headers, head.headers(), block)?;
    if let (Some(authority), true) = (uri.authority(), method != Method::CONNECT) {
        let authority = authority.as_str();
        let host = headers.get(HOST);
        if host.is_some_and(|host| !host.as_bytes().eq_ignore_ascii_case(authority.as_bytes())) {
            return Err(ConvertError::HostMismatch);
        }
        let authority = HeaderValue::from_str(authority).map_err(|_| ConvertError::InvalidTarget)?;
        headers.insert(HOST, authority);
    }
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    *request.version_mut() = version_of(head.proto());
    Ok(())
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
    // Compared one by one: to look a name up costs more than there are headers.
    let connection = headers.iter().filter(|(name, _)| *name == CONNECTION);
    let listed = Listed::of(connection.map(|(_, value)| value.as_bytes()));
    headers.iter().filter(move |(name, value)| passes(name.as_str().as_bytes(), value.as_bytes()) && !listed.has(name))
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
    if target.first() == Some(&b'/') && method != Method::CONNECT {
        return Uri::from_maybe_shared(target).map_err(|_| ConvertError::InvalidTarget);
    }
    unusual_uri_of(method, target)
}

/// Of a target that is not a path.
#[cold]
fn unusual_uri_of(method: &Method, target: Bytes) -> Result<Uri, ConvertError> {
    let asterisk = &target[..] == b"*";
    let uri = Uri::from_maybe_shared(target).map_err(|_| ConvertError::InvalidTarget)?;
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(ConvertError::UserInfoInTarget);
    }
    let fits = match (uri.scheme(), uri.authority()) {
        _ if asterisk => method == Method::OPTIONS,
        _ if method == Method::CONNECT => uri.scheme().is_none() && uri.authority().is_some(),
        (Some(_), Some(_)) => true,
        _ => false,
    };
    if fits { Ok(uri) } else { Err(ConvertError::InvalidTarget) }
}

/// The headers that are not removed. `block` is a copy of theirs, which the values will share.
fn header_map(headers: Headers<'_>, block: &Bytes) -> Result<HeaderMap, ConvertError> {
    let mut map = HeaderMap::new();
    fill_headers(&mut map, headers, block)?;
    Ok(map)
}

/// As [`header_map`], into a map that is empty. Of several hosts the last one counts, and is the only one then.
fn fill_headers(map: &mut HeaderMap, headers: Headers<'_>, block: &Bytes) -> Result<(), ConvertError> {
    let pairs = headers.in_copy(block);
    map.try_reserve(pairs.len()).map_err(|_| ConvertError::TooManyHeaders)?;
    let (mut lists, mut hosts) = (false, 0_u32);
    for (name, value) in pairs {
        if !passes(name, value) {
            lists |= is_connection(name);
            continue;
        }
        let name = HeaderName::from_bytes(name).map_err(|_| ConvertError::InvalidHeader)?;
        hosts = hosts.saturating_add(u32::from(name == HOST));
        let value = block.slice_ref(trimmed(value));
        let value = HeaderValue::from_maybe_shared(value).map_err(|_| ConvertError::InvalidHeader)?;
        map.try_append(name, value).map_err(|_| ConvertError::TooManyHeaders)?;
    }
    if lists {
        remove_listed(map, pairs);
    }
    if hosts > 1 {
        keep_last_host(map);
    }
    Ok(())
}

/// Removes what the `connection` headers of a block list.
#[cold]
fn remove_listed(map: &mut HeaderMap, pairs: Headers<'_>) {
    let listed = Listed::of(pairs.iter().filter(|(name, _)| is_connection(name)).map(|pair| pair.1));
    for name in listed.names().filter_map(|name| HeaderName::from_bytes(name).ok()).filter(is_listable) {
        map.remove(name);
    }
}

#[cold]
fn keep_last_host(map: &mut HeaderMap) {
    if let Some(last) = map.get_all(HOST).iter().next_back().cloned() {
        map.insert(HOST, last);
    }
}

/// The values of all `connection` headers.
struct Listed<'h>(Vec<&'h [u8]>);

impl<'h> Listed<'h> {
    fn of(values: impl Iterator<Item = &'h [u8]>) -> Self {
        Self(values.collect())
    }

    fn names(&self) -> impl Iterator<Item = &'h [u8]> {
        self.0.iter().flat_map(|value| value.split(|byte| *byte == b',')).map(trimmed)
    }

    fn has(&self, name: &HeaderName) -> bool {
        !self.0.is_empty()
            && is_listable(name)
            && self.names().any(|listed| listed.eq_ignore_ascii_case(name.as_str().as_bytes()))
    }
}

/// Whether `connection` can make a header one of the connection: not the host, and for `te` its value decides.
fn is_listable(name: &HeaderName) -> bool {
    name != HOST && name != TE
}

fn is_connection(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"connection")
}

/// Whether a header means something beyond the connection it came on, as far as its name tells, or the value of `te`.
///
/// Most names are told apart by their length alone: this is on every message's way.
#[inline]
fn passes(name: &[u8], value: &[u8]) -> bool {
    !matches!(name.len(), 2 | 7 | 10 | 14 | 16 | 17) || passes_by_name(name, value)
}

fn passes_by_name(name: &[u8], value: &[u8]) -> bool {
    const REMOVED: [&[u8]; 6] =
        [b"connection", b"content-length", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade"];
    if name.eq_ignore_ascii_case(b"te") {
        return trimmed(value).eq_ignore_ascii_case(b"trailers");
    }
    !REMOVED.iter().any(|removed| name.eq_ignore_ascii_case(removed))
}

/// Without outer spaces and tabs.
#[inline]
fn trimmed(bytes: &[u8]) -> &[u8] {
    match bytes {
        [b' ' | b'\t', ..] | [.., b' ' | b'\t'] => trimmed_by_bytes(bytes),
        _ => bytes,
    }
}

#[cold]
fn trimmed_by_bytes(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}
