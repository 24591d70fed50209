//! Another program acts at any moment of a call: before each single system call, in turn. Whatever it writes is there
//! afterwards, or the answer says so. Whatever fails, files are as they were and nothing is left next to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use lancet::testing::{FaultDuration, FaultyDisk};
use lancet::{RawCall, Reply, Session};
use lancet_testing::TestFolder;
use serde_json::{Value, json};

use crate::ground::{Ground, done, is_refused, refused, settings};

struct Meddled {
    ground: Ground,
    disk: Arc<FaultyDisk>,
}

fn meddled(text: &str) -> Meddled {
    let disk = Arc::new(FaultyDisk::without_flushes());
    let ground = Ground::on(TestFolder::in_memory(), Arc::clone(&disk), |builder| {
        builder.settings(settings(text))
    });
    Meddled { ground, disk }
}

const FILE: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

/// The action of the other program.
type Meddle = fn(&Path);

fn rewrite(path: &Path) {
    fs::write(path, FILE.replace("ten", "TEN!")).unwrap();
}

fn same_size(path: &Path) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, FILE.replace("ten", "TEN")).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
}

fn rename_over(path: &Path) {
    let beside = path.with_file_name("beside");
    fs::write(&beside, FILE.replace("ten", "TEN!")).unwrap();
    fs::rename(beside, path).unwrap();
}

fn touch(path: &Path) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::now()).unwrap();
}

fn delete(path: &Path) {
    let _ = fs::remove_file(path);
}

fn link(path: &Path) {
    let other = path.with_file_name("other");
    fs::write(&other, "other\n").unwrap();
    let _ = fs::remove_file(path);
    std::os::unix::fs::symlink(other, path).unwrap();
}

/// The call before which a meddler acted, and the meddler.
type Met = (&'static str, JoinHandle<()>);

/// How long the other program is waited for. If a lease keeps it out, it continues when the call has released the
/// lease.
const MOMENT: Duration = Duration::from_millis(40);

/// Runs a call with the meddler acting before its `at`-th system call. Returns which one that was, if there were so
/// many.
fn call_meddled(
    place: &Meddled,
    session: &Session,
    call: (&str, &Value),
    at: u64,
    path: PathBuf,
    act: Meddle,
) -> (Reply, Option<&'static str>) {
    let met: Arc<Mutex<Option<Met>>> = Arc::default();
    let noted = Arc::clone(&met);
    let count = AtomicU64::new(0);
    place.disk.set_hook(move |made| {
        if count.fetch_add(1, Ordering::SeqCst) + 1 == at {
            let path = path.clone();
            let (done, ended) = mpsc::channel();
            let meddler = std::thread::spawn(move || {
                act(&path);
                let _ = done.send(());
            });
            let _ = ended.recv_timeout(MOMENT);
            *noted.lock().unwrap() = Some((made.method, meddler));
        }
    });
    let reply = session.call(RawCall::new(call.0, call.1.clone()));
    place.disk.clear_hook();
    let met = met.lock().unwrap().take();
    let method = met.map(|(method, meddler)| {
        meddler.join().unwrap();
        method
    });
    (reply, method)
}

/// Returns the names in the folder, except for those that meddlers make.
fn stray(ground: &Ground) -> Vec<String> {
    let known = ["a.txt", "b.txt", "other"];
    ground
        .tree()
        .into_keys()
        .filter(|name| !known.contains(&name.as_str()))
        .collect()
}

#[test]
fn whoever_writes_during_an_edit_keeps_their_bytes() {
    for (name, act) in [
        ("rewrite", rewrite as Meddle),
        ("same size", same_size),
        ("rename over", rename_over),
        ("touch", touch),
        ("delete", delete),
        ("link", link),
    ] {
        let place = meddled("");
        let ground = &place.ground;
        for at in 1.. {
            ground.clear();
            ground.put("a.txt", FILE);
            let session = ground.session();
            done(&ground.read(&session, "a.txt"));
            let edit = json!({ "file_path": ground.path("a.txt"), "old_string": "two", "new_string": "2" });
            let (reply, met) = call_meddled(
                &place,
                &session,
                ("Edit", &edit),
                at,
                ground.path("a.txt"),
                act,
            );
            let Some(method) = met else { break };
            let found = fs::read_to_string(ground.path("a.txt")).unwrap_or_default();
            let edited = FILE.replace("two", "2");
            let foreign = match name {
                "touch" => FILE.to_owned(),
                "delete" => String::new(),
                "link" => "other\n".to_owned(),
                "same size" => FILE.replace("ten", "TEN"),
                _ => FILE.replace("ten", "TEN!"),
            };
            match refused(&reply) {
                "" if found == foreign => {}
                "" => {
                    assert_eq!(name, "touch", "lost before call {at} ({method})");
                    assert_eq!(found, edited, "{name} before call {at} ({method})");
                }
                other => {
                    assert_eq!(
                        found,
                        foreign,
                        "{name} before call {at} ({method}): {}",
                        reply.text()
                    );
                    let expected: &[&str] = match name {
                        "touch" => &["busy"],
                        "delete" => &["missing"],
                        "link" => &["not_read", "special", "missing"],
                        _ => &["stale", "busy"],
                    };
                    assert!(
                        expected.contains(&other),
                        "{name} before call {at} ({method}): {other}: {}",
                        reply.text()
                    );
                }
            }
            assert_eq!(stray(ground), [""; 0], "{name} before call {at} ({method})");
            if name == "rewrite" && refused(&reply) == "stale" {
                // The refusal showed the change, so the same call goes through and preserves it.
                done(&session.call(RawCall::new("Edit", edit)));
                assert_eq!(
                    ground.text("a.txt"),
                    FILE.replace("ten", "TEN!").replace("two", "2")
                );
            }
        }
    }
}

#[test]
fn merge_takes_in_what_is_written_during_the_call() {
    let place = meddled("stale = \"merge\"\n");
    let ground = &place.ground;
    for at in 1.. {
        ground.clear();
        ground.put("a.txt", FILE);
        let session = ground.session();
        done(&ground.read(&session, "a.txt"));
        let edit =
            json!({ "file_path": ground.path("a.txt"), "old_string": "two", "new_string": "2" });
        let (reply, met) = call_meddled(
            &place,
            &session,
            ("Edit", &edit),
            at,
            ground.path("a.txt"),
            rewrite,
        );
        let Some(method) = met else { break };
        if refused(&reply) == "busy" {
            let theirs = FILE.replace("ten", "TEN!");
            assert_eq!(ground.text("a.txt"), theirs, "before call {at} ({method})");
            continue;
        }
        done(&reply);
        let both = FILE.replace("ten", "TEN!").replace("two", "2");
        let found = ground.text("a.txt");
        // Written after the edit was done, the bytes replace it, like any later write.
        let later = found == FILE.replace("ten", "TEN!");
        assert!(
            found == both || later,
            "before call {at} ({method}): {found}"
        );
        assert_eq!(stray(ground), [""; 0]);
    }
}

#[test]
fn a_file_that_never_holds_still_is_busy_or_stale_and_stays_theirs() {
    for (stale, expected) in [("refuse", ["stale", "busy"]), ("merge", ["busy", "busy"])] {
        let place = meddled(&format!("stale = \"{stale}\"\n"));
        let ground = &place.ground;
        ground.put("a.txt", FILE);
        let session = ground.session();
        done(&ground.read(&session, "a.txt"));
        let path = ground.path("a.txt");
        let count = AtomicU64::new(0);
        place.disk.set_hook(move |_| {
            let number = count.fetch_add(1, Ordering::SeqCst);
            fs::write(&path, FILE.replace("ten", &format!("ten {number}"))).unwrap();
        });
        let edit =
            json!({ "file_path": ground.path("a.txt"), "old_string": "two", "new_string": "2" });
        let reply = session.call(RawCall::new("Edit", edit));
        place.disk.clear_hook();
        assert!(expected.contains(&refused(&reply)), "{}", reply.text());
        assert!(ground.text("a.txt").contains("two"));
        assert_eq!(stray(ground), [""; 0]);
    }
}

#[test]
fn any_call_to_the_system_may_fail() {
    const ERRNOS: [(i32, &str); 4] = [(28, "ENOSPC"), (5, "EIO"), (13, "EACCES"), (24, "EMFILE")];
    let calls: [(&str, Value); 5] = [
        (
            "Edit",
            json!({ "file_path": "a.txt", "old_string": "two", "new_string": "2" }),
        ),
        (
            "Write",
            json!({ "file_path": "a.txt", "content": "all new\n" }),
        ),
        (
            "Write",
            json!({ "file_path": "d/e/new.txt", "content": "all new\n" }),
        ),
        (
            "MultiEdit",
            json!({ "edits": [
            { "file_path": "a.txt", "old_string": "two", "new_string": "2" },
            { "file_path": "b.txt", "old_string": "three", "new_string": "3" },
        ] }),
        ),
        ("Read", json!({ "file_path": "a.txt" })),
    ];
    let place = meddled("");
    let ground = &place.ground;
    for (tool, arguments) in &calls {
        for (errno, name) in ERRNOS {
            for lasting in [FaultDuration::Once, FaultDuration::FromThereOn] {
                for at in 1.. {
                    ground.clear();
                    ground.put("a.txt", FILE);
                    ground.put("b.txt", FILE);
                    let session = ground.session();
                    done(&ground.read(&session, "a.txt"));
                    done(&ground.read(&session, "b.txt"));
                    let before = ground.tree();
                    place.disk.fail_call(at, errno, lasting);
                    let mut arguments = arguments.clone();
                    if *tool == "Read" {
                        arguments["force"] = json!(true);
                    }
                    let reply = session.call(RawCall::new(*tool, arguments.clone()));
                    let reached = place.disk.call_count() >= at;
                    place.disk.clear_faults();
                    let told = format!("{tool}, {name} {lasting:?} at call {at}: {}", reply.text());
                    if reply.is_error() {
                        let after = ground.tree();
                        // If the rollback fails too, the answer says where the other version is.
                        let partly = lasting == FaultDuration::FromThereOn
                            && reply.data()["error"].get("kept").is_some();
                        if !partly && lasting == FaultDuration::Once {
                            assert_eq!(
                                before.keys().collect::<Vec<_>>(),
                                after.keys().collect::<Vec<_>>(),
                                "{told}"
                            );
                        }
                        if !partly {
                            for (name, entry) in &before {
                                assert!(after.get(name) == Some(entry), "{told}: {name}");
                            }
                        }
                        assert!(
                            matches!(
                                refused(&reply),
                                "io" | "missing"
                                    | "busy"
                                    | "outside"
                                    | "stale"
                                    | "not_read"
                                    | "special"
                            ) || partly,
                            "{told}"
                        );
                    }
                    // The next call works.
                    let next = json!({ "file_path": ground.path("b.txt"), "force": true });
                    done(&session.call(RawCall::new("Read", next)));
                    if !reached {
                        done(&reply);
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn two_new_files_by_two_sessions_at_once() {
    let place = meddled("");
    let ground = &place.ground;
    for at in 1.. {
        ground.clear();
        let session = ground.session();
        let create = json!({ "file_path": ground.path("a.txt"), "content": "mine\n" });
        let theirs: Meddle = |path| {
            if !path.exists() {
                fs::write(path, "theirs\n").unwrap();
            }
        };
        let (reply, met) = call_meddled(
            &place,
            &session,
            ("Write", &create),
            at,
            ground.path("a.txt"),
            theirs,
        );
        let Some(method) = met else { break };
        let found = ground.text("a.txt");
        if reply.is_error() {
            is_refused(&reply, "not_read");
            assert_eq!(found, "theirs\n", "before call {at} ({method})");
        } else {
            assert_eq!(found, "mine\n", "before call {at} ({method})");
        }
        assert_eq!(stray(ground), [""; 0]);
    }
}

#[test]
fn a_file_that_changes_while_its_question_is_open_is_asked_about_again_or_stale() {
    for (stale, finally) in [("refuse", "stale"), ("merge", "")] {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let questions = Arc::clone(&asked);
        let settings = settings(&format!("stale = \"{stale}\"\n"));
        let ground = Ground::with(|builder| {
            builder.settings(settings).mode(lancet::Mode::Ask).approver(
                move |question: &lancet::approval::Question| {
                    let mut questions = questions.lock().unwrap();
                    questions.push(question.diff());
                    if questions.len() == 1 {
                        rewrite(&question.files[0].path);
                    }
                    lancet::approval::Answer::Yes
                },
            )
        });
        ground.put("a.txt", FILE);
        let session = ground.session();
        done(&ground.read(&session, "a.txt"));
        let edit =
            json!({ "file_path": ground.path("a.txt"), "old_string": "two", "new_string": "2" });
        let reply = session.call(RawCall::new("Edit", edit));
        assert_eq!(refused(&reply), finally, "{}", reply.text());
        let theirs = FILE.replace("ten", "TEN!");
        if finally.is_empty() {
            assert_eq!(ground.text("a.txt"), theirs.replace("two", "2"));
            assert_eq!(asked.lock().unwrap().len(), 2, "the question is renewed");
        } else {
            assert_eq!(ground.text("a.txt"), theirs);
            assert_eq!(asked.lock().unwrap().len(), 1);
        }
    }
}
