//! Enums in every place and dialect: what they read, write and refuse.
#![cfg(feature = "derive")]

use std::error::Error;
use std::fmt::Debug;

use zap_core::{DecodeErrorKind, DecodeOwned, Enumeration, FieldType, Limits, VariantView, Zap};

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

/// Every form of variant.
#[derive(Zap, Clone, Debug, PartialEq)]
enum Shape<'a> {
    Nothing,
    Circle {
        radius: f64,
        #[zap(rename = "title")]
        name: &'a str,
    },
    #[zap(tag = 40)]
    Text(String),
    Pair(u8, Vec<Shape<'a>>),
    Group(Vec<Shape<'a>>),
    Empty(),
    Void {},
    #[zap(other)]
    Other(u32),
}

#[derive(Zap, Clone, Debug, PartialEq)]
enum Expr {
    Num(f64),
    Neg(Box<Expr>),
    Add(Box<Self>, Box<Self>),
    Sum(Vec<Expr>),
    Maybe { of: Option<Box<Expr>>, color: Option<Color> },
}

#[derive(Zap, Clone, Debug, PartialEq)]
enum Either<'a, L, R: Clone = u8, const N: usize = 2>
where
    L: PartialEq,
{
    Left(L),
    Right { right: R, pad: [u8; N] },
    Both(Box<Self>, &'a str),
    Neither,
}

#[derive(Zap, Debug, PartialEq)]
struct Scene<'a> {
    first: Shape<'a>,
    all: Vec<Shape<'a>>,
    maybe: Option<Shape<'a>>,
    none: Option<Shape<'a>>,
    boxed: Box<Shape<'a>>,
    expr: Expr,
    either: Either<'a, u16, String>,
}

fn scene() -> Scene<'static> {
    let circle = Shape::Circle { radius: 1.5, name: "c" };
    Scene {
        first: Shape::Pair(7, vec![circle.clone(), Shape::Nothing, Shape::Other(99)]),
        all: vec![Shape::Group(vec![Shape::Nothing]), Shape::Text("t".into()), Shape::Empty(), Shape::Void {}, circle],
        maybe: Some(Shape::Nothing),
        none: None,
        boxed: Box::new(Shape::Text(String::new())),
        expr: Expr::Add(
            Box::new(Expr::Neg(Box::new(Expr::Num(2.0)))),
            Box::new(Expr::Sum(vec![
                Expr::Num(1.0),
                Expr::Maybe { of: Some(Box::new(Expr::Num(4.0))), color: Some(Color::Blue) },
                Expr::Maybe { of: None, color: None },
            ])),
        ),
        either: Either::Both(Box::new(Either::Right { right: "r".into(), pad: [1, 2] }), "b"),
    }
}

#[test]
fn variants_with_data_round_trip_everywhere() -> Outcome {
    let scene = scene();
    let bytes = scene.to_vec()?;
    Scene::validate(&bytes, &Limits::new())?;
    assert_eq!(Scene::decode(&bytes)?, scene);
    let view = Scene::view(&bytes)?;
    let ShapeView::Pair(pair) = view.first()? else { panic!("not a pair") };
    assert_eq!((pair.field_0(), pair.field_1()?.len()), (7, 3));
    let ShapeView::Circle(circle) = pair.field_1()?.get(0).ok_or("none")?? else { panic!("not a circle") };
    assert_eq!((circle.radius(), circle.name()?), (1.5, "c"));
    assert!(matches!(pair.field_1()?.get(2), Some(Ok(ShapeView::Other(99)))));
    let ShapeView::Text(text) = view.boxed()? else { panic!("not a text") };
    assert_eq!(text.get()?, "");
    assert!(matches!(view.maybe()?, Some(ShapeView::Nothing)));
    assert!(view.none()?.is_none());
    let ExprView::Add(add) = view.expr()? else { panic!("not a sum") };
    let ExprView::Neg(neg) = add.field_0()? else { panic!("not negative") };
    assert!(matches!(neg.get()?, ExprView::Num(number) if number.get() == 2.0));
    let EitherView::Both(both) = view.either()? else { panic!("not both") };
    let EitherView::Right(right) = both.field_0()? else { panic!("not right") };
    assert_eq!((right.right()?, right.pad(), both.field_1()?), ("r", &[1, 2], "b"));
    assert_eq!(
        format!("{:?}", view.all()?.iter().collect::<Vec<_>>()),
        "[Ok(Group(Ok([1 elements]))), Ok(Text(Ok(\"t\"))), Ok(Empty), Ok(Void), Ok(Circle(ShapeCircleView { radius: 1.5, title: Ok(\"c\") }))]"
    );
    Ok(())
}

/// What can be done with the view of a record can be done with that of an enum.
#[test]
fn the_view_of_a_variant_compares_prints_and_decodes() -> Outcome {
    let (scene, bytes) = (scene(), scene().to_vec()?);
    let view = Scene::view(&bytes)?;
    let all = view.all()?;
    for (view, shape) in all.iter().zip(&scene.all) {
        let view = view?;
        let (again, the_other_way) = (view, *shape == view);
        assert!(view == *shape && the_other_way && view == again);
        assert_eq!((view.to_value()?, view.number()), (shape.clone(), view.to_dynamic().number()));
        let others = all.iter().filter_map(Result::ok).filter(|other| *other == view).count();
        assert_eq!(others, 1, "{view}");
    }
    let printed: Vec<String> =
        all.iter().map(|shape| shape.map(|shape| shape.to_string())).collect::<Result<_, _>>()?;
    assert_eq!(printed, ["Group([Nothing])", "Text(\"t\")", "Empty", "Void", "Circle { radius: 1.5, title: \"c\" }"]);

    // A field of a variant, where there is only one.
    let (ExprView::Add(add), Expr::Add(neg, _)) = (view.expr()?, &scene.expr) else { panic!("not a sum") };
    let (ExprView::Neg(left), Expr::Neg(num)) = (add.field_0()?, &**neg) else { panic!("not negative") };
    let again = left;
    assert!(left == *num && left == again && left.get()? == **num);
    assert_eq!(
        (left.to_value()?, left.to_string(), format!("{left:?}")),
        (num.clone(), "Num(2.0)".into(), "Ok(Num(2.0))".into())
    );

    // What a variant points at may be wrong: the view is there, equals nothing, and says so where it is read.
    let mut bytes = Shape::Text("t".into()).to_vec()?;
    let last = bytes.len() - 1;
    bytes[last] = 0xff;
    let shape = Shape::view(&bytes)?.get()?;
    let again = shape;
    assert!(shape != again && shape != Shape::Text("t".into()));
    assert_eq!(shape.to_value().unwrap_err().kind(), DecodeErrorKind::InvalidUtf8);
    assert_eq!(shape.to_string(), "Text(<text is not valid UTF-8 (at byte 32, field `0` of `Shape::Text`)>)");
    Ok(())
}

#[test]
fn enums_with_data_are_roots() -> Outcome {
    let bytes = round_trip(&Expr::Num(2.0))?;
    assert_eq!(bytes, b"ZAP\0\x01\0\0\0\x10\0\0\0\x20\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\x40");
    let view = Expr::view(&bytes)?;
    assert_eq!(view.number(), 0);
    assert!(matches!(view.get()?, ExprView::Num(number) if number == 2.0));
    let either = Either::<u16, String>::Left(5);
    let bytes = either.to_vec()?;
    assert_eq!(Either::<u16, String>::decode(&bytes)?, either);
    Ok(())
}

#[test]
fn damaged_variants_are_errors_at_their_field() -> Outcome {
    let good = Shape::Circle { radius: 1.5, name: "c" }.to_vec()?;
    let kind = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        let error = Shape::decode(&bytes).unwrap_err();
        assert_eq!(Shape::validate(&bytes, &Limits::new()).unwrap_err(), error);
        (error.kind(), error.offset(), error.place().map(|place| (place.record, place.field)))
    };
    assert_eq!(kind(16, 0), (DecodeErrorKind::UnexpectedFields, 20, Some(("Shape", ""))));
    assert_eq!(kind(20, 0), (DecodeErrorKind::NullPointer, 20, Some(("Shape", ""))));
    assert_eq!(kind(20, 0xf0), (DecodeErrorKind::PointerOutOfBounds, 20, Some(("Shape", ""))));
    assert_eq!(kind(32, 0xf0), (DecodeErrorKind::PointerOutOfBounds, 32, Some(("Shape::Circle", "title"))));
    let mut bytes = Expr::Num(1.0).to_vec()?;
    bytes[16] = 9;
    assert_eq!(Expr::decode(&bytes).unwrap_err().kind(), DecodeErrorKind::UnknownVariant);
    assert_eq!(Expr::view(&bytes)?.get().unwrap_err().kind(), DecodeErrorKind::UnknownVariant);
    Ok(())
}

#[test]
fn each_variant_is_a_level_and_costs_its_section() -> Outcome {
    let nested = |levels: usize| (0..levels).fold(Expr::Num(0.0), |inner, _| Expr::Neg(Box::new(inner)));
    // A variant and a box are two levels; the number at the end is one.
    let deepest = nested(31);
    let bytes = round_trip(&deepest)?;
    assert_eq!(nested(32).to_vec().unwrap_err(), zap_core::EncodeError::TooDeep);
    let limits = Limits::new().max_depth(62);
    assert_eq!(Expr::decode_with(&bytes, &limits).unwrap_err().kind(), DecodeErrorKind::DepthExceeded);
    assert_eq!(Expr::validate(&bytes, &limits).unwrap_err().kind(), DecodeErrorKind::DepthExceeded);
    Ok(())
}
