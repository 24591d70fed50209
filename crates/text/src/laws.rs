//! The number of cases of each property test in this crate: 256, or the value of `LANCET_LAW_CASES`.

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
