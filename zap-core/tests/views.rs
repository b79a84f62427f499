//! Views beside values: compared, turned into values, printed.

use zap_core::{OwnedView, RecordView, Zap};

#[derive(Zap, Debug, Clone)]
struct Tree {
    kids: Vec<Tree>,
    v: u8,
}

#[derive(Zap, Debug, Clone)]
struct Mixed<'a> {
    id: u64,
    ratio: f64,
    flag: bool,
    letter: char,
    memo: &'a str,
    data: Vec<u8>,
    kids: Vec<Tree>,
    names: Vec<String>,
    grid: Vec<Vec<u16>>,
    hash: [u8; 4],
    pair: [u16; 2],
}

fn mixed() -> Mixed<'static> {
    Mixed {
        id: 7,
        ratio: 0.5,
        flag: true,
        letter: 'ß',
        memo: "rent",
        data: vec![1, 2, 3],
        kids: vec![Tree { kids: vec![Tree { kids: vec![], v: 2 }], v: 1 }],
        names: vec!["a".into(), String::new()],
        grid: vec![vec![1, 2], vec![]],
        hash: [1, 2, 3, 4],
        pair: [5, 6],
    }
}

/// Changes one field each.
const CHANGES: [fn(&mut Mixed<'static>); 13] = [
    |value| value.id += 1,
    |value| value.ratio = -0.5,
    |value| value.flag = false,
    |value| value.letter = 's',
    |value| value.memo = "rant",
    |value| value.memo = "",
    |value| value.data[1] = 9,
    |value| value.kids[0].kids[0].v = 3,
    |value| value.kids.clear(),
    |value| value.names[1] = "b".into(),
    |value| value.grid[1].push(1),
    |value| value.hash[0] = 0,
    |value| value.pair[1] = 0,
];

#[test]
fn views_and_values_are_equal_or_not() {
    let value = mixed();
    let bytes = value.to_vec().unwrap();
    let view = Mixed::view(&bytes).unwrap();
    assert_eq!(view, value);
    assert_eq!(value, view);
    assert_eq!(view, Mixed::view(&bytes.clone()).unwrap());
    for change in CHANGES {
        let mut other = value.clone();
        change(&mut other);
        let bytes = other.to_vec().unwrap();
        let other_view = Mixed::view(&bytes).unwrap();
        assert_ne!(view, other);
        assert_ne!(value, other_view);
        assert_ne!(view, other_view);
        assert_eq!(other_view, other);
    }
}

#[test]
fn views_become_values() {
    let value = mixed();
    let bytes = value.to_vec().unwrap();
    let view = Mixed::view(&bytes).unwrap();
    let record: Mixed<'_> = view.to_record().unwrap();
    assert!(view == record && bytes.as_ptr_range().contains(&record.memo.as_ptr()));
    let kid: Tree = view.kids().unwrap().get(0).unwrap().to_record().unwrap();
    assert_eq!((kid.v, kid.kids.len()), (1, 1));
    assert_eq!(view.kids().unwrap().to_vec().unwrap().len(), 1);
    assert_eq!(view.names().unwrap().to_vec().unwrap(), value.names);
    let owned = OwnedView::<Mixed<'static>>::new(bytes.clone()).unwrap();
    assert!(owned.view().to_record().unwrap() == view);
}

#[test]
fn views_are_printed() {
    #[derive(Zap)]
    struct Transfer<'a> {
        id: u64,
        amount: u64,
        memo: &'a str,
    }
    let bytes = Transfer { id: 7, amount: 250, memo: "rent \"x\"\n\u{202e}" }.to_vec().unwrap();
    let view = Transfer::view(&bytes).unwrap();
    assert_eq!(view.to_string(), r#"Transfer { id: 7, amount: 250, memo: "rent \"x\"\n\u{202e}" }"#);
    assert_eq!(format!("{view:#}").lines().count(), 5);

    let bytes = mixed().to_vec().unwrap();
    assert_eq!(
        Mixed::view(&bytes).unwrap().to_string(),
        "Mixed { id: 7, ratio: 0.5, flag: true, letter: 'ß', memo: \"rent\", data: 0x010203, \
         kids: [Tree { kids: [Tree { kids: [], v: 2 }], v: 1 }], names: [\"a\", \"\"], grid: [[1, 2], []], \
         hash: 0x01020304, pair: [5, 6] }"
    );
    let view = Mixed::view(&bytes).unwrap();
    let kids = view.kids().unwrap();
    assert_eq!(
        format!("{:#}", kids.get(0).unwrap()),
        "Tree {\n    kids: [Tree {\n        kids: [],\n        v: 2\n    }],\n    v: 1\n}"
    );
}
