//! One connection as its calls see it: requests go in, answers come out.
//!
//! The state is shared between the calls and the connection's task, the [driver](super::driver), which alone moves bytes.
//! A call writes its request into the state and wakes the driver; the driver puts answers into the calls' slots and wakes
//! them. So a call costs no channel, and a call that is dropped leaves nothing behind: its slot is gone.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, response};
use http_body::Frame;

use super::AnyError;
use super::error::{CallError, CloseError, Failure};
use super::outgoing::{Outgoing, WriteError};
use super::transport::Transport;
use crate::convert::{self, ConvertError};
use crate::proto::{self, Batch, CallId, ClientConfig, CloseReason, Event, RequestError, Response};
use crate::{Body, Target};

/// Bytes of a streamed answer that wait for its reader; with more nothing further is taken for it.
const MAX_QUEUED_LEN: usize = 64 << 10;

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) target: Target,
    pub(super) created: Instant,
    state: Mutex<State>,
}

/// What calls and driver share.
#[derive(Debug)]
pub(super) struct State {
    pub(super) client: proto::Client,
    /// `None` once the connection is closed.
    pub(super) transport: Option<Transport>,
    /// Frames being taken; kept while the reader of a streamed answer is slow.
    batch: Option<Batch>,
    /// Calls that were made and are neither given back nor dropped.
    slots: Vec<Slot>,
    /// The call whose streamed answer is being received.
    streaming: Option<CallId>,
    /// The task that streams the body of a request, when it waits for room.
    uploader: Option<Waker>,
    /// The driver's waker.
    pub(super) driver: Option<Waker>,
    /// Why the transport failed.
    pub(super) error: Option<Arc<io::Error>>,
    /// Set once the connection is closed.
    closed: Option<CloseError>,
    pub(super) idle_since: Instant,
    /// Places that the call which is streaming its request has beside its own.
    pub(super) further_places: usize,
}

/// A call's part of an answer that it has not taken yet.
#[derive(Debug)]
struct Slot {
    call: CallId,
    waker: Option<Waker>,
    head: Option<Head>,
    chunks: VecDeque<Bytes>,
    queued_len: usize,
    end: Option<Result<Option<HeaderMap>, CallError>>,
}

/// The first part of an answer.
#[derive(Debug)]
pub(super) enum Head {
    /// The answer is whole.
    Whole(response::Parts, Body),
    /// Its body is still to come.
    Streamed(response::Parts),
}

/// How a streamed request can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Upload {
    /// There is room for more.
    Room,
    /// It is answered, dropped, or its connection is closed.
    Over,
}

/// Why a request was not sent.
#[derive(Debug)]
pub(super) enum SendError {
    /// The connection is closed.
    Closed {
        failure: Failure,
        /// It had been used before.
        reused: bool,
    },
    /// Another call was faster: the request may not queue behind it.
    Busy,
    /// The request cannot be written.
    Refused(RequestError),
    Convert(ConvertError),
}

impl Connection {
    /// A connection that was just made.
    pub(super) fn new(id: u64, target: Target, transport: Transport, config: ClientConfig) -> Self {
        let now = Instant::now();
        let state = State {
            client: proto::Client::new(config, now),
            transport: Some(transport),
            batch: None,
            slots: Vec::new(),
            streaming: None,
            uploader: None,
            driver: None,
            error: None,
            closed: None,
            idle_since: now,
            further_places: 0,
        };
        Self { id, target, created: now, state: Mutex::new(state) }
    }

    /// The state. No code of a caller's runs while it is locked, so a panic inside is ours, and the next user of the
    /// connection sees what it left.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request, which takes so many places, and says whether the connection had been used before; `streamed`:
    /// only its head.
    pub(super) fn send(
        self: &Arc<Self>,
        request: &Outgoing,
        streamed: bool,
        places: usize,
    ) -> Result<(Call, bool), SendError> {
        let now = Instant::now();
        let mut state = self.lock();
        if state.client.in_flight() == 0 && state.transport.as_ref().is_some_and(Transport::is_readable) {
            // Bytes that nobody asked for, or the end: they must not be taken for the answer to this request.
            state.client.shutdown(now);
        }
        let reused = state.client.counts().requests > 0;
        let sent = request.write(&mut state.client, &self.target, streamed, now);
        let outcome = match sent {
            Ok(id) => {
                state.slots.push(Slot::new(id));
                state.further_places = places.saturating_sub(1);
                Ok((Call { connection: Arc::clone(self), id }, reused))
            }
            Err(WriteError::Request(RequestError::Closed)) => {
                Err(SendError::Closed { failure: state.unsent(), reused })
            }
            Err(WriteError::Request(RequestError::Busy)) => Err(SendError::Busy),
            Err(WriteError::Request(error)) => Err(SendError::Refused(error)),
            Err(WriteError::Convert(error)) => Err(SendError::Convert(error)),
        };
        let driver = state.driver.take();
        drop(state);
        driver.into_iter().for_each(Waker::wake);
        outcome
    }

    /// Whether a request can be streamed; unknown before the first answer.
    pub(super) fn can_stream(&self) -> Option<bool> {
        let client = &self.lock().client;
        (client.counts().answered > 0).then(|| client.can_stream())
    }

    /// Whether there is room for more of a streamed request's body.
    pub(super) fn poll_upload(&self, call: CallId, context: &Context<'_>) -> Poll<Upload> {
        let mut state = self.lock();
        if state.closed.is_some() || state.client.sending() != Some(call) {
            return Poll::Ready(Upload::Over);
        }
        // Also while there is room: the call may end before the body goes on.
        state.uploader = Some(context.waker().clone());
        if state.client.is_output_full() { Poll::Pending } else { Poll::Ready(Upload::Room) }
    }

    /// Writes a part of a streamed request's body, unless the call has ended.
    pub(super) fn upload(&self, call: CallId, write: impl FnOnce(&mut proto::Client) -> Result<(), RequestError>) {
        let mut state = self.lock();
        if state.client.sending() == Some(call) && write(&mut state.client).is_err() {
            // Without its end the request means nothing.
            state.client.cancel(call);
        }
        let driver = state.driver.take();
        drop(state);
        driver.into_iter().for_each(Waker::wake);
    }

    /// Ends a call whose request's body failed, and with it the connection.
    pub(super) fn fail_upload(&self, call: CallId, error: AnyError) {
        let mut state = self.lock();
        let mut waker = None;
        if let Some(slot) = state.slot(call).filter(|slot| slot.end.is_none()) {
            slot.end = Some(Err(CallError::Upload(error)));
            waker = slot.waker.take();
        }
        if state.client.sending() == Some(call) {
            state.client.cancel(call);
        }
        let driver = state.driver.take();
        drop(state);
        driver.into_iter().chain(waker).for_each(Waker::wake);
    }

    /// Closes the connection once the calls in flight have their answers.
    pub(super) fn shutdown(&self) {
        let mut state = self.lock();
        state.client.shutdown(Instant::now());
        let driver = state.driver.take();
        drop(state);
        driver.into_iter().for_each(Waker::wake);
    }
}

/// A request that was sent. Dropped before its answer is complete, it is cancelled.
#[derive(Debug)]
pub(super) struct Call {
    connection: Arc<Connection>,
    id: CallId,
}

impl Call {
    pub(super) fn id(&self) -> CallId {
        self.id
    }

    pub(super) fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// The head of the answer, or all of it.
    pub(super) fn poll_head(&self, context: &Context<'_>) -> Poll<Result<Head, CallError>> {
        let mut state = self.connection.lock();
        let Some(slot) = state.slot(self.id) else { return Poll::Pending };
        if let Some(head) = slot.head.take() {
            // What ended the answer since is for the reader of its body.
            return Poll::Ready(Ok(head));
        }
        match slot.end.take_if(|end| end.is_err()) {
            Some(Err(error)) => Poll::Ready(Err(error)),
            _ => slot.wait(context),
        }
    }

    /// The next piece of a streamed answer's body.
    pub(super) fn poll_frame(&self, context: &Context<'_>) -> Poll<Option<Result<Frame<Bytes>, CallError>>> {
        let mut state = self.connection.lock();
        let Some(slot) = state.slot(self.id) else { return Poll::Ready(None) };
        if let Some(chunk) = slot.chunks.pop_front() {
            let was_full = slot.is_full();
            slot.queued_len = slot.queued_len.saturating_sub(chunk.len());
            let driver = if was_full && !slot.is_full() { state.driver.take() } else { None };
            drop(state);
            driver.into_iter().for_each(Waker::wake);
            return Poll::Ready(Some(Ok(Frame::data(chunk))));
        }
        match slot.end.take() {
            None => slot.wait(context),
            Some(end) => {
                slot.end = Some(Ok(None));
                Poll::Ready(end.map(|trailers| trailers.map(Frame::trailers)).transpose())
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.connection.lock();
        let Some(index) = state.slots.iter().position(|slot| slot.call == self.id) else { return };
        let slot = state.slots.swap_remove(index);
        // If the answer is complete, there is nothing to cancel.
        state.client.cancel(self.id);
        let driver = if slot.end.is_none() { state.driver.take() } else { None };
        drop(state);
        driver.into_iter().for_each(Waker::wake);
    }
}

impl Slot {
    fn new(call: CallId) -> Self {
        Self { call, waker: None, head: None, chunks: VecDeque::new(), queued_len: 0, end: None }
    }

    fn wait<T>(&mut self, context: &Context<'_>) -> Poll<T> {
        match &mut self.waker {
            Some(waker) => waker.clone_from(context.waker()),
            None => self.waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn is_full(&self) -> bool {
        self.queued_len >= MAX_QUEUED_LEN
    }
}

impl State {
    fn slot(&mut self, call: CallId) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.call == call)
    }

    fn unsent(&self) -> Failure {
        let cause = self.closed.clone().unwrap_or_else(|| CloseError::new(CloseReason::PeerClosed, None));
        Failure::unsent(cause)
    }

    /// Puts what has come into the calls' slots, as long as there is room in them.
    pub(super) fn dispatch(&mut self, now: Instant, wakers: &mut Vec<Waker>) {
        loop {
            let full = self.streaming.and_then(|call| self.slot(call)).is_some_and(|slot| slot.is_full());
            if full {
                return;
            }
            // A batch that was kept may have been taken out to its last frame, and others have come since.
            let (mut batch, more) = match self.batch.take() {
                Some(batch) => (batch, true),
                None => {
                    let batch = self.client.take_batch(now);
                    let more = batch.frames() > 0;
                    (batch, more)
                }
            };
            match self.client.next_event(&mut batch) {
                Some(event) => {
                    let slots = &mut self.slots;
                    let part = Part::of(event, &mut self.streaming);
                    if let Some(slot) = slots.iter_mut().find(|slot| slot.call == part.call) {
                        wakers.extend(slot.put(part));
                    }
                    self.batch = Some(batch);
                }
                None => {
                    self.client.return_batch(batch, now);
                    if !more {
                        return;
                    }
                }
            }
        }
    }

    /// The uploader, if it can go on, or has nothing more to do.
    pub(super) fn take_uploader(&mut self) -> Option<Waker> {
        let waits = self.closed.is_none() && self.client.sending().is_some() && self.client.is_output_full();
        if waits { None } else { self.uploader.take() }
    }

    /// Tells all calls without a complete answer that the connection ended.
    pub(super) fn close(&mut self, reason: CloseReason, wakers: &mut Vec<Waker>) {
        let cause = CloseError::new(reason, self.error.take());
        for (index, lost) in self.client.lost().enumerate() {
            if let Some(slot) = self.slots.iter_mut().find(|slot| slot.call == lost.call) {
                slot.end.get_or_insert_with(|| Err(CallError::Lost(Failure::of(lost, index == 0, cause.clone()))));
                wakers.extend(slot.waker.take());
            }
        }
        self.closed = Some(cause);
        wakers.extend(self.uploader.take());
        self.transport = None;
    }
}

/// An event, copied out of its batch.
struct Part {
    call: CallId,
    content: Result<Content, ConvertError>,
}

enum Content {
    Head(Head),
    Data(Bytes),
    End(Option<HeaderMap>),
}

impl Part {
    fn of(event: Event<'_>, streaming: &mut Option<CallId>) -> Self {
        let (call, content) = match event {
            Event::Response(call, response) => (call, whole(&response)),
            Event::Head(call, head) => {
                *streaming = Some(call);
                (call, convert::response_parts(&head).map(|parts| Content::Head(Head::Streamed(parts))))
            }
            Event::Data(call, data) => (call, Ok(Content::Data(Bytes::copy_from_slice(data.chunk())))),
            Event::End(call, end) => {
                *streaming = None;
                (call, trailers(end.trailers()).map(Content::End))
            }
        };
        Self { call, content }
    }
}

impl Slot {
    /// Takes a part of the answer; the waker of whoever waits for it.
    fn put(&mut self, part: Part) -> Option<Waker> {
        match part.content {
            Ok(Content::Head(head)) => {
                if let Head::Whole(..) = head {
                    self.end = Some(Ok(None));
                }
                self.head = Some(head);
            }
            Ok(Content::Data(chunk)) => {
                self.queued_len = self.queued_len.saturating_add(chunk.len());
                self.chunks.push_back(chunk);
            }
            Ok(Content::End(trailers)) => drop(self.end.get_or_insert(Ok(trailers))),
            // The rest of the answer is of no use; the caller drops the call, which cancels it.
            Err(error) => self.end = Some(Err(CallError::Refused(error))),
        }
        self.waker.take()
    }
}

fn whole(response: &Response<'_>) -> Result<Content, ConvertError> {
    let parts = convert::response_parts(&response.head())?;
    let body = Body::from(Bytes::copy_from_slice(response.body()));
    let body = match trailers(response.trailers())? {
        Some(trailers) => body.with_trailers(trailers),
        None => body,
    };
    Ok(Content::Head(Head::Whole(parts, body)))
}

fn trailers(block: proto::Headers<'_>) -> Result<Option<HeaderMap>, ConvertError> {
    if block.is_empty() { Ok(None) } else { convert::trailers(block).map(Some) }
}
