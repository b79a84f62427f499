//! Our model of the struct under the derive.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Generics, Member, Type, Visibility};

use crate::attr::{Errors, FieldAttributes, RecordAttributes};

/// A struct that is to become a record.
pub(crate) struct Record<'i> {
    pub(crate) ident: &'i Ident,
    pub(crate) visibility: &'i Visibility,
    pub(crate) generics: &'i Generics,
    /// The name in layouts and errors.
    pub(crate) name: String,
    pub(crate) attributes: RecordAttributes,
    pub(crate) fields: Vec<Field<'i>>,
}

/// One field of it.
pub(crate) struct Field<'i> {
    pub(crate) member: Member,
    pub(crate) visibility: &'i Visibility,
    /// The accessor's name: the field's, or `field_0` for a tuple's.
    pub(crate) accessor: Ident,
    /// The name in layouts and errors.
    pub(crate) name: String,
    pub(crate) ty: &'i Type,
    pub(crate) offset: Option<(u32, Span)>,
}

impl<'i> Record<'i> {
    /// Reads the input. Errors that leave something to expand are pushed; the others are returned.
    pub(crate) fn parse(input: &'i DeriveInput, errors: &mut Errors) -> syn::Result<Self> {
        let data = match &input.data {
            Data::Struct(data) => data,
            Data::Enum(data) => {
                return Err(syn::Error::new(
                    data.enum_token.span(),
                    "#[derive(Zap)] takes structs: keep the enum's number in an integer field of a struct",
                ));
            }
            Data::Union(data) => {
                return Err(syn::Error::new(
                    data.union_token.span(),
                    "#[derive(Zap)] takes structs: a union does not say which of its fields is there",
                ));
            }
        };
        let attributes = RecordAttributes::parse(&input.attrs, errors);
        let fields = data.fields.iter().zip(data.fields.members()).map(|(field, member)| {
            let parsed = FieldAttributes::parse(&field.attrs, attributes.dialect, errors);
            let (accessor, plain_name) = match &member {
                Member::Named(ident) => (ident.clone(), ident.unraw().to_string()),
                Member::Unnamed(index) => (format_ident!("field_{}", index.index), index.index.to_string()),
            };
            Field {
                member,
                visibility: &field.vis,
                accessor,
                name: parsed.rename.unwrap_or(plain_name),
                ty: &field.ty,
                offset: parsed.offset,
            }
        });
        let fields: Vec<_> = fields.collect();
        for (index, field) in fields.iter().enumerate() {
            if fields.iter().take(index).any(|before| before.name == field.name) {
                errors.at(field.ty.span(), format!("two fields are called `{}`: rename one of them", field.name));
            }
        }
        Ok(Self {
            ident: &input.ident,
            visibility: &input.vis,
            generics: &input.generics,
            name: attributes.rename.clone().unwrap_or_else(|| input.ident.unraw().to_string()),
            attributes,
            fields,
        })
    }
}

/// The type itself, without parentheses and the invisible groups that a macro puts around what it was given.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        _ => ty,
    }
}
