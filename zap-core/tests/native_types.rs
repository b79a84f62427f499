//! What the accessors of the native types give, and what of their bytes is refused.
#![cfg(all(feature = "std", feature = "derive"))]
// Boxes of everything, to test them.
#![allow(clippy::box_collection, clippy::redundant_allocation)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6};
use std::num::NonZero;

use zap_core::{DecodeErrorKind, ListView, MapView, SetView, Zap};

#[derive(Zap, Clone, Debug, PartialEq)]
struct Point {
    x: u8,
    y: u32,
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Options<'a> {
    count: Option<u32>,
    letter: Option<char>,
    hash: Option<[u8; 3]>,
    name: Option<&'a str>,
    data: Option<Vec<u8>>,
    numbers: Option<Vec<u16>>,
    point: Option<Point>,
    boxed: Option<Box<Point>>,
    pair: Option<(u8, String)>,
    twice: Option<Option<u16>>,
}

const NONE: Options<'_> = Options {
    count: None,
    letter: None,
    hash: None,
    name: None,
    data: None,
    numbers: None,
    point: None,
    boxed: None,
    pair: None,
    twice: None,
};

#[test]
fn an_optional_is_one_question_mark_away() -> Result<(), Box<dyn std::error::Error>> {
    let point = Point { x: 1, y: 2 };
    let value = Options {
        count: Some(7),
        letter: Some('z'),
        hash: Some([1, 2, 3]),
        name: Some("zed"),
        data: Some(vec![9]),
        numbers: Some(vec![3, 4]),
        point: Some(point.clone()),
        boxed: Some(Box::new(point.clone())),
        pair: Some((5, "five".into())),
        twice: Some(Some(6)),
    };
    let bytes = value.to_vec()?;
    assert_eq!(bytes.len(), value.encoded_len());
    assert_eq!(Options::decode(&bytes)?, value);
    let view = Options::view(&bytes)?;
    assert_eq!(view.count(), Some(7));
    assert_eq!(view.letter()?, Some('z'));
    assert_eq!(view.hash(), Some(&[1, 2, 3]));
    assert_eq!(view.name()?, Some("zed"));
    assert_eq!(view.data()?, Some(&[9][..]));
    assert_eq!(view.numbers()?.map(|list| list.iter().sum::<u16>()), Some(7));
    assert_eq!(view.point()?.map(|point| point.y()), Some(2));
    assert_eq!(view.boxed()?.map(|point| point.x()), Some(1));
    let (number, text) = view.pair()?.unwrap();
    assert_eq!((number, text?), (5, "five"));
    assert_eq!(view.twice(), Some(Some(6)));
    Ok(())
}

#[test]
fn absent_empty_and_zero_stay_apart() -> Result<(), Box<dyn std::error::Error>> {
    let empty = Options {
        count: Some(0),
        letter: Some('\0'),
        hash: Some([0; 3]),
        name: Some(""),
        data: Some(vec![]),
        numbers: Some(vec![]),
        point: Some(Point { x: 0, y: 0 }),
        boxed: Some(Box::new(Point { x: 0, y: 0 })),
        pair: Some((0, String::new())),
        twice: Some(None),
    };
    for value in [NONE, empty, Options { twice: Some(Some(0)), ..NONE }] {
        let bytes = value.to_vec()?;
        let view = Options::validate(&bytes, &Default::default())?;
        assert_eq!(Options::decode(&bytes)?, value);
        assert_eq!(view.count(), value.count);
        assert_eq!(view.name()?, value.name);
        assert_eq!(view.data()?, value.data.as_deref());
        assert_eq!(view.numbers()?.map(|list: ListView<'_, u16>| list.len()), value.numbers.map(|list| list.len()));
        assert_eq!(view.point()?.is_some(), value.point.is_some());
        assert_eq!(view.twice(), value.twice);
    }
    Ok(())
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Node {
    value: u8,
    next: Option<Box<Node>>,
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Expression {
    number: i64,
    sides: Option<Box<(Self, Self)>>,
    more: Vec<(u8, Expression)>,
    maybe: Vec<Option<Box<Expression>>>,
}

#[test]
fn recursive_types() -> Result<(), Box<dyn std::error::Error>> {
    let list = (0..60).fold(None, |next, value| Some(Box::new(Node { value, next })));
    let list = Node { value: 60, next: list };
    let bytes = list.to_vec()?;
    assert_eq!(Node::decode(&bytes)?, list);
    assert_eq!(Node::view(&bytes)?.next()?.unwrap().next()?.unwrap().value(), 58);

    let leaf = |number| Expression { number, sides: None, more: vec![], maybe: vec![] };
    let tree = Expression {
        number: 1,
        sides: Some(Box::new((leaf(2), leaf(3)))),
        more: vec![(4, leaf(5))],
        maybe: vec![None, Some(Box::new(leaf(6)))],
    };
    let bytes = tree.to_vec()?;
    assert_eq!(Expression::decode(&bytes)?, tree);
    let (left, right) = Expression::view(&bytes)?.sides()?.unwrap();
    assert_eq!((left.number(), right.number()), (2, 3));

    let deep = (0..64).fold(None, |next, value| Some(Box::new(Node { value, next })));
    assert!(Node { value: 0, next: deep.clone() }.to_vec().is_ok());
    let deeper = Node { value: 1, next: Some(Box::new(Node { value: 0, next: deep })) };
    assert_eq!(deeper.to_vec().unwrap_err(), zap_core::EncodeError::TooDeep);
    Ok(())
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Boxed {
    point: Box<Point>,
    text: Box<String>,
    twice: Box<Box<u8>>,
}

#[test]
fn a_plain_box_is_never_null() -> Result<(), Box<dyn std::error::Error>> {
    let value =
        Boxed { point: Box::new(Point { x: 1, y: 2 }), text: Box::new("t".into()), twice: Box::new(Box::new(3)) };
    let mut bytes = value.to_vec()?;
    assert_eq!(Boxed::decode(&bytes)?, value);
    let view = Boxed::view(&bytes)?;
    assert_eq!((view.point()?.y(), view.text()?, view.twice()?), (2, "t", 3));
    bytes[16..20].fill(0);
    assert_eq!(Boxed::decode(&bytes).unwrap_err().kind(), DecodeErrorKind::NullPointer);
    assert_eq!(Boxed::view(&bytes)?.point().unwrap_err().kind(), DecodeErrorKind::NullPointer);
    Ok(())
}

#[test]
fn tuples_are_roots() -> Result<(), Box<dyn std::error::Error>> {
    type Root = (u32, String, (u8, u64), [Option<u16>; 2]);
    let value: Root = (7, "seven".into(), (1, 2), [None, Some(3)]);
    let bytes = value.to_vec()?;
    assert_eq!(Root::decode(&bytes)?, value);
    let (number, text, pair, options) = Root::view(&bytes)?.get();
    assert_eq!((number, text?, pair, options), (7, "seven", (1, 2), [None, Some(3)]));
    let names: Vec<_> = Root::LAYOUT.fields.iter().map(|field| (field.name, field.offset)).collect();
    assert_eq!(names, [("0", 0), ("1", 4), ("2", 16), ("3", 32)]);
    Ok(())
}

#[derive(Zap, Clone, Debug, PartialEq)]
struct Arrays<'a> {
    texts: [&'a str; 2],
    points: [Point; 3],
    lists: [Vec<u16>; 2],
    options: [Option<u32>; 2],
    nested: [[u8; 2]; 3],
    letters: [[char; 2]; 1],
    none: [String; 0],
}

#[test]
fn arrays_hold_everything() -> Result<(), Box<dyn std::error::Error>> {
    let value = Arrays {
        texts: ["a", ""],
        points: [1, 2, 3].map(|x| Point { x, y: u32::from(x) * 2 }),
        lists: [vec![], vec![1, 2]],
        options: [None, Some(0)],
        nested: [[1, 2], [3, 4], [5, 6]],
        letters: [['x', 'y']],
        none: [],
    };
    let bytes = value.to_vec()?;
    assert_eq!(Arrays::decode(&bytes)?, value);
    let view = Arrays::validate(&bytes, &Default::default())?;
    assert_eq!(view.texts()?, ["a", ""]);
    assert_eq!(view.points().map(|point| point.y()), [2, 4, 6]);
    assert_eq!(view.lists()?.map(|list| list.len()), [0, 2]);
    assert_eq!(view.options(), [None, Some(0)]);
    assert_eq!(view.nested(), [&[1, 2], &[3, 4], &[5, 6]]);
    assert_eq!(view.letters()?, [['x', 'y']]);
    assert_eq!(view.none()?, [""; 0]);
    Ok(())
}

/// A hasher of the user's own.
type Hasher = BuildHasherDefault<DefaultHasher>;

#[derive(Zap, Clone, Debug, PartialEq)]
struct Lookups<'a> {
    by_name: BTreeMap<String, Point>,
    by_number: HashMap<i64, Option<String>, Hasher>,
    by_pair: BTreeMap<(u8, &'a str), u16>,
    by_hash: BTreeMap<[u8; 4], u8>,
    by_nonzero: BTreeMap<NonZero<i16>, char>,
    tags: BTreeSet<&'a str>,
    bytes: HashSet<u8, Hasher>,
}

#[test]
fn what_is_in_a_map_is_found() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = (0..100).map(|number: u32| format!("{:x}", number.wrapping_mul(0x9e37_79b9))).collect();
    let value = Lookups {
        by_name: names.iter().zip(0..).map(|(name, x)| (name.clone(), Point { x, y: 7 })).collect(),
        by_number: (-50..50).map(|number| (number * 3, (number % 2 == 0).then(|| number.to_string()))).collect(),
        by_pair: BTreeMap::from([((1, "b"), 1), ((1, "a"), 2), ((0, "z"), 3)]),
        by_hash: BTreeMap::from([([1, 2, 3, 4], 5), ([1, 2, 3, 3], 6)]),
        by_nonzero: [-1, 1, 300].into_iter().filter_map(NonZero::new).zip("abc".chars()).collect(),
        tags: BTreeSet::from(["x", "", "é"]),
        bytes: [200, 0, 7].into_iter().collect(),
    };
    let bytes = value.to_vec()?;
    assert_eq!(Lookups::decode(&bytes)?, value);
    let view = Lookups::view(&bytes)?;
    let by_name = view.by_name()?;
    for (name, x) in names.iter().zip(0..) {
        assert_eq!(by_name.get(name)?.map(|point| point.x()), Some(x));
        assert!(by_name.get(&format!("{name}!"))?.is_none() && !by_name.contains_key(&format!(" {name}"))?);
    }
    let by_number = view.by_number()?;
    for number in -160..160 {
        let wanted = value.by_number.get(&number).map(Option::as_deref);
        assert_eq!(by_number.get(number)?, wanted);
    }
    assert!(by_number.iter().map(|(key, _)| key).is_sorted());
    assert_eq!(view.by_pair()?.get((1, "a"))?, Some(2));
    assert_eq!(view.by_pair()?.get((2, ""))?, None);
    assert_eq!(view.by_hash()?.get([1, 2, 3, 4])?, Some(5));
    assert_eq!(view.by_nonzero()?.get(NonZero::new(-1).unwrap())?, Some('a'));
    let tags: SetView<'_, &str> = view.tags()?;
    assert!(tags.contains("é")? && tags.contains("")? && !tags.contains("y")?);
    let numbers: SetView<'_, u8> = view.bytes()?;
    assert_eq!(numbers.iter().collect::<Vec<_>>(), [0, 7, 200]);
    assert!(numbers.contains(200)? && !numbers.contains(201)?);
    let copy: (MapView<'_, [u8; 4], u8>, SetView<'_, u8>) = (view.by_hash()?, numbers);
    assert_eq!(format!("{copy:?}"), "([([1, 2, 3, 3], 6), ([1, 2, 3, 4], 5)], [0, 7, 200])");
    Ok(())
}

/// One value has one encoding, whatever the order in which a map was filled.
#[test]
fn equal_maps_are_equal_bytes() -> Result<(), Box<dyn std::error::Error>> {
    type Hashed = (HashMap<u32, Vec<Vec<u64>>>, HashSet<String>);
    type Sorted = (BTreeMap<u32, Vec<Vec<u64>>>, BTreeSet<String>);
    let lists = |number: u32| (0..number % 3).map(|len| vec![7; len as usize]).collect::<Vec<_>>();
    let forward: Hashed =
        ((0..40).map(|number| (number, lists(number))).collect(), (0..40).map(|number| number.to_string()).collect());
    let backward: Hashed = (
        (0..40).rev().map(|number| (number, lists(number))).collect(),
        (0..40).rev().map(|number| number.to_string()).collect(),
    );
    let sorted: Sorted = (forward.0.clone().into_iter().collect(), forward.1.iter().cloned().collect());
    let bytes = sorted.to_vec()?;
    assert_eq!(forward.to_vec()?, bytes);
    assert_eq!(backward.to_vec()?, bytes);
    assert_eq!((forward.encoded_len(), backward.encoded_len()), (bytes.len(), bytes.len()));
    Ok(())
}

#[test]
fn flow_label_and_scope_are_left_out() -> Result<(), Box<dyn std::error::Error>> {
    let scoped = SocketAddr::V6(SocketAddrV6::new(Ipv6Addr::LOCALHOST, 80, 7, 8));
    let plain = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), 80);
    assert_eq!((scoped,).to_vec()?, (plain,).to_vec()?);
    assert_eq!(<(SocketAddr,)>::decode(&(scoped,).to_vec()?)?, (plain,));
    Ok(())
}
