//! The bounds of a server, and what it has seen when it ends.

use std::time::Duration;

use crate::proto::ServerConfig;

/// The bounds of a server: of all its addresses and connections together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServeConfig {
    /// The bounds and deadlines of each connection.
    pub connection: ServerConfig,
    /// Connections at once. For one more, the connection that is idle for longest is closed; while none is idle, further
    /// ones wait in the listener's queue.
    pub max_connections: u32,
    /// Bytes of requests that were received and are not yet answered. What would go past it is answered 503. The first
    /// 16 KiB of each connection are not counted: see `max_connections`.
    pub max_in_flight_len: usize,
    /// TLS handshakes at once; further connections wait for their turn.
    pub max_handshakes: u32,
    /// From accepting a connection until its TLS handshake is done.
    pub handshake_timeout: Duration,
    /// From the signal to stop until connections that are still being served are closed.
    pub shutdown_timeout: Duration,
}

impl Default for ServeConfig {
    fn default() -> Self {
        Self {
            connection: ServerConfig::default(),
            max_connections: 10_000,
            max_in_flight_len: 256 << 20,
            max_handshakes: 256,
            handshake_timeout: Duration::from_secs(10),
            shutdown_timeout: Duration::from_secs(30),
        }
    }
}

/// What a server that was stopped has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// Connections accepted.
    pub connections: u64,
    /// Failures to accept one; each is survived.
    pub accept_errors: u64,
    /// Connections closed at once, since the machine had no descriptors for a long time.
    pub shed: u64,
    /// Idle connections closed to make room for others.
    pub evicted: u64,
    /// Connections whose requests found no memory.
    pub overloaded: u64,
    /// TLS handshakes that failed or took too long.
    pub failed_handshakes: u64,
}
