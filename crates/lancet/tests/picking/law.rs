//! The law: whatever is sent and whatever is picked, the file is the old one with exactly the picked hunks, byte for
//! byte.

use std::sync::{Arc, Mutex, OnceLock};

use lancet::Mode;
use lancet::approval::{Answer, FileQuestion, Pick};
use lancet_testing::project::call;
use lancet_testing::{TestProject, laws};
use proptest::prelude::*;
use serde_json::json;

use crate::answers::{Answers, project, read};

/// The form of a file: how its text is encoded as bytes.
#[derive(Clone, Copy, Debug)]
enum Form {
    Lf,
    Crlf,
    Utf8Bom,
    Utf16,
}

impl Form {
    /// Returns the bytes of one line, or of what comes before the first line.
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Form::Lf | Form::Utf8Bom => text.as_bytes().to_vec(),
            Form::Crlf => text.replace('\n', "\r\n").into_bytes(),
            Form::Utf16 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }

    fn mark(self) -> &'static [u8] {
        match self {
            Form::Lf | Form::Crlf => b"",
            Form::Utf8Bom => b"\xEF\xBB\xBF",
            Form::Utf16 => b"\xFE\xFF",
        }
    }

    fn file(self, text: &str) -> Vec<u8> {
        [self.mark().to_vec(), self.bytes(text)].concat()
    }
}

/// An operation on a line of the file.
#[derive(Clone, Debug)]
enum Deed {
    Replace(String),
    Remove,
    AddAfter(String),
}

/// How the change is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sent {
    Edits,
    Write,
}

/// The file of a question, and the pieces that are picked.
type Shown = (FileQuestion, Vec<usize>);

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        "[a-z€ä]{1,6}".prop_map(Deed::Replace),
        Just(Deed::Remove),
        "[a-z€ä]{1,6}(\n[a-z]{0,3}){0,2}".prop_map(Deed::AddAfter),
    ]
}

/// Applies the picked pieces of what the person was shown, as `patch` would.
fn patched(form: Form, old: &str, file: &FileQuestion, picked: &[usize]) -> Vec<u8> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let mut made = form.mark().to_vec();
    let mut at = 0;
    for piece in picked.iter().map(|at| &file.pieces[*at]) {
        let mut lines = piece.diff.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(header) = line.strip_prefix("@@ -") {
                let numbers: Vec<usize> = header
                    .split(' ')
                    .next()
                    .expect("old lines")
                    .split(',')
                    .map(|number| number.parse().expect("a number"))
                    .collect();
                let start = numbers[0] - usize::from(numbers[1] > 0);
                made.extend(old[at..start].iter().flat_map(|line| form.bytes(line)));
                at = start;
                continue;
            }
            let ended = lines.next_if(|next| next.starts_with('\\')).is_none();
            match line.split_at(1) {
                ("-", _) => at += 1,
                ("+", text) => {
                    let end = if ended { "\n" } else { "" };
                    made.extend(form.bytes(&format!("{text}{end}")));
                }
                _ => {
                    made.extend(form.bytes(old[at]));
                    at += 1;
                }
            }
        }
    }
    made.extend(old[at..].iter().flat_map(|line| form.bytes(line)));
    made
}

proptest! {
    // Each case is recorded in a history.
    #![proptest_config(laws::config_of(laws::limited(laws::cases(), 2_000)))]

    #[test]
    fn the_file_is_the_old_one_with_exactly_the_picked_hunks(
        form in prop_oneof![Just(Form::Lf), Just(Form::Crlf), Just(Form::Utf8Bom), Just(Form::Utf16)],
        sent in prop_oneof![Just(Sent::Edits), Just(Sent::Write)],
        count in 1usize..60,
        ended in any::<bool>(),
        deeds in prop::collection::btree_map(0usize..60, deed(), 1..8),
        mask in any::<u64>(),
    ) {
        let mut lines: Vec<String> = (0..count).map(|line| format!("line {line} ü.\n")).collect();
        if !ended && let Some(last) = lines.last_mut() {
            last.pop();
        }
        let old = lines.concat();
        // A file without a line end has no line-end style: a line end that is added is the one that was sent.
        let form = match form {
            Form::Crlf if !old.contains('\n') => Form::Lf,
            form => form,
        };
        let deeds: Vec<(usize, &Deed)> = deeds.iter().map(|(line, deed)| (line % count, deed)).collect();
        let mut new = lines.clone();
        let mut edits = Vec::new();
        // One engine serves all cases: to open one takes longer than the rest of a case.
        static PROJECT: OnceLock<(TestProject, Answers)> = OnceLock::new();
        let (project, answers) = PROJECT.get_or_init(|| project(Mode::Ask, |_| Answer::No(None)));
        for (line, deed) in &deeds {
            if new[*line] != lines[*line] {
                continue;
            }
            let (text, end) = match lines[*line].strip_suffix('\n') {
                Some(text) => (text, "\n"),
                None => (lines[*line].as_str(), ""),
            };
            new[*line] = match deed {
                Deed::Replace(new) => format!("{new}{end}"),
                Deed::Remove => String::new(),
                Deed::AddAfter(new) => format!("{text}\n{new}{end}"),
            };
            edits.push(json!({
                "file_path": project.path("a.txt"),
                "old_string": lines[*line],
                "new_string": new[*line],
            }));
        }
        let new = new.concat();
        prop_assume!(new != old && !old.is_empty());
        project.put("a.txt", form.file(&old));
        let session = project.lancet.new_session();
        read(project, &session, "a.txt");
        let shown: Arc<Mutex<Option<Shown>>> = Arc::default();
        let seen = Arc::clone(&shown);
        answers.set(move |question| {
            let file = question.files[0].clone();
            let picked: Vec<usize> = (0..file.pieces.len()).filter(|at| mask >> (at % 64) & 1 == 1).collect();
            *seen.lock().expect("free") = Some((file, picked.clone()));
            Answer::Picked { files: vec![Pick::Pieces(picked)], words: None }
        });
        let reply = match sent {
            Sent::Edits => call(&session, "MultiEdit", json!({ "edits": edits })),
            Sent::Write => {
                let write = json!({ "file_path": project.path("a.txt"), "content": new, "insist": true });
                call(&session, "Write", write)
            }
        };
        let shown = shown.lock().expect("free").clone();
        let Some((file, picked)) = shown else {
            // The call was refused before any prompt.
            prop_assert!(reply.is_error());
            prop_assert_eq!(project.bytes("a.txt"), form.file(&old));
            return Ok(());
        };
        prop_assert_eq!(reply.is_error(), picked.is_empty(), "{}", reply.text());
        prop_assert_eq!(project.bytes("a.txt"), patched(form, &old, &file, &picked), "{}", reply.text());
        if picked.len() == file.pieces.len() {
            prop_assert_eq!(project.bytes("a.txt"), form.file(&new));
        } else if !picked.is_empty() {
            prop_assert_eq!(&reply.data()["omitted"].as_array().map(Vec::len), &Some(1));
            // The session knows the present content.
            answers.set(|_| Answer::Yes);
            let undone = session.undo();
            prop_assert!(!undone.is_error(), "{}", undone.text());
            prop_assert_eq!(project.bytes("a.txt"), form.file(&old));
        }
    }
}
