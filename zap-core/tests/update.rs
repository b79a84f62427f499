//! Records changed in place: the message is then the one that encoding the changed value gives.

use proptest::prelude::*;
use zap_core::{RecordViewMut, Zap};

#[derive(Zap, Debug, Clone, Copy, PartialEq)]
struct Point {
    near: u8,
    x: i32,
    far: u128,
}

#[derive(Zap, Debug, Clone, PartialEq)]
struct Every<'a> {
    flag: bool,
    byte: u8,
    small: i16,
    text: &'a str,
    wide: u64,
    ratio: f64,
    letter: char,
    key: [u8; 5],
    pair: [u16; 2],
    point: Point,
    points: Vec<Point>,
    depths: Vec<u32>,
    signed: i128,
}

fn point() -> impl Strategy<Value = Point> {
    any::<(u8, i32, u128)>().prop_map(|(near, x, far)| Point { near, x, far })
}

fn every() -> impl Strategy<Value = Every<'static>> {
    let head = (any::<(bool, u8, i16, u64, f64, char, [u8; 5], [u16; 2], i128)>(), prop_oneof!["", "rent"]);
    let tail = (point(), prop::collection::vec(point(), 0..4), prop::collection::vec(any::<u32>(), 0..4));
    (head, tail).prop_map(|((scalars, text), (point, points, depths))| {
        let (flag, byte, small, wide, ratio, letter, key, pair, signed) = scalars;
        let text = if text.is_empty() { "" } else { "rent" };
        Every { flag, byte, small, text, wide, ratio, letter, key, pair, point, points, depths, signed }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn setting_is_encoding(before in every(), after in every(), junk in prop::collection::vec(any::<u8>(), 0..9)) {
        let mut bytes = before.to_vec().unwrap();
        let len = bytes.len();
        bytes.extend(&junk);
        let mut expected = before;
        let mut check = |set: &dyn Fn(&mut EveryViewMut<'_>), change: &dyn Fn(&mut Every<'static>)| {
            set(&mut Every::view_mut(&mut bytes).unwrap());
            change(&mut expected);
            assert_eq!(bytes[..len], expected.to_vec().unwrap());
            assert_eq!(bytes[len..], junk);
        };
        check(&|view| view.flag().set(after.flag), &|value| value.flag = after.flag);
        check(&|view| view.byte().set(after.byte), &|value| value.byte = after.byte);
        check(&|view| view.small().set(after.small), &|value| value.small = after.small);
        check(&|view| view.wide().set(after.wide), &|value| value.wide = after.wide);
        check(&|view| view.ratio().set(after.ratio), &|value| value.ratio = after.ratio);
        check(&|view| view.letter().set(after.letter), &|value| value.letter = after.letter);
        check(&|view| view.key().set(after.key), &|value| value.key = after.key);
        check(&|view| view.pair().set(after.pair), &|value| value.pair = after.pair);
        check(&|view| view.signed().set(after.signed), &|value| value.signed = after.signed);
        check(&|view| view.point().into_view_mut().unwrap().x().set(after.point.x), &|value| value.point.x = after.point.x);
        check(&|view| view.point().set(after.point), &|value| value.point = after.point);
        for (index, point) in after.points.iter().enumerate() {
            check(
                &|view| if let Some(mut element) = view.points().into_element(index).unwrap() { element.set(*point) },
                &|value| if let Some(element) = value.points.get_mut(index) { *element = *point },
            );
        }
        for (index, depth) in after.depths.iter().enumerate() {
            check(
                &|view| if let Some(element) = view.depths().into_mut_slice().unwrap().get_mut(index) { element.set(*depth) },
                &|value| if let Some(element) = value.depths.get_mut(index) { *element = *depth },
            );
        }
    }

    #[test]
    fn any_bytes_can_be_opened_and_changed(mut bytes in prop::collection::vec(any::<u8>(), 0..256), is_message in any::<bool>()) {
        if is_message && bytes.len() >= 16 {
            let len = u32::try_from(bytes.len()).unwrap();
            bytes[..12].copy_from_slice(&[b'Z', b'A', b'P', 0, 1, 0, 0, 0, 16, 0, 0, 0]);
            bytes[12..16].copy_from_slice(&len.to_le_bytes());
        }
        let before = bytes.clone();
        if let Ok(mut view) = Every::view_mut(&mut bytes) {
            view.wide().set(5);
            let _ = view.points().into_element(1).map(|element| element.map(|mut element| element.set(Point { near: 1, x: 2, far: 3 })));
            let _ = view.depths().into_mut_slice().map(|slice| slice.fill(7.into()));
            let _ = format!("{view:?}");
            let _ = format!("{}", view.as_view());
        }
        prop_assert_eq!(bytes.len(), before.len());
        prop_assert_eq!(&bytes[..16.min(bytes.len())], &before[..16.min(before.len())]);
    }
}

#[derive(Zap, Debug, Clone, PartialEq, Default)]
#[zap(dialect = "zapgen")]
struct Inner {
    level: u16,
    note: String,
}

#[derive(Zap, Debug, Clone, PartialEq, Default)]
#[zap(dialect = "zapgen")]
struct Outer {
    flag: bool,
    wide: u64,
    key: [u8; 3],
    inner: Inner,
    maybe: Option<Inner>,
    list: Vec<Inner>,
}

#[test]
fn zapgen() {
    let inner = Inner { level: 1, note: "n".into() };
    let mut value = Outer {
        flag: true,
        wide: 2,
        key: [1; 3],
        inner: inner.clone(),
        maybe: Some(inner.clone()),
        list: vec![inner; 2],
    };
    let mut bytes = value.to_vec().unwrap();
    let mut view = Outer::view_mut(&mut bytes).unwrap();
    view.flag().set(false);
    view.wide().set(9);
    view.key().set([7; 3]);
    view.inner().into_view_mut().unwrap().level().set(5);
    assert_eq!(view.maybe().get().unwrap().unwrap().level(), 1);
    assert_eq!(view.list().get().unwrap().len(), 2);
    value = Outer { flag: false, wide: 9, key: [7; 3], ..value };
    value.inner.level = 5;
    assert_eq!(bytes, value.to_vec().unwrap());
    let mut cut = Outer::view(&bytes).map(|_| bytes.clone()).unwrap();
    cut[16 + 12..16 + 16].fill(0);
    let mut view = Outer::view_mut(&mut cut).unwrap();
    assert!(view.inner().into_view_mut().is_err());
}

#[derive(Zap, Debug, Clone, PartialEq)]
#[zap(dialect = "zip")]
struct Leaf {
    level: u16,
    maybe: Option<u32>,
}

#[derive(Zap, Debug, Clone, PartialEq)]
#[zap(dialect = "zip")]
struct Node {
    before: Vec<String>,
    wide: i64,
    leaf: Leaf,
    maybe: Option<u8>,
}

#[test]
fn zip() {
    let mut value = Node { before: vec!["a".into()], wide: 1, leaf: Leaf { level: 2, maybe: None }, maybe: Some(3) };
    let mut bytes = value.to_vec().unwrap();
    let mut view = Node::view_mut(&mut bytes).unwrap();
    view.wide().set(-1);
    view.maybe().set(None);
    let mut leaf = view.leaf().into_view_mut().unwrap();
    leaf.level().set(7);
    leaf.maybe().set(Some(8));
    value = Node { wide: -1, maybe: None, leaf: Leaf { level: 7, maybe: Some(8) }, ..value };
    assert_eq!(bytes, value.to_vec().unwrap());
}
