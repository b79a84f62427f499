//! Our model of the struct under the derive.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Generics, Member, Meta, Type, Visibility};

use crate::attr::{Errors, FieldAttributes, Offset, RecordAttributes};

/// A struct that is to become a record.
pub(crate) struct Record<'i> {
    pub(crate) ident: &'i Ident,
    pub(crate) visibility: &'i Visibility,
    pub(crate) generics: &'i Generics,
    /// The name in layouts and errors.
    pub(crate) name: String,
    pub(crate) attributes: RecordAttributes,
    /// What the user allows on the struct and its fields, and must therefore be allowed in its expansion.
    pub(crate) allowed: Vec<TokenStream>,
    pub(crate) fields: Vec<Field<'i>>,
    /// The last field has no size: no implementation can be written, not even a stub.
    pub(crate) is_unsized: bool,
}

/// One field of it.
pub(crate) struct Field<'i> {
    pub(crate) member: Member,
    pub(crate) visibility: &'i Visibility,
    /// The user's own documentation.
    pub(crate) docs: Vec<&'i Attribute>,
    /// The accessor's name: the field's, or `field_0` for a tuple's.
    pub(crate) accessor: Ident,
    /// The name in layouts and errors.
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) ty: &'i Type,
    pub(crate) offset: Option<Offset>,
}

impl<'i> Record<'i> {
    /// Reads the input. What is wrong with it is pushed to `errors`; what is left can still be expanded to a stub.
    pub(crate) fn parse(input: &'i DeriveInput, errors: &mut Errors) -> Self {
        let attributes = RecordAttributes::parse(&input.attrs, errors);
        let fields = match &input.data {
            Data::Struct(data) => data.fields.iter().zip(data.fields.members()).collect(),
            Data::Enum(data) => {
                errors.at(
                    data.enum_token.span(),
                    "#[derive(Zap)] takes structs, not enums: keep the variant's number in an integer field of a struct",
                );
                Vec::new()
            }
            Data::Union(data) => {
                errors.at(
                    data.union_token.span(),
                    "#[derive(Zap)] takes structs, not unions: nothing on the wire would tell which field is there",
                );
                Vec::new()
            }
        };
        let fields: Vec<_> = fields.into_iter().map(|(field, member)| Field::parse(field, member, errors)).collect();
        let last = fields.last().map(|field: &Field<'_>| field.ty);
        let is_unsized = last.is_some_and(|ty| match ty {
            Type::Slice(_) | Type::TraitObject(_) => true,
            Type::Path(path) => path.path.is_ident("str"),
            _ => false,
        });
        Self {
            ident: &input.ident,
            visibility: &input.vis,
            generics: &input.generics,
            name: attributes.rename.clone().unwrap_or_else(|| input.ident.unraw().to_string()),
            attributes,
            allowed: allowed(input),
            fields,
            is_unsized,
        }
    }

    /// The view's name.
    pub(crate) fn view(&self) -> Ident {
        format_ident!("{}View", self.ident.unraw(), span = self.ident.span())
    }

    /// The mutable view's name.
    pub(crate) fn view_mut(&self) -> Ident {
        format_ident!("{}ViewMut", self.ident.unraw(), span = self.ident.span())
    }
}

impl<'i> Field<'i> {
    fn parse(field: &'i syn::Field, member: Member, errors: &mut Errors) -> Self {
        let attributes = FieldAttributes::parse(&field.attrs, errors);
        let (accessor, plain_name, span) = match &member {
            Member::Named(ident) => (ident.clone(), ident.unraw().to_string(), ident.span()),
            Member::Unnamed(index) => {
                let span = field.ty.span();
                (format_ident!("field_{}", index.index, span = span), index.index.to_string(), span)
            }
        };
        let (name, name_span) = match attributes.rename {
            Some(name) => (name.value(), name.span()),
            None => (plain_name, span),
        };
        Self {
            member,
            visibility: &field.vis,
            docs: field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
            accessor,
            name,
            name_span,
            ty: ungrouped(&field.ty),
            offset: attributes.offset,
        }
    }
}

/// The lints in `#[allow]` and `#[expect]` attributes; `deprecated` where something is.
fn allowed(input: &DeriveInput) -> Vec<TokenStream> {
    let fields = match &input.data {
        Data::Struct(data) => data.fields.iter().flat_map(|field| &field.attrs).collect(),
        _ => Vec::new(),
    };
    let lints = input.attrs.iter().chain(fields).filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("allow") || list.path.is_ident("expect") => Some(list.tokens.clone()),
        meta if meta.path().is_ident("deprecated") => Some(quote!(deprecated)),
        _ => None,
    });
    lints.collect()
}

/// The type without the invisible delimiters that a macro's fragment comes in.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        _ => ty,
    }
}
