//! `#[zap(pin)]`: the layout line spelled at compile time, and compared there.
//!
//! A constant cannot call the functions through which [`FieldType`] refers to other layouts, and cannot hold those
//! layouts either, since a record may be behind a list of its own. So a slot type has two more constants, which nothing
//! evaluates but a pin: the [`Parts`] behind its `TYPE` where it lies in a section that is spelled out, and those where
//! it is behind a pointer, which end at names and sizes.

use crate::{DialectKind, EnumLayout, FieldType, Layout, Zap};

/// What stands behind the function in a [`FieldType`]; a type holds at most one.
#[derive(Clone, Copy)]
pub enum Parts {
    /// There is no function in the type.
    None,
    /// A record behind a pointer.
    Pointed(&'static Layout),
    /// A record, tuple or map entry, and the parts of its fields; where the list is shorter, they have none.
    Section(&'static Layout, &'static [Self]),
    /// An enum, and the section of each variant that has one.
    Enum(&'static EnumLayout, &'static [Option<&'static Layout>]),
}

/// The bytes of a text, one after the other: counted, kept as far as there is room, and compared with what is expected.
struct Writer<'a> {
    out: &'a mut [u8],
    len: usize,
    expected: &'a [u8],
    same: bool,
}

impl Writer<'_> {
    const fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            let (at, byte) = (self.len, bytes[index]);
            self.same &= at < self.expected.len() && self.expected[at] == byte;
            if at < self.out.len() {
                self.out[at] = byte;
            }
            self.len += 1;
            index += 1;
        }
    }

    const fn number(&mut self, value: u32) {
        const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        if value >= 10 {
            self.number(value / 10);
        }
        self.text(DIGITS[(value % 10) as usize]);
    }

    const fn head(&mut self, layout: &Layout) {
        match layout.dialect {
            DialectKind::Native => {}
            DialectKind::Zapgen => self.text("zapgen "),
            DialectKind::Zip => self.text("zip "),
        }
        if layout.version != 1 {
            self.text("version:");
            self.number(layout.version as u32);
            self.text(" ");
        }
        if layout.growable {
            self.text("growable ");
        }
    }

    const fn section(&mut self, layout: &Layout, parts: &[Parts]) {
        let mut index = 0;
        while index < layout.fields.len() {
            let field = &layout.fields[index];
            self.text(field.name);
            self.text(":");
            self.field_type(&field.field_type, part(parts, index), true);
            self.text("@");
            self.number(field.offset);
            self.text(" ");
            index += 1;
        }
        self.text("size:");
        self.number(layout.size);
    }

    const fn field_type(&mut self, field_type: &FieldType, parts: Parts, spelled: bool) {
        match field_type {
            FieldType::List(element) => self.wrapped("list", element, parts),
            FieldType::Set(element) => self.wrapped("set", element, parts),
            FieldType::Option(value) => self.wrapped("option", value, parts),
            FieldType::Pointer(value) => self.wrapped("box", value, parts),
            FieldType::NonZero(integer) => self.wrapped("nonzero", integer, parts),
            FieldType::Array { element, len } => {
                self.text("[");
                self.field_type(element, parts, spelled);
                self.text(";");
                self.number(*len);
                self.text("]");
            }
            FieldType::Record(_) => self.record(parts, spelled),
            FieldType::Tuple(_) => match parts {
                Parts::Section(layout, parts) if spelled => self.braced(layout, parts),
                parts => self.elements("(", parts, ")"),
            },
            FieldType::Map(_) => self.elements("map<", parts, ">"),
            FieldType::Enum(_) => self.variants(parts),
            simple => self.text(simple.word()),
        }
    }

    const fn wrapped(&mut self, name: &str, inner: &FieldType, parts: Parts) {
        self.text(name);
        self.text("<");
        self.field_type(inner, parts, false);
        self.text(">");
    }

    const fn record(&mut self, parts: Parts, spelled: bool) {
        match parts {
            Parts::Section(layout, parts) if spelled && layout.is_inline() => self.braced(layout, parts),
            Parts::Section(layout, _) | Parts::Pointed(layout) => {
                self.text(layout.name);
                self.text("/");
                if layout.growable {
                    self.text("growable");
                } else {
                    self.number(layout.size);
                }
            }
            _ => missing(),
        }
    }

    const fn braced(&mut self, layout: &Layout, parts: &[Parts]) {
        self.text("{");
        self.section(layout, parts);
        self.text("}");
    }

    const fn elements(&mut self, open: &str, parts: Parts, close: &str) {
        let Parts::Section(layout, parts) = parts else { missing() };
        self.text(open);
        let mut index = 0;
        while index < layout.fields.len() {
            if index > 0 {
                self.text(",");
            }
            self.field_type(&layout.fields[index].field_type, part(parts, index), false);
            index += 1;
        }
        self.text(close);
        self.text("/");
        self.number(layout.size);
    }

    const fn variants(&mut self, parts: Parts) {
        let Parts::Enum(layout, sections) = parts else { missing() };
        self.text(layout.name);
        self.text("(");
        self.text(layout.number.word());
        let mut index = 0;
        while index < layout.variants.len() {
            let variant = &layout.variants[index];
            self.text(" ");
            self.text(variant.name);
            self.text("=");
            self.number(variant.number);
            if variant.fields.is_some() {
                match sections {
                    sections if index >= sections.len() => missing(),
                    sections => match sections[index] {
                        Some(section) => {
                            self.text("/");
                            self.number(section.size);
                        }
                        None => missing(),
                    },
                }
            }
            index += 1;
        }
        if let Some(other) = layout.other {
            self.text(" ");
            self.text(other);
            self.text("=_");
        }
        self.text(")");
    }

    const fn line<R: Zap>(&mut self) {
        self.head(R::LAYOUT);
        self.section(R::LAYOUT, R::PARTS_OF_FIELDS);
    }
}

const fn part(parts: &[Parts], index: usize) -> Parts {
    if index < parts.len() { parts[index] } else { Parts::None }
}

/// A hand-written slot type that names another layout, and not its parts.
const fn missing() -> ! {
    panic!("a field of this record has a type that #[zap(pin)] cannot spell: remove the pin, and use the lock file")
}

impl FieldType {
    /// The name of a type without parts; of the others only their kind.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Char => "char",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Duration => "duration",
            Self::SystemTime => "system_time",
            Self::Ipv4Addr => "ipv4",
            Self::Ipv6Addr => "ipv6",
            Self::IpAddr => "ip",
            Self::SocketAddr => "socket_addr",
            Self::Uuid => "uuid",
            Self::Decimal => "decimal",
            Self::Nothing => "nothing",
            Self::Array { .. } | Self::List(_) | Self::Set(_) | Self::Map(_) | Self::Tuple(_) => "several",
            Self::Option(_) | Self::Pointer(_) | Self::NonZero(_) | Self::Record(_) | Self::Enum(_) => "compound",
        }
    }
}

/// What a mismatch says: both lines, one under the other. Empty if there is none.
const fn write_message<R: Zap>(pinned: &str, out: &mut [u8]) -> usize {
    let mut line = Writer { out: &mut [], len: 0, expected: pinned.as_bytes(), same: true };
    line.line::<R>();
    if line.same && line.len == pinned.len() {
        return 0;
    }
    let mut message = Writer { out, len: 0, expected: &[], same: true };
    message.text("the layout of `");
    message.text(R::LAYOUT.name);
    message.text("` is not the pinned one:\n  pinned: ");
    message.text(pinned);
    message.text("\n  now:    ");
    message.line::<R>();
    message.text("\nundo the edit that moved it; or, if nobody reads or wrote the pinned layout, pin the new one");
    message.len
}

/// The length of what is wrong with the pin of record `R`: 0, if nothing is.
#[must_use]
pub const fn pin_len<R: Zap>(pinned: &str) -> usize {
    write_message::<R>(pinned, &mut [])
}

/// What is wrong with the pin of record `R`.
#[must_use]
pub const fn pin_text<R: Zap, const N: usize>(pinned: &str) -> [u8; N] {
    let mut text = [0; N];
    write_message::<R>(pinned, &mut text);
    text
}

/// Refuses, where the derive calls it, a record whose layout is not the pinned one.
#[track_caller]
pub const fn check_pin(text: &[u8]) {
    match core::str::from_utf8(text) {
        Ok(text) if text.is_empty() => {}
        Ok(text) => panic!("{}", text),
        Err(_) => panic!("the layout is not the pinned one"),
    }
}
