use super::*;
use crate::alloc;
use std::sync::LazyLock;

static SMOKE: LazyLock<Report> = LazyLock::new(|| run(&Op::ALL, true).expect("all codecs agree"));

const EVERYWHERE: [&str; 13] = [
    "zap-view",
    "zap-decode",
    "serde_json",
    "simd-json",
    "sonic-rs",
    "rkyv-checked",
    "rkyv-unchecked",
    "rkyv-borrowed-checked",
    "rkyv-borrowed-unchecked",
    "wincode",
    "wincode-slice",
    "prost",
    "bitcode",
];

fn codecs(op: Op) -> Vec<&'static str> {
    SMOKE.rows().iter().filter(|row| row.op == op.name()).map(|row| row.codec).collect()
}

#[test]
fn every_codec_returns_the_same_values() {
    assert_eq!(check(), Ok(()));
}

#[test]
fn every_op_has_every_codec_once() {
    for op in Op::ALL {
        let mut want = EVERYWHERE.to_vec();
        if matches!(op, Op::Encode | Op::EncodeLengths) {
            want.extend(["zap-vec", "zap-buffer"]);
        }
        if op.name().ends_with("lengths") {
            want.push("zap-plain");
        }
        if op == Op::EncodeLengths {
            want.push("zap-appends");
        }
        want.sort_unstable();
        let mut got = codecs(op);
        assert_eq!(got[0], "zap-view", "ratios refer to the first row");
        got.sort_unstable();
        assert_eq!(got, want, "{}", op.name());
    }
}

#[test]
fn rows_that_are_equal_by_construction_are_equal() {
    for (op, codec, other) in [
        ("encode", "zap-vec", "zap-view"),
        ("encode", "zap-decode", "zap-view"),
        ("encode-fresh", "rkyv-unchecked", "rkyv-checked"),
        ("encode-fresh", "rkyv-borrowed-unchecked", "rkyv-borrowed-checked"),
    ] {
        let ns = |codec| SMOKE.rows().iter().find(|row| row.op == op && row.codec == codec).map(|row| row.ns);
        assert!(ns(codec).is_some());
        assert_eq!(ns(codec), ns(other));
    }
}

#[test]
fn the_json_has_every_field_of_every_row() {
    let text = serde_json::to_string(SMOKE.rows()).expect("plain data");
    let rows: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("an array of objects");
    assert_eq!(rows.len(), SMOKE.rows().len());
    for row in &rows {
        assert_eq!(row["suite"], "record");
        for name in ["ns", "ns_min", "ns_max", "allocs", "bytes", "ratio", "canary_ns", "runs", "runs_discarded"] {
            assert!(row[name].is_number(), "{name} of {row:?}");
        }
        assert!(row["ns_min"].as_f64() <= row["ns"].as_f64() && row["ns"].as_f64() <= row["ns_max"].as_f64());
        assert!(row["runs"].as_u64() >= Some(5));
        assert!(row["quiet"].is_boolean());
        if row["codec"] == "zap-view" {
            assert_eq!(row["ratio"].as_f64(), Some(1.0));
        }
    }
}

#[test]
fn bytes_on_the_wire_of_the_pair() {
    for row in SMOKE.rows().iter().filter(|row| !row.op.ends_with("lengths")) {
        let want = match row.codec {
            "serde_json" | "simd-json" | "sonic-rs" => 233,
            "rkyv-checked" | "rkyv-unchecked" | "rkyv-borrowed-checked" | "rkyv-borrowed-unchecked" => 136,
            "wincode" | "wincode-slice" => 130,
            "prost" => 92,
            "bitcode" => 91,
            _ => 162,
        };
        assert_eq!(row.bytes, want, "{} {}", row.op, row.codec);
    }
}

#[test]
fn allocations_are_exact_and_zap_makes_none() {
    for row in SMOKE.rows() {
        let messages = if row.op.ends_with("lengths") || row.op == "handler" { 1.0 } else { 2.0 };
        let want = match (row.op, row.codec) {
            ("encode-fresh", "bitcode" | "rkyv-checked" | "rkyv-unchecked") => continue, // they grow what they write to
            ("encode-fresh", _) => messages,
            ("encode" | "encode-lengths", _) => 0.0,
            // simd-json's tape, the bytes that prost and bitcode copy out.
            (_, "simd-json" | "prost" | "bitcode") => messages,
            // An owned struct owns its block hash.
            ("handler", "rkyv-checked" | "rkyv-unchecked") => 1.0,
            _ => 0.0,
        };
        assert_eq!(row.allocs, want, "{} {}", row.op, row.codec);
    }
}

#[test]
fn allocations_are_the_same_every_time() {
    for op in Op::ALL {
        for mut bench in benches(op) {
            bench.time(op.cycle());
            let first = alloc::count(|| _ = bench.time(1));
            let counts: Vec<u64> = (0..64).map(|_| alloc::count(|| _ = bench.time(1))).collect();
            assert!(counts.iter().all(|&count| count == first), "{} {}: {counts:?}", op.name(), bench.codec);
        }
    }
}

#[test]
fn the_tables_show_every_row_and_say_that_it_was_a_smoke_run() {
    let text = SMOKE.to_string();
    for op in Op::ALL {
        assert!(text.contains(&format!("{}: {}\n", op.name(), op.about())));
    }
    assert_eq!(text.matches("\nrkyv-checked ").count(), Op::ALL.len());
    assert!(text.contains("!!! SMOKE RUN"));
}

#[test]
fn the_source_of_the_plain_baseline_stands_in_the_book() {
    let book = include_str!("../../../BENCHMARKS.md");
    assert!(
        book.contains(&format!("```rust,ignore\n{}```\n", include_str!("plain.rs"))),
        "copy zap-bench/src/record/plain.rs into BENCHMARKS.md"
    );
}
