//! The connections of a client: which are idle, which have room for a call, and who waits for one.
//!
//! The pool counts; it never touches a connection while it is locked. What is to be done with connections and calls comes
//! out as [`Orders`], which are carried out after unlocking.
//!
//! A call asks for a connection and is given a [`Lease`]: a place on it, which is given back by the connection's driver
//! once the answer is complete, or by dropping the lease if no request was sent. Calls that find none wait in line; for
//! them new connections are made in tasks of their own, and whatever is free first, a connection given back or a new one,
//! goes to the first in line. So a call that is dropped wastes no connection.

mod ledger;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::runtime::Handle;

use super::builder::Settings;
use super::connection::{Call, Connection, SendError};
use super::driver::Driver;
use super::error::{ClientError, ConnectError};
use super::outgoing::Outgoing;
use super::transport;
use crate::Target;
pub(super) use ledger::Bounds;
use ledger::{Ledger, Orders, Place};

/// What all clones of a client share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) settings: Settings,
    ledger: Mutex<Ledger>,
}

/// What a waiting call is given.
pub(super) type Given = Result<Lease, ConnectError>;

/// A place for one call on a connection.
#[derive(Debug)]
pub(super) struct Lease {
    shared: Arc<Shared>,
    connection: Arc<Connection>,
    /// Places that are taken: all of the connection's for a streamed request.
    places: usize,
    /// The places were used: the driver gives them back.
    used: bool,
}

impl Lease {
    fn new(shared: &Arc<Shared>, connection: Arc<Connection>) -> Self {
        Self { shared: Arc::clone(shared), connection, places: 1, used: false }
    }

    /// Whether a request can be streamed; unknown before the first answer.
    pub(super) fn can_stream(&self) -> Option<bool> {
        self.connection.can_stream()
    }

    /// Sends a request, and says whether the connection had been used before; `streamed`: only its head.
    pub(super) fn send(mut self, request: &Outgoing, streamed: bool) -> Result<(Call, bool), SendError> {
        if streamed {
            let others = self.shared.lock().occupy(&self.connection).ok_or(SendError::Busy)?;
            self.places = self.places.saturating_add(others);
        }
        let sent = self.connection.send(request, streamed, self.places);
        if let Err(SendError::Closed { .. }) = sent {
            // So that it is not found again before its driver has noticed.
            self.shared.remove(&self.connection);
        }
        self.used = sent.is_ok();
        sent
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.used {
            self.shared.release(&self.connection, self.places);
        }
    }
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Arc<Self> {
        let ledger = Mutex::new(Ledger::new(settings.bounds()));
        Arc::new(Self { settings, ledger })
    }

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place on a connection to `target`; `alone`: on one without other calls.
    pub(super) async fn acquire(self: &Arc<Self>, target: &Target, alone: bool) -> Result<Lease, ClientError> {
        let mut orders = Orders::default();
        let place = self.lock().place(target, alone, Instant::now(), &mut orders);
        self.carry_out(orders);
        let receiver = match place {
            Place::Found(connection) => return Ok(Lease::new(self, connection)),
            Place::InLine(receiver) => receiver,
            Place::TooManyWaiters => return Err(ClientError::TooManyWaiters),
        };
        match receiver.await {
            Ok(given) => Ok(given?),
            Err(_) => Err(ClientError::NoRuntime),
        }
    }

    /// A place on a connection that was made for it; on any if there are as many as allowed and none is idle.
    pub(super) async fn acquire_new(self: &Arc<Self>, target: &Target, alone: bool) -> Result<Lease, ClientError> {
        let mut orders = Orders::default();
        let reserved = self.lock().reserve(&mut orders);
        self.carry_out(orders);
        if !reserved {
            return self.acquire(target, alone).await;
        }
        let connecting = Connecting::new(self, target.clone(), false);
        Ok(Lease::new(self, connecting.connect(1).await?))
    }

    /// Gives places back.
    pub(super) fn release(self: &Arc<Self>, connection: &Connection, places: usize) {
        let mut orders = Orders::default();
        self.lock().release(connection, places, Instant::now(), &mut orders);
        self.carry_out(orders);
    }

    /// Forgets a connection that is closed.
    pub(super) fn remove(self: &Arc<Self>, connection: &Connection) {
        let mut orders = Orders::default();
        self.lock().remove(connection, &mut orders);
        self.carry_out(orders);
    }

    /// Forgets a connection if no call has a place on it; whether none has.
    pub(super) fn retire(self: &Arc<Self>, connection: &Connection) -> bool {
        let mut orders = Orders::default();
        let retired = self.lock().retire(connection, &mut orders);
        self.carry_out(orders);
        retired
    }

    fn carry_out(self: &Arc<Self>, orders: Orders) {
        orders.close.iter().for_each(|connection| connection.shutdown());
        for (sender, connection) in orders.grants {
            // If the call is gone, the lease is dropped and gives the place back.
            let _ = sender.send(Ok(Lease::new(self, connection)));
        }
        for (sender, error) in orders.failures {
            let _ = sender.send(Err(error));
        }
        for target in orders.connect {
            let connecting = Connecting::new(self, target, true);
            // Without a runtime, or if it ends, `connecting` is dropped; a failure, too, is told to those who wait.
            if let Ok(runtime) = Handle::try_current() {
                runtime.spawn(async { connecting.connect(0).await.is_ok() });
            }
        }
    }
}

impl Drop for Shared {
    /// Nobody can call any more: idle connections close now, the others after their answers.
    fn drop(&mut self) {
        let ledger = self.ledger.get_mut().unwrap_or_else(PoisonError::into_inner);
        ledger.connections().for_each(|connection| connection.shutdown());
    }
}

/// A connection being made; dropped before it is there, it is not counted any more.
struct Connecting {
    shared: Arc<Shared>,
    target: Target,
    for_waiters: bool,
    done: bool,
}

impl Connecting {
    fn new(shared: &Arc<Shared>, target: Target, for_waiters: bool) -> Self {
        Self { shared: Arc::clone(shared), target, for_waiters, done: false }
    }

    /// Connects, with so many places taken from the start.
    async fn connect(mut self, places: usize) -> Result<Arc<Connection>, ConnectError> {
        let settings = &self.shared.settings;
        let connected = transport::connect(&self.target, settings.connect_timeout).await;
        self.done = true;
        let mut orders = Orders::default();
        let outcome = match connected {
            Ok(transport) => {
                let mut ledger = self.shared.lock();
                let id = ledger.next_id();
                let connection = Connection::new(id, self.target.detached(), transport, settings.connection.clone());
                let connection = Arc::new(connection);
                ledger.add(&connection, places, self.for_waiters, Instant::now(), &mut orders);
                drop(ledger);
                tokio::spawn(Driver::new(Arc::clone(&connection), &self.shared));
                Ok(connection)
            }
            Err(error) => {
                self.shared.lock().connect_failed(&self.target, self.for_waiters.then_some(&error), &mut orders);
                Err(error)
            }
        };
        self.shared.carry_out(orders);
        outcome
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        if !self.done {
            let mut orders = Orders::default();
            self.shared.lock().connect_abandoned(&self.target, self.for_waiters, &mut orders);
            self.shared.carry_out(orders);
        }
    }
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use std::future::IntoFuture;
    use std::task::Poll;

    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use bytes::Bytes;

    use crate::Client;

    /// A body in pieces, with pauses.
    struct Pieces(u32);

    impl http_body::Body for Pieces {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: std::pin::Pin<&mut Self>,
            context: &mut std::task::Context<'_>,
        ) -> Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
            self.0 += 1;
            match self.0 {
                7.. => Poll::Ready(None),
                odd if odd % 2 == 1 => {
                    context.waker().wake_by_ref();
                    Poll::Pending
                }
                _ => Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(b"piece"))))),
            }
        }
    }

    async fn start() -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("zap://{}", listener.local_addr().unwrap());
        let app = Router::new().route("/whole", get(|| async { "whole" }));
        let app = app.route("/pieces", get(|| async { Body::new(Pieces(0)) }));
        tokio::spawn(crate::serve(listener, app).into_future());
        url
    }

    /// Calls to two addresses by turns, each dropped after so many steps if it is not over before.
    async fn call(client: Client, urls: [String; 2], seed: u64) {
        let mut random = seed;
        for _ in 0..50 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (url, path) = (&urls[(random >> 40) as usize % 2], ["whole", "pieces"][(random >> 50) as usize % 2]);
            let mut left = (random >> 32) % 12;
            let exchange = async {
                let mut response = client.get(format!("{url}/{path}")).send().await.unwrap();
                while response.chunk().await.unwrap().is_some() {}
            };
            let mut exchange = std::pin::pin!(exchange);
            let step = std::future::poll_fn(|context| {
                left = left.saturating_sub(1);
                let over = exchange.as_mut().poll(context).is_ready() || left == 0;
                if over { Poll::Ready(()) } else { Poll::Pending }
            });
            // Half of them also in the middle of waiting.
            if random >> 63 == 0 {
                let _ = tokio::time::timeout(std::time::Duration::from_micros((random >> 20) % 500), step).await;
            } else {
                step.await;
            }
        }
    }

    /// Whatever is dropped when, in the end every place is free, nobody is in line, and no connection is lost.
    #[test]
    fn nothing_is_lost_or_counted_twice() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            for places in [1, 4] {
                let urls = [start().await, start().await];
                let builder = Client::builder().max_connections(5).max_in_flight_per_connection(places);
                let client = builder.max_age(std::time::Duration::from_millis(50)).build();
                let mut calls = tokio::task::JoinSet::new();
                (0..32).for_each(|seed| drop(calls.spawn(call(client.clone(), urls.clone(), seed))));
                while let Some(call) = calls.join_next().await {
                    call.unwrap();
                    client.shared.lock().check_invariants().unwrap();
                }
                // What was dropped last is being skipped; then everything is at rest.
                let rest = async {
                    while !client.shared.lock().is_at_rest() {
                        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                    }
                };
                tokio::time::timeout(std::time::Duration::from_secs(20), rest).await.expect("a place was lost");
                client.shared.lock().check_invariants().unwrap();
            }
        });
    }
}
