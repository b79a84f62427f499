//! The pool: who is given which connection, and what becomes of those not needed.

use std::collections::HashSet;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::extract::Path;
use axum::routing::{any, get};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use zap_http::{Client, ClientBuilder, ClientError, ConnectionInfo};

use super::support::{Peer, data, end, head, listen, start, whole};

/// Answers with the port of the peer: which connection it was.
fn ports() -> Router {
    Router::new().fallback(any(|info: axum::Extension<ConnectionInfo>| async move {
        info.peer_addr().unwrap().port().to_string()
    }))
}

async fn port(client: &Client) -> String {
    client.get("/").send().await.unwrap().text().await.unwrap()
}

/// Answers with what the path says.
pub(super) fn echo() -> Router {
    Router::new().route("/{id}", get(|Path(id): Path<String>| async { id }))
}

#[tokio::test]
async fn a_connection_is_kept() {
    let client = Client::to(&*start(ports()).await).unwrap();
    let first = port(&client).await;
    for _ in 0..10 {
        assert_eq!(port(&client.clone()).await, first);
    }
}

#[tokio::test]
async fn targets_that_are_the_same_share_their_connections() {
    let url = start(ports()).await;
    let port = url.rsplit(':').next().unwrap();
    let client = Client::new();
    let mut seen = HashSet::new();
    for url in
        [format!("zap://localhost:{port}/a"), format!("ZAP://LOCALHOST:{port}/b"), format!("zap://localhost:{port}")]
    {
        seen.insert(client.get(url).send().await.unwrap().text().await.unwrap());
    }
    assert_eq!(seen.len(), 1);
    seen.insert(client.get(format!("zap://127.0.0.1:{port}")).send().await.unwrap().text().await.unwrap());
    assert_eq!(seen.len(), 2);
}

/// With two connections for ten calls: never a third, and every call is answered.
#[tokio::test]
async fn connections_are_bounded() {
    let (listener, url) = listen().await;
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (counted, seen) = (Arc::clone(&open), Arc::clone(&most));
    tokio::spawn(async move {
        loop {
            let peer = Peer::accept(&listener).await;
            seen.fetch_max(counted.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                peer.echo().await;
                counted.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    let client = Client::builder().max_connections(2).to(&url[..]).unwrap();
    let mut calls = JoinSet::new();
    for id in 0..10 {
        let client = client.clone();
        calls.spawn(async move {
            for _ in 0..20 {
                let target = format!("/{id}");
                assert_eq!(client.get(&*target).send().await.unwrap().text().await.unwrap(), target);
            }
        });
    }
    calls.join_all().await;
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

/// Polls all of them once, in order.
pub(super) async fn poll_once<F: Future>(futures: &mut [std::pin::Pin<Box<F>>]) -> Vec<Poll<F::Output>> {
    poll_fn(|context| Poll::Ready(futures.iter_mut().map(|future| future.as_mut().poll(context)).collect())).await
}

#[tokio::test]
async fn waiting_calls_are_bounded_and_served_in_order() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_connections(1).max_waiters(3).to(&url[..]).unwrap();
    let call = |id: u32| Box::pin(client.get(format!("/{id}")).send());
    let first = tokio::spawn(call(0));
    let mut peer = Peer::accept(&listener).await;
    assert_eq!(peer.target().await, "/0");
    let mut waiting: Vec<_> = (1..=3).map(call).collect();
    assert!(poll_once(&mut waiting).await.iter().all(Poll::is_pending));
    let mut too_many = [call(4)];
    let refused = poll_once(&mut too_many).await.pop().unwrap();
    assert!(matches!(refused, Poll::Ready(Err(ClientError::TooManyWaiters))));
    // One that is dropped leaves its place in line.
    drop(waiting.remove(0));
    let mut later = [call(5)];
    assert!(poll_once(&mut later).await[0].is_pending());
    waiting.extend(later);
    let server = async {
        peer.send(&whole(200, b"")).await;
        let mut order = Vec::new();
        for _ in 0..3 {
            order.push(peer.target().await);
            peer.send(&whole(200, b"")).await;
        }
        order
    };
    let calls = async {
        first.await.unwrap().unwrap();
        let mut calls = JoinSet::new();
        waiting.into_iter().for_each(|call| drop(calls.spawn(call)));
        calls.join_all().await.into_iter().for_each(|response| drop(response.unwrap()));
    };
    let (order, ()) = tokio::join!(server, calls);
    assert_eq!(order, ["/2", "/3", "/5"]);
}

/// Three connections become idle; the client closes two.
#[tokio::test]
async fn idle_connections_are_bounded() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_idle_per_address(1).to(&url[..]).unwrap();
    let mut calls = JoinSet::new();
    (0..3).for_each(|_| drop(calls.spawn(client.get("/").send())));
    let mut peers = Vec::new();
    for _ in 0..3 {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peers.push(peer);
    }
    let mut ends = JoinSet::new();
    for mut peer in peers {
        peer.send(&whole(200, b"")).await;
        ends.spawn(async move { peer.request().await.map(|_| peer) });
    }
    assert!(calls.join_all().await.iter().all(Result::is_ok));
    for _ in 0..2 {
        assert!(ends.join_next().await.unwrap().unwrap().is_none(), "closed without a request");
    }
    let (response, kept) = tokio::join!(client.get("/").send(), async {
        let mut kept = ends.join_next().await.unwrap().unwrap().expect("a request");
        kept.send(&whole(200, b"kept")).await;
        kept
    });
    assert_eq!(response.unwrap().text().await.unwrap(), "kept");
    drop(kept);
}

/// One call; then the server's end of its connection.
async fn one_call(builder: ClientBuilder) -> (Client, TcpListener, Peer) {
    let (listener, url) = listen().await;
    let client = builder.to(&url[..]).unwrap();
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&whole(200, b"")).await;
        peer
    };
    let (response, peer) = tokio::join!(client.get("/").send(), server);
    response.unwrap();
    (client, listener, peer)
}

#[tokio::test]
async fn an_idle_connection_is_closed_after_a_while() {
    let (_client, _listener, mut peer) = one_call(Client::builder().idle_timeout(Duration::from_millis(20))).await;
    assert_eq!(peer.request().await, None);
}

#[tokio::test]
async fn an_old_connection_is_closed_and_a_new_one_made() {
    // While it is idle.
    let (_client, _listener, mut peer) = one_call(Client::builder().max_age(Duration::from_millis(20))).await;
    assert_eq!(peer.request().await, None);
    // After each call.
    let client = Client::builder().max_age(Duration::ZERO).to(&*start(ports()).await).unwrap();
    let seen: HashSet<_> = [port(&client).await, port(&client).await, port(&client).await].into();
    assert_eq!(seen.len(), 3);
}

#[tokio::test]
async fn the_last_clone_closes_what_is_idle() {
    let (client, _listener, mut peer) = one_call(Client::builder()).await;
    let clone = client.clone();
    drop(client);
    let (response, ()) = tokio::join!(clone.get("/").send(), async {
        peer.target().await;
        peer.send(&[head(200), data(b"x")].concat()).await;
    });
    // An answer that is being read goes on.
    let mut response = response.unwrap();
    drop(clone);
    assert_eq!(response.chunk().await.unwrap().unwrap(), "x");
    peer.send(&end(&[])).await;
    assert_eq!(response.chunk().await.unwrap(), None);
    assert_eq!(peer.request().await, None);
}

/// The only connection there may be is idle, and wanted elsewhere.
#[tokio::test]
async fn an_idle_connection_makes_room_for_another_address() {
    let urls = [start(ports()).await, start(ports()).await];
    let client = Client::builder().max_connections(1).build();
    for _ in 0..3 {
        for url in &urls {
            client.get(&**url).send().await.unwrap();
        }
    }
    // And while calls to both wait for it.
    let mut calls = JoinSet::new();
    for url in urls.iter().cycle().take(40) {
        calls.spawn(client.get(&**url).send());
    }
    assert!(calls.join_all().await.iter().all(Result::is_ok));
}

/// Calls that are dropped after any number of steps: the one connection is there for the next call all the same.
#[tokio::test]
async fn dropped_calls_leave_nothing_behind() {
    let app = Router::new().route(
        "/{id}",
        get(|Path(id): Path<String>| async {
            tokio::task::yield_now().await;
            id
        }),
    );
    let client = Client::builder().max_connections(1).to(&*start(app).await).unwrap();
    for steps in 0..40 {
        let busy = tokio::spawn(client.get("/busy").send());
        let mut left = steps;
        let mut call = pin!(client.get("/dropped").send());
        poll_fn(|context| {
            if left == 0 || call.as_mut().poll(context).is_ready() {
                return Poll::Ready(());
            }
            left -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        // `call` is dropped at the end of the turn, while the next ones run.
        let target = format!("/{steps}");
        let text = client.get(&*target).send().await.unwrap().text().await.unwrap();
        assert_eq!(text, target[1..]);
        assert_eq!(busy.await.unwrap().unwrap().text().await.unwrap(), "busy");
    }
}

/// A short rest of a dropped answer is skipped, and the connection kept; a long one costs it.
#[tokio::test]
async fn dropped_bodies() {
    for (rest, kept) in [(100, true), (300 << 10, false)] {
        let (client, listener, mut peer) = one_call(Client::builder().max_connections(1)).await;
        let (response, ()) = tokio::join!(client.get("/").send(), async {
            peer.target().await;
            peer.send(&[head(200), data(b"x")].concat()).await;
        });
        drop(response.unwrap());
        let server = async {
            // The client may close while this is on its way.
            let _ = peer.try_send(&[data(&vec![1; rest]), end(&[])].concat()).await;
            let mut peer = if kept { peer } else { Peer::accept(&listener).await };
            peer.target().await;
            peer.send(&whole(200, b"next")).await;
            peer
        };
        let (text, _peer) = tokio::join!(async { client.get("/").send().await.unwrap().text().await.unwrap() }, server);
        assert_eq!(text, "next");
    }
}

/// A handler learns that nobody waits for its answer any more, be it begun or not.
#[tokio::test]
async fn dropped_calls_end_their_handlers() {
    struct Told(tokio::sync::mpsc::UnboundedSender<&'static str>);
    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    let (told, mut tells) = tokio::sync::mpsc::unbounded_channel();
    let app = Router::new().route(
        "/{how}",
        get(move |Path(how): Path<String>| async move {
            let told = Told(told);
            told.0.send("begun").unwrap();
            if how == "waits" {
                std::future::pending::<()>().await;
            }
            // A body that says a word and then nothing, until it is dropped.
            axum::body::Body::new(Silent { told, begun: false })
        }),
    );
    struct Silent {
        told: Told,
        begun: bool,
    }
    impl http_body::Body for Silent {
        type Data = bytes::Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> Poll<Option<Result<http_body::Frame<bytes::Bytes>, std::convert::Infallible>>> {
            let _ = &self.told;
            if std::mem::replace(&mut self.begun, true) {
                return Poll::Pending;
            }
            Poll::Ready(Some(Ok(http_body::Frame::data("a word".into()))))
        }
    }
    let mut config = zap_http::proto::ClientConfig::default();
    config.discard_timeout = Duration::from_millis(20);
    let client = Client::builder().connection(config).to(&*start(app).await).unwrap();
    let mut next = async || tokio::time::timeout(Duration::from_secs(20), tells.recv()).await.unwrap().unwrap();
    let call = tokio::spawn(client.get("/waits").send());
    assert_eq!(next().await, "begun");
    call.abort();
    assert_eq!(next().await, "dropped");

    let response = client.get("/streams").send().await.unwrap();
    assert_eq!(next().await, "begun");
    drop(response);
    assert_eq!(next().await, "dropped");
}

/// Sixteen calls on each connection: all requests come before the first answer goes.
#[tokio::test]
async fn calls_that_share_a_connection_are_answered_in_order() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_in_flight_per_connection(16).to(&url[..]).unwrap();
    let mut calls = JoinSet::new();
    for id in 0..64 {
        let client = client.clone();
        calls.spawn(async move {
            for round in 0..3 {
                let target = format!("/{id}-{round}");
                assert_eq!(client.get(&*target).send().await.unwrap().text().await.unwrap(), target);
            }
        });
    }
    let mut peers = Vec::new();
    for _ in 0..4 {
        peers.push(Peer::accept(&listener).await);
    }
    for _ in 0..3 {
        let mut answers = Vec::new();
        for peer in &mut peers {
            let mut wire = Vec::new();
            for index in 0..16 {
                let target = peer.target().await;
                wire.extend(match index % 3 {
                    0 => [head(200), data(target.as_bytes()), end(&[])].concat(),
                    _ => whole(200, target.as_bytes()),
                });
            }
            answers.push(wire);
        }
        for (peer, wire) in peers.iter_mut().zip(answers) {
            // In pieces that fit no frame.
            for piece in wire.chunks(97) {
                peer.send(piece).await;
            }
        }
    }
    calls.join_all().await;
    let mut fifth = [Box::pin(listener.accept())];
    assert!(poll_once(&mut fifth).await[0].is_pending(), "four connections are enough");
}

/// A request that must not be sent twice is not sent behind another.
#[tokio::test]
async fn unsafe_requests_do_not_queue() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_in_flight_per_connection(16).to(&url[..]).unwrap();
    let slow = tokio::spawn(client.get("/slow").send());
    let mut first = Peer::accept(&listener).await;
    assert_eq!(first.target().await, "/slow");
    let post = tokio::spawn(client.post("/post").send());
    let mut second = Peer::accept(&listener).await;
    assert_eq!(second.target().await, "/post");
    for (peer, call) in [(&mut first, slow), (&mut second, post)] {
        peer.send(&whole(200, b"")).await;
        assert!(call.await.unwrap().is_ok());
    }
    // Unless that is allowed.
    let mut config = zap_http::proto::ClientConfig::default();
    (config.max_in_flight, config.queue_unsafe) = (16, true);
    let client = Client::builder().connection(config).to(&url[..]).unwrap();
    let calls = [tokio::spawn(client.get("/slow").send()), tokio::spawn(client.post("/post").send())];
    let mut peer = Peer::accept(&listener).await;
    assert_eq!([peer.target().await, peer.target().await], ["/slow", "/post"]);
    peer.send(&whole(200, b"").repeat(2)).await;
    for call in calls {
        assert!(call.await.unwrap().is_ok());
    }
}

/// Those behind a lost answer are sent again on a new connection.
#[tokio::test]
async fn a_shared_connection_that_is_lost() {
    let (listener, url) = listen().await;
    let client = Client::builder().max_in_flight_per_connection(4).to(&url[..]).unwrap();
    let calls: Vec<_> = (0..4).map(|id| tokio::spawn(client.get(format!("/{id}")).send())).collect();
    let server = tokio::spawn(async move {
        let mut peer = Peer::accept(&listener).await;
        for _ in 0..4 {
            peer.target().await;
        }
        peer.send(&[whole(200, b"0"), head(200)].concat()).await;
        drop(peer);
        loop {
            tokio::spawn(Peer::accept(&listener).await.echo());
        }
    });
    let mut outcomes = Vec::new();
    for call in calls {
        outcomes.push(match call.await.unwrap() {
            Ok(response) => response.text().await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        });
    }
    server.abort();
    assert_eq!(outcomes[0].as_deref(), Ok("0"));
    assert_eq!(outcomes[1].as_ref().unwrap_err(), "the connection ended within its answer");
    assert_eq!((outcomes[2].as_deref(), outcomes[3].as_deref()), (Ok("/2"), Ok("/3")));
}

/// When a runtime ends, so do its connections; the client is used in the next one.
#[test]
fn a_client_outlives_a_runtime() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        listener.set_nonblocking(true).unwrap();
        runtime.block_on(async {
            zap_http::serve(TcpListener::from_std(listener).unwrap(), echo()).await;
        });
    });
    let client = Client::builder().max_connections(1).to(url).unwrap();
    let waits = Arc::new(Notify::new());
    for round in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let text = client.get(format!("/{round}")).send().await.unwrap().text().await.unwrap();
            assert_eq!(text, round.to_string());
            let (client, waits) = (client.clone(), Arc::clone(&waits));
            // Dropped with the runtime, in the middle.
            tokio::spawn(async move {
                let response = client.get("/kept").send().await.unwrap();
                waits.notify_one();
                std::future::pending::<()>().await;
                drop(response);
            });
        });
    }
}

/// A connection that was not made leaves room for the next one.
#[tokio::test]
async fn failed_connections_are_not_counted() {
    let client = Client::builder().max_connections(1).to("zap://127.0.0.1:1").unwrap();
    for _ in 0..3 {
        let mut calls = JoinSet::new();
        (0..3).for_each(|_| drop(calls.spawn(client.get("/").send())));
        for failed in calls.join_all().await {
            assert!(matches!(failed, Err(ClientError::Connect(_))), "{failed:?}");
        }
    }
}

/// Neither does one whose call was dropped, or whose runtime ended, while it was being made.
#[cfg(target_os = "linux")]
#[test]
fn dropped_connections_are_not_counted() {
    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let listener = std::net::TcpListener::from(socket);
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let builder = Client::builder().max_connections(1).connect_timeout(Duration::from_millis(200));
    let client = builder.to(format!("zap://{address}")).unwrap();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let short = || client.get("/").timeout(Duration::from_millis(30)).send();
    let first = runtime();
    let _fills_the_queue = first.block_on(async {
        let call = tokio::spawn(client.get("/").send());
        let mut stale = loop {
            match listener.accept() {
                Ok((stream, _)) => break Peer::of(stream),
                Err(_) => tokio::task::yield_now().await,
            }
        };
        stale.target().await;
        stale.send(&whole(200, b"")).await;
        call.await.unwrap().unwrap();
        // From here on, connections are left without an answer.
        let fills_the_queue = std::net::TcpStream::connect(address).unwrap();
        let (late, ()) = tokio::join!(short(), async {
            stale.target().await;
            drop(stale);
        });
        assert!(matches!(late, Err(ClientError::Timeout(_))), "dropped while it connected again: {late:?}");
        let late = client.get("/").timeout(Duration::from_secs(10)).send().await;
        assert!(matches!(late, Err(ClientError::Timeout(zap_http::Timeout::Connect))), "{late:?}");
        assert!(short().await.is_err());
        fills_the_queue
    });
    drop(first);
    let late = runtime().block_on(client.get("/").timeout(Duration::from_secs(10)).send());
    assert!(matches!(late, Err(ClientError::Timeout(zap_http::Timeout::Connect))), "{late:?}");
}
