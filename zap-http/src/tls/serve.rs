//! Connections of a server that begin with a handshake: bounded in number and time.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::server::TlsStream;

use super::{TlsError, TlsServer};
use crate::server::Application;
use crate::server::connections::Member;
use crate::{ConnectionInfo, TlsInfo, observe};

/// Serves a connection of a server, if its handshake succeeds in time and before the order to end.
pub(crate) async fn serve_tls<IO>(
    tls: TlsServer,
    io: IO,
    application: impl Application,
    info: ConnectionInfo,
    mut member: Member,
) where
    IO: AsyncRead + AsyncWrite + Send + Unpin,
{
    let mut order = pin!(member.order());
    let handshake = {
        let mut handshake = pin!(handshake(&tls, io, &member));
        poll_fn(|context| match handshake.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            // Nothing was read that could be answered.
            Poll::Pending => order.as_mut().poll(context).map(|_| None),
        })
        .await
    };
    match handshake {
        Some(Ok((stream, tls))) => drop(application.serve(stream, info.with_tls(tls), order, member).await),
        Some(Err(error)) => {
            member.count_failed_handshake();
            observe::handshake_failed(&error);
        }
        None => {}
    }
}

async fn handshake<IO>(tls: &TlsServer, io: IO, member: &Member) -> Result<(TlsStream<IO>, TlsInfo), TlsError>
where
    IO: AsyncRead + AsyncWrite + Unpin,
{
    let turn_and_handshake = async {
        let _turn = member.handshake_turn().await;
        tls.accept(io).await
    };
    match tokio::time::timeout(member.handshake_timeout(), turn_and_handshake).await {
        Ok(done) => done,
        Err(_) => Err(TlsError::Timeout),
    }
}
