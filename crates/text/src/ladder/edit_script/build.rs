//! Builds an edit script: compares the lines of old and new text and creates a hunk for each gap between their common
//! runs.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::TextKind;
use super::super::char_merge::{LineGroup, MergedSegments, merge_characters};
use super::super::common_runs::{RunGap, common_runs, gaps_between_runs};
use super::super::quotes::AddedStyle;
use super::super::shift::LineShift;
use super::super::text_lines::TextLines;
use super::line_segments::{copy_kept_text, join_segments, same_lines, split_lines};
use super::{EditScript, FollowingNewline, ScriptHunk, Segment};
use crate::look_alike::LookAlikeKinds;

impl<'a> EditScript<'a> {
    /// Compares old and new text. `shift` is given on rungs that fold look-alikes, and says what else differs between
    /// old text and place. The error is the reason why a guard forbids the edit.
    pub(in crate::ladder) fn compare_texts(
        view: &str,
        place: Range<usize>,
        old: &'a TextLines<'a>,
        new: &'a TextLines<'a>,
        shift: Option<&LineShift<'_>>,
        text_kind: TextKind,
    ) -> Result<EditScript<'a>, String> {
        let before = view[..place.start].chars().next_back();
        let around = (before, view[place.end..].chars().next());
        let place = &view[place];
        let mut start = 0;
        let lines: Vec<Range<usize>> = place
            .split('\n')
            .take(old.len())
            .map(|line| {
                let range = start..start + line.len();
                start = range.end + 1;
                range
            })
            .collect();
        let old_text = old.lines.join("\n");
        let folds = |shift: &LineShift<'_>| {
            let mut pairs = old.lines.iter().zip(&lines);
            pairs.any(|(old, range)| {
                let file = &place[range.clone()];
                let (old_part, file_part) = shift.common_part(old, file);
                old[old_part] != file[file_part] || shift.replaces_look_alike(file)
            })
        };
        let added = shift
            .filter(|shift| folds(shift))
            .map(|_| AddedStyle::detect(&old_text, place, text_kind));
        let builder = ScriptBuilder {
            place,
            lines,
            old,
            new,
            around,
            shift,
            added: added.as_ref(),
        };
        let runs = common_runs(&old.lines, &new.lines);
        let mut hunks = Vec::new();
        let mut gaps = gaps_between_runs(&runs, old.len(), new.len());
        let reaches_end = gaps.last().is_some_and(|gap| gap.old.end == old.len());
        if !reaches_end && old.ended != new.ended {
            gaps.push(RunGap {
                old: old.len()..old.len(),
                new: new.len()..new.len(),
            });
        }
        let mut lost: Vec<(LookAlikeKinds, String)> = Vec::new();
        let mut fresh = LookAlikeKinds::default();
        let mut straightened = BTreeSet::new();
        for gap in &gaps {
            let merged = builder.add_hunks(gap, &mut hunks)?;
            lost.extend(merged.lost);
            fresh.extend(merged.fresh);
            straightened.extend(merged.straightened);
        }
        // A folded character may be deleted, unless the new text adds one of the same kind: then it is unknown which of
        // them is meant.
        if let Some((_, reason)) = lost.into_iter().find(|(kinds, _)| kinds.intersects(fresh)) {
            return Err(reason);
        }
        Ok(EditScript {
            hunks,
            old,
            new,
            straightened,
        })
    }
}

/// The inputs of a script while its hunks are built.
struct ScriptBuilder<'l> {
    /// The text of the place.
    place: &'l str,
    /// The lines of the place, as many as the old text has.
    lines: Vec<Range<usize>>,
    old: &'l TextLines<'l>,
    new: &'l TextLines<'l>,
    /// The characters before and after the place.
    around: (Option<char>, Option<char>),
    /// The differences of the lines besides look-alikes; only on rungs that fold.
    shift: Option<&'l LineShift<'l>>,
    /// The form in which added characters are written; `None` where the match folded nothing.
    added: Option<&'l AddedStyle<'l>>,
}

impl<'l> ScriptBuilder<'l> {
    /// Adds the hunks for one gap: one, or several where lines of the gap are the same under the relation of the rung.
    fn add_hunks(
        &self,
        gap: &RunGap,
        hunks: &mut Vec<ScriptHunk>,
    ) -> Result<MergedSegments, String> {
        let mut merged = self.merge_gap(gap)?;
        let same = self.shift.map_or_else(Vec::new, |shift| {
            let keys = |lines: &[&str]| -> Vec<String> {
                lines.iter().map(|line| shift.line_key(line)).collect()
            };
            let old = keys(&self.old.lines[gap.old.clone()]);
            let new = keys(&self.new.lines[gap.new.clone()]);
            same_lines(&old, &new)
        });
        let segments = std::mem::take(&mut merged.segments);
        if same.is_empty() {
            hunks.push(self.build_hunk(gap, segments));
            return Ok(merged);
        }
        let mut new_lines = split_lines(segments, self.place);
        let mut take = |number: usize| new_lines.get_mut(number).map(std::mem::take);
        let (mut old_at, mut new_at) = (gap.old.start, gap.new.start);
        let push = |hunks: &mut Vec<ScriptHunk>, old: Range<usize>, new: Range<usize>, lines| {
            let between = RunGap { old, new };
            if !between.old.is_empty() || !between.new.is_empty() {
                let ended = self.ends_with_newline(&between);
                hunks.push(self.build_hunk(&between, join_segments(lines, ended, self.place)));
            }
        };
        for run in same {
            let (old, new) = (gap.old.start + run.old, gap.new.start + run.new);
            let lines = (new_at..new).filter_map(|line| take(line - gap.new.start));
            push(hunks, old_at..old, new_at..new, lines.collect());
            for step in 0..run.len {
                let range = self.lines[old + step].clone();
                let mut segments = take(run.new + step).unwrap_or_default();
                copy_kept_text(&mut segments, self.place, &range);
                hunks.push(ScriptHunk {
                    range,
                    segments,
                    newline_after: FollowingNewline::Untouched,
                });
            }
            (old_at, new_at) = (old + run.len, new + run.len);
        }
        let lines = (new_at..gap.new.end).filter_map(|line| take(line - gap.new.start));
        push(
            hunks,
            old_at..gap.old.end,
            new_at..gap.new.end,
            lines.collect(),
        );
        if self.is_last(gap)
            && old_at == gap.old.end
            && new_at == gap.new.end
            && self.old.ended != self.new.ended
        {
            let end = RunGap {
                old: old_at..old_at,
                new: new_at..new_at,
            };
            hunks.push(self.build_hunk(&end, Vec::new()));
        }
        Ok(merged)
    }

    /// Returns whether the gap is the end of both texts, so that no common line follows it.
    fn is_last(&self, gap: &RunGap) -> bool {
        gap.old.end == self.old.len() && gap.new.end == self.new.len()
    }

    /// Returns whether the last new line of the gap has a newline.
    fn ends_with_newline(&self, gap: &RunGap) -> bool {
        self.new.ended || !self.is_last(gap)
    }

    /// Returns the hunk that writes these segments, the new lines of the gap, to the place. It chooses which newlines
    /// it replaces, so that every line that stays keeps its line end.
    fn build_hunk(&self, gap: &RunGap, mut segments: Vec<Segment>) -> ScriptHunk {
        let end = self.place.len();
        let after_shared = gap.old.start > 0;
        let ends_in_empty_line = !self.old.ended && self.lines.last().is_some_and(Range::is_empty);
        let mut newline_after = FollowingNewline::Untouched;
        let (range, opening) = if !self.is_last(gap) {
            let range = self.lines[gap.old.start].start..self.lines[gap.old.end].start;
            (range, "")
        } else {
            match (gap.old.is_empty(), gap.new.is_empty()) {
                (false, true) if after_shared && !self.new.ended => {
                    let first = self.lines[gap.old.start].start;
                    if !self.old.ended {
                        newline_after = FollowingNewline::DeletedFrom(first);
                    }
                    (first - 1..end, "")
                }
                (false, _) => (self.lines[gap.old.start].start..end, ""),
                (true, false) => {
                    if ends_in_empty_line {
                        newline_after = FollowingNewline::InsertBehind;
                    }
                    (end..end, if self.old.ended { "" } else { "\n" })
                }
                // Only the newline of the last line is added or deleted.
                (true, true) => {
                    if ends_in_empty_line && self.new.ended {
                        newline_after = FollowingNewline::InsertBehind;
                    }
                    let range = self.lines.last().map_or(end, |line| line.end)..end;
                    (range, if self.new.ended { "\n" } else { "" })
                }
            }
        };
        if !opening.is_empty() {
            segments.insert(0, Segment::Inserted(opening.to_owned()));
        }
        ScriptHunk {
            range,
            segments,
            newline_after,
        }
    }

    /// Returns the new lines of the gap, merged with the old ones where the rung folds look-alikes.
    fn merge_gap(&self, gap: &RunGap) -> Result<MergedSegments, String> {
        let part = |text: &TextLines<'l>, lines: &Range<usize>| TextLines {
            lines: text.lines[lines.clone()].to_vec(),
            ended: text.ended || !self.is_last(gap),
        };
        let (old, new) = (part(self.old, &gap.old), part(self.new, &gap.new));
        let Some(shift) = self.shift else {
            return Ok(MergedSegments {
                segments: vec![Segment::Inserted(new.text())],
                ..MergedSegments::default()
            });
        };
        let (before, after) = self.around;
        let is_open = gap.new.end == self.new.len() && !self.new.ended;
        let around = (
            before.filter(|_| gap.new.start == 0),
            after.filter(|_| is_open),
        );
        merge_characters(&LineGroup {
            place: self.place,
            lines: &self.lines[gap.old.clone()],
            old,
            new,
            first_new: gap.new.start,
            around,
            shift,
            added: self.added,
        })
    }
}
