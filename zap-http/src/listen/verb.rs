//! One verb for all addresses: each is bound by its scheme, and one service is behind all of them.

use std::future::{Future, IntoFuture, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::{Request, Response};
use tower_service::Service;

use super::{AddressError, BindError, BindOptions, ListenAddress, Listener, LocalAddress, Scheme, SocketListener};
use crate::server::connections::Connections;
use crate::server::{Application, Serve, Served, accept_all, serve_member};
#[cfg(feature = "tls")]
use crate::tls::TlsServer;
use crate::{Body, Handler, Native};

/// Listens on addresses, each by its scheme, with one service behind all of them.
///
/// Addresses are texts as [`ListenAddress`] has them, one or several: `":9999"` or `"zap://…"` for ZAP, `"unix:/path"` for
/// ZAP on a unix socket, `"http://…"` for HTTP/1.1 and HTTP/2 (feature `http1`), `"zaps://…"` for ZAP in TLS (feature
/// `tls`).
///
/// # Examples
///
/// ```
/// use axum::{Router, routing::get};
///
/// # async fn run() -> Result<(), zap_http::ListenError> {
/// let app = Router::new().route("/hello", get(|| async { "hello" }));
/// zap_http::listen(":9999").and("unix:/run/app.sock").serve(app).await?;
/// # Ok(())
/// # }
/// ```
///
/// Binding first tells where the server listens, and stops at what cannot be bound:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let app = axum::Router::new();
/// use std::future::IntoFuture;
///
/// let listeners = zap_http::listen(["127.0.0.1:0", "zap://localhost:0"]).bind().await?;
/// println!("listening on {:?}", listeners.local_addresses()?);
///
/// let server = listeners.serve(app);
/// let handle = server.handle();
/// let server = tokio::spawn(server.into_future());
/// // ...
/// handle.shutdown();
/// let served = server.await?;
/// assert_eq!(served.connections, 0);
/// # Ok(())
/// # }
/// ```
pub fn listen(addresses: impl ListenAddresses) -> Listen {
    let listen = Listen {
        addresses: Vec::new(),
        bound: Vec::new(),
        options: BindOptions::default(),
        #[cfg(feature = "tls")]
        tls: None,
    };
    listen.and(addresses)
}

/// Addresses to listen on: what [`listen`] gives.
#[derive(Debug)]
#[must_use = "nothing listens until it is bound or served"]
pub struct Listen {
    addresses: Vec<Result<ListenAddress, ListenError>>,
    /// Bound elsewhere.
    bound: Vec<(Scheme, SocketListener)>,
    options: BindOptions,
    #[cfg(feature = "tls")]
    tls: Option<TlsServer>,
}

/// Listeners that are bound: what [`Listen::bind`] gives.
#[derive(Debug)]
pub struct Listeners(Vec<(Protocol, SocketListener)>);

/// What is spoken on a listener.
#[derive(Clone, Debug)]
enum Protocol {
    Zap,
    #[cfg(feature = "http1")]
    Http,
    #[cfg(feature = "tls")]
    Zaps(TlsServer),
}

/// Why nothing listens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// A text is no address.
    #[error("{text:?} is no address to listen on")]
    Address {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: AddressError,
    },
    /// An address cannot be bound.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: ListenAddress,
        /// Why.
        source: BindError,
    },
    /// The address is for a feature of this crate that is off.
    #[error("cannot listen on {address}: the feature `{feature}` of zap-http is off")]
    FeatureOff {
        /// The address.
        address: String,
        /// The feature's name.
        feature: &'static str,
    },
    /// The address is for TLS, and there is no certificate: see `Listen::tls`.
    #[error("cannot listen on {address}: no TLS configuration was given")]
    NoTls {
        /// The address.
        address: String,
    },
    /// The address is for HTTP, and a [`Handler`](crate::Handler) was to be served: it answers frames.
    #[error("cannot listen on {address}: a handler answers ZAP alone; serve a tower service there")]
    HandlerOverHttp {
        /// The address.
        address: String,
    },
    /// There is no address.
    #[error("no address to listen on")]
    NoAddress,
}

/// One address or several, as texts or parsed.
pub trait ListenAddresses: private::Push {}

impl<A: private::Push> ListenAddresses for A {}

mod private {
    use super::{ListenAddress, ListenError};

    pub trait Push {
        fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>);
    }
}

impl private::Push for ListenAddress {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        addresses.push(Ok(self));
    }
}

impl private::Push for &str {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        addresses.push(self.parse().map_err(|source| ListenError::Address { text: self.to_owned(), source }));
    }
}

impl private::Push for String {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.as_str().push(addresses);
    }
}

impl private::Push for &String {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.as_str().push(addresses);
    }
}

impl private::Push for SocketAddr {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.to_string().push(addresses);
    }
}

impl<A: private::Push, const N: usize> private::Push for [A; N] {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.into_iter().for_each(|address| address.push(addresses));
    }
}

impl<A: private::Push> private::Push for Vec<A> {
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.into_iter().for_each(|address| address.push(addresses));
    }
}

impl<'a, A> private::Push for &'a [A]
where
    &'a A: private::Push,
{
    fn push(self, addresses: &mut Vec<Result<ListenAddress, ListenError>>) {
        self.iter().for_each(|address| address.push(addresses));
    }
}

impl Listen {
    /// Further addresses.
    pub fn and(mut self, addresses: impl ListenAddresses) -> Self {
        addresses.push(&mut self.addresses);
        self
    }

    /// A listener that was bound elsewhere, after all addresses: one that the process was started with, for instance.
    ///
    /// # Examples
    ///
    /// systemd's socket activation, by the crate `listenfd`:
    ///
    /// ```
    /// # async fn run(app: axum::Router) -> Result<(), Box<dyn std::error::Error>> {
    /// use zap_http::{Scheme, listen};
    ///
    /// let mut listen = listen(":9999");
    /// if let Some(listener) = listenfd::ListenFd::from_env().take_tcp_listener(0)? {
    ///     listener.set_nonblocking(true)?;
    ///     listen = listen.and_bound(Scheme::Zap, tokio::net::TcpListener::from_std(listener)?);
    /// }
    /// listen.serve(app).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn and_bound(mut self, scheme: Scheme, listener: impl Into<SocketListener>) -> Self {
        self.bound.push((scheme, listener.into()));
        self
    }

    /// How sockets are bound.
    pub fn options(mut self, options: BindOptions) -> Self {
        self.options = options;
        self
    }

    /// What `zaps://` addresses show and ask for.
    #[cfg(feature = "tls")]
    pub fn tls(mut self, tls: TlsServer) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Binds all addresses, in their order.
    ///
    /// # Errors
    ///
    /// One of them is no address, or cannot be bound; then none is.
    pub async fn bind(mut self) -> Result<Listeners, ListenError> {
        let addresses: Vec<_> = std::mem::take(&mut self.addresses).into_iter().collect::<Result<_, _>>()?;
        // What cannot be served is found before anything is bound.
        let protocol = |address: &ListenAddress| self.protocol_of(address.scheme(), || address.to_string());
        let protocols: Vec<_> = addresses.iter().map(protocol).collect::<Result<_, _>>()?;
        let mut listeners = Vec::new();
        for (address, protocol) in addresses.into_iter().zip(protocols) {
            match address.bind(&self.options).await {
                Ok(listener) => listeners.push((protocol, listener)),
                Err(source) => return Err(ListenError::Bind { address, source }),
            }
        }
        for (scheme, listener) in std::mem::take(&mut self.bound) {
            let protocol = self.protocol_of(scheme, || shown(scheme, &listener))?;
            listeners.push((protocol, listener));
        }
        if listeners.is_empty() { Err(ListenError::NoAddress) } else { Ok(Listeners(listeners)) }
    }

    /// Binds all addresses when the server is awaited, and serves `service` on them.
    pub fn serve<S, B>(self, service: S) -> Serve<Self, S>
    where
        S: Service<Request<Body>, Response = Response<B>>,
    {
        Serve::new(self, service)
    }

    /// As [`serve`](Self::serve), with a handler: for all addresses but those of `http://`.
    ///
    /// # Examples
    ///
    /// ```
    /// # async fn run() -> Result<(), zap_http::ListenError> {
    /// use zap_http::{handler_fn, listen};
    ///
    /// let health = handler_fn(|_request, responder| responder.status(200).body(b"ok"));
    /// listen([":9999", "unix:/run/app.sock"]).serve_handler(health).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn serve_handler<H: Handler>(self, handler: H) -> Serve<Self, Native<H>> {
        Serve::new(self, Native::new(handler))
    }

    /// What [`serve_handler`](Self::serve_handler) cannot serve.
    fn refuse_http(&self) -> Result<(), ListenError> {
        let addresses = self.addresses.iter().flatten().map(|address| (address.scheme(), address.to_string()));
        let bound = self.bound.iter().map(|(scheme, listener)| (*scheme, shown(*scheme, listener)));
        match addresses.chain(bound).find(|(scheme, _)| *scheme == Scheme::Http) {
            Some((_, address)) => Err(ListenError::HandlerOverHttp { address }),
            None => Ok(()),
        }
    }

    fn protocol_of(&self, scheme: Scheme, address: impl FnOnce() -> String) -> Result<Protocol, ListenError> {
        match scheme {
            Scheme::Zap => Ok(Protocol::Zap),
            #[cfg(feature = "http1")]
            Scheme::Http => Ok(Protocol::Http),
            #[cfg(not(feature = "http1"))]
            Scheme::Http => Err(ListenError::FeatureOff { address: address(), feature: "http1" }),
            #[cfg(feature = "tls")]
            Scheme::Zaps => match &self.tls {
                Some(tls) => Ok(Protocol::Zaps(tls.clone())),
                None => Err(ListenError::NoTls { address: address() }),
            },
            #[cfg(not(feature = "tls"))]
            Scheme::Zaps => Err(ListenError::FeatureOff { address: address(), feature: "tls" }),
        }
    }
}

impl Listeners {
    /// Where they listen, in the order of the addresses: with the ports that the system chose.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn local_addresses(&self) -> io::Result<Vec<LocalAddress>> {
        self.0.iter().map(|(_, listener)| listener.local_address()).collect()
    }

    /// Serves `service` on all of them.
    pub fn serve<S, B>(self, service: S) -> Serve<Self, S>
    where
        S: Service<Request<Body>, Response = Response<B>>,
    {
        Serve::new(self, service)
    }

    /// As [`serve`](Self::serve), with a handler.
    ///
    /// # Errors
    ///
    /// One of them is for HTTP, which a handler cannot answer.
    pub fn serve_handler<H: Handler>(self, handler: H) -> Result<Serve<Self, Native<H>>, ListenError> {
        #[cfg(feature = "http1")]
        if let Some((_, listener)) = self.0.iter().find(|(protocol, _)| matches!(protocol, Protocol::Http)) {
            return Err(ListenError::HandlerOverHttp { address: shown(Scheme::Http, listener) });
        }
        Ok(Serve::new(self, Native::new(handler)))
    }
}

/// A listener that was bound elsewhere, as text.
fn shown(scheme: Scheme, listener: &SocketListener) -> String {
    listener.local_address().map_or_else(|_| scheme.to_string(), |at| format!("{scheme}://{at}"))
}

impl<S> Serve<Listeners, S> {
    /// Where the listeners listen, in the order of the addresses: with the ports that the system chose.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn local_addresses(&self) -> io::Result<Vec<LocalAddress>> {
        self.listener.local_addresses()
    }
}

impl<S: Application> IntoFuture for Serve<Listeners, S> {
    type Output = Served;
    type IntoFuture = Pin<Box<dyn Future<Output = Served> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run(accept_on_all))
    }
}

impl<S: Application> IntoFuture for Serve<Listen, S> {
    type Output = Result<Served, ListenError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Result<Served, ListenError>> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let (listen, server) = self.take_listener();
            if !S::SPEAKS_HTTP {
                listen.refuse_http()?;
            }
            let listeners = listen.bind().await?;
            Ok(server.with_listener(listeners).run(accept_on_all).await)
        })
    }
}

/// Accepts on all listeners, without end.
fn accept_on_all<S: Application>(
    listeners: Listeners,
    service: S,
    connections: &Arc<Connections>,
) -> impl Future<Output = ()> + Send + use<S> {
    let loops = listeners.0.into_iter().map(|(protocol, listener)| {
        let (service, connections) = (service.clone(), Arc::clone(connections));
        Box::pin(accept_all(listener, connections, move |socket, info, member| {
            let service = service.clone();
            match &protocol {
                Protocol::Zap => drop(tokio::spawn(serve_member(socket, service, info, member))),
                #[cfg(feature = "http1")]
                Protocol::Http => drop(tokio::spawn(service.serve_http(socket, info, member))),
                #[cfg(feature = "tls")]
                Protocol::Zaps(tls) => {
                    drop(tokio::spawn(crate::tls::serve_tls(tls.clone(), socket, service, info, member)));
                }
            }
        }))
    });
    let mut loops: Vec<_> = loops.collect();
    poll_fn(move |context| {
        for accepting in &mut loops {
            let _ = accepting.as_mut().poll(context);
        }
        Poll::Pending
    })
}
