//! Every form of struct that the derive takes, in surroundings that try to confuse it. That this file compiles under
//! these lints is half of the test.
#![cfg(feature = "derive")]
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub, unused, warnings)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    meta_variable_misuse,
    missing_copy_implementations,
    missing_debug_implementations,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]

use std::borrow::Cow;
use std::error::Error;
use std::fmt::Debug;

use zap_core::{DecodeOwned, Limits, ListView, RecordView, Zap};

type Outcome = Result<(), Box<dyn Error>>;

/// Encodes, validates, views and decodes; returns the message.
fn round_trip<T: Zap + DecodeOwned + PartialEq + Debug>(value: &T) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = value.to_vec()?;
    assert_eq!(bytes.len(), value.encoded_len());
    let view = T::validate(&bytes, &Limits::new())?;
    assert!(!format!("{view:?}").is_empty());
    assert_eq!(&T::decode(&bytes)?, value);
    Ok(bytes)
}

mod shapes {
    use super::*;

    #[derive(Zap, Debug, PartialEq)]
    struct Named {
        id: u64,
        ok: bool,
        text: String,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Tuple(u16, String, [u8; 3]);

    #[derive(Zap, Debug, PartialEq)]
    struct Newtype(u64);

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct Unit;

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct Empty {}

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct EmptyTuple();

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    #[zap(dialect = "zapgen")]
    struct ZapgenUnit;

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    #[zap(dialect = "zip")]
    struct ZipUnit;

    #[derive(Zap, Debug, PartialEq)]
    struct Holder {
        before: u8,
        unit: Unit,
        id: Newtype,
        tuple: Tuple,
    }

    #[test]
    fn named_tuple_newtype() -> Outcome {
        let bytes = round_trip(&Named { id: 7, ok: true, text: "x".into() })?;
        assert_eq!(Named::view(&bytes)?.text()?, "x");
        let tuple = Tuple(9, "nine".into(), *b"abc");
        let bytes = round_trip(&tuple)?;
        let view = Tuple::view(&bytes)?;
        assert_eq!((view.field_0(), view.field_1()?, view.field_2()), (9, "nine", b"abc"));
        assert_eq!(Tuple::LAYOUT.fields[2].name, "2");
        let bytes = round_trip(&Newtype(5))?;
        assert_eq!(Newtype::view(&bytes)?.field_0(), 5);
        assert_eq!(bytes.len(), 24);
        Ok(())
    }

    #[test]
    fn records_without_fields_are_sixteen_bytes_in_every_dialect() -> Outcome {
        assert_eq!(round_trip(&Unit)?, b"ZAP\0\x01\0\0\0\x10\0\0\0\x10\0\0\0");
        assert_eq!(round_trip(&Empty {})?.len(), 16);
        assert_eq!(round_trip(&EmptyTuple())?.len(), 16);
        assert_eq!(round_trip(&ZapgenUnit)?, round_trip(&Unit)?);
        assert_eq!(round_trip(&ZipUnit)?, round_trip(&Unit)?);
        assert_eq!(Unit::LAYOUT.to_string(), "Unit: native, 0 bytes, alignment 1\noffset  width  type  field\n");
        Ok(())
    }

    #[test]
    fn an_empty_record_in_another_takes_no_room() -> Outcome {
        let holder = Holder { before: 1, unit: Unit, id: Newtype(2), tuple: Tuple(3, "t".into(), *b"xyz") };
        let bytes = round_trip(&holder)?;
        let view = Holder::view(&bytes)?;
        assert_eq!(view.id().field_0(), 2);
        assert_eq!(view.tuple().field_1()?, "t");
        assert_eq!(format!("{:?}", view.unit()), "UnitView");
        let offsets: Vec<_> = Holder::LAYOUT.fields.iter().map(|field| (field.offset, field.width)).collect();
        assert_eq!(offsets, [(0, 1), (1, 0), (8, 8), (16, 16)]);
        Ok(())
    }
}

mod generics {
    use super::*;

    #[derive(Zap, Debug, PartialEq)]
    struct Pair<T> {
        left: T,
        right: Vec<T>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Bounded<T: Clone + Default, U = u32>
    where
        U: Debug + PartialEq,
    {
        first: T,
        second: U,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Sized<const N: usize, const FLAG: bool = true> {
        id: [u8; N],
        words: [u16; 2],
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Two<'a, 'b> {
        first: &'a str,
        second: &'b [u8],
        third: Cow<'b, str>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Related<'a, 'b: 'a> {
        first: &'a str,
        second: &'b str,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct TakenM<'m, 'message> {
        text: &'m str,
        more: &'message str,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Static {
        text: &'static str,
        cow: Cow<'static, [u8]>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Mixed<'a, T, const N: usize> {
        text: &'a str,
        value: T,
        list: Vec<Pair<T>>,
        bytes: [u8; N],
    }

    #[allow(explicit_outlives_requirements)]
    #[derive(Zap, Debug, PartialEq)]
    struct Where<'a, T>
    where
        T: 'a + PartialEq,
    {
        items: &'a [T],
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Wraps<'a> {
        pair: Pair<&'a str>,
        list: Vec<Two<'a, 'a>>,
    }

    #[test]
    fn over_types_and_constants() -> Outcome {
        let bytes = round_trip(&Pair { left: 1_u16, right: vec![2, 3] })?;
        let view = Pair::<u16>::view(&bytes)?;
        assert_eq!((view.left(), view.right()?.len()), (1, 2));
        let _ = round_trip(&Pair { left: String::from("a"), right: vec!["b".into()] })?;
        let _ = round_trip(&Pair { left: Pair { left: 1_u8, right: vec![2] }, right: vec![] })?;
        let _ = round_trip(&Bounded::<u8> { first: 1, second: 2 })?;
        let bytes = round_trip(&Sized::<5> { id: *b"abcde", words: [1, 2] })?;
        assert_eq!(Sized::<5>::view(&bytes)?.id(), b"abcde");
        assert_eq!(Sized::<5>::LAYOUT.fields[1].offset, 6);
        assert_eq!(Sized::<2, false>::LAYOUT.fields[1].offset, 2);
        Ok(())
    }

    #[test]
    fn over_lifetimes() -> Outcome {
        let two = Two { first: "one", second: b"two", third: "three".into() };
        let bytes = two.to_vec()?;
        assert_eq!(Two::decode(&bytes)?, two);
        assert_eq!(Two::view(&bytes)?.third()?, "three");
        let bytes = Related { first: "a", second: "b" }.to_vec()?;
        assert_eq!(Related::decode(&bytes)?, Related { first: "a", second: "b" });
        let bytes = TakenM { text: "a", more: "b" }.to_vec()?;
        assert_eq!(TakenM::decode(&bytes)?.text, TakenM::view(&bytes)?.text()?);
        let mixed = Mixed { text: "t", value: 1_u32, list: vec![Pair { left: 2, right: vec![3] }], bytes: [1, 2, 3] };
        let bytes = mixed.to_vec()?;
        assert_eq!(Mixed::decode(&bytes)?, mixed);
        assert_eq!(Mixed::<u32, 3>::view(&bytes)?.list()?.get(0).map(|pair| pair.left()), Some(2));
        let bytes = Where { items: &[1_u32, 2] }.to_vec()?;
        assert_eq!(Where::<u32>::view(&bytes)?.items()?.get(1), Some(2));
        let wraps = Wraps {
            pair: Pair { left: "l", right: vec!["r"] },
            list: vec![Two { first: "1", second: b"2", third: "3".into() }],
        };
        let bytes = wraps.to_vec()?;
        assert_eq!(Wraps::decode(&bytes)?, wraps);
        assert_eq!(Wraps::view(&bytes)?.list()?.get(0).ok_or("empty")?.first()?, "1");
        Ok(())
    }

    #[test]
    fn static_fields_decode_from_static_bytes() -> Outcome {
        // In a static and not leaked: Miri looks for leaks.
        static MESSAGE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let message = Static { text: "forever", cow: b"x".into() }.to_vec()?;
        let bytes: &'static [u8] = MESSAGE.get_or_init(|| message);
        let decoded = Static::decode(bytes)?;
        assert_eq!(decoded.text, "forever");
        let copy = bytes.to_vec();
        assert_eq!(Static::view(&copy)?.text()?, "forever");
        assert_eq!(Static::view(&copy)?.cow()?, b"x");
        Ok(())
    }

    /// A view outlives the value's own lifetimes: it borrows from the message alone.
    #[test]
    fn the_view_borrows_from_the_message_only() -> Outcome {
        fn text<'m>(bytes: &'m [u8]) -> Result<&'m str, Box<dyn Error>> {
            let view: TwoView<'m> = Two::view(bytes)?;
            Ok(view.first()?)
        }
        let bytes = Two { first: "one", second: b"", third: "".into() }.to_vec()?;
        assert_eq!(text(&bytes)?, "one");
        Ok(())
    }
}

mod recursion {
    use super::*;

    #[derive(Zap, Debug, PartialEq, Default)]
    struct Tree {
        id: u32,
        #[allow(clippy::use_self)]
        children: Vec<Tree>,
    }

    #[derive(Zap, Debug, PartialEq, Default)]
    struct WithSelf {
        id: u32,
        children: Vec<Self>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Generic<T> {
        value: T,
        #[allow(clippy::use_self)]
        children: Vec<Generic<T>>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct GenericSelf<'a, T> {
        name: &'a str,
        value: T,
        children: Vec<Self>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Left<'a> {
        name: &'a str,
        rights: Vec<Right<'a>>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Right<'a> {
        left: Left<'a>,
    }

    #[derive(Zap, Debug, PartialEq, Default)]
    #[zap(dialect = "zapgen")]
    struct ZapgenTree {
        id: u32,
        #[allow(clippy::use_self)]
        children: Vec<ZapgenTree>,
    }

    #[derive(Zap, Debug, PartialEq, Default)]
    #[zap(dialect = "zip")]
    struct ZipTree {
        id: u32,
        children: Vec<Self>,
    }

    struct Constants;
    impl Constants {
        const LEN: usize = 3;
    }

    #[derive(Zap, Debug, PartialEq)]
    struct OwnConstant {
        bytes: [u8; Self::LEN],
        more: [u8; Constants::LEN + 1],
    }
    impl OwnConstant {
        const LEN: usize = 2;
    }

    #[test]
    fn records_that_hold_their_own_kind() -> Outcome {
        let tree = Tree { id: 1, children: vec![Tree { id: 2, children: vec![] }, Tree::default()] };
        let bytes = round_trip(&tree)?;
        assert_eq!(Tree::view(&bytes)?.children()?.get(0).ok_or("none")?.id(), 2);
        let _ = round_trip(&WithSelf { id: 1, children: vec![WithSelf::default()] })?;
        let _ = round_trip(&ZapgenTree { id: 1, children: vec![ZapgenTree { id: 2, children: vec![] }] })?;
        let _ = round_trip(&ZipTree { id: 1, children: vec![ZipTree { id: 2, children: vec![] }] })?;
        let leaf = |value| Generic { value, children: vec![] };
        let bytes = round_trip(&Generic { value: 1_u64, children: vec![leaf(2), leaf(3)] })?;
        assert_eq!(Generic::<u64>::view(&bytes)?.children()?.iter().map(|child| child.value()).sum::<u64>(), 5);
        let generic = GenericSelf { name: "a", value: 1_u8, children: vec![] };
        assert_eq!(GenericSelf::decode(&generic.to_vec()?)?, generic);
        let left = Left { name: "l", rights: vec![Right { left: Left { name: "r", rights: vec![] } }] };
        assert_eq!(Left::decode(&left.to_vec()?)?, left);
        Ok(())
    }

    #[test]
    fn lengths_are_constants_of_the_record_itself() -> Outcome {
        let bytes = round_trip(&OwnConstant { bytes: [1, 2], more: [3; 4] })?;
        assert_eq!(OwnConstant::view(&bytes)?.bytes(), &[1, 2]);
        Ok(())
    }
}

mod names {
    use super::*;

    #[allow(non_camel_case_types, clippy::struct_field_names)]
    #[derive(Zap, Debug, PartialEq, Eq)]
    struct r#type {
        r#type: u32,
        r#match: String,
        r#fn: u8,
    }

    /// Field names that occur in the expansion, in the traits or in the prelude.
    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct Clash {
        section: u8,
        walk: u8,
        sink: u8,
        base: u8,
        clone: u8,
        len: u8,
        get: u8,
        iter: u8,
        from_section: u8,
        fmt: u8,
        view: u8,
        decode: u8,
        error: u8,
        field: u8,
        place: u8,
        put: u8,
        check: u8,
        index: u8,
        to_vec: u8,
        eq: u8,
        into: u8,
        f: u8,
        m: u8,
        __section: u8,
        __walk: u8,
        __zap: u8,
        __field: u8,
        _reserved: u8,
    }

    /// Field names in capitals, and type parameters called as the expansion's own.
    #[allow(non_snake_case)]
    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct Capitals<S, D, M> {
        S: S,
        D: D,
        METERED: M,
        Self_: u8,
    }

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    struct Constant<const METERED: usize> {
        bytes: [u8; METERED],
    }

    /// A type parameter may have the name of a type that is refused.
    #[allow(non_camel_case_types, clippy::builtin_type_shadow, clippy::redundant_pub_crate)]
    mod parameter {
        use super::*;

        #[derive(Zap, Debug, PartialEq, Clone, Copy)]
        pub(super) struct Parameter<usize> {
            pub(super) value: usize,
        }
    }

    /// Types, constants, statics and functions with the names of the expansion's variables.
    #[allow(non_camel_case_types, non_upper_case_globals, dead_code, missing_copy_implementations)]
    #[allow(clippy::redundant_pub_crate, clippy::upper_case_acronyms)]
    mod crowded {
        use super::*;

        pub(super) const section: u8 = 1;
        pub(super) static walk: u8 = 2;
        pub(super) struct sink;
        pub(super) struct base;
        pub(super) struct error;
        pub(super) const f: u8 = 3;
        pub(super) const value: u8 = 3;
        pub(super) struct field;
        #[derive(Zap, Debug, PartialEq, Clone, Copy)]
        pub(super) struct S {
            pub(super) x: u8,
        }
        #[derive(Zap, Debug, PartialEq, Clone, Copy)]
        pub(super) struct METERED {
            pub(super) s: S,
        }
    }

    #[test]
    fn raw_identifiers() -> Outcome {
        let bytes = round_trip(&r#type { r#type: 1, r#match: "m".into(), r#fn: 2 })?;
        let view: typeView<'_> = r#type::view(&bytes)?;
        assert_eq!((view.r#type(), view.r#match()?, view.r#fn()), (1, "m", 2));
        assert_eq!(r#type::LAYOUT.name, "type");
        assert!(r#type::LAYOUT.field("match").is_some());
        assert_eq!(format!("{view:?}"), "typeView { type: 1, match: Ok(\"m\"), fn: 2 }");
        Ok(())
    }

    #[test]
    fn names_of_the_expansion() -> Outcome {
        let bytes: Vec<u8> = (0..28).collect();
        let mut message = b"ZAP\0\x01\0\0\0\x10\0\0\0\x30\0\0\0".to_vec();
        message.extend_from_slice(&bytes);
        message.resize(48, 0);
        let clash = Clash::decode(&message)?;
        assert_eq!(round_trip(&clash)?, message);
        let view = Clash::view(&message)?;
        assert_eq!((view.section(), view.clone(), view.len(), view.from_section(), view.fmt()), (0, 4, 5, 8, 9));
        // `Into` takes every value first, so this one needs the type's name.
        assert_eq!((view.eq(), ClashView::into(&view), view.__zap(), view._reserved()), (19, 20, 25, 27));
        // The helpers are reached through the trait.
        let _section = RecordView::section(&view);
        let capitals = Capitals { S: 1_u8, D: 2_u16, METERED: 3_u32, Self_: 4 };
        let bytes = round_trip(&capitals)?;
        assert_eq!(Capitals::<u8, u16, u32>::view(&bytes)?.METERED(), 3);
        let _ = round_trip(&Constant { bytes: [1, 2] })?;
        let _ = round_trip(&parameter::Parameter { value: 5_u16 })?;
        let _ = round_trip(&crowded::METERED { s: crowded::S { x: 1 } })?;
        Ok(())
    }
}

/// A module in which nothing means what it says.
mod shadows {
    #![allow(dead_code, unused_macros, non_camel_case_types, missing_copy_implementations)]
    #![allow(clippy::redundant_pub_crate)]

    pub(super) struct Result;
    pub(super) struct Option;
    pub(super) struct Vec;
    pub(super) struct String;
    pub(super) struct Box;
    pub(super) struct Some;
    pub(super) struct None;
    pub(super) struct Ok;
    pub(super) struct Err;
    pub(super) struct PhantomData;
    pub(super) struct str;
    pub(super) struct usize;
    pub(super) struct bool;
    pub(super) trait Clone {}
    pub(super) trait Copy {}
    pub(super) trait Debug {}
    pub(super) trait Default {}
    pub(super) trait Send {}
    pub(super) trait Sized {}
    pub(super) trait From {}
    pub(super) trait Into {}
    pub(super) trait Iterator {}
    pub(super) mod core {}
    pub(super) mod std {}
    pub(super) mod alloc {}
    pub(super) mod zap_core {}
    pub(super) type number = u64;

    macro_rules! assert {
        ($($anything:tt)*) => {
            compile_error!("the user's own macro")
        };
    }
    macro_rules! panic {
        ($($anything:tt)*) => {
            compile_error!("the user's own macro")
        };
    }
    macro_rules! matches {
        ($($anything:tt)*) => {
            compile_error!("the user's own macro")
        };
    }
    macro_rules! unreachable {
        ($($anything:tt)*) => {
            compile_error!("the user's own macro")
        };
    }

    /// Methods on everything, with the names that the derive's traits use.
    pub(super) trait Everything {
        fn decode(&self) {}
        fn encode_into(&self) {}
        fn view(&self) {}
        fn get(&self) {}
        fn put(&self) {}
        fn check(&self) {}
        fn section(&self) {}
        fn field(&self) {}
        fn named(&self) {}
        fn at(&self) {}
        fn checked(&self) {}
        fn finish(&self) {}
        fn clone(&self) {}
        fn fmt(&self) {}
        fn from_section() {}
        fn put_fields(&self) {}
        fn check_fields(&self) {}
    }
    impl<T: ?::core::marker::Sized> Everything for T {}

    #[derive(::zap_core::Zap)]
    pub(super) struct Native<'a> {
        pub(super) count: number,
        pub(super) text: ::std::string::String,
        pub(super) list: ::std::vec::Vec<::std::string::String>,
        pub(super) bytes: &'a [u8],
        #[zap(offset = 40)]
        pub(super) inner: Inner<u16, 2>,
    }

    #[derive(::zap_core::Zap)]
    pub(super) struct Inner<T, const N: ::core::primitive::usize> {
        pub(super) value: T,
        pub(super) array: [u8; N],
    }

    #[derive(::zap_core::Zap)]
    #[zap(dialect = "zip")]
    pub(super) struct Zip {
        pub(super) count: ::std::option::Option<u32>,
    }

    #[derive(::zap_core::Zap)]
    #[zap(dialect = "zapgen")]
    pub(super) struct Zapgen {
        pub(super) inner: ::std::option::Option<ZapgenInner>,
        pub(super) list: ::std::vec::Vec<ZapgenInner>,
    }

    #[derive(::zap_core::Zap)]
    #[zap(dialect = "zapgen")]
    pub(super) struct ZapgenInner {
        pub(super) id: u32,
    }
}

#[test]
fn the_users_module_shadows_everything() -> Outcome {
    let value = shadows::Native {
        count: 1,
        text: "t".into(),
        list: vec!["a".into()],
        bytes: b"b",
        inner: shadows::Inner { value: 5, array: [6, 7] },
    };
    let bytes = value.to_vec()?;
    let view = shadows::Native::view(&bytes)?;
    assert_eq!((view.count(), view.text()?, view.inner().value()), (1, "t", 5));
    assert_eq!(shadows::Native::decode(&bytes)?.list, ["a"]);
    let bytes = shadows::Zip { count: Some(3) }.to_vec()?;
    assert_eq!(shadows::Zip::decode(&bytes)?.count, Some(3));
    let zapgen = shadows::Zapgen { inner: None, list: vec![shadows::ZapgenInner { id: 9 }] };
    let bytes = zapgen.to_vec()?;
    assert_eq!(shadows::Zapgen::decode(&bytes)?.list[0].id, 9);
    Ok(())
}

/// zap-core under another name, and by way of a module.
mod renamed {
    use super::*;

    #[allow(clippy::redundant_pub_crate)]
    mod vendored {
        pub(in super::super) mod nested {
            pub(in super::super::super) use zap_core as wire;
        }
    }
    /// What the default path must not find.
    mod zap_core {}

    use vendored::nested::wire;

    #[derive(wire::Zap, Debug, PartialEq, Clone, Copy)]
    #[zap(crate = "wire")]
    struct Local {
        id: u32,
    }

    #[derive(wire::Zap, Debug, PartialEq)]
    #[zap(crate = "crate::renamed::vendored::nested::wire", dialect = "zip", rename = "remote")]
    struct Remote {
        id: u32,
        list: Vec<u64>,
    }

    #[derive(wire::Zap, Debug, PartialEq)]
    #[zap(crate = "self::vendored::nested::wire")]
    struct Relative<'a, T> {
        text: Cow<'a, str>,
        value: T,
    }

    #[test]
    fn the_crate_attribute_is_followed_everywhere() -> Outcome {
        let _ = round_trip(&Local { id: 1 })?;
        let _ = round_trip(&Remote { id: 1, list: vec![2] })?;
        let relative = Relative { text: "x".into(), value: 2_u8 };
        assert_eq!(Relative::decode(&relative.to_vec()?)?, relative);
        assert_eq!(Remote::LAYOUT.name, "remote");
        Ok(())
    }
}

mod places {
    use super::*;

    #[test]
    fn inside_a_function() -> Outcome {
        #[derive(Zap, Debug, PartialEq)]
        struct Inner {
            id: u32,
        }

        #[derive(Zap, Debug, PartialEq)]
        struct Outer<'a> {
            inner: Inner,
            many: Vec<Inner>,
            text: &'a str,
        }

        let outer = Outer { inner: Inner { id: 1 }, many: vec![Inner { id: 2 }], text: "t" };
        let bytes = outer.to_vec()?;
        let view: OuterView<'_> = Outer::view(&bytes)?;
        let many: ListView<'_, Inner> = view.many()?;
        assert_eq!((view.inner().id(), many.len()), (1, 1));
        assert_eq!(Outer::decode(&bytes)?, outer);
        Ok(())
    }

    macro_rules! record {
        ($(#[$meta:meta])* $name:ident { $($field:ident: $ty:ty),* $(,)? }) => {
            #[derive(Zap, Debug, PartialEq)]
            $(#[$meta])*
            struct $name {
                $($field: $ty),*
            }
        };
    }
    macro_rules! tuple {
        ($name:ident, $lifetime:lifetime, $($ty:ty),*) => {
            #[derive(Zap, Debug, PartialEq)]
            struct $name<$lifetime>($($ty),*);
        };
    }
    macro_rules! sized {
        ($name:ident, $len:expr, $offset:literal) => {
            #[derive(Zap, Debug, PartialEq, Clone, Copy)]
            struct $name {
                bytes: [u8; $len],
                #[zap(offset = $offset)]
                far: u32,
            }
        };
    }
    /// Names of the macro's own, beside those it is given.
    macro_rules! hygienic {
        ($name:ident, $field:ident) => {
            #[derive(Zap, Debug, PartialEq, Clone, Copy)]
            struct $name<T> {
                own: T,
                $field: Inner,
            }
            #[derive(Zap, Debug, PartialEq, Clone, Copy)]
            struct Inner {
                x: u8,
            }
        };
    }

    record!(Made { id: u64, text: String, list: Vec<Vec<u8>>, bytes: [u8; 4], });
    record!(#[zap(dialect = "zapgen")] MadeZapgen { id: u64, list: Vec<u32> });
    tuple!(MadeTuple, 'x, &'x str, &'x [u8], Vec<&'x str>);
    sized!(MadeSized, 3, 8);
    hygienic!(MadeHygienic, inner);

    #[test]
    fn by_a_macro() -> Outcome {
        let _ = round_trip(&Made { id: 1, text: "t".into(), list: vec![vec![1]], bytes: [1; 4] })?;
        let _ = round_trip(&MadeZapgen { id: 1, list: vec![2] })?;
        let tuple = MadeTuple("a", b"b", vec!["c"]);
        assert_eq!(MadeTuple::decode(&tuple.to_vec()?)?, tuple);
        let _ = round_trip(&MadeSized { bytes: [1, 2, 3], far: 4 })?;
        let _ = round_trip(&MadeHygienic { own: 1_u16, inner: Inner { x: 2 } })?;
        Ok(())
    }
}

/// Visibility: the view is as visible as the record, each accessor as its field.
pub mod visibility {
    use super::*;

    /// A documented record.
    #[derive(Zap, Debug, PartialEq, Eq, Clone, Copy)]
    pub struct Public {
        /// What a reader of the view's documentation sees too.
        pub open: u32,
        pub(crate) half: u16,
        pub(super) above: u8,
        closed: u8,
    }

    #[derive(Zap, Debug, PartialEq, Clone, Copy)]
    pub(crate) struct Crate(pub(crate) u32, u8);

    /// With a field that is not there, and one that is on every target.
    #[derive(Zap, Debug, PartialEq, Eq, Clone, Copy)]
    pub struct Conditional {
        /// Here.
        pub here: u32,
        /// Not here.
        #[cfg(any())]
        pub gone: NoSuchType,
        /// Here too.
        #[cfg(not(any()))]
        #[cfg_attr(all(), zap(rename = "also"))]
        pub too: u32,
    }

    /// With a field that nobody should use.
    #[derive(Zap, Debug, Clone, Copy)]
    pub struct Old {
        /// Still on the wire.
        #[deprecated]
        pub old: u32,
    }

    impl Public {
        /// The closed field's accessor is in reach here.
        ///
        /// # Errors
        ///
        /// The bytes are no such record.
        pub fn closed_of(bytes: &[u8]) -> Result<u8, zap_core::DecodeError> {
            Ok(Self::view(bytes)?.closed())
        }

        /// A value.
        #[must_use]
        pub const fn sample() -> Self {
            Self { open: 1, half: 2, above: 3, closed: 4 }
        }
    }

    #[test]
    fn conditional_fields_are_gone_before_the_derive() -> Outcome {
        let bytes = round_trip(&Conditional { here: 1, too: 2 })?;
        assert_eq!(Conditional::view(&bytes)?.too(), 2);
        assert_eq!(Conditional::LAYOUT.fields.len(), 2);
        assert_eq!(Conditional::LAYOUT.fields[1].name, "also");
        let _ = round_trip(&Crate(1, 2))?;
        Ok(())
    }
}

#[test]
fn accessors_are_as_visible_as_their_fields() -> Outcome {
    use visibility::{Public, PublicView};
    let bytes = round_trip(&Public::sample())?;
    let view: PublicView<'_> = Public::view(&bytes)?;
    assert_eq!((view.open(), view.half(), view.above(), Public::closed_of(&bytes)?), (1, 2, 3, 4));
    Ok(())
}

mod enums {
    use super::*;
    use zap_core::{DecodeError, EnumView, Enumeration};

    /// Names that a careless expansion would use are taken, as in the struct's test of shadowed names.
    #[allow(dead_code, non_camel_case_types)]
    mod shadowed {
        struct Result;
        struct Option;
        struct Some;
        struct None;
        struct Ok;
        struct Err;
        struct Vec;
        struct Default;
        struct Copy;
        struct Slot;
        struct Native;
        struct u8;
        struct u32;
        struct usize;
        struct bool;
        mod core {}
        mod std {}
        mod zap_core {}

        type Text = ::std::string::String;
        type Byte = ::core::primitive::u8;

        #[derive(::zap_core::Zap, Clone, Copy, Debug, PartialEq)]
        #[zap(crate = "::zap_core")]
        #[repr(u8)]
        pub(super) enum Plain {
            r#type = 1,
            Other = 2,
        }

        #[derive(::zap_core::Zap, Clone, Debug, PartialEq)]
        #[zap(crate = "::zap_core")]
        pub(super) enum Data {
            r#match,
            r#loop { r#fn: Text, __value: Byte, __section: Byte },
            Pair(Text, Byte),
        }
    }

    #[derive(Zap, Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u16)]
    enum Plain {
        Low = 1,
        #[deprecated]
        Old,
        High = 0xff00,
        #[zap(other)]
        Other(u16),
    }

    /// Documented.
    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Documented<'m, T> {
        /// A variant.
        Text(&'m str),
        /// Another.
        Fields {
            /// A field.
            value: T,
            /// Another.
            text: &'m str,
        },
        /// A third.
        Nothing,
        /// Whatever else.
        #[zap(other)]
        Other(u32),
    }

    #[derive(Zap, Debug, PartialEq)]
    #[zap(transparent)]
    struct Wrapped<'a, T>(Documented<'a, T>)
    where
        T: PartialEq + Debug;

    #[derive(Zap, Debug, PartialEq, Default)]
    #[zap(growable)]
    struct Grown<'a, const N: usize> {
        text: &'a str,
        numbers: Vec<[u16; N]>,
    }

    macro_rules! from_a_macro {
        ($name:ident { $($variant:ident ($ty:ty)),* }) => {
            #[derive(Zap, Debug, PartialEq)]
            enum $name {
                $($variant($ty),)*
            }
        };
    }

    from_a_macro!(Made { Number(u32), Words(Vec<String>) });

    #[test]
    fn names_nearby_are_not_mistaken() -> Outcome {
        use shadowed::{Data, DataView, Plain};
        let bytes = round_trip(&Data::r#loop { r#fn: "f".into(), __value: 1, __section: 2 })?;
        let DataView::r#loop(view) = Data::view(&bytes)?.get()? else { return Err("another variant".into()) };
        assert_eq!((view.r#fn()?, view.__value(), view.__section()), ("f", 1, 2));
        assert_eq!(Data::ENUM.variants[0].name, "match");
        assert!(matches!(Data::view(&round_trip(&Data::r#match)?)?.get()?, DataView::r#match));
        assert_eq!(Plain::view(&round_trip(&Plain::r#type)?)?.get()?, Plain::r#type);
        assert_eq!(Plain::decode(&round_trip(&Plain::Other)?)?, Plain::Other);
        let _ = round_trip(&Data::Pair("p".into(), 3))?;
        Ok(())
    }

    #[test]
    fn enums_of_every_form() -> Outcome {
        for plain in [Plain::Low, Plain::High, Plain::Other(7)] {
            assert_eq!(Plain::view(&round_trip(&plain)?)?.get(), plain);
        }
        let text = Wrapped(Documented::<u8>::Text("t"));
        let bytes = text.to_vec()?;
        assert_eq!(Wrapped::<u8>::decode(&bytes)?, text);
        let DocumentedView::Text(read) = Wrapped::<u8>::view(&bytes)?.field_0()? else { return Err("no text".into()) };
        assert_eq!(read.get()?, "t");
        let fields = Documented::Fields { value: 5_u64, text: "u" };
        let bytes = fields.to_vec()?;
        let view: EnumView<'_, Documented<'_, u64>> = Documented::view(&bytes)?;
        let DocumentedView::Fields(read) = view.get()? else { return Err("no fields".into()) };
        assert_eq!((read.value(), read.text()?), (5, "u"));
        let grown = Grown::<2> { text: "g", numbers: vec![[1, 2]] };
        assert_eq!(Grown::<2>::decode(&grown.to_vec()?)?, grown);
        let made = round_trip(&Made::Words(vec!["w".into()]))?;
        let read: Result<MadeView<'_>, DecodeError> = Made::view(&made)?.get();
        assert!(matches!(read?, MadeView::Words(words) if words.get().is_ok()));
        let _ = round_trip(&Made::Number(1))?;
        Ok(())
    }
}
