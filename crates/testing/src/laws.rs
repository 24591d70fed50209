//! How often a law is tried.

use proptest::test_runner::Config;

/// How many cases a law is tried with that has no number of its own.
const CASES: u32 = 256;

/// The number of cases that `LANCET_LAW_CASES` asks for.
#[must_use]
pub fn asked() -> Option<u32> {
    std::env::var("LANCET_LAW_CASES").ok()?.parse().ok()
}

/// The number of cases of a law: 256, or as many as `LANCET_LAW_CASES` says.
#[must_use]
pub fn cases() -> u32 {
    asked().unwrap_or(CASES)
}

/// The configuration of a law: [`cases`], and nothing written beside the test where one fails.
#[must_use]
pub fn config() -> Config {
    config_of(cases())
}

/// The configuration of a law whose cases take long: a tenth as many of them.
#[must_use]
pub fn costly() -> Config {
    config_of(cases().div_ceil(10))
}

/// The configuration of a law with a number of cases of its own.
#[must_use]
pub fn config_of(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}
