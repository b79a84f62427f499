//! A load generator for ZAP and HTTP/1.1: the same loop, the same checks and the same statistics for both, so that their
//! figures can be compared.
//!
//! In a **closed loop** each connection has so many requests in flight, and an answer makes the next request: it shows what a
//! server can do, and hides what a stall would have cost those who came meanwhile. In an **open loop** (`--rate`) requests are
//! due at fixed times, and the time of an answer is counted from there, whenever the request could be sent.
//!
//! Every answer is compared with the right one. What goes wrong is counted apart, by what happened, and never as an answer.
//!
//! * `call`: the request, and which answers are right; `target`: where it goes.
//! * `driver`: the loop of a thread; `connection`: what is in flight; `schedule`: when a request is due.
//! * `client`: the same through [`zap_http::Client`].
//! * `tally`: counts and percentiles; `live`: the line that shows how far it is.

mod call;
mod client;
mod connection;
mod driver;
mod live;
mod options;
mod report;
mod schedule;
mod tally;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use call::{Call, Checker, Protocol};
pub(crate) use client::{ClientDriver, ClientTask};
pub(crate) use driver::{Driver, Pace, Task};
pub use options::{Options, Through};
pub use report::Report;
pub(crate) use tally::Tally;
pub use tally::{Errors, Latency};
pub(crate) use target::{Place, Target};

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use live::Live;

/// One thread's part, by either way.
enum Part {
    Wire(Driver),
    Client(ClientDriver),
}

impl Part {
    fn run(&mut self, pace: Pace, tally: &mut Tally, live: Option<&Live>) -> Result<(), String> {
        match self {
            Self::Wire(driver) => driver.run(pace, tally, live),
            Self::Client(driver) => {
                driver.run(pace, tally, live);
                Ok(())
            }
        }
    }

    fn bytes_per_request(&self) -> Option<usize> {
        match self {
            Self::Wire(driver) => driver.bytes_per_request(),
            Self::Client(_) => None,
        }
    }
}

/// What a thread came to.
struct Done {
    tally: Tally,
    took: Duration,
    bytes: Option<usize>,
}

/// Runs the load.
///
/// # Errors
///
/// The options make no load, or the server cannot be reached.
pub fn run(options: &Options) -> Result<Report, String> {
    options.check()?;
    let threads = options.threads;
    let lives: Vec<Live> = std::iter::repeat_with(Live::default).take(threads).collect();
    let (barrier, running) = (Barrier::new(threads), AtomicUsize::new(threads));
    let window = Duration::from_secs_f64(options.duration);
    let outcomes: Vec<Result<Done, String>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|index| {
                let (barrier, running, live) = (&barrier, &running, &lives[index]);
                scope.spawn(move || {
                    let outcome = thread(options, index, live, barrier);
                    running.fetch_sub(1, Ordering::Relaxed);
                    outcome
                })
            })
            .collect();
        live::watch(&lives, window, || running.load(Ordering::Relaxed) == 0);
        let ended = |_| Err("a thread of the load ended".to_owned());
        handles.into_iter().map(|handle| handle.join().unwrap_or_else(ended)).collect()
    });
    let (mut sum, mut took, mut bytes) = (Tally::new(), Duration::ZERO, None);
    for outcome in outcomes {
        let done = outcome?;
        sum.add(&done.tally);
        took = took.max(done.took);
        bytes = bytes.or(done.bytes);
    }
    Ok(Report::new(options, &sum, took, bytes))
}

fn thread(options: &Options, index: usize, live: &Live, barrier: &Barrier) -> Result<Done, String> {
    let part = options.part(index);
    // All threads pass here, those without a connection too, so that nobody waits for ever.
    barrier.wait();
    let mut part = part?;
    let warm_up = Duration::from_secs_f64(options.warm_up);
    if !warm_up.is_zero() {
        part.run(options.pace(index, warm_up), &mut Tally::new(), None)?;
    }
    let (mut tally, start) = (Tally::new(), Instant::now());
    part.run(options.pace(index, Duration::from_secs_f64(options.duration)), &mut tally, Some(live))?;
    Ok(Done { tally, took: start.elapsed(), bytes: part.bytes_per_request() })
}
