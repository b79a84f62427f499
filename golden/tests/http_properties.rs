//! `zap-http` and the oracle agree on every frame: on what it holds, and on whether it is refused.

use golden::oracle::http as oracle;
use proptest::prelude::*;
use serde_json::{Value, json};
use zap_http::proto::{Frame, FrameErrorKind, FrameLimits, Headers, ResponseHead};

const KINDS: [&str; 5] = ["request", "response", "response_head", "data", "end"];

fn text(bytes: &[u8]) -> Value {
    let hex = || bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    std::str::from_utf8(bytes).map_or_else(|_| json!({ "hex": hex() }), Value::from)
}

fn or_default(value: &Value, default: &str) -> Value {
    if value == "" { json!(default) } else { value.clone() }
}

fn pairs(headers: Headers<'_>) -> Value {
    headers.iter().map(|(name, value)| json!([text(name), text(value)])).collect()
}

fn hex(bytes: &[u8]) -> Value {
    json!(golden::hex::encode(bytes))
}

fn head(head: ResponseHead<'_>) -> Value {
    json!({"status": head.status(), "reason": text(head.reason()), "proto": text(head.proto()), "headers": pairs(head.headers())})
}

/// The kind and content as `zap-http` reads it.
fn ours(frame: &[u8]) -> Result<(&'static str, Value), FrameErrorKind> {
    Ok(match Frame::decode(frame, &FrameLimits::new()).map_err(|error| error.kind())? {
        Frame::Request(r) => (
            "request",
            json!({"method": text(r.method()), "target": text(r.target()), "proto": text(r.proto()),
                "headers": pairs(r.headers()), "body": hex(r.body()), "trailers": pairs(r.trailers())}),
        ),
        Frame::Response(r) => {
            let mut content = head(r.head());
            content["body"] = hex(r.body());
            content["trailers"] = pairs(r.trailers());
            ("response", content)
        }
        Frame::ResponseHead(h) => ("response_head", head(h)),
        Frame::Data(data) => ("data", json!({"chunk": hex(data.chunk())})),
        Frame::End(end) => ("end", json!({"trailers": pairs(end.trailers())})),
        _ => unreachable!("no other kind"),
    })
}

fn must_agree(frame: &[u8]) {
    let kind = KINDS.get(usize::from(*frame.get(7).unwrap_or(&1)).wrapping_sub(1)).copied();
    let theirs = oracle::decode(kind.unwrap_or("request"), frame);
    match (ours(frame), theirs) {
        (Ok((read_as, content)), Ok(mut wanted)) => {
            for (key, default) in [("method", "GET"), ("target", "/"), ("proto", "HTTP/1.1")] {
                if let Some(value) = wanted.get(key) {
                    wanted[key] = or_default(value, default);
                }
            }
            assert_eq!((Some(read_as), content), (kind, wanted));
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{}: {ours:?} against {theirs:?}", golden::hex::encode(frame)),
    }
}

fn sample(kind: usize) -> Vec<u8> {
    let pairs = json!([["Host", "a.example"], ["X-A", ""], ["X-A", "2"]]);
    let content = json!({"method": "PUT", "target": "/a?b", "proto": "HTTP/1.1", "status": 200, "reason": "OK",
        "headers": pairs, "body": "626f6479", "chunk": "6368756e6b", "trailers": [["X-T", "t"], ["X-U", "u"]]});
    oracle::encode(KINDS[kind], &content).unwrap()
}

/// Each byte of each kind of frame, changed to each value.
#[test]
fn every_byte_changed() {
    for kind in 0..KINDS.len() {
        let frame = sample(kind);
        for at in 0..frame.len() {
            let mut changed = frame.clone();
            for byte in 0..=255 {
                changed[at] = byte;
                must_agree(&changed);
            }
        }
        for len in 0..frame.len() {
            must_agree(&frame[..len]);
        }
    }
}

proptest! {
    #[test]
    fn several_bytes_changed(
        kind in 0..KINDS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![0..40_u8, any::<u8>()]), 1..5),
    ) {
        let mut frame = sample(kind);
        for (at, byte) in changes {
            let at = at.index(frame.len());
            frame[at] = byte;
        }
        must_agree(&frame);
    }
}
