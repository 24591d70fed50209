//! Names and texts of files arrive unchanged, whoever reads the answer: nothing rewrites them, whatever they look like,
//! and an offer in the text is the one in the data, byte for byte.

use std::path::Path;

use lancet::Session;
use lancet::doors::Audience;
use lancet_testing::project::{self, call, edit};
use lancet_testing::replies::{done, is_refused};
use lancet_testing::{TestFolder, TestProject, laws};
use proptest::prelude::*;
use serde_json::json;

/// Parts of names that also occur in the sentences of answers.
const IN_NAMES: &[&str] = &[
    "an operation log",
    "Undo of march",
    "old_string notes",
    "send the call again",
    "replace_all: true",
    "They say: ",
    "Call lancet ",
    "it's",
    "a \"b\"",
    "`c`",
    "two\nlines",
    "tab\t",
    "café ",
    "\u{2028}",
    "(end of part one)",
    "[lancet: ",
];

/// Lines of files that also occur in answers.
const LINES: &[&str] = &[
    "(end of part one)",
    "(end of --old)",
    "with this --new:",
    "use this --old:",
    "run the operation with old_string and replace_all",
    "send the call again",
    "Undo of operation 7",
    "  naïve\t`x`:",
    "}",
    "",
];

fn name() -> impl Strategy<Value = String> {
    let parts = prop::collection::vec(prop::sample::select(IN_NAMES), 1..4);
    parts.prop_map(|parts| format!("{}.txt", parts.concat()))
}

fn lines() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(prop::sample::select(LINES), 1..5);
    lines.prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    Model,
    Person,
}

impl Reader {
    /// Returns the word that this reader knows a field by.
    fn term<'t>(self, model: &'t str, person: &'t str) -> &'t str {
        match self {
            Reader::Model => model,
            Reader::Person => person,
        }
    }
}

/// Opens a project whose answers are worded for this reader.
fn project(reader: Reader) -> TestProject {
    TestProject::inside(TestFolder::new(), |builder, around| {
        let root = around.join("root");
        let builder = builder
            .state_dir(around.join("state"))
            .tools(["Read", "Edit", "Write", "Undo"])
            .deny("Edit(/denied/**)");
        match reader {
            Reader::Model => builder,
            Reader::Person => builder.audience(Audience::Shell { working: root }),
        }
    })
}

/// Returns the name of a file in a sentence.
fn name_in_sentence(project: &TestProject, path: &Path) -> String {
    let path = path.strip_prefix(&project.root).expect("below");
    let path = path.to_str().expect("UTF-8");
    let shown = path.chars().map(|one| match one {
        '\u{2028}' => "\\u{2028}".to_owned(),
        one if one.is_control() => one.escape_default().to_string(),
        one => one.to_string(),
    });
    shown.collect()
}

fn read(session: &Session, path: &Path) {
    done(&project::read(session, path));
}

/// Returns how an answer shows a text that is to be sent.
fn block(reader: Reader, text: &str, name: &str) -> String {
    if reader == Reader::Person {
        let lines = text.trim_end_matches('\n');
        let indented = lines.split('\n').map(|line| match line {
            "" => "\n".to_owned(),
            line => format!("    {line}\n"),
        });
        let indented: String = indented.collect();
        return match text.len() - lines.len() {
            0 => indented.trim_end_matches('\n').to_owned(),
            1 => format!("{indented}(it ends in a newline)"),
            newlines => format!("{indented}(it ends in {newlines} newlines)"),
        };
    }
    match text.len() - text.trim_end_matches('\n').len() {
        0 => format!("{text}\n(end of {name})"),
        1 => format!("{text}(end of {name}, which ends in a newline)"),
        newlines => format!("{text}(end of {name}, which ends in {newlines} newlines)"),
    }
}

/// Checks the refusals that begin with the file's name.
fn names_arrive((project, reader): (&TestProject, Reader), name: &str, text: &str) {
    let missing = call(
        &project.lancet.new_session(),
        "Read",
        json!({ "file_path": project.path(name) }),
    );
    is_refused(&missing, "missing");
    let named = name_in_sentence(project, &project.path(name));
    let sentence = match reader {
        Reader::Model => format!("{named} is not there."),
        Reader::Person => format!("No such file: {named}."),
    };
    assert!(missing.text().starts_with(&sentence), "{}", missing.text());

    let path = project.put(name, text);
    let session = project.lancet.new_session();
    let unread = edit(&session, &path, "nothing of it", "");
    is_refused(&unread, "not_read");
    let sentence = format!("{named} has not been read in this session. ");
    assert!(unread.text().starts_with(&sentence), "{}", unread.text());

    let create = json!({ "file_path": path, "content": "x", "mode": "create" });
    let exists = call(&session, "Write", create);
    is_refused(&exists, "exists");
    assert!(exists.text().starts_with(&named), "{}", exists.text());

    read(&session, &path);
    let found = edit(&session, &path, "qqq zzz", "");
    is_refused(&found, "not_found");
    let old = reader.term("old_string", "--old");
    let sentence = format!("{old} was not found in {named}.");
    assert!(found.text().starts_with(&sentence), "{}", found.text());

    let denied = project.put(format!("denied/{name}"), text);
    let answer = edit(&session, &denied, "a", "b");
    is_refused(&answer, "denied");
    let sentence = format!("A rule denies {}", name_in_sentence(project, &denied));
    assert!(answer.text().starts_with(&sentence), "{}", answer.text());

    std::fs::write(&path, format!("{text}another line\n")).expect("written");
    let stale = edit(&session, &path, "qqq zzz", "");
    is_refused(&stale, "stale");
    let diff = stale.data()["error"]["diff"].as_str().expect("a diff");
    let sentence = format!("{named} changed since it was read. ");
    assert!(stale.text().starts_with(&sentence), "{}", stale.text());
    assert!(
        stale.text().ends_with(diff.trim_end_matches('\n')),
        "{}",
        stale.text()
    );
}

/// Checks the offers for a text that occurs twice.
fn offers_are_exact((project, reader): (&TestProject, Reader), name: &str, text: &str, new: &str) {
    let content = format!("first\n{text}between\nsecond\n{text}last\n");
    let path = project.put(name, &content);
    let session = project.lancet.new_session();
    read(&session, &path);
    let reply = edit(&session, &path, text, new);
    is_refused(&reply, "ambiguous");
    let (old_name, new_name) = (
        reader.term("old_string", "--old"),
        reader.term("new_string", "--new"),
    );
    let sentence = format!(
        "{old_name} matches {} places in {}",
        reply.data()["error"]["count"],
        name_in_sentence(project, &path)
    );
    assert!(reply.text().starts_with(&sentence), "{}", reply.text());
    let send = reader.term("send", "use");
    for offer in reply.data()["error"]["places"].as_array().expect("places") {
        let (Some(old), Some(new)) = (offer["old_string"].as_str(), offer["new_string"].as_str())
        else {
            continue;
        };
        let shown = format!(
            ", {send} this {old_name}:\n{}\nwith this {new_name}:\n{}\n",
            block(reader, old, old_name),
            block(reader, new, new_name)
        );
        assert!(
            reply.text().contains(&shown),
            "{shown:?} in {:?}",
            reply.text()
        );
        std::fs::write(&path, &content).expect("written");
        let session = project.lancet.new_session();
        read(&session, &path);
        let answer = edit(&session, &path, old, new);
        assert!(!answer.is_error(), "{}", answer.text());
        let written = std::fs::read_to_string(&path).expect("read");
        assert_eq!(written, content.replacen(old, new, 1));
    }
}

/// Checks the hints of undo and redo, and the refusal where another program changed the file.
fn undo_is_named((project, reader): (&TestProject, Reader), name: &str, text: &str) {
    let content = format!("first\n{text}");
    let path = project.put(name, &content);
    let named = name_in_sentence(project, &path);
    let session = project.lancet.new_session();
    read(&session, &path);
    let changed = edit(&session, &path, "first\n", "1\n");
    let id = changed.data()["operation"]
        .as_str()
        .expect("an id")
        .to_owned();
    let undone = call(&session, "Undo", json!({}));
    assert!(!undone.is_error(), "{}", undone.text());
    let lead = reader.term("Undo of operation ", "Undid change ");
    assert!(
        undone.text().starts_with(&format!("{lead}{id}.\n")),
        "{}",
        undone.text()
    );
    edit(&session, &path, "first\n", "1\n");
    std::fs::write(&path, format!("other\n{text}")).expect("written");
    let conflict = call(&session, "Undo", json!({}));
    is_refused(&conflict, "conflict");
    let sentence =
        format!(" cannot be undone: {named} was changed afterwards. Nothing was changed. ");
    assert!(conflict.text().contains(&sentence), "{}", conflict.text());
}

#[test]
fn an_exact_edit_takes_few_bytes_beyond_its_lines() {
    let project = project(Reader::Model);
    let folders = "packages/storefront/src/components/checkout/payment";
    let text: String = (1..60).map(|line| format!("line {line}\n")).collect();
    let path = project.put(format!("{folders}/method_of_payment.txt"), &text);
    let session = project.lancet.new_session();
    read(&session, &path);
    let answer = edit(&session, &path, "line 20\n", "line twenty\n");
    assert!(!answer.is_error(), "{}", answer.text());
    let lines = answer.text().lines().filter(|line| line.contains('→'));
    let shown: usize = lines.map(|line| line.len() + 1).sum();
    assert!(answer.text().len() - shown <= 250, "{}", answer.text());
}

proptest! {
    #![proptest_config(laws::config_of(laws::limited(laws::cases(), 40)))]

    #[test]
    fn names_and_texts_arrive_byte_for_byte(name in name(), text in lines(), new in lines()) {
        for reader in [Reader::Model, Reader::Person] {
            names_arrive((&project(reader), reader), &name, &text);
            offers_are_exact((&project(reader), reader), &name, &format!("part\n{text}"), &new);
            undo_is_named((&project(reader), reader), &name, &text);
        }
    }
}
