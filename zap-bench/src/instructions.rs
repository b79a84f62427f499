//! The instructions of a dozen kernels of the codec and of the wire, against those that are committed: what a change costs
//! shows here before any stopwatch sees it.
//!
//! A count is exact for one compiler and one build. Another toolchain moves them all: write the file anew then, in a commit of
//! its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use zap_core::{Limits, Zap as _};
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Request as Frame};

use crate::callgrind;
use crate::http::Case;
use crate::load::{Call, Protocol};
use crate::opaque::{hide_slice, sink, sink_slice};
use crate::record::sample;
use crate::record::zap::Request;
use crate::shapes::Shape as _;
use crate::shapes::auction::{self, BidRequest};
use crate::table;

/// A count may move by one part in so many before it is said.
const TOLERANCE: u64 = 100;

/// The one function of this name: callgrind counts while it runs.
const COUNTED: &str = "*::instructions::counted*";

/// Does it once.
#[inline(never)]
fn counted(kernel: &mut dyn FnMut()) {
    kernel();
}

type Kernel = (&'static str, Box<dyn FnMut()>);

/// All of them, ready to run.
fn kernels() -> Result<Vec<Kernel>, String> {
    let mut kernels = record()?;
    kernels.extend(bids()?);
    kernels.extend(wire()?);
    Ok(kernels)
}

/// The request of the record suite.
fn record() -> Result<Vec<Kernel>, String> {
    let values: &'static sample::RequestValues = Box::leak(Box::new(sample::request()));
    let request =
        move || Request { id: values.id, block: values.block, method: &values.method, account: &values.account.raw };
    let message: &'static [u8] = request().to_vec().map_err(text)?.leak();
    let mut out = Vec::with_capacity(message.len());
    Ok(vec![
        (
            "record: encode",
            Box::new(move || {
                out.clear();
                let _ = request().encode_into(&mut out);
                sink_slice(&out);
            }),
        ),
        (
            "record: view, four fields",
            Box::new(|| {
                if let Ok(view) = Request::view(hide_slice(message)) {
                    sink(view.id() ^ view.block());
                    sink_slice(view.method().map_or(b"", str::as_bytes));
                    sink_slice(view.account().unwrap_or(b""));
                }
            }),
        ),
        ("record: decode", Box::new(|| sink(Request::decode(hide_slice(message)).map_or(0, |request| request.id)))),
        (
            "record: validate",
            Box::new(|| {
                sink(Request::validate(hide_slice(message), &Limits::new()).map_or(0, |view| view.id()));
            }),
        ),
    ])
}

/// The bid request: lists, nested records, much text.
fn bids() -> Result<Vec<Kernel>, String> {
    let request = auction::sample();
    let message: &'static [u8] = request.to_vec().map_err(text)?.leak();
    let mut out = Vec::with_capacity(message.len());
    Ok(vec![
        (
            "bid request: encode",
            Box::new(move || {
                out.clear();
                let _ = request.encode_into(&mut out);
                sink_slice(&out);
            }),
        ),
        (
            "bid request: read in place",
            Box::new(|| {
                let read = BidRequest::view(hide_slice(message)).and_then(|view| BidRequest::read_view(view, sink));
                sink(read.is_ok().into());
            }),
        ),
        (
            "bid request: decode",
            Box::new(|| {
                sink(BidRequest::decode(hide_slice(message)).map_or(0, |request| request.publisher_id));
            }),
        ),
        (
            "bid request: validate",
            Box::new(|| {
                sink(BidRequest::validate(hide_slice(message), &Limits::new()).map_or(0, |view| view.publisher_id()));
            }),
        ),
    ])
}

/// Requests and answers in frames.
fn wire() -> Result<Vec<Kernel>, String> {
    let wire = |case: Case| -> Result<&'static [u8], String> { Ok(case.call().encode(Protocol::Zap)?.leak()) };
    let (health, realistic) = (wire(Case::Health)?, wire(Case::Realistic)?);
    let call: Call = Case::Realistic.call();
    let body = Case::Realistic.answer();
    let sixteen: &'static [u8] = health.repeat(16).leak();
    let mut out: Vec<u8> = Vec::with_capacity(4096);
    let mut input = Deframer::new(MAX_FRAME_LEN);
    let mut spare = Vec::new();
    Ok(vec![
        ("http: decode GET /health", Box::new(|| decode(health))),
        ("http: decode POST /readings", Box::new(|| decode(realistic))),
        ("http: encode POST /readings", Box::new(move || sink_slice(&call.encode(Protocol::Zap).unwrap_or_default()))),
        (
            "http: encode an answer",
            Box::new(move || {
                out.clear();
                let encoded = Encoder::frame(&mut out).response(200, "OK").and_then(|mut response| {
                    response.header("content-type", "application/json")?;
                    response.header("cache-control", "no-store")?;
                    response.body(&body)?;
                    response.finish()
                });
                sink(encoded.is_ok().into());
            }),
        ),
        (
            "http: take 16 frames off a stream",
            Box::new(move || {
                input.recv(hide_slice(sixteen));
                let mut batch = input.take_batch(std::mem::take(&mut spare));
                while let Some(frame) = batch.next_frame() {
                    sink_slice(frame);
                }
            }),
        ),
    ])
}

fn decode(wire: &'static [u8]) {
    if let Ok(request) = Frame::decode(hide_slice(&wire[4..]), &FrameLimits::new()) {
        for (name, value) in request.headers().iter() {
            sink((name.len() + value.len()) as u64);
        }
        sink_slice(request.body());
    }
}

/// Runs one kernel, for callgrind to count its second run: the first grows what is reused.
///
/// # Errors
///
/// There is no such kernel.
pub fn probe(name: &str) -> Result<(), String> {
    let mut kernels = kernels()?;
    let (_, kernel) = kernels.iter_mut().find(|(known, _)| *known == name).ok_or("no such kernel")?;
    kernel();
    counted(kernel);
    Ok(())
}

/// Counts all kernels, and compares them with a file, or writes it.
///
/// # Errors
///
/// There is no valgrind; a count moved by more than 1%; the file cannot be read or written.
pub fn run(file: &Path, write: bool) -> Result<(), String> {
    let mut now = BTreeMap::new();
    for (name, _) in kernels()? {
        now.insert(name.to_owned(), callgrind::count(COUNTED, &["instructions", "--probe", name])?);
    }
    let say = |error| format!("{}: {error}", file.display());
    if write {
        return fs::write(file, render(&now)).map_err(say);
    }
    let before = parse(&fs::read_to_string(file).map_err(say)?)?;
    let (table, moved) = compare(&before, &now);
    print!("{table}");
    if moved == 0 { Ok(()) } else { Err(format!("{moved} counts moved by more than 1%; if that is meant: --write")) }
}

/// One kernel per line: its count, and its name.
fn render(counts: &BTreeMap<String, u64>) -> String {
    counts.iter().map(|(name, count)| format!("{count:>8} {name}\n")).collect()
}

fn parse(text: &str) -> Result<BTreeMap<String, u64>, String> {
    let line = |line: &str| {
        let (count, name) = line.trim().split_once(' ').ok_or_else(|| format!("not understood: {line}"))?;
        Ok((name.to_owned(), count.parse().map_err(|_| format!("not understood: {line}"))?))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(line).collect()
}

/// The table, and how many counts moved.
fn compare(before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> (String, usize) {
    let mut moved = 0;
    let mut rows = Vec::new();
    for name in before.keys().chain(now.keys().filter(|name| !before.contains_key(*name))) {
        let shown = |count: Option<&u64>| count.map_or_else(|| "-".to_owned(), u64::to_string);
        let (old, new) = (before.get(name), now.get(name));
        let change = old.zip(new).map(|(old, new)| *new as f64 / *old as f64 - 1.0);
        let is_near = old.zip(new).is_some_and(|(old, new)| new.abs_diff(*old).saturating_mul(TOLERANCE) <= *old);
        let mark = if is_near { "" } else { "!!!" };
        moved += usize::from(!is_near);
        let change = change.map_or_else(|| "-".to_owned(), |change| format!("{:+.1}%", change * 100.0));
        rows.push(vec![name.clone(), shown(old), shown(new), change, mark.to_owned()]);
    }
    (table::render(&["kernel", "before", "now", "change", ""], &rows), moved)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::{compare, kernels, parse, probe, render};

    #[test]
    fn every_kernel_runs_and_has_a_name_of_its_own() {
        let names: Vec<&str> = kernels().unwrap().into_iter().map(|(name, _)| name).collect();
        assert!(names.len() >= 12);
        for (index, name) in names.iter().enumerate() {
            assert_eq!(probe(name), Ok(()));
            assert!(!names[..index].contains(name));
        }
        assert!(probe("none").is_err());
    }

    #[test]
    fn a_move_of_more_than_one_in_a_hundred_is_said() {
        let file = |count: u64| parse(&format!("  1000 a: b\n{count} c d\n")).unwrap();
        assert_eq!(parse(&render(&file(5))), Ok(file(5)));
        assert_eq!(compare(&file(1000), &file(1010)).1, 0);
        let (table, moved) = compare(&file(1000), &file(1011));
        assert!(moved == 1 && table.contains("+1.1%") && table.contains("!!!"), "{table}");
        assert_eq!(compare(&file(1000), &parse("1000 a: b").unwrap()).1, 1, "one that is gone is said, too");
        assert!(parse("a b").is_err());
    }
}
