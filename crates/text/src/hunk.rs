//! The place of a hunk: old lines that are whole lines of the view, and the new lines that replace them. Patches and
//! SEARCH/REPLACE blocks consist of hunks.
//!
//! The ladder searches for the old lines, so a hunk is found where an edit of the same lines is. If the line number is
//! that of one of several exact places, it chooses that place; it has no other effect. Anchors, which are lines of the
//! file, bound the region. If the file has no final newline its last line matches all the same, and the newline stays
//! missing. A hunk that an edit with the same texts would place elsewhere is refused.

mod anchors;
mod as_an_edit;
mod difference;
mod gaps;
mod shifts;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::bounds::Bounds;
use crate::ladder::{EditedPlace, FoundPlaces, Query, Rung, Verdict, find};
use crate::splice::Change;
use anchors::LocatedAnchors;
use as_an_edit::check_against_edit;
pub use difference::{FirstDifference, first_difference};
pub use shifts::LineShifts;

/// The bounds of a hunk's place, in addition to its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkBounds {
    /// Lines of the file, outermost first, below which the place is; their indentation is ignored.
    pub anchors: Vec<String>,
    /// The anchor of a later hunk. Where nothing is indented below the anchors, the place is before that line.
    pub next_anchor: Option<String>,
    /// Whether the old lines are the last ones of the file.
    pub at_end: bool,
    /// Whether the hunk says that its last old line has no newline.
    pub old_end: FinalNewline,
    /// Whether the hunk says that its last new line has no newline.
    pub new_end: FinalNewline,
    /// Whether a line `...` may represent lines that are left out.
    pub gaps: GapHandling,
    /// Whether the last old line is context.
    pub last_line: LastLine,
    /// Whether the hunk has lines that it names as context.
    pub sides: HunkSides,
}

impl HunkBounds {
    /// Returns whether the hunk says the same as an edit with the same texts, and no more.
    fn is_equivalent_to_edit(&self) -> bool {
        let marks = [self.old_end, self.new_end];
        self.sides == HunkSides::Texts
            && self.anchors.is_empty()
            && !self.at_end
            && !marks.contains(&FinalNewline::Lacking)
    }
}

/// The statement of a hunk about the newline of its last line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FinalNewline {
    /// The hunk says nothing; a newline that the file lacks stays missing.
    #[default]
    Unmarked,
    /// The hunk says that there is no newline.
    Lacking,
}

/// Whether lines that are only `...` may represent lines that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GapHandling {
    /// Such lines are lines like any other.
    #[default]
    Literal,
    /// Such lines represent left-out lines if they are not lines of the file.
    Allowed,
}

/// Whether the last old line of a hunk is replaced or context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LastLine {
    /// The last old line may be replaced.
    #[default]
    Replaced,
    /// The last old line is context: it may be the line that closes the scope of an anchor.
    Kept,
}

/// The form in which a hunk gives its old and its new lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HunkSides {
    /// As two texts, like an edit: they are compared to find the lines that stay.
    #[default]
    Texts,
    /// As lines some of which are named as context.
    WithContext,
}

/// The reason why a hunk has no place, other than because of the lines that it looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HunkNotFound {
    /// This anchor is not a line of the file, or not in the scope of the anchors before it.
    NoAnchor(String),
    /// The hunk adds lines and names no line that they belong to.
    NoPlace,
    /// The hunk says that the last line has no newline, but it has one.
    EndsInNewline,
    /// The gaps do not pair up: the sides have different numbers of gaps, or one side has text where the other has
    /// none.
    UnpairedGaps,
    /// This piece between gaps, from 0, occurs before the one that it should follow.
    PiecesOutOfOrder(usize),
    /// This piece between gaps, from 0, has no place.
    Piece(usize, Verdict),
}

/// Finds the place of a hunk. `old` and `new` of the query are its lines, each ended by a newline; the bounds of the
/// query are not used. `line` is the number, from 0, that the hunk gives for its first old line in the view.
///
/// # Errors
/// Returns an error if the hunk has no place for another reason than that its lines are not found, or found more than
/// once.
pub fn find_hunk(
    query: &Query<'_>,
    hunk: &HunkBounds,
    line: Option<usize>,
) -> Result<Verdict, HunkNotFound> {
    let bounded = ResolvedBounds::resolve_bounds(query, hunk)?;
    if query.old.is_empty() {
        return locate_insertion(query, hunk, &bounded);
    }
    let search = HunkSearch::new(query, hunk)?;
    let verdict = search.find(&bounded.bounds, line);
    match verdict {
        Verdict::Found(found) if hunk.is_equivalent_to_edit() => {
            Ok(check_against_edit(query, found))
        }
        Verdict::NotFound { guard: None } if hunk.gaps == GapHandling::Allowed => {
            gaps::find_with_gaps(query, &bounded.bounds)
        }
        verdict => Ok(verdict),
    }
}

/// The bounds of a hunk, and its anchors as they are found in the view.
struct ResolvedBounds {
    bounds: Bounds,
    anchored: Option<LocatedAnchors>,
}

impl ResolvedBounds {
    fn resolve_bounds(
        query: &Query<'_>,
        hunk: &HunkBounds,
    ) -> Result<ResolvedBounds, HunkNotFound> {
        let mut bounds = Bounds::whole_lines();
        if hunk.at_end {
            bounds = bounds.restricted_to_end();
        }
        let anchored = match hunk.anchors.is_empty() {
            true => None,
            false => Some(LocatedAnchors::locate(
                query.view,
                &hunk.anchors,
                hunk.next_anchor.as_deref(),
            )?),
        };
        if let Some(anchored) = &anchored {
            bounds = bounds.within_regions(anchored.regions(hunk.last_line));
        }
        Ok(ResolvedBounds { bounds, anchored })
    }
}

/// The lines of a hunk and the view, as they are passed to the ladder.
struct HunkSearch<'q> {
    query: Query<'q>,
    /// The view with a newline after its last line, if the view lacks it and the hunk says nothing about it.
    ended: Option<String>,
    old: &'q str,
    new: &'q str,
}

impl<'q> HunkSearch<'q> {
    fn new(query: &Query<'q>, hunk: &HunkBounds) -> Result<HunkSearch<'q>, HunkNotFound> {
        let is_open = lacks_final_newline(query.view);
        let is_marked =
            FinalNewline::Lacking == hunk.old_end || FinalNewline::Lacking == hunk.new_end;
        if hunk.old_end == FinalNewline::Lacking && !is_open {
            return Err(HunkNotFound::EndsInNewline);
        }
        let mut search = HunkSearch {
            query: *query,
            ended: (is_open && !is_marked).then(|| format!("{}\n", query.view)),
            old: query.old,
            new: query.new,
        };
        if is_marked && is_open {
            search.old = without_final_newline(search.old);
        }
        if hunk.new_end == FinalNewline::Lacking {
            search.new = without_final_newline(search.new);
        }
        Ok(search)
    }

    /// Returns the verdict on the whole hunk; the line number chooses among exact places.
    fn find(&self, bounds: &Bounds, line: Option<usize>) -> Verdict {
        let view = self.ended.as_deref().unwrap_or(self.query.view);
        let verdict = find(&self.query_within(view, bounds));
        let chosen = match (&verdict, line) {
            (Verdict::Ambiguous { rung, places, .. }, Some(line)) if *rung == Rung::Exact => {
                let start = line_start(view, line);
                start.filter(|start| places.iter().any(|place| place.start == *start))
            }
            _ => None,
        };
        let verdict = match chosen {
            Some(start) => {
                find(&self.query_within(view, &bounds.clone().restricted_to_start(start)))
            }
            None => verdict,
        };
        match self.ended {
            Some(_) => without_added_newline(verdict, self.query.view.len()),
            None => verdict,
        }
    }

    fn query_within<'b>(&'b self, view: &'b str, bounds: &'b Bounds) -> Query<'b> {
        Query {
            view,
            old: self.old,
            new: self.new,
            bounds: Some(bounds),
            ..self.query
        }
    }
}

/// Returns whether the last line of a view has no newline.
fn lacks_final_newline(view: &str) -> bool {
    !view.is_empty() && !view.ends_with('\n')
}

fn without_final_newline(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// Returns the offset of a line, counted from 0.
fn line_start(view: &str, line: usize) -> Option<usize> {
    match line.checked_sub(1) {
        None => Some(0),
        Some(before) => {
            let newline = memchr::memchr_iter(b'\n', view.as_bytes()).nth(before)?;
            Some(newline + 1)
        }
    }
}

/// Converts the verdict for a view that got a newline for the search to the view without it, of this length.
fn without_added_newline(verdict: Verdict, length: usize) -> Verdict {
    let clamp = |range: Range<usize>| range.start.min(length)..range.end.min(length);
    let clamp_all = |places: Vec<Range<usize>>| places.into_iter().map(clamp).collect();
    match verdict {
        Verdict::Found(found) => Verdict::Found(FoundPlaces {
            places: found
                .places
                .into_iter()
                .map(|place| EditedPlace {
                    range: clamp(place.range),
                    changes: place
                        .changes
                        .into_iter()
                        .map(|change| change_without_added_newline(change, length))
                        .collect(),
                })
                .collect(),
            ..found
        }),
        Verdict::Ambiguous {
            rung,
            places,
            looser,
        } => Verdict::Ambiguous {
            rung,
            places: clamp_all(places),
            looser,
        },
        Verdict::TooMany { rung, first, count } => Verdict::TooMany {
            rung,
            first: clamp_all(first),
            count,
        },
        Verdict::NotFound { guard: Some(guard) } => Verdict::NotFound {
            guard: Some(crate::ladder::GuardRefusal {
                place: clamp(guard.place),
                ..guard
            }),
        },
        other => other,
    }
}

/// Converts a change that may include the newline that the view does not have. The newline stays missing.
fn change_without_added_newline(change: Change, length: usize) -> Change {
    let Change { range, mut text } = change;
    if range.end <= length {
        return Change { range, text };
    }
    if text.ends_with('\n') {
        text.pop();
        if range.start > length {
            // Lines after the last one begin with the newline that ends it.
            text.insert(0, '\n');
        }
    }
    Change {
        range: range.start.min(length)..length,
        text,
    }
}

/// Returns the place of a hunk that only adds lines: after its anchor, at the end of the file if it says so, or in an
/// empty file.
fn locate_insertion(
    query: &Query<'_>,
    hunk: &HunkBounds,
    bounded: &ResolvedBounds,
) -> Result<Verdict, HunkNotFound> {
    let view = query.view;
    let line = if view.is_empty() && hunk.anchors.is_empty() {
        0..0
    } else if let Some(anchored) = &bounded.anchored {
        match anchored.innermost() {
            [line] => line.clone(),
            lines => {
                return Ok(Verdict::Ambiguous {
                    rung: Rung::Exact,
                    places: lines.to_vec(),
                    looser: BTreeMap::new(),
                });
            }
        }
    } else if hunk.at_end {
        let last = without_final_newline(view)
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        last..view.len()
    } else {
        return Err(HunkNotFound::NoPlace);
    };
    if hunk.at_end && line.end < view.len() {
        return Ok(Verdict::NotFound { guard: None });
    }
    let mut text = Cow::Borrowed(query.new);
    if line.end == view.len() {
        if lacks_final_newline(view) {
            text = Cow::Owned(format!("\n{}", without_final_newline(query.new)));
        } else if hunk.new_end == FinalNewline::Lacking {
            text = Cow::Borrowed(without_final_newline(query.new));
        }
    }
    let change = Change {
        range: line.end..line.end,
        text: text.into_owned(),
    };
    Ok(Verdict::Found(FoundPlaces {
        rung: Rung::Exact,
        places: vec![EditedPlace {
            range: line,
            changes: vec![change],
        }],
        remarks: Vec::new(),
    }))
}
