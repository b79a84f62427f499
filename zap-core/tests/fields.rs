//! `transparent`, `skip` and `with`.
#![cfg(feature = "derive")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::time::Duration;

use zap_core::{DecodeErrorKind, DecodeOwned, FieldType, Limits, Zap};

type Outcome = Result<(), Box<dyn Error>>;

/// Encodes, validates, views and decodes; returns the message.
fn round_trip<T: Zap + DecodeOwned + PartialEq + std::fmt::Debug>(value: &T) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = value.to_vec()?;
    assert_eq!(bytes.len(), value.encoded_len());
    let view = T::validate(&bytes, &Limits::new())?;
    assert!(!format!("{view:?}").is_empty());
    assert_eq!(&T::decode(&bytes)?, value);
    Ok(bytes)
}

mod transparent {
    use super::*;

    #[derive(Zap, Debug, PartialEq, Clone)]
    #[zap(transparent)]
    struct Id(u64);

    #[derive(Zap, Debug, PartialEq, Clone)]
    #[zap(transparent)]
    struct Byte {
        value: u8,
        #[zap(skip)]
        cache: Option<std::thread::ThreadId>,
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    #[zap(transparent)]
    struct Name<'a>(&'a str);

    #[derive(Zap, Debug, PartialEq, Clone)]
    #[zap(transparent)]
    struct Of<T>(T);

    #[derive(Zap, Debug, PartialEq)]
    struct New<'a> {
        id: Id,
        ids: Vec<Id>,
        some: Option<Id>,
        none: Option<Id>,
        name: Name<'a>,
        no_name: Option<Name<'a>>,
        array: [Id; 2],
        boxed: Box<Id>,
        of: Of<Of<u16>>,
        maybe: Option<Of<String>>,
        byte: Byte,
        bytes: Option<[Byte; 3]>,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Plain<'a> {
        id: u64,
        ids: Vec<u64>,
        some: Option<u64>,
        none: Option<u64>,
        name: &'a str,
        no_name: Option<&'a str>,
        array: [u64; 2],
        boxed: Box<u64>,
        of: u16,
        maybe: Option<String>,
        byte: u8,
        bytes: Option<[u8; 3]>,
    }

    #[test]
    fn a_transparent_struct_is_its_field_everywhere() -> Outcome {
        let byte = |value| Byte { value, cache: None };
        let new = New {
            id: Id(1),
            ids: vec![Id(2), Id(3)],
            some: Some(Id(4)),
            none: None,
            name: Name("n"),
            no_name: None,
            array: [Id(5), Id(6)],
            boxed: Box::new(Id(7)),
            of: Of(Of(8)),
            maybe: Some(Of(String::new())),
            byte: byte(9),
            bytes: Some([byte(1), byte(2), byte(3)]),
        };
        let plain = Plain {
            id: 1,
            ids: vec![2, 3],
            some: Some(4),
            none: None,
            name: "n",
            no_name: None,
            array: [5, 6],
            boxed: Box::new(7),
            of: 8,
            maybe: Some(String::new()),
            byte: 9,
            bytes: Some([1, 2, 3]),
        };
        let bytes = new.to_vec()?;
        assert_eq!(bytes, plain.to_vec()?);
        assert_eq!(New::decode(&bytes)?, new);
        New::validate(&bytes, &Limits::new())?;
        let view = New::view(&bytes)?;
        assert_eq!((view.id(), view.name()?, view.array(), view.boxed()?, view.of()), (1, "n", [5, 6], 7, 8));
        assert_eq!((view.some(), view.none(), view.maybe()?, view.no_name()?), (Some(4), None, Some(""), None));
        assert_eq!(view.ids()?.iter().collect::<Vec<_>>(), [2, 3]);
        assert_eq!(view.bytes(), Some(&[1, 2, 3]));
        let layouts =
            |layout: &zap_core::Layout| layout.fields.iter().map(|field| format!("{field:?}")).collect::<Vec<_>>();
        assert_eq!(layouts(New::LAYOUT)[..8], layouts(Plain::LAYOUT)[..8]);
        Ok(())
    }

    #[derive(Zap, Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
    #[zap(transparent)]
    struct Key<'a>(&'a str);

    #[derive(Zap, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[repr(u8)]
    enum Rank {
        High = 9,
        Low = 1,
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Maps<'a> {
        names: BTreeMap<Key<'a>, Rank>,
        ranks: BTreeMap<Rank, String>,
        set: BTreeSet<Rank>,
    }

    #[test]
    fn derived_types_are_keys_where_they_have_an_order() -> Outcome {
        let maps = Maps {
            names: [(Key("b"), Rank::Low), (Key("a"), Rank::High)].into(),
            ranks: [(Rank::Low, "l".into()), (Rank::High, "h".into())].into(),
            set: [Rank::High, Rank::Low].into(),
        };
        let bytes = maps.to_vec()?;
        assert_eq!(Maps::decode(&bytes)?, maps);
        Maps::validate(&bytes, &Limits::new())?;
        let view = Maps::view(&bytes)?;
        assert_eq!(view.names()?.get("b")?, Some(Rank::Low));
        assert_eq!(view.ranks()?.get(Rank::High)?, Some("h"));
        assert!(view.set()?.contains(Rank::Low)?);
        Ok(())
    }

    #[test]
    fn as_a_root_it_is_a_record_with_that_field() -> Outcome {
        let bytes = round_trip(&Id(5))?;
        assert_eq!((Id::view(&bytes)?.field_0(), bytes.len()), (5, 24));
        assert_eq!(Byte::LAYOUT.fields.len(), 1);
        Ok(())
    }

    #[derive(Zap, Debug, PartialEq)]
    #[zap(dialect = "zip", transparent)]
    struct ZipId(u32);

    #[derive(Zap, Debug, PartialEq)]
    #[zap(dialect = "zip", transparent)]
    struct ZipByte(u8);

    #[derive(Zap, Debug, PartialEq)]
    #[zap(dialect = "zip")]
    struct Zipped {
        id: ZipId,
        byte: ZipByte,
        maybe: Option<ZipId>,
        none: Option<ZipId>,
        ids: Vec<ZipId>,
    }

    #[test]
    fn it_is_its_field_in_other_dialects() -> Outcome {
        let zipped =
            Zipped { id: ZipId(1), byte: ZipByte(2), maybe: Some(ZipId(3)), none: None, ids: vec![ZipId(4), ZipId(5)] };
        let bytes = round_trip(&zipped)?;
        let view = Zipped::view(&bytes)?;
        assert_eq!((view.id(), view.byte(), view.maybe(), view.none()), (1, 2, Some(3), None));
        assert_eq!(view.ids()?.get(1)?, Some(5));
        Ok(())
    }
}

mod conversions {
    use super::*;

    /// Seconds as an integer.
    mod seconds {
        use super::Duration;

        pub(super) type Wire = u32;

        pub(super) fn to_wire(value: &Duration) -> u32 {
            u32::try_from(value.as_secs()).unwrap_or(u32::MAX)
        }

        pub(super) fn from_wire(seconds: u32) -> Result<Duration, &'static str> {
            if seconds > 1_000_000 { Err("too long") } else { Ok(Duration::from_secs(seconds.into())) }
        }
    }

    /// A type that is not a ZAP type, as the text it lends.
    #[derive(Debug, PartialEq, Clone, Default)]
    struct Host(String);

    mod host {
        use super::Host;

        pub(super) type Wire<'a> = &'a str;

        pub(super) fn to_wire(host: &Host) -> &str {
            &host.0
        }

        pub(super) fn from_wire(text: &str) -> Result<Host, String> {
            if text.contains(' ') { Err(format!("a space in {text}")) } else { Ok(Host(text.to_owned())) }
        }
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    struct Job {
        #[zap(with = "seconds", rename = "timeout_seconds")]
        timeout: Duration,
        #[zap(with = "self::host")]
        host: Host,
        #[zap(skip)]
        runs: usize,
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    enum Task {
        Job(Job),
        Wait(#[zap(with = "seconds")] Duration),
        Ask {
            #[zap(with = "host")]
            host: Host,
            #[zap(skip)]
            runs: usize,
        },
        Idle(#[zap(skip)] usize),
    }

    #[derive(Zap, Debug, PartialEq)]
    struct Tasks {
        tasks: Vec<Task>,
    }

    #[test]
    fn a_field_is_converted_on_its_way() -> Outcome {
        let job = Job { timeout: Duration::from_secs(7), host: Host("h".into()), runs: 0 };
        let bytes = round_trip(&job)?;
        let view = Job::view(&bytes)?;
        assert_eq!((view.timeout(), view.host()?), (7, "h"));
        let counted = Job { runs: 9, ..job.clone() };
        assert_eq!(counted.to_vec()?, bytes);
        let fields = Job::LAYOUT.fields.iter().map(|field| format!("{} {}", field.name, field.field_type));
        assert!(fields.eq(["timeout_seconds u32", "host text"]));

        let tasks = Tasks {
            tasks: vec![
                Task::Job(job),
                Task::Wait(Duration::from_secs(3)),
                Task::Ask { host: Host("a".into()), runs: 0 },
                Task::Idle(0),
            ],
        };
        let bytes = round_trip(&tasks)?;
        let list = Tasks::view(&bytes)?.tasks()?;
        let Some(Ok(TaskView::Job(job))) = list.get(0) else { panic!("not a job") };
        assert_eq!(job.get().timeout(), 7);
        let Some(Ok(TaskView::Wait(wait))) = list.get(1) else { panic!("not a wait") };
        assert_eq!(wait.field_0(), 3);
        assert!(matches!(list.get(3), Some(Ok(TaskView::Idle))));
        Ok(())
    }

    #[test]
    fn a_refused_value_is_an_error_at_its_field() -> Outcome {
        let job = Job { timeout: Duration::from_secs(2_000_000), host: Host("h".into()), runs: 0 };
        let bytes = job.to_vec()?;
        let error = Job::decode(&bytes).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::ConversionRefused, 16));
        assert_eq!(error.place().map(|place| place.field), Some("timeout_seconds"));
        // What the accessors give is right.
        assert_eq!(Job::validate(&bytes, &Limits::new())?.timeout(), 2_000_000);
        let job = Job { timeout: Duration::ZERO, host: Host("h h".into()), runs: 0 };
        assert_eq!(Job::decode(&job.to_vec()?).unwrap_err().offset(), 20);
        Ok(())
    }

    #[derive(Zap, Debug, PartialEq, Clone)]
    struct Holder<'a, T> {
        text: &'a str,
        #[zap(skip)]
        value: T,
        #[zap(with = "host")]
        host: Host,
    }

    #[test]
    fn generic_records_skip_and_convert_too() -> Outcome {
        let holder = Holder { text: "t", value: 0_usize, host: Host("h".into()) };
        let bytes = holder.to_vec()?;
        assert_eq!(Holder::<usize>::decode(&bytes)?, holder);
        assert!(matches!(Holder::<usize>::LAYOUT.fields[1].field_type, FieldType::Text));
        Ok(())
    }
}
