//! Fuzzes any bytes as a picture.
#![no_main]

#[path = "../checks/picture.rs"]
mod picture;

libfuzzer_sys::fuzz_target!(|data: &[u8]| picture::check(data));
