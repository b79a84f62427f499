//! Checks of the HTTP wire: frames, and both ends of a connection under any order of events.

use std::io::IoSlice;
use std::time::{Duration, Instant};

use zap_http::convert;
use zap_http::proto::{
    CallId, Client, ClientConfig, Close, Deframer, Encoder, Event, Frame, FrameLimits, Headers, Next, Request,
    RequestHead, RequestPart, Server, ServerConfig,
};

/// Any bytes as a frame; and as a stream of frames, which must not depend on how it is cut.
pub fn http_frames(data: &[u8]) {
    let limits = FrameLimits::new();
    if let Ok(frame) = Frame::decode(data, &limits) {
        read(&frame);
    }
    if let Ok(head) = RequestHead::decode(data, &limits) {
        let _ = convert::request_head_parts(&head);
    }
    let mut whole = Deframer::new(1 << 16);
    whole.recv(data);
    let mut cut = Deframer::new(1 << 16);
    let step = data.first().map_or(1, |first| usize::from(*first) % 7 + 1);
    data.chunks(step).for_each(|piece| cut.recv(piece));
    assert_eq!((whole.frames(), whole.len(), whole.fault()), (cut.frames(), cut.len(), cut.fault()));
    assert_eq!(whole.end(), cut.end());
    let (mut whole, mut cut) = (whole.take_batch(Vec::new()), cut.take_batch(Vec::new()));
    while let Some(frame) = whole.next_frame() {
        assert_eq!(cut.next_frame(), Some(frame));
    }
    assert_eq!(cut.next_frame(), None);
}

/// Everything that a sound frame has; a request that is written anew reads the same.
fn read(frame: &Frame<'_>) {
    match frame {
        Frame::Request(request) => {
            let parts = convert::request_parts(request);
            assert!(parts.is_err() || parts.is_ok_and(|parts| parts.headers.len() <= 100));
            let mut anew = Vec::new();
            let encoder = Encoder::message(&mut anew).proto(request.proto());
            let mut writer = encoder.request(request.method(), request.target()).expect("it was read");
            pairs(request.headers(), |name, value| {
                writer.header(name, value).expect("it was read");
            });
            writer.body(request.body()).expect("it was read");
            pairs(request.trailers(), |name, value| {
                writer.trailer(name, value).expect("it was read");
            });
            writer.finish().expect("it was read");
            let again = Request::decode(&anew, &FrameLimits::new()).expect("own bytes");
            assert_eq!(format!("{again:?}{:?}", again.body()), format!("{request:?}{:?}", request.body()));
            pairs(request.headers(), |name, value| assert!(again.headers().iter().any(|pair| pair == (name, value))));
        }
        Frame::Response(response) => {
            pairs(response.headers(), |_, _| {});
            pairs(response.trailers(), |_, _| {});
            assert!((100..1000).contains(&response.status()));
        }
        Frame::ResponseHead(head) => pairs(head.headers(), |_, _| {}),
        Frame::End(end) => pairs(end.trailers(), |_, _| {}),
        _ => {}
    }
}

fn pairs(headers: Headers<'_>, mut of: impl FnMut(&[u8], &[u8])) {
    headers.iter().for_each(|(name, value)| of(name, value));
    assert_eq!(headers.iter().count() == 0, headers.is_empty());
}

/// Events drawn from bytes: the byte that chooses, and a short piece of what follows.
struct Events<'d>(&'d [u8]);

impl<'d> Events<'d> {
    fn next(&mut self) -> Option<(u8, &'d [u8])> {
        let (event, rest) = self.0.split_first()?;
        let len = if *event < 128 { usize::from(event / 16) * 8 } else { 0 };
        let (piece, rest) = rest.split_at(len.min(rest.len()));
        self.0 = rest;
        Some((event % 16, piece))
    }
}

/// A server's connection: received pieces, requests that are answered in every way or not at all, time, ends.
pub fn http_server(data: &[u8]) {
    let mut config = ServerConfig::default();
    config.stream_requests = true;
    config.frame.max_frame_len = 1 << 12;
    let mut now = Instant::now();
    let mut server = Server::new(config, now);
    let mut events = Events(data);
    while let Some((event, piece)) = events.next() {
        match event {
            0..=3 => server.recv(piece, now),
            // A whole request, so that not every byte has to be guessed.
            4 | 5 => server.recv(&request(piece), now),
            6 => server.recv(&streamed(piece), now),
            7..=11 => serve(&mut server, event, now),
            12 | 13 => {
                let mut pieces = [IoSlice::new(&[]); 4];
                let filled = server.poll_transmit(&mut pieces, now);
                let sent = taken(&pieces[..filled], piece.len());
                server.transmitted(sent, now);
            }
            14 => {
                now += Duration::from_millis(1 << (piece.len() % 16));
                server.handle_timeout(now);
            }
            _ if piece.len().is_multiple_of(3) => server.recv_eof(now),
            _ if piece.len() % 3 == 1 => server.shutdown(None, now),
            _ => server.transport_failed(),
        }
        server.check_invariants().expect("the ledger");
        let _ = (server.wants_read(), server.poll_timeout(), server.is_idle());
        if server.is_idle() {
            server.release_buffers();
        }
    }
    server.transport_failed();
    server.check_invariants().expect("the ledger");
    assert!(matches!(server.poll_close(), Close::Now(_)));
}

/// A request whose bit says that it knows streamed ones.
fn request(target: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let target: Vec<u8> = [b"/".as_slice(), target].concat();
    match Encoder::frame(&mut wire).request("POST", &target).and_then(|writer| writer.finish()) {
        Ok(_) => wire[10] = 0x80,
        Err(_) => wire.extend_from_slice(&target),
    }
    wire
}

/// A streamed request: head, a piece, and perhaps the end.
fn streamed(piece: &[u8]) -> Vec<u8> {
    let mut wire = request(b"");
    wire[11] = 0x06;
    let encoded = Encoder::frame(&mut wire).data(piece);
    encoded.expect("short");
    if piece.len().is_multiple_of(2) {
        Encoder::frame(&mut wire).end().and_then(|end| end.finish()).expect("short");
    }
    wire
}

fn serve(server: &mut Server, event: u8, now: Instant) {
    let mut batch = server.take_batch(now);
    let waiting = batch.frames();
    loop {
        match server.next_request(&mut batch) {
            Next::Request(request) => {
                let _ = convert::request_parts(&request);
                answer(server, event);
            }
            Next::Head(_) => {
                if event.is_multiple_of(2) {
                    while let RequestPart::Data(data) = server.next_part(&mut batch) {
                        assert!(!data.chunk().is_empty());
                    }
                }
                answer(server, event);
            }
            Next::OutputFull | Next::Done => break,
        }
        server.check_invariants().expect("the ledger");
    }
    assert!(batch.frames() <= waiting);
    server.return_batch(batch, now);
}

fn answer(server: &mut Server, event: u8) {
    match event {
        7 => {}
        8 => {
            if let Ok(answer) = server.respond(200) {
                answer.finish().expect("it fits");
            }
        }
        9 => {
            if let Ok(mut answer) = server.respond(204) {
                answer.header("x", "y").expect("it fits");
                drop(answer);
            }
        }
        _ => {
            if server.respond(200).is_ok_and(|answer| answer.stream().is_ok()) && event == 10 {
                server.data(&[7; 5000]).expect("a stream");
                server.end([("x", "y")]).expect("a stream");
            }
        }
    }
}

/// Bytes that a transport takes of the output.
fn taken(pieces: &[IoSlice<'_>], most: usize) -> usize {
    pieces.iter().map(|piece| piece.len()).sum::<usize>().min(most * 64 + 64)
}

/// A client's connection: requests, whole and streamed, received pieces, cancellations, time, ends.
pub fn http_client(data: &[u8]) {
    let mut config = ClientConfig::default();
    config.stream_requests = true;
    config.max_in_flight = 4;
    config.frame.max_frame_len = 1 << 12;
    let mut now = Instant::now();
    let mut client = Client::new(config, now);
    let mut calls: Vec<CallId> = Vec::new();
    let mut events = Events(data);
    while let Some((event, piece)) = events.next() {
        match event {
            0..=2 => client.recv(piece, now),
            3 | 4 => client.recv(&response(piece), now),
            5 => calls.extend(client.request("GET", "/", now).and_then(|request| request.finish())),
            6 => calls.extend(client.request("POST", "/", now).and_then(|request| request.stream())),
            7 => {
                let _ = client.data(piece);
            }
            8 => {
                let _ = client.end([("x", "y")]);
            }
            9 => calls.iter().take(piece.len()).for_each(|call| client.cancel(*call)),
            10 | 11 => take_events(&mut client, now),
            12 | 13 => {
                let mut pieces = [IoSlice::new(&[]); 4];
                let filled = client.poll_transmit(&mut pieces, now);
                let sent = taken(&pieces[..filled], piece.len());
                client.transmitted(sent, now);
            }
            14 => {
                now += Duration::from_millis(1 << (piece.len() % 16));
                client.handle_timeout(now);
            }
            _ if piece.len().is_multiple_of(3) => client.recv_eof(now),
            _ if piece.len() % 3 == 1 => client.shutdown(now),
            _ => client.transport_failed(),
        }
        client.check_invariants().expect("the ledger");
        let _ = (client.wants_read(), client.poll_timeout(), client.is_idle(), client.lost().count());
    }
    client.transport_failed();
    take_events(&mut client, now);
    client.check_invariants().expect("the ledger");
    assert!(matches!(client.poll_close(), Close::Now(_)));
}

/// A whole answer, or the beginning of a streamed one, whose bit says that streamed requests are known.
fn response(body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let encoder = Encoder::frame(&mut wire);
    let writer =
        if body.len().is_multiple_of(3) { encoder.response_head(200, "") } else { encoder.response(200, "OK") };
    let mut writer = writer.expect("it fits");
    if !body.len().is_multiple_of(3) {
        writer.body(body).expect("it fits");
    }
    writer.finish().expect("it fits");
    wire[10] = 0x80;
    wire
}

fn take_events(client: &mut Client, now: Instant) {
    let mut batch = client.take_batch(now);
    while let Some(event) = client.next_event(&mut batch) {
        if let Event::Data(_, data) = event {
            assert!(!data.chunk().is_empty());
        }
        client.check_invariants().expect("the ledger");
    }
    client.return_batch(batch, now);
}
