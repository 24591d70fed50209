//! `write.git_diff`: the data of every change has the file's difference to HEAD.
//! It is compared with the output of `git diff HEAD`, and no byte of git's folder may have changed afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lancet::settings::{GitSurroundings, Layer, Origin};
use lancet::{Lancet, Mode, RawCall, Settings};
use lancet_testing::git::command;
use lancet_testing::{TestProject, settings};
use serde_json::{Value, json};

/// Makes a project whose root is a repository.
fn repository() -> TestProject {
    repository_with(GitSurroundings::default())
}

fn repository_with(surroundings: GitSurroundings) -> TestProject {
    let project = TestProject::with_history(|builder| builder.settings(git_diff(surroundings)));
    git(&project, &["init", "-q"]);
    project
}

fn git_diff(surroundings: GitSurroundings) -> Settings {
    let mut settings = settings("write.git_diff = true\ntools = [\"all\"]\n");
    settings.write.git = surroundings;
    settings
}

fn git(project: &TestProject, arguments: &[&str]) -> String {
    git_in(project, "", arguments)
}

fn git_in(project: &TestProject, folder: &str, arguments: &[&str]) -> String {
    let done = command(project.around.path(), &project.path(folder))
        .env("GIT_OPTIONAL_LOCKS", "0")
        .args(["-c", "core.safecrlf=false"])
        .args(arguments)
        .output()
        .expect("git is there");
    let error = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "git {arguments:?}: {error}");
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn commit(project: &TestProject) {
    git(project, &["add", "-A"]);
    git(project, &["commit", "-q", "-m", "x"]);
}

fn call(project: &TestProject, tool: &str, arguments: Value) -> Value {
    let before = of_git(project);
    let reply = project.call(tool, arguments);
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(before == of_git(project), "git's folder is as it was");
    reply.data().clone()
}

/// Replaces one word and returns the difference in the answer's data.
fn edit(project: &TestProject, name: &str, old: &str, new: &str) -> Value {
    let path = project.path(name);
    project.read(&path);
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    call(project, "Edit", edit)["gitDiff"].clone()
}

/// Returns everything below `.git`: names, bytes, times.
fn of_git(project: &TestProject) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![project.path(".git")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stat = fs::metadata(&path).unwrap();
            if stat.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, (bytes, stat.modified().unwrap()));
            }
        }
    }
    found
}

/// Compares a difference with git's own.
fn agree(project: &TestProject, name: &str, told: &Value, status: &str) {
    agree_in(project, "", name, told, status);
}

fn agree_in(project: &TestProject, folder: &str, name: &str, told: &Value, status: &str) {
    assert_eq!(told["status"], status, "{name}: {told}");
    assert_eq!(told["filename"], name, "{told}");
    let head = git_in(project, folder, &["rev-parse", "HEAD"]);
    assert_eq!(told["head"], head.trim_end(), "{told}");
    let shown = git_in(
        project,
        folder,
        &["diff", "--histogram", "HEAD", "--", name],
    );
    assert_eq!(told["patch"], hunks(&shown), "{name}");
    let numbers = git_in(
        project,
        folder,
        &["diff", "--histogram", "--numstat", "HEAD", "--", name],
    );
    let numbers: Vec<u64> = numbers
        .split_whitespace()
        .take(2)
        .map(|number| number.parse().unwrap())
        .collect();
    let (added, removed) = match numbers[..] {
        [added, removed] => (added, removed),
        _ => (0, 0),
    };
    assert_eq!(told["additions"], added, "{told}");
    assert_eq!(told["deletions"], removed, "{told}");
    assert_eq!(told["changes"], added + removed, "{told}");
}

/// Returns the part of a diff below its head, without the text that git puts after `@@` for the reader, and with the
/// count of one line that git leaves out.
fn hunks(diff: &str) -> String {
    let start = match diff.find("\n@@ ") {
        Some(at) => at + 1,
        None => return String::new(),
    };
    let whole = |range: &str| match range.contains(',') {
        true => range.to_owned(),
        false => format!("{range},1"),
    };
    let mut out = String::new();
    for line in diff[start..].split_inclusive('\n') {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("@@"), Some(old), Some(new)) => {
                out.push_str(&format!("@@ {} {} @@\n", whole(old), whole(new)));
            }
            _ => out.push_str(line),
        }
    }
    out
}

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n";

#[test]
fn every_writing_tool_tells_the_difference_to_head() {
    let project = repository();
    project.put("a.txt", TEXT);
    project.put("src/b.txt", TEXT);
    commit(&project);
    // From HEAD, not from the version before: the second answer has both changes.
    agree(
        &project,
        "a.txt",
        &edit(&project, "a.txt", "two", "2"),
        "modified",
    );
    let told = edit(&project, "a.txt", "eleven", "11");
    agree(&project, "a.txt", &told, "modified");
    assert_eq!(told["changes"], 4);
    let edits = json!({ "edits": [
        { "file_path": project.path("a.txt"), "old_string": "six", "new_string": "6\n6" },
        { "file_path": project.path("new/c.txt"), "old_string": "", "new_string": "new\n" },
    ] });
    let data = call(&project, "MultiEdit", edits);
    agree(&project, "a.txt", &data["files"][0]["gitDiff"], "modified");
    let told = &data["files"][1]["gitDiff"];
    assert_eq!(told["status"], "added");
    assert_eq!(told["patch"], "@@ -0,0 +1,1 @@\n+new\n");
    let write = json!({ "file_path": project.path("src/b.txt"), "content": "other", "revision": revision(&project.path("src/b.txt")) });
    let data = call(&project, "Write", write.clone());
    agree(&project, "src/b.txt", &data["gitDiff"], "modified");
    let data = call(&project, "Undo", json!({}));
    agree(
        &project,
        "src/b.txt",
        &data["files"][0]["gitDiff"],
        "unchanged",
    );
    let data = call(&project, "Undo", json!({}));
    agree(&project, "a.txt", &data["files"][0]["gitDiff"], "modified");
    assert_eq!(
        data["files"][1]["gitDiff"]["status"], "unchanged",
        "neither HEAD nor the disk has it"
    );
    let mut dry = write;
    dry["dry_run"] = json!(true);
    let data = call(&project, "Write", dry);
    assert_eq!(data["gitDiff"]["status"], "modified");
    assert_eq!(data["gitDiff"]["deletions"], 12);
    // Staged or not: HEAD is what counts.
    git(&project, &["add", "-A"]);
    agree(
        &project,
        "a.txt",
        &edit(&project, "a.txt", "one", "1"),
        "modified",
    );
}

fn revision(path: &Path) -> String {
    blake3::hash(&fs::read(path).unwrap()).to_hex()[..16].to_owned()
}

#[test]
fn what_git_does_not_have_is_added() {
    let project = repository();
    let write = |name: &str| json!({ "file_path": project.path(name), "content": "a\nb\n" });
    let told = call(&project, "Write", write("unborn.txt"))["gitDiff"].clone();
    assert_eq!(told["status"], "added");
    assert_eq!(told["head"], Value::Null, "no commit yet");
    assert_eq!(told["additions"], 2);
    commit(&project);
    let told = call(&project, "Write", write("untracked.txt"))["gitDiff"].clone();
    assert_eq!(told["status"], "added");
    assert_ne!(told["head"], Value::Null);
    // As soon as git tracks it, git reports the same.
    git(&project, &["add", "untracked.txt"]);
    agree(
        &project,
        "untracked.txt",
        &told_again(&project, "untracked.txt"),
        "added",
    );
}

/// Returns the difference once more, by a change that is undone at once.
fn told_again(project: &TestProject, name: &str) -> Value {
    let text = fs::read_to_string(project.path(name)).unwrap();
    let write = json!({ "file_path": project.path(name), "content": format!("{text}more\n"), "revision": revision(&project.path(name)) });
    call(project, "Write", write);
    call(project, "Undo", json!({}))["files"][0]["gitDiff"].clone()
}

#[test]
fn a_file_that_goes_is_deleted() {
    let project = repository();
    let write = json!({ "file_path": project.path("a.txt"), "content": "a\n" });
    call(&project, "Write", write);
    commit(&project);
    let told = call(&project, "Undo", json!({}))["files"][0]["gitDiff"].clone();
    agree(&project, "a.txt", &told, "deleted");
}

#[test]
fn packed_and_in_a_folder_below_and_with_longer_names() {
    let mut project = repository();
    project.put("src/inner/a.txt", TEXT);
    // The root of the session is a folder in the repository.
    let lancet = Lancet::builder()
        .root(project.path("src/inner"))
        .state_dir(project.around.join("state-inner"))
        .settings(git_diff(GitSurroundings::default()))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    project.session = lancet.new_session();
    commit(&project);
    git(&project, &["gc", "-q"]);
    let told = edit(&project, "src/inner/a.txt", "two", "2");
    agree(&project, "src/inner/a.txt", &told, "modified");

    let project = repository();
    fs::remove_dir_all(project.path(".git")).unwrap();
    git(&project, &["init", "-q", "--object-format=sha256"]);
    project.put("a.txt", TEXT);
    commit(&project);
    git(&project, &["repack", "-q", "-ad"]);
    agree(
        &project,
        "a.txt",
        &edit(&project, "a.txt", "two", "2"),
        "modified",
    );
}

#[test]
fn in_linked_work_trees_and_submodules() {
    let project = repository();
    project.put("a.txt", TEXT);
    commit(&project);
    git(&project, &["worktree", "add", "-q", "linked"]);
    let told = edit(&project, "linked/a.txt", "two", "2");
    agree_in(&project, "linked", "a.txt", &told, "modified");
    let from = project.path("").with_file_name("from");
    fs::create_dir(&from).unwrap();
    git(
        &project,
        &["clone", "-q", "--bare", ".", &from.display().to_string()],
    );
    git(
        &project,
        &[
            "submodule",
            "--quiet",
            "add",
            &from.display().to_string(),
            "sub",
        ],
    );
    let told = edit(&project, "sub/a.txt", "three", "3");
    agree_in(&project, "sub", "a.txt", &told, "modified");
}

#[test]
fn line_ends_that_git_takes_away_are_no_change() {
    let crlf = TEXT.replace('\n', "\r\n");
    let auto = "[core]\n\tautocrlf = true\n";
    let user = |text: &str| GitSurroundings {
        config: vec![text.to_owned()],
        attributes: Vec::new(),
    };
    // Attributes of the project, configuration of the user, the content in git, and whether the CRLF of the disk
    // counts.
    let cases = [
        ("", "", TEXT, true),
        ("* text=auto\n", "", TEXT, false),
        ("*.txt text\n", "", TEXT, false),
        ("*.txt eol=crlf\n", "", TEXT, false),
        ("*.txt crlf\n", "", TEXT, false),
        ("*.txt -text\n", auto, TEXT, true),
        ("*.txt binary diff\n", auto, TEXT, true),
        ("", auto, TEXT, false),
        ("", "[core]\nautocrlf = input\n", TEXT, false),
        ("", auto, &*crlf, true),
        ("*.txt !text\n", auto, TEXT, false),
    ];
    for (attributes, config, kept, counts) in cases {
        let project = repository_with(user(config));
        fs::write(project.around.join(".gitconfig"), config).unwrap();
        // The content is stored in git directly, without any conversion.
        project.put("a.txt", kept);
        let id = git(&project, &["hash-object", "-w", "--no-filters", "a.txt"]);
        let entry = format!("100644,{},a.txt", id.trim_end());
        git(&project, &["update-index", "--add", "--cacheinfo", &entry]);
        git(&project, &["commit", "-q", "-m", "x"]);
        project.put("a.txt", &crlf);
        project.put(".gitattributes", attributes);
        let told = edit(&project, "a.txt", "two", "2");
        let case = format!("{attributes:?} {config:?}");
        agree(&project, "a.txt", &told, "modified");
        let all = kept != crlf;
        assert_eq!(
            told["additions"],
            if counts && all { 12 } else { 1 },
            "{case}"
        );
    }
}

#[test]
fn what_cannot_be_compared_is_said() {
    let project = repository();
    project.put("nul.txt", "a\n");
    project.put("large.txt", "0123456789abcde\n".repeat(1_200_000));
    project.put("lfs.txt", "a\n");
    project.put("other", "a\n");
    std::os::unix::fs::symlink("other", project.path("link.txt")).unwrap();
    commit(&project);
    let id = git(&project, &["rev-parse", "HEAD"]);

    project.put(".gitattributes", "lfs.txt filter=lfs\nnul.txt -diff\n");
    let told = edit(&project, "lfs.txt", "a", "b");
    assert_eq!(
        told,
        json!({ "filename": "lfs.txt", "head": id.trim_end(), "status": "converted", "attribute": "filter" })
    );
    assert_eq!(edit(&project, "nul.txt", "a", "b")["status"], "binary");
    assert_eq!(edit(&project, "nul.txt", "b", "a")["status"], "unchanged");

    fs::remove_file(project.path("link.txt")).unwrap();
    let write = json!({ "file_path": project.path("link.txt"), "content": "a\n" });
    assert_eq!(
        call(&project, "Write", write)["gitDiff"]["status"],
        "type_changed"
    );

    let write = json!({ "file_path": project.path("large.txt"), "content": "a\n", "revision": revision(&project.path("large.txt")) });
    assert_eq!(
        call(&project, "Write", write)["gitDiff"],
        json!({ "status": "too_large" })
    );

    // In a damaged repository the difference is missing, but the write still succeeds.
    fs::write(project.path(".git/HEAD"), "ref: refs/heads/../../x\n").unwrap();
    let told = edit(&project, "other", "a", "b");
    assert_eq!(
        told,
        json!({ "status": "unreadable", "reason": "a reference is damaged" })
    );
    assert_eq!(fs::read_to_string(project.path("other")).unwrap(), "b\n");
}

#[test]
fn without_the_key_and_without_a_repository() {
    let project = repository();
    fs::rename(
        project.path(".git"),
        project.path("").with_file_name("gone"),
    )
    .unwrap();
    fs::create_dir(project.path(".git")).unwrap();
    project.put("a.txt", "a\n");
    assert_eq!(
        edit(&project, "a.txt", "a", "b"),
        json!({ "status": "no_repository" })
    );
    let lancet = Lancet::builder()
        .root(project.path(""))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let write = json!({ "file_path": project.path("b.txt"), "content": "a\n" });
    let reply = lancet.new_session().call(RawCall::new("Write", write));
    assert!(!reply.is_error());
    assert_eq!(reply.data().get("gitDiff"), None);
}

#[test]
fn an_untrusted_project_cannot_ask_for_it() {
    let layer = Layer {
        origin: Origin::Project,
        path: PathBuf::from("lancet.toml"),
        text: "write.git_diff = true\n".to_owned(),
    };
    let settings = Settings::load(&[layer]).expect("loads");
    assert!(!settings.write.git_diff);
    assert_eq!(settings.ignored.len(), 1);
}
