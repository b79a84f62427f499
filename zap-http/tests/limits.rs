//! Each bound of `LIMITS.md` that is about frames: at the bound and one past it.

use zap_http::proto::{
    Deframer, Encoder, End, FrameErrorKind, FrameFault, FrameLimits, FramingFault, MAX_FRAME_LEN, Request, ResponseHead,
};

const LIMITS: FrameLimits = FrameLimits::new();

fn request(method: &str, target: &str, proto: &str, headers: &[(&str, usize)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Encoder::message(&mut out).proto(proto.as_bytes()).request(method, target).unwrap();
    for (name, len) in headers {
        writer.header(name, "v".repeat(*len)).unwrap();
    }
    writer.finish().unwrap();
    out
}

fn refused(frame: &[u8]) -> Option<FrameErrorKind> {
    Request::decode(frame, &LIMITS).err().map(|error| error.kind())
}

fn must_be(kind: Option<FrameErrorKind>, wanted: FrameErrorKind, status: u16) {
    assert_eq!(kind, Some(wanted));
    assert_eq!((wanted.fault(), wanted.status()), (FrameFault::Limit, status));
}

#[test]
fn method_target_and_proto() {
    let (method, target, proto) = ("M".repeat(32), "/".repeat(8192), "P".repeat(16));
    assert_eq!(refused(&request(&method, &target, &proto, &[])), None);
    must_be(refused(&request(&"M".repeat(33), "/", "", &[])), FrameErrorKind::MethodTooLong, 400);
    must_be(refused(&request("GET", &"/".repeat(8193), "", &[])), FrameErrorKind::TargetTooLong, 414);
    must_be(refused(&request("GET", "/", &"P".repeat(17), &[])), FrameErrorKind::ProtoTooLong, 400);
}

#[test]
fn reason() {
    for (len, wanted) in [(256, None), (257, Some(FrameErrorKind::ReasonTooLong))] {
        let mut out = Vec::new();
        Encoder::message(&mut out).response_head(200, "r".repeat(len)).unwrap().finish().unwrap();
        assert_eq!(ResponseHead::decode(&out, &LIMITS).err().map(|error| error.kind()), wanted);
    }
}

#[test]
fn pairs_of_a_block() {
    assert_eq!(refused(&request("GET", "/", "", &vec![("n", 1); 100])), None);
    must_be(refused(&request("GET", "/", "", &vec![("n", 1); 101])), FrameErrorKind::TooManyHeaders, 431);
    let mut out = Vec::new();
    let mut end = Encoder::message(&mut out).end().unwrap();
    for _ in 0..101 {
        end.trailer("n", "v").unwrap();
    }
    end.finish().unwrap();
    let kind = End::decode(&out, &LIMITS).err().map(|error| error.kind());
    must_be(kind, FrameErrorKind::TooManyTrailers, 431);
}

#[test]
fn bytes_of_a_block() {
    // Count, two lengths, a name of one byte.
    let most = 65_536 - 4 - 8 - 1;
    assert_eq!(refused(&request("GET", "/", "", &[("n", most)])), None);
    must_be(refused(&request("GET", "/", "", &[("n", most + 1)])), FrameErrorKind::HeadersTooLong, 431);
    let mut out = Vec::new();
    let mut end = Encoder::message(&mut out).end().unwrap();
    end.trailer("n", "v".repeat(most + 1)).unwrap();
    end.finish().unwrap();
    let kind = End::decode(&out, &LIMITS).err().map(|error| error.kind());
    must_be(kind, FrameErrorKind::TrailersTooLong, 431);
}

#[test]
fn bytes_of_a_frame() {
    assert_eq!(MAX_FRAME_LEN, 67_108_864);
    assert_eq!(LIMITS.max_frame_len, MAX_FRAME_LEN);
    let mut small = LIMITS;
    let frame = request("GET", "/", "", &[]);
    small.max_frame_len = frame.len() as u32;
    assert!(Request::decode(&frame, &small).is_ok());
    small.max_frame_len -= 1;
    let kind = Request::decode(&frame, &small).err().map(|error| error.kind());
    must_be(kind, FrameErrorKind::FrameTooLong, 413);

    for (prefix, fault) in [
        ([4, 0, 0, 0], None),
        ([4, 0, 0, 1], Some(FramingFault::TooLong { len: MAX_FRAME_LEN + 1 })),
        ([0, 0, 0, 0], Some(FramingFault::ZeroLength)),
    ] {
        let mut deframer = Deframer::new(MAX_FRAME_LEN);
        deframer.recv(&prefix);
        assert_eq!(deframer.fault(), fault);
    }
}

/// The count may claim what it likes: it is the block's bytes that are walked.
#[test]
fn a_count_alone_costs_nothing() {
    let mut frame = request("GET", "/", "", &[("n", 1)]);
    let at = frame.len() - 4 - 1 - 4 - 1 - 4;
    frame[at..at + 4].copy_from_slice(&[255; 4]);
    assert_eq!(refused(&frame), Some(FrameErrorKind::TruncatedHeaders));
}
