//! Listeners and `listen`: every address that speaks ZAP, what cannot be bound, the connections that make room, the bytes in
//! flight, and one shutdown for all.
#![cfg(feature = "server")]

mod listening;

use std::future::{IntoFuture, poll_fn};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::post;
use bytes::Bytes;
use listening::{answer, call, frame, is_closed, soon, until};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinHandle;
use zap_http::{
    AddressError, BindError, BindOptions, ListenAddress, ListenError, Listener, Scheme, ServeConfig, Served,
    ServerHandle, handler_fn, listen, serve,
};

fn app() -> Router {
    Router::new().route("/echo", post(|body: Bytes| async { body }))
}

/// An app whose `/wait` tells when it begins, and ends when it is let to.
fn waiting_app() -> (Router, Arc<Semaphore>, Arc<Notify>) {
    let (begun, end) = (Arc::new(Semaphore::new(0)), Arc::new(Notify::new()));
    let state = (Arc::clone(&begun), Arc::clone(&end));
    let wait = move |body: Bytes| async move {
        let ended = state.1.notified();
        state.0.add_permits(1);
        ended.await;
        body
    };
    (app().route("/wait", post(wait)), begun, end)
}

async fn start(config: ServeConfig, app: Router) -> (SocketAddr, ServerHandle, JoinHandle<Served>) {
    let server = serve(TcpListener::bind("127.0.0.1:0").await.unwrap(), app).config(config);
    let address = server.local_address().unwrap().socket_addr().unwrap();
    (address, server.handle(), tokio::spawn(server.into_future()))
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

#[tokio::test]
async fn several_addresses_one_service_and_one_shutdown() {
    let (app, begun, end) = waiting_app();
    let listeners = listen("127.0.0.1:0").and(["zap://localhost:0", "zap://127.0.0.1:0"]).bind().await.unwrap();
    let server = listeners.serve(app);
    let addresses = server.local_addresses().unwrap();
    assert_eq!(addresses.len(), 3);
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());

    // One answered and one being served on each.
    let mut streams = Vec::new();
    for address in &addresses {
        let mut stream = connect(address.socket_addr().unwrap()).await;
        assert_eq!(call(&mut stream, "/echo", b"all").await, Some((200, b"all".to_vec())));
        stream.write_all(&frame("POST", "/wait", b"read")).await.unwrap();
        streams.push(stream);
    }
    drop(soon(begun.acquire_many(3)).await.unwrap());
    handle.clone().shutdown();
    assert!(handle.is_shutting_down());
    // None of the ports takes connections any more, and what was read is answered.
    for address in &addresses {
        until(async || TcpStream::connect(address.socket_addr().unwrap()).await.is_err()).await;
    }
    end.notify_waiters();
    for stream in &mut streams {
        assert_eq!(answer(stream).await, Some((200, b"read".to_vec())));
        assert!(is_closed(stream).await);
    }
    assert!(soon(server).await.unwrap().connections >= 3);
}

/// As those that a process is started with.
#[tokio::test]
async fn listeners_that_were_bound_elsewhere() {
    let bound = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = bound.local_addr().unwrap();
    let listeners = listen("127.0.0.1:0").and_bound(Scheme::Zap, bound).bind().await.unwrap();
    assert_eq!(listeners.local_addresses().unwrap()[1].socket_addr(), Some(address));
    tokio::spawn(listeners.serve(app()).into_future());
    assert!(call(&mut connect(address).await, "/echo", b"bound").await.is_some());
}

#[tokio::test]
async fn handlers_on_several_addresses() {
    let echo = || handler_fn(|request, responder| responder.status(200).body(request.body()));
    let listeners = listen(["127.0.0.1:0", "zap://127.0.0.1:0"]).bind().await.unwrap();
    let server = listeners.serve_handler(echo()).unwrap();
    let addresses = server.local_addresses().unwrap();
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());
    for address in addresses {
        let mut stream = connect(address.socket_addr().unwrap()).await;
        assert_eq!(call(&mut stream, "/", b"handled").await, Some((200, b"handled".to_vec())));
    }
    handle.shutdown();
    assert_eq!(soon(server).await.unwrap().connections, 2);
    // An address is bound when it is awaited, and refused before anything is.
    let error =
        soon(listen(["127.0.0.1:0", "http://127.0.0.1:0"]).serve_handler(echo()).into_future()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot listen on http://127.0.0.1:0: a handler answers ZAP alone; serve a tower service there"
    );
    let bound = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let error = soon(listen(":0").and_bound(Scheme::Http, bound).serve_handler(echo()).into_future()).await;
    assert!(matches!(error, Err(ListenError::HandlerOverHttp { .. })), "{error:?}");
    #[cfg(feature = "http1")]
    {
        let listeners = listen(["127.0.0.1:0", "http://127.0.0.1:0"]).bind().await.unwrap();
        assert!(matches!(listeners.serve_handler(echo()), Err(ListenError::HandlerOverHttp { .. })));
    }
}

#[tokio::test]
async fn a_port_of_every_address_of_the_machine() {
    let listeners = listen(":0").bind().await.unwrap();
    let port = listeners.local_addresses().unwrap()[0].socket_addr().unwrap().port();
    let server = listeners.serve(app());
    tokio::spawn(server.into_future());
    let mut stream = connect(([127, 0, 0, 1], port).into()).await;
    assert_eq!(call(&mut stream, "/echo", b"4").await, Some((200, b"4".to_vec())));
}

/// With an address that cannot be bound, nothing is.
#[tokio::test]
async fn what_cannot_be_listened_on() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (taken_address, free_address) = (taken.local_addr().unwrap(), free.local_addr().unwrap());
    drop(free);
    let error = listen([free_address, taken_address]).bind().await.unwrap_err();
    match error {
        ListenError::Bind { address, source: BindError::Io(source) } => {
            assert_eq!(address.to_string(), format!("zap://{taken_address}"));
            assert_eq!(source.kind(), std::io::ErrorKind::AddrInUse);
        }
        other => panic!("{other:?}"),
    }
    assert!(TcpStream::connect(free_address).await.is_err());

    let error = listen([":0", "ftp://host"]).serve(app()).await.unwrap_err();
    assert!(matches!(&error, ListenError::Address { source: AddressError::UnknownScheme { .. }, .. }), "{error:?}");
    assert_eq!(error.to_string(), "\"ftp://host\" is no address to listen on");
    let none: [&str; 0] = [];
    assert!(matches!(listen(none).bind().await, Err(ListenError::NoAddress)));
}

#[cfg(not(feature = "http1"))]
#[tokio::test]
async fn http_without_its_feature() {
    let error = listen([":0", "http://127.0.0.1:0"]).bind().await.unwrap_err();
    assert_eq!(error.to_string(), "cannot listen on http://127.0.0.1:0: the feature `http1` of zap-http is off");
}

#[cfg(not(feature = "tls"))]
#[tokio::test]
async fn tls_without_its_feature() {
    let error = listen("zaps://127.0.0.1:0").bind().await.unwrap_err();
    assert_eq!(error.to_string(), "cannot listen on zaps://127.0.0.1:0: the feature `tls` of zap-http is off");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn several_listeners_share_a_port_if_they_all_say_so() {
    let mut options = BindOptions::default();
    let only = "127.0.0.1:0".parse::<ListenAddress>().unwrap().bind(&options).await.unwrap();
    let taken: ListenAddress = only.local_address().unwrap().to_string().parse().unwrap();
    options.reuse_port = true;
    assert!(taken.bind(&options).await.is_err());

    let first = "127.0.0.1:0".parse::<ListenAddress>().unwrap().bind(&options).await.unwrap();
    let shared: ListenAddress = first.local_address().unwrap().to_string().parse().unwrap();
    let second = shared.bind(&options).await.unwrap();
    assert_eq!(first.local_address().unwrap(), second.local_address().unwrap());
}

/// Answers are not held back, and peers that are gone without a word are found out.
#[tokio::test]
async fn options_of_accepted_connections() {
    let mut listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let _client = connect(listener.local_addr().unwrap()).await;
    let (stream, info) = soon(poll_fn(|context| Listener::poll_accept(&mut listener, context))).await.unwrap();
    assert!(stream.nodelay().unwrap());
    assert!(socket2::SockRef::from(&stream).keepalive().unwrap());
    assert_eq!(info.local_addr(), Some(listener.local_addr().unwrap()));
}

/// With two connections at most, the third takes the place of the one that is idle for longest.
#[tokio::test]
async fn the_longest_idle_connection_makes_room() {
    let mut config = ServeConfig::default();
    config.max_connections = 2;
    // Where the peer does not close its end, the server drains for so long.
    config.connection.drain_timeout = Duration::from_millis(10);
    let (address, handle, server) = start(config, app()).await;
    let (mut one, mut two) = (connect(address).await, connect(address).await);
    assert!(call(&mut one, "/echo", b"1").await.is_some());
    assert!(call(&mut two, "/echo", b"2").await.is_some());
    // The first is now the one that was busy last.
    assert!(call(&mut one, "/echo", b"1").await.is_some());

    let mut three = connect(address).await;
    assert_eq!(call(&mut three, "/echo", b"3").await, Some((200, b"3".to_vec())));
    assert!(is_closed(&mut two).await);
    assert_eq!(call(&mut one, "/echo", b"1").await, Some((200, b"1".to_vec())));

    let mut four = connect(address).await;
    assert_eq!(call(&mut four, "/echo", b"4").await, Some((200, b"4".to_vec())));
    assert!(is_closed(&mut three).await);
    handle.shutdown();
    let served = soon(server).await.unwrap();
    assert_eq!((served.connections, served.evicted), (4, 2));
}

/// A connection that is being served is never closed to make room.
#[tokio::test]
async fn a_busy_connection_keeps_its_place() {
    let mut config = ServeConfig::default();
    config.max_connections = 2;
    config.connection.drain_timeout = Duration::from_millis(10);
    let (app, begun, end) = waiting_app();
    let (address, ..) = start(config, app).await;
    let mut busy = connect(address).await;
    busy.write_all(&frame("POST", "/wait", b"busy")).await.unwrap();
    begun.acquire().await.unwrap().forget();
    let mut idle = connect(address).await;
    assert!(call(&mut idle, "/echo", b"idle").await.is_some());

    let mut next = connect(address).await;
    assert_eq!(call(&mut next, "/echo", b"next").await, Some((200, b"next".to_vec())));
    assert!(is_closed(&mut idle).await);
    end.notify_waiters();
    assert_eq!(answer(&mut busy).await, Some((200, b"busy".to_vec())));
}

/// Half a request holds bytes; what would go past the bound is answered 503, and served once they are free.
#[tokio::test]
async fn bytes_in_flight_are_bounded() {
    let mut config = ServeConfig::default();
    config.max_in_flight_len = 20_000;
    let (address, handle, server) = start(config, app()).await;
    let mut half = connect(address).await;
    half.write_all(&frame("POST", "/echo", &[7; 100_000])[..24 << 10]).await.unwrap();

    // Small requests are always served.
    let mut small = connect(address).await;
    assert_eq!(call(&mut small, "/echo", b"small").await, Some((200, b"small".to_vec())));
    let body = vec![8; 30_000];
    until(async || {
        let mut stream = connect(address).await;
        let (status, _) = call(&mut stream, "/echo", &body).await.unwrap();
        // Until the bytes of the half one have come.
        status == 503 && is_closed(&mut stream).await
    })
    .await;
    drop(half);
    until(async || call(&mut connect(address).await, "/echo", &body).await == Some((200, body.clone()))).await;
    handle.shutdown();
    assert!(soon(server).await.unwrap().overloaded > 0);
}

#[test]
fn defaults() {
    let config = ServeConfig::default();
    assert_eq!((config.max_connections, config.max_in_flight_len), (10_000, 256 << 20));
    assert_eq!((config.max_handshakes, config.handshake_timeout), (256, Duration::from_secs(10)));
    assert_eq!(config.shutdown_timeout, Duration::from_secs(30));
    let options = BindOptions::default();
    assert_eq!((options.backlog, options.keepalive), (1024, Some(Duration::from_secs(60))));
    assert_eq!((options.reuse_port, options.unix_mode), (false, None));
}
