//! A line number in one of Read's forms at the start of a line. The forms of Grep are not among them: `1: a` is YAML.

/// Width of an aligned number.
const ALIGNED: usize = 6;

/// What stands between number and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Arrow,
    Tab,
}

/// The number at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    value: u64,
    /// Right-aligned, six wide; a number of six digits or more may be either.
    aligned: Option<bool>,
    pub(super) separator: Separator,
}

impl Number {
    /// Whether this is the number `count` lines after the first, in the same form.
    pub(super) fn follows(&self, first: &Number, count: u64) -> bool {
        let same_form = match (self.aligned, first.aligned) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        same_form
            && self.separator == first.separator
            && first.value.checked_add(count) == Some(self.value)
    }

    /// The number as it is written, for a sentence.
    pub(super) fn shown(&self) -> String {
        match self.separator {
            Separator::Arrow => format!("`{}→`", self.value),
            Separator::Tab => format!("`{}` and a tab", self.value),
        }
    }
}

/// The number that Read would have put before a line.
pub(super) fn numbered(line: &str) -> Option<Number> {
    let rest = line.trim_start_matches(' ');
    let blanks = line.len() - rest.len();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || rest.starts_with('0') || (blanks > 0 && blanks + digits != ALIGNED) {
        return None;
    }
    let separator = match rest[digits..].chars().next()? {
        '→' => Separator::Arrow,
        '\t' => Separator::Tab,
        _ => return None,
    };
    Some(Number {
        value: rest[..digits].parse().ok()?,
        aligned: (digits < ALIGNED).then_some(blanks > 0),
        separator,
    })
}
