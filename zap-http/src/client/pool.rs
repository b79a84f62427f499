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
    /// The place was used: the driver gives it back.
    used: bool,
}

impl Lease {
    fn new(shared: &Arc<Shared>, connection: Arc<Connection>) -> Self {
        Self { shared: Arc::clone(shared), connection, used: false }
    }

    /// Sends a request, and says whether the connection had been used before.
    pub(super) fn send(mut self, request: &Outgoing) -> Result<(Call, bool), SendError> {
        let sent = self.connection.send(request);
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
            self.shared.release(&self.connection, 1);
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
