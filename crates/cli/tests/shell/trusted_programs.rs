//! Programs that the settings start. An agent cannot change them without a question, under any name. One that changed
//! since it was trusted is not started before a person has seen the difference.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::stage::{Stage, path_argument};

/// Makes a script in the project that leaves a mark in the home folder when it runs.
fn script(stage: &Stage, name: &str, mark: &str) -> PathBuf {
    let runs = stage.home().join("runs");
    let text = format!(
        "#!/bin/sh\ncat > /dev/null\necho {mark} >> {}\n",
        runs.display()
    );
    let path = stage.file(name, &text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

fn hook(on: &str, run: &[&str]) -> String {
    format!("[[hooks]]\non = {on:?}\nmatch = \"Edit(src/**)\"\nrun = {run:?}\n")
}

/// Starts an agent whose questions are not answered.
fn unanswered(stage: &Stage) -> Agent {
    Agent::new(
        stage,
        &["--ask", "page", "--tools", "all", "--mode", "bypass"],
    )
}

fn edit(agent: &mut Agent, file: &Path, old: &str, new: &str) -> (String, String) {
    agent.read(file);
    let arguments = json!({ "file_path": file, "old_string": old, "new_string": new });
    agent.call("Edit", arguments)
}

fn runs(stage: &Stage) -> String {
    fs::read_to_string(stage.home().join("runs")).unwrap_or_default()
}

#[test]
fn an_agent_cannot_change_the_program_of_a_hook_unasked_under_any_name() {
    let stage = Stage::new();
    let program = script(&stage, "tools/fmt.sh", "good");
    let by_link = script(&stage, "tools/real.sh", "good");
    let root = stage.project();
    std::os::unix::fs::symlink("real.sh", root.join("tools/middle.sh")).expect("a link");
    std::os::unix::fs::symlink("tools/middle.sh", root.join("linked.sh")).expect("a link");
    fs::create_dir(root.join("names")).expect("a folder");
    let other_name = root.join("names/innocent.txt");
    fs::hard_link(&program, &other_name).expect("a hard link");
    std::os::unix::fs::symlink(&program, root.join("names/soft.txt")).expect("a link");
    let argument = script(&stage, "checks/check.sh", "good");
    let file = stage.file("src/a.txt", "one\n");
    let linked = root.join("linked.sh");
    stage.user_settings(&format!(
        "[ask]\npatience = 0\n{}{}{}",
        hook("after", &[path_argument(&program)]),
        hook("after", &[path_argument(&linked)]),
        hook("after", &["sh", "checks/check.sh"]),
    ));
    let mut agent = unanswered(&stage);
    let evil = stage.file("evil.sh", "#!/bin/sh\necho evil\n");
    let evil_folder = stage.file("evil/fmt.sh", "#!/bin/sh\necho evil\n");
    let before = fs::read_to_string(&program).expect("a script");
    let whole = |file: &Path| json!({ "file_path": file, "content": "#!/bin/sh\necho evil\n" });
    let moved = |from: &Path, to: &Path| json!({ "from_path": from, "to_path": to });
    let patch = |name: &str| json!({ "patch": format!("*** Begin Patch\n*** Update File: {name}\n@@\n-cat > /dev/null\n+echo evil\n*** End Patch\n") });
    let part = |file: &Path| json!({ "file_path": file, "old_string": "cat > /dev/null", "new_string": "echo evil" });
    let attacks: Vec<(&str, Value)> = vec![
        ("Write", whole(&program)),
        ("Write", whole(&other_name)),
        ("Write", whole(&root.join("names/soft.txt"))),
        ("Write", whole(&root.join("tools/../tools/fmt.sh"))),
        ("Write", whole(&linked)),
        ("Write", whole(&by_link)),
        ("Write", whole(&argument)),
        ("Edit", part(&program)),
        ("Edit", part(&other_name)),
        ("Edit", part(&argument)),
        ("DeleteFile", json!({ "file_path": program })),
        ("DeleteFile", json!({ "file_path": linked })),
        (
            "DeleteFile",
            json!({ "file_path": root.join("tools/middle.sh") }),
        ),
        ("MoveFile", moved(&program, &root.join("away.sh"))),
        ("MoveFile", moved(&root.join("tools"), &root.join("old"))),
        ("MoveFile", moved(&other_name, &root.join("names/x.txt"))),
        ("ApplyPatch", patch("tools/fmt.sh")),
        ("ApplyPatch", patch("names/innocent.txt")),
    ];
    for (tool, arguments) in attacks {
        for field in ["file_path", "from_path"] {
            if let Some(path) = arguments[field].as_str() {
                agent.read(Path::new(path));
            }
        }
        let (refused, text) = agent.call(tool, arguments.clone());
        // Links and folders are not moved or removed at all.
        let refusals: &[&str] = match tool {
            "DeleteFile" | "MoveFile" => &["waiting", "declined", "special", "folder"],
            _ => &["waiting", "declined"],
        };
        assert!(
            refusals.contains(&refused.as_str()),
            "{tool} {arguments}: {refused} {text}"
        );
    }
    for path in [&program, &by_link, &argument] {
        assert!(!fs::read_to_string(path).expect("there").contains("evil"));
    }
    assert_eq!(fs::read_to_string(&program).expect("there"), before);
    // Nor can it be created at a path where the program is looked for, once another process has removed it.
    fs::remove_dir_all(root.join("tools")).expect("removed");
    for (tool, arguments) in [
        ("Write", whole(&program)),
        ("MoveFile", moved(&evil, &program)),
        ("MoveFile", moved(&root.join("evil"), &root.join("tools"))),
        ("Write", whole(&root.join("tools/middle.sh"))),
    ] {
        agent.read(&evil);
        agent.read(&evil_folder);
        let (refused, text) = agent.call(tool, arguments.clone());
        assert_ne!(refused, "", "{tool} {arguments}: {text}");
        assert!(!program.exists(), "{tool} {arguments}: {text}");
    }
    // Other files are not restricted.
    assert_eq!(edit(&mut agent, &file, "one", "two").0, "");
}

#[test]
fn a_program_that_changed_since_it_was_trusted_is_not_started_again_unasked() {
    let stage = Stage::new().with_token();
    let program = script(&stage, "tools/check.sh", "good");
    let file = stage.file("src/a.txt", "one\n");
    stage.file("lancet.toml", &hook("before", &[path_argument(&program)]));
    let trusted = stage.run(&["trust", "--yes"]);
    assert_eq!(trusted.code, 0, "{trusted:?}");
    assert!(
        trusted.out.contains("tools/check.sh: inside the project")
            && trusted.out.contains("load in turn"),
        "{trusted:?}"
    );
    stage.user_settings("[ask]\npatience = 0\n");
    let mut agent = unanswered(&stage);
    assert_eq!(edit(&mut agent, &file, "one", "two").0, "");
    assert_eq!(runs(&stage), "good\n");
    // Another process changes it, for instance `git pull`.
    script(&stage, "tools/check.sh", "evil");
    let (refused, text) = edit(&mut agent, &file, "two", "three");
    assert_ne!(refused, "", "{text}");
    let listed = stage.run(&["pending"]);
    let told = format!("{}{text}", listed.out);
    assert!(told.contains("lancet trust"), "{told}");
    assert_eq!(runs(&stage), "good\n");
    let trusted = stage.run(&["trust", "--yes"]);
    assert!(
        trusted.out.contains("changed since you trusted it")
            && trusted.out.contains("-echo good")
            && trusted.out.contains("+echo evil"),
        "{trusted:?}"
    );
    // The running server applies the new trust.
    let (refused, text) = edit(&mut agent, &file, "two", "four");
    assert_eq!(refused, "", "{text}");
    assert_eq!(runs(&stage), "good\nevil\n");
}

#[test]
fn a_program_of_a_package_folder_is_covered_by_the_lock_file() {
    let stage = Stage::new().with_token();
    let program = script(&stage, "node_modules/.bin/check", "good");
    let lock = stage.file("package-lock.json", "{}\n");
    let file = stage.file("src/a.txt", "one\n");
    stage.file("lancet.toml", &hook("before", &[path_argument(&program)]));
    let trusted = stage.run(&["trust", "--yes"]);
    assert!(
        trusted.out.contains("covered by package-lock.json"),
        "{trusted:?}"
    );
    stage.user_settings("[ask]\npatience = 0\n");
    script(&stage, "node_modules/.bin/check", "reinstalled");
    let mut agent = unanswered(&stage);
    assert_eq!(edit(&mut agent, &file, "one", "two").0, "");
    assert_eq!(runs(&stage), "reinstalled\n");
    fs::write(lock, "{\"lockfileVersion\": 3}\n").expect("written");
    assert_ne!(edit(&mut agent, &file, "two", "three").0, "");
    assert_eq!(runs(&stage), "reinstalled\n");
}
