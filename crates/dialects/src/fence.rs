//! Fences around code in Markdown: lines of back quotes or tildes, and the tags that some models use instead.

/// A line that opens or closes a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'t> {
    pub(crate) mark: char,
    pub(crate) length: usize,
    /// The text after the marks: the language. A closing fence has none.
    pub(crate) info: &'t str,
}

/// Tags that are used as fences if the content itself has back quotes.
const FENCE_TAGS: [&str; 5] = ["source", "code", "pre", "codeblock", "sourcecode"];

/// Parses a line as a fence. Up to three blanks may precede it, as in Markdown; fences in lists are indented more.
pub(crate) fn parse_fence(line: &str) -> Option<Fence<'_>> {
    let bytes = line.as_bytes();
    let mut start = 0;
    while matches!(bytes.get(start), Some(b' ' | b'\t')) {
        start += 1;
    }
    let mark = *bytes.get(start)?;
    if !matches!(mark, b'`' | b'~') {
        return None;
    }
    let mut end = start + 1;
    while bytes.get(end) == Some(&mark) {
        end += 1;
    }
    let length = end - start;
    if length < 3 {
        return None;
    }
    let mark = char::from(mark);
    let info = match end == line.len() {
        true => "",
        false => line[end..].trim(),
    };
    // Further back quotes on the line make it inline code.
    (mark != '`' || !info.contains('`')).then_some(Fence { mark, length, info })
}

/// Returns whether a line opens or closes a fence made of a tag.
pub(crate) fn is_tag(line: &str) -> bool {
    let name = line
        .trim()
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    name.is_some_and(|name| FENCE_TAGS.contains(&name.strip_prefix('/').unwrap_or(name)))
}

impl Fence<'_> {
    /// Returns whether a line can close this fence, judged by its first bytes; `rest` includes the text after the line.
    #[inline]
    pub(crate) fn may_be_closed_by(&self, rest: &[u8]) -> bool {
        let start = rest
            .iter()
            .position(|byte| !matches!(byte, b' ' | b'\t'))
            .unwrap_or(rest.len());
        let marks = rest[start..].iter();
        let marks = marks.take_while(|byte| char::from(**byte) == self.mark);
        marks.take(self.length).count() == self.length
    }

    /// Returns whether a line closes this fence.
    pub(crate) fn is_closed_by(&self, line: &str) -> bool {
        self.may_be_closed_by(line.as_bytes())
            && parse_fence(line).is_some_and(|other| self.is_closed_by_fence(other))
    }

    /// Returns whether another fence closes this one.
    pub(crate) fn is_closed_by_fence(&self, other: Fence<'_>) -> bool {
        other.mark == self.mark && other.length >= self.length && other.info.is_empty()
    }
}
