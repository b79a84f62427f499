//! Heads of requests as they are sent on: what two servers could read differently is refused, what is about one connection
//! is left out, and what the gateway knows is added.

use std::net::IpAddr;

use http::header::{
    CONTENT_LENGTH, COOKIE, EXPECT, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING, VIA,
};
use http::uri::{Authority, PathAndQuery};
use http::{Method, StatusCode, Uri, Version, request};

use super::error::GatewayError;
use crate::ConnectionInfo;
use crate::convert::end_to_end;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// What is done about who a request comes from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Forwarding {
    /// Keep what the client says, and add to it.
    pub(super) keep: bool,
}

/// The request to send on: its URI is a path, and its host, if it has one, is a `host` header.
pub(super) fn forwarded_request(parts: request::Parts, forwarding: Forwarding) -> Result<request::Parts, GatewayError> {
    check_framing(&parts.headers)?;
    if parts.method == Method::CONNECT {
        return Err(GatewayError::new(StatusCode::NOT_IMPLEMENTED, "tunnels are not forwarded"));
    }
    let host = host_of(&parts)?;
    let mut headers = HeaderMap::new();
    let dropped = |name: &HeaderName| {
        *name == HOST || *name == EXPECT || *name == COOKIE || (!forwarding.keep && tells_who(name.as_str()))
    };
    for (name, value) in end_to_end(&parts.headers).filter(|(name, _)| !dropped(name)) {
        append(&mut headers, name.clone(), value.clone())?;
    }
    let cookies: Vec<_> = end_to_end(&parts.headers).filter(|(name, _)| *name == COOKIE).collect();
    if !cookies.is_empty() {
        let values: Vec<_> = cookies.iter().map(|(_, value)| value.as_bytes()).collect();
        append(&mut headers, COOKIE, HeaderValue::from_bytes(&values.join(&b"; "[..])).map_err(refused)?)?;
    }
    add_facts(&mut headers, &parts, host.as_ref())?;
    if let Some(host) = host {
        headers.insert(HOST, host);
    }
    let uri = origin_form(&parts.method, &parts.uri)?;
    let (mut sent, ()) = http::Request::new(()).into_parts();
    (sent.method, sent.uri, sent.headers) = (parts.method, uri, headers);
    Ok(sent)
}

const fn bad(what: &'static str) -> GatewayError {
    GatewayError::new(StatusCode::BAD_REQUEST, what)
}

fn refused(error: impl Into<super::AnyError>) -> GatewayError {
    GatewayError::because(StatusCode::BAD_REQUEST, "the request cannot be forwarded", error)
}

/// Its server has found the end of the body; another one could have found a different one.
fn check_framing(headers: &HeaderMap) -> Result<(), GatewayError> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    let Some(coding) = codings.next() else { return Ok(()) };
    if headers.contains_key(CONTENT_LENGTH) {
        return Err(bad("a length beside a transfer coding"));
    }
    if codings.next().is_some() || !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") {
        return Err(GatewayError::new(StatusCode::NOT_IMPLEMENTED, "the transfer coding is not known"));
    }
    Ok(())
}

/// The one host that is asked for.
fn host_of(parts: &request::Parts) -> Result<Option<HeaderValue>, GatewayError> {
    let mut hosts = parts.headers.get_all(HOST).iter();
    let given = hosts.next().filter(|host| !host.is_empty());
    if hosts.next().is_some() {
        return Err(bad("more than one host header"));
    }
    if given.is_some_and(|host| Authority::try_from(host.as_bytes()).map_or(true, |host| has_user_info(&host))) {
        return Err(bad("the host header is no host"));
    }
    let Some(authority) = parts.uri.authority() else { return Ok(given.cloned()) };
    if has_user_info(authority) {
        return Err(bad("the target has user info"));
    }
    if given.is_some_and(|host| !host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes())) {
        return Err(bad("target and host header name different hosts"));
    }
    HeaderValue::from_str(authority.as_str()).map(Some).map_err(refused)
}

fn has_user_info(authority: &Authority) -> bool {
    authority.as_str().contains('@')
}

/// The path that a URI of any form asks for.
fn origin_form(method: &Method, uri: &Uri) -> Result<Uri, GatewayError> {
    let path = match uri.path_and_query() {
        None => PathAndQuery::from_static("/"),
        Some(path) if path.as_str() == "*" && method == Method::OPTIONS => path.clone(),
        Some(path) if path.as_str().starts_with('/') => path.clone(),
        // `http://host?query` has no path.
        Some(path) if path.path() == "/" => format!("/{}", path.as_str()).parse().map_err(refused)?,
        Some(_) => return Err(bad("the target is not one for this method")),
    };
    Ok(Uri::from(path))
}

/// Whether a header is about who sent the request, also for servers that take `_` for `-`.
fn tells_who(name: &str) -> bool {
    let name = name.replace('_', "-");
    name == FORWARDED.as_str() || name.starts_with("x-forwarded-")
}

/// What the gateway knows about where the request came from.
fn add_facts(headers: &mut HeaderMap, parts: &request::Parts, host: Option<&HeaderValue>) -> Result<(), GatewayError> {
    let info = parts.extensions.get::<ConnectionInfo>();
    let peer = info.and_then(ConnectionInfo::peer_addr).map(|peer| peer.ip().to_canonical());
    let proto = if info.is_some_and(|info| info.tls().is_some()) { "https" } else { "http" };
    let mut forwarded = match peer {
        Some(IpAddr::V6(peer)) => format!("for=\"[{peer}]\";proto={proto}"),
        Some(IpAddr::V4(peer)) => format!("for={peer};proto={proto}"),
        None => format!("for=unknown;proto={proto}"),
    };
    // Checked: a host has no quotation mark.
    if let Some(host) = host.and_then(|host| host.to_str().ok()) {
        forwarded = format!("{forwarded};host=\"{host}\"");
    }
    append_text(headers, FORWARDED, &forwarded)?;
    if let Some(peer) = peer {
        append_text(headers, X_FORWARDED_FOR, &peer.to_string())?;
    }
    if !headers.contains_key(X_FORWARDED_PROTO) {
        append_text(headers, X_FORWARDED_PROTO, proto)?;
    }
    if let (Some(host), false) = (host, headers.contains_key(X_FORWARDED_HOST)) {
        append(headers, X_FORWARDED_HOST, host.clone())?;
    }
    let version = match parts.version {
        Version::HTTP_2 => "2.0 zap-http",
        Version::HTTP_10 => "1.0 zap-http",
        _ => "1.1 zap-http",
    };
    append_text(headers, VIA, version)
}

fn append_text(headers: &mut HeaderMap, name: HeaderName, value: &str) -> Result<(), GatewayError> {
    append(headers, name, HeaderValue::from_str(value).map_err(refused)?)
}

fn append(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) -> Result<(), GatewayError> {
    match headers.try_append(name, value) {
        Ok(_) => Ok(()),
        Err(_) => Err(GatewayError::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, "there are too many headers")),
    }
}
