//! Programs that a test compares with and that a machine may lack, and lines that tests print past the runner's
//! capture.

use std::io::Write as _;

/// Reports that a test, or a part of it, is skipped, because a program is not installed. Under `cargo xtask test`,
/// which installs the programs and sets `LANCET_REQUIRE_JUDGES`, the test fails instead, unless the program is one of
/// those that `cargo xtask test --no-system-packages` leaves out.
pub fn missing(program: &str) {
    require(program);
    skipped(&format!("{program} is not installed"));
}

/// Fails the test if `cargo xtask test`, which installs this program, has set `LANCET_REQUIRE_JUDGES`. The programs in
/// `LANCET_LEFT_OUT`, separated by spaces, are not required.
pub fn require(program: &str) {
    let required = std::env::var_os("LANCET_REQUIRE_JUDGES").is_some();
    let left_out = std::env::var("LANCET_LEFT_OUT").unwrap_or_default();
    assert!(
        !required || is_left_out(program, &left_out),
        "{program} is not installed"
    );
}

/// Returns whether the program, the first word of a text, is in a list.
fn is_left_out(program: &str, list: &str) -> bool {
    let name = program.split([' ', ',']).next();
    list.split_whitespace().any(|one| Some(one) == name)
}

/// Reports why a test, or a part of it, is skipped: for requirements that no set-up can install, such as the right to
/// mount.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// Prints the figure of a promise by its number in `docs/write-promises.md`, directly to standard error, since the test
/// runner captures the tests' output.
pub fn figure(number: u32, what: &str) {
    let _ = writeln!(std::io::stderr(), "figure {number}: {what}");
}

/// Prints how much a test tried, directly to standard error.
pub fn tried(what: &str) {
    let _ = writeln!(std::io::stderr(), "tried: {what}");
}

/// Returns whether the long version of the tests should run, as under `cargo xtask torture`.
#[must_use]
pub fn is_torture_run() -> bool {
    std::env::var_os("LANCET_TORTURE").is_some()
}

#[cfg(test)]
mod tests {
    use super::is_left_out;

    #[test]
    fn a_program_is_left_out_by_its_name() {
        assert!(is_left_out(
            "strace, which kills a process",
            "bindfs strace"
        ));
        assert!(!is_left_out("git", "bindfs strace"));
        assert!(!is_left_out("git", ""));
    }
}
