//! What is measured end to end: which requests, over how many connections, with how many in flight, and for how long.

use std::time::Duration;

use super::{Case, Codec, Kind};

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How long a run takes.
    pub window: Duration,
    /// Valid pairs that are wanted of each comparison.
    pub pairs: usize,
    /// Rounds after which it is given up.
    pub attempts: usize,
    /// Only the health case.
    pub only_health: bool,
}

impl Plan {
    /// A minute or two, at most three.
    pub const QUICK: Self = Self { window: Duration::from_millis(100), pairs: 9, attempts: 18, only_health: true };
    /// A quarter of an hour.
    pub const FULL: Self = Self { window: Duration::from_millis(200), pairs: 9, attempts: 18, only_health: false };
    /// A few seconds, for a first impression.
    pub const STORY: Self = Self { window: Duration::from_millis(50), pairs: 9, attempts: 18, only_health: true };
    /// Shows that everything runs; its figures mean nothing.
    pub const SMOKE: Self = Self { window: Duration::from_millis(5), pairs: 1, attempts: 1, only_health: false };
}

/// Which of it is wanted; an empty list is all.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// These servers.
    pub servers: Vec<Kind>,
    /// These requests.
    pub cases: Vec<Case>,
    /// So many connections.
    pub connections: Vec<usize>,
    /// So many requests in flight on each.
    pub in_flight: Vec<usize>,
}

/// Servers that are measured against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) case: Case,
    pub(super) connections: usize,
    pub(super) in_flight: usize,
    /// A connection for each request.
    pub(super) churn: bool,
}

impl Cell {
    const fn new(case: Case, connections: usize, in_flight: usize) -> Self {
        Self { case, connections, in_flight, churn: false }
    }

    /// What rows call it.
    pub(super) fn case_name(&self) -> String {
        if self.churn { "churn".to_owned() } else { self.case.name() }
    }

    /// The servers of this cell, in their order.
    pub(super) fn servers(&self, wanted: &Wanted) -> Vec<Kind> {
        let all = <Kind as clap::ValueEnum>::value_variants().iter().copied();
        let is_wanted = |kind: &Kind| wanted.servers.is_empty() || wanted.servers.contains(kind);
        all.filter(|kind| kind.answers(self.case, self.churn)).filter(is_wanted).collect()
    }
}

/// All cells, those first whose answers are awaited most.
pub(super) fn cells(plan: &Plan, wanted: &Wanted) -> Vec<Cell> {
    let quick = [Cell::new(Case::Health, 64, 1), Cell::new(Case::Health, 64, 16), Cell::new(Case::Health, 1, 1)];
    let mut cells = quick.to_vec();
    // What is asked for by name is measured, by the quick plan too.
    if !plan.only_health || !wanted.cases.is_empty() {
        cells.extend([Cell::new(Case::Realistic, 64, 1), Cell::new(Case::Realistic, 64, 16)]);
        cells.extend([64 << 10, 1 << 20].map(|len| Cell::new(Case::Body(len), 64, 1)));
        cells.extend([64, 1 << 10, 16 << 10].map(|len| Cell::new(Case::Body(len), 64, 1)));
        cells.extend([64 << 10, 1 << 20].map(|len| Cell::new(Case::Echo(len), 64, 1)));
        cells.push(Cell { churn: true, ..Cell::new(Case::Health, 64, 1) });
        for codec in Codec::ALL {
            cells.extend([1, 16].map(|in_flight| Cell::new(Case::Rpc(codec), 64, in_flight)));
        }
        cells.extend(Codec::ALL.map(|codec| Cell::new(Case::Auction(codec), 64, 1)));
        cells.push(Cell::new(Case::Health, 1, 16));
        cells.extend([1, 16].map(|in_flight| Cell::new(Case::Health, 125, in_flight)));
        for connections in [1, 125] {
            cells.extend([1, 16].map(|in_flight| Cell::new(Case::Realistic, connections, in_flight)));
        }
    }
    cells.retain(|cell| {
        (wanted.cases.is_empty() || wanted.cases.contains(&cell.case))
            && (wanted.connections.is_empty() || wanted.connections.contains(&cell.connections))
            && (wanted.in_flight.is_empty() || wanted.in_flight.contains(&cell.in_flight))
    });
    cells
}

#[cfg(test)]
mod tests {
    use super::{Case, Kind, Plan, Wanted, cells};

    #[test]
    fn quick_is_health_unless_told_otherwise() {
        assert!(cells(&Plan::QUICK, &Wanted::default()).iter().all(|cell| cell.case == Case::Health));
        let wanted = Wanted { cases: vec![Case::Realistic], connections: vec![64], ..Wanted::default() };
        assert_eq!(cells(&Plan::QUICK, &wanted).len(), 2);
    }

    #[test]
    fn the_full_run_has_what_was_promised_once() {
        let all = cells(&Plan::FULL, &Wanted::default());
        for (index, cell) in all.iter().enumerate() {
            assert!(!all[..index].contains(cell), "{cell:?}");
        }
        for name in ["health", "realistic", "body", "echo", "churn", "rpc-zap", "auction-serde_json"] {
            assert!(all.iter().any(|cell| cell.case_name() == name), "{name}");
        }
        for connections in [1, 64, 125] {
            assert!(all.iter().any(|cell| cell.connections == connections && cell.in_flight == 16));
        }
    }

    #[test]
    fn the_client_keeps_its_connections() {
        let all = cells(&Plan::FULL, &Wanted::default());
        let churn = all.iter().find(|cell| cell.churn).unwrap();
        assert!(!churn.servers(&Wanted::default()).contains(&Kind::ZapClient));
    }
}
