//! Every HTTP vector as the input of a connection: `proto::Server` takes requests and `proto::Client` answers, in one piece,
//! byte by byte and in random pieces. What comes out is what the decoder of single frames says (which the conformance run
//! compares with the vectors), however the input is split.

use std::io::IoSlice;
use std::time::Instant;

use golden::hex;
use golden::oracle::http as oracle;
use proptest::prelude::*;
use serde_json::Value;
use zap_http::proto::{
    Client, ClientConfig, Close, Encoder, Event, Frame, FrameLimits, Headers, Next, Request, Response, ResponseHead,
    Server, ServerConfig,
};

/// Frames of a connection, without their prefixes.
#[derive(Debug)]
struct Case {
    name: String,
    frames: Vec<Vec<u8>>,
}

impl Case {
    fn wire(&self) -> Vec<u8> {
        let prefixed = |frame: &Vec<u8>| [&u32::try_from(frame.len()).unwrap().to_be_bytes(), &frame[..]].concat();
        self.frames.iter().flat_map(prefixed).collect()
    }
}

/// The vectors of both files: those for a server, and those for a client.
fn cases() -> (Vec<Case>, Vec<Case>) {
    let files = [include_str!("../vectors/http_frames.json"), include_str!("../vectors/http_hostile.json")];
    let (mut for_server, mut for_client) = (Vec::new(), Vec::new());
    for case in files.iter().flat_map(|file| serde_json::from_str::<Vec<Value>>(file).unwrap()) {
        let name = case["name"].as_str().unwrap().to_owned();
        match case.get("kind").or(case.get("decode_as")).and_then(Value::as_str).unwrap() {
            "request" => for_server.push(Case { name, frames: vec![frame_of(&case)] }),
            "response" | "response_head" => for_client.push(Case { name, frames: vec![frame_of(&case)] }),
            "data" | "end" => for_client.push(Case { name, frames: vec![head_before_data(), frame_of(&case)] }),
            "sequence" => {
                let frames = case["frames"].as_array().unwrap().iter().zip(case["frame_kinds"].as_array().unwrap());
                let frames = frames.map(|(frame, kind)| (hex::decode(frame.as_str().unwrap()).unwrap(), kind));
                let (requests, answers): (Vec<_>, Vec<_>) = frames.partition(|(_, kind)| *kind == "request");
                let without_kinds = |frames: Vec<(Vec<u8>, _)>| frames.into_iter().map(|(frame, _)| frame).collect();
                for_server.push(Case { name: name.clone(), frames: without_kinds(requests) });
                for_client.push(Case { name, frames: without_kinds(answers) });
            }
            // Bytes that are not whole frames: the conformance run splits those.
            "stream" => {}
            kind => panic!("{name}: no such kind: {kind}"),
        }
    }
    assert!(for_server.len() >= 99 && for_client.len() >= 40, "{} and {}", for_server.len(), for_client.len());
    (for_server, for_client)
}

fn frame_of(case: &Value) -> Vec<u8> {
    match case["hex"].as_str() {
        Some(text) => hex::decode(text).unwrap(),
        None => oracle::encode(case["kind"].as_str().unwrap(), &case["inputs"]).unwrap(),
    }
}

fn head_before_data() -> Vec<u8> {
    let mut frame = Vec::new();
    Encoder::message(&mut frame).response_head(200, "OK").unwrap().finish().unwrap();
    frame
}

fn pairs(headers: Headers<'_>) -> Vec<(Vec<u8>, Vec<u8>)> {
    headers.iter().map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
}

/// What a frame holds, in words that can be compared.
fn request(request: &Request<'_>) -> String {
    let texts = [request.method(), request.target(), request.proto()].map(<[u8]>::escape_ascii);
    let [method, target, proto] = texts.map(|text| text.to_string());
    let (headers, trailers) = (pairs(request.headers()), pairs(request.trailers()));
    format!("{method} {target} {proto} {headers:?} {:?} {trailers:?}", hex::encode(request.body()))
}

fn head(head: &ResponseHead<'_>) -> String {
    let [reason, proto] = [head.reason(), head.proto()].map(|text| text.escape_ascii().to_string());
    format!("{} {reason} {proto} {:?}", head.status(), pairs(head.headers()))
}

fn response(response: &Response<'_>) -> String {
    let (body, trailers) = (hex::encode(response.body()), pairs(response.trailers()));
    format!("{} {body:?} {trailers:?}", head(&response.head()))
}

/// What came of a connection.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// What it let through.
    seen: Vec<String>,
    /// What it wrote.
    written: Vec<u8>,
    /// How it stood before the peer's end of stream, and after.
    ends: [Close; 2],
}

/// Feeds a server, which answers every request 204.
fn serve<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Outcome {
    let now = Instant::now();
    let mut server = Server::new(ServerConfig::default(), now);
    let (mut seen, mut written) = (Vec::new(), Vec::new());
    let mut go_on = |server: &mut Server| {
        let mut batch = server.take_batch(now);
        loop {
            match server.next_request(&mut batch) {
                Next::Request(frame) => {
                    seen.push(request(&frame));
                    server.respond(204).unwrap().finish().unwrap();
                }
                Next::Done => break,
                other => panic!("{other:?}"),
            }
        }
        server.return_batch(batch, now);
        let mut out = [IoSlice::new(&[]); 8];
        let filled = server.poll_transmit(&mut out, now);
        let bytes = out[..filled].iter().flat_map(|piece| piece.to_vec()).collect::<Vec<u8>>();
        server.transmitted(bytes.len(), now);
        written.extend(bytes);
        server.check_invariants().unwrap();
    };
    for piece in pieces {
        server.recv(piece, now);
        go_on(&mut server);
    }
    let before = server.poll_close();
    server.recv_eof(now);
    go_on(&mut server);
    Outcome { ends: [before, server.poll_close()], seen, written }
}

/// Feeds a client that waits for the answer to one request.
fn call<'p>(pieces: impl Iterator<Item = &'p [u8]>) -> Outcome {
    let now = Instant::now();
    let mut client = Client::new(ClientConfig::default(), now);
    client.request("GET", "/", now).unwrap().finish().unwrap();
    let mut out = [IoSlice::new(&[])];
    assert_eq!(client.poll_transmit(&mut out, now), 1);
    let len = out[0].len();
    client.transmitted(len, now);
    let mut seen = Vec::new();
    for piece in pieces {
        client.recv(piece, now);
        let mut batch = client.take_batch(now);
        while let Some(event) = client.next_event(&mut batch) {
            seen.push(match event {
                Event::Response(_, frame) => response(&frame),
                Event::Head(_, frame) => head(&frame),
                Event::Data(_, data) => hex::encode(data.chunk()),
                Event::End(_, end) => format!("end {:?}", pairs(end.trailers())),
                other => panic!("{other:?}"),
            });
        }
        client.return_batch(batch, now);
        client.check_invariants().unwrap();
    }
    let before = client.poll_close();
    client.recv_eof(now);
    Outcome { ends: [before, client.poll_close()], seen, written: Vec::new() }
}

/// What the decoder of single frames lets through, up to the first that it refuses.
fn decoded(frames: &[Vec<u8>], expected: impl Fn(Frame<'_>) -> Option<String>) -> Vec<String> {
    let frames = frames.iter().map_while(|frame| Frame::decode(frame, &FrameLimits::new()).ok());
    frames.filter_map(expected).collect()
}

fn requests_in(case: &Case) -> Vec<String> {
    decoded(&case.frames, |frame| match frame {
        Frame::Request(frame) => Some(request(&frame)),
        // Not what a server is sent.
        _ => None,
    })
}

fn answers_in(case: &Case) -> Vec<String> {
    decoded(&case.frames, |frame| match frame {
        // Interim answers are skipped.
        Frame::Response(frame) if frame.status() < 200 => None,
        // These have no body, whatever the frame holds.
        Frame::Response(frame) if matches!(frame.status(), 204 | 304) => {
            Some(format!("{} \"\" []", head(&frame.head())))
        }
        Frame::Response(frame) => Some(response(&frame)),
        Frame::ResponseHead(frame) => Some(head(&frame)),
        Frame::Data(data) => Some(data.chunk()).filter(|chunk| !chunk.is_empty()).map(hex::encode),
        Frame::End(end) => Some(format!("end {:?}", pairs(end.trailers()))),
        _ => None,
    })
}

/// Pieces of these lengths, over and over.
fn pieces<'w>(wire: &'w [u8], lens: &'w [usize]) -> impl Iterator<Item = &'w [u8]> {
    let (mut rest, mut lens) = (wire, lens.iter().cycle());
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at((*lens.next()?).min(rest.len()));
        rest = after;
        Some(piece).filter(|piece| !piece.is_empty())
    })
}

#[test]
fn requests_pass_a_server_whole_and_byte_by_byte() {
    for case in cases().0 {
        let wire = case.wire();
        let whole = serve(std::iter::once(&wire[..]));
        assert_eq!(whole.seen, requests_in(&case), "{}", case.name);
        // Each frame is answered, also one that is refused; a length of 0 ends the connection without a word.
        assert_eq!(whole.written.is_empty(), case.frames.concat().is_empty(), "{}", case.name);
        assert_eq!(serve(pieces(&wire, &[1])), whole, "{}, byte by byte", case.name);
    }
}

#[test]
fn answers_pass_a_client_whole_and_byte_by_byte() {
    for case in cases().1 {
        let wire = case.wire();
        let whole = call(std::iter::once(&wire[..]));
        assert_eq!(whole.seen, answers_in(&case), "{}", case.name);
        let refused = case.frames.iter().any(|frame| Frame::decode(frame, &FrameLimits::new()).is_err());
        if refused {
            assert!(matches!(whole.ends[0], Close::Now(_)), "{}: {:?}", case.name, whole.ends);
        }
        assert_eq!(call(pieces(&wire, &[1])), whole, "{}, byte by byte", case.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]
    #[test]
    fn splits_make_no_difference(lens in prop::collection::vec(1_usize..120, 1..40)) {
        let (for_server, for_client) = cases();
        for case in for_server {
            let wire = case.wire();
            prop_assert_eq!(serve(pieces(&wire, &lens)), serve(std::iter::once(&wire[..])), "{}", case.name);
        }
        for case in for_client {
            let wire = case.wire();
            prop_assert_eq!(call(pieces(&wire, &lens)), call(std::iter::once(&wire[..])), "{}", case.name);
        }
    }
}

/// All requests that are taken, one behind the other on one connection, in random pieces.
#[test]
fn requests_pass_in_one_stream() {
    let sound: Vec<Case> = cases().0.into_iter().filter(|case| requests_in(case).len() == case.frames.len()).collect();
    assert!(sound.len() > 30, "{}", sound.len());
    let wire: Vec<u8> = sound.iter().flat_map(Case::wire).collect();
    let wanted: Vec<String> = sound.iter().flat_map(requests_in).collect();
    for lens in [&[usize::MAX][..], &[1], &[3, 500, 7, 41], &[1000, 1]] {
        assert_eq!(serve(pieces(&wire, lens)).seen, wanted, "in pieces of {lens:?}");
    }
}
