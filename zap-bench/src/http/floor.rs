//! The floor: a tokio server that knows its answers, and looks at nothing but the lengths of requests.
//!
//! One read, then one write with the answers to all complete blocks of that read. What a real server costs above this is its
//! own doing; below it lie tokio and the kernel.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use zap_http::proto::Encoder;

use super::Scenario;
use super::exchange::{HEALTHY, READINGS};

/// Bytes that one read takes at most, as zap-http's.
const READ_LEN: usize = 16 << 10;

/// Answers every block of a request's length with the bytes that `zap-native` answers.
pub(super) async fn serve(listener: TcpListener) -> Result<(), String> {
    let answers: &'static _ = Box::leak(Box::new(Answers::new()?));
    loop {
        let (stream, _) = listener.accept().await.map_err(|error| error.to_string())?;
        tokio::spawn(connection(stream, answers));
    }
}

struct Answers {
    /// The length of a request's frame, and its answer.
    known: [(usize, Vec<u8>); 2],
}

impl Answers {
    fn new() -> Result<Self, String> {
        let health: [(&str, &str); 1] = [("content-type", "text/plain; charset=utf-8")];
        let readings = [
            ("content-type", "application/json"),
            ("cache-control", "no-store"),
            ("x-request-id", "7d0b4c9e-52a1-4e0f-9b36-1f8e2c7a6d35"),
            ("x-served-by", "survey-7"),
        ];
        let health = (Scenario::Health.zap()?.len(), frame(&health, HEALTHY)?);
        let readings = (Scenario::Readings.zap()?.len(), frame(&readings, READINGS)?);
        Ok(Self { known: [health, readings] })
    }
}

fn frame(headers: &[(&str, &str)], body: &str) -> Result<Vec<u8>, String> {
    let mut wire = Vec::new();
    let mut response = Encoder::frame(&mut wire).response(200, "OK").map_err(|error| error.to_string())?;
    for (name, value) in headers {
        response.header(name, value).map_err(|error| error.to_string())?;
    }
    response.body(body.as_bytes()).map_err(|error| error.to_string())?;
    response.finish().map_err(|error| error.to_string())?;
    Ok(wire)
}

async fn connection(mut stream: TcpStream, answers: &Answers) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (mut input, mut output) = (vec![0; READ_LEN], Vec::new());
    let mut filled = 0;
    loop {
        let read = stream.read(&mut input[filled..]).await?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let mut at = 0;
        while let Some(prefix) = input[at..filled].first_chunk::<4>() {
            let len = 4 + u32::from_be_bytes(*prefix) as usize;
            if at + len > filled {
                break;
            }
            let (_, answer) =
                answers.known.iter().find(|(known, _)| *known == len).ok_or(io::ErrorKind::InvalidData)?;
            output.extend_from_slice(answer);
            at += len;
        }
        input.copy_within(at..filled, 0);
        filled -= at;
        if !output.is_empty() {
            stream.write_all(&output).await?;
            output.clear();
        }
    }
}
