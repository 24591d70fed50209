//! Lines by number: whatever a session does between two calls, and whatever others do, a call replaces the lines that
//! were shown with its numbers, or nothing.

use std::cell::Cell;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use lancet::request::{EditRequest, FileRequest, LineRange, Place, Request};
use lancet::tools::{Declaration, HostTool, Proposal};
use lancet::{Lancet, Mode, Refusal, Reply, Session, SessionName};
use lancet_testing::project::{TestProject, call};
use lancet_testing::{TestFolder, laws, settings};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

/// A line with an identity, because two lines may have the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    id: usize,
    text: String,
}

/// A step of a conversation. Places are taken modulo what is there.
#[derive(Clone, Debug)]
enum Step {
    /// Reads a page.
    Read { first: usize, count: usize },
    /// Edits by text: new lines are inserted at some places, and lines whose text occurs once are removed.
    Edit(Vec<Deed>),
    /// The same done by another program.
    Foreign(Vec<Deed>),
    /// Replaces lines by numbers that were shown.
    Replace {
        first: usize,
        count: usize,
        new: usize,
    },
    /// Moves lines by numbers that were shown to the end of the file.
    Move { first: usize, count: usize },
    /// The server is started again.
    Restart,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Insert { at: usize, count: usize },
    Remove { at: usize },
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let deed = prop_oneof![
        3 => (0..40_usize, 1..3_usize).prop_map(|(at, count)| Deed::Insert { at, count }),
        1 => (0..40_usize).prop_map(|at| Deed::Remove { at }),
    ];
    prop::collection::vec(deed, 1..3)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..40_usize, 1..12_usize).prop_map(|(first, count)| Step::Read { first, count }),
        4 => deeds().prop_map(Step::Edit),
        1 => deeds().prop_map(Step::Foreign),
        6 => (0..40_usize, 1..4_usize, 0..3_usize)
            .prop_map(|(first, count, new)| Step::Replace { first, count, new }),
        1 => (0..40_usize, 1..3_usize).prop_map(|(first, count)| Step::Move { first, count }),
        1 => Just(Step::Restart),
    ]
}

/// Counts how often the cases worth testing occurred.
#[derive(Default)]
struct Tally {
    moved_along: Cell<usize>,
    ambiguous: Cell<usize>,
    after_foreign: Cell<usize>,
}

fn count(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

/// A conversation, with what its model remembers.
struct Conversation<'t> {
    folder: TestFolder,
    session: Session,
    lines: Vec<Line>,
    next: usize,
    /// The line that was last shown with each number, from 1.
    shown: Vec<Option<Line>>,
    /// Whether the session has yet to learn of another program's change.
    is_stale: bool,
    tally: &'t Tally,
}

impl<'t> Conversation<'t> {
    fn begin(texts: &[&str], tally: &'t Tally) -> Self {
        let folder = TestFolder::new();
        let lines: Vec<Line> = texts
            .iter()
            .enumerate()
            .map(|(id, text)| Line {
                id,
                text: (*text).to_owned(),
            })
            .collect();
        folder.put("root/a.txt", joined(&lines));
        let mut conversation = Conversation {
            session: open(&folder),
            folder,
            next: lines.len(),
            lines,
            shown: Vec::new(),
            is_stale: false,
            tally,
        };
        conversation.read(0, 1_000);
        conversation
    }

    fn path(&self) -> PathBuf {
        self.folder.join("root/a.txt")
    }

    fn read(&mut self, first: usize, count: usize) {
        let arguments =
            json!({ "file_path": self.path(), "offset": first + 1, "limit": count, "force": true });
        let reply = call(&self.session, "Read", arguments);
        assert!(!reply.is_error(), "{}", reply.text());
        if self.is_stale {
            // Only what is read now is known of the new version.
            self.shown.clear();
            self.is_stale = false;
        }
        self.remember(&reply);
    }

    /// Remembers the numbered lines of an answer, which must be those of the file.
    fn remember(&mut self, reply: &Reply) {
        for line in reply.text().lines() {
            let Some((number, text)) = line.split_once('→') else {
                continue;
            };
            let number: usize = number.parse().expect("a number");
            let there = self.lines.get(number - 1).expect("a line");
            assert_eq!(there.text, text, "line {number}");
            if self.shown.len() < number {
                self.shown.resize(number, None);
            }
            self.shown[number - 1] = Some(there.clone());
        }
        self.forget_what_went();
    }

    /// Forgets lines that are gone, because a model does not request lines that it knows to be gone.
    fn forget_what_went(&mut self) {
        for shown in &mut self.shown {
            let is_there = |line: &Line| self.lines.iter().any(|other| other.id == line.id);
            if !shown.as_ref().is_some_and(is_there) {
                *shown = None;
            }
        }
    }

    fn fresh(&mut self, count: usize) -> Vec<Line> {
        let ids = self.next..self.next + count;
        self.next = ids.end;
        ids.map(|id| Line {
            id,
            text: format!("new {id}"),
        })
        .collect()
    }

    /// Returns the lines after some deeds. What is inserted or removed occurs once, so that every diff is the same.
    fn changed(&mut self, deeds: &[Deed]) -> Vec<Line> {
        let mut lines = self.lines.clone();
        for deed in deeds {
            match *deed {
                Deed::Insert { at, count } => {
                    let at = at % (lines.len() + 1);
                    lines.splice(at..at, self.fresh(count));
                }
                Deed::Remove { at } => {
                    let at = at % lines.len().max(1);
                    let once = |line: &Line| {
                        lines.iter().filter(|other| other.text == line.text).count() == 1
                    };
                    if lines.get(at).is_some_and(once) && lines.len() > 1 {
                        lines.remove(at);
                    }
                }
            }
        }
        lines
    }

    fn edit(&mut self, deeds: &[Deed]) {
        let lines = self.changed(deeds);
        if lines == self.lines {
            return;
        }
        let arguments = json!({
            "file_path": self.path(), "old_string": joined(&self.lines), "new_string": joined(&lines),
        });
        let reply = call(&self.session, "Edit", arguments);
        self.take(&reply, lines);
    }

    /// Records the answer to a call that was to leave these lines.
    fn take(&mut self, reply: &Reply, meant: Vec<Line>) {
        let now = fs::read_to_string(self.path()).expect("a text");
        if reply.is_error() {
            assert_eq!(now, joined(&self.lines), "a refused call: {}", reply.text());
            if name(reply) == "stale" && reply.text().contains("counts as seen") {
                self.is_stale = false;
                self.forget_what_went();
            }
            return;
        }
        assert!(
            !self.is_stale,
            "a version that was not shown is not changed"
        );
        assert_eq!(now, joined(&meant), "{}", reply.text());
        self.lines = meant;
        self.remember(reply);
    }

    /// Returns consecutive numbers from `first` on and the lines that were shown with them.
    fn numbers(&self, first: usize, count: usize) -> Option<(Range<usize>, Vec<Line>)> {
        let start = first % self.shown.len().max(1);
        let shown = self.shown.get(start..)?.iter().take(count);
        let lines: Vec<Line> = shown.map_while(Clone::clone).collect();
        (!lines.is_empty()).then(|| (start..start + lines.len(), lines))
    }

    /// Returns the position of the block that a call names by its first and its last line, if it still has as many
    /// lines.
    fn standing(&self, lines: &[Line]) -> Option<Range<usize>> {
        let position = |line: &Line| self.lines.iter().position(|other| other.id == line.id);
        let (first, last) = (position(lines.first()?)?, position(lines.last()?)?);
        (last + 1 == first + lines.len()).then_some(first..last + 1)
    }

    fn expect(lines: &[Line]) -> Value {
        json!([lines[0].text, lines[lines.len() - 1].text])
    }

    fn replace(&mut self, first: usize, count_of: usize, new: usize) {
        let Some((numbers, lines)) = self.numbers(first, count_of) else {
            return;
        };
        let fresh = self.fresh(new);
        let arguments = json!({
            "file_path": self.path(), "start_line": numbers.start + 1, "end_line": numbers.end,
            "expect": Self::expect(&lines), "content": joined(&fresh),
        });
        let was_stale = self.is_stale;
        let mut reply = call(&self.session, "ReplaceLines", arguments.clone());
        if was_stale && name(&reply) == "stale" {
            self.take(&reply, Vec::new());
            if self.is_stale || self.standing(&lines).is_none() {
                return;
            }
            // The change was shown, and the lines are still there: the model sends the call again.
            count(&self.tally.after_foreign);
            reply = call(&self.session, "ReplaceLines", arguments);
        }
        let Some(standing) = self.standing(&lines) else {
            assert!(
                reply.is_error(),
                "the lines are no longer together: {}",
                reply.text()
            );
            self.take(&reply, Vec::new());
            return;
        };
        match name(&reply) {
            "" if standing != numbers => count(&self.tally.moved_along),
            "ambiguous" => count(&self.tally.ambiguous),
            _ => {}
        }
        let mut meant = self.lines.clone();
        meant.splice(standing, fresh);
        self.take(&reply, meant);
    }

    fn move_to_the_end(&mut self, first: usize, count: usize) {
        let Some((numbers, lines)) = self.numbers(first, count) else {
            return;
        };
        let Some(marker) = self.lines.last().cloned() else {
            return;
        };
        let arguments = json!({
            "from_path": self.path(), "start_line": numbers.start + 1, "end_line": numbers.end,
            "expect": Self::expect(&lines), "to_path": self.path(), "marker": marker.text,
        });
        let reply = call(&self.session, "MoveLines", arguments);
        let Some(standing) = self.standing(&lines) else {
            assert!(
                reply.is_error(),
                "the lines are no longer together: {}",
                reply.text()
            );
            self.take(&reply, Vec::new());
            return;
        };
        let mut meant = self.lines.clone();
        // The model knows that it moved the lines, and requests none of them by its old number.
        let mut moved: Vec<Line> = meant.drain(standing).collect();
        for (line, fresh) in moved.iter_mut().zip(self.fresh(lines.len())) {
            line.id = fresh.id;
        }
        meant.extend(moved);
        self.take(&reply, meant);
    }

    fn take_step(&mut self, step: &Step) {
        match step {
            Step::Read { first, count } => self.read(first % self.lines.len().max(1), *count),
            Step::Edit(deeds) => self.edit(deeds),
            Step::Foreign(deeds) => {
                let lines = self.changed(deeds);
                if lines != self.lines {
                    self.lines = lines;
                    fs::write(self.path(), joined(&self.lines)).expect("written");
                    self.is_stale = true;
                }
            }
            Step::Replace { first, count, new } => self.replace(*first, *count, *new),
            Step::Move { first, count } => self.move_to_the_end(*first, *count),
            Step::Restart => self.session = open(&self.folder),
        }
    }
}

fn open(folder: &TestFolder) -> Session {
    let lancet = Lancet::builder()
        .root(folder.join("root"))
        .state_dir(folder.join("state"))
        .settings(settings("tools = \"all\"\n"))
        .mode(Mode::AcceptEdits)
        .open()
        .expect("opened");
    lancet.session(&SessionName::new("conversation").expect("a name"))
}

fn joined(lines: &[Line]) -> String {
    lines
        .iter()
        .map(|line| format!("{}\n", line.text))
        .collect()
}

/// Returns the name of a refusal; empty for an answer.
fn name(reply: &Reply) -> &str {
    reply.data()["error"]["name"].as_str().unwrap_or_default()
}

#[test]
fn no_line_but_the_meant_ones_is_ever_replaced() {
    let tally = Tally::default();
    let texts = prop::collection::vec(prop::sample::select(vec!["{", "}", "a"]), 12..30);
    let steps = prop::collection::vec(step(), 1..14);
    let mut runner = TestRunner::new(laws::costly());
    let held = runner.run(&(texts, steps), |(texts, steps)| {
        let mut conversation = Conversation::begin(&texts, &tally);
        for step in &steps {
            conversation.take_step(step);
        }
        Ok(())
    });
    held.unwrap_or_else(|wrong| panic!("{wrong}"));
    for (what, counted) in [
        ("numbers moved along", &tally.moved_along),
        ("two readings", &tally.ambiguous),
        (
            "a call sent again after a foreign change",
            &tally.after_foreign,
        ),
    ] {
        assert!(counted.get() > 0, "{what} never came up");
    }
}

/// Makes a project with one file of numbered lines that was read.
fn numbered(lines: usize) -> (TestProject, PathBuf) {
    let project =
        TestProject::with_history(|builder| builder.settings(settings("tools = \"all\"\n")));
    let text: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    let path = project.put("a.txt", text);
    assert!(!project.read(&path).is_error());
    (project, path)
}

#[test]
fn numbers_go_back_with_an_undo() {
    let (project, path) = numbered(30);
    let delete = |line: usize, text: &str| {
        let arguments = json!({
            "file_path": path, "start_line": line, "end_line": line, "expect": [text, text],
        });
        project.call("DeleteLines", arguments)
    };
    assert!(!project.edit(&path, "line 4\n", "line 4\nx\ny\n").is_error());
    assert!(!project.call("Undo", json!({})).is_error());
    let reply = delete(20, "line 20");
    assert!(!reply.is_error(), "{}", reply.text());
    assert!(!project.text("a.txt").contains("line 20\n"));
    assert!(!reply.text().contains("is now line"), "{}", reply.text());
}

/// Proposes edits of whole lines of a file, in one request.
struct Proposes(PathBuf);

impl HostTool for Proposes {
    fn declaration(&self) -> Declaration {
        let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        Declaration::new("Propose", "Changes lines.", schema)
    }

    fn propose(&self, _: &Session, _: &Value) -> Result<Proposal, Refusal> {
        let at = |place: Place, old: &str, new: &str| {
            let mut edit = EditRequest::new(old, new);
            edit.place = place;
            edit
        };
        let fifth = ["line 5".to_owned(), "line 5".to_owned()];
        let edits = vec![
            at(Place::After, "line 2", "a\nb"),
            // The number is that of the file as it was shown.
            at(Place::Lines(LineRange::new(5, 5, fifth)), "", "five"),
            at(Place::Before, "line 9", "c"),
            at(Place::AfterLine(0), "", "top"),
        ];
        let file = FileRequest::edit(self.0.to_string_lossy(), edits);
        Ok(Proposal::Change(Request::new(vec![file])))
    }
}

#[test]
fn several_places_of_whole_lines_in_one_request() {
    let project = TestProject::inside(TestFolder::new(), |builder, around| {
        builder.tool(Proposes(around.join("root/a.txt")))
    });
    let text: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let path = project.put("a.txt", text);
    assert!(!project.read(&path).is_error());
    let reply = project.call("Propose", json!({}));
    assert!(!reply.is_error(), "{}", reply.text());
    assert_eq!(
        project.text("a.txt"),
        "top\nline 1\nline 2\na\nb\nline 3\nline 4\nfive\nline 6\nline 7\nline 8\nc\nline 9\n"
    );
}

#[test]
fn lines_with_bytes_that_are_no_text_stay() {
    let (project, _) = numbered(1);
    let bytes = b"\xC3\xA9\xC3\xA9\xC3\xA9\nbad \xFF\nlast\n";
    let path = project.put("bad.txt", bytes);
    assert!(!project.read(&path).is_error());
    let arguments = json!({
        "file_path": path, "start_line": 1, "end_line": 2, "expect": ["ééé", "bad \u{fffd}"],
    });
    let reply = project.call("DeleteLines", arguments);
    assert_eq!(name(&reply), "not_found", "{}", reply.text());
    assert_eq!(fs::read(&path).expect("bytes"), bytes);
}

#[test]
fn a_large_file_has_lines_too() {
    let (project, _) = numbered(1);
    let text: String = (1..=2_400_000)
        .map(|line| format!("line {line:08}\r\n"))
        .collect();
    let path = project.put("large.txt", &text);
    assert!(text.len() > 32 << 20, "larger than what is held");
    let page = json!({ "file_path": path, "offset": 1_000_000, "limit": 20 });
    assert!(!project.call("Read", page).is_error());
    let line = |number: usize| format!("line {number:08}");
    let replace = json!({
        "file_path": path, "start_line": 1_000_002, "end_line": 1_000_003,
        "expect": [line(1_000_002), line(1_000_003)], "content": "x\ny\nz",
    });
    let reply = project.call("ReplaceLines", replace);
    assert!(!reply.is_error(), "{}", reply.text());
    let insert = json!({ "file_path": path, "marker": "z", "content": "after" });
    let reply = project.call("InsertAfter", insert);
    assert!(!reply.is_error(), "{}", reply.text());
    let shift = json!({
        "from_path": path, "start_line": 1_000_010, "end_line": 1_000_010,
        "expect": [line(1_000_010), line(1_000_010)], "to_path": path, "marker": line(1_000_004),
    });
    let reply = project.call("MoveLines", shift);
    assert!(!reply.is_error(), "{}", reply.text());
    let wanted = text
        .replace(
            &format!("{}\r\n{}\r\n", line(1_000_002), line(1_000_003)),
            "x\r\ny\r\nz\r\nafter\r\n",
        )
        .replace(&format!("{}\r\n", line(1_000_010)), "")
        .replace(
            &format!("{}\r\n", line(1_000_004)),
            &format!("{}\r\n{}\r\n", line(1_000_004), line(1_000_010)),
        );
    assert!(
        project.text("large.txt") == wanted,
        "the lines that were meant"
    );
}
