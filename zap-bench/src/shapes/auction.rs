//! A bid request of an advertising exchange, about 2 KB, and the answer to it.
//!
//! The shape is that of such requests everywhere: who asks, for which publisher, the impressions with their sizes and floor
//! prices, what is known of the user and of the device. The handler bids on every impression that is worth its floor.

use zap_core::DecodeError;

use crate::datasets::Value;
use crate::datasets::generate::{Random, one_of, random};
use rand::Rng as _;

use super::Shape;

every_codec! {
    /// The request.
    pub(crate) struct BidRequest {
        pub(crate) request_id: String,
        pub(crate) publisher_id: u64,
        pub(crate) page: String,
        pub(crate) timeout_ms: u32,
        pub(crate) impressions: Vec<Impression>,
        pub(crate) user: User,
        pub(crate) device: Device,
        pub(crate) blocked_advertisers: Vec<String>,
    }

    /// A place on the page.
    pub(crate) struct Impression {
        pub(crate) id: String,
        pub(crate) slot: u32,
        pub(crate) width: u32,
        pub(crate) height: u32,
        pub(crate) floor_price: f64,
        pub(crate) secure: bool,
    }

    /// Who looks at it.
    pub(crate) struct User {
        pub(crate) id: String,
        pub(crate) year_of_birth: u32,
        pub(crate) segments: Vec<u32>,
        pub(crate) interests: Vec<String>,
    }

    /// With what.
    pub(crate) struct Device {
        pub(crate) user_agent: String,
        pub(crate) address: String,
        pub(crate) language: String,
        pub(crate) model: String,
        pub(crate) latitude: f64,
        pub(crate) longitude: f64,
        pub(crate) width: u32,
        pub(crate) height: u32,
    }

    /// The answer.
    pub(crate) struct BidResponse {
        pub(crate) request_id: String,
        pub(crate) bids: Vec<Bid>,
    }

    /// What one impression is worth to somebody.
    pub(crate) struct Bid {
        pub(crate) impression_id: String,
        pub(crate) price: f64,
        pub(crate) advertiser: String,
        pub(crate) markup: String,
    }
}

/// Places of one page.
const IMPRESSIONS: usize = 8;
const SIZES: [(u32, u32); 4] = [(300, 250), (728, 90), (160, 600), (320, 50)];
const INTERESTS: [&str; 6] = ["gardening", "sailing", "cycling", "astronomy", "printing", "baking"];

fn hex(random: &mut Random, digits: usize) -> String {
    (0..digits).map(|_| char::from_digit(random.gen_range(0..16), 16).unwrap_or('0')).collect()
}

/// The request that is measured, the same every time.
pub(crate) fn sample() -> BidRequest {
    let random = &mut random();
    let impressions = (0..IMPRESSIONS)
        .map(|slot| {
            let (width, height) = one_of(random, &SIZES);
            let floor_price = f64::from(random.gen_range(10_u32..400)) / 100.0;
            Impression { id: hex(random, 36), slot: slot as u32, width, height, floor_price, secure: true }
        })
        .collect();
    BidRequest {
        request_id: hex(random, 36),
        publisher_id: random.r#gen::<u64>() >> 11, // a number that JavaScript keeps
        page: "https://news.example/local/2024/03/09/bridge-opens-two-weeks-early?from=front".to_owned(),
        timeout_ms: 120,
        impressions,
        user: User {
            id: hex(random, 32),
            year_of_birth: 1984,
            segments: (0..24).map(|_| random.gen_range(1000..100_000)).collect(),
            interests: INTERESTS[..4].iter().map(|name| (*name).to_owned()).collect(),
        },
        device: Device {
            user_agent: "Mozilla/5.0 (Linux; Android 14; Handset 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0 Mobile Safari/537.36".to_owned(),
            address: "2001:db8:85a3::8a2e:370:7334".to_owned(),
            language: "nl-NL".to_owned(),
            model: "Handset 8".to_owned(),
            latitude: 52.011_577,
            longitude: 4.357_068,
            width: 1080,
            height: 2400,
        },
        blocked_advertisers: (0..8).map(|_| format!("{}.example", hex(random, 10))).collect(),
    }
}

/// What an impression is worth to us: more when it is larger, and when more is known of the user.
fn worth(width: u32, height: u32, segments: usize) -> f64 {
    f64::from(width * height) / 100_000.0 + segments as f64 / 20.0
}

fn bid(id: &str, width: u32, height: u32, floor_price: f64, segments: usize) -> Option<Bid> {
    let price = worth(width, height, segments);
    (price >= floor_price).then(|| Bid {
        impression_id: id.to_owned(),
        price,
        advertiser: "harbour-tours.example".to_owned(),
        markup: format!("<a href=\"https://harbour-tours.example/?i={id}\"><img src=\"https://cdn.harbour-tours.example/{width}x{height}.webp\" width=\"{width}\" height=\"{height}\" alt=\"Harbour tours\"></a>"),
    })
}

/// The bids.
pub(crate) fn answer(request: &BidRequest) -> BidResponse {
    let segments = request.user.segments.len();
    let bids = request.impressions.iter().filter_map(|i| bid(&i.id, i.width, i.height, i.floor_price, segments));
    BidResponse { request_id: request.request_id.clone(), bids: bids.collect() }
}

/// The bids, from a request that is read where it lies.
pub(crate) fn answer_view(request: &BidRequestView<'_>) -> Result<BidResponse, DecodeError> {
    let segments = request.user().segments()?.len();
    let mut bids = Vec::new();
    for i in request.impressions()? {
        bids.extend(bid(i.id()?, i.width(), i.height(), i.floor_price(), segments));
    }
    Ok(BidResponse { request_id: request.request_id()?.to_owned(), bids })
}

impl Value for BidRequest {}
impl Value for BidResponse {}

impl Shape for BidRequest {
    const NAME: &'static str = "bid request";
    const ABOUT: &'static str = "8 impressions, a user, a device; read: what the bidder looks at";

    fn generate(_bytes: usize) -> Self {
        sample()
    }

    fn read(&self, mut visit: impl FnMut(u64)) {
        visit(self.user.segments.len() as u64);
        for i in &self.impressions {
            [i.id.len() as u64, i.width.into(), i.height.into(), i.floor_price.to_bits()]
                .into_iter()
                .for_each(&mut visit);
        }
    }

    fn read_view(view: Self::View<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        visit(view.user().segments()?.len() as u64);
        for i in view.impressions()? {
            let words = [i.id()?.len() as u64, i.width().into(), i.height().into(), i.floor_price().to_bits()];
            words.into_iter().for_each(&mut visit);
        }
        Ok(())
    }
}

impl Shape for BidResponse {
    const NAME: &'static str = "bid response";
    const ABOUT: &'static str =
        "a bid for each impression that is worth its floor; read: prices and lengths of the markup";

    fn generate(_bytes: usize) -> Self {
        answer(&sample())
    }

    fn read(&self, mut visit: impl FnMut(u64)) {
        for bid in &self.bids {
            [bid.price.to_bits(), bid.markup.len() as u64].into_iter().for_each(&mut visit);
        }
    }

    fn read_view(view: Self::View<'_>, mut visit: impl FnMut(u64)) -> Result<(), DecodeError> {
        for bid in view.bids()? {
            [bid.price().to_bits(), bid.markup()?.len() as u64].into_iter().for_each(&mut visit);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BidRequest, answer, answer_view, sample};
    use zap_core::Zap as _;

    #[test]
    fn both_ways_bid_alike_and_the_request_is_about_2_kb() {
        let request = sample();
        let message = request.to_vec().unwrap();
        let bids = answer(&request);
        assert_eq!(answer_view(&BidRequest::view(&message).unwrap()).unwrap(), bids);
        assert!((1..=request.impressions.len()).contains(&bids.bids.len()));
        assert!((1500..2500).contains(&serde_json::to_vec(&request).unwrap().len()));
    }
}
