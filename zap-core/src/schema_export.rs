//! Layouts as `.zap` schema text, for the Go schema compiler.

use core::fmt::{self, Write};

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::line::{Detail, TypeLine};
use crate::reach::Reach;
use crate::{DialectKind, EnumLayout, FieldLayout, FieldType, Layout};

/// Why a record has no schema: the field that the schema language cannot express, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaError {
    /// The record, by its name in Rust.
    pub record: &'static str,
    /// The field, by its name in Rust; empty, if it is the record itself.
    pub field: &'static str,
    /// What is wrong.
    pub reason: SchemaErrorReason,
}

/// What is wrong with the field or record that a [`SchemaError`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaErrorReason {
    /// The schema language has no such type.
    Type {
        /// The type, as the layout line spells it.
        spelled: String,
        /// Why not, and what would do.
        why: &'static str,
    },
    /// The record is growable: the length that it begins with has no place in a schema.
    Growable,
    /// The name does not make an exported Go identifier.
    Name,
    /// Another field of the record, or another record, would have the same name in Go.
    NameTaken {
        /// The name in Go.
        name: String,
    },
    /// In Go the field would be called as its struct, which the schema compiler refuses.
    NamedAsStruct,
    /// The name of the package is not a Go identifier.
    Package,
}

impl fmt::Display for SchemaErrorReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { spelled, why } => write!(f, "a schema cannot say {spelled}: {why}"),
            Self::Growable => f.write_str("a schema cannot say that a growable record begins with a length"),
            Self::Name => f.write_str("its name makes no Go identifier: give it one with #[zap(rename)]"),
            Self::NameTaken { name } => write!(f, "another one is called {name} in Go: use #[zap(rename)]"),
            Self::NamedAsStruct => f.write_str("in Go it would be called as its struct: use #[zap(rename)]"),
            Self::Package => f.write_str("the package's name is not a Go identifier"),
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, field, reason } = self;
        match *field {
            "" => write!(f, "{record}: {reason}"),
            field => write!(f, "{record}.{field}: {reason}"),
        }
    }
}

impl core::error::Error for SchemaError {}

impl Layout {
    /// This record, and all that it leads to, as the text of a `.zap` schema of the given package, which the Go schema
    /// compiler accepts. As [`schema_text`] of one record.
    ///
    /// # Errors
    ///
    /// As [`schema_text`].
    pub fn to_schema(&'static self, package: &str) -> Result<String, SchemaError> {
        schema_text(package, &[self])
    }
}

/// These records, and all that they lead to, as the text of a `.zap` schema, which the Go schema compiler accepts.
///
/// A record of the `zapgen` dialect becomes what its Go constructor and accessors are generated from. A flat record of the
/// others, of numbers, text, bytes and fixed bytes, becomes a struct with the same offsets, from which Go reads the same
/// values; to write it, use the Go runtime's builder, since a generated constructor knows nothing of alignment and rounding.
///
/// Names become exported Go identifiers: split at underscores and at whatever no identifier has, each part with a capital
/// letter: `block_hash` is `BlockHash`. A tuple's field `0` is `Field0`.
///
/// | Rust | schema |
/// |---|---|
/// | `bool`, 8 to 64-bit integers, `f32`, `f64`, text, bytes | their own types |
/// | `[u8; N]`, `Uuid`, `Decimal`, addresses | `bytes_fixed[N]` |
/// | `NonZero`, enums without data | the integer, with a comment |
/// | `zapgen`: a record, its `Option` | the struct's name |
/// | `zapgen`: a list | `list<T>` |
/// | without bytes | left out, with a comment |
///
/// # Errors
///
/// The first field that the schema language cannot express, and why: 128-bit integers, `char`, options but those above,
/// arrays of anything but bytes, lists and records in the other dialects, maps, sets, enums with data and the like, growable
/// records; and names that Go would not have.
///
/// # Examples
///
/// ```
/// use zap_core::{Zap, schema_text};
///
/// #[derive(Zap)]
/// #[zap(dialect = "zapgen")]
/// struct Reading { station: u32, level: f64, label: String }
/// #[derive(Zap)]
/// #[zap(dialect = "zapgen")]
/// struct Report { kind: u8, reading: Option<Reading>, raw_bytes: [u8; 20] }
///
/// assert_eq!(
///     schema_text("survey", &[Report::LAYOUT])?,
///     "# From Rust structs, by zap_core.
/// package survey
///
/// struct Reading {
///   Station u32 @0
///   Level f64 @4
///   Label text @12
/// }
///
/// struct Report {
///   Kind u8 @0
///   ## null if absent
///   Reading Reading @1
///   RawBytes bytes_fixed[20] @5
/// }
/// "
/// );
/// # Ok::<(), zap_core::SchemaError>(())
/// ```
pub fn schema_text(package: &str, layouts: &[&'static Layout]) -> Result<String, SchemaError> {
    let is_identifier = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if !is_identifier(package) {
        return Err(SchemaError { record: "", field: "", reason: SchemaErrorReason::Package });
    }
    let mut text = format!("# From Rust structs, by zap_core.\npackage {package}\n");
    let mut written: Vec<(String, String)> = Vec::new();
    for layout in Reach::of(layouts).records {
        let name = struct_name(layout)?;
        let body = struct_text(layout, &name)?;
        match written.iter().find(|(other, _)| *other == name) {
            // The same record by two ways.
            Some((_, same)) if *same == body => continue,
            Some(_) => return Err(refused(layout, "", SchemaErrorReason::NameTaken { name })),
            None => {}
        }
        text.push_str(&body);
        written.push((name, body));
    }
    Ok(text)
}

fn refused(layout: &Layout, field: &'static str, reason: SchemaErrorReason) -> SchemaError {
    SchemaError { record: layout.name, field, reason }
}

fn struct_name(layout: &Layout) -> Result<String, SchemaError> {
    exported(layout.name).ok_or_else(|| refused(layout, "", SchemaErrorReason::Name))
}

/// A name as an exported Go identifier.
fn exported(name: &str) -> Option<String> {
    let mut out = String::new();
    for part in name.split(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric()) {
        let mut letters = part.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert_str(0, "Field");
    }
    Some(out).filter(|out| !out.is_empty() && out.is_ascii())
}

fn struct_text(layout: &'static Layout, name: &str) -> Result<String, SchemaError> {
    if layout.growable {
        return Err(refused(layout, "", SchemaErrorReason::Growable));
    }
    let mut text = format!("\nstruct {name} {{\n");
    let mut taken: Vec<String> = Vec::new();
    for field in layout.fields {
        let refuse = |reason| refused(layout, field.name, reason);
        let go_name = exported(field.name).ok_or_else(|| refuse(SchemaErrorReason::Name))?;
        if go_name == name {
            return Err(refuse(SchemaErrorReason::NamedAsStruct));
        }
        if taken.contains(&go_name) {
            return Err(refuse(SchemaErrorReason::NameTaken { name: go_name }));
        }
        // Writing to a String does not fail.
        let _ = write_field(layout, field, &go_name, &mut text).map_err(|why| {
            let spelled = TypeLine(&field.field_type, Detail::Named).to_string();
            refuse(SchemaErrorReason::Type { spelled, why })
        })?;
        taken.push(go_name);
    }
    text.push_str("}\n");
    Ok(text)
}

/// A field's line, and the comment above it.
fn write_field(
    layout: &Layout,
    field: &FieldLayout,
    name: &str,
    text: &mut String,
) -> Result<fmt::Result, &'static str> {
    if field.width == 0 {
        return Ok(writeln!(text, "  # {name} has no bytes"));
    }
    let (spelled, comment) = match layout.dialect {
        DialectKind::Zapgen => in_zapgen(&field.field_type)?,
        DialectKind::Native | DialectKind::Zip => flat(&field.field_type)?,
    };
    if !comment.is_empty() {
        let _ = writeln!(text, "  # {comment}");
    }
    Ok(writeln!(text, "  {name} {spelled} @{}", field.offset))
}

/// The schema's type, and what it does not say.
type Spelled = Result<(String, String), &'static str>;

fn in_zapgen(field_type: &FieldType) -> Spelled {
    match field_type {
        FieldType::Record(layout) => named(layout()).map(|name| (name, String::new())),
        FieldType::Option(value) => match value {
            FieldType::Record(layout) => named(layout()).map(|name| (name, "null if absent".to_owned())),
            _ => flat(field_type),
        },
        FieldType::List(element) => {
            let (spelled, is_fixed) = match element {
                FieldType::Record(layout) => (named(layout())?, layout().fields.iter().all(|field| field.plain)),
                FieldType::Text | FieldType::Bytes => (flat(element)?.0, false),
                FieldType::List(_) => return Err("it has no lists of lists"),
                element => (flat(element)?.0, true),
            };
            let comment = if is_fixed {
                // Version 1.8.1 of the compiler, and the wire page, know no other lists.
                "every element behind its u32 length; a compiler that lays fixed-width elements side by side misreads it"
            } else {
                ""
            };
            Ok((format!("list<{spelled}>"), comment.to_owned()))
        }
        field_type => flat(field_type),
    }
}

fn named(layout: &Layout) -> Result<String, &'static str> {
    exported(layout.name).ok_or("its name makes no Go identifier")
}

/// What lies in the slot, and text and bytes: alike in all dialects.
fn flat(field_type: &FieldType) -> Spelled {
    let plain = |text: &str| Ok((text.to_owned(), String::new()));
    let bytes = |len, comment: &str| Ok((format!("bytes_fixed[{len}]"), comment.to_owned()));
    match field_type {
        FieldType::U128 | FieldType::I128 => Err("it has no 128-bit integers: use [u8; 16], or two u64"),
        FieldType::Char => Err("it has no characters: use u32 or text"),
        FieldType::Array { element: FieldType::U8, len } => bytes(*len, ""),
        FieldType::Array { .. } => Err("its arrays are of bytes: use one field an element, or [u8; N]"),
        FieldType::Ipv4Addr => bytes(4, "an IPv4 address in network order"),
        FieldType::Ipv6Addr => bytes(16, "an IPv6 address in network order"),
        FieldType::IpAddr => bytes(17, "4 or 6, then an address in network order, at the front of 16 bytes"),
        FieldType::SocketAddr => bytes(20, "4 or 6, an address in network order in 16 bytes, a gap, the port in two"),
        FieldType::Uuid => bytes(16, "a UUID in the order of RFC 9562"),
        FieldType::Decimal => bytes(16, "a decimal number as rust_decimal serialises it"),
        FieldType::NonZero(integer) => Ok((flat(integer)?.0, "never zero".to_owned())),
        FieldType::Enum(layout) => number(layout()),
        FieldType::List(_) => Err("its lists are those of the zapgen dialect"),
        FieldType::Record(_) | FieldType::Tuple(_) => {
            Err("its structs are behind pointers, as in the zapgen dialect: give the fields to the outer record")
        }
        FieldType::Option(_) => Err("only a zapgen record may be absent: use a bool beside the value"),
        FieldType::Pointer(_) => Err("it has no boxes"),
        FieldType::Map(_) | FieldType::Set(_) => {
            Err("it has no maps and sets: in the zapgen dialect use a list of records")
        }
        FieldType::Duration | FieldType::SystemTime => {
            Err("it has no times: use a u64 of seconds and a u32 of nanoseconds")
        }
        FieldType::Nothing => Err("it has no bytes"),
        simple => plain(simple.word()),
    }
}

/// An enum without data as its integer.
fn number(layout: &EnumLayout) -> Spelled {
    if layout.has_data {
        return Err("its enums have no data: use a field for the kind, and one for each variant's record");
    }
    let variants = layout.variants.iter().map(|variant| format!("{} = {}", variant.name, variant.number));
    let mut comment = variants.collect::<Vec<_>>().join(", ");
    // A line break would end the comment.
    comment.retain(|c| !c.is_control());
    Ok((layout.number.to_string(), comment))
}
