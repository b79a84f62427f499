//! What one shows, a certificate and its key, and what one trusts, roots.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::sign::CertifiedKey;

use super::{KeyExchange, TlsError, provider};

/// A certificate, those that lead from it to a root, and its private key.
///
/// # Examples
///
/// ```no_run
/// # fn main() -> Result<(), zap_http::TlsError> {
/// let identity = zap_http::TlsIdentity::from_pem_files("/etc/app/cert.pem", "/etc/app/key.pem")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TlsIdentity(pub(super) Arc<CertifiedKey>);

/// The key is not shown.
impl fmt::Debug for TlsIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsIdentity").field("certificates", &self.0.cert.len()).finish_non_exhaustive()
    }
}

impl TlsIdentity {
    /// From DER: the certificate first, then those that lead to a root.
    ///
    /// # Errors
    ///
    /// There is no certificate, the key is of no known kind, or it is not that of the certificate.
    pub fn from_der(certificates: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Result<Self, TlsError> {
        if certificates.is_empty() {
            return Err(TlsError::NoCertificate);
        }
        let provider = provider(KeyExchange::default());
        let key = CertifiedKey::from_der(certificates, key, &provider).map_err(TlsError::Config)?;
        Ok(Self(Arc::new(key)))
    }

    /// From PEM.
    ///
    /// # Errors
    ///
    /// As [`from_der`](Self::from_der), or one of them is not PEM.
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let key = PrivateKeyDer::from_pem_slice(key).map_err(TlsError::Pem)?;
        Self::from_der(certificates_of(certificates)?, key)
    }

    /// From files of PEM.
    ///
    /// # Errors
    ///
    /// As [`from_pem`](Self::from_pem), or a file cannot be read.
    pub fn from_pem_files(certificates: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, TlsError> {
        let certificates = fs::read(certificates).map_err(TlsError::File)?;
        let key = fs::read(key).map_err(TlsError::File)?;
        Self::from_pem(&certificates, &key)
    }
}

/// The certificates that others are checked with.
#[derive(Clone, Debug)]
pub struct TlsRoots(pub(super) Arc<RootCertStore>);

impl TlsRoots {
    /// From DER.
    ///
    /// # Errors
    ///
    /// There is none, or one of them is not usable.
    pub fn from_der<'c>(certificates: impl IntoIterator<Item = CertificateDer<'c>>) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates {
            roots.add(certificate.into_owned()).map_err(TlsError::Config)?;
        }
        if roots.is_empty() { Err(TlsError::NoCertificate) } else { Ok(Self(Arc::new(roots))) }
    }

    /// From PEM.
    ///
    /// # Errors
    ///
    /// As [`from_der`](Self::from_der), or this is not PEM.
    pub fn from_pem(certificates: &[u8]) -> Result<Self, TlsError> {
        Self::from_der(certificates_of(certificates)?)
    }

    /// From a file of PEM.
    ///
    /// # Errors
    ///
    /// As [`from_pem`](Self::from_pem), or the file cannot be read.
    pub fn from_pem_file(certificates: impl AsRef<Path>) -> Result<Self, TlsError> {
        Self::from_pem(&fs::read(certificates).map_err(TlsError::File)?)
    }

    /// Those that this system trusts, or that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name. What of
    /// them cannot be read or used is left out: systems have certificates that are none.
    ///
    /// # Errors
    ///
    /// There is none.
    ///
    /// # Cost
    ///
    /// Reads them all, mostly from files: do it once, and not where other tasks wait.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # fn main() -> Result<(), zap_http::TlsError> {
    /// use zap_http::{Client, TlsClient, TlsRoots};
    ///
    /// let client = Client::builder().tls(TlsClient::new(TlsRoots::native()?)?).build();
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "tls-native-roots")]
    pub fn native() -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() { Err(TlsError::NoCertificate) } else { Ok(Self(Arc::new(roots))) }
    }
}

fn certificates_of(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(TlsError::Pem)
}
