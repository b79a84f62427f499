//! Answers that are written apart from their connection, so that it can send and receive meanwhile.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use super::{Answer, AnswerError, Current, Server};
use crate::proto::encode::{Draft, Options};
use crate::proto::error::EncodeError;
use crate::proto::output::KEEP_LEN;
use crate::proto::status::is_bodiless;
use crate::proto::wire::FrameType;

/// An answer with a buffer of its own, lent by [`Server::detach`] and brought back by [`Server::attach`]. It stays where it
/// is from one answer to the next: moving it would cost more than writing a small one.
#[derive(Debug)]
pub(crate) struct Detached {
    /// Holds this answer and nothing else.
    buffer: Vec<u8>,
    /// `None` until the status is given.
    draft: Option<Draft>,
    /// A body that is not in the buffer.
    shared: Option<Bytes>,
    options: Options<'static>,
    max_copied_len: usize,
    status: u16,
    /// The request's method is `HEAD`.
    head: bool,
    bodiless: bool,
}

impl Detached {
    /// None yet: a server lends it all that it needs.
    pub(crate) fn new() -> Self {
        let (buffer, options) = (Vec::new(), Options::frame(0));
        Self { buffer, draft: None, shared: None, options, max_copied_len: 0, status: 0, head: false, bodiless: false }
    }

    /// Begins the answer; what was written before is dropped.
    pub(crate) fn begin(&mut self, status: u16, reason: &[u8]) -> Result<(), AnswerError> {
        self.buffer.clear();
        self.shared = None;
        self.draft = None;
        if (100..200).contains(&status) {
            return Err(AnswerError::Interim);
        }
        self.status = status;
        self.bodiless = self.head || is_bodiless(status);
        self.draft = Some(Draft::response(&mut self.buffer, self.options, FrameType::Response, status, reason)?);
        Ok(())
    }

    pub(crate) fn header(&mut self, name: &[u8], value: &[u8]) -> Result<(), AnswerError> {
        let draft = self.draft.as_mut().ok_or(AnswerError::NoRequest)?;
        Ok(draft.header(&mut self.buffer, name, value)?)
    }

    /// A copy of the body, in place; apart only if it does not fit into the frame.
    pub(crate) fn body(&mut self, body: &[u8]) -> Result<(), AnswerError> {
        let draft = self.draft.as_mut().ok_or(AnswerError::NoRequest)?;
        if self.bodiless {
            return Ok(());
        }
        if body.len() <= draft.room(&self.buffer) {
            return Ok(draft.body(&mut self.buffer, body)?);
        }
        self.shared = Some(Bytes::copy_from_slice(body));
        Ok(())
    }

    pub(crate) fn body_shared(&mut self, body: Bytes) -> Result<(), AnswerError> {
        if body.len() <= self.max_copied_len {
            return self.body(&body);
        }
        if !self.bodiless {
            self.shared = Some(body);
        }
        Ok(())
    }

    /// Appends a trailer behind the body, which must be in place.
    pub(crate) fn trailer(&mut self, name: &[u8], value: &[u8]) -> Result<(), AnswerError> {
        let draft = self.draft.as_mut().ok_or(AnswerError::NoRequest)?;
        match &self.shared {
            _ if self.bodiless => Ok(()),
            Some(body) => Err(EncodeError::TooLong { len: body.len() as u64 }.into()),
            None => Ok(draft.trailer(&mut self.buffer, name, value)?),
        }
    }

    /// Whether the answer has no body, whatever it is given.
    pub(crate) const fn is_bodiless(&self) -> bool {
        self.bodiless
    }
}

impl Server {
    /// Lends `answer` a buffer for the answer to the request at hand.
    pub(crate) fn detach(&mut self, answer: &mut Detached) {
        answer.buffer = core::mem::take(&mut self.detached);
        answer.draft = None;
        answer.shared = None;
        answer.options = self.options();
        answer.max_copied_len = self.config.max_copied_len;
        answer.head = matches!(self.current, Some(Current::Unanswered { head: true }));
    }

    /// Takes the buffer back, and with it the whole answer.
    ///
    /// # Errors
    ///
    /// No request waits, the answer was not begun, or it is too long.
    pub(crate) fn finish_detached(&mut self, answer: &mut Detached) -> Result<(), AnswerError> {
        if answer.shared.is_some() || !matches!(self.current, Some(Current::Unanswered { .. })) {
            return self.attach(answer)?.finish();
        }
        // A frame that is complete is appended as it is: cheaper than to go on with it elsewhere.
        answer.draft.as_ref().ok_or(EncodeError::OutOfOrder)?.complete(&mut answer.buffer)?;
        answer.draft = None;
        if self.output.buffer.is_empty() {
            core::mem::swap(&mut self.output.buffer, &mut answer.buffer);
        } else {
            self.output.buffer.extend_from_slice(&answer.buffer);
        }
        self.reclaim(answer);
        self.output.frame_written();
        self.last_status = answer.status;
        self.told |= self.options().low_flags != 0;
        self.answered();
        Ok(())
    }

    /// Takes the buffer back, and goes on with the answer behind the output.
    ///
    /// # Errors
    ///
    /// No request waits, or the answer was not begun.
    pub(crate) fn attach(&mut self, answer: &mut Detached) -> Result<Answer<'_>, AnswerError> {
        self.last_status = answer.status;
        let (draft, bodiless, shared) = (answer.draft.take(), answer.bodiless, answer.shared.take());
        let mark = self.output.mark();
        let draft = draft.map(|draft| draft.relocate(&mut answer.buffer, &mut self.output.buffer));
        self.reclaim(answer);
        let mut answer = Answer::resume(self, mark, draft, bodiless)?;
        if let Some(shared) = shared {
            answer.body_shared(shared)?;
        }
        Ok(answer)
    }

    /// Takes the buffer back, and drops what was written into it.
    pub(crate) fn reclaim(&mut self, answer: &mut Detached) {
        (answer.draft, answer.shared) = (None, None);
        let mut buffer = core::mem::take(&mut answer.buffer);
        buffer.clear();
        if buffer.capacity() <= KEEP_LEN {
            self.detached = buffer;
        }
    }
}
