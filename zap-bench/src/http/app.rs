//! One application, for each kind of server: the same answers, with the same headers.

use std::convert::Infallible;

use axum::Router;
use axum::body::Bytes;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use zap_http::proto::AnswerError;
use zap_http::{Handler, RequestView, Responder};

use super::exchange::HEALTHY;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVED_BY: HeaderName = HeaderName::from_static("x-served-by");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const SURVEY: HeaderValue = HeaderValue::from_static("survey-7");

/// For axum, over HTTP/1.1 and over ZAP.
pub(super) fn router() -> Router {
    let readings = |headers: HeaderMap, body: Bytes| async move {
        let id = headers.get(REQUEST_ID).cloned().unwrap_or(HeaderValue::from_static("none"));
        let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE), (REQUEST_ID, id), (SERVED_BY, SURVEY)];
        (headers, body).into_response()
    };
    Router::new()
        .route("/health", get(|| async { ([(CONTENT_TYPE, TEXT)], HEALTHY) }))
        .route("/readings", post(readings))
}

/// For zap-http without the types of `http`.
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
            _ => responder.status(404).finish(),
        }
    }
}

/// For hyper without a router.
pub(super) async fn hyper(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let mut response = Response::new(Full::default());
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/health") => {
            response.headers_mut().insert(CONTENT_TYPE, TEXT);
            *response.body_mut() = Full::new(Bytes::from_static(HEALTHY.as_bytes()));
        }
        (&Method::POST, "/readings") => {
            let (parts, body) = request.into_parts();
            let Ok(body) = body.collect().await else {
                *response.status_mut() = StatusCode::BAD_REQUEST;
                return Ok(response);
            };
            let id = parts.headers.get(REQUEST_ID).cloned().unwrap_or(HeaderValue::from_static("none"));
            let headers = [(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE), (REQUEST_ID, id), (SERVED_BY, SURVEY)];
            response.headers_mut().extend(headers);
            *response.body_mut() = Full::new(body.to_bytes());
        }
        _ => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    Ok(response)
}
