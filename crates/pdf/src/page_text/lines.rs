//! Puts placed characters together to words, lines and paragraphs.

use std::collections::HashSet;

use hayro::kurbo::{Point, Vec2};

/// The gap between two words, in ems. Letters of a word are closer even where they are spaced out.
const WORD_GAP: f64 = 0.1;

/// The gap between two columns, in ems.
const COLUMN_GAP: f64 = 1.5;

/// How far a character may go back and still belong to the line, in ems: accents and kerned letters do.
const BACK: f64 = 0.6;

/// How far a character may stand above or below the line, in ems: raised and lowered ones do.
const RAISED: f64 = 0.5;

/// The distance of two lines from which an empty line stands between them, in ems.
const PARAGRAPH: f64 = 1.7;

/// A character, or the few that one glyph stands for, at its place.
pub(super) struct PlacedText<'t> {
    pub(super) text: &'t str,
    /// Where it begins, on its baseline.
    pub(super) start: Point,
    /// Where the next one would begin.
    pub(super) end: Point,
    /// The direction of the line.
    pub(super) along: Vec2,
    /// The size of the font.
    pub(super) size: f64,
}

/// The end of the text so far.
struct Last {
    end: Point,
    direction: Vec2,
    size: f64,
}

/// The text so far.
#[derive(Default)]
pub(super) struct PlacedLines {
    text: String,
    last: Option<Last>,
    /// Whether a space was drawn after the last character.
    has_space: bool,
    /// The characters and places that were drawn. Bold text is often drawn twice at almost the same place.
    drawn: HashSet<(String, i64, i64)>,
}

impl PlacedLines {
    /// Adds what is drawn next.
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
        if !is_white && !self.is_new(placed) {
            return;
        }
        let separator = self.separator(placed, direction);
        if is_white {
            // A space at the beginning of a line says nothing.
            self.has_space |= matches!(separator, Separator::None | Separator::Space);
        } else {
            match separator {
                Separator::None if self.has_space => self.text.push(' '),
                Separator::None => {}
                Separator::Space => self.text.push(' '),
                Separator::Column => self.text.push_str("  "),
                Separator::Line => self.text.push('\n'),
                Separator::Paragraph => self.text.push_str("\n\n"),
            }
            self.has_space = false;
            self.text.push_str(placed.text);
        }
        if !is_white || self.has_space {
            self.last = Some(Last {
                end: placed.end,
                direction,
                size: placed.size,
            });
        }
    }

    /// The text, without white space at its end.
    pub(super) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    fn is_new(&mut self, placed: &PlacedText<'_>) -> bool {
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

    /// What stands between the text so far and this.
    fn separator(&self, placed: &PlacedText<'_>, direction: Vec2) -> Separator {
        let Some(last) = &self.last else {
            return Separator::None;
        };
        let size = placed.size.max(last.size);
        let way = placed.start - last.end;
        let forward = way.dot(last.direction) / size;
        let sideways = (way.cross(last.direction) / size).abs();
        if direction.dot(last.direction) < 0.9 {
            return Separator::Paragraph;
        }
        if sideways > RAISED || forward < -BACK {
            return match sideways > PARAGRAPH {
                true => Separator::Paragraph,
                false => Separator::Line,
            };
        }
        match forward {
            gap if gap > COLUMN_GAP => Separator::Column,
            gap if gap > WORD_GAP => Separator::Space,
            _ => Separator::None,
        }
    }
}

/// What stands between two characters.
enum Separator {
    None,
    Space,
    Column,
    Line,
    Paragraph,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes texts of ten points, each at its place with five points for a character.
    fn written(texts: &[(&str, f64, f64)]) -> String {
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
    fn distances_make_words_lines_and_paragraphs() {
        assert_eq!(written(&[("ab", 0.0, 0.0), ("cd", 10.2, 0.0)]), "abcd");
        assert_eq!(written(&[("ab", 0.0, 0.0), ("cd", 13.0, 0.0)]), "ab cd");
        assert_eq!(written(&[("ab ", 0.0, 0.0), ("cd", 15.0, 0.0)]), "ab cd");
        assert_eq!(written(&[("ab", 0.0, 0.0), ("cd", 90.0, 0.0)]), "ab  cd");
        assert_eq!(written(&[("ab", 0.0, 0.0), ("cd", 0.0, 12.0)]), "ab\ncd");
        assert_eq!(written(&[("ab ", 0.0, 0.0), ("cd", 0.0, 12.0)]), "ab\ncd");
        assert_eq!(written(&[("ab", 0.0, 0.0), ("cd", 0.0, 30.0)]), "ab\n\ncd");
        assert_eq!(written(&[("x", 0.0, 0.0), ("2", 5.0, -4.0)]), "x2");
    }

    #[test]
    fn what_is_drawn_twice_is_read_once() {
        assert_eq!(written(&[("bold", 0.0, 0.0), ("bold", 0.2, 0.0)]), "bold");
        assert_eq!(written(&[("ll", 0.0, 0.0)]), "ll");
    }

    #[test]
    fn places_that_are_no_numbers_are_left_out() {
        assert_eq!(
            written(&[("a", f64::NAN, 0.0), ("b", 0.0, f64::INFINITY)]),
            ""
        );
        assert_eq!(written(&[("a", 1e300, 0.0), ("b", -1e300, 0.0)]), "a\nb");
    }
}
