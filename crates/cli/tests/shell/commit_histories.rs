//! Generated histories of two agents and a person in the same files: `lancet commit` makes the commit that a person makes
//! who divides the hunks by hand, and leaves everything else as it was. A hook that reformats sees the same, too.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lancet::{Caller, Lancet, Mode, RawCall, Session};
use lancet_testing::git;
use serde_json::json;

use crate::chance::Chance;
use crate::stage::{Stage, path_argument};

/// How many histories are tried.
const HISTORIES: u64 = 50;
/// How many changes a history has.
const CHANGES: usize = 14;

/// A hook that reformats what is about to be committed, in the index that git gives it.
const REFORMATTING_HOOK: &str = r#"#!/bin/sh
for name in a.txt src/b.txt 'c d.txt'; do
    id=$(git cat-file blob ":$name" | sed 's/^new /NEW /' | git hash-object -w --stdin)
    git update-index --cacheinfo "100644,$id,$name"
done
"#;

/// The owner of a part of a file: two agents, and a person with an editor.
const OWNERS: [&str; 3] = ["alice", "bob", "person"];

/// A part of a file: lines of one owner between two lines that stay as they are.
#[derive(Clone)]
struct Part {
    owner: usize,
    /// The lines as HEAD has them, as git's index has them, and as they are in the file.
    committed: Vec<String>,
    staged: Vec<String>,
    present: Vec<String>,
}

/// A file as the owner of each part knows it.
#[derive(Clone)]
struct ModelFile {
    line_end: &'static str,
    parts: Vec<Part>,
}

impl ModelFile {
    fn new(chance: &mut Chance, line_end: &'static str) -> Self {
        let parts = (0..3 + chance.below(6)).map(|part| {
            let lines = (0..chance.below(4)).map(|line| format!("line {part}.{line}"));
            let lines: Vec<String> = lines.collect();
            Part {
                owner: chance.below(OWNERS.len()),
                committed: lines.clone(),
                staged: lines.clone(),
                present: lines,
            }
        });
        Self {
            line_end,
            parts: parts.collect(),
        }
    }

    /// Returns the content with one version of each part.
    fn content(&self, version: impl Fn(&Part) -> &Vec<String>, line_end: &str) -> String {
        let mut content = String::new();
        for (at, part) in self.parts.iter().enumerate() {
            let lines = version(part).iter().cloned();
            for line in [format!("[{at}"), "{".to_owned()]
                .into_iter()
                .chain(lines)
                .chain(["}".to_owned(), format!("]{at}")])
            {
                content.push_str(&line);
                content.push_str(line_end);
            }
        }
        content
    }

    fn present(&self) -> String {
        self.content(|part| &part.present, self.line_end)
    }
}

/// A repository, the agents that work in it, and what each of them wrote.
struct History {
    stage: Stage,
    sessions: Vec<Session>,
    files: BTreeMap<String, ModelFile>,
}

impl History {
    fn new(chance: &mut Chance) -> Self {
        let stage = Stage::new().with("GIT_CONFIG_NOSYSTEM", "1");
        let run = |arguments: &[&str]| git::git(&stage.home(), &stage.project(), arguments);
        run(&["init", "-q"]);
        run(&["config", "user.name", "a"]);
        run(&["config", "user.email", "a@b"]);
        let line_end = match chance.once_in(3) {
            true => "\r\n",
            false => "\n",
        };
        if line_end == "\r\n" {
            run(&["config", "core.autocrlf", "true"]);
        }
        let mut files = BTreeMap::new();
        for name in ["a.txt", "src/b.txt", "c d.txt"] {
            let file = ModelFile::new(chance, line_end);
            stage.file(name, &file.present());
            files.insert(name.to_owned(), file);
        }
        run(&["add", "-A"]);
        run(&["commit", "-qm", "first"]);
        let lancet = Lancet::builder()
            .root(stage.project())
            .state_dir(stage.home().join(".local/state/lancet"))
            .mode(Mode::Bypass)
            .open()
            .expect("an engine");
        let sessions = OWNERS.iter().map(|name| {
            let name = name.parse().expect("a name");
            lancet.session(&name)
        });
        Self {
            sessions: sessions.collect(),
            stage,
            files,
        }
    }

    fn git(&self, arguments: &[&str]) -> String {
        let out = git::git(&self.stage.home(), &self.stage.project(), arguments);
        String::from_utf8(out).expect("text")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.stage.project().join(name)
    }

    /// Writes a file as its owner does: an agent through lancet, the person directly.
    fn write(&self, owner: usize, name: &str) {
        let content = self.files[name].present();
        let path = self.path(name);
        if self.stage.text(name) == content {
            return;
        }
        if OWNERS[owner] == "person" {
            fs::write(path, content).expect("written");
            return;
        }
        let session = &self.sessions[owner];
        let caller = || Caller::client(OWNERS[owner], "1");
        for (tool, arguments) in [
            ("Read", json!({ "file_path": path_argument(&path) })),
            (
                "Write",
                json!({ "file_path": path_argument(&path), "content": content }),
            ),
        ] {
            let reply = session.call(RawCall::new(tool, arguments).with_caller(caller()));
            assert!(reply.refusal().is_none(), "{}", reply.text());
        }
    }

    /// Makes one change.
    fn change(&mut self, chance: &mut Chance, number: usize) {
        let names: Vec<String> = self.files.keys().cloned().collect();
        let name = &names[chance.below(names.len())];
        let file = self.files.get_mut(name).expect("a file");
        let at = chance.below(file.parts.len());
        let part = &mut file.parts[at];
        let owner = part.owner;
        match chance.below(4) {
            0 => part.present.clear(),
            1 => part.present = part.committed.clone(),
            2 if !part.present.is_empty() => {
                let line = chance.below(part.present.len());
                part.present[line] = format!("change {number}");
            }
            _ => {
                let line = chance.below(part.present.len() + 1);
                part.present.insert(line, format!("new {number}"));
            }
        }
        self.write(owner, name);
    }

    /// Stages what the person changed in some parts, as `git add -p` does.
    fn stage_parts(&mut self, chance: &mut Chance) {
        let index = self.stage.project().join(".git/index");
        for (name, file) in &mut self.files {
            for part in &mut file.parts {
                if OWNERS[part.owner] == "person" && chance.once_in(3) {
                    part.staged.clone_from(&part.present);
                }
            }
            let content = file.content(|part| &part.staged, "\n");
            let id = run_with(
                &self.stage,
                &index,
                &["hash-object", "-w", "--stdin"],
                &content,
            );
            let entry = format!("100644,{id},{name}");
            run_with(
                &self.stage,
                &index,
                &["update-index", "--cacheinfo", &entry],
                "",
            );
        }
    }

    /// Returns the tree that has one version of each part.
    fn tree(&self, version: impl Fn(&Part) -> &Vec<String> + Copy) -> String {
        let index = self.stage.home().join("by-hand.index");
        let _ = fs::remove_file(&index);
        for (name, file) in &self.files {
            let content = file.content(version, "\n");
            let id = run_with(
                &self.stage,
                &index,
                &["hash-object", "-w", "--stdin"],
                &content,
            );
            let entry = format!("100644,{id},{name}");
            run_with(
                &self.stage,
                &index,
                &["update-index", "--add", "--cacheinfo", &entry],
                "",
            );
        }
        run_with(&self.stage, &index, &["write-tree"], "")
    }

    /// Commits new lines of an agent while a hook reformats them, and compares with the commit by hand.
    fn commit_with_hook(&mut self, owner: usize, seed: u64) {
        for file in self.files.values_mut() {
            let mut parts = file.parts.iter_mut();
            if let Some(part) = parts.find(|part| part.owner == owner) {
                part.present.push("new line".to_owned());
            }
        }
        let names: Vec<String> = self.files.keys().cloned().collect();
        names.iter().for_each(|name| self.write(owner, name));
        self.tree(|part| match part.owner == owner {
            true => &part.present,
            false => &part.committed,
        });
        let by_hand = self.stage.home().join("by-hand.index");
        let hook = self.stage.file(".git/hooks/pre-commit", REFORMATTING_HOOK);
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).expect("set");
        let mut command = Command::new(&hook);
        self.stage.set_surroundings(&mut command);
        let status = command.env("GIT_INDEX_FILE", &by_hand).status();
        assert!(status.expect("the hook starts").success());
        let tree = run_with(&self.stage, &by_hand, &["write-tree"], "");
        let before = self.git(&["ls-files", "--stage"]);
        let run = self.stage.run(&[
            "commit",
            "--client",
            OWNERS[owner],
            "-m",
            "by lancet",
            "--yes",
        ]);
        let context = format!("history {seed}: {run:?}");
        assert_eq!(run.code, 0, "{context}");
        assert_eq!(
            self.git(&["rev-parse", "HEAD^{tree}"]).trim(),
            tree,
            "{context}"
        );
        assert!(run.out.contains("Hooks changed"), "{context}");
        assert_eq!(self.git(&["ls-files", "--stage"]), before, "{context}");
        for (name, file) in &self.files {
            assert_eq!(self.stage.text(name), file.present(), "{context}");
        }
    }

    /// Commits the parts of an agent, and compares with the commit by hand.
    fn commit(&mut self, owner: usize, seed: u64) {
        let name = OWNERS[owner];
        let mut parts = self.files.values().flat_map(|file| &file.parts);
        let has_part = parts.any(|part| part.owner == owner && part.present != part.committed);
        let before: Vec<String> = self
            .files
            .keys()
            .map(|name| self.stage.text(name))
            .collect();
        let head = self.git(&["rev-parse", "HEAD"]);
        let run = self
            .stage
            .run(&["commit", "--client", name, "-m", "by lancet", "--yes"]);
        let context = format!("history {seed}, {name}: {run:?}");
        if !has_part {
            assert_eq!(run.code, 1, "{context}");
            assert_eq!(self.git(&["rev-parse", "HEAD"]), head, "{context}");
            return;
        }
        assert_eq!(run.code, 0, "{context}");
        for part in self.files.values_mut().flat_map(|file| &mut file.parts) {
            if part.owner == owner {
                part.committed.clone_from(&part.present);
                part.staged.clone_from(&part.present);
            }
        }
        let tree = self.git(&["rev-parse", "HEAD^{tree}"]);
        let patch = self.git(&["show", "HEAD"]);
        assert_eq!(
            tree.trim(),
            self.tree(|part| &part.committed),
            "{context}\n{patch}"
        );
        assert_eq!(self.git(&["rev-parse", "HEAD^"]), head, "{context}");
        let index = self.stage.project().join(".git/index");
        let staged = run_with(&self.stage, &index, &["write-tree"], "");
        assert_eq!(staged, self.tree(|part| &part.staged), "{context}");
        let after: Vec<String> = self
            .files
            .keys()
            .map(|name| self.stage.text(name))
            .collect();
        assert_eq!(before, after, "{context}");
        let trailer = self.git(&[
            "log",
            "-1",
            "--format=%(trailers:key=Assisted-by,valueonly)",
        ]);
        assert_eq!(trailer.trim(), name, "{context}");
    }
}

/// Runs git with standard input and an index.
fn run_with(stage: &Stage, index: &Path, arguments: &[&str], input: &str) -> String {
    let mut command = git::command(&stage.home(), &stage.project());
    let mut child = command
        .args(arguments)
        .env("GIT_INDEX_FILE", index)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("written");
    drop(stdin);
    let output = child.wait_with_output().expect("git ends");
    assert!(output.status.success(), "git {arguments:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.trim_end().to_owned()
}

#[test]
fn commits_what_a_person_commits_who_divides_the_hunks_by_hand() {
    for seed in 0..HISTORIES {
        let mut chance = Chance::new(seed);
        let mut history = History::new(&mut chance);
        for number in 0..CHANGES {
            history.change(&mut chance, number);
            if chance.once_in(5) {
                history.stage_parts(&mut chance);
            }
            if chance.once_in(6) {
                history.commit(chance.below(2), seed);
            }
        }
        for owner in [0, 1] {
            history.commit(owner, seed);
        }
        let mut parts = history.files.values().flat_map(|file| &file.parts);
        if seed % 2 == 0 && parts.any(|part| part.owner == 0) {
            history.commit_with_hook(0, seed);
        }
    }
}
