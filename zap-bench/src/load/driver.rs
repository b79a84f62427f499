//! The loop of one thread of the load: its connections, and when each sends what.
//!
//! It sleeps in `epoll` until a connection has something. Then one read, the check of every answer in it, and, in a closed
//! loop, one write with as many requests as answers came: two system calls besides the wait for however many requests are
//! in flight, fewer than any server needs, so that the server is the busier side.

use std::time::{Duration, Instant};

use rustix::event::{Timespec, epoll};

use super::call::Checker;
use super::connection::{Connection, Requests};
use super::live::Live;
use super::schedule::Schedule;
use super::tally::{Failure, Tally};
use super::target::Place;

/// A connection that cannot be made is tried again after this time.
const RETRY_AFTER: Duration = Duration::from_millis(10);
/// How often times are looked at that are not exact: time limits, connections to be tried again.
const TICK: Duration = Duration::from_millis(50);
/// A wait shorter than this is spent awake: `epoll` wakes up to a millisecond late.
const AWAKE: Duration = Duration::from_millis(2);

/// When requests are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// As soon as an answer came, until the time is over.
    Closed(Duration),
    /// At a rate per second, for some time. The first is due after this part of the interval.
    Open { window: Duration, per_second: f64, phase: f64 },
}

/// What one thread does.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) place: Place,
    /// The request on the wire.
    pub(crate) request: Vec<u8>,
    pub(crate) checker: Checker,
    pub(crate) connections: usize,
    /// Requests in flight on each, at most.
    pub(crate) depth: usize,
    /// A connection for each request.
    pub(crate) churn: bool,
    pub(crate) timeout: Duration,
}

pub(crate) struct Driver {
    place: Place,
    requests: Requests,
    checker: Checker,
    depth: usize,
    churn: bool,
    timeout: Duration,
    epoll: std::os::fd::OwnedFd,
    slots: Vec<Slot>,
    events: Vec<epoll::Event>,
    /// Where the next free connection is looked for.
    turn: usize,
}

/// The place of a connection.
struct Slot {
    connection: Option<Connection>,
    /// What `epoll` was told to watch for.
    watches_writing: bool,
    retry_at: Option<Instant>,
}

/// A run in progress.
struct Run<'r> {
    tally: &'r mut Tally,
    live: Option<&'r Live>,
    /// The due times of an open loop.
    schedule: Option<Schedule>,
    /// Nothing is sent from here on.
    end: Instant,
}

impl Driver {
    /// Connects; one connection that cannot be made is an error here.
    pub(crate) fn new(task: Task) -> Result<Self, String> {
        let Task { place, request, checker, connections, depth, churn, timeout } = task;
        let depth = if churn { 1 } else { depth };
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| error.to_string())?;
        let slots = (0..connections).map(|_| Slot { connection: None, watches_writing: false, retry_at: None });
        let mut driver = Self {
            place,
            requests: Requests::new(&request, depth),
            checker,
            depth,
            churn,
            timeout,
            epoll,
            slots: slots.collect(),
            events: Vec::with_capacity(connections),
            turn: 0,
        };
        if !churn {
            let mut tally = Tally::new();
            for index in 0..connections {
                if !driver.open(index, &mut tally) {
                    return Err(format!("no connection to {:?}", driver.place));
                }
            }
        }
        Ok(driver)
    }

    /// Bytes of a request and its answer, once there was one.
    pub(crate) fn bytes_per_request(&self) -> Option<usize> {
        self.checker.answer_len().map(|answer| answer + self.requests.one_len())
    }

    /// Makes requests for some time, and then waits until every answer is there or its time is over.
    pub(crate) fn run(&mut self, pace: Pace, tally: &mut Tally, live: Option<&Live>) -> Result<(), String> {
        let now = Instant::now();
        let (window, schedule) = match pace {
            Pace::Closed(window) => (window, None),
            Pace::Open { window, per_second, phase } => {
                let start = now + Duration::from_secs_f64(phase / per_second);
                (window, Some(Schedule::new(start, window, per_second)))
            }
        };
        let mut run = Run { tally, live, schedule, end: now + window };
        for index in 0..self.slots.len() {
            self.refill(index, self.depth, now, &mut run);
        }
        let mut tick = now + TICK;
        loop {
            let now = Instant::now();
            self.make_due(now, &mut run);
            if now >= tick {
                self.tick(now, &mut run);
                tick = now + TICK;
            }
            if run.is_over(now, self.timeout) && self.in_flight() == 0 {
                break;
            }
            self.wait(now, tick, &run)?;
            for at in 0..self.events.len() {
                let (data, flags) = (self.events[at].data.u64(), self.events[at].flags);
                self.serve(data as usize, flags, &mut run);
            }
            if let Some(live) = run.live {
                live.show(run.tally);
            }
        }
        run.tally.unsent += run.schedule.map_or(0, |schedule| schedule.left());
        Ok(())
    }

    fn in_flight(&self) -> usize {
        self.slots.iter().filter_map(|slot| slot.connection.as_ref()).map(Connection::in_flight).sum()
    }

    /// Sleeps until a connection has something, or something is due.
    fn wait(&mut self, now: Instant, tick: Instant, run: &Run<'_>) -> Result<(), String> {
        let until_due = run.schedule.as_ref().and_then(Schedule::next).map(|due| due.saturating_duration_since(now));
        let until_end = run.end.checked_duration_since(now).filter(|_| run.schedule.is_none());
        let until_tick = tick.saturating_duration_since(now);
        let mut wait = until_due.into_iter().chain(until_end).fold(until_tick, Duration::min);
        // All connections are busy: nothing can be sent before an answer comes.
        if until_due == Some(Duration::ZERO) && self.slots.iter().all(|slot| !slot.is_free(self.depth)) {
            wait = until_tick;
        }
        let wait = if until_due.is_some() && wait < AWAKE { Duration::ZERO } else { wait };
        let millis = i64::try_from(wait.as_millis()).unwrap_or(0);
        let timeout = Timespec { tv_sec: millis / 1000, tv_nsec: millis % 1000 * 1_000_000 };
        self.events.clear();
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Makes the requests of an open loop that are due, each on the next connection that is free.
    fn make_due(&mut self, now: Instant, run: &mut Run<'_>) {
        if run.schedule.is_none() {
            return;
        }
        let count = self.slots.len();
        let mut looked_at = 0;
        while looked_at < count {
            let index = self.turn;
            let is_free =
                self.slots[index].is_free(self.depth) || (self.churn && self.slots[index].is_open_to_churn(now));
            if !is_free {
                self.turn = (self.turn + 1) % count;
                looked_at += 1;
                continue;
            }
            let Some(due) = run.schedule.as_mut().and_then(|schedule| schedule.take(now)) else { return };
            if let Some(live) = run.live {
                live.show(run.tally);
            }
            self.send(index, 1, due, run);
            self.turn = (self.turn + 1) % count;
            looked_at = 0;
        }
    }

    /// In a closed loop: as many new requests as answers came.
    fn refill(&mut self, index: usize, count: usize, now: Instant, run: &mut Run<'_>) {
        if run.schedule.is_none() && count > 0 && now < run.end {
            self.send(index, count, now, run);
        }
    }

    fn send(&mut self, index: usize, count: usize, due: Instant, run: &mut Run<'_>) {
        if self.slots[index].connection.is_none() && !self.open(index, run.tally) {
            // The request of an open loop is lost with its connection; counted by `open`.
            return;
        }
        let Some(connection) = &mut self.slots[index].connection else { return };
        (0..count).for_each(|_| connection.queue(due, &self.requests));
        match connection.flush(&self.requests) {
            Ok(()) => self.watch_writing(index),
            Err(failure) => self.lose(index, failure, run.tally),
        }
    }

    fn serve(&mut self, index: usize, flags: epoll::EventFlags, run: &mut Run<'_>) {
        let Some(connection) = self.slots.get_mut(index).and_then(|slot| slot.connection.as_mut()) else { return };
        let mut outcome = Ok(0);
        if flags.contains(epoll::EventFlags::OUT) {
            outcome = connection.flush(&self.requests).map(|()| 0);
        }
        if outcome.is_ok() && flags.intersects(!epoll::EventFlags::OUT) {
            outcome = connection.receive(&mut self.checker, run.tally);
        }
        match outcome {
            Err(failure) => self.lose(index, failure, run.tally),
            Ok(0) => self.watch_writing(index),
            Ok(answers) => {
                if self.churn {
                    self.slots[index].connection = None;
                }
                self.refill(index, answers, Instant::now(), run);
            }
        }
    }

    /// Time limits, and connections to be tried again.
    fn tick(&mut self, now: Instant, run: &mut Run<'_>) {
        for index in 0..self.slots.len() {
            let slot = &mut self.slots[index];
            let oldest = slot.connection.as_ref().and_then(Connection::oldest);
            if oldest.is_some_and(|oldest| now.saturating_duration_since(oldest) > self.timeout) {
                self.lose(index, Failure::Timeout, run.tally);
            }
            let slot = &mut self.slots[index];
            if slot.retry_at.is_some_and(|at| at <= now) && (now < run.end || run.has_more()) {
                slot.retry_at = None;
                if run.schedule.is_none() {
                    self.refill(index, self.depth, now, run);
                } else if !self.churn {
                    self.open(index, run.tally);
                }
            }
        }
    }

    /// Connects. Says whether that worked.
    fn open(&mut self, index: usize, tally: &mut Tally) -> bool {
        let slot = &mut self.slots[index];
        let connected = self.place.connect().ok().filter(|stream| {
            let data = epoll::EventData::new_u64(index as u64);
            epoll::add(&self.epoll, stream, data, epoll::EventFlags::IN).is_ok()
        });
        slot.watches_writing = false;
        slot.connection = connected.map(Connection::new);
        if slot.connection.is_none() {
            tally.failed(Failure::Connect, 1);
            slot.retry_at = Some(Instant::now() + RETRY_AFTER);
        }
        slot.connection.is_some()
    }

    /// Closes a connection; what was in flight on it failed.
    fn lose(&mut self, index: usize, failure: Failure, tally: &mut Tally) {
        if let Some(connection) = self.slots[index].connection.take() {
            // One that fails while idle is a failure, too.
            tally.failed(failure, connection.in_flight().max(1));
            self.slots[index].retry_at = Some(Instant::now() + RETRY_AFTER);
        }
    }

    /// Has `epoll` say when the peer takes bytes, if some wait for that.
    fn watch_writing(&mut self, index: usize) {
        let slot = &mut self.slots[index];
        let Some(connection) = &slot.connection else { return };
        if connection.is_blocked() != slot.watches_writing {
            slot.watches_writing = connection.is_blocked();
            let flags = epoll::EventFlags::IN;
            let flags = if slot.watches_writing { flags | epoll::EventFlags::OUT } else { flags };
            let data = epoll::EventData::new_u64(index as u64);
            let _ = epoll::modify(&self.epoll, &connection.stream, data, flags);
        }
    }
}

impl Slot {
    fn is_free(&self, depth: usize) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.in_flight() < depth)
    }

    /// Whether a new connection may be made for a request.
    fn is_open_to_churn(&self, now: Instant) -> bool {
        self.connection.is_none() && self.retry_at.is_none_or(|at| at <= now)
    }
}

impl Run<'_> {
    /// Whether an open loop still has requests to make.
    fn has_more(&self) -> bool {
        self.schedule.as_ref().and_then(Schedule::next).is_some()
    }

    /// Whether nothing more is to be sent. What an open loop could not send in time is sent late, but not for ever.
    fn is_over(&self, now: Instant, patience: Duration) -> bool {
        match &self.schedule {
            None => now >= self.end,
            Some(schedule) => (now >= self.end && schedule.next().is_none()) || now >= self.end + patience,
        }
    }
}
