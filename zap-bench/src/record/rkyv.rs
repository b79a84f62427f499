//! rkyv 0.8, the zero-copy rival, at its fastest: structs that borrow (`InlineAsBox`), the low-level API (no table of
//! shared pointers), the cheapest error type, a reused aligned buffer without growth.
//!
//! `rkyv-owned`, an extra row, is rkyv as its guide introduces it: `String` and `Vec` fields, `access`, and `to_bytes_in`
//! with a reused `AlignedVec` that is moved in and out.
//!
//! `rkyv-checked` validates before it reads, as anyone must who reads from the network; `rkyv-unchecked` does not, and
//! is undefined behaviour on bytes of unknown origin. Both write the same bytes.
#![allow(unsafe_code)] // `access_unchecked` is what the unchecked row is about

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use rkyv::api::low;
use rkyv::rancor::{Error, Failure};
use rkyv::ser::{Allocator, Writer, allocator::SubAllocator, writer::Buffer};
use rkyv::util::{Align, AlignedVec};
use rkyv::with::InlineAsBox;
use rkyv::{Archive, Serialize};
use std::mem::MaybeUninit;

#[derive(Archive, Serialize)]
pub(crate) struct Request<'a> {
    id: u64,
    block: u64,
    #[rkyv(with = InlineAsBox)]
    method: &'a str,
    #[rkyv(with = InlineAsBox)]
    account: &'a [u8],
}

#[derive(Archive, Serialize)]
pub(crate) struct Response<'a> {
    id: u64,
    balance: u64,
    nonce: u64,
    #[rkyv(with = InlineAsBox)]
    block_hash: &'a [u8],
}

/// The reused buffer: aligned as rkyv wants it, of a fixed size that the samples fit in.
pub(crate) struct Out(Box<Align<[MaybeUninit<u8>; 1024]>>);

impl Default for Out {
    fn default() -> Self {
        Self(Box::new(Align([MaybeUninit::uninit(); 1024])))
    }
}

impl Out {
    #[inline(always)]
    fn encode<'o, T>(&'o mut self, value: &T) -> &'o [u8]
    where
        T: for<'w> Serialize<low::LowSerializer<Buffer<'o>, SubAllocator<'w>, Failure>>,
    {
        let writer = encode(value, Buffer::from(&mut **self.0));
        let len = writer.len();
        // SAFETY: `Buffer` hands out its bytes only by reference to itself; it wrote the first `len` bytes of our
        // buffer, which stays borrowed for `'o`.
        unsafe { std::slice::from_raw_parts(writer.as_ptr(), len) }
    }
}

/// Records of plain fields need no scratch memory while they are written: the allocator is empty.
#[inline(always)]
fn encode<T, W>(value: &T, writer: W) -> W
where
    T: for<'w> Serialize<low::LowSerializer<W, SubAllocator<'w>, Failure>>,
    W: Writer<Failure>,
    for<'w> SubAllocator<'w>: Allocator<Failure>,
{
    low::to_bytes_in_with_alloc::<_, _, Failure>(value, writer, SubAllocator::empty()).expect(FITS)
}

impl ArchivedRequest<'_> {
    #[inline(always)]
    fn fields(&self) -> RequestFields<'_> {
        let (id, block) = (self.id.to_native(), self.block.to_native());
        RequestFields { id, block, method: &self.method, account: &self.account }
    }
}

impl ArchivedResponse<'_> {
    #[inline(always)]
    fn fields(&self) -> ResponseFields<'_> {
        let (id, balance, nonce) = (self.id.to_native(), self.balance.to_native(), self.nonce.to_native());
        ResponseFields { id, balance, nonce, block_hash: &self.block_hash }
    }
}

#[inline(always)]
fn checked<'b, T>(bytes: &'b [u8]) -> &'b T
where
    T: rkyv::Portable + for<'a> rkyv::bytecheck::CheckBytes<low::LowValidator<'a, Failure>>,
{
    low::access::<T, Failure>(bytes).expect(OWN)
}

#[inline(always)]
fn unchecked<T: rkyv::Portable>(bytes: &[u8]) -> &T {
    // SAFETY: the traits promise that `bytes` are a message that this codec wrote for this type, at the alignment it
    // was written for: every buffer of messages in this crate is aligned to 16 bytes.
    unsafe { rkyv::access_unchecked::<T>(bytes) }
}

/// The two rows differ in how they reach the archived record.
macro_rules! rkyv_codec {
    ($name:ident, $access:ident) => {
        pub(crate) struct $name;

        impl Codec for $name {
            type Request<'a> = Request<'a>;
            type Out = Out;
            type Scratch = ();

            #[inline(always)]
            fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request<'a> {
                Request { id, block, method, account: &account.raw }
            }

            #[inline(always)]
            fn encode_request<'o>(out: &'o mut Out, request: &Request<'_>) -> &'o [u8] {
                out.encode(request)
            }

            #[inline(always)]
            fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                with($access::<ArchivedRequest<'_>>(bytes).fields())
            }
        }

        impl PairCodec for $name {
            type Response<'a> = Response<'a>;
            type Fresh = AlignedVec;

            #[inline(always)]
            fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response<'_> {
                Response { id, balance, nonce, block_hash: &block_hash.raw }
            }

            #[inline(always)]
            fn encode_response<'o>(out: &'o mut Out, response: &Response<'_>) -> &'o [u8] {
                out.encode(response)
            }

            #[inline(always)]
            fn read_response<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
                with($access::<ArchivedResponse<'_>>(bytes).fields())
            }

            #[inline(always)]
            fn fresh_request(request: &Request<'_>) -> AlignedVec {
                encode(request, AlignedVec::with_capacity(FRESH_CAPACITY))
            }

            #[inline(always)]
            fn fresh_response(response: &Response<'_>) -> AlignedVec {
                encode(response, AlignedVec::with_capacity(FRESH_CAPACITY))
            }
        }
    };
}

/// Spares rkyv, which cannot know an encoded length beforehand, the growing of a new vector.
const FRESH_CAPACITY: usize = 128;

rkyv_codec!(RkyvChecked, checked);
rkyv_codec!(RkyvUnchecked, unchecked);

#[derive(Archive, Serialize)]
pub(crate) struct OwnedRequest {
    id: u64,
    block: u64,
    method: String,
    account: Vec<u8>,
}

#[derive(Archive, Serialize)]
pub(crate) struct OwnedResponse {
    id: u64,
    balance: u64,
    nonce: u64,
    block_hash: Vec<u8>,
}

/// The extra row.
pub(crate) struct RkyvOwned;

/// Encodes the way the guide does: the vector goes in by value and comes back.
macro_rules! encode_owned {
    ($out:ident, $value:ident) => {{
        let mut writer = std::mem::take($out);
        writer.clear();
        *$out = rkyv::api::high::to_bytes_in::<_, Error>($value, writer).expect(FITS);
        $out
    }};
}

impl Codec for RkyvOwned {
    type Request<'a> = OwnedRequest;
    type Out = AlignedVec;
    type Scratch = ();

    #[inline(always)]
    fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> OwnedRequest {
        OwnedRequest { id, block, method: method.to_owned(), account: account.raw.clone() }
    }

    #[inline(always)]
    fn encode_request<'o>(out: &'o mut AlignedVec, request: &OwnedRequest) -> &'o [u8] {
        encode_owned!(out, request)
    }

    #[inline(always)]
    fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
        let request = rkyv::access::<ArchivedOwnedRequest, Error>(bytes).expect(OWN);
        let (id, block) = (request.id.to_native(), request.block.to_native());
        with(RequestFields { id, block, method: &request.method, account: &request.account })
    }
}

impl PairCodec for RkyvOwned {
    type Response<'a> = OwnedResponse;
    type Fresh = AlignedVec;

    #[inline(always)]
    fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> OwnedResponse {
        OwnedResponse { id, balance, nonce, block_hash: block_hash.raw.clone() }
    }

    #[inline(always)]
    fn encode_response<'o>(out: &'o mut AlignedVec, response: &OwnedResponse) -> &'o [u8] {
        encode_owned!(out, response)
    }

    #[inline(always)]
    fn read_response<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
        let response = rkyv::access::<ArchivedOwnedResponse, Error>(bytes).expect(OWN);
        let (id, balance, nonce) = (response.id.to_native(), response.balance.to_native(), response.nonce.to_native());
        with(ResponseFields { id, balance, nonce, block_hash: &response.block_hash })
    }

    #[inline(always)]
    fn fresh_request(request: &OwnedRequest) -> AlignedVec {
        rkyv::to_bytes::<Error>(request).expect(FITS)
    }

    #[inline(always)]
    fn fresh_response(response: &OwnedResponse) -> AlignedVec {
        rkyv::to_bytes::<Error>(response).expect(FITS)
    }
}
