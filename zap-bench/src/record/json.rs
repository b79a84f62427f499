//! JSON at its fastest: structs that borrow their strings, binary as the hex text that JSON-RPC carries. Turning hex
//! into bytes and back is not charged to JSON: the structs hold the text itself.
//!
//! * `serde_json`: the reference.
//! * `simd-json`: parses in place and therefore needs a buffer it may destroy; copying the message into it is part of
//!   the operation, as it is for anyone who must keep what came from the network. Its work buffers are reused. It picks
//!   AVX2 at run time, so `target-cpu=native` does not matter to it.
//! * `sonic-rs`: picks its instructions at build time: a plain build uses SSE2. Its authors recommend
//!   `RUSTFLAGS="-C target-cpu=native"`, which on messages this short matters little; `BENCHMARKS.md` says how to try.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(crate) struct Request<'a> {
    id: u64,
    block: u64,
    #[serde(borrow)]
    method: &'a str,
    #[serde(borrow)]
    account: &'a str,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Response<'a> {
    id: u64,
    balance: u64,
    nonce: u64,
    #[serde(borrow, rename = "blockHash")]
    block_hash: &'a str,
}

impl<'a> Request<'a> {
    #[inline(always)]
    fn new(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Self {
        Self { id, block, method, account: &account.hex }
    }

    #[inline(always)]
    fn fields(&self) -> RequestFields<'a> {
        RequestFields { id: self.id, block: self.block, method: self.method, account: self.account.as_bytes() }
    }
}

impl<'a> Response<'a> {
    #[inline(always)]
    fn new(id: u64, balance: u64, nonce: u64, block_hash: &'a Blob) -> Self {
        Self { id, balance, nonce, block_hash: &block_hash.hex }
    }

    #[inline(always)]
    fn fields(&self) -> ResponseFields<'a> {
        let Self { id, balance, nonce, block_hash } = *self;
        ResponseFields { id, balance, nonce, block_hash: block_hash.as_bytes() }
    }
}

/// What simd-json reuses: the copy it parses in place, and its tape and string buffers.
#[derive(Default)]
pub(crate) struct InPlace {
    copy: Vec<u8>,
    buffers: simd_json::Buffers,
}

impl InPlace {
    #[inline(always)]
    fn parse<'s, T: Deserialize<'s>>(&'s mut self, bytes: &[u8]) -> T {
        self.copy.clear();
        self.copy.extend_from_slice(bytes);
        simd_json::serde::from_slice_with_buffers(&mut self.copy, &mut self.buffers).expect(OWN)
    }
}

/// Each library's own `to_vec` grows the vector while it writes; a guess that fits spares them that.
const FRESH_CAPACITY: usize = 512;

/// One JSON library: the scratch it reuses, how it reads, how it appends.
macro_rules! json_codec {
    ($name:ident, $scratch:ty, |$state:ident, $bytes:ident| $read:expr, $write:path) => {
        pub(crate) struct $name;

        impl Codec for $name {
            const HEX: bool = true;
            type Request<'a> = Request<'a>;
            type Out = Vec<u8>;
            type Scratch = $scratch;

            #[inline(always)]
            fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request<'a> {
                Request::new(id, block, method, account)
            }

            #[inline(always)]
            fn encode_request<'o>(out: &'o mut Vec<u8>, request: &Request<'_>) -> &'o [u8] {
                out.clear();
                $write(&mut *out, request).expect(FITS);
                out
            }

            #[inline(always)]
            fn read_request<R>($state: &mut $scratch, $bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                let request: Request<'_> = $read;
                with(request.fields())
            }
        }

        impl PairCodec for $name {
            type Response<'a> = Response<'a>;
            type Fresh = Vec<u8>;

            #[inline(always)]
            fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response<'_> {
                Response::new(id, balance, nonce, block_hash)
            }

            #[inline(always)]
            fn encode_response<'o>(out: &'o mut Vec<u8>, response: &Response<'_>) -> &'o [u8] {
                out.clear();
                $write(&mut *out, response).expect(FITS);
                out
            }

            #[inline(always)]
            fn read_response<R>($state: &mut $scratch, $bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
                let response: Response<'_> = $read;
                with(response.fields())
            }

            #[inline(always)]
            fn fresh_request(request: &Request<'_>) -> Vec<u8> {
                let mut out = Vec::with_capacity(FRESH_CAPACITY);
                $write(&mut out, request).expect(FITS);
                out
            }

            #[inline(always)]
            fn fresh_response(response: &Response<'_>) -> Vec<u8> {
                let mut out = Vec::with_capacity(FRESH_CAPACITY);
                $write(&mut out, response).expect(FITS);
                out
            }
        }
    };
}

json_codec!(SerdeJson, (), |_scratch, bytes| serde_json::from_slice(bytes).expect(OWN), serde_json::to_writer);
json_codec!(SimdJson, InPlace, |scratch, bytes| scratch.parse(bytes), to_writer);
json_codec!(SonicRs, (), |_scratch, bytes| sonic_rs::from_slice(bytes).expect(OWN), sonic_rs::to_writer);

/// simd-json takes the writer first and the value second, as the others do.
#[inline(always)]
fn to_writer<T: Serialize>(out: &mut Vec<u8>, value: &T) -> simd_json::Result<()> {
    simd_json::serde::to_writer(out, value)
}
