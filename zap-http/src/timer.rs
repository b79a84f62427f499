//! The timer of a connection's task, on either end.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::time::Sleep;

/// A timer that is set anew only for a deadline earlier than the one it is set for: deadlines mostly move back.
#[derive(Debug, Default)]
pub(crate) struct Timer {
    sleep: Option<Pin<Box<Sleep>>>,
    armed: Option<Instant>,
}

impl Timer {
    /// Ready at the deadline, or before it.
    pub(crate) fn poll(&mut self, deadline: Instant, context: &mut Context<'_>) -> Poll<()> {
        let at = deadline.into();
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
        if self.armed.is_none_or(|armed| deadline < armed) {
            sleep.as_mut().reset(at);
            self.armed = Some(deadline);
        }
        ready!(sleep.as_mut().poll(context));
        self.armed = None;
        Poll::Ready(())
    }
}
