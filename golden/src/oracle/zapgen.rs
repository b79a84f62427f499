//! The code generator's bytes (wire page 1.7), with nested pointers aimed at the root object of the embedded message.
//!
//! Offsets come from the shape; without them the fields are packed. Reading refuses what the generator never writes: a
//! root section that does not fit, a slot that does not resolve, a list shorter than its count, text that is not UTF-8.

use super::shape::{Shape, Type};
use super::value;
use super::wire::{HEADER, Message, finish, pad, push_element, put, put_pointer, put_slot, stream};
use serde_json::{Map, Value};

/// What the pointer to a nested record is aimed at.
#[derive(Clone, Copy, PartialEq)]
enum Aim {
    /// The embedded message's root object: what is written now.
    Root,
    /// The first byte of the embedded message: what v1.8.1 wrote.
    Header,
}

/// The message of a record.
///
/// # Errors
///
/// What does not fit the shape.
pub fn encode(shape: &Shape, value: &Value) -> Result<Vec<u8>, String> {
    encode_aimed(shape, value, Aim::Root)
}

/// The message that the generator of v1.8.1 wrote.
///
/// # Errors
///
/// As [`encode`].
pub fn encode_v1_8_1(shape: &Shape, value: &Value) -> Result<Vec<u8>, String> {
    encode_aimed(shape, value, Aim::Header)
}

fn encode_aimed(shape: &Shape, value: &Value, aim: Aim) -> Result<Vec<u8>, String> {
    let (offsets, size) = layout(shape)?;
    let object = value::object(shape, value)?;
    let mut out = vec![0; (HEADER + size) as usize];
    let mut queue = Vec::new();
    for (field, offset) in shape.fields.iter().zip(offsets) {
        let at = HEADER + offset;
        let item = value::field(object, &field.name)?;
        write(&mut out, &mut queue, &field.ty, item, at, aim).map_err(|e| format!("{}: {e}", field.name))?;
    }
    for (slot, bytes) in queue {
        let start = out.len() as u64;
        put_slot(&mut out, slot, start, bytes.len() as u64)?;
        out.extend(bytes);
    }
    finish(out, 1, 0, HEADER)
}

/// Writes one field; `queue` takes what follows when all fields are set.
fn write(
    out: &mut Vec<u8>,
    queue: &mut Vec<(u64, Vec<u8>)>,
    ty: &Type,
    item: &Value,
    at: u64,
    aim: Aim,
) -> Result<(), String> {
    let queued = match ty {
        Type::Scalar(scalar) => return put(out, at, &value::scalar_to_bytes(*scalar, item)?),
        Type::BytesFixed(n) => {
            let bytes = value::bytes(item)?;
            if bytes.len() as u64 != *n {
                return Err(format!("not {n} bytes: {item}"));
            }
            return put(out, at, &bytes);
        }
        Type::Text => value::text(item)?.as_bytes().to_vec(),
        Type::Bytes => value::bytes(item)?,
        Type::List(element) => {
            // Starting a list pads, even when no element follows.
            pad(out, 8);
            let start = out.len() as u64;
            let items = value::array(item)?;
            for item in items {
                push_element(out, &embedded(element, item, aim)?)?;
            }
            return if items.is_empty() { Ok(()) } else { put_slot(out, at, start, items.len() as u64) };
        }
        Type::Struct(_) | Type::Named(_) => {
            let message = if item.is_null() { vec![] } else { embedded(ty, item, aim)? };
            if message.is_empty() {
                return Ok(());
            }
            pad(out, 8);
            let start = out.len() as u64;
            let target = match aim {
                Aim::Root => start + Message::parse(&message)?.root(),
                Aim::Header => start,
            };
            out.extend(message);
            return put_pointer(out, at, target);
        }
        _ => return Err(unsupported(ty)),
    };
    if !queued.is_empty() {
        queue.push((at, queued));
    }
    Ok(())
}

/// A list entry or a nested record as bytes: a record with known fields is encoded, all else is given as hex.
fn embedded(ty: &Type, item: &Value, aim: Aim) -> Result<Vec<u8>, String> {
    match ty {
        Type::Struct(shape) => encode_aimed(shape, item, aim),
        _ => value::bytes(item),
    }
}

/// The value of a message.
///
/// # Errors
///
/// What is wrong with the bytes.
pub fn decode(shape: &Shape, bytes: &[u8]) -> Result<Value, String> {
    let message = Message::parse(bytes)?;
    if message.root() < HEADER {
        return Err("the message has no root".into());
    }
    record(&message, shape, message.root())
}

/// The record whose section starts at `start`.
fn record(message: &Message<'_>, shape: &Shape, start: u64) -> Result<Value, String> {
    let (offsets, size) = layout(shape)?;
    message.need(start, size)?;
    let mut object = Map::new();
    for (field, offset) in shape.fields.iter().zip(offsets) {
        let item = read(message, &field.ty, start + offset).map_err(|e| format!("{}: {e}", field.name))?;
        object.insert(field.name.clone(), item);
    }
    Ok(Value::Object(object))
}

/// The value of the field whose slot is at `at`.
fn read(message: &Message<'_>, ty: &Type, at: u64) -> Result<Value, String> {
    match ty {
        Type::Scalar(scalar) => Ok(value::scalar_from_bytes(*scalar, message.need(at, scalar.width())?)),
        Type::BytesFixed(n) => Ok(Value::from(value::hex(message.need(at, *n)?))),
        Type::Text | Type::Bytes => {
            let bytes = match message.bytes_slot(at)? {
                Some((start, len)) => message.need(start, len)?,
                None => &[],
            };
            if *ty == Type::Text { value::text_value(bytes) } else { Ok(Value::from(value::hex(bytes))) }
        }
        Type::List(element) => {
            let Some((start, count)) = message.list_slot(at)? else { return Ok(Value::Array(vec![])) };
            let entries = stream(message, start, count)?;
            let items = entries.iter().map(|bytes| match &**element {
                Type::Struct(shape) => decode(shape, bytes),
                _ => Ok(Value::from(value::hex(bytes))),
            });
            items.collect()
        }
        Type::Struct(shape) => match message.pointer(at)? {
            Some(target) => record(message, shape, target),
            None => Ok(Value::Null),
        },
        Type::Named(_) => match message.pointer(at)? {
            Some(target) => embedded_message(message, target).map(Value::from),
            None => Ok(Value::from("")),
        },
        _ => Err(unsupported(ty)),
    }
}

/// The hex of the embedded message whose root object is at `target`: the generator's root stands behind its header.
fn embedded_message(message: &Message<'_>, target: u64) -> Result<String, String> {
    let start = target.checked_sub(HEADER).ok_or("no room for an embedded header")?;
    let embedded = Message::parse(message.need(start, message.size() - start)?)?;
    if embedded.root() != HEADER {
        return Err("the pointer is not aimed at the root object of the embedded message".into());
    }
    Ok(value::hex(embedded.bytes()))
}

/// Offsets as stated, or packed; the size is the end of the last field.
fn layout(shape: &Shape) -> Result<(Vec<u64>, u64), String> {
    let mut offsets = Vec::new();
    let (mut end, mut size) = (0, 0);
    for field in &shape.fields {
        let offset = field.offset.unwrap_or(end);
        offsets.push(offset);
        end = offset + slot_width(&field.ty).map_err(|e| format!("{}: {e}", field.name))?;
        size = size.max(end);
    }
    match shape.size {
        Some(stated) if stated != size => Err(format!("the shape states size {stated}, its fields end at {size}")),
        _ => Ok((offsets, size)),
    }
}

fn slot_width(ty: &Type) -> Result<u64, String> {
    match ty {
        Type::Scalar(scalar) if scalar.width() <= 8 => Ok(scalar.width()),
        Type::BytesFixed(n) => Ok(*n),
        Type::Text | Type::Bytes | Type::List(_) => Ok(8),
        // A pointer to no bytes at the end of a message would be null.
        Type::Struct(shape) if layout(shape)?.1 == 0 => Err("a nested record of no bytes".into()),
        Type::Struct(_) | Type::Named(_) => Ok(4),
        _ => Err(unsupported(ty)),
    }
}

fn unsupported(ty: &Type) -> String {
    format!("the code generator has no such type: {ty:?}")
}
