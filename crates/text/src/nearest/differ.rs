//! Describes how a region differs from the text that was searched for, in clauses that a model can act on: white space
//! is made visible, and the first differing character is given with its code point.

use crate::clause::{Clause, ClausePart, clause};
use std::fmt::Write as _;

/// The number of characters of a line that are shown on each side of the first difference.
const SHOWN_AROUND_DIFFERENCE: usize = 40;

/// The number of differing lines that are listed.
const MAX_LISTED_LINES: usize = 10;

/// Returns the clauses about `text`, which is at `line` and `column` of the file (both from 0), compared with the sent
/// text.
pub(super) fn describe_differences(
    sent: &str,
    text: &str,
    line: usize,
    column: usize,
) -> Vec<Clause> {
    if sent == text {
        return Vec::new();
    }
    let mut clauses = Vec::new();
    if let Some(kind) = only_difference(sent, text) {
        clauses.push(clause!["the same but for ", kind]);
    }
    let first = FirstDifference::find_between(sent, text);
    let file_line = line + first.lines;
    let file_column = first.column + if first.lines == 0 { column } else { 0 };
    clauses.push(clause![
        format!(
            "first difference at line {}, column {}: the file has {}, ",
            file_line + 1,
            file_column + 1,
            name_character(text[first.at..].chars().next()),
        ),
        ClausePart::OldText,
        " has ",
        name_character(sent[first.at..].chars().next()),
    ]);
    let blank = |text: &str| {
        text[first.at..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace)
    };
    let shown = if blank(sent) || blank(text) {
        DrawnBlanks::All
    } else {
        DrawnBlanks::Edges
    };
    clauses.push(clause![
        format!(
            "the file: `{}`, ",
            visible_line_around(text, first.at, shown)
        ),
        ClausePart::OldText,
        format!(
            ": `{}` (· is a space, ⇥ a tab)",
            visible_line_around(sent, first.at, shown)
        ),
    ]);
    clauses.extend(count_differing_lines(sent, text, line));
    clauses
}

/// Returns what differs, if only white space or only letter case does.
fn only_difference(sent: &str, text: &str) -> Option<&'static str> {
    let blank = |character: &char| character.is_whitespace();
    let same = sent
        .chars()
        .filter(|character| !blank(character))
        .eq(text.chars().filter(|character| !blank(character)));
    if same {
        return Some("white space");
    }
    let same_case = sent
        .chars()
        .flat_map(char::to_lowercase)
        .eq(text.chars().flat_map(char::to_lowercase));
    same_case.then_some("letter case")
}

/// The position of the first difference.
struct FirstDifference {
    /// The number of bytes before it that are the same in both.
    at: usize,
    /// The number of lines before its line.
    lines: usize,
    /// The number of characters before it on its line.
    column: usize,
}

impl FirstDifference {
    fn find_between(sent: &str, text: &str) -> FirstDifference {
        let mut first = FirstDifference {
            at: 0,
            lines: 0,
            column: 0,
        };
        for (one, other) in sent.chars().zip(text.chars()) {
            if one != other {
                break;
            }
            first.at += one.len_utf8();
            if one == '\n' {
                first.lines += 1;
                first.column = 0;
            } else {
                first.column += 1;
            }
        }
        first
    }
}

/// Returns the name of a character for use in a sentence.
fn name_character(character: Option<char>) -> String {
    let Some(character) = character else {
        return "nothing more".to_owned();
    };
    let code = character as u32;
    let name = match character {
        '\n' => "a line end",
        '\t' => "a tab",
        ' ' => "a space",
        '\r' => "a carriage return",
        '\u{a0}' => "a no-break space",
        '\u{ad}' => "a soft hyphen",
        '\u{200b}' => "a zero width space",
        '\u{200c}' => "a zero width non-joiner",
        '\u{200d}' => "a zero width joiner",
        '\u{202f}' => "a narrow no-break space",
        '\u{3000}' => "an ideographic space",
        '\u{feff}' => "a byte order mark",
        '\u{fffd}' => "a character that could not be decoded",
        _ if is_invisible(character) => "an invisible character",
        _ => return format!("`{character}` (U+{code:04X})"),
    };
    format!("{name} (U+{code:04X})")
}

/// Returns whether a character is drawn as nothing, or like another one.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{300}'..='\u{36f}')
}

/// The spaces that are drawn as dots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DrawnBlanks {
    All,
    /// Those at the start and the end of a line.
    Edges,
}

/// Returns the line around an offset, shortened, with tabs, invisible characters and some spaces drawn.
fn visible_line_around(text: &str, at: usize, blanks: DrawnBlanks) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let from = text[start..at]
        .char_indices()
        .rev()
        .nth(SHOWN_AROUND_DIFFERENCE - 1)
        .map_or(start, |(offset, _)| start + offset);
    let to = text[at..end]
        .char_indices()
        .nth(SHOWN_AROUND_DIFFERENCE)
        .map_or(end, |(offset, _)| at + offset);
    let leading = end - text[start..end].trim_start().len();
    let trailing = start + text[start..end].trim_end().len();
    let mut drawn = String::new();
    if from > start {
        drawn.push('…');
    }
    for (offset, character) in text[from..to].char_indices() {
        let place = from + offset;
        let edge = place < leading || place >= trailing;
        match character {
            ' ' if edge || blanks == DrawnBlanks::All => drawn.push('·'),
            '\t' => drawn.push('⇥'),
            _ if is_invisible(character) => {
                let _ = write!(drawn, "⟨U+{:04X}⟩", character as u32);
            }
            _ => drawn.push(character),
        }
    }
    if to < end {
        drawn.push('…');
    }
    drawn
}

/// Returns how many more lines one side has, or which lines differ where there are several.
fn count_differing_lines(sent: &str, text: &str, line: usize) -> Option<Clause> {
    let (sent_lines, file_lines) = (sent.lines().count(), text.lines().count());
    if sent_lines != file_lines {
        let more = sent_lines.abs_diff(file_lines);
        let lines = if more == 1 { "line" } else { "lines" };
        return Some(if file_lines > sent_lines {
            clause![format!("the file has {more} {lines} more here")]
        } else {
            clause![ClausePart::OldText, format!(" has {more} {lines} more")]
        });
    }
    let pairs = sent.lines().zip(text.lines()).enumerate();
    let differing: Vec<usize> = pairs
        .filter(|(_, (one, other))| one != other)
        .map(|(index, _)| line + index + 1)
        .collect();
    if differing.len() < 2 {
        return None;
    }
    let listed: Vec<String> = differing
        .iter()
        .take(MAX_LISTED_LINES)
        .map(usize::to_string)
        .collect();
    let rest = differing.len().saturating_sub(MAX_LISTED_LINES);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    Some(clause![format!(
        "{} of {file_lines} lines differ: {}{more}",
        differing.len(),
        listed.join(", ")
    )])
}
