//! Requests being written.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use super::{Call, CallId, Client, Phase, RequestError, Stage};
use crate::proto::chunks::Chunks;
use crate::proto::deframe::StreamEnd;
use crate::proto::encode::{Draft, Encoded, Options};
use crate::proto::error::EncodeError;
use crate::proto::output::Mark;
use crate::proto::wire::STREAMS;

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
        let full = client.in_flight.len() >= client.config.max_in_flight || client.sending.is_some();
        if full || (queues && !idempotent && !client.config.queue_unsafe) {
            return Err(RequestError::Busy);
        }
        let options = client.options();
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
    pub fn finish(self) -> Result<CallId, RequestError> {
        self.finish_frame(|draft, out| draft.complete(out), false)
    }

    /// Completes the head. The body follows by [`Client::data`] and [`Client::end`]; until it has ended, no other request
    /// can be made.
    ///
    /// # Errors
    ///
    /// The peer does not take [streamed requests](crate::proto#streamed-requests), or a body or trailer was given already.
    pub fn stream(mut self) -> Result<CallId, RequestError> {
        if !self.client.can_stream() {
            return Err(RequestError::WholeOnly);
        }
        if !self.draft.as_ref().is_some_and(Draft::takes_body) {
            return Err(EncodeError::OutOfOrder.into());
        }
        // By the time that it would have to be sent again, its body may be gone.
        self.idempotent = false;
        self.finish_frame(Draft::complete_as_head, true)
    }

    fn finish_frame(
        mut self,
        finish: impl FnOnce(&mut Draft, &mut [u8]) -> Result<Encoded, EncodeError>,
        streams: bool,
    ) -> Result<CallId, RequestError> {
        let draft = self.draft.as_mut().ok_or(RequestError::Closed)?;
        let finished = finish(draft, &mut self.client.output.buffer);
        self.draft = None;
        if let Err(error) = finished {
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
        client.output.frame_written();
        client.next_call = client.next_call.saturating_add(1);
        client.counts.requests = client.counts.requests.saturating_add(1);
        client.in_flight.push_back(call);
        client.sending = streams.then_some(id);
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
    /// Whether a request can be [streamed](RequestWriter::stream): the last answer on this connection said that the peer
    /// takes such.
    #[must_use]
    pub fn can_stream(&self) -> bool {
        self.phase == Phase::Open && self.peer_streams
    }

    /// The request whose body is being streamed.
    #[must_use]
    pub const fn sending(&self) -> Option<CallId> {
        self.sending
    }

    /// Whether so much output waits that no more of a streamed request should be given.
    #[must_use]
    pub fn is_output_full(&self) -> bool {
        self.output.len() > self.config.max_output_len
    }

    /// Appends a copy of a piece of a streamed request, in frames of at most
    /// [`max_data_len`](super::ClientConfig::max_data_len). Nothing is sent for an empty one.
    ///
    /// # Errors
    ///
    /// No request is being streamed: it is answered, or the connection is closed.
    pub fn data(&mut self, chunk: &[u8]) -> Result<(), RequestError> {
        self.must_be_sending()?;
        Ok(self.chunks().data(&mut self.output, chunk)?)
    }

    /// As [`data`](Self::data), but a long piece is sent from where it is.
    ///
    /// # Errors
    ///
    /// As [`data`](Self::data).
    pub fn data_shared(&mut self, chunk: Bytes) -> Result<(), RequestError> {
        self.must_be_sending()?;
        Ok(self.chunks().data_shared(&mut self.output, chunk)?)
    }

    /// Ends a streamed request, with these trailers.
    ///
    /// # Errors
    ///
    /// As [`data`](Self::data), or a trailer is refused; then the request is not ended.
    pub fn end<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        &mut self,
        trailers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(), RequestError> {
        self.must_be_sending()?;
        self.chunks().end(&mut self.output, trailers)?;
        self.sending = None;
        Ok(())
    }

    fn must_be_sending(&self) -> Result<(), RequestError> {
        match self.phase {
            Phase::Open | Phase::Finishing if self.sending.is_some() => Ok(()),
            Phase::Open | Phase::Finishing => Err(RequestError::NoRequest),
            Phase::Emptying | Phase::Closed => Err(RequestError::Closed),
        }
    }

    /// How frames are begun.
    fn options(&self) -> Options<'static> {
        let low_flags = if self.config.stream_requests { STREAMS } else { 0 };
        Options { low_flags, ..Options::frame(self.config.frame.max_frame_len) }
    }

    fn chunks(&self) -> Chunks {
        let (max_data_len, max_copied_len) = (self.config.max_data_len, self.config.max_copied_len);
        Chunks { options: self.options(), max_data_len, max_copied_len }
    }

    /// Frames that have come, or begun to.
    fn frames_begun(&self) -> u64 {
        let partial = u64::from(self.input.end() != StreamEnd::Clean);
        self.counts.frames.saturating_add(partial)
    }
}
