//! Server-sent events: an answer without end, sent event by event, and a client that reads until it has enough.
//!
//! No flag is needed: a body that is not there at once is streamed.

use std::convert::Infallible;
use std::future::IntoFuture;
use std::time::Duration;

use axum::Router;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{self, Stream};
use tokio::net::TcpListener;
use zap_http::{Client, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("zap://{}/ticks", listener.local_addr()?);
    tokio::spawn(serve(listener, Router::new().route("/ticks", get(ticks))).into_future());

    let mut response = Client::new().get(url.as_str()).send().await?.error_for_status()?;
    println!("{}", response.headers()["content-type"].to_str()?);
    let mut events = Events::default();
    while let Some(chunk) = response.chunk().await? {
        for data in events.push(&String::from_utf8_lossy(&chunk)) {
            println!("event: {data}");
            if data == "tick 3" {
                // Dropping the response cancels it; the server drops its stream.
                return Ok(());
            }
        }
    }
    Err("the stream has no end".into())
}

async fn ticks() -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let ticks = stream::unfold(1, |count| async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Some((Ok(Event::default().data(format!("tick {count}"))), count + 1))
    });
    Sse::new(ticks).keep_alive(KeepAlive::default())
}

/// Takes text as it comes, and gives the data of events: an event ends with an empty line, wherever chunks end.
#[derive(Default)]
struct Events {
    rest: String,
}

impl Events {
    fn push(&mut self, text: &str) -> Vec<String> {
        self.rest.push_str(text);
        let mut found = Vec::new();
        while let Some(end) = self.rest.find("\n\n") {
            let event: String = self.rest.drain(..end + 2).collect();
            found.extend(event.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned));
        }
        found
    }
}
