//! Writes the implementations.

mod generics;
mod record;
mod view;

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::ast::Record;
use crate::attr::Errors;
use crate::valid;

pub(crate) fn derive(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let mut parsed = match Record::parse(input, &mut errors) {
        Ok(record) => record,
        Err(error) => {
            errors.push(error);
            return errors.into_error().map(|error| error.to_compile_error()).unwrap_or_default();
        }
    };
    let mut usable = valid::check(&parsed, &mut errors).into_iter();
    parsed.fields.retain(|_| usable.next().unwrap_or(false));

    let errors = errors.into_error();
    let context = generics::Context::new(&parsed);
    let view = view::expand(&parsed, &context);
    let record = record::expand(&parsed, &context, errors.is_some());
    let errors = errors.map(|error| error.to_compile_error());
    quote! {
        #view
        #record
        #errors
    }
}
