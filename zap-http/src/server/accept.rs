//! The accept loop: what goes wrong with one connection, or while descriptors have run out, does not end it.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;

use super::connections::{Connections, Member, PAUSE};
use crate::{ConnectionInfo, Listener, observe};

/// Pauses without a connection after which those that wait in the queue are closed: they would wait for nothing.
const PAUSES_BEFORE_SHEDDING: u32 = 20;
/// Connections that are closed so between two pauses.
const SHED_AT_ONCE: u32 = 128;

/// Accepts connections and begins to serve them, without end.
pub(crate) async fn accept_all<L: Listener>(
    mut listener: L,
    connections: Arc<Connections>,
    mut begin: impl FnMut(L::Io, ConnectionInfo, Member),
) {
    let mut reserve = Reserve::new();
    let mut failures = 0_u32;
    loop {
        match poll_fn(|context| listener.poll_accept(context)).await {
            Ok((io, info)) => {
                failures = 0;
                let member = connections.admit().await;
                begin(io, info, member);
            }
            Err(error) => {
                connections.counts.accept_errors.fetch_add(1, Relaxed);
                observe::accept_failed(&error);
                if is_of_one_connection(&error) {
                    continue;
                }
                // Descriptors or memory have run out. A connection that is idle has some.
                failures = failures.saturating_add(1);
                connections.evict();
                if failures > PAUSES_BEFORE_SHEDDING {
                    let shed = reserve.shed(&mut listener).await;
                    connections.counts.shed.fetch_add(shed, Relaxed);
                    observe::connections_shed(shed);
                }
                tokio::time::sleep(PAUSE).await;
                reserve.refill();
            }
        }
    }
}

/// Whether a failed accept is about the connection that was not accepted: the next one may come at once.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::ConnectionAborted
            | Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::Interrupted
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::NetworkDown
            | Kind::TimedOut
    )
}

/// A descriptor kept for the time when there are no others: with it connections can be accepted, in order to be closed.
struct Reserve(Option<File>);

impl Reserve {
    fn new() -> Self {
        let mut reserve = Self(None);
        reserve.refill();
        reserve
    }

    fn refill(&mut self) {
        if cfg!(unix) && self.0.is_none() {
            self.0 = File::open("/dev/null").ok();
        }
    }

    /// Closes connections that wait in the queue, and says how many.
    async fn shed<L: Listener>(&mut self, listener: &mut L) -> u64 {
        let mut shed = 0;
        if self.0.take().is_some() {
            while shed < u64::from(SHED_AT_ONCE) {
                match poll_fn(|context| Poll::Ready(listener.poll_accept(context))).await {
                    Poll::Ready(Ok(_closed)) => shed += 1,
                    _ => break,
                }
            }
        }
        shed
    }
}

#[cfg(test)]
mod tests {
    use std::task::Context;
    use std::time::Duration;

    use tokio::io::DuplexStream;
    use tokio::sync::mpsc;
    use tokio::time::Instant;

    use super::*;
    use crate::{LocalAddress, ServeConfig};

    /// Has no descriptor until then, and one connection.
    struct Exhausted {
        until: Instant,
        waiting: Option<DuplexStream>,
    }

    impl Listener for Exhausted {
        type Io = DuplexStream;

        fn poll_accept(&mut self, _: &mut Context<'_>) -> Poll<io::Result<(DuplexStream, ConnectionInfo)>> {
            if Instant::now() < self.until {
                return Poll::Ready(Err(io::Error::other("no descriptors")));
            }
            let accepted = self.waiting.take().map(|io| (io, ConnectionInfo::new(None, None)));
            accepted.map_or(Poll::Pending, |accepted| Poll::Ready(Ok(accepted)))
        }

        fn local_address(&self) -> io::Result<LocalAddress> {
            Ok(LocalAddress::Unnamed)
        }
    }

    /// The system does not tell when there are descriptors again: it is asked at most a pause later.
    #[tokio::test(start_paused = true)]
    async fn accepting_resumes_within_a_pause() {
        for millis in (0..900).step_by(7) {
            let until = Instant::now() + Duration::from_millis(millis);
            let (waiting, _client) = tokio::io::duplex(1);
            let (sender, mut accepted) = mpsc::unbounded_channel();
            let listener = Exhausted { until, waiting: Some(waiting) };
            let connections = Connections::new(ServeConfig::default());
            let accepting = accept_all(listener, connections, move |_, _, _| sender.send(()).unwrap());
            tokio::select! {
                () = accepting => unreachable!("it has no end"),
                _ = accepted.recv() => {}
            }
            let late = until.elapsed();
            assert!(late <= PAUSE && late < Duration::from_millis(100), "{late:?} after {millis} ms");
        }
    }
}
