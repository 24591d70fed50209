//! What an answer says of files that are not written: those that are back already, and those that were left out.

use lancet_history::OperationKind;

use super::{LONGEST_NOTICE, finish};
use crate::reply::Reply;
use crate::rooms::CallContext;
use crate::rooms::plan::{DryRun, Plan};
use crate::wording::{count, cut, quote_path};

/// How many files of each kind are named.
const MOST: usize = 100;

/// The answer where every change was already undone.
pub(crate) fn nothing_written(context: &CallContext<'_>, plan: &Plan) -> Reply {
    let mut text = String::new();
    if plan.dry_run == DryRun::Yes {
        text.push_str("Dry run: nothing was written.\n");
    }
    text.extend(plan.origin.lead.iter().map(|lead| format!("{lead}\n")));
    let person = plan.origin.lead.clone().unwrap_or_default() + "\n";
    finish(context, plan, text, Vec::new(), None, person)
}

/// Sentences about files that are not written: those of an undo or a redo, and what the person who was asked left out.
pub(super) fn notes(plan: &Plan) -> Vec<String> {
    let origin = &plan.origin;
    let mut notes = Vec::new();
    for file in origin.found_back.iter().take(MOST) {
        let path = quote_path(&file.path);
        let operations = cut(&file.operations.join(", "), LONGEST_NOTICE);
        notes.push(match origin.kind {
            OperationKind::Redo => format!("{path} already is what the redo would make of it"),
            _ => format!("{path} already is as it was before {operations}; that counts as undone"),
        });
    }
    for file in origin.left_out.iter().take(MOST) {
        let text = file.refusal.text();
        let why = text.split(". Nothing was changed").next().unwrap_or(text);
        notes.push(format!(
            "left out, a conflict: {}",
            cut(why, LONGEST_NOTICE)
        ));
    }
    notes.extend(origin.omitted.sentence());
    let untold =
        origin.found_back.len().saturating_sub(MOST) + origin.left_out.len().saturating_sub(MOST);
    if untold > 0 {
        notes.push(format!("and {} more", count(untold, "file")));
    }
    notes
}
