//! Values in sections of their own behind signed pointers: `Box<T>`, and what an `Option` of a record shares with it.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::boxed::Box;

use crate::native_slot::{Fallible, form};
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::slot::Missing;
use crate::walk::Walk;
use crate::{DecodeError, DecodeErrorKind, DecodeSlot, FieldType, FixedStride, Native, NativeSlot, Slot, compare};

/// The slot that a pointed-to section consists of.
#[inline]
pub(crate) const fn whole_section(field: Field) -> Field {
    Field { offset: 0, place: field.place }
}

/// The section of a `T` behind the pointer at `field`; `None` for null.
pub(crate) fn section_of<'m, T: Slot<Native>>(
    section: Section<'m>,
    field: Field,
) -> Result<Option<Section<'m>>, DecodeError> {
    section.pointed_section(T::WIDTH, field)
}

/// Checks a `T` in the section that a pointer led to, and everything behind it.
pub(crate) fn check_section<T: Slot<Native>, const METERED: bool>(
    target: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<(), DecodeError> {
    walk.spend(target.bytes().len(), target.position() as usize)?;
    T::check(target, whole_section(field), walk)
}

/// Decodes a `T` from the section that a pointer led to.
pub(crate) fn decode_section<'m, T: DecodeSlot<'m, Native>, const METERED: bool>(
    target: Section<'m>,
    field: Field,
    walk: &mut Walk<'m, METERED>,
) -> Result<T, DecodeError> {
    walk.spend(target.bytes().len(), target.position() as usize)?;
    T::decode_slot(target, whole_section(field), walk)
}

/// Counts or writes a pointer and the section behind it, with everything behind that.
pub(crate) fn put_section<T: Slot<Native>, S: Sink>(value: &T, sink: &mut S, section: &mut S::Section, offset: usize) {
    if sink.descend() {
        let mut target = sink.pointed(section, offset, T::WIDTH, T::ALIGN);
        value.put(sink, &mut target, 0);
        sink.ascend();
    }
}

/// The section of a `T` behind a pointer that is not null, paid for.
fn paid_section<'m, T: Slot<Native>>(
    section: Section<'m>,
    field: Field,
    walk: &mut Walk<'_, true>,
) -> Option<Section<'m>> {
    let target = section_of::<T>(section, field).ok()??;
    compare::pay(target, walk).then_some(target)
}

#[cold]
fn null(section: Section<'_>, field: Field) -> DecodeError {
    section.error(DecodeErrorKind::NullPointer, field)
}

/// A pointer to a section with `T`'s slot. A growable record is one already.
#[diagnostic::do_not_recommend]
impl<T: NativeSlot> Slot<Native> for Box<T> {
    const WIDTH: usize = 4;
    const ALIGN: usize = 4;
    const TYPE: FieldType = FieldType::Pointer(&<T as Slot<Native>>::TYPE);
    const PARTS: Parts = T::PARTS_BEHIND;
    const PARTS_BEHIND: Parts = T::PARTS_BEHIND;
    const PLAIN: bool = false;
    const INFALLIBLE: bool = false;
    const NESTED: bool = true;
    const MISSING: Missing = Missing::Refused;
    const FAULT: &'static str = T::FAULT;

    type Get<'m> = Result<T::Value<'m>, DecodeError>;

    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        if T::POINTED {
            return T::read(section, field);
        }
        let target = section_of::<T>(section, field)?.ok_or_else(|| null(section, field))?;
        T::read(target, whole_section(field))
    }
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        if T::POINTED {
            return T::check(section, field, walk);
        }
        let target = section_of::<T>(section, field)?.ok_or_else(|| null(section, field))?;
        check_section::<T, METERED>(target, field, walk)
    }
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        if T::POINTED {
            return T::equals(self, section, field, walk);
        }
        paid_section::<T>(section, field, walk)
            .is_some_and(|target| T::equals(self, target, whole_section(field), walk))
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        if T::POINTED {
            return T::same(left, right, field, walk);
        }
        match (paid_section::<T>(left, field, walk), paid_section::<T>(right, field, walk)) {
            (Some(left), Some(right)) => T::same(left, right, whole_section(field), walk),
            _ => false,
        }
    }
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
        if T::POINTED {
            T::put(self, sink, section, offset);
        } else {
            put_section::<T, S>(self, sink, section, offset);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'m, T: NativeSlot + DecodeSlot<'m, Native>> DecodeSlot<'m, Native> for Box<T> {
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        if T::POINTED {
            return T::decode_slot(section, field, walk).map(Box::new);
        }
        let target = section_of::<T>(section, field)?.ok_or_else(|| null(section, field))?;
        decode_section(target, field, walk).map(Box::new)
    }
}

#[diagnostic::do_not_recommend]
impl<T: NativeSlot> NativeSlot for Box<T> {
    type Outcome = Fallible;
    type Form = form::NullPointer;
    type Value<'m> = T::Value<'m>;

    fn read<'m>(section: Section<'m>, field: Field) -> Result<T::Value<'m>, DecodeError> {
        <Self as Slot<Native>>::get(section, field)
    }
}

#[diagnostic::do_not_recommend]
impl<T: NativeSlot> FixedStride for Box<T> {}
