//! Unix sockets: a file left by a process that is gone is replaced, one in use is not, and our own is removed at the end.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Type};
use tokio::net::UnixListener;

use super::{BindError, BindOptions, LocalAddress};
use crate::{ConnectionInfo, UnixCredentials};

/// A bound unix socket, and its file.
#[derive(Debug)]
pub(super) struct Bound {
    listener: UnixListener,
    /// Kept for its end.
    _file: Option<OwnFile>,
}

impl Bound {
    /// One that was bound elsewhere; its file is not ours.
    pub(super) fn foreign(listener: UnixListener) -> Self {
        Self { listener, _file: None }
    }

    pub(super) fn listener(&self) -> &UnixListener {
        &self.listener
    }

    /// Binds a file.
    pub(super) fn file(path: &Path, options: &BindOptions) -> Result<Self, BindError> {
        let address = SockAddr::unix(path)?;
        let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
        if let Err(error) = socket.bind(&address) {
            if error.kind() != io::ErrorKind::AddrInUse {
                return Err(error.into());
            }
            remove_stale(path)?;
            socket.bind(&address)?;
        }
        // From here on the file goes when something fails.
        let file = OwnFile { path: path.to_owned(), id: id_of(path)? };
        if let Some(mode) = options.unix_mode {
            // Nobody can connect before it listens.
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        Ok(Self { listener: listening(socket, options)?, _file: Some(file) })
    }

    /// Binds a name that is no file.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn abstract_name(name: &[u8], options: &BindOptions) -> Result<Self, BindError> {
        use std::os::unix::ffi::OsStrExt;
        let name = [b"\0", name].concat();
        let address = SockAddr::unix(std::ffi::OsStr::from_bytes(&name))?;
        let socket = socket2::Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.bind(&address)?;
        Ok(Self { listener: listening(socket, options)?, _file: None })
    }
}

fn listening(socket: socket2::Socket, options: &BindOptions) -> io::Result<UnixListener> {
    socket.listen(options.backlog())?;
    socket.set_nonblocking(true)?;
    UnixListener::from_std(socket.into())
}

/// Removes the file of a socket that nobody listens on.
fn remove_stale(path: &Path) -> Result<(), BindError> {
    let in_use = || BindError::SocketInUse { path: path.to_owned() };
    let id = id_of(path)?;
    if !fs::symlink_metadata(path)?.file_type().is_socket() {
        return Err(BindError::NotASocket { path: path.to_owned() });
    }
    match UnixStream::connect(path) {
        // Whoever listens there sees a connection that ends without a word.
        Ok(_) => Err(in_use()),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            // Another process may have replaced it meanwhile, which began as we did.
            if id_of(path)? != id {
                return Err(in_use());
            }
            Ok(fs::remove_file(path)?)
        }
        // Its queue may be full.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(in_use()),
        Err(error) => Err(error.into()),
    }
}

/// A file that is removed when this is dropped, if it is still the same.
#[derive(Debug)]
struct OwnFile {
    path: PathBuf,
    id: (u64, u64),
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        if id_of(&self.path).is_ok_and(|id| id == self.id) {
            // Nothing can be done about a file that stays: the next server replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What tells a file from another of the same name.
fn id_of(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

pub(super) fn info_of(stream: &tokio::net::UnixStream) -> ConnectionInfo {
    let credentials = stream.peer_cred().ok();
    ConnectionInfo::unix(credentials.map(|peer| UnixCredentials::new(peer.uid(), peer.gid(), peer.pid())))
}

pub(super) fn local_address(address: &tokio::net::unix::SocketAddr) -> LocalAddress {
    if let Some(path) = address.as_pathname() {
        return LocalAddress::Unix(path.to_owned());
    }
    let address: SocketAddr = address.clone().into();
    abstract_name_of(&address).map_or(LocalAddress::Unnamed, LocalAddress::Abstract)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn abstract_name_of(address: &SocketAddr) -> Option<Vec<u8>> {
    #[cfg(target_os = "android")]
    use std::os::android::net::SocketAddrExt;
    #[cfg(target_os = "linux")]
    use std::os::linux::net::SocketAddrExt;
    address.as_abstract_name().map(<[u8]>::to_vec)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn abstract_name_of(_: &SocketAddr) -> Option<Vec<u8>> {
    None
}
