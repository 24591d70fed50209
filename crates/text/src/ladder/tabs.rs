//! The rung `tabs`: whole lines whose indentation is tabs in the file and spaces in the old text, or the reverse, with
//! the same number of spaces for a tab on every line. Spaces beyond whole tabs must be the same on both sides. No other
//! shift is allowed.

use std::collections::HashMap;
use std::ops::Range;

use crate::look_alike::{fold_char, indent_len};

use super::line_matcher::LineMatcher;
use super::shift::{IndentStyle, LineShift, TabConversion, tabs_then_spaces};
use super::verdict::choose_places;
use super::{Rung, SearchTask, Verdict};

/// The numbers of spaces that a tab may correspond to.
const TAB_WIDTHS: std::ops::RangeInclusive<usize> = 2..=8;

pub(super) fn find(task: &SearchTask<'_>, matcher: &LineMatcher<'_>) -> Option<Verdict> {
    let (file, found) = windows_with_tab_width(matcher)?;
    let width = found.first()?.1;
    let places = found.into_iter().map(|(place, _)| place).collect();
    Some(
        match choose_places(task, Rung::Tabs, places, Some(matcher)) {
            Ok(places) => {
                let known = known_indents(matcher, places.first()?);
                let conversion = TabConversion { width, file, known };
                matcher.edit_places(task, Rung::Tabs, places, LineShift::Tabs(conversion))
            }
            Err(verdict) => verdict,
        },
    )
}

/// Returns every place that the old text matches with some number of spaces for a tab.
pub(super) fn places_with_one_tab_width(matcher: &LineMatcher<'_>) -> Vec<Range<usize>> {
    let (_, found) = windows_with_tab_width(matcher).unwrap_or((IndentStyle::Tabs, Vec::new()));
    found.into_iter().map(|(place, _)| place).collect()
}

/// A place, and the number of spaces for a tab with which it matches.
type Window = (Range<usize>, usize);

/// Returns the indentation style of the file where it matches, and the places in order.
fn windows_with_tab_width(matcher: &LineMatcher<'_>) -> Option<(IndentStyle, Vec<Window>)> {
    let old: Option<Vec<(usize, usize)>> = matcher
        .old_lines()
        .map(|line| tabs_then_spaces(line.indent()))
        .collect();
    let old = old?;
    if old.iter().all(|indent| *indent == (0, 0)) {
        return None;
    }
    let file = match old.iter().any(|(tabs, _)| *tabs > 0) {
        true => IndentStyle::Spaces,
        false => IndentStyle::Tabs,
    };
    let file_indents: Vec<Option<(usize, usize)>> = (0..matcher.file_len())
        .map(|number| {
            let indent = tabs_then_spaces(matcher.file_line(number).indent())?;
            (file == IndentStyle::Tabs || indent.0 == 0).then_some(indent)
        })
        .collect();
    // If no indentation differed, the rung `trailing` would have matched. So one line determines the width, and no
    // window matches with two widths.
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for width in possible_tab_widths(matcher, &old, &file_indents) {
        let windows = matcher.matching_windows(
            |number| Some(indent_columns(old[number], width)),
            |number| file_indents[number].map(|indent| indent_columns(indent, width)),
        );
        let places = matcher.place_ranges(&windows).into_iter();
        found.extend(places.map(|place| (place, width)));
    }
    found.sort_by_key(|(place, width)| (place.start, *width));
    Some((file, found))
}

/// Returns the widths with which some window can match. The first indented line of a window determines its width. So
/// there is mostly one, and the file is searched once instead of once for each of the seven.
fn possible_tab_widths(
    matcher: &LineMatcher<'_>,
    old: &[(usize, usize)],
    file: &[Option<(usize, usize)>],
) -> Vec<usize> {
    let Some(indented) = old.iter().position(|indent| *indent != (0, 0)) else {
        return Vec::new();
    };
    let old = old[indented];
    let mut possible = Vec::new();
    for window in matcher.content_windows() {
        let Some(file) = file[window + indented] else {
            continue;
        };
        for width in TAB_WIDTHS {
            if indent_columns(old, width) == indent_columns(file, width)
                && !possible.contains(&width)
            {
                possible.push(width);
            }
        }
        if possible.len() == TAB_WIDTHS.count() {
            break;
        }
    }
    possible
}

/// Returns how wide an indentation by tabs and spaces is.
fn indent_columns((tabs, spaces): (usize, usize), width: usize) -> usize {
    tabs * width + spaces
}

/// Returns the indentations of the old text in folded form, with the file's indentation for each; `None` where it has
/// several.
fn known_indents(
    matcher: &LineMatcher<'_>,
    place: &Range<usize>,
) -> HashMap<String, Option<String>> {
    let mut known: HashMap<String, Option<String>> = HashMap::new();
    for (file, old) in matcher.matched_line_pairs(place) {
        let indent = old[..indent_len(old)].chars().map(fold_char).collect();
        let file = &file[..indent_len(file)];
        known
            .entry(indent)
            .and_modify(|other| {
                if other.as_deref() != Some(file) {
                    *other = None;
                }
            })
            .or_insert_with(|| Some(file.to_owned()));
    }
    known
}
