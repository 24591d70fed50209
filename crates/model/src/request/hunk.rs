//! Edits that are hunks of whole lines.

use crate::non_exhaustive::NonExhaustive;
use lancet_dialects::{LineRole, PatchHunk};
use lancet_text::{FinalNewline, GapHandling, HunkBounds, HunkSides, LastLine};

use super::{EditRequest, Place};
use crate::hunk_place::HunkPlace;

impl EditRequest {
    /// Makes an edit of a hunk of whole lines.
    pub fn hunk(hunk: &PatchHunk) -> Self {
        let mut roles = hunk.lines.iter().map(|line| line.role).rev();
        let last_old = roles.find(|role| *role != LineRole::Added);
        let mut roles = hunk.lines.iter().map(|line| line.role);
        let has_context = roles.any(|role| role == LineRole::Context);
        let bounds = HunkBounds {
            anchors: hunk.anchors.clone(),
            next_anchor: hunk.next_anchor.clone(),
            at_end: hunk.at_end,
            old_end: final_newline_rule(hunk.old_lacks_newline),
            new_end: final_newline_rule(hunk.new_lacks_newline),
            gaps: match hunk.has_gaps {
                true => GapHandling::Allowed,
                false => GapHandling::Literal,
            },
            last_line: match last_old {
                Some(LineRole::Context) => LastLine::Kept,
                _ => LastLine::Replaced,
            },
            sides: match has_context {
                true => HunkSides::WithContext,
                false => HunkSides::Texts,
            },
        };
        Self {
            old: end_each_line(hunk.old_lines()),
            new: end_each_line(hunk.new_lines()),
            place: Place::Hunk(Box::new(HunkPlace {
                bounds,
                line_hint: hunk.line_hint,
                section: hunk.section,
                non_exhaustive: NonExhaustive,
            })),
            ..Self::default()
        }
    }

    /// Returns whether the edit creates a file, or fills an empty one.
    #[doc(hidden)]
    pub fn creates_or_fills_file(&self) -> bool {
        self.old.is_empty() && self.place == Place::Text
    }

    /// Returns the hunk's place; none if the edit is not a hunk.
    #[doc(hidden)]
    pub fn as_hunk(&self) -> Option<&HunkPlace> {
        match &self.place {
            Place::Hunk(hunk) => Some(hunk),
            _ => None,
        }
    }

    /// Returns whether the edit replaces a text by the same text.
    #[doc(hidden)]
    pub fn is_same_text(&self) -> bool {
        self.place == Place::Text && self.old == self.new
    }

    /// Returns whether the edit is a hunk that changes nothing: its old and new lines are the same.
    #[doc(hidden)]
    pub fn is_idle_hunk(&self) -> bool {
        self.old == self.new
            && self
                .as_hunk()
                .is_some_and(|hunk| hunk.bounds.old_end == hunk.bounds.new_end)
    }
}

fn final_newline_rule(lacks: bool) -> FinalNewline {
    match lacks {
        true => FinalNewline::Lacking,
        false => FinalNewline::Unmarked,
    }
}

fn end_each_line<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}
