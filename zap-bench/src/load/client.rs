//! The same load through [`zap_http::Client`], as a service would make it: tasks that call, one call at a time each.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Request, Uri};
use tokio::task::LocalSet;
use zap_http::proto::ClientConfig;
use zap_http::{Body, Client, ClientError};

use super::call::Call;
use super::driver::Pace;
use super::live::Live;
use super::schedule::Schedule;
use super::tally::{Failure, Tally};

/// What one thread does through the client.
#[derive(Clone, Debug)]
pub(crate) struct ClientTask {
    /// The server: `zap://host:port` or `unix:/file`.
    pub(crate) target: String,
    pub(crate) call: Call,
    /// What the answer's body must be; `None`: as that of the first answer.
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) connections: usize,
    pub(crate) depth: usize,
    pub(crate) timeout: Duration,
}

/// One thread's client and what it calls.
pub(crate) struct ClientDriver {
    runtime: tokio::runtime::Runtime,
    client: Client,
    request: Request<Bytes>,
    expected: Rc<RefCell<Option<Bytes>>>,
    tasks: usize,
}

/// What the tasks of a run share.
struct Shared {
    tally: Tally,
    schedule: Option<Schedule>,
    end: Instant,
    live: Option<Live>,
}

impl ClientDriver {
    pub(crate) fn new(task: ClientTask) -> Result<Self, String> {
        let ClientTask { target, call, body, connections, depth, timeout } = task;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(text)?;
        let mut config = ClientConfig::default();
        // The load repeats one request; two of them at once do no harm.
        config.queue_unsafe = true;
        let builder = Client::builder().connection(config).max_in_flight_per_connection(depth);
        let builder = builder.max_connections(connections).max_idle_per_address(connections);
        let client = builder.whole_timeout(timeout).to(target.as_str()).map_err(text)?;
        let method = Method::from_bytes(call.method.as_bytes()).map_err(text)?;
        let uri: Uri = call.target.parse().map_err(text)?;
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in &call.headers {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::from(call.body)).map_err(text)?;
        let expected = Rc::new(RefCell::new(body.map(Bytes::from)));
        Ok(Self { runtime, client, request, expected, tasks: connections * depth })
    }

    /// As [`Driver::run`](super::driver::Driver::run).
    pub(crate) fn run(&mut self, pace: Pace, tally: &mut Tally, live: Option<&Live>) {
        let now = Instant::now();
        let (window, schedule) = match pace {
            Pace::Closed(window) => (window, None),
            Pace::Open { window, per_second, phase } => {
                let start = now + Duration::from_secs_f64(phase / per_second);
                (window, Some(Schedule::new(start, window, per_second)))
            }
        };
        let shared = Shared { tally: Tally::new(), schedule, end: now + window, live: live.cloned() };
        let shared = Rc::new(RefCell::new(shared));
        let tasks = LocalSet::new();
        for _ in 0..self.tasks {
            let (client, request) = (self.client.clone(), self.request.clone());
            tasks.spawn_local(calls(client, request, Rc::clone(&self.expected), Rc::clone(&shared)));
        }
        self.runtime.block_on(tasks);
        let shared = shared.borrow();
        tally.add(&shared.tally);
        tally.unsent += shared.schedule.as_ref().map_or(0, Schedule::left);
    }
}

/// Calls again and again.
async fn calls(
    client: Client,
    request: Request<Bytes>,
    expected: Rc<RefCell<Option<Bytes>>>,
    shared: Rc<RefCell<Shared>>,
) {
    // However short a closed loop is, each task calls once, as each connection of the plain load does.
    let mut is_first = true;
    loop {
        let now = Instant::now();
        let due = {
            let mut shared = shared.borrow_mut();
            match &mut shared.schedule {
                Some(schedule) => schedule.take_ahead(),
                None => (is_first || now < shared.end).then_some(now),
            }
        };
        let Some(due) = due else { return };
        is_first = false;
        if due > now {
            tokio::time::sleep_until(due.into()).await;
        }
        let outcome = call(&client, request.clone(), &expected).await;
        let latency = due.elapsed();
        let shared = &mut *shared.borrow_mut();
        match outcome {
            Ok(()) => shared.tally.answer(latency),
            Err(failure) => shared.tally.failed(failure, 1),
        }
        if let Some(live) = &shared.live {
            live.show(&shared.tally);
        }
    }
}

async fn call(client: &Client, request: Request<Bytes>, expected: &RefCell<Option<Bytes>>) -> Result<(), Failure> {
    let (parts, body) = request.into_parts();
    let mut client = client.clone();
    let request = Request::from_parts(parts, Body::from(body));
    let response = tower_service::Service::call(&mut client, request).await.map_err(|error| failure(&error))?;
    let is_good = response.status().is_success();
    let body = http_body_util::BodyExt::collect(response.into_body()).await.map_err(|_| Failure::Closed)?.to_bytes();
    if !is_good {
        return Err(Failure::Status);
    }
    let mut expected = expected.borrow_mut();
    match &*expected {
        Some(right) if *right != body => Err(Failure::Wrong),
        Some(_) => Ok(()),
        None => {
            *expected = Some(body);
            Ok(())
        }
    }
}

fn failure(error: &ClientError) -> Failure {
    match error {
        ClientError::Connect(_) => Failure::Connect,
        ClientError::Timeout(_) => Failure::Timeout,
        _ => Failure::Closed,
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
