//! Fuzzes any file, old text and new text: the places that the matching ladder finds must be as it reports them.
#![no_main]

#[path = "../checks/ladder.rs"]
mod ladder;

libfuzzer_sys::fuzz_target!(|data: &[u8]| ladder::check(data));
