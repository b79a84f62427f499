//! From rows to tables and plots.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Machine, Outcome, Results};

/// A report.
pub(super) struct Document {
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) sections: Vec<Section>,
}

/// What one suite gave.
pub(super) struct Section {
    pub(super) title: String,
    /// The command that gives the figures again.
    pub(super) command: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) parts: Vec<Part>,
}

pub(super) enum Part {
    Table(Table),
    Plot(Plot),
}

pub(super) struct Table {
    pub(super) title: String,
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// A picture.
pub(super) enum Plot {
    /// Bars from zero, each with the range that it varied in.
    Bars { title: String, unit: &'static str, bars: Vec<Bar> },
    /// Curves, both axes logarithmic.
    Lines { title: String, x: &'static str, y: &'static str, lines: Vec<(String, Vec<(f64, f64)>)> },
}

pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: f64,
    pub(super) range: Option<(f64, f64)>,
}

impl Document {
    pub(super) fn plots(&self) -> impl Iterator<Item = &Plot> {
        self.sections.iter().flat_map(|section| &section.parts).filter_map(|part| match part {
            Part::Plot(plot) => Some(plot),
            Part::Table(_) => None,
        })
    }
}

/// How the rows of a suite are read.
struct Shape {
    suite: &'static str,
    title: &'static str,
    /// Fields that are the same for all rows of one table.
    group: &'static [&'static str],
    /// The field that a line of a table is called by.
    name: &'static str,
    /// The figure that is drawn, its unit, and its upper end.
    figure: &'static str,
    unit: &'static str,
    upper: Option<&'static str>,
    /// Further columns.
    more: &'static [&'static str],
}

const SHAPES: [Shape; 7] = [
    codecs("record", "One request and one response", &["op"]),
    codecs("lengths", "Unpredictable lengths", &["op"]),
    codecs("datasets", "The public data sets", &["data", "op"]),
    codecs("auction", "A bid request and its answer", &["data", "op"]),
    codecs("json-shapes", "Documents that JSON libraries are judged by", &["data", "op"]),
    Shape {
        suite: "scaling",
        title: "What a message's size does",
        group: &["bytes"],
        name: "op",
        figure: "ns",
        unit: "ns",
        upper: Some("ns_max"),
        more: &["runs"],
    },
    Shape {
        suite: "http",
        title: "Servers end to end",
        group: &["case", "body", "connections", "in_flight"],
        name: "server",
        figure: "cpu_us_per_request",
        unit: "CPU us per request",
        upper: None,
        more: &[
            "ratio_to_floor",
            "ratio_spread",
            "requests_per_s",
            "p50_us",
            "p99_us",
            "allocs_per_request",
            "bytes_per_request",
            "runs",
        ],
    },
];

const fn codecs(suite: &'static str, title: &'static str, group: &'static [&'static str]) -> Shape {
    let (name, figure, unit, upper) = ("codec", "ns", "ns", Some("ns_max"));
    Shape { suite, title, group, name, figure, unit, upper, more: &["ratio", "allocs", "bytes", "runs"] }
}

/// The report of some results, compared with earlier ones if there are any.
pub(super) fn document(results: &Results, against: Option<&Results>) -> Document {
    let mut sections: Vec<Section> = SHAPES.iter().map(|shape| section(shape, results, against)).collect();
    let known = |name: &String| SHAPES.iter().any(|shape| shape.suite == name);
    for (name, outcome) in results.suites.iter().filter(|(name, _)| !known(name)) {
        sections.push(text(name, outcome));
    }
    let mut facts = facts("", &results.machine);
    if let Some(against) = against {
        facts.extend(self::facts("compared with: ", &against.machine).into_iter().filter(|(name, _)| *name != "cores"));
    }
    Document { facts, sections }
}

fn facts(prefix: &str, machine: &Machine) -> Vec<(&'static str, String)> {
    let Machine { processor, cores, kernel, toolchain, commit } = machine;
    let shown = |text: &str| format!("{prefix}{}", if text.is_empty() { "unknown" } else { text });
    vec![
        ("processor", shown(processor)),
        ("cores", cores.to_string()),
        ("kernel", shown(kernel)),
        ("toolchain", shown(toolchain)),
        ("commit", shown(commit)),
    ]
}

/// A suite without a shape: what it printed.
fn text(name: &str, outcome: &Outcome) -> Section {
    let (command, notes, parts) = match outcome {
        Outcome::NotMeasured(why) => (None, vec![format!("Not measured: {why}")], Vec::new()),
        Outcome::Rows { command, rows } => {
            let lines = rows.iter().map(|row| vec![row.as_str().map_or_else(|| row.to_string(), str::to_owned)]);
            let table = Table { title: String::new(), head: vec!["output".to_owned()], rows: lines.collect() };
            (Some(command.clone()), Vec::new(), vec![Part::Table(table)])
        }
    };
    Section { title: name.to_owned(), command, notes, parts }
}

fn section(shape: &Shape, results: &Results, against: Option<&Results>) -> Section {
    let mut notes = Vec::new();
    let command = match results.suites.get(shape.suite) {
        Some(Outcome::Rows { command, .. }) => Some(command.clone()),
        Some(Outcome::NotMeasured(why)) => {
            notes.push(format!("Not measured: {why}"));
            None
        }
        None => {
            notes.push("Not measured: the suite was not run.".to_owned());
            None
        }
    };
    let rows = results.rows(shape.suite);
    if rows.iter().any(|row| row.get("quiet") == Some(&Value::Bool(false))) {
        notes.push("The machine was busy: some figures come from runs that were not quiet.".to_owned());
    }
    let before: BTreeMap<String, f64> = against
        .iter()
        .flat_map(|old| old.rows(shape.suite))
        .filter_map(|row| Some((key(shape, row), figure(shape, row)?)))
        .collect();
    let mut parts = Vec::new();
    if shape.suite == "scaling" && !rows.is_empty() {
        parts.push(Part::Plot(scaling(rows)));
    }
    for (title, rows) in groups(shape, rows) {
        let bars: Vec<Bar> = rows.iter().filter_map(|row| bar(shape, row)).collect();
        if bars.len() > 1 && shape.suite != "scaling" {
            parts.push(Part::Plot(Plot::Bars { title: title.clone(), unit: shape.unit, bars }));
        }
        parts.push(Part::Table(table(shape, title, &rows, against.is_some().then_some(&before))));
    }
    if shape.suite == "http" && !rows.is_empty() {
        parts.extend(latencies(shape, rows));
    }
    Section { title: shape.title.to_owned(), command, notes, parts }
}

/// What a row is about, without its figures.
fn key(shape: &Shape, row: &Value) -> String {
    let fields = shape.group.iter().chain([&shape.name]);
    fields.map(|field| shown(row.get(field))).collect::<Vec<_>>().join(" ")
}

fn figure(shape: &Shape, row: &Value) -> Option<f64> {
    row.get(shape.figure)?.as_f64()
}

/// The rows of each table, in the order in which they come.
fn groups<'r>(shape: &Shape, rows: &'r [Value]) -> Vec<(String, Vec<&'r Value>)> {
    let mut groups: Vec<(String, Vec<&Value>)> = Vec::new();
    for row in rows {
        let fields = shape.group.iter().map(|field| match *field {
            "body" => format!("{} B", shown(row.get("body"))),
            "bytes" => format!("{} B", shown(row.get("bytes"))),
            "connections" => format!("{} connections", shown(row.get("connections"))),
            "in_flight" => format!("{} in flight", shown(row.get("in_flight"))),
            field => shown(row.get(field)),
        });
        let title = fields.collect::<Vec<_>>().join(", ");
        match groups.iter_mut().find(|(other, _)| *other == title) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((title, vec![row])),
        }
    }
    groups
}

fn bar(shape: &Shape, row: &Value) -> Option<Bar> {
    let value = figure(shape, row)?;
    let upper = shape.upper.and_then(|field| row.get(field)?.as_f64());
    let lower = row.get("ns_min").and_then(Value::as_f64).unwrap_or(value);
    // The ratios vary as the figure does.
    let of_ratio = || {
        let (ratio, spread) = (row.get("ratio_to_floor")?.as_f64()?, row.get("ratio_spread")?.as_array()?);
        Some((value * spread.first()?.as_f64()? / ratio, value * spread.get(1)?.as_f64()? / ratio))
    };
    let range = upper.map(|upper| (lower, upper)).or_else(of_ratio);
    Some(Bar { label: shown(row.get(shape.name)), value, range })
}

fn table(shape: &Shape, title: String, rows: &[&Value], before: Option<&BTreeMap<String, f64>>) -> Table {
    let mut head = vec![shape.name.to_owned(), shape.unit.to_owned()];
    if before.is_some() {
        head.extend(["before".to_owned(), "now / before".to_owned()]);
    }
    head.extend(shape.more.iter().map(|field| field.replace('_', " ")));
    let line = |row: &&Value| {
        let now = row.get(shape.figure);
        let is_missing = now.is_none_or(Value::is_null) && row.get("op") != Some(&Value::from("size"));
        let mut cells =
            vec![shown(row.get(shape.name)), if is_missing { "not measured".to_owned() } else { shown(now) }];
        if let Some(before) = before {
            let old = before.get(&key(shape, row));
            cells.push(old.map_or_else(|| "not measured".to_owned(), |old| number(*old)));
            let ratio = old.and_then(|old| Some(figure(shape, row)? / old));
            cells.push(ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}")));
        }
        cells.extend(shape.more.iter().map(|field| shown(row.get(field))));
        cells
    };
    let rows = rows.iter().map(line).collect();
    Table { title, head, rows }
}

/// A curve for each operation.
fn scaling(rows: &[Value]) -> Plot {
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for row in rows {
        let (Some(bytes), Some(ns)) = (row["bytes"].as_f64(), row["ns"].as_f64()) else { continue };
        let op = shown(row.get("op"));
        match lines.iter_mut().find(|(name, _)| *name == op) {
            Some((_, points)) => points.push((bytes, ns)),
            None => lines.push((op, vec![(bytes, ns)])),
        }
    }
    Plot::Lines { title: "reading, by size".to_owned(), x: "bytes", y: "ns", lines }
}

/// For each case a curve per server: how long half of the answers took, and 99 in 100, by requests under way.
fn latencies(shape: &Shape, rows: &[Value]) -> Vec<Part> {
    let mut cases: BTreeMap<String, BTreeMap<String, Vec<(f64, f64)>>> = BTreeMap::new();
    for row in rows {
        let at = || Some(row.get("connections")?.as_f64()? * row.get("in_flight")?.as_f64()?);
        let (Some(at), Some(p99)) = (at(), row.get("p99_us").and_then(Value::as_f64)) else { continue };
        let case = format!("{} {} B", shown(row.get("case")), shown(row.get("body")));
        cases.entry(case).or_default().entry(shown(row.get(shape.name))).or_default().push((at, p99));
    }
    let plots = cases.into_iter().filter_map(|(case, servers)| {
        let lines: Vec<_> = servers
            .into_iter()
            .filter(|(_, points)| points.len() > 1)
            .map(|(server, mut points)| {
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                (server, points)
            })
            .collect();
        let title = format!("{case}: 99 of 100 answers within");
        (!lines.is_empty()).then_some(Plot::Lines { title, x: "requests under way", y: "us", lines })
    });
    plots.map(Part::Plot).collect()
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(values)) => values.iter().map(|value| shown(Some(value))).collect::<Vec<_>>().join("-"),
        Some(Value::Number(value)) => match value.as_u64() {
            Some(whole) => whole.to_string(),
            None => value.as_f64().map_or_else(|| value.to_string(), number),
        },
        Some(other) => other.to_string(),
    }
}

/// With as many digits as are worth reading.
fn number(value: f64) -> String {
    match value.abs() {
        ..10.0 => format!("{value:.3}"),
        ..1000.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
