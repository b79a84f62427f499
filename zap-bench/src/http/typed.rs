//! Handlers of typed bodies: one request in, one answer out, in JSON by three libraries or in ZAP.
//!
//! The record handler is that of the record suite: it computes a balance from the four fields of a request. The auction
//! bids for every impression that is worth its floor price.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use zap_core::Zap as _;

use crate::record::codec::RequestFields;
use crate::record::ops::balance;
use crate::record::sample::{self, NONCE, RequestValues, ResponseValues};
use crate::record::zap;
use crate::shapes::auction::{self, BidRequest};

/// What bodies are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Codec {
    /// ZAP.
    Zap,
    /// JSON by `serde_json`.
    SerdeJson,
    /// JSON by `simd-json`.
    SimdJson,
    /// JSON by `sonic-rs`.
    SonicRs,
}

impl Codec {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Zap, Self::SerdeJson, Self::SimdJson, Self::SonicRs];

    fn name(self) -> &'static str {
        match self {
            Self::Zap => "zap",
            Self::SerdeJson => "serde_json",
            Self::SimdJson => "simd-json",
            Self::SonicRs => "sonic-rs",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        if self == Self::Zap { "application/zap" } else { "application/json" }
    }

    /// The request of the record suite.
    pub(super) fn rpc_request(self) -> Vec<u8> {
        let RequestValues { id, block, method, account } = &SAMPLE.0;
        let (id, block, method) = (*id, *block, method.as_str());
        match self {
            Self::Zap => zap::Request { id, block, method, account: &account.raw }.to_vec().unwrap_or_default(),
            _ => to_json(self, &JsonRequest { id, block, method, account: &account.hex }).unwrap_or_default(),
        }
    }

    /// The answer to a request, unless it is none.
    pub(super) fn rpc(self, request: &[u8]) -> Option<Vec<u8>> {
        let hash = &SAMPLE.1.block_hash;
        if self == Self::Zap {
            let zap::Request { id, block, method, account } = zap::Request::decode(request).ok()?;
            let balance = balance(RequestFields { id, block, method, account });
            return zap::Response { id, balance, nonce: NONCE, block_hash: &hash.raw }.to_vec().ok();
        }
        let answer = |request: JsonRequest<'_>| {
            let JsonRequest { id, block, method, account } = request;
            let balance = balance(RequestFields { id, block, method, account: account.as_bytes() });
            to_json(self, &JsonResponse { id, balance, nonce: NONCE, block_hash: &hash.hex })
        };
        match self {
            Self::SimdJson => answer(simd_json::serde::from_slice(&mut request.to_vec()).ok()?),
            Self::SonicRs => answer(sonic_rs::from_slice(request).ok()?),
            _ => answer(serde_json::from_slice(request).ok()?),
        }
    }

    /// A bid request.
    pub(super) fn auction_request(self) -> Vec<u8> {
        let request = auction::sample();
        if self == Self::Zap {
            request.to_vec().unwrap_or_default()
        } else {
            to_json(self, &request).unwrap_or_default()
        }
    }

    /// The bids, unless the request is none.
    pub(super) fn auction(self, request: &[u8]) -> Option<Vec<u8>> {
        if self == Self::Zap {
            let request = BidRequest::view(request).ok()?;
            return auction::answer_view(&request).ok()?.to_vec().ok();
        }
        let request: BidRequest = match self {
            Self::SimdJson => simd_json::serde::from_slice(&mut request.to_vec()).ok()?,
            Self::SonicRs => sonic_rs::from_slice(request).ok()?,
            _ => serde_json::from_slice(request).ok()?,
        };
        to_json(self, &auction::answer(&request))
    }
}

/// The pair of the record suite.
static SAMPLE: LazyLock<(RequestValues, ResponseValues)> = LazyLock::new(|| (sample::request(), sample::response()));

/// The request of the record suite, the account as hex text.
#[derive(Serialize, Deserialize)]
struct JsonRequest<'a> {
    id: u64,
    block: u64,
    method: &'a str,
    account: &'a str,
}

#[derive(Serialize)]
struct JsonResponse<'a> {
    id: u64,
    balance: u64,
    nonce: u64,
    #[serde(rename = "blockHash")]
    block_hash: &'a str,
}

fn to_json<T: Serialize>(codec: Codec, value: &T) -> Option<Vec<u8>> {
    match codec {
        Codec::SimdJson => simd_json::serde::to_vec(value).ok(),
        Codec::SonicRs => sonic_rs::to_vec(value).ok(),
        _ => serde_json::to_vec(value).ok(),
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Codec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|codec| codec.name() == text);
        found.ok_or_else(|| "a codec is one of zap, serde_json, simd-json, sonic-rs".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Codec;

    #[test]
    fn all_codecs_answer_alike() {
        // JSON has hex text where ZAP has bytes, so that their balances differ: the three of JSON agree.
        let answers = [Codec::SerdeJson, Codec::SimdJson, Codec::SonicRs].map(|codec| codec.rpc(&codec.rpc_request()));
        assert!(answers[0].is_some() && answers[0] == answers[1] && answers[1] == answers[2]);
        let bids =
            [Codec::SerdeJson, Codec::SimdJson, Codec::SonicRs].map(|codec| codec.auction(&codec.auction_request()));
        assert!(bids[0].is_some() && bids[0] == bids[1] && bids[1] == bids[2]);
        assert!(Codec::Zap.rpc(&Codec::Zap.rpc_request()).is_some());
    }

    #[test]
    fn what_is_no_request_has_no_answer() {
        for codec in Codec::ALL {
            assert_eq!((codec.rpc(b"{"), codec.auction(b"{")), (None, None), "{codec}");
        }
    }
}
