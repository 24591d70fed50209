//! Warns, but never refuses, where a change leaves a file that parsed before it and does not parse after it. Only
//! source code of known languages is examined, and uncertain results are not reported.

use std::borrow::Cow;

use lancet_history::OperationKind;
use lancet_text::{Document, apply_raw};

use super::context::CallContext;
use super::open::configured_encoding;
use super::plan::{DryRun, FilePlan, NewContent, Plan};
use crate::message::{message, verbatim};
use crate::syntax::{SyntaxError, SyntaxReader};
use crate::wording::quote_path;

/// Records in a plan which files it breaks. The plan must still have its bases.
pub(super) fn note_syntax_errors(context: &CallContext<'_>, plan: &mut Plan) {
    let Some(reader) = context.engine().syntax_reader() else {
        return;
    };
    // Content that an undo or restore brings back existed before.
    if plan.origin.kind != OperationKind::Change {
        return;
    }
    let dry_run = plan.dry_run;
    for file in &mut plan.files {
        let path = file.target.path();
        if file.is_withheld() || reader.language(path).is_none() {
            continue;
        }
        let Some(error) = newly_broken(context, file, reader) else {
            continue;
        };
        let words = message!(
            "{} parsed before this change and {}: line {}, column {}: {}",
            quote_path(path),
            match dry_run {
                DryRun::No => "no longer does",
                DryRun::Yes => "would not after it",
            },
            error.line,
            error.column,
            verbatim(&error.words)
        );
        // The lines of the answer are already chosen; errors that do not fit are only in the data.
        if context
            .budget
            .try_charge_sentence(context.length(&words.render(context.engine().audience())))
        {
            file.view.notices.push(words);
        }
        file.view.syntax_error = Some(error);
    }
}

/// Returns the error that a plan introduces into a file; none where one of its texts is missing, too large, or not
/// text.
fn newly_broken(
    context: &CallContext<'_>,
    file: &FilePlan,
    reader: &dyn SyntaxReader,
) -> Option<SyntaxError> {
    let base = &file.base.as_ref()?.bytes;
    let most = reader.most_bytes();
    if base.len() > most {
        return None;
    }
    let new: Cow<'_, [u8]> = match &file.new {
        NewContent::Whole(bytes) => Cow::Borrowed(bytes),
        NewContent::Changes(changes) => Cow::Owned(apply_raw(base, changes)),
        NewContent::Moved(moved) if !moved.changes.is_empty() => {
            Cow::Owned(apply_raw(base, &moved.changes))
        }
        _ => return None,
    };
    if new.len() > most {
        return None;
    }
    let encoding = configured_encoding(context.engine(), &file.target);
    let before = Document::decode(base, encoding).ok()?;
    let after = Document::decode(&new, encoding).ok()?;
    reader.newly_broken(file.target.path(), before.view(), after.view())
}
