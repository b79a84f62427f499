//! Streamed requests, the extension that both ends must know: what crosses, who is told, and what ends it.

use std::io::IoSlice;
use std::time::{Duration, Instant};

use bytes::Bytes;
use proptest::prelude::*;
use zap_http::proto::{
    Batch, Client, ClientConfig, Close, CloseReason, Deframer, Encoder, Event, Frame, FrameLimits, MAX_FRAME_LEN, Next,
    Request, RequestError, RequestPart, Server, ServerConfig,
};

fn server_config() -> ServerConfig {
    let mut config = ServerConfig::default();
    config.stream_requests = true;
    config
}

fn client_config() -> ClientConfig {
    let mut config = ClientConfig::default();
    config.stream_requests = true;
    config
}

/// Both ends, and the time.
struct Pair {
    client: Client,
    server: Server,
    now: Instant,
}

impl Pair {
    fn new(client: ClientConfig, server: ServerConfig) -> Self {
        let now = Instant::now();
        Self { client: Client::new(client, now), server: Server::new(server, now), now }
    }

    /// Ends that have agreed.
    fn agreed() -> Self {
        let mut pair = Self::new(client_config(), server_config());
        pair.exchange();
        assert!(pair.client.can_stream());
        pair
    }

    fn check(&self) {
        self.client.check_invariants().unwrap();
        self.server.check_invariants().unwrap();
    }

    /// All that the client has to say.
    fn said(&mut self) -> Vec<u8> {
        let mut said = Vec::new();
        loop {
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = self.client.poll_transmit(&mut pieces, self.now);
            let sent: Vec<u8> = pieces[..filled].iter().flat_map(|piece| piece.to_vec()).collect();
            if sent.is_empty() {
                return said;
            }
            self.client.transmitted(sent.len(), self.now);
            said.extend(sent);
        }
    }

    fn answered(&mut self) -> Vec<u8> {
        let mut answered = Vec::new();
        loop {
            let mut pieces = [IoSlice::new(&[]); 4];
            let filled = self.server.poll_transmit(&mut pieces, self.now);
            let sent: Vec<u8> = pieces[..filled].iter().flat_map(|piece| piece.to_vec()).collect();
            if sent.is_empty() {
                return answered;
            }
            self.server.transmitted(sent.len(), self.now);
            answered.extend(sent);
        }
    }

    fn up(&mut self) {
        let said = self.said();
        self.server.recv(&said, self.now);
        self.check();
    }

    /// Brings the answers over, and gives the statuses of whole ones.
    fn down(&mut self) -> Vec<u16> {
        let answered = self.answered();
        self.client.recv(&answered, self.now);
        let mut statuses = Vec::new();
        let mut batch = self.client.take_batch(self.now);
        while let Some(event) = self.client.next_event(&mut batch) {
            if let Event::Response(_, response) = event {
                statuses.push(response.status());
            }
        }
        self.client.return_batch(batch, self.now);
        self.check();
        statuses
    }

    /// One whole request and its answer.
    fn exchange(&mut self) {
        self.client.request("OPTIONS", "*", self.now).unwrap().finish().unwrap();
        self.up();
        let mut batch = self.server.take_batch(self.now);
        assert!(matches!(self.server.next_request(&mut batch), Next::Request(_)));
        self.server.respond(204).unwrap().finish().unwrap();
        self.server.return_batch(batch, self.now);
        assert_eq!(self.down(), [204]);
    }

    /// Begins a streamed request, and its service.
    fn begin(&mut self) -> Batch {
        let mut request = self.client.request("POST", "/upload", self.now).unwrap();
        request.header("x-kind", "stream").unwrap();
        request.stream().unwrap();
        self.up();
        let mut batch = self.server.take_batch(self.now);
        let Next::Head(head) = self.server.next_request(&mut batch) else { panic!("no head") };
        assert_eq!((head.method(), head.target()), (&b"POST"[..], &b"/upload"[..]));
        assert_eq!(head.headers().get("x-kind"), Some(&b"stream"[..]));
        batch
    }

    /// The parts that have come.
    fn parts(&mut self, mut batch: Batch) -> Parts {
        let mut parts = Parts::default();
        loop {
            match self.server.next_part(&mut batch) {
                RequestPart::Data(data) => parts.data.extend_from_slice(data.chunk()),
                RequestPart::End(end) => {
                    parts.trailers =
                        Some(end.trailers().iter().map(|(name, value)| (name.into(), value.into())).collect());
                    break;
                }
                RequestPart::Pending => break,
                RequestPart::Cut => {
                    parts.cut = true;
                    break;
                }
            }
        }
        self.server.return_batch(batch, self.now);
        self.check();
        parts
    }

    fn more(&mut self) -> Parts {
        let batch = self.server.take_batch(self.now);
        self.parts(batch)
    }
}

#[derive(Debug, Default, PartialEq)]
struct Parts {
    data: Vec<u8>,
    trailers: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    cut: bool,
}

#[test]
fn a_request_is_streamed_and_answered() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    assert_eq!(pair.parts(batch), Parts::default());
    pair.client.data(b"one ").unwrap();
    pair.client.data(b"").unwrap();
    pair.client.data_shared(Bytes::from(vec![7; 200_000])).unwrap();
    pair.up();
    let parts = pair.more();
    assert_eq!((parts.data.len(), parts.trailers), (200_004, None));
    assert!(pair.server.is_receiving() && pair.server.is_answering());
    pair.client.end([("x-sum", "9f")]).unwrap();
    pair.up();
    let parts = pair.more();
    assert_eq!(parts.trailers, Some(vec![(b"x-sum".to_vec(), b"9f".to_vec())]));
    pair.server.respond(201).unwrap().finish().unwrap();
    assert_eq!(pair.down(), [201]);
    assert!(pair.client.is_idle() && pair.server.is_idle());
    // The connection goes on, with whole and with streamed requests.
    pair.exchange();
    let batch = pair.begin();
    assert_eq!(pair.parts(batch), Parts::default());
}

/// A server may answer, also with a stream, while the request goes on.
#[test]
fn both_directions_at_once() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    pair.server.respond(200).unwrap().stream().unwrap();
    for step in 0..3_u8 {
        pair.client.data(&[step]).unwrap();
        pair.up();
        let parts = pair.more();
        assert_eq!(parts.data, [step]);
        pair.server.data(&parts.data).unwrap();
        pair.down();
    }
    pair.client.end([("a", "b")]).unwrap();
    pair.up();
    assert!(pair.more().trailers.is_some());
    pair.server.end([("c", "d")]).unwrap();
    pair.down();
    assert!(pair.client.is_idle() && pair.server.is_idle());
}

#[test]
fn nobody_is_sent_what_they_do_not_know() {
    // One end only, or neither: whole requests.
    for (client, server) in [
        (client_config(), ServerConfig::default()),
        (ClientConfig::default(), server_config()),
        (ClientConfig::default(), ServerConfig::default()),
    ] {
        let mut pair = Pair::new(client, server);
        for _ in 0..2 {
            assert!(!pair.client.can_stream());
            let request = pair.client.request("POST", "/", pair.now).unwrap();
            assert_eq!(request.stream(), Err(RequestError::WholeOnly));
            pair.exchange();
        }
    }
    // Not before the first answer.
    let mut pair = Pair::new(client_config(), server_config());
    assert_eq!(pair.client.request("POST", "/", pair.now).unwrap().stream(), Err(RequestError::WholeOnly));
    assert!(pair.said().is_empty());
}

/// Without the extension no byte differs from the public wire.
#[test]
fn off_is_the_public_wire() {
    let mut pair = Pair::new(ClientConfig::default(), server_config());
    pair.client.request("GET", "/", pair.now).unwrap().finish().unwrap();
    let said = pair.said();
    let mut public = Vec::new();
    Encoder::frame(&mut public).request("GET", "/").unwrap().finish().unwrap();
    assert_eq!(said, public);
    pair.server.recv(&said, pair.now);
    let mut batch = pair.server.take_batch(pair.now);
    assert!(matches!(pair.server.next_request(&mut batch), Next::Request(_)));
    pair.server.respond(200).unwrap().finish().unwrap();
    let mut public = Vec::new();
    Encoder::frame(&mut public).response(200, "OK").unwrap().finish().unwrap();
    assert_eq!(pair.answered(), public);
}

/// A proxy that reads whole requests and writes them anew, as the public one does.
#[test]
fn a_proxy_that_encodes_anew_is_never_streamed_through() {
    let mut pair = Pair::new(client_config(), server_config());
    for _ in 0..3 {
        pair.client.request("GET", "/", pair.now).unwrap().finish().unwrap();
        let mut deframer = Deframer::new(MAX_FRAME_LEN);
        deframer.recv(&pair.said());
        let mut frames = deframer.take_batch(Vec::new());
        let request = Request::decode(frames.next_frame().unwrap(), &FrameLimits::new()).unwrap();
        let mut anew = Vec::new();
        Encoder::frame(&mut anew).request(request.method(), request.target()).unwrap().finish().unwrap();
        pair.server.recv(&anew, pair.now);
        let mut batch = pair.server.take_batch(pair.now);
        assert!(matches!(pair.server.next_request(&mut batch), Next::Request(_)));
        pair.server.respond(200).unwrap().finish().unwrap();
        pair.server.return_batch(batch, pair.now);
        assert_eq!(pair.down(), [200]);
        assert!(!pair.client.can_stream());
    }
}

/// A head that nobody allowed is a frame of an unknown type.
#[test]
fn a_head_without_permission_is_refused() {
    let mut streamed = Pair::agreed();
    streamed.client.request("POST", "/", streamed.now).unwrap().stream().unwrap();
    let head = streamed.said();
    for config in [server_config(), ServerConfig::default()] {
        let mut server = Server::new(config, streamed.now);
        server.recv(&head, streamed.now);
        let mut batch = server.take_batch(streamed.now);
        assert_eq!(server.next_request(&mut batch), Next::Done);
        assert_eq!(server.counts().refused, 1);
    }
    let frame = &head[4..];
    assert!(Frame::decode(frame, &FrameLimits::new()).is_err());
}

#[test]
fn other_frames_do_not_come_between() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    assert!(matches!(pair.client.request("GET", "/", pair.now).err(), Some(RequestError::Busy)));
    let mut wrong = Vec::new();
    Encoder::frame(&mut wrong).request("GET", "/smuggled").unwrap().finish().unwrap();
    pair.server.recv(&wrong, pair.now);
    assert_eq!(pair.more(), Parts { cut: true, ..Parts::default() });
    assert_eq!(pair.down(), [400]);
    assert!(!pair.server.is_answering());
}

#[test]
fn empty_frames_are_bounded() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    let mut empty = Vec::new();
    Encoder::frame(&mut empty).data(b"").unwrap();
    pair.server.recv(&empty.repeat(100), pair.now);
    assert_eq!(pair.more(), Parts::default());
    pair.server.recv(&empty, pair.now);
    assert!(pair.more().cut);
    assert_eq!(pair.down(), [400]);
}

#[test]
fn the_end_of_the_stream_cuts_the_body() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    pair.client.data(b"half").unwrap();
    pair.up();
    pair.server.recv_eof(pair.now);
    assert_eq!(pair.more().data, b"half");
    assert!(pair.more().cut);
    // It can still be answered.
    pair.server.respond(400).unwrap().finish().unwrap();
    pair.check();
    assert_eq!(pair.server.poll_close(), Close::Open);
    pair.answered();
    assert_eq!(pair.server.poll_close(), Close::Now(CloseReason::PeerClosedEarly));
}

/// An answer before the request's end: the client stops, the server drops what is under way.
#[test]
fn an_early_answer_ends_the_request() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    pair.server.respond(413).unwrap().finish().unwrap();
    pair.client.data(&[7; 100_000]).unwrap();
    pair.up();
    let mut batch = pair.server.take_batch(pair.now);
    assert_eq!(pair.server.next_request(&mut batch), Next::Done);
    pair.server.return_batch(batch, pair.now);
    pair.check();
    assert_eq!(pair.down(), [413]);
    assert_eq!(pair.client.data(b"more"), Err(RequestError::Closed));
    assert_eq!(pair.client.poll_close(), Close::Now(CloseReason::StreamAbandoned));
    // What goes on all the same is dropped up to a limit.
    let mut more = Vec::new();
    Encoder::frame(&mut more).data(&[7; 60_000]).unwrap();
    for _ in 0..4 {
        pair.server.recv(&more, pair.now);
        let mut batch = pair.server.take_batch(pair.now);
        assert_eq!(pair.server.next_request(&mut batch), Next::Done);
        pair.server.return_batch(batch, pair.now);
        pair.check();
    }
    assert_ne!(pair.server.poll_close(), Close::Open);
}

#[test]
fn a_cancelled_upload_ends_the_connection() {
    let mut pair = Pair::agreed();
    let request = pair.client.request("PUT", "/", pair.now).unwrap();
    let call = request.stream().unwrap();
    let lost: Vec<_> = pair.client.lost().collect();
    assert!(lost[0].may_retry());
    pair.said();
    pair.client.cancel(call);
    assert_eq!(pair.client.poll_close(), Close::Now(CloseReason::StreamAbandoned));
    // Though PUT is idempotent: the body may be gone.
    assert!(pair.client.lost().all(|lost| !lost.may_retry()));
}

/// A frame longer than what is read ahead comes all the same while its handler waits for it.
#[test]
fn long_frames_do_not_stall() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    let mut long = Vec::new();
    Encoder::frame(&mut long).data(&vec![7; 1 << 20]).unwrap();
    for piece in long.chunks(16 << 10) {
        assert!(pair.server.wants_read());
        pair.server.recv(piece, pair.now);
    }
    // But not while it does not look.
    for _ in 0..10 {
        if pair.server.wants_read() {
            pair.server.recv(&long[..16 << 10], pair.now);
        }
    }
    assert!(!pair.server.wants_read());
    assert_eq!(pair.more().data.len(), 1 << 20);
}

#[test]
fn a_body_must_go_on() {
    let mut config = server_config();
    config.stream_timeout = Some(Duration::from_secs(3));
    let mut pair = Pair::new(client_config(), config);
    pair.exchange();
    let batch = pair.begin();
    pair.parts(batch);
    assert_eq!(pair.server.poll_timeout(), Some(pair.now + Duration::from_secs(3)));
    pair.now += Duration::from_secs(3);
    pair.server.handle_timeout(pair.now);
    assert_eq!(pair.server.poll_close(), Close::Now(CloseReason::ProgressTimeout));
    pair.check();
}

/// Who is asked to stop still takes the body of the request being served, and answers it.
#[test]
fn shutdown_waits_for_the_body() {
    let mut pair = Pair::agreed();
    let batch = pair.begin();
    pair.parts(batch);
    pair.server.shutdown(None, pair.now);
    assert!(pair.server.wants_read());
    pair.client.data(b"late").unwrap();
    pair.client.end([("a", "b")]).unwrap();
    pair.up();
    let parts = pair.more();
    assert!(parts.data == b"late" && parts.trailers.is_some());
    pair.server.respond(200).unwrap().finish().unwrap();
    assert_eq!(pair.down(), [200]);
    assert!(!pair.server.wants_read() || pair.server.poll_close() == Close::ShutWrite);
}

proptest! {
    /// Bodies in any pieces, over any cuts of the stream, arrive as they were.
    #[test]
    fn any_pieces_any_cuts(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..20),
        cuts in prop::collection::vec(1_usize..200, 1..50),
        trailer in prop::option::of("[a-z]{1,8}"),
    ) {
        let mut pair = Pair::agreed();
        let mut request = pair.client.request("PUT", "/any", pair.now).unwrap();
        request.header("x", "y").unwrap();
        request.stream().unwrap();
        for piece in &pieces {
            pair.client.data(piece).unwrap();
        }
        pair.client.end(trailer.iter().map(|value| ("x-end", value))).unwrap();
        let said = pair.said();

        let (mut rest, mut cuts) = (&said[..], cuts.iter().cycle());
        let mut body = Vec::new();
        let (mut begun, mut ended) = (false, None);
        while !rest.is_empty() {
            let (piece, later) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            rest = later;
            pair.server.recv(piece, pair.now);
            let mut batch = pair.server.take_batch(pair.now);
            if !begun {
                begun = matches!(pair.server.next_request(&mut batch), Next::Head(_));
            }
            if begun && ended.is_none() {
                let parts = pair.parts(batch);
                prop_assert!(!parts.cut);
                body.extend(parts.data);
                ended = parts.trailers;
            } else {
                pair.server.return_batch(batch, pair.now);
            }
            pair.check();
        }
        prop_assert_eq!(body, pieces.concat());
        let trailers: Vec<_> = trailer.iter().map(|value| (b"x-end".to_vec(), value.clone().into_bytes())).collect();
        prop_assert_eq!(ended, Some(trailers));
        pair.server.respond(200).unwrap().finish().unwrap();
        prop_assert_eq!(pair.down(), vec![200]);
        prop_assert!(pair.client.is_idle() && pair.server.is_idle());
    }
}
