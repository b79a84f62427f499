//! Whether a reader of one layout can read messages of another.

use core::fmt;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::line::{Detail, TypeLine};
use crate::{DialectKind, EnumLayout, FieldLayout, FieldType, Layout, VariantLayout};

/// Why a reader cannot read the messages of another layout: the first field that stands in the way, and what is wrong
/// with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incompatibility {
    /// The name of the reader's root record.
    pub record: &'static str,
    /// The way from the root to the field, as `lines[].price`: `[]` is an element of a list, set or array, `{key}` and
    /// `{value}` an entry of a map, `(Circle)` a variant of an enum. Empty, if it is the root record itself.
    pub path: String,
    /// What is wrong there.
    pub reason: IncompatibilityReason,
}

/// What is wrong with the field that an [`Incompatibility`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncompatibilityReason {
    /// The two records are of different dialects.
    Dialect {
        /// The writer's.
        older: DialectKind,
        /// The reader's.
        newer: DialectKind,
    },
    /// One of the two records is growable, the other is not.
    Growable,
    /// The writer has a field of this name at another offset.
    Moved {
        /// The writer's offset.
        older: u32,
        /// The reader's offset.
        newer: u32,
    },
    /// The types differ.
    Type {
        /// The writer's, as the layout line spells it.
        older: String,
        /// The reader's.
        newer: String,
    },
    /// The writer does not have the field, so that its messages hold something else there, or nothing. Only a growable
    /// record may get further fields, and only behind those that the writer knew.
    Added,
    /// The writer's growable record ends inside the field.
    EndsInside {
        /// Where the last field that the writer knew ends.
        end: u32,
    },
    /// Elements lie side by side, and are of another size.
    Stride {
        /// The writer's, in bytes.
        older: u32,
        /// The reader's.
        newer: u32,
    },
    /// The reader's section is longer than the writer's.
    Size {
        /// The writer's, in bytes.
        older: u32,
        /// The reader's.
        newer: u32,
    },
    /// The writer's variant of this name has another number.
    VariantNumber {
        /// The writer's.
        older: u32,
        /// The reader's.
        newer: u32,
    },
    /// The writer has a variant that the reader neither knows nor reads as `#[zap(other)]`.
    VariantUnknown {
        /// Its number.
        number: u32,
    },
    /// The writer keeps unknown numbers in its `#[zap(other)]` variant and may pass them on; the reader has none.
    OtherRemoved,
}

impl fmt::Display for IncompatibilityReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dialect { older, newer } => write!(f, "its dialect was {older} and is {newer}"),
            Self::Growable => f.write_str("only one of the two layouts is growable"),
            Self::Moved { older, newer } => write!(f, "it moved from offset {older} to {newer}"),
            Self::Type { older, newer } => write!(f, "its type was {older} and is {newer}"),
            Self::Added => f.write_str("the older layout does not have it"),
            Self::EndsInside { end } => write!(f, "the older layout ends at byte {end}, inside of it"),
            Self::Stride { older, newer } => write!(f, "its stride was {older} bytes and is {newer}"),
            Self::Size { older, newer } => write!(f, "it had {older} bytes and has {newer}"),
            Self::VariantNumber { older, newer } => write!(f, "its number was {older} and is {newer}"),
            Self::VariantUnknown { number } => {
                write!(f, "the reader neither knows number {number} nor has a variant for others")
            }
            Self::OtherRemoved => {
                f.write_str("the reader has no variant for unknown numbers, which the writer passes on")
            }
        }
    }
}

impl fmt::Display for Incompatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, path, reason } = self;
        match path.as_str() {
            "" => write!(f, "{record}: {reason}"),
            path => write!(f, "{record}.{path}: {reason}"),
        }
    }
}

impl core::error::Error for Incompatibility {}

impl Layout {
    /// Whether a reader of this layout reads every message of `older` and finds in it what was written.
    ///
    /// That is asked in one direction. A new reader of old messages: `New::LAYOUT.can_read(Old::LAYOUT)`. An old reader
    /// of new messages: `Old::LAYOUT.can_read(New::LAYOUT)`. While both versions run, ask both.
    ///
    /// What counts is where values lie, and in what type:
    ///
    /// * Names do not: a renamed field, record or variant reads the same bytes. But a name that now stands at another offset
    ///   is a field that moved, whatever fits there.
    /// * Types are equal or not: nothing is widened, and `u32` is not `i32`. Inline records and tuples are their fields:
    ///   to group fields changes nothing.
    /// * A field that only the writer has is skipped, unless elements then lie at another stride.
    /// * A field that only the reader has is an [`Added`](IncompatibilityReason::Added) one. In a growable record it is
    ///   its `Default`, if it lies behind everything that the writer knew. In others it is an incompatibility, even
    ///   where it happens to fall into padding and would read as zero.
    /// * Of an enum the reader must know every number of the writer, or have a variant marked `#[zap(other)]`.
    /// * The version in the header does not matter: readers take both.
    ///
    /// # Errors
    ///
    /// The first field, in the reader's order, that stands in the way.
    ///
    /// # Examples
    ///
    /// ```
    /// use zap_core::{IncompatibilityReason, Zap};
    ///
    /// mod v1 {
    ///     #[derive(zap_core::Zap)]
    ///     pub struct Line { pub article: u32, pub count: u16 }
    ///     #[derive(zap_core::Zap)]
    ///     pub struct Order { pub id: u64, pub lines: Vec<Line> }
    /// }
    /// mod v2 {
    ///     #[derive(zap_core::Zap)]
    ///     pub struct Line { pub article: u32, pub count: u32 }
    ///     #[derive(zap_core::Zap)]
    ///     pub struct Order { pub id: u64, pub lines: Vec<Line> }
    /// }
    ///
    /// let error = v2::Order::LAYOUT.can_read(v1::Order::LAYOUT).unwrap_err();
    /// assert_eq!(error.path, "lines[].count");
    /// assert!(matches!(error.reason, IncompatibilityReason::Type { .. }));
    /// assert_eq!(error.to_string(), "Order.lines[].count: its type was u16 and is u32");
    /// ```
    ///
    /// # Cost
    ///
    /// Proportional to the number of pairs of records that can be reached; allocates. For tests and tools.
    pub fn can_read(&self, older: &Self) -> Result<(), Incompatibility> {
        let mut comparison = Comparison { path: Vec::new(), seen: Vec::new() };
        comparison.section(self, older, Place::Root).map_err(|(path, reason)| Incompatibility {
            record: self.name,
            path,
            reason,
        })
    }
}

/// Where a section lies.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// At the root of a message.
    Root,
    /// Behind a pointer of its own: a longer one is read as far as it is known.
    Pointed,
    /// Side by side with others, so that both must be of one size.
    Row,
}

type Found = Result<(), (String, IncompatibilityReason)>;

struct Comparison {
    /// The way to what is being compared.
    path: Vec<String>,
    /// Pairs that are compared or being compared, by address: a record may contain itself.
    seen: Vec<(*const Layout, *const Layout)>,
}

/// A field as it lies in a section, inline records and tuples taken apart.
struct Leaf<'a> {
    name: String,
    offset: u32,
    field: &'a FieldLayout,
}

/// Takes the inline records and tuples among `fields` apart. Those cannot contain themselves.
fn leaves<'a>(fields: &'a [FieldLayout], prefix: &str, base: u32, out: &mut Vec<Leaf<'a>>) {
    for field in fields {
        let name = format!("{prefix}{}", field.name);
        let offset = base.saturating_add(field.offset);
        match inline_fields(&field.field_type) {
            Some(layout) => leaves(layout.fields, &format!("{name}."), offset, out),
            None if field.width == 0 => {}
            None => out.push(Leaf { name, offset, field }),
        }
    }
}

/// The section of a record or tuple that lies inline.
fn inline_fields(field_type: &FieldType) -> Option<&'static Layout> {
    match field_type {
        FieldType::Record(layout) | FieldType::Tuple(layout) => Some(layout()).filter(|layout| layout.is_inline()),
        _ => None,
    }
}

/// The end of the last field.
fn end_of(layout: &Layout) -> u32 {
    layout.fields.iter().map(FieldLayout::end).max().unwrap_or_default()
}

impl Comparison {
    fn fail(&self, reason: IncompatibilityReason) -> Found {
        // Brackets stand right behind a name, names behind a dot.
        let mut path = String::new();
        for part in &self.path {
            if !path.is_empty() && !part.starts_with(['[', '{', '(']) {
                path.push('.');
            }
            path.push_str(part);
        }
        Err((path, reason))
    }

    /// Compares below `part` of the path.
    fn within(&mut self, part: String, compare: impl FnOnce(&mut Self) -> Found) -> Found {
        self.path.push(part);
        compare(self)?;
        self.path.pop();
        Ok(())
    }

    fn section(&mut self, newer: &Layout, older: &Layout, place: Place) -> Found {
        if newer.dialect != older.dialect {
            return self.fail(IncompatibilityReason::Dialect { older: older.dialect, newer: newer.dialect });
        }
        if newer.growable != older.growable {
            return self.fail(IncompatibilityReason::Growable);
        }
        let pair = (core::ptr::from_ref(newer), core::ptr::from_ref(older));
        if !self.seen.contains(&pair) {
            self.seen.push(pair);
            self.fields(newer, older)?;
        }
        let size = |layout: &Layout| match place {
            Place::Root => layout.root_size() as u32,
            Place::Pointed | Place::Row => layout.size,
        };
        match (place, size(older), size(newer)) {
            (Place::Row, older, newer) if older != newer => self.fail(IncompatibilityReason::Stride { older, newer }),
            (_, older, newer_size) if older < newer_size && !newer.growable => {
                self.fail(IncompatibilityReason::Size { older, newer: newer_size })
            }
            _ => Ok(()),
        }
    }

    fn fields(&mut self, newer: &Layout, older: &Layout) -> Found {
        let (mut mine, mut theirs) = (Vec::new(), Vec::new());
        let known = if newer.growable { end_of(older) } else { u32::MAX };
        for field in newer.fields.iter().filter(|field| field.offset < known) {
            // The reader takes a field whole or not at all.
            if field.end() > known {
                let reason = IncompatibilityReason::EndsInside { end: known };
                return self.within(field.name.to_owned(), |this| this.fail(reason));
            }
            leaves(core::slice::from_ref(field), "", 0, &mut mine);
        }
        leaves(older.fields, "", 0, &mut theirs);
        for leaf in &mine {
            let same_name = theirs.iter().find(|their| their.name == leaf.name);
            let same_place = theirs.iter().find(|their| their.offset == leaf.offset);
            self.within(leaf.name.clone(), |this| match (same_name, same_place) {
                (Some(their), _) if their.offset != leaf.offset => {
                    this.fail(IncompatibilityReason::Moved { older: their.offset, newer: leaf.offset })
                }
                (_, Some(their)) => this.types(&leaf.field.field_type, &their.field.field_type),
                _ => this.fail(IncompatibilityReason::Added),
            })?;
        }
        Ok(())
    }

    fn types(&mut self, newer: &FieldType, older: &FieldType) -> Found {
        let element = || "[]".to_owned();
        match (newer, older) {
            (FieldType::List(newer), FieldType::List(older)) | (FieldType::Set(newer), FieldType::Set(older)) => {
                self.within(element(), |this| this.element(newer, older))
            }
            (FieldType::Array { element: newer, len }, FieldType::Array { element: older, len: older_len })
                if len == older_len =>
            {
                self.within(element(), |this| this.element(newer, older))
            }
            (FieldType::Map(newer), FieldType::Map(older)) => self.entry(newer(), older()),
            (FieldType::Option(newer), FieldType::Option(older))
            | (FieldType::Pointer(newer), FieldType::Pointer(older)) => self.pointed(newer, older),
            (FieldType::NonZero(newer), FieldType::NonZero(older)) => self.types(newer, older),
            (FieldType::Record(_) | FieldType::Tuple(_), FieldType::Record(_) | FieldType::Tuple(_)) => {
                self.pointed(newer, older)
            }
            (FieldType::Enum(newer), FieldType::Enum(older)) => self.enumeration(newer(), older()),
            (newer, older) if is_simple(newer) && core::mem::discriminant(newer) == core::mem::discriminant(older) => {
                Ok(())
            }
            (newer, older) => self.fail(changed(newer, older)),
        }
    }

    /// A section behind a pointer, or another value that is alone where it lies.
    fn pointed(&mut self, newer: &FieldType, older: &FieldType) -> Found {
        match (layout_of(newer), layout_of(older)) {
            (Some(newer), Some(older)) => self.section(newer, older, Place::Pointed),
            (None, None) => self.types(newer, older),
            _ => self.fail(changed(newer, older)),
        }
    }

    /// An element beside others.
    fn element(&mut self, newer: &FieldType, older: &FieldType) -> Found {
        match (layout_of(newer), layout_of(older)) {
            (Some(newer), Some(older)) if newer.is_inline() => self.section(newer, older, Place::Row),
            _ => self.pointed(newer, older),
        }
    }

    fn entry(&mut self, newer: &Layout, older: &Layout) -> Found {
        for (newer, older) in newer.fields.iter().zip(older.fields) {
            self.within(format!("{{{}}}", newer.name), |this| this.element(&newer.field_type, &older.field_type))?;
        }
        if newer.size != older.size {
            return self.fail(IncompatibilityReason::Stride { older: older.size, newer: newer.size });
        }
        Ok(())
    }

    fn enumeration(&mut self, newer: &EnumLayout, older: &EnumLayout) -> Found {
        let numbers = (newer.number.to_string(), older.number.to_string());
        if numbers.0 != numbers.1 || newer.has_data != older.has_data {
            let spelled = |number, has_data| format!("an enum of {number}{}", if has_data { " with data" } else { "" });
            return self.fail(IncompatibilityReason::Type {
                older: spelled(numbers.1, older.has_data),
                newer: spelled(numbers.0, newer.has_data),
            });
        }
        for their in older.variants {
            let renumbered = newer.variants.iter().find(|mine| mine.name == their.name && mine.number != their.number);
            self.within(format!("({})", their.name), |this| match (renumbered, newer.variant(their.number)) {
                (Some(mine), _) => {
                    this.fail(IncompatibilityReason::VariantNumber { older: their.number, newer: mine.number })
                }
                (None, Some(mine)) => this.variant(mine, their),
                (None, None) if newer.other.is_some() => Ok(()),
                (None, None) => this.fail(IncompatibilityReason::VariantUnknown { number: their.number }),
            })?;
        }
        match (newer.other, older.other) {
            (None, Some(_)) => self.fail(IncompatibilityReason::OtherRemoved),
            _ => Ok(()),
        }
    }

    fn variant(&mut self, newer: &VariantLayout, older: &VariantLayout) -> Found {
        match (newer.fields, older.fields) {
            (Some(newer), Some(older)) => self.section(newer(), older(), Place::Pointed),
            (None, None) => Ok(()),
            (Some(_), None) => self.fail(IncompatibilityReason::Type {
                older: "a variant without fields".to_owned(),
                newer: "one with fields".to_owned(),
            }),
            // A unit variant with a pointer is refused.
            (None, Some(_)) => self.fail(IncompatibilityReason::Type {
                older: "a variant with fields".to_owned(),
                newer: "one without fields".to_owned(),
            }),
        }
    }
}

/// The section of a record or tuple, wherever it lies.
fn layout_of(field_type: &FieldType) -> Option<&'static Layout> {
    match field_type {
        FieldType::Record(layout) | FieldType::Tuple(layout) => Some(layout()),
        _ => None,
    }
}

/// Whether nothing but its kind tells the type.
fn is_simple(field_type: &FieldType) -> bool {
    !matches!(field_type, FieldType::Array { .. })
}

fn changed(newer: &FieldType, older: &FieldType) -> IncompatibilityReason {
    let spelled = |field_type| TypeLine(field_type, Detail::Named).to_string();
    IncompatibilityReason::Type { older: spelled(older), newer: spelled(newer) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
