//! Streamed bodies on their way out, of answers and of requests: data frames, then an end.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use bytes::Bytes;

use super::encode::{Draft, Options};
use super::error::EncodeError;
use super::output::Output;
use super::wire::{CHUNK_SECTION, FrameType, HEADER_LEN};

/// How a body is cut into frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunks {
    pub(crate) options: Options<'static>,
    /// Bytes of a data frame's chunk, at most.
    pub(crate) max_data_len: usize,
    /// Bytes of a shared chunk that are copied all the same.
    pub(crate) max_copied_len: usize,
}

impl Chunks {
    /// Appends a copy of a chunk. Nothing is sent for an empty one.
    pub(crate) fn data(&self, output: &mut Output, chunk: &[u8]) -> Result<(), EncodeError> {
        for chunk in chunk.chunks(self.data_len()) {
            let out = &mut output.buffer;
            let mut draft = Draft::begin(out, self.options, FrameType::Data)?;
            let written = draft.body(out, chunk);
            draft.finish_or_undo(out, written)?;
            output.frame_written();
        }
        Ok(())
    }

    /// As `data`, but a long chunk is sent from where it is.
    pub(crate) fn data_shared(&self, output: &mut Output, mut chunk: Bytes) -> Result<(), EncodeError> {
        if chunk.len() <= self.max_copied_len {
            return self.data(output, &chunk);
        }
        while !chunk.is_empty() {
            let piece = chunk.split_to(self.data_len().min(chunk.len()));
            let out = &mut output.buffer;
            let mut draft = Draft::begin(out, self.options, FrameType::Data)?;
            let written = draft.body_elsewhere(out, piece.len());
            draft.finish_or_undo(out, written)?;
            let at = out.len();
            output.share(at, piece);
            output.frame_written();
        }
        Ok(())
    }

    /// Appends the end, with these trailers; nothing if one of them is refused.
    pub(crate) fn end<N: AsRef<[u8]>, V: AsRef<[u8]>>(
        &self,
        output: &mut Output,
        trailers: impl IntoIterator<Item = (N, V)>,
    ) -> Result<(), EncodeError> {
        let out = &mut output.buffer;
        let mut draft = Draft::begin(out, self.options, FrameType::End)?;
        let written =
            trailers.into_iter().try_for_each(|(name, value)| draft.trailer(out, name.as_ref(), value.as_ref()));
        draft.finish_or_undo(out, written)?;
        output.frame_written();
        Ok(())
    }

    fn data_len(&self) -> usize {
        let room = (self.options.max_frame_len as usize).saturating_sub(HEADER_LEN.saturating_add(CHUNK_SECTION));
        self.max_data_len.min(room).max(1)
    }
}
