//! The protected and the secret names, in all spellings.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::fold::{self, FoldStrength};
use crate::laws::config;
use crate::table::{NameClass, PROTECTED_NAMES, SECRET_FILES, classify_path};

fn protected_name(path: &str) -> Option<&'static str> {
    match classify_path(Path::new(path)) {
        Some(NameClass::Protected { name }) => Some(name),
        _ => None,
    }
}

fn secret_pattern(path: &str) -> Option<String> {
    match classify_path(Path::new(path)) {
        Some(NameClass::Secret { pattern }) => Some(pattern.into_owned()),
        _ => None,
    }
}

#[test]
fn table_names_are_in_folded_form() {
    // A name that folding changes would never be found.
    for (name, _) in PROTECTED_NAMES {
        let folded = fold::fold_path(Path::new(name), FoldStrength::Drive);
        assert_eq!(folded.as_str(), *name);
    }
    for secret in SECRET_FILES {
        for part in secret.display_pattern().split('/') {
            let bare = part.trim_matches('*').trim_end_matches('.');
            assert_eq!(fold::fold_name(bare, FoldStrength::Drive), bare);
        }
    }
}

#[test]
fn protects_names_at_any_depth_and_everything_below() {
    for path in [
        ".git",
        ".git/config",
        "a/b/.git/hooks/pre-commit",
        "/home/x/.ssh/config",
        "sub/lancet.toml",
        ".claude/skills/a.md",
        "opencode.json",
    ] {
        assert!(protected_name(path).is_some(), "{path}");
    }
}

#[test]
fn protects_files_that_shells_and_agents_run() {
    for path in [
        // Shells, at the start and at the end.
        ".bash_login",
        ".bash_logout",
        ".zlogin",
        ".zlogout",
        "dotfiles/.config/fish/config.fish",
        "dotfiles/.config/fish/functions/ls.fish",
        ".config/autostart/x.desktop",
        // Agents: what they may do, and the servers and hooks that they start.
        "opencode.jsonc",
        ".roo/mcp.json",
        ".kiro/settings/mcp.json",
        ".amazonq/mcp.json",
        ".zed/settings.json",
        ".vscode/mcp.json",
        ".continue/config.yaml",
        ".codeium/windsurf/mcp_config.json",
        ".windsurf/mcp.json",
        ".junie/mcp/mcp.json",
        ".trae/mcp.json",
        ".augment/settings.json",
        ".qwen/settings.json",
        ".crush.json",
        "crush.json",
        ".crush/crush.json",
        ".github/hooks/session.json",
        ".clinerules/hooks/PreToolUse",
        // In other spellings.
        "a/.CONFIG/Fish./x",
        "a\\.config\\fish\\x",
        ".Bash_Login ",
    ] {
        assert!(protected_name(path).is_some(), "{path}");
    }
}

#[test]
fn does_not_protect_similar_names() {
    for path in [
        "",
        "/",
        "git",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitattributes",
        "AGENTS.md",
        "CLAUDE.md",
        "a.git",
        ".gitx",
        ".config",
        ".config/nextest.toml",
        ".config/fishing/rod",
        "fish/config.fish",
        ".config/x/fish/y",
        ".github/copilot-instructions.md",
        ".clinerules/style.md",
        "crush/src.rs",
        "lancet.toml.md",
        "src/env.rs",
        ".envrc",
        "keys.rs",
        "credentials",
        "aws/credentials",
        "id_rsa.pub",
    ] {
        assert_eq!(classify_path(Path::new(path)), None, "{path}");
    }
}

#[test]
fn protects_other_spellings_of_names() {
    for path in [
        ".GIT/config",
        ".Git",
        ".git./config",
        ".git . .",
        ".git::$INDEX_ALLOCATION/config",
        ".git:stream",
        ".g\u{200C}it",
        ".gi\u{00AD}t/x",
        "\u{FF0E}git",
        ".\u{FF27}\u{FF29}\u{FF34}",
        ".g\u{2139}t",
        ".\u{24D6}\u{24D8}\u{24E3}",
        ".git\u{FE0F}",
        ".git\u{E0041}",
        "\u{FEFF}.git",
        "a/.GIT ./x",
        "a\\.git\\config",
    ] {
        assert_eq!(protected_name(path), Some(".git"), "{path:?}");
    }
    assert_eq!(protected_name(".\u{17F}\u{17F}h/known_hosts"), Some(".ssh"));
    assert_eq!(protected_name(".vscode\u{FF0E}"), Some(".vscode"));
}

#[test]
fn recognises_secret_files_by_name() {
    for (path, pattern) in [
        (".env", ".env"),
        ("a/.ENV", ".env"),
        (".env.local", ".env.*"),
        (".env.example.local", ".env.*"),
        ("x/id_ed25519", "id_ed25519"),
        ("certs/Server.PEM", "*.pem"),
        ("a.key", "*.key"),
        (".aws/credentials", ".aws/credentials"),
        ("home/.AWS/credentials ", ".aws/credentials"),
        (".pypirc", ".pypirc"),
        (".netrc", ".netrc"),
        (".env:x", ".env"),
        (".ssh/id_rsa", "id_rsa"),
        ("state/serve-token", "serve-token"),
        ("state/Serve-Token-Read", "serve-token-read"),
        ("serve-token.new-0a", "serve-token.new-*"),
        ("state/person-token", "person-token"),
        ("person-token.new-0a", "person-token.new-*"),
        ("state/page-codes/serve-page-code.0a", "serve-page-code.*"),
        ("serve-page-device.0a", "serve-page-device.*"),
        ("serve-page-open.0a.html", "serve-page-open.*"),
    ] {
        assert_eq!(secret_pattern(path).as_deref(), Some(pattern), "{path}");
    }
}

#[test]
fn does_not_treat_example_files_as_secret() {
    for path in [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.local.example",
        ".aws/config",
        "x/.aws/y/credentials",
        ".env/file",
        "src/serve-token.rs",
        "serve-tokens",
        "serve-page.rs",
        "src/serve-page-codes.ts",
    ] {
        assert_eq!(secret_pattern(path), None, "{path}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn folding_is_idempotent(name in any::<String>()) {
        for strength in [FoldStrength::Strict, FoldStrength::Drive, FoldStrength::Plain] {
            let folded = fold::fold_name(&name, strength);
            prop_assert_eq!(fold::fold_name(&folded, strength), folded);
        }
    }

    #[test]
    fn disguised_names_stay_protected(
        index in 0..PROTECTED_NAMES.len(),
        capitals in any::<u64>(),
        invisible in prop::collection::vec((0usize..16, prop::sample::select(vec!['\u{200B}', '\u{00AD}', '\u{2060}', '\u{FE0E}', '\u{034F}'])), 0..4),
        end in "[. ]{0,3}",
        before in "[a-z]{0,3}",
        after in "[a-z]{0,3}",
    ) {
        let mut name: Vec<char> = PROTECTED_NAMES[index].0
            .chars()
            .enumerate()
            .map(|(at, character)| if capitals >> at & 1 == 1 { character.to_ascii_uppercase() } else { character })
            .collect();
        for (at, character) in invisible {
            name.insert(at.min(name.len()), character);
        }
        let dressed: String = name.into_iter().collect::<String>() + &end;
        let path = PathBuf::from(before).join(dressed).join(after);
        prop_assert!(classify_path(&path).is_some(), "{:?}", path);
    }

    #[test]
    fn arbitrary_path_never_panics(path in any::<String>()) {
        let _ = classify_path(Path::new(&path));
    }
}

#[test]
fn is_within_accepts_every_spelling() {
    let within = |path: &str, folder: &str| crate::is_within(Path::new(path), Path::new(folder));
    for path in [
        "/a/state",
        "/a/state/x.db",
        "/A/State/x",
        "/a/state./x",
        "/a/state /x",
        "/a//state/x",
        "/a/\u{ff53}tate/x",
        "/a/state/\u{e9}",
    ] {
        assert!(within(path, "/a/state"), "{path}");
    }
    for path in [
        "/a/stated",
        "/a",
        "/a/stat",
        "/b/state",
        "/a/x/state",
        "/a/stat\u{e9}",
    ] {
        assert!(!within(path, "/a/state"), "{path}");
    }
    assert!(within("/a/CAF\u{c9}/x", "/a/cafe\u{301}"));
}
