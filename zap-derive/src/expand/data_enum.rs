//! The implementations of an enum with data: a tag, and a pointer to the section of the variant's fields.
//!
//! Each variant's fields are a record of their own, which the derive expands as any other; what is here chooses the
//! variant.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Fields, GenericParam, Ident, Member, Visibility, parse_quote};

use crate::ast::{Field, Record};
use crate::expand::enumeration::{other_name, root};
use crate::expand::generics::{Context, without_defaults};
use crate::expand::record::{default, implement, to_wire};
use crate::expand::{record as records, view};
use crate::variants::{Enumeration, Variant};

/// How a variant is read.
enum Form<'r, 'i> {
    /// Nothing is on the wire but the tag.
    Unit,
    /// The view holds a `FieldView` of its only field.
    Field(&'r Field<'i>),
    /// The view holds a view of the fields.
    View,
}

fn form<'r, 'i>(variant: &Variant<'_>, section: &'r Record<'i>) -> Form<'r, 'i> {
    match (variant.fields, section.fields.as_slice()) {
        (_, []) => Form::Unit,
        // The module's type may have a lifetime or not, which a definition must know.
        (Fields::Unnamed(_), [field]) if field.with.is_none() => Form::Field(field),
        _ => Form::View,
    }
}

/// Sections that the enum's view does not hold a view of need none of their own.
pub(crate) fn leave_out_views(enumeration: &Enumeration<'_>, sections: &mut [Record<'_>]) {
    for (variant, section) in enumeration.variants.iter().zip(sections) {
        section.has_view = matches!(form(variant, section), Form::View);
    }
}

/// Each variant with its section.
fn each<'a, 'i>(
    enumeration: &'a Enumeration<'i>,
    sections: &'a [Record<'i>],
) -> impl Iterator<Item = (&'a Variant<'i>, &'a Record<'i>)> {
    enumeration.variants.iter().zip(sections)
}

/// The enum that views are, and the view of each variant that has one.
pub(crate) fn define(record: &Record<'_>, enumeration: &Enumeration<'_>, sections: &[Record<'_>]) -> TokenStream {
    let context = Context::new(record, None);
    let (visibility, view, krate, message) =
        (record.visibility, &record.view, &record.attributes.krate, &context.message);
    let mut views = TokenStream::new();
    let variants = each(enumeration, sections).map(|(variant, section)| {
        let ident = variant.ident;
        let docs = docs(variant);
        match form(variant, section) {
            Form::Unit => quote!(#docs #ident),
            Form::Field(field) => {
                let ty = context.view_type(record, field.ty);
                quote!(#docs #ident(#krate::__private::variant::FieldView<#message, #ty>))
            }
            Form::View => {
                let context = Context::new(section, None);
                let of = context.view_path(section);
                views.extend(view::define(section, &context));
                quote!(#docs #ident(#of))
            }
        }
    });
    let variants: Vec<_> = variants.collect();
    let other = enumeration.other.as_ref().map(|other| {
        let (ident, docs) = (other.ident, docs(other));
        quote!(#docs #ident(#krate::__private::u32))
    });
    let parameters = parameters(record, &context);
    let doc = format!("A [`{}`] read in place: the variant, and a view of its fields.", record.ident);
    let allowed = &record.allowed;
    quote! {
        #[doc = #doc]
        #(#[allow(#allowed)])*
        #visibility enum #view<#(#parameters),*> {
            #(#variants,)*
            #other
        }
        #views
    }
}

/// The user's own documentation of a variant, or a line that names it.
fn docs(variant: &Variant<'_>) -> TokenStream {
    if variant.docs.is_empty() {
        let doc = format!("Variant `{}`, read in place.", variant.name);
        return quote!(#[doc = #doc]);
    }
    let docs = &variant.docs;
    quote!(#(#docs)*)
}

/// The view's parameters without bounds.
fn parameters(record: &Record<'_>, context: &Context) -> Vec<TokenStream> {
    let message = &context.message;
    let kept = record.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(parameter) => {
            let ident = &parameter.ident;
            Some(quote!(#ident))
        }
        GenericParam::Lifetime(_) if context.merges_lifetimes => None,
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            Some(quote!(#lifetime))
        }
        GenericParam::Const(parameter) => {
            let (ident, ty) = (&parameter.ident, &parameter.ty);
            Some(quote!(const #ident: #ty))
        }
    });
    std::iter::once(quote!(#message)).chain(kept).collect()
}

pub(crate) fn expand(
    record: &Record<'_>,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
    definitions: &[DeriveInput],
) -> TokenStream {
    let context = Context::new(record, None);
    let of_variants = each(enumeration, sections).zip(definitions);
    let of_variants = of_variants.map(|((variant, section), definition)| expand_section(variant, section, definition));
    let of_variants: TokenStream = of_variants.collect();
    let view = view_impls(record, &context, enumeration, sections);
    let slot = slot_impls(record, &context, enumeration, sections);
    let root = root_impls(record, &context, enumeration, sections);
    quote! {
        #of_variants
        #view
        #slot
        #root
    }
}

/// The record that a variant's fields are.
fn expand_section(variant: &Variant<'_>, section: &Record<'_>, definition: &DeriveInput) -> TokenStream {
    if let Form::Unit = form(variant, section) {
        return TokenStream::new();
    }
    let context = Context::new(section, None);
    let definition = define_section(definition);
    let view = section.has_view.then(|| view::expand(section, &context));
    let implementations = records::expand(section, &context);
    quote!(#definition #view #implementations)
}

/// The struct that holds a variant's fields on their way in.
fn define_section(definition: &DeriveInput) -> TokenStream {
    let mut definition = definition.clone();
    // As visible as the views, which say of which record they are, though nobody can name it.
    definition.attrs.push(parse_quote!(#[allow(unreachable_pub, missing_debug_implementations)]));
    if let Data::Struct(data) = &mut definition.data {
        for field in &mut data.fields {
            field.attrs.clear();
            field.vis = Visibility::Inherited;
        }
        // A tuple struct ends in a semicolon.
        data.semi_token = matches!(data.fields, Fields::Unnamed(_)).then(Default::default);
    }
    definition.generics = without_defaults(&definition.generics);
    definition.into_token_stream()
}

/// The section's type with the enum's own arguments.
fn section_type(section: &Record<'_>) -> TokenStream {
    let ident = section.ident;
    let (_, arguments, _) = section.generics.split_for_impl();
    quote!(#ident #arguments)
}

fn view_impls(
    record: &Record<'_>,
    context: &Context,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
) -> TokenStream {
    let generics = context.view_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (view, owner, message) = (context.view_path(record), context.record_in_view(record), &context.message);
    let shown = each(enumeration, sections).map(|(variant, section)| {
        let ident = variant.ident;
        let name = ident.to_string();
        match form(variant, section) {
            Form::Unit => quote!(Self::#ident => __f.write_str(#name)),
            _ => quote!(Self::#ident(__value) => __zap::variant::debug_variant(__f, #name, __value)),
        }
    });
    let read = each(enumeration, sections).map(|(variant, section)| {
        let (ident, tag) = (variant.ident, variant.tag);
        let fields = match form(variant, section) {
            Form::Unit => return quote!(Self::#ident => (#tag, __zap::Option::None)),
            Form::Field(_) => quote!(__zap::variant::FieldView::section(__value)),
            Form::View => quote!(__zap::RecordView::section(__value)),
        };
        quote!(Self::#ident(__value) => (#tag, __zap::Option::Some(#fields)))
    });
    let other = enumeration.other.as_ref().map(|other| other.ident);
    let other_name = other.map(ToString::to_string);
    let (other_shown, other_read): (Vec<_>, Vec<_>) = other
        .iter()
        .map(|ident| {
            (
                quote!(Self::#ident(__value) => __zap::variant::debug_variant(__f, #other_name, __value)),
                quote!(Self::#ident(__number) => (*__number, __zap::Option::None)),
            )
        })
        .unzip();
    let equality = equality(record, context);
    quote! {
        #equality

        __zap::implement_serialize!([#impl_generics] [#view] [#where_clause] serialize_variant);

        #[automatically_derived]
        impl #impl_generics __zap::Clone for #view #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                *self
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::Copy for #view #where_clause {}

        #[automatically_derived]
        impl #impl_generics __zap::Debug for #view #where_clause {
            fn fmt(&self, __f: &mut __zap::Formatter<'_>) -> __zap::FmtResult {
                match self {
                    #(#shown,)*
                    #(#other_shown,)*
                }
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::Display for #view #where_clause {
            fn fmt(&self, __f: &mut __zap::Formatter<'_>) -> __zap::FmtResult {
                __zap::variant::display(self, __f)
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::JsonView<#message> for #view #where_clause {
            fn json_root(&self) -> __zap::JsonRoot<#message> {
                __zap::variant::json_root(self)
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::variant::VariantView<#message> for #view #where_clause {
            type Enum = #owner;

            fn to_dynamic(&self) -> __zap::DynamicEnum<#message> {
                let (__number, __fields) = match self {
                    #(#read,)*
                    #(#other_read,)*
                };
                __zap::variant::dynamic::<#owner>(__number, __fields)
            }
        }
    }
}

/// `PartialEq` between two views, and between a view and a value, both ways.
fn equality(record: &Record<'_>, context: &Context) -> TokenStream {
    let view = context.view_path(record);
    let generics = context.view_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    // Here the enum's lifetimes are its own, whatever the message's is.
    let ident = record.ident;
    let mut value_generics = context.record_generics(record);
    let message = &context.message;
    value_generics.params.insert(0, parse_quote!(#message));
    let (impl_value, _, where_value) = value_generics.split_for_impl();
    let (_, arguments, _) = record.generics.split_for_impl();
    // Not marked as derived: clippy would ask for `Eq`, which a view of floats is not.
    quote! {
        #[allow(single_use_lifetimes)]
        impl #impl_generics __zap::PartialEq for #view #where_clause {
            fn eq(&self, __other: &Self) -> __zap::bool {
                __zap::variant::same_views(self, __other)
            }
        }

        #[allow(single_use_lifetimes)]
        impl #impl_value __zap::PartialEq<#ident #arguments> for #view #where_value {
            fn eq(&self, __other: &#ident #arguments) -> __zap::bool {
                __zap::variant::view_equals(self, __other)
            }
        }

        #[allow(single_use_lifetimes)]
        impl #impl_value __zap::PartialEq<#view> for #ident #arguments #where_value {
            fn eq(&self, __other: &#view) -> __zap::bool {
                __zap::variant::view_equals(__other, self)
            }
        }
    }
}

/// The arms of a match on the tag, and the last one for every other number: what `of` gives for each variant.
fn on_tag(
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
    of: impl Fn(&Variant<'_>, &Record<'_>) -> TokenStream,
    other: impl Fn(&Ident) -> TokenStream,
) -> TokenStream {
    let arms = each(enumeration, sections).map(|(variant, section)| {
        let (tag, body) = (variant.tag, of(variant, section));
        quote!(#tag => #body)
    });
    let other = match &enumeration.other {
        Some(variant) => other(variant.ident),
        None => quote!(__zap::Result::Err(__zap::variant::VariantPlace::unknown(__place))),
    };
    quote! {
        match __zap::variant::VariantPlace::number(__place) {
            #(#arms,)*
            __tag => #other,
        }
    }
}

fn slot_impls(
    record: &Record<'_>,
    context: &Context,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
) -> TokenStream {
    let message = &context.message;
    let (view, view_name) = (context.view_path(record), &record.view);
    let get = on_tag(
        enumeration,
        sections,
        |variant, section| {
            let (ident, of) = (variant.ident, section_type(section));
            let fields = quote!(__zap::variant::section::<#of>(__place));
            match form(variant, section) {
                Form::Unit => quote!(__zap::variant::VariantPlace::unit(__place).map(|()| #view_name::#ident)),
                Form::Field(_) => {
                    // As the view's definition names it, for whose lifetime the message's stands.
                    let of = Context::new(section, None).record_in_view(section);
                    quote!(#fields.map(|__fields| #view_name::#ident(__zap::variant::FieldView::new::<#of>(__fields))))
                }
                Form::View => {
                    quote!(#fields.map(|__fields| #view_name::#ident(__zap::RecordView::from_section(__fields))))
                }
            }
        },
        |other| quote!(__zap::Result::Ok(#view_name::#other(__tag))),
    );
    let check = on_tag(
        enumeration,
        sections,
        |variant, section| {
            let of = section_type(section);
            match form(variant, section) {
                Form::Unit => quote!(__zap::variant::VariantPlace::unit(__place)),
                _ => quote!(__zap::variant::check::<#of, __METERED>(__place, __walk)),
            }
        },
        |_| {
            quote! {{
                let _ = __tag;
                __zap::Result::Ok(())
            }}
        },
    );
    let put = put_arms(context, enumeration, sections);
    let equals = equals_arms(context, enumeration, sections);
    let sections_of_variants = each(enumeration, sections).map(|(variant, section)| match form(variant, section) {
        Form::Unit => quote!(__zap::Option::None),
        _ => {
            let of = section_type(section);
            quote!(__zap::Option::Some(<#of as __zap::Zap>::LAYOUT))
        }
    });
    let generics = context.record_generics(record);
    let slot = implement(
        record,
        &generics,
        &quote!(__zap::Slot<__zap::Native>),
        &quote! {
            const WIDTH: __zap::usize = 8;
            const ALIGN: __zap::usize = 4;
            const TYPE: __zap::FieldType = __zap::FieldType::Enum(|| <Self as __zap::Enumeration>::ENUM);
            const PARTS: __zap::Parts = __zap::Parts::Enum(<Self as __zap::Enumeration>::ENUM, &[#(#sections_of_variants),*]);
            const PARTS_BEHIND: __zap::Parts = <Self as __zap::Slot<__zap::Native>>::PARTS;
            const PLAIN: __zap::bool = false;
            const INFALLIBLE: __zap::bool = false;
            const NESTED: __zap::bool = true;
            const MISSING: __zap::Missing = __zap::Missing::Refused;

            type Get<#message> = __zap::Result<#view, __zap::DecodeError>;

            fn get<#message>(__section: __zap::Section<#message>, __field: __zap::Field) -> Self::Get<#message> {
                let __place = __zap::variant::VariantSlot::new(__section, __field);
                #get
            }
            fn check<const __METERED: __zap::bool>(
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, __METERED>,
            ) -> __zap::Result<(), __zap::DecodeError> {
                let __place = __zap::variant::VariantSlot::new(__section, __field);
                #check
            }
            fn equals(
                &self,
                __section: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                let __place = __zap::variant::VariantSlot::new(__section, __field);
                __zap::variant::DataEnum::equals_variant(self, __place, __walk)
            }
            fn same(
                __left: __zap::Section<'_>,
                __right: __zap::Section<'_>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                __zap::variant::same::<Self>(__left, __right, __field, __walk)
            }
            fn put<__S: __zap::Sink>(&self, __sink: &mut __S, __section: &mut __S::Section, __offset: __zap::usize) {
                match self {
                    #put
                }
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
            type Form = __zap::form::Presence;
            type Value<#message> = #view;

            fn read<#message>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
            ) -> __zap::Result<Self::Value<#message>, __zap::DecodeError> {
                <Self as __zap::Slot<__zap::Native>>::get(__section, __field)
            }
        },
    );
    let values = implement(
        record,
        &generics,
        &quote!(__zap::variant::DataEnum),
        &quote! {
            fn equals_variant<'__p, __P: __zap::variant::VariantPlace<'__p>>(
                &self,
                __place: __P,
                __walk: &mut __zap::Walk<'_, true>,
            ) -> __zap::bool {
                match self {
                    #equals
                }
            }
        },
    );
    let decode = decode_impl(record, context, enumeration, sections);
    quote!(#slot #stride #native #values #decode)
}

/// One arm for each variant, which writes it.
fn put_arms(context: &Context, enumeration: &Enumeration<'_>, sections: &[Record<'_>]) -> TokenStream {
    let arms = each(enumeration, sections).map(|(variant, section)| {
        let (ident, tag, of) = (variant.ident, variant.tag, section_type(section));
        if section.fields.is_empty() {
            return quote!(Self::#ident { .. } => __zap::variant::put_tag::<__S>(__section, __offset, #tag),);
        }
        let names: Vec<_> = (0..section.fields.len()).map(|index| format_ident!("__field_{index}")).collect();
        let members = section.fields.iter().map(|field| &field.member);
        let rest = (!section.skipped.is_empty()).then(|| quote!(..));
        let put = section.fields.iter().zip(&names).enumerate().map(|(index, (field, name))| {
            let (slot, value) = (context.slot(field.ty), to_wire(field, &quote!(#name)));
            quote!(#slot::put_field::<#of, __S>(#value, __sink, &mut __fields, 0, #index);)
        });
        quote! {
            Self::#ident { #(#members: #names,)* #rest } => {
                if let __zap::Option::Some(mut __fields) =
                    __zap::variant::begin::<#of, __S>(__sink, __section, __offset, #tag)
                {
                    #(#put)*
                    __zap::Sink::ascend(__sink);
                }
            }
        }
    });
    let other = enumeration.other.as_ref().map(|other| {
        let ident = other.ident;
        quote!(Self::#ident(__tag) => __zap::variant::put_tag::<__S>(__section, __offset, *__tag),)
    });
    quote!(#(#arms)* #other)
}

/// One arm for each variant, which says whether it is at the place.
fn equals_arms(context: &Context, enumeration: &Enumeration<'_>, sections: &[Record<'_>]) -> TokenStream {
    let arms = each(enumeration, sections).map(|(variant, section)| {
        let (ident, tag, of) = (variant.ident, variant.tag, section_type(section));
        if section.fields.is_empty() {
            return quote!(Self::#ident { .. } => __zap::variant::is_unit(__place, #tag),);
        }
        let names: Vec<_> = (0..section.fields.len()).map(|index| format_ident!("__field_{index}")).collect();
        let members = section.fields.iter().map(|field| &field.member);
        let rest = (!section.skipped.is_empty()).then(|| quote!(..));
        let equals = section.fields.iter().zip(&names).enumerate().map(|(index, (field, name))| {
            let (slot, value) = (context.slot(field.ty), to_wire(field, &quote!(#name)));
            quote!(#slot::equals_field::<#of>(#value, __fields, #index, __walk))
        });
        quote! {
            Self::#ident { #(#members: #names,)* #rest } => {
                __zap::variant::section_of::<#of>(__place, #tag, __walk).is_some_and(|__fields| #(#equals)&&*)
            }
        }
    });
    let other = enumeration.other.as_ref().map(|other| {
        let ident = other.ident;
        quote!(Self::#ident(__number) => __zap::variant::is_other::<Self>(__place, *__number),)
    });
    quote!(#(#arms)* #other)
}

/// Whether a field of a section is one of the variant's, not the marker behind them.
fn is_own(variant: &Variant<'_>, member: &Member) -> bool {
    variant.fields.members().any(|own| own == *member)
}

fn decode_impl(
    record: &Record<'_>,
    context: &Context,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
) -> TokenStream {
    let message = &context.message;
    let decode = on_tag(
        enumeration,
        sections,
        |variant, section| {
            let (ident, of) = (variant.ident, section_type(section));
            let skipped = section.skipped.iter().filter(|skipped| is_own(variant, &skipped.member));
            match form(variant, section) {
                Form::Unit => {
                    let skipped = skipped.map(default);
                    quote!(__zap::variant::VariantPlace::unit(__place).map(|()| Self::#ident { #(#skipped),* }))
                }
                _ => {
                    let members = section.fields.iter().map(|field| &field.member);
                    let members: Vec<_> = members.chain(skipped.map(|skipped| &skipped.member)).collect();
                    quote! {
                        __zap::variant::decode::<#of, __METERED>(__place, __walk)
                            .map(|__fields| Self::#ident { #(#members: __fields.#members),* })
                    }
                }
            }
        },
        |other| quote!(__zap::Result::Ok(Self::#other(__tag))),
    );
    let generics = context.decode_generics(record);
    let slot = implement(
        record,
        &generics,
        &quote!(__zap::DecodeSlot<#message, __zap::Native>),
        &quote! {
            fn decode_slot<const __METERED: __zap::bool>(
                __section: __zap::Section<#message>,
                __field: __zap::Field,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                let __place = __zap::variant::VariantSlot::new(__section, __field);
                <Self as __zap::variant::DecodeVariant<#message>>::decode_variant(__place, __walk)
            }
        },
    );
    let variant = implement(
        record,
        &generics,
        &quote!(__zap::variant::DecodeVariant<#message>),
        &quote! {
            fn decode_variant<__P: __zap::variant::VariantPlace<#message>, const __METERED: __zap::bool>(
                __place: __P,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                #decode
            }
        },
    );
    let root = implement(
        record,
        &generics,
        &quote!(__zap::Decode<#message>),
        &quote! {
            fn decode_root<const __METERED: __zap::bool>(
                __section: __zap::Section<#message>,
                __walk: &mut __zap::Walk<#message, __METERED>,
            ) -> __zap::Result<Self, __zap::DecodeError> {
                <Self as __zap::DecodeSlot<#message, __zap::Native>>::decode_field::<Self, __METERED>(__section, 0, __walk)
            }
        },
    );
    quote!(#slot #variant #root)
}

fn root_impls(
    record: &Record<'_>,
    context: &Context,
    enumeration: &Enumeration<'_>,
    sections: &[Record<'_>],
) -> TokenStream {
    let (name, other) = (&record.name, other_name(enumeration));
    let variants = each(enumeration, sections).map(|(variant, section)| {
        let (name, tag) = (&variant.name, variant.tag);
        let fields = match form(variant, section) {
            Form::Unit => quote!(__zap::Option::None),
            _ => {
                let of = section_type(section);
                quote!(__zap::Option::Some(|| <#of as __zap::Zap>::LAYOUT))
            }
        };
        quote!(__zap::VariantLayout::new(#name, #tag, #fields))
    });
    let generics = context.record_generics(record);
    let layout = implement(
        record,
        &generics,
        &quote!(__zap::Enumeration),
        &quote! {
            const ENUM: &'static __zap::EnumLayout =
                &__zap::EnumLayout::new(#name, __zap::FieldType::U32, &[#(#variants),*], #other);
        },
    );
    let root = implement(record, &generics, &quote!(__zap::Zap), &root(record, context));
    quote!(#layout #root)
}
