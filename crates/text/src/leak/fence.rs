//! Markdown code fences around a text.

use super::text_lines;

/// A line that opens or closes a code fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FenceLine {
    /// Only back quotes or tildes: it opens or closes a fence.
    Bare,
    /// A language follows: it opens a fence.
    Named,
}

/// Returns the kind of fence that a line is, if it is one.
pub(crate) fn fence_kind(line: &str) -> Option<FenceLine> {
    let line = line.trim();
    let mark = line
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let name = line.trim_start_matches(mark);
    if line.len() - name.len() < 3 || name.contains(mark) {
        return None;
    }
    Some(if name.is_empty() {
        FenceLine::Bare
    } else {
        FenceLine::Named
    })
}

/// Returns the text between a first line that opens a fence and a last line that closes it. A newline after the fence
/// stays.
pub(crate) fn strip_fence(text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text_lines(text.trim_matches('\n')).collect();
    let closing = lines.pop()?;
    if fence_kind(closing)? != FenceLine::Bare || lines.is_empty() {
        return None;
    }
    fence_kind(lines.remove(0))?;
    let end = if text.ends_with('\n') { "\n" } else { "" };
    Some(lines.join("\n") + end)
}

/// Returns whether any line of the text is a fence.
pub(super) fn has_fence(text: &str) -> bool {
    text_lines(text).any(|line| fence_kind(line).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_fences_around_text() {
        for (text, inner) in [
            ("```python\nx = 2\n```", Some("x = 2")),
            ("```\nx\ny\n```\n", Some("x\ny\n")),
            ("~~~~\nx\n~~~~", Some("x")),
            ("```\n```", Some("")),
            ("```\nx", None),
            ("x\n```", None),
            ("```", None),
            ("", None),
            ("`a`\nb\n`c`", None),
            ("```a``` b\nx\n```", None),
        ] {
            assert_eq!(strip_fence(text).as_deref(), inner, "{text:?}");
        }
    }
}
