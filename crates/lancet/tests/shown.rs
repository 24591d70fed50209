//! The part of a change that an answer shows is what the file then contains, whatever its size.

use std::sync::{Arc, Mutex};

use lancet::approval::{Answer, Question};
use lancet::{Mode, RawCall, Reply};
use lancet_testing::TestProject;
use serde_json::{Value, json};

#[track_caller]
fn call(place: &TestProject, tool: &str, arguments: Value) -> Reply {
    let reply = place.session.call(RawCall::new(tool, arguments));
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

/// Edits a file with its present revision, in place of reading it first.
#[track_caller]
fn edit(place: &TestProject, name: &str, old: &str, new: &str, more: Value) -> Reply {
    let reply = try_edit(place, name, old, new, more);
    assert!(!reply.is_error(), "{}", reply.text());
    reply
}

fn try_edit(place: &TestProject, name: &str, old: &str, new: &str, more: Value) -> Reply {
    let path = json!({ "file_path": place.path(name), "limit": 1 });
    let read = place.lancet.new_session();
    let read = read.call(RawCall::new("Read", path));
    let mut arguments = json!({
        "file_path": place.path(name),
        "old_string": old,
        "new_string": new,
        "revision": read.data()["revision"],
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        arguments[key] = value.clone();
    }
    place.session.call(RawCall::new("Edit", arguments))
}

/// Returns the numbered lines of an answer.
fn numbered(reply: &Reply) -> Vec<(usize, &str)> {
    let lines = reply.text().lines();
    lines
        .filter_map(|line| {
            let (number, text) = line.split_once('→')?;
            Some((number.parse().ok()?, text))
        })
        .collect()
}

/// Asserts that every numbered line of an answer is in the file as shown.
#[track_caller]
fn agrees(reply: &Reply, content: &str) {
    let content: Vec<&str> = content.lines().collect();
    for (number, text) in numbered(reply) {
        assert_eq!(content.get(number - 1), Some(&text), "line {number}");
    }
}

/// Asserts that the patch in an answer's data turns `before` into `after`.
#[track_caller]
fn makes(reply: &Reply, before: &str, after: &str) {
    let old: Vec<&str> = before.lines().collect();
    let mut made: Vec<String> = Vec::new();
    let mut taken = 0;
    for hunk in reply.data()["patch"].as_array().expect("hunks") {
        let number = |key: &str| hunk[key].as_u64().expect("a number") as usize;
        let start = number("oldStart") - usize::from(number("oldLines") > 0);
        assert!(start >= taken, "hunks overlap: {}", reply.data()["patch"]);
        made.extend(old[taken..start].iter().map(|line| (*line).to_owned()));
        taken = start;
        for line in hunk["lines"].as_array().expect("lines") {
            let line = line.as_str().expect("text");
            match line.split_at(1) {
                (" ", text) | ("-", text) if old[taken] != text => panic!("{text:?} is not there"),
                (" ", text) => {
                    made.push(text.to_owned());
                    taken += 1;
                }
                ("-", _) => taken += 1,
                ("+", text) => made.push(text.to_owned()),
                _ => {}
            }
        }
    }
    made.extend(old[taken..].iter().map(|line| (*line).to_owned()));
    assert!(
        made.iter().eq(after.lines()),
        "the patch makes another text"
    );
}

#[test]
fn a_line_with_thousands_of_changes_is_shown_as_it_is() {
    let place = TestProject::new();
    place.put("a", format!("x{}y\nend\n", "a".repeat(3_000)));
    let reply = edit(&place, "a", "a", "", json!({ "replace_all": true }));
    assert_eq!(place.text("a"), "xy\nend\n");
    assert_eq!(numbered(&reply), [(1, "xy"), (2, "end")]);
}

#[test]
fn changes_too_long_to_show_are_told_by_their_lines() {
    let place = TestProject::new();
    let long = "z".repeat(700_000);
    place.put("a", format!("1\n{long} foo\n3\n4\nfoo\n6\n"));
    let reply = edit(
        &place,
        "a",
        "foo",
        "bar\nbaz",
        json!({ "replace_all": true }),
    );
    assert_eq!(reply.data()["coarse"], true);
    let wanted = "lines 2 (now 2-3); lines 5 (now 6-7)";
    assert!(reply.text().contains(wanted), "{}", reply.text());
    assert!(numbered(&reply).is_empty());
}

#[test]
fn a_rewrite_too_long_to_show_is_told_by_its_lines() {
    let place = TestProject::new();
    place.put("a", "1\nold\n3\n");
    call(&place, "Read", json!({ "file_path": place.path("a") }));
    let content = format!("1\n{}\n3\n", "new ".repeat(10_000));
    let arguments = json!({ "file_path": place.path("a"), "content": content });
    let reply = call(&place, "Write", arguments);
    assert!(reply.text().contains("lines 2 (now 2)"), "{}", reply.text());
}

#[test]
fn the_patch_of_a_large_new_file_is_coarse() {
    let place = TestProject::new();
    let content = "one line of many\n".repeat(180_000);
    let arguments = json!({ "file_path": place.path("a"), "content": content });
    let reply = call(&place, "Write", arguments);
    assert_eq!(place.text("a"), content);
    let hunk =
        json!({ "oldStart": 0, "oldLines": 0, "newStart": 1, "newLines": 180_000, "lines": [] });
    assert!(
        reply.data()["patch"] == json!([hunk]),
        "a patch of {} bytes",
        reply.data()["patch"].to_string().len()
    );
    assert_eq!(reply.data()["coarse"], true);
    assert_eq!(reply.data()["added"], 180_000);
}

#[test]
fn a_small_new_file_has_its_lines_in_the_patch() {
    let place = TestProject::new();
    let arguments = json!({ "file_path": place.path("a"), "content": "one\r\ntwo" });
    let reply = call(&place, "Write", arguments);
    assert_eq!(place.text("a"), "one\r\ntwo");
    let lines = json!(["+one", "+two", "\\ No newline at end of file"]);
    assert_eq!(reply.data()["patch"][0]["lines"], lines);
    assert_eq!(reply.data()["patch"][0]["oldStart"], 0);
}

/// Returns a file that is too large to be loaded into memory, with these lines at its start and at its end.
fn large(head: &str, tail: &str) -> String {
    let filler = "a line that nobody looks at, as most lines of a large file are\n";
    let wanted = (32 << 20) + 1;
    let mut text = head.to_owned();
    text.push_str(&filler.repeat(wanted / filler.len() + 1));
    text.push_str(tail);
    text
}

#[test]
fn places_near_each_other_in_a_large_file_are_shown_together() {
    let place = TestProject::new();
    let before = large(
        "foo foo tail\n2\n3\nfoo\n5\n",
        "near the end\nfoo\nlast foo",
    );
    place.put("a", &before);
    let reply = edit(
        &place,
        "a",
        "foo",
        "BAR\nBAZ",
        json!({ "replace_all": true }),
    );
    let after = place.text("a");
    assert_eq!(after, before.replace("foo", "BAR\nBAZ"));
    agrees(&reply, &after);
    makes(&reply, &before, &after);
    assert_eq!(numbered(&reply)[1], (2, "BAZ BAR"));
    let data = reply.data();
    assert_eq!((&data["added"], &data["removed"]), (&json!(9), &json!(4)));
    assert_eq!(data["patch"].as_array().map(Vec::len), Some(2));
}

/// Returns the result of an edit of a small file, and of a large one that begins with it and has nothing but fillers
/// after it.
fn both_ways(head: &str, old: &str, new: &str, more: Value) -> (String, Vec<String>) {
    let place = TestProject::new();
    let filler = large("", "");
    place.put("small", head);
    place.put("large", format!("{head}{filler}"));
    let warnings = |reply: &Reply| -> Vec<String> {
        let all = reply.data()["warnings"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        all.iter()
            .filter_map(|one| one.as_str().map(str::to_owned))
            .collect()
    };
    let small = warnings(&edit(&place, "small", old, new, more.clone()));
    let told = warnings(&edit(&place, "large", old, new, more));
    let after = place.text("large");
    let after = after
        .strip_suffix(&filler)
        .unwrap_or_else(|| panic!("{old:?} took of the rest"));
    assert_eq!(
        (after, &told),
        (place.text("small").as_str(), &small),
        "{old:?} -> {new:?}"
    );
    (after.to_owned(), told)
}

#[test]
fn a_large_file_is_edited_as_a_small_one_is() {
    let none = || json!({});
    let (after, _) = both_ways("def f():\n    x = 1\t\n    return 2\n", "x = 1", "", none());
    assert_eq!(after, "def f():\n    return 2\n");
    let (after, _) = both_ways("a\r\n\tdrop \r\nb\r\n", "drop", "", none());
    assert!(after.starts_with("a\r\n"), "{after:?}");
    let all = json!({ "replace_all": true });
    let (after, _) = both_ways("foo\n  foo\na foo b\n\tfoo \nend\n", "foo", "", all.clone());
    assert_eq!(after, "a  b\nend\n");
    let (after, told) = both_ways(
        "def f():\n    return 1\n",
        "return 1",
        "    return 2",
        none(),
    );
    assert_eq!(after, "def f():\n    return 2\n");
    assert!(told[0].contains("counted once"), "{told:?}");
    let (after, _) = both_ways("  q\n q\n", "q", "  r", all);
    assert_eq!(after, "    r\n   r\n");
    for (old, new, warning) in [
        ("return g(", "y = g(x)\nreturn h(", "indentation:"),
        (
            "return g(x)",
            "y = g(x)\nreturn y",
            "old_string lacks indentation",
        ),
        ("return g(x)", "return 2\n", "blank_line:"),
        ("f(x)\n    return g(x)", "f\\n", "literal_escapes:"),
        ("g(x)\n", "", "old_string ended in a newline"),
    ] {
        let (_, told) = both_ways("def f(x)\n    return g(x)\nend\n", old, new, none());
        assert!(told.iter().any(|one| one.starts_with(warning)), "{told:?}");
    }
}

#[test]
fn a_large_file_with_many_places_shows_whole_lines_of_the_result() {
    let place = TestProject::new();
    // The twentieth place, the last that is shown, shares its line with the next.
    let dense = "foo foo foo
"
    .repeat(9);
    let before = large(
        &dense, "the end
",
    );
    place.put("a", &before);
    let reply = edit(&place, "a", "foo", "BAR", json!({ "replace_all": true }));
    let after = place.text("a");
    assert_eq!(after, before.replace("foo", "BAR"));
    agrees(&reply, &after);
    assert_eq!(numbered(&reply).len(), 7);
    assert!(
        reply.text().contains("6 further places are not shown"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_line_too_long_to_read_whole_is_told_by_its_number() {
    let place = TestProject::new();
    let long = "-".repeat(300_000);
    let before = large(&format!("1\n{long}foo{long}foo{long}\n3\nfoo\n5\n"), "");
    place.put("a", &before);
    let reply = edit(&place, "a", "foo", "B\nR", json!({ "replace_all": true }));
    let after = place.text("a");
    assert_eq!(after, before.replace("foo", "B\nR"));
    agrees(&reply, &after);
    assert!(
        reply.text().contains("lines 2 (now 2-4)"),
        "{}",
        reply.text()
    );
    assert_eq!(numbered(&reply)[..2], [(5, "3"), (6, "B")]);
    let data = reply.data();
    assert_eq!((&data["added"], &data["removed"]), (&json!(5), &json!(2)));
    assert_eq!(data["coarse"], true);
}

#[test]
fn a_context_line_is_shown_whole_or_not_at_all() {
    let place = TestProject::new();
    let long = "-".repeat(40_000);
    let before = large(&format!("{long}\n{long}\nfoo\n{long}\n{long}\n"), "");
    place.put("a", &before);
    let reply = edit(&place, "a", "foo", "BAR", json!({}));
    makes(&reply, &before, &place.text("a"));
}

#[test]
fn a_joined_line_is_told_in_a_large_file_too() {
    let place = TestProject::new();
    place.put("a", large("one\ntwo\n", ""));
    let reply = edit(&place, "a", "one\n", "1 ", json!({}));
    assert!(place.text("a").starts_with("1 two\n"));
    assert!(
        reply.text().contains("the next line was joined"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_person_hears_that_more_places_follow() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let place = TestProject::with(|builder| {
        builder
            .mode(Mode::Ask)
            .approver(move |question: &Question| {
                heard.lock().expect("free").push(question.clone());
                Answer::Yes
            })
    });
    place.put("a", large(&"foo\n".repeat(30), ""));
    edit(&place, "a", "foo", "BAR", json!({ "replace_all": true }));
    let asked = asked.lock().expect("free");
    let notices = asked[0].files[0].notices.join("\n");
    assert!(notices.contains("10 further places"), "{notices}");
}

#[test]
fn a_person_hears_that_a_diff_is_too_long_to_show() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&asked);
    let place = TestProject::with(|builder| {
        builder
            .mode(Mode::Ask)
            .approver(move |question: &Question| {
                heard.lock().expect("free").push(question.clone());
                Answer::Yes
            })
    });
    let content = "one line of many\n".repeat(180_000);
    let arguments = json!({ "file_path": place.path("a"), "content": content });
    call(&place, "Write", arguments);
    let asked = asked.lock().expect("free");
    let notices = asked[0].files[0].notices.join("\n");
    assert!(notices.contains("too long to show"), "{notices}");
}

#[test]
fn edits_of_a_new_file_are_told_as_they_were_matched() {
    let place = TestProject::new();
    let edit = |old: &str, new: &str, all: bool| json!({ "old_string": old, "new_string": new, "replace_all": all });
    let edits = json!([
        edit("", "fn main() {  \r\n    let a = 1;\r\n}\r\n", false),
        edit(
            "fn main() {\n    let a = 1;\n",
            "fn main() {\n    let a = 2;\n    a + a\n",
            false
        ),
        edit("a", "b", true),
    ]);
    let arguments = json!({ "file_path": place.path("new"), "edits": edits });
    let reply = call(&place, "MultiEdit", arguments);
    assert_eq!(
        place.text("new"),
        "fn mbin() {  \r\n    let b = 2;\r\n    b + b\r\n}\r\n"
    );
    let file = &reply.data()["files"][0];
    assert_eq!(file["rungs"], json!(["exact", "trailing", "exact"]));
    assert_eq!(file["matched"], "trailing");
    assert_eq!(file["replacements"], 6);
    assert!(reply.text().contains("`trailing`"), "{}", reply.text());
}

#[test]
fn lines_behind_the_end_of_an_answer_are_not_taken_for_seen() {
    let place = TestProject::with(|builder| builder.answer_limit(30_000));
    let folder = "a_folder_with_a_long_name_".repeat(7);
    std::fs::create_dir(place.path(&folder)).expect("a folder");
    let names: Vec<String> = (0..99).map(|at| format!("{folder}/{at}.txt")).collect();
    let mut edits = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let lines: String = (1..=9).map(|line| format!("{at} line {line}\n")).collect();
        place.put(name, &lines);
        let path = place.path(name);
        call(
            &place,
            "Read",
            json!({ "file_path": path, "offset": 5, "limit": 1 }),
        );
        edits.push(json!({ "file_path": path, "old_string": "line 5", "new_string": "changed" }));
    }
    let reply = call(&place, "MultiEdit", json!({ "edits": edits }));
    let answer = reply.text();
    assert!(answer.contains("the answer ends here"), "{answer}");
    let mut shown = 0;
    for (at, name) in names.iter().enumerate() {
        let line = format!("{at} line 4");
        let arguments =
            json!({ "file_path": place.path(name), "old_string": line, "new_string": "x" });
        let next = place.session.call(RawCall::new("Edit", arguments));
        let is_shown = answer.contains(&format!("→{line}\n"));
        assert_eq!(!next.is_error(), is_shown, "{name}: {}", next.text());
        shown += usize::from(is_shown);
    }
    assert!((1..names.len()).contains(&shown), "{shown}");
}

#[test]
fn a_large_file_is_refused_with_the_same_data_as_a_small_one() {
    let place = TestProject::new();
    let head = "one\ntwo two\n";
    place.put("small", head);
    place.put("large", format!("{head}{}", large("", "")));
    let fields = |reply: &Reply| -> Vec<String> {
        let data = reply.data();
        let names = data.as_object().into_iter().flat_map(|data| data.keys());
        names.cloned().collect()
    };
    for (old, new, more) in [
        ("one", "one", json!({})),
        ("absent", "x", json!({})),
        ("two", "x", json!({})),
        (
            "two",
            "x",
            json!({ "replace_all": true, "expect_count": 3 }),
        ),
        ("one", "\0", json!({})),
        ("", "x", json!({})),
    ] {
        let small = try_edit(&place, "small", old, new, more.clone());
        let large = try_edit(&place, "large", old, new, more);
        assert!(small.is_error(), "{old:?}: {}", small.text());
        assert_eq!(
            (small.refusal(), fields(&small)),
            (large.refusal(), fields(&large)),
            "{old:?}: {}",
            large.text()
        );
    }
}

#[test]
fn the_outputs_of_a_first_cell_are_cut_to_the_answer() {
    let few = lancet_testing::settings("read.max_chars = 20000");
    let place = TestProject::with(|builder| builder.settings(few));
    let output = json!({ "output_type": "stream", "name": "stdout", "text": "x".repeat(1_900) });
    let cell = json!({
        "cell_type": "code", "id": "a", "execution_count": 1, "metadata": {}, "source": "run()",
        "outputs": vec![output; 49],
    });
    let notebook = json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    place.put("a.ipynb", notebook.to_string());
    let arguments = json!({ "file_path": place.path("a.ipynb"), "limit": 1 });
    let text = call(&place, "Read", arguments).text().to_owned();
    let shown = text.matches("<output").count();
    assert!((1..49).contains(&shown), "{shown} of 49");
    let left = format!("{} outputs more not shown", 49 - shown);
    assert!(text.contains(&left), "{}", &text[text.len() - 400..]);
    assert!(text.len() < 22_000, "{} bytes", text.len());
}
