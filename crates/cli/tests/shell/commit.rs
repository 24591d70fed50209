//! `lancet commit`: what it commits, and what it leaves alone.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use lancet_testing::git;
use serde_json::json;

use crate::stage::{Run, Stage};
use crate::terminal::on_terminal;

/// A project with a repository, whose first commit has these files.
fn repository(files: &[(&str, &str)]) -> Stage {
    let stage = Stage::new().with("GIT_CONFIG_NOSYSTEM", "1");
    run_git(&stage, &["init", "-q"]);
    run_git(&stage, &["config", "user.name", "a"]);
    run_git(&stage, &["config", "user.email", "a@b"]);
    for (name, text) in files {
        stage.file(name, text);
    }
    run_git(&stage, &["add", "-A"]);
    run_git(&stage, &["commit", "-qm", "first", "--allow-empty"]);
    stage
}

fn run_git(stage: &Stage, arguments: &[&str]) -> String {
    let out = git::git(&stage.home(), &stage.project(), arguments);
    String::from_utf8_lossy(&out).trim_end().to_owned()
}

/// Runs a command that has to succeed.
fn run(stage: &Stage, arguments: &[&str]) -> Run {
    let run = stage.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {run:?}");
    run
}

fn edit(stage: &Stage, name: &str, old: &str, new: &str) {
    run(stage, &["edit", name, "--old", old, "--new", new, "--yes"]);
}

fn commit(stage: &Stage) -> Run {
    stage.run(&["commit", "--since", "1h", "-m", "by lancet", "--yes"])
}

/// Returns everything that a refused commit leaves alone.
fn untouched(stage: &Stage) -> (Option<Vec<u8>>, String, String, String) {
    let index = fs::read(stage.project().join(".git/index")).ok();
    let head = fs::read_to_string(stage.project().join(".git/HEAD")).expect("HEAD");
    let refs = run_git(stage, &["for-each-ref"]);
    (index, head, refs, stage.text("a.txt"))
}

fn assert_refused(stage: &Stage, reason: &str) {
    let before = untouched(stage);
    let run = commit(stage);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.err.contains(reason), "{reason}: {run:?}");
    assert_eq!(before, untouched(stage), "{reason}");
}

#[test]
fn refuses_while_something_is_under_way() {
    let stage = repository(&[("a.txt", "one\ntwo\n")]);
    edit(&stage, "a.txt", "one", "1");
    let folder = stage.project().join(".git");
    for (name, reason) in [
        ("MERGE_HEAD", "a merge"),
        ("rebase-merge/done", "a rebase"),
        ("rebase-apply/next", "a rebase"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("BISECT_LOG", "a bisect"),
        ("index.lock", "index is locked"),
    ] {
        let path = lancet_testing::folder::put(&folder.join(name), "");
        assert_refused(&stage, reason);
        fs::remove_file(&path).expect("removed");
        if let Some((below, _)) = name.split_once('/') {
            fs::remove_dir(folder.join(below)).expect("removed");
        }
    }
    run_git(&stage, &["checkout", "-q", "--detach"]);
    assert_refused(&stage, "--detached");
    let arguments = ["commit", "--since", "1h", "-m", "m", "--yes", "--detached"];
    run(&stage, &arguments);
    assert_eq!(run_git(&stage, &["show", "HEAD:a.txt"]), "1\ntwo");
}

#[test]
fn refuses_before_the_first_commit_and_outside_of_git() {
    let stage = Stage::new();
    stage.file("a.txt", "one\n");
    edit(&stage, "a.txt", "one", "1");
    let outside = commit(&stage);
    assert_eq!(outside.code, 1, "{outside:?}");
    assert!(outside.err.contains("no work tree of git"), "{outside:?}");
    run_git(&stage, &["init", "-q"]);
    assert_refused(&stage, "no commit yet");
}

#[test]
fn refuses_next_to_lines_of_others() {
    let stage = repository(&[("a.txt", "one\ntwo\nthree\nfour\n")]);
    edit(&stage, "a.txt", "two", "2");
    stage.file("a.txt", "one\n2\nTHREE\nfour\n");
    assert_refused(&stage, "a.txt, lines 2 to 3: another program");
    stage.file("a.txt", "one\n2\nthree\nFOUR\n");
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(
        run_git(&stage, &["show", "HEAD:a.txt"]),
        "one\n2\nthree\nfour"
    );
    assert_eq!(stage.text("a.txt"), "one\n2\nthree\nFOUR\n");
    assert_eq!(run_git(&stage, &["diff", "--cached"]), "");
}

#[test]
fn refuses_where_other_lines_are_staged_at_the_place() {
    let stage = repository(&[("a.txt", "one\ntwo\n")]);
    stage.file("a.txt", "one\nother\n");
    run_git(&stage, &["add", "a.txt"]);
    stage.file("a.txt", "one\ntwo\n");
    edit(&stage, "a.txt", "two", "2");
    assert_refused(&stage, "a.txt: what is staged of it");
}

#[test]
fn commits_new_removed_and_moved_files_modes_and_links() {
    let stage = repository(&[
        ("a.txt", "one\n"),
        ("gone.txt", "gone\n"),
        ("old.txt", "1\n2\n3\n4\n5\n6\n"),
        ("run.sh", "echo\n"),
        ("mine.txt", "mine\n"),
    ]);
    run(
        &stage,
        &["write", "new/n.txt", "--content", "new\n", "--yes"],
    );
    run(&stage, &["rm", "gone.txt", "--yes"]);
    run(&stage, &["mv", "old.txt", "now.txt", "--yes"]);
    edit(&stage, "now.txt", "6", "six");
    // What a command changes is recorded.
    run(
        &stage,
        &["run", "--", "sh", "-c", "chmod +x run.sh; ln -s a.txt link"],
    );
    stage.file("mine.txt", "changed by hand\n");
    stage.file("hand.txt", "by hand\n");
    let done = commit(&stage);
    assert_eq!(done.code, 0, "{done:?}");
    let names = run_git(&stage, &["show", "--format=", "--summary", "HEAD"]);
    for words in [
        "create mode 100644 new/n.txt",
        "delete mode 100644 gone.txt",
        "rename old.txt => now.txt",
        "mode change 100644 => 100755 run.sh",
        "create mode 120000 link",
    ] {
        assert!(names.contains(words), "{words}: {names}");
    }
    assert!(!names.contains("hand.txt"), "{names}");
    assert_eq!(
        run_git(&stage, &["status", "--porcelain"]),
        " M mine.txt\n?? hand.txt",
        "what was changed by hand is left"
    );
    let again = commit(&stage);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("nothing to commit"), "{again:?}");
}

#[test]
fn hook_that_reformats_leaves_the_index_and_is_named() {
    let stage = repository(&[("a.txt", "one\ntwo\nthree\n")]);
    let hook = stage.file(
        ".git/hooks/pre-commit",
        "#!/bin/sh\nsed -i s/2/second/ a.txt\ngit add a.txt\n",
    );
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).expect("set");
    edit(&stage, "a.txt", "two", "2");
    let index = || run_git(&stage, &["ls-files", "--stage"]);
    let before = index();
    let done = commit(&stage);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("Hooks changed a.txt."), "{done:?}");
    assert_eq!(
        run_git(&stage, &["show", "HEAD:a.txt"]),
        "one\nsecond\nthree"
    );
    assert_eq!(stage.text("a.txt"), "one\nsecond\nthree\n");
    assert_eq!(before, index(), "git's index is as it was");
}

#[test]
fn hook_that_refuses_prevents_the_commit() {
    let stage = repository(&[("a.txt", "one\n")]);
    let hook = stage.file(".git/hooks/commit-msg", "#!/bin/sh\nexit 1\n");
    fs::set_permissions(hook, fs::Permissions::from_mode(0o755)).expect("set");
    edit(&stage, "a.txt", "one", "1");
    assert_refused(&stage, "`git commit` ended with 1");
}

#[test]
fn leaves_out_ignored_and_secret_files() {
    let stage = repository(&[
        (".gitignore", "*.log\n"),
        (".env", "KEY=1\n"),
        ("a.txt", "a\n"),
    ]);
    run(&stage, &["write", "x.log", "--content", "log\n", "--yes"]);
    let write = "echo KEY=2 > .env; echo b >> a.txt";
    run(&stage, &["run", "--", "sh", "-c", write]);
    let done = commit(&stage);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.err.contains("left out: x.log: git ignores it"),
        "{done:?}"
    );
    assert!(done.err.contains("left out: .env: the rules"), "{done:?}");
    let names = run_git(&stage, &["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(names, "a.txt");
}

#[test]
fn an_agent_needs_the_flag_and_a_dry_run_touches_nothing() {
    let stage = repository(&[("a.txt", "one\n")]);
    edit(&stage, "a.txt", "one", "1");
    let stage = stage.with("CLAUDECODE", "1");
    let before = untouched(&stage);
    let asked = stage.run(&["commit", "--since", "1h", "-m", "m"]);
    assert_eq!(asked.code, 1, "{asked:?}");
    assert!(
        asked.err.contains("Claude Code runs this command"),
        "{asked:?}"
    );
    let shown = run(&stage, &["commit", "--since", "1h", "--dry-run"]);
    assert!(shown.out.contains("-one\n+1\n"), "{shown:?}");
    assert_eq!(before, untouched(&stage));
    let objects = run_git(&stage, &["count-objects", "-v"]);
    let (code, data) = stage.json(&["commit", "--since", "1h", "--dry-run", "--json"]);
    assert_eq!((code, &data["dryRun"]), (0, &true.into()), "{data}");
    assert_eq!(objects, run_git(&stage, &["count-objects", "-v"]));
    let (code, data) = stage.json(&["commit", "--since", "1h", "-m", "m", "--yes", "--json"]);
    assert_eq!((code, &data["files"][0]["added"]), (0, &1.into()), "{data}");
    assert_eq!(data["commit"], run_git(&stage, &["rev-parse", "HEAD"]));
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
}

#[test]
fn filters_of_git_apply() {
    let stage = repository(&[
        (".gitattributes", "*.up filter=case\n"),
        ("a.up", "ONE\nTWO\nTHREE\n"),
    ]);
    run_git(&stage, &["config", "filter.case.clean", "tr a-z A-Z"]);
    run_git(&stage, &["config", "filter.case.smudge", "tr A-Z a-z"]);
    stage.file("a.up", "one\ntwo\nthree\n");
    edit(&stage, "a.up", "two", "second");
    stage.file("a.up", "one\nsecond\nthree\nfour\n");
    let done = commit(&stage);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(
        run_git(&stage, &["show", "HEAD:a.up"]),
        "ONE\nSECOND\nTHREE",
        "the line by hand is left"
    );
}

#[test]
fn file_that_is_to_be_added_is_committed() {
    let stage = repository(&[("a.txt", "one\n")]);
    run(&stage, &["write", "n.txt", "--content", "new\n", "--yes"]);
    run_git(&stage, &["add", "--intent-to-add", "n.txt"]);
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
}

#[test]
fn file_that_became_a_link_is_committed_as_a_whole() {
    let stage = repository(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    let change = "rm b.txt; ln -s a.txt b.txt";
    run(&stage, &["run", "--", "sh", "-c", change]);
    assert_eq!(commit(&stage).code, 0);
    let mode = run_git(&stage, &["ls-tree", "HEAD", "b.txt"]);
    assert!(mode.starts_with("120000"), "{mode}");
    fs::remove_file(stage.project().join("b.txt")).expect("removed");
    symlink("elsewhere", stage.project().join("b.txt")).expect("a link");
    let nothing = commit(&stage);
    assert_eq!(nothing.code, 1, "another program changed it: {nothing:?}");
}

#[test]
fn the_question_shows_the_patch() {
    let stage = repository(&[("a.txt", "one\n")]);
    edit(&stage, "a.txt", "one", "1");
    let before = untouched(&stage);
    let typed = "commit --since 1h -m 'by hand'";
    let no = on_terminal(&stage, typed, "n\n");
    assert_eq!(no.code, 1, "{no:?}");
    assert!(
        no.out.contains("Cancelled; nothing was committed."),
        "{no:?}"
    );
    assert_eq!(before, untouched(&stage));
    let yes = on_terminal(&stage, typed, "y\n");
    assert_eq!(yes.code, 0, "{yes:?}");
    for words in ["-one", "+1", "Commit 1 file, +1 -1 to "] {
        assert!(yes.out.contains(words), "{words}: {yes:?}");
    }
    assert_eq!(run_git(&stage, &["show", "HEAD:a.txt"]), "1");
    assert_eq!(run_git(&stage, &["log", "-1", "--format=%s"]), "by hand");
}

#[test]
fn a_name_that_is_not_utf8_is_committed() {
    use std::os::unix::ffi::OsStringExt as _;

    let stage = repository(&[("a.txt", "one\n")]);
    let name = std::ffi::OsString::from_vec(b"caf\xe9 \"x\".txt".to_vec());
    run(
        &stage,
        &[
            "run",
            "--",
            "sh",
            "-c",
            "echo x > \"$(printf 'caf\\351 \"x\".txt')\"",
        ],
    );
    assert!(stage.project().join(&name).exists());
    let done = commit(&stage);
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
}

#[test]
fn file_that_is_not_text_is_committed_whole_or_not_at_all() {
    let stage = repository(&[("a.bin", "a\0b\nc\n"), ("a.txt", "a\n")]);
    run(
        &stage,
        &["run", "--", "sh", "-c", r"printf 'a\0B\nc\n' > a.bin"],
    );
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
    run(
        &stage,
        &["run", "--", "sh", "-c", r"printf 'a\0B\nC\n' > a.bin"],
    );
    stage.file("a.bin", "Z\0B\nC\n");
    assert_refused(&stage, "a.bin: another program");
}

#[test]
fn crlf_that_is_committed_stays() {
    let stage = repository(&[("a.txt", "one\r\ntwo\r\nthree\r\nfour\r\n")]);
    edit(&stage, "a.txt", "two", "2");
    stage.file("a.txt", "one\r\n2\r\nthree\r\nFOUR\r\n");
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(
        run_git(&stage, &["show", "HEAD:a.txt"]),
        "one\r\n2\r\nthree\r\nfour"
    );
}

#[test]
fn earlier_staged_version_of_the_same_changes_is_replaced() {
    let stage = repository(&[("a.txt", "one\ntwo\nthree\n")]);
    edit(&stage, "a.txt", "one", "1");
    run_git(&stage, &["add", "a.txt"]);
    edit(&stage, "a.txt", "1\ntwo", "first\nsecond");
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
}

#[test]
fn committed_lines_are_taken_out_again_by_the_next_commit() {
    let stage = repository(&[("a.txt", "one\ntwo\nthree\n")]);
    edit(&stage, "a.txt", "one", "1");
    // HEAD is then no state that was recorded.
    stage.file("a.txt", "1\ntwo\nTHREE\n");
    assert_eq!(commit(&stage).code, 0);
    edit(&stage, "a.txt", "1", "one");
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(run_git(&stage, &["show", "HEAD:a.txt"]), "one\ntwo\nthree");
    assert_eq!(stage.text("a.txt"), "one\ntwo\nTHREE\n");
}

#[test]
fn a_move_and_an_edit_of_different_sessions_are_different_commits() {
    let stage = repository(&[("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n")]);
    let from = stage.project().join("a.txt");
    let to = stage.project().join("b.txt");
    let call = json!({ "from_path": from, "to_path": to }).to_string();
    let moves = [
        "call",
        "MoveFile",
        &call,
        "--session",
        "mover",
        "--tools",
        "all",
    ];
    run(&stage, &moves);
    run(&stage, &["read", "b.txt", "--session", "editor"]);
    let edits = [
        "--old",
        "3",
        "--new",
        "three",
        "--yes",
        "--session",
        "editor",
    ];
    run(&stage, &[&["edit", "b.txt"][..], &edits].concat());
    let commit =
        |session: &str| stage.run(&["commit", "--session", session, "-m", session, "--yes"]);
    let early = commit("editor");
    assert_eq!(early.code, 1, "the move is not committed: {early:?}");
    assert_eq!(commit("mover").code, 0);
    assert_eq!(
        run_git(&stage, &["show", "HEAD:b.txt"]),
        "1\n2\n3\n4\n5\n6\n7\n8"
    );
    assert_eq!(commit("editor").code, 0);
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), "");
}

#[test]
fn change_in_the_second_of_the_index_is_seen() {
    let stage = repository(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    // git then tells a file of the same size from the one in the index by its time alone.
    run_git(&stage, &["config", "core.checkStat", "minimal"]);
    run_git(&stage, &["config", "core.trustctime", "false"]);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let set_time = |name: &str| {
        let file = fs::File::options()
            .write(true)
            .open(stage.project().join(name));
        file.and_then(|file| file.set_modified(time)).expect("set");
    };
    ["a.txt", "b.txt"].iter().for_each(|name| set_time(name));
    run_git(&stage, &["update-index", "--refresh"]);
    edit(&stage, "a.txt", "one", "eno");
    stage.file("b.txt", "owt\n");
    for name in ["a.txt", "b.txt", ".git/index"] {
        set_time(name);
    }
    assert_eq!(commit(&stage).code, 0);
    assert_eq!(run_git(&stage, &["show", "HEAD:a.txt"]), "eno");
    assert_eq!(run_git(&stage, &["status", "--porcelain"]), " M b.txt");
}
