//! The command over TLS: `zaps://` between its own parts, whom each side trusts, and how it fails.
#![cfg(feature = "cli")]

mod authority;
mod commands;
mod gateways;
mod listening;

use std::future::pending;
use std::sync::Arc;

use authority::Authority;
use commands::{Folder, Server, command, run, text};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::crypto::aws_lc_rs::kx_group::X25519;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig, version};
use tokio_rustls::{TlsAcceptor, TlsConnector};
use zap_http::{ALPN, ConnectionInfo, serve_connection};

/// An authority, and the files of two that it vouches for.
struct Files {
    authority: Authority,
    _folder: Folder,
    roots: String,
    server: [String; 2],
    client: [String; 2],
}

fn files(name: &str) -> Files {
    let (authority, folder) = (Authority::new(), Folder::new(name));
    let roots = folder.write("roots.pem", authority.0.pem().as_bytes());
    let pair = |name: &str| {
        let (certificate, key) = authority.certify(name);
        [
            folder.write(&format!("{name}.pem"), certificate.pem().as_bytes()),
            folder.write(&format!("{name}.key"), key.serialize_pem().as_bytes()),
        ]
    };
    let (server, client) = (pair("localhost"), pair("client.example"));
    Files { authority, _folder: folder, roots, server, client }
}

const ANY: &str = "zaps://localhost:0";

#[tokio::test(flavor = "multi_thread")]
async fn calls_trust_whom_they_are_told_to() {
    let files = files("calls");
    let Files { roots, server: [cert, key], .. } = &files;
    let server = Server::start(&["serve", "--echo", "--listen", ANY, "--cert", cert, "--key", key], 1);
    let port = server.addresses[0].rsplit(':').next().unwrap().to_owned();
    assert!(server.addresses[0].starts_with("zaps://"), "{:?}", server.addresses);
    let url = format!("zaps://localhost:{port}/any");
    let output = run(&["post", &url, "-d", "hello", "--ca", roots]).await;
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"hello"[..]), "{output:?}");
    let output = run(&["post", "--to", &format!("zaps://localhost:{port}"), "/any", "-d", "to", "--ca", roots]).await;
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"to"[..]), "{output:?}");

    // Another name than the certificate's, and another authority.
    let numbers = format!("zaps://127.0.0.1:{port}/");
    let other = self::files("other");
    for (url, roots) in [(&numbers, roots), (&url, &other.roots)] {
        let output = run(&["get", url, "--ca", roots]).await;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.starts_with("zap-http: cannot connect to zaps://") && told.contains("invalid peer"), "{told}");
    }

    // Without --ca it is the system, which the environment may speak for.
    for (trusted, code) in [(roots, 0), (&other.roots, 1)] {
        let mut command = command();
        command.args(["post", &url, "-d", "hello"]).env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR");
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_can_ask_for_certificates() {
    let files = files("asks");
    let Files { roots, server: [cert, key], client: [own_cert, own_key], .. } = &files;
    let arguments = ["serve", "--echo", "--listen", ANY, "--cert", cert, "--key", key, "--client-ca", roots];
    let server = Server::start(&arguments, 1);
    let url = server.addresses[0].replace("127.0.0.1", "localhost").replace("[::1]", "localhost");
    let output = run(&["post", &url, "-d", "hello", "--ca", roots, "--cert", own_cert, "--key", own_key]).await;
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"hello"[..]), "{output:?}");
    let output = run(&["post", &url, "-d", "hello", "--ca", roots]).await;
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]), "{output:?}");

    // A gateway in front of it is such a client.
    let to = ["gateway", "--listen", "zap://127.0.0.1:0", "--to", &url, "--ca", roots];
    let front = Server::start(&[&to[..], &["--to-cert", own_cert, "--to-key", own_key]].concat(), 1);
    assert_eq!(run(&["post", &front.addresses[0], "-d", "through"]).await.stdout, b"through");
    let front = Server::start(&to, 1);
    let output = run(&["post", "--fail", &front.addresses[0], "-d", "through"]).await;
    assert_eq!(output.status.code(), Some(22), "{output:?}");
}

/// HTTP in front, TLS in between, HTTP behind.
#[tokio::test(flavor = "multi_thread")]
async fn gateways_speak_tls_to_each_other() {
    let files = files("between");
    let Files { roots, server: [cert, key], .. } = &files;
    let echo = Server::start(&["serve", "--echo", "--listen", "http://127.0.0.1:0"], 1);
    let inner = ["gateway", "--listen", ANY, "--cert", cert, "--key", key, "--to", &echo.addresses[0]];
    let inner = Server::start(&[&inner[..], &["--stream-requests"]].concat(), 1);
    let to = format!("zaps://localhost:{}", inner.addresses[0].rsplit(':').next().unwrap());
    let front = ["gateway", "--listen", "http://127.0.0.1:0", "--to", &to, "--ca", roots, "--max-body", "1000"];
    let front = Server::start(&[&front[..], &["--stream-requests"]].concat(), 1);
    let address: std::net::SocketAddr = front.addresses[0].strip_prefix("http://").unwrap().parse().unwrap();
    // Longer than what would be collected: it is streamed all the way.
    let body = gateways::random(9, 300_000);
    let pieces = body.chunks(7000).map(|piece| http_body::Frame::data(bytes::Bytes::copy_from_slice(piece)));
    let request = http::Request::post("/").header("host", "a.example");
    let request = request.body(gateways::Channel::of(pieces.collect::<Vec<_>>())).unwrap();
    let mut client = gateways::http_1(address).await;
    let answer = gateways::collected(listening::soon(client.send_request(request)).await.unwrap()).await;
    assert!((answer.status, &answer.body[..]) == (200, &body[..]), "{}", answer.status);
}

/// What a quantum computer could read later is agreed on only if the command is told so.
#[tokio::test(flavor = "multi_thread")]
async fn classical_key_exchange_is_by_choice() {
    let files = files("classical");
    let (roots, [cert, key]) = (&files.roots, &files.server);
    let mut provider = aws_lc_rs::default_provider();
    provider.kx_groups = vec![X25519];
    let provider = Arc::new(provider);

    // A server that knows nothing else.
    let (certificate, private) = files.authority.certify("localhost");
    let private = PrivateKeyDer::from_pem_slice(private.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider));
    let config = config.with_protocol_versions(&[&version::TLS13]).unwrap().with_no_client_auth();
    let mut config = config.with_single_cert(vec![certificate.der().clone()], private).unwrap();
    config.alpn_protocols = vec![ALPN.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("localhost:0").await.unwrap();
    let url = format!("zaps://localhost:{}/", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(stream) = acceptor.accept(stream).await {
                let app = axum::Router::new().fallback(async || "agreed");
                let info = ConnectionInfo::new(None, None);
                tokio::spawn(serve_connection(stream, app, Default::default(), info, pending()));
            }
        }
    });
    let output = run(&["get", &url, "--ca", roots, "--classical"]).await;
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"agreed"[..]), "{output:?}");
    let output = run(&["get", &url, "--ca", roots]).await;
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{output:?}");

    // Clients that know nothing else.
    let mut trusted = RootCertStore::empty();
    trusted.add(files.authority.0.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[&version::TLS13]).unwrap();
    let mut config = config.with_root_certificates(trusted).with_no_client_auth();
    config.alpn_protocols = vec![ALPN.to_vec()];
    let connector = TlsConnector::from(Arc::new(config));
    for (option, agreed) in [(&[][..], false), (&["--classical"], true)] {
        let serve = ["serve", "--echo", "--listen", ANY, "--cert", cert, "--key", key];
        let server = Server::start(&[&serve[..], option].concat(), 1);
        let stream = TcpStream::connect(server.addresses[0].strip_prefix("zaps://").unwrap()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        assert_eq!(listening::soon(connector.connect(name, stream)).await.is_ok(), agreed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn how_tls_fails() {
    let files = files("fails");
    let Files { roots, server: [cert, key], client: [_, other_key], .. } = &files;
    let serve = ["serve", "--echo", "--listen", ANY];
    let cases: &[(&[&str], i32, &str)] = &[
        (&serve, 2, "no TLS configuration was given: --cert and --key do"),
        (&[&serve[..], &["--cert", cert]].concat(), 2, "--key <FILE>"),
        (&[&serve[..], &["--key", key]].concat(), 2, "--cert <FILE>"),
        (&[&serve[..], &["--cert", cert, "--key", "/no/such/file"]].concat(), 1, "cannot use"),
        (&[&serve[..], &["--cert", key, "--key", key]].concat(), 1, "there is no certificate"),
        (&[&serve[..], &["--cert", cert, "--key", other_key]].concat(), 1, "certificates or key are not usable"),
        (
            &["get", "zaps://localhost:1/", "--ca", "/no/such/file"],
            1,
            "cannot use /no/such/file: a file cannot be read",
        ),
        (&["get", "zaps://localhost:1/", "--ca", key], 1, "there is no certificate"),
        (&["get", "--trace", "zaps://localhost:1/", "--ca", roots], 2, "--trace shows no frames inside TLS"),
        (&["get", "https://localhost/"], 2, "leads to no server"),
    ];
    for (arguments, code, told) in cases {
        let output = run(arguments).await;
        let error = text(&output.stderr);
        assert!(error.contains(told) && output.status.code() == Some(*code), "{arguments:?}: {error}");
    }
}
