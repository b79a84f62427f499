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

#[test]
fn an_enum_that_is_the_root_is_printed_alone() {
    #[derive(Zap, Debug)]
    enum Event {
        Started,
        Moved { x: i32, y: i32 },
    }
    let shown = |event: Event| {
        let bytes = event.to_vec().unwrap();
        let table = zap_core::annotate(&bytes, Event::LAYOUT).to_string();
        assert!(table.lines().any(|row| row.contains("  Event  ")), "{table}");
        Event::view(&bytes).unwrap().to_string()
    };
    assert_eq!(shown(Event::Started), "Started");
    assert_eq!(shown(Event::Moved { x: 1, y: -2 }), "Moved { x: 1, y: -2 }");
}

#[test]
fn lists_and_owned_views_are_compared() {
    let value = mixed();
    let owned = OwnedView::<Mixed<'static>>::new(value.to_vec().unwrap()).unwrap();
    assert_eq!(owned, value);
    assert_eq!(owned, owned.clone());
    assert_eq!(owned.to_string(), owned.view().to_string());
    let names = owned.view().names().unwrap();
    assert_eq!(names, value.names);
    assert_eq!(value.names, names);
    assert_eq!(names, names);
    assert_ne!(names, vec![String::new()]);
}

#[test]
fn malformed_bytes_and_nan_equal_nothing() {
    let mut value = mixed();
    let mut bytes = value.to_vec().unwrap();
    let text = bytes.windows(4).position(|part| part == b"rent").unwrap();
    bytes[text] = 0xff;
    let view = Mixed::view(&bytes).unwrap();
    assert_ne!(view, view);
    assert_ne!(view, value);
    assert!(view.to_string().contains("memo: <"), "{view}");
    bytes[text] = b'r';
    let letter = usize::try_from(Mixed::LAYOUT.field("letter").unwrap().offset).unwrap();
    bytes[16 + letter + 3] = 0xff;
    let view = Mixed::view(&bytes).unwrap();
    assert_ne!(view, view);
    assert!(view.to_record().is_err());

    value.ratio = f64::NAN;
    let bytes = value.to_vec().unwrap();
    let view = Mixed::view(&bytes).unwrap();
    assert_ne!(view, view);
    assert_ne!(view, value);
    value.ratio = -0.0;
    let bytes = value.to_vec().unwrap();
    value.ratio = 0.0;
    assert_eq!(Mixed::view(&bytes).unwrap(), value);
}

#[test]
fn a_flag_of_two_is_true() {
    let value = mixed();
    let mut bytes = value.to_vec().unwrap();
    let flag = usize::try_from(Mixed::LAYOUT.field("flag").unwrap().offset).unwrap();
    bytes[16 + flag] = 2;
    assert_eq!(Mixed::view(&bytes).unwrap(), value);
}

/// A tree whose every list leads to the same 16 elements: 16^n nodes in a message of a few hundred bytes a level.
#[test]
fn shared_lists_make_no_comparison_or_text_expensive() {
    const STRIDE: usize = 12;
    const KIDS: usize = 16;
    let levels = 60;
    let mut bytes = vec![0; 32 + levels * KIDS * STRIDE];
    let len = u32::try_from(bytes.len()).unwrap();
    bytes[..4].copy_from_slice(b"ZAP\0");
    bytes[4] = 1;
    bytes[8] = 16;
    bytes[12..16].copy_from_slice(&len.to_le_bytes());
    let body = |level: usize| 32 + level * KIDS * STRIDE;
    let mut link = |slot: usize, target: usize| {
        bytes[slot..slot + 4].copy_from_slice(&u32::try_from(target - slot).unwrap().to_le_bytes());
        bytes[slot + 4] = KIDS as u8;
    };
    link(16, body(0));
    for level in 0..levels - 1 {
        for kid in 0..KIDS {
            link(body(level) + kid * STRIDE, body(level + 1));
        }
    }
    let view = Tree::view(&bytes).unwrap();
    assert_ne!(view, view);
    assert!(view.to_record().is_err());
    assert!(view.to_string().len() <= (64 << 10) + 8);
    assert!(format!("{view:#}").len() <= (64 << 10) + 8);
}

#[derive(Zap, Debug, Clone)]
#[zap(dialect = "zapgen")]
struct Leaf {
    note: String,
    level: u16,
}

#[derive(Zap, Debug, Clone)]
#[zap(dialect = "zapgen")]
struct Bush {
    leaf: Leaf,
    maybe: Option<Leaf>,
    leaves: Vec<Leaf>,
    numbers: Vec<u32>,
    texts: Vec<String>,
    key: [u8; 3],
}

#[derive(Zap, Debug, Clone, Default)]
#[zap(dialect = "zip")]
struct Cell {
    note: String,
    level: Option<u16>,
}

#[derive(Zap, Debug, Clone)]
#[zap(dialect = "zip")]
struct Grid {
    cell: Cell,
    maybe: Option<Cell>,
    cells: Vec<Cell>,
    options: Vec<Option<u32>>,
    data: Vec<u8>,
}

#[test]
fn the_other_dialects_are_compared() {
    let leaf = Leaf { note: "n".into(), level: 1 };
    let bush = Bush {
        leaf: leaf.clone(),
        maybe: Some(leaf.clone()),
        leaves: vec![leaf; 2],
        numbers: vec![1, 2],
        texts: vec!["t".into()],
        key: [1; 3],
    };
    let changes: [fn(&mut Bush); 6] = [
        |bush| bush.leaf.level = 9,
        |bush| bush.maybe = None,
        |bush| bush.leaves[1].note.clear(),
        |bush| bush.numbers[0] = 0,
        |bush| bush.texts[0].push('x'),
        |bush| bush.key[0] = 0,
    ];
    let bytes = bush.to_vec().unwrap();
    let view = Bush::view(&bytes).unwrap();
    assert_eq!(view, bush);
    assert_eq!(view, view);
    assert_eq!(view, view.to_record().unwrap());
    assert_eq!(view.leaves().unwrap().to_vec().unwrap().len(), 2);
    for change in changes {
        let mut other = bush.clone();
        change(&mut other);
        let bytes = other.to_vec().unwrap();
        assert_ne!(view, other);
        assert_ne!(view, Bush::view(&bytes).unwrap());
    }

    let cell = Cell { note: "n".into(), level: Some(1) };
    let grid = Grid {
        cell: cell.clone(),
        maybe: Some(cell.clone()),
        cells: vec![cell; 2],
        options: vec![Some(1), Some(2)],
        data: vec![1],
    };
    let changes: [fn(&mut Grid); 5] = [
        |grid| grid.cell.level = None,
        |grid| grid.maybe = None,
        |grid| grid.cells[1].note.clear(),
        |grid| grid.options[1] = Some(3),
        |grid| grid.data.clear(),
    ];
    let bytes = grid.to_vec().unwrap();
    let view = Grid::view(&bytes).unwrap();
    assert_eq!(view, grid);
    assert_eq!(view, view);
    assert_eq!(view, view.to_record().unwrap());
    for change in changes {
        let mut other = grid.clone();
        change(&mut other);
        let bytes = other.to_vec().unwrap();
        assert_ne!(view, other);
        assert_ne!(view, Grid::view(&bytes).unwrap());
        assert_eq!(Grid::view(&bytes).unwrap(), other);
    }
}
