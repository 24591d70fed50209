//! The calls that a refusal names (`error.next`), sent as they are in the same session, are never refused, and each of
//! them changes at most what the refused call named. Reads succeed.

use std::path::PathBuf;

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
