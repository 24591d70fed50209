//! The rung `gutter`: old text copied with the line numbers of an answer. The numbers must be
//! those of the very lines where the rest stands; they may so choose among equal places.

use crate::look_alike::is_blank;

use super::passage::Passage;
use super::settle::literal;
use super::{Leaks, Rung, Task, Verdict};

/// The ways in which line numbers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `7→text`
    Arrow,
    /// `     7→text`
    AlignedArrow,
    /// `7`, a tab, the text
    Tab,
    /// The same six wide, as `cat -n` writes it.
    AlignedTab,
    /// `7:text` for a match, `7-text` around it
    Grep,
    /// `7 | text`; before nothing the last blank may be missing.
    Bar,
}

const FORMS: [Form; 6] = [
    Form::Arrow,
    Form::AlignedArrow,
    Form::Tab,
    Form::AlignedTab,
    Form::Grep,
    Form::Bar,
];

/// The width of an aligned number.
const ALIGNED: usize = 6;

/// Numbers of more digits are no line numbers.
const DIGITS_MOST: usize = 12;

pub(super) fn find(task: &Task<'_>) -> Option<Verdict> {
    let (old, new) = (Passage::of(task.old), Passage::of(task.new));
    let (form, first, stripped) = FORMS.iter().find_map(|&form| {
        let (first, lines) = strip(&old, form)?;
        Some((form, first, lines))
    })?;
    let (place, at_open_end) = stand(task, &stripped, first, old.ended)?;
    let mut old = Passage {
        lines: stripped,
        ended: old.ended,
    };
    let new_lines = match (strip_new(&new, form), task.leaks) {
        (Ok(lines), _) => lines,
        (Err(_), Leaks::Insisted) => new.lines,
        (Err(reason), Leaks::Refuse) => return Some(Verdict::Leaked { reason }),
    };
    let mut new = Passage {
        lines: new_lines,
        ended: new.ended,
    };
    if at_open_end {
        (old, new) = (old.unended(), new.unended());
    }
    Some(literal(task, Rung::Gutter, vec![place], &old, &new))
}

/// The place of the lines from number `first` on, if they are these, and whether it ends where the
/// file ends without the newline that the old text has.
fn stand(
    task: &Task<'_>,
    lines: &[&str],
    first: usize,
    ended: bool,
) -> Option<(std::ops::Range<usize>, bool)> {
    if lines.iter().all(|line| is_blank(line)) {
        return None;
    }
    let view = task.sight.view;
    let start = match first.checked_sub(2) {
        None => 0,
        Some(newlines) => memchr::memchr_iter(b'\n', view.as_bytes()).nth(newlines)? + 1,
    };
    let text = lines.join("\n");
    let rest = view[start..].strip_prefix(text.as_str())?;
    let mut end = start + text.len();
    // Behind a final newline there is no line, not even an empty one.
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
    (!task.sight.is_damaged(&place)).then_some((place, ended && rest.is_empty()))
}

/// The first number and the lines without theirs, where all lines have consecutive ones.
fn strip<'t>(passage: &Passage<'t>, form: Form) -> Option<(usize, Vec<&'t str>)> {
    let (first, _) = number(passage.lines.first()?, form)?;
    let mut stripped = Vec::with_capacity(passage.len());
    for (count, line) in passage.lines.iter().enumerate() {
        let (number, rest) = number(line, form)?;
        if number != first + count {
            return None;
        }
        stripped.push(rest);
    }
    Some((first, stripped))
}

/// The new lines without numbers: all have them, in the old text's form, or none has any. The
/// error is a sentence about display text among them.
fn strip_new<'t>(new: &Passage<'t>, form: Form) -> Result<Vec<&'t str>, String> {
    if let Some((_, lines)) = strip(new, form) {
        return Ok(lines);
    }
    let numbered = |form: Form| {
        new.lines
            .iter()
            .filter(|line| number(line, form).is_some())
            .count()
    };
    let own = numbered(form);
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
    // The arrow is nobody's data; the other forms are, unless every line has one.
    let other = FORMS.iter().any(|&other| match numbered(other) {
        0 => false,
        count => count == new.len() || matches!(other, Form::Arrow | Form::AlignedArrow),
    });
    if other {
        return Err(
            "The old text has line numbers, and the new text has them in another form.".to_owned(),
        );
    }
    Ok(new.lines.clone())
}

/// The number before a line, and the line.
fn number(line: &str, form: Form) -> Option<(usize, &str)> {
    let unpadded = line.trim_start_matches(' ');
    let padding = line.len() - unpadded.len();
    let digits = unpadded.bytes().take_while(u8::is_ascii_digit).count();
    let wanted = match form {
        Form::AlignedArrow | Form::AlignedTab => ALIGNED.saturating_sub(digits),
        Form::Arrow | Form::Tab | Form::Grep | Form::Bar => 0,
    };
    if padding != wanted || digits == 0 || digits > DIGITS_MOST || unpadded.starts_with('0') {
        return None;
    }
    let (number, rest) = unpadded.split_at(digits);
    let text = match form {
        Form::Arrow | Form::AlignedArrow => rest.strip_prefix('→'),
        Form::Tab | Form::AlignedTab => rest.strip_prefix('\t'),
        Form::Grep => rest.strip_prefix([':', '-']),
        Form::Bar if rest == " |" => Some(""),
        Form::Bar => rest.strip_prefix(" | "),
    };
    Some((number.parse().ok()?, text?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_read_as_itself_only() {
        let shown = ["7→x", "     7→x", "7\tx", "     7\tx", "7:x", "7 | x"];
        for (at, form) in FORMS.iter().enumerate() {
            for (other, line) in shown.iter().enumerate() {
                let wanted = (at == other).then_some((7, "x"));
                assert_eq!(number(line, *form), wanted, "{form:?} {line:?}");
            }
        }
        assert_eq!(number("7-x", Form::Grep), Some((7, "x")));
        assert_eq!(number("7 |", Form::Bar), Some((7, "")));
        assert_eq!(number("7 | ", Form::Bar), Some((7, "")));
        assert_eq!(number("7 |x", Form::Bar), None);
        assert_eq!(number("123456→x", Form::AlignedArrow), Some((123_456, "x")));
        for line in ["07→x", "0→x", "→x", "1234567890123→x", "    7→x", "7 x", ""] {
            assert_eq!(
                FORMS.iter().find_map(|&form| number(line, form)),
                None,
                "{line:?}"
            );
        }
    }
}
