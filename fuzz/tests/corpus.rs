//! Every input of the corpus through the check of its target, and damaged copies of each.

use std::fs;
use std::path::Path;

#[test]
fn the_corpus_keeps_every_promise() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, check) in fuzz::CHECKS {
        let folder = corpus.join(name);
        let inputs = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut seen = 0;
        for input in inputs {
            let path = input.unwrap().path();
            let data = fs::read(&path).unwrap();
            println!("{}", path.display());
            check(&data);
            seen += 1;
            // What fuzzing does, a little of it on every machine.
            for at in (0..data.len()).step_by(data.len() / 16 + 1) {
                let mut damaged = data.clone();
                damaged[at] ^= 1 << (at % 8);
                check(&damaged);
                check(&data[..at]);
            }
        }
        assert!(seen > 0, "{} is empty", folder.display());
    }
}

/// Writes the inputs that fuzzing begins with; what fuzzing finds is added by hand.
#[test]
#[ignore = "writes to the corpus"]
fn seeds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let write = |target: &str, name: &str, data: &[u8]| {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), data).unwrap();
    };
    for (index, seed) in fuzz::record_seeds().iter().enumerate() {
        write("records", &format!("seed-{index:02}"), seed);
    }
    let some = |step: u8| (0..64_u8).map(|byte| byte.wrapping_mul(step)).collect::<Vec<u8>>();
    for (name, step) in [("seed-a", 1), ("seed-b", 29), ("seed-c", 83)] {
        for target in ["untyped", "values", "oracle", "http_server", "http_client"] {
            write(target, name, &some(step));
        }
    }
    write("json", "seed-a", b"\0{\"a\":1,\"b\":[true,null,\"\\u00e9\",-1.5e3]}");
    let mut request = Vec::new();
    let mut writer = zap_http::proto::Encoder::message(&mut request).request("POST", "/a?b").unwrap();
    writer.header("Host", "h").unwrap().body(b"body").unwrap().trailer("X-Sum", "1").unwrap();
    writer.finish().unwrap();
    write("http_frames", "seed-request", &request);
    write("http_carried", "seed-frame", &[&[0], &request[..]].concat());
    for (name, step) in [("seed-a", 1), ("seed-b", 29), ("seed-c", 83)] {
        write("http_carried", name, &some(step));
        write("http_carried", &format!("{name}-drawn"), &[&[1], &some(step)[..]].concat());
    }
    let mut stream = Vec::new();
    zap_http::proto::Encoder::frame(&mut stream).response_head(200, "OK").unwrap().finish().unwrap();
    zap_http::proto::Encoder::frame(&mut stream).data(b"tick").unwrap();
    zap_http::proto::Encoder::frame(&mut stream).end().unwrap().finish().unwrap();
    write("http_frames", "seed-stream", &stream);
}
