//! The server's side of TLS.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::{ClientHello, NoClientAuth, ResolvesServerCert, WebPkiClientVerifier};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ServerConfig, version};
use tokio_rustls::server::TlsStream;

use super::{ALPN, KeyExchange, TlsError, TlsIdentity, TlsRoots, info_of, provider};
use crate::TlsInfo;

/// What a server shows and asks for. Clones share the certificate: [`reload`](Self::reload) swaps it for all of them.
///
/// # Examples
///
/// ```no_run
/// # async fn run(app: axum::Router) -> Result<(), Box<dyn std::error::Error>> {
/// use zap_http::{TlsIdentity, TlsServer};
///
/// let tls = TlsServer::new(TlsIdentity::from_pem_files("cert.pem", "key.pem")?)?;
/// let reload = tls.clone();
/// // When there is a new certificate:
/// # let _ = || -> Result<(), zap_http::TlsError> {
/// reload.reload(TlsIdentity::from_pem_files("cert.pem", "key.pem")?);
/// # Ok(()) };
/// zap_http::listen("zaps://:9999").tls(tls).serve(app).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TlsServer {
    acceptor: TlsAcceptor,
    certificate: Arc<Certificate>,
}

/// A [`TlsServer`] in the making.
#[derive(Debug)]
#[must_use]
pub struct TlsServerBuilder {
    identity: TlsIdentity,
    key_exchange: KeyExchange,
    clients: Clients,
}

#[derive(Debug)]
enum Clients {
    Anyone,
    Optional(TlsRoots),
    Required(TlsRoots),
}

impl TlsServer {
    /// Shows `identity`, takes any client, and requires the post-quantum key exchange.
    ///
    /// # Errors
    ///
    /// As [`TlsServerBuilder::build`].
    pub fn new(identity: TlsIdentity) -> Result<Self, TlsError> {
        Self::builder(identity).build()
    }

    /// The same, with choices.
    pub fn builder(identity: TlsIdentity) -> TlsServerBuilder {
        TlsServerBuilder { identity, key_exchange: KeyExchange::default(), clients: Clients::Anyone }
    }

    /// Shows another certificate from now on. Connections that are there stay as they are.
    pub fn reload(&self, identity: TlsIdentity) {
        *self.certificate.0.write().unwrap_or_else(PoisonError::into_inner) = identity.0;
    }

    /// Does the server's part of a handshake, for accept loops of your own; [`listen`](crate::listen) does it by itself.
    /// There is no timeout here.
    ///
    /// # Errors
    ///
    /// There is no agreement with the peer, or the transport fails.
    pub async fn accept<IO>(&self, transport: IO) -> Result<(TlsStream<IO>, TlsInfo), TlsError>
    where
        IO: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = self.acceptor.accept(transport).await.map_err(TlsError::Handshake)?;
        let state = stream.get_ref().1;
        let info = info_of(state, state.server_name())?;
        Ok((stream, info))
    }
}

impl fmt::Debug for TlsServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsServer").finish_non_exhaustive()
    }
}

impl TlsServerBuilder {
    /// Which key exchanges are accepted.
    pub fn key_exchange(mut self, key_exchange: KeyExchange) -> Self {
        self.key_exchange = key_exchange;
        self
    }

    /// Asks clients for a certificate, and takes those that have none; one that does not lead to these roots is refused.
    pub fn optional_client_certificates(mut self, roots: TlsRoots) -> Self {
        self.clients = Clients::Optional(roots);
        self
    }

    /// Refuses clients without a certificate that leads to these roots.
    pub fn require_client_certificates(mut self, roots: TlsRoots) -> Self {
        self.clients = Clients::Required(roots);
        self
    }

    /// Makes it.
    ///
    /// # Errors
    ///
    /// Something of what was given is not usable.
    pub fn build(self) -> Result<TlsServer, TlsError> {
        let provider = provider(self.key_exchange);
        let verifier = |roots: TlsRoots| WebPkiClientVerifier::builder_with_provider(roots.0, Arc::clone(&provider));
        let clients = match self.clients {
            Clients::Anyone => Ok(Arc::new(NoClientAuth) as _),
            Clients::Optional(roots) => verifier(roots).allow_unauthenticated().build(),
            Clients::Required(roots) => verifier(roots).build(),
        };
        let clients = clients.map_err(TlsError::ClientVerifier)?;
        let certificate = Arc::new(Certificate(RwLock::new(self.identity.0)));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&version::TLS13])
            .map_err(TlsError::Config)?
            .with_client_cert_verifier(clients)
            .with_cert_resolver(Arc::clone(&certificate) as _);
        config.alpn_protocols = vec![ALPN.to_vec()];
        // A resumed session would show no certificate, and not the one that holds now.
        config.send_tls13_tickets = 0;
        Ok(TlsServer { acceptor: TlsAcceptor::from(Arc::new(config)), certificate })
    }
}

/// The certificate that is shown to new connections.
#[derive(Debug)]
struct Certificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Certificate {
    fn resolve(&self, client: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // rustls takes a client that names no protocol at all.
        if !client.alpn()?.any(|protocol| protocol == ALPN) {
            return None;
        }
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}
