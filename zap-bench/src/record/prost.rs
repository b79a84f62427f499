//! prost (Protocol Buffers). It has no borrowed structs, so it is given the next best thing: one message per kind that
//! is merged into again and again, which reuses its `String`, and `Bytes`, which cost one copy when they are read from a
//! slice and none when they are written.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use bytes::Bytes;
use prost::Message;

#[derive(Message)]
pub(crate) struct Request {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    block: u64,
    #[prost(string, tag = "3")]
    method: String,
    #[prost(bytes = "bytes", tag = "4")]
    account: Bytes,
}

#[derive(Message)]
pub(crate) struct Response {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    balance: u64,
    #[prost(uint64, tag = "3")]
    nonce: u64,
    #[prost(bytes = "bytes", tag = "4")]
    block_hash: Bytes,
}

/// The messages that decoding reuses.
#[derive(Default)]
pub(crate) struct Scratch {
    request: Request,
    response: Response,
}

pub(crate) struct Prost;

impl Codec for Prost {
    type Request<'a> = Request;
    type Out = Vec<u8>;
    type Scratch = Scratch;

    #[inline(always)]
    fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request {
        Request { id, block, method: method.to_owned(), account: account.shared.clone() }
    }

    #[inline(always)]
    fn encode_request<'o>(out: &'o mut Vec<u8>, request: &Request) -> &'o [u8] {
        out.clear();
        request.encode(out).expect(FITS);
        out
    }

    #[inline(always)]
    fn read_request<R>(scratch: &mut Scratch, bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
        let request = &mut scratch.request;
        request.clear();
        request.merge(bytes).expect(OWN);
        let Request { id, block, ref method, ref account } = *request;
        with(RequestFields { id, block, method, account })
    }
}

impl PairCodec for Prost {
    type Response<'a> = Response;
    type Fresh = Vec<u8>;

    #[inline(always)]
    fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response {
        Response { id, balance, nonce, block_hash: block_hash.shared.clone() }
    }

    #[inline(always)]
    fn encode_response<'o>(out: &'o mut Vec<u8>, response: &Response) -> &'o [u8] {
        out.clear();
        response.encode(out).expect(FITS);
        out
    }

    #[inline(always)]
    fn read_response<R>(scratch: &mut Scratch, bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
        let response = &mut scratch.response;
        response.clear();
        response.merge(bytes).expect(OWN);
        let Response { id, balance, nonce, ref block_hash } = *response;
        with(ResponseFields { id, balance, nonce, block_hash })
    }

    #[inline(always)]
    fn fresh_request(request: &Request) -> Vec<u8> {
        request.encode_to_vec()
    }

    #[inline(always)]
    fn fresh_response(response: &Response) -> Vec<u8> {
        response.encode_to_vec()
    }
}
