//! What connections cost a server in memory: ten thousand that are idle, a thousand that announce the largest frame and
//! send nothing, and one whose largest frame has gone through. The server is a process of its own, whose heap is counted.
#![cfg(all(feature = "server", unix))]
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use bytes::Bytes;
use tokio::net::TcpListener;
use zap_http::proto::{Deframer, Encoder, FrameLimits, MAX_FRAME_LEN, Response};
use zap_http::{ServeConfig, serve};

/// Connections that do nothing.
const IDLE: usize = 10_000;
/// Connections that announce and do not send.
const ANNOUNCING: usize = 1_000;
/// Heap bytes that one connection may hold, idle or announcing: its task, its socket's registration, a timer.
const HELD: usize = 8 << 10;

/// Bytes of this process's heap in use.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is passed on to the system's allocator as it came; counting touches no allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are those `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The process that serves: it prints its address, and the bytes of its heap whenever it is sent a line.
#[test]
#[ignore = "the server's process, started by the tests"]
fn server_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut config = ServeConfig::default();
    config.max_connections = 20_000;
    config.connection.first_frame_timeout = Duration::from_secs(300);
    config.connection.progress_timeout = Duration::from_secs(300);
    config.connection.release_after = Duration::from_millis(50);
    std::thread::spawn(|| {
        // The tests closed their end, or ended: so does the server.
        for line in std::io::stdin().lines() {
            drop(line);
            println!("heap {}", IN_USE.load(Ordering::Relaxed));
        }
        std::process::exit(0);
    });
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("address {}", listener.local_addr().unwrap());
        let echo = Router::new().route("/echo", post(|body: Bytes| async { body })).layer(DefaultBodyLimit::disable());
        serve(listener, echo).config(config).await
    });
}

struct Server {
    process: Child,
    commands: ChildStdin,
    output: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "server_process", "--ignored", "--nocapture"]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let commands = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let address = word_after(&mut output, "address ").parse().unwrap();
        Self { process, commands, output, address }
    }

    fn heap(&mut self) -> usize {
        self.commands.write_all(b"\n").unwrap();
        word_after(&mut self.output, "heap ").parse().unwrap()
    }

    /// The heap, once it is not above `bound` any more: buffers are released a while after the last request.
    fn heap_below(&mut self, bound: usize) -> usize {
        let begun = Instant::now();
        loop {
            let heap = self.heap();
            if heap <= bound || begun.elapsed() > Duration::from_secs(20) {
                return heap;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What stands behind `name` in the next line that has it.
fn word_after(output: &mut impl BufRead, name: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the server is gone");
        if let Some((_, word)) = line.split_once(name) {
            return word.trim().to_owned();
        }
    }
}

fn echo(stream: &mut TcpStream, body: &[u8]) {
    let mut wire = Vec::new();
    let mut request = Encoder::frame(&mut wire).request("POST", "/echo").unwrap();
    request.body(body).unwrap();
    request.finish().unwrap();
    stream.write_all(&wire).unwrap();
    let mut deframer = Deframer::new(MAX_FRAME_LEN);
    let mut buffer = vec![0; 64 << 10];
    while deframer.frames() == 0 {
        let len = stream.read(&mut buffer).unwrap();
        assert_ne!(len, 0, "the server closed");
        deframer.recv(&buffer[..len]);
    }
    let mut batch = deframer.take_batch(Vec::new());
    let response = Response::decode(batch.next_frame().unwrap(), &FrameLimits::new()).unwrap();
    assert!(response.status() == 200 && response.body() == body);
}

/// Runs the test below in a process that may have many descriptors.
#[test]
fn idle_connections_cost_little() {
    let own = std::env::current_exe().unwrap();
    let script = format!("ulimit -n {} || exit 77; exec \"$0\" --exact ten_thousand --ignored --nocapture", IDLE + 200);
    let output = Command::new("sh").args(["-c", &script]).arg(own).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) {
        eprintln!("!!! SKIPPED: ten thousand connections need as many descriptors, which this machine does not allow");
        return;
    }
    println!("{text}");
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by the test above, with many descriptors"]
fn ten_thousand() {
    let mut server = Server::start();
    let before = server.heap();
    let mut streams: Vec<TcpStream> = Vec::with_capacity(IDLE);
    for _ in 0..IDLE {
        let mut stream = server.connect();
        echo(&mut stream, b"hello");
        streams.push(stream);
    }
    let held = server.heap_below(before + IDLE * HELD).saturating_sub(before) / IDLE;
    println!("{IDLE} idle connections: {held} bytes of heap each");
    assert!(held <= HELD, "{held} bytes");
    // They are alive.
    for stream in streams.iter_mut().step_by(1009) {
        echo(stream, b"still there");
    }
}

#[test]
fn an_announcement_buys_nothing() {
    let mut server = Server::start();
    let before = server.heap();
    let mut streams: Vec<TcpStream> = (0..ANNOUNCING).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(&MAX_FRAME_LEN.to_be_bytes()).unwrap();
    }
    // Answered after all of them were accepted, and read.
    echo(&mut server.connect(), b"and others are served");
    let held = server.heap().saturating_sub(before) / ANNOUNCING;
    println!("{ANNOUNCING} connections that announced {MAX_FRAME_LEN} bytes: {held} bytes of heap each");
    assert!(held <= HELD, "{held} bytes");
}

#[test]
fn a_large_frame_leaves_nothing_behind() {
    let mut server = Server::start();
    let mut stream = server.connect();
    echo(&mut stream, b"small");
    let before = server.heap();
    echo(&mut stream, &vec![7; MAX_FRAME_LEN as usize - 1000]);
    let held = server.heap_below(before + HELD).saturating_sub(before);
    println!("after a frame of {MAX_FRAME_LEN} bytes: {held} bytes of heap");
    assert!(held <= HELD, "{held} bytes");
    echo(&mut stream, b"still there");
}
