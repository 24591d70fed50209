//! Permission lists in settings files: which load, which do not, and which a project may contain.

use super::super::{Layer, Origin, Settings};

fn layer(origin: Origin, text: &str) -> Layer {
    Layer {
        origin,
        path: "lancet.toml".into(),
        text: text.to_owned(),
    }
}

fn rules(origin: Origin, text: &str) -> (Vec<String>, Vec<String>) {
    let settings = Settings::load(&[layer(origin, text)]).expect(text);
    let rules = settings.rules.iter().map(ToString::to_string).collect();
    let ignored = settings.ignored.into_iter().map(|ignored| ignored.key);
    (rules, ignored.collect())
}

const ALL: &str = "read_roots = [\"~/x\"]\n[permissions]\nallow = [\"Edit(a)\"]\nask = [\n  \"Edit(b)\",\n]\ndeny = \"Read(c)\"\n\
    [protected]\nopen = [\".claude/skills/x/**\"]\n[secrets]\nguard = [\"notes/*.md\"]\n";

#[test]
fn rules_come_with_their_layer_and_line() {
    let (rules, ignored) = rules(Origin::User, ALL);
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
fn a_project_may_only_tighten() {
    let (rules, ignored) = rules(Origin::Project, ALL);
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
fn a_trusted_project_allows_and_still_opens_nothing() {
    let (rules, ignored) = rules(Origin::TrustedProject, ALL);
    assert_eq!(rules.len(), 3);
    assert_eq!(ignored, ["read_roots", "protected.open"]);
}

#[test]
fn rules_of_several_layers_add_up() {
    let layers = [
        layer(Origin::CommandLine, "permissions.deny = [\"Read(x)\"]"),
        layer(Origin::Project, "permissions.deny = [\"Read(y)\"]"),
        layer(Origin::User, "permissions.deny = [\"Read(z)\"]"),
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
fn a_rule_that_cannot_serve_stops_the_load_with_line_and_closest_form() {
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
            let flaws = Settings::load_usable(&[layer(origin, text)], &[]).flaws;
            let error = &flaws.first().expect(text).error;
            assert_eq!(error.line, line, "{error}");
            assert!(error.message.contains(words), "{error}");
            assert_eq!(error.suggestion.as_deref(), meant, "{error}");
        }
    }
}
