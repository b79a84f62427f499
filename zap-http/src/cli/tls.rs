//! TLS of the commands: whom they trust, what they show, and which key exchanges will do.

use std::path::{Path, PathBuf};

use zap_http::{KeyExchange, TlsClient, TlsError, TlsIdentity, TlsRoots, TlsServer};

use crate::failure::Failure;

/// For calls to `zaps://`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct Calling {
    /// For zaps://: trust the certificates of this file of PEM instead of those that the system trusts.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// For zaps://: show this certificate, a file of PEM, to a server that asks for one.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The private key of --cert, a file of PEM.
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// For zaps://: also take a server that cannot exchange keys in a way that withstands quantum computers.
    #[arg(long)]
    classical: bool,
}

/// For addresses that are `zaps://`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "TLS")]
pub(crate) struct Serving {
    /// For zaps:// addresses: the server's certificate, and those that lead to a root, in a file of PEM.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// The private key of --cert, a file of PEM.
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// For zaps:// addresses: refuse clients without a certificate that leads to those of this file of PEM.
    #[arg(long, value_name = "FILE", requires = "cert")]
    client_ca: Option<PathBuf>,
    /// For zaps://: also take a peer that cannot exchange keys in a way that withstands quantum computers.
    #[arg(long)]
    pub(crate) classical: bool,
}

impl Calling {
    /// The same, from options of other names.
    pub(crate) fn new(ca: Option<PathBuf>, pair: Option<(PathBuf, PathBuf)>, classical: bool) -> Self {
        let (cert, key) = pair.unzip();
        Self { ca, cert, key, classical }
    }

    /// What a client is made with.
    pub(crate) fn client(&self) -> Result<TlsClient, Failure> {
        let roots = match &self.ca {
            Some(path) => TlsRoots::from_pem_file(path).map_err(|error| unusable(path, error))?,
            None => TlsRoots::native()
                .map_err(|error| Failure::of("this system trusts nobody; --ca says whom to trust", error))?,
        };
        let mut client = TlsClient::builder(roots).key_exchange(key_exchange(self.classical));
        if let (Some(cert), Some(key)) = (&self.cert, &self.key) {
            client = client.identity(identity(cert, key)?);
        }
        client.build().map_err(Failure::by)
    }
}

impl Serving {
    /// What a server is made with, if a certificate was given.
    pub(crate) fn server(&self) -> Result<Option<TlsServer>, Failure> {
        let (Some(cert), Some(key)) = (&self.cert, &self.key) else { return Ok(None) };
        let mut server = TlsServer::builder(identity(cert, key)?).key_exchange(key_exchange(self.classical));
        if let Some(path) = &self.client_ca {
            let roots = TlsRoots::from_pem_file(path).map_err(|error| unusable(path, error))?;
            server = server.require_client_certificates(roots);
        }
        server.build().map(Some).map_err(Failure::by)
    }
}

fn key_exchange(classical: bool) -> KeyExchange {
    if classical { KeyExchange::AllowClassical } else { KeyExchange::PostQuantum }
}

fn identity(cert: &Path, key: &Path) -> Result<TlsIdentity, Failure> {
    let unusable = |error| Failure::of(format_args!("cannot use {} with {}", cert.display(), key.display()), error);
    TlsIdentity::from_pem_files(cert, key).map_err(unusable)
}

fn unusable(path: &Path, error: TlsError) -> Failure {
    Failure::of(format_args!("cannot use {}", path.display()), error)
}
