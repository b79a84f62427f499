//! Reading: every slot must resolve, and none may point into the section that holds it.

use super::layout::{
    Absence, Section, absence, element_stride, entry, is_byte, pointed, root_section, section, slot, stride, unboxed,
};
use super::order::compare;
use crate::oracle::shape::{Scalar, Shape, Type};
use crate::oracle::value::{self, zero};
use crate::oracle::wire::{HEADER, Message, Target, align_up};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// How many values one message may hold besides those that its bytes could hold without overlap.
const SPARE_VALUES: u64 = 1 << 20;

/// The value of a message.
///
/// # Errors
///
/// What is wrong with the bytes.
pub fn decode(shape: &Shape, bytes: &[u8]) -> Result<Value, String> {
    let message = Message::parse(bytes)?;
    let root = message.root();
    if root < HEADER {
        return Err("the message has no root".into());
    }
    let mut reader = Reader { message, values_left: message.size() + SPARE_VALUES };
    let section = root_section(shape)?;
    reader.pointed_record(shape, section, root)
}

struct Reader<'m> {
    message: Message<'m>,
    /// Lists may overlap, so that few bytes stand for very many values: what is left of the bound.
    values_left: u64,
}

impl Reader<'_> {
    /// A record that is a section of its own, at `start`.
    fn pointed_record(&mut self, shape: &Shape, section: Section, start: u64) -> Result<Value, String> {
        let len = if shape.growable { value::little_endian(self.message.need(start, 4)?) as u64 } else { section.size };
        self.message.need(start, len)?;
        if shape.growable && len < 4 {
            return Err(format!("the growable record at {start} ends inside its length"));
        }
        self.record(shape, start, len, start..start + len)
    }

    /// A record's fields, from `start`. `own` is the section that holds them; fields past `len` are defaults.
    fn record(&mut self, shape: &Shape, start: u64, len: u64, own: Range<u64>) -> Result<Value, String> {
        let mut object = Map::new();
        for (field, (offset, width)) in shape.fields.iter().zip(section(shape)?.places) {
            let item = if offset + width <= len {
                self.get(&field.ty, start + offset, &own)
            } else if offset >= len {
                Ok(zero(&field.ty))
            } else {
                Err("the growable record ends inside this field".into())
            };
            object.insert(field.name.clone(), item.map_err(|e| format!("{}: {e}", field.name))?);
        }
        Ok(Value::Object(object))
    }

    /// The value whose slot is at `at`, inside the section `own`.
    fn get(&mut self, ty: &Type, at: u64, own: &Range<u64>) -> Result<Value, String> {
        self.values_left = self.values_left.checked_sub(1).ok_or("more values than the message can hold")?;
        match ty {
            Type::Scalar(scalar) => Ok(value::scalar_from_bytes(*scalar, self.message.need(at, scalar.width())?)),
            Type::Char => value::char_from_bytes(self.message.need(at, 4)?),
            Type::Standard(standard) => standard.value_of(self.message.need(at, standard.slot().0)?),
            Type::Enum(repr, variants) => {
                let bytes = self.message.need(at, repr.width())?;
                let found = variants.iter().find(|(_, discriminant)| discriminant == bytes);
                let (name, _) = found.ok_or_else(|| format!("no variant has 0x{:x}", value::little_endian(bytes)))?;
                Ok(Value::from(name.as_str()))
            }
            Type::BytesFixed(n) => Ok(Value::from(value::hex(self.message.need(at, *n)?))),
            Type::Array(element, n) => {
                let (stride, _) = stride(element)?;
                self.elements(*n, |reader, i| reader.get(element, at + i * stride, own))
            }
            Type::Text => value::text_value(self.tail(at, own)?),
            Type::Bytes => Ok(Value::from(value::hex(self.tail(at, own)?))),
            Type::List(element) if is_byte(element) => {
                let bytes = self.tail(at, own)?;
                Ok(bytes.iter().map(|byte| value::scalar_from_bytes(Scalar::U8, &[*byte])).collect())
            }
            Type::List(element) => self.list(element, at, own),
            Type::Set(element) => {
                // A set of u8 is bytes, as the list is.
                let items = self.get(&Type::List(element.clone()), at, own)?;
                strictly_ascending(element, &items, |item| item)?;
                Ok(items)
            }
            Type::Map(key, of) => {
                let entries = self.list(&entry(key, of), at, own)?;
                strictly_ascending(key, &entries, |entry| &entry["key"])?;
                Ok(value::array(&entries)?.iter().map(|entry| json!([entry["key"], entry["value"]])).collect())
            }
            Type::Struct(shape) if !shape.growable => self.record(shape, at, section(shape)?.size, own.clone()),
            Type::Struct(_) => self.behind(ty, at, own)?.ok_or_else(|| "null where a record must be".into()),
            Type::Boxed(inner) => self.behind(inner, at, own)?.ok_or_else(|| "null where a box must be".into()),
            Type::Union(variants) => {
                let tag = value::little_endian(self.message.need(at, 4)?);
                let found = variants.iter().find(|variant| u128::from(variant.tag) == tag);
                let variant = found.ok_or_else(|| format!("no variant has tag {tag}"))?;
                let fields = self.behind(&Type::Struct(variant.fields.clone()), at + 4, own)?;
                let fields = match (fields, variant.fields.fields.is_empty()) {
                    (None, true) => json!({}),
                    (Some(fields), false) => fields,
                    (None, false) => return Err(format!("no fields of {}", variant.name)),
                    (Some(_), true) => return Err(format!("fields of the unit variant {}", variant.name)),
                };
                Ok(json!({ variant.name.as_str(): fields }))
            }
            Type::Opt(inner) => match absence(inner)? {
                Absence::NullPointer => Ok(self.behind(unboxed(inner), at, own)?.unwrap_or(Value::Null)),
                Absence::PresenceByte if self.message.need(at, 1)? == [0] => Ok(Value::Null),
                Absence::PresenceByte => self.get(inner, at + align_up(1, slot(inner)?.1), own),
                // Null is `rel == 0`, whatever the second word says.
                Absence::NullSlot if self.message.number(at, 4) == Some(0) => Ok(Value::Null),
                Absence::NullSlot => self.get(inner, at, own),
            },
            Type::Named(name) => Err(format!("no such type: {name}")),
        }
    }

    /// The bytes of a text or bytes slot; null reads as empty.
    fn tail(&self, at: u64, own: &Range<u64>) -> Result<&[u8], String> {
        match outside(self.message.bytes_slot(at)?, at, own)? {
            Some((start, len)) => self.message.need(start, len),
            None => Ok(&[]),
        }
    }

    /// The elements of a list slot; null reads as empty. Each element is a section.
    fn list(&mut self, element: &Type, at: u64, own: &Range<u64>) -> Result<Value, String> {
        let (stride, _) = element_stride(element)?;
        let Some((start, count)) = outside(self.message.list_slot(at)?, at, own)? else {
            return Ok(Value::Array(vec![]));
        };
        self.message.need(start, count * stride)?;
        self.elements(count, |reader, i| {
            let place = start + i * stride;
            reader.get(element, place, &(place..place + stride))
        })
    }

    fn elements(
        &mut self,
        count: u64,
        mut get: impl FnMut(&mut Self, u64) -> Result<Value, String>,
    ) -> Result<Value, String> {
        (0..count).map(|i| get(self, i).map_err(|e| format!("[{i}]: {e}"))).collect()
    }

    /// The value in the section that a pointer points at, if it is not null.
    fn behind(&mut self, ty: &Type, at: u64, own: &Range<u64>) -> Result<Option<Value>, String> {
        let Some(start) = self.message.pointer(at)? else { return Ok(None) };
        outside(Some((start, 1)), at, own)?;
        if let Type::Struct(shape) = ty {
            return self.pointed_record(shape, section(shape)?, start).map(Some);
        }
        let (size, _) = pointed(ty)?;
        self.message.need(start, size)?;
        self.get(ty, start, &(start..start + size)).map(Some)
    }
}

/// Refuses a target inside the section that holds the slot, where only an older, shorter record could lead. Present and
/// empty, a slot points at its own length word: that alone is allowed.
fn outside(target: Target, at: u64, own: &Range<u64>) -> Result<Target, String> {
    match target {
        Some((start, len)) if own.contains(&start) && (start, len) != (at + 4, 0) => {
            Err(format!("the slot at {at} points into its own section"))
        }
        _ => Ok(target),
    }
}

fn strictly_ascending(ty: &Type, items: &Value, key: fn(&Value) -> &Value) -> Result<(), String> {
    for pair in value::array(items)?.windows(2) {
        if let [a, b] = pair
            && compare(ty, key(a), key(b))?.is_ge()
        {
            return Err(format!("not ascending: {} before {}", key(a), key(b)));
        }
    }
    Ok(())
}
