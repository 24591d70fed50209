//! Adding a rule changes nothing else in the file, and loses no concurrently added rule.

use lancet_policy::RuleEffect;

use super::*;

fn text_with_rule(text: &str) -> String {
    add_rule_to_text(text, RuleEffect::Allow, "Edit(//n)").expect(text)
}

#[test]
fn adds_rule_in_style_of_list() {
    for (before, after) in [
        ("", "[permissions]\nallow = [\"Edit(//n)\"]\n"),
        (
            "# mine\nmode = \"ask\" # always\n",
            "# mine\nmode = \"ask\" # always\n\n[permissions]\nallow = [\"Edit(//n)\"]\n",
        ),
        (
            "[permissions]\ndeny = [\"Read(x)\"] # keep\n\n[read]\ngutter = \"tab\"\n",
            "[permissions]\ndeny = [\"Read(x)\"] # keep\nallow = [\"Edit(//n)\"]\n\n[read]\ngutter = \"tab\"\n",
        ),
        (
            "[permissions]\nallow = [\"Edit(a)\", 'Edit(b)'] # two\n",
            "[permissions]\nallow = [\"Edit(a)\", 'Edit(b)', \"Edit(//n)\"] # two\n",
        ),
        (
            "[permissions]\nallow = [\n    \"Edit(a)\", # first\n    # about b\n    \"Edit(b)\", # last\n]\n",
            "[permissions]\nallow = [\n    \"Edit(a)\", # first\n    # about b\n    \"Edit(b)\", # last\n    \"Edit(//n)\",\n]\n",
        ),
        (
            "permissions.allow = \"Edit(a)\"\n",
            "permissions.allow = [\"Edit(a)\", \"Edit(//n)\"]\n",
        ),
        (
            "permissions = { allow = [\"Edit(a)\"] }\n",
            "permissions = { allow = [\"Edit(a)\", \"Edit(//n)\"] }\n",
        ),
    ] {
        assert_eq!(text_with_rule(before), after);
        assert_eq!(text_with_rule(after), after, "once is enough");
    }
}

#[test]
fn creates_file_with_folders_and_preserves_symbolic_link() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("config/lancet/lancet.toml");
    let kept = save_rule(&file, RuleEffect::Allow, "Edit(//a)").expect("kept");
    assert_eq!(kept.line, 2);
    let link = place.path().join("link.toml");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    save_rule(&link, RuleEffect::Deny, "Read(b)").expect("kept");
    assert!(link.symlink_metadata().expect("there").is_symlink());
    assert_eq!(
        std::fs::read_to_string(&file).expect("there"),
        "[permissions]\nallow = [\"Edit(//a)\"]\ndeny = [\"Read(b)\"]\n"
    );
}

#[test]
fn leaves_invalid_settings_file_unchanged() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("lancet.toml");
    std::fs::write(&file, "mode = \"asks\"\n").expect("written");
    assert!(save_rule(&file, RuleEffect::Allow, "Edit(//a)").is_err());
    assert_eq!(
        std::fs::read_to_string(&file).expect("there"),
        "mode = \"asks\"\n"
    );
}

#[test]
fn concurrent_writers_lose_no_rule() {
    let place = tempfile::tempdir().expect("a folder");
    let file = place.path().join("lancet.toml");
    std::fs::write(&file, "# head\n[permissions]\nallow = [] # tail\n").expect("written");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let file = &file;
            scope.spawn(move || {
                for number in 0..4 {
                    let rule = format!("Edit(//{writer}-{number})");
                    save_rule(file, RuleEffect::Allow, &rule).expect("kept");
                }
            });
        }
    });
    let text = std::fs::read_to_string(&file).expect("there");
    for writer in 0..4 {
        for number in 0..4 {
            assert!(
                text.contains(&format!("\"Edit(//{writer}-{number})\"")),
                "{text}"
            );
        }
    }
    assert!(
        text.starts_with("# head\n") && text.ends_with("] # tail\n"),
        "{text}"
    );
}
