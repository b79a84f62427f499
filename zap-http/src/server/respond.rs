//! Responses of a service, as one frame or as a stream.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::{Buf, Bytes};
use http::{HeaderMap, Response, response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};

use super::connection::{Connection, Turn, guarded};
use crate::convert::{end_to_end, sendable_trailers};
use crate::proto::{Answer, AnswerError, Server};

/// A body that is there at once is sent in one frame if it has at most so many bytes, or is one chunk.
const WHOLE_LEN: usize = 64 << 10;

/// What a body gives without waiting.
#[derive(Default)]
pub(super) struct Start {
    /// The first chunk, and those behind it: most bodies are one chunk, which must not cost an allocation.
    first: Option<Bytes>,
    further: Vec<Bytes>,
    len: usize,
    trailers: Option<HeaderMap>,
    rest: Rest,
}

/// What comes after that.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Rest {
    #[default]
    Nothing,
    More,
    /// The body failed or panicked.
    Failure,
}

/// The next part of a body.
enum Part {
    Data(Bytes),
    Trailers(HeaderMap),
    End,
    Failure,
}

impl<IO, F> Connection<'_, IO, F>
where
    IO: AsyncRead + AsyncWrite,
    F: Future<Output = Option<Instant>>,
{
    /// Answers with a response. One that cannot be written, or whose body fails at once, is answered 500; a body that
    /// fails later ends the connection, since only that tells the peer.
    pub(super) async fn send<B: Body>(&mut self, response: Response<B>, head: bool) {
        let (parts, body) = response.into_parts();
        let mut body = pin!(body);
        let bodiless = head || matches!(parts.status.as_u16(), 204 | 304);
        let start = if bodiless { Start::default() } else { start_of(body.as_mut()).await };
        self.send_from(start, body, |server| begin(server, &parts)).await;
    }

    /// Answers with a head and a body of which the start is known.
    pub(super) async fn send_from<B: Body + ?Sized>(
        &mut self,
        start: Start,
        body: Pin<&mut B>,
        head: impl FnOnce(&mut Server) -> Result<Answer<'_>, AnswerError>,
    ) {
        let more = start.rest == Rest::More;
        if start.rest == Rest::Failure || write_start(&mut self.server, head, start).is_err() {
            return self.server.give_up();
        }
        if more && self.stream(body).await.is_err() {
            self.server.give_up();
        }
    }

    /// Sends the rest of a body as it comes, as fast as the peer takes it.
    async fn stream<B: Body + ?Sized>(&mut self, mut body: Pin<&mut B>) -> Result<(), AnswerError> {
        loop {
            let next = self.until(|server, context| match server.is_output_full() {
                true => Poll::Pending,
                false => poll_part(body.as_mut(), context),
            });
            match next.await {
                Turn::Done(Part::Data(chunk)) => self.server.data_shared(chunk)?,
                Turn::Done(Part::Trailers(trailers)) => return self.server.end(sendable_trailers(&trailers)),
                Turn::Done(Part::End) => return self.server.end(sendable_trailers(&HeaderMap::new())),
                Turn::Done(Part::Failure) => return Err(AnswerError::NoRequest),
                Turn::Closed => return Ok(()),
            }
        }
    }
}

fn begin<'s>(server: &'s mut Server, parts: &response::Parts) -> Result<Answer<'s>, AnswerError> {
    let mut answer = server.respond(parts.status.as_u16())?;
    for (name, value) in end_to_end(&parts.headers) {
        answer.header(name, value)?;
    }
    Ok(answer)
}

/// Writes all that is there at once: the answer, or the head and first data of a stream.
fn write_start(
    server: &mut Server,
    head: impl FnOnce(&mut Server) -> Result<Answer<'_>, AnswerError>,
    start: Start,
) -> Result<(), AnswerError> {
    let mut answer = head(server)?;
    if start.rest == Rest::More {
        answer.stream()?;
        return start.first.into_iter().chain(start.further).try_for_each(|chunk| server.data_shared(chunk));
    }
    match start.first {
        Some(only) if start.further.is_empty() => drop(answer.body_shared(only)?),
        Some(first) => {
            let mut whole = Vec::with_capacity(start.len);
            std::iter::once(&first).chain(&start.further).for_each(|chunk| whole.extend_from_slice(chunk));
            answer.body(&whole)?;
        }
        None => {}
    }
    for (name, value) in start.trailers.iter().flat_map(sendable_trailers) {
        answer.trailer(name, value)?;
    }
    answer.finish()
}

/// Polls a body until it waits, ends, or has given more than one frame should hold.
pub(super) async fn start_of<B: Body + ?Sized>(mut body: Pin<&mut B>) -> Start {
    let mut start = Start::default();
    poll_fn(|context| {
        while start.rest == Rest::Nothing && !body.is_end_stream() {
            if start.len > WHOLE_LEN && !start.further.is_empty() {
                start.rest = Rest::More;
                break;
            }
            match poll_part(body.as_mut(), context) {
                Poll::Ready(Part::Data(chunk)) => {
                    start.len = start.len.saturating_add(chunk.len());
                    match start.first {
                        None => start.first = Some(chunk),
                        Some(_) => start.further.push(chunk),
                    }
                }
                Poll::Ready(Part::Trailers(trailers)) => {
                    start.trailers = Some(trailers);
                    break;
                }
                Poll::Ready(Part::End) => break,
                Poll::Ready(Part::Failure) => start.rest = Rest::Failure,
                Poll::Pending => start.rest = Rest::More,
            }
        }
        Poll::Ready(())
    })
    .await;
    start
}

fn poll_part<B: Body + ?Sized>(mut body: Pin<&mut B>, context: &mut Context<'_>) -> Poll<Part> {
    loop {
        let frame = match guarded(|| body.as_mut().poll_frame(context)) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(None)) => return Poll::Ready(Part::End),
            Poll::Ready(Ok(Some(Ok(frame)))) => frame,
            Poll::Ready(Ok(Some(Err(_))) | Err(_)) => return Poll::Ready(Part::Failure),
        };
        match frame.into_data() {
            Ok(data) if !data.has_remaining() => {}
            Ok(mut data) => return Poll::Ready(Part::Data(data.copy_to_bytes(data.remaining()))),
            Err(frame) => {
                if let Ok(trailers) = frame.into_trailers() {
                    return Poll::Ready(Part::Trailers(trailers));
                }
            }
        }
    }
}
