//! Names that no agent writes without a person's word, and files whose text is never shown: one table for all tools.
//! It judges names alone; whoever asks hands in the path as given and the path as opened, each by itself.

mod fold;
#[cfg(test)]
mod tests;

use std::path::{Component, Path};

/// Names that are protected wherever they stand, with all that is below them. A folder's name protects also what does
/// not exist yet.
const PROTECTED: &[&str] = &[
    // Version control.
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".gitconfig",
    ".gitmodules",
    // Editors that run what their settings name.
    ".vscode",
    ".idea",
    // Shells and tools that run at every start.
    ".bashrc",
    ".bash_profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".profile",
    ".ripgreprc",
    ".npmrc",
    ".netrc",
    ".ssh",
    // Settings of agents, and of lancet itself. `AGENTS.md` and `CLAUDE.md` are text for models, not settings.
    ".claude",
    ".lancet",
    ".mcp.json",
    ".claude.json",
    ".codex",
    ".cursor",
    ".gemini",
    ".opencode",
    ".goose",
    ".continue",
    ".aider.conf.yml",
    "opencode.json",
    "lancet.toml",
];

/// Files that hold keys or passwords.
const SECRET: &[Secret] = &[
    Secret::Name(".env"),
    Secret::Start(".env.", &[".example", ".sample", ".template"]),
    Secret::Name("id_rsa"),
    Secret::Name("id_dsa"),
    Secret::Name("id_ecdsa"),
    Secret::Name("id_ed25519"),
    Secret::End(".pem"),
    Secret::End(".key"),
    Secret::End(".p12"),
    Secret::End(".pfx"),
    Secret::Name(".netrc"),
    Secret::Name(".npmrc"),
    Secret::Name(".pypirc"),
    Secret::Below(".aws", "credentials"),
];

/// How a secret file is known.
enum Secret {
    /// By its whole name.
    Name(&'static str),
    /// By the start of its name, unless it ends in one of these.
    Start(&'static str, &'static [&'static str]),
    /// By the end of its name.
    End(&'static str),
    /// By its name in a folder of that name.
    Below(&'static str, &'static str),
}

/// What a path's name says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is, or is below, a name that asks in every mode.
    Protected {
        /// The name of the table.
        name: &'static str,
    },
    /// It is a file that is not shown; creating or overwriting it asks in every mode.
    Secret {
        /// Its pattern as documentation writes it, `*.pem`.
        pattern: String,
    },
}

/// Judges a path by its names, whether or not it exists. Where both apply it is secret, the stricter of the two: writing
/// asks as well, and reading is denied.
pub fn judge(path: &Path) -> Option<Verdict> {
    // A mounted Windows drive may take the backslash for a separator.
    let pieces = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let names: Vec<String> = pieces
        .flat_map(|name| name.split('\\').map(fold::folded).collect::<Vec<_>>())
        .collect();
    if let Some(secret) = SECRET.iter().find(|secret| secret.is(&names)) {
        return Some(Verdict::Secret {
            pattern: secret.pattern(),
        });
    }
    let protected = names
        .iter()
        .find_map(|name| PROTECTED.iter().find(|known| *known == name));
    protected.map(|name| Verdict::Protected { name })
}

impl Secret {
    fn is(&self, names: &[String]) -> bool {
        let Some((name, folders)) = names.split_last() else {
            return false;
        };
        match self {
            Secret::Name(own) => name == own,
            Secret::Start(start, except) => {
                name.starts_with(start) && !except.iter().any(|end| name.ends_with(end))
            }
            Secret::End(end) => name.ends_with(end),
            Secret::Below(folder, own) => {
                name == own && folders.last().is_some_and(|last| last == folder)
            }
        }
    }

    fn pattern(&self) -> String {
        match self {
            Secret::Name(name) => (*name).to_owned(),
            Secret::Start(start, _) => format!("{start}*"),
            Secret::End(end) => format!("*{end}"),
            Secret::Below(folder, name) => format!("{folder}/{name}"),
        }
    }
}
