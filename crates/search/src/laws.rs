//! The number of cases of the property tests: 256 each, or as many as `LANCET_LAW_CASES` says.

use proptest::test_runner::Config;

/// The configuration of every property test of the crate.
pub(crate) fn config() -> Config {
    let cases = std::env::var("LANCET_LAW_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    Config {
        cases: cases.unwrap_or(256),
        failure_persistence: None,
        ..Config::default()
    }
}

/// The configuration of a property test whose every case compiles several expressions: a tenth as many cases.
pub(crate) fn costly() -> Config {
    let config = config();
    Config {
        cases: config.cases.div_ceil(10),
        ..config
    }
}
