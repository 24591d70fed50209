//! Finds the sources of the grammar crates.
//!
//! Cargo does not tell a build script where another crate's source is, but `cargo metadata` does. It is run on a
//! package that has only the grammar crates as dependencies: for lancet itself, it would also require the crates of
//! other systems and of tests, which a build need not have downloaded.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates of the grammars and their versions, which are those of the workspace's `Cargo.toml`.
pub(crate) const CRATES: [(&str, &str); 9] = [
    ("tree-sitter-c", "0.24.2"),
    ("tree-sitter-cpp", "0.23.4"),
    ("tree-sitter-go", "0.25.0"),
    ("tree-sitter-java", "0.23.5"),
    ("tree-sitter-javascript", "0.25.0"),
    ("tree-sitter-json", "0.24.8"),
    ("tree-sitter-python", "0.25.0"),
    ("tree-sitter-rust", "0.24.2"),
    ("tree-sitter-typescript", "0.23.2"),
];

/// A grammar: the name of its parser, its crate, and the path of its `parser.c` in the crate.
const GRAMMARS: [(&str, &str, &str); 10] = [
    ("c", "tree-sitter-c", "src"),
    ("cpp", "tree-sitter-cpp", "src"),
    ("go", "tree-sitter-go", "src"),
    ("java", "tree-sitter-java", "src"),
    ("javascript", "tree-sitter-javascript", "src"),
    ("json", "tree-sitter-json", "src"),
    ("python", "tree-sitter-python", "src"),
    ("rust", "tree-sitter-rust", "src"),
    ("typescript", "tree-sitter-typescript", "typescript/src"),
    ("tsx", "tree-sitter-typescript", "tsx/src"),
];

/// A grammar and the folder of its `parser.c`.
pub(crate) struct Grammar {
    pub(crate) name: &'static str,
    pub(crate) folder: PathBuf,
}

/// Returns the grammars and their sources. A package for `cargo metadata` is written to `folder`.
pub(crate) fn grammars(folder: &Path) -> Result<Vec<Grammar>, String> {
    let manifests = manifests(folder)?;
    let mut found = Vec::new();
    for (name, of_crate, below) in GRAMMARS {
        let Some((_, version)) = CRATES.iter().find(|(known, _)| *known == of_crate) else {
            return Err(format!("{of_crate} has no version"));
        };
        let package = manifests
            .iter()
            .filter_map(|manifest| manifest.parent())
            .find(|package| {
                // In cargo's own folder the version is part of the name; with `cargo vendor` it may not be.
                package.file_name().is_some_and(|folder| {
                    folder == of_crate || folder.to_str() == Some(&format!("{of_crate}-{version}"))
                })
            })
            .ok_or_else(|| format!("cargo metadata does not name {of_crate} {version}"))?;
        found.push(Grammar {
            name,
            folder: package.join(below),
        });
    }
    Ok(found)
}

/// Returns the manifests of all packages that the grammar crates consist of.
fn manifests(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let asking = folder.join("asking");
    let manifest = asking.join("Cargo.toml");
    // The package belongs to no workspace, although the target folder is in one.
    let mut text = "[package]\nname = \"asking\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\npath = \"lib.rs\"\n\n\
                    [workspace]\n\n[dependencies]\n"
        .to_owned();
    for (name, version) in CRATES {
        text += &format!("{name} = \"={version}\"\n");
    }
    std::fs::create_dir_all(&asking)
        .and_then(|()| std::fs::write(&manifest, text))
        .and_then(|()| std::fs::write(asking.join("lib.rs"), ""))
        .map_err(|error| format!("{}: {error}", asking.display()))?;

    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        // Without the network: the crates have been downloaded, or there would be no build.
        .args(["metadata", "--format-version", "1", "--offline", "--quiet"])
        .arg("--manifest-path")
        .arg(&manifest)
        .output()
        .map_err(|error| format!("{}: {error}", cargo.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "cargo metadata: {}",
            said.trim().replace('\n', " ")
        ));
    }
    let json = String::from_utf8_lossy(&output.stdout);
    let manifests = json.split(r#""manifest_path":""#).skip(1);
    Ok(manifests
        .filter_map(|rest| rest.split('"').next())
        .map(|path| PathBuf::from(path.replace(r"\\", r"\")))
        .collect())
}
