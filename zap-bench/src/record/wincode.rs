//! wincode with its default configuration, borrowing what it decodes.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use wincode::{SchemaRead, SchemaWrite};

#[derive(SchemaRead, SchemaWrite)]
pub(crate) struct Request<'a> {
    id: u64,
    block: u64,
    method: &'a str,
    account: &'a [u8],
}

#[derive(SchemaRead, SchemaWrite)]
pub(crate) struct Response<'a> {
    id: u64,
    balance: u64,
    nonce: u64,
    block_hash: &'a [u8],
}

pub(crate) struct Wincode;

impl Codec for Wincode {
    type Request<'a> = Request<'a>;
    type Out = Vec<u8>;
    type Scratch = ();

    #[inline(always)]
    fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request<'a> {
        Request { id, block, method, account: &account.raw }
    }

    #[inline(always)]
    fn encode_request<'o>(out: &'o mut Vec<u8>, request: &Request<'_>) -> &'o [u8] {
        out.clear();
        wincode::serialize_into(&mut *out, request).expect(FITS);
        out
    }

    #[inline(always)]
    fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
        let Request { id, block, method, account } = wincode::deserialize(bytes).expect(OWN);
        with(RequestFields { id, block, method, account })
    }
}

impl PairCodec for Wincode {
    type Response<'a> = Response<'a>;
    type Fresh = Vec<u8>;

    #[inline(always)]
    fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response<'_> {
        Response { id, balance, nonce, block_hash: &block_hash.raw }
    }

    #[inline(always)]
    fn encode_response<'o>(out: &'o mut Vec<u8>, response: &Response<'_>) -> &'o [u8] {
        out.clear();
        wincode::serialize_into(&mut *out, response).expect(FITS);
        out
    }

    #[inline(always)]
    fn read_response<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
        let Response { id, balance, nonce, block_hash } = wincode::deserialize(bytes).expect(OWN);
        with(ResponseFields { id, balance, nonce, block_hash })
    }

    #[inline(always)]
    fn fresh_request(request: &Request<'_>) -> Vec<u8> {
        wincode::serialize(request).expect(FITS)
    }

    #[inline(always)]
    fn fresh_response(response: &Response<'_>) -> Vec<u8> {
        wincode::serialize(response).expect(FITS)
    }
}
