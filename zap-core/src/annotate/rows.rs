//! The rows of an annotated message: gathered with a list of slots still to visit instead of recursion, so that neither
//! depth nor overlapping pointers make it expensive.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write};

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::dynamic::{DynamicList, DynamicRecord, DynamicSlot, Value};
use crate::json::{IntegerText, JsonOptions, spell};
use crate::walk::Walk;
use crate::{DecodeError, FieldType, Limits};

/// Rows gathered, and slots visited.
const MAX_ROWS: usize = 4096;
/// Characters of a value.
const MAX_VALUE: usize = 64;
/// Characters of a path. Deeper ones are cut at the front.
const MAX_PATH: usize = 96;
/// Bytes of a list of numbers that share a row.
const ROW_OF_NUMBERS: usize = 32;

/// Some bytes and what they are.
pub(super) struct Row<'m> {
    pub(super) start: usize,
    pub(super) bytes: &'m [u8],
    pub(super) field: String,
    pub(super) value: String,
}

impl<'m> Row<'m> {
    pub(super) fn new(start: usize, bytes: &'m [u8], field: &str, value: &dyn fmt::Display) -> Self {
        Self { start, bytes, field: field.into(), value: cut(|out| write!(out, "{value}")) }
    }

    /// A row without bytes.
    pub(super) fn note(start: usize, field: &str, value: &dyn fmt::Display) -> Self {
        Self { start, bytes: &[], field: field.into(), value: format!("{value}") }
    }

    pub(super) const fn end(&self) -> usize {
        self.start.saturating_add(self.bytes.len())
    }
}

/// The rows so far.
pub(super) struct Rows<'m> {
    pub(super) bytes: &'m [u8],
    pub(super) rows: Vec<Row<'m>>,
    /// Whether there are more than are shown.
    pub(super) is_cut: bool,
    walk: Walk<'m, true>,
    /// Slots to be visited, and what they are called.
    pending: Vec<(String, DynamicSlot<'m>)>,
}

impl<'m> Rows<'m> {
    pub(super) fn new(bytes: &'m [u8]) -> Self {
        let walk = Walk::new(&Limits::new(), bytes.len(), None);
        Self { bytes, rows: Vec::new(), is_cut: false, walk, pending: Vec::new() }
    }

    pub(super) fn slice(&self, start: usize, len: usize) -> &'m [u8] {
        self.bytes.get(start..).and_then(|rest| rest.get(..len)).unwrap_or_default()
    }

    pub(super) fn push(&mut self, row: Row<'m>) {
        if self.rows.len() < MAX_ROWS { self.rows.push(row) } else { self.is_cut = true }
    }

    /// Everything that the root record holds.
    pub(super) fn record(&mut self, root: DynamicRecord<'m>) {
        self.fields("", root);
        let mut visited = 0_usize;
        while let Some((path, slot)) = self.pending.pop() {
            visited = visited.saturating_add(1);
            if visited > MAX_ROWS || self.rows.len() >= MAX_ROWS {
                self.is_cut = true;
                return;
            }
            self.slot(&path, slot);
        }
    }

    fn fields(&mut self, path: &str, record: DynamicRecord<'m>) {
        if record.layout().growable {
            let (start, section) = (record.section().position() as usize, record.section().bytes());
            let length = section.get(..4).unwrap_or_default();
            let value = format!("{} bytes of fields", section.len());
            self.push(Row::new(start, length, &join(path, "(length)"), &value));
        }
        for (field, slot) in record.fields().filter(|(_, slot)| !slot.is_absent()) {
            self.visit(join(path, field.name), slot);
        }
    }

    fn visit(&mut self, path: String, slot: DynamicSlot<'m>) {
        if self.pending.len() < MAX_ROWS { self.pending.push((path, slot)) } else { self.is_cut = true }
    }

    /// A row for a slot itself, its value told by `tell`.
    fn row(&mut self, path: &str, slot: &DynamicSlot<'m>, tell: impl FnOnce(&mut Cut) -> fmt::Result) {
        let field = typed(path, slot);
        let (start, bytes, value) = (slot.position(), slot.bytes(), cut(tell));
        self.push(Row { start, bytes, field, value });
    }

    fn slot(&mut self, path: &str, slot: DynamicSlot<'m>) {
        if slot.is_element() {
            let start = slot.position().saturating_sub(4);
            let len = slot.bytes().len();
            self.push(Row::new(start, self.slice(start, 4), &join(path, "(length)"), &format_args!("{len} bytes")));
        }
        if let FieldType::Pointer(_) = slot.field_type() {
            match slot.pointee(&mut self.walk) {
                Ok(Some(value)) => self.pointer(path, &slot, value),
                Ok(None) => self.error(path, &slot, "a required pointer is null"),
                Err(error) => self.error(path, &slot, error.kind()),
            }
            return;
        }
        match slot.read_within(&mut self.walk) {
            Ok(value) => self.value(path, &slot, value),
            Err(error) => self.error(path, &slot, error.kind()),
        }
    }

    fn error(&mut self, path: &str, slot: &DynamicSlot<'m>, error: impl fmt::Display) {
        self.row(path, slot, |out| write!(out, "error: {error}"));
    }

    fn pointer(&mut self, path: &str, slot: &DynamicSlot<'m>, value: DynamicSlot<'m>) {
        // A record behind a pointer of its own has one pointer, which it shows itself.
        if value.position() != slot.position() {
            self.row(path, slot, |out| write!(out, "at {}", value.position()));
        }
        self.visit(path.into(), value);
    }

    fn value(&mut self, path: &str, slot: &DynamicSlot<'m>, value: Value<'m>) {
        match value {
            Value::Text(text) if !slot.is_element() => self.tail(path, slot, text.as_bytes(), &value),
            Value::Bytes(bytes) if slot.is_tail() => self.tail(path, slot, bytes, &value),
            Value::List(list) => self.list(path, slot, list),
            Value::Map(map) => {
                let position = map.body().position();
                self.row(path, slot, |out| counted(out, map.len(), "entries", position));
                for (index, entry) in map.iter().enumerate().take(MAX_ROWS) {
                    match entry {
                        Ok((key, value)) => {
                            self.visit(format!("{path}[{index}].key"), key);
                            self.visit(format!("{path}[{index}].value"), value);
                        }
                        Err(error) => self.lost(path, &error),
                    }
                }
            }
            Value::Record(record) | Value::Tuple(record) => {
                if slot.is_pointer() {
                    self.row(path, slot, |out| write!(out, "at {}", record.section().position()));
                }
                self.fields(path, record);
            }
            Value::Option(None) => self.row(path, slot, |out| out.write_str("none")),
            Value::Option(Some(value)) if value.position() == slot.position() => self.visit(path.into(), value),
            Value::Option(Some(value)) => {
                let is_presence = value.section_position() == slot.section_position();
                if is_presence {
                    let field = typed(path, slot);
                    self.push(Row::new(slot.position(), self.slice(slot.position(), 1), &field, &"present"));
                    self.visit(path.into(), value);
                } else {
                    self.pointer(path, slot, value);
                }
            }
            Value::Enum(value) => {
                let name = value.variant().map_or("unknown", |variant| variant.name);
                let at = value.fields().map(|fields| fields.section().position());
                self.row(path, slot, |out| {
                    write!(out, "{name} ({})", value.number())?;
                    at.map_or(Ok(()), |at| write!(out, " at {at}"))
                });
                if let Some(fields) = value.fields() {
                    self.fields(&join(path, name), fields);
                }
            }
            Value::Absent => {}
            value => self.row(path, slot, |out| tell(out, &value)),
        }
    }

    /// Text or bytes: the slot, and where it leads.
    fn tail(&mut self, path: &str, slot: &DynamicSlot<'m>, part: &'m [u8], value: &Value<'m>) {
        let Some(start) = position_in(self.bytes, part) else {
            return self.row(path, slot, |out| out.write_str("empty"));
        };
        self.row(path, slot, |out| counted(out, part.len(), "bytes", start));
        self.push(Row { start, bytes: part, field: path.into(), value: cut(|out| tell(out, value)) });
    }

    fn list(&mut self, path: &str, slot: &DynamicSlot<'m>, list: DynamicList<'m>) {
        let position = list.position();
        if list.is_empty() {
            return self.row(path, slot, |out| out.write_str("empty"));
        }
        if !list.is_array() {
            self.row(path, slot, |out| counted(out, list.len(), "elements", position));
        }
        match list.scalar_stride() {
            Some(stride) => self.numbers(path, list, stride),
            None => {
                for (index, element) in list.iter().enumerate().take(MAX_ROWS) {
                    match element {
                        Ok(element) => self.visit(format!("{path}[{index}]"), element),
                        Err(error) => self.lost(path, &error),
                    }
                }
            }
        }
    }

    /// Numbers side by side, several to a row.
    fn numbers(&mut self, path: &str, list: DynamicList<'m>, stride: usize) {
        let step = ROW_OF_NUMBERS.checked_div(stride).unwrap_or(1).max(1);
        let mut elements = list.iter().map_while(Result::ok);
        let mut index = 0_usize;
        while index < list.len() && !self.is_cut {
            let end = index.saturating_add(step).min(list.len());
            let start = list.position().saturating_add(index.saturating_mul(stride));
            let bytes = self.slice(start, end.saturating_sub(index).saturating_mul(stride));
            let value = cut(|out| {
                for (nth, element) in elements.by_ref().take(end.saturating_sub(index)).enumerate() {
                    out.write_str(if nth > 0 { ", " } else { "" })?;
                    match element.read() {
                        Ok(value) => tell(out, &value)?,
                        Err(error) => write!(out, "error: {}", error.kind())?,
                    }
                }
                Ok(())
            });
            self.push(Row { start, bytes, field: format!("{path}[{index}..{end}]"), value });
            index = end;
        }
    }

    /// Elements that cannot be reached.
    fn lost(&mut self, path: &str, error: &DecodeError) {
        self.push(Row::note(error.offset() as usize, path, &format_args!("error: {}", error.kind())));
    }
}

fn counted(out: &mut Cut, count: usize, what: &str, position: impl fmt::Display) -> fmt::Result {
    let what = if count == 1 {
        match what {
            "entries" => "entry",
            "bytes" => "byte",
            _ => "element",
        }
    } else {
        what
    };
    if count == 0 { out.write_str("empty") } else { write!(out, "{count} {what} at {position}") }
}

/// A value as JSON spells it, large integers as numbers.
fn tell(out: &mut Cut, value: &Value<'_>) -> fmt::Result {
    spell::single(out, value, &JsonOptions::new().integers(IntegerText::Numbers))
}

/// Where a part of the bytes starts; `None` if it is empty.
fn position_in(whole: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() { None } else { part.as_ptr().addr().checked_sub(whole.as_ptr().addr()) }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        return name.into();
    }
    let start = path.floor_char_boundary(path.len().saturating_sub(MAX_PATH));
    let mark = if start > 0 { "…" } else { "" };
    format!("{mark}{}.{name}", path.get(start..).unwrap_or_default())
}

/// Text of at most [`MAX_VALUE`] characters.
pub(super) struct Cut {
    text: String,
    left: usize,
}

/// The field and its type; an enum that is the root of a message has no name but its type's.
fn typed(path: &str, slot: &DynamicSlot<'_>) -> String {
    let separator = if path.is_empty() { "" } else { ": " };
    format!("{path}{separator}{}", slot.field_type())
}

fn cut(tell: impl FnOnce(&mut Cut) -> fmt::Result) -> String {
    let mut out = Cut { text: String::new(), left: MAX_VALUE };
    // Its only error says that the rest is not wanted.
    if tell(&mut out).is_err() {
        out.text.push('…');
    }
    out.text
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for char in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(char);
        }
        Ok(())
    }
}
