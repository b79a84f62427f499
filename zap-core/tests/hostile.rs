//! No bytes make the typed readers panic, run long, or contradict each other.
// Views are compared with themselves.
#![allow(clippy::eq_op)]
#![cfg(all(feature = "std", feature = "derive"))]

mod support;

use support::Family;
use support::attack::{prefixes, read_all};
use support::records::*;
use zap_core::{DecodeError, DecodeErrorKind, EncodeError, Header, Limits, Zap};

/// Under Miri only some positions: each byte costs a thousand times as much there.
fn positions(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(if cfg!(miri) { 61 } else { 1 })
}

fn with_word(bytes: &[u8], at: usize, word: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    bytes
}

/// One byte wrong, in every place.
fn one_byte_wrong<F: Family>() {
    // Unoptimised, the third sample costs more time than it finds.
    for value in F::samples().into_iter().take(if cfg!(debug_assertions) { 2 } else { 3 }) {
        let bytes = value.to_vec().unwrap();
        assert!(read_all::<F>(&bytes));
        let mut damaged = bytes.clone();
        for at in positions(bytes.len()) {
            let flips = (0..8).map(|bit| bytes[at] ^ 1 << bit);
            for byte in flips.chain([0, 0xff, 0x7f, 0x80]).take(if cfg!(miri) { 2 } else { 12 }) {
                damaged[at] = byte;
                read_all::<F>(&damaged);
                if at < 16 {
                    prefixes::<F>(&damaged);
                }
            }
            damaged[at] = bytes[at];
        }
    }
}

/// Cut short: as it is, and with the header owning up to it.
fn cut_short<F: Family>() {
    for value in F::samples() {
        let bytes = value.to_vec().unwrap();
        for len in positions(bytes.len()) {
            assert!(!read_all::<F>(&bytes[..len]));
            prefixes::<F>(&bytes[..len]);
            if len >= 16 {
                read_all::<F>(&with_word(&bytes, 12, len as u32)[..len]);
                // All the bytes, of which the message may use only some.
                read_all::<F>(&with_word(&bytes, 12, len as u32));
            }
        }
    }
}

/// At every address, with other bytes before and behind.
fn anywhere<F: Family>() {
    for value in F::samples() {
        let bytes = value.to_vec().unwrap();
        for shift in 0..if cfg!(miri) { 3 } else { 9 } {
            let mut shifted = vec![0xa5; shift];
            shifted.extend(&bytes);
            shifted.extend([0x5a; 40]);
            assert!(read_all::<F>(&shifted[shift..]));
            prefixes::<F>(&shifted[shift..]);
            F::same(&value, F::Of::view(&shifted[shift..]).unwrap());
        }
    }
}

/// Every word of the message as a pointer, length or count that means something, alone and with the word after it.
fn slots_that_mean_something<F: Family>() {
    for value in F::samples().iter().skip(1).take(1) {
        let bytes = value.to_vec().unwrap();
        let len = bytes.len() as u32;
        for at in positions(bytes.len() - 3) {
            let here = at as u32;
            let interesting = [
                1,
                8,
                len,
                len.wrapping_sub(here),
                len.wrapping_sub(here + 1),
                here.wrapping_neg(),
                16_u32.wrapping_sub(here),
                8_u32.wrapping_neg(),
                0x7fff_ffff,
                0x8000_0000,
                0x2000_0001,
            ];
            for word in interesting.into_iter().take(if cfg!(miri) { 3 } else { 99 }) {
                let mut damaged = with_word(&bytes, at, word);
                read_all::<F>(&damaged);
                if at % 4 == 0 && at + 8 <= bytes.len() {
                    for second in [1, len] {
                        damaged = with_word(&damaged, at + 4, second);
                        read_all::<F>(&damaged);
                    }
                }
            }
        }
    }
}

/// Miri, for which each byte costs a thousand times as much, sees four of the records; the readers' only unsafe code is
/// that of text, which all four have.
fn is_left_out(record: &str) -> bool {
    cfg!(miri) && !["texts", "tuples", "zapgen_nested", "zip_options"].contains(&record)
}

macro_rules! hostile {
    ($name:ident, $family:ty) => {
        mod $name {
            use super::*;

            fn run(test: fn()) {
                if !is_left_out(stringify!($name)) {
                    test();
                }
            }

            #[test]
            fn one_byte_wrong() {
                run(super::one_byte_wrong::<$family>);
            }
            #[test]
            fn cut_short() {
                run(super::cut_short::<$family>);
            }
            #[test]
            fn anywhere() {
                run(super::anywhere::<$family>);
            }
            #[test]
            fn slots_that_mean_something() {
                run(super::slots_that_mean_something::<$family>);
            }
        }
    };
}

for_every_record!(hostile);

// Bytes written by hand, so that they can say what no encoder says.

/// A message of version 1 with its root right behind the header.
fn message(body: &[u8]) -> Vec<u8> {
    let header = Header { version: 1, flags: 0, root: 16, size: 16 + body.len() as u32 };
    let mut bytes = header.to_bytes().to_vec();
    bytes.extend(body);
    bytes
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn kind<T>(result: Result<T, DecodeError>) -> Option<DecodeErrorKind> {
    result.err().map(|error| error.kind())
}

/// A native tree of `levels` levels, each the only child of the one above: 16 bytes a level.
fn deep(levels: usize) -> Vec<u8> {
    let mut body = Vec::new();
    for level in 1..=levels {
        // An empty label; the children's slot is 8 bytes in, and the next level follows.
        body.extend(words(&if level < levels { [0, 0, 8, 1] } else { [0; 4] }));
    }
    message(&body)
}

/// As [`deep`], each level a complete message in the list of the one above.
fn deep_stream(levels: usize) -> Vec<u8> {
    let mut bytes = message(&words(&[0; 4]));
    for _ in 1..levels {
        let mut body = words(&[0, 0, 8, 1, bytes.len() as u32]);
        body.extend(&bytes);
        bytes = message(&body);
    }
    bytes
}

#[test]
fn depth_is_bounded() {
    let limits = Limits::new();
    for levels in [1, 2, 33, 64, 65] {
        let bytes = deep(levels);
        let tree = Tree::decode(&bytes).unwrap();
        assert_eq!(tree.to_vec().unwrap(), bytes, "{levels} levels");
        assert!(Tree::validate(&bytes, &limits).is_ok());
        assert!(read_all::<Tree>(&bytes));
    }
    let too_deep = [66, if cfg!(miri) { 200 } else { 1_000_000 }];
    for levels in too_deep {
        let bytes = deep(levels);
        assert_eq!(kind(Tree::decode(&bytes)), Some(DecodeErrorKind::DepthExceeded));
        assert_eq!(kind(Tree::validate(&bytes, &limits)), Some(DecodeErrorKind::DepthExceeded));
        assert!(!read_all::<Tree>(&bytes));
        // A view says so where it is asked to go further.
        let mut view = Tree::view(&bytes).unwrap();
        let mut steps = 0;
        let error = loop {
            match view.children() {
                Ok(children) => view = children.get(0).unwrap(),
                Err(error) => break error,
            }
            steps += 1;
        };
        assert_eq!((steps, error.kind()), (64, DecodeErrorKind::DepthExceeded));
    }
    assert_eq!(kind(Tree::decode_with(&deep(4), &limits.max_depth(2))), Some(DecodeErrorKind::DepthExceeded));
    assert!(Tree::decode_with(&deep(4), &limits.max_depth(3)).is_ok());
}

/// The same where each level is a message of its own; and what was read can be written again, however deep.
#[test]
fn depth_is_bounded_in_embedded_messages() {
    let limits = Limits::new();
    // Writing takes steps with the square of the depth.
    for levels in if cfg!(miri) { &[1, 2, 5][..] } else { &[1, 2, 33, 64, 65] }.iter().copied() {
        let bytes = deep_stream(levels);
        let tree = GTree::decode_with(&bytes, &limits).unwrap();
        assert_eq!(tree.to_vec().as_deref(), Ok(&bytes[..]), "{levels} levels");
        assert!(GTree::validate(&bytes, &limits).is_ok());
        let tree = ZTree::decode_with(&bytes, &limits).unwrap();
        let again = tree.to_vec().unwrap();
        assert!(ZTree::decode_with(&again, &limits).unwrap() == tree);
    }
    let bytes = deep_stream(66);
    assert_eq!(kind(GTree::decode_with(&bytes, &limits)), Some(DecodeErrorKind::DepthExceeded));
    assert_eq!(kind(ZTree::decode_with(&bytes, &limits)), Some(DecodeErrorKind::DepthExceeded));
    let bytes = deep_stream(if cfg!(miri) { 67 } else { 1000 });
    assert!(!read_all::<GTree>(&bytes));
    assert!(!read_all::<ZTree>(&bytes));
}

/// What no reader would take is not written.
#[test]
fn too_deep_a_value_is_not_written() {
    let mut tree = Tree::default();
    for _ in 0..65 {
        assert!(tree.to_vec().is_ok());
        tree = Tree { label: "x".into(), children: vec![tree] };
    }
    let mut buffer = vec![1, 2, 3];
    assert_eq!(tree.encode_into(&mut buffer), Err(EncodeError::TooDeep));
    assert_eq!(buffer, [1, 2, 3]);
}

/// Lists that contain themselves: the element's own slots lead back to the list.
#[test]
fn cycles_are_refused() {
    let limits = Limits::new();
    // The root's children are one element behind the root, whose children are itself: into its own section.
    let own = message(&words(&[0, 0, 8, 1, /* at 32: */ 0, 0, (-8_i32) as u32, 1]));
    assert_eq!(kind(Tree::decode(&own)), Some(DecodeErrorKind::PointerIntoSection));
    assert!(!read_all::<Tree>(&own));
    // Two elements that are each other's children, and a list whose elements lead back to its start.
    let pair = message(&words(&[0, 0, 8, 1, /* 32: */ 0, 0, 8, 1, /* 48: */ 0, 0, (-24_i32) as u32, 1]));
    assert_eq!(kind(Tree::decode(&pair)), Some(DecodeErrorKind::DepthExceeded));
    assert!(!read_all::<Tree>(&pair));
    // The children of the element are the root.
    let root = message(&words(&[0, 0, 8, 1, 0, 0, (-24_i32) as u32, 1]));
    assert_eq!(kind(Tree::decode(&root)), Some(DecodeErrorKind::DepthExceeded));
    // Two elements, each with both as its children but for the one it is in: the walk doubles at each level.
    let mut body = words(&[0, 0, 8, 2]);
    body.extend(words(&[0, 0, 24, 2, 0, 0, 8, 2]));
    body.extend(words(&[0, 0, (-40_i32) as u32, 2, 0, 0, (-56_i32) as u32, 2]));
    let doubling = message(&body);
    assert!(matches!(
        kind(Tree::decode(&doubling)),
        Some(DecodeErrorKind::BudgetExceeded | DecodeErrorKind::DepthExceeded)
    ));
    let wide = limits.max_depth(255);
    assert_eq!(kind(Tree::validate(&doubling, &wide)), Some(DecodeErrorKind::BudgetExceeded));
    assert_eq!(kind(Tree::decode_with(&doubling, &wide)), Some(DecodeErrorKind::BudgetExceeded));
    assert!(!read_all::<Tree>(&doubling));

    // In the stream dialects an element is a message, which cannot point out of itself; a pointer can point back.
    let mut bytes = GNested::default().to_vec().unwrap();
    let at = 16 + GNested::LAYOUT.fields[1].offset as usize;
    for target in [16_i64, at as i64 + 1, 20] {
        bytes[at..at + 4].copy_from_slice(&((target - at as i64) as i32).to_le_bytes());
        assert_eq!(kind(GNested::decode(&bytes)), Some(DecodeErrorKind::PointerIntoSection));
        assert!(!read_all::<GNested>(&bytes));
    }
}

/// A thousand texts that are the same 64 KiB: 64 MiB of reading in 72 KiB.
#[test]
fn overlapping_data_costs_what_the_limits_allow() {
    #[derive(Zap, Clone, Debug, Default, PartialEq)]
    struct Names {
        names: Vec<String>,
    }
    let (count, len) = if cfg!(miri) { (100, 512) } else { (1000, 64 << 10) };
    let mut body = words(&[8, count]);
    for index in 0..count {
        body.extend(words(&[8 * (count - index), len]));
    }
    body.resize(body.len() + len as usize, b'x');
    let bytes = message(&body);
    let limits = Limits::new();
    assert_eq!(kind(Names::validate(&bytes, &limits)), Some(DecodeErrorKind::BudgetExceeded));
    assert_eq!(kind(Names::decode(&bytes)), Some(DecodeErrorKind::BudgetExceeded));
    assert_eq!(kind(Names::decode_with(&bytes, &limits)), Some(DecodeErrorKind::BudgetExceeded));
    let error = Names::validate(&bytes, &limits).unwrap_err();
    assert_eq!(error.place().map(|place| (place.record, place.field)), Some(("Names", "names")));
    // One by one they are there; and with a budget of a hundred times the message all of them.
    let view = Names::view(&bytes).unwrap();
    assert_eq!(view.names().unwrap().get(count as usize - 1).unwrap().unwrap().len(), len as usize);
    if !cfg!(miri) {
        assert!(Names::validate(&bytes, &limits.budget(2000, 0)).is_ok());
    }
    // A list of lists that share one body.
    let mut body = words(&[8, count]);
    for index in 0..count {
        body.extend(words(&[8 * (count - index), len / 2]));
    }
    body.resize(body.len() + len as usize, 0);
    let bytes = message(&body);
    type Shared = Generic<Empty, Vec<u16>>;
    assert_eq!(kind(Shared::decode(&bytes)), Some(DecodeErrorKind::BudgetExceeded));
    assert_eq!(kind(Shared::validate(&bytes, &limits)), Some(DecodeErrorKind::BudgetExceeded));
}

/// Counts whose product with the stride wraps in 32 bits to something that fits.
#[test]
fn counts_that_wrap_are_refused() {
    type Wide16 = Generic<Empty, u128>;
    type Wide8 = Generic<Empty, u64>;
    type Wide3 = Generic<Empty, [u8; 3]>;
    fn refused<T: Zap + for<'m> zap_core::Decode<'m>>(count: u32) {
        for target in [8_u32, 9, (-8_i32) as u32, i32::MAX as u32, i32::MIN as u32] {
            let mut body = words(&[target, count]);
            body.resize(72, 1);
            let bytes = message(&body);
            assert_eq!(kind(T::decode(&bytes)), Some(DecodeErrorKind::PointerOutOfBounds), "{target} {count:x}");
            assert!(T::validate(&bytes, &Limits::new()).is_err());
        }
    }
    for count in [0x1000_0000, 0x1000_0001, 0x2000_0000, 0x2000_0001, 0x5555_5556, 0x8000_0000, u32::MAX] {
        refused::<Wide16>(count);
        refused::<Wide8>(count);
        refused::<Wide3>(count);
    }
    // Exactly what is there is accepted, one more is not.
    for (count, ok) in [(8, true), (9, false)] {
        let mut body = words(&[8, count]);
        body.resize(72, 1);
        assert_eq!(Wide8::decode(&message(&body)).is_ok(), ok);
    }
    // The same for the streams, whose elements have at least a length word.
    for count in [3, 0x1000_0000, 0x4000_0001, 0x8000_0000, u32::MAX] {
        let bytes = message(&words(&[0, 0, 8, count, 0, 0]));
        assert_eq!(kind(GTree::decode(&bytes)), Some(DecodeErrorKind::ListTooShort), "{count:x}");
        assert!(!read_all::<GTree>(&bytes) && !read_all::<ZTree>(&bytes));
    }
    // And element lengths.
    for len in [1, 0x7fff_ffff, 0xffff_fff8, 0xffff_fffc, u32::MAX] {
        let bytes = message(&words(&[0, 0, 8, 1, len]));
        assert_eq!(kind(GTree::decode(&bytes)), Some(DecodeErrorKind::ListTooShort), "{len:x}");
    }
}

/// Positions at the upper end of what 32 bits hold.
#[test]
fn edges_of_32_bits() {
    let text = Metres(0).to_vec().unwrap().len() as u32;
    assert_eq!(text, 24);
    for root in [0, 1, 15, 17, 23, 24, 25, i32::MAX as u32, i32::MIN as u32, u32::MAX - 7, u32::MAX - 8, u32::MAX] {
        let bytes = with_word(&Metres(7).to_vec().unwrap(), 8, root);
        let expected = if root < 16 { DecodeErrorKind::MissingRoot } else { DecodeErrorKind::SectionOutOfBounds };
        assert_eq!(kind(Metres::decode(&bytes)), Some(expected), "root {root:x}");
        assert_eq!(kind(Metres::view(&bytes)), Some(expected), "root {root:x}");
    }
    for size in [0, 15, 25, i32::MAX as u32, u32::MAX] {
        let bytes = with_word(&Metres(7).to_vec().unwrap(), 12, size);
        assert_eq!(kind(Metres::view(&bytes)), Some(DecodeErrorKind::BufferTooSmall), "size {size:x}");
    }
    // Text: rel + len that wraps to inside the message.
    let bytes = Pair(1, "text".into()).to_vec().unwrap();
    let slot = 16 + Pair::LAYOUT.fields[1].offset as usize;
    for (rel, len) in [
        (u32::MAX - slot as u32, 1),
        (u32::MAX - slot as u32 + 17, 4),
        (8, u32::MAX - 7),
        (u32::MAX, u32::MAX),
        (i32::MIN as u32, i32::MIN as u32),
        (1, u32::MAX),
    ] {
        let bytes = with_word(&with_word(&bytes, slot, rel), slot + 4, len);
        assert_eq!(kind(Pair::decode(&bytes)), Some(DecodeErrorKind::PointerOutOfBounds), "{rel:x} {len:x}");
    }
    // A distance of zero is null whatever the length says.
    assert_eq!(Pair::decode(&with_word(&bytes, slot, 0)).unwrap(), Pair(1, String::new()));
}

/// Errors name the byte, the record and the field, also deep inside.
#[test]
fn errors_say_where() {
    let value = Nested { q: Wide { s: vec![1, 2], ..Wide::default() }, t: "tail".into(), ..Nested::default() };
    let bytes = value.to_vec().unwrap();
    let at = bytes.len() - 2;
    let mut damaged = bytes.clone();
    damaged[at] = 0xff;
    let error = Nested::decode(&damaged).unwrap_err();
    let place = error.place().unwrap();
    assert_eq!((error.kind(), error.offset() as usize), (DecodeErrorKind::InvalidUtf8, at));
    assert_eq!((place.record, place.field), ("Nested", "t"));
    assert_eq!(error.to_string(), format!("text is not valid UTF-8 (at byte {at}, field `t` of `Nested`)"));
    // In a message inside a message, the byte of the whole input.
    let value = ZLists { i: vec![ZInner { s: "abc".into(), ..ZInner::default() }], ..ZLists::default() };
    let bytes = value.to_vec().unwrap();
    let at = bytes.windows(3).position(|window| window == b"abc").unwrap() + 1;
    let mut damaged = bytes.clone();
    damaged[at] = 0x80;
    let error = ZLists::decode(&damaged).unwrap_err();
    assert_eq!((error.kind(), error.offset() as usize), (DecodeErrorKind::InvalidUtf8, at));
    assert_eq!(error.place().map(|place| (place.record, place.field)), Some(("ZInner", "s")));
}
