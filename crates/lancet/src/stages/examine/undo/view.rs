//! The plan for a file that changes from one whole state to another: its diff, and what the session will have seen of
//! it.

use std::path::PathBuf;

use lancet_history::{OperationStore, RecordedState, SeenRanges};
use lancet_text::{Difference, Document, Encoding, Endings, difference, unified_diff};
use lancet_workspace::{ExecutableChange, ExpectedState, Revision, Snapshot};

use super::current_file::{CurrentFile, DiskContent};
use super::kept::{open_content, read_content};
use super::{empty_folder, links};
use crate::ledger::{carry_over_seen, raw_line};
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::examine::edit::TEXT_LENGTH_PER_FILE;
use crate::stages::examine::large::{self, back::StoredState};
use crate::stages::examine::read_state::DIFF_BUDGET;
use crate::stages::locate::Target;
use crate::stages::open::{MAX_IN_MEMORY_SIZE, configured_encoding};
use crate::stages::plan::{ChangeView, FilePlan, NewContent};
use crate::wording::{format_count, quote_path};

/// The state that an undo or restore gives a file.
pub(super) enum WantedState<'k> {
    /// The file is removed.
    Nothing,
    /// The file gets a state that is in the history.
    Kept(&'k RecordedState),
    /// The file gets these bytes.
    Bytes(Vec<u8>),
}

/// Returns the plan that brings a file to the wanted state; none where it already has that state.
pub(super) fn file_plan(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: Target,
    current: Option<CurrentFile>,
    wanted: WantedState<'_>,
    mode: Option<u32>,
    made_folders: Vec<PathBuf>,
) -> Result<Option<FilePlan>, Refusal> {
    let same_mode = match (&current, mode) {
        (Some(current), Some(mode)) => current.stamp.mode & 0o7777 == mode & 0o7777,
        _ => true,
    };
    let revision = match &wanted {
        WantedState::Nothing => None,
        WantedState::Kept(kept) => Some(kept.revision),
        WantedState::Bytes(bytes) => Some(*Revision::from_content(bytes).as_bytes()),
    };
    let found = current.as_ref().map(|current| *current.revision.as_bytes());
    if found == revision && same_mode {
        return Ok(None);
    }
    let expected = current
        .as_ref()
        .map_or(ExpectedState::Missing, CurrentFile::expected);
    if let WantedState::Kept(kept) = &wanted {
        if let Some(link) = &kept.link {
            return Ok(Some(links::made(target, expected, current, link)));
        }
        if kept.is_folder() {
            let plan = empty_folder::made(target, expected, current, kept.mode);
            return Ok(Some(plan));
        }
    }
    if let (WantedState::Nothing, ExpectedState::Link { .. } | ExpectedState::EmptyFolder { .. }) =
        (&wanted, &expected)
    {
        return Ok(Some(links::removed(target, expected, made_folders)));
    }
    let mode = file_mode(&wanted, &expected, mode);
    let new = match (wanted, current.as_ref().map(|current| &current.content)) {
        (WantedState::Nothing, Some(DiskContent::Large(survey))) => {
            return Ok(Some(large::back::plan_removal(
                target,
                expected,
                survey,
                made_folders,
            )));
        }
        (WantedState::Kept(kept), found)
            if kept.size > MAX_IN_MEMORY_SIZE || matches!(found, Some(DiskContent::Large(_))) =>
        {
            let plan = large_plan(context, store, target, expected, found, (kept, mode))?;
            return Ok(Some(plan));
        }
        (WantedState::Nothing, _) => None,
        (WantedState::Kept(kept), _) => Some(read_content(store, &kept.revision)?),
        (WantedState::Bytes(bytes), _) => Some(bytes),
    };
    let current = current.and_then(CurrentFile::into_snapshot);
    let (encoding, endings, view, seen) =
        compare_states(context, &target, current.as_ref(), new.as_deref());
    Ok(Some(FilePlan {
        target,
        expected,
        new: match new {
            Some(bytes) => NewContent::Restored { bytes, mode },
            None => NewContent::Removed {
                folders: made_folders,
            },
        },
        base: current,
        view,
        encoding,
        endings,
        seen,
        executable: ExecutableChange::Keep,
    }))
}

/// Returns the permission bits that a file is to have. Those of a folder that has the name now are not meant for a file.
fn file_mode(wanted: &WantedState<'_>, expected: &ExpectedState, mode: Option<u32>) -> Option<u32> {
    match (wanted, expected) {
        (WantedState::Kept(kept), ExpectedState::EmptyFolder { .. }) => Some(kept.mode),
        _ => mode,
    }
}

/// Returns the plan that restores a state where it, or the file now, is too large for memory.
fn large_plan(
    context: &CallContext<'_>,
    store: &dyn OperationStore,
    target: Target,
    expected: ExpectedState,
    found: Option<&DiskContent>,
    (kept, mode): (&RecordedState, Option<u32>),
) -> Result<FilePlan, Refusal> {
    let stored = StoredState {
        content: open_content(store, &kept.revision)?,
        revision: kept.revision,
        mode,
    };
    let made;
    let survey = match found {
        Some(DiskContent::Large(survey)) => Some(&**survey),
        // The file is surveyed like a large one, because the wanted state is large.
        Some(DiskContent::Held(_)) => {
            made = large::survey(context, &target)?;
            Some(&*made)
        }
        // Without a file there is nothing to survey.
        Some(DiskContent::Link(_) | DiskContent::EmptyFolder) | None => None,
    };
    large::back::plan_restore(context, target, expected, survey, stored)
}

/// Compares the present and the new text of the file, and works out what will have been seen of the new one.
fn compare_states(
    context: &CallContext<'_>,
    target: &Target,
    current: Option<&Snapshot>,
    new: Option<&[u8]>,
) -> (Encoding, Endings, ChangeView, SeenRanges) {
    let configured = configured_encoding(context.engine(), target);
    let before = current.map_or(&[][..], |current| &current.bytes);
    let after = new.unwrap_or_default();
    let documents = Document::decode(before, configured)
        .ok()
        .zip(Document::decode(after, configured).ok());
    match &documents {
        Some((old, document)) => {
            let difference = difference(old.view(), document.view(), 3, DIFF_BUDGET);
            let diff = shown_diff(context, target, &difference);
            let mut seen = unchanged_seen(
                context,
                target,
                current,
                old,
                (document, after),
                &difference,
            );
            if !target.is_withheld() && diff.is_some() {
                for line in difference.blocks.iter().flat_map(|(_, new)| new.clone()) {
                    seen.add(raw_line(document, line));
                }
            }
            let shown = if new.is_some() { document } else { old };
            (
                shown.encoding(),
                shown.endings(),
                text_view(difference, diff),
                seen,
            )
        }
        None => (
            Encoding::UTF8,
            Endings::None,
            binary_view(before, after),
            SeenRanges::default(),
        ),
    }
}

/// Returns the parts that were seen of the present version and do not change.
fn unchanged_seen(
    context: &CallContext<'_>,
    target: &Target,
    current: Option<&Snapshot>,
    old: &Document<'_>,
    (new, new_raw): (&Document<'_>, &[u8]),
    difference: &Difference,
) -> SeenRanges {
    let known = context
        .session
        .ledger()
        .get_without_use(target.path())
        .cloned();
    match (known, current) {
        (Some(entry), Some(current)) if entry.revision == *current.revision.as_bytes() => {
            carry_over_seen(old, &current.bytes, &entry.seen, new, new_raw, difference)
        }
        _ => SeenRanges::default(),
    }
}

/// Returns the diff for the answer; none where it does not fit whole.
fn shown_diff(
    context: &CallContext<'_>,
    target: &Target,
    difference: &Difference,
) -> Option<String> {
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    let diff = unified_diff(&difference.hunks);
    let length = context.length(&diff);
    if difference.coarse || !context.budget.try_charge_lines(length) {
        return None;
    }
    Some(diff)
}

fn text_view(difference: Difference, diff: Option<String>) -> ChangeView {
    let body = match diff {
        None => format!(
            "{} added, {} removed; the diff is too long to show",
            format_count(difference.added, "line"),
            format_count(difference.removed, "line")
        ),
        Some(_) if difference.is_empty() => {
            "only line ends, an encoding or permission bits changed".to_owned()
        }
        Some(diff) => diff,
    };
    ChangeView {
        added: difference.added,
        removed: difference.removed,
        coarse: difference.coarse,
        lines: difference
            .blocks
            .iter()
            .map(|(_, new)| new.start + 1..new.end + 1)
            .collect(),
        patch: difference.hunks,
        body,
        ..ChangeView::default()
    }
}

fn binary_view(before: &[u8], after: &[u8]) -> ChangeView {
    ChangeView {
        body: format!(
            "not text: {}, before {}",
            format_count(after.len(), "byte"),
            before.len()
        ),
        ..ChangeView::default()
    }
}

/// The form (encoding and line ends) of content that is not text.
pub(super) const FORM_OF_BINARY: (Encoding, Endings) = (Encoding::UTF8, Endings::None);

/// Returns the encoding and line ends of a content.
pub(super) fn encoding_and_line_ends(
    context: &CallContext<'_>,
    target: &Target,
    bytes: &[u8],
) -> (Encoding, Endings) {
    match Document::decode(bytes, configured_encoding(context.engine(), target)) {
        Ok(document) => (document.encoding(), document.endings()),
        Err(_) => FORM_OF_BINARY,
    }
}
