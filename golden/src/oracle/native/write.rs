//! Writing: one visit in pre-order, into two regions.

use super::layout::{
    Absence, absence, element_stride, entry, is_byte, pointed, root_section, section, slot, stride, unboxed,
};
use super::order::compare;
use crate::oracle::shape::{Scalar, Shape, Type};
use crate::oracle::value;
use crate::oracle::wire::{HEADER, align_up, finish, pad, put, put_pointer, put_slot};
use serde_json::{Value, json};

/// The message of a record: version 1, no flags.
///
/// # Errors
///
/// What does not fit the shape.
pub fn encode(shape: &Shape, value: &Value) -> Result<Vec<u8>, String> {
    let root = root_section(shape)?;
    let mut writer = Writer { structure: vec![0; HEADER as usize], tail: vec![], slots: vec![] };
    writer.reserve(root.size, 8);
    writer.record(shape, value, HEADER)?;

    // The tail stands right behind the structure: only now are its positions known.
    let Writer { structure: mut out, tail, slots } = writer;
    let tail_start = out.len() as u64;
    for (slot, start, len) in slots {
        put_slot(&mut out, slot, tail_start + start, len)?;
    }
    out.extend(tail);
    finish(out, 1, 0, HEADER)
}

struct Writer {
    /// The structure region, from the first header byte.
    structure: Vec<u8>,
    /// The text and bytes region.
    tail: Vec<u8>,
    /// Slots of the structure that point into the tail: position, start in the tail, length.
    slots: Vec<(u64, u64, u64)>,
}

impl Writer {
    /// Zeros for a section or a list body; returns where they start.
    fn reserve(&mut self, size: u64, align: u64) -> u64 {
        pad(&mut self.structure, align);
        let start = self.structure.len();
        self.structure.resize(start + size as usize, 0);
        start as u64
    }

    /// A record's fields, into the section at `start`.
    fn record(&mut self, shape: &Shape, value: &Value, start: u64) -> Result<(), String> {
        let section = section(shape)?;
        let object = value::object(shape, value)?;
        if shape.growable {
            // The hidden length: the unrounded end of the last field.
            put(&mut self.structure, start, &(section.end as u32).to_le_bytes())?;
        }
        for (field, (offset, _)) in shape.fields.iter().zip(section.places) {
            let item = value::field(object, &field.name)?;
            self.put(&field.ty, item, start + offset).map_err(|e| format!("{}: {e}", field.name))?;
        }
        Ok(())
    }

    /// A value whose slot is at `at`.
    fn put(&mut self, ty: &Type, item: &Value, at: u64) -> Result<(), String> {
        match ty {
            Type::Scalar(scalar) => put(&mut self.structure, at, &value::scalar_to_bytes(*scalar, item)?),
            Type::Char => put(&mut self.structure, at, &value::char_to_bytes(item)?),
            Type::Standard(standard) => put(&mut self.structure, at, &standard.to_bytes(item)?),
            Type::Enum(_, variants) => {
                let found = variants.iter().find(|(name, _)| *item == name.as_str());
                let (_, discriminant) = found.ok_or_else(|| format!("no such variant: {item}"))?;
                put(&mut self.structure, at, discriminant)
            }
            Type::BytesFixed(n) => {
                let bytes = value::bytes(item)?;
                if bytes.len() as u64 != *n {
                    return Err(format!("not {n} bytes: {item}"));
                }
                put(&mut self.structure, at, &bytes)
            }
            Type::Array(element, n) => {
                let items = value::array(item)?;
                if items.len() as u64 != *n {
                    return Err(format!("not {n} elements: {item}"));
                }
                self.elements(element, items, at, stride(element)?.0)
            }
            Type::Text => self.tail(value::text(item)?.as_bytes(), at),
            Type::Bytes => self.tail(&value::bytes(item)?, at),
            Type::List(element) => self.list(element, value::array(item)?, at),
            Type::Set(element) => self.list(element, &ascending(element, value::array(item)?.to_vec())?, at),
            Type::Map(key, of) => {
                let entry = entry(key, of);
                let pairs = value::array(item)?.iter().map(|pair| match pair.as_array().map(Vec::as_slice) {
                    Some([key, value]) => Ok(json!({ "key": key, "value": value })),
                    _ => Err(format!("not a key and a value: {pair}")),
                });
                self.list(&entry, &ascending_by(key, pairs.collect::<Result<_, _>>()?, |pair| &pair["key"])?, at)
            }
            Type::Struct(shape) if !shape.growable => self.record(shape, item, at),
            Type::Struct(_) => self.pointer(ty, item, at),
            Type::Boxed(inner) => self.pointer(inner, item, at),
            Type::Union(variants) => {
                let bad = || format!("not one variant: {item}");
                let (name, fields) =
                    item.as_object().filter(|o| o.len() == 1).and_then(|o| o.iter().next()).ok_or_else(bad)?;
                let variant = variants.iter().find(|variant| variant.name == *name).ok_or_else(bad)?;
                put(&mut self.structure, at, &variant.tag.to_le_bytes())?;
                if variant.fields.fields.is_empty() {
                    return value::object(&variant.fields, fields).map(|_| ());
                }
                self.pointer(&Type::Struct(variant.fields.clone()), fields, at + 4)
            }
            Type::Opt(_) if item.is_null() => Ok(()),
            Type::Opt(inner) => match absence(inner)? {
                Absence::NullPointer => self.pointer(unboxed(inner), item, at),
                Absence::PresenceByte => {
                    put(&mut self.structure, at, &[1])?;
                    self.put(inner, item, at + align_up(1, slot(inner)?.1))
                }
                Absence::NullSlot if *item == "" || *item == json!([]) => {
                    // Present and empty: the slot points at its own length word.
                    put_slot(&mut self.structure, at, at + 4, 0)
                }
                Absence::NullSlot => self.put(inner, item, at),
            },
            Type::Named(name) => Err(format!("no such type: {name}")),
        }
    }

    /// Text or bytes: into the tail, if there are any.
    fn tail(&mut self, bytes: &[u8], at: u64) -> Result<(), String> {
        if !bytes.is_empty() {
            self.slots.push((at, self.tail.len() as u64, bytes.len() as u64));
            self.tail.extend(bytes);
        }
        Ok(())
    }

    /// A list: its body is reserved, then its elements are visited one by one. A list of u8 is bytes.
    fn list(&mut self, element: &Type, items: &[Value], at: u64) -> Result<(), String> {
        let (stride, align) = element_stride(element)?;
        if items.is_empty() {
            return Ok(());
        }
        if is_byte(element) {
            let bytes = items.iter().map(|item| value::scalar_to_bytes(Scalar::U8, item));
            return self.tail(&bytes.collect::<Result<Vec<_>, _>>()?.concat(), at);
        }
        let start = self.reserve(items.len() as u64 * stride, align);
        put_slot(&mut self.structure, at, start, items.len() as u64)?;
        self.elements(element, items, start, stride)
    }

    fn elements(&mut self, element: &Type, items: &[Value], start: u64, stride: u64) -> Result<(), String> {
        for (i, item) in items.iter().enumerate() {
            self.put(element, item, start + i as u64 * stride).map_err(|e| format!("[{i}]: {e}"))?;
        }
        Ok(())
    }

    /// A pointer: the section it points at is reserved and visited.
    fn pointer(&mut self, ty: &Type, item: &Value, at: u64) -> Result<(), String> {
        let (size, align) = pointed(ty)?;
        let start = self.reserve(size, align);
        put_pointer(&mut self.structure, at, start)?;
        match ty {
            Type::Struct(shape) => self.record(shape, item, start),
            _ => self.put(ty, item, start),
        }
    }
}

fn ascending(ty: &Type, items: Vec<Value>) -> Result<Vec<Value>, String> {
    ascending_by(ty, items, |item| item)
}

/// Sorts by key; a key that occurs twice is an error.
fn ascending_by(ty: &Type, items: Vec<Value>, key: fn(&Value) -> &Value) -> Result<Vec<Value>, String> {
    let mut sorted: Vec<Value> = Vec::new();
    for item in items {
        let mut place = sorted.len();
        for (i, other) in sorted.iter().enumerate() {
            match compare(ty, key(&item), key(other))? {
                std::cmp::Ordering::Less => {
                    place = i;
                    break;
                }
                std::cmp::Ordering::Equal => return Err(format!("occurs twice: {}", key(&item))),
                std::cmp::Ordering::Greater => {}
            }
        }
        sorted.insert(place, item);
    }
    Ok(sorted)
}
