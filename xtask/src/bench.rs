//! `cargo xtask bench`: the instruction counts with their hard limits, and on request the side-by-side run or the
//! comparison with the last release. It is not part of `cargo xtask test`, because it builds everything a second time
//! with link-time optimisation and takes minutes.

use std::path::PathBuf;

use anyhow::{bail, ensure};

use crate::repository::top;
use crate::run::{cargo, command, succeeds};
use crate::test::setup;

/// The version of `gungraun` in `Cargo.toml`; the runner accepts no other.
const RUNNER: &str = "0.20.0";

/// Runs the counts; returns true if no limit was exceeded and no target missed.
pub(crate) fn all(options: &[&str]) -> anyhow::Result<bool> {
    let beside = match options {
        [] => false,
        ["--side-by-side"] => true,
        ["--compare", rest @ ..] => return compare(rest),
        _ => bail!("unknown option: cargo xtask bench [--side-by-side | --compare [--build]]"),
    };
    ensure!(
        succeeds(&mut command("valgrind", &["--version"])).unwrap_or(false),
        "valgrind is not installed: Debian has it in the package valgrind"
    );
    let runner = runner()?;
    let mut sound = succeeds(
        cargo(&[
            "bench",
            "--package",
            "lancet-benches",
            "--bench",
            "instructions",
        ])
        .env("GUNGRAUN_RUNNER", runner),
    )?;
    if beside {
        sound &= succeeds(&mut command("python3", &["benches/side_by_side.py"]))?;
    }
    Ok(sound)
}

/// Builds the program as users install it and the server that it is compared with, and compares their figures with
/// those of the last release. `options` are those of benches/compare.py.
fn compare(options: &[&str]) -> anyhow::Result<bool> {
    let programs = ["--package", "lancet-cli", "--package", "bare-server"];
    ensure!(
        succeeds(cargo(&["build", "--release"]).args(programs))?,
        "the build failed"
    );
    let mut comparison = command("python3", &["benches/compare.py", "--rg"]);
    succeeds(comparison.arg(setup::ripgrep()?).args(options))
}

/// Builds the program that runs each bench under valgrind, without optimisation, because it only starts others.
fn runner() -> anyhow::Result<PathBuf> {
    let folder = top()
        .join("target/tools")
        .join(format!("gungraun-runner-{RUNNER}"));
    let program = folder.join("bin/gungraun-runner");
    if !program.exists() {
        println!("installing gungraun-runner {RUNNER}");
        let installed = succeeds(
            cargo(&["install", "gungraun-runner", "--version", RUNNER])
                .args(["--locked", "--debug", "--quiet", "--root"])
                .arg(&folder)
                .env("CARGO_PROFILE_DEV_DEBUG", "0"),
        )?;
        ensure!(installed, "cargo install gungraun-runner failed");
    }
    Ok(program)
}
