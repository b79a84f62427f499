//! Pairs of runs, and which of them count.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::child::{Server, Usage, pin_to};
use super::load::Load;
use super::report::{Report, Row};
use super::{Kind, LOAD_CORE, Scenario};

/// The busier side must be busy for this part of a run.
const MIN_BUSY: f64 = 0.85;
/// Neither side may wait for its core for more than this part of a run.
const MAX_WAITED: f64 = 0.05;

/// What is compared: each server with the one that it is measured against.
const PAIRS: [(Kind, Kind); 5] = [
    (Kind::ZapNative, Kind::Floor),
    (Kind::ZapAxum, Kind::Floor),
    (Kind::ZapAxum, Kind::Http1Axum),
    (Kind::ZapAxum, Kind::Http1AxumFlush),
    (Kind::ZapNative, Kind::Http1Hyper),
];

/// Requests in flight on a connection.
const DEPTHS: [usize; 2] = [1, 16];

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How long a run takes.
    pub window: Duration,
    /// Valid pairs that are wanted of each comparison.
    pub pairs: usize,
    /// Pairs after which it is given up.
    pub attempts: usize,
}

impl Plan {
    /// Some two minutes at most.
    pub const QUICK: Self = Self { window: Duration::from_millis(100), pairs: 9, attempts: 18 };
    /// Some ten minutes at most.
    pub const FULL: Self = Self { window: Duration::from_millis(400), pairs: 15, attempts: 30 };
    /// Shows that everything runs; its figures mean nothing.
    pub const SMOKE: Self = Self { window: Duration::from_millis(5), pairs: 1, attempts: 1 };
}

/// One run of one server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// CPU time of the server per request, in microseconds.
    pub(super) cpu: f64,
    /// Requests per second.
    pub(super) rate: f64,
    valid: bool,
}

/// Measures all comparisons whose two servers are wanted: all of them if none is named.
///
/// # Errors
///
/// A server does not start or answers wrongly, or the kernel keeps no accounts.
pub fn run(plan: Plan, wanted: &[Kind]) -> Result<Report, String> {
    let is_wanted = |kind: Kind| wanted.is_empty() || wanted.contains(&kind);
    let pairs: Vec<_> = PAIRS.into_iter().filter(|(ours, theirs)| is_wanted(*ours) && is_wanted(*theirs)).collect();
    pin_to(LOAD_CORE)?;
    // All at once: an idle server takes no time, and starting one would disturb a run.
    let kinds: BTreeSet<Kind> = pairs.iter().flat_map(|(ours, theirs)| [*ours, *theirs]).collect();
    let servers: Result<BTreeMap<_, _>, String> =
        kinds.into_iter().map(|kind| Ok((kind, Server::start(kind)?))).collect();
    let servers = servers?;
    let mut rows = Vec::new();
    for scenario in Scenario::ALL {
        for depth in DEPTHS {
            for (ours, theirs) in &pairs {
                rows.push(compare(plan, scenario, depth, &servers[ours], &servers[theirs])?);
            }
        }
    }
    Ok(Report::new(rows))
}

fn compare(plan: Plan, scenario: Scenario, depth: usize, ours: &Server, theirs: &Server) -> Result<Row, String> {
    let mut row = Row::new(scenario, depth, ours.kind, theirs.kind, plan.pairs);
    for attempt in 0..plan.attempts {
        if row.pairs.len() >= plan.pairs {
            break;
        }
        // Neither is always the first.
        let (first, second) = if attempt % 2 == 0 { (ours, theirs) } else { (theirs, ours) };
        let first = measure(plan, scenario, depth, first)?;
        let second = measure(plan, scenario, depth, second)?;
        let (a, b) = if attempt % 2 == 0 { (first, second) } else { (second, first) };
        row.discarded[0] += usize::from(!a.valid);
        row.discarded[1] += usize::from(!b.valid);
        row.all.push((a, b));
        if a.valid && b.valid {
            row.pairs.push((a, b));
        }
    }
    Ok(row)
}

fn measure(plan: Plan, scenario: Scenario, depth: usize, server: &Server) -> Result<Run, String> {
    let mut load = Load::connect(server.address, scenario, server.kind.is_http1(), depth)?;
    load.run(plan.window / 5)?;
    // The server sleeps now, so that its accounts are complete; so it does at the end.
    sleep(Duration::from_millis(1));
    let before = (server.usage()?, Usage::of_this_thread()?);
    let start = Instant::now();
    let answers = load.run(plan.window)?;
    let time = start.elapsed();
    sleep(Duration::from_millis(1));
    let (server, client) = (server.usage()?.since(before.0), Usage::of_this_thread()?.since(before.1));
    let part = |ns: u64| ns as f64 / time.as_nanos() as f64;
    let busy = part(server.ran.max(client.ran));
    let waited = part(server.waited.max(client.waited));
    Ok(Run {
        cpu: server.ran as f64 / 1e3 / answers as f64,
        rate: answers as f64 / time.as_secs_f64(),
        valid: busy >= MIN_BUSY && waited <= MAX_WAITED,
    })
}
