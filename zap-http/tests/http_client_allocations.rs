//! What a call on a warm connection allocates, counted.
#![cfg(feature = "client")]
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpListener;

use tower_service::Service;
use zap_http::proto::Encoder;
use zap_http::{Body, Client};

thread_local! {
    /// Allocations of this thread: the server has one of its own.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    let _ = COUNT.try_with(|cell| cell.set(cell.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator as it came; counting touches no allocated memory and
// allocates nothing, since the cell is constant-initialised and has no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are those `System` asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A server in a thread of its own that answers every request, one read each, with the same small answer.
fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("zap://{}", listener.local_addr().unwrap());
    let mut answer = Vec::new();
    let mut response = Encoder::frame(&mut answer).response(200, "OK").unwrap();
    response.header("content-type", "text/plain").unwrap().body(b"hello").unwrap();
    response.finish().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 10_000];
        while stream.read(&mut buffer).is_ok_and(|len| len > 0) {
            stream.write_all(&answer).unwrap();
        }
    });
    target
}

/// A small request and its whole answer, client and connection counted together, the request itself not.
#[test]
fn a_warm_connection() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let target = start();
    runtime.block_on(async {
        let mut client = Client::to(target).unwrap();
        let mut counts = [0; 12];
        for count in &mut counts {
            let request = http::Request::get("/health").header("accept", "*/*").body(Body::empty()).unwrap();
            let before = COUNT.get();
            let response = client.call(request).await.unwrap();
            assert_eq!(response.status(), 200);
            drop(response);
            *count = COUNT.get() - before;
        }
        assert_eq!(counts[6..], [CALL; 6], "{counts:?}");
    });
}

/// What [`a_warm_connection`] may take; it may only become less.
const CALL: usize = 6;
