//! The view: a `Copy` struct with one accessor per field and nothing else.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{GenericParam, parse_quote};

use crate::ast::Record;
use crate::expand::generics::{Context, ends};
use crate::expand::record::body;

/// The struct itself.
pub(crate) fn define(record: &Record<'_>, context: &Context) -> TokenStream {
    let doc = format!("A [`{}`] read in place: one accessor per field.", record.ident);
    define_view(record, context, &record.view, &doc, &quote!(Section))
}

/// A view's struct: a section, and a marker for the parameters that it does not show.
pub(crate) fn define_view(
    record: &Record<'_>,
    context: &Context,
    view: &Ident,
    doc: &str,
    section: &TokenStream,
) -> TokenStream {
    let (visibility, message, krate) = (record.visibility, &context.message, &record.attributes.krate);
    let allowed = &record.allowed;
    let parameters = context.view_generics(record).params;
    // The struct needs no bounds.
    let parameters = parameters.into_iter().map(|parameter| match parameter {
        GenericParam::Type(parameter) => {
            let ident = parameter.ident;
            quote!(#ident)
        }
        GenericParam::Lifetime(parameter) => {
            let lifetime = parameter.lifetime;
            quote!(#lifetime)
        }
        GenericParam::Const(_) => quote!(#parameter),
    });
    // A struct must use each of its parameters.
    let marker = (!context.merges_lifetimes).then(|| {
        let lifetimes = record.generics.lifetimes().map(|parameter| &parameter.lifetime);
        let types = record.generics.type_params().map(|parameter| &parameter.ident);
        quote!(, #krate::__private::PhantomData<fn() -> (#(&#lifetimes (),)* #(#krate::__private::PhantomData<#types>,)*)>)
    });
    quote! {
        #[doc = #doc]
        #(#[allow(#allowed)])*
        #visibility struct #view<#(#parameters),*>(#krate::__private::#section<#message> #marker);
    }
}

/// Its implementations.
pub(crate) fn expand(record: &Record<'_>, context: &Context) -> TokenStream {
    let message = &context.message;
    let generics = context.view_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (view, owner) = (context.view_path(record), context.record_in_view(record));
    let marker = (!context.merges_lifetimes).then(|| quote!(, __zap::PhantomData));

    let accessors = record.fields.iter().enumerate().map(|(index, field)| {
        let (accessor, visibility) = (&field.accessor, field.visibility);
        let docs = &field.docs;
        let doc = docs.is_empty().then(|| {
            let doc = format!("Field `{}`, read in place.", field.name);
            quote!(#[doc = #doc])
        });
        if context.broken.is_some() {
            return quote! {
                #visibility fn #accessor(&self) -> __Broken {
                    loop {}
                }
            };
        }
        let slot = context.slot(&context.view_type(record, field.ty));
        let (_, end) = ends(field.ty);
        let get = quote_spanned!(end => #slot::Get<#message>);
        let section = quote!(self.0);
        let get_field = match (record.attributes.growable, &field.with) {
            (None, _) => quote_spanned!(end => #slot::get_field::<#owner>(#section, #index)),
            (Some(_), None) => {
                let ty = context.view_type(record, field.ty);
                quote_spanned!(end => __zap::growable::get_field::<#owner, #ty>(#section, #index))
            }
            // Absent, the wire's type reads as zeros do.
            (Some(_), Some(_)) => quote_spanned!(end => #slot::get_field::<#owner>(#section, #index)),
        };
        // The one lint that a plain accessor can trip by its name.
        let is_iter = ["iter", "iter_mut"].iter().any(|name| accessor == name);
        let lint = is_iter.then(|| quote!(#[allow(clippy::iter_not_returning_iterator)]));
        quote! {
            #doc
            #(#docs)*
            #lint
            #[inline]
            #visibility fn #accessor(&self) -> #get {
                #get_field
            }
        }
    });
    let shown = record.fields.iter().filter(|_| context.broken.is_none()).map(|field| {
        let (start, end) = ends(field.ty);
        let mut accessor = field.accessor.clone();
        accessor.set_span(end);
        // Spanned as the type, which is what can be wrong with the call.
        let receiver = quote!(self);
        let head = quote_spanned!(start => Self::);
        let value = quote_spanned!(end => #head #accessor(#receiver));
        quote!(.field(#value))
    });
    let view_name = record.view.to_string();
    let equality = equality(record, context);
    let display = body(context, quote!(__zap::display::<#owner>(self.0, __f)));

    let serialize = context
        .broken
        .is_none()
        .then(|| quote!(__zap::implement_serialize!([#impl_generics] [#view] [#where_clause] serialize_view);));

    quote! {
        #serialize

        impl #impl_generics #view #where_clause {
            #(#accessors)*
        }

        #[automatically_derived]
        impl #impl_generics __zap::Clone for #view #where_clause {
            #[inline]
            fn clone(&self) -> Self {
                Self(self.0 #marker)
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::Copy for #view #where_clause {}

        #[automatically_derived]
        impl #impl_generics __zap::Debug for #view #where_clause {
            fn fmt(&self, __f: &mut __zap::Formatter<'_>) -> __zap::FmtResult {
                __zap::DebugView::new::<#owner>(__f, #view_name)#(#shown)*.finish()
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::Display for #view #where_clause {
            fn fmt(&self, __f: &mut __zap::Formatter<'_>) -> __zap::FmtResult {
                #display
            }
        }

        #equality

        #[automatically_derived]
        impl #impl_generics __zap::RecordView<#message> for #view #where_clause {
            type Record = #owner;

            #[inline]
            fn from_section(__section: __zap::Section<#message>) -> Self {
                Self(__section #marker)
            }
            #[inline]
            fn section(&self) -> __zap::Section<#message> {
                self.0
            }
        }
    }
}

/// `PartialEq` between two views, and between a view and a record, both ways.
fn equality(record: &Record<'_>, context: &Context) -> TokenStream {
    let (view, owner) = (context.view_path(record), context.record_in_view(record));
    let generics = context.view_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let same = body(context, quote!(__zap::same_views::<#owner>(self.0, __other.0)));
    // Not marked as derived: clippy would ask for `Eq`, which a view of floats is not.
    let views = quote! {
        #[allow(single_use_lifetimes)]
        impl #impl_generics __zap::PartialEq for #view #where_clause {
            fn eq(&self, __other: &Self) -> __zap::bool {
                #same
            }
        }
    };
    // The record of a variant is nobody's to name, so nobody has one to compare with.
    if context.broken.is_some() || record.variant_of.is_some() {
        return views;
    }
    // Here the record's lifetimes are its own, whatever the message's is.
    let ident = record.ident;
    let mut generics = context.record_generics(record);
    let message = &context.message;
    generics.params.insert(0, parse_quote!(#message));
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, arguments, _) = record.generics.split_for_impl();
    quote! {
        #views

        #[allow(single_use_lifetimes)]
        impl #impl_generics __zap::PartialEq<#ident #arguments> for #view #where_clause {
            fn eq(&self, __other: &#ident #arguments) -> __zap::bool {
                __zap::view_equals(self.0, __other)
            }
        }

        #[allow(single_use_lifetimes)]
        impl #impl_generics __zap::PartialEq<#view> for #ident #arguments #where_clause {
            fn eq(&self, __other: &#view) -> __zap::bool {
                __zap::view_equals(__other.0, self)
            }
        }
    }
}
