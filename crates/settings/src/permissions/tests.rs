//! Permission lists in settings files: which load, which do not, and which a project may contain.

use super::super::{Layer, Origin, Settings};

fn layer_with_text(origin: Origin, text: &str) -> Layer {
    Layer {
        origin,
        path: "lancet.toml".into(),
        text: text.to_owned(),
    }
}

fn rules(origin: Origin, text: &str) -> (Vec<String>, Vec<String>) {
    let settings = Settings::load(&[layer_with_text(origin, text)]).expect(text);
    let rules = settings.rules.iter().map(ToString::to_string).collect();
    let ignored = settings.ignored.into_iter().map(|ignored| ignored.key);
    (rules, ignored.collect())
}

const EVERY_LIST: &str = "read_roots = [\"~/x\"]\n[permissions]\nallow = [\"Edit(a)\"]\nask = [\n  \"Edit(b)\",\n]\ndeny = \"Read(c)\"\n\
    [protected]\nopen = [\".claude/skills/x/**\"]\n[secrets]\nguard = [\"notes/*.md\"]\n";

#[test]
fn rules_have_layer_and_line() {
    let (rules, ignored) = rules(Origin::User, EVERY_LIST);
    assert_eq!(
        rules,
        [
            "allow Edit(a) (user, lancet.toml:3)",
            "ask Edit(b) (user, lancet.toml:5)",
            "deny Read(c) (user, lancet.toml:7)",
        ]
    );
    assert!(ignored.is_empty());
}

#[test]
fn project_cannot_loosen_permissions() {
    let (rules, ignored) = rules(Origin::Project, EVERY_LIST);
    assert_eq!(
        rules,
        [
            "ask Edit(b) (project, lancet.toml:5)",
            "deny Read(c) (project, lancet.toml:7)",
        ]
    );
    assert_eq!(
        ignored,
        [
            "read_roots",
            "permissions.allow",
            "protected.open",
            "secrets.guard"
        ]
    );
}

#[test]
fn trusted_project_may_allow_but_not_open_protected_names() {
    let (rules, ignored) = rules(Origin::TrustedProject, EVERY_LIST);
    assert_eq!(rules.len(), 3);
    assert_eq!(ignored, ["read_roots", "protected.open"]);
}

#[test]
fn rules_of_all_layers_are_combined() {
    let layers = [
        layer_with_text(Origin::CommandLine, "permissions.deny = [\"Read(x)\"]"),
        layer_with_text(Origin::Project, "permissions.deny = [\"Read(y)\"]"),
        layer_with_text(Origin::User, "permissions.deny = [\"Read(z)\"]"),
    ];
    let settings = Settings::load(&layers).expect("loads");
    let texts: Vec<&str> = settings
        .rules
        .iter()
        .map(|entry| entry.rule.text())
        .collect();
    assert_eq!(texts, ["Read(z)", "Read(y)", "Read(x)"]);
}

#[test]
fn invalid_rule_fails_load_with_line_and_suggestion() {
    for (text, line, words, meant) in [
        (
            "[permissions]\ndeny = [\n  \"Read(a)\",\n  \"Raed(b)\",\n]\n",
            4,
            "no tool \"Raed\"",
            Some("\"Read(b)\""),
        ),
        (
            "permissions.deny = [\"Read()\"]",
            1,
            "empty",
            Some("\"Read(**)\""),
        ),
        (
            "permissions.allow = [\"Edit(!x)\"]",
            1,
            "negation",
            Some("\"Edit(x)\""),
        ),
        (
            "permissions.ask = [\"Edit(../x)\"]",
            1,
            "climbs",
            Some("\"Edit(x)\""),
        ),
        (
            "permissions.deny = [\"Read(a\\u0000)\"]",
            1,
            "NUL",
            Some("\"Read(a)\""),
        ),
        ("permissions.deny = [3]", 1, "a list of texts", None),
        (
            "permissions.denied = [\"Read(x)\"]",
            1,
            "no setting",
            Some("permissions.deny"),
        ),
        ("protected.open = [\".git/**\"]", 1, "always asks", None),
        (
            "protected.open = [\".claude/**\"]",
            1,
            "all of `.claude`",
            Some("\".claude/skills/NAME/**\""),
        ),
        ("secrets.guard = [\"\"]", 1, "empty", Some("\"**\"")),
        ("read_roots = [\"x\"]", 1, "not absolute", None),
    ] {
        for origin in [Origin::User, Origin::Project] {
            let flaws = Settings::load_usable(&[layer_with_text(origin, text)], &[]).flaws;
            let error = &flaws.first().expect(text).error;
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(words), "{error}");
            assert_eq!(error.suggestion.as_deref(), meant, "{error}");
        }
    }
}
