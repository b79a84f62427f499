//! Bodies that pass through: what is there at once is looked at, so that trailers can be announced; the rest streams.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http::header::{HeaderMap, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use tokio::sync::watch;

use super::AnyError;
use crate::convert::sendable_trailers;

/// Bytes, in several chunks, that are looked at ahead.
const AHEAD_LEN: usize = 64 << 10;
/// Such chunks: each costs more than its bytes.
const AHEAD_CHUNKS: usize = 64;

type Boxed = Pin<Box<dyn Body<Data = Bytes, Error = AnyError> + Send>>;

/// The body of an answer that passes through a [`Gateway`](super::Gateway), or of one of its own.
///
/// If the upstream ends before the body does, the body ends with an error, never early without one.
#[derive(Default)]
pub struct GatewayBody {
    /// Taken already, in order.
    ahead: VecDeque<Frame<Bytes>>,
    /// What follows; none at the end.
    rest: Option<Boxed>,
    /// Told whom the body waits for, if anybody wants to know.
    watched: Option<watch::Sender<Awaited>>,
}

/// Whom a body that is being sent waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// Whoever sends it to us has not sent more.
    Client,
    /// There is more, or all was taken.
    Upstream,
}

impl std::fmt::Debug for GatewayBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayBody").finish_non_exhaustive()
    }
}

impl GatewayBody {
    pub(super) fn text(text: String) -> Self {
        Self { ahead: VecDeque::from([Frame::data(text.into())]), ..Self::default() }
    }

    /// Takes what `body` has at once.
    pub(super) async fn of<B>(body: B) -> Result<Self, AnyError>
    where
        B: Body<Data: Send, Error: Into<AnyError>> + Send + 'static,
    {
        let (mut ahead, mut len) = (VecDeque::new(), 0_usize);
        if body.is_end_stream() {
            return Ok(Self::default());
        }
        let mut rest: Boxed = Box::pin(Passing { body });
        let ended = poll_fn(|context| {
            while ahead.len() <= 1 || (len <= AHEAD_LEN && ahead.len() < AHEAD_CHUNKS) {
                match rest.as_mut().poll_frame(context) {
                    Poll::Pending => return Poll::Ready(Ok(false)),
                    Poll::Ready(None) => return Poll::Ready(Ok(true)),
                    Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error)),
                    Poll::Ready(Some(Ok(frame))) => {
                        let is_last = frame.is_trailers();
                        len = len.saturating_add(frame.data_ref().map_or(0, Bytes::len));
                        ahead.push_back(frame);
                        if is_last || rest.is_end_stream() {
                            return Poll::Ready(Ok(true));
                        }
                    }
                }
            }
            Poll::Ready(Ok(false))
        })
        .await?;
        Ok(Self { ahead, rest: (!ended).then_some(rest), watched: None })
    }

    /// Whether there may be more of it than was there at once.
    pub(super) fn may_go_on(&self) -> bool {
        self.rest.is_some()
    }

    /// Whom it waits for from now on; closed when it ends.
    pub(super) fn watch(&mut self) -> watch::Receiver<Awaited> {
        let (sender, receiver) = watch::channel(Awaited::Upstream);
        self.watched = self.rest.is_some().then_some(sender);
        receiver
    }

    fn tell(&self, awaited: Awaited) {
        if let Some(watched) = &self.watched {
            watched.send_replace(awaited);
        }
    }

    /// The names of the trailers, for a `trailer` header, if they are known.
    pub(super) fn announcement(&self) -> Option<HeaderValue> {
        let trailers = self.ahead.back()?.trailers_ref()?;
        let names: Vec<_> = trailers.keys().map(http::HeaderName::as_str).collect();
        HeaderValue::from_str(&names.join(", ")).ok()
    }
}

impl Body for GatewayBody {
    type Data = Bytes;
    type Error = AnyError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, AnyError>>> {
        if let Some(frame) = self.ahead.pop_front() {
            self.tell(Awaited::Upstream);
            return Poll::Ready(Some(Ok(frame)));
        }
        let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
        let Poll::Ready(frame) = rest.as_mut().poll_frame(context) else {
            self.tell(Awaited::Client);
            return Poll::Pending;
        };
        self.tell(Awaited::Upstream);
        if !matches!(frame, Some(Ok(_))) || self.rest.as_ref().is_none_or(|rest| rest.is_end_stream()) {
            (self.rest, self.watched) = (None, None);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.is_empty() && self.rest.as_ref().is_none_or(|rest| rest.is_end_stream())
    }

    /// Unknown if there are trailers: HTTP/1.1 has them only after a body in chunks.
    fn size_hint(&self) -> SizeHint {
        let ahead: u64 = self.ahead.iter().filter_map(Frame::data_ref).map(|data| data.len() as u64).sum();
        let rest = self.rest.as_ref().map_or_else(|| SizeHint::with_exact(0), |rest| rest.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(ahead.saturating_add(rest.lower()));
        if let (Some(upper), false) = (rest.upper(), self.ahead.back().is_some_and(Frame::is_trailers)) {
            hint.set_upper(ahead.saturating_add(upper));
        }
        hint
    }
}

pin_project_lite::pin_project! {
    /// A body of any kind, its data as `Bytes`, its trailers without what must not be sent.
    struct Passing<B> {
        #[pin]
        body: B,
    }
}

impl<B> Body for Passing<B>
where
    B: Body,
    B::Error: Into<AnyError>,
{
    type Data = Bytes;
    type Error = AnyError;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, AnyError>>> {
        let mut body = self.project().body;
        loop {
            let Some(frame) = std::task::ready!(body.as_mut().poll_frame(context)) else { return Poll::Ready(None) };
            let frame = match frame {
                Err(error) => return Poll::Ready(Some(Err(error.into()))),
                Ok(frame) => frame.map_data(|mut data| data.copy_to_bytes(data.remaining())),
            };
            let frame = match frame.into_trailers() {
                Err(data) => data,
                Ok(trailers) => {
                    let sendable = sendable_trailers(&trailers);
                    let trailers: HeaderMap = sendable.map(|(name, value)| (name.clone(), value.clone())).collect();
                    if trailers.is_empty() {
                        continue;
                    }
                    Frame::trailers(trailers)
                }
            };
            return Poll::Ready(Some(Ok(frame)));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body without end that never waits, and counts what was taken.
    struct Endless {
        chunk: Bytes,
        taken: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    }

    impl Body for Endless {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::convert::Infallible>>> {
            self.taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Poll::Ready(Some(Ok(Frame::data(self.chunk.clone()))))
        }
    }

    #[tokio::test]
    async fn what_is_taken_ahead_is_bounded() {
        for (len, most) in [(0, AHEAD_CHUNKS), (1, AHEAD_CHUNKS), (AHEAD_LEN / 2, 3), (AHEAD_LEN + 1, 2)] {
            let taken = std::sync::Arc::default();
            let chunk = Bytes::from(vec![7; len]);
            let body = GatewayBody::of(Endless { chunk, taken: std::sync::Arc::clone(&taken) }).await.unwrap();
            assert_eq!(taken.load(std::sync::atomic::Ordering::Relaxed), most, "{len}");
            assert!(body.announcement().is_none() && body.size_hint().exact().is_none());
        }
    }
}
