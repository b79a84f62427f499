//! Values of the shapes that services and JSON libraries are known for, through every codec but prost.
//!
//! * `auction`: a bid request of about 2 KB, and its answer.
//! * `json-shapes`: three documents of 500 KB of JSON each: a feed of short texts, a geometry of numbers, a catalogue of
//!   small nested records.
//!
//! Operations as in the suite `datasets`: `serialize`, `deserialize`, `size`; `read` is ZAP's alone, where it lies, beside
//! what others must do for it: `deserialize`.

pub(crate) mod auction;
mod documents;
mod json;

use rand::Rng as _;
use zap_core::{DecodeError, DecodeOwned};

use crate::datasets::codec::{Bitcode, Codec, OWN, Rkyv, SerdeJson, Wincode, Zap};
use crate::datasets::generate::Random;
use crate::datasets::ops::{self, Entry};
use crate::datasets::{Op, Report, Value, report};
use crate::measure::{self, Plan};
use crate::opaque::{hide_slice, sink};
use json::{SimdJson, SonicRs};

/// Bytes of JSON of each document.
const DOCUMENT_LEN: usize = 500_000;

/// A value of such a shape.
pub(crate) trait Shape: Value + zap_core::Zap + DecodeOwned {
    const NAME: &'static str;
    const ABOUT: &'static str;

    /// The value, about so many bytes of JSON; the same every time.
    fn generate(bytes: usize) -> Self;
    /// What a reader looks at.
    fn read(&self, visit: impl FnMut(u64));
    /// The same of a message where it lies.
    fn read_view(view: Self::View<'_>, visit: impl FnMut(u64)) -> Result<(), DecodeError>;
}

/// Which shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// The bid request and its answer.
    Auction,
    /// The three documents.
    JsonShapes,
}

/// Measures a suite; `smoke` shows that everything runs, with figures that mean nothing.
///
/// # Errors
///
/// A codec does not give back what it was given.
pub fn run(suite: Suite, smoke: bool) -> Result<Report, String> {
    let len = if smoke { DOCUMENT_LEN / 50 } else { DOCUMENT_LEN };
    match suite {
        Suite::Auction => {
            let plan = if smoke { Plan::SMOKE } else { Plan::FULL };
            let mut report = Report::new("auction", smoke);
            measure_shape::<auction::BidRequest>(&mut report, plan, len)?;
            measure_shape::<auction::BidResponse>(&mut report, plan, len)?;
            Ok(report)
        }
        Suite::JsonShapes => {
            let plan = if smoke { Plan::SMOKE } else { Plan::DATA_SETS };
            let mut report = Report::new("json-shapes", smoke);
            measure_shape::<documents::Feed>(&mut report, plan, len)?;
            measure_shape::<documents::Geometry>(&mut report, plan, len)?;
            measure_shape::<documents::Catalogue>(&mut report, plan, len)?;
            Ok(report)
        }
    }
}

/// The bytes of the bid request and its answer in every codec, as a table; nothing is timed.
#[must_use]
pub fn sizes() -> String {
    let (request, response) = (auction::BidRequest::generate(0), auction::BidResponse::generate(0));
    let of = |entries: Vec<Entry>| entries.into_iter().filter(|entry| entry.op == Op::Size).collect::<Vec<_>>();
    let rows = of(entries(&request)).into_iter().zip(of(entries(&response)));
    let rows = rows.map(|(a, b)| vec![a.codec.to_owned(), a.bytes.to_string(), b.bytes.to_string()]);
    crate::table::render(&["bytes of", "bid request", "answer"], &rows.collect::<Vec<_>>())
}

fn measure_shape<T: Shape>(report: &mut Report, plan: Plan, len: usize) -> Result<(), String> {
    let value = T::generate(len);
    check(&value)?;
    let (drafts, mut groups) = report::draft(entries(&value));
    let outcomes = measure::measure(&mut groups, &plan);
    report.add(T::NAME, T::ABOUT, drafts, &outcomes);
    Ok(())
}

fn entries<T: Shape>(value: &T) -> Vec<Entry> {
    let mut entries = ops::whole::<T, Zap>(value);
    entries.push(read(value));
    entries.push(ops::memcpy::<T, Zap>(value));
    entries.extend(ops::whole::<T, Rkyv>(value));
    entries.extend(ops::whole::<T, Wincode>(value));
    entries.extend(ops::whole::<T, Bitcode>(value));
    entries.extend(ops::whole::<T, SerdeJson>(value));
    entries.extend(ops::whole::<T, SimdJson>(value));
    entries.extend(ops::whole::<T, SonicRs>(value));
    entries.sort_by_key(|entry| entry.op);
    entries
}

/// ZAP's reading in place.
fn read<T: Shape>(value: &T) -> Entry {
    let message = ops::message::<T, Zap>(value);
    let bytes = message.len();
    let batch = ops::batch(move || {
        let view = T::view(hide_slice(&message)).expect(OWN);
        T::read_view(view, sink).expect(OWN);
    });
    Entry { op: Op::Read, codec: <Zap as Codec<T>>::NAME, bytes, batch }
}

/// Every codec must give back the value, and the view must show what the value has.
fn check<T: Shape>(value: &T) -> Result<(), String> {
    fn whole<T: Shape, C: Codec<T>>(value: &T) -> Result<(), String> {
        let decoded = C::restore(C::decode(&mut C::Scratch::default(), &ops::message::<T, C>(value)));
        if decoded == *value { Ok(()) } else { Err(format!("{}: {} decodes to other values", T::NAME, C::NAME)) }
    }
    whole::<T, Zap>(value)?;
    whole::<T, Rkyv>(value)?;
    whole::<T, Wincode>(value)?;
    whole::<T, Bitcode>(value)?;
    whole::<T, SerdeJson>(value)?;
    whole::<T, SimdJson>(value)?;
    whole::<T, SonicRs>(value)?;
    let message = ops::message::<T, Zap>(value);
    let (mut of_value, mut of_view) = (Vec::new(), Vec::new());
    value.read(|word| of_value.push(word));
    let view = T::view(&message).map_err(|error| error.to_string())?;
    T::read_view(view, |word| of_view.push(word)).map_err(|error| error.to_string())?;
    if of_value == of_view { Ok(()) } else { Err(format!("{}: the view reads other values", T::NAME)) }
}

/// Words of a made-up language, about so many bytes.
fn prose(random: &mut Random, bytes: usize) -> String {
    const SYLLABLES: [&str; 12] = ["ka", "ro", "lin", "te", "vos", "ma", "ner", "du", "shi", "pel", "ä", "日"];
    let mut text = String::new();
    while text.len() < bytes {
        for _ in 0..random.gen_range(1..5) {
            text.push_str(SYLLABLES[random.gen_range(0..SYLLABLES.len())]);
        }
        text.push(' ');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_codec_agrees_on_every_shape() {
        check(&auction::BidRequest::generate(0)).unwrap();
        check(&auction::BidResponse::generate(0)).unwrap();
        check(&documents::Feed::generate(5_000)).unwrap();
        check(&documents::Geometry::generate(5_000)).unwrap();
        check(&documents::Catalogue::generate(5_000)).unwrap();
    }

    #[test]
    fn documents_have_the_size_that_was_asked_for() {
        fn len<T: Shape>() -> usize {
            serde_json::to_vec(&T::generate(100_000)).unwrap().len()
        }
        for len in [len::<documents::Feed>(), len::<documents::Geometry>(), len::<documents::Catalogue>()] {
            assert!((95_000..110_000).contains(&len), "{len}");
        }
    }
}
