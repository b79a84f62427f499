//! The line that shows how far a run is.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::tally::Tally;

/// The counts of one thread, for whoever draws the line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    answers: AtomicU64,
    errors: AtomicU64,
}

impl Live {
    pub(crate) fn show(&self, tally: &Tally) {
        self.0.answers.store(tally.answers(), Ordering::Relaxed);
        self.0.errors.store(tally.errors.sum(), Ordering::Relaxed);
    }

    fn read(&self) -> (u64, u64) {
        (self.0.answers.load(Ordering::Relaxed), self.0.errors.load(Ordering::Relaxed))
    }
}

/// Draws the line until `is_done`; nothing where nobody looks.
pub(crate) fn watch(threads: &[Live], window: Duration, is_done: impl Fn() -> bool) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let bar = ProgressBar::with_draw_target(Some(window.as_millis() as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("[{bar:24}] {msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    let start = Instant::now();
    let mut last = (start, 0);
    while !is_done() {
        std::thread::sleep(Duration::from_millis(200));
        let now = Instant::now();
        let (answers, errors) = threads.iter().map(Live::read).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let rate = (answers - last.1) as f64 / now.duration_since(last.0).as_secs_f64();
        last = (now, answers);
        bar.set_position(start.elapsed().min(window).as_millis() as u64);
        bar.set_message(format!("{rate:.0} answers/s, {answers} in all, {errors} errors"));
    }
    bar.finish_and_clear();
}
