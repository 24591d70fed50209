//! Plans of a server that misbehaves (`planner.py`): one that cannot be applied exactly is refused, with the reason.

use std::time::{Duration, Instant};

use lancet_language::{RefactorError, ServerEntry};

use super::asking::assert_planned;
use super::setting::Project;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/odd/planner.py");

const A: &str = "😀 name here\nname\n";
const B: &str = "a\tname\n";

fn project(way: &str) -> Project {
    let entry = ServerEntry::new("planner", &["*.txt"], &["python3", SCRIPT, way]);
    let files = [("a.txt", A), ("b.txt", B), ("c.txt", "names\nuse a\n")];
    let project = Project::new(vec![entry], &files);
    project.read(&["a.txt"]);
    project
}

fn refused(way: &str) -> RefactorError {
    let project = project(way);
    project.rename("a.txt", "name", "other").expect_err(way)
}

#[track_caller]
fn assert_malformed(way: &str, words: &str) {
    let error = refused(way);
    assert!(
        matches!(&error, RefactorError::Malformed { why, .. } if why.contains(words)),
        "{way}: {error:?}"
    );
}

#[test]
fn words_are_renamed_in_every_file_and_in_both_forms() {
    for way in ["well", "versions", "registers", "overtaken"] {
        let project = project(way);
        let plan = project.rename("a.txt", "name", "other").expect(way);
        assert_planned(
            &plan,
            &[
                ("a.txt", &A.replace("name", "other")),
                ("b.txt", &B.replace("name", "other")),
            ],
        );
    }
}

#[test]
fn a_file_that_changed_since_the_server_read_it_is_told_and_asked_about_again() {
    let project = project("versions");
    let longer = "one\ntwo\nname name\n";
    std::fs::write(project.path("b.txt"), longer).expect("a write");
    let plan = project.rename("a.txt", "name", "other").expect("a plan");
    assert_planned(
        &plan,
        &[
            ("a.txt", &A.replace("name", "other")),
            ("b.txt", &longer.replace("name", "other")),
        ],
    );
    // The file is open now, and its name is gone from it.
    std::fs::write(project.path("b.txt"), "one\n").expect("a write");
    let plan = project.rename("a.txt", "name", "other").expect("a plan");
    assert_planned(&plan, &[("a.txt", &A.replace("name", "other"))]);
}

#[test]
fn plans_that_cannot_be_carried_out_exactly_are_refused() {
    assert_malformed("overlap", "overlap");
    assert_malformed("behind-the-end", "does not have");
    assert_malformed("cut-character", "does not have");
    assert_malformed("wrong-version", "another version");
    assert_malformed("elsewhere", "very place");
}

#[test]
fn a_step_that_is_no_edit_is_refused() {
    let error = refused("creates");
    assert!(
        matches!(&error, RefactorError::Unsupported { step, .. } if step.starts_with("create /") && step.ends_with("new.txt")),
        "{error:?}"
    );
}

#[test]
fn a_file_that_the_host_withholds_ends_the_question() {
    let error = refused("outside");
    assert_eq!(error, RefactorError::Withheld("/etc/hostname".into()));
}

#[test]
fn a_server_refuses_in_its_own_words_within_bounds() {
    let error = refused("refuses");
    assert!(
        matches!(&error, RefactorError::Said { words, .. } if words.starts_with("that name is taken") && words.len() <= 500),
        "{error:?}"
    );
    assert_eq!(
        refused("nothing"),
        RefactorError::Nothing("planner".to_owned())
    );
    let error = refused("other-text");
    assert!(
        matches!(&error, RefactorError::OtherText { text, .. } if text == "😀 "),
        "{error:?}"
    );
}

#[test]
fn a_server_that_ends_or_takes_too_long_is_told_as_such() {
    let ended = RefactorError::Ended("planner".to_owned());
    assert_eq!(refused("dies"), ended);
    let project = project("slow");
    // The server answers after three seconds: a caller that waits longer gets its plan.
    let time = Duration::from_secs(1);
    let error = project.rename_within("a.txt", "name", "other", time);
    assert_eq!(error, Err(RefactorError::Slow("planner".to_owned())));
}

#[test]
fn a_question_that_nobody_waits_for_ends() {
    let project = project("slow");
    let mut disk = project.disk();
    disk.is_stopped = true;
    let text = project.text("a.txt").into();
    let question = lancet_language::RenameRequest {
        path: &project.path("a.txt"),
        text: &text,
        symbol: 5..9,
        new_name: "other",
    };
    let until = Instant::now() + Duration::from_secs(30);
    let answer = project.language.plan_rename(&question, &mut disk, until);
    assert_eq!(answer, Err(RefactorError::Stopped));
}

#[test]
fn files_that_keep_changing_are_not_planned() {
    assert_eq!(
        refused("restless"),
        RefactorError::Unsettled("planner".to_owned())
    );
}

#[test]
fn a_text_that_is_no_longer_that_of_the_question_is_told() {
    let project = project("well");
    let old = project.text("a.txt").into();
    std::fs::write(project.path("a.txt"), "name\n").expect("a write");
    let question = lancet_language::RenameRequest {
        path: &project.path("a.txt"),
        text: &old,
        symbol: 5..9,
        new_name: "other",
    };
    let until = Instant::now() + Duration::from_secs(30);
    let answer = project
        .language
        .plan_rename(&question, &mut project.disk(), until);
    assert_eq!(answer, Err(RefactorError::Changed));
}

#[test]
fn a_server_without_the_ability_is_not_asked() {
    assert_eq!(
        refused("unable"),
        RefactorError::NotOffered(vec!["planner".to_owned()])
    );
    let project = project("unable");
    assert_eq!(project.before_move("a.txt", "d.txt"), Ok(None));
}

#[test]
fn a_move_is_planned_and_told() {
    for way in ["well", "registers", "moves-itself"] {
        let project = project(way);
        let plan = project.before_move("a.txt", "d.txt").expect(way);
        assert_planned(&plan.expect("a plan"), &[("c.txt", "names\nuse d\n")]);
    }
    let project = project("well");
    project
        .language
        .notify_moved(&project.path("a.txt"), &project.path("d.txt"));
    project.read(&["a.txt", "b.txt"]);
    let told = project.text("told.log");
    assert!(told.contains("a.txt") && told.contains("d.txt"), "{told}");
}
