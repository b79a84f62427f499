//! The text, the report on each kind of change, and when the file is written.

use super::*;
use crate::Zap;

/// The first line of the report on the change of one block, without kind and name.
fn verdict(old: &str, new: &str) -> String {
    let (report, compatible) = verdict::report(&block::parse(old), &block::parse(new));
    let line = report.lines().next().unwrap_or_default().to_owned();
    assert_eq!(compatible, !line.contains("breaking"), "{report}");
    line
}

fn record(fields: &str) -> String {
    format!("record R\n{fields}\n  size: 16\n")
}

fn growable(fields: &str) -> String {
    format!("record R growable\n{fields}\n  size: 16\n")
}

#[test]
fn a_changed_record_is_judged() {
    let old = "  a: u32 @4\n  b: u32 @8";
    let added = "  a: u32 @4\n  b: u32 @8\n  c: u32 @12";
    for (old, new, expected) in [
        (record(old), record(old), ""),
        (record(old), record("  a: u32 @4\n  z: u32 @8"), "record R: compatible: only names changed"),
        (record(old), record("  b: u32 @4\n  a: u32 @8"), "record R: breaking: `b` took the place of `a`"),
        (record(old), record("  a: u32 @4\n  b: u64 @8"), "record R: breaking: `b` was `u32 @8` and is `u64 @8`"),
        (record(old), record("  x: u8 @4"), "record R: breaking: where `a` was `u32 @4`, there is `x` `u8 @4`"),
        (record(old), record(added), "record R: breaking: `c` is added to a record that is not growable"),
        (record(added), record(old), "record R: breaking: `c` is removed: old readers have nothing to read there"),
        (growable(old), growable(added), "record R: compatible: growth: `c` is appended to a growable record"),
        (
            growable(added),
            growable(old),
            "record R: compatible: `c` is removed from the end of a growable record: old readers get its default",
        ),
        (
            growable("  a: u32 @4\n  b: u32 @12"),
            growable("  a: u32 @4\n  b: u32 @12\n  c: u32 @8"),
            "record R: breaking: `c` lies before the end of what was known",
        ),
        (record(old), growable(old), "record R: breaking: it was `record` and is `record growable`"),
        (record(old), record(old).replace("R\n", "R version:2\n"), "record R: compatible: readers take either version"),
        (record(old), record(old).replace("16", "24"), "record R: breaking: its size changed"),
        (String::new(), record(old), "record R: compatible: new"),
        (
            record(old),
            String::new(),
            "record R: breaking: gone, or renamed: compatible only if nobody reads or wrote it",
        ),
    ] {
        assert_eq!(verdict(&old, &new), expected);
    }
}

#[test]
fn a_changed_enum_is_judged() {
    let old = "enum E u8\n  A = 0\n  B = 1\n";
    let growth = "enum E: compatible: growth: `C` is new; let readers know it, or have an #[zap(other)] variant, before \
                  anybody writes it";
    for (new, expected) in [
        ("enum E u8\n  A = 0\n  B = 1\n  C = 2\n", growth),
        ("enum E u8\n  B = 1\n  A = 0\n", "enum E: compatible: only the order of its variants changed"),
        ("enum E u8\n  A = 1\n  B = 0\n", "enum E: breaking: `A` was `0` and is `1`"),
        ("enum E u8\n  A = 0\n", "enum E: breaking: `B` is gone, or renamed: old messages may hold it"),
        ("enum E u16\n  A = 0\n  B = 1\n", "enum E: breaking: it was `enum u8` and is `enum u16`"),
    ] {
        assert_eq!(verdict(old, new), expected);
    }
    let data = "enum E u32 with data\n  A = 0\n  A.x: u8 @0\n  A.size: 1\n";
    let more = "enum E u32 with data\n  A = 0\n  A.x: u8 @0\n  A.y: u8 @1\n  A.size: 2\n";
    assert_eq!(verdict(data, more), "enum E: breaking: `A.size` was `1` and is `2`");
}

#[test]
fn the_report_shows_both() {
    let old = "record R\n  a: u8 @0\n  b: u8 @1\n  c: u8 @2\n  size: 3\n\nrecord S\n  size: 0\n";
    let new = "record R\n  a: u8 @0\n  x: u16 @2\n  c: u8 @4\n  size: 6\n\nrecord S\n  size: 0\n";
    assert_eq!(
        verdict::report(&block::parse(old), &block::parse(new)).0,
        "record R: breaking: where `b` was `u8 @1`, there is `x` `u16 @2`\n    a: u8 @0\n  - b: u8 @1\n  - c: u8 @2\n  \
         - size: 3\n  + x: u16 @2\n  + c: u8 @4\n  + size: 6\n\n"
    );
}

#[derive(Zap)]
struct Line {
    article: u32,
    words: String,
}

#[derive(Zap)]
#[zap(rename = "the order")]
struct Order {
    id: u64,
    lines: Vec<Line>,
    parts: Vec<Order>,
    corner: [u16; 2],
}

#[derive(Zap)]
#[zap(dialect = "zip", version = 2)]
struct Note {
    text: Option<String>,
}

#[derive(Zap)]
#[zap(growable)]
struct Growing {
    shape: Option<Shape>,
    pairs: Vec<(u16, Line)>,
}

#[derive(Zap, Debug)]
enum Shape {
    Circle {
        radius: f32,
    },
    Nothing,
    #[zap(other)]
    Other(u32),
}

#[test]
fn enums_and_growable_records_have_blocks() {
    let growing = Growing { shape: Some(Shape::Circle { radius: 1.0 }), pairs: vec![] };
    assert!(growing.pairs.is_empty() && matches!(growing.shape, Some(Shape::Circle { radius: 1.0 })));
    assert!(!matches!(growing.shape, Some(Shape::Nothing | Shape::Other(_))));
    let text = text(&[Growing::LAYOUT]);
    assert_eq!(
        text.split_once("\n\n").map(|(_, blocks)| blocks),
        Some(
            "record Growing growable\n  shape: option<Shape/u32> @4\n  pairs: list<(u16,Line/12)/16> @16\n  size: 24\n\n\
             record Line\n  article: u32 @0\n  words: text @4\n  size: 12\n\n\
             enum Shape u32 with data\n  Circle = 0\n  Circle.radius: f32 @0\n  Circle.size: 4\n  Nothing = 1\n  \
             Other = _\n"
        )
    );
}

const TEXT: &str = "# The wire layouts of this package's records, written by zap_core::lock. Commit this file.

record Line
  article: u32 @0
  words: text @4
  size: 12

record Note zip version:2
  text: option<text> @0
  size: 8

record the_order
  id: u64 @0
  lines: list<Line/12> @8
  parts: list<the order/32> @16
  corner: [u16;2] @24
  size: 32
";

#[test]
fn the_text_is_sorted_and_read_back() {
    let order = Order { id: 1, lines: vec![Line { article: 1, words: String::new() }], parts: vec![], corner: [0; 2] };
    assert_eq!(order.lines.len() + order.parts.len() + order.id as usize + order.lines[0].article as usize, 3);
    assert_eq!((order.corner[0], order.lines[0].words.as_str(), Note { text: None }.text), (0, "", None));

    let layouts = [Order::LAYOUT, Note::LAYOUT, Line::LAYOUT, Order::LAYOUT];
    assert_eq!(text(&layouts), TEXT);
    assert_eq!(block::parse(TEXT), block::of_layouts(&layouts));
    assert_eq!(block::parse(&TEXT.replace('\n', "\r\n")), block::of_layouts(&layouts));
}

#[test]
#[cfg_attr(miri, ignore = "has no files")]
fn the_file_is_written_once_and_then_checked() {
    let folder = std::env::temp_dir().join(format!("zap-lock-tests-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("zap.lock");
    let layouts = [Order::LAYOUT, Note::LAYOUT];

    let error = check_with(&path, &layouts, false, true).unwrap_err();
    assert!(matches!(error, LockError::Missing { .. }) && !path.exists(), "{error}");
    assert!(error.to_string().contains("commit it"));

    check_with(&path, &layouts, false, false).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);
    check_with(&path, &layouts, false, true).unwrap();

    // Another record is a difference, and leaves the file as it is.
    let error = check_with(&path, &[Line::LAYOUT], false, false).unwrap_err();
    let text = format!("{error:?}");
    assert!(text.contains("record Note: breaking: gone") && text.contains("ZAP_LOCK=update"), "{text}");
    assert_eq!(fs::read_to_string(&path).unwrap(), TEXT);

    check_with(&path, &[Line::LAYOUT], true, true).unwrap();
    check_with(&path, &[Line::LAYOUT], false, true).unwrap();
    let error = check_with(&path, &layouts, false, false).unwrap_err();
    assert!(matches!(error, LockError::Changed { compatible: true, .. }), "{error}");

    let error = check_with(&folder, &layouts, false, false).unwrap_err();
    assert!(matches!(error, LockError::Io { .. }), "{error}");
    fs::remove_dir_all(&folder).unwrap();
}
