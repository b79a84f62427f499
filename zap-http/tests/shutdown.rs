//! Shutdown under load: whatever a handler has begun to answer reaches its client, and nobody is given half an answer.
#![cfg(all(feature = "server", feature = "client"))]

mod listening;

use std::collections::HashSet;
use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Path;
use axum::routing::get;
use listening::{frame, soon};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use zap_http::proto::{Deframer, FrameLimits, MAX_FRAME_LEN, Response};
use zap_http::{Client, ClientError, Served, ServerHandle, serve};

/// Requests by what their paths say.
type Ids = Arc<Mutex<HashSet<String>>>;

/// Answers with what it was asked, sometimes at once and sometimes not; notes what it is asked.
async fn start(handled: &Ids) -> (SocketAddr, ServerHandle, JoinHandle<Served>) {
    let handled = Arc::clone(handled);
    let app = Router::new().route(
        "/{id}",
        get(move |Path(id): Path<String>| async move {
            assert!(handled.lock().unwrap().insert(id.clone()), "{id} came twice");
            for _ in 0..id.len() % 3 {
                tokio::task::yield_now().await;
            }
            // Longer than what is sent from a copy.
            id.repeat(if id.ends_with('7') { 5_000 } else { 1 })
        }),
    );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = serve(listener, app);
    (address, server.handle(), tokio::spawn(server.into_future()))
}

fn is_answer_to(body: &[u8], id: &str) -> bool {
    body.strip_prefix(id.as_bytes()).is_some() && body.len() == id.len() * if id.ends_with('7') { 5_000 } else { 1 }
}

/// Sends request after request, up to sixteen ahead of their answers, until the server is gone; all answers that came.
async fn pipeline(address: SocketAddr, client: usize) -> HashSet<String> {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut input, mut output) = stream.into_split();
    let ahead = Arc::new(tokio::sync::Semaphore::new(16));
    let room = Arc::clone(&ahead);
    let writing = tokio::spawn(async move {
        for number in 0.. {
            room.acquire().await.unwrap().forget();
            if output.write_all(&frame("GET", &format!("/{client}-{number}"), b"")).await.is_err() {
                break;
            }
        }
        output
    });
    let (mut answered, mut deframer, mut buffer) = (HashSet::new(), Deframer::new(MAX_FRAME_LEN), vec![0; 64 << 10]);
    let mut spare = Vec::new();
    while let Ok(len) = soon(input.read(&mut buffer)).await {
        if len == 0 {
            break;
        }
        deframer.recv(&buffer[..len]);
        let mut batch = deframer.take_batch(spare);
        while let Some(frame) = batch.next_frame() {
            let response = Response::decode(frame, &FrameLimits::new()).unwrap();
            let id = format!("{client}-{}", answered.len());
            assert!(response.status() == 200 && is_answer_to(response.body(), &id), "{id}");
            answered.insert(id);
            ahead.add_permits(1);
        }
        spare = batch.into_spare();
    }
    assert!(deframer.is_empty(), "an answer was cut");
    writing.abort();
    answered
}

#[test]
fn every_request_that_was_handled_is_answered() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for round in 0..8 {
        runtime.block_on(async {
            let handled = Ids::default();
            let (address, handle, server) = start(&handled).await;
            let mut clients = JoinSet::new();
            for client in 0..16 {
                clients.spawn(pipeline(address, client));
            }
            // In the middle of it, each time at another place.
            let busy = 200 * (round + 1);
            listening::until(async || handled.lock().unwrap().len() > busy).await;
            handle.shutdown();
            let mut answered = HashSet::new();
            while let Some(client) = clients.join_next().await {
                answered.extend(client.unwrap());
            }
            let served = soon(server).await.unwrap();
            let handled = handled.lock().unwrap().clone();
            let lost: Vec<_> = handled.difference(&answered).collect();
            assert!(lost.is_empty(), "round {round}: {} of {} were lost: {lost:?}", lost.len(), handled.len());
            assert_eq!((served.connections, answered.len()), (16, handled.len()));
        });
    }
}

/// A call that fails was not handled; one that was handled does not fail.
#[test]
fn calls_know_whether_they_were_handled() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let handled = Ids::default();
        let (address, handle, server) = start(&handled).await;
        let client = Client::to(format!("zap://{address}").as_str()).unwrap();
        let mut calls = JoinSet::new();
        for task in 0..32 {
            let client = client.clone();
            calls.spawn(async move {
                let mut answered = HashSet::new();
                for number in 0.. {
                    let id = format!("{task}-{number}");
                    match soon(client.get(format!("/{id}")).send()).await {
                        Ok(response) => {
                            assert!(is_answer_to(&response.bytes().await.unwrap(), &id), "{id}");
                            answered.insert(id);
                        }
                        Err(ClientError::Connect(_) | ClientError::Closed { answer_seen: false, .. }) => break,
                        Err(error) => panic!("{error:?}"),
                    }
                }
                answered
            });
        }
        listening::until(async || handled.lock().unwrap().len() > 1_000).await;
        handle.shutdown();
        let answered: HashSet<_> = calls.join_all().await.into_iter().flatten().collect();
        soon(server).await.unwrap();
        assert_eq!(answered, *handled.lock().unwrap());
    });
}
