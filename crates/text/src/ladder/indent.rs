//! The rung `indent`: whole lines that differ by one indentation. Every line that is not blank has the same prefix in
//! the file and lacks it in the old text, or the reverse. New lines get or lose the prefix.

use std::ops::Range;

use crate::look_alike::{fold_char, indent_len, is_blank_char};
use crate::splice::{Change, apply_changes};

use super::line_matcher::{LineMatcher, LineRef};
use super::search::matching_windows;
use super::shift::LineShift;
use super::source::SourceText;
use super::verdict::{choose_places, forbidden_verdict};
use super::{FoundPlaces, Rung, SearchTask, Verdict, exact, look_alike};

pub(super) fn find(task: &SearchTask<'_>, matcher: &LineMatcher<'_>) -> Option<Verdict> {
    let places = places_with_one_shift(matcher);
    if places.is_empty() {
        return None;
    }
    let places = match choose_places(task, Rung::Indent, places, Some(matcher)) {
        Ok(places) => places,
        Err(verdict) => return Some(verdict),
    };
    // `choose` returns several places only where their texts are equal, so the first represents all.
    let place = places[0].clone();
    if let Err(reason) = check_shift_is_certain(matcher, task.new, &place) {
        return Some(forbidden_verdict(Rung::Indent, place, reason));
    }
    let (file, old) = matcher.matched_line_pairs(&place).next()?;
    // Folded indentation is ASCII: its characters are its bytes.
    let folded_old: String = old.chars().map(fold_char).collect();
    let (file_indent, old_indent) = (count_leading_blanks(file), count_leading_blanks(old));
    let shift = if file_indent > old_indent {
        LineShift::Add(&file[..chars_len(file, file_indent - old_indent)])
    } else {
        LineShift::Remove(&folded_old[..old_indent - file_indent])
    };
    let verdict = matcher.edit_places(task, Rung::Indent, places, shift);
    if let Verdict::Found(found) = &verdict
        && !agrees_with_part_of_line(task, found)
    {
        return Some(forbidden_verdict(Rung::Indent, place, PART_OF_LINE));
    }
    Some(verdict)
}

/// The reason for refusing where [`agrees_with_part_of_line`] is false.
const PART_OF_LINE: &str = "The old text also occurs, as sent, behind the indentation of its line, and an edit of that part of the line would write the further lines at another indentation, so it is unknown which is meant.";

/// Returns whether an edit that may match part of a line would write the same. Where only whole lines count, as in a
/// patch, such a match is not searched for, but the same texts must not have two results all the same.
fn agrees_with_part_of_line(task: &SearchTask<'_>, found: &FoundPlaces) -> bool {
    if !task.source.is_bounded() {
        return true;
    }
    let view = task.source.view;
    found.places.iter().all(|place| {
        let changed = place.changes.last().map_or(0, |change| change.range.end);
        let end = place.range.end.max(changed);
        let end = end + usize::from(view[end..].starts_with('\n'));
        let lines = &view[place.range.start..end];
        let source = SourceText::new(lines, &[], None);
        let part = SearchTask {
            source: &source,
            ..*task
        };
        match exact::find(&part).or_else(|| look_alike::find(&part)) {
            Some(Verdict::Found(other)) => {
                let result = |changes: Vec<Change>| apply_changes(lines, &changes);
                let own = place.changes.iter().map(|change| Change {
                    range: change.range.start - place.range.start
                        ..change.range.end - place.range.start,
                    text: change.text.clone(),
                });
                let others = other.places.into_iter().flat_map(|place| place.changes);
                result(own.collect()) == result(others.collect())
            }
            _ => true,
        }
    })
}

/// Returns every place that the old text matches with one shift.
pub(super) fn places_with_one_shift(matcher: &LineMatcher<'_>) -> Vec<Range<usize>> {
    matcher.place_ranges(&windows_with_one_shift(matcher).unwrap_or_default())
}

/// Returns the windows of the file that the old text matches with one shift.
///
/// The difference between the indentation of a line and that of the line before it, blank lines aside, is the same
/// under any shift. So the lines after the first are compared by this difference and by their content, and only the
/// first line determines the shift.
fn windows_with_one_shift(matcher: &LineMatcher<'_>) -> Option<Vec<usize>> {
    let first = matcher.old_lines().position(|line| !line.is_blank())?;
    let old_before = previous_nonblank_lines(matcher.len(), |number| matcher.old_line(number));
    let file_before =
        previous_nonblank_lines(matcher.file_len(), |number| matcher.file_line(number));
    let old_step = |number: usize| {
        differing_indents(
            old_before[number].map(|at| matcher.old_line(at)),
            matcher.old_line(number),
        )
    };
    let file_step = |number: usize| {
        differing_indents(
            file_before[number].map(|at| matcher.file_line(at)),
            matcher.file_line(number),
        )
    };
    let rest = first + 1;
    let starts = matching_windows(
        matcher.len() - rest,
        matcher.file_len(),
        |a, b| {
            matcher
                .old_line(rest + a)
                .same_content(matcher.old_line(rest + b))
                && old_step(rest + a) == old_step(rest + b)
        },
        |at, b| {
            matcher
                .file_line(at)
                .same_content(matcher.old_line(rest + b))
                && file_step(at) == old_step(rest + b)
        },
    );
    let old_first = matcher.old_line(first);
    let fits = |&start: &usize| {
        // `start` is the file's line for old line `rest`. The first line that is not blank is before it, and the blank
        // lines at the start of the old text are before that one, from `window` on.
        let Some(window) = start.checked_sub(rest) else {
            return false;
        };
        let file_first = matcher.file_line(start - 1);
        file_first.same_content(old_first)
            && is_shifted(file_first.indent(), old_first.indent())
            && (window..start - 1).all(|at| matcher.file_line(at).is_blank())
    };
    Some(
        starts
            .into_iter()
            .filter(fits)
            .map(|start| start - rest)
            .collect(),
    )
}

/// Returns, for each line, the last line before it that is not blank.
fn previous_nonblank_lines<'b>(
    len: usize,
    line: impl Fn(usize) -> LineRef<'b>,
) -> Vec<Option<usize>> {
    let mut last = None;
    (0..len)
        .map(|number| {
            let before = last;
            if !line(number).is_blank() {
                last = Some(number);
            }
            before
        })
        .collect()
}

/// Returns two indentations without their common start.
fn differing_indents<'t>(before: Option<LineRef<'t>>, line: LineRef<'t>) -> (&'t str, &'t str) {
    if line.is_blank() {
        return ("", "");
    }
    let (before, own) = (before.map_or("", LineRef::indent), line.indent());
    let same = before
        .bytes()
        .zip(own.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    (&before[same..], &own[same..])
}

/// Returns whether one indentation is the other with a prefix.
fn is_shifted(file: &str, old: &str) -> bool {
    file.len() != old.len() && (file.ends_with(old) || old.ends_with(file))
}

/// Refuses an uncertain shift: the added prefixes have different characters, a least indented line of the new text has
/// the indentation of the file's least indented lines or is itself a line of the place, or the first line of the new
/// text has the indentation of the place's first line.
fn check_shift_is_certain(
    matcher: &LineMatcher<'_>,
    new: &str,
    place: &Range<usize>,
) -> Result<(), String> {
    let mut prefixes = matcher.matched_line_pairs(place).map(|(file, old)| {
        &file[..chars_len(
            file,
            count_leading_blanks(file).saturating_sub(count_leading_blanks(old)),
        )]
    });
    if let Some(first) = prefixes.next()
        && prefixes.any(|prefix| prefix != first)
    {
        return Err("The file indents these lines with different look-alikes of spaces, so it is unknown which of them new lines should get.".to_owned());
    }
    let file: Vec<FoldedLine> = matcher
        .matched_line_pairs(place)
        .map(|(file, _)| FoldedLine::new(file))
        .collect();
    let new: Vec<FoldedLine> = new.split('\n').map(FoldedLine::new).collect();
    let file_least = least_indented_lines(&file);
    let is_in_place = |line: &&FoldedLine| {
        file_least.iter().any(|other| other.indent == line.indent) || file.contains(line)
    };
    let first = |lines: &[FoldedLine]| {
        let first = lines.iter().find(|line| !line.text.is_empty());
        first.map(|line| line.indent.clone())
    };
    let begins_alike = first(&new).is_some() && first(&new) == first(&file);
    if begins_alike || least_indented_lines(&new).iter().any(is_in_place) {
        return Err("The new text already has the file's indentation while the old text does not, so it is unknown whether to shift it.".to_owned());
    }
    Ok(())
}

/// A line with its look-alikes folded, without the blanks at its end.
#[derive(PartialEq, Eq)]
struct FoldedLine {
    indent: String,
    text: String,
}

impl FoldedLine {
    fn new(line: &str) -> Self {
        let (indent, text) = line.split_at(indent_len(line));
        let folded = |text: &str| text.chars().map(fold_char).collect();
        Self {
            indent: folded(indent),
            text: folded(text.trim_end_matches(is_blank_char)),
        }
    }
}

/// Returns the least indented lines that are not blank.
fn least_indented_lines(lines: &[FoldedLine]) -> Vec<&FoldedLine> {
    let filled = || lines.iter().filter(|line| !line.text.is_empty());
    let least = filled().map(|line| line.indent.len()).min();
    let is_least = |line: &&FoldedLine| Some(line.indent.len()) == least;
    filled().filter(is_least).collect()
}

/// Returns how many characters the indentation of a line has.
fn count_leading_blanks(line: &str) -> usize {
    line[..indent_len(line)].chars().count()
}

/// Returns how many bytes the first characters of a line take.
fn chars_len(line: &str, characters: usize) -> usize {
    line.chars().take(characters).map(char::len_utf8).sum()
}
