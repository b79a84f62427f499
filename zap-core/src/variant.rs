//! Enums with data: a tag, and behind it a signed pointer to the section of the variant's fields, which are a record of
//! their own (NATIVE "Types").
//!
//! A variant is read from its slot, by tag and pointer, or from the view of an enum, which has followed the pointer: both
//! are a [`VariantPlace`], and what the derive writes for one serves the other.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use crate::capped::Capped;
use crate::dynamic::{DynamicEnum, DynamicSlot};
use crate::json::write::Root;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{
    Decode, DecodeError, DecodeErrorKind, DecodeSlot, EnumLayout, Enumeration, FieldLayout, Layout, Native, RecordView,
    Slot, Zap, compare, display,
};

/// The view of an enum with data: an enum of the same variants, each with a view of its fields.
///
/// # Examples
///
/// ```
/// use zap_core::{VariantView, Zap};
///
/// #[derive(Zap, Debug, PartialEq)]
/// enum Shape {
///     Empty,
///     Circle(f64),
/// }
///
/// #[derive(Zap)]
/// struct Drawing {
///     shape: Shape,
/// }
///
/// let bytes = Drawing { shape: Shape::Circle(2.0) }.to_vec()?;
/// let shape = Drawing::view(&bytes)?.shape()?;
/// assert!(matches!(shape, ShapeView::Circle(radius) if radius.get() == 2.0));
/// assert_eq!(shape, Shape::Circle(2.0));
/// assert_eq!(shape.to_string(), "Circle(2.0)");
/// assert_eq!((shape.number(), shape.to_value()?), (1, Shape::Circle(2.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait VariantView<'m>: Copy + Debug + fmt::Display + PartialEq {
    /// The enum that it shows; where the enum has lifetimes, they are the message's.
    type Enum: Enumeration;

    /// The same, read through its layout.
    fn to_dynamic(&self) -> DynamicEnum<'m>;

    /// The number in the message, whether or not a variant has it.
    fn number(&self) -> u32 {
        self.to_dynamic().number()
    }

    /// The enum as a value: borrowed fields borrow from the message, owned ones are copied.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`]: the first thing that is wrong with the bytes, or the budget.
    ///
    /// # Panics
    ///
    /// Never.
    fn to_value(&self) -> Result<Self::Enum, DecodeError>
    where
        Self::Enum: DecodeVariant<'m>,
    {
        let variant = self.to_dynamic();
        Self::Enum::decode_variant(variant, &mut compare::walk_over(variant.message_len()))
    }
}

/// An enum with data. Implemented by `#[derive(Zap)]`.
#[doc(hidden)]
pub trait DataEnum: Enumeration {
    /// Whether this value is at the place. `walk` pays for what is visited.
    fn equals_variant<'m, P: VariantPlace<'m>>(&self, place: P, walk: &mut Walk<'_, true>) -> bool;
}

/// An enum with data that can be decoded into a value that borrows from the message for `'m`.
#[doc(hidden)]
pub trait DecodeVariant<'m>: DataEnum + Decode<'m> {
    /// Decodes the variant at the place.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, or the budget.
    fn decode_variant<P: VariantPlace<'m>, const METERED: bool>(
        place: P,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError>;
}

/// Where a variant is read.
#[doc(hidden)]
pub trait VariantPlace<'m>: Copy {
    /// The number that tells which variant is there.
    fn number(self) -> u32;
    /// Of a variant without fields: there is no pointer.
    ///
    /// # Errors
    ///
    /// There is one.
    fn unit(self) -> Result<(), DecodeError>;
    /// The section of the variant's fields, which has this layout.
    ///
    /// # Errors
    ///
    /// The pointer is null or wrong.
    fn section(self, layout: &'static Layout) -> Result<Section<'m>, DecodeError>;
    /// The error that no variant has the number.
    fn unknown(self) -> DecodeError;
}

/// A slot: a tag and a pointer.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct VariantSlot<'m> {
    section: Section<'m>,
    field: Field,
}

impl<'m> VariantSlot<'m> {
    #[inline(always)]
    #[must_use]
    pub const fn new(section: Section<'m>, field: Field) -> Self {
        Self { section, field }
    }

    /// The pointer behind the tag.
    const fn pointer(self) -> Field {
        Field { offset: self.field.offset.wrapping_add(4), place: self.field.place }
    }
}

impl<'m> VariantPlace<'m> for VariantSlot<'m> {
    #[inline]
    fn number(self) -> u32 {
        u32::from_le_bytes(self.section.load(self.field.offset))
    }
    #[inline]
    fn unit(self) -> Result<(), DecodeError> {
        match u32::from_le_bytes(self.section.load(self.pointer().offset)) {
            0 => Ok(()),
            _ => Err(self.section.error(DecodeErrorKind::UnexpectedFields, self.pointer())),
        }
    }
    #[inline]
    fn section(self, layout: &'static Layout) -> Result<Section<'m>, DecodeError> {
        match self.section.pointed_section(section_size(layout), self.pointer())? {
            Some(fields) => Ok(fields),
            None => Err(self.section.error(DecodeErrorKind::NullPointer, self.pointer())),
        }
    }
    #[cold]
    fn unknown(self) -> DecodeError {
        self.section.error(DecodeErrorKind::UnknownVariant, self.field)
    }
}

/// What a view holds: the pointer has been followed, the number is one that the enum takes.
impl<'m> VariantPlace<'m> for DynamicEnum<'m> {
    fn number(self) -> u32 {
        DynamicEnum::number(&self)
    }
    fn unit(self) -> Result<(), DecodeError> {
        Ok(())
    }
    fn section(self, _: &'static Layout) -> Result<Section<'m>, DecodeError> {
        self.fields().map(|fields| fields.section()).ok_or_else(|| self.unknown())
    }
    fn unknown(self) -> DecodeError {
        DecodeError::new(DecodeErrorKind::UnknownVariant, 0)
    }
}

/// A section has at least one byte, so that a pointer to it is not null.
const fn section_size(layout: &Layout) -> usize {
    if layout.size == 0 { 1 } else { layout.size as usize }
}

/// The section of fields of a record `R`.
///
/// # Errors
///
/// The pointer is null or wrong.
#[inline]
pub fn section<'m, R: Zap>(place: impl VariantPlace<'m>) -> Result<Section<'m>, DecodeError> {
    place.section(R::LAYOUT)
}

/// The section of the variant's fields, paid for.
///
/// # Errors
///
/// As [`section`], or the budget.
#[inline]
fn paid<'m, const METERED: bool>(
    place: impl VariantPlace<'m>,
    layout: &'static Layout,
    walk: &mut Walk<'_, METERED>,
) -> Result<Section<'m>, DecodeError> {
    let fields = place.section(layout)?;
    walk.spend(fields.bytes().len(), fields.position() as usize)?;
    Ok(fields)
}

/// Checks the variant's fields.
///
/// # Errors
///
/// Whatever is wrong with them, or the budget.
pub fn check<'m, R: Zap, const METERED: bool>(
    place: impl VariantPlace<'m>,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    R::check_fields(paid(place, R::LAYOUT, walk)?, walk)
}

/// Decodes the variant's fields.
///
/// # Errors
///
/// Whatever is wrong with them, or the budget.
pub fn decode<'m, R: Decode<'m>, const METERED: bool>(
    place: impl VariantPlace<'m>,
    walk: &mut Walk<'m, METERED>,
) -> Result<R, DecodeError> {
    R::decode_root(paid(place, R::LAYOUT, walk)?, walk)
}

/// The section of the fields of a value's variant, if that variant is at the place; paid for.
pub fn section_of<'m, R: Zap>(
    place: impl VariantPlace<'m>,
    number: u32,
    walk: &mut Walk<'_, true>,
) -> Option<Section<'m>> {
    if place.number() == number { paid(place, R::LAYOUT, walk).ok() } else { None }
}

/// Whether a variant without fields is at the place.
pub fn is_unit<'m>(place: impl VariantPlace<'m>, number: u32) -> bool {
    place.number() == number && place.unit().is_ok()
}

/// Whether a number that no variant has is at the place.
pub fn is_other<'m, E: Enumeration>(place: impl VariantPlace<'m>, number: u32) -> bool {
    place.number() == number && E::ENUM.variant(number).is_none()
}

/// Whether two slots hold equal variants.
#[must_use]
pub fn same<E: Enumeration>(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
    let read = |section| of_slot(E::ENUM, VariantSlot::new(section, field));
    match (read(left), read(right)) {
        (Ok(left), Ok(right)) => same_variants(left, right, walk),
        _ => false,
    }
}

/// Whether two views show equal variants.
#[must_use]
pub fn same_views<'m>(left: &impl VariantView<'m>, right: &impl VariantView<'m>) -> bool {
    let (left, right) = (left.to_dynamic(), right.to_dynamic());
    let message_len = left.message_len().saturating_add(right.message_len());
    same_variants(left, right, &mut compare::walk_over(message_len))
}

/// Whether a view shows this value.
#[must_use]
pub fn view_equals<'m, V: VariantView<'m>, E: DataEnum>(view: &V, value: &E) -> bool {
    let variant = view.to_dynamic();
    value.equals_variant(variant, &mut compare::walk_over(variant.message_len()))
}

/// What a slot holds, read through its layout.
fn of_slot<'m>(layout: &'static EnumLayout, slot: VariantSlot<'m>) -> Result<DynamicEnum<'m>, DecodeError> {
    let number = slot.number();
    let fields = match layout.variant(number) {
        None if layout.other.is_some() => None,
        None => return Err(slot.unknown()),
        Some(variant) => match variant.fields {
            None => slot.unit().map(|()| None)?,
            Some(fields) => Some(slot.section(fields())?),
        },
    };
    Ok(DynamicEnum::new(layout, number, fields))
}

fn same_variants(left: DynamicEnum<'_>, right: DynamicEnum<'_>, walk: &mut Walk<'_, true>) -> bool {
    if left.number() != right.number() {
        return false;
    }
    match (left.fields(), right.fields()) {
        (Some(left), Some(right)) => {
            let layout = left.layout();
            let (left, right) = (left.section(), right.section());
            compare::pay(left, walk)
                && compare::pay(right, walk)
                && compare::same_slots(layout.fields, left, right, walk)
        }
        (left, right) => left.is_none() && right.is_none(),
    }
}

/// What the view of a variant shows: `fields` is the section of its fields, if it has any.
#[must_use]
pub fn dynamic<'m, E: Enumeration>(number: u32, fields: Option<Section<'m>>) -> DynamicEnum<'m> {
    DynamicEnum::new(E::ENUM, number, fields)
}

/// What JSON is written of.
#[must_use]
pub fn json_root<'m>(view: &impl VariantView<'m>) -> Root<'m> {
    Root::of_enum(view.to_dynamic())
}

/// Counts or writes the tag alone.
#[inline]
pub fn put_tag<S: Sink>(section: &mut S::Section, offset: usize, tag: u32) {
    S::store(section, offset, tag.to_le_bytes());
}

/// Counts or writes the tag and the pointer, and reserves the section of the variant's fields, one level down; `None`
/// where that is too deep.
#[inline]
pub fn begin<R: Zap, S: Sink>(sink: &mut S, section: &mut S::Section, offset: usize, tag: u32) -> Option<S::Section> {
    put_tag::<S>(section, offset, tag);
    sink.descend()
        .then(|| sink.pointed(section, offset.wrapping_add(4), section_size(R::LAYOUT), R::LAYOUT.align as usize))
}

/// Prints what a variant's view holds.
///
/// # Errors
///
/// The formatter's.
pub fn debug_variant(f: &mut fmt::Formatter<'_>, name: &str, value: &dyn Debug) -> fmt::Result {
    f.debug_tuple(name).field(&Capped(value)).finish()
}

/// Prints the view of an enum as `{}` does.
///
/// # Errors
///
/// The formatter's.
pub fn display<'m>(view: &impl VariantView<'m>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    display::display_variant(view.to_dynamic(), f)
}

/// The only field of a variant, read in place: what the variant of an enum's view holds, where the enum's has a single
/// field without a name.
///
/// Nothing is read before [`get`](Self::get).
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// enum Note {
///     Text(String),
/// }
///
/// let bytes = Note::Text("rent".into()).to_vec()?;
/// let NoteView::Text(text) = Note::view(&bytes)?.get()?;
/// assert_eq!(text.get()?, "rent");
/// assert!(text == String::from("rent"));
/// assert_eq!(text.to_value()?, "rent");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FieldView<'m, T> {
    section: Section<'m>,
    field: &'static FieldLayout,
    value: PhantomData<fn() -> T>,
}

impl<'m, T> FieldView<'m, T> {
    /// The first field of a record `R`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn new<R: Zap>(section: Section<'m>) -> Self {
        const { assert!(!R::FIELDS.is_empty(), "a variant with a field has one") };
        #[allow(clippy::indexing_slicing)] // The line above.
        Self { section, field: &R::FIELDS[0], value: PhantomData }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn section(&self) -> Section<'m> {
        self.section
    }

    const fn place(&self) -> Field {
        Field { offset: self.field.offset as usize, place: &self.field.place }
    }

    pub(crate) const fn to_dynamic(self) -> DynamicSlot<'m> {
        DynamicSlot::new(self.section, self.place(), &self.field.field_type, crate::DialectKind::Native)
    }
}

impl<'m, T: Slot<Native>> FieldView<'m, T> {
    /// What the accessor of such a field gives: the value, or a `Result` where bytes can be wrong.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T::Get<'m> {
        T::get(self.section, self.place())
    }

    /// The field as a value: what is borrowed borrows from the message, what is owned is copied.
    ///
    /// # Errors
    ///
    /// As [`Zap::decode`]: the first thing that is wrong with the bytes, or the budget.
    ///
    /// # Panics
    ///
    /// Never.
    pub fn to_value(&self) -> Result<T, DecodeError>
    where
        T: DecodeSlot<'m, Native>,
    {
        let mut walk = compare::walk_over(self.section.message().len());
        T::decode_slot(self.section, self.place(), &mut walk).map_err(|error| error.at(&self.field.place))
    }
}

impl<T> Clone for FieldView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for FieldView<'_, T> {}

impl<T: Slot<Native>> Debug for FieldView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Capped(self.get()).fmt(f)
    }
}

impl<T: Slot<Native>> fmt::Display for FieldView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display_slot(self.to_dynamic(), self.section.message().len(), f)
    }
}

impl<T: Slot<Native>> PartialEq for FieldView<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        let message_len = self.section.message().len().saturating_add(other.section.message().len());
        T::same(self.section, other.section, self.place(), &mut compare::walk_over(message_len))
    }
}

impl<T: Slot<Native>> PartialEq<T> for FieldView<'_, T> {
    fn eq(&self, other: &T) -> bool {
        other.equals(self.section, self.place(), &mut compare::walk_over(self.section.message().len()))
    }
}

/// The view of the section that a [`FieldView`] is of: what [`Zap::View`] must be, and no accessor gives.
#[doc(hidden)]
pub struct SectionView<'m, R> {
    section: Section<'m>,
    record: PhantomData<fn() -> R>,
}

impl<R> Clone for SectionView<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for SectionView<'_, R> {}

impl<R: Zap> Debug for SectionView<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display::<R>(self.section, f)
    }
}

impl<R: Zap> PartialEq for SectionView<'_, R> {
    fn eq(&self, other: &Self) -> bool {
        compare::same_views::<R>(self.section, other.section)
    }
}

impl<'m, R: Zap> RecordView<'m> for SectionView<'m, R> {
    type Record = R;

    fn from_section(section: Section<'m>) -> Self {
        Self { section, record: PhantomData }
    }
    fn section(&self) -> Section<'m> {
        self.section
    }
}
