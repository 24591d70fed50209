//! Fuzzes any text as a model's reply, in the format unified.
#![no_main]

#[path = "../checks/dialects.rs"]
mod dialects;

use lancet_dialects::Dialect;

libfuzzer_sys::fuzz_target!(|data: &[u8]| dialects::check(Some(Dialect::Unified), data));
