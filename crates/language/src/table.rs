//! The built-in table of language servers.

use serde_json::json;

use crate::{Delivery, Package, ServerEntry};

/// A line of the table: name, files, command line, root files, job.
type Line = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    Option<&'static str>,
);

const PYTHON: &[&str] = &["*.py", "*.pyi"];
const PYTHON_ROOTS: &[&str] = &[
    "pyproject.toml",
    "ty.toml",
    "ruff.toml",
    ".ruff.toml",
    "pyrightconfig.json",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
];
const SCRIPT: &[&str] = &[
    "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs",
];
const SCRIPT_ROOTS: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];
const C: &[&str] = &[
    "*.c", "*.h", "*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.hxx", "*.m", "*.mm",
];
const C_ROOTS: &[&str] = &[
    "compile_commands.json",
    "compile_flags.txt",
    ".clangd",
    "CMakeLists.txt",
];

const TABLE: [Line; 17] = [
    (
        "rust-analyzer",
        &["*.rs"],
        &["rust-analyzer"],
        // Not `Cargo.toml`: each crate of a workspace has one, and a server for each would be started.
        &["Cargo.lock", "rust-project.json"],
        None,
    ),
    ("ruff", PYTHON, &["ruff", "server"], PYTHON_ROOTS, None),
    (
        "ty",
        PYTHON,
        &["ty", "server"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "basedpyright",
        PYTHON,
        &["basedpyright-langserver", "--stdio"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "pyright",
        PYTHON,
        &["pyright-langserver", "--stdio"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "typescript",
        SCRIPT,
        &["tsc", "--lsp", "--stdio"],
        SCRIPT_ROOTS,
        Some("typescript"),
    ),
    (
        "typescript-language-server",
        SCRIPT,
        &["typescript-language-server", "--stdio"],
        SCRIPT_ROOTS,
        Some("typescript"),
    ),
    ("clangd", C, &["clangd"], C_ROOTS, None),
    ("gopls", &["*.go"], &["gopls"], &["go.work", "go.mod"], None),
    (
        "jdtls",
        &["*.java"],
        &["jdtls"],
        &[
            "pom.xml",
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
        ],
        None,
    ),
    (
        "lua",
        &["*.lua"],
        &["lua-language-server"],
        &[".luarc.json", ".luarc.jsonc", "stylua.toml"],
        None,
    ),
    (
        "yaml",
        &["*.yaml", "*.yml"],
        &["yaml-language-server", "--stdio"],
        &[],
        None,
    ),
    (
        "json",
        &["*.json", "*.jsonc"],
        &["vscode-json-language-server", "--stdio"],
        &[],
        None,
    ),
    (
        "bash",
        &["*.sh", "*.bash"],
        &["bash-language-server", "start"],
        &[],
        None,
    ),
    ("zls", &["*.zig"], &["zls"], &["build.zig"], None),
    ("taplo", &["*.toml"], &["taplo", "lsp", "stdio"], &[], None),
    ("ruby", &["*.rb"], &["ruby-lsp"], &["Gemfile"], None),
];

/// Returns the servers that lancet knows, in order of preference.
#[must_use]
pub fn built_in() -> Vec<ServerEntry> {
    TABLE
        .iter()
        .map(|(name, files, run, root, job)| {
            with_its_own(ServerEntry {
                root: root.iter().map(|name| (*name).to_owned()).collect(),
                job: job.map(str::to_owned),
                ..ServerEntry::new(name, files, run)
            })
        })
        .collect()
}

/// Fills in what a row of the table does not contain.
fn with_its_own(mut entry: ServerEntry) -> ServerEntry {
    match entry.name.as_str() {
        // The results of `cargo check` are only pushed.
        "rust-analyzer" => entry.delivery = Delivery::Both,
        // Files that are not open are checked as well: that is how problems are found in an importer that was never
        // read.
        "ty" => entry.settings = json!({ "diagnosticMode": "workspace" }),
        // It reports which files it is busy with, so that it is known when everything was reported.
        "clangd" => entry.settings = json!({ "clangdFileStatus": true }),
        "typescript" => {
            entry.package = Some(Package {
                name: "typescript".to_owned(),
                major: 7,
            });
        }
        "json" => entry.settings = json!({ "provideFormatter": false }),
        _ => {}
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_server_has_files_and_a_program() {
        let entries = built_in();
        for (place, entry) in entries.iter().enumerate() {
            assert!(
                entry.program().is_some() && !entry.files.is_empty(),
                "{entry:?}"
            );
            assert!(
                entries[..place]
                    .iter()
                    .all(|other| other.name != entry.name)
            );
        }
    }
}
