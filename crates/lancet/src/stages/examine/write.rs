//! The *examine* stage for Write: creates a file, replaces it, or appends to it.

use lancet_history::SeenRanges;
use lancet_text::{
    Change, Document, Endings, LineEnd, difference, encode_new, find_leak, find_placeholder,
    unified_diff,
};
use lancet_workspace::{ExecutableChange, FileType, Snapshot};

use super::credential::refuse_credential;
use super::edit::TEXT_LENGTH_PER_FILE;
use super::edit::source::CombinedChanges;
use super::explain::{leak_refusal, unencodable_refusal};
use super::formatted::{format_edits, format_file, unshown_lines_after_format};
use super::hidden;
use super::new_file::{self, require_valid_notebook};
use super::overwriting::{require_one_conversation, require_seen};
use super::read_state::{CurrentVersion, DIFF_BUDGET, ReadState, RequiredPart, read_state};
use super::view::{LineOffsets, Notes, change_view, endings_note, outline_unshown_changes};
use crate::arguments::WriteMode;
use crate::ledger::raw_lines;
use crate::message::{Message, message, tool_and_shell_term, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::request::{Insist, WriteRequest, WrittenNewline};
use crate::settings::LineEndings;
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    decode, expected_content, is_notebook_name, refuse_notebook, require_file, snapshot_to_change,
};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::quote_path;

/// The longest diff that an answer shows, in characters.
const MAX_DIFF_LENGTH: usize = 20_000;

/// Works out the plan for a file that is written whole or appended to.
pub(super) fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    request: &WriteRequest,
    insist: Insist,
) -> Result<FilePlan, Refusal> {
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    let file = match target.located.kind() {
        FileType::Missing if request.revision.is_none() => {
            new_file::plan_new_file(context, target, &request.content, insist)?
        }
        _ => {
            require_file(context.engine(), &target)?;
            if request.mode == WriteMode::Create {
                let path = target.display_name();
                let text = message!(
                    "{}{}",
                    &path,
                    tool_and_shell_term(
                        " is there already, and mode is create. Read it and edit it, or leave mode out to replace it.",
                        " exists already, and --create was given. Edit it, or leave --create out to replace it.",
                    )
                );
                return Err(
                    Refusal::from_message(RefusalKind::Exists, text).with_field("file_path", path)
                );
            }
            plan_existing_file(context, attempt, target, request, insist)?
        }
    };
    refuse_credential(context, &file.target, &request.content)?;
    Ok(file)
}

/// Returns the content of a write to a file with this text.
fn content_for<'r>(request: &'r WriteRequest, document: &Document<'_>) -> &'r str {
    let content = request.content.as_str();
    let lacks_newline = !document.view().is_empty() && !document.view().ends_with('\n');
    match request.final_newline {
        WrittenNewline::AsFile if lacks_newline => content.strip_suffix('\n').unwrap_or(content),
        _ => content,
    }
}

fn plan_existing_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    request: &WriteRequest,
    insist: Insist,
) -> Result<FilePlan, Refusal> {
    let base = snapshot_to_change(context, attempt, &target)?;
    refuse_notebook(context.engine(), &target, &base.bytes)?;
    let document = decode(context.engine(), &target, &base.bytes)?;
    let content = content_for(request, &document);
    // A file of this name that is not a notebook becomes one.
    if is_notebook_name(&target) && request.mode != WriteMode::Append {
        require_valid_notebook(&target, content)?;
    }
    let (need, nothing_new) = match request.mode {
        WriteMode::Append => (RequiredPart::Places, content.is_empty()),
        _ => (
            RequiredPart::Whole,
            !target.is_withheld() && has_same_text(content, &document, &base),
        ),
    };
    if nothing_new {
        return Err(no_change_refusal(&target));
    }
    let read_state = if target.is_withheld() {
        read_state_of_withheld(&target, &base, request.revision.as_deref())?
    } else {
        read_state(
            context,
            target.path(),
            CurrentVersion::from_snapshot(&base, &document),
            request.revision.as_deref(),
            need,
        )?
    };
    if need == RequiredPart::Whole && request.revision.is_none() && !target.is_withheld() {
        require_one_conversation(context, &target)?;
    }
    require_seen(
        context,
        &target,
        &document,
        &base,
        &read_state,
        request.mode,
    )?;
    if insist == Insist::No {
        let old = (request.mode != WriteMode::Append).then(|| document.view());
        let found = find_leak(old, content).or_else(|| find_placeholder(content, old?));
        if let Some(found) = found {
            return Err(leak_refusal(&found.reason, found.mended.as_deref()));
        }
    }
    let (new, mut view, seen) = match request.mode {
        WriteMode::Append => append_content(context, &target, &document, content, read_state)?,
        _ => replace_content(context, &target, &document, &base, content)?,
    };
    if base.bytes.is_empty() && view.lines.is_empty() {
        view.lines.push(1..view.added + 1);
    }
    let (encoding, endings) = (document.encoding(), document.endings());
    let base_expected = expected_content(&base);
    drop(document);
    Ok(FilePlan {
        target,
        expected: base_expected,
        base: Some(base),
        new,
        view,
        encoding,
        endings,
        seen,
        executable: ExecutableChange::Keep,
    })
}

/// Returns the read state of a withheld file. No model can have read it, and the person who is asked sees the diff
/// instead. A refusal neither shows the change nor names the present revision, because a short text could be guessed
/// from its hash.
fn read_state_of_withheld(
    target: &Target,
    base: &Snapshot,
    revision: Option<&str>,
) -> Result<ReadState, Refusal> {
    if revision.is_some_and(|named| named != base.revision.short_hex()) {
        let path = target.display_name();
        let text = message!(
            "{} is at another revision, and its text is not shown. Leave revision out: the person who is asked sees the change.",
            &path
        );
        return Err(Refusal::from_message(RefusalKind::Stale, text).with_field("file_path", path));
    }
    Ok(ReadState::from_seen(SeenRanges::all_seen(
        base.bytes.len() as u64
    )))
}

/// Returns whether the content already is the file's text; this is reported even if the file was not read.
fn has_same_text(content: &str, document: &Document<'_>, base: &Snapshot) -> bool {
    content.as_bytes() == base.bytes.as_slice()
        || (document.endings() == Endings::Lf && content == document.view())
}

type Written = (NewContent, ChangeView, SeenRanges);

fn append_content(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    content: &str,
    read_state: ReadState,
) -> Result<Written, Refusal> {
    let text = lancet_text::normalize_newlines(content, document.endings()).into_owned();
    let end = document.view().len();
    let changes = [Change {
        range: end..end,
        text,
    }];
    let raw = document
        .raw_changes(&changes)
        .map_err(|error| unencodable_refusal(target, &error))?;
    let mut laid = CombinedChanges {
        changes: changes.to_vec(),
        raw,
    };
    let formatted = format_edits(context, target, document, &mut laid);
    let CombinedChanges { changes, raw } = laid;
    let mut notes = Notes::default();
    notes.push_once(formatted.notice);
    add_preserved_properties(document, &mut notes);
    notes.push_once(endings_note(content, document.endings()));
    notes.push_once(hidden::hidden_in_changes(document.view(), &changes));
    notes.add_foreign_change(read_state.foreign.as_deref());
    let (mut view, shown) = change_view(context, document, &changes, notes, LineOffsets::default());
    let mut seen = read_state.seen;
    for lines in shown {
        seen.add(raw_lines(document, lines));
    }
    seen.apply_edit(
        &raw.iter()
            .map(|change| (change.range.clone(), change.bytes.len() as u64))
            .collect::<Vec<_>>(),
    );
    view.unshown = unshown_lines_after_format(document, &raw, &view, &formatted.lines);
    for range in &view.unshown {
        seen.remove(range.clone());
    }
    Ok((NewContent::Changes(raw), view, seen))
}

fn replace_content(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    base: &Snapshot,
    content: &str,
) -> Result<Written, Refusal> {
    let ending = match (
        context.engine().settings.write.line_endings,
        document.endings(),
    ) {
        (LineEndings::Keep, Endings::Crlf) => LineEnd::Crlf,
        (LineEndings::Keep, Endings::Cr) => LineEnd::Cr,
        (LineEndings::Keep, Endings::Lf) => LineEnd::Lf,
        _ => LineEnd::AsSent,
    };
    let bytes = encode_new(content, document.encoding(), ending)
        .map_err(|error| unencodable_refusal(target, &error))?;
    let formatted = format_file(context, target, document.view(), bytes, document.encoding());
    let bytes = formatted.bytes;
    // An answer must not confirm a guess about the text of a withheld file.
    if bytes == *base.bytes && !target.is_withheld() {
        return Err(no_change_refusal(target));
    }
    let after = Document::decode(&bytes, Some(document.encoding()));
    let after_view = after.as_ref().map_or(content, |after| after.view());
    let changed = difference(document.view(), after_view, 3, DIFF_BUDGET);
    let mut notes = Notes::default();
    notes.push_once(formatted.notice);
    if ending != LineEnd::AsSent {
        add_preserved_properties(document, &mut notes);
        notes.push_once(endings_note(content, document.endings()));
    }
    if let Ok(after) = &after
        && after.encoding() != document.encoding()
    {
        notes.push(message!(
            "the file will be read as {}, no longer as {}",
            verbatim(after.encoding().name()),
            verbatim(document.encoding().name())
        ));
    }
    // Omitting the warning would reveal something about a withheld file, too.
    let known = if target.is_withheld() {
        ""
    } else {
        document.view()
    };
    notes.push_once(hidden::hidden_in_texts(known, after_view));
    let diff = unified_diff(&changed.hunks);
    let room = MAX_DIFF_LENGTH.min(context.limit.most / 8 * 5);
    let body = if changed.coarse || context.length(&diff) > room {
        outline_unshown_changes(&changed.blocks, LineOffsets::default())
    } else if diff.is_empty() {
        "only line ends changed\n".to_owned()
    } else {
        diff
    } + &formatted.body;
    let view = ChangeView {
        added: changed.added,
        removed: changed.removed,
        coarse: changed.coarse,
        lines: changed
            .blocks
            .iter()
            .map(|(_, new)| new.start + 1..new.end + 1)
            .collect(),
        patch: changed.hunks,
        body,
        notices: notes.into_sentences(),
        unshown: formatted.unshown,
        ..ChangeView::default()
    };
    let seen = view.seen_of_written_file(bytes.len());
    Ok((NewContent::Whole(bytes), view, seen))
}

/// Records which properties of the file were preserved that the model could not know.
fn add_preserved_properties(document: &Document<'_>, notes: &mut Notes) {
    let mut kept = Vec::new();
    if matches!(document.endings(), Endings::Crlf | Endings::Cr) {
        kept.push(message!(
            "{} line ends",
            verbatim(document.endings().name().to_uppercase())
        ));
    }
    if document.encoding().name() != "utf-8" {
        kept.push(message!(
            "the encoding {}",
            verbatim(document.encoding().name())
        ));
    }
    if !kept.is_empty() {
        notes.push(message!(
            "the file keeps its {}",
            Message::joined(kept, " and ")
        ));
    }
}

fn no_change_refusal(target: &Target) -> Refusal {
    let path = quote_path(target.path());
    Refusal::from_message(
        RefusalKind::NoChange,
        message!(
            "{} already has exactly this content. Nothing was written.",
            &path
        ),
    )
    .with_field("file_path", path)
}
