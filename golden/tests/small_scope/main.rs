//! Exhaustive small scope: every message of up to 40 bytes whose words, root and size are taken from the numbers at which
//! readers go wrong, through every accessor, against the naive oracle.
//!
//! Faults of offset arithmetic show in small messages or not at all: what matters is on which side of an edge a sum lies.
//! `cargo test` runs a slice; all of it: `cargo test --release -p golden --test small_scope -- --ignored --nocapture`.
#![allow(missing_docs)]

mod scope;
#[cfg(feature = "derive")]
mod typed;
mod untyped;

#[test]
fn headers_go_around() {
    println!("{} headers", untyped::headers());
}

/// The slice that every run of the tests has time for.
#[test]
fn a_slice_of_it() {
    // 28: the least in which a list has an element with a length.
    let count = untyped::compare(0..=25) + untyped::compare(28..=28);
    println!("{count} messages through the untyped layer");
    #[cfg(feature = "derive")]
    println!("{} messages through derived records", typed::compare(scope::HEADER..=24));
}

#[test]
#[ignore = "minutes, when optimised"]
fn untyped_all_of_it() {
    println!("{} messages through the untyped layer", untyped::compare(0..=scope::MAX_LEN));
}

#[cfg(feature = "derive")]
#[test]
#[ignore = "minutes, when optimised"]
fn typed_all_of_it() {
    println!("{} messages through derived records", typed::compare(scope::HEADER..=scope::MAX_LEN));
}
