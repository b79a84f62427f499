//! Recursive records: whatever is done with a value or message of a million levels ends after 64, on a small stack.

use std::fmt::Write;

use zap_core::{DecodeError, DecodeErrorKind, EncodeError, Limits, RecordView, RecordViewMut, Zap};

#[derive(Zap, Debug)]
struct Tree {
    kids: Vec<Tree>,
    v: u8,
}

/// Levels of the deepest list, of the value and message that are refused.
const DEEP: usize = if cfg!(miri) { 1000 } else { 1_000_000 };
/// Levels that are followed.
const ALLOWED: usize = 64;
/// Bytes of a section: slot, byte, padding.
const STRIDE: usize = 12;
/// What a small task gets. Without optimisation every call copies what it hands on, and 64 levels take up to 160 KiB.
const STACK: usize = if cfg!(debug_assertions) { 256 << 10 } else { 64 << 10 };

/// A tree with one kid at each of `levels` levels.
fn tree(levels: usize) -> Tree {
    let mut tree = Tree { kids: Vec::new(), v: 0 };
    for _ in 0..levels {
        tree = Tree { kids: vec![tree], v: 1 };
    }
    tree
}

/// Drops a tree level by level: the drop that the compiler writes is the user's, and goes as deep as the value.
fn unroll(mut tree: Tree) {
    while let Some(kid) = tree.kids.pop() {
        tree = kid;
    }
}

/// The message of `tree(levels)`, put together by hand, since it may be too deep to encode.
fn message(levels: usize) -> Vec<u8> {
    let len = 32 + levels * STRIDE;
    let mut bytes = vec![0; len];
    bytes[..4].copy_from_slice(b"ZAP\0");
    bytes[4] = 1;
    bytes[8] = 16;
    bytes[12..16].copy_from_slice(&u32::try_from(len).unwrap().to_le_bytes());
    let starts = std::iter::once(16).chain((0..).map(|index| 32 + index * STRIDE));
    for (level, start) in starts.take(levels).enumerate() {
        bytes[start] = if level == 0 { 16 } else { STRIDE as u8 };
        bytes[start + 4] = 1;
        bytes[start + 8] = 1;
    }
    bytes
}

/// Runs on a small stack.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

fn is_refused<T>(result: Result<T, DecodeError>) {
    let kind = result.map(drop).unwrap_err().kind();
    assert!(matches!(kind, DecodeErrorKind::DepthExceeded | DecodeErrorKind::BudgetExceeded), "{kind}");
}

#[test]
fn the_message_by_hand_is_the_encoded_one() {
    assert_eq!(message(ALLOWED), tree(ALLOWED).to_vec().unwrap());
}

#[test]
fn what_is_allowed_works() {
    let bytes = message(ALLOWED);
    on_small_stack(move || {
        let value = Tree::decode(&bytes).unwrap();
        assert_eq!(value.to_vec().unwrap(), bytes);
        let view = Tree::validate(&bytes, &Limits::new()).unwrap();
        assert_eq!(view, value);
        assert_eq!(view, Tree::view(&bytes).unwrap());
        assert_eq!(view, view.to_record().unwrap());
    });
}

#[test]
fn decode_ends() {
    let bytes = message(DEEP);
    on_small_stack(move || {
        is_refused(Tree::decode(&bytes));
        is_refused(Tree::decode_with(&bytes, &Limits::new()));
        is_refused(Tree::view(&bytes).unwrap().to_record());
        is_refused(Tree::view(&bytes).unwrap().kids().unwrap().to_vec());
    });
}

#[test]
fn validate_ends() {
    let bytes = message(DEEP);
    on_small_stack(move || is_refused(Tree::validate(&bytes, &Limits::new())));
}

#[test]
fn equality_ends() {
    let bytes = message(DEEP);
    on_small_stack(move || {
        let view = Tree::view(&bytes).unwrap();
        assert_ne!(view, view);
        let value = tree(ALLOWED + 1);
        assert_ne!(view, value);
        unroll(value);
    });
    let (bytes, value) = (message(DEEP), tree(DEEP));
    on_small_stack(move || {
        assert_ne!(value, Tree::view(&bytes).unwrap());
        unroll(value);
    });
}

#[test]
fn printing_ends() {
    let bytes = message(DEEP);
    on_small_stack(move || {
        let view = Tree::view(&bytes).unwrap();
        let mut text = String::new();
        write!(text, "{view:?}").unwrap();
        write!(text, "{view:#?}").unwrap();
        write!(text, "{view}").unwrap();
        write!(text, "{view:#}").unwrap();
        assert!(text.len() < 4096, "{}", text.len());
    });
}

#[test]
fn changing_in_place_follows_no_deeper() {
    let mut bytes = message(DEEP);
    on_small_stack(move || {
        let mut tree = Tree::view_mut(&mut bytes).unwrap();
        tree.v().set(7);
        for _ in 0..ALLOWED {
            let kid = tree.kids().into_element(0).unwrap().unwrap();
            let _ = kid.get().v();
        }
        assert_eq!(tree.as_view().v(), 7);
    });
}

#[test]
fn encode_ends() {
    let value = tree(DEEP);
    on_small_stack(move || {
        assert_eq!(value.to_vec().unwrap_err(), EncodeError::TooDeep);
        let _ = value.encoded_len();
        unroll(value);
    });
}
