//! Whether a change leaves a file that parsed before it and does not after it: a warning in the answer, never a refusal.
//! Nothing is looked at but source code of known languages, and nothing is said where it is not sure.

use lancet_history::OperationKind;
use lancet_text::{Document, apply_raw};

use super::context::CallContext;
use super::open::configured;
use super::plan::{DryRun, FilePlan, New, Plan};
use crate::message::{message, verbatim};
use crate::wording::quote_path;

/// Notes in a plan which files it breaks. The plan must still have its bases.
pub(super) fn note(context: &CallContext<'_>, plan: &mut Plan) {
    let Some(reader) = context.engine().syntax_reader() else {
        return;
    };
    // What a person takes back or restores was there before.
    if plan.origin.kind != OperationKind::Change {
        return;
    }
    let dry_run = plan.dry_run;
    for file in &mut plan.files {
        let path = file.target.path();
        if file.is_withheld() || reader.language(path).is_none() {
            continue;
        }
        let Some((before, after)) = versions(context, file, reader.most_bytes()) else {
            continue;
        };
        let Some(error) = reader.newly_broken(path, &before, &after) else {
            continue;
        };
        let words = message![
            quote_path(path),
            " parsed before this change and ",
            match dry_run {
                DryRun::No => "no longer does",
                DryRun::Yes => "would not after it",
            },
            ": line ",
            error.line,
            ", column ",
            error.column,
            ": ",
            verbatim(&error.words)
        ];
        // The lines of the answer are chosen by now; what has no room is in the data alone.
        if context
            .budget
            .has_room_to_say(context.length(&words.render(context.engine().audience())))
        {
            file.view.notices.push(words);
        }
        file.view.syntax_error = Some(error);
    }
}

/// The texts of a file before and after a plan; none where one of them is missing, too large, or no text.
fn versions(context: &CallContext<'_>, file: &FilePlan, most: usize) -> Option<(String, String)> {
    let base = &file.base.as_ref()?.bytes;
    if base.len() > most {
        return None;
    }
    let spliced;
    let new = match &file.new {
        New::Whole(bytes) => bytes,
        New::Changes(changes) => {
            spliced = apply_raw(base, changes);
            &spliced
        }
        New::Moved(moved) if !moved.changes.is_empty() => {
            spliced = apply_raw(base, &moved.changes);
            &spliced
        }
        _ => return None,
    };
    if new.len() > most {
        return None;
    }
    let encoding = configured(context.engine(), &file.target);
    let text = |bytes: &[u8]| {
        let document = Document::decode(bytes, encoding).ok()?;
        Some(document.view().to_owned())
    };
    Some((text(base)?, text(new)?))
}
