//! The refusal for a file that is no longer in the state that a change left: it says what was changed since, and what
//! can be done about it.

use lancet_history::OperationStore;
use lancet_text::{Document, difference, unified_diff};

use super::kept::read_content;
use super::select::FileRow;
use crate::message::{Message, OPERATION_CAPITALIZED, message, tool_and_shell_term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::read_state::DIFF_BUDGET;
use crate::stages::locate::Target;
use crate::stages::open::{MAX_IN_MEMORY_SIZE, configured_encoding};
use crate::undo::{Conflicts, Direction, Overlap, Selection, UndoRequest};
use crate::wording::{quote_path, truncate};

/// The longest diff that a conflict shows, in characters.
const MAX_DIFF_LENGTH: usize = 8_000;

/// Whether further files are undone together with this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherFiles {
    None,
    Some,
}

/// The bytes of a file at one step.
pub(super) enum CurrentBytes {
    Nothing,
    Bytes(Vec<u8>),
    /// The file is too large for memory.
    Large,
    /// There are no bytes: it is a symbolic link.
    Link,
    /// There are no bytes: it is a folder without entries.
    EmptyFolder,
}

/// Says what can be done about a change whose file has changed since.
fn conflict_advice(
    path: &impl std::fmt::Display,
    row: &FileRow,
    now: &CurrentBytes,
    asked: &UndoRequest,
) -> Message {
    let id = &row.operation;
    let before = message!(
        "{} the file as it was before with `lancet restore {}@{}^`",
        tool_and_shell_term("a person gets", "get"),
        verbatim(path),
        verbatim(id)
    );
    let mut advice = match (&row.change.before, &row.change.after, now) {
        // The file no longer exists, so there is nothing from which the change could be removed.
        (Some(_), Some(_), CurrentBytes::Nothing) => {
            message!("There is nothing to take it out of; {}.", before)
        }
        (None, Some(_), CurrentBytes::Nothing) => message!("What it made is gone already."),
        (Some(_), Some(_), CurrentBytes::Large) => {
            message!(
                "The file is too large for one change to be taken out of it; {}.",
                before
            )
        }
        (Some(_), Some(_), CurrentBytes::Bytes(_)) if asked.direction == Direction::Redo => {
            message!("A redo is not merged; {}.", before)
        }
        (Some(_), Some(_), CurrentBytes::Bytes(_)) if asked.overlap == Overlap::Refuse => {
            message!(
                "{} undo this change alone with `lancet undo {} --merge`.",
                tool_and_shell_term("A person can", "You can"),
                undo_arguments(&asked.selection, id)
            )
        }
        (Some(_), Some(_), CurrentBytes::Bytes(_)) => message!(
            "That change and the later one touch the same or neighbouring lines, so it cannot be taken out alone; {}, which takes the later one along.",
            before
        ),
        (Some(_), None, _) => message!("Taking it back would replace that file; {}.", before),
        (_, Some(_), CurrentBytes::Link) => message!("It is a symbolic link by now; {}.", before),
        (_, Some(_), CurrentBytes::EmptyFolder) => {
            message!("It is an empty folder by now; {}.", before)
        }
        (
            None,
            _,
            CurrentBytes::Bytes(_)
            | CurrentBytes::Large
            | CurrentBytes::Link
            | CurrentBytes::EmptyFolder,
        ) => message!(
            "Taking it back would remove that file along with what was changed since. Undo the later changes first, where `lancet log {}` has them; a person who does not need them removes the file.",
            verbatim(path)
        ),
        (None, None, CurrentBytes::Nothing) => Message::default(),
    };
    if asked.selection == Selection::Newest && asked.direction == Direction::Undo {
        advice.push(" `lancet undo ID` undoes another change, which `lancet log` lists.");
    }
    advice
}

/// Returns what a person types after `lancet undo` for the same selection; for a single change, its id.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn undo_arguments(selection: &Selection, id: &str) -> Message {
    match selection {
        Selection::Last(number) => message!("-n {}", verbatim(number)),
        Selection::File(path) => message!("--file {}", quote_path(path)),
        Selection::Session(name) => message!("--session {}", verbatim(name)),
        Selection::Client(name) => message!("--client {}", verbatim(name)),
        Selection::Turn(turn) => message!("--turn {}", verbatim(turn)),
        Selection::Since(_) | Selection::These(_) => message!("--since TIME"),
        Selection::SincePrompt(mark) => {
            message!("--to-prompt N --session {}", verbatim(&mark.session))
        }
        Selection::Newest | Selection::Operation(_) => message!("{}", verbatim(id)),
        _ => message!("{}", verbatim(id)),
    }
}

/// Returns the refusal for a file that has changed since, with the diff of that change.
pub(super) fn conflict_refusal(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: &Target,
    row: &FileRow,
    now: &CurrentBytes,
    asked: &UndoRequest,
    others: OtherFiles,
) -> Refusal {
    let path = quote_path(target.path());
    let left = row
        .change
        .after
        .as_ref()
        .filter(|after| after.size <= MAX_IN_MEMORY_SIZE && after.link.is_none())
        .and_then(|after| read_content(store, &after.revision).ok());
    let how = match (&row.change.after, now) {
        (Some(_), CurrentBytes::Nothing) => "was removed afterwards",
        (
            None,
            CurrentBytes::Bytes(_)
            | CurrentBytes::Large
            | CurrentBytes::Link
            | CurrentBytes::EmptyFolder,
        ) => "was created again afterwards",
        _ => "was changed afterwards",
    };
    let which = match asked.direction {
        Direction::Undo => "undone",
        Direction::Redo => "redone",
    };
    let mut advice = conflict_advice(&path, row, now, asked);
    let is_undo = asked.direction == Direction::Undo;
    if is_undo && others == OtherFiles::Some && asked.conflicts == Conflicts::Refuse {
        let which = undo_arguments(&asked.selection, &row.operation);
        advice.push(message!(
            "{} undo the other files and leave this one out with `lancet undo {} --keep-going`.",
            tool_and_shell_term(" A person can", " You can"),
            which
        ));
    }
    let mut text = message!(
        "{} {} cannot be {}: {} {}. Nothing was changed. {}",
        OPERATION_CAPITALIZED,
        verbatim(&row.operation),
        which,
        &path,
        how,
        advice
    );
    let shown = match (&left, now) {
        (Some(left), CurrentBytes::Bytes(now)) if !target.is_withheld() => {
            shown_diff(context, target, left, now)
        }
        _ => None,
    };
    if let Some(diff) = shown {
        let diff = diff.strip_suffix('\n').unwrap_or(&diff);
        text.push(message!(
            "\nChanged since:\n{}",
            verbatim(truncate(diff, MAX_DIFF_LENGTH))
        ));
    }
    Refusal::from_message(RefusalKind::Conflict, text)
        .with_field("file_path", path)
        .with_field("operation", row.operation.clone())
}

fn shown_diff(
    context: &CallContext<'_>,
    target: &Target,
    old: &[u8],
    new: &[u8],
) -> Option<String> {
    let encoding = configured_encoding(context.engine(), target);
    let old = Document::decode(old, encoding).ok()?;
    let new = Document::decode(new, encoding).ok()?;
    let difference = difference(old.view(), new.view(), 3, DIFF_BUDGET);
    (!difference.coarse).then(|| unified_diff(&difference.hunks))
}
