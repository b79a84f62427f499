//! The view: a `Copy` struct with one accessor per field and nothing else.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Field, Record};
use crate::expand::generics::Context;

/// Lints that code a user did not write must not trip in their crate.
pub(crate) fn allowed() -> TokenStream {
    quote!(#[allow(clippy::all, clippy::pedantic, clippy::nursery, dead_code, unused_qualifications)])
}

/// The field's place in the section and in errors.
pub(crate) fn field(record: &Record<'_>, context: &Context<'_>, index: usize, owner: &TokenStream) -> TokenStream {
    let krate = context.krate;
    let place = place(record, context, &record.fields[index]);
    quote! {
        #krate::__private::Field {
            offset: const { <#owner as #krate::Zap>::LAYOUT.offset(#index) },
            place: #place,
        }
    }
}

/// The field's name for errors.
pub(crate) fn place(record: &Record<'_>, context: &Context<'_>, field: &Field<'_>) -> TokenStream {
    let krate = context.krate;
    let (record, field) = (&record.name, &field.name);
    quote!(const { &#krate::Place { record: #record, field: #field } })
}

pub(crate) fn expand(record: &Record<'_>, context: &Context<'_>) -> TokenStream {
    let Context { krate, message, view, .. } = context;
    let visibility = record.visibility;
    let allowed = allowed();
    let private = quote!(#krate::__private);

    let generics = context.view_generics(record);
    let (impl_generics, view_arguments, where_clause) = generics.split_for_impl();
    let declared = &generics.params;
    let declared = declared.iter().map(|parameter| {
        // The struct itself needs no bounds.
        let mut parameter = parameter.clone();
        if let syn::GenericParam::Type(parameter) = &mut parameter {
            parameter.bounds.clear();
            parameter.colon_token = None;
        }
        parameter
    });
    let owner = context.record_in_view(record);
    // Names the parameters, of which a struct must use each; without type parameters there is nothing to name.
    let (marker, marker_type) = if context.merges_lifetimes {
        (None, None)
    } else {
        let parameters = record.generics.type_params().map(|parameter| &parameter.ident);
        let lifetimes = record.generics.lifetimes().map(|parameter| &parameter.lifetime);
        let marker_type =
            quote!(#private::PhantomData<fn() -> (#(&#lifetimes (),)* #(#private::PhantomData<#parameters>,)*)>);
        (Some(quote!(, #private::PhantomData)), Some(quote!(, #marker_type)))
    };

    let accessors = record.fields.iter().enumerate().map(|(index, this)| {
        let ty = context.view_type(this.ty);
        let slot = context.slot(&ty);
        let accessor = &this.accessor;
        let visibility = this.visibility;
        let field = field(record, context, index, &owner);
        let doc = format!("Field `{}`, read in place.", this.name);
        quote! {
            #[doc = #doc]
            #[inline]
            #visibility fn #accessor(&self) -> #slot::Get<#message> {
                #slot::get(self.0, #field)
            }
        }
    });
    let shown = record.fields.iter().map(|Field { accessor, name, .. }| quote!(.field(#name, &Self::#accessor(self))));
    let view_name = view.to_string();
    let doc = format!("A [`{}`] read in place: one accessor per field.", record.ident);

    quote! {
        #[doc = #doc]
        #visibility struct #view<#(#declared),*>(#private::Section<#message> #marker_type);

        #allowed
        #[automatically_derived]
        impl #impl_generics #view #view_arguments #where_clause {
            #(#accessors)*
        }

        #allowed
        const _: () = {
            #[automatically_derived]
            impl #impl_generics #private::Clone for #view #view_arguments #where_clause {
                #[inline]
                fn clone(&self) -> Self {
                    Self(self.0 #marker)
                }
            }

            #[automatically_derived]
            impl #impl_generics #private::Copy for #view #view_arguments #where_clause {}

            #[automatically_derived]
            impl #impl_generics #private::Debug for #view #view_arguments #where_clause {
                fn fmt(&self, formatter: &mut #private::Formatter<'_>) -> #private::FmtResult {
                    formatter.debug_struct(#view_name)#(#shown)*.finish()
                }
            }

            #[automatically_derived]
            impl #impl_generics #krate::RecordView<#message> for #view #view_arguments #where_clause {
                #[inline]
                fn from_section(section: #private::Section<#message>) -> Self {
                    Self(section #marker)
                }
                #[inline]
                fn section(&self) -> #private::Section<#message> {
                    self.0
                }
            }
        };
    }
}
