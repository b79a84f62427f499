//! The instruments are right: a stall shows in an open loop, and what is wrong is no answer.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use super::{Errors, Options, Through, run};

/// An HTTP/1.1 server that answers the nth request of all with `answer(n)`, one connection after the other.
fn server(answer: impl Fn(usize) -> Option<Vec<u8>> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    thread::spawn(move || {
        let mut count = 0;
        for stream in listener.incoming() {
            let (mut stream, mut input, mut bytes) = (stream.unwrap(), Vec::new(), [0; 4096]);
            'connection: while let Ok(len @ 1..) = stream.read(&mut bytes) {
                input.extend_from_slice(&bytes[..len]);
                while let Some(end) = input.windows(4).position(|window| window == b"\r\n\r\n") {
                    input.drain(..end + 4);
                    count += 1;
                    match answer(count) {
                        Some(answer) if stream.write_all(&answer).is_ok() => (),
                        _ => break 'connection,
                    }
                }
            }
        }
    });
    url
}

fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn a_stall_shows_in_an_open_loop() {
    const STALL: Duration = Duration::from_millis(300);
    let stalling = || {
        server(|count| {
            if count == 100 {
                thread::sleep(STALL);
            }
            Some(ok("a"))
        })
    };
    let closed = Options { duration: 0.5, ..Options::new(stalling()) };
    let open = Options { rate: Some(1000.0), duration: 0.6, ..Options::new(stalling()) };
    let (closed, open) = (run(&closed).unwrap(), run(&open).unwrap());
    assert_eq!((closed.errors.sum(), open.errors.sum(), open.unsent), (0, 0, 0));
    assert_eq!(open.answers, 600, "all that were due, however late");
    // In a closed loop one request waited; at 1000 per second, 300 were due in the meantime.
    assert!(open.latency_us.max >= 300_000.0 && open.latency_us.p90 > 100_000.0, "{:?}", open.latency_us);
    assert!(closed.latency_us.max >= 300_000.0 && closed.latency_us.p90 < 100_000.0, "{:?}", closed.latency_us);
}

#[test]
fn wrong_answers_are_counted_apart() {
    let url = server(|count| match count % 4 {
        0 => Some(ok("wrong")),
        1 => Some(b"HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n".to_vec()),
        _ => Some(ok("right")),
    });
    let options = Options {
        expect: Some("right".to_owned()),
        in_flight: 4,
        rate: Some(400.0),
        duration: 0.1,
        ..Options::new(url)
    };
    let report = run(&options).unwrap();
    assert_eq!(report.answers, 20);
    assert_eq!(report.errors, Errors { wrong: 10, status: 10, ..Errors::default() });
    assert!(report.to_string().contains("!!! ERRORS"));
}

#[test]
fn a_connection_that_ends_is_made_again() {
    let url = server(|count| (count % 10 != 0).then(|| ok("a")));
    let report = run(&Options { rate: Some(200.0), duration: 0.2, ..Options::new(url) }).unwrap();
    assert_eq!(report.answers + report.errors.closed, 40);
    assert!((3..=4).contains(&report.errors.closed), "{:?}", report.errors);
}

#[test]
fn what_is_no_answer_and_what_never_comes_are_counted() {
    let malformed = server(|_| Some(b"220 mail.example\r\n\r\n".to_vec()));
    let report = run(&Options { rate: Some(100.0), duration: 0.05, ..Options::new(malformed) }).unwrap();
    assert!(report.answers == 0 && report.errors.malformed >= 1);
    let silent = server(|_| Some(Vec::new()));
    let options = Options { rate: Some(100.0), duration: 0.05, timeout: 0.1, ..Options::new(silent) };
    let report = run(&options).unwrap();
    assert!(report.answers == 0 && report.errors.timeout >= 1);
    assert_eq!(report.errors.sum() + report.unsent, 5);
}

#[test]
fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("zap://{}", listener.local_addr().unwrap());
    drop(listener);
    assert!(run(&Options::new(url.as_str())).is_err());
    let churn = Options { churn: true, rate: Some(100.0), duration: 0.05, ..Options::new(url) };
    let report = run(&churn).unwrap();
    assert!(report.answers == 0 && report.errors.connect + report.unsent == 5 && report.errors.connect >= 1);
}

#[test]
fn each_way_reaches_our_servers() {
    use crate::http::{Case, serve_in_background};
    let file = std::env::temp_dir().join(format!("zap-bench-{}.sock", std::process::id()));
    let addresses =
        ["zap://127.0.0.1:0".to_owned(), "http://127.0.0.1:0".to_owned(), format!("unix:{}", file.display())];
    let urls = serve_in_background(&addresses).unwrap();
    let cases = ["health", "realistic", "body:65536", "echo:1048576", "rpc:zap", "rpc:sonic-rs", "auction:serde_json"];
    for case in cases {
        let case: Case = case.parse().unwrap();
        for (url, through, churn) in [
            (&urls[0], Through::Wire, false),
            (&urls[0], Through::Wire, true),
            (&urls[0], Through::Client, false),
            (&urls[1], Through::Wire, false),
            (&urls[1], Through::Wire, true),
            (&urls[2], Through::Wire, false),
            (&urls[2], Through::Client, false),
        ] {
            let (case, connections, in_flight, duration) = (Some(case), 3, 2, 0.02);
            let options =
                Options { case, connections, in_flight, duration, through, churn, ..Options::new(url.as_str()) };
            let report = run(&options).unwrap();
            assert!(report.answers > 0 && report.errors.sum() == 0, "{url} {through:?} {case:?}: {report}");
        }
    }
    let _ = std::fs::remove_file(file);
}
