//! The folders in which lancet may work.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::agent::Agent;
use crate::stage::{Run, Stage, path_argument};

#[test]
fn a_root_that_is_no_folder_is_a_usage_error() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    for root in ["nowhere", "a.txt"] {
        let run = stage.run(&["mcp", "--root", root]);
        assert_eq!(run.code, 2, "{root} {run:?}");
        assert!(
            run.err.contains("--root") && run.err.contains(root),
            "{run:?}"
        );
    }
}

/// Returns the answer of `lancet mcp`, started in a folder, to a Read.
fn read_over_mcp(stage: &Stage, folder: &Path, roots: Option<&Path>, file: &Path) -> String {
    let mut agent = Agent::started_in(stage, folder, roots);
    agent.call("Read", json!({ "file_path": file })).1
}

#[test]
fn started_in_the_home_folder_or_at_the_top_it_takes_the_clients_roots() {
    let stage = Stage::new();
    let home = stage.home();
    fs::create_dir(home.join("proj")).expect("a folder");
    fs::write(home.join("proj/a.txt"), "one\n").expect("a file");
    let (file, proj) = (home.join("proj/a.txt"), home.join("proj"));
    for folder in [&home, Path::new("/")] {
        let shown = read_over_mcp(&stage, folder, Some(&proj), &file);
        assert!(shown.contains("1→one"), "{folder:?} {shown}");
        for (roots, told) in [
            (None, "sent no roots"),
            (Some(home.as_path()), "below the home folder"),
            (Some(Path::new("/usr")), "below the home folder"),
        ] {
            let refused = read_over_mcp(&stage, folder, roots, &file);
            assert!(
                refused.contains("too wide") && refused.contains("--root"),
                "{refused}"
            );
            assert!(refused.contains(told), "{roots:?}: {refused}");
        }
        let mut command = stage.command(crate::stage::LANCET);
        command.args(["doctor"]).current_dir(folder);
        let run = crate::stage::finish(command, b"");
        assert!(
            run.out.contains("too wide") && run.out.contains("agent's own roots"),
            "{run:?}"
        );
        let mut command = stage.command(crate::stage::LANCET);
        command.args(["mcp", "--root", "."]).current_dir(folder);
        assert_eq!(
            crate::stage::finish(command, b"").code,
            0,
            "{folder:?} when asked for"
        );
    }
}

/// The rules of the project that a client names apply, though lancet was started elsewhere.
#[test]
fn the_settings_of_a_clients_root_count() {
    let stage = Stage::new();
    let proj = stage.home().join("proj");
    fs::create_dir(&proj).expect("a folder");
    fs::write(proj.join("a.txt"), "one\n").expect("a file");
    let rules = "[permissions]\ndeny = [\"Read(a.txt)\"]\n";
    fs::write(proj.join("lancet.toml"), rules).expect("a file");
    let refused = read_over_mcp(&stage, &stage.home(), Some(&proj), &proj.join("a.txt"));
    assert!(refused.contains("A rule denies"), "{refused}");
}

#[test]
fn started_in_a_subfolder_the_whole_work_tree_is_the_root() {
    let stage = Stage::new();
    let file = stage.file("top.txt", "one\n");
    fs::create_dir_all(stage.project().join("deep/er")).expect("folders");
    fs::create_dir_all(stage.project().join(".git")).expect("a folder");
    let below = stage.project().join("deep/er");
    let shown = read_over_mcp(&stage, &below, None, &file);
    assert!(shown.contains("1→one"), "{shown}");
    let run = run_in(&stage, &below, &["doctor"]);
    let root = stage.project().canonicalize().expect("there");
    assert!(
        run.out.contains(&format!("  {}", root.display())),
        "{run:?}"
    );
    assert!(
        run.out.contains("the project of the working folder"),
        "{run:?}"
    );
    // A client's own roots narrow it to the subfolder.
    let refused = read_over_mcp(&stage, &below, Some(&below), &file);
    assert!(refused.contains("outside the roots"), "{refused}");
}

#[test]
fn a_tilde_that_no_shell_expanded_is_home() {
    let stage = Stage::new();
    fs::create_dir(stage.home().join("work")).expect("a folder");
    fs::write(stage.home().join("work/a.txt"), "one\n").expect("a file");
    let run = stage.run(&[
        "call",
        "Read",
        "{\"file_path\": \"~/work/a.txt\"}",
        "--root=~/work",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
}

#[test]
fn a_command_on_one_file_takes_the_work_tree_around_it() {
    let stage = Stage::new();
    stage.file("repository/.git/HEAD", "ref: refs/heads/main\n");
    let target = stage.file("repository/shared/a.txt", "one\n");
    let link = stage.project().join("repository/deep/link.txt");
    fs::create_dir(link.parent().expect("it has one")).expect("a folder");
    symlink(&target, &link).expect("a link");
    let run = stage.run(&["read", path_argument(&link)]);
    assert_eq!(run.code, 0, "the link leads through the work tree: {run:?}");
}

#[test]
fn without_a_work_tree_it_takes_the_files_folder() {
    let stage = Stage::new();
    let outside = stage.file("outside.txt", "one\n");
    let link = stage.project().join("deep/link.txt");
    fs::create_dir(link.parent().expect("it has one")).expect("a folder");
    symlink(&outside, &link).expect("a link");
    let from_home = |arguments: &[&str]| run_in(&stage, &stage.home(), arguments);
    let run = from_home(&["read", path_argument(&link)]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("outside"), "{run:?}");
    let run = from_home(&[
        "read",
        path_argument(&link),
        "--root",
        path_argument(&stage.project()),
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    let run = stage.run(&["read", path_argument(&link)]);
    assert_eq!(run.code, 0, "the working folder holds both: {run:?}");
}

fn run_in(stage: &Stage, folder: &Path, arguments: &[&str]) -> Run {
    let mut command = stage.command(crate::stage::LANCET);
    command.args(arguments).current_dir(folder);
    crate::stage::finish(command, b"")
}

/// Makes a project that forbids `src`, and one file that it does not forbid.
fn forbidding(stage: &Stage) {
    stage.file("src/s.rs", "secret\n");
    stage.file("open/a.rs", "secret\n");
    stage.file("lancet.toml", "[permissions]\ndeny = [\"Read(src/**)\"]\n");
}

#[test]
fn the_projects_rules_hold_however_the_folder_is_spelled() {
    for git in [false, true] {
        let stage = Stage::new();
        forbidding(&stage);
        if git {
            stage.file(".git/HEAD", "ref: refs/heads/main\n");
        }
        let full = stage.project();
        for folder in [".", "./", "open/..", path_argument(&full)] {
            let run = stage.run(&["grep", "^secret$", folder]);
            assert!(run.out.ends_with("open/a.rs:1:secret\n"), "{run:?}");
            assert_eq!(run.out.lines().count(), 1, "{run:?}");
            assert!(
                run.err.contains("1 secret or denied file skipped"),
                "{run:?}"
            );
            let run = stage.run(&["glob", "*.rs", folder]);
            assert!(
                run.out.ends_with("open/a.rs\n") && !run.out.contains("src/s.rs"),
                "{run:?}"
            );
        }
        for path in ["src", "src/s.rs"] {
            let run = stage.run(&["grep", "^secret$", path]);
            assert!(!run.out.contains("1:secret"), "{run:?}");
        }
    }
}

#[test]
fn the_projects_rules_hold_for_commands_on_one_file() {
    let stage = Stage::new();
    forbidding(&stage);
    let run = stage.run(&["read", "src/s.rs"]);
    assert!(run.code == 1 && run.err.contains("denied"), "{run:?}");
    let run = stage.run(&["explain", "src/s.rs", "--tool", "Read"]);
    assert!(run.out.contains("denied, by the rule"), "{run:?}");
    let edit = ["edit", "src/s.rs", "--old", "secret", "--new", "x", "--yes"];
    assert_eq!(stage.run(&edit).code, 1);
    assert_eq!(stage.run(&["read", "open/a.rs"]).code, 0);
}

#[test]
fn of_working_folder_and_work_tree_the_one_with_settings_counts() {
    let stage = Stage::new();
    forbidding(&stage);
    stage.file("src/deep/b.rs", "secret\n");
    stage.file(".git/HEAD", "ref: refs/heads/main\n");
    // The working folder is inside the part that the work tree's settings forbid.
    let run = run_in(&stage, &stage.project().join("src"), &["read", "s.rs"]);
    assert!(run.code == 1 && run.err.contains("denied"), "{run:?}");
    // A work tree below the working folder.
    stage.file("open/.git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(stage.run(&["read", "open/a.rs"]).code, 0);
    stage.file("src/deep/.git/HEAD", "ref: refs/heads/main\n");
    let run = stage.run(&["read", "src/deep/b.rs"]);
    assert!(run.code == 1 && run.err.contains("denied"), "{run:?}");
}

#[test]
fn a_folder_is_its_own_root_and_its_files_can_be_named_again() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("inner/b.txt", "one\n");
    let inner = stage.project().join("inner");
    for arguments in [&["grep", "-l", "one", ".."][..], &["glob", "*.txt", ".."]] {
        let run = run_in(&stage, &inner, arguments);
        assert_eq!(run.code, 0, "{run:?}");
        let mut lines: Vec<&str> = run.out.lines().collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            ["../a.txt", "../inner/b.txt"],
            "from where one stands: {run:?}"
        );
    }
    let run = run_in(&stage, &inner, &["explain", "..", "--tool", "Read"]);
    assert!(!run.out.contains("outside"), "{run:?}");
    let run = run_in(&stage, &inner, &["read", ".."]);
    assert!(run.err.contains("is a folder"), "{run:?}");
    assert!(run.err.contains("lancet glob '**' /"), "{run:?}");
}

#[test]
fn the_home_folder_and_the_top_are_no_roots_for_what_they_hold() {
    let stage = Stage::new();
    let home = stage.home();
    fs::create_dir(home.join("proj")).expect("a folder");
    fs::write(home.join("proj/a"), "needle\n").expect("a file");
    fs::write(home.join("b"), "needle\n").expect("a file");
    let run = run_in(&stage, &home.join("proj"), &["grep", "needle", "."]);
    assert!(run.out == "./a:1:needle\n", "{run:?}");
    symlink(home.join("b"), home.join("proj/link")).expect("a link");
    let run = run_in(&stage, &home, &["read", "proj/link"]);
    assert!(run.err.contains("outside"), "{run:?}");
    let run = run_in(&stage, &home, &["grep", "needle", "proj"]);
    assert!(run.out == "proj/a:1:needle\n", "{run:?}");
    for (from, folder) in [(&home, "."), (&home.join("proj"), ".."), (&home, "/")] {
        let run = run_in(&stage, from, &["grep", "needle", folder]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("--root"), "{run:?}");
    }
}

#[test]
fn a_linked_folder_leads_out_of_no_project() {
    let stage = Stage::new();
    let outside = stage.home().join("other");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("a"), "needle\n").expect("a file");
    symlink(&outside, stage.project().join("link")).expect("a link");
    for link in ["link", "link/"] {
        let run = stage.run(&["grep", "needle", link]);
        assert_eq!(run.code, 2, "{run:?}");
        assert!(run.err.contains("outside"), "{run:?}");
    }
    symlink(&outside, stage.home().join("link")).expect("a link");
    let run = stage.run(&["grep", "needle", path_argument(&stage.home().join("link"))]);
    assert_eq!(run.code, 0, "no project holds this one: {run:?}");
}

#[test]
fn a_file_directly_in_the_home_folder_can_be_edited() {
    let stage = Stage::new();
    let path = stage.home().join("notes.txt");
    fs::write(&path, "one\n").expect("a file");
    let run = stage.run(&[
        "edit",
        path_argument(&path),
        "--old",
        "one",
        "--new",
        "two",
        "--yes",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(fs::read_to_string(&path).expect("a text"), "two\n");
}

#[test]
fn a_file_is_named_from_the_working_folder_whatever_the_roots_are() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    stage.file("inner/b.txt", "two\n");
    let from_inner = |arguments: &[&str]| {
        let mut command = stage.command(crate::stage::LANCET);
        command
            .args(arguments)
            .current_dir(stage.project().join("inner"));
        crate::stage::finish(command, b"")
    };
    for arguments in [
        &["read", "../a.txt"][..],
        &["read", "../a.txt", "--root", ".."],
    ] {
        let run = from_inner(arguments);
        assert_eq!(run.out, "one\n", "{run:?}");
    }
    let run = from_inner(&["read", "b.txt", "--root", "..", "--root", "."]);
    assert_eq!(run.out, "two\n", "{run:?}");
}

#[test]
fn what_is_outside_the_given_roots_is_refused() {
    let stage = Stage::new();
    let path = stage.file("a.txt", "one\n");
    fs::create_dir(stage.project().join("inner")).expect("a folder");
    let run = stage.run(&["read", path_argument(&path), "--root", "inner"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains("outside"), "{run:?}");
    let run = stage.run(&[
        "read",
        path_argument(&path),
        "--root",
        "inner",
        "--root",
        ".",
    ]);
    assert_eq!(run.code, 0, "{run:?}");
}
