//! The server's process: one kind of server on one core, until the other end of its standard input is closed.

use std::future::IntoFuture;
use std::io::Write as _;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use super::{Kind, SERVER_CORE, app, child, floor};
use crate::alloc;

/// Serves on a port of loopback, which is printed first.
///
/// # Errors
///
/// The core cannot be had, or the port.
pub fn serve_one(kind: Kind) -> Result<(), String> {
    std::thread::spawn(obey);
    child::pin_to(SERVER_CORE)?;
    #[cfg(peers)]
    if kind.is_peer() {
        return super::peers::serve(kind, say);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(text)?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(text)?;
        say(listener.local_addr().map_err(text)?.port().into())?;
        match kind {
            Kind::Floor => floor::serve(listener).await,
            Kind::ZapNative | Kind::ZapClient => {
                zap_http::serve_handler(listener, app::Native).into_future().await;
                Ok(())
            }
            Kind::ZapAxum => {
                zap_http::serve(listener, app::router()).into_future().await;
                Ok(())
            }
            Kind::Http1Axum => serve_router(listener, false).await,
            Kind::Http1AxumFlush => serve_router(listener, true).await,
            Kind::Http1Hyper => serve_hyper(listener).await,
            #[cfg(peers)]
            _ => Ok(()),
        }
    })
}

/// Does what is asked on the standard input: whoever started us ends us by closing it, also by dying.
fn obey() {
    for line in std::io::stdin().lines() {
        let Ok(line) = line else { break };
        if say(alloc::count_all(line == "count")).is_err() {
            break;
        }
    }
    std::process::exit(0);
}

/// A line for whoever started us.
fn say(number: u64) -> Result<(), String> {
    writeln!(std::io::stdout(), "{number}").and_then(|()| std::io::stdout().flush()).map_err(text)
}

/// The router, by hyper's HTTP/1.1 server itself: `axum::serve` looks for HTTP/2 first.
async fn serve_router(listener: TcpListener, pipeline_flush: bool) -> Result<(), String> {
    let service = TowerToHyperService::new(app::router());
    loop {
        let (stream, service) = (accept(&listener).await?, service.clone());
        tokio::spawn(async move {
            http1::Builder::new().pipeline_flush(pipeline_flush).serve_connection(stream, service).await
        });
    }
}

async fn serve_hyper(listener: TcpListener) -> Result<(), String> {
    loop {
        let stream = accept(&listener).await?;
        tokio::spawn(async move { http1::Builder::new().serve_connection(stream, service_fn(app::hyper)).await });
    }
}

async fn accept(listener: &TcpListener) -> Result<TokioIo<TcpStream>, String> {
    let (stream, _) = listener.accept().await.map_err(text)?;
    stream.set_nodelay(true).map_err(text)?;
    Ok(TokioIo::new(stream))
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
