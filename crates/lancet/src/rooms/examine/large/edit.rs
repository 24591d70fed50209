//! An exact edit of a large file: places are found in a streaming pass, and only the stretches around them are read
//! again to show what changes. Tolerant rungs need the whole text at once and are not tried here; the refusal says so.

use std::ops::{ControlFlow, Range};

use lancet_history::Seen;
use lancet_text::{Change, Encoding, Endings, RawChange, Rung, StreamFinder, leaked};
use lancet_workspace::Expected;

use super::{Stretch, Surveyed, scan, suited, survey};
use crate::refusal::{Kind, Refusal};
use crate::rooms::examine::edit::Insist;
use crate::rooms::examine::explain::leak;
use crate::rooms::examine::open::HELD;
use crate::rooms::examine::standing::never_read;
use crate::rooms::examine::view::{Notes, Numbers, change_view};
use crate::rooms::locate::Target;
use crate::rooms::plan::{ChangeView, FilePlan, New};
use crate::rooms::{Desk, EditRequest};
use crate::wording::{count, line_list, quote_path, read_call};

/// The most places that are changed in one call.
const MOST_PLACES: usize = 1_000_000;
/// The most places that an answer shows.
const SHOWN_PLACES: usize = 20;
/// How much is read around a place to show it.
const AROUND: u64 = 64 << 10;

/// What came of it.
pub(crate) enum Outcome {
    /// A plan.
    Plan(Box<FilePlan>),
    /// The file has to be looked at whole.
    NotSuited(Box<Target>),
}

/// Works out a plan for one exact edit.
pub(crate) fn examine(
    desk: &Desk<'_>,
    target: Target,
    edit: &EditRequest,
    insist: Insist,
) -> Result<Outcome, Refusal> {
    let survey = survey(desk, &target)?;
    let Some(encoding) = suited(desk, &target, &survey)? else {
        return Ok(Outcome::NotSuited(Box::new(target)));
    };
    if edit.old.is_empty() {
        let text = format!(
            "{} is there and not empty, and old_string is empty. Read it and send the text to replace.",
            quote_path(target.path())
        );
        return Err(Refusal::new(Kind::Exists, text));
    }
    if edit.old == edit.new {
        return Err(Refusal::new(
            Kind::NoChange,
            "old_string and new_string are the same. Nothing was written; send the text that was meant.",
        ));
    }
    let mut seen = standing(desk, &target, &survey, edit)?;
    let endings = survey.facts.endings();
    let old = lancet_text::sent_text(&edit.old, endings);
    let new = lancet_text::sent_text(&edit.new, endings);
    let needle = in_file(&old, endings);
    let places = find_places(desk, &target, needle.as_bytes())?;
    check_places(&target, &survey, &places, edit, &seen)?;
    if insist == Insist::No
        && let Some(found) = leaked(Some(&edit.old), &edit.new)
    {
        return Err(leak(&found.reason));
    }
    let replacement = in_file(&new, endings);
    let taken = without_overlaps(&places);
    let mut changes = Vec::with_capacity(taken.len());
    for place in &taken {
        let range = if new.is_empty() && !old.ends_with('\n') {
            with_line_end(&target, &survey, place)?
        } else {
            place.clone()
        };
        changes.push(RawChange {
            range,
            bytes: replacement.clone().into_bytes(),
        });
    }
    let view = view(desk, &target, &survey, &changes, &old, &new, &mut seen)?;
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
fn standing(
    desk: &Desk<'_>,
    target: &Target,
    survey: &Surveyed,
    edit: &EditRequest,
) -> Result<Seen, Refusal> {
    let path = target.path();
    let current = survey.revision.short();
    let known = desk
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
        return Err(Refusal::new(Kind::Stale, text).with("revision", current));
    }
    match known {
        Some((revision, _, _)) if revision != *survey.revision.as_bytes() => {
            let text = format!(
                "{} changed since it was read, and it is too large for the change to be shown. Call {} for the part that matters and send this call again if it still fits.",
                quote_path(path),
                read_call(path, None, None)
            );
            Err(Refusal::new(Kind::Stale, text).with("file_path", quote_path(path)))
        }
        Some((_, seen, false)) => Ok(seen),
        None if edit.revision.is_some() => Ok(Seen::whole(survey.facts.length())),
        _ => Err(never_read(path)),
    }
}

fn find_places(
    desk: &Desk<'_>,
    target: &Target,
    needle: &[u8],
) -> Result<Vec<Range<u64>>, Refusal> {
    let mut finder = StreamFinder::new(needle);
    let mut places = Vec::new();
    scan(desk, target, &mut |bytes| {
        finder.feed(bytes, &mut places);
        if places.len() > MOST_PLACES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if places.len() > MOST_PLACES {
        let text = format!(
            "old_string stands at over {MOST_PLACES} places, more than one call changes. Send a longer old_string."
        );
        return Err(Refusal::new(Kind::TooLarge, text));
    }
    Ok(places)
}

/// Found, unique, counted and seen; or the refusal.
fn check_places(
    target: &Target,
    survey: &Surveyed,
    places: &[Range<u64>],
    edit: &EditRequest,
    seen: &Seen,
) -> Result<(), Refusal> {
    let path = quote_path(target.path());
    if places.is_empty() {
        let text = format!(
            "old_string was not found in {path} exactly as sent. In a file over {} MiB only exact text is looked for. Read the part that is to change and copy its text.",
            HELD >> 20
        );
        return Err(Refusal::new(Kind::NotFound, text).with("file_path", path));
    }
    let unseen: Vec<&Range<u64>> = places
        .iter()
        .filter(|place| !seen.covers((*place).clone()))
        .collect();
    if !edit.replace_all && places.len() > 1 && unseen.len() < places.len() {
        let lines = line_numbers(target, survey, places, 200)?;
        let text = format!(
            "old_string stands at {} in {path} (lines {}), and which one is meant is unknown. Send a longer text that is unique, or replace_all: true to change them all.",
            count(places.len(), "place"),
            line_list(lines, 200)
        );
        return Err(Refusal::new(Kind::Ambiguous, text)
            .with("count", places.len())
            .with("file_path", path));
    }
    if let Some(wanted) = edit.expect_count
        && wanted != without_overlaps(places).len() as u64
    {
        let text = format!(
            "old_string stands at {}, and expect_count is {wanted}. Nothing was written.",
            count(places.len(), "place")
        );
        return Err(Refusal::new(Kind::Count, text)
            .with("count", places.len())
            .with("file_path", path));
    }
    if !unseen.is_empty() {
        let unseen: Vec<Range<u64>> = unseen.into_iter().cloned().collect();
        let lines = line_numbers(target, survey, &unseen, 60)?;
        let first = lines.first().copied();
        let text = format!(
            "The text stands in lines of {path} that were not shown in this session: {}. Call {} and send this call again.",
            line_list(lines, 60),
            read_call(target.path(), first, Some(50))
        );
        return Err(Refusal::new(Kind::NotRead, text).with("file_path", path));
    }
    Ok(())
}

/// The places that do not overlap, from the left.
fn without_overlaps(places: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut taken: Vec<Range<u64>> = Vec::new();
    for place in places {
        if taken.last().is_none_or(|last| last.end <= place.start) {
            taken.push(place.clone());
        }
    }
    taken
}

fn line_numbers(
    target: &Target,
    survey: &Surveyed,
    places: &[Range<u64>],
    most: usize,
) -> Result<Vec<usize>, Refusal> {
    places
        .iter()
        .take(most)
        .map(|place| {
            Ok(usize::try_from(around(target, survey, place)?.0.line).unwrap_or(usize::MAX) + 1)
        })
        .collect()
}

/// The stretch of whole lines, as far as they are not too long, around a place; its line is that of the place itself.
fn around(
    target: &Target,
    survey: &Surveyed,
    place: &Range<u64>,
) -> Result<(Stretch, u64), Refusal> {
    let block = survey.facts.block_at(place.start);
    let lead = Stretch::read(
        target,
        survey,
        block.offset,
        usize::try_from(place.start - block.offset).unwrap_or_default(),
        0,
    )?;
    let place_line = block.lines_before + newlines(&lead.bytes);
    let from = place.start.saturating_sub(AROUND);
    let length = usize::try_from(place.end - from + AROUND).unwrap_or(usize::MAX);
    let mut stretch = Stretch::read(target, survey, from, length, place_line)?;
    // Cut at a line's start, so that the first line is whole, or else between characters.
    let before = usize::try_from(place.start - from).unwrap_or_default();
    let head = &stretch.bytes[..before];
    let cut = if from == 0 {
        0
    } else {
        match head.iter().position(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None => head
                .iter()
                .position(|byte| byte & 0xC0 != 0x80)
                .unwrap_or(before),
        }
    };
    stretch.bytes.drain(..cut);
    stretch.offset = from + cut as u64;
    let first_line = place_line - newlines(&stretch.bytes[..before - cut]);
    Ok((stretch, first_line))
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// A place that is whole lines, with the line end after it: deleting it takes that along.
fn with_line_end(
    target: &Target,
    survey: &Surveyed,
    place: &Range<u64>,
) -> Result<Range<u64>, Refusal> {
    let before = Stretch::read(
        target,
        survey,
        place.start.saturating_sub(1),
        usize::from(place.start > 0),
        0,
    )?;
    let after = Stretch::read(target, survey, place.end, 2, 0)?;
    let starts_line = place.start == 0
        || before.bytes.last() == Some(&b'\n')
        || (place.start == 3 && survey.facts.encoding(None).is_some_and(Encoding::has_mark));
    let ending = match (survey.facts.endings(), after.bytes.as_slice()) {
        (Endings::Crlf, [b'\r', b'\n', ..]) => 2,
        (Endings::Lf, [b'\n', ..]) => 1,
        _ => 0,
    };
    Ok(place.start..if starts_line {
        place.end + ending
    } else {
        place.end
    })
}

/// Hunks and shown lines of the first places, and the totals of all of them.
fn view(
    desk: &Desk<'_>,
    target: &Target,
    survey: &Surveyed,
    changes: &[RawChange],
    old: &str,
    new: &str,
    seen: &mut Seen,
) -> Result<ChangeView, Refusal> {
    let mut view = ChangeView {
        rungs: vec![Rung::Exact],
        replacements: changes.len(),
        coarse: changes.len() > SHOWN_PLACES,
        ..ChangeView::default()
    };
    let mut moved: i64 = 0;
    for change in changes.iter().take(SHOWN_PLACES) {
        let (stretch, first_line) = around(target, survey, &change.range)?;
        let Some(document) = stretch.document(survey.facts.endings()) else {
            continue;
        };
        let raw = (change.range.start - stretch.offset) as usize
            ..(change.range.end - stretch.offset) as usize;
        let shown = Change {
            range: document.view_range(raw),
            text: new.to_owned(),
        };
        let numbers = Numbers {
            old: first_line as i64,
            new: first_line as i64 + moved,
        };
        let (one, lines) = change_view(desk, &document, &[shown], Notes::default(), numbers);
        view.patch.extend(one.patch);
        view.body.push_str(&one.body);
        view.lines.extend(one.lines);
        for line in lines.into_iter().flatten() {
            let part = document.raw_range(document.line_range_whole(line));
            seen.add(part.start as u64 + stretch.offset..part.end as u64 + stretch.offset);
        }
        view.added += one.added;
        view.removed += one.removed;
        moved += one.added as i64 - one.removed as i64;
    }
    if changes.len() > SHOWN_PLACES {
        let each = (new.matches('\n').count() + 1, old.matches('\n').count() + 1);
        view.added += each.0 * (changes.len() - SHOWN_PLACES);
        view.removed += each.1 * (changes.len() - SHOWN_PLACES);
        view.notices.push(format!(
            "{} further places are not shown; the line totals count each place by itself",
            changes.len() - SHOWN_PLACES
        ));
    }
    Ok(view)
}
