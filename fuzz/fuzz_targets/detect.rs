//! Fuzzes any text as a model's reply, in all formats at once.
#![no_main]

#[path = "../checks/dialects.rs"]
mod dialects;

libfuzzer_sys::fuzz_target!(|data: &[u8]| dialects::check(None, data));
