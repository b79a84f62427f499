//! The pool under load: many tasks call while connections come and go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use zap_http::{Client, ClientError};

use super::pool::{echo, poll_once};
use super::support::{Peer, listen, start, whole};

/// How often each target was asked for.
type Served = Arc<Mutex<HashMap<String, usize>>>;

/// A server that closes a connection some time after an answer: while it is idle, or while the next request is on its way.
async fn serve_impatiently(listener: TcpListener, served: Served) {
    for number in 0_u64.. {
        let (mut peer, served) = (Peer::accept(&listener).await, Arc::clone(&served));
        tokio::spawn(async move {
            let mut seen = peer.request().await;
            let mut patience = number;
            while let Some(request) = seen {
                *served.lock().unwrap().entry(request.target.clone()).or_default() += 1;
                peer.send(&whole(200, request.target.as_bytes())).await;
                patience += 5;
                let pause = Duration::from_micros(patience * 97 % 2000);
                seen = tokio::time::timeout(pause, peer.request()).await.ok().flatten();
            }
        });
    }
}

/// Many tasks call while the server closes idle connections: every call has its own answer.
#[test]
fn a_server_that_closes_idle_connections() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let (listener, url) = listen().await;
        tokio::spawn(serve_impatiently(listener, Served::default()));
        let client = Client::to(&url[..]).unwrap();
        let mut calls = JoinSet::new();
        for task in 0..64_u64 {
            let client = client.clone();
            calls.spawn(async move {
                for call in 0..40 {
                    let target = format!("/{task}-{call}");
                    let response = client.get(&*target).send().await.unwrap();
                    assert_eq!(response.text().await.unwrap(), target);
                    // Idle for about as long as the server allows.
                    tokio::time::sleep(Duration::from_micros((task * 7 + call * 13) % 1000)).await;
                }
            });
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap();
        }
    });
}

/// The same with requests that must not be served twice: each is served once and answered, or its caller is told that it
/// may not have been. None is sent again after it may have arrived.
#[test]
fn unsafe_requests_while_idle_connections_close() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let (listener, url) = listen().await;
        let served = Served::default();
        tokio::spawn(serve_impatiently(listener, Arc::clone(&served)));
        let client = Client::to(&url[..]).unwrap();
        let mut calls = JoinSet::new();
        for task in 0..64_u64 {
            let client = client.clone();
            calls.spawn(async move {
                let mut answered = Vec::new();
                for call in 0..40 {
                    let target = format!("/{task}-{call}");
                    match client.post(&*target).body("once").send().await {
                        Ok(response) => {
                            assert_eq!(response.text().await.unwrap(), target);
                            answered.push(target);
                        }
                        Err(ClientError::Closed { answer_seen: false, may_retry: false, .. }) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                    tokio::time::sleep(Duration::from_micros((task * 7 + call * 13) % 1000)).await;
                }
                answered
            });
        }
        let answered: Vec<_> = calls.join_all().await.into_iter().flatten().collect();
        let served = served.lock().unwrap();
        assert!(served.values().all(|times| *times == 1), "one was served twice");
        assert!(answered.iter().all(|target| served.contains_key(target)));
        // A connection that is seen to be closed is not used: failures are the exception.
        assert!(answered.len() > 64 * 40 / 2, "{} answers", answered.len());
    });
}

#[test]
fn shared_connections_under_load() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let builder = Client::builder().max_in_flight_per_connection(16).max_connections(4);
        let client = builder.to(&*start(echo()).await).unwrap();
        let mut calls = JoinSet::new();
        for task in 0..64 {
            let client = client.clone();
            calls.spawn(async move {
                for call in 0..50 {
                    let id = format!("{task}-{call}");
                    let mut send = Box::pin(client.get(format!("/{id}")).send());
                    if call % 10 == 9 {
                        // Sent, and dropped: its answer must be nobody's.
                        let _ = poll_once(std::slice::from_mut(&mut send)).await;
                        continue;
                    }
                    assert_eq!(send.await.unwrap().text().await.unwrap(), id);
                }
            });
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap();
        }
    });
}
