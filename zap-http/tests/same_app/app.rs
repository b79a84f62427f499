//! The app: it notes what it is asked, and answers as the exchange at hand says.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::{Body as _, Frame, SizeHint};

use crate::exchange::{Content, Delivery, Exchange};

/// Values by name, those of one name in their order.
pub(crate) type Pairs = BTreeMap<String, Vec<Vec<u8>>>;

/// A request as the handler sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    pub(crate) target: String,
    pub(crate) headers: Pairs,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Pairs,
}

/// An answer as the caller sees it.
#[derive(Debug, PartialEq)]
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    pub(crate) headers: Pairs,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Pairs,
}

/// How many answers of each kind there were.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kinds {
    pub(crate) sized: usize,
    pub(crate) ready: usize,
    pub(crate) waiting: usize,
    pub(crate) bodiless: usize,
}

/// What the app is to do, and what it has seen. Exchanges come one after another.
#[derive(Clone, Default)]
pub(crate) struct Plans(Arc<Mutex<Notes>>);

#[derive(Default)]
struct Notes {
    exchange: Option<Exchange>,
    seen: Option<Seen>,
    /// The length of the last request's body was known before it was read.
    had_length: bool,
    kinds: Kinds,
}

impl Plans {
    pub(crate) fn set(&self, exchange: &Exchange) {
        let mut state = self.0.lock().unwrap();
        (state.exchange, state.seen) = (Some(exchange.clone()), None);
    }

    pub(crate) fn take_seen(&self) -> Seen {
        self.0.lock().unwrap().seen.take().expect("the handler was called")
    }

    pub(crate) fn kinds(&self) -> Kinds {
        self.0.lock().unwrap().kinds
    }

    /// Whether the handler was told the length of the last request's body before it read it: not if it was streamed.
    pub(crate) fn had_length(&self) -> bool {
        self.0.lock().unwrap().had_length
    }

    fn note(&self, seen: Seen, had_length: bool) -> Exchange {
        let mut state = self.0.lock().unwrap();
        (state.seen, state.had_length) = (Some(seen), had_length);
        let exchange = state.exchange.clone().expect("an exchange is at hand");
        match (exchange.is_bodiless(), exchange.answer.delivery) {
            (true, _) => state.kinds.bodiless += 1,
            (false, Delivery::Sized) => state.kinds.sized += 1,
            (false, Delivery::Ready) => state.kinds.ready += 1,
            (false, Delivery::Waiting) => state.kinds.waiting += 1,
        }
        exchange
    }
}

pub(crate) fn app(plans: &Plans) -> Router {
    Router::new().fallback(answer).with_state(plans.clone())
}

async fn answer(State(plans): State<Plans>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let had_length = body.size_hint().exact().is_some();
    let (body, trailers) = collect(body).await;
    let target = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let seen = Seen { method: parts.method, target, headers: pairs(&parts.headers), body, trailers };
    let exchange = plans.note(seen, had_length);
    let mut response = Response::new(Body::new(Chunks::of(&exchange.answer)));
    *response.status_mut() = exchange.status();
    *response.headers_mut() = exchange.answer.announcing_header_map();
    response
}

/// All of a body, and its trailers.
pub(crate) async fn collect<B>(body: B) -> (Vec<u8>, Pairs)
where
    B: http_body::Body<Data = Bytes>,
    B::Error: std::fmt::Debug,
{
    let mut body = pin!(body);
    let (mut bytes, mut trailers) = (Vec::new(), Pairs::new());
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
        match frame.unwrap().into_data() {
            Ok(data) => bytes.extend_from_slice(&data),
            Err(frame) => trailers = pairs(&frame.into_trailers().unwrap()),
        }
    }
    (bytes, trailers)
}

/// What is compared of headers.
pub(crate) fn pairs(headers: &HeaderMap) -> Pairs {
    let mut pairs = Pairs::new();
    for (name, value) in headers {
        let framing = ["connection", "content-length", "date", "trailer", "transfer-encoding"];
        if !framing.contains(&name.as_str()) {
            pairs.entry(name.to_string()).or_default().push(value.as_bytes().to_vec());
        }
    }
    pairs
}

/// The body of a content.
pub(crate) struct Chunks {
    chunks: std::vec::IntoIter<Bytes>,
    trailers: Option<HeaderMap>,
    delivery: Delivery,
    waited: bool,
}

impl Chunks {
    pub(crate) fn of(content: &Content) -> Self {
        let chunks: Vec<Bytes> = content.chunks.iter().filter(|chunk| !chunk.is_empty()).cloned().collect();
        let (trailers, delivery) = (content.trailer_map(), content.delivery);
        Self { chunks: chunks.into_iter(), trailers, delivery, waited: false }
    }
}

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.delivery == Delivery::Waiting && !std::mem::replace(&mut self.waited, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.waited = false;
        let next = self.chunks.next().map(Frame::data);
        Poll::Ready(next.or_else(|| self.trailers.take().map(Frame::trailers)).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.delivery == Delivery::Sized && self.chunks.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        let left = self.chunks.as_slice().iter().map(|chunk| chunk.len() as u64).sum();
        if self.delivery == Delivery::Sized { SizeHint::with_exact(left) } else { SizeHint::default() }
    }
}
