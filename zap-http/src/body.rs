//! The body of a request: whole, since the public wire does not stream requests.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Frame, SizeHint};

/// The body that services are given: its bytes, and the trailers that came with it.
///
/// # Examples
///
/// ```
/// use zap_http::Body;
///
/// let body = Body::from("hello");
/// assert_eq!(body.into_bytes(), "hello");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Body {
    data: Bytes,
    trailers: Option<HeaderMap>,
}

impl Body {
    /// No bytes, no trailers.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// These trailers after the bytes.
    #[must_use]
    pub fn with_trailers(mut self, trailers: HeaderMap) -> Self {
        self.trailers = Some(trailers).filter(|trailers| !trailers.is_empty());
        self
    }

    /// The bytes, without a copy.
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.data
    }
}

impl<B: Into<Bytes>> From<B> for Body {
    fn from(data: B) -> Self {
        Self { data: data.into(), trailers: None }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.data.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut self.data)))));
        }
        Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers))))
    }

    fn is_end_stream(&self) -> bool {
        self.data.is_empty() && self.trailers.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.data.len() as u64)
    }
}
