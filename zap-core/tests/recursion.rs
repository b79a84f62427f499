//! Recursive types: whatever is done with a value or message of a million levels ends after 64, on a small stack.
// Views are compared with themselves.
#![allow(clippy::eq_op)]
#![cfg(all(feature = "std", feature = "derive"))]

use std::collections::BTreeMap;
use std::fmt::{Debug, Display, Write};

use zap_core::json::{self, JsonErrorKind};
use zap_core::{
    DecodeError, DecodeErrorKind, DecodeOwned, EncodeError, Limits, RecordView, RecordViewMut, Zap, annotate,
};

/// Levels of the deepest list, of the value and message that are refused.
const DEEP: usize = if cfg!(miri) { 1000 } else { 1_000_000 };
/// Levels that are followed.
const ALLOWED: usize = 64;
/// What a small task gets.
const STACK: usize = if cfg!(debug_assertions) { 512 << 10 } else { 64 << 10 };

/// A type that contains itself, and how its messages are put together by hand: too deep a value cannot be encoded.
trait Recursive: Zap + DecodeOwned + Debug + Default + PartialEq + Send + 'static {
    /// The words of the root section that lead to the level behind it, and those of a level that lead to the next.
    const WORDS: (&'static [u32], &'static [u32]);
    /// Lists and pointers on the way from one level to the next.
    const STEPS: usize;
    /// JSON text around that of the level below.
    const JSON: [&'static str; 2];

    /// A value around this one.
    fn around(self) -> Self;
    /// The value inside this one. The drop that the compiler writes is the user's, and goes as deep as the value.
    fn inside(self) -> Option<Self>;

    fn of_levels(levels: usize) -> Self {
        (0..levels).fold(Self::default(), |value, _| value.around())
    }

    fn unroll(self) {
        let mut left = Some(self);
        while let Some(value) = left {
            left = value.inside();
        }
    }

    /// A message that never ends but by its size.
    fn message(levels: usize) -> Vec<u8> {
        let (root, level) = Self::WORDS;
        let words = root.iter().chain((0..levels).flat_map(|_| level));
        let body: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let mut bytes = b"ZAP\0\x01\0\0\0\x10\0\0\0".to_vec();
        bytes.extend(u32::try_from(16 + body.len()).unwrap().to_le_bytes());
        bytes.extend(body);
        bytes
    }
}

/// A record with one recursive field, and how to get at it.
macro_rules! recursive {
    ($name:ident, $words:expr, $steps:literal, $json:expr, |$inner:ident| $around:expr, |$outer:ident| $inside:expr) => {
        impl Recursive for $name {
            const WORDS: (&'static [u32], &'static [u32]) = $words;
            const STEPS: usize = $steps;
            const JSON: [&'static str; 2] = $json;

            fn around(self) -> Self {
                let $inner = self;
                $around
            }
            fn inside(self) -> Option<Self> {
                #[allow(unused_mut)]
                let mut $outer = self;
                $inside
            }
        }
    };
}

#[derive(Zap, Debug, Default, PartialEq)]
struct Tree {
    kids: Vec<Tree>,
    v: u8,
}
// Slot, byte, padding: 12 bytes, and 16 where the root's section is rounded up.
recursive!(
    Tree,
    (&[16, 1, 1, 0], &[12, 1, 1]),
    1,
    [r#"{"v":1,"kids":["#, "]}"],
    |kid| Self { kids: vec![kid], v: 1 },
    |tree| tree.kids.pop()
);

#[derive(Zap, Debug, Default, PartialEq)]
struct Node {
    v: u8,
    next: Option<Box<Node>>,
}
recursive!(
    Node,
    (&[1, 4], &[1, 4]),
    1,
    [r#"{"v":1,"next":"#, "}"],
    |node| Self { v: 1, next: Some(Box::new(node)) },
    |node| node.next.map(|next| *next)
);

#[derive(Zap, Debug, PartialEq)]
enum Expr {
    Num(f64),
    Add(Box<Expr>, Box<Expr>),
}
impl Default for Expr {
    fn default() -> Self {
        Self::Num(0.0)
    }
}
// Tag and pointer to a section of two pointers, which both lead to the next level: 2^n sums.
recursive!(
    Expr,
    (&[1, 4], &[8, 4, 1, 4]),
    2,
    [r#"{"Add":["#, r#",{"Num":0}]}"#],
    |expr| Self::Add(Box::new(expr), Box::default()),
    |expr| match expr {
        Self::Num(_) => None,
        Self::Add(left, _) => Some(*left),
    }
);

#[derive(Zap, Debug, Default, PartialEq)]
struct Maps {
    map: BTreeMap<u8, Maps>,
}
recursive!(
    Maps,
    (&[8, 1], &[1, 8, 1]),
    1,
    [r#"{"map":{"1":"#, "}}"],
    |maps| Self { map: BTreeMap::from([(1, maps)]) },
    |maps| maps.map.pop_first().map(|(_, inner)| inner)
);

#[derive(Zap, Debug, Default, PartialEq)]
#[zap(growable)]
struct Grown {
    v: u8,
    kids: Vec<Grown>,
    next: Option<Box<Grown>>,
}
// The length, the byte, the slot, a null pointer; the list's one pointer.
recursive!(
    Grown,
    (&[20, 1, 16, 1, 0, 0], &[4, 20, 1, 12, 1, 0]),
    2,
    [r#"{"v":1,"kids":["#, "]}"],
    |grown| Self { v: 1, kids: vec![grown], next: None },
    |grown| grown.kids.pop()
);

/// Runs on a small stack.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap();
}

fn is_refused<T>(result: Result<T, DecodeError>) {
    let kind = result.map(drop).unwrap_err().kind();
    assert!(matches!(kind, DecodeErrorKind::DepthExceeded | DecodeErrorKind::BudgetExceeded), "{kind}");
}

/// Runs the same test for every recursive type.
macro_rules! for_every_type {
    ($($test:ident)*) => {
        for_every_type!(@each $($test)*; tree Tree, list Node, enumeration Expr, maps Maps, growable Grown);
    };
    (@each $($test:ident)*; $($module:ident $type:ident),*) => {
        for_every_type!(@modules [$($test)*] $($module $type),*);
    };
    (@modules $tests:tt $($module:ident $type:ident),*) => {
        $(for_every_type!(@module $tests $module $type);)*
    };
    (@module [$($test:ident)*] $module:ident $type:ident) => {
        mod $module {
            $(
                #[test]
                fn $test() {
                    super::$test::<super::$type>();
                }
            )*
        }
    };
}

for_every_type! {
    what_is_allowed_works reading_ends printing_ends equality_ends json_ends tables_end encode_ends layouts_are_compared
}

fn what_is_allowed_works<T: Recursive>()
where
    for<'m> T::View<'m>: PartialEq<T> + RecordView<'m, Record = T>,
{
    let (encoded, by_hand) = (T::of_levels(1).to_vec().unwrap(), T::message(0));
    assert_eq!(encoded[16..by_hand.len()], by_hand[16..]);
    let value = T::of_levels(ALLOWED / T::STEPS - 1);
    let bytes = value.to_vec().unwrap();
    on_small_stack(move || {
        assert_eq!(T::decode(&bytes).unwrap().to_vec().unwrap(), bytes);
        let view = T::validate(&bytes, &Limits::new()).unwrap();
        assert!(view == value && view == T::view(&bytes).unwrap() && view == view.to_record().unwrap());
        let text = json::to_string(view).unwrap();
        assert_eq!(json::from_str::<T>(&text).unwrap(), value);
        assert_eq!(json::message_from_str(&text, T::LAYOUT).unwrap(), bytes);
    });
}

fn reading_ends<T: Recursive>()
where
    for<'m> T::View<'m>: RecordView<'m, Record = T>,
{
    let bytes = T::message(DEEP);
    on_small_stack(move || {
        is_refused(T::decode(&bytes));
        is_refused(T::decode_with(&bytes, &Limits::new()));
        is_refused(T::validate(&bytes, &Limits::new()));
        is_refused(T::view(&bytes).unwrap().to_record());
    });
}

fn printing_ends<T: Recursive>()
where
    for<'m> T::View<'m>: Display,
{
    let bytes = T::message(DEEP);
    on_small_stack(move || {
        let view = T::view(&bytes).unwrap();
        let mut text = String::new();
        write!(text, "{view:?}").unwrap();
        write!(text, "{view:#?}").unwrap();
        write!(text, "{view}").unwrap();
        write!(text, "{view:#}").unwrap();
        assert!(text.len() < 256 << 10, "{}", text.len());
    });
}

fn equality_ends<T: Recursive>()
where
    for<'m> T::View<'m>: PartialEq<T> + RecordView<'m>,
{
    for levels in [ALLOWED + 1, DEEP] {
        let (bytes, value) = (T::message(DEEP), T::of_levels(levels));
        on_small_stack(move || {
            let view = T::view(&bytes).unwrap();
            assert!(view != view && view != value);
            value.unroll();
        });
    }
}

fn json_ends<T: Recursive>() {
    let bytes = T::message(DEEP);
    let text = T::JSON[0].repeat(DEEP) + &T::JSON[1].repeat(DEEP);
    on_small_stack(move || {
        let error = json::message_to_string(&bytes, T::LAYOUT).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::DepthExceeded);
        assert_eq!(json::to_string(T::view(&bytes).unwrap()).unwrap_err(), error);
        assert_eq!(json::message_from_str(&text, T::LAYOUT).unwrap_err().kind(), &JsonErrorKind::TooDeep);
        assert_eq!(json::from_str::<T>(&text).unwrap_err().kind(), &JsonErrorKind::TooDeep);
    });
}

fn tables_end<T: Recursive>() {
    let bytes = T::message(DEEP);
    on_small_stack(move || {
        let table = annotate(&bytes, T::LAYOUT).to_string();
        assert!(table.contains("error: records are nested too deeply"), "{table}");
        assert!(table.len() < 4096 * 200, "{}", table.len());
    });
}

fn encode_ends<T: Recursive>() {
    let value = T::of_levels(DEEP);
    on_small_stack(move || {
        assert_eq!(value.to_vec().unwrap_err(), EncodeError::TooDeep);
        let _ = value.encoded_len();
        value.unroll();
    });
}

fn layouts_are_compared<T: Recursive>() {
    on_small_stack(|| {
        T::LAYOUT.can_read(T::LAYOUT).unwrap();
        assert!(!T::LAYOUT.to_string().is_empty() && !T::LAYOUT.line().to_string().is_empty());
    });
}

/// A view goes down level by level, until it may not go further.
#[test]
fn walking_ends() {
    let bytes = Tree::message(DEEP);
    on_small_stack(move || {
        let (mut view, mut steps) = (Tree::view(&bytes).unwrap(), 0);
        let error = loop {
            match view.kids() {
                Ok(kids) => view = kids.get(0).unwrap(),
                Err(error) => break error,
            }
            steps += 1;
        };
        assert_eq!((steps, error.kind()), (ALLOWED, DecodeErrorKind::DepthExceeded));
        is_refused(Tree::view(&bytes).unwrap().kids().unwrap().to_vec());
    });
    let bytes = Node::message(DEEP);
    on_small_stack(move || {
        let (mut view, mut steps) = (Node::view(&bytes).unwrap(), 0);
        while let Ok(Some(next)) = view.next() {
            (view, steps) = (next, steps + 1);
        }
        assert_eq!((steps, view.next().unwrap_err().kind()), (ALLOWED, DecodeErrorKind::DepthExceeded));
    });
}

#[test]
fn changing_in_place_follows_no_deeper() {
    let mut bytes = Tree::message(DEEP);
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
