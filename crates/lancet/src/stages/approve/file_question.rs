//! The parts of a question about its files: the change of each file, and notices that a person needs besides the diff.

use lancet_model::non_exhaustive::NonExhaustive;
use lancet_text::{Document, apply_raw};
use lancet_workspace::ExecutableChange;

use super::pieces::Pieces;
use super::reason::FileDecision;
use crate::approval::{FileQuestion, TOO_LONG_TO_SHOW};
use crate::message::message;
use crate::reason::Reason;
use crate::stages::context::CallContext;
use crate::stages::plan::{FilePlan, NewContent, Plan};

/// The longest text that a person is given to edit, in bytes.
const MAX_TEXT_LENGTH: usize = 4 << 20;

/// Returns the parts of the question about each file, in its order. Files that can only be changed together refer to
/// the first of them.
pub(super) fn file_questions(
    context: &CallContext<'_>,
    plan: &Plan,
    standings: &[FileDecision],
    order: &[usize],
    pieces: &[Pieces],
) -> Vec<FileQuestion> {
    let file_question = |&at: &usize| {
        let reason = standings[at].reason_to_ask();
        file_question(context, &plan.files[at], &pieces[at], reason)
    };
    let mut files: Vec<FileQuestion> = order.iter().map(file_question).collect();
    for group in &plan.origin.together {
        let mut places = (0..files.len()).filter(|place| group.contains(&order[*place]));
        let first = places.next();
        let others: Vec<usize> = places.collect();
        for place in others {
            files[place].goes_with = first;
        }
    }
    files
}

/// Builds the part of the question about one file.
fn file_question(
    context: &CallContext<'_>,
    file: &FilePlan,
    pieces: &Pieces,
    reason: Option<&Reason>,
) -> FileQuestion {
    FileQuestion {
        path: file.target.path().to_path_buf(),
        relative: file.target.located.relative().to_path_buf(),
        kind: file.kind(),
        base: file
            .expected
            .revision()
            .map(|revision| revision.short_hex().to_string()),
        moved_from: file.moved().map(|moved| moved.from.path().to_path_buf()),
        reason: reason.map(|reason| reason.words.clone()),
        rule: reason.and_then(|reason| reason.rule.clone()),
        protected: reason.is_some_and(|reason| reason.protected),
        goes_with: None,
        pieces: pieces.to_question_pieces(file),
        notices: notices(context, file),
        lines: (file.view.added, file.view.removed),
        // For a withheld file a person sees only the changed lines that they decide about, not the rest of the file.
        text: new_text_of(file).filter(|_| !file.is_withheld()),
        old_text: old_text_of(file).filter(|_| !file.is_withheld()),
        non_exhaustive: NonExhaustive,
    }
}

/// Lists what a person needs to know besides the diff.
fn notices(context: &CallContext<'_>, file: &FilePlan) -> Vec<String> {
    let mut notices = file.target.notices.clone();
    notices.extend_from_slice(&file.view.notices);
    match file.executable_change(None) {
        ExecutableChange::Keep => {}
        ExecutableChange::Yes => notices.push(message!("the file becomes executable")),
        ExecutableChange::No => notices.push(message!("the file is not executable any more")),
    }
    if file.view.patch.iter().any(|hunk| hunk.lines.is_empty()) {
        notices.push(message!("{}", TOO_LONG_TO_SHOW));
    }
    let audience = context.engine().audience();
    notices
        .iter()
        .map(|notice| notice.render(audience))
        .collect()
}

/// Returns the whole new text, for a person who edits it.
pub(super) fn new_text_of(file: &FilePlan) -> Option<String> {
    let whole;
    let bytes = match (&file.new, &file.base) {
        (NewContent::Whole(bytes), _) => bytes,
        (NewContent::Changes(changes), Some(base)) => {
            whole = apply_raw(&base.bytes, changes);
            &whole
        }
        _ => return None,
    };
    if bytes.len() > MAX_TEXT_LENGTH {
        return None;
    }
    let document = Document::decode(bytes, Some(file.encoding)).ok()?;
    Some(document.view().to_owned())
}

/// Returns the present text of the file, where the new text can be edited.
pub(super) fn old_text_of(file: &FilePlan) -> Option<String> {
    let Some(base) = &file.base else {
        return Some(String::new());
    };
    if base.bytes.len() > MAX_TEXT_LENGTH {
        return None;
    }
    let document = Document::decode(&base.bytes, Some(file.encoding)).ok()?;
    Some(document.view().to_owned())
}
