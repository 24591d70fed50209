//! The pages of a PDF that a call requests.

use std::fmt;

use lancet_formats::pdf::MAX_PAGES;

/// Pages of a document, counted from 1: `3`, `1-5` or `10-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRange {
    /// The first page.
    pub first: u32,
    /// The last page; none for all pages from the first on.
    pub last: Option<u32>,
}

impl PageRange {
    /// Parses a range as it is typed; none if the text is not a range.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            let text = text.trim();
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse::<u32>().ok()).flatten()
        };
        let (first, last) = match text.split_once('-') {
            None => {
                let page = number(text)?;
                (page, Some(page))
            }
            Some((first, last)) if last.trim().is_empty() => (number(first)?, None),
            Some((first, last)) => (number(first)?, Some(number(last)?)),
        };
        (first > 0 && last.is_none_or(|last| last >= first)).then_some(Self { first, last })
    }

    /// Returns how many pages of the range one call shows at most.
    pub fn count(self) -> u32 {
        match self.last {
            None => MAX_PAGES,
            Some(last) => (last - self.first).saturating_add(1).min(MAX_PAGES),
        }
    }
}

impl fmt::Display for PageRange {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            None => write!(to, "{}-", self.first),
            Some(last) if last == self.first => write!(to, "{last}"),
            Some(last) => write!(to, "{}-{last}", self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_ranges() {
        for (typed, written, count) in [
            ("3", "3", 1),
            ("1-5", "1-5", 5),
            (" 2 - 4 ", "2-4", 3),
            ("10-", "10-", 20),
            ("7-7", "7", 1),
            ("1-4000000000", "1-4000000000", 20),
        ] {
            let range = PageRange::parse(typed).expect(typed);
            assert_eq!(range.to_string(), written);
            assert_eq!(range.count(), count, "{typed}");
        }
        for wrong in [
            "",
            "0",
            "-",
            "-3",
            "5-1",
            "first",
            "1,3",
            "1-2-3",
            "+1",
            "99999999999",
            "0-3",
        ] {
            assert_eq!(PageRange::parse(wrong), None, "{wrong}");
        }
    }
}
