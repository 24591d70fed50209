//! Splits the segments of new text into lines and joins them again, so that a line that old and new text have in common
//! under the relation of the rung becomes a separate hunk and keeps its line end.

use std::ops::Range;

use super::super::common_runs::{CommonRun, common_runs};
use super::Segment;

/// Returns the runs of lines that are the same, given what each line is compared by.
pub(super) fn same_lines(old: &[String], new: &[String]) -> Vec<CommonRun> {
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    common_runs(&old, &new)
}

/// Returns the segments of each line, without the newlines between them.
pub(super) fn split_lines(segments: Vec<Segment>, place: &str) -> Vec<Vec<Segment>> {
    let mut lines = vec![Vec::new()];
    let mut push = |segment: Option<Segment>, starts_line: bool| {
        if starts_line {
            lines.push(Vec::new());
        }
        if let (Some(line), Some(segment)) = (lines.last_mut(), segment) {
            line.push(segment);
        }
    };
    for segment in segments {
        match segment {
            Segment::Inserted(text) => {
                for (number, part) in text.split('\n').enumerate() {
                    let part = (!part.is_empty()).then(|| Segment::Inserted(part.to_owned()));
                    push(part, number > 0);
                }
            }
            Segment::Kept(range) => {
                let mut start = range.start;
                for (number, part) in place[range].split('\n').enumerate() {
                    let kept = start..start + part.len();
                    start = kept.end + 1;
                    push(
                        (!part.is_empty()).then_some(Segment::Kept(kept)),
                        number > 0,
                    );
                }
            }
            quote @ Segment::Quote { .. } => push(Some(quote), false),
        }
    }
    lines
}

/// Returns the lines as one text, with a newline after the last if it is `ended`. Kept text becomes inserted, so that
/// all lines are replaced as one.
pub(super) fn join_segments(lines: Vec<Vec<Segment>>, ended: bool, place: &str) -> Vec<Segment> {
    let last = lines.len().saturating_sub(1);
    let mut segments = Vec::new();
    for (number, mut line) in lines.into_iter().enumerate() {
        copy_kept_text(&mut line, place, &(0..0));
        segments.append(&mut line);
        if number < last || ended {
            segments.push(Segment::Inserted("\n".to_owned()));
        }
    }
    segments
}

/// Turns kept text outside a range of the place into inserted text.
pub(super) fn copy_kept_text(segments: &mut [Segment], place: &str, range: &Range<usize>) {
    for segment in segments {
        if let Segment::Kept(kept) = segment
            && (kept.start < range.start || range.end < kept.end)
        {
            *segment = Segment::Inserted(place[kept.clone()].to_owned());
        }
    }
}
