//! Fuzzes any bytes as a notebook.
#![no_main]

#[path = "../checks/notebook.rs"]
mod notebook;

libfuzzer_sys::fuzz_target!(|data: &[u8]| notebook::check(data));
