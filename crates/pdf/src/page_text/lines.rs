//! Assembles positioned characters into lines and paragraphs.

use std::collections::HashSet;

use hayro::kurbo::{Point, Vec2};

use super::line::DrawnLine;

/// How far a character may go back and still belong to the line, in ems: accents and kerned letters do.
const MAX_BACKWARD_STEP: f64 = 0.6;

/// How far a character may be above or below the line, in ems: raised and lowered ones are.
const MAX_VERTICAL_OFFSET: f64 = 0.5;

/// The distance of two lines, in ems, from which an empty line is written between them.
const PARAGRAPH_DISTANCE: f64 = 1.7;

/// The character, or the few characters, of one glyph, with its position.
pub(super) struct PlacedText<'t> {
    pub(super) text: &'t str,
    /// The beginning, on its baseline.
    pub(super) start: Point,
    /// The position at which the next one would begin.
    pub(super) end: Point,
    /// The direction of the line.
    pub(super) along: Vec2,
    /// The size of the font.
    pub(super) size: f64,
}

/// The end of the text so far.
struct TextEnd {
    end: Point,
    direction: Vec2,
    size: f64,
}

/// The text so far.
#[derive(Default)]
pub(super) struct PlacedLines {
    /// The lines that are complete.
    text: String,
    line: DrawnLine,
    last: Option<TextEnd>,
    /// Whether a space was drawn after the last character.
    has_space: bool,
    /// The characters and positions that were drawn. Bold text is often drawn twice at almost the same position.
    drawn: HashSet<(String, i64, i64)>,
}

impl PlacedLines {
    /// Adds the next drawn text.
    pub(super) fn push(&mut self, placed: &PlacedText<'_>) {
        let is_placed = placed.start.is_finite() && placed.end.is_finite();
        if !is_placed || !placed.size.is_finite() || placed.size <= 0.0 {
            return;
        }
        let length = placed.along.hypot();
        let direction = match length.is_finite() && length > 0.0 {
            true => placed.along / length,
            false => Vec2::new(1.0, 0.0),
        };
        let is_white = placed.text.trim().is_empty();
        if !is_white && !self.is_first_drawing(placed) {
            return;
        }
        let place = self.next_place(placed, direction);
        if is_white {
            // A space at the beginning of a line is irrelevant.
            self.has_space |= matches!(place, NextPlace::SameLine { .. });
        } else {
            let gap = match place {
                NextPlace::SameLine { gap } => gap,
                NextPlace::NewLine => {
                    self.end_line("\n");
                    0.0
                }
                NextPlace::NewParagraph => {
                    self.end_line("\n\n");
                    0.0
                }
            };
            self.line.push(placed.text, gap, self.has_space);
            self.has_space = false;
        }
        if !is_white || self.has_space {
            self.last = Some(TextEnd {
                end: placed.end,
                direction,
                size: placed.size,
            });
        }
    }

    /// Returns the text, without white space at its end.
    pub(super) fn finish(mut self) -> String {
        self.end_line("");
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    fn end_line(&mut self, line_end: &str) {
        self.line.write_to(&mut self.text);
        self.text.push_str(line_end);
        self.has_space = false;
    }

    fn is_first_drawing(&mut self, placed: &PlacedText<'_>) -> bool {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a place beyond any page may be any number"
        )]
        let tenth = |place: f64| (place / placed.size * 10.0).round() as i64;
        let key = (
            placed.text.to_owned(),
            tenth(placed.start.x),
            tenth(placed.start.y),
        );
        self.drawn.insert(key)
    }

    /// Returns the position relative to the end of the text so far.
    fn next_place(&self, placed: &PlacedText<'_>, direction: Vec2) -> NextPlace {
        let Some(last) = &self.last else {
            return NextPlace::SameLine { gap: 0.0 };
        };
        let size = placed.size.max(last.size);
        let way = placed.start - last.end;
        let forward = way.dot(last.direction) / size;
        let sideways = (way.cross(last.direction) / size).abs();
        if direction.dot(last.direction) < 0.9 {
            return NextPlace::NewParagraph;
        }
        if sideways > MAX_VERTICAL_OFFSET || forward < -MAX_BACKWARD_STEP {
            return match sideways > PARAGRAPH_DISTANCE {
                true => NextPlace::NewParagraph,
                false => NextPlace::NewLine,
            };
        }
        NextPlace::SameLine { gap: forward }
    }
}

/// The position of a character relative to the end of the text so far.
enum NextPlace {
    SameLine {
        /// The distance from the end of the text, in ems.
        gap: f64,
    },
    NewLine,
    NewParagraph,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembles texts of ten points, each at its position with five points per character.
    fn assemble_texts(texts: &[(&str, f64, f64)]) -> String {
        let mut lines = PlacedLines::default();
        for (text, x, y) in texts {
            let mut x = *x;
            for character in text.chars() {
                lines.push(&PlacedText {
                    text: &character.to_string(),
                    start: Point::new(x, *y),
                    end: Point::new(x + 5.0, *y),
                    along: Vec2::new(1.0, 0.0),
                    size: 10.0,
                });
                x += 5.0;
            }
        }
        lines.finish()
    }

    #[test]
    fn derives_words_lines_and_paragraphs_from_distances() {
        assert_eq!(
            assemble_texts(&[("ab", 0.0, 0.0), ("cd", 10.2, 0.0)]),
            "abcd"
        );
        assert_eq!(
            assemble_texts(&[("ab", 0.0, 0.0), ("cd", 13.0, 0.0)]),
            "ab cd"
        );
        assert_eq!(
            assemble_texts(&[("ab ", 0.0, 0.0), ("cd", 15.0, 0.0)]),
            "ab cd"
        );
        assert_eq!(
            assemble_texts(&[("ab", 0.0, 0.0), ("cd", 90.0, 0.0)]),
            "ab  cd"
        );
        assert_eq!(
            assemble_texts(&[("ab", 0.0, 0.0), ("cd", 0.0, 12.0)]),
            "ab\ncd"
        );
        assert_eq!(
            assemble_texts(&[("ab ", 0.0, 0.0), ("cd", 0.0, 12.0)]),
            "ab\ncd"
        );
        assert_eq!(
            assemble_texts(&[("ab", 0.0, 0.0), ("cd", 0.0, 30.0)]),
            "ab\n\ncd"
        );
        assert_eq!(assemble_texts(&[("x", 0.0, 0.0), ("2", 5.0, -4.0)]), "x2");
    }

    /// Assembles a text with this gap between all characters, with its spaces drawn.
    fn assemble_spaced(text: &str, gap: f64) -> String {
        let place =
            |(index, character): (usize, char)| (character.to_string(), (5.0 + gap) * index as f64);
        let placed: Vec<(String, f64)> = text.chars().enumerate().map(place).collect();
        let placed: Vec<(&str, f64, f64)> = placed
            .iter()
            .map(|(text, x)| (text.as_str(), *x, 0.0))
            .collect();
        assemble_texts(&placed)
    }

    #[test]
    fn joins_spaced_out_letters_to_words() {
        assert_eq!(assemble_spaced("spaced out words", 0.5), "spaced out words");
        assert_eq!(assemble_spaced("spaced out words", 3.0), "spaced out words");
        // Without drawn spaces these may be words of one letter.
        assert_eq!(assemble_spaced("xyz", 3.0), "x y z");
    }

    #[test]
    fn puts_arabic_and_hebrew_in_reading_order() {
        assert_eq!(
            assemble_texts(&[("\u{FEA9}\u{FE8E}\u{FEB7}", 0.0, 0.0)]),
            "شاد"
        );
        assert_eq!(
            assemble_texts(&[("42 (םולש) Hi", 0.0, 0.0)]),
            "42 (שלום) Hi"
        );
        assert_eq!(
            assemble_texts(&[("lancet 12 םלועל םולש", 0.0, 0.0)]),
            "שלום לעולם lancet 12"
        );
        assert_eq!(assemble_texts(&[("one two", 0.0, 0.0)]), "one two");
    }

    #[test]
    fn reads_text_drawn_twice_once() {
        assert_eq!(
            assemble_texts(&[("bold", 0.0, 0.0), ("bold", 0.2, 0.0)]),
            "bold"
        );
        assert_eq!(assemble_texts(&[("ll", 0.0, 0.0)]), "ll");
    }

    #[test]
    fn skips_text_at_invalid_positions() {
        assert_eq!(
            assemble_texts(&[("a", f64::NAN, 0.0), ("b", 0.0, f64::INFINITY)]),
            ""
        );
        assert_eq!(
            assemble_texts(&[("a", 1e300, 0.0), ("b", -1e300, 0.0)]),
            "a\nb"
        );
    }
}
