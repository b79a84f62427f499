//! The pool's books: plain data, without tasks and locks.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::Given;
use crate::Target;
use crate::client::connection::Connection;
use crate::client::error::ConnectError;

/// The pool's limits.
#[derive(Clone, Copy, Debug)]
pub(in crate::client) struct Bounds {
    /// Calls on one connection at once.
    pub(in crate::client) places: usize,
    pub(in crate::client) max_connections: usize,
    pub(in crate::client) max_idle_per_address: usize,
    pub(in crate::client) max_waiters: usize,
    pub(in crate::client) max_age: Duration,
}

/// What is known of all connections.
#[derive(Debug)]
pub(super) struct Ledger {
    bounds: Bounds,
    addresses: HashMap<Target, Address>,
    /// Connections that exist or are being made.
    connections: usize,
    /// Calls in all lines, also such as are gone.
    waiters: usize,
    /// Connections being made for waiters.
    connecting: usize,
    next_id: u64,
    next_turn: u64,
}

/// The connections to one address.
#[derive(Debug, Default)]
struct Address {
    entries: HashMap<u64, Entry>,
    /// Connections without calls, the one used last at the end.
    idle: VecDeque<(u64, Instant)>,
    /// Calls in line.
    waiters: VecDeque<Waiter>,
    /// Connections being made for them.
    connecting: usize,
}

#[derive(Debug)]
struct Entry {
    connection: Arc<Connection>,
    /// Places that are taken.
    taken: usize,
    /// A place was taken before: only then may the connection be too old, so that each serves at least once.
    used: bool,
}

impl Entry {
    fn is_old(&self, bounds: &Bounds, now: Instant) -> bool {
        self.used && now.saturating_duration_since(self.connection.created) >= bounds.max_age
    }

    fn take(&mut self) -> Arc<Connection> {
        self.taken = self.taken.saturating_add(1);
        self.used = true;
        Arc::clone(&self.connection)
    }
}

#[derive(Debug)]
struct Waiter {
    /// Who came earlier has the smaller number, whatever the address.
    turn: u64,
    alone: bool,
    sender: oneshot::Sender<Given>,
}

/// What is to be done once the ledger is unlocked.
#[derive(Debug, Default)]
pub(super) struct Orders {
    pub(super) connect: Vec<Target>,
    pub(super) close: Vec<Arc<Connection>>,
    pub(super) grants: Vec<(oneshot::Sender<Given>, Arc<Connection>)>,
    pub(super) failures: Vec<(oneshot::Sender<Given>, ConnectError)>,
}

/// What a call is given.
#[derive(Debug)]
pub(super) enum Place {
    Found(Arc<Connection>),
    InLine(oneshot::Receiver<Given>),
    TooManyWaiters,
}

impl Ledger {
    pub(super) fn new(bounds: Bounds) -> Self {
        let addresses = HashMap::new();
        Self { bounds, addresses, connections: 0, waiters: 0, connecting: 0, next_id: 0, next_turn: 0 }
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.next_id = self.next_id.saturating_add(1);
        self.next_id
    }

    pub(super) fn connections(&self) -> impl Iterator<Item = &Arc<Connection>> {
        self.addresses.values().flat_map(|address| address.entries.values().map(|entry| &entry.connection))
    }

    /// A place on a connection, or one in line.
    pub(super) fn place(&mut self, target: &Target, alone: bool, now: Instant, orders: &mut Orders) -> Place {
        if let Some(address) = self.addresses.get_mut(target).filter(|address| address.waiters.is_empty()) {
            let closing = orders.close.len();
            let found = address.take(alone, &self.bounds, now, orders);
            self.connections = self.connections.saturating_sub(orders.close.len().saturating_sub(closing));
            if let Some(connection) = found {
                return Place::Found(connection);
            }
        }
        let (sender, receiver) = oneshot::channel();
        let waiter = Waiter { turn: self.next_turn, alone, sender };
        self.next_turn = self.next_turn.saturating_add(1);
        self.address(target).waiters.push_back(waiter);
        self.waiters = self.waiters.saturating_add(1);
        self.connect_more(orders);
        if self.has_too_many_waiters() {
            self.forget_gone_waiters();
        }
        if self.has_too_many_waiters() {
            // The last one in line is the one that was just added.
            self.address(target).waiters.pop_back();
            self.waiters = self.waiters.saturating_sub(1);
            self.tidy(target);
            return Place::TooManyWaiters;
        }
        Place::InLine(receiver)
    }

    /// Calls that wait for a connection being made do not count: they do not wait for others.
    fn has_too_many_waiters(&self) -> bool {
        let served = self.connecting.saturating_mul(self.bounds.places);
        self.waiters.saturating_sub(served) > self.bounds.max_waiters
    }

    fn forget_gone_waiters(&mut self) {
        for address in self.addresses.values_mut() {
            address.waiters.retain(|waiter| !waiter.sender.is_closed());
        }
        self.waiters = self.addresses.values().map(|address| address.waiters.len()).sum();
    }

    /// Counts a connection about to be made, if there may be one more.
    pub(super) fn reserve(&mut self, orders: &mut Orders) -> bool {
        let may = self.connections < self.bounds.max_connections || self.close_longest_idle(orders);
        if may {
            self.connections = self.connections.saturating_add(1);
        }
        may
    }

    /// A connection was made; `taken` places on it are.
    pub(super) fn add(
        &mut self,
        connection: &Arc<Connection>,
        taken: usize,
        for_waiters: bool,
        now: Instant,
        orders: &mut Orders,
    ) {
        self.connected(&connection.target, for_waiters);
        let address = self.address(&connection.target);
        address.entries.insert(connection.id, Entry { connection: Arc::clone(connection), taken, used: taken > 0 });
        if taken == 0 {
            address.idle.push_back((connection.id, now));
        }
        self.serve(&connection.target, now, orders);
    }

    /// A connection was not made: tells those who waited for it.
    pub(super) fn connect_failed(&mut self, target: &Target, told: Option<&ConnectError>, orders: &mut Orders) {
        self.connections = self.connections.saturating_sub(1);
        self.connected(target, told.is_some());
        if let Some(error) = told {
            // As many as it had places for.
            for _ in 0..self.bounds.places {
                let Some(waiter) = self.first_waiter(target) else { break };
                orders.failures.push((waiter.sender, error.clone()));
            }
        }
        self.tidy(target);
        self.connect_more(orders);
    }

    /// A connection is not being made any more, since its task or call was dropped.
    pub(super) fn connect_abandoned(&mut self, target: &Target, for_waiters: bool, orders: &mut Orders) {
        self.connections = self.connections.saturating_sub(1);
        self.connected(target, for_waiters);
        if for_waiters {
            // Only the end of the runtime drops a task: what is spawned now would fare no better. To drop the senders
            // tells the waiters.
            while self.first_waiter(target).is_some() {}
        } else {
            self.connect_more(orders);
        }
        self.tidy(target);
    }

    fn connected(&mut self, target: &Target, for_waiters: bool) {
        if for_waiters {
            let address = self.address(target);
            address.connecting = address.connecting.saturating_sub(1);
            self.connecting = self.connecting.saturating_sub(1);
        }
    }

    /// Places were given back.
    pub(super) fn release(&mut self, connection: &Connection, places: usize, now: Instant, orders: &mut Orders) {
        let Some(address) = self.addresses.get_mut(&connection.target) else { return };
        let Some(entry) = address.entries.get_mut(&connection.id) else { return };
        let was_idle = entry.taken == 0;
        entry.taken = entry.taken.saturating_sub(places);
        if entry.taken == 0 && !was_idle {
            address.idle.push_back((connection.id, now));
        }
        self.serve(&connection.target, now, orders);
    }

    /// Takes all other places on a connection, of which one is taken, for a call that no other may follow; how many those
    /// are. `None` if there are other calls.
    pub(super) fn occupy(&mut self, connection: &Connection) -> Option<usize> {
        let address = self.addresses.get_mut(&connection.target)?;
        let entry = address.entries.get_mut(&connection.id).filter(|entry| entry.taken == 1)?;
        entry.taken = self.bounds.places.max(1);
        Some(entry.taken.saturating_sub(1))
    }

    /// A connection is closed.
    pub(super) fn remove(&mut self, connection: &Connection, orders: &mut Orders) {
        let Some(address) = self.addresses.get_mut(&connection.target) else { return };
        if address.entries.remove(&connection.id).is_some() {
            address.idle.retain(|(id, _)| *id != connection.id);
            self.connections = self.connections.saturating_sub(1);
            self.tidy(&connection.target);
            self.connect_more(orders);
        }
    }

    /// Removes a connection if no place on it is taken; whether none is.
    pub(super) fn retire(&mut self, connection: &Connection, orders: &mut Orders) -> bool {
        let address = self.addresses.get(&connection.target);
        let entry = address.and_then(|address| address.entries.get(&connection.id));
        let unused = entry.is_none_or(|entry| entry.taken == 0);
        if unused {
            self.remove(connection, orders);
        }
        unused
    }

    /// Gives free places to those in line, and looks whether more connections are wanted and may be made.
    fn serve(&mut self, target: &Target, now: Instant, orders: &mut Orders) {
        let Some(address) = self.addresses.get_mut(target) else { return };
        let (closing, in_line) = (orders.close.len(), address.waiters.len());
        while let Some(waiter) = address.waiters.front() {
            if !waiter.sender.is_closed() {
                let Some(connection) = address.take(waiter.alone, &self.bounds, now, orders) else { break };
                if let Some(waiter) = address.waiters.pop_front() {
                    orders.grants.push((waiter.sender, connection));
                }
            } else {
                address.waiters.pop_front();
            }
        }
        address.close_surplus(&self.bounds, now, orders);
        self.waiters = self.waiters.saturating_sub(in_line.saturating_sub(address.waiters.len()));
        self.connections = self.connections.saturating_sub(orders.close.len().saturating_sub(closing));
        self.tidy(target);
        self.connect_more(orders);
    }

    /// Orders connections for those in line who have none coming, first for who waits the longest.
    fn connect_more(&mut self, orders: &mut Orders) {
        while self.waiters > 0 {
            let wanting = self.addresses.iter().filter(|(_, address)| address.wants_more(&self.bounds));
            let Some((target, _)) =
                wanting.min_by_key(|(_, address)| address.waiters.front().map(|waiter| waiter.turn))
            else {
                return;
            };
            let target = target.clone();
            if !self.reserve(orders) {
                return;
            }
            let address = self.address(&target);
            address.connecting = address.connecting.saturating_add(1);
            self.connecting = self.connecting.saturating_add(1);
            orders.connect.push(target);
        }
    }

    /// Makes room for another connection by closing the one that has been idle the longest.
    fn close_longest_idle(&mut self, orders: &mut Orders) -> bool {
        let idle = self.addresses.values_mut().filter(|address| !address.idle.is_empty());
        let Some(address) = idle.min_by_key(|address| address.idle.front().map(|(_, since)| *since)) else {
            return false;
        };
        let Some((id, _)) = address.idle.pop_front() else { return false };
        address.close(id, orders);
        self.connections = self.connections.saturating_sub(1);
        true
    }

    fn first_waiter(&mut self, target: &Target) -> Option<Waiter> {
        loop {
            let waiter = self.addresses.get_mut(target)?.waiters.pop_front()?;
            self.waiters = self.waiters.saturating_sub(1);
            if !waiter.sender.is_closed() {
                return Some(waiter);
            }
        }
    }

    fn address(&mut self, target: &Target) -> &mut Address {
        if !self.addresses.contains_key(target) {
            self.addresses.insert(target.detached(), Address::default());
        }
        self.addresses.entry(target.clone()).or_default()
    }

    /// Forgets an address that nothing is known of any more.
    fn tidy(&mut self, target: &Target) {
        let unused =
            |address: &Address| address.entries.is_empty() && address.waiters.is_empty() && address.connecting == 0;
        if self.addresses.get(target).is_some_and(unused) {
            self.addresses.remove(target);
        }
    }
}

#[cfg(all(test, feature = "server"))]
impl Ledger {
    /// What must hold after every step.
    pub(super) fn check_invariants(&self) -> Result<(), &'static str> {
        let addresses = || self.addresses.values();
        let entries = || addresses().flat_map(|address| address.entries.values());
        if addresses().map(|address| address.waiters.len()).sum::<usize>() != self.waiters {
            return Err("the number of waiters is wrong");
        }
        if addresses().map(|address| address.connecting).sum::<usize>() != self.connecting {
            return Err("the number of connections being made is wrong");
        }
        if self.connections > self.bounds.max_connections || entries().count() > self.connections {
            return Err("there are more connections than counted, or allowed");
        }
        if entries().any(|entry| entry.taken > self.bounds.places) {
            return Err("a connection has more calls than places");
        }
        for address in addresses() {
            let idle = address.entries.iter().filter(|(_, entry)| entry.taken == 0);
            let listed = |id: &u64| address.idle.iter().filter(|(idle, _)| idle == id).count() == 1;
            if idle.clone().count() != address.idle.len() || !idle.clone().all(|(id, _)| listed(id)) {
                return Err("the idle connections are not those without calls");
            }
        }
        Ok(())
    }

    /// Whether no place is taken, nobody waits, and no connection is being made.
    pub(super) fn is_at_rest(&self) -> bool {
        let idle: usize = self.addresses.values().map(|address| address.idle.len()).sum();
        (self.waiters, self.connecting, self.connections) == (0, 0, idle)
    }
}

impl Address {
    /// Takes a place on a connection: an idle one, the last used first, so that those not needed grow old; else the one
    /// with the fewest calls.
    fn take(&mut self, alone: bool, bounds: &Bounds, now: Instant, orders: &mut Orders) -> Option<Arc<Connection>> {
        while let Some((id, _)) = self.idle.pop_back() {
            match self.entries.get_mut(&id) {
                Some(entry) if !entry.is_old(bounds, now) => return Some(entry.take()),
                _ => self.close(id, orders),
            }
        }
        if alone || bounds.places == 1 {
            return None;
        }
        let free = |entry: &&mut Entry| entry.taken < bounds.places && !entry.is_old(bounds, now);
        self.entries.values_mut().filter(free).min_by_key(|entry| entry.taken).map(Entry::take)
    }

    /// Closes idle connections that are too many or too old.
    fn close_surplus(&mut self, bounds: &Bounds, now: Instant, orders: &mut Orders) {
        while self.idle.len() > bounds.max_idle_per_address
            && let Some((id, _)) = self.idle.pop_front()
        {
            self.close(id, orders);
        }
        if let Some((id, _)) = self.idle.back().copied()
            && self.entries.get(&id).is_some_and(|entry| entry.is_old(bounds, now))
        {
            self.idle.pop_back();
            self.close(id, orders);
        }
    }

    fn close(&mut self, id: u64, orders: &mut Orders) {
        orders.close.extend(self.entries.remove(&id).map(|entry| entry.connection));
    }

    /// Whether some in line have no connection coming.
    fn wants_more(&self, bounds: &Bounds) -> bool {
        let coming = self.connecting.saturating_mul(bounds.places);
        // Who may not share a connection takes all of its places.
        let places = |waiter: &Waiter| if waiter.alone { bounds.places } else { 1 };
        let mut wanted = self.waiters.iter().filter(|waiter| !waiter.sender.is_closed()).map(places);
        if coming == 0 {
            return wanted.next().is_some();
        }
        wanted.sum::<usize>() > coming
    }
}
