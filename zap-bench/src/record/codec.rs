//! What a codec must offer to take part. One set of operations is written against these traits, so that every codec
//! runs the same loop, touches the same fields and is checked on the same path that is timed.

use super::sample::Blob;

/// The four fields of a request as a codec's reader hands them out.
#[derive(Clone, Copy)]
pub(crate) struct RequestFields<'a> {
    pub(crate) id: u64,
    pub(crate) block: u64,
    pub(crate) method: &'a str,
    /// The bytes, or for JSON the bytes of the hex text.
    pub(crate) account: &'a [u8],
}

/// The four fields of a response as a codec's reader hands them out.
#[derive(Clone, Copy)]
pub(crate) struct ResponseFields<'a> {
    pub(crate) id: u64,
    pub(crate) balance: u64,
    pub(crate) nonce: u64,
    /// The bytes, or for JSON the bytes of the hex text.
    pub(crate) block_hash: &'a [u8],
}

/// A codec that can carry the request. Implementations are `#[inline(always)]`: the loop is theirs.
pub(crate) trait Codec: 'static {
    /// Whether bytes travel as `0x` and hex digits.
    const HEX: bool = false;
    /// The codec's own struct, ready to be encoded.
    type Request<'a>;
    /// The buffer that encoding reuses.
    type Out: Default + 'static;
    /// What decoding reuses.
    type Scratch: Default + 'static;

    /// The codec's own struct of these values. In `encode` it is made beforehand; in `handler` nothing like it is.
    fn request<'a>(id: u64, block: u64, method: &'a str, account: &'a Blob) -> Self::Request<'a>;

    /// The message, alone in the reused buffer.
    fn encode_request<'o>(out: &'o mut Self::Out, request: &Self::Request<'_>) -> &'o [u8];

    /// Decodes `bytes`, which this codec wrote, and hands out the fields.
    fn read_request<R>(scratch: &mut Self::Scratch, bytes: &[u8], with: impl FnOnce(RequestFields<'_>) -> R) -> R;
}

/// A codec that can carry the whole pair.
pub(crate) trait PairCodec: Codec {
    /// The codec's own struct, ready to be encoded.
    type Response<'a>;
    /// A message in memory of its own.
    type Fresh: std::ops::Deref<Target = [u8]>;

    /// The codec's own struct of these values; the handler makes one per call.
    fn response(id: u64, balance: u64, nonce: u64, block_hash: &Blob) -> Self::Response<'_>;

    /// The message, alone in the reused buffer.
    fn encode_response<'o>(out: &'o mut Self::Out, response: &Self::Response<'_>) -> &'o [u8];

    /// Decodes `bytes`, which this codec wrote, and hands out the fields.
    fn read_response<R>(scratch: &mut Self::Scratch, bytes: &[u8], with: impl FnOnce(ResponseFields<'_>) -> R) -> R;

    /// The message in newly allocated memory.
    fn fresh_request(request: &Self::Request<'_>) -> Self::Fresh;

    /// The message in newly allocated memory.
    fn fresh_response(response: &Self::Response<'_>) -> Self::Fresh;
}

/// What an `expect` says when a codec refuses its own message.
pub(crate) const OWN: &str = "a codec reads what it wrote";

/// What an `expect` says when a codec cannot encode a sample.
pub(crate) const FITS: &str = "the samples are small";
