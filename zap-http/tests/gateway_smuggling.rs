//! No request hides in another: what two servers could read differently is refused, or reaches the upstream as exactly
//! what the gateway read. Every case is bytes on a socket, followed by a sentinel request.
#![cfg(feature = "gateway")]

mod gateways;
mod listening;

use gateways::{Channel, Recorder, collected, http_2, http_server, read_until, recorder, to_zap, zap_server};
use listening::{answer, soon};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zap_http::gateway;
use zap_http::proto::Encoder;

const LAST: &str = "GET /last HTTP/1.1\r\nhost: a.example\r\nconnection: close\r\n\r\n";

/// Sends bytes and the sentinel over HTTP/1.1: the statuses of all answers, until the gateway closes.
async fn statuses(front: std::net::SocketAddr, request: &[u8]) -> Vec<u16> {
    let mut stream = TcpStream::connect(front).await.unwrap();
    // The gateway may have closed already.
    let _ = stream.write_all(&[request, LAST.as_bytes()].concat()).await;
    let mut answers = Vec::new();
    let _ = soon(stream.read_to_end(&mut answers)).await;
    let text = String::from_utf8_lossy(&answers);
    text.split("HTTP/1.1 ").skip(1).map(|answer| answer[..3].parse().unwrap()).collect()
}

async fn recorded() -> (Recorder, std::net::SocketAddr) {
    let seen = recorder();
    let front = http_server(to_zap(zap_server(seen.app()).await)).await;
    (seen, front)
}

#[tokio::test]
async fn ambiguous_requests_over_http_are_refused() {
    let (seen, front) = recorded().await;
    let inner = "GET /inner HTTP/1.1\r\nhost: a.example\r\n\r\n";
    let cases: &[(&str, String)] = &[
        (
            "two lengths",
            format!(
                "POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\ncontent-length: {}\r\n\r\n{inner}",
                inner.len()
            ),
        ),
        ("a list of lengths", "POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 1, 2\r\n\r\nxy".into()),
        ("a length with a sign", "POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: +2\r\n\r\nxy".into()),
        (
            "a coding that is not chunked",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "a coding before chunked",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        (
            "two codings",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
                .into(),
        ),
        ("chunked twice", "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n".into()),
        (
            "chunked in two fields",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"
                .into(),
        ),
        (
            "a chunk's length that is none",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0x1\r\nx\r\n0\r\n\r\n".into(),
        ),
        ("a folded header", "GET /a HTTP/1.1\r\nhost: a\r\nx: 1\r\n folded: 2\r\n\r\n".into()),
        (
            "space before the colon",
            "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding : chunked\r\n\r\n0\r\n\r\n".into(),
        ),
        ("a control character in a name", "GET /a HTTP/1.1\r\nhost: a\r\nx\x01y: 1\r\n\r\n".into()),
        ("a zero byte in a value", "GET /a HTTP/1.1\r\nhost: a\r\nx: 1\x002\r\n\r\n".into()),
        (
            "a carriage return in a value",
            "GET /a HTTP/1.1\r\nhost: a\r\nx: 1\rtransfer-encoding: chunked\r\n\r\n".into(),
        ),
        ("two hosts", "GET /a HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n".into()),
        ("a host that is none", "GET /a HTTP/1.1\r\nhost: a b\r\n\r\n".into()),
        ("a host with a path", "GET /a HTTP/1.1\r\nhost: a/b\r\n\r\n".into()),
        ("a host with user info", "GET /a HTTP/1.1\r\nhost: me@a\r\n\r\n".into()),
        ("an absolute target of another host", "GET http://b.example/a HTTP/1.1\r\nhost: a.example\r\n\r\n".into()),
        ("an absolute target with user info", "GET http://me@a/a HTTP/1.1\r\nhost: a\r\n\r\n".into()),
        ("a tunnel", "CONNECT a:80 HTTP/1.1\r\nhost: a:80\r\n\r\n".into()),
        ("an asterisk that is not for OPTIONS", "GET * HTTP/1.1\r\nhost: a\r\n\r\n".into()),
    ];
    for (name, bytes) in cases {
        let statuses = statuses(front, bytes.as_bytes()).await;
        assert!(matches!(statuses.first(), Some(400 | 501)), "{name}: {statuses:?}");
        assert!(*name != "a tunnel" || statuses.first() == Some(&501), "{statuses:?}");
        let targets: Vec<_> = seen.all().into_iter().map(|seen| seen.target).collect();
        // After a refusal that left no doubt about the end, the connection may go on.
        assert!(targets.is_empty() || targets == ["/last"], "{name}: {targets:?}");
    }
}

/// The chunks are what counts, the length does not pass, and nothing that follows is read.
#[tokio::test]
async fn a_length_beside_chunks_is_no_way_in() {
    let (seen, front) = recorded().await;
    for fields in ["content-length: 3\r\ntransfer-encoding: chunked", "transfer-encoding: chunked\r\ncontent-length: 3"]
    {
        let request = format!("POST /a HTTP/1.1\r\nhost: a\r\n{fields}\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
        assert_eq!(statuses(front, request.as_bytes()).await, [200]);
        let seen = seen.only();
        assert_eq!((&seen.target[..], &seen.body[..]), ("/a", &b"hello"[..]));
        assert!(!seen.headers.contains_key("content-length") && !seen.headers.contains_key("transfer-encoding"));
    }
}

#[tokio::test]
async fn what_is_about_one_connection_stays_there() {
    let (seen, front) = recorded().await;
    let request = "POST http://a.example?q=1 HTTP/1.1\r\nhost: a.example\r\nconnection: X-Secret, te, host, x-forwarded-for\r\n\
                   connection: upgrade\r\nx-secret: 1\r\nX-SECRET: 2\r\nte: trailers\r\nupgrade: h2c\r\nhttp2-settings: x\r\n\
                   keep-alive: 5\r\nproxy-connection: keep-alive\r\ntrailer: x-sum\r\nexpect: 100-continue\r\nx-kept: 3\r\n\
                   transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx-sum: 7\r\ncontent-length: 9\r\nhost: evil\r\n\r\n";
    let statuses = statuses(front, request.as_bytes()).await;
    assert_eq!(statuses.into_iter().filter(|status| *status != 100).collect::<Vec<_>>(), [200, 200]);
    let all = seen.all();
    assert_eq!(all.iter().map(|seen| &seen.target[..]).collect::<Vec<_>>(), ["/?q=1", "/last"]);
    let one = &all[0];
    let mut names: Vec<_> = one.headers.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    let expected =
        "forwarded,host,http2-settings,te,trailer,via,x-forwarded-for,x-forwarded-host,x-forwarded-proto,x-kept";
    assert_eq!(names, expected.split(',').collect::<Vec<_>>());
    assert_eq!(
        (&one.body[..], &one.headers["te"], &one.headers["host"]),
        (&b"hello"[..], &"trailers".parse().unwrap(), &"a.example".parse().unwrap())
    );
    let trailers: Vec<_> = one.trailers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(trailers, [("x-sum", "7")]);
}

/// Frames with text of HTTP/1.1 in them, towards an HTTP/1.1 server: it is asked once, and reads what was meant.
#[tokio::test]
async fn no_frame_becomes_two_requests() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let zap = zap_server(gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap()).await;
    let body = b"GET /inner HTTP/1.1\r\nhost: a\r\n\r\n";
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request("POST", "/a").unwrap();
    for (name, value) in [
        ("Host", "b.example"),
        ("Host", "a.example"),
        ("Content-Length", "0"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close, X-Secret"),
        ("X-Secret", "1"),
        ("Upgrade", "websocket"),
        ("Trailer", "x-sum"),
    ] {
        request.header(name, value).unwrap();
    }
    request.body(body).unwrap();
    request.finish().unwrap();
    let mut stream = TcpStream::connect(zap).await.unwrap();
    stream.write_all(&wire).await.unwrap();
    let (mut peer, _) = soon(upstream.accept()).await.unwrap();
    let head = read_until(&mut peer, "\r\n\r\n").await.to_lowercase();
    let (line, fields) = head.split_once("\r\n").unwrap();
    assert_eq!(line, "post /a http/1.1");
    let of = |name: &str| fields.lines().filter(|line| line.starts_with(&format!("{name}:"))).collect::<Vec<_>>();
    assert_eq!(of("content-length"), [format!("content-length: {}", body.len())]);
    assert_eq!(of("host"), ["host: a.example"]);
    for name in ["transfer-encoding", "connection", "x-secret", "upgrade", "trailer"] {
        assert!(of(name).is_empty(), "{name} in {head}");
    }
    let mut received = vec![0; body.len()];
    soon(peer.read_exact(&mut received)).await.unwrap();
    assert_eq!(received, body);
    peer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
    assert_eq!(answer(&mut stream).await, Some((200, b"ok".to_vec())));
}

#[tokio::test]
async fn frames_that_no_http_request_can_hold_are_refused() {
    let seen = recorder();
    let upstream = http_server(seen.app()).await;
    let zap = zap_server(gateway::to_http(upstream.to_string()).unwrap()).await;
    // Placeholders that the encoder takes, and the same number of bytes that it does not.
    let cases: &[(&str, &str)] = &[
        ("/aaaaaaaaaaaaaaaa", "/a HTTP/1.1\r\nx: y"),
        ("/bb", "/b\n"),
        ("x-nameeee", "x: 1\r\ny:1"),
        ("value--value", "1\r\nx-evil: 1"),
        ("GETTT", "GET /"),
        ("/frag-1", "/frag#1"),
        ("http://evil.example/", "http://me@evil.com/x"),
    ];
    for (sound, evil) in cases {
        let mut wire = Vec::new();
        let mut request =
            Encoder::frame(&mut wire).request("GETTT", if sound.contains('/') { sound } else { "/" }).unwrap();
        request.header("host", "a.example").unwrap().header("x-nameeee", "value--value").unwrap();
        request.finish().unwrap();
        let evil = evil.as_bytes();
        assert_eq!(evil.len(), sound.len());
        let at = wire.windows(sound.len()).position(|window| window == sound.as_bytes()).unwrap();
        wire[at..at + sound.len()].copy_from_slice(evil);
        let mut stream = TcpStream::connect(zap).await.unwrap();
        stream.write_all(&wire).await.unwrap();
        assert_eq!(answer(&mut stream).await.map(|answer| answer.0), Some(400), "{}", evil.escape_ascii());
        assert_eq!(seen.all().len(), 0, "{}", evil.escape_ascii());
    }
}

/// Answers that an HTTP/1.1 server could mean to be two, or that are none.
#[tokio::test]
async fn hostile_answers_of_http_servers() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gateway = gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap();
    // Over ZAP, and without anything between that would stop what the gateway lets through.
    let fronts = [http_server(to_zap(zap_server(gateway.clone()).await)).await, http_server(gateway).await];
    let second = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil";
    let cases: &[(&str, u16, String)] = &[
        ("a folded header", 502, "HTTP/1.1 200 OK\r\nx: 1\r\n folded: 2\r\ncontent-length: 0\r\n\r\n".into()),
        ("two lengths", 502, format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: {}\r\n\r\n{second}", second.len())),
        ("a control character in a name", 502, "HTTP/1.1 200 OK\r\nx\x01y: 1\r\ncontent-length: 0\r\n\r\n".into()),
        ("a zero byte in a value", 502, "HTTP/1.1 200 OK\r\nx: 1\x002\r\ncontent-length: 0\r\n\r\n".into()),
        ("another protocol", 502, "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n".into()),
        ("no HTTP", 502, "220 ready\r\n\r\n".into()),
        ("a head without end", 502, format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 0\r\n\r\n", "y".repeat(200_000))),
        ("two answers", 200, format!("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n{second}")),
        ("a body after 204", 204, format!("HTTP/1.1 204 No Content\r\n\r\n{second}")),
        ("what is about its connection", 200, "HTTP/1.1 200 OK\r\nconnection: x-secret, close\r\nx-secret: 1\r\nkeep-alive: 5\r\ncontent-length: 0\r\n\r\n".into()),
    ];
    for ((name, status, bytes), front) in cases.iter().flat_map(|case| fronts.map(|front| (case, front))) {
        let mut stream = TcpStream::connect(front).await.unwrap();
        stream.write_all(LAST.as_bytes()).await.unwrap();
        let (mut peer, _) = soon(upstream.accept()).await.unwrap();
        read_until(&mut peer, "\r\n\r\n").await;
        // It may be cut off.
        let _ = peer.write_all(bytes.as_bytes()).await;
        let mut answer = Vec::new();
        soon(stream.read_to_end(&mut answer)).await.unwrap();
        let text = String::from_utf8_lossy(&answer).to_lowercase();
        assert!(text.starts_with(&format!("http/1.1 {status} ")), "{name}: {text}");
        assert_eq!(text.matches("http/1.1").count(), 1, "{name}: {text}");
        for leak in ["evil", "x-secret", "keep-alive", "folded"] {
            assert!(!text.contains(leak), "{name}: {text}");
        }
        drop(peer);
    }
}

/// What only headers may have is no trailer, also where ZAP is not on the way.
#[tokio::test]
async fn hostile_trailers_of_http_servers() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let front = http_server(gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap()).await;
    let mut client = http_2(front).await;
    let request = http::Request::get("http://a.example/").body(Channel::whole("")).unwrap();
    let call = tokio::spawn(async move { client.send_request(request).await });
    let (mut peer, _) = soon(upstream.accept()).await.unwrap();
    read_until(&mut peer, "\r\n\r\n").await;
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n";
    peer.write_all(format!("{head}x-sum: 7\r\nset-cookie: a=b\r\nhost: evil\r\n\r\n").as_bytes()).await.unwrap();
    let answer = collected(soon(call).await.unwrap().unwrap()).await;
    let trailers: Vec<_> =
        answer.trailers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!((&answer.body[..], &trailers[..]), (&b"ok"[..], &[("x-sum", "7")][..]));
}

/// Below a server that passes both on.
#[tokio::test]
async fn a_length_beside_chunks_is_refused_where_it_is_seen() {
    let mut gateway = to_zap(zap_server(recorder().app()).await);
    for (fields, status) in [(["content-length", "x"], 400), (["y", "x"], 200)] {
        let request = http::Request::post("/").header("transfer-encoding", "chunked").header(fields[0], "2");
        let request = request.header(fields[1], "2").body(Channel::whole("ok")).unwrap();
        let response = soon(tower_service::Service::call(&mut gateway, request)).await.unwrap();
        assert_eq!(response.status(), status, "{fields:?}");
    }
}

/// Over ZAP, too.
#[tokio::test]
async fn tunnels_are_refused() {
    let upstream = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let zap = zap_server(gateway::to_http(upstream.local_addr().unwrap().to_string()).unwrap()).await;
    let mut stream = TcpStream::connect(zap).await.unwrap();
    stream.write_all(&listening::frame("CONNECT", "a.example:80", b"")).await.unwrap();
    assert_eq!(answer(&mut stream).await.map(|answer| answer.0), Some(501));
}
