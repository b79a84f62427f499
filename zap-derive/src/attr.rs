//! The `#[zap(...)]` attributes of a struct and of a field.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitInt, LitStr, Path};

/// Whose bytes the record equals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Native,
    Zapgen,
    Zip,
}

impl Dialect {
    /// The name in attributes and messages.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Zapgen => "zapgen",
            Self::Zip => "zip",
        }
    }

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

/// What stands on the struct.
pub(crate) struct RecordAttributes {
    pub(crate) dialect: Dialect,
    pub(crate) version: u16,
    pub(crate) rename: Option<String>,
    pub(crate) krate: Path,
}

/// What stands on a field.
#[derive(Default)]
pub(crate) struct FieldAttributes {
    pub(crate) rename: Option<String>,
    pub(crate) offset: Option<(u32, Span)>,
}

/// Collects errors instead of stopping at the first.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn into_error(self) -> Option<syn::Error> {
        self.0
    }
}

/// Whether this key was given before: each may stand once.
struct Once(Vec<String>);

impl Once {
    fn key(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<String> {
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if self.0.contains(&key) {
            return Err(meta.error(format!("`{key}` is given twice: keep one")));
        }
        self.0.push(key.clone());
        Ok(key)
    }
}

fn parse_zap(
    attributes: &[Attribute],
    errors: &mut Errors,
    mut entry: impl FnMut(&str, &ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    let mut once = Once(Vec::new());
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("zap")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            let key = once.key(&meta)?;
            entry(&key, &meta)
        });
        errors.take(parsed);
    }
}

fn non_empty(literal: &LitStr) -> syn::Result<String> {
    if literal.value().is_empty() {
        return Err(syn::Error::new(literal.span(), "a name may not be empty"));
    }
    Ok(literal.value())
}

impl RecordAttributes {
    pub(crate) fn parse(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut parsed =
            Self { dialect: Dialect::Native, version: 1, rename: None, krate: syn::parse_quote!(::zap_core) };
        parse_zap(attributes, errors, |key, meta| {
            match key {
                "dialect" => parsed.dialect = Dialect::parse(&meta.value()?.parse()?)?,
                "version" => {
                    let literal: LitInt = meta.value()?.parse()?;
                    parsed.version = match literal.base10_parse() {
                        Ok(version @ (1 | 2)) => version,
                        _ => return Err(syn::Error::new(literal.span(), "the wire has versions 1 and 2")),
                    };
                }
                "rename" => parsed.rename = Some(non_empty(&meta.value()?.parse()?)?),
                "crate" => parsed.krate = meta.value()?.parse::<LitStr>()?.parse()?,
                "offset" => return Err(meta.error("`offset` stands on a field, not on the struct")),
                _ => {
                    return Err(
                        meta.error("unknown attribute: a struct takes `dialect`, `version`, `rename` and `crate`")
                    );
                }
            }
            Ok(())
        });
        parsed
    }
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute], dialect: Dialect, errors: &mut Errors) -> Self {
        let mut parsed = Self::default();
        parse_zap(attributes, errors, |key, meta| {
            match key {
                "rename" => parsed.rename = Some(non_empty(&meta.value()?.parse()?)?),
                "offset" => {
                    let literal: LitInt = meta.value()?.parse()?;
                    if dialect == Dialect::Zip {
                        return Err(meta.error("the zip dialect places every field itself: remove `offset`"));
                    }
                    let offset = literal.base10_parse::<u32>().ok().filter(|offset| *offset <= i32::MAX as u32);
                    let Some(offset) = offset else {
                        return Err(syn::Error::new(literal.span(), "an offset is at most 2147483647 bytes"));
                    };
                    parsed.offset = Some((offset, literal.span()));
                }
                "dialect" | "version" | "crate" => {
                    return Err(meta.error(format!("`{key}` stands on the struct, not on a field")));
                }
                _ => return Err(meta.error("unknown attribute: a field takes `rename` and `offset`")),
            }
            Ok(())
        });
        parsed
    }
}
