//! Another program moves or replaces a folder, the root or the file right before each call of a commit in turn. Only
//! the file that was located is written: if the path leads elsewhere by then, the commit is refused or rolled back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lancet_workspace::{CommitError, FileWrite, NewBytes, Workspace, WriteOptions, WriteStrategy};

use crate::faults::{Commit, Outcome};
use crate::ground::{Ground, creation};

const OLD: &str = "old bytes\n";
const NEW: &str = "NEW bytes, and more of them\n";
/// The file that most commits write. Folders that replace its folder contain a file with the same bytes, so that they
/// cannot be distinguished by its content.
const FILE: &str = "mid/src/a";

/// A commit of one file below `mid/src`.
struct CommitCase {
    name: &'static str,
    /// The path of the file below the root.
    file: &'static str,
    act: fn(&Ground, Commit<'_>) -> Outcome,
}

const COMMITS: [CommitCase; 7] = [
    CommitCase {
        name: "replace",
        file: FILE,
        act: |ground, commit| commit(vec![ground.seen(FILE).whole(NEW.as_bytes())]),
    },
    CommitCase {
        name: "aside",
        file: FILE,
        act: |ground, commit| {
            let einval = rustix::io::Errno::INVAL.raw_os_error();
            let seen = ground.seen(FILE);
            ground.disk.fail_method("exchange_at", einval);
            commit(vec![seen.whole(NEW.as_bytes())])
        },
    },
    CommitCase {
        name: "in place",
        file: FILE,
        act: |ground, commit| {
            let seen = ground.seen(FILE);
            let options = WriteOptions {
                strategy: WriteStrategy::InPlace,
                ..WriteOptions::default()
            };
            commit(vec![FileWrite {
                options,
                ..seen.whole(NEW.as_bytes())
            }])
        },
    },
    CommitCase {
        name: "create",
        file: "mid/src/new",
        act: |ground, commit| {
            commit(vec![creation(
                &ground.locate("mid/src/new"),
                NEW.as_bytes(),
            )])
        },
    },
    CommitCase {
        name: "create with folders",
        file: "mid/src/n/e/w",
        act: |ground, commit| {
            commit(vec![creation(
                &ground.locate("mid/src/n/e/w"),
                NEW.as_bytes(),
            )])
        },
    },
    CommitCase {
        name: "remove",
        file: FILE,
        act: |ground, commit| commit(vec![ground.seen(FILE).becomes(NewBytes::Nothing)]),
    },
    CommitCase {
        name: "several",
        file: FILE,
        act: |ground, commit| {
            let (other, seen) = (ground.seen("other"), ground.seen(FILE));
            commit(vec![
                other.whole(NEW.as_bytes()),
                seen.whole(NEW.as_bytes()),
            ])
        },
    },
];

/// An action of the other program, given the root.
type Move = (&'static str, fn(&Path));

fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    fs::rename(from, to).unwrap();
}

fn refill(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("a"), OLD).unwrap();
}

const MOVES: [Move; 9] = [
    ("the folder to .git", |root| {
        rename(root.join("mid/src"), root.join(".git"));
    }),
    ("the folder out of the root", |root| {
        rename(root.join("mid/src"), root.with_file_name("out"));
    }),
    ("the folder replaced by an equal one", |root| {
        rename(root.join("mid/src"), root.join("away"));
        refill(&root.join("mid/src"));
    }),
    ("the folder moved, a link to it left", |root| {
        rename(root.join("mid/src"), root.join(".git"));
        symlink("../.git", root.join("mid/src")).unwrap();
    }),
    ("the folder above moved, a link to it left", |root| {
        rename(root.join("mid"), root.join(".git"));
        symlink(".git", root.join("mid")).unwrap();
    }),
    ("the root", |root| {
        rename(root, root.with_file_name("elsewhere"))
    }),
    ("the root replaced by an equal one", |root| {
        rename(root, root.with_file_name("elsewhere"));
        refill(&root.join("mid/src"));
        fs::write(root.join("other"), OLD).unwrap();
    }),
    ("the root moved, a link to it left", |root| {
        rename(root, root.with_file_name("elsewhere"));
        symlink("elsewhere", root).unwrap();
    }),
    ("the root's own parent moved, a link to it left", |root| {
        let parent = root.parent().unwrap();
        rename(parent, parent.with_file_name("farther"));
        symlink("farther", parent).unwrap();
    }),
];

/// Files with their lengths, which differ for old and new bytes. A file is not read here, because opening one that is
/// being rewritten would wait for its lease.
type Files = BTreeMap<PathBuf, u64>;

fn length(text: &str) -> u64 {
    text.len() as u64
}

/// Collects every file below a folder, and lancet's temporary files separately. No link is followed.
fn files(folder: &Path, into: &mut Files, temporary: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            files(&path, into, temporary);
        } else if path.to_str().unwrap().contains(".lancet-") {
            temporary.push(path);
        } else {
            into.insert(path.clone(), fs::metadata(&path).unwrap().len());
        }
    }
}

fn all_files(folder: &Path) -> (Files, Vec<PathBuf>) {
    let (mut all, mut temporary) = (Files::new(), Vec::new());
    files(folder, &mut all, &mut temporary);
    (all, temporary)
}

/// The state right after the move: whether the commit had changed the file, and all files.
#[derive(Clone, Debug)]
struct Then {
    landed: bool,
    files: Files,
}

/// Makes a ground whose root is one folder deeper, so that the folder above it can be moved, too.
fn ground() -> (Ground, PathBuf) {
    let mut ground = Ground::in_memory();
    let top = ground.around.join("top");
    ground.root = top.join("home/root");
    fs::create_dir_all(&ground.root).unwrap();
    let roots = [ground.root.clone()];
    let state = Some(ground.state.clone());
    ground.workspace = Workspace::open(&roots, ground.disk.clone(), state).unwrap();
    ground.put(FILE, OLD);
    ground.put("other", OLD);
    (ground, top)
}

/// Runs one commit with the move right before its `at`-th call; `None` if the commit has fewer calls. Returns the
/// outcome and whether the file had been changed before the move.
fn disturbed(case: &CommitCase, (moved, make): &Move, at: u64) -> Option<(Outcome, bool)> {
    let (ground, top) = ground();
    let (root, file, make) = (ground.root.clone(), ground.root.join(case.file), *make);
    let then: Arc<Mutex<Option<Then>>> = Arc::default();
    let (note, all) = (Arc::clone(&then), top.clone());
    let before = fs::metadata(&file).ok().map(|file| file.len());
    let outcome = (case.act)(&ground, &|batch| {
        let (note, all, root) = (Arc::clone(&note), all.clone(), root.clone());
        let file = file.clone();
        let begun = ground.disk.call_count();
        ground.disk.set_hook(move |call| {
            if call.number - begun == at {
                let landed = fs::metadata(&file).ok().map(|file| file.len()) != before;
                make(&root);
                *note.lock().unwrap() = Some(Then {
                    landed,
                    files: all_files(&all).0,
                });
            }
        });
        let outcome = ground.workspace.commit(batch);
        ground.disk.clear_hook();
        outcome
    });
    let then = then.lock().unwrap().clone()?;
    let (now, temporary) = all_files(&top);
    let what = format!(
        "{}, {moved} before call {at}: {outcome:?}, {now:?}",
        case.name
    );
    assert!(temporary.is_empty(), "left {temporary:?}: {what}");
    let new = now.values().filter(|&&found| found == length(NEW)).count();
    match (&outcome, then.landed) {
        (Ok(_), false) => panic!("written where it was not located: {what}"),
        (Err(_), false) => {
            // The other file of a batch may have been written before the move; it is rolled back.
            let as_before = then.files.into_iter().map(|(path, found)| match found {
                found if found == length(NEW) => (path, length(OLD)),
                found => (path, found),
            });
            assert_eq!(now, as_before.collect(), "{what}");
        }
        // The file was moved after it had been written: it stays written or is rolled back.
        (Ok(written), true) if case.name != "remove" => assert_eq!(new, written.len(), "{what}"),
        (Ok(_), true) => {}
        (Err(_), true) => assert_eq!(new, 0, "{what}"),
    }
    if let Err(error) = &outcome {
        assert!(
            !matches!(
                error,
                CommitError::Partly { .. } | CommitError::Conflict { .. }
            ),
            "{what}"
        );
    }
    let is_made = |name: &str| now.keys().any(|path| path.ends_with(name));
    assert!(outcome.is_ok() || !is_made("n/e/w"), "{what}");
    Some((outcome, then.landed))
}

#[test]
fn whatever_is_moved_nothing_lands_but_in_the_file_that_was_located() {
    for case in &COMMITS {
        for each in &MOVES {
            let (mut refused, mut taken_back) = (0, 0);
            for at in 1.. {
                let Some((outcome, landed)) = disturbed(case, each, at) else {
                    break;
                };
                refused += u32::from(outcome.is_err() && !landed);
                taken_back += u32::from(outcome.is_err() && landed);
            }
            // There were moves before the swap and right after it.
            assert!(
                refused > 5 && taken_back > 0,
                "{}, {}: {refused} refused, {taken_back} taken back",
                case.name,
                each.0
            );
        }
    }
}

#[test]
fn a_file_that_becomes_a_second_name_of_another_is_not_written_through() {
    for case in COMMITS.iter().filter(|case| case.file == FILE) {
        for at in 1.. {
            let (ground, _) = ground();
            ground.put(".git/a", OLD);
            let (root, met) = (ground.root.clone(), Arc::new(Mutex::new(false)));
            let outcome = (case.act)(&ground, &|batch| {
                let (root, met) = (root.clone(), Arc::clone(&met));
                let begun = ground.disk.call_count();
                ground.disk.set_hook(move |call| {
                    if call.number - begun == at {
                        *met.lock().unwrap() = true;
                        let _ = fs::remove_file(root.join(FILE));
                        fs::hard_link(root.join(".git/a"), root.join(FILE)).unwrap();
                    }
                });
                let outcome = ground.workspace.commit(batch);
                ground.disk.clear_hook();
                outcome
            });
            if !*met.lock().unwrap() {
                break;
            }
            let what = format!("{} before call {at}: {outcome:?}", case.name);
            assert_eq!(ground.text(".git/a"), OLD, "{what}");
        }
    }
}

#[test]
fn a_root_that_moved_or_was_made_again_is_refused() {
    use lancet_workspace::LocateError;
    let refused = |ground: &Ground, path: &Path| {
        let found = ground.workspace.locate(path);
        let is_refused = matches!(
            &found,
            Err(LocateError::RootMoved { root }) if *root == ground.root
        );
        assert!(is_refused, "{}: {found:?}", path.display());
    };
    for (moved, make) in &MOVES[5..8] {
        let (ground, _) = ground();
        make(&ground.root);
        for name in [FILE, "other", "mid", "", "missing", "n/e/w"] {
            refused(&ground, &ground.root.join(name));
        }
        // The new name of the root is refused, too.
        refused(&ground, &ground.root.with_file_name("elsewhere/other"));
        assert!(ground.root.with_file_name("elsewhere").exists(), "{moved}");
    }
    let (ground, _) = ground();
    fs::remove_dir_all(&ground.root).unwrap();
    refused(&ground, &ground.root.join("other"));
    ground.put("other", OLD);
    refused(&ground, &ground.root.join("other"));
}

/// A mount point that is unmounted on drop.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = rustix::mount::unmount(&self.0, rustix::mount::UnmountFlags::DETACH);
    }
}

#[allow(clippy::print_stderr, reason = "why nothing was tested")]
#[test]
fn nothing_lands_in_or_below_what_is_mounted_over_the_way() {
    for (from, over) in [(".git", "mid/src"), (".git", "mid"), (".git/a", FILE)] {
        for case in &COMMITS {
            for at in 1.. {
                let (ground, _) = ground();
                for name in [".git/a", ".git/src/a"] {
                    ground.put(name, OLD);
                }
                let (from, over) = (ground.root.join(from), ground.root.join(over));
                let mounted: Arc<Mutex<Option<Mounted>>> = Arc::default();
                let landed: Arc<Mutex<Option<bool>>> = Arc::default();
                let failed = Arc::new(Mutex::new(None));
                let file = ground.root.join(case.file);
                let before = fs::metadata(&file).ok().map(|file| file.len());
                let outcome = (case.act)(&ground, &|batch| {
                    let (mounted, landed) = (Arc::clone(&mounted), Arc::clone(&landed));
                    let (from, over, failed) = (from.clone(), over.clone(), Arc::clone(&failed));
                    let file = file.clone();
                    let begun = ground.disk.call_count();
                    ground.disk.set_hook(move |call| {
                        if call.number - begun != at {
                            return;
                        }
                        let now = fs::metadata(&file).ok().map(|file| file.len());
                        *landed.lock().unwrap() = Some(now != before);
                        match rustix::mount::mount_bind(&from, &over) {
                            Ok(()) => *mounted.lock().unwrap() = Some(Mounted(over.clone())),
                            // With some methods the name is free for a moment.
                            Err(rustix::io::Errno::NOENT) => {}
                            Err(error) => *failed.lock().unwrap() = Some(error),
                        }
                    });
                    let outcome = ground.workspace.commit(batch);
                    ground.disk.clear_hook();
                    outcome
                });
                if let Some(error) = *failed.lock().unwrap() {
                    eprintln!("skipped: nothing can be mounted here: {error}");
                    return;
                }
                let Some(landed) = *landed.lock().unwrap() else {
                    break;
                };
                let was_mounted = mounted.lock().unwrap().take().is_some();
                let what = format!(
                    "{}, {} before call {at}: {outcome:?}",
                    case.name,
                    over.display()
                );
                for name in [".git/a", ".git/src/a"] {
                    assert_eq!(ground.text(name), OLD, "{what}");
                }
                for name in [".git/new", ".git/src/new", ".git/n", ".git/src/n"] {
                    assert!(!ground.root.join(name).exists(), "{name}: {what}");
                }
                // A mount over another file of the folder does not hide this one.
                let is_hidden = was_mounted && (over == file || !over.ends_with(FILE));
                if is_hidden && !landed {
                    let now = fs::metadata(&file).ok().map(|file| file.len());
                    assert!(outcome.is_err() && now == before, "{what}");
                }
            }
        }
    }
}
