//! Responses of a service, as one frame or as a stream.

use std::future::Future;
use std::pin::Pin;
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
    /// On the heap, since there are hardly ever any.
    trailers: Option<Box<HeaderMap>>,
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
    Trailers(Box<HeaderMap>),
    End,
    Failure,
}

impl<IO, F> Connection<'_, IO, F>
where
    IO: AsyncRead + AsyncWrite,
    F: Future<Output = Option<Instant>>,
{
    /// Goes on with an answer of which the start is written.
    pub(super) async fn send_rest<B: Body + ?Sized>(&mut self, begun: Begun, body: Pin<&mut B>) {
        let sent = match begun {
            Begun::Whole => return,
            Begun::Stream => self.stream(body).await,
            Begun::Failed => Err(AnswerError::NoRequest),
        };
        if sent.is_err() {
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

/// How far an answer has come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Begun {
    Whole,
    /// The head of a stream, and what of its body was there.
    Stream,
    /// It cannot be written, or its body failed at once: the request is answered 500. A body that fails later ends the
    /// connection, since only that tells the peer.
    Failed,
}

/// Answers with a response, as far as its body is there. The body is put into its place, from where it goes on.
pub(super) fn begin_response<B: Body>(
    server: &mut Server,
    response: Response<B>,
    mut place: Pin<&mut Option<B>>,
    head: bool,
    context: &mut Context<'_>,
) -> Begun {
    let (parts, body) = response.into_parts();
    place.set(Some(body));
    let bodiless = head || matches!(parts.status.as_u16(), 204 | 304);
    match place.as_pin_mut().filter(|_| !bodiless) {
        Some(body) => begin(server, body, |server| respond(server, &parts), context),
        None => begin_with(server, Start::default(), |server| respond(server, &parts)),
    }
}

/// Answers with a head and as much of a body as is there.
#[inline(always)]
pub(super) fn begin<B: Body + ?Sized>(
    server: &mut Server,
    body: Pin<&mut B>,
    head: impl FnOnce(&mut Server) -> Result<Answer<'_>, AnswerError>,
    context: &mut Context<'_>,
) -> Begun {
    let start = start_of(body, context);
    begin_with(server, start, head)
}

#[inline(always)]
fn begin_with(
    server: &mut Server,
    start: Start,
    head: impl FnOnce(&mut Server) -> Result<Answer<'_>, AnswerError>,
) -> Begun {
    let more = start.rest == Rest::More;
    if start.rest == Rest::Failure || write_start(server, head, start).is_err() {
        return Begun::Failed;
    }
    if more { Begun::Stream } else { Begun::Whole }
}

#[inline(always)] // An answer is large: it is written where it is kept.
fn respond<'s>(server: &'s mut Server, parts: &response::Parts) -> Result<Answer<'s>, AnswerError> {
    let mut answer = server.respond(parts.status.as_u16())?;
    for (name, value) in end_to_end(&parts.headers) {
        answer.checked_header(name, value)?;
    }
    Ok(answer)
}

/// Writes all that is there at once: the answer, or the head and first data of a stream.
#[inline(always)]
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
    for (name, value) in start.trailers.iter().flat_map(|trailers| sendable_trailers(trailers)) {
        answer.trailer(name, value)?;
    }
    answer.finish()
}

/// Polls a body until it waits, ends, or has given more than one frame should hold.
#[inline(always)]
fn start_of<B: Body + ?Sized>(mut body: Pin<&mut B>, context: &mut Context<'_>) -> Start {
    let mut start = Start::default();
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
                    return Poll::Ready(Part::Trailers(Box::new(trailers)));
                }
            }
        }
    }
}
