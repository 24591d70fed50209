//! Fuzzes any JSON as a model's arguments: it is cleaned or refused, and never causes a panic.
#![no_main]

#[path = "../checks/receive.rs"]
mod receive;

libfuzzer_sys::fuzz_target!(|data: &[u8]| receive::check(data));
