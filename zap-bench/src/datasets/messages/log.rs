//! The Protocol Buffers messages of `log`.

use super::messages;
use crate::datasets::log as plain;

messages! {
    Logs {
        #[prost(message, repeated, tag = "1")]
        logs: Vec<Log>,
    }
    Log {
        #[prost(message, optional, tag = "1")]
        address: Option<Address>,
        #[prost(string, tag = "2")]
        identity: String,
        #[prost(string, tag = "3")]
        userid: String,
        #[prost(string, tag = "4")]
        date: String,
        #[prost(string, tag = "5")]
        request: String,
        #[prost(uint32, tag = "6")]
        code: u32,
        #[prost(uint64, tag = "7")]
        size: u64,
    }
    Address {
        #[prost(uint32, tag = "1")]
        x0: u32,
        #[prost(uint32, tag = "2")]
        x1: u32,
        #[prost(uint32, tag = "3")]
        x2: u32,
        #[prost(uint32, tag = "4")]
        x3: u32,
    }
}
