//! `gateway`: HTTP in front of ZAP, or ZAP in front of HTTP.

use std::convert::Infallible;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response};
use tower_service::Service;
use zap_http::gateway::{self, Gateway, GatewayBody, GatewayError};
use zap_http::{Body, Client, ServeConfig, Target, TargetScheme};

use crate::failure::{Failure, chain, tell};
use crate::{server, tls};

/// `gateway`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  zap-http gateway --listen http://:8080 --to zap://survey.example:9999
  zap-http gateway --listen zap://:9999 --listen unix:/run/survey.sock --to http://127.0.0.1:8080

Requests are written anew: what is about one connection only is left out, and what two servers could
read differently is refused. An upstream that cannot be reached is answered 502, one that takes too
long 504; the cause goes to standard error, not to the client.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    listen: server::Listen,
    /// Where requests go: zap://host:9999, zaps://host:9999 or unix:/run/app.sock for ZAP, http://host:8080 for HTTP/1.1.
    #[arg(long, value_name = "UPSTREAM")]
    to: String,
    /// Bytes of a request's body to ZAP, which carries requests whole; a longer one is answered 413.
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = clap::value_parser!(u32).range(1..=64 << 20))]
    max_body: u32,
    /// Send requests on as they come instead of collecting them first: to HTTP, and to those ZAP servers that say that they
    /// take this, which they are asked once per connection by OPTIONS *. Bodies that are streamed are not bounded.
    #[arg(long)]
    stream_requests: bool,
    /// Seconds until the answer of the upstream must begin.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
    /// Add to the Forwarded and X-Forwarded headers of clients instead of replacing them: only if nobody but other gateways
    /// can reach this one.
    #[arg(long)]
    keep_forwarded: bool,
    /// For a zaps:// upstream: trust the certificates of this file of PEM instead of those that the system trusts.
    #[arg(long, value_name = "FILE", help_heading = "TLS")]
    ca: Option<PathBuf>,
    /// For a zaps:// upstream: show this certificate, a file of PEM, if it asks for one.
    #[arg(long, value_name = "FILE", requires = "to_key", help_heading = "TLS")]
    to_cert: Option<PathBuf>,
    /// The private key of --to-cert, a file of PEM.
    #[arg(long, value_name = "FILE", requires = "to_cert", help_heading = "TLS")]
    to_key: Option<PathBuf>,
}

pub(crate) async fn gateway(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { listen, to, max_body, stream_requests, timeout, keep_forwarded, ca, to_cert, to_key } = arguments;
    let timeout = Duration::from_secs(timeout);
    let wrong = |error: &dyn std::error::Error| Failure::usage(format!("{to:?} is no upstream: {error}"));
    let mut gateway = match to.starts_with("http://") {
        true => gateway::to_http(&to).map_err(|error| wrong(&error))?,
        false => {
            let target: Target = to.parse().map_err(|error| wrong(&error))?;
            let mut client = Client::builder().head_timeout(timeout).stream_requests(stream_requests);
            if target.scheme() == TargetScheme::Zaps {
                let tls = tls::Calling::new(ca, to_cert.zip(to_key), listen.tls.classical);
                client = client.tls(tls.client()?);
            }
            gateway::to_zap_with(client, target).map_err(|error| wrong(&error))?
        }
    };
    gateway = gateway.max_body_len(max_body as usize).head_timeout(timeout);
    if keep_forwarded {
        gateway = gateway.keep_forwarded();
    }
    let mut config = ServeConfig::default();
    config.connection.stream_requests = stream_requests;
    if listen.is_http_only() {
        // The listener collects bodies, too: no more of them than will be sent on.
        config.connection.frame.max_frame_len = max_body;
    }
    server::run(listen, config, Logged(gateway)).await
}

/// Tells the gateway's owner what its clients are not told.
#[derive(Clone)]
struct Logged(Gateway);

impl Service<Request<Body>> for Logged {
    type Response = Response<GatewayBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let line = format!("{} {}", request.method(), request.uri().path());
        let call = self.0.call(request);
        Box::pin(async move {
            let response = call.await?;
            if let Some(error) = response.extensions().get::<GatewayError>() {
                tell(format_args!("{line}: {} {}", error.status().as_u16(), chain(error)));
            }
            Ok(response)
        })
    }
}
