//! Our model of the struct under the derive, and what structs and enums have in common.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Member, Meta, Path, Type, Visibility, parse_quote};

use crate::attr::{Errors, FieldAttributes, Offset, RecordAttributes};

/// A struct that is to become a record.
pub(crate) struct Record<'i> {
    pub(crate) ident: &'i Ident,
    pub(crate) visibility: &'i Visibility,
    pub(crate) generics: &'i Generics,
    /// The view's name.
    pub(crate) view: Ident,
    /// The name in layouts and errors.
    pub(crate) name: String,
    pub(crate) attributes: RecordAttributes,
    /// What the user allows on the struct and its fields, and must therefore be allowed in its expansion.
    pub(crate) allowed: Vec<TokenStream>,
    /// The fields on the wire.
    pub(crate) fields: Vec<Field<'i>>,
    /// The fields that are not.
    pub(crate) skipped: Vec<Skipped<'i>>,
    /// The enum of which this is the section of a variant.
    pub(crate) variant_of: Option<&'i Ident>,
    /// Types on the wire, and off it, in the other variants: a section may hold the enum, and so needs all its bounds.
    pub(crate) beside: (Vec<&'i Type>, Vec<&'i Type>),
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
    /// The type on the wire.
    pub(crate) ty: &'i Type,
    pub(crate) offset: Option<Offset>,
    /// The module that makes the field's own type from `ty` and back.
    pub(crate) with: Option<Path>,
}

/// A field that is not on the wire.
pub(crate) struct Skipped<'i> {
    pub(crate) member: Member,
    pub(crate) ty: &'i Type,
}

/// Puts the wire's type for that of every field with conversions: `module::Wire`.
pub(crate) fn put_wire_types(input: &mut DeriveInput) {
    let put = |fields: &mut Fields| {
        for field in fields {
            // What is wrong with the attributes is said later.
            if let Some(module) = FieldAttributes::parse(&field.attrs, &mut Errors::default()).with {
                let wire = Ident::new("Wire", module.span());
                field.ty = parse_quote!(#module::#wire);
            }
        }
    };
    match &mut input.data {
        Data::Struct(data) => put(&mut data.fields),
        Data::Enum(data) => data.variants.iter_mut().for_each(|variant| put(&mut variant.fields)),
        Data::Union(_) => {}
    }
}

impl<'i> Record<'i> {
    /// Reads the input. What is wrong with it is pushed to `errors`; what is left can still be expanded to a stub.
    pub(crate) fn parse(input: &'i DeriveInput, errors: &mut Errors) -> Self {
        let is_enum = matches!(input.data, Data::Enum(_));
        let attributes = RecordAttributes::parse(&input.attrs, is_enum, errors);
        let mut record = Self {
            ident: &input.ident,
            visibility: &input.vis,
            generics: &input.generics,
            view: format_ident!("{}View", input.ident.unraw(), span = input.ident.span()),
            name: attributes.rename.clone().unwrap_or_else(|| input.ident.unraw().to_string()),
            attributes,
            allowed: allowed(input),
            fields: Vec::new(),
            skipped: Vec::new(),
            variant_of: None,
            beside: (Vec::new(), Vec::new()),
            is_unsized: false,
        };
        match &input.data {
            Data::Struct(data) => record.add_fields(&data.fields, errors),
            // Each variant is a record of its own.
            Data::Enum(_) => {}
            Data::Union(data) => errors.at(
                data.union_token.span(),
                "#[derive(Zap)] takes structs and enums, not unions: nothing on the wire would tell which field is there",
            ),
        }
        let last = record.fields.last().map(|field: &Field<'_>| field.ty);
        record.is_unsized = last.is_some_and(|ty| match ty {
            Type::Slice(_) | Type::TraitObject(_) => true,
            Type::Path(path) => path.path.is_ident("str"),
            _ => false,
        });
        record
    }

    /// The types that bounds are made of: on the wire, and off it.
    pub(crate) fn bounded(&self) -> (Vec<&'i Type>, Vec<&'i Type>) {
        let mut bounded = self.beside.clone();
        bounded.0.extend(self.fields.iter().map(|field| field.ty));
        bounded.1.extend(self.skipped.iter().map(|skipped| skipped.ty));
        bounded
    }

    /// Adds fields: those on the wire, and those that are not.
    pub(crate) fn add_fields(&mut self, fields: &'i Fields, errors: &mut Errors) {
        for (field, member) in fields.iter().zip(fields.members()) {
            let attributes = FieldAttributes::parse(&field.attrs, errors);
            if let Some(skip) = attributes.skip {
                if attributes.rename.is_some() || attributes.offset.is_some() || attributes.with.is_some() {
                    errors.at(skip, "a field with `skip` is not on the wire: remove its other attributes");
                }
                self.skipped.push(Skipped { member, ty: ungrouped(&field.ty) });
            } else {
                self.fields.push(Field::new(field, member, attributes));
            }
        }
    }

    /// The mutable view's name.
    pub(crate) fn view_mut(&self) -> Ident {
        format_ident!("{}Mut", self.view, span = self.view.span())
    }
}

impl<'i> Field<'i> {
    fn new(field: &'i syn::Field, member: Member, attributes: FieldAttributes) -> Self {
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
            with: attributes.with,
        }
    }
}

/// The lints in `#[allow]` and `#[expect]` attributes; `deprecated` where something is.
fn allowed(input: &DeriveInput) -> Vec<TokenStream> {
    let of_fields = |fields: &'_ Fields| fields.iter().flat_map(|field| field.attrs.clone()).collect::<Vec<_>>();
    let inner: Vec<Attribute> = match &input.data {
        Data::Struct(data) => of_fields(&data.fields),
        Data::Enum(data) => data
            .variants
            .iter()
            .flat_map(|variant| [variant.attrs.clone(), of_fields(&variant.fields)].concat())
            .collect(),
        Data::Union(_) => Vec::new(),
    };
    let lints = input.attrs.iter().chain(&inner).filter_map(|attribute| match &attribute.meta {
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
