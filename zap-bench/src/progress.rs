//! The line that shows how far a long run is, and about how long it will take.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A line on standard error, where somebody looks; nothing elsewhere.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Nothing is drawn yet.
    #[must_use]
    pub fn new() -> Self {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target);
        if let Ok(style) =
            ProgressStyle::with_template("[{bar:24}] {pos}/{len} {msg}, {elapsed} so far, about {eta} left")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(bar)
    }

    /// So many steps are done, and this one is next. The line goes away after the last.
    pub fn show(&self, done: usize, of: usize, next: &str) {
        self.0.set_length(of as u64);
        self.0.set_position(done as u64);
        self.0.set_message(next.to_owned());
        self.0.tick();
        if done == of {
            self.0.finish_and_clear();
        }
    }

    /// A line that stays, above the one that moves; on standard error, seen by nobody or not.
    pub fn say(&self, line: &str) {
        self.0.suspend(|| eprintln!("{line}"));
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}
