//! `#[derive(Zap)]`; use it through `zap_core`, which re-exports it.
