//! The typed layer: the deep check, decoding and the view's accessors of each derived record that fits.

use std::ops::RangeInclusive;

use golden::derived::{self, Derived};
use golden::oracle::{Dialect, native, shape::Shape};

use crate::scope::{HEADER, bodies, boundary, sum_of, with_header};

/// Bytes of the largest message: of a record that is one slot, and of any other. The oracle takes its time.
const MAX_LEN: (usize, usize) = (32, 28);

/// Compares every message that says its own size and has one of these lengths, as each record whose root section fits; how
/// many.
pub(crate) fn compare(lens: RangeInclusive<usize>) -> u64 {
    let records = derived::all().filter(|derived| derived.dialect() == Dialect::Native && derived.layout.version == 1);
    let records = records.collect::<Vec<_>>();
    let fits = |derived: &Derived, len: usize| {
        let size = least_size(derived);
        HEADER + size <= len && len <= if size <= 8 { MAX_LEN.0 } else { MAX_LEN.1 }
    };
    let of_len = |len: usize| records.iter().filter(move |derived| fits(derived, len)).map(move |record| (len, record));
    let all = lens.rev().flat_map(of_len).collect::<Vec<_>>();
    sum_of(&all, |(len, derived)| of_record(*len, derived))
}

/// Bytes without which there is no root section: of a growable record, those of its length.
fn least_size(derived: &Derived) -> usize {
    if derived.layout.growable { 4 } else { derived.layout.root_size() }
}

fn of_record(len: usize, derived: &Derived) -> u64 {
    let shape = Shape::parse(&derived.oracle_shape()).expect("own shape");
    let words = boundary(len);
    let mut count = 0;
    for root in &words {
        let mut bytes = with_header(len, *root, len as u32);
        let is_inside = (HEADER..=len - least_size(derived)).contains(&(*root as usize));
        let mut each = |bytes: &[u8]| {
            reads_alike(derived, &shape, bytes);
            count += 1;
        };
        if is_inside {
            bodies(&mut bytes, &words, each);
        } else {
            // Refused before the body is read: one of them does.
            each(&bytes);
        }
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
