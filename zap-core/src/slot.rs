//! The traits behind the derive: what sits in a slot, how it is read in place, decoded, counted and written.
//!
//! Users meet them in bounds and error messages. The derive implements them for records; this crate for everything
//! else. No unsafe code relies on any of them.

use core::fmt::Debug;

use alloc::vec::Vec;

use crate::layout::SlotShape;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::walk::Walk;
use crate::{DecodeError, Dialect, FieldType, Zap};

/// How a view reads a field of a growable record that the writer did not know.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// As zeros.
    Zeros,
    /// As the type's `Default`.
    Default,
    /// Not at all.
    Refused,
}

impl Missing {
    /// The same for what consists of such a type: it is read as zeros, which therefore must be right for its parts.
    #[must_use]
    pub const fn inside(self) -> Self {
        match self {
            Self::Zeros => Self::Zeros,
            Self::Default | Self::Refused => Self::Refused,
        }
    }
}

/// A type that can be a field of a record of dialect `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a ZAP record of the `{D}` dialect",
    label = "not a field type in this dialect",
    note = "for a struct of yours, put #[derive(Zap)] on it, with the same #[zap(dialect)]; for an enum, #[derive(Zap)]",
    note = "native records take bool, 8 to 128-bit integers, f32, f64, char; &str, String, Box<str>, Arc<str>, Cow<str>; &[u8], Vec<u8>, Box<[u8]>, Arc<[u8]>, Cow<[u8]>, Bytes; NonZero, Duration, SystemTime, IP addresses, PhantomData, and with their features Uuid and Decimal; native records and enums; and Option<T>, Box<T>, [T; N], tuples, Vec<T>, &[T], maps and sets of all of these",
    note = "zapgen and zip records take bool, 8 to 64-bit integers, f32, f64, text, bytes, PhantomData, enums without data, records of their own dialect and lists of these; zapgen also [u8; N] and Option of a record; zip also Option"
)]
pub trait Slot<D: Dialect> {
    /// Bytes in the fixed section.
    const WIDTH: usize;
    /// Alignment in the fixed section in bytes, a power of two.
    const ALIGN: usize;
    /// Its wire type.
    const TYPE: FieldType;
    /// Everything is in the slot: nothing is written behind it.
    const PLAIN: bool;
    /// Any bytes in the slot are a value: reading cannot fail.
    const INFALLIBLE: bool;
    /// Lists or pointed-to records lie behind the slot, so that a deep read needs a budget.
    const NESTED: bool;

    /// The constants above as one value.
    #[doc(hidden)]
    const SHAPE: SlotShape = SlotShape {
        field_type: Self::TYPE,
        width: Self::WIDTH,
        align: Self::ALIGN,
        plain: Self::PLAIN,
        infallible: Self::INFALLIBLE,
        nested: Self::NESTED,
        tails: Self::TAILS,
        missing: Self::MISSING,
        same: Self::same,
    };
    /// Text, bytes and list slots in it, inline records included: how often it may share the same bytes.
    #[doc(hidden)]
    const TAILS: u32 = if Self::PLAIN { 0 } else { 1 };
    /// What is wrong with the type where only its layout tells: nothing, where it is empty.
    #[doc(hidden)]
    const FAULT: &'static str = "";
    /// What stands behind the function in `TYPE`, for a pin: in a section that is spelled out, and behind a pointer. A
    /// type that holds another passes on the other's: the first where it is inline, the second where it is pointed to.
    #[doc(hidden)]
    const PARTS: Parts = Parts::None;
    #[doc(hidden)]
    const PARTS_BEHIND: Parts = Parts::None;

    /// What a missing field of a growable record reads as in a view.
    #[doc(hidden)]
    const MISSING: Missing = Missing::Zeros;

    /// What a view's accessor returns: the value, or a `Result` where bytes can be wrong.
    type Get<'m>: Copy + Debug;

    /// Reads the slot in place.
    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m>;
    /// Checks the slot and everything behind it.
    ///
    /// # Errors
    ///
    /// The first thing that an accessor would refuse, or the budget.
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError>;
    /// Whether the slot holds its type's zero value, which the zip dialect takes for "absent" (wire 1.6). What that
    /// costs is paid to `walk`; a value too large to tell is there.
    #[inline]
    fn is_zero(section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
        section.part(field.offset, Self::WIDTH).bytes().iter().all(|byte| *byte == 0)
    }
    /// Whether the slot holds this value. Malformed bytes hold no value. `walk` pays for what is visited.
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool;
    /// Whether the same slot of two records of one type holds equal values. Malformed bytes equal nothing.
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool;
    /// Counts or writes the value: its slot at `offset` of the section, and everything behind it.
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize);

    /// What the accessor of a missing field of a growable record returns: by default what zeros read as. `default` makes
    /// the value that the field is decoded as.
    #[doc(hidden)]
    fn get_missing<'m>(section: Section<'m>, field: Field, default: fn() -> Self) -> Self::Get<'m>
    where
        Self: Sized,
    {
        let _ = default;
        Self::get(section, field)
    }

    /// Whether this value is what a missing field of a growable record reads as. `default` as above.
    #[doc(hidden)]
    fn equals_missing(&self, section: Section<'_>, field: Field, default: fn() -> Self) -> bool
    where
        Self: Sized,
    {
        let _ = default;
        self.equals(section, field, &mut Walk::within(0))
    }

    // The derive calls these for field `index` of record `R`.

    #[doc(hidden)]
    #[inline(always)]
    fn get_field<R: Zap>(section: Section<'_>, index: usize) -> Self::Get<'_> {
        Self::get(section, field::<R>(index))
    }
    #[doc(hidden)]
    #[inline(always)]
    fn check_field<R: Zap, const METERED: bool>(
        section: Section<'_>,
        index: usize,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        let field = field::<R>(index);
        Self::check(section, field, walk).map_err(|error| error.at(field.place))
    }
    #[doc(hidden)]
    fn is_zero_field<R: Zap>(section: Section<'_>, index: usize, walk: &mut Walk<'_, true>) -> bool {
        Self::is_zero(section, field::<R>(index), walk)
    }
    #[doc(hidden)]
    fn equals_field<R: Zap>(&self, section: Section<'_>, index: usize, walk: &mut Walk<'_, true>) -> bool {
        self.equals(section, field::<R>(index), walk)
    }
    #[doc(hidden)]
    #[inline(always)]
    fn put_field<R: Zap, S: Sink>(&self, sink: &mut S, section: &mut S::Section, base: usize, index: usize) {
        self.put(sink, section, base.wrapping_add(field::<R>(index).offset));
    }
}

/// Field `index` of a record: a constant, once this is inlined.
#[inline(always)]
pub(crate) fn field<R: Zap>(index: usize) -> Field {
    let field = &R::FIELDS[index];
    Field { offset: field.offset as usize, place: &field.place }
}

/// A slot type that can be decoded into a value that borrows from the message for `'m`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be decoded as a field of a ZAP record of the `{D}` dialect",
    label = "cannot be decoded"
)]
pub trait DecodeSlot<'m, D: Dialect>: Slot<D> + Sized {
    /// Decodes the slot and everything behind it.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, or the budget.
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError>;

    /// Decodes all elements of a native list at once; `None` if they are to be decoded one by one.
    #[doc(hidden)]
    #[inline]
    fn decode_body(_: &[u8]) -> Option<Vec<Self>> {
        None
    }

    // The derive calls this for field `index` of record `R`.
    #[doc(hidden)]
    #[inline(always)]
    fn decode_field<R: Zap, const METERED: bool>(
        section: Section<'m>,
        index: usize,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        let field = field::<R>(index);
        Self::decode_slot(section, field, walk).map_err(|error| error.at(field.place))
    }
}

/// How a sequence of `Self` is stored behind a list slot. This is how `Vec<u8>` is bytes and `Vec<u32>` a list under
/// one implementation for `Vec<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a list in the `{D}` dialect",
    label = "not a list of elements of this dialect",
    note = "for a struct of yours, put #[derive(Zap)] on it, with the same #[zap(dialect)]; for an enum, #[derive(Zap)]",
    note = "native lists hold every type of native fields; zapgen and zip lists hold bool, 16 to 64-bit integers, i8, f32, f64, text, bytes, enums without data and records of their own dialect"
)]
pub trait ListElement<D: Dialect>: Sized {
    /// The wire type of the sequence.
    const LIST_TYPE: FieldType;
    /// The sequence holds elements that are read one by one.
    const LIST_NESTED: bool;
    /// As [`Slot::FAULT`], of the sequence.
    #[doc(hidden)]
    const LIST_FAULT: &'static str = "";
    /// As [`Slot::PARTS_BEHIND`], of the elements.
    #[doc(hidden)]
    const LIST_PARTS: Parts = Parts::None;
    /// The sequence, read in place.
    type List<'m>: Copy + Debug;

    /// Reads the sequence in place.
    ///
    /// # Errors
    ///
    /// The slot does not resolve.
    fn get_list<'m>(section: Section<'m>, field: Field) -> Result<Self::List<'m>, DecodeError>;
    /// Checks the sequence and everything behind it.
    ///
    /// # Errors
    ///
    /// The first thing that an accessor would refuse, or the budget.
    fn check_list<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError>;
    /// As [`Slot::equals`], of the sequence.
    fn equals_list(items: &[Self], section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool;
    /// As [`Slot::same`], of the sequence.
    fn same_list(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool;
    /// Counts or writes the sequence.
    fn put_list<S: Sink>(items: &[Self], sink: &mut S, section: &mut S::Section, offset: usize);
}

/// A list element that can be decoded.
#[diagnostic::on_unimplemented(
    message = "a list of `{Self}` cannot be decoded in the `{D}` dialect",
    label = "cannot be decoded"
)]
pub trait DecodeListElement<'m, D: Dialect>: ListElement<D> {
    /// Decodes the sequence.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the bytes, or the budget.
    fn decode_list<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Vec<Self>, DecodeError>;
}

/// A list element that can be borrowed from the message: `u8` alone.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`&[{Self}]` can be encoded and viewed, but not decoded",
    label = "holds a `&[{Self}]`",
    note = "the bytes of a list may lie at any address and are little-endian, so they cannot become a Rust slice: make the field a `Vec<{Self}>`, or read the list through the view"
)]
pub trait BorrowedElement: Sized {
    /// The bytes as elements.
    fn borrow(bytes: &[u8]) -> &[Self];
}

impl BorrowedElement for u8 {
    #[inline]
    fn borrow(bytes: &[u8]) -> &[u8] {
        bytes
    }
}

/// The type of a `#[zap(skip)]` field that speaks of type parameters. A bound of its own, because a user who has written
/// `T: Default` is told by a lint not to write it twice.
#[doc(hidden)]
pub trait SkippedField: Default {}

#[diagnostic::do_not_recommend]
impl<T: Default> SkippedField for T {}
