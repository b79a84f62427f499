//! The load: one thread that keeps a number of requests in flight on each of its connections, and checks every answer.
//!
//! Connections are served in turn with blocking calls: read what is there, check it, send as many requests as answers came.
//! That is two system calls for a turn, fewer than any server needs, so that the server is the busier side.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::Scenario;
use super::exchange::Template;

/// Connections at once.
const CONNECTIONS: usize = 64;
/// An answer that takes longer than this is none.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Connections to one server, all answers received.
pub(super) struct Load {
    connections: Vec<Connection>,
    /// As many requests as are in flight on a connection.
    requests: Vec<u8>,
    request_len: usize,
    template: Template,
    depth: usize,
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
    in_flight: usize,
}

impl Load {
    /// Connects, and sees the first answer of every connection.
    pub(super) fn connect(
        address: SocketAddr,
        scenario: Scenario,
        is_http1: bool,
        depth: usize,
    ) -> Result<Self, String> {
        let request = if is_http1 { scenario.http1() } else { scenario.zap()? };
        let connections: Result<Vec<_>, _> = (0..CONNECTIONS).map(|_| Connection::open(address)).collect();
        let mut connections = connections?;
        let mut template = None;
        for connection in &mut connections {
            template = Some(connection.first(&request, scenario, is_http1)?);
        }
        let template = template.ok_or("no connection")?;
        Ok(Self { connections, requests: request.repeat(depth), request_len: request.len(), template, depth })
    }

    /// Runs for some time, and then until every answer is there. Says how many were.
    pub(super) fn run(&mut self, time: Duration) -> Result<u64, String> {
        let end = Instant::now() + time;
        let mut answers = 0;
        for connection in &mut self.connections {
            connection.send(&self.requests, self.depth)?;
        }
        while Instant::now() < end {
            for connection in &mut self.connections {
                let received = connection.receive(&self.template)?;
                connection.send(&self.requests[..received * self.request_len], received)?;
                answers += received as u64;
            }
        }
        for connection in &mut self.connections {
            while connection.in_flight > 0 {
                answers += connection.receive(&self.template)? as u64;
            }
        }
        Ok(answers)
    }
}

impl Connection {
    fn open(address: SocketAddr) -> Result<Self, String> {
        let stream = TcpStream::connect(address).map_err(text)?;
        stream.set_nodelay(true).map_err(text)?;
        stream.set_read_timeout(Some(TIMEOUT)).map_err(text)?;
        stream.set_write_timeout(Some(TIMEOUT)).map_err(text)?;
        Ok(Self { stream, buffer: vec![0; 64 << 10], filled: 0, in_flight: 0 })
    }

    fn first(&mut self, request: &[u8], scenario: Scenario, is_http1: bool) -> Result<Template, String> {
        self.send(request, 1)?;
        loop {
            self.fill()?;
            if let Some(template) = Template::of(&self.buffer[..self.filled], scenario, is_http1)? {
                (self.filled, self.in_flight) = (0, 0);
                return Ok(template);
            }
        }
    }

    fn send(&mut self, requests: &[u8], count: usize) -> Result<(), String> {
        self.in_flight += count;
        if count == 0 { Ok(()) } else { self.stream.write_all(requests).map_err(text) }
    }

    fn fill(&mut self) -> Result<(), String> {
        let len = self.stream.read(&mut self.buffer[self.filled..]).map_err(text)?;
        self.filled += len;
        if len == 0 { Err("the server closed a connection".to_owned()) } else { Ok(()) }
    }

    /// Reads once, and says how many answers that completed.
    fn receive(&mut self, template: &Template) -> Result<usize, String> {
        self.fill()?;
        let (answers, rest) = (self.filled / template.len(), self.filled % template.len());
        let whole = answers * template.len();
        if !self.buffer[..whole].chunks_exact(template.len()).all(|answer| template.matches(answer)) {
            return Err("an answer is wrong".to_owned());
        }
        self.in_flight = self.in_flight.checked_sub(answers).ok_or("an answer to nothing")?;
        self.buffer.copy_within(whole..whole + rest, 0);
        self.filled = rest;
        Ok(answers)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
