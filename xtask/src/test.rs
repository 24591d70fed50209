//! `cargo xtask test`: the one command that sets up, checks and tests everything, in the order in which a mistake shows
//! soonest. It goes on after a failure, so that one run tells all, and its last line is the sum.

pub(crate) mod setup;
mod tally;

use std::process::Command;
use std::time::Instant;

use crate::house::top;
use crate::run::{cargo, command, each_line, succeeds};
use crate::tidy;
use tally::Tally;

/// Where the binary under test stands. One profile for all, so that dependencies are compiled once.
pub(crate) const PROFILE: &str = "ci";

/// How many generated cases every law is tried on; a plain `cargo test` tries fewer, `cargo xtask torture` many more.
const LAW_CASES: &str = "10000";

/// Where the generated cases begin: the same for every run, so that a failure here is one of the change that is checked.
/// `cargo xtask torture` and a plain `cargo test` begin anew each time.
const LAW_SEED: &str = "20261115";

/// Runs everything; true when nothing failed.
pub(crate) fn all() -> anyhow::Result<bool> {
    let began = Instant::now();
    let mut sum = Tally::default();
    let mut times = Vec::new();
    let mut step = |name: &'static str, work: &mut dyn FnMut() -> anyhow::Result<Tally>| {
        println!("\n== {name}");
        let began = Instant::now();
        let tally = work().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally::FAILED
        });
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "-- {name}: {} passed, {} failed ({seconds:.1} s)",
            tally.passed, tally.failed
        );
        times.push((name, tally, seconds));
        sum += tally;
    };

    step("format", &mut || {
        check(&mut cargo(&["fmt", "--all", "--check"]))
    });
    step("house rules", &mut || Ok(Tally::of(tidy::print()?)));
    step("licences and sources", &mut || {
        let deny = setup::cargo_deny()?;
        check(&mut command(
            deny,
            &[
                "--workspace",
                "check",
                "--hide-inclusion-graph",
                "licenses",
                "bans",
                "sources",
            ],
        ))
    });
    step("lints", &mut || {
        check(&mut cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--profile",
            PROFILE,
            "--",
            "--deny",
            "warnings",
        ]))
    });
    step("documentation", &mut || {
        check(
            cargo(&["doc", "--workspace", "--no-deps", "--profile", PROFILE])
                .env("RUSTDOCFLAGS", "--deny warnings"),
        )
    });
    // The tests' build makes the program, too. A build of the program alone would compile some dependencies twice:
    // what only tests use asks for more of their features.
    step("build", &mut || {
        check(&mut cargo(&[
            "test",
            "--no-run",
            "--workspace",
            "--profile",
            PROFILE,
        ]))
    });
    step("unit tests, laws and scenarios", &mut || {
        setup::file_systems();
        setup::watchers();
        let ripgrep = setup::ripgrep()?;
        let detect_secrets = setup::detect_secrets()?;
        counted(
            cargo(&[
                "test",
                "--workspace",
                "--profile",
                PROFILE,
                "--no-fail-fast",
                "--quiet",
            ])
            .env("LANCET_LAW_CASES", LAW_CASES)
            .env("PROPTEST_RNG_SEED", LAW_SEED)
            .env("LANCET_RIPGREP", ripgrep)
            .env("LANCET_DETECT_SECRETS", detect_secrets),
            Tally::of_cargo_line,
        )
    });
    step("acceptance cases", &mut || {
        counted(
            command("python3", &["acceptance/run.py"])
                .arg(binary())
                .args(["--jobs", "2"]),
            Tally::of_closing_line,
        )
    });
    step("client: Python SDK", &mut || {
        let packages = setup::python_client()?;
        counted(
            command("python3", &["clients/python/client.py"])
                .arg(binary())
                .env("PYTHONPATH", packages),
            Tally::of_closing_line,
        )
    });
    step("client: TypeScript SDK", &mut || {
        setup::typescript_client()?;
        counted(
            command("node", &["clients/typescript/client.mjs"]).arg(binary()),
            Tally::of_closing_line,
        )
    });

    println!("\n== summary");
    for (name, tally, seconds) in &times {
        println!(
            "{seconds:>7.1} s  {:>6} passed {:>4} failed  {name}",
            tally.passed, tally.failed
        );
    }
    println!("{:>7.1} s  in all", began.elapsed().as_secs_f64());
    println!("{} passed, {} failed", sum.passed, sum.failed);
    Ok(sum.failed == 0)
}

fn binary() -> std::path::PathBuf {
    top().join("target").join(PROFILE).join("lancet")
}

/// A check that only holds or does not.
fn check(command: &mut Command) -> anyhow::Result<Tally> {
    Ok(Tally::of(succeeds(command)?))
}

/// A runner whose own summary is read. One that fails without telling a failure (it did not build, it died), or that
/// ran nothing, counts as one failure.
fn counted(command: &mut Command, of_line: fn(&str) -> Option<Tally>) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let succeeded = each_line(command, |line| {
        // The plain closing line belongs to the whole: nobody should take a part's for it.
        let part = Tally::of_closing_line(line).is_some();
        println!("{}{line}", if part { "  " } else { "" });
        if let Some(more) = of_line(line) {
            tally += more;
        }
    })?;
    Ok(tally.settled(succeeded))
}
