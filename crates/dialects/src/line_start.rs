//! Classifies a line by its first bytes: whether it can open or close anything in a response. A response may have 50
//! million lines, and calling each parser for each of them took 80 to 170 ns a line; checking the first bytes takes 5
//! to 10.

use crate::line_end::next_line;

/// What a line may be, judged by its first bytes after blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineStart {
    /// The opening tag of thinking.
    Thinking,
    /// A marker of a SEARCH/REPLACE block.
    Marker,
    /// A marker of a SEARCH/REPLACE block, or the old name in a diff.
    Dashes,
    /// A fence.
    Fence,
    /// The first line of a V4A patch, or a header in it.
    Patch,
    /// A header of a diff.
    Diff,
}

/// The bytes with which a line that [`line_start`] recognises can begin, including blanks.
const MAY_BEGIN_SPECIAL_LINE: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"<>-+*@d`~ \t\r\x0b\x0c\xc2\xe1\xe2\xe3";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Returns whether the first byte of a line alone shows that it opens and closes nothing.
#[inline]
pub(crate) fn is_ordinary_line(rest: &[u8]) -> bool {
    let is_known = |first: &u8| MAY_BEGIN_SPECIAL_LINE[usize::from(*first)];
    !rest.first().is_some_and(is_known)
}

/// The beginnings of the lines with the two names of a file in a diff.
pub(crate) const OLD_FILE_PREFIX: &str = "--- ";
pub(crate) const NEW_FILE_PREFIX: &str = "+++ ";

/// The beginnings of the lines that begin a V4A patch, or that can only occur inside one.
const PATCH_HEADERS: [&str; 4] = [
    "*** Begin Patch",
    "*** Add File:",
    "*** Delete File:",
    "*** Update File:",
];

/// Returns what the first line of a text may be, if an edit can begin at it, as [`special_line_start`].
#[inline]
pub(crate) fn edit_start(text: &[u8]) -> Option<LineStart> {
    special_line_start(text)
        .filter(|start| !matches!(start, LineStart::Fence | LineStart::Thinking))
}

/// Returns what the first line of a text may be, also considering the lines after it.
#[inline(always)]
pub(crate) fn special_line_start(text: &[u8]) -> Option<LineStart> {
    line_start(text).filter(|start| *start != LineStart::Diff || may_begin_diff(text))
}

/// Returns what a line may be; `rest` may include the text after the line. All markers, headers, fences and tags begin
/// in one of these ways, and most lines of a response do not.
#[inline(always)]
pub(crate) fn line_start(rest: &[u8]) -> Option<LineStart> {
    match is_ordinary_line(rest) {
        true => None,
        false => known_line_start(trim_start_blanks(rest)),
    }
}

// Not inlined for the reason given at [`may_begin_diff`].
#[inline(never)]
fn known_line_start(rest: &[u8]) -> Option<LineStart> {
    let is_header = |header: &&str| rest.starts_with(header.as_bytes());
    let (is_so, start) = match rest {
        [mark @ (b'`' | b'~'), second, third, ..] => {
            (mark == second && mark == third, LineStart::Fence)
        }
        [b'<', b't', ..] => (rest.starts_with(b"<think"), LineStart::Thinking),
        [b'<' | b'>' | b'+', ..] => (is_marker(rest), LineStart::Marker),
        [b'-', ..] if is_marker(rest) => (true, LineStart::Dashes),
        [b'-', ..] => (
            rest.starts_with(OLD_FILE_PREFIX.as_bytes()),
            LineStart::Diff,
        ),
        [b'*', ..] => (PATCH_HEADERS.iter().any(is_header), LineStart::Patch),
        [b'@', ..] => {
            let is_hunk = rest.starts_with(b"@@ -") || rest.starts_with(b"@@@ -");
            (is_hunk, LineStart::Diff)
        }
        [b'd', ..] => (rest.starts_with(b"diff --"), LineStart::Diff),
        _ => return None,
    };
    is_so.then_some(start)
}

/// Returns whether a section of a diff may begin at the first line of a text. A response may have ten million old names
/// without a new name after them: finding the lines after each by their numbers took 45 ns, by their bytes it takes 20.
// Inlined, it made the search over 50 million empty lines take 0.20 s instead of 0.11.
#[inline(never)]
fn may_begin_diff(text: &[u8]) -> bool {
    fn text_after_line(text: &[u8]) -> &[u8] {
        next_line(text, 0).map_or(&[], |next| &text[next..])
    }
    if matches!(text.first(), Some(b'@' | b'd')) {
        return true;
    }
    if !text.starts_with(OLD_FILE_PREFIX.as_bytes()) {
        return false;
    }
    let mut next = text_after_line(text);
    if next.starts_with(OLD_FILE_PREFIX.as_bytes()) {
        next = text_after_line(next);
    }
    // At the end of the text it depends on whether more of the response may arrive.
    next.is_empty() || next.starts_with(NEW_FILE_PREFIX.as_bytes())
}

/// Returns whether a line is empty or contains only blanks.
#[inline]
pub(crate) fn is_blank(line: &str) -> bool {
    trim_start_blanks(line.as_bytes()).is_empty()
}

/// Returns whether a text begins with three or more of one character and the word of a marker.
fn is_marker(rest: &[u8]) -> bool {
    let length = rest.iter().take_while(|byte| **byte == rest[0]).count();
    if length < 3 || rest.get(length) != Some(&b' ') {
        return false;
    }
    let word = trim_start_blanks(&rest[length..]);
    word.starts_with(b"SEARCH") || word.starts_with(b"REPLACE")
}

/// Returns a text without the blanks before its first line's first character, which are those of `str::trim_start`.
#[inline]
fn trim_start_blanks(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = match rest {
            [b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c', rest @ ..]
            | [0xc2, 0x85 | 0xa0, rest @ ..]
            | [0xe1, 0x9a, 0x80, rest @ ..]
            | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, rest @ ..]
            | [0xe2, 0x81, 0x9f, rest @ ..]
            | [0xe3, 0x80, 0x80, rest @ ..] => rest,
            _ => return rest,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::{Cursor, ParseOptions, ReadingState, ResponseEnd};
    use crate::fence::parse_fence;
    use crate::lines::{LineMarks, ResponseLines};
    use crate::reader::thinking_tag;
    use crate::{search_replace, unified, v4a};
    use proptest::prelude::*;

    #[test]
    fn trims_same_blanks_as_trim_start() {
        for letter in ('\0'..=char::MAX).filter(|letter| *letter != '\n') {
            let text = format!("{letter}x");
            assert_eq!(
                trim_start_blanks(text.as_bytes()),
                text.trim_start().as_bytes(),
                "{letter:?}"
            );
        }
        assert_eq!(trim_start_blanks(b" \nx"), b"\nx");
    }

    proptest! {
        #![proptest_config(lancet_testing::laws::config())]

        /// No line that a parser would accept is skipped, or classified wrongly.
        #[test]
        fn skipped_lines_open_no_edit(
            blanks in "[ \t\u{a0}]{0,2}",
            start in "(<{1,7}|>{1,7}|-{1,7}|\\+{1,7}|`{1,4}|~{1,4}|\\*{1,4}|@{1,3}|<think>|<thinking>|diff --(git|cc|combined))",
            rest in "( ?(SEARCH>?|REPLACE|Begin Patch|Add File: a|Delete File: a|Update File: a|-1 \\+1 @@|a|b a))?",
        ) {
            use LineStart::{Dashes, Diff, Fence, Marker, Patch, Thinking};
            let line = format!("{blanks}{start}{rest}");
            let takers = [
                (parse_fence(&line).is_some(), vec![Fence]),
                (thinking_tag(&line).is_some(), vec![Thinking]),
                (search_replace::parse_marker(&line).is_some(), vec![Marker, Dashes]),
                (v4a::is_part_of_patch(&line), vec![Patch]),
                (unified::may_begin_section(&line), vec![Dashes, Diff]),
            ];
            let start = line_start(format!("{line}\nx").as_bytes());
            for (is_taken, starts) in takers {
                prop_assert!(!is_taken || start.is_some_and(|start| starts.contains(&start)), "{line}");
            }
            prop_assert_eq!(line_start(line.as_bytes()), start);
        }

        /// No line at which a section begins is skipped, even if the text does not decide it yet.
        #[test]
        fn skipped_lines_begin_no_section(
            text in "((--- |\\+\\+\\+ |---| --- |@@ -1 \\+1 @@|@@@ -|diff --git |x)a?\r?\n){1,5}",
        ) {
            let mut marks = LineMarks::default();
            marks.add_lines(&text, 0);
            for ended in [ResponseEnd::Yes, ResponseEnd::No] {
                let (mut state, options) = (ReadingState::default(), ParseOptions::default());
                let lines = ResponseLines::new(&text, &marks, marks.count());
                let reader = Cursor::new(lines, &options, &mut state, ended);
                let mut rest = text.as_str();
                for at in 0..marks.count() {
                    let is_asked = may_begin_diff(rest.as_bytes());
                    prop_assert!(is_asked || matches!(unified::begins_section(&reader, at), Ok(false)), "{rest:?}");
                    rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
                }
            }
        }
    }
}
