//! The task of a connection: moves bytes between its transport and its state until it is closed.
//!
//! A task, and not the calls themselves, moves the bytes, since a connection outlives its calls: an idle one must notice
//! that its peer closed it, and what is left of a cancelled answer must be skipped before the next request.

use std::future::Future;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::{Connection, State};
use super::pool::Shared;
use crate::observe;
use crate::proto::{Close, CloseReason};
use crate::timer::Timer;

/// Bytes that one read takes at most.
const READ_LEN: usize = 16 << 10;
/// Pieces that one write takes at most.
const WRITE_PIECES: usize = 16;

/// After a call was found to have a place on a connection that is to be closed: it may not use it, but drop it.
const EXPIRY_PAUSE: Duration = Duration::from_secs(1);

/// Runs a connection to its end.
pub(super) struct Driver {
    connection: Arc<Connection>,
    pool: Weak<Shared>,
    idle_timeout: Duration,
    max_age: Duration,
    /// Before that, expiry is not looked at.
    not_before: Option<Instant>,
    timer: Timer,
    /// Bytes were written since the last flush.
    unflushed: bool,
    finished: bool,
    observed: observe::Connection,
    /// Whom to wake once the state is unlocked.
    wakers: Vec<Waker>,
}

/// What came of one look at the connection.
enum Turn {
    /// It goes on.
    Waiting,
    /// It has been idle for long enough, or is old.
    Expired,
    Closed(CloseReason),
}

impl Driver {
    pub(super) fn new(connection: Arc<Connection>, shared: &Arc<Shared>) -> Self {
        let observed = observe::Connection::open(observe::Side::Client, &connection.info);
        Self {
            connection,
            observed,
            pool: Arc::downgrade(shared),
            idle_timeout: shared.settings.idle_timeout,
            max_age: shared.settings.max_age,
            not_before: None,
            timer: Timer::default(),
            unflushed: false,
            finished: false,
            wakers: Vec::new(),
        }
    }

    /// Moves what can be moved; how the connection is, and how many calls were completed.
    fn turn(&mut self, context: &mut Context<'_>) -> (Turn, usize) {
        let connection = Arc::clone(&self.connection);
        let state = &mut *connection.lock();
        let in_flight = state.client.in_flight();
        let turn = loop {
            let now = Instant::now();
            state.dispatch(now, &mut self.wakers);
            if let Close::Now(reason) = state.client.poll_close() {
                break Turn::Closed(reason);
            }
            let moved = [self.poll_write(state, context, now), poll_read(state, context, now)];
            if moved.iter().any(Poll::is_ready) {
                continue;
            }
            match self.poll_timer(state, context) {
                Poll::Ready(Turn::Waiting) => {}
                Poll::Ready(turn) => break turn,
                Poll::Pending => break Turn::Waiting,
            }
        };
        self.observed.progress(&state.client);
        let mut completed = in_flight.saturating_sub(state.client.in_flight());
        if completed > 0 {
            completed = completed.saturating_add(std::mem::take(&mut state.further_places));
        }
        if completed > 0 && state.client.in_flight() == 0 {
            state.idle_since = Instant::now();
        }
        self.wakers.extend(state.take_uploader());
        match &turn {
            Turn::Closed(reason) => {
                state.close(*reason, &mut self.wakers);
                self.observed.closed(*reason);
            }
            _ => state.driver = Some(context.waker().clone()),
        }
        (turn, completed)
    }

    fn poll_write(&mut self, state: &mut State, context: &mut Context<'_>, now: Instant) -> Poll<()> {
        let Some(transport) = &mut state.transport else { return Poll::Pending };
        let mut transport = Pin::new(transport);
        let mut pieces = [IoSlice::new(&[]); WRITE_PIECES];
        let filled = state.client.poll_transmit(&mut pieces, now);
        let outcome = match pieces.get(..filled).filter(|pieces| !pieces.is_empty()) {
            Some(pieces) => {
                self.unflushed = true;
                match ready!(transport.poll_write_vectored(context, pieces)) {
                    Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                    written => written,
                }
            }
            None if self.unflushed => {
                let flushed = ready!(transport.as_mut().poll_flush(context));
                self.unflushed = false;
                if flushed.is_ok() {
                    return Poll::Pending;
                }
                flushed.map(|()| 0)
            }
            None => return Poll::Pending,
        };
        match outcome {
            Ok(len) => state.client.transmitted(len, now),
            Err(error) => fail_to_write(state, error, now),
        }
        Poll::Ready(())
    }

    fn poll_timer(&mut self, state: &mut State, context: &mut Context<'_>) -> Poll<Turn> {
        let expiry = if state.client.is_idle() {
            let idle = state.idle_since.checked_add(self.idle_timeout);
            let aged = self.connection.created.checked_add(self.max_age);
            idle.into_iter().chain(aged).min().max(self.not_before)
        } else {
            None
        };
        let Some(deadline) = state.client.poll_timeout().into_iter().chain(expiry).min() else { return Poll::Pending };
        ready!(self.timer.poll(deadline, context));
        let now = Instant::now();
        state.client.handle_timeout(now);
        Poll::Ready(if expiry.is_some_and(|expiry| expiry <= now) { Turn::Expired } else { Turn::Waiting })
    }

    /// Tells the pool and the calls what the turn brought. The state is not locked here.
    fn tell(&mut self, turn: &Turn, completed: usize) {
        if let Some(pool) = self.pool.upgrade() {
            match turn {
                Turn::Closed(_) => pool.remove(&self.connection),
                _ if completed > 0 => pool.release(&self.connection, completed),
                _ => {}
            }
        }
        // After the pool: who is woken finds the connection there.
        self.wakers.drain(..).for_each(Waker::wake);
    }

    /// Closes a connection that was idle for too long, unless a call was given it meanwhile.
    fn retire(&mut self) {
        let retired = self.pool.upgrade().is_none_or(|pool| pool.retire(&self.connection));
        if retired {
            self.connection.shutdown();
        } else {
            self.not_before = Instant::now().checked_add(EXPIRY_PAUSE);
        }
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        let (turn, completed) = this.turn(context);
        this.tell(&turn, completed);
        match turn {
            Turn::Waiting => Poll::Pending,
            Turn::Expired => {
                this.retire();
                // To close, or to set the timer anew.
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Turn::Closed(_) => {
                this.finished = true;
                Poll::Ready(())
            }
        }
    }
}

impl Drop for Driver {
    /// If the runtime drops the task, the calls must not wait for ever.
    fn drop(&mut self) {
        if !self.finished {
            let connection = Arc::clone(&self.connection);
            {
                let state = &mut *connection.lock();
                state.client.transport_failed();
                state.dispatch(Instant::now(), &mut self.wakers);
                state.close(CloseReason::TransportFailed, &mut self.wakers);
            }
            self.tell(&Turn::Closed(CloseReason::TransportFailed), 0);
        }
    }
}

fn poll_read(state: &mut State, context: &mut Context<'_>, now: Instant) -> Poll<()> {
    let Some(transport) = state.transport.as_mut().filter(|_| state.client.wants_read()) else { return Poll::Pending };
    let mut storage = [MaybeUninit::uninit(); READ_LEN];
    let mut buffer = ReadBuf::uninit(&mut storage);
    match ready!(Pin::new(transport).poll_read(context, &mut buffer)) {
        Ok(()) if buffer.filled().is_empty() => state.client.recv_eof(now),
        Ok(()) => state.client.recv(buffer.filled(), now),
        Err(error) => fail(state, error),
    }
    Poll::Ready(())
}

/// A peer that refuses a request may answer and close while it is still being sent: what it sent is read first.
fn fail_to_write(state: &mut State, error: io::Error, now: Instant) {
    let mut storage = [MaybeUninit::uninit(); READ_LEN];
    while state.client.wants_read() {
        let Some(transport) = &mut state.transport else { break };
        let mut buffer = ReadBuf::uninit(&mut storage);
        let read = Pin::new(transport).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer);
        match read {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => state.client.recv(buffer.filled(), now),
            _ => break,
        }
    }
    fail(state, error);
}

fn fail(state: &mut State, error: io::Error) {
    state.error = Some(Arc::new(error));
    state.client.transport_failed();
}
