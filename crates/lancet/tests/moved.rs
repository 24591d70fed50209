//! While a question is open, and between any two steps of a call, another program moves or replaces the folder, the
//! file or the root. What is written goes to the file that was shown, at the path that the answer names, or nowhere. No
//! sandbox of the kernel helps here, because the library has none.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Approver, Question, Wait};
use lancet::testing::FaultyDisk;
use lancet::{Lancet, Mode, RawCall, RefusalKind};
use lancet_testing::project::{SharedProject, read};
use lancet_testing::{TestFolder, folder, settings};
use serde_json::{Value, json};

const OLD: &str = "{ \"one\": 1 }\n";
const NEW: &str = "NEW";

fn fill(root: &Path) {
    for name in ["src/settings.json", ".git/config", "priv/kept.txt"] {
        folder::put(&root.join(name), OLD);
    }
}

/// Makes a root that contains `src/settings.json`.
fn project() -> SharedProject {
    let project = SharedProject::inside(TestFolder::in_memory(), &[]);
    fill(&project.root);
    project
}

fn open(
    project: &SharedProject,
    mode: Mode,
    approver: Option<Mover>,
    disk: Arc<FaultyDisk>,
) -> Lancet {
    project.engine_with(|builder| {
        let builder = builder
            .settings(settings("[permissions]\ndeny = [\"Edit(priv/**)\"]\n"))
            .disk(disk)
            .mode(mode);
        match approver {
            Some(approver) => builder.approver(approver),
            None => builder,
        }
    })
}

/// Returns the files that contain the new text, except for lancet's own. No symbolic link is followed.
fn written(project: &SharedProject) -> Vec<PathBuf> {
    let mut texts = BTreeMap::new();
    collect(project.around.path(), &mut texts);
    let new = texts.into_iter().filter(|(_, text)| text.contains(NEW));
    new.map(|(path, _)| path).collect()
}

fn collect(folder: &Path, into: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("listed") {
        let path = entry.expect("an entry").path();
        if path.is_symlink() || path.ends_with("state") {
            continue;
        }
        if path.is_dir() {
            collect(&path, into);
        } else {
            let text = fs::read_to_string(&path).expect("read");
            into.insert(path, text);
        }
    }
}

/// A call, with the file below the root.
type Deed = (
    &'static str,
    &'static str,
    fn(&Path) -> (&'static str, Value),
);

const DEEDS: [Deed; 4] = [
    ("Edit", "src/settings.json", |path| {
        let arguments =
            json!({ "file_path": path, "old_string": "\"one\"", "new_string": "\"NEW\"" });
        ("Edit", arguments)
    }),
    ("Write", "src/settings.json", |path| {
        (
            "Write",
            json!({ "file_path": path, "content": "{ \"NEW\": 1 }\n" }),
        )
    }),
    ("Write of a new file", "src/new.json", |path| {
        (
            "Write",
            json!({ "file_path": path, "content": "{ \"NEW\": 1 }\n" }),
        )
    }),
    ("Write with parents", "src/n/e/w.json", |path| {
        (
            "Write",
            json!({ "file_path": path, "content": "{ \"NEW\": 1 }\n" }),
        )
    }),
];

/// The action of another program, with the root and the file of the call.
type Move = (&'static str, fn(&Path, &Path));

fn rename(from: PathBuf, to: PathBuf) {
    let _ = fs::remove_dir_all(&to);
    fs::rename(from, to).expect("moved");
}

const MOVES: [Move; 11] = [
    ("src to .git", |root, _| {
        rename(root.join("src"), root.join(".git"));
    }),
    ("src to .claude", |root, _| {
        rename(root.join("src"), root.join(".claude"));
    }),
    ("src to a denied folder", |root, _| {
        rename(root.join("src"), root.join("priv"));
    }),
    ("src into a denied folder", |root, _| {
        rename(root.join("src"), root.join("priv/src"));
    }),
    ("src out of the root", |root, _| {
        rename(root.join("src"), root.with_file_name("out"));
    }),
    ("src replaced by an equal folder", |root, _| {
        rename(root.join("src"), root.join("away"));
        fill(root);
    }),
    ("src moved to .git, a link to it left", |root, _| {
        rename(root.join("src"), root.join(".git"));
        symlink(".git", root.join("src")).expect("made");
    }),
    (
        "the file replaced by a name of one in .git",
        |root, file| {
            let _ = fs::remove_file(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            fs::hard_link(root.join(".git/config"), file).expect("linked");
        },
    ),
    ("the file replaced by a link into .git", |root, file| {
        let _ = fs::remove_file(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        symlink(root.join(".git/config"), file).expect("linked");
    }),
    ("the root moved", |root, _| {
        rename(root.to_path_buf(), root.with_file_name("elsewhere"));
    }),
    ("the root replaced by an equal one", |root, _| {
        rename(root.to_path_buf(), root.with_file_name("elsewhere"));
        fill(root);
    }),
];

/// Moves something at its first question and says yes; the answer to further ones is chosen.
#[derive(Clone)]
struct Mover {
    make: fn(&Path, &Path),
    root: PathBuf,
    file: PathBuf,
    shown: Arc<Mutex<Vec<PathBuf>>>,
    again: Answer,
}

impl Approver for Mover {
    fn ask(&self, question: &Question, _: &Wait) -> Answer {
        let mut shown = self.shown.lock().expect("whole");
        shown.push(question.files[0].path.clone());
        if shown.len() > 1 {
            return self.again.clone();
        }
        (self.make)(&self.root, &self.file);
        Answer::Yes
    }
}

#[test]
fn an_answer_holds_for_the_file_that_was_shown_and_for_no_other() {
    for (deed, name, call) in &DEEDS {
        for (moved, make) in &MOVES {
            for again in [Answer::Yes, Answer::No(None)] {
                let project = project();
                let file = project.root.join(name);
                let mover = Mover {
                    make: *make,
                    root: project.root.clone(),
                    file: file.clone(),
                    shown: Arc::default(),
                    again: again.clone(),
                };
                let shown = Arc::clone(&mover.shown);
                let disk = Arc::new(FaultyDisk::without_flushes());
                let session = open(&project, Mode::Ask, Some(mover), disk).new_session();
                read(&session, &file);
                let (tool, arguments) = call(&file);
                let reply = session.call(RawCall::new(tool, arguments));
                let shown = shown.lock().expect("whole").clone();
                let written = written(&project);
                let what = format!(
                    "{deed}, {moved}, then {again:?}: asked about {shown:?}, written {written:?}: {}",
                    reply.text()
                );
                assert_eq!(shown[0], file, "{what}");
                // What was shown before the move is gone.
                match reply.is_error() {
                    true => assert!(written.is_empty(), "{what}"),
                    false => {
                        assert!(shown.len() > 1 && again == Answer::Yes, "{what}");
                        let last = shown.last().expect("one").clone();
                        assert!(written.contains(&last), "{what}");
                        let inside = |path: &PathBuf| path.starts_with(project.root.join("src"));
                        // Nothing below .git but what was shown as protected, by either of its names.
                        let is_known = |path: &PathBuf| {
                            inside(path) || *path == last || moved.contains("of one in .git")
                        };
                        assert!(written.iter().all(is_known), "{what}");
                        assert!(!moved.starts_with("the root"), "{what}");
                    }
                }
                if moved.starts_with("the root") {
                    assert_eq!(reply.refusal(), Some(RefusalKind::Outside), "{what}");
                    assert_eq!(shown.len(), 1, "{what}");
                }
            }
        }
    }
}

/// Moves before every disk call of a call that needs no question, in turn.
#[test]
fn without_a_question_nothing_lands_but_at_the_path_that_the_answer_names() {
    for (deed, name, call) in &DEEDS {
        for (moved, make) in [MOVES[0], MOVES[5], MOVES[6]] {
            for at in 1.. {
                let project = project();
                let file = project.root.join(name);
                let disk = Arc::new(FaultyDisk::without_flushes());
                let lancet = open(&project, Mode::AcceptEdits, None, Arc::clone(&disk));
                let session = lancet.new_session();
                read(&session, &file);
                disk.clear_faults();
                let (root, there) = (project.root.clone(), file.clone());
                let landed: Arc<Mutex<Option<bool>>> = Arc::default();
                let note = Arc::clone(&landed);
                disk.set_hook(move |one| {
                    if one.number == at {
                        let new = fs::read_to_string(&there).is_ok_and(|text| text.contains(NEW));
                        *note.lock().expect("whole") = Some(new);
                        make(&root, &there);
                    }
                });
                let (tool, arguments) = call(&file);
                let reply = session.call(RawCall::new(tool, arguments));
                disk.clear_hook();
                let Some(landed) = *landed.lock().expect("whole") else {
                    break;
                };
                let written = written(&project);
                let what = format!(
                    "{deed}, {moved} before call {at}: {written:?}: {}",
                    reply.text()
                );
                let kind = reply.refusal();
                assert!(
                    !matches!(kind, Some(RefusalKind::Internal | RefusalKind::Conflict)),
                    "{what}"
                );
                match (reply.is_error(), landed) {
                    (true, _) => assert!(written.is_empty(), "{what}"),
                    (false, false) => assert_eq!(written, std::slice::from_ref(&file), "{what}"),
                    // Moved when it had been written.
                    (false, true) => assert_eq!(written.len(), 1, "{what}"),
                }
            }
        }
    }
}

#[test]
fn a_root_that_moved_or_was_made_again_is_refused_by_every_tool_with_these_words() {
    let remade: Move = ("the root removed and made again", |root, _| {
        fs::remove_dir_all(root).expect("removed");
        fill(root);
    });
    let linked: Move = ("the root moved, a link to it left", |root, _| {
        rename(root.to_path_buf(), root.with_file_name("elsewhere"));
        symlink("elsewhere", root).expect("made");
    });
    for (moved, make) in MOVES[9..].iter().chain([&remade, &linked]) {
        let project = project();
        let file = project.root.join("src/settings.json");
        let disk = Arc::new(FaultyDisk::without_flushes());
        let session = open(&project, Mode::Bypass, None, disk).new_session();
        assert!(!read(&session, &file).is_error());
        make(&project.root, &file);
        let edit = json!({ "file_path": file, "old_string": "one", "new_string": NEW });
        let calls = [
            ("Read", json!({ "file_path": file })),
            ("Read", json!({ "file_path": file, "force": true })),
            ("Edit", edit.clone()),
            ("MultiEdit", json!({ "edits": [edit] })),
            ("Write", json!({ "file_path": file, "content": NEW })),
            (
                "Write",
                json!({ "file_path": project.root.join("n/e/w"), "content": NEW }),
            ),
            (
                "Write",
                json!({ "file_path": "relative.txt", "content": NEW }),
            ),
            ("Glob", json!({ "pattern": "**" })),
            ("Glob", json!({ "pattern": "**", "path": project.root })),
            ("Grep", json!({ "pattern": "one" })),
            (
                "Grep",
                json!({ "pattern": "one", "path": project.root.join("src") }),
            ),
        ];
        for (tool, arguments) in calls {
            let reply = session.call(RawCall::new(tool, arguments.clone()));
            let what = format!("{tool} {arguments}, {moved}: {}", reply.text());
            assert_eq!(reply.refusal(), Some(RefusalKind::Outside), "{what}");
            let words = "was moved, or removed and made again";
            assert!(reply.text().contains(words), "{what}");
            assert_eq!(written(&project), Vec::<PathBuf>::new(), "{what}");
        }
    }
}
