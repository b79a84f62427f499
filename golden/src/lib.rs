//! Conformance vectors and their runner.
