//! Fuzzes any bytes as a file: decoding, the map back to bytes, splicing.
#![no_main]

#[path = "../checks/encoding.rs"]
mod encoding;

libfuzzer_sys::fuzz_target!(|data: &[u8]| encoding::check(data));
