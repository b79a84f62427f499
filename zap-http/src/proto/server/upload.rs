//! Requests whose bodies are streamed: an extension that both ends must know (see [`proto`](super::super)).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use super::{Current, Phase, Server};
use crate::proto::config::CloseReason;
use crate::proto::deframe::Batch;
use crate::proto::error::FrameError;
use crate::proto::frame::{Data, End, Frame, RequestHead};
use crate::proto::wire::{FrameType, STREAMS, flags_of};

/// A request whose body has not ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Upload {
    /// Empty data frames in a row.
    empty_frames: u32,
    /// Bytes that were dropped because the request is answered.
    discarded: usize,
}

/// What [`Server::next_part`] has of a streamed request's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart<'b> {
    /// A piece; never empty.
    Data(Data<'b>),
    /// The end. Without it the body is not complete.
    End(End<'b>),
    /// Nothing more has come: return the batch, and take the next when frames [wait](Server::waiting).
    Pending,
    /// The connection ends before the body does.
    Cut,
}

impl Server {
    /// The next part of the body of the request that [`next_request`](Self::next_request) gave as a head.
    ///
    /// What is not taken before the request is answered is dropped, up to
    /// [`max_drain_len`](super::super::ServerConfig::max_drain_len); beyond that the connection ends.
    pub fn next_part<'b>(&mut self, batch: &'b mut Batch) -> RequestPart<'b> {
        let (buffer, mut cursor) = batch.split();
        loop {
            if !matches!(self.phase, Phase::Open | Phase::Finishing) {
                cursor.finish();
                self.drop_batch();
                self.settle();
                return RequestPart::Cut;
            }
            if self.upload.is_none() {
                return RequestPart::End(End::without_trailers());
            }
            let Some(frame) = cursor.next(buffer) else {
                self.settle();
                let ended = self.peer_done || self.input.fault().is_some();
                let cut = ended && self.input.frames() == 0 && self.batch_left == 0;
                return if cut { RequestPart::Cut } else { RequestPart::Pending };
            };
            self.batch_left = self.batch_left.saturating_sub(1);
            self.counts.parts = self.counts.parts.saturating_add(1);
            match Frame::decode(frame, &self.config.frame) {
                Ok(Frame::Data(data)) if data.chunk().is_empty() => self.count_empty(),
                Ok(Frame::Data(data)) => {
                    self.upload = Some(Upload::default());
                    return RequestPart::Data(data);
                }
                Ok(Frame::End(end)) => {
                    self.upload = None;
                    return RequestPart::End(end);
                }
                Ok(_) => self.refuse_part(CloseReason::UnexpectedFrame),
                Err(error) => self.refuse_part(CloseReason::Frame(error)),
            }
        }
    }

    /// Whether the body of a streamed request has not ended, as far as frames were taken.
    #[must_use]
    pub const fn is_receiving(&self) -> bool {
        self.upload.is_some()
    }

    /// The head of a streamed request, if the frame is one and the peer was told that it may send such.
    pub(super) fn take_head<'b>(&mut self, frame: &'b [u8]) -> Option<Result<RequestHead<'b>, FrameError>> {
        let flags = flags_of(frame);
        self.peer_streams = self.config.stream_requests && flags & STREAMS != 0;
        if !self.told || FrameType::from_flags(flags) != Some(FrameType::RequestHead) {
            return None;
        }
        self.upload = Some(Upload::default());
        Some(RequestHead::decode(frame, &self.config.frame))
    }

    /// Drops a part of a request that is answered.
    pub(super) fn skip_part(&mut self, frame: &[u8]) {
        self.counts.parts = self.counts.parts.saturating_add(1);
        match Frame::decode(frame, &self.config.frame) {
            Ok(Frame::Data(_)) => {
                let discarded = self.upload.map_or(0, |upload| upload.discarded).saturating_add(frame.len());
                self.upload = Some(Upload { discarded, ..Upload::default() });
                if discarded > self.config.max_drain_len {
                    self.end_with(CloseReason::DiscardTooLong, true);
                }
            }
            Ok(Frame::End(_)) => self.upload = None,
            Ok(_) => self.end_with(CloseReason::UnexpectedFrame, false),
            Err(error) => self.end_with(CloseReason::Frame(error), false),
        }
    }

    /// Whether a part of the request being served is all that can come next.
    pub(super) fn waits_for_part(&self) -> bool {
        self.upload.is_some() && self.current.is_some() && self.batch_left == 0 && self.input.frames() == 0
    }

    fn count_empty(&mut self) {
        if let Some(upload) = &mut self.upload {
            upload.empty_frames = upload.empty_frames.saturating_add(1);
            if upload.empty_frames > self.config.max_empty_frames {
                self.refuse_part(CloseReason::TooManyEmptyFrames);
            }
        }
    }

    /// Ends the connection, which has lost its place; the request being served is refused, if it can still be.
    fn refuse_part(&mut self, reason: CloseReason) {
        if let Some(Current::Unanswered { .. }) = self.current {
            self.current = None;
            self.counts.answered = self.counts.answered.saturating_add(1);
            self.write_error(400);
        }
        self.end_with(reason, true);
    }
}
