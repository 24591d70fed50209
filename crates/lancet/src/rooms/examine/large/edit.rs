//! An exact edit of a large file: places are found in a streaming pass, and only the stretches around them are read
//! again to show what changes. Tolerant rungs need the whole text at once and are not tried here; the refusal says so.

use std::ops::Range;

use lancet_history::Seen;
use lancet_text::{EditContext, Endings, PLACES_MOST, RawChange, Remark, leaked_edit};
use lancet_workspace::Expected;

use super::around::{remarks, repeats_at_all, whole_lines};
use super::places::{Places, find_places, line_numbers, without_overlaps};
use super::view::view;
use super::{scan, suited, survey};
use crate::engine::Surveyed;
use crate::refusal::{Refusal, RefusalKind};
use crate::rooms::CallContext;
use crate::rooms::examine::explain::{leak, markup};
use crate::rooms::examine::hidden;
use crate::rooms::examine::open::HELD;
use crate::rooms::examine::read_state::never_read;
use crate::rooms::examine::remarks::sentence;
use crate::rooms::examine::view::endings_note;
use crate::rooms::locate::Target;
use crate::rooms::plan::{FilePlan, New};
use crate::rooms::request::{EditRequest, Insist};
use crate::settings::Matching;
use crate::wording::{count, line_list, lines_named, quote_path};

/// What came of it.
pub(crate) enum Outcome {
    /// A plan.
    Plan(Box<FilePlan>),
    /// The file has to be looked at whole.
    NotSuited(Box<Target>),
}

/// Works out a plan for one exact edit.
pub(crate) fn examine(
    context: &CallContext<'_>,
    target: Target,
    edit: &EditRequest,
    insist: Insist,
) -> Result<Outcome, Refusal> {
    let survey = survey(context, &target)?;
    let Some(encoding) = suited(context, &target, &survey)? else {
        return Ok(Outcome::NotSuited(Box::new(target)));
    };
    if edit.old.is_empty() {
        let text = format!(
            "{} is there and not empty, and old_string is empty. Read it and send the text to replace.",
            quote_path(target.path())
        );
        return Err(Refusal::new(RefusalKind::Exists, text));
    }
    if edit.old == edit.new {
        return Err(Refusal::new(
            RefusalKind::NoChange,
            "old_string and new_string are the same. Nothing was written; send the text that was meant.",
        ));
    }
    let endings = survey.facts.endings();
    let old = lancet_text::normalize_newlines(&edit.old, endings);
    let new = lancet_text::normalize_newlines(&edit.new, endings);
    if !encoding.is_utf8() && !new.is_ascii() {
        // ASCII so far, in a configured encoding that the new text would have to be written in.
        return Ok(Outcome::NotSuited(Box::new(target)));
    }
    let mut seen = read_state(context, &target, &survey, edit)?;
    let needle = in_file(&old, endings);
    let places = find_places(context, &target, &survey, &needle)?;
    check_places(context, &target, &survey, &places, edit, &seen)?;
    if insist == Insist::No {
        let around = EditContext {
            old: &edit.old,
            // The whole file is not held; what the old text has of a form stands for it.
            file: "",
            lines: &line_numbers(&target, &survey, &places.first, 1)?,
            markup: markup(target.path()),
        };
        if let Some(found) = leaked_edit(&around, &edit.new) {
            return Err(leak(&found.reason, found.mended.as_deref()));
        }
    }
    let taken = without_overlaps(&places.first);
    let file = (&target, &*survey);
    let once = context.engine().settings.matching != Matching::Exact
        && repeats_at_all(file, &taken, &old, &new)?;
    let sent = if once {
        new.trim_start_matches(|character| " \t".contains(lancet_text::fold_char(character)))
    } else {
        &new
    };
    let replacement = in_file(sent, endings);
    refuse_result(&target, &needle, &replacement)?;
    let mut changes: Vec<RawChange> = Vec::with_capacity(taken.len());
    for (number, place) in taken.iter().enumerate() {
        let mut range = place.clone();
        if new.is_empty() {
            let before = changes.last().map_or(0, |change| change.range.end);
            let next = taken.get(number + 1).map_or(u64::MAX, |next| next.start);
            let whole = whole_lines(file, place, &old)?;
            range = whole
                .filter(|whole| before <= whole.start && whole.end <= next)
                .unwrap_or(range);
        }
        changes.push(RawChange {
            range,
            bytes: replacement.clone().into_bytes(),
        });
    }
    let mut view = view(context, &target, &survey, &changes, &mut seen)?;
    let mut remarks = remarks(file, &taken, &old, sent)?;
    if once {
        remarks.insert(0, Remark::IndentationOnce);
    }
    view.notices.splice(0..0, remarks.iter().map(sentence));
    view.notices.extend(endings_note(&edit.new, endings));
    if lancet_text::may_hide(&new) {
        let mut pieces = hidden::Pieces::default();
        scan(context, &target, &mut |bytes| pieces.feed(bytes))?;
        view.notices
            .extend(hidden::of_insertion(&new, &pieces.kinds));
    }
    let shifts: Vec<_> = changes
        .iter()
        .map(|change| (change.range.clone(), change.bytes.len() as u64))
        .collect();
    seen.shift(&shifts);
    let expected = Expected::Content {
        revision: survey.revision,
        stamp: survey.stamp,
        bytes: None,
    };
    Ok(Outcome::Plan(Box::new(FilePlan {
        target,
        expected,
        base: None,
        new: New::Streamed(changes),
        view,
        encoding,
        endings,
        seen,
    })))
}

/// The text with the file's line ends. Both kinds that reach here are uniform.
fn in_file(text: &str, endings: Endings) -> String {
    if endings == Endings::Crlf {
        text.replace('\n', "\r\n")
    } else {
        text.to_owned()
    }
}

/// What the session has seen of this version.
fn read_state(
    context: &CallContext<'_>,
    target: &Target,
    survey: &Surveyed,
    edit: &EditRequest,
) -> Result<Seen, Refusal> {
    let path = target.path();
    let current = survey.revision.short();
    let known = context
        .session
        .ledger()
        .peek(path)
        .map(|entry| (entry.revision, entry.seen.clone(), entry.partial_view));
    if edit
        .revision
        .as_ref()
        .is_some_and(|named| *named != current)
    {
        let text = format!(
            "{} is at revision {current}. Read the part that is to change again, or send the call with that revision.",
            quote_path(path)
        );
        return Err(Refusal::new(RefusalKind::Stale, text).with("revision", current));
    }
    match known {
        Some((revision, _, _)) if revision != *survey.revision.as_bytes() => {
            let text = format!(
                "{} changed since it was read, and it is too large for the change to be shown. Call {} for the part that matters and send this call again if it still fits.",
                quote_path(path),
                context.read_call(path, None, None)
            );
            Err(Refusal::new(RefusalKind::Stale, text).with("file_path", quote_path(path)))
        }
        Some((_, seen, false)) => Ok(seen),
        None if edit.revision.is_some() => Ok(Seen::whole(survey.facts.length())),
        _ => Err(never_read(context, path)),
    }
}

/// Refuses a result that is the file as it was, or no text.
fn refuse_result(target: &Target, needle: &str, replacement: &str) -> Result<(), Refusal> {
    let path = quote_path(target.path());
    if needle == replacement {
        let text = format!("{path} already is what this would make of it. Nothing was written.");
        return Err(Refusal::new(RefusalKind::NoChange, text).with("file_path", path));
    }
    if replacement.contains('\0') {
        let text = format!(
            "With this change {path} would no longer be text. Leave the NUL characters out."
        );
        return Err(Refusal::new(RefusalKind::Binary, text).with("file_path", path));
    }
    Ok(())
}

/// Found, unique, counted and seen; or the refusal.
fn check_places(
    context: &CallContext<'_>,
    target: &Target,
    survey: &Surveyed,
    Places {
        first: places,
        total,
    }: &Places,
    edit: &EditRequest,
    seen: &Seen,
) -> Result<(), Refusal> {
    let path = quote_path(target.path());
    let total = *total;
    if places.is_empty() {
        let text = format!(
            "old_string was not found in {path} exactly as sent. In a file over {} MiB only exact text is looked for. Read the part that is to change and copy its text.",
            HELD >> 20
        );
        return Err(Refusal::new(RefusalKind::NotFound, text).with("file_path", path));
    }
    let unseen: Vec<&Range<u64>> = places
        .iter()
        .filter(|place| !seen.covers((*place).clone()))
        .collect();
    if !edit.replace_all && places.len() > 1 && unseen.len() < places.len() {
        let lines = line_numbers(target, survey, places, 200)?;
        let text = format!(
            "old_string stands at {} in {path} ({}), and which one is meant is unknown. Send a longer text that is unique, or replace_all: true to change them all.",
            count(total, "place"),
            lines_named(lines, 200)
        );
        return Err(Refusal::new(RefusalKind::Ambiguous, text)
            .with("count", total)
            .with("file_path", path));
    }
    if let Some(wanted) = edit.expect_count
        && wanted != without_overlaps(places).len() as u64
    {
        let text = format!(
            "old_string stands at {}, and expect_count is {wanted}. Nothing was written.",
            count(total, "place")
        );
        return Err(Refusal::new(RefusalKind::Count, text)
            .with("count", total)
            .with("file_path", path));
    }
    if !unseen.is_empty() {
        let unseen: Vec<Range<u64>> = unseen.into_iter().cloned().collect();
        let lines = line_numbers(target, survey, &unseen, 60)?;
        let first = lines.first().copied();
        let text = format!(
            "The text stands in lines of {path} that were not shown in this session: {}. Call {} and send this call again.",
            line_list(lines, 60),
            context.read_call(target.path(), first, Some(50))
        );
        return Err(Refusal::new(RefusalKind::NotRead, text).with("file_path", path));
    }
    if total > places.len() {
        let text = format!(
            "old_string stands at {} in {path}, and one call changes at most {PLACES_MOST}. Send a longer old_string.",
            count(total, "place")
        );
        return Err(Refusal::new(RefusalKind::TooLarge, text)
            .with("count", total)
            .with("file_path", path));
    }
    Ok(())
}
