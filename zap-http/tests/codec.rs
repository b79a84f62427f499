//! Frames in both directions: what is kept, what is refused and with which error, what a refusal leaves behind.

use proptest::prelude::*;
use zap_http::proto::{
    Data, EncodeError, Encoder, End, Frame, FrameErrorKind, FrameFault, FrameLimits, FrameType, MessageWriter, Request,
    Response, ResponseHead,
};

const LIMITS: FrameLimits = FrameLimits::new();

fn request(write: impl FnOnce(&mut MessageWriter<'_>) -> Result<(), EncodeError>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Encoder::message(&mut out).request("POST", "/a").unwrap();
    write(&mut writer).unwrap();
    writer.finish().unwrap();
    out
}

/// The frame with `bytes` written over it at `at`.
fn patched(frame: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame[at..at + bytes.len()].copy_from_slice(bytes);
    frame
}

fn kind_of(frame: &[u8]) -> FrameErrorKind {
    Request::decode(frame, &LIMITS).unwrap_err().kind()
}

#[test]
fn order_repetition_and_spelling_are_kept() {
    let pairs: [(&str, &[u8]); 5] =
        [("X-b", b"1"), ("a", b""), ("X-B", b" padded\t"), ("x-b", b"\xff\xfe"), ("A", b"again")];
    let frame = request(|writer| {
        pairs.iter().try_for_each(|(name, value)| writer.header(name, value).map(drop))?;
        writer.body(b"body")?.trailer("X-Sum", "9f")?.trailer("x-sum", "").map(drop)
    });
    let request = Request::decode(&frame, &LIMITS).unwrap();
    let read: Vec<_> = request.headers().into_iter().collect();
    assert_eq!(read, pairs.map(|(name, value)| (name.as_bytes(), value)));
    assert_eq!(request.headers().len(), 5);
    assert_eq!(
        (request.headers().get("x-B"), request.headers().get_last("x-B")),
        (Some(&b"1"[..]), Some(&b"\xff\xfe"[..]))
    );
    assert_eq!(request.headers().get("absent"), None);
    assert_eq!(request.body(), b"body");
    assert_eq!(request.trailers().iter().collect::<Vec<_>>(), [(&b"X-Sum"[..], &b"9f"[..]), (&b"x-sum"[..], &b""[..])]);
}

#[test]
fn every_type_reads_as_itself_only() {
    let mut frames = Vec::new();
    for kind in [FrameType::Request, FrameType::Response, FrameType::ResponseHead, FrameType::Data, FrameType::End] {
        let mut out = Vec::new();
        let encoder = Encoder::message(&mut out);
        match kind {
            FrameType::Request => drop(encoder.request("GET", "/").unwrap().finish().unwrap()),
            FrameType::Response => drop(encoder.response(200, "OK").unwrap().finish().unwrap()),
            FrameType::ResponseHead => drop(encoder.response_head(200, "OK").unwrap().finish().unwrap()),
            FrameType::Data => drop(encoder.data(b"x").unwrap()),
            _ => drop(encoder.end().unwrap().finish().unwrap()),
        }
        frames.push((kind, out));
    }
    for (kind, frame) in &frames {
        assert_eq!(Frame::decode(frame, &LIMITS).unwrap().frame_type(), *kind);
        let read = [
            (FrameType::Request, Request::decode(frame, &LIMITS).err()),
            (FrameType::Response, Response::decode(frame, &LIMITS).err()),
            (FrameType::ResponseHead, ResponseHead::decode(frame, &LIMITS).err()),
            (FrameType::Data, Data::decode(frame, &LIMITS).err()),
            (FrameType::End, End::decode(frame, &LIMITS).err()),
        ];
        for (decoded_as, error) in read {
            let wanted = (decoded_as != *kind).then_some(FrameErrorKind::WrongFrameType);
            assert_eq!(error.map(|error| error.kind()), wanted, "{kind:?} as {decoded_as:?}");
        }
    }
}

#[test]
fn a_fault_of_structure_wins_over_one_of_content() {
    let frame = request(|writer| writer.header("X-A", "1")?.header("X-B", "2")?.trailer("X-T", "3").map(drop));
    let at = |text: &[u8]| frame.windows(text.len()).position(|window| window == text).unwrap();
    let bad_method = patched(&frame, at(b"POST"), b"P ST");
    assert_eq!(kind_of(&bad_method), FrameErrorKind::InvalidMethod);
    let bad_name = patched(&bad_method, at(b"X-A"), b"X:A");
    assert_eq!(kind_of(&bad_name), FrameErrorKind::InvalidMethod);
    // The length of the second name leads out of the block.
    let cut_headers = patched(&bad_name, at(b"X-B") - 4, &[255]);
    assert_eq!(kind_of(&cut_headers), FrameErrorKind::TruncatedHeaders);
    let cut_trailers = patched(&bad_name, at(b"X-T") - 4, &[255]);
    assert_eq!(kind_of(&cut_trailers), FrameErrorKind::TruncatedTrailers);
    let lost_body = patched(&cut_trailers, 16 + 32, &[1, 0, 0, 255]);
    assert_eq!(kind_of(&patched(&lost_body, 16 + 36, &[9])), FrameErrorKind::SlotOutOfBounds);
}

#[test]
fn roots_sections_and_slots_lie_in_the_message() {
    let frame = request(|_| Ok(()));
    for root in [0, 8, 15, frame.len() as u32, u32::MAX] {
        assert_eq!(kind_of(&patched(&frame, 8, &root.to_le_bytes())), FrameErrorKind::InvalidRoot);
    }
    let short = (frame.len() - 47) as u32;
    assert_eq!(kind_of(&patched(&frame, 8, &short.to_le_bytes())), FrameErrorKind::TruncatedSection);
    // The body's slot: outside, although nothing would be read there; at the end, where nothing is.
    let slot = 16 + 32;
    let past = (frame.len() - slot + 1) as u32;
    for (rel, refused) in [(past, true), (u32::MAX, true), (past - 1, false), (0, false)] {
        let kind = Request::decode(&patched(&frame, slot, &rel.to_le_bytes()), &LIMITS).err().map(|error| error.kind());
        assert_eq!(kind, refused.then_some(FrameErrorKind::SlotOutOfBounds), "{rel}");
    }
    // A null slot may have any length.
    assert!(Request::decode(&patched(&frame, slot + 4, &[255; 4]), &LIMITS).is_ok());
}

#[test]
fn names_of_headers_are_refused_as_trailers() {
    for name in ["Host", "Range", "TE"] {
        let mut other = name.to_owned();
        other.replace_range(..1, "z");
        let frame = request(|writer| writer.trailer(&other, "v").map(drop));
        let at = frame.windows(other.len()).position(|window| window == other.as_bytes()).unwrap();
        assert!(Request::decode(&frame, &LIMITS).is_ok());
        assert_eq!(kind_of(&patched(&frame, at, name.as_bytes())), FrameErrorKind::ForbiddenTrailer);
    }
}

#[test]
fn content_is_refused_at_its_byte() {
    let frame = request(|writer| writer.header("X-A", "1")?.trailer("X-T", "3").map(drop));
    let at = |text: &[u8]| frame.windows(text.len()).position(|window| window == text).unwrap();
    for (text, with, kind) in [
        (&b"POST"[..], &b"PO\0T"[..], FrameErrorKind::InvalidMethod),
        (b"/a", b"/ ", FrameErrorKind::InvalidTarget),
        (b"/a", b"/\x7f", FrameErrorKind::InvalidTarget),
        (b"HTTP", b"HT\tP", FrameErrorKind::InvalidProto),
        (b"X-A", b"X A", FrameErrorKind::InvalidHeaderName),
        (b"X-T", b"X(T", FrameErrorKind::InvalidTrailerName),
    ] {
        let error = Request::decode(&patched(&frame, at(text), with), &LIMITS).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(kind.fault(), FrameFault::Content);
        assert_eq!(kind.status(), 400);
        let near = at(text)..at(text) + text.len();
        let pair = at(text).saturating_sub(4);
        assert!(near.contains(&(error.offset() as usize)) || error.offset() as usize == pair, "{error}");
    }
    let value = patched(&frame, at(b"X-A") + 7, b"\n");
    assert_eq!(kind_of(&value), FrameErrorKind::InvalidHeaderValue);
    let value = patched(&frame, at(b"X-T") + 7, b"\x7f");
    assert_eq!(kind_of(&value), FrameErrorKind::InvalidTrailerValue);
}

#[test]
fn encoding_refuses_what_decoding_refuses() {
    let mut out = b"before".to_vec();
    let refused = |result: Result<MessageWriter<'_>, EncodeError>, error| assert_eq!(result.err(), Some(error));
    refused(Encoder::frame(&mut out).request("G T", "/"), EncodeError::InvalidMethod);
    refused(Encoder::frame(&mut out).request("", "/"), EncodeError::InvalidMethod);
    refused(Encoder::frame(&mut out).request("GET", ""), EncodeError::InvalidTarget);
    refused(Encoder::frame(&mut out).request("GET", "/ "), EncodeError::InvalidTarget);
    refused(Encoder::frame(&mut out).proto(b"\r").request("GET", "/"), EncodeError::InvalidProto);
    refused(Encoder::frame(&mut out).response(99, ""), EncodeError::InvalidStatus);
    refused(Encoder::frame(&mut out).response(1000, ""), EncodeError::InvalidStatus);
    refused(Encoder::frame(&mut out).response(200, "a\nb"), EncodeError::InvalidReason);
    refused(Encoder::frame(&mut out).max_frame_len(70).request("GET", "/toolong"), EncodeError::TooLong { len: 75 });
    refused(Encoder::frame(&mut out).max_frame_len(20).end(), EncodeError::TooLong { len: 24 });

    let mut writer = Encoder::frame(&mut out).request("GET", "/").unwrap();
    assert_eq!(writer.header("X A", "").err(), Some(EncodeError::InvalidName));
    assert_eq!(writer.header("X-A", "\r\n").err(), Some(EncodeError::InvalidValue));
    assert_eq!(writer.trailer("Content-length", "1").err(), Some(EncodeError::ForbiddenTrailer));
    // What was refused left nothing behind, and the order still begins with headers.
    writer.header("X-A", "1").unwrap().body(b"b").unwrap();
    assert_eq!(writer.header("X-B", "2").err(), Some(EncodeError::OutOfOrder));
    assert_eq!(writer.body(b"again").err(), Some(EncodeError::OutOfOrder));
    writer.trailer("X-T", "t").unwrap();
    assert_eq!(writer.body(b"again").err(), Some(EncodeError::OutOfOrder));
    assert_eq!(writer.header("X-B", "2").err(), Some(EncodeError::OutOfOrder));
    let range = writer.finish().unwrap().range;
    let mut early = Encoder::frame(&mut out).request("GET", "/").unwrap();
    early.trailer("X-T", "t").unwrap();
    assert_eq!(early.header("X-B", "2").err(), Some(EncodeError::OutOfOrder));
    assert_eq!(early.body(b"late").err(), Some(EncodeError::OutOfOrder));
    drop(early);
    let request = Request::decode(&out[range.start + 4..range.end], &LIMITS).unwrap();
    assert_eq!((request.headers().len(), request.body(), request.trailers().len()), (1, &b"b"[..], 1));

    out.truncate(range.start);
    let mut head = Encoder::frame(&mut out).response_head(200, "OK").unwrap();
    assert_eq!(head.body(b"").err(), Some(EncodeError::OutOfOrder));
    assert_eq!(head.trailer("X-T", "t").err(), Some(EncodeError::OutOfOrder));
    drop(head);
    let mut end = Encoder::frame(&mut out).end().unwrap();
    assert_eq!(end.header("X-T", "t").err(), Some(EncodeError::OutOfOrder));
    assert_eq!(end.body(b"").err(), Some(EncodeError::OutOfOrder));
    drop(end);
    assert_eq!(out, b"before");
}

#[test]
fn an_unfinished_frame_is_taken_back() {
    let mut out = b"before".to_vec();
    let mut writer = Encoder::frame(&mut out).response(200, "OK").unwrap();
    writer.header("X-A", "1").unwrap().body(b"body").unwrap();
    drop(writer);
    assert_eq!(out, b"before");
    assert_eq!(
        Encoder::frame(&mut out).max_frame_len(30).data(b"1234567").err(),
        Some(EncodeError::TooLong { len: 31 })
    );
    assert_eq!(out, b"before");
}

#[test]
fn a_frame_may_be_as_long_as_the_limit() {
    let body = [7; 40];
    let mut out = Vec::new();
    let whole = Encoder::message(&mut out).max_frame_len(64).data(&body).unwrap();
    assert_eq!(whole.range, 0..64);
    for len in [41, usize::MAX] {
        let error = Encoder::message(&mut out).max_frame_len(64).data_elsewhere(len).unwrap_err();
        assert!(matches!(error, EncodeError::TooLong { .. }));
    }
}

#[test]
fn debug_shows_no_values() {
    let frame =
        request(|writer| writer.header("Authorization", "secret")?.body(b"secret")?.trailer("X-T", "secret").map(drop));
    let shown = format!("{:?}", Frame::decode(&frame, &LIMITS).unwrap());
    assert!(shown.contains("Authorization") && shown.contains("POST") && !shown.contains("secret"), "{shown}");
}

/// Names and values of headers.
fn pairs() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    let value = prop::collection::vec(prop_oneof![Just(b'\t'), 0x20..=0x7e_u8, 0x80..=0xff_u8], 0..20);
    prop::collection::vec(("[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,12}", value), 0..6)
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        method in "[A-Za-z-]{1,10}",
        target in "/[!-~]{0,20}",
        headers in pairs(),
        body in prop::collection::vec(any::<u8>(), 0..200),
        trailers in pairs(),
        prefixed: bool,
        elsewhere: bool,
    ) {
        let trailers: Vec<_> = trailers.into_iter().map(|(name, value)| (format!("x-{name}"), value)).collect();
        let mut out = b"junk".to_vec();
        let encoder = if prefixed { Encoder::frame(&mut out) } else { Encoder::message(&mut out) };
        let mut writer = encoder.request(&method, &target).unwrap();
        for (name, value) in &headers {
            writer.header(name, value).unwrap();
        }
        if elsewhere { writer.body_elsewhere(body.len()) } else { writer.body(&body) }.unwrap();
        for (name, value) in &trailers {
            writer.trailer(name, value).unwrap();
        }
        let encoded = writer.finish().unwrap();
        if let Some(at) = encoded.body_at {
            out.splice(at..at, body.iter().copied());
        }
        let frame = &out[4..];
        let message = if prefixed {
            prop_assert_eq!(u32::from_be_bytes([frame[0], frame[1], frame[2], frame[3]]) as usize, frame.len() - 4);
            &frame[4..]
        } else {
            frame
        };
        let request = Request::decode(message, &LIMITS).unwrap();
        prop_assert_eq!(request.method(), method.as_bytes());
        prop_assert_eq!(request.target(), target.as_bytes());
        prop_assert_eq!(request.proto(), b"HTTP/1.1");
        prop_assert_eq!(request.body(), &body[..]);
        for (block, pairs) in [(request.headers(), &headers), (request.trailers(), &trailers)] {
            prop_assert_eq!(block.len(), pairs.len());
            prop_assert!(block.iter().eq(pairs.iter().map(|(name, value)| (name.as_bytes(), &value[..]))));
        }
    }

    /// Sound frames with some bytes changed, and bytes after a sound header: no panic, and a read frame's pairs are
    /// as many as it says.
    #[test]
    fn hostile_frames_do_not_panic(
        changes in prop::collection::vec((0..200_usize, any::<u8>()), 0..6),
        noise in prop::collection::vec(any::<u8>(), 0..150),
        keep_header: bool,
        cut in 0..200_usize,
    ) {
        let mut frame = request(|writer| {
            writer.header("Host", "a.example")?.header("X-A", "1")?.body(b"body")?.trailer("X-T", "t").map(drop)
        });
        for (at, byte) in changes {
            let at = at % frame.len();
            frame[at] = byte;
        }
        if keep_header {
            frame.truncate(16);
            frame.extend_from_slice(&noise);
            let len = frame.len() as u32;
            frame[..12].copy_from_slice(&[0x5a, 0x41, 0x50, 0, 1, 0, 0, (cut % 7) as u8, 16, 0, 0, 0]);
            frame[12..16].copy_from_slice(&len.to_le_bytes());
        } else if cut < frame.len() {
            frame.truncate(cut);
        }
        match Frame::decode(&frame, &LIMITS) {
            Ok(Frame::Request(request)) => {
                prop_assert_eq!(request.headers().iter().count(), request.headers().len());
                prop_assert_eq!(request.trailers().iter().count(), request.trailers().len());
            }
            Ok(frame) => drop(format!("{frame:?}")),
            Err(error) => prop_assert!(error.offset() as usize <= frame.len().max(20)),
        }
    }
}
