//! A value on its way from JSON text to a message, and how it is written: through the same sinks as derived records, so
//! that it is counted and written by one piece of code and comes out as the same bytes.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use crate::dynamic::{Absence, absence, pointed, shape};
use crate::region::{MessageWriter, Portable};
use crate::sink::{Counter, Root, RootPlace, Run, Sink, write_message};
use crate::{DialectKind, EncodeError, FieldType, Layout};

/// A value of a type that is known beside it.
#[derive(Debug)]
pub(super) enum Item<'t> {
    /// Up to twenty bytes in the slot.
    Fixed([u8; 20], u8),
    /// Bytes in the slot: an array of `u8`.
    Inline(Vec<u8>),
    /// Text or bytes behind the slot.
    Tail(Cow<'t, [u8]>),
    /// The elements of a list, set or array; the fields of a record or tuple.
    Items(Vec<Item<'t>>),
    /// The entries of a map, each a record of two fields.
    Entries(Vec<Item<'t>>),
    /// An optional.
    Option(Option<Box<Item<'t>>>),
    /// A value behind a pointer.
    Pointer(Box<Item<'t>>),
    /// A variant of an enum with data.
    Variant(u32, Option<VariantItem<'t>>),
    /// The last fields of a growable record, which are left out.
    Absent,
}

/// The fields of a variant.
pub(super) type VariantItem<'t> = (&'static Layout, Vec<Item<'t>>);

impl Item<'_> {
    pub(super) fn fixed(bytes: &[u8]) -> Self {
        let mut fixed = [0; 20];
        for (to, from) in fixed.iter_mut().zip(bytes) {
            *to = *from;
        }
        Self::Fixed(fixed, bytes.len() as u8)
    }
}

/// A record on its way into a message of its own.
pub(super) struct ItemRecord<'i> {
    layout: &'static Layout,
    fields: &'i [Item<'i>],
}

/// The message of a record's fields.
pub(super) fn encode(fields: &[Item<'_>], layout: &'static Layout) -> Result<Vec<u8>, EncodeError> {
    let record = ItemRecord { layout, fields };
    let plan = Counter::plan(&record)?;
    let mut message = vec![0_u8; plan.len() as usize];
    let Some(mut writer) = MessageWriter::<_, Portable>::new(&mut message, plan.structure as usize) else {
        return Err(EncodeError::Inconsistent);
    };
    write_message(&record, &mut writer, 0);
    if writer.is_complete() { Ok(message) } else { Err(EncodeError::Inconsistent) }
}

impl Root for ItemRecord<'_> {
    fn version(&self) -> u16 {
        self.layout.version
    }
    fn root_size(&self) -> usize {
        match self.layout.growable {
            true => Extent::of(self.layout, self.fields).size.next_multiple_of(8),
            false => self.layout.root_size(),
        }
    }
    fn root_place(&self) -> RootPlace {
        match self.layout.dialect {
            DialectKind::Zip => RootPlace::Last,
            DialectKind::Native | DialectKind::Zapgen => RootPlace::First,
        }
    }
    fn put_root<S: Sink>(&self, sink: &mut S, section: &mut S::Section) {
        put_fields(self.layout, self.fields, sink, section, 0);
    }
}

/// The part of a growable record that is written.
struct Extent {
    end: u32,
    size: usize,
    align: usize,
}

impl Extent {
    fn of(layout: &Layout, fields: &[Item<'_>]) -> Self {
        let written = fields.iter().take_while(|item| !matches!(item, Item::Absent)).count();
        let written = layout.fields.get(..written).unwrap_or_default();
        let end = written.last().map_or(4, |field| field.end());
        let align = written.iter().map(|field| field.align).fold(4, u32::max);
        Self { end, size: (end as usize).next_multiple_of(align as usize), align: align as usize }
    }
}

fn put_fields<S: Sink>(layout: &Layout, fields: &[Item<'_>], sink: &mut S, section: &mut S::Section, offset: usize) {
    if layout.growable {
        S::store(section, offset, Extent::of(layout, fields).end.to_le_bytes());
    }
    for (field, item) in layout.fields.iter().zip(fields) {
        let offset = offset.saturating_add(field.offset as usize);
        put(&field.field_type, layout.dialect, item, sink, section, offset);
    }
}

/// Counts or writes a value: its slot at `offset` of the section, and everything behind it.
fn put<S: Sink>(
    field_type: &'static FieldType,
    dialect: DialectKind,
    item: &Item<'_>,
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    match (item, field_type) {
        (Item::Fixed(bytes, len), _) => {
            S::store_slice(section, offset, bytes.get(..usize::from(*len)).unwrap_or_default());
        }
        (Item::Inline(bytes), _) => S::store_slice(section, offset, bytes),
        (Item::Tail(bytes), _) => sink.tail(section, offset, bytes),
        (Item::Items(items), FieldType::Array { element, .. }) => {
            let stride = shape(element, dialect).width;
            for (index, item) in items.iter().enumerate() {
                let offset = offset.saturating_add(index.saturating_mul(stride));
                put(element, dialect, item, sink, section, offset);
            }
        }
        (Item::Items(fields), FieldType::Record(layout) | FieldType::Tuple(layout)) => {
            put_record(layout(), fields, sink, section, offset);
        }
        (Item::Items(items), FieldType::List(element) | FieldType::Set(element)) => match dialect {
            DialectKind::Native => put_list(element, items, sink, section, offset),
            DialectKind::Zapgen | DialectKind::Zip => put_stream(element, items, sink, section, offset),
        },
        (Item::Entries(entries), FieldType::Map(entry)) => put_map(entry(), entries, sink, section, offset),
        (Item::Option(Some(item)), FieldType::Option(value)) => {
            put_some(value, dialect, item, sink, section, offset);
        }
        (Item::Pointer(item), FieldType::Pointer(value)) => put_pointed(value, dialect, item, sink, section, offset),
        (Item::Variant(number, fields), _) => {
            S::store(section, offset, number.to_le_bytes());
            if let Some((layout, fields)) = fields
                && sink.descend()
            {
                let (size, align) = (layout.size as usize, layout.align as usize);
                let mut section = sink.pointed(section, offset.saturating_add(4), size, align);
                put_fields(layout, fields, sink, &mut section, 0);
                sink.ascend();
            }
        }
        // Absent: the slot stays zero.
        _ => {}
    }
}

fn put_record<S: Sink>(
    layout: &'static Layout,
    fields: &[Item<'_>],
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    match layout.dialect {
        DialectKind::Native if layout.growable => {
            if sink.descend() {
                let extent = Extent::of(layout, fields);
                let mut section = sink.pointed(section, offset, extent.size, extent.align);
                put_fields(layout, fields, sink, &mut section, 0);
                sink.ascend();
            }
        }
        DialectKind::Native => put_fields(layout, fields, sink, section, offset),
        DialectKind::Zapgen => sink.embed(section, offset, &ItemRecord { layout, fields }),
        DialectKind::Zip => sink.tail_message(section, offset, &ItemRecord { layout, fields }),
    }
}

/// Writes equally wide elements behind a list's or map's slot: `put` writes each into its part of the run.
fn put_run<S: Sink>(
    run: Run,
    items: &[Item<'_>],
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
    put: impl Fn(&Item<'_>, &mut S, &mut S::Section),
) {
    if items.is_empty() || !sink.descend() {
        return;
    }
    let stride = run.stride;
    let mut body = sink.run(section, offset, run);
    for item in items {
        let mut part = S::split(&mut body, stride);
        put(item, sink, &mut part);
    }
    sink.ascend();
}

fn put_list<S: Sink>(
    element: &'static FieldType,
    items: &[Item<'_>],
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    let shape = shape(element, DialectKind::Native);
    let run = Run { count: items.len(), stride: shape.width, align: shape.align };
    put_run(run, items, sink, section, offset, |item, sink, part| {
        put(element, DialectKind::Native, item, sink, part, 0);
    });
}

fn put_map<S: Sink>(
    entry: &'static Layout,
    entries: &[Item<'_>],
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    let run = Run { count: entries.len(), stride: entry.size as usize, align: entry.align as usize };
    put_run(run, entries, sink, section, offset, |item, sink, part| {
        if let Item::Items(fields) = item {
            put_fields(entry, fields, sink, part, 0);
        }
    });
}

fn put_stream<S: Sink>(
    element: &'static FieldType,
    items: &[Item<'_>],
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    sink.stream(section, offset, items.len());
    if items.is_empty() || !sink.descend() {
        return;
    }
    for item in items {
        put_element(element, item, sink);
    }
    sink.ascend();
}

fn put_element<S: Sink>(element: &'static FieldType, item: &Item<'_>, sink: &mut S) {
    match (item, element) {
        (Item::Fixed(bytes, len), _) => sink.element(bytes.get(..usize::from(*len)).unwrap_or_default()),
        (Item::Tail(bytes), _) => sink.element(bytes),
        (Item::Items(fields), FieldType::Record(layout)) => {
            sink.element_message(&ItemRecord { layout: layout(), fields });
        }
        (Item::Option(Some(item)), FieldType::Option(value)) => put_element(value, item, sink),
        _ => sink.element(&[]),
    }
}

/// A value that an optional holds.
fn put_some<S: Sink>(
    value: &'static FieldType,
    dialect: DialectKind,
    item: &Item<'_>,
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    match absence(value) {
        _ if dialect != DialectKind::Native => put(value, dialect, item, sink, section, offset),
        Absence::NullSlot if is_empty(item) => S::store(section, offset, PRESENT_AND_EMPTY.to_le_bytes()),
        Absence::NullSlot => put(value, dialect, item, sink, section, offset),
        Absence::NullPointer => match (item, value) {
            // An optional pointer is one pointer, not two.
            (Item::Pointer(item), FieldType::Pointer(value)) => {
                put_pointed(value, dialect, item, sink, section, offset);
            }
            _ => put_pointed(value, dialect, item, sink, section, offset),
        },
        Absence::PresenceByte => {
            S::store(section, offset, [1]);
            let offset = offset.saturating_add(shape(value, dialect).align);
            put(value, dialect, item, sink, section, offset);
        }
    }
}

/// A slot of nothing that points at its own length word: not null (NATIVE "Sections").
const PRESENT_AND_EMPTY: u64 = 4;

fn is_empty(item: &Item<'_>) -> bool {
    match item {
        Item::Tail(bytes) => bytes.is_empty(),
        Item::Items(items) | Item::Entries(items) => items.is_empty(),
        _ => false,
    }
}

/// A value in a section of its own behind the pointer at `offset`.
fn put_pointed<S: Sink>(
    value: &'static FieldType,
    dialect: DialectKind,
    item: &Item<'_>,
    sink: &mut S,
    section: &mut S::Section,
    offset: usize,
) {
    if let (Item::Items(fields), FieldType::Record(layout)) = (item, value)
        && layout().growable
    {
        // It is behind a pointer already.
        return put_record(layout(), fields, sink, section, offset);
    }
    if sink.descend() {
        let shape = pointed(value, dialect);
        let mut section = sink.pointed(section, offset, shape.width, shape.align);
        put(value, dialect, item, sink, &mut section, 0);
        sink.ascend();
    }
}
