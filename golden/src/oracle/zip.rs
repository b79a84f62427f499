//! The struct encoder's bytes (wire page 1.6).
//!
//! What reading accepts: an empty input, a field past the end and a null slot read as zero or absent, as the peer does.
//! An optional that holds the zero value reads back as absent. Everything else that is damaged is an error: a slot that
//! does not resolve, a list shorter than its count, an element of another width, text that is not UTF-8.

use super::shape::{Shape, Type};
use super::value::{self, zero, zero_record};
use super::wire::{HEADER, Message, align_up, finish, pad, push_element, put, put_slot, stream};
use serde_json::{Map, Value};

/// The message of a record.
///
/// # Errors
///
/// What does not fit the shape.
pub fn encode(shape: &Shape, value: &Value) -> Result<Vec<u8>, String> {
    let (offsets, size) = layout(shape)?;
    let object = value::object(shape, value)?;
    let mut out = vec![0; HEADER as usize];

    // 1. The non-empty lists.
    let mut lists = Vec::new();
    for (field, offset) in shape.fields.iter().zip(&offsets) {
        let Type::List(element) = &field.ty else { continue };
        let elements = value::array(value::field(object, &field.name)?)?;
        if elements.is_empty() {
            continue;
        }
        pad(&mut out, 8);
        lists.push((offset, out.len() as u64, elements.len() as u64));
        for (i, item) in elements.iter().enumerate() {
            let bytes = element_bytes(element, item).map_err(|e| format!("{}[{i}]: {e}", field.name))?;
            push_element(&mut out, &bytes)?;
        }
    }

    // 2. The object.
    pad(&mut out, 8);
    let root = out.len() as u64;
    out.resize(out.len() + size as usize, 0);
    let mut queue = Vec::new();
    for (field, offset) in shape.fields.iter().zip(&offsets) {
        let item = value::field(object, &field.name)?;
        let mut ty = &field.ty;
        if let Type::Opt(inner) = ty {
            if item.is_null() {
                continue;
            }
            ty = inner;
        }
        if matches!(ty, Type::List(_)) {
            continue;
        }
        let bytes = element_bytes(ty, item).map_err(|e| format!("{}: {e}", field.name))?;
        match ty {
            Type::Scalar(_) => put(&mut out, root + offset, &bytes)?,
            _ if bytes.is_empty() => {}
            _ => queue.push((root + offset, bytes)),
        }
    }

    // 3. The list slots.
    for (offset, start, count) in lists {
        put_slot(&mut out, root + offset, start, count)?;
    }

    // 4. The queued data, in the order of the fields.
    for (slot, bytes) in queue {
        let start = out.len() as u64;
        put_slot(&mut out, slot, start, bytes.len() as u64)?;
        out.extend(bytes);
    }
    finish(out, 1, 0, root)
}

/// The bytes of one value: of a scalar its own width, of text and bytes themselves, of a record a complete message.
fn element_bytes(ty: &Type, item: &Value) -> Result<Vec<u8>, String> {
    match ty {
        Type::Scalar(scalar) => value::scalar_to_bytes(*scalar, item),
        Type::Text => Ok(value::text(item)?.as_bytes().to_vec()),
        Type::Bytes => value::bytes(item),
        Type::Struct(shape) => encode(shape, item),
        // An absent element of a list of optionals is written as the zero value.
        Type::Opt(inner) if item.is_null() => element_bytes(inner, &zero(inner)),
        Type::Opt(inner) => element_bytes(inner, item),
        _ => Err(unsupported(ty)),
    }
}

/// The value of a message.
///
/// # Errors
///
/// What is wrong with the bytes.
pub fn decode(shape: &Shape, bytes: &[u8]) -> Result<Value, String> {
    let (offsets, _) = layout(shape)?;
    if bytes.is_empty() {
        return Ok(zero_record(shape));
    }
    let message = Message::parse(bytes)?;
    let root = message.root();
    if root < HEADER {
        return Err("the message has no root".into());
    }
    let mut object = Map::new();
    for (field, offset) in shape.fields.iter().zip(offsets) {
        let item = read(&message, &field.ty, root + offset).map_err(|e| format!("{}: {e}", field.name))?;
        object.insert(field.name.clone(), item);
    }
    Ok(Value::Object(object))
}

/// The value of a field whose slot is at `at`.
fn read(message: &Message<'_>, ty: &Type, at: u64) -> Result<Value, String> {
    if let Type::Opt(inner) = ty {
        let item = read(message, inner, at)?;
        return Ok(if item == zero(inner) { Value::Null } else { item });
    }
    if message.slice(at, slot_width(ty)?).is_none() {
        return Ok(zero(ty));
    }
    match ty {
        Type::Scalar(scalar) => Ok(value::scalar_from_bytes(*scalar, message.need(at, scalar.width())?)),
        Type::List(element) => {
            let Some((start, count)) = message.list_slot(at)? else { return Ok(zero(ty)) };
            let elements = stream(message, start, count)?;
            let items = elements.iter().enumerate();
            items.map(|(i, bytes)| read_element(element, bytes).map_err(|e| format!("[{i}]: {e}"))).collect()
        }
        _ => match message.bytes_slot(at)? {
            Some((start, len)) if len > 0 => read_element(ty, message.need(start, len)?),
            _ => Ok(zero(ty)),
        },
    }
}

/// The value that an element's or a slot's bytes stand for.
fn read_element(ty: &Type, bytes: &[u8]) -> Result<Value, String> {
    match ty {
        Type::Scalar(scalar) if bytes.len() as u64 == scalar.width() => Ok(value::scalar_from_bytes(*scalar, bytes)),
        Type::Scalar(_) => Err("element width mismatch".into()),
        Type::Text => value::text_value(bytes),
        Type::Bytes => Ok(Value::from(value::hex(bytes))),
        Type::Struct(_) if bytes.is_empty() => Err("a record in no bytes".into()),
        Type::Struct(shape) => decode(shape, bytes),
        Type::Opt(inner) => read_element(inner, bytes),
        _ => Err(unsupported(ty)),
    }
}

/// Offsets, and the object's size rounded up to 8; checked against what the shape states.
fn layout(shape: &Shape) -> Result<(Vec<u64>, u64), String> {
    let mut offsets = Vec::new();
    let mut end = 0;
    for field in &shape.fields {
        let width = slot_width(&field.ty).map_err(|e| format!("{}: {e}", field.name))?;
        let offset = align_up(end, width);
        if field.offset.is_some_and(|stated| stated != offset) {
            return Err(format!("{}: the shape states offset {:?}, the rules give {offset}", field.name, field.offset));
        }
        offsets.push(offset);
        end = offset + width;
    }
    let size = align_up(end, 8);
    match shape.size {
        Some(stated) if stated != size => Err(format!("the shape states size {stated}, the rules give {size}")),
        _ => Ok((offsets, size)),
    }
}

/// A slot's width, which is its alignment too.
fn slot_width(ty: &Type) -> Result<u64, String> {
    match ty {
        Type::Scalar(scalar) if scalar.width() <= 8 => Ok(scalar.width()),
        Type::Text | Type::Bytes | Type::Struct(_) => Ok(8),
        Type::List(element) => match &**element {
            Type::List(_) => Err(unsupported(ty)),
            element => slot_width(element).map(|_| 8),
        },
        Type::Opt(inner) if !matches!(**inner, Type::List(_) | Type::Opt(_)) => slot_width(inner),
        _ => Err(unsupported(ty)),
    }
}

fn unsupported(ty: &Type) -> String {
    format!("the struct encoder has no such type: {ty:?}")
}
