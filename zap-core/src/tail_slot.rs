//! Text, bytes and lists in slots: `&str`, `String`, `Vec<T>`, `Bytes` and their like.
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::native_slot::native_slot;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::slot::BorrowedElement;
use crate::stream::{DecodeElement, Element};
use crate::walk::Walk;
use crate::{DecodeError, DecodeListElement, DecodeSlot, Dialect, FieldType, FixedStride, ListElement, Native, Slot};
use crate::{StreamDialect, Zapgen, Zip, compare};

/// What lies behind a text or bytes slot.
trait Tail {
    /// Checks the slot.
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError>;
}

impl Tail for str {
    #[inline(always)]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        section.check_text(field, walk)
    }
}

impl Tail for [u8] {
    #[inline(always)]
    fn check<const METERED: bool>(
        section: Section<'_>,
        field: Field,
        walk: &mut Walk<'_, METERED>,
    ) -> Result<(), DecodeError> {
        section.check_bytes(field, walk)
    }
}

/// A type stored behind a text or bytes slot: how it is read (`$read`), lent for writing and made from what was read.
macro_rules! tail_slot {
    ([$($lifetime:lifetime)?] $owner:ty, $field_type:ident, $borrowed:ty, $read:ident, $from_entry:path,
     [$($bound:tt)*] |$walk:ident, $part:ident| $make:expr, |$value:ident| $lend:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? D: Dialect> Slot<D> for $owner {
            const WIDTH: usize = 8;
            const ALIGN: usize = D::SLOT_ALIGN;
            const TYPE: FieldType = FieldType::$field_type;
            const PLAIN: bool = false;
            const INFALLIBLE: bool = false;
            const NESTED: bool = false;

            type Get<'m> = Result<&'m $borrowed, DecodeError>;

            #[inline(always)]
            fn get<'m>(section: Section<'m>, field: Field) -> Result<&'m $borrowed, DecodeError> {
                section.$read(field)
            }
            #[inline(always)]
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                <$borrowed as Tail>::check(section, field, walk)
            }
            #[inline]
            fn is_zero(section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                section.is_empty_slot(field.offset) && section.$read(field).is_ok()
            }
            fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                let $value = self;
                compare::tail_equals($lend, section, field, walk)
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                compare::pay_tails(left, right, field, walk) && compare::both(left.$read(field), right.$read(field))
            }
            #[inline(always)]
            fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
                let $value = self;
                sink.tail(section, offset, $lend);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? $($bound)* D: Dialect> DecodeSlot<'m, D> for $owner {
            #[inline(always)]
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                $walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                let $part = section.$read(field)?;
                $walk.spend($part.len(), section.position_of(field.offset))?;
                Ok($make)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($lifetime)?> FixedStride for $owner {}

        native_slot!([$($lifetime)?] $owner, Fallible, NullSlot, |'m| &'m $borrowed);

        tail_slot!(@list [$($lifetime)?] $owner, $borrowed, $from_entry, [$($bound)*] |$walk, $part| $make, |$value| $lend);
    };
    (@list [$($lifetime:lifetime)?] $owner:ty, $borrowed:ty, $from_entry:path,
     [$($bound:tt)*] |$walk:ident, $part:ident| $make:expr, |$value:ident| $lend:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? D: StreamDialect> Element<D> for $owner where Self: Slot<D> {
            type Item<'m> = &'m $borrowed;

            fn get_element<'m>(entry: Section<'m>) -> Result<&'m $borrowed, DecodeError> {
                $from_entry(entry)
            }
            fn check_element<const METERED: bool>(
                entry: Section<'_>,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                walk.spend(entry.bytes().len(), entry.position() as usize)?;
                $from_entry(entry).map(drop)
            }
            fn equals_element(&self, entry: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
                let ($value, len) = (self, entry.bytes().len());
                let expected: &[u8] = $lend;
                walk.spend(len, entry.position() as usize).is_ok() && entry.bytes() == expected
            }
            fn same_element(left: Section<'_>, right: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
                compare::pay(left, walk)
                    && compare::pay(right, walk)
                    && compare::both($from_entry(left), $from_entry(right))
            }
            fn put_element<S: Sink>(&self, sink: &mut S) {
                let $value = self;
                sink.element($lend);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($lifetime,)? $($bound)* D: StreamDialect> DecodeElement<'m, D> for $owner where Self: Slot<D> {
            fn decode_element<const METERED: bool>(
                entry: Section<'m>,
                $walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                $walk.spend(entry.bytes().len(), entry.position() as usize)?;
                let $part = $from_entry(entry)?;
                Ok($make)
            }
        }
    };
}

fn entry_text(entry: Section<'_>) -> Result<&str, DecodeError> {
    crate::section::utf8(entry.bytes(), entry.position() as usize)
}

fn entry_bytes(entry: Section<'_>) -> Result<&[u8], DecodeError> {
    Ok(entry.bytes())
}

tail_slot!(['a] &'a str, Text, str, tail_text, entry_text, ['m: 'a,] |walk, part| part, |value| value.as_bytes());
tail_slot!(['a] Cow<'a, str>, Text, str, tail_text, entry_text, ['m: 'a,] |walk, part| Cow::Borrowed(part), |value| value.as_bytes());
tail_slot!([] String, Text, str, tail_text, entry_text, ['m,] |walk, part| part.to_owned(), |value| value.as_bytes());
tail_slot!([] Box<str>, Text, str, tail_text, entry_text, ['m,] |walk, part| part.into(), |value| value.as_bytes());
tail_slot!([] Arc<str>, Text, str, tail_text, entry_text, ['m,] |walk, part| part.into(), |value| value.as_bytes());
tail_slot!(['a] Cow<'a, [u8]>, Bytes, [u8], tail_bytes, entry_bytes, ['m: 'a,] |walk, part| Cow::Borrowed(part), |value| value);
tail_slot!([] Box<[u8]>, Bytes, [u8], tail_bytes, entry_bytes, ['m,] |walk, part| part.into(), |value| value);
tail_slot!([] Arc<[u8]>, Bytes, [u8], tail_bytes, entry_bytes, ['m,] |walk, part| part.into(), |value| value);
tail_slot!([] Bytes, Bytes, [u8], tail_bytes, entry_bytes, ['m,] |walk, part| walk.share(part), |value| value);
tail_slot!(@list ['a] &'a [u8], [u8], entry_bytes, ['m: 'a,] |walk, part| part, |value| value);
tail_slot!(@list [] Vec<u8>, [u8], entry_bytes, ['m,] |walk, part| part.to_owned(), |value| value);

impl<'a, 'm: 'a, D: Dialect, T: BorrowedElement> DecodeSlot<'m, D> for &'a [T]
where
    Self: Slot<D>,
{
    #[inline(always)]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        let bytes = section.tail_bytes(field)?;
        walk.spend(bytes.len(), section.position_of(field.offset))?;
        Ok(T::borrow(bytes))
    }
}

/// A sequence of elements, owned or borrowed: a list, or bytes where the elements are `u8`.
macro_rules! list_slot {
    ([$($lifetime:lifetime)?] $owner:ty) => {
        impl<$($lifetime,)? D: Dialect, T: ListElement<D>> Slot<D> for $owner {
            const WIDTH: usize = 8;
            const ALIGN: usize = D::SLOT_ALIGN;
            const TYPE: FieldType = T::LIST_TYPE;
            const PLAIN: bool = false;
            const INFALLIBLE: bool = false;
            const NESTED: bool = T::LIST_NESTED;
            const FAULT: &'static str = T::LIST_FAULT;
            const PARTS: Parts = T::LIST_PARTS;
            const PARTS_BEHIND: Parts = T::LIST_PARTS;

            type Get<'m> = Result<T::List<'m>, DecodeError>;

            #[inline(always)]
            fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
                T::get_list(section, field)
            }
            #[inline]
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                T::check_list(section, field, walk)
            }
            #[inline]
            fn is_zero(section: Section<'_>, field: Field, _: &mut Walk<'_, true>) -> bool {
                section.is_empty_slot(field.offset) && T::get_list(section, field).is_ok()
            }
            fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                T::equals_list(self, section, field, walk)
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                T::same_list(left, right, field, walk)
            }
            #[inline(always)]
            fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
                T::put_list(self, sink, section, offset);
            }
        }
    };
}

list_slot!([] Vec<T>);
list_slot!(['a] &'a [T]);

impl<'m, D: Dialect, T: DecodeListElement<'m, D>> DecodeSlot<'m, D> for Vec<T> {
    #[inline(always)]
    fn decode_slot<const METERED: bool>(
        section: Section<'m>,
        field: Field,
        walk: &mut Walk<'m, METERED>,
    ) -> Result<Self, DecodeError> {
        T::decode_list(section, field, walk)
    }
}

/// A sequence of `u8` is bytes, in every dialect. One by one, since the compiler does not know that no other dialect
/// can make `u8` an element of its own lists.
macro_rules! bytes_slot {
    ($($dialect:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl ListElement<$dialect> for u8 {
            const LIST_TYPE: FieldType = FieldType::Bytes;
            const LIST_NESTED: bool = false;

            type List<'m> = &'m [u8];

            #[inline(always)]
            fn get_list<'m>(section: Section<'m>, field: Field) -> Result<&'m [u8], DecodeError> {
                section.tail_bytes(field)
            }
            #[inline]
            fn check_list<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                section.check_bytes(field, walk)
            }
            fn equals_list(items: &[u8], section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                compare::tail_equals(items, section, field, walk)
            }
            fn same_list(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                compare::pay_tails(left, right, field, walk)
                    && compare::both(left.tail_bytes(field), right.tail_bytes(field))
            }
            #[inline(always)]
            fn put_list<S: Sink>(items: &[u8], sink: &mut S, section: &mut S::Section, offset: usize) {
                sink.tail(section, offset, items);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m> DecodeListElement<'m, $dialect> for u8 {
            #[inline]
            fn decode_list<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Vec<u8>, DecodeError> {
                let bytes = section.tail_bytes(field)?;
                walk.spend(bytes.len(), section.position_of(field.offset))?;
                Ok(bytes.to_vec())
            }
        }
    )*};
}

bytes_slot!(Native, Zapgen, Zip);

/// Lists of lists; `Vec<u8>` has its own line above for the stream dialects, and this one for the native dialect.
impl<T: ListElement<Native>> FixedStride for Vec<T> {}
impl<T: ListElement<Native>> FixedStride for &[T] {}

native_slot!([T: ListElement<Native>] Vec<T>, Fallible, NullSlot, |'m| T::List<'m>);
native_slot!([T: ListElement<Native>] &[T], Fallible, NullSlot, |'m| T::List<'m>);
