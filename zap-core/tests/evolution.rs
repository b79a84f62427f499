//! Whatever `can_read` allows, decodes to the fields that were written: every pair of a family of edits, on random values.
#![cfg(all(feature = "std", feature = "derive"))]

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use support::{Dice, Make};
use zap_core::{Decode, Layout, Zap};

/// One version of a record, its type hidden: its layout, and functions over it.
struct Version {
    name: &'static str,
    layout: &'static Layout,
    /// A random value as bytes, and the text of each field.
    write: fn(&[u8]) -> (Vec<u8>, Fields),
    read: fn(&[u8]) -> Result<Fields, zap_core::DecodeError>,
    default: fn() -> Fields,
}

/// The text of each field, by its offset: a renamed field keeps that.
type Fields = BTreeMap<u32, String>;

/// Nested values are told by their own fields alone, since a version may not know all of them.
trait Told {
    fn told(&self) -> Fields;
}

fn write<T: Told + Make + Zap>(draw: &[u8]) -> (Vec<u8>, Fields) {
    let value = T::make(&mut Dice::new(draw));
    (value.to_vec().unwrap(), value.told())
}

fn read<T: Told + for<'m> Decode<'m>>(bytes: &[u8]) -> Result<Fields, zap_core::DecodeError> {
    T::decode(bytes).map(|value| value.told())
}

/// Every version in a module of its own, all under one name and in one list.
macro_rules! versions {
    ($list:ident, #[$record:meta] $($version:ident $(inner $inner:tt)? { $($(#[$attribute:meta])* $field:ident: $ty:ty),* $(,)? })*) => {
        $(#[allow(dead_code)]
        mod $version {
            #[allow(unused_imports)]
            use super::*;

            $(versions!(@inner #[$record] $inner);)?

            #[derive(Zap, Clone, Debug, Default, PartialEq)]
            #[$record]
            pub(super) struct Item { $($(#[$attribute])* pub(super) $field: $ty),* }

            impl Make for Item {
                fn make(dice: &mut Dice<'_>) -> Self {
                    let _ = &dice;
                    Self { $($field: Make::make(dice)),* }
                }
            }
            impl Told for Item {
                fn told(&self) -> Fields {
                    let fields = Self::LAYOUT.fields.iter().map(|field| field.offset);
                    let texts = [$(format!("{:?}", self.$field)),*];
                    fields.zip(texts).collect()
                }
            }
        })*
        fn $list() -> Vec<Version> {
            vec![$(Version {
                name: stringify!($version),
                layout: $version::Item::LAYOUT,
                write: write::<$version::Item>,
                read: read::<$version::Item>,
                default: || $version::Item::default().told(),
            }),*]
        }
    };
    (@inner #[$record:meta] { $($field:ident: $ty:ty),* }) => {
        #[derive(Zap, Clone, Default, PartialEq)]
        #[$record]
        pub(super) struct Inner { $(pub(super) $field: $ty),* }

        impl Make for Inner {
            fn make(dice: &mut Dice<'_>) -> Self {
                Self { $($field: Make::make(dice)),* }
            }
        }
        /// Its first field, which every version has.
        impl std::fmt::Debug for Inner {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.x.fmt(f)
            }
        }
    };
}

versions! { native, #[zap(dialect = "native")]
    plain { a: u32, b: u64 }
    renamed { a: u32, c: u64 }
    padded { a: u32, pad: u16, b: u64 }
    appended { a: u32, b: u64, c: u32 }
    appended_text { a: u32, b: u64, c: String }
    shorter { a: u32 }
    short_and_byte { a: u32, d: u8 }
    retyped { a: i32, b: u64 }
    moved { #[zap(offset = 8)] a: u32, #[zap(offset = 16)] b: u64 }
    hole { #[zap(offset = 8)] b: u64 }
    text { name: String, b: u64 }
    text_first { name: String }
    list inner { x: u32 } { items: Vec<Inner> }
    list_of_longer inner { x: u32, y: u32 } { items: Vec<Inner> }
    list_of_padded inner { x: u32, y: u64 } { items: Vec<Inner> }
    list_in_padding inner { x: u64, y: u8 } { items: Vec<Inner> }
    list_out_of_padding inner { x: u64, y: u8, z: u8 } { items: Vec<Inner> }
    list_and_more inner { x: u32 } { items: Vec<Inner>, more: Vec<u16> }
    inline inner { x: u32 } { at: Inner, b: u32 }
    inline_longer inner { x: u32, y: u32 } { at: Inner, b: u32 }
    flat { x: u32, b: u32 }
}

versions! { zapgen, #[zap(dialect = "zapgen")]
    g_plain { a: u8, b: u64 }
    g_appended { a: u8, b: u64, c: u16 }
    g_text { a: u8, b: String }
    g_nested inner { x: u32 } { at: Inner, name: String }
    g_nested_longer inner { x: u32, y: u32 } { at: Inner, name: String }
    g_optional inner { x: u32 } { at: Option<Inner>, name: String }
    g_list inner { x: u32 } { items: Vec<Inner> }
    g_list_longer inner { x: u32, y: String } { items: Vec<Inner> }
    g_list_retyped { items: Vec<u64> }
}

versions! { zip, #[zap(dialect = "zip")]
    z_plain { a: u32 }
    z_appended { a: u32, b: u32 }
    z_appended_more { a: u32, b: u32, c: u32 }
    z_nested inner { x: u32 } { at: Inner, name: String }
    z_nested_longer inner { x: u32, y: u64 } { at: Inner, name: String }
    z_list inner { x: u32 } { items: Vec<Inner> }
    z_list_longer inner { x: u32, y: u64 } { items: Vec<Inner> }
}

versions! { growing, #[zap(growable)]
    w_one { a: u32 }
    w_two { a: u32, b: String }
    w_three { a: u32, b: String, c: Option<u16>, d: Vec<u64> }
    w_retyped { a: u32, b: u64 }
    w_byte { a: u32, b: u8 }
    w_byte_and_byte { a: u32, b: u8, c: u8 }
    w_list inner { x: u32 } { items: Vec<Inner> }
    w_list_longer inner { x: u32, y: String } { items: Vec<Inner> }
    w_list_and_more inner { x: u32 } { items: Vec<Inner>, more: BTreeMap<u8, String> }
}

versions! { choosing, #[zap(dialect = "native")]
    e_two { side: Two, more: u16 }
    e_three { side: Three, more: u16 }
    e_open { side: Open, more: u16 }
    e_byte { side: u8, more: u16 }
}

/// Told by its number, as an unknown one can only be.
macro_rules! choice {
    ($name:ident { $($variant:ident = $number:literal),* } $($open:ident)?) => {
        #[derive(Zap, Clone, Copy, PartialEq)]
        #[repr(u8)]
        enum $name {
            $($variant = $number,)*
            $(#[zap(other)] $open(u8),)?
        }
        impl Default for $name {
            fn default() -> Self {
                Self::A
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant => write!(f, "{}", $number),)*
                    $(Self::$open(number) => write!(f, "{number}"),)?
                }
            }
        }
        impl Make for $name {
            fn make(dice: &mut Dice<'_>) -> Self {
                let all = [$(Self::$variant,)* $(Self::$open(0x77),)?];
                all[usize::from(u8::make(dice)) % all.len()]
            }
        }
    };
}

choice!(Two { A = 0, B = 1 });
choice!(Three { A = 0, B = 1, C = 2 });
choice!(Open { A = 0 } Other);

/// What the reader, if it may, makes of the writer's bytes.
fn check(reader: &Version, writer: &Version, draw: &[u8]) -> bool {
    if reader.layout.can_read(writer.layout).is_err() {
        return false;
    }
    let (bytes, written) = (writer.write)(draw);
    let read = (reader.read)(&bytes).unwrap_or_else(|error| panic!("{} of {}: {error}", reader.name, writer.name));
    for (offset, text) in read {
        // Grouped fields have one offset and other texts.
        if let Some(wrote) = written.get(&offset) {
            assert_eq!(&text, wrote, "{} of {}, offset {offset}", reader.name, writer.name);
        } else if reader.layout.growable {
            assert_eq!(Some(&text), (reader.default)().get(&offset), "{} of {}: the default", reader.name, writer.name);
        } else {
            panic!("{} of {}: nobody wrote offset {offset}", reader.name, writer.name);
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_can_be_read_is_read(draw in proptest::collection::vec(any::<u8>(), 0..120)) {
        for family in [native(), zapgen(), zip(), growing(), choosing()] {
            for reader in &family {
                for writer in &family {
                    check(reader, writer, &draw);
                }
            }
        }
    }
}

/// Which versions each may read; so that the test above is not true of nothing.
#[test]
fn the_allowed_pairs() {
    let pairs = |family: &[Version]| {
        let lines = family.iter().map(|reader| {
            let writers = family.iter().filter(|writer| writer.name != reader.name);
            let writers = writers.filter(|writer| check(reader, writer, &[7; 64]));
            writers.fold(format!("{}:", reader.name), |line, writer| format!("{line} {}", writer.name))
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        pairs(&native()),
        [
            "plain: renamed padded appended appended_text",
            "renamed: plain padded",
            "padded:",
            "appended:",
            "appended_text:",
            "shorter: plain renamed padded appended appended_text short_and_byte inline inline_longer flat",
            "short_and_byte:",
            "retyped:",
            "moved:",
            "hole: plain renamed padded appended appended_text retyped text",
            "text:",
            "text_first: text",
            "list: list_and_more",
            "list_of_longer:",
            "list_of_padded:",
            "list_in_padding: list_out_of_padding",
            "list_out_of_padding:",
            "list_and_more:",
            "inline: flat",
            "inline_longer:",
            "flat: inline"
        ]
    );
    assert_eq!(
        pairs(&zapgen()),
        [
            "g_plain: g_appended",
            "g_appended:",
            "g_text:",
            "g_nested: g_nested_longer",
            "g_nested_longer:",
            "g_optional:",
            "g_list: g_list_longer",
            "g_list_longer:",
            "g_list_retyped:"
        ]
    );
    assert_eq!(
        pairs(&zip()),
        [
            "z_plain: z_appended z_appended_more",
            "z_appended: z_appended_more",
            "z_appended_more:",
            "z_nested: z_nested_longer",
            "z_nested_longer:",
            "z_list: z_list_longer",
            "z_list_longer:"
        ]
    );
    assert_eq!(
        pairs(&growing()),
        [
            "w_one: w_two w_three w_retyped w_byte w_byte_and_byte",
            "w_two: w_one w_three",
            "w_three: w_one w_two",
            "w_retyped: w_one",
            "w_byte: w_one w_byte_and_byte",
            "w_byte_and_byte: w_one w_byte",
            "w_list: w_list_longer w_list_and_more",
            "w_list_longer: w_list w_list_and_more",
            "w_list_and_more: w_list w_list_longer"
        ]
    );
    assert_eq!(pairs(&choosing()), ["e_two:", "e_three: e_two", "e_open: e_two e_three", "e_byte:"]);
}
