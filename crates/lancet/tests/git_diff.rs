//! `write.git_diff`: the data of every change has the file's difference to HEAD.
//! It is compared with the output of `git diff HEAD`, and no byte of git's folder may have changed afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lancet::settings::{GitSurroundings, Layer, Origin};
use lancet::{Lancet, Mode, RawCall, Session, Settings};
use lancet_testing::{TestFolder, folder, git, settings};
use serde_json::{Value, json};

struct Ground {
    folder: TestFolder,
    session: Session,
}

impl Ground {
    fn new() -> Ground {
        Ground::around("", GitSurroundings::default())
    }

    /// Makes a repository at `root/`, and a session whose root is the folder `below` in it.
    fn around(below: &str, surroundings: GitSurroundings) -> Ground {
        let folder = TestFolder::new();
        let root = folder.make(Path::new("root").join(below));
        let mut settings = settings("write.git_diff = true\ntools = [\"all\"]\n");
        settings.write.git = surroundings;
        let lancet = Lancet::builder()
            .root(&root)
            .state_dir(folder.join("state"))
            .mode(Mode::AcceptEdits)
            .settings(settings)
            .open()
            .expect("opened");
        let ground = Ground {
            folder,
            session: lancet.new_session(),
        };
        ground.git(&["init", "-q"]);
        ground
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join("root").join(name)
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_in("", arguments)
    }

    fn git_in(&self, folder: &str, arguments: &[&str]) -> String {
        let done = git::command(self.folder.path(), &self.path(folder))
            .env("GIT_OPTIONAL_LOCKS", "0")
            .args(["-c", "core.safecrlf=false"])
            .args(arguments)
            .output()
            .expect("git is there");
        let error = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "git {arguments:?}: {error}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        folder::put(&self.path(name), bytes)
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let before = self.of_git();
        let reply = self.session.call(RawCall::new(tool, arguments));
        assert!(!reply.is_error(), "{}", reply.text());
        assert!(before == self.of_git(), "git's folder is as it was");
        reply.data().clone()
    }

    /// Replaces one word and returns the difference in the answer's data.
    fn edit(&self, name: &str, old: &str, new: &str) -> Value {
        let path = self.path(name);
        self.session
            .call(RawCall::new("Read", json!({ "file_path": path })));
        let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
        self.call("Edit", edit)["gitDiff"].clone()
    }

    /// Returns everything below `.git`: names, bytes, times.
    fn of_git(&self) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path(".git")];
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
    fn agree(&self, name: &str, told: &Value, status: &str) {
        self.agree_in("", name, told, status);
    }

    fn agree_in(&self, folder: &str, name: &str, told: &Value, status: &str) {
        assert_eq!(told["status"], status, "{name}: {told}");
        assert_eq!(told["filename"], name, "{told}");
        let head = self.git_in(folder, &["rev-parse", "HEAD"]);
        assert_eq!(told["head"], head.trim_end(), "{told}");
        let shown = self.git_in(folder, &["diff", "--histogram", "HEAD", "--", name]);
        assert_eq!(told["patch"], hunks(&shown), "{name}");
        let numbers = self.git_in(
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
    let ground = Ground::new();
    ground.write("a.txt", TEXT);
    ground.write("src/b.txt", TEXT);
    ground.commit();
    // From HEAD, not from the version before: the second answer has both changes.
    ground.agree("a.txt", &ground.edit("a.txt", "two", "2"), "modified");
    let told = ground.edit("a.txt", "eleven", "11");
    ground.agree("a.txt", &told, "modified");
    assert_eq!(told["changes"], 4);
    let edits = json!({ "edits": [
        { "file_path": ground.path("a.txt"), "old_string": "six", "new_string": "6\n6" },
        { "file_path": ground.path("new/c.txt"), "old_string": "", "new_string": "new\n" },
    ] });
    let data = ground.call("MultiEdit", edits);
    ground.agree("a.txt", &data["files"][0]["gitDiff"], "modified");
    let told = &data["files"][1]["gitDiff"];
    assert_eq!(told["status"], "added");
    assert_eq!(told["patch"], "@@ -0,0 +1,1 @@\n+new\n");
    let write = json!({ "file_path": ground.path("src/b.txt"), "content": "other", "revision": revision(&ground.path("src/b.txt")) });
    let data = ground.call("Write", write.clone());
    ground.agree("src/b.txt", &data["gitDiff"], "modified");
    let data = ground.call("Undo", json!({}));
    ground.agree("src/b.txt", &data["files"][0]["gitDiff"], "unchanged");
    let data = ground.call("Undo", json!({}));
    ground.agree("a.txt", &data["files"][0]["gitDiff"], "modified");
    assert_eq!(
        data["files"][1]["gitDiff"]["status"], "unchanged",
        "neither HEAD nor the disk has it"
    );
    let mut dry = write;
    dry["dry_run"] = json!(true);
    let data = ground.call("Write", dry);
    assert_eq!(data["gitDiff"]["status"], "modified");
    assert_eq!(data["gitDiff"]["deletions"], 12);
    // Staged or not: HEAD is what counts.
    ground.git(&["add", "-A"]);
    ground.agree("a.txt", &ground.edit("a.txt", "one", "1"), "modified");
}

fn revision(path: &Path) -> String {
    blake3::hash(&fs::read(path).unwrap()).to_hex()[..16].to_owned()
}

#[test]
fn what_git_does_not_have_is_added() {
    let ground = Ground::new();
    let write = |name: &str| json!({ "file_path": ground.path(name), "content": "a\nb\n" });
    let told = ground.call("Write", write("unborn.txt"))["gitDiff"].clone();
    assert_eq!(told["status"], "added");
    assert_eq!(told["head"], Value::Null, "no commit yet");
    assert_eq!(told["additions"], 2);
    ground.commit();
    let told = ground.call("Write", write("untracked.txt"))["gitDiff"].clone();
    assert_eq!(told["status"], "added");
    assert_ne!(told["head"], Value::Null);
    // As soon as git tracks it, git reports the same.
    ground.git(&["add", "untracked.txt"]);
    ground.agree(
        "untracked.txt",
        &told_again(&ground, "untracked.txt"),
        "added",
    );
}

/// Returns the difference once more, by a change that is undone at once.
fn told_again(ground: &Ground, name: &str) -> Value {
    let text = fs::read_to_string(ground.path(name)).unwrap();
    let write = json!({ "file_path": ground.path(name), "content": format!("{text}more\n"), "revision": revision(&ground.path(name)) });
    ground.call("Write", write);
    ground.call("Undo", json!({}))["files"][0]["gitDiff"].clone()
}

#[test]
fn a_file_that_goes_is_deleted() {
    let ground = Ground::new();
    let write = json!({ "file_path": ground.path("a.txt"), "content": "a\n" });
    ground.call("Write", write);
    ground.commit();
    let told = ground.call("Undo", json!({}))["files"][0]["gitDiff"].clone();
    ground.agree("a.txt", &told, "deleted");
}

#[test]
fn packed_and_in_a_folder_below_and_with_longer_names() {
    let ground = Ground::around("src/inner", GitSurroundings::default());
    ground.write("src/inner/a.txt", TEXT);
    ground.commit();
    ground.git(&["gc", "-q"]);
    let told = ground.edit("src/inner/a.txt", "two", "2");
    ground.agree("src/inner/a.txt", &told, "modified");

    let ground = Ground::new();
    fs::remove_dir_all(ground.path(".git")).unwrap();
    ground.git(&["init", "-q", "--object-format=sha256"]);
    ground.write("a.txt", TEXT);
    ground.commit();
    ground.git(&["repack", "-q", "-ad"]);
    ground.agree("a.txt", &ground.edit("a.txt", "two", "2"), "modified");
}

#[test]
fn in_linked_work_trees_and_submodules() {
    let ground = Ground::new();
    ground.write("a.txt", TEXT);
    ground.commit();
    ground.git(&["worktree", "add", "-q", "linked"]);
    let told = ground.edit("linked/a.txt", "two", "2");
    ground.agree_in("linked", "a.txt", &told, "modified");
    let from = ground.path("").with_file_name("from");
    fs::create_dir(&from).unwrap();
    ground.git(&["clone", "-q", "--bare", ".", &from.display().to_string()]);
    ground.git(&[
        "submodule",
        "--quiet",
        "add",
        &from.display().to_string(),
        "sub",
    ]);
    let told = ground.edit("sub/a.txt", "three", "3");
    ground.agree_in("sub", "a.txt", &told, "modified");
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
        let ground = Ground::around("", user(config));
        fs::write(ground.folder.join(".gitconfig"), config).unwrap();
        // The content is stored in git directly, without any conversion.
        ground.write("a.txt", kept);
        let id = ground.git(&["hash-object", "-w", "--no-filters", "a.txt"]);
        let entry = format!("100644,{},a.txt", id.trim_end());
        ground.git(&["update-index", "--add", "--cacheinfo", &entry]);
        ground.git(&["commit", "-q", "-m", "x"]);
        ground.write("a.txt", &crlf);
        ground.write(".gitattributes", attributes);
        let told = ground.edit("a.txt", "two", "2");
        let case = format!("{attributes:?} {config:?}");
        ground.agree("a.txt", &told, "modified");
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
    let ground = Ground::new();
    ground.write("nul.txt", "a\n");
    ground.write("large.txt", "0123456789abcde\n".repeat(1_200_000));
    ground.write("lfs.txt", "a\n");
    ground.write("other", "a\n");
    std::os::unix::fs::symlink("other", ground.path("link.txt")).unwrap();
    ground.commit();
    let id = ground.git(&["rev-parse", "HEAD"]);

    ground.write(".gitattributes", "lfs.txt filter=lfs\nnul.txt -diff\n");
    let told = ground.edit("lfs.txt", "a", "b");
    assert_eq!(
        told,
        json!({ "filename": "lfs.txt", "head": id.trim_end(), "status": "converted", "attribute": "filter" })
    );
    assert_eq!(ground.edit("nul.txt", "a", "b")["status"], "binary");
    assert_eq!(ground.edit("nul.txt", "b", "a")["status"], "unchanged");

    fs::remove_file(ground.path("link.txt")).unwrap();
    let write = json!({ "file_path": ground.path("link.txt"), "content": "a\n" });
    assert_eq!(
        ground.call("Write", write)["gitDiff"]["status"],
        "type_changed"
    );

    let write = json!({ "file_path": ground.path("large.txt"), "content": "a\n", "revision": revision(&ground.path("large.txt")) });
    assert_eq!(
        ground.call("Write", write)["gitDiff"],
        json!({ "status": "too_large" })
    );

    // In a damaged repository the difference is missing, but the write still succeeds.
    fs::write(ground.path(".git/HEAD"), "ref: refs/heads/../../x\n").unwrap();
    let told = ground.edit("other", "a", "b");
    assert_eq!(
        told,
        json!({ "status": "unreadable", "reason": "a reference is damaged" })
    );
    assert_eq!(fs::read_to_string(ground.path("other")).unwrap(), "b\n");
}

#[test]
fn without_the_key_and_without_a_repository() {
    let ground = Ground::new();
    fs::rename(ground.path(".git"), ground.path("").with_file_name("gone")).unwrap();
    fs::create_dir(ground.path(".git")).unwrap();
    ground.write("a.txt", "a\n");
    assert_eq!(
        ground.edit("a.txt", "a", "b"),
        json!({ "status": "no_repository" })
    );
    let lancet = Lancet::builder()
        .root(ground.path(""))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    let write = json!({ "file_path": ground.path("b.txt"), "content": "a\n" });
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
