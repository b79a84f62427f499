//! What each codec does with a data set: one batch per operation that it has a notion of.

use super::Op;
use super::codec::{Codec, Reader};
use crate::measure::Batch;
use crate::opaque::{hide_ref, hide_slice, sink, sink_slice};
use rkyv::util::AlignedVec;
use std::rc::Rc;

/// One row to be: an operation of one codec.
pub(crate) struct Entry {
    pub(crate) op: Op,
    pub(crate) codec: &'static str,
    pub(crate) bytes: usize,
    /// `None` where nothing is timed.
    pub(crate) batch: Option<Batch>,
}

/// Does `step` as many times as a batch is told.
pub(crate) fn batch(mut step: impl FnMut() + 'static) -> Option<Batch> {
    Some(Box::new(move |count| {
        for _ in 0..count {
            step();
        }
    }))
}

/// A message at a 16-byte boundary: rkyv needs it, so all get it.
pub(crate) fn message<T, C: Codec<T>>(value: &T) -> AlignedVec {
    let mut out = C::Out::default();
    let mut message = AlignedVec::new();
    message.extend_from_slice(C::encode(&mut out, &C::prepare(value)));
    message
}

/// Serializing, deserializing and the size: what every codec has.
pub(crate) fn whole<T, C: Codec<T>>(value: &T) -> Vec<Entry> {
    let message = message::<T, C>(value);
    let bytes = message.len();
    let entry = |op, batch| Entry { op, codec: C::NAME, bytes, batch };

    let (prepared, mut out) = (C::prepare(value), C::Out::default());
    let serialize = batch(move || sink_slice(C::encode(&mut out, hide_ref(&prepared))));
    let mut scratch = C::Scratch::default();
    let deserialize = batch(move || {
        // Dropping the value is part of it.
        std::hint::black_box(&C::decode(&mut scratch, hide_slice(&message)));
    });
    vec![entry(Op::Serialize, serialize), entry(Op::Deserialize, deserialize), entry(Op::Size, None)]
}

/// Reading in place.
pub(crate) fn in_place<T, C: Reader<T>>(value: &T) -> Vec<Entry> {
    let message = Rc::new(message::<T, C>(value));
    let bytes = message.len();
    let entry = |op, batch| Entry { op, codec: C::NAME, bytes, batch };
    // Each batch has the same message.
    macro_rules! on_message {
        ($work:expr) => {{
            let message = Rc::clone(&message);
            batch(move || $work(hide_slice(&message)))
        }};
    }
    vec![
        entry(Op::Access, on_message!(|bytes| sink(C::access(bytes)))),
        entry(Op::AccessValidated, on_message!(|bytes| sink(C::access_validated(bytes)))),
        entry(Op::Read, on_message!(|bytes| C::read(bytes, sink))),
        entry(Op::ReadValidated, on_message!(|bytes| C::read_validated(bytes, sink))),
    ]
}

/// One copy of as many bytes: the floor of serializing.
pub(crate) fn memcpy<T, C: Codec<T>>(value: &T) -> Entry {
    let message = message::<T, C>(value);
    let bytes = message.len();
    let mut out: Vec<u8> = Vec::new();
    let batch = batch(move || {
        out.clear();
        out.extend_from_slice(hide_slice(&message));
        sink_slice(&out);
    });
    Entry { op: Op::Serialize, codec: "memcpy", bytes, batch }
}
