//! The calls that a refusal names (`error.next`), sent as they are in the same session, are never refused, and each of
//! them changes at most what the refused call named. Reads succeed.

use std::path::PathBuf;

use lancet::dialects::ResponseOptions;
use lancet::{RefusalKind, Reply};
use lancet_testing::{TestProject, laws};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Lines that occur several times in a file, differ slightly, or contain what is refused in new text.
const LINES: &[&str] = &[
    "fn a() {",
    "    let x = 1;",
    "\tlet x = 1;",
    "    let x = 1; ",
    "    call(\u{2018}x\u{2019});",
    "    call('x');",
    "}",
    "",
    "// ... rest of the file unchanged",
];

/// A change of the file between the Read and the Edit.
#[derive(Clone, Copy, Debug)]
enum Before {
    Read,
    ReadSomeLines,
    Nothing,
    ChangedSinceRead,
    RemovedSinceRead,
}

#[derive(Clone, Debug)]
struct Case {
    lines: Vec<&'static str>,
    before: Before,
    /// The lines of the old text, and how they differ.
    first: usize,
    count: usize,
    damage: Damage,
    new: String,
    replace_all: bool,
}

#[derive(Clone, Copy, Debug)]
enum Damage {
    None,
    LineNumbers,
    OtherIndentation,
    OtherWord,
    NameMisspelt,
}

fn cases() -> impl Strategy<Value = Case> {
    let line = || prop::sample::select(LINES);
    let before = prop_oneof![
        4 => Just(Before::Read),
        2 => Just(Before::ReadSomeLines),
        1 => Just(Before::Nothing),
        1 => Just(Before::ChangedSinceRead),
        1 => Just(Before::RemovedSinceRead),
    ];
    let damage = prop_oneof![
        2 => Just(Damage::None),
        1 => Just(Damage::LineNumbers),
        1 => Just(Damage::OtherIndentation),
        2 => Just(Damage::OtherWord),
        1 => Just(Damage::NameMisspelt),
    ];
    let new = prop::collection::vec(line(), 0..4).prop_map(|lines| lines.join("\n"));
    let shape = (0..12_usize, 1..4_usize, prop::bool::weighted(0.1));
    let lines = prop::collection::vec(line(), 1..12);
    (lines, before, damage, new, shape).prop_map(
        |(lines, before, damage, new, (first, count, replace_all))| Case {
            first: first % lines.len(),
            lines,
            before,
            damage,
            new,
            count,
            replace_all,
        },
    )
}

impl Case {
    fn old(&self) -> String {
        let chosen = self.lines.iter().skip(self.first).take(self.count);
        let spoilt = chosen.enumerate().map(|(at, line)| match self.damage {
            Damage::None | Damage::NameMisspelt => (*line).to_owned(),
            Damage::LineNumbers => format!("{}\u{2192}{line}", self.first + at + 1),
            Damage::OtherIndentation => format!("  {line}"),
            Damage::OtherWord => line.replacen("x", "why", 1),
        });
        spoilt.collect::<Vec<_>>().join("\n")
    }

    /// Returns whether the first or the last line of the old text is blank.
    fn has_blank_edge(&self) -> bool {
        let end = self.lines.len().min(self.first + self.count);
        let edges = [self.lines[self.first], self.lines[end - 1]];
        edges.iter().any(|line| line.trim().is_empty())
    }

    /// Makes the file and the call. The same case gives the same reply each time.
    fn send(&self) -> (TestProject, Reply) {
        let project = TestProject::with_history(|builder| builder);
        let text = self.lines.join("\n") + "\n";
        let path = project.put("src/lib.rs", &text);
        match self.before {
            Before::Nothing => {}
            Before::ReadSomeLines => {
                let lines = json!({ "file_path": path, "offset": self.first + 1, "limit": 1 });
                assert!(!project.call("Read", lines).is_error());
            }
            Before::Read | Before::ChangedSinceRead | Before::RemovedSinceRead => {
                assert!(!project.read(&path).is_error());
            }
        }
        match self.before {
            Before::ChangedSinceRead => {
                project.put("src/lib.rs", format!("// first\n{text}"));
            }
            Before::RemovedSinceRead => std::fs::remove_file(&path).expect("removed"),
            Before::Nothing | Before::Read | Before::ReadSomeLines => {}
        }
        let called: PathBuf = match self.damage {
            Damage::NameMisspelt => path.with_file_name("libs.rs"),
            _ => path,
        };
        let mut arguments =
            json!({ "file_path": called, "old_string": self.old(), "new_string": self.new });
        if self.replace_all {
            arguments["replace_all"] = json!(true);
        }
        let reply = project.call("Edit", arguments);
        (project, reply)
    }
}

/// Returns the lines of a text, except blank ones, that are in neither of two others.
fn foreign_lines(text: &str, known: &str, new: &str) -> Vec<String> {
    let bare = |line: &str| {
        line.replace(['\u{2018}', '\u{2019}'], "'")
            .trim()
            .to_owned()
    };
    let known: Vec<String> = known.lines().chain(new.lines()).map(bare).collect();
    let lines = text.lines().map(bare);
    lines
        .filter(|line| !line.is_empty() && !known.contains(line))
        .collect()
}

proptest! {
    #![proptest_config(laws::costly())]

    #[test]
    fn a_call_that_a_refusal_names_is_not_refused(case in cases()) {
        let (_project, refused) = case.send();
        for at in 0..refused.next_calls().len() {
            let (project, reply) = case.send();
            let call = &reply.next_calls()[at];
            for never in ["insist", "mode", "content"] {
                prop_assert!(call.arguments.get(never).is_none(), "{call:?}");
            }
            let may_replace_all = case.replace_all && reply.refusal() != Some(RefusalKind::Ambiguous);
            prop_assert!(may_replace_all || call.arguments.get("replace_all").is_none(), "{call:?}");
            let before = project.text_or_empty("src/lib.rs");
            let followed = project.call(&call.tool, call.arguments.clone());
            prop_assert!(
                !followed.is_error(),
                "{case:?}\nrefused: {}\nnext: {call:?}\nfollowed: {}", reply.text(), followed.text()
            );
            let after = project.text_or_empty("src/lib.rs");
            match call.tool.as_str() {
                "Read" => prop_assert_eq!(before, after),
                // Old text with a blank line at an edge may match inside lines, and joins the adjacent text to new text
                // without that line: the result then has lines of neither.
                "Edit" if case.has_blank_edge() => {}
                "Edit" => {
                    let foreign = foreign_lines(&after, &before, &case.new);
                    // A call without the line numbers that old and new text had writes the lines without them.
                    prop_assert!(foreign.is_empty(), "{foreign:?}\n{case:?}\n{call:?}");
                }
                tool => prop_assert!(false, "{tool}"),
            }
        }
    }
}

#[test]
fn what_must_be_read_first_is_named_as_a_read() {
    let project = TestProject::new();
    let path = project.put("a.txt", "one\ntwo\n");
    let refused = project.edit(&path, "one", "1");
    assert_eq!(refused.refusal(), Some(RefusalKind::NotRead));
    let [read] = refused.next_calls() else {
        panic!("{:?}", refused.next_calls());
    };
    assert_eq!(read.tool, "Read");
    assert_eq!(read.arguments["file_path"], json!(path));
    assert!(!project.call("Read", read.arguments.clone()).is_error());
    assert!(!project.edit(&path, "one", "1").is_error());
}

#[test]
fn each_place_of_an_ambiguous_text_has_its_call() {
    let project = TestProject::new();
    let path = project.put("a.txt", "a\nx = 1\nb\nx = 1\n");
    assert!(!project.read(&path).is_error());
    let refused = project.edit(&path, "x = 1", "x = 2");
    assert_eq!(refused.refusal(), Some(RefusalKind::Ambiguous));
    let calls: Vec<Value> = refused
        .next_calls()
        .iter()
        .map(|call| call.arguments.clone())
        .collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(!project.call("Edit", calls[1].clone()).is_error());
    assert_eq!(project.text("a.txt"), "a\nx = 1\nb\nx = 2\n");
}

#[test]
fn a_denied_file_has_no_call() {
    let project = TestProject::with(|builder| builder.deny("Read(/secret/**)"));
    let path = project.put("secret/a.txt", "one\n");
    let refused = project.edit(&path, "one", "1");
    assert_eq!(refused.refusal(), Some(RefusalKind::Denied));
    assert!(refused.next_calls().is_empty());
}

fn apply(project: &TestProject, reply: &str) -> Reply {
    project
        .session
        .apply_response(reply, ResponseOptions::default())
}

/// Makes a SEARCH/REPLACE block.
fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n")
}

#[test]
fn a_reply_with_one_wrong_part_has_a_call_that_makes_all_its_changes() {
    let project = TestProject::new();
    let first = project.put("a.txt", "one\ntwo\nthree\n");
    let second = project.put("b.txt", "fn start() {\n    run(1);\n}\n");
    assert!(!project.read(&first).is_error() && !project.read(&second).is_error());
    let reply = [
        block("a.txt", "one", "uno"),
        block(
            "b.txt",
            "fn start() {\n    run(l);\n}",
            "fn start() {\n    run(2);\n}",
        ),
        block("a.txt", "three", "tres"),
    ];
    let refused = apply(&project, &reply.concat());
    assert_eq!(refused.refusal(), Some(RefusalKind::NotFound));
    let [call] = refused.next_calls() else {
        panic!("{:?}", refused.next_calls());
    };
    assert_eq!(call.tool, "MultiEdit");
    let followed = project.call(&call.tool, call.arguments.clone());
    assert!(!followed.is_error(), "{}", followed.text());
    assert_eq!(project.text("a.txt"), "uno\ntwo\ntres\n");
    assert_eq!(project.text("b.txt"), "fn start() {\n    run(2);\n}\n");
}

#[test]
fn a_reply_with_an_ambiguous_part_has_one_call_a_place() {
    let project = TestProject::new();
    let path = project.put("a.txt", "x\na\nx\nb\nlast\n");
    assert!(!project.read(&path).is_error());
    let reply = block("a.txt", "last", "end") + &block("a.txt", "x", "y");
    let refused = apply(&project, &reply);
    assert_eq!(refused.refusal(), Some(RefusalKind::Ambiguous));
    let [_, second] = refused.next_calls() else {
        panic!("{:?}", refused.next_calls());
    };
    let followed = project.call(&second.tool, second.arguments.clone());
    assert!(!followed.is_error(), "{second:?}\n{}", followed.text());
    assert_eq!(project.text("a.txt"), "x\na\ny\nb\nend\n");
}

#[test]
fn a_reply_that_also_creates_a_file_has_no_call() {
    let project = TestProject::new();
    let path = project.put("a.txt", "x\na\nx\n");
    assert!(!project.read(&path).is_error());
    let created = "new.txt\n<<<<<<< SEARCH\n=======\ntext\n>>>>>>> REPLACE\n\n";
    let reply = created.to_owned() + &block("a.txt", "x", "y");
    let refused = apply(&project, &reply);
    assert_eq!(refused.refusal(), Some(RefusalKind::Ambiguous));
    assert!(
        refused.next_calls().is_empty(),
        "{:?}",
        refused.next_calls()
    );
    assert_eq!(project.text_or_empty("new.txt"), "");
}

/// The parts of a reply: a file, the first line and the number of its lines, the damage, and the new text.
fn reply_parts() -> impl Strategy<Value = Vec<(bool, usize, usize, Damage, String)>> {
    let damage = prop_oneof![
        3 => Just(Damage::None),
        1 => Just(Damage::OtherIndentation),
        2 => Just(Damage::OtherWord),
    ];
    let line = || prop::sample::select(LINES);
    let new = prop::collection::vec(line(), 1..4).prop_map(|lines| lines.join("\n"));
    prop::collection::vec((any::<bool>(), 0..12_usize, 1..4_usize, damage, new), 1..4)
}

proptest! {
    #![proptest_config(laws::costly())]

    /// A call that is named for a reply with several parts is not refused, touches the files of the reply alone, and
    /// writes only lines that a file or the reply has.
    #[test]
    fn a_call_for_a_refused_reply_makes_its_changes(
        texts in prop::array::uniform2(prop::collection::vec(prop::sample::select(LINES), 1..12)),
        parts in reply_parts(),
    ) {
        let names = ["a.rs", "b.rs"];
        let send = || {
            let project = TestProject::with_history(|builder| builder);
            for (name, lines) in names.iter().zip(&texts) {
                let path = project.put(name, lines.join("\n") + "\n");
                assert!(!project.read(&path).is_error());
            }
            let blocks: Vec<String> = parts
                .iter()
                .map(|(which, first, count, damage, new)| {
                    let lines = &texts[usize::from(*which)];
                    let case = Case {
                        lines: lines.clone(),
                        before: Before::Read,
                        first: first % lines.len(),
                        count: *count,
                        damage: *damage,
                        new: String::new(),
                        replace_all: false,
                    };
                    block(names[usize::from(*which)], &case.old(), new)
                })
                .collect();
            let reply = apply(&project, &blocks.concat());
            (project, reply)
        };
        let (_project, refused) = send();
        let all_new = parts.iter().map(|part| part.4.as_str()).collect::<Vec<_>>().join("\n");
        for at in 0..refused.next_calls().len() {
            let (project, reply) = send();
            let call = &reply.next_calls()[at];
            prop_assert!(["Edit", "MultiEdit", "Read"].contains(&call.tool.as_str()), "{call:?}");
            let before = names.map(|name| project.text(name));
            let followed = project.call(&call.tool, call.arguments.clone());
            prop_assert!(!followed.is_error(), "{call:?}\n{}", followed.text());
            for ((name, before), which) in names.iter().zip(&before).zip([false, true]) {
                let after = project.text(name);
                if !parts.iter().any(|part| part.0 == which) {
                    prop_assert_eq!(before, &after);
                }
                let foreign = foreign_lines(&after, before, &all_new);
                prop_assert!(foreign.is_empty(), "{foreign:?}\n{call:?}");
            }
        }
    }
}
