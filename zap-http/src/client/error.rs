//! What can go wrong with a call.

use std::io;
use std::sync::Arc;

use http::StatusCode;

use super::AnyError;
use crate::convert::ConvertError;
use crate::proto::{CloseCause, CloseReason, Lost};
use crate::{Target, TargetError};

/// Why a call failed, or the body of its answer.
///
/// # Examples
///
/// ```
/// use zap_http::{Client, ClientError, TargetError};
///
/// # async fn run() {
/// let failed = Client::new().get("http://survey.example/").send().await;
/// assert!(matches!(failed, Err(ClientError::InvalidTarget(TargetError::UnknownScheme))));
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run());
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The request leads to no server.
    #[error("the request leads to no server: {0}")]
    InvalidTarget(#[from] TargetError),
    /// Method, URI or headers of the request are not such.
    #[error("the request is invalid")]
    InvalidRequest(#[source] AnyError),
    /// No connection could be made.
    #[error(transparent)]
    Connect(ConnectError),
    /// Something took too long.
    #[error("{0} took too long")]
    Timeout(Timeout),
    /// A body is longer than allowed: the request's, or one of an answer that was to be collected.
    #[error("the body is longer than the {limit} bytes that are allowed")]
    BodyTooLarge {
        /// The bytes that are allowed.
        limit: u64,
    },
    /// The body of the request failed.
    #[error("the body of the request failed")]
    RequestBody(#[source] AnyError),
    /// All connections are busy, and as many calls as allowed wait for one.
    #[error("too many calls wait for a connection")]
    TooManyWaiters,
    /// The connection ended before the answer was complete.
    #[error("the connection ended {} its answer", if *.answer_seen { "within" } else { "before" })]
    Closed {
        /// A part of the answer may have come.
        answer_seen: bool,
        /// Whether to send the request again does no harm: it did not go out, or it is idempotent and nothing of an answer
        /// came.
        may_retry: bool,
        /// Why it ended.
        #[source]
        cause: CloseError,
    },
    /// The server broke the protocol, or its answer passed a limit.
    #[error("the answer is refused")]
    Protocol(#[source] AnyError),
    /// The status of the answer is 4xx or 5xx: from [`ClientResponse::error_for_status`](super::ClientResponse::error_for_status).
    #[error("the answer is {0}")]
    Status(StatusCode),
    /// The body is not UTF-8.
    #[error("the body of the answer is not UTF-8")]
    NotText(#[from] std::string::FromUtf8Error),
    /// The body is not the JSON that was expected, or what was to be sent has none.
    #[cfg(feature = "json")]
    #[error("JSON is not read or written")]
    Json(#[from] serde_json::Error),
    /// The call was not made within a tokio runtime.
    #[error("there is no tokio runtime here")]
    NoRuntime,
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Timeout {
    /// To connect.
    Connect,
    /// From the call to the head of its answer.
    Head,
    /// From the call to the end of its answer.
    Whole,
    /// From one part of an answer to the next, or of a request being taken.
    Progress,
}

impl std::fmt::Display for Timeout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Head => "the answer's head",
            Self::Whole => "the answer",
            Self::Progress => "the next part of the exchange",
        })
    }
}

/// Why no connection could be made.
#[derive(Clone, Debug, thiserror::Error)]
#[error("cannot connect to {target}")]
pub struct ConnectError {
    target: Target,
    // Shared, since several calls may have waited for this connection.
    #[source]
    error: Arc<io::Error>,
}

impl ConnectError {
    pub(super) fn new(target: Target, error: io::Error) -> Self {
        Self { target, error: Arc::new(error) }
    }

    /// Where to.
    #[must_use]
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// The last address's failure.
    #[must_use]
    pub fn io_error(&self) -> &io::Error {
        &self.error
    }
}

/// Why a connection ended.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct CloseError {
    reason: CloseReason,
    #[source]
    error: Option<Arc<io::Error>>,
}

impl CloseError {
    pub(super) const fn new(reason: CloseReason, error: Option<Arc<io::Error>>) -> Self {
        Self { reason, error }
    }

    /// The reason, as the protocol has it.
    #[must_use]
    pub const fn reason(&self) -> CloseReason {
        self.reason
    }
}

/// Why a call has no answer, or not all of it.
#[derive(Debug)]
pub(super) enum CallError {
    Lost(Failure),
    /// The body of the request failed.
    Upload(AnyError),
    /// The answer means nothing in HTTP.
    Refused(ConvertError),
}

impl From<CallError> for ClientError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Lost(failure) => failure.into(),
            CallError::Upload(error) => Self::RequestBody(error),
            CallError::Refused(error) => Self::Protocol(Box::new(error)),
        }
    }
}

/// What a call lost with its connection.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) cause: CloseError,
    /// Nothing of the request went out.
    pub(super) unsent: bool,
    pub(super) may_retry: bool,
    answer_seen: bool,
    /// The connection ended because of this call: its answer was the one being waited for.
    first: bool,
}

impl Failure {
    pub(super) fn of(lost: Lost, first: bool, cause: CloseError) -> Self {
        let (unsent, may_retry) = (!lost.sent, lost.may_retry());
        Self { cause, unsent, may_retry, answer_seen: lost.answer_seen, first }
    }

    /// The connection was closed when the request was to be sent.
    pub(super) const fn unsent(cause: CloseError) -> Self {
        Self { cause, unsent: true, may_retry: true, answer_seen: false, first: false }
    }
}

impl From<Failure> for ClientError {
    fn from(failure: Failure) -> Self {
        let Failure { cause, may_retry, answer_seen, first, .. } = failure;
        match cause.reason {
            CloseReason::AnswerTimeout if first => return Self::Timeout(Timeout::Head),
            CloseReason::ProgressTimeout | CloseReason::WriteStall if first => return Self::Timeout(Timeout::Progress),
            // An early end is as the network has it.
            CloseReason::PeerClosedEarly => {}
            reason if first && matches!(reason.cause(), CloseCause::PeerViolation | CloseCause::Limit) => {
                return Self::Protocol(Box::new(cause));
            }
            _ => {}
        }
        Self::Closed { answer_seen, may_retry, cause }
    }
}

impl From<ConnectError> for ClientError {
    fn from(error: ConnectError) -> Self {
        match error.error.kind() {
            io::ErrorKind::TimedOut => Self::Timeout(Timeout::Connect),
            _ => Self::Connect(error),
        }
    }
}

impl From<http::Error> for ClientError {
    fn from(error: http::Error) -> Self {
        Self::InvalidRequest(Box::new(error))
    }
}

impl From<ConvertError> for ClientError {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::UserInfoInTarget => Self::InvalidTarget(TargetError::UserInfo),
            _ => Self::InvalidRequest(Box::new(error)),
        }
    }
}
