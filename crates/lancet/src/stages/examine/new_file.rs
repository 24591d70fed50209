//! The plan that creates a file: its bytes as sent, in the encoding and with the line ends that settings and rule files
//! prescribe.

use std::path::Path;

use lancet_formats::Notebook;
use lancet_history::SeenRanges;
use lancet_text::{
    Change, Document, Encoding, Endings, LineEnd, LineStarts, NotText, Rung, apply_raw, encode_new,
    find_leak, hunks_of_changes,
};
use lancet_workspace::{ExecutableChange, ExpectedState};

use super::edit::edit_session::{EditOptions, EditSession, RefusalDetail, SharedOptions};
use super::edit::held::InMemoryText;
use super::edit::refuse::no_change_refusal;
use super::explain::{leak_refusal, unencodable_refusal};
use super::formatted::format_file;
use super::hidden;
use super::read_state::ReadState;
use crate::line_rules::{MAX_RULE_FILE_BYTES, RuleFile, line_end_for_new, rule_folders};
use crate::message::{OLD_TEXT, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{EditRequest, Insist};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{binary_refusal, configured_encoding, is_notebook_name};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::{format_count, quote_path};

/// Works out the plan for a new file with this content.
pub(crate) fn plan_new_file(
    context: &CallContext<'_>,
    target: Target,
    content: &str,
    insist: Insist,
) -> Result<FilePlan, Refusal> {
    refuse_dangling_link(context, &target)?;
    if is_notebook_name(&target) {
        require_valid_notebook(&target, content)?;
    }
    if insist == Insist::No
        && let Some(found) = find_leak(None, content)
    {
        return Err(leak_refusal(&found.reason, found.mended.as_deref()));
    }
    let encoding = configured_encoding(context.engine(), &target).unwrap_or(Encoding::UTF8);
    let ending = line_end_for(context, &target);
    let bytes = encode_new(content, encoding, ending)
        .map_err(|error| unencodable_refusal(&target, &error))?;
    let formatted = format_file(context, &target, "", bytes, encoding);
    let bytes = formatted.bytes;
    let document = Document::decode(&bytes, Some(encoding));
    let endings = document
        .as_ref()
        .map_or(Endings::None, |document| document.endings());
    let shown = document
        .as_ref()
        .map_or(content, |document| document.view());
    let mut view = new_file_view(shown, bytes.len());
    if !formatted.body.is_empty() {
        view.body = format!("{}\n{}", view.body, formatted.body);
    }
    view.notices.extend(formatted.notice);
    view.unshown = formatted.unshown;
    view.notices.extend(hidden::hidden_in_texts("", shown));
    drop(document);
    if ending == LineEnd::Crlf && content.contains('\n') {
        view.notices.push(message!(
            "written with CRLF line ends, as the project's rules for new files say"
        ));
    }
    let seen = view.seen_of_written_file(bytes.len());
    Ok(FilePlan {
        target,
        expected: ExpectedState::Missing,
        base: None,
        new: NewContent::Whole(bytes),
        view,
        encoding,
        endings,
        seen,
        executable: ExecutableChange::Keep,
    })
}

/// Refuses to create a file through a symbolic link to a file that does not exist.
fn refuse_dangling_link(context: &CallContext<'_>, target: &Target) -> Result<(), Refusal> {
    if !is_dangling_link(context, target) {
        return Ok(());
    }
    let text = message!(
        "{} is a link to {}, which is not there, and no file is made through a link. Name the file itself.",
        &target.given,
        quote_path(target.path())
    );
    Err(Refusal::from_message(RefusalKind::Missing, text)
        .with_field("file_path", quote_path(target.path())))
}

/// Returns whether the given name is itself a symbolic link to a missing file. A link among its parent folders does not
/// count.
fn is_dangling_link(context: &CallContext<'_>, target: &Target) -> bool {
    let given = target.located.given_path();
    let (Some(folder), Some(name)) = (given.parent(), given.file_name()) else {
        return false;
    };
    target.located.has_followed_link()
        && context
            .engine()
            .workspace
            .locate(folder)
            .is_ok_and(|folder| folder.path().join(name) != target.path())
}

/// Works out the plan for a file that the first of some edits creates and the others change further.
pub(crate) fn from_edits(
    context: &CallContext<'_>,
    target: Target,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    if let Err(refusal) = refuse_dangling_link(context, &target) {
        for (at, _) in edits {
            failures[*at] = Some(refusal.clone());
        }
        return None;
    }
    let (first, rest) = edits.split_first()?;
    if first.1.new.is_empty() {
        failures[first.0] = Some(no_change_refusal(&target));
        return None;
    }
    let (content, told) = if rest.is_empty() {
        (first.1.new.clone(), ChangeView::default())
    } else {
        apply_further_edits(context, &target, &first.1.new, rest, options, failures)?
    };
    match plan_new_file(context, target, &content, options.insist) {
        Ok(mut plan) => {
            plan.view.rungs = vec![Rung::Exact];
            plan.view.rungs.extend(told.rungs);
            plan.view.replacements = 1 + told.replacements;
            plan.view.notices.extend(told.notices);
            Some(plan)
        }
        Err(refusal) => {
            failures[first.0] = Some(refusal);
            None
        }
    }
}

/// Applies edits to the text of a file that does not exist yet. The caller sent the text, so it has seen all of it.
fn apply_further_edits(
    context: &CallContext<'_>,
    target: &Target,
    text: &str,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<(String, ChangeView)> {
    let (last, _) = *edits.last()?;
    let document = match Document::decode(text.as_bytes(), Some(Encoding::UTF8)) {
        Ok(document) => document,
        Err(NotText::Binary { kind }) => {
            failures[last] = Some(binary_refusal(target, kind));
            return None;
        }
    };
    let read_state = Ok(ReadState::from_seen(
        SeenRanges::all_seen(text.len() as u64),
    ));
    let held = InMemoryText::new(context, target, &document, edits);
    let mut session = EditSession::new(context, target, held);
    for &(at, edit) in edits {
        let words = RefusalDetail::for_next_refusal(failures);
        let laid = if edit.creates_or_fills_file() {
            Err(filled_refusal(target))
        } else {
            session.apply(
                &read_state,
                edit,
                EditOptions {
                    shared: options,
                    words,
                },
            )
        };
        failures[at] = laid.err();
    }
    let is_refused = |at: usize| failures[at].as_ref().is_some_and(|refusal| !refusal.idle);
    if edits.iter().any(|(at, _)| is_refused(*at)) {
        return None;
    }
    let (changes, told) = match session.finish_new() {
        Ok(made) => made,
        Err(refusal) => {
            failures[last] = Some(refusal);
            return None;
        }
    };
    let bytes = apply_raw(text.as_bytes(), &changes);
    Some((String::from_utf8_lossy(&bytes).into_owned(), told))
}

/// Returns the refusal for a second edit that would create the same file.
fn filled_refusal(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    let text = message!(
        "An earlier edit of this call fills {}, and {} is empty. Send the text to replace.",
        &path,
        OLD_TEXT
    );
    Refusal::from_message(RefusalKind::Exists, text).with_field("file_path", path)
}

/// Returns the line end of a new file: as sent unless a rule file prescribes one.
fn line_end_for(context: &CallContext<'_>, target: &Target) -> LineEnd {
    // The rule files are the project's, so they are looked up from the roots that lancet was opened on, even where a
    // client narrowed them.
    let engine = context.engine();
    let (workspace, relative) = (
        engine.full_workspace(),
        engine.relative_to_root(target.path()),
    );
    let root = target
        .path()
        .ancestors()
        .nth(relative.iter().count())
        .unwrap_or(target.located.root());
    let read = |folder: &Path, name: &str| -> Option<String> {
        let found = workspace.locate(&root.join(folder).join(name)).ok()?;
        let snapshot = found.read_snapshot(MAX_RULE_FILE_BYTES as u64).ok()?;
        String::from_utf8(snapshot.bytes.to_vec()).ok()
    };
    let folders = rule_folders(relative);
    let gather = |name: &str| -> Vec<(&Path, String)> {
        folders
            .iter()
            .filter_map(|folder| Some((folder.as_path(), read(folder, name)?)))
            .collect()
    };
    let (editorconfig, gitattributes) = (gather(".editorconfig"), gather(".gitattributes"));
    let end = line_end_for_new(
        relative,
        &as_rule_files(&editorconfig),
        &as_rule_files(&gitattributes),
    );
    end.unwrap_or(LineEnd::AsSent)
}

fn as_rule_files<'t>(files: &'t [(&'t Path, String)]) -> Vec<RuleFile<'t>> {
    files
        .iter()
        .map(|(folder, text)| RuleFile { folder, text })
        .collect()
}

/// Returns the view of a new file with this text.
fn new_file_view(text: &str, bytes: usize) -> ChangeView {
    let all = Change {
        range: 0..0,
        text: text.to_owned(),
    };
    let patch = hunks_of_changes("", &LineStarts::new(""), &[all], 0);
    ChangeView {
        added: patch.added,
        coarse: patch.coarse,
        body: format!(
            "{}, {}",
            format_count(patch.added, "line"),
            format_count(bytes, "byte")
        ),
        lines: std::iter::once(1..patch.added + 1).collect(),
        patch: patch.hunks,
        ..ChangeView::default()
    }
}

/// Refuses new content for a notebook that is not a valid notebook.
pub(super) fn require_valid_notebook(target: &Target, content: &str) -> Result<(), Refusal> {
    let checked = Notebook::parse(content).and_then(|notebook| notebook.check_complete());
    let Err(error) = checked else {
        return Ok(());
    };
    let text = message!(
        "{} would be a notebook, but the content is none: {}. Send the JSON of a whole notebook.",
        &target.given,
        verbatim(error)
    );
    Err(Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("file_path", quote_path(target.path())))
}
