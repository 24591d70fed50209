//! `explain`, `rules`, `trust`, `--settings` and `--read-root`, as a person types them.

use crate::stage::Stage;

#[test]
fn explain_names_the_rule_that_decides_its_layer_and_its_line() {
    let stage = Stage::new();
    stage.user_settings(
        "[permissions]\n# no\ndeny = [\"Edit(gen/**)\"]\nallow = [\"Edit(src/**)\"]\n",
    );
    stage.file("lancet.toml", "permissions.ask = [\"Edit(src/db/**)\"]\n");
    let said = |arguments: &[&str]| {
        let run = stage.run(&[&["explain"][..], arguments].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.out
    };
    let out = said(&["gen/a.rs", "--tool", "Write"]);
    assert!(
        out.contains("denied, by the rule `deny Edit(gen/**) (user, ")
            && out.contains("lancet.toml:3)`"),
        "{out}"
    );
    let out = said(&["src/db/x.sql", "--tool", "Edit"]);
    assert!(
        out.contains("asks, by the rule `ask Edit(src/db/**) (project, "),
        "{out}"
    );
    assert!(out.contains("covered by allow Edit(src/**) (user"), "{out}");
    let out = said(&["src/a.rs", "--mode", "ask"]);
    assert!(
        out.contains("Read ") && out.contains("Edit ") && out.contains("Write "),
        "{out}"
    );
    assert!(
        out.contains("allowed, by the rule `allow Edit(src/**)"),
        "{out}"
    );
    let out = said(&[".claude/skills/pdf/SKILL.md", "--tool", "Write"]);
    assert!(
        out.contains("asks, because the name `.claude` is protected"),
        "{out}"
    );
    assert!(out.contains("open = [\".claude/skills/pdf/**\"]"), "{out}");
    let out = said(&[".env", "--tool", "Read"]);
    assert!(
        out.contains("denied, because it is a secret file (`.env`)"),
        "{out}"
    );
    let (code, object) = stage.json(&["explain", "gen/a.rs", "--tool", "Edit", "--json"]);
    assert_eq!(
        (code, object["decisions"][0]["outcome"].as_str()),
        (0, Some("denied"))
    );
    assert_eq!(stage.run(&["explain", "a", "--tool", "Edti"]).code, 2);
}

#[test]
fn rules_are_listed_with_their_layers() {
    let stage = Stage::new();
    stage.user_settings("permissions.deny = [\"Read(x)\"]\n");
    stage.file(
        "lancet.toml",
        "permissions.allow = [\"Edit(y)\"]\npermissions.deny = [\"Read(z)\"]\n",
    );
    let run = stage.run(&["rules"]);
    assert_eq!(run.code, 0, "{run:?}");
    for words in [
        "mode accept-edits",
        "deny Read(x) (user, ",
        "deny Read(z) (project, ",
        "not applied: permissions.allow",
        "(built in)",
    ] {
        assert!(run.out.contains(words), "{words}: {run:?}");
    }
    assert!(!run.out.contains("allow Edit(y)"), "{run:?}");
}

#[test]
fn a_projects_rules_count_once_it_is_trusted_and_only_as_they_were() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file(
        "lancet.toml",
        "mode = \"ask\"\npermissions.allow = [\"Edit(a.txt)\"]\n",
    );
    let edit = |new: &str, old: &str| stage.run(&["edit", "a.txt", "--old", old, "--new", new]);
    assert_eq!(edit("two", "one").code, 1, "nobody has trusted it");
    assert_eq!(stage.run(&["trust"]).code, 1, "there is no terminal");
    let stage = stage.with_token();
    let edit = |new: &str, old: &str| stage.run(&["edit", "a.txt", "--old", old, "--new", new]);
    let run = stage.run(&["trust", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = edit("two", "one");
    assert_eq!(
        (run.code, stage.text("a.txt").as_str()),
        (0, "two\n"),
        "{run:?}"
    );
    stage.file(
        "lancet.toml",
        "mode = \"ask\"\npermissions.allow = [\"Edit(a.txt)\"] # changed\n",
    );
    assert_eq!(edit("three", "two").code, 1, "it says something else now");
    stage.run(&["trust", "--yes"]);
    assert_eq!(edit("three", "two").code, 0);
    assert_eq!(stage.run(&["trust", "--revoke"]).code, 0);
    assert_eq!(edit("four", "three").code, 1, "no longer trusted");
}

#[test]
fn a_folder_without_settings_is_trusted_for_language_servers_alone() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["trust"]).code, 1, "there is no terminal");
    let stage = stage.with_token();
    let trusted = || {
        let (_, facts) = stage.json(&["doctor", "--json"]);
        facts["language"]["trusted"].as_bool().expect("said")
    };
    assert!(!trusted());
    let run = stage.run(&["trust", "--yes"]);
    assert!(
        run.out.contains("is trusted to run language servers"),
        "{run:?}"
    );
    assert!(trusted());
    // A file that appears later may still only restrict.
    stage.file("a.txt", "one\n");
    stage.file(
        "lancet.toml",
        "mode = \"ask\"\npermissions.allow = [\"Edit(a.txt)\"]\n",
    );
    let run = stage.run(&["edit", "a.txt", "--old", "one", "--new", "two"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(trusted(), "the folder is still the same");
    std::fs::remove_file(stage.project().join("lancet.toml")).expect("removed");
    assert_eq!(stage.run(&["trust", "--revoke"]).code, 0);
    assert!(!trusted());
    // The folder is identified by more than its name.
    stage.run(&["trust", "--yes"]);
    let (root, moved) = (stage.project(), stage.project().with_extension("moved"));
    std::fs::rename(&root, &moved).expect("moved");
    std::fs::create_dir(&root).expect("made again");
    assert!(!trusted(), "it is another folder");
    std::fs::remove_dir(&root).expect("removed");
    std::fs::rename(&moved, &root).expect("back");
    assert!(trusted());
}

#[test]
fn permissions_of_claude_code_are_read_in_and_the_rest_is_told() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("b.txt", "one\n");
    let settings = stage.file(
        "claude.json",
        r#"{"permissions": {"defaultMode": "acceptEdits", "deny": ["Edit(b.txt)", "Bash(rm *)"], "allow": ["Read"]}}"#,
    );
    let settings = settings.to_str().expect("UTF-8");
    let edit = |file: &str| {
        stage.run(&[
            "edit",
            file,
            "--old",
            "one",
            "--new",
            "two",
            "--yes",
            "--settings",
            settings,
        ])
    };
    assert_eq!(edit("a.txt").code, 0);
    let run = edit("b.txt");
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.out.contains("denied") || run.err.contains("denied"),
        "{run:?}"
    );
    let run = stage.run(&["rules", "--settings", settings]);
    for words in [
        "mode accept-edits",
        "deny Edit(b.txt) (command line, ",
        "not taken over: deny Bash(rm *): Bash is Claude Code's own tool",
        "not taken over: allow Read: reading needs no permission here",
    ] {
        assert!(run.out.contains(words), "{words}: {run:?}");
    }
    stage.file("claude.json", "{");
    assert_eq!(edit("a.txt").code, 2);
}

#[test]
fn a_read_root_is_read_and_never_written() {
    let stage = Stage::new();
    let library = stage.home().join("library");
    std::fs::create_dir(&library).expect("a folder");
    std::fs::write(library.join("x.txt"), "one\n").expect("a file");
    let file = library.join("x.txt");
    let (file, library) = (
        file.to_str().expect("UTF-8"),
        library.to_str().expect("UTF-8"),
    );
    let project = stage.project();
    let place = [
        "--root",
        project.to_str().expect("UTF-8"),
        "--read-root",
        library,
    ];
    let run = stage.run(&[&["read", file][..], &place].concat());
    assert!(run.code == 0 && run.out.contains("one"), "{run:?}");
    let edit = ["edit", file, "--old", "one", "--new", "two", "--yes"];
    let run = stage.run(&[&edit[..], &place].concat());
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(std::fs::read_to_string(file).expect("there"), "one\n");
    assert_eq!(stage.run(&["read", "a", "--read-root", "/no/such"]).code, 2);
}

#[test]
fn a_write_of_what_may_not_be_read_asks_in_every_mode() {
    let stage = Stage::new();
    stage.file("lancet.toml", "[permissions]\ndeny = [\"Read(priv/**)\"]\n");
    for mode in ["accept-edits", "bypass"] {
        let explain = [
            "explain", "priv/a", "--tool", "Write", "--mode", mode, "--json",
        ];
        let (_, object) = stage.json(&explain);
        let decision = &object["decisions"][0];
        assert_eq!(decision["outcome"], "asks", "{object}");
        assert_eq!(decision["withheld"], true, "{object}");
    }
}
