//! HTTP requests and responses carried in ZAP frames, bodies byte for byte.
//!
//! [`serve`] serves any tower service, so an axum `Router` as it is. Below it lies [`proto`]: the wire and both ends of a
//! connection, without I/O. Bytes and the time go in, bytes and deadlines come out; sockets, tasks and clocks are the
//! caller's. [`convert`] leads from there to the types of the `http` crate and back.
//!
//! # Move an axum app in one line
//!
//! ```
//! use axum::{Router, routing::get};
//!
//! # #[cfg(feature = "server")]
//! # async fn run() -> std::io::Result<()> {
//! let app = Router::new().route("/stations", get(|| async { "[]" }));
//! let listener = tokio::net::TcpListener::bind("0.0.0.0:9999").await?;
//! // was: axum::serve(listener, app).await?;
//! zap_http::serve(listener, app).await;
//! # Ok(())
//! # }
//! ```
//!
//! Handlers and middleware stay as they are: see the [guide](guide::axum).
//!
//! # Call a service
//!
//! ```no_run
//! # #[cfg(feature = "client")]
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use zap_http::Client;
//!
//! let client = Client::new();
//! let stations = client.get("zap://survey.example/stations").header("accept", "application/json").send().await?;
//! println!("{}", stations.error_for_status()?.text().await?);
//! # Ok(())
//! # }
//! ```
//!
//! [`Client`] keeps connections and is a tower service, too: [`Client::to`] makes one of a single server, for generated
//! clients and unix sockets. For `zaps://` it is told whom to trust ([`ClientBuilder`]).
//!
//! # One service on several addresses
//!
//! [`listen`] takes addresses, and speaks what their schemes say: ZAP on TCP and unix sockets, HTTP/1.1 and HTTP/2, ZAP in
//! TLS. Behind all of them are one service, one set of bounds and one shutdown.
//!
//! ```
//! # #[cfg(feature = "server")]
//! # async fn run(app: axum::Router) -> Result<(), zap_http::ListenError> {
//! zap_http::listen([":9999", "unix:/run/app.sock", "http://127.0.0.1:8080"]).serve(app).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Requests carry a [`ConnectionInfo`] as an extension: addresses, the process behind a unix socket, and what TLS agreed on.
//!
//! # Forward between HTTP and ZAP
//!
//! With the feature `gateway`, a service that forwards: for browsers in front of a ZAP service, or for ZAP callers of an
//! HTTP/1.1 service. The command `zap-http gateway` (feature `cli`) does the same without a program.
//!
//! ```
//! # #[cfg(feature = "gateway")]
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use zap_http::{gateway, listen};
//!
//! listen("http://:8080").serve(gateway::to_zap("zap://survey.example:9999")?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Answer without the types of `http`
//!
//! A [`Handler`] borrows the request from the connection's input and writes its answer into the output; a small one
//! allocates nothing. It is for what is called very often and does little. Its docs say what to take when.
//!
//! ```
//! # #[cfg(feature = "server")]
//! # async fn run() -> std::io::Result<()> {
//! use zap_http::{handler_fn, serve_handler};
//!
//! let health = handler_fn(|request, responder| match request.target() {
//!     b"/health" => responder.status(200).header("content-type", "text/plain").body(b"ok"),
//!     _ => responder.status(404).finish(),
//! });
//! serve_handler(tokio::net::TcpListener::bind("0.0.0.0:9999").await?, health).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Frames by hand
//!
//! ```
//! use zap_http::proto::{Encoder, FrameLimits, Request};
//!
//! let mut frame = Vec::new();
//! let mut request = Encoder::message(&mut frame).request("GET", "/stations?limit=20")?;
//! request.header("Host", "survey.example")?;
//! request.finish()?;
//!
//! let request = Request::decode(&frame, &FrameLimits::new())?;
//! assert_eq!((request.method(), request.target()), (&b"GET"[..], &b"/stations?limit=20"[..]));
//! assert_eq!(request.headers().get("host"), Some(&b"survey.example"[..]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Read on
//!
//! The [`guide`] is the manual: how to [move an axum app](guide::axum) and run ZAP and HTTP at once, how to
//! [talk to a Go service](guide::go), [what the wire cannot say](guide::limits_of_the_wire), and
//! [probes in Kubernetes](guide::probes). There is no upgrade (so no WebSocket), and a request is one frame: its body is there
//! as a whole before a handler sees it, unless both ends agree on [more](proto#streamed-requests). The client follows no
//! redirects and knows no proxies. Small programs to run, gRPC and server-sent events among them, are in the repository's
//! folder `examples`.
//!
//! # Features
//!
//! * `server` (on): [`serve`], [`listen`] and what belongs to them, over tokio.
//! * `client` (on): [`Client`], over tokio. Without both: [`proto`], [`convert`], [`Target`].
//! * `json`: bodies of the client as JSON.
//! * `http1`: `http://` addresses, by hyper.
//! * `tls`: `zaps://` addresses, and TLS for clients: rustls over aws-lc, which takes a C compiler to build. TLS 1.3 alone,
//!   with a key exchange that withstands quantum computers unless told otherwise.
//! * `tls-native-roots`: [`TlsRoots::native`], those that the system trusts.
//! * `gateway`: `gateway`, a service that forwards between HTTP and ZAP.
//! * `cli`: the command `zap-http`: a client, a file server, a gateway, and what shows frames. It has `tls` in it.
//! * `axum`: axum's `ConnectInfo<SocketAddr>` works in handlers as it is.
//! * `tracing`, `metrics`: what a server or client does can be seen; [`observe`] lists what. Off, it costs nothing.
#![cfg_attr(not(all(feature = "server", feature = "client")), allow(rustdoc::broken_intra_doc_links))]
#![forbid(unsafe_code)]

// The README's snippets are tests.
#[cfg(all(doctest, feature = "server", feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(any(feature = "server", feature = "client"))]
mod body;
#[cfg(feature = "client")]
mod client;
pub mod convert;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(all(feature = "server", feature = "client"))]
pub mod guide;
#[cfg(feature = "server")]
mod incoming;
mod info;
#[cfg(feature = "server")]
mod listen;
pub mod observe;
pub mod proto;
#[cfg(feature = "server")]
mod server;
mod target;
#[cfg(any(feature = "server", feature = "client"))]
mod timer;
#[cfg(feature = "tls")]
mod tls;

#[cfg(any(feature = "server", feature = "client"))]
pub use body::{Body, BodyError};
#[cfg(feature = "client")]
pub use client::{
    Client, ClientBuilder, ClientError, ClientResponse, CloseError, ConnectError, RequestBuilder, ResponseBody,
    ResponseFuture, Timeout,
};
pub use info::{ConnectionInfo, TlsGroup, TlsInfo, Transport, UnixCredentials};
#[cfg(feature = "server")]
pub use listen::{
    AddressError, BindError, BindOptions, DEFAULT_KEEPALIVE, Listen, ListenAddress, ListenAddresses, ListenError,
    Listener, Listeners, LocalAddress, Place, Scheme, Socket, SocketListener, listen,
};
#[cfg(feature = "server")]
pub use server::{
    Application, Handler, HandlerFn, Native, RequestView, Responder, ResponseWriter, Serve, ServeConfig, Served,
    ServerHandle, handler_fn, serve, serve_connection, serve_handler, serve_handler_connection,
};
pub use target::{DEFAULT_PORT, Target, TargetError, TargetScheme};
#[cfg(feature = "tls")]
pub use tls::{
    ALPN, KeyExchange, TlsClient, TlsClientBuilder, TlsError, TlsIdentity, TlsRoots, TlsServer, TlsServerBuilder,
};
