//! The checks of the source: documentation's examples, lints, documentation, licences. They run one after the other in
//! the background, at low priority, concurrently with the tests of behaviour; the report prints them after those.

use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use super::PROFILE;
use super::fetch::Fetch;
use super::live::Live;
use super::report::Report;
use super::tally::Tally;
use crate::run::{cargo, command, each_line_of_both, lowered};
use crate::tidy;

/// One finished check: its name, its output, its tally and its seconds.
struct Ended {
    name: &'static str,
    printed: String,
    tally: Tally,
    seconds: f64,
}

/// The checks that run in the background.
pub(crate) struct Checks(Receiver<Ended>);

/// How the result of a program is counted.
#[derive(Clone, Copy)]
enum Counted {
    /// By its exit code: one check.
    Once,
    /// By the lines of its test programs.
    ByTest,
}

impl Checks {
    /// Starts the checks.
    pub(crate) fn begin(live: Live, cargo_deny: Fetch<std::path::PathBuf>) -> Checks {
        let (send, ended) = channel();
        std::thread::spawn(move || {
            let check = |name, counted, command: &Command| {
                let _running = live.begin(name);
                let began = Instant::now();
                let (printed, tally) = outcome(counted, command);
                // The other end is gone only if the whole command ends early.
                let _ = send.send(Ended {
                    name,
                    printed,
                    tally,
                    seconds: began.elapsed().as_secs_f64(),
                });
            };
            let mut examples = cargo(&["test", "--doc", "--workspace", "--profile", PROFILE]);
            examples.args(["--no-fail-fast", "--quiet"]);
            check("documentation's examples", Counted::ByTest, &examples);
            let format = cargo(&["fmt", "--all", "--check"]);
            check("format", Counted::Once, &format);
            let mut clippy = cargo(&["clippy", "--workspace", "--all-targets"]);
            clippy.args(["--profile", PROFILE, "--", "--deny", "warnings"]);
            check("lints", Counted::Once, &clippy);
            // The tests enable the feature `testing`; installed builds do not, and neither do the other packages. These
            // are named because with them cargo chooses the same features of libraries as for the lints, and finds them
            // compiled (80 s of processor time without).
            let mut program = cargo(&["check", "--profile", PROFILE]);
            for package in ["lancet-cli", "lancet-testing", "lancet-benches"] {
                program.args(["--package", package]);
            }
            check("the program without test features", Counted::Once, &program);
            // Items behind features that only tests enable are documented, too.
            let mut pages = cargo(&["doc", "--workspace", "--no-deps", "--all-features"]);
            pages
                .args(["--profile", PROFILE])
                .env("RUSTDOCFLAGS", "--deny warnings");
            check("documentation", Counted::Once, &pages);
            let mut cargo_deny = cargo_deny;
            match cargo_deny.wait() {
                Ok(program) => {
                    let arguments = ["--workspace", "check", "--hide-inclusion-graph"];
                    let mut deny = command(program, &arguments);
                    deny.args(["licenses", "bans", "sources"]);
                    check("licences and sources", Counted::Once, &deny);
                }
                Err(error) => {
                    let _ = send.send(Ended {
                        name: "licences and sources",
                        printed: format!("{error:#}"),
                        tally: Tally::FAILED,
                        seconds: 0.0,
                    });
                }
            }
        });
        Checks(ended)
    }

    /// Waits for the checks and adds them to the report; the tidy rules are checked here.
    pub(crate) fn report(self, live: &Live, report: &mut Report) {
        report.step("project rules", || Ok(Tally::from_result(tidy::print()?)));
        for ended in self.0 {
            live.print(&format!("\n== {}", ended.name));
            if ended.tally.failed > 0 {
                live.print(ended.printed.trim_end());
            }
            report.add(ended.name, ended.tally, ended.seconds);
        }
    }
}

/// Runs a program at low priority; returns its output, and its tally.
fn outcome(counted: Counted, command: &Command) -> (String, Tally) {
    let (mut printed, mut tests) = (String::new(), Tally::default());
    let run = each_line_of_both(&mut lowered(command), |line| {
        printed.push_str(line);
        printed.push('\n');
        if let Some(more) = Tally::of_cargo_line(line) {
            tests += more;
        }
    });
    match (counted, run) {
        (_, Err(error)) => (format!("{printed}{error:#}"), Tally::FAILED),
        (Counted::Once, Ok(succeeded)) => (printed, Tally::from_result(succeeded)),
        (Counted::ByTest, Ok(succeeded)) => (printed, tests.settled(succeeded)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_counted_and_keeps_what_it_printed() {
        let fails = command("sh", &["-c", "echo said; echo told >&2; exit 1"]);
        let (printed, tally) = outcome(Counted::Once, &fails);
        assert_eq!((printed.as_str(), tally), ("said\ntold\n", Tally::FAILED));
        let line = "test result: ok. 12 passed; 0 failed; 0 ignored";
        let tests = command("echo", &[line]);
        let (_, tally) = outcome(Counted::ByTest, &tests);
        assert_eq!((tally.passed, tally.failed), (12, 0));
    }
}
