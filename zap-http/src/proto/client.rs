//! The client's end of a connection: requests, and their answers in the same order.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod request;

use std::collections::VecDeque;
use std::io::IoSlice;
use std::time::{Duration, Instant};

use super::config::{ClientConfig, Close, CloseReason};

use super::deframe::{Batch, Deframer, StreamEnd};
use super::error::EncodeError;
use super::frame::{Data, End, Frame, Response, ResponseHead};
use super::output::{KEEP_LEN, Output};
use super::status::is_bodiless;
use super::wire::{STREAMS, flags_of};

pub use request::RequestWriter;

/// The client's end of a connection, without I/O: bytes and the time go in, bytes and deadlines come out.
///
/// Whoever owns the socket writes what [`poll_transmit`](Self::poll_transmit) gives and gives what it reads to
/// [`recv`](Self::recv); answers come out as [`Event`]s. Once the connection is closed, [`lost`](Self::lost) tells which
/// requests had no answer, and which of them may be sent again elsewhere.
///
/// # Examples
///
/// ```
/// use std::io::IoSlice;
/// use std::time::Instant;
/// use zap_http::proto::{Client, ClientConfig, Encoder, Event};
///
/// let now = Instant::now();
/// let mut client = Client::new(ClientConfig::default(), now);
/// let mut request = client.request("GET", "/stations", now)?;
/// request.header("host", "survey.example")?;
/// let call = request.finish()?;
///
/// let mut pieces = [IoSlice::new(&[]); 4];
/// let filled = client.poll_transmit(&mut pieces, now);
/// let written = pieces[..filled].iter().map(|piece| piece.len()).sum(); // = socket.write_vectored(&pieces[..filled])
/// client.transmitted(written, now);
///
/// # let mut wire = Vec::new();
/// # let mut response = Encoder::frame(&mut wire).response(200, "OK")?;
/// # response.body(b"[]")?;
/// # response.finish()?;
/// client.recv(&wire, now);
/// let mut batch = client.take_batch(now);
/// while let Some(event) = client.next_event(&mut batch) {
///     let Event::Response(answered, response) = event else { panic!("a whole answer") };
///     assert_eq!((answered, response.status(), response.body()), (call, 200, &b"[]"[..]));
/// }
/// client.return_batch(batch, now);
/// assert!(client.is_idle());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Client {
    config: ClientConfig,
    input: Deframer,
    /// The buffer for the next batch; `None` while a batch is out.
    spare: Option<Vec<u8>>,
    /// Frames of the batch that is out and were not taken.
    batch_left: usize,
    output: Output,
    /// Requests without a complete answer, in order.
    in_flight: VecDeque<Call>,
    next_call: u64,
    /// The request whose body is being streamed: the last one in flight.
    sending: Option<CallId>,
    /// The last answer said that the peer knows streamed requests.
    peer_streams: bool,
    phase: Phase,
    /// Why the connection ends; set as soon as it does not go on.
    reason: Option<CloseReason>,
    counts: ClientCounts,
    clock: Clock,
}

/// Names a request of a connection until its answer is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(u64);

/// A request that has no complete answer.
#[derive(Debug)]
struct Call {
    id: CallId,
    head: bool,
    idempotent: bool,
    cancelled: bool,
    /// Where in all that is ever sent its first byte lies.
    sent_from: u64,
    /// Frames that had come, or begun to, before it was made: none of them can be its answer.
    frames_before: u64,
    /// When it was sent, became the first, or had an interim answer.
    since: Instant,
    stage: Stage,
    interim_answers: u32,
    /// Empty data frames in a row.
    empty_frames: u32,
    /// Bytes of its answer's body.
    body_len: u64,
    /// Bytes of its answer's frames that were dropped.
    discarded: usize,
    /// A part of its answer was received.
    answer_seen: bool,
}

/// How far an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Streaming {
        /// Data and trailers are dropped.
        bodiless: bool,
    },
}

/// How far the connection is on its way to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Sending and receiving.
    Open,
    /// No request can be added; the answers to those in flight are received.
    Finishing,
    /// Nothing can be sent or received; what was received is taken out.
    Emptying,
    Closed,
}

/// The times that deadlines count from.
#[derive(Debug)]
struct Clock {
    /// The last time we were told.
    now: Instant,
    /// The last receipt, or when reading was resumed.
    received: Instant,
    /// Whether reading was wanted when we were last told the time.
    reading: bool,
    /// Since when output waits without any being taken.
    stalled: Option<Instant>,
    /// Since when we wait for what nobody else waits for.
    discarding: Option<Instant>,
}

/// What a client's connection has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCounts {
    /// Bytes received.
    pub received_len: u64,
    /// Complete frames received.
    pub frames: u64,
    /// Frames taken out.
    pub taken: u64,
    /// Frames that were never taken out because the connection ended.
    pub dropped: u64,
    /// Requests made.
    pub requests: u64,
    /// Requests answered in full.
    pub answered: u64,
    /// Bytes sent.
    pub sent_len: u64,
    /// Frames written to be sent.
    pub sent_frames: u64,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'b> {
    /// A whole answer. One to `HEAD`, or of status 204 or 304, is shown without body and trailers.
    Response(CallId, Response<'b>),
    /// The head of a streamed answer: data and the end follow.
    Head(CallId, ResponseHead<'b>),
    /// A piece of a streamed answer; never empty.
    Data(CallId, Data<'b>),
    /// The end of a streamed answer. Without it the answer is not complete.
    End(CallId, End<'b>),
}

/// A request that a closed connection left without a complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// Which.
    pub call: CallId,
    /// A byte of it was handed to the transport.
    pub sent: bool,
    /// A byte of its answer may have come.
    pub answer_seen: bool,
    /// To do it twice is to do it once: its method is `GET`, `HEAD`, `OPTIONS`, `TRACE`, `PUT` or `DELETE`.
    pub idempotent: bool,
}

impl Lost {
    /// Whether it may be sent again on another connection: if no byte of it went out; or if it is idempotent and no byte
    /// of an answer came in.
    #[must_use]
    pub const fn may_retry(self) -> bool {
        !self.sent || (self.idempotent && !self.answer_seen)
    }
}

/// Why a request is not made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The connection is closed or about to be.
    #[error("the connection is closed")]
    Closed,
    /// As many requests as allowed wait for their answers, or this one may not queue behind others.
    #[error("the connection is busy")]
    Busy,
    /// The peer has not said on this connection that it takes streamed requests.
    #[error("the peer takes whole requests only")]
    WholeOnly,
    /// No request is being streamed.
    #[error("no request is being streamed")]
    NoRequest,
    /// What was given cannot be written, or does not fit.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

impl Client {
    /// A connection that was just made.
    #[must_use]
    pub fn new(config: ClientConfig, now: Instant) -> Self {
        Self {
            input: Deframer::new(config.frame.max_frame_len),
            config,
            spare: Some(Vec::new()),
            batch_left: 0,
            output: Output::default(),
            in_flight: VecDeque::new(),
            next_call: 0,
            sending: None,
            peer_streams: false,
            phase: Phase::Open,
            reason: None,
            counts: ClientCounts::default(),
            clock: Clock { now, received: now, reading: true, stalled: None, discarding: None },
        }
    }

    /// Begins a request.
    ///
    /// # Errors
    ///
    /// The connection is closed or busy, or the method or target is not one.
    pub fn request(
        &mut self,
        method: impl AsRef<[u8]>,
        target: impl AsRef<[u8]>,
        now: Instant,
    ) -> Result<RequestWriter<'_>, RequestError> {
        self.settle_at(now);
        RequestWriter::begin(self, method.as_ref(), target.as_ref())
    }

    /// Drops the answer to a request when it comes, up to limits of length and time; beyond them the connection ends. So it
    /// does if the request's body has not ended.
    pub fn cancel(&mut self, call: CallId) {
        if self.sending == Some(call) {
            return self.close_with(CloseReason::StreamAbandoned);
        }
        if let Some(call) = self.in_flight.iter_mut().find(|other| other.id == call) {
            call.cancelled = true;
        }
    }

    /// Takes bytes of the peer.
    pub fn recv(&mut self, bytes: &[u8], now: Instant) {
        if matches!(self.phase, Phase::Open | Phase::Finishing) && !bytes.is_empty() {
            let frames = self.input.frames();
            self.input.recv(bytes);
            let more = self.input.frames().saturating_sub(frames) as u64;
            self.counts.frames = self.counts.frames.saturating_add(more);
            self.counts.received_len = self.counts.received_len.saturating_add(bytes.len() as u64);
            self.clock.received = now;
            if let Some(call) = self.in_flight.front_mut() {
                call.answer_seen = true;
            }
        }
        self.settle_at(now);
    }

    /// The peer ended its stream. What it sent before can still be taken out.
    pub fn recv_eof(&mut self, now: Instant) {
        let clean = self.in_flight.is_empty() && self.input.end() == StreamEnd::Clean;
        self.empty_with(if clean { CloseReason::PeerClosed } else { CloseReason::PeerClosedEarly });
        self.settle_at(now);
    }

    /// The transport failed: nothing can be sent or received any more. What came before can still be taken out.
    pub fn transport_failed(&mut self) {
        self.empty_with(CloseReason::TransportFailed);
        self.settle();
    }

    /// Takes no further requests, and closes once those in flight are answered.
    pub fn shutdown(&mut self, now: Instant) {
        if self.phase == Phase::Open {
            self.phase = Phase::Finishing;
            self.reason = Some(CloseReason::Shutdown);
        }
        self.settle_at(now);
    }

    /// Whether bytes should be read now. Also an idle connection should be watched: bytes, or an end, close it.
    #[must_use]
    pub fn wants_read(&self) -> bool {
        let room = !self.has_frames() || self.input.len() < self.config.max_ahead_len;
        matches!(self.phase, Phase::Open | Phase::Finishing) && room && self.input.fault().is_none()
    }

    /// Takes out all complete frames, so that they can be borrowed while the connection goes on. There is one batch at a
    /// time: until it is [returned](Self::return_batch), further ones are empty.
    #[must_use]
    pub fn take_batch(&mut self, now: Instant) -> Batch {
        let batch = match self.spare.take_if(|_| self.input.frames() > 0) {
            Some(spare) => self.input.take_batch(spare),
            None => Batch::default(),
        };
        self.batch_left = self.batch_left.saturating_add(batch.frames());
        self.settle_at(now);
        batch
    }

    /// Gives a batch back, and with it its buffer. Frames left in it are dropped: that ends the connection.
    pub fn return_batch(&mut self, batch: Batch, now: Instant) {
        if batch.frames() > 0 {
            self.close_with(CloseReason::StreamAbandoned);
        }
        let mut spare = batch.into_spare();
        // An empty batch that was given while another is out has no buffer.
        if spare.capacity() > 0 {
            if spare.capacity() > KEEP_LEN {
                spare = Vec::new();
            }
            self.spare = Some(spare);
        }
        self.settle_at(now);
    }

    /// The next part of an answer in a batch; none if it has no further one: return it then.
    pub fn next_event<'b>(&mut self, batch: &'b mut Batch) -> Option<Event<'b>> {
        let (buffer, mut cursor) = batch.split();
        loop {
            if self.phase == Phase::Closed {
                cursor.finish();
                return None;
            }
            let Some(frame) = cursor.next(buffer) else {
                self.settle();
                return None;
            };
            self.batch_left = self.batch_left.saturating_sub(1);
            self.counts.taken = self.counts.taken.saturating_add(1);
            match self.take(frame) {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(reason) => self.close_with(reason),
            }
        }
    }

    /// What a frame means for the first request in flight.
    fn take<'b>(&mut self, frame: &'b [u8]) -> Result<Option<Event<'b>>, CloseReason> {
        let call = self.in_flight.front_mut().ok_or(CloseReason::UnexpectedFrame)?;
        if self.counts.taken <= call.frames_before {
            return Err(CloseReason::UnexpectedFrame);
        }
        if call.cancelled {
            call.discarded = call.discarded.saturating_add(frame.len());
            if call.discarded > self.config.max_discard_len {
                return Err(CloseReason::DiscardTooLong);
            }
        }
        let frame_flags = flags_of(frame);
        let frame = Frame::decode(frame, &self.config.frame).map_err(CloseReason::Frame)?;
        if let Frame::Response(_) | Frame::ResponseHead(_) = frame {
            self.peer_streams = self.config.stream_requests && frame_flags & STREAMS != 0;
        }
        let event = call.take(frame, &self.config)?;
        let cancelled = call.cancelled;
        match event {
            Taken::Interim => call.since = self.clock.now,
            Taken::Part(_) | Taken::Nothing => {}
            Taken::Last(_) => self.answered(),
        }
        Ok(match event {
            Taken::Part(event) | Taken::Last(event) if !cancelled => Some(event),
            _ => None,
        })
    }

    /// The first request in flight has its answer.
    fn answered(&mut self) {
        let answered = self.in_flight.pop_front();
        self.counts.answered = self.counts.answered.saturating_add(1);
        if self.sending.is_some() && answered.map(|call| call.id) == self.sending {
            // The peer wants no more of the request, and what follows could not be told from its body.
            self.empty_with(CloseReason::StreamAbandoned);
        }
        // The next one to be dropped has as long.
        self.clock.discarding = None;
        // What else has come begins the next answer.
        let more = self.has_frames() || !self.input.is_empty();
        if let Some(next) = self.in_flight.front_mut() {
            next.since = self.clock.now;
            next.answer_seen = more;
        }
    }

    /// Fills `pieces` with what to write next, and says how many there are; none while there is nothing to write.
    pub fn poll_transmit<'s>(&'s mut self, pieces: &mut [IoSlice<'s>], now: Instant) -> usize {
        self.settle_at(now);
        if self.clock.stalled.is_none() && !self.output.is_empty() {
            self.clock.stalled = Some(now);
        }
        self.output.pieces(pieces)
    }

    /// So many bytes of the output were written.
    pub fn transmitted(&mut self, len: usize, now: Instant) {
        if len > 0 {
            self.output.advance(len);
            self.clock.stalled = (!self.output.is_empty()).then_some(now);
            // An answer is due once its request is out, and that may have taken long.
            if let Some(call) = self.in_flight.front_mut().filter(|_| self.output.is_empty()) {
                call.since = now;
            }
        }
        self.settle_at(now);
    }

    /// What is to be done with the socket.
    #[must_use]
    pub fn poll_close(&self) -> Close {
        match self.phase {
            Phase::Closed => Close::Now(self.reason.unwrap_or(CloseReason::Shutdown)),
            Phase::Open | Phase::Finishing | Phase::Emptying => Close::Open,
        }
    }

    /// The requests without a complete answer. Final once the connection is closed.
    pub fn lost(&self) -> impl Iterator<Item = Lost> + '_ {
        let total_sent = self.output.total_sent();
        self.in_flight.iter().map(move |call| Lost {
            call: call.id,
            sent: total_sent > call.sent_from,
            answer_seen: call.answer_seen,
            idempotent: call.idempotent,
        })
    }

    /// When [`handle_timeout`](Self::handle_timeout) must be called, if nothing happens before.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines().into_iter().flatten().map(|(deadline, _)| deadline).min()
    }

    /// Closes the connection if a deadline has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.settle_at(now);
        let passed =
            self.deadlines().into_iter().flatten().filter(|(deadline, _)| *deadline <= now).min_by_key(|d| d.0);
        if let Some((_, reason)) = passed {
            self.close_with(reason);
        }
    }

    fn deadlines(&self) -> [Option<(Instant, CloseReason)>; 5] {
        let clock = &self.clock;
        let receiving = matches!(self.phase, Phase::Open | Phase::Finishing) && clock.reading;
        let after = |since: Instant, timeout: Duration, reason| since.checked_add(timeout).map(|at| (at, reason));
        // While frames wait to be taken out, it is not the peer that is late.
        let front = self.in_flight.front().filter(|_| receiving && !self.has_frames());
        let inside = self.input.end() != StreamEnd::Clean;
        let answer = front
            .filter(|call| call.stage == Stage::Waiting && !inside && self.output.is_empty() && self.sending.is_none())
            .and_then(|call| {
                let since = call.since;
                after(since, self.config.answer_timeout?, CloseReason::AnswerTimeout)
            });
        let stream = front
            .filter(|call| call.stage != Stage::Waiting)
            .and_then(|_| after(clock.received, self.config.stream_timeout?, CloseReason::ProgressTimeout));
        let progress = || after(clock.received, self.config.progress_timeout, CloseReason::ProgressTimeout);
        let stall = |since| after(since, self.config.write_stall_timeout, CloseReason::WriteStall);
        [
            answer,
            stream,
            (receiving && inside).then(progress).flatten(),
            clock.stalled.filter(|_| !self.output.is_empty()).and_then(stall),
            clock.discarding.and_then(|since| after(since, self.config.discard_timeout, CloseReason::DiscardTimeout)),
        ]
    }

    /// What the connection has seen.
    #[must_use]
    pub const fn counts(&self) -> ClientCounts {
        ClientCounts { sent_len: self.output.total_sent(), sent_frames: self.output.frames(), ..self.counts }
    }

    /// Requests without a complete answer.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    /// Whether the connection can be kept for a later request: it is open, and nothing is being sent or received.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        let quiet = self.in_flight.is_empty() && self.output.is_empty() && self.sending.is_none();
        self.phase == Phase::Open && quiet && !self.has_frames() && self.input.is_empty()
    }

    /// Gives the memory of empty buffers back: for a connection that has been idle for a while.
    pub fn release_buffers(&mut self) {
        self.input.release();
        self.output.release();
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
        if counts.taken.saturating_add(counts.dropped).saturating_add(waiting) != counts.frames {
            return Err("a frame is neither waiting nor taken nor dropped");
        }
        if counts.answered.saturating_add(self.in_flight.len() as u64) != counts.requests {
            return Err("a request is neither answered nor in flight");
        }
        if self.reason.is_some() != (self.phase != Phase::Open) {
            return Err("a connection that ends has no reason, or one that goes on has one");
        }
        if self.batch_left > 0 && self.spare.is_some() {
            return Err("a batch is out and in");
        }
        if self.phase == Phase::Closed && (!self.output.is_empty() || waiting > 0) {
            return Err("a closed connection has work");
        }
        if self.in_flight.len() > self.config.max_in_flight {
            return Err("more requests are in flight than allowed");
        }
        if self.in_flight.iter().skip(1).any(|call| call.answer_seen || call.stage != Stage::Waiting) {
            return Err("an answer was taken for a request that is not the first");
        }
        Ok(())
    }

    fn has_frames(&self) -> bool {
        self.batch_left > 0 || self.input.frames() > 0
    }

    /// Takes the next step towards the end, where one is due.
    fn settle(&mut self) {
        if self.phase == Phase::Closed || self.has_frames() {
            return;
        }
        let reason = match self.phase {
            _ if self.input.fault().is_some() => self.input.fault().map(CloseReason::Framing),
            Phase::Emptying => self.reason,
            // Bytes that nobody asked for would be taken for the answer to the next request.
            _ if self.in_flight.is_empty() && !self.input.is_empty() => Some(CloseReason::UnexpectedFrame),
            Phase::Finishing if self.in_flight.is_empty() => self.reason,
            _ => None,
        };
        if let Some(reason) = reason {
            self.close_with(reason);
        }
    }

    fn settle_at(&mut self, now: Instant) {
        self.clock.now = now;
        self.settle();
        let reading = self.wants_read();
        if reading && !self.clock.reading {
            self.clock.received = now;
        }
        self.clock.reading = reading;
        self.clock.discarding = if self.discards() { self.clock.discarding.or(Some(now)) } else { None };
    }

    /// Whether the answer that comes next is nobody's, and nobody waits behind it; or it is a stream, which may have no end.
    fn discards(&self) -> bool {
        self.in_flight.front().is_some_and(|front| {
            front.cancelled && (front.stage != Stage::Waiting || self.in_flight.iter().all(|call| call.cancelled))
        })
    }

    /// Receives nothing more; ends once all that came is taken out.
    fn empty_with(&mut self, reason: CloseReason) {
        if matches!(self.phase, Phase::Open | Phase::Finishing) {
            self.phase = Phase::Emptying;
            self.reason = Some(reason);
        }
    }

    fn close_with(&mut self, reason: CloseReason) {
        if self.phase == Phase::Closed {
            return;
        }
        self.phase = Phase::Closed;
        self.reason = Some(reason);
        self.sending = None;
        self.output.clear();
        let waiting = core::mem::take(&mut self.batch_left).saturating_add(self.input.clear());
        self.counts.dropped = self.counts.dropped.saturating_add(waiting as u64);
    }
}

/// What a frame was for the first request in flight.
enum Taken<'b> {
    Interim,
    Nothing,
    Part(Event<'b>),
    Last(Event<'b>),
}

impl Call {
    fn take<'b>(&mut self, frame: Frame<'b>, config: &ClientConfig) -> Result<Taken<'b>, CloseReason> {
        self.answer_seen = true;
        let bodiless = |status| self.head || is_bodiless(status);
        match (frame, self.stage) {
            (Frame::Response(response), Stage::Waiting) => {
                if response.status() < 200 {
                    return self.interim(response.status(), config);
                }
                if bodiless(response.status()) {
                    return Ok(Taken::Last(Event::Response(self.id, response.without_body())));
                }
                self.count_body(response.body(), config)?;
                Ok(Taken::Last(Event::Response(self.id, response)))
            }
            (Frame::ResponseHead(head), Stage::Waiting) => {
                if head.status() < 200 {
                    return self.interim(head.status(), config);
                }
                self.stage = Stage::Streaming { bodiless: bodiless(head.status()) };
                Ok(Taken::Part(Event::Head(self.id, head)))
            }
            (Frame::Data(data), Stage::Streaming { bodiless }) => {
                if data.chunk().is_empty() {
                    self.empty_frames = self.empty_frames.saturating_add(1);
                    let too_many = self.empty_frames > config.max_empty_frames;
                    return if too_many { Err(CloseReason::TooManyEmptyFrames) } else { Ok(Taken::Nothing) };
                }
                self.empty_frames = 0;
                self.count_body(data.chunk(), config)?;
                Ok(if bodiless { Taken::Nothing } else { Taken::Part(Event::Data(self.id, data)) })
            }
            (Frame::End(end), Stage::Streaming { bodiless }) => {
                let end = if bodiless { End::without_trailers() } else { end };
                Ok(Taken::Last(Event::End(self.id, end)))
            }
            _ => Err(CloseReason::UnexpectedFrame),
        }
    }

    fn interim<'b>(&mut self, status: u16, config: &ClientConfig) -> Result<Taken<'b>, CloseReason> {
        self.interim_answers = self.interim_answers.saturating_add(1);
        if status == 101 {
            return Err(CloseReason::SwitchingProtocols);
        }
        let too_many = self.interim_answers > config.max_interim_answers;
        if too_many { Err(CloseReason::TooManyInterimAnswers) } else { Ok(Taken::Interim) }
    }

    fn count_body(&mut self, bytes: &[u8], config: &ClientConfig) -> Result<(), CloseReason> {
        self.body_len = self.body_len.saturating_add(bytes.len() as u64);
        match config.max_answer_len {
            Some(max) if self.body_len > max => Err(CloseReason::AnswerTooLong),
            _ => Ok(()),
        }
    }
}
