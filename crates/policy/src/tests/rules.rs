//! Which texts are rules, which are not, and the rule that was probably meant.

use crate::{Access, Rule, Scope};

fn parse_error(text: &str) -> (String, Option<String>) {
    match Rule::parse(text) {
        Ok(rule) => panic!("{text:?} was taken as {rule:?}"),
        Err(error) => (error.message, error.suggestion),
    }
}

#[test]
fn parses_rules_in_all_forms() {
    for (text, access) in [
        ("Edit(src/**)", Access::Write),
        ("Read(~/.ssh/**)", Access::Read),
        ("Write(//abs/path)", Access::Write),
        ("Read", Access::Read),
        ("Grep(*)", Access::Read),
        ("NotebookEdit(a b.ipynb)", Access::Write),
        ("Edit(a(b).txt)", Access::Write),
        (" Read(x) ", Access::Read),
        ("Read([ab]*)", Access::Read),
        ("Read(\\!x)", Access::Read),
    ] {
        let rule = Rule::parse(text).expect(text);
        assert_eq!(rule.access(), access, "{text}");
        assert_eq!(rule.text(), text.trim());
    }
}

#[test]
fn refuses_rules_that_can_never_match() {
    for (text, words, meant) in [
        ("Edit()", "empty", Some("Edit(**)")),
        ("Edit(/)", "empty", Some("Edit(**)")),
        ("Edit( )", "empty", Some("Edit(**)")),
        ("Edit(!src/**)", "negation", Some("Edit(src/**)")),
        ("Edit(../x)", "climbs", Some("Edit(x)")),
        ("Edit(a/../b)", "climbs", Some("Edit(a/b)")),
        ("Edit(a/./b)", "`.`", Some("Edit(a/b)")),
        ("Edit(a\0b)", "NUL", Some("Edit(ab)")),
        ("Edit(a//b)", "empty name", Some("Edit(a/b)")),
        ("Edit([ab)", "not closed", Some("Edit(\\[ab)")),
        ("Edit(a\\)", "backslash", Some("Edit(a)")),
        ("Edit(*.{ts,tsx})", "one rule for each", Some("Edit(*.ts)")),
        ("Edit(*.)", "dot or a space", Some("Edit(*)")),
        ("Edit(... )", "count for nothing", None),
        ("Edit(src", "not closed", Some("Edit(src)")),
    ] {
        let (message, suggestion) = parse_error(text);
        assert!(message.contains(words), "{text:?}: {message}");
        assert_eq!(suggestion.as_deref(), meant, "{text:?}");
    }
}

#[test]
fn unknown_tool_error_suggests_closest() {
    for (text, meant) in [
        ("Edti(src/**)", Some("Edit(src/**)")),
        ("edit(src/**)", Some("Edit(src/**)")),
        ("read(x)", Some("Read(x)")),
        ("src/**", Some("Edit(src/**)")),
        ("(src)", Some("Edit(src)")),
        ("Bash(rm *)", None),
    ] {
        let (_, suggestion) = parse_error(text);
        assert_eq!(suggestion.as_deref(), meant, "{text:?}");
    }
}

#[test]
fn every_suggestion_is_valid_rule() {
    for text in [
        "Edit()",
        "Edit(!a)",
        "Edit(../x)",
        "Edit(a//b)",
        "Edit([ab)",
        "Edit(*.{a,b})",
        "Edit(*.)",
        "Edti(x)",
        "x/y",
        "(z)",
        "Edit(x",
    ] {
        let (_, suggestion) = parse_error(text);
        let suggestion = suggestion.expect(text);
        assert!(
            Rule::parse(&suggestion).is_ok(),
            "{text:?} gives {suggestion:?}"
        );
    }
}

#[test]
fn rule_for_file_escapes_special_characters() {
    let rule = Rule::for_file(Access::Write, "/w/a[1]*{x,y}.md");
    assert_eq!(rule, "Edit(//w/a\\[1\\]\\*\\{x,y\\}.md)");
    assert!(Rule::parse(&rule).is_ok());
}

#[test]
fn accepts_scopes_only_in_openable_folders() {
    assert!(Scope::parse(".claude/skills/pdf/**").is_ok());
    assert!(Scope::parse("//w/p/.claude/commands/x.md").is_ok());
    assert!(Scope::parse(".config/zed/themes/**").is_ok());
    for (text, words) in [
        (".git/hooks/**", "always asks"),
        (".GIT/hooks/**", "always asks"),
        (".bashrc", "always asks"),
        ("lancet.toml", "always asks"),
        (".claude/**", "all of `.claude`"),
        (".claude", "all of `.claude`"),
        (".claude/*/x", "all of `.claude`"),
        (".claude/settings.json", "what an agent may do"),
        (".codex/config.toml", "what an agent may do"),
        (".kiro/settings/mcp.json", "what an agent may do"),
        (".config/fish/functions/**", "always asks"),
        (".config/zed/**", "all of `.config/zed`"),
        (".config/*/x/**", "no protected folder"),
        ("src/**", "no protected folder"),
        ("**", "no protected folder"),
        ("", "empty"),
    ] {
        let error = Scope::parse(text).expect_err(text);
        assert!(error.message.contains(words), "{text}: {}", error.message);
    }
}

#[test]
fn offers_narrowest_self_contained_folder_as_scope() {
    assert_eq!(
        Scope::scope_to_offer(".claude/skills/pdf/SKILL.md"),
        Some((
            ".claude/skills/pdf/**".to_owned(),
            ".claude/skills/pdf".to_owned()
        ))
    );
    assert_eq!(
        Scope::scope_to_offer(".config/opencode/agent/review/a.md"),
        Some((
            ".config/opencode/agent/review/**".to_owned(),
            ".config/opencode/agent/review".to_owned()
        ))
    );
    for path in [
        ".claude/settings.json",
        ".claude/a\u{FF0F}b/c/d",
        ".config/fish/functions/a/b",
        ".git/hooks/x/y",
        ".claude/skills/pdf",
        "src/a/b/c",
    ] {
        assert_eq!(Scope::scope_to_offer(path), None, "{path}");
    }
}
