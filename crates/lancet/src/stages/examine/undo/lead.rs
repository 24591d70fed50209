//! The sentences at the beginning of the answer to an undo or redo.

use super::select::FileRow;
use crate::message::{Message, OPERATION, message, tool_and_shell_term, verbatim};
use crate::stages::plan::{DryRun, FilePlan};
use crate::undo::Direction;
use crate::wording::quote_path;

/// Says what is undone or redone.
pub(super) fn lead(
    ids: &[&str],
    direction: Direction,
    files: &[FilePlan],
    dry_run: DryRun,
) -> Message {
    let did = |did, would| match dry_run {
        DryRun::No => did,
        DryRun::Yes => would,
    };
    let what = match ids {
        [id] => message!("{} {}", OPERATION, verbatim(id)),
        [newest, .., oldest] => message!(
            "{}{} from {} to {}",
            ids.len(),
            tool_and_shell_term(" operations", " changes"),
            verbatim(oldest),
            verbatim(newest)
        ),
        [] => Message::default(),
    };
    match (direction, files.is_empty()) {
        (Direction::Undo, false) => {
            message!(
                "{}{}.",
                tool_and_shell_term("Undo of ", did("Undid ", "Would undo ")),
                what
            )
        }
        (Direction::Redo, false) => message!(
            "{}{} undid.",
            tool_and_shell_term("Redo of what ", did("Redid what ", "Would redo what ")),
            what
        ),
        (Direction::Undo, true) => {
            message!("Already undone: {}. Nothing was written.", what)
        }
        (Direction::Redo, true) => {
            message!("Already redone: what {} undid. Nothing was written.", what)
        }
    }
}

/// Says under which name a file was changed that another program has moved since.
pub(super) fn moved_by_others(rows: &[&FileRow]) -> Option<Message> {
    let mut rows = rows.iter();
    let (former, now) = rows.find_map(|row| {
        let former = row.change.former_path.as_deref()?;
        (former != row.change.path).then_some((former, &row.change.path))
    })?;
    Some(message!(
        "{} was changed under the name {}; another program has moved it since",
        quote_path(now),
        quote_path(former)
    ))
}
