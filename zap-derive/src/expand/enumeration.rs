//! The implementations of an enum: what those of its two forms share, and those of an enum without data.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{DeriveInput, Fields, Ident};

use crate::ast::Record;
use crate::expand::data_enum;
use crate::expand::generics::Context;
use crate::variants::{Enumeration, Variant, is_literal};

pub(crate) fn expand(
    record: &Record<'_>,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
    definitions: &[DeriveInput],
) -> TokenStream {
    let (krate, allowed) = (&record.attributes.krate, &record.allowed);
    let (views, implementations) = if enumeration.has_data {
        (
            data_enum::define(record, enumeration, sections),
            data_enum::expand(record, enumeration, sections, definitions),
        )
    } else {
        (TokenStream::new(), plain(record, enumeration))
    };
    quote! {
        #views
        #(#[allow(#allowed)])*
        const _: () = {
            use #krate::__private as __zap;
            #implementations
        };
    }
}

/// `Enum::Variant {}`: fits every form of a variant without fields.
fn unit(record: &Record<'_>, variant: &Variant<'_>) -> TokenStream {
    let (owner, ident) = (record.ident, variant.ident);
    quote!(#owner::#ident {})
}

fn number_name(index: usize) -> Ident {
    format_ident!("__NUMBER_{index}")
}

/// An enum without data: its integer, in every dialect.
fn plain(record: &Record<'_>, enumeration: &Enumeration<'_>) -> TokenStream {
    let numbers = numbers(record, enumeration);
    let value = value_impl(record, enumeration);
    let slot = plain_slot(record, enumeration);
    let root = plain_root(record, enumeration);
    quote! {
        #numbers
        #value
        #slot
        #root
    }
}

/// Whether the compiler casts the enum to an integer.
fn is_castable(enumeration: &Enumeration<'_>) -> bool {
    enumeration.other.is_none() && enumeration.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
}

/// The variants' numbers as constants: of any constant expression, by a cast where the compiler allows one.
fn numbers(record: &Record<'_>, enumeration: &Enumeration<'_>) -> TokenStream {
    let number = &enumeration.number;
    // Others are counted, as the compiler does it.
    let is_castable = is_castable(enumeration);
    let mut last = quote!(0);
    let mut distance = 0_u32;
    let constants = enumeration.variants.iter().enumerate().map(|(index, variant)| {
        let name = number_name(index);
        if is_castable {
            let unit = unit(record, variant);
            // Without a `repr`, the compiler takes what does not fit a u32.
            let check = variant.discriminant.filter(|expression| !is_literal(expression)).map(|expression| {
                let (start, end) = crate::expand::generics::token_ends(expression);
                let range = quote_spanned!(start => __zap::check_discriminant);
                quote_spanned!(end => #range(#unit as __zap::i128, __zap::u32::MAX as __zap::i128);)
            });
            let check = check.map(|check| quote!(const _: () = { #check };));
            return quote! {
                #check
                const #name: __zap::#number = #unit as __zap::#number;
            };
        }
        if let Some(expression) = variant.discriminant {
            last = quote!((#expression));
            distance = 0;
        }
        let constant = quote!(const #name: __zap::#number = #last + #distance as __zap::#number;);
        distance += 1;
        constant
    });
    constants.collect()
}

/// From a number to the value and back.
fn value_impl(record: &Record<'_>, enumeration: &Enumeration<'_>) -> TokenStream {
    let (owner, number) = (record.ident, &enumeration.number);
    let names: Vec<_> = (0..enumeration.variants.len()).map(number_name).collect();
    let units: Vec<_> = enumeration.variants.iter().map(|variant| unit(record, variant)).collect();
    let other = enumeration.other.as_ref().map(|other| {
        let other = other.ident;
        quote!(#owner::#other(__number))
    });
    let known = match &other {
        None => quote!(_ => return __zap::Option::None,),
        Some(other) => quote!(_ => #other,),
    };
    let other = other.iter();
    let to_number = quote! {
        match self {
            #(#units => #names,)*
            #(#other => *__number,)*
        }
    };
    let open = enumeration.other.is_some().then(|| {
        quote! {
            #[automatically_derived]
            impl __zap::OpenEnum for #owner {
                #[inline]
                fn from_any(__number: __zap::#number) -> Self {
                    match __number {
                        #(#names => #units,)*
                        #known
                    }
                }
            }
        }
    });
    let from_number = if enumeration.other.is_some() {
        quote!(__zap::Option::Some(<#owner as __zap::OpenEnum>::from_any(__number)))
    } else {
        quote! {
            __zap::Option::Some(match __number {
                #(#names => #units,)*
                #known
            })
        }
    };
    quote! {
        #[automatically_derived]
        impl __zap::PlainEnum for #owner {
            type Number = __zap::#number;

            #[inline]
            fn from_number(__number: __zap::#number) -> __zap::Option<Self> {
                #from_number
            }
            #[inline]
            fn to_number(&self) -> __zap::#number {
                #to_number
            }
        }
        #open
    }
}

fn plain_slot(record: &Record<'_>, enumeration: &Enumeration<'_>) -> TokenStream {
    let (owner, number) = (record.ident, &enumeration.number);
    let is_open = enumeration.other.is_some();
    // Where this is not implemented, it says what is missing.
    let value = quote_spanned!(owner.span() => <#owner as __zap::EnumValue>);
    let outcome = format_ident!("{}", if is_open { "Sure" } else { "Fallible" });
    let (get, wrap, missing, decode) = if is_open {
        let decode = quote!(__zap::Result::Ok(__zap::plain::get_any::<Self>(__section, __field)));
        let wrap = quote!(#value::into_item(__zap::plain::get_any::<Self>(__section, __field)));
        (quote!(#value::Item), wrap, quote!(#value::into_item(__default())), decode)
    } else {
        let decode = quote!(__zap::plain::get::<Self>(__section, __field));
        let missing = quote!(#value::into_get(__zap::Result::Ok(__default())));
        (quote!(#value::Get), quote!(#value::into_get(#decode)), missing, decode)
    };
    let check = if is_open { quote!(__zap::Result::Ok(())) } else { quote!(#decode.map(__zap::drop)) };
    quote! {
        #[automatically_derived]
        impl<__D: __zap::Dialect> __zap::Slot<__D> for #owner {
            const WIDTH: __zap::usize = <__zap::#number as __zap::Slot<__D>>::WIDTH;
            const ALIGN: __zap::usize = <__zap::#number as __zap::Slot<__D>>::ALIGN;
            const TYPE: __zap::FieldType = __zap::FieldType::Enum(|| <Self as __zap::Enumeration>::ENUM);
            const PARTS: __zap::Parts = __zap::Parts::Enum(<Self as __zap::Enumeration>::ENUM, &[]);
            const PARTS_BEHIND: __zap::Parts = <Self as __zap::Slot<__D>>::PARTS;
            const PLAIN: __zap::bool = true;
            const INFALLIBLE: __zap::bool = #is_open;
            const NESTED: __zap::bool = false;
            const MISSING: __zap::Missing = __zap::Missing::Default;

            type Get<'__m> = #get;

            #[inline]
            fn get<'__m>(__section: __zap::Section<'__m>, __field: __zap::Field) -> Self::Get<'__m> {
                #wrap
            }
            fn get_missing<'__m>(
                _: __zap::Section<'__m>,
                _: __zap::Field,
                __default: fn() -> Self,
            ) -> Self::Get<'__m> {
                #missing
            }
            #[inline]
            fn check<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                _: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                #check
            }
            fn equals(
                &self,
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                _: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::plain::equals(self, __section, __field)
            }
            fn same(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __field: __zap::Field,
                _: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::plain::same::<Self>(__left, __right, __field)
            }
            fn equals_missing(
                &self,
                _: __zap::Section<'_>,
                _: __zap::Field,
                __default: fn() -> Self,
            ) -> __zap::bool {
                __zap::plain::equal(self, &__default())
            }
            #[inline]
            fn put<__S: __zap::Sink>(&self, _: &mut __S, __section: &mut __S::Section, __offset: __zap::usize) {
                __zap::plain::put::<Self, __S>(self, __section, __offset);
            }
        }

        #[automatically_derived]
        impl<'__m, __D: __zap::Dialect> __zap::DecodeSlot<'__m, __D> for #owner {
            #[inline]
            fn decode_slot<const __METERED: __zap::bool>(
                __section: __zap::Section<'__m>,
                __field: __zap::Field,
                _: &mut __zap::Walk<'__m, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                #decode
            }
        }

        #[automatically_derived]
        impl __zap::FixedStride for #owner {}

        #[automatically_derived]
        impl __zap::NativeSlot for #owner {
            type Outcome = __zap::#outcome;
            type Form = __zap::form::Presence;
            type Value<'__m> = #value::Item;

            #[inline]
            fn read<'__m>(
                __section: __zap::Section<'__m>,
                __field: __zap::Field,
            ) -> __zap::Result<Self::Value<'__m>, __zap::DecodeError> {
                #decode.map(#value::into_item)
            }
        }

        #[automatically_derived]
        impl __zap::DerivedKey for #owner {
            type By = __zap::ByValue;
        }

        #[automatically_derived]
        impl<__D: __zap::StreamDialect> __zap::Element<__D> for #owner {
            type Item<'__m> = #value::Item;

            fn get_element<'__m>(
                __entry: __zap::Section<'__m>,
            ) -> __zap::Result<Self::Item<'__m>, __zap::DecodeError> {
                __zap::plain::get_element::<Self>(__entry).map(#value::into_item)
            }
            fn check_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                __zap::plain::walk_element::<Self, __METERED>(__entry, __walk).map(__zap::drop)
            }
            fn equals_element(&self, __entry: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
                __zap::plain::walk_element::<Self, true>(__entry, __walk)
                    .is_ok_and(|__value| __zap::plain::equal(self, &__value))
            }
            fn same_element(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::plain::walk_element::<Self, true>(__right, __walk).is_ok_and(|__value| {
                    <Self as __zap::Element<__D>>::equals_element(&__value, __left, __walk)
                })
            }
            fn put_element<__S: __zap::Sink>(&self, __sink: &mut __S) {
                __zap::plain::put_element::<Self, __S>(self, __sink);
            }
        }

        #[automatically_derived]
        impl<'__m, __D: __zap::StreamDialect> __zap::DecodeElement<'__m, __D> for #owner {
            fn decode_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<'__m>,
                __walk: &mut __zap::Walk<'__m, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                __zap::plain::walk_element(__entry, __walk)
            }
        }
    }
}

/// An enum without data as the root of a message.
fn plain_root(record: &Record<'_>, enumeration: &Enumeration<'_>) -> TokenStream {
    let (name, number) = (&record.name, &enumeration.number);
    let numbers = (0..enumeration.variants.len()).map(number_name);
    let names = enumeration.variants.iter().map(|variant| &variant.name);
    let other = other_name(enumeration);
    let layout = quote! {
        &__zap::EnumLayout::new(
            #name,
            <__zap::#number as __zap::Slot<__zap::Native>>::TYPE,
            &[#(__zap::VariantLayout::new(#names, #numbers as __zap::u32, __zap::Option::None)),*],
            #other,
        )
    };
    let owner = record.ident;
    let context = Context::new(record, None);
    let root = root(record, &context);
    quote! {
        #[automatically_derived]
        impl __zap::Enumeration for #owner {
            const ENUM: &'static __zap::EnumLayout = #layout;
        }

        #[automatically_derived]
        impl __zap::Zap for #owner {
            #root
        }

        #[automatically_derived]
        impl<'__m> __zap::Decode<'__m> for #owner {
            fn decode_root<const __METERED: __zap::bool>(
                __section: __zap::Section<'__m>,
                __walk: &mut __zap::Walk<'__m, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                <Self as __zap::DecodeSlot<'__m, __zap::Native>>::decode_field::<Self, __METERED>(__section, 0, __walk)
            }
        }
    }
}

/// The name of the variant marked `other`, as an option.
pub(crate) fn other_name(enumeration: &Enumeration<'_>) -> TokenStream {
    match &enumeration.other {
        Some(other) => {
            let name = &other.name;
            quote!(__zap::Option::Some(#name))
        }
        None => quote!(__zap::Option::None),
    }
}

/// The body of `Zap` for an enum: a record with one field without a name.
pub(crate) fn root(record: &Record<'_>, context: &Context) -> TokenStream {
    let (name, version, message) = (&record.name, record.attributes.version, &context.message);
    let slot = quote!(<Self as __zap::Slot<__zap::Native>>);
    quote! {
        type Dialect = __zap::Native;
        type View<#message> = __zap::EnumView<#message, Self>;
        type ViewMut<#message> = __zap::SlotMut<#message, Self>;
        const FIELDS: &'static [__zap::FieldLayout] = &__zap::place(#name, [#slot::SHAPE.named("")]);
        const LAYOUT: &'static __zap::Layout =
            &__zap::Layout::new::<__zap::Native>(#name, #version, <Self as __zap::Zap>::FIELDS);
        const PARTS_OF_FIELDS: &'static [__zap::Parts] = &[#slot::PARTS];

        #[inline]
        fn check_fields<const __METERED: __zap::bool>(
            __section: __zap::Section<'_>,
            __walk: &mut __zap::Walk<'_, __METERED>,
        ) -> __zap::Result<(), __zap::DecodeError> {
            #slot::check_field::<Self, __METERED>(__section, 0, __walk)
        }
        #[inline]
        fn put_fields<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __base: __zap::usize) {
            #slot::put(self, __sink, __section, __base);
        }
        fn equals_fields(&self, __section: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
            #slot::equals_field::<Self>(self, __section, 0, __walk)
        }
    }
}
