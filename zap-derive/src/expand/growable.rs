//! The implementations of a `#[zap(growable)]` struct as a field: a pointer to a section that tells its own length.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::ast::{Field, Record};
use crate::expand::generics::{Context, ends};
use crate::expand::record::implement;

pub(crate) fn expand(record: &Record<'_>, context: &Context) -> TokenStream {
    let message = &context.message;
    let view = context.view_path(record);
    let generics = context.record_generics(record);
    let slot = implement(
        record,
        &generics,
        &quote!(__zap::Slot<__zap::Native>),
        &quote! {
            const WIDTH: __zap::usize = 4;
            const ALIGN: __zap::usize = 4;
            const TYPE: __zap::FieldType = __zap::FieldType::Record(|| <Self as __zap::Zap>::LAYOUT);
            const PARTS: __zap::Parts = __zap::Parts::Pointed(<Self as __zap::Zap>::LAYOUT);
            const PARTS_BEHIND: __zap::Parts = __zap::Parts::Pointed(<Self as __zap::Zap>::LAYOUT);
            const PLAIN: __zap::bool = false;
            const INFALLIBLE: __zap::bool = false;
            const NESTED: __zap::bool = true;
            const MISSING: __zap::Missing = __zap::Missing::Default;

            type Get<#message> = __zap::Result<#view, __zap::DecodeError>;

            fn get<#message>(__section: __zap::Section<#message>, __field: __zap::Field) -> Self::Get<#message> {
                __zap::growable::view::<Self>(__section, __field)
            }
            fn get_missing<#message>(
                __section: __zap::Section<#message>,
                _: __zap::Field,
                _: fn() -> Self,
            ) -> Self::Get<#message> {
                __zap::Result::Ok(__zap::growable::missing::<Self>(__section))
            }
            fn check<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                __zap::growable::check::<Self, __METERED>(__section, __field, __walk)
            }
            fn equals(
                &self,
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::growable::equals(self, __section, __field, __walk)
            }
            fn same(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::growable::same::<Self>(__left, __right, __field, __walk)
            }
            fn equals_missing(&self, __section: __zap::Section<'_>, _: __zap::Field, _: fn() -> Self) -> __zap::bool {
                __zap::growable::equals_missing(self, __section)
            }
            fn put<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __offset: __zap::usize) {
                __zap::growable::put(self, __sink, __section, __offset);
            }
        },
    );
    let stride = implement(record, &generics, &quote!(__zap::FixedStride), &TokenStream::new());
    let native = implement(
        record,
        &generics,
        &quote!(__zap::NativeSlot),
        &quote! {
            type Outcome = __zap::Fallible;
            type Form = __zap::form::NullPointer;
            type Value<#message> = #view;
            const POINTED: __zap::bool = true;

            fn read<#message>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
            ) -> __zap::Result<Self::Value<#message>, __zap::DecodeError> {
                __zap::growable::view::<Self>(__section, __field)
            }
        },
    );
    let decode = implement(
        record,
        &context.decode_generics(record),
        &quote!(__zap::DecodeSlot<#message, __zap::Native>),
        &quote! {
            fn decode_slot<const __METERED: __zap::bool>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                __zap::growable::decode::<Self, __METERED>(__section, __field, __walk)
            }
        },
    );
    quote!(#slot #stride #native #decode)
}

/// How a root is opened: as long as its writer says.
pub(crate) fn open() -> TokenStream {
    quote! {
        fn open_root(__bytes: &[__zap::u8]) -> __zap::Result<__zap::Section<'_>, __zap::DecodeError> {
            __zap::growable::open::<Self>(__bytes)
        }
        fn field_section<'__m>(
            __section: __zap::Section<'__m>,
            __field: __zap::Field,
        ) -> __zap::Result<__zap::Section<'__m>, __zap::DecodeError> {
            __zap::growable::required::<Self>(__section, __field)
        }
        fn whole(__section: __zap::Section<'_>) -> __zap::Result<__zap::Section<'_>, __zap::DecodeError> {
            __zap::growable::whole::<Self>(__section)
        }
        fn reopen_root(__bytes: &[__zap::u8], __root: __zap::u32, __depth: __zap::u8) -> __zap::Section<'_> {
            __zap::growable::reopen::<Self>(__bytes, __root, __depth)
        }
    }
}

/// What stands for a field's value where its writer did not know it.
pub(crate) fn default(field: &Field<'_>) -> TokenStream {
    if field.with.is_some() {
        return quote!(__zap::Default::default());
    }
    let (ty, (start, end)) = (field.ty, ends(field.ty));
    let head = quote_spanned!(start => <#ty as);
    quote_spanned!(end => #head __zap::GrowableField>::missing())
}
