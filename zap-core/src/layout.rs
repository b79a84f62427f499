//! Layouts as constants: where each field of a record lies, in what type, for people and tools to read.

use core::fmt;

use crate::{Dialect, Slot};

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
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::U8 => f.write_str("u8"),
            Self::U16 => f.write_str("u16"),
            Self::U32 => f.write_str("u32"),
            Self::U64 => f.write_str("u64"),
            Self::U128 => f.write_str("u128"),
            Self::I8 => f.write_str("i8"),
            Self::I16 => f.write_str("i16"),
            Self::I32 => f.write_str("i32"),
            Self::I64 => f.write_str("i64"),
            Self::I128 => f.write_str("i128"),
            Self::F32 => f.write_str("f32"),
            Self::F64 => f.write_str("f64"),
            Self::Char => f.write_str("char"),
            Self::Text => f.write_str("text"),
            Self::Bytes => f.write_str("bytes"),
            Self::Array { element, len } => write!(f, "[{element}; {len}]"),
            Self::List(element) => write!(f, "list<{element}>"),
            Self::Record(layout) => f.write_str(layout().name),
            Self::Option(value) => write!(f, "option<{value}>"),
        }
    }
}

/// One field of a [`Layout`].
#[derive(Clone, Copy, Debug)]
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
}

/// Stands in for the offset of a field that has not been placed yet.
const UNPLACED: u32 = u32::MAX;

impl FieldLayout {
    /// The layout of a field of type `T`, at `offset` or wherever declaration order puts it.
    #[doc(hidden)]
    #[must_use]
    pub const fn of<D: Dialect, T: Slot<D> + ?Sized>(name: &'static str, offset: Option<u32>) -> Self {
        Self {
            name,
            field_type: T::TYPE,
            offset: match offset {
                Some(offset) => offset,
                None => UNPLACED,
            },
            width: T::WIDTH as u32,
            align: T::ALIGN as u32,
        }
    }

    /// The first byte after the field.
    #[must_use]
    pub const fn end(&self) -> u32 {
        self.offset.saturating_add(self.width)
    }
}

/// Gives every field without an explicit offset the next one in declaration order, at its own alignment.
#[doc(hidden)]
#[must_use]
pub const fn place<const N: usize>(mut fields: [FieldLayout; N]) -> [FieldLayout; N] {
    let mut end = 0_u32;
    let mut index = 0;
    while index < N {
        let field = &mut fields[index];
        if field.offset == UNPLACED {
            field.offset = end.next_multiple_of(field.align);
        }
        end = field.end();
        index += 1;
    }
    fields
}

/// Whether no other field shares a byte with field `index`.
#[doc(hidden)]
#[must_use]
pub const fn lies_apart(fields: &[FieldLayout], index: usize) -> bool {
    let field = &fields[index];
    let mut other = 0;
    while other < fields.len() {
        let them = &fields[other];
        if other != index && field.offset < them.end() && them.offset < field.end() && field.width > 0 && them.width > 0
        {
            return false;
        }
        other += 1;
    }
    true
}

/// Whether field `index` lies at a multiple of its alignment.
#[doc(hidden)]
#[must_use]
pub const fn is_aligned(fields: &[FieldLayout], index: usize) -> bool {
    fields[index].offset.is_multiple_of(fields[index].align)
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
    /// The fields in declaration order.
    pub fields: &'static [FieldLayout],
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
            assert!(field.offset < UNPLACED - field.width, "a field of this ZAP record ends beyond 4 GiB");
            if field.end() > end {
                end = field.end();
            }
            if field.align > align {
                align = field.align;
            }
            assert!(
                lies_apart(fields, index),
                "two fields of this ZAP record overlap: give one of them another #[zap(offset)]"
            );
            assert!(
                is_aligned(fields, index),
                "a field of this ZAP record is not at a multiple of its alignment: give it another #[zap(offset)]"
            );
            index += 1;
        }
        let size = match D::KIND {
            DialectKind::Native => end.next_multiple_of(align),
            DialectKind::Zapgen => end,
            DialectKind::Zip => end.next_multiple_of(8),
        };
        assert!(
            size <= i32::MAX as u32,
            "the fixed section of this ZAP record is larger than a signed pointer reaches"
        );
        Self { name, dialect: D::KIND, version, size, align, fields }
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

    #[doc(hidden)]
    #[must_use]
    pub const fn offset(&self, index: usize) -> usize {
        self.fields[index].offset as usize
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
