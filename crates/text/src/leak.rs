//! Detects display text in text that is to be written: line numbers, diff marks and notices that a model copied from a
//! result, and placeholder comments for text that was left out. The caller decides whether to refuse it.

mod edit;
mod fence;
mod numbers;
mod placeholder;

pub use edit::{BareDotsMeaning, EditContext, FenceSupport, find_leak_in_edit};
pub(crate) use fence::{FenceLine, fence_kind};
pub(crate) use numbers::{Separator, anchor_length, parse_numbered_line};
pub use placeholder::find_placeholder;
pub(crate) use placeholder::is_placeholder_line;

use crate::clause::Clause;

/// The start of every notice in a result.
pub const NOTICE_START: &str = "[lancet: ";

/// The kinds of display text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeakKind {
    /// Line numbers as Read shows them.
    Numbers,
    /// The `+`, `-` and blank before the lines of a diff.
    Marks,
    /// A notice of a result.
    Notice,
    /// A comment such as `// ... rest unchanged` in place of the text itself.
    Placeholder,
    /// A code fence around the text.
    Fence,
}

/// Display text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// The kind of display text.
    pub kind: LeakKind,
    /// The line of the new text where it is, counted from 0.
    pub line: usize,
    /// A sentence about it, at most 400 characters long.
    pub reason: Clause,
    /// The new text without it, where that is certain and at most 64 KiB long.
    pub mended: Option<String>,
}

/// The number of characters of a line that a reason quotes.
const MAX_QUOTED_CHARACTERS: usize = 80;

/// The longest mended text that is returned, in bytes.
const MAX_MENDED_BYTES: usize = 64 << 10;

/// Finds display text in `new` of a form that `old` does not have. `old` is the text to be replaced: that of the whole
/// file, or `None` for a file that does not exist.
pub fn find_leak(old: Option<&str>, new: &str) -> Option<Leak> {
    find_display_text(&[old.unwrap_or("")], &[], new)
}

/// Finds display text in `new` of a form that none of the `known` texts has. `lines` are the numbers of the lines, from
/// 1, where the new text will begin.
fn find_display_text(known: &[&str], lines: &[usize], new: &str) -> Option<Leak> {
    find_leaked_numbers(known, lines, new)
        .or_else(|| find_leaked_diff_marks(known, new))
        .or_else(|| find_leaked_notice(known, new))
}

fn find_leaked_numbers(known: &[&str], places: &[usize], new: &str) -> Option<Leak> {
    let mut lines = text_lines(new);
    let first = parse_numbered_line(lines.next()?)?;
    let mut count = 1;
    for line in lines {
        let next = parse_numbered_line(line)?;
        if !next.is_in_sequence(&first, count) {
            return None;
        }
        count += 1;
    }
    let shown_by = match first.separator {
        Separator::Arrow | Separator::Anchor => "Read",
        // One line with a number and a tab is a row of a table.
        Separator::Tab if count == 1 => return None,
        Separator::Tab => "Read",
        // Numbers that differ from those of the lines are data.
        Separator::Colon | Separator::Bar => {
            let begins = places.iter().any(|&line| line as u64 == first.value);
            if count == 1 || !begins {
                return None;
            }
            "a search or a viewer"
        }
    };
    let has_form = |text: &&str| {
        text_lines(text).any(|line| {
            parse_numbered_line(line).is_some_and(|found| found.separator == first.separator)
        })
    };
    (!known.iter().any(has_form)).then(|| Leak {
        kind: LeakKind::Numbers,
        line: 0,
        reason: format!(
            "{} with a line number as {shown_by} shows it ({}), which is not part of the file.",
            if count == 1 {
                "The line begins".to_owned()
            } else {
                format!("All {count} lines begin")
            },
            first.describe(),
        )
        .into(),
        mended: (new.len() <= MAX_MENDED_BYTES).then(|| without_numbers(new, first.separator)),
    })
}

/// Returns the text without the line numbers of this form.
fn without_numbers(text: &str, separator: Separator) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            match parse_numbered_line(bare).filter(|number| number.separator == separator) {
                Some(number) => &line[number.width..],
                None => line,
            }
        })
        .collect()
}

/// Returns the new text without line numbers of the form that the old text has; `None` where the new text has none of
/// them.
pub fn without_leaked_numbers(old: &str, new: &str) -> Option<String> {
    let separator = parse_numbered_line(text_lines(old).next()?)?.separator;
    let bare = without_numbers(new, separator);
    (bare != new && new.len() <= MAX_MENDED_BYTES).then_some(bare)
}

fn find_leaked_diff_marks(known: &[&str], new: &str) -> Option<Leak> {
    let marks = DiffMarks::detect(new)?;
    let has_form = |text: &&str| {
        DiffMarks::detect(text).is_some_and(|known| known.plus || known.minus)
            || (text_lines(text).any(|line| line.starts_with('+'))
                && text_lines(text).any(|line| line.starts_with('-')))
    };
    (marks.plus && marks.minus && !known.iter().any(has_form)).then(|| Leak {
        kind: LeakKind::Marks,
        line: 0,
        reason: "Every line begins with `+`, `-` or a blank as in a diff; send the lines without these marks, and \
                 leave the removed ones out."
            .into(),
        mended: None,
    })
}

/// The diff marks that occur in a text whose every line begins with one.
struct DiffMarks {
    plus: bool,
    minus: bool,
}

impl DiffMarks {
    fn detect(text: &str) -> Option<DiffMarks> {
        let mut marks = DiffMarks {
            plus: false,
            minus: false,
        };
        for line in text_lines(text) {
            match line.as_bytes().first()? {
                b'+' => marks.plus = true,
                b'-' => marks.minus = true,
                b' ' => {}
                _ => return None,
            }
        }
        Some(marks)
    }
}

fn find_leaked_notice(known: &[&str], new: &str) -> Option<Leak> {
    let (line, text) = text_lines(new)
        .enumerate()
        .find(|(_, line)| line.starts_with(NOTICE_START))?;
    let has_form = |text: &&str| text_lines(text).any(|line| line.starts_with(NOTICE_START));
    (!known.iter().any(has_form)).then(|| Leak {
        kind: LeakKind::Notice,
        line,
        reason: format!(
            "Line {} is a notice of an answer ({}), not text of a file.",
            line + 1,
            quote_line_start(text)
        )
        .into(),
        mended: None,
    })
}

/// Returns the lines without their newlines; a final newline starts no further line.
fn text_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').unwrap_or(line))
}

/// Returns the start of a line, as a reason quotes it.
pub(crate) fn quote_line_start(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(MAX_QUOTED_CHARACTERS) {
        Some((cut, _)) => format!("`{}…`", &line[..cut]),
        None => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit of characters of a reason, as documented.
    const MAX_REASON_CHARACTERS: usize = 400;

    fn leak_kind(old: &str, new: &str) -> Option<LeakKind> {
        let leak = find_leak(Some(old), new)?;
        assert!(leak.reason.to_string().chars().count() <= MAX_REASON_CHARACTERS);
        Some(leak.kind)
    }

    #[test]
    fn detects_line_numbers_of_every_form() {
        for new in [
            "2→BETA\n3→GAMMA",
            "2→BETA\n3→GAMMA\n",
            "9→a\n10→b\n11→",
            "2\tBETA\n3\tGAMMA",
            "     9→a\n    10→b",
            "     9\ta\n    10\tb",
            "2→one line",
            "     2→one line",
        ] {
            assert_eq!(
                leak_kind("beta\ngamma", new),
                Some(LeakKind::Numbers),
                "{new:?}"
            );
        }
    }

    #[test]
    fn accepts_text_that_resembles_line_numbers() {
        for new in [
            "1\tAnna",
            "     1\tAnna",
            "2→BETA\nGAMMA",
            "2→BETA\n4→GAMMA",
            "1\tAnna\n1\tBert",
            "2→BETA\n3\tGAMMA",
            "  2→a\n  3→b",
            "02→a\n03→b",
            "0→a",
            "1: a\n2: b",
            "1:a\n2:b",
            "1-a\n2-b",
            "1. a\n2. b",
            "→a",
            "99999999999999999999999→a",
            "",
            "\n",
        ] {
            assert_eq!(leak_kind("beta\ngamma", new), None, "{new:?}");
        }
    }

    #[test]
    fn form_present_in_old_text_is_content() {
        assert_eq!(leak_kind("x\n7→kept", "1→a\n2→b"), None);
        assert_eq!(leak_kind("1\tAnna", "1\tAnna\n2\tBert"), None);
        assert_eq!(
            leak_kind("1\tAnna", "1→Anna\n2→Bert"),
            Some(LeakKind::Numbers)
        );
        assert_eq!(leak_kind("- a\n- b", "- a\n+ b"), None);
        assert_eq!(leak_kind("[lancet: x]", "[lancet: y]"), None);
    }

    #[test]
    fn detects_diff_marks() {
        assert_eq!(
            leak_kind("beta\ngamma", "-beta\n+BETA\n gamma"),
            Some(LeakKind::Marks)
        );
        assert_eq!(leak_kind("beta", "-beta\n+BETA\n"), Some(LeakKind::Marks));
        for new in [
            "- a\n- b",
            "+a\n+b",
            " a\n b",
            "-a\n+b\nc",
            "-a\n\n+b",
            "@@ -1 +1 @@\n-a\n+b",
        ] {
            assert_eq!(leak_kind("beta", new), None, "{new:?}");
        }
    }

    #[test]
    fn detects_notices() {
        let new = "a\n[lancet: lines 1-2000 of 2500 of /a.txt; revision 0123456789abcdef]\n";
        let leak = find_leak(None, new).expect("a notice");
        assert_eq!((leak.kind, leak.line), (LeakKind::Notice, 1));
        assert_eq!(leak_kind("a", "see [lancet: x]"), None);
    }

    #[test]
    fn reasons_have_bounded_length() {
        let leak =
            find_leak(None, &format!("{NOTICE_START}{}", "é".repeat(10_000))).expect("a notice");
        assert!(leak.reason.to_string().chars().count() <= MAX_REASON_CHARACTERS);
        let many: String = (1..=100_000).map(|line| format!("{line}→x\n")).collect();
        assert!(
            find_leak(None, &many)
                .expect("numbers")
                .reason
                .to_string()
                .chars()
                .count()
                <= MAX_REASON_CHARACTERS
        );
    }
}
