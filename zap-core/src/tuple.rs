//! Tuples: inline records whose fields are called `0`, `1`, ...
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::fmt::{self, Debug};
use core::marker::PhantomData;

use crate::capped::Capped;
use crate::layout::place;
use crate::native_slot::native_slot;
use crate::nested;
use crate::pin::Parts;
use crate::section::{Field, Section};
use crate::sink::Sink;
use crate::slot::Missing;
use crate::walk::Walk;
use crate::{
    Decode, DecodeError, DecodeSlot, FieldLayout, FieldType, FixedStride, Layout, Native, NativeSlot, RecordView, Slot,
    SlotMut, Zap, compare, display,
};

/// A tuple that is the root of a message, read in place. As a field, a tuple's accessor gives a tuple.
///
/// # Examples
///
/// ```
/// use zap_core::Zap;
///
/// let bytes = (7_u32, "rent").to_vec()?;
/// let (id, memo) = <(u32, &str)>::view(&bytes)?.get();
/// assert_eq!((id, memo?), (7, "rent"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TupleView<'m, T> {
    section: Section<'m>,
    tuple: PhantomData<fn() -> T>,
}

impl<T> Clone for TupleView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TupleView<'_, T> {}

impl<'m, T: Tuple> TupleView<'m, T> {
    /// What the accessor of each element gives.
    #[inline]
    #[must_use]
    pub fn get(&self) -> T::Get<'m> {
        T::get_root(self.section)
    }
}

impl<T: Tuple> Debug for TupleView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Capped(self.get()).fmt(f)
    }
}

impl<T: Tuple> PartialEq for TupleView<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        compare::same_views::<T>(self.section, other.section)
    }
}

impl<T: Tuple> PartialEq<T> for TupleView<'_, T> {
    fn eq(&self, other: &T) -> bool {
        compare::view_equals(self.section, other)
    }
}

impl<T: Tuple> fmt::Display for TupleView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display::display::<T>(self.section, f)
    }
}

impl<'m, T: Tuple> RecordView<'m> for TupleView<'m, T> {
    type Record = T;

    fn from_section(section: Section<'m>) -> Self {
        Self { section, tuple: PhantomData }
    }
    fn section(&self) -> Section<'m> {
        self.section
    }
}

/// A tuple of one to twelve native field types. Sealed.
pub trait Tuple: Zap<Dialect = Native> + sealed::Sealed {
    #[doc(hidden)]
    fn get_root(section: Section<'_>) -> Self::Get<'_>;
}

mod sealed {
    pub trait Sealed {}
}

/// The field that element `index` of the tuple at `field` is. What is wrong with it is said of the tuple's own place.
#[inline(always)]
pub(crate) fn element<R: Zap>(field: Field, index: usize) -> Field {
    let offset = R::FIELDS.get(index).map_or(0, |element| element.offset as usize);
    Field { offset: field.offset.wrapping_add(offset), ..field }
}

macro_rules! tuple {
    ($($element:ident $index:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<$($element: NativeSlot),*> Zap for ($($element,)*) {
            type Dialect = Native;
            type View<'m> = TupleView<'m, Self>;
            type ViewMut<'m> = SlotMut<'m, Self>;
            const FIELDS: &'static [FieldLayout] =
                &place("tuple", [$(<$element as Slot<Native>>::SHAPE.named(stringify!($index))),*]);
            const LAYOUT: &'static Layout = &Layout::new::<Native>("tuple", 1, <Self as Zap>::FIELDS).checked();
            const PARTS_OF_FIELDS: &'static [Parts] = &[$(<$element as Slot<Native>>::PARTS),*];

            #[inline]
            fn check_fields<const METERED: bool>(
                section: Section<'_>,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                $(<$element as Slot<Native>>::check_field::<Self, METERED>(section, $index, walk)?;)*
                Ok(())
            }
            #[inline]
            fn put_fields<S: Sink>(&self, sink: &mut S, section: &mut S::Section, base: usize) {
                $(<$element as Slot<Native>>::put_field::<Self, S>(&self.$index, sink, section, base, $index);)*
            }
            fn equals_fields(&self, section: Section<'_>, walk: &mut Walk<'_, true>) -> bool {
                true $(&& <$element as Slot<Native>>::equals_field::<Self>(&self.$index, section, $index, walk))*
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($element: NativeSlot),*> sealed::Sealed for ($($element,)*) {}

        #[diagnostic::do_not_recommend]
        impl<$($element: NativeSlot),*> Tuple for ($($element,)*) {
            #[inline]
            fn get_root(section: Section<'_>) -> Self::Get<'_> {
                ($(<$element as Slot<Native>>::get_field::<Self>(section, $index),)*)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($element: NativeSlot),*> Slot<Native> for ($($element,)*) {
            const WIDTH: usize = nested::width::<Self>();
            const ALIGN: usize = nested::align::<Self>();
            const TYPE: FieldType = FieldType::Tuple(|| <Self as Zap>::LAYOUT);
            const PARTS: Parts = nested::parts::<Self>();
            const PARTS_BEHIND: Parts = Parts::Section(<Self as Zap>::LAYOUT, &[$(<$element as Slot<Native>>::PARTS_BEHIND),*]);
            const PLAIN: bool = nested::plain::<Self>();
            const INFALLIBLE: bool = nested::infallible::<Self>();
            const NESTED: bool = nested::nested::<Self>();
            const TAILS: u32 = nested::tails::<Self>();
            const MISSING: Missing = nested::missing::<Self>();
            const FAULT: &'static str = first_fault([$(<$element as Slot<Native>>::FAULT),*]);

            type Get<'m> = ($(<$element as Slot<Native>>::Get<'m>,)*);

            #[inline]
            fn get<'m>(section: Section<'m>, field: Field) -> Self::Get<'m> {
                ($(<$element as Slot<Native>>::get(section, element::<Self>(field, $index)),)*)
            }
            #[inline]
            fn check<const METERED: bool>(
                section: Section<'_>,
                field: Field,
                walk: &mut Walk<'_, METERED>,
            ) -> Result<(), DecodeError> {
                $(<$element as Slot<Native>>::check(section, element::<Self>(field, $index), walk)?;)*
                Ok(())
            }
            fn equals(&self, section: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                true $(&& self.$index.equals(section, element::<Self>(field, $index), walk))*
            }
            fn same(left: Section<'_>, right: Section<'_>, field: Field, walk: &mut Walk<'_, true>) -> bool {
                true $(&& <$element as Slot<Native>>::same(left, right, element::<Self>(field, $index), walk))*
            }
            #[inline]
            fn put<S: Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
                self.put_fields(sink, section, offset);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m, $($element: NativeSlot + DecodeSlot<'m, Native>),*> Decode<'m> for ($($element,)*) {
            #[inline]
            fn decode_root<const METERED: bool>(
                section: Section<'m>,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                Ok(($(<$element as DecodeSlot<'m, Native>>::decode_field::<Self, METERED>(section, $index, walk)?,)*))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'m, $($element: NativeSlot + DecodeSlot<'m, Native>),*> DecodeSlot<'m, Native> for ($($element,)*) {
            #[inline]
            fn decode_slot<const METERED: bool>(
                section: Section<'m>,
                field: Field,
                walk: &mut Walk<'m, METERED>,
            ) -> Result<Self, DecodeError> {
                Ok(($(<$element as DecodeSlot<'m, Native>>::decode_slot(section, element::<Self>(field, $index), walk)?,)*))
            }
        }

        native_slot!([$($element: NativeSlot),*] ($($element,)*), Sure, Pointer);

        #[diagnostic::do_not_recommend]
        impl<$($element: NativeSlot),*> FixedStride for ($($element,)*) {}
    };
}

/// The first fault of several types.
const fn first_fault<const N: usize>(faults: [&'static str; N]) -> &'static str {
    let mut index = 0;
    while index < N {
        #[allow(clippy::indexing_slicing)] // At compile time.
        if !faults[index].is_empty() {
            return faults[index];
        }
        index = index.saturating_add(1);
    }
    ""
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
