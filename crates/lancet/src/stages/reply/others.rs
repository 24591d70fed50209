//! The parts of an answer about files that are not written: those that are already undone, and those that were left
//! out.

use lancet_history::OperationKind;

use super::{LONGEST_NOTICE, finish, lead};
use crate::message::{Message, message, verbatim};
use crate::reply::Reply;
use crate::stages::context::CallContext;
use crate::stages::plan::{DryRun, Plan};
use crate::wording::{count, cut, quote_path};

/// How many files of each kind are named.
const MOST: usize = 100;

/// Returns the answer where every change was already undone.
pub(crate) fn nothing_written(context: &CallContext<'_>, plan: &Plan) -> Reply {
    let mut text = String::new();
    if plan.dry_run == DryRun::Yes {
        text.push_str("Dry run: nothing was written.\n");
    }
    let lead = lead(plan, context.engine().audience());
    text.extend(lead.clone());
    let person = lead.unwrap_or_else(|| "\n".to_owned());
    finish(context, plan, text, Vec::new(), None, person)
}

/// Sentences about files that are not written: those of an undo or a redo, and what the person who was asked left out.
pub(super) fn notes(plan: &Plan) -> Vec<Message> {
    let origin = &plan.origin;
    let mut notes = Vec::new();
    for file in origin.found_back.iter().take(MOST) {
        let path = quote_path(&file.path);
        let operations = cut(&file.operations.join(", "), LONGEST_NOTICE);
        notes.push(match origin.kind {
            OperationKind::Redo => message!("{} already is what the redo would make of it", path),
            _ => message!(
                "{} already is as it was before {}; that counts as undone",
                path,
                verbatim(operations)
            ),
        });
    }
    for file in origin.left_out.iter().take(MOST) {
        let why = file.refusal.message().before(". Nothing was changed");
        notes.push(message!(
            "left out, a conflict: {}",
            why.cut(LONGEST_NOTICE)
        ));
    }
    notes.extend(origin.omitted.sentence());
    let untold =
        origin.found_back.len().saturating_sub(MOST) + origin.left_out.len().saturating_sub(MOST);
    if untold > 0 {
        notes.push(message!("and {} more", verbatim(count(untold, "file"))));
    }
    notes
}
