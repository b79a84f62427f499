//! The names of reasons, as labels and fields have them: few, constant, and never text of a user's.

#[cfg(feature = "metrics")]
use metrics::Label;

#[cfg(feature = "server")]
use crate::convert::ConvertError;
#[cfg(any(feature = "server", feature = "client"))]
use crate::proto::CloseReason;
use crate::proto::FrameErrorKind;
#[cfg(feature = "server")]
use crate::proto::FramingFault;

/// Why a request was refused: as text, and as labels, which cost an allocation unless they are constant.
#[derive(Clone, Copy)]
pub(super) struct Reason {
    #[cfg_attr(not(feature = "tracing"), allow(dead_code))]
    pub(super) text: &'static str,
    #[cfg(feature = "metrics")]
    pub(super) labels: &'static [Label],
}

macro_rules! reason {
    ($text:literal) => {{
        #[cfg(feature = "metrics")]
        static LABELS: [Label; 1] = [Label::from_static_parts("reason", $text)];
        Reason {
            text: $text,
            #[cfg(feature = "metrics")]
            labels: &LABELS,
        }
    }};
}

/// There was no memory for what came in.
#[cfg(feature = "server")]
pub(super) fn overloaded() -> Reason {
    reason!("overloaded")
}

/// The next bytes of a body over HTTP did not come.
#[cfg(feature = "http1")]
pub(super) fn body_stalled() -> Reason {
    reason!("body_stalled")
}

/// A body over HTTP was none, or broke off.
#[cfg(feature = "http1")]
pub(super) fn body_failed() -> Reason {
    reason!("body_failed")
}

#[cfg(any(feature = "server", feature = "client"))]
pub(super) const fn close_reason(reason: CloseReason) -> &'static str {
    match reason {
        CloseReason::PeerClosed => "peer_closed",
        CloseReason::PeerClosedEarly => "peer_closed_early",
        CloseReason::Shutdown => "shutdown",
        CloseReason::Frame(_) => "frame_refused",
        CloseReason::Framing(_) => "length_refused",
        CloseReason::UnexpectedFrame => "unexpected_frame",
        CloseReason::SwitchingProtocols => "switching_protocols",
        CloseReason::TooManyBadRequests => "too_many_bad_requests",
        CloseReason::Overloaded => "overloaded",
        CloseReason::TooManyInterimAnswers => "too_many_interim_answers",
        CloseReason::TooManyEmptyFrames => "too_many_empty_frames",
        CloseReason::AnswerTooLong => "answer_too_long",
        CloseReason::DiscardTooLong => "discard_too_long",
        CloseReason::DiscardTimeout => "discard_timeout",
        CloseReason::FirstFrameTimeout => "first_frame_timeout",
        CloseReason::ProgressTimeout => "progress_timeout",
        CloseReason::AnswerTimeout => "answer_timeout",
        CloseReason::HalfCloseGrace => "half_close_grace",
        CloseReason::ShutdownDeadline => "shutdown_deadline",
        CloseReason::IdleTimeout => "idle_timeout",
        CloseReason::WriteStall => "write_stall",
        CloseReason::StreamAbandoned => "stream_abandoned",
        CloseReason::TransportFailed => "transport_failed",
    }
}

pub(super) fn frame_error(kind: FrameErrorKind) -> Reason {
    use FrameErrorKind as Kind;
    match kind {
        Kind::BufferTooSmall => reason!("buffer_too_small"),
        Kind::InvalidMagic => reason!("invalid_magic"),
        Kind::UnsupportedVersion => reason!("unsupported_version"),
        Kind::WrongFrameType => reason!("wrong_frame_type"),
        Kind::InvalidRoot => reason!("invalid_root"),
        Kind::TruncatedSection => reason!("truncated_section"),
        Kind::SlotOutOfBounds => reason!("slot_out_of_bounds"),
        Kind::TruncatedHeaders => reason!("truncated_headers"),
        Kind::TruncatedTrailers => reason!("truncated_trailers"),
        Kind::InvalidMethod => reason!("invalid_method"),
        Kind::InvalidTarget => reason!("invalid_target"),
        Kind::InvalidProto => reason!("invalid_proto"),
        Kind::InvalidStatus => reason!("invalid_status"),
        Kind::InvalidReason => reason!("invalid_reason"),
        Kind::InvalidHeaderName => reason!("invalid_header_name"),
        Kind::InvalidHeaderValue => reason!("invalid_header_value"),
        Kind::InvalidTrailerName => reason!("invalid_trailer_name"),
        Kind::InvalidTrailerValue => reason!("invalid_trailer_value"),
        Kind::ForbiddenTrailer => reason!("forbidden_trailer"),
        Kind::MethodTooLong => reason!("method_too_long"),
        Kind::TargetTooLong => reason!("target_too_long"),
        Kind::ProtoTooLong => reason!("proto_too_long"),
        Kind::ReasonTooLong => reason!("reason_too_long"),
        Kind::TooManyHeaders => reason!("too_many_headers"),
        Kind::HeadersTooLong => reason!("headers_too_long"),
        Kind::TooManyTrailers => reason!("too_many_trailers"),
        Kind::TrailersTooLong => reason!("trailers_too_long"),
        Kind::FrameTooLong => reason!("frame_too_long"),
    }
}

#[cfg(feature = "server")]
pub(super) fn framing_fault(fault: FramingFault) -> Reason {
    match fault {
        FramingFault::ZeroLength => reason!("zero_length"),
        FramingFault::TooLong { .. } => reason!("too_long"),
    }
}

#[cfg(feature = "server")]
pub(super) fn convert_error(error: ConvertError) -> Reason {
    match error {
        ConvertError::InvalidTarget => reason!("target_form"),
        ConvertError::FragmentInTarget => reason!("fragment_in_target"),
        ConvertError::UserInfoInTarget => reason!("user_info_in_target"),
        ConvertError::HostMismatch => reason!("host_mismatch"),
        ConvertError::InvalidHeader => reason!("invalid_header"),
        ConvertError::TooManyHeaders => reason!("too_many_headers"),
    }
}

#[cfg(feature = "client")]
pub(super) const fn client_error(error: &crate::ClientError) -> &'static str {
    use crate::{ClientError as Error, Timeout};
    match error {
        Error::InvalidTarget(_) => "invalid_target",
        Error::InvalidRequest(_) => "invalid_request",
        Error::Connect(_) => "connect",
        Error::Timeout(Timeout::Connect) => "connect_timeout",
        Error::Timeout(Timeout::Head) => "head_timeout",
        Error::Timeout(Timeout::Whole) => "whole_timeout",
        Error::Timeout(Timeout::Progress) => "progress_timeout",
        Error::BodyTooLarge { .. } => "body_too_large",
        Error::RequestBody(_) => "request_body",
        Error::TooManyWaiters => "too_many_waiters",
        Error::Closed { .. } => "closed",
        Error::Protocol(_) => "protocol",
        Error::NoRuntime => "no_runtime",
        // These are not of calls, but of what is done with their answers.
        _ => "other",
    }
}

/// The class of a status: a label must not take a thousand values.
#[cfg(all(feature = "metrics", any(feature = "server", feature = "client")))]
pub(super) const fn status_class(status: u16) -> &'static str {
    match status {
        100..200 => "1xx",
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        500..600 => "5xx",
        _ => "other",
    }
}
