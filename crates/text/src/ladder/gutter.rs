//! The rung `gutter`: the old text was copied with the line numbers that a result shows. The numbers must be those of
//! the very lines that match, so they may choose among equal places.

use crate::leak::anchor_length;
use crate::look_alike::is_blank;

use super::text_lines::TextLines;
use super::verdict::choose_and_edit;
use super::{LeakPolicy, Rung, SearchTask, Verdict};

/// The formats in which line numbers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberFormat {
    /// `7→text`
    Arrow,
    /// `7:abc→text`, with an anchor of the line.
    Anchor,
    /// ` 7→text`
    AlignedArrow,
    /// The number, a tab, the text.
    Tab,
    /// The same with the number six wide, as `cat -n` writes it.
    AlignedTab,
    /// `7:text` for a match, `7-text` for a line of context.
    Grep,
    /// `7 | text`; on an empty line the last blank may be missing.
    Bar,
}

const NUMBER_FORMATS: [NumberFormat; 7] = [
    NumberFormat::Arrow,
    NumberFormat::Anchor,
    NumberFormat::AlignedArrow,
    NumberFormat::Tab,
    NumberFormat::AlignedTab,
    NumberFormat::Grep,
    NumberFormat::Bar,
];

/// The width of an aligned number.
const ALIGNED_WIDTH: usize = 6;

/// A number with more digits is not a line number.
const MAX_DIGITS: usize = 12;

pub(super) fn find(task: &SearchTask<'_>) -> Option<Verdict> {
    let (old, new) = (TextLines::new(task.old), TextLines::new(task.new));
    // Text may fit two formats: `7:abc→x` is a line with an anchor, or Grep's line that begins with `abc→`.
    let (format, stripped, (place, at_open_end)) = NUMBER_FORMATS.iter().find_map(|&format| {
        let (first, lines) = strip_numbers(&old, format)?;
        let located = locate_numbered_lines(task, &lines, first, old.ended)?;
        Some((format, lines, located))
    })?;
    let mut old = TextLines {
        lines: stripped,
        ended: old.ended,
    };
    let new_lines = match (strip_numbers_of_new_text(&new, format), task.leaks) {
        (Ok(lines), _) => lines,
        (Err(_), LeakPolicy::Insisted) => new.lines,
        (Err(reason), LeakPolicy::Refuse) => return Some(Verdict::Leaked { reason }),
    };
    let mut new = TextLines {
        lines: new_lines,
        ended: new.ended,
    };
    if at_open_end {
        (old, new) = (old.without_final_newline(), new.without_final_newline());
    }
    Some(choose_and_edit(task, Rung::Gutter, vec![place], &old, &new))
}

/// Returns the place of these lines if they are the lines of the file from number `first` on, and whether the place
/// ends at the end of a file without the final newline that the old text has.
fn locate_numbered_lines(
    task: &SearchTask<'_>,
    lines: &[&str],
    first: usize,
    ended: bool,
) -> Option<(std::ops::Range<usize>, bool)> {
    if lines.iter().all(|line| is_blank(line)) {
        return None;
    }
    let view = task.source.view;
    let start = match first.checked_sub(2) {
        None => 0,
        Some(newlines) => memchr::memchr_iter(b'\n', view.as_bytes()).nth(newlines)? + 1,
    };
    let text = lines.join("\n");
    let rest = view[start..].strip_prefix(text.as_str())?;
    let mut end = start + text.len();
    // After a final newline there is no line, not even an empty one.
    let last = lines.last().map_or(0, |line| line.len());
    if end - last == view.len() {
        return None;
    }
    match (ended, rest.starts_with('\n')) {
        (true, true) => end += 1,
        (false, true) => {}
        (_, false) if rest.is_empty() => {}
        (_, false) => return None,
    }
    let place = start..end;
    (!task.source.is_excluded(&place)).then_some((place, ended && rest.is_empty()))
}

/// Returns the first number, and the lines without their numbers, if all lines have consecutive numbers.
fn strip_numbers<'t>(lines: &TextLines<'t>, format: NumberFormat) -> Option<(usize, Vec<&'t str>)> {
    let (first, _) = parse_number(lines.lines.first()?, format)?;
    let mut stripped = Vec::with_capacity(lines.len());
    for (count, line) in lines.lines.iter().enumerate() {
        let (number, rest) = parse_number(line, format)?;
        if number != first + count {
            return None;
        }
        stripped.push(rest);
    }
    Some((first, stripped))
}

/// Returns the new lines without numbers if all of them have numbers in the format of the old text, or none has any.
/// The error is a sentence about the numbers that some have.
fn strip_numbers_of_new_text<'t>(
    new: &TextLines<'t>,
    format: NumberFormat,
) -> Result<Vec<&'t str>, String> {
    if let Some((_, lines)) = strip_numbers(new, format) {
        return Ok(lines);
    }
    let numbered = |format: NumberFormat| {
        new.lines
            .iter()
            .filter(|line| parse_number(line, format).is_some())
            .count()
    };
    let own = numbered(format);
    if own == new.len() && own > 0 {
        return Err(
            "The old text has line numbers, and those of the new text are not consecutive."
                .to_owned(),
        );
    }
    if own > 0 {
        return Err(format!(
            "The old text has line numbers, and so have {own} of the {} lines of the new text, but not all of them.",
            new.len()
        ));
    }
    // An arrow after a number is never content of a file; the other formats may be, unless every line has a number.
    let other = NUMBER_FORMATS.iter().any(|&other| match numbered(other) {
        0 => false,
        count => {
            let is_certain = matches!(
                other,
                NumberFormat::Arrow | NumberFormat::AlignedArrow | NumberFormat::Anchor
            );
            count == new.len() || is_certain
        }
    });
    if other {
        return Err(
            "The old text has line numbers, and the new text has them in another form.".to_owned(),
        );
    }
    Ok(new.lines.clone())
}

/// Returns the number at the start of a line, and the rest of the line.
fn parse_number(line: &str, format: NumberFormat) -> Option<(usize, &str)> {
    let unpadded = line.trim_start_matches(' ');
    let padding = line.len() - unpadded.len();
    let digits = unpadded.bytes().take_while(u8::is_ascii_digit).count();
    let wanted = match format {
        NumberFormat::AlignedArrow | NumberFormat::AlignedTab => {
            ALIGNED_WIDTH.saturating_sub(digits)
        }
        NumberFormat::Arrow
        | NumberFormat::Anchor
        | NumberFormat::Tab
        | NumberFormat::Grep
        | NumberFormat::Bar => 0,
    };
    if padding != wanted || digits == 0 || digits > MAX_DIGITS || unpadded.starts_with('0') {
        return None;
    }
    let (number, rest) = unpadded.split_at(digits);
    let text = match format {
        NumberFormat::Arrow | NumberFormat::AlignedArrow => rest.strip_prefix('→'),
        NumberFormat::Anchor => anchor_length(rest).and_then(|length| rest.get(length..)),
        NumberFormat::Tab | NumberFormat::AlignedTab => rest.strip_prefix('\t'),
        NumberFormat::Grep => rest.strip_prefix([':', '-']),
        NumberFormat::Bar if rest == " |" => Some(""),
        NumberFormat::Bar => rest.strip_prefix(" | "),
    };
    Some((number.parse().ok()?, text?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_format_parses_only_itself() {
        let shown = [
            "7→x",
            "7:ab2→x",
            "     7→x",
            "7\tx",
            "     7\tx",
            "7:x",
            "7 | x",
        ];
        for (at, format) in NUMBER_FORMATS.iter().enumerate() {
            for (other, line) in shown.iter().enumerate() {
                let wanted = match (*format, *line) {
                    // Text that one format parses as an anchor is plain text in Grep's.
                    (NumberFormat::Grep, "7:ab2→x") => Some((7, "ab2→x")),
                    _ => (at == other).then_some((7, "x")),
                };
                assert_eq!(parse_number(line, *format), wanted, "{format:?} {line:?}");
            }
        }
        assert_eq!(parse_number("7-x", NumberFormat::Grep), Some((7, "x")));
        assert_eq!(parse_number("7 |", NumberFormat::Bar), Some((7, "")));
        assert_eq!(parse_number("7 | ", NumberFormat::Bar), Some((7, "")));
        assert_eq!(parse_number("7 |x", NumberFormat::Bar), None);
        assert_eq!(
            parse_number("123456→x", NumberFormat::AlignedArrow),
            Some((123_456, "x"))
        );
        for line in ["07→x", "0→x", "→x", "1234567890123→x", "    7→x", "7 x", ""] {
            assert_eq!(
                NUMBER_FORMATS
                    .iter()
                    .find_map(|&format| parse_number(line, format)),
                None,
                "{line:?}"
            );
        }
    }
}
