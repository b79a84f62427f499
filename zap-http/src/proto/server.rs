//! The server's end of a connection: requests in order, their answers in the same order.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod answer;
mod deadlines;
#[cfg(feature = "server")]
mod detached;
mod ending;
mod upload;

use std::io::IoSlice;
use std::time::Instant;

use super::chunks::Chunks;
use super::config::{CloseReason, ServerConfig};
use super::deframe::{Batch, Deframer, StreamEnd};
use super::encode::{Draft, Options};
use super::error::{EncodeError, FrameError, FrameFault};
use super::frame::{Request, RequestHead};
use super::output::Output;
use super::status::reason_of;
use super::wire::{FrameType, STREAMS};

pub use answer::Answer;
use deadlines::Clock;
#[cfg(feature = "server")]
pub(crate) use detached::Detached;
pub use upload::RequestPart;
use upload::Upload;

/// The server's end of a connection, without I/O: bytes and the time go in, bytes and deadlines come out.
///
/// Whoever owns the socket gives what it reads to [`recv`](Self::recv), serves the requests that are complete, and writes
/// what [`poll_transmit`](Self::poll_transmit) gives. All requests of one read can be answered before anything is
/// written. After each step [`poll_close`](Self::poll_close) says whether the connection goes on, and
/// [`wants_read`](Self::wants_read) whether to read: not while much output waits.
///
/// Frames that are refused are answered here. A request left unanswered when the next is asked for is answered 500.
///
/// # Examples
///
/// ```
/// use std::io::IoSlice;
/// use std::time::Instant;
/// use zap_http::proto::{Close, Encoder, Next, Server, ServerConfig};
///
/// # let mut wire = Vec::new();
/// # for target in ["/a", "/b"] {
/// #     Encoder::frame(&mut wire).request("GET", target)?.finish()?;
/// # }
/// let now = Instant::now();
/// let mut server = Server::new(ServerConfig::default(), now);
/// server.recv(&wire, now); // two requests
///
/// let mut batch = server.take_batch(now);
/// while let Next::Request(request) = server.next_request(&mut batch) {
///     let mut answer = server.respond(200)?;
///     answer.header("content-type", "text/plain")?.body(request.target())?;
///     answer.finish()?;
/// }
/// server.return_batch(batch, now);
///
/// let mut pieces = [IoSlice::new(&[]); 8];
/// let filled = server.poll_transmit(&mut pieces, now);
/// assert_eq!(filled, 1); // one write for both answers
/// let written = pieces[0].len(); // = socket.write_vectored(&pieces[..filled])
/// server.transmitted(written, now);
/// assert_eq!(server.poll_close(), Close::Open);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    config: ServerConfig,
    input: Deframer,
    /// The buffer for the next batch; `None` while a batch is out.
    spare: Option<Vec<u8>>,
    /// Frames of the batch that is out and were not begun.
    batch_left: usize,
    /// Bytes of the batch that is out.
    batch_len: usize,
    /// There is no memory for more requests: those not taken out were dropped, and 503 comes after the others' answers.
    overloaded: bool,
    output: Output,
    /// The buffer for the next answer that is written apart from the output.
    detached: Vec<u8>,
    current: Option<Current>,
    phase: Phase,
    /// Why the connection ends; set as soon as it does not go on.
    reason: Option<CloseReason>,
    peer_done: bool,
    /// The body of the last request, which is streamed, has not ended.
    upload: Option<Upload>,
    /// The last request said that the peer knows streamed requests.
    peer_streams: bool,
    /// An answer told the peer that it may stream requests.
    told: bool,
    bad_requests: u32,
    /// Of the answer that was begun last.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    last_status: u16,
    counts: ServerCounts,
    clock: Clock,
}

/// The request being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Current {
    /// No answer yet.
    Unanswered {
        /// The method is `HEAD`.
        head: bool,
    },
    /// The head of a streamed answer was written.
    Streaming {
        /// The answer has no body: what is streamed is dropped.
        bodiless: bool,
    },
}

/// How far the connection is on its way to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Reading and serving.
    Open,
    /// No further request is taken; what was read is served.
    Finishing,
    /// Nothing more is served; the output is sent.
    Flushing {
        /// Then read and drop for a while, so that the peer sees the answer before a reset.
        drain: bool,
    },
    /// All was sent; what comes is dropped.
    Draining {
        until: Option<Instant>,
        left: usize,
    },
    Closed,
}

/// What a server's connection has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerCounts {
    /// Bytes received.
    pub received_len: u64,
    /// Complete frames received.
    pub frames: u64,
    /// Requests answered in full, by the caller or with a 500 in its place.
    pub answered: u64,
    /// Frames answered with a refusal.
    pub refused: u64,
    /// Requests whose answer was given up.
    pub abandoned: u64,
    /// Data and ends of streamed requests.
    pub parts: u64,
    /// Complete frames that were never begun because the connection ended.
    pub dropped: u64,
    /// Bytes sent.
    pub sent_len: u64,
    /// Frames written to be sent.
    pub sent_frames: u64,
}

/// What [`Server::next_request`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next<'b> {
    /// A request to answer.
    Request(Request<'b>),
    /// The head of a streamed request to answer, whose body comes from [`Server::next_part`]: only if
    /// [`ServerConfig::stream_requests`] is set.
    Head(RequestHead<'b>),
    /// Too much output waits: transmit, then ask again with the same batch.
    OutputFull,
    /// The batch has no further request: return it.
    Done,
}

/// Why an answer is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// No request waits for an answer, or no stream for data.
    #[error("no request waits for this")]
    NoRequest,
    /// The connection is closed.
    #[error("the connection is closed")]
    Closed,
    /// Interim answers are not sent on this wire: peers take the first frame for the answer.
    #[error("an interim answer cannot be sent")]
    Interim,
    /// What was given cannot be written, or does not fit.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl Server {
    /// A connection that was just accepted.
    #[must_use]
    pub fn new(config: ServerConfig, now: Instant) -> Self {
        let clock = Clock {
            now,
            opened: now,
            received: now,
            active: now,
            reading: true,
            stalled: None,
            grace: None,
            shutdown: None,
        };
        Self {
            input: Deframer::new(config.frame.max_frame_len),
            config,
            spare: Some(Vec::new()),
            batch_left: 0,
            batch_len: 0,
            overloaded: false,
            output: Output::default(),
            detached: Vec::new(),
            current: None,
            phase: Phase::Open,
            reason: None,
            peer_done: false,
            upload: None,
            peer_streams: false,
            told: false,
            bad_requests: 0,
            last_status: 0,
            counts: ServerCounts::default(),
            clock,
        }
    }

    /// Takes bytes of the peer. What is wrong with them shows as answers, and in [`poll_close`](Self::poll_close).
    pub fn recv(&mut self, bytes: &[u8], now: Instant) {
        let receives = self.receives();
        match &mut self.phase {
            Phase::Open | Phase::Finishing if receives => {
                self.take_in(bytes.len(), now, |input| input.recv(bytes));
            }
            Phase::Draining { left, .. } => match left.checked_sub(bytes.len()) {
                Some(rest) => *left = rest,
                None => self.close(),
            },
            Phase::Open | Phase::Finishing | Phase::Flushing { .. } | Phase::Closed => {}
        }
        self.settle_at(now);
    }

    /// The buffer that what is received belongs to, if it is to be appended there, and how many bytes of it at most; tell
    /// [`received`](Self::received) then. `None` where it is to be given to [`recv`](Self::recv).
    #[cfg(feature = "server")]
    pub(crate) fn room(&mut self) -> Option<(&mut Vec<u8>, usize)> {
        if !self.receives() {
            return None;
        }
        let ahead = self.has_work() && !self.waits_for_part();
        let max_len = if ahead { self.config.max_ahead_len.saturating_sub(self.input.len()) } else { usize::MAX };
        self.input.room().filter(|_| max_len > 0).map(|buffer| (buffer, max_len))
    }

    /// So many bytes were appended to the buffer.
    #[cfg(feature = "server")]
    pub(crate) fn received(&mut self, len: usize, now: Instant) {
        self.take_in(len, now, Deframer::received);
        self.settle_at(now);
    }

    /// Counts what comes in.
    fn take_in(&mut self, len: usize, now: Instant, receive: impl FnOnce(&mut Deframer)) {
        let frames = self.input.frames();
        receive(&mut self.input);
        let more = self.input.frames().saturating_sub(frames) as u64;
        self.counts.frames = self.counts.frames.saturating_add(more);
        self.counts.received_len = self.counts.received_len.saturating_add(len as u64);
        self.clock.received = now;
        self.clock.active = now;
    }

    /// Whether what comes is still taken: when stopping, only the body of the request being served.
    fn receives(&self) -> bool {
        match self.phase {
            _ if self.overloaded => false,
            Phase::Open => true,
            Phase::Finishing => self.upload.is_some() && self.current.is_some() && !self.peer_done,
            Phase::Flushing { .. } | Phase::Draining { .. } | Phase::Closed => false,
        }
    }

    /// The peer ended its stream. What it sent before is still answered, for [`ServerConfig::half_close_grace`].
    pub fn recv_eof(&mut self, now: Instant) {
        self.peer_done = true;
        match self.phase {
            Phase::Open if self.input.fault().is_none() && !self.overloaded => {
                let clean = self.input.end() == StreamEnd::Clean && self.upload.is_none();
                self.finish_with(if clean { CloseReason::PeerClosed } else { CloseReason::PeerClosedEarly });
                self.clock.grace = now.checked_add(self.config.half_close_grace);
            }
            Phase::Finishing => self.clock.grace = now.checked_add(self.config.half_close_grace),
            Phase::Draining { .. } => self.close(),
            Phase::Open | Phase::Flushing { .. } | Phase::Closed => {}
        }
        self.settle_at(now);
    }

    /// Whether bytes should be read now.
    #[must_use]
    pub fn wants_read(&self) -> bool {
        match self.phase {
            Phase::Open | Phase::Finishing if self.receives() => {
                let near = self.input.len() < self.config.max_ahead_len;
                let room = !self.has_work() || near || self.waits_for_part();
                room && self.input.fault().is_none() && !self.is_output_full()
            }
            // What comes is dropped; but that the peer is gone is noticed, and its request given up.
            Phase::Finishing => self.current.is_some() && !self.peer_done && !self.overloaded,
            Phase::Draining { .. } => true,
            Phase::Open | Phase::Flushing { .. } | Phase::Closed => false,
        }
    }

    /// The number of complete requests that wait to be taken out.
    #[must_use]
    pub const fn waiting(&self) -> usize {
        self.input.frames()
    }

    /// Takes out all complete requests, so that they can be borrowed while the connection goes on. There is one batch at
    /// a time: until it is [returned](Self::return_batch), further ones are empty.
    #[must_use]
    pub fn take_batch(&mut self, now: Instant) -> Batch {
        let batch = match self.spare.take_if(|_| self.input.frames() > 0) {
            Some(spare) => self.input.take_batch(spare),
            None => Batch::default(),
        };
        self.batch_left = self.batch_left.saturating_add(batch.frames());
        self.batch_len = self.batch_len.saturating_add(batch.buffer_len());
        self.settle_at(now);
        batch
    }

    /// Gives a batch back, and with it its buffer. Requests left in it are dropped: that ends the connection.
    pub fn return_batch(&mut self, batch: Batch, now: Instant) {
        if batch.frames() > 0 {
            self.drop_batch();
            self.end_with(CloseReason::StreamAbandoned, false);
        }
        let mut spare = batch.into_spare();
        // An empty batch that was given while another is out has no buffer.
        if spare.capacity() > 0 {
            if spare.capacity() > super::output::KEEP_LEN {
                spare = Vec::new();
            }
            self.spare = Some(spare);
            self.batch_len = 0;
        }
        self.settle_at(now);
    }

    /// The next request of a batch. A request before it that has no answer yet is answered 500; a stream before it that
    /// has no end is given up, which ends the connection.
    #[inline(always)]
    pub fn next_request<'b>(&mut self, batch: &'b mut Batch) -> Next<'b> {
        let (buffer, mut cursor) = batch.split();
        loop {
            self.give_up();
            if !matches!(self.phase, Phase::Open | Phase::Finishing) {
                cursor.finish();
                self.drop_batch();
                self.settle();
                return Next::Done;
            }
            if self.is_output_full() {
                return Next::OutputFull;
            }
            let Some(frame) = cursor.next(buffer) else {
                self.settle();
                return Next::Done;
            };
            self.batch_left = self.batch_left.saturating_sub(1);
            if self.upload.is_some() {
                self.skip_part(frame);
                continue;
            }
            let request = match self.take_head(frame) {
                Some(Ok(head)) => {
                    self.current = Some(Current::Unanswered { head: head.method() == b"HEAD" });
                    return Next::Head(head);
                }
                Some(Err(error)) => Err(error),
                None => Request::decode(frame, &self.config.frame),
            };
            match request {
                Ok(request) => {
                    self.current = Some(Current::Unanswered { head: request.method() == b"HEAD" });
                    return Next::Request(request);
                }
                Err(error) => self.refuse(error),
            }
        }
    }

    /// Begins the answer to the request at hand, with the usual reason of `status`. Answers to `HEAD`, and those of status
    /// 204 and 304, are sent without the body and trailers that they are given.
    ///
    /// # Errors
    ///
    /// No request waits, the connection is closed, or the status is not within 200 to 999.
    #[inline]
    pub fn respond(&mut self, status: u16) -> Result<Answer<'_>, AnswerError> {
        self.respond_with_reason(status, reason_of(status))
    }

    /// As [`respond`](Self::respond), with a reason.
    ///
    /// # Errors
    ///
    /// As [`respond`](Self::respond), or the reason has a control byte.
    #[inline]
    pub fn respond_with_reason(&mut self, status: u16, reason: impl AsRef<[u8]>) -> Result<Answer<'_>, AnswerError> {
        Answer::begin(self, status, reason.as_ref())
    }

    /// Whether a request waits for its answer, or for the end of a streamed one.
    #[must_use]
    pub fn is_answering(&self) -> bool {
        self.current.is_some()
    }

    /// Whether so much output waits that a stream should pause.
    #[must_use]
    pub fn is_output_full(&self) -> bool {
        self.output.len() > self.config.max_output_len
    }

    /// Gives up the request at hand: 500 if nothing was answered; a stream cannot be mended, and ends the connection.
    pub fn give_up(&mut self) {
        match self.current.take() {
            None => return,
            Some(Current::Unanswered { .. }) => {
                self.counts.answered = self.counts.answered.saturating_add(1);
                self.write_error(500);
            }
            Some(Current::Streaming { .. }) => {
                self.counts.abandoned = self.counts.abandoned.saturating_add(1);
                self.end_with(CloseReason::StreamAbandoned, false);
            }
        }
        self.settle();
    }

    /// Fills `pieces` with what to write next, and says how many there are; none while there is nothing to write.
    pub fn poll_transmit<'s>(&'s mut self, pieces: &mut [IoSlice<'s>], now: Instant) -> usize {
        self.settle_at(now);
        if self.clock.stalled.is_none() && !self.output.is_empty() {
            self.clock.stalled = Some(now);
        }
        self.output.pieces(pieces)
    }

    /// Whether there is output in more than one piece.
    #[cfg(feature = "server")]
    pub(crate) fn shares_output(&self) -> bool {
        self.output.shares()
    }

    /// So many bytes of the output were written.
    pub fn transmitted(&mut self, len: usize, now: Instant) {
        if len > 0 {
            self.output.advance(len);
            self.clock.active = now;
            self.clock.stalled = (!self.output.is_empty()).then_some(now);
        }
        self.settle_at(now);
    }

    /// What the connection has seen.
    #[must_use]
    pub const fn counts(&self) -> ServerCounts {
        ServerCounts { sent_len: self.output.total_sent(), sent_frames: self.output.frames(), ..self.counts }
    }

    /// The status of the answer that was begun last, ours or the caller's.
    #[cfg(feature = "server")]
    #[cfg_attr(not(any(feature = "tracing", feature = "metrics")), allow(dead_code))]
    pub(crate) const fn last_status(&self) -> u16 {
        self.last_status
    }

    /// Whether nothing is being received, served or sent.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.phase == Phase::Open
            && !self.has_work()
            && self.upload.is_none()
            && self.input.is_empty()
            && self.output.is_empty()
    }

    /// Bytes of requests that were received and are not yet answered: of a batch that is out, all of it.
    #[must_use]
    pub fn in_flight_len(&self) -> usize {
        self.input.len().saturating_add(self.batch_len)
    }

    /// Bytes that the connection's buffers take; a batch that is out, and bodies that are sent from where they are, not
    /// counted.
    #[must_use]
    pub fn memory(&self) -> usize {
        let spare = self.spare.as_ref().map_or(0, Vec::capacity);
        [self.output.capacity(), self.detached.capacity(), spare]
            .into_iter()
            .fold(self.input.capacity(), usize::saturating_add)
    }

    /// Gives the memory of empty buffers back: what happens after [`ServerConfig::release_after`].
    pub fn release_buffers(&mut self) {
        self.input.release();
        self.output.release();
        self.detached = Vec::new();
        if let Some(spare) = &mut self.spare {
            *spare = Vec::new();
        }
    }

    /// What must hold after every step; for tests.
    ///
    /// # Errors
    ///
    /// What does not.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.output.check_invariants()?;
        let counts = &self.counts;
        let waiting = self.batch_left.saturating_add(self.input.frames()) as u64;
        let done = [counts.answered, counts.refused, counts.abandoned, counts.parts, counts.dropped, waiting];
        let begun = u64::from(self.current.is_some());
        if done.iter().fold(begun, |sum, part| sum.saturating_add(*part)) != counts.frames {
            return Err("a frame is neither waiting nor served nor given up");
        }
        if self.reason.is_some() != (self.phase != Phase::Open) {
            return Err("a connection that ends has no reason, or one that goes on has one");
        }
        if self.phase == Phase::Closed && (self.current.is_some() || !self.output.is_empty()) {
            return Err("a closed connection has work");
        }
        if self.batch_left > 0 && self.spare.is_some() {
            return Err("a batch is out and in");
        }
        let room = counts.received_len.saturating_mul(2).saturating_add(4096);
        if self.input.capacity() as u64 > room {
            return Err("the receive buffer has outgrown what was received");
        }
        Ok(())
    }

    /// How frames are begun.
    fn options(&self) -> Options<'static> {
        let low_flags = if self.peer_streams { STREAMS } else { 0 };
        Options { low_flags, ..Options::frame(self.config.frame.max_frame_len) }
    }

    fn chunks(&self) -> Chunks {
        let (max_data_len, max_copied_len) = (self.config.max_data_len, self.config.max_copied_len);
        Chunks { options: self.options(), max_data_len, max_copied_len }
    }

    /// Whether frames wait or are being served.
    fn has_work(&self) -> bool {
        self.current.is_some() || self.batch_left > 0 || self.input.frames() > 0
    }

    /// Answers a frame that is refused, and ends the connection if the frame is broken or there were too many.
    fn refuse(&mut self, error: FrameError) {
        self.counts.refused = self.counts.refused.saturating_add(1);
        crate::observe::frame_refused(error);
        self.write_error(error.kind().status());
        self.bad_requests = self.bad_requests.saturating_add(1);
        if error.kind().fault() == FrameFault::Malformed {
            self.end_with(CloseReason::Frame(error), false);
        } else if self.bad_requests >= self.config.max_bad_requests {
            self.end_with(CloseReason::TooManyBadRequests, false);
        }
    }

    /// An answer of ours: no headers, no body.
    fn write_error(&mut self, status: u16) {
        let options = self.options();
        let reason = reason_of(status).as_bytes();
        self.last_status = status;
        let written = Draft::response(&mut self.output.buffer, options, FrameType::Response, status, reason)
            .and_then(|draft| draft.complete(&mut self.output.buffer));
        if written.is_ok() {
            self.output.frame_written();
        } else {
            // The limit has no room for any answer. Later answers must not be taken for this one.
            self.end_with(CloseReason::StreamAbandoned, false);
        }
    }
}
