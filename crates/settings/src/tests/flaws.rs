//! Parts of settings files that cannot be used, and what they leave in force.

use super::*;
use crate::FlawEffect;

fn flaws(origin: Origin, text: &str) -> Vec<(usize, FlawEffect)> {
    let settings = Settings::load_usable(&[layer_with_text(origin, text)], &[]);
    let flaws = settings.flaws.iter();
    flaws.map(|flaw| (flaw.error.line, flaw.effect)).collect()
}

#[test]
fn applies_rest_of_project_file_despite_flaw() {
    let text = "newkey = 1\nmode = \"plan\"\n[read]\ngutter = \"pipes\"\nmax_lines = 7\n\
                [permissions]\ndeny = [\"Read(a)\", \"Raed(b)\", \"Edit(c)\"]\n";
    let settings = Settings::load(&[layer_with_text(Origin::Project, text)]).expect("it loads");
    assert_eq!(settings.mode, Some(Mode::Plan));
    assert_eq!(settings.read.max_lines, 7);
    let rules: Vec<&str> = settings.rules.iter().map(|rule| rule.rule.text()).collect();
    assert_eq!(rules, ["Read(a)", "Edit(c)"]);
    let told: Vec<String> = settings.flaws.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(
        told[0].contains("lancet.toml:1:1: there is no setting newkey"),
        "{told:?}"
    );
    assert!(told[2].ends_with("did you mean \"Read(b)\"?"), "{told:?}");
}

#[test]
fn invalid_line_that_may_be_rule_tightens_permissions() {
    use FlawEffect::{LeftOut, ReadingDenied, WritesAsk};
    for (text, effect) in [
        ("newkey = 1", LeftOut),
        ("mode = \"plam\"", LeftOut),
        ("[read]\nguter = \"arrow\"", LeftOut),
        ("[[hooks]]\non = \"never\"", LeftOut),
        ("[protected]\nopne = [\".claude/skills/x/**\"]", WritesAsk),
        ("[secrets]\nguards = [\"x\"]", WritesAsk),
        ("permissions.ask = [\"Edit(../x)\"]", WritesAsk),
        ("permissions.allow = [\"Edit(../x)\"]", WritesAsk),
        ("[[hook]]\nmatch = \"Edit(src/**)\"", WritesAsk),
        ("permissions.deny = [\"Edit(../x)\"]", ReadingDenied),
        ("permissions.deny = 3", ReadingDenied),
        ("permissions.denny = [\"Read(x)\"]", ReadingDenied),
        ("permissions.forbidden = true", ReadingDenied),
        ("permissions = [\"Read(x)\"]", ReadingDenied),
        ("[permision]\ndeny = [\"Read(x)\"]", ReadingDenied),
        ("[rules]\ndeny = [\"Read(x)\"]", ReadingDenied),
        ("deny = [\"Read(x)\"]", ReadingDenied),
        ("hidden = [\"Read(x)\"]", ReadingDenied),
        ("[permissions\ndeny = [\"Read(x)\"]", ReadingDenied),
    ] {
        let found = flaws(Origin::Project, text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].1, effect, "{text}");
        assert_eq!(flaws(Origin::TrustedProject, text), found, "{text}");
        assert!(
            Settings::load(&[layer_with_text(Origin::User, text)]).is_err(),
            "{text}"
        );
    }
}
