//! Any file, old text and new text: what the ladder finds is where and what it says.
#![no_main]

#[path = "../checks/ladder.rs"]
mod ladder;

libfuzzer_sys::fuzz_target!(|data: &[u8]| ladder::check(data));
