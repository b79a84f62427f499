//! Stopping a server from outside.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::watch;

/// Stops the server that it was taken from. Clones stop the same one.
///
/// # Examples
///
/// ```
/// # async fn run(listener: tokio::net::TcpListener, app: axum::Router) {
/// use std::future::IntoFuture;
///
/// let server = zap_http::serve(listener, app);
/// let handle = server.handle();
/// let server = tokio::spawn(server.into_future());
/// // ...
/// handle.shutdown();
/// let served = server.await;
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServerHandle(Arc<watch::Sender<bool>>);

impl ServerHandle {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Accepts no more, answers all requests that were read, and closes. Returns at once; the server's future ends when it
    /// is done.
    pub fn shutdown(&self) {
        self.0.send_replace(true);
    }

    /// Whether it was told to stop.
    #[must_use]
    pub fn is_shutting_down(&self) -> bool {
        *self.0.borrow()
    }

    /// Ready once told to stop.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut stopped = self.0.subscribe();
        async move {
            if stopped.wait_for(|stopped| *stopped).await.is_err() {
                pending::<()>().await;
            }
        }
    }
}

/// A signal of the caller's to stop.
pub(super) type Signal = Pin<Box<dyn Future<Output = ()> + Send>>;
