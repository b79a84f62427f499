//! What the schema language can express, and what is refused with which words.
#![cfg(all(feature = "std", feature = "derive"))]

use zap_core::{SchemaErrorReason, Zap, schema_text};

#[derive(Zap, Default)]
#[zap(rename = "flat-record")]
struct Flat {
    a: u8,
    r#type: u32,
    block_hash: [u8; 32],
    name: String,
    raw: Vec<u8>,
    nothing: [u8; 0],
    big: i64,
    ok: bool,
}

#[derive(Zap, Default)]
#[zap(dialect = "zip")]
struct ZipFlat(u8, String, f64);

#[test]
fn flat_records_of_any_dialect_have_their_offsets() {
    assert_eq!(Flat::default().block_hash, [0; 32]);
    assert_eq!(
        schema_text("p", &[Flat::LAYOUT, ZipFlat::LAYOUT]).unwrap(),
        "# From Rust structs, by zap_core.\npackage p\n\nstruct FlatRecord {\n  A u8 @0\n  Type u32 @4\n  \
         BlockHash bytes_fixed[32] @8\n  Name text @40\n  Raw bytes @48\n  # Nothing has no bytes\n  Big i64 @56\n  Ok bool @64\n}\n\n\
         struct ZipFlat {\n  Field0 u8 @0\n  Field1 text @8\n  Field2 f64 @16\n}\n"
    );
}

#[derive(Zap, Default)]
#[zap(dialect = "zapgen")]
struct Leaf {
    x: u32,
}

#[derive(Zap, Default)]
#[zap(dialect = "zapgen")]
struct Tree {
    kids: Vec<Tree>,
    leaf: Leaf,
    leaves: Vec<Leaf>,
    names: Vec<String>,
    numbers: Vec<u16>,
}

#[test]
fn records_come_behind_those_they_need() {
    assert_eq!(Tree::default().leaf.x, 0);
    let text = Tree::LAYOUT.to_schema("forest").unwrap();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert!(at("struct Leaf {") < at("struct Tree {"));
    assert!(at("  Kids list<Tree> @0\n  Leaf Leaf @8\n") > at("struct Tree {"));
    assert_eq!(text.matches("# every element behind its u32 length").count(), 2);
    assert!(at("  Names list<text> @20\n") < at("  Numbers list<u16> @28\n"));
    assert_eq!(schema_text("forest", &[Tree::LAYOUT, Leaf::LAYOUT, Tree::LAYOUT]).unwrap(), text);
}

#[derive(Zap, Clone, Copy, Debug)]
#[repr(u16)]
enum Side {
    Buy = 1,
    Sell = 7,
}

#[derive(Zap)]
#[zap(dialect = "zapgen")]
struct Trade {
    side: Side,
    sides: Vec<Side>,
}

#[derive(Zap)]
struct Peer {
    side: Side,
    address: std::net::Ipv4Addr,
    port: std::num::NonZero<u16>,
}

#[test]
fn what_has_bytes_of_another_type_says_what_they_mean() {
    let trade = Trade { side: Side::Buy, sides: vec![Side::Sell] };
    assert_eq!((trade.side as u8, trade.sides.len()), (1, 1));
    let port = std::num::NonZero::new(80).unwrap();
    let peer = Peer { side: Side::Sell, address: [127, 0, 0, 1].into(), port };
    assert_eq!((peer.side as u8, peer.address.octets()[0], peer.port.get()), (7, 127, 80));
    assert_eq!(
        schema_text("p", &[Trade::LAYOUT, Peer::LAYOUT]).unwrap(),
        "# From Rust structs, by zap_core.\npackage p\n\n\
         struct Trade {\n  # Buy = 1, Sell = 7\n  Side u16 @0\n  \
         # every element behind its u32 length; a compiler that lays fixed-width elements side by side misreads it\n  \
         Sides list<u16> @2\n}\n\n\
         struct Peer {\n  # Buy = 1, Sell = 7\n  Side u16 @0\n  # an IPv4 address in network order\n  \
         Address bytes_fixed[4] @2\n  # never zero\n  Port u16 @6\n}\n"
    );
}

/// The error on a record of one field.
macro_rules! refused {
    ($(#[$attribute:meta])* $field:ident: $ty:ty) => {{
        #[derive(Zap)]
        #[allow(dead_code)]
        $(#[$attribute])*
        struct Hash {
            $field: $ty,
        }
        Hash::LAYOUT.to_schema("p").unwrap_err()
    }};
}

#[test]
fn what_has_no_schema_is_named() {
    let error = refused!(id: u128);
    assert_eq!((error.record, error.field), ("Hash", "id"));
    assert_eq!(
        error.to_string(),
        "Hash.id: a schema cannot say u128: it has no 128-bit integers: use [u8; 16], or two u64"
    );
    let says = |error: zap_core::SchemaError, part: &str| assert!(error.to_string().contains(part), "{error}");
    says(refused!(letter: char), "a schema cannot say char: it has no characters");
    says(refused!(list: Vec<u32>), "a schema cannot say list<u32>: its lists are those of the zapgen dialect");
    says(refused!(flat: Flat), "a schema cannot say flat-record/72: its structs are behind pointers");
    says(refused!(pair: [u16; 2]), "a schema cannot say [u16;2]: its arrays are of bytes");
    says(refused!(#[zap(dialect = "zip")] some: Option<u32>), "a schema cannot say option<u32>");
    says(refused!(#[zap(dialect = "zip")] some: ZipFlat), "its structs are behind pointers");
    says(refused!(some: Option<u8>), "only a zapgen record may be absent");
    says(refused!(pair: (u8, u16)), "a schema cannot say (u8,u16)/4: its structs are behind pointers");
    says(
        refused!(map: std::collections::BTreeMap<u8, u8>),
        "a schema cannot say map<u8,u8>/2: it has no maps and sets",
    );
    says(refused!(set: std::collections::BTreeSet<u16>), "it has no maps and sets");
    says(refused!(time: std::time::Duration), "a schema cannot say duration: it has no times");
    says(refused!(boxed: Box<u8>), "a schema cannot say box<u8>: it has no boxes");
    assert_eq!(refused!(hash: u8).reason, SchemaErrorReason::NamedAsStruct);
    assert_eq!(refused!(größe: u8).reason, SchemaErrorReason::Name);
    assert_eq!(refused!(#[zap(rename = "--")] a: u8).reason, SchemaErrorReason::Name);

    #[derive(Zap)]
    #[allow(dead_code, non_snake_case)]
    struct Twice {
        an_id: u8,
        anId: u8,
    }
    let error = Twice::LAYOUT.to_schema("p").unwrap_err();
    assert_eq!((error.field, error.reason), ("anId", SchemaErrorReason::NameTaken { name: "AnId".into() }));

    #[derive(Zap)]
    #[allow(dead_code)]
    #[zap(growable)]
    struct Growing {
        x: u8,
    }
    assert_eq!(Growing::LAYOUT.to_schema("p").unwrap_err().reason, SchemaErrorReason::Growable);
    assert_eq!(schema_text("p q", &[]).unwrap_err().reason, SchemaErrorReason::Package);

    #[derive(Zap)]
    #[allow(dead_code)]
    #[zap(rename = "leaf")]
    struct OtherLeaf {
        y: u8,
    }
    let error = schema_text("p", &[Leaf::LAYOUT, OtherLeaf::LAYOUT]).unwrap_err();
    assert_eq!((error.record, error.reason), ("leaf", SchemaErrorReason::NameTaken { name: "Leaf".into() }));
}
