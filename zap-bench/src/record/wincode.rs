//! wincode with its default configuration, borrowing what it decodes.
//!
//! `wincode` appends to a reused `Vec` that grows when it must, as ZAP's rows do. `wincode-slice`, an extra row, writes
//! to a fixed slice that is known to be large enough: its fastest form, which fails on a larger message.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::sample::Blob;
use wincode::config::DefaultConfig;
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

/// What the message is written to.
pub(crate) trait Reused: Default + 'static {
    fn message<T: SchemaWrite<DefaultConfig, Src = T>>(&mut self, value: &T) -> &[u8];
}

impl Reused for Vec<u8> {
    #[inline(always)]
    fn message<T: SchemaWrite<DefaultConfig, Src = T>>(&mut self, value: &T) -> &[u8] {
        self.clear();
        wincode::serialize_into(&mut *self, value).expect(FITS);
        self
    }
}

/// A fixed slice.
pub(crate) struct Fixed(Box<[u8; 1024]>);

impl Default for Fixed {
    fn default() -> Self {
        Self(Box::new([0; 1024]))
    }
}

impl Reused for Fixed {
    #[inline(always)]
    fn message<T: SchemaWrite<DefaultConfig, Src = T>>(&mut self, value: &T) -> &[u8] {
        let mut rest = &mut self.0[..];
        wincode::serialize_into(&mut rest, value).expect(FITS);
        let len = 1024 - rest.len();
        &self.0[..len]
    }
}

/// The two rows differ in what they write to.
macro_rules! wincode_codec {
    ($name:ident, $out:ty) => {
        pub(crate) struct $name;

        impl Codec for $name {
            type Request<'a> = Request<'a>;
            type Out = $out;
            type Scratch = ();

            #[inline(always)]
            fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Request<'a> {
                Request { id, block, method, account: &account.raw }
            }

            #[inline(always)]
            fn encode_request<'o>(out: &'o mut $out, request: &Request<'_>) -> &'o [u8] {
                out.message(request)
            }

            #[inline(always)]
            fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                let Request { id, block, method, account } = wincode::deserialize(bytes).expect(OWN);
                with(RequestFields { id, block, method, account })
            }
        }

        impl PairCodec for $name {
            type Response<'a> = Response<'a>;
            type Fresh = Vec<u8>;

            #[inline(always)]
            fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Response<'_> {
                Response { id, balance, nonce, block_hash: &block_hash.raw }
            }

            #[inline(always)]
            fn encode_response<'o>(out: &'o mut $out, response: &Response<'_>) -> &'o [u8] {
                out.message(response)
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
    };
}

wincode_codec!(Wincode, Vec<u8>);
wincode_codec!(WincodeSlice, Fixed);
