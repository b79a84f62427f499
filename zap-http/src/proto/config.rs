//! The bounds and deadlines of a connection, and why one ends.

use std::time::Duration;

use super::deframe::FramingFault;
use super::error::FrameError;
use super::limits::FrameLimits;

/// The bounds and deadlines of a server's connection.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zap_http::proto::ServerConfig;
///
/// let mut config = ServerConfig::default();
/// assert_eq!(config.idle_timeout, None);
/// config.idle_timeout = Some(Duration::from_secs(60));
/// config.frame.max_frame_len = 1 << 20;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerConfig {
    /// What a request may hold.
    pub frame: FrameLimits,
    /// Bytes of output that may wait: with more, no request is served and nothing is read.
    pub max_output_len: usize,
    /// Bytes that are read ahead while requests are being served.
    pub max_ahead_len: usize,
    /// Sound requests with bad content that are answered; the last of them ends the connection.
    pub max_bad_requests: u32,
    /// Bytes of a streamed answer's data frames.
    pub max_data_len: usize,
    /// Takes [streamed requests](super#streamed-requests) from clients that know them; off unless set. It holds for
    /// `http://` addresses, too.
    pub stream_requests: bool,
    /// Data frames without bytes in a row, in a streamed request.
    pub max_empty_frames: u32,
    /// A body given as `Bytes` is sent from where it is if it is longer; copied if not.
    pub max_copied_len: usize,
    /// From the start until the first frame is complete. Every 16 KiB received meanwhile earn a second.
    pub first_frame_timeout: Duration,
    /// From one receipt to the next inside a frame.
    pub progress_timeout: Duration,
    /// While nothing is being received, served or sent; off unless given: deployed clients never check a pooled connection.
    pub idle_timeout: Option<Duration>,
    /// From one receipt to the next between the frames of a streamed request, while its handler waits for more.
    pub stream_timeout: Option<Duration>,
    /// While output waits and none is taken.
    pub write_stall_timeout: Duration,
    /// After so much quiet an idle connection gives its buffers back.
    pub release_after: Duration,
    /// After the peer's end of stream, for the requests read before it.
    pub half_close_grace: Duration,
    /// Before the end, for the last answers to reach the peer after a frame that was too long or when we shut down: so
    /// long, or
    pub drain_timeout: Duration,
    /// so many bytes are read and dropped.
    pub max_drain_len: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            frame: FrameLimits::new(),
            max_output_len: 256 << 10,
            max_ahead_len: 64 << 10,
            max_bad_requests: 10,
            max_data_len: 64 << 10,
            stream_requests: false,
            max_empty_frames: 100,
            max_copied_len: 16 << 10,
            first_frame_timeout: Duration::from_secs(10),
            progress_timeout: Duration::from_secs(10),
            idle_timeout: None,
            stream_timeout: Some(Duration::from_secs(60)),
            write_stall_timeout: Duration::from_secs(30),
            release_after: Duration::from_secs(1),
            half_close_grace: Duration::from_secs(1),
            drain_timeout: Duration::from_secs(1),
            max_drain_len: 256 << 10,
        }
    }
}

/// The bounds and deadlines of a client's connection.
///
/// # Examples
///
/// ```
/// use zap_http::proto::ClientConfig;
///
/// let mut config = ClientConfig::default();
/// assert_eq!(config.max_in_flight, 1);
/// config.max_in_flight = 16;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientConfig {
    /// What an answer may hold, and how long a request's frame may be.
    pub frame: FrameLimits,
    /// Requests that may wait for their answers at once. Answers come in the order of the requests.
    pub max_in_flight: usize,
    /// Whether requests that are not idempotent may queue behind others.
    pub queue_unsafe: bool,
    /// Bytes of one answer's body, whole or streamed; a streamed one is not bounded unless given.
    pub max_answer_len: Option<u64>,
    /// Interim answers before one answer; they are skipped.
    pub max_interim_answers: u32,
    /// Data frames without bytes in a row; they are skipped.
    pub max_empty_frames: u32,
    /// Bytes of frames that are read and dropped for a cancelled call.
    pub max_discard_len: usize,
    /// How long the end of a cancelled call's answer is waited for, unless others wait for whole answers behind it: the
    /// end of the connection tells the server that nobody waits.
    pub discard_timeout: Duration,
    /// Sends [streamed requests](super#streamed-requests) to servers that know them; off unless set.
    pub stream_requests: bool,
    /// Bytes of output that wait: more of a streamed request should not be given meanwhile.
    pub max_output_len: usize,
    /// Bytes of a streamed request's data frames.
    pub max_data_len: usize,
    /// Bytes that are read ahead while answers are being taken.
    pub max_ahead_len: usize,
    /// A body given as `Bytes` is sent from where it is if it is longer; copied if not.
    pub max_copied_len: usize,
    /// From when the request is sent, or the answer before it ended, until an answer begins.
    pub answer_timeout: Option<Duration>,
    /// From one receipt to the next inside a frame.
    pub progress_timeout: Duration,
    /// From one receipt to the next inside a streamed answer; off unless given, since events may be rare.
    pub stream_timeout: Option<Duration>,
    /// While output waits and none is taken.
    pub write_stall_timeout: Duration,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            frame: FrameLimits::new(),
            max_in_flight: 1,
            queue_unsafe: false,
            max_answer_len: None,
            max_interim_answers: 16,
            max_empty_frames: 100,
            max_discard_len: 256 << 10,
            discard_timeout: Duration::from_secs(1),
            stream_requests: false,
            max_output_len: 256 << 10,
            max_data_len: 64 << 10,
            max_ahead_len: 64 << 10,
            max_copied_len: 16 << 10,
            answer_timeout: Some(Duration::from_secs(30)),
            progress_timeout: Duration::from_secs(10),
            stream_timeout: None,
            write_stall_timeout: Duration::from_secs(30),
        }
    }
}

/// What the owner of the connection's socket must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Close {
    /// Nothing: the connection goes on.
    Open,
    /// Shut the sending side, go on reading: all output was sent.
    ShutWrite,
    /// Close the socket. Output that still waits is lost; there is none if the end is an orderly one.
    Now(CloseReason),
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// The peer ended the stream between two frames.
    #[error("the peer closed the connection")]
    PeerClosed,
    /// The peer ended the stream inside a frame, or with answers outstanding.
    #[error("the peer closed the connection inside a frame or before its answers were complete")]
    PeerClosedEarly,
    /// We were asked to stop, and everything that had been read is answered.
    #[error("the connection was shut down")]
    Shutdown,
    /// A frame of the peer is refused.
    #[error("a frame is refused: {0}")]
    Frame(FrameError),
    /// A length prefix of the peer is refused.
    #[error("a length prefix is refused: {0}")]
    Framing(FramingFault),
    /// A frame that may not come at this point: data without a head, or an answer to nothing.
    #[error("a frame came that may not come here")]
    UnexpectedFrame,
    /// The server switched protocols, which this wire cannot.
    #[error("the server answers 101, which this wire cannot carry")]
    SwitchingProtocols,
    /// Too many sound requests had bad content.
    #[error("too many bad requests")]
    TooManyBadRequests,
    /// There was no memory for what came in.
    #[error("there was no memory for what came in")]
    Overloaded,
    /// Too many interim answers came before one answer.
    #[error("too many interim answers")]
    TooManyInterimAnswers,
    /// Too many data frames in a row were empty.
    #[error("too many empty data frames in a row")]
    TooManyEmptyFrames,
    /// An answer is longer than allowed.
    #[error("an answer is longer than allowed")]
    AnswerTooLong,
    /// A cancelled answer, or the rest of a request that is answered, is longer than what is read and dropped.
    #[error("what nobody waits for is too long to be skipped")]
    DiscardTooLong,
    /// A cancelled answer did not end in time.
    #[error("what nobody waits for did not end in time")]
    DiscardTimeout,
    /// The first frame did not come in time.
    #[error("the first frame did not come in time")]
    FirstFrameTimeout,
    /// A frame or answer did not go on in time.
    #[error("a frame or answer did not go on in time")]
    ProgressTimeout,
    /// An answer did not begin in time.
    #[error("an answer did not begin in time")]
    AnswerTimeout,
    /// Nothing happened for too long.
    #[error("the connection was idle for too long")]
    IdleTimeout,
    /// The peer takes no output.
    #[error("the peer takes no output")]
    WriteStall,
    /// The peer had ended its stream, and the answers were not ready soon enough.
    #[error("answers were not ready soon enough after the peer's end of stream")]
    HalfCloseGrace,
    /// The deadline of a shutdown passed.
    #[error("the deadline of the shutdown passed")]
    ShutdownDeadline,
    /// A streamed answer or request was given up before its end.
    #[error("a streamed answer or request was given up before its end")]
    StreamAbandoned,
    /// The transport failed.
    #[error("the transport failed")]
    TransportFailed,
}

/// Whose doing the end of a connection was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloseCause {
    /// Both ends were done.
    Orderly,
    /// The peer broke the protocol.
    PeerViolation,
    /// A limit or deadline of ours.
    Limit,
    /// Our own caller.
    Caller,
    /// The transport.
    Transport,
}

impl CloseReason {
    /// Whose doing it was.
    #[must_use]
    pub const fn cause(self) -> CloseCause {
        match self {
            Self::PeerClosed | Self::Shutdown => CloseCause::Orderly,
            Self::Frame(error) if matches!(error.kind().fault(), super::FrameFault::Limit) => CloseCause::Limit,
            Self::Framing(FramingFault::TooLong { .. }) => CloseCause::Limit,
            Self::PeerClosedEarly
            | Self::Frame(_)
            | Self::Framing(_)
            | Self::UnexpectedFrame
            | Self::SwitchingProtocols => CloseCause::PeerViolation,
            Self::TooManyBadRequests
            | Self::Overloaded
            | Self::TooManyInterimAnswers
            | Self::TooManyEmptyFrames
            | Self::AnswerTooLong
            | Self::DiscardTooLong
            | Self::DiscardTimeout
            | Self::FirstFrameTimeout
            | Self::ProgressTimeout
            | Self::AnswerTimeout
            | Self::IdleTimeout
            | Self::WriteStall
            | Self::HalfCloseGrace
            | Self::ShutdownDeadline => CloseCause::Limit,
            Self::StreamAbandoned => CloseCause::Caller,
            Self::TransportFailed => CloseCause::Transport,
        }
    }
}
