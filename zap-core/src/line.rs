//! The layout line: a record's wire layout as one line of text, at run time. `pin.rs` spells the same line in constants.

use core::fmt::{self, Formatter, Write};

use crate::{DialectKind, EnumLayout, FieldType, Layout};

/// A layout as one line of text: what [`Layout::line`] returns.
///
/// # The line
///
/// ```text
/// line    = [ "zapgen " | "zip " ] [ "version:2 " ] [ "growable " ] section
/// section = { name ":" type "@" offset " " } "size:" bytes
/// ```
///
/// Fields stand in declaration order, the offsets count from the start of the fixed section, and the size is that of the
/// section before a root is rounded up to 8. A type is one of
///
/// | type | spelled |
/// |---|---|
/// | scalar, text, bytes, and the other types without parts | `bool`, `u8` ... `i128`, `f32`, `f64`, `char`, `text`, `bytes`, `duration`, `uuid`, ... |
/// | array | `[u8;20]` |
/// | list, set, option, box, number that is not zero | `list<text>`, `set<u32>`, `option<u8>`, `box<u64>`, `nonzero<u8>` |
/// | map | `map<text,u32>/12`, with the stride of its entries |
/// | record or tuple that lies inline | its section: `{x:f32@0 y:f32@4 size:8}` |
/// | record behind a pointer or in a list | its name and its size, which is the stride: `Point/8`; of a growable record `Point/growable` |
/// | tuple there | `(u8,text)/12` |
/// | enum | its name, the type of its number, its variants: `Side(u8 Buy=0 Sell=1)`; a variant with data also has the size of its section, `Circle=0/8`; the variant that any other number reads as stands last, `Unknown=_` |
#[derive(Clone, Copy)]
pub struct LayoutLine<'a>(pub(crate) &'a Layout);

impl Layout {
    /// The layout as one line of text, for `#[zap(pin)]` and for people.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::Zap;
    ///
    /// #[derive(Zap)]
    /// struct Point { x: f32, y: f32 }
    /// #[derive(Zap)]
    /// struct Tree { at: Point, kids: Vec<Tree>, name: String }
    ///
    /// assert_eq!(Point::LAYOUT.line().to_string(), "x:f32@0 y:f32@4 size:8");
    /// assert_eq!(
    ///     Tree::LAYOUT.line().to_string(),
    ///     "at:{x:f32@0 y:f32@4 size:8}@0 kids:list<Tree/24>@8 name:text@16 size:24"
    /// );
    /// ```
    #[must_use]
    pub fn line(&self) -> LayoutLine<'_> {
        LayoutLine(self)
    }

    /// Whether the record, as a field, lies in its slot; if not, a pointer to it does.
    pub(crate) const fn is_inline(&self) -> bool {
        matches!(self.dialect, DialectKind::Native) && !self.growable
    }
}

impl fmt::Display for LayoutLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_head(self.0, f)?;
        write_section(self.0, f)
    }
}

impl fmt::Debug for LayoutLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How much of a type is spelled out.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Detail {
    /// Inline records and tuples, and enums.
    Inline,
    /// Enums.
    Pointed,
    /// Nothing that has a name.
    Named,
}

impl Detail {
    /// As much of what is behind a pointer.
    fn behind_pointer(self) -> Self {
        match self {
            Self::Inline | Self::Pointed => Self::Pointed,
            Self::Named => Self::Named,
        }
    }
}

/// A type in the words of the line.
pub(crate) struct TypeLine<'a>(pub(crate) &'a FieldType, pub(crate) Detail);

impl fmt::Display for TypeLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_type(self.0, self.1, f)
    }
}

/// What stands before the section.
pub(crate) fn write_head(layout: &Layout, f: &mut impl Write) -> fmt::Result {
    match layout.dialect {
        DialectKind::Native => {}
        dialect => write!(f, "{dialect} ")?,
    }
    if layout.version != 1 {
        write!(f, "version:{} ", layout.version)?;
    }
    if layout.growable {
        f.write_str("growable ")?;
    }
    Ok(())
}

fn write_section(layout: &Layout, f: &mut impl Write) -> fmt::Result {
    for field in layout.fields {
        write!(f, "{}:", field.name)?;
        write_type(&field.field_type, Detail::Inline, f)?;
        write!(f, "@{} ", field.offset)?;
    }
    write!(f, "size:{}", layout.size)
}

fn write_type(field_type: &FieldType, detail: Detail, f: &mut impl Write) -> fmt::Result {
    let mut wrapped = |name: &str, inner: &FieldType| {
        write!(f, "{name}<")?;
        write_type(inner, detail.behind_pointer(), f)?;
        f.write_char('>')
    };
    match field_type {
        FieldType::List(element) => wrapped("list", element),
        FieldType::Set(element) => wrapped("set", element),
        FieldType::Option(value) => wrapped("option", value),
        FieldType::Pointer(value) => wrapped("box", value),
        FieldType::NonZero(integer) => wrapped("nonzero", integer),
        FieldType::Array { element, len } => {
            f.write_char('[')?;
            write_type(element, detail, f)?;
            write!(f, ";{len}]")
        }
        FieldType::Record(layout) => write_record(layout(), detail, f),
        FieldType::Tuple(layout) if detail == Detail::Inline => write_braced(layout(), f),
        FieldType::Tuple(layout) => write_elements("(", layout(), ")", detail, f),
        FieldType::Map(entry) => write_elements("map<", entry(), ">", detail, f),
        FieldType::Enum(layout) if detail == Detail::Named => {
            let EnumLayout { name, number, .. } = layout();
            write!(f, "{name}/{number}")
        }
        FieldType::Enum(layout) => write_enum(layout(), f),
        simple => write!(f, "{simple}"),
    }
}

fn write_record(layout: &Layout, detail: Detail, f: &mut impl Write) -> fmt::Result {
    if detail == Detail::Inline && layout.is_inline() { write_braced(layout, f) } else { write_pointed(layout, f) }
}

fn write_braced(layout: &Layout, f: &mut impl Write) -> fmt::Result {
    f.write_char('{')?;
    write_section(layout, f)?;
    f.write_char('}')
}

fn write_pointed(layout: &Layout, f: &mut impl Write) -> fmt::Result {
    match layout.growable {
        true => write!(f, "{}/growable", layout.name),
        false => write!(f, "{}/{}", layout.name, layout.size),
    }
}

/// The types of the fields without their offsets, which follow from the types, and the size.
fn write_elements(open: &str, layout: &Layout, close: &str, detail: Detail, f: &mut impl Write) -> fmt::Result {
    f.write_str(open)?;
    for (index, field) in layout.fields.iter().enumerate() {
        if index > 0 {
            f.write_char(',')?;
        }
        write_type(&field.field_type, detail.behind_pointer(), f)?;
    }
    write!(f, "{close}/{}", layout.size)
}

fn write_enum(layout: &EnumLayout, f: &mut impl Write) -> fmt::Result {
    write!(f, "{}({}", layout.name, layout.number)?;
    for variant in layout.variants {
        write!(f, " {}={}", variant.name, variant.number)?;
        if let Some(fields) = variant.fields {
            write!(f, "/{}", fields().size)?;
        }
    }
    if let Some(other) = layout.other {
        write!(f, " {other}=_")?;
    }
    f.write_char(')')
}
