//! Rounds of runs, and which of them count.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::cells::{Cell, Plan, Wanted, cells};
use super::child::{Server, Usage, pin_to};
use super::report::{Report, Row, Samples};
use super::{Kind, LOAD_CORE};
use crate::load::{Checker, ClientDriver, ClientTask, Driver, Latency, Pace, Place, Protocol, Tally, Task};

/// The busier side must be busy for this part of a run.
const MIN_BUSY: f64 = 0.85;
/// Neither side may wait for its core for more than this part of a run.
const MAX_WAITED: f64 = 0.05;
/// An answer that takes longer than this is none.
const TIMEOUT: Duration = Duration::from_secs(10);

/// One run of one server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// CPU time per request of the server, and of the load, in microseconds.
    pub(super) server_us: f64,
    pub(super) client_us: f64,
    /// Requests per second.
    pub(super) rate: f64,
    pub(super) latency: Latency,
    pub(super) valid: bool,
}

/// Measures all that is wanted. `done` are rows of an earlier run, whose cells are not measured again; after each cell
/// `save` is given all rows there are.
///
/// # Errors
///
/// A server does not start or answers wrongly, or the kernel keeps no accounts.
pub fn run(
    plan: Plan,
    wanted: &Wanted,
    done: Vec<Row>,
    progress: &dyn Fn(usize, usize, &str),
    save: &mut dyn FnMut(&[Row]) -> Result<(), String>,
) -> Result<Report, String> {
    pin_to(LOAD_CORE)?;
    let cells = cells(&plan, wanted);
    let mut report = Report::new(done);
    // All at once and for all: an idle server takes no time, and starting one would disturb a run.
    let mut servers: BTreeMap<Kind, Server> = BTreeMap::new();
    for (index, cell) in cells.iter().enumerate() {
        let kinds: Vec<Kind> = cell.servers(wanted);
        if report.has(cell, &kinds) {
            continue;
        }
        progress(index, cells.len(), &cell.case.to_string());
        for &kind in &kinds {
            if let std::collections::btree_map::Entry::Vacant(place) = servers.entry(kind) {
                place.insert(Server::start(kind)?);
            }
        }
        let mut samples = sample(&plan, cell, kinds, &servers, &mut report)?;
        for (index, &kind) in samples.kinds.iter().enumerate() {
            if let Some(server) = servers.get_mut(&kind) {
                samples.counted[index] = count(cell, kind, server)?;
            }
        }
        report.add(&samples);
        save(report.rows())?;
    }
    progress(cells.len(), cells.len(), "");
    Ok(report)
}

/// Rounds until there are enough. A server of others that fails is left out, and said to be not measured; ours may not fail.
fn sample(
    plan: &Plan,
    cell: &Cell,
    mut kinds: Vec<Kind>,
    servers: &BTreeMap<Kind, Server>,
    report: &mut Report,
) -> Result<Samples, String> {
    'cell: loop {
        let mut samples = Samples::new(*cell, plan.pairs, kinds.clone());
        for round in 0..plan.attempts {
            if samples.is_enough() {
                break;
            }
            match one_round(plan, cell, &kinds, servers, round) {
                Ok(runs) => samples.add(runs),
                Err((kind, error)) if kind.is_http1() => {
                    eprintln!("!!! NOT MEASURED: {error}");
                    report.add_missing(cell, kind);
                    kinds.retain(|other| *other != kind);
                    continue 'cell;
                }
                Err((_, error)) => return Err(error),
            }
        }
        return Ok(samples);
    }
}

/// A run of each server; none is always the first. Or which one failed, and how.
fn one_round(
    plan: &Plan,
    cell: &Cell,
    kinds: &[Kind],
    servers: &BTreeMap<Kind, Server>,
    round: usize,
) -> Result<Vec<Run>, (Kind, String)> {
    let order: Vec<usize> =
        if round.is_multiple_of(2) { (0..kinds.len()).collect() } else { (0..kinds.len()).rev().collect() };
    let mut runs = Vec::new();
    for index in order {
        let kind = kinds[index];
        let run = measure(plan.window, cell, kind, &servers[&kind]);
        let run = run.map_err(|error| (kind, format!("{}, {}: {error}", kind.name(), cell.case)))?;
        runs.push((index, run));
    }
    runs.sort_by_key(|(index, _)| *index);
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// The load of a cell, by either way.
enum Load {
    Wire(Driver),
    Client(ClientDriver),
}

impl Load {
    fn new(cell: &Cell, kind: Kind, server: &Server) -> Result<Self, String> {
        let Cell { case, connections, in_flight: depth, churn } = *cell;
        let protocol = if kind.is_http1() { Protocol::Http1 } else { Protocol::Zap };
        let (call, body) = (case.call(), Some(case.answer()));
        if kind == Kind::ZapClient {
            let target = format!("zap://{}", server.address);
            let task = ClientTask { target, call, body, connections, depth, timeout: TIMEOUT };
            return ClientDriver::new(task).map(Self::Client);
        }
        let (request, checker) = (call.encode(protocol)?, Checker::new(protocol, body));
        let place = Place::Tcp(server.address);
        Driver::new(Task { place, request, checker, connections, depth, churn, timeout: TIMEOUT }).map(Self::Wire)
    }

    /// Anything but right answers ends the measurement.
    fn run(&mut self, window: Duration) -> Result<Tally, String> {
        let mut tally = Tally::new();
        match self {
            Self::Wire(driver) => driver.run(Pace::Closed(window), &mut tally, None)?,
            Self::Client(driver) => driver.run(Pace::Closed(window), &mut tally, None),
        }
        match tally.errors.sum() {
            0 if tally.answers() > 0 => Ok(tally),
            _ => Err(format!("{} answers, and {:?}", tally.answers(), tally.errors)),
        }
    }
}

fn measure(window: Duration, cell: &Cell, kind: Kind, server: &Server) -> Result<Run, String> {
    let mut load = Load::new(cell, kind, server)?;
    load.run(window / 5)?;
    // The server sleeps now, so that its accounts are complete; so it does at the end.
    sleep(Duration::from_millis(1));
    let before = (server.usage()?, Usage::of_this_thread()?);
    let start = Instant::now();
    let tally = load.run(window)?;
    let time = start.elapsed();
    sleep(Duration::from_millis(1));
    let (server, client) = (server.usage()?.since(before.0), Usage::of_this_thread()?.since(before.1));
    let part = |ns: u64| ns as f64 / time.as_nanos() as f64;
    let busy = part(server.ran.max(client.ran));
    let waited = part(server.waited.max(client.waited));
    let per_request = |ns: u64| ns as f64 / 1e3 / tally.answers() as f64;
    Ok(Run {
        server_us: per_request(server.ran),
        client_us: per_request(client.ran),
        rate: tally.answers() as f64 / time.as_secs_f64(),
        latency: tally.latency(),
        valid: counts(cell.connections, busy, waited),
    })
}

/// Whether a run counts. One connection leaves both sides idle in turn.
fn counts(connections: usize, busy: f64, waited: f64) -> bool {
    (connections == 1 || busy >= MIN_BUSY) && waited <= MAX_WAITED
}

/// Allocations of the server and bytes per request, in a run of its own; not timed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    pub(super) allocations: Option<f64>,
    pub(super) bytes: Option<usize>,
}

fn count(cell: &Cell, kind: Kind, server: &mut Server) -> Result<Counted, String> {
    const WINDOW: Duration = Duration::from_millis(50);
    if kind == Kind::ZapClient {
        return Ok(Counted::default());
    }
    let mut load = Load::new(cell, kind, server)?;
    load.run(WINDOW)?;
    server.allocations()?;
    let answers = load.run(WINDOW)?.answers();
    let allocations = server.stop_counting()?;
    let Load::Wire(driver) = &load else { return Ok(Counted::default()) };
    Ok(Counted { allocations: Some(allocations as f64 / answers as f64), bytes: driver.bytes_per_request() })
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn which_runs_count() {
        assert!(counts(64, 0.85, 0.05));
        assert!(!counts(64, 0.84, 0.0) && !counts(64, 1.0, 0.06));
        assert!(counts(1, 0.3, 0.05) && !counts(1, 0.3, 0.06));
    }
}
