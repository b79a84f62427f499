//! Annotated frames: every field of every type, what is wrong with broken ones, and no harm from any bytes.

use proptest::collection::vec;
use proptest::prelude::*;
use zap_http::proto::{Encoder, Frame, FrameErrorKind, FrameLimits, annotate};

fn request() -> Vec<u8> {
    let mut frame = Vec::new();
    let mut request = Encoder::message(&mut frame).request("PUT", "/a").unwrap();
    request.header("x-one", "1").unwrap().body(b"body").unwrap().trailer("x-sum", "7").unwrap();
    request.finish().unwrap();
    frame
}

#[test]
fn every_field_has_its_line() {
    let shown = annotate(&request()).to_string();
    let expected = "\
request, 117 bytes
  0000  5a 41 50 00              magic     \"ZAP\"
  0004  01 00                    version   1
  0006  00 01                    flags     0x0100
  0008  10 00 00 00              root      at 0010
  000c  75 00 00 00              size      117
  0010  30 00 00 00 03 00 00 00  method    3 bytes at 0040
  0018  2b 00 00 00 02 00 00 00  target    2 bytes at 0043
  0020  25 00 00 00 08 00 00 00  proto     8 bytes at 0045
  0028  25 00 00 00 12 00 00 00  headers   18 bytes at 004d
  0030  2f 00 00 00 04 00 00 00  body      4 bytes at 005f
  0038  2b 00 00 00 12 00 00 00  trailers  18 bytes at 0063
";
    assert!(shown.starts_with(expected), "{shown}");
    for line in [
        "  0040  50 55 54                 method    \"PUT\"\n",
        "  004d  01 00 00 00              headers   1 pairs\n",
        "  0051  05 00 00 00 78 2d 6f ..  header    \"x-one\": \"1\"\n",
        "  005f  62 6f 64 79              body      \"body\"\n",
        "trailer   \"x-sum\": \"7\"\n",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(!shown.contains("error"), "{shown}");
}

#[test]
fn what_is_wrong_is_shown_with_what_is_not() {
    let sound = request();
    for (at, byte, kind, message) in [
        (0, b'Z' ^ 1, FrameErrorKind::InvalidMagic, "0000  error: the first four bytes are not the ZAP magic"),
        (7, 9, FrameErrorKind::WrongFrameType, "0006  error: the frame's type is wrong here"),
        (0x13, 0x7f, FrameErrorKind::SlotOutOfBounds, "0010  error: a slot points outside the message"),
        (0x40, b' ', FrameErrorKind::InvalidMethod, "0040  error: the method is not a token"),
        (0x4d, 2, FrameErrorKind::TruncatedHeaders, "error: the header block is cut"),
    ] {
        let mut broken = sound.clone();
        broken[at] = byte;
        let shown = annotate(&broken);
        assert_eq!(shown.error().map(|error| error.kind()), Some(kind));
        assert!(shown.to_string().ends_with(&format!("{message}\n")), "{message} in {shown}");
    }
    // A limit of connections is no fault of a frame.
    let mut many = Vec::new();
    let mut request = Encoder::message(&mut many).request("GET", "/").unwrap();
    for at in 0..1000 {
        request.header("x-many", at.to_string()).unwrap();
    }
    request.finish().unwrap();
    assert_eq!(annotate(&many).error(), None);
    let shown = annotate(&many).to_string();
    assert!(shown.contains("and 900 more\n") && shown.lines().count() < 130, "{shown}");
}

/// Lines alone, few of them, and none from the frame.
fn check(frame: &[u8]) {
    let shown = annotate(frame);
    let text = shown.to_string();
    assert!(text.lines().count() < 250 && text.len() < 250_000);
    assert!(text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)), "{text}");
    if Frame::decode(frame, &FrameLimits::new()).is_ok() {
        assert_eq!(shown.error(), None, "{text}");
    }
}

proptest! {
    #[test]
    fn any_bytes(frame in vec(any::<u8>(), 0..300)) {
        check(&frame);
    }

    #[test]
    fn frames_with_wrong_bytes(changes in vec((0..117_usize, any::<u8>()), 0..4), len in 0..118_usize) {
        let mut frame = request();
        changes.into_iter().for_each(|(at, byte)| frame[at] = byte);
        check(&frame[..len]);
        check(&frame);
    }
}
