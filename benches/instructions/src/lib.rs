//! The input of the instruction counts: files of a given size, a query for each rung of the matching ladder, an engine
//! on a temporary folder. It is created before the counting begins and is not measured.

use lancet::{Lancet, Mode, RawCall, Session};
use lancet_text::{Encoding, LineEnd, Rung, encode_new};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A megabyte.
pub const MEGABYTE: usize = 1_000_000;

/// The number of lines of the file that the tolerant rungs are measured on.
pub const RUNG_LINES: usize = 5_000;

/// The edited line in the middle of [`source`].
pub const LINE: &str = "    // the line that is edited says one";

/// The same line after the edit.
pub const LINE_AFTER: &str = "    // the line that is edited says two";

/// Returns source-like text of at least `size` bytes with [`LINE`] in the middle.
pub fn source(size: usize) -> String {
    let mut text = String::with_capacity(size + 200);
    let mut edited = false;
    for number in 0.. {
        if text.len() >= size {
            break;
        }
        if !edited && text.len() >= size / 2 {
            edited = true;
            text.push_str(LINE);
            text.push('\n');
        }
        text.push_str(&line(number));
    }
    text
}

fn line(number: usize) -> String {
    let factor = number * 7919 % 104_729;
    format!("    let value_{number} = compute(input[{number}], {factor}); // step {number}\n")
}

/// Returns [`source`] of a megabyte in an encoding and with a line end.
///
/// # Panics
/// Never: the text is plain ASCII.
pub fn encoded(label: &str, end: LineEnd) -> Vec<u8> {
    let encoding = Encoding::for_label(label).expect("a known label");
    encode_new(&source(MEGABYTE), encoding, end).expect("ASCII stands in every encoding")
}

/// A query to the matching ladder that one rung answers: the file, the old and the new text.
#[derive(Clone, Debug)]
pub struct Question {
    /// The rung that finds the old text.
    pub rung: Rung,
    /// The file's text.
    pub view: String,
    /// The text to find.
    pub old: String,
    /// The replacement text.
    pub new: String,
}

/// Returns the query that `rung` answers on a file of [`RUNG_LINES`] lines. The place is in the middle, so that neither
/// a search from the front nor one from the back is favoured.
pub fn question(rung: Rung) -> Question {
    let (place, old, new) = match rung {
        Rung::Exact => (
            "fn target() {\n    body();\n}\n",
            "    body();\n}",
            "    body(1);\n}",
        ),
        Rung::FinalNewline => return final_newline(),
        Rung::Gutter => (
            "fn target() {\n    body();\n}\n",
            "2501→fn target() {\n2502→    body();\n2503→}",
            "2501→fn target() {\n2502→    body(1);\n2503→}",
        ),
        Rung::LookAlike => (
            "    say(“hello – world”);\n",
            "    say(\"hello - world\");",
            "    say(\"hello - reader\");",
        ),
        Rung::Abbreviation => (
            "    <function_results>target</function_results>\n",
            "    <fnr>target</fnr>",
            "    <fnr>changed</fnr>",
        ),
        Rung::Trailing => (
            "fn target() {   \n    body();\t\n}\n",
            "fn target() {\n    body();\n}",
            "fn target() {\n    body(1);\n}",
        ),
        Rung::Indent => (
            "        fn target() {\n            body();\n        }\n",
            "fn target() {\n    body();\n}",
            "fn target() {\n    body(1);\n}",
        ),
        Rung::Tabs => (
            "\tfn target() {\n\t\tbody();\n\t}\n",
            "    fn target() {\n        body();\n    }",
            "    fn target() {\n        body(1);\n    }",
        ),
        Rung::BlankEdge => (
            "fn target() {\n    body();\n}\n",
            "\nfn target() {\n    body();\n}\n\n",
            "\nfn target() {\n    body(1);\n}\n\n",
        ),
        Rung::Escaped => (
            "    say(\"target\tof the edit\");\n",
            "    say(\\\"target\\tof the edit\\\");",
            "    say(\\\"target\\tof the change\\\");",
        ),
    };
    let mut view = String::new();
    for number in 0..RUNG_LINES {
        if number == RUNG_LINES / 2 {
            view.push_str(place);
        }
        view.push_str(&line(number));
    }
    Question {
        rung,
        view,
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

fn final_newline() -> Question {
    let mut view: String = (0..RUNG_LINES).map(line).collect();
    view.push_str("fn target() {}");
    Question {
        rung: Rung::FinalNewline,
        view,
        old: "fn target() {}\n".to_owned(),
        new: "fn changed() {}\n".to_owned(),
    }
}

/// An engine on a temporary folder, and one call for it.
pub struct Scene {
    /// The folder, which is removed with the scene.
    pub folder: TempDir,
    /// The session of the call.
    pub session: Session,
    /// The call that is measured.
    pub call: RawCall,
}

impl Scene {
    /// Creates a file of `size` bytes that was not read yet, and a Read of its first page.
    pub fn read(size: usize) -> Scene {
        Scene::with(size, |path| {
            RawCall::new("Read", json!({ "file_path": path }))
        })
    }

    /// Creates a file of `size` bytes whose middle was read, edited there and back, and one more Edit of that line:
    /// this is the cost of a call later in a conversation.
    ///
    /// # Panics
    /// A call before the measured one was refused.
    pub fn edit(size: usize) -> Scene {
        let edit = |path: &Value, old: &str, new: &str| {
            let arguments = json!({ "file_path": path, "old_string": old, "new_string": new });
            RawCall::new("Edit", arguments)
        };
        let scene = Scene::with(size, |path| edit(path, LINE, LINE_AFTER));
        let path = scene.call.arguments["file_path"].clone();
        let middle = source(size)
            .find(LINE)
            .map_or(0, |at| source(size)[..at].lines().count());
        let read =
            json!({ "file_path": path, "offset": middle.saturating_sub(5).max(1), "limit": 20 });
        let before = [
            RawCall::new("Read", read),
            edit(&path, LINE, LINE_AFTER),
            edit(&path, LINE_AFTER, LINE),
        ];
        for call in before {
            let reply = scene.session.call(call);
            assert!(!reply.is_error(), "{}", reply.text());
        }
        scene
    }

    fn with(size: usize, call: impl FnOnce(&Value) -> RawCall) -> Scene {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("a root");
        let path = root.join("file.rs");
        std::fs::write(&path, source(size)).expect("a file");
        let lancet = Lancet::builder()
            .root(&root)
            .state_dir(folder.path().join("state"))
            .mode(Mode::AcceptEdits)
            .open()
            .expect("an engine");
        Scene {
            session: lancet.new_session(),
            call: call(&json!(path)),
            folder,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lancet_text::{LeakPolicy, Occurrences, Query, TextKind, Tolerance, Verdict, find};

    #[test]
    fn every_question_is_answered_by_its_rung() {
        for rung in RUNGS {
            let question = question(rung);
            let verdict = find(&Query {
                view: &question.view,
                damaged: &[],
                old: &question.old,
                new: &question.new,
                occurrences: Occurrences::One,
                tolerance: Tolerance::Tolerant,
                abbreviations: &[],
                leaks: LeakPolicy::Refuse,
                text_kind: TextKind::Prose,
                bounds: None,
            });
            let Verdict::Found(found) = verdict else {
                panic!("{}: {verdict:?}", rung.name());
            };
            assert_eq!(found.rung, rung);
        }
    }

    #[test]
    fn the_measured_calls_go_through() {
        for scene in [Scene::read(10_000), Scene::edit(10_000)] {
            let reply = scene.session.call(scene.call);
            assert!(!reply.is_error(), "{}", reply.text());
        }
    }

    const RUNGS: [Rung; 10] = [
        Rung::Exact,
        Rung::FinalNewline,
        Rung::Gutter,
        Rung::LookAlike,
        Rung::Abbreviation,
        Rung::Trailing,
        Rung::Indent,
        Rung::Tabs,
        Rung::BlankEdge,
        Rung::Escaped,
    ];
}
