//! `Display` of views: a line for people, or with `{:#}` one line a field.
//!
//! The text is driven by the layout and bounded whatever the bytes are: at most 64 KiB in all, 1 KiB of a text, 32 bytes
//! of bytes, 16 elements of a list, 8 levels of values inside values. What is cut ends with "…". Text is escaped as
//! `Debug` does it, and what cannot be read shows its error in angle brackets.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Write};

use crate::capped::Writer;
use crate::compare::walk_over;
use crate::dynamic::{DynamicEnum, DynamicRecord, DynamicSlot, Value};
use crate::section::Section;
use crate::walk::Walk;
use crate::{DecodeError, Layout, Zap};

/// Bytes printed of a view.
const MAX_OUTPUT: usize = 64 << 10;
/// Bytes printed of a text, before they are escaped.
const MAX_TEXT: usize = 1024;
/// Bytes printed of bytes, two digits each.
const MAX_BYTES: usize = 32;
/// Elements printed of a list, and entries of a map.
const MAX_ELEMENTS: usize = 16;
/// Values inside values.
const MAX_LEVELS: usize = 8;

/// Prints the section of a view of `R`.
#[doc(hidden)]
pub fn display<R: Zap>(section: Section<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    print(section, R::LAYOUT, f)
}

/// Prints the variant that an enum's view shows.
pub(crate) fn display_variant(value: DynamicEnum<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    print_with(f, value.message_len(), |printer| printer.variant(value))
}

/// Prints the value of a slot.
pub(crate) fn display_slot(slot: DynamicSlot<'_>, message_len: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    print_with(f, message_len, |printer| printer.slot(slot))
}

fn print(section: Section<'_>, layout: &'static Layout, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let record = DynamicRecord::new(section, layout);
    // The only field of an enum that is the root of a message has no name: the enum stands alone.
    let alone = record.slot(0).filter(|_| matches!(layout.fields, [field] if field.name.is_empty()));
    print_with(f, section.message().len(), |printer| match alone {
        Some(slot) => printer.slot(slot),
        None => printer.record(record, layout.name),
    })
}

/// Prints something of a message of this length.
fn print_with(
    f: &mut fmt::Formatter<'_>,
    message_len: usize,
    print: impl FnOnce(&mut Printer<'_, '_>) -> fmt::Result,
) -> fmt::Result {
    let (is_pretty, walk) = (f.alternate(), walk_over(message_len));
    let mut printer = Printer { out: Writer::new(f, MAX_OUTPUT), walk, is_pretty, level: 0, indent: 0 };
    let written = print(&mut printer);
    printer.out.end(written)
}

struct Printer<'a, 'f> {
    out: Writer<'a, 'f>,
    walk: Walk<'static, true>,
    is_pretty: bool,
    /// Groups that are open, and those of them that have a line for each field.
    level: usize,
    indent: usize,
}

impl Printer<'_, '_> {
    fn record(&mut self, record: DynamicRecord<'_>, name: &str) -> fmt::Result {
        self.out.write_str(name)?;
        if record.layout().fields.is_empty() {
            return Ok(());
        }
        if !name.is_empty() {
            self.out.write_char(' ')?;
        }
        self.group(['{', '}'], true, |printer| {
            for (index, (field, slot)) in record.fields().enumerate() {
                printer.separate(index, true)?;
                write!(printer.out, "{}: ", field.name)?;
                printer.slot(slot)?;
            }
            Ok(())
        })
    }

    fn tuple(&mut self, record: DynamicRecord<'_>) -> fmt::Result {
        self.group(['(', ')'], false, |printer| {
            for (index, (_, slot)) in record.fields().enumerate() {
                printer.separate(index, false)?;
                printer.slot(slot)?;
            }
            Ok(())
        })
    }

    fn variant(&mut self, value: DynamicEnum<'_>) -> fmt::Result {
        match value.variant() {
            None => {
                let (name, number) = (value.layout().other.unwrap_or_default(), value.number());
                write!(self.out, "{name}({number})")
            }
            Some(variant) => match value.fields() {
                None => self.out.write_str(variant.name),
                Some(fields) if crate::dynamic::is_tuple(fields.layout()) => {
                    self.out.write_str(variant.name)?;
                    self.tuple(fields)
                }
                Some(fields) => self.record(fields, variant.name),
            },
        }
    }

    /// Elements or entries, each printed by `element`, in brackets.
    fn elements<I>(
        &mut self,
        brackets: [char; 2],
        elements: impl Iterator<Item = Result<I, DecodeError>>,
        mut element: impl FnMut(&mut Self, I) -> fmt::Result,
    ) -> fmt::Result {
        self.group(brackets, false, |printer| {
            for (index, item) in elements.enumerate() {
                printer.separate(index, false)?;
                if index >= MAX_ELEMENTS {
                    return printer.out.write_char('…');
                }
                match item {
                    Ok(item) => element(printer, item)?,
                    Err(error) => printer.error(error)?,
                }
            }
            Ok(())
        })
    }

    fn slot(&mut self, slot: DynamicSlot<'_>) -> fmt::Result {
        match slot.read_within(&mut self.walk) {
            Ok(value) => self.value(value),
            Err(error) => self.error(error),
        }
    }

    fn value(&mut self, value: Value<'_>) -> fmt::Result {
        match value {
            Value::List(list) => self.elements(['[', ']'], list.iter(), Self::slot),
            Value::Map(map) => self.elements(['{', '}'], map.iter(), |printer, (key, value)| {
                printer.slot(key)?;
                printer.out.write_str(": ")?;
                printer.slot(value)
            }),
            Value::Record(record) => self.record(record, record.layout().name),
            Value::Tuple(record) => self.tuple(record),
            Value::Enum(value) => self.variant(value),
            Value::Option(Some(slot)) => self.slot(slot),
            value => self.leaf(value),
        }
    }

    /// A value that holds no others.
    fn leaf(&mut self, value: Value<'_>) -> fmt::Result {
        let out = &mut self.out;
        match value {
            Value::Bool(value) => write!(out, "{value}"),
            Value::U8(value) => write!(out, "{value}"),
            Value::U16(value) => write!(out, "{value}"),
            Value::U32(value) => write!(out, "{value}"),
            Value::U64(value) => write!(out, "{value}"),
            Value::U128(value) => write!(out, "{value}"),
            Value::I8(value) => write!(out, "{value}"),
            Value::I16(value) => write!(out, "{value}"),
            Value::I32(value) => write!(out, "{value}"),
            Value::I64(value) => write!(out, "{value}"),
            Value::I128(value) => write!(out, "{value}"),
            Value::F32(value) => write!(out, "{value:?}"),
            Value::F64(value) => write!(out, "{value:?}"),
            Value::Char(value) => write!(out, "{value:?}"),
            Value::Text(text) => text_cut(out, text),
            Value::Bytes(bytes) => hex_cut(out, bytes),
            Value::Duration(value) => write!(out, "{value:?}"),
            Value::SystemTime { seconds, nanoseconds } => write!(out, "1970 + {seconds}.{nanoseconds:09}s"),
            Value::Ipv4Addr(value) => write!(out, "{value}"),
            Value::Ipv6Addr(value) => write!(out, "{value}"),
            Value::IpAddr(value) => write!(out, "{value}"),
            Value::SocketAddr(value) => write!(out, "{value}"),
            Value::Uuid(bytes) => uuid(out, bytes),
            Value::Decimal(bytes) => decimal(out, bytes),
            Value::Option(_) => out.write_str("None"),
            Value::Absent => out.write_str("absent"),
            // Printed by `value`, and nothing.
            Value::List(_) | Value::Map(_) | Value::Record(_) | Value::Tuple(_) | Value::Enum(_) | Value::Nothing => {
                out.write_str("()")
            }
        }
    }

    fn error(&mut self, error: DecodeError) -> fmt::Result {
        write!(self.out, "<{error}>")
    }

    /// What `content` prints, in brackets, one level further in; or "…" if that is too far. Fields, as opposed to
    /// elements, have space around them, or a line each.
    fn group(
        &mut self,
        [open, close]: [char; 2],
        has_fields: bool,
        content: impl FnOnce(&mut Self) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_char(open)?;
        if self.level >= MAX_LEVELS {
            self.out.write_char('…')?;
            return self.out.write_char(close);
        }
        self.level = self.level.saturating_add(1);
        self.indent = self.indent.saturating_add(usize::from(has_fields));
        content(self)?;
        self.level = self.level.saturating_sub(1);
        self.indent = self.indent.saturating_sub(usize::from(has_fields));
        match (has_fields, self.is_pretty) {
            (true, true) => self.line()?,
            (true, false) => self.out.write_char(' ')?,
            (false, _) => {}
        }
        self.out.write_char(close)
    }

    /// What stands before field or element `index`.
    fn separate(&mut self, index: usize, is_field: bool) -> fmt::Result {
        if index > 0 {
            self.out.write_char(',')?;
        }
        match (is_field, self.is_pretty) {
            (true, true) => self.line(),
            (true, false) => self.out.write_char(' '),
            (false, _) if index > 0 => self.out.write_char(' '),
            (false, _) => Ok(()),
        }
    }

    fn line(&mut self) -> fmt::Result {
        self.out.write_char('\n')?;
        (0..self.indent).try_for_each(|_| self.out.write_str("    "))
    }
}

/// The start of a text, escaped and quoted.
fn text_cut(out: &mut impl Write, text: &str) -> fmt::Result {
    let shown = text.get(..text.floor_char_boundary(MAX_TEXT)).unwrap_or_default();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    write!(out, "{shown:?}{cut}")
}

/// The first bytes in hex, and how many there are where that is not all.
fn hex_cut(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    out.write_str("0x")?;
    bytes.iter().take(MAX_BYTES).try_for_each(|byte| write!(out, "{byte:02x}"))?;
    if bytes.len() > MAX_BYTES { write!(out, "… ({} bytes)", bytes.len()) } else { Ok(()) }
}

/// 8-4-4-4-12 digits.
fn uuid(out: &mut impl Write, bytes: [u8; 16]) -> fmt::Result {
    bytes.iter().enumerate().try_for_each(|(index, byte)| {
        let dash = if matches!(index, 4 | 6 | 8 | 10) { "-" } else { "" };
        write!(out, "{dash}{byte:02x}")
    })
}

/// A decimal number: a 96-bit integer, its scale and its sign.
fn decimal(out: &mut impl Write, bytes: [u8; 16]) -> fmt::Result {
    let [_, _, scale, sign, integer @ ..] = bytes;
    let mut wide = [0; 16];
    for (to, from) in wide.iter_mut().zip(integer) {
        *to = from;
    }
    let (integer, sign) = (u128::from_le_bytes(wide), if sign & 0x80 == 0 { "" } else { "-" });
    let unit = 10_u128.checked_pow(u32::from(scale));
    match unit.and_then(|unit| Some((integer.checked_div(unit)?, integer.checked_rem(unit)?))) {
        _ if scale == 0 => write!(out, "{sign}{integer}"),
        Some((whole, part)) => write!(out, "{sign}{whole}.{part:0width$}", width = usize::from(scale)),
        None => hex_cut(out, &bytes),
    }
}
