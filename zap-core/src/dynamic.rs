//! Reading a message through its [`Layout`] instead of through types: for tools, JSON and hexdumps.
//!
//! A [`DynamicRecord`] is to a layout what a view is to a record: it is opened in O(1), copies nothing, allocates
//! nothing, and gives one [`Value`] per field when asked. It refuses what the view refuses, with the same error. It is
//! slower than a view, since the layout is looked at where a view's code is compiled.
//!
//! # Examples
//!
//! ```
//! use zap_core::Zap;
//! use zap_core::dynamic::{DynamicRecord, Value};
//!
//! #[derive(Zap)]
//! struct Reading<'a> {
//!     station: u32,
//!     label: &'a str,
//!     levels: Vec<u16>,
//! }
//!
//! let bytes = Reading { station: 7, label: "weir", levels: vec![3, 5] }.to_vec()?;
//! let record = DynamicRecord::open(&bytes, Reading::LAYOUT)?;
//! assert!(matches!(record.get("station").unwrap()?, Value::U32(7)));
//! assert!(matches!(record.get("label").unwrap()?, Value::Text("weir")));
//! if let Value::List(levels) = record.get("levels").unwrap()? {
//!     for level in levels {
//!         assert!(matches!(level?.read()?, Value::U16(3 | 5)));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

mod list;
mod order;
mod shape;
mod slot;
mod zero;

use core::fmt;
use core::iter::FusedIterator;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use core::time::Duration;

use crate::section::{Field, Section};
use crate::walk::Walk;
use crate::{
    DecodeError, DecodeErrorKind, EnumLayout, FieldLayout, FieldType, Layout, Limits, Place, RecordView, VariantLayout,
};

pub use list::{DynamicList, DynamicListIter, DynamicMap, DynamicMapIter};
pub(crate) use shape::{Absence, absence, pointed, shape};
pub use slot::DynamicSlot;

/// A value of a message, as far as its slot says: what lies behind lists, records and the like is read when asked for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'m> {
    /// `bool`.
    Bool(bool),
    /// `u8`.
    U8(u8),
    /// `u16`.
    U16(u16),
    /// `u32`.
    U32(u32),
    /// `u64`.
    U64(u64),
    /// `u128`.
    U128(u128),
    /// `i8`.
    I8(i8),
    /// `i16`.
    I16(i16),
    /// `i32`.
    I32(i32),
    /// `i64`.
    I64(i64),
    /// `i128`.
    I128(i128),
    /// `f32`.
    F32(f32),
    /// `f64`.
    F64(f64),
    /// `char`.
    Char(char),
    /// Text, UTF-8 as checked.
    Text(&'m str),
    /// Bytes, and arrays and sets of `u8`.
    Bytes(&'m [u8]),
    /// A list, an array or a set.
    List(DynamicList<'m>),
    /// A map.
    Map(DynamicMap<'m>),
    /// A record.
    Record(DynamicRecord<'m>),
    /// A tuple: a record whose fields are called by their numbers.
    Tuple(DynamicRecord<'m>),
    /// One variant of an enum.
    Enum(DynamicEnum<'m>),
    /// An optional: the slot of the value, or nothing.
    Option(Option<DynamicSlot<'m>>),
    /// [`core::time::Duration`].
    Duration(Duration),
    /// A moment, counted from 1970.
    SystemTime {
        /// Seconds before (negative) or after the start of 1970.
        seconds: i64,
        /// Nanoseconds after that second, below 10^9.
        nanoseconds: u32,
    },
    /// An IP address of version 4.
    Ipv4Addr(Ipv4Addr),
    /// An IP address of version 6.
    Ipv6Addr(Ipv6Addr),
    /// An IP address of either version.
    IpAddr(IpAddr),
    /// An IP address and a port.
    SocketAddr(SocketAddr),
    /// A UUID in the order of RFC 9562.
    Uuid([u8; 16]),
    /// A decimal number as `rust_decimal` serialises it.
    Decimal([u8; 16]),
    /// No bytes: `PhantomData`.
    Nothing,
    /// A field of a growable record that its writer did not know.
    Absent,
}

/// A record read through its layout.
#[derive(Clone, Copy)]
pub struct DynamicRecord<'m> {
    section: Section<'m>,
    layout: &'static Layout,
    /// What errors call its fields, if not by their own names.
    place: Option<&'static Place>,
}

impl<'m> DynamicRecord<'m> {
    /// Opens the root record of a message: checks the header and that the root section is there, nothing else.
    ///
    /// # Errors
    ///
    /// As [`Zap::view`](crate::Zap::view).
    ///
    /// # Cost
    ///
    /// O(1) whatever the size of the message; no allocation.
    pub fn open(message: &'m [u8], layout: &'static Layout) -> Result<Self, DecodeError> {
        if layout.growable {
            return Self::grown(Section::open(message, LENGTH_WIDTH, &layout.place)?, layout);
        }
        let section = Section::open(message, layout.root_size(), &layout.place)?;
        Ok(Self::new(section, layout))
    }

    /// As [`DynamicRecord::open`], for messages within `limits`.
    ///
    /// # Errors
    ///
    /// As [`DynamicRecord::open`]; and `MessageTooLarge` beyond the limits.
    pub fn open_within(message: &'m [u8], layout: &'static Layout, limits: &Limits) -> Result<Self, DecodeError> {
        let record = Self::open(message, layout)?;
        if record.section.message().len() > limits.message_len() as usize {
            return Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, 12).at(&layout.place));
        }
        Ok(Self { section: record.section.with_depth(limits.depth()), ..record })
    }

    /// What a typed view reads, read through its layout.
    pub(crate) fn of_view<V: RecordView<'m>>(view: &V) -> Self {
        let (section, layout) = (view.section(), V::LAYOUT);
        Self::new(section, layout)
    }

    /// A record of the section that its layout says, or, if it can grow, of the section that its length says.
    pub(crate) const fn new(section: Section<'m>, layout: &'static Layout) -> Self {
        Self { section, layout, place: None }
    }

    /// The same record where what is wrong with a field is said of this place, as for tuples and entries of maps.
    pub(crate) const fn at(self, place: &'static Place) -> Self {
        Self { place: Some(place), ..self }
    }

    /// The growable record whose length the section is.
    pub(crate) fn grown(length: Section<'m>, layout: &'static Layout) -> Result<Self, DecodeError> {
        let error = |kind| DecodeError::new(kind, length.position() as usize).at(&layout.place);
        let len = u32::from_le_bytes(length.load(0));
        if (len as usize) < LENGTH_WIDTH || layout.fields.iter().any(|field| field.offset < len && len < field.end()) {
            return Err(error(DecodeErrorKind::InvalidLength));
        }
        let section = length.resized(len as usize).ok_or_else(|| error(DecodeErrorKind::SectionOutOfBounds))?;
        Ok(Self::new(section, layout))
    }

    /// The layout that it is read by.
    #[must_use]
    pub const fn layout(&self) -> &'static Layout {
        self.layout
    }

    /// The value of the field of this name; `None` if the layout has none. O(fields).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Result<Value<'m>, DecodeError>> {
        let index = self.layout.fields.iter().position(|field| field.name == name)?;
        Some(self.slot(index)?.read())
    }

    /// The slot of field `index`; `None` past the last.
    #[must_use]
    pub fn slot(&self, index: usize) -> Option<DynamicSlot<'m>> {
        let field = self.layout.fields.get(index)?;
        let at = Field { offset: field.offset as usize, place: self.place.unwrap_or(&field.place) };
        let slot = DynamicSlot::new(self.section, at, &field.field_type, self.layout.dialect);
        let is_absent = self.layout.growable && field.end() as usize > self.section.bytes().len();
        Some(if is_absent { slot.absent() } else { slot })
    }

    /// The fields in declaration order, each with its slot.
    #[must_use]
    pub const fn fields(&self) -> DynamicFields<'m> {
        DynamicFields { record: *self, next: 0 }
    }

    pub(crate) const fn section(&self) -> Section<'m> {
        self.section
    }
}

impl fmt::Debug for DynamicRecord<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicRecord").field("name", &self.layout.name).finish_non_exhaustive()
    }
}

/// Bytes of the hidden length of a growable record.
const LENGTH_WIDTH: usize = 4;

/// The iterator of [`DynamicRecord::fields`].
#[derive(Clone, Debug)]
pub struct DynamicFields<'m> {
    record: DynamicRecord<'m>,
    next: usize,
}

impl<'m> Iterator for DynamicFields<'m> {
    type Item = (&'static FieldLayout, DynamicSlot<'m>);

    fn next(&mut self) -> Option<Self::Item> {
        let item = (self.record.layout.fields.get(self.next)?, self.record.slot(self.next)?);
        self.next = self.next.saturating_add(1);
        Some(item)
    }
}

impl FusedIterator for DynamicFields<'_> {}

/// An enum's value.
#[derive(Clone, Copy, Debug)]
pub struct DynamicEnum<'m> {
    layout: &'static EnumLayout,
    number: u32,
    variant: Option<&'static VariantLayout>,
    fields: Option<DynamicRecord<'m>>,
}

impl<'m> DynamicEnum<'m> {
    /// The variant of a number, whose fields are in this section.
    pub(crate) fn new(layout: &'static EnumLayout, number: u32, fields: Option<Section<'m>>) -> Self {
        let variant = layout.variant(number);
        let fields = match (fields, variant.and_then(|variant| variant.fields)) {
            (Some(section), Some(fields)) => Some(DynamicRecord::new(section, fields())),
            _ => None,
        };
        Self { layout, number, variant, fields }
    }

    /// Bytes of the message that its fields are in; without fields there is nothing to read.
    pub(crate) fn message_len(&self) -> usize {
        self.fields.map_or(0, |fields| fields.section().message().len())
    }

    /// The enum's layout.
    #[must_use]
    pub const fn layout(&self) -> &'static EnumLayout {
        self.layout
    }

    /// The number that stands for the variant.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// The variant; `None` for a number that none has, where the enum has a variant for all others.
    #[must_use]
    pub const fn variant(&self) -> Option<&'static VariantLayout> {
        self.variant
    }

    /// The variant's fields; `None` for a unit variant.
    #[must_use]
    pub const fn fields(&self) -> Option<DynamicRecord<'m>> {
        self.fields
    }
}

/// Whether a record has one unnamed field, which JSON spells as that field alone, as serde does. The only field of an
/// enum that is the root of a message has no name at all.
pub(crate) fn is_newtype(layout: &Layout) -> bool {
    !layout.growable && matches!(layout.fields, [field] if matches!(field.name, "0" | ""))
}

/// Whether the fields are those of a tuple.
pub(crate) fn is_tuple(layout: &Layout) -> bool {
    !layout.growable
        && !layout.fields.is_empty()
        && layout.fields.iter().enumerate().all(|(index, field)| field.name.parse() == Ok(index))
}

/// A walk for values that are read one by one: nothing limits what a caller asks for.
pub(crate) const fn unlimited<'m>() -> Walk<'m, true> {
    Walk::within(u64::MAX)
}

/// Whether a field's type is one whose bytes are in the slot.
pub(crate) const fn is_byte(element: &FieldType) -> bool {
    matches!(element, FieldType::U8)
}
