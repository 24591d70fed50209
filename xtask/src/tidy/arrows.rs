//! The allowed dependencies between the crates, and the libraries that only one crate may use.

use toml_edit::{DocumentMut, Item};

use super::Finding;
use crate::repository::Repository;

/// Each crate and the crates that it may use. The lower crates are independent of each other, but several use `text`.
const ROOMS: [(&str, &[&str]); 26] = [
    ("crates/text", &[]),
    ("crates/dialects", &[]),
    ("crates/formats", &[]),
    ("crates/grammars", &[]),
    ("crates/history", &["lancet-local-state"]),
    ("crates/install", &[]),
    ("crates/language", &[]),
    ("crates/local-state", &[]),
    ("crates/rendering", &["lancet-text"]),
    ("crates/policy", &["lancet-text"]),
    ("crates/workspace", &["lancet-text"]),
    ("crates/search", &["lancet-workspace"]),
    ("crates/git", &["lancet-workspace"]),
    (
        "crates/recording",
        &[
            "lancet-text",
            "lancet-workspace",
            "lancet-search",
            "lancet-git",
            "lancet-policy",
            "lancet-history",
        ],
    ),
    (
        "crates/model",
        &[
            "lancet-text",
            "lancet-dialects",
            "lancet-formats",
            "lancet-language",
            "lancet-workspace",
            "lancet-search",
            "lancet-history",
        ],
    ),
    (
        "crates/settings",
        &[
            "lancet-model",
            "lancet-text",
            "lancet-formats",
            "lancet-language",
            "lancet-workspace",
            "lancet-policy",
        ],
    ),
    ("crates/tools", &["lancet-model", "lancet-policy"]),
    (
        "crates/lancet",
        &[
            "lancet-model",
            "lancet-recording",
            "lancet-settings",
            "lancet-tools",
            "lancet-text",
            "lancet-dialects",
            "lancet-formats",
            "lancet-language",
            "lancet-workspace",
            "lancet-search",
            "lancet-git",
            "lancet-history",
            "lancet-local-state",
            "lancet-policy",
        ],
    ),
    ("crates/mcp", &["lancet", "lancet-serving"]),
    ("crates/pdf", &["lancet-formats"]),
    ("crates/syntax", &["lancet-formats", "lancet-grammars"]),
    (
        "crates/web",
        &["lancet", "lancet-mcp", "lancet-rendering", "lancet-serving"],
    ),
    (
        "crates/serving",
        &["lancet", "lancet-formats", "lancet-language"],
    ),
    (
        "crates/cli",
        &[
            "lancet",
            "lancet-install",
            "lancet-mcp",
            "lancet-pdf",
            "lancet-rendering",
            "lancet-serving",
            "lancet-syntax",
            "lancet-web",
            "lancet-workspace",
        ],
    ),
    ("crates/testing", &["lancet"]),
    ("xtask", &[]),
];

const SEARCHES: &str = "only search knows how ripgrep searches";

/// Libraries whose types shape the code that uses them, and the only crates that may use them, so that a change of such
/// a library stays local.
const KEPT: [(&str, &[&str], &str); 19] = [
    (
        "rmcp",
        &["crates/mcp"],
        "only the door for agents knows the protocol",
    ),
    (
        "tokio",
        &["crates/mcp", "crates/serving", "crates/web"],
        "the core is synchronous",
    ),
    (
        "axum",
        &["crates/web"],
        "only what listens knows how requests are routed",
    ),
    (
        "hyper",
        &["crates/web"],
        "only what listens knows connections",
    ),
    ("clap", &["crates/cli"], "only the program has arguments"),
    (
        "clap_complete",
        &["crates/cli"],
        "only the program has arguments",
    ),
    (
        "clap_mangen",
        &["crates/cli"],
        "only the program has arguments",
    ),
    (
        "rusqlite",
        &["crates/history"],
        "only history keeps records",
    ),
    (
        "rustix",
        &[
            "crates/workspace",
            "crates/cli",
            "crates/pdf",
            "crates/serving",
            "crates/testing",
        ],
        "only workspace speaks to the disk (cli: to the terminal; pdf: to its worker; serving: to programs it starts; testing: who runs the tests)",
    ),
    (
        "nix",
        &["crates/workspace"],
        "only workspace speaks to the disk",
    ),
    ("ignore", &["crates/search"], SEARCHES),
    ("grep-matcher", &["crates/search"], SEARCHES),
    ("grep-printer", &["crates/search"], SEARCHES),
    ("grep-regex", &["crates/search"], SEARCHES),
    ("grep-searcher", &["crates/search"], SEARCHES),
    (
        "miniz_oxide",
        &["crates/git", "crates/grammars"],
        "only git's objects and the tables of grammars are deflated",
    ),
    (
        "landlock",
        &["crates/pdf", "crates/serving"],
        "it binds the whole process: never in the library",
    ),
    ("tree-sitter", &["crates/syntax"], "only syntax knows trees"),
    (
        "anyhow",
        &["crates/cli", "xtask"],
        "libraries have errors of their own",
    ),
];

/// Crates use only what this table allows, and every crate is in it.
pub(super) fn between_rooms(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, room, names) in manifests(repository) {
        let Some((_, allowed)) = ROOMS.iter().find(|(known, _)| *known == room) else {
            findings.push(Finding::of_file(
                path,
                "this crate is not on the map: give it its arrows in xtask/src/tidy/arrows.rs and ARCHITECTURE.md",
            ));
            continue;
        };
        for name in names {
            let ours = name == "lancet" || name.starts_with("lancet-");
            if ours && !allowed.contains(&name.as_str()) {
                findings.push(Finding::of_file(
                    path,
                    format!(
                        "{room} may not use {name} (it may use: {})",
                        listed(allowed)
                    ),
                ));
            }
        }
    }
    findings
}

/// Libraries that are reserved for some crates are used by no other.
pub(super) fn to_libraries(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, room, names) in manifests(repository) {
        for name in names {
            if let Some((_, keepers, why)) = KEPT.iter().find(|(kept, ..)| *kept == name)
                && !keepers.contains(&room)
            {
                findings.push(Finding::of_file(
                    path,
                    format!("{name} belongs to {}: {why}", listed(keepers)),
                ));
            }
        }
    }
    findings
}

/// Returns the path, folder and dependencies of every crate. Dependencies of tests (`dev-dependencies`) do not count.
fn manifests(repository: &Repository) -> impl Iterator<Item = (&str, &str, Vec<String>)> {
    repository.texts().filter_map(|file| {
        let room = file.path.strip_suffix("/Cargo.toml")?;
        if !(room.starts_with("crates/") || room == "xtask") {
            return None;
        }
        let manifest: DocumentMut = file.text.parse().ok()?;
        let mut names = Vec::new();
        let targets = manifest.get("target").and_then(Item::as_table_like);
        let tables = std::iter::once(manifest.as_table() as &dyn toml_edit::TableLike)
            .chain(
                targets
                    .into_iter()
                    .flat_map(|all| all.iter())
                    .filter_map(|(_, one)| one.as_table_like()),
            )
            .collect::<Vec<_>>();
        for table in tables {
            for section in ["dependencies", "build-dependencies"] {
                if let Some(listed) = table.get(section).and_then(Item::as_table_like) {
                    names.extend(listed.iter().map(|(name, _)| name.to_owned()));
                }
            }
        }
        Some((file.path, room, names))
    })
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_lets_the_core_use_the_lower_crates() {
        let repository = Repository::with_files(&[(
            "crates/lancet/Cargo.toml",
            "[dependencies]\nlancet-text.workspace = true\nserde = \"1\"\n",
        )]);
        assert_eq!(between_rooms(&repository), []);
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        let repository = Repository::with_files(&[(
            "crates/text/Cargo.toml",
            "[dependencies]\nlancet-workspace.workspace = true\n",
        )]);
        assert_eq!(between_rooms(&repository).len(), 1);
    }

    #[test]
    fn an_arrow_in_a_platform_table_is_found() {
        let repository = Repository::with_files(&[(
            "crates/text/Cargo.toml",
            "[target.'cfg(unix)'.dependencies]\nlancet = \"1\"\n",
        )]);
        assert_eq!(between_rooms(&repository).len(), 1);
    }

    #[test]
    fn a_crate_that_is_not_on_the_map_is_found() {
        let repository = Repository::with_files(&[(
            "crates/cellar/Cargo.toml",
            "[package]\nname = \"cellar\"\n",
        )]);
        assert_eq!(between_rooms(&repository).len(), 1);
    }

    #[test]
    fn the_protocol_library_outside_its_door_is_found_but_not_in_tests() {
        let used =
            Repository::with_files(&[("crates/cli/Cargo.toml", "[dependencies]\nrmcp = \"3\"\n")]);
        assert_eq!(to_libraries(&used).len(), 1);
        let tested = Repository::with_files(&[(
            "crates/cli/Cargo.toml",
            "[dev-dependencies]\nrmcp = \"3\"\n",
        )]);
        assert_eq!(to_libraries(&tested), []);
    }
}
