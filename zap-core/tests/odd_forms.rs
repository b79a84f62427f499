//! Odd but legal structs and enums, under every lint a user may deny. That this file compiles is most of the test.
#![cfg(feature = "derive")]
#![forbid(unsafe_code)]
#![deny(missing_docs, unreachable_pub, unused, dead_code, warnings)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]
#![deny(
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    meta_variable_misuse,
    missing_debug_implementations,
    non_ascii_idents,
    redundant_lifetimes,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results
)]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::Debug;

use zap_core::{DecodeOwned, Enumeration, Limits, Zap};

type Outcome = Result<(), Box<dyn Error>>;

/// Encodes, validates, views and decodes; returns the message.
fn round_trip<T: Zap + DecodeOwned + PartialEq + Debug>(value: &T) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = value.to_vec()?;
    let view = T::validate(&bytes, &Limits::new())?;
    assert!(!format!("{view:?}").is_empty());
    assert_eq!(&T::decode(&bytes)?, value);
    Ok(bytes)
}

/// Variants with the names that an expansion would use itself.
mod variant_names {
    use super::*;

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Prelude {
        None,
        Some(u8),
        Ok(String),
        Err { none: u8, some: String },
        Default,
        Self_,
        View(u32),
        Layout(String, u8),
        Enum,
        Record(Vec<String>),
        Result(BTreeMap<String, u32>),
        Option(Option<String>),
    }

    #[derive(Zap, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(u16)]
    enum Plain {
        #[default]
        None,
        Some,
        Ok,
        Err,
        View,
        Number,
        Other = 77,
        #[zap(other)]
        Rest(u16),
    }

    /// The same variants again, in the same module.
    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Prelude2 {
        None,
        Some { x: u8, y: u8 },
        View { view: u8, section: u8 },
        Plain(Plain),
    }

    #[allow(non_camel_case_types)]
    #[derive(Zap, Clone, Debug, PartialEq)]
    enum r#match {
        r#fn(u8),
        r#if { r#else: u8, r#type: String },
        r#async,
    }

    #[allow(non_camel_case_types)]
    #[derive(Zap, Clone, Copy, Debug, PartialEq)]
    enum r#loop {
        r#break,
        r#continue = 5,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Holder {
        a: Prelude,
        b: Option<Prelude>,
        c: Vec<Prelude2>,
        d: r#match,
        e: Option<r#loop>,
        f: BTreeMap<Plain, r#match>,
        g: [Prelude; 2],
        h: Box<Prelude>,
        i: (Prelude, r#loop),
    }

    #[test]
    fn of_the_prelude() -> Outcome {
        let all = [
            Prelude::None,
            Prelude::Some(1),
            Prelude::Ok("x".into()),
            Prelude::Err { none: 1, some: "s".into() },
            Prelude::Default,
            Prelude::Self_,
            Prelude::View(1),
            Prelude::Layout("l".into(), 2),
            Prelude::Enum,
            Prelude::Record(vec!["r".into()]),
            Prelude::Result(BTreeMap::from([("k".into(), 1)])),
            Prelude::Option(Some(String::new())),
        ];
        for value in &all {
            let _ = round_trip(value)?;
        }
        for value in
            [Plain::None, Plain::Some, Plain::Ok, Plain::Err, Plain::View, Plain::Number, Plain::Other, Plain::Rest(9)]
        {
            let _ = round_trip(&value)?;
        }
        for value in [Prelude2::None, Prelude2::Some { x: 1, y: 2 }, Prelude2::View { view: 1, section: 2 }] {
            let _ = round_trip(&value)?;
        }
        let holder = Holder {
            a: Prelude::None,
            b: Some(Prelude::Self_),
            c: vec![Prelude2::Plain(Plain::Rest(9))],
            d: r#match::r#if { r#else: 1, r#type: "t".into() },
            e: Some(r#loop::r#continue),
            f: BTreeMap::from([(Plain::View, r#match::r#fn(1)), (Plain::None, r#match::r#async)]),
            g: [Prelude::Enum, Prelude::Some(3)],
            h: Box::new(Prelude::Default),
            i: (Prelude::None, r#loop::r#break),
        };
        let bytes = round_trip(&holder)?;
        let view = Holder::view(&bytes)?;
        assert!(matches!(view.d()?, matchView::r#if(inner) if inner.r#else() == 1));
        assert_eq!(r#match::ENUM.name, "match");
        Ok(())
    }
}

mod generics {
    use super::*;
    use std::borrow::Cow;
    use std::marker::PhantomData;

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Either<L, R = u8>
    where
        L: Debug,
        R: Debug + PartialEq,
    {
        Left(L),
        Right(R),
        Both { left: L, right: R },
        Neither,
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Borrowing<'a, 'b: 'a, T, const N: usize> {
        Text(&'a str),
        Bytes(&'b [u8]),
        Cows(Cow<'a, str>, Cow<'b, [u8]>),
        Array([T; N]),
        Arrays {
            arrays: [[u8; N]; 2],
        },
        Marker(PhantomData<T>),
        #[zap(other)]
        Unknown(u32),
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Recursive<T> {
        Leaf(T),
        #[allow(clippy::use_self)]
        Node(Box<Recursive<T>>, Box<Recursive<T>>),
        Many(Vec<Self>),
        Maybe {
            inner: Option<Box<Self>>,
        },
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    enum Chain {
        End,
        Next(Box<Self>),
        Maybe(Option<Box<Self>>),
        Pair((Box<Self>, u8)),
        Array([Box<Self>; 2]),
        List(Vec<Self>),
        Map(BTreeMap<u8, Self>),
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    struct Matrix<T, const R: usize, const C: usize> {
        cells: [[T; C]; R],
        maybe: Option<[T; C]>,
        list: Vec<[T; R]>,
    }

    #[derive(Zap, Clone, Debug, PartialEq)]
    #[zap(transparent)]
    struct Tagged<T, Tag>(T, #[zap(skip)] PhantomData<Tag>);

    #[derive(Debug, PartialEq, Clone)]
    enum Meters {}

    #[test]
    fn of_enums() -> Outcome {
        let _ = round_trip(&Either::<u8, String>::Left(1))?;
        let _ = round_trip(&Either::<u8>::Right(1))?;
        let _ = round_trip(&Either::Both { left: vec![1_u16], right: Some(String::new()) })?;
        let _ = round_trip(&Either::<Either<u8, u16>, u8>::Left(Either::Neither))?;
        let tree = Recursive::Node(
            Box::new(Recursive::Leaf(1_u8)),
            Box::new(Recursive::Many(vec![
                Recursive::Maybe { inner: None },
                Recursive::Maybe { inner: Some(Box::new(Recursive::Leaf(4))) },
            ])),
        );
        let _ = round_trip(&tree)?;
        let _ = round_trip(&Chain::Next(Box::new(Chain::Maybe(None))))?;
        let _ = round_trip(&Chain::Pair((
            Box::new(Chain::Array([Box::new(Chain::End), Box::new(Chain::List(vec![Chain::End]))])),
            1,
        )))?;
        let _ = round_trip(&Chain::Map(BTreeMap::from([(1, Chain::End)])))?;
        let _ = round_trip(&Matrix { cells: [[1_u16, 2, 3], [4, 5, 6]], maybe: Some([1, 2, 3]), list: vec![[1, 2]] })?;
        let _ = round_trip(&Matrix { cells: [["a".to_owned()]], maybe: None, list: vec![] })?;
        let _ = round_trip(&Tagged::<u32, Meters>(5, PhantomData))?;
        for value in [
            Borrowing::Text("t"),
            Borrowing::Bytes(b"b"),
            Borrowing::Cows("c".into(), b"d".into()),
            Borrowing::Array([1_u16, 2]),
            Borrowing::Arrays { arrays: [[1, 2], [3, 4]] },
            Borrowing::Marker(PhantomData),
            Borrowing::Unknown(99),
        ] {
            let bytes = value.to_vec()?;
            assert_eq!(Borrowing::<u16, 2>::decode(&bytes)?, value);
        }
        Ok(())
    }
}

/// Fields and variants that are there only sometimes.
pub mod conditional {
    use super::*;

    /// Documented.
    #[derive(Zap, Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Event {
        /// Gone.
        #[cfg(any())]
        Gone(NoSuchType),
        /// There.
        #[cfg(not(any()))]
        There {
            /// Gone.
            #[cfg(any())]
            gone: NoSuchType,
            /// There.
            #[cfg_attr(all(), zap(rename = "y"))]
            x: u8,
        },
        /// Old.
        #[deprecated]
        Old(u8),
        /// Last.
        Last(#[cfg(any())] NoSuchType, u8),
    }

    /// Documented.
    #[derive(Zap, Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Kind {
        /// One.
        One = Self::FIRST as isize,
        /// Two.
        Two = (1 << 4) + BASE,
        /// Three.
        Three = {
            const THREE: isize = 3;
            THREE * 100
        },
    }

    const BASE: isize = 8;

    impl Kind {
        const FIRST: u8 = 7;
    }

    /// Documented.
    #[derive(Zap, Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct Record {
        /// One.
        pub one: Kind,
    }

    #[test]
    fn are_there() -> Outcome {
        let _ = round_trip(&Event::There { x: 1 })?;
        let _ = round_trip(&Event::Last(2))?;
        for kind in [Kind::One, Kind::Two, Kind::Three] {
            let _ = round_trip(&Record { one: kind })?;
        }
        assert_eq!(Kind::ENUM.variants[1].number, 24);
        Ok(())
    }
}

/// Visibility that stops at a module.
pub mod outer {
    #[allow(clippy::redundant_pub_crate)]
    pub(crate) mod inner {
        pub(in crate::outer) mod innermost {
            use zap_core::Zap;

            #[derive(Zap, Debug, Clone, PartialEq)]
            pub(in crate::outer) enum Hidden {
                Empty,
                Filled { value: Private },
            }

            #[derive(Zap, Debug, Clone, PartialEq)]
            pub(in crate::outer) struct Private {
                pub(in crate::outer) x: u8,
                y: u8,
            }

            pub(in crate::outer) const fn sample() -> Hidden {
                Hidden::Filled { value: Private { x: 1, y: 2 } }
            }
        }
    }

    #[test]
    fn is_kept() -> super::Outcome {
        use inner::innermost::{Hidden, HiddenView, sample};
        use zap_core::Zap;
        let bytes = super::round_trip(&sample())?;
        assert!(matches!(Hidden::view(&bytes)?.get()?, HiddenView::Filled(fields) if fields.value().x() == 1));
        let _ = super::round_trip(&Hidden::Empty)?;
        Ok(())
    }
}

mod places {
    use super::*;

    #[test]
    fn in_functions_and_blocks() -> Outcome {
        #[derive(Zap, Clone, Debug, PartialEq)]
        enum Local {
            A(Inner),
            B { inner: Vec<Inner> },
        }
        #[derive(Zap, Clone, Debug, PartialEq)]
        struct Inner(u8, String);

        let _ = round_trip(&Local::A(Inner(1, "x".into())))?;
        let nested = || -> Outcome {
            #[derive(Zap, Clone, Debug, PartialEq, Default)]
            #[zap(growable)]
            struct Local {
                a: u8,
                b: String,
            }
            let _ = round_trip(&Local { a: 1, b: "b".into() })?;
            Ok(())
        };
        nested()?;
        let _ = round_trip(&Local::B { inner: vec![Inner(1, "x".into())] })?;
        Ok(())
    }

    macro_rules! make {
        ($(#[$meta:meta])* $vis:vis enum $name:ident<$life:lifetime, $ty:ident> { $($variant:ident { $($field:ident : $field_ty:ty = $attr:literal),* } = $tag:expr),* }) => {
            #[derive(Zap, Debug, PartialEq)]
            $(#[$meta])*
            $vis enum $name<$life, $ty> {
                $(#[zap(tag = $tag)] $variant { $(#[zap(rename = $attr)] $field: $field_ty),* },)*
            }
        };
    }

    make!(
        #[zap(rename = "made.it")]
        enum Made<'x, T> {
            A { text: &'x str = "t", value: T = "v" } = 9,
        B { } = 3
    }
    );

    macro_rules! plain {
        ($name:ident $repr:ident $($variant:ident = $value:expr),*) => {
            #[derive(Zap, Debug, PartialEq, Clone, Copy)]
            #[repr($repr)]
            enum $name { $($variant = $value),* }
        };
    }
    plain!(MadePlain u8 A = 1 + 2, B = u8::MAX);

    macro_rules! attributes {
        ($name:ident, $dialect:literal, $offset:expr, $with:literal) => {
            #[derive(Zap, Debug, PartialEq, Clone)]
            #[zap(dialect = $dialect)]
            struct $name {
                #[zap(offset = $offset, with = $with)]
                value: u8,
                #[zap(skip)]
                skipped: Vec<std::path::PathBuf>,
            }
        };
    }
    attributes!(MadeAttributes, "zapgen", 3, "wide");

    #[allow(clippy::trivially_copy_pass_by_ref, clippy::redundant_pub_crate)]
    mod wide {
        pub(super) type Wire = u32;
        pub(super) fn to_wire(value: &u8) -> Wire {
            u32::from(*value) * 1000
        }
        #[derive(Debug)]
        pub(super) struct TooLarge;
        impl std::fmt::Display for TooLarge {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("too large")
            }
        }
        pub(super) fn from_wire(wire: Wire) -> Result<u8, TooLarge> {
            u8::try_from(wire / 1000).map_err(|_| TooLarge)
        }
    }

    #[test]
    fn by_macros() -> Outcome {
        let made = Made::A { text: "t", value: 4_u8 };
        assert_eq!(Made::decode(&made.to_vec()?)?, made);
        assert_eq!(Made::<'_, u8>::ENUM.variants[0].number, 9);
        let empty: Made<'_, u8> = Made::B {};
        assert_eq!(Made::decode(&empty.to_vec()?)?, empty);
        let _ = round_trip(&MadePlain::A)?;
        let _ = round_trip(&MadePlain::B)?;
        let _ = round_trip(&MadeAttributes { value: 5, skipped: vec![] })?;
        Ok(())
    }
}

mod skipped {
    use super::*;
    use std::sync::atomic::AtomicU8;

    #[derive(Zap, Debug, Default)]
    struct InTuple(#[zap(skip)] AtomicU8, u8, #[zap(skip)] Vec<std::path::PathBuf>, String, #[zap(skip)] ());

    #[allow(dead_code)]
    #[derive(Zap, Debug)]
    enum InVariants {
        Tuple(#[zap(skip)] AtomicU8, u8, #[zap(skip)] AtomicU8),
        Named {
            #[zap(skip)]
            cache: AtomicU8,
            value: String,
        },
        Nothing(#[zap(skip)] AtomicU8),
        NothingNamed {
            #[zap(skip)]
            cache: AtomicU8,
        },
    }

    #[allow(dead_code)]
    #[derive(Zap, Debug)]
    struct All {
        #[zap(skip)]
        cache: AtomicU8,
    }

    #[allow(dead_code)]
    #[derive(Zap, Debug)]
    #[zap(transparent)]
    struct Transparent {
        #[zap(skip)]
        cache: AtomicU8,
        value: u32,
    }

    #[derive(Zap, Debug)]
    struct Generic<T: Default> {
        #[zap(skip)]
        cache: T,
        value: u32,
    }

    #[derive(Zap, Debug)]
    struct Lifetime<'a> {
        #[zap(skip)]
        cache: Option<&'a AtomicU8>,
        value: u32,
    }

    #[test]
    fn in_tuples_and_variants() -> Outcome {
        let tuple = InTuple(AtomicU8::new(1), 2, vec!["p".into()], "s".into(), ());
        let bytes = tuple.to_vec()?;
        let back = InTuple::decode(&bytes)?;
        assert_eq!((back.0.into_inner(), back.1, back.2.len(), back.3.as_str(), back.4), (0, 2, 0, "s", ()));
        assert_eq!(InTuple::view(&bytes)?.field_3()?, "s");
        for value in [
            InVariants::Tuple(AtomicU8::new(1), 2, AtomicU8::new(3)),
            InVariants::Named { cache: AtomicU8::new(1), value: "v".into() },
            InVariants::Nothing(AtomicU8::new(1)),
            InVariants::NothingNamed { cache: AtomicU8::new(1) },
        ] {
            let bytes = value.to_vec()?;
            let back = InVariants::decode(&bytes)?;
            assert_eq!(std::mem::discriminant(&back), std::mem::discriminant(&value));
            let _ = InVariants::view(&bytes)?.get()?;
        }
        assert_eq!(All { cache: AtomicU8::new(1) }.to_vec()?.len(), 16);
        let transparent = Transparent { cache: AtomicU8::new(1), value: 7 };
        assert_eq!(Transparent::decode(&transparent.to_vec()?)?.value, 7);
        let generic = Generic { cache: "x", value: 7 };
        assert_eq!(Generic::<String>::decode(&generic.to_vec()?)?.value, 7);
        assert_eq!(generic.cache, "x");
        let atomic = AtomicU8::new(1);
        let lifetime = Lifetime { cache: Some(&atomic), value: 7 };
        let back = Lifetime::decode(&lifetime.to_vec()?)?.value;
        assert_eq!(back, 7);
        assert!(lifetime.cache.is_some());
        Ok(())
    }
}

mod combined {
    use super::*;

    #[derive(Zap, Debug, PartialEq, Default, Clone)]
    #[zap(growable, version = 2, rename = "acme.Grown", pin = "version:2 growable a:u8@4 x:text@8 size:16")]
    struct Grown {
        a: u8,
        #[zap(rename = "x")]
        b: String,
        #[zap(skip)]
        c: u8,
    }

    #[derive(Zap, Debug, PartialEq, Default, Clone)]
    #[zap(growable)]
    struct Offset {
        a: u8,
        b: u64,
        #[zap(with = "twice")]
        c: u8,
    }

    #[allow(clippy::trivially_copy_pass_by_ref, clippy::redundant_pub_crate)]
    mod twice {
        pub(super) type Wire = u16;
        pub(super) fn to_wire(value: &u8) -> Wire {
            u16::from(*value) * 2
        }
        pub(super) fn from_wire(wire: Wire) -> Result<u8, std::num::TryFromIntError> {
            u8::try_from(wire / 2)
        }
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    #[zap(transparent)]
    struct With(u8);

    #[derive(Zap, Debug, PartialEq, Clone)]
    enum InVariant {
        A(#[zap(with = "twice")] u8),
        B {
            #[zap(with = "twice", rename = "z")]
            y: u8,
            #[zap(skip)]
            skipped: BTreeSet<u8>,
        },
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    struct Holder {
        grown: Grown,
        list: Vec<Grown>,
        map: BTreeMap<u8, Grown>,
        option: Option<Grown>,
        array: [Offset; 2],
        boxed: Box<Offset>,
        with: With,
        withs: Vec<With>,
        variants: Vec<InVariant>,
    }

    #[test]
    fn attributes() -> Outcome {
        let grown = Grown { a: 1, b: "b".into(), c: 0 };
        let offset = Offset { a: 1, b: 2, c: 3 };
        let bytes = round_trip(&grown)?;
        assert_eq!(bytes[4], 2);
        let _ = round_trip(&offset)?;
        let _ = round_trip(&With(3))?;
        let holder = Holder {
            grown: grown.clone(),
            list: vec![grown.clone(), Grown::default()],
            map: BTreeMap::from([(1, grown.clone())]),
            option: Some(grown),
            array: [offset.clone(), Offset::default()],
            boxed: Box::new(offset),
            with: With(1),
            withs: vec![With(2)],
            variants: vec![InVariant::A(1), InVariant::B { y: 2, skipped: BTreeSet::new() }],
        };
        let _ = round_trip(&holder)?;
        Ok(())
    }
}

/// A module in which the primitive types are the user's own.
mod shadowed {
    use super::*;

    #[allow(non_camel_case_types, dead_code, missing_copy_implementations, missing_debug_implementations)]
    mod primitives {
        struct bool;
        struct u8;
        struct u32;
        struct str;
        struct usize;
        struct i128;
        struct Some;
        struct None;
        struct Default;
        struct Debug;

        #[derive(::zap_core::Zap, Clone, Copy, ::core::fmt::Debug, PartialEq)]
        #[repr(u16)]
        pub(super) enum Open {
            A = 1 + 2,
            B,
            #[zap(other)]
            Other(::core::primitive::u16),
        }

        #[derive(::zap_core::Zap, Clone, Copy, ::core::fmt::Debug, PartialEq)]
        pub(super) enum Plain {
            A = 1 + 2,
            B,
        }

        #[derive(::zap_core::Zap, ::core::fmt::Debug, PartialEq)]
        #[zap(growable)]
        pub(super) struct Grown {
            pub(super) number: ::core::primitive::u16,
            #[zap(skip)]
            pub(super) cache: ::core::primitive::u16,
            pub(super) open: Option<Open>,
        }

        #[derive(::zap_core::Zap, ::core::fmt::Debug, PartialEq)]
        pub(super) enum Data {
            Unit,
            Pair(Plain, Open),
            Named {
                grown: Grown,
                #[zap(skip)]
                cache: ::core::primitive::u16,
            },
            #[zap(other)]
            Other(core::primitive::u32),
        }
    }

    #[test]
    fn primitives_of_the_users_own() -> Outcome {
        use primitives::{Data, Grown, Open, Plain};
        let grown = || Grown { number: 1, cache: 0, open: Some(Open::Other(9)) };
        for value in [
            Data::Unit,
            Data::Pair(Plain::A, Open::A),
            Data::Pair(Plain::B, Open::B),
            Data::Named { grown: grown(), cache: 0 },
            Data::Other(77),
        ] {
            let _ = round_trip(&value)?;
        }
        let _ = round_trip(&grown())?;
        Ok(())
    }
}
