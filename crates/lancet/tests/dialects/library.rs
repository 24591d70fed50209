//! The results that a host gets: whether a block would fit while the reply is still being written, what is left out,
//! and how a refusal reports every part.

use lancet::dialects::{AppliedBy, ParseOptions, ResponseOptions, ResponseStream};
use lancet::outcome::Outcome;
use lancet::tools::ReadArguments;
use lancet::{Check, RawCall};
use lancet_testing::TestProject;
use serde_json::json;

fn by_person() -> ResponseOptions {
    let mut options = ResponseOptions::default();
    options.applied_by = AppliedBy::Person;
    options
}

fn project(files: &[(&str, &str)]) -> TestProject {
    let project = TestProject::new();
    for (name, text) in files {
        lancet_testing::folder::put(&project.root.join(name), text);
    }
    project
}

fn text(project: &TestProject, name: &str) -> String {
    std::fs::read_to_string(project.root.join(name)).expect("a file")
}

fn block(name: &str, old: &str, new: &str) -> String {
    format!("{name}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n")
}

#[test]
fn a_block_is_checked_while_the_reply_is_still_written() {
    let project = project(&[("a.txt", "one\ntwo\n")]);
    let options = ParseOptions::default();
    let mut stream = ResponseStream::new(&options);
    let good = block("a.txt", "one\n", "uno\n");
    let parts = stream.feed(&good).expect("a block").to_vec();
    let fits = project.session.check_part(&parts[0], by_person());
    assert!(matches!(fits, Check::Passes), "{fits:?}");
    let bad = block("a.txt", "three\n", "tre\n");
    let parts = stream.feed(&bad).expect("a block").to_vec();
    let Check::Refused(refusal) = project.session.check_part(&parts[0], by_person()) else {
        panic!("a block that is not there fits");
    };
    assert_eq!(refusal.kind().name(), "not_found");
    assert_eq!(text(&project, "a.txt"), "one\ntwo\n");
}

#[test]
fn a_model_has_to_have_read_what_a_person_need_not() {
    let project = project(&[("a.txt", "one\ntwo\n")]);
    let reply = block("a.txt", "one\n", "uno\n");
    let refused = project
        .session
        .apply_response(&reply, ResponseOptions::default());
    assert_eq!(refused.data()["error"]["name"], "not_read");
    let path = project.root.join("a.txt");
    project.session.read(ReadArguments::new(&path));
    let done = project
        .session
        .apply_response(&reply, ResponseOptions::default());
    assert!(!done.is_error(), "{}", done.text());
    assert_eq!(text(&project, "a.txt"), "uno\ntwo\n");
}

#[test]
fn a_refusal_tells_of_every_part() {
    let project = project(&[("a.txt", "one\ntwo\none\n"), ("b.txt", "x\ny\n")]);
    let reply = [
        block("a.txt", "two\n", "due\n"),
        block("a.txt", "one\n", "uno\n"),
        block("b.txt", "x\nz\n", "w\n"),
        block("b.txt", "y\n", "v\n"),
    ]
    .concat();
    let refused = project.session.apply_response(&reply, by_person());
    let error = &refused.data()["error"];
    assert_eq!(error["name"], "ambiguous");
    assert_eq!(error["part"], 2);
    let fits: Vec<_> = (0..4).map(|part| &error["parts"][part]["fits"]).collect();
    assert_eq!(
        fits,
        [&json!(true), &json!(false), &json!(false), &json!(true)]
    );
    let told = refused.text();
    for words in [
        "Part 2 of 4",
        "lines 1, 3",
        "Part 3 (line 16, b.txt): not_found",
        "`z`",
        "`y`",
        "Parts 1, 4 would have fitted.",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(text(&project, "a.txt"), "one\ntwo\none\n");
}

#[test]
fn what_changes_nothing_is_left_out_where_something_else_changes() {
    let project = project(&[("a.txt", "one\ntwo\n"), ("b.txt", "x\n")]);
    let same = block("b.txt", "x\n", "x\n");
    let alone = project.session.apply_response(&same, by_person());
    assert_eq!(alone.data()["error"]["name"], "no_change");
    let both = format!("{same}{}", block("a.txt", "one\n", "uno\n"));
    let done = project.session.apply_response(&both, by_person());
    assert!(
        done.text()
            .contains("part 1 of the reply (line 2, b.txt) changes nothing and was left out"),
        "{}",
        done.text()
    );
    let Outcome::Changed(change) = done.outcome() else {
        panic!("{}", done.text());
    };
    assert_eq!(change.files.len(), 1);
    assert_eq!(text(&project, "a.txt"), "uno\ntwo\n");
}

#[test]
fn a_file_is_moved_although_its_hunk_changes_nothing() {
    let project = project(&[("a.txt", "one\ntwo\n")]);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n one\n two\n*** End Patch\n";
    let done = project.session.apply_response(patch, by_person());
    assert!(!done.is_error(), "{}", done.text());
    assert_eq!(text(&project, "b.txt"), "one\ntwo\n");
    assert!(!project.root.join("a.txt").exists());
}

#[test]
fn the_tool_takes_the_field_that_other_agents_send() {
    let project = TestProject::with(|builder| builder.tools(["codex"]));
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+text\n*** End Patch\n";
    let call = RawCall::new("apply_patch", json!({ "input": patch }));
    let done = project.session.call(call);
    assert!(!done.is_error(), "{}", done.text());
    assert_eq!(text(&project, "new.txt"), "text\n");
}

#[test]
fn a_dry_run_and_a_check_write_nothing() {
    let project = project(&[("a.txt", "one\n")]);
    let reply = block("a.txt", "one\n", "uno\n");
    let mut options = by_person();
    options.dry_run = lancet::request::DryRun::Yes;
    let shown = project.session.apply_response(&reply, options);
    assert!(shown.text().contains("+uno"), "{}", shown.text());
    let check = project.session.check_response(&reply, by_person());
    assert!(matches!(check, Check::Passes), "{check:?}");
    assert_eq!(text(&project, "a.txt"), "one\n");
}
