//! `cargo +nightly fuzz run records`: what it checks is `fuzz::records`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::records(data));

#[cfg(not(fuzzing))]
fn main() {
    eprintln!("run this with: cargo +nightly fuzz run records");
}
