//! Layouts as constants: where each field of a record lies, in what type, for people and tools to read.

use core::fmt;

use crate::compare::SameSlot;
use crate::slot::Missing;
use crate::{Dialect, Place};

/// Whose bytes a record equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DialectKind {
    /// This crate's own: aligned fields, inline records, fixed-stride lists.
    Native,
    /// The Go schema compiler's: packed, length-prefixed lists.
    Zapgen,
    /// The Go struct encoder's: every nested value a complete message.
    Zip,
}

impl fmt::Display for DialectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::Zapgen => "zapgen",
            Self::Zip => "zip",
        })
    }
}

/// The wire type of a field.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FieldType {
    /// One byte, 0 or 1; any other value reads as true.
    Bool,
    /// One byte.
    U8,
    /// Two bytes.
    U16,
    /// Four bytes.
    U32,
    /// Eight bytes.
    U64,
    /// Sixteen bytes.
    U128,
    /// One byte, two's complement.
    I8,
    /// Two bytes, two's complement.
    I16,
    /// Four bytes, two's complement.
    I32,
    /// Eight bytes, two's complement.
    I64,
    /// Sixteen bytes, two's complement.
    I128,
    /// Four bytes, IEEE-754.
    F32,
    /// Eight bytes, IEEE-754.
    F64,
    /// A Unicode scalar value in four bytes.
    Char,
    /// UTF-8 behind a slot of offset and length.
    Text,
    /// Bytes behind a slot of offset and length.
    Bytes,
    /// A fixed number of elements inline.
    Array {
        /// Type of the elements.
        element: &'static FieldType,
        /// Number of elements.
        len: u32,
    },
    /// Elements behind a slot of offset and count.
    List(&'static FieldType),
    /// Another record; a function, since a layout may contain itself.
    Record(fn() -> &'static Layout),
    /// A value that may be absent.
    Option(&'static FieldType),
    /// A value in a section of its own behind a signed pointer: `Box<T>`.
    Pointer(&'static FieldType),
    /// Several values inline: the fields `0`, `1`, ... of the layout.
    Tuple(fn() -> &'static Layout),
    /// One of several variants; a function, since a layout may contain itself.
    Enum(fn() -> &'static EnumLayout),
    /// Entries behind a slot of offset and count, ascending by key: records of the fields `key` and `value`.
    Map(fn() -> &'static Layout),
    /// Elements behind a slot of offset and count, ascending.
    Set(&'static FieldType),
    /// An integer that is not zero.
    NonZero(&'static FieldType),
    /// Eight bytes of seconds, four of nanoseconds below 10^9, four of padding.
    Duration,
    /// As a duration, the seconds counted from 1970 and signed.
    SystemTime,
    /// Four bytes in network order.
    Ipv4Addr,
    /// Sixteen bytes in network order.
    Ipv6Addr,
    /// A byte 4 or 6, then sixteen bytes in network order.
    IpAddr,
    /// An `IpAddr`, a byte of padding, then the port in two bytes.
    SocketAddr,
    /// Sixteen bytes in the order of RFC 9562.
    Uuid,
    /// Sixteen bytes as `rust_decimal` serialises them.
    Decimal,
    /// No bytes: `PhantomData`.
    Nothing,
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array { element, len } => write!(f, "[{element}; {len}]"),
            Self::List(element) => write!(f, "list<{element}>"),
            Self::Record(layout) => f.write_str(layout().name),
            Self::Option(value) => write!(f, "option<{value}>"),
            Self::Pointer(value) => write!(f, "box<{value}>"),
            Self::Tuple(layout) => {
                f.write_str("(")?;
                for (index, field) in layout().fields.iter().enumerate() {
                    write!(f, "{}{}", if index > 0 { ", " } else { "" }, field.field_type)?;
                }
                f.write_str(")")
            }
            Self::Enum(layout) => f.write_str(layout().name),
            Self::Map(entry) => match entry().fields {
                [key, value] => write!(f, "map<{}, {}>", key.field_type, value.field_type),
                _ => f.write_str("map"),
            },
            Self::Set(element) => write!(f, "set<{element}>"),
            Self::NonZero(integer) => write!(f, "nonzero<{integer}>"),
            simple => f.write_str(simple.word()),
        }
    }
}

/// The variants of an enum.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EnumLayout {
    /// The enum's name, or its `#[zap(rename)]`.
    pub name: &'static str,
    /// What stands in the slot: without data the integer of `#[repr]`; with data a `u32` tag, and a pointer follows.
    pub number: FieldType,
    /// Whether some variant has data, so that a signed pointer to the variant's section follows the number.
    pub has_data: bool,
    /// The variants in declaration order, without the one marked `#[zap(other)]`.
    pub variants: &'static [VariantLayout],
    /// The variant that any other number reads as.
    pub other: Option<&'static str>,
}

/// One variant of an [`EnumLayout`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct VariantLayout {
    /// The variant's name, or its `#[zap(rename)]`.
    pub name: &'static str,
    /// The number that stands for it.
    pub number: u32,
    /// Its fields, as a section behind the pointer; none for a unit variant.
    pub fields: Option<fn() -> &'static Layout>,
}

impl EnumLayout {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        name: &'static str,
        number: FieldType,
        variants: &'static [VariantLayout],
        other: Option<&'static str>,
    ) -> Self {
        let mut has_data = false;
        let mut index = 0;
        while index < variants.len() {
            has_data |= variants[index].fields.is_some();
            index += 1;
        }
        Self { name, number, has_data, variants, other }
    }

    /// The variant of this number.
    #[must_use]
    pub fn variant(&self, number: u32) -> Option<&'static VariantLayout> {
        self.variants.iter().find(|variant| variant.number == number)
    }
}

impl VariantLayout {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(name: &'static str, number: u32, fields: Option<fn() -> &'static Layout>) -> Self {
        Self { name, number, fields }
    }
}

/// One field of a [`Layout`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct FieldLayout {
    /// The field's name, or its `#[zap(rename)]`; tuple fields are called by their number.
    pub name: &'static str,
    /// Its wire type.
    pub field_type: FieldType,
    /// Bytes from the start of the record's fixed section.
    pub offset: u32,
    /// Bytes it takes in the fixed section.
    pub width: u32,
    /// Its alignment in bytes, a power of two.
    pub align: u32,
    /// What errors call it.
    pub(crate) place: Place,
    /// Whether `#[zap(offset)]` has placed it.
    explicit: bool,
    pub(crate) plain: bool,
    pub(crate) infallible: bool,
    pub(crate) nested: bool,
    pub(crate) tails: u32,
    pub(crate) missing: Missing,
    pub(crate) same: SameSlot,
}

impl fmt::Debug for FieldLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, field_type, offset, width, align, .. } = self;
        let mut out = f.debug_struct("FieldLayout");
        out.field("name", name).field("field_type", field_type);
        out.field("offset", offset).field("width", width).field("align", align).finish()
    }
}

/// The largest offset of a field, and the largest section: as far as a signed pointer reaches.
const MAX_OFFSET: u32 = i32::MAX as u32;

/// Stands in for the offset of a field that has not been placed yet.
const UNPLACED: u32 = u32::MAX;

/// What a slot type says of itself, as a value.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct SlotShape {
    pub(crate) field_type: FieldType,
    pub(crate) width: usize,
    pub(crate) align: usize,
    pub(crate) plain: bool,
    pub(crate) infallible: bool,
    pub(crate) nested: bool,
    pub(crate) tails: u32,
    pub(crate) missing: Missing,
    pub(crate) same: SameSlot,
}

impl SlotShape {
    /// A field of this shape, not placed yet.
    #[must_use]
    pub const fn named(self, name: &'static str) -> FieldLayout {
        let Self { field_type, width, align, plain, infallible, nested, tails, missing, same } = self;
        // Too wide a field is refused when it is placed.
        let width = if width < UNPLACED as usize { width as u32 } else { UNPLACED };
        FieldLayout {
            name,
            field_type,
            offset: UNPLACED,
            width,
            align: align as u32,
            place: Place { record: "", field: name },
            explicit: false,
            plain,
            infallible,
            nested,
            tails,
            missing,
            same,
        }
    }
}

impl FieldLayout {
    /// The same field at an explicit offset.
    #[doc(hidden)]
    #[must_use]
    pub const fn at(self, offset: u32) -> Self {
        Self { offset, explicit: true, ..self }
    }

    /// The first byte after the field.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.offset.saturating_add(self.width)
    }

    /// Whether the two share a byte.
    const fn overlaps(&self, other: &Self) -> bool {
        self.offset < other.end() && other.offset < self.end() && self.width > 0 && other.width > 0
    }
}

/// Gives every field of record `record` without an explicit offset the next one in declaration order, at its own
/// alignment.
#[doc(hidden)]
#[must_use]
pub const fn place<const N: usize>(record: &'static str, fields: [FieldLayout; N]) -> [FieldLayout; N] {
    place_after(record, 0, fields)
}

/// As [`place`], behind `start` bytes that are something else's.
#[doc(hidden)]
#[must_use]
pub const fn place_after<const N: usize>(
    record: &'static str,
    start: u32,
    mut fields: [FieldLayout; N],
) -> [FieldLayout; N] {
    let mut end = start;
    let mut index = 0;
    while index < N {
        let field = &mut fields[index];
        field.place.record = record;
        if field.offset == UNPLACED {
            // Saturates beyond what `Layout::new` accepts.
            field.offset = if end > MAX_OFFSET { end } else { end.next_multiple_of(field.align) };
        }
        end = field.end();
        index += 1;
    }
    fields
}

/// What is wrong with the place of field `index`, if anything: as far as the other fields before it, and those after it
/// that have no explicit offset themselves, so that one mistake makes one message.
const fn misplaced(fields: &[FieldLayout], index: usize) -> Option<Sentence> {
    let field = &fields[index];
    if field.end() > MAX_OFFSET {
        let text = Sentence::new("field `").and(field.name).and("` ends at byte ");
        let text = text.number(field.offset as u64 + field.width as u64);
        return Some(text.and(", and a record at most at 2147483647"));
    }
    if !field.offset.is_multiple_of(field.align) {
        let text = Sentence::new("field `").and(field.name).and("` must lie at a multiple of ");
        let text = text.number(field.align as u64).and(": the next one is ");
        return Some(text.number(field.offset.next_multiple_of(field.align) as u64));
    }
    let mut other = 0;
    while other < fields.len() {
        let them = &fields[other];
        if field.overlaps(them) && (other < index || (other > index && !them.explicit)) {
            let text = Sentence::new("field `").and(field.name).and("` would lie at ").range(field);
            let text = text.and(" and overlap field `").and(them.name).and("` at ").range(them);
            return Some(text.and(": move one of them"));
        }
        other += 1;
    }
    None
}

/// Refuses, where the derive calls it, the explicit offset of field `index` of record `R`.
#[doc(hidden)]
#[track_caller]
pub const fn check_offset<R: crate::Zap>(index: usize) {
    if let Some(sentence) = misplaced(R::FIELDS, index) {
        panic!("{}", sentence.as_str());
    }
}

/// Refuses, where the derive calls it, that field `index` of record `R`, which has no explicit offset but follows one,
/// lies over an earlier field that has none either. An overlap with an explicit offset is that offset's mistake.
#[doc(hidden)]
#[track_caller]
pub const fn check_moved<R: crate::Zap>(index: usize) {
    let field = &R::FIELDS[index];
    let mut other = 0;
    while other < index {
        let before = &R::FIELDS[other];
        if !before.explicit && field.overlaps(before) {
            let sentence = Sentence::new("field `").and(field.name).and("` would overlap field `").and(before.name);
            panic!("{}", sentence.and("`: give one of them an #[zap(offset)]").as_str());
        }
        other += 1;
    }
}

/// Refuses, where the derive calls it, a type whose layout makes it no field.
#[doc(hidden)]
#[track_caller]
pub const fn check_fault(fault: &str) {
    if !fault.is_empty() {
        panic!("{}", fault);
    }
}

/// Refuses, where the derive calls it, a record that is too large.
#[doc(hidden)]
#[track_caller]
pub const fn check_size<R: crate::Zap>() {
    assert!(R::LAYOUT.size <= MAX_OFFSET, "this ZAP record is larger than 2147483647 bytes");
}

/// A message that is put together at compile time; what does not fit is left out.
struct Sentence {
    bytes: [u8; 256],
    len: usize,
}

impl Sentence {
    const fn new(text: &str) -> Self {
        Self { bytes: [0; 256], len: 0 }.and(text)
    }

    const fn and(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if text.len() <= self.bytes.len() - self.len {
            self.bytes.split_at_mut(self.len).1.split_at_mut(text.len()).0.copy_from_slice(text);
            self.len += text.len();
        }
        self
    }

    const fn number(mut self, value: u64) -> Self {
        if value >= 10 {
            self = self.number(value / 10);
        }
        let digit = [b'0' + (value % 10) as u8];
        match core::str::from_utf8(&digit) {
            Ok(digit) => self.and(digit),
            Err(_) => self,
        }
    }

    const fn range(self, field: &FieldLayout) -> Self {
        self.number(field.offset as u64).and("..").number(field.end() as u64)
    }

    const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// Where each field of a record lies.
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Reading<'a> {
///     station: u32,
///     level: f64,
///     label: &'a str,
/// }
///
/// assert_eq!(Reading::LAYOUT.size, 24);
/// assert_eq!(Reading::LAYOUT.field("label").unwrap().offset, 16);
/// assert_eq!(
///     Reading::LAYOUT.to_string(),
///     "Reading: native, 24 bytes, alignment 8\n\
///      offset  width  type  field\n\
///      \x20    0      4  u32   station\n\
///      \x20    8      8  f64   level\n\
///      \x20   16      8  text  label\n"
/// );
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Layout {
    /// The record's name, or its `#[zap(rename)]`.
    pub name: &'static str,
    /// Whose bytes it equals.
    pub dialect: DialectKind,
    /// The version its messages carry in their header, 1 or 2.
    pub version: u16,
    /// Bytes of the fixed section.
    pub size: u32,
    /// Alignment of the fixed section in bytes, a power of two.
    pub align: u32,
    /// Whether the section begins with the hidden `u32` of a `#[zap(growable)]` record: the unrounded end of the last
    /// field its writer knew. As a field or element, such a record is behind a signed pointer.
    pub growable: bool,
    /// The fields in declaration order.
    pub fields: &'static [FieldLayout],
    /// What errors name that are about the whole record.
    pub(crate) place: Place,
}

impl Layout {
    #[doc(hidden)]
    #[must_use]
    pub const fn new<D: Dialect>(name: &'static str, version: u16, fields: &'static [FieldLayout]) -> Self {
        let mut end = 0;
        let mut align = 1;
        let mut index = 0;
        while index < fields.len() {
            let field = &fields[index];
            if field.end() > end {
                end = field.end();
            }
            if field.align > align {
                align = field.align;
            }
            index += 1;
        }
        let size = match D::KIND {
            _ if end > MAX_OFFSET => end,
            DialectKind::Native => end.next_multiple_of(align),
            DialectKind::Zapgen => end,
            DialectKind::Zip => end.next_multiple_of(8),
        };
        Self {
            name,
            dialect: D::KIND,
            version,
            size,
            align,
            growable: false,
            fields,
            place: Place { record: name, field: "" },
        }
    }

    /// The same with the hidden length of a growable record in front, for which its fields have left room.
    #[doc(hidden)]
    #[must_use]
    pub const fn growable(mut self) -> Self {
        let length = size_of::<u32>() as u32;
        self.growable = true;
        self.align = if self.align > length { self.align } else { length };
        self.size = if self.size > length { self.size } else { length };
        self.size = if self.size > MAX_OFFSET { self.size } else { self.size.next_multiple_of(self.align) };
        self
    }

    /// Refuses what the derive cannot refuse on the spot, since the record is generic.
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn checked(self) -> Self {
        let mut index = 0;
        let mut end = 0;
        while index < self.fields.len() {
            let field = &self.fields[index];
            // Without explicit offsets every field lies behind the others.
            if (field.explicit || field.offset < end)
                && let Some(sentence) = misplaced(self.fields, index)
            {
                panic!("{}", sentence.as_str());
            }
            if field.end() > end {
                end = field.end();
            }
            index += 1;
        }
        assert!(self.size <= MAX_OFFSET, "this ZAP record is larger than 2147483647 bytes");
        self
    }

    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static FieldLayout> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Bytes of the fixed section where the record is the root of a message.
    #[must_use]
    pub const fn root_size(&self) -> usize {
        match self.dialect {
            DialectKind::Native => self.size.next_multiple_of(8) as usize,
            DialectKind::Zapgen | DialectKind::Zip => self.size as usize,
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use alloc::string::ToString;

        let Self { name, dialect, size, align, .. } = self;
        writeln!(f, "{name}: {dialect}, {size} bytes, alignment {align}")?;
        let types = self.fields.iter().map(|field| field.field_type.to_string());
        let width = types.clone().map(|text| text.len()).max().unwrap_or_default().max(4);
        writeln!(f, "offset  width  {:width$}  field", "type")?;
        for (field, field_type) in self.fields.iter().zip(types) {
            writeln!(f, "{:6}  {:5}  {field_type:width$}  {}", field.offset, field.width, field.name)?;
        }
        Ok(())
    }
}
