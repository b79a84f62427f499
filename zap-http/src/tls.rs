//! TLS 1.3 for ZAP, by rustls over aws-lc.
//!
//! Keys are exchanged with X25519MLKEM768, which a later quantum computer does not break; a peer that cannot is refused
//! unless [`KeyExchange::AllowClassical`] says otherwise. Both ends must name the protocol `zap-http/1`. Sessions are not
//! resumed: each connection shows the certificates that hold when it begins.
//!
//! [`TlsServer`] and [`TlsClient`] are made once and cloned freely.

mod client;
mod identity;
#[cfg(feature = "server")]
mod serve;
mod server;

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio_rustls::rustls::crypto::{CryptoProvider, aws_lc_rs};
use tokio_rustls::rustls::server::VerifierBuilderError;
use tokio_rustls::rustls::{self, CommonState, NamedGroup};

use crate::{TlsGroup, TlsInfo};

pub use client::{TlsClient, TlsClientBuilder};
pub use identity::{TlsIdentity, TlsRoots};
#[cfg(feature = "server")]
pub(crate) use serve::serve_tls;
pub use server::{TlsServer, TlsServerBuilder};

/// The name of the protocol inside TLS (ALPN).
pub const ALPN: &[u8] = b"zap-http/1";

/// Which key exchanges are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyExchange {
    /// X25519MLKEM768 and no other.
    #[default]
    PostQuantum,
    /// X25519MLKEM768 first, and X25519, P-256 or P-384 with a peer that has no better: what is recorded today may be read
    /// by a quantum computer later.
    AllowClassical,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A text is not PEM, or holds no key.
    #[error("this is not PEM, or holds no key")]
    Pem(#[source] rustls::pki_types::pem::Error),
    /// There is no certificate.
    #[error("there is no certificate")]
    NoCertificate,
    /// Certificates or key do not fit together or are not usable.
    #[error("certificates or key are not usable")]
    Config(#[source] rustls::Error),
    /// There are no roots to check client certificates with.
    #[error("client certificates cannot be checked")]
    ClientVerifier(#[source] VerifierBuilderError),
    /// A server's name is none.
    #[error("{name:?} is no name of a server")]
    InvalidName {
        /// The name.
        name: String,
    },
    /// A file cannot be read.
    #[error("a file cannot be read")]
    File(#[source] io::Error),
    /// The two ends found no agreement, or the transport failed.
    #[error("the TLS handshake failed")]
    Handshake(#[source] io::Error),
    /// The peer does not speak `zap-http/1`.
    #[error("the peer does not speak zap-http/1")]
    Protocol,
    /// A target is `zaps://`, and the client was given no TLS.
    #[error("the client was not told whom to trust: `ClientBuilder::tls` does")]
    NotConfigured,
    /// The handshake took too long.
    #[error("the TLS handshake took too long")]
    Timeout,
}

fn provider(key_exchange: KeyExchange) -> Arc<CryptoProvider> {
    use aws_lc_rs::kx_group::{SECP256R1, SECP384R1, X25519, X25519MLKEM768};
    let kx_groups = match key_exchange {
        KeyExchange::PostQuantum => vec![X25519MLKEM768],
        KeyExchange::AllowClassical => vec![X25519MLKEM768, X25519, SECP256R1, SECP384R1],
    };
    Arc::new(CryptoProvider { kx_groups, ..aws_lc_rs::default_provider() })
}

/// What a finished handshake agreed on.
fn info_of(state: &CommonState, server_name: Option<&str>) -> Result<TlsInfo, TlsError> {
    if state.alpn_protocol() != Some(ALPN) {
        return Err(TlsError::Protocol);
    }
    let group = match state.negotiated_key_exchange_group().map(|group| group.name()) {
        Some(NamedGroup::X25519MLKEM768) => TlsGroup::X25519MlKem768,
        Some(NamedGroup::X25519) => TlsGroup::X25519,
        Some(NamedGroup::secp256r1) => TlsGroup::Secp256r1,
        Some(NamedGroup::secp384r1) => TlsGroup::Secp384r1,
        Some(other) => TlsGroup::Other(other.into()),
        // Not after a handshake of TLS 1.3.
        None => return Err(TlsError::Protocol),
    };
    let mut info = TlsInfo::new(group);
    info.server_name = server_name.map(str::to_owned);
    let certificates = state.peer_certificates().unwrap_or_default();
    info.peer_certificates = certificates.iter().map(|certificate| Bytes::copy_from_slice(certificate)).collect();
    Ok(info)
}
