//! bitcode, the smallest on the wire, with its reused `Buffer` on both sides. It borrows text but not bytes: those it
//! reads into a `Vec`, one allocation each. What the handler writes shares its block hash.

use super::codec::{Codec, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use bitcode::{Buffer, Decode, Encode};
use std::sync::Arc;

#[derive(Encode, Decode)]
pub(crate) struct Request<'a> {
    id: u64,
    block: u64,
    method: &'a str,
    account: Vec<u8>,
}

/// The response as it is read.
#[derive(Decode)]
pub(crate) struct ResponseIn {
    id: u64,
    balance: u64,
    nonce: u64,
    block_hash: Vec<u8>,
}

/// The response as it is written; the bytes are the same.
#[derive(Encode)]
pub(crate) struct ResponseOut {
    id: u64,
    balance: u64,
    nonce: u64,
    block_hash: Arc<[u8]>,
}

pub(crate) struct Bitcode;

impl Codec for Bitcode {
    type Request<'a> = Request<'a>;
    type Out = Buffer;
    type Scratch = Buffer;

    #[inline(always)]
    fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request<'a> {
        Request { id, block, method, account: account.raw.clone() }
    }

    #[inline(always)]
    fn encode_request<'o>(out: &'o mut Buffer, request: &Request<'_>) -> &'o [u8] {
        out.encode(request)
    }

    #[inline(always)]
    fn read_request<R>(scratch: &mut Buffer, bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
        let Request { id, block, method, account } = scratch.decode(bytes).expect(OWN);
        with(RequestFields { id, block, method, account: &account })
    }
}

impl PairCodec for Bitcode {
    type Response<'a> = ResponseOut;
    type Fresh = Vec<u8>;

    #[inline(always)]
    fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> ResponseOut {
        ResponseOut { id, balance, nonce, block_hash: Arc::clone(&block_hash.counted) }
    }

    #[inline(always)]
    fn encode_response<'o>(out: &'o mut Buffer, response: &ResponseOut) -> &'o [u8] {
        out.encode(response)
    }

    #[inline(always)]
    fn read_response<R>(scratch: &mut Buffer, bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
        let ResponseIn { id, balance, nonce, block_hash } = scratch.decode(bytes).expect(OWN);
        with(ResponseFields { id, balance, nonce, block_hash: &block_hash })
    }

    #[inline(always)]
    fn fresh_request(request: &Request<'_>) -> Vec<u8> {
        bitcode::encode(request)
    }

    #[inline(always)]
    fn fresh_response(response: &ResponseOut) -> Vec<u8> {
        bitcode::encode(response)
    }
}
