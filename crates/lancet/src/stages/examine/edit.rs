//! The *examine* stage for the edits of one file: finds, checks and applies each edit to the result of the ones before
//! it. Nothing is written; the result is the plan for the file, or a refusal for each edit that failed.

mod crowd;
mod drafted;
pub(super) mod edit_session;
mod encoding_after;
pub(super) mod finish;
pub(super) mod held;
mod hinted_lines;
mod line_place;
mod line_range;
mod line_refusals;
mod matches;
mod places;
mod planned;
pub(crate) mod refuse;
pub(super) mod source;
mod unchanged;
mod unseen;

use std::sync::Arc;

use lancet_history::SeenRanges;
use lancet_text::{Encoding, Endings};
use lancet_workspace::{ExecutableChange, FileType, Snapshot};

use self::edit_session::{EditOptions, EditSession, RefusalDetail, SharedOptions};
use self::finish::Finished;
use self::held::InMemoryText;
use self::refuse::not_empty_refusal;
use self::source::TextSource;
use super::large::{self, LargeFile, StreamedText};
use super::new_file;
use super::read_state::{CurrentVersion, ReadState, RequiredPart, read_state};
use crate::engine::FileSurvey;
use crate::refusal::Refusal;
use crate::request::{EditRequest, Place};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    MAX_EDITED_SIZE, MAX_IN_MEMORY_SIZE, decode_version, expected_content, is_notebook_name,
    refuse_notebook, require_file, snapshot_to_change,
};
use crate::stages::plan::{FilePlan, NewContent};
use crate::wording::quote_path;

/// The length of an answer's text about one file (headline, revision, warnings) apart from its path, which it contains
/// twice, and its notes.
pub(crate) const TEXT_LENGTH_PER_FILE: usize = 400;

/// Works out the plan for the edits of one file; none where one of them was refused.
pub(super) fn examine_file(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: Target,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<FilePlan> {
    let fail_all = |failures: &mut [Option<Refusal>], refusal: Refusal| {
        for (at, _) in edits {
            failures[*at] = Some(refusal.clone());
        }
    };
    context.charge_sentence(
        2 * context.length(&quote_path(target.path()).to_string()) + TEXT_LENGTH_PER_FILE,
    );
    let is_missing = matches!(target.located.kind(), FileType::Missing);
    if is_missing
        && edits
            .first()
            .is_some_and(|(_, edit)| edit.creates_or_fills_file() && edit.revision.is_none())
    {
        return new_file::from_edits(context, target, edits, options, failures);
    }
    if let Err(refusal) = require_file(context.engine(), &target) {
        fail_all(failures, refusal);
        return None;
    }
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > 0 && !is_only_byte_order_mark(&target, size) {
        // Only the first edit sees the file as it is on the disk; the others see the result of the edits before them.
        if let Some((at, _)) = edits
            .first()
            .filter(|(_, edit)| edit.creates_or_fills_file())
        {
            failures[*at] = Some(not_empty_refusal(&target));
        }
        if edits.iter().all(|(at, _)| failures[*at].is_some()) {
            return None;
        }
    }
    let failed = match open_version(context, attempt, &target, edits) {
        Ok(opened) => match apply_edits(context, &target, &opened, edits, options, failures) {
            Ok(laid) => {
                return laid.map(|(finished, form)| file_plan(target, opened, finished, form));
            }
            Err(refusal) => refusal,
        },
        Err(refusal) => refusal,
    };
    for (at, _) in edits {
        failures[*at].get_or_insert_with(|| failed.clone());
    }
    None
}

/// Returns whether a file contains only a byte order mark, so that its text is empty.
fn is_only_byte_order_mark(target: &Target, size: u64) -> bool {
    const BYTE_ORDER_MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let bytes = (size <= 3).then(|| target.located.read_at(0, 3));
    matches!(bytes, Some(Ok((bytes, _))) if BYTE_ORDER_MARKS.contains(&bytes.as_slice()))
}

/// The version of a file that edits are applied to.
enum OpenedVersion {
    /// The version is in memory.
    Held(Snapshot),
    /// The file is too large for memory and has a form that can be streamed.
    Streamed(Arc<FileSurvey>, Encoding),
}

/// Opens a file for a change. A large file is streamed where there is only one edit and its text is certain to be
/// encodable.
fn open_version(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: &Target,
    edits: &[(usize, &EditRequest)],
) -> Result<OpenedVersion, Refusal> {
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > MAX_IN_MEMORY_SIZE
        && size <= MAX_EDITED_SIZE
        && !is_notebook_name(target)
        && let [(_, edit)] = edits
        && edit.as_hunk().is_none()
        && !matches!(edit.place, Place::Matches(_) | Place::Planned(_))
    {
        let survey = large::survey(context, target)?;
        let encoding = large::streamable_encoding(context, target, &survey)?;
        if let Some(encoding) = encoding.filter(|form| form.is_utf8() || edit.new.is_ascii()) {
            return Ok(OpenedVersion::Streamed(survey, encoding));
        }
    }
    let base = snapshot_to_change(context, attempt, target)?;
    refuse_notebook(context.engine(), target, &base.bytes)?;
    Ok(OpenedVersion::Held(base))
}

/// Applies the edits to the opened version. Returns `Err` where the version cannot be decoded at all.
fn apply_edits(
    context: &CallContext<'_>,
    target: &Target,
    opened: &OpenedVersion,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Result<Option<(Finished, Form)>, Refusal> {
    Ok(match opened {
        OpenedVersion::Held(base) => {
            let document = decode_version(context.engine(), target, base)?;
            let text = InMemoryText::new(context, target, &document, edits);
            let session = EditSession::new(context, target, text);
            let current = CurrentVersion::from_snapshot(base, &document);
            apply_edits_in_order(session, current, edits, options, failures)
                .map(|finished| (finished, (document.encoding(), document.endings())))
        }
        OpenedVersion::Streamed(survey, encoding) => {
            let text = StreamedText::new(LargeFile::new(context, target, survey));
            let session = EditSession::new(context, target, text);
            apply_edits_in_order(
                session,
                CurrentVersion::from_survey(survey),
                edits,
                options,
                failures,
            )
            .map(|finished| (finished, (*encoding, survey.facts.endings())))
        }
    })
}

/// The encoding and the line ends of a file.
type Form = (Encoding, Endings);

/// Makes the plan that changes a file.
fn file_plan(target: Target, opened: OpenedVersion, finished: Finished, form: Form) -> FilePlan {
    let (expected, base, new) = match opened {
        OpenedVersion::Held(base) => (
            expected_content(&base),
            Some(base),
            NewContent::Changes(finished.changes),
        ),
        OpenedVersion::Streamed(survey, _) => (
            survey.expected(),
            None,
            NewContent::Streamed(finished.changes),
        ),
    };
    FilePlan {
        target,
        expected,
        base,
        new,
        view: finished.view,
        encoding: form.0,
        endings: form.1,
        seen: finished.seen,
        executable: ExecutableChange::Keep,
    }
}

/// Applies the edits of a file, each to the result of the ones before. `None` where one was refused.
fn apply_edits_in_order<S: TextSource>(
    mut session: EditSession<'_, S>,
    current: CurrentVersion<'_>,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<Finished> {
    let (context, path) = (session.context, session.target.path());
    let is_empty = session.source.length() == 0;
    // An empty file has no lines, so none of them can be unseen.
    let fills_unknown = |edit: &EditRequest| {
        edit.creates_or_fills_file()
            && edit.revision.is_none()
            && is_empty
            && context.session.ledger().get_without_use(path).is_none()
    };
    let mut read_states: Vec<(Option<&str>, Result<ReadState, Refusal>)> = Vec::new();
    let mut seen = None;
    for &(at, edit) in edits {
        if failures[at].is_some() {
            continue;
        }
        if let Some(refusal) = planned::outdated_refusal(session.target, edit, current) {
            failures[at] = Some(refusal);
            continue;
        }
        let named = edit.revision.as_deref();
        if !read_states.iter().any(|(known, _)| *known == named) {
            let found = if fills_unknown(edit) {
                Ok(ReadState::from_seen(SeenRanges::all_seen(current.size)))
            } else if let Some(known) = planned::read_state(context, path, edit, current) {
                Ok(known)
            } else {
                read_state(context, path, current, named, RequiredPart::Places)
            };
            read_states.push((named, found));
        }
        let Some((_, read_state)) = read_states.iter().find(|(known, _)| *known == named) else {
            continue;
        };
        let words = RefusalDetail::for_next_refusal(failures);
        let applied = context.check_time().and_then(|()| {
            session.apply(
                read_state,
                edit,
                EditOptions {
                    shared: options,
                    words,
                },
            )
        });
        match applied {
            Ok(known) => seen = Some(known),
            Err(refusal) => failures[at] = Some(refusal),
        }
    }
    let is_refused = |at: usize| failures[at].as_ref().is_some_and(|refusal| !refusal.idle);
    if edits.iter().any(|(at, _)| is_refused(*at))
        || edits.iter().all(|(at, _)| failures[*at].is_some())
    {
        return None;
    }
    let finished = session.finish(seen.unwrap_or_default());
    // A refusal of the result as a whole is attributed to the last edit, which completed it.
    finished
        .map_err(|refusal| {
            let made = |(at, _): &&(usize, &EditRequest)| failures[*at].is_none();
            if let Some((at, _)) = edits.iter().rfind(made) {
                failures[*at] = Some(refusal);
            }
        })
        .ok()
}
