//! Files and projects that a user moves by hand or with git. Their history goes on under the present names, and a copy
//! has none of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lancet::history::LogQuery;
use lancet::undo::{Selection, UndoRequest};
use lancet::{Caller, Lancet, Mode, RawCall, Reply};
use lancet_testing::{TestFolder, TestProject, folder, git, laws};
use proptest::prelude::*;
use serde_json::json;

use crate::project::operation;

fn open(around: &Path, root: &Path) -> Lancet {
    let builder = Lancet::builder().root(root).state_dir(around.join("state"));
    let builder = builder.tools(["default", "MoveFile"]);
    builder.mode(Mode::AcceptEdits).open().expect("opened")
}

fn edit(lancet: &Lancet, path: &Path, old: &str, new: &str) -> Reply {
    let session = lancet.new_session();
    session.call(RawCall::new("Read", json!({ "file_path": path })));
    let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
    session.call(RawCall::new("Edit", edit))
}

fn undo(lancet: &Lancet, selection: Selection) -> Reply {
    let session = lancet.new_session();
    session.undo_or_redo(UndoRequest::undo(selection), Caller::default())
}

fn log(lancet: &Lancet) -> Vec<lancet::history::Operation> {
    let history = lancet.history().expect("a state folder");
    history.log(&LogQuery::default()).expect("read")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.expect("cp is there").success());
}

#[test]
fn a_renamed_project_keeps_its_history() {
    let around = TestFolder::new();
    let file = around.put("p/f.txt", "one\ntwo\n");
    let first = edit(
        &open(around.path(), &around.join("p")),
        &file,
        "two",
        "zwei",
    );
    let first = operation(&first);
    fs::rename(around.join("p"), around.join("q")).expect("renamed");
    let lancet = open(around.path(), &around.join("q"));
    let found = log(&lancet);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, first);
    assert_eq!(found[0].files[0].path, around.join("q/f.txt"));
    let history = lancet.history().expect("a state folder");
    let former = history.former_roots().expect("read");
    assert_eq!(former.len(), 1);
    assert_eq!(former[0].root, around.join("p"));
    // A change under the new name is not one of the older ones.
    let second = edit(&lancet, &around.join("q/f.txt"), "one", "eins");
    assert!(second.refusal().is_none(), "{second:?}");
    assert!(log(&lancet)[0].sequence > former[0].newest);
    for _ in 0..2 {
        let undone = undo(&lancet, Selection::Newest);
        assert!(undone.refusal().is_none(), "{undone:?}");
    }
    assert_eq!(text(&around.join("q/f.txt")), "one\ntwo\n");
    // And back again.
    fs::rename(around.join("q"), around.join("p")).expect("renamed");
    let back = open(around.path(), &around.join("p"));
    assert_eq!(log(&back).len(), 4);
    let former = back.history().expect("a state folder").former_roots();
    assert_eq!(former.expect("read")[0].root, around.join("q"));
}

#[test]
fn a_copy_of_a_project_has_no_history() {
    let around = TestFolder::new();
    let file = around.put("p/f.txt", "one\n");
    let lancet = open(around.path(), &around.join("p"));
    assert!(edit(&lancet, &file, "one", "two").refusal().is_none());
    copy(&around.join("p"), &around.join("copy"));
    let copied = open(around.path(), &around.join("copy"));
    assert!(log(&copied).is_empty());
    assert!(undo(&copied, Selection::Newest).refusal().is_some());
    assert_eq!(text(&around.join("copy/f.txt")), "two\n");
    // Also where the original is gone.
    fs::rename(around.join("p"), around.join("away")).expect("moved");
    assert!(log(&open(around.path(), &around.join("copy"))).is_empty());
    assert_eq!(log(&open(around.path(), &around.join("away"))).len(), 1);
}

#[test]
fn a_moved_file_is_undone_under_its_new_name() {
    let around = TestFolder::new();
    let root = around.make("root");
    let lancet = open(around.path(), &root);
    for (name, moved) in [("f.txt", "g.txt"), ("old/f.txt", "new/f.txt")] {
        let file = around.put(Path::new("root").join(name), "one\ntwo\n");
        let changed = operation(&edit(&lancet, &file, "two", "zwei"));
        match name.contains('/') {
            true => fs::rename(root.join("old"), root.join("new")).expect("moved"),
            false => fs::rename(&file, root.join(moved)).expect("moved"),
        }
        let history = lancet.history().expect("a state folder");
        history.follow_moved_files().expect("followed");
        let newest = log(&lancet).remove(0);
        assert_eq!(newest.id, changed);
        assert_eq!(newest.files[0].path, root.join(moved));
        assert_eq!(newest.files[0].former_path.as_ref(), Some(&file));
        let undone = undo(&lancet, Selection::Newest);
        assert!(undone.refusal().is_none(), "{undone:?}");
        assert!(
            undone.text().contains("another program has moved it since"),
            "{undone:?}"
        );
        assert_eq!(text(&root.join(moved)), "one\ntwo\n");
        assert!(!file.exists());
    }
}

#[test]
fn the_rules_apply_to_the_new_name() {
    let around = TestFolder::new();
    let root = around.make("root");
    let builder = Lancet::builder()
        .root(&root)
        .state_dir(around.join("state"));
    let lancet = builder.mode(Mode::AcceptEdits).deny("Edit(closed/**)");
    let lancet = lancet.open().expect("opened");
    let file = around.put("root/f.txt", "one\ntwo\n");
    assert!(edit(&lancet, &file, "two", "zwei").refusal().is_none());
    fs::create_dir(root.join("closed")).expect("made");
    fs::rename(&file, root.join("closed/f.txt")).expect("moved");
    let undone = undo(&lancet, Selection::Newest);
    assert_eq!(
        undone.refusal(),
        Some(lancet::RefusalKind::Denied),
        "{undone:?}"
    );
    assert_eq!(text(&root.join("closed/f.txt")), "one\nzwei\n");
}

#[test]
fn a_file_with_the_same_bytes_is_only_a_candidate() {
    let around = TestFolder::new();
    let root = around.make("root");
    let lancet = open(around.path(), &root);
    let long = "a line that is long enough to be told from others\ntwo\n";
    let file = around.put("root/f.txt", long);
    let short = around.put("root/short.txt", "one\n");
    assert!(edit(&lancet, &file, "two", "zwei").refusal().is_none());
    assert!(edit(&lancet, &short, "one", "two").refusal().is_none());
    for (from, to) in [(&file, "g.txt"), (&short, "h.txt")] {
        copy(from, &root.join(to));
        fs::remove_file(from).expect("removed");
    }
    let refused = undo(&lancet, Selection::Last(2));
    assert_eq!(
        refused.refusal(),
        Some(lancet::RefusalKind::Conflict),
        "{refused:?}"
    );
    let history = lancet.history().expect("a state folder");
    let lost = history.lost_files().expect("read");
    let of = |path: &Path| lost.iter().find(|lost| lost.path == path).expect("lost");
    assert_eq!(of(&file).candidates, [root.join("g.txt")]);
    assert!(of(&short).candidates.is_empty());
    assert!(
        history
            .follow_file(&file, &root.join("g.txt"))
            .expect("followed")
    );
    let undone = undo(&lancet, Selection::File(root.join("g.txt")));
    assert!(undone.refusal().is_none(), "{undone:?}");
    assert_eq!(text(&root.join("g.txt")), long);
}

#[derive(Clone, Debug)]
enum Step {
    /// Lancet changes a file.
    Edit(usize),
    /// Lancet moves a file.
    Move(usize, usize),
    /// A user moves a file by hand.
    ByHand(usize, usize),
    /// A user moves a file with git.
    ByGit(usize, usize),
    /// Two files exchange their names.
    Swap(usize, usize),
    /// A user renames the folder of a file.
    Folder(usize, usize),
    /// A user renames the project.
    Project,
    /// A user copies the project.
    Copy,
}

const FILES: usize = 4;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let file = || 0..FILES;
    let step = prop_oneof![
        6 => file().prop_map(Step::Edit),
        1 => (file(), 0..50_usize).prop_map(|(file, name)| Step::Move(file, name)),
        2 => (file(), 0..50_usize).prop_map(|(file, name)| Step::ByHand(file, name)),
        1 => (file(), 0..50_usize).prop_map(|(file, name)| Step::ByGit(file, name)),
        1 => (file(), file()).prop_map(|(one, other)| Step::Swap(one, other)),
        1 => (file(), 0..50_usize).prop_map(|(file, name)| Step::Folder(file, name)),
        1 => Just(Step::Project),
        1 => Just(Step::Copy),
    ];
    prop::collection::vec(step, 1..14)
}

/// A project with files whose present names are known.
struct Model {
    project: TestProject,
    /// The present name of each file, relative to the root.
    names: Vec<PathBuf>,
    copies: Vec<(PathBuf, BTreeMap<PathBuf, Vec<u8>>)>,
    edits: usize,
    /// How many names were given to files.
    given: usize,
    has_git: bool,
}

impl Model {
    fn new() -> Model {
        let around = TestFolder::new();
        let root = around.make("project");
        let names: Vec<PathBuf> = (0..FILES)
            .map(|at| format!("d{}/f{at}.txt", at % 2).into())
            .collect();
        for (at, name) in names.iter().enumerate() {
            folder::put(&root.join(name), first(at));
        }
        let has_git = Command::new("git").arg("--version").output().is_ok();
        if has_git {
            let git = |arguments: &[&str]| drop(git::git(around.path(), &root, arguments));
            git(&["init", "-q", "."]);
            git(&["add", "."]);
            git(&["commit", "-qm", "first"]);
        }
        let lancet = open(around.path(), &root);
        let project = TestProject {
            session: lancet.new_session(),
            around,
            root,
            lancet,
        };
        Model {
            project,
            names,
            copies: Vec::new(),
            edits: 0,
            given: 0,
            has_git,
        }
    }

    /// Returns a name that no file had before.
    fn new_name(&mut self, number: usize) -> PathBuf {
        self.given += 1;
        format!("d{}/n{}.txt", number % 3, self.given).into()
    }

    fn act(&mut self, step: &Step) {
        let root = self.project.root.clone();
        match step {
            Step::Edit(file) => {
                let path = root.join(&self.names[*file]);
                self.edits += 1;
                let new = format!("line {}\nlast", self.edits);
                let edited = edit(&self.project.lancet, &path, "last", &new);
                assert!(edited.refusal().is_none(), "{edited:?}");
            }
            Step::Move(file, number) => {
                let name = self.new_name(*number);
                let (from, to) = (root.join(&self.names[*file]), root.join(&name));
                let call = json!({ "from_path": from, "to_path": to });
                let moved = self
                    .project
                    .lancet
                    .new_session()
                    .call(RawCall::new("MoveFile", call));
                assert!(moved.refusal().is_none(), "{moved:?}");
                // Undoing everything restores the name that the file had then.
                self.names[*file] = name;
            }
            Step::ByHand(file, number) | Step::ByGit(file, number) => {
                let name = self.new_name(*number);
                let (from, to) = (self.names[*file].clone(), name.clone());
                fs::create_dir_all(root.join(&to).parent().expect("a folder")).expect("made");
                let arguments = [
                    "mv",
                    from.to_str().expect("UTF-8"),
                    to.to_str().expect("UTF-8"),
                ];
                let by_git = matches!(step, Step::ByGit(..)) && self.has_git && {
                    let command = git::command(self.project.around.path(), &root)
                        .args(arguments)
                        .output();
                    command.is_ok_and(|output| output.status.success())
                };
                if !by_git {
                    fs::rename(root.join(&from), root.join(&to)).expect("moved");
                }
                self.names[*file] = name;
            }
            Step::Swap(one, other) if one != other => {
                let path = |at: usize| root.join(&self.names[at]);
                fs::rename(path(*one), root.join("between")).expect("moved");
                fs::rename(path(*other), path(*one)).expect("moved");
                fs::rename(root.join("between"), path(*other)).expect("moved");
                self.names.swap(*one, *other);
            }
            Step::Swap(..) => {}
            Step::Folder(file, number) => {
                let old = self.names[*file].parent().expect("a folder").to_path_buf();
                let new = PathBuf::from(format!("e{number}"));
                if root.join(&new).exists() {
                    return;
                }
                fs::rename(root.join(&old), root.join(&new)).expect("moved");
                for name in &mut self.names {
                    if let Ok(rest) = name.strip_prefix(&old) {
                        *name = new.join(rest);
                    }
                }
            }
            Step::Project => {
                let to = self.project.around.join(format!(
                    "project{}",
                    self.project
                        .around
                        .path()
                        .read_dir()
                        .expect("listed")
                        .count()
                        + self.edits
                ));
                if to.exists() {
                    return;
                }
                fs::rename(&root, &to).expect("renamed");
                self.project.root = to;
                self.project.lancet = open(self.project.around.path(), &self.project.root);
            }
            Step::Copy => {
                let to = self
                    .project
                    .around
                    .join(format!("copy{}", self.copies.len()));
                copy(&root, &to);
                let files = tree(&to);
                self.copies.push((to, files));
            }
        }
    }
}

fn first(at: usize) -> String {
    format!("the file number {at}, with some words\nlast\n")
}

fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(tree(&path)),
            false => drop(files.insert(path.clone(), fs::read(&path).expect("read"))),
        }
    }
    files
}

proptest! {
    #![proptest_config(laws::config_of(laws::limited(laws::cases(), 30)))]

    #[test]
    fn undo_of_everything_gives_the_first_contents_under_the_present_names(
        steps in steps(),
        at_once in any::<bool>(),
    ) {
        let mut model = Model::new();
        for step in &steps {
            model.act(step);
        }
        let number = log(&model.project.lancet).len();
        if at_once && number > 0 {
            let undone = undo(&model.project.lancet, Selection::Last(number));
            prop_assert!(undone.refusal().is_none(), "{steps:?}: {undone:?}");
        } else {
            for _ in 0..number {
                let undone = undo(&model.project.lancet, Selection::Newest);
                prop_assert!(undone.refusal().is_none(), "{steps:?}: {undone:?}");
            }
        }
        let files = tree(&model.project.root);
        let moved = steps.iter().any(|step| matches!(step, Step::Move(..)));
        for at in 0..FILES {
            let wanted = first(at).into_bytes();
            if moved {
                // Undo restored the earlier names of files that lancet moved.
                let found = files.values().filter(|bytes| **bytes == wanted).count();
                prop_assert_eq!(found, 1, "{:?}: {:?}", &steps, files.keys());
            } else {
                let path = model.project.root.join(&model.names[at]);
                prop_assert_eq!(files.get(&path), Some(&wanted), "{:?}", &steps);
            }
        }
        for (copy, before) in &model.copies {
            prop_assert_eq!(&tree(copy), before, "{:?}", &steps);
        }
    }
}
