//! A message as JSON text, written as it is read: no tree, and a stack of its own instead of the thread's, so that the
//! depth of a message costs the thread nothing.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write};

use alloc::vec::Vec;

use super::{JsonOptions, WriteError, is_key, spell};
use crate::DecodeError;
use crate::dynamic::{
    DynamicEnum, DynamicFields, DynamicListIter, DynamicMapIter, DynamicRecord, DynamicSlot, Value, is_newtype,
    is_tuple,
};
use crate::walk::Walk;

/// What is written first, and the bytes of the message that it is in.
#[doc(hidden)]
#[derive(Debug)]
pub enum Root<'m> {
    Value(Value<'m>, usize),
    Slot(DynamicSlot<'m>, usize),
}

impl<'m> Root<'m> {
    pub(super) fn of_record(record: DynamicRecord<'m>) -> Self {
        Self::Value(Value::Record(record), record.section().message().len())
    }

    pub(crate) fn of_enum(value: DynamicEnum<'m>) -> Self {
        Self::Value(Value::Enum(value), value.message_len())
    }
}

/// Writes a value and everything behind it.
pub(super) fn write<'m>(out: &mut impl Write, root: Root<'m>, options: &JsonOptions) -> Result<(), WriteError> {
    let (Root::Value(_, message_len) | Root::Slot(_, message_len)) = root;
    let walk = Walk::new(&options.limits, message_len, None);
    let mut writer = Writer { out, options, walk, stack: Vec::new() };
    match root {
        Root::Value(value, _) => writer.value(value)?,
        Root::Slot(slot, _) => writer.slot(slot)?,
    }
    while let Some(level) = writer.stack.last_mut() {
        match level.source.next(&mut writer.walk) {
            Some(item) => {
                let (item, is_first) = (item?, level.is_empty);
                level.is_empty = false;
                writer.item(item, is_first)?;
            }
            None => writer.close()?,
        }
    }
    Ok(())
}

struct Writer<'a, 'm, W> {
    out: &'a mut W,
    options: &'a JsonOptions,
    walk: Walk<'m, true>,
    /// The arrays and objects that are open.
    stack: Vec<Level<'m>>,
}

/// An open array or object.
struct Level<'m> {
    source: Source<'m>,
    is_empty: bool,
    end: char,
}

/// Where its items come from.
enum Source<'m> {
    /// Fields by name.
    Fields(DynamicFields<'m>),
    /// Fields by position.
    Positions(DynamicFields<'m>),
    Elements(DynamicListIter<'m>),
    /// Entries of a map whose keys are text.
    Entries(DynamicMapIter<'m>),
    /// Entries of another map.
    Pairs(DynamicMapIter<'m>),
    /// Key and value of one of them.
    Pair([Option<DynamicSlot<'m>>; 2]),
    /// The fields of a variant under its name.
    Variant(&'static str, Option<DynamicRecord<'m>>),
}

enum Item<'m> {
    Named(&'static str, DynamicSlot<'m>),
    Keyed(DynamicSlot<'m>, DynamicSlot<'m>),
    Element(DynamicSlot<'m>),
    Pair(DynamicSlot<'m>, DynamicSlot<'m>),
    Variant(&'static str, DynamicRecord<'m>),
}

impl<'m> Source<'m> {
    fn next(&mut self, walk: &mut Walk<'m, true>) -> Option<Result<Item<'m>, DecodeError>> {
        match self {
            Self::Fields(fields) => {
                // A field that the writer of the message did not know is left out.
                let (field, slot) = fields.find(|(_, slot)| !slot.is_absent())?;
                Some(Ok(Item::Named(field.name, slot)))
            }
            Self::Positions(fields) => Some(Ok(Item::Element(fields.next()?.1))),
            Self::Elements(elements) => Some(elements.next_within(walk)?.map(Item::Element)),
            Self::Entries(entries) => Some(entries.next()?.map(|(key, value)| Item::Keyed(key, value))),
            Self::Pairs(entries) => Some(entries.next()?.map(|(key, value)| Item::Pair(key, value))),
            Self::Pair([first, second]) => first.take().or_else(|| second.take()).map(Item::Element).map(Ok),
            Self::Variant(name, fields) => Some(Ok(Item::Variant(name, fields.take()?))),
        }
    }
}

impl<'m, W: Write> Writer<'_, 'm, W> {
    fn item(&mut self, item: Item<'m>, is_first: bool) -> Result<(), WriteError> {
        if !is_first {
            self.out.write_char(',')?;
        }
        self.new_line(self.stack.len())?;
        match item {
            Item::Named(name, slot) => {
                spell::text(self.out, name)?;
                self.colon()?;
                self.slot(slot)
            }
            Item::Keyed(key, value) => {
                let key = through_newtypes(key, &mut self.walk)?;
                spell::key(self.out, &key, self.options)?;
                self.colon()?;
                self.slot(value)
            }
            Item::Element(slot) => self.slot(slot),
            Item::Pair(key, value) => self.open('[', ']', Source::Pair([Some(key), Some(value)])),
            Item::Variant(name, fields) => {
                spell::text(self.out, name)?;
                self.colon()?;
                match fields.slot(0).filter(|_| is_newtype(fields.layout())) {
                    Some(slot) => self.slot(slot),
                    None => self.value(Value::Record(fields)),
                }
            }
        }
    }

    fn slot(&mut self, slot: DynamicSlot<'m>) -> Result<(), WriteError> {
        let mut slot = slot;
        let mut options = 0_usize;
        loop {
            match slot.read_within(&mut self.walk)? {
                Value::Option(Some(value)) => {
                    options = options.saturating_add(1);
                    slot = value;
                }
                Value::Option(None) => return self.null_inside(options),
                Value::Record(record) if is_newtype(record.layout()) => match record.slot(0) {
                    Some(field) => slot = field,
                    None => return self.null_inside(0),
                },
                value => return self.value(value),
            }
        }
    }

    /// Nothing inside of so many optionals that are there.
    fn null_inside(&mut self, options: usize) -> Result<(), WriteError> {
        for _ in 0..options {
            self.out.write_str("{\"Some\":")?;
        }
        self.out.write_str("null")?;
        for _ in 0..options {
            self.out.write_char('}')?;
        }
        Ok(())
    }

    fn value(&mut self, value: Value<'m>) -> Result<(), WriteError> {
        match value {
            Value::Record(record) if is_newtype(record.layout()) => match record.slot(0) {
                Some(field) => self.slot(field),
                None => Ok(()),
            },
            Value::Record(record) if !is_tuple(record.layout()) => self.open('{', '}', Source::Fields(record.fields())),
            Value::Record(record) | Value::Tuple(record) => self.open('[', ']', Source::Positions(record.fields())),
            Value::List(list) => self.open('[', ']', Source::Elements(list.iter())),
            Value::Map(map) if is_key(map.entry_layout()) => self.open('{', '}', Source::Entries(map.iter())),
            Value::Map(map) => self.open('[', ']', Source::Pairs(map.iter())),
            Value::Enum(value) => self.variant(value),
            value => Ok(spell::single(self.out, &value, self.options)?),
        }
    }

    fn variant(&mut self, value: DynamicEnum<'m>) -> Result<(), WriteError> {
        match (value.variant(), value.fields()) {
            (Some(variant), Some(fields)) => self.open('{', '}', Source::Variant(variant.name, Some(fields))),
            (Some(variant), None) => Ok(spell::text(self.out, variant.name)?),
            (None, _) => Ok(write!(self.out, "{}", value.number())?),
        }
    }

    fn open(&mut self, start: char, end: char, source: Source<'m>) -> Result<(), WriteError> {
        self.stack.push(Level { source, is_empty: true, end });
        Ok(self.out.write_char(start)?)
    }

    fn close(&mut self) -> Result<(), WriteError> {
        if let Some(level) = self.stack.pop() {
            if !level.is_empty {
                self.new_line(self.stack.len())?;
            }
            self.out.write_char(level.end)?;
        }
        Ok(())
    }

    fn colon(&mut self) -> fmt::Result {
        self.out.write_str(if self.options.pretty { ": " } else { ":" })
    }

    fn new_line(&mut self, levels: usize) -> fmt::Result {
        if self.options.pretty {
            self.out.write_char('\n')?;
            (0..levels).try_for_each(|_| self.out.write_str("  "))?;
        }
        Ok(())
    }
}

/// The value inside of records that only wrap it.
fn through_newtypes<'m>(slot: DynamicSlot<'m>, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
    let mut slot = slot;
    loop {
        match slot.read_within(walk)? {
            Value::Record(record) => match record.slot(0) {
                Some(field) => slot = field,
                None => return Ok(Value::Nothing),
            },
            value => return Ok(value),
        }
    }
}
