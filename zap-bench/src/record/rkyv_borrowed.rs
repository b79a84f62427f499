//! rkyv 0.8 at its fastest, an extra row: structs that borrow (`InlineAsBox`), the low-level API (no table of shared
//! pointers, the cheapest error type), and a fixed aligned buffer of our own that never grows.
//!
//! The rows stand for the same things as those of `rkyv.rs`.
#![allow(unsafe_code)] // `access_unchecked` is what the unchecked row is about; and the fixed buffer

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use rkyv::api::low;
use rkyv::rancor::Failure;
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

rkyv_codec!(RkyvBorrowedChecked, checked);
rkyv_codec!(RkyvBorrowedUnchecked, unchecked);
