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
use crate::{DialectKind, EnumLayout, FieldType, Layout, Limits, VariantLayout};

/// The fields of the record that the text stands for.
pub(super) fn record<'t>(
    text: &'t str,
    layout: &'static Layout,
    options: &JsonOptions,
) -> Result<Vec<Item<'t>>, JsonError> {
    let mut reader = Reader { parser: Parser::new(text), options, depth: Limits::DEPTH, open: Vec::new() };
    let read = reader.fields(layout).and_then(|fields| reader.parser.end().map(|()| fields));
    read.map_err(|failure| reader.open.iter().rev().fold(failure, |failure, open| open.step(failure)).locate(text))
}

struct Reader<'t, 'o> {
    parser: Parser<'t>,
    options: &'o JsonOptions,
    /// Levels of lists and pointers that may still follow.
    depth: u8,
    /// The values around the one that is read, the innermost last: a stack of our own, so that text needs none of the
    /// thread's however deep it is.
    open: Vec<Open<'t>>,
}

/// A value that has begun and waits for one inside it.
struct Open<'t> {
    form: Form<'t>,
    /// Whether what is inside is a level further down.
    is_level: bool,
}

enum Form<'t> {
    /// An array with the values before the awaited one.
    Array(Array<'t>),
    /// A record's object; `at` is the awaited field.
    Names { names: Names<'t>, at: usize },
    /// A map's object; the awaited value belongs to this key.
    Keys { keys: Keys<'t>, key: Item<'t>, name: Cow<'t, str> },
    /// A record that is spelled as its one field.
    Newtype,
    /// An optional that is there.
    Some,
    /// The same as `{"Some": ...}`.
    WrappedSome,
    /// A box.
    Pointer,
    /// A variant with fields.
    Variant(&'static VariantLayout, &'static Layout),
}

struct Array<'t> {
    each: Each,
    items: Vec<Item<'t>>,
    whole: Whole,
    position: usize,
}

/// What the values of an array are.
#[derive(Clone, Copy)]
enum Each {
    Value(&'static FieldType, DialectKind),
    /// Optionals of a zip list: an element is there, whatever it holds (wire 1.6).
    Present(&'static FieldType, DialectKind),
    /// The fields of a record, one after the other.
    Field(&'static Layout),
    /// The entries of a map, each an array of key and value.
    Entry(&'static Layout),
}

/// What an array becomes.
#[derive(Clone, Copy)]
enum Whole {
    List,
    /// So many values.
    Exactly(usize),
    Set(&'static FieldType),
    Map(&'static Layout),
}

struct Names<'t> {
    layout: &'static Layout,
    items: Vec<Option<Item<'t>>>,
    position: usize,
}

struct Keys<'t> {
    entry: &'static Layout,
    entries: Vec<Item<'t>>,
    position: usize,
}

impl Open<'_> {
    /// Adds the step from this value to the one inside to the path of what is wrong there.
    fn step(&self, failure: Failure) -> Failure {
        match &self.form {
            Form::Array(array) => failure.in_element(array.items.len()),
            Form::Names { names, at } => failure.in_field(names.layout.fields.get(*at).map_or("", |field| field.name)),
            Form::Keys { name, .. } => failure.in_field(name),
            Form::Variant(variant, _) => failure.in_field(variant.name),
            Form::Newtype | Form::Some | Form::WrappedSome | Form::Pointer => failure,
        }
    }
}

/// What comes next.
enum Next<'t> {
    /// A value of this type is read.
    Read(&'static FieldType, DialectKind),
    /// A value is complete: it goes into the one around it.
    Complete(Item<'t>),
}

impl<'t> Reader<'t, '_> {
    /// The fields of the root.
    fn fields(&mut self, layout: &'static Layout) -> Parsed<Vec<Item<'t>>> {
        let mut next = self.open_fields(layout, false)?;
        loop {
            next = match next {
                Next::Read(field_type, dialect) => self.begin(field_type, dialect)?,
                Next::Complete(item) => match (self.open.pop(), item) {
                    (Some(open), item) => self.put_into(open, item)?,
                    (None, Item::Items(fields)) => return Ok(fields),
                    // A record's fields are items.
                    (None, _) => return Ok(Vec::new()),
                },
            };
        }
    }

    /// The start of a value; all of it, if no value is inside.
    fn begin(&mut self, field_type: &'static FieldType, dialect: DialectKind) -> Parsed<Next<'t>> {
        match field_type {
            FieldType::Option(value) => self.open_option(value, dialect),
            // A growable record is behind that one pointer anyway.
            FieldType::Pointer(value) => self.open_around(Form::Pointer, !is_growable(value), value, dialect),
            FieldType::Record(layout) => {
                let layout = layout();
                self.open_fields(layout, layout.dialect != DialectKind::Native || layout.growable)
            }
            FieldType::Tuple(layout) => self.open_positions(layout(), false),
            FieldType::List(element) => self.open_array(Each::of(element, dialect), Whole::List, true),
            FieldType::Array { element, len } if !is_byte(element) => {
                self.open_array(Each::Value(element, dialect), Whole::Exactly(*len as usize), false)
            }
            FieldType::Set(element) if !is_byte(element) => {
                self.open_array(Each::of(element, dialect), Whole::Set(element), true)
            }
            FieldType::Map(entry) if is_key(entry()) => self.open_keys(entry()),
            FieldType::Map(entry) => self.open_array(Each::Entry(entry()), Whole::Map(entry()), true),
            FieldType::Enum(layout) => self.open_variant(layout()),
            single => self.single(single).map(Next::Complete),
        }
    }

    /// Puts a value into the one around it.
    fn put_into(&mut self, open: Open<'t>, item: Item<'t>) -> Parsed<Next<'t>> {
        let is_level = open.is_level;
        let whole = match open.form {
            Form::Array(mut array) => {
                array.items.push(match array.each {
                    Each::Present(..) => Item::Option(Some(Box::new(item))),
                    _ => item,
                });
                if self.parser.another("]")? {
                    return self.next_element(array, is_level);
                }
                array.complete()?
            }
            Form::Names { mut names, at } => {
                if let Some(field) = names.items.get_mut(at) {
                    *field = Some(item);
                }
                if self.parser.another("}")? {
                    return self.next_name(names, is_level);
                }
                names.complete()?
            }
            Form::Keys { mut keys, key, .. } => {
                keys.entries.push(Item::Items(Vec::from([key, item])));
                if self.parser.another("}")? {
                    return self.next_key(keys, is_level);
                }
                entries(keys.entry, keys.entries, keys.position)?
            }
            Form::Newtype => Item::Items(Vec::from([item])),
            Form::Some => Item::Option(Some(Box::new(item))),
            Form::WrappedSome => {
                self.parser.expect("}", JsonErrorKind::Syntax("the end of the object is missing"))?;
                Item::Option(Some(Box::new(item)))
            }
            Form::Pointer => Item::Pointer(Box::new(item)),
            Form::Variant(variant, layout) => {
                self.parser.expect("}", JsonErrorKind::Syntax("a variant is an object of one name"))?;
                let Item::Items(fields) = item else { return Ok(Next::Complete(Item::Variant(variant.number, None))) };
                let fields: VariantItem<'t> = (layout, fields);
                Item::Variant(variant.number, Some(fields))
            }
        };
        self.ascend(is_level);
        Ok(Next::Complete(whole))
    }

    /// One level down, if there is one.
    fn descend(&mut self, is_level: bool) -> Parsed<()> {
        match self.depth.checked_sub(u8::from(is_level)) {
            Some(depth) => self.depth = depth,
            None => return self.parser.fail(JsonErrorKind::TooDeep),
        }
        Ok(())
    }

    fn ascend(&mut self, is_level: bool) {
        self.depth = self.depth.saturating_add(u8::from(is_level));
    }

    /// Takes the start of an array or object, and tells where it was.
    fn start(&mut self, token: &'static str, expected: &'static str) -> Parsed<usize> {
        let position = self.position();
        self.parser.expect(token, JsonErrorKind::Type(expected))?;
        Ok(position)
    }

    /// Something around one value of this type.
    fn open_around(
        &mut self,
        form: Form<'t>,
        is_level: bool,
        value: &'static FieldType,
        dialect: DialectKind,
    ) -> Parsed<Next<'t>> {
        self.descend(is_level)?;
        self.open.push(Open { form, is_level });
        Ok(Next::Read(value, dialect))
    }

    // Records.

    /// The fields of a record, tuple or variant.
    fn open_fields(&mut self, layout: &'static Layout, is_level: bool) -> Parsed<Next<'t>> {
        match layout.fields {
            [field] if is_newtype(layout) => {
                self.open_around(Form::Newtype, is_level, &field.field_type, layout.dialect)
            }
            _ if is_tuple(layout) => self.open_positions(layout, is_level),
            fields => {
                self.descend(is_level)?;
                let position = self.start("{", "an object")?;
                let names = Names { layout, items: fields.iter().map(|_| None).collect(), position };
                if !self.parser.take("}") {
                    return self.next_name(names, is_level);
                }
                self.ascend(is_level);
                names.complete().map(Next::Complete)
            }
        }
    }

    /// Fields in an array.
    fn open_positions(&mut self, layout: &'static Layout, is_level: bool) -> Parsed<Next<'t>> {
        self.open_array(Each::Field(layout), Whole::Exactly(layout.fields.len()), is_level)
    }

    /// The next field of an object, in any order.
    fn next_name(&mut self, names: Names<'t>, is_level: bool) -> Parsed<Next<'t>> {
        let (position, layout) = (self.position(), names.layout);
        let name = self.parser.name()?;
        let found = layout.fields.iter().enumerate().find(|(_, field)| field.name == name);
        let Some((at, field)) = found else {
            return Err(Failure::new(JsonErrorKind::UnknownField(name.into_owned()), position));
        };
        if names.items.get(at).is_some_and(Option::is_some) {
            return Err(Failure::new(JsonErrorKind::Duplicate(name.into_owned()), position));
        }
        self.open.push(Open { form: Form::Names { names, at }, is_level });
        Ok(Next::Read(&field.field_type, layout.dialect))
    }

    // Arrays.

    fn open_array(&mut self, each: Each, whole: Whole, is_level: bool) -> Parsed<Next<'t>> {
        self.descend(is_level)?;
        let position = self.start("[", "an array")?;
        let array = Array { each, items: Vec::new(), whole, position };
        if !self.parser.take("]") {
            return self.next_element(array, is_level);
        }
        self.ascend(is_level);
        array.complete().map(Next::Complete)
    }

    fn next_element(&mut self, array: Array<'t>, is_level: bool) -> Parsed<Next<'t>> {
        let (each, index) = (array.each, array.items.len());
        self.open.push(Open { form: Form::Array(array), is_level });
        match each {
            Each::Value(value, dialect) | Each::Present(value, dialect) => Ok(Next::Read(value, dialect)),
            Each::Field(layout) => {
                // Those that are too many are read as nothing, and counted.
                let field_type = layout.fields.get(index).map_or(&FieldType::Nothing, |field| &field.field_type);
                Ok(Next::Read(field_type, layout.dialect))
            }
            Each::Entry(layout) => self.open_positions(layout, false),
        }
    }

    // Maps.

    /// Entries in an object.
    fn open_keys(&mut self, entry: &'static Layout) -> Parsed<Next<'t>> {
        self.descend(true)?;
        let position = self.start("{", "an object")?;
        let keys = Keys { entry, entries: Vec::new(), position };
        if !self.parser.take("}") {
            return self.next_key(keys, true);
        }
        self.ascend(true);
        Ok(Next::Complete(Item::Entries(Vec::new())))
    }

    fn next_key(&mut self, keys: Keys<'t>, is_level: bool) -> Parsed<Next<'t>> {
        let position = self.position();
        let name = self.parser.name()?;
        let [key, value] = keys.entry.fields else {
            return Err(Failure::new(JsonErrorKind::Type("a map of keys and values"), position));
        };
        let key = self.key(&key.field_type, name.clone()).map_err(|kind| Failure::new(kind, position))?;
        let dialect = keys.entry.dialect;
        self.open.push(Open { form: Form::Keys { keys, key, name }, is_level });
        Ok(Next::Read(&value.field_type, dialect))
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

    fn open_option(&mut self, value: &'static FieldType, dialect: DialectKind) -> Parsed<Next<'t>> {
        if self.parser.take("null") {
            return Ok(Next::Complete(Item::Option(None)));
        }
        let is_level = is_behind_a_pointer(value);
        if is_optional(value) && self.wraps_null() {
            self.start("{", "an object")?;
            self.parser.name()?;
            return self.open_around(Form::WrappedSome, is_level, value, dialect);
        }
        self.open_around(Form::Some, is_level, value, dialect)
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

    fn open_variant(&mut self, layout: &'static EnumLayout) -> Parsed<Next<'t>> {
        if !layout.has_data {
            let plain =
                self.converted(|token, _| Ok(convert::plain_enum(layout, convert::variant_number(layout, &token)?)));
            return plain.map(Next::Complete);
        }
        if self.parser.peek() != b'{' {
            let unit = self.converted(|token, _| Ok(Item::Variant(convert::variant_number(layout, &token)?, None)));
            return unit.map(Next::Complete);
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
        self.descend(true)?;
        self.open.push(Open { form: Form::Variant(variant, fields()), is_level: true });
        self.open_fields(fields(), false)
    }

    // Single values.

    /// What has no other value in it.
    fn single(&mut self, field_type: &'static FieldType) -> Parsed<Item<'t>> {
        match field_type {
            FieldType::Text => self.converted(|token, _| {
                Ok(Item::Tail(match token.text("text")? {
                    Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                    Cow::Owned(text) => Cow::Owned(text.into_bytes()),
                }))
            }),
            FieldType::Bytes => self.bytes().map(|bytes| Item::Tail(Cow::Owned(bytes))),
            FieldType::Array { len, .. } => {
                let position = self.position();
                let bytes = self.bytes()?;
                let is_right = bytes.len() == *len as usize;
                if is_right {
                    Ok(Item::Inline(bytes))
                } else {
                    Err(Failure::new(JsonErrorKind::Length(*len as usize), position))
                }
            }
            FieldType::Set(_) => self.set_of_bytes(),
            FieldType::Duration => self.time(["secs", "nanos"], &FieldType::U64),
            FieldType::SystemTime => self.time(["secs_since_epoch", "nanos_since_epoch"], &FieldType::I64),
            single => self.converted(|token, _| convert::fixed(single, token)),
        }
    }

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
            *part = Some(self.single(field_type).map_err(|failure| failure.in_field(&name))?);
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

    fn set_of_bytes(&mut self) -> Parsed<Item<'t>> {
        let position = self.position();
        let mut bytes = self.bytes()?;
        let order = |a: &u8, b: &u8| Some(a.cmp(b));
        ascending(&mut bytes, order).map_err(|kind| Failure::new(kind, position))?;
        Ok(Item::Tail(Cow::Owned(bytes)))
    }
}

impl Each {
    const fn of(element: &'static FieldType, dialect: DialectKind) -> Self {
        match (element, dialect) {
            (FieldType::Option(value), DialectKind::Zip) => Self::Present(value, dialect),
            _ => Self::Value(element, dialect),
        }
    }
}

impl<'t> Array<'t> {
    fn complete(self) -> Parsed<Item<'t>> {
        let (mut items, position) = (self.items, self.position);
        match self.whole {
            Whole::List => {}
            Whole::Exactly(len) if items.len() == len => {}
            Whole::Exactly(len) => return Err(Failure::new(JsonErrorKind::Length(len), position)),
            Whole::Set(element) => {
                let order = |a: &Item<'_>, b: &Item<'_>| compare(element, a, b);
                ascending(&mut items, order).map_err(|kind| Failure::new(kind, position))?;
            }
            Whole::Map(entry) => return entries(entry, items, position),
        }
        Ok(Item::Items(items))
    }
}

impl<'t> Names<'t> {
    fn complete(self) -> Parsed<Item<'t>> {
        let position = self.position;
        complete(self.layout, self.items).map(Item::Items).map_err(|kind| Failure::new(kind, position))
    }
}

/// A map of these entries.
fn entries<'t>(entry: &Layout, mut entries: Vec<Item<'t>>, position: usize) -> Parsed<Item<'t>> {
    let order = |a: &Item<'_>, b: &Item<'_>| match (a, b) {
        (Item::Items(a), Item::Items(b)) => compare(&entry.fields.first()?.field_type, a.first()?, b.first()?),
        _ => None,
    };
    ascending(&mut entries, order).map_err(|kind| Failure::new(kind, position))?;
    Ok(Item::Entries(entries))
}

/// Whether an optional of this type leads to its value by a pointer that the type itself does not have.
fn is_behind_a_pointer(value: &FieldType) -> bool {
    match value {
        FieldType::Record(layout) => layout().dialect == DialectKind::Native && !layout().growable,
        FieldType::Tuple(_) => true,
        _ => false,
    }
}

fn digits<'t>(name: Cow<'t, str>) -> Token<'t> {
    match name {
        Cow::Borrowed(digits) => Token::Number(digits),
        // Digits have no escapes that would make them owned, unless somebody has escaped them.
        owned => Token::Text(owned),
    }
}

fn is_growable(field_type: &FieldType) -> bool {
    matches!(field_type, FieldType::Record(layout) if layout().growable)
}

/// Whether an optional of this type may hold an optional.
fn is_optional(mut field_type: &FieldType) -> bool {
    // A newtype may hold nothing but a box of itself. Nobody has a value of it, but its text must not keep us here.
    for _ in 0..Limits::DEPTH {
        field_type = match field_type {
            FieldType::Option(_) => return true,
            FieldType::Pointer(value) => value,
            FieldType::Record(layout) => match layout().fields {
                [field] if is_newtype(layout()) => &field.field_type,
                _ => return false,
            },
            _ => return false,
        };
    }
    false
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
