//! The client over TLS: what goes through it, whom it trusts, and what it keeps.
#![cfg(all(feature = "tls", feature = "server", feature = "client"))]

mod authority;
mod listening;

use std::future::{IntoFuture, pending};
use std::net::TcpListener as StdListener;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};
use std::time::Duration;

use authority::Authority;
use axum::routing::post;
use axum::{Extension, Router};
use bytes::Bytes;
use http_body::Frame;
use listening::soon;
use rcgen::{CertificateParams, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::SupportedKxGroup;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::crypto::aws_lc_rs::kx_group::{X25519, X25519MLKEM768};
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::{ServerConfig, version};
use tokio_rustls::server::TlsStream;
use zap_http::proto::{CloseReason, Encoder};
use zap_http::{
    ALPN, Client, ClientBuilder, ClientError, ConnectionInfo, KeyExchange, Served, ServerHandle, Timeout, TlsClient,
    TlsError, TlsGroup, TlsServer, listen, serve_connection,
};

const PIECES: usize = 100;

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|at| at.to_le_bytes()[0] ^ at.to_le_bytes()[1]).collect()
}

/// A body that comes in pieces, with pauses.
struct Pieces(usize);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0 += 1;
        if self.0 > 2 * PIECES {
            return Poll::Ready(None);
        }
        if self.0 % 2 == 1 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Ok(Frame::data(bytes(100 * self.0).into()))))
    }
}

/// The certificate that the client showed.
async fn shown(Extension(info): Extension<ConnectionInfo>) -> Bytes {
    info.tls().and_then(|tls| tls.peer_certificate()).cloned().unwrap_or_default()
}

fn app() -> Router {
    Router::new()
        .route("/echo", post(|body: Bytes| async { body }))
        .route("/pieces", post(|| async { axum::body::Body::new(Pieces(0)) }))
        .route("/shown", post(shown))
}

struct Running {
    url: String,
    handle: ServerHandle,
    server: JoinHandle<Served>,
}

impl Running {
    async fn served(self) -> Served {
        self.handle.shutdown();
        soon(self.server).await.unwrap()
    }
}

async fn start(tls: TlsServer) -> Running {
    let listeners = listen("zaps://127.0.0.1:0").tls(tls).bind().await.unwrap();
    let port = listeners.local_addresses().unwrap()[0].socket_addr().unwrap().port();
    let server = listeners.serve(app());
    let url = format!("zaps://localhost:{port}");
    Running { url, handle: server.handle(), server: tokio::spawn(server.into_future()) }
}

fn client(tls: TlsClient) -> ClientBuilder {
    Client::builder().tls(tls)
}

async fn call(client: &Client, url: &str, target: &str, body: &[u8]) -> Result<Bytes, ClientError> {
    let body = Bytes::copy_from_slice(body);
    let response = soon(client.post(format!("{url}{target}")).body(body).send()).await?.error_for_status()?;
    soon(response.bytes()).await
}

/// A server of rustls itself, for what ours does not do.
fn foreign(authority: &Authority, groups: &[&'static dyn SupportedKxGroup]) -> (TlsAcceptor, String, StdListener) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &authority.0).unwrap();
    let mut provider = aws_lc_rs::default_provider();
    provider.kx_groups = groups.to_vec();
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap();
    config.alpn_protocols = vec![ALPN.to_vec()];
    let listener = StdListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("zaps://localhost:{}", listener.local_addr().unwrap().port());
    (TlsAcceptor::from(Arc::new(config)), url, listener)
}

/// Runs a server in a thread of its own, so that it goes on while the test blocks its own runtime.
fn elsewhere(server: impl Future<Output = ()> + Send + 'static) {
    std::thread::spawn(|| {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(server);
    });
}

#[tokio::test]
async fn bodies_cross_as_they_are_on_one_connection() {
    let authority = Authority::new();
    let running = start(authority.server()).await;
    let client = client(authority.client()).build();
    for len in [0, 1, 16_384, 70_000, 1 << 20] {
        let body = bytes(len);
        assert_eq!(call(&client, &running.url, "/echo", &body).await.unwrap(), body, "{len}");
    }
    let streamed = call(&client, &running.url, "/pieces", b"").await.unwrap();
    let pieces: Vec<u8> = (1..=PIECES).flat_map(|piece| bytes(200 * piece)).collect();
    assert_eq!(streamed, pieces);
    for _ in 0..20 {
        call(&client, &running.url, "/echo", b"again").await.unwrap();
    }
    let served = running.served().await;
    assert_eq!((served.connections, served.failed_handshakes), (1, 0));
}

#[tokio::test]
async fn answers_tell_what_was_agreed_on() {
    let authority = Authority::new();
    let (identity, certificate) = authority.vouch("localhost");
    let running = start(TlsServer::new(identity).unwrap()).await;
    let client = client(authority.client()).build();
    for target in ["/echo", "/pieces"] {
        let response = soon(client.post(format!("{}{target}", running.url)).send()).await.unwrap();
        let info = response.connection_info();
        let tls = info.tls().unwrap();
        assert_eq!(tls.group, TlsGroup::X25519MlKem768);
        assert_eq!(tls.peer_certificate().unwrap(), &certificate);
        assert!(running.url.ends_with(&info.peer_addr().unwrap().port().to_string()));
    }
}

#[tokio::test]
async fn who_is_not_trusted_is_not_called() {
    let authority = Authority::new();
    let running = start(authority.server()).await;
    let refused = async |client: Client, url: &str| match call(&client, url, "/echo", b"secret").await {
        Err(ClientError::Connect(error)) => matches!(error.tls_error(), Some(TlsError::Handshake(_))),
        other => panic!("{other:?}"),
    };
    // The same server by its address, which its certificate does not have.
    let by_address = running.url.replace("localhost", "127.0.0.1");
    assert!(refused(client(authority.client()).build(), &by_address).await);
    assert!(refused(client(Authority::new().client()).build(), &running.url).await);
    // The name is the target's, whatever the URI says.
    let bound = client(authority.client()).to(running.url.as_str()).unwrap();
    assert_eq!(call(&bound, "http://other.example", "/echo", b"1").await.unwrap(), "1");
    assert_eq!(running.served().await.failed_handshakes, 2);

    let with_address = start(TlsServer::new(authority.vouch("127.0.0.1").0).unwrap()).await;
    let by_address = with_address.url.replace("localhost", "127.0.0.1");
    assert_eq!(call(&client(authority.client()).build(), &by_address, "/echo", b"2").await.unwrap(), "2");
}

#[tokio::test]
async fn nobody_is_trusted_unless_told() {
    let running = start(Authority::new().server()).await;
    match call(&Client::new(), &running.url, "/echo", b"").await {
        Err(ClientError::Connect(error)) => {
            assert!(matches!(error.tls_error(), Some(TlsError::NotConfigured)));
            assert!(error.io_error().to_string().contains("ClientBuilder::tls"), "{}", error.io_error());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(running.served().await.connections, 0);
}

#[tokio::test]
async fn a_certificate_of_the_client_reaches_the_handler() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let (identity, certificate) = clients.vouch("client-7");
    let server = TlsServer::builder(authority.vouch("localhost").0).require_client_certificates(clients.roots());
    let running = start(server.build().unwrap()).await;
    let known = TlsClient::builder(authority.roots()).identity(identity).build().unwrap();
    let known = client(known).build();
    assert_eq!(call(&known, &running.url, "/shown", b"").await.unwrap(), certificate);
    // In TLS 1.3 a client learns of its refusal after the handshake only.
    assert!(call(&client(authority.client()).build(), &running.url, "/shown", b"").await.is_err());
}

#[tokio::test]
async fn a_classical_server_is_refused_unless_it_is_allowed() {
    let authority = Authority::new();
    let (acceptor, url, listener) = foreign(&authority, &[X25519]);
    tokio::spawn(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(stream) = acceptor.accept(stream).await {
                let info = ConnectionInfo::new(None, None);
                tokio::spawn(serve_connection(stream, app(), Default::default(), info, pending()));
            }
        }
    });
    match call(&client(authority.client()).build(), &url, "/echo", b"").await {
        Err(ClientError::Connect(error)) => assert!(matches!(error.tls_error(), Some(TlsError::Handshake(_)))),
        other => panic!("{other:?}"),
    }
    let lenient = TlsClient::builder(authority.roots()).key_exchange(KeyExchange::AllowClassical).build().unwrap();
    let response = soon(client(lenient).build().post(format!("{url}/echo")).send()).await.unwrap();
    assert_eq!(response.connection_info().tls().unwrap().group, TlsGroup::X25519);
}

/// Reads whole requests off a connection, one by one; none at its end.
async fn take_request(stream: &mut TlsStream<TcpStream>) -> Option<()> {
    let len = stream.read_u32().await.ok()?;
    let mut frame = vec![0; len as usize];
    stream.read_exact(&mut frame).await.ok().map(drop)
}

async fn answer(stream: &mut TlsStream<TcpStream>) {
    let mut wire = Vec::new();
    Encoder::frame(&mut wire).response(200, "OK").unwrap().finish().unwrap();
    stream.write_all(&wire).await.unwrap();
    stream.flush().await.unwrap();
}

/// Session tickets after the handshake, and new keys after each answer: bytes that are no answer. None of the calls may be
/// sent again, so each must find a connection that works.
#[tokio::test]
async fn messages_of_tls_itself_are_no_answers() {
    let authority = Authority::new();
    let (acceptor, url, listener) = foreign(&authority, &[X25519MLKEM768]);
    let (tell, told) = mpsc::channel();
    elsewhere(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = acceptor.accept(stream).await.unwrap();
            let tell = tell.clone();
            tokio::spawn(async move {
                while take_request(&mut stream).await.is_some() {
                    answer(&mut stream).await;
                    stream.get_mut().1.refresh_traffic_keys().unwrap();
                    // Two writes: the keys must not come along with the answer.
                    let _ = stream.flush().await;
                    tell.send(()).unwrap();
                }
            });
        }
    });
    let client = client(authority.client()).build();
    for _ in 0..20 {
        assert_eq!(call(&client, &url, "/", b"once").await.unwrap(), "");
        // Blocks: only the operating system knows what has come since.
        told.recv_timeout(Duration::from_secs(20)).unwrap();
    }
}

/// A connection that the server closed after its answer is not used for the next call.
#[tokio::test]
async fn a_closed_connection_is_not_used_again() {
    let authority = Authority::new();
    let (acceptor, url, listener) = foreign(&authority, &[X25519MLKEM768]);
    let (tell, told) = mpsc::channel();
    let (order, mut ordered) = tokio::sync::mpsc::unbounded_channel();
    elsewhere(async move {
        let listener = TcpListener::from_std(listener).unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = acceptor.accept(stream).await.unwrap();
            take_request(&mut stream).await.unwrap();
            answer(&mut stream).await;
            // Not before the client has taken the answer, and is at rest.
            ordered.recv().await.unwrap();
            stream.shutdown().await.unwrap();
            drop(stream);
            tell.send(()).unwrap();
        }
    });
    let client = client(authority.client()).build();
    for _ in 0..10 {
        assert_eq!(call(&client, &url, "/", b"once").await.unwrap(), "");
        order.send(()).unwrap();
        // Blocks: only the operating system knows what has come since.
        told.recv_timeout(Duration::from_secs(20)).unwrap();
    }
}

#[tokio::test]
async fn a_handshake_is_a_part_of_connecting() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zaps://{}", silent.local_addr().unwrap());
    let client = client(Authority::new().client()).connect_timeout(Duration::from_millis(100)).build();
    let failed = call(&client, &url, "/", b"").await;
    assert!(matches!(failed, Err(ClientError::Timeout(Timeout::Connect))), "{failed:?}");
}

/// The server sees that the client meant to close, and no fault.
#[tokio::test]
async fn the_end_is_told() {
    let authority = Authority::new();
    let tls = authority.server();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("zaps://localhost:{}", listener.local_addr().unwrap().port());
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (stream, info) = tls.accept(stream).await.unwrap();
        let info = ConnectionInfo::new(None, None).with_tls(info);
        serve_connection(stream, app(), Default::default(), info, pending()).await
    });
    let client = client(authority.client()).build();
    assert_eq!(call(&client, &url, "/echo", b"1").await.unwrap(), "1");
    drop(client);
    assert_eq!(soon(server).await.unwrap(), CloseReason::PeerClosed);
}
