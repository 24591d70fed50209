//! The test programs of the workspace: built once, then run one after the other, each counted for the area of lancet
//! that it tests. The summary shows how long each area takes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::tally::Tally;
use crate::run::{cargo, command, each_line};

/// One test program.
pub(crate) struct Suite {
    package: String,
    target: String,
    folder: PathBuf,
    program: PathBuf,
}

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
    ("formats", &["notebooks"]),
];

impl Suite {
    /// The area of lancet that the program tests.
    fn area(&self) -> &'static str {
        match self.package.as_str() {
            "lancet" => AREAS_OF_LANCET
                .iter()
                .find(|(_, targets)| targets.contains(&self.target.as_str()))
                .map_or("edit", |(area, _)| area),
            "lancet-text" => "edit",
            "lancet-workspace" => "commit",
            "lancet-history" | "lancet-git" => "history",
            "lancet-policy" => "permissions",
            "lancet-search" => "search",
            "lancet-cli" => "shell",
            "lancet-mcp" => "agents",
            "lancet-dialects" => "dialects",
            "lancet-formats" => "formats",
            _ => "house",
        }
    }
}

/// Builds every test program, and with them the program `lancet`.
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
    suites
        .sort_by(|a, b| (a.area(), &a.package, &a.target).cmp(&(b.area(), &b.package, &b.target)));
    Ok(suites)
}

/// The test program that a message of cargo names.
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

/// Runs test programs, prepared by `prepare`; returns passed, failed and seconds for each area.
pub(crate) fn run(
    suites: &[Suite],
    prepare: impl Fn(&mut Command),
) -> anyhow::Result<BTreeMap<&'static str, (Tally, f64)>> {
    let mut areas: BTreeMap<&'static str, (Tally, f64)> = BTreeMap::new();
    for suite in suites {
        let began = Instant::now();
        let mut test = command(&suite.program, &["--quiet"]);
        test.current_dir(&suite.folder)
            .env("CARGO_MANIFEST_DIR", &suite.folder);
        prepare(&mut test);
        let mut tally = Tally::default();
        let succeeded = each_line(&mut test, |line| match Tally::of_cargo_line(line) {
            Some(more) => tally += more,
            None if line.trim().is_empty() || line.starts_with("running ") => {}
            None => println!("{line}"),
        })
        .with_context(|| format!("{} of {}", suite.target, suite.package))?;
        // A program without tests of this kind (its tests are documentation tests) is not a failure.
        let tally = if succeeded {
            tally
        } else {
            tally.settled(false)
        };
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{seconds:>7.1} s  {:>5} passed {:>3} failed  {}: {}",
            tally.passed, tally.failed, suite.package, suite.target
        );
        let (sum, time) = areas.entry(suite.area()).or_default();
        *sum += tally;
        *time += seconds;
    }
    Ok(areas)
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
        assert_eq!(suite_of("xtask", "xtask").area(), "house");
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
