//! The refusal for a file that is no longer in the state that a change left: it says what was changed since, and what
//! can be done about it.

use lancet_history::OperationStore;
use lancet_text::{Document, difference, unified};

use super::kept::content;
use super::select::FileRow;
use crate::message::{Message, OPERATION_FIRST, message, term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::examine::read_state::DIFF_BUDGET;
use crate::stages::locate::Target;
use crate::stages::open::{HELD, configured};
use crate::undo::{Conflicts, Direction, Overlap, Selection, TakeBack};
use crate::wording::{cut, quote_path};

/// The longest diff that a conflict shows, in characters.
const LONGEST_DIFF: usize = 8_000;

/// Whether further files are undone together with this one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    None,
    Some,
}

/// The bytes of a file at one step.
pub(super) enum Now {
    Nothing,
    Bytes(Vec<u8>),
    /// The file is too large for memory.
    Large,
    /// There are no bytes: it is a symbolic link.
    Link,
}

/// Says what can be done about a change whose file has changed since.
fn advice(path: &impl std::fmt::Display, row: &FileRow, now: &Now, asked: &TakeBack) -> Message {
    let id = &row.operation;
    let before = message!(
        "{} the file as it was before with `lancet restore {}@{}^`",
        term("a person gets", "get"),
        verbatim(path),
        verbatim(id)
    );
    let mut advice = match (&row.change.before, &row.change.after, now) {
        // The file no longer exists, so there is nothing from which the change could be removed.
        (Some(_), Some(_), Now::Nothing) => {
            message!("There is nothing to take it out of; {}.", before)
        }
        (None, Some(_), Now::Nothing) => message!("What it made is gone already."),
        (Some(_), Some(_), Now::Large) => {
            message!(
                "The file is too large for one change to be taken out of it; {}.",
                before
            )
        }
        (Some(_), Some(_), Now::Bytes(_)) if asked.direction == Direction::Redo => {
            message!("A redo is not merged; {}.", before)
        }
        (Some(_), Some(_), Now::Bytes(_)) if asked.overlap == Overlap::Refuse => {
            message!(
                "{} undo this change alone with `lancet undo {} --merge`.",
                term("A person can", "You can"),
                typed(&asked.selection, id)
            )
        }
        (Some(_), Some(_), Now::Bytes(_)) => message!(
            "That change and the later one touch the same or neighbouring lines, so it cannot be taken out alone; {}, which takes the later one along.",
            before
        ),
        (Some(_), None, _) => message!("Taking it back would replace that file; {}.", before),
        (_, Some(_), Now::Link) => message!("It is a symbolic link by now; {}.", before),
        (None, _, Now::Bytes(_) | Now::Large | Now::Link) => message!(
            "Taking it back would remove that file along with what was changed since. Undo the later changes first, where `lancet log {}` has them; a person who does not need them removes the file.",
            verbatim(path)
        ),
        (None, None, Now::Nothing) => Message::default(),
    };
    if asked.selection == Selection::Newest && asked.direction == Direction::Undo {
        advice.push(" `lancet undo ID` undoes another change, which `lancet log` lists.");
    }
    advice
}

/// Returns what a person types after `lancet undo` for the same selection; for a single change, its id.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn typed(selection: &Selection, id: &str) -> Message {
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
pub(super) fn conflict(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: &Target,
    row: &FileRow,
    now: &Now,
    asked: &TakeBack,
    others: Others,
) -> Refusal {
    let path = quote_path(target.path());
    let left = row
        .change
        .after
        .as_ref()
        .filter(|after| after.size <= HELD && after.link.is_none())
        .and_then(|after| content(store, &after.revision).ok());
    let how = match (&row.change.after, now) {
        (Some(_), Now::Nothing) => "was removed afterwards",
        (None, Now::Bytes(_) | Now::Large | Now::Link) => "was created again afterwards",
        _ => "was changed afterwards",
    };
    let which = match asked.direction {
        Direction::Undo => "undone",
        Direction::Redo => "redone",
    };
    let mut advice = advice(&path, row, now, asked);
    let is_undo = asked.direction == Direction::Undo;
    if is_undo && others == Others::Some && asked.conflicts == Conflicts::Refuse {
        let which = typed(&asked.selection, &row.operation);
        advice.push(message!(
            "{} undo the other files and leave this one out with `lancet undo {} --keep-going`.",
            term(" A person can", " You can"),
            which
        ));
    }
    let mut text = message!(
        "{} {} cannot be {}: {} {}. Nothing was changed. {}",
        OPERATION_FIRST,
        verbatim(&row.operation),
        which,
        &path,
        how,
        advice
    );
    let shown = match (&left, now) {
        (Some(left), Now::Bytes(now)) if !target.is_withheld() => diff(context, target, left, now),
        _ => None,
    };
    if let Some(diff) = shown {
        let diff = diff.strip_suffix('\n').unwrap_or(&diff);
        text.push(message!(
            "\nChanged since:\n{}",
            verbatim(cut(diff, LONGEST_DIFF))
        ));
    }
    Refusal::stating(RefusalKind::Conflict, text)
        .with("file_path", path)
        .with("operation", row.operation.clone())
}

fn diff(context: &CallContext<'_>, target: &Target, old: &[u8], new: &[u8]) -> Option<String> {
    let encoding = configured(context.engine(), target);
    let old = Document::decode(old, encoding).ok()?;
    let new = Document::decode(new, encoding).ok()?;
    let difference = difference(old.view(), new.view(), 3, DIFF_BUDGET);
    (!difference.coarse).then(|| unified(&difference.hunks))
}
