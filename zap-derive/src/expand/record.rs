//! The record's implementations: its layout, how it is written, checked and decoded, and how it sits in other records.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Ident};

use crate::ast::{Field, Record, Skipped};
use crate::attr::Dialect;
use crate::expand::generics::{Context, ends, is_flat, is_known};
use crate::expand::{growable, pin, transparent};

pub(crate) fn expand(record: &Record<'_>, context: &Context) -> TokenStream {
    let broken = context.broken.as_ref().map(|error| quote!(type __Broken = #error;));
    let zap = zap_impl(record, context);
    let root = decode_root(record, context);
    let attributes = &record.attributes;
    let slot = match record.fields.as_slice() {
        [field] if attributes.transparent.is_some() && context.broken.is_none() => {
            transparent::expand(record, field, context)
        }
        _ if attributes.growable.is_some() && context.broken.is_none() => growable::expand(record, context),
        _ => {
            let (slot, decode) = (slot_impl(record, context), decode_impl(record, context));
            // The section of a variant is no field of anything.
            let element = record.variant_of.is_none().then(|| element_impls(record, context));
            quote!(#slot #decode #element)
        }
    };
    let checks = checks(record, context);
    let pin = pin::expand(record, context);
    quote! {
        #broken
        #zap
        #root
        #slot
        #checks
        #pin
    }
}

/// `impl<...> Trait for Record<...> where ... { body }`.
pub(crate) fn implement(record: &Record<'_>, generics: &Generics, of: &TokenStream, body: &TokenStream) -> TokenStream {
    let ident = record.ident;
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, arguments, _) = record.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #impl_generics #of for #ident #arguments #where_clause {
            #body
        }
    }
}

/// Fields up to which a record without nested records and lists is written and decoded inline wherever that happens:
/// out of line, handing the value over through memory costs more than the record itself.
const MAX_INLINE_FIELDS: usize = 16;

fn inline(record: &Record<'_>) -> TokenStream {
    let is_small = record.fields.len() <= MAX_INLINE_FIELDS;
    if is_small && record.fields.iter().all(|field| is_flat(field.ty)) {
        quote!(#[inline(always)])
    } else {
        quote!(#[inline])
    }
}

/// The body of a function that has one part per field; of a stub, if the record is broken.
pub(crate) fn body(context: &Context, whole: TokenStream) -> TokenStream {
    if context.broken.is_some() { quote!(loop {}) } else { whole }
}

/// The type of the mutable view. The fields of a variant have none of their own.
fn view_mut(record: &Record<'_>, context: &Context) -> TokenStream {
    if record.variant_of.is_none() {
        return context.view_mut_path(record);
    }
    let (message, dialect) = (&context.message, &context.dialect);
    quote!(__zap::SlotMut<#message, Self, #dialect>)
}

fn zap_impl(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let (name, version) = (&record.name, record.attributes.version);
    let is_growable = record.attributes.growable.is_some() && context.broken.is_none();
    let (view, view_mut, inline) = (context.view_path(record), view_mut(record, context), inline(record));

    let layouts = record.fields.iter().map(|field| {
        let (slot, name) = (context.slot(field.ty), &field.name);
        let at = field.offset.map(|offset| {
            let bytes = offset.bytes;
            quote!(.at(#bytes))
        });
        if is_growable && field.with.is_none() {
            let ty = field.ty;
            return quote!(__zap::growable::shape::<#ty>().named(#name)#at);
        }
        quote!(#slot::SHAPE.named(#name)#at)
    });
    let fields = if context.broken.is_some() {
        // Something that has a width, so that other records do not complain.
        quote!(&[<__zap::u8 as __zap::Slot<#dialect>>::SHAPE.named("").at(0)])
    } else {
        if is_growable {
            // Behind the hidden length.
            quote!(&__zap::place_after(#name, 4, [#(#layouts),*]))
        } else {
            quote!(&__zap::place(#name, [#(#layouts),*]))
        }
    };
    let growable = is_growable.then(|| quote!(.growable()));
    let open = is_growable.then(growable::open);
    let transparent = record.attributes.transparent.map(|_| {
        quote!(
            const TRANSPARENT: __zap::bool = true;
        )
    });
    let checked = is_generic(record).then(|| quote!(.checked()));
    let each = |part: &dyn Fn(usize, &Field<'_>) -> TokenStream| -> TokenStream {
        record.fields.iter().enumerate().map(|(index, field)| part(index, field)).collect()
    };
    let check = each(&|index, field| {
        let slot = context.slot(field.ty);
        if is_growable {
            let ty = field.ty;
            return quote!(__zap::growable::check_field::<Self, #ty, __METERED>(__section, #index, __walk)?;);
        }
        quote!(#slot::check_field::<Self, __METERED>(__section, #index, __walk)?;)
    });
    let check = body(context, quote!(#check __zap::Result::Ok(())));
    let put = each(&|index, field| {
        let (slot, member) = (context.slot(field.ty), &field.member);
        let value = to_wire(field, &quote!(&self.#member));
        quote!(#slot::put_field::<Self, __S>(#value, __sink, __section, __base, #index);)
    });
    let length = is_growable.then(|| quote!(__zap::growable::put_length::<Self, __S>(__section, __base);));
    let put = body(context, quote!(#length #put));
    let equals = each(&|index, field| {
        let (slot, ty, member) = (context.slot(field.ty), field.ty, &field.member);
        let value = to_wire(field, &quote!(&self.#member));
        if is_growable && field.with.is_none() {
            return quote!(&& __zap::growable::equals_field::<Self, #ty>(#value, __section, #index, __walk));
        }
        quote!(&& #slot::equals_field::<Self>(#value, __section, #index, __walk))
    });
    let equals = body(context, quote!(true #equals));
    let zero = (record.attributes.dialect == Some(Dialect::Zip)).then(|| {
        let zero = each(&|index, field| {
            let slot = context.slot(field.ty);
            quote!(&& #slot::is_zero_field::<Self>(__section, #index, __walk))
        });
        let zero = body(context, quote!(true #zero));
        quote! {
            fn fields_are_zero(__section: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
                #zero
            }
        }
    });

    let parts = pin::parts_of_fields(record, context);

    implement(
        record,
        &context.record_generics(record),
        &quote!(__zap::Zap),
        &quote! {
            type Dialect = #dialect;
            type View<#message> = #view;
            type ViewMut<#message> = #view_mut;
            const FIELDS: &'static [__zap::FieldLayout] = #fields;
            const LAYOUT: &'static __zap::Layout =
                &__zap::Layout::new::<#dialect>(#name, #version, <Self as __zap::Zap>::FIELDS)#growable #checked;
            #transparent
            #open
            #parts

            #inline
            fn check_fields<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                #check
            }
            #inline
            fn put_fields<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __base: __zap::usize) {
                #put
            }
            fn equals_fields(&self, __section: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
                #equals
            }
            #zero
        },
    )
}

/// A reference to what is written for a field, given one to its value.
pub(crate) fn to_wire(field: &Field<'_>, value: &TokenStream) -> TokenStream {
    match &field.with {
        Some(module) => {
            let to_wire = Ident::new("to_wire", module.span());
            quote!(&#module::#to_wire(#value))
        }
        None => value.clone(),
    }
}

/// A field's value, given what was decoded for it.
fn from_wire(field: &Field<'_>, index: usize, decoded: TokenStream) -> TokenStream {
    match &field.with {
        Some(module) => {
            let from_wire = Ident::new("from_wire", module.span());
            quote!(__zap::converted::<Self, _, _>(#module::#from_wire(#decoded), __section, #index)?)
        }
        None => decoded,
    }
}

fn slot_impl(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let view = context.view_path(record);
    let generics = context.record_generics(record);
    implement(
        record,
        &generics,
        &quote!(__zap::Slot<#dialect>),
        &quote! {
            const WIDTH: __zap::usize = __zap::nested::width::<Self>();
            const ALIGN: __zap::usize = __zap::nested::align::<Self>();
            const TYPE: __zap::FieldType = __zap::FieldType::Record(|| <Self as __zap::Zap>::LAYOUT);
            const PLAIN: __zap::bool = __zap::nested::plain::<Self>();
            const INFALLIBLE: __zap::bool = __zap::nested::infallible::<Self>();
            const TAILS: __zap::u32 = __zap::nested::tails::<Self>();
            const NESTED: __zap::bool = __zap::nested::nested::<Self>();
            const FAULT: &'static __zap::str = __zap::nested::fault::<Self>();
            const MISSING: __zap::Missing = __zap::nested::missing::<Self>();
            const PARTS: __zap::Parts = __zap::nested::parts::<Self>();
            const PARTS_BEHIND: __zap::Parts = __zap::Parts::Pointed(<Self as __zap::Zap>::LAYOUT);

            type Get<#message> = <#dialect as __zap::Dialect>::Nested<#view>;

            #[inline]
            fn get<#message>(__section: __zap::Section<#message>, __field: __zap::Field) -> Self::Get<#message> {
                <#dialect as __zap::Dialect>::view_nested::<Self>(__section, __field)
            }
            #[inline(always)]
            fn check<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                __zap::nested::check::<Self, __METERED>(__section, __field, __walk)
            }
            fn is_zero(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::nested::is_zero::<Self>(__section, __field, __walk)
            }
            fn equals(
                &self,
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::nested::equals::<Self>(self, __section, __field, __walk)
            }
            fn same(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::nested::same::<Self>(__left, __right, __field, __walk)
            }
            #[inline]
            fn put<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __offset: __zap::usize) {
                <#dialect as __zap::Dialect>::put_nested::<Self, __S>(self, __sink, __section, __offset);
            }
        },
    )
}

/// What a field that is not on the wire is decoded to.
pub(crate) fn default(skipped: &Skipped<'_>) -> TokenStream {
    let (member, ty) = (&skipped.member, skipped.ty);
    let (start, end) = ends(ty);
    let head = quote_spanned!(start => <#ty as);
    // By another name than the prelude's: at the user's span, a lint has paths to what is in scope.
    let value = quote_spanned!(end => #head __zap::DefaultValue>::default());
    quote!(#member: #value)
}

fn decode_root(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { message, .. } = context;
    let inline = inline(record);
    let generics = context.decode_generics(record);
    let fields = record.fields.iter().enumerate().map(|(index, field)| {
        let (slot, member) = (context.decode_slot(field.ty), &field.member);
        let decoded = quote!(#slot::decode_field::<Self, __METERED>(__section, #index, __walk)?);
        let value = from_wire(field, index, decoded);
        if record.attributes.growable.is_some() {
            let default = growable::default(field);
            return quote! {
                #member: if __zap::growable::has::<Self>(__section, #index) { #value } else { #default }
            };
        }
        quote!(#member: #value)
    });
    let skipped = record.skipped.iter().map(default);
    let root = body(context, quote!(__zap::Result::Ok(Self { #(#fields,)* #(#skipped,)* })));
    implement(
        record,
        &generics,
        &quote!(__zap::Decode<#message>),
        &quote! {
            #inline
            fn decode_root<const __METERED: __zap::bool>(
                __section: __zap::Section<#message>,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                #root
            }
        },
    )
}

fn decode_impl(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
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
                __zap::nested::decode::<Self, __METERED>(__section, __field, __walk)
            }
        },
    )
}

/// How the record is an element of a list.
fn element_impls(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let generics = context.record_generics(record);
    if matches!(record.attributes.dialect, None | Some(Dialect::Native)) {
        let stride = implement(record, &generics, &quote!(__zap::FixedStride), &TokenStream::new());
        let native = implement(
            record,
            &generics,
            &quote!(__zap::NativeSlot),
            &quote! {
                type Outcome = __zap::Sure;
                type Form = __zap::form::Pointer;
                type Value<#message> = <Self as __zap::Slot<#dialect>>::Get<#message>;

                #[inline]
                fn read<#message>(
                    __section: __zap::Section<#message>,
                    __field: __zap::Field,
                ) -> __zap::Result<Self::Value<#message>, __zap::DecodeError> {
                    __zap::Result::Ok(<Self as __zap::Slot<#dialect>>::get(__section, __field))
                }
            },
        );
        return quote!(#stride #native);
    }
    let view = context.view_path(record);
    let element = implement(
        record,
        &generics,
        &quote!(__zap::Element<#dialect>),
        &quote! {
            type Item<#message> = #view;

            fn get_element<#message>(
                __entry: __zap::Section<#message>,
            ) -> __zap::Result<Self::Item<#message>, __zap::DecodeError> {
                __zap::nested::view_element::<Self>(__entry)
            }
            fn check_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                __zap::nested::check_element::<Self, __METERED>(__entry, __walk)
            }
            fn equals_element(&self, __entry: __zap::Section<'_>, __walk: &mut __zap::Walk<'_, true>) -> __zap::bool {
                __zap::nested::equals_element::<Self>(self, __entry, __walk)
            }
            fn same_element(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::nested::same_element::<Self>(__left, __right, __walk)
            }
            fn put_element<__S: __zap::Sink>(&self, __sink: &mut __S) {
                __zap::Sink::element_message(__sink, self);
            }
        },
    );
    let generics = context.decode_generics(record);
    let decode = implement(
        record,
        &generics,
        &quote!(__zap::DecodeElement<#message, #dialect>),
        &quote! {
            fn decode_element<const __METERED: __zap::bool>(
                __entry: __zap::Section<#message>,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                __zap::nested::decode_element::<Self, __METERED>(__entry, __walk)
            }
        },
    );
    quote!(#element #decode)
}

/// Refuses at compile time, each on its own token, what only the layout shows. A generic record is checked where it is
/// used, by its layout.
fn checks(record: &Record<'_>, context: &Context) -> TokenStream {
    if is_generic(record) || context.broken.is_some() {
        return TokenStream::new();
    }
    let owner = Context::static_record(record);
    let mut is_moved = false;
    let checks = record.fields.iter().enumerate().map(|(index, field)| {
        is_moved |= field.offset.is_some();
        let offset = match field.offset {
            Some(offset) => Some(quote_spanned!(offset.span => __zap::check_offset::<#owner>(#index);)),
            // Behind an explicit offset, two fields without one may meet.
            None => is_moved.then(|| {
                let (start, end) = ends(field.ty);
                let path = quote_spanned!(start => __zap::check_moved);
                quote_spanned!(end => #path::<#owner>(#index);)
            }),
        };
        let fault = (!is_known(field.ty)).then(|| {
            let slot = context.slot(&Context::static_type(record, field.ty));
            let (start, end) = ends(field.ty);
            let path = quote_spanned!(start => __zap::check_fault);
            quote_spanned!(end => #path(#slot::FAULT);)
        });
        let missing = record.attributes.growable.map(|_| {
            let slot = context.slot(&Context::static_type(record, field.ty));
            let (start, end) = ends(field.ty);
            let path = quote_spanned!(start => __zap::growable::check_missing);
            quote_spanned!(end => #path(#slot::MISSING);)
        });
        quote!(#offset #fault #missing)
    });
    let checks: TokenStream = checks.collect();
    let size = quote_spanned!(record.ident.span() => __zap::check_size::<#owner>(););
    quote!(const _: () = { #checks #size };)
}

pub(crate) fn is_generic(record: &Record<'_>) -> bool {
    record.generics.type_params().next().is_some() || record.generics.const_params().next().is_some()
}
