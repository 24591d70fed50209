//! A line number at the start of a line, in one of the forms of Read or in the forms `N:` and `N | `. The last two are
//! data more often than not (`1: a` is YAML), so callers must have further evidence, such as the number that the line
//! has.

/// The width of an aligned number.
const ALIGNED_WIDTH: usize = 6;

/// The separator between the number and the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    Arrow,
    /// `:abc→`, an anchor of the line and an arrow.
    Anchor,
    Tab,
    /// `N:`, as Grep writes it.
    Colon,
    /// `N | `, as many viewers write it.
    Bar,
}

/// The number at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) value: u64,
    /// Whether it is right-aligned, six wide; `None` for a number of six digits or more, which may be either.
    aligned: Option<bool>,
    pub(crate) separator: Separator,
    /// The number of bytes that number and separator take.
    pub(crate) width: usize,
}

impl Number {
    /// Returns whether this is the number `count` lines after the first, in the same form.
    pub(super) fn is_in_sequence(&self, first: &Number, count: u64) -> bool {
        let same_form = match (self.aligned, first.aligned) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        same_form
            && self.separator == first.separator
            && first.value.checked_add(count) == Some(self.value)
    }

    /// Returns the number as it was written, for a message.
    pub(super) fn describe(&self) -> String {
        match self.separator {
            Separator::Arrow => format!("`{}→`", self.value),
            Separator::Anchor => format!("`{}:`, three letters and `→`", self.value),
            Separator::Tab => format!("`{}` and a tab", self.value),
            Separator::Colon => format!("`{}:`", self.value),
            Separator::Bar => format!("`{} | `", self.value),
        }
    }
}

/// Returns how many bytes an anchor takes after its line number: `:abc→`.
pub(crate) fn anchor_length(behind: &str) -> Option<usize> {
    const ANCHOR_LENGTH: usize = 1 + 3 + '→'.len_utf8();
    let anchor = behind.get(..ANCHOR_LENGTH)?;
    let letters = anchor.strip_prefix(':')?.strip_suffix('→')?;
    let is_letter = |byte: u8| matches!(byte, b'a'..=b'z' | b'2'..=b'7');
    letters.bytes().all(is_letter).then_some(ANCHOR_LENGTH)
}

/// Returns the number at the start of a line.
pub(crate) fn parse_numbered_line(line: &str) -> Option<Number> {
    let rest = line.trim_start_matches(' ');
    let blanks = line.len() - rest.len();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || rest.starts_with('0') {
        return None;
    }
    let behind = &rest[digits..];
    let anchor = anchor_length(behind);
    let (separator, length) = match behind.chars().next()? {
        '→' => (Separator::Arrow, '→'.len_utf8()),
        '\t' => (Separator::Tab, 1),
        ':' => anchor.map_or((Separator::Colon, 1), |length| (Separator::Anchor, length)),
        // An editor may have removed the blank after the bar on a line that is otherwise empty.
        ' ' if behind == " |" => (Separator::Bar, 2),
        ' ' if behind.starts_with(" | ") => (Separator::Bar, 3),
        _ => return None,
    };
    let padding_fits = match separator {
        Separator::Arrow | Separator::Tab => blanks == 0 || blanks + digits == ALIGNED_WIDTH,
        Separator::Colon | Separator::Anchor => blanks == 0,
        Separator::Bar => true,
    };
    if !padding_fits {
        return None;
    }
    let aligned = match separator {
        Separator::Arrow | Separator::Tab => (digits < ALIGNED_WIDTH).then_some(blanks > 0),
        Separator::Colon | Separator::Anchor | Separator::Bar => None,
    };
    Some(Number {
        value: rest[..digits].parse().ok()?,
        aligned,
        separator,
        width: blanks + digits + length,
    })
}
