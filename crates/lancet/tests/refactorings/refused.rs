//! Plans that are not carried out: every file stays as it was, and the answer says why.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use lancet::Mode;
use lancet::approval::{Answer, Approver, Question, Wait};
use lancet_testing::replies::{done, is_refused};

use crate::project::{
    A, assert_untouched, open, open_with, patiently, read_all, rename, rename_arguments,
};

#[track_caller]
fn assert_refused(way: &str, name: &str, words: &str) {
    let project = open(way);
    read_all(&project, &["a.txt"]);
    let reply = match way {
        // The lateness is what the answer must tell.
        "slow" => {
            let arguments = rename_arguments(&project, 2, "name", "other");
            patiently(&project, "Rename", &arguments)
        }
        _ => rename(&project, 2, "name", "other"),
    };
    is_refused(&reply, name);
    assert!(reply.text().contains(words), "{way}: {}", reply.text());
    assert!(
        reply.text().contains("Nothing was renamed"),
        "{}",
        reply.text()
    );
    assert_eq!(project.text("a.txt"), A);
    // That server itself writes into the other file.
    if way != "restless" {
        assert_untouched(&project);
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
    let project = open_with("secret", "", |builder, _| builder);
    std::fs::write(project.path(".env"), "name = 1\n").expect("a file");
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 2, "name", "other");
    is_refused(&reply, "denied");
    assert!(!reply.text().contains(".env"), "{}", reply.text());
    assert_untouched(&project);
    // A rule of the user, for writing alone.
    let rule = "[permissions]\ndeny = [\"Edit(b.txt)\"]\n";
    let project = open_with("well", rule, |builder, _| builder);
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 2, "name", "other");
    is_refused(&reply, "denied");
    assert!(!reply.text().contains("b.txt"), "{}", reply.text());
    assert_untouched(&project);
}

#[test]
fn a_plan_that_changes_a_protected_file_is_refused() {
    let project = open("protected");
    let settings = project.path(".vscode/settings.txt");
    std::fs::create_dir(project.path(".vscode")).expect("a folder");
    std::fs::write(&settings, "one\nfour five six\n").expect("a file");
    read_all(&project, &["a.txt"]);
    let reply = rename(&project, 2, "name", "other");
    is_refused(&reply, "declined");
    assert!(reply.text().contains("protected"), "{}", reply.text());
    assert_untouched(&project);
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
    let project = open_with("well", "", |builder, root| {
        let meddler = Meddler(root.join("b.txt"), false.into());
        builder.mode(Mode::Ask).approver(meddler)
    });
    read_all(&project, &["a.txt"]);
    done(&rename(&project, 2, "name", "other"));
    assert_eq!(project.text("b.txt"), "theirs\nother\n");
    assert_eq!(project.text("a.txt"), A.replace("name", "other"));
}
