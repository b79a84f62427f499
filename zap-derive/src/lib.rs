//! The derive macro behind `zap_core::Zap`. Depend on `zap-core`, which re-exports it; this crate has no other use.
//!
//! The way of a derive: `ast` reads the struct and its attributes into our model, `valid` refuses what cannot be a
//! record, on the token that is wrong and in words that say what to do, `expand` writes the implementations. After an
//! error the implementations are still written, with empty bodies, so that one mistake makes one message.

mod ast;
mod attr;
mod expand;
mod valid;

use proc_macro::TokenStream;

/// Makes a struct a record on the ZAP wire: see `zap_core::Zap` for what it can do then, and the guide in
/// `zap_core::guide` for the attributes.
///
/// On the struct: `#[zap(dialect = "native" | "zapgen" | "zip")]`, `#[zap(version = 1 | 2)]`, `#[zap(rename = "...")]`,
/// `#[zap(crate = "path")]`. On a field: `#[zap(rename = "...")]`, `#[zap(offset = N)]`.
#[proc_macro_derive(Zap, attributes(zap))]
pub fn derive_zap(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::derive(&input).into()
}
