//! The derive macro behind `zap_core::Zap`. Depend on `zap-core`, which re-exports it; this crate has no other use.
//!
//! The way of a derive: `ast` reads the struct and its attributes into our model, `valid` refuses what cannot be a
//! record, on the token that is wrong and in words that say what to do, `expand` writes the implementations. After an
//! error the implementations are still written, with empty bodies, so that one mistake makes one message.

mod ast;
mod attr;
mod expand;
mod valid;
mod variants;

use proc_macro::TokenStream;

/// Makes a struct or an enum a record on the ZAP wire: implements the trait `zap_core::Zap` and writes a view.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Transfer<'a> {
///     id: u64,
///     amount: u64,
///     memo: &'a str,
/// }
///
/// let bytes = Transfer { id: 7, amount: 250, memo: "rent" }.to_vec()?;
///
/// // The view is called after the struct and has one accessor per field, which reads that field in place.
/// let view: TransferView<'_> = Transfer::view(&bytes)?;
/// assert_eq!(view.amount(), 250);
/// assert_eq!(view.memo()?, "rent");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What it takes
///
/// Structs with named fields, tuple structs (whose accessors are `field_0`, `field_1`, ...) and structs without fields;
/// generic over lifetimes, types and constants; enums, with data and without. Not unions. The types of fields:
///
/// | type | native | zapgen | zip | its accessor returns |
/// |---|---|---|---|---|
/// | `bool`, `u8` to `u64`, `i8` to `i64`, `f32`, `f64` | yes | yes | yes | the value |
/// | `u128`, `i128` | yes | | | the value |
/// | `char` | yes | | | `Result<char, _>` |
/// | `[u8; N]` | yes | yes | | `&[u8; N]` |
/// | `[T; N]` of all native types | yes | | | an array; a `Result` of it where `T`'s is one |
/// | `&str`, `String`, `Box<str>`, `Arc<str>`, `Cow<str>` | yes | yes | yes | `Result<&str, _>` |
/// | `&[u8]`, `Vec<u8>`, `Box<[u8]>`, `Arc<[u8]>`, `Cow<[u8]>`, `Bytes` | yes | yes | yes | `Result<&[u8], _>` |
/// | a record of the same dialect | yes | yes | yes | its view; in zapgen and zip a `Result` of it |
/// | `Option<T>` | yes | of a record | yes | an `Option`; a `Result` of it where it can be wrong |
/// | `Box<T>` | yes | | | `Result` of what `T` reads as |
/// | tuples up to twelve | yes | | | the tuple of what the accessors return |
/// | `BTreeMap`, `HashMap`; `BTreeSet`, `HashSet` | yes | | | `Result` of a map or set view |
/// | `NonZero`, `Duration`, `SystemTime`, `IpAddr`, `SocketAddr`, `Decimal` | yes | | | `Result` of it |
/// | `Ipv4Addr`, `Ipv6Addr`, `Uuid` | yes | | | the value |
/// | an enum without data | yes | yes | yes | `Result` of it; itself, if a variant is marked `other` |
/// | an enum with data | yes | | | `Result` of its view, an enum |
/// | `PhantomData` | yes | yes | yes | itself |
/// | `Vec<T>`, `&[T]` | yes | yes | yes | `Result` of a list view |
/// | a `#[zap(growable)]` record | yes | | | `Result` of its view |
/// | a `#[zap(transparent)]` struct | as its field | as its field | as its field | as its field's |
/// | any type with `#[zap(with)]` | as its `Wire` | as its `Wire` | as its `Wire` | as its `Wire`'s |
/// | any type with `#[zap(skip)]` | yes | yes | yes | none |
///
/// Native lists hold everything that native fields hold; zapgen and zip lists hold scalars, enums without data, text,
/// bytes and records. A `&[T]` of anything but `u8` can be encoded and viewed, but not decoded: its bytes lie at any
/// address and are little-endian.
///
/// # What it writes
///
/// - The implementations of `Zap`, of `Decode` where every field can be decoded, and of the traits by which the record
///   is a field or a list element of other records of its dialect.
/// - `TransferView<'m>` for a struct `Transfer`: as visible as the struct, each accessor as visible as its field and
///   documented as it. It borrows from the message alone, so it has one lifetime however many the struct has; type and
///   constant parameters follow, and before them the struct's lifetimes where there are type parameters. It is `Copy`,
///   `Debug`, `Display` and `PartialEq` with itself and the struct, and has no other method: fields may be called `len`
///   or `clone`. A field called `into` is read with `TransferView::into(&view)`, because the standard library's `into`
///   goes first.
/// - `TransferViewMut<'m>`, which `Transfer::view_mut` gives: an accessor for each field, by which what has its bytes in
///   its slot is set in place.
///
/// The code contains no `unsafe`. Its lint exceptions are those that stand on the struct and its fields, and one of its
/// own: `clippy::iter_not_returning_iterator`, on the accessor of a field called `iter` or `iter_mut`. It reaches
/// everything by path, so a module may shadow any name of the prelude. Bounds are added for fields whose types speak of
/// type parameters.
///
/// Of an enum with data, `ShapeView<'m>` is an enum with the same variants, which hold what the accessor of their only
/// unnamed field gives, or a view of their fields, `ShapeCircleView<'m>`. An enum without data is its own view.
///
/// # Attributes of the struct or enum
///
/// `#[zap(dialect = "...")]`: whose bytes the record equals: `"native"`, which is the default, `"zapgen"` (the Go schema
/// compiler's constructors) or `"zip"` (the Go struct encoder). Records hold records of their own dialect only.
///
/// ```
/// use zap_core::{DialectKind, Zap};
///
/// #[derive(Zap)]
/// #[zap(dialect = "zapgen")]
/// struct Packed {
///     flag: bool,
///     id: u64,
/// }
/// assert_eq!(Packed::LAYOUT.dialect, DialectKind::Zapgen);
/// assert_eq!(Packed::LAYOUT.fields[1].offset, 1);
/// ```
///
/// `#[zap(version = N)]`: the version in the header of its messages, 1 or 2; 1 is the default. Readers accept both.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// #[zap(version = 2)]
/// struct Ping {
///     at: u64,
/// }
/// assert_eq!(Ping { at: 1 }.to_vec()?[4..6], [2, 0]);
/// # Ok::<(), zap_core::EncodeError>(())
/// ```
///
/// `#[zap(rename = "...")]`: the record's name in its layout and in errors. It is not on the wire.
///
/// `#[zap(crate = "...")]`: the path of zap-core, where it is not `::zap_core`: under another name, or re-exported.
///
/// ```
/// mod vendored {
///     pub use zap_core as wire;
/// }
///
/// #[derive(vendored::wire::Zap)]
/// #[zap(crate = "crate::vendored::wire", rename = "acme.Ping")]
/// struct Ping {
///     at: u64,
/// }
///
/// # fn main() {
/// use vendored::wire::Zap;
/// assert_eq!(Ping::LAYOUT.name, "acme.Ping");
/// # }
/// ```
///
/// `#[zap(pin = "...")]`: the build fails if the struct's layout is another than this line says; the error prints both.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// #[zap(pin = "id:u64@0 name:text@8 size:16")]
/// struct Account {
///     id: u64,
///     name: String,
/// }
/// ```
///
/// `#[zap(transparent)]`: as a field, a struct with one field on the wire is that field.
///
/// `#[zap(growable)]`: fields may be appended to a native struct later, wherever it stands.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap, Default)]
/// #[zap(transparent)]
/// struct Id(u64);
///
/// #[derive(Zap)]
/// #[zap(growable)]
/// struct Old {
///     id: Id,
/// }
///
/// #[derive(Zap)]
/// #[zap(growable)]
/// struct New {
///     id: u64,
///     name: String,
/// }
///
/// let old = Old { id: Id(7) }.to_vec()?;
/// let view = New::view(&old)?;
/// assert_eq!((view.id(), view.name()?), (7, ""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Attributes of a variant
///
/// `#[zap(tag = N)]`: its number on the wire, in an enum with data; without data that is its discriminant, an integer of the
/// enum's `#[repr(u8)]`, `#[repr(u16)]` or `#[repr(u32)]`. `#[zap(rename = "...")]`: its name in layouts and errors.
/// `#[zap(other)]`: the last variant keeps any number that no other has.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap, Clone, Copy, Debug, PartialEq)]
/// #[repr(u8)]
/// enum Level {
///     Low = 1,
///     High = 9,
///     #[zap(other)]
///     Other(u8),
/// }
///
/// let bytes = Level::Other(4).to_vec()?;
/// assert_eq!(Level::view(&bytes)?.get(), Level::Other(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Attributes of a field
///
/// `#[zap(skip)]`: not on the wire; decoded as its type's default. `#[zap(with = "module")]`: the module's `to_wire` and
/// `from_wire` turn the field into a `Wire` and back; `zap_core::guide::attributes` shows one.
///
/// `#[zap(rename = "...")]`: the field's name in the layout and in errors; the accessor keeps the field's own name. No
/// two fields have the same name.
///
/// `#[zap(offset = N)]`: where the field lies, in bytes from the start of the fixed section, in native and zapgen
/// records. Fields without it follow the field that is declared before them. Overlaps and misaligned fields do not
/// compile.
///
/// ```
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// #[zap(dialect = "zapgen")]
/// struct Header {
///     #[zap(offset = 8, rename = "seq")]
///     sequence: u32,
///     flags: u16,
///     #[zap(offset = 0)]
///     id: u64,
/// }
/// assert_eq!(
///     Header::LAYOUT.to_string(),
///     "Header: zapgen, 14 bytes, alignment 1\n\
///      offset  width  type  field\n\
///      \x20    8      4  u32   seq\n\
///      \x20   12      2  u16   flags\n\
///      \x20    0      8  u64   id\n"
/// );
/// ```
///
/// ```compile_fail
/// use zap_core::Zap;
///
/// #[derive(Zap)]
/// struct Overlap {
///     id: u64,
///     #[zap(offset = 4)] // field `count` would lie at 4..8 and overlap field `id` at 0..8: move one of them
///     count: u32,
/// }
/// # fn main() {}
/// ```
#[proc_macro_derive(Zap, attributes(zap))]
pub fn derive_zap(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    expand::derive(&input).into()
}
