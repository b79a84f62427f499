//! The operations, each written once for all codecs. A batch does one operation as often as it is told; the tables, the
//! criterion benches and the allocation counts all run these batches.

use super::codec::{Codec, PairCodec, RequestFields, ResponseFields};
use super::sample::{self, Blob, Lengths, NONCE, ORDER_LEN, RequestValues, ResponseValues};
use crate::measure::Batch;
use crate::opaque::{hide_ref, hide_slice, hide_word, sink, sink_slice};
use rkyv::util::AlignedVec;
use std::sync::LazyLock;

/// All values that any operation uses.
pub(crate) struct Fixture {
    pub(crate) request: RequestValues,
    pub(crate) response: ResponseValues,
    pub(crate) lengths: Lengths,
}

/// Made once per process.
pub(crate) static FIXTURE: LazyLock<Fixture> =
    LazyLock::new(|| Fixture { request: sample::request(), response: sample::response(), lengths: sample::lengths() });

/// A batch, and how many bytes one operation puts on the wire (a mean for the unpredictable lengths).
pub(crate) struct Measured {
    pub(crate) batch: Batch,
    pub(crate) bytes: f64,
}

impl Measured {
    fn new(bytes: f64, mut step: impl FnMut() + 'static) -> Self {
        let batch = Box::new(move |count| {
            for _ in 0..count {
                step();
            }
        });
        Self { batch, bytes }
    }

    /// As [`Measured::new`], each step with the next pick of the random order. The place in the order stays in a
    /// register: kept in memory, it would lengthen every wait for a mispredicted branch.
    fn picking(bytes: f64, mut step: impl FnMut(usize) + 'static) -> Self {
        let order: &'static [u16; ORDER_LEN] = &FIXTURE.lengths.order;
        let mut start = 0_u16;
        let batch = Box::new(move |count| {
            let mut place = start;
            for _ in 0..count {
                let pick = order[usize::from(place)];
                place = place.wrapping_add(1);
                step(usize::from(pick));
            }
            start = place;
        });
        Self { batch, bytes }
    }
}

/// The codec's own struct of the request's values.
pub(crate) fn request_of<C: Codec>(values: &RequestValues) -> C::Request<'_> {
    C::request(values.id, values.block, &values.method, &values.account)
}

/// The codec's own struct of the response's values.
pub(crate) fn response_of<C: PairCodec>(values: &ResponseValues) -> C::Response<'_> {
    C::response(values.id, values.balance, values.nonce, &values.block_hash)
}

/// A message at a 16-byte boundary: rkyv needs it, so all get it.
pub(crate) fn message(bytes: &[u8]) -> AlignedVec {
    let mut message = AlignedVec::new();
    message.extend_from_slice(bytes);
    message
}

/// Uses what a slice is made of: where it is, how long it is, and its first byte.
#[inline(always)]
fn touch(slice: &[u8]) -> u64 {
    slice.as_ptr() as u64 ^ slice.len() as u64 ^ first(slice)
}

#[inline(always)]
fn first(slice: &[u8]) -> u64 {
    u64::from(slice.first().copied().unwrap_or(0))
}

#[inline(always)]
fn touch_request(fields: RequestFields<'_>) -> u64 {
    fields.id ^ fields.block ^ touch(fields.method.as_bytes()) ^ touch(fields.account)
}

#[inline(always)]
fn touch_response(fields: ResponseFields<'_>) -> u64 {
    fields.id ^ fields.balance ^ fields.nonce ^ touch(fields.block_hash)
}

/// What the handler computes.
#[inline(always)]
pub(crate) fn balance(fields: RequestFields<'_>) -> u64 {
    let RequestFields { block, method, account, .. } = fields;
    sample::ETHER ^ block ^ method.len() as u64 ^ account.len() as u64 ^ first(account)
}

/// Decodes the request, computes the balance, encodes the response into the reused buffer.
#[inline(always)]
pub(crate) fn handle<'o, C: PairCodec>(
    scratch: &mut C::Scratch,
    out: &'o mut C::Out,
    bytes: &[u8],
    block_hash: &Blob,
) -> &'o [u8] {
    let (id, balance) = C::read_request(scratch, bytes, |fields| (fields.id, balance(fields)));
    let response = C::response(id, balance, hide_word(NONCE as usize) as u64, block_hash);
    C::encode_response(out, &response)
}

/// Both messages of the pair, as this codec writes them.
fn messages<C: PairCodec>() -> (AlignedVec, AlignedVec) {
    let mut out = C::Out::default();
    let request = message(C::encode_request(&mut out, &request_of::<C>(&FIXTURE.request)));
    let response = message(C::encode_response(&mut out, &response_of::<C>(&FIXTURE.response)));
    (request, response)
}

fn pair_bytes<C: PairCodec>() -> f64 {
    let (request, response) = messages::<C>();
    (request.len() + response.len()) as f64
}

/// Decode both messages, touch all eight fields.
pub(crate) fn decode<C: PairCodec>() -> Measured {
    let (request, response) = messages::<C>();
    let mut scratch = C::Scratch::default();
    Measured::new(pair_bytes::<C>(), move || {
        sink(C::read_request(&mut scratch, hide_slice(&request), touch_request));
        sink(C::read_response(&mut scratch, hide_slice(&response), touch_response));
    })
}

/// Encode both messages into a reused buffer.
pub(crate) fn encode<C: PairCodec>() -> Measured {
    let (request, response) = (request_of::<C>(&FIXTURE.request), response_of::<C>(&FIXTURE.response));
    let mut out = C::Out::default();
    Measured::new(pair_bytes::<C>(), move || {
        sink_slice(C::encode_request(&mut out, hide_ref(&request)));
        sink_slice(C::encode_response(&mut out, hide_ref(&response)));
    })
}

/// Encode both messages, each into memory of its own, and free it.
pub(crate) fn encode_fresh<C: PairCodec>() -> Measured {
    let (request, response) = (request_of::<C>(&FIXTURE.request), response_of::<C>(&FIXTURE.response));
    Measured::new(pair_bytes::<C>(), move || {
        sink_slice(&C::fresh_request(hide_ref(&request)));
        sink_slice(&C::fresh_response(hide_ref(&response)));
    })
}

/// Encode each message into a reused buffer, decode it from there, touch its fields.
pub(crate) fn round_trip<C: PairCodec>() -> Measured {
    let (request, response) = (request_of::<C>(&FIXTURE.request), response_of::<C>(&FIXTURE.response));
    let (mut out, mut scratch) = (C::Out::default(), C::Scratch::default());
    Measured::new(pair_bytes::<C>(), move || {
        let bytes = hide_slice(C::encode_request(&mut out, hide_ref(&request)));
        sink(C::read_request(&mut scratch, bytes, touch_request));
        let bytes = hide_slice(C::encode_response(&mut out, hide_ref(&response)));
        sink(C::read_response(&mut scratch, bytes, touch_response));
    })
}

/// A server's share: decode the request, compute, encode the response.
pub(crate) fn handler<C: PairCodec>() -> Measured {
    let (request, _) = messages::<C>();
    let block_hash = &FIXTURE.response.block_hash;
    let (mut out, mut scratch) = (C::Out::default(), C::Scratch::default());
    Measured::new(pair_bytes::<C>(), move || {
        sink_slice(handle::<C>(&mut scratch, &mut out, hide_slice(&request), hide_ref(block_hash)));
    })
}

/// One request of unpredictable lengths, decoded, its four fields touched.
pub(crate) fn decode_lengths<C: Codec>() -> Measured {
    let Lengths { values, order } = &FIXTURE.lengths;
    let mut out = C::Out::default();
    let messages: Vec<AlignedVec> =
        values.iter().map(|values| message(C::encode_request(&mut out, &request_of::<C>(values)))).collect();
    let total: usize = order.iter().map(|&pick| messages[usize::from(pick)].len()).sum();
    let mut scratch = C::Scratch::default();
    Measured::picking(total as f64 / order.len() as f64, move |pick| {
        sink(C::read_request(&mut scratch, hide_slice(&messages[pick]), touch_request));
    })
}

/// One request of unpredictable lengths, encoded into a reused buffer.
pub(crate) fn encode_lengths<C: Codec>() -> Measured {
    let Lengths { values, order } = &FIXTURE.lengths;
    let mut out = C::Out::default();
    let requests: Vec<C::Request<'static>> = values.iter().map(|values| request_of::<C>(values)).collect();
    let total: usize = order.iter().map(|&pick| C::encode_request(&mut out, &requests[usize::from(pick)]).len()).sum();
    Measured::picking(total as f64 / order.len() as f64, move |pick| {
        sink_slice(C::encode_request(&mut out, hide_ref(&requests[pick])));
    })
}
