//! The rules one by one, on layouts made by hand: every kind of type, growable records and enums too.

use core::any::Any;
use std::sync::Mutex;

use alloc::boxed::Box;
use alloc::vec;

use super::IncompatibilityReason::{
    Added, Dialect, EndsInside, Growable, Moved, OtherRemoved, Stride, VariantNumber, VariantUnknown,
};
use super::*;
use crate::__private::{Field, Section, Walk};
use crate::layout::SlotShape;
use crate::{Native, Zap};

fn field(name: &'static str, field_type: FieldType, offset: u32, width: u32) -> FieldLayout {
    let (width, align) = (width as usize, 1);
    let same = |_: Section<'_>, _: Section<'_>, _: Field, _: &mut Walk<'_, true>| true;
    let missing = crate::slot::Missing::Zeros;
    let (plain, infallible, nested, tails) = (true, true, false, 0);
    let shape = SlotShape { field_type, width, align, plain, infallible, nested, tails, missing, same };
    shape.named(name).at(offset)
}

fn record(fields: Vec<FieldLayout>) -> Layout {
    Layout::new::<Native>("R", 1, leaked(fields))
}

fn growable(fields: Vec<FieldLayout>) -> Layout {
    Layout { growable: true, ..record(fields) }
}

fn of(field_type: FieldType, width: u32) -> Layout {
    record(vec![field("f", field_type, 0, width)])
}

/// Layouts are static. They are kept in a static, too, so that a leak check does not mind.
fn leaked<T: Sync + 'static>(value: T) -> &'static T {
    static KEPT: Mutex<Vec<&(dyn Any + Sync)>> = Mutex::new(Vec::new());
    let value: &T = Box::leak(Box::new(value));
    KEPT.lock().unwrap().push(value);
    value
}

/// The path and what is wrong there.
fn error(newer: &Layout, older: &Layout) -> (String, IncompatibilityReason) {
    let error = newer.can_read(older).unwrap_err();
    (error.path, error.reason)
}

fn at(path: &str, reason: IncompatibilityReason) -> (String, IncompatibilityReason) {
    (path.to_owned(), reason)
}

fn u32s(names: &[&'static str]) -> Vec<FieldLayout> {
    (0..).step_by(4).zip(names).map(|(offset, name)| field(name, FieldType::U32, offset, 4)).collect()
}

/// As of a growable record, behind the hidden length.
fn behind_length(names: &[&'static str]) -> Vec<FieldLayout> {
    (4..).step_by(4).zip(names).map(|(offset, name)| field(name, FieldType::U32, offset, 4)).collect()
}

#[test]
fn fields_are_compared_by_place_and_type() {
    let old = record(u32s(&["a", "b"]));
    assert_eq!(old.can_read(&old), Ok(()));
    assert_eq!(record(u32s(&["a", "c"])).can_read(&old), Ok(()), "renamed");
    assert_eq!(error(&record(u32s(&["b", "a"])), &old), at("b", Moved { older: 4, newer: 0 }));
    assert_eq!(error(&record(u32s(&["a", "b", "c"])), &old), at("c", Added));
    assert_eq!(old.can_read(&record(u32s(&["a", "b", "c"]))), Ok(()), "the longer root is read as far as it is known");
    let (path, reason) = error(&record(vec![field("a", FieldType::I32, 0, 4)]), &old);
    assert_eq!((path.as_str(), reason.to_string().as_str()), ("a", "its type was u32 and is i32"));
    let nothing = record(vec![field("n", FieldType::Nothing, 0, 0), field("a", FieldType::U32, 0, 4)]);
    assert_eq!(nothing.can_read(&old), Ok(()));
}

#[test]
fn only_growable_records_grow() {
    let (old, new) = (growable(behind_length(&["a"])), growable(behind_length(&["a", "b"])));
    assert_eq!(new.can_read(&old), Ok(()));
    assert_eq!(old.can_read(&new), Ok(()));
    assert_eq!(error(&record(behind_length(&["a", "b"])), &old), at("", Growable));

    // A field that fills a gap would read as the gap's zeros, not as its default.
    let gap = growable(vec![field("a", FieldType::U8, 4, 1), field("c", FieldType::U32, 8, 4)]);
    let mut fields = gap.fields.to_vec();
    fields.push(field("b", FieldType::U8, 5, 1));
    assert_eq!(error(&growable(fields), &gap), at("b", Added));

    // Inline, the last field may not grow.
    let inner = |names| FieldType::Tuple(names);
    let short = inner(|| leaked(record(u32s(&["x"]))));
    let long = inner(|| leaked(record(u32s(&["x", "y"]))));
    let old = growable(vec![field("p", short, 4, 4)]);
    assert_eq!(error(&growable(vec![field("p", long, 4, 8)]), &old), at("p", EndsInside { end: 8 }));
    assert_eq!(error(&record(vec![field("p", long, 4, 8)]), &record(vec![field("p", short, 4, 4)])), at("p.y", Added));
}

#[test]
fn what_lies_side_by_side_keeps_its_stride() {
    let short = leaked(FieldType::Record(|| leaked(record(u32s(&["x"])))));
    let long = leaked(FieldType::Record(|| leaked(record(u32s(&["x", "y"])))));
    let stride = |path| at(path, Stride { older: 8, newer: 4 });
    let list = |element| of(FieldType::List(element), 8);
    assert_eq!(error(&list(short), &list(long)), stride("f[]"));
    assert_eq!(error(&list(long), &list(short)), at("f[].y", Added));
    let array = |element, width| of(FieldType::Array { element, len: 2 }, width);
    assert_eq!(error(&array(short, 8), &array(long, 16)), stride("f[]"));
    assert_eq!(error(&of(FieldType::Set(short), 8), &of(FieldType::Set(long), 8)), stride("f[]"));
    assert_eq!(error(&list(leaked(FieldType::List(short))), &list(leaked(FieldType::List(long)))), stride("f[][]"));

    // Behind a pointer of its own, a longer one is read as far as it is known.
    for pointer in [FieldType::Option, FieldType::Pointer] {
        assert_eq!(of(pointer(short), 4).can_read(&of(pointer(long), 4)), Ok(()));
        assert_eq!(error(&of(pointer(long), 4), &of(pointer(short), 4)), at("f.y", Added));
        assert_eq!(list(leaked(pointer(short))).can_read(&list(leaked(pointer(long)))), Ok(()));
    }
    let growing = leaked(FieldType::Record(|| leaked(growable(behind_length(&["x"])))));
    let grown = leaked(FieldType::Record(|| leaked(growable(behind_length(&["x", "y"])))));
    assert_eq!(list(grown).can_read(&list(growing)), Ok(()));
    assert_eq!(list(growing).can_read(&list(grown)), Ok(()));
    assert!(list(growing).can_read(&list(short)).is_err());
}

#[test]
fn maps_are_lists_of_entries() {
    fn entry(value: FieldType, width: u32) -> Layout {
        record(vec![field("key", FieldType::Text, 0, 8), field("value", value, 8, width)])
    }
    let map = |entry| of(FieldType::Map(entry), 8);
    let narrow = map(|| leaked(entry(FieldType::U16, 2)));
    let wide = map(|| leaked(entry(FieldType::U64, 8)));
    assert_eq!(narrow.can_read(&narrow), Ok(()));
    assert_eq!(error(&wide, &narrow).0, "f{value}");
    let short = map(|| leaked(entry(FieldType::Record(|| leaked(record(u32s(&["x"])))), 4)));
    let long = map(|| leaked(entry(FieldType::Record(|| leaked(record(u32s(&["x", "y"])))), 8)));
    assert_eq!(error(&long, &short), at("f{value}.y", Added));
    assert_eq!(error(&short, &long), at("f{value}", Stride { older: 8, newer: 4 }));
}

fn variant(name: &'static str, number: u32) -> VariantLayout {
    VariantLayout { name, number, fields: None }
}

fn enumeration(variants: Vec<VariantLayout>, other: Option<&'static str>) -> EnumLayout {
    let has_data = variants.iter().any(|variant| variant.fields.is_some());
    EnumLayout { name: "E", number: FieldType::U8, has_data, variants: leaked(variants), other }
}

#[test]
fn a_reader_must_know_every_number() {
    let two = || of(FieldType::Enum(|| leaked(enumeration(vec![variant("A", 0), variant("B", 1)], None))), 1);
    let three =
        of(FieldType::Enum(|| leaked(enumeration(vec![variant("A", 0), variant("B", 1), variant("C", 2)], None))), 1);
    let open = of(FieldType::Enum(|| leaked(enumeration(vec![variant("A", 0)], Some("Other")))), 1);
    let swapped = of(FieldType::Enum(|| leaked(enumeration(vec![variant("B", 0), variant("A", 1)], None))), 1);
    assert_eq!(three.can_read(&two()), Ok(()));
    assert_eq!(error(&two(), &three), at("f(C)", VariantUnknown { number: 2 }));
    assert_eq!(open.can_read(&three), Ok(()));
    assert_eq!(error(&two(), &open), at("f", OtherRemoved));
    assert_eq!(error(&swapped, &two()), at("f(A)", VariantNumber { older: 0, newer: 1 }));
    assert!(two().can_read(&of(FieldType::U8, 1)).is_err());
}

#[test]
fn data_of_variants_is_behind_a_pointer() {
    fn with(names: fn() -> &'static Layout) -> VariantLayout {
        VariantLayout { name: "A", number: 0, fields: Some(names) }
    }
    let short = of(FieldType::Enum(|| leaked(enumeration(vec![with(|| leaked(record(u32s(&["x"]))))], None))), 8);
    let long = of(FieldType::Enum(|| leaked(enumeration(vec![with(|| leaked(record(u32s(&["x", "y"]))))], None))), 8);
    assert_eq!(short.can_read(&long), Ok(()));
    assert_eq!(error(&long, &short), at("f(A).y", Added));
}

#[test]
fn records_that_contain_themselves_end() {
    static ELEMENT: FieldType = FieldType::Record(tree);
    fn tree() -> &'static Layout {
        static TREE: std::sync::OnceLock<Layout> = std::sync::OnceLock::new();
        TREE.get_or_init(|| {
            record(vec![field("kids", FieldType::List(&ELEMENT), 0, 8), field("v", FieldType::U8, 8, 1)])
        })
    }
    assert_eq!(tree().can_read(tree()), Ok(()));
}

#[derive(Zap)]
#[zap(dialect = "zip")]
struct Zip {
    a: u32,
}

#[test]
fn dialects_do_not_mix() {
    let zip = Zip { a: 1 };
    assert_eq!(zip.a, 1);
    let reason = Dialect { older: DialectKind::Zip, newer: DialectKind::Native };
    assert_eq!(error(&record(u32s(&["a"])), Zip::LAYOUT), at("", reason));
    let mut two = *Zip::LAYOUT;
    two.version = 2;
    assert_eq!(two.can_read(Zip::LAYOUT), Ok(()), "readers take both versions");
}
