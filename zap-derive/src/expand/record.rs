//! The record's implementations: its layout, how it is written, checked and decoded, and how it sits in other records.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Record;
use crate::attr::Dialect;
use crate::expand::generics::Context;
use crate::expand::view::{allowed, field, place};
use crate::valid;

/// `broken`: an error has been reported, so the bodies that would need every field stay empty.
pub(crate) fn expand(record: &Record<'_>, context: &Context<'_>, broken: bool) -> TokenStream {
    let allowed = allowed();
    let assertions = offset_assertions(record, context);
    let inline = inline(record);
    let zap = zap_impl(record, context, &inline, broken);
    let slot = slot_impl(record, context);
    let decode = decode_impls(record, context, &inline, broken);
    let element = element_impls(record, context);
    quote! {
        #allowed
        const _: () = {
            #zap
            #slot
            #decode
            #element
            #assertions
        };
    }
}

/// Fields up to which a record without nested records and lists is written and decoded inline wherever that happens:
/// out of line, handing the value over through memory costs more than the record itself.
const MAX_INLINE_FIELDS: usize = 16;

fn inline(record: &Record<'_>) -> TokenStream {
    let is_small = record.fields.len() <= MAX_INLINE_FIELDS;
    if is_small && record.fields.iter().all(|field| valid::is_flat(field.ty)) {
        quote!(#[inline(always)])
    } else {
        quote!(#[inline])
    }
}

fn zap_impl(record: &Record<'_>, context: &Context<'_>, inline: &TokenStream, broken: bool) -> TokenStream {
    let Context { krate, dialect, message, .. } = context;
    let private = quote!(#krate::__private);
    let (ident, name, version) = (record.ident, &record.name, record.attributes.version);
    let generics = context.record_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_arguments, _) = record.generics.split_for_impl();
    let view = context.view_path(record);
    let owner = quote!(Self);

    let layouts = record.fields.iter().map(|this| {
        let (name, ty) = (&this.name, this.ty);
        let offset = match this.offset {
            Some((offset, _)) => quote!(#private::Option::Some(#offset)),
            None => quote!(#private::Option::None),
        };
        quote!(#krate::FieldLayout::of::<#dialect, #ty>(#name, #offset))
    });
    let checks = record.fields.iter().enumerate().map(|(index, this)| {
        let slot = context.slot(this.ty);
        let field = field(record, context, index, &owner);
        let place = place(record, context, this);
        quote! {
            if let #private::Result::Err(error) = #slot::check(section, #field, walk) {
                return #private::Result::Err(error.at(#place));
            }
        }
    });
    let puts = record.fields.iter().enumerate().map(|(index, this)| {
        let slot = context.slot(this.ty);
        let member = &this.member;
        quote! {
            #slot::put(&self.#member, sink, section, base + const { <Self as #krate::Zap>::LAYOUT.offset(#index) });
        }
    });
    let puts = (!broken).then(|| quote!(#(#puts)*));
    let zeros = record.fields.iter().enumerate().map(|(index, this)| {
        let slot = context.slot(this.ty);
        let field = field(record, context, index, &owner);
        quote!(&& #slot::is_zero(section, #field))
    });

    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Zap for #ident #type_arguments #where_clause {
            type Dialect = #dialect;
            type View<#message> = #view;
            const FIELDS: &'static [#krate::FieldLayout] = &#private::place([#(#layouts),*]);
            const LAYOUT: &'static #krate::Layout =
                &#krate::Layout::new::<#dialect>(#name, #version, <Self as #krate::Zap>::FIELDS);

            #[inline]
            fn check_fields<const METERED: bool>(
                section: #private::Section<'_>,
                walk: &mut #private::Walk<'_, METERED>,
            ) -> #private::Result<(), #krate::DecodeError> {
                #(#checks)*
                #private::Result::Ok(())
            }
            #inline
            fn put_fields<S: #private::Sink>(&self, sink: &mut S, section: &mut S::Section, base: usize) {
                #puts
            }
            fn fields_are_zero(section: #private::Section<'_>) -> bool {
                true #(#zeros)*
            }
        }
    }
}

fn slot_impl(record: &Record<'_>, context: &Context<'_>) -> TokenStream {
    let Context { krate, dialect, message, .. } = context;
    let private = quote!(#krate::__private);
    let ident = record.ident;
    let generics = context.record_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_arguments, _) = record.generics.split_for_impl();
    let view = context.view_path(record);
    let slots: Vec<_> = record.fields.iter().map(|this| context.slot(this.ty)).collect();

    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Slot<#dialect> for #ident #type_arguments #where_clause {
            const WIDTH: usize = #private::nested::width::<Self>();
            const ALIGN: usize = #private::nested::align::<Self>();
            const TYPE: #krate::FieldType = #krate::FieldType::Record(|| <Self as #krate::Zap>::LAYOUT);
            const PLAIN: bool = #private::nested::inline::<Self>() #(&& #slots::PLAIN)*;
            const INFALLIBLE: bool = #private::nested::inline::<Self>() #(&& #slots::INFALLIBLE)*;
            const NESTED: bool = !#private::nested::inline::<Self>() #(|| #slots::NESTED)*;

            type Get<#message> = <#dialect as #krate::Dialect>::Nested<#view>;

            #[inline]
            fn get<#message>(section: #private::Section<#message>, field: #private::Field) -> Self::Get<#message> {
                <#dialect as #krate::Dialect>::view_nested::<Self>(section, field)
            }
            #[inline]
            fn check<const METERED: bool>(
                section: #private::Section<'_>,
                field: #private::Field,
                walk: &mut #private::Walk<'_, METERED>,
            ) -> #private::Result<(), #krate::DecodeError> {
                #private::nested::check::<Self, METERED>(section, field, walk)
            }
            fn is_zero(section: #private::Section<'_>, field: #private::Field) -> bool {
                #private::nested::is_zero::<Self>(section, field)
            }
            #[inline]
            fn put<S: #private::Sink>(&self, sink: &mut S, section: &mut S::Section, offset: usize) {
                <#dialect as #krate::Dialect>::put_nested::<Self, S>(self, sink, section, offset);
            }
        }
    }
}

fn decode_impls(record: &Record<'_>, context: &Context<'_>, inline: &TokenStream, broken: bool) -> TokenStream {
    let Context { krate, dialect, message, .. } = context;
    let private = quote!(#krate::__private);
    let ident = record.ident;
    let generics = context.decode_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_arguments, _) = record.generics.split_for_impl();
    let owner = quote!(Self);

    let fields = record.fields.iter().enumerate().map(|(index, this)| {
        let slot = context.decode_slot(this.ty);
        let member = &this.member;
        let field = field(record, context, index, &owner);
        let place = place(record, context, this);
        quote! {
            #member: match #slot::decode_slot(section, #field, walk) {
                #private::Result::Ok(value) => value,
                #private::Result::Err(error) => return #private::Result::Err(error.at(#place)),
            }
        }
    });
    let body = if broken {
        quote!(::core::unreachable!())
    } else {
        quote!(#private::Result::Ok(Self { #(#fields),* }))
    };

    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::DecodeSlot<#message, #dialect> for #ident #type_arguments #where_clause {
            #[inline]
            fn decode_slot<const METERED: bool>(
                section: #private::Section<#message>,
                field: #private::Field,
                walk: &mut #private::Walk<#message, METERED>,
            ) -> #private::Result<Self, #krate::DecodeError> {
                #private::nested::decode::<Self, METERED>(section, field, walk)
            }
        }

        #[automatically_derived]
        impl #impl_generics #krate::Decode<#message> for #ident #type_arguments #where_clause {
            #inline
            fn decode_root<const METERED: bool>(
                section: #private::Section<#message>,
                walk: &mut #private::Walk<#message, METERED>,
            ) -> #private::Result<Self, #krate::DecodeError> {
                #body
            }
        }
    }
}

/// How the record is an element of a list.
fn element_impls(record: &Record<'_>, context: &Context<'_>) -> TokenStream {
    let Context { krate, dialect, message, .. } = context;
    let private = quote!(#krate::__private);
    let ident = record.ident;
    let generics = context.record_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_arguments, _) = record.generics.split_for_impl();
    if record.attributes.dialect == Dialect::Native {
        return quote! {
            #[automatically_derived]
            impl #impl_generics #krate::FixedStride for #ident #type_arguments #where_clause {}
        };
    }
    let decode_generics = context.decode_generics(record);
    let (decode_impl_generics, _, decode_where_clause) = decode_generics.split_for_impl();
    let view = context.view_path(record);
    quote! {
        #[automatically_derived]
        impl #impl_generics #krate::Element<#dialect> for #ident #type_arguments #where_clause {
            type Item<#message> = #view;

            fn get_element<#message>(
                entry: #private::Section<#message>,
            ) -> #private::Result<#view, #krate::DecodeError> {
                #private::nested::view_element::<Self>(entry)
            }
            fn check_element<const METERED: bool>(
                entry: #private::Section<'_>,
                walk: &mut #private::Walk<'_, METERED>,
            ) -> #private::Result<(), #krate::DecodeError> {
                #private::nested::check_element::<Self, METERED>(entry, walk)
            }
            fn put_element<S: #private::Sink>(&self, sink: &mut S) {
                sink.element_message(self);
            }
        }

        #[automatically_derived]
        impl #decode_impl_generics #krate::DecodeElement<#message, #dialect> for #ident #type_arguments #decode_where_clause {
            fn decode_element<const METERED: bool>(
                entry: #private::Section<#message>,
                walk: &mut #private::Walk<#message, METERED>,
            ) -> #private::Result<Self, #krate::DecodeError> {
                #private::nested::decode_element::<Self, METERED>(entry, walk)
            }
        }
    }
}

/// Asserts on the offset's own token what the spelling of the types did not tell. A generic record is asserted where
/// it is used, by its layout.
fn offset_assertions(record: &Record<'_>, context: &Context<'_>) -> TokenStream {
    let krate = context.krate;
    if record.generics.type_params().next().is_some() || record.generics.const_params().next().is_some() {
        return TokenStream::new();
    }
    let ident = record.ident;
    let lifetimes = record.generics.lifetimes().map(|_| quote!('static));
    let owner = quote!(#ident<#(#lifetimes),*>);
    let assertions = record.fields.iter().enumerate().filter_map(|(index, this)| {
        let (_, span) = this.offset?;
        let overlap = format!("field `{}` overlaps another field: move one of them", this.name);
        let alignment = format!("field `{}` must lie at a multiple of its alignment", this.name);
        Some(quote::quote_spanned! { span =>
            const _: () = ::core::assert!(#krate::__private::lies_apart(<#owner as #krate::Zap>::FIELDS, #index), #overlap);
            const _: () = ::core::assert!(#krate::__private::is_aligned(<#owner as #krate::Zap>::FIELDS, #index), #alignment);
        })
    });
    let assertions: TokenStream = assertions.collect();
    assertions
}
