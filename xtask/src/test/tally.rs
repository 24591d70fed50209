//! Counts how many tests passed and failed, from the output of the test runners.

use std::ops::AddAssign;

/// The numbers of passed and failed tests, of one step or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Tally {
    pub(crate) const FAILED: Tally = Tally {
        passed: 0,
        failed: 1,
    };

    /// Counts one check.
    pub(crate) fn from_result(holds: bool) -> Tally {
        Tally {
            passed: usize::from(holds),
            failed: usize::from(!holds),
        }
    }

    /// Parses `test result: ok. 12 passed; 0 failed; …`, which each test program prints once.
    pub(crate) fn of_cargo_line(line: &str) -> Option<Tally> {
        let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let mut parts = counts.split("; ");
        Some(Tally {
            passed: number(parts.next()?, " passed")?,
            failed: number(parts.next()?, " failed")?,
        })
    }

    /// Parses `12 passed, 0 failed`, alone on its line.
    pub(crate) fn of_closing_line(line: &str) -> Option<Tally> {
        let (passed, failed) = line.split_once(", ")?;
        Some(Tally {
            passed: number(passed, " passed")?,
            failed: number(failed, " failed")?,
        })
    }

    /// Returns the final count of a runner: a runner that failed without a reported failure, or counted nothing, is a
    /// failure.
    pub(crate) fn settled(self, succeeded: bool) -> Tally {
        if self.failed == 0 && (!succeeded || self.passed == 0) {
            Tally { failed: 1, ..self }
        } else {
            self
        }
    }
}

fn number(part: &str, unit: &str) -> Option<usize> {
    part.strip_suffix(unit)?.parse().ok()
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Tally) {
        self.passed += more.passed;
        self.failed += more.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: usize, failed: usize) -> Tally {
        Tally { passed, failed }
    }

    #[test]
    fn the_line_of_a_test_program_is_read() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s";
        assert_eq!(Tally::of_cargo_line(line), Some(tally(12, 3)));
        assert_eq!(Tally::of_cargo_line("running 3 tests"), None);
    }

    #[test]
    fn the_closing_line_of_a_runner_is_read() {
        assert_eq!(
            Tally::of_closing_line("210 passed, 0 failed"),
            Some(tally(210, 0))
        );
        assert_eq!(Tally::of_closing_line("said: 2 passed, 1 failed"), None);
    }

    #[test]
    fn a_runner_that_dies_or_runs_nothing_has_failed() {
        assert_eq!(tally(5, 0).settled(true), tally(5, 0));
        assert_eq!(tally(5, 0).settled(false), tally(5, 1));
        assert_eq!(tally(0, 0).settled(true), tally(0, 1));
        assert_eq!(tally(5, 2).settled(false), tally(5, 2));
    }
}
