//! The client's side of TLS.

use std::fmt;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::{ResolvesClientCert, Resumption};
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{ClientConfig, SignatureScheme, version};

use super::{ALPN, KeyExchange, TlsError, TlsIdentity, TlsRoots, info_of, provider};
use crate::TlsInfo;

/// What a client trusts and shows. Clones are cheap.
///
/// # Examples
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// use zap_http::{TlsClient, TlsRoots};
///
/// let tls = TlsClient::new(TlsRoots::from_pem(&std::fs::read("roots.pem")?)?)?;
/// let socket = tokio::net::TcpStream::connect("survey.example:9999").await?;
/// let stream = tls.connect(socket, "survey.example").await?;
/// assert!(TlsClient::info(&stream)?.group.is_post_quantum());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TlsClient {
    connector: TlsConnector,
}

/// A [`TlsClient`] in the making.
#[derive(Debug)]
#[must_use]
pub struct TlsClientBuilder {
    roots: TlsRoots,
    identity: Option<TlsIdentity>,
    key_exchange: KeyExchange,
}

impl TlsClient {
    /// Trusts `roots`, shows no certificate, and requires the post-quantum key exchange.
    ///
    /// # Errors
    ///
    /// As [`TlsClientBuilder::build`].
    pub fn new(roots: TlsRoots) -> Result<Self, TlsError> {
        Self::builder(roots).build()
    }

    /// The same, with choices.
    pub fn builder(roots: TlsRoots) -> TlsClientBuilder {
        TlsClientBuilder { roots, identity: None, key_exchange: KeyExchange::default() }
    }

    /// Does the client's part of a handshake with the server of this name or IP address. There is no timeout here.
    ///
    /// # Errors
    ///
    /// The name is none, there is no agreement with the server, it is not the one of that name, or the transport fails.
    pub async fn connect<IO>(&self, transport: IO, name: &str) -> Result<TlsStream<IO>, TlsError>
    where
        IO: AsyncRead + AsyncWrite + Unpin,
    {
        let invalid = |_| TlsError::InvalidName { name: name.to_owned() };
        let server = ServerName::try_from(name.to_owned()).map_err(invalid)?;
        let stream = self.connector.connect(server, transport).await.map_err(TlsError::Handshake)?;
        Self::info(&stream)?;
        Ok(stream)
    }

    /// What a handshake agreed on.
    ///
    /// # Errors
    ///
    /// The server does not speak `zap-http/1`; not for a stream of [`connect`](Self::connect).
    pub fn info<IO>(stream: &TlsStream<IO>) -> Result<TlsInfo, TlsError> {
        info_of(stream.get_ref().1, None)
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsClient").finish_non_exhaustive()
    }
}

impl TlsClientBuilder {
    /// Which key exchanges are accepted.
    pub fn key_exchange(mut self, key_exchange: KeyExchange) -> Self {
        self.key_exchange = key_exchange;
        self
    }

    /// Shows a certificate to servers that ask for one.
    pub fn identity(mut self, identity: TlsIdentity) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Makes it.
    ///
    /// # Errors
    ///
    /// Something of what was given is not usable.
    pub fn build(self) -> Result<TlsClient, TlsError> {
        let config = ClientConfig::builder_with_provider(provider(self.key_exchange))
            .with_protocol_versions(&[&version::TLS13])
            .map_err(TlsError::Config)?
            .with_root_certificates(self.roots.0);
        let mut config = match self.identity {
            Some(identity) => config.with_client_cert_resolver(Arc::new(Certificate(identity.0))),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = vec![ALPN.to_vec()];
        config.resumption = Resumption::disabled();
        Ok(TlsClient { connector: TlsConnector::from(Arc::new(config)) })
    }
}

/// The certificate that is shown to servers that ask for one.
#[derive(Debug)]
struct Certificate(Arc<CertifiedKey>);

impl ResolvesClientCert for Certificate {
    fn resolve(&self, _: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.key.choose_scheme(schemes)?;
        Some(Arc::clone(&self.0))
    }

    fn has_certs(&self) -> bool {
        true
    }
}
