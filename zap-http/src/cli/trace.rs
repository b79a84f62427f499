//! `--trace`: a relay on this machine between the client and the server, that shows the frames as they pass. So what is
//! shown is what is on the wire.

use std::io::{self, Write};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use zap_http::proto::{Deframer, MAX_FRAME_LEN, annotate};
use zap_http::{Target, TargetScheme};

use crate::failure::Failure;

/// A relay that runs until it is dropped.
pub(crate) struct Relay {
    address: String,
    task: JoinHandle<()>,
}

impl Relay {
    /// A relay to `target`, which must be there.
    pub(crate) async fn start(target: &Target) -> Result<Self, Failure> {
        let failed = |error| Failure::of(format_args!("cannot connect to {target}"), error);
        if target.scheme() == TargetScheme::Zaps {
            return Err(Failure::usage("--trace shows no frames inside TLS"));
        }
        let mut upstream = Some(connect(target).await.map_err(failed)?);
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| Failure::of("cannot trace", error))?;
        let address = listener.local_addr().map_err(|error| Failure::of("cannot trace", error))?;
        let target = target.clone();
        let task = tokio::spawn(async move {
            // The client may try again on another connection.
            while let Ok((client, _)) = listener.accept().await {
                let upstream = match upstream.take() {
                    Some(upstream) => upstream,
                    None => match connect(&target).await {
                        Ok(upstream) => upstream,
                        Err(_) => continue,
                    },
                };
                relay(client, upstream).await;
            }
        });
        Ok(Self { address: format!("zap://{address}"), task })
    }

    /// Where the client connects to.
    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Any socket, as its two halves.
type Halves = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

async fn connect(target: &Target) -> io::Result<Halves> {
    if let (Some(host), Some(port)) = (target.host(), target.port()) {
        let (read, write) = TcpStream::connect((host, port)).await?.into_split();
        return Ok((Box::new(read), Box::new(write)));
    }
    connect_unix(target).await
}

#[cfg(unix)]
async fn connect_unix(target: &Target) -> io::Result<Halves> {
    let text = target.to_string();
    let path = text.strip_prefix("unix:").unwrap_or(&text);
    let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
    let path = path.strip_prefix('@').map_or_else(|| path.to_owned(), |name| format!("\0{name}"));
    let (read, write) = tokio::net::UnixStream::connect(path).await?.into_split();
    Ok((Box::new(read), Box::new(write)))
}

#[cfg(not(unix))]
async fn connect_unix(_: &Target) -> io::Result<Halves> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "unix sockets are not supported here"))
}

/// Passes bytes on in both directions until one of them ends.
async fn relay(client: TcpStream, (mut from_server, mut to_server): Halves) {
    let (mut from_client, mut to_client) = client.into_split();
    tokio::select! {
        _ = pass('>', &mut from_client, &mut to_server) => {}
        _ = pass('<', &mut from_server, &mut to_client) => {}
    }
}

/// Shows frames before they go on, so that they are seen before what comes of them.
async fn pass(mark: char, from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let mut buffer = vec![0; 64 << 10];
    loop {
        let len = from.read(&mut buffer).await?;
        let received = buffer.get(..len).unwrap_or_default();
        if received.is_empty() {
            return to.shutdown().await;
        }
        deframer.recv(received);
        let mut batch = deframer.take_batch(Vec::new());
        while let Some(frame) = batch.next_frame() {
            show(mark, &annotate(frame).to_string())?;
        }
        if let Some(fault) = deframer.fault() {
            show(mark, &fault.to_string())?;
        }
        to.write_all(received).await?;
    }
}

fn show(mark: char, text: &str) -> io::Result<()> {
    let lines: String = text.lines().map(|line| format!("{mark} {line}\n")).collect();
    io::stderr().lock().write_all(lines.as_bytes())
}
