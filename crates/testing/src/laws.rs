//! The number of cases of a law (property test).

use proptest::test_runner::Config;

/// The default number of cases of a law.
const CASES: u32 = 256;

/// The number of cases under `cargo xtask test`.
const OF_THE_TEST_COMMAND: u32 = 10_000;

/// Returns the number of cases in `LANCET_LAW_CASES`.
#[must_use]
pub fn requested_cases() -> Option<u32> {
    std::env::var("LANCET_LAW_CASES").ok()?.parse().ok()
}

/// Returns the number of cases of a law: 256, or the number in `LANCET_LAW_CASES`.
#[must_use]
pub fn cases() -> u32 {
    requested_cases().unwrap_or(CASES)
}

/// Returns the configuration of a law: [`cases`], and no file with failing cases.
#[must_use]
pub fn config() -> Config {
    config_of(cases())
}

/// Returns the configuration of a law whose cases take long: a tenth of the cases.
#[must_use]
pub fn costly() -> Config {
    config_of(cases().div_ceil(10))
}

/// Returns the number of cases of a law whose cases take long: at most `most` in the test command, because its time is
/// limited. If more cases are requested than there, as by `cargo xtask torture`, all of them are tried.
#[must_use]
pub fn limited(cases: u32, most: u32) -> u32 {
    cap_cases(requested_cases(), cases, most)
}

fn cap_cases(asked: Option<u32>, cases: u32, most: u32) -> u32 {
    match asked {
        Some(asked) if asked > OF_THE_TEST_COMMAND => cases,
        _ => cases.min(most),
    }
}

/// Returns the configuration of a law with a given number of cases.
#[must_use]
pub fn config_of(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::cap_cases;

    #[test]
    fn only_the_test_command_and_less_are_limited() {
        assert_eq!(cap_cases(Some(1_000_000), 125_000, 250), 125_000);
        assert_eq!(cap_cases(Some(10_000), 1_250, 250), 250);
        assert_eq!(cap_cases(Some(800), 100, 250), 100);
        assert_eq!(cap_cases(None, 256, 250), 250);
    }
}
