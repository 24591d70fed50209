//! The plan that moves a file back to its old name, and the refusal where a move cannot be undone together with other
//! changes.

use std::path::Path;

use lancet_history::OperationStore;
use lancet_text::RawChange;
use lancet_workspace::ExecutableChange;

use super::current_file::{CurrentFile, DiskContent};
use super::view;
use super::walk::{FileStep, WalkEnd};
use crate::message::message;
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::MAX_IN_MEMORY_SIZE;
use crate::stages::plan::{ChangeView, FilePlan, LedgerUpdate, NewContent, PlannedMove};
use crate::wording::quote_path;

/// Returns the plan that gives a file its old name and its old state.
pub(super) fn plan_move_back(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    (from, to): (Target, Target),
    found: CurrentFile,
    walked: WalkEnd<'_>,
) -> Result<FilePlan, Refusal> {
    let WalkEnd {
        state,
        mode,
        folders,
        ..
    } = walked;
    let mode = mode.filter(|mode| mode & 0o7777 != found.stamp.permissions());
    let is_same = state.is_as_found(&found);
    let moved = |from: Target, changes, mode| {
        NewContent::Moved(Box::new(PlannedMove {
            from,
            changes,
            mode,
            folders,
            ledger: LedgerUpdate::Replace,
        }))
    };
    if is_same {
        let expected = found.expected();
        let (base, form) = match found.content {
            DiskContent::Held(snapshot) => {
                let form = view::encoding_and_line_ends(context, &to, &snapshot.bytes);
                (Some(snapshot), form)
            }
            DiskContent::Large(_) | DiskContent::Link(_) | DiskContent::EmptyFolder => {
                (None, view::FORM_OF_BINARY)
            }
        };
        return Ok(FilePlan {
            target: to,
            expected,
            base,
            new: moved(from, Vec::new(), mode),
            view: ChangeView::default(),
            encoding: form.0,
            endings: form.1,
            seen: Default::default(),
            executable: ExecutableChange::Keep,
        });
    }
    let name = to.path().to_path_buf();
    let size = found.stamp.size;
    let is_large = |state: &FileStep<'_>| matches!(state, FileStep::Kept(kept) if kept.size > MAX_IN_MEMORY_SIZE);
    if size > MAX_IN_MEMORY_SIZE || is_large(&state) {
        return Err(one_at_a_time_refusal(&name));
    }
    let Some(wanted) = state.wanted() else {
        return Err(one_at_a_time_refusal(&name));
    };
    let plan = view::file_plan(context, store, to, Some(found), wanted, mode, Vec::new())?;
    let Some(plan) = plan else {
        return Err(one_at_a_time_refusal(&name));
    };
    let NewContent::Restored { bytes, mode } = plan.new else {
        return Err(one_at_a_time_refusal(&name));
    };
    let whole = RawChange {
        range: 0..size,
        bytes,
    };
    Ok(FilePlan {
        new: moved(from, vec![whole], mode),
        ..plan
    })
}

/// Returns the refusal where a move cannot be undone together with other moves or changes of content.
pub(super) fn one_at_a_time_refusal(name: &Path) -> Refusal {
    let path = quote_path(name);
    let text = message!(
        "The moves and changes of {} cannot be undone in one step. Nothing was changed; undo the operations one at a time, the newest first.",
        &path
    );
    Refusal::from_message(RefusalKind::Conflict, text).with_field("file_path", path)
}
