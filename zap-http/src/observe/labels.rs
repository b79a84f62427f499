//! The names of reasons, as labels and fields have them: few, constant, and never text of a user's.

#[cfg(feature = "server")]
use crate::convert::ConvertError;
use crate::proto::FrameErrorKind;
#[cfg(any(feature = "server", feature = "client"))]
use crate::proto::{CloseReason, FramingFault};

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

pub(super) const fn frame_error(kind: FrameErrorKind) -> &'static str {
    use FrameErrorKind as Kind;
    match kind {
        Kind::BufferTooSmall => "buffer_too_small",
        Kind::InvalidMagic => "invalid_magic",
        Kind::UnsupportedVersion => "unsupported_version",
        Kind::WrongFrameType => "wrong_frame_type",
        Kind::InvalidRoot => "invalid_root",
        Kind::TruncatedSection => "truncated_section",
        Kind::SlotOutOfBounds => "slot_out_of_bounds",
        Kind::TruncatedHeaders => "truncated_headers",
        Kind::TruncatedTrailers => "truncated_trailers",
        Kind::InvalidMethod => "invalid_method",
        Kind::InvalidTarget => "invalid_target",
        Kind::InvalidProto => "invalid_proto",
        Kind::InvalidStatus => "invalid_status",
        Kind::InvalidReason => "invalid_reason",
        Kind::InvalidHeaderName => "invalid_header_name",
        Kind::InvalidHeaderValue => "invalid_header_value",
        Kind::InvalidTrailerName => "invalid_trailer_name",
        Kind::InvalidTrailerValue => "invalid_trailer_value",
        Kind::ForbiddenTrailer => "forbidden_trailer",
        Kind::MethodTooLong => "method_too_long",
        Kind::TargetTooLong => "target_too_long",
        Kind::ProtoTooLong => "proto_too_long",
        Kind::ReasonTooLong => "reason_too_long",
        Kind::TooManyHeaders => "too_many_headers",
        Kind::HeadersTooLong => "headers_too_long",
        Kind::TooManyTrailers => "too_many_trailers",
        Kind::TrailersTooLong => "trailers_too_long",
        Kind::FrameTooLong => "frame_too_long",
    }
}

#[cfg(any(feature = "server", feature = "client"))]
pub(super) const fn framing_fault(fault: FramingFault) -> &'static str {
    match fault {
        FramingFault::ZeroLength => "zero_length",
        FramingFault::TooLong { .. } => "too_long",
    }
}

#[cfg(feature = "server")]
pub(super) const fn convert_error(error: ConvertError) -> &'static str {
    match error {
        ConvertError::InvalidTarget => "target_form",
        ConvertError::FragmentInTarget => "fragment_in_target",
        ConvertError::UserInfoInTarget => "user_info_in_target",
        ConvertError::HostMismatch => "host_mismatch",
        ConvertError::InvalidHeader => "invalid_header",
        ConvertError::TooManyHeaders => "too_many_headers",
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
#[cfg(any(feature = "server", feature = "client"))]
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
