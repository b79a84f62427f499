//! What cannot be a record, as far as its spelling tells, said on the token that is wrong. What only the compiler knows
//! (the width of another struct, whether a type is a record at all) is left to constants and trait bounds in the
//! expanded code.

use syn::{GenericArgument, Path, PathArguments, PathSegment, Type};

use crate::ast::{Record, ungrouped};
use crate::attr::{Dialect, Errors};
use crate::expand::generics::mentions_record;

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
    check_container(record, errors);
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

/// What the attributes of the struct ask of its fields.
fn check_container(record: &Record<'_>, errors: &mut Errors) {
    let attributes = &record.attributes;
    if let Some(transparent) = attributes.transparent {
        match record.fields.as_slice() {
            [field] => {
                if let Some(module) = &field.with {
                    errors.push(syn::Error::new_spanned(
                        module,
                        "a transparent struct is its field as it is: remove `with`, or `transparent`",
                    ));
                }
                if mentions_record(record, field.ty) {
                    errors.push(syn::Error::new_spanned(
                        field.ty,
                        "a transparent struct is its field as it is, which then has no end: remove `transparent`",
                    ));
                }
                if let Some(offset) = field.offset {
                    errors.at(offset.key, "a transparent struct is its field as it is: remove `offset`");
                }
            }
            _ => errors.at(transparent, "a transparent struct has one field on the wire"),
        }
    }
    let Some(growable) = attributes.growable else {
        return;
    };
    if let Some(Dialect::Zapgen | Dialect::Zip) = attributes.dialect {
        errors.at(growable, "only native records can be growable: remove `growable` or `dialect`");
    }
    if attributes.transparent.is_some() {
        errors.at(growable, "a transparent struct is its field as it is: remove `growable`");
    }
    for offset in record.fields.iter().filter_map(|field| field.offset) {
        errors.at(offset.key, "a growable record places every field itself: remove `offset`");
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
        Type::Tuple(tuple) if dialect == Dialect::Native && tuple.elems.len() <= MAX_TUPLE => {
            tuple.elems.iter().find_map(|element| refusal(element, dialect))
        }
        Type::Tuple(_) if dialect == Dialect::Native => {
            at("a tuple has at most twelve fields: use a struct with #[derive(Zap)]")
        }
        Type::Tuple(_) => at("only native records have tuples: use a struct with #[derive(Zap)]"),
        Type::Ptr(_) => at("a raw pointer means nothing on the wire: hold the value"),
        Type::BareFn(_) => at("a function pointer means nothing on the wire: remove the field"),
        Type::TraitObject(_) => at("the wire needs one concrete type: name it"),
        Type::Path(path) if path.qself.is_none() => named(&path.path, ty, dialect),
        _ => None,
    }
}

/// The longest tuple that is a field.
const MAX_TUPLE: usize = 12;

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
    let arguments = type_arguments(segment);
    let message = never(&name, &arguments).or_else(|| match dialect {
        Dialect::Native => None,
        Dialect::Zapgen | Dialect::Zip => only_native(&name, &arguments),
    });
    match (message, name.as_str(), arguments.as_slice()) {
        (Some(message), ..) => Some((ty, message)),
        (None, "Option", [inner]) if dialect == Dialect::Native && is_option_of_nullable(inner) => {
            let message = "an `Option` in an `Option` that is null when absent: both would be null, and nothing tells \
                           them apart; use one `Option`";
            Some((ty, message.into()))
        }
        (None, "Box", [inner]) if is_text_or_bytes(inner) => None,
        (None, "Vec" | "Option" | "Box" | "NonZero" | "BTreeSet" | "HashSet", [inner, ..]) => refusal(inner, dialect),
        (None, "BTreeMap" | "HashMap", [key, value, ..]) => refusal(key, dialect).or_else(|| refusal(value, dialect)),
        _ => None,
    }
}

/// Why no dialect has this type.
fn never(name: &str, arguments: &[&Type]) -> Option<String> {
    let message = match (name, arguments) {
        ("usize", []) => "`usize` has no fixed width: use `u32` or `u64`",
        ("isize", []) => "`isize` has no fixed width: use `i32` or `i64`",
        ("NonZeroUsize", []) => "`NonZeroUsize` has no fixed width: use `NonZeroU32` or `NonZeroU64`",
        ("NonZeroIsize", []) => "`NonZeroIsize` has no fixed width: use `NonZeroI32` or `NonZeroI64`",
        ("str", []) => "`str` has no size here: use `&str`, `String` or `Box<str>`",
        ("Box", [inner]) if matches!(ungrouped(inner), Type::Slice(_)) && !is_text_or_bytes(inner) => {
            "of boxed slices a record takes `Box<[u8]>`: use `Vec<T>` for a list"
        }
        ("Rc", [_]) => "`Rc` is not a ZAP field: use `Arc<str>`, `Arc<[u8]>` or `Bytes` to share, or `Box<T>`",
        ("Arc", [inner]) if !is_text_or_bytes(inner) => {
            "of shared values a record takes `Arc<str>`, `Arc<[u8]>` and `Bytes`: use `Box<T>`, or hold the value itself"
        }
        ("VecDeque" | "LinkedList" | "BinaryHeap", [_]) => {
            return Some(format!("`{name}` is not a ZAP field: use a `Vec`"));
        }
        ("Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock", [_]) => {
            return Some(format!("`{name}` is not a ZAP field: hold the value itself"));
        }
        ("Instant", []) => "an `Instant` means nothing on another machine: use `SystemTime` or `Duration`",
        ("PathBuf" | "OsString" | "CString", []) => {
            return Some(format!("`{name}` has no one form on every machine: use `String` or `Vec<u8>`"));
        }
        _ => return None,
    };
    Some(message.into())
}

/// Why a type that the native dialect has is in no other, and what those have.
fn only_native(name: &str, arguments: &[&Type]) -> Option<String> {
    let instead = match (name, arguments) {
        ("u128" | "i128" | "char", []) => "use a smaller integer or bytes",
        ("Box", [inner]) if !is_text_or_bytes(inner) => "hold the value itself, or in a `Vec`",
        ("BTreeMap" | "HashMap", [_, _, ..]) => "use a `Vec` of a struct with a key and a value",
        ("BTreeSet" | "HashSet", [_, ..]) => "use a `Vec`",
        ("Duration" | "SystemTime", []) => "use an integer of seconds or nanoseconds",
        ("Ipv4Addr" | "Ipv6Addr" | "IpAddr" | "SocketAddr", []) => "use bytes or text",
        ("NonZero", [_]) => "use the integer",
        (integer, []) if integer.starts_with("NonZero") => "use the integer",
        _ => return None,
    };
    let what = if name == "Box" { "boxes of values".into() } else { format!("`{name}`") };
    Some(format!("only native records have {what}: {instead}"))
}

/// Whether the type is an `Option` whose `None` is null: of text, bytes, a list, a map or a box.
fn is_option_of_nullable(ty: &Type) -> bool {
    let Type::Path(path) = ungrouped(ty) else {
        return false;
    };
    let Some(segment) = path.path.segments.last() else {
        return false;
    };
    match type_arguments(segment).as_slice() {
        [inner] if segment.ident == "Option" => match ungrouped(inner) {
            Type::Reference(_) => true,
            Type::Path(inner) => inner.path.segments.last().is_some_and(|segment| {
                let nullable =
                    ["String", "Vec", "Box", "Cow", "Arc", "Bytes", "BTreeMap", "HashMap", "BTreeSet", "HashSet"];
                nullable.iter().any(|name| segment.ident == name)
            }),
            Type::Tuple(_) => true,
            _ => false,
        },
        _ => false,
    }
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
