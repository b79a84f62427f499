//! The server's end, driven by bytes and time: every exchange whole, one byte at a time, and in other splits.

use std::io::IoSlice;
use std::time::{Duration, Instant};

use bytes::Bytes;
use proptest::prelude::*;
use zap_http::proto::{
    AnswerError, Close, CloseCause, CloseReason, Deframer, EncodeError, Encoder, Frame, FrameErrorKind, FrameLimits,
    FramingFault, MAX_FRAME_LEN, Next, Request, Server, ServerConfig,
};

const STEPS: [usize; 5] = [1, 2, 3, 17, usize::MAX];

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn append_request(wire: &mut Vec<u8>, method: &str, target: &str, body: &[u8]) {
    let mut request = Encoder::frame(wire).request(method, target).unwrap();
    request.header("Host", "a.example").unwrap().body(body).unwrap();
    request.finish().unwrap();
}

fn requests(targets: &[&str]) -> Vec<u8> {
    let mut wire = Vec::new();
    targets.iter().for_each(|target| append_request(&mut wire, "GET", target, b""));
    wire
}

/// A server, the time, and what it wrote.
struct Peer {
    server: Server,
    now: Instant,
    written: Vec<u8>,
    writes: usize,
}

impl Peer {
    fn new(config: ServerConfig) -> Peer {
        let now = Instant::now();
        Peer { server: Server::new(config, now), now, written: Vec::new(), writes: 0 }
    }

    fn check(&self) {
        self.server.check_invariants().unwrap();
    }

    fn recv(&mut self, bytes: &[u8]) {
        self.server.recv(bytes, self.now);
        self.check();
    }

    /// Serves what has come, without writing until there is nothing more to serve or the output is full.
    fn serve(&mut self, mut handler: impl FnMut(&mut Server, Request<'_>)) {
        loop {
            let mut batch = self.server.take_batch(self.now);
            let empty = batch.frames() == 0;
            loop {
                match self.server.next_request(&mut batch) {
                    Next::Request(request) => handler(&mut self.server, request),
                    Next::OutputFull => self.write(usize::MAX),
                    Next::Done => break,
                    Next::Head(_) => panic!("no request is streamed"),
                }
                self.check();
            }
            self.server.return_batch(batch, self.now);
            self.check();
            if empty {
                return;
            }
        }
    }

    /// Writes everything, at most `most` bytes at once.
    fn write(&mut self, most: usize) {
        loop {
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = self.server.poll_transmit(&mut pieces, self.now);
            let bytes: Vec<u8> = pieces[..filled].iter().flat_map(|piece| piece.iter().copied()).take(most).collect();
            if bytes.is_empty() {
                return;
            }
            self.written.extend_from_slice(&bytes);
            self.writes += 1;
            self.server.transmitted(bytes.len(), self.now);
            self.check();
        }
    }

    fn at(&mut self, after: Duration) {
        self.now += after;
        self.server.handle_timeout(self.now);
        self.check();
    }

    /// All of an exchange: what comes in steps, is served and written at once, and the end of the stream.
    fn run(
        config: ServerConfig,
        wire: &[u8],
        step: usize,
        mut handler: impl FnMut(&mut Server, Request<'_>),
    ) -> (Vec<u8>, CloseReason) {
        let mut peer = Peer::new(config);
        for piece in wire.chunks(step.min(wire.len().max(1))) {
            peer.recv(piece);
            peer.serve(&mut handler);
            peer.write(step);
        }
        peer.server.recv_eof(peer.now);
        peer.check();
        peer.serve(&mut handler);
        peer.write(step);
        match peer.server.poll_close() {
            Close::Now(reason) => (peer.written, reason),
            other => panic!("not closed: {other:?}"),
        }
    }
}

/// What a peer reads: one line a frame.
fn shown(written: &[u8]) -> Vec<String> {
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    deframer.recv(written);
    assert_eq!(deframer.fault(), None);
    let mut batch = deframer.take_batch(Vec::new());
    assert!(deframer.is_empty(), "a frame is cut");
    let mut lines = Vec::new();
    while let Some(frame) = batch.next_frame() {
        lines.push(match Frame::decode(frame, &FrameLimits::new()).unwrap() {
            Frame::Response(response) => {
                format!("{} {} +{}", response.status(), response.body().escape_ascii(), response.trailers().len())
            }
            Frame::ResponseHead(head) => format!("head {}", head.status()),
            Frame::Data(data) => format!("data {}", data.chunk().escape_ascii()),
            Frame::End(end) => format!("end +{}", end.trailers().len()),
            other => panic!("{other:?}"),
        });
    }
    lines
}

/// Answers with the target as the body.
fn echo_target(server: &mut Server, request: Request<'_>) {
    let mut answer = server.respond(200).unwrap();
    answer.header("content-type", "text/plain").unwrap().body(request.target()).unwrap();
    answer.finish().unwrap();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let wire = requests(&["/a", "/b", "/c"]);
    for step in STEPS {
        let (written, reason) = Peer::run(ServerConfig::default(), &wire, step, echo_target);
        assert_eq!(shown(&written), ["200 /a +0", "200 /b +0", "200 /c +0"], "step {step}");
        assert_eq!(reason, CloseReason::PeerClosed);
        assert_eq!(reason.cause(), CloseCause::Orderly);
    }
}

#[test]
fn all_answers_of_one_read_are_one_write() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a", "/b", "/c", "/d"]));
    peer.serve(echo_target);
    peer.write(usize::MAX);
    assert_eq!((peer.writes, shown(&peer.written).len()), (1, 4));
    assert!(peer.server.is_idle());
}

#[test]
fn streams_have_head_data_end() {
    let wire = requests(&["/s", "/a"]);
    for step in STEPS {
        let handler = |server: &mut Server, request: Request<'_>| {
            if request.target() == b"/a" {
                return echo_target(server, request);
            }
            server.respond(206).unwrap().stream().unwrap();
            server.data(b"one").unwrap();
            server.data(b"").unwrap();
            server.data_shared(Bytes::from_static(b"two")).unwrap();
            assert!(server.is_answering());
            // A refused trailer leaves the stream as it was.
            let refused = server.end([("X-A", "1"), ("Content-Length", "3")]);
            assert_eq!(refused, Err(AnswerError::Encode(EncodeError::ForbiddenTrailer)));
            server.end([("X-A", "1"), ("X-B", "2")]).unwrap();
            assert!(!server.is_answering());
        };
        let (written, _) = Peer::run(ServerConfig::default(), &wire, step, handler);
        assert_eq!(shown(&written), ["head 206", "data one", "data two", "end +2", "200 /a +0"]);
    }
}

/// `HEAD`, 204 and 304: no body, no trailers, one frame, also where a stream is given.
#[test]
fn answers_without_a_body() {
    for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
        let mut wire = Vec::new();
        append_request(&mut wire, method, "/whole", b"");
        append_request(&mut wire, method, "/stream", b"");
        append_request(&mut wire, method, "/shared", b"");
        let handler = |server: &mut Server, request: Request<'_>| {
            let mut answer = server.respond(status).unwrap();
            match request.target() {
                b"/whole" => {
                    answer.body(b"body").unwrap().trailer("X-T", "t").unwrap();
                    answer.finish().unwrap();
                }
                b"/shared" => {
                    answer.body_shared(Bytes::from(vec![1; 100_000])).unwrap();
                    answer.finish().unwrap();
                }
                _ => {
                    answer.stream().unwrap();
                    server.data(b"body").unwrap();
                    server.data_shared(Bytes::from(vec![1; 100_000])).unwrap();
                    server.end([("X-T", "t")]).unwrap();
                }
            }
        };
        let (written, _) = Peer::run(ServerConfig::default(), &wire, usize::MAX, handler);
        assert_eq!(shown(&written), vec![format!("{status}  +0"); 3], "{method}");
    }
}

/// A large body is not copied, and the bytes are those of a copy.
#[test]
fn large_bodies_in_pieces_equal_copies() {
    let body: Vec<u8> = (0..200_000_u32).map(|i| (i * 7) as u8).collect();
    let answer = |shared: bool| {
        let body = &body;
        move |server: &mut Server, _: Request<'_>| {
            let mut answer = server.respond(200).unwrap();
            answer.header("X-A", "1").unwrap();
            if shared { answer.body_shared(Bytes::from(body.clone())) } else { answer.body(body) }.unwrap();
            answer.trailer("X-Sum", "9f").unwrap();
            answer.finish().unwrap();
        }
    };
    let stream = |shared: bool| {
        let body = &body;
        move |server: &mut Server, _: Request<'_>| {
            server.respond(200).unwrap().stream().unwrap();
            if shared { server.data_shared(Bytes::from(body.clone())) } else { server.data(body) }.unwrap();
            server.end([("X-Sum", "9f")]).unwrap();
        }
    };
    let wire = requests(&["/a", "/b"]);
    for step in [1000, 4097, usize::MAX] {
        let run = |handler: &mut dyn FnMut(&mut Server, Request<'_>)| {
            Peer::run(ServerConfig::default(), &wire, step, handler).0
        };
        assert!(run(&mut answer(true)) == run(&mut answer(false)));
        assert!(run(&mut stream(true)) == run(&mut stream(false)));
    }
    let mut config = ServerConfig::default();
    config.max_output_len = 1 << 20;
    let mut peer = Peer::new(config);
    peer.recv(&wire);
    peer.serve(answer(true));
    let mut pieces = [IoSlice::new(&[]); 8];
    assert_eq!(peer.server.poll_transmit(&mut pieces, peer.now), 5);
    assert_eq!((pieces[1].len(), pieces[3].len()), (200_000, 200_000));
}

/// An answer that does not fit into a frame becomes a stream: never a broken frame.
#[test]
fn an_answer_over_the_frame_limit_is_streamed() {
    let mut config = ServerConfig::default();
    config.frame.max_frame_len = 200;
    config.max_data_len = 64;
    for shared in [false, true] {
        config.max_copied_len = if shared { 0 } else { usize::MAX };
        let handler = |server: &mut Server, _: Request<'_>| {
            let mut answer = server.respond(200).unwrap();
            answer.body_shared(Bytes::from(vec![b'x'; 150])).unwrap().trailer("X-T", "t").unwrap();
            assert_eq!(answer.body(b"").err(), Some(AnswerError::Encode(EncodeError::OutOfOrder)));
            answer.finish().unwrap();
        };
        let (written, _) = Peer::run(config.clone(), &requests(&["/"]), usize::MAX, handler);
        let (full, rest) = (format!("data {}", "x".repeat(64)), format!("data {}", "x".repeat(22)));
        assert_eq!(shown(&written), ["head 200", &full, &full, &rest, "end +1"]);
        // Taken back as a whole.
        let handler = |server: &mut Server, request: Request<'_>| {
            let mut answer = server.respond(200).unwrap();
            answer.body_shared(Bytes::from(vec![b'x'; 150])).unwrap();
            drop(answer);
            echo_target(server, request);
        };
        let (written, _) = Peer::run(config.clone(), &requests(&["/a"]), usize::MAX, handler);
        assert_eq!(shown(&written), ["200 /a +0"]);
    }
}

#[test]
fn what_is_left_unanswered_is_answered_500() {
    let wire = requests(&["/nothing", "/dropped", "/interim", "/a"]);
    let handler = |server: &mut Server, request: Request<'_>| match request.target() {
        b"/nothing" => {}
        b"/dropped" => drop(server.respond(200).unwrap().body(b"half").unwrap()),
        b"/interim" => assert_eq!(server.respond(103).err(), Some(AnswerError::Interim)),
        _ => echo_target(server, request),
    };
    for step in STEPS {
        let (written, reason) = Peer::run(ServerConfig::default(), &wire, step, handler);
        assert_eq!(shown(&written), ["500  +0", "500  +0", "500  +0", "200 /a +0"]);
        assert_eq!(reason, CloseReason::PeerClosed);
    }
}

#[test]
fn misuse_is_an_error() {
    let mut peer = Peer::new(ServerConfig::default());
    assert_eq!(peer.server.respond(200).err(), Some(AnswerError::NoRequest));
    assert_eq!(peer.server.data(b"x"), Err(AnswerError::NoRequest));
    peer.recv(&requests(&["/"]));
    peer.serve(|server, request| {
        assert_eq!(server.data(b"x"), Err(AnswerError::NoRequest));
        assert_eq!(server.end([("a", "b")]), Err(AnswerError::NoRequest));
        for status in [0, 99, 1000] {
            assert_eq!(server.respond(status).err(), Some(AnswerError::Encode(EncodeError::InvalidStatus)));
        }
        let mut answer = server.respond(200).unwrap();
        answer.body(b"x").unwrap();
        assert_eq!(answer.stream().err(), Some(AnswerError::Encode(EncodeError::OutOfOrder)));
        echo_target(server, request);
        assert_eq!(server.respond(200).err(), Some(AnswerError::NoRequest));
    });
    peer.write(usize::MAX);
    assert_eq!(shown(&peer.written), ["200 / +0"]);
    peer.server.transport_failed();
    peer.check();
    assert_eq!(peer.server.respond(200).err(), Some(AnswerError::Closed));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::TransportFailed));
}

#[test]
fn a_stream_that_is_given_up_ends_the_connection_without_an_end_frame() {
    let handler = |server: &mut Server, _: Request<'_>| {
        server.respond(200).unwrap().stream().unwrap();
        server.data(b"half").unwrap();
    };
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a", "/b"]));
    peer.serve(handler);
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.write(3);
    assert_eq!(shown(&peer.written), ["head 200", "data half"]);
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::StreamAbandoned));
    let counts = peer.server.counts();
    assert_eq!((counts.frames, counts.abandoned, counts.dropped), (2, 1, 1));
}

/// A request whose method is not a token, then a sound one.
fn with_bad_request(bad: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut wire = requests(&["/a"]);
    let mut frame = requests(&["/bad"]);
    bad(&mut frame);
    wire.extend_from_slice(&frame);
    wire.extend_from_slice(&requests(&["/b"]));
    wire
}

#[test]
fn bad_content_is_answered_and_the_connection_lives() {
    let method = |frame: &mut Vec<u8>| frame[4 + 64] = b' ';
    let target = |frame: &mut Vec<u8>| frame[4 + 64 + 3] = b'\n';
    for wire in [with_bad_request(method), with_bad_request(target)] {
        for step in STEPS {
            let (written, reason) = Peer::run(ServerConfig::default(), &wire, step, echo_target);
            assert_eq!(shown(&written), ["200 /a +0", "400  +0", "200 /b +0"]);
            assert_eq!(reason, CloseReason::PeerClosed);
        }
    }
    let mut config = ServerConfig::default();
    config.frame.max_target_len = 3;
    let (written, _) = Peer::run(config.clone(), &requests(&["/a", "/bad", "/b"]), 1, echo_target);
    assert_eq!(shown(&written), ["200 /a +0", "414  +0", "200 /b +0"]);
    config.frame.max_block_len = 1;
    let (written, _) = Peer::run(config, &requests(&["/a", "/b"]), 1, echo_target);
    assert_eq!(shown(&written), ["431  +0", "431  +0"]);
}

#[test]
fn ten_bad_requests_end_the_connection() {
    let mut config = ServerConfig::default();
    assert_eq!(config.max_bad_requests, 10);
    config.frame.max_target_len = 3;
    let (written, reason) = Peer::run(config, &requests(&["/bad"; 12]), usize::MAX, echo_target);
    assert_eq!(shown(&written), vec!["414  +0"; 10]);
    assert_eq!((reason, reason.cause()), (CloseReason::TooManyBadRequests, CloseCause::Limit));
}

#[test]
fn a_broken_frame_ends_the_connection_after_the_answers_before_it() {
    let magic = |frame: &mut Vec<u8>| frame[4] = b'z';
    let kind = |frame: &mut Vec<u8>| frame[4 + 7] = 2;
    let slot = |frame: &mut Vec<u8>| frame[4 + 16 + 5] = 255;
    for (wire, kind) in [
        (with_bad_request(magic), FrameErrorKind::InvalidMagic),
        (with_bad_request(kind), FrameErrorKind::WrongFrameType),
        (with_bad_request(slot), FrameErrorKind::SlotOutOfBounds),
    ] {
        for step in STEPS {
            let (written, reason) = Peer::run(ServerConfig::default(), &wire, step, echo_target);
            assert_eq!(shown(&written), ["200 /a +0", "400  +0"]);
            assert!(matches!(reason, CloseReason::Frame(error) if error.kind() == kind), "{reason:?}");
            assert_eq!(reason.cause(), CloseCause::PeerViolation);
        }
    }
}

#[test]
fn a_length_of_zero_ends_the_connection() {
    let mut wire = requests(&["/a"]);
    wire.extend_from_slice(&[0; 4]);
    wire.extend_from_slice(&requests(&["/b"]));
    for step in STEPS {
        let (written, reason) = Peer::run(ServerConfig::default(), &wire, step, echo_target);
        assert_eq!(shown(&written), ["200 /a +0"]);
        assert_eq!(reason, CloseReason::Framing(FramingFault::ZeroLength));
    }
}

/// What was taken out is answered; in place of the first of the others, whole or not, comes 503, and then the end.
#[test]
fn without_memory_requests_are_answered_503() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a", "/b"]));
    let mut batch = peer.server.take_batch(peer.now);
    let taken = peer.server.in_flight_len();
    assert_eq!(taken, requests(&["/a", "/b"]).len());
    let mut more = requests(&["/c"]);
    append_request(&mut more, "PUT", "/large", &[1; 2000]);
    peer.recv(&more[..more.len() - 1500]);
    assert_eq!(peer.server.in_flight_len(), taken + more.len() - 1500);
    peer.server.overloaded(peer.now);
    peer.check();
    assert_eq!((peer.server.in_flight_len(), peer.server.wants_read()), (taken, false));
    while let Next::Request(request) = peer.server.next_request(&mut batch) {
        echo_target(&mut peer.server, request);
    }
    peer.server.return_batch(batch, peer.now);
    peer.check();
    assert_eq!(peer.server.in_flight_len(), 0);
    peer.write(7);
    assert_eq!(shown(&peer.written), ["200 /a +0", "200 /b +0", "503  +0"]);
    assert_eq!((peer.server.poll_close(), peer.server.wants_read()), (Close::ShutWrite, true));
    peer.recv(&more[more.len() - 1500..]);
    peer.server.recv_eof(peer.now);
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::Overloaded));
    assert_eq!(CloseReason::Overloaded.cause(), CloseCause::Limit);
    assert_eq!(peer.server.counts().dropped, 1);
}

#[test]
fn a_frame_over_the_limit_is_answered_413_and_drained() {
    let mut config = ServerConfig::default();
    config.frame.max_frame_len = 1000;
    let mut wire = requests(&["/a"]);
    append_request(&mut wire, "PUT", "/large", &[1; 2000]);
    let begin = || {
        let mut peer = Peer::new(config.clone());
        peer.recv(&wire[..wire.len() - 1500]);
        peer.serve(echo_target);
        assert_eq!((peer.server.poll_close(), peer.server.wants_read()), (Close::Open, false));
        peer.write(7);
        assert_eq!(shown(&peer.written), ["200 /a +0", "413  +0"]);
        assert_eq!((peer.server.poll_close(), peer.server.wants_read()), (Close::ShutWrite, true));
        peer
    };
    let reason = CloseReason::Framing(FramingFault::TooLong { len: 2000 + 16 + 48 + 3 + 6 + 8 + 4 + 8 + 4 + 9 });
    // The peer ends its stream.
    let mut peer = begin();
    peer.recv(&wire[wire.len() - 1500..]);
    assert_eq!(peer.server.poll_close(), Close::ShutWrite);
    peer.server.recv_eof(peer.now);
    assert_eq!(peer.server.poll_close(), Close::Now(reason));
    assert_eq!(reason.cause(), CloseCause::Limit);
    // Or sends on and on.
    let mut peer = begin();
    peer.recv(&vec![0; config.max_drain_len]);
    assert_eq!(peer.server.poll_close(), Close::ShutWrite);
    peer.recv(&[0]);
    assert_eq!(peer.server.poll_close(), Close::Now(reason));
    // Or does nothing.
    let mut peer = begin();
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + config.drain_timeout));
    peer.at(config.drain_timeout);
    assert_eq!(peer.server.poll_close(), Close::Now(reason));
}

#[test]
fn a_cut_frame_is_not_answered() {
    let wire = requests(&["/a", "/b"]);
    for cut in 1..wire.len() / 2 {
        let (written, reason) = Peer::run(ServerConfig::default(), &wire[..wire.len() - cut], usize::MAX, echo_target);
        assert_eq!(shown(&written), ["200 /a +0"]);
        assert_eq!(reason, CloseReason::PeerClosedEarly);
    }
}

#[test]
fn much_output_stops_serving_and_reading() {
    let mut config = ServerConfig::default();
    config.max_output_len = 1000;
    let mut peer = Peer::new(config);
    peer.recv(&requests(&["/a", "/b", "/c"]));
    let mut batch = peer.server.take_batch(peer.now);
    let mut served = 0;
    while let Next::Request(_) = peer.server.next_request(&mut batch) {
        served += 1;
        let mut answer = peer.server.respond(200).unwrap();
        answer.body(&[b'x'; 600]).unwrap();
        answer.finish().unwrap();
    }
    assert_eq!(served, 2);
    assert_eq!(peer.server.next_request(&mut batch), Next::OutputFull);
    assert!(peer.server.is_output_full() && !peer.server.wants_read());
    peer.write(500);
    assert!(peer.server.wants_read());
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    echo_target_of(&mut peer.server);
    assert_eq!(peer.server.next_request(&mut batch), Next::Done);
    peer.server.return_batch(batch, peer.now);
    peer.check();
    assert!(peer.server.wants_read());
}

fn echo_target_of(server: &mut Server) {
    server.respond(200).unwrap().finish().unwrap();
}

/// While a request is served, only so much is read ahead; while none is, a frame may be as long as the limit.
#[test]
fn reading_ahead_is_bounded() {
    let mut config = ServerConfig::default();
    config.max_ahead_len = 1000;
    let mut peer = Peer::new(config);
    let mut large = Vec::new();
    append_request(&mut large, "PUT", "/large", &[1; 5000]);
    peer.recv(&large[..4000]);
    assert!(peer.server.wants_read());
    peer.recv(&large[4000..]);
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    assert!(peer.server.wants_read());
    peer.recv(&large[..999]);
    assert!(peer.server.wants_read());
    peer.recv(&large[999..1000]);
    assert!(!peer.server.wants_read());
    // A second batch is not to be had, and an empty one does no harm.
    let empty = peer.server.take_batch(peer.now);
    assert_eq!(empty.frames(), 0);
    peer.server.return_batch(empty, peer.now);
    peer.check();
    echo_target_of(&mut peer.server);
    assert_eq!(peer.server.next_request(&mut batch), Next::Done);
    peer.server.return_batch(batch, peer.now);
    assert!(peer.server.wants_read());
    peer.recv(&large[1000..]);
    let mut seen = 0;
    peer.serve(|server, request| {
        seen = request.body().len();
        echo_target_of(server);
    });
    assert_eq!(seen, 5000);
}

#[test]
fn the_first_frame_must_come() {
    let mut peer = Peer::new(ServerConfig::default());
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(10)));
    let wire = requests(&["/a"]);
    // A trickle does not help.
    for byte in &wire[..9] {
        peer.recv(&[*byte]);
        peer.at(seconds(1));
        assert_eq!(peer.server.poll_close(), Close::Open);
    }
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::FirstFrameTimeout));

    // A steady upload does.
    let mut peer = Peer::new(ServerConfig::default());
    let mut large = Vec::new();
    append_request(&mut large, "PUT", "/", &vec![1; 1 << 20]);
    for piece in large.chunks(20_000) {
        peer.at(seconds(1));
        assert_eq!(peer.server.poll_close(), Close::Open);
        peer.recv(piece);
    }
    peer.serve(echo_target);
    peer.at(seconds(1));
    peer.write(usize::MAX);
    assert_eq!(shown(&peer.written), ["200 / +0"]);
    // Once it has come, an idle connection may stay; but it keeps no memory.
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(1)));
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_timeout(), None);
    peer.at(seconds(10_000));
    assert_eq!(peer.server.poll_close(), Close::Open);
}

#[test]
fn a_frame_must_go_on() {
    let wire = requests(&["/a", "/b"]);
    let (first, second) = wire.split_at(wire.len() / 2);
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(first);
    peer.serve(echo_target);
    peer.write(usize::MAX);
    peer.at(seconds(100));
    peer.recv(&second[..1]);
    peer.at(seconds(9));
    peer.recv(&second[1..20]);
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(10)));
    peer.at(seconds(10));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::ProgressTimeout));
}

/// While we do not read, the peer is not late.
#[test]
fn time_in_which_nothing_is_read_does_not_count() {
    let mut config = ServerConfig::default();
    config.max_ahead_len = 10;
    let wire = requests(&["/a", "/b"]);
    let (first, second) = wire.split_at(wire.len() / 2);
    let mut peer = Peer::new(config);
    peer.recv(first);
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    peer.recv(&second[..20]);
    assert!(!peer.server.wants_read());
    peer.at(seconds(1000));
    assert_eq!(peer.server.poll_close(), Close::Open);
    echo_target_of(&mut peer.server);
    assert_eq!(peer.server.next_request(&mut batch), Next::Done);
    peer.server.return_batch(batch, peer.now);
    peer.write(usize::MAX);
    peer.at(seconds(9));
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::ProgressTimeout));
}

#[test]
fn an_idle_connection_ends_if_asked() {
    let mut config = ServerConfig::default();
    config.idle_timeout = Some(seconds(60));
    let mut peer = Peer::new(config);
    peer.recv(&requests(&["/a"]));
    // Not while a request is being served.
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    peer.at(seconds(100));
    assert_eq!(peer.server.poll_close(), Close::Open);
    echo_target_of(&mut peer.server);
    assert_eq!(peer.server.next_request(&mut batch), Next::Done);
    peer.server.return_batch(batch, peer.now);
    peer.write(usize::MAX);
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(59)));
    peer.at(seconds(59));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::IdleTimeout));
}

#[test]
fn a_peer_must_take_its_answers() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a"]));
    peer.serve(echo_target);
    let mut pieces = [IoSlice::new(&[]); 1];
    assert_eq!(peer.server.poll_transmit(&mut pieces, peer.now), 1);
    peer.at(seconds(29));
    peer.server.transmitted(1, peer.now);
    peer.at(seconds(29));
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::WriteStall));
}

#[test]
fn requests_before_the_end_of_the_stream_have_a_second() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a", "/b"]));
    peer.server.recv_eof(peer.now);
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(1)));
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::HalfCloseGrace));
    assert_eq!(peer.server.respond(200).err(), Some(AnswerError::Closed));
    assert_eq!(peer.server.next_request(&mut batch), Next::Done);
    peer.server.return_batch(batch, peer.now);
    peer.check();
    let counts = peer.server.counts();
    assert_eq!((counts.frames, counts.abandoned, counts.dropped), (2, 1, 1));
}

/// The second is for answers that are not ready, not for a peer that takes them slowly.
#[test]
fn answers_that_are_ready_have_longer() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a"]));
    peer.server.recv_eof(peer.now);
    peer.serve(echo_target);
    assert_eq!(peer.server.poll_transmit(&mut [IoSlice::new(&[])], peer.now), 1);
    peer.at(seconds(20));
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.write(usize::MAX);
    assert_eq!(shown(&peer.written), ["200 /a +0"]);
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::PeerClosed));
}

#[test]
fn shutdown_answers_what_was_read() {
    let mut wire = requests(&["/a", "/b", "/c"]);
    wire.truncate(wire.len() - 1);
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&wire);
    peer.server.shutdown(Some(peer.now + seconds(5)), peer.now);
    peer.check();
    assert!(!peer.server.wants_read());
    peer.recv(&[b'x'; 100]);
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.serve(echo_target);
    assert_eq!(peer.server.poll_close(), Close::Open);
    peer.write(5);
    assert_eq!(shown(&peer.written), ["200 /a +0", "200 /b +0"]);
    // What the peer sends meanwhile must not reset the connection under the answers.
    assert_eq!((peer.server.poll_close(), peer.server.wants_read()), (Close::ShutWrite, true));
    peer.server.recv_eof(peer.now);
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::Shutdown));

    let mut quiet = Peer::new(ServerConfig::default());
    quiet.recv(&requests(&["/a"]));
    quiet.serve(echo_target);
    quiet.write(usize::MAX);
    quiet.at(seconds(1));
    quiet.server.shutdown(None, quiet.now);
    assert_eq!(quiet.server.poll_close(), Close::Now(CloseReason::Shutdown));

    let mut idle = Peer::new(ServerConfig::default());
    idle.server.shutdown(None, idle.now);
    assert_eq!(idle.server.poll_close(), Close::Now(CloseReason::Shutdown));

    let mut slow = Peer::new(ServerConfig::default());
    slow.recv(&requests(&["/a"]));
    let mut batch = slow.server.take_batch(slow.now);
    assert!(matches!(slow.server.next_request(&mut batch), Next::Request(_)));
    slow.server.shutdown(Some(slow.now + seconds(5)), slow.now);
    slow.at(seconds(5));
    assert_eq!(slow.server.poll_close(), Close::Now(CloseReason::ShutdownDeadline));
}

/// A handler that is busy when the order to stop comes is not kept at it by a client that has gone.
#[test]
fn a_peer_that_goes_during_shutdown_is_noticed() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a"]));
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    peer.server.shutdown(None, peer.now);
    assert!(peer.server.wants_read());
    // A request that comes too late is not taken.
    peer.recv(&requests(&["/b"]));
    assert_eq!((peer.server.waiting(), peer.server.poll_close()), (0, Close::Open));
    peer.server.recv_eof(peer.now);
    assert!(!peer.server.wants_read());
    peer.at(seconds(1));
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::HalfCloseGrace));
}

#[test]
fn a_batch_returned_with_requests_ends_the_connection() {
    let mut peer = Peer::new(ServerConfig::default());
    peer.recv(&requests(&["/a", "/b"]));
    let mut batch = peer.server.take_batch(peer.now);
    assert!(matches!(peer.server.next_request(&mut batch), Next::Request(_)));
    peer.server.return_batch(batch, peer.now);
    peer.check();
    assert_eq!(peer.server.poll_close(), Close::Now(CloseReason::StreamAbandoned));
}

#[test]
fn an_idle_connection_gives_its_memory_back() {
    let mut peer = Peer::new(ServerConfig::default());
    for target in ["/a", "/b"] {
        assert!(peer.server.is_idle());
        peer.recv(&requests(&[target]));
        peer.at(seconds(1));
        peer.serve(echo_target);
        peer.write(usize::MAX);
        assert_eq!(peer.server.poll_timeout(), Some(peer.now + seconds(1)));
        assert!(peer.server.memory() > 0);
        peer.at(seconds(1));
        assert_eq!((peer.server.poll_timeout(), peer.server.memory()), (None, 0));
    }
    assert_eq!(shown(&peer.written), ["200 /a +0", "200 /b +0"]);
}

proptest! {
    /// Whatever comes, in whatever pieces and with whatever answers: no panic, and the ledger holds after every step.
    #[test]
    fn hostile_streams_do_not_panic(
        targets in prop::collection::vec("/[a-z]{0,5}", 0..5),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        steps in prop::collection::vec(1..60_usize, 1..8),
        waits in prop::collection::vec(0..4_u64, 1..8),
    ) {
        let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
        let mut wire = requests(&targets);
        for (at, byte) in changes {
            if !wire.is_empty() {
                let at = at.index(wire.len());
                wire[at] = byte;
            }
        }
        wire.extend_from_slice(&noise);
        let mut peer = Peer::new(ServerConfig::default());
        let mut rest = &wire[..];
        let mut turn = 0;
        while !rest.is_empty() && !matches!(peer.server.poll_close(), Close::Now(_)) {
            let (piece, after) = rest.split_at(steps[turn % steps.len()].min(rest.len()));
            rest = after;
            turn += 1;
            peer.recv(piece);
            peer.serve(|server, request| match request.target().len() % 4 {
                0 => {}
                1 => server.respond(200).unwrap().finish().unwrap(),
                2 => {
                    server.respond(200).unwrap().stream().unwrap();
                    server.data(request.target()).unwrap();
                    server.end([("x-t", "t")]).unwrap();
                }
                _ => drop(server.respond(200).unwrap().stream()),
            });
            peer.write(steps[turn % steps.len()]);
            peer.at(seconds(waits[turn % waits.len()]));
        }
        peer.server.recv_eof(peer.now);
        peer.check();
        peer.serve(echo_target);
        peer.write(usize::MAX);
        // A stray zero or long length may have turned the end into a drain, which an end of stream ends.
        prop_assert!(matches!(peer.server.poll_close(), Close::Now(_)));
        let counts = peer.server.counts();
        prop_assert_eq!(counts.frames, counts.answered + counts.refused + counts.abandoned + counts.dropped);
    }
}
