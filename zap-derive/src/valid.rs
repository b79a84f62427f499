//! What cannot be a record, as far as its spelling tells, said on the token that is wrong. What only the compiler knows
//! (the width of another struct, whether a type is a record at all) is left to constants and trait bounds in the
//! expanded code.

use syn::{GenericArgument, Path, PathArguments, PathSegment, Type};

use crate::ast::{Record, ungrouped};
use crate::attr::{Dialect, Errors};

/// Checks every field.
pub(crate) fn check(record: &Record<'_>, errors: &mut Errors) {
    let mut names = Vec::new();
    for field in &record.fields {
        if names.contains(&&field.name) {
            errors.at(
                field.name_span,
                format!("two fields are called `{}` on the wire: give one another #[zap(rename)]", field.name),
            );
        }
        names.push(&field.name);
    }
    let Some(dialect) = record.attributes.dialect else {
        return;
    };
    for field in &record.fields {
        if let (Some(offset), Dialect::Zip) = (field.offset, dialect) {
            errors.at(offset.key, "the zip dialect places every field itself: remove `offset`");
        }
        if !is_parameter(record, field.ty)
            && let Some((ty, message)) = refusal(field.ty, dialect)
        {
            errors.push(syn::Error::new_spanned(ty, message));
        }
    }
}

/// Whether the type is one of the record's own type parameters, whatever its name suggests.
fn is_parameter(record: &Record<'_>, ty: &Type) -> bool {
    let Type::Path(path) = ty else {
        return false;
    };
    record.generics.type_params().any(|parameter| path.path.is_ident(&parameter.ident))
}

/// Why a type, or which part of it, cannot be a field, if its spelling tells.
fn refusal(ty: &Type, dialect: Dialect) -> Option<(&Type, String)> {
    let at = |message: &str| Some((ty, message.to_owned()));
    match ty {
        Type::Group(group) => refusal(&group.elem, dialect),
        Type::Paren(paren) => refusal(&paren.elem, dialect),
        Type::Array(array) => refusal(&array.elem, dialect),
        Type::Reference(reference) if reference.mutability.is_some() => {
            at("a `&mut` cannot be a ZAP field: use a shared reference or an owned type")
        }
        Type::Reference(reference) => match ungrouped(&reference.elem) {
            Type::Slice(slice) => refusal(&slice.elem, dialect),
            Type::Path(path) if path.path.is_ident("str") => None,
            _ => at("of references a record takes `&str`, `&[u8]` and `&[T]`: hold the value itself"),
        },
        Type::Slice(_) => at("a slice has no size here: use `Vec<T>` or `&[T]`"),
        Type::Tuple(tuple) if tuple.elems.is_empty() => at("`()` has nothing to write: remove the field"),
        Type::Tuple(_) => at("a tuple is not a ZAP field yet: use a struct with #[derive(Zap)]"),
        Type::Ptr(_) => at("a raw pointer means nothing on the wire: hold the value"),
        Type::BareFn(_) => at("a function pointer means nothing on the wire: remove the field"),
        Type::TraitObject(_) => at("the wire needs one concrete type: name it"),
        Type::Path(path) if path.qself.is_none() => named(&path.path, ty, dialect),
        _ => None,
    }
}

/// As [`refusal`], for a type with a name, if it is spelled as the standard library's: another type of the same name is
/// reached by any other path.
fn named<'i>(path: &'i Path, ty: &'i Type, dialect: Dialect) -> Option<(&'i Type, String)> {
    let segment = path.segments.last()?;
    let is_standard = path.segments.len() == 1
        || path.segments.first().is_some_and(|first| ["std", "core", "alloc"].iter().any(|name| first.ident == name));
    if !is_standard {
        return None;
    }
    let name = segment.ident.to_string();
    let message = match (name.as_str(), type_arguments(segment).as_slice()) {
        ("usize", []) => "`usize` has no fixed width: use `u32` or `u64`".into(),
        ("isize", []) => "`isize` has no fixed width: use `i32` or `i64`".into(),
        ("str", []) => "`str` has no size here: use `&str`, `String` or `Box<str>`".into(),
        ("u128" | "i128" | "char", []) if dialect != Dialect::Native => {
            format!("only native records have `{name}`: use a smaller integer or bytes")
        }
        ("Option", [_]) if dialect == Dialect::Native => {
            "`Option` is not a field of native records yet: use a `bool` beside the value, or an empty text or list"
                .into()
        }
        ("Vec" | "Option", [element]) => return refusal(element, dialect),
        ("Box", [inner]) if !is_text_or_bytes(inner) => {
            "of boxes a record takes `Box<str>` and `Box<[u8]>`: hold the value itself, or in a `Vec`".into()
        }
        ("Rc" | "Arc", [_]) => format!("`{name}` is not a ZAP field: hold the value itself, or `Bytes` to share"),
        ("HashMap" | "BTreeMap", [_, _]) => {
            format!("`{name}` is not a ZAP field yet: use a `Vec` of a struct with a key and a value")
        }
        ("HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" | "BinaryHeap", [_]) => {
            format!("`{name}` is not a ZAP field: use a `Vec`")
        }
        _ => return None,
    };
    Some((ty, message))
}

fn type_arguments(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

fn is_text_or_bytes(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Path(path) => path.path.is_ident("str"),
        Type::Slice(slice) => matches!(ungrouped(&slice.elem), Type::Path(path) if path.path.is_ident("u8")),
        _ => false,
    }
}
