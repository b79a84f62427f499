//! Answers: whole ones, and streamed ones.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;
#[cfg(feature = "server")]
use http::{HeaderName, HeaderValue};

use super::{AnswerError, Current, Server};
use crate::proto::encode::Draft;
use crate::proto::error::EncodeError;
use crate::proto::output::Mark;
use crate::proto::status::is_bodiless;
use crate::proto::wire::FrameType;

/// An answer being written: headers, then a body, then trailers; or headers, then a stream.
///
/// Dropped unfinished, it leaves the request unanswered, so that another answer can be begun.
///
/// # Examples
///
/// ```
/// # use std::time::Instant;
/// # use zap_http::proto::{Encoder, Next, Server, ServerConfig};
/// # let mut wire = Vec::new();
/// # Encoder::frame(&mut wire).request("GET", "/ticks")?.finish()?;
/// # let now = Instant::now();
/// # let mut server = Server::new(ServerConfig::default(), now);
/// # server.recv(&wire, now);
/// # let mut batch = server.take_batch(now);
/// # assert!(matches!(server.next_request(&mut batch), Next::Request(_)));
/// let mut answer = server.respond(200)?;
/// answer.header("content-type", "text/event-stream")?;
/// answer.stream()?;
/// server.data(b"data: 1\n\n")?;
/// server.data(b"data: 2\n\n")?;
/// server.end([("x-ticks", "2")])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Answer<'s> {
    server: &'s mut Server,
    /// Where the output was before.
    mark: Mark,
    /// The frame being written.
    draft: Option<Draft>,
    bodiless: bool,
    done: bool,
}

impl<'s> Answer<'s> {
    #[inline(always)] // As Draft::response.
    pub(super) fn begin(server: &'s mut Server, status: u16, reason: &[u8]) -> Result<Self, AnswerError> {
        let head = match server.current {
            Some(Current::Unanswered { head }) => head,
            _ => return Err(server.no_request()),
        };
        if status < 200 {
            return Err(if status < 100 { EncodeError::InvalidStatus.into() } else { AnswerError::Interim });
        }
        let options = server.options();
        let mark = server.output.mark();
        let draft = Draft::response(&mut server.output.buffer, options, FrameType::Response, status, reason)?;
        server.last_status = status;
        Ok(Self { server, mark, draft: Some(draft), bodiless: head || is_bodiless(status), done: false })
    }

    /// Goes on with a frame that was begun apart, and now stands at the end of the output.
    #[cfg(feature = "server")]
    pub(super) fn resume(
        server: &'s mut Server,
        mark: Mark,
        draft: Option<Draft>,
        bodiless: bool,
    ) -> Result<Self, AnswerError> {
        let answer = Self { server, mark, draft, bodiless, done: false };
        match (answer.server.current, &answer.draft) {
            (Some(Current::Unanswered { .. }), Some(_)) => Ok(answer),
            (Some(Current::Unanswered { .. }), None) => Err(EncodeError::OutOfOrder.into()),
            _ => Err(answer.server.no_request()),
        }
    }

    /// Appends a header. Order, repetition and spelling are kept.
    ///
    /// # Errors
    ///
    /// The name is not a token, the value has a control byte other than tab, a body was given already, or the frame would
    /// be too long.
    pub fn header(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, AnswerError> {
        let (draft, out) = self.parts()?;
        draft.header(out, name.as_ref(), value.as_ref())?;
        Ok(self)
    }

    /// As [`header`](Self::header), of a name and a value that `http` has checked by the same rules.
    #[cfg(feature = "server")]
    pub(crate) fn checked_header(&mut self, name: &HeaderName, value: &HeaderValue) -> Result<(), AnswerError> {
        let (draft, out) = self.parts()?;
        Ok(draft.checked_header(out, name.as_str().as_bytes(), value.as_bytes())?)
    }

    /// Appends a copy of the body. A body that does not fit into one frame is sent as a stream.
    ///
    /// # Errors
    ///
    /// A body was given already.
    pub fn body(&mut self, body: &[u8]) -> Result<&mut Self, AnswerError> {
        let body = if self.bodiless { &[] } else { body };
        let (draft, out) = self.parts()?;
        if body.len() <= draft.room(out) {
            draft.body(out, body)?;
            return Ok(self);
        }
        self.become_stream()?;
        self.server.chunks().data(&mut self.server.output, body)?;
        self.begin_end()
    }

    /// Appends the body: sent from where it is if it is longer than [`max_copied_len`](super::ServerConfig::max_copied_len),
    /// copied otherwise. A body that does not fit into one frame is sent as a stream.
    ///
    /// # Errors
    ///
    /// A body was given already.
    pub fn body_shared(&mut self, body: Bytes) -> Result<&mut Self, AnswerError> {
        if self.bodiless || body.len() <= self.server.config.max_copied_len {
            return self.body(&body);
        }
        let (draft, out) = self.parts()?;
        if body.len() <= draft.room(out) {
            draft.body_elsewhere(out, body.len())?;
            let at = out.len();
            self.server.output.share(at, body);
            return Ok(self);
        }
        self.become_stream()?;
        self.server.chunks().data_shared(&mut self.server.output, body)?;
        self.begin_end()
    }

    /// Appends a trailer.
    ///
    /// # Errors
    ///
    /// The name is not a token or one that only headers may have, the value has a control byte other than tab, or the
    /// frame would be too long.
    pub fn trailer(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<&mut Self, AnswerError> {
        let bodiless = self.bodiless;
        let (draft, out) = self.parts()?;
        if !bodiless {
            draft.trailer(out, name.as_ref(), value.as_ref())?;
        }
        Ok(self)
    }

    /// Completes the answer.
    ///
    /// # Errors
    ///
    /// The frame would be too long.
    pub fn finish(mut self) -> Result<(), AnswerError> {
        self.finish_frame(|draft, out| draft.complete(out))?;
        self.done = true;
        self.server.answered();
        Ok(())
    }

    /// Completes the head. The body follows by [`Server::data`] and [`Server::end`].
    ///
    /// # Errors
    ///
    /// A body or trailer was given already.
    pub fn stream(mut self) -> Result<(), AnswerError> {
        let bodiless = self.bodiless;
        self.must_take_body()?;
        self.finish_frame(|draft, out| if bodiless { draft.complete(out) } else { draft.complete_as_head(out) })?;
        self.done = true;
        self.server.current = Some(Current::Streaming { bodiless });
        Ok(())
    }

    fn parts(&mut self) -> Result<(&mut Draft, &mut Vec<u8>), AnswerError> {
        let draft = self.draft.as_mut().ok_or(AnswerError::NoRequest)?;
        Ok((draft, &mut self.server.output.buffer))
    }

    /// Completes the frame at hand.
    fn finish_frame<T>(
        &mut self,
        finish: impl FnOnce(&mut Draft, &mut [u8]) -> Result<T, EncodeError>,
    ) -> Result<(), AnswerError> {
        let draft = self.draft.as_mut().ok_or(AnswerError::NoRequest)?;
        let finished = finish(draft, &mut self.server.output.buffer);
        self.draft = None;
        finished?;
        self.server.output.frame_written();
        self.server.told |= self.server.options().low_flags != 0;
        Ok(())
    }

    /// A body can be given, or a stream be begun, once, and before trailers.
    fn must_take_body(&self) -> Result<(), AnswerError> {
        if self.draft.as_ref().is_some_and(Draft::takes_body) { Ok(()) } else { Err(EncodeError::OutOfOrder.into()) }
    }

    /// Turns the whole answer into the head of a stream, because its body does not fit.
    fn become_stream(&mut self) -> Result<(), AnswerError> {
        self.must_take_body()?;
        self.finish_frame(Draft::complete_as_head)
    }

    fn begin_end(&mut self) -> Result<&mut Self, AnswerError> {
        let options = self.server.options();
        self.draft = Some(Draft::begin(&mut self.server.output.buffer, options, FrameType::End)?);
        Ok(self)
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.server.output.rollback(self.mark);
        }
    }
}

impl Server {
    /// Appends a copy of a piece of a streamed answer, in frames of at most
    /// [`max_data_len`](super::ServerConfig::max_data_len). Nothing is sent for an empty one.
    ///
    /// # Errors
    ///
    /// No streamed answer is at hand, or the connection is closed.
    pub fn data(&mut self, chunk: &[u8]) -> Result<(), AnswerError> {
        if self.streams_body()? {
            self.chunks().data(&mut self.output, chunk)?;
        }
        Ok(())
    }

    /// As [`data`](Self::data), but a long piece is sent from where it is.
    ///
    /// # Errors
    ///
    /// As [`data`](Self::data).
    pub fn data_shared(&mut self, chunk: Bytes) -> Result<(), AnswerError> {
        if self.streams_body()? {
            self.chunks().data_shared(&mut self.output, chunk)?;
        }
        Ok(())
    }

    /// Ends a streamed answer, with these trailers.
    ///
    /// # Errors
    ///
    /// No streamed answer is at hand, the connection is closed, or a trailer is refused; then the answer is not ended.
    pub fn end<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        &mut self,
        trailers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(), AnswerError> {
        if self.streams_body()? {
            self.chunks().end(&mut self.output, trailers)?;
        }
        self.answered();
        Ok(())
    }

    /// The request at hand has its answer.
    pub(super) fn answered(&mut self) {
        self.current = None;
        self.counts.answered = self.counts.answered.saturating_add(1);
        self.settle();
    }

    /// Whether the stream at hand has a body.
    fn streams_body(&self) -> Result<bool, AnswerError> {
        match self.current {
            Some(Current::Streaming { bodiless }) => Ok(!bodiless),
            _ => Err(self.no_request()),
        }
    }

    pub(super) fn no_request(&self) -> AnswerError {
        if self.phase == super::Phase::Closed { AnswerError::Closed } else { AnswerError::NoRequest }
    }
}
