//! One application, for each kind of server: the same answers, with the same headers.

use std::convert::Infallible;

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use zap_http::proto::AnswerError;
use zap_http::{Handler, RequestView, Responder};

use super::case::{self, HEALTHY, MAX_BODY_LEN};
use super::typed::Codec;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVED_BY: HeaderName = HeaderName::from_static("x-served-by");
const TEXT: HeaderValue = HeaderValue::from_static(TEXT_TYPE);
const JSON: HeaderValue = HeaderValue::from_static(JSON_TYPE);
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const SURVEY: HeaderValue = HeaderValue::from_static("survey-7");

/// The content type of `GET /health`.
pub(super) const TEXT_TYPE: &str = "text/plain; charset=utf-8";
/// The content type of `POST /readings`.
pub(super) const JSON_TYPE: &str = "application/json";
/// The content type of bodies without a meaning.
pub(super) const BYTES_TYPE: &str = "application/octet-stream";

/// An answer that is more than a constant: its content type and body. `None`: there is nothing at this path, or the request
/// is not understood.
pub(super) fn work(path: &str, body: &Bytes) -> Option<(&'static str, Bytes)> {
    let (what, rest) = path.strip_prefix('/')?.split_once('/').unwrap_or((path.strip_prefix('/')?, ""));
    let typed = |answer: fn(Codec, &[u8]) -> Option<Vec<u8>>| {
        let codec: Codec = rest.parse().ok()?;
        Some((codec.content_type(), Bytes::from(answer(codec, body)?)))
    };
    match what {
        "body" => Some((BYTES_TYPE, case::body(rest.parse().ok().filter(|len| *len <= MAX_BODY_LEN)?))),
        "echo" => Some((BYTES_TYPE, body.clone())),
        "rpc" => typed(Codec::rpc),
        "auction" => typed(Codec::auction),
        _ => None,
    }
}

/// For axum, over HTTP/1.1 and over ZAP.
pub(super) fn router() -> Router {
    let readings = |headers: HeaderMap, body: Bytes| async move {
        let id = headers.get(REQUEST_ID).cloned().unwrap_or(HeaderValue::from_static("none"));
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE), (REQUEST_ID, id), (SERVED_BY, SURVEY)];
        (headers, body).into_response()
    };
    let worked = |uri: Uri, body: Bytes| async move {
        match work(uri.path(), &body) {
            Some((kind, body)) => ([(CONTENT_TYPE, HeaderValue::from_static(kind))], body).into_response(),
            None => StatusCode::BAD_REQUEST.into_response(),
        }
    };
    Router::new()
        .route("/health", get(|| async { ([(CONTENT_TYPE, TEXT)], HEALTHY) }))
        .route("/readings", post(readings))
        .route("/body/{len}", get(move |uri: Uri| worked(uri, Bytes::new())))
        .route("/echo", post(worked))
        .route("/rpc/{codec}", post(worked))
        .route("/auction/{codec}", post(worked))
        .layer(DefaultBodyLimit::max(2 * MAX_BODY_LEN))
}

/// For zap-http without the types of `http`.
#[derive(Clone, Copy)]
pub(super) struct Native;

impl Handler for Native {
    type Error = AnswerError;

    async fn handle(&self, request: RequestView<'_>, responder: Responder<'_>) -> Result<(), AnswerError> {
        match (request.method(), request.target()) {
            (b"GET", b"/health") => responder.status(200).header(CONTENT_TYPE, TEXT).body(HEALTHY),
            (b"POST", b"/readings") => {
                let id = request.headers().get("x-request-id").unwrap_or(b"none");
                let response = responder.status(200).header(CONTENT_TYPE, JSON).header(CACHE_CONTROL, NO_STORE);
                response.header(REQUEST_ID, id).header(SERVED_BY, SURVEY).body(request.body())
            }
            (b"POST", b"/echo") => responder.status(200).header(CONTENT_TYPE, BYTES_TYPE).body(request.body()),
            (_, target) => {
                let path = str::from_utf8(target).unwrap_or_default();
                match work_borrowed(path, request.body()) {
                    Some((kind, body)) => responder.status(200).header(CONTENT_TYPE, kind).body_shared(body),
                    None => responder.status(400).finish(),
                }
            }
        }
    }
}

/// As [`work`], of a body that is not shared: what is written anew reads it where it lies.
fn work_borrowed(path: &str, body: &[u8]) -> Option<(&'static str, Bytes)> {
    if let Some(codec) = path.strip_prefix("/rpc/") {
        let codec: Codec = codec.parse().ok()?;
        return Some((codec.content_type(), codec.rpc(body)?.into()));
    }
    if let Some(codec) = path.strip_prefix("/auction/") {
        let codec: Codec = codec.parse().ok()?;
        return Some((codec.content_type(), codec.auction(body)?.into()));
    }
    work(path, &Bytes::new())
}

/// For hyper without a router.
pub(super) async fn hyper(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::new(Full::default());
    if (request.method(), request.uri().path()) == (&Method::GET, "/health") {
        response.headers_mut().insert(CONTENT_TYPE, TEXT);
        *response.body_mut() = Full::new(Bytes::from_static(HEALTHY.as_bytes()));
        return Ok(response);
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(response);
    };
    let body = body.to_bytes();
    if (&parts.method, parts.uri.path()) == (&Method::POST, "/readings") {
        let id = parts.headers.get(REQUEST_ID).cloned().unwrap_or(HeaderValue::from_static("none"));
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE), (REQUEST_ID, id), (SERVED_BY, SURVEY)];
        response.headers_mut().extend(headers);
        *response.body_mut() = Full::new(body);
        return Ok(response);
    }
    match work(parts.uri.path(), &body) {
        Some((kind, body)) => {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            *response.body_mut() = Full::new(body);
        }
        None => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    Ok(response)
}
