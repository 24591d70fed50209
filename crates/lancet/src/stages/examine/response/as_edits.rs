//! A response as edits of single places: what it would change if some of its failed parts were corrected, in texts that
//! occur once. The call with these edits can be sent as it is.

use lancet_text::{Document, apply_raw, unique_edits};
use lancet_workspace::ExecutableChange;

use super::compose::{ComposedRequest, compose_request};
use super::parse_parts;
use crate::next_call::TextEdit;
use crate::request::{EditRequest, FileRequest, ResponseRequest};
use crate::stages::attempt::{Attempt, Freshness};
use crate::stages::context::CallContext;
use crate::stages::examine::change::examine_files;
use crate::stages::open::decode_version;
use crate::stages::plan::{FilePlan, NewContent};

/// Returns the edits that make all changes of a response in which some parts, by their number from 0, are replaced by
/// edits. `None` if another part fails, or if the response does more than change the text of files.
pub(crate) fn as_edits(
    context: &CallContext<'_>,
    response: &ResponseRequest<'_>,
    corrections: &[(usize, TextEdit)],
) -> Option<Vec<TextEdit>> {
    let mut parts = parse_parts(context, response).ok()?;
    let ComposedRequest {
        mut request,
        part_of,
    } = compose_request(&mut parts).ok()?;
    request.insist = response.insist;
    for (file, part) in request.files.iter_mut().zip(&part_of) {
        let correction = corrections.iter().find(|(number, _)| number == part);
        if let Some((_, edit)) = correction {
            let corrected = EditRequest::new(edit.old.clone(), edit.new.clone());
            *file = FileRequest::edit(edit.path.to_str()?, vec![corrected]);
        }
    }
    context.budget.reset(context.limit);
    let mut attempt = Attempt::new(Freshness::FromDisk);
    let examined = examine_files(context, &mut attempt, &request).ok()?;
    let has_failed = examined.failures.iter().flatten().any(|it| !it.idle);
    if has_failed {
        return None;
    }
    let mut all = Vec::new();
    for file in &examined.files {
        all.extend(edits_in(context, file)?);
    }
    Some(all)
}

/// Returns the edits that make the changes of one file.
fn edits_in(context: &CallContext<'_>, file: &FilePlan) -> Option<Vec<TextEdit>> {
    let (Some(base), NewContent::Changes(changes)) = (&file.base, &file.new) else {
        return None;
    };
    if file.is_withheld() || file.executable_change(None) != ExecutableChange::Keep {
        return None;
    }
    let before = decode_version(context.engine(), &file.target, base).ok()?;
    let bytes = apply_raw(&base.bytes, changes);
    let after = Document::decode(&bytes, Some(file.encoding)).ok()?;
    let edits = unique_edits(before.view(), after.view())?;
    let path = file.target.path();
    let edits = edits.into_iter().map(|edit| TextEdit {
        path: path.to_path_buf(),
        old: edit.old,
        new: edit.new,
        lines: edit.lines,
    });
    Some(edits.collect())
}
