//! Nothing is observed: what is built without the features. Empty types and functions, which leave nothing behind.

#[cfg(any(feature = "server", feature = "client"))]
use super::{End, Side};
use crate::proto::FrameError;

#[inline(always)]
pub(crate) fn frame_refused(_: FrameError) {}

#[cfg(any(feature = "server", feature = "client"))]
pub(crate) use connection::{Connection, Span};
#[cfg(feature = "server")]
pub(crate) use server::*;

#[cfg(feature = "client")]
pub(crate) use client::*;

#[cfg(any(feature = "server", feature = "client"))]
mod connection {
    use super::{End, Side};
    use crate::ConnectionInfo;
    use crate::proto::CloseReason;

    pub(crate) struct Connection;

    pub(crate) struct Span;

    impl Span {
        #[inline(always)]
        pub(crate) fn within<F: Future>(&self, future: F) -> F {
            future
        }
    }

    impl Connection {
        #[inline(always)]
        pub(crate) fn open(_: Side, _: &ConnectionInfo) -> Self {
            Self
        }

        #[inline(always)]
        #[cfg(feature = "server")]
        pub(crate) fn span(&self) -> Span {
            Span
        }

        #[inline(always)]
        pub(crate) fn progress(&mut self, _: &impl End) {}

        #[inline(always)]
        pub(crate) fn closed(&mut self, _: CloseReason) {}

        #[inline(always)]
        #[cfg(feature = "http1")]
        pub(crate) fn end(&mut self, _: &'static str) {}
    }
}

#[cfg(feature = "server")]
mod server {
    use super::Span;
    use crate::convert::ConvertError;
    use crate::{ConnectionInfo, proto};

    pub(crate) struct Serving;

    impl Serving {
        #[inline(always)]
        pub(crate) fn begin(_: &[u8], _: &[u8], _: &ConnectionInfo, _: &proto::Server) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn span(&self) -> Span {
            Span
        }

        #[inline(always)]
        pub(crate) fn end(self, _: &proto::Server) {}
    }

    #[cfg(feature = "http1")]
    pub(crate) struct HttpServing;

    #[cfg(feature = "http1")]
    impl HttpServing {
        #[inline(always)]
        pub(crate) fn begin(_: &http::Method, _: &http::Uri, _: &ConnectionInfo) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn span(&self) -> Span {
            Span
        }

        #[inline(always)]
        pub(crate) fn end(&mut self, _: http::StatusCode) {}

        #[inline(always)]
        pub(crate) fn give_up(&mut self) {}
    }

    #[inline(always)]
    #[cfg(feature = "http1")]
    pub(crate) fn http_refused(_: http::StatusCode) {}

    #[inline(always)]
    pub(crate) fn request_refused(_: ConvertError) {}

    #[inline(always)]
    pub(crate) fn service_failed<E>(_: &E) {}

    #[inline(always)]
    pub(crate) fn handler_failed<E>(_: E) {}

    #[inline(always)]
    pub(crate) fn handler_panicked() {}

    #[inline(always)]
    pub(crate) fn accept_failed(_: &std::io::Error) {}

    #[inline(always)]
    pub(crate) fn connections_shed(_: u64) {}

    #[inline(always)]
    #[cfg(feature = "tls")]
    pub(crate) fn handshake_failed(_: &crate::TlsError) {}
}

#[cfg(feature = "client")]
mod client {
    use super::Span;
    use crate::{ClientError, ConnectError, Target};

    pub(crate) struct Calling;

    impl Calling {
        #[inline(always)]
        pub(crate) fn begin(_: &http::Method, _: &http::Uri, _: Option<&Target>) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn span(&self) -> Span {
            Span
        }

        #[inline(always)]
        pub(crate) fn end<B>(self, _: &Result<http::Response<B>, ClientError>) {}
    }

    pub(crate) struct Waiting;

    #[inline(always)]
    pub(crate) fn pool_hit() {}

    #[inline(always)]
    pub(crate) fn pool_miss() -> Waiting {
        Waiting
    }

    #[inline(always)]
    pub(crate) fn pool_retry(_: &Target) {}

    #[inline(always)]
    pub(crate) fn connect_failed(_: &ConnectError) {}
}

#[cfg(all(test, feature = "server", feature = "client"))]
mod tests {
    use super::{Calling, Connection, Serving, Span, Waiting};

    /// What is kept along with connections, requests and calls is nothing, and nothing is done when it is dropped.
    #[test]
    fn nothing_is_kept() {
        assert_eq!(size_of::<(Calling, Connection, Serving, Span, Waiting)>(), 0);
        assert!(!std::mem::needs_drop::<(Calling, Connection, Serving, Span, Waiting)>());
    }
}
