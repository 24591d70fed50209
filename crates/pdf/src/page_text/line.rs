//! One line of a page: the gaps between its characters, and their reading order.

use super::reading_order;

/// The gap between two words, in ems, if letters have their usual spacing.
const WORD_GAP: f64 = 0.1;

/// The gap between two columns, in ems.
const COLUMN_GAP: f64 = 1.5;

/// The largest gap between letters of a word, in ems. Headings are spaced out by up to half an em.
const MAX_LETTER_GAP: f64 = 0.6;

/// The fewest gaps between letters from which the letter spacing of a line is derived.
const MIN_GAPS: usize = 4;

/// The text of one glyph, and its distance from the glyph before.
struct LinePart {
    text: String,
    /// The distance from the end of the part before it, in ems.
    gap: f64,
    /// Whether a space was drawn before it.
    has_space: bool,
}

/// The parts of one line, in the order in which they are drawn.
#[derive(Default)]
pub(super) struct DrawnLine {
    parts: Vec<LinePart>,
}

impl DrawnLine {
    pub(super) fn push(&mut self, text: &str, gap: f64, has_space: bool) {
        self.parts.push(LinePart {
            text: text.to_owned(),
            gap,
            has_space,
        });
    }

    /// Appends the line to the text, and empties it.
    pub(super) fn write_to(&mut self, text: &mut String) {
        let letter_gap = self.letter_gap();
        let mut line = String::new();
        for (index, part) in self.parts.drain(..).enumerate() {
            let gap = part.gap - letter_gap;
            if index > 0 && gap > COLUMN_GAP {
                line.push_str("  ");
            } else if index > 0 && (part.has_space || gap > WORD_GAP) {
                line.push(' ');
            }
            line.push_str(&part.text);
        }
        text.push_str(&reading_order::restore_reading_order(line));
    }

    /// Returns the letter spacing of the words, in ems. Only a line that draws its spaces allows to distinguish
    /// spaced-out letters from words of one letter; three of four letters have at least that gap.
    fn letter_gap(&self) -> f64 {
        let parts = self.parts.get(1..).unwrap_or_default();
        if !parts.iter().any(|part| part.has_space) {
            return 0.0;
        }
        let between_letters = parts.iter().filter(|part| !part.has_space);
        let mut gaps: Vec<f64> = between_letters.map(|part| part.gap).collect();
        if gaps.len() < MIN_GAPS {
            return 0.0;
        }
        gaps.sort_unstable_by(f64::total_cmp);
        match gaps[gaps.len() / 4] {
            gap if gap > WORD_GAP && gap <= MAX_LETTER_GAP => gap,
            _ => 0.0,
        }
    }
}
