//! Programs that a test compares with and that a machine may lack, and the lines that tests print past the runner.

use std::io::Write as _;

/// Says that a test, or a part of it, is skipped, because a program is not installed. Under `cargo xtask test`, which
/// installs the programs and sets `LANCET_REQUIRE_JUDGES`, the test fails instead.
pub fn missing(program: &str) {
    require(program);
    skipped(&format!("{program} is not installed"));
}

/// Fails the test where `cargo xtask test`, which installs this program, has set `LANCET_REQUIRE_JUDGES`.
pub fn require(program: &str) {
    let required = std::env::var_os("LANCET_REQUIRE_JUDGES").is_some();
    assert!(!required, "{program} is not installed");
}

/// Says why a test, or a part of it, is skipped: for what no set-up can install, such as the right to mount.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Prints the figure of a promise by its number in `docs/write-promises.md`, to standard error itself, since the test
/// runner captures what tests print.
pub fn figure(number: u32, what: &str) {
    let _ = writeln!(std::io::stderr(), "figure {number}: {what}");
}

/// Whether the long version of the tests is to run, as `cargo xtask torture` asks for.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("LANCET_TORTURE").is_some()
}
