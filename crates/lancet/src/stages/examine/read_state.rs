//! Determines how much of the version on the disk the session's model has seen, and so what the session may do with a
//! file. Staleness is decided here, by the hash of the raw bytes, before any text is searched.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lancet_history::{LedgerEntry, LineNumbers, MoveOrigin, SeenRanges};
use lancet_text::{Document, difference, unified_diff};
use lancet_workspace::{Revision, Snapshot};

use crate::applied_by::AppliedBy;
use crate::engine::FileSurvey;
use lancet_model::refusal::ShownVersion;

use crate::ledger::{carry_over_seen, entry_for, line_changes};
use crate::message::{
    CALL_VERB, FileText, SEND_THIS_AGAIN, message, tool_and_shell_term, verbatim,
};
use crate::refusal::{Refusal, RefusalKind};
use crate::settings::Stale;
use crate::stages::context::CallContext;
use crate::wording::{format_count, quote_path};

/// The longest time for computing the diff of a change that another program made.
pub(crate) const DIFF_BUDGET: Duration = Duration::from_millis(200);

/// The part of the file that must have been seen for a tool to change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequiredPart {
    /// The places that the tool changes.
    Places,
    /// The whole file, unless the caller names the revision that it replaces.
    Whole,
}

/// The part of the version on the disk that the session has seen.
pub(crate) struct ReadState {
    /// The byte ranges that were seen.
    pub(crate) seen: SeenRanges,
    /// The present positions of the lines whose numbers were shown.
    pub(crate) numbers: LineNumbers,
    /// A change by another program that was merged (`stale = "merge"`), as a diff for the answer.
    pub(crate) foreign: Option<String>,
    /// The refusal to give where an edit touches lines that the other program's change touched.
    pub(crate) merge_refusal: Option<Box<Refusal>>,
}

impl ReadState {
    pub(crate) fn from_seen(seen: SeenRanges) -> Self {
        Self {
            seen,
            numbers: LineNumbers::default(),
            foreign: None,
            merge_refusal: None,
        }
    }
}

/// The version of a file on the disk.
#[derive(Clone, Copy)]
pub(crate) struct CurrentVersion<'v> {
    pub(crate) revision: Revision,
    pub(crate) size: u64,
    /// The bytes and text; none where they are not in memory, so that a change by another program cannot be shown.
    pub(crate) content: Option<(&'v Snapshot, &'v Document<'v>)>,
}

impl<'v> CurrentVersion<'v> {
    pub(crate) fn from_snapshot(snapshot: &'v Snapshot, document: &'v Document<'v>) -> Self {
        Self {
            revision: snapshot.revision,
            size: snapshot.bytes.len() as u64,
            content: Some((snapshot, document)),
        }
    }

    pub(crate) fn from_survey(survey: &FileSurvey) -> Self {
        Self {
            revision: survey.revision,
            size: survey.facts.length(),
            content: None,
        }
    }
}

/// Determines what the session has seen of the current version of a file, or refuses where it has not read that
/// version.
pub(crate) fn read_state(
    context: &CallContext<'_>,
    path: &Path,
    current: CurrentVersion<'_>,
    revision: Option<&str>,
    need: RequiredPart,
) -> Result<ReadState, Refusal> {
    if context.applied_by == AppliedBy::Person && revision.is_none() {
        return Ok(ReadState::from_seen(SeenRanges::all_seen(current.size)));
    }
    let entry = context.session.ledger().get(path).cloned();
    let short = current.revision.short_hex();
    let is_named = revision.is_some();
    if let Some(named) = revision
        && named != short
    {
        return Err(match &entry {
            Some(entry) if entry.revision != *current.revision.as_bytes() => {
                stale_refusal(context, path, entry, current)
            }
            _ => other_revision_refusal(path, named, short),
        });
    }
    let Some(entry) = entry else {
        if is_named {
            return Ok(ReadState::from_seen(SeenRanges::all_seen(current.size)));
        }
        return Err(never_read_refusal(context, path));
    };
    if entry.revision == *current.revision.as_bytes() {
        if need == RequiredPart::Whole && is_named {
            return Ok(ReadState::from_seen(SeenRanges::all_seen(current.size)));
        }
        if entry.partial_view {
            let text = message!(
                "Only a shortened or altered view of {} was shown, which does not allow a change. {} {} and {}.",
                quote_path(path),
                CALL_VERB,
                verbatim(context.read_call(path, None, None)),
                SEND_THIS_AGAIN
            );
            return Err(Refusal::from_message(RefusalKind::NotRead, text)
                .with_field("file_path", quote_path(path)));
        }
        return Ok(ReadState {
            numbers: entry.numbers,
            ..ReadState::from_seen(entry.seen)
        });
    }
    let refusal = stale_refusal(context, path, &entry, current);
    if context.engine().settings.stale == Stale::Merge
        && need == RequiredPart::Places
        && !is_named
        && let Some(foreign) = find_foreign_change(context, &entry, current)
    {
        return Ok(ReadState {
            seen: foreign.carried,
            numbers: foreign.numbers,
            foreign: Some(foreign.diff),
            merge_refusal: Some(Box::new(refusal)),
        });
    }
    Err(refusal)
}

/// Returns the refusal for a call that names a revision other than the file's.
fn other_revision_refusal(path: &Path, named: &str, short: String) -> Refusal {
    let name = quote_path(path);
    let text = message!(
        "{} is at revision {}, not {}{}{} if it fits that version.",
        &name,
        verbatim(&short),
        verbatim(named),
        tool_and_shell_term(
            ". Read it again, or send the call with revision ",
            ". Look at it again, or give --revision "
        ),
        verbatim(&short)
    );
    Refusal::from_message(RefusalKind::Stale, text)
        .with_field("file_path", name)
        .with_field("revision", short)
}

/// Returns the refusal for a file that this session has not read at all.
pub(crate) fn never_read_refusal(context: &CallContext<'_>, path: &Path) -> Refusal {
    let mut text = message!(
        "{} has not been read in this session. {} {} first, then {}.",
        quote_path(path),
        CALL_VERB,
        verbatim(context.read_call(path, None, None)),
        SEND_THIS_AGAIN
    );
    // Some clients start lancet again for every call, so that each call has an empty ledger.
    if context.session.name().is_none() && context.session.ledger().is_empty() {
        let read = context.tool_name("Read");
        text.push(message!(" Where no session lasts from one call to the next, send the `revision` that {}'s last line names along.", verbatim(read)));
    }
    Refusal::from_message(RefusalKind::NotRead, text).with_field("file_path", quote_path(path))
}

/// The change between the version that the model saw and the one on the disk.
struct ForeignChange {
    diff: String,
    /// The ranges that were seen before and are unchanged.
    carried: SeenRanges,
    /// The same ranges, plus the lines that the diff shows.
    with_diff: SeenRanges,
    /// The present positions of the lines whose numbers were shown before.
    numbers: LineNumbers,
    added: usize,
    removed: usize,
    coarse: bool,
}

fn find_foreign_change(
    context: &CallContext<'_>,
    entry: &LedgerEntry,
    current: CurrentVersion<'_>,
) -> Option<ForeignChange> {
    let (snapshot, document) = current.content?;
    let content = entry.content.as_ref()?;
    let before = Document::decode(
        content,
        Some(document.encoding()).filter(|_| context.engine().settings.encodings_configured()),
    )
    .ok()?;
    let difference = difference(before.view(), document.view(), 3, DIFF_BUDGET);
    let carried = carry_over_seen(
        &before,
        content,
        &entry.seen,
        document,
        &snapshot.bytes,
        &difference,
    );
    let mut with_diff = carried.clone();
    for hunk in &difference.hunks {
        let first = hunk.new_start.saturating_sub(1);
        for line in first..(first + hunk.new_lines).min(document.line_count()) {
            with_diff.add(crate::ledger::raw_line(document, line));
        }
    }
    let mut numbers = entry.numbers.clone();
    numbers.record_changes(&line_changes(&difference), MoveOrigin::Other);
    let diff = if difference.hunks.is_empty() {
        "(the same text; its line endings or its encoding changed)".to_owned()
    } else {
        unified_diff(&difference.hunks)
    };
    Some(ForeignChange {
        diff,
        carried,
        with_diff,
        numbers,
        added: difference.added,
        removed: difference.removed,
        coarse: difference.coarse,
    })
}

/// Returns the refusal for a file that changed since it was read. If the whole diff fits, it is shown, and the new
/// version counts as seen.
fn stale_refusal(
    context: &CallContext<'_>,
    path: &Path,
    entry: &LedgerEntry,
    current: CurrentVersion<'_>,
) -> Refusal {
    let name = quote_path(path);
    let budget = context.refusals.most.saturating_sub(2_000);
    let revision = current.revision.short_hex();
    let foreign = find_foreign_change(context, entry, current).zip(current.content);
    let Some((foreign, (snapshot, _))) = foreign else {
        let text = message!(
            "{} changed since it was read. {} {} and {} if it still fits.",
            &name,
            CALL_VERB,
            verbatim(context.read_call(path, None, None)),
            SEND_THIS_AGAIN
        );
        return Refusal::from_message(RefusalKind::Stale, text)
            .with_field("file_path", name)
            .with_field("revision", revision);
    };
    // A long path leaves less space; a diff that is cut off must not count as shown.
    let room = budget.saturating_sub(context.refusals.length(&name.to_string()));
    if foreign.coarse || context.refusals.length(&foreign.diff) > room {
        let text = message!(
            "{} changed since it was read: {} added, {} removed, too much to show here. {} {} for the part that matters and {} if it still fits.",
            &name,
            verbatim(format_count(foreign.added, "line")),
            verbatim(format_count(foreign.removed, "line")),
            CALL_VERB,
            verbatim(context.read_call(path, None, None)),
            SEND_THIS_AGAIN
        );
        return Refusal::from_message(RefusalKind::Stale, text)
            .with_field("file_path", name)
            .with_field("revision", revision);
    }
    let text = message!(
        "{} changed since it was read. This is the change; it now counts as seen. Send the call again if it still fits.\n{}",
        &name,
        FileText(
            foreign
                .diff
                .strip_suffix('\n')
                .unwrap_or(&foreign.diff)
                .to_owned()
        )
    );
    let mut refusal = Refusal::from_message(RefusalKind::Stale, text)
        .with_field("file_path", name)
        .with_field("revision", revision)
        .with_field("diff", foreign.diff);
    let mut entry = entry_for(snapshot, foreign.with_diff);
    entry.content = Some(Arc::clone(&snapshot.bytes));
    entry.numbers = foreign.numbers;
    refusal.shown = Some(Box::new(ShownVersion {
        path: path.to_path_buf(),
        entry,
    }));
    refusal
}
