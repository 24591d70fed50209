//! The parts of an answer about files that are not written: those that are already undone, and those that were left
//! out.

use lancet_history::OperationKind;

use super::{MAX_NOTICE_LENGTH, assemble_reply, lead_line};
use crate::message::{Message, message, verbatim};
use crate::reply::Reply;
use crate::stages::context::CallContext;
use crate::stages::plan::{DryRun, Plan};
use crate::wording::{format_count, quote_path, truncate};

/// How many files of each kind are named.
const MAX_NAMED_FILES: usize = 100;

/// Returns the answer where every change was already undone.
pub(crate) fn reply_without_write(context: &CallContext<'_>, plan: &Plan) -> Reply {
    let mut text = String::new();
    if plan.dry_run == DryRun::Yes {
        text.push_str("Dry run: nothing was written.\n");
    }
    let lead = lead_line(plan, context.engine().audience());
    text.extend(lead.clone());
    let person = lead.unwrap_or_else(|| "\n".to_owned());
    assemble_reply(context, plan, text, Vec::new(), None, person)
}

/// Sentences about files that are not written: those of an undo or a redo, and what the person who was asked left out.
pub(super) fn notes_about_unwritten_files(plan: &Plan) -> Vec<Message> {
    let origin = &plan.origin;
    let mut notes = Vec::new();
    for file in origin.found_back.iter().take(MAX_NAMED_FILES) {
        let path = quote_path(&file.path);
        let operations = truncate(&file.operations.join(", "), MAX_NOTICE_LENGTH);
        notes.push(match origin.kind {
            OperationKind::Redo => message!("{} already is what the redo would make of it", path),
            _ => message!(
                "{} already is as it was before {}; that counts as undone",
                path,
                verbatim(operations)
            ),
        });
    }
    for file in origin.left_out.iter().take(MAX_NAMED_FILES) {
        let why = file.refusal.message().text_before(". Nothing was changed");
        notes.push(message!(
            "left out, a conflict: {}",
            why.truncate(MAX_NOTICE_LENGTH)
        ));
    }
    notes.extend(origin.omitted.answer_sentence());
    let untold = origin.found_back.len().saturating_sub(MAX_NAMED_FILES)
        + origin.left_out.len().saturating_sub(MAX_NAMED_FILES);
    if untold > 0 {
        notes.push(message!(
            "and {} more",
            verbatim(format_count(untold, "file"))
        ));
    }
    notes
}
