//! What the commands that serve share: addresses, the lines that say where, and the end by a signal.

use http::{Request, Response};
use tower_service::Service;
use zap_http::{Body, ListenAddress, ListenError, Scheme, ServeConfig, listen};

use crate::failure::{Failure, tell};
use crate::tls;

/// Where to listen.
#[derive(Debug, clap::Args)]
pub(crate) struct Listen {
    /// Where to listen: :9999 or zap://host:9999 for ZAP, zaps://host:9999 for ZAP in TLS (with --cert and --key),
    /// unix:/run/app.sock for ZAP on a unix socket, http://host:8080 for HTTP/1.1 and HTTP/2. A port of 0 lets the system choose. May be given several times.
    #[arg(long = "listen", value_name = "ADDRESS", required = true)]
    addresses: Vec<String>,
    #[command(flatten)]
    pub(crate) tls: tls::Serving,
}

impl Listen {
    /// Whether nothing but HTTP is spoken.
    pub(crate) fn is_http_only(&self) -> bool {
        let mut schemes =
            self.addresses.iter().map(|address| address.parse().map(|address: ListenAddress| address.scheme()));
        schemes.all(|scheme| scheme == Ok(Scheme::Http))
    }
}

/// Serves until it is told to stop, by Ctrl-C or SIGTERM; what was asked by then is answered.
pub(crate) async fn run<S, B>(listen_on: Listen, config: ServeConfig, service: S) -> Result<(), Failure>
where
    S: Service<Request<Body>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body + Send + 'static,
{
    let mut to_listen = listen(&listen_on.addresses[..]);
    if let Some(tls) = listen_on.tls.server()? {
        to_listen = to_listen.tls(tls);
    }
    let listeners = to_listen.bind().await.map_err(|error| match error {
        ListenError::Bind { .. } => Failure::by(error),
        ListenError::NoTls { .. } => Failure::usage(format!("{error}: --cert and --key do")),
        error => Failure::usage(crate::failure::chain(&error)),
    })?;
    let places = listeners.local_addresses().map_err(|error| Failure::of("cannot listen", error))?;
    let stop = told_to_stop().map_err(|error| Failure::of("cannot wait for signals", error))?;
    for (address, place) in listen_on.addresses.iter().zip(places) {
        match (address.split_once("://"), place.socket_addr()) {
            (Some((scheme, _)), Some(place)) => tell(format_args!("listening on {scheme}://{place}")),
            (None, Some(place)) => tell(format_args!("listening on zap://{place}")),
            (_, None) => tell(format_args!("listening on {place}")),
        }
    }
    listeners.serve(service).config(config).with_shutdown(stop).await;
    Ok(())
}

/// Ready when the process is told to stop. From now on signals no longer end it at once.
#[cfg(unix)]
fn told_to_stop() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn told_to_stop() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            // It cannot be told; it ends with its process.
            std::future::pending::<()>().await;
        }
    })
}
