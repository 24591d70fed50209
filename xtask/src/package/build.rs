//! The release build that is packaged: for an old glibc if zig is available, and without the paths of this machine. zig
//! can also link for another processor than that of this machine.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};

use super::binary::Processor;
use crate::repository::top;
use crate::run::{cargo, succeeds};
use crate::test::setup;

/// The glibc that the build is for: that of RHEL 8, Debian 10 and Ubuntu 20.04.
const GLIBC: &str = "2.28";

/// Builds the program for a processor; returns the path of the binary.
pub(super) fn release(processor: Processor) -> anyhow::Result<PathBuf> {
    let target = processor.target();
    let folder = top().join("target/package");
    let zig = setup::zigbuild();
    let mut build = match &zig {
        Ok(tools) => {
            let mut build = cargo(&["zigbuild", "--target", &format!("{target}.{GLIBC}")]);
            let path = std::env::var_os("PATH").unwrap_or_default();
            let mut folders = vec![tools.join("bin")];
            folders.extend(std::env::split_paths(&path));
            build
                .env("PATH", std::env::join_paths(folders)?)
                .env("CARGO_ZIGBUILD_ZIG_PATH", tools.join("ziglang/zig"));
            build
        }
        Err(error) if processor != Processor::here()? => {
            bail!("{target} is another processor than this machine's, and needs zig: {error:#}")
        }
        Err(error) => {
            println!("no zig ({error:#}): the packages will need the glibc of this machine");
            cargo(&["build", "--target", &target])
        }
    };
    build
        .args(["--release", "--locked", "--package", "lancet-cli"])
        .arg("--target-dir")
        .arg(&folder);
    let home = cargo_home()?;
    let (top, home) = (top().display().to_string(), home.display().to_string());
    let renamed = [(top, "/lancet"), (home, "/cargo")];
    let flags = |flag: &str, between: &str| {
        let flags = renamed
            .iter()
            .map(|(from, to)| format!("{flag}={from}={to}"));
        flags.collect::<Vec<_>>().join(between)
    };
    build
        .env(
            "CARGO_ENCODED_RUSTFLAGS",
            flags("--remap-path-prefix", "\x1f"),
        )
        .env("CFLAGS", flags("-ffile-prefix-map", " "))
        .env("CARGO_INCREMENTAL", "0");
    ensure!(
        succeeds(&mut build)?,
        "the program does not build; `rustup target add {target}` brings the target, where that is missing"
    );
    Ok(folder.join(target).join("release/lancet"))
}

/// Returns the folder with the sources of the crates, whose paths the binary would contain.
fn cargo_home() -> anyhow::Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::var_os("HOME").context("neither CARGO_HOME nor HOME is set")?;
    Ok(PathBuf::from(home).join(".cargo"))
}
