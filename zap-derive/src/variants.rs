//! Our model of the enum under the derive: its variants, their numbers and what is wrong with them.

use proc_macro2::Span;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Data, DataEnum, DataStruct, DeriveInput, Expr, ExprLit, ExprUnary, Field, Fields, Ident, Lit, Path,
    Type, UnOp, parse_quote,
};

use crate::ast::{Record, ungrouped};
use crate::attr::{Dialect, Errors, FieldAttributes, Tag, VariantAttributes, repr};
use crate::expand::generics::{PutRecord, argument, with_arguments};
use crate::valid;

/// The variants of an enum.
pub(crate) struct Enumeration<'i> {
    pub(crate) variants: Vec<Variant<'i>>,
    /// The variant that keeps any number no other has.
    pub(crate) other: Option<Variant<'i>>,
    /// The integer on the wire.
    pub(crate) number: Ident,
    /// Whether some variant has fields.
    pub(crate) has_data: bool,
}

/// One variant.
pub(crate) struct Variant<'i> {
    pub(crate) ident: &'i Ident,
    /// The name in layouts and errors.
    pub(crate) name: String,
    name_span: Span,
    /// The user's own documentation.
    pub(crate) docs: Vec<&'i Attribute>,
    pub(crate) fields: &'i Fields,
    /// The expression after `=`.
    pub(crate) discriminant: Option<&'i Expr>,
    /// Of an enum with data: the number on the wire.
    pub(crate) tag: u32,
    explicit: Option<Tag>,
    other: Option<Span>,
}

impl<'i> Enumeration<'i> {
    /// Reads the variants. What is wrong with them is pushed to `errors`.
    pub(crate) fn parse(input: &'i DeriveInput, data: &'i DataEnum, record: &Record<'i>, errors: &mut Errors) -> Self {
        let variants = data.variants.iter().enumerate();
        let mut variants: Vec<_> =
            variants.map(|(position, variant)| Variant::parse(position, variant, errors)).collect();
        let has_data = variants.iter().any(|variant| variant.other.is_none() && !variant.fields.is_empty());
        let (number, _) = if has_data { ("u32", None) } else { repr(&input.attrs, errors) };

        check_names(&variants, errors);
        check_other(&variants, number, has_data, errors);
        if has_data {
            check_tags(&variants, errors);
        } else {
            check_discriminants(&variants, number, errors);
        }
        let is_on_the_wire = |fields: &Fields| {
            fields.iter().any(|field| FieldAttributes::parse(&field.attrs, &mut Errors::default()).skip.is_none())
        };
        if has_data && !variants.iter().any(|variant| variant.other.is_none() && is_on_the_wire(variant.fields)) {
            errors.at(input.ident.span(), "no variant has a field on the wire: remove the skipped fields");
        }
        let other = variants.pop_if(|last| last.other.is_some());
        if variants.is_empty() {
            errors.at(data.enum_token.span(), "an enum on the wire has at least one variant with a number of its own");
        }
        if !has_data && !input.generics.params.is_empty() {
            errors.push(syn::Error::new_spanned(&input.generics, "an enum without data cannot be generic on the wire"));
        }
        if let (Some(key), Some(Dialect::Zapgen | Dialect::Zip)) =
            (record.attributes.dialect_key, record.attributes.dialect)
        {
            let message = if has_data {
                "enums with data are native: the other dialects have no tag and pointer, so use a struct of options there"
            } else {
                "an enum without data is its integer in every dialect: remove `dialect`"
            };
            errors.at(key, message);
        }
        Self { variants, other, number: Ident::new(number, Span::call_site()), has_data }
    }
}

impl<'i> Variant<'i> {
    fn parse(position: usize, variant: &'i syn::Variant, errors: &mut Errors) -> Self {
        let attributes = VariantAttributes::parse(&variant.attrs, errors);
        let (name, name_span) = match &attributes.rename {
            Some(name) => (name.value(), name.span()),
            None => (variant.ident.unraw().to_string(), variant.ident.span()),
        };
        Self {
            ident: &variant.ident,
            name,
            name_span,
            docs: variant.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
            fields: &variant.fields,
            discriminant: variant.discriminant.as_ref().map(|(_, expression)| expression),
            tag: attributes.tag.map_or(position as u32, |tag| tag.number),
            explicit: attributes.tag,
            other: attributes.other,
        }
    }
}

/// The fields of each variant as a struct of its own, with the enum's generics. Its name is not one that a user's
/// field could mean.
pub(crate) fn sections(input: &DeriveInput, krate: &Path) -> Vec<DeriveInput> {
    let Data::Enum(data) = &input.data else {
        return Vec::new();
    };
    let owner = with_arguments(&input.ident, input.generics.params.iter().map(argument));
    let sections = data.variants.iter().map(|variant| {
        let mut fields = variant.fields.clone();
        add_marker(&mut fields, input, krate);
        for field in &mut fields {
            field.vis = input.vis.clone();
            PutRecord(owner.clone()).visit_type_mut(&mut field.ty);
        }
        let mut generics = input.generics.clone();
        if let Some(clause) = &mut generics.where_clause {
            PutRecord(owner.clone()).visit_where_clause_mut(clause);
        }
        let span = variant.ident.span();
        DeriveInput {
            attrs: Vec::new(),
            // As its fields, and so its view.
            vis: input.vis.clone(),
            ident: format_ident!("__{}{}", input.ident.unraw(), variant.ident.unraw(), span = span),
            generics,
            data: Data::Struct(DataStruct { struct_token: Default::default(), fields, semi_token: None }),
        }
    });
    sections.collect()
}

/// A struct must use each of its parameters.
fn add_marker(fields: &mut Fields, input: &DeriveInput, krate: &Path) {
    if input.generics.params.is_empty() {
        return;
    }
    let lifetimes = input.generics.lifetimes().map(|parameter| &parameter.lifetime);
    let types = input.generics.type_params().map(|parameter| &parameter.ident);
    let marker: Type = parse_quote!(#krate::__private::PhantomData<fn() -> (#(&#lifetimes (),)* #(#krate::__private::PhantomData<#types>,)*)>);
    let mut field: Field = parse_quote!(#[zap(skip)] __marker: #marker);
    match fields {
        Fields::Named(fields) => fields.named.push(field),
        Fields::Unnamed(fields) => {
            field.ident = None;
            field.colon_token = None;
            fields.unnamed.push(field);
        }
        // It has no section.
        Fields::Unit => {}
    }
}

/// The record of one of [`sections`].
pub(crate) fn section_record<'i>(
    owner: &Record<'i>,
    variant: &syn::Variant,
    section: &'i DeriveInput,
    errors: &mut Errors,
) -> Record<'i> {
    let mut record = Record::parse(section, errors);
    let name = VariantAttributes::parse(&variant.attrs, &mut Errors::default()).rename;
    let name = name.map_or_else(|| variant.ident.unraw().to_string(), |name| name.value());
    record.name = format!("{}::{name}", owner.name);
    record.view = format_ident!("{}{}View", owner.ident.unraw(), variant.ident.unraw(), span = variant.ident.span());
    record.attributes.krate = owner.attributes.krate.clone();
    record.allowed = owner.allowed.clone();
    record.variant_of = Some(owner.ident);
    for offset in record.fields.iter_mut().filter_map(|field| field.offset.take()) {
        errors.at(offset.key, "the fields of a variant follow each other: remove `offset`");
    }
    valid::check(&record, errors);
    record
}

/// Gives each section the bounds of all.
pub(crate) fn share_bounds(sections: &mut [Record<'_>]) {
    let (wire, skipped): (Vec<_>, Vec<_>) = sections.iter().map(Record::bounded).unzip();
    let all = (wire.concat(), skipped.concat());
    for section in sections.iter_mut().filter(|section| !section.generics.params.is_empty()) {
        section.beside = all.clone();
    }
}

fn check_names(variants: &[Variant<'_>], errors: &mut Errors) {
    let mut names = Vec::new();
    for variant in variants {
        if names.contains(&&variant.name) {
            let message = format!("two variants are called `{}`: give one another #[zap(rename)]", variant.name);
            errors.at(variant.name_span, message);
        }
        names.push(&variant.name);
    }
}

/// The variant marked `other` stands last and has the number as its only field.
fn check_other(variants: &[Variant<'_>], number: &str, has_data: bool, errors: &mut Errors) {
    let Some((index, variant, key)) =
        variants.iter().enumerate().find_map(|(index, variant)| Some((index, variant, variant.other?)))
    else {
        return;
    };
    if index + 1 < variants.len() {
        errors.at(key, "the variant marked `other` stands last, and there is one at most");
    }
    if let Some(tag) = variant.explicit {
        errors.at(tag.key, "the variant marked `other` has any number: remove `tag`");
    }
    if let Some(discriminant) = variant.discriminant {
        errors.push(syn::Error::new_spanned(
            discriminant,
            "the variant marked `other` has any number: remove the discriminant",
        ));
    }
    let reason = if has_data { "the type of a tag" } else { "the `repr` of the enum" };
    match variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
            for field in &fields.unnamed {
                if !matches!(ungrouped(&field.ty), Type::Path(path) if path.path.is_ident(number)) {
                    let message = format!("the variant marked `other` keeps a `{number}`, {reason}");
                    errors.push(syn::Error::new_spanned(&field.ty, message));
                }
            }
        }
        _ => errors.at(
            variant.ident.span(),
            format!("the variant marked `other` keeps the number: write `{}({number})`", variant.ident),
        ),
    }
}

/// Of an enum with data: tags, and no discriminants.
fn check_tags(variants: &[Variant<'_>], errors: &mut Errors) {
    let variants = variants.iter().filter(|variant| variant.other.is_none());
    let mut before: Vec<&Variant<'_>> = Vec::new();
    for variant in variants {
        if let Some(discriminant) = variant.discriminant {
            errors.push(syn::Error::new_spanned(
                discriminant,
                "the number of a variant of an enum with data is its tag: write #[zap(tag = N)] on the variant",
            ));
        }
        let same = before.iter().find(|other| other.tag == variant.tag);
        if let Some(other) = same
            && let Some(tag) = variant.explicit.or(other.explicit)
        {
            let (first, second) = (&other.name, &variant.name);
            errors.at(tag.span, format!("the variants `{first}` and `{second}` have the same tag {}", variant.tag));
        }
        before.push(variant);
    }
}

/// Of an enum without data: discriminants that fit, and no tags.
fn check_discriminants(variants: &[Variant<'_>], number: &str, errors: &mut Errors) {
    let max = match number {
        "u8" => u128::from(u8::MAX),
        "u16" => u128::from(u16::MAX),
        _ => u128::from(u32::MAX),
    };
    for variant in variants.iter().filter(|variant| variant.other.is_none()) {
        if let Some(tag) = variant.explicit {
            errors.at(tag.key, "the number of a variant without data is its discriminant: write `= N` behind its name");
        }
        let Some(discriminant) = variant.discriminant else {
            continue;
        };
        let is_wrong = match literal(discriminant) {
            Some((_, true)) => true,
            Some((value, false)) => value > max,
            // What only the compiler can tell is left to it.
            None => false,
        };
        if is_wrong {
            errors.push(syn::Error::new_spanned(
                discriminant,
                format!("the discriminant of a variant is a `{number}`, 0 to {max}: choose another or a wider #[repr]"),
            ));
        }
    }
}

/// The value of an integer literal, and whether it is negative.
fn literal(expression: &Expr) -> Option<(u128, bool)> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => Some((literal.base10_parse().ok()?, false)),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => {
            literal(expr).map(|(value, is_negative)| (value, !is_negative && value > 0))
        }
        Expr::Paren(paren) => literal(&paren.expr),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// Whether the discriminant is a literal, which has been checked.
pub(crate) fn is_literal(expression: &Expr) -> bool {
    literal(expression).is_some()
}
