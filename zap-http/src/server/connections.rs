//! All connections of a server: how many there may be, which are idle, and the order to end.
//!
//! A connection is a [`Member`] for as long as it lives. It notes when it becomes idle and when it is busy, each with one
//! store to memory of its own; whoever needs room looks for the one that is idle for longest.

use std::collections::HashMap;
use std::future::{Future, pending};
#[cfg(feature = "http1")]
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::config::{ServeConfig, Served};
use crate::proto::ServerConfig;

/// How long to wait before looking again for an idle connection, or for descriptors.
pub(super) const PAUSE: Duration = Duration::from_millis(50);
/// Received bytes of each connection that the common bound does not count: small requests never touch it.
pub(crate) const UNCOUNTED_LEN: usize = 16 << 10;
/// In place of the time since when a connection is idle.
const BUSY: u64 = u64::MAX;

/// What all connections of a server share.
pub(crate) struct Connections {
    config: ServeConfig,
    /// What idle times count from.
    epoch: Instant,
    slots: Arc<Semaphore>,
    #[cfg(feature = "tls")]
    handshakes: Semaphore,
    in_flight: AtomicUsize,
    table: Mutex<Table>,
    pub(super) counts: Counts,
}

#[derive(Default)]
struct Table {
    members: HashMap<u64, Entry>,
    next: u64,
    /// Members that were told to end, to make room.
    ending: usize,
}

struct Entry {
    idle_since: Arc<AtomicU64>,
    /// `None` once the member was told to end.
    order: Option<oneshot::Sender<Option<Instant>>>,
}

#[derive(Default)]
pub(super) struct Counts {
    pub(super) connections: AtomicU64,
    pub(super) accept_errors: AtomicU64,
    pub(super) shed: AtomicU64,
    evicted: AtomicU64,
    overloaded: AtomicU64,
    failed_handshakes: AtomicU64,
}

impl Connections {
    pub(super) fn new(config: ServeConfig) -> Arc<Self> {
        Arc::new(Self {
            epoch: Instant::now(),
            // A semaphore has an upper bound of its own.
            slots: Arc::new(Semaphore::new((config.max_connections as usize).min(Semaphore::MAX_PERMITS))),
            #[cfg(feature = "tls")]
            handshakes: Semaphore::new((config.max_handshakes as usize).min(Semaphore::MAX_PERMITS)),
            in_flight: AtomicUsize::new(0),
            table: Mutex::default(),
            counts: Counts::default(),
            config,
        })
    }

    /// Makes a connection a member, as soon as there is room for it.
    pub(super) async fn admit(self: &Arc<Self>) -> Member {
        let slot = loop {
            if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
                break slot;
            }
            self.evict();
            // The one that was told to end may take its time, and while none was idle one may have become so.
            if let Ok(Ok(slot)) = timeout(PAUSE, Arc::clone(&self.slots).acquire_owned()).await {
                break slot;
            }
        };
        let idle_since = Arc::new(AtomicU64::new(self.since_epoch(Instant::now())));
        let (order, orders) = oneshot::channel();
        let mut table = self.table();
        let id = table.next;
        table.next = id.wrapping_add(1);
        table.members.insert(id, Entry { idle_since: Arc::clone(&idle_since), order: Some(order) });
        drop(table);
        self.counts.connections.fetch_add(1, Relaxed);
        Member(Some(Membership {
            connections: Arc::clone(self),
            id,
            idle_since,
            charge: Charge { connections: Arc::clone(self), held: 0 },
            orders: Some(orders),
            _slot: slot,
        }))
    }

    /// Tells the connection that is idle for longest to end, unless one that was told so is still there.
    pub(super) fn evict(&self) {
        let mut table = self.table();
        if table.ending > 0 {
            return;
        }
        let idle = table.members.values_mut().filter(|entry| entry.idle_since.load(Relaxed) != BUSY);
        let longest = idle.filter(|entry| entry.order.is_some()).min_by_key(|entry| entry.idle_since.load(Relaxed));
        let Some(order) = longest.and_then(|entry| entry.order.take()) else { return };
        // It may have become busy just now: then it has the time that a shutdown gives.
        if order.send(self.deadline()).is_ok() {
            table.ending = table.ending.saturating_add(1);
            self.counts.evicted.fetch_add(1, Relaxed);
        }
    }

    /// Tells all connections to end, and waits until they have.
    pub(super) async fn stop(&self) {
        let deadline = self.deadline();
        for entry in self.table().members.values_mut() {
            if let Some(order) = entry.order.take() {
                // Fails only for a connection that is ending by itself.
                let _ = order.send(deadline);
            }
        }
        // Every connection holds a slot until it is closed, at its deadline at the latest.
        let _ = self.slots.acquire_many(self.config.max_connections).await;
    }

    pub(super) fn served(&self) -> Served {
        let counts = &self.counts;
        Served {
            connections: counts.connections.load(Relaxed),
            accept_errors: counts.accept_errors.load(Relaxed),
            shed: counts.shed.load(Relaxed),
            evicted: counts.evicted.load(Relaxed),
            overloaded: counts.overloaded.load(Relaxed),
            failed_handshakes: counts.failed_handshakes.load(Relaxed),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.config.shutdown_timeout)
    }

    fn since_epoch(&self, now: Instant) -> u64 {
        u64::try_from(now.saturating_duration_since(self.epoch).as_nanos())
            .map_or(BUSY - 1, |nanos| nanos.min(BUSY - 1))
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing panics while it is locked.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection's part in its server; empty for one that is served alone.
pub struct Member(Option<Membership>);

struct Membership {
    connections: Arc<Connections>,
    id: u64,
    idle_since: Arc<AtomicU64>,
    charge: Charge,
    orders: Option<oneshot::Receiver<Option<Instant>>>,
    _slot: OwnedSemaphorePermit,
}

impl Member {
    /// A connection that is served alone.
    pub(crate) const fn alone() -> Self {
        Self(None)
    }

    /// The bounds of the connection.
    pub(crate) fn config(&self) -> ServerConfig {
        self.0.as_ref().map_or_else(ServerConfig::default, |member| member.connections.config.connection.clone())
    }

    /// The order to end, and until when: never, if the server is gone without giving one.
    pub(crate) fn order(&mut self) -> impl Future<Output = Option<Instant>> + use<> {
        let orders = self.0.as_mut().and_then(|member| member.orders.take());
        async move {
            match orders {
                Some(orders) => match orders.await {
                    Ok(deadline) => deadline,
                    Err(_) => pending().await,
                },
                None => pending().await,
            }
        }
    }

    /// Bytes came, and so many are in flight now. Whether there is memory for them.
    pub(crate) fn received(&mut self, in_flight_len: usize) -> bool {
        let Some(member) = &mut self.0 else { return true };
        member.idle_since.store(BUSY, Relaxed);
        member.charge.set(in_flight_len.saturating_sub(UNCOUNTED_LEN))
    }

    /// Requests were answered, and so many bytes are in flight still; without any, the connection may be idle.
    pub(crate) fn answered(&mut self, in_flight_len: usize, may_be_idle: bool, now: Instant) {
        let Some(member) = &mut self.0 else { return };
        if in_flight_len == 0 && may_be_idle {
            member.idle_since.store(member.connections.since_epoch(now), Relaxed);
        }
        // Less than before, or as much.
        member.charge.set(in_flight_len.saturating_sub(UNCOUNTED_LEN));
    }
}

#[cfg(feature = "tls")]
impl Member {
    /// Waits until a handshake may begin; it may last as long as what this gives.
    pub(crate) async fn handshake_turn(&self) -> Option<tokio::sync::SemaphorePermit<'_>> {
        match &self.0 {
            Some(member) => member.connections.handshakes.acquire().await.ok(),
            None => None,
        }
    }

    pub(crate) fn handshake_timeout(&self) -> Duration {
        let default = || ServeConfig::default().handshake_timeout;
        self.0.as_ref().map_or_else(default, |member| member.connections.config.handshake_timeout)
    }

    pub(crate) fn count_failed_handshake(&self) {
        if let Some(member) = &self.0 {
            member.connections.counts.failed_handshakes.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(feature = "http1")]
impl Member {
    /// Where requests are noted that are served at once.
    pub(crate) fn activity(&self) -> Activity {
        let shared = self.0.as_ref().map(|member| (Arc::clone(&member.connections), Arc::clone(&member.idle_since)));
        Activity { shared, requests: AtomicUsize::new(0), begun: AtomicBool::new(false) }
    }
}

/// A connection's requests, of which there may be several at once.
#[cfg(feature = "http1")]
pub(crate) struct Activity {
    shared: Option<(Arc<Connections>, Arc<AtomicU64>)>,
    requests: AtomicUsize,
    /// There was one.
    begun: AtomicBool,
}

/// A request that is being served. The connection is idle when the last one is dropped.
#[cfg(feature = "http1")]
pub(crate) struct Busy(Arc<Activity>);

#[cfg(feature = "http1")]
impl Activity {
    pub(crate) fn begin(activity: &Arc<Self>) -> Busy {
        activity.requests.fetch_add(1, Relaxed);
        activity.begun.store(true, Relaxed);
        if let Some((_, idle_since)) = &activity.shared {
            idle_since.store(BUSY, Relaxed);
        }
        Busy(Arc::clone(activity))
    }

    /// Whether there was a request.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Relaxed)
    }
}

#[cfg(feature = "http1")]
impl Busy {
    /// A part of the bytes in flight, for this request.
    pub(crate) fn charge(&self) -> Option<Charge> {
        self.0.shared.as_ref().map(|(connections, _)| Charge { connections: Arc::clone(connections), held: 0 })
    }
}

#[cfg(feature = "http1")]
impl Drop for Busy {
    fn drop(&mut self) {
        if self.0.requests.fetch_sub(1, Relaxed) == 1
            && let Some((connections, idle_since)) = &self.0.shared
        {
            idle_since.store(connections.since_epoch(Instant::now()), Relaxed);
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut table = self.connections.table();
        if table.members.remove(&self.id).is_some_and(|entry| entry.order.is_none()) {
            table.ending = table.ending.saturating_sub(1);
        }
    }
}

/// A part of the bytes that may be in flight. Given back when dropped.
pub(crate) struct Charge {
    connections: Arc<Connections>,
    held: usize,
}

impl Charge {
    /// Makes it so many bytes; if there are not so many left it stays as it is.
    pub(crate) fn set(&mut self, len: usize) -> bool {
        let (in_flight, max) = (&self.connections.in_flight, self.connections.config.max_in_flight_len);
        if len > self.held {
            let more = len - self.held;
            let taken = in_flight.fetch_update(Relaxed, Relaxed, |sum| sum.checked_add(more).filter(|sum| *sum <= max));
            if taken.is_err() {
                self.connections.counts.overloaded.fetch_add(1, Relaxed);
                return false;
            }
        } else if len < self.held {
            in_flight.fetch_sub(self.held - len, Relaxed);
        }
        self.held = len;
        true
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.set(0);
    }
}
