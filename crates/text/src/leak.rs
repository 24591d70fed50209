//! Detects display text in text that is to be written: line numbers, diff marks and notices that a model copied from a
//! result, and placeholder comments for text that was left out. The caller decides whether to refuse it.

mod edit;
mod fence;
mod numbers;
mod placeholder;

pub use edit::{BareDots, EditContext, Markup, leaked_edit};
pub(crate) use fence::{FenceLine, fence};
pub(crate) use numbers::{Separator, anchor_length, numbered};
pub use placeholder::placeholder;
pub(crate) use placeholder::stands_for_more;

use crate::clause::Clause;

/// The start of every notice in a result.
pub const NOTICE: &str = "[lancet: ";

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
const QUOTED_MOST: usize = 80;

/// The longest mended text that is returned, in bytes.
const MENDED_MOST: usize = 64 << 10;

/// Finds display text in `new` of a form that `old` does not have. `old` is the text to be replaced: that of the whole
/// file, or `None` for a file that does not exist.
pub fn leaked(old: Option<&str>, new: &str) -> Option<Leak> {
    display_text(&[old.unwrap_or("")], &[], new)
}

/// Finds display text in `new` of a form that none of the `known` texts has. `lines` are the numbers of the lines, from
/// 1, where the new text will begin.
fn display_text(known: &[&str], lines: &[usize], new: &str) -> Option<Leak> {
    leaked_numbers(known, lines, new)
        .or_else(|| leaked_marks(known, new))
        .or_else(|| leaked_notice(known, new))
}

fn leaked_numbers(known: &[&str], places: &[usize], new: &str) -> Option<Leak> {
    let mut lines = text_lines(new);
    let first = numbered(lines.next()?)?;
    let mut count = 1;
    for line in lines {
        let next = numbered(line)?;
        if !next.follows(&first, count) {
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
        text_lines(text)
            .any(|line| numbered(line).is_some_and(|found| found.separator == first.separator))
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
        mended: (new.len() <= MENDED_MOST).then(|| without_numbers(new, first.separator)),
    })
}

/// Returns the text without the line numbers of this form.
fn without_numbers(text: &str, separator: Separator) -> String {
    text.split_inclusive('\n')
        .map(|line| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            match numbered(bare).filter(|number| number.separator == separator) {
                Some(number) => &line[number.width..],
                None => line,
            }
        })
        .collect()
}

/// Returns the new text without line numbers of the form that the old text has; `None` where the new text has none of
/// them.
pub fn without_numbers_of(old: &str, new: &str) -> Option<String> {
    let separator = numbered(text_lines(old).next()?)?.separator;
    let bare = without_numbers(new, separator);
    (bare != new && new.len() <= MENDED_MOST).then_some(bare)
}

fn leaked_marks(known: &[&str], new: &str) -> Option<Leak> {
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

fn leaked_notice(known: &[&str], new: &str) -> Option<Leak> {
    let (line, text) = text_lines(new)
        .enumerate()
        .find(|(_, line)| line.starts_with(NOTICE))?;
    let has_form = |text: &&str| text_lines(text).any(|line| line.starts_with(NOTICE));
    (!known.iter().any(has_form)).then(|| Leak {
        kind: LeakKind::Notice,
        line,
        reason: format!(
            "Line {} is a notice of an answer ({}), not text of a file.",
            line + 1,
            quoted(text)
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
pub(crate) fn quoted(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(QUOTED_MOST) {
        Some((cut, _)) => format!("`{}…`", &line[..cut]),
        None => format!("`{line}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit of characters of a reason, as documented.
    const REASON_MOST: usize = 400;

    fn kind(old: &str, new: &str) -> Option<LeakKind> {
        let leak = leaked(Some(old), new)?;
        assert!(leak.reason.to_string().chars().count() <= REASON_MOST);
        Some(leak.kind)
    }

    #[test]
    fn numbers_of_every_form_on_every_line() {
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
            assert_eq!(kind("beta\ngamma", new), Some(LeakKind::Numbers), "{new:?}");
        }
    }

    #[test]
    fn what_only_looks_like_numbers() {
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
            assert_eq!(kind("beta\ngamma", new), None, "{new:?}");
        }
    }

    #[test]
    fn a_form_that_the_old_text_has_is_content() {
        assert_eq!(kind("x\n7→kept", "1→a\n2→b"), None);
        assert_eq!(kind("1\tAnna", "1\tAnna\n2\tBert"), None);
        assert_eq!(kind("1\tAnna", "1→Anna\n2→Bert"), Some(LeakKind::Numbers));
        assert_eq!(kind("- a\n- b", "- a\n+ b"), None);
        assert_eq!(kind("[lancet: x]", "[lancet: y]"), None);
    }

    #[test]
    fn marks_of_a_diff() {
        assert_eq!(
            kind("beta\ngamma", "-beta\n+BETA\n gamma"),
            Some(LeakKind::Marks)
        );
        assert_eq!(kind("beta", "-beta\n+BETA\n"), Some(LeakKind::Marks));
        for new in [
            "- a\n- b",
            "+a\n+b",
            " a\n b",
            "-a\n+b\nc",
            "-a\n\n+b",
            "@@ -1 +1 @@\n-a\n+b",
        ] {
            assert_eq!(kind("beta", new), None, "{new:?}");
        }
    }

    #[test]
    fn notices() {
        let new = "a\n[lancet: lines 1-2000 of 2500 of /a.txt; revision 0123456789abcdef]\n";
        let leak = leaked(None, new).expect("a notice");
        assert_eq!((leak.kind, leak.line), (LeakKind::Notice, 1));
        assert_eq!(kind("a", "see [lancet: x]"), None);
    }

    #[test]
    fn reasons_are_bounded() {
        let leak = leaked(None, &format!("{NOTICE}{}", "é".repeat(10_000))).expect("a notice");
        assert!(leak.reason.to_string().chars().count() <= REASON_MOST);
        let many: String = (1..=100_000).map(|line| format!("{line}→x\n")).collect();
        assert!(
            leaked(None, &many)
                .expect("numbers")
                .reason
                .to_string()
                .chars()
                .count()
                <= REASON_MOST
        );
    }
}
