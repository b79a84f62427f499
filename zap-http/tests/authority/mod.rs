//! A certificate authority for tests of TLS.
#![allow(dead_code)]

use rcgen::{BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use zap_http::{TlsClient, TlsIdentity, TlsRoots, TlsServer};

/// An authority, and those that it vouches for.
pub(crate) struct Authority(pub(crate) CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn roots(&self) -> TlsRoots {
        TlsRoots::from_pem(self.0.pem().as_bytes()).unwrap()
    }

    /// An identity, and its certificate in DER.
    pub(crate) fn vouch(&self, name: &str) -> (TlsIdentity, Vec<u8>) {
        let (certificate, key) = self.certify(name);
        let identity = TlsIdentity::from_pem(certificate.pem().as_bytes(), key.serialize_pem().as_bytes()).unwrap();
        (identity, certificate.der().to_vec())
    }

    pub(crate) fn certify(&self, name: &str) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new([name.to_owned()]).unwrap().signed_by(&key, &self.0).unwrap();
        (certificate, key)
    }

    pub(crate) fn server(&self) -> TlsServer {
        TlsServer::new(self.vouch("localhost").0).unwrap()
    }

    pub(crate) fn client(&self) -> TlsClient {
        TlsClient::new(self.roots()).unwrap()
    }
}
