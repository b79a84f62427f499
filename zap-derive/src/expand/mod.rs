//! Writes the implementations.
//!
//! The view's struct stands beside the record; everything else is inside one anonymous constant, where `__zap` is
//! `zap_core::__private`. Every name that the expansion brings along is a path from there or begins with two
//! underscores, so that nothing a user can define nearby is mistaken for it.

mod enumeration;
mod generics;
mod record;
mod view;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::ast::Record;
use crate::attr::Errors;
use crate::valid;
use crate::variants::Enumeration;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let record = Record::parse(input, &mut errors);
    valid::check(&record, &mut errors);
    let enumeration = match &input.data {
        Data::Enum(data) => Some(Enumeration::parse(input, data, &record, &mut errors)),
        _ => None,
    };
    let (broken, errors) = errors.into_tokens();
    if let (Some(enumeration), None) = (enumeration, &broken) {
        return enumeration::expand(&record, &enumeration);
    }

    if record.is_unsized {
        return quote!(#broken #errors);
    }
    let context = generics::Context::new(&record, broken);
    let (krate, allowed) = (&record.attributes.krate, &record.allowed);
    let view = view::define(&record, &context);
    let implementations = [view::expand(&record, &context), record::expand(&record, &context)];
    quote! {
        #view
        #(#[allow(#allowed)])*
        const _: () = {
            use #krate::__private as __zap;
            #(#implementations)*
        };
        #errors
    }
}
