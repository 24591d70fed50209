//! Plans that are not carried out: every file stays as it was, and the answer says why.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use lancet::Mode;
use lancet::approval::{Answer, Approver, Question, Wait};
use lancet_testing::replies::{done, is_refused};

use crate::place::{A, Place};

#[track_caller]
fn assert_refused(way: &str, name: &str, words: &str) {
    let place = Place::new(way);
    place.read(&["a.txt"]);
    let reply = place.rename(2, "name", "other");
    is_refused(&reply, name);
    assert!(reply.text().contains(words), "{way}: {}", reply.text());
    assert!(
        reply.text().contains("Nothing was renamed"),
        "{}",
        reply.text()
    );
    assert_eq!(place.text("a.txt"), A);
    // That server itself writes into the other file.
    if way != "restless" {
        place.assert_untouched();
    }
}

#[test]
fn a_plan_that_is_not_exact_is_refused() {
    assert_refused("overlap", "conflict", "two of its edits overlap");
    assert_refused("behind-the-end", "conflict", "does not have");
    assert_refused("wrong-version", "conflict", "another version");
    assert_refused("creates", "conflict", "create ");
}

#[test]
fn a_plan_that_reaches_outside_is_refused() {
    assert_refused("outside", "outside", "/etc/hostname");
}

#[test]
fn a_server_that_refuses_dies_or_takes_too_long_is_told() {
    assert_refused("refuses", "conflict", "planner refuses: that name is taken");
    assert_refused("nothing", "not_found", "planner sees nothing");
    assert_refused("other-text", "not_found", "would rename `the`");
    assert_refused("dies", "busy", "planner ended");
    assert_refused("slow", "timeout", "did not answer in time");
    assert_refused("restless", "busy", "kept changing");
    assert_refused("unable", "invalid", "planner cannot rename");
}

#[test]
fn a_plan_that_changes_a_denied_file_is_refused_without_its_name() {
    let place = Place::with("secret", "", |builder, _| builder);
    std::fs::write(place.project.path(".env"), "name = 1\n").expect("a file");
    place.read(&["a.txt"]);
    let reply = place.rename(2, "name", "other");
    is_refused(&reply, "denied");
    assert!(!reply.text().contains(".env"), "{}", reply.text());
    place.assert_untouched();
    // A rule of the user, for writing alone.
    let rule = "[permissions]\ndeny = [\"Edit(b.txt)\"]\n";
    let place = Place::with("well", rule, |builder, _| builder);
    place.read(&["a.txt"]);
    let reply = place.rename(2, "name", "other");
    is_refused(&reply, "denied");
    assert!(!reply.text().contains("b.txt"), "{}", reply.text());
    place.assert_untouched();
}

#[test]
fn a_plan_that_changes_a_protected_file_is_refused() {
    let place = Place::new("protected");
    let settings = place.project.path(".vscode/settings.txt");
    std::fs::create_dir(place.project.path(".vscode")).expect("a folder");
    std::fs::write(&settings, "one\nfour five six\n").expect("a file");
    place.read(&["a.txt"]);
    let reply = place.rename(2, "name", "other");
    is_refused(&reply, "declined");
    assert!(reply.text().contains("protected"), "{}", reply.text());
    place.assert_untouched();
}

/// Changes another file of the plan while the question is open, once.
struct Meddler(PathBuf, AtomicBool);

impl Approver for Meddler {
    fn ask(&self, _: &Question, _: &Wait) -> Answer {
        if !self.1.swap(true, Ordering::Relaxed) {
            std::fs::write(&self.0, "theirs\nname\n").expect("a write");
        }
        Answer::Yes
    }
}

#[test]
fn a_file_that_changes_before_the_write_is_planned_anew() {
    let place = Place::with("well", "", |builder, root| {
        let meddler = Meddler(root.join("b.txt"), false.into());
        builder.mode(Mode::Ask).approver(meddler)
    });
    place.read(&["a.txt"]);
    done(&place.rename(2, "name", "other"));
    assert_eq!(place.text("b.txt"), "theirs\nother\n");
    assert_eq!(place.text("a.txt"), A.replace("name", "other"));
}
