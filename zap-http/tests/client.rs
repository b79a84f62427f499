//! The client's end, driven by bytes and time; and the two ends together.

use std::io::IoSlice;
use std::time::{Duration, Instant};

use bytes::Bytes;
use proptest::prelude::*;
use zap_http::proto::{
    CallId, Client, ClientConfig, Close, CloseCause, CloseReason, EncodeError, Encoder, Event, FrameErrorKind,
    FramingFault, Lost, Next, RequestError, Server, ServerConfig,
};

const STEPS: [usize; 5] = [1, 2, 3, 17, usize::MAX];

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

/// A client, the time, and what it wrote and saw.
struct End {
    client: Client,
    now: Instant,
    written: Vec<u8>,
    seen: Vec<String>,
}

impl End {
    fn new(config: ClientConfig) -> End {
        let now = Instant::now();
        End { client: Client::new(config, now), now, written: Vec::new(), seen: Vec::new() }
    }

    fn pipelining() -> End {
        let mut config = ClientConfig::default();
        config.max_in_flight = 8;
        End::new(config)
    }

    fn check(&self) {
        self.client.check_invariants().unwrap();
    }

    fn call(&mut self, method: &str) -> CallId {
        let call = self.client.request(method, "/", self.now).unwrap().finish().unwrap();
        self.check();
        call
    }

    fn called(&mut self, method: &str) -> CallId {
        let call = self.call(method);
        self.write(usize::MAX);
        call
    }

    fn recv(&mut self, bytes: &[u8]) {
        self.client.recv(bytes, self.now);
        self.check();
        self.take();
    }

    fn recv_in_steps(&mut self, bytes: &[u8], step: usize) {
        bytes.chunks(step.min(bytes.len().max(1))).for_each(|piece| self.recv(piece));
    }

    fn take(&mut self) {
        let mut batch = self.client.take_batch(self.now);
        while let Some(event) = self.client.next_event(&mut batch) {
            self.seen.push(match event {
                Event::Response(_, response) => {
                    let trailers = response.trailers().len();
                    format!("{} {} +{trailers}", response.status(), response.body().escape_ascii())
                }
                Event::Head(_, head) => format!("head {}", head.status()),
                Event::Data(_, data) => format!("data {}", data.chunk().escape_ascii()),
                Event::End(_, end) => format!("end +{}", end.trailers().len()),
                other => panic!("{other:?}"),
            });
            self.client.check_invariants().unwrap();
        }
        self.client.return_batch(batch, self.now);
        self.check();
    }

    fn write(&mut self, most: usize) {
        let mut left = most;
        while left > 0 {
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = self.client.poll_transmit(&mut pieces, self.now);
            let bytes: Vec<u8> = pieces[..filled].iter().flat_map(|piece| piece.iter().copied()).take(left).collect();
            if bytes.is_empty() {
                return;
            }
            left -= bytes.len();
            self.written.extend_from_slice(&bytes);
            self.client.transmitted(bytes.len(), self.now);
            self.check();
        }
    }

    fn eof(&mut self) {
        self.client.recv_eof(self.now);
        self.check();
        self.take();
    }

    fn at(&mut self, after: Duration) {
        self.now += after;
        self.client.handle_timeout(self.now);
        self.check();
    }

    fn closed(&self) -> CloseReason {
        match self.client.poll_close() {
            Close::Now(reason) => reason,
            other => panic!("not closed: {other:?}"),
        }
    }

    fn only_lost(&self) -> Lost {
        let lost: Vec<_> = self.client.lost().collect();
        let [lost] = lost[..] else { panic!("one expected: {lost:?}") };
        lost
    }
}

fn response(status: u16, body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let mut response = Encoder::frame(&mut wire).response(status, "").unwrap();
    response.body(body).unwrap();
    response.finish().unwrap();
    wire
}

fn head(status: u16) -> Vec<u8> {
    let mut wire = Vec::new();
    Encoder::frame(&mut wire).response_head(status, "").unwrap().finish().unwrap();
    wire
}

fn data(chunk: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    Encoder::frame(&mut wire).data(chunk).unwrap();
    wire
}

fn end() -> Vec<u8> {
    let mut wire = Vec::new();
    let mut end = Encoder::frame(&mut wire).end().unwrap();
    end.trailer("x-t", "t").unwrap();
    end.finish().unwrap();
    wire
}

#[test]
fn answers_are_whole_or_streamed() {
    for step in STEPS {
        let mut end_of = End::new(ClientConfig::default());
        end_of.called("GET");
        end_of.recv_in_steps(&response(200, b"body"), step);
        assert!(end_of.client.is_idle());
        end_of.called("POST");
        assert!(!end_of.client.is_idle());
        end_of.recv_in_steps(&[head(200), data(b"one"), data(b""), data(b"two"), end()].concat(), step);
        assert_eq!(end_of.seen, ["200 body +0", "head 200", "data one", "data two", "end +1"]);
        assert!(end_of.client.is_idle());
        end_of.eof();
        assert_eq!(end_of.closed(), CloseReason::PeerClosed);
        assert_eq!(end_of.client.lost().count(), 0);
    }
}

#[test]
fn answers_match_requests_in_order() {
    let mut end_of = End::pipelining();
    let calls = [end_of.call("GET"), end_of.call("GET"), end_of.call("GET")];
    end_of.write(usize::MAX);
    let wire = [response(200, b"a"), head(200), data(b"b"), end(), response(404, b"c")].concat();
    end_of.client.recv(&wire, end_of.now);
    let mut batch = end_of.client.take_batch(end_of.now);
    let mut seen = Vec::new();
    while let Some(event) = end_of.client.next_event(&mut batch) {
        seen.push(match event {
            Event::Response(call, _) | Event::Head(call, _) | Event::Data(call, _) | Event::End(call, _) => call,
            other => panic!("{other:?}"),
        });
    }
    end_of.client.return_batch(batch, end_of.now);
    end_of.check();
    assert_eq!(seen, [calls[0], calls[1], calls[1], calls[1], calls[2]]);
}

#[test]
fn requests_queue_only_where_they_may() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.call("GET");
    assert_eq!(end_of.client.request("GET", "/", end_of.now).err(), Some(RequestError::Busy));
    let mut end_of = End::pipelining();
    end_of.call("GET");
    assert_eq!(end_of.client.request("POST", "/", end_of.now).err(), Some(RequestError::Busy));
    end_of.call("PUT");
    let mut config = ClientConfig::default();
    (config.max_in_flight, config.queue_unsafe) = (2, true);
    let mut end_of = End::new(config);
    end_of.call("POST");
    end_of.call("POST");
    assert_eq!(end_of.client.request("GET", "/", end_of.now).err(), Some(RequestError::Busy));
}

#[test]
fn requests_that_are_not_finished_are_not_made() {
    let mut end_of = End::new(ClientConfig::default());
    let mut request = end_of.client.request("PUT", "/", end_of.now).unwrap();
    request.header("a", "b").unwrap().body_shared(Bytes::from(vec![1; 100_000])).unwrap();
    assert_eq!(request.header("a", "b").err(), Some(RequestError::Encode(EncodeError::OutOfOrder)));
    drop(request);
    end_of.check();
    end_of.write(usize::MAX);
    assert_eq!((end_of.client.in_flight(), end_of.written.len()), (0, 0));
    let error = end_of.client.request("P T", "/", end_of.now).err();
    assert_eq!(error, Some(RequestError::Encode(EncodeError::InvalidMethod)));
    let mut config = ClientConfig::default();
    config.frame.max_frame_len = 100;
    let mut end_of = End::new(config);
    let mut request = end_of.client.request("PUT", "/", end_of.now).unwrap();
    assert!(matches!(request.body(&[1; 100]).err(), Some(RequestError::Encode(EncodeError::TooLong { .. }))));
    drop(request);
    assert_eq!(end_of.client.in_flight(), 0);
}

#[test]
fn large_bodies_in_pieces_equal_copies() {
    let body: Vec<u8> = (0..200_000_u32).map(|i| (i * 7) as u8).collect();
    let written = |shared: bool, step: usize| {
        let mut end_of = End::new(ClientConfig::default());
        let mut request = end_of.client.request("PUT", "/", end_of.now).unwrap();
        request.header("a", "b").unwrap();
        if shared { request.body_shared(Bytes::from(body.clone())) } else { request.body(&body) }.unwrap();
        request.trailer("x-t", "t").unwrap();
        request.finish().unwrap();
        while end_of.client.poll_transmit(&mut [IoSlice::new(&[])], end_of.now) > 0 {
            end_of.write(step);
        }
        assert!(end_of.written.len() > body.len());
        end_of.written
    };
    for step in [999, 70_000, usize::MAX] {
        assert!(written(true, step) == written(false, usize::MAX));
    }
}

#[test]
fn answers_without_a_body() {
    for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
        let mut end_of = End::new(ClientConfig::default());
        end_of.called(method);
        end_of.recv(&response(status, b"body"));
        end_of.called(method);
        end_of.recv(&[head(status), data(b"body"), end()].concat());
        assert_eq!(end_of.seen, [format!("{status}  +0"), format!("head {status}"), "end +0".into()]);
        assert!(end_of.client.is_idle());
    }
}

#[test]
fn interim_answers_are_skipped_up_to_a_limit() {
    for interim in [response(103, b""), head(100)] {
        for step in STEPS {
            let mut end_of = End::new(ClientConfig::default());
            end_of.called("GET");
            end_of.recv_in_steps(&[interim.repeat(16), response(200, b"x")].concat(), step);
            assert_eq!(end_of.seen, ["200 x +0"]);
            // Each answer has its own sixteen.
            end_of.called("GET");
            end_of.recv_in_steps(&interim.repeat(16), step);
            assert_eq!(end_of.client.poll_close(), Close::Open);
            end_of.recv(&interim);
            assert_eq!(end_of.closed(), CloseReason::TooManyInterimAnswers);
        }
    }
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    end_of.recv(&response(101, b""));
    assert_eq!(end_of.closed(), CloseReason::SwitchingProtocols);
}

#[test]
fn a_stream_without_its_end_is_an_error() {
    let wire = [head(200), data(b"one"), end()].concat();
    for cut in 1..wire.len() {
        for step in [1, usize::MAX] {
            let mut end_of = End::new(ClientConfig::default());
            let call = end_of.called("GET");
            end_of.recv_in_steps(&wire[..cut], step);
            end_of.eof();
            assert_eq!(end_of.closed(), CloseReason::PeerClosedEarly);
            assert_eq!(end_of.closed().cause(), CloseCause::PeerViolation);
            let lost = end_of.only_lost();
            assert_eq!((lost.call, lost.sent, lost.answer_seen, lost.may_retry()), (call, true, true, false));
            assert!(!end_of.seen.iter().any(|seen| seen.starts_with("end")));
        }
    }
}

#[test]
fn what_may_be_retried() {
    // Nothing was sent: anything may.
    let mut end_of = End::new(ClientConfig::default());
    end_of.call("POST");
    end_of.client.transport_failed();
    end_of.check();
    assert_eq!(end_of.closed().cause(), CloseCause::Transport);
    assert!(!end_of.only_lost().sent && end_of.only_lost().may_retry());
    // One byte was: what is idempotent may.
    for (method, may) in [("GET", true), ("PUT", true), ("POST", false), ("PATCH", false)] {
        let mut end_of = End::new(ClientConfig::default());
        end_of.call(method);
        end_of.write(1);
        end_of.eof();
        assert_eq!(end_of.closed(), CloseReason::PeerClosedEarly);
        let lost = end_of.only_lost();
        assert_eq!((lost.sent, lost.answer_seen, lost.idempotent, lost.may_retry()), (true, false, may, may));
    }
    // Of two that wait to be sent, one byte is one of the first.
    let mut end_of = End::pipelining();
    end_of.call("GET");
    end_of.call("GET");
    end_of.write(1);
    end_of.eof();
    assert_eq!(end_of.client.lost().map(|lost| lost.sent).collect::<Vec<_>>(), [true, false]);
    // One byte of an answer came: nothing may.
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    end_of.recv(&[0]);
    end_of.eof();
    assert!(end_of.only_lost().answer_seen && !end_of.only_lost().may_retry());
    // Of several, only the first has seen anything, and the last was not sent.
    let mut end_of = End::pipelining();
    for _ in 0..3 {
        end_of.called("GET");
    }
    end_of.call("PUT");
    end_of.recv(&[response(200, b"a"), vec![0, 0]].concat());
    end_of.eof();
    let lost: Vec<_> = end_of.client.lost().map(|lost| (lost.sent, lost.answer_seen, lost.may_retry())).collect();
    assert_eq!(lost, [(true, true, false), (true, false, true), (false, false, true)]);
    assert_eq!(end_of.seen, ["200 a +0"]);
}

/// Complete answers that came before the end are not lost.
#[test]
fn what_came_before_the_end_can_be_taken() {
    for failed in [false, true] {
        let mut end_of = End::pipelining();
        end_of.called("GET");
        end_of.called("GET");
        end_of.client.recv(&[response(200, b"a"), response(200, b"b")].concat(), end_of.now);
        if failed {
            end_of.client.transport_failed()
        } else {
            end_of.client.recv_eof(end_of.now)
        }
        assert_eq!(end_of.client.poll_close(), Close::Open);
        assert_eq!(end_of.client.request("GET", "/", end_of.now).err(), Some(RequestError::Closed));
        end_of.take();
        assert_eq!(end_of.seen, ["200 a +0", "200 b +0"]);
        assert_eq!(end_of.client.lost().count(), 0);
        end_of.closed();
    }
}

#[test]
fn what_nobody_asked_for_ends_the_connection() {
    for wire in [response(200, b"x"), vec![0], data(b"x")] {
        let mut end_of = End::new(ClientConfig::default());
        end_of.recv(&wire);
        assert_eq!(end_of.closed(), CloseReason::UnexpectedFrame);
        // Behind an answer, too; and it is not taken for the answer to a request made meanwhile.
        let mut end_of = End::new(ClientConfig::default());
        end_of.called("GET");
        end_of.recv(&[response(200, b"a"), wire.clone()].concat());
        assert_eq!(end_of.closed(), CloseReason::UnexpectedFrame);

        let mut end_of = End::pipelining();
        end_of.called("GET");
        end_of.client.recv(&[response(200, b"a"), wire].concat(), end_of.now);
        end_of.called("GET");
        end_of.take();
        end_of.recv(&response(200, b"b"));
        assert!(matches!(end_of.closed(), CloseReason::UnexpectedFrame | CloseReason::Framing(_)));
        assert_eq!(end_of.seen, ["200 a +0"]);
    }
}

#[test]
fn frames_out_of_place_end_the_connection() {
    let mut request = Vec::new();
    Encoder::frame(&mut request).request("GET", "/").unwrap().finish().unwrap();
    let stream = |then: Vec<u8>| [head(200), then].concat();
    for wire in [data(b"x"), end(), request.clone(), stream(head(200)), stream(response(200, b"")), stream(request)] {
        let mut end_of = End::new(ClientConfig::default());
        end_of.called("GET");
        end_of.recv(&wire);
        assert_eq!(
            (end_of.closed(), end_of.closed().cause()),
            (CloseReason::UnexpectedFrame, CloseCause::PeerViolation)
        );
    }
}

#[test]
fn broken_answers_end_the_connection() {
    let mut magic = response(200, b"x");
    magic[4] = b'z';
    let mut status = response(200, b"x");
    status[4 + 16] = 0;
    for (wire, kind) in [(magic, FrameErrorKind::InvalidMagic), (status, FrameErrorKind::InvalidStatus)] {
        let mut end_of = End::new(ClientConfig::default());
        end_of.called("GET");
        end_of.recv(&wire);
        assert!(matches!(end_of.closed(), CloseReason::Frame(error) if error.kind() == kind));
        assert!(end_of.only_lost().answer_seen);
    }
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    end_of.recv(&[0; 4]);
    assert_eq!(end_of.closed(), CloseReason::Framing(FramingFault::ZeroLength));
}

#[test]
fn an_answer_may_be_bounded() {
    let mut config = ClientConfig::default();
    config.max_answer_len = Some(5);
    for wire in [response(200, b"123456"), [head(200), data(b"123"), data(b"456")].concat()] {
        let mut end_of = End::new(config.clone());
        end_of.called("GET");
        end_of.recv(&response(200, b"12345"));
        end_of.called("GET");
        end_of.recv(&[head(200), data(b"123"), data(b"45"), end()].concat());
        end_of.called("GET");
        end_of.recv(&wire);
        assert_eq!((end_of.closed(), end_of.closed().cause()), (CloseReason::AnswerTooLong, CloseCause::Limit));
    }
}

#[test]
fn empty_data_frames_are_bounded() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    end_of.recv(&[head(200), data(b"").repeat(100), data(b"x"), data(b"").repeat(100)].concat());
    assert_eq!(end_of.client.poll_close(), Close::Open);
    end_of.recv(&data(b""));
    assert_eq!(end_of.closed(), CloseReason::TooManyEmptyFrames);
}

#[test]
fn a_cancelled_answer_is_skipped_up_to_a_limit() {
    let mut config = ClientConfig::default();
    (config.max_in_flight, config.max_discard_len) = (4, 1000);
    for step in [7, usize::MAX] {
        let mut end_of = End::new(config.clone());
        let first = end_of.called("GET");
        end_of.called("GET");
        end_of.client.cancel(first);
        end_of.recv_in_steps(&[head(200), data(b"x"), end(), response(200, b"b")].concat(), step);
        assert_eq!(end_of.seen, ["200 b +0"]);
        assert!(end_of.client.is_idle());

        let call = end_of.called("GET");
        end_of.client.cancel(call);
        end_of.recv_in_steps(&[head(200), data(&[1; 500]), data(&[1; 500])].concat(), step);
        assert_eq!(end_of.closed(), CloseReason::DiscardTooLong);
    }
}

/// A server learns that nobody waits by the end of the connection.
#[test]
fn a_cancelled_answer_must_end_in_time() {
    let mut config = ClientConfig::default();
    config.max_in_flight = 4;
    // Its answer has not begun, or is a stream that goes on.
    for begun in [false, true] {
        let mut end_of = End::new(config.clone());
        let call = end_of.called("GET");
        if begun {
            end_of.recv(&[head(200), data(b"x")].concat());
        }
        end_of.client.cancel(call);
        end_of.at(seconds(0));
        assert_eq!(end_of.client.poll_timeout(), Some(end_of.now + seconds(1)));
        // However much comes of it.
        for _ in 0..3 {
            end_of.at(Duration::from_millis(300));
            end_of.recv(&if begun { data(b"x") } else { response(100, b"") });
        }
        assert_eq!(end_of.client.poll_close(), Close::Open);
        end_of.at(Duration::from_millis(100));
        assert_eq!((end_of.closed(), end_of.closed().cause()), (CloseReason::DiscardTimeout, CloseCause::Limit));
    }
    // An answer that others wait behind has the time that it would have; once it is a stream, it is in their way.
    let mut end_of = End::new(config);
    let (first, _) = (end_of.called("GET"), end_of.called("GET"));
    end_of.client.cancel(first);
    end_of.at(seconds(20));
    end_of.recv(&[head(200), data(b"x")].concat());
    end_of.at(seconds(0));
    assert_eq!(end_of.client.poll_timeout(), Some(end_of.now + seconds(1)));
    end_of.recv(&end());
    end_of.at(seconds(2));
    assert_eq!(end_of.client.poll_close(), Close::Open);
    end_of.recv(&response(200, b"second"));
    assert_eq!(end_of.seen, ["200 second +0"]);
    assert!(end_of.client.is_idle() && end_of.client.poll_timeout().is_none());
}

#[test]
fn an_answer_must_begin() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.call("GET");
    // Not counted before the request is out.
    end_of.write(3);
    end_of.at(seconds(29));
    end_of.write(usize::MAX);
    assert_eq!(end_of.client.poll_timeout(), Some(end_of.now + seconds(30)));
    end_of.at(seconds(29));
    end_of.recv(&response(100, b""));
    end_of.at(seconds(29));
    assert_eq!(end_of.client.poll_close(), Close::Open);
    end_of.at(seconds(1));
    assert_eq!(end_of.closed(), CloseReason::AnswerTimeout);
    assert!(end_of.only_lost().answer_seen);
}

#[test]
fn an_answer_must_go_on() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    let wire = response(200, b"body");
    end_of.recv(&wire[..10]);
    end_of.at(seconds(9));
    end_of.recv(&wire[10..20]);
    end_of.at(seconds(9));
    assert_eq!(end_of.client.poll_close(), Close::Open);
    end_of.at(seconds(1));
    assert_eq!(end_of.closed(), CloseReason::ProgressTimeout);
    // Between the frames of a stream there may be any time, unless it is bounded.
    let mut config = ClientConfig::default();
    for bounded in [false, true] {
        config.stream_timeout = bounded.then_some(seconds(60));
        let mut end_of = End::new(config.clone());
        end_of.called("GET");
        end_of.recv(&head(200));
        end_of.at(seconds(59));
        end_of.recv(&data(b"x"));
        assert_eq!(end_of.client.poll_timeout(), bounded.then_some(end_of.now + seconds(60)));
        end_of.at(seconds(60));
        assert_eq!(end_of.client.poll_close() != Close::Open, bounded);
    }
}

#[test]
fn a_peer_must_take_its_requests() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.call("GET");
    assert_eq!(end_of.client.poll_transmit(&mut [IoSlice::new(&[])], end_of.now), 1);
    end_of.at(seconds(30));
    assert_eq!(end_of.closed(), CloseReason::WriteStall);
    assert!(end_of.only_lost().may_retry());
}

#[test]
fn shutdown_waits_for_the_answers() {
    let mut end_of = End::new(ClientConfig::default());
    end_of.called("GET");
    end_of.client.shutdown(end_of.now);
    assert_eq!(end_of.client.request("GET", "/", end_of.now).err(), Some(RequestError::Closed));
    end_of.recv(&response(200, b"x"));
    assert_eq!((end_of.closed(), &end_of.seen[..]), (CloseReason::Shutdown, &["200 x +0".to_owned()][..]));
    let mut idle = End::new(ClientConfig::default());
    idle.client.shutdown(idle.now);
    assert_eq!(idle.closed(), CloseReason::Shutdown);
}

#[test]
fn reading_ahead_is_bounded() {
    let mut config = ClientConfig::default();
    config.max_ahead_len = 100;
    let mut end_of = End::new(config);
    end_of.called("GET");
    end_of.client.recv(&[head(200), data(b"x")].concat(), end_of.now);
    let batch = end_of.client.take_batch(end_of.now);
    end_of.client.recv(&data(&[1; 200])[..99], end_of.now);
    assert!(end_of.client.wants_read());
    end_of.client.recv(&data(&[1; 200])[99..100], end_of.now);
    assert!(!end_of.client.wants_read());
    // While the caller is slow, the peer is not late.
    end_of.at(seconds(1000));
    assert_eq!(end_of.client.poll_close(), Close::Open);
    end_of.client.return_batch(batch, end_of.now);
    end_of.check();
    assert_eq!(end_of.closed(), CloseReason::StreamAbandoned);
}

/// Moves what one end wrote to the other, in pieces.
fn carry(end_of: &mut End, server: &mut Server, answers: &[u8], step: usize) {
    let mut moved = true;
    while std::mem::take(&mut moved) {
        end_of.write(step);
        for piece in std::mem::take(&mut end_of.written).chunks(step) {
            moved = true;
            server.recv(piece, end_of.now);
            let mut batch = server.take_batch(end_of.now);
            while let Next::Request(request) = server.next_request(&mut batch) {
                let kind = answers.get(request.body().len() % answers.len().max(1)).copied().unwrap_or(0);
                let mut answer = server.respond(200 + u16::from(kind % 3)).unwrap();
                answer.header("x-kind", [b'0' + kind]).unwrap();
                if kind % 2 == 0 {
                    answer.body(request.body()).unwrap().trailer("x-t", "t").unwrap();
                    answer.finish().unwrap();
                } else {
                    answer.stream().unwrap();
                    server.data(request.body()).unwrap();
                    server.end([("x-t", "t")]).unwrap();
                }
            }
            server.return_batch(batch, end_of.now);
            server.check_invariants().unwrap();
        }
        loop {
            let mut pieces = [IoSlice::new(&[]); 2];
            let filled = server.poll_transmit(&mut pieces, end_of.now);
            let Some(piece) = pieces[..filled].first() else { break };
            let piece = piece[..step.min(piece.len())].to_vec();
            server.transmitted(piece.len(), end_of.now);
            end_of.recv(&piece);
            moved = true;
        }
    }
}

proptest! {
    /// Both ends: every body comes back, in order, whatever the pieces and however it is answered.
    #[test]
    fn both_ends_agree(
        bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 1..8),
        answers in prop::collection::vec(0..6_u8, 1..5),
        step in 1..80_usize,
        shared: bool,
    ) {
        let mut config = ClientConfig::default();
        config.max_in_flight = 8;
        config.max_copied_len = if shared { 0 } else { 1000 };
        let mut end_of = End::new(config);
        let mut server = Server::new(ServerConfig::default(), end_of.now);
        for body in &bodies {
            let mut request = end_of.client.request("PUT", "/echo", end_of.now).unwrap();
            request.header("Host", "a").unwrap().body_shared(Bytes::from(body.clone())).unwrap();
            request.finish().unwrap();
        }
        carry(&mut end_of, &mut server, &answers, step);
        let mut wanted = Vec::new();
        for body in &bodies {
            let kind = answers[body.len() % answers.len()];
            let (status, body) = (200 + u16::from(kind % 3), body.escape_ascii().to_string());
            if kind % 2 == 0 {
                wanted.push(format!("{status} {body} +1"));
            } else {
                wanted.push(format!("head {status}"));
                if !body.is_empty() {
                    wanted.push(format!("data {body}"));
                }
                wanted.push("end +1".into());
            }
        }
        prop_assert_eq!(&end_of.seen, &wanted);
        prop_assert!(end_of.client.is_idle() && server.is_idle());
    }

    /// Whatever comes: no panic, the ledger holds after every step, and no request is both answered and lost.
    #[test]
    fn hostile_streams_do_not_panic(
        frames in prop::collection::vec(0..8_usize, 0..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        steps in prop::collection::vec(1..60_usize, 1..8),
        calls in prop::collection::vec(0..3_usize, 1..8),
        waits in prop::collection::vec(0..8_u64, 1..8),
    ) {
        let kinds = [response(200, b"x"), head(200), data(b"y"), end(), response(100, b""), data(b""), vec![0], head(304)];
        let mut wire: Vec<u8> = frames.iter().flat_map(|kind| kinds[*kind].clone()).collect();
        for (at, byte) in changes {
            if !wire.is_empty() {
                let at = at.index(wire.len());
                wire[at] = byte;
            }
        }
        let mut end_of = End::pipelining();
        let mut rest = &wire[..];
        let mut turn = 0;
        while !rest.is_empty() {
            for _ in 0..calls[turn % calls.len()] {
                if let Ok(request) = end_of.client.request("GET", "/", end_of.now) {
                    request.finish().unwrap();
                }
            }
            end_of.write(steps[turn % steps.len()]);
            let (piece, after) = rest.split_at(steps[turn % steps.len()].min(rest.len()));
            rest = after;
            turn += 1;
            end_of.recv(piece);
            end_of.at(seconds(waits[turn % waits.len()]));
        }
        end_of.eof();
        end_of.closed();
        let counts = end_of.client.counts();
        prop_assert_eq!(counts.requests, counts.answered + end_of.client.lost().count() as u64);
    }
}
