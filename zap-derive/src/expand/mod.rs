//! Writes the implementations.
//!
//! The view's struct stands beside the record; everything else is inside one anonymous constant, where `__zap` is
//! `zap_core::__private`. Every name that the expansion brings along is a path from there or begins with two
//! underscores, so that nothing a user can define nearby is mistaken for it.

mod data_enum;
mod enumeration;
pub(crate) mod generics;
mod growable;
mod pin;
mod record;
mod transparent;
mod view;
mod view_mut;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput};

use crate::ast::{Record, put_wire_types};
use crate::attr::Errors;
use crate::valid;
use crate::variants::{self, Enumeration};

pub(crate) fn derive(original: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let mut input = original.clone();
    put_wire_types(&mut input);
    let input = &input;
    let mut record = Record::parse(input, &mut errors);
    valid::check(&record, &mut errors);
    pin::refuse(&record, &mut errors);

    // Of an enum, each variant's fields are a record of their own.
    let definitions = variants::sections(original, &record.attributes.krate);
    let mut sections = definitions.clone();
    sections.iter_mut().for_each(put_wire_types);
    let mut enumeration = None;
    let mut records = Vec::new();
    if let Data::Enum(data) = &input.data {
        enumeration = Some(Enumeration::parse(input, data, &record, &mut errors));
        for (section, variant) in sections.iter().zip(&data.variants) {
            records.push(variants::section_record(&record, variant, section, &mut errors));
        }
    }

    let (broken, errors) = errors.into_tokens();
    if let (Some(enumeration), None) = (enumeration, &broken) {
        if let Data::Enum(data) = &input.data {
            let known = data.variants.iter().filter(|_| enumeration.has_data).take(enumeration.variants.len());
            known.for_each(|variant| record.add_fields(&variant.fields, &mut Errors::default()));
        }
        variants::share_bounds(&mut records);
        data_enum::hide_views(&enumeration, &mut records);
        return enumeration::expand(&record, &enumeration, &records, &definitions);
    }

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
