//! The command `zap-http`, run as a process: what it prints, and how it ends.
#![cfg(feature = "cli")]

mod commands;
mod gateways;
mod listening;

use std::io::{BufRead, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use bytes::Bytes;
use commands::{Folder, Server, command, run, run_with, text};
use gateways::{Channel, random, recorder, zap_server};
use http::{HeaderMap, Response};
use http_body::Frame;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use zap_http::proto::Encoder;

fn app() -> Router {
    Router::new()
        .route("/hello", get(|| async { ([("x-answer", "yes")], "hello") }))
        .route(
            "/echo",
            post(|headers: HeaderMap, body: Bytes| async move { ([("x-seen", headers["x-a"].clone())], body) }),
        )
        .route("/gone", get(|| async { (StatusCode::GONE, "it is gone") }))
}

#[tokio::test(flavor = "multi_thread")]
async fn get_and_post() {
    let url = format!("zap://{}", zap_server(app()).await);
    let hello = format!("{url}/hello");
    let output = run(&["get", &hello]).await;
    assert_eq!((output.status.code(), &output.stdout[..], &output.stderr[..]), (Some(0), &b"hello"[..], &b""[..]));

    let output = text(&run(&["get", "-i", &hello]).await.stdout);
    assert!(output.starts_with("HTTP/1.1 200 OK\n") && output.ends_with("\n\nhello"), "{output}");
    assert!(output.contains("\nx-answer: yes\n"), "{output}");

    let echo = format!("{url}/echo");
    let output = run(&["post", &echo, "-i", "-H", "X-A: 1", "-d", "-3.5"]).await;
    assert!(text(&output.stdout).contains("\nx-seen: 1\n") && output.stdout.ends_with(b"\n\n-3.5"), "{output:?}");

    // Any bytes, from a file and from standard input, and into a file.
    let (folder, body) = (Folder::new("post"), random(7, 300_000));
    let data = format!("@{}", folder.write("data", &body));
    assert_eq!(run(&["post", &echo, "-H", "x-a: 1", "-d", &data]).await.stdout, body);
    assert_eq!(run_with(&["post", &echo, "-H", "x-a: 1", "-d", "-"], &body).await.stdout, body);
    let file = folder.0.join("out");
    let output = run(&["post", &echo, "-H", "x-a: 1", "-d", &data, "-o", file.to_str().unwrap()]).await;
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert_eq!(std::fs::read(file).unwrap(), body);
}

#[tokio::test(flavor = "multi_thread")]
async fn how_calls_fail() {
    let url = format!("zap://{}", zap_server(app()).await);
    let down = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let down = format!("zap://{down}/");
    let gone = format!("{url}/gone");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["get", &gone], 0, ""),
        (&["get", "--fail", &gone], 22, "zap-http: the answer is 410 Gone\n"),
        (&["get", &down], 1, "zap-http: cannot connect to zap://"),
        (&["get", "--trace", &down], 1, "zap-http: cannot connect to zap://"),
        (&["get", "http://survey.example/"], 2, "zap-http: \"http://survey.example/\" leads to no server: "),
        (&["get", "/path"], 2, "zap-http: \"/path\" leads to no server: "),
        (&["get", &url, "-H", "no header"], 2, "zap-http: \"no header\" is no header"),
        (&["get", &url, "-H", "a b: c"], 2, "zap-http: \"a b: c\" is no header"),
        (&["post", &url, "-d", "@/no/such/file"], 1, "zap-http: cannot open /no/such/file: "),
        (&["get", &gone, "-o", "/no/such/file"], 1, "zap-http: cannot create /no/such/file: "),
        (&["get"], 2, "error: "),
        (&["fetch", &url], 2, "error: "),
        (&["serve", "--listen", "127.0.0.1:0"], 2, "error: "),
        (&["serve", "/no/such/folder", "--listen", "127.0.0.1:0"], 1, "zap-http: cannot serve /no/such/folder: "),
        (&["serve", "--echo", "--listen", "ftp://host"], 2, "zap-http: \"ftp://host\" is no address to listen on: "),
        (
            &["gateway", "--listen", "127.0.0.1:0", "--to", "https://host"],
            2,
            "zap-http: \"https://host\" is no upstream: ",
        ),
        (
            &["gateway", "--listen", "127.0.0.1:0", "--to", "http://host/path"],
            2,
            "zap-http: \"http://host/path\" is no upstream: ",
        ),
        (&["dump", "/no/such/file"], 1, "zap-http: cannot read /no/such/file: "),
    ];
    for (arguments, code, error) in cases {
        let output = run(arguments).await;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{arguments:?}: {told}");
        assert!(told.starts_with(error) && (error.is_empty() == told.is_empty()), "{arguments:?}: {told}");
        assert!(!error.starts_with("zap-http") || told.lines().count() == 1, "{arguments:?}: {told}");
    }
    // All causes, each once.
    let told = text(&run(&["get", &down]).await.stderr);
    assert_eq!(told.matches("refused").count(), 1, "{told}");
}

/// What has come is written before the end.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_is_written_as_it_comes() {
    let (sender, body) = Channel::open();
    let body = std::sync::Arc::new(std::sync::Mutex::new(Some(body)));
    let app = move || async move { Response::new(axum::body::Body::new(body.lock().unwrap().take().unwrap())) };
    let url = format!("zap://{}", zap_server(Router::new().fallback(app)).await);
    let mut child = command().args(["get", "-i", &url]).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    sender.send(Frame::data("first\n".into())).unwrap();
    let output = tokio::task::spawn_blocking(move || {
        let mut read = Vec::new();
        while !read.ends_with(b"first\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).unwrap();
            read.extend(byte);
        }
        output
    });
    let mut output = output.await.unwrap();
    sender.send(Frame::data("second\n".into())).unwrap();
    sender.send(Frame::trailers(HeaderMap::from_iter([("x-sum".parse().unwrap(), "7".parse().unwrap())]))).unwrap();
    drop(sender);
    let rest = tokio::task::spawn_blocking(move || {
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        (rest, child.wait().unwrap().code())
    });
    assert_eq!(rest.await.unwrap(), ("second\n\nx-sum: 7\n".to_owned(), Some(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_shows_the_frames() {
    let seen = recorder();
    let address = zap_server(seen.app()).await;
    let output = run(&["get", "--trace", &format!("zap://{address}/path?q=1")]).await;
    assert_eq!(output.stdout, b"seen");
    let trace = text(&output.stderr);
    let position = |part: &str| trace.find(part).unwrap_or_else(|| panic!("{part} in {trace}"));
    assert!(position("> request, ") < position("< response, "), "{trace}");
    for part in
        ["target    \"/path?q=1\"\n", &format!("\"host\": \"{address}\"\n"), "status    200\n", "body      \"seen\"\n"]
    {
        position(part);
    }
    // The relay is not seen by the server, also where the URL is a path.
    run(&["get", "--trace", "--to", &format!("zap://{address}"), "/path"]).await;
    for seen in seen.all() {
        assert_eq!(seen.headers["host"], address.to_string());
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn unix_sockets() {
    let path = listening::socket_path("cli");
    let target = format!("unix:{}", path.display());
    let server = Server::start(&["serve", "--echo", "--listen", &target], 1);
    assert_eq!(server.addresses[0], target);
    for arguments in
        [&["post", "--to", &target, "/any", "-d", "hello"][..], &["post", "--trace", &target, "-d", "hello"]]
    {
        let output = run(arguments).await;
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(0), &b"hello"[..]), "{output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_served() {
    let (folder, outside) = (Folder::new("site"), Folder::new("outside"));
    let large = random(3, 300_000);
    folder.write("index.html", b"<p>root");
    folder.write("sub/index.html", b"<p>sub");
    folder.write("sub/a b.json", b"{}");
    folder.write("large.bin", &large);
    folder.write(".secret", b"secret");
    folder.write(".git/config", b"secret");
    let secret = outside.write("secret.txt", b"secret");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.0.join("absolute.txt")).unwrap();
        let name = outside.0.file_name().unwrap();
        std::os::unix::fs::symlink(Path::new("..").join(name), folder.0.join("relative")).unwrap();
        std::os::unix::fs::symlink("sub/index.html", folder.0.join("inside.html")).unwrap();
    }
    let site = folder.0.to_str().unwrap();
    let server = Server::start(&["serve", site, "--listen", "127.0.0.1:0", "--listen", "http://127.0.0.1:0"], 2);
    let [zap, web] = &server.addresses[..] else { panic!() };
    assert!(zap.starts_with("zap://") && web.starts_with("http://"));

    let html = "text/html; charset=utf-8";
    let cases: &[(&str, &[u8], &str)] = &[
        ("/", b"<p>root", html),
        ("/index.html?q=1", b"<p>root", html),
        ("/sub/", b"<p>sub", html),
        ("/sub/a%20b.json", b"{}", "application/json"),
        ("/large.bin", &large, "application/octet-stream"),
        #[cfg(unix)]
        ("/inside.html", b"<p>sub", html),
    ];
    for (path, content, content_type) in cases {
        let url = format!("{zap}{path}");
        assert_eq!(run(&["get", "--fail", &url]).await.stdout, *content, "{path}");
        let output = run(&["get", "-i", &url]).await.stdout;
        let head = text(&output[..output.len() - content.len()]);
        assert!(head.contains(&format!("\ncontent-type: {content_type}\n")), "{path}: {head}");
    }
    let moved = text(&run(&["get", "-i", &format!("{zap}/sub")]).await.stdout);
    assert!(moved.starts_with("HTTP/1.1 308 ") && moved.contains("\nlocation: ./sub/\n"), "{moved}");
    let refused = text(&run(&["post", "-i", &format!("{zap}/")]).await.stdout);
    assert!(refused.starts_with("HTTP/1.1 405 ") && refused.contains("\nallow: GET, HEAD\n"), "{refused}");

    let secret_name = outside.0.file_name().unwrap().to_str().unwrap();
    let escapes = [
        "/.secret",
        "/.git/config",
        "/absolute.txt",
        "/relative/secret.txt",
        "/../secret.txt",
        "/missing",
        "/sub/missing/",
        "/large.bin/",
        "//etc/passwd",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
    ];
    let around = [format!("/../{secret_name}/secret.txt"), format!("/sub/%2e%2e/%2e%2e/{secret_name}/secret.txt")];
    let address = web.strip_prefix("http://").unwrap();
    for path in escapes.into_iter().chain(around.iter().map(String::as_str)) {
        // As bytes: a client may not send such a path.
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        listening::soon(stream.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404 ") && !answer.contains("secret"), "{path}: {answer}");
    }
}

/// A browser's side and a ZAP client's side, over both kinds of gateway, as processes.
#[tokio::test(flavor = "multi_thread")]
async fn gateways_both_ways() {
    let echo = Server::start(&["serve", "--echo", "--listen", "http://127.0.0.1:0"], 1);
    let inner = Server::start(&["gateway", "--listen", "zap://127.0.0.1:0", "--to", &echo.addresses[0]], 1);
    let mut front = Server::start(
        &["gateway", "--listen", "http://127.0.0.1:0", "--to", &inner.addresses[0], "--max-body", "300000"],
        1,
    );
    // ZAP to HTTP.
    let folder = Folder::new("gateways");
    let body = random(5, 300_000);
    let data = format!("@{}", folder.write("data", &body));
    assert_eq!(run(&["post", &inner.addresses[0], "-d", &data]).await.stdout, body);

    // HTTP to ZAP to HTTP, and too much.
    let address: std::net::SocketAddr = front.addresses[0].strip_prefix("http://").unwrap().parse().unwrap();
    for (len, status) in [(300_000, 200), (300_001, 413)] {
        let body = random(6, len);
        let request = http::Request::post("/").header("host", "a.example").body(Channel::whole(body.clone())).unwrap();
        let mut client = gateways::http_1(address).await;
        let answer = gateways::collected(listening::soon(client.send_request(request)).await.unwrap()).await;
        assert_eq!(answer.status, status);
        assert!(status != 200 || answer.body == body);
    }

    // The cause is told here, not to the client.
    drop(inner);
    let request = http::Request::get("/lost").header("host", "a.example").body(Channel::whole("")).unwrap();
    let mut client = gateways::http_1(address).await;
    let answer = gateways::collected(listening::soon(client.send_request(request)).await.unwrap()).await;
    assert_eq!((answer.status, &answer.body[..]), (502, &b"the upstream cannot be reached\n"[..]));
    let mut line = String::new();
    front.errors.read_line(&mut line).unwrap();
    assert!(line.starts_with("GET /lost: 502 the upstream cannot be reached: cannot connect to zap://"), "{line}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_server() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&["serve", "--echo", "--listen", "127.0.0.1:0"], 1);
        let kill = format!("kill -{signal} {}", server.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert_eq!(server.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_shows_frames() {
    let folder = Folder::new("dump");
    let (mut stream, mut bare) = (Vec::new(), Vec::new());
    let mut request = Encoder::frame(&mut stream).request("GET", "/a").unwrap();
    request.header("host", "a.example").unwrap();
    request.finish().unwrap();
    let second_at = stream.len();
    Encoder::frame(&mut stream).data(b"\x1b[31mtick\n").unwrap();
    Encoder::message(&mut bare).data(b"tick").unwrap();

    let output = run(&["dump", &folder.write("stream", &stream)]).await;
    let shown = text(&output.stdout);
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
    assert!(shown.starts_with("frame 1 at byte 0: request, "), "{shown}");
    assert!(shown.contains("header    \"host\": \"a.example\"\n"), "{shown}");
    assert!(shown.contains(&format!("\nframe 2 at byte {second_at}: data, ")), "{shown}");
    assert!(shown.contains("chunk     \"\\x1b[31mtick\\n\"\n") && !shown.contains('\x1b'), "{shown}");
    assert_eq!(run_with(&["dump", "-"], &stream).await.stdout, output.stdout);
    let output = run_with(&["dump", "-"], &bare).await;
    assert!(text(&output.stdout).starts_with("data, 28 bytes\n") && output.status.success(), "{output:?}");

    // What is wrong, and where.
    let mut broken = stream.clone();
    broken[4 + 16 + 8 + 3] = 0x7f;
    let cut = &stream[..stream.len() - 1];
    let too_long = [&stream[..], &[0xff; 4]].concat();
    for (input, told, shown) in [
        (&broken[..], "1 of 2 frames are broken", "  0018  error: a slot points outside the message\n".to_owned()),
        (cut, &*format!("the input ends inside the frame at byte {second_at}"), String::new()),
        (&stream[..2], "the input ends inside the length at byte 0", String::new()),
        (
            &too_long,
            &*format!("a frame of 4294967295 bytes is longer than allowed, at byte {}", stream.len()),
            String::new(),
        ),
        (&[0, 0, 0, 0], "a frame of length zero, at byte 0", String::new()),
        (&bare[..10], "1 of 1 frames are broken", "error: the frame is shorter than its message\n".to_owned()),
        (&[], "standard input is empty", String::new()),
    ] {
        let output = run_with(&["dump", "-"], input).await;
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(text(&output.stderr).ends_with(&format!("{told}\n")), "{told}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains(&shown), "{told}: {}", text(&output.stdout));
    }
}

#[tokio::test]
async fn help_teaches() {
    let help = |arguments: &'static [&'static str]| async move {
        let output = run(arguments).await;
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        text(&output.stdout)
    };
    let all = help(&["--help"]).await;
    for part in ["Examples:", "Exit codes:", "zap-http get zap://", "  22 "] {
        assert!(all.contains(part), "{part}: {all}");
    }
    for (arguments, part) in [
        (&["get", "--help"][..], "zap://host:port/path"),
        (&["post", "--help"], "standard input"),
        (&["serve", "--help"], "index.html"),
        (&["gateway", "--help"], "--max-body"),
        (&["dump", "--help"], "without its length"),
    ] {
        // Lines are broken to the width of the terminal.
        let words = help(arguments).await.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(part), "{arguments:?}: {words}");
    }
}
