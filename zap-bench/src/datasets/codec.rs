//! The codecs. Implementations are `#[inline(always)]`: the loop is theirs.

use super::messages::Wire;
use super::{DataSet, Value, ZapData};
use prost::Message as _;
use rkyv::api::high;
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use wincode::config::{Configuration, PREALLOCATION_SIZE_LIMIT_DISABLED};
use zap_core::Limits;

/// A codec that can carry the value `T`.
pub(crate) trait Codec<T>: 'static {
    /// Its name in tables and in the JSON file.
    const NAME: &'static str;
    /// What it encodes: the value itself, or its own struct of the same values.
    type Value: 'static;
    /// What decoding gives.
    type Decoded;
    /// The buffer that encoding reuses.
    type Out: Default + 'static;
    /// What decoding reuses.
    type Scratch: Default + 'static;

    /// What it encodes; not timed.
    fn prepare(value: &T) -> Self::Value;
    /// The message, alone in the reused buffer.
    fn encode<'o>(out: &'o mut Self::Out, value: &Self::Value) -> &'o [u8];
    /// The whole value from `bytes`, which this codec wrote, checked.
    fn decode(scratch: &mut Self::Scratch, bytes: &[u8]) -> Self::Decoded;
    /// The value again; not timed.
    fn restore(decoded: Self::Decoded) -> T;
}

/// A codec that reads in place.
pub(crate) trait Reader<T>: Codec<T> {
    /// Opens the message without looking at more than it must; a word that depends on the outcome.
    fn access(bytes: &[u8]) -> u64;
    /// Checks the whole message, so that everything in it can be read; a word that depends on the outcome.
    fn access_validated(bytes: &[u8]) -> u64;
    /// Does the data set's read operation on a message just opened.
    fn read(bytes: &[u8], visit: impl FnMut(u64));
    /// Does the data set's read operation on a message just checked as a whole.
    fn read_validated(bytes: &[u8], visit: impl FnMut(u64));
}

/// What an `expect` says when a codec refuses its own message.
pub(crate) const OWN: &str = "a codec reads what it wrote";

/// What an `expect` says when a codec cannot encode a data set.
pub(crate) const FITS: &str = "the data sets fit every codec";

/// For a codec that encodes the value as it is, and gives it back.
macro_rules! itself {
    () => {
        type Value = T;
        type Decoded = T;

        fn prepare(value: &T) -> T {
            value.clone()
        }

        fn restore(decoded: T) -> T {
            decoded
        }
    };
}

/// ZAP: `view`, `validate`, `decode`.
pub(crate) struct Zap;

impl<T: Value + zap_core::Zap + zap_core::DecodeOwned> Codec<T> for Zap {
    const NAME: &'static str = "zap";
    itself!();
    type Out = Vec<u8>;
    type Scratch = ();

    #[inline(always)]
    fn encode<'o>(out: &'o mut Vec<u8>, value: &T) -> &'o [u8] {
        out.clear();
        value.encode_into(out).expect(FITS);
        out
    }
    #[inline(always)]
    fn decode((): &mut (), bytes: &[u8]) -> T {
        T::decode(bytes).expect(OWN)
    }
}

impl<T: ZapData> Reader<T> for Zap {
    #[inline(always)]
    fn access(bytes: &[u8]) -> u64 {
        T::view(bytes).is_ok().into()
    }
    #[inline(always)]
    fn access_validated(bytes: &[u8]) -> u64 {
        T::validate(bytes, &Limits::new()).is_ok().into()
    }
    #[inline(always)]
    fn read(bytes: &[u8], visit: impl FnMut(u64)) {
        T::read_view(T::view(bytes).expect(OWN), visit).expect(OWN);
    }
    #[inline(always)]
    fn read_validated(bytes: &[u8], visit: impl FnMut(u64)) {
        T::read_view(T::validate(bytes, &Limits::new()).expect(OWN), visit).expect(OWN);
    }
}

/// rkyv: `access_unchecked`, `access`, `from_bytes`.
pub(crate) struct Rkyv;

impl<T: Value> Codec<T> for Rkyv {
    const NAME: &'static str = "rkyv";
    itself!();
    type Out = AlignedVec;
    type Scratch = ();

    /// The vector goes in by value and comes back.
    #[inline(always)]
    fn encode<'o>(out: &'o mut AlignedVec, value: &T) -> &'o [u8] {
        let mut writer = std::mem::take(out);
        writer.clear();
        *out = high::to_bytes_in::<_, Error>(value, writer).expect(FITS);
        out
    }
    #[inline(always)]
    fn decode((): &mut (), bytes: &[u8]) -> T {
        rkyv::from_bytes::<T, Error>(bytes).expect(OWN)
    }
}

#[allow(unsafe_code)] // what the unchecked operations are about
#[inline(always)]
fn unchecked<T: DataSet>(bytes: &[u8]) -> &T::Archived {
    // SAFETY: the trait promises that `bytes` are a message that this codec wrote for this type, at the alignment it was
    // written for: every message of this suite is aligned to 16 bytes.
    unsafe { rkyv::access_unchecked::<T::Archived>(bytes) }
}

impl<T: DataSet> Reader<T> for Rkyv {
    #[inline(always)]
    fn access(bytes: &[u8]) -> u64 {
        std::ptr::from_ref(unchecked::<T>(bytes)).addr() as u64
    }
    #[inline(always)]
    fn access_validated(bytes: &[u8]) -> u64 {
        rkyv::access::<T::Archived, Error>(bytes).is_ok().into()
    }
    #[inline(always)]
    fn read(bytes: &[u8], visit: impl FnMut(u64)) {
        T::read_archived(unchecked::<T>(bytes), visit);
    }
    #[inline(always)]
    fn read_validated(bytes: &[u8], visit: impl FnMut(u64)) {
        T::read_archived(rkyv::access::<T::Archived, Error>(bytes).expect(OWN), visit);
    }
}

/// wincode with its default configuration, but for a limit that `mesh` exceeds.
pub(crate) struct Wincode;

/// Lists may be as long as they are.
pub(crate) type WincodeConfig = Configuration<true, PREALLOCATION_SIZE_LIMIT_DISABLED>;

const WINCODE: WincodeConfig = Configuration::default().disable_preallocation_size_limit();

impl<T: Value> Codec<T> for Wincode {
    const NAME: &'static str = "wincode";
    itself!();
    type Out = Vec<u8>;
    type Scratch = ();

    #[inline(always)]
    fn encode<'o>(out: &'o mut Vec<u8>, value: &T) -> &'o [u8] {
        out.clear();
        wincode::config::serialize_into(&mut *out, value, WINCODE).expect(FITS);
        out
    }
    #[inline(always)]
    fn decode((): &mut (), bytes: &[u8]) -> T {
        wincode::config::deserialize(bytes, WINCODE).expect(OWN)
    }
}

/// bitcode with its reused `Buffer` on both sides.
pub(crate) struct Bitcode;

impl<T: Value> Codec<T> for Bitcode {
    const NAME: &'static str = "bitcode";
    itself!();
    type Out = bitcode::Buffer;
    type Scratch = bitcode::Buffer;

    #[inline(always)]
    fn encode<'o>(out: &'o mut bitcode::Buffer, value: &T) -> &'o [u8] {
        out.encode(value)
    }
    #[inline(always)]
    fn decode(scratch: &mut bitcode::Buffer, bytes: &[u8]) -> T {
        scratch.decode(bytes).expect(OWN)
    }
}

/// prost, encoding and decoding its own structs.
pub(crate) struct Prost;

impl<T: DataSet> Codec<T> for Prost {
    const NAME: &'static str = "prost";
    type Value = T::Message;
    type Decoded = T::Message;
    type Out = Vec<u8>;
    type Scratch = ();

    fn prepare(value: &T) -> T::Message {
        Wire::wrap(value)
    }
    #[inline(always)]
    fn encode<'o>(out: &'o mut Vec<u8>, value: &T::Message) -> &'o [u8] {
        out.clear();
        value.encode(out).expect(FITS);
        out
    }
    #[inline(always)]
    fn decode((): &mut (), bytes: &[u8]) -> T::Message {
        prost::Message::decode(bytes).expect(OWN)
    }
    fn restore(decoded: T::Message) -> T {
        decoded.unwrap()
    }
}

/// `serde_json`.
pub(crate) struct SerdeJson;

impl<T: Value> Codec<T> for SerdeJson {
    const NAME: &'static str = "serde_json";
    itself!();
    type Out = Vec<u8>;
    type Scratch = ();

    #[inline(always)]
    fn encode<'o>(out: &'o mut Vec<u8>, value: &T) -> &'o [u8] {
        out.clear();
        serde_json::to_writer(&mut *out, value).expect(FITS);
        out
    }
    #[inline(always)]
    fn decode((): &mut (), bytes: &[u8]) -> T {
        serde_json::from_slice(bytes).expect(OWN)
    }
}
