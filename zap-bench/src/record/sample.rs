//! The values: the sample pair of the public benchmark, and the requests of unpredictable length.

use bytes::Bytes;
use std::sync::Arc;

/// Bytes in the forms that codecs want them in; making the forms is setup and is charged to nobody.
#[derive(Debug)]
pub(crate) struct Blob {
    pub(crate) raw: Vec<u8>,
    /// `0x` and lowercase hex: what JSON carries.
    pub(crate) hex: String,
    /// What a `prost` message shares without touching a counter.
    pub(crate) shared: Bytes,
    /// What a `bitcode` struct shares.
    pub(crate) counted: Arc<[u8]>,
}

impl Blob {
    fn new(raw: Vec<u8>) -> Self {
        let digits: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        // Leaked on purpose: samples live as long as the process, and a static `Bytes` is the cheapest to clone.
        let shared = Bytes::from_static(raw.clone().leak());
        Self { hex: format!("0x{digits}"), shared, counted: raw.as_slice().into(), raw }
    }
}

/// A request's values.
#[derive(Debug)]
pub(crate) struct RequestValues {
    pub(crate) id: u64,
    pub(crate) block: u64,
    pub(crate) method: String,
    pub(crate) account: Blob,
}

/// A response's values.
#[derive(Debug)]
pub(crate) struct ResponseValues {
    pub(crate) id: u64,
    pub(crate) balance: u64,
    pub(crate) nonce: u64,
    pub(crate) block_hash: Blob,
}

/// One ether in wei: the sample's balance, and what the handler mixes the request into.
pub(crate) const ETHER: u64 = 1_000_000_000_000_000_000;

/// The nonce of the sample and of the handler's answer.
pub(crate) const NONCE: u64 = 42;

/// The sample request: `eth_getBalance` at block 68943.
pub(crate) fn request() -> RequestValues {
    RequestValues {
        id: 1,
        block: 68_943,
        method: "eth_getBalance".to_owned(),
        account: Blob::new((0..20).map(|index: u8| index.wrapping_mul(37).wrapping_add(0x4e)).collect()),
    }
}

/// The sample response.
pub(crate) fn response() -> ResponseValues {
    ResponseValues {
        id: 1,
        balance: ETHER,
        nonce: NONCE,
        block_hash: Blob::new((0..32).map(|index: u8| index.wrapping_mul(59).wrapping_add(0xb3)).collect()),
    }
}

/// Lengths of the method in the requests of unpredictable length.
const METHOD_LENGTHS: std::ops::RangeInclusive<usize> = 3..=31;

/// Lengths of the account in the requests of unpredictable length.
const ACCOUNT_LENGTHS: std::ops::RangeInclusive<usize> = 1..=32;

/// Length of [`Lengths::order`]: a `u16` cursor runs over it without a bounds check.
pub(crate) const ORDER_LEN: usize = 1 << 16;

/// Requests whose lengths a branch predictor cannot learn: every combination of the two lengths once, visited in a
/// random order of 65,536 steps. The values of one codec stay in the second-level cache, so that what is measured is
/// the lengths and not the memory.
#[derive(Debug)]
pub(crate) struct Lengths {
    pub(crate) values: Vec<RequestValues>,
    pub(crate) order: Box<[u16; ORDER_LEN]>,
}

/// The requests of unpredictable length; the same in every process.
pub(crate) fn lengths() -> Lengths {
    let mut random = Random(0x5a41_5000_2026_0001);
    let mut values = Vec::new();
    for method_len in METHOD_LENGTHS {
        for account_len in ACCOUNT_LENGTHS {
            values.push(RequestValues {
                id: random.next() >> 11,
                block: random.next() >> 40,
                method: (0..method_len).map(|_| char::from(b'a' + random.below(26) as u8)).collect(),
                account: Blob::new((0..account_len).map(|_| random.next() as u8).collect()),
            });
        }
    }
    let mut order = vec![0_u16; ORDER_LEN].into_boxed_slice();
    order.fill_with(|| random.below(values.len() as u64) as u16);
    let order = order.try_into().unwrap_or_else(|_| unreachable!("the slice has ORDER_LEN elements"));
    Lengths { values, order }
}

/// SplitMix64: a fixed sequence, so that every run and every machine sees the same requests.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Below `bound`, close enough to evenly for a bench.
    fn below(&mut self, bound: u64) -> u64 {
        ((self.next() >> 32) * bound) >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_covers_all_lengths_and_is_deterministic() {
        let table = lengths();
        assert_eq!(table.values.len(), 29 * 32);
        assert!(table.values.iter().all(|v| v.method.is_ascii()));
        let mut seen = vec![0_u32; table.values.len()];
        for &pick in table.order.iter() {
            seen[usize::from(pick)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 20), "every request is picked, about 70 times");
        assert_eq!(table.order, lengths().order);
    }
}
