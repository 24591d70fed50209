//! Builds an edit script: compares the lines of old and new text and makes a hunk for each gap between their common runs.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::TextKind;
use super::super::char_merge::{LineGroup, Merged, merge_characters};
use super::super::common_runs::{Gap, common_runs, gaps};
use super::super::quotes::AddedStyle;
use super::super::shift::Shift;
use super::super::text_lines::TextLines;
use super::{EditScript, NewlineAfter, ScriptHunk, Segment};
use crate::look_alike::LookAlikeKinds;

impl<'a> EditScript<'a> {
    /// Compares old and new text. `shift` is given on rungs that fold look-alikes, and says what else differs between
    /// old text and place. The error is the reason why a guard forbids the edit.
    pub(in crate::ladder) fn of(
        view: &str,
        place: Range<usize>,
        old: &'a TextLines<'a>,
        new: &'a TextLines<'a>,
        shift: Option<&Shift<'_>>,
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
        let folds = |shift: &Shift<'_>| {
            let mut pairs = old.lines.iter().zip(&lines);
            pairs.any(|(old, range)| {
                let file = &place[range.clone()];
                let (old_part, file_part) = shift.common_part(old, file);
                old[old_part] != file[file_part] || shift.replaces_look_alike(file)
            })
        };
        let added = shift
            .filter(|shift| folds(shift))
            .map(|_| AddedStyle::of(&old_text, place, text_kind));
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
        let mut gaps = gaps(&runs, old.len(), new.len());
        let reaches_end = gaps.last().is_some_and(|gap| gap.old.end == old.len());
        if !reaches_end && old.ended != new.ended {
            gaps.push(Gap {
                old: old.len()..old.len(),
                new: new.len()..new.len(),
            });
        }
        let mut lost: Vec<(LookAlikeKinds, String)> = Vec::new();
        let mut fresh = LookAlikeKinds::default();
        let mut straightened = BTreeSet::new();
        for gap in &gaps {
            let (hunk, merged) = builder.hunk(gap)?;
            hunks.push(hunk);
            lost.extend(merged.lost);
            fresh.extend(merged.fresh);
            straightened.extend(merged.straightened);
        }
        // A folded character may be deleted, unless the new text adds one of the same kind: then it is unknown which of
        // them is meant.
        if let Some((_, reason)) = lost.into_iter().find(|(kinds, _)| kinds.meet(fresh)) {
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
    /// How the lines differ beside look-alikes; only on rungs that fold.
    shift: Option<&'l Shift<'l>>,
    /// How added characters are written; `None` where the match folded nothing.
    added: Option<&'l AddedStyle<'l>>,
}

impl<'l> ScriptBuilder<'l> {
    /// The hunk for one gap. It chooses which newlines the hunk replaces, so that every line that stays keeps its own
    /// line end.
    fn hunk(&self, gap: &Gap) -> Result<(ScriptHunk, Merged), String> {
        let is_last = gap.old.end == self.old.len() && gap.new.end == self.new.len();
        if !is_last {
            let range = self.lines[gap.old.start].start..self.lines[gap.old.end].start;
            return self.build_hunk(gap, range, "", HunkPlace::Inside);
        }
        let end = self.place.len();
        let after_shared = gap.old.start > 0;
        match (gap.old.is_empty(), gap.new.is_empty()) {
            (false, true) if after_shared && !self.new.ended => {
                let first = self.lines[gap.old.start].start;
                let (mut hunk, merged) =
                    self.build_hunk(gap, first - 1..end, "", HunkPlace::Last)?;
                if !self.old.ended {
                    hunk.newline_after = NewlineAfter::DeletedFrom(first);
                }
                Ok((hunk, merged))
            }
            (false, _) => {
                let range = self.lines[gap.old.start].start..end;
                self.build_hunk(gap, range, "", HunkPlace::Last)
            }
            (true, false) => {
                let opening = if self.old.ended { "" } else { "\n" };
                let (mut hunk, merged) =
                    self.build_hunk(gap, end..end, opening, HunkPlace::Last)?;
                if !self.old.ended && self.lines.last().is_some_and(Range::is_empty) {
                    hunk.newline_after = NewlineAfter::InsertBehind;
                }
                Ok((hunk, merged))
            }
            // Only the newline of the last line is added or deleted.
            (true, true) => {
                let range = self.lines.last().map_or(end, |line| line.end)..end;
                let opening = if self.new.ended { "\n" } else { "" };
                self.build_hunk(gap, range, opening, HunkPlace::Last)
            }
        }
    }

    /// The hunk that replaces `range` by `opening` and the new lines of the gap.
    fn build_hunk(
        &self,
        gap: &Gap,
        range: Range<usize>,
        opening: &str,
        hunk_place: HunkPlace,
    ) -> Result<(ScriptHunk, Merged), String> {
        let part = |text: &TextLines<'l>, lines: &Range<usize>| TextLines {
            lines: text.lines[lines.clone()].to_vec(),
            ended: text.ended || hunk_place == HunkPlace::Inside,
        };
        let (old, new) = (part(self.old, &gap.old), part(self.new, &gap.new));
        let mut segments = vec![Segment::Inserted(opening.to_owned())];
        let mut merged = Merged::default();
        match self.shift {
            None => segments.push(Segment::Inserted(new.text())),
            Some(shift) => {
                let (before, after) = self.around;
                let is_open = gap.new.end == self.new.len() && !self.new.ended;
                let around = (
                    before.filter(|_| gap.new.start == 0),
                    after.filter(|_| is_open),
                );
                merged = merge_characters(&LineGroup {
                    place: self.place,
                    lines: &self.lines[gap.old.clone()],
                    old,
                    new,
                    first_new: gap.new.start,
                    around,
                    shift,
                    added: self.added,
                })?;
                segments.append(&mut merged.segments);
            }
        }
        let newline_after = NewlineAfter::Untouched;
        Ok((
            ScriptHunk {
                range,
                segments,
                newline_after,
            },
            merged,
        ))
    }
}

/// Whether lines that old and new text have in common follow a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HunkPlace {
    /// Common lines follow, so that the last line of the hunk is ended.
    Inside,
    /// The hunk is the end of both texts.
    Last,
}
