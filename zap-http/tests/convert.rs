//! Frames to the types of `http` and back: what is removed, what is refused, and that nothing hides.

use http::header::{HeaderMap, HeaderValue};
use http::{Method, StatusCode, Uri, Version};
use proptest::prelude::*;
use zap_http::convert::{self, ConvertError, end_to_end, request_parts, response_parts, sendable_trailers, target_of};
use zap_http::proto::{Encoder, FrameLimits, Request, ResponseHead};

type Pairs<'p> = &'p [(&'p str, &'p [u8])];

fn with_request<T>(method: &str, target: &str, headers: Pairs<'_>, read: impl FnOnce(&Request<'_>) -> T) -> T {
    let mut frame = Vec::new();
    let mut request = Encoder::message(&mut frame).request(method, target).unwrap();
    for (name, value) in headers {
        request.header(name, value).unwrap();
    }
    request.finish().unwrap();
    read(&Request::decode(&frame, &FrameLimits::new()).unwrap())
}

fn parts(method: &str, target: &str, headers: Pairs<'_>) -> Result<http::request::Parts, ConvertError> {
    with_request(method, target, headers, request_parts)
}

fn pairs(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
}

#[test]
fn a_request_keeps_what_is_not_of_the_connection() {
    let parts = parts(
        "POST",
        "/a?b=c",
        &[
            ("Host", b"one.example"),
            ("Connection", b"close , X-Hop"),
            ("connection", b"\tx-other,Host,,"),
            ("Keep-Alive", b"timeout=5"),
            ("Proxy-Connection", b"close"),
            ("TE", b"gzip"),
            ("te", b" Trailers "),
            ("Trailer", b"X-A"),
            ("Transfer-Encoding", b"chunked"),
            ("Upgrade", b"h2c"),
            ("Content-Length", b"4000"),
            ("x-hop", b"1"),
            ("X-Other", b"1"),
            ("X-Tag", b" \t one two\t"),
            ("x-tag", b"\xff"),
            ("x-tag", b" \t "),
            ("host", b"two.example"),
        ],
    )
    .unwrap();
    let mut read = pairs(&parts.headers);
    read.sort();
    let wanted: [(&str, &[u8]); 6] = [
        ("host", b"two.example"),
        ("te", b"Trailers"),
        // Trailers cross, so what announces them does.
        ("trailer", b"X-A"),
        ("x-tag", b""),
        ("x-tag", b"one two"),
        ("x-tag", b"\xff"),
    ];
    assert_eq!(read, wanted.map(|(name, value)| (name.to_owned(), value.to_vec())));
    assert_eq!(parts.headers.get_all("x-tag").iter().next().unwrap(), "one two");
    assert_eq!((parts.method, parts.uri.to_string(), parts.version), (Method::POST, "/a?b=c".into(), Version::HTTP_11));
}

#[test]
fn targets_fit_their_methods() {
    let refused = |method: &str, target: &str| parts(method, target, &[]).err();
    for (method, target) in [
        ("GET", "/"),
        ("GET", "//a"),
        ("GET", "/?"),
        ("OPTIONS", "*"),
        ("OPTIONS", "/"),
        ("CONNECT", "a.example:443"),
        ("GET", "http://a.example/b?c"),
        ("PURGE", "https://a.example"),
    ] {
        assert_eq!(refused(method, target), None, "{method} {target}");
    }
    for (method, target) in [
        ("GET", "*"),
        ("GET", "a.example:443"),
        ("GET", "a.example"),
        ("GET", "?a"),
        ("GET", "mailto:a"),
        ("CONNECT", "/"),
        ("CONNECT", "*"),
        ("CONNECT", "http://a.example/"),
        ("GET", "http:///a"),
    ] {
        assert_eq!(refused(method, target), Some(ConvertError::InvalidTarget), "{method} {target}");
    }
    assert_eq!(refused("GET", "/a#b"), Some(ConvertError::FragmentInTarget));
    assert_eq!(refused("GET", "http://u:p@a.example/"), Some(ConvertError::UserInfoInTarget));
    assert_eq!(ConvertError::InvalidTarget.status(), StatusCode::BAD_REQUEST);
}

#[test]
fn the_authority_of_a_target_is_the_host() {
    let host = |target, headers: Pairs<'_>| {
        parts("GET", target, headers).map(|parts| parts.headers.get_all("host").iter().cloned().collect::<Vec<_>>())
    };
    assert_eq!(host("http://a.example/", &[]).unwrap(), ["a.example"]);
    assert_eq!(host("http://a.example/", &[("Host", b"A.example")]).unwrap(), ["a.example"]);
    assert_eq!(host("http://a.example/", &[("Host", b"b.example")]), Err(ConvertError::HostMismatch));
    let last: Pairs<'_> = &[("Host", b"b.example"), ("Host", b"a.example")];
    assert_eq!(host("http://a.example/", last).unwrap(), ["a.example"]);
    assert_eq!(host("/", last).unwrap(), ["a.example"]);
    assert_eq!(host("/", &[]).unwrap(), [""; 0]);
}

#[test]
fn versions() {
    for (proto, version) in [
        ("HTTP/1.0", Version::HTTP_10),
        ("HTTP/1.1", Version::HTTP_11),
        ("HTTP/2", Version::HTTP_2),
        ("HTTP/2.0", Version::HTTP_2),
        ("", Version::HTTP_11),
        ("NOPE/9", Version::HTTP_11),
    ] {
        let mut frame = Vec::new();
        Encoder::message(&mut frame).proto(proto.as_bytes()).request("GET", "/").unwrap().finish().unwrap();
        let request = Request::decode(&frame, &FrameLimits::new()).unwrap();
        assert_eq!(request_parts(&request).unwrap().version, version);
    }
}

#[test]
fn responses_and_trailers() {
    let mut frame = Vec::new();
    let mut head = Encoder::message(&mut frame).response_head(999, "max").unwrap();
    head.header("Set-Cookie", "a=1")
        .unwrap()
        .header("Connection", "close")
        .unwrap()
        .header("set-cookie", "b=2")
        .unwrap();
    head.finish().unwrap();
    let head = ResponseHead::decode(&frame, &FrameLimits::new()).unwrap();
    let parts = response_parts(&head).unwrap();
    assert_eq!(parts.status.as_u16(), 999);
    assert_eq!(parts.headers.len(), 2);
    assert_eq!(parts.headers.get_all("set-cookie").iter().collect::<Vec<_>>(), ["a=1", "b=2"]);
    assert_eq!(convert::trailers(head.headers()).unwrap().len(), 2);

    let mut trailers = HeaderMap::new();
    for name in ["x-sum", "content-length", "host", "trailer", "set-cookie", "grpc-status"] {
        trailers.append(name, HeaderValue::from_static("1"));
    }
    let sent: Vec<&str> = sendable_trailers(&trailers).map(|(name, _)| name.as_str()).collect();
    assert_eq!(sent, ["x-sum", "grpc-status"]);
}

#[test]
fn targets_of_uris() {
    let target = |method: Method, uri: &'static str| {
        target_of(&method, &Uri::from_static(uri)).map(|target| target.into_owned())
    };
    assert_eq!(target(Method::GET, "zap://a.example:9999/b?c").unwrap(), "/b?c");
    assert_eq!(target(Method::GET, "zap://a.example").unwrap(), "/");
    assert_eq!(target(Method::GET, "zap://a.example?c=d").unwrap(), "/?c=d");
    assert_eq!(target(Method::GET, "/b").unwrap(), "/b");
    assert_eq!(target(Method::OPTIONS, "*").unwrap(), "*");
    assert_eq!(target(Method::GET, "*"), Err(ConvertError::InvalidTarget));
    assert_eq!(target(Method::CONNECT, "a.example:443").unwrap(), "a.example:443");
    assert_eq!(target(Method::CONNECT, "/"), Err(ConvertError::InvalidTarget));
}

/// More than a map holds, with a limit that allows it: refused, not a panic.
#[test]
fn too_many_headers_are_refused() {
    let mut limits = FrameLimits::new();
    (limits.max_headers, limits.max_block_len) = (u32::MAX, u32::MAX);
    let mut frame = Vec::new();
    let mut request = Encoder::message(&mut frame).request("GET", "/").unwrap();
    for i in 0..40_000 {
        request.header(format!("x-{i}"), "").unwrap();
    }
    request.finish().unwrap();
    let error = request_parts(&Request::decode(&frame, &limits).unwrap()).unwrap_err();
    assert_eq!((error, error.status().as_u16()), (ConvertError::TooManyHeaders, 431));
}

/// The message as HTTP/1.1 spells it.
fn spelled(parts: &http::request::Parts, body: &[u8]) -> Vec<u8> {
    let target = if parts.uri.scheme().is_some() {
        parts.uri.to_string()
    } else {
        target_of(&parts.method, &parts.uri).unwrap().into_owned()
    };
    let mut out = format!("{} {target} HTTP/1.1\r\n", parts.method).into_bytes();
    for (name, value) in end_to_end(&parts.headers) {
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    out.extend_from_slice(body);
    out
}

/// Names and values, as they were read.
type Fields = Vec<(String, Vec<u8>)>;

/// Reads one HTTP/1.1 message by the letter of RFC 9112: start line, fields and the bytes after the empty line.
fn parsed(mut message: &[u8]) -> (String, Fields, Vec<u8>) {
    let mut lines = Vec::new();
    loop {
        let at = message.windows(2).position(|pair| pair == b"\r\n").expect("a line end");
        let (line, rest) = (&message[..at], &message[at + 2..]);
        assert!(!line.contains(&b'\r') && !line.contains(&b'\n') && !line.contains(&0));
        message = rest;
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let fields = lines[1..].iter().map(|line| {
        let at = line.iter().position(|byte| *byte == b':').expect("a colon");
        let name = std::str::from_utf8(&line[..at]).expect("a name").to_owned();
        (name, line[at + 1..].trim_ascii().to_vec())
    });
    (String::from_utf8_lossy(lines[0]).into_owned(), fields.collect(), message.to_vec())
}

proptest! {
    /// Every request that is accepted is exactly one HTTP/1.1 request with the same fields, whatever is in them.
    #[test]
    fn nothing_hides_in_an_accepted_request(
        method in prop_oneof![Just("GET".to_owned()), Just("OPTIONS".into()), Just("CONNECT".into()), "[!-~]{1,6}"],
        target in prop_oneof![Just("*".to_owned()), "/[!-~]{0,12}", "http://[!-~]{0,12}", "[!-~]{1,12}"],
        headers in prop::collection::vec(
            (prop_oneof!["[!-~]{1,10}", "(?i)(host|connection|content-length|transfer-encoding|te|x-a|upgrade)"],
             prop_oneof![
                prop::collection::vec(prop_oneof![Just(b'\t'), 0x20..=0x7e_u8, 0x80..=0xff_u8], 0..12),
                prop::sample::select(vec![&b"chunked"[..], b"x-a", b"trailers", b"5", b"a.example"]).prop_map(<[u8]>::to_vec),
             ]), 0..6),
        body in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut frame = Vec::new();
        let Ok(mut request) = Encoder::message(&mut frame).request(&method, &target) else { return Ok(()) };
        for (name, value) in &headers {
            let _ = request.header(name, value);
        }
        request.finish().unwrap();
        let request = Request::decode(&frame, &FrameLimits::new()).unwrap();
        let Ok(parts) = request_parts(&request) else { return Ok(()) };
        let (line, mut fields, rest) = parsed(&spelled(&parts, &body));
        let words: Vec<&str> = line.split(' ').collect();
        prop_assert_eq!(words.len(), 3);
        prop_assert_eq!((words[0], words[2]), (&method[..], "HTTP/1.1"));
        prop_assert!(!words[1].is_empty() && !words[1].contains('#'));
        prop_assert_eq!(rest, body.clone());
        prop_assert_eq!(fields.pop(), Some(("content-length".to_owned(), body.len().to_string().into_bytes())));
        let framing = |name: &str| ["content-length", "transfer-encoding", "connection", "upgrade"].contains(&name);
        prop_assert!(!fields.iter().any(|(name, _)| framing(name)));
        prop_assert!(fields.iter().filter(|(name, _)| name == "host").count() <= 1);
        // The fields are those of the frame: each is there, trimmed.
        for (name, value) in &fields {
            let from_frame = request.headers().iter().any(|(n, v)| {
                n.eq_ignore_ascii_case(name.as_bytes()) && v.trim_ascii() == value
            });
            prop_assert!(from_frame || name == "host", "{}", name);
        }
    }
}
