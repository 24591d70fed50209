//! The built-in table of language servers.

use serde_json::json;

use crate::{Package, ProblemDelivery, ServerEntry};

/// A line of the table: name, files, command line, root files, job.
type Line = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    Option<&'static str>,
);

const PYTHON_FILES: &[&str] = &["*.py", "*.pyi"];
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
const SCRIPT_FILES: &[&str] = &[
    "*.ts", "*.tsx", "*.mts", "*.cts", "*.js", "*.jsx", "*.mjs", "*.cjs",
];
const SCRIPT_ROOTS: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];
const C_FILES: &[&str] = &[
    "*.c", "*.h", "*.cc", "*.cpp", "*.cxx", "*.hh", "*.hpp", "*.hxx", "*.m", "*.mm",
];
const C_ROOTS: &[&str] = &[
    "compile_commands.json",
    "compile_flags.txt",
    ".clangd",
    "CMakeLists.txt",
];

const SERVER_TABLE: [Line; 17] = [
    (
        "rust-analyzer",
        &["*.rs"],
        &["rust-analyzer"],
        // Not `Cargo.toml`: each crate of a workspace has one, and a server for each would be started.
        &["Cargo.lock", "rust-project.json"],
        None,
    ),
    (
        "ruff",
        PYTHON_FILES,
        &["ruff", "server"],
        PYTHON_ROOTS,
        None,
    ),
    (
        "ty",
        PYTHON_FILES,
        &["ty", "server"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "basedpyright",
        PYTHON_FILES,
        &["basedpyright-langserver", "--stdio"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "pyright",
        PYTHON_FILES,
        &["pyright-langserver", "--stdio"],
        PYTHON_ROOTS,
        Some("python types"),
    ),
    (
        "typescript",
        SCRIPT_FILES,
        &["tsc", "--lsp", "--stdio"],
        SCRIPT_ROOTS,
        Some("typescript"),
    ),
    (
        "typescript-language-server",
        SCRIPT_FILES,
        &["typescript-language-server", "--stdio"],
        SCRIPT_ROOTS,
        Some("typescript"),
    ),
    ("clangd", C_FILES, &["clangd"], C_ROOTS, None),
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
    SERVER_TABLE
        .iter()
        .map(|(name, files, run, root, job)| {
            apply_special_defaults(ServerEntry {
                root: root.iter().map(|name| (*name).to_owned()).collect(),
                job: job.map(str::to_owned),
                ..ServerEntry::new(name, files, run)
            })
        })
        .collect()
}

/// Fills in what a row of the table does not contain.
fn apply_special_defaults(mut entry: ServerEntry) -> ServerEntry {
    match entry.name.as_str() {
        // The results of `cargo check` are only pushed.
        "rust-analyzer" => entry.delivery = ProblemDelivery::Both,
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
    fn built_in_servers_are_unique_and_complete() {
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
