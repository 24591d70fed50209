//! The tables of protected names, which no agent writes without asking a person, and of secret files, whose text is not
//! shown. They apply to all tools and are searched with folded names.

use std::borrow::Cow;
use std::path::Path;

use crate::fold::{self, FoldStrength};

/// Whether a part below a protected name may be opened by the user's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopePermission {
    /// Nothing below it: version control, shells' start-up files, permission settings.
    Never,
    /// A part of it, but not the settings files directly in it.
    InPart,
}

use ScopePermission::{InPart, Never};

/// Names that are protected wherever they occur, with everything below them; `a/b` means `b` directly in a folder `a`.
/// The name of a folder also protects files that do not exist yet. Instruction files for models (`AGENTS.md`,
/// `.clinerules`) are not settings and are left out. So are files that a project edits every day and that need consent
/// before they run (`.envrc`).
pub(crate) const PROTECTED_NAMES: &[(&str, ScopePermission)] = &[
    // Version control.
    (".git", Never),
    (".hg", Never),
    (".svn", Never),
    (".jj", Never),
    (".gitconfig", Never),
    (".gitmodules", Never),
    (".config/git", Never),
    // Editors that run programs named in their settings.
    (".vscode", InPart),
    (".idea", InPart),
    (".zed", InPart),
    (".config/zed", InPart),
    (".fleet", InPart),
    // Shells and tools that read these files at every start.
    (".bashrc", Never),
    (".bash_profile", Never),
    (".bash_login", Never),
    (".bash_logout", Never),
    (".bash_aliases", Never),
    (".inputrc", Never),
    (".zshrc", Never),
    (".zprofile", Never),
    (".zshenv", Never),
    (".zlogin", Never),
    (".zlogout", Never),
    (".oh-my-zsh", Never),
    (".profile", Never),
    (".kshrc", Never),
    (".mkshrc", Never),
    (".cshrc", Never),
    (".tcshrc", Never),
    (".login", Never),
    (".logout", Never),
    (".config/fish", Never),
    (".config/nushell", Never),
    (".config/powershell", Never),
    (".ripgreprc", Never),
    (".npmrc", Never),
    (".netrc", Never),
    (".ssh", InPart),
    // Desktops and service managers that also read these files at every start.
    (".xprofile", Never),
    (".xinitrc", Never),
    (".xsession", Never),
    (".xsessionrc", Never),
    (".pam_environment", Never),
    (".config/autostart", Never),
    (".config/environment.d", Never),
    (".config/systemd", Never),
    // lancet's own settings.
    (".lancet", Never),
    ("lancet.toml", Never),
    // Settings of agents: their permissions, and the servers and hooks that they start.
    (".mcp.json", Never),
    (".claude", InPart),
    (".claude.json", Never),
    (".codex", InPart),
    (".cursor", InPart),
    (".gemini", InPart),
    (".opencode", InPart),
    ("opencode.json", Never),
    ("opencode.jsonc", Never),
    (".opencode.json", Never),
    (".config/opencode", InPart),
    (".goose", InPart),
    (".config/goose", InPart),
    (".continue", InPart),
    (".continuerc.json", Never),
    (".aider.conf.yml", Never),
    (".roo", InPart),
    (".roomodes", Never),
    (".kilocode", InPart),
    (".kilocodemodes", Never),
    (".cline", InPart),
    (".clinerules/hooks", Never),
    (".kiro", InPart),
    (".amazonq", InPart),
    (".codeium", InPart),
    (".windsurf", InPart),
    (".junie", InPart),
    (".trae", InPart),
    (".augment", InPart),
    (".qwen", InPart),
    (".crush", InPart),
    (".crush.json", Never),
    ("crush.json", Never),
    (".config/crush", InPart),
    (".copilot", InPart),
    (".github/hooks", Never),
    (".factory", InPart),
    (".openhands", InPart),
    (".amp", InPart),
    (".config/amp", InPart),
    (".tabnine", InPart),
    (".qoder", InPart),
    (".codebuddy", InPart),
    (".iflow", InPart),
];

/// Files in an agent's folder that set the agent's permissions or what it starts: never opened.
const PERMISSION_SETTINGS: &[&str] = &[
    "settings.json",
    "settings.local.json",
    "config.toml",
    "config.yaml",
    "config.yml",
    "config.json",
    "mcp.json",
    "mcp_config.json",
    "mcp-config.json",
    "mcp_settings.json",
    "settings/mcp.json",
    "cli.json",
    "permissions.json",
    "opencode.json",
    "opencode.jsonc",
    "crush.json",
    "hooks.json",
];

/// Files that hold keys or passwords.
pub(crate) const SECRET_FILES: &[SecretFile] = &[
    SecretFile::Name(".env"),
    SecretFile::Start(".env.", &[".example", ".sample", ".template"]),
    SecretFile::Name("id_rsa"),
    SecretFile::Name("id_dsa"),
    SecretFile::Name("id_ecdsa"),
    SecretFile::Name("id_ed25519"),
    SecretFile::End(".pem"),
    SecretFile::End(".key"),
    SecretFile::End(".p12"),
    SecretFile::End(".pfx"),
    SecretFile::Name(".netrc"),
    SecretFile::Name(".npmrc"),
    SecretFile::Name(".pypirc"),
    SecretFile::Below(".aws", "credentials"),
    // The tokens of `lancet serve`, in any state folder; the last two are tokens that are just being created.
    SecretFile::Name("serve-token"),
    SecretFile::Name("serve-token-read"),
    SecretFile::Name("person-token"),
    SecretFile::Start("person-token.new-", &[]),
    SecretFile::Start("serve-token.new-", &[]),
    SecretFile::Start("serve-token-read.new-", &[]),
    // Links into the page of `lancet serve`, the devices that it knows, and the file that opens a browser.
    SecretFile::Start("serve-page-code.", &[]),
    SecretFile::Start("serve-page-device.", &[]),
    SecretFile::Start("serve-page-open.", &[]),
];

/// How a secret file is recognised.
#[derive(Debug)]
pub(crate) enum SecretFile {
    /// By its whole name.
    Name(&'static str),
    /// By the start of its name, unless the name ends in one of these.
    Start(&'static str, &'static [&'static str]),
    /// By the end of its name.
    End(&'static str),
    /// By its name in a folder of this name.
    Below(&'static str, &'static str),
}

impl SecretFile {
    fn is_match(&self, name: &str, folder: Option<&str>) -> bool {
        match self {
            SecretFile::Name(own) => name == *own,
            SecretFile::Start(start, except) => {
                name.starts_with(start) && !except.iter().any(|end| name.ends_with(end))
            }
            SecretFile::End(end) => name.ends_with(end),
            SecretFile::Below(own_folder, own) => name == *own && folder == Some(own_folder),
        }
    }

    /// Returns the pattern as documentation writes it, such as `*.pem`.
    pub(crate) fn display_pattern(&self) -> Cow<'static, str> {
        match self {
            SecretFile::Name(name) => Cow::Borrowed(name),
            SecretFile::Start(start, _) => Cow::Owned(format!("{start}*")),
            SecretFile::End(end) => Cow::Owned(format!("*{end}")),
            SecretFile::Below(folder, name) => Cow::Owned(format!("{folder}/{name}")),
        }
    }
}

/// Returns the names of secret files that are recognised by their whole name.
pub fn secret_names() -> impl Iterator<Item = &'static str> {
    SECRET_FILES.iter().filter_map(|secret| match secret {
        SecretFile::Name(name) => Some(*name),
        _ => None,
    })
}

/// Finds the entry of the table that a folded path matches.
pub(crate) fn find_secret(folded: &str) -> Option<&'static SecretFile> {
    let mut names = folded.rsplit('/').filter(|name| !name.is_empty());
    let name = names.next()?;
    if !may_be_secret(name) {
        return None;
    }
    let folder = names.next();
    SECRET_FILES
        .iter()
        .find(|secret| secret.is_match(name, folder))
}

/// Returns whether a folded name can be a secret file, judged by its beginning and its end; almost no name passes.
pub(crate) fn may_be_secret(name: &str) -> bool {
    match name.as_bytes() {
        [b'.', ..] | b"credentials" => true,
        [.., b'.', one, two, three] => {
            matches!(&[*one, *two, *three], b"pem" | b"key" | b"p12" | b"pfx")
                || begins_like_secret(name)
        }
        _ => begins_like_secret(name),
    }
}

fn begins_like_secret(name: &str) -> bool {
    name.starts_with("id_") || name.starts_with("serve-") || name.starts_with("person-")
}

#[cfg(test)]
#[test]
fn quick_check_accepts_every_secret_file() {
    for (pattern, path) in SECRET_FILES.iter().map(|secret| match secret {
        SecretFile::Name(name) => (secret, (*name).to_owned()),
        SecretFile::Start(start, _) => (secret, format!("{start}z")),
        SecretFile::End(end) => (secret, format!("z{end}")),
        SecretFile::Below(folder, name) => (secret, format!("{folder}/{name}")),
    }) {
        assert!(self::find_secret(&path).is_some(), "{pattern:?}");
    }
}

/// Finds the first protected name in a folded path, and the rest of the path after it.
pub(crate) fn find_protected(folded: &str) -> Option<(&'static str, ScopePermission, &str)> {
    let mut rest = folded;
    loop {
        // Nearly all protected names begin with a dot, and few other names do.
        if matches!(rest.as_bytes().first(), Some(b'.' | b'c' | b'o' | b'l'))
            && let Some(found) = PROTECTED_NAMES
                .iter()
                .find_map(|entry| find_leading(rest, entry))
        {
            return Some(found);
        }
        rest = rest.split_once('/')?.1;
    }
}

/// Finds a protected name of two parts whose folder is the root itself: a user who chooses such a root has chosen the
/// folder, but not everything in it.
pub(crate) fn find_inside_root<'p>(
    root: &str,
    folded: &'p str,
) -> Option<(&'static str, ScopePermission, &'p str)> {
    // Few of the names begin like the root. Comparing all of them took 6,000 instructions, twice in each Edit.
    let first = root.as_bytes().first();
    let alike = |(known, _): &&(&str, ScopePermission)| known.as_bytes().first() == first;
    PROTECTED_NAMES
        .iter()
        .filter(alike)
        .find_map(|(known, opens)| {
            let own = known.strip_prefix(root)?.strip_prefix('/')?;
            let (_, _, rest) = find_leading(folded, &(own, *opens))?;
            Some((*known, *opens, rest))
        })
}

/// Finds an entry of the table that a folded path begins with, and the rest of the path.
fn find_leading<'p>(
    folded: &'p str,
    (known, opens): &(&'static str, ScopePermission),
) -> Option<(&'static str, ScopePermission, &'p str)> {
    match folded.strip_prefix(known)? {
        "" => Some((known, *opens, "")),
        rest => Some((known, *opens, rest.strip_prefix('/')?)),
    }
}

/// Returns whether the path below a protected name is a file that sets an agent's permissions.
pub(crate) fn is_permission_settings(below: &str) -> bool {
    PERMISSION_SETTINGS.contains(&below)
}

/// The class of a path by its names alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameClass {
    /// The path is, or is below, a protected name; a write to it needs a person's consent in every mode.
    Protected {
        /// The name in the table.
        name: &'static str,
    },
    /// The path is a secret file, which is not shown; creating or overwriting it needs a person's consent in every
    /// mode.
    Secret {
        /// Its pattern as documentation writes it, `*.pem`.
        pattern: Cow<'static, str>,
    },
}

/// Classifies a path by its names alone, whether or not it exists. If both classes apply, the path is secret, which is
/// stricter: writing asks, too, and reading is denied. Rules and scopes are not considered.
pub fn classify_path(path: &Path) -> Option<NameClass> {
    let folded =
        [FoldStrength::Strict, FoldStrength::Drive].map(|strength| fold::fold_path(path, strength));
    if let Some(secret) = folded
        .iter()
        .find_map(|folded| find_secret(folded.as_str()))
    {
        return Some(NameClass::Secret {
            pattern: secret.display_pattern(),
        });
    }
    let found = folded
        .iter()
        .find_map(|folded| find_protected(folded.as_str()));
    found.map(|(name, ..)| NameClass::Protected { name })
}
