//! The mutable view: a struct with one accessor per field and nothing else.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::ast::Record;
use crate::expand::generics::{Context, ends};
use crate::expand::view::define_view;

/// The struct itself.
pub(crate) fn define(record: &Record<'_>, context: &Context) -> TokenStream {
    let doc = format!("A [`{}`] changed in place: one accessor per field.", record.ident);
    define_view(record, context, &record.view_mut(), &doc, &quote!(SectionMut))
}

/// Its implementations.
pub(crate) fn expand(record: &Record<'_>, context: &Context) -> TokenStream {
    let Context { dialect, message, .. } = context;
    let generics = context.view_generics(record);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (view, owner) = (context.view_mut_path(record), context.record_in_view(record));
    let marker = (!context.merges_lifetimes).then(|| quote!(, __zap::PhantomData));

    let accessors = record.fields.iter().enumerate().map(|(index, field)| {
        let (accessor, visibility) = (&field.accessor, field.visibility);
        let doc = format!("Field `{}`, changed in place.", field.name);
        let (ty, (_, end)) = (context.view_type(record, field.ty), ends(field.ty));
        let slot = if context.broken.is_some() {
            quote!(__Broken)
        } else {
            quote_spanned!(end => __zap::SlotMut<'_, #ty, #dialect>)
        };
        let body = if context.broken.is_some() { quote!(loop {}) } else { quote!(self.0.slot::<#owner, _, _>(#index)) };
        // The one lint that a plain accessor can trip by its name.
        let is_iter = ["iter", "iter_mut"].iter().any(|name| accessor == name);
        let lint = is_iter.then(|| quote!(#[allow(clippy::iter_not_returning_iterator)]));
        quote! {
            #[doc = #doc]
            #lint
            #visibility fn #accessor(&mut self) -> #slot {
                #body
            }
        }
    });

    quote! {
        #[allow(dead_code)]
        impl #impl_generics #view #where_clause {
            #(#accessors)*
        }

        #[automatically_derived]
        impl #impl_generics __zap::Debug for #view #where_clause {
            fn fmt(&self, __f: &mut __zap::Formatter<'_>) -> __zap::FmtResult {
                __zap::Debug::fmt(&__zap::RecordViewMut::as_view(self), __f)
            }
        }

        #[automatically_derived]
        impl #impl_generics __zap::RecordViewMut<#message> for #view #where_clause {
            type Record = #owner;

            fn from_section(__section: __zap::SectionMut<#message>) -> Self {
                Self(__section #marker)
            }
            fn section(&self) -> __zap::Section<'_> {
                self.0.as_section()
            }
        }
    }
}
