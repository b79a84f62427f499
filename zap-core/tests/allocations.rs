//! What does not allocate, counted.
#![cfg(all(feature = "std", feature = "derive"))]
#![allow(unsafe_code)]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::hint::black_box;

use bytes::BytesMut;
use support::records::*;
use support::{Family, Seen};
use zap_core::{Buffer, BufferPool, Header, Limits, OwnedView, Zap};

thread_local! {
    /// Allocations and bytes asked for by this thread: the test harness has threads of its own.
    static COUNT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(bytes: usize) {
    let _ = COUNT.try_with(|cell| {
        let (allocations, sum) = cell.get();
        cell.set((allocations + 1, sum + bytes));
    });
}

// SAFETY: every call is passed on to the system's allocator as it came; counting touches no allocated memory and
// allocates nothing, since the cell is constant-initialised and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller's promises are those `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and bytes that `run` asks for.
fn cost<T>(run: impl FnOnce() -> T) -> (usize, usize) {
    let before = COUNT.get();
    let result = black_box(run());
    let after = COUNT.get();
    drop(result);
    (after.0 - before.0, after.1 - before.1)
}

fn allocations<T>(run: impl FnOnce() -> T) -> usize {
    cost(run).0
}

#[test]
fn allocations_are_counted() {
    assert_eq!(cost(|| vec![0_u8; 100]), (1, 100));
    assert_eq!(cost(|| 1), (0, 0));
}

/// Views, their accessors, and the deep check; encoding into every warm buffer; one allocation for a vector.
fn nothing_allocates<F: Family>() {
    for value in F::samples() {
        let bytes = value.to_vec().unwrap();
        assert_eq!(allocations(|| value.to_vec().unwrap()), 1);
        assert_eq!(allocations(|| value.encoded_len()), 0);

        let mut seen = Seen::new(1_000_000);
        assert_eq!(allocations(|| F::Of::view(&bytes).is_ok()), 0);
        let view = F::Of::view(&bytes).unwrap();
        assert_eq!(allocations(|| F::touch(view, &mut seen)), 0);
        assert_eq!(allocations(|| F::Of::validate(&bytes, &Limits::new()).is_ok()), 0);

        let mut vec = bytes.clone();
        assert_eq!(allocations(|| (vec.clear(), value.encode_into(&mut vec).unwrap())), 0);
        let mut shared = BytesMut::from(&bytes[..]);
        assert_eq!(allocations(|| (shared.clear(), value.encode_into(&mut shared).unwrap())), 0);
        let mut buffer = Buffer::with_capacity(bytes.len());
        assert_eq!(allocations(|| (buffer.clear(), value.encode_into(&mut buffer).unwrap())), 0);
        let mut fixed = vec![0; bytes.len()];
        assert_eq!(allocations(|| value.encode_into(fixed.as_mut_slice()).unwrap()), 0);
        assert_eq!(allocations(|| value.encode_into(&mut fixed[1..]).is_err()), 0);

        let pool = BufferPool::new();
        drop(pool.encode(&value).unwrap());
        assert_eq!(allocations(|| drop(pool.encode(&value).unwrap())), 0);
        let two = (pool.encode(&value).unwrap(), pool.encode(&value).unwrap());
        drop(two);
        assert_eq!(allocations(|| drop((pool.encode(&value).unwrap(), pool.encode(&value).unwrap()))), 0);
    }
}

/// Errors allocate nothing, whatever is wrong; nor does a decode allocate much before it finds out.
fn hostile_bytes_buy_little<F: Family>() {
    for value in F::samples().into_iter().skip(1) {
        let bytes = value.to_vec().unwrap();
        let bound = |len: usize| 256 * len + 4096;
        let mut damaged = bytes.clone();
        for at in (0..bytes.len()).step_by(if cfg!(miri) { 97 } else { 1 }) {
            for byte in [0, 1, 0x10, 0x7f, 0xff] {
                damaged[at] = byte;
                assert_eq!(allocations(|| F::Of::validate(&damaged, &Limits::new()).is_err()), 0);
                assert_eq!(allocations(|| F::Of::view(&damaged).is_err()), 0);
                let (_, sum) = cost(|| F::Of::decode(&damaged).is_err());
                assert!(sum <= bound(bytes.len()), "{sum} bytes for {} of input", bytes.len());
            }
            damaged[at] = bytes[at];
        }
    }
}

macro_rules! allocating {
    ($name:ident, $family:ty) => {
        mod $name {
            use super::*;

            #[test]
            fn nothing_allocates() {
                super::nothing_allocates::<$family>();
            }
            #[test]
            fn hostile_bytes_buy_little() {
                super::hostile_bytes_buy_little::<$family>();
            }
        }
    };
}

for_every_record_without_hashes!(allocating);

#[derive(Zap, Clone, Debug, Default, PartialEq)]
struct Hashed {
    prices: HashMap<String, u32>,
    tags: HashSet<String>,
    flags: HashSet<u8>,
    lists: HashMap<u16, Vec<u64>>,
}

/// One vector of references for each map or set, to put the keys in order. Counting needs none, except where lists lie
/// behind the values: the gaps between those depend on the order.
#[test]
fn a_hash_map_costs_one_vector() {
    let empty = Hashed::default();
    let mut buffer = Vec::with_capacity(4096);
    assert_eq!(allocations(|| empty.encode_into(&mut buffer).unwrap()), 0);
    let prices = (0..50).map(|number| (format!("{number}"), number)).collect();
    let value = Hashed { prices, ..Hashed::default() };
    assert_eq!(allocations(|| value.encoded_len()), 0);
    assert_eq!(allocations(|| value.encode_into(&mut buffer).unwrap()), 1);
    let tags = (0..50).map(|number| format!("{number}")).collect();
    let value = Hashed { tags, flags: (0..=255).collect(), ..value };
    assert_eq!(allocations(|| value.encoded_len()), 0);
    assert_eq!(allocations(|| value.encode_into(&mut buffer).unwrap()), 3);
    let value = Hashed { lists: HashMap::from([(1, vec![1]), (2, vec![2, 3])]), ..Hashed::default() };
    assert_eq!(allocations(|| value.encoded_len()), 1);
    assert_eq!(allocations(|| value.encode_into(&mut buffer).unwrap()), 2);
}

#[test]
fn hostile_bytes_buy_little_of_hashes() {
    hostile_bytes_buy_little::<HashMaps>();
    hostile_bytes_buy_little::<HashSets>();
}

/// An array is filled where it stands, whatever its elements.
#[test]
fn arrays_are_decoded_without_an_allocation() {
    #[derive(Zap, Debug, PartialEq)]
    struct Corners<'a> {
        points: [(u8, u32); 4],
        names: [&'a str; 3],
        maybe: [Option<char>; 2],
    }
    let value = Corners { points: [(1, 2); 4], names: ["a", "b", "c"], maybe: [None, Some('x')] };
    let bytes = value.to_vec().unwrap();
    assert_eq!(Corners::decode(&bytes).unwrap(), value);
    assert_eq!(allocations(|| Corners::decode(&bytes).is_ok()), 0);
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
struct Borrowing<'a> {
    id: u64,
    name: &'a str,
    memo: Cow<'a, str>,
    raw: &'a [u8],
    more: Cow<'a, [u8]>,
    key: [u8; 32],
    inner: BorrowingInner<'a>,
}

#[derive(Zap, Clone, Debug, Default, PartialEq)]
struct BorrowingInner<'a> {
    letter: char,
    text: &'a str,
}

#[test]
fn decoding_a_borrowed_struct_allocates_nothing() {
    let long = "Grüße ".repeat(100);
    for text in ["", "short", &long] {
        let value = Borrowing {
            name: text,
            memo: text.into(),
            raw: text.as_bytes(),
            more: text.as_bytes().into(),
            inner: BorrowingInner { letter: 'é', text },
            ..Borrowing::default()
        };
        let bytes = value.to_vec().unwrap();
        assert_eq!(Borrowing::decode(&bytes).unwrap(), value);
        assert_eq!(allocations(|| Borrowing::decode(&bytes).is_ok()), 0);
        assert_eq!(allocations(|| Borrowing::decode_with(&bytes, &Limits::new()).is_ok()), 0);
        assert_eq!(allocations(|| Borrowing::decode_prefix(&bytes, &Limits::new()).is_ok()), 0);
        for len in 0..bytes.len().min(200) {
            assert_eq!(allocations(|| Borrowing::decode(&bytes[..len]).is_err()), 0);
        }
    }
}

/// An owning view takes the vector it is given.
#[test]
fn an_owned_view_copies_nothing() {
    let bytes = bytes::Bytes::from(Nested::default().to_vec().unwrap());
    // The first clone of a vector makes it shared, at the price of an allocation.
    drop(bytes.clone());
    assert_eq!(allocations(|| OwnedView::<Nested>::new(bytes.clone()).is_ok()), 0);
    let view = OwnedView::<Nested>::new(bytes).unwrap();
    assert_eq!(allocations(|| (view.view().a(), view.clone())), 0);
}

/// A count costs its writer at least as many bytes as its reader's memory is a constant multiple of.
#[test]
fn a_count_alone_buys_no_memory() {
    fn message(slot: [u32; 4]) -> Vec<u8> {
        let mut bytes = Header { version: 1, flags: 0, root: 16, size: 40 }.to_bytes().to_vec();
        bytes.extend(slot.into_iter().flat_map(u32::to_le_bytes));
        bytes.resize(40, 0);
        bytes
    }
    for count in [1, 2, 0x1000, 0x100_0000, 0x1fff_ffff, i32::MAX as u32, u32::MAX] {
        let bytes = message([0, 0, 8, count]);
        for sum in [cost(|| Tree::decode(&bytes).is_ok()).1, cost(|| GTree::decode(&bytes).is_ok()).1] {
            assert!(sum <= 512, "{sum} bytes for a count of {count:x}");
        }
    }
}
