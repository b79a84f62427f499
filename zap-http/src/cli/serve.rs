//! `serve`: a directory, or the echo of every request.

use std::convert::Infallible;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::CONTENT_TYPE;
use http::{Request, Response};
use tower_service::Service;
use zap_http::{Body, ServeConfig};

use crate::failure::Failure;
use crate::files::{Content, Files};
use crate::server;

/// `serve`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The directory whose files are served. Only files in it: no names that begin with a dot, no links that lead out of it,
    /// no lists of names. A directory in it is its index.html.
    #[arg(value_name = "DIR", required_unless_present = "echo", conflicts_with = "echo")]
    directory: Option<PathBuf>,
    /// Answer every request with its own body and content-type.
    #[arg(long)]
    echo: bool,
    #[command(flatten)]
    listen: server::Listen,
}

pub(crate) async fn serve(arguments: Arguments) -> Result<(), Failure> {
    let site = match &arguments.directory {
        None => Site::Echo,
        Some(path) => {
            let files = Files::open(path);
            let files = files.map_err(|error| Failure::of(format_args!("cannot serve {}", path.display()), error))?;
            Site::Files(Arc::new(files))
        }
    };
    server::run(arguments.listen, ServeConfig::default(), site).await
}

/// What is served.
#[derive(Clone)]
enum Site {
    Files(Arc<Files>),
    Echo,
}

impl Service<Request<Body>> for Site {
    type Response = Response<Content>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        match self {
            Self::Echo => Box::pin(std::future::ready(Ok(echo(request)))),
            Self::Files(files) => {
                let files = Arc::clone(files);
                Box::pin(async move { Ok(files.answer(request.method(), request.uri().path()).await) })
            }
        }
    }
}

fn echo(request: Request<Body>) -> Response<Content> {
    let (mut parts, body) = request.into_parts();
    let mut response = Response::new(Content::Passed(Box::pin(body)));
    if let Some(content_type) = parts.headers.remove(CONTENT_TYPE) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    response
}
