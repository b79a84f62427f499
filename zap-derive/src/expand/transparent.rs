//! The implementations of a `#[zap(transparent)]` struct as a field: everything is its only field's. As a root it is a
//! record with that field, as any other.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Field, Record};
use crate::attr::Dialect;
use crate::expand::generics::{Context, mentions_parameters};
use crate::expand::record::{default, implement};

pub(crate) fn expand(record: &Record<'_>, field: &Field<'_>, context: &Context) -> TokenStream {
    let slot = slot_impl(record, field, context);
    let decode = decode_impl(record, field, context);
    let element = if matches!(record.attributes.dialect, None | Some(Dialect::Native)) {
        native_impls(record, field, context)
    } else {
        stream_impls(record, field, context)
    };
    quote!(#slot #decode #element)
}

fn slot_impl(record: &Record<'_>, field: &Field<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let (slot, member) = (context.slot(field.ty), &field.member);
    implement(
        record,
        &context.record_generics(record),
        &quote!(__zap::Slot<#dialect>),
        &quote! {
            const WIDTH: __zap::usize = #slot::WIDTH;
            const ALIGN: __zap::usize = #slot::ALIGN;
            const TYPE: __zap::FieldType = #slot::TYPE;
            const PLAIN: __zap::bool = #slot::PLAIN;
            const INFALLIBLE: __zap::bool = #slot::INFALLIBLE;
            const NESTED: __zap::bool = #slot::NESTED;
            const TAILS: __zap::u32 = #slot::TAILS;
            const FAULT: &'static __zap::str = #slot::FAULT;
            const PARTS: __zap::Parts = #slot::PARTS;
            const PARTS_BEHIND: __zap::Parts = #slot::PARTS_BEHIND;
            const MISSING: __zap::Missing = #slot::MISSING.inside();

            type Get<#message> = #slot::Get<#message>;

            #[inline]
            fn get<#message>(__section: __zap::Section<#message>, __field: __zap::Field) -> Self::Get<#message> {
                #slot::get(__section, __field)
            }
            #[inline]
            fn check<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                #slot::check(__section, __field, __walk)
            }
            fn is_zero(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                #slot::is_zero(__section, __field, __walk)
            }
            fn equals(
                &self,
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                #slot::equals(&self.#member, __section, __field, __walk)
            }
            fn same(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                #slot::same(__left, __right, __field, __walk)
            }
            #[inline]
            fn put<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __offset: __zap::usize) {
                #slot::put(&self.#member, __sink, __section, __offset);
            }
        },
    )
}

fn decode_impl(record: &Record<'_>, field: &Field<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let (slot, member) = (context.decode_slot(field.ty), &field.member);
    let skipped = record.skipped.iter().map(default);
    implement(
        record,
        &context.decode_generics(record),
        &quote!(__zap::DecodeSlot<#message, #dialect>),
        &quote! {
            #[inline]
            fn decode_slot<const __METERED: __zap::bool>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                __zap::Result::Ok(Self {
                    #member: #slot::decode_slot(__section, __field, __walk)?,
                    #(#skipped,)*
                })
            }
        },
    )
}

fn native_impls(record: &Record<'_>, field: &Field<'_>, context: &Context) -> TokenStream {
    let (ty, message) = (field.ty, &context.message);
    let mut generics = context.record_generics(record);
    let stride = implement(record, &generics, &quote!(__zap::FixedStride), &TokenStream::new());
    if mentions_parameters(record, ty) {
        generics.make_where_clause().predicates.push(syn::parse_quote!(#ty: __zap::NativeSlot));
    }
    let slot = quote!(<#ty as __zap::NativeSlot>);
    let native = implement(
        record,
        &generics,
        &quote!(__zap::NativeSlot),
        &quote! {
            type Outcome = #slot::Outcome;
            type Form = #slot::Form;
            type Value<#message> = #slot::Value<#message>;
            const POINTED: __zap::bool = #slot::POINTED;

            #[inline]
            fn read<#message>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
            ) -> __zap::Result<Self::Value<#message>, __zap::DecodeError> {
                #slot::read(__section, __field)
            }
        },
    );
    let key = quote!(type By = __zap::ByField<#ty>;);
    let key = implement(record, &generics, &quote!(__zap::DerivedKey), &key);
    quote!(#stride #native #key)
}

/// An element where its field is one, which only the compiler knows.
fn stream_impls(record: &Record<'_>, field: &Field<'_>, context: &Context) -> TokenStream {
    let (ty, member, message) = (field.ty, &field.member, &context.message);
    let mut generics = context.record_generics(record);
    generics.params.push(syn::parse_quote!(__D: __zap::StreamDialect));
    let predicates = &mut generics.make_where_clause().predicates;
    predicates.push(syn::parse_quote!(#ty: __zap::Element<__D>));
    predicates.push(syn::parse_quote!(Self: __zap::Slot<__D>));
    let slot = quote!(<#ty as __zap::Element<__D>>);
    let element = implement(
        record,
        &generics,
        &quote!(__zap::Element<__D>),
        &quote! {
            type Item<#message> = #slot::Item<#message>;

            fn get_element<#message>(
                __entry: __zap::Section<#message>,
            ) -> __zap::Result<Self::Item<#message>, __zap::DecodeError> {
                #slot::get_element(__entry)
            }
            fn check_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                #slot::check_element(__entry, __walk)
            }
            fn equals_element(&self, __entry: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
                #slot::equals_element(&self.#member, __entry, __walk)
            }
            fn same_element(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                #slot::same_element(__left, __right, __walk)
            }
            fn put_element<__S: __zap::Sink>(&self, __sink: &mut __S) {
                #slot::put_element(&self.#member, __sink);
            }
        },
    );
    let mut generics = context.decode_generics(record);
    generics.params.push(syn::parse_quote!(__D: __zap::StreamDialect));
    let predicates = &mut generics.make_where_clause().predicates;
    predicates.push(syn::parse_quote!(#ty: __zap::DecodeElement<#message, __D>));
    predicates.push(syn::parse_quote!(Self: __zap::Slot<__D>));
    let skipped = record.skipped.iter().map(default);
    let decode = implement(
        record,
        &generics,
        &quote!(__zap::DecodeElement<#message, __D>),
        &quote! {
            fn decode_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<#message>,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                __zap::Result::Ok(Self {
                    #member: <#ty as __zap::DecodeElement<#message, __D>>::decode_element(__entry, __walk)?,
                    #(#skipped,)*
                })
            }
        },
    );
    quote!(#element #decode)
}
