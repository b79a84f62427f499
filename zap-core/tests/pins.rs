//! The layout line: its text, that constants spell the same one, and pins that hold.
#![cfg(all(feature = "std", feature = "derive"))]

mod support;

use support::records::*;
use zap_core::__private::{pin_len, pin_text};
use zap_core::Zap;

/// The line that constants spell is the one of run time, and any other is refused with both; and whoever has the layout
/// reads it.
fn agrees<R: Zap>() {
    let line = R::LAYOUT.line().to_string();
    assert_eq!(pin_len::<R>(&line), 0, "{line}");
    assert_eq!(R::LAYOUT.can_read(R::LAYOUT), Ok(()));
    for other in [format!("{line} "), line[1..].to_owned(), line.replace("size:", "size: "), String::new()] {
        let len = pin_len::<R>(&other);
        let mut text = pin_text::<R, 4096>(&other).to_vec();
        text.truncate(len);
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1..3], [format!("  pinned: {other}"), format!("  now:    {line}")]);
    }
}

#[test]
fn constants_spell_the_same_line() {
    macro_rules! agree {
        ($name:ident, $record:ty) => {
            agrees::<$record>();
        };
    }
    for_every_record!(agree);
}

#[test]
fn the_line_says_what_is_on_the_wire() {
    let line = |layout: &zap_core::Layout| layout.line().to_string();
    assert_eq!(
        line(Nested::LAYOUT),
        "a:u8@0 p:{x:u8@0 y:u32@4 s:text@8 size:16}@4 q:{x:u128@0 s:list<u16>@16 z:u8@24 size:32}@24 \
         r:{x:u8@0 y:u32@4 s:text@8 size:16}@56 t:text@72 size:80"
    );
    assert_eq!(line(ListsOfLists::LAYOUT).split(' ').nth(3), Some("d:list<list<Inner/16>>@24"));
    assert_eq!(line(VersionTwo::LAYOUT), "version:2 a:u32@0 type:text@4 size:12");
    assert_eq!(line(GDeep::LAYOUT), "zapgen p:GInner/21@0 o:option<GInner/21>@4 s:text@8 size:16");
    assert_eq!(line(ZTree::LAYOUT), "zip label:text@0 children:list<ZTree/16>@8 size:16");
    assert_eq!(line(Placed::LAYOUT), "a:u16@34 b:text@4 c:u64@16 d:list<u16>@24 size:40");
    assert_eq!(line(Empty::LAYOUT), "size:0");
    assert_eq!(
        line(Branches::LAYOUT),
        "v:text@0 pair:option<box<(Branches/20,Branches/20)/40>>@8 more:list<(u8,option<box<Branches/20>>)/8>@12 size:20"
    );
    let tuples = line(TupleFields::LAYOUT);
    assert!(tuples.contains("d:{0:{0:u8@0 1:char@4 size:8}@0 1:bytes@8 size:16}@"), "{tuples}");
    assert!(tuples.contains("f:list<(text,Inner/16)/24>@"), "{tuples}");
    assert!(tuples.contains("g:[{0:u8@0 1:u16@2 size:4};2]@"), "{tuples}");
    let maps = line(Maps::LAYOUT);
    assert!(maps.contains("j:map<char,Wide/32>/40@") && maps.contains("f:map<u64,map<bool,u8>/2>/16@"), "{maps}");
}

mod pinned {
    use super::*;

    #[derive(Zap)]
    #[zap(pin = "id:u64@0 name:text@8 size:16")]
    pub(super) struct Account<'a> {
        pub(super) id: u64,
        pub(super) name: &'a str,
    }

    #[derive(Zap)]
    #[zap(pin = "kids:list<Tree/12>@0 v:u8@8 size:12")]
    pub(super) struct Tree {
        pub(super) kids: Vec<Tree>,
        pub(super) v: u8,
    }

    /// Not pinned itself; between the pinned record and the trees.
    #[derive(Zap)]
    pub(super) struct Grove {
        pub(super) trees: Vec<Tree>,
        pub(super) corners: [u16; 2],
    }

    #[derive(Zap)]
    #[zap(pin = "a:u8@0 grove:{trees:list<Tree/12>@0 corners:[u16;2]@8 size:12}@4 size:16")]
    pub(super) struct Farm {
        pub(super) a: u8,
        pub(super) grove: Grove,
    }

    #[derive(Zap)]
    #[zap(
        dialect = "zip",
        version = 2,
        rename = "r#odd",
        pin = "zip version:2 r#type:option<u16>@0 next:list<Link/8>@8 size:16"
    )]
    pub(super) struct Odd {
        #[zap(rename = "r#type")]
        pub(super) r#type: Option<u16>,
        pub(super) next: Vec<Link>,
    }

    #[derive(Zap, Clone, Copy, Debug)]
    #[repr(u8)]
    pub(super) enum Side {
        Buy = 1,
        Sell,
    }

    #[derive(Zap)]
    pub(super) enum Shape {
        Circle {
            radius: f32,
            inside: Vec<Shape>,
        },
        Nothing,
        #[zap(other)]
        Other(u32),
    }

    #[derive(Zap, Default)]
    #[zap(growable, pin = "growable id:u32@4 size:8")]
    pub(super) struct Item {
        pub(super) id: u32,
    }

    #[derive(Zap)]
    #[zap(transparent)]
    pub(super) struct Sides(pub(super) Vec<Side>);

    #[derive(Zap)]
    #[zap(pin = "side:Side(u8 Buy=1 Sell=2)@0 shape:Shape(u32 Circle=0/12 Nothing=1 Other=_)@4 \
                 items:list<Item/growable>@12 item:Item/growable@20 sides:list<Side(u8 Buy=1 Sell=2)>@24 size:32")]
    pub(super) struct Choices {
        pub(super) side: Side,
        pub(super) shape: Shape,
        pub(super) items: Vec<Item>,
        pub(super) item: Item,
        pub(super) sides: Sides,
    }

    #[derive(Zap)]
    #[zap(dialect = "zip")]
    pub(super) struct Link {
        pub(super) to: Option<u16>,
    }
}

#[test]
fn pins_hold() {
    use pinned::{Account, Choices, Farm, Grove, Item, Link, Odd, Shape, Side, Sides, Tree};

    for shape in [Shape::Circle { radius: 1.0, inside: vec![Shape::Nothing] }, Shape::Other(7)] {
        let sides = Sides(vec![Side::Sell, Side::Buy]);
        let choices = Choices { side: Side::Buy, shape, items: vec![Item { id: 1 }], item: Item::default(), sides };
        let choices = Choices::decode(&choices.to_vec().unwrap()).unwrap();
        assert_eq!((choices.side as u8, choices.items[0].id, choices.item.id, choices.sides.0.len()), (1, 1, 0, 2));
        assert!(!matches!(choices.shape, Shape::Circle { radius, inside } if radius < 1.0 || inside.is_empty()));
    }
    agrees::<Choices>();
    agrees::<Side>();
    agrees::<Shape>();
    agrees::<Sides>();
    assert_eq!(Shape::LAYOUT.line().to_string(), ":Shape(u32 Circle=0/12 Nothing=1 Other=_)@0 size:8");

    let farm = Farm { a: 1, grove: Grove { trees: vec![Tree { kids: vec![], v: 1 }], corners: [1, 2] } };
    assert_eq!(Farm::decode(&farm.to_vec().unwrap()).unwrap().grove.trees[0].v, 1);
    assert_eq!(Account { id: 1, name: "" }.to_vec().unwrap().len(), 32);
    assert_eq!(Odd { r#type: None, next: vec![Link { to: None }] }.encoded_len(), 64);
}
