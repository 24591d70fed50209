//! Help, manual pages, completions and tool lists.

use lancet_testing::folder::names;

use crate::stage::{Stage, path_argument};

const COMMANDS: [&str; 41] = [
    "mcp",
    "serve",
    "install",
    "uninstall",
    "hook",
    "watch",
    "events",
    "read",
    "edit",
    "write",
    "mv",
    "rm",
    "glob",
    "grep",
    "apply",
    "prompt",
    "run",
    "checkpoint",
    "log",
    "show",
    "diff",
    "blame",
    "undo",
    "redo",
    "restore",
    "commit",
    "verify",
    "projects",
    "gc",
    "stats",
    "call",
    "tools",
    "explain",
    "rules",
    "trust",
    "pending",
    "sessions",
    "doctor",
    "completions",
    "man",
    "help",
];

#[test]
fn lancet_alone_greets_and_names_the_first_commands() {
    let run = Stage::new().run(&[]);
    assert_eq!(run.code, 2, "{run:?}");
    for words in [
        "lancet install",
        "lancet read",
        "lancet edit",
        "lancet doctor",
    ] {
        assert!(run.err.contains(words), "{words}: {run:?}");
    }
}

#[test]
fn every_command_explains_itself() {
    let stage = Stage::new();
    let all = stage.run(&["help"]);
    assert_eq!(all.code, 0, "{all:?}");
    assert_eq!(
        all.out,
        stage.run(&["--help"]).out,
        "one help, however it is asked for"
    );
    for command in COMMANDS {
        assert!(
            all.out.contains(&format!("\n  {command} ")),
            "{command} is not listed"
        );
        let page = stage.run(&["help", command]);
        assert_eq!(page.code, 0, "{page:?}");
        if command != "help" {
            assert_eq!(page.out, stage.run(&[command, "--help"]).out, "{command}");
            assert!(page.out.to_lowercase().contains("examples:"), "{command}");
        }
        let widest = page
            .out
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        assert!(widest <= 100, "{command}: a line of {widest} characters");
    }
    let run = stage.run(&["help", "setings"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("settings"), "{run:?}");
}

#[test]
fn the_settings_have_a_page() {
    let run = Stage::new().run(&["help", "settings"]);
    assert_eq!(run.code, 0, "{run:?}");
    for key in [
        "mode",
        "match",
        "stale",
        "gutter",
        "line_endings",
        "[encoding]",
    ] {
        assert!(run.out.contains(key), "{key}");
    }
}

#[test]
fn topics_have_pages_from_the_documentation() {
    let stage = Stage::new();
    for (topic, words) in [
        ("agents", "reads without a question: "),
        ("agents", "claude mcp add lancet"),
        ("asking", "`lancet mcp --ask elicit`"),
        ("errors", "name: `ambiguous`"),
        ("history", "lancet undo"),
        ("options", "--state-dir FOLDER"),
        ("permissions", "`lancet help asking`"),
        ("replies", "SEARCH/REPLACE"),
        ("ledgers", "\n2. `_meta"),
        ("ledgers", ", session: `threadId`"),
        ("settings", "confirm = true | false"),
    ] {
        let run = stage.run(&["help", topic]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.out.contains(words), "{topic}: {run:?}");
        let widest = run.out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{topic}: {widest:?}");
        // The documentation files are not available to a reader of the help.
        let examples = ["docs/**", ".ai/docs/", ".com/docs/", ".dev/docs/"];
        let is_example = |line: &str| examples.iter().any(|words| line.contains(words));
        for mark in ["](", "|---", "scenarios", "docs/", "asking.md", "crates/"] {
            let mut lines = run.out.lines().filter(|line| line.contains(mark));
            assert_eq!(lines.find(|line| !is_example(line)), None, "{topic}");
        }
    }
}

#[test]
fn a_page_of_a_command_is_about_the_command() {
    let stage = Stage::new();
    for command in ["show", "undo", "stats"] {
        let page = stage.run(&["help", command]).out;
        assert!(!page.contains("--state-dir"), "{page}");
        assert!(page.contains("lancet help options"), "{page}");
    }
    let short = stage.run(&["show", "-h"]).out;
    let long = stage.run(&["show", "--help"]).out;
    assert!(short.lines().count() < long.lines().count(), "{short}");
}

#[test]
fn an_unknown_command_is_told_with_the_closest() {
    let run = Stage::new().run(&["raed"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("read"), "{run:?}");
    assert_eq!(
        Stage::new().run(&["--version"]).out,
        format!("lancet {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn completions_know_the_commands() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = stage.run(&["completions", shell]);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(
            run.out.contains("doctor") && run.out.contains("replace-all"),
            "{shell}"
        );
    }
    assert_eq!(stage.run(&["completions", "cmd"]).code, 2);
}

#[test]
fn ids_and_sessions_are_completed() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    assert_eq!(stage.run(&["complete", "changes"]).out, "");
    let read = ["read", "a.txt", "--session", "evening"];
    assert_eq!(stage.run(&read).code, 0);
    let edit = [
        "edit",
        "a.txt",
        "--old",
        "one",
        "--new",
        "1",
        "--session",
        "evening",
        "--yes",
    ];
    assert_eq!(stage.run(&edit).code, 0);
    assert_eq!(stage.run(&["complete", "sessions"]).out, "evening\n");
    let changes = stage.run(&["complete", "changes"]).out;
    let (short, what) = changes.trim_end().split_once('\t').expect("two columns");
    assert_eq!((short.len(), what), (4, "Edit a.txt"));
    assert_eq!(stage.run(&["show", short]).code, 0);
    for (shell, words) in [
        ("zsh", "from the log:_lancet_changes'"),
        ("zsh", "\n_lancet_sessions() {"),
        ("fish", "(lancet complete changes 2>/dev/null)"),
    ] {
        let script = stage.run(&["completions", shell]).out;
        assert!(script.contains(words), "{shell}: {words}");
    }
    let script = stage.run(&["completions", "bash"]).out;
    let path = std::path::Path::new(env!("CARGO_BIN_EXE_lancet"));
    let folder = path.parent().expect("a folder").display();
    let typed = |words: &str| {
        let test = format!(
            "{script}\nPATH=\"{folder}:$PATH\"\nCOMP_WORDS=({words} '')\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_lancet_history lancet '' lancet\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut command = stage.command("bash");
        command.args(["-c", &test]);
        crate::stage::finish(command, b"")
    };
    assert_eq!(typed("lancet undo").out, format!("{short}\n"));
    assert_eq!(typed("lancet log --session").out, "evening\n");
    let other = typed("lancet").out;
    assert!(other.contains("doctor"), "the rest is as before: {other}");
}

#[test]
fn manual_pages_are_pages() {
    let stage = Stage::new();
    let run = stage.run(&["man"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        run.out.contains(".TH LANCET 1") && run.out.contains(".SH NAME"),
        "{}",
        run.out
    );
    let page = stage.run(&["man", "edit"]);
    assert!(
        page.out.contains("LANCET\\-EDIT") || page.out.contains("LANCET-EDIT"),
        "{}",
        page.out
    );
    assert_eq!(stage.run(&["man", "nothing"]).code, 2);
    let folder = stage.project().join("man1");
    assert_eq!(stage.run(&["man", "--dir", path_argument(&folder)]).code, 0);
    let names = names(&folder);
    let inner = names
        .iter()
        .filter(|name| name.starts_with("lancet-pending-") || name.starts_with("lancet-sessions-"));
    assert_eq!(inner.count(), 5, "{names:?}");
    assert_eq!(names.len(), COMMANDS.len() + 1 + 5, "{names:?}");
    assert!(
        names.contains(&"lancet.1".to_owned()) && names.contains(&"lancet-edit.1".to_owned()),
        "{names:?}"
    );
}

#[test]
fn tool_lists_have_the_shape_that_each_api_takes() {
    let stage = Stage::new();
    let list = |arguments: &[&str]| -> serde_json::Value {
        let run = stage.run(&[&["tools"][..], arguments].concat());
        assert_eq!(run.code, 0, "{run:?}");
        serde_json::from_str(&run.out).expect("JSON")
    };
    assert!(list(&[])[0]["inputSchema"].is_object());
    assert!(list(&["--format", "anthropic"])[0]["input_schema"].is_object());
    assert!(list(&["--format", "openai"])[0]["function"]["parameters"].is_object());
    assert!(list(&["--format", "gemini"])[0]["functionDeclarations"].is_array());
    let names = |list: serde_json::Value| -> Vec<String> {
        let tools = list.as_array().expect("a list").clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(
        names(list(&[])),
        [
            "Read",
            "Edit",
            "MultiEdit",
            "Write",
            "NotebookEdit",
            "Glob",
            "Grep"
        ]
    );
    assert_eq!(
        names(list(&["--tools", "default,-MultiEdit"])),
        ["Read", "Edit", "Write", "NotebookEdit", "Glob", "Grep"]
    );
    assert_eq!(names(list(&["--mode", "plan"])), ["Read", "Glob", "Grep"]);
    let length = |arguments: &[&str]| {
        list(arguments)[1]["description"]
            .as_str()
            .map_or(0, str::len)
    };
    assert!(length(&["--long"]) > length(&[]));
    let run = stage.run(&["tools", "--format", "antropic"]);
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.err.contains("anthropic"), "{run:?}");
}

#[test]
fn tool_lists_need_no_project() {
    let stage = Stage::new();
    let mut command = stage.command(crate::stage::LANCET);
    command.args(["tools"]).current_dir(stage.home());
    assert_eq!(crate::stage::finish(command, b"").code, 0);
}
