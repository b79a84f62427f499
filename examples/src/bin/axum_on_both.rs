//! One axum app on ZAP and HTTP at once, so that callers can move one by one:
//! `cargo run -p zap-examples --bin axum_on_both -- zap://127.0.0.1:9999 http://127.0.0.1:8080`

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use zap_http::listen;

/// The last reading of each station.
type Readings = Arc<Mutex<BTreeMap<String, Reading>>>;

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Reading {
    celsius: f64,
}

#[derive(Deserialize)]
struct Limit {
    limit: Option<usize>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = Router::new()
        .route("/stations", get(stations))
        .route("/stations/{name}", get(reading).put(store))
        .with_state(Readings::default());

    let mut addresses: Vec<String> = std::env::args().skip(1).collect();
    if addresses.is_empty() {
        addresses = vec![":9999".to_owned(), "http://127.0.0.1:8080".to_owned()];
    }
    let listeners = listen(addresses).bind().await?;
    for address in listeners.local_addresses()? {
        println!("listening on {address}");
    }
    listeners.serve(app).await;
    Ok(())
}

async fn stations(State(readings): State<Readings>, Query(query): Query<Limit>) -> Json<Vec<String>> {
    let limit = query.limit.unwrap_or(usize::MAX);
    Json(readings.lock().unwrap().keys().take(limit).cloned().collect())
}

async fn reading(State(readings): State<Readings>, Path(name): Path<String>) -> Result<Json<Reading>, StatusCode> {
    readings.lock().unwrap().get(&name).copied().map(Json).ok_or(StatusCode::NOT_FOUND)
}

async fn store(State(readings): State<Readings>, Path(name): Path<String>, Json(reading): Json<Reading>) -> StatusCode {
    readings.lock().unwrap().insert(name, reading);
    StatusCode::NO_CONTENT
}
