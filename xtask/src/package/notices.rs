//! The licences of everything that is linked into the binary, which have to be distributed together with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::run::cargo;

/// The beginnings of the names of licence files, in capitals.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// Returns one text for all: each licence once, after the crates that it belongs to.
pub(super) fn text(target: &str) -> anyhow::Result<String> {
    let mut ask = cargo(&["metadata", "--format-version", "1", "--locked"]);
    let done = ask.args(["--filter-platform", target]).output()?;
    ensure!(
        done.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    let metadata: Value = serde_json::from_slice(&done.stdout)?;
    let mut crates_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in linked(&metadata)? {
        // A crate without a source is part of this workspace.
        if package["source"].is_null() {
            continue;
        }
        let name = format!(
            "{} {}",
            text_field(package, "name")?,
            text_field(package, "version")?
        );
        let licence = package["license"].as_str().unwrap_or("see below");
        let folder = Path::new(text_field(package, "manifest_path")?).parent();
        let mut texts = texts_in(folder.context("a manifest without a folder")?)?;
        if texts.is_empty() {
            texts.push(without_text(package));
        }
        for text in texts {
            let crates = crates_of.entry(text).or_default();
            crates.insert(format!("{name} ({licence})"));
        }
    }
    let mut blocks: Vec<String> = crates_of
        .into_iter()
        .map(|(text, crates)| {
            let crates: Vec<String> = crates.into_iter().collect();
            format!("{}\n\n{}\n", crates.join("\n"), text.trim_end())
        })
        .collect();
    blocks.sort();
    let head = "The program lancet contains the following crates. Each licence stands after the crates that it is from.\n";
    let line = format!("\n{}\n\n", "=".repeat(80));
    Ok(format!("{head}{line}{}", blocks.join(&line)))
}

/// Returns the packages that become part of the program: no tests, no build scripts and no dependencies of only these.
fn linked(metadata: &Value) -> anyhow::Result<Vec<&Value>> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().context("no packages")?;
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap_or_default().to_owned(), node))
        .collect();
    let program = packages
        .iter()
        .find(|package| package["name"] == "lancet-cli")
        .context("cargo metadata names no lancet-cli")?;
    let mut open = vec![text_field(program, "id")?.to_owned()];
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        for dependency in nodes
            .get(&id)
            .map_or_else(Vec::new, |node| list(&node["deps"]))
        {
            let kinds = list(&dependency["dep_kinds"]);
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                let package = text_field(&dependency, "pkg")?.to_owned();
                if !found.contains(&package) {
                    open.push(package);
                }
            }
        }
        found.insert(id);
    }
    let is_found = |package: &&Value| {
        let id = package["id"].as_str();
        id.is_some_and(|id| found.contains(id))
    };
    Ok(packages.iter().filter(is_found).collect())
}

fn text_field<'v>(value: &'v Value, field: &str) -> anyhow::Result<&'v str> {
    let text = value[field].as_str();
    text.with_context(|| format!("cargo metadata has no {field}"))
}

/// Returns the notice for a crate that names a licence but does not contain its text.
fn without_text(package: &Value) -> String {
    let list = |field: &Value| {
        let words = field.as_array().into_iter().flatten();
        words
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!(
        "The crate names its licence and brings no text of it. Authors: {}. Source: {}",
        list(&package["authors"]),
        package["repository"].as_str().unwrap_or("not named")
    )
}

/// Returns the texts of the licences in the folder of a crate.
fn texts_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            let bytes = std::fs::read(entry.path())?;
            texts.push(String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}
