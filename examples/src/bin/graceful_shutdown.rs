//! A server that ends well: on SIGTERM it accepts no more, answers what it has read, and exits.
//! `cargo run -p zap-examples --bin graceful_shutdown -- zap://127.0.0.1:9999`, then `kill` it.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use tokio::signal::unix::{SignalKind, signal};
use zap_http::{ServeConfig, listen};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = Router::new().route("/report", get(report));
    // Kubernetes and systemd send SIGTERM, a terminal sends SIGINT.
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let told_to_stop = async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        println!("stopping");
    };
    // Less than the grace that is given to the process: Kubernetes kills after 30 s.
    let mut config = ServeConfig::default();
    config.shutdown_timeout = Duration::from_secs(20);

    let address = std::env::args().nth(1).unwrap_or_else(|| ":9999".to_owned());
    let listeners = listen(address).bind().await?;
    println!("listening on {}", listeners.local_addresses()?[0]);
    let served = listeners.serve(app).config(config).with_shutdown(told_to_stop).await;
    println!("served {} connections", served.connections);
    Ok(())
}

/// Takes a while.
async fn report() -> &'static str {
    println!("a report is being made");
    tokio::time::sleep(Duration::from_millis(300)).await;
    "all is well"
}
