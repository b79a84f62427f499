//! `Option` in the two dialects of the Go runtime, by the peer's rules.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::stream::{DecodeElement, Element};
use crate::walk::Walk;
use crate::{Decode, DecodeError, DecodeSlot, Dialect, FieldType, RecordView, Slot, Zap, Zapgen, Zip};

/// `zapgen`: a record behind a pointer that may be null.
#[diagnostic::do_not_recommend]
impl<R: Zap<Dialect = Zapgen>> Slot<Zapgen> for Option<R> {
    const WIDTH: usize = 4;
    const ALIGN: usize = 1;
    const TYPE: FieldType = FieldType::Option(&<R as Slot<Zapgen>>::TYPE);
    const PLAIN: bool = false;
    const INFALLIBLE: bool = false;
    const NESTED: bool = true;
    const FAULT: &'static str = if R::TRANSPARENT {
        "a zapgen `Option` holds a record behind a pointer: hold the transparent struct's field itself, or a record"
    } else {
        R::FAULT
    };
    const PARTS: Parts = R::PARTS_BEHIND;
    const PARTS_BEHIND: Parts = R::PARTS_BEHIND;

    type Get<'m> = Result<Option<R::View<'m>>, DecodeError>;

    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        Ok(Zapgen::nested_section::<R>(section, field)?.map(RecordView::from_section))
    }
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        match Zapgen::nested_section::<R>(section, field)? {
            Some(_) => <R as Slot<Zapgen>>::check(section, field, walk),
            None => Ok(()),
        }
    }
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (self, Zapgen::nested_section::<R>(section, field)) {
            (Some(record), Ok(Some(_))) => record.equals(section, field, walk),
            (None, Ok(None)) => true,
            _ => false,
        }
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (Zapgen::nested_section::<R>(left, field), Zapgen::nested_section::<R>(right, field)) {
            (Ok(Some(_)), Ok(Some(_))) => <R as Slot<Zapgen>>::same(left, right, field, walk),
            (Ok(None), Ok(None)) => true,
            _ => false,
        }
    }
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
        if let Some(record) = self {
            record.put(sink, section, offset);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<'m, R: Decode<'m> + Zap<Dialect = Zapgen>> DecodeSlot<'m, Zapgen> for Option<R> {
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        match Zapgen::nested_section::<R>(section, field)? {
            Some(_) => R::decode_slot(section, field, walk).map(Some),
            None => Ok(None),
        }
    }
}

/// Bytes of nested messages that one optional may visit to tell that all of it is zero. A larger one is there.
pub(crate) const ZERO_BUDGET: u64 = 4096;

/// Whether an optional is absent, or all zero, and the bytes of nested messages that it took to tell.
fn is_absent<T: Slot<Zip>>(section: Section<'_>, field: Field) -> (bool, usize) {
    let mut walk = Walk::within(ZERO_BUDGET);
    let is_absent = T::is_zero(section, field, &mut walk);
    (is_absent, ZERO_BUDGET.saturating_sub(walk.left()) as usize)
}

/// As [`is_absent`], its cost paid.
fn pay_absent<T: Slot<Zip>, const METERED: bool>(
    section: Section<'_>,
    field: Field,
    walk: &mut Walk<'_, METERED>,
) -> Result<bool, DecodeError> {
    let (is_absent, cost) = is_absent::<T>(section, field);
    walk.spend(cost, section.position_of(field.offset))?;
    Ok(is_absent)
}

/// `zip`: the plain type's slot, left zero when absent; a present zero value reads back as absent, as with the peer
/// (wire 1.6).
impl<T: Slot<Zip>> Slot<Zip> for Option<T> {
    const WIDTH: usize = T::WIDTH;
    const ALIGN: usize = T::ALIGN;
    const TYPE: FieldType = FieldType::Option(&<T as Slot<Zip>>::TYPE);
    const PLAIN: bool = T::PLAIN;
    const INFALLIBLE: bool = T::INFALLIBLE;
    const NESTED: bool = T::NESTED;
    const FAULT: &'static str = T::FAULT;
    const PARTS: Parts = T::PARTS_BEHIND;
    const PARTS_BEHIND: Parts = T::PARTS_BEHIND;

    type Get<'m> = Option<T::Get<'m>>;

    fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
        if is_absent::<T>(section, field).0 { None } else { Some(T::get(section, field)) }
    }
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        if pay_absent::<T, _>(section, field, walk)? { Ok(()) } else { T::check(section, field, walk) }
    }
    fn is_zero(section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        T::is_zero(section, field, walk)
    }
    fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (self, pay_absent::<T, _>(section, field, walk)) {
            (Some(value), Ok(false)) => value.equals(section, field, walk),
            (None, Ok(true)) => true,
            _ => false,
        }
    }
    fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
        match (pay_absent::<T, _>(left, field, walk), pay_absent::<T, _>(right, field, walk)) {
            (Ok(false), Ok(false)) => T::same(left, right, field, walk),
            (Ok(true), Ok(true)) => true,
            _ => false,
        }
    }
    fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
        if let Some(value) = self {
            value.put(sink, section, offset);
        }
    }
}

impl<'m, T: DecodeSlot<'m, Zip>> DecodeSlot<'m, Zip> for Option<T> {
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        if pay_absent::<T, _>(section, field, walk)? {
            Ok(None)
        } else {
            T::decode_slot(section, field, walk).map(Some)
        }
    }
}

/// An absent element is written as the zero value (wire 1.6), which is what `Default` gives. Elements are read as
/// present, whatever they hold: an absent one reads back as a zero that is there, as with the peer.
impl<T: Element<Zip> + Default> Element<Zip> for Option<T> {
    type Item<'m> = Option<T::Item<'m>>;

    fn get_element<'m>(entry: Section<'m>) -> Result<Self::Item<'m>, DecodeError> {
        T::get_element(entry).map(Some)
    }
    fn check_element<const METERED: bool>(entry: Section<'_>, walk: &mut Walk<'_, METERED>) -> Result<(), DecodeError> {
        T::check_element(entry, walk)
    }
    fn equals_element(&self, entry: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
        self.as_ref().is_some_and(|value| value.equals_element(entry, walk))
    }
    fn same_element(left: Section<'_>, right: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
        T::same_element(left, right, walk)
    }
    fn put_element<S: Sink>(&self, sink: &mut S) {
        match self {
            Some(value) => value.put_element(sink),
            None => T::default().put_element(sink),
        }
    }
}

impl<'m, T: DecodeElement<'m, Zip> + Default> DecodeElement<'m, Zip> for Option<T> {
    fn decode_element<const METERED: bool>(
        entry: Section<'m>,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        T::decode_element(entry, walk).map(Some)
    }
}
