//! Extends an ambiguous old text by lines around it until it occurs at one place only. A refusal of an ambiguous edit
//! offers the result.

use std::ops::Range;

use memchr::memmem;

use crate::diff::{LineTable, common_prefix, common_suffix};

/// The number of lines that may be added above, and likewise below.
const MAX_ADDED_LINES: usize = 12;

/// The number of bytes that the extended text may have beyond the place itself.
const MAX_EXTENSION_BYTES: usize = 2_000;

/// The number of bytes of the places' text that are compared for one extension.
const MAX_COMPARED_BYTES: usize = 64 << 20;

/// Returns the shortest text of whole lines around `places[which]` that occurs once in the view; `None` where there is
/// none within the limits. `places` are all places of the old text. Only they need comparing: wherever the longer text
/// occurs, the old text does.
pub fn unique_extension(
    view: &str,
    lines: &dyn LineTable,
    places: &[Range<usize>],
    which: usize,
) -> Option<Range<usize>> {
    let place = places.get(which)?;
    let extensions = ExtensionOffsets::for_place(view, lines, place);
    // For each number of lines below: one more than the most lines above that another place has in common.
    let mut shared_above = vec![0usize; extensions.ends.len()];
    let (before, after) = (
        &view.as_bytes()[..place.start],
        &view.as_bytes()[place.end..],
    );
    let (most_above, most_below) = extensions.compared_lengths(place);
    // A place that is not compared can only make the extension longer, because the whole view is searched for the
    // result at the end.
    let compares = places.len().saturating_mul(place.len()) <= MAX_COMPARED_BYTES;
    for (index, other) in places.iter().enumerate() {
        if index == which || (compares && view[other.clone()] != view[place.clone()]) {
            continue;
        }
        let other_before = &view.as_bytes()[other.start.saturating_sub(most_above)..other.start];
        let other_after = &view.as_bytes()[other.end..(other.end + most_below).min(view.len())];
        let above = common_suffix(&before[before.len() - most_above..], other_before);
        let below = common_prefix(&after[..most_below], other_after);
        let lines_above = extensions
            .starts
            .iter()
            .take_while(|&&start| place.start - start <= above)
            .count();
        for (shared, &end) in shared_above.iter_mut().zip(&extensions.ends) {
            if end - place.end > below {
                break;
            }
            *shared = (*shared).max(lines_above);
        }
        if shared_above
            .iter()
            .all(|&above| above == extensions.starts.len())
        {
            return None;
        }
    }
    let candidates = shared_above
        .iter()
        .zip(&extensions.ends)
        .filter_map(|(&above, &end)| {
            let start = *extensions.starts.get(above)?;
            Some(start..end)
        });
    let mut candidates: Vec<Range<usize>> = candidates.collect();
    candidates.sort_by_key(|range| (range.len(), range.start));
    candidates
        .into_iter()
        .filter(|range| range.len() - place.len() <= MAX_EXTENSION_BYTES)
        .find(|range| occurs_once(view, &view[range.clone()]))
}

/// Returns whether the text occurs exactly once in the view, overlapping occurrences counted.
pub(crate) fn occurs_once(view: &str, text: &str) -> bool {
    let finder = memmem::Finder::new(text.as_bytes());
    let Some(first) = finder.find(view.as_bytes()) else {
        return false;
    };
    finder.find(&view.as_bytes()[first + 1..]).is_none()
}

/// The offsets where the extended text may start and end, nearest first. The first start and end are those of the lines
/// of the place itself.
struct ExtensionOffsets {
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl ExtensionOffsets {
    fn for_place(view: &str, lines: &dyn LineTable, place: &Range<usize>) -> ExtensionOffsets {
        let first = lines.line_of(place.start);
        // A place that ends in a newline ends on the line of that newline.
        let last = lines.line_of(place.end.saturating_sub(1).max(place.start));
        let near = |at: usize, from: usize| at.abs_diff(from) <= MAX_EXTENSION_BYTES;
        let starts = (0..=MAX_ADDED_LINES.min(first))
            .map(|above| lines.line_range(first - above).start)
            .take_while(|&start| near(start, place.start))
            .collect();
        let below = lines
            .line_count()
            .saturating_sub(last + 1)
            .min(MAX_ADDED_LINES);
        let ends_newline = view[place.clone()].ends_with('\n');
        let ends = (0..=below)
            .map(|below| {
                let end = lines.line_range(last + below).end;
                // The newline of the old text stays at its end.
                end + usize::from(ends_newline && end < view.len())
            })
            .filter(|&end| end >= place.end)
            .take_while(|&end| near(end, place.end))
            .collect();
        ExtensionOffsets { starts, ends }
    }

    /// Returns how many bytes before and after the place are worth comparing.
    fn compared_lengths(&self, place: &Range<usize>) -> (usize, usize) {
        let above = self.starts.last().map_or(0, |start| place.start - start);
        let below = self.ends.last().map_or(0, |end| end - place.end);
        (above, below)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diff::LineStarts;

    fn occurrences(view: &str, old: &str) -> Vec<Range<usize>> {
        (0..view.len())
            .filter(|&at| view.as_bytes()[at..].starts_with(old.as_bytes()))
            .map(|at| at..at + old.len())
            .collect()
    }

    fn unique_extensions(view: &str, old: &str) -> Vec<Option<String>> {
        let places = occurrences(view, old);
        let index = LineStarts::new(view);
        (0..places.len())
            .map(|which| unique_extension(view, &index, &places, which))
            .map(|found| found.map(|range| view[range].to_owned()))
            .collect()
    }

    #[test]
    fn extends_by_line_above() {
        let view = "def a():\n    return None\n# end\n\ndef b():\n    return None\n# end\n";
        assert_eq!(
            unique_extensions(view, "    return None"),
            [
                Some("def a():\n    return None".to_owned()),
                Some("def b():\n    return None".to_owned()),
            ]
        );
    }

    #[test]
    fn extends_below_or_on_both_sides_as_needed() {
        assert_eq!(
            unique_extensions("long line above\nx\n1\n\nlong line above\nx\n2\n", "x")[0]
                .as_deref(),
            Some("x\n1")
        );
        let view = "a\nx\nb\na\nx\nc\nd\nx\nb\n";
        assert_eq!(unique_extensions(view, "x")[0].as_deref(), Some("a\nx\nb"));
    }

    #[test]
    fn extends_partial_line_to_whole_line() {
        assert_eq!(
            unique_extensions("let a = f(1);\nlet b = f(2);\n", "f("),
            [
                Some("let a = f(1);".to_owned()),
                Some("let b = f(2);".to_owned())
            ]
        );
    }

    #[test]
    fn keeps_final_newline() {
        assert_eq!(
            unique_extensions("1\nx\n2\nx\n", "x\n")[1].as_deref(),
            Some("2\nx\n")
        );
    }

    #[test]
    fn returns_none_for_indistinguishable_places() {
        let view = "x\n".repeat(100);
        let found = unique_extensions(&view, "x");
        assert_eq!(found[50], None);
    }

    /// Comparing every place with every other one would not come to an end.
    #[test]
    fn extends_long_text_with_many_places_quickly() {
        let view = format!("first\n{}", " \n".repeat(400_000));
        let old = " \n".repeat(100_000);
        let places: Vec<_> = (0..300_000)
            .map(|line| 6 + 2 * line..6 + 2 * line + old.len())
            .collect();
        let index = LineStarts::new(&view);
        let extended = unique_extension(&view, &index, &places, 0);
        assert_eq!(extended, Some(0..6 + old.len()));
        assert_eq!(unique_extension(&view, &index, &places, 100_000), None);
    }

    #[test]
    fn does_not_extend_by_long_lines() {
        let view = format!("{0}x\n{0}x\n", "y".repeat(5_000));
        assert_eq!(unique_extensions(&view, "x"), [None, None]);
    }

    proptest! {
        #![proptest_config(crate::laws::config())]

        #[test]
        fn extension_contains_old_text_and_is_unique(view in "(a|b|\n|é){0,40}", old in "(a|b|\n|é){1,3}") {
            let index = LineStarts::new(&view);
            let places = occurrences(&view, &old);
            for (which, place) in places.iter().enumerate() {
                let Some(range) = unique_extension(&view, &index, &places, which) else { continue };
                prop_assert!(occurs_once(&view, &view[range.clone()]));
                prop_assert!(range.start <= place.start && place.end <= range.end);
            }
        }

        #[test]
        fn extension_is_shortest_possible(view in "(a|b|\n){0,24}", old in "(a|b){1,2}") {
            let index = LineStarts::new(&view);
            let places = occurrences(&view, &old);
            for (which, place) in places.iter().enumerate() {
                let (first, last) = (index.line_of(place.start), index.line_of(place.end - 1));
                let mut shortest: Option<usize> = None;
                for from in 0..=first {
                    for to in last..index.line_count() {
                        let text = &view[index.line_range(from).start..index.line_range(to).end];
                        if first - from <= MAX_ADDED_LINES && to - last <= MAX_ADDED_LINES && occurs_once(&view, text) {
                            shortest = Some(shortest.map_or(text.len(), |known| known.min(text.len())));
                        }
                    }
                }
                let found = unique_extension(&view, &index, &places, which);
                prop_assert_eq!(found.map(|text| text.len()), shortest);
            }
        }
    }
}
