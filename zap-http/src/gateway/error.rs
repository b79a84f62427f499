//! What the gateway answers itself, and why.

use std::sync::Arc;

use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};

use super::{AnyError, GatewayBody};
use crate::ClientError;
use crate::client::BodyRefused;

/// Why a request was not forwarded, or its answer not given: in the extensions of the gateway's own answers.
///
/// # Examples
///
/// ```
/// use zap_http::gateway::GatewayError;
///
/// fn log<B>(answer: &http::Response<B>) {
///     if let Some(error) = answer.extensions().get::<GatewayError>() {
///         eprintln!("{} {error}", error.status());
///     }
/// }
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error("{what}")]
pub struct GatewayError {
    status: StatusCode,
    /// For clients, too: names nothing behind the gateway.
    what: &'static str,
    #[source]
    cause: Option<Arc<Cause>>,
}

/// Any error, as a source.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Cause(AnyError);

/// A text is not the address of an HTTP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an HTTP server is given as host or host:port, without user info or path")]
pub struct AuthorityError;

impl GatewayError {
    pub(super) const fn new(status: StatusCode, what: &'static str) -> Self {
        Self { status, what, cause: None }
    }

    pub(super) fn because(status: StatusCode, what: &'static str, cause: impl Into<AnyError>) -> Self {
        Self { status, what, cause: Some(Arc::new(Cause(cause.into()))) }
    }

    /// The status that is answered.
    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The answer that a client gets: a line of text without the cause.
    pub(super) fn into_response(self) -> Response<GatewayBody> {
        let mut response = Response::new(GatewayBody::text(format!("{self}\n")));
        *response.status_mut() = self.status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        response.extensions_mut().insert(self);
        response
    }
}

impl From<ClientError> for GatewayError {
    fn from(error: ClientError) -> Self {
        let (status, what) = match &error {
            ClientError::Timeout(_) => (StatusCode::GATEWAY_TIMEOUT, "the upstream took too long"),
            ClientError::Connect(_) => (StatusCode::BAD_GATEWAY, "the upstream cannot be reached"),
            ClientError::TooManyWaiters => (StatusCode::SERVICE_UNAVAILABLE, "too many requests wait for the upstream"),
            ClientError::BodyTooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "the body is too long"),
            ClientError::RequestBody(cause) => match cause.downcast_ref::<BodyRefused>() {
                Some(BodyRefused::OverBudget) => {
                    (StatusCode::SERVICE_UNAVAILABLE, "the gateway holds too many requests")
                }
                Some(BodyRefused::Stalled) => (StatusCode::REQUEST_TIMEOUT, "the rest of the body did not come"),
                None => (StatusCode::BAD_REQUEST, "the body of the request failed"),
            },
            ClientError::InvalidRequest(_) | ClientError::InvalidTarget(_) => {
                (StatusCode::BAD_REQUEST, "the request cannot be forwarded")
            }
            _ => (StatusCode::BAD_GATEWAY, "the upstream gave no answer"),
        };
        Self::because(status, what, error)
    }
}
