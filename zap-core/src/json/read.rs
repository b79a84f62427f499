//! JSON text to values, driven by the layout: each value is read as what its field is, and nothing else is accepted.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cmp::Ordering;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::convert::{self, Token};
use super::item::{Item, VariantItem};
use super::order::compare;
use super::parse::{Failure, Parsed, Parser};
use super::{JsonError, JsonErrorKind, JsonOptions, is_key};
use crate::dynamic::{is_byte, is_newtype, is_tuple};
use crate::{DialectKind, EnumLayout, FieldLayout, FieldType, Layout, Limits};

/// The fields of the record that the text stands for.
pub(super) fn record<'t>(
    text: &'t str,
    layout: &'static Layout,
    options: &JsonOptions,
) -> Result<Vec<Item<'t>>, JsonError> {
    let mut reader = Reader { parser: Parser::new(text), options, depth: Limits::DEPTH };
    let read = reader.fields(layout).and_then(|fields| reader.parser.end().map(|()| fields));
    read.map_err(|failure| failure.locate(text))
}

struct Reader<'t, 'o> {
    parser: Parser<'t>,
    options: &'o JsonOptions,
    /// Levels of lists and pointers that may still follow.
    depth: u8,
}

impl<'t> Reader<'t, '_> {
    /// The fields of a record, tuple or variant.
    fn fields(&mut self, layout: &'static Layout) -> Parsed<Vec<Item<'t>>> {
        match layout.fields {
            [field] if is_newtype(layout) => Ok(Vec::from([self.field(layout, field)?])),
            fields if is_tuple(layout) => self.positions(layout, fields),
            fields => self.names(layout, fields),
        }
    }

    fn field(&mut self, layout: &Layout, field: &'static FieldLayout) -> Parsed<Item<'t>> {
        self.value(&field.field_type, layout.dialect)
    }

    /// Fields in an array.
    fn positions(&mut self, layout: &Layout, fields: &'static [FieldLayout]) -> Parsed<Vec<Item<'t>>> {
        let mut types = fields.iter().map(|field| &field.field_type);
        self.exactly(fields.len(), |reader| {
            let field_type = types.next().unwrap_or(&FieldType::Nothing);
            reader.value(field_type, layout.dialect)
        })
    }

    /// Fields in an object, in any order.
    fn names(&mut self, layout: &Layout, fields: &'static [FieldLayout]) -> Parsed<Vec<Item<'t>>> {
        let start = self.start("{", "an object")?;
        let mut items: Vec<Option<Item<'t>>> = fields.iter().map(|_| None).collect();
        let mut more = !self.parser.take("}");
        while more {
            self.parser.peek();
            let position = self.parser.position();
            let name = self.parser.name()?;
            let at = fields.iter().position(|field| field.name == name);
            let (Some(field), Some(item)) = (at.and_then(|at| fields.get(at)), at.and_then(|at| items.get_mut(at)))
            else {
                return Err(Failure::new(JsonErrorKind::UnknownField(name.into_owned()), position));
            };
            if item.is_some() {
                return Err(Failure::new(JsonErrorKind::Duplicate(name.into_owned()), position));
            }
            *item = Some(self.field(layout, field).map_err(|failure| failure.in_field(field.name))?);
            more = self.parser.another("}")?;
        }
        complete(layout, items).map_err(|kind| Failure::new(kind, start))
    }

    fn value(&mut self, field_type: &'static FieldType, dialect: DialectKind) -> Parsed<Item<'t>> {
        match field_type {
            FieldType::Option(value) => self.option(value, dialect),
            FieldType::Pointer(value) => {
                self.deeper(|reader| reader.value(value, dialect).map(|item| Item::Pointer(Box::new(item))))
            }
            FieldType::Record(layout) if layout().dialect == DialectKind::Native && !layout().growable => {
                self.fields(layout()).map(Item::Items)
            }
            FieldType::Record(layout) => self.deeper(|reader| reader.fields(layout()).map(Item::Items)),
            FieldType::Tuple(layout) => self.positions(layout(), layout().fields).map(Item::Items),
            FieldType::Array { element, len } if is_byte(element) => {
                let position = self.position();
                let bytes = self.bytes()?;
                if bytes.len() == *len as usize {
                    return Ok(Item::Inline(bytes));
                }
                Err(Failure::new(JsonErrorKind::Length(*len as usize), position))
            }
            FieldType::Array { element, len } => {
                self.exactly(*len as usize, |reader| reader.value(element, dialect)).map(Item::Items)
            }
            FieldType::Set(element) if is_byte(element) => self.set_of_bytes(),
            FieldType::List(element) => self.deeper(|reader| reader.elements(element, dialect)).map(Item::Items),
            FieldType::Set(element) => self.deeper(|reader| reader.set(element, dialect)),
            FieldType::Map(entry) => self.deeper(|reader| reader.map(entry())),
            FieldType::Enum(layout) => self.variant(layout()),
            FieldType::Text => self.converted(|token, _| {
                Ok(Item::Tail(match token.text("text")? {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                }))
            }),
            FieldType::Bytes => self.bytes().map(|bytes| Item::Tail(Cow::Owned(bytes))),
            FieldType::Duration => self.time(["secs", "nanos"], &FieldType::U64),
            FieldType::SystemTime => self.time(["secs_since_epoch", "nanos_since_epoch"], &FieldType::I64),
            single => self.converted(|token, _| convert::fixed(single, token)),
        }
    }

    // Single values.

    fn position(&mut self) -> usize {
        self.parser.peek();
        self.parser.position()
    }

    /// The next token, if it is a value of its own.
    fn token(&mut self) -> Parsed<Token<'t>> {
        if let Some(number) = self.parser.number()? {
            return Ok(Token::Number(number));
        }
        match self.parser.peek() {
            b'"' => self.parser.string().map(Token::Text),
            b'[' | b'{' => self.parser.fail(JsonErrorKind::Type("a single value, no array or object")),
            _ if self.parser.take("true") => Ok(Token::Bool(true)),
            _ if self.parser.take("false") => Ok(Token::Bool(false)),
            _ if self.parser.take("null") => Ok(Token::Null),
            _ => self.parser.fail(JsonErrorKind::Syntax("a value is missing")),
        }
    }

    fn converted<T>(&mut self, convert: impl FnOnce(Token<'t>, &JsonOptions) -> Result<T, JsonErrorKind>) -> Parsed<T> {
        let position = self.position();
        let token = self.token()?;
        convert(token, self.options).map_err(|kind| Failure::new(kind, position))
    }

    fn bytes(&mut self) -> Parsed<Vec<u8>> {
        self.converted(|token, options| convert::bytes(token, options.bytes))
    }

    /// Seconds and nanoseconds, as serde spells them.
    fn time(&mut self, names: [&'static str; 2], seconds: &'static FieldType) -> Parsed<Item<'t>> {
        let start = self.start("{", "an object of seconds and nanoseconds")?;
        let mut parts = [None, None];
        let mut more = !self.parser.take("}");
        while more {
            let position = self.position();
            let name = self.parser.name()?;
            let at = names.iter().position(|of| *of == name);
            let Some(part) = at.and_then(|at| parts.get_mut(at)) else {
                return Err(Failure::new(JsonErrorKind::UnknownField(name.into_owned()), position));
            };
            if part.is_some() {
                return Err(Failure::new(JsonErrorKind::Duplicate(name.into_owned()), position));
            }
            let field_type = if at == Some(0) { seconds } else { &FieldType::U32 };
            *part = Some(self.value(field_type, DialectKind::Native).map_err(|failure| failure.in_field(&name))?);
            more = self.parser.another("}")?;
        }
        let [seconds_name, nanoseconds_name] = names;
        match parts {
            [Some(Item::Fixed(seconds, _)), Some(Item::Fixed(nanoseconds, _))] => {
                let [a, b, c, d, e, f, g, h, ..] = seconds;
                let [i, j, k, l, ..] = nanoseconds;
                if u32::from_le_bytes([i, j, k, l]) >= 1_000_000_000 {
                    return Err(Failure::new(JsonErrorKind::OutOfRange("nanoseconds"), start));
                }
                Ok(Item::fixed(&[a, b, c, d, e, f, g, h, i, j, k, l, 0, 0, 0, 0]))
            }
            [None, _] => Err(Failure::new(JsonErrorKind::MissingField(seconds_name), start)),
            _ => Err(Failure::new(JsonErrorKind::MissingField(nanoseconds_name), start)),
        }
    }

    // Arrays.

    /// Takes the start of an array or object, and tells where it was.
    fn start(&mut self, token: &'static str, expected: &'static str) -> Parsed<usize> {
        let position = self.position();
        self.parser.expect(token, JsonErrorKind::Type(expected))?;
        Ok(position)
    }

    /// One level down.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let Some(depth) = self.depth.checked_sub(1) else {
            return self.parser.fail(JsonErrorKind::TooDeep);
        };
        self.depth = depth;
        let value = read(self);
        self.depth = depth.saturating_add(1);
        value
    }

    fn array<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.start("[", "an array")?;
        let mut items = Vec::new();
        let mut more = !self.parser.take("]");
        while more {
            let item = element(self).map_err(|failure| failure.in_element(items.len()))?;
            items.push(item);
            more = self.parser.another("]")?;
        }
        Ok(items)
    }

    fn elements(&mut self, element: &'static FieldType, dialect: DialectKind) -> Parsed<Vec<Item<'t>>> {
        // An element of a zip list is there, whatever it holds (wire 1.6).
        match element {
            FieldType::Option(value) if dialect == DialectKind::Zip => {
                self.array(|reader| reader.value(value, dialect).map(|item| Item::Option(Some(Box::new(item)))))
            }
            element => self.array(|reader| reader.value(element, dialect)),
        }
    }

    fn exactly(&mut self, len: usize, element: impl FnMut(&mut Self) -> Parsed<Item<'t>>) -> Parsed<Vec<Item<'t>>> {
        let position = self.position();
        let items = self.array(element)?;
        if items.len() == len { Ok(items) } else { Err(Failure::new(JsonErrorKind::Length(len), position)) }
    }

    fn set(&mut self, element: &'static FieldType, dialect: DialectKind) -> Parsed<Item<'t>> {
        let position = self.position();
        let mut items = self.elements(element, dialect)?;
        let order = |a: &Item<'_>, b: &Item<'_>| compare(element, a, b);
        ascending(&mut items, order).map_err(|kind| Failure::new(kind, position))?;
        Ok(Item::Items(items))
    }

    fn set_of_bytes(&mut self) -> Parsed<Item<'t>> {
        let position = self.position();
        let mut bytes = self.bytes()?;
        let order = |a: &u8, b: &u8| Some(a.cmp(b));
        ascending(&mut bytes, order).map_err(|kind| Failure::new(kind, position))?;
        Ok(Item::Tail(Cow::Owned(bytes)))
    }

    // Maps.

    fn map(&mut self, entry: &'static Layout) -> Parsed<Item<'t>> {
        let position = self.position();
        let [key, value] = entry.fields else {
            return Ok(Item::Entries(Vec::new()));
        };
        let mut entries = if is_key(entry) {
            self.keyed(entry, key, value)?
        } else {
            self.array(|reader| reader.positions(entry, entry.fields).map(Item::Items))?
        };
        let order = |a: &Item<'_>, b: &Item<'_>| match (a, b) {
            (Item::Items(a), Item::Items(b)) => compare(&key.field_type, a.first()?, b.first()?),
            _ => None,
        };
        ascending(&mut entries, order).map_err(|kind| Failure::new(kind, position))?;
        Ok(Item::Entries(entries))
    }

    /// Entries in an object.
    fn keyed(
        &mut self,
        entry: &Layout,
        key: &'static FieldLayout,
        value: &'static FieldLayout,
    ) -> Parsed<Vec<Item<'t>>> {
        self.start("{", "an object")?;
        let mut entries = Vec::new();
        let mut more = !self.parser.take("}");
        while more {
            let position = self.position();
            let name = self.parser.name()?;
            let key = self.key(&key.field_type, name.clone()).map_err(|kind| Failure::new(kind, position))?;
            let value = self.field(entry, value).map_err(|failure| failure.in_field(&name))?;
            entries.push(Item::Items(Vec::from([key, value])));
            more = self.parser.another("}")?;
        }
        Ok(entries)
    }

    /// A key from its text.
    fn key(&self, field_type: &'static FieldType, name: Cow<'t, str>) -> Result<Item<'t>, JsonErrorKind> {
        match field_type {
            FieldType::Record(layout) => match layout().fields {
                [field] => Ok(Item::Items(Vec::from([self.key(&field.field_type, name)?]))),
                _ => Err(JsonErrorKind::Type("a key that is text")),
            },
            FieldType::Pointer(value) => Ok(Item::Pointer(Box::new(self.key(value, name)?))),
            FieldType::Text => Ok(Item::Tail(match name {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            })),
            FieldType::Bytes | FieldType::Set(_) => {
                Ok(Item::Tail(Cow::Owned(convert::bytes(Token::Text(name), self.options.bytes)?)))
            }
            FieldType::Array { len, .. } => {
                let bytes = convert::bytes(Token::Text(name), self.options.bytes)?;
                let is_right = bytes.len() == *len as usize;
                if is_right { Ok(Item::Inline(bytes)) } else { Err(JsonErrorKind::Length(*len as usize)) }
            }
            FieldType::Bool => match name.as_ref() {
                "true" => Ok(Item::fixed(&[1])),
                "false" => Ok(Item::fixed(&[0])),
                _ => Err(JsonErrorKind::Type("true or false")),
            },
            FieldType::Enum(layout) => {
                let is_known = layout().variants.iter().any(|variant| variant.name == name);
                let token = if is_known || name.parse::<u32>().is_err() { Token::Text(name) } else { digits(name) };
                Ok(convert::plain_enum(layout(), convert::variant_number(layout(), &token)?))
            }
            single => convert::fixed(single, Token::Text(name)),
        }
    }

    // Optionals and enums.

    fn option(&mut self, value: &'static FieldType, dialect: DialectKind) -> Parsed<Item<'t>> {
        if self.parser.take("null") {
            return Ok(Item::Option(None));
        }
        let some = |item| Item::Option(Some(Box::new(item)));
        if is_optional(value) && self.wraps_null() {
            self.start("{", "an object")?;
            self.parser.name()?;
            let inner = self.deeper(|reader| reader.value(value, dialect))?;
            self.parser.expect("}", JsonErrorKind::Syntax("the end of the object is missing"))?;
            return Ok(some(inner));
        }
        self.deeper(|reader| reader.value(value, dialect)).map(some)
    }

    /// Whether `{"Some": null}` or `{"Some": {"Some": null}}` and so on follows: an optional that is there and holds an
    /// optional that is not. Takes nothing.
    fn wraps_null(&mut self) -> bool {
        let start = self.position();
        let mut levels = 0_usize;
        while self.parser.take("{") && self.parser.take("\"Some\"") && self.parser.take(":") {
            levels = levels.saturating_add(1);
        }
        let is_null = levels > 0 && self.parser.take("null") && (0..levels).all(|_| self.parser.take("}"));
        self.parser.rewind(start);
        is_null
    }

    fn variant(&mut self, layout: &'static EnumLayout) -> Parsed<Item<'t>> {
        if !layout.has_data {
            return self
                .converted(|token, _| Ok(convert::plain_enum(layout, convert::variant_number(layout, &token)?)));
        }
        if self.parser.peek() != b'{' {
            return self.converted(|token, _| Ok(Item::Variant(convert::variant_number(layout, &token)?, None)));
        }
        self.start("{", "an object")?;
        let position = self.position();
        let name = self.parser.name()?;
        let Some(variant) = layout.variants.iter().find(|variant| variant.name == name) else {
            return Err(Failure::new(JsonErrorKind::UnknownVariant(name.into_owned()), position));
        };
        let Some(fields) = variant.fields else {
            return Err(Failure::new(JsonErrorKind::Type("the name alone: this variant has no fields"), position));
        };
        let read = self.deeper(|reader| reader.fields(fields()));
        let item: VariantItem<'t> = (fields(), read.map_err(|failure| failure.in_field(variant.name))?);
        self.parser.expect("}", JsonErrorKind::Syntax("a variant is an object of one name"))?;
        Ok(Item::Variant(variant.number, Some(item)))
    }
}

fn digits<'t>(name: Cow<'t, str>) -> Token<'t> {
    match name {
        Cow::Borrowed(digits) => Token::Number(digits),
        // Digits have no escapes that would make them owned, unless somebody has escaped them.
        owned => Token::Text(owned),
    }
}

/// Whether an optional of this type may hold an optional.
fn is_optional(field_type: &FieldType) -> bool {
    match field_type {
        FieldType::Option(_) => true,
        FieldType::Pointer(value) => is_optional(value),
        FieldType::Record(layout) => match layout().fields {
            [field] if is_newtype(layout()) => is_optional(&field.field_type),
            _ => false,
        },
        _ => false,
    }
}

/// All fields of a record: those that may be missing get what stands for that.
fn complete<'t>(layout: &Layout, items: Vec<Option<Item<'t>>>) -> Result<Vec<Item<'t>>, JsonErrorKind> {
    let known = match layout.growable {
        true => items.iter().rposition(Option::is_some).map_or(0, |last| last.saturating_add(1)),
        false => items.len(),
    };
    let fields = layout.fields.iter().zip(items).enumerate();
    let all = fields.map(|(index, (field, item))| match (item, &field.field_type) {
        (Some(item), _) => Ok(item),
        (None, _) if index >= known => Ok(Item::Absent),
        (None, FieldType::Option(_)) => Ok(Item::Option(None)),
        (None, FieldType::Nothing) => Ok(Item::fixed(&[])),
        (None, _) => Err(JsonErrorKind::MissingField(field.name)),
    });
    all.collect()
}

/// Sorts what must ascend, and refuses what is there twice.
fn ascending<T>(items: &mut [T], order: impl Fn(&T, &T) -> Option<Ordering>) -> Result<(), JsonErrorKind> {
    items.sort_by(|a, b| order(a, b).unwrap_or(Ordering::Equal));
    let is_twice = items.array_windows().any(|[a, b]| order(a, b) == Some(Ordering::Equal));
    if is_twice { Err(JsonErrorKind::DuplicateKey) } else { Ok(()) }
}
