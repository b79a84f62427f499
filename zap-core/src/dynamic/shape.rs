//! Width and alignment of a slot by its wire type: what the types' own constants say, found at run time.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::{DialectKind, FieldType, Layout};

/// Bytes that a slot takes, and its alignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) width: usize,
    pub(crate) align: usize,
}

impl Shape {
    const fn of(width: usize, align: usize) -> Self {
        Self { width, align }
    }

    const fn scalar(width: usize, dialect: DialectKind) -> Self {
        let align = match dialect {
            DialectKind::Zapgen => 1,
            DialectKind::Native | DialectKind::Zip if width > 8 => 8,
            DialectKind::Native | DialectKind::Zip => width,
        };
        Self::of(width, align)
    }

    const fn slot(dialect: DialectKind) -> Self {
        match dialect {
            DialectKind::Native => Self::of(8, 4),
            DialectKind::Zapgen => Self::of(8, 1),
            DialectKind::Zip => Self::of(8, 8),
        }
    }
}

const POINTER: Shape = Shape::of(4, 4);

/// How an optional of the native dialect says that there is nothing (NATIVE "Sections").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// The slot of eight bytes is null.
    NullSlot,
    /// The pointer is null.
    NullPointer,
    /// A byte before the value is 0.
    PresenceByte,
}

/// How an optional of this type says that there is nothing.
pub(crate) const fn absence(value: &FieldType) -> Absence {
    match value {
        FieldType::Text | FieldType::Bytes | FieldType::List(_) | FieldType::Map(_) | FieldType::Set(_) => {
            Absence::NullSlot
        }
        FieldType::Record(_) | FieldType::Tuple(_) | FieldType::Pointer(_) => Absence::NullPointer,
        _ => Absence::PresenceByte,
    }
}

/// The slot of a value of this type in a record of this dialect.
pub(crate) fn shape(field_type: &FieldType, dialect: DialectKind) -> Shape {
    use FieldType as T;
    match field_type {
        T::Bool | T::U8 | T::I8 => Shape::of(1, 1),
        T::U16 | T::I16 => Shape::scalar(2, dialect),
        T::U32 | T::I32 | T::F32 | T::Char => Shape::scalar(4, dialect),
        T::U64 | T::I64 | T::F64 => Shape::scalar(8, dialect),
        T::U128 | T::I128 => Shape::scalar(16, dialect),
        T::Text | T::Bytes | T::List(_) | T::Map(_) | T::Set(_) => Shape::slot(dialect),
        T::Array { element, len } => {
            let element = shape(element, dialect);
            Shape::of(element.width.saturating_mul(*len as usize), element.align)
        }
        T::Record(layout) => record(layout()),
        T::Tuple(layout) => inline(layout()),
        T::Option(value) => option(value, dialect),
        T::Pointer(_) => POINTER,
        T::Enum(layout) if layout().has_data => Shape::of(8, 4),
        T::Enum(layout) => shape(&layout().number, dialect),
        T::NonZero(integer) => shape(integer, dialect),
        T::Duration | T::SystemTime => Shape::of(16, 8),
        T::Ipv4Addr => Shape::of(4, 1),
        T::Ipv6Addr | T::Uuid | T::Decimal => Shape::of(16, 1),
        T::IpAddr => Shape::of(17, 1),
        T::SocketAddr => Shape::of(20, 2),
        T::Nothing => Shape::of(0, 1),
    }
}

fn record(layout: &Layout) -> Shape {
    match layout.dialect {
        DialectKind::Native if layout.growable => POINTER,
        DialectKind::Native => inline(layout),
        DialectKind::Zapgen => Shape::of(4, 1),
        DialectKind::Zip => Shape::of(8, 8),
    }
}

const fn inline(layout: &Layout) -> Shape {
    Shape::of(layout.size as usize, layout.align as usize)
}

fn option(value: &FieldType, dialect: DialectKind) -> Shape {
    let shape = shape(value, dialect);
    match (dialect, absence(value)) {
        (DialectKind::Native, Absence::NullPointer) => POINTER,
        (DialectKind::Native, Absence::PresenceByte) => Shape::of(shape.align.saturating_add(shape.width), shape.align),
        _ => shape,
    }
}

/// The section behind a pointer to a value of this type: its size, at least 1, and its alignment.
pub(crate) fn pointed(value: &FieldType, dialect: DialectKind) -> Shape {
    let Shape { width, align } = match value {
        FieldType::Record(layout) => inline(layout()),
        value => shape(value, dialect),
    };
    Shape::of(width.max(1), align)
}
