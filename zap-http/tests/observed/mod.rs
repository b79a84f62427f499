//! What the tests of what is observed share: recorders of spans, events and metrics, for one thread.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Writes down everything: each span when it ends, and each event, with all their fields.
#[derive(Clone, Default)]
struct Recorder(Arc<Shared>);

#[derive(Default)]
struct Shared {
    next: AtomicU64,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    open: BTreeMap<u64, Text>,
    handles: BTreeMap<u64, usize>,
    entered: Vec<u64>,
    lines: Vec<String>,
}

/// Fields as text.
#[derive(Default)]
struct Text {
    name: String,
    fields: BTreeMap<&'static str, String>,
}

impl Text {
    fn line(&self) -> String {
        let fields = self.fields.iter().map(|(name, value)| match *name {
            // Other in each run.
            "seconds" => " seconds".to_owned(),
            "peer" => " peer".to_owned(),
            _ => format!(" {name}={value}"),
        });
        format!("{}{}", self.name, fields.collect::<String>())
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let value = format!("{value:?}");
        match field.name() {
            "message" => self.name += &format!(" `{value}`"),
            name => drop(self.fields.insert(name, value)),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Recorder {
    fn with<T>(&self, task: impl FnOnce(&mut Seen) -> T) -> T {
        task(&mut self.0.seen.lock().unwrap())
    }

    /// All that was seen, in the order of the spans' ends.
    fn lines(&self) -> Vec<String> {
        self.with(|seen| seen.lines.clone())
    }
}

fn name_of(metadata: &Metadata<'_>) -> String {
    if metadata.is_span() { format!("{} {}", metadata.level(), metadata.name()) } else { metadata.level().to_string() }
}

impl Subscriber for Recorder {
    /// What tokio and others have to say is not ours.
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "zap_http" || metadata.target() == "app"
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let id = self.0.next.fetch_add(1, Relaxed) + 1;
        self.with(|seen| {
            let mut text = Text { name: name_of(attributes.metadata()), ..Text::default() };
            attributes.record(&mut text);
            let parent = attributes.parent().map(Id::into_u64);
            let current = seen.entered.last().copied().filter(|_| attributes.is_contextual());
            if let Some(parent) = parent.or(current) {
                text.name += &format!(" in {}", seen.open[&parent].name);
            }
            seen.open.insert(id, text);
            seen.handles.insert(id, 1);
        });
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.with(|seen| values.record(seen.open.get_mut(&span.into_u64()).unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.with(|seen| {
            let mut text = Text { name: name_of(event.metadata()), ..Text::default() };
            event.record(&mut text);
            if let Some(current) = seen.entered.last().filter(|_| event.is_contextual()) {
                text.name += &format!(" in {}", seen.open[current].name);
            }
            seen.lines.push(text.line());
        });
    }

    fn enter(&self, span: &Id) {
        self.with(|seen| seen.entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        self.with(|seen| {
            let at = seen.entered.iter().rposition(|id| *id == span.into_u64()).unwrap();
            seen.entered.remove(at);
        });
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.with(|seen| *seen.handles.get_mut(&span.into_u64()).unwrap() += 1);
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        self.with(|seen| {
            let handles = seen.handles.get_mut(&span.into_u64()).unwrap();
            *handles -= 1;
            let is_last = *handles == 0;
            if is_last {
                let line = seen.open[&span.into_u64()].line();
                seen.lines.push(line);
            }
            is_last
        })
    }
}

/// Both recorders, for as long as this lives and in this thread: tests run in one each.
pub(crate) struct Observed {
    recorder: Recorder,
    metrics: Snapshotter,
    _guards: (tracing::subscriber::DefaultGuard, metrics::LocalRecorderGuard<'static>),
}

pub(crate) fn observe() -> Observed {
    let recorder = Recorder::default();
    // Lives as long as the test's process: the guard borrows it.
    let metrics: &'static DebuggingRecorder = Box::leak(Box::default());
    let guards = (tracing::subscriber::set_default(recorder.clone()), metrics::set_default_local_recorder(metrics));
    Observed { recorder, metrics: metrics.snapshotter(), _guards: guards }
}

impl Observed {
    /// All metrics that have changed since the last time, by name and labels: reading sets them back, gauges too.
    pub(crate) fn metrics(&self) -> BTreeMap<String, i64> {
        let values = self.metrics.snapshot().into_vec().into_iter().map(|(key, _, _, value)| {
            let key = key.key();
            let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
            let value = match value {
                DebugValue::Counter(count) => i64::try_from(count).unwrap(),
                DebugValue::Gauge(value) => value.into_inner() as i64,
                DebugValue::Histogram(values) => i64::try_from(values.len()).unwrap(),
            };
            (format!("{}{{{}}}", key.name(), labels.join(",")), value)
        });
        values.filter(|(_, value)| *value != 0).collect()
    }

    /// All that was seen, in the order of the spans' ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.recorder.lines()
    }

    pub(crate) fn has(&self, line: &str) -> bool {
        self.recorder.lines().iter().any(|seen| seen == line)
    }
}

pub(crate) fn counts(expected: &[(&str, i64)]) -> BTreeMap<String, i64> {
    expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}
