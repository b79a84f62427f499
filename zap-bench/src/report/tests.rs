//! A report of made-up results: the shape of the files, not figures.

use serde_json::json;

use super::{Machine, Outcome, Results, document, html, markdown, plot};

fn results(ns: f64) -> Results {
    let command = || "zap-bench SUITE --json FILE".to_owned();
    let record = json!([
        { "suite": "record", "op": "decode", "codec": "zap-view", "ns": ns, "ns_min": ns, "ns_max": ns * 1.5, "ratio": 1.0, "allocs": 0, "bytes": 162, "runs": 15, "quiet": true },
        { "suite": "record", "op": "decode", "codec": "a<b", "ns": 40.0, "ns_min": 39.0, "ns_max": 41.0, "ratio": 10.0, "allocs": 2, "bytes": 92, "runs": 15, "quiet": false },
    ]);
    let scaling = json!([
        { "suite": "scaling", "op": "open", "bytes": 64, "ns": 3.0, "ns_max": 3.0, "runs": 7, "quiet": true },
        { "suite": "scaling", "op": "open", "bytes": 1024, "ns": 3.0, "ns_max": 3.0, "runs": 7, "quiet": true },
    ]);
    let http = json!([
        { "suite": "http", "case": "health", "server": "floor", "connections": 64, "in_flight": 1, "body": 2, "requests_per_s": 1000.0, "cpu_us_per_request": 5.0, "p50_us": 60.0, "p99_us": 90.0, "allocs_per_request": 0.0, "bytes_per_request": 80, "ratio_to_floor": 1.0, "ratio_spread": null, "runs": 9 },
        { "suite": "http", "case": "health", "server": "floor", "connections": 64, "in_flight": 16, "body": 2, "requests_per_s": 9000.0, "cpu_us_per_request": 0.5, "p50_us": 200.0, "p99_us": 300.0, "allocs_per_request": 0.0, "bytes_per_request": 80, "ratio_to_floor": 1.0, "ratio_spread": null, "runs": 9 },
        { "suite": "http", "case": "health", "server": "zap-native", "connections": 64, "in_flight": 1, "body": 2, "requests_per_s": null, "cpu_us_per_request": null, "p50_us": null, "p99_us": null, "allocs_per_request": 0.0, "bytes_per_request": 80, "ratio_to_floor": null, "ratio_spread": null, "runs": 3 },
    ]);
    let rows = |rows: serde_json::Value| Outcome::Rows { command: command(), rows: rows.as_array().unwrap().clone() };
    let suites = [
        ("record".to_owned(), rows(record)),
        ("scaling".to_owned(), rows(scaling)),
        ("http".to_owned(), rows(http)),
        ("auction".to_owned(), Outcome::NotMeasured("there was no time".to_owned())),
        ("view-cost".to_owned(), rows(json!(["64 bytes: 50 instructions"]))),
    ];
    Results { machine: Machine { processor: "a processor".to_owned(), ..Machine::default() }, suites: suites.into() }
}

fn rendered(results: &Results, against: Option<&Results>) -> (String, String) {
    let document = document::document(results, against);
    let plots: Vec<String> = document.plots().map(|plot| plot::svg(plot).unwrap()).collect();
    (html::render(&document, &plots), markdown::render(&document))
}

#[test]
fn both_files_say_what_was_measured_and_what_was_not() {
    let (html, markdown) = rendered(&results(4.0), None);
    for text in [&html, &markdown] {
        for wanted in [
            "a processor",
            "zap-view",
            "there was no time",
            "the suite was not run",
            "not measured",
            "was busy",
            "50 instructions",
        ] {
            assert!(text.contains(wanted), "{wanted}");
        }
    }
    assert!(html.contains("a&lt;b") && !html.contains("a<b"), "names are escaped, in plots too");
    assert!(markdown.contains("| zap-view | 4.000 | 1.000 | 0 | 162 | 15 |"), "{markdown}");
    assert!(markdown.contains("| zap-native | not measured |"), "{markdown}");
}

#[test]
fn the_html_file_needs_nothing_else() {
    let (html, _) = rendered(&results(4.0), None);
    let svg = "http://www.w3.org/2000/svg";
    assert!(!html.replace(svg, "").contains("http") && !html.contains("<script") && !html.contains("<link"));
    assert!(html.contains("viewport") && html.contains("prefers-color-scheme"));
    assert_eq!(html.matches("<svg ").count(), 3, "bars of record, the curves of scaling and of latencies");
    assert!(html.contains("currentColor"));
}

#[test]
fn two_results_are_compared_row_by_row() {
    let (_, markdown) = rendered(&results(6.0), Some(&results(4.0)));
    assert!(markdown.contains("| zap-view | 6.000 | 4.000 | 1.50 |"), "{markdown}");
    let (_, markdown) = rendered(&results(6.0), Some(&Results::default()));
    assert!(markdown.contains("| zap-view | 6.000 | not measured | - |"), "{markdown}");
}

#[test]
fn results_lead_back() {
    let json = serde_json::to_string(&results(4.0)).unwrap();
    assert_eq!(serde_json::from_str::<Results>(&json).unwrap(), results(4.0));
}
