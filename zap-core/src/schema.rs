//! The layout rule of the public runtime's schemas: fields to offsets (wire 1.5).

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::vec::Vec;

/// A record's layout by the public runtime's rule: fields take offsets in the order they are added.
///
/// Use it where the fields are known only at run time; for a struct, derive [`Zap`](crate::Zap). Slots and alignments:
/// bool 1; `i32`, `u32` and a struct pointer 4; `i64`, `u64`, `f64` 8; text, bytes and lists 8 bytes wide, aligned to 4.
/// The size is rounded up to 8.
///
/// # Examples
///
/// ```
/// use zap_core::{Builder, Message, Schema, SchemaKind};
///
/// let schema = Schema::new()
///     .field("active", SchemaKind::Bool)
///     .field("id", SchemaKind::U64)
///     .field("name", SchemaKind::Text);
/// assert_eq!(schema.size(), 24);
///
/// let id = schema.get("id").unwrap();
/// let name = schema.get("name").unwrap();
/// assert_eq!((id.offset(), name.offset()), (8, 16));
///
/// let mut builder = Builder::new();
/// let root = builder.start_object(schema.size())?;
/// builder.set_u64(&root, id.offset(), 7)?;
/// builder.set_text(&root, name.offset(), "ember")?;
/// builder.finish_as_root(root)?;
/// assert_eq!(Message::parse(builder.finish()).unwrap().root().u64(id.offset()), 7);
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema<'n> {
    fields: Vec<SchemaField<'n>>,
    end: usize,
}

/// A field of a [`Schema`], in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaField<'n> {
    name: &'n str,
    kind: SchemaKind,
    offset: usize,
}

/// What a field of a [`Schema`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaKind {
    /// One byte, 0 or 1.
    Bool,
    /// A signed 32-bit integer.
    I32,
    /// An unsigned 32-bit integer.
    U32,
    /// A signed 64-bit integer.
    I64,
    /// An unsigned 64-bit integer.
    U64,
    /// A 64-bit float.
    F64,
    /// A text slot.
    Text,
    /// A bytes slot.
    Bytes,
    /// A list slot, whatever its elements.
    List,
    /// A pointer to an object.
    Struct,
}

impl<'n> Schema<'n> {
    /// A schema without fields.
    #[must_use]
    pub const fn new() -> Self {
        Self { fields: Vec::new(), end: 0 }
    }

    /// Adds a field at the next offset that its alignment allows.
    #[must_use]
    pub fn field(mut self, name: &'n str, kind: SchemaKind) -> Self {
        let offset = round_up(self.end, kind.align());
        self.fields.push(SchemaField { name, kind, offset });
        self.end = offset.saturating_add(kind.slot_size());
        self
    }

    /// The fields, in the order they were added.
    #[must_use]
    pub fn fields(&self) -> &[SchemaField<'n>] {
        &self.fields
    }

    /// The first field of that name. O(fields).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<SchemaField<'n>> {
        self.fields.iter().find(|field| field.name == name).copied()
    }

    /// Bytes of the fixed section: the end of the last field, rounded up to 8.
    #[must_use]
    pub const fn size(&self) -> usize {
        round_up(self.end, 8)
    }
}

impl<'n> SchemaField<'n> {
    /// The field's name.
    #[must_use]
    pub const fn name(&self) -> &'n str {
        self.name
    }

    /// What the field holds.
    #[must_use]
    pub const fn kind(&self) -> SchemaKind {
        self.kind
    }

    /// Where the field's slot is, from the start of the object.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Bytes of the field's slot.
    #[must_use]
    pub const fn slot_size(&self) -> usize {
        self.kind.slot_size()
    }
}

impl SchemaKind {
    /// Bytes of a slot of this kind.
    #[must_use]
    pub const fn slot_size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::I32 | Self::U32 | Self::Struct => 4,
            Self::I64 | Self::U64 | Self::F64 | Self::Text | Self::Bytes | Self::List => 8,
        }
    }

    /// What the offset of a slot of this kind is a multiple of.
    #[must_use]
    pub const fn align(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::I32 | Self::U32 | Self::Struct | Self::Text | Self::Bytes | Self::List => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// The next multiple of `align`; `usize::MAX` if there is none, which no number of fields that fits memory reaches.
const fn round_up(offset: usize, align: usize) -> usize {
    match offset.checked_next_multiple_of(align) {
        Some(offset) => offset,
        None => usize::MAX,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_to_four_where_their_words_are() {
        let schema =
            Schema::new().field("a", SchemaKind::Bool).field("b", SchemaKind::List).field("c", SchemaKind::F64);
        let offsets = schema.fields().iter().map(|field| field.offset()).collect::<Vec<_>>();
        assert_eq!((offsets, schema.size()), (alloc::vec![0, 4, 16], 24));
    }

    #[test]
    fn the_empty_schema_takes_nothing() {
        assert_eq!((Schema::new().size(), Schema::new().get("a")), (0, None));
    }
}
