//! The view: a `Copy` struct with one accessor per field and nothing else.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::GenericParam;

use crate::ast::Record;
use crate::expand::generics::{Context, ends};

/// The struct itself.
pub(crate) fn define(record: &Record<'_>, context: &Context) -> TokenStream {
    let (visibility, view, message, krate) =
        (record.visibility, &record.view, &context.message, &record.attributes.krate);
    let allowed = &record.allowed;
    let doc = format!("A [`{}`] read in place: one accessor per field.", record.ident);
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
        #visibility struct #view<#(#parameters),*>(#krate::__private::Section<#message> #marker);
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
        let get_field = quote_spanned!(end => #slot::get_field::<#owner>(#section, #index));
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

    quote! {
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
        impl #impl_generics __zap::RecordView<#message> for #view #where_clause {
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
