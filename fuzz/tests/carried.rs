//! Requests that are made to be read in two ways, sent on over HTTP/1.1.

use proptest::collection::vec;
use proptest::prelude::*;
use zap_http::proto::{Encoder, FrameLimits, Request};

type Fields = Vec<(String, Vec<u8>)>;

/// Of what can be written at all.
fn carry(method: &str, target: &str, headers: &Fields, body: &[u8], trailers: &Fields) {
    let mut frame = Vec::new();
    let Ok(mut request) = Encoder::message(&mut frame).request(method, target) else { return };
    for (name, value) in headers {
        let _ = request.header(name, value);
    }
    request.body(body).unwrap();
    for (name, value) in trailers {
        let _ = request.trailer(name, value);
    }
    request.finish().unwrap();
    fuzz::carry(&Request::decode(&frame, &FrameLimits::new()).unwrap());
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let known: [&[u8]; 9] =
        [b"chunked", b"x-a", b"X-A, x-b", b"trailers", b"5", b"0", b"a.example", b"100-continue", b"close, te"];
    let any_byte = prop_oneof![Just(b'\t'), 0x20..=0x7e_u8, 0x80..=0xff_u8];
    prop_oneof![vec(any_byte, 0..12), prop::sample::select(known.to_vec()).prop_map(<[u8]>::to_vec)]
}

fn fields() -> impl Strategy<Value = Fields> {
    let known = "(?i)(host|connection|content-length|transfer-encoding|te|x-a|x-b|upgrade|trailer|expect|keep-alive)";
    vec((prop_oneof!["[!-~]{1,10}", known], value()), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn an_accepted_request_arrives_as_one(
        method in prop_oneof![Just("GET".to_owned()), Just("POST".into()), Just("OPTIONS".into()), Just("CONNECT".into()), "[!-~]{1,6}"],
        target in prop_oneof![Just("*".to_owned()), "/[!-~]{0,12}", "http://[a-z.:0-9?/@-]{0,12}", "[!-~]{1,12}"],
        headers in fields(),
        body in vec(any::<u8>(), 0..20),
        trailers in fields(),
    ) {
        carry(&method, &target, &headers, &body, &trailers);
    }
}

/// A body that is a request itself must stay one, whatever its head says of it.
#[test]
fn a_request_in_a_body_stays_a_body() {
    let body = b"0\r\n\r\nGET /second HTTP/1.1\r\nhost: b\r\n\r\n";
    for (name, value) in [
        ("content-length", "0"),
        ("transfer-encoding", "chunked"),
        ("connection", "transfer-encoding"),
        ("expect", "100-continue"),
        ("trailer", "x-a"),
        ("upgrade", "h2c"),
        ("te", "trailers"),
        ("keep-alive", "max=1"),
        ("connection", "content-length, host"),
    ] {
        let headers = vec![("host".to_owned(), b"a".to_vec()), (name.to_owned(), value.as_bytes().to_vec())];
        for method in ["GET", "POST", "HEAD", "CONNECT", "PRI"] {
            let target = if method == "CONNECT" { "a:1" } else { "/" };
            carry(method, target, &headers, body, &vec![]);
            carry(method, target, &headers, body, &vec![("x-a".to_owned(), b"1".to_vec())]);
        }
    }
}

/// A body larger than the pipe, and as many headers as a frame holds.
#[test]
fn large_requests_arrive() {
    let headers = (0..100).map(|i| (format!("x-{i}"), vec![b'v'; 500])).collect();
    carry("POST", "/", &headers, &vec![7; 1 << 20], &vec![]);
    carry("POST", &format!("/{}", "a".repeat(8000)), &vec![], &[], &vec![]);
}
