//! The client on real sockets: against our own server, and against peers written by hand.
#![cfg(all(feature = "client", feature = "server"))]

mod calls;
mod faults;
mod peers;
mod pool;
mod races;
mod support;
