//! `cargo +nightly fuzz run json`: what it checks is `fuzz::json`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::json(data));

#[cfg(not(fuzzing))]
fn main() {
    eprintln!("run this with: cargo +nightly fuzz run json");
}
