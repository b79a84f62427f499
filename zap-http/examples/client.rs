//! Calls a service: `cargo run --example client -- zap://survey.example/stations`. Without a URL it calls a small one of
//! its own.

use std::future::IntoFuture;

use axum::Router;
use axum::routing::get;
use tokio::net::TcpListener;
use zap_http::{Client, serve};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = match std::env::args().nth(1) {
        Some(url) => url,
        None => start_service().await?,
    };
    let client = Client::new();
    let mut response = client.get(url.as_str()).header("accept", "*/*").send().await?;
    println!("{}", response.status());
    for (name, value) in response.headers() {
        println!("{name}: {}", value.to_str().unwrap_or("(not text)"));
    }
    println!();
    // Piece by piece, so that an answer without end is shown, too.
    while let Some(chunk) = response.chunk().await? {
        print!("{}", String::from_utf8_lossy(&chunk));
    }
    println!();
    Ok(())
}

/// Starts a service, and says where it is.
async fn start_service() -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("zap://{}/stations", listener.local_addr()?);
    let app = Router::new().route("/stations", get(|| async { "[]" }));
    tokio::spawn(serve(listener, app).into_future());
    Ok(url)
}
