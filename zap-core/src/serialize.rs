//! `serde::Serialize` of views, lists and whatever else is read through a layout (feature `serde`).
//!
//! A view serialises as its record would with serde's derive, in any format: structs, newtypes, tuples, variants, `u64`
//! as `u64`. Two things differ in formats for people (`is_human_readable`): bytes are `"0x…"` text as in
//! [`json`](crate::json), and maps whose keys are not text-like are lists of pairs.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::cell::RefCell;

use serde::Serialize;
use serde::ser::{
    Error, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use crate::dynamic::{DynamicEnum, DynamicList, DynamicMap, DynamicRecord, DynamicSlot, Value, is_newtype, is_tuple};
use crate::json::is_key;
use crate::json::spell::{Decimal, Hex, Uuid};
use crate::tuple::Tuple;
use crate::walk::Walk;
use crate::{
    DecodeError, Element, EnumView, Enumeration, FieldType, FieldView, FixedStride, Limits, ListView, MapKey, MapView,
    Native, NativeSlot, RecordView, SetView, Slot, StreamDialect, StreamView, TupleView, VariantView,
};

/// What is serialised, and the budget that all of it shares.
struct Within<'w, 'm, T> {
    value: T,
    walk: &'w RefCell<Walk<'m, true>>,
}

impl<'w, 'm, T> Within<'w, 'm, T> {
    /// Something else within the same budget.
    const fn with<U>(&self, value: U) -> Within<'w, 'm, U> {
        Within { value, walk: self.walk }
    }
}

fn wrong<E: Error>(error: DecodeError) -> E {
    E::custom(error)
}

/// Serialises within the default budget for a message of this length.
fn serialize_within<'m, T, S: Serializer>(value: T, message_len: usize, serializer: S) -> Result<S::Ok, S::Error>
where
    for<'w> Within<'w, 'm, T>: Serialize,
{
    let walk = RefCell::new(Walk::new(&Limits::new(), message_len, None));
    Within { value, walk: &walk }.serialize(serializer)
}

/// Serialises a view: what the derive's implementation does.
///
/// # Errors
///
/// The serializer's; what is wrong with the message becomes one.
pub fn serialize_view<'m, V: RecordView<'m>, S: Serializer>(view: &V, serializer: S) -> Result<S::Ok, S::Error> {
    DynamicRecord::of_view(view).serialize(serializer)
}

/// Expands to the view's `Serialize`, which one of the functions above is.
#[doc(hidden)]
#[macro_export]
macro_rules! __serialize_view {
    ([$($generics:tt)*] [$view:ty] [$($bounds:tt)*] $serialize:ident) => {
        #[automatically_derived]
        impl $($generics)* $crate::__private::serde::Serialize for $view $($bounds)* {
            fn serialize<__S: $crate::__private::serde::Serializer>(
                &self,
                __serializer: __S,
            ) -> $crate::__private::Result<__S::Ok, __S::Error> {
                $crate::__private::$serialize(self, __serializer)
            }
        }
    };
}

/// Serialises the view of an enum with data: what the derive's implementation does.
///
/// # Errors
///
/// As [`serialize_view`].
pub fn serialize_variant<'m, V: VariantView<'m>, S: Serializer>(view: &V, serializer: S) -> Result<S::Ok, S::Error> {
    view.to_dynamic().serialize(serializer)
}

impl Serialize for DynamicEnum<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_within(*self, self.message_len(), serializer)
    }
}

impl<T: Slot<Native>> Serialize for FieldView<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_within(self.to_dynamic(), self.section().message().len(), serializer)
    }
}

impl Serialize for DynamicRecord<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_within(*self, self.section().message().len(), serializer)
    }
}

impl Serialize for DynamicMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_within(*self, self.body().message().len(), serializer)
    }
}

impl Serialize for DynamicList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_within(*self, self.message_len(), serializer)
    }
}

impl<T: FixedStride> Serialize for ListView<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_dynamic(&<T as Slot<Native>>::TYPE).serialize(serializer)
    }
}

impl<T: Element<D>, D: StreamDialect> Serialize for StreamView<'_, T, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_dynamic(&<T as Slot<D>>::TYPE).serialize(serializer)
    }
}

impl<K: MapKey, V: NativeSlot> Serialize for MapView<'_, K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_dynamic().serialize(serializer)
    }
}

impl<K: MapKey> Serialize for SetView<'_, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&<K as Slot<Native>>::TYPE, self.elements().body()) {
            (FieldType::U8, body) => single(&Value::Bytes(body.bytes()), serializer),
            (element, _) => self.elements().to_dynamic(element).serialize(serializer),
        }
    }
}

impl<T: Tuple> Serialize for TupleView<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_view(self, serializer)
    }
}

impl<T: Enumeration> Serialize for EnumView<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_view(self, serializer)
    }
}

impl<'m> Serialize for Within<'_, 'm, DynamicSlot<'m>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.value.read_within(&mut self.walk.borrow_mut()).map_err(wrong)?;
        match value {
            Value::Bool(value) => serializer.serialize_bool(value),
            Value::U8(value) => serializer.serialize_u8(value),
            Value::U16(value) => serializer.serialize_u16(value),
            Value::U32(value) => serializer.serialize_u32(value),
            Value::U64(value) => serializer.serialize_u64(value),
            Value::U128(value) => serializer.serialize_u128(value),
            Value::I8(value) => serializer.serialize_i8(value),
            Value::I16(value) => serializer.serialize_i16(value),
            Value::I32(value) => serializer.serialize_i32(value),
            Value::I64(value) => serializer.serialize_i64(value),
            Value::I128(value) => serializer.serialize_i128(value),
            Value::F32(value) => serializer.serialize_f32(value),
            Value::F64(value) => serializer.serialize_f64(value),
            Value::Char(value) => serializer.serialize_char(value),
            Value::Text(value) => serializer.serialize_str(value),
            Value::List(list) => self.with(list).serialize(serializer),
            Value::Map(map) => self.with(map).serialize(serializer),
            Value::Record(record) => self.with(record).serialize(serializer),
            Value::Tuple(tuple) => self.tuple(tuple, serializer),
            Value::Enum(value) => self.with(value).serialize(serializer),
            Value::Option(None) => serializer.serialize_none(),
            Value::Option(Some(value)) => serializer.serialize_some(&self.with(value)),
            value => single(&value, serializer),
        }
    }
}

/// Values that are text in formats for people, and serde's own form or bytes in others.
fn single<S: Serializer>(value: &Value<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let is_text = serializer.is_human_readable();
    match value {
        Value::Bytes(bytes) if is_text => serializer.collect_str(&format_args!("0x{}", Hex(bytes))),
        Value::Bytes(bytes) => serializer.serialize_bytes(bytes),
        Value::Duration(value) => value.serialize(serializer),
        Value::SystemTime { seconds, nanoseconds } => {
            let mut out = serializer.serialize_struct("SystemTime", 2)?;
            out.serialize_field("secs_since_epoch", seconds)?;
            out.serialize_field("nanos_since_epoch", nanoseconds)?;
            out.end()
        }
        Value::Ipv4Addr(value) => value.serialize(serializer),
        Value::Ipv6Addr(value) => value.serialize(serializer),
        Value::IpAddr(value) => value.serialize(serializer),
        Value::SocketAddr(value) => value.serialize(serializer),
        Value::Uuid(value) if is_text => serializer.collect_str(&Uuid(value)),
        Value::Uuid(value) => serializer.serialize_bytes(value),
        Value::Decimal(value) => serializer.collect_str(&Decimal(value)),
        _ => serializer.serialize_unit(),
    }
}

impl<'m> Within<'_, 'm, DynamicSlot<'m>> {
    fn tuple<S: Serializer>(&self, tuple: DynamicRecord<'m>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_tuple(tuple.layout().fields.len())?;
        for (_, slot) in tuple.fields() {
            out.serialize_element(&self.with(slot))?;
        }
        out.end()
    }
}

impl<'m> Serialize for Within<'_, 'm, DynamicRecord<'m>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (record, layout) = (self.value, self.value.layout());
        if let Some(slot) = record.slot(0).filter(|_| is_newtype(layout)) {
            return serializer.serialize_newtype_struct(layout.name, &self.with(slot));
        }
        if is_tuple(layout) {
            let mut out = serializer.serialize_tuple_struct(layout.name, layout.fields.len())?;
            for (_, slot) in record.fields() {
                out.serialize_field(&self.with(slot))?;
            }
            return out.end();
        }
        // Fields that the writer of the message did not know are left out.
        let known = record.fields().filter(|(_, slot)| !slot.is_absent()).count();
        let mut out = serializer.serialize_struct(layout.name, known)?;
        for (field, slot) in record.fields() {
            if slot.is_absent() {
                out.skip_field(field.name)?;
            } else {
                out.serialize_field(field.name, &self.with(slot))?;
            }
        }
        out.end()
    }
}

impl<'m> Serialize for Within<'_, 'm, DynamicList<'m>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let len = self.value.len();
        let mut elements = self.value.iter();
        let mut next = || elements.next_within(&mut self.walk.borrow_mut()).transpose().map_err(wrong::<S::Error>);
        if self.value.is_array() {
            let mut out = serializer.serialize_tuple(len)?;
            while let Some(slot) = next()? {
                out.serialize_element(&self.with(slot))?;
            }
            return out.end();
        }
        let mut out = serializer.serialize_seq(Some(len))?;
        while let Some(slot) = next()? {
            out.serialize_element(&self.with(slot))?;
        }
        out.end()
    }
}

impl<'m> Serialize for Within<'_, 'm, DynamicMap<'m>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let map = self.value;
        if serializer.is_human_readable() && !is_key(map.entry_layout()) {
            let mut out = serializer.serialize_seq(Some(map.len()))?;
            for entry in map {
                let (key, value) = entry.map_err(wrong)?;
                out.serialize_element(&(self.with(key), self.with(value)))?;
            }
            return out.end();
        }
        let mut out = serializer.serialize_map(Some(map.len()))?;
        for entry in map {
            let (key, value) = entry.map_err(wrong)?;
            out.serialize_entry(&self.with(key), &self.with(value))?;
        }
        out.end()
    }
}

impl<'m> Serialize for Within<'_, 'm, DynamicEnum<'m>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (value, layout) = (self.value, self.value.layout());
        let Some(variant) = value.variant() else {
            return serializer.serialize_u32(value.number());
        };
        let index = layout.variants.iter().position(|of| of.number == variant.number).unwrap_or(0) as u32;
        let Some(fields) = value.fields() else {
            return serializer.serialize_unit_variant(layout.name, index, variant.name);
        };
        let count = fields.layout().fields.len();
        if let Some(slot) = fields.slot(0).filter(|_| is_newtype(fields.layout())) {
            return serializer.serialize_newtype_variant(layout.name, index, variant.name, &self.with(slot));
        }
        if is_tuple(fields.layout()) {
            let mut out = serializer.serialize_tuple_variant(layout.name, index, variant.name, count)?;
            for (_, slot) in fields.fields() {
                out.serialize_field(&self.with(slot))?;
            }
            return out.end();
        }
        let mut out = serializer.serialize_struct_variant(layout.name, index, variant.name, count)?;
        for (field, slot) in fields.fields() {
            out.serialize_field(field.name, &self.with(slot))?;
        }
        out.end()
    }
}
