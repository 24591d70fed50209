//! Places that later rungs find in addition to the match of a tolerant rung. An error in an old text does not show
//! which error was made, so such places count against uniqueness.

use std::ops::Range;

use super::line_matcher::LineMatcher;
use super::text_lines::line_prefix;
use super::{FurtherMatches, Rung, SearchTask, abbreviation, indent, look_alike, tabs, trailing};

/// Returns the places that rungs after `rung`, up to `tabs`, find on other lines than those where `found` begin, with
/// the first rung that finds each. There are none where `rung` is strict. `matcher` is given if the caller already has
/// it.
pub(super) fn further_places(
    task: &SearchTask<'_>,
    rung: Rung,
    found: &[Range<usize>],
    matcher: Option<&LineMatcher<'_>>,
) -> Vec<(Rung, Range<usize>)> {
    let is_strict = rung < Rung::LookAlike && task.further == FurtherMatches::OfTolerantRungs;
    // The numbers of a gutter identify the intended lines.
    if is_strict || rung == Rung::Gutter || rung >= Rung::Tabs {
        return Vec::new();
    }
    let view = task.source.view;
    let mut lines: Vec<usize> = found
        .iter()
        .map(|place| line_start_of_place(view, place))
        .collect();
    lines.sort_unstable();
    let mut further = FurtherPlaces {
        view,
        lines,
        places: Vec::new(),
    };
    if rung < Rung::LookAlike {
        further.add(Rung::LookAlike, look_alike::look_alike_places(task));
    }
    if rung < Rung::Abbreviation {
        let readings = abbreviation::expansions(task).into_iter();
        further.add(
            Rung::Abbreviation,
            readings.flat_map(|reading| reading.places),
        );
    }
    match matcher {
        Some(matcher) => further.add_lines(rung, matcher),
        None => {
            if let Some(matcher) = LineMatcher::for_task(task) {
                further.add_lines(rung, &matcher);
            }
        }
    }
    further.places
}

/// The places found while the rungs are tried, one for each line.
struct FurtherPlaces<'v> {
    view: &'v str,
    /// The starts of the lines on which a place begins, sorted.
    lines: Vec<usize>,
    places: Vec<(Rung, Range<usize>)>,
}

impl FurtherPlaces<'_> {
    /// Adds the places of the rungs of whole lines after `rung`.
    fn add_lines(&mut self, rung: Rung, matcher: &LineMatcher<'_>) {
        if rung < Rung::Trailing {
            self.add(
                Rung::Trailing,
                trailing::places_with_trailing_blanks(matcher),
            );
        }
        if rung < Rung::Indent {
            self.add(Rung::Indent, indent::places_with_one_shift(matcher));
        }
        self.add(Rung::Tabs, tabs::places_with_one_tab_width(matcher));
    }

    fn add(&mut self, rung: Rung, places: impl IntoIterator<Item = Range<usize>>) {
        for place in places {
            let line = line_start_of_place(self.view, &place);
            if let Err(at) = self.lines.binary_search(&line) {
                self.lines.insert(at, line);
                self.places.push((rung, place));
            }
        }
    }
}

/// Returns the start of the line on which a place begins.
fn line_start_of_place(view: &str, place: &Range<usize>) -> usize {
    place.start - line_prefix(view, place.start).len()
}
