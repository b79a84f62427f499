//! rkyv 0.8, the zero-copy rival, as its guide introduces it and nearly everybody uses it: `String` and `Vec` fields,
//! `to_bytes_in` with a reused `AlignedVec` that is moved in and out, `access`.
//!
//! `rkyv-checked` validates before it reads, as anyone must who reads from the network; `rkyv-unchecked` does not, and
//! is undefined behaviour on bytes of unknown origin. Both write the same bytes.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use rkyv::api::high::{self, HighValidator};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::{Archive, Serialize};

#[derive(Archive, Serialize)]
pub(crate) struct Request {
    id: u64,
    block: u64,
    method: String,
    account: Vec<u8>,
}

#[derive(Archive, Serialize)]
pub(crate) struct Response {
    id: u64,
    balance: u64,
    nonce: u64,
    block_hash: Vec<u8>,
}

impl ArchivedRequest {
    #[inline(always)]
    fn fields(&self) -> RequestFields<'_> {
        let (id, block) = (self.id.to_native(), self.block.to_native());
        RequestFields { id, block, method: &self.method, account: &self.account }
    }
}

impl ArchivedResponse {
    #[inline(always)]
    fn fields(&self) -> ResponseFields<'_> {
        let (id, balance, nonce) = (self.id.to_native(), self.balance.to_native(), self.nonce.to_native());
        ResponseFields { id, balance, nonce, block_hash: &self.block_hash }
    }
}

#[inline(always)]
fn checked<T>(bytes: &[u8]) -> &T
where
    T: rkyv::Portable + for<'a> rkyv::bytecheck::CheckBytes<HighValidator<'a, Error>>,
{
    rkyv::access::<T, Error>(bytes).expect(OWN)
}

#[allow(unsafe_code)] // what the unchecked row is about
#[inline(always)]
fn unchecked<T: rkyv::Portable>(bytes: &[u8]) -> &T {
    // SAFETY: the traits promise that `bytes` are a message that this codec wrote for this type, at the alignment it
    // was written for: every buffer of messages in this crate is aligned to 16 bytes.
    unsafe { rkyv::access_unchecked::<T>(bytes) }
}

/// The vector goes in by value and comes back.
macro_rules! encode {
    ($out:ident, $value:ident) => {{
        let mut writer = std::mem::take($out);
        writer.clear();
        *$out = high::to_bytes_in::<_, Error>($value, writer).expect(FITS);
        $out
    }};
}

/// The two rows differ in how they reach the archived record.
macro_rules! rkyv_codec {
    ($name:ident, $access:ident) => {
        pub(crate) struct $name;

        impl Codec for $name {
            type Request<'a> = Request;
            type Out = AlignedVec;
            type Scratch = ();

            #[inline(always)]
            fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request {
                Request { id, block, method: method.to_owned(), account: account.raw.clone() }
            }

            #[inline(always)]
            fn encode_request<'o>(out: &'o mut AlignedVec, request: &Request) -> &'o [u8] {
                encode!(out, request)
            }

            #[inline(always)]
            fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                with($access::<ArchivedRequest>(bytes).fields())
            }
        }

        impl PairCodec for $name {
            type Response<'a> = Response;
            type Fresh = AlignedVec;

            #[inline(always)]
            fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response {
                Response { id, balance, nonce, block_hash: block_hash.raw.clone() }
            }

            #[inline(always)]
            fn encode_response<'o>(out: &'o mut AlignedVec, response: &Response) -> &'o [u8] {
                encode!(out, response)
            }

            #[inline(always)]
            fn read_response<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
                with($access::<ArchivedResponse>(bytes).fields())
            }

            #[inline(always)]
            fn fresh_request(request: &Request) -> AlignedVec {
                rkyv::to_bytes::<Error>(request).expect(FITS)
            }

            #[inline(always)]
            fn fresh_response(response: &Response) -> AlignedVec {
                rkyv::to_bytes::<Error>(response).expect(FITS)
            }
        }
    };
}

rkyv_codec!(RkyvChecked, checked);
rkyv_codec!(RkyvUnchecked, unchecked);
