//! Enums in every place and dialect: what they read, write and refuse.
#![cfg(feature = "derive")]

use std::error::Error;
use std::fmt::Debug;

use zap_core::{DecodeErrorKind, DecodeOwned, Enumeration, FieldType, Limits, Zap};

type Outcome = Result<(), Box<dyn Error>>;

const BASE: u16 = 300;

#[derive(Zap, Clone, Copy, Debug, Default, PartialEq)]
#[repr(u8)]
enum Color {
    #[default]
    Red = 1,
    #[zap(rename = "azure")]
    Blue = 9,
    Green,
}

#[derive(Zap, Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Port {
    Low = BASE + 1,
    Next {},
    High() = u16::MAX,
}

#[derive(Zap, Clone, Copy, Debug, PartialEq)]
enum Plain {
    Zero,
    Big = 0x7fff_ffff,
}

#[derive(Zap, Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
enum Status {
    Ok = 200,
    Found = (BASE + 2),
    SeeOther,
    #[zap(other)]
    Other(u16),
}

#[derive(Zap, Debug, PartialEq)]
struct All {
    color: Color,
    port: Port,
    plain: Plain,
    status: Status,
    colors: Vec<Color>,
    ports: Vec<Port>,
    plains: Vec<Plain>,
    statuses: Vec<Status>,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zapgen")]
struct Packed {
    color: Color,
    port: Port,
    plain: Plain,
    status: Status,
    colors: Vec<Color>,
    ports: Vec<Port>,
    plains: Vec<Plain>,
    statuses: Vec<Status>,
}

#[derive(Zap, Debug, PartialEq)]
#[zap(dialect = "zip")]
struct Zipped {
    color: Color,
    port: Port,
    plain: Plain,
    status: Status,
    colors: Vec<Color>,
    ports: Vec<Port>,
    plains: Vec<Plain>,
    statuses: Vec<Status>,
    maybe: Option<Color>,
    maybes: Vec<Option<Color>>,
}

/// Encodes, validates, views and decodes; returns the message.
fn round_trip<T: Zap + DecodeOwned + PartialEq + Debug>(value: &T) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = value.to_vec()?;
    assert_eq!(bytes.len(), value.encoded_len());
    let view = T::validate(&bytes, &Limits::new())?;
    assert!(!format!("{view:?}").is_empty());
    assert_eq!(&T::decode(&bytes)?, value);
    Ok(bytes)
}

macro_rules! all {
    ($owner:ident $($more:tt)*) => {
        $owner {
            color: Color::Green,
            port: Port::Next {},
            plain: Plain::Big,
            status: Status::Other(404),
            colors: vec![Color::Red, Color::Blue],
            ports: vec![Port::Low, Port::High()],
            plains: vec![Plain::Zero, Plain::Big],
            statuses: vec![Status::Found, Status::Other(0), Status::SeeOther],
            $($more)*
        }
    };
}

#[test]
fn they_are_integers_in_every_dialect() -> Outcome {
    let bytes = round_trip(&all!(All))?;
    let view = All::view(&bytes)?;
    assert_eq!((view.color()?, view.port()?, view.plain()?), (Color::Green, Port::Next {}, Plain::Big));
    assert_eq!(view.status(), Status::Other(404));
    assert_eq!(view.statuses()?.get(2), Some(Status::SeeOther));
    let offsets = All::LAYOUT.fields.iter().map(|field| (field.offset, field.width)).collect::<Vec<_>>();
    assert_eq!(offsets[..4], [(0, 1), (2, 2), (4, 4), (8, 2)]);
    assert_eq!(bytes[16..26], [10, 0, 0x2e, 1, 0xff, 0xff, 0xff, 0x7f, 0x94, 1]);

    let bytes = round_trip(&all!(Packed))?;
    assert_eq!(Packed::view(&bytes)?.colors()?.get(1)?, Some(Color::Blue));
    assert_eq!(bytes[16..25], [10, 0x2e, 1, 0xff, 0xff, 0xff, 0x7f, 0x94, 1]);

    let bytes = round_trip(&all!(Zipped maybe: Some(Color::Red), maybes: vec![Some(Color::Blue)],))?;
    assert_eq!(Zipped::view(&bytes)?.maybe(), Some(Ok(Color::Red)));
    Ok(())
}

#[test]
fn an_unknown_number_is_an_error_at_its_field() -> Outcome {
    let mut bytes = all!(All).to_vec()?;
    bytes[16] = 2;
    let error = All::decode(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::UnknownVariant, 16));
    let place = error.place().ok_or("no place")?;
    assert_eq!((place.record, place.field), ("All", "color"));
    assert_eq!(All::validate(&bytes, &Limits::new()).unwrap_err(), error);
    assert_eq!(All::view(&bytes)?.color().unwrap_err(), error);

    let mut bytes = all!(Packed).to_vec()?;
    let at = bytes.windows(10).position(|part| part == [1, 0, 0, 0, 1, 1, 0, 0, 0, 9]).ok_or("no list")?;
    bytes[at + 9] = 7;
    let error = Packed::decode(&bytes).unwrap_err();
    assert_eq!((error.kind(), error.offset() as usize), (DecodeErrorKind::UnknownVariant, at + 9));
    Ok(())
}

/// `Other` of a number that a variant has is written as that number, and so reads back as that variant.
#[test]
fn other_of_a_known_number_reads_back_as_that_variant() -> Outcome {
    let bytes = Status::Other(200).to_vec()?;
    assert_eq!(Status::decode(&bytes)?, Status::Ok);
    Ok(())
}

#[test]
fn they_are_roots() -> Outcome {
    let bytes = round_trip(&Color::Blue)?;
    assert_eq!(bytes, b"ZAP\0\x01\0\0\0\x10\0\0\0\x18\0\0\0\x09\0\0\0\0\0\0\0");
    let view = Color::view(&bytes)?;
    assert_eq!((view.get()?, view.number()), (Color::Blue, 9));
    assert_eq!(
        Color::LAYOUT.to_string(),
        "Color: native, 1 bytes, alignment 1\noffset  width  type   field\n     0      1  Color  \n"
    );
    assert_eq!(Status::view(&round_trip(&Status::Other(7))?)?.get(), Status::Other(7));
    let error = Color::decode(&Status::Ok.to_vec()?).unwrap_err();
    assert_eq!(error.to_string(), "no variant of the enum has this number (at byte 16, record `Color`)");
    Ok(())
}

#[test]
fn layouts_name_the_variants() {
    let FieldType::Enum(layout) = All::LAYOUT.fields[0].field_type else { panic!("not an enum") };
    let variants = layout().variants.iter().map(|variant| (variant.name, variant.number)).collect::<Vec<_>>();
    assert_eq!(variants, [("Red", 1), ("azure", 9), ("Green", 10)]);
    assert_eq!((layout().has_data, layout().other), (false, None));
    assert_eq!((Status::ENUM.variants[2].number, Status::ENUM.other), (303, Some("Other")));
    assert!(matches!(Port::ENUM.number, FieldType::U16));
}
