//! The floor: a tokio server that knows its answers, and looks at nothing but the lengths of requests.
//!
//! One read, then one write with the answers to all complete blocks of that read. What a real server costs above this is its
//! own doing; below it lie tokio and the kernel. The first request of a connection says which answer is meant.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;
use zap_http::proto::{Encoder, FrameLimits, Request};

use super::app::{BYTES_TYPE, JSON_TYPE, TEXT_TYPE};
use super::case::Case;

/// Bytes that one read takes at most, as zap-http's.
const READ_LEN: usize = 16 << 10;

/// Answers longer than this are written where they lie.
const COPIED_LEN: usize = 16 << 10;

/// Requests seen so far, and their answers.
type Known = Rc<RefCell<Vec<(Vec<u8>, Rc<[u8]>)>>>;

/// Answers every block of a request's length with the bytes that `zap-native` answers.
pub(super) async fn serve(listener: TcpListener) -> Result<(), String> {
    let known = Known::default();
    let tasks = LocalSet::new();
    let accept = async {
        loop {
            let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
            tokio::task::spawn_local(connection(stream, Rc::clone(&known)));
        }
    };
    tasks.run_until(accept).await
}

/// The answer to a request, on the wire.
fn answer(request: &[u8]) -> Option<Vec<u8>> {
    let request = Request::decode(request, &FrameLimits::new()).ok()?;
    let case = Case::of(str::from_utf8(request.target()).ok()?, request.body().len())?;
    let readings = [
        ("content-type", JSON_TYPE),
        ("cache-control", "no-store"),
        ("x-request-id", "7d0b4c9e-52a1-4e0f-9b36-1f8e2c7a6d35"),
        ("x-served-by", "survey-7"),
    ];
    let headers = match case {
        Case::Health => &[("content-type", TEXT_TYPE)][..],
        Case::Realistic => &readings,
        Case::Body(_) | Case::Echo(_) => &[("content-type", BYTES_TYPE)],
        Case::Rpc(codec) | Case::Auction(codec) => &[("content-type", codec.content_type())],
    };
    let mut wire = Vec::new();
    let mut response = Encoder::frame(&mut wire).response(200, "OK").ok()?;
    for (name, value) in headers {
        response.header(name, value).ok()?;
    }
    response.body(&case.answer()).ok()?;
    response.finish().ok()?;
    Some(wire)
}

/// The answer to the request that a connection begins with.
fn look_up(request: &[u8], known: &Known) -> Option<Rc<[u8]>> {
    if let Some((_, answer)) = known.borrow().iter().find(|(known, _)| known == request) {
        return Some(Rc::clone(answer));
    }
    let answer: Rc<[u8]> = answer(request.get(4..)?)?.into();
    known.borrow_mut().push((request.to_vec(), Rc::clone(&answer)));
    Some(answer)
}

async fn connection(mut stream: TcpStream, known: Known) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut input, mut output) = (vec![0; READ_LEN], Vec::new());
    let mut filled = 0;
    // The answer of this connection, and the length of its requests.
    let mut block: Option<(usize, Rc<[u8]>)> = None;
    loop {
        let read = stream.read(&mut input[filled..]).await?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        if block.is_none()
            && let Some(prefix) = input[..filled].first_chunk::<4>()
        {
            let len = 4 + u32::from_be_bytes(*prefix) as usize;
            if input.len() < len {
                input.resize(len, 0);
            }
            if filled >= len {
                block = Some((len, look_up(&input[..len], &known).ok_or(io::ErrorKind::InvalidData)?));
            }
        }
        let Some((len, answer)) = &block else { continue };
        let (blocks, rest) = (filled / len, filled % len);
        input.copy_within(blocks * len..filled, 0);
        filled = rest;
        if answer.len() > COPIED_LEN {
            for _ in 0..blocks {
                stream.write_all(answer).await?;
            }
        } else if blocks > 0 {
            (0..blocks).for_each(|_| output.extend_from_slice(answer));
            stream.write_all(&output).await?;
            output.clear();
        }
    }
}
