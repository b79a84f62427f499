//! TLS: what the two ends must agree on, who they are, and what a handshake may take.
#![cfg(all(feature = "tls", feature = "server"))]

mod authority;
mod listening;

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use authority::Authority;
use axum::routing::post;
use axum::{Extension, Router};
use bytes::Bytes;
use listening::{answer, call, frame, is_closed, soon};
use rcgen::{CertificateParams, KeyPair};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::crypto::aws_lc_rs::kx_group::{X25519, X25519MLKEM768};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, version};
use zap_http::{
    ALPN, ConnectionInfo, KeyExchange, ListenError, ServeConfig, Served, ServerHandle, TlsClient, TlsError, TlsGroup,
    TlsIdentity, TlsRoots, TlsServer, listen,
};

impl Authority {
    /// A client of rustls itself.
    fn raw_client(&self, groups: &[&'static dyn aws_lc_rs_group::Group], alpn: &[&[u8]]) -> TlsConnector {
        let mut provider = aws_lc_rs::default_provider();
        provider.kx_groups = groups.to_vec();
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
            .with_protocol_versions(&[&version::TLS13])
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        TlsConnector::from(Arc::new(config))
    }
}

mod aws_lc_rs_group {
    pub(crate) use tokio_rustls::rustls::crypto::SupportedKxGroup as Group;
}

struct Running {
    address: SocketAddr,
    handle: ServerHandle,
    server: JoinHandle<Served>,
}

impl Running {
    async fn served(self) -> Served {
        self.handle.shutdown();
        soon(self.server).await.unwrap()
    }
}

/// What the handler sees of the connection: group, name, and the client's certificate.
async fn seen(Extension(info): Extension<ConnectionInfo>) -> Vec<u8> {
    let tls = info.tls().unwrap();
    let head = format!("{:?} {:?} ", tls.group, tls.server_name.as_deref());
    [head.as_bytes(), tls.peer_certificate().map_or(&b"nobody"[..], |certificate| certificate)].concat()
}

async fn start(tls: TlsServer, config: ServeConfig) -> Running {
    let app = Router::new().route("/echo", post(|body: Bytes| async { body })).route("/seen", post(seen));
    let listeners = listen("zaps://127.0.0.1:0").tls(tls).bind().await.unwrap();
    let address = listeners.local_addresses().unwrap()[0].socket_addr().unwrap();
    let server = listeners.serve(app).config(config);
    Running { address, handle: server.handle(), server: tokio::spawn(server.into_future()) }
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// A handshake is only over for a client when the server has answered something.
async fn call_over(
    client: &TlsClient,
    address: SocketAddr,
    target: &str,
    body: &[u8],
) -> Result<Option<(u16, Vec<u8>)>, TlsError> {
    let mut stream = soon(client.connect(connect(address).await, "localhost")).await?;
    Ok(call(&mut stream, target, body).await)
}

#[tokio::test]
async fn the_group_is_post_quantum_and_known_to_both() {
    let authority = Authority::new();
    let running = start(authority.server(), ServeConfig::default()).await;
    let mut stream = soon(authority.client().connect(connect(running.address).await, "localhost")).await.unwrap();
    let info = TlsClient::info(&stream).unwrap();
    assert_eq!(info.group, TlsGroup::X25519MlKem768);
    assert!(info.group.is_post_quantum() && info.peer_certificate().is_some());
    let server_sees = call(&mut stream, "/seen", b"").await.unwrap();
    assert_eq!(server_sees, (200, b"X25519MlKem768 Some(\"localhost\") nobody".to_vec()));
    // Bodies of any length: TLS has records of its own.
    for len in [1, 70_000, 1 << 20] {
        let body: Vec<u8> = (0..len).map(|at: u32| at.to_le_bytes()[0]).collect();
        assert_eq!(call(&mut stream, "/echo", &body).await, Some((200, body)));
    }
    drop(stream);
    assert_eq!(running.served().await.failed_handshakes, 0);
}

#[tokio::test]
async fn a_classical_peer_is_refused_unless_it_is_allowed() {
    let authority = Authority::new();
    let classical = authority.raw_client(&[X25519], &[ALPN]);
    let name = || ServerName::try_from("localhost").unwrap();
    let strict = start(authority.server(), ServeConfig::default()).await;
    assert!(soon(classical.connect(name(), connect(strict.address).await)).await.is_err());
    assert_eq!(strict.served().await.failed_handshakes, 1);

    let lenient = TlsServer::builder(authority.vouch("localhost").0).key_exchange(KeyExchange::AllowClassical);
    let lenient = start(lenient.build().unwrap(), ServeConfig::default()).await;
    let mut stream = soon(classical.connect(name(), connect(lenient.address).await)).await.unwrap();
    assert!(call(&mut stream, "/seen", b"").await.unwrap().1.starts_with(b"X25519 Some"));
    // Who can, still has the better one.
    let better = call_over(&authority.client(), lenient.address, "/seen", b"").await.unwrap();
    assert!(better.unwrap().1.starts_with(b"X25519MlKem768 "));
}

/// Nor does our client take such a server.
#[tokio::test]
async fn a_classical_server_is_refused_unless_it_is_allowed() {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;
    let authority = Authority::new();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &authority.0).unwrap();
    let mut provider = aws_lc_rs::default_provider();
    provider.kx_groups = vec![X25519];
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap();
    config.alpn_protocols = vec![ALPN.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let handshake = async |client: TlsClient| {
        let (near, far) = tokio::io::duplex(10_000);
        let (connected, _) =
            soon(async { tokio::join!(client.connect(near, "localhost"), acceptor.accept(far)) }).await;
        connected.map(|stream| TlsClient::info(&stream).unwrap().group)
    };
    assert!(matches!(handshake(authority.client()).await, Err(TlsError::Handshake(_))));
    let lenient = TlsClient::builder(authority.roots()).key_exchange(KeyExchange::AllowClassical).build().unwrap();
    assert_eq!(handshake(lenient).await.unwrap(), TlsGroup::X25519);
}

#[tokio::test]
async fn both_must_speak_the_protocol() {
    let authority = Authority::new();
    let running = start(authority.server(), ServeConfig::default()).await;
    for names in [&[&b"h2"[..], b"http/1.1"][..], &[]] {
        let client = authority.raw_client(&[X25519MLKEM768], names);
        let name = ServerName::try_from("localhost").unwrap();
        assert!(soon(client.connect(name, connect(running.address).await)).await.is_err(), "{names:?}");
    }
    let client = authority.raw_client(&[X25519MLKEM768], &[b"h2", ALPN]);
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = soon(client.connect(name, connect(running.address).await)).await.unwrap();
    assert!(call(&mut stream, "/echo", b"").await.is_some());
    drop(stream);
    assert_eq!(running.served().await.failed_handshakes, 2);
}

#[tokio::test]
async fn a_server_of_another_name_or_authority_is_refused() {
    let authority = Authority::new();
    let running = start(authority.server(), ServeConfig::default()).await;
    let client = authority.client();
    let other_name = client.connect(connect(running.address).await, "other.example");
    assert!(matches!(soon(other_name).await, Err(TlsError::Handshake(_))));
    let other = Authority::new().client();
    assert!(matches!(call_over(&other, running.address, "/echo", b"").await, Err(TlsError::Handshake(_))));
    let no_name = client.connect(connect(running.address).await, "a b");
    assert!(matches!(soon(no_name).await, Err(TlsError::InvalidName { .. })));
}

/// Peers without TLS, and those that say nothing, go when their time is over.
#[tokio::test]
async fn a_handshake_must_be_done_in_time() {
    let authority = Authority::new();
    let mut config = ServeConfig::default();
    config.handshake_timeout = Duration::from_millis(100);
    let running = start(authority.server(), config).await;
    let mut silent = connect(running.address).await;
    assert!(is_closed(&mut silent).await);
    let mut plain = connect(running.address).await;
    plain.write_all(&frame("POST", "/echo", b"plain")).await.unwrap();
    assert!(answer_bytes_are_no_frame(&mut plain).await);
    assert_eq!(running.served().await.failed_handshakes, 2);
}

/// An alert of TLS may come before the end.
async fn answer_bytes_are_no_frame(stream: &mut TcpStream) -> bool {
    use tokio::io::AsyncReadExt;
    let mut bytes = Vec::new();
    let _ = soon(stream.read_to_end(&mut bytes)).await;
    bytes.len() < 16
}

/// With one handshake at a time, the second waits for the first.
#[tokio::test]
async fn handshakes_at_once_are_bounded() {
    let authority = Authority::new();
    let mut config = ServeConfig::default();
    config.max_handshakes = 1;
    let running = start(authority.server(), config).await;
    let silent = connect(running.address).await;
    let client = authority.client();
    let mut second = Box::pin(client.connect(connect(running.address).await, "localhost"));
    assert!(tokio::time::timeout(Duration::from_millis(150), &mut second).await.is_err());
    drop(silent);
    let mut stream = soon(second).await.unwrap();
    assert_eq!(call(&mut stream, "/echo", b"2").await, Some((200, b"2".to_vec())));
}

#[tokio::test]
async fn clients_show_who_they_are() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let (identity, certificate) = clients.vouch("client-7");
    let with = |identity| TlsClient::builder(authority.roots()).identity(identity).build().unwrap();
    let known = with(identity);
    // Of an authority that the server does not trust.
    let stranger = with(Authority::new().vouch("client-7").0);
    let nobody = authority.client();
    let builder = || TlsServer::builder(authority.vouch("localhost").0);
    let is_refused =
        async |client: &TlsClient, address| !matches!(call_over(client, address, "/seen", b"").await, Ok(Some(_)));

    let required = builder().require_client_certificates(clients.roots()).build().unwrap();
    let required = start(required, ServeConfig::default()).await;
    let seen = call_over(&known, required.address, "/seen", b"").await.unwrap().unwrap();
    assert!(seen.1.ends_with(&certificate));
    assert!(is_refused(&nobody, required.address).await);
    assert!(is_refused(&stranger, required.address).await);
    assert!(required.served().await.failed_handshakes >= 2);

    let optional = builder().optional_client_certificates(clients.roots()).build().unwrap();
    let optional = start(optional, ServeConfig::default()).await;
    let seen = call_over(&known, optional.address, "/seen", b"").await.unwrap().unwrap();
    assert!(seen.1.ends_with(&certificate));
    let seen = call_over(&nobody, optional.address, "/seen", b"").await.unwrap().unwrap();
    assert!(seen.1.ends_with(b"nobody"));
    assert!(is_refused(&stranger, optional.address).await);
}

/// New connections see the new certificate; those that are there go on.
#[tokio::test]
async fn a_certificate_is_swapped() {
    let authority = Authority::new();
    let (first, first_certificate) = authority.vouch("localhost");
    let (second, second_certificate) = authority.vouch("localhost");
    let tls = TlsServer::new(first).unwrap();
    let reload = tls.clone();
    let running = start(tls, ServeConfig::default()).await;
    let client = authority.client();
    let mut old = soon(client.connect(connect(running.address).await, "localhost")).await.unwrap();
    assert_eq!(TlsClient::info(&old).unwrap().peer_certificates[0], first_certificate);
    reload.reload(second);
    let new = soon(client.connect(connect(running.address).await, "localhost")).await.unwrap();
    assert_eq!(TlsClient::info(&new).unwrap().peer_certificates[0], second_certificate);
    assert_eq!(call(&mut old, "/echo", b"old").await, Some((200, b"old".to_vec())));
}

#[tokio::test]
async fn shutdown_answers_what_was_read_and_ends_handshakes() {
    let authority = Authority::new();
    let (begun, end) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let state = (Arc::clone(&begun), Arc::clone(&end));
    let wait = move |body: Bytes| async move {
        state.0.add_permits(1);
        state.1.acquire().await.unwrap().forget();
        body
    };
    let app = Router::new().route("/wait", post(wait));
    let listeners = listen(["zaps://127.0.0.1:0", "zap://127.0.0.1:0"]).tls(authority.server()).bind().await.unwrap();
    let addresses = listeners.local_addresses().unwrap();
    let server = listeners.serve(app);
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());
    let tls = addresses[0].socket_addr().unwrap();
    let mut silent = connect(tls).await;
    let mut inside = soon(authority.client().connect(connect(tls).await, "localhost")).await.unwrap();
    inside.write_all(&frame("POST", "/wait", b"inside")).await.unwrap();
    inside.flush().await.unwrap();
    let mut plain = connect(addresses[1].socket_addr().unwrap()).await;
    plain.write_all(&frame("POST", "/wait", b"plain")).await.unwrap();
    drop(soon(begun.acquire_many(2)).await.unwrap());
    handle.shutdown();
    assert!(is_closed(&mut silent).await);
    end.add_permits(2);
    assert_eq!(answer(&mut inside).await, Some((200, b"inside".to_vec())));
    assert_eq!(answer(&mut plain).await, Some((200, b"plain".to_vec())));
    assert!(is_closed(&mut inside).await);
    soon(server).await.unwrap();
}

/// One service behind everything that there is.
#[cfg(all(unix, feature = "http1"))]
#[tokio::test]
async fn every_scheme_at_once() {
    use tokio::io::AsyncReadExt;
    let authority = Authority::new();
    let path = listening::socket_path("every-scheme");
    let transport = |Extension(info): Extension<ConnectionInfo>| async move {
        format!("{:?} {}", info.transport(), info.tls().is_some())
    };
    let addresses = ["zaps://127.0.0.1:0", "zap://127.0.0.1:0", "http://127.0.0.1:0"];
    let listen = listen(addresses).and(format!("unix:{}", path.display())).tls(authority.server());
    let server = listen.bind().await.unwrap().serve(Router::new().route("/", post(transport)));
    let [tls, zap, http] = [0, 1, 2].map(|at: usize| server.local_addresses().unwrap()[at].socket_addr().unwrap());
    let handle = server.handle();
    let server = tokio::spawn(server.into_future());

    let seen = call_over(&authority.client(), tls, "/", b"").await.unwrap();
    assert_eq!(seen, Some((200, b"Tcp true".to_vec())));
    assert_eq!(call(&mut connect(zap).await, "/", b"").await, Some((200, b"Tcp false".to_vec())));
    let mut unix = tokio::net::UnixStream::connect(&path).await.unwrap();
    assert_eq!(call(&mut unix, "/", b"").await, Some((200, b"Unix false".to_vec())));
    let mut text = connect(http).await;
    text.write_all(b"POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut seen = String::new();
    soon(text.read_to_string(&mut seen)).await.unwrap();
    assert!(seen.starts_with("HTTP/1.1 200 ") && seen.ends_with("Tcp false"), "{seen}");
    handle.shutdown();
    assert_eq!(soon(server).await.unwrap().connections, 4);
    assert!(!path.exists());
}

#[tokio::test]
async fn what_is_no_configuration() {
    assert!(matches!(listen("zaps://127.0.0.1:0").bind().await, Err(ListenError::NoTls { .. })));
    let authority = Authority::new();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["a".to_owned()]).unwrap().signed_by(&key, &authority.0).unwrap();
    let other_key = KeyPair::generate().unwrap().serialize_pem();
    let mismatch = TlsIdentity::from_pem(certificate.pem().as_bytes(), other_key.as_bytes());
    assert!(matches!(mismatch, Err(TlsError::Config(_))));
    assert!(matches!(TlsIdentity::from_pem(b"", key.serialize_pem().as_bytes()), Err(TlsError::NoCertificate)));
    assert!(matches!(TlsIdentity::from_pem(certificate.pem().as_bytes(), b""), Err(TlsError::Pem(_))));
    assert!(matches!(TlsRoots::from_pem(b"no PEM"), Err(TlsError::NoCertificate)));
    assert!(matches!(TlsIdentity::from_pem_files("/nowhere", "/nowhere"), Err(TlsError::File(_))));
}
