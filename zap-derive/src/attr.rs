//! The `#[zap(...)]` attributes of a struct or enum, of a field and of a variant; and `#[repr]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, LitInt, LitStr, Path};

/// Whose bytes the record equals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Native,
    Zapgen,
    Zip,
}

impl Dialect {
    fn parse(literal: &LitStr) -> syn::Result<Self> {
        match literal.value().as_str() {
            "native" => Ok(Self::Native),
            "zapgen" => Ok(Self::Zapgen),
            "zip" => Ok(Self::Zip),
            other => Err(syn::Error::new(
                literal.span(),
                format!("there is no dialect `{other}`: use \"native\", \"zapgen\" or \"zip\""),
            )),
        }
    }
}

/// What stands on the struct or enum.
pub(crate) struct RecordAttributes {
    /// `None` if it is wrong: then nothing can be said of the fields.
    pub(crate) dialect: Option<Dialect>,
    pub(crate) version: u16,
    pub(crate) rename: Option<String>,
    pub(crate) pin: Option<LitStr>,
    pub(crate) krate: Path,
    /// The word `dialect`, where it stands.
    pub(crate) dialect_key: Option<Span>,
    /// The word `transparent`: on the wire the record is its only field.
    pub(crate) transparent: Option<Span>,
    /// The word `growable`: fields may be appended.
    pub(crate) growable: Option<Span>,
}

/// What stands on a field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) rename: Option<LitStr>,
    pub(crate) offset: Option<Offset>,
    /// The word `skip`: not on the wire.
    pub(crate) skip: Option<Span>,
    /// The module of the user's conversions.
    pub(crate) with: Option<Path>,
}

/// What stands on a variant.
#[derive(Default)]
pub(crate) struct VariantAttributes {
    pub(crate) rename: Option<LitStr>,
    pub(crate) tag: Option<Tag>,
    /// The word `other`: keeps any number that no variant has.
    pub(crate) other: Option<Span>,
}

/// An explicit tag.
#[derive(Clone, Copy)]
pub(crate) struct Tag {
    pub(crate) number: u32,
    pub(crate) span: Span,
    /// The word `tag`.
    pub(crate) key: Span,
}

/// An explicit offset.
#[derive(Clone, Copy)]
pub(crate) struct Offset {
    pub(crate) bytes: u32,
    /// The number, where what is wrong with it shows.
    pub(crate) span: Span,
    /// The word `offset`.
    pub(crate) key: Span,
}

/// Collects errors instead of stopping at the first.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.extend(error);
    }

    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// The first error as a `compile_error!`, which may stand where a type is expected, and the others as items.
    pub(crate) fn into_tokens(self) -> (Option<TokenStream>, TokenStream) {
        let mut errors = self.0.iter().map(syn::Error::to_compile_error);
        (errors.next(), errors.collect())
    }
}

/// Reads the `#[zap(...)]` attributes of one struct or field. Each key may stand once.
fn parse_zap(
    attributes: &[Attribute],
    errors: &mut Errors,
    mut entry: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    let mut seen = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("zap")) {
        if let syn::Meta::List(_) = attribute.meta {
            let parsed = attribute.parse_nested_meta(|meta| {
                let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                if seen.contains(&key) {
                    return Err(syn::Error::new(meta.path.span(), format!("`{key}` is given twice: keep one")));
                }
                entry(&key, &meta)?;
                seen.push(key);
                Ok(())
            });
            if let Err(error) = parsed {
                errors.push(error);
            }
        } else {
            errors.at(attribute.meta.span(), "write the attribute as #[zap(key = value)]");
        }
    }
}

/// The error that `key` is not known here.
fn unknown(meta: &ParseNestedMeta<'_>, known: &str) -> syn::Error {
    let key = meta.path.to_token_stream().to_string().replace(' ', "");
    syn::Error::new(meta.path.span(), format!("there is no attribute `{key}` here: {known}"))
}

/// The text after `key =`.
fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    value(meta, "a text in quotes")
}

/// The literal after `key =`.
fn value<T: syn::parse::Parse>(meta: &ParseNestedMeta<'_>, kind: &str) -> syn::Result<T> {
    let key = meta.path.to_token_stream().to_string();
    if !meta.input.peek(syn::Token![=]) {
        return Err(syn::Error::new(meta.path.span(), format!("`{key}` takes {kind}: write `{key} = ...`")));
    }
    let input = meta.value()?;
    let token = input.cursor().span();
    input.parse().map_err(|_| syn::Error::new(token, format!("`{key}` takes {kind}")))
}

/// A key that stands alone.
fn flag(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<Span>> {
    if meta.input.is_empty() || meta.input.peek(syn::Token![,]) {
        return Ok(Some(meta.path.span()));
    }
    let key = meta.path.to_token_stream().to_string();
    Err(syn::Error::new(meta.path.span(), format!("`{key}` takes no value: write it alone")))
}

fn path(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Path> {
    let key = meta.path.to_token_stream().to_string();
    let literal = text(meta)?;
    // Located where the user wrote it, and still the expansion's, so that no lint of the user's finds fault with it.
    LitStr::new(&literal.value(), Span::call_site().located_at(literal.span()))
        .parse_with(Path::parse_mod_style)
        .map_err(|_| syn::Error::new(literal.span(), format!("`{key}` takes the path of {example}")))
}

fn name(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let literal = text(meta)?;
    if literal.value().is_empty() {
        return Err(syn::Error::new(literal.span(), "a name may not be empty"));
    }
    Ok(literal)
}

impl RecordAttributes {
    pub(crate) fn parse(attributes: &[Attribute], is_enum: bool, errors: &mut Errors) -> Self {
        let mut parsed = Self {
            dialect: Some(Dialect::Native),
            version: 1,
            rename: None,
            pin: None,
            krate: syn::parse_quote!(::zap_core),
            dialect_key: None,
            transparent: None,
            growable: None,
        };
        parse_zap(attributes, errors, |key, meta| {
            match key {
                "dialect" => {
                    // Until it is understood.
                    parsed.dialect = None;
                    parsed.dialect_key = Some(meta.path.span());
                    parsed.dialect = Some(Dialect::parse(&text(meta)?)?);
                }
                "version" => {
                    let literal: LitInt = value(meta, "a number")?;
                    parsed.version = match literal.base10_parse() {
                        Ok(version @ (1 | 2)) => version,
                        _ => return Err(syn::Error::new(literal.span(), "the wire has the versions 1 and 2")),
                    };
                }
                "rename" => parsed.rename = Some(name(meta)?.value()),
                "pin" if !is_enum => parsed.pin = Some(text(meta)?),
                "crate" => parsed.krate = path(meta, "zap-core, such as \"::my_crate::zap_core\"")?,
                "transparent" | "growable" | "pin" if is_enum => {
                    return Err(syn::Error::new(
                        meta.path.span(),
                        format!("`{key}` stands on a struct, not on an enum"),
                    ));
                }
                "transparent" => parsed.transparent = flag(meta)?,
                "growable" => parsed.growable = flag(meta)?,
                "offset" | "skip" | "with" => {
                    let owner = if is_enum { "enum" } else { "struct" };
                    let message = format!("`{key}` stands on a field, not on the {owner}");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                "tag" | "other" => {
                    let message = format!("`{key}` stands on a variant of an enum");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                _ if is_enum => return Err(unknown(meta, "an enum takes `dialect`, `version`, `rename` and `crate`")),
                _ => {
                    let known =
                        "a struct takes `dialect`, `version`, `rename`, `pin`, `crate`, `transparent` and `growable`";
                    return Err(unknown(meta, known));
                }
            }
            Ok(())
        });
        parsed
    }

    /// The dialect's type in `zap_core`.
    pub(crate) fn dialect_type(&self) -> TokenStream {
        match self.dialect {
            None | Some(Dialect::Native) => quote!(__zap::Native),
            Some(Dialect::Zapgen) => quote!(__zap::Zapgen),
            Some(Dialect::Zip) => quote!(__zap::Zip),
        }
    }
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut parsed = Self::default();
        parse_zap(attributes, errors, |key, meta| {
            match key {
                "rename" => parsed.rename = Some(name(meta)?),
                "offset" => {
                    let literal: LitInt = value(meta, "a number of bytes")?;
                    let bytes = literal.base10_parse::<u32>().ok().filter(|bytes| *bytes <= i32::MAX as u32);
                    let Some(bytes) = bytes else {
                        return Err(syn::Error::new(literal.span(), "an offset is at most 2147483647 bytes"));
                    };
                    parsed.offset = Some(Offset { bytes, span: literal.span(), key: meta.path.span() });
                }
                "skip" => parsed.skip = flag(meta)?,
                "with" => parsed.with = Some(path(meta, "a module with `Wire`, `to_wire` and `from_wire`")?),
                "dialect" | "version" | "crate" | "transparent" | "growable" => {
                    let message = format!("`{key}` stands on the struct, not on a field");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                "tag" | "other" => {
                    let message = format!("`{key}` stands on a variant of an enum, not on a field");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                _ => return Err(unknown(meta, "a field takes `rename`, `offset`, `skip` and `with`")),
            }
            Ok(())
        });
        parsed
    }
}

impl VariantAttributes {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut parsed = Self::default();
        parse_zap(attributes, errors, |key, meta| {
            match key {
                "rename" => parsed.rename = Some(name(meta)?),
                "tag" => {
                    let literal: LitInt = value(meta, "a number")?;
                    let Ok(number) = literal.base10_parse() else {
                        return Err(syn::Error::new(literal.span(), "a tag is at most 4294967295"));
                    };
                    parsed.tag = Some(Tag { number, span: literal.span(), key: meta.path.span() });
                }
                "other" => parsed.other = flag(meta)?,
                "dialect" | "version" | "crate" | "transparent" | "growable" => {
                    let message = format!("`{key}` does not stand on a variant");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                "offset" | "skip" | "with" => {
                    let message = format!("`{key}` stands on a field, not on a variant");
                    return Err(syn::Error::new(meta.path.span(), message));
                }
                _ => return Err(unknown(meta, "a variant takes `rename`, `tag` and `other`")),
            }
            Ok(())
        });
        parsed
    }
}

/// The integer of `#[repr]`, and its span: `u32` where none is stated.
pub(crate) fn repr(attributes: &[Attribute], errors: &mut Errors) -> (&'static str, Option<Span>) {
    let mut parsed = ("u32", None);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // What cannot be parsed is the compiler's to say.
        let _ = attribute.parse_nested_meta(|meta| {
            let word = meta.path.to_token_stream().to_string();
            let span = meta.path.span();
            match word.as_str() {
                "u8" => parsed = ("u8", Some(span)),
                "u16" => parsed = ("u16", Some(span)),
                "u32" => parsed = ("u32", Some(span)),
                "align" => {
                    let _: proc_macro2::Group = meta.input.parse()?;
                }
                _ => {
                    let message =
                        format!("an enum on the wire is a `u8`, `u16` or `u32`, not `{word}`: name one of them");
                    errors.at(span, &message);
                }
            }
            Ok(())
        });
    }
    parsed
}
