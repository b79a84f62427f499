//! The ways to the app, all of them up for the whole test: HTTP/1.1 by axum and by `listen`, ZAP on TCP, on a unix socket,
//! in TLS, and with streamed requests; and gateways from HTTP over ZAP to HTTP.

use std::future::IntoFuture;
use std::net::SocketAddr;

use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service;
use zap_http::proto::{Deframer, Encoder, Frame, FrameLimits, MAX_FRAME_LEN};
use zap_http::{Client, ServeConfig, TlsClient, TlsIdentity, TlsRoots, TlsServer, convert, gateway, listen, serve};

use crate::app::{Chunks, Pairs, Plans, Received, Seen, app, collect, pairs};
use crate::exchange::{Delivery, Exchange};

/// A body that is there at once and no longer than this comes in one frame, trailers included.
const MAX_WHOLE_LEN: usize = 64 << 10;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// `axum::serve` and hyper's client.
    Reference,
    /// Our `http://` address and hyper's client.
    Http,
    /// Our client on TCP.
    Tcp,
    /// Our client on a unix socket.
    Unix,
    /// Frames by hand, in TLS.
    Tls,
    /// Our client in TLS.
    TlsClient,
    /// Our client on TCP, with both ends told to stream requests.
    Streamed,
    /// Hyper's client, a gateway, ZAP, another gateway, and `axum::serve`.
    Gateway,
    /// The same with ZAP in TLS, where both gateways stream requests.
    StreamingGateway,
}

impl Way {
    pub(crate) const OTHERS: [Self; 8] = [
        Self::Http,
        Self::Tcp,
        Self::Unix,
        Self::Tls,
        Self::TlsClient,
        Self::Streamed,
        Self::Gateway,
        Self::StreamingGateway,
    ];

    pub(crate) fn is_gateway(self) -> bool {
        matches!(self, Self::Gateway | Self::StreamingGateway)
    }
}

pub(crate) struct Carriers {
    reference: SocketAddr,
    http: SocketAddr,
    tcp: Client,
    unix: Client,
    tls: (TlsClient, SocketAddr),
    tls_client: Client,
    streamed: Client,
    gateway: SocketAddr,
    streaming_gateway: SocketAddr,
    /// Where the unix socket is.
    _folder: Folder,
}

/// A folder that goes with the test.
struct Folder(std::path::PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Carriers {
    pub(crate) async fn start(plans: &Plans) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let reference = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, app(plans)).into_future());

        let folder = Folder(std::env::temp_dir().join(format!("zap-http-same-app-{}", std::process::id())));
        std::fs::create_dir_all(&folder.0).unwrap();
        let unix = format!("unix:{}", folder.0.join("socket").display());
        let (client, server) = tls_pair();
        let gateway = gateways(reference, "zap", &client, &server, false).await;
        let streaming_gateway = gateways(reference, "zaps", &client, &server, true).await;
        let addresses = ["http://127.0.0.1:0", "zap://127.0.0.1:0", "zaps://127.0.0.1:0", &unix];
        let listeners = listen(addresses).tls(server).bind().await.unwrap();
        let bound = listeners.local_addresses().unwrap();
        let address = |index: usize| bound[index].socket_addr().unwrap();
        tokio::spawn(listeners.serve(app(plans)).into_future());

        let mut config = ServeConfig::default();
        config.connection.stream_requests = true;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let streaming = format!("zap://{}", listener.local_addr().unwrap());
        tokio::spawn(serve(listener, app(plans)).config(config).into_future());

        Self {
            reference,
            http: address(0),
            tcp: Client::to(format!("zap://{}", address(1)).as_str()).unwrap(),
            tls_client: Client::builder()
                .tls(client.clone())
                .to(format!("zaps://localhost:{}", address(2).port()).as_str())
                .unwrap(),
            tls: (client, address(2)),
            gateway,
            streaming_gateway,
            unix: Client::to(unix.as_str()).unwrap(),
            streamed: Client::builder().stream_requests(true).to(streaming.as_str()).unwrap(),
            _folder: folder,
        }
    }

    /// What the handler sees of an exchange's request, and the caller of its answer.
    pub(crate) async fn call(&self, way: Way, plans: &Plans, exchange: &Exchange) -> (Seen, Received) {
        plans.set(exchange);
        let received = match way {
            Way::Reference => by_hyper(self.reference, exchange).await,
            Way::Http => by_hyper(self.http, exchange).await,
            Way::Tcp => by_client(&self.tcp, exchange).await,
            Way::Unix => by_client(&self.unix, exchange).await,
            Way::Streamed => {
                let received = by_client(&self.streamed, exchange).await;
                match exchange.request.delivery {
                    Delivery::Sized => assert!(plans.had_length(), "sent as a whole"),
                    Delivery::Waiting => assert!(!plans.had_length(), "streamed"),
                    // By its length.
                    Delivery::Ready => {}
                }
                received
            }
            Way::TlsClient => by_client(&self.tls_client, exchange).await,
            Way::Gateway => by_hyper(self.gateway, exchange).await,
            Way::StreamingGateway => by_hyper(self.streaming_gateway, exchange).await,
            Way::Tls => by_hand(&self.tls.0, self.tls.1, exchange).await,
        };
        (plans.take_seen(), received)
    }
}

/// Two gateways with ZAP between them, in front of an HTTP server; where the first one is.
async fn gateways(
    upstream: SocketAddr,
    scheme: &str,
    client: &TlsClient,
    server: &TlsServer,
    stream: bool,
) -> SocketAddr {
    let mut config = ServeConfig::default();
    config.connection.stream_requests = stream;
    let behind = listen(format!("{scheme}://localhost:0")).tls(server.clone()).bind().await.unwrap();
    let port = behind.local_addresses().unwrap()[0].socket_addr().unwrap().port();
    let behind = behind.serve(gateway::to_http(upstream.to_string()).unwrap()).config(config.clone());
    tokio::spawn(behind.into_future());
    let client = Client::builder().tls(client.clone()).stream_requests(stream);
    let to_zap = gateway::to_zap_with(client, format!("{scheme}://localhost:{port}")).unwrap();
    let front = listen("http://127.0.0.1:0").bind().await.unwrap().serve(to_zap).config(config);
    let address = front.local_addresses().unwrap()[0].socket_addr().unwrap();
    tokio::spawn(front.into_future());
    address
}

fn tls_pair() -> (TlsClient, TlsServer) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let identity = TlsIdentity::from_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap();
    let roots = TlsRoots::from_pem(authority.pem().as_bytes()).unwrap();
    (TlsClient::new(roots).unwrap(), TlsServer::new(identity).unwrap())
}

fn request_of(exchange: &Exchange) -> http::Request<Chunks> {
    let mut request = http::Request::new(Chunks::of(&exchange.request));
    *request.method_mut() = exchange.method().clone();
    *request.uri_mut() = exchange.target().parse().unwrap();
    *request.headers_mut() = exchange.request.announcing_header_map();
    request
}

async fn received<B>(response: http::Response<B>) -> Received
where
    B: http_body::Body<Data = bytes::Bytes>,
    B::Error: std::fmt::Debug,
{
    let (parts, body) = response.into_parts();
    let (body, trailers) = collect(body).await;
    Received { status: parts.status, headers: pairs(&parts.headers), body, trailers }
}

async fn by_hyper(address: SocketAddr, exchange: &Exchange) -> Received {
    let stream = TcpStream::connect(address).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let connection = tokio::spawn(connection);
    let response = sender.send_request(request_of(exchange)).await.unwrap();
    let received = received(response).await;
    drop(sender);
    // It ends with an error if the server did not take all of the request.
    connection.await.unwrap().unwrap();
    received
}

async fn by_client(client: &Client, exchange: &Exchange) -> Received {
    let mut client = client.clone();
    received(client.call(request_of(exchange)).await.unwrap()).await
}

/// One exchange on a connection of its own. The kind of the answer's frames is as the app's body asks for.
async fn by_hand(tls: &TlsClient, address: SocketAddr, exchange: &Exchange) -> Received {
    let mut stream = tls.connect(TcpStream::connect(address).await.unwrap(), "localhost").await.unwrap();
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request(exchange.method().as_str(), exchange.target()).unwrap();
    // Pairs in their own order, repeated ones apart: as no `HeaderMap` gives them.
    for (name, value) in &exchange.request.headers {
        request.header(name, value).unwrap();
    }
    request.body(&exchange.request_body()).unwrap();
    for (name, value) in &exchange.request.trailers {
        request.trailer(name, value).unwrap();
    }
    request.finish().unwrap();
    stream.write_all(&wire).await.unwrap();

    let mut answer = Assembly::default();
    let (mut deframer, mut spare, mut buffer) = (Deframer::new(MAX_FRAME_LEN), Vec::new(), vec![0; 64 << 10]);
    while !answer.ended {
        let len = stream.read(&mut buffer).await.unwrap();
        assert!(len > 0, "the connection ended inside the answer");
        deframer.recv(&buffer[..len]);
        let mut batch = deframer.take_batch(spare);
        while let Some(frame) = batch.next_frame() {
            answer.take(Frame::decode(frame, &FrameLimits::new()).unwrap());
        }
        spare = batch.into_spare();
    }
    let may_be_one_frame = exchange.is_bodiless() || exchange.answer.delivery != Delivery::Waiting;
    let must_be_one_frame = may_be_one_frame
        && (exchange.answer.delivery == Delivery::Sized || exchange.expected_body().len() <= MAX_WHOLE_LEN);
    let allowed = if answer.streamed { !must_be_one_frame } else { may_be_one_frame };
    assert!(allowed, "streamed: {}, of {exchange:?}", answer.streamed);
    answer.received.unwrap()
}

/// An answer, frame by frame.
#[derive(Default)]
struct Assembly {
    received: Option<Received>,
    streamed: bool,
    ended: bool,
}

impl Assembly {
    fn take(&mut self, frame: Frame<'_>) {
        match frame {
            Frame::Response(response) => {
                let parts = convert::response_parts(&response.head()).unwrap();
                let (body, trailers) = (response.body().to_vec(), trailers_of(response.trailers()));
                self.begin(parts, body, trailers);
                self.ended = true;
            }
            Frame::ResponseHead(head) => {
                self.begin(convert::response_parts(&head).unwrap(), Vec::new(), Pairs::new());
                self.streamed = true;
            }
            Frame::Data(data) => self.received.as_mut().unwrap().body.extend_from_slice(data.chunk()),
            Frame::End(end) => {
                self.received.as_mut().unwrap().trailers = trailers_of(end.trailers());
                self.ended = true;
            }
            frame => panic!("not of an answer: {frame:?}"),
        }
    }

    fn begin(&mut self, parts: http::response::Parts, body: Vec<u8>, trailers: Pairs) {
        assert!(self.received.is_none(), "one answer");
        self.received = Some(Received { status: parts.status, headers: pairs(&parts.headers), body, trailers });
    }
}

fn trailers_of(trailers: zap_http::proto::Headers<'_>) -> Pairs {
    pairs(&convert::trailers(trailers).unwrap())
}
