//! Lifetimes, type parameters and bounds of the expanded items.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Generics, Ident, Lifetime, Path, Token, Type, TypeReference, WherePredicate, parse_quote};

use crate::ast::{Field, Record, ungrouped};
use crate::attr::Dialect;

/// What every part of the expansion needs to name things.
pub(crate) struct Context<'i> {
    pub(crate) krate: &'i Path,
    /// The dialect's type.
    pub(crate) dialect: TokenStream,
    /// The message's lifetime: `'m`, or another name where the user has taken that.
    pub(crate) message: Lifetime,
    /// The view's name.
    pub(crate) view: Ident,
    /// Whether the record's own lifetimes stand for `'m` in the view, so that the view has only one. Where there are
    /// type parameters too, their bounds may speak of those lifetimes, and the view keeps them.
    pub(crate) merges_lifetimes: bool,
    type_parameters: Vec<&'i Ident>,
    record: &'i Ident,
}

impl<'i> Context<'i> {
    pub(crate) fn new(record: &'i Record<'_>) -> Self {
        let krate = &record.attributes.krate;
        let dialect = match record.attributes.dialect {
            Dialect::Native => quote!(#krate::Native),
            Dialect::Zapgen => quote!(#krate::Zapgen),
            Dialect::Zip => quote!(#krate::Zip),
        };
        let taken = record.generics.lifetimes().any(|parameter| parameter.lifetime.ident == "m");
        let message = Lifetime::new(if taken { "'__m" } else { "'m" }, Span::call_site());
        let type_parameters: Vec<_> = record.generics.type_params().map(|parameter| &parameter.ident).collect();
        Self {
            krate,
            dialect,
            message,
            view: Ident::new(&format!("{}View", syn::ext::IdentExt::unraw(record.ident)), record.ident.span()),
            merges_lifetimes: type_parameters.is_empty(),
            type_parameters,
            record: record.ident,
        }
    }

    /// `<Type as Slot<Dialect>>`, with errors pointing at the field's type.
    pub(crate) fn slot(&self, ty: &Type) -> TokenStream {
        let Self { krate, dialect, .. } = self;
        quote_spanned!(call_site_at(ty) => <#ty as #krate::Slot<#dialect>>)
    }

    /// `<Type as DecodeSlot<'m, Dialect>>`.
    pub(crate) fn decode_slot(&self, ty: &Type) -> TokenStream {
        let Self { krate, dialect, message, .. } = self;
        quote_spanned!(call_site_at(ty) => <#ty as #krate::DecodeSlot<#message, #dialect>>)
    }

    /// The field's type as the view sees it.
    pub(crate) fn view_type(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        if self.merges_lifetimes {
            MergeLifetimes(&self.message).visit_type_mut(&mut ty);
        }
        ty
    }

    /// The record's generics without defaults, with what its fields need to be slots.
    pub(crate) fn record_generics(&self, record: &Record<'_>) -> Generics {
        let mut generics = without_defaults(record.generics);
        self.add_bounds(&mut generics, record, |context, ty| {
            let Self { krate, dialect, .. } = context;
            parse_quote!(#ty: #krate::Slot<#dialect>)
        });
        generics
    }

    /// As [`Context::record_generics`], with the message's lifetime in front and what decoding needs: borrowed fields
    /// live no longer than the message.
    pub(crate) fn decode_generics(&self, record: &Record<'_>) -> Generics {
        let mut generics = self.record_generics(record);
        let mut lifetimes = CollectLifetimes::default();
        for field in &record.fields {
            lifetimes.visit_type_mut(&mut field.ty.clone());
        }
        let message = &self.message;
        let bounds: Punctuated<Lifetime, Token![+]> = lifetimes.0.into_iter().collect();
        generics.params.insert(0, parse_quote!(#message: #bounds));
        let decode = |context: &Self, ty: &Type| -> WherePredicate {
            let Self { krate, dialect, message, .. } = context;
            parse_quote!(#ty: #krate::DecodeSlot<#message, #dialect>)
        };
        self.add_bounds(&mut generics, record, decode);
        // A borrowed list cannot be decoded. As a bound, that is said where somebody decodes, not where they derive.
        for field in record.fields.iter().filter(|field| has_borrowed_list(field.ty)) {
            generics.make_where_clause().predicates.push(decode(self, field.ty));
        }
        generics
    }

    /// The generics of the view's own implementations.
    pub(crate) fn view_generics(&self, record: &Record<'_>) -> Generics {
        let mut generics = self.record_generics(record);
        if self.merges_lifetimes {
            generics.params = without_lifetimes(&generics);
            if let Some(clause) = &mut generics.where_clause {
                MergeLifetimes(&self.message).visit_where_clause_mut(clause);
            }
        }
        let message = &self.message;
        generics.params.insert(0, parse_quote!(#message));
        generics
    }

    /// `View<'m, ...>` as the record names it.
    pub(crate) fn view_path(&self, record: &Record<'_>) -> TokenStream {
        let Self { view, message, .. } = self;
        let mut generics = record.generics.clone();
        if self.merges_lifetimes {
            generics.params = without_lifetimes(&generics);
        }
        let arguments = arguments(&generics);
        quote!(#view<#message, #arguments>)
    }

    /// The record as the view names it.
    pub(crate) fn record_in_view(&self, record: &Record<'_>) -> TokenStream {
        let ident = record.ident;
        let message = &self.message;
        let arguments = record.generics.params.iter().map(|parameter| match parameter {
            GenericParam::Lifetime(_) if self.merges_lifetimes => quote!(#message),
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
        });
        quote!(#ident<#(#arguments),*>)
    }

    /// Bounds for the fields whose types speak of type parameters. Not for those that speak of the record itself: the
    /// bound would be needed to prove itself.
    fn add_bounds(&self, generics: &mut Generics, record: &Record<'_>, bound: impl Fn(&Self, &Type) -> WherePredicate) {
        for Field { ty, .. } in &record.fields {
            if mentions(ty, &self.type_parameters) && !mentions(ty, &[self.record]) {
                let predicate = bound(self, ty);
                generics.make_where_clause().predicates.push(predicate);
            }
        }
    }
}

/// The place of a type, with names resolved where the derive stands.
fn call_site_at(ty: &Type) -> Span {
    ty.span().resolved_at(Span::call_site())
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

fn without_defaults(generics: &Generics) -> Generics {
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

/// The parameters as arguments, each followed by a comma.
pub(crate) fn arguments(generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|parameter| match parameter {
        GenericParam::Lifetime(parameter) => {
            let lifetime = &parameter.lifetime;
            quote!(#lifetime,)
        }
        GenericParam::Type(parameter) => {
            let ident = &parameter.ident;
            quote!(#ident,)
        }
        GenericParam::Const(parameter) => {
            let ident = &parameter.ident;
            quote!(#ident,)
        }
    });
    arguments.collect()
}

/// Puts the message's lifetime for every other.
struct MergeLifetimes<'i>(&'i Lifetime);

impl VisitMut for MergeLifetimes<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        *lifetime = self.0.clone();
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
