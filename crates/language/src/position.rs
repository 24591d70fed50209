//! Positions in a text as servers count them: lines from 0, and in a line bytes, UTF-16 units or characters.

use serde_json::{Value, json};

/// The unit in which a server counts within a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// Returns the encoding with this name; without a name, the protocol's default.
    pub(crate) fn from_name(name: Option<&str>) -> Encoding {
        match name {
            Some("utf-8") => Encoding::Utf8,
            Some("utf-32") => Encoding::Utf32,
            _ => Encoding::Utf16,
        }
    }

    fn code_units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }

    /// Returns the column, in characters from 1, of a position in a line. Positions after the end of the line are its
    /// end.
    pub(crate) fn character_column(self, line: &str, place: u32) -> u32 {
        let place = place as usize;
        let mut units = 0;
        let mut column = 1;
        for character in line.chars() {
            units += self.code_units(character);
            if units > place {
                break;
            }
            column += 1;
        }
        column
    }

    fn length_in_units(self, line: &str) -> usize {
        line.chars()
            .map(|character| self.code_units(character))
            .sum()
    }

    /// Returns the byte offset in a line at which this many units end; none if the line is shorter, or a character is
    /// cut.
    fn byte_offset(self, line: &str, place: usize) -> Option<usize> {
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= place {
                return (units == place).then_some(at);
            }
            units += self.code_units(character);
        }
        (units == place).then_some(line.len())
    }
}

/// The lines of a text, ended by LF, CRLF or CR as in the protocol.
pub(crate) struct PositionLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> PositionLines<'a> {
    pub(crate) fn new(text: &'a str) -> PositionLines<'a> {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (place, byte) in bytes.iter().enumerate() {
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(place + 1) != Some(&b'\n'));
            if ends {
                starts.push(place + 1);
            }
        }
        PositionLines { text, starts }
    }

    /// Returns a line without its end; empty if there is no such line.
    pub(crate) fn line(&self, number: u32) -> &'a str {
        let number = number as usize;
        let Some(&start) = self.starts.get(number) else {
            return "";
        };
        let end = self.starts.get(number + 1).copied();
        self.text[start..end.unwrap_or(self.text.len())].trim_end_matches(['\r', '\n'])
    }

    /// Returns the byte offset in the text for a server's position; none if the text has no such position.
    pub(crate) fn offset(&self, line: u32, place: u32, encoding: Encoding) -> Option<usize> {
        let start = *self.starts.get(line as usize)?;
        let within = encoding.byte_offset(self.line(line), place as usize)?;
        Some(start + within)
    }

    /// Converts a byte offset in the text to a server's position.
    pub(crate) fn position(&self, at: usize, encoding: Encoding) -> Value {
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        let before = self.text.get(self.starts[line]..at).unwrap_or_default();
        json!({ "line": line, "character": encoding.length_in_units(before) })
    }
}

/// Returns the change from one text to another as the protocol's content change: the lines that differ, as one range.
pub(crate) fn content_change(before: &str, after: &str, encoding: Encoding) -> Value {
    let (old, new) = (PositionLines::new(before), PositionLines::new(after));
    let mut start = before
        .bytes()
        .zip(after.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    // A line start of one text within the common part is also one of the other, except at the very end of the part,
    // where the next byte may turn a CR into CRLF.
    let mut line = old.starts.partition_point(|place| *place <= start) - 1;
    if line > 0 && new.starts.get(line) != old.starts.get(line) {
        line -= 1;
    }
    start = old.starts[line];
    let room = (before.len() - start).min(after.len() - start);
    let same = before
        .bytes()
        .rev()
        .zip(after.bytes().rev())
        .take(room)
        .take_while(|(one, other)| one == other)
        .count();
    // Whole lines after the difference; the end of both texts if there are none.
    let first = old
        .starts
        .partition_point(|place| *place < before.len() - same);
    let tail = old.starts[first..]
        .iter()
        .enumerate()
        .find_map(|(more, place)| {
            let there = place + after.len();
            let begins =
                there >= before.len() && new.starts.binary_search(&(there - before.len())).is_ok();
            (begins && *place > start).then_some((first + more, *place))
        });
    let (end, until) = match tail {
        Some((line, place)) => (json!({ "line": line, "character": 0 }), place),
        None => {
            let last = old.starts.len() - 1;
            let length = encoding.length_in_units(&before[old.starts[last]..]);
            (json!({ "line": last, "character": length }), before.len())
        }
    };
    let text = &after[start..after.len() - (before.len() - until)];
    json!({ "range": { "start": { "line": line, "character": 0 }, "end": end }, "text": text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn converts_columns_to_characters() {
        let line = "a😀ä = x";
        for (encoding, place) in [
            (Encoding::Utf8, 10),
            (Encoding::Utf16, 7),
            (Encoding::Utf32, 6),
        ] {
            assert_eq!(encoding.character_column(line, place), 7, "{encoding:?}");
        }
        assert_eq!(
            Encoding::Utf16.character_column(line, 2),
            2,
            "inside the emoji"
        );
        assert_eq!(Encoding::Utf8.character_column(line, 1000), 8);
    }

    #[test]
    fn splits_lines_at_protocol_line_ends() {
        let lines = PositionLines::new("a\r\nb\rc\nd");
        let all: Vec<_> = (0..5).map(|number| lines.line(number)).collect();
        assert_eq!(all, ["a", "b", "c", "d", ""]);
    }

    /// Applies a content change as the protocol defines it.
    fn apply_content_change(before: &str, change: &Value, encoding: Encoding) -> String {
        let lines = PositionLines::new(before);
        let place = |position: &Value| {
            let number = |name: &str| position[name].as_u64().expect("a number") as usize;
            let start = lines.starts[number("line")];
            let mut left = number("character");
            let mut place = start;
            for character in before[start..].chars() {
                if left == 0 {
                    break;
                }
                left -= encoding.code_units(character);
                place += character.len_utf8();
            }
            place
        };
        let range = &change["range"];
        let (start, end) = (place(&range["start"]), place(&range["end"]));
        let text = change["text"].as_str().expect("a text");
        format!("{}{text}{}", &before[..start], &before[end..])
    }

    proptest! {
        #[test]
        fn content_change_yields_the_new_text(
            before in "([ab😀ä]{0,3}(\n|\r\n|\r)?){0,6}",
            after in "([ab😀ä]{0,3}(\n|\r\n|\r)?){0,6}",
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let change = content_change(&before, &after, encoding);
                prop_assert_eq!(&apply_content_change(&before, &change, encoding), &after);
            }
        }
    }

    #[test]
    fn content_change_contains_only_changed_lines() {
        let change = content_change("a\nb\nc\n", "a\nx\nc\n", Encoding::Utf8);
        assert_eq!(change["text"], "x\n");
    }
}
