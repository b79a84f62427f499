//! Three documents of the kinds that JSON libraries are judged by, made up here: a feed of short texts, a geometry, and a
//! catalogue of small nested records.

use rand::Rng as _;
use zap_core::DecodeError;

use super::{Shape, prose};
use crate::datasets::Value;
use crate::datasets::generate::{Random, list_of, random};

every_codec! {
    /// A feed: texts in several scripts, many fields, some missing.
    pub(super) struct Feed {
        pub(super) statuses: Vec<Status>,
        pub(super) next: String,
    }

    /// One message.
    pub(super) struct Status {
        pub(super) id: u64,
        pub(super) created_at: String,
        pub(super) text: String,
        pub(super) author: Author,
        pub(super) in_reply_to: Option<u64>,
        pub(super) hashtags: Vec<String>,
        pub(super) urls: Vec<Link>,
        pub(super) shared: u32,
        pub(super) liked: u32,
        pub(super) is_sensitive: bool,
        pub(super) language: String,
    }

    /// Who wrote it.
    pub(super) struct Author {
        pub(super) id: u64,
        pub(super) name: String,
        pub(super) handle: String,
        pub(super) about: String,
        pub(super) followers: u32,
        pub(super) following: u32,
        pub(super) is_verified: bool,
        pub(super) picture: String,
    }

    /// A link, and where it stands in the text.
    pub(super) struct Link {
        pub(super) url: String,
        pub(super) start: u32,
        pub(super) end: u32,
    }

    /// Shapes of a map: nearly all of it is coordinates.
    pub(super) struct Geometry {
        pub(super) kind: String,
        pub(super) features: Vec<Feature>,
    }

    /// One shape.
    pub(super) struct Feature {
        pub(super) name: String,
        pub(super) rings: Vec<Vec<[f64; 2]>>,
    }

    /// What an events' hall sells: small records that refer to each other.
    pub(super) struct Catalogue {
        pub(super) events: Vec<Event>,
        pub(super) performances: Vec<Performance>,
        pub(super) areas: Vec<Area>,
    }

    /// A piece.
    pub(super) struct Event {
        pub(super) id: u32,
        pub(super) name: String,
        pub(super) description: Option<String>,
        pub(super) subtopics: Vec<u32>,
        pub(super) topics: Vec<u32>,
    }

    /// One evening of it.
    pub(super) struct Performance {
        pub(super) id: u32,
        pub(super) event_id: u32,
        pub(super) start: u64,
        pub(super) prices: Vec<Price>,
        pub(super) categories: Vec<Category>,
    }

    /// A price.
    pub(super) struct Price {
        pub(super) amount: u32,
        pub(super) audience_id: u32,
        pub(super) category_id: u32,
    }

    /// Seats of one kind.
    pub(super) struct Category {
        pub(super) category_id: u32,
        pub(super) area_ids: Vec<u32>,
    }

    /// A part of the hall.
    pub(super) struct Area {
        pub(super) id: u32,
        pub(super) name: String,
    }
}

impl Value for Feed {}
impl Value for Geometry {}
impl Value for Catalogue {}

/// As many parts as fill so many bytes of JSON.
fn fill<T: serde::Serialize>(bytes: usize, mut part: impl FnMut(usize) -> T) -> Vec<T> {
    let (mut parts, mut len) = (Vec::new(), 0);
    while len < bytes {
        let next = part(parts.len());
        len += serde_json::to_vec(&next).map_or(0, |json| json.len() + 1);
        parts.push(next);
    }
    parts
}

fn status(random: &mut Random) -> Status {
    let text_len = random.gen_range(20..200);
    Status {
        id: random.r#gen::<u64>() >> 11, // a number that JavaScript keeps
        created_at: format!("2024-03-{:02}T{:02}:30:00Z", random.gen_range(1..29), random.gen_range(0..24)),
        text: prose(random, text_len),
        author: Author {
            id: random.r#gen::<u64>() >> 11,
            name: prose(random, 12),
            handle: format!("station{}", random.gen_range(0..100_000)),
            about: prose(random, 60),
            followers: random.gen_range(0..100_000),
            following: random.gen_range(0..5_000),
            is_verified: random.gen_bool(0.1),
            picture: format!("https://img.example/p/{}.webp", random.gen_range(0..1_000_000)),
        },
        in_reply_to: random.gen_bool(0.3).then(|| random.r#gen::<u64>() >> 11),
        hashtags: list_of(random, 0..4, |random| prose(random, 8)),
        urls: list_of(random, 0..3, |random| {
            let start = random.gen_range(0..150);
            Link { url: format!("https://s.example/{:08x}", random.r#gen::<u32>()), start, end: start + 25 }
        }),
        shared: random.gen_range(0..1_000),
        liked: random.gen_range(0..10_000),
        is_sensitive: random.gen_bool(0.05),
        language: "nl".to_owned(),
    }
}

impl Shape for Feed {
    const NAME: &'static str = "feed";
    const ABOUT: &'static str = "statuses with texts, authors, links; read: likes, and the length of every text";

    fn generate(bytes: usize) -> Self {
        let random = &mut random();
        Self { statuses: fill(bytes, |_| status(random)), next: "page-2".to_owned() }
    }

    fn read(&self, mut visit: impl FnMut(u64)) {
        for status in &self.statuses {
            visit(status.liked.into());
            visit(status.text.len() as u64);
        }
    }

    fn read_view(view: Self::View<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for status in view.statuses()? {
            visit(status.liked().into());
            visit(status.text()?.len() as u64);
        }
        Ok(())
    }
}

impl Shape for Geometry {
    const NAME: &'static str = "geometry";
    const ABOUT: &'static str = "outlines of coordinates; read: every coordinate";

    fn generate(bytes: usize) -> Self {
        let random = &mut random();
        let features = fill(bytes, |index| Feature {
            name: format!("island {index}"),
            rings: list_of(random, 1..3, |random| {
                let (mut x, mut y) = (random.gen_range(-140.0..-50.0), random.gen_range(42.0..83.0));
                list_of(random, 10..60, |random| {
                    (x, y) = (x + random.gen_range(-0.01..0.01), y + random.gen_range(-0.01..0.01));
                    [x, y]
                })
            }),
        });
        Self { kind: "outlines".to_owned(), features }
    }

    fn read(&self, mut visit: impl FnMut(u64)) {
        let points = self.features.iter().flat_map(|feature| &feature.rings).flatten();
        points.flatten().for_each(|coordinate| visit(coordinate.to_bits()));
    }

    fn read_view(view: Self::View<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for feature in view.features()? {
            for ring in feature.rings()? {
                for point in ring? {
                    point.into_iter().for_each(|coordinate| visit(coordinate.to_bits()));
                }
            }
        }
        Ok(())
    }
}

impl Shape for Catalogue {
    const NAME: &'static str = "catalogue";
    const ABOUT: &'static str = "events, their evenings and prices; read: every price";

    fn generate(bytes: usize) -> Self {
        let random = &mut random();
        let ids = |random: &mut Random, len| list_of(random, len, |random| random.gen_range(100_000..400_000));
        let events = fill(bytes / 5, |index| Event {
            id: 138_000 + index as u32,
            name: prose(random, 30),
            description: random.gen_bool(0.1).then(|| prose(random, 120)),
            subtopics: ids(random, 1..8),
            topics: ids(random, 1..4),
        });
        let performances = fill(bytes - bytes / 5, |index| Performance {
            id: 339_000 + index as u32,
            event_id: 138_000 + random.gen_range(0..events.len() as u32),
            start: 1_709_966_000_000 + index as u64 * 86_400_000,
            prices: list_of(random, 1..6, |random| Price {
                amount: random.gen_range(10..200) * 500,
                audience_id: 337_100,
                category_id: random.gen_range(338_937..338_990),
            }),
            categories: list_of(random, 1..6, |random| Category {
                category_id: random.gen_range(338_937..338_990),
                area_ids: ids(random, 1..10),
            }),
        });
        let areas = (0..17).map(|index| Area { id: 205_705 + index, name: format!("balcony {index}") }).collect();
        Self { events, performances, areas }
    }

    fn read(&self, mut visit: impl FnMut(u64)) {
        let prices = self.performances.iter().flat_map(|performance| &performance.prices);
        prices.for_each(|price| visit(price.amount.into()));
    }

    fn read_view(view: Self::View<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for performance in view.performances()? {
            for price in performance.prices()? {
                visit(price.amount().into());
            }
        }
        Ok(())
    }
}
