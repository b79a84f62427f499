//! One slot of a record, or one element of a list, and how its value is read by its wire type.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::time::Duration;

use super::list::{DynamicList, DynamicMap};
use super::shape::{self, Absence, absence, shape};
use super::zero::{is_absent, spend_message};
use super::{DynamicEnum, DynamicRecord, LENGTH_WIDTH, Value, is_byte, unlimited};
use crate::section::{Field, Section, utf8};
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, DialectKind, EnumLayout, FieldType, Layout, Place};

/// Where a value lies and what it is. Nothing has been read of it yet.
#[derive(Clone, Copy)]
pub struct DynamicSlot<'m> {
    pub(super) section: Section<'m>,
    pub(super) field: Field,
    pub(super) field_type: &'static FieldType,
    pub(super) dialect: DialectKind,
    form: Form,
}

/// How a value is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In a slot of a section.
    Slot,
    /// As an element of a length-prefixed list: its bytes are the section.
    Element,
    /// Not at all: its writer did not know the field.
    Absent,
}

impl fmt::Debug for DynamicSlot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicSlot").field("type", &format_args!("{}", self.field_type)).finish_non_exhaustive()
    }
}

impl<'m> DynamicSlot<'m> {
    pub(crate) const fn new(
        section: Section<'m>,
        field: Field,
        field_type: &'static FieldType,
        dialect: DialectKind,
    ) -> Self {
        Self { section, field, field_type, dialect, form: Form::Slot }
    }

    /// An element of a length-prefixed list.
    pub(super) const fn element(
        section: Section<'m>,
        place: &'static Place,
        field_type: &'static FieldType,
        dialect: DialectKind,
    ) -> Self {
        Self { section, field: Field { offset: 0, place }, field_type, dialect, form: Form::Element }
    }

    /// The same slot where the writer did not know it.
    pub(super) const fn absent(self) -> Self {
        Self { form: Form::Absent, ..self }
    }

    /// The same bytes as another type.
    pub(super) const fn with_type(self, field_type: &'static FieldType) -> Self {
        Self { field_type, ..self }
    }

    /// The wire type of the value.
    #[must_use]
    pub const fn field_type(&self) -> &'static FieldType {
        self.field_type
    }

    /// Where the slot or element starts, in bytes from the start of the input.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.section.position_of(self.field.offset)
    }

    /// Whether the record is an older one that ends before this field.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.form == Form::Absent
    }

    /// Whether it is an element of a length-prefixed list.
    pub(crate) fn is_element(&self) -> bool {
        self.form == Form::Element
    }

    /// Whether text or bytes lie behind the slot, not in it.
    pub(crate) fn is_tail(&self) -> bool {
        !self.is_element() && !matches!(self.field_type, FieldType::Array { .. })
    }

    /// Whether a record lies behind the slot, not in it.
    pub(crate) fn is_pointer(&self) -> bool {
        match self.field_type {
            FieldType::Record(layout) => {
                !self.is_element() && (layout().dialect != DialectKind::Native || layout().growable)
            }
            _ => false,
        }
    }

    /// Where the section that holds the slot starts.
    pub(crate) const fn section_position(&self) -> u32 {
        self.section.position()
    }

    /// The slot of the value behind a pointer; `None` for null.
    pub(crate) fn pointee(&self, walk: &mut Walk<'_, true>) -> Result<Option<DynamicSlot<'m>>, DecodeError> {
        match self.field_type {
            FieldType::Pointer(value) => self.behind_pointer(value, walk),
            _ => Ok(None),
        }
    }

    /// The bytes of the slot or element itself.
    #[must_use]
    pub fn bytes(&self) -> &'m [u8] {
        match self.form {
            Form::Slot => self.section.part(self.field.offset, shape(self.field_type, self.dialect).width).bytes(),
            Form::Element => self.section.bytes(),
            Form::Absent => &[],
        }
    }

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// What a view's accessor or the iteration of its list gives.
    ///
    /// # Panics
    ///
    /// Never.
    pub fn read(&self) -> Result<Value<'m>, DecodeError> {
        self.read_within(&mut unlimited())
    }

    /// Reads the value and pays for it, as [`Zap::validate`](crate::Zap::validate) does.
    pub(crate) fn read_within(&self, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let value = match self.form {
            Form::Slot => self.read_slot(walk),
            Form::Element => self.read_element(walk),
            Form::Absent => Ok(Value::Absent),
        };
        value.map_err(|error| error.at(self.field.place))
    }

    fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        self.section.error(kind, self.field)
    }

    fn load<const N: usize>(&self) -> [u8; N] {
        self.section.load(self.field.offset)
    }

    fn spend(&self, len: usize, walk: &mut Walk<'_, true>) -> Result<(), DecodeError> {
        walk.spend(len, self.position())
    }

    fn read_slot(&self, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let (section, field) = (self.section, self.field);
        match self.field_type {
            FieldType::Text => {
                let text = section.tail_text(field)?;
                self.spend(text.len(), walk)?;
                Ok(Value::Text(text))
            }
            FieldType::Bytes => self.read_bytes(walk),
            FieldType::Set(element) if is_byte(element) => self.read_set_of_bytes(walk),
            FieldType::Array { element, .. } if is_byte(element) => Ok(Value::Bytes(self.bytes())),
            FieldType::Array { element, len } => Ok(Value::List(DynamicList::inline(self, element, *len))),
            FieldType::List(element) | FieldType::Set(element) => self.read_list(element, walk),
            FieldType::Record(layout) => self.read_record(layout(), walk).map(Value::Record),
            FieldType::Tuple(layout) => {
                let part = section.part(field.offset, layout().size as usize);
                Ok(Value::Tuple(DynamicRecord::new(part, layout()).at(field.place)))
            }
            FieldType::Option(value) => self.read_option(value, walk).map(Value::Option),
            FieldType::Pointer(value) => match self.behind_pointer(value, walk)? {
                Some(slot) => slot.read_within(walk),
                None => Err(self.error(DecodeErrorKind::NullPointer)),
            },
            FieldType::Enum(layout) => self.read_enum(layout(), walk),
            FieldType::Map(entry) => {
                let body = section.run(entry().size as usize, field)?;
                walk.spend(body.bytes().len(), body.position() as usize)?;
                Ok(Value::Map(DynamicMap::new(body, entry(), field.place)))
            }
            FieldType::NonZero(integer) => {
                let slot = self.with_type(integer);
                if slot.bytes().iter().all(|byte| *byte == 0) {
                    return Err(self.error(DecodeErrorKind::ZeroInteger));
                }
                slot.read_slot(walk)
            }
            _ => self.read_fixed(),
        }
    }

    /// A value of which every byte is in the slot.
    fn read_fixed(&self) -> Result<Value<'m>, DecodeError> {
        let nanoseconds = |bytes: &[u8; 16]| {
            let [.., a, b, c, d, _, _, _, _] = *bytes;
            let nanoseconds = u32::from_le_bytes([a, b, c, d]);
            if nanoseconds < 1_000_000_000 {
                Ok(nanoseconds)
            } else {
                Err(self.error(DecodeErrorKind::InvalidNanoseconds))
            }
        };
        Ok(match self.field_type {
            FieldType::Bool => Value::Bool(self.load::<1>() != [0]),
            FieldType::U8 => Value::U8(u8::from_le_bytes(self.load())),
            FieldType::U16 => Value::U16(u16::from_le_bytes(self.load())),
            FieldType::U32 => Value::U32(u32::from_le_bytes(self.load())),
            FieldType::U64 => Value::U64(u64::from_le_bytes(self.load())),
            FieldType::U128 => Value::U128(u128::from_le_bytes(self.load())),
            FieldType::I8 => Value::I8(i8::from_le_bytes(self.load())),
            FieldType::I16 => Value::I16(i16::from_le_bytes(self.load())),
            FieldType::I32 => Value::I32(i32::from_le_bytes(self.load())),
            FieldType::I64 => Value::I64(i64::from_le_bytes(self.load())),
            FieldType::I128 => Value::I128(i128::from_le_bytes(self.load())),
            FieldType::F32 => Value::F32(f32::from_le_bytes(self.load())),
            FieldType::F64 => Value::F64(f64::from_le_bytes(self.load())),
            FieldType::Char => {
                let char = char::from_u32(u32::from_le_bytes(self.load()));
                Value::Char(char.ok_or_else(|| self.error(DecodeErrorKind::InvalidChar))?)
            }
            FieldType::Duration => {
                Value::Duration(Duration::new(u64::from_le_bytes(self.load()), nanoseconds(&self.load())?))
            }
            FieldType::SystemTime => {
                Value::SystemTime { seconds: i64::from_le_bytes(self.load()), nanoseconds: nanoseconds(&self.load())? }
            }
            FieldType::Ipv4Addr => Value::Ipv4Addr(Ipv4Addr::from(self.load::<4>())),
            FieldType::Ipv6Addr => Value::Ipv6Addr(Ipv6Addr::from(self.load::<16>())),
            FieldType::IpAddr => Value::IpAddr(self.ip_address()?),
            FieldType::SocketAddr => {
                let [.., low, high] = self.load::<20>();
                Value::SocketAddr(SocketAddr::new(self.ip_address()?, u16::from_le_bytes([low, high])))
            }
            FieldType::Uuid => Value::Uuid(self.load()),
            FieldType::Decimal if !is_decimal(&self.load()) => return Err(self.error(DecodeErrorKind::InvalidDecimal)),
            FieldType::Decimal => Value::Decimal(self.load()),
            // The others are read elsewhere.
            _ => Value::Nothing,
        })
    }

    fn ip_address(&self) -> Result<IpAddr, DecodeError> {
        let [kind, address @ ..] = self.load::<17>();
        let [a, b, c, d, ..] = address;
        match kind {
            4 => Ok(IpAddr::V4(Ipv4Addr::new(a, b, c, d))),
            6 => Ok(IpAddr::V6(Ipv6Addr::from(address))),
            _ => Err(self.error(DecodeErrorKind::UnknownAddressKind)),
        }
    }

    fn read_bytes(&self, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let bytes = self.section.tail_bytes(self.field)?;
        self.spend(bytes.len(), walk)?;
        Ok(Value::Bytes(bytes))
    }

    fn read_set_of_bytes(&self, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let body = self.section.tail_body(self.field)?;
        let bytes = body.bytes();
        walk.spend(bytes.len(), body.position() as usize)?;
        match bytes.array_windows().position(|[a, b]| a >= b) {
            Some(before) => {
                let field = Field { offset: before.saturating_add(1), ..self.field };
                Err(body.error(DecodeErrorKind::KeyOrder, field))
            }
            None => Ok(Value::Bytes(bytes)),
        }
    }

    fn read_list(&self, element: &'static FieldType, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let (section, field) = (self.section, self.field);
        if self.dialect == DialectKind::Native {
            let stride = shape(element, self.dialect).width;
            let body = section.run(stride, field)?;
            walk.spend(body.bytes().len(), body.position() as usize)?;
            let is_set = matches!(self.field_type, FieldType::Set(_));
            return Ok(Value::List(DynamicList::run(body, field.place, element, stride, is_set)));
        }
        let (stream, count) = section.stream(field)?;
        Ok(Value::List(DynamicList::stream(stream, count, field.place, element, self.dialect)))
    }

    fn read_record(
        &self,
        layout: &'static Layout,
        walk: &mut Walk<'_, true>,
    ) -> Result<DynamicRecord<'m>, DecodeError> {
        let null = || self.error(DecodeErrorKind::NullPointer);
        if layout.growable {
            return self.behind_growable(layout, walk)?.ok_or_else(null);
        }
        let nested = nested_section(self.section, self.field, layout)?.ok_or_else(null)?;
        if layout.dialect != DialectKind::Native {
            walk.spend(nested.bytes().len(), nested.position() as usize)?;
        }
        Ok(DynamicRecord::new(nested, layout))
    }

    fn read_option(
        &self,
        value: &'static FieldType,
        walk: &mut Walk<'_, true>,
    ) -> Result<Option<DynamicSlot<'m>>, DecodeError> {
        let present = self.with_type(value);
        let offset = self.field.offset;
        match (self.dialect, absence(value)) {
            (DialectKind::Zip, _) => Ok((!is_absent(&present, walk)?).then_some(present)),
            (DialectKind::Native, Absence::NullPointer) => self.behind_pointer(value, walk),
            (DialectKind::Zapgen, Absence::NullPointer) => {
                Ok((self.section.load::<4>(offset) != [0; 4]).then_some(present))
            }
            (_, Absence::NullSlot) => Ok((self.section.load::<4>(offset) != [0; 4]).then_some(present)),
            (_, Absence::PresenceByte) => {
                let offset = offset.saturating_add(shape(value, self.dialect).align);
                let inner = Self { field: Field { offset, ..self.field }, ..present };
                Ok((self.load::<1>() != [0]).then_some(inner))
            }
        }
    }

    /// The slot of a value of this type in the section behind a pointer; `None` for null.
    fn behind_pointer(
        &self,
        value: &'static FieldType,
        walk: &mut Walk<'_, true>,
    ) -> Result<Option<DynamicSlot<'m>>, DecodeError> {
        let value = match value {
            // An optional pointer is one pointer, not two.
            FieldType::Pointer(value) if matches!(self.field_type, FieldType::Option(_)) => value,
            value => value,
        };
        let field = Field { offset: 0, place: self.field.place };
        if let FieldType::Record(layout) = value
            && layout().growable
        {
            // A pointer to a record that is behind a pointer anyway is that one pointer.
            let is_null = self.load::<4>() == [0; 4];
            return Ok((!is_null).then_some(self.with_type(value)));
        }
        let size = shape::pointed(value, self.dialect).width;
        let Some(section) = self.section.pointed_section(size, self.field)? else {
            return Ok(None);
        };
        walk.spend(section.bytes().len(), section.position() as usize)?;
        Ok(Some(Self::new(section, field, value, self.dialect)))
    }

    /// The growable record behind a pointer; `None` for null.
    fn behind_growable(
        &self,
        layout: &'static Layout,
        walk: &mut Walk<'_, true>,
    ) -> Result<Option<DynamicRecord<'m>>, DecodeError> {
        let Some(head) = self.section.pointed_section(LENGTH_WIDTH, self.field)? else {
            return Ok(None);
        };
        let record = DynamicRecord::grown(head, layout)?;
        walk.spend(record.section().bytes().len(), record.section().position() as usize)?;
        Ok(Some(record))
    }

    fn read_enum(&self, layout: &'static EnumLayout, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let number = match self.with_type(&layout.number).read_fixed()? {
            Value::U8(number) => u32::from(number),
            Value::U16(number) => u32::from(number),
            Value::U32(number) => number,
            _ => 0,
        };
        let variant = layout.variant(number);
        if variant.is_none() && layout.other.is_none() {
            return Err(self.error(DecodeErrorKind::UnknownVariant));
        }
        let mut value = DynamicEnum { layout, number, variant, fields: None };
        if layout.has_data {
            let field = Field { offset: self.field.offset.saturating_add(4), place: self.field.place };
            let pointer = Self { field, ..*self };
            if let Some(variant) = variant {
                value.fields = pointer.read_variant(variant.fields, walk)?;
            }
        }
        Ok(Value::Enum(value))
    }

    /// The fields of a variant, behind the pointer that this slot is.
    fn read_variant(
        &self,
        fields: Option<fn() -> &'static Layout>,
        walk: &mut Walk<'_, true>,
    ) -> Result<Option<DynamicRecord<'m>>, DecodeError> {
        let Some(layout) = fields else {
            let is_null = self.load::<4>() == [0; 4];
            return if is_null { Ok(None) } else { Err(self.error(DecodeErrorKind::UnexpectedFields)) };
        };
        let size = (layout().size as usize).max(1);
        match self.section.pointed_section(size, self.field)? {
            Some(section) => {
                walk.spend(section.bytes().len(), section.position() as usize)?;
                Ok(Some(DynamicRecord::new(section, layout())))
            }
            None => Err(self.error(DecodeErrorKind::NullPointer)),
        }
    }

    /// An element of a length-prefixed list.
    fn read_element(&self, walk: &mut Walk<'_, true>) -> Result<Value<'m>, DecodeError> {
        let entry = self.section;
        let (bytes, position) = (entry.bytes(), entry.position() as usize);
        match self.field_type {
            FieldType::Record(layout) => {
                let root = entry.embedded(layout().size as usize)?;
                spend_message(root, walk)?;
                return Ok(Value::Record(DynamicRecord::new(root, layout())));
            }
            // An element is there, whatever it holds (wire 1.6).
            FieldType::Option(value) => return Ok(Value::Option(Some(self.with_type(value)))),
            _ => walk.spend(bytes.len(), position)?,
        }
        match self.field_type {
            FieldType::Text => utf8(bytes, position).map(Value::Text),
            FieldType::Bytes => Ok(Value::Bytes(bytes)),
            element if shape(element, self.dialect).width != bytes.len() => {
                Err(DecodeError::new(DecodeErrorKind::ElementWidth, position))
            }
            FieldType::Enum(layout) => self.read_enum(layout(), walk),
            _ => self.read_fixed(),
        }
    }
}

/// The section of a record that is not growable, in or behind its slot; `None` for null.
pub(super) fn nested_section<'m>(
    section: Section<'m>,
    field: Field,
    layout: &Layout,
) -> Result<Option<Section<'m>>, DecodeError> {
    let size = layout.size as usize;
    match layout.dialect {
        DialectKind::Native => Ok(Some(section.part(field.offset, size))),
        DialectKind::Zapgen => section.pointed_section(size, field),
        DialectKind::Zip => match section.tail_section(field)? {
            None => Ok(None),
            Some(data) => data.embedded(size).map(Some),
        },
    }
}

/// Whether `rust_decimal` would write these bytes: at most 28 digits after the point, and nothing in unused bits.
fn is_decimal(bytes: &[u8; 16]) -> bool {
    let [unused_low, unused_high, scale, sign, ..] = *bytes;
    unused_low == 0 && unused_high == 0 && scale <= 28 && sign & 0x7f == 0
}
