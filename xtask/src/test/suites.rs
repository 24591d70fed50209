//! The test programs of the workspace: built once, each counted for the area of lancet that it tests.

use std::path::PathBuf;

use anyhow::ensure;
use serde_json::Value;

use crate::run::{cargo, each_line};

/// One test program.
pub(crate) struct Suite {
    package: String,
    target: String,
    pub(super) folder: PathBuf,
    pub(super) program: PathBuf,
}

/// The test programs that run longest. They start first, so that none of them is left to run alone at the end.
const LONGEST: [(&str, &str); 8] = [
    ("lancet", "promise"),
    ("lancet", "dialects"),
    ("lancet", "history"),
    ("lancet", "lines"),
    ("lancet", "picking"),
    ("lancet", "files"),
    ("lancet", "spelling"),
    ("lancet-cli", "shell"),
];

/// The test programs of `crates/lancet` by area; the others belong to `edit`.
const AREAS_OF_LANCET: [(&str, &[&str]); 5] = [
    ("commit", &["late", "hard_links"]),
    ("history", &["history", "git_untouched", "git_diff"]),
    (
        "permissions",
        &[
            "asking",
            "confinement",
            "credentials",
            "escapes",
            "names",
            "narrowed",
            "places",
            "secret_files",
            "spelling",
        ],
    ),
    ("search", &["search"]),
    ("formats", &["formats"]),
];

impl Suite {
    /// Returns the name in the report.
    pub(super) fn name(&self) -> String {
        format!("{}: {}", self.package, self.target)
    }

    /// Returns whether the program tests the write itself: it runs alone, because it makes writers compete and relies
    /// on both of them getting processor time, and its temporary files are on the disk.
    pub(super) fn tests_the_write(&self) -> bool {
        self.package == "lancet-workspace"
    }

    /// Returns the rank in the order of running: those that run longest come first.
    fn place(&self) -> usize {
        let is_this =
            |(package, target): &(&str, &str)| *package == self.package && *target == self.target;
        LONGEST.iter().position(is_this).unwrap_or(LONGEST.len())
    }

    /// Returns the area of lancet that the program tests.
    pub(super) fn area(&self) -> &'static str {
        match self.package.as_str() {
            "lancet" => AREAS_OF_LANCET
                .iter()
                .find(|(_, targets)| targets.contains(&self.target.as_str()))
                .map_or("edit", |(area, _)| area),
            "lancet-text" | "lancet-model" | "lancet-settings" | "lancet-tools" => "edit",
            "lancet-workspace" => "commit",
            "lancet-history" | "lancet-local-state" | "lancet-git" => "history",
            "lancet-policy" => "permissions",
            "lancet-search" => "search",
            "lancet-cli" | "lancet-rendering" | "lancet-serving" => "shell",
            "lancet-mcp" | "lancet-web" => "agents",
            "lancet-dialects" => "dialects",
            "lancet-formats" | "lancet-pdf" => "formats",
            "lancet-language" | "lancet-syntax" => "language",
            _ => "xtask",
        }
    }
}

/// Builds every test program and, as part of it, the program `lancet`.
pub(crate) fn build(profile: &str) -> anyhow::Result<Vec<Suite>> {
    let mut suites = Vec::new();
    let mut build = cargo(&["test", "--no-run", "--workspace", "--profile", profile]);
    build.arg("--message-format=json-render-diagnostics");
    let built = each_line(&mut build, |line| {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        suites.extend(suite(&message));
    })?;
    ensure!(built, "the tests do not build");
    ensure!(!suites.is_empty(), "cargo named no test program");
    suites.sort_by_cached_key(|suite| (suite.place(), suite.area(), suite.name()));
    Ok(suites)
}

/// Returns the test program that a message of cargo names.
fn suite(message: &Value) -> Option<Suite> {
    if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
        return None;
    }
    let manifest = PathBuf::from(message["manifest_path"].as_str()?);
    let folder = manifest.parent()?.to_path_buf();
    let text = std::fs::read_to_string(&manifest).ok()?;
    let package: toml_edit::DocumentMut = text.parse().ok()?;
    Some(Suite {
        package: package["package"]["name"].as_str()?.to_owned(),
        target: message["target"]["name"].as_str()?.to_owned(),
        folder,
        program: PathBuf::from(message["executable"].as_str()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite_of(package: &str, target: &str) -> Suite {
        Suite {
            package: package.to_owned(),
            target: target.to_owned(),
            folder: PathBuf::new(),
            program: PathBuf::new(),
        }
    }

    #[test]
    fn every_program_has_an_area() {
        assert_eq!(suite_of("lancet", "promise").area(), "edit");
        assert_eq!(suite_of("lancet", "escapes").area(), "permissions");
        assert_eq!(suite_of("lancet-workspace", "proofs").area(), "commit");
        assert_eq!(suite_of("xtask", "xtask").area(), "xtask");
    }

    #[test]
    fn only_a_built_test_is_a_suite() {
        let message =
            serde_json::json!({ "reason": "compiler-artifact", "profile": { "test": false } });
        assert!(suite(&message).is_none());
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let message = serde_json::json!({
            "reason": "compiler-artifact", "profile": { "test": true }, "manifest_path": manifest,
            "target": { "name": "xtask" }, "executable": "/t/xtask",
        });
        let found = suite(&message).expect("a suite");
        assert_eq!(
            (found.package.as_str(), found.target.as_str()),
            ("xtask", "xtask")
        );
    }
}
