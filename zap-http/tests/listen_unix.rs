//! Unix sockets: files that are stale, in use or none, their mode and their end, names that are no files, and the peer.
#![cfg(all(feature = "server", unix))]

mod listening;

use std::future::IntoFuture;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use axum::routing::post;
use axum::{Extension, Router};
use bytes::Bytes;
use listening::{call, socket_path, soon};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;
use zap_http::{
    BindError, BindOptions, ConnectionInfo, ListenError, LocalAddress, Served, ServerHandle, Transport, listen, serve,
};

fn app() -> Router {
    let peer = |Extension(info): Extension<ConnectionInfo>| async move {
        let peer = info.unix_credentials().unwrap();
        assert_eq!((info.transport(), info.peer_addr(), info.tls()), (Transport::Unix, None, None));
        format!("{} {:?}", peer.user_id, peer.process_id)
    };
    Router::new().route("/echo", post(|body: Bytes| async { body })).route("/peer", post(peer))
}

async fn start(path: &Path) -> (ServerHandle, JoinHandle<Served>) {
    let listeners = listen(format!("unix:{}", path.display())).bind().await.unwrap();
    assert_eq!(listeners.local_addresses().unwrap(), [LocalAddress::Unix(path.to_owned())]);
    let server = listeners.serve(app());
    (server.handle(), tokio::spawn(server.into_future()))
}

async fn must_serve(path: &Path) {
    let mut stream = UnixStream::connect(path).await.unwrap();
    assert_eq!(call(&mut stream, "/echo", b"unix").await, Some((200, b"unix".to_vec())));
}

async fn bind(path: &Path) -> Result<(), BindError> {
    match listen(format!("unix:{}", path.display())).bind().await {
        Ok(_) => Ok(()),
        Err(ListenError::Bind { source, .. }) => Err(source),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_is_made_and_removed() {
    let path = socket_path("made");
    let (handle, server) = start(&path).await;
    must_serve(&path).await;
    handle.shutdown();
    soon(server).await.unwrap();
    assert!(!path.exists());
}

#[tokio::test]
async fn a_stale_file_is_replaced() {
    let path = socket_path("stale");
    // Its file stays.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let (handle, server) = start(&path).await;
    must_serve(&path).await;
    handle.shutdown();
    soon(server).await.unwrap();
    assert!(!path.exists());
}

#[tokio::test]
async fn a_live_socket_is_left_alone() {
    let path = socket_path("live");
    let (handle, server) = start(&path).await;
    match bind(&path).await {
        Err(BindError::SocketInUse { path: used }) => assert_eq!(used, path),
        other => panic!("{other:?}"),
    }
    must_serve(&path).await;
    handle.shutdown();
    soon(server).await.unwrap();
}

#[tokio::test]
async fn what_is_no_socket_is_left_alone() {
    let path = socket_path("file");
    std::fs::write(&path, "mine").unwrap();
    assert!(matches!(bind(&path).await, Err(BindError::NotASocket { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    std::fs::remove_file(&path).unwrap();
    // A link to a socket is none.
    let target = socket_path("target");
    let _listener = UnixListener::bind(&target).unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    assert!(matches!(bind(&path).await, Err(BindError::NotASocket { .. })));
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_file(&target).unwrap();
}

/// A server that ends does not take the socket of the one that came after it.
#[tokio::test]
async fn a_file_that_is_no_longer_ours_stays() {
    let path = socket_path("successor");
    let (handle, server) = start(&path).await;
    must_serve(&path).await;
    std::fs::remove_file(&path).unwrap();
    let (_next, _running) = start(&path).await;
    handle.shutdown();
    soon(server).await.unwrap();
    must_serve(&path).await;
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn the_mode_of_a_file() {
    for mode in [0o600, 0o666] {
        let path = socket_path(&format!("mode-{mode:o}"));
        let mut options = BindOptions::default();
        options.unix_mode = Some(mode);
        let _bound = listen(format!("unix:{}", path.display())).options(options).bind().await.unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[tokio::test]
async fn the_peer_is_known() {
    let path = socket_path("peer");
    let (handle, server) = start(&path).await;
    let user_id = std::fs::metadata(&path).unwrap().uid();
    let process_id = cfg!(target_os = "linux").then_some(std::process::id());
    let mut stream = UnixStream::connect(&path).await.unwrap();
    let seen = call(&mut stream, "/peer", b"").await;
    assert_eq!(seen, Some((200, format!("{user_id} {process_id:?}").into_bytes())));
    handle.shutdown();
    soon(server).await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_name_that_is_no_file() {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("zap-http-{}", std::process::id());
    let listeners = listen(format!("unix:@{name}")).bind().await.unwrap();
    let address = listeners.local_addresses().unwrap().remove(0);
    assert_eq!(address, LocalAddress::Abstract(name.clone().into_bytes()));
    assert_eq!(address.to_string(), format!("unix:@{name}"));
    tokio::spawn(listeners.serve(app()).into_future());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let stream = std::os::unix::net::UnixStream::connect_addr(&address).unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut stream = UnixStream::from_std(stream).unwrap();
    assert_eq!(call(&mut stream, "/echo", b"name").await, Some((200, b"name".to_vec())));
}

/// tokio's own listener is served as it is.
#[tokio::test]
async fn a_listener_of_tokio() {
    let path = socket_path("tokio");
    let server = serve(UnixListener::bind(&path).unwrap(), app());
    assert_eq!(server.local_address().unwrap(), LocalAddress::Unix(path.clone()));
    tokio::spawn(server.into_future());
    must_serve(&path).await;
    std::fs::remove_file(&path).unwrap();
}
