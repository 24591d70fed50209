//! Places that later rungs find beside the match of a tolerant rung. What is wrong with an old text does not say which
//! error was made, so such places count against uniqueness.

use std::ops::Range;

use super::line_matcher::LineMatcher;
use super::text_lines::line_prefix;
use super::{Further, Rung, Task, abbreviation, indent, look_alike, tabs, trailing};

/// The places that rungs after `rung`, up to `tabs`, find on other lines than those where `found` begin, with the first
/// rung that finds each. None where `rung` is strict. `matcher` is given where the caller has it already.
pub(super) fn further_places(
    task: &Task<'_>,
    rung: Rung,
    found: &[Range<usize>],
    matcher: Option<&LineMatcher<'_>>,
) -> Vec<(Rung, Range<usize>)> {
    let is_strict = rung < Rung::LookAlike && task.further == Further::OfTolerantRungs;
    // The numbers of a gutter name the lines that are meant.
    if is_strict || rung == Rung::Gutter || rung >= Rung::Tabs {
        return Vec::new();
    }
    let view = task.source.view;
    let mut lines: Vec<usize> = found.iter().map(|place| line_of(view, place)).collect();
    lines.sort_unstable();
    let mut further = FurtherPlaces {
        view,
        lines,
        places: Vec::new(),
    };
    if rung < Rung::LookAlike {
        further.add(Rung::LookAlike, look_alike::places(task));
    }
    if rung < Rung::Abbreviation {
        let readings = abbreviation::readings(task).into_iter();
        further.add(
            Rung::Abbreviation,
            readings.flat_map(|reading| reading.places),
        );
    }
    match matcher {
        Some(matcher) => further.add_lines(rung, matcher),
        None => {
            if let Some(matcher) = LineMatcher::of(task) {
                further.add_lines(rung, &matcher);
            }
        }
    }
    further.places
}

/// The places while the rungs are asked, one for each line.
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
            self.add(Rung::Trailing, trailing::places(matcher));
        }
        if rung < Rung::Indent {
            self.add(Rung::Indent, indent::places(matcher));
        }
        self.add(Rung::Tabs, tabs::places(matcher));
    }

    fn add(&mut self, rung: Rung, places: impl IntoIterator<Item = Range<usize>>) {
        for place in places {
            let line = line_of(self.view, &place);
            if let Err(at) = self.lines.binary_search(&line) {
                self.lines.insert(at, line);
                self.places.push((rung, place));
            }
        }
    }
}

/// The start of the line on which a place begins.
fn line_of(view: &str, place: &Range<usize>) -> usize {
    place.start - line_prefix(view, place.start).len()
}
