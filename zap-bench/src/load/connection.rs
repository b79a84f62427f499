//! One connection of the load: what is in flight on it, and since when.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::time::Instant;

use super::call::{Checker, Front};
use super::tally::{Failure, Tally};
use super::target::Stream;

/// What the first read may take. The buffer grows with the answers.
const READ_LEN: usize = 64 << 10;

/// Enough requests in a row are kept to fill one write.
const REQUESTS_LEN: usize = 256 << 10;

/// The request, as often as it is sent in one write.
pub(crate) struct Requests {
    bytes: Vec<u8>,
    one_len: usize,
}

impl Requests {
    pub(crate) fn new(request: &[u8], depth: usize) -> Self {
        let times = depth.min(REQUESTS_LEN / request.len().max(1)).max(1);
        Self { bytes: request.repeat(times), one_len: request.len() }
    }

    pub(crate) fn one_len(&self) -> usize {
        self.one_len
    }
}

pub(crate) struct Connection {
    pub(crate) stream: Stream,
    input: Vec<u8>,
    filled: usize,
    /// When each request in flight was due.
    due: VecDeque<Instant>,
    /// Bytes still to be sent, of requests one after another.
    unsent: usize,
    /// Where in a request the next byte to be sent stands.
    at: usize,
}

impl Connection {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, input: vec![0; READ_LEN], filled: 0, due: VecDeque::new(), unsent: 0, at: 0 }
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.due.len()
    }

    /// When the oldest request in flight was due.
    pub(crate) fn oldest(&self) -> Option<Instant> {
        self.due.front().copied()
    }

    /// Whether bytes wait until the peer takes them.
    pub(crate) fn is_blocked(&self) -> bool {
        self.unsent > 0
    }

    /// One more request, to be sent by the next [`flush`](Self::flush).
    pub(crate) fn queue(&mut self, due: Instant, requests: &Requests) {
        self.due.push_back(due);
        self.unsent += requests.one_len;
    }

    /// Sends what the peer takes.
    pub(crate) fn flush(&mut self, requests: &Requests) -> Result<(), Failure> {
        while self.unsent > 0 {
            let end = requests.bytes.len().min(self.at + self.unsent);
            match self.stream.write(&requests.bytes[self.at..end]) {
                Ok(len) => {
                    self.unsent -= len;
                    self.at = (self.at + len) % requests.one_len;
                }
                Err(error) if is_passing(&error) => break,
                Err(_) => return Err(Failure::Closed),
            }
        }
        Ok(())
    }

    /// Reads once; says how many answers that completed, right or wrong.
    pub(crate) fn receive(&mut self, checker: &mut Checker, tally: &mut Tally) -> Result<usize, Failure> {
        if self.filled == self.input.len() {
            self.input.resize(self.input.len() * 2, 0);
        }
        match self.stream.read(&mut self.input[self.filled..]) {
            Ok(0) => return Err(Failure::Closed),
            Ok(len) => self.filled += len,
            Err(error) if is_passing(&error) => return Ok(0),
            Err(_) => return Err(Failure::Closed),
        }
        let now = Instant::now();
        let (mut at, mut answers) = (0, 0);
        while at < self.filled {
            let front = checker.front(&self.input[at..self.filled]).map_err(|_| Failure::Malformed)?;
            let (len, failure) = match front {
                Front::Incomplete => break,
                Front::Right(len) => (len, None),
                Front::WrongStatus(len) => (len, Some(Failure::Status)),
                Front::WrongBody(len) => (len, Some(Failure::Wrong)),
            };
            // An answer to nothing is none.
            let due = self.due.pop_front().ok_or(Failure::Malformed)?;
            match failure {
                None => tally.answer(now.saturating_duration_since(due)),
                Some(failure) => tally.failed(failure, 1),
            }
            at += len;
            answers += 1;
        }
        self.input.copy_within(at..self.filled, 0);
        self.filled -= at;
        Ok(answers)
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
