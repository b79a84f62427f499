//! What servers do that they should not: each peer here is written byte by byte.

use std::future::Future;
use std::io::{Read, Write};
use std::time::Duration;

use http::Method;
use tokio::net::TcpListener;
use zap_http::proto::CloseReason;
use zap_http::{Client, ClientBuilder, ClientError, Timeout};

use super::calls::take;
use super::support::{Peer, data, end, head, listen, whole};

const SHORT: Duration = Duration::from_millis(50);

/// A call to a peer that does as `serve` says, and stays connected until the call is over.
async fn call_with<F: Future<Output = Peer>>(
    builder: ClientBuilder,
    serve: impl FnOnce(TcpListener) -> F,
) -> Result<super::calls::Taken, ClientError> {
    let (listener, url) = listen().await;
    let client = builder.to(&url[..]).unwrap();
    let call = async { take(client.get("/").send().await?.into_http().into_body()).await };
    let mut call = std::pin::pin!(call);
    let mut serve = std::pin::pin!(serve(listener));
    tokio::select! {
        biased;
        _peer = &mut serve => call.await,
        outcome = &mut call => outcome,
    }
}

/// A call whose answer is these bytes, and then the end of the stream.
async fn call_answered(bytes: &[u8]) -> Result<super::calls::Taken, ClientError> {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(bytes).await;
    };
    let call = async { take(client.get("/").send().await?.into_http().into_body()).await };
    tokio::join!(call, server).0
}

/// Wherever it is cut, a streamed answer is not taken for a complete one; nor is a whole one.
#[tokio::test]
async fn a_truncated_answer_is_an_error() {
    let streamed = [head(200), data(b"one"), data(b"two"), end(&[("x-sum", "9f")])].concat();
    let taken = call_answered(&streamed).await.unwrap();
    assert_eq!((&taken.data[..], taken.trailers.unwrap().len()), (&b"onetwo"[..], 1));
    for answer in [streamed, whole(200, b"onetwo")] {
        for len in 0..answer.len() {
            match call_answered(&answer[..len]).await {
                Err(ClientError::Closed { answer_seen, may_retry, cause }) => {
                    assert_eq!((answer_seen, may_retry), (len > 0, len == 0), "{len}");
                    assert_eq!(cause.reason(), CloseReason::PeerClosedEarly);
                }
                other => panic!("{len}: {other:?}"),
            }
        }
    }
}

/// The same of a long body, whole and in pieces: at every byte of the head, and every 997th of the body.
#[tokio::test]
async fn a_long_answer_that_is_truncated_is_an_error() {
    let body = vec![7; 20_000];
    let pieces: Vec<_> = body.chunks(3_000).flat_map(data).collect();
    for answer in [whole(200, &body), [head(200), pieces, end(&[])].concat()] {
        let head_len = answer.iter().position(|byte| *byte == 7).unwrap();
        for len in (0..head_len).chain((head_len..answer.len()).step_by(997)) {
            let taken = call_answered(&answer[..len]).await;
            assert!(
                matches!(taken, Err(ClientError::Closed { .. })),
                "{len}: {:?}",
                taken.map(|taken| taken.data.len())
            );
        }
        assert_eq!(call_answered(&answer).await.unwrap().data, body);
    }
}

/// What came before the end of the stream is still given to the reader.
#[tokio::test]
async fn data_before_a_cut_are_read() {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&[head(200), data(b"one")].concat()).await;
    };
    let (response, ()) = tokio::join!(client.get("/").send(), server);
    let mut response = response.unwrap();
    assert_eq!(response.chunk().await.unwrap().unwrap(), "one");
    assert!(matches!(response.chunk().await, Err(ClientError::Closed { answer_seen: true, .. })));
    assert!(matches!(response.chunk().await, Ok(None)));
}

#[tokio::test]
async fn interim_answers_are_skipped() {
    let taken = call_answered(&[whole(100, b""), head(103), whole(199, b"x"), whole(200, b"final")].concat()).await;
    assert_eq!(taken.unwrap().data, b"final");
    let refused = call_answered(&[whole(100, b"").repeat(17), whole(200, b"final")].concat()).await;
    assert!(matches!(refused, Err(ClientError::Protocol(_))), "{refused:?}");
    let refused = call_answered(&whole(101, b"")).await;
    assert!(matches!(refused, Err(ClientError::Protocol(_))), "{refused:?}");
}

#[tokio::test]
async fn broken_answers_are_refused() {
    for answer in [&b"HTTP/1.1 200 OK\r\n\r\n"[..], &[0, 0, 0, 0], &[0, 0, 0, 1, 7], &data(b"no head")] {
        let refused = call_answered(answer).await;
        assert!(matches!(refused, Err(ClientError::Protocol(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn an_answer_may_be_bounded() {
    let mut config = zap_http::proto::ClientConfig::default();
    config.max_answer_len = Some(5);
    let streamed = |chunk: &[u8]| [head(200), data(b"123"), data(chunk), end(&[])].concat();
    for (answer, fits) in [
        (whole(200, b"12345"), true),
        (whole(200, b"123456"), false),
        (streamed(b"45"), true),
        (streamed(b"456"), false),
    ] {
        let builder = Client::builder().connection(config.clone());
        let outcome = call_with(builder, async |listener| {
            let mut peer = Peer::accept(&listener).await;
            peer.target().await;
            peer.send(&answer).await;
            peer
        });
        match outcome.await {
            Ok(_) => assert!(fits),
            Err(ClientError::Protocol(_)) => assert!(!fits),
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test]
async fn the_head_must_come_in_time() {
    let silent = async |listener: TcpListener| {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer
    };
    let late = call_with(Client::builder().head_timeout(SHORT), silent).await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Head))), "{late:?}");
    let late = call_with(Client::builder().whole_timeout(SHORT), silent).await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Whole))), "{late:?}");
    // The connection's own deadline.
    let mut config = zap_http::proto::ClientConfig::default();
    config.answer_timeout = Some(SHORT);
    let late = call_with(Client::builder().head_timeout(None).connection(config), silent).await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Head))), "{late:?}");
}

/// No other deadline is shorter than the one that the caller gave.
#[tokio::test]
async fn a_longer_time_for_the_head_is_the_connections_too() {
    let mut config = zap_http::proto::ClientConfig::default();
    config.answer_timeout = Some(SHORT);
    let (listener, url) = listen().await;
    let client = Client::builder().connection(config).head_timeout(Duration::from_secs(20)).to(&url[..]).unwrap();
    let late = async {
        let mut peer = Peer::accept(&listener).await;
        let target = peer.target().await;
        tokio::time::sleep(4 * SHORT).await;
        peer.send(&whole(200, target.as_bytes())).await;
        peer
    };
    let (response, _peer) = tokio::join!(client.get("/late").send(), late);
    assert_eq!(response.unwrap().bytes().await.unwrap(), "/late");
}

#[tokio::test]
async fn the_whole_must_come_in_time() {
    let half = async |listener: TcpListener| {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&[head(200), data(b"x")].concat()).await;
        peer
    };
    let late = call_with(Client::builder().head_timeout(None).whole_timeout(SHORT), half).await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Whole))), "{late:?}");
    // The head came in time: its deadline is over.
    let (listener, url) = listen().await;
    let client = Client::builder().head_timeout(SHORT).to(&url[..]).unwrap();
    let call = async {
        let mut response = client.get("/").send().await.unwrap();
        assert_eq!(response.chunk().await.unwrap().unwrap(), "x");
        tokio::time::sleep(2 * SHORT).await;
        response
    };
    let (response, mut peer) = tokio::join!(call, half(listener));
    peer.send(&end(&[])).await;
    assert_eq!(response.bytes().await.unwrap(), "");
    // One request's own.
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let call = async { client.get("/").timeout(SHORT).send().await?.bytes().await };
    let (late, _peer) = tokio::join!(call, half(listener));
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Whole))), "{late:?}");
}

#[tokio::test]
async fn an_answer_must_go_on() {
    let mut config = zap_http::proto::ClientConfig::default();
    (config.progress_timeout, config.stream_timeout) = (SHORT, Some(SHORT));
    let cut = whole(200, b"hello");
    for sent in [cut[..10].to_vec(), [head(200), data(b"x")].concat()] {
        let outcome = call_with(Client::builder().connection(config.clone()), async |listener| {
            let mut peer = Peer::accept(&listener).await;
            peer.target().await;
            peer.send(&sent).await;
            peer
        });
        let late = outcome.await;
        assert!(matches!(late, Err(ClientError::Timeout(Timeout::Progress))), "{late:?}");
    }
}

/// A listener whose queue is full leaves further connections without an answer.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn connecting_must_not_take_long() {
    use socket2::{Domain, Socket, Type};
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let _first = std::net::TcpStream::connect(address).unwrap();
    let client = Client::builder().connect_timeout(SHORT).to(format!("zap://{address}")).unwrap();
    let late = client.get("/").send().await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Connect))), "{late:?}");
    // Also while it connects the call's own deadline counts.
    let client = Client::builder().head_timeout(SHORT).to(format!("zap://{address}")).unwrap();
    let late = client.get("/").send().await;
    assert!(matches!(late, Err(ClientError::Timeout(Timeout::Head))), "{late:?}");
}

/// A client that has one idle connection, whose server's end this is.
async fn one_idle() -> (Client, TcpListener, Peer) {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        assert_eq!(peer.target().await, "/first");
        peer.send(&whole(200, b"first")).await;
        peer
    };
    let (response, peer) = tokio::join!(client.get("/first").send(), server);
    assert_eq!(response.unwrap().bytes().await.unwrap(), "first");
    (client, listener, peer)
}

/// The kept connection takes the request and is closed without an answer.
#[tokio::test]
async fn a_stale_connection_is_tried_once_more_if_that_is_safe() {
    for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::PUT, Method::DELETE] {
        let (client, listener, mut stale) = one_idle().await;
        let server = async {
            let first = stale.request().await.unwrap();
            drop(stale);
            let mut peer = Peer::accept(&listener).await;
            let second = peer.request().await.unwrap();
            peer.send(&whole(200, b"second")).await;
            (first, second, peer)
        };
        let call = client.request(method.clone(), "/second").body("again").send();
        let (response, (first, second, _peer)) = tokio::join!(call, server);
        assert_eq!(response.unwrap().status(), 200);
        assert_eq!(first, second);
        assert_eq!((&*first.method, &first.body[..]), (method.as_str(), &b"again"[..]));
    }
    for method in [Method::POST, Method::PATCH, Method::from_bytes(b"PURGE").unwrap()] {
        let (client, _listener, mut stale) = one_idle().await;
        let server = async {
            stale.request().await.unwrap();
            drop(stale);
        };
        let (failed, ()) = tokio::join!(client.request(method, "/second").send(), server);
        let failed = failed.unwrap_err();
        assert!(matches!(failed, ClientError::Closed { answer_seen: false, may_retry: false, .. }), "{failed:?}");
    }
}

#[tokio::test]
async fn it_is_tried_once_more_and_not_twice() {
    let (client, listener, mut stale) = one_idle().await;
    let server = async {
        stale.request().await.unwrap();
        drop(stale);
        let mut peer = Peer::accept(&listener).await;
        peer.request().await.unwrap();
    };
    let (failed, ()) = tokio::join!(client.get("/second").send(), server);
    assert!(matches!(failed, Err(ClientError::Closed { answer_seen: false, may_retry: true, .. })));
}

#[tokio::test]
async fn nothing_is_sent_again_once_an_answer_began() {
    let (client, _listener, mut stale) = one_idle().await;
    let server = async {
        stale.request().await.unwrap();
        stale.send(&whole(200, b"")[..1]).await;
        drop(stale);
    };
    let (failed, ()) = tokio::join!(client.get("/second").send(), server);
    assert!(matches!(failed, Err(ClientError::Closed { answer_seen: true, may_retry: false, .. })));
}

/// A new connection that fails is the server's doing, not the time's: trying again is the caller's decision.
#[tokio::test]
async fn a_new_connection_is_not_tried_again() {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let server = async {
        Peer::accept(&listener).await.request().await.unwrap();
    };
    let (failed, ()) = tokio::join!(client.get("/").send(), server);
    assert!(matches!(failed, Err(ClientError::Closed { answer_seen: false, may_retry: true, .. })));
}

/// What a server's thread does to an idle connection while the client's runtime stands still: the client cannot have
/// noticed when the next call is made.
fn call_after(idle: impl FnOnce(&mut std::net::TcpStream) + Send + 'static) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::to(format!("zap://{}", listener.local_addr().unwrap())).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let mut buffer = [0; 1000];
        let (mut first, _) = listener.accept().unwrap();
        assert!(first.read(&mut buffer).unwrap() > 0);
        first.write_all(&whole(200, b"first")).unwrap();
        // The answer has been read when the client says so.
        let (go, gone) = std::sync::mpsc::channel::<()>();
        sender.send(go).unwrap();
        gone.recv().unwrap_err();
        idle(&mut first);
        drop(sender);
        let (mut second, _) = listener.accept().unwrap();
        assert!(second.read(&mut buffer).unwrap() > 0);
        second.write_all(&whole(200, b"second")).unwrap();
        drop(first);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "first");
        drop(receiver.recv().unwrap());
        receiver.recv().unwrap_err();
        // A request that must not be sent twice: it was not sent on the first connection at all.
        assert_eq!(client.post("/").send().await.unwrap().text().await.unwrap(), "second");
    });
    server.join().unwrap();
}

#[test]
fn an_idle_connection_that_received_an_answer_to_nothing_is_not_used() {
    call_after(|stream| stream.write_all(&whole(200, b"of somebody else")).unwrap());
}

#[test]
fn an_idle_connection_that_received_a_byte_is_not_used() {
    call_after(|stream| stream.write_all(&[0]).unwrap());
}

#[test]
fn an_idle_connection_that_was_closed_is_not_used() {
    call_after(|stream| stream.shutdown(std::net::Shutdown::Both).unwrap());
}

/// One frame too many, in the same write as the answer.
#[tokio::test]
async fn an_answer_too_many_is_nobodys() {
    let (listener, url) = listen().await;
    let client = Client::to(&url[..]).unwrap();
    let server = async {
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&[whole(200, b"first"), whole(200, b"too many")].concat()).await;
        let mut peer = Peer::accept(&listener).await;
        peer.target().await;
        peer.send(&whole(200, b"second")).await;
        peer
    };
    let calls = async {
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "first");
        assert_eq!(client.get("/").send().await.unwrap().text().await.unwrap(), "second");
    };
    tokio::join!(server, calls);
}
