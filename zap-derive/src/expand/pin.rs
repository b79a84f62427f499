//! `#[zap(pin)]`: the parts of the fields that zap-core's layout line needs besides the layout, and the comparison.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::ast::Record;
use crate::attr::Errors;
use crate::expand::generics::{Context, is_known};
use crate::expand::record::is_generic;

/// A generic record has as many layouts as it has arguments.
pub(crate) fn refuse(record: &Record<'_>, errors: &mut Errors) {
    if let Some(pin) = &record.attributes.pin
        && is_generic(record)
    {
        errors.at(
            pin.span(),
            "a generic record has no one layout to pin: pin the records that hold it, or use the lock file",
        );
    }
}

/// The constant of [`Zap`](trait), unless no field can have parts.
pub(crate) fn parts_of_fields(record: &Record<'_>, context: &Context) -> Option<TokenStream> {
    if context.broken.is_some() || record.fields.iter().all(|field| is_known(field.ty)) {
        return None;
    }
    let parts = record.fields.iter().map(|field| {
        if is_known(field.ty) {
            return quote!(__zap::Parts::None);
        }
        let slot = context.slot(field.ty);
        quote!(#slot::PARTS)
    });
    Some(quote!(const PARTS_OF_FIELDS: &'static [__zap::Parts] = &[#(#parts),*];))
}

/// The comparison, on the literal.
pub(crate) fn expand(record: &Record<'_>, context: &Context) -> Option<TokenStream> {
    let pin = record.attributes.pin.as_ref().filter(|_| context.broken.is_none())?;
    let owner = Context::static_record(record);
    let check = quote_spanned!(pin.span() => __zap::check_pin(&__TEXT););
    Some(quote! {
        const _: () = {
            const __PIN: &__zap::str = #pin;
            const __TEXT: [__zap::u8; __zap::pin_len::<#owner>(__PIN)] = __zap::pin_text::<#owner, { __zap::pin_len::<#owner>(__PIN) }>(__PIN);
            #check
        };
    })
}
