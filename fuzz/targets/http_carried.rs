//! `cargo +nightly fuzz run http_carried`: what it checks is `fuzz::http_carried`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::http_carried(data));

#[cfg(not(fuzzing))]
fn main() {
    eprintln!("run this with: cargo +nightly fuzz run http_carried");
}
