//! The same calls by reqwest over HTTP and by zap-http over ZAP, side by side: what changes is the client and the scheme.

use std::future::IntoFuture;
use std::time::Duration;

use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use zap_http::listen;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reading {
    station: String,
    celsius: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listeners = listen(["http://127.0.0.1:0", "zap://127.0.0.1:0"]).bind().await?;
    let bound = listeners.local_addresses()?;
    let http = format!("http://{}", bound[0].socket_addr().ok_or("no address")?);
    let zap = format!("zap://{}", bound[1].socket_addr().ok_or("no address")?);
    tokio::spawn(listeners.serve(app()).into_future());

    // A client is made once, and its clones share connections.
    let before = reqwest::Client::builder().connect_timeout(Duration::from_secs(5)).build()?;
    let after = zap_http::Client::builder().connect_timeout(Duration::from_secs(5)).build();

    // Text, with a header and a timeout for this call.
    let old =
        before.get(format!("{http}/hello")).header("x-name", "Ada").timeout(Duration::from_secs(5)).send().await?;
    let new = after.get(format!("{zap}/hello")).header("x-name", "Ada").timeout(Duration::from_secs(5)).send().await?;
    assert_eq!(old.status(), new.status());
    show("text", old.text().await?, new.text().await?);

    // JSON both ways.
    let reading = Reading { station: "north".into(), celsius: -3.5 };
    let old: Reading = before.post(format!("{http}/readings")).json(&reading).send().await?.json().await?;
    let new: Reading = after.post(format!("{zap}/readings")).json(&reading).send().await?.json().await?;
    show("json", old, new);

    // A status that is an error.
    let old = before.get(format!("{http}/missing")).send().await?.error_for_status();
    let new = after.get(format!("{zap}/missing")).send().await?.error_for_status();
    let old = old.err().and_then(|error| error.status());
    let new = new.err().and_then(|error| match error {
        zap_http::ClientError::Status(status) => Some(status),
        _ => None,
    });
    show("status", old, new);

    // A body piece by piece.
    let mut old = before.get(format!("{http}/hello")).send().await?;
    let mut new = after.get(format!("{zap}/hello")).send().await?;
    show("chunk", old.chunk().await?, new.chunk().await?);
    Ok(())
}

fn app() -> Router {
    let hello = |headers: axum::http::HeaderMap| async move {
        let name = headers.get("x-name").and_then(|name| name.to_str().ok()).unwrap_or("you").to_owned();
        format!("hello, {name}")
    };
    Router::new()
        .route("/hello", get(hello))
        .route("/readings", post(|Json(reading): Json<Reading>| async { Json(reading) }))
        .fallback(|| async { StatusCode::NOT_FOUND })
}

fn show<T: PartialEq + std::fmt::Debug>(what: &str, old: T, new: T) {
    assert_eq!(old, new);
    println!("{what}: {new:?}");
}
