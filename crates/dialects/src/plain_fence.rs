//! Skips fences that are closed and contain only lines that open nothing, judged by their bytes alone. A response of 50
//! MB may have six million of them, and deciding about each line by its number took 60 to 110 ns for a fence, by its
//! bytes it takes 20 to 30.

use crate::line_end::next_line;
use crate::line_start::is_ordinary_line;

/// The maximum number of lines of such a fence. In a longer one the time for its lines dominates, and they would be
/// checked twice: 50 million empty lines in a fence that is not closed took 0.55 s instead of 0.29.
const MAX_LINES: usize = 32;

/// Returns how many lines, and how many bytes, the consecutive fences at the start of a text take; none if the first
/// line opens no fence, the fence is not closed by a complete line, or a line in it may open something.
pub(crate) fn skip_plain_fences(text: &[u8]) -> Option<(usize, usize)> {
    let (mut lines, mut end) = (0, 0);
    while let Some((more, length)) = skip_plain_fence(&text[end..]) {
        lines += more;
        end += length;
    }
    (lines > 0).then_some((lines, end))
}

#[inline]
fn skip_plain_fence(text: &[u8]) -> Option<(usize, usize)> {
    let (mark, length, info) = fence_marks(text)?;
    let mut at = next_line(text, info)?;
    // Further back quotes on the line make it inline code.
    if mark == b'`' && text[info..at].contains(&b'`') {
        return None;
    }
    for lines in 2..=MAX_LINES {
        let rest = &text[at..];
        if is_ordinary_line(rest) {
            at = next_line(text, at)?;
            continue;
        }
        let (other, other_length, info) = fence_marks(rest)?;
        let newline = match &rest[info..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return None,
        };
        return (other == mark && other_length >= length).then_some((lines, at + info + newline));
    }
    None
}

/// Returns the character of the fence with which a text begins, its length, and its end.
#[inline]
fn fence_marks(text: &[u8]) -> Option<(u8, usize, usize)> {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    let start = blanks.count();
    let mark = *text.get(start).filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = text[start..].iter().take_while(|byte| **byte == mark);
    let length = length.count();
    (length >= 3).then_some((mark, length, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cursor::{Cursor, ParseOptions, ReadingState, ResponseEnd};
    use crate::fence::parse_fence;
    use crate::lines::{LineMarks, ResponseLines};
    use proptest::prelude::*;

    fn fence_line() -> impl Strategy<Value = String> {
        prop_oneof![
            1 => Just("```\n".to_owned()),
            1 => "( |\t)?(`{2,4}|~{3,4})(rust|a`| )?\r?\n",
        ]
    }

    fn inner_lines() -> impl Strategy<Value = String> {
        "((x| x||~~~|--- a|\\+\\+\\+ a|<<<<<<< SEARCH|\\*\\*\\* Begin Patch|a\\.txt)\r?\n){0,3}"
    }

    proptest! {
        #![proptest_config(lancet_testing::laws::config())]

        /// The same fences are skipped as when each is judged by all its lines.
        #[test]
        fn plain_fences_contain_no_edit(
            fences in prop::collection::vec((fence_line(), inner_lines(), fence_line()), 1..4),
        ) {
            let text: String = fences.into_iter().map(|(open, inner, close)| open + &inner + &close).collect();
            let Some((lines, length)) = skip_plain_fences(text.as_bytes()) else {
                return Ok(());
            };
            prop_assert_eq!(text[..length].matches('\n').count(), lines);
            prop_assert!(text[..length].ends_with('\n'));
            let mut marks = LineMarks::default();
            marks.add_lines(&text, 0);
            let (mut state, options) = (ReadingState::default(), ParseOptions::default());
            let all = ResponseLines::new(&text, &marks, marks.count());
            let mut reader = Cursor::new(all, &options, &mut state, ResponseEnd::Yes);
            while reader.state.at < lines {
                let at = reader.state.at;
                let open = parse_fence(reader.lines.get(at));
                prop_assert!(open.is_some(), "{:?}, line {at}", text);
                prop_assert!(reader.classify_fence(at, open.unwrap(), None).is_ok());
                prop_assert!(reader.state.fences.is_empty() && reader.state.parts.is_empty());
            }
            prop_assert_eq!(reader.state.at, lines, "{:?}", text);
        }
    }
}
