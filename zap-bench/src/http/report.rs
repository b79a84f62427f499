//! Rows and tables of the end-to-end runs.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Kind;
use super::cells::Cell;
use super::rounds::{Counted, Run};
use crate::table;

/// Pairs of servers whose ratio is printed: each with the one that it is measured against.
const PAIRS: &[(Kind, Kind)] = &[
    (Kind::ZapNative, Kind::Floor),
    (Kind::ZapAxum, Kind::Floor),
    (Kind::ZapAxum, Kind::Http1Axum),
    (Kind::ZapAxum, Kind::Http1AxumFlush),
    (Kind::ZapNative, Kind::Http1Hyper),
    #[cfg(peers)]
    (Kind::ZapNative, Kind::Http1Actix),
    #[cfg(peers)]
    (Kind::ZapNative, Kind::Http1Ntex),
    #[cfg(peers)]
    (Kind::ZapNative, Kind::Http1May),
];

/// The runs of one cell.
pub(super) struct Samples {
    cell: Cell,
    /// Valid pairs that are wanted of each comparison.
    wanted: usize,
    pub(super) kinds: Vec<Kind>,
    /// A run of each kind.
    rounds: Vec<Vec<Run>>,
    pub(super) counted: Vec<Counted>,
}

impl Samples {
    pub(super) fn new(cell: Cell, wanted: usize, kinds: Vec<Kind>) -> Self {
        let counted = vec![Counted::default(); kinds.len()];
        Self { cell, wanted, kinds, rounds: Vec::new(), counted }
    }

    pub(super) fn add(&mut self, round: Vec<Run>) {
        self.rounds.push(round);
    }

    fn index(&self, kind: Kind) -> Option<usize> {
        self.kinds.iter().position(|other| *other == kind)
    }

    /// Rounds in which both runs count.
    fn valid(&self, a: usize, b: usize) -> impl Iterator<Item = (&Run, &Run)> {
        self.rounds.iter().map(move |round| (&round[a], &round[b])).filter(|(a, b)| a.valid && b.valid)
    }

    /// Whether every comparison has as many valid pairs as are wanted.
    pub(super) fn is_enough(&self) -> bool {
        let floor = self.index(Kind::Floor);
        let of_pairs = PAIRS.iter().filter_map(|(a, b)| Some((self.index(*a)?, self.index(*b)?)));
        let of_rows = (0..self.kinds.len()).map(|row| (row, floor.unwrap_or(row)));
        of_pairs.chain(of_rows).all(|(a, b)| self.valid(a, b).count() >= self.wanted)
    }

    /// Whether so many of all rounds are enough for a figure: as many as wanted, and at least half.
    fn is_measured(&self, valid: usize) -> bool {
        valid >= self.wanted && valid * 2 >= self.rounds.len()
    }

    /// The CPU time that a row is about.
    fn cpu(kind: Kind, run: &Run) -> f64 {
        if kind == Kind::ZapClient { run.client_us } else { run.server_us }
    }

    /// The row of one server.
    fn row(&self, index: usize) -> Row {
        let kind = self.kinds[index];
        let runs: Vec<&Run> = self.rounds.iter().map(|round| &round[index]).filter(|run| run.valid).collect();
        let is_measured = self.is_measured(runs.len());
        let of = |value: &dyn Fn(&Run) -> f64| {
            is_measured.then(|| quartiles(runs.iter().map(|run| value(run)).collect())[1])
        };
        let ratio = self.index(Kind::Floor).filter(|floor| *floor != index).and_then(|floor| {
            // The client is compared with the load that calls the floor: the same side of the connection.
            let cost = |run: &Run| if kind == Kind::ZapClient { run.client_us } else { run.server_us };
            let ratios: Vec<f64> = self.valid(index, floor).map(|(a, b)| cost(a) / cost(b)).collect();
            self.is_measured(ratios.len()).then(|| quartiles(ratios))
        });
        Row {
            suite: "http".to_owned(),
            case: self.cell.case_name(),
            server: kind.name().to_owned(),
            connections: self.cell.connections,
            in_flight: self.cell.in_flight,
            body: self.cell.case.body_len(),
            requests_per_s: of(&|run| run.rate),
            cpu_us_per_request: of(&|run| Self::cpu(kind, run)),
            p50_us: of(&|run| run.latency.p50),
            p99_us: of(&|run| run.latency.p99),
            allocs_per_request: self.counted[index].allocations,
            bytes_per_request: self.counted[index].bytes,
            ratio_to_floor: if kind == Kind::Floor { of(&|_| 1.0) } else { ratio.map(|[_, median, _]| median) },
            ratio_spread: ratio.map(|[low, _, high]| [low, high]),
            runs: runs.len(),
        }
    }

    fn pair(&self, ours: Kind, theirs: Kind) -> Option<Pair> {
        let (a, b) = (self.index(ours)?, self.index(theirs)?);
        let ratios: Vec<f64> = self.valid(a, b).map(|(a, b)| a.server_us / b.server_us).collect();
        let discarded = |index: usize| self.rounds.iter().filter(|round| !round[index].valid).count();
        let is_measured = self.is_measured(ratios.len());
        let pairs = ratios.len();
        let quartiles = is_measured.then(|| quartiles(ratios));
        Some(Pair {
            case: self.cell.case_name(),
            body: self.cell.case.body_len(),
            connections: self.cell.connections,
            in_flight: self.cell.in_flight,
            ours: ours.name(),
            theirs: theirs.name(),
            ratio: quartiles.map(|[_, median, _]| median),
            ratio_spread: quartiles.map(|[low, _, high]| [low, high]),
            pairs,
            discarded: [discarded(a), discarded(b)],
        })
    }

    /// Client CPU and p99.9, which the rows of the file do not have.
    fn more(&self, index: usize) -> More {
        let runs: Vec<&Run> = self.rounds.iter().map(|round| &round[index]).filter(|run| run.valid).collect();
        let of = |value: fn(&Run) -> f64| quartiles(runs.iter().map(|run| value(run)).collect())[1];
        More {
            client_us: of(|run| run.client_us),
            p99_9_us: of(|run| run.latency.p99_9),
            discarded: self.rounds.len() - runs.len(),
        }
    }
}

/// One server in one cell. Figures that were not measured are `null`: too few runs counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Always `http`.
    pub suite: String,
    /// `health`, `realistic`, `body`, `echo`, `churn`, `rpc-CODEC`, `auction-CODEC`.
    pub case: String,
    /// The server's name; `zap-client` is the client.
    pub server: String,
    /// Connections.
    pub connections: usize,
    /// Requests in flight on each connection.
    pub in_flight: usize,
    /// Bytes of the answer's body.
    pub body: usize,
    /// Requests per second: the median of the runs, as all that follow.
    pub requests_per_s: Option<f64>,
    /// CPU time of the server (of `zap-client`: of the caller) per request, in microseconds.
    pub cpu_us_per_request: Option<f64>,
    /// Half of the answers came in this time, in microseconds.
    pub p50_us: Option<f64>,
    /// 99 in 100 did.
    pub p99_us: Option<f64>,
    /// Heap allocations and reallocations of the server, counted in a run of its own.
    pub allocs_per_request: Option<f64>,
    /// Bytes of a request and its answer on the connection.
    pub bytes_per_request: Option<usize>,
    /// The CPU time as a multiple of the floor's in the same round: the median of the rounds.
    pub ratio_to_floor: Option<f64>,
    /// The range of the middle half of these ratios.
    pub ratio_spread: Option<[f64; 2]>,
    /// Runs that count.
    pub runs: usize,
}

/// Two servers in one cell: CPU time of the first as a multiple of that of the second.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    case: String,
    body: usize,
    connections: usize,
    in_flight: usize,
    ours: &'static str,
    theirs: &'static str,
    ratio: Option<f64>,
    ratio_spread: Option<[f64; 2]>,
    /// Pairs of runs that count.
    pairs: usize,
    /// Runs that do not, of each of the two.
    discarded: [usize; 2],
}

/// What a table shows beyond the file.
#[derive(Clone, Debug)]
struct More {
    client_us: f64,
    p99_9_us: f64,
    discarded: usize,
}

/// What all cells gave.
#[derive(Clone, Debug)]
pub struct Report {
    rows: Vec<Row>,
    more: Vec<Option<More>>,
    pairs: Vec<Pair>,
}

impl Report {
    /// With rows of an earlier run.
    pub(super) fn new(rows: Vec<Row>) -> Self {
        Self { more: vec![None; rows.len()], rows, pairs: Vec::new() }
    }

    /// Whether all of these servers have their row.
    pub(super) fn has(&self, cell: &Cell, kinds: &[Kind]) -> bool {
        let (case, body) = (cell.case_name(), cell.case.body_len());
        kinds.iter().all(|kind| {
            self.rows.iter().any(|row| {
                row.server == kind.name()
                    && (&row.case, row.body) == (&case, body)
                    && (row.connections, row.in_flight) == (cell.connections, cell.in_flight)
            })
        })
    }

    pub(super) fn add(&mut self, samples: &Samples) {
        for index in 0..samples.kinds.len() {
            self.rows.push(samples.row(index));
            self.more.push(Some(samples.more(index)));
        }
        self.pairs.extend(PAIRS.iter().filter_map(|(ours, theirs)| samples.pair(*ours, *theirs)));
    }

    /// A server that failed: it has a row without figures.
    pub(super) fn add_missing(&mut self, cell: &Cell, kind: Kind) {
        self.rows.push(Row {
            suite: "http".to_owned(),
            case: cell.case_name(),
            server: kind.name().to_owned(),
            connections: cell.connections,
            in_flight: cell.in_flight,
            body: cell.case.body_len(),
            requests_per_s: None,
            cpu_us_per_request: None,
            p50_us: None,
            p99_us: None,
            allocs_per_request: None,
            bytes_per_request: None,
            ratio_to_floor: None,
            ratio_spread: None,
            runs: 0,
        });
        self.more.push(None);
    }

    /// The rows, for a file.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The comparisons of two servers each, for a file.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = [
            "request, connections x in flight: server",
            "CPU us",
            "client us",
            "to floor",
            "25-75%",
            "1000/s",
            "p50 us",
            "p99 us",
            "p99.9 us",
            "allocs",
            "bytes",
            "runs",
            "discarded",
        ];
        let cells: Vec<Vec<String>> =
            self.rows.iter().zip(&self.more).map(|(row, more)| row.cells(more.as_ref())).collect();
        f.write_str(&table::render(&head, &cells))?;
        writeln!(
            f,
            "\nCPU time of the server per request; zap-client: of the caller, against that of the plain load at the floor.\n"
        )?;
        let head = ["request, connections x in flight: servers", "ratio", "25-75%", "pairs", "discarded"];
        let cells: Vec<Vec<String>> = self.pairs.iter().map(Pair::cells).collect();
        f.write_str(&table::render(&head, &cells))?;
        let missing = self.rows.iter().filter(|row| row.cpu_us_per_request.is_none()).count();
        if missing > 0 {
            writeln!(
                f,
                "\n!!! {missing} rows NOT MEASURED (`-`): in more than half of their runs a core was not ours. Run again on a quiet machine."
            )?;
        }
        Ok(())
    }
}

/// A figure, or that there is none.
fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

fn spread(range: Option<[f64; 2]>) -> String {
    range.map_or_else(|| "-".to_owned(), |[low, high]| format!("{low:.3}-{high:.3}"))
}

impl Row {
    fn cells(&self, more: Option<&More>) -> Vec<String> {
        let more_of = |value: fn(&More) -> f64| more.map(value).filter(|value| value.is_finite());
        vec![
            format!("{} {} B, {} x{}: {}", self.case, self.body, self.connections, self.in_flight, self.server),
            shown(self.cpu_us_per_request, 2),
            shown(more_of(|more| more.client_us), 2),
            shown(self.ratio_to_floor, 3),
            spread(self.ratio_spread),
            shown(self.requests_per_s.map(|rate| rate / 1e3), 1),
            shown(self.p50_us, 0),
            shown(self.p99_us, 0),
            shown(more_of(|more| more.p99_9_us), 0),
            shown(self.allocs_per_request, 2),
            self.bytes_per_request.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string()),
            self.runs.to_string(),
            more.map_or_else(|| "-".to_owned(), |more| more.discarded.to_string()),
        ]
    }
}

impl Pair {
    fn cells(&self) -> Vec<String> {
        let Self { case, body, connections, in_flight, ours, theirs, .. } = self;
        vec![
            format!("{case} {body} B, {connections} x{in_flight}: {ours} / {theirs}"),
            shown(self.ratio, 3),
            spread(self.ratio_spread),
            self.pairs.to_string(),
            format!("{} / {}", self.discarded[0], self.discarded[1]),
        ]
    }
}

/// The quartiles of some values.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0.25, 0.5, 0.75].map(|part| {
        let at = part * values.len().saturating_sub(1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        match (values.get(low), values.get(high)) {
            (Some(low), Some(high)) => low + (high - low) * at.fract(),
            _ => f64::NAN,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Case;
    use crate::load::Tally;

    fn run(server_us: f64, client_us: f64, valid: bool) -> Run {
        Run { server_us, client_us, rate: 1e3, latency: Tally::new().latency(), valid }
    }

    fn samples(rounds: &[[(f64, f64, bool); 3]]) -> Samples {
        let cell = Cell { case: Case::Health, connections: 64, in_flight: 1, churn: false };
        let mut samples = Samples::new(cell, 3, vec![Kind::Floor, Kind::ZapNative, Kind::ZapClient]);
        for round in rounds {
            samples.add(round.iter().map(|&(server, client, valid)| run(server, client, valid)).collect());
        }
        samples
    }

    #[test]
    fn quartiles_lie_between_values() {
        assert_eq!(quartiles(vec![4.0, 1.0, 3.0, 2.0, 5.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(vec![1.0, 2.0]), [1.25, 1.5, 1.75]);
        assert!(quartiles(Vec::new())[1].is_nan());
    }

    #[test]
    fn ratios_are_those_of_rounds() {
        // The machine slows down from round to round; the ratio does not.
        let round =
            |slow: f64| [(slow, 2.0 * slow, true), (1.5 * slow, 2.0 * slow, true), (1.5 * slow, 6.0 * slow, true)];
        let samples = samples(&[round(1.0), round(2.0), round(4.0)]);
        assert!(samples.is_enough());
        let row = samples.row(1);
        assert_eq!((row.ratio_to_floor, row.ratio_spread, row.runs), (Some(1.5), Some([1.5, 1.5]), 3));
        assert_eq!((row.cpu_us_per_request, samples.row(0).ratio_to_floor), (Some(3.0), Some(1.0)));
        let client = samples.row(2);
        assert_eq!((client.cpu_us_per_request, client.ratio_to_floor), (Some(12.0), Some(3.0)));
        let pair = samples.pair(Kind::ZapNative, Kind::Floor).unwrap();
        assert_eq!((pair.ratio, pair.pairs, pair.discarded), (Some(1.5), 3, [0, 0]));
    }

    #[test]
    fn runs_that_do_not_count_leave_a_row_unmeasured() {
        let good = [(1.0, 1.0, true), (2.0, 1.0, true), (2.0, 1.0, true)];
        let bad = [(1.0, 1.0, true), (9.0, 1.0, false), (2.0, 1.0, true)];
        let samples = samples(&[good, good, good, bad, bad, bad, bad]);
        assert!(samples.is_enough(), "three pairs are there");
        let row = samples.row(1);
        assert_eq!(
            (row.cpu_us_per_request, row.ratio_to_floor, row.runs),
            (None, None, 3),
            "but more than half are not"
        );
        assert_eq!(samples.pair(Kind::ZapNative, Kind::Floor).unwrap().discarded, [4, 0]);
        assert!(samples.row(0).cpu_us_per_request.is_some());
        let mut report = Report::new(Vec::new());
        report.add(&samples);
        assert!(report.to_string().contains("1 rows NOT MEASURED"), "{report}");
    }

    #[test]
    fn the_file_has_the_fields_that_were_agreed_on_and_leads_back() {
        let round = [(1.0, 1.0, true), (2.0, 1.0, true), (2.0, 1.0, true)];
        let mut report = Report::new(Vec::new());
        report.add(&samples(&[round, round, round]));
        let json = serde_json::to_value(report.rows()).unwrap();
        let mut names: Vec<&str> = json[1].as_object().unwrap().keys().map(String::as_str).collect();
        let mut wanted = [
            "suite",
            "case",
            "server",
            "connections",
            "in_flight",
            "body",
            "requests_per_s",
            "cpu_us_per_request",
            "p50_us",
            "p99_us",
            "allocs_per_request",
            "bytes_per_request",
            "ratio_to_floor",
            "ratio_spread",
            "runs",
        ];
        names.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(names, wanted);
        let rows: Vec<Row> = serde_json::from_value(json).unwrap();
        assert_eq!(rows, report.rows());
        // They need not be measured again.
        let cell = Cell { case: Case::Health, connections: 64, in_flight: 1, churn: false };
        let earlier = Report::new(rows);
        assert!(earlier.has(&cell, &[Kind::Floor, Kind::ZapNative]) && !earlier.has(&cell, &[Kind::ZapAxum]));
        assert!(!earlier.has(&Cell { in_flight: 16, ..cell }, &[Kind::Floor]));
    }
}
