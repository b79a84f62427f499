//! The JSON libraries beside `serde_json`.

use crate::datasets::Value;
use crate::datasets::codec::{Codec, FITS, OWN};

/// What simd-json reuses: the copy it parses in place, and its tape and string buffers.
#[derive(Default)]
pub(super) struct InPlace {
    copy: Vec<u8>,
    buffers: simd_json::Buffers,
}

/// One JSON library: what it reuses, how it reads, how it appends.
macro_rules! json_codec {
    ($(#[$doc:meta])* $codec:ident, $name:literal, $scratch:ty, |$state:ident, $bytes:ident| $read:expr, |$out:ident, $value:ident| $write:expr) => {
        $(#[$doc])*
        pub(super) struct $codec;

        impl<T: Value> Codec<T> for $codec {
            const NAME: &'static str = $name;
            type Value = T;
            type Decoded = T;
            type Out = Vec<u8>;
            type Scratch = $scratch;

            fn prepare(value: &T) -> T {
                value.clone()
            }
            #[inline(always)]
            fn encode<'o>($out: &'o mut Vec<u8>, $value: &T) -> &'o [u8] {
                $out.clear();
                $write.expect(FITS);
                $out
            }
            #[inline(always)]
            fn decode($state: &mut $scratch, $bytes: &[u8]) -> T {
                $read.expect(OWN)
            }
            fn restore(decoded: T) -> T {
                decoded
            }
        }
    };
}

json_codec! {
    /// simd-json destroys its input; the copy is charged.
    SimdJson, "simd-json", InPlace,
    |scratch, bytes| {
        scratch.copy.clear();
        scratch.copy.extend_from_slice(bytes);
        simd_json::serde::from_slice_with_buffers(&mut scratch.copy, &mut scratch.buffers)
    },
    |out, value| simd_json::serde::to_writer(&mut *out, value)
}

json_codec! {
    /// sonic-rs.
    SonicRs, "sonic-rs", (),
    |_scratch, bytes| sonic_rs::from_slice(bytes),
    |out, value| sonic_rs::to_writer(&mut *out, value)
}
