//! The refusals where a selection has nothing to undo or redo.

use crate::message::{Say, message, tool_and_shell_term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::undo::{Direction, Selection, UndoRequest};
use crate::wording::truncate;

/// Returns the refusal where no row was selected.
pub(super) fn nothing_to_take_back_refusal(asked: &UndoRequest) -> Refusal {
    match asked.direction {
        Direction::Undo => nothing_to_undo_refusal(&asked.selection),
        Direction::Redo => Refusal::from_message(
            RefusalKind::NotFound,
            tool_and_shell_term(
                "There is nothing to redo: no undo here whose files have not been changed since. Nothing was changed.",
                "There is nothing to redo in this project.",
            ),
        ),
    }
}

/// Says that nothing is left to undo in the requested selection.
pub(super) fn nothing_to_undo_refusal(selection: &Selection) -> Refusal {
    nothing_selected_refusal(match selection {
        Selection::Session(name) => {
            message!(
                "There is nothing to undo of the session {}",
                verbatim(format!("{:?}", truncate(name, 64)))
            )
        }
        Selection::Client(name) => {
            message!(
                "There is nothing to undo of the client {}",
                verbatim(format!("{:?}", truncate(name, 64)))
            )
        }
        Selection::Turn(turn) => {
            message!(
                "There is nothing to undo of the turn {}",
                verbatim(format!("{:?}", truncate(turn, 64)))
            )
        }
        Selection::Since(_) => message!("There is nothing to undo since then"),
        Selection::SincePrompt(mark) => message!(
            "There is nothing to undo of the session {} since the prompt {}; a larger number goes back to an earlier one",
            verbatim(format!("{:?}", truncate(&mark.session, 64))),
            verbatim(format!("{:?}", mark.prompt))
        ),
        _ => {
            return Refusal::from_message(
                RefusalKind::NotFound,
                tool_and_shell_term(
                    "There is nothing to undo here. Nothing was changed.",
                    "There is nothing to undo in this project.",
                ),
            );
        }
    })
}

/// Returns the refusal with a sentence that says what there is nothing of.
pub(super) fn nothing_selected_refusal(words: impl Say) -> Refusal {
    let text = message!("{}. Nothing was changed.", words);
    Refusal::from_message(RefusalKind::NotFound, text)
}
