//! What `zap-bench load` is told.

use std::time::Duration;

use super::{Call, Checker, ClientDriver, ClientTask, Driver, Pace, Part, Protocol, Target, Task};
use crate::http::Case;

/// How requests go out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Through {
    /// Bytes prepared beforehand, over sockets: the cheapest there is, so that the server is the busier side.
    Wire,
    /// `zap_http::Client`, as a service would call. Waits of an open loop are as exact as tokio's timers: a millisecond.
    Client,
}

/// The load to make.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// zap://host:port/path, http://host:port/path (HTTP/1.1), or unix:/file (ZAP).
    pub url: String,
    /// Connections, in all.
    #[arg(short, long, default_value_t = 64)]
    pub connections: usize,
    /// Threads, which share the connections.
    #[arg(short, long, default_value_t = 1)]
    pub threads: usize,
    /// Requests in flight on each connection: pipelining.
    #[arg(short, long, default_value_t = 1)]
    pub in_flight: usize,
    /// Seconds of measuring.
    #[arg(short = 's', long, default_value_t = 10.0)]
    pub duration: f64,
    /// Seconds before that, which do not count.
    #[arg(long, default_value_t = 1.0)]
    pub warm_up: f64,
    /// Requests per second: an open loop, with latencies from the time at which a request was due.
    #[arg(short, long)]
    pub rate: Option<f64>,
    /// Seconds after which a request has failed.
    #[arg(long, default_value_t = 10.0)]
    pub timeout: f64,
    /// A connection for each request.
    #[arg(long)]
    pub churn: bool,
    /// A request that `zap-bench serve` answers: health, realistic, body:LEN, echo:LEN, rpc:CODEC, auction:CODEC.
    #[arg(long)]
    pub case: Option<Case>,
    /// The method; POST if there is a body, else GET.
    #[arg(short = 'X', long)]
    pub method: Option<String>,
    /// A header, `name: value`; may be given more than once.
    #[arg(short = 'H', long = "header")]
    pub headers: Vec<String>,
    /// The body.
    #[arg(short = 'b', long = "body", conflicts_with = "case")]
    pub body: Option<String>,
    /// What the body of every answer must be; without it, what that of the first is.
    #[arg(long, conflicts_with = "case")]
    pub expect: Option<String>,
    /// What the load goes through.
    #[arg(long, value_enum, default_value = "wire")]
    pub through: Through,
}

impl Options {
    /// Closed loop, one connection with one request in flight, for 10 s.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 1,
            threads: 1,
            in_flight: 1,
            duration: 10.0,
            warm_up: 0.0,
            rate: None,
            timeout: 10.0,
            churn: false,
            case: None,
            method: None,
            headers: Vec::new(),
            body: None,
            expect: None,
            through: Through::Wire,
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let is_time = |seconds: f64| seconds.is_finite() && (0.0..1e6).contains(&seconds);
        if self.threads == 0 || self.in_flight == 0 || self.connections < self.threads {
            return Err("each thread needs a connection, and each connection a request".to_owned());
        }
        if !is_time(self.duration) || !is_time(self.warm_up) || !is_time(self.timeout) {
            return Err("a time is none".to_owned());
        }
        if self.rate.is_some_and(|rate| !rate.is_finite() || rate <= 0.0) {
            return Err("the rate must be above zero".to_owned());
        }
        if self.through == Through::Client && (self.churn || self.url.starts_with("http")) {
            return Err("the client keeps its connections, and speaks ZAP".to_owned());
        }
        Ok(())
    }

    /// The request, and the body of the right answer.
    pub(super) fn call(&self, target: &Target) -> Result<(Call, Option<Vec<u8>>), String> {
        let (mut call, expected) = match self.case {
            Some(case) => (case.call(), Some(case.answer())),
            None => {
                let body = self.body.clone().unwrap_or_default().into_bytes();
                let method = if body.is_empty() { "GET" } else { "POST" };
                let headers = vec![("host".to_owned(), target.host.clone())];
                let call = Call { method: method.to_owned(), target: target.path.clone(), headers, body };
                (call, self.expect.clone().map(String::into_bytes))
            }
        };
        if let Some(method) = &self.method {
            call.method.clone_from(method);
        }
        for header in &self.headers {
            let (name, value) = header.split_once(':').ok_or_else(|| format!("no header: {header}"))?;
            call.headers.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        Ok((call, expected))
    }

    /// What the thread of this index runs.
    pub(super) fn part(&self, index: usize) -> Result<Part, String> {
        let target = Target::parse(&self.url)?;
        let (call, body) = self.call(&target)?;
        let connections = self.connections / self.threads + usize::from(index < self.connections % self.threads);
        let timeout = Duration::from_secs_f64(self.timeout);
        match self.through {
            Through::Wire => Driver::new(Task {
                request: call.encode(target.protocol)?,
                checker: Checker::new(target.protocol, body),
                place: target.place,
                connections,
                depth: self.in_flight,
                churn: self.churn,
                timeout,
            })
            .map(Part::Wire),
            Through::Client => ClientDriver::new(ClientTask {
                target: if target.protocol == Protocol::Zap { self.server() } else { return Err("not ZAP".to_owned()) },
                call,
                body,
                connections,
                depth: self.in_flight,
                timeout,
            })
            .map(Part::Client),
        }
    }

    /// The URL without a path.
    fn server(&self) -> String {
        match self.url.strip_prefix("zap://") {
            Some(rest) => format!("zap://{}", rest.split(['/', '?']).next().unwrap_or(rest)),
            None => self.url.clone(),
        }
    }

    pub(super) fn pace(&self, index: usize, window: Duration) -> Pace {
        match self.rate {
            None => Pace::Closed(window),
            // The threads' requests are due in turn.
            Some(rate) => {
                Pace::Open { window, per_second: rate / self.threads as f64, phase: index as f64 / self.threads as f64 }
            }
        }
    }
}
