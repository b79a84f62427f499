//! Requests being written.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use super::{Call, CallId, Client, Phase, RequestError, Stage};
use crate::proto::deframe::StreamEnd;
use crate::proto::encode::{Draft, Options};
use crate::proto::output::Mark;

/// A request being written: headers, then a body, then trailers.
///
/// Dropped unfinished, it is not made.
#[derive(Debug)]
pub struct RequestWriter<'c> {
    client: &'c mut Client,
    /// Where the output was before.
    mark: Mark,
    /// The frame being written; `None` once it is finished.
    draft: Option<Draft>,
    head: bool,
    idempotent: bool,
    sent_from: u64,
}

impl<'c> RequestWriter<'c> {
    pub(super) fn begin(client: &'c mut Client, method: &[u8], target: &[u8]) -> Result<Self, RequestError> {
        if client.phase != Phase::Open {
            return Err(RequestError::Closed);
        }
        let idempotent = matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE" | b"PUT" | b"DELETE");
        let queues = !client.in_flight.is_empty();
        let full = client.in_flight.len() >= client.config.max_in_flight;
        if full || (queues && !idempotent && !client.config.queue_unsafe) {
            return Err(RequestError::Busy);
        }
        let options = Options::frame(client.config.frame.max_frame_len);
        let mark = client.output.mark();
        let sent_from = client.output.stream_position();
        let draft = Draft::request(&mut client.output.buffer, options, method, target)?;
        Ok(Self { client, mark, draft: Some(draft), head: method == b"HEAD", idempotent, sent_from })
    }

    /// Appends a header. Order, repetition and spelling are kept.
    ///
    /// # Errors
    ///
    /// The name is not a token, the value has a control byte other than tab, a body was given already, or the frame would
    /// be too long.
    pub fn header(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, RequestError> {
        let (draft, out) = self.parts()?;
        draft.header(out, name.as_ref(), value.as_ref())?;
        Ok(self)
    }

    /// Appends a copy of the body.
    ///
    /// # Errors
    ///
    /// A body was given already, or the frame would be too long.
    pub fn body(&mut self, body: &[u8]) -> Result<&mut Self, RequestError> {
        let (draft, out) = self.parts()?;
        draft.body(out, body)?;
        Ok(self)
    }

    /// Appends the body: sent from where it is if it is longer than
    /// [`max_copied_len`](super::ClientConfig::max_copied_len), copied otherwise.
    ///
    /// # Errors
    ///
    /// As [`body`](Self::body).
    pub fn body_shared(&mut self, body: Bytes) -> Result<&mut Self, RequestError> {
        if body.len() <= self.client.config.max_copied_len {
            return self.body(&body);
        }
        let (draft, out) = self.parts()?;
        draft.body_elsewhere(out, body.len())?;
        let at = out.len();
        self.client.output.share(at, body);
        Ok(self)
    }

    /// Appends a trailer.
    ///
    /// # Errors
    ///
    /// The name is not a token or one that only headers may have, the value has a control byte other than tab, or the
    /// frame would be too long.
    pub fn trailer(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, RequestError> {
        let (draft, out) = self.parts()?;
        draft.trailer(out, name.as_ref(), value.as_ref())?;
        Ok(self)
    }

    /// Completes the request.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn finish(mut self) -> Result<CallId, RequestError> {
        let draft = self.draft.take().ok_or(RequestError::Closed)?;
        if let Err(error) = draft.finish(&mut self.client.output.buffer) {
            self.client.output.rollback(self.mark);
            return Err(error.into());
        }
        let id = CallId(self.client.next_call);
        let call = Call {
            id,
            head: self.head,
            idempotent: self.idempotent,
            cancelled: false,
            sent_from: self.sent_from,
            frames_before: self.client.frames_begun(),
            since: self.client.clock.now,
            stage: Stage::Waiting,
            interim_answers: 0,
            empty_frames: 0,
            body_len: 0,
            discarded: 0,
            answer_seen: false,
        };
        let client = &mut *self.client;
        client.next_call = client.next_call.saturating_add(1);
        client.counts.requests = client.counts.requests.saturating_add(1);
        client.in_flight.push_back(call);
        Ok(id)
    }

    fn parts(&mut self) -> Result<(&mut Draft, &mut Vec<u8>), RequestError> {
        let draft = self.draft.as_mut().ok_or(RequestError::Closed)?;
        Ok((draft, &mut self.client.output.buffer))
    }
}

impl Drop for RequestWriter<'_> {
    fn drop(&mut self) {
        if self.draft.take().is_some() {
            self.client.output.rollback(self.mark);
        }
    }
}

impl Client {
    /// Frames that have come, or begun to.
    fn frames_begun(&self) -> u64 {
        let partial = u64::from(self.input.end() != StreamEnd::Clean);
        self.counts.frames.saturating_add(partial)
    }
}
