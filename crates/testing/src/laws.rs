//! The number of cases of a law (property test).

use proptest::test_runner::Config;

/// The default number of cases of a law.
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

/// The configuration of a law: [`cases`], and no file with failing cases.
#[must_use]
pub fn config() -> Config {
    config_of(cases())
}

/// The configuration of a law whose cases take long: a tenth of the cases.
#[must_use]
pub fn costly() -> Config {
    config_of(cases().div_ceil(10))
}

/// The configuration of a law with its own number of cases.
#[must_use]
pub fn config_of(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}
