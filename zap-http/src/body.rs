//! The body of a request: whole, as the public wire has it, or streamed between two ends that both know how.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Frame, SizeHint};

#[cfg(feature = "server")]
use crate::incoming::Incoming;

/// The body that services are given: its bytes, and the trailers that came with it.
///
/// On the public wire a request is one frame, so the bytes are there at once. If the server takes
/// [streamed requests](crate::proto#streamed-requests) and the client sends one, they come as they are read; what a
/// handler does not read stays with the client. Such a server streams requests over HTTP, too, if they are longer than
/// 64 KiB or do not say how long they are.
///
/// # Examples
///
/// ```
/// use zap_http::Body;
///
/// let body = Body::from("hello");
/// assert_eq!(body.into_bytes().unwrap(), "hello");
/// ```
pub struct Body(Content);

enum Content {
    Whole {
        data: Bytes,
        /// On the heap, since there are hardly ever any.
        trailers: Option<Box<HeaderMap>>,
    },
    #[cfg(feature = "server")]
    Incoming(Incoming),
    #[cfg(feature = "http1")]
    Http(Box<crate::listen::Streamed>),
}

/// Why the body of a streamed request ends early. A whole one never does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BodyError {
    /// The connection ended before the body did, or the handler answered before it had read all of it.
    #[error("the connection ended before the body did")]
    Cut,
    /// A trailer has no meaning in HTTP.
    #[error("a trailer is invalid")]
    Trailers,
    /// The rest did not come in time, over HTTP; over ZAP the connection ends.
    #[error("the rest of the body did not come in time")]
    TimedOut,
}

impl Body {
    /// No bytes, no trailers.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// These trailers after the bytes, in place of others; a streamed body keeps its own.
    #[must_use]
    pub fn with_trailers(mut self, more: HeaderMap) -> Self {
        match &mut self.0 {
            Content::Whole { trailers, .. } => {
                *trailers = Some(more).filter(|trailers| !trailers.is_empty()).map(Box::new)
            }
            #[cfg(feature = "server")]
            _ => {}
        }
        self
    }

    /// The bytes of a whole body, without a copy.
    ///
    /// # Errors
    ///
    /// The body, if it is streamed: it must be collected, for which `http-body-util` has what is needed.
    pub fn into_bytes(self) -> Result<Bytes, Self> {
        match self.0 {
            Content::Whole { data, .. } => Ok(data),
            #[cfg(feature = "server")]
            streamed => Err(Self(streamed)),
        }
    }

    #[cfg(feature = "server")]
    pub(crate) const fn incoming(incoming: Incoming) -> Self {
        Self(Content::Incoming(incoming))
    }

    #[cfg(feature = "http1")]
    pub(crate) fn http(streamed: crate::listen::Streamed) -> Self {
        Self(Content::Http(Box::new(streamed)))
    }
}

impl Default for Body {
    fn default() -> Self {
        Self(Content::Whole { data: Bytes::new(), trailers: None })
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Whole { data, trailers } => {
                f.debug_struct("Body").field("len", &data.len()).field("trailers", trailers).finish()
            }
            #[cfg(feature = "server")]
            _ => f.debug_struct("Body").finish_non_exhaustive(),
        }
    }
}

impl<B: Into<Bytes>> From<B> for Body {
    fn from(data: B) -> Self {
        Self(Content::Whole { data: data.into(), trailers: None })
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = BodyError;

    #[cfg_attr(not(feature = "server"), expect(unused_variables))]
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut self.0 {
            Content::Whole { data, .. } if !data.is_empty() => Poll::Ready(Some(Ok(Frame::data(std::mem::take(data))))),
            Content::Whole { trailers, .. } => {
                Poll::Ready(trailers.take().map(|trailers| Ok(Frame::trailers(*trailers))))
            }
            #[cfg(feature = "server")]
            Content::Incoming(incoming) => incoming.poll_frame(context),
            #[cfg(feature = "http1")]
            Content::Http(streamed) => streamed.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Whole { data, trailers } => data.is_empty() && trailers.is_none(),
            #[cfg(feature = "server")]
            Content::Incoming(incoming) => incoming.is_end_stream(),
            #[cfg(feature = "http1")]
            Content::Http(streamed) => streamed.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Whole { data, .. } => SizeHint::with_exact(data.len() as u64),
            #[cfg(feature = "server")]
            Content::Incoming(_) => SizeHint::default(),
            #[cfg(feature = "http1")]
            Content::Http(streamed) => streamed.size_hint(),
        }
    }
}
