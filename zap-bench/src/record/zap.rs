//! ZAP through the derived, typed API: a lazy view, a borrowed struct, and the buffers an encoder may write to.

use super::codec::{Codec, FITS, OWN, PairCodec, RequestFields, ResponseFields};
use super::plain::PlainRequest;
use super::sample::Blob;
use zap_core::{Buffer, Zap};

#[derive(Zap)]
pub(crate) struct Request<'a> {
    pub(crate) id: u64,
    pub(crate) block: u64,
    pub(crate) method: &'a str,
    pub(crate) account: &'a [u8],
}

#[derive(Zap)]
pub(crate) struct Response<'a> {
    pub(crate) id: u64,
    pub(crate) balance: u64,
    pub(crate) nonce: u64,
    #[zap(rename = "blockHash")]
    pub(crate) block_hash: &'a [u8],
}

/// The buffer that encoding reuses: what `encode_into` takes, cleared before each message.
pub(crate) trait Reused: Default + 'static {
    fn request(&mut self, request: &Request<'_>) -> &[u8];
    fn response(&mut self, response: &Response<'_>) -> &[u8];
}

impl Reused for Vec<u8> {
    #[inline(always)]
    fn request(&mut self, request: &Request<'_>) -> &[u8] {
        self.clear();
        request.encode_into(self).expect(FITS);
        self
    }

    #[inline(always)]
    fn response(&mut self, response: &Response<'_>) -> &[u8] {
        self.clear();
        response.encode_into(self).expect(FITS);
        self
    }
}

/// [`Buffer`], made by its own constructor.
pub(crate) struct Pooled(Buffer);

impl Default for Pooled {
    fn default() -> Self {
        Self(Buffer::new())
    }
}

impl Reused for Pooled {
    #[inline(always)]
    fn request(&mut self, request: &Request<'_>) -> &[u8] {
        self.0.clear();
        request.encode_into(&mut self.0).expect(FITS);
        self.0.as_slice()
    }

    #[inline(always)]
    fn response(&mut self, response: &Response<'_>) -> &[u8] {
        self.0.clear();
        response.encode_into(&mut self.0).expect(FITS);
        self.0.as_slice()
    }
}

#[inline(always)]
fn view_request<R>(bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
    let view = Request::view(bytes).expect(OWN);
    let (method, account) = (view.method().expect(OWN), view.account().expect(OWN));
    with(RequestFields { id: view.id(), block: view.block(), method, account })
}

#[inline(always)]
fn decode_request<R>(bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
    let Request { id, block, method, account } = Request::decode(bytes).expect(OWN);
    with(RequestFields { id, block, method, account })
}

#[inline(always)]
fn view_response<R>(bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
    let view = Response::view(bytes).expect(OWN);
    let block_hash = view.block_hash().expect(OWN);
    with(ResponseFields { id: view.id(), balance: view.balance(), nonce: view.nonce(), block_hash })
}

#[inline(always)]
fn decode_response<R>(bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
    let Response { id, balance, nonce, block_hash } = Response::decode(bytes).expect(OWN);
    with(ResponseFields { id, balance, nonce, block_hash })
}

/// The rows differ in how they read and in what they write to.
macro_rules! zap_codec {
    ($name:ident, $out:ty, $read_request:ident, $read_response:ident) => {
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
                out.request(request)
            }

            #[inline(always)]
            fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                $read_request(bytes, with)
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
                out.response(response)
            }

            #[inline(always)]
            fn read_response<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R {
                $read_response(bytes, with)
            }

            #[inline(always)]
            fn fresh_request(request: &Request<'_>) -> Vec<u8> {
                request.to_vec().expect(FITS)
            }

            #[inline(always)]
            fn fresh_response(response: &Response<'_>) -> Vec<u8> {
                response.to_vec().expect(FITS)
            }
        }
    };
}

zap_codec!(ZapView, Vec<u8>, view_request, view_response);
zap_codec!(ZapDecode, Vec<u8>, decode_request, decode_response);
zap_codec!(ZapBuffer, Pooled, view_request, view_response);

/// The baselines of `plain.rs`, which carry the request only. They differ in how they write.
macro_rules! plain_codec {
    ($name:ident, $encode:ident) => {
        pub(crate) struct $name;

        impl Codec for $name {
            type Request<'a> = PlainRequest<'a>;
            type Out = Vec<u8>;
            type Scratch = ();

            #[inline(always)]
            fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> PlainRequest<'a> {
                PlainRequest { id, block, method, account: &account.raw }
            }

            #[inline(always)]
            fn encode_request<'o>(out: &'o mut Vec<u8>, request: &PlainRequest<'_>) -> &'o [u8] {
                out.clear();
                request.$encode(out);
                out
            }

            #[inline(always)]
            fn read_request<R>(_: &mut (), bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R {
                let PlainRequest { id, block, method, account } = PlainRequest::decode(bytes).expect(OWN);
                with(RequestFields { id, block, method, account })
            }
        }
    };
}

plain_codec!(ZapPlain, encode_into);
plain_codec!(ZapAppends, append_into);
