//! The typed layer: the deep check, decoding and the view's accessors of each derived record that fits.

use std::ops::RangeInclusive;

use golden::derived::{self, Derived};
use golden::oracle::{Dialect, native, shape::Shape};

use crate::scope::{bodies, boundary, sum_of, with_header};

/// Bytes of the largest message: a record of the largest of the shapes, or of a slot and what it points at.
pub(crate) const MAX_LEN: usize = 36;

/// Compares every message of these lengths that says its own size, as each record whose root section fits; how many.
pub(crate) fn compare(lens: RangeInclusive<usize>) -> u64 {
    let records = derived::all().filter(|derived| derived.dialect() == Dialect::Native);
    let records = records.filter(|derived| derived.layout.version == 1).collect::<Vec<_>>();
    let fits = |len: usize| records.iter().filter(move |derived| 16 + derived.layout.root_size() <= len);
    let all = lens.flat_map(|len| fits(len).map(move |derived| (len, derived))).collect::<Vec<_>>();
    let all = all.into_iter().rev().collect::<Vec<_>>();
    sum_of(&all, |(len, derived)| of_record(*len, derived))
}

fn of_record(len: usize, derived: &Derived) -> u64 {
    let shape = Shape::parse(&derived.oracle_shape()).expect("own shape");
    let words = boundary(len);
    let mut count = 0;
    for root in &words {
        let mut bytes = with_header(len, *root, len as u32);
        bodies(&mut bytes, &words, |bytes| {
            reads_alike(derived, &shape, bytes);
            count += 1;
        });
    }
    count
}

/// Accepted by both or by none; and then the same values, by decoding and by the view.
fn reads_alike(derived: &Derived, shape: &Shape, bytes: &[u8]) {
    let name = derived.layout.name;
    match native::decode(shape, bytes) {
        Err(why) => {
            assert!((derived.validate)(bytes).is_err(), "{name}: {why} {bytes:x?}");
            assert!((derived.decode)(bytes).is_err(), "{name}: {why} {bytes:x?}");
            // A view may open and tell later; that it ends is what counts.
            let _ = (derived.view)(bytes);
        }
        Ok(value) => {
            assert_eq!((derived.validate)(bytes), Ok(()), "{name} {bytes:x?}");
            assert_eq!((derived.decode)(bytes).as_ref(), Ok(&value), "{name} {bytes:x?}");
            assert_eq!((derived.view)(bytes).as_ref(), Ok(&value), "{name} {bytes:x?}");
        }
    }
}
