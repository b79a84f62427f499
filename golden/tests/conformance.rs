//! Replays the committed vectors, and those of the folder that `ZAP_VECTORS` names; and shows that a wrong vector is
//! caught by file and case.

use golden::runner::{Report, replay_file, replay_folder};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

fn committed(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

fn must_agree(folder: &Path) {
    let report = replay_folder(folder);
    // Past the test harness's capture: what is not replayed must not go unseen.
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{}:\n{report}", folder.display());
    assert!(report.failures.is_empty(), "{}:\n{report}", folder.display());
}

#[test]
fn public_vectors_agree() {
    must_agree(&committed("vectors"));
}

#[test]
fn native_vectors_agree() {
    must_agree(&committed("vectors-native"));
}

/// A relative path counts from the workspace root, where the command is usually given.
#[test]
fn further_vectors_agree() {
    let Some(folder) = std::env::var_os("ZAP_VECTORS") else { return };
    let from_root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&folder);
    must_agree(if folder.is_empty() || !from_root.exists() { Path::new(&folder) } else { &from_root });
}

/// A folder that is removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("zap-golden-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    /// A copy of a committed folder.
    fn copy_of(folder: &str) -> Scratch {
        let scratch = Scratch::new();
        for entry in fs::read_dir(committed(folder)).unwrap() {
            let path = entry.unwrap().path();
            fs::copy(&path, scratch.0.join(path.file_name().unwrap())).unwrap();
        }
        scratch
    }

    fn write(&self, file: &str, cases: &Value) {
        fs::write(self.0.join(file), cases.to_string()).unwrap();
    }

    /// The report when one case of a file is changed.
    fn with_change(&self, file: &str, case: &str, change: impl FnOnce(&mut Value)) -> Report {
        let path = self.0.join(file);
        let good = fs::read(&path).unwrap();
        let mut cases: Value = serde_json::from_slice(&good).unwrap();
        change(cases.as_array_mut().unwrap().iter_mut().find(|c| c["name"] == case).unwrap());
        self.write(file, &cases);
        let report = replay_folder(&self.0);
        fs::write(&path, good).unwrap();
        report
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn must_name(report: &Report, file: &str, case: &str) {
    let [failure] = &report.failures[..] else { panic!("one failure expected, not\n{report}") };
    assert_eq!((failure.file.as_str(), failure.case.as_str()), (file, case));
    assert!(report.to_string().contains(&format!("FAILED {file}: {case}: ")), "{report}");
}

fn must_say(report: &Report, words: &str) {
    let [failure] = &report.failures[..] else { panic!("one failure expected, not\n{report}") };
    assert!(failure.message.contains(words), "{failure}");
}

/// Another digit in the place of the one at `at`.
fn corrupt_hex(hex: &mut Value, at: usize) {
    let mut digits: Vec<char> = hex.as_str().unwrap().chars().collect();
    digits[at] = if digits[at] == '0' { '1' } else { '0' };
    *hex = Value::from(digits.into_iter().collect::<String>());
}

#[test]
fn a_wrong_digit_is_caught_by_file_and_case() {
    let scratch = Scratch::copy_of("vectors");
    let flip = |case: &mut Value| corrupt_hex(&mut case["hex"], 41);
    must_name(&scratch.with_change("zapenc.json", "list_of_structs", flip), "zapenc.json", "list_of_structs");
    must_name(&scratch.with_change("zapgen.json", "parcel_full", flip), "zapgen.json", "parcel_full");
    let flip = |case: &mut Value| corrupt_hex(&mut case["response"]["hex"], 41);
    must_name(&scratch.with_change("record_eth.json", "max_u64", flip), "record_eth.json", "max_u64");
    let flip = |case: &mut Value| corrupt_hex(&mut case["safe_hex"], 41);
    must_name(&scratch.with_change("zapgen.json", "wrapper_with_inner", flip), "zapgen.json", "wrapper_with_inner");

    let scratch = Scratch::copy_of("vectors-native");
    let flip = |case: &mut Value| corrupt_hex(&mut case["hex"], 41);
    must_name(&scratch.with_change("native.json", "list_of_text", flip), "native.json", "list_of_text");
}

#[test]
fn a_wrong_value_is_caught_by_file_and_case() {
    let scratch = Scratch::copy_of("vectors");
    let change = |case: &mut Value| case["inputs"]["a"] = json!("172");
    let report = scratch.with_change("zapenc.json", "single_u8_padded_to_eight", change);
    must_name(&report, "zapenc.json", "single_u8_padded_to_eight");
    let change = |case: &mut Value| case["decoded"]["names"][1] = json!("x");
    let report = scratch.with_change("zapenc.json", "lists_text_and_bytes", change);
    must_name(&report, "zapenc.json", "lists_text_and_bytes");
    let change = |case: &mut Value| case["round_trips"] = json!(true);
    let report = scratch.with_change("zapenc.json", "optional_set_to_zero_reads_back_nil", change);
    must_name(&report, "zapenc.json", "optional_set_to_zero_reads_back_nil");
    let change = |case: &mut Value| case["parse"]["root_offset"] = json!(24);
    must_name(&scratch.with_change("zapgen.json", "bag_empty", change), "zapgen.json", "bag_empty");
    let change = |case: &mut Value| case["request"]["zap_len"] = json!(1);
    must_name(&scratch.with_change("record_eth.json", "random_0", change), "record_eth.json", "random_0");
    let change = |case: &mut Value| case["request"]["json_len"] = json!(1);
    must_name(&scratch.with_change("record_eth.json", "random_1", change), "record_eth.json", "random_1");
    let change = |case: &mut Value| case["response"]["layout"]["fields"][1]["offset"] = json!(4);
    must_name(&scratch.with_change("record_eth.json", "random_2", change), "record_eth.json", "random_2");

    let scratch = Scratch::copy_of("vectors-native");
    let change = |case: &mut Value| case["explain"][2][1] = json!("0100");
    must_name(&scratch.with_change("native.json", "chars", change), "native.json", "chars");
    let change = |case: &mut Value| _ = case["explain"].as_array_mut().unwrap().pop();
    must_name(&scratch.with_change("native.json", "chars", change), "native.json", "chars");
}

/// The same through `zap-core`.
#[test]
fn a_wrong_core_vector_is_caught_by_file_and_case() {
    let scratch = Scratch::copy_of("vectors");
    let flip = |case: &mut Value| corrupt_hex(&mut case["hex"], 41);
    must_name(&scratch.with_change("core_build.json", "scalars_all_zero", flip), "core_build.json", "scalars_all_zero");
    let change = |case: &mut Value| case["parse"]["error"] = json!("invalid_magic");
    let report = scratch.with_change("core_parse.json", "header_truncated_05", change);
    must_name(&report, "core_parse.json", "header_truncated_05");
    let change = |case: &mut Value| case["fields"][1]["offset"] = json!(4);
    let report = scratch.with_change("schema_layout.json", "bool_then_u64", change);
    must_name(&report, "schema_layout.json", "bool_then_u64");
    let change = |case: &mut Value| case["request"]["reads"][0]["value"] = json!("2");
    must_name(&scratch.with_change("record_eth.json", "small_numbers", change), "record_eth.json", "small_numbers");
    let change = |case: &mut Value| case["reads"][2]["value"] = json!(false);
    must_name(&scratch.with_change("zapgen.json", "reading_full", change), "zapgen.json", "reading_full");
}

/// The same through `zap-http`.
#[cfg(feature = "http")]
#[test]
fn a_wrong_http_vector_is_caught_by_file_and_case() {
    let scratch = Scratch::copy_of("vectors");
    let flip = |case: &mut Value| corrupt_hex(&mut case["hex"], 41);
    must_name(&scratch.with_change("http_frames.json", "request_trailer", flip), "http_frames.json", "request_trailer");
    let flip = |case: &mut Value| corrupt_hex(&mut case["sha256"], 5);
    must_name(&scratch.with_change("http_frames.json", "data_64k", flip), "http_frames.json", "data_64k");
    let flip = |case: &mut Value| corrupt_hex(&mut case["stream_hex"], 5);
    let report = scratch.with_change("http_frames.json", "sequence_streamed_response", flip);
    must_name(&report, "http_frames.json", "sequence_streamed_response");
    let change = |case: &mut Value| case["inputs"]["headers"][0][0] = json!("host");
    let report = scratch.with_change("http_frames.json", "request_host_only", change);
    must_name(&report, "http_frames.json", "request_host_only");

    let file = "http_hostile.json";
    let change = |case: &mut Value| case["error"] = json!("invalid_magic");
    must_name(&scratch.with_change(file, "root_15", change), file, "root_15");
    let change = |case: &mut Value| case["wire"]["target"] = json!("/x");
    must_name(&scratch.with_change(file, "version_2_accepted", change), file, "version_2_accepted");
    let change = |case: &mut Value| _ = case.as_object_mut().unwrap().remove("peer_defect");
    must_name(&scratch.with_change(file, "status_99", change), file, "status_99");
    let change = |case: &mut Value| case["end"] = json!("eof");
    must_name(&scratch.with_change(file, "stream_short_body", change), file, "stream_short_body");
    let change = |case: &mut Value| case["frame_lengths"][0] = json!(104);
    must_name(&scratch.with_change(file, "stream_zero_length", change), file, "stream_zero_length");
}

/// Not one digit of an expected message may be free.
#[test]
fn every_digit_of_an_encoded_message_counts() {
    let scratch = Scratch::new();
    for (folder, file) in [
        ("vectors", "zapenc.json"),
        ("vectors", "zapgen.json"),
        ("vectors", "http_frames.json"),
        ("vectors-native", "native.json"),
    ] {
        let cases: Value = serde_json::from_slice(&fs::read(committed(folder).join(file)).unwrap()).unwrap();
        let cases =
            cases.as_array().unwrap().iter().filter(|case| case.get("inputs").is_some() && case.get("hex").is_some());
        let corrupted = cases.flat_map(|case| {
            (0..case["hex"].as_str().unwrap().len()).map(move |at| {
                let mut case = case.clone();
                case["name"] = Value::from(format!("{} {at}", case["name"]));
                corrupt_hex(&mut case["hex"], at);
                case
            })
        });
        let corrupted: Vec<Value> = corrupted.collect();
        let count = corrupted.len();
        scratch.write(file, &Value::Array(corrupted));
        let report = replay_file(&scratch.0.join(file));
        assert_eq!((report.passed, report.failures.len()), (0, count), "{file}");
    }
}

/// A file that cannot be replayed yet is named, and counts as nothing.
#[test]
fn what_cannot_be_replayed_is_named() {
    let scratch = Scratch::new();
    scratch.write("rpc_frames.json", &json!([{"name": "a"}, {"name": "b"}]));
    let report = replay_folder(&scratch.0);
    assert_eq!((report.passed, report.failures.len()), (0, 0));
    assert!(report.to_string().contains("NOT REPLAYED rpc_frames.json: 2 cases"), "{report}");
}

#[test]
fn folders_that_are_no_vectors_are_refused() {
    let scratch = Scratch::new();
    must_say(&replay_folder(&scratch.0.join("missing")), "cannot be read as a folder");
    must_say(&replay_folder(&scratch.0), "no vector file in this folder");
    fs::write(scratch.0.join("README.md"), "words").unwrap();
    must_say(&replay_folder(&scratch.0), "no vector file in this folder");
    scratch.write("zapgem.json", &json!([{"name": "a"}]));
    must_say(&replay_folder(&scratch.0), "no vector file has this name");
}

#[test]
fn files_that_are_no_vectors_are_refused() {
    let scratch = Scratch::new();
    for (text, words) in [
        ("", "not JSON"),
        ("[{\"name\": \"a\"}", "not JSON"),
        ("{\"name\": \"a\"}", "not a JSON array"),
        ("[]", "no cases"),
        ("[{}]", "has no name"),
        ("[{\"name\": \"\"}]", "has no name"),
        ("[{\"name\": 1}]", "has no name"),
        ("[1]", "has no name"),
    ] {
        // The same for files that cannot be replayed yet.
        for file in ["zapenc.json", "rpc_frames.json"] {
            fs::write(scratch.0.join(file), text).unwrap();
            let report = replay_file(&scratch.0.join(file));
            must_say(&report, words);
            assert_eq!(report.failures[0].file, file);
        }
    }
    scratch.write("rpc_frames.json", &json!([{"name": "a"}, {"name": "a"}]));
    must_say(&replay_file(&scratch.0.join("rpc_frames.json")), "another case has this name");
    scratch.write("zapenc.json", &json!([{"name": "a"}]));
    must_name(&replay_file(&scratch.0.join("zapenc.json")), "zapenc.json", "a");
}
