//! Breaks lines at words where a terminal is narrow.

/// Breaks the lines of a text that are wider than so many columns. Continuation lines are indented like the first one,
/// and two more. Escape sequences take no column.
pub(crate) fn wrap_lines(text: &str, columns: usize) -> String {
    // The terminal does not report its width, or is too narrow for breaking lines.
    if columns < 20 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for line in text.split_inclusive('\n') {
        wrap_line(&mut out, line, columns);
    }
    out
}

fn wrap_line(out: &mut String, line: &str, columns: usize) {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let indent = (blanks + 2).min(columns / 2);
    let mut column = 0;
    for (at, word) in line.split_inclusive(' ').enumerate() {
        let width = width(word.trim_end());
        if at > 0 && column > indent && column + width > columns {
            let kept = out.trim_end_matches(' ').len();
            out.truncate(kept);
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        }
        out.push_str(word);
        column += width + (word.len() - word.trim_end_matches(' ').len());
    }
}

/// Counts the characters of a text without its escape sequences.
fn width(text: &str) -> usize {
    let mut pieces = text.split('\x1b');
    let first = pieces.next().unwrap_or_default().chars().count();
    let rest = pieces.map(|piece| {
        piece
            .split_once('m')
            .map_or(0, |(_, rest)| rest.chars().count())
    });
    first + rest.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_at_words_and_keeps_indentation() {
        let text = "  one two three four five six\nshort\n";
        assert_eq!(
            wrap_lines(text, 20),
            "  one two three four\n    five six\nshort\n"
        );
        assert_eq!(wrap_lines(text, 0), text, "the width is not known");
        assert_eq!(wrap_lines(text, 80), text);
    }

    #[test]
    fn escape_sequences_have_no_width_and_long_words_are_not_broken() {
        let text = "\x1b[1maaaa bbbb cccc dddd\x1b[0m eeee\n";
        assert_eq!(
            wrap_lines(text, 20),
            "\x1b[1maaaa bbbb cccc dddd\x1b[0m\n  eeee\n"
        );
        let long = "x".repeat(50) + " y\n";
        assert_eq!(wrap_lines(&long, 20), "x".repeat(50) + "\n  y\n");
    }
}
