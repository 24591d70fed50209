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

use lancet_history::Seen;
use lancet_text::{Encoding, Endings};
use lancet_workspace::{Executable, FileType, Snapshot};

use self::edit_session::{EditOptions, EditSession, SharedOptions, Words};
use self::finish::Finished;
use self::held::HeldText;
use self::refuse::not_empty;
use self::source::TextSource;
use super::large::{self, LargeFile, StreamedText};
use super::new_file;
use super::read_state::{Current, Need, ReadState, read_state};
use crate::engine::Surveyed;
use crate::refusal::Refusal;
use crate::request::{EditRequest, Place};
use crate::stages::attempt::Attempt;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::{
    HELD, LARGEST, decode_version, expected, is_notebook_name, refuse_notebook, require_file,
    snapshot_to_change,
};
use crate::stages::plan::{FilePlan, New};
use crate::wording::quote_path;

/// The length of an answer's text about one file (headline, revision, warnings) apart from its path, which it contains
/// twice, and its notes.
pub(crate) const WORDS_OF_A_FILE: usize = 400;

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
    context.say(2 * context.length(&quote_path(target.path()).to_string()) + WORDS_OF_A_FILE);
    let is_missing = matches!(target.located.kind(), FileType::Missing);
    if is_missing
        && edits
            .first()
            .is_some_and(|(_, edit)| edit.fills() && edit.revision.is_none())
    {
        return new_file::from_edits(context, target, edits, options, failures);
    }
    if let Err(refusal) = require_file(context.engine(), &target) {
        fail_all(failures, refusal);
        return None;
    }
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > 0 && !is_bare_mark(&target, size) {
        // Only the first edit sees the file as it is on the disk; the others see the result of the edits before them.
        if let Some((at, _)) = edits.first().filter(|(_, edit)| edit.fills()) {
            failures[*at] = Some(not_empty(&target));
        }
        if edits.iter().all(|(at, _)| failures[*at].is_some()) {
            return None;
        }
    }
    let failed = match open(context, attempt, &target, edits) {
        Ok(opened) => match lay(context, &target, &opened, edits, options, failures) {
            Ok(laid) => return laid.map(|(finished, form)| plan(target, opened, finished, form)),
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
fn is_bare_mark(target: &Target, size: u64) -> bool {
    const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    let bytes = (size <= 3).then(|| target.located.read_at(0, 3));
    matches!(bytes, Some(Ok((bytes, _))) if MARKS.contains(&bytes.as_slice()))
}

/// The version of a file that edits are applied to.
enum Opened {
    /// The version is in memory.
    Held(Snapshot),
    /// The file is too large for memory and has a form that can be streamed.
    Streamed(Arc<Surveyed>, Encoding),
}

/// Opens a file for a change. A large file is streamed where there is only one edit and its text is certain to be
/// encodable.
fn open(
    context: &CallContext<'_>,
    attempt: &mut Attempt,
    target: &Target,
    edits: &[(usize, &EditRequest)],
) -> Result<Opened, Refusal> {
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if size > HELD
        && size <= LARGEST
        && !is_notebook_name(target)
        && let [(_, edit)] = edits
        && edit.as_hunk().is_none()
        && !matches!(edit.place, Place::Matches(_) | Place::Planned(_))
    {
        let survey = large::survey(context, target)?;
        let encoding = large::streamable(context, target, &survey)?;
        if let Some(encoding) = encoding.filter(|form| form.is_utf8() || edit.new.is_ascii()) {
            return Ok(Opened::Streamed(survey, encoding));
        }
    }
    let base = snapshot_to_change(context, attempt, target)?;
    refuse_notebook(context.engine(), target, &base.bytes)?;
    Ok(Opened::Held(base))
}

/// Applies the edits to the opened version. Returns `Err` where the version cannot be decoded at all.
fn lay(
    context: &CallContext<'_>,
    target: &Target,
    opened: &Opened,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Result<Option<(Finished, Form)>, Refusal> {
    Ok(match opened {
        Opened::Held(base) => {
            let document = decode_version(context.engine(), target, base)?;
            let text = HeldText::new(context, target, &document, edits);
            let session = EditSession::new(context, target, text);
            let current = Current::from_snapshot(base, &document);
            lay_edits(session, current, edits, options, failures)
                .map(|finished| (finished, (document.encoding(), document.endings())))
        }
        Opened::Streamed(survey, encoding) => {
            let text = StreamedText::new(LargeFile::new(context, target, survey));
            let session = EditSession::new(context, target, text);
            lay_edits(session, Current::surveyed(survey), edits, options, failures)
                .map(|finished| (finished, (*encoding, survey.facts.endings())))
        }
    })
}

/// The encoding and the line ends of a file.
type Form = (Encoding, Endings);

/// Makes the plan that changes a file.
fn plan(target: Target, opened: Opened, finished: Finished, form: Form) -> FilePlan {
    let (expected, base, new) = match opened {
        Opened::Held(base) => (expected(&base), Some(base), New::Changes(finished.changes)),
        Opened::Streamed(survey, _) => (survey.expected(), None, New::Streamed(finished.changes)),
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
        executable: Executable::Keep,
    }
}

/// Applies the edits of a file, each to the result of the ones before. `None` where one was refused.
fn lay_edits<S: TextSource>(
    mut session: EditSession<'_, S>,
    current: Current<'_>,
    edits: &[(usize, &EditRequest)],
    options: SharedOptions,
    failures: &mut [Option<Refusal>],
) -> Option<Finished> {
    let (context, path) = (session.context, session.target.path());
    let is_empty = session.source.length() == 0;
    // An empty file has no lines, so none of them can be unseen.
    let fills_unknown = |edit: &EditRequest| {
        edit.fills()
            && edit.revision.is_none()
            && is_empty
            && context.session.ledger().peek(path).is_none()
    };
    let mut read_states: Vec<(Option<&str>, Result<ReadState, Refusal>)> = Vec::new();
    let mut seen = None;
    for &(at, edit) in edits {
        if failures[at].is_some() {
            continue;
        }
        if let Some(refusal) = planned::outdated(session.target, edit, current) {
            failures[at] = Some(refusal);
            continue;
        }
        let named = edit.revision.as_deref();
        if !read_states.iter().any(|(known, _)| *known == named) {
            let found = if fills_unknown(edit) {
                Ok(ReadState::from_seen(Seen::whole(current.size)))
            } else if let Some(known) = planned::read_state(context, path, edit, current) {
                Ok(known)
            } else {
                read_state(context, path, current, named, Need::Places)
            };
            read_states.push((named, found));
        }
        let Some((_, read_state)) = read_states.iter().find(|(known, _)| *known == named) else {
            continue;
        };
        let words = Words::after(failures);
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
