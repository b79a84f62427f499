//! Writes the implementations.
//!
//! The view's struct stands beside the record; everything else is inside one anonymous constant, where `__zap` is
//! `zap_core::__private`. Every name that the expansion brings along is a path from there or begins with two
//! underscores, so that nothing a user can define nearby is mistaken for it.

mod generics;
mod record;
mod view;
mod view_mut;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::ast::Record;
use crate::attr::Errors;
use crate::valid;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let record = Record::parse(input, &mut errors);
    valid::check(&record, &mut errors);
    let (broken, errors) = errors.into_tokens();

    if record.is_unsized {
        return quote!(#broken #errors);
    }
    let context = generics::Context::new(&record, broken);
    let (krate, allowed) = (&record.attributes.krate, &record.allowed);
    let view = view::define(&record, &context);
    let view_mut = view_mut::define(&record, &context);
    let implementations =
        [view::expand(&record, &context), view_mut::expand(&record, &context), record::expand(&record, &context)];
    quote! {
        #view
        #view_mut
        #(#[allow(#allowed)])*
        const _: () = {
            use #krate::__private as __zap;
            #(#implementations)*
        };
        #errors
    }
}
