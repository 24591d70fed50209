//! `cargo xtask test`: the one command that sets up, checks and tests everything. External tools are fetched in the
//! background from the start; tests of behaviour run first, then lints and other checks. It continues after a failure,
//! so that one run reports everything, and its last line is the total.

mod fetch;
pub(crate) mod setup;
mod suites;
mod tally;

use std::process::Command;
use std::time::Instant;

use crate::house::top;
use crate::run::{cargo, command, each_line, succeeds};
use crate::tidy;
use fetch::Fetches;
use tally::Tally;

/// The cargo profile of the build under test. There is only one, so that dependencies are compiled once.
pub(crate) const PROFILE: &str = "ci";

/// The number of generated cases for every law; a plain `cargo test` uses fewer, `cargo xtask torture` many more.
const LAW_CASES: &str = "10000";

/// The seed of the generated cases: the same for every run, so that a failure is caused by the change under test.
/// `cargo xtask torture` and a plain `cargo test` use a new seed each time.
const LAW_SEED: &str = "20261115";

/// The results of the steps so far.
#[derive(Default)]
struct Report {
    rows: Vec<(String, Tally, f64)>,
    sum: Tally,
}

impl Report {
    /// Runs one step; an error is a failure of that step.
    fn step(&mut self, name: &str, work: impl FnOnce() -> anyhow::Result<Tally>) {
        println!("\n== {name}");
        let began = Instant::now();
        let tally = work().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally::FAILED
        });
        self.add(name, tally, began.elapsed().as_secs_f64());
    }

    fn add(&mut self, name: &str, tally: Tally, seconds: f64) {
        println!(
            "-- {name}: {} passed, {} failed ({seconds:.1} s)",
            tally.passed, tally.failed
        );
        self.rows.push((name.to_owned(), tally, seconds));
        self.sum += tally;
    }

    /// Prints the summary; true when nothing failed.
    fn close(self, began: Instant) -> bool {
        println!("\n== summary");
        for (name, tally, seconds) in &self.rows {
            println!(
                "{seconds:>7.1} s  {:>6} passed {:>4} failed  {name}",
                tally.passed, tally.failed
            );
        }
        println!("{:>7.1} s  in all", began.elapsed().as_secs_f64());
        println!("{} passed, {} failed", self.sum.passed, self.sum.failed);
        self.sum.failed == 0
    }
}

/// Runs everything; true when nothing failed.
pub(crate) fn all() -> anyhow::Result<bool> {
    let began = Instant::now();
    let mut fetches = Fetches::begin();
    let mut report = Report::default();
    report.step("format", || check(&mut cargo(&["fmt", "--all", "--check"])));
    report.step("house rules", || Ok(Tally::of(tidy::print()?)));
    let mut built = Vec::new();
    // The build of the tests makes the program, too. A build of the program alone would compile some dependencies
    // twice, because tests enable further features of them.
    report.step("build", || {
        built = suites::build(PROFILE)?;
        Ok(Tally::of(true))
    });
    test_areas(&mut report, &mut fetches, &built);
    report.step("documentation's examples", || {
        let mut test = cargo(&["test", "--doc", "--workspace", "--profile", PROFILE]);
        counted(
            test.args(["--no-fail-fast", "--quiet"]),
            Tally::of_cargo_line,
        )
    });
    report.step("agents: acceptance cases", || {
        counted(
            command("python3", &["acceptance/run.py"])
                .arg(binary())
                .args(["--jobs", "2"]),
            Tally::of_closing_line,
        )
    });
    report.step("agents: Python SDK", || {
        let packages = fetches.python_client.wait()?;
        counted(
            command("python3", &["clients/python/client.py"])
                .arg(binary())
                .env("PYTHONPATH", packages),
            Tally::of_closing_line,
        )
    });
    report.step("agents: TypeScript SDK", || {
        fetches.typescript_client.wait()?;
        counted(
            command("node", &["clients/typescript/client.mjs"]).arg(binary()),
            Tally::of_closing_line,
        )
    });
    // The build above has the feature `testing`, which the tests ask for; what people install has not.
    report.step("the program without test features", || {
        check(&mut cargo(&[
            "check",
            "--package",
            "lancet-cli",
            "--profile",
            PROFILE,
        ]))
    });
    report.step("lints", || {
        let mut clippy = cargo(&["clippy", "--workspace", "--all-targets"]);
        check(clippy.args(["--profile", PROFILE, "--", "--deny", "warnings"]))
    });
    report.step("documentation", || {
        // What tests alone switch on is documented, too.
        check(
            cargo(&["doc", "--workspace", "--no-deps", "--all-features"])
                .args(["--profile", PROFILE])
                .env("RUSTDOCFLAGS", "--deny warnings"),
        )
    });
    report.step("licences and sources", || {
        let deny = fetches.cargo_deny.wait()?;
        let arguments = ["--workspace", "check", "--hide-inclusion-graph"];
        check(command(deny, &arguments).args(["licenses", "bans", "sources"]))
    });
    Ok(report.close(began))
}

/// Runs the test programs, and adds a row for each area to the report.
fn test_areas(report: &mut Report, fetches: &mut Fetches, built: &[suites::Suite]) {
    println!("\n== tests, laws and scenarios");
    let mut tested = || {
        fetches.system.wait()?;
        let ripgrep = fetches.ripgrep.wait()?;
        let detect_secrets = fetches.detect_secrets.wait()?;
        let nbformat = fetches.nbformat.wait()?;
        suites::run(built, |test| {
            test.env("LANCET_LAW_CASES", LAW_CASES)
                .env("PROPTEST_RNG_SEED", LAW_SEED)
                .env("LANCET_REQUIRE_JUDGES", "1")
                .env("LANCET_RIPGREP", &ripgrep)
                .env("LANCET_DETECT_SECRETS", &detect_secrets)
                .env("LANCET_NBFORMAT", &nbformat);
        })
    };
    match tested() {
        Ok(areas) => {
            for (area, (tally, seconds)) in areas {
                report.add(area, tally.settled(true), seconds);
            }
        }
        Err(error) => {
            println!("tests: {error:#}");
            report.add("tests", Tally::FAILED, 0.0);
        }
    }
}

fn binary() -> std::path::PathBuf {
    top().join("target").join(PROFILE).join("lancet")
}

/// Runs a check that only passes or fails.
fn check(command: &mut Command) -> anyhow::Result<Tally> {
    Ok(Tally::of(succeeds(command)?))
}

/// Runs a test runner and parses its summary. A runner that fails without reporting a failure (it did not build, or
/// crashed), or that ran no tests, counts as one failure.
fn counted(command: &mut Command, of_line: fn(&str) -> Option<Tally>) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let succeeded = each_line(command, |line| {
        // The closing line of a part is indented, so that it is not mistaken for that of the whole.
        let part = Tally::of_closing_line(line).is_some();
        println!("{}{line}", if part { "  " } else { "" });
        if let Some(more) = of_line(line) {
            tally += more;
        }
    })?;
    Ok(tally.settled(succeeded))
}
