//! Settings files, their layers, and flags with the same meaning.

use std::fs;

use serde_json::json;

use crate::agent::Agent;
use crate::stage::{Run, Stage, path_argument};

#[test]
fn each_layer_wins_over_the_one_before() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let first = |stage: &Stage, arguments: &[&str]| {
        stage
            .run(&[&["read", "-n", "a.txt"][..], arguments].concat())
            .out
    };
    stage.user_settings("[read]\ngutter = \"aligned\"\n");
    assert!(first(&stage, &[]).starts_with("     1→one\n"));
    stage.file("lancet.toml", "[read]\ngutter = \"tab\"\n");
    assert!(first(&stage, &[]).starts_with("1\tone\n"));
    stage.file("more.toml", "[read]\ngutter = \"none\"\n");
    assert!(first(&stage, &["--config", "more.toml"]).starts_with("one\n"));
}

#[test]
fn the_configuration_folder_may_be_elsewhere() {
    let stage = Stage::new();
    let folder = stage.project().join("configuration");
    stage.file(
        "configuration/lancet/lancet.toml",
        "[read]\ngutter = \"tab\"\n",
    );
    stage.file("a.txt", "one\n");
    let stage = stage.with("XDG_CONFIG_HOME", folder);
    assert!(
        stage
            .run(&["read", "-n", "a.txt"])
            .out
            .starts_with("1\tone\n")
    );
}

#[test]
fn a_mistake_in_the_users_own_settings_stops_writing_and_nothing_else() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = ["edit", "a.txt", "--old", "one", "--new", "two", "--yes"];
    assert_eq!(stage.run(&edit).code, 0);
    stage.user_settings("match = \"exact\"\n\n[read]\nguter = \"tab\"\n");
    let named = |run: &Run| run.err.contains("lancet.toml:4:1") && run.err.contains("gutter");
    for (command, code) in [
        (&["read", "a.txt"][..], 0),
        (&["grep", "two"], 0),
        (&["log"], 0),
        (&["doctor"], 2),
        (
            &["edit", "a.txt", "--old", "two", "--new", "three", "--yes"],
            2,
        ),
        (&["write", "b.txt", "--content", "b", "--yes"], 2),
        (&["undo", "--yes"], 0),
    ] {
        let run = stage.run(command);
        assert_eq!(run.code, code, "{command:?}: {run:?}");
        assert!(
            named(&run) || run.out.contains("lancet.toml:4:1"),
            "{run:?}"
        );
    }
    assert_eq!(stage.text("a.txt"), "one\n");
    let run = stage.run(&[&edit[..], &["--json"]].concat());
    let data: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(data["error"]["name"], "usage");
    // An agent can read, since the line cannot be a rule, but cannot write.
    let path = stage.project().join("a.txt");
    let mut agent = Agent::new(&stage, &[]);
    let (error, text) = agent.call("Read", json!({ "file_path": path }));
    assert_eq!(error, "", "{text}");
    assert!(text.contains("lancet.toml:4:1"), "{text}");
    let (error, text) = agent.write(&path);
    assert_eq!(error, "denied", "{text}");
    assert!(
        text.contains("lancet.toml:4:1") && text.contains("did you mean read.gutter"),
        "{text}"
    );
}

#[test]
fn an_unknown_key_of_a_project_is_a_warning() {
    let stage = Stage::new();
    let a = stage.file("a.txt", "one\n");
    stage.file("lancet.toml", "newkey = 1\n[read]\ngutter = \"tab\"\n");
    for command in [
        &["read", "-n", "a.txt"][..],
        &["grep", "one"],
        &["edit", "a.txt", "--old", "one", "--new", "two", "--yes"],
        &["log"],
        &["undo", "--yes"],
    ] {
        let run = stage.run(command);
        assert_eq!(run.code, 0, "{command:?}: {run:?}");
        assert!(
            run.err
                .contains("lancet.toml:1:1: there is no setting newkey"),
            "{run:?}"
        );
    }
    assert!(
        stage
            .run(&["read", "-n", "a.txt"])
            .out
            .starts_with("1\tone\n")
    );
    assert!(
        stage
            .run(&["doctor"])
            .out
            .contains("there is no setting newkey")
    );
    let mut agent = Agent::new(&stage, &[]);
    let (error, text) = agent.call("Read", json!({ "file_path": a }));
    assert_eq!(error, "", "{text}");
    assert!(
        text.contains("lancet.toml:1:1: there is no setting newkey"),
        "{text}"
    );
    // The message is sent once in each session.
    let (error, text) = agent.write(&stage.project().join("b.txt"));
    assert_eq!(error, "", "{text}");
    assert!(!text.contains("newkey"), "{text}");
}

#[test]
fn a_misspelt_deny_of_a_project_opens_no_file_to_an_agent() {
    let stage = Stage::new();
    let a = stage.file("a.txt", "one\n");
    stage.file("other.txt", "one\n");
    for broken in [
        "[permissions]\ndenny = [\"Read(a.txt)\"]\n",
        "[permissions]\ndeny = [\"Raed(a.txt)\"]\n",
        "[permissions\n",
    ] {
        stage.file("lancet.toml", broken);
        let mut agent = Agent::new(&stage, &[]);
        let (error, text) = agent.call("Read", json!({ "file_path": a }));
        assert_eq!(error, "denied", "{text}");
        assert!(text.contains("lancet.toml:"), "{text}");
        for tool in ["Glob", "Grep"] {
            let (_, text) = agent.call(tool, json!({ "pattern": "*", "path": stage.project() }));
            assert!(!text.contains("other.txt"), "{text}");
        }
        let (error, text) = agent.write(&stage.project().join("b.txt"));
        assert_eq!(error, "declined", "{text}");
        assert!(text.contains("lancet.toml:"), "{text}");
        // The person can continue.
        let run = stage.run(&["read", "a.txt"]);
        assert_eq!((run.code, run.out.contains("one")), (0, true), "{run:?}");
        assert!(run.err.contains("lancet.toml:"), "{run:?}");
        assert_eq!(stage.run(&["grep", "one"]).code, 0);
    }
    // A rule that asks and cannot be read leaves reading as it is.
    stage.file("lancet.toml", "permissions.ask = [\"Edit(\"]\n");
    let mut agent = Agent::new(&stage, &[]);
    assert_eq!(agent.read(&a), "");
    assert_eq!(agent.write(&stage.project().join("b.txt")).0, "declined");
}

#[test]
fn a_settings_file_that_is_asked_for_must_be_there() {
    let stage = Stage::new();
    let run = stage.run(&["mcp", "--config", "none.toml"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("none.toml"), "{run:?}");
}

#[test]
fn a_pipe_in_the_place_of_a_projects_settings_holds_nothing_up() {
    let stage = Stage::new();
    lancet_testing::make_pipe(stage.project().join("lancet.toml"));
    let a = stage.file("a.txt", "one\n");
    assert_eq!(Agent::new(&stage, &[]).read(&a), "denied");
    let run = stage.run(&["read", "a.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("not a regular file"), "{run:?}");
}

#[test]
fn an_unknown_tool_or_mode_or_level_is_told_with_the_closest() {
    let stage = Stage::new();
    let run = stage.run(&["mcp", "--tools", "default,-MultiEdti"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(
        run.err.contains("--tools") && run.err.contains("MultiEdit"),
        "{run:?}"
    );
    let run = stage.run(&["mcp", "--tools", "text-edtor"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("text-editor"), "{run:?}");
    let run = stage.run(&["mcp", "--mode", "accept-edit"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("accept-edits"), "{run:?}");
    let run = stage.run(&["mcp", "--log", "loud"]);
    assert_eq!(run.code, 2, "{run:?}");
    let stage = stage.with("LANCET_LOG", "loud");
    let run = stage.run(&["mcp"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("LANCET_LOG"), "{run:?}");
}

#[test]
fn tools_that_are_not_offered_to_models_still_serve_their_own_command() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.user_settings("tools = \"Write\"\n");
    assert_eq!(stage.run(&["read", "a.txt"]).code, 0);
    let tools = stage.run(&["tools", "--format", "anthropic"]).out;
    assert!(
        tools.contains("\"Write\"") && !tools.contains("\"Read\""),
        "{tools}"
    );
}

#[test]
fn the_log_names_files_and_never_their_text() {
    let stage = Stage::new();
    stage.file("a.txt", "a secret line\n");
    stage.file("lancet.toml", "mode = \"bypass\"\n");
    let run = stage.run(&["read", "a.txt", "--log", "debug"]);
    assert!(
        run.err.contains("debug: read ") && run.err.contains("a.txt"),
        "{run:?}"
    );
    assert!(
        run.err.contains("warn: ") && run.err.contains("lancet.toml:1: mode is not applied"),
        "{run:?}"
    );
    assert!(!run.err.contains("secret line"), "{run:?}");
    let quiet = stage.run(&["read", "a.txt"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn the_state_folder_is_where_it_was_put_and_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let mode = |path: &std::path::Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    stage.run(&["read", "a.txt", "--session", "s"]);
    let usual = stage.home().join(".local/state/lancet");
    assert_eq!(mode(&usual), 0o700);
    let given = stage.project().join("given");
    stage.run(&[
        "read",
        "a.txt",
        "--session",
        "s",
        "--state-dir",
        path_argument(&given),
    ]);
    assert_eq!(mode(&given), 0o700);
    let named = stage.project().join("named");
    let stage = stage.with("LANCET_STATE_DIR", &named);
    stage.run(&["read", "a.txt", "--session", "s"]);
    assert_eq!(mode(&named), 0o700);
}

#[test]
fn the_difference_to_head_goes_by_the_users_own_git_settings() {
    let stage = Stage::new();
    let git = |arguments: &[&str]| {
        let mut command = stage.command("git");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let run = crate::stage::finish(
            {
                command.args(arguments);
                command
            },
            b"",
        );
        assert_eq!(run.code, 0, "{run:?}");
    };
    stage.file("a.txt", "one\ntwo\n");
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "x"]);
    stage.file("a.txt", "one\r\ntwo\r\n");
    stage.user_settings("write.git_diff = true\n");
    let edit = [
        "edit", "a.txt", "--old", "two", "--new", "2", "--yes", "--json",
    ];
    let undo = ["undo", "--yes", "--json"];
    let (code, answer) = stage.json(&edit);
    assert_eq!((code, &answer["gitDiff"]["changes"]), (0, &4.into()));
    let (code, _) = stage.json(&undo);
    assert_eq!(code, 0);
    fs::write(
        stage.home().join(".gitconfig"),
        "[core]\n\tautocrlf = true\n",
    )
    .expect("written");
    let (code, answer) = stage.json(&edit);
    assert_eq!((code, &answer["gitDiff"]["changes"]), (0, &2.into()));
    let (code, answer) = stage.json(&undo);
    let told = &answer["files"][0]["gitDiff"]["status"];
    assert_eq!((code, told), (0, &"unchanged".into()), "{answer}");
}

#[test]
fn the_mode_of_the_settings_is_for_agents_and_the_shell_asks() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    let edit = ["edit", "a.txt", "--old", "one", "--new", "two"];
    let with = |more: &[&'static str]| [&edit[..], more].concat();
    for mode in ["accept-edits", "bypass"] {
        stage.user_settings(&format!("mode = \"{mode}\"\n"));
        let run = stage.run(&edit);
        assert_eq!(run.code, 1, "nobody can be asked: {run:?}");
        assert!(run.err.contains("--yes"), "{run:?}");
        assert_eq!(stage.text("a.txt"), "one\n");
    }
    assert_eq!(stage.run(&with(&["--mode", "accept-edits"])).code, 0);
    assert_eq!(stage.run(&["undo"]).code, 1, "undo asks as other writes do");
    assert_eq!(stage.run(&["undo", "--yes"]).code, 0);
    stage.user_settings("[shell]\nconfirm = false\n[permissions]\nask = [\"Edit(b.txt)\"]\n");
    assert_eq!(stage.run(&edit).code, 0);
    assert_eq!(stage.run(&["undo"]).code, 0);
    stage.file("b.txt", "one\n");
    let run = stage.run(&["edit", "b.txt", "--old", "one", "--new", "two"]);
    assert_eq!(run.code, 1, "an ask rule holds: {run:?}");
    stage.user_settings("mode = \"plan\"\n[shell]\nconfirm = false\n");
    let run = stage.run(&with(&["--yes"]));
    assert_eq!(run.code, 1, "plan holds: {run:?}");
    stage.user_settings("[permissions]\nallow = [\"Edit(a.txt)\"]\n");
    assert_eq!(
        stage.run(&edit).code,
        0,
        "an allow rule spares the question"
    );
}

#[test]
fn a_project_that_is_read_only_is_so_for_agents() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.user_settings("mode = \"accept-edits\"\n");
    stage.file("lancet.toml", "mode = \"plan\"\n");
    let rules = stage.run(&["rules"]);
    assert!(rules.out.starts_with("mode plan\n"), "{rules:?}");
    assert!(!rules.out.contains("not applied"), "{rules:?}");
    let run = stage.run(&["explain", "a.txt"]);
    assert!(run.out.contains("denied"), "{run:?}");
    let arguments = r#"{"file_path": "new.txt", "content": "x"}"#;
    let run = stage.run(&["call", "Write", arguments]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(!stage.project().join("new.txt").exists());
    stage.file("lancet.toml", "mode = \"bypass\"\n");
    let rules = stage.run(&["rules"]);
    assert!(rules.out.starts_with("mode accept-edits\n"), "{rules:?}");
    assert!(rules.out.contains("not applied: mode"), "{rules:?}");
}
