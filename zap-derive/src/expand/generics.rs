//! Lifetimes, type parameters and bounds of the expanded items.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, GenericArgument, GenericParam, Generics, Ident, Lifetime, PathArguments, Token,
    Type, TypeReference, WherePredicate, parse_quote,
};

use crate::ast::{Record, ungrouped};

/// What every part of the expansion needs to name things.
pub(crate) struct Context {
    /// The dialect's type.
    pub(crate) dialect: TokenStream,
    /// The message's lifetime: `'m`, or another name where the user has taken that.
    pub(crate) message: Lifetime,
    /// An error has been reported. The implementations are then stubs that mention no field's type, and what would
    /// have such a type has this one, which is the error itself, so that rustc says nothing more about it.
    pub(crate) broken: Option<TokenStream>,
    /// Whether the record's own lifetimes stand for `'m` in the view, so that the view has only one. Where there are
    /// type parameters too, their bounds may speak of those lifetimes, and the view keeps them.
    pub(crate) merges_lifetimes: bool,
}

impl Context {
    pub(crate) fn new(record: &Record<'_>, broken: Option<TokenStream>) -> Self {
        let taken = |name: &str| record.generics.lifetimes().any(|parameter| parameter.lifetime.ident == name);
        let message = ["'m", "'message"].into_iter().find(|name| !taken(&name[1..])).unwrap_or("'__message");
        Self {
            dialect: record.attributes.dialect_type(),
            message: Lifetime::new(message, Span::call_site()),
            broken,
            merges_lifetimes: record.generics.type_params().next().is_none(),
        }
    }

    /// `<Type as Slot<Dialect>>`, with errors pointing at the field's type.
    pub(crate) fn slot(&self, ty: &Type) -> TokenStream {
        let (dialect, (start, end)) = (&self.dialect, ends(ty));
        let head = quote_spanned!(start => <#ty as);
        quote_spanned!(end => #head __zap::Slot<#dialect>>)
    }

    /// `<Type as DecodeSlot<'m, Dialect>>`.
    pub(crate) fn decode_slot(&self, ty: &Type) -> TokenStream {
        let (Self { dialect, message, .. }, (start, end)) = (self, ends(ty));
        let head = quote_spanned!(start => <#ty as);
        quote_spanned!(end => #head __zap::DecodeSlot<#message, #dialect>>)
    }

    /// The field's type as the view sees it.
    pub(crate) fn view_type(&self, record: &Record<'_>, ty: &Type) -> Type {
        let mut ty = ty.clone();
        if self.merges_lifetimes {
            PutLifetime(&self.message).visit_type_mut(&mut ty);
        }
        PutRecord(self.record_in_view(record)).visit_type_mut(&mut ty);
        ty
    }

    /// The field's type with `'static` for every lifetime, for constants.
    pub(crate) fn static_type(record: &Record<'_>, ty: &Type) -> Type {
        let mut ty = ty.clone();
        PutLifetime(&Lifetime::new("'static", Span::call_site())).visit_type_mut(&mut ty);
        PutRecord(Self::static_record(record)).visit_type_mut(&mut ty);
        ty
    }

    /// The record with `'static` for every lifetime. Only for records without other parameters.
    pub(crate) fn static_record(record: &Record<'_>) -> Type {
        let ident = record.ident;
        let lifetimes = record.generics.lifetimes().map(|_| quote!('static));
        with_arguments(ident, lifetimes)
    }

    /// The record's generics without defaults, with what its fields need to be slots.
    pub(crate) fn record_generics(&self, record: &Record<'_>) -> Generics {
        let mut generics = without_defaults(record.generics);
        let dialect = &self.dialect;
        self.add_bounds(&mut generics, record, |ty| parse_quote!(#ty: __zap::Slot<#dialect>));
        if record.attributes.growable.is_some() {
            self.add_bounds(&mut generics, record, |ty| parse_quote!(#ty: __zap::GrowableField));
        }
        generics
    }

    /// As [`Context::record_generics`], with the message's lifetime in front and what decoding needs: borrowed fields
    /// live no longer than the message.
    pub(crate) fn decode_generics(&self, record: &Record<'_>) -> Generics {
        let Self { dialect, message, .. } = self;
        let mut generics = self.record_generics(record);
        let decode = |ty: &Type| -> WherePredicate { parse_quote!(#ty: __zap::DecodeSlot<#message, #dialect>) };
        self.add_bounds(&mut generics, record, decode);
        if self.broken.is_some() {
            generics.params.insert(0, parse_quote!(#message));
            return generics;
        }
        for ty in record.bounded().1 {
            if mentions_parameters(record, ty) {
                generics.make_where_clause().predicates.push(parse_quote!(#ty: __zap::SkippedField));
            }
        }
        let mut lifetimes = CollectLifetimes::default();
        for ty in record.bounded().0 {
            lifetimes.visit_type_mut(&mut ty.clone());
            if may_only_encode(ty) && !mentions_parameters(record, ty) {
                generics.make_where_clause().predicates.push(decode(ty));
            }
        }
        let bounds: Punctuated<Lifetime, Token![+]> = lifetimes.0.into_iter().collect();
        generics
            .params
            .insert(0, if bounds.is_empty() { parse_quote!(#message) } else { parse_quote!(#message: #bounds) });
        generics
    }

    /// The generics of the view's own implementations.
    pub(crate) fn view_generics(&self, record: &Record<'_>) -> Generics {
        let mut generics = self.record_generics(record);
        if self.merges_lifetimes {
            generics.params = without_lifetimes(&generics);
            if let Some(clause) = &mut generics.where_clause {
                PutLifetime(&self.message).visit_where_clause_mut(clause);
            }
        }
        if let Some(clause) = &mut generics.where_clause {
            PutRecord(self.record_in_view(record)).visit_where_clause_mut(clause);
        }
        let message = &self.message;
        generics.params.insert(0, parse_quote!(#message));
        generics
    }

    /// `View<'m, ...>` as the record names it.
    pub(crate) fn view_path(&self, record: &Record<'_>) -> TokenStream {
        if !record.has_view {
            let message = &self.message;
            return quote!(__zap::variant::SectionView<#message, Self>);
        }
        self.path(record, &record.view)
    }

    /// `ViewMut<'m, ...>` as the record names it.
    pub(crate) fn view_mut_path(&self, record: &Record<'_>) -> TokenStream {
        self.path(record, &record.view_mut())
    }

    fn path(&self, record: &Record<'_>, view: &Ident) -> TokenStream {
        let message = &self.message;
        let kept = record
            .generics
            .params
            .iter()
            .filter(|parameter| !(self.merges_lifetimes && matches!(parameter, GenericParam::Lifetime(_))));
        let arguments = kept.map(argument);
        quote!(#view<#message #(, #arguments)*>)
    }

    /// The record as the view names it.
    pub(crate) fn record_in_view(&self, record: &Record<'_>) -> Type {
        let (ident, message) = (record.ident, &self.message);
        let arguments = record.generics.params.iter().map(|parameter| match parameter {
            GenericParam::Lifetime(_) if self.merges_lifetimes => quote!(#message),
            _ => argument(parameter),
        });
        with_arguments(ident, arguments)
    }

    /// Bounds for the fields whose types speak of type parameters. Not for those that speak of the record itself: the
    /// bound would be needed to prove itself.
    fn add_bounds(&self, generics: &mut Generics, record: &Record<'_>, bound: impl Fn(&Type) -> WherePredicate) {
        if self.broken.is_some() {
            return;
        }
        for ty in record.bounded().0 {
            if mentions_parameters(record, ty) {
                generics.make_where_clause().predicates.push(bound(ty));
            }
        }
    }
}

/// The first and last token of a type: errors underline what lies between.
pub(crate) fn ends(ty: &Type) -> (Span, Span) {
    token_ends(ty)
}

/// As [`ends`], of anything.
pub(crate) fn token_ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let start = spans.next().unwrap_or_else(Span::call_site);
    (start, spans.last().unwrap_or(start))
}

const SCALARS: [&str; 14] =
    ["bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "u128", "i128", "f32", "f64", "char"];

fn is_one_of(ty: &Type, names: &[&str]) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if names.iter().any(|name| path.path.is_ident(name)))
}

/// Whether the type's spelling shows that nothing can be wrong with its layout. Only spares the compiler some work.
pub(crate) fn is_known(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Reference(reference) => match ungrouped(&reference.elem) {
            Type::Slice(slice) => is_known(&slice.elem),
            element => is_known(element),
        },
        ty => is_one_of(ty, &SCALARS) || is_one_of(ty, &["str", "String"]),
    }
}

/// Whether a type's spelling says that it is a scalar, text or bytes: nothing that holds further fields or elements.
/// Only a guess, on which nothing but inlining depends.
pub(crate) fn is_flat(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Reference(reference) => match ungrouped(&reference.elem) {
            Type::Slice(slice) => is_one_of(&slice.elem, &["u8"]),
            _ => true,
        },
        Type::Array(array) => is_one_of(&array.elem, &["u8"]),
        ty if is_one_of(ty, &SCALARS) => true,
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| {
            let is_bytes = |argument: &GenericArgument| match argument {
                GenericArgument::Type(element) => is_one_of(element, &["u8"]),
                _ => false,
            };
            let is_text_or_bytes = |argument: &GenericArgument| match argument {
                GenericArgument::Type(Type::Slice(slice)) => is_one_of(&slice.elem, &["u8"]),
                GenericArgument::Type(element) => is_one_of(element, &["str"]),
                _ => false,
            };
            match segment.ident.to_string().as_str() {
                "String" | "Cow" | "Bytes" => true,
                "Box" => match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) => arguments.args.iter().all(is_text_or_bytes),
                    _ => false,
                },
                "Vec" => match &segment.arguments {
                    PathArguments::AngleBracketed(arguments) => arguments.args.iter().all(is_bytes),
                    _ => false,
                },
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Whether the type speaks of the record's type parameters, and not of the record itself.
pub(crate) fn mentions_parameters(record: &Record<'_>, ty: &Type) -> bool {
    let parameters: Vec<_> = record.generics.type_params().map(|parameter| &parameter.ident).collect();
    mentions(ty, &parameters) && !mentions_record(record, ty)
}

pub(crate) fn mentions_record(record: &Record<'_>, ty: &Type) -> bool {
    mentions(ty, &[record.ident, record.variant_of.unwrap_or(record.ident), &Ident::new("Self", Span::call_site())])
}

/// Whether the type may be one that can be encoded but not decoded: one with a borrowed list anywhere in it, or a record
/// that may hold one. That it can be decoded is then a bound, so that the error appears where somebody decodes, not
/// where they derive. Not for records in lists, so that records that hold each other do not need each other's bounds to
/// prove their own.
fn may_only_encode(ty: &Type) -> bool {
    has_borrowed_list(ty)
        || matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) => {
                args.iter().all(|argument| matches!(argument, GenericArgument::Lifetime(_)))
            }
            _ => false,
        }))
}

/// Whether a `&[T]` other than `&[u8]` is anywhere in the type, also where a macro wraps it in an invisible group.
fn has_borrowed_list(ty: &Type) -> bool {
    struct Search(bool);
    impl VisitMut for Search {
        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            if let Type::Slice(slice) = ungrouped(&reference.elem) {
                self.0 |= !matches!(ungrouped(&slice.elem), Type::Path(path) if path.path.is_ident("u8"));
            }
            visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut search = Search(false);
    search.visit_type_mut(&mut ty.clone());
    search.0
}

pub(crate) fn with_arguments(ident: &Ident, arguments: impl Iterator<Item = TokenStream>) -> Type {
    let arguments: Vec<_> = arguments.collect();
    if arguments.is_empty() { parse_quote!(#ident) } else { parse_quote!(#ident<#(#arguments),*>) }
}

pub(crate) fn without_defaults(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => {
                parameter.eq_token = None;
                parameter.default = None;
            }
            GenericParam::Const(parameter) => {
                parameter.eq_token = None;
                parameter.default = None;
            }
            GenericParam::Lifetime(_) => {}
        }
    }
    generics
}

fn without_lifetimes(generics: &Generics) -> Punctuated<GenericParam, Token![,]> {
    let kept = generics.params.iter().filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)));
    kept.cloned().collect()
}

/// A parameter as an argument.
pub(crate) fn argument(parameter: &GenericParam) -> TokenStream {
    match parameter {
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            quote!(#lifetime)
        }
        GenericParam::Type(parameter) => {
            let ident = &parameter.ident;
            quote!(#ident)
        }
        GenericParam::Const(parameter) => {
            let ident = &parameter.ident;
            quote!(#ident)
        }
    }
}

/// Puts one lifetime for every other but `'static`.
struct PutLifetime<'i>(&'i Lifetime);

impl VisitMut for PutLifetime<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = self.0.clone();
        }
    }
}

/// Puts the record's name for `Self`, which is the view in the view's own implementations.
pub(crate) struct PutRecord(pub(crate) Type);

impl VisitMut for PutRecord {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self") => *ty = self.0.clone(),
            Type::Path(path)
                if path.qself.is_none() && path.path.segments.first().is_some_and(|first| first.ident == "Self") =>
            {
                let record = &self.0;
                let rest = path.path.segments.iter().skip(1);
                *ty = parse_quote!(<#record>::#(#rest)::*);
            }
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut syn::Expr) {
        match expression {
            syn::Expr::Path(path) if path.path.segments.first().is_some_and(|first| first.ident == "Self") => {
                let record = &self.0;
                let rest = path.path.segments.iter().skip(1);
                *expression = parse_quote!(<#record>::#(#rest)::*);
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// Gathers the lifetimes of a type, `'static` among them.
#[derive(Default)]
struct CollectLifetimes(Vec<Lifetime>);

impl VisitMut for CollectLifetimes {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if !self.0.contains(lifetime) {
            self.0.push(lifetime.clone());
        }
    }
}

/// Whether a type's spelling contains one of these names.
fn mentions(ty: &Type, names: &[&Ident]) -> bool {
    struct Search<'i> {
        names: &'i [&'i Ident],
        found: bool,
    }
    impl VisitMut for Search<'_> {
        fn visit_ident_mut(&mut self, ident: &mut Ident) {
            self.found |= self.names.contains(&&*ident);
        }
    }
    let mut search = Search { names, found: false };
    visit_mut::visit_type_mut(&mut search, &mut ty.clone());
    search.found
}
