//! What cannot be a record, said on the token that is wrong. What only the compiler can know (the width of another
//! struct, whether a type is a record at all) is left to constants and trait bounds in the expanded code.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, PathSegment, Type};

use crate::ast::{Record, ungrouped};
use crate::attr::{Dialect, Errors};

/// Checks every field; returns for each whether it can be expanded.
pub(crate) fn check(record: &Record<'_>, errors: &mut Errors) -> Vec<bool> {
    let dialect = record.attributes.dialect;
    let type_parameters: Vec<_> = record.generics.type_params().map(|parameter| &parameter.ident).collect();
    let usable = record.fields.iter().map(|field| {
        let is_parameter = matches!(field.ty, Type::Path(path) if path.path.get_ident().is_some_and(|ident| type_parameters.contains(&ident)));
        match refusal(field.ty, dialect).filter(|_| !is_parameter) {
            Some((span, message)) => {
                errors.at(span, message);
                false
            }
            None => true,
        }
    });
    let usable = usable.collect();
    check_offsets(record, errors);
    usable
}

/// Why a type cannot be a field, if its spelling tells.
fn refusal(ty: &Type, dialect: Dialect) -> Option<(Span, String)> {
    let at = |message: &str| Some((ty.span(), message.to_owned()));
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
            _ => at("the references that a record takes are `&str`, `&[u8]` and `&[T]`: hold other values themselves"),
        },
        Type::Slice(_) => at("a slice has no size here: use `Vec<T>` or `&[T]`"),
        Type::Tuple(_) => at("tuples are not ZAP fields yet: use a struct with #[derive(Zap)]"),
        Type::Ptr(_) => at("a raw pointer means nothing on the wire: hold the value"),
        Type::BareFn(_) => at("a function pointer means nothing on the wire"),
        Type::TraitObject(_) | Type::ImplTrait(_) => at("the wire needs one concrete type: name it"),
        Type::Never(_) | Type::Infer(_) | Type::Macro(_) => at("name the field's type"),
        Type::Path(path) => path.path.segments.last().and_then(|segment| named(segment, ty, dialect)),
        _ => None,
    }
}

/// As [`refusal`], for a type with a name.
fn named(segment: &PathSegment, ty: &Type, dialect: Dialect) -> Option<(Span, String)> {
    let at = |message: String| Some((ty.span(), message));
    let name = segment.ident.to_string();
    let arguments = type_arguments(segment);
    match (name.as_str(), arguments.as_slice()) {
        ("usize", []) => at("`usize` has no fixed width on the wire: use `u32` or `u64`".into()),
        ("isize", []) => at("`isize` has no fixed width on the wire: use `i32` or `i64`".into()),
        ("str", []) => at("`str` has no size here: use `&str`, `String` or `Box<str>`".into()),
        ("u128" | "i128" | "char", []) if dialect != Dialect::Native => {
            at(format!("the {} dialect has no `{name}`: use a fixed array of bytes or another type", dialect.name()))
        }
        ("Option", [_]) if dialect == Dialect::Native => {
            at("`Option` is not a field of native records yet: use a `bool` beside the value, or an empty text or list"
                .into())
        }
        ("Vec" | "Option", [element]) => refusal(element, dialect),
        ("Box", [inner]) if !is_text_or_bytes(inner) => {
            at("of boxes a record takes `Box<str>` and `Box<[u8]>`: hold the value itself".into())
        }
        ("Rc" | "Arc", [_]) => at(format!("`{name}` is not a ZAP field: hold the value itself, or `Bytes` to share")),
        ("HashMap" | "BTreeMap", [_, _]) => {
            at(format!("`{name}` is not a ZAP field yet: use a `Vec` of a struct with a key and a value"))
        }
        ("HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" | "BinaryHeap", [_]) => {
            at(format!("`{name}` is not a ZAP field: use a `Vec`"))
        }
        ("Cell" | "RefCell" | "Mutex" | "RwLock", [_]) => {
            at(format!("`{name}` is not a ZAP field: hold the value itself"))
        }
        _ => None,
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
    match ty {
        Type::Path(path) => path.path.is_ident("str"),
        Type::Slice(slice) => matches!(&*slice.elem, Type::Path(path) if path.path.is_ident("u8")),
        _ => false,
    }
}

/// Refuses overlapping and misaligned explicit offsets as far as the spelling of the types tells their widths. The
/// expanded code asserts the rest.
fn check_offsets(record: &Record<'_>, errors: &mut Errors) {
    if record.fields.iter().all(|field| field.offset.is_none()) {
        return;
    }
    let dialect = record.attributes.dialect;
    let mut placed: Vec<(u64, u64, &str)> = Vec::new();
    let mut end = Some(0_u64);
    for field in &record.fields {
        let known = width_and_align(field.ty, dialect);
        let start = match (field.offset, known) {
            (Some((offset, _)), _) => Some(u64::from(offset)),
            (None, Some((_, align))) => end.map(|end| end.next_multiple_of(align)),
            (None, None) => None,
        };
        let (Some(start), Some((width, align))) = (start, known) else {
            end = None;
            continue;
        };
        let span = field.offset.map_or_else(|| field.ty.span(), |(_, span)| span);
        let stop = start + width;
        end = Some(stop);
        if !start.is_multiple_of(align) {
            errors.at(
                span,
                format!(
                    "field `{}` must lie at a multiple of {align}: the next one is {}",
                    field.name,
                    start.next_multiple_of(align)
                ),
            );
        }
        if let Some((from, to, other)) = placed.iter().find(|(from, to, _)| start < *to && *from < stop) {
            errors.at(
                span,
                format!(
                    "field `{}` would lie at {start}..{stop} and overlap field `{other}` at {from}..{to}: move one of them",
                    field.name
                ),
            );
        }
        placed.push((start, stop, &field.name));
    }
}

/// Width and alignment of a slot, where the type's name tells.
fn width_and_align(ty: &Type, dialect: Dialect) -> Option<(u64, u64)> {
    let scalar = |width: u64| {
        let align = match dialect {
            Dialect::Zapgen => 1,
            Dialect::Native | Dialect::Zip => width.min(8),
        };
        Some((width, align))
    };
    let slot = match dialect {
        Dialect::Native => (8, 4),
        Dialect::Zapgen => (8, 1),
        Dialect::Zip => (8, 8),
    };
    match ty {
        Type::Reference(_) => Some(slot),
        Type::Array(array) => {
            let (width, align) = width_and_align(&array.elem, dialect)?;
            let Expr::Lit(ExprLit { lit: Lit::Int(len), .. }) = &array.len else {
                return None;
            };
            Some((width.checked_mul(len.base10_parse().ok()?)?, align))
        }
        Type::Path(path) => match path.path.segments.last()?.ident.to_string().as_str() {
            "bool" | "u8" | "i8" => scalar(1),
            "u16" | "i16" => scalar(2),
            "u32" | "i32" | "f32" | "char" => scalar(4),
            "u64" | "i64" | "f64" => scalar(8),
            "u128" | "i128" => scalar(16),
            "String" | "Vec" | "Cow" | "Box" | "Bytes" => Some(slot),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a type's spelling says that it is a scalar, text or bytes: nothing that holds further fields or elements.
pub(crate) fn is_flat(ty: &Type) -> bool {
    let is_bytes = |slice: &Type| matches!(slice, Type::Path(path) if path.path.is_ident("u8"));
    match ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => is_bytes(&slice.elem),
            _ => true,
        },
        Type::Array(array) => is_bytes(&array.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| match segment.ident.to_string().as_str() {
            "Vec" => type_arguments(segment).iter().all(|element| is_bytes(element)),
            _ => width_and_align(ty, Dialect::Native).is_some(),
        }),
        _ => false,
    }
}
