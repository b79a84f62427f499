//! Sections, alignment and size.

use crate::oracle::shape::{Field, Scalar, Shape, Type};
use crate::oracle::wire::align_up;

/// No section may be larger: structure offsets are signed 32-bit numbers.
const MAX_SIZE: u64 = (1 << 31) - 1;

/// Where a record's fields stand.
pub(super) struct Section {
    /// Each field's offset and width.
    pub(super) places: Vec<(u64, u64)>,
    /// The end of the last field.
    pub(super) end: u64,
    /// The largest alignment of a field.
    pub(super) align: u64,
    /// `end`, rounded up to `align`.
    pub(super) size: u64,
}

/// The section of a record that is not the root. A growable record's section begins with its hidden length.
pub(super) fn section(shape: &Shape) -> Result<Section, String> {
    let (mut end, mut align) = if shape.growable { (4, 4) } else { (0, 1) };
    let mut places = Vec::new();
    for field in &shape.fields {
        let (width, field_align) = slot(&field.ty).map_err(|e| format!("{}: {e}", field.name))?;
        let offset = align_up(end, field_align);
        if field.offset.is_some_and(|stated| stated != offset) {
            return Err(format!("{}: the shape states offset {:?}, the rules give {offset}", field.name, field.offset));
        }
        places.push((offset, width));
        end = offset + width;
        align = align.max(field_align);
    }
    Ok(Section { places, end, align, size: bounded(align_up(end, align))? })
}

/// The section of the root record: as any other, and its size is rounded up to 8.
pub(super) fn root_section(shape: &Shape) -> Result<Section, String> {
    let mut root = section(shape)?;
    root.size = align_up(root.size, 8);
    match shape.size {
        Some(stated) if stated != root.size => {
            Err(format!("the shape states size {stated}, the rules give {}", root.size))
        }
        _ => Ok(root),
    }
}

/// Width and alignment of what stands in the section for a field of this type.
pub(super) fn slot(ty: &Type) -> Result<(u64, u64), String> {
    match ty {
        Type::Scalar(scalar) | Type::Enum(scalar, _) => Ok((scalar.width(), scalar.width().min(8))),
        Type::Char => Ok((4, 4)),
        Type::Standard(standard) => Ok(standard.slot()),
        Type::BytesFixed(n) => Ok((*n, 1)),
        Type::Array(element, n) => {
            let (stride, align) = stride(element)?;
            Ok((bounded(n * stride)?, align))
        }
        Type::Text | Type::Bytes => Ok((8, 4)),
        Type::List(element) => element_stride(element).map(|_| (8, 4)),
        Type::Map(key, value) => element_stride(&entry(key, value)).map(|_| (8, 4)),
        Type::Set(element) => element_stride(element).map(|_| (8, 4)),
        Type::Struct(shape) if shape.growable => section(shape).map(|_| (4, 4)),
        Type::Struct(shape) => section(shape).map(|section| (section.size, section.align)),
        Type::Boxed(inner) => pointed(inner).map(|_| (4, 4)),
        Type::Union(variants) => {
            for variant in variants {
                section(&variant.fields).map_err(|e| format!("{}: {e}", variant.name))?;
            }
            Ok((8, 4))
        }
        Type::Opt(inner) => match absence(inner)? {
            Absence::NullSlot => slot(inner),
            Absence::NullPointer => pointed(unboxed(inner)).map(|_| (4, 4)),
            Absence::PresenceByte => {
                let (width, align) = slot(inner)?;
                Ok((align_up(1, align) + width, align))
            }
        },
        Type::Named(name) => Err(format!("no such type: {name}")),
    }
}

/// The distance between elements of this type, and their alignment.
pub(super) fn stride(element: &Type) -> Result<(u64, u64), String> {
    let (width, align) = slot(element)?;
    Ok((align_up(width, align), align))
}

/// As [`stride`], for a list, whose elements may not be empty.
pub(super) fn element_stride(element: &Type) -> Result<(u64, u64), String> {
    match stride(element)? {
        (0, _) => Err("a list whose elements have no width".into()),
        stride => Ok(stride),
    }
}

/// Size and alignment of the section that a pointer to this type points at: at least 1 byte. A box of a growable record
/// is one pointer too.
pub(super) fn pointed(ty: &Type) -> Result<(u64, u64), String> {
    let (size, align) = match ty {
        Type::Struct(shape) => section(shape).map(|section| (section.size, section.align))?,
        _ => stride(ty)?,
    };
    Ok((size.max(1), align))
}

/// What an optional's pointer points at: an optional box has one pointer, not two.
pub(super) fn unboxed(ty: &Type) -> &Type {
    match ty {
        Type::Boxed(inner) => inner,
        _ => ty,
    }
}

/// How an optional says that there is nothing.
pub(super) enum Absence {
    /// The 8-byte slot is null.
    NullSlot,
    /// The 4-byte pointer is null.
    NullPointer,
    /// A byte before the value is 0.
    PresenceByte,
}

/// How an optional of this type says that there is nothing.
pub(super) fn absence(inner: &Type) -> Result<Absence, String> {
    match inner {
        Type::Text | Type::Bytes | Type::List(_) | Type::Map(..) | Type::Set(_) => Ok(Absence::NullSlot),
        Type::Struct(_) | Type::Boxed(_) => Ok(Absence::NullPointer),
        Type::Scalar(_) | Type::Char | Type::Enum(..) | Type::BytesFixed(_) | Type::Union(_) => {
            Ok(Absence::PresenceByte)
        }
        Type::Standard(_) | Type::Array(..) => Ok(Absence::PresenceByte),
        Type::Opt(inner) => match absence(inner)? {
            Absence::PresenceByte => Ok(Absence::PresenceByte),
            _ => Err("two nulls cannot be told apart".into()),
        },
        _ => Err(format!("no optional of {inner:?}")),
    }
}

/// Whether a list of these elements is bytes, and stands in the tail.
pub(super) fn is_byte(element: &Type) -> bool {
    *element == Type::Scalar(Scalar::U8)
}

/// A map's entry: a record of key and value.
pub(super) fn entry(key: &Type, value: &Type) -> Type {
    let field = |name: &str, ty: &Type| Field { name: name.into(), ty: ty.clone(), offset: None };
    Type::Struct(Shape { fields: vec![field("key", key), field("value", value)], size: None, growable: false })
}

fn bounded(size: u64) -> Result<u64, String> {
    if size > MAX_SIZE { Err("a section larger than the wire can hold".into()) } else { Ok(size) }
}
